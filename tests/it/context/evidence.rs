//! What leads to files and definitions, and what a reply says beside them.

use super::{ask, json, paths, shop};
use crate::support::place::{Answer, Place};

fn index(place: &Place) {
    Answer::of({
        let mut command = place.codedb("index");
        command.args(["--stage", "full", "--quiet"]);
        command
    })
    .expect_success();
}

/// A tree of routers and of many files without their words.
fn routers() -> Place {
    let place = Place::new();
    place.write("src/lib.rs", "pub mod table;\npub mod walk;\npub use table::Router;\n");
    place.write(
        "src/table.rs",
        "pub struct Router {\n    pub rows: Vec<u8>,\n}\n\nimpl Router {\n    pub fn insert(&mut self, row: u8) {\n        \
         self.rows.push(row);\n    }\n}\n",
    );
    place.write(
        "src/walk.rs",
        "/// Walks a router row by row.\npub fn walk(router: u8) -> u8 {\n    router\n}\n",
    );
    for number in 0..40 {
        place.write(format!("src/part_{number}.rs"), format!("pub fn part_{number}() {{}}\n"));
    }
    index(&place);
    place
}

#[test]
fn a_capitalised_word_and_an_unknown_member_lead_to_the_type() {
    let place = routers();
    for task in ["walk: keep the rows of the Router sorted", "add `Router::remove`"] {
        let reply = json(&place, task, &[]);
        let names: Vec<&str> = reply["symbols"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|of| of["name"].as_str())
            .collect();
        assert!(names.contains(&"Router"), "{task}: {reply}");
    }
    // A file that only declares and re-exports does not precede what it re-exports.
    let files = paths(&json(&place, "add `Router::remove`", &[]));
    assert_eq!(files[0], "src/table.rs", "{files:?}");
}

#[test]
fn a_task_in_which_nothing_decides_is_reported_and_names_files_only() {
    let place = routers();
    place.write("src/part_1.rs", "/// Some stuff.\npub fn part_1() {}\n");
    index(&place);
    let vague = ask(&place, "fix some stuff", &[]);
    let note = "nothing in the task decides which files it is about: no word of the task";
    assert!(vague.stderr.contains(note), "{}", vague.stderr);
    assert!(
        !vague.text().contains("```") && vague.text().contains("src/part_1.rs"),
        "{}",
        vague.text()
    );
    let decided = ask(&place, "fix the stuff of part_1", &[]);
    assert!(!decided.stderr.contains("decides"), "{}", decided.stderr);
    assert!(decided.text().contains("part_1()"), "{}", decided.text());
}

#[test]
fn documents_and_tests_with_the_words_are_companions() {
    let place = shop();
    place.write("docs/cart.md", "# Cart\n\nAn item that is added to the cart keeps its price.\n");
    place.write(
        "tests/test_price.py",
        "def test_price_of_an_item_of_the_cart():\n    assert True\n",
    );
    for number in 0..20 {
        place.write(
            format!("shop/item_{number}.py"),
            format!("def item_{number}():\n    return 'item'\n"),
        );
    }
    index(&place);
    let reply = json(
        &place,
        "the price of an item changes in the cart after it is added",
        &["--max-files", "1"],
    );
    let companions = reply["companions"].to_string();
    for path in ["docs/cart.md", "tests/test_price.py"] {
        assert!(companions.contains(path), "{path}: {reply}");
    }
    assert!(companions.contains("with the words"), "{reply}");
    // Companions and tests are within the scope of the call.
    let task = "the price of an item changes in the cart after it is added";
    for scope in [["--paths", "shop"], ["--exclude", "docs"]] {
        let text = ask(&place, task, &scope).text();
        assert!(!text.contains("docs/cart.md"), "{scope:?}: {text}");
    }
    let text = ask(&place, task, &["--exclude", "tests"]).text();
    assert!(!text.contains("tests/test"), "{text}");
}

#[test]
fn what_changed_together_is_a_companion() {
    let place = Place::new();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        command
            .current_dir(place.root())
            .args(["-c", "user.name=a", "-c", "user.email=a@b.c"])
            .args(args);
        assert!(command.output().expect("git").status.success(), "{args:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    for round in 0..6 {
        place.write("src/total.py", format!("def total(cart):\n    return {round}\n"));
        place.write("conf/rates.ini", format!("[rates]\nvat = {round}\n"));
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", &format!("step {round}")]);
    }
    index(&place);
    let text = ask(&place, "total of the cart is wrong", &["--max-files", "1"]).text();
    let expected = "## changes with\nconf/rates.ini  often changed with total.py\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_call_is_proposed_that_reads_the_definition_and_callers_are_counted() {
    let place = Place::new();
    let body = "    x = 1\n".repeat(80);
    place.write("lib/a.py", format!("def shop(x):\n{body}    return x\n"));
    place.write("shop/b.py", "VALUE = 1\n");
    for number in 0..9 {
        let text = format!("from lib.a import shop\n\n\ndef use_{number}():\n    shop({number})\n");
        place.write(format!("use/user_{number}.py"), text);
    }
    index(&place);
    let text = ask(&place, "fix `shop`", &[]).text();
    // `shop` alone is the directory.
    assert!(text.contains("next: codedb read lib/a.py:shop "), "{text}");
    assert!(text.contains("shop is called by (4 of 9 files)\n"), "{text}");
}

#[test]
fn a_name_alone_is_read() {
    let place = routers();
    let read = |name: &str| {
        Answer::of({
            let mut command = place.codedb("read");
            command.arg(name);
            command
        })
    };
    assert!(read("Router::insert").expect_success().text().contains("self.rows.push(row)"));
    place.write("src/other.rs", "pub struct Router;\n");
    index(&place);
    let both = read("Router");
    assert!(both.stderr.contains("2 definitions are called `Router`"), "{}", both.stderr);
    // A directory that does not exist has no definitions.
    let elsewhere = read("src/nowhere/walk");
    assert!(elsewhere.stderr.contains("no such file"), "{}", elsewhere.stderr);
    let none = read("no_such_name");
    assert!(none.stderr.contains("no_such_name: no such file"), "{}", none.stderr);
}
