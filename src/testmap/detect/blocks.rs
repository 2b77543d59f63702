//! JavaScript and TypeScript: calls such as `describe("…", …)` and `it("…", …)`, as Jest, Vitest,
//! mocha, node:test, Playwright and Deno run them.

use std::ops::Range;

use super::masked::{Lexis, Masked};
use super::{Applies, FileTests, Fixture, Runner, Source, Test};

const LEXIS: Lexis = Lexis {
    has_hash_comments: false,
    has_templates: true,
    has_regexes: true,
    has_single_quotes: true,
};

/// What a call defines.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Group,
    Test,
    Subtest,
    Hook,
}

/// A call that defines a test, a group of tests or a fixture.
struct Block {
    kind: Kind,
    name: String,
    callee: String,
    span: Range<usize>,
}

pub(super) fn find(source: &Source<'_>) -> FileTests {
    let masked = Masked::new(source.text, LEXIS);
    let mut blocks: Vec<Block> =
        masked.words().filter_map(|(at, word)| block(source, &masked, at, word)).collect();
    blocks.sort_by_key(|block| (block.span.start, std::cmp::Reverse(block.span.end)));
    let mut found = FileTests::default();
    let mut around: Vec<usize> = Vec::new();
    let mut test_around: Option<usize> = None;
    for (at, block) in blocks.iter().enumerate() {
        while around.last().is_some_and(|&outer| blocks[outer].span.end <= block.span.start) {
            around.pop();
        }
        if test_around.is_some_and(|test| found.tests[test].span.end <= block.span.start) {
            test_around = None;
        }
        match block.kind {
            Kind::Group => around.push(at),
            Kind::Subtest if test_around.is_none() => {}
            Kind::Test | Kind::Subtest if test_around.is_some() => {
                if let Some(test) = test_around {
                    found.tests[test].subtests.push(block.name.clone());
                }
            }
            Kind::Test | Kind::Subtest => {
                let groups: Vec<String> =
                    around.iter().map(|&at| blocks[at].name.clone()).collect();
                let parts: Vec<&str> =
                    groups.iter().chain([&block.name]).map(String::as_str).collect();
                test_around = Some(found.tests.len());
                found.tests.push(Test {
                    id: format!("{} > {}", source.facts.path, parts.join(" > ")),
                    name: block.name.clone(),
                    groups,
                    runner: Runner::JavaScript,
                    span: block.span.clone(),
                    line: source.line_at(block.span.start),
                    place: None,
                    requests: Vec::new(),
                    subtests: Vec::new(),
                });
            }
            Kind::Hook => {
                let applies = around
                    .last()
                    .map_or(Applies::ToAll, |&outer| Applies::Within(blocks[outer].span.clone()));
                found.fixtures.push(Fixture {
                    name: block.callee.clone(),
                    span: block.span.clone(),
                    place: None,
                    applies,
                    requests: Vec::new(),
                });
            }
        }
    }
    found
}

