//! The kinds that count in each language, on either side.

use codedb::lang::SymbolKind;

use Group::{Callable, Type, Variable};

/// The group of a definition; both sides must agree on it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Group {
    /// A function or method.
    Callable,
    /// A class, struct, interface, alias or other type, or a module of such.
    Type,
    /// A variable, in languages that have nothing else.
    Variable,
}

/// A language and its name in ctags.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// Our languages whose files are read.
    pub(crate) ours: &'static [&'static str],
    pub(crate) ctags: &'static str,
    /// Additional arguments of ctags.
    pub(crate) flags: &'static [&'static str],
    /// ctags's kinds that count.
    kinds: &'static [(&'static str, Group)],
    /// ctags's kinds that confirm our definitions, but are not required.
    optional: &'static [(&'static str, Group)],
    /// Our kinds that count in addition to those that count in every language.
    also: &'static [(SymbolKind, Group)],
    /// Our kinds that confirm ctags's definitions, but are not required.
    more: &'static [(SymbolKind, Group)],
    /// Whether functions and types are distinguished; false if a function can be a type in the
    /// language.
    tells_groups: bool,
    /// Whether functions consist of consecutive clauses, of which only the first one counts.
    pub(crate) has_clauses: bool,
    /// Only the part of a name after the last of these characters counts.
    separators: &'static [char],
}

/// Our kinds that count in every language. A row's `more` overrides them; other kinds have no
/// group.
fn group_of(kind: SymbolKind) -> Option<Group> {
    use SymbolKind::*;
    match kind {
        Function | Method | Constructor => Some(Callable),
        Module | Class | Struct | Union | Enum | Interface | Trait | Type => Some(Group::Type),
        _ => None,
    }
}

/// Returns the row of that name; the error lists all rows.
pub(crate) fn row_named(name: &str) -> Result<&'static Row, String> {
    ROWS.iter().find(|row| row.name == name).ok_or_else(|| {
        let known: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        format!("unknown language `{name}`; valid: {}", known.join(", "))
    })
}

impl Row {
    /// Returns the group of ctags's kind, and whether it is optional.
    pub(crate) fn theirs(&self, kind: &str) -> Option<(Group, bool)> {
        let of = |kinds: &[(&str, Group)]| kinds.iter().find(|known| known.0 == kind).map(|k| k.1);
        match of(self.kinds) {
            Some(group) => Some((self.group(group), false)),
            None => of(self.optional).map(|group| (self.group(group), true)),
        }
    }

    /// Returns the group of our kind, and whether it is optional.
    pub(crate) fn ours(&self, kind: SymbolKind) -> Option<(Group, bool)> {
        match self.more.iter().find(|(known, _)| *known == kind) {
            Some((_, group)) => Some((self.group(*group), true)),
            None => {
                let also = self.also.iter().find(|(known, _)| *known == kind);
                let group = also.map_or_else(|| group_of(kind), |(_, group)| Some(*group));
                group.map(|group| (self.group(group), false))
            }
        }
    }

    fn group(&self, group: Group) -> Group {
        if self.tells_groups { group } else { Callable }
    }

