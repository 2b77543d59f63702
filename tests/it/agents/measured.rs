//! `codedb eval agent` with a model that follows a script.

use serde_json::{Value, json};

use super::scripted::{Model, Seen, Step, USAGE, call, results, text};
use super::{session, shop};
use crate::support::place::{Answer, Place};

const TASK: &str = "
[[task]]
id = 'discount'
question = 'Which method computes the discounted sum?'
must = [['Coupon::discounted', 'Coupon.discounted'], ['coupon.rs']]
must_not = ['apply_coupon']
";

/// Answers after one turn with codedb, after two without.
fn finds_it(seen: &Seen<'_>) -> Step {
    match (seen.has_codedb, seen.turn) {
        (true, 0) => Step::Calls(vec![
            ("codedb_symbol", json!({"name": "discounted", "body": true}).to_string()),
            ("codedb_read", json!({"targets": ["src/coupon.rs"]}).to_string()),
        ]),
        (false, 0) => call("search", json!({"pattern": "fn disc"})),
        (false, 1) => Step::Calls(vec![
            ("read", json!({"path": "src/coupon.rs", "start": 5, "end": 9}).to_string()),
            ("glob", json!({"glob": "*.rs"}).to_string()),
        ]),
        _ => text("`coupon.discounted` is COUPON::DISCOUNTED in src/coupon.rs."),
    }
}

fn data(answer: &Answer) -> Value {
    serde_json::from_str(&answer.text()).unwrap_or_else(|_| panic!("{}", answer.stderr))
}

/// Returns the bytes of the results in the last request of an arm.
fn result_bytes(requests: &[Value], has_codedb: bool) -> usize {
    let is_of_arm = |request: &&Value| {
        let name = request["tools"][0]["function"]["name"].as_str().expect("a name");
        name.starts_with("codedb_") == has_codedb
    };
    let last = requests.iter().rfind(is_of_arm).expect("a request");
    results(last).iter().map(String::len).sum()
}

#[test]
fn both_arms_are_measured() {
    let place = shop();
    let model = Model::start(finds_it);
    let saved = place.base().join("runs.jsonl");
    let saved = saved.to_str().expect("UTF-8");
    let answer = model.run(&place, TASK, &["--json", "--save", saved]).expect_success();
    let data = data(&answer);
    let requests = model.requests();
    let runs = data["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 2, "{data}");
    for (run, arm, calls, turns) in [(&runs[0], "codedb", 2, 2), (&runs[1], "baseline", 3, 3)] {
        assert_eq!((&run["arm"], &run["result"]), (&json!(arm), &json!("right")), "{run}");
        assert_eq!((&run["calls"], &run["failed_calls"]), (&json!(calls), &json!(0)), "{run}");
        assert_eq!(run["input_tokens"], turns * USAGE.0, "{run}");
        assert_eq!(run["output_tokens"], turns * USAGE.1, "{run}");
        assert_eq!(run["is_estimated"], false);
        assert_eq!(run["reply_bytes"], result_bytes(&requests, arm == "codedb"), "{run}");
    }
    assert_eq!(data["comparison"]["both_right"], 1);
    assert_eq!(data["comparison"]["ratios"]["calls"], 2.0 / 3.0, "{data}");
    let conversations = std::fs::read_to_string(saved).expect("it is saved");
    let lines: Vec<Value> =
        conversations.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1]["turns"][0]["calls"][0]["arguments"]["pattern"], "fn disc");
    assert!(lines[0]["turns"][1]["text"].as_str().is_some_and(|it| it.contains("DISCOUNTED")));
    assert!(
        answer.stderr.contains("2 of 2: discount, baseline: right, 3 calls"),
        "{}",
        answer.stderr
    );
}

#[test]
fn the_arm_of_codedb_has_what_an_agent_gets() {
    let place = shop();
    let model = Model::start(finds_it);
    model.run(&place, TASK, &["--arm", "codedb"]).expect_success();
    let mut session = session(&place);
    let listed = session.request("tools/list", json!({}));
    let request = &model.requests()[0];
    let sent: Vec<Value> = request["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| tool["function"].clone())
        .collect();
    let offered: Vec<Value> = listed["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| {
            json!({"name": tool["name"], "description": tool["description"],
                "parameters": tool["inputSchema"]})
        })
        .collect();
    assert_eq!(sent, offered);
    let instructions = session.initialize("2025-11-25", json!({}))["instructions"].clone();
    assert_eq!(request["messages"][0], json!({"role": "system", "content": instructions}));
    // The reply of a tool is that of the server.
    let read = session.text("codedb_read", json!({"targets": ["src/coupon.rs"]}));
    assert_eq!(results(&model.requests()[1])[1], read);
}

