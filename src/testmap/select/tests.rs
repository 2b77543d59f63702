//! Selections in small programs.

use super::rank;
use crate::graph::link::{Code as _, SymbolAt};
use crate::graph::program::Program;
use crate::testmap::fixtures::Tests;
use crate::testmap::score::Weights;

/// Checks the tests of the function `name` with a probability of at least 0.2: each with its source,
/// most likely first.
fn check(files: &[(&str, &str)], name: &str, expected: &[&str]) {
    let texts = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let program = Program::new(texts.collect());
    let named = program.named(name);
    let is_tested = |at: &&SymbolAt| {
        let facts = program.file(at.file);
        facts.is_some_and(|facts| !facts.path.contains("test"))
    };
    let at = named.iter().find(is_tested).copied().expect("the function");
    let tests = Tests::new(&program);
    let (ranked, _) = rank(&tests, at, &Weights::DEFAULT);
    let shown = ranked.iter().filter(|of| of.probability >= 0.2).map(|of| {
        let test = tests.get(of.test).expect("it exists");
        format!("{} {}", test.id, of.source.name())
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected, "tests of {name}");
    let in_order = ranked.windows(2).all(|pair| pair[0].probability >= pair[1].probability);
    assert!(in_order && ranked.iter().all(|of| (0.0..=1.0).contains(&of.probability)));
}

const CART: &str = "
def add(a, b):
    return _sum([a, b])

def _sum(items):
    return 0

def unused():
    return 1
";

#[test]
fn calls_lead_to_tests() {
    let tests = "
from cart import add

def test_two():
    assert add(1, 2) == 3

def test_other():
    assert True
";
    let files = [("cart.py", CART), ("tests/test_shop.py", tests)];
    check(&files, "add", &["tests/test_shop.py::test_two direct"]);
    check(&files, "_sum", &["tests/test_shop.py::test_two hybrid"]);
    check(&files, "unused", &[]);
}

#[test]
fn fixtures_lead_to_the_tests_that_request_them() {
    let conftest = "
import pytest
from cart import add

@pytest.fixture
def basket():
    return add(1, 2)

@pytest.fixture
def till(basket):
    return basket
";
    let tests = "
def test_basket(basket):
    pass

def test_till(till):
    pass

def test_other(tmp_path):
    pass
";
    let files = [("cart.py", CART), ("tests/conftest.py", conftest), ("tests/test_shop.py", tests)];
    check(
        &files,
        "add",
        &["tests/test_shop.py::test_basket hybrid", "tests/test_shop.py::test_till hybrid"],
    );
}

#[test]
fn set_up_of_a_base_class_runs_for_derived_classes() {
    let base = "
import unittest
from cart import add

class ShopCase(unittest.TestCase):
    def setUp(self):
        add(1, 2)
";
    let tests = "
from tests.base_test import ShopCase

class BasketTests(ShopCase):
    def test_empty(self):
        pass
";
    let files = [("cart.py", CART), ("tests/base_test.py", base), ("tests/test_shop.py", tests)];
    check(&files, "add", &["tests/test_shop.py::BasketTests::test_empty hybrid"]);
}

#[test]
fn hooks_of_javascript_run_for_their_block() {
    let tests = "
import { add } from '../src/cart';
describe('full', () => {
  beforeEach(() => { add(1, 2); });
  it('has items', () => {});
});
describe('empty', () => { it('is empty', () => {}); });
it('adds', () => { add(1, 2); });
";
    let files = [
        ("src/cart.js", "export function add(a, b) { return a + b; }\n"),
        ("tests/shop.test.js", tests),
    ];
    check(
        &files,
        "add",
        &["tests/shop.test.js > adds direct", "tests/shop.test.js > full > has items hybrid"],
    );
}

#[test]
fn inline_tests_of_rust_are_found() {
    let text = "
pub fn add(a: u8, b: u8) -> u8 { sum(&[a, b]) }
fn sum(items: &[u8]) -> u8 { 0 }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn two() { add(1, 2); }
    #[test]
    fn other() {}
}
";
    let files = [("Cargo.toml", "[package]\nname = \"cart\"\n"), ("src/cart.rs", text)];
    check(&files, "add", &["cart::tests::two direct"]);
    check(&files, "sum", &["cart::tests::two hybrid"]);
}
