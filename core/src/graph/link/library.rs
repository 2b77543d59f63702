//! What the types of each language's standard library give: by a protocol (an index, a loop, `await` …),
//! or by a member. The facts are data, one table for each language in `library/`.
//!
//! A table has sections: a line with the names of types, their parameters and possibly a base, and below
//! it lines of names and of what these give:
//!
//! ```text
//! Vec VecDeque <T> : slice<T>
//!     [] for -> T
//!     pop pop_front -> Option<T>
//! ```
//!
//! - `()` is a call, `[]` is an index, `for` a loop, `await` waiting, `?` unwrapping, `with` entering a block, and `*`
//!   dereferencing: its members count as those of the type.
//! - `.name` is a member that is read without a call, `::name` one of the type itself, and any other name
//!   a method.
//! - `Self` is the type itself, `..` stands for any number of parameters that do not matter, and the
//!   section `every` has members of every type.
//!
//! What a table does not have is unknown: it is never the receiver itself.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::lang::chain::{Protocol, TypeText};

/// The most bases of a type that are followed.
const BASES_MAX: usize = 4;

/// The section with the members of every type.
const EVERY: &str = "every";

/// What is asked of a value of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked<'a> {
    /// What a call of the method of this name returns.
    Method(&'a str),
    /// What a member of this name is, if it is not called.
    Field(&'a str),
    /// What a call of this function of the type itself returns.
    Static(&'a str),
    /// What a call of the value returns.
    Call,
    /// What a protocol gives.
    By(Protocol),
    /// What entering a block with the value gives: `with` of Python.
    Enter,
    /// The value whose members are also those of this one.
    Dereference,
}

/// What else gives the content of a type that does not state what unwrapping gives: chains also unwrap values
/// of which only is known that they contain something.
const CONTENTS: [&str; 3] = ["for", "await", "*"];

/// Returns the sign of a protocol in the tables.
fn sign(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Index => "[]",
        Protocol::Iterate => "for",
        Protocol::Await => "await",
        Protocol::Unwrap => "?",
    }
}

/// What a type gives.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Given {
    /// A value of the type that is written as this argument; `_` if that is not written.
    Argument(String),
    /// A value of a type of the library.
    Type(String),
}

/// The types of one language's library.
pub(super) struct Library {
    sections: Vec<Section>,
    /// The sections of each type.
    types: HashMap<&'static str, Vec<usize>>,
}

struct Section {
    parameters: Vec<&'static str>,
    base: Option<&'static str>,
    /// What each name gives.
    rows: HashMap<&'static str, &'static str>,
}

impl Library {
    /// Reads tables; a type in several of them has what each of them gives, the last first.
    fn read(tables: &[&'static str]) -> Library {
        let mut library = Library { sections: Vec::new(), types: HashMap::new() };
        for line in tables.iter().flat_map(|table| table.lines()) {
            let words = line.trim();
            if words.is_empty() || words.starts_with('#') {
                continue;
            }
            if line.starts_with(' ') {
                let (names, result) = words.split_once(" -> ").unwrap_or((words, "_"));
                let section = library.sections.last_mut();
                section
                    .expect("a table begins with a type")
                    .rows
                    .extend(names.split(' ').map(|name| (name, result)));
                continue;
            }
            let (head, base) = match words.split_once(" : ") {
                Some((head, base)) => (head, Some(base)),
                None => (words, None),
            };
            let (names, parameters) = head.split_once(" <").unwrap_or((head, ""));
            let parameters = parameters.trim_end_matches('>').split(", ");
            let section = Section {
                parameters: parameters.filter(|of| !of.is_empty()).collect(),
                base,
                rows: HashMap::new(),
            };
            for name in names.split(' ') {
                library.types.entry(name).or_default().insert(0, library.sections.len());
            }
            library.sections.push(section);
        }
        library
    }

    /// Returns true if the library has a type of this name.
    pub(super) fn has_type(&self, of: TypeText<'_>) -> bool {
        self.types.contains_key(of.name())
    }

    /// Returns what a value of a written type gives; `None` if that is unknown.
    pub(super) fn result(&self, of: TypeText<'_>, asked: Asked<'_>) -> Option<Given> {
        let (name, prefix) = match asked {
            Asked::Method(name) => (name, ""),
            Asked::Field(name) => (name, "."),
            Asked::Static(name) => (name, "::"),
            Asked::Call => ("()", ""),
            Asked::By(Protocol::Unwrap) => {
                let mut signs = [sign(Protocol::Unwrap)].into_iter().chain(CONTENTS);
                return signs.find_map(|sign| self.given(of, sign, BASES_MAX));
            }
            Asked::By(protocol) => (sign(protocol), ""),
            Asked::Enter => ("with", ""),
            Asked::Dereference => ("*", ""),
        };
        self.given(of, &format!("{prefix}{name}"), BASES_MAX)
    }

    /// Returns true for a method that every type has and that returns its own value.
    pub(super) fn returns_itself(&self, method: &str) -> bool {
        let sections = self.types.get(EVERY).map_or(&[][..], Vec::as_slice);
        sections.iter().any(|&at| self.sections[at].rows.get(method) == Some(&"Self"))
    }

    /// Returns true for a method by which some type gives what it contains.
    pub(super) fn gives_content(&self, method: &str) -> bool {
        self.sections.iter().any(|section| {
            section.rows.get(method).is_some_and(|result| section.parameters.contains(result))
        })
    }

    fn given(&self, of: TypeText<'_>, row: &str, bases_max: usize) -> Option<Given> {
        let sections = self.types.get(of.name()).map_or(&[][..], Vec::as_slice);
        let found = sections.iter().map(|&at| &self.sections[at]).find_map(|section| {
            if let Some(result) = section.rows.get(row) {
                return Some(section.result(of, result));
            }
            let Given::Type(base) = section.result(of, section.base?) else { return None };
            self.given(TypeText::of(&base), row, bases_max.checked_sub(1)?)
        });
        found.or_else(|| {
            let every = self.types.get(EVERY)?.iter().map(|&at| &self.sections[at]);
            every.filter_map(|it| it.rows.get(row).map(|result| it.result(of, result))).next()
        })
    }
}

impl Section {
    /// Returns a result with the arguments of a written type in place of the parameters.
    fn result(&self, of: TypeText<'_>, result: &str) -> Given {
        if result == "Self" {
            return Given::Type(of.text().to_owned());
        }
        let arguments = of.arguments();
        let argument = |parameter: &str| {
            let at = self.parameters.iter().position(|own| *own == parameter)?;
            // Parameters after `..` are the last ones.
            let skipped = match self.parameters.first() {
                Some(&"..") => arguments.len().checked_sub(self.parameters.len() - at),
                _ => Some(at),
            };
            let Some(written) = skipped.and_then(|at| arguments.get(at)) else { return Some("_") };
            // Of an associated type: `Iterator<Item=A>`.
            Some(written.associated().map_or(written.text(), |(_, of)| of.text()))
        };
        if let Some(argument) = argument(result) {
            return Given::Argument(argument.to_owned());
        }
        let mut text = String::with_capacity(result.len());
        let mut rest = result;
        while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
            let end = rest[start..].find(|c: char| !c.is_alphanumeric() && c != '_');
            let end = end.map_or(rest.len(), |end| start + end);
            text.push_str(rest[..start].trim_end());
            text.push_str(argument(&rest[start..end]).unwrap_or(&rest[start..end]));
            rest = &rest[end..];
        }
        text.push_str(rest);
        Given::Type(text)
    }
}

