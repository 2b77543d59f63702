//! The store of slices: what is read is what was written, a body alone is that of the whole file,
//! and damaged bytes are an error.

use codedb_model::ir::codec::{Needs, slice, slice_of};
use codedb_model::ir::{DefinitionId, File, Id};
use codedb_model::program::all;
use codedb_model::store::{Builder, Store};
use proptest::prelude::*;

fn slices() -> Vec<File> {
    let mut slices = Vec::new();
    for program in all().expect("the programs can be read") {
        for file in &program.files {
            slices.push(slice(file));
            slices
                .push(slice_of(file, &Needs { only_functions: true, shapes: false, ..Needs::ALL }));
        }
    }
    slices
}

fn stored(slices: &[File]) -> Store {
    let mut builder = Builder::default();
    for slice in slices {
        builder.add(slice.clone()).expect("a slice");
    }
    Store::from_bytes(&builder.finish().0.to_bytes()).expect("a store")
}

fn without_path(file: &File) -> File {
    File { path: "".into(), ..file.clone() }
}

#[test]
fn what_is_read_is_what_was_written() {
    let slices = slices();
    let store = stored(&slices);
    assert_eq!(store.len(), slices.len());
    let mut bodies = 0;
    for (at, slice) in slices.iter().enumerate() {
        let file = store.file(at).expect("a sound store");
        assert_eq!(without_path(&file), without_path(slice), "{}", slice.path);
        bodies += store.header(at).expect("a sound store").bodies.len();
    }
    assert!(bodies > 500, "{bodies} bodies");
}

#[test]
fn a_body_alone_is_that_of_the_file() {
    let slices = slices();
    let store = stored(&slices);
    let mut count = 0;
    for (at, slice) in slices.iter().enumerate() {
        let header = store.header(at).expect("a sound store");
        for definition in slice.definitions.ids() {
            let body = store.body(at, definition).expect("a sound store");
            let is_stated =
                header.bodies.iter().any(|of| of.definition as usize == definition.index());
            assert_eq!(body.is_some(), is_stated);
            let Some(body) = body else { continue };
            count += 1;
            let place = body.place;
            assert_eq!(slice.definitions[definition].body, Some(Id::new(place.scopes.0 as usize)));
            let is_same =
                body.scopes
                    .iter()
                    .enumerate()
                    .all(|(at, of)| slice.scopes[Id::new(place.scopes.0 as usize + at)] == *of)
                    && body.bindings.iter().enumerate().all(|(at, of)| {
                        slice.bindings[Id::new(place.bindings.0 as usize + at)] == *of
                    })
                    && body
                        .uses
                        .iter()
                        .enumerate()
                        .all(|(at, of)| slice.uses[Id::new(place.uses.0 as usize + at)] == *of)
                    && body.values.iter().enumerate().all(|(at, of)| {
                        slice.expressions[Id::new(place.values.0 as usize + at)] == *of
                    });
            assert!(is_same, "{} {definition:?}", slice.path);
        }
    }
    assert!(count > 500, "{count} bodies");
}

#[test]
fn names_are_found() {
    let store = stored(&slices());
    for number in 0..store.names().len() {
        let name = store.names().get(number).expect("a name");
        assert_eq!(store.names().find(&name), Some(number));
    }
    assert_eq!(store.names().find("no such name"), None);
}

#[test]
fn what_is_no_slice_is_an_error() {
    let programs = all().expect("the programs can be read");
    let file = programs.iter().flat_map(|of| &of.files).find(|file| !file.uses.is_empty());
    assert!(Builder::default().add(file.expect("a file with uses").clone()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    /// Bytes that are no store give an error or other facts, and no panic.
    #[test]
    fn damaged_bytes_do_not_panic(at in any::<prop::sample::Index>(), to in any::<u8>(), cut in any::<bool>()) {
        let programs = all().expect("the programs can be read");
        let slices: Vec<File> =
            programs.iter().filter(|of| of.language == "ruby").flat_map(|of| of.files.iter().map(slice)).collect();
        let mut bytes = stored(&slices).to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if cut {
            bytes.truncate(at);
        }
        if let Ok(store) = Store::from_bytes(&bytes) {
            for file in 0..store.len().min(100) {
                let _ = store.file(file);
                if let Ok(header) = store.header(file) {
                    for place in header.bodies {
                        let _ = store.body(file, DefinitionId::new(place.definition as usize));
                    }
                }
            }
        }
    }
}