#[test]
fn what_is_not_right_is_named_with_the_reason() {
    let place = shop();
    let task = |id: &str, tree: &str, split: &str| {
        format!(
            "[[task]]\nid = '{id}'\nquestion = 'About {id}?'\nmust = [['fact-of-{id}']]\n\
             must_not = ['nonsense']\nsplit = '{split}'\n{tree}\n"
        )
    };
    let tasks = [
        task("right", "", "open"),
        task("vague", "", "open"),
        task("greedy", "", "open"),
        task("secretive", "", "held"),
        task("endless", "", "open"),
        task("broken", "", "open"),
        task("elsewhere", "tree = 'other'", "open"),
    ]
    .concat();
    let model = Model::start(|seen| match () {
        () if seen.asks("About right") => text("It is FACT-of-Right."),
        () if seen.asks("About vague") => text("I do not know."),
        () if seen.asks("About greedy") => text("fact-of-greedy, or nonsense"),
        () if seen.asks("About secretive") => text("I do not know."),
        () if seen.asks("About endless") => call("glob", json!({})),
        () => Step::Status(400),
    });
    let args = ["--arm", "baseline", "--max-calls", "2"];
    let answer = model.run(&place, &tasks, &args).expect_success();
    let table = answer.text();
    for wanted in [
        "| right | right | 0 |",
        "- vague, baseline, wrong: missing: `fact-of-vague`\n",
        "- greedy, baseline, wrong: contains `nonsense`\n",
        "- secretive, baseline, wrong: 1 fault by the key of a held task\n",
        "- endless, baseline, stopped: stopped at a limit: 2 calls\n",
        "- broken, baseline, failed: failed: ",
        "400",
        "| baseline | 6 | 1 | 3 | 1 | 1 | 2 |",
        "skipped: 1 task about `other` (elsewhere); `--tree other=DIR` adds them\n",
    ] {
        assert!(table.contains(wanted), "{wanted} is missing in {table}");
    }
    assert!(!table.contains("fact-of-secretive"), "{table}");
    // After the last call, the model is told so, and may answer once more.
    let requests = model.requests();
    let endless = requests.iter().rfind(|request| request.to_string().contains("About endless"));
    let last = results(endless.expect("a request"));
    assert!(last[1].ends_with("This was the last call: answer now."), "{last:?}");
    let elsewhere = format!("other={}", place.root().display());
    let args = ["--arm", "baseline", "--task", "elsewhere", "--tree", &elsewhere];
    let mut command = model.command(&place, &tasks, &args);
    let given = Answer::of(command);
    assert!(given.stderr.contains("`--root` has no effect"), "{}", given.stderr);
    command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["eval", "agent"]).arg(place.base().join("tasks.toml")).args(["--task", "right"]);
    for name in ["CODEDB_MODEL", "CODEDB_MODEL_PROVIDER", "CODEDB_MODEL_URL"] {
        command.env_remove(name);
    }
    let unset = Answer::of(command);
    assert_eq!(unset.code, 2);
    assert!(unset.stderr.contains("no model is configured"), "{}", unset.stderr);
    assert!(unset.stderr.contains("CODEDB_MODEL_PROVIDER"), "{}", unset.stderr);
}

#[test]
fn a_run_ends_at_its_limit_of_tokens() {
    let place = shop();
    let model = Model::start(|seen| match seen.turn {
        0..=2 => call("glob", json!({})),
        _ => text("Coupon::discounted in coupon.rs"),
    });
    let args = ["--arm", "baseline", "--max-tokens", "200", "--json"];
    let runs = data(&model.run(&place, TASK, &args).expect_success())["runs"].clone();
    assert_eq!((&runs[0]["result"], &runs[0]["limit"]), (&json!("stopped"), &json!("200 tokens")));
    assert_eq!(model.requests().len(), 2, "nothing is sent after the limit");
}

