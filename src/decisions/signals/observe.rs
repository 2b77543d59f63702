//! What one file shows.

use super::mentions::{Mention, mentions};
use super::texts::line_of;
use super::ways::{self, Uses, wrapped};
use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::lang::SymbolKind;
use crate::lang::facts::ImportKind;

/// Longer files are examined up to here.
const FILE_BYTES_MAX: usize = 2 << 20;

/// A line with its number.
pub type Line = (String, usize);

/// The style of a documentation comment.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum DocStyle {
    /// `Parameters` underlined with hyphens.
    NumPy,
    /// `Args:`, `Returns:`.
    Google,
    /// `:param x:`.
    Rest,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The last names of its bases.
    pub bases: Vec<String>,
    /// Its line.
    pub line: usize,
    /// True if it is not inside of another definition.
    pub is_top: bool,
}

/// What one file shows.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Its path.
    pub path: String,
    /// The name of its language.
    pub language: &'static str,
    /// True for a test, or support code of tests.
    pub is_test: bool,
    /// The first line of its leading comment that says something.
    pub first_comment: Option<Line>,
    /// The first line of code.
    pub first_code: Option<Line>,
    /// Whole modules that are imported under a name: module, name, line.
    pub modules: Vec<(String, String, usize)>,
    /// Imported modules: module, line.
    pub imports: Vec<(String, usize)>,
    /// Its classes.
    pub classes: Vec<Class>,
    /// Decorators without arguments: name, line.
    pub decorators: Vec<Line>,
    /// The number of functions, and those with an annotated result, with the line of one.
    pub functions: usize,
    /// See [`Observed::functions`].
    pub annotated: usize,
    /// The line of an annotated function.
    pub annotated_line: usize,
    /// Styles of documentation, each with a line.
    pub doc_styles: Vec<(DocStyle, usize)>,
    /// Tests as functions of the file, and in classes.
    pub test_functions: usize,
    /// See [`Observed::test_functions`].
    pub test_methods: usize,
    /// Functions with the attribute of a test, in Rust.
    pub test_functions_any: usize,
    /// Which common ways it takes.
    pub uses: Uses,
    /// Comments that ask to change other files as well.
    pub mentions: Vec<Mention>,
    /// Functions that may wrap one of the standard library: name, that function, line.
    pub wrappers: Vec<(String, &'static str, usize)>,
    /// The line that defines a flag which updates golden files of Go, or 0.
    pub golden_line: usize,
    /// The line of a directive that generates code of Go, or 0.
    pub generate_line: usize,
}

impl Observed {
    /// Returns the name of the file without its directory.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns the directory, without a final slash.
    pub fn directory(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(dir, _)| dir)
    }
}

