//! `codedb context` on small trees: the right files and definitions within the budget, for every
//! kind of task.

mod budget;
mod changes;
mod evidence;

use codedb::catalog::code::Code as _;
use codedb::engine::{self, Check, Engine, Local, Progress};
use codedb::index::store::Store;
use codedb::index::text::{Bm25, Query, rank};
use codedb::source::walk::Environment;
use serde_json::Value;

use crate::support::place::{Answer, Place, settle};

const CART_PY: &str = "\
'''The cart of a shop.'''
from shop.money import add_all


class Cart:
    '''Holds what a customer wants to buy.'''

    def add_item(self, item):
        '''Puts an item into the cart.'''
        self.items.append(item)

    def price(self):
        return add_all(self.items)
";

const MONEY_PY: &str = "\
def add_all(prices):
    '''Adds prices up, each rounded to cents.'''
    return sum(round(price, 2) for price in prices)


class CurrencyError(ValueError):
    pass
";

const LOGIN_PY: &str = "\
def check_password(name, password):
    '''Lets a customer log in.'''
    raise PermissionError('the password of %s is wrong' % name)
";

fn shop() -> Place {
    let place = Place::new();
    place.write("shop/cart.py", CART_PY);
    place.write("shop/money.py", MONEY_PY);
    place.write("shop/login.py", LOGIN_PY);
    place.write(
        "tests/test_cart.py",
        "from shop.cart import Cart\n\n\ndef test_add_item():\n    Cart().add_item(1)\n",
    );
    place.write("README.md", "# Shop\n\nA cart, money, and customers who log in.\n");
    place
}

fn ask(place: &Place, task: &str, args: &[&str]) -> Answer {
    let mut command = place.codedb("context");
    Answer::of({
        command.arg(task).args(args);
        command
    })
}

#[track_caller]
fn json(place: &Place, task: &str, args: &[&str]) -> Value {
    let answer = ask(place, task, &[args, &["--json"]].concat());
    assert!(answer.code < 2, "{}", answer.stderr);
    serde_json::from_str(&answer.text()).expect("JSON")
}

fn paths(reply: &Value) -> Vec<String> {
    let files = reply["files"].as_array().expect("a list").iter();
    files.map(|file| file["path"].as_str().expect("a path").to_owned()).collect()
}

/// Runs the same task with and without an index.
fn both(check: impl Fn(&Place)) {
    let place = shop();
    check(&place);
    Answer::of({
        let mut command = place.codedb("index");
        command.args(["--stage", "full", "--quiet"]);
        command
    })
    .expect_success();
    check(&place);
}

const CLIENT_PY: &str = "\
class Client:
    def open(self, address):
        self.address = address
        return self

    def again(self, call):
        # Sleeps twice as long after every failed attempt.
        pause = 1
        while not call():
            sleep(pause)
            pause *= 2

    def shut(self):
        self.address = None
";

#[test]
fn the_member_with_the_words_of_a_question_comes_first() {
    let place = shop();
    place.write("shop/client.py", CLIENT_PY);
    place.index(&["--stage", "full"]).expect_success();
    let reply = json(&place, "how long does the client pause after a failed attempt", &[]);
    assert_eq!(paths(&reply)[0], "shop/client.py");
    // The class is one chunk of the text index; its lines tell its members apart.
    assert_eq!(reply["symbols"][0]["name"], "again", "{reply}");
}

#[test]
fn words_in_neighbouring_lines_count_more_than_words_far_apart() {
    let place = Place::new();
    let filler = |from: usize| {
        let line = |at: usize| format!("    value = combine(value, {at})\n");
        (from..from + 30).map(line).collect::<String>()
    };
    let (near, far) = ("    retry_budget(walnut)\n", "    retry(value)\n");
    place.write("b_near.py", format!("def first(value):\n{}{near}{}", filler(0), filler(30)));
    place.write(
        "a_far.py",
        format!(
            "def second(value):\n{far}{}    budget(value)\n{}    walnut(value)\n",
            filler(0),
            filler(30)
        ),
    );
    place.index(&["--stage", "full"]).expect_success();
    let reply = json(&place, "where is the retry budget of a walnut computed", &[]);
    assert_eq!(paths(&reply), ["b_near.py", "a_far.py"], "{reply}");
    // The reasons are those of a question, whose weights differ from those of a commit subject.
    assert_eq!(reply["files"][0]["why"][0], "text", "{reply}");
}

