//! Everyday jobs in the repository of `codedb demo`: each is done by the first command that a new user types,
//! by guess from `codedb --help`, in every spelling of the list.

use crate::support::place::{Answer, Place};

const PROGRAM: &str = env!("CARGO_BIN_EXE_codedb");

/// A job: commands that people try first, and what the answer has.
type Job = (&'static str, &'static [&'static str], &'static str);

const JOBS: &[Job] = &[
    (
        "a partial or misspelled name",
        &[
            "pick discoun --list",
            "symbol --fuzzy discoun",
            "symbol --pattern discount",
            "search discounted",
        ],
        "discounted",
    ),
    (
        "a partial path",
        &["find cart test", "find 'cart test'", "files cart_test", "pick files carttest --list"],
        "tests/cart_test.rs",
    ),
    (
        "the callers of a function",
        &["callers Price::of", "callers of", "refs Price.of", "who-calls Price::of"],
        "Coupon::discounted",
    ),
    (
        "the tests of a file or a function",
        &[
            "suggest-tests src/coupon.rs",
            "tests src/coupon.rs",
            "tests Coupon::discounted",
            "tests-for discounted",
        ],
        "a_coupon_takes_its_share",
    ),
    ("hot files", &["hot", "churn", "hotspots", "recent"], "src/cart.rs"),
    ("reviewers", &["who-reviews src/cart.rs", "reviewers src/cart.rs", "who src/cart.rs"], "Ann"),
    (
        "the impact of a change",
        &["impact src/price.rs", "impact Price::of", "impact of", "affects src/price.rs"],
        "Cart::total",
    ),
    (
        "understanding",
        &[
            "explain Cart::total",
            "describe total",
            "context how is the total computed",
            "ask 'how is the total computed'",
        ],
        "fn total",
    ),
    (
        "a filtered search",
        &["search -t rust percent", "grep percent src", "rg -g '*.rs' percent"],
        "src/coupon.rs",
    ),
    (
        "a list for jq",
        &["symbol Cart --json", "def Cart --format json", "symbols Cart --format jsonl"],
        "\"path\":\"src/cart.rs\"",
    ),
];

#[cfg(unix)]
#[test]
fn the_first_guess_does_an_everyday_job() {
    let place = Place::new();
    let shop = place.demo();
    let mut failed = Vec::new();
    for (job, guesses, expected) in JOBS {
        for guess in *guesses {
            let mut shell = place.command("sh");
            shell.arg("-c").arg(format!("'{PROGRAM}' {guess}")).current_dir(&shop);
            let answer = Answer::of(shell);
            if answer.code != 0 || !answer.text().contains(expected) {
                failed.push((job, guess, answer.text(), answer.stderr));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
