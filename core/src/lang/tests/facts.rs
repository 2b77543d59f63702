//! The facts of one source for each language: imports, types and bases of symbols, references.

use std::fmt::Write as _;
use std::path::Path;

use crate::lang::chain::Chain;
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

/// Path, text, and the rendered facts.
pub(super) const SOURCES: &[(&str, &str, &str)] = &[
    (c::PATH, c::TEXT, c::EXPECTED),
    (cpp::PATH, cpp::TEXT, cpp::EXPECTED),
    (go::PATH, go::TEXT, go::EXPECTED),
    (java::PATH, java::TEXT, java::EXPECTED),
    (javascript::PATH, javascript::TEXT, javascript::EXPECTED),
    (python::PATH, python::TEXT, python::EXPECTED),
    (ruby::PATH, ruby::TEXT, ruby::EXPECTED),
    (rust::PATH, rust::TEXT, rust::EXPECTED),
    (rust::PATH, rust::MACROS, rust::MACROS_EXPECTED),
    (typescript::PATH, typescript::TEXT, typescript::EXPECTED),
];

/// Renders the facts of `text`: package and imports, then the symbols that have a type or bases,
/// then the references of each line with the enclosing symbol.
pub(super) fn render(path: &str, text: &str) -> String {
    let language = of_path(Path::new(path)).expect("the language is in the table");
    let Facts { symbols, references, imports, package, .. } =
        facts(language, path, text.as_bytes(), Limits::DEFAULT);
    let mut rendered = String::new();
    if let Some(package) = package {
        let _ = writeln!(rendered, "package {package}");
    }
    for import in &imports {
        let _ = writeln!(rendered, "{}", import_line(import));
    }
    for symbol in &symbols {
        if symbol.type_chain.is_none() && symbol.bases.is_empty() {
            continue;
        }
        let _ = write!(rendered, "{}", symbol.qualified_name);
        if let Some(chain) = &symbol.type_chain {
            let _ = write!(rendered, " = {}", chain.as_str());
        }
        if !symbol.bases.is_empty() {
            let bases: Vec<&str> = symbol.bases.iter().map(Chain::as_str).collect();
            let _ = write!(rendered, " < {}", bases.join(", "));
        }
        rendered.push('\n');
    }
    let mut last = None;
    for reference in &references {
        let line = text[..reference.span.start].matches('\n').count() + 1;
        let enclosing = reference.enclosing.map_or("", |at| symbols[at].name.as_str());
        if last != Some((line, enclosing)) {
            let _ =
                write!(rendered, "{}{line} {enclosing}:", if last.is_some() { "\n" } else { "" });
            last = Some((line, enclosing));
        }
        let role = format!("{:?}", reference.role).to_lowercase();
        let _ = write!(rendered, " {role} ");
        if let Some(receiver) = &reference.receiver {
            let _ = write!(rendered, "{} . ", receiver.as_str());
        }
        let _ = write!(rendered, "{}", &text[reference.span.clone()]);
        if let Some(arguments) = reference.arguments {
            let _ = write!(rendered, "/{arguments}");
        }
        rendered.push(',');
    }
    rendered.push('\n');
    rendered
}

fn import_line(import: &Import) -> String {
    let names: Vec<String> = import
        .names
        .iter()
        .map(|name| {
            if name.name == name.alias || name.alias.is_empty() {
                name.name.clone()
            } else {
                format!("{} as {}", name.name, name.alias)
            }
        })
        .collect();
    let kind = format!("{:?}", import.kind).to_lowercase();
    format!("{kind} {} {{{}}} :{}", import.module, names.join(", "), import.line)
}

/// Checks that the rendered facts of each text are the expected ones.
#[track_caller]
fn check<'t>(all: impl Iterator<Item = (&'t str, &'t str, &'t str)>) {
    let mut wrong = String::new();
    for (path, text, expected) in all {
        let actual = render(path, text);
        if actual != expected {
            let _ = writeln!(wrong, "the facts of {path} are\n{actual}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn facts_match_the_expected_ones() {
    check(SOURCES.iter().copied());
}