/// Returns what a file shows; `None` if it cannot be read.
pub fn observe(catalog: &Catalog, file: FileId) -> Option<Observed> {
    let facts = catalog.facts(file).ok().flatten()?;
    let marks = catalog.marks(file).ok()?;
    let bytes = catalog.read(file, FILE_BYTES_MAX)?;
    let text = String::from_utf8_lossy(&bytes);
    let language = facts.language.name;
    let is_python = language == "python";
    let (first_comment, first_code) = beginnings(&text, is_python);
    let mut modules = Vec::new();
    let mut imports = Vec::new();
    for it in facts.imports.iter().filter(|it| it.kind == ImportKind::Module) {
        imports.push((it.module.clone(), it.line));
        for bound in it.names.iter().filter(|bound| bound.name.is_empty()) {
            modules.push((it.module.clone(), bound.alias.clone(), it.line));
        }
    }
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Observed {
        path: facts.path.clone(),
        language,
        is_test: marks.test,
        first_comment,
        first_code,
        modules,
        imports,
        classes: Vec::new(),
        decorators: Vec::new(),
        functions: 0,
        annotated: 0,
        annotated_line: 0,
        doc_styles: Vec::new(),
        test_functions: 0,
        test_methods: 0,
        test_functions_any: if language == "rust" { text.matches("test]\n").count() } else { 0 },
        uses: ways::uses(language, marks.test, &text),
        mentions: mentions(&text),
        wrappers: Vec::new(),
        golden_line: golden_line(language, &text),
        generate_line: if language == "go" {
            line_of(&text, "\n//go:generate ").map_or(0, |line| line + 1)
        } else {
            0
        },
    };
    for symbol in &facts.symbols {
        match symbol.kind {
            SymbolKind::Class => found.classes.push(Class {
                name: symbol.name.clone(),
                bases: bases(&text, symbol.name_span.end, language),
                line: symbol.line,
                is_top: symbol.parent.is_none(),
            }),
            SymbolKind::Function | SymbolKind::Method => {
                let is_method = symbol.kind == SymbolKind::Method;
                if symbol.name.starts_with("test") {
                    *(if is_method {
                        &mut found.test_methods
                    } else {
                        &mut found.test_functions
                    }) += 1;
                }
                if ["c", "cpp"].contains(&language)
                    && let Some(of) = wrapped(&symbol.name)
                {
                    found.wrappers.push((symbol.name.clone(), of, symbol.line));
                }
                if is_python {
                    python_function(&text, symbol, &mut found);
                }
                for at in symbol.line..symbol.end_line.min(symbol.line + 8) {
                    let Some(line) = lines.get(at - 1) else { break };
                    let Some(decorator) = line.trim().strip_prefix('@') else { break };
                    let is_name = |it: char| it.is_alphanumeric() || "._".contains(it);
                    let end = decorator.find(|it| !is_name(it)).unwrap_or(decorator.len());
                    found.decorators.push((decorator[..end].to_owned(), at));
                }
            }
            _ => {}
        }
    }
    Some(found)
}

/// Returns the line that defines a flag which updates golden files, or 0.
fn golden_line(language: &str, text: &str) -> usize {
    let marks = ["flag.Bool(\"update\"", "flag.Bool(\"update-golden\"", "flag.Bool(\"golden\""];
    let found = marks.iter().find_map(|mark| line_of(text, mark)).filter(|_| language == "go");
    found.unwrap_or_default()
}

/// Returns the last names of the bases that follow the name of a class, in brackets or after a
/// keyword, on its line.
fn bases(text: &str, name_end: usize, language: &str) -> Vec<String> {
    let rest = text.get(name_end..).unwrap_or_default();
    let end = rest.find(['{', '\n']).unwrap_or(rest.len()).min(400);
    let head = rest.get(..end).unwrap_or_default();
    let list = match language {
        "python" => head.strip_prefix('(').and_then(|it| it.split(')').next()),
        "ruby" => head.split_once('<').map(|(_, base)| base),
        "cpp" | "csharp" | "kotlin" | "swift" => head.split_once(':').map(|(_, base)| base),
        _ => head
            .split_once("extends ")
            .map(|(_, base)| base.split(" implements").next().unwrap_or(base)),
    };
    let names = list.unwrap_or_default().split(',').map(|base| {
        let base = base.trim().split(['(', '<', '[', ' ', ';']).next().unwrap_or_default();
        base.rsplit(['.', ':']).next().unwrap_or(base).to_owned()
    });
    let is_name = |it: &String| {
        it.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && !it.contains('=')
    };
    names.filter(is_name).collect()
}

