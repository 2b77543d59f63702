//! A recorded session of an agent: the replies to thirty calls about one task.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::session::Session;
use crate::support::place::Place;

/// A shop in three languages, of realistic size.
pub(crate) fn shop() -> Place {
    let place = Place::new();
    place.write("README.md", "# Shop\n\nSells things. See docs/discounts.md.\n");
    place.write("docs/discounts.md", "# Discounts\n\nA coupon takes a share off the total.\n");
    place.write("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n");
    place.write(
        "src/cart.rs",
        "use crate::coupon::Coupon;\nuse crate::price::Price;\n\n/// What somebody buys.\n#[derive(Default)]\n\
         pub struct Cart {\n    prices: Vec<Price>,\n    coupon: Option<Coupon>,\n}\n\n\
         impl Cart {\n    /// Adds a price.\n    pub fn add(&mut self, price: Price) {\n        \
         self.prices.push(price);\n    }\n\n    /// Applies a coupon.\n    \
         pub fn apply_coupon(&mut self, coupon: Coupon) {\n        self.coupon = Some(coupon);\n    }\n\n    \
         /// Returns what is to be paid.\n    pub fn total(&self) -> Price {\n        \
         let sum: u64 = self.prices.iter().map(|price| price.cents).sum();\n        \
         match &self.coupon {\n            Some(coupon) => coupon.discounted(sum),\n            \
         None => Price::of(sum),\n        }\n    }\n}\n",
    );
    place.write(
        "src/coupon.rs",
        "use crate::price::Price;\n\n/// A share off.\npub struct Coupon {\n    pub percent: u64,\n}\n\n\
         impl Coupon {\n    /// Returns what is left of a sum.\n    \
         pub fn discounted(&self, sum: u64) -> Price {\n        \
         // TODO: more than 100 percent underflows\n        Price::of(sum - sum * self.percent / 100)\n    }\n}\n",
    );
    place.write(
        "src/price.rs",
        "/// Cents.\n#[derive(Clone, Copy, Debug, PartialEq)]\npub struct Price {\n    pub cents: u64,\n}\n\n\
         impl Price {\n    pub fn of(cents: u64) -> Price {\n        Price { cents }\n    }\n}\n",
    );
    place.write("src/lib.rs", "pub mod cart;\npub mod coupon;\npub mod price;\n");
    place.write(
        "tests/cart_test.rs",
        "use shop::cart::Cart;\nuse shop::coupon::Coupon;\nuse shop::price::Price;\n\n#[test]\n\
         fn a_coupon_takes_its_share() {\n    let mut cart = Cart::default();\n    cart.add(Price::of(200));\n    \
         cart.apply_coupon(Coupon { percent: 50 });\n    assert_eq!(cart.total(), Price::of(100));\n}\n",
    );
    place.write(
        "web/cart.js",
        "import { format } from './format.js';\n\nexport function showTotal(cents) {\n  \
         return format(cents);\n}\n",
    );
    place.write(
        "web/format.js",
        "/** Shows cents. */\nexport function format(cents) {\n  return (cents / 100).toFixed(2);\n}\n",
    );
    place.write(".env", "KEY=1\n");
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
