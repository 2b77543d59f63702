//! The parts of a bundle, as plain data.

use serde::Serialize;

use crate::lang::{Marks, SymbolKind};

/// A name or text of the task that was looked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keyword {
    /// As the task writes it.
    pub text: String,
    /// What it was taken for.
    pub kind: &'static str,
    /// Nothing of that name is in the tree.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_unknown: bool,
    /// What is called nearly so, where nothing is called so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}

/// A definition that the task is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The name with those of the scopes around it, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified_name: Option<String>,
    /// What sort of definition it is.
    pub kind: SymbolKind,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// The definition up to its body, on one line; a long one is cut, which `…` tells. Empty where
    /// the place alone is told.
    pub signature: String,
    /// The first line of its documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// It differs from what the task compares with.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_changed: bool,
    /// What the file is told to be.
    #[serde(flatten)]
    pub marks: Marks,
    /// Its lines, whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// A file that the task is likely about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// How well it fits; comparable within one bundle only.
    pub score: f32,
    /// What speaks for it, the strongest first.
    pub why: Vec<String>,
}

/// Lines of a file, as they are on disk; of a long line the start, which `…` tells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snippet {
    /// The file's repository path.
    pub path: String,
    /// The first line, from 1.
    pub start_line: usize,
    /// The last line.
    pub end_line: usize,
    /// The lines.
    pub text: String,
    /// The definition around them.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub around: Option<String>,
}

/// Which end of calls is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// What calls the definition, and where it does.
    Caller,
    /// What the definition calls, and where that is defined.
    Callee,
}

/// Calls of a definition from one file, or calls that it makes of what one file defines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calls {
    /// The definition.
    pub of: String,
    /// What the others are to it.
    pub role: Role,
    /// The file of the others.
    pub path: String,
    /// The others.
    pub sites: Vec<Site>,
}

/// One end of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Site {
    /// What calls or is called.
    pub name: String,
    /// The line of the call, or of what is called, from 1.
    pub line: usize,
}

/// A file of tests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Test {
    /// Its repository path.
    pub path: String,
    /// Why it is taken to be about the files.
    pub why: &'static str,
    /// How that is known: nobody ran it.
    pub basis: &'static str,
    /// The command that runs it from the root, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// How many entries of each part were found and left out.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct LeftOut {
    /// Definitions.
    pub symbols: usize,
    /// Files.
    pub files: usize,
    /// Snippets.
    pub snippets: usize,
    /// Files with callers or callees.
    pub calls: usize,
    /// Tests.
    pub tests: usize,
}

impl LeftOut {
    /// Returns the number of all.
    pub fn total(self) -> usize {
        self.symbols + self.files + self.snippets + self.calls + self.tests
    }
}

/// What was composed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bundle {
    /// What is to be said where nothing was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What was looked for.
    pub keywords: Vec<Keyword>,
    /// Definitions of names that the task mentions, and those that its words lead to.
    pub symbols: Vec<Symbol>,
    /// Files, best first.
    pub files: Vec<File>,
    /// Lines worth reading first.
    pub snippets: Vec<Snippet>,
    /// Calls from and to the definitions.
    pub calls: Vec<Calls>,
    /// Tests of the files.
    pub tests: Vec<Test>,
    /// Tokens of the reply.
    pub tokens: usize,
    /// Tokens that were allowed.
    pub budget: usize,
    /// Entries that were found and left out.
    pub omitted: usize,
    /// About what these would cost.
    pub omitted_tokens: usize,
    /// Of which parts they are.
    #[serde(skip)]
    pub left_out: LeftOut,
}

/// An entry that may be shown.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Symbol(Symbol),
    File(File),
    Snippet(Snippet),
    Calls(Calls),
    Test(Test),
}

impl Bundle {
    /// Adds an entry to its part.
    pub(super) fn push(&mut self, entry: Entry) {
        match entry {
            Entry::Symbol(symbol) => self.symbols.push(symbol),
            Entry::File(file) => self.files.push(file),
            Entry::Snippet(snippet) => self.snippets.push(snippet),
            Entry::Calls(calls) => self.calls.push(calls),
            Entry::Test(test) => self.tests.push(test),
        }
    }

    /// Returns false if it leads nowhere.
    pub fn is_found(&self) -> bool {
        !self.files.is_empty() || !self.symbols.is_empty()
    }
}
