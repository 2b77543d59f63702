//! pytest and unittest.

use super::head::{attributes, head, parameters, strings};
use super::{Applies, FileTests, Fixture, Runner, Source, Test};
use crate::lang::membership::last_name;
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

pub(super) fn find(source: &Source<'_>, is_test_file: bool) -> FileTests {
    let name = source.facts.path.rsplit('/').next().unwrap_or_default();
    let is_module = is_test_file && name != "conftest.py"
        || name.starts_with("test_")
        || name.trim_end_matches(".py").ends_with("_test");
    let mut found = FileTests::default();
    let symbols = &source.facts.symbols;
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
                let base = last_name(base.as_str());
                base.contains("Test") || base.contains("Case")
            })
        });
        let requests = parameters(source.text, symbol);
        let place_u32 = u32::try_from(place).ok();
        let span = source.span(symbol);
        let decorators = attributes(head);
        let is_fixture = decorators.iter().any(|name| name.contains("fixture"));
        if is_fixture {
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
            in_class.is_none_or(|class| class.name.starts_with("Test") || is_unittest);
        // unittest also collects files with other names, if they are named explicitly.
        if !symbol.name.starts_with("test") || !is_class_of_tests || !(is_module || is_unittest) {
            continue;
        }
        let groups = source.groups(place);
        let mut id = source.facts.path.clone();
        for part in groups.iter().chain(std::iter::once(&symbol.name)) {
            id.push_str("::");
            id.push_str(part);
        }
        let mut requests = requests;
        let class_heads = around.iter().map(|&at| super::head::head(source.text, &symbols[at]));
        for head in std::iter::once(head).chain(class_heads) {
            if memchr::memmem::find(head, b"usefixtures").is_some() {
                requests.extend(strings(head));
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
