//! Investigations by clients: their arguments, and the verdicts that are kept.

use serde_json::{Value, json};

use super::{fragile, json as checked, level};
use crate::mcp::session::Session;
use crate::support::place::{Answer, Place};

const EDITED: &str = "def b(x):\n    return x\n";

fn session(place: &Place) -> Session {
    let mut session = Session::start(place, &["--toolsets", "all"]);
    session.initialize("2025-11-25", json!({}));
    session.wait_until_indexed();
    session
}

/// Returns the data of a call.
#[track_caller]
fn data(session: &mut Session, name: &str, mut args: Value) -> Value {
    args["format"] = "json".into();
    let result = session.call(name, args);
    assert_eq!(result["isError"], false, "{result}");
    result["structuredContent"].clone()
}

#[test]
fn an_investigation_begins_where_a_check_does() {
    let place = fragile("Fix a bug");
    place.write("src/util.py", EDITED);
    place.write("src/a.py", "import util\n\n\ndef a():\n    return util.b(9)\n");
    let mut session = session(&place);
    let args = json!({"file_paths": ["src/util.py", "src/a.py"]});
    let begun = data(&mut session, "codedb_investigate_begin", args);
    let reply = data(&mut session, "codedb_check", json!({"verbose": true}));
    let mut all = vec![begun.clone()];
    all.extend(begun["others"].as_array().expect("a list").clone());
    assert_eq!(all.len(), 2, "{begun}");
    for it in &all {
        let files = reply["files"].as_array().expect("a list");
        let file = files.iter().find(|file| file["path"] == it["file"]).expect("it is checked");
        let texts = |all: &Value| -> Vec<Value> {
            all.as_array().expect("a list").iter().map(|it| it["text"].clone()).collect()
        };
        assert_eq!(texts(&it["baseline"]["components"]), texts(&file["components"]));
    }
    assert!(all[0]["handle"] != all[1]["handle"]);
    session.end();
}

#[test]
fn arguments_have_the_names_of_the_design_as_well() {
    let place = fragile("Fix a bug");
    place.write("src/util.py", EDITED);
    let mut session = session(&place);
    let begin = json!({"file_path": "src/util.py"});
    let handle = data(&mut session, "codedb_investigate_begin", begin)["handle"].clone();
    for (tool, name, value) in [
        ("codedb_query_cochange_partners", "frequency_threshold", json!(0.3)),
        ("codedb_query_incident_history", "days_back", json!(90)),
        ("codedb_get_commit_patch", "commit_sha", json!("HEAD")),
    ] {
        let mut args = json!({"handle": handle});
        args[name] = value;
        let reply = data(&mut session, tool, args);
        assert!(reply["result"].get("unavailable").is_none(), "{tool}: {reply}");
    }
    for (name, value, reasoning) in
        [("confidence_percent", json!(700), "r"), ("confidence", json!(0.7), " ")]
    {
        let mut args = json!({"handle": handle, "level": "HIGH", "reasoning": reasoning});
        args[name] = value;
        let refused = session.call("codedb_finish_investigation", args);
        assert_eq!(refused["isError"], true, "{refused}");
    }
    let args = json!({"handle": handle, "level": "HIGH", "reasoning": "r", "confidence": 0.7});
    let reply = data(&mut session, "codedb_finish_investigation", args);
    assert_eq!(reply["verdict"]["confidence"], 0.7, "{reply}");
    session.end();
}

#[test]
fn a_verdict_is_shown_by_checks_of_the_same_change_until_it_is_wrong() {
    let place = fragile("Fix a bug");
    place.write("src/util.py", EDITED);
    let mut session = session(&place);
    let begin = json!({"file_path": "src/util.py"});
    let handle = data(&mut session, "codedb_investigate_begin", begin)["handle"].clone();
    let args = json!({"handle": handle, "level": "CRITICAL", "reasoning": "callers need the sum",
        "confidence_percent": 90});
    let id = data(&mut session, "codedb_finish_investigation", args)["verdict_id"].clone();
    session.end();
    let reply = checked(&place, &[]);
    let verdict = &reply["files"][0]["verdicts"][0];
    assert_eq!((&verdict["id"], &verdict["level"]), (&id, &"CRITICAL".into()), "{reply}");
    assert_eq!((level(&reply), &reply["decided_by"]), ("CRITICAL", &"client".into()));
    assert!(reply["reasons"].to_string().contains("callers need the sum"), "{reply}");
    let feedback = |id: &str, rating: &str| {
        let mut command = place.codedb("check");
        command.args(["feedback", id, rating]);
        Answer::of(command)
    };
    assert_eq!(feedback("99", "wrong").code, 2);
    feedback(&id.to_string(), "wrong").expect_success();
    let reply = checked(&place, &[]);
    assert_eq!(reply["files"][0]["verdicts"][0]["is_right"], false, "{reply}");
    assert_eq!((level(&reply), &reply["decided_by"]), ("HIGH", &"rules".into()), "{reply}");
    let words = place.codedb_words("eval");
    let mut eval = place.command(&words[0]);
    eval.args(["eval", "risk"]).args(&words[2..]);
    let measured = Answer::of(eval).expect_success().text();
    assert!(
        measured.contains("verdicts of clients: 1 kept, 0 said to be right, 1 wrong"),
        "{measured}"
    );
    place.write("src/util.py", "def b(x):\n    return 2 * x\n");
    assert!(checked(&place, &[])["files"][0].get("verdicts").is_none(), "another change");
}
