//! `tree LANGUAGE FOLDER PATH:LINE`: prints what the prototype answers for the uses on a line.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program of the command line")]

use codedb_model::ir::File;
use codedb_model::ir::text::{Lines, parse};
use codedb_model::program::BUDGET;
use codedb_model::resolve::{Resolver, ty::FileId, world::World};
use codedb_model::{languages, lower};
use std::path::Path;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [language, folder, place] = &arguments[..] else {
        eprintln!("three arguments are needed: a language, a folder, and a path with a line");
        std::process::exit(2);
    };
    if let Err(error) = run(language, Path::new(folder), place) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run(language: &str, folder: &Path, place: &str) -> Result<(), String> {
    let rules = languages::rules(language).ok_or("no such language")?;
    let lowers = rules.lowering().ok_or("the language has no lowering")?;
    let mut texts = Vec::new();
    read(folder, folder, &mut texts);
    texts.sort();
    let files = texts.iter().map(|(path, text)| (path.as_str(), text.as_bytes()));
    let start = Instant::now();
    let facts = lower::tree(lowers, files)?;
    let lowered = start.elapsed();
    let library = parse("library", rules.library(), &Lines::new(""))?;
    let all: Vec<&File> = facts.iter().chain([&library]).collect();
    let start = Instant::now();
    let world = World::new(all, rules);
    let names = start.elapsed();
    let start = Instant::now();
    let resolver = Resolver::of(world);
    let bases = start.elapsed();
    let count = facts.len();
    eprintln!("{count} files: lowered in {lowered:.2?}, names {names:.2?}, bases {bases:.2?}");
    let (path, line) = place.rsplit_once(':').ok_or("a place is a path with a line")?;
    let line: u32 = line.parse().map_err(|_| "the line is a number")?;
    for (at, file) in facts.iter().enumerate().filter(|(_, file)| *file.path == *path) {
        let text = texts.iter().find(|(found, _)| found == path).map_or("", |(_, text)| text);
        let lines = Lines::new(text);
        for (id, of) in file.uses.iter().filter(|(_, of)| lines.of(of.range).0 == line) {
            let file = FileId(u32::try_from(at).unwrap_or(0));
            println!("{:?}: {:#?}", of.name, resolver.question(file, id, BUDGET));
        }
    }
    Ok(())
}

fn read(root: &Path, folder: &Path, texts: &mut Vec<(String, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            read(root, &path, texts);
        } else if let (Ok(text), Ok(name)) =
            (std::fs::read_to_string(&path), path.strip_prefix(root))
        {
            texts.push((name.to_string_lossy().into_owned(), text));
        }
    }
}
