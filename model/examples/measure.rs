//! Measures the lowering of a tree: `measure (c|ruby) FOLDER [all|everything]`. Prints the sizes of
//! the store, by parts, and the time of parsing, lowering, slicing and coding, on one thread. `all`
//! stores arguments and members as a language with overloads needs them, `everything` all values.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of the command line")]

use codedb_model::ir::codec::{Needs, slice_of};
use codedb_model::ir::{Id, Role};
use codedb_model::languages::rules;
use codedb_model::lower::Lowering;
use codedb_model::store::Builder;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The longest file that is parsed, as in the product.
const BYTES_MAX: usize = 1 << 20;

/// One file of this many is compared with what is read again.
const SAMPLE: usize = 100;

#[derive(Default)]
struct Sums {
    files: usize,
    bytes: usize,
    definitions: usize,
    calls: usize,
    values: usize,
    kept_values: usize,
    bindings: usize,
    kept_bindings: usize,
    times: [Duration; 4],
    /// For each file, the time of lowering it again.
    again: Vec<Duration>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let measured = match &arguments[..] {
        [language, folder, rest @ ..] if language == "c" => measure("c", &["c", "h"], folder, rest),
        [language, folder, rest @ ..] if language == "ruby" => {
            measure("ruby", &["rb"], folder, rest)
        }
        _ => Err("two arguments are needed: `c` or `ruby`, and a folder".to_string()),
    };
    if let Err(error) = measured {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn measure(
    language: &str,
    extensions: &[&str],
    folder: &str,
    rest: &[String],
) -> Result<(), String> {
    let own = rules(language).map_or(Needs::ALL, |rules| rules.needs());
    let needs = match rest.first().map(String::as_str) {
        Some("all") => Needs::ALL,
        Some("everything") => Needs { everything: true, only_functions: false, ..own },
        _ => own,
    };
    let mut lowering = Lowering::new(language)?;
    let mut sums = Sums::default();
    let mut builder = Builder::default();
    let mut sample = Vec::new();
    for path in files(Path::new(folder), extensions) {
        let Ok(text) = std::fs::read(&path) else { continue };
        if text.len() > BYTES_MAX {
            continue;
        }
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        let clock = Instant::now();
        let start = now();
        let Some(tree) = lowering.parse(&text) else { continue };
        let parsed = now();
        let file = lowering.lower(&name, &text, &tree);
        let lowered = now();
        sums.again.push(clock.elapsed());
        let slice = slice_of(&file, &needs);
        let sliced = now();
        sums.definitions += file.definitions.len();
        sums.calls += file.uses.iter().filter(|(_, of)| of.role == Role::Call).count();
        sums.values += file.expressions.len();
        sums.bindings += file.bindings.len();
        sums.kept_values += slice.expressions.len();
        sums.kept_bindings += slice.bindings.len();
        if sums.files.is_multiple_of(SAMPLE) {
            sample.push((sums.files, slice.clone()));
        }
        let counted = now();
        builder.add(slice)?;
        let coded = now();
        sums.files += 1;
        sums.bytes += text.len();
        let spent = [parsed - start, lowered - parsed, sliced - lowered, coded - counted];
        for (sum, time) in sums.times.iter_mut().zip(spent) {
            *sum += time;
        }
    }
    let start = now();
    let (store, sizes) = builder.finish();
    let finished = now() - start;
    for (at, mut slice) in sample {
        slice.path = "".into();
        if store.file(at)? != slice {
            return Err(format!("file {at}: what is read is not what was written"));
        }
    }
    let (mut whole, mut alone) = (Vec::new(), Vec::new());
    for file in (0..store.len()).step_by(SAMPLE / 10) {
        let start = Instant::now();
        store.file(file)?;
        let read = Instant::now();
        let places = store.header(file)?.bodies;
        whole.push(read - start);
        if let Some(place) = places.get(places.len() / 2) {
            let start = Instant::now();
            store.body(file, Id::new(place.definition as usize))?;
            alone.push(start.elapsed());
        }
    }
    let Sums { files, bytes, definitions, calls, values, kept_values, bindings, .. } = sums;
    println!("{files} files, {bytes} bytes; {definitions} definitions, {calls} calls");
    println!(
        "{values} values, {kept_values} stored; {bindings} bindings, {} stored",
        sums.kept_bindings
    );
    println!("{} names; {} bodies", store.names().len(), sizes.count);
    let others = (0..store.names().len()).map(|at| store.names().get(at));
    let others = others.flatten().filter(|name| !is_word(name));
    let (count, long) = others.fold((0, 0), |(count, bytes), name| (count + 1, bytes + name.len()));
    println!("{count} names are no words of the text, {long} bytes");
    let parts = [sizes.names, sizes.addresses, sizes.tables, sizes.headers, sizes.bodies];
    let [names, addresses, tables, headers, bodies] = parts.map(|size| size as f64 / 1e6);
    println!(
        "MB: names {names:.1}, addresses {addresses:.1}, numbers of names {tables:.1}, headers {headers:.1}, bodies {bodies:.1}; without names {:.1}",
        addresses + tables + headers + bodies
    );
    let [parse, lower, slice, code] = sums.times.map(|time| time.as_secs_f64());
    println!(
        "parse {parse:.2} s, lower {lower:.2} s, slice {slice:.2} s, code {code:.2} s, finish {:.2} s",
        finished.as_secs_f64()
    );
    percentiles("parse and lower one file", sums.again);
    percentiles("read one file", whole);
    percentiles("read one header and one body", alone);
    Ok(())
}

/// Returns whether the product's index of words has a name anyway.
fn is_word(name: &str) -> bool {
    (2..=64).contains(&name.len())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn percentiles(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    println!("{what}: median {:?}, 95 % {:?}, 99 % {:?}", at(50), at(95), at(99));
}

/// Returns the processor's time that this thread has used, so that other programs count less.
fn now() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let used = text.split(' ').next().and_then(|used| used.parse().ok());
    Duration::from_nanos(used.unwrap_or(0))
}

fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                let extension = path.extension().and_then(|extension| extension.to_str());
                if extension.is_some_and(|extension| extensions.contains(&extension)) {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    found
}
