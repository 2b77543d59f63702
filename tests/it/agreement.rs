//! Commands that answer parts of the same question agree, on one repository.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::place::{Answer, Place, settle};

/// A Go module: tests of a package neither import its files nor are named after them.
fn repository() -> Place {
    let place = Place::new();
    place.write("go.mod", "module example.org/shop\n\ngo 1.22\n");
    place.write(
        "cart/cart.go",
        "package cart\n\n// Cart has prices.\ntype Cart struct{ prices []int }\n\n\
         // Add adds a price.\nfunc (c *Cart) Add(price int) {\n\
         \tc.prices = append(c.prices, discounted(price))\n}\n\n\
         func discounted(price int) int {\n\treturn price - price/10\n}\n",
    );
    place.write(
        "cart/behaviour_test.go",
        "package cart\n\nimport \"testing\"\n\nfunc TestAdding(t *testing.T) {\n\tc := &Cart{}\n\
         \tc.Add(3)\n\tif len(c.prices) != 1 {\n\t\tt.Fatal(\"none\")\n\t}\n}\n",
    );
    place.write(
        "report/report.go",
        "package report\n\n// Monthly renders a report.\nfunc Monthly() string {\n\treturn \"none\"\n}\n",
    );
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "Add the cart"]);
    place
        .write("report/report.go", "package report\n\nfunc Monthly() string {\n\treturn \"\"\n}\n");
    place.git(&["commit", "-q", "-am", "Render an empty report"]);
    settle();
    place.index(&["-q", "--stage", "full"]).expect_success();
    place
}

fn json(place: &Place, tool: &str, args: &[&str]) -> Value {
    let mut command = place.codedb(tool);
    command.args(args).args(["--no-background", "--json"]);
    let answer = Answer::of(command);
    serde_json::from_str(&answer.text())
        .unwrap_or_else(|error| panic!("{tool} {args:?}: {error}: {}", answer.stderr))
}

/// Returns true if the selection has tests that probably execute what is queried.
fn has_likely_tests(selection: &Value) -> bool {
    let is_likely = |test: &Value| test["score"].as_f64().is_some_and(|score| score >= 0.1);
    selection["tests"].as_array().is_some_and(|tests| tests.iter().any(is_likely))
}

#[test]
fn triage_and_the_selection_of_tests_agree() {
    let place = repository();
    let triage = json(&place, "triage", &[]);
    let mut seen = BTreeSet::new();
    for file in triage["files"].as_array().expect("files") {
        let path = file["path"].as_str().expect("a path");
        let reasons = file["reasons"].to_string();
        let is_likely = has_likely_tests(&json(&place, "suggest-tests", &[path]));
        assert!(!reasons.contains("no test imports it"), "{path}: {reasons}");
        assert_eq!(
            reasons.contains("no test is known to reach it"),
            !is_likely,
            "{path}: {reasons}"
        );
        assert_eq!(
            reasons.contains("tests reach it, but none imports it or is named after it"),
            is_likely,
            "{path}: {reasons}"
        );
        seen.insert((path.to_owned(), is_likely));
    }
    let expected = [("cart/cart.go".to_owned(), true), ("report/report.go".to_owned(), false)];
    assert_eq!(seen, BTreeSet::from(expected));
    assert_eq!(triage["without_tests"], 1);
}

#[test]
fn explain_and_the_selection_of_tests_agree() {
    let place = repository();
    for name in ["Cart.Add", "discounted", "Cart", "Monthly"] {
        let explained = json(&place, "explain", &[name]);
        let selected = json(&place, "suggest-tests", &["--functions", name, "--limit", "100"]);
        let paths = |list: &Value| -> BTreeSet<String> {
            let list = list.as_array().cloned().unwrap_or_default();
            list.iter().map(|of| of["path"].as_str().expect("a path").to_owned()).collect()
        };
        let tests = &explained["tests"];
        let listed = tests.get("list").unwrap_or(tests);
        assert_eq!(paths(listed), paths(&selected["tests"]), "{name}: {explained}");
        assert_eq!(explained["tests_message"], selected["message"], "{name}");
    }
}

