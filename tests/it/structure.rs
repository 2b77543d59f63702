//! The tools that use the catalog, on a small tree of several languages. The replies are the same
//! without an index, with one, and with an outdated one.

use std::time::Instant;

use codedb::engine::{Check, Engine, Local};
use codedb::index::store::Store;
use codedb::source::walk::Environment;
use codedb::tools::{self, Call};
use serde_json::json;

use crate::support::place::{Answer, Place, settle, without_items};

const CART_PY: &str = "\
'''The cart.'''
from shop import money


class Cart:
    '''Holds items.

    And more.
    '''

    def add(self, item):
        '''Adds an item.'''
        self.items.append(item)
        return total(self)


def total(cart):
    return money.add_all(cart.items)
";

const MONEY_PY: &str = "\
def add_all(prices):
    # add_all adds all prices.
    return sum(prices)
";

const TEST_CART_PY: &str = "\
from shop.cart import Cart, total


def test_total():
    assert total(Cart()) == 0
";

const LIB_RS: &str = "\
pub mod cart;

/// Greets.
pub fn greet() {
    cart::Cart::new().total();
}
";

const CART_RS: &str = "\
/// A cart.
pub struct Cart;

impl Cart {
    pub fn new() -> Cart {
        Cart
    }

    /// Counts.
    pub fn total(&self) -> u32 {
        0
    }
}
";

const API_TS: &str = "\
import { Total } from './types';
export function fetchTotal(): Total {
    return { fetchTotal: 1 };
}
";

/// The files of the tree in their final state.
const FILES: &[(&str, &str)] = &[
    ("shop/__init__.py", ""),
    ("shop/cart.py", CART_PY),
    ("shop/money.py", MONEY_PY),
    ("tests/test_cart.py", TEST_CART_PY),
    ("rust/src/lib.rs", LIB_RS),
    ("rust/src/cart.rs", CART_RS),
    ("rust/Cargo.toml", "[package]\nname = \"rusty\"\n"),
    ("web/api.ts", API_TS),
    ("web/types.d.ts", "export interface Total { fetchTotal: number }\n"),
    ("web/api.d.ts", "export declare function fetchTotal(): Total;\n"),
    ("native/cart.h", "int cart_total(int cart);\n"),
    ("native/cart.c", "#include \"cart.h\"\n\nint cart_total(int cart) {\n  return cart;\n}\n"),
    ("vendor/lib/cart.py", "def total(cart):\n    return 0\n"),
    ("notes.md", "# Cart\n\nThe total of a Cart is its total.\n"),
];

/// The tree without an index, with one, and with an outdated one.
fn places() -> [Place; 3] {
    let [walked, indexed, edited] = [Place::new(), Place::new(), Place::new()];
    for place in [&walked, &indexed] {
        for (path, text) in FILES {
            place.write(path, text);
        }
    }
    for (path, text) in FILES {
        if !path.ends_with("money.py") {
            edited.write(path, format!("\n{}\n", text.replace("total", "sum_of")));
        }
    }
    edited.write("gone.py", "def total(): pass\n");
    settle();
    for place in [&indexed, &edited] {
        place.index(&["-q"]).expect_success();
    }
    for (path, text) in FILES {
        edited.write(path, text);
    }
    std::fs::remove_file(edited.root().join("gone.py")).expect("it exists");
    [walked, indexed, edited]
}

fn tool(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    let answer = Answer::of(command);
    if !args.contains(&"--json") {
        return answer;
    }
    Answer { stdout: without_items(&answer.text()).into_bytes(), ..answer }
}

/// Runs the same query on all three and returns the text of each reply.
#[track_caller]
fn check(places: &[Place; 3], args: &[&str], expected: &str) {
    for (place, which) in places.iter().zip(["without an index", "with one", "after edits"]) {
        let answer = tool(place, args);
        assert_eq!(answer.text(), expected, "{args:?} {which}: {}", answer.stderr);
        assert_eq!(answer.code, i32::from(expected.is_empty()), "{args:?} {which}");
    }
}