#[test]
fn related_words_find_a_file_without_the_words_of_the_question() {
    let place = shop();
    place.write("shop/client.py", CLIENT_PY);
    place.index(&["--stage", "full"]).expect_success();
    // `sleep` stands for `wait`; no file contains the words of the question.
    let reply = json(&place, "how does it wait and block before the timeout elapses", &[]);
    assert_eq!(paths(&reply)[0], "shop/client.py", "{reply}");
    // A bare name is searched as it is.
    assert!(!paths(&json(&place, "wait", &[])).contains(&"shop/client.py".to_owned()));
}

#[test]
fn words_that_mean_nothing_find_nothing() {
    let place = shop();
    // `qux` and `boo` are related to `asdf`.
    place.write("shop/other.py", "def qux(boo):\n    return boo\n");
    place.index(&["--stage", "full"]).expect_success();
    let mut command = place.codedb("context");
    command.args(["asdf qwer zxcvb", "--json"]);
    let answer = Answer::of(command);
    assert_eq!(answer.code, 1, "{}", answer.text());
    let reply: Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    assert_eq!((&reply["status"], paths(&reply).len()), (&"no_data".into(), 0), "{reply}");
}

#[test]
fn a_missing_chain_between_two_definitions_is_stated() {
    let place = shop();
    place.index(&["--stage", "full"]).expect_success();
    let stderr = |task: &str| {
        let mut command = place.codedb("context");
        command.arg(task);
        Answer::of(command).expect_success().stderr
    };
    let none = stderr("how does check_password lead to add_all?");
    let note = "no chain of calls from `check_password` to `add_all` was found, nor back";
    assert!(none.contains(note), "{none}");
    let direct = stderr("how does Cart.price lead to add_all?");
    assert!(!direct.contains("no chain"), "{direct}");
}

#[test]
fn names_paths_and_stack_frames_find_their_files() {
    both(|place| {
        let first = |task: &str| paths(&json(place, task, &[])).into_iter().next();
        assert_eq!(first("add_item loses items").as_deref(), Some("shop/cart.py"));
        assert_eq!(first("CurrencyError is never raised").as_deref(), Some("shop/money.py"));
        assert_eq!(first("look into shop/login.py").as_deref(), Some("shop/login.py"));
        assert_eq!(first("see `shop.money.add_all`").as_deref(), Some("shop/money.py"));
        let trace = "It fails:\n  File \"/home/me/shop/login.py\", line 3, in check_password\n";
        assert_eq!(first(trace).as_deref(), Some("shop/login.py"));
    });
}

#[test]
fn plain_words_find_related_files() {
    let place = shop();
    Answer::of({
        let mut command = place.codedb("index");
        command.args(["--stage", "full", "--quiet"]);
        command
    })
    .expect_success();
    let first = |task: &str| paths(&json(&place, task, &[])).into_iter().next();
    assert_eq!(
        first("customers can not log in with the right password").as_deref(),
        Some("shop/login.py")
    );
    assert_eq!(first("prices are rounded wrong").as_deref(), Some("shop/money.py"));
    // An edit takes effect immediately.
    place.write(
        "shop/stock.py",
        "def warehouse():\n    '''Counts the shelves of the warehouse.'''\n",
    );
    assert_eq!(
        first("shelves of the warehouse are counted twice").as_deref(),
        Some("shop/stock.py")
    );
}

#[test]
fn a_bundle_has_definitions_lines_and_calls() {
    both(|place| {
        let answer = ask(place, "Where is `add_all` and who calls it?", &[]).expect_success();
        let text = answer.text();
        // A path is written once, the names of the task that were found not again.
        assert!(!text.contains("keywords"), "{text}");
        let below = "def:add_all\n  1-3  function add_all\n```\ndef add_all(prices):\n";
        assert!(text.starts_with("shop/money.py  ") && text.contains(below), "{text}");
        assert!(text.contains("add_all is called by\n  …/cart.py  Cart.price:13"), "{text}");
        assert_eq!(text.matches("shop/cart.py").count(), 1, "{text}");
        let text = ask(place, "Cart.add_item loses items", &[]).text();
        let test = "\n`pytest tests/test_cart.py`  calls it: test_add_item\n";
        assert!(text.contains(test), "{text}");
        // Definitions in tests are omitted if there are others.
        place.write("tests/helpers.py", "def add_all(prices):\n    return 0\n");
        let text = ask(place, "Where is `add_all` and who calls it?", &[]).text();
        assert!(text.contains("  1-3  function add_all\n"), "{text}");
        assert!(!text.contains("  1-2  function add_all\n"), "{text}");
        let unknown = ask(place, "Fix `no_such_name` of the cart", &[]).text();
        assert!(unknown.contains("no_such_name (not found"), "{unknown}");
        let misspelt = ask(place, "Fix `add_itm` of the cart in src/cart.py", &[]).text();
        assert!(misspelt.contains("add_itm (not found; did you mean `add_item`"), "{misspelt}");
        assert!(
            misspelt.contains("src/cart.py (not found; did you mean `shop/cart.py`"),
            "{misspelt}"
        );
    });
}

