//! Asks a built `codedb` for the callers of every definition that a program's answers name, and
//! writes where its links deviate from what is expected into the section `today`.
//!
//! `cargo run -p codedb-model --example today -- PROGRAM FOLDER`: the folder gets the sources.
//! `outside` and `unknown` are not told apart, and what may run instead is not compared, since
//! `callers` lists neither by use.
#![expect(clippy::print_stderr, reason = "a program of the command line")]

use codedb_model::ir::DefinitionKind;
use codedb_model::program::{
    Answer, Deviation, Expected, Outcome, Place, Program, all, folder, held_out,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Confidence from which on an answer counts.
const SURE: f64 = 0.5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (codedb, place, programs) = match &arguments[..] {
        [codedb, place] => (codedb, place, all()),
        [codedb, place, held] if held == "--held-out" => (codedb, place, held_out()),
        _ => {
            eprintln!(
                "two arguments are needed: the program `codedb`, and a folder for the sources"
            );
            std::process::exit(1);
        }
    };
    let folder = if arguments.len() == 3 { folder().with_file_name("heldout") } else { folder() };
    let record = |program: &Program| record(program, codedb, Path::new(place), &folder);
    let result = programs.and_then(|programs| programs.iter().try_for_each(record));
    if let Err(error) = result {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn record(program: &Program, codedb: &str, place: &Path, folder: &Path) -> Result<(), String> {
    let root = place.join(&program.language).join(&program.name);
    for source in &program.sources {
        let path = root.join(&source.path);
        let failed = |error| format!("{}: cannot be written: {error}", path.display());
        std::fs::create_dir_all(path.parent().unwrap_or(&root)).map_err(failed)?;
        std::fs::write(&path, &source.text).map_err(failed)?;
    }
    let mut callers = Callers { codedb, root: &root, asked: BTreeMap::new() };
    let mut deviations = Vec::new();
    for expected in &program.expected {
        let mut found = callers.links(program, expected)?;
        if matches!(expected.answer, Answer::Dispatch(_)) {
            // A link to the field that is called through is right as far as it goes.
            found.retain(|site| !is_field(program, site));
        }
        let right = match &expected.answer {
            Answer::Links(links, _) | Answer::Dispatch(links) => program.definitions(links)?,
            Answer::Outside | Answer::Unknown => BTreeSet::new(),
        };
        let right: BTreeSet<Site> = right.into_iter().map(|of| site(program, of)).collect();
        let outcome = if found == right {
            continue;
        } else if found.is_subset(&right) {
            Outcome::Missed
        } else {
            Outcome::Wrong
        };
        let names: Vec<_> = found.iter().map(|(path, line)| format!("{path}:{line}")).collect();
        let text = if names.is_empty() { "-".to_string() } else { names.join(", ") };
        let place = format!("{}:{} {}", expected.path, expected.line, expected.name);
        deviations.push(Deviation { place, outcome, text });
    }
    let path = folder.join(&program.language).join(format!("{}.txt", program.name));
    std::fs::write(&path, program.with_deviations("today", &deviations))
        .map_err(|error| format!("{}: cannot be written: {error}", path.display()))
}

fn is_field(program: &Program, (path, line): &Site) -> bool {
    program.files.iter().filter(|file| *file.path == **path).any(|file| {
        let lines = program.lines(&file.path);
        let is_it = |d: &codedb_model::ir::Definition| {
            let is_field = matches!(d.kind, DefinitionKind::Field | DefinitionKind::Alias);
            is_field && lines.of(d.range).0 == *line
        };
        file.definitions.iter().any(|(_, definition)| is_it(definition))
    })
}

/// Path and line of a definition.
type Site = (String, u32);

/// Returns where `of` stands; a constructor counts as its type.
fn site(program: &Program, of: Place) -> Site {
    let file = &program.files[of.0];
    let mut definition = &file.definitions[of.1];
    let is_constructor = definition.kind == DefinitionKind::Constructor
        || ["__init__", "initialize", "__construct", "init"].contains(&&*definition.name);
    if is_constructor && let Some(owner) = file.scopes[definition.scope].owner {
        definition = &file.definitions[owner];
    }
    (file.path.to_string(), program.lines(&file.path).of(definition.range).0)
}

/// How many lines of decorators a definition has at the most.
const DECORATORS: u32 = 1;

/// Asks for each name once.
struct Callers<'c> {
    codedb: &'c str,
    root: &'c Path,
    /// For each name, the definitions with the lines that use them.
    asked: BTreeMap<String, Vec<(Site, Site)>>,
}

impl Callers<'_> {
    /// Returns the definitions that the use at `expected` is listed for.
    fn links(&mut self, program: &Program, expected: &Expected) -> Result<BTreeSet<Site>, String> {
        let mut names = BTreeSet::from([expected.name.clone()]);
        if let Answer::Links(links, _) | Answer::Dispatch(links) = &expected.answer {
            for (at, id) in program.definitions(links)? {
                let file = &program.files[at];
                let definition = &file.definitions[id];
                names.insert(definition.name.to_string());
                names.extend(
                    file.scopes[definition.scope]
                        .owner
                        .map(|of| file.definitions[of].name.to_string()),
                );
            }
        }
        let mut found = BTreeSet::new();
        let is_type_only = |name: &String| *name != expected.name;
        for name in names {
            let of_type = is_type_only(&name);
            for (definition, used) in self.ask(&name)?.clone() {
                if used != (expected.path.clone(), expected.line) {
                    continue;
                }
                // Another name's uses on the line count only where they are expected here.
                let site = self.as_type(program, definition);
                let is_right = match &expected.answer {
                    Answer::Links(links, _) | Answer::Dispatch(links) => {
                        let right = program.definitions(links)?;
                        right.into_iter().any(|of| self::site(program, of) == site)
                    }
                    _ => false,
                };
                if !of_type || is_right {
                    found.insert(site);
                }
            }
        }
        Ok(found)
    }

    /// Replaces the place of a constructor by that of its type, and a declaration by its body.
    fn as_type(&self, program: &Program, (path, line): Site) -> Site {
        for (at, file) in program.files.iter().enumerate() {
            let lines = program.lines(&file.path);
            // A definition of today's starts at its decorators.
            let here = (0..=DECORATORS).find_map(|more| {
                file.definitions.iter().find(|(_, definition)| {
                    let is_kind = definition.kind != DefinitionKind::Extension;
                    *file.path == *path && lines.of(definition.range).0 == line + more && is_kind
                })
            });
            if let Some((id, definition)) = here {
                let body = definition.signature.is_declaration.then(|| {
                    let name = codedb_model::program::qualified_name(file, id);
                    program.definition(&name).ok()
                });
                return site(program, body.flatten().unwrap_or((at, id)));
            }
        }
        (path, line)
    }

    fn ask(&mut self, name: &str) -> Result<&Vec<(Site, Site)>, String> {
        if !self.asked.contains_key(name) {
            let mut rows = self.run(name, &[])?;
            rows.extend(self.run(name, &["--readers"])?);
            self.asked.insert(name.to_string(), rows);
        }
        Ok(&self.asked[name])
    }

    fn run(&self, name: &str, more: &[&str]) -> Result<Vec<(Site, Site)>, String> {
        let output = Command::new(self.codedb)
            .args(["callers", name, "--json", "-n", "200", "--root"])
            .arg(self.root)
            .args(more)
            .output()
            .map_err(|error| format!("{}: cannot be run: {error}", self.codedb))?;
        let Ok(reply) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
            return Ok(Vec::new());
        };
        let site = |value: &serde_json::Value| -> Option<Site> {
            Some((
                value["path"].as_str()?.to_string(),
                u32::try_from(value["line"].as_u64()?).ok()?,
            ))
        };
        let rows = reply["callers"].as_array().cloned().unwrap_or_default();
        let links = rows.iter().filter(|row| row["confidence"].as_f64().unwrap_or(0.0) >= SURE);
        Ok(links
            .filter_map(|row| {
                let of = usize::try_from(row["of"].as_u64().unwrap_or(0)).ok()?;
                Some((site(&reply["definitions"][of])?, site(row)?))
            })
            .collect())
    }
}