/// The same for a query that fails with an error that contains these words.
#[track_caller]
fn check_error(places: &[Place; 3], args: &[&str], words: &[&str]) {
    for place in places {
        let answer = tool(place, args);
        let code = if answer.stderr.contains("is not defined") { 1 } else { 2 };
        assert_eq!((answer.text(), answer.code), (String::new(), code), "{}", answer.stderr);
        for word in words {
            assert!(answer.stderr.contains(word), "{args:?}, {word}: {}", answer.stderr);
        }
    }
}

#[test]
fn symbol_finds_definitions() {
    let places = places();
    let check = |args: &[&str], expected: &str| check(&places, args, expected);
    // Own sources come before tests and vendored code; a method counts as a function.
    let expected = "\
method Cart::total  rust/src/cart.rs:10-12  pub fn total(&self) -> u32
  Counts.
function total  shop/cart.py:17-18  def total(cart)
function total  vendor/lib/cart.py:1-2  def total(cart)  vendored
";
    check(&["symbol", "total"], expected);
    let expected = "\
struct Cart  rust/src/cart.rs:2-2  pub struct Cart
  A cart.
class Cart  shop/cart.py:5-14  class Cart
  Holds items.
";
    check(&["symbol", "Cart", "--path-glob", "*.{py,rs}"], expected);
    // Definitions before declarations.
    let expected = "\
function fetchTotal  web/api.ts:2-4  export function fetchTotal(): Total
function fetchTotal  web/api.d.ts:1-1  export declare function fetchTotal(): Total  declaration
";
    check(&["symbol", "fetchTotal", "--kind", "function"], expected);
    let expected = "\
function cart_total  native/cart.c:3-5  int cart_total(int cart)
prototype cart_total  native/cart.h:1-1  int cart_total(int cart)
";
    check(&["symbol", "cart_total"], expected);
    check(&["symbol", "total", "--kind", "struct"], "");
}

#[test]
fn symbol_lists_public_definitions_first() {
    let files = [
        ("CHANGES.md", "# Context\n"),
        ("src/a_private.rs", "struct Context;\npub struct Other { pub Context: u8 }\n"),
        ("src/a_tests.rs", "mod tests {\n    pub struct Context;\n}\n"),
        ("src/alias.rs", "pub type Context = crate::join::Context;\n"),
        ("src/fs/mocks.rs", "pub struct Context;\n"),
        ("src/join.rs", "cfg_rt! {\n    /// The real one.\n    pub struct Context;\n}\n"),
        ("src/lib.d.ts", "export declare class Context {}\n"),
    ];
    let place = Place::new();
    for (path, text) in files {
        place.write(path, text);
    }
    let expected = "\
struct Context  src/join.rs:3-3  pub struct Context
  The real one.
struct Context  src/a_private.rs:1-1  struct Context
field Other::Context  src/a_private.rs:2-2  pub Context: u8
type Context  src/alias.rs:1-1  pub type Context = crate::join::Context
struct tests::Context  src/a_tests.rs:2-2  pub struct Context  test
struct Context  src/fs/mocks.rs:1-1  pub struct Context
class Context  src/lib.d.ts:1-1  export declare class Context  declaration
section Context  CHANGES.md:1-1  # Context
";
    for when in ["without an index", "with an index"] {
        let answer = tool(&place, &["symbol", "Context"]);
        assert_eq!(answer.text(), expected, "{when}: {}", answer.stderr);
        let explained = tool(&place, &["explain", "Context"]).text();
        assert!(explained.contains("src/join.rs:3"), "{when}: {explained}");
        assert!(!explained.contains("mocks"), "{when}: {explained}");
        place.index(&["-q"]).expect_success();
    }
}

