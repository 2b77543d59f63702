//! What an agent asks next is in the reply that it has: several targets in one read, the definitions
//! around the lines of a search. Its submodules test the measurement of agents.

mod baseline;
mod measured;
mod scripted;

use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place};

fn shop() -> Place {
    let place = Place::new();
    place.write("src/lib.rs", "pub mod cart;\npub mod coupon;\n");
    place.write("src/cart.rs", CART);
    place.write(
        "src/coupon.rs",
        "pub struct Coupon {\n    pub percent: u64,\n}\n\nimpl Coupon {\n    \
         pub fn discounted(&self, sum: u64) -> u64 {\n        sum - sum * self.percent / 100\n    }\n}\n",
    );
    place
}

const CART: &str = "\
use crate::coupon::Coupon;

pub struct Cart {
    prices: Vec<u64>,
    coupon: Option<Coupon>,
}

impl Cart {
    pub fn add(&mut self, price: u64) {
        self.prices.push(price);
    }

    pub fn apply_coupon(&mut self, coupon: Coupon) {
        self.coupon = Some(coupon);
    }

    pub fn total(&self) -> u64 {
        let sum: u64 = self.prices.iter().sum();
        match &self.coupon {
            Some(coupon) => coupon.discounted(sum),
            None => sum,
        }
    }
}
";

fn run(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]);
    Answer::of(command)
}

fn data(session: &mut Session, tool: &str, mut arguments: Value) -> Value {
    arguments["format"] = json!("json");
    session.call(tool, arguments)["structuredContent"].clone()
}

fn session(place: &Place) -> Session {
    let mut session = Session::start(place, &[]);
    session.initialize("2025-11-25", json!({}));
    session.wait_until_indexed();
    session
}

fn read(session: &mut Session, targets: &[&str], more: Value) -> String {
    let mut arguments = json!({"targets": targets});
    let more = more.as_object().expect("an object").clone();
    arguments.as_object_mut().expect("an object").extend(more);
    session.text("codedb_read", arguments)
}

/// Tasks for agents, and flows for traces, with keys.
#[test]
fn tasks_and_flows_are_well_formed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("bench-corpus/agent");
    let read = |name: &str| -> toml::Table {
        let text = std::fs::read_to_string(folder.join(name)).expect("a file");
        text.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let list = |of: &toml::Table, name: &str| of[name].as_array().expect("a list").clone();
    let text = std::fs::read_to_string(folder.join("tasks.toml")).expect("a file");
    codedb::eval::agent::tasks::of_file(&text).expect("tasks for `codedb eval agent`");
    let tasks = read("tasks.toml");
    let trees: Vec<toml::Value> =
        list(&tasks, "tree").iter().map(|it| it["tree"].clone()).collect();
    let (mut ids, mut held) = (std::collections::BTreeSet::new(), 0);
    let all = list(&tasks, "task");
    for task in &all {
        assert!(trees.contains(&task["tree"]), "{task}");
        assert!(ids.insert(task["id"].as_str().expect("a text").to_owned()), "twice: {task}");
        let facts = task["must"].as_array().expect("facts");
        assert!(!facts.is_empty() && facts.iter().all(|it| it[0].is_str()), "{task}");
        held += usize::from(task["split"].as_str() == Some("held"));
        assert!(matches!(task["split"].as_str(), Some("held" | "open")), "{task}");
    }
    assert!(all.len() >= 30 && held * 2 == all.len(), "{held} of {}", all.len());
    let flows = list(&read("flows.toml"), "flow");
    for flow in &flows {
        assert!(trees.contains(&flow["tree"]), "{flow}");
        assert!(flow["hops"].as_array().is_some_and(|hops| hops.len() >= 3), "{flow}");
        assert!(matches!(flow["split"].as_str(), Some("held" | "open")), "{flow}");
    }
    assert!(flows.len() >= 60, "{}", flows.len());
}