#[test]
fn files_are_included_and_excluded_by_arguments() {
    let place = shop();
    let task = "the cart of a customer, its money and its login";
    let within = paths(&json(&place, task, &["--paths", "shop/cart.py"]));
    assert!(within.iter().all(|path| path == "shop/cart.py"), "{within:?}");
    let task = "add_item of the cart";
    let without = paths(&json(&place, task, &["--exclude", "shop"]));
    assert!(
        !without.is_empty() && without.iter().all(|path| !path.starts_with("shop/")),
        "{without:?}"
    );
    assert_eq!(paths(&json(&place, task, &["--max-files", "1"])).len(), 1);
}

#[test]
fn an_invalid_task_returns_an_error_sentence() {
    let place = shop();
    for (task, args, expected) in [
        ("", &[][..], "empty or too short"),
        ("a", &[], "empty or too short"),
        ("find the cart", &["--max-tokens", "20"], "the minimum is 120"),
        (&"x ".repeat(40_000), &[], "the limit is 65536"),
    ] {
        let answer = ask(&place, task, args);
        assert_eq!(answer.code, 2, "{}", answer.text());
        assert!(answer.stderr.contains(expected), "{}", answer.stderr);
    }
    for task in ["the of and", "🦀🦀🦀", "\u{1}\u{2}\u{3}", "zzzzzz qqqqqq"] {
        let answer = ask(&place, task, &[]);
        assert!(answer.code < 2, "{task:?}: {}", answer.stderr);
    }
    let long = "x".repeat(5000);
    let answer = ask(&place, "find the cart", &["--since", &long, "--max-tokens", "120"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.len() < 300, "{}", answer.stderr);
}

#[test]
fn no_result_is_one_clear_sentence() {
    let place = shop();
    Answer::of({
        let mut command = place.codedb("index");
        command.args(["--stage", "full", "--quiet"]);
        command
    })
    .expect_success();
    for task in ["the of and", "🦀🦀🦀", "\u{1}\u{2}\u{3}", "zzzzzz qqqqqq", "購物車丟失商品"]
    {
        let answer = ask(&place, task, &[]);
        assert_eq!(answer.code, 1, "{}", answer.text());
        assert!(answer.text().starts_with("nothing in this tree matches the task"), "{task}");
        assert_eq!(answer.text().lines().count(), 1, "{}", answer.text());
        assert_eq!(json(&place, task, &[])["status"], "no_data", "{task}");
    }
    let near = ask(&place, "curency is missing", &[]).text();
    assert!(near.contains("did you mean `CurrencyError`"), "{near}");
    assert_eq!(json(&place, "prices are rounded wrong", &[])["status"], "ok");
    // Without the text index the reply may be incomplete.
    let bare = shop();
    assert_eq!(json(&bare, "prices are rounded wrong", &[])["status"], "partial");
}

#[test]
fn empty_trees_have_a_reply() {
    let place = Place::new();
    assert_eq!(ask(&place, "find the cart", &[]).code, 1);
    place.write("blob.bin", [0, 159, 146, 150, 0, 1, 2]);
    let answer = ask(&place, "find the cart in src/foo.rs", &[]);
    assert_eq!(answer.code, 1, "{}", answer.text());
    assert!(answer.text().contains("src/foo.rs (not found)"), "{}", answer.text());
}

#[test]
fn the_level_of_detail_is_an_argument() {
    let place = shop();
    let task = "where is `add_all`, which rounds each price";
    let of = |detail: &str| ask(&place, task, &["--detail", detail]).expect_success().text();
    let (lean, normal, full) = (of("lean"), of("normal"), of("full"));
    assert!(!lean.contains("```") && !lean.contains("## calls"), "{lean}");
    assert!(lean.contains("shop/money.py  def:add_all\n  1-3  add_all  def add_all("), "{lean}");
    assert!(normal.contains("    return sum(round(price, 2) for price in prices)"), "{normal}");
    assert!(lean.len() < normal.len() && normal.len() <= full.len(), "{full}");
}

#[test]
fn call_sites_are_fenced_and_name_their_definition() {
    let place = shop();
    let filler = "    pass\n".repeat(60);
    place.write(
        "shop/long.py",
        format!("def checkout(cart):\n{filler}    mark = '````'\n    snapshot(cart)\n{filler}"),
    );
    Answer::of({
        let mut command = place.codedb("index");
        command.args(["--stage", "full", "--quiet"]);
        command
    })
    .expect_success();
    let text = ask(&place, "where does `checkout` take the snapshot", &[]).text();
    let site = "  in checkout\n`````\n    pass\n    mark = '````'\n    snapshot(cart)\n    pass";
    assert!(text.contains("shop/long.py") && text.contains(&format!("  61-65{site}")), "{text}");
}

#[test]
fn an_edit_ranks_like_a_rebuild() {
    let place = shop();
    let engine = || {
        let environment = Environment { global_excludes: None, threads: 2 };
        Engine::new(place.root(), Store::new(place.base().join("store"), false), environment)
    };
    let build = |anew: bool| {
        engine::refresh(&engine(), &Progress::default()).expect("a search index");
        engine::build_code(&engine(), anew, &Progress::default()).expect("a code index");
    };
    let ranked = || {
        let engine = engine();
        let local = Local::new(&engine, Check::Strict);
        let overlay = local.ranking().expect("it is valid").expect("a text index");
        let query = Query::parse("the price of a cart, rounded and counted");
        let hits = rank(&overlay, &query, &Bm25::DEFAULT).expect("it is valid").chunks(50);
        hits.expect("it is valid").iter().map(|hit| format!("{hit:?}")).collect::<Vec<_>>()
    };
    settle();
    build(true);
    place.write("shop/cart.py", CART_PY.replace("price", "rounded_price"));
    place.write("shop/long.py", "# counted price\n".repeat(80_000));
    // Files that are not text: UTF-16 without a NUL, and a NUL after much text.
    place.write(
        "shop/wide.py",
        "\u{FEFF}\u{4E01}".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    place.write("shop/late.py", format!("# counted price\n{}\0", "x".repeat(9000)));
    std::fs::remove_file(place.root().join("shop/money.py")).expect("it exists");
    settle();
    let edited = ranked();
    assert!(!edited.is_empty());
    build(true);
    assert_eq!(edited, ranked());
}

#[test]
fn a_name_that_is_also_a_word_matches_as_both() {
    let place = shop();
    place
        .write("shop/handler.py", "# A websocket is opened, and the websocket is closed.\nx = 1\n");
    for file in 0..6 {
        place.write(format!("shop/web{file}.py"), "def call(web):\n    web.socket()\n");
    }
    place.index(&["--stage", "full"]).expect_success();
    let mut command = place.codedb("context");
    command.args(["WebSocket is lost: the websocket goes away", "--json"]);
    let reply: Value =
        serde_json::from_str(&Answer::of(command).expect_success().text()).expect("JSON");
    assert_eq!(reply["files"][0]["path"], "shop/handler.py", "{reply}");
}

#[test]
fn suggestions_stay_within_the_budget() {
    let place = Place::new();
    for file in 0..4 {
        place.write(format!("{}{file}.py", "cart_of_a_customer_".repeat(5)), "x = 1\n");
    }
    place.index(&["--stage", "full"]).expect_success();
    for json in [false, true] {
        let mut command = place.codedb("context");
        command.args([
            "cart_of_a_custommer_cart x_of_a_custommer y_of_custommer",
            "--max-tokens",
            "120",
        ]);
        command.args(json.then_some("--json"));
        let answer = Answer::of(command);
        let all = codedb::base::tokens::count(&answer.text());
        assert!(all <= 120, "{all}: {}", answer.text());
    }
}

#[test]
fn callers_outside_of_the_scope_are_not_listed() {
    let place = shop();
    place.index(&["--stage", "full"]).expect_success();
    let mut command = place.codedb("context");
    command.args(["who calls `add_all`", "--exclude", "shop/cart.py", "--json"]);
    let reply: Value =
        serde_json::from_str(&Answer::of(command).expect_success().text()).expect("JSON");
    let calls = reply["calls"].to_string();
    assert!(!calls.contains("shop/cart.py"), "{reply}");
}