#[test]
fn an_answer_that_is_cut_off_is_none_and_tokens_are_estimated_if_nobody_counts_them() {
    let place = shop();
    let model = Model::start(|_| Step::CutOff("Coupon::discounted in coupon.rs".to_owned()));
    let run = data(&model.run(&place, TASK, &["--arm", "baseline", "--json"]).expect_success());
    let run = &run["runs"][0];
    assert_eq!((&run["result"], &run["is_estimated"]), (&json!("stopped"), &json!(true)), "{run}");
    assert!(run["limit"].to_string().contains("CODEDB_MODEL_MAX_TOKENS"), "{run}");
    let request = model.requests()[0].to_string().len() as u64;
    let sent = run["input_tokens"].as_u64().expect("a number");
    assert!((request / 6..request / 2).contains(&sent), "{sent} tokens of {request} bytes");
}

#[test]
fn the_help_is_short_and_has_examples_and_the_limit_of_answers() {
    let place = Place::new();
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["eval", "agent", "-h"]);
    let help = Answer::of(command).expect_success().text();
    assert!(help.lines().count() <= 25, "{help}");
    for part in ["codedb eval agent tasks.toml --root .", "4000 characters"] {
        assert!(help.contains(part), "{help}");
    }
}

#[test]
fn a_model_that_always_fails_is_asked_three_times() {
    let place = shop();
    let model = Model::start(|_| Step::Status(401));
    let answer = model.run(&place, TASK, &["--arm", "baseline", "--repeat", "9"]);
    assert_eq!((answer.code, model.requests().len()), (2, 3), "{}", answer.stderr);
    let table = answer.text();
    assert!(table.contains("| baseline | 3 | 0 | 0 | 0 | 3 | 0 |"), "{table}");
    assert!(table.contains("6 runs, because three runs in a row failed"), "{table}");
    assert!(answer.stderr.contains("every run failed"), "{}", answer.stderr);
}

#[test]
fn calls_that_fail_are_errors_for_the_model_and_are_counted() {
    let place = shop();
    let model = Model::start(|seen| match (seen.turn, seen.has_codedb) {
        (0, true) => Step::Calls(vec![
            ("codedb_nothing", "{}".to_owned()),
            ("codedb_read", json!({"targets": ["src/none.rs"]}).to_string()),
            ("codedb_read", "{not json".to_owned()),
        ]),
        (0, false) => Step::Calls(vec![
            ("bash", "{}".to_owned()),
            ("read", json!({"path": "src/none.rs"}).to_string()),
            ("search", json!({"pattern": "("}).to_string()),
        ]),
        _ => {
            let results = seen.results();
            assert!(results.iter().all(|it| it.starts_with("error: ")), "{results:?}");
            text(results.join("\n"))
        }
    });
    let runs = data(&model.run(&place, TASK, &["--json"]).expect_success())["runs"].clone();
    for run in runs.as_array().expect("runs") {
        assert_eq!((&run["result"], &run["failed_calls"]), (&json!("wrong"), &json!(3)), "{run}");
    }
    let all = model.requests().iter().map(Value::to_string).collect::<String>();
    for why in ["there is no tool `codedb_nothing`", "there is no tool `bash`", "regex parse error"]
    {
        assert!(all.contains(why), "{why} is missing in {all}");
    }
}

#[test]
fn ctrl_c_prints_what_is_finished() {
    use std::io::{BufRead as _, BufReader};

    let place: Place = shop();
    let (sender, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let model = Model::start(move |seen| {
        if !seen.has_codedb {
            // Until the test ends.
            let _ = wait.lock().expect("a lock").recv();
        }
        finds_it(seen)
    });
    let mut command = model.command(&place, TASK, &[]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let line = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("1 of 2: discount")));
    assert!(line.is_some(), "the first run finishes");
    // Before the second request there is nothing to interrupt but its preparation, which is the same.
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it runs");
    let rest = std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    let output = child.wait_with_output().expect("it ends");
    rest.join().expect("it ends");
    drop(sender);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(130), "{table}");
    assert!(table.contains("| codedb | 1 | 1 | 0 | 0 | 0 | 2 |"), "{table}");
    assert!(table.contains("not run or not finished: 1 run, because of Ctrl-C"), "{table}");
}
