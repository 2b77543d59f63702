//! Edits of hooks: golden texts, and the exact way back from each layout.

use super::*;

const COMMAND_LINE: &str = "codedb hook claude-code || true";

fn hook(command: &str) -> Hook<'_> {
    let is_own = |command: &str| command.contains("codedb hook");
    Hook { event: "PreToolUse", matcher: "Bash|Grep", command, is_own }
}

fn put(text: &str) -> Result<Option<Edit>> {
    register(text, hook(COMMAND_LINE))
}

/// Checks that adding the hook to `text` gives `expected`, that adding it again changes nothing, and
/// that removing it restores `text`.
#[track_caller]
fn check(text: &str, expected: &str) {
    let edit = put(text).expect("it is valid").expect("an edit");
    assert_eq!(edit.text, expected);
    assert_eq!(edit.act, Act::Adds);
    restored(text, &edit.text);
}

#[track_caller]
fn restored(text: &str, edited: &str) {
    assert_eq!(put(edited).expect("it is valid"), None, "{edited}");
    let gone = unregister(edited, hook("")).expect("it is valid").expect("an edit");
    assert_eq!(gone.text, text, "{edited}");
    assert_eq!(gone.act == Act::RemovesAll, text.is_empty(), "{edited}");
    assert_eq!(unregister(text, hook("")).expect("it is valid"), None, "{text}");
}

const ROW: &str =
    "\"hooks\": [{\"type\": \"command\", \"command\": \"codedb hook claude-code || true\"}]";

#[test]
fn a_hook_is_added_to_each_form_of_settings() {
    check(
        "",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash|Grep\",\n        \
         \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \
         \"codedb hook claude-code || true\"\n          }\n        ]\n      }\n    ]\n  }\n}\n",
    );
    check(
        "{\n  // mine\n  \"model\": \"x\"\n}\n",
        &format!(
            "{{\n  // mine\n  \"model\": \"x\",\n  \"hooks\": {{\n    \"PreToolUse\": [\n      {{\n        \
             \"matcher\": \"Bash|Grep\",\n        {ROW}\n      }}\n    ]\n  }}\n}}\n"
        ),
    );
    let one_line = format!("{{\"matcher\": \"Bash|Grep\", {ROW}}}");
    check(
        "{\n  \"hooks\": {\n    \"Stop\": [] // none\n  }\n}\n",
        &format!(
            "{{\n  \"hooks\": {{\n    \"Stop\": [], // none\n    \"PreToolUse\": [\n      {one_line}\n    ]\n  \
             }}\n}}\n"
        ),
    );
    check(
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"hooks\": [] } // first\n    ]\n  }\n}\n",
        &format!(
            "{{\n  \"hooks\": {{\n    \"PreToolUse\": [\n      {{ \"hooks\": [] }}, // first\n      {{\n        \
             \"matcher\": \"Bash|Grep\",\n        {ROW}\n      }}\n    ]\n  }}\n}}\n"
        ),
    );
}

#[test]
fn every_layout_is_restored() {
    for text in [
        "{}",
        "{}\n",
        "{\n}\n",
        "// only a comment\n",
        "{\"hooks\":{}}",
        "{ \"hooks\": { } }",
        "{\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\n  \"hooks\": { /* none */ }\n}\n",
        "{\"hooks\":{\"PreToolUse\":[]}}",
        "{\"hooks\": {\"PreToolUse\": [ ]}, \"a\": 1}",
        "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      // none\n    ],\n  },\n}\n",
        "{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n\t\t\"PreToolUse\": [{\"hooks\": []}],\r\n\t},\r\n}\r\n",
        "{\"a\": 1}",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"command\": \"x\"}]}, {}]}}",
        "{\n    \"hooks\": {\n        \"PostToolUse\": [1]\n    },\n    \"b\": []\n}",
    ] {
        let edit = put(text).expect("it is valid").expect("an edit");
        restored(text, &edit.text);
    }
}

#[test]
fn blanks_comments_and_commas_are_restored_in_every_form() {
    let gaps = ["", " ", "\n", "\n  ", " /* x */ ", "\n  // x\n  "];
    let forms: [fn(&str, &str, &str) -> String; 7] = [
        |a, _, _| format!("{{{a}}}"),
        |a, b, c| format!("{{{a}\"a\": 1{b}}}{}", if c.contains("//") { "" } else { c.trim() }),
        |a, b, c| format!("{{{a}\"hooks\":{b}{{{c}}}}}\n"),
        |a, b, c| format!("{{{a}\"hooks\": {{{b}\"PreToolUse\": [{c}]}}}}\n"),
        |a, b, c| format!("{{{a}\"hooks\": {{\"Stop\": [1]{b},{c}}}, \"b\": 2}}"),
        |a, b, c| format!("{{\"hooks\": {{{a}\"PreToolUse\": [{b}{{}}{c},]}}}}"),
        |a, b, c| format!("{{\"hooks\": {{\"PreToolUse\": [{a}1,{b}2{c}]{a}}}{b}}}"),
    ];
    let count = gaps.len();
    for case in 0..forms.len() * count.pow(3) {
        let gap = |place: u32| gaps[case / count.pow(place) % count];
        let (form, a, b, c) = (forms[case / count.pow(3)], gap(0), gap(1), gap(2));
        for end in ["\n", "\r\n"] {
            let text = form(a, b, c).replace('\n', end);
            if Document::parse(&text).is_err() {
                continue;
            }
            let edit = put(&text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
            restored(&text, &edit.expect("an edit").text);
        }
    }
}

#[test]
fn a_changed_command_line_is_replaced_and_a_changed_matcher_kept() {
    let older = put("{\"a\": 1}").expect("valid").expect("an edit").text;
    let older = older.replace("Bash|Grep", "Bash");
    assert_eq!(put(&older).expect("valid"), None);
    let moved = register(&older, hook("/opt/codedb hook claude-code")).expect("valid");
    let moved = moved.expect("an edit");
    assert_eq!(moved.act, Act::Moves);
    assert_eq!(moved.text, older.replace(COMMAND_LINE, "/opt/codedb hook claude-code"));
    let gone = unregister(&moved.text, hook("")).expect("valid").expect("an edit");
    assert_eq!((gone.text.as_str(), gone.act), ("{\"a\": 1}", Act::Removes));
}

#[test]
fn hooks_of_others_in_the_same_group_stay() {
    let text = format!(
        "{{\"hooks\": {{\"PreToolUse\": [{{\"hooks\": [{{\"command\": \"mine\"}}, {{\"command\": \
         \"{COMMAND_LINE}\"}}]}}]}}}}"
    );
    let gone = unregister(&text, hook("")).expect("valid").expect("an edit").text;
    assert_eq!(gone, "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"mine\"}]}]}}");
}

#[test]
fn settings_in_another_form_are_refused() {
    for (text, part) in [
        ("{\"hooks\": []}", "`hooks` is not an object"),
        ("{\"hooks\": {\"PreToolUse\": {}}}", "`hooks.PreToolUse` is not a list"),
        ("{\"hooks\": {}, \"hooks\": {}}", "duplicate key"),
        ("[]", "not a JSON object"),
        ("{\"hooks\": ", "invalid JSON at line 1"),
    ] {
        let error = put(text).expect_err(text);
        assert!(error.to_string().contains(part), "{error}");
    }
}