/// Adds what a function of Python shows: whether its result is annotated, and how it is documented.
fn python_function(text: &str, symbol: &crate::lang::Symbol, found: &mut Observed) {
    let Some(body) = text.get(symbol.name_span.end..symbol.span.end.min(text.len())) else {
        return;
    };
    // The end of the signature: a colon at the end of a line, outside of brackets.
    let (mut depth, mut end) = (0_i32, body.len());
    for (at, byte) in body.bytes().enumerate().take(4000) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b':' if depth == 0 => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    found.functions += 1;
    if body[..end].contains("->") {
        found.annotated += 1;
        if found.annotated_line == 0 {
            found.annotated_line = symbol.line;
        }
    }
    let doc = body.get(end + 1..).unwrap_or_default().trim_start();
    let doc = doc.trim_start_matches(['r', 'R']);
    let Some(doc) = doc.strip_prefix("\"\"\"") else { return };
    let doc = doc.split("\"\"\"").next().unwrap_or_default();
    let mut previous = "";
    for line in doc.lines().map(str::trim) {
        let is_rule = line.len() > 2 && line.bytes().all(|byte| byte == b'-');
        let style = if is_rule && ["Parameters", "Returns", "Yields"].contains(&previous) {
            Some(DocStyle::NumPy)
        } else if ["Args:", "Returns:", "Raises:", "Yields:"].contains(&line) {
            Some(DocStyle::Google)
        } else if line.starts_with(":param ") || line.starts_with(":return") {
            Some(DocStyle::Rest)
        } else {
            None
        };
        if let Some(style) = style {
            found.doc_styles.push((style, symbol.line));
            return;
        }
        previous = line;
    }
}

/// Returns the first line of the leading comment that says something, and the first line of code.
fn beginnings(text: &str, is_python: bool) -> (Option<Line>, Option<Line>) {
    let (mut comment, mut in_block, mut in_docstring) = (None, false, false);
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || (at == 0 && trimmed.starts_with("#!")) {
            continue;
        }
        if in_docstring {
            in_docstring = !trimmed.contains("\"\"\"");
            continue;
        }
        let is_directive = ["#include", "#define", "#if", "#pragma", "#import", "#[", "#!["]
            .iter()
            .any(|it| trimmed.starts_with(it));
        let begins_block = trimmed.starts_with("/*") || trimmed.starts_with("<!--");
        let is_line = trimmed.starts_with("//")
            || (trimmed.starts_with('#') && !is_directive)
            || trimmed.starts_with("--");
        if in_block || begins_block || is_line {
            in_block = (in_block || begins_block)
                && !trimmed.ends_with("*/")
                && !trimmed.contains("*/")
                && !trimmed.contains("-->");
            let letters = trimmed.chars().filter(|it| it.is_alphabetic()).count();
            let is_encoding = trimmed.contains("coding:") || trimmed.contains("coding=");
            if comment.is_none() && letters >= 10 && !is_encoding {
                comment = Some((trimmed.to_owned(), at + 1));
            }
            continue;
        }
        if is_python && (trimmed.starts_with("\"\"\"") || trimmed.starts_with("r\"\"\"")) {
            in_docstring = trimmed.matches("\"\"\"").count() < 2;
            continue;
        }
        return (comment, Some((trimmed.to_owned(), at + 1)));
    }
    (comment, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_are_found() {
        let python = "#!/usr/bin/env python\n# Copyright 2020 The Authors\n\"\"\"Doc.\n\nMore.\n\"\"\"\nfrom __future__ import annotations\n";
        let (comment, code) = beginnings(python, true);
        assert_eq!(comment, Some(("# Copyright 2020 The Authors".to_owned(), 2)));
        assert_eq!(code, Some(("from __future__ import annotations".to_owned(), 7)));
        let js = "/*\n * Licensed to nobody\n */\n\n'use strict';\n";
        let (comment, code) = beginnings(js, false);
        assert_eq!(comment, Some(("* Licensed to nobody".to_owned(), 2)));
        assert_eq!(code, Some(("'use strict';".to_owned(), 5)));
        assert_eq!(beginnings("", true), (None, None));
        assert_eq!(beginnings("#include <a.h>\n", false).1.map(|it| it.1), Some(1));
    }

    #[test]
    fn bases_are_read() {
        for (text, language, expected) in [
            ("(a.Base, metaclass=Meta):", "python", &["Base"][..]),
            (" < Shop::Cop\n", "ruby", &["Cop"]),
            (" extends React.Component<P> implements I {", "typescript", &["Component"]),
            (" : public Base<T> {", "cpp", &["public"]),
            (":", "python", &[]),
        ] {
            assert_eq!(bases(text, 0, language), expected, "{text}");
        }
    }
}