/// Defines a function that returns the library of a language.
macro_rules! libraries {
    ($($name:ident: $($file:literal)*;)+) => {
        $(pub(super) fn $name() -> &'static Library {
            static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
                Library::read(&[$(include_str!(concat!("library/", $file))),*])
            });
            &LIBRARY
        })+
    };
}

libraries! {
    none: ;
    cpp: "cpp.txt";
    csharp: "csharp.txt";
    go: "go.txt";
    java: "java.txt";
    javascript: "javascript.txt";
    kotlin: "java.txt" "kotlin.txt";
    php: "php.txt";
    python: "python.txt";
    ruby: "ruby.txt";
    rust: "rust.txt";
    scala: "scala.txt";
    swift: "swift.txt";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(library: &Library, written: &str, asked: Asked<'_>, expected: &str) {
        let found = match library.result(TypeText::of(written), asked) {
            Some(Given::Argument(of)) => format!("argument {of}"),
            Some(Given::Type(of)) => of,
            None => String::new(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn protocols_give_elements() {
        check(python(), "dict<str,Leaf>", Asked::By(Protocol::Index), "argument Leaf");
        check(python(), "dict<str,Leaf>", Asked::By(Protocol::Iterate), "argument str");
        check(python(), "Coroutine<Leaf>", Asked::By(Protocol::Await), "argument Leaf");
        check(python(), "Coroutine<Any,Any,Leaf>", Asked::By(Protocol::Await), "argument Leaf");
        check(python(), "Generator<Leaf,None,None>", Asked::By(Protocol::Iterate), "argument Leaf");
        check(python(), "list", Asked::By(Protocol::Index), "argument _");
        check(rust(), "Iterator<Item=Leaf>", Asked::By(Protocol::Iterate), "argument Leaf");
        check(rust(), "Result<Leaf,Error>", Asked::By(Protocol::Unwrap), "argument Leaf");
        check(csharp(), "Task<Leaf>", Asked::By(Protocol::Index), "");
        check(csharp(), "Unknown<Leaf>", Asked::By(Protocol::Unwrap), "");
        check(rust(), "Iterator<Leaf>", Asked::By(Protocol::Unwrap), "argument Leaf");
    }

    #[test]
    fn members_give_results() {
        check(rust(), "std.Vec<Leaf>", Asked::Method("pop"), "Option<Leaf>");
        check(rust(), "VecDeque<Leaf>", Asked::Method("remove"), "Option<Leaf>");
        check(rust(), "VecDeque<Leaf>", Asked::Method("iter"), "Iterator<Leaf>");
        check(rust(), "Vec<Leaf>", Asked::Method("sort"), "");
        check(rust(), "Other<Leaf>", Asked::Method("clone"), "Other<Leaf>");
        check(java(), "Map<K,V<A,B>>", Asked::Method("entrySet"), "Set<Entry<K,V<A,B>>>");
        check(kotlin(), "List<Leaf>", Asked::Method("stream"), "Stream<Leaf>");
        check(kotlin(), "Map<String,Leaf>", Asked::Field("values"), "Collection<Leaf>");
        check(kotlin(), "Map<String,Leaf>", Asked::Method("putIfAbsent"), "argument Leaf");
    }

    /// No section is empty, and no result is an unknown parameter.
    #[test]
    fn tables_are_well_formed() {
        let all = [
            cpp(),
            csharp(),
            go(),
            java(),
            javascript(),
            kotlin(),
            php(),
            python(),
            ruby(),
            rust(),
            scala(),
            swift(),
        ];
        for section in all.iter().flat_map(|library| &library.sections) {
            assert!(!section.rows.is_empty() || section.base.is_some());
            let is_known = |result: &&str| {
                let is_parameter = result.len() == 1 && result.chars().all(char::is_uppercase);
                !is_parameter || section.parameters.contains(result)
            };
            assert!(section.rows.values().all(is_known));
        }
    }
}
