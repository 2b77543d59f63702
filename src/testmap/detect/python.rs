//! pytest and unittest.

use std::ops::Range;

use super::super::collected::Collected;
use super::head::{arguments, attributes, bracketed, head, parameters, strings};
use super::{Applies, FileTests, Fixture, Runner, Source, Test};
use crate::lang::symbols::SymbolKind;

/// Methods that unittest runs around each test or each class.
const SET_UP: [&str; 6] =
    ["setUp", "tearDown", "setUpClass", "tearDownClass", "setUpTestData", "asyncSetUp"];

/// Methods and functions that pytest runs around each test, class or module.
const SETUP_NAMES: [&str; 8] = [
    "setup_method",
    "teardown_method",
    "setup_class",
    "teardown_class",
    "setup",
    "teardown",
    "setup_function",
    "setup_module",
];

/// A `pytestmark = …` that requests fixtures.
struct Mark {
    /// The class that contains it; `None` for that of the module.
    class: Option<usize>,
    requests: Vec<String>,
}

pub(super) fn find(source: &Source<'_>, is_test_file: bool, collected: &Collected) -> FileTests {
    let name = source.facts.path.rsplit('/').next().unwrap_or_default();
    let is_module = is_test_file && name != "conftest.py"
        || name.starts_with("test_")
        || name.trim_end_matches(".py").ends_with("_test")
        || collected.has_module(&source.facts.path);
    let mut found = FileTests::default();
    let symbols = &source.facts.symbols;
    let marks = marks(source);
    for (place, symbol) in source.symbols() {
        if !symbol.kind.is_callable() {
            continue;
        }
        let around = source.around(place);
        let in_class = around.last().map(|&at| &symbols[at]);
        if around.iter().any(|&at| symbols[at].kind != SymbolKind::Class) {
            continue;
        }
        let head = head(source.text, symbol);
        let is_unittest = in_class.is_some_and(|class| {
            class.bases.iter().any(|base| {
                let base = base.last_name();
                base.contains("Test") || base.contains("Case")
            }) || !class.bases.is_empty()
                && ["Test", "Tests", "TestCase"].iter().any(|end| class.name.ends_with(end))
        });
        let requests = parameters(source.text, symbol);
        let place_u32 = u32::try_from(place).ok();
        let span = source.span(symbol);
        let decorators = attributes(head);
        if decorators.iter().any(|name| defines_fixture(name, &symbol.name)) {
            let text = String::from_utf8_lossy(head);
            let named = text.split_once("name=").and_then(|(_, rest)| {
                let rest = rest.trim_start();
                let is_string = rest.starts_with(['"', '\'']);
                strings(rest.as_bytes()).into_iter().next().filter(|_| is_string)
            });
            let is_auto = text.replace(' ', "").contains("autouse=True");
            let applies = match (is_auto, in_class) {
                (false, _) => Applies::ByName,
                (true, Some(class)) => Applies::Within(class.span.clone()),
                (true, None) => Applies::ToAll,
            };
            found.fixtures.push(Fixture {
                name: named.unwrap_or_else(|| symbol.name.clone()),
                span,
                place: place_u32,
                applies,
                requests,
            });
            continue;
        }
        let is_set_up = SET_UP.contains(&symbol.name.as_str())
            || SETUP_NAMES.contains(&symbol.name.as_str()) && is_module;
        if is_set_up && (in_class.is_some() || is_module) {
            let applies = in_class.map_or(Applies::ToAll, |of| Applies::ToType(of.name.clone()));
            found.fixtures.push(Fixture {
                name: symbol.name.clone(),
                span,
                place: place_u32,
                applies,
                requests: Vec::new(),
            });
            continue;
        }
        let is_class_of_tests =
            in_class.is_none_or(|class| collected.has_class(&class.name) || is_unittest);
        let is_named =
            collected.has_function(&symbol.name) || is_unittest && symbol.name.starts_with("test");
        // unittest also collects files with other names, if they are named explicitly.
        if !is_named || !is_class_of_tests || !(is_module || is_unittest) {
            continue;
        }
        let groups = source.groups(place);
        let mut id = source.facts.path.clone();
        for part in groups.iter().chain(std::iter::once(&symbol.name)) {
            id.push_str("::");
            id.push_str(part);
        }
        let class_heads = around.iter().map(|&at| super::head::head(source.text, &symbols[at]));
        let by_decorators = std::iter::once(head).chain(class_heads).flat_map(used_fixtures);
        let by_marks = marks
            .iter()
            .filter(|mark| mark.class.is_none_or(|class| around.contains(&class)))
            .flat_map(|mark| mark.requests.iter().cloned());
        let mut requests = requests;
        for name in by_decorators.chain(by_marks) {
            if !requests.contains(&name) {
                requests.push(name);
            }
        }
        found.tests.push(Test {
            id,
            name: symbol.name.clone(),
            groups,
            runner: Runner::Pytest,
            span,
            line: symbol.line,
            place: place_u32,
            requests,
            subtests: Vec::new(),
        });
    }
    found
}

/// Returns true if a decorator with that last name makes the function `function` a fixture:
/// `@pytest.fixture`, `@pytest_asyncio.fixture`, `@pytest.yield_fixture`, or one of the project's own
/// such as `@session_fixture`. Others only use fixtures: `@pytest.mark.usefixtures`, `@with_fixture`.
fn defines_fixture(decorator: &str, function: &str) -> bool {
    matches!(decorator, "fixture" | "yield_fixture")
        || decorator.ends_with("_fixture") && !function.starts_with("test")
}

/// Returns the names of the fixtures in the calls of `usefixtures` in a text.
fn used_fixtures(text: &[u8]) -> Vec<String> {
    let word = b"usefixtures";
    let calls = memchr::memmem::find_iter(text, word).map(|at| &text[at + word.len()..]);
    calls.flat_map(|rest| strings(arguments(rest))).collect()
}

/// Returns the marks of the module and of its classes that request fixtures.
fn marks(source: &Source<'_>) -> Vec<Mark> {
    let word = b"pytestmark";
    let mut found = Vec::new();
    for at in memchr::memmem::find_iter(source.text, word) {
        let line = memchr::memrchr(b'\n', &source.text[..at]).map_or(0, |end| end + 1);
        if !source.text[line..at].iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let requests = used_fixtures(&source.text[value(source.text, at + word.len())]);
        if requests.is_empty() {
            continue;
        }
        let around = source.symbols().filter(|(_, symbol)| {
            symbol.span.contains(&at)
                && (symbol.kind == SymbolKind::Class || symbol.kind.is_callable())
        });
        let innermost = around.min_by_key(|(_, symbol)| symbol.span.len());
        match innermost {
            None => found.push(Mark { class: None, requests }),
            Some((place, symbol)) if symbol.kind == SymbolKind::Class => {
                found.push(Mark { class: Some(place), requests });
            }
            Some(_) => {}
        }
    }
    found
}

/// Returns the bytes of the value that is assigned behind `from`: up to the end of its line, or of its
/// brackets.
fn value(text: &[u8], from: usize) -> Range<usize> {
    let mut at = from;
    while at < text.len() && text[at] != b'\n' {
        at += if matches!(text[at], b'(' | b'[' | b'{') { bracketed(&text[at..]) } else { 1 };
    }
    from..at.min(text.len())
}
