//! Facts: what the text of one file states, independently of other files. The linker (`graph/`)
//! combines the facts of many files.

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use super::chain::{CHAIN_BYTES_MAX, Chain};
use super::parse::Problems;
use super::symbols::Symbol;
use super::syntax_errors::SyntaxErrors;

/// The role of an identifier at one occurrence.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It is called: functions, methods, constructors, macros, decorators.
    Call,
    /// It names a type.
    Type,
    /// It names a base: a type that another one extends or implements.
    Base,
    /// Its value is used without being called here: a function passed as a value, a constant, a
    /// field.
    Read,
    /// It is assigned to.
    Write,
    /// It is imported by name.
    Import,
}

impl Role {
    /// Every role; a role's position is its code in the index.
    pub const ALL: [Role; 6] =
        [Role::Call, Role::Type, Role::Base, Role::Read, Role::Write, Role::Import];
}

/// A use of an identifier that is not a local variable or a parameter.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reference {
    /// The bytes of the identifier.
    pub span: Range<usize>,
    /// Its role.
    pub role: Role,
    /// The chain of the value or type that it is a member of; `None` for a bare name,
    /// [`Root::Unknown`](super::chain::Root) if the expression before it has no chain.
    pub receiver: Option<Chain>,
    /// The enclosing symbol: its position among the file's symbols.
    pub enclosing: Option<usize>,
    /// The number of arguments, for [`Role::Call`].
    pub arguments: Option<u8>,
}

/// How an import refers to what it imports.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// A module as a whole, or names from it: `import a.b`, `from a import b`, `use a::b`, `import
    /// {b} from "a"`, `require("a")`.
    Module,
    /// The same, and other files may import it from here: `export … from`, `pub use`. With an empty
    /// module, the file exports a name of its own under another name: `export {a as b}`, `export
    /// default a`, `module.exports = {a}`.
    ReExport,
    /// A file that is searched along the include path: `#include <a.h>`.
    SystemInclude,
    /// A file that is searched next to this one first: `#include "a.h"`, Ruby's `require_relative`.
    LocalInclude,
    /// A submodule in a file of its own: Rust's `mod a;`.
    Submodule,
    /// A dynamic import of a literal: `import("a")`.
    Dynamic,
    /// A dynamic import of a variable's value; `module` is the variable's name.
    DynamicVariable,
    /// A dynamic import of a template; `module` is the template as written.
    DynamicTemplate,
    /// A dynamic import of a concatenation; `module` is the expression.
    DynamicConcatenation,
    /// A dynamic import of one of several literals: one such import for each.
    DynamicConditional,
    /// A dynamic import by evaluated code.
    DynamicEval,
}

impl ImportKind {
    /// Every kind; a kind's position is its code in the index.
    pub const ALL: [ImportKind; 11] = [
        ImportKind::Module,
        ImportKind::ReExport,
        ImportKind::SystemInclude,
        ImportKind::LocalInclude,
        ImportKind::Submodule,
        ImportKind::Dynamic,
        ImportKind::DynamicVariable,
        ImportKind::DynamicTemplate,
        ImportKind::DynamicConcatenation,
        ImportKind::DynamicConditional,
        ImportKind::DynamicEval,
    ];
}

/// An import as written in the source.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Import {
    /// The bytes of the statement or call.
    pub span: Range<usize>,
    /// The first line, from 1.
    pub line: usize,
    /// How it refers to what it imports.
    pub kind: ImportKind,
    /// The module as the language writes it, without quotes and brackets: `./a`, `..pkg.a`,
    /// `crate::a::b`, `linux/mm.h`, `java.util`.
    pub module: String,
    /// The imported names; empty if the import binds none (a bare `import "x"`, an include).
    pub names: Vec<ImportedName>,
}

/// One name that an import binds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ImportedName {
    /// The name in the module; empty for the module itself, `*` for all its names, `default` for a
    /// default export of JavaScript.
    pub name: String,
    /// The name in this file; the same unless it is renamed, empty with `*`. For Python's `import
    /// a.b` it is `a.b`.
    pub alias: String,
}

/// The facts of one file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Facts {
    /// Definitions in the order of the text; a definition follows the one that encloses it.
    pub symbols: Vec<Symbol>,
    /// References in source order.
    pub references: Vec<Reference>,
    /// Imports in source order.
    pub imports: Vec<Import>,
    /// The package or namespace that the file declares: `com.example.a`, Go's `http`.
    pub package: Option<String>,
    /// Why facts may be missing.
    pub problems: Problems,
    /// The parts that the parser does not understand.
    pub errors: SyntaxErrors,
}
