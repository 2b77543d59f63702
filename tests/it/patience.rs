//! Limits of time of the tools that search for tests: what was left out is reported, and can be asked for.

use serde_json::Value;

use crate::support::place::{Answer, Place};

fn place() -> Place {
    let place = Place::new();
    let function = |at: usize| {
        format!("def f{at}(x):\n    return g{at}(x)\n\n\ndef g{at}(x):\n    return x\n\n\n")
    };
    place.write("app/m.py", (0..15).map(function).collect::<String>());
    let test = |at: usize| format!("def test_{at}():\n    assert f{at}({at}) == {at}\n\n\n");
    let tests: String = (0..15).map(test).collect();
    place.write("tests/test_m.py", format!("from app.m import *\n\n\n{tests}"));
    place.write("pyproject.toml", "[tool.pytest.ini_options]\n");
    place
}

fn json(place: &Place, args: &[&str]) -> Value {
    let mut command = place.codedb(args[0]);
    command.args(&args[1..]).args(["--json", "--no-background"]);
    let answer = Answer::of(command);
    serde_json::from_str(&answer.text()).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

#[test]
fn what_a_limit_of_time_leaves_out_is_reported() {
    let place = place();
    for tool in ["suggest-tests", "impact", "test-gaps"] {
        let short = json(&place, &[tool, "app/m.py", "--max-ms", "1"]);
        let message = short["message"].as_str().unwrap_or_default();
        assert_eq!(short["status"], "partial", "{tool}: {short}");
        let expected = "of 30 functions not examined after 1 ms; `--max-ms` 0 has no limit";
        assert!(message.contains(expected), "{tool}: {message}");
        let whole = json(&place, &[tool, "app/m.py", "--max-ms", "0"]);
        let message = whole["message"].as_str().unwrap_or_default();
        assert!(!message.contains("not examined"), "{tool}: {message}");
        if tool == "test-gaps" {
            assert_eq!((&whole["examined"], &whole["status"]), (&30.into(), &"ok".into()));
        }
    }
    // What was examined has its tests.
    let short = json(&place, &["suggest-tests", "app/m.py", "--max-ms", "1"]);
    assert_eq!(short["tests"][0]["path"], "tests/test_m.py", "{short}");
}
