//! A recorded session of an agent: the replies to thirty calls about one task.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::session::Session;
use crate::support::place::Place;

/// A shop in three languages, of realistic size.
pub(crate) fn shop() -> Place {
    let place = Place::new();
    let shop = include_str!("../../../src/cli/demo/shop.txt");
    for (path, text) in shop.split("//- /").skip(1).filter_map(|part| part.split_once('\n')) {
        place.write(path, text);
    }
    place
}

fn calls() -> Vec<(&'static str, Value)> {
    vec![
        (
            "codedb_context",
            json!({"task": "Coupons of more than 100 percent underflow in discounted"}),
        ),
        ("codedb_word", json!({"word": "coupon"})),
        ("codedb_tree", json!({})),
        ("codedb_symbol", json!({"name": "discounted", "body": true})),
        ("codedb_callers", json!({"name": "discounted"})),
        ("codedb_callers", json!({"name": "total"})),
        ("codedb_callpath", json!({"from": "a_coupon_takes_its_share", "to": "discounted"})),
        ("codedb_explain", json!({"name": "Coupon"})),
        ("codedb_outline", json!({"path": "src/cart.rs"})),
        ("codedb_read", json!({"path": "src/coupon.rs"})),
        ("codedb_read", json!({"path": "src/cart.rs", "symbol": "total"})),
        ("codedb_search", json!({"query": "percent"})),
        ("codedb_search", json!({"query": "TODO|FIXME", "regex": true})),
        ("codedb_search", json!({"query": "nowhere at all"})),
        ("codedb_find", json!({"query": "cpn"})),
        ("codedb_find", json!({"query": "zzzz"})),
        ("codedb_deps", json!({"path": "src/price.rs"})),
        ("codedb_deps", json!({"path": "web/cart.js", "direction": "depends_on"})),
        ("codedb_word", json!({"word": "Price"})),
        ("codedb_ls", json!({"path": "src"})),
        ("codedb_glob", json!({"pattern": "**/*cart*"})),
        ("codedb_symbol", json!({"prefix": "Pri"})),
        ("codedb_symbol", json!({"name": "discount"})),
        ("codedb_read", json!({"path": ".env"})),
        ("codedb_read", json!({"path": "../outside"})),
        ("codedb_read", json!({"path": "src/carts.rs"})),
        ("codedb_find", json!({"quer": "cart"})),
        (
            "codedb_bundle",
            json!({"ops": [
                {"tool": "codedb_symbol", "arguments": {"name": "Cart"}},
                {"tool": "codedb_outline", "arguments": {"path": "web/format.js"}},
            ]}),
        ),
        (
            "codedb_query",
            json!({"pipeline": [
                {"op": "search", "query": "percent"},
                {"op": "outline"},
            ]}),
        ),
        ("codedb_context", json!({"task": "format cents in the web shop", "max_tokens": 300})),
    ]
}

#[test]
fn a_session_of_thirty_calls_is_unchanged() {
    let place = shop();
    assert_eq!(place.index(&["--stage", "full"]).code, 0);
    let mut session = Session::start(&place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    let mut transcript = String::new();
    let calls = calls();
    assert_eq!(calls.len(), 30);
    for (name, arguments) in calls {
        let answer = session.call(name, arguments.clone());
        let failed = if answer["isError"] == true { " (an error)" } else { "" };
        let text = answer["content"][0]["text"].as_str().expect("a text");
        let _ = writeln!(transcript, "> {name} {arguments}{failed}\n{}\n", text.trim_end());
    }
    session.end();
    // The tree's path and the size of the index differ between runs.
    let root = place.root().canonicalize().expect("the tree exists");
    let transcript = transcript.replace(&root.display().to_string(), "ROOT");
    insta::assert_snapshot!(transcript);
}
