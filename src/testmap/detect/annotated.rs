//! Frameworks whose tests are methods of classes: JUnit, TestNG and kotlin.test, xUnit, NUnit and
//! MSTest, PHPUnit, XCTest and Swift Testing.

use super::head::{attributes, head};
use super::{Applies, FileTests, Fixture, Runner, Source, Test};
use crate::lang::symbols::{Symbol, SymbolKind};

/// How a language marks tests and fixtures.
struct Rules {
    runner: Runner,
    /// Attributes of tests.
    tests: &'static [&'static str],
    /// Attributes of fixtures.
    fixtures: &'static [&'static str],
    /// Names of fixtures in a class of tests.
    fixture_names: &'static [&'static str],
    /// The prefix of tests without an attribute, in a class whose base contains `base`.
    prefix: &'static str,
    base: &'static str,
    /// Joins namespaces and classes; then the separator of the method.
    separators: (&'static str, &'static str),
}

const JVM: Rules = Rules {
    runner: Runner::Jvm,
    tests: &[
        "Test",
        "ParameterizedTest",
        "RepeatedTest",
        "TestFactory",
        "TestTemplate",
        "Property",
    ],
    fixtures: &[
        "BeforeEach",
        "AfterEach",
        "BeforeAll",
        "AfterAll",
        "Before",
        "After",
        "BeforeClass",
        "AfterClass",
        "BeforeMethod",
        "AfterMethod",
        "BeforeTest",
        "AfterTest",
    ],
    fixture_names: &["setUp", "tearDown"],
    prefix: "test",
    base: "TestCase",
    separators: (".", "#"),
};

const DOTNET: Rules = Rules {
    runner: Runner::Dotnet,
    tests: &[
        "Fact",
        "Theory",
        "Test",
        "TestCase",
        "TestCaseSource",
        "TestMethod",
        "DataTestMethod",
        "SkippableFact",
        "SkippableTheory",
    ],
    fixtures: &[
        "SetUp",
        "TearDown",
        "OneTimeSetUp",
        "OneTimeTearDown",
        "TestInitialize",
        "TestCleanup",
        "ClassInitialize",
        "ClassCleanup",
    ],
    fixture_names: &[],
    prefix: "",
    base: "",
    separators: (".", "."),
};

const PHP: Rules = Rules {
    runner: Runner::Phpunit,
    tests: &["Test", "test"],
    fixtures: &["Before", "After", "before", "after"],
    fixture_names: &["setUp", "tearDown", "setUpBeforeClass", "tearDownAfterClass"],
    prefix: "test",
    base: "Test",
    separators: ("\\", "::"),
};

const SWIFT: Rules = Rules {
    runner: Runner::Swift,
    tests: &["Test"],
    fixtures: &[],
    fixture_names: &["setUp", "tearDown", "setUpWithError", "tearDownWithError"],
    prefix: "test",
    base: "TestCase",
    separators: (".", "/"),
};

pub(super) fn find(source: &Source<'_>) -> FileTests {
    let rules = match source.facts.language.name {
        "csharp" => &DOTNET,
        "php" => &PHP,
        "swift" => &SWIFT,
        _ => &JVM,
    };
    let mut found = FileTests::default();
    let words: [&[u8]; 4] = [b"Test", b"test", b"Fact", b"Theory"];
    if !words.iter().any(|word| memchr::memmem::find(source.text, word).is_some()) {
        return found;
    }
    let symbols = &source.facts.symbols;
    for (place, symbol) in source.symbols() {
        if !symbol.kind.is_callable() {
            continue;
        }
        let class = source
            .facts
            .ancestors(Some(place))
            .skip(1)
            .map(|at| &symbols[at])
            .find(|of| matches!(of.kind, SymbolKind::Class | SymbolKind::Struct));
        let has_base = |class: &&Symbol| {
            !rules.base.is_empty()
                && class.bases.iter().any(|base| base.last_name().contains(rules.base))
        };
        let attributes = attributes(head(source.text, symbol));
        let marked = |names: &[&str]| attributes.iter().any(|name| names.contains(&name.as_str()));
        let is_class_of_tests = class.as_ref().is_some_and(has_base);
        let place_u32 = u32::try_from(place).ok();
        let is_fixture = marked(rules.fixtures)
            || class.is_some() && rules.fixture_names.contains(&symbol.name.as_str())
            // xUnit runs the constructor of the class before each test.
            || rules.runner == Runner::Dotnet && symbol.kind == SymbolKind::Constructor;
        if is_fixture {
            let applies = match class {
                Some(class) => Applies::ToType(class.name.clone()),
                None => Applies::ToAll,
            };
            found.fixtures.push(Fixture {
                name: symbol.name.clone(),
                span: source.span(symbol),
                place: place_u32,
                applies,
                requests: Vec::new(),
            });
            continue;
        }
        let is_named =
            !rules.prefix.is_empty() && is_class_of_tests && symbol.name.starts_with(rules.prefix);
        if !(marked(rules.tests) || is_named) || symbol.kind == SymbolKind::Constructor {
            continue;
        }
        if let Some(class) = class
            && found.test_only.last() != Some(&class.span)
        {
            found.test_only.push(class.span.clone());
        }
        let around = source.groups(place);
        let package = source.facts.package.as_deref().filter(|package| {
            // A namespace that is a symbol is already among the groups.
            !around.first().is_some_and(|first| package.starts_with(first.as_str()))
        });
        let (inner, last) = rules.separators;
        let outer: Vec<&str> =
            package.into_iter().chain(around.iter().map(String::as_str)).collect();
        let outer = outer.join(inner);
        let id = if outer.is_empty() {
            symbol.name.clone()
        } else {
            format!("{outer}{last}{}", symbol.name)
        };
        found.tests.push(Test {
            id,
            name: symbol.name.clone(),
            groups: around,
            runner: rules.runner,
            span: source.span(symbol),
            line: symbol.line,
            place: place_u32,
            requests: Vec::new(),
            subtests: Vec::new(),
        });
    }
    if found.tests.is_empty() && rules.runner == Runner::Dotnet {
        // Constructors of a file without tests are no fixtures, unless a base of tests has them.
        found.fixtures.retain(|of| of.name.contains("Test"));
    }
    found
}
