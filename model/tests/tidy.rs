//! The rules of the design that a reviewer cannot see in a diff.

use codedb_model::ir::{DefinitionKind, File, ScopeId, Type};
use codedb_model::languages::ALL;
use codedb_model::program::{Loaded, all};
use std::path::{Path, PathBuf};

/// Names of languages as they are written in code and prose.
const LANGUAGES: [&str; 18] = [
    "Kotlin",
    "C++",
    "TypeScript",
    "JavaScript",
    "Ruby",
    "Go's",
    "Go",
    "Golang",
    "PHP",
    "Swift",
    "Java",
    "Python",
    "Rust",
    "C#",
    "CSharp",
    "Scala",
    "Rails",
    "Linux",
];

fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder)];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder of sources");
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else {
            let text = std::fs::read_to_string(&path).expect("a source");
            found.push((path, text));
        }
    }
    found
}

#[test]
fn the_ir_and_the_resolver_name_no_language() {
    let mut named = Vec::new();
    for (path, text) in sources("ir").into_iter().chain(sources("resolve")) {
        for (line, content) in text.lines().enumerate() {
            for language in LANGUAGES.into_iter().chain(ALL.iter().map(|&(name, _)| name)) {
                let words = content.split(|c: char| !(c.is_alphanumeric() || "+#'".contains(c)));
                // `c` and `go` are also letters and words, but not in quotes.
                let is_word = language.len() > 2 && words.clone().any(|word| word == language);
                let is_named = is_word || content.contains(&format!("\"{language}\""));
                if is_named || content.contains("languages::") {
                    named.push(format!("{}:{}: {content}", path.display(), line + 1));
                }
            }
        }
    }
    assert!(named.is_empty(), "{}", named.join("\n"));
}

#[test]
fn the_resolver_sees_no_source() {
    for (path, text) in sources("resolve") {
        for word in ["std::fs", "text::", "program::"] {
            assert!(!text.contains(word), "{} uses {word}", path.display());
        }
    }
}

#[test]
fn no_file_is_longer_than_800_lines() {
    for (path, text) in sources("") {
        assert!(text.lines().count() <= 800, "{}", path.display());
    }
}

/// Confidence is no number here: what is measured belongs to a calibration.
#[test]
fn the_resolver_has_no_floats() {
    for (path, text) in sources("resolve") {
        for (line, content) in text.lines().enumerate() {
            let has = content.contains("f64") || content.contains("f32");
            assert!(!has, "{}:{}: {content}", path.display(), line + 1);
        }
    }
}

/// A path that neither a source nor the library declares would be a magic string.
#[test]
fn every_path_is_declared() {
    let mut undeclared = Vec::new();
    for program in all().expect("the programs can be read") {
        let loaded = Loaded::new(&program).expect("a language with rules");
        for path in loaded.undeclared_paths() {
            undeclared.push(format!("{}/{}: `{path}`", program.language, program.name));
        }
    }
    assert!(undeclared.is_empty(), "{}", undeclared.join("\n"));
}

#[test]
fn a_path_that_nothing_declares_is_rejected() {
    let text =
        "== source a.go\nx\n== facts a.go\n@1 var x: Nowhere\n@1 var y: map<string, string>\n";
    let program = codedb_model::program::Program::read("go", "test", text).expect("a program");
    let loaded = Loaded::new(&program).expect("a language with rules");
    assert_eq!(loaded.undeclared_paths(), ["Nowhere"]);
    let file: &File = &program.files[0];
    assert!(file.types.iter().any(|(_, node)| matches!(node.kind, Type::Named { .. })));
    assert_eq!(file.definitions[codedb_model::ir::Id::new(0)].kind, DefinitionKind::Variable);
    assert_eq!(file.definitions[codedb_model::ir::Id::new(0)].scope, ScopeId::new(0));
}

/// Names of members and types of a library stand in the language's folder: the resolver compares
/// with no text of its own.
#[test]
fn the_resolver_has_no_names_in_quotes() {
    let mut quoted = Vec::new();
    for (path, text) in sources("resolve") {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let is_code = |line: &&str| {
            let line = line.trim_start();
            !line.starts_with("//") && !["expect(", "assert"].iter().any(|word| line.contains(word))
        };
        for line in code.lines().filter(is_code) {
            for literal in line.split('"').skip(1).step_by(2) {
                // Placeholders of a format are names of variables.
                let rest =
                    literal.split('{').map(|part| part.rsplit('}').next().unwrap_or_default());
                if rest.collect::<String>().contains(char::is_alphabetic) {
                    quoted.push(format!("{}: {literal}", path.display()));
                }
            }
        }
    }
    assert!(quoted.is_empty(), "{}", quoted.join("\n"));
}
