//! `codedb eval` on a synthetic history: the tasks, the measures, and a golden ranking.

mod causes;
mod context;

use std::process::Command;

use serde_json::Value;

use crate::support::place::{Answer, Place};

/// The commits of a small shop: the subject, and the files that each writes.
const HISTORY: &[(&str, &[(&str, &str)])] = &[
    (
        "Begin a shop with carts and money",
        &[
            (
                "shop/cart.py",
                "class Cart:\n    def add_item(self, item):\n        self.items.append(item)\n",
            ),
            ("shop/money.py", "def round_cents(price):\n    return round(price, 1)\n"),
            ("shop/login.py", "def check_password(name, password):\n    return True\n"),
            (
                "shop/mail.py",
                "def send_receipt(customer):\n    '''Mails the bill to the customer.'''\n",
            ),
            (
                "tests/test_cart.py",
                "from shop.cart import Cart\n\ndef test_add_item():\n    Cart()\n",
            ),
            ("README.md", "# Shop\n\nCarts, money, passwords and receipts.\n"),
        ],
    ),
    (
        "Prices are rounded to two digits, not one",
        &[("shop/money.py", "def round_cents(price):\n    return round(price, 2)\n")],
    ),
    (
        "check_password refuses empty names\n\nAnybody could log in without a name.",
        &[("shop/login.py", "def check_password(name, password):\n    return bool(name)\n")],
    ),
    ("Bump the version to 2.0", &[("shop/cart.py", "VERSION = 2\n")]),
    (
        "The receipt is mailed to the customer's second address, too",
        &[(
            "shop/mail.py",
            "def send_receipt(customer):\n    '''Mails the bill to the customer.'''\n    send(customer)\n",
        )],
    ),
    (
        "An item that is added twice stands in the cart once",
        &[
            (
                "shop/cart.py",
                "class Cart:\n    def add_item(self, item):\n        self.items.add(item)\n",
            ),
            ("tests/test_cart.py", "from shop.cart import Cart\n\ndef test_twice():\n    Cart()\n"),
        ],
    ),
];

fn git(place: &Place, second: usize, args: &[&str]) {
    let mut command: Command = place.command("git");
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
    let date = format!("{} +0000", 1_700_000_000 + 86_400 * second);
    command
        .args(who)
        .args(args)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_COMMITTER_DATE", &date)
        .env_remove("GIT_DIR");
    Answer::of(command).expect_success();
}

fn shop() -> Place {
    let place = Place::new();
    git(&place, 0, &["init", "-q", "-b", "main"]);
    for (second, (message, files)) in HISTORY.iter().enumerate() {
        for (path, text) in *files {
            place.write(path, text);
        }
        git(&place, second, &["add", "."]);
        git(&place, second, &["commit", "-q", "-m", message]);
    }
    place
}

fn eval(place: &Place, args: &[&str]) -> Answer {
    let words = place.codedb_words("eval");
    let mut command = place.command(&words[0]);
    command.arg("eval").args(args);
    if args[0] != "fit" {
        command.args(&words[2..]);
    }
    Answer::of(command)
}

/// Writes a file outside of the tree and returns its path.
fn beside(place: &Place, name: &str, text: &str) -> String {
    let path = place.base().join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path.to_str().expect("UTF-8").to_owned()
}

#[test]
fn the_ranking_of_a_small_history_is_unchanged() {
    let place = shop();
    let before = std::fs::read_dir(place.root()).expect("a tree").count();
    let reported = eval(&place, &["localize", "--json", "--budgets", "120,500"]).expect_success();
    let cases: Vec<Value> =
        reported.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let shown: Vec<String> = cases
        .iter()
        .map(|case| {
            format!(
                "{} at {}, BM25 {}, functions {}, recall {}",
                case["files"], case["codedb"], case["bm25"], case["functions"], case["recall"]
            )
        })
        .collect();
    // Tasks are sorted from oldest to newest; maintenance commits, tests and new files are left
    // out.
    assert_eq!(
        shown,
        [
            r#"["shop/money.py"] at [0], BM25 [null], functions [0], recall [1.0,1.0]"#,
            r#"["shop/login.py"] at [0], BM25 [0], functions [0], recall [1.0,1.0]"#,
            r#"["shop/mail.py"] at [0], BM25 [0], functions [], recall [1.0,1.0]"#,
            r#"["shop/cart.py"] at [0], BM25 [1], functions [], recall [1.0,1.0]"#,
        ]
    );
    assert_eq!(std::fs::read_dir(place.root()).expect("a tree").count(), before);
    let again = eval(&place, &["localize", "--budgets", "500"]).expect_success();
    assert!(again.text().contains("| codedb | 1.000 | 1.000 |"), "{}", again.text());
}