#[test]
fn symbol_understands_qualified_names() {
    let places = places();
    let check = |args: &[&str], expected: &str| check(&places, args, expected);
    let method = "\
method Cart.add  shop/cart.py:11-14  def add(self, item)
  Adds an item.
";
    for name in ["Cart.add", "Cart::add", "shop.cart.Cart.add", "shop/cart.py#Cart.add#0"] {
        check(&["symbol", name], method);
    }
    check(&["symbol", "shop.cart.total"], "function total  shop/cart.py:17-18  def total(cart)\n");
    let expected = "\
method Cart::total  rust/src/cart.rs:10-12  pub fn total(&self) -> u32
  Counts.
10      pub fn total(&self) -> u32 {
11          0
12      }
";
    check(&["symbol", "crate::cart::Cart::total", "--body"], expected);
}

#[test]
fn symbol_finds_partial_and_misspelled_names() {
    let places = places();
    let check = |args: &[&str], expected: &str| check(&places, args, expected);
    check(
        &["symbol", "--prefix", "add_"],
        "function add_all  shop/money.py:1-3  def add_all(prices)\n",
    );
    let total = "function test_total  tests/test_cart.py:4-5  def test_total()  test\n";
    check(&["symbol", "--pattern", "test_*"], total);
    check(&["symbol", "--pattern", "t_tot", "--kind", "function"], {
        "\
function cart_total  native/cart.c:3-5  int cart_total(int cart)
function test_total  tests/test_cart.py:4-5  def test_total()  test
"
    });
    check(&["symbol", "--fuzzy", "fetchtotl", "--path-glob", "web/*.ts", "--max-results", "1"], {
        "function fetchTotal  web/api.ts:2-4  export function fetchTotal(): Total\n"
    });
    check(&["symbol", "--prefix", "zzz"], "");
    check_error(&places, &["symbol", "totl"], &["`totl` is not defined", "`total`"]);
    check_error(&places, &["symbol", "Basket.total"], &["`Basket.total`", "`total`"]);
    check_error(&places, &["symbol", "total", "--prefix", "x"], &["`NAME` and `--prefix` exclude"]);
    check_error(&places, &["symbol"], &["missing argument: `NAME`, `--prefix`"]);
    check_error(
        &places,
        &["symbol", "total", "--kind", "thing"],
        &["unknown kind `thing`", "function"],
    );
    check_error(&places, &["symbol", "--pattern", "a[b"], &["invalid glob"]);
}

#[test]
fn symbol_prints_json() {
    let expected = concat!(
        r#"{"status":"ok","symbols":[{"name":"add_all","qualified_name":"add_all","#,
        r#""kind":"function","path":"shop/money.py","relative_path":"shop/money.py","line":1,"end_line":3,"#,
        r##""signature":"def add_all(prices)","id":"shop/money.py#add_all#0","##,
        r#""visibility":"public"}],"shown":1,"total":1}"#,
        "\n"
    );
    check(&places(), &["symbol", "add_all", "--json"], expected);
}

#[test]
fn word_lists_every_place() {
    let places = places();
    let check = |args: &[&str], expected: &str| check(&places, args, expected);
    let expected = "\
shop/cart.py  1 place
  18  return money.add_all(cart.items)
shop/money.py  2 places
  1  def add_all(prices):
  2  # add_all adds all prices.
";
    check(&["word", "add_all"], expected);
    // Vendored code comes last; a line with two occurrences is listed once.
    let expected = "\
notes.md  2 places
  3  The total of a Cart is its total.
";
    check(&["word", "total", "--max-results", "2"], expected);
    let expected = concat!(
        r#"{"status":"ok","word":"total","files":[{"path":"notes.md","relative_path":"notes.md","count":2,"#,
        r#""lines":[{"line":3,"text":"The total of a Cart is its total."}]},"#,
        r#"{"path":"rust/src/cart.rs","relative_path":"rust/src/cart.rs","count":1,"#,
        r#""lines":[{"line":10,"text":"pub fn total(&self) -> u32 {"}]}],"#,
        r#""files_shown":2,"files_total":6,"shown":2,"total":9,"next_offset":3}"#,
        "\n"
    );
    check(&["word", "total", "--offset", "1", "--max-results", "2", "--json"], expected);
    let expected = "vendor/lib/cart.py  1 place  vendored\n  1  def total(cart):\n";
    check(&["word", "total", "--offset", "8"], expected);
    check(&["word", "totally"], "");
    check_error(
        &places,
        &["word", "cart.total"],
        &["not a single identifier (2–64 bytes): `cart.total`", "`search`"],
    );
}