/// Returns the block that the call at `at` defines, if it is one.
fn block(source: &Source<'_>, masked: &Masked, start: usize, word: &str) -> Option<Block> {
    let mut at = start + word.len();
    let mut chain = vec![word];
    loop {
        let dot = masked.skip_space(at);
        if masked.byte(dot) != b'.' {
            break;
        }
        let next = masked.word(masked.skip_space(dot + 1));
        if next.is_empty() {
            break;
        }
        at = masked.skip_space(dot + 1) + next.len();
        chain.push(next);
    }
    let kind = kind(&chain)?;
    at = masked.skip_space(at);
    let is_table = matches!(*chain.last()?, "each" | "for" | "skipIf" | "runIf" | "concurrent");
    if is_table && masked.byte(at) == b'`' {
        // test.each`table`("name", …)
        at = masked.string(at)?.end + 1;
    } else if is_table && masked.byte(at) == b'(' {
        // test.each([…])("name", …)
        let close = masked.close(at)?;
        let next = masked.skip_space(close + 1);
        if masked.byte(next) == b'(' {
            at = next;
        }
    }
    at = masked.skip_space(at);
    // Type arguments: `it.each<Row>(…)` has none that start a test.
    if masked.byte(at) != b'(' {
        return None;
    }
    let close = masked.close(at)?;
    let first = masked.skip_space(at + 1);
    let arguments = &masked.text()[first.min(close)..close];
    let has_function = memchr::memmem::find(arguments, b"=>").is_some()
        || memchr::memmem::find(arguments, b"function").is_some();
    let name = match masked.string(first) {
        Some(name) => {
            let is_template = source.text.get(name.start.wrapping_sub(1)) == Some(&b'`');
            let after = masked.byte(masked.skip_space(name.end + 1));
            let mut name = unescaped(&source.string(name));
            if after == b'+' && !is_template {
                // The rest is computed.
                name.push_str("${…}");
            }
            name
        }
        None if kind == Kind::Hook => String::new(),
        None if !has_function => return None,
        None => {
            let len = arguments.iter().take_while(|&&byte| byte != b',' && byte != b'\n').count();
            format!("${{{}}}", source.string(first..first + len).trim())
        }
    };
    let callee = chain.join(".");
    Some(Block { kind, name, callee, span: start..close + 1 })
}

/// Returns the text that a string of JavaScript stands for. Escapes of characters by their number become
/// `${…}`.
fn unescaped(text: &str) -> String {
    let mut found = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => found.push('\n'),
            ('\\', Some('r')) => found.push('\r'),
            ('\\', Some('t')) => found.push(' '),
            ('\\', Some(kind @ ('u' | 'x'))) => {
                found.push_str("${…}");
                let digits = if kind == 'x' { 2 } else { 4 };
                if chars.as_str().starts_with('{') {
                    let _ = chars.by_ref().find(|c| *c == '}');
                } else {
                    let _ = chars.by_ref().nth(digits - 1);
                }
            }
            ('\\', Some('\n')) => {}
            ('\\', Some(escaped)) => found.push(escaped),
            (c, _) => found.push(c),
        }
    }
    found
}

/// Returns what a call of that chain of names defines.
fn kind(chain: &[&str]) -> Option<Kind> {
    const HOOKS: [&str; 10] = [
        "before",
        "beforeEach",
        "beforeAll",
        "after",
        "afterEach",
        "afterAll",
        "setup",
        "teardown",
        "suiteSetup",
        "suiteTeardown",
    ];
    let (first, rest) = chain.split_first()?;
    let last = rest.last().copied().unwrap_or(first);
    let has_modifiers_only = rest.iter().all(|part| {
        matches!(
            *part,
            "only"
                | "skip"
                | "each"
                | "concurrent"
                | "sequential"
                | "serial"
                | "parallel"
                | "todo"
                | "fails"
                | "failing"
                | "fixme"
                | "slow"
                | "for"
                | "skipIf"
                | "runIf"
                | "shuffle"
        )
    });
    match *first {
        "describe" | "context" | "suite" | "fdescribe" | "xdescribe" if has_modifiers_only => {
            Some(Kind::Group)
        }
        "it" | "test" | "specify" | "fit" | "xit" | "xtest" if has_modifiers_only => {
            Some(Kind::Test)
        }
        "test" | "it" if rest.contains(&"describe") => Some(Kind::Group),
        "test" | "it" if HOOKS.contains(&last) => Some(Kind::Hook),
        "Deno" if last == "test" => Some(Kind::Test),
        "QUnit" if last == "test" => Some(Kind::Test),
        "QUnit" if last == "module" => Some(Kind::Group),
        "t" if rest == ["test"] => Some(Kind::Subtest),
        hook if HOOKS.contains(&hook) && rest.is_empty() => Some(Kind::Hook),
        _ => None,
    }
}