#[test]
fn one_read_returns_lines_definitions_and_files() {
    let place = shop();
    let mut session = session(&place);
    let all = ["src/cart.rs:3-6", "src/cart.rs:Cart::total", "Coupon::discounted", "src/lib.rs"];
    let text = read(&mut session, &all, json!({}));
    for wanted in [
        "prices: Vec<u64>",
        "pub fn total(&self)",
        "sum - sum * self.percent / 100",
        "src/lib.rs",
        "…\n",
    ] {
        assert!(text.contains(wanted), "{wanted} is missing in {text}");
    }
    assert_eq!(text.matches("src/cart.rs").count(), 1, "a file is named once: {text}");
    assert!(!text.contains("note:"), "{text}");
    // The same on the command line, also below the root.
    let typed = run(&place, &[&["read"][..], &all].concat()).expect_success().text();
    assert_eq!(typed, text);
    let mut below = place.codedb("read");
    below.current_dir(place.root().join("src")).args(["cart.rs:Cart::total", "lib.rs:1-2"]);
    let below = Answer::of(below).expect_success().text();
    assert!(below.contains("pub fn total(&self)") && below.contains("\nlib.rs  rust"), "{below}");
}

#[test]
fn lines_that_several_targets_select_are_shown_once() {
    let place = shop();
    let targets = ["src/cart.rs:8-10", "src/cart.rs:10-12", "src/cart.rs:Cart::add"];
    let text = run(&place, &[&["read"][..], &targets].concat()).expect_success().text();
    assert_eq!(text.matches("self.prices.push(price);").count(), 1, "{text}");
    assert!(!text.contains('…'), "the lines follow each other: {text}");
}

#[test]
fn targets_that_do_not_fit_are_named() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        let line = "    let value = compute(value, \"of a line with some length\");\n";
        place.write(format!("src/{name}.rs"), format!("fn {name}() {{\n{}}}\n", line.repeat(40)));
    }
    let mut session = session(&place);
    let targets = ["src/a.rs:a", "src/b.rs:b", "src/c.rs:c"];
    let text = read(&mut session, &targets, json!({"max_tokens": 1500}));
    assert!(
        text.contains("src/a.rs") && text.contains("1 target did not fit: `src/c.rs:c`")
            || text.contains("2 targets did not fit: `src/b.rs:b` `src/c.rs:c`"),
        "{text}"
    );
    // A definition is whole or absent.
    assert_eq!(text.matches("\n42  }").count(), text.matches("fn ").count(), "{text}");
    let rest = read(&mut session, &["src/c.rs:c"], json!({}));
    assert!(rest.contains("fn c()"), "{rest}");
    // The first target is cut rather than left out, and the rest of it is named.
    let cut = read(&mut session, &["src/a.rs", "src/b.rs"], json!({"max_tokens": 500}));
    assert!(cut.contains("fn a()") && cut.contains("did not fit: `src/a.rs:"), "{cut}");
}

#[test]
fn a_budget_of_targets_is_used_to_its_end() {
    let place = Place::new();
    let lines: String = (1..=400).map(|at| format!("let value_{at} = {at};\n")).collect();
    place.write("src/a.rs", &lines);
    place.write("src/b.rs", &lines);
    place.write("src/c.rs", &lines);
    let targets = ["src/a.rs", "src/b.rs:10-14", "src/c.rs:1-3"];
    let mut session = session(&place);
    for max in [200, 300, 600] {
        let text = read(&mut session, &targets, json!({"max_tokens": max}));
        let tokens = codedb::base::tokens::count(&text);
        assert!((max * 4 / 5..=max).contains(&tokens), "{tokens} of {max}: {text}");
        // The rest is named as it was asked for, without the root.
        assert!(text.contains("`src/b.rs:10-14`") && text.contains("-400`"), "{text}");
    }
    let few = ["src/a.rs:1-6", "src/b.rs:10-14", "src/c.rs:1-3"];
    let text = read(&mut session, &few, json!({"max_tokens": 300}));
    assert!(!text.contains("did not fit"), "{text}");
    let mut command = place.codedb("read");
    command.args(few).args(["--max-tokens", "100"]);
    let cut = Answer::of(command).expect_success();
    assert!(cut.stderr.contains("`src/c.rs:1-3`"), "{}", cut.stderr);
}