/// Each caller is followed once, and calls of one function are one line.
#[test]
fn callers_of_callers_are_a_tree() {
    let place = Place::new();
    place.write(
        "a.rs",
        "pub fn one() {}\nfn two() { one(); one(); }\nfn three() { two(); }\n\
         fn four() { three(); two(); four(); }\n",
    );
    let text = tool(&place, &["callers", "one", "--depth", "3"]).expect_success().text();
    let expected = "\
a.rs:1  function one  2 callers
  a.rs:2  two  (2 calls)
    a.rs:3  three
      a.rs:4  four  (listed elsewhere)
    a.rs:4  four
      a.rs:4  four  (listed elsewhere)
";
    assert_eq!(text, expected);
    let reply = tool(&place, &["callers", "one", "--depth", "2", "--json"]).text();
    let reply: serde_json::Value = serde_json::from_str(&reply).expect("JSON");
    let tree = &reply["definitions"][0]["tree"];
    assert_eq!((&tree[0]["name"], &tree[0]["calls"]), (&json!("two"), &json!(2)));
    assert_eq!(tree[0]["callers"].as_array().map(Vec::len), Some(2));
    // With one level, the reply has no tree.
    let reply = tool(&place, &["callers", "one", "--json"]).text();
    assert!(!reply.contains("\"tree\""), "{reply}");
}

