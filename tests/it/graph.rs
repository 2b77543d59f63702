//! The tools for symbols and imports as commands, on small trees of several languages: without an
//! index, with one, and after edits that are not indexed yet.

use crate::support::place::{Answer, Place, settle};
use crate::support::process::output;
use trees::{C, GO, JAVA, PYTHON, RUST, TYPESCRIPT};

mod agreement;
mod trees;

fn write(place: &Place, files: &[(&str, &str)]) {
    for (path, text) in files {
        place.write(path, text);
    }
}

fn tool(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    Answer::of(command)
}

/// Removes the confidences from a reply; these tests do not check them.
fn without_digits(text: &str) -> String {
    let mut parts = text.split(", 0.").map(|part| part.replace(", 1.00)", ")"));
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned());
    std::iter::once(first).chain(rest).collect()
}

/// Runs the queries on a tree without an index, with one, and with an outdated one. The replies
/// must be as expected each time.
#[track_caller]
fn check(files: &[(&str, &str)], questions: &[(&[&str], &str)]) {
    let place = Place::new();
    write(&place, files);
    let ask = |when: &str| {
        for (args, expected) in questions {
            let answer = tool(&place, args);
            let text = without_digits(&answer.text());
            assert_eq!(text, *expected, "{when}, {args:?}: {}", answer.stderr);
            assert_eq!(answer.code, i32::from(expected.is_empty()), "{when}, {args:?}");
        }
    };
    ask("without an index");
    settle();
    place.index(&["-q"]).expect_success();
    ask("with an index");
    for (path, text) in files.iter().step_by(2) {
        place.write(path, format!("\n\n{text}"));
    }
    settle();
    place.index(&["-q"]).expect_success();
    write(&place, files);
    ask("after an edit");
}

#[test]
fn python_callers_paths_and_imports() {
    check(
        PYTHON,
        &[
            (
                &["callers", "Cart.add"],
                "\
shop/cart.py:9  method Cart.add  2 callers
  app.py:8  in main  cart.add(1)
  tests/test_cart.py:5  in test_add  Cart().add(2)
",
            ),
            (
                &["callers", "price", "--uses"],
                "\
shop/money.py:1  function price  1 caller
  shop/cart.py:14  in Cart.total  return sum(cost(i) for i in self.items)
  app.py:2  from shop.money import price  (as an import)
  app.py:9  in main  return map(price, [])  (as a value)
other uses: 1 as a value, 1 as an import; calls through the value are not listed
",
            ),
            (
                &["callpath", "main", "round_up"],
                "\
app.py:6  function main
  8: cart.add(1)
shop/cart.py:9  method Cart.add
  11: return self.total()
shop/cart.py:13  method Cart.total
  14: return sum(cost(i) for i in self.items)
shop/money.py:1  function price
  2: return round_up(item.price)
shop/money.py:5  function round_up
",
            ),
            (
                &["deps", "shop/cart.py"],
                "\
shop/__init__.py
  1: from .cart import Cart  (by its relative path)
tests/test_cart.py  test
  1: from shop.cart import Cart  (by its path below a source root)
",
            ),
            (
                &["deps", "shop/money.py", "--transitive"],
                "\
shop/cart.py
  2: from .money import price as cost  (by its relative path)
app.py
  2: from shop.money import price  (by its path below a source root)
  shop/__init__.py
    1: from .cart import Cart  [shop/cart.py]  (by its relative path)
  tests/test_cart.py  test
    1: from shop.cart import Cart  [shop/cart.py]  (by its path below a source root)
",
            ),
            (
                &["deps", "app.py", "--direction", "depends_on"],
                "\
shop/__init__.py
  1: from shop import Cart  (by its path below a source root)
shop/money.py
  2: from shop.money import price  (by its path below a source root)
external: requests
dynamic import: app.py:13: return __import__(name)  (0.30)
",
            ),
            (
                &["deps", "shop"],
                "\
app.py
  1: from shop import Cart  [shop/__init__.py]  (by its path below a source root)
  2: from shop.money import price  [shop/money.py]  (by its path below a source root)
tests/test_cart.py  test
  1: from shop.cart import Cart  [shop/cart.py]  (by its path below a source root)
",
            ),
        ],
    );
}