#[test]
fn a_target_that_cannot_be_read_does_not_hide_the_others() {
    let place = shop();
    let text =
        run(&place, &["read", "src/cart.rs:Cart::total", "src/none.rs", "src/lib.rs:nothing"]);
    assert_eq!(text.code, 0);
    assert!(text.text().contains("pub fn total(&self)"), "{}", text.text());
    for why in ["src/none.rs: no such file", "src/lib.rs: `nothing` is not defined here"] {
        assert!(text.stderr.contains(why), "{}", text.stderr);
    }
    // Without an index, a name may be defined in files that were not read.
    let early = shop();
    let named = run(&early, &["read", "src/lib.rs", "discounted", "--no-background"]);
    let is_known = named.text().contains("fn discounted");
    assert!(is_known || named.stderr.contains("not indexed yet"), "{}", named.stderr);
    let none = run(&place, &["read", "src/none.rs", "src/nowhere.rs"]);
    assert_ne!(none.code, 0);
    let mixed = run(&place, &["read", "src/cart.rs", "src/lib.rs", "--symbol", "Cart"]);
    assert!(mixed.stderr.contains("`a.rs:10-40`"), "{}", mixed.stderr);
}

#[test]
fn lines_of_a_search_stand_below_the_definitions_around_them() {
    let place = shop();
    let mut session = session(&place);
    let text =
        session.text("codedb_search", json!({"query": "coupon", "path_glob": "src/cart.rs"}));
    assert!(text.contains("  Cart::apply_coupon 13-15\n"), "{text}");
    let data = data(&mut session, "codedb_search", json!({"query": "coupon.discounted("}));
    let line = &data["files"][0]["lines"][0];
    assert_eq!(line["in"]["name"], "Cart::total", "{data}");
    assert_eq!(line["in"]["kind"], "method", "{data}");
}

#[test]
fn a_search_is_limited_to_parts_and_definitions() {
    let place = Place::new();
    place.write(
        "src/job.rs",
        "use crate::queue::retry;\n\n/// How retry works.\npub fn retry_job(retry: u32) -> u32 {\n    \
         // retry later\n    log(\"retry now\");\n    retry + 1\n}\n\nfn other() {\n    retry(2);\n}\n\n\
         #[cfg(test)]\nmod tests {\n    fn works() {\n        retry(1);\n    }\n}\n",
    );
    let mut session = session(&place);
    let mut lines = |arguments: Value| -> Vec<u64> {
        let mut all = json!({"query": "retry", "max_per_file": 50});
        let more = arguments.as_object().expect("an object").clone();
        all.as_object_mut().expect("an object").extend(more);
        let data = data(&mut session, "codedb_search", all);
        let files = data["files"].as_array().expect("files");
        let lines = files.iter().flat_map(|file| file["lines"].as_array().expect("lines"));
        let numbers: Vec<u64> =
            lines.map(|line| line["line"].as_u64().expect("a number")).collect();
        assert_eq!(data["total"], numbers.len(), "{arguments}");
        numbers
    };
    assert_eq!(lines(json!({})), [1, 3, 4, 5, 6, 7, 11, 17]);
    assert_eq!(lines(json!({"in": "import"})), [1]);
    assert_eq!(lines(json!({"in": "comment"})), [3, 5]);
    assert_eq!(lines(json!({"in": "string"})), [6]);
    assert_eq!(lines(json!({"in": "signature"})), [4]);
    assert_eq!(lines(json!({"in": "test"})), [17]);
    assert_eq!(lines(json!({"in": "function"})), [4, 5, 6, 7, 11, 17]);
    assert_eq!(lines(json!({"def": "other"})), [11]);
    assert_eq!(lines(json!({"def": "retry_job", "in": "string"})), [6]);
    assert_eq!(lines(json!({"def": "other", "in": "string"})), [0_u64; 0]);
}

