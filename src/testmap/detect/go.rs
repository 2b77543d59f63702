//! Go: functions that `go test` runs, methods of testify suites, and subtests.

use super::masked::{Lexis, Masked};
use super::{Applies, FileTests, Fixture, Runner, Source, Test};
use crate::lang::symbols::SymbolKind;

const LEXIS: Lexis = Lexis {
    has_hash_comments: false,
    has_templates: true,
    has_regexes: false,
    has_single_quotes: false,
};

/// Methods of testify suites that run around tests.
const SET_UP: [&str; 6] =
    ["SetupTest", "SetupSuite", "TearDownTest", "TearDownSuite", "BeforeTest", "AfterTest"];

pub(super) fn find(source: &Source<'_>) -> FileTests {
    let mut found = FileTests::default();
    let has_subtests = memchr::memmem::find(source.text, b".Run(").is_some();
    let masked = has_subtests.then(|| Masked::new(source.text, LEXIS));
    for (place, symbol) in source.symbols() {
        if !matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method) {
            continue;
        }
        let place_u32 = u32::try_from(place).ok();
        let of_type = source.type_around(place).filter(|_| symbol.kind == SymbolKind::Method);
        let name = symbol.name.as_str();
        let is_set_up = of_type.is_some() && SET_UP.contains(&name);
        if name == "TestMain" && of_type.is_none() || is_set_up {
            found.fixtures.push(Fixture {
                name: symbol.name.clone(),
                span: symbol.span.clone(),
                place: place_u32,
                applies: of_type.map_or(Applies::ToAll, Applies::ToType),
                requests: Vec::new(),
            });
            continue;
        }
        let prefixes: &[&str] =
            if of_type.is_some() { &["Test"] } else { &["Test", "Example", "Fuzz"] };
        let is_test = prefixes.iter().any(|prefix| {
            let rest = name.strip_prefix(prefix);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()))
        });
        if !is_test {
            continue;
        }
        let groups: Vec<String> = of_type.into_iter().collect();
        let id = groups.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("/");
        found.tests.push(Test {
            id,
            name: symbol.name.clone(),
            groups,
            runner: Runner::Go,
            span: symbol.span.clone(),
            line: symbol.line,
            place: place_u32,
            requests: Vec::new(),
            subtests: Vec::new(),
        });
    }
    if let Some(masked) = masked {
        let text = masked.text();
        for at in memchr::memmem::find_iter(text, b".Run(") {
            let name_at = masked.skip_space(at + 5);
            let Some(name) = masked.string(name_at) else { continue };
            if let Some(test) = found.test_at(at) {
                // `go test` replaces spaces in names.
                let name = source.string(name).replace(' ', "_");
                found.tests[test].subtests.push(name);
            }
        }
    }
    found
}
