//! Absolute paths in arguments: they choose the tree, on the command line and over MCP.

use std::path::Path;

use crate::support::place::{Answer, Place};

/// Two repositories, each with a file, a definition that is called, and a commit.
fn place() -> Place {
    let place = Place::new();
    for name in ["one", "two"] {
        let text =
            format!("pub fn of_{name}() {{}}\n\npub fn by_{name}() {{\n    of_{name}();\n}}\n");
        place.write(format!("{name}/src/a.rs"), text);
        let git = |args: &[&str]| {
            let mut command = place.command("git");
            command.args(["-c", "user.name=ann", "-c", "user.email=ann@example.org"]);
            command.args(args).current_dir(place.root().join(name));
            Answer::of(command).expect_success();
        };
        git(&["init", "-q", "-b", "main"]);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "Begin"]);
    }
    place
}

fn codedb(place: &Place, at: &Path, args: &[&str]) -> Answer {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(args).args(["--no-background", "--index-dir"]).arg(place.cache());
    command.current_dir(at);
    Answer::of(command)
}

#[test]
fn an_absolute_path_chooses_the_tree_that_contains_it() {
    let place = place();
    let (one, two) = (place.root().join("one"), place.root().join("two"));
    let file = two.join("src/a.rs").display().to_string();
    let lines = format!("{file}:1-1");
    let folder = two.join("src").display().to_string();
    let calls: [(&[&str], &str); 12] = [
        (&["read", &file], "of_two"),
        (&["read", &lines], "of_two"),
        (&["read", "../two/src/a.rs"], "of_two"),
        (&["outline", &file], "of_two"),
        (&["symbol", "of_two", "--path-glob", &format!("{folder}/**")], "src/a.rs"),
        (&["callers", "of_two", "--path", &file], "by_two"),
        (&["deps", &file], ""),
        (&["history", &file], "Begin"),
        (&["who-reviews", &file], "ann"),
        (&["suggest-tests", &file], ""),
        (&["tree", &folder], "a.rs"),
        (&["churn", &file], "a.rs"),
    ];
    for (args, expected) in calls {
        let answer = codedb(&place, &one, args);
        let printed = format!("{}{}", answer.text(), answer.stderr);
        assert!(answer.code < 2, "{args:?}: {printed}");
        assert!(printed.contains(expected), "{args:?}: {printed}");
        assert!(!printed.contains("outside of the tree"), "{args:?}: {printed}");
    }
    // Nor is an index of the current directory needed.
    let bare = place.base().join("bare");
    std::fs::create_dir(&bare).expect("a folder");
    assert!(codedb(&place, &bare, &["read", &file]).expect_success().text().contains("of_two"));
}

#[test]
fn a_path_outside_of_the_tree_reports_the_tree_and_the_flag() {
    let place = place();
    let (one, two) = (place.root().join("one"), place.root().join("two"));
    let file = two.join("src/a.rs").display().to_string();
    let root = one.display().to_string();
    let answer = codedb(&place, &two, &["read", &file, "--root", &root]);
    assert_eq!(answer.code, 2, "{}", answer.text());
    for part in ["outside of the tree", &root, "`--root DIR` chooses another tree"] {
        assert!(answer.stderr.contains(part), "{}", answer.stderr);
    }
}
