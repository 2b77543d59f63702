//! Selections in small programs.

use super::{rank, rank_with};
use crate::graph::link::{Code as _, SymbolAt};
use crate::graph::program::Program;
use crate::reports::coverage::FileLines;
use crate::reports::coverage::attribute::attribute;
use crate::testmap::fixtures::Tests;
use crate::testmap::recorded::Recorded;
use crate::testmap::score::Weights;
use crate::userdata::Database;

/// Checks the tests of the function `name` with a probability of at least 0.2: each with its source,
/// most likely first. The function is outside of tests.
fn check(files: &[(&str, &str)], name: &str, expected: &[&str]) {
    check_in(files, |path| !path.contains("test"), name, expected);
}

/// The same for the function `name` of a file that `is_own` accepts.
fn check_in(files: &[(&str, &str)], is_own: fn(&str) -> bool, name: &str, expected: &[&str]) {
    check_from(0.2, files, is_own, name, expected);
}

/// The same for tests with a probability of at least `least`.
fn check_from(
    least: f32,
    files: &[(&str, &str)],
    is_own: fn(&str) -> bool,
    name: &str,
    expected: &[&str],
) {
    let texts = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let program = Program::new(texts.collect());
    let named = program.named(name);
    let is_own = |at: &&SymbolAt| {
        let facts = program.file(at.file);
        facts.is_some_and(|facts| is_own(&facts.path))
    };
    let at = named.iter().find(is_own).copied().expect("the function");
    let tests = Tests::new(&program);
    let (ranked, _) = rank(&tests, at, &Weights::DEFAULT);
    let shown = ranked.iter().filter(|of| of.probability >= least).map(|of| {
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
fn tests_request_an_edited_fixture_directly() {
    let conftest = "
import pytest

@pytest.fixture
def basket():
    def fill():
        return 1
    return fill

@pytest.fixture
def till(basket):
    return basket

@pytest.fixture(autouse=True)
def clean(till):
    yield
";
    let tests = "
import pytest

def test_basket(basket):
    pass

@pytest.mark.usefixtures('till')
def test_till():
    pass

class TestOther:
    pytestmark = pytest.mark.usefixtures('basket')

    def test_other(self):
        pass
";
    let files = [
        ("shop/tests/conftest.py", &conftest[..conftest.find("@pytest.fixture(a").unwrap()]),
        ("shop/tests/test_shop.py", tests),
        ("tests/conftest.py", conftest),
        ("tests/test_all.py", "def test_all():\n    pass\n"),
    ];
    let in_shop = |path: &str| path.starts_with("shop/");
    let of_basket = [
        "shop/tests/test_shop.py::test_basket direct",
        "shop/tests/test_shop.py::TestOther::test_other direct",
        "shop/tests/test_shop.py::test_till direct",
    ];
    check_in(&files, in_shop, "basket", &of_basket);
    check_in(&files, in_shop, "fill", &of_basket);
    check_in(&files, in_shop, "till", &[of_basket[2]]);
    let at_root = |path: &str| path.starts_with("tests/");
    check_in(&files, at_root, "basket", &["tests/test_all.py::test_all direct"]);
}

#[test]
fn factory_fixtures_keep_the_calls_of_their_products() {
    let thing = "
def build():
    return 1

class Thing:
    def __init__(self):
        self.n = build()

    def size(self):
        return grow(self.n)

class Other:
    def size(self):
        return 0

def grow(n):
    return n
";
    let conftest = "
import pytest
from thing import Thing

@pytest.fixture
def make():
    def _make():
        return Thing()
    return _make
";
    let is_thing = |path: &str| path == "thing.py";
    let made = ["tests/test_shop.py::test_made hybrid"];
    for body in ["assert make().size() == 1", "thing = make()\n    assert thing.size() == 1"] {
        let tests = format!("\ndef test_made(make):\n    {body}\n\ndef test_else():\n    pass\n");
        let files =
            [("thing.py", thing), ("tests/conftest.py", conftest), ("tests/test_shop.py", &tests)];
        for name in ["Thing", "build", "grow"] {
            check_from(0.1, &files, is_thing, name, &made);
        }
    }
    let helper = "
from thing import Thing

def make():
    def _make():
        return Thing()
    return _make
";
    let tests = "
from tests.helper import make

def test_made():
    assert make()().size() == 1
";
    let files = [("thing.py", thing), ("tests/helper.py", helper), ("tests/test_shop.py", tests)];
    check_from(0.09, &files, is_thing, "build", &made);
    check_from(0.09, &files, is_thing, "grow", &made);
}

#[test]
fn alternatives_of_a_module_are_more_certain_than_parts_of_its_path() {
    let cart = "exports.add = (a, b) => a + b;\n";
    let uses = "const cart = MODULE;\ntest('adds', () => { expect(cart.add(1, 2)).toBe(3); });\n";
    let conditional = uses.replace("MODULE", "require(process.env.CART || '../src/cart')");
    let ternary = uses.replace("MODULE", "await import(old ? '../src/old' : '../src/cart')");
    let parts = uses.replace("MODULE", "require('../src/' + name)");
    let files = [
        ("src/cart.js", cart),
        ("tests/a.test.js", &*parts),
        ("tests/b.test.js", &*conditional),
        ("tests/c.test.js", &*ternary),
    ];
    check(
        &files,
        "add",
        &[
            "tests/b.test.js > adds direct",
            "tests/c.test.js > adds direct",
            "tests/a.test.js > adds hybrid",
        ],
    );
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

const BASKET: &str = "
def total(items):
    result = 0
    for item in items:
        result += item.price
    return result

def unused():
    return 1
";

const BASKET_TESTS: &str = "
from tests.base import Base
from basket import total

def test_plain():
    helper()

def test_total():
    print('total of items')

class TestDerived(Base):
    pass
";

/// Imports coverage of `BASKET`, in which tests execute `total`, and returns the tests of the
/// function `name` in another state of the file: each with its source, how the text was covered, and
/// its probability.
fn covered(basket: &str, tests: &str, name: &str) -> Vec<String> {
    let before = Program::new(vec![("basket.py".to_owned(), BASKET.as_bytes().to_vec())]);
    let facts = before.file(before.id("basket.py").expect("the file")).expect("facts");
    let executed = |lines: &[u32]| lines.iter().copied().collect();
    let lines = FileLines {
        executable: executed(&[3, 4, 5, 6, 9]),
        covered: executed(&[3, 4, 5, 6]),
        tests: [
            ("tests/test_b.py::test_plain", executed(&[3, 4, 5, 6])),
            ("tests/test_b.py::TestDerived::test_inherited[1]", executed(&[3])),
            ("tests/test_b.py::test_deleted", executed(&[3])),
        ]
        .map(|(id, lines)| (id.to_owned(), lines))
        .into(),
        is_partial: false,
    };
    let mut symbols = attribute("basket.py", BASKET.as_bytes(), &facts.symbols, &lines);
    // A test that ran and executed another function only.
    symbols[1].tests.insert("tests/test_b.py::test_total".to_owned(), 1);
    let database = Database::in_memory().expect("a database");
    database.add_coverage(&symbols, 1).expect("it is stored");
    let base = "class Base:\n    def test_inherited(self):\n        pass\n";
    let files = [("basket.py", basket), ("tests/base.py", base), ("tests/test_b.py", tests)];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let program = Program::new(files.into());
    let at = program.named(name)[0];
    let tests = Tests::new(&program);
    let recorded = Recorded::new(&tests, &database);
    let ranking = rank_with(&tests, at, &Weights::DEFAULT, Some(&recorded)).expect("a ranking");
    let known = ranking.tests.iter().filter(|of| of.probability >= 0.1).map(|of| {
        let id = tests.get(of.test).expect("it exists").id;
        let covered = of.covered.map(|text| format!(" {text:?}")).unwrap_or_default();
        format!("{id} {}{covered}", of.source.name())
    });
    let inherited = ranking.inherited.iter().map(|of| format!("{} {:?}", of.id, of.covered));
    let gone = format!("{} gone", ranking.gone);
    known.chain(inherited).chain([gone]).collect()
}

#[test]
fn imported_coverage_comes_first_and_follows_edits_and_renames() {
    let expected = |text: &str| {
        vec![
            format!("tests/test_b.py::test_plain coverage {text}"),
            format!("tests/test_b.py::TestDerived::test_inherited {text}"),
            "1 gone".to_owned(),
        ]
    };
    assert_eq!(covered(BASKET, BASKET_TESTS, "total"), expected("Same"));
    let edited = BASKET.replace("result = 0", "result = 1");
    assert_eq!(covered(&edited, BASKET_TESTS, "total"), expected("Former"));
    let renamed = BASKET.replace("def total", "def whole");
    assert_eq!(covered(&renamed, BASKET_TESTS, "whole"), expected("Renamed"));
}

#[test]
fn coverage_does_not_hide_tests_that_were_not_recorded() {
    let tests = format!("{BASKET_TESTS}\ndef test_new():\n    assert total([]) == 0\n");
    let found = covered(BASKET, &tests, "total");
    assert_eq!(found[0], "tests/test_b.py::test_plain coverage Same");
    assert_eq!(found[1], "tests/test_b.py::test_new direct");
}

/// What wraps a function or lists it is a step to its tests.
#[test]
fn values_that_hold_a_function_lead_to_tests() {
    let view = "import React from 'react';
function Plain() { return 1; }
export const Fancy = React.memo(Plain);
";
    let tests = "import { Fancy } from './view';
test('renders', () => { render(Fancy); });
";
    let files = [("view.js", view), ("view.test.js", tests), ("other.test.js", "test('x', f);")];
    check(&files, "Plain", &["view.test.js > renders hybrid"]);
    let handlers = "
def on_open():
    return 1

HANDLERS = {'open': on_open}

def dispatch(name):
    return HANDLERS[name]()
";
    let tests = "
from handlers import dispatch

def test_open():
    assert dispatch('open')
";
    let files = [("handlers.py", handlers), ("tests/test_events.py", tests)];
    check(&files, "on_open", &["tests/test_events.py::test_open hybrid"]);
}
