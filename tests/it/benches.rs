//! The corpus and the case files of the benches: tests of benches/corpus and benches/cases.

#[expect(dead_code, reason = "the benches use what tests do not")]
#[path = "../../benches/cases/case_file.rs"]
mod case_file;
#[path = "../../benches/cases/golden.rs"]
mod golden;
mod history;
mod manifest;
#[path = "../../benches/cases/reply.rs"]
mod reply;
mod tree;

use std::path::Path;

use self::corpus::manifest::Profile;
use crate::regression::gate::corpus;

/// Returns the directory of the corpus manifest and the cases.
fn place() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bench-corpus")
}

#[test]
fn every_tool_has_cases() {
    let files = case_file::read_all(&place().join("cases")).expect("they can be read");
    let tools: Vec<String> =
        codedb::tools::TOOLS.iter().map(codedb::tools::Tool::command).collect();
    for profile in Profile::ALL {
        assert_eq!(case_file::check_tools(&files, profile, &tools), Ok(()));
        let calls = files.iter().flat_map(|file| file.calls.iter().map(move |call| (file, call)));
        let requested = calls.filter(|(_, call)| call.profiles.contains(&profile));
        for (file, call) in requested {
            let hash = call.expected(profile);
            assert!(hash.is_some_and(|hash| hash.len() == 32), "{} {}", file.tool, call.name);
        }
    }
    let mut more = tools.clone();
    more.push("brand-new".to_owned());
    let error = case_file::check_tools(&files, Profile::Small, &more).expect_err("it has no case");
    assert!(error.contains("brand-new"), "{error}");
    let error =
        case_file::check_tools(&files, Profile::Small, &tools[1..]).expect_err("a file more");
    assert!(error.contains("is of no tool"), "{error}");
}

#[test]
fn case_files_are_read_strictly() {
    let check = |text: &str, expected: &str| {
        let error = case_file::parse(text).expect_err(text);
        assert!(error.contains(expected), "{text:?}: {error}");
    };
    check("case = []", "there is no case");
    check("[[case]]\narguments = {}\n", "name");
    check("[[case]]\nname = \"A b\"\n", "is not a valid name");
    check("[[case]]\nname = \"a\"\n[[case]]\nname = \"a\"\n", "twice");
    check("[[case]]\nname = \"a\"\nargument = {}\n", "argument");
    check("[[case]]\nname = \"a\"\nprofiles = [\"huge\"]\n", "huge");
    let calls = case_file::parse("[[case]]\nname = \"a\"\nsmall = \"x\"\n").expect("it is correct");
    assert_eq!(calls[0].expected(Profile::Small), Some("x"));
    assert_eq!((calls[0].expected(Profile::Full), calls[0].profiles.len()), (None, 2));
}

#[test]
fn blessing_changes_one_line() {
    let text =
        "# All.\n\n[[case]]\nname = \"a\"\nsmall = \"1\"\n\n# Of b.\n[[case]]\nname = \"b\"\n";
    let check = |at: usize, profile: Profile, expected: &str| {
        assert_eq!(case_file::with_hash(text, at, profile, "9"), expected);
    };
    check(0, Profile::Small, &text.replace("\"1\"", "\"9\""));
    check(0, Profile::Full, &text.replace("\"1\"\n", "\"1\"\nfull = \"9\"\n"));
    check(1, Profile::Small, &format!("{text}small = \"9\"\n"));
    check(2, Profile::Small, text);
    let long = "[[case]]\nname = \"a\"\narguments = { task = \"\"\"\nfull of\n\nlines\n\"\"\" }\n\n[[case]]\n";
    let blessed = case_file::with_hash(long, 0, Profile::Full, "9");
    assert_eq!(blessed, long.replace("\"\"\" }\n", "\"\"\" }\nfull = \"9\"\n"));
}

#[test]
fn replies_are_normalised_across_machines() {
    let check = |text: &str, expected: &str| assert_eq!(reply::plain(text, "/home/a"), expected);
    check("root  /home/a\n", "root  <root>\n");
    check("generation  7, 0 files changed\n", "generation  N, 0 files changed\n");
    check("{\"generation\":12,\"a\":3}", "{\"generation\":N,\"a\":3}");
    check("the next generation of 3 generations 4", "the next generation of 3 generations 4");
    check("generation", "generation");
}

#[test]
fn the_first_difference_of_replies_is_shown() {
    let check = |before: &str, after: &str, expected: &str| {
        assert_eq!(reply::first_difference(before, after), expected);
    };
    check("a\nb\n", "a\nc\n", "line 2\n  - b\n  + c");
    check("a\nb\n", "a\n", "line 2\n  - b\n  + <end>");
    check("a\n", "a", "the last line's end");
}

#[test]
fn rankings_are_text_that_shows_what_changed() {
    let text = "About.\n\ntask: where is it\n  1 a.py\n  2 b.py\n\ntask: a b\n  1 c.py\n";
    let golden = golden::Golden::parse(text).expect("it is correct");
    assert_eq!(golden.text(), text);
    let mut found = golden.clone();
    assert_eq!(golden::difference(&golden.tasks[0], &found.tasks[0]), "");
    found.tasks[0].lines = vec!["1 b.py".to_owned(), "2 a.py".to_owned()];
    let difference = golden::difference(&golden.tasks[0], &found.tasks[0]);
    assert_eq!(difference, "task: where is it\n  - 1 a.py\n  - 2 b.py\n  + 1 b.py\n  + 2 a.py\n");
    // The same lines in another order are another ranking, too.
    found.tasks[0].lines = vec!["2 b.py".to_owned(), "1 a.py".to_owned()];
    let difference = golden::difference(&golden.tasks[0], &found.tasks[0]);
    assert_eq!(difference, "task: where is it\n  - 1 a.py\n  - 2 b.py\n  + 2 b.py\n  + 1 a.py\n");
    for wrong in ["About.\n", "task: a\n1 a.py\n", "task: a\ntask: a\n"] {
        golden::Golden::parse(wrong).expect_err(wrong);
    }
}

#[test]
fn rankings_of_three_packages_are_stored() {
    let folder = place().join("rankings");
    let files: Vec<_> = std::fs::read_dir(&folder).expect("it is there").flatten().collect();
    assert_eq!(files.len(), 3);
    for file in files {
        let text = std::fs::read_to_string(file.path()).expect("it can be read");
        let golden = golden::Golden::parse(&text).expect("it is correct");
        assert_eq!(golden.text(), text);
        assert_eq!(golden.tasks.len(), 10);
        assert!(golden.tasks.iter().all(|ranked| ranked.lines.len() > 2), "{:?}", file.path());
    }
}
