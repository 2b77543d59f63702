//! What the test graph computes for a state of the tree is kept: counted as work, not as time.

use codedb::catalog::code::Code as _;
use codedb::engine::{self, Check, Engine, Local, Progress};
use codedb::index::store::Store;
use codedb::source::walk::Environment;
use codedb::testmap::kept::{Kept, Work};
use codedb::tools::{Call, TOOLS};
use serde_json::{Value, json};

use crate::support::place::{Place, settle};

/// A tree of some modules whose functions call each other, each with tests.
fn shop() -> Place {
    let place = Place::new();
    for at in 0..12 {
        let next = (at + 1) % 12;
        let module = format!(
            "from shop.m{next} import price_{next}\n\n\ndef price_{at}(item):\n    return \
             price_{next}(item) + {at}\n\n\ndef label_{at}(item):\n    return str(price_{at}(item))\n"
        );
        place.write(format!("shop/m{at}.py"), module);
        let test = format!(
            "from shop.m{at} import label_{at}\n\n\ndef test_label_{at}():\n    assert \
             label_{at}(1)\n"
        );
        place.write(format!("tests/test_m{at}.py"), test);
    }
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place
}

struct Served {
    engine: Engine,
}

impl Served {
    fn new(place: &Place) -> Served {
        let environment = Environment { global_excludes: None, threads: 2 };
        let store = Store::new(place.base().join("store"), false);
        let engine = Engine::new(place.root(), store, environment);
        engine::refresh(&engine, &Progress::default()).expect("a search index");
        engine::build_code(&engine, true, &Progress::default()).expect("a code index");
        Served { engine }
    }

    /// Returns the reply of a call, and how much was computed for this state of the tree so far.
    fn call(&self, tool: &str, arguments: Value) -> (String, Work) {
        let local = Local::new(&self.engine, Check::Strict);
        let tool = TOOLS.iter().find(|of| of.name == tool).expect("a tool");
        let reply = tool.run(&Call::new(&local, 0), arguments).expect("a reply");
        let kept = local.catalog(&[]).expect("a catalog").derived::<Kept>();
        (reply.json().expect("JSON"), kept.work())
    }
}

#[test]
fn the_second_call_for_a_state_of_the_tree_searches_nothing() {
    let place = shop();
    settle();
    let served = Served::new(&place);
    for (tool, arguments) in [
        ("codedb_suggest_tests", json!({"file_path": "shop/m3.py"})),
        ("codedb_impact", json!({"files": ["shop/m3.py"]})),
        ("codedb_test_gaps", json!({})),
    ] {
        let (first, work) = served.call(tool, arguments.clone());
        assert!(work.callers > 0 && work.candidates > 0 && work.files > 0, "{tool}: {work:?}");
        assert_eq!(served.call(tool, arguments), (first, work), "{tool}");
    }
}

#[test]
fn functions_of_one_file_share_the_search_for_callers() {
    let place = shop();
    settle();
    let served = Served::new(&place);
    let (_, work) = served.call("codedb_suggest_tests", json!({"file_path": "shop/m3.py"}));
    // Each of the 24 functions and 12 tests once, however many functions they reach.
    assert!(work.callers <= 36 && work.candidates == 2, "{work:?}");
}

#[test]
fn an_edit_reads_the_tests_of_one_file_anew() {
    let place = shop();
    settle();
    let served = Served::new(&place);
    let (_, before) = served.call("codedb_suggest_tests", json!({"file_path": "shop/m3.py"}));
    let test = "from shop.m3 import price_3\n\n\ndef test_price():\n    assert price_3(1)\n";
    place.write("tests/test_m3.py", test);
    let (reply, after) = served.call("codedb_suggest_tests", json!({"file_path": "shop/m3.py"}));
    assert!(reply.contains("test_price") && !reply.contains("test_label_3\""), "{reply}");
    assert!(before.files > 1 && after.files == 1, "{before:?}, {after:?}");
}