#[test]
fn explain_lists_everything_about_a_name() {
    let places = places();
    let check = |args: &[&str], expected: &str| check(&places, args, expected);
    let expected = "\
function total  shop/cart.py:17-18  def total(cart)
uses: calls 2, imports 1
callers: 2
  shop/cart.py:14  in Cart.add  return total(self)
  tests/test_cart.py:5  in test_total  assert total(Cart()) == 0
callees: 1
  function add_all  shop/money.py:1-3
tests: 1
  tests/test_cart.py  calls it  0.96  1 test
";
    check(&["explain", "shop.cart.total"], expected);
    let path = ["explain", "total", "--path", "shop/cart.py"];
    check(&path, expected);
    check(&["explain", "shop/cart.py#total#0"], expected);
    let expected = "\
method Cart::total  rust/src/cart.rs:10-12  pub fn total(&self) -> u32
  id rust/src/cart.rs#Cart::total#0
function total  shop/cart.py:17-18  def total(cart)
  id shop/cart.py#total#0
";
    check(&["explain", "total"], expected);
    let answer = tool(&places[1], &["explain", "total"]).expect_success();
    for word in ["2 definitions of that name", "`--path`", "1 other definition"] {
        assert!(answer.stderr.contains(word), "{word}: {}", answer.stderr);
    }
    let json = tool(&places[1], &["explain", "total", "--json"]).expect_success().text();
    assert!(json.starts_with(r#"{"status":"ambiguous","choices":{"list":["#), "{json}");
    let json = tool(&places[1], &["explain", "add_all", "--json"]).expect_success().text();
    for part in [r#""status":"ok""#, r#""uses":{"call":1}"#, r#""source":"hybrid""#] {
        assert!(json.contains(part), "{part}: {json}");
    }
    check_error(&places, &["explain", "totl"], &["`totl` is not defined", "`total`"]);
}

#[test]
fn snapshot_writes_the_whole_structure() {
    let places = places();
    let of = |place: &Place| {
        let text = tool(place, &["snapshot"]).expect_success().text();
        let (head, rest) = text.split_once('\n').expect("lines");
        assert!(head.starts_with(r#"{"status":"ok","generation":"#), "{head}");
        assert!(head.ends_with(r#","total":14,"files":["#), "{head}");
        serde_json::from_str::<serde_json::Value>(&text).expect("valid JSON");
        rest.to_owned()
    };
    let [walked, indexed, edited] = [of(&places[0]), of(&places[1]), of(&places[2])];
    assert_eq!((&indexed, &edited), (&walked, &walked));
    let expected = concat!(
        r#"{"path":"rust/src/lib.rs","lines":6,"language":"rust","symbols":["#,
        r#"{"name":"cart","qualified_name":"cart","kind":"module","line":1,"end_line":1,"#,
        r#""visibility":"public"},{"name":"greet","qualified_name":"greet","kind":"function","#,
        r#""line":4,"end_line":6,"visibility":"public"}],"imports":[{"module":"cart","line":1,"#,
        r#""kind":"submodule","files":["rust/src/cart.rs"]}]}"#,
    );
    let line = walked.lines().find(|line| line.contains("rust/src/lib.rs\",\"lines"));
    assert_eq!(line.map(|line| line.trim_end_matches(',')), Some(expected));
    assert!(walked.ends_with("\n]}\n"));
}

#[test]
fn outlines_are_the_same_from_the_index() {
    let places = places();
    for (path, _) in FILES {
        for flags in [&[][..], &["--json"], &["--compact", "--json"]] {
            let args = [&["outline", path], flags].concat();
            let [walked, indexed, edited] = places.each_ref().map(|place| tool(place, &args));
            assert_eq!((&indexed, &edited), (&walked, &walked), "{args:?}");
        }
    }
    check(&places, &["outline", "web/api.ts", "--compact"], "function fetchTotal  2-4\n");
    let expected = concat!(
        r#"{"path":"web/api.ts","relative_path":"web/api.ts","language":"typescript","symbols":[{"name":"fetchTotal","#,
        r#""kind":"function","line":2,"end_line":4,"depth":0}],"shown":1,"total":1,"problems":{}}"#,
        "\n"
    );
    check(&places, &["outline", "web/api.ts", "--compact", "--json"], expected);
}

/// Prints the time of warm calls: `cargo test -- --ignored --nocapture warm_calls`.
#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "a measurement is for who runs it")]
fn warm_calls_take_microseconds() {
    let place = Place::new();
    for file in 0..7000 {
        let text = CART_PY.replace("add", &format!("add{file}")).repeat(4);
        place.write(format!("d{}/f{file}.py", file / 40), text);
    }
    settle();
    place.index(&["-q"]).expect_success();
    let root = place.root();
    let environment = Environment { global_excludes: None, threads: 2 };
    let engine = Engine::new(root, Store::new(place.store(), false), environment);
    let local = Local::new(&engine, Check::Trust);
    let call = Call::new(&local, 0);
    let requested = [
        ("symbol", json!({"name": "add7"})),
        ("symbol", json!({"name": "Cart.add7"})),
        ("symbol", json!({"name": "Cart"})),
        ("symbol", json!({"prefix": "add69"})),
        ("symbol", json!({"fuzzy": "ad7"})),
        ("word", json!({"word": "add7"})),
        ("word", json!({"word": "Cart"})),
        ("outline", json!({"path": "d3/f123.py"})),
        ("read", json!({"path": "d3/f123.py", "symbol": "Cart.add123"})),
        ("read", json!({"path": "d3/f123.py", "line_end": 1})),
        ("explain", json!({"name": "add7", "path": "d0/f7.py"})),
    ];
    for (name, args) in requested {
        let tool = tools::find(name).expect("it is in the table");
        let mut times: Vec<u128> = (0..21)
            .map(|_| {
                let start = Instant::now();
                let _ = tool.run(&call, args.clone());
                start.elapsed().as_micros()
            })
            .collect();
        let first = times[0];
        times.sort_unstable();
        println!("{name} {args}: {} µs, the first time {first} µs", times[10]);
    }
}
