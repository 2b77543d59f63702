//! Fixtures of tests, one for each family of frameworks.

use std::path::Path;

use super::super::collected::Collected;
use super::file_tests;
use crate::graph::link::FileFacts;
use crate::lang::language::detect;
use crate::lang::parse::Limits;
use crate::lang::symbols::facts;

/// Checks the tests (`line id`, then `<- requests` and `/ subtests`) and fixtures (`name: scope`)
/// of a file.
fn check(path: &str, text: &str, tests: &[&str], fixtures: &[&str]) {
    let language = detect(Path::new(path), text.as_bytes()).expect("a known language");
    let facts = facts(language, path, text.as_bytes(), Limits::DEFAULT);
    let facts = FileFacts::new(path.to_owned(), language, facts);
    let found = file_tests(&facts, text.as_bytes(), &Collected::default());
    let mut lines = Vec::new();
    for test in &found.tests {
        let mut line = format!("{} {}", test.line, test.id);
        if !test.requests.is_empty() {
            line = format!("{line} <- {}", test.requests.join(", "));
        }
        if !test.subtests.is_empty() {
            line = format!("{line} / {}", test.subtests.join(", "));
        }
        lines.push(line);
    }
    assert_eq!(lines, tests, "tests of {path}");
    let scope = |of: &super::Fixture| match &of.applies {
        super::Applies::ByName => "by name".to_owned(),
        super::Applies::Within(span) => {
            let line = text[..span.start].matches('\n').count() + 1;
            format!("block of line {line}")
        }
        super::Applies::ToType(name) => name.clone(),
        super::Applies::ToAll => "all".to_owned(),
    };
    let scopes = found.fixtures.iter().map(|of| format!("{}: {}", of.name, scope(of)));
    assert_eq!(scopes.collect::<Vec<_>>(), fixtures, "fixtures of {path}");
    for test in &found.tests {
        assert!(test.span.end <= text.len() && test.span.start < test.span.end, "{test:?}");
    }
}

#[test]
fn pytest_and_unittest() {
    let text = r#"
import pytest

@pytest.fixture
def cart(db):
    return 1

@pytest.fixture(name="till", autouse=True)
def _till():
    yield

def test_adds(cart, *, other=1): pass
async def test_waits(): pass
def helper(): pass

class TestCart:
    def setup_method(self): pass
    @pytest.mark.parametrize("n", [1, 2])
    def test_len(self, n, cart):
        def test_inner(): pass

class CartCase(unittest.TestCase):
    def setUp(self): pass
    def test_union(self): pass

class Helper:
    def test_not(self): pass
"#;
    check(
        "tests/test_cart.py",
        text,
        &[
            "12 tests/test_cart.py::test_adds <- cart, other",
            "13 tests/test_cart.py::test_waits",
            "18 tests/test_cart.py::TestCart::test_len <- n, cart",
            "24 tests/test_cart.py::CartCase::test_union",
        ],
        &["cart: by name", "till: all", "setup_method: TestCart", "setUp: CartCase"],
    );
    check("shop/cart.py", "def test_drive(): pass\n", &[], &[]);
}

#[test]
fn tests_that_use_fixtures_are_no_fixtures() {
    let text = r#"
import pytest
import pytest_asyncio

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("module_db")]

@pytest_asyncio.fixture(scope="module")
async def client(): pass

@fixture
def plain(): pass

@session_fixture
def own(): pass

@pytest.mark.usefixtures("db", "cache")
@pytest.mark.parametrize("sign", [")", "fixture"])
def test_reads(client): pass

@with_fixture("db")
def test_with(): pass

@pytest.mark.usefixtures(
    "till",
)
class TestTill:
    pytestmark = pytest.mark.usefixtures('drawer')

    def test_opens(self): pass

    class TestInner:
        @pytest.mark.usefixtures("coin")
        def test_pays(self): pass
"#;
    check(
        "tests/test_db.py",
        text,
        &[
            "16 tests/test_db.py::test_reads <- client, db, cache, module_db",
            "20 tests/test_db.py::test_with <- module_db",
            "29 tests/test_db.py::TestTill::test_opens <- till, module_db, drawer",
            "32 tests/test_db.py::TestTill::TestInner::test_pays <- coin, till, module_db, drawer",
        ],
        &["client: by name", "plain: by name", "own: by name"],
    );
}

