//! C and C++: the macros of GoogleTest, Catch2, doctest and Boost.Test.

use super::masked::{Lexis, Masked};
use super::{Applies, FileTests, Fixture, Runner, Source, Test};

const LEXIS: Lexis = Lexis {
    has_hash_comments: false,
    has_templates: false,
    has_regexes: false,
    has_single_quotes: false,
};

/// Macros whose arguments are a suite and a name, or only a name.
const MACROS: [&str; 10] = [
    "TEST",
    "TEST_F",
    "TEST_P",
    "TYPED_TEST",
    "TYPED_TEST_P",
    "TEST_CASE",
    "TEST_CASE_METHOD",
    "SCENARIO",
    "BOOST_AUTO_TEST_CASE",
    "BOOST_FIXTURE_TEST_CASE",
];

pub(super) fn find(source: &Source<'_>) -> FileTests {
    let mut found = FileTests::default();
    let has = |word: &[u8]| memchr::memmem::find(source.text, word).is_some();
    if !has(b"TEST") && !has(b"SCENARIO") {
        return found;
    }
    let masked = Masked::new(source.text, LEXIS);
    for (start, word) in masked.words() {
        if !MACROS.contains(&word) {
            continue;
        }
        // A macro that is defined or undefined is no test.
        let line = memchr::memrchr(b'\n', &masked.text()[..start]).map_or(0, |at| at + 1);
        let open = masked.skip_space(start + word.len());
        if masked.byte(open) != b'(' || !masked.text()[line..start].trim_ascii().is_empty() {
            continue;
        }
        let Some(close) = masked.close(open) else { continue };
        let body = masked.skip_space(close + 1);
        if masked.byte(body) != b'{' {
            continue;
        }
        let Some(end) = masked.close(body) else { continue };
        let first = masked.skip_space(open + 1);
        let mut arguments: Vec<String> = match masked.string(first) {
            Some(name) => vec![source.string(name)],
            None => {
                let parts = masked.text()[open + 1..close].split(|&byte| byte == b',');
                parts.map(|part| String::from_utf8_lossy(part.trim_ascii()).into_owned()).collect()
            }
        };
        if word == "TEST_CASE_METHOD" && arguments.len() > 1 {
            let quote = masked.text()[first..close].iter().position(|&byte| byte == b'"');
            let name = quote.and_then(|at| masked.string(first + at));
            arguments[1] = name.map(|name| source.string(name)).unwrap_or_default();
        }
        let is_fixture_first = matches!(word, "BOOST_FIXTURE_TEST_CASE");
        let (groups, name) = match (arguments.len(), is_fixture_first) {
            (0, _) => continue,
            (1, _) | (_, true) => (Vec::new(), arguments.swap_remove(0)),
            (_, false) => (vec![arguments.remove(0)], arguments.remove(0)),
        };
        if name.is_empty() {
            continue;
        }
        let id = groups.iter().chain([&name]).map(String::as_str).collect::<Vec<_>>().join(".");
        found.tests.push(Test {
            id,
            name,
            groups,
            runner: Runner::Ctest,
            span: start..end + 1,
            line: source.line_at(start),
            place: None,
            requests: Vec::new(),
            subtests: Vec::new(),
        });
    }
    for (place, symbol) in source.symbols() {
        if !matches!(symbol.name.as_str(), "SetUp" | "TearDown" | "SetUpTestSuite") {
            continue;
        }
        let Some(class) = source.type_around(place) else { continue };
        found.fixtures.push(Fixture {
            name: symbol.name.clone(),
            span: symbol.span.clone(),
            place: u32::try_from(place).ok(),
            applies: Applies::ToType(class),
            requests: Vec::new(),
        });
    }
    found
}