/// A line counts if any of its matches is in the part, not only the first one.
#[test]
fn every_match_of_a_line_is_looked_at() {
    let place = Place::new();
    place.write(
        "a.rs",
        "fn retry() {\n    let retry = \"retry\"; // retry\n    retry(\"no\"); // no\n    let text = \"one\nof retry\n\";\n}\n\
         fn other(retry: &str) -> String { retry.to_owned() + \"retry\" }\n",
    );
    place.write("README.md", "# How to retry\n\nretry\n");
    let mut session = session(&place);
    let mut lines = |arguments: Value| -> Vec<u64> {
        let mut all = json!({"query": "retry", "body": false});
        let more = arguments.as_object().expect("an object").clone();
        all.as_object_mut().expect("an object").extend(more);
        let data = data(&mut session, "codedb_search", all);
        let files = data["files"].as_array().expect("files");
        let lines = files.iter().flat_map(|file| file["lines"].as_array().expect("lines"));
        lines.map(|line| line["line"].as_u64().expect("a number")).collect()
    };
    assert_eq!(lines(json!({"in": "string"})), [2, 5, 8]);
    assert_eq!(lines(json!({"in": "comment"})), [2]);
    assert_eq!(lines(json!({"in": "string", "word": true, "case_sensitive": false})), [2, 5, 8]);
    assert_eq!(
        lines(json!({"in": "string", "query": "[a-z]+", "regex": true, "path_glob": "a.rs"})),
        [2, 3, 4, 5, 8]
    );
    // A heading is no signature.
    assert_eq!(lines(json!({"in": "signature"})), [1, 8]);
}

#[test]
fn an_alternation_is_answered_with_what_it_finds() {
    let place = shop();
    let mut session = session(&place);
    let text = session.text("codedb_search", json!({"query": "apply_coupon|discounted"}));
    assert!(text.contains("fn apply_coupon") && text.contains("fn discounted"), "{text}");
    assert!(text.contains("note: `query` is found nowhere as a text"), "{text}");
}

#[test]
fn callers_are_complete_certain_ones_without_a_number_and_those_in_tests_on_demand() {
    let place = Place::new();
    let calls: String =
        (0..60).map(|n| format!("pub fn caller_{n}() {{\n    work();\n}}\n")).collect();
    place.write("src/lib.rs", format!("pub fn work() {{}}\n\n{calls}"));
    place.write("tests/work_test.rs", "#[test]\nfn works() {\n    mylib::work();\n}\n");
    place.write("Cargo.toml", "[package]\nname = \"mylib\"\nversion = \"0.1.0\"\n");
    let text = run(&place, &["callers", "work"]).expect_success().text();
    assert_eq!(text.matches("  in caller_").count(), 60, "{text}");
    assert!(!text.contains(", 0.9"), "a certain call needs no number: {text}");
    let place_of_test = text.find("tests/work_test.rs").expect("it is listed");
    assert!(place_of_test > text.rfind("src/lib.rs").expect("listed"), "tests come last: {text}");
    let sources = run(&place, &["callers", "work", "--tests=false"]).expect_success();
    assert!(!sources.text().contains("tests/work_test.rs"), "{}", sources.text());
    assert!(sources.stderr.contains("1 call in tests omitted"), "{}", sources.stderr);
    let same = run(&place, &["callers", "work", "--no-tests"]).expect_success();
    assert_eq!(same.text(), sources.text());
    let tests = run(&place, &["callers", "work", "--tests"]).expect_success();
    assert!(tests.text().contains("1 caller\n"), "{}", tests.text());
    assert!(tests.stderr.contains("60 calls outside of tests omitted"), "{}", tests.stderr);
}

