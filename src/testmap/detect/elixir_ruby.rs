//! Ruby (RSpec, minitest, test-unit) and Elixir (ExUnit): blocks that open with `do` and close with
//! an `end` of the same indentation.

use std::ops::Range;

use super::{Applies, FileTests, Fixture, Runner, Source, Test};

/// What a line opens.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Kind {
    Group,
    Test,
    Hook,
    Named,
    /// Shared examples of RSpec: they run where a group includes them.
    Shared,
    /// The inclusion of shared examples as a group of its own.
    Behaves,
    /// The inclusion of shared examples in the group around it.
    Includes,
}

struct Block {
    kind: Kind,
    name: String,
    word: String,
    span: Range<usize>,
    line: usize,
}

impl Block {
    fn is_inclusion(&self) -> bool {
        matches!(self.kind, Kind::Behaves | Kind::Includes)
    }
}

pub(super) fn find(source: &Source<'_>) -> FileTests {
    let is_ruby = source.facts.language.name == "ruby";
    let blocks = blocks(source);
    let has = |word: &str| memchr::memmem::find(source.text, word.as_bytes()).is_some();
    let is_named = |end: &str| source.facts.path.ends_with(end);
    // minitest has the same words.
    let is_rspec = is_ruby
        && !has("minitest")
        && (is_named("_spec.rb")
            || has("RSpec")
            || !is_named("_test.rb")
                && blocks.iter().any(|of| of.kind == Kind::Test && of.word != "test"));
    let runner = match (is_ruby, is_rspec) {
        (false, _) => Runner::Mix,
        (true, true) => Runner::Rspec,
        (true, false) => Runner::Minitest,
    };
    let mut found = FileTests::default();
    let mut around: Vec<usize> = Vec::new();
    let mut inclusions: Vec<(usize, String)> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        while around.last().is_some_and(|&outer| blocks[outer].span.end <= block.span.start) {
            around.pop();
        }
        let groups: Vec<String> = around.iter().map(|&at| blocks[at].name.clone()).collect();
        let shared = around.iter().rev().find(|&&at| blocks[at].kind == Kind::Shared);
        if let Some(shared) = shared.filter(|_| !matches!(block.kind, Kind::Group | Kind::Shared)) {
            let outer = &blocks[*shared].span;
            let fixture = found.fixtures.iter_mut().find(|fixture| fixture.span == *outer);
            if let Some(fixture) = fixture.filter(|_| block.is_inclusion()) {
                fixture.requests.push(block.name.clone());
            }
            continue;
        }
        match block.kind {
            Kind::Group => around.push(at),
            Kind::Shared => {
                around.push(at);
                found.fixtures.push(Fixture {
                    name: block.name.clone(),
                    span: block.span.clone(),
                    place: None,
                    applies: Applies::ByName,
                    requests: Vec::new(),
                });
            }
            Kind::Test | Kind::Behaves | Kind::Includes => {
                let group = around.last().filter(|_| block.kind == Kind::Includes);
                if let Some(&group) = group {
                    inclusions.push((group, block.name.clone()));
                }
                if block.word == "include_context" {
                    continue;
                }
                // Both runners accept the line of a test; that of a group runs what it includes.
                let line = group.map_or(block.line, |&group| blocks[group].line);
                found.tests.push(Test {
                    id: format!("{}:{line}", source.facts.path),
                    name: block.name.clone(),
                    groups,
                    runner,
                    span: block.span.clone(),
                    line,
                    place: None,
                    requests: block
                        .is_inclusion()
                        .then(|| block.name.clone())
                        .into_iter()
                        .collect(),
                    subtests: Vec::new(),
                });
            }
            Kind::Hook | Kind::Named => {
                let applies = around
                    .last()
                    .map_or(Applies::ToAll, |&outer| Applies::Within(blocks[outer].span.clone()));
                found.fixtures.push(Fixture {
                    name: if block.name.is_empty() {
                        block.word.clone()
                    } else {
                        block.name.clone()
                    },
                    span: block.span.clone(),
                    place: None,
                    applies,
                    requests: Vec::new(),
                });
            }
        }
    }
    for (group, name) in inclusions {
        let inside = |test: &&mut Test| blocks[group].span.contains(&test.span.start);
        for test in found.tests.iter_mut().filter(inside) {
            if !test.requests.contains(&name) {
                test.requests.push(name.clone());
            }
        }
    }
    if is_ruby && !is_rspec {
        methods(source, &mut found);
    }
    found
}

