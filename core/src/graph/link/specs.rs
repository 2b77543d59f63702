//! Tests of Ruby: blocks outside of all types run in a class of the test framework, to which a repository
//! may add methods (`class Minitest::Spec`).

use super::code::{FileFacts, near};
use super::position::SymbolAt;
use super::result::Reason;
use super::value::{Candidate, Place, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;
use crate::lang::symbols::{Symbol, SymbolKind};

/// The classes in which blocks of tests run, or from which their classes are derived.
const TEST_CLASSES: [&str; 8] = [
    "ActiveSupport::TestCase",
    "MiniTest::Spec",
    "MiniTest::Test",
    "MiniTest::Unit::TestCase",
    "Minitest::Spec",
    "Minitest::Test",
    "RSpec::Core::ExampleGroup",
    "Test::Unit::TestCase",
];

/// Functions of test frameworks that tests call by their bare name, sorted.
const TEST_FUNCTIONS: [&str; 17] = [
    "allow",
    "allow_any_instance_of",
    "contain_exactly",
    "double",
    "eql",
    "expect",
    "expect_any_instance_of",
    "have_attributes",
    "have_received",
    "instance_double",
    "is_expected",
    "match",
    "raise_error",
    "receive",
    "satisfy",
    "spy",
    "stub_const",
];

/// Returns true for a bare name in a file of Ruby's tests that is one of a test framework.
pub(super) fn is_of_test_framework(facts: &FileFacts, name: &str) -> bool {
    facts.dialect.has_open_self
        && TEST_FUNCTIONS.binary_search(&name).is_ok()
        && facts.language.is_test_path(std::path::Path::new(&facts.path))
}

/// The most definitions of one name that are considered.
const NAMED_MAX: usize = 64;

impl Walk<'_> {
    /// Returns the methods of that name which the repository adds to a class of a test framework, for a
    /// use in a block of a file of tests.
    pub(super) fn of_test_classes(
        &self,
        facts: &FileFacts,
        place: Place,
        name: &str,
    ) -> Vec<Candidate> {
        if !facts.dialect.has_open_self {
            return Vec::new();
        }
        let is_scope =
            |symbol: &Symbol| matches!(symbol.kind, SymbolKind::Class | SymbolKind::Module);
        let is_outermost = facts.ancestors(place.enclosing).all(|at| !is_scope(&facts.symbols[at]));
        let is_test = || facts.language.is_test_path(std::path::Path::new(&facts.path));
        if !is_outermost || !is_test() || !self.is_indented(place) {
            return Vec::new();
        }
        let is_added = |at: &SymbolAt| {
            self.symbol(*at).is_some_and(|(there, at)| {
                let parent = there.symbols[at].parent.map(|parent| &there.symbols[parent]);
                there.symbols[at].kind.is_callable()
                    && parent.is_some_and(|it| TEST_CLASSES.contains(&&*it.qualified_name))
            })
        };
        let named = self.code.named(name);
        let found = near(&named, place.file, NAMED_MAX).iter().copied().filter(is_added);
        let candidate = |at| Candidate::new(Value::Name(at), weights::BY_RULE, Reason::Inherited);
        found.map(candidate).take(VALUES_MAX).collect()
    }

    /// Returns true if the line of the use is indented, as lines in a block are.
    fn is_indented(&self, place: Place) -> bool {
        let is_here = self.origin.get().is_some_and(|origin| origin.file == place.file);
        let Some(start) = self.start.get().filter(|_| is_here) else { return true };
        let Some(text) = self.code.text(place.file) else { return false };
        let before = text.get(..start).unwrap_or_default();
        let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        matches!(text.get(line), Some(b' ' | b'\t'))
    }

    /// Returns the methods of the object that an instance variable contains, which its file defines for
    /// that object alone: `def @name.method`.
    pub(super) fn of_one_object(&self, place: Place, variable: &str, name: &str) -> Vec<Candidate> {
        let Some(facts) = self.facts(place.file).filter(|facts| facts.dialect.has_open_self) else {
            return Vec::new();
        };
        let own = format!("{variable}.{name}");
        let is_its = |(_, symbol): &(u32, &Symbol)| {
            let scope = symbol.qualified_name.strip_suffix(&own);
            symbol.name == name && scope.is_some_and(|it| it.is_empty() || it.ends_with("::"))
        };
        let found = (0..).zip(&facts.symbols).filter(is_its);
        let candidate = |(at, _)| {
            let at = SymbolAt { file: place.file, place: at };
            Candidate::new(Value::Name(at), weights::DOUBTFUL, Reason::Receiver)
        };
        found.map(candidate).take(VALUES_MAX).collect()
    }
}