#[test]
fn typescript_callers_paths_and_imports() {
    check(
        TYPESCRIPT,
        &[
            (
                &["callers", "parse"],
                "\
src/store.ts:7  function parse  2 callers
  src/page.ts:7  in show  read('a');
  src/store.ts:3  in Store.load  return parse(id);
other uses: 1 as an import
",
            ),
            (
                &["callers", "make"],
                "\
src/store.ts:15  function make  1 caller
  src/page.ts:8  in show  open();
other uses: 1 as a value, 1 as an import; calls through the value are not listed
",
            ),
            (
                &["callers", "Store"],
                "\
src/store.ts:1  class Store  1 caller
  src/store.ts:16  in make  return new Store();
other uses: 2 as a type, 2 as an import
",
            ),
            (
                &["callers", "Store.load"],
                "\
src/store.ts:2  method Store.load  1 caller
  src/page.ts:9  in show  return store.load('b');
",
            ),
            (
                &["callers", "Item", "--uses"],
                "\
src/store.ts:11  interface Item  0 callers
  src/page.ts:3  import type { Item } from './store';  (as an import)
  src/page.ts:6  in show  export function show(store: Store): Item {  (as a type)
  src/store.ts:2  in Store.load  load(id: string): Item {  (as a type)
  src/store.ts:7  in parse  export function parse(id: string): Item {  (as a type)
other uses: 3 as a type, 1 as an import
",
            ),
            (
                &["callpath", "show", "store.parse"],
                "\
src/page.ts:6  function show
  7: read('a');
src/store.ts:7  function parse
",
            ),
            (
                &["deps", "src/store.ts"],
                "\
src/index.ts
  1: export { Store, parse as read } from './store';  (by its relative path)
src/page.ts
  2: import open from './store';  (by its relative path)
  3: import type { Item } from './store';  (by its relative path)
",
            ),
            (
                &["deps", "src/page.ts", "--direction", "depends_on", "--transitive"],
                "\
src/index.ts
  1: import { Store, read } from './index';  (by its relative path)
src/store.ts
  2: import open from './store';  (by its relative path)
  3: import type { Item } from './store';  (by its relative path)
external: react
",
            ),
        ],
    );
}

#[test]
fn go_callers_paths_and_imports() {
    check(
        GO,
        &[
            (
                &["callers", "Store.Get"],
                "\
store/get.go:3  method Store.Get  1 caller
  main.go:11  in main  fmt.Println(s.Get(\"a\"))
",
            ),
            (
                &["callers", "store.New"],
                "\
store/store.go:3  function New  1 caller
  main.go:10  in main  s := store.New()
",
            ),
            (
                &["callpath", "main", "clean"],
                "\
main.go:9  function main
  11: fmt.Println(s.Get(\"a\"))
store/get.go:3  method Store.Get
  3: func (s *Store) Get(k string) string { return clean(k) }
store/get.go:5  function clean
",
            ),
            (
                &["deps", "store"],
                "\
main.go
  6: \"example.com/app/store\"  [store/get.go]  (by the name of a package in this tree)
",
            ),
            (
                &["deps", "main.go", "--direction", "depends_on"],
                "\
store/get.go
  6: \"example.com/app/store\"  (by the name of a package in this tree)
store/store.go
  6: \"example.com/app/store\"  (by the name of a package in this tree)
external: fmt
",
            ),
        ],
    );
}

#[test]
fn rust_callers_paths_and_imports() {
    check(
        RUST,
        &[
            (
                &["callers", "total"],
                "\
src/cart.rs:10  method Cart::total  1 caller
  src/main.rs:6  in main  cart.total();
src/cart.rs:18  method Basket::total  0 callers
",
            ),
            (
                &["callers", "Cart::open"],
                "\
src/cart.rs:6  method Cart::open  1 caller
  src/main.rs:5  in main  let cart = Cart::open();
",
            ),
            (
                &["callpath", "main", "rate"],
                "\
src/main.rs:4  function main
  6: cart.total();
src/cart.rs:10  method Cart::total
  11: rate()
src/cart.rs:23  function rate
",
            ),
            (
                &["deps", "src/cart.rs"],
                "\
src/main.rs
  1: mod cart;  (by the module tree)
  2: use cart::Cart;  (by the module tree)
",
            ),
            (
                &["deps", "src/cart.rs", "--direction", "depends_on"],
                "\
external: std
",
            ),
        ],
    );
}

#[test]
fn java_callers_paths_and_imports() {
    check(
        JAVA,
        &[
            (
                &["callers", "com.shop.Cart.total"],
                "\
src/main/java/com/shop/Cart.java:6  method Cart.total  1 caller
  src/main/java/com/shop/Main.java:8  in Main.main  cart.total();
",
            ),
            (
                &["callpath", "Main.main", "total"],
                "\
src/main/java/com/shop/Main.java:6  method Main.main
  8: cart.total();
src/main/java/com/shop/Cart.java:6  method Cart.total
",
            ),
            (
                &["deps", "src/main/java/com/shop/money/Rates.java", "--transitive"],
                "\
src/main/java/com/shop/Cart.java
  3: import com.shop.money.Rates;  (by its package)
",
            ),
        ],
    );
}

#[test]
fn c_callers_paths_and_imports() {
    check(
        C,
        &[
            (
                &["callers", "list_len"],
                "\
src/list.c:4  function list_len  1 caller
  src/main.c:5  in main  return list_len(list);
include/list.h:1  prototype list_len  0 callers
",
            ),
            (
                &["callers", "list_len", "--path", "include"],
                "\
src/list.c:4  function list_len  1 caller
  src/main.c:5  in main  return list_len(list);
include/list.h:1  prototype list_len  0 callers
",
            ),
            (
                &["callpath", "main", "list_len"],
                "\
src/main.c:3  function main
  5: return list_len(list);
src/list.c:4  function list_len
",
            ),
            (
                &["deps", "include/list.h"],
                "\
src/list.c
  1: #include \"list.h\"  (by convention)
src/main.c
  1: #include \"list.h\"  (by convention)
",
            ),
            (
                &["deps", "src/list.c", "--direction", "depends_on"],
                "\
include/list.h
  1: #include \"list.h\"  (by convention)
external: stdio.h
",
            ),
        ],
    );
}

fn query(place: &Place, pipeline: &str) -> Answer {
    tool(place, &["query", pipeline])
}

#[test]
fn pipelines_work_step_by_step() {
    let place = Place::new();
    write(&place, PYTHON);
    let steps = |pipeline: &str, expected: &str| {
        let answer = query(&place, pipeline);
        assert_eq!(answer.text(), expected, "{pipeline}: {}", answer.stderr);
    };
    let both = || {
        let word = r#"[{"op": "search", "query": "price", "word": true, "max_results": 1}]"#;
        let expected = "\
app.py
  2: from shop.money import price
  … 1 more matching line
shop/cart.py
  2: from .money import price as cost
shop/money.py
  1: def price(item):
  … 1 more matching line
";
        steps(word, expected);
        steps(
            r#"[{"op": "search", "query": "^class \\w+", "regex": true}, {"op": "deps"},
                {"op": "filter", "test": false}]"#,
            "shop/__init__.py\n",
        );
        steps(
            r#"[{"op": "find", "query": "money"}, {"op": "outline"},
                {"op": "read", "line_start": 2, "line_end": 2}]"#,
            "shop/money.py\n  function price  1-2\n  function round_up  5-6\n  2:     return \
             round_up(item.price)\n",
        );
        steps(
            r#"[{"op": "filter", "path_glob": "shop/*.py", "language": "Python"},
                {"op": "sort", "by": "rank"}, {"op": "limit", "max_results": 1}]"#,
            "shop/money.py\n",
        );
        steps(r#"[{"op": "search", "query": "PRICE"}]"#, "");
        steps(
            r#"[{"op": "search", "query": "PRICE", "case_sensitive": false, "max_results": 0},
                {"op": "sort", "by": "lines"}, {"op": "limit", "max_results": 1},
                {"op": "deps", "direction": "depends_on"}]"#,
            "shop/money.py\n",
        );
    };
    both();
    settle();
    place.index(&["-q"]).expect_success();
    both();
    let pipeline = br#"[{"op": "find", "query": "app.py"}, {"op": "limit", "max_results": 1}]"#;
    let mut command = place.codedb("query");
    command.args(["-", "--json"]);
    let (output, _) = output(command, Some(pipeline));
    let expected = concat!(
        r#"{"status":"ok","steps":[{"op":"find","files":1},{"op":"limit","files":1}],"#,
        r#""files":[{"path":"app.py","relative_path":"app.py"}],"shown":1,"total":1,"#,
        r#""items":[{"path":"app.py","relative_path":"app.py"}],"truncated":false}"#,
        "\n"
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn errors_suggest_valid_queries() {
    let place = Place::new();
    write(&place, PYTHON);
    let wrong = |args: &[&str], words: &[&str]| {
        let answer = tool(&place, args);
        let code = if answer.stderr.contains("is not defined") { 1 } else { 2 };
        assert_eq!((answer.text(), answer.code), (String::new(), code), "{}", answer.stderr);
        for word in words {
            assert!(answer.stderr.contains(word), "{args:?}, {word}: {}", answer.stderr);
        }
    };
    wrong(&["callers", "pirce"], &["`pirce` is not defined", "did you mean", "`price`"]);
    wrong(&["callers", "Basket.add"], &["`Basket.add` is not defined", "did you mean `Cart.add`"]);
    wrong(
        &["callers", "price", "--path", "app.py"],
        &["app.py: `price` is not defined here", "`shop/money.py`"],
    );
    wrong(&["callers", " "], &["`NAME` is empty"]);
    wrong(&["deps", "."], &["no other file imports", "pass a file"]);
    wrong(&["glob", ""], &["`PATTERN` is empty", "`tree` lists"]);
    wrong(&["callpath", "main", "nowhere"], &["`nowhere` is not defined"]);
    wrong(&["deps", "shop/crat.py"], &["no such file", "did you mean `shop/cart.py`"]);
    wrong(&["query", "[]"], &["1 to 20 steps", "hint:"]);
    wrong(&["query", "[{]"], &["`pipeline` is not JSON"]);
    let two = |step: &str| format!(r#"[{{"op": "find", "query": "a"}}, {step}]"#);
    for (step, words) in [
        (r#"{"op": "serach"}"#, ["step 2", "one of"]),
        (r#"{"op": "find"}"#, ["step 2 (`find`)", "missing argument `query`"]),
        (r#"{"op": "limit", "max": 1}"#, ["step 2", "unknown argument `max`"]),
        (r#"{"op": "limit"}"#, ["step 2 (`limit`)", "missing argument `max_results`"]),
        (r#"{"op": "sort"}"#, ["step 2 (`sort`)", "missing argument `by`"]),
        (
            r#"{"op": "search", "query": "(", "regex": true}"#,
            ["step 2 (`search`)", "invalid pattern"],
        ),
        (r#"{"op": "filter", "language": "pyhton"}"#, ["step 2 (`filter`)", "`python`"]),
        (r#"{"op": "read", "line_start": 0}"#, ["step 2 (`read`)", "line numbers begin at 1"]),
        ("5", ["step 2", "an object"]),
    ] {
        wrong(&["query", &two(step)], &words);
    }
}

#[test]
fn callers_and_deps_print_json() {
    let place = Place::new();
    write(&place, PYTHON);
    let json = |args: &[&str]| -> serde_json::Value {
        let answer = tool(&place, args).expect_success();
        serde_json::from_str(&answer.text()).expect("JSON")
    };
    let found = json(&["callers", "add", "--max-results", "1", "--json"]);
    let caller = &found["callers"][0];
    assert_eq!((caller["path"].as_str(), caller["line"].as_u64()), (Some("app.py"), Some(8)));
    let around = serde_json::json!({"name": "main", "kind": "function", "line": 6, "end_line": 9});
    assert_eq!((&caller["in"], caller["text"].as_str()), (&around, Some("cart.add(1)")));
    assert_eq!(
        (&found["status"], &found["shown"], &found["total"]),
        (&"ok".into(), &1.into(), &2.into())
    );
    let found = json(&["deps", "shop/money.py", "--json"]);
    let file = &found["files"][0];
    assert_eq!((file["path"].as_str(), file["depth"].as_u64()), (Some("shop/cart.py"), Some(1)));
    assert_eq!(file["imports"][0]["text"], "from .money import price as cost");
    let found = json(&["callpath", "Cart.add", "price", "--json"]);
    assert_eq!((&found["calls"], &found["chain"][0]["calls"]["line"]), (&2.into(), &11.into()));
}

#[test]
fn dynamic_imports_are_listed_with_their_static_part() {
    let place = Place::new();
    let load = "\
const name = './a';
require(name);
import(`./pages/${x}.js`);
require('./pages/' + x);
require(flag ? './a' : './b');
require(process.argv[2]);
";
    place.write("src/load.js", load);
    for path in ["src/a.js", "src/b.js", "src/pages/one.js", "src/pages/two.js"] {
        place.write(path, "module.exports = 1;\n");
    }
    let answer =
        tool(&place, &["deps", "src/load.js", "--direction", "depends_on"]).expect_success();
    let expected = "\
src/a.js
  2: require(name);  (by its relative path, 1.00)
  5: require(flag ? './a' : './b');  (by its relative path, 0.30)
src/b.js
  5: require(flag ? './a' : './b');  (by its relative path, 0.30)
src/pages/one.js
  3: import(`./pages/${x}.js`);  (by the literal parts of the expression, 0.40)
  4: require('./pages/' + x);  (by the literal parts of the expression, 0.20)
src/pages/two.js
  3: import(`./pages/${x}.js`);  (by the literal parts of the expression, 0.40)
  4: require('./pages/' + x);  (by the literal parts of the expression, 0.20)
dynamic import: src/load.js:6: require(process.argv[2]);  (0.30)
";
    assert_eq!(answer.text(), expected);
    settle();
    place.index(&["-q"]).expect_success();
    let indexed = tool(&place, &["deps", "src/load.js", "--direction", "depends_on"]);
    assert_eq!(indexed.text(), answer.text());
    let importers = tool(&place, &["deps", "src/pages/one.js"]).expect_success();
    let expected = "\
src/load.js
  3: import(`./pages/${x}.js`);  (by the literal parts of the expression, 0.40)
  4: require('./pages/' + x);  (by the literal parts of the expression, 0.20)
";
    assert_eq!(importers.text(), expected);
}

#[test]
fn the_import_graph_is_used_by_all_threads() {
    use codedb::catalog::code::Code as _;
    use codedb::engine::{self, Check, Engine, Local, Progress};
    use codedb::index::store::Store;
    use codedb::source::walk::Environment;

    let place = Place::new();
    for file in 0..400 {
        let next = (file + 1) % 400;
        place.write(format!("shop/m{file}.py"), format!("from shop.m{next} import f{next}\n"));
    }
    let environment = Environment { global_excludes: None, threads: 2 };
    let store = Store::new(place.base().join("store"), false);
    let engine = || Engine::new(place.root(), store.clone(), environment.clone());
    engine::refresh(&engine(), &Progress::default()).expect("a search index");
    engine::build_code(&engine(), true, &Progress::default()).expect("a code index");
    let (done, waited) = std::sync::mpsc::channel();
    let engines: Vec<Engine> = (0..8).map(|_| engine()).collect();
    // In a server, a call has its own thread, and the calls of a bundle use the thread pool.
    std::thread::spawn(move || {
        for engine in engines {
            let code = Local::new(&engine, Check::Trust);
            let catalog = code.catalog(&[]).expect("a catalog");
            std::thread::scope(|scope| {
                scope.spawn(|| catalog.import_graph());
                rayon::scope(|pool| {
                    for _ in 0..2 * rayon::current_num_threads() {
                        pool.spawn(|_| assert_eq!(catalog.file_rank().len(), 400));
                    }
                });
            });
        }
        done.send(()).expect("the receiver waits");
    });
    let patience = std::time::Duration::from_secs(120);
    assert!(waited.recv_timeout(patience).is_ok(), "threads wait for each other");
}

/// Unresolved calls vanished from replies.
#[test]
fn unresolved_calls_are_counted_and_listed() {
    let place = Place::new();
    write(
        &place,
        &[
            (
                "pool.py",
                "class Pool:\n    def take(self, n): pass\n    def get(self): pass\n    def spare(self): pass\n\n\n\
                 class Lake:\n    def take(self, n): pass\n\n\ndef dry(pool: Pool):\n    pool.spare()\n",
            ),
            (
                "use.py",
                "from pool import Pool, dry\nfrom gone import lost\n\n\ndef typed(pool: Pool):\n    \
                 pool.take(1)\n\n\ndef untyped(x):\n    x.take(1)\n    x.get()\n    x.take()\n\n\n\
                 def run(f):\n    f()\n\n\ndef main():\n    run(dry)\n",
            ),
        ],
    );
    let answer = tool(&place, &["callers", "Pool.take"]);
    assert_eq!(
        answer.text(),
        "pool.py:2  method Pool.take  1 caller\n  use.py:6  in typed  pool.take(1)\n"
    );
    assert!(
        answer.stderr.contains("2 more unresolved calls may call it; `--unsure` lists them"),
        "{}",
        answer.stderr
    );
    let answer = tool(&place, &["callers", "Pool.take", "--unsure"]);
    let listed = "unresolved, may call it:\n  use.py:10  in untyped  x.take(1)  (ambiguous name, 0.38)\n  \
                  use.py:12  in untyped  x.take()  (other number of arguments, 0.05)\n";
    assert!(answer.text().ends_with(listed), "{}", answer.text());
    // Without callers they are listed without a request.
    let answer = tool(&place, &["callers", "Pool.get"]);
    assert_eq!(answer.code, 0);
    assert_eq!(
        answer.text(),
        "pool.py:3  method Pool.get  0 callers\nunresolved, may call it:\n  \
         use.py:11  in untyped  x.get()  (common name, 0.08)\n"
    );
    let found: serde_json::Value = serde_json::from_str(
        &tool(&place, &["callers", "take", "--unsure", "--max-results", "1", "--json"]).text(),
    )
    .expect("a reply is JSON");
    assert_eq!(found["unsure"], 2);
    assert_eq!(found["unsure_shown"], 1);
    let totals =
        |at: usize| (&found["definitions"][at]["callers"], &found["definitions"][at]["unsure"]);
    assert_eq!((totals(0), totals(1)), ((&1.into(), &2.into()), (&0.into(), &2.into())));
    let answer = tool(&place, &["explain", "untyped"]);
    assert!(answer.stderr.contains("3 calls in it"), "{}", answer.stderr);
}

/// A path that does not exist was answered with nothing.
#[test]
fn a_missing_path_names_its_most_likely_link() {
    let place = Place::new();
    write(
        &place,
        &[(
            "a.py",
            "class Pool:\n    def drain(self): pass\n\n\nclass Lake:\n    def drain(self): pass\n\n\n\
             def middle(x):\n    x.drain()\n\n\ndef start(x):\n    middle(x)\n\n\n\
             def each(f):\n    f()\n\n\ndef passing():\n    each(middle)\n\n\ndef alone(): pass\n",
        )],
    );
    let missing = |from: &str, to: &str, expected: &str| {
        let answer = tool(&place, &["callpath", from, to]);
        assert_eq!((answer.code, answer.text().as_str()), (1, ""), "{}", answer.stderr);
        assert!(
            answer.stderr.contains("no chain of resolved calls leads from"),
            "{}",
            answer.stderr
        );
        assert!(answer.stderr.contains(expected), "{}", answer.stderr);
    };
    missing(
        "start",
        "Pool.drain",
        "most likely missing link: `middle` may call `Pool.drain` at a.py:10 (ambiguous name, 0.38)",
    );
    missing(
        "passing",
        "middle",
        "most likely missing link: `passing` may call `middle` at a.py:22 (passed as a value, 0.30)",
    );
    missing("alone", "start", "only resolved calls were followed");
}

#[test]
fn unresolved_imports_are_listed() {
    let place = Place::new();
    write(
        &place,
        &[
            (
                "a.ts",
                "import { b } from './b';\nimport { gone } from './gone';\nexport { b as c };\n",
            ),
            ("b.ts", "export const b = 1;\n"),
        ],
    );
    let answer = tool(&place, &["deps", "a.ts", "--direction", "depends_on"]);
    let listed = "unresolved: a.ts:2: import { gone } from './gone';\n";
    assert!(answer.text().ends_with(listed), "{}", answer.text());
    assert!(answer.stderr.contains("1 import could not be resolved"), "{}", answer.stderr);
}
