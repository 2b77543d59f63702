//! The order of definitions of the same name: what a reader most likely asks for comes first.

use crate::base::path;
use crate::catalog::Catalog;
use crate::error::Result;
use crate::graph::link::SymbolAt;
use crate::lang::{Marks, Symbol, SymbolKind, Visibility, words};

/// Words in paths and scopes of test doubles.
const DOUBLES: [&str; 6] = ["fake", "fakes", "mock", "mocks", "stub", "stubs"];

/// Names of scopes that contain tests.
const TEST_SCOPES: [&str; 2] = ["test", "tests"];

/// The precedence of a definition; the lowest comes first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Precedence {
    /// Its group; see [`Group`].
    pub group: Group,
    /// It is not public.
    is_hidden: bool,
}

/// Program code before headings and keys of documents, definitions before declarations, the tree's
/// own sources before tests and test doubles before generated and vendored files, definitions before
/// members and re-exports.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Group {
    is_document: bool,
    is_declared: bool,
    file: u8,
    is_lesser: bool,
}

impl Precedence {
    /// Returns the precedence of a definition as far as its file determines it. Never higher than
    /// that of [`Precedence::of`].
    pub fn of_file(marks: Marks, path: &[u8]) -> Precedence {
        let is_double = is_double(path);
        let file = marks.rank().max(u8::from(is_double));
        let is_declared = marks.declaration;
        let group = Group { is_document: false, is_declared, file, is_lesser: false };
        Precedence { group, is_hidden: false }
    }

    /// Returns the precedence of the definition `symbol` in a file with the precedence `self`.
    #[must_use]
    pub fn of(self, symbol: &Symbol) -> Precedence {
        use SymbolKind::{Key, Prototype, Section, Selector};
        let mut group = self.group;
        group.is_document = matches!(symbol.kind, Section | Key | Selector);
        group.is_declared |= symbol.kind == Prototype;
        group.file = group.file.max(u8::from(is_in_tests(symbol)));
        group.is_lesser = is_lesser(symbol);
        Precedence { group, is_hidden: symbol.visibility != Visibility::Public }
    }

    /// Returns the precedence of a definition; `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Corrupt`] if the index is damaged.
    pub fn at(catalog: &Catalog, at: SymbolAt) -> Result<Option<Precedence>> {
        let Some(symbol) = catalog.symbol(at)? else { return Ok(None) };
        let of_file = Precedence::of_file(catalog.marks(at.file)?, catalog.path(at.file));
        Ok(Some(of_file.of(&symbol)))
    }
}

/// Returns true if a name in `path` contains a word such as `mock`.
fn is_double(path: &[u8]) -> bool {
    let shown = path::shown(path);
    let stem = shown.rsplit_once('.').map_or(shown.as_str(), |(stem, _)| stem);
    let mut names = stem.split(|c: char| !c.is_alphanumeric() && c != '_');
    names.any(|name| {
        words::parts(name)
            .any(|word| DOUBLES.iter().any(|double| word.eq_ignore_ascii_case(double)))
    })
}

/// Returns true if a scope around the symbol is called `tests`, `mocks` or similar.
fn is_in_tests(symbol: &Symbol) -> bool {
    let Some(scopes) = symbol.qualified_name.strip_suffix(symbol.name.as_str()) else {
        return false;
    };
    let mut scopes = scopes.split([':', '.', '#', '/']);
    scopes.any(|scope| TEST_SCOPES.contains(&scope) || DOUBLES.contains(&scope))
}

/// Returns true for a member that holds data, and for another name of the same definition:
/// `type Name = module::Name`, `exports.name = name`.
fn is_lesser(symbol: &Symbol) -> bool {
    use SymbolKind::{Constant, EnumMember, Field, Property, Type, Variable};
    match symbol.kind {
        Field | Property | EnumMember => true,
        Type | Constant | Variable => {
            let of = symbol.type_chain.as_ref();
            of.is_some_and(|chain| chain.named_type().name() == symbol.name)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_double;

    #[test]
    fn test_doubles_are_recognized_by_words_of_their_paths() {
        for path in ["src/fs/mocks.rs", "a/MockServer.java", "fake_clock.py", "x/__mocks__/a.js"] {
            assert!(is_double(path.as_bytes()), "{path}");
        }
        for path in ["src/hammock.rs", "stubborn/a.rs", "a.mock", "src/mockingbird.rs"] {
            assert!(!is_double(path.as_bytes()), "{path}");
        }
    }
}
