//! Tests of imports on small trees, language by language, and of properties that hold for all
//! trees.
//!
//! A tree is a text with a line `//- /path` before each file; only manifests need content. An
//! import is written as `module [name, name]`; `<a.h>`, `"a.h"`, `mod a` and words such as
//! `template` in front determine its kind.

mod c;
mod dynamic;
mod go;
mod javascript;
mod namespaces;
mod php;
mod places;
mod property;
mod python;
mod rivals;
mod rust;

use crate::base::ids::FileId;
use crate::base::path;
use crate::lang::facts::{Import, ImportKind, ImportedName};

use super::{Family, Importer, Resolution, Resolver, is_manifest};

/// A tree from a text.
struct Fixture {
    paths: Vec<String>,
    resolver: Resolver,
}

impl Fixture {
    /// Reads a text; a first line `package a.b` of a file declares its package.
    fn new(text: &str) -> Fixture {
        let mut files: Vec<(String, String)> = Vec::new();
        for line in text.lines() {
            let line = line.trim();
            match (line.strip_prefix("//- /"), files.last_mut()) {
                (Some(path), _) => files.push((path.to_owned(), String::new())),
                (None, Some((_, text))) => *text += &format!("{line}\n"),
                (None, None) => {}
            }
        }
        files.sort_by(|a, b| path::compare(a.0.as_bytes(), b.0.as_bytes()));
        let manifests: Vec<(FileId, &[u8])> = files
            .iter()
            .enumerate()
            .filter(|(_, file)| is_manifest(file.0.as_bytes()))
            .map(|(at, file)| (FileId::new(at), file.1.as_bytes()))
            .collect();
        let packages: Vec<(FileId, &str)> = files
            .iter()
            .enumerate()
            .filter(|(_, file)| !is_manifest(file.0.as_bytes()))
            .filter_map(|(at, file)| {
                let package = file.1.lines().next()?.strip_prefix("package ")?;
                Some((FileId::new(at), package))
            })
            .collect();
        let paths: Vec<String> = files.iter().map(|file| file.0.clone()).collect();
        let resolver = Resolver::new(&paths, &manifests).with_packages(&packages);
        Fixture { paths, resolver }
    }

    fn id(&self, path: &str) -> FileId {
        FileId::new(self.paths.iter().position(|known| known == path).expect("a file of the tree"))
    }

    fn importer(&self, path: &str) -> Importer<'_> {
        let file = self.id(path);
        let package = self.resolver.packages.of(file);
        Importer { file, family: family_of(path), package, inside: &[] }
    }

    /// Returns the targets of an import: a line `path confidence reason` for each, with the name
    /// that refers to it and the number of remaining parts.
    fn targets(&self, importer: &Importer<'_>, written: &str) -> String {
        let import = import(written);
        let resolution = self.resolver.resolve(importer, &import);
        let Resolution::Inside(targets) = resolution else {
            return format!("{resolution:?}").to_lowercase();
        };
        let lines = targets.iter().map(|target| {
            let reason = format!("{:?}", target.reason).to_lowercase();
            let path = &self.paths[target.file.index()];
            let mut line = format!("{path} {} {reason}", target.confidence);
            if let Some(name) = target.name {
                line += &format!(" [{}]", import.names[name].name);
            }
            if target.rest > 0 {
                line += &format!(" +{}", target.rest);
            }
            line
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Checks the targets of imports: rows of the importing file, the import, and the expected lines.
fn check(tree: &str, rows: &[(&str, &str, &str)]) {
    let fixture = Fixture::new(tree);
    for (from, written, expected) in rows {
        let expected: Vec<&str> = expected.lines().map(str::trim).collect();
        let targets = fixture.targets(&fixture.importer(from), written);
        assert_eq!(targets, expected.join("\n"), "{from}: {written}");
    }
}

fn import(written: &str) -> Import {
    let kinds = [
        ("mod ", ImportKind::Submodule),
        ("load ", ImportKind::Dynamic),
        ("variable ", ImportKind::DynamicVariable),
        ("template ", ImportKind::DynamicTemplate),
        ("concatenation ", ImportKind::DynamicConcatenation),
        ("conditional ", ImportKind::DynamicConditional),
        ("eval ", ImportKind::DynamicEval),
        ("next ", ImportKind::LocalInclude),
        ("<", ImportKind::SystemInclude),
        ("\"", ImportKind::LocalInclude),
    ];
    let mark = kinds.iter().find(|row| written.starts_with(row.0));
    let (mark, kind) = mark.copied().unwrap_or(("", ImportKind::Module));
    let rest = &written[mark.len()..];
    let is_quoted = matches!(mark, "<" | "\"");
    let rest = if is_quoted { rest.trim_end_matches(['>', '"']) } else { rest };
    let (module, names) = match rest.rsplit_once('[') {
        Some((module, names)) => (module.trim(), names.trim_end_matches(']')),
        None => (rest, ""),
    };
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let names = names.map(|name| ImportedName { name: name.to_owned(), alias: name.to_owned() });
    Import { span: 0..1, line: 1, kind, module: module.to_owned(), names: names.collect() }
}

fn family_of(path: &str) -> Family {
    let extension = path.rsplit('.').next().unwrap_or_default();
    match extension {
        "c" | "h" | "cpp" | "hpp" => Family::C,
        "cs" => Family::CSharp,
        "java" | "kt" | "scala" => Family::Jvm,
        "go" => Family::Go,
        "php" => Family::Php,
        "py" | "pyi" => Family::Python,
        "rs" => Family::Rust,
        "sh" => Family::Shell,
        "cmake" | "txt" => Family::CMake,
        "css" | "scss" => Family::Css,
        "dart" => Family::Dart,
        "ex" => Family::Elixir,
        "hs" => Family::Haskell,
        "tf" => Family::Hcl,
        "lua" => Family::Lua,
        "mk" => Family::Make,
        "ml" => Family::OCaml,
        "proto" => Family::Proto,
        "R" => Family::R,
        "rb" => Family::Ruby,
        "swift" => Family::Swift,
        "zig" => Family::Zig,
        _ => Family::JavaScript,
    }
}
