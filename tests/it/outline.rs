//! `codedb outline` as a program: its output, exit codes and errors.

use crate::support::place::{Answer, Place, without_items};

fn outline(place: &Place, args: &[&str]) -> Answer {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.arg("outline").args(args);
    Answer::of(command)
}

#[test]
fn definitions_are_listed_nested() {
    let place = Place::new();
    place.write("src/a.rs", "mod m {\n    pub fn f(\n        x: u8,\n    ) -> u8 { x }\n}\n");
    let answer = outline(&place, &["src/a.rs"]).expect_success();
    assert_eq!(answer.text(), "module m  1-5  mod m\n  function f  2-4  pub fn f(x: u8) -> u8\n");
    assert_eq!(answer.stderr, "");
}

#[test]
fn json_has_all_fields() {
    let place = Place::new();
    place.write("a.py", "class A:\n    def f(self):\n        'Does.'\n");
    let answer = outline(&place, &["a.py", "--json"]).expect_success();
    let expected = concat!(
        r#"{"path":"a.py","relative_path":"a.py","language":"python","symbols":["#,
        r##"{"id":"a.py#A#0","name":"A","qualified_name":"A","kind":"class","##,
        r#""span":{"start":0,"end":41},"name_span":{"start":6,"end":7},"line":1,"end_line":3,"#,
        r#""signature":"class A","visibility":"public","depth":0},"#,
        r##"{"id":"a.py#A.f#0","name":"f","qualified_name":"A.f","kind":"method","##,
        r#""span":{"start":13,"end":41},"name_span":{"start":17,"end":18},"line":2,"end_line":3,"#,
        r#""signature":"def f(self)","doc":"Does.","visibility":"public","parent":0,"depth":1}],"#,
        r#""shown":2,"total":2,"problems":{}}"#,
        "\n"
    );
    assert_eq!(without_items(&answer.text()), expected);
}

#[test]
fn no_definitions_is_exit_code_1() {
    let place = Place::new();
    place.write("a.go", "package a\n");
    let answer = outline(&place, &["a.go"]);
    assert_eq!((answer.text().as_str(), answer.stderr.as_str(), answer.code), ("", "", 1));
}

#[test]
fn errors_suggest_what_to_do() {
    let place = Place::new();
    place.write("a.txt", "words\n");
    place.write("d/a.rs", "\n");
    let reported = |args: &[&str], words: &[&str]| {
        let answer = outline(&place, args);
        assert_eq!((answer.text().as_str(), answer.code), ("", 2), "{args:?}");
        for word in words {
            assert!(answer.stderr.contains(word), "{args:?}: {}", answer.stderr);
        }
    };
    reported(
        &["a.txt"],
        &["a.txt: the language of this file is not supported", "hint:", "rust", "tsx"],
    );
    reported(&["d"], &["d: is a directory", "hint:"]);
    reported(&["none.rs"], &["none.rs: ", "hint:"]);
    reported(&[], &["PATH"]);
}

#[test]
fn a_file_that_is_too_large_is_reported() {
    let place = Place::new();
    place.write("a.c", "int x;\n".repeat(700_000));
    let answer = outline(&place, &["a.c"]);
    assert_eq!((answer.text().as_str(), answer.code), ("", 1));
    assert!(answer.stderr.contains("a.c: the file is too large"), "{}", answer.stderr);
}
