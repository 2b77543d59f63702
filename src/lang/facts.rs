//! Facts: what one file's text says by itself, before anything is known of other files. The linker
//! (`graph/`) makes answers of the facts of many files.

use std::ops::Range;

use serde::Serialize;

pub use super::chain::{CHAIN_BYTES_MAX, Chain};
use super::parse::Problems;
use super::symbols::Symbol;

/// How an identifier is used where it occurs.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It is called: functions, methods, constructors, macros, decorators.
    Call,
    /// It stands for a type.
    Type,
    /// It is a type that another one extends or implements.
    Base,
    /// Its value is used, without being called here: a function passed on, a constant, a field.
    Read,
    /// It is assigned to.
    Write,
    /// It is imported by name.
    Import,
}

impl Role {
    /// Every role; a role's place is its code in the index.
    pub const ALL: [Role; 6] =
        [Role::Call, Role::Type, Role::Base, Role::Read, Role::Write, Role::Import];
}

/// An occurrence of an identifier in code that does not stand for a local variable or a parameter.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reference {
    /// The bytes of the identifier.
    pub span: Range<usize>,
    /// How it is used.
    pub role: Role,
    /// What it is a member of; `None` for a name that stands alone, `[`Root::Unknown`](super::chain::Root) where
    /// the expression before it has no chain.
    pub receiver: Option<Chain>,
    /// The symbol around it: its place among the file's symbols.
    pub enclosing: Option<usize>,
    /// With [`Role::Call`]: the number of arguments.
    pub arguments: Option<u8>,
}

/// How an import names what it imports.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// A module as a whole or names from it: `import a.b`, `from a import b`, `use a::b`,
    /// `import {b} from "a"`, `require("a")`.
    Module,
    /// The same, and others may import it from here: `export … from`, `pub use`. Where the module is
    /// empty, the file exports something of its own under another name: `export {a as b}`,
    /// `export default a`, `module.exports = {a}`.
    ReExport,
    /// A file to be found along the include path: `#include <a.h>`.
    SystemInclude,
    /// A file to be found next to this one first: `#include "a.h"`, Ruby's `require_relative`.
    LocalInclude,
    /// A module of this one that lies in a file of its own: Rust's `mod a;`.
    Submodule,
    /// Loaded while the program runs, from a literal: `import("a")`.
    Dynamic,
    /// Loaded by what a variable holds; `module` is its name.
    DynamicVariable,
    /// Loaded by a text with something put in; `module` is it as written.
    DynamicTemplate,
    /// Loaded by texts put together; `module` is the expression.
    DynamicConcatenation,
    /// Loaded by one of several: one such import for each literal.
    DynamicConditional,
    /// Loaded by evaluated code.
    DynamicEval,
}

impl ImportKind {
    /// Every kind; a kind's place is its code in the index.
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

/// An import as it is written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Import {
    /// The bytes of the statement or call.
    pub span: Range<usize>,
    /// Its first line, from 1.
    pub line: usize,
    /// How it names what it imports.
    pub kind: ImportKind,
    /// What is imported from, as the language writes it, without quotes and brackets: `./a`,
    /// `..pkg.a`, `crate::a::b`, `linux/mm.h`, `java.util`.
    pub module: String,
    /// What is imported from it under which name; empty where nothing is bound (a bare
    /// `import "x"`, an include).
    pub names: Vec<ImportedName>,
}

/// One name that an import binds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ImportedName {
    /// The name there; empty for the module itself, `*` for all that it has, `default` for what
    /// JavaScript exports so.
    pub name: String,
    /// The name here; the same unless it is renamed, empty with `*`. Of Python's `import a.b` it
    /// is `a.b`.
    pub alias: String,
}

/// What one file's text says by itself.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Facts {
    /// Definitions in the order of the text; one comes after the one that it lies in.
    pub symbols: Vec<Symbol>,
    /// Uses of names in the order of the text.
    pub references: Vec<Reference>,
    /// Imports in the order of the text.
    pub imports: Vec<Import>,
    /// The package or namespace that the file says it is of: `com.example.a`, Go's `http`.
    pub package: Option<String>,
    /// Why something may be missing.
    pub problems: Problems,
}