/// Adds the methods that minitest and test-unit run.
fn methods(source: &Source<'_>, found: &mut FileTests) {
    for (place, symbol) in source.symbols() {
        let class = symbol.parent.map(|at| &source.facts.symbols[at]);
        let is_class_of_tests = class.is_some_and(|class| {
            class.name.contains("Test")
                || class.bases.iter().any(|base| base.last_name().contains("Test"))
        });
        if !symbol.kind.is_callable() || !is_class_of_tests {
            continue;
        }
        let place_u32 = u32::try_from(place).ok();
        let groups = source.groups(place);
        if symbol.name == "setup" || symbol.name == "teardown" {
            let class = groups.last().cloned().unwrap_or_default();
            found.fixtures.push(Fixture {
                name: symbol.name.clone(),
                span: symbol.span.clone(),
                place: place_u32,
                applies: Applies::ToType(class),
                requests: Vec::new(),
            });
        } else if symbol.name.starts_with("test_") {
            found.tests.push(Test {
                id: format!("{}#{}", groups.join("::"), symbol.name),
                name: symbol.name.clone(),
                groups,
                runner: Runner::Minitest,
                span: symbol.span.clone(),
                line: symbol.line,
                place: place_u32,
                requests: Vec::new(),
                subtests: Vec::new(),
            });
        }
    }
}

fn blocks(source: &Source<'_>) -> Vec<Block> {
    let text = source.text;
    let mut found = Vec::new();
    // Ends of blocks are searched from the last line on: the next `end` by indentation.
    let mut lines: Vec<(usize, &[u8])> = Vec::new();
    let mut start = 0;
    for line in text.split(|&byte| byte == b'\n') {
        lines.push((start, line));
        start += line.len() + 1;
    }
    let indent =
        |line: &[u8]| line.iter().take_while(|byte| **byte == b' ' || **byte == b'\t').count();
    let mut end_by_indent: std::collections::BTreeMap<usize, usize> =
        std::collections::BTreeMap::new();
    for (number, &(start, line)) in lines.iter().enumerate().rev() {
        let trimmed = line.trim_ascii();
        let depth = indent(line);
        if trimmed == b"end" || trimmed.starts_with(b"end.") || trimmed == b"end)" {
            end_by_indent.insert(depth, start + line.len());
            continue;
        }
        let Some((kind, word, name)) = opens(trimmed) else { continue };
        let opens_block = trimmed.ends_with(b" do")
            || memchr::memmem::find(trimmed, b" do |").is_some()
            || trimmed.ends_with(b"|") && memchr::memmem::find(trimmed, b" do ").is_some();
        let end = if opens_block {
            end_by_indent.get(&depth).copied().unwrap_or(text.len())
        } else if trimmed.ends_with(b"}")
            || memchr::memmem::find(trimmed, b"do:").is_some()
            || matches!(kind, Kind::Behaves | Kind::Includes)
        {
            start + line.len()
        } else {
            continue;
        };
        found.push(Block { kind, name, word, span: start + depth..end, line: number + 1 });
    }
    found.reverse();
    found
}

/// Returns what a line opens, with its first word and its name.
fn opens(line: &[u8]) -> Option<(Kind, String, String)> {
    let line = std::str::from_utf8(line).ok()?;
    let line = line.strip_prefix("RSpec.").unwrap_or(line);
    let len = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
    let (word, rest) = line.split_at(len);
    let rest = rest.trim_start_matches(['(', ' ']);
    let kind = match word {
        "describe" | "context" | "feature" => Kind::Group,
        "shared_examples" | "shared_examples_for" | "shared_context" => Kind::Shared,
        "it_behaves_like" | "it_should_behave_like" => Kind::Behaves,
        "include_examples" | "include_context" => Kind::Includes,
        "it" | "specify" | "scenario" | "example" | "test" | "property" => Kind::Test,
        "before" | "after" | "around" | "setup" | "setup_all" | "teardown" | "on_exit" => {
            Kind::Hook
        }
        "let" | "subject" => Kind::Named,
        _ => return None,
    };
    let name = if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        rest[1..].split(quote).next().unwrap_or_default().to_owned()
    } else {
        let end = rest.find([',', ' ', ')']).unwrap_or(rest.len());
        rest[..end].trim_start_matches(':').to_owned()
    };
    let name = if matches!(kind, Kind::Hook) || name == "do" { String::new() } else { name };
    Some((kind, word.to_owned(), name))
}
