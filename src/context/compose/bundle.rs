//! The parts of a bundle, as plain data.

use serde::Serialize;

use crate::lang::{Marks, SymbolKind};

/// A name or text of the task that was looked up.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keyword {
    /// The text as written in the task.
    pub text: String,
    /// The kind: `name`, `path`, `glob`, `frame` or `word`.
    pub kind: &'static str,
    /// True if the tree contains nothing of that name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_unknown: bool,
    /// Similar names, for an unknown one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<String>,
}

/// A definition relevant to the task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The name qualified by its enclosing scopes, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub qualified_name: Option<String>,
    /// The kind of definition.
    pub kind: SymbolKind,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// The definition up to its body, on one line, truncated with `…` if long. Empty in the
    /// shortest form.
    pub signature: String,
    /// The first line of its documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// True if the definition is part of the change that the task is about.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_changed: bool,
    /// The classification of the file.
    #[serde(flatten)]
    pub marks: Marks,
    /// The complete text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// True if no other definition has this qualified name, or one that ends with it.
    #[serde(skip)]
    pub is_unique: bool,
}

impl Symbol {
    /// Returns true if the complete text contains the lines of a snippet.
    fn shows(&self, snippet: &Snippet) -> bool {
        self.body.is_some()
            && self.path == snippet.path
            && (self.line..=self.end_line).contains(&snippet.start_line)
            && snippet.end_line <= self.end_line
    }
}

/// A file relevant to the task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct File {
    /// Its repository path.
    pub path: String,
    /// Relevance; comparable within one bundle only.
    pub score: f32,
    /// Relevance signals, strongest first.
    pub why: Vec<String>,
}

/// Lines of a file as they are on disk. A long line is truncated with `…`.
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
    /// The enclosing definition.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    pub around: Option<String>,
}

/// The end of the calls that an entry lists.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Callers of the definition, with the lines of the calls.
    Caller,
    /// Callees of the definition, with the lines of their definitions.
    Callee,
}

/// The callers of a definition in one file, or its callees defined in one file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calls {
    /// The definition.
    pub of: String,
    /// The role of the listed functions.
    pub role: Role,
    /// Their file.
    pub path: String,
    /// The listed functions.
    pub sites: Vec<Site>,
    /// Number of files with such functions, of which a bundle lists the first ones.
    pub files: usize,
}

/// One end of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Site {
    /// The name of the caller or callee.
    pub name: String,
    /// The line of the call, or of the callee's definition, from 1.
    pub line: usize,
}

/// A step of the chain of calls between two definitions of the task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The definition.
    pub name: String,
    /// Its file.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// The line that leads to the next one; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextLine>,
}

/// A line that leads to the next step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextLine {
    /// Its number, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
    /// How it leads there, if not by a certain call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub how: Option<&'static str>,
}

/// A test file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Test {
    /// Its repository path.
    pub path: String,
    /// Why it probably executes the definitions or files; no test was run.
    pub why: &'static str,
    /// Those of its tests that probably execute the definition, most likely first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The command that runs it from the root, if the runner is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// A file that probably changes with the best ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Companion {
    /// Its repository path.
    pub path: String,
    /// Why.
    pub why: String,
}

/// Number of omitted entries of each part.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct OmittedParts {
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
    /// Chains of calls.
    pub chains: usize,
    /// Companions.
    pub companions: usize,
}

impl OmittedParts {
    /// Returns the sum.
    pub fn total(self) -> usize {
        let OmittedParts { symbols, files, snippets, calls, tests, chains, companions } = self;
        symbols + files + snippets + calls + tests + chains + companions
    }
}

/// A composed reply.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Bundle {
    /// The message of a miss.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The names and words that were looked up.
    pub keywords: Vec<Keyword>,
    /// Definitions of mentioned names, and those found by the words of the task.
    pub symbols: Vec<Symbol>,
    /// The chain of calls between two of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<Step>,
    /// Files, best first.
    pub files: Vec<File>,
    /// Relevant lines.
    pub snippets: Vec<Snippet>,
    /// Callers and callees of the definitions.
    pub calls: Vec<Calls>,
    /// Tests of the definitions and of the files.
    pub tests: Vec<Test>,
    /// Files that probably change with the best ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<Companion>,
    /// Estimated tokens of the reply.
    pub tokens: usize,
    /// The token budget.
    pub budget: usize,
    /// Number of omitted entries.
    pub omitted: usize,
    /// Estimated tokens of the omitted entries.
    pub omitted_tokens: usize,
    /// True if nothing was omitted, but the argument `detail` shows more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_more_detail: bool,
    /// Omitted entries by part.
    #[serde(skip)]
    pub omitted_parts: OmittedParts,
}

/// An entry of any part.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Symbol(Symbol),
    File(File),
    Snippet(Snippet),
    Calls(Calls),
    Test(Test),
    Chain(Vec<Step>),
    Companion(Companion),
}

impl Bundle {
    /// Adds an entry to its part.
    pub(super) fn push(&mut self, entry: Entry) {
        match entry {
            Entry::Symbol(mut symbol) => {
                // The text of an outer definition contains it.
                let contains = |of: &Symbol| {
                    of.body.is_some()
                        && of.path == symbol.path
                        && of.line <= symbol.line
                        && symbol.end_line <= of.end_line
                };
                if self.symbols.iter().any(contains) {
                    symbol.body = None;
                }
                self.symbols.push(symbol);
            }
            Entry::File(file) => self.files.push(file),
            // The text of a definition contains its lines.
            Entry::Snippet(snippet) if self.symbols.iter().any(|of| of.shows(&snippet)) => {}
            Entry::Snippet(snippet) => self.snippets.push(snippet),
            Entry::Calls(calls) => self.calls.push(calls),
            Entry::Test(test) => self.tests.push(test),
            Entry::Chain(steps) => self.chain = steps,
            // A file is listed once.
            Entry::Companion(of) if self.tests.iter().any(|test| test.path == of.path) => {}
            Entry::Companion(companion) => self.companions.push(companion),
        }
    }

    /// Returns true if the bundle contains files or definitions.
    pub fn is_found(&self) -> bool {
        !self.files.is_empty() || !self.symbols.is_empty()
    }
}
