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
    shop_of(12)
}

fn shop_of(modules: usize) -> Place {
    let place = Place::new();
    for at in 0..modules {
        let next = (at + 1) % modules;
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

    /// Another process that uses the index in a directory.
    fn again(place: &Place, store: &str) -> Served {
        let environment = Environment { global_excludes: None, threads: 2 };
        let store = Store::new(place.base().join(store), false);
        Served { engine: Engine::new(place.root(), store, environment) }
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

#[test]
fn another_process_uses_the_callers_of_the_same_state() {
    let place = shop_of(40);
    settle();
    let gaps = |served: &Served| served.call("codedb_test_gaps", json!({}));
    let (first, work) = gaps(&Served::new(&place));
    assert!(work.callers >= 64, "{work:?}");
    let store = place.base().join("store");
    for without in ["", "callers.best.idx", "callers.idx"] {
        if !without.is_empty() {
            std::fs::remove_file(store.join(without)).expect("it was kept");
        }
        let (again, work) = gaps(&Served::again(&place, "store"));
        assert_eq!((&again, work.callers), (&first, 0), "without {without}");
    }
    // After an edit, nothing of it is used.
    place.write("shop/m3.py", "def price_3(item):\n    return 3\n");
    settle();
    let (edited, work) = gaps(&Served::again(&place, "store"));
    assert!(work.callers > 0, "{work:?}");
    assert_eq!(edited, gaps(&Served::again(&place, "no-store")).0);
    // Damage counts as missing.
    place.git(&["checkout", "-q", "shop/m3.py"]);
    settle();
    Served::new(&place);
    for name in ["callers.best.idx", "callers.idx"] {
        std::fs::write(store.join(name), "damaged").expect("written");
    }
    let (damaged, work) = gaps(&Served::again(&place, "store"));
    assert!(work.callers >= 64, "{work:?}");
    assert_eq!(damaged, gaps(&Served::again(&place, "no-store")).0);
}
