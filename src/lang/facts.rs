//! Facts: what one file's text says by itself, before anything is known of other files. The linker
//! (`graph/`) makes answers of the facts of many files.

use std::ops::Range;

use serde::Serialize;

use super::parse::Problems;
use super::symbols::Symbol;

/// Bytes of a [`Chain`]; a longer one is left out.
pub const CHAIN_BYTES_MAX: usize = 120;

/// How a value or type comes about, as far as the file says; the linker follows it.
///
/// ```text
/// chain := root step*
/// root  := NAME        what this name stands for here: a class, module, function, import, global;
///                      never a local variable, which its own chain stands for instead
///        | "@" TYPE    a value of the type of that name; TYPE is NAME ("." NAME)*, perhaps with
///                      arguments: "@List<User>", "@Map<String,User>"
///        | "$"         the instance that the enclosing method belongs to (`self`, `this`)
///        | "$$"        the same as its base type sees it (`super`)
/// step  := "." NAME    a member
///        | "()"        what a call of it returns; of a class, a new instance
///        | "[]"        an element of it; also what it yields, holds or awaits
///        | "(" N ")"   what its parameter N is, counted from 0
/// ```
///
/// `conn = Pool().get(); conn.send()` gives `send` the receiver `Pool().get()`;
/// `def f(c: Conn): c.send()` gives it `@Conn`; `self.conn.send()` gives `$.conn`. Separators are
/// `.` in every language; references, pointers, nullability and white space are left out.
///
/// Particular to some languages:
///
/// - Rust: `Box`, `Rc`, `Arc`, `Pin`, `Cow` and guards count as pointers. `Self` stands for the type
///   of the implementation or trait around (`Self.new()`, `@Self`, `@Result<Self,Error>`); what
///   returns it alone returns `$`. What an `async fn` returns is `@Future<…>`, so that `.await` is
///   `[]` as `?` and `unwrap()` are. `clone()`, `map_err()` and others that change nothing
///   but the container are left out. `**self` is `$.deref()`. Parameters of closures are
///   elements of what `map` and the like are called on, or what the called function hands to its
///   parameter: `run(|job| …)` gives `job` the chain `run(0)(0)`. Parts of tuples are members named by their places: `pair.0`,
///   which are fields of tuple structs and
///   variants; what a pattern binds is a member of its path: `Shape.Round.0`. Tuples are `@tuple<A,B>`, slices and arrays
///   `@slice<A>`; a type parameter is its first bound, an argument that is not known `_`.
/// - Go: slices and arrays are `@slice<A>`, maps `@map<K,V>`, channels `@chan<A>`; of a call with
///   several results the first is meant. A method's receiver is `$`; an embedded field is a base of
///   its struct, and a field named by its type.
/// - Python: `Optional[A]`, `A | None`, `Annotated[A, …]` are `@A`, of other alternatives there is the
///   first; `type[A]` and the first parameter of a class method are the class, `A`. A class that is
///   called gives `A()`. What an `async def` returns is `@Coroutine<A>`, what a generator without an
///   annotation does `@Iterator<A>`. `with f() as x` gives `f()[]`, but `with A() as x` gives `A()`.
///   What is unpacked are members named by their places, as with Rust's tuples.
/// - JavaScript and TypeScript: `null`, `undefined` and literals among alternatives are left out;
///   `Partial<A>` and the like are `@A`, `A[]` is `@Array<A>`. `A.prototype` is `@A`, and so is `this`
///   in a function assigned to one. Parameters of callbacks of `map`, `forEach`, `then` and the like
///   are elements of what these are called on; those of others are what the called function hands
///   to its parameter: `run((job) => …)` gives `job` the chain `run(0)(0)`. `super(…)` is a call of `super` with the receiver `$$`.
/// - Values of literals have their types: `@str`, `@int`, `@list`, `@dict`; `@string`, `@Array`.
/// - Java: arrays are `@slice<A>`; `new Type()` is a call of `Type` and `@Type`; `super(…)` and
///   `this(…)` are calls of these words on `$$` and `$`. A name that is not local may be a field of
///   the types around.
/// - C has no chains: a member that is called has the receiver `?`, others are no references. Of a
///   macro whose body is one name the chain is that name.
/// - C++: `unique_ptr`, `shared_ptr`, `optional` and their like count as pointers; casts and
///   `make_unique<A>()` are `@A`. Types made by macros or `auto` returns are unknown.
/// - Ruby: `Type.new` is `@Type`; `@name` is the member `name` of `$`, but a reference's span has its
///   sign. A bare name is a call. What `include` names is a base.
///
/// Methods that standard libraries have and that give the same container or an element of it are
/// written as nothing or `[]` where their names say enough (`iter`, `stream`, `unwrap`, `orElse`).
/// For the others a linker does well to take an unknown member of a type from elsewhere that has
/// arguments, once it is called, as the type itself: `@Vec<Item>.get()[]` is an `Item`.
pub type Chain = String;

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
    /// What it is a member of; `None` for a name that stands alone, `Some("?")` where there is
    /// something before it but nothing is known of it.
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
