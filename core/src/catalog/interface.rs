//! What of a file the resolution of names in other files depends on: everything but the bodies of its
//! functions. As long as that stays, an edit leaves the links of all other files as they are.

use std::fmt::Write as _;

use xxhash_rust::xxh3::xxh3_128;

use super::Catalog;
use crate::base::ids::FileId;
use crate::graph::link::FileFacts;

/// Languages in which calls in a body decide what names in other files refer to: the arguments of templates
/// and macros, and of parameters without a type.
const DEPENDENT: [&str; 4] = ["c", "cpp", "objc", "ruby"];

/// Returns a hash of everything in a file but the bodies of functions, where positions do not count.
/// `None` if the bodies matter as well. O(text).
pub(super) fn interface(facts: &FileFacts, text: &[u8]) -> Option<u128> {
    if DEPENDENT.contains(&facts.language.name) {
        return None;
    }
    let mut stated = String::new();
    let mut outside: Vec<u8> = Vec::with_capacity(text.len());
    let mut from = 0;
    for symbol in &facts.symbols {
        let _ = writeln!(
            stated,
            "{:?}",
            (
                &symbol.qualified_name,
                symbol.kind,
                symbol.visibility,
                symbol.parent,
                &symbol.type_chain,
                &symbol.bases,
                &symbol.scope,
            )
        );
        // Functions inside of a body are stated by their signatures.
        outside.extend_from_slice(text.get(symbol.source.signature.clone()).unwrap_or_default());
        let body = symbol.source.signature.end.max(symbol.name_span.end)..symbol.span.end;
        if symbol.kind.is_callable() && body.start >= from && body.start <= body.end {
            outside.extend_from_slice(text.get(from..body.start)?);
            from = body.end;
        }
    }
    outside.extend_from_slice(text.get(from..)?);
    for import in &facts.imports {
        let _ = writeln!(stated, "{:?}", (import.kind, &import.module, &import.names));
    }
    let _ = writeln!(stated, "{:?}", facts.package);
    outside.extend_from_slice(stated.as_bytes());
    Some(xxh3_128(&outside))
}

impl Catalog {
    /// Returns true if a file certainly has the interface that it had for `earlier`.
    pub(super) fn has_interface_of(&self, file: FileId, earlier: &Catalog) -> bool {
        let before = earlier.interface_of(file);
        before.is_some() && before == self.interface_of(file)
    }

    fn interface_of(&self, file: FileId) -> Option<u128> {
        if let Some(held) = self.overlay.get(&file) {
            return held.interface();
        }
        let facts = self.facts(file).ok()??;
        let hash = self.files.info(file.index()).hash;
        let text = self.texts.known(self.path(file), hash)?;
        interface(&facts, text.original())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::link::Code as _;
    use crate::graph::program::Program;

    fn of(path: &str, text: &str) -> Option<u128> {
        let program = Program::new(vec![(path.to_owned(), text.as_bytes().to_vec())]);
        let facts = program.file(program.id(path)?)?;
        interface(&facts, text.as_bytes())
    }

    #[test]
    fn only_the_bodies_of_functions_do_not_matter() {
        let text =
            "import a\n\nLIMIT = 3\n\nclass B(A):\n    def add(self, x):\n        return x\n";
        let same = of("m.py", text);
        assert!(same.is_some());
        for (from, to, is_same) in [
            ("return x\n", "return x + 1\n", true),
            ("return x\n", "other(x)\n        return x\n", true),
            ("LIMIT = 3", "LIMIT = 4", false),
            ("import a", "import b", false),
            ("B(A)", "B(C)", false),
            ("self, x", "self, x, y", false),
            ("def add", "def sum", false),
            ("return x\n", "return x\n\n    def more(self):\n        pass\n", false),
        ] {
            assert_eq!(of("m.py", &text.replace(from, to)) == same, is_same, "{from} {to}");
        }
        assert_eq!(of("m.rb", "def a\n  1\nend\n"), None);
    }
}