#[test]
fn check_and_the_history_agree() {
    let place = repository();
    for path in ["cart/cart.go", "report/report.go"] {
        let commits = json(&place, "history", &[path])["commits"].as_array().map_or(0, Vec::len);
        assert!(commits > 0, "{path}");
        let check = json(&place, "check", &[path]);
        let unknown = check["unknown"].to_string();
        assert!(!unknown.contains("no commit that counts changed it"), "{path}: {unknown}");
        assert!(unknown.contains("fewer than 5 commits by people changed it"), "{path}: {unknown}");
        let names = |list: &Value| -> Vec<String> {
            let list = list.as_array().cloned().unwrap_or_default();
            list.iter().map(|of| of["author"].to_string()).collect()
        };
        let reviewers = json(&place, "who-reviews", &[path]);
        assert_eq!(names(&check["reviewers"]), names(&reviewers["reviewers"]), "{path}");
        assert_eq!(check["reviewers_of_directory"], Value::Null, "{path}");
    }
    // A new file has no commits: those of its directory are named as such.
    place.write("cart/price.go", "package cart\n\n// Price is a price.\ntype Price int\n");
    settle();
    let check = json(&place, "check", &["cart/price.go"]);
    assert_eq!(check["reviewers_of_directory"], true, "{check}");
    let mut command = place.codedb("check");
    command.args(["cart/price.go", "--no-background"]);
    let text = Answer::of(command).text();
    assert!(text.contains("reviewers of its directory: "), "{text}");
}

#[test]
fn a_folder_stands_for_all_that_changed_in_it() {
    let place = repository();
    place.git(&["mv", "report/report.go", "report/monthly.go"]);
    settle();
    let commands = |tool: &str, args: &[&str]| json(&place, tool, args)["commands"].clone();
    let all = commands("suggest-tests", &[]);
    assert!(all.to_string().contains("./..."), "a file is gone: all tests run: {all}");
    assert_eq!(commands("suggest-tests", &["report"]), all);
    assert_eq!(commands("impact", &["report"]), all);
    assert_ne!(commands("suggest-tests", &["cart"]), all, "nothing is renamed in the other folder");
    let owners = json(&place, "ownership", &["report/monthly.go"]);
    assert_eq!(owners["lines"], 5, "blame is that of the former path: {owners}");
}

#[test]
fn the_commits_of_a_change_are_no_evidence_about_it() {
    let place = repository();
    place.git(&["checkout", "-q", "-b", "work"]);
    let text = "package cart\n\n// Cart has prices.\ntype Cart struct{ prices []int }\n\n\
         // Add adds a price.\nfunc (c *Cart) Add(price int) {\n\
         \tif price > 0 {\n\t\tc.prices = append(c.prices, discounted(price))\n\t}\n}\n\n\
         func discounted(price int) int {\n\treturn price - price/10\n}\n";
    place.write("cart/cart.go", text);
    place.git(&[
        "-c",
        "user.name=Zed",
        "-c",
        "user.email=zed@example.org",
        "commit",
        "-q",
        "-am",
        "Fix: ignore prices of zero",
    ]);
    settle();
    let reviewers = json(&place, "who-reviews", &["--base", "main"]);
    let check = json(&place, "check", &["--base", "main"]);
    for reply in [&reviewers, &check] {
        let people = reply["reviewers"].as_array().expect("reviewers");
        assert!(!people.is_empty() && !reply["reviewers"].to_string().contains("Zed"), "{reply}");
    }
    assert_eq!(reviewers["reviewers"][0]["commits"], check["reviewers"][0]["commits"]);
    assert!(!check["reasons"].to_string().contains("it removes"), "{check}");
    // The commits of several files are counted once.
    let all = json(&place, "who-reviews", &["."]);
    assert_eq!(all["reviewers"][0]["commits"], 2, "{all}");
}

#[test]
fn deleted_files_can_be_named() {
    let place = repository();
    std::fs::remove_file(place.root().join("report/report.go")).expect("it exists");
    settle();
    let named = ["report/report.go"];
    assert_eq!(json(&place, "history", &named)["commits"].as_array().map(Vec::len), Some(2));
    assert_eq!(json(&place, "who-reviews", &named)["reviewers"][0]["commits"], 2);
    assert_eq!(json(&place, "check", &named)["files"][0]["change"], "deleted");
    let all = json(&place, "suggest-tests", &[])["commands"].clone();
    assert_eq!(json(&place, "suggest-tests", &named)["commands"], all);
    assert_eq!(json(&place, "impact", &named)["commands"], all);
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_elsewhere_is_a_change_of_one_line() {
    let place = repository();
    let link = place.root().join("link.go");
    std::os::unix::fs::symlink("cart/cart.go", &link).expect("a link");
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "Add a link"]);
    std::fs::remove_file(&link).expect("it exists");
    std::os::unix::fs::symlink("report/report.go", &link).expect("a link");
    settle();
    let file = json(&place, "check", &[])["files"][0].clone();
    assert_eq!(
        (&file["path"], &file["added"], &file["removed"]),
        (&"link.go".into(), &1.into(), &1.into())
    );
}
