//! Extractors of the user's own: what they print is found like what parsers find, they run only if the
//! user allows it, and nothing that they do is fatal.

use std::fs;

use serde_json::Value;

use crate::support::place::{Answer, Place};

/// Prints the definitions and uses of a made-up language.
const SCRIPT: &str = r#"
echo "$1" >> "$RUNS"
number=0
while IFS= read -r line; do
  number=$((number + 1))
  set -- $line
  case "$1" in
    dish) echo "{\"definition\": \"$2\", \"kind\": \"class\", \"line\": $number, \"end_line\": $((number + 3))}" ;;
    step) echo "{\"definition\": \"$2\", \"line\": $number, \"end_line\": $((number + 1))}" ;;
    use) echo "{\"reference\": \"$2\", \"role\": \"call\", \"line\": $number}" ;;
    bad) echo "this is no JSON" ;;
    fail) exit 3 ;;
    hang) sleep 1000 ;;
  esac
done
"#;

/// Creates a tree whose `codedb.toml` names an extractor.
fn tree() -> Place {
    let place = Place::new();
    place.write("codedb.toml", "[[extractor]]\nname = \"recipes\"\nextensions = [\"recipe\"]\ncommand = [\"sh\", \"tools/recipes.sh\"]\n");
    place.write("tools/recipes.sh", SCRIPT);
    place.write("soup.recipe", "dish Soup\n  step cook\n  use chop\nend\n");
    place.write("basics/knife.recipe", "step chop\nend\n");
    place
}

/// Lets the user's own settings allow it.
fn allow(place: &Place) {
    let dir = place.base().join("home/.config/codedb");
    fs::create_dir_all(&dir).expect("a directory");
    let root = place.root();
    let text =
        format!("[[allow_extractor]]\nroot = {root:?}\ncommand = [\"sh\", \"tools/recipes.sh\"]\n");
    fs::write(dir.join("codedb.toml"), text).expect("a file");
}

fn run(place: &Place, words: &[&str]) -> Answer {
    let mut command = place.codedb(words[0]);
    command.args(&words[1..]).env("RUNS", place.base().join("runs"));
    Answer::of(command)
}

fn reply(place: &Place, words: &[&str]) -> Value {
    let answer = run(place, &[words, &["--json", "--no-background"]].concat());
    serde_json::from_str(&answer.text())
        .unwrap_or_else(|error| panic!("{words:?}: {error}: {}", answer.stderr))
}

fn runs(place: &Place) -> usize {
    fs::read_to_string(place.base().join("runs")).unwrap_or_default().lines().count()
}

#[test]
fn its_definitions_and_calls_are_found() {
    let place = tree();
    allow(&place);
    // Without an index, and with one.
    for step in ["none", "full"] {
        if step == "full" {
            run(&place, &["index"]).expect_success();
            fs::remove_file(place.base().join("runs")).expect("it ran");
        }
        let found = reply(&place, &["symbol", "chop"]);
        let symbol = &found["symbols"][0];
        assert_eq!(
            (&symbol["path"], &symbol["line"]),
            (&"basics/knife.recipe".into(), &1.into()),
            "{found}"
        );
        assert_eq!(
            (&symbol["extractor"], &symbol["signature"]),
            (&"recipes".into(), &"step chop".into())
        );
        let found = reply(&place, &["callers", "chop"]);
        let caller = &found["callers"][0];
        assert_eq!(
            (&found["total"], &caller["in"]["name"]),
            (&1.into(), &"Soup.cook".into()),
            "{found}"
        );
        assert_eq!((&caller["path"], &caller["line"]), (&"soup.recipe".into(), &3.into()));
        assert_eq!(caller["extractor"], "recipes", "{found}");
        let found = reply(&place, &["outline", "soup.recipe"]);
        let names: Vec<&str> = found["symbols"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|of| of["qualified_name"].as_str())
            .collect();
        assert_eq!(names, ["Soup", "Soup.cook"], "{found}");
        assert_eq!(found["extractor"], "recipes", "{found}");
        let text = run(&place, &["symbol", "cook"]).expect_success().text();
        assert!(text.contains("by extractor recipes"), "{text}");
        let text = run(&place, &["context", "cook a Soup"]).expect_success().text();
        assert!(text.contains("soup.recipe"), "{text}");
    }
    assert_eq!(runs(&place), 0, "the index keeps what it printed");
    // An edit costs a run for one file.
    place.write("soup.recipe", "dish Stew\n  step cook\n  use chop\nend\n");
    assert_eq!(reply(&place, &["symbol", "Stew"])["symbols"][0]["extractor"], "recipes");
    assert_eq!(runs(&place), 1);
    // Another command is another extractor.
    let config = fs::read_to_string(place.root().join("codedb.toml")).expect("a file");
    place.write("codedb.toml", config.replace("name = \"recipes\"", "name = \"cooking\""));
    assert_eq!(reply(&place, &["symbol", "chop"])["symbols"][0]["extractor"], "cooking");
}

#[test]
fn without_the_users_permission_nothing_runs() {
    let place = tree();
    let answer = run(&place, &["index"]).expect_success();
    assert!(answer.stderr.contains("the extractor `recipes` does not run"), "{}", answer.stderr);
    assert_eq!(run(&place, &["symbol", "chop"]).code, 1);
    assert_eq!(run(&place, &["outline", "soup.recipe"]).code, 2);
    // The repository cannot give it.
    let config = fs::read_to_string(place.root().join("codedb.toml")).expect("a file");
    let allowed = "[[allow_extractor]]\nroot = \".\"\ncommand = [\"sh\", \"tools/recipes.sh\"]\n";
    place.write("codedb.toml", format!("{config}{allowed}"));
    place.write(".config/codedb/codedb.toml", allowed);
    run(&place, &["symbol", "chop"]);
    // Nor does the permission for another command.
    allow(&place);
    place.write("codedb.toml", config.replace("tools/recipes.sh", "tools/other.sh"));
    place.write("tools/other.sh", SCRIPT);
    run(&place, &["symbol", "chop"]);
    assert_eq!(runs(&place), 0);
}

#[test]
fn what_is_wrong_is_counted_and_never_fatal() {
    let place = tree();
    allow(&place);
    place.write("bad.recipe", "step stir\nend\nbad\nbad\n");
    place.write("fail.recipe", "step fry\nfail\n");
    run(&place, &["index"]).expect_success();
    let found = reply(&place, &["outline", "bad.recipe"]);
    assert_eq!(
        (&found["total"], &found["problems"]["extractor"]),
        (&1.into(), &2.into()),
        "{found}"
    );
    let found = reply(&place, &["outline", "fail.recipe"]);
    assert_eq!(
        (&found["total"], &found["problems"]["extractor"]),
        (&0.into(), &1.into()),
        "{found}"
    );
    let status = run(&place, &["status"]).expect_success().text();
    assert!(status.contains("fail.recipe") || status.contains("its extractor failed"), "{status}");
    assert_eq!(reply(&place, &["symbol", "chop"])["total"], 1);
    // A file that is not valid turns all of them off, and says so.
    place.write("codedb.toml", "[[extractor]]\nname = \"recipes\"\n");
    let answer = run(&place, &["index"]).expect_success();
    assert!(answer.stderr.contains("no extractor runs: `codedb.toml`"), "{}", answer.stderr);
}
