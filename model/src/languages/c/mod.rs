//! C: one name space of the tree, files with static names, includes.

#[cfg(feature = "lower")]
mod lower;

use crate::ir::Literal;
use crate::ir::codec::Needs;
use crate::rules::{Arguments, MemberSources, Module, Rules, Tree, Visible, relative};

/// The rules.
pub(super) struct Language;

/// Returns the files that `#include` of `specifier` leads to: from the folder of the file that
/// writes it, otherwise by the end of their paths.
pub(super) fn included(specifier: &str, from: &str, tree: &Tree) -> Module {
    let near = relative(from, specifier);
    if let Some(at) = tree.paths.iter().position(|path| **path == *near) {
        return Module::Files(vec![at]);
    }
    let specifier = specifier.trim_start_matches("../").trim_start_matches("./");
    let is_it = |path: &str| path == specifier || path.ends_with(&format!("/{specifier}"));
    let all = tree.paths.iter().enumerate().filter(|(_, path)| is_it(path));
    Module::Files(all.map(|(at, _)| at).collect())
}

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible {
            members: false,
            type_scopes: false,
            siblings: false,
            tree: true,
            imports_are_members: true,
            ..Visible::default()
        }
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources { dereferences: true, ..MemberSources::default() }
    }

    fn module(&self, specifier: &str, from: &str, tree: &Tree) -> Module {
        included(specifier, from, tree)
    }

    /// As a current compiler does on Linux.
    fn defined(&self, symbol: &str) -> Option<bool> {
        const YES: [&str; 12] = [
            "__ELF__",
            "__GNUC__",
            "__LP64__",
            "__STDC__",
            "__STDC_VERSION__",
            "__amd64__",
            "__linux__",
            "__unix__",
            "__x86_64__",
            "linux",
            "unix",
            "__STDC_HOSTED__",
        ];
        const NO: [&str; 12] = [
            "WIN32",
            "_WIN32",
            "_WIN64",
            "_MSC_VER",
            "__APPLE__",
            "__BORLANDC__",
            "__CYGWIN__",
            "__MINGW32__",
            "__WATCOMC__",
            "__cplusplus",
            "__i386__",
            "MSDOS",
        ];
        if YES.contains(&symbol) {
            return Some(true);
        }
        NO.contains(&symbol).then_some(false)
    }

    fn arguments(&self) -> Arguments {
        Arguments { by_name: true, ..Arguments::default() }
    }

    /// There are no overloads: whatever is passed is taken.
    fn convert(&self, _from: &str, _to: &str) -> Option<u8> {
        Some(1)
    }

    /// There are no overloads, and all but functions states its type.
    fn needs(&self) -> Needs {
        Needs {
            shapes: false,
            only_functions: true,
            plain_types: &[
                "void",
                "_Bool",
                "bool",
                "char",
                "int",
                "long",
                "short",
                "float",
                "double",
                "unsigned",
                "signed",
                "signed char",
                "unsigned char",
                "unsigned short",
                "unsigned int",
                "unsigned long",
                "long long",
                "unsigned long long",
                "size_t",
                "ssize_t",
                "ptrdiff_t",
                "intptr_t",
                "uintptr_t",
                "int8_t",
                "int16_t",
                "int32_t",
                "int64_t",
                "uint8_t",
                "uint16_t",
                "uint32_t",
                "uint64_t",
            ],
            ..Needs::ALL
        }
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "char_array",
            Literal::Float => "double",
            Literal::Integer | Literal::Boolean | Literal::Null => "int",
        }
    }

    #[cfg(feature = "lower")]
    fn lowering(&self) -> Option<&'static dyn crate::lower::Lowers> {
        Some(&Lowering)
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }
}

/// Syntax trees into facts.
#[cfg(feature = "lower")]
struct Lowering;

#[cfg(feature = "lower")]
impl crate::lower::Lowers for Lowering {
    fn extensions(&self) -> &'static [&'static str] {
        &["c", "h"]
    }

    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_c::LANGUAGE.into()
    }

    fn lower(&self, path: &str, text: &[u8], tree: &tree_sitter::Tree) -> crate::ir::File {
        lower::lower(path, text, tree)
    }
}
