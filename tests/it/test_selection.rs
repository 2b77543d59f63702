//! Selected tests: the weaker sources of evidence, and selections of nearly everything.

use serde_json::Value;

use crate::support::place::{Answer, Place};

fn git(place: &Place, args: &[&str]) {
    let mut command = place.command("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
    Answer::of(command).expect_success();
}

fn suggested(place: &Place, args: &[&str]) -> Value {
    let mut command = place.codedb("suggest-tests");
    command.args(args).arg("--json");
    let answer = Answer::of(command);
    serde_json::from_slice(&answer.stdout).unwrap_or_else(|_| panic!("{}", answer.stderr))
}

/// Returns the file and the source of each test.
fn sources(reply: &Value) -> Vec<String> {
    let tests = reply["tests"].as_array().unwrap_or_else(|| panic!("{reply}"));
    let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    tests.iter().map(|of| format!("{} {}", text(&of["path"]), text(&of["source"]))).collect()
}

#[test]
fn a_selection_of_nearly_everything_runs_all_tests() {
    let place = Place::new();
    place.write("cart.py", "def add(a, b):\n    return a + b\n");
    let uses = "from cart import add\n\ndef test_add():\n    assert add(1, 2) == 3\n";
    for number in 0..9 {
        place.write(format!("tests/test_{number}.py"), uses);
    }
    let reply = suggested(&place, &["cart.py"]);
    assert_eq!(reply["run_all"], true, "{reply}");
    assert_eq!(reply["commands"], serde_json::json!(["pytest"]), "{reply}");
    assert!(reply["message"].as_str().is_some_and(|text| text.contains("run all")), "{reply}");
    for number in 0..20 {
        place.write(format!("tests/test_more_{number}.py"), "def test_other():\n    pass\n");
    }
    let reply = suggested(&place, &["cart.py"]);
    assert_eq!(reply["run_all"], Value::Null, "{reply}");
}

#[test]
fn tests_in_changed_files_come_last() {
    let place = Place::new();
    place.write("cart.py", "def add(a, b):\n    return a + b\n");
    let uses = "from cart import add\n\ndef test_add():\n    assert add(1, 2) == 3\n";
    place.write("tests/test_cart.py", uses);
    place.write("tests/test_odd.py", "def helper():\n    return 1\n\ndef test_odd():\n    pass\n");
    git(&place, &["init", "-q"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "a"]);
    place.write("cart.py", "def add(a, b):\n    return b + a\n");
    place.write("tests/test_odd.py", "def helper():\n    return 2\n\ndef test_odd():\n    pass\n");
    let reply = suggested(&place, &[]);
    assert_eq!(
        sources(&reply),
        ["tests/test_cart.py direct", "tests/test_odd.py working_tree"],
        "{reply}"
    );
}

#[test]
fn files_that_change_together_are_a_guess() {
    let place = Place::new();
    git(&place, &["init", "-q"]);
    place.write("tests/test_else.py", "def test_else():\n    pass\n");
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "a"]);
    for number in 0..6 {
        place.write("cart.py", format!("def add(a, b):\n    return a + b + {number}\n"));
        let end_to_end = format!("import subprocess\n\ndef test_zip():\n    run({number})\n");
        place.write("tests/test_shop.py", &end_to_end);
        git(&place, &["add", "."]);
        git(&place, &["commit", "-qm", "a"]);
    }
    place.index(&["--stage", "full", "--wait", "full"]).expect_success();
    let reply = suggested(&place, &["cart.py"]);
    assert_eq!(sources(&reply), ["tests/test_shop.py co_change"], "{reply}");
    assert_eq!(reply["status"], "partial", "{reply}");
}

