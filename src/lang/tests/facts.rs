//! Facts of a source per language: what it imports, what its symbols are made of, what it refers to.

use std::fmt::Write as _;
use std::path::Path;

use crate::lang::facts::{Facts, Import};
use crate::lang::language::of_path;
use crate::lang::parse::Limits;
use crate::lang::symbols::facts;

mod c;
mod cpp;
mod go;
mod java;
mod javascript;
mod mentions;
mod python;
mod ruby;
mod rust;
mod typescript;

/// A path, a text, and what is seen of its facts.
pub(super) const SOURCES: &[(&str, &str, &str)] = &[
    (c::PATH, c::TEXT, c::EXPECTED),
    (cpp::PATH, cpp::TEXT, cpp::EXPECTED),
    (go::PATH, go::TEXT, go::EXPECTED),
    (java::PATH, java::TEXT, java::EXPECTED),
    (javascript::PATH, javascript::TEXT, javascript::EXPECTED),
    (python::PATH, python::TEXT, python::EXPECTED),
    (ruby::PATH, ruby::TEXT, ruby::EXPECTED),
    (rust::PATH, rust::TEXT, rust::EXPECTED),
    (typescript::PATH, typescript::TEXT, typescript::EXPECTED),
];

/// Returns the facts of `text`: package and imports, then symbols with a type or bases, then the
/// references of each line with the symbol around them.
pub(super) fn seen(path: &str, text: &str) -> String {
    let language = of_path(Path::new(path)).expect("the language is known");
    let Facts { symbols, references, imports, package, .. } =
        facts(language, path, text.as_bytes(), Limits::DEFAULT);
    let mut seen = String::new();
    if let Some(package) = package {
        let _ = writeln!(seen, "package {package}");
    }
    for import in &imports {
        let _ = writeln!(seen, "{}", import_line(import));
    }
    for symbol in &symbols {
        if symbol.type_chain.is_none() && symbol.bases.is_empty() {
            continue;
        }
        let _ = write!(seen, "{}", symbol.qualified_name);
        if let Some(chain) = &symbol.type_chain {
            let _ = write!(seen, " = {chain}");
        }
        if !symbol.bases.is_empty() {
            let _ = write!(seen, " < {}", symbol.bases.join(", "));
        }
        seen.push('\n');
    }
    let mut last = None;
    for reference in &references {
        let line = text[..reference.span.start].matches('\n').count() + 1;
        let around = reference.enclosing.map_or("", |at| symbols[at].name.as_str());
        if last != Some((line, around)) {
            let _ = write!(seen, "{}{line} {around}:", if last.is_some() { "\n" } else { "" });
            last = Some((line, around));
        }
        let role = format!("{:?}", reference.role).to_lowercase();
        let _ = write!(seen, " {role} ");
        if let Some(receiver) = &reference.receiver {
            let _ = write!(seen, "{receiver} . ");
        }
        let _ = write!(seen, "{}", &text[reference.span.clone()]);
        if let Some(arguments) = reference.arguments {
            let _ = write!(seen, "/{arguments}");
        }
        seen.push(',');
    }
    seen.push('\n');
    seen
}

fn import_line(import: &Import) -> String {
    let names: Vec<String> = import
        .names
        .iter()
        .map(|name| match name.name == name.alias || name.alias.is_empty() {
            true => name.name.clone(),
            false => format!("{} as {}", name.name, name.alias),
        })
        .collect();
    let kind = format!("{:?}", import.kind).to_lowercase();
    format!("{kind} {} {{{}}} :{}", import.module, names.join(", "), import.line)
}

/// Fails unless the facts of `text` are `expected`.
#[track_caller]
fn check(path: &str, text: &str, expected: &str) {
    let seen = seen(path, text);
    assert!(seen == expected, "{path} gives\n{seen}");
}

#[test]
fn facts_are_as_written_down() {
    for (path, text, expected) in SOURCES {
        check(path, text, expected);
    }
}
