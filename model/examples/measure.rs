//! Measures the lowering of a tree: `measure (c|ruby) FOLDER`. Prints the sizes of the stored slice and of
//! everything, and the time of parsing, lowering, slicing and coding, on one thread.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of the command line")]

use codedb_model::ir::codec::{decode, encode, names, slice};
use codedb_model::ir::{File, Name};
use codedb_model::lower::{Grammar, Lowering};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The longest file that is parsed, as in the product.
const BYTES_MAX: usize = 1 << 20;

#[derive(Default)]
struct Sums {
    files: usize,
    bytes: usize,
    names: usize,
    definitions: usize,
    uses: usize,
    expressions: usize,
    slice: usize,
    whole: usize,
    times: [Duration; 4],
    /// All names of the tree.
    dictionary: HashSet<Name>,
    /// Of one file in [`SAMPLE`], the bytes of scopes, definitions with types, bindings, uses, values.
    parts: [usize; 5],
}

/// One file of this many is taken apart.
const SAMPLE: usize = 20;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let measured = match &arguments[..] {
        [language, folder] if language == "c" => measure(Grammar::C, &["c", "h"], folder),
        [language, folder] if language == "ruby" => measure(Grammar::Ruby, &["rb"], folder),
        _ => Err("two arguments are needed: `c` or `ruby`, and a folder".to_string()),
    };
    if let Err(error) = measured {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn measure(grammar: Grammar, extensions: &[&str], folder: &str) -> Result<(), String> {
    let mut lowering = Lowering::new(grammar)?;
    let mut sums = Sums::default();
    for path in files(Path::new(folder), extensions) {
        let Ok(text) = std::fs::read(&path) else { continue };
        if text.len() > BYTES_MAX {
            continue;
        }
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        one(&mut lowering, &name, &text, &mut sums)?;
    }
    let Sums { files, bytes, definitions, uses, expressions, ref dictionary, parts, .. } = sums;
    println!(
        "{files} files, {bytes} bytes; {definitions} definitions, {uses} uses, {expressions} values"
    );
    println!(
        "slice {} bytes, everything {} bytes, of which names {}",
        sums.slice, sums.whole, sums.names
    );
    let once: usize = dictionary.iter().map(|name| name.len() + 1).sum();
    println!("{} names, {once} bytes if stored once", dictionary.len());
    let parts = parts.map(|bytes| bytes * SAMPLE / 1_000_000);
    println!("of a sample, MB: scopes, definitions and types, bindings, uses, values: {parts:?}");
    let [parse, lower, code, whole] = sums.times.map(|time| time.as_secs_f64());
    println!(
        "parse {parse:.2} s, lower {lower:.2} s, slice and code {code:.2} s, code everything {whole:.2} s"
    );
    Ok(())
}

fn one(lowering: &mut Lowering, name: &str, text: &[u8], sums: &mut Sums) -> Result<(), String> {
    let start = Instant::now();
    let Some(tree) = lowering.parse(text) else { return Ok(()) };
    let parsed = Instant::now();
    let file = lowering.lower(name, text, &tree);
    let lowered = Instant::now();
    let stored = slice(&file);
    let bytes = encode(&stored);
    let coded = Instant::now();
    let whole = encode(&file);
    let end = Instant::now();
    if sums.files.is_multiple_of(100) {
        let read = decode(&bytes)?;
        if read != stored {
            return Err(format!("{name}: what is read is not what was written"));
        }
    }
    sums.files += 1;
    sums.bytes += text.len();
    sums.definitions += file.definitions.len();
    sums.uses += file.uses.len();
    sums.expressions += file.expressions.len();
    sums.slice += bytes.len();
    sums.whole += whole.len();
    let (names, length) = names(&bytes)?;
    sums.names += length;
    sums.dictionary.extend(names);
    if sums.files.is_multiple_of(SAMPLE) {
        parts(&stored, sums);
    }
    let spent = [parsed - start, lowered - parsed, coded - lowered, end - coded];
    for (sum, time) in sums.times.iter_mut().zip(spent) {
        *sum += time;
    }
    Ok(())
}

/// Adds the bytes of each part of a file, without names.
fn parts(file: &File, sums: &mut Sums) {
    let size = |file: &File| {
        let bytes = encode(file);
        bytes.len() - names(&bytes).map_or(0, |(_, length)| length)
    };
    let whole = size(file);
    let without = [
        File { scopes: Default::default(), ..file.clone() },
        File { definitions: Default::default(), types: Default::default(), ..file.clone() },
        File { bindings: Default::default(), ..file.clone() },
        File { uses: Default::default(), ..file.clone() },
        File { expressions: Default::default(), ..file.clone() },
    ];
    for (sum, file) in sums.parts.iter_mut().zip(&without) {
        *sum += whole.saturating_sub(size(file));
    }
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
