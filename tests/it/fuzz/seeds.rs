//! Sources to mutate: the fixtures of the tests of `src/lang`, by language.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use codedb::lang::{self, Language};

/// Sources by the name of their language.
pub(super) struct Seeds {
    by_language: BTreeMap<&'static str, Vec<String>>,
    all: Vec<String>,
}

impl Seeds {
    /// Reads the fixtures: raw strings that follow a file name in quotes.
    pub(super) fn read() -> Seeds {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("core/src/lang/tests/fixtures");
        let mut files: Vec<_> =
            fs::read_dir(folder).expect("fixtures").flatten().map(|entry| entry.path()).collect();
        files.sort();
        let mut seeds = Seeds { by_language: BTreeMap::new(), all: Vec::new() };
        for file in files {
            seeds.add(&fs::read_to_string(file).expect("a fixture"));
        }
        assert!(seeds.by_language.len() > 35, "{:?}", seeds.by_language.keys());
        seeds
    }

    fn add(&mut self, fixtures: &str) {
        let mut rest = fixtures;
        while let Some(at) = rest.find("\",\n    r#") {
            let name = rest[..at].rsplit('"').next().unwrap_or_default();
            rest = &rest[at + "\",\n    r".len()..];
            let hashes = rest.bytes().take_while(|&byte| byte == b'#').count();
            let end = format!("\"{}", "#".repeat(hashes));
            let body = rest.get(hashes + 1..).unwrap_or_default();
            let Some(len) = body.find(&end) else { continue };
            let text = &body[..len];
            rest = &body[len..];
            if let Some(language) = lang::detect(Path::new(name), text.as_bytes()) {
                self.by_language.entry(language.name).or_default().push(text.to_owned());
                self.all.push(text.to_owned());
            }
        }
    }

    /// Returns the sources of a language; all sources if it has none of its own.
    pub(super) fn of(&self, language: &Language) -> &[String] {
        self.by_language.get(language.name).unwrap_or(&self.all)
    }

    /// Returns the sources of all languages.
    pub(super) fn all(&self) -> &[String] {
        &self.all
    }
}
