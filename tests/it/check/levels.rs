//! What decides on the level: what the edit changes, where, and with which tests.

use serde_json::Value;

use super::{commit, git, json, level, repository, run};
use crate::support::place::Place;

/// Returns the entry of a file.
#[track_caller]
fn entry<'a>(reply: &'a Value, path: &str) -> &'a Value {
    let files = reply["files"].as_array().expect("a list");
    let found = files.iter().find(|file| file["path"] == path);
    found.unwrap_or_else(|| panic!("no {path} in {reply}"))
}

/// Returns a repository with a package whose `__init__.py` exports what a test calls.
fn package() -> Place {
    let place = repository();
    place.write("shop/__init__.py", "from .cart import total\n");
    place.write("shop/cart.py", "def total(prices):\n    '''Adds.'''\n    return sum(prices)\n");
    place.write(
        "tests/test_shop.py",
        "import shop\n\n\ndef test_total():\n    assert shop.total([1]) == 1\n",
    );
    commit(&place, "Begin");
    place
}

#[test]
fn docstrings_are_documentation() {
    let place = package();
    place.write("shop/cart.py", "def total(prices):\n    '''Sums up.'''\n    return sum(prices)\n");
    let reply = json(&place, &[]);
    assert_eq!((level(&reply), &reply["reasons"][0]), ("LOW", &"only comments changed".into()));
}

#[test]
fn a_test_that_reaches_through_an_export_counts() {
    let place = package();
    let text = "def total(prices):\n    '''Adds.'''\n    found = list(prices)\n    if not found:\n        \
                return 0\n    return sum(found)\n";
    place.write("shop/cart.py", text);
    let reply = json(&place, &["--verbose"]);
    assert!(reply["tests"].to_string().contains("test_total"), "{reply}");
    assert!(!reply.to_string().contains("no test was found"), "{reply}");
    assert!(reply.to_string().contains("likely to execute 1 of 1 changed function"), "{reply}");
}

#[test]
fn a_large_new_file_that_executes_text_is_not_low() {
    let place = package();
    place.write("shop/small.py", "def a(x):\n    return x + 1\n");
    assert_eq!(level(&json(&place, &[])), "LOW");
    let lines: String = (0..200).map(|at| format!("    total += eval(text[{at}])\n")).collect();
    place.write(
        "shop/large.py",
        format!("def run(text):\n    total = 0\n{lines}    return total\n"),
    );
    let reply = json(&place, &[]);
    assert_ne!(level(&reply), "LOW", "{reply}");
    assert!(reply["reasons"].to_string().contains("execution of data"), "{reply}");
}

#[test]
fn the_level_is_never_below_that_of_the_score() {
    let place = package();
    let lines: String =
        (0..2500).map(|at| format!("    total = total + {at} * prices\n")).collect();
    place.write(
        "shop/cart.py",
        format!("def total(prices):\n    total = 0\n{lines}    return total\n"),
    );
    let reply = json(&place, &[]);
    let score = reply["score"].as_f64().expect("a score");
    assert!(score > 0.7 && ["HIGH", "CRITICAL"].contains(&level(&reply)), "{reply}");
}

#[test]
fn versions_builds_addresses_and_scratch_files_have_no_baseline() {
    let place = package();
    place.write("package.json", "{\"version\": \"1.0.0\"}\n");
    place.write("Makefile", "all:\n\tcc a.c\n");
    place.write(".github/workflows/ci.yml", "steps:\n  - uses: a/b@v1\n");
    place.write("config.yml", "url: https://a.example/1\n");
    place.write("tmp/try.py", "x = 1\n");
    commit(&place, "Add files");
    place.write("package.json", "{\"version\": \"1.1.0\"}\n");
    place.write("Makefile", "all:\n\tcc -O2 a.c\n");
    place.write(".github/workflows/ci.yml", "steps:\n  - uses: a/b@v2\n");
    place.write("config.yml", "url: https://b.example/2\n");
    place.write("tmp/try.py", "x = 2\n");
    let reply = json(&place, &["--verbose"]);
    assert_eq!(level(&reply), "LOW", "{reply}");
    for path in ["package.json", "Makefile", ".github/workflows/ci.yml", "config.yml", "tmp/try.py"]
    {
        assert!(entry(&reply, path).get("components").is_none(), "{path}: {reply}");
    }
}

