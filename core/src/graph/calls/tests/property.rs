//! No call is lost: each occurrence of a definition's name in call position, found by a scan of
//! tokens that knows nothing of syntax, is a caller, an unresolved call, or resolved elsewhere. And what
//! a call resolves to lists that call among its callers, under whichever name it is called.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::*;
use crate::graph::calls::{can_refer_to, possible_counts};
use crate::graph::link::CONFIDENCE_ANSWER;
use crate::lang::language::Language;

/// The directory of a tree to check instead of the fixtures.
const TREE: &str = "CODEDB_CALLS_TREE";

/// The longest file that is read.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// An occurrence of a name before `(`.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Occurrence {
    file: FileId,
    start: usize,
}

/// Returns the identifiers right before `(`, outside of comments and strings.
fn call_positions(text: &[u8], language: &Language) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    let is_word = |byte: u8| byte == b'_' || byte == b'$' || byte.is_ascii_alphanumeric();
    let starts = |at: usize, with: &str| text[at..].starts_with(with.as_bytes());
    let end_of = |from: usize, close: &str| {
        let rest = &text[from.min(text.len())..];
        let found = rest.windows(close.len()).position(|part| part == close.as_bytes());
        found.map_or(text.len(), |end| from + end + close.len())
    };
    let is_rust = language.name == "rust";
    let is_javascript = matches!(language.name, "javascript" | "typescript" | "tsx");
    while at < text.len() {
        let byte = text[at];
        if language.line_comments.iter().any(|open| starts(at, open)) {
            at = end_of(at, "\n");
        } else if let Some((open, close)) =
            language.block_comments.iter().find(|(open, _)| starts(at, open))
        {
            // Rust's comments nest.
            let mut level = 1;
            at += open.len();
            while level > 0 && at < text.len() {
                let (opens, closes) = (is_rust && starts(at, open), starts(at, close));
                level += usize::from(opens);
                level -= usize::from(closes);
                at += if opens || closes { open.len() } else { 1 };
            }
        } else if let Some(quote) = ["\"\"\"", "'''"].into_iter().find(|quote| starts(at, quote)) {
            at = end_of(at + 3, quote);
        } else if is_rust && (starts(at, "r\"") || starts(at, "r#")) && !is_after_word(text, at) {
            let hashes = text[at + 1..].iter().take_while(|byte| **byte == b'#').count();
            match text.get(at + 1 + hashes) {
                Some(b'"') => {
                    at = end_of(at + 2 + hashes, &format!("\"{}", "#".repeat(hashes)));
                }
                _ => at += 1 + hashes,
            }
        } else if byte == b'`' {
            at = after_template(text, at);
        } else if byte == b'"'
            || byte == b'\'' && !is_rust
            || byte == b'/' && is_javascript && before(text, at).ends_with(b"=")
        {
            at = after_string(text, at);
        } else if byte == b'\'' {
            // A character, or a lifetime.
            at += match &text[at + 1..] {
                [b'\\', ..] => after_string(text, at) - at,
                [_, b'\'', ..] => 3,
                _ => 1,
            };
        } else if is_word(byte) {
            let end = (at..text.len()).find(|&end| !is_word(text[end])).unwrap_or(text.len());
            let is_call = text.get(end) == Some(&b'(') && !byte.is_ascii_digit();
            if is_call && &text[at..end] != b"super" && !is_defined(text, at) {
                found.push(at..end);
            }
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

/// Returns true if a name is marked as another one (`#private`), or is the name of a function
/// expression.
fn is_defined(text: &[u8], at: usize) -> bool {
    before(text, at).ends_with(b"#") || before(text, at).ends_with(b"function")
}

/// Returns the text of the line before `at`, without white space at its ends.
fn before(text: &[u8], at: usize) -> &[u8] {
    text[..at].rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii()
}

/// Returns the end of a template string that starts at `at`, with the templates inside of it.
fn after_template(text: &[u8], at: usize) -> usize {
    let (mut end, mut level) = (at + 1, 0_usize);
    while end < text.len() {
        match text[end] {
            b'\\' => end += 1,
            b'$' if text.get(end + 1) == Some(&b'{') => {
                level += 1;
                end += 1;
            }
            b'{' if level > 0 => level += 1,
            b'}' => level = level.saturating_sub(1),
            b'`' if level > 0 => end = after_template(text, end) - 1,
            b'`' => return end + 1,
            _ => {}
        }
        end += 1;
    }
    text.len()
}

/// Returns true if a call by the bare name may be one of a local variable: the name also occurs
/// without a call in the file.
fn may_be_local(text: &[u8], at: usize, name: &str) -> bool {
    let is_word = |byte: Option<&u8>| {
        byte.is_some_and(|byte| *byte == b'_' || *byte == b'$' || byte.is_ascii_alphanumeric())
    };
    let is_bare = |at: usize| !text[..at].ends_with(b".") && !text[..at].ends_with(b":");
    let mut found = memchr::memmem::find_iter(text, name.as_bytes());
    is_bare(at)
        && found.any(|start| {
            let end = start + name.len();
            let is_whole = !is_word(text.get(end)) && (start == 0 || !is_word(text.get(start - 1)));
            is_whole && is_bare(start) && text.get(end) != Some(&b'(')
        })
}

/// Returns true if an occurrence is the head of a method of an object literal, `name(…) {`, or of an
/// object type, `name(…): Type;`.
fn is_method_head(text: &[u8], at: usize) -> bool {
    let line = text[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let before = before(text, at);
    let is_first = before.is_empty() || before.ends_with(b"async");
    if memchr::memmem::find(line, b"): ").is_some() && (is_first || before.ends_with(b"{")) {
        return true;
    }
    let line = line.trim_ascii_end();
    is_first && line.ends_with(b"{") && !line.ends_with(b"=> {") || line.ends_with(b"{} };")
}

fn is_after_word(text: &[u8], at: usize) -> bool {
    at > 0 && (text[at - 1] == b'_' || text[at - 1].is_ascii_alphanumeric())
}

/// Returns the end of a string that starts at `at`; that of the line for an unbalanced quote.
fn after_string(text: &[u8], at: usize) -> usize {
    let quote = text[at];
    let mut end = at + 1;
    while end < text.len() {
        match text[end] {
            b'\\' => end += 1,
            b'\n' if quote == b'\'' => return end,
            byte if byte == quote => return end + 1,
            _ => {}
        }
        end += 1;
    }
    text.len()
}

/// Returns the source files below a directory.
fn read(root: &Path) -> Texts {
    let (mut texts, mut pending) = (Texts::new(), vec![root.to_path_buf()]);
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory is readable").flatten() {
            let path: PathBuf = entry.path();
            let kind = entry.file_type().expect("an entry has a type");
            if kind.is_dir() && !entry.file_name().to_string_lossy().starts_with('.') {
                pending.push(path);
            } else if kind.is_file()
                && entry.metadata().is_ok_and(|data| data.len() <= FILE_BYTES_MAX)
            {
                let name = path.strip_prefix(root).expect("it is below the root");
                let name = name.to_string_lossy().replace('\\', "/");
                texts.push((name, std::fs::read(&path).expect("a file is readable")));
            }
        }
    }
    texts
}

/// Counts of occurrences by what became of them.
#[derive(Debug, Default)]
struct Tally {
    counts: BTreeMap<&'static str, usize>,
    lost: Vec<String>,
}

/// Returns the calls that resolve to a definition which does not list them among its callers.
fn unlisted(program: &Program) -> Vec<(SymbolAt, Occurrence)> {
    let files: Vec<FileId> = program.ids().collect();
    let resolved = |file: FileId| {
        let linker = Linker::new(program);
        let calls = program.references(file).iter().filter(|(_, used)| used.role == Role::Call);
        let resolved = calls.filter_map(|(name, used)| {
            let outcome = linker.outcome(file, Use::new(name, used));
            let link = outcome.links.first().filter(|link| link.confidence >= CONFIDENCE_ANSWER)?;
            Some((link.to, Occurrence { file, start: used.span.start }))
        });
        resolved.collect::<Vec<_>>()
    };
    let mut of: BTreeMap<SymbolAt, Vec<Occurrence>> = BTreeMap::new();
    for (to, at) in files.into_par_iter().flat_map_iter(resolved).collect::<Vec<_>>() {
        of.entry(to).or_default().push(at);
    }
    let missing = |(to, calls): (SymbolAt, Vec<Occurrence>)| {
        let found = uses_of(program, &[to], CONFIDENCE_ANSWER);
        let place = |site: &Site| Occurrence { file: site.file, start: site.reference.span.start };
        let listed: BTreeSet<Occurrence> =
            found.uses.iter().map(|(_, caller)| place(&caller.site)).collect();
        let missing = calls.into_iter().filter(move |at| !listed.contains(at) && !found.is_cut);
        missing.map(move |at| (to, at))
    };
    of.into_par_iter().flat_map_iter(missing).collect()
}

/// Checks all definitions of a tree, and returns what became of the occurrences of their names.
fn tally(texts: Texts) -> Tally {
    let program = Program::new(texts);
    let mut occurrences: HashMap<String, Vec<Occurrence>> = HashMap::new();
    let mut definitions: BTreeMap<String, Vec<SymbolAt>> = BTreeMap::new();
    let mut named_at = BTreeSet::new();
    for file in program.ids() {
        let Some(facts) = program.file(file) else { continue };
        for (place, symbol) in facts.symbols.iter().enumerate() {
            named_at.insert(Occurrence { file, start: symbol.name_span.start });
            if symbol.kind.is_callable() {
                let at = SymbolAt { file, place: place as u32 };
                definitions.entry(symbol.name.clone()).or_default().push(at);
            }
        }
        let text = program.text(file).unwrap_or_default();
        for span in call_positions(&text, facts.language) {
            let name = String::from_utf8_lossy(&text[span.clone()]).into_owned();
            occurrences.entry(name).or_default().push(Occurrence { file, start: span.start });
        }
    }
    let linker = Linker::new(&program);
    let mut tally = Tally::default();
    for (name, of) in &definitions {
        let found = uses_of(&program, of, 0.0);
        let place = |site: &Site| Occurrence { file: site.file, start: site.reference.span.start };
        let sure: BTreeSet<Occurrence> =
            found.uses.iter().map(|(_, caller)| place(&caller.site)).collect();
        let is_possible =
            |named: &&NamedSite| of.iter().any(|to| can_refer_to(&program, named, *to));
        let (counts, total) = possible_counts(&program, of, &found.unresolved);
        assert_eq!(total, found.unresolved.iter().filter(is_possible).count(), "{name}");
        for (&to, &count) in of.iter().zip(&counts) {
            let to_it = |named: &&NamedSite| can_refer_to(&program, named, to);
            assert_eq!(count, found.unresolved.iter().filter(to_it).count(), "{name}");
        }
        let unsure: BTreeSet<Occurrence> =
            found.unresolved.iter().filter(is_possible).map(|named| place(&named.site)).collect();
        for &at in occurrences.get(name).into_iter().flatten() {
            let facts = program.file(at.file).expect("a scanned file has facts");
            let shares = |to: &&SymbolAt| {
                program.file(to.file).is_some_and(|there| facts.shares_definitions(&there))
            };
            if named_at.contains(&at) || !of.iter().any(|to| shares(&to)) {
                continue;
            }
            let references = program.references(at.file);
            let reference =
                references.binary_search_by_key(&at.start, |(_, of)| of.span.start).ok();
            let became = if sure.contains(&at) {
                "caller"
            } else if unsure.contains(&at) {
                "unsure"
            } else if let Some((name, reference)) = reference.map(|at| &references[at]) {
                let outcome = linker.outcome(at.file, Use::new(name, reference));
                let is_answer =
                    outcome.links.iter().any(|link| link.confidence >= CONFIDENCE_ANSWER);
                match (is_answer, outcome.is_outside) {
                    (true, _) => "elsewhere",
                    (_, true) => "outside",
                    _ => "lost",
                }
            } else {
                let text = program.text(at.file).unwrap_or_default();
                if may_be_local(&text, at.start, name) {
                    "local"
                } else if is_method_head(&text, at.start) {
                    "definition"
                } else {
                    "not a use"
                }
            };
            *tally.counts.entry(became).or_default() += 1;
            if matches!(became, "lost" | "not a use") {
                let text = program.text(at.file).unwrap_or_default();
                let line = text[..at.start].iter().filter(|byte| **byte == b'\n').count() + 1;
                let whole = String::from_utf8_lossy(&text)
                    .lines()
                    .nth(line - 1)
                    .unwrap_or_default()
                    .trim()
                    .to_owned();
                tally.lost.push(format!("{became}: {}:{line} {name}: {whole}", facts.path));
            }
        }
    }
    for (to, at) in unlisted(&program) {
        let facts = |file| program.file(file).expect("a linked file has facts");
        let symbol = facts(to.file).symbols[to.place as usize].qualified_name.clone();
        let text = program.text(at.file).unwrap_or_default();
        let line = text[..at.start].iter().filter(|byte| **byte == b'\n').count() + 1;
        let (from, to) = (&facts(at.file).path, &facts(to.file).path);
        tally.lost.push(format!("not a caller: {from}:{line} of {symbol} in {to}"));
    }
    tally
}

/// Run it with `CODEDB_CALLS_TREE=DIR cargo test --lib no_call_of_a_tree_is_lost -- --ignored --nocapture`.
#[test]
#[ignore = "needs a tree"]
fn no_call_of_a_tree_is_lost() {
    let root = std::env::var_os(TREE).unwrap_or_else(|| panic!("`{TREE}` names a directory"));
    let Tally { counts, lost } = tally(read(Path::new(&root)));
    #[expect(clippy::print_stderr, reason = "the test is a measurement of a tree")]
    {
        eprintln!("{counts:?}");
    }
    assert!(lost.is_empty(), "{lost:#?}");
}

/// Calls that nothing resolves: unknown receivers, common names, other numbers of arguments, names
/// of unresolved wildcard imports, calls in macros.
#[test]
fn no_call_of_the_fixtures_is_lost() {
    for (text, expected) in [
        (
            "//- /Cargo.toml\n[package]\nname = \"a\"\n//- /src/lib.rs\npub struct A;\nimpl A {\n    \
             pub fn get(&self) {}\n    pub fn turn(&self, x: u8) {}\n    pub fn default() {}\n}\n\
             fn free() {}\nfn f(x: impl Fn()) {\n    free();\n    each(|y| y.get());\n    \
             each(|y| y.turn());\n    println!(\"{}\", A::default());\n    let free = 1;\n    \
             std::mem::take(&mut 1);\n    String::new().get();\n}\n",
            "caller 2, outside 1, unsure 2",
        ),
        (
            "//- /a.py\nfrom .gone import *\nclass A:\n    def get(self): pass\n    \
             def turn(self, x): pass\ndef work(): pass\n//- /b.py\nfrom a import A\nfrom .gone import *\n\
             def f(x, turn):\n    x.get()\n    x.turn()\n    turn()\n    work()\n    A().get()\n",
            "caller 1, local 1, unsure 3",
        ),
        // The result is of any type, which was taken for one from outside.
        (
            "//- /a.py\nfrom typing import TypeVar\nT = TypeVar('T')\nclass A:\n    def turn(self): pass\n\
             def make(of: type[T]) -> T: return of()\nmake(A).turn()\n",
            "caller 1, unsure 1",
        ),
        (
            "//- /a.ts\nexport class A { get() {} turn(x: number) {} }\nexport function work() {}\n\
             //- /b.ts\nimport { A, work } from './a';\nimport { gone } from './gone';\n\
             import { far } from 'far';\ngone.turn(1);\nfar.turn(1);\nfar.get();\nwork();\nnew A().get();\n",
            "caller 2, outside 2, unsure 1",
        ),
    ] {
        let (texts, _) = fixture(text);
        let Tally { counts, lost } = tally(texts);
        let counts: Vec<String> =
            counts.iter().map(|(became, count)| format!("{became} {count}")).collect();
        assert_eq!(counts.join(", "), expected, "{text}\n{lost:#?}");
        assert!(lost.is_empty(), "{text}\n{lost:#?}");
    }
}

/// Calls that do not contain the name of what they call.
#[test]
fn calls_without_the_name_are_callers() {
    for text in [
        "//- /A.java\nclass A {\n  A(int x) {}\n  A() { this(1); }\n}\n//- /B.java\nclass B extends A {\n  \
         B() { super(2); }\n}\nclass C extends B {\n  C() { super(); }\n}\n",
        "//- /a.ts\nexport class A { constructor(x: number) {} }\nexport class B extends A {}\n\
         //- /b.ts\nimport { B } from './a';\nclass C extends B { constructor() { super(1); } }\nnew C();\n",
        "//- /a.js\nexport default (x) => x;\n//- /b.js\nimport one from './a.js';\none(1);\n\
         //- /c.js\nimport { default as two } from './a.js';\ntwo(1);\n",
        "//- /a.js\nfunction work() {}\nmodule.exports = { work };\n\
         //- /b.js\nconst { work: other } = require('./a');\nother();\nother();\n",
        "//- /a.py\ndef work(): pass\n//- /b.py\nfrom a import work as other\nother()\n",
        "//- /a.rb\nclass A\n  def run\n  end\nend\nclass B < A\n  def run\n    super\n  end\nend\n",
        "//- /a.php\n<?php\nclass A {\n  static function make() { return new static(); }\n}\n",
    ] {
        let (texts, _) = fixture(text);
        let program = Program::new(texts);
        let calls = |file| {
            let linker = Linker::new(&program);
            let references = program.references(file).iter();
            let resolved = references.filter(move |(name, used)| {
                let outcome = linker.outcome(file, Use::new(name, used));
                used.role == Role::Call
                    && outcome.links.iter().any(|link| link.confidence >= CONFIDENCE_ANSWER)
            });
            resolved.count()
        };
        assert!(program.ids().map(calls).sum::<usize>() >= 1, "{text}");
        assert_eq!(unlisted(&program), [], "{text}");
    }
}
