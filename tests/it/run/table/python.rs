//! pytest and unittest.

use super::{Project, check};

#[test]
fn pytest() {
    check(&Project {
        programs: &["pytest"],
        source: "shop.py",
        prepare: &[],
        files: r##"
//- pyproject.toml
[tool.pytest.ini_options]
pythonpath = ["."]
//- shop.py
def alpha(x):
    return x


def beta():
    return 1


def gamma():
    return 1


def delta():
    return 1
//- conftest.py
import os


def pytest_runtest_call(item):
    with open(os.environ["RAN_FILE"], "a", encoding="utf-8") as ran:
        ran.write(item.nodeid + "\n")
//- tests/test_shop.py
import pytest

from shop import alpha, beta


@pytest.mark.parametrize("x", ["a b", "[c]", "d'e", "é"])
def test_alpha(x):
    assert alpha(x) == x


def test_alpha_of_nothing():
    pass


class TestOuter:
    class TestInner:
        def test_beta(self):
            assert beta() == 1

        def test_else(self):
            pass
//- tests/sub dir/test_it's [x].py
from shop import gamma


def test_gamma():
    assert gamma() == 1


def test_other():
    pass
//- tests/test_ünïcode.py
from shop import delta


def test_größe():
    assert delta() == 1


def test_größer():
    pass
"##,
        cases: &[
            (
                "alpha",
                &[
                    "tests/test_shop.py::test_alpha[[c]]",
                    "tests/test_shop.py::test_alpha[\\xe9]",
                    "tests/test_shop.py::test_alpha[a b]",
                    "tests/test_shop.py::test_alpha[d'e]",
                ],
            ),
            ("beta", &["tests/test_shop.py::TestOuter::TestInner::test_beta"]),
            ("gamma", &["tests/sub dir/test_it's [x].py::test_gamma"]),
            ("delta", &["tests/test_ünïcode.py::test_größe"]),
        ],
    });
}

#[test]
fn unittest() {
    check(&Project {
        programs: &["python3"],
        source: "shop.py",
        prepare: &[],
        files: r##"
//- shop.py
def alpha():
    return 1


def beta():
    return 1
//- tests/__init__.py
//- tests/noted.py
import os
import unittest


class Noted(unittest.TestCase):
    def setUp(self):
        with open(os.environ["RAN_FILE"], "a", encoding="utf-8") as ran:
            ran.write(self.id() + "\n")
//- tests/test_shop.py
from shop import alpha
from tests.noted import Noted


class ShopTestCase(Noted):
    def test_alpha(self):
        for part in ("a b", "c"):
            with self.subTest(part):
                self.assertEqual(alpha(), 1)

    def test_alpha_twice(self):
        pass


class Other(Noted):
    def test_alpha(self):
        pass
//- tests/deep/__init__.py
//- tests/deep/test_more.py
import unittest

from shop import beta
from tests.noted import Noted


class MoreTestCase(Noted):
    def test_größe(self):
        self.assertEqual(beta(), 1)
"##,
        cases: &[
            ("alpha", &["tests.test_shop.ShopTestCase.test_alpha"]),
            ("beta", &["tests.deep.test_more.MoreTestCase.test_größe"]),
        ],
    });
}