#[test]
fn tasks_of_a_file_are_measured_and_evidence_is_kept() {
    let place = shop();
    let mut command = place.command("git");
    command.args(["rev-parse", "HEAD~1"]);
    let base = Answer::of(command).expect_success().text();
    let task = serde_json::json!({
        "id": "shop-1",
        "base": base.trim(),
        "task": "A cart has an item twice after `add_item` is called twice",
        "patch": "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1,1 +1,1 @@\n-VERSION = 2\n+VERSION = 3\n",
    });
    let tasks = &beside(&place, "tasks.jsonl", &format!("{task}\n"));
    let kept_name = &beside(&place, "kept.jsonl", "");
    let args = ["localize", "--tasks", tasks, "--evidence", kept_name, "--no-baselines"];
    let reported = eval(&place, &args).expect_success().text();
    assert!(reported.contains("1 cases"), "{reported}");
    let evidence = std::fs::read_to_string(kept_name).expect("evidence");
    assert!(
        evidence.contains(r#""path":"shop/cart.py""#) && evidence.contains(r#""is_expected":true"#)
    );
    let fitted = eval(&place, &["fit", kept_name]).expect_success();
    let weights: Value = serde_json::from_str(&fitted.text()).expect("weights");
    assert!(weights["signals"].as_array().is_some_and(|signals| !signals.is_empty()));

    for (args, wanted) in [
        (vec!["localize", "--tasks", "nowhere.jsonl"], "nowhere.jsonl"),
        (vec!["localize", "--budgets", "many"], "numbers of tokens"),
        (vec!["localize", "--tasks", kept_name], "line 1: invalid task"),
        (vec!["fit", tasks], "invalid evidence"),
    ] {
        let refused = eval(&place, &args);
        assert!(refused.code != 0 && refused.stderr.contains(wanted), "{}", refused.stderr);
    }
    let bare = Place::new();
    bare.write("a.py", "x = 1\n");
    assert!(eval(&bare, &["localize"]).stderr.contains("not a git repository"));
}

/// Tasks are often given to models, so tokens in commit messages and in keys are not printed.
#[test]
fn tokens_in_tasks_are_redacted() {
    let place = shop();
    // Written in two parts, so that this file has none.
    let token = format!("{}{}", "ghp_", "R8sYw2Lq7ZtB4nXc9VdKf3HjMa6GpUeT1o5x");
    place.write("shop/login.py", "def check_password(name, password):\n    return False\n");
    git(&place, 9, &["add", "."]);
    git(&place, 9, &["commit", "-q", "-m", &format!("check_password refuses {token} at last")]);
    let shown = eval(&place, &["localize", "--json", "--no-baselines"]).expect_success().text();
    assert!(shown.contains("shop/login.py") && !shown.contains(&token), "{shown}");
    place.index(&["--stage", "full"]).expect_success();
    let key =
        format!("{{\"task\":\"who calls {token}\",\"definitions\":[\"shop/mail.py:none\"]}}\n");
    let graded = eval(&place, &["answers", &beside(&place, "key.jsonl", &key)]);
    assert!(!graded.text().contains(&token), "{}", graded.text());
    assert!(graded.text().contains("[redacted: "), "{}", graded.text());
}

#[test]
fn replies_are_graded_by_a_key() {
    let place = shop();
    place.index(&["--stage", "full"]).expect_success();
    let key = beside(
        &place,
        "key.jsonl",
        "{\"task\":\"who calls check_password\",\"keywords\":[\"check_password\"],\
         \"definitions\":[\"shop/login.py:check_password\"],\"first_file\":[\"shop/login.py\"]}\n\
         {\"task\":\"who calls check_password\",\"definitions\":[\"shop/mail.py:check_password\"]}\n",
    );
    let graded = eval(&place, &["answers", &key]);
    assert_eq!(graded.code, 1);
    let text = graded.text();
    assert!(text.contains("correct: who calls") && text.contains("1 of 2 correct"), "{text}");
    assert!(text.contains("missing definition `shop/mail.py:check_password`"), "{text}");
}

#[test]
fn questions_are_measured_by_kind() {
    let place = shop();
    let questions = "\
{\"kind\":\"how\",\"task\":\"where is the receipt mailed to the customer?\",\"files\":{\"shop/mail.py\":2},\"definition\":\"shop/mail.py:send_receipt\"}
{\"kind\":\"name\",\"task\":\"round cents\",\"files\":{\"shop/money.py\":2,\"shop/cart.py\":1},\"definition\":\"shop/money.py:round_cents\"}
{\"kind\":\"name\",\"task\":\"checkpassword\",\"files\":{\"shop/login.py\":2},\"definition\":\"shop/login.py:check_password\"}
";
    let questions = &beside(&place, "questions.jsonl", questions);
    let evidence = &beside(&place, "signals.jsonl", "");
    let text =
        eval(&place, &["questions", "--evidence", evidence, questions]).expect_success().text();
    assert!(text.contains("| how | 1 | 1.000 |") && text.contains("| all | 3 |"), "{text}");
    let kept = std::fs::read_to_string(evidence).expect("evidence");
    assert_eq!(kept.matches(r#""grade":2"#).count(), 3, "{kept}");
    assert!(kept.contains(r#""kind":"question""#) && kept.contains(r#""grade":1"#), "{kept}");
    eval(&place, &["fit", evidence]).expect_success();
    let json = eval(&place, &["questions", "--json", questions]).expect_success().text();
    let lines: Vec<Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let first: Vec<&Value> = lines.iter().map(|line| &line["first"][0]).collect();
    assert_eq!(first, ["shop/mail.py", "shop/money.py", "shop/login.py"]);
    assert!(lines.iter().all(|line| line["definition"] == 0), "{json}");
    let refused = eval(&place, &["questions", &beside(&place, "bad.jsonl", "{}\n")]);
    assert!(refused.stderr.contains("line 1: invalid question"), "{}", refused.stderr);
}

#[test]
fn a_shallow_clone_is_reported() {
    let place = shop();
    let question = "{\"kind\":\"name\",\"task\":\"round cents\",\"files\":{\"shop/money.py\":2}}\n";
    let questions = &beside(&place, "questions.jsonl", question);
    let shallow = Place::new();
    git(&shallow, 0, &["init", "-q", "-b", "main"]);
    let source = format!("file://{}", place.root().display());
    git(&shallow, 0, &["pull", "-q", "--depth", "3", &source, "main"]);
    for args in [&["questions", questions][..], &["localize", "--no-baselines"]] {
        let complete = eval(&place, args).expect_success();
        assert!(!complete.stderr.contains("shallow"), "{args:?}: {}", complete.stderr);
        let cut = eval(&shallow, args).expect_success();
        assert!(cut.stderr.contains("the clone is shallow"), "{args:?}: {}", cut.stderr);
    }
}

#[test]
fn levels_are_compared_with_judgements() {
    let place = shop();
    let mut command = place.command("git");
    command.args(["log", "--format=%H"]);
    let commits = Answer::of(command).expect_success().text();
    let commits: Vec<&str> = commits.lines().collect();
    let line = |commit: &str, level: &str, or: &str| {
        serde_json::json!({"repository": "shop", "commit": commit, "level": level, "or": or, "reason": "r"})
            .to_string()
            + "\n"
    };
    // The version, the rounding, and the first commit, which has no parent.
    let judged = [
        line(commits[2], "LOW", "MEDIUM"),
        line(commits[4], "CRITICAL", "HIGH"),
        line(commits[5], "LOW", "MEDIUM"),
    ];
    let judged = &beside(&place, "judged.jsonl", &judged.concat());
    let answer = eval(&place, &["levels", "--judged", judged, "--verbose"]).expect_success();
    let (text, notes) = (answer.text(), &answer.stderr);
    assert!(text.contains("| shop | 2 | 0.500 |"), "{text}");
    assert!(notes.contains("1 commits failed"), "{notes}");
    assert!(text.contains("judged CRITICAL or HIGH: r\n  checked "), "{text}");
    assert!(text.contains("| judged, checked as | LOW | MEDIUM | HIGH | CRITICAL |"), "{text}");
    let wrong = &beside(&place, "wrong.jsonl", &line(commits[2], "NONE", "LOW"));
    assert_eq!(eval(&place, &["levels", "--judged", wrong]).code, 2);
}