#[test]
fn rust_tests_on_one_line() {
    let text = r#"
fn helper() {}
#[test] fn one() {}
#[test] fn two() {} #[test] #[ignore = "slow [x]"] fn three() {} fn four() {}
#[cfg(test)] mod tests { #[test] fn five() {} #[tokio::test] async fn six() {} }
#[test]
fn seven() {} fn eight() {}
#[test_case(
    [1],
    ']'
)]
fn nine() {}
const SIZES: [u8; 2] = [1, 2];
pub fn ten() {}
"#;
    check(
        "src/lib.rs",
        text,
        &["3 one", "4 two", "4 three", "5 tests::five", "5 tests::six", "7 seven", "12 nine"],
        &[],
    );
}

#[test]
fn calls_of_javascript() {
    let text = r#"
describe('cart', () => {
  beforeEach(() => { open('}') });
  it("adds", async () => { add(/[)"]/) });
  test.each([[1, 2]])('sums %i', (a, b) => {});
  describe.skip("in", function () {
    it(`takes ${'a'} name`, () => {});
  });
});
// it("not", () => {});
test.beforeAll(async () => {});
test.describe("page", () => { test("opens", async ({ page }) => {}) });
/it/.test("x");
test("top", async (t) => { await t.test("sub", () => {}) });
"#;
    check(
        "src/cart.test.ts",
        text,
        &[
            "4 src/cart.test.ts > cart > adds",
            "5 src/cart.test.ts > cart > sums %i",
            "7 src/cart.test.ts > cart > in > takes ${'a'} name",
            "12 src/cart.test.ts > page > opens",
            "14 src/cart.test.ts > top / sub",
        ],
        &["beforeEach: block of line 2", "test.beforeAll: all"],
    );
    check("src/cart.ts", text, &[], &[]);
}

#[test]
fn go_test() {
    let text = r#"package cart

func TestMain(m *testing.M) {}
func TestAdd(t *testing.T) {
	t.Run("two items", func(t *testing.T) {})
	for _, c := range cases { t.Run(c.name, func(t *testing.T) {}) }
}
func Testify(t *testing.T) {}
func ExampleCart() {}
func (s *CartSuite) SetupTest() {}
func (s *CartSuite) TestLen() {}
"#;
    check(
        "cart/cart_test.go",
        text,
        &["4 TestAdd / two_items", "9 ExampleCart", "11 CartSuite/TestLen"],
        &["TestMain: all", "SetupTest: CartSuite"],
    );
    check("cart/cart.go", text, &[], &[]);
}

#[test]
fn rust_tests() {
    let text = r#"
/// Adds.
///
/// ```
/// assert_eq!(cart::add(1, 2), 3);
/// ```
pub fn add(a: u8, b: u8) -> u8 { a + b }

/// ```text
/// not code
/// ```
pub fn other() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::fixture]
    fn basket() -> u8 { 1 }

    #[test]
    fn adds() {}

    #[tokio::test(flavor = "multi_thread")]
    async fn waits() {}

    #[rstest]
    #[case(1)]
    fn cases(basket: u8) {}

    fn helper() {}
}
"#;
    check(
        "src/cart.rs",
        text,
        &[
            "4 src/cart.rs - cart::add (line 4)",
            "22 cart::tests::adds",
            "25 cart::tests::waits",
            "29 cart::tests::cases <- basket",
        ],
        &["basket: by name"],
    );
}

#[test]
fn annotated_methods() {
    let text = r#"package com.example;
class CartTest {
    @BeforeEach void open() {}
    @Test
    void adds() {}
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void sums(int n) {}
    void helper() {}
}
class OldTest extends TestCase {
    public void setUp() {}
    public void testLen() {}
}
"#;
    check(
        "src/test/java/com/example/CartTest.java",
        text,
        &[
            "4 com.example.CartTest#adds",
            "6 com.example.CartTest#sums",
            "13 com.example.OldTest#testLen",
        ],
        &["open: CartTest", "setUp: OldTest"],
    );
    let text = "package a\nclass CartTest {\n    @Test\n    fun `adds two`() {}\n}\n";
    check("src/test/kotlin/CartTest.kt", text, &["3 a.CartTest#adds two"], &[]);
    let text = r#"
namespace Shop.Tests {
    public class CartTests {
        public CartTests() {}
        [Fact]
        public void Adds() {}
        [Theory, InlineData(1)]
        public void Sums(int n) {}
        [SetUp] public void Open() {}
        public void Helper() {}
    }
}
"#;
    check(
        "Shop.UnitTests/CartTests.cs",
        text,
        &["5 Shop.Tests.CartTests.Adds", "7 Shop.Tests.CartTests.Sums"],
        &["CartTests: CartTests", "Open: CartTests"],
    );
    let text = r"<?php
namespace App\Tests;
class CartTest extends TestCase {
    protected function setUp(): void {}
    public function testAdds() {}
    #[Test]
    public function sums() {}
    public function helper() {}
}
";
    check(
        "tests/CartTest.php",
        text,
        &["5 App\\Tests\\CartTest::testAdds", "6 App\\Tests\\CartTest::sums"],
        &["setUp: CartTest"],
    );
    let text = r#"
final class CartTests: XCTestCase {
    override func setUp() {}
    func testAdds() {}
    func helper() {}
}
struct Sums {
    @Test func two() {}
}
"#;
    check(
        "Tests/ShopTests/CartTests.swift",
        text,
        &["4 CartTests/testAdds", "8 Sums/two"],
        &["setUp: CartTests"],
    );
}

#[test]
fn rspec_minitest_and_exunit() {
    let text = r#"
RSpec.describe Cart do
  let(:items) { [1] }
  before do
    open
  end
  context "with items" do
    it "adds" do
      expect(1).to eq(1)
    end
    it { is_expected.to be_empty }
  end
end
"#;
    check(
        "spec/cart_spec.rb",
        text,
        &["8 spec/cart_spec.rb:8", "11 spec/cart_spec.rb:11"],
        &["items: block of line 2", "before: block of line 2"],
    );
    let text = r#"
class CartTest < Minitest::Test
  def setup; end
  def test_adds
  end
  test "sums" do
  end
end
"#;
    check(
        "test/cart_test.rb",
        text,
        &["4 CartTest#test_adds", "6 test/cart_test.rb:6"],
        &["setup: CartTest"],
    );
    let text = r#"
defmodule CartTest do
  use ExUnit.Case
  setup do
    :ok
  end
  describe "add" do
    test "adds", %{cart: cart} do
      assert Cart.add(1)
    end
  end
end
"#;
    check("test/cart_test.exs", text, &["8 test/cart_test.exs:8"], &["setup: all"]);
}

#[test]
fn macros_of_c_and_cpp() {
    let text = r#"
#define TEST(a, b) void a##b()
class CartTest : public ::testing::Test { protected: void SetUp() override {} };
TEST(Cart, Adds) {
  EXPECT_EQ('}', '}');
}
TEST_F(CartTest, Sums) {}
TEST_CASE("a cart, empty", "[cart]") { SECTION("x") {} }
BOOST_AUTO_TEST_CASE(checks) {}
"#;
    check(
        "test/cart_test.cc",
        text,
        &["4 Cart.Adds", "7 CartTest.Sums", "8 a cart, empty", "9 checks"],
        &["SetUp: CartTest"],
    );
}

#[test]
fn broken_files_have_no_tests_or_bounded_ones() {
    for (path, text) in [
        ("a.test.js", "it('x', () => { ((([[[ `${`"),
        ("a.test.js", "describe('x"),
        ("a_spec.rb", "it 'x' do\n"),
        ("test_a.py", "def test_a(\n"),
        ("a_test.cc", "TEST(a, b) {"),
        ("a_test.go", "func TestA(t *T) { t.Run(\"x"),
    ] {
        let language = detect(Path::new(path), text.as_bytes()).expect("a known language");
        let facts = facts(language, path, text.as_bytes(), Limits::DEFAULT);
        let facts = FileFacts::new(path.to_owned(), language, facts);
        for test in file_tests(&facts, text.as_bytes(), &Collected::default()).tests {
            assert!(test.span.end <= text.len(), "{path}: {test:?}");
        }
        // The text may be shorter than when the facts were made.
        file_tests(&facts, b"", &Collected::default());
    }
}