#[test]
fn an_edited_fixture_selects_the_tests_that_request_it() {
    let place = Place::new();
    place.write("pyproject.toml", "[project]\nname = \"shop\"\n");
    let conftest = "import pytest\n\n\n@pytest.fixture\ndef db():\n    return 1\n\n\n\
                    @pytest.fixture\ndef user(db):\n    return db\n";
    place.write("tests/conftest.py", conftest);
    let tests = "import pytest\n\n\n@pytest.mark.usefixtures(\"db\")\ndef test_used():\n    pass\n\n\n\
                 def test_user(user):\n    pass\n\n\ndef test_none():\n    pass\n";
    place.write("tests/test_shop.py", tests);
    git(&place, &["init", "-q"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-qm", "a"]);
    let direct = |reply: &Value| {
        let tests = reply["tests"].as_array().expect("tests").iter();
        let mut names: Vec<String> = tests
            .filter(|of| of["source"] == "direct")
            .map(|of| of["test_id"].as_str().unwrap_or_default().to_owned())
            .collect();
        names.sort();
        names
    };
    let expected = ["tests/test_shop.py::test_used", "tests/test_shop.py::test_user"];
    let reply = suggested(&place, &["--functions", "db"]);
    assert_eq!(direct(&reply), expected, "{reply}");
    place.write("tests/conftest.py", conftest.replace("return 1", "return 2"));
    let reply = suggested(&place, &[]);
    assert_eq!(direct(&reply), expected, "{reply}");
}

#[test]
fn code_of_tests_is_never_without_a_test() {
    let place = Place::new();
    place.write("Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n");
    let book = "pub fn lonely() -> u8 { 1 }\npub fn used() -> u8 { 2 }\n\
                #[cfg(test)]\nmod checks {\n    fn spare() -> u8 { 1 }\n    #[test]\n    \
                fn uses() { super::used(); }\n}\n";
    place.write("src/lib.rs", book);
    let helpers = "import pytest\n\n\n@pytest.fixture\ndef unused():\n    return 1\n\n\n\
                   def helper():\n    return 2\n\n\ndef test_nothing():\n    pass\n";
    place.write("tests/test_shop.py", helpers);
    let mut gaps = place.codedb("test-gaps");
    gaps.arg("--json");
    let gaps: Value = serde_json::from_slice(&Answer::of(gaps).stdout).expect("JSON");
    let names: Vec<&Value> =
        gaps["gaps"].as_array().expect("gaps").iter().map(|gap| &gap["function"]).collect();
    assert_eq!(names, ["lonely"], "{gaps}");
    let reply = suggested(&place, &["src/lib.rs"]);
    assert_eq!(reply["untested"], serde_json::json!(["src/lib.rs: lonely"]), "{reply}");
    let reply = suggested(&place, &["tests/test_shop.py"]);
    assert_eq!(reply["untested"], Value::Null, "{reply}");
}

#[test]
fn fixtures_keep_their_tests_whatever_their_names_are() {
    let place = Place::new();
    place.write("shop/__init__.py", "");
    let order = "class Order:\n    def __init__(self, total):\n        self.total = total\n\n    \
                 def pay(self):\n        return self.total\n";
    place.write("shop/order.py", order);
    // The factory that the fixture returns makes the call.
    let conftest = "import pytest\n\nfrom shop.order import Order\n\n\n@pytest.fixture\n\
                    def make_paid_one():\n    def make(total=1):\n        made = Order(total)\n        \
                    made.pay()\n        return made\n    return make\n";
    place.write("tests/conftest.py", conftest);
    let tests = "def test_total(make_paid_one):\n    assert make_paid_one(3).total == 3\n\n\n\
                 def test_none():\n    pass\n";
    place.write("tests/test_shop.py", tests);
    let reply = suggested(&place, &["--functions", "Order.pay"]);
    assert_eq!(reply["tests"][0]["test_id"], "tests/test_shop.py::test_total", "{reply}");
    assert_eq!(reply["tests"][0]["source"], "hybrid", "{reply}");
    assert_eq!(likely(&reply), ["tests/test_shop.py::test_total"], "{reply}");
}

/// Returns the ids of the tests with a score of at least 0.1, sorted.
fn likely(reply: &Value) -> Vec<String> {
    let tests = reply["tests"].as_array().unwrap_or_else(|| panic!("{reply}")).iter();
    let tests = tests.filter(|of| of["score"].as_f64().is_some_and(|score| score >= 0.1));
    let mut ids: Vec<String> =
        tests.map(|of| of["test_id"].as_str().unwrap_or_default().to_owned()).collect();
    ids.sort();
    ids
}

/// Checks that the tests that are named like `function` are first, with the source `names`.
fn check_names(files: &[(&str, &str)], function: &str, expected: &[&str]) {
    let place = Place::new();
    for (path, text) in files {
        place.write(path, text);
    }
    let reply = suggested(&place, &["--functions", function]);
    let tests = reply["tests"].as_array().unwrap_or_else(|| panic!("{reply}"));
    let mut first: Vec<&str> = tests
        .iter()
        .take_while(|of| of["source"] == "names")
        .filter_map(|of| of["test_id"].as_str())
        .collect();
    first.sort_unstable();
    assert_eq!(first, expected, "{function}: {reply}");
    assert!(!reply["commands"].as_array().expect("commands").is_empty(), "{reply}");
}

#[test]
fn tests_with_matching_names_are_delivered_where_calls_give_nothing() {
    // An accessor, and a directory of tests that is named like its file.
    let response = "module.exports = {\n  get body () {\n    return this._body\n  },\n\n  \
                    get status () {\n    return this.res.statusCode\n  }\n}\n";
    let body = "const { describe, it } = require('node:test')\nconst { start } = \
                require('../../helpers/start')\n\ndescribe('res.body=', () => {\n  \
                it('should set the type', () => { start('type') })\n  \
                it('should override', () => { start('override') })\n})\n";
    let status = "const { it } = require('node:test')\nit('is sent', () => {})\n";
    check_names(
        &[
            ("package.json", r#"{"name": "web", "devDependencies": {"jest": "1"}}"#),
            ("lib/response.js", response),
            ("helpers/start.js", "exports.start = (name) => process.emit(name)\n"),
            ("__tests__/response/body.test.js", body),
            ("__tests__/request/header.test.js", status),
        ],
        "body",
        &[
            "__tests__/response/body.test.js > res.body= > should override",
            "__tests__/response/body.test.js > res.body= > should set the type",
        ],
    );
    // A program that is started, and a file of tests with its name.
    check_names(
        &[
            ("shop/refunds.py", "def settle_refund(order):\n    return order\n"),
            (
                "tests/test_refunds.py",
                "import subprocess\n\n\ndef test_settle_refund():\n    \
                 subprocess.run(['shop', 'refund'])\n",
            ),
            ("tests/test_mail.py", "def test_sends():\n    pass\n"),
        ],
        "settle_refund",
        &["tests/test_refunds.py::test_settle_refund"],
    );
    check_names(
        &[
            ("go.mod", "module shop\n\ngo 1.20\n"),
            ("upload.go", "package shop\n\nfunc handleUpload(n int) int { return n }\n"),
            (
                "upload_test.go",
                "package shop_test\n\nimport \"testing\"\n\n\
                 func TestHandleUpload(t *testing.T) { post(t, \"/upload\") }\n",
            ),
            (
                "mail_test.go",
                "package shop_test\n\nimport \"testing\"\n\nfunc TestMail(t *testing.T) {}\n",
            ),
        ],
        "handleUpload",
        &["TestHandleUpload"],
    );
    check_names(
        &[
            ("Gemfile", "gem 'rspec'\n"),
            ("lib/report.rb", "class Report\n  def render_totals\n    1\n  end\nend\n"),
            (
                "spec/report_spec.rb",
                "describe 'report' do\n  it 'render totals' do\n    system('report')\n  end\nend\n",
            ),
            (
                "spec/mail_spec.rb",
                "describe 'mail' do\n  it 'sends' do\n    system('mail')\n  end\nend\n",
            ),
        ],
        "render_totals",
        &["spec/report_spec.rb:2"],
    );
    check_names(
        &[
            ("pom.xml", "<project/>\n"),
            (
                "src/main/java/shop/Cart.java",
                "package shop;\n\npublic class Cart {\n    int applyDiscount(int n) { return n; }\n}\n",
            ),
            (
                "src/test/java/shop/CartTest.java",
                "package shop;\n\nimport org.junit.jupiter.api.Test;\n\nclass CartTest {\n    \
                 @Test\n    void applyDiscount() { run(\"discount\"); }\n}\n",
            ),
            (
                "src/test/java/shop/MailTest.java",
                "package shop;\n\nimport org.junit.jupiter.api.Test;\n\nclass MailTest {\n    \
                 @Test\n    void sends() { run(\"mail\"); }\n}\n",
            ),
        ],
        "Cart.applyDiscount",
        &["shop.CartTest#applyDiscount"],
    );
}

#[test]
fn methods_that_a_language_calls_have_the_tests_that_construct_their_type() {
    let check = |files: &[(&str, &str)], functions: &[(&str, &str)]| {
        let place = Place::new();
        for (path, text) in files {
            place.write(path, text);
        }
        for (function, expected) in functions {
            let reply = suggested(&place, &["--functions", function]);
            assert_eq!(reply["tests"][0]["test_id"], *expected, "{function}: {reply}");
            assert_eq!(reply["tests"][0]["source"], "hybrid", "{function}: {reply}");
        }
    };
    let conn = "class Conn:\n    def __enter__(self):\n        return self\n\n    \
                def __exit__(self, *args):\n        pass\n\n    def __iter__(self):\n        \
                return iter([1])\n\n    def __str__(self):\n        return 'conn'\n";
    let tests = "from pool.conn import Conn\n\n\ndef test_opens():\n    with Conn():\n        \
                 pass\n\n\ndef test_loop():\n    for one in Conn():\n        assert one\n\n\n\
                 def test_text():\n    assert f'{Conn()}' == 'conn'\n";
    check(
        &[("pool/__init__.py", ""), ("pool/conn.py", conn), ("tests/test_all.py", tests)],
        &[
            ("Conn.__enter__", "tests/test_all.py::test_opens"),
            ("Conn.__exit__", "tests/test_all.py::test_opens"),
            ("Conn.__iter__", "tests/test_all.py::test_loop"),
            ("Conn.__str__", "tests/test_all.py::test_text"),
        ],
    );
    // A method that overrides one of its base, and one that a dispatcher calls by its name.
    let view = "class View:\n    def dispatch(self, method):\n        \
                return getattr(self, method)()\n\n    def load(self):\n        \
                return self.convert(1)\n\n    def convert(self, value):\n        return value\n";
    let cart = "from shop.view import View\n\n\nclass CartView(View):\n    def patch(self):\n        \
                return 1\n\n    def convert(self, value):\n        return str(value)\n";
    let tests = "from shop.cart import CartView\n\n\ndef test_change():\n    \
                 assert CartView().dispatch('patch')\n\n\ndef test_other():\n    pass\n";
    check(
        &[
            ("shop/__init__.py", ""),
            ("shop/view.py", view),
            ("shop/cart.py", cart),
            ("tests/test_all.py", tests),
        ],
        &[
            ("CartView.patch", "tests/test_all.py::test_change"),
            ("CartView.convert", "tests/test_all.py::test_change"),
        ],
    );
    let money = "package shop\n\ntype Money struct{ Cents int }\n\n\
                 func (m Money) String() string { return \"m\" }\n";
    let tests = "package shop\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\n\
                 func TestPrint(t *testing.T) {\n\tif fmt.Sprint(Money{3}) != \"3\" {\n\t\t\
                 t.Fatal()\n\t}\n}\n\nfunc TestZero(t *testing.T) {}\n";
    check(
        &[("go.mod", "module shop\n\ngo 1.20\n"), ("money.go", money), ("all_test.go", tests)],
        &[("Money.String", "TestPrint")],
    );
    let money =
        "pub struct Money(pub u32);\n\nimpl Drop for Money {\n    fn drop(&mut self) {}\n}\n";
    let tests = "use shop::Money;\n\n#[test]\nfn holds() {\n    assert_eq!(Money(3).0, 3);\n}\n\n\
                 #[test]\nfn nothing() {}\n";
    check(
        &[
            ("Cargo.toml", "[package]\nname = \"shop\"\nedition = \"2021\"\n"),
            ("src/lib.rs", money),
            ("tests/all.rs", tests),
        ],
        &[("drop", "holds")],
    );
    let basket = "class Basket\n  include Enumerable\n\n  def each\n    yield 1\n  end\nend\n";
    let tests = "require 'basket'\n\ndescribe 'all' do\n  it 'counts' do\n    \
                 expect(Basket.new.map { |x| x }).to eq [1]\n  end\n\n  it 'nothing' do\n    \
                 expect(1).to eq 1\n  end\nend\n";
    check(
        &[("Gemfile", "gem 'rspec'\n"), ("lib/basket.rb", basket), ("spec/all_spec.rb", tests)],
        &[("Basket#each", "spec/all_spec.rb:4")],
    );
    let list = "class List {\n  constructor (items) { this.items = items }\n  \
                toString () { return this.items.join() }\n}\nmodule.exports = { List }\n";
    let tests = "const { List } = require('../lib/list')\n\n\
                 test('joins', () => { expect(`${new List([1])}`).toBe('1') })\n\
                 test('zero', () => {})\n";
    check(
        &[
            ("package.json", r#"{"name": "shop", "devDependencies": {"jest": "1"}}"#),
            ("lib/list.js", list),
            ("test/all.test.js", tests),
        ],
        &[("List.toString", "test/all.test.js > joins")],
    );
}

#[test]
fn a_selection_is_filled_with_the_next_likely_tests() {
    let place = Place::new();
    place.write("shop/__init__.py", "");
    place.write("shop/cart.py", "def add(a, b):\n    return a + b\n");
    let tests = "from shop.cart import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\n\
                 def test_near():\n    pass\n";
    place.write("tests/test_cart.py", tests);
    for number in 0..20 {
        place.write(format!("tests/test_{number}.py"), "def test_far():\n    pass\n");
    }
    let reply = suggested(&place, &["--functions", "add"]);
    assert_eq!(likely(&reply), ["tests/test_cart.py::test_add"], "{reply}");
    let ids = ["tests/test_cart.py::test_add", "tests/test_cart.py::test_near"];
    let tests = reply["tests"].as_array().expect("tests");
    let found: Vec<&Value> = tests.iter().map(|of| &of["test_id"]).collect();
    assert_eq!(found, ids, "{reply}");
    assert_eq!(reply["unlikely"], 1, "{reply}");
    let message = reply["message"].as_str().unwrap_or_default();
    assert!(message.contains("1 of 2 tests is unlikely (below 0.10)"), "{reply}");
    assert_eq!(reply["commands"], serde_json::json!([format!("pytest {}", ids.join(" "))]));
}

#[test]
fn a_conditional_import_ranks_above_a_concatenation() {
    let place = Place::new();
    place.write("package.json", r#"{"name": "web", "devDependencies": {"jest": "1"}}"#);
    place.write("src/a.js", "exports.a = () => 1\n");
    let conditional =
        "const m = require(process.env.X || '../src/a')\ntest('z', () => { m.run() })\n";
    place.write("test/z.test.js", conditional);
    let concatenated =
        "const m = require('../src/' + process.env.X)\ntest('b', () => { m.run() })\n";
    place.write("test/b.test.js", concatenated);
    let evaluated = "const f = new Function('require', \"return require('./a')\")\n\
                     exports.n = () => f(require)\n";
    place.write("src/n.js", evaluated);
    let reply = suggested(&place, &["--functions", "a"]);
    let tests = reply["tests"].as_array().expect("tests");
    let ids: Vec<&str> = tests.iter().take(2).filter_map(|of| of["test_id"].as_str()).collect();
    assert_eq!(ids, ["test/z.test.js > z", "test/b.test.js > b"], "{reply}");
    let mut risk = place.codedb("risk-map");
    risk.args(["src", "--json"]);
    let risk: Value = serde_json::from_slice(&Answer::of(risk).stdout).expect("JSON");
    let files = risk["files"].as_array().expect("files");
    let of = files.iter().find(|file| file["path"] == "src/n.js").expect("the file");
    assert_eq!(of["dynamic_edge_count"], 1, "{risk}");
}

#[test]
fn helpers_of_tests_are_never_without_a_test() {
    let place = Place::new();
    place.write("shop/cart.py", "def lonely():\n    return 1\n");
    for path in ["tests/helpers.py", "tests/support/make.py", "shop/tests/factories.py"] {
        place.write(path, "def build_order(total):\n    return total\n");
    }
    place.write("__tests__/support/app.js", "exports.start = () => 1\n");
    place.write("spec/support/login.rb", "def log_in\n  1\nend\n");
    place.write("tests/test_shop.py", "def test_nothing():\n    pass\n");
    let mut gaps = place.codedb("test-gaps");
    gaps.arg("--json");
    let gaps: Value = serde_json::from_slice(&Answer::of(gaps).stdout).expect("JSON");
    let names: Vec<&Value> =
        gaps["gaps"].as_array().expect("gaps").iter().map(|gap| &gap["function"]).collect();
    assert_eq!(names, ["lonely"], "{gaps}");
    let reply = suggested(&place, &["--directory", "."]);
    assert_eq!(reply["untested"], serde_json::json!(["shop/cart.py: lonely"]), "{reply}");
}
