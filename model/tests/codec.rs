//! The stored slice: what is read is what was written, and what it answers.

use codedb_model::ir::File;
use codedb_model::ir::codec::{Needs, decode, encode, slice, slice_of};
use codedb_model::program::{BUDGET, Loaded, all};
use codedb_model::store::Builder;
use proptest::prelude::*;

#[test]
fn what_is_read_is_what_was_written() {
    for program in all().expect("the programs can be read") {
        for file in &program.files {
            let name = format!("{}/{}: {}", program.language, program.name, file.path);
            assert_eq!(decode(&encode(file)).as_ref(), Ok(file), "{name}");
            let slice = slice(file);
            assert_eq!(decode(&encode(&slice)).as_ref(), Ok(&slice), "{name}, sliced");
        }
    }
}

/// A slice lacks arguments: those that decide an overload, and those that a type parameter is
/// bound by, are lowered again. This counts the answers that need it.
#[test]
fn few_answers_need_what_is_lowered_on_demand() {
    let (mut same, mut changed) = (0, Vec::new());
    for program in all().expect("the programs can be read") {
        let loaded = Loaded::new(&program).expect("a language with rules");
        let slices = loaded.slices();
        let (whole, sliced) = (loaded.resolver(), loaded.resolver_of(&slices));
        for of in loaded.questions() {
            let whole = loaded.ask(&whole, of, BUDGET).expect("a budget that suffices").answer;
            let sliced = loaded.ask(&sliced, of, BUDGET).expect("a budget that suffices").answer;
            if whole == sliced {
                same += 1;
            } else {
                changed.push(format!(
                    "{}/{} {of:?}: {whole:?}, {sliced:?}",
                    program.language, program.name
                ));
            }
        }
    }
    let count = changed.len();
    assert!(
        count * 12 < same,
        "{same} are the same, {count} need what is lowered on demand:
{}",
        changed.join(
            "
"
        )
    );
}

/// A store that keeps all values answers everything: nothing is lowered again.
#[test]
fn a_store_of_all_values_answers_as_the_source() {
    let needs = Needs { everything: true, ..Needs::ALL };
    let mut count = 0;
    for program in all().expect("the programs can be read") {
        let mut builder = Builder::default();
        for file in &program.files {
            builder.add(slice_of(file, &needs)).expect("a slice");
        }
        let store = builder.finish().0;
        let files = program.files.iter().enumerate().map(|(at, file)| {
            let stored = store.file(at).expect("a sound store");
            File { path: file.path.clone(), ..stored }
        });
        let files: Vec<File> = files.collect();
        let loaded = Loaded::new(&program).expect("a language with rules");
        let (whole, stored) = (loaded.resolver(), loaded.resolver_of(&files));
        for of in loaded.questions() {
            let whole = loaded.ask(&whole, of, BUDGET).expect("a budget that suffices").answer;
            let stored = loaded.ask(&stored, of, BUDGET).expect("a budget that suffices").answer;
            assert_eq!(whole, stored, "{}/{} {of:?}", program.language, program.name);
            count += 1;
        }
    }
    assert!(count > 900, "{count} questions");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// Bytes that are no file give an error, and no panic.
    #[test]
    fn damaged_bytes_are_an_error_or_a_file(at in 0usize..4000, to in any::<u8>(), end in 0usize..4000) {
        let programs = all().expect("the programs can be read");
        let file = &programs[at % programs.len()].files[0];
        let mut bytes = encode(file);
        let length = bytes.len();
        bytes[at % length] = to;
        bytes.truncate(length.min(1 + end));
        let _ = decode(&bytes);
    }
}