    /// Returns the normalised name: its last part, without spaces and quotes.
    pub(crate) fn plain(&self, name: &str) -> String {
        let last = name.rsplit(self.separators).find(|part| !part.is_empty()).unwrap_or(name);
        last.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`')).collect()
    }
}

/// The defaults of most rows.
const PLAIN: Row = Row {
    name: "",
    ours: &[],
    ctags: "",
    flags: &[],
    kinds: &[],
    optional: &[],
    also: &[],
    more: &[],
    tells_groups: true,
    has_clauses: false,
    separators: &[],
};

const JAVASCRIPT: Row = Row {
    name: "javascript",
    ours: &["javascript"],
    ctags: "JavaScript",
    kinds: &[
        ("function", Callable),
        ("class", Type),
        ("method", Callable),
        ("generator", Callable),
        ("getter", Callable),
        ("setter", Callable),
    ],
    more: &[(SymbolKind::Property, Callable)],
    tells_groups: false,
    ..PLAIN
};

/// The defaults of the rows with manual lists.
const KEYED: Row = Row {
    kinds: &[
        ("function", Callable),
        ("method", Callable),
        ("type", Type),
        ("target", Callable),
        ("macro", Callable),
        ("variable", Variable),
    ],
    ..PLAIN
};

/// All rows.
pub(crate) static ROWS: &[Row] = &[
    Row {
        name: "python",
        ours: &["python"],
        ctags: "Python",
        kinds: &[("class", Type), ("function", Callable), ("member", Callable)],
        more: &[(SymbolKind::Property, Callable)],
        ..PLAIN
    },
    JAVASCRIPT,
    Row { name: "flow", ours: &["flow"], ..JAVASCRIPT },
    Row {
        name: "typescript",
        ours: &["typescript", "tsx"],
        ctags: "TypeScript",
        kinds: &[
            ("function", Callable),
            ("generator", Callable),
            ("method", Callable),
            ("class", Type),
            ("interface", Type),
            ("enum", Type),
            ("namespace", Type),
            ("alias", Type),
        ],
        more: &[(SymbolKind::Property, Callable)],
        ..PLAIN
    },
    Row {
        name: "go",
        ours: &["go"],
        ctags: "Go",
        kinds: &[
            ("func", Callable),
            ("methodSpec", Callable),
            ("type", Type),
            ("struct", Type),
            ("interface", Type),
            ("talias", Type),
        ],
        more: &[(SymbolKind::Prototype, Callable)],
        ..PLAIN
    },
    Row {
        name: "rust",
        ours: &["rust"],
        ctags: "Rust",
        kinds: &[
            ("function", Callable),
            ("method", Callable),
            ("module", Type),
            ("struct", Type),
            ("interface", Type),
            ("enum", Type),
            ("typedef", Type),
        ],
        more: &[(SymbolKind::Prototype, Callable)],
        ..PLAIN
    },
    Row {
        name: "java",
        ours: &["java"],
        ctags: "Java",
        kinds: &[
            ("annotation", Type),
            ("class", Type),
            ("enum", Type),
            ("interface", Type),
            ("method", Callable),
        ],
        more: &[(SymbolKind::Module, Type), (SymbolKind::Prototype, Callable)],
        ..PLAIN
    },
    Row {
        name: "c",
        ours: &["c"],
        ctags: "C",
        kinds: &[
            ("function", Callable),
            ("struct", Type),
            ("union", Type),
            ("enum", Type),
            ("typedef", Type),
        ],
        ..PLAIN
    },
    Row {
        name: "cpp",
        ours: &["cpp"],
        ctags: "C++",
        flags: &["--kinds-C++=+p"],
        kinds: &[
            ("function", Callable),
            ("prototype", Callable),
            ("class", Type),
            ("struct", Type),
            ("union", Type),
            ("enum", Type),
            ("typedef", Type),
            ("namespace", Type),
        ],
        more: &[(SymbolKind::Prototype, Callable)],
        ..PLAIN
    },
    Row {
        name: "csharp",
        ours: &["csharp"],
        ctags: "C#",
        kinds: &[
            ("class", Type),
            ("enum", Type),
            ("interface", Type),
            ("struct", Type),
            ("namespace", Type),
            ("method", Callable),
        ],
        optional: &[("typedef", Type)],
        separators: &['.'],
        ..PLAIN
    },
    Row {
        name: "php",
        ours: &["php"],
        ctags: "PHP",
        kinds: &[("class", Type), ("interface", Type), ("trait", Type), ("function", Callable)],
        optional: &[("namespace", Type)],
        more: &[(SymbolKind::Prototype, Callable), (SymbolKind::Module, Type)],
        ..PLAIN
    },
    Row {
        name: "ruby",
        ours: &["ruby"],
        ctags: "Ruby",
        kinds: &[
            ("class", Type),
            ("module", Type),
            ("method", Callable),
            ("singletonMethod", Callable),
        ],
        more: &[(SymbolKind::Property, Callable)],
        separators: &['.', ':'],
        ..PLAIN
    },
    Row {
        name: "kotlin",
        ours: &["kotlin"],
        ctags: "Kotlin",
        kinds: &[
            ("class", Type),
            ("interface", Type),
            ("object", Type),
            ("typealias", Type),
            ("method", Callable),
        ],
        more: &[(SymbolKind::Constructor, Callable)],
        separators: &['.'],
        ..PLAIN
    },
    Row {
        name: "lua",
        ours: &["lua"],
        ctags: "Lua",
        kinds: &[("function", Callable)],
        separators: &['.', ':'],
        ..PLAIN
    },
    Row { name: "bash", ours: &["bash"], ctags: "Sh", kinds: &[("function", Callable)], ..PLAIN },
    Row {
        name: "r",
        ours: &["r"],
        ctags: "R",
        kinds: &[("function", Callable)],
        more: &[
            (SymbolKind::Method, Callable),
            (SymbolKind::Class, Type),
            (SymbolKind::Type, Type),
        ],
        ..PLAIN
    },
    Row {
        name: "haskell",
        ours: &["haskell"],
        ctags: "Haskell",
        kinds: &[("type", Type), ("function", Callable)],
        optional: &[("constructor", Type), ("module", Type)],
        // ctags does not support classes and instances, and takes values for functions.
        more: &[
            (SymbolKind::Method, Callable),
            (SymbolKind::Constructor, Callable),
            (SymbolKind::Constant, Callable),
            (SymbolKind::Variable, Callable),
            (SymbolKind::Field, Callable),
            (SymbolKind::Trait, Type),
        ],
        has_clauses: true,
        separators: &['.'],
        ..PLAIN
    },
    Row {
        name: "elixir",
        ours: &["elixir"],
        ctags: "Elixir",
        kinds: &[("module", Type), ("protocol", Type), ("type", Type), ("function", Callable)],
        optional: &[
            ("macro", Callable),
            ("guard", Callable),
            ("delegate", Callable),
            ("operator", Callable),
            ("exception", Type),
            ("implementation", Type),
            ("test", Callable),
        ],
        separators: &['.'],
        has_clauses: true,
        ..PLAIN
    },
    Row {
        name: "cmake",
        ours: &["cmake"],
        ctags: "CMake",
        kinds: &[("function", Callable), ("macro", Callable)],
        more: &[(SymbolKind::Macro, Callable), (SymbolKind::Module, Type)],
        ..PLAIN
    },
    Row {
        name: "protobuf",
        ours: &["protobuf"],
        ctags: "Protobuf",
        kinds: &[("message", Type), ("enum", Type), ("service", Type), ("rpc", Callable)],
        ..PLAIN
    },
    Row {
        name: "sql",
        ours: &["sql"],
        ctags: "SQL",
        kinds: &[("function", Callable), ("procedure", Callable), ("table", Type), ("view", Type)],
        optional: &[
            ("trigger", Callable),
            ("domain", Type),
            ("subtype", Type),
            ("package", Type),
            ("trigger", Callable),
        ],
        more: &[(SymbolKind::Table, Type), (SymbolKind::Type, Type), (SymbolKind::Module, Type)],
        separators: &['.'],
        ..PLAIN
    },
    Row { name: "scala", ours: &["scala"], ..KEYED },
    Row { name: "swift", ours: &["swift"], ..KEYED },
    Row { name: "zig", ours: &["zig"], also: &[(SymbolKind::Prototype, Callable)], ..KEYED },
    Row {
        name: "dart",
        ours: &["dart"],
        also: &[(SymbolKind::Property, Callable), (SymbolKind::Prototype, Callable)],
        ..KEYED
    },
    Row {
        name: "ocaml",
        ours: &["ocaml", "ocaml-interface"],
        also: &[(SymbolKind::Prototype, Callable)],
        ..KEYED
    },
    Row {
        name: "objective-c",
        ours: &["objective-c"],
        also: &[(SymbolKind::Prototype, Callable)],
        // A category or implementation extends a type, and is not a type itself.
        more: &[(SymbolKind::Impl, Type)],
        ..KEYED
    },
    Row {
        name: "make",
        ours: &["make"],
        also: &[
            (SymbolKind::Target, Callable),
            (SymbolKind::Macro, Callable),
            (SymbolKind::Variable, Variable),
        ],
        ..KEYED
    },
];