#[test]
fn a_removed_line_of_an_old_correction_alone_does_not_escalate() {
    let place = package();
    place.write(
        "shop/cart.py",
        "def total(prices):\n    '''Adds.'''\n    print(prices)\n    return sum(prices)\n",
    );
    commit(&place, "Fix a missing trace");
    place.write("shop/cart.py", "def total(prices):\n    '''Adds.'''\n    return sum(prices)\n");
    let reply = json(&place, &[]);
    assert_eq!(level(&reply), "LOW", "{reply}");
}

#[test]
fn constants_of_the_settings_replace_percentiles() {
    let place = package();
    place
        .write("shop/cart.py", "def total(prices):\n    '''Adds.'''\n    return 1 + sum(prices)\n");
    let of = |name: &str| {
        let reply = json(&place, &["--verbose", "shop/cart.py"]);
        let components = reply["files"][0]["components"].as_array().expect("a list").clone();
        let found = components.into_iter().find(|it| it["name"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {reply}"))
    };
    assert_eq!(of("blast_radius")["is_over"], false);
    place.write("codedb.toml", "[check]\nblast_radius = 1\n");
    let component = of("blast_radius");
    assert_eq!((&component["is_over"], &component["threshold"]), (&true.into(), &1.0.into()));
}

#[test]
fn a_file_that_is_moved_without_git_keeps_its_reviewers() {
    let place = package();
    place
        .write("shop/cart.py", "def total(prices):\n    '''Adds.'''\n    return 1 + sum(prices)\n");
    let args = ["commit", "-q", "-a", "-m", "Change", "--author", "Ben <ben@example.org>"];
    git(&place, &args);
    let root = place.root();
    std::fs::create_dir(root.join("store")).expect("a directory");
    std::fs::rename(root.join("shop/cart.py"), root.join("store/cart.py")).expect("it is moved");
    for args in [&[][..], &["store/cart.py"]] {
        let reply = json(&place, args);
        assert_eq!(reply["files"][0]["former_paths"][0]["confidence"], 1.0, "{reply}");
        assert_eq!(reply["files"][0]["former_paths"][0]["method"], "exact", "{reply}");
        let reviewers = reply["reviewers"].to_string();
        assert!(reviewers.contains("Ben") && reviewers.contains("ann"), "{args:?}: {reply}");
        assert!(reply.get("reviewers_of_directory").is_none(), "{reply}");
    }
}

#[test]
fn a_move_of_many_edited_files_is_followed_by_their_names() {
    let place = repository();
    let text = |at: usize, last: &str| format!("a{at} = 1\nb{at} = 2\nc{at} = 3\n{last}\n");
    for at in 0..230 {
        place.write(format!("old/f{at}.py"), text(at, "d = 4"));
    }
    commit(&place, "Begin");
    std::fs::remove_dir_all(place.root().join("old")).expect("it is removed");
    for at in 0..230 {
        place.write(format!("new/f{at}.py"), text(at, "d = 5"));
    }
    let reply = json(&place, &[]);
    let files = reply["files"].as_array().expect("a list");
    assert_eq!(files.len(), 230, "{}", reply["unknown"]);
    assert!(files.iter().all(|file| file["change"] == "renamed"), "{}", files[0]);
}

#[test]
fn files_beyond_the_limit_are_unknown_and_sources_are_compared_first() {
    let place = package();
    for at in 0..310 {
        place.write(format!("data/{at}.dat"), "1\n");
    }
    place.write("shop/cart.py", "def total(prices):\n    return 1 + sum(prices)\n");
    let reply = json(&place, &[]);
    assert!(reply["unknown"].to_string().contains("11 more files differ"), "{}", reply["unknown"]);
    entry(&reply, "shop/cart.py");
}

#[test]
fn the_reply_names_who_decided() {
    let place = package();
    place.write("shop/cart.py", "def total(prices):\n    return 1 + sum(prices)\n");
    assert_eq!(json(&place, &[])["decided_by"], "rules");
    assert!(run(&place, &[]).text().contains("(decided by the rules)"));
}
