//! Forms of declarations and uses in twelve languages: small programs with the state of each.
//!
//! The files of `forms/` have programs below headings, `## FORM [STATE]`. `$0` marks the definition,
//! `$1` lines that call it, `$-` lines that seem to and do not. The states:
//!
//! - `listed`: every call is among the callers
//! - `unresolved`: every call is listed or counted as unresolved
//! - `by value`: other calls go through a value that holds the definition, and that use of it is listed
//! - `outside`: other calls are counted as leaving the repository: what an outside package returns
//! - `by language`: other calls have no name (`a + b`), and the callers say so
//! - `lost`: a call is none of these
//! - `apart`: no line that seems to call it is listed
//! - `unsure`: such a line is listed, with less than 0.9
//! - `wrong`: such a line is listed with at least 0.9
//! - `unknown`: the definition is not found
//!
//! A state that changes fails the test; with `CODEDB_WRITE_FORMS=1`, it is written instead.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::graph::calls::{called_by_language, uses_of};
use crate::graph::link::{CONFIDENCE_ANSWER, Code as _, SymbolAt};
use crate::graph::program::Program;
use crate::lang::facts::Role;

/// The directory of the programs.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/graph/link/tests/forms");

/// The least confidence of a wrong answer that counts as sure.
const SURE: f32 = 0.9;

/// A form.
struct Form {
    name: String,
    state: String,
    files: super::Texts,
    marks: Vec<Mark>,
}

/// A marked place.
struct Mark {
    kind: char,
    path: String,
    byte: usize,
    line: usize,
}

/// Returns the forms of a file.
fn forms(text: &str) -> Vec<Form> {
    let mut forms: Vec<Form> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let (name, state) = match heading.split_once(" [") {
                Some((name, state)) => (name, state.trim_end_matches(']')),
                None => (heading, ""),
            };
            let (name, state) = (name.to_owned(), state.to_owned());
            forms.push(Form { name, state, files: Vec::new(), marks: Vec::new() });
            continue;
        }
        let form = forms.last_mut().expect("a heading comes first");
        if let Some(path) = line.strip_prefix("//- /") {
            form.files.push((path.to_owned(), Vec::new()));
            continue;
        }
        let Some((path, body)) = form.files.last_mut() else { continue };
        let number = body.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let mut rest = line;
        while let Some((at, kind)) = rest.match_indices('$').find_map(|(at, _)| {
            let kind = rest[at + 1..].chars().next()?;
            matches!(kind, '0' | '1' | '-').then_some((at, kind))
        }) {
            body.extend_from_slice(&rest.as_bytes()[..at]);
            let (path, byte) = (path.clone(), body.len());
            form.marks.push(Mark { kind, path, byte, line: number });
            rest = &rest[at + 2..];
        }
        body.extend_from_slice(rest.as_bytes());
        body.push(b'\n');
    }
    forms
}

fn state(form: &Form) -> &'static str {
    let program = Program::new(form.files.clone());
    let definition = form.marks.iter().find(|mark| mark.kind == '0').expect("`$0` is there");
    let Some(symbol) = symbol(&program, definition) else { return "unknown" };
    let found = uses_of(&program, &[symbol], CONFIDENCE_ANSWER);
    let line = |site: &crate::graph::link::Site| {
        let facts = program.file(site.file).expect("a site's file is known");
        let text = form.files.iter().find(|(path, _)| *path == facts.path).expect("it is there");
        let before = &text.1[..site.reference.span.start];
        (facts.path.clone(), before.iter().filter(|&&byte| byte == b'\n').count() + 1)
    };
    let listed: Vec<_> =
        found.uses.iter().map(|(_, use_)| (line(&use_.site), use_.confidence)).collect();
    let open: BTreeSet<_> = found.unresolved.iter().map(|named| line(&named.site)).collect();
    let is_value = found.uses.iter().any(|(_, of)| of.site.reference.role == Role::Read);
    let mut worst = "";
    for mark in form.marks.iter().filter(|mark| mark.kind != '0') {
        let place = (mark.path.clone(), mark.line);
        let confidence = listed.iter().filter(|of| of.0 == place).map(|of| of.1);
        let confidence = confidence.max_by(f32::total_cmp);
        let state = match (mark.kind, confidence) {
            ('1', Some(_)) => "listed",
            ('1', None) if open.contains(&place) => "unresolved",
            ('1', None) if called_by_language(&program, symbol).is_some() => "by language",
            ('1', None) if is_value => "by value",
            ('1', None) if found.outside > 0 => "outside",
            ('1', None) => "lost",
            (_, Some(confidence)) if confidence >= SURE => "wrong",
            (_, Some(_)) => "unsure",
            (_, None) => "apart",
        };
        let counted = ["unresolved", "by value", "outside", "by language"];
        let order = [&["", "listed", "apart"], &counted[..], &["unsure", "lost", "wrong"]].concat();
        let rank = |state: &str| order.iter().position(|of| *of == state);
        if rank(state) > rank(worst) {
            worst = state;
        }
    }
    worst
}

/// Returns the definition at a mark.
fn symbol(program: &Program, mark: &Mark) -> Option<SymbolAt> {
    let file = program.id(&mark.path)?;
    let facts = program.file(file)?;
    let at = |place: usize| SymbolAt { file, place: place as u32 };
    let is_named = |place: &usize| facts.symbols[*place].name_span.start == mark.byte;
    let is_there = |place: &usize| {
        let symbol = &facts.symbols[*place];
        symbol.kind.is_callable() && symbol.line == mark.line
    };
    let places = 0..facts.symbols.len();
    places.clone().find(is_named).or_else(|| places.clone().find(is_there)).map(at)
}

#[test]
fn every_form_has_its_state() {
    let writes = std::env::var_os("CODEDB_WRITE_FORMS").is_some();
    let mut changed = String::new();
    let mut languages = 0;
    let entries = fs::read_dir(FOLDER).expect("the folder is there");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension() == Some("txt".as_ref())) {
        languages += 1;
        let text = fs::read_to_string(file).expect("it is text");
        let mut new = text.clone();
        for form in forms(&text) {
            let state = state(&form);
            if state != form.state {
                let name = file.file_stem().map(Path::new).expect("a name").display();
                let _ = writeln!(changed, "{name}: {}: {} → {state}", form.name, form.state);
            }
            let heading = |state: &str| match state {
                "" => format!("## {}\n", form.name),
                state => format!("## {} [{state}]\n", form.name),
            };
            new = new.replacen(&heading(&form.state), &heading(state), 1);
        }
        if writes && new != text {
            fs::write(file, new).expect("it is written");
        }
    }
    assert!(languages >= 12, "{languages}");
    assert!(writes || changed.is_empty(), "{changed}");
}