#[test]
fn people_see_the_structure_of_a_search_as_well() {
    let place = shop();
    place.index(&["-q", "--stage", "full"]).expect_success();
    let text = run(&place, &["search", "--structure", "coupon", "src"]).expect_success().text();
    assert!(text.contains("  Cart::apply_coupon 13-15\n"), "{text}");
    let of = ["search", "--structure", "-i", "c[o0]upon", "--in", "import"];
    let imports = run(&place, &of).expect_success().text();
    let expected = "src/cart.rs  1 line\n  1: use crate::coupon::Coupon;\nsrc/lib.rs  1 line\n  2: pub mod coupon;\n";
    assert_eq!(imports, expected);
    // Of ripgrep, the flags apply that select files and lines.
    let found = |args: &[&str]| {
        let answer = run(&place, &[&["search", "--structure"], args].concat());
        answer.text().lines().filter(|line| !line.starts_with(' ')).map(str::to_owned).collect()
    };
    let files = |args: &[&str]| -> Vec<String> {
        let lines: Vec<String> = found(args);
        lines.iter().map(|line| line.split("  ").next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(files(&["--body", "discounted", "src"]), ["src/coupon.rs", "src/cart.rs"]);
    assert_eq!(
        files(&["-n", "-g", "!cart.rs", "-C2", "pub", "src"]),
        ["src/coupon.rs", "src/lib.rs"]
    );
    assert_eq!(
        files(&["-trust", "-A", "3", "-w", "-i", "CART", "."]),
        ["src/cart.rs", "src/lib.rs"]
    );
    assert_eq!(files(&["-F", "-e", "fn add(", "src/cart.rs", "src/lib.rs"]), ["src/cart.rs"]);
    let body = run(&place, &["search", "--structure", "--no-body", "percent / 100"]);
    assert!(!body.text().contains("pub fn discounted"), "{}", body.text());
    let none = run(&place, &["search", "--structure", "-tpy", "coupon"]);
    assert_eq!(none.code, 1);
    assert!(none.stderr.contains("no file of the tree is in the paths"), "{}", none.stderr);
    let refused = run(&place, &["search", "--structure", "-o", "coupon"]);
    let message = "codedb: `--structure` does not take ripgrep's `-o`\n";
    assert!(refused.code == 2 && refused.stderr.starts_with(message), "{}", refused.stderr);
    let invalid = run(&place, &["search", "--structure", "add(", "--json"]);
    assert!(
        invalid.text().contains("`-F` searches for the pattern as a text"),
        "{}",
        invalid.text()
    );
    let missing = run(&place, &["search", "--structure", "add", "none/"]);
    assert!(missing.code == 2 && missing.stderr.contains("none/"), "{}", missing.stderr);
    let help = run(&place, &["search", "--structure", "-h"]).expect_success().text();
    assert!(help.contains("A regular expression") && help.lines().count() <= 25, "{help}");
    assert_eq!(run(&place, &["search", "--structure", "nowhere"]).code, 1);
    assert_eq!(run(&place, &["search", "--structure", "a", "--in", "nowhere"]).code, 2);
}

#[test]
fn a_search_shows_the_functions_around_its_matches() {
    let place = shop();
    let mut long = String::new();
    for number in 0..8 {
        long.push_str(&format!("def long_{number}():\n    needle()\n"));
        long.push_str(&"    work()\n".repeat(100));
    }
    place.write("long.py", long.as_str());
    let mut session = session(&place);
    let search = |session: &mut Session, arguments: Value| {
        let answer = session.call("codedb_search", arguments);
        answer["content"][0]["text"].as_str().expect("a text").to_owned()
    };
    let text = search(&mut session, json!({"query": "discounted", "body": true}));
    // The whole function around the call, with its indentation; the matching line is marked.
    assert!(text.contains("  Cart::total "), "{text}");
    assert!(text.contains("-         let sum: u64 = self.prices.iter().sum();"), "{text}");
    assert!(text.contains(":             Some(coupon) => coupon.discounted(sum),"), "{text}");
    let few = search(&mut session, json!({"query": "discounted"}));
    assert!(few.contains("let sum"), "few matches are shown with it: {few}");
    let plain = search(&mut session, json!({"query": "discounted", "body": false}));
    assert!(!plain.contains("let sum"), "{plain}");
    // What does not fit is counted.
    let text = search(&mut session, json!({"query": "needle", "body": true, "max_per_file": 20}));
    assert!(text.contains("4 functions around matches not shown"), "{text}");
    assert_eq!(text.matches("work()").count(), 400, "{text}");
}
