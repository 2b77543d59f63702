//! Secrets in a tree: no tool returns what is in them, on the first run and with an index that
//! exists.

use aho_corasick::AhoCorasick;
use codedb::tools::{Effect, Needs, TOOLS};
use serde_json::{Value, json};

use crate::mcp::session::Session;
use crate::support::place::{Answer, Place, settle};
use crate::support::prng::Prng;

/// Names of secrets, of files of version control, and names that only look like them.
const REFUSED: &str = include_str!("secrets/refused.txt");
const VERSION_CONTROL: &str = include_str!("secrets/version_control.txt");
const SERVED: &str = include_str!("secrets/served.txt");

/// The value in each file that is a secret by its name.
const VALUE: &str = "leaked_value";

/// Returns the calls of all tools that read, about a file and what is in it.
fn calls(path: &str, about: &str) -> Vec<(&'static str, Value)> {
    let calls = vec![
        ("codedb_read", json!({"path": path})),
        ("codedb_outline", json!({"path": path})),
        ("codedb_search", json!({"query": about, "context_lines": 2, "max_results": 1000})),
        ("codedb_search", json!({"query": format!("{about}.*"), "regex": true})),
        ("codedb_symbol", json!({"name": about, "body": true})),
        ("codedb_symbol", json!({"name": about, "fuzzy": true, "body": true})),
        ("codedb_word", json!({"word": about, "max_results": 1000})),
        ("codedb_callers", json!({"name": about})),
        ("codedb_callpath", json!({"from": about, "to": "main"})),
        ("codedb_trace", json!({"from": about, "to": "main"})),
        ("codedb_trace", json!({"from": about})),
        ("codedb_explain", json!({"name": about})),
        ("codedb_deps", json!({"path": path})),
        ("codedb_context", json!({"task": format!("fix {about} in {path}"), "max_tokens": 4000})),
        ("codedb_find", json!({"query": path})),
        ("codedb_glob", json!({"pattern": "**/*", "max_results": 1000})),
        ("codedb_ls", json!({})),
        ("codedb_tree", json!({})),
        ("codedb_hot", json!({})),
        ("codedb_changes", json!({"since": "1h"})),
        ("codedb_snapshot", json!({})),
        ("codedb_status", json!({})),
        ("codedb_projects", json!({})),
        ("codedb_churn", json!({"file_path": path})),
        ("codedb_coupling", json!({"file_path": path})),
        ("codedb_ownership", json!({"file_path": path})),
        ("codedb_who_reviews", json!({"file_path": path})),
        ("codedb_history", json!({"file_path": path})),
        ("codedb_stats", json!({})),
        ("codedb_risk_map", json!({})),
        ("codedb_triage", json!({})),
        ("codedb_suggest_tests", json!({"file_path": path})),
        ("codedb_impact", json!({"files": [path]})),
        ("codedb_diff_impact", json!({})),
        ("codedb_test_gaps", json!({})),
        ("codedb_stale_tests", json!({})),
        ("codedb_job_status", json!({})),
        ("codedb_tool_drift", json!({"before": path, "after": "[]"})),
        ("codedb_tool_drift", json!({"before": "[]", "after": path})),
        (
            "codedb_query",
            json!({"pipeline": [{"op": "search", "query": about}, {"op": "read", "line_end": 40}]}),
        ),
        ("codedb_check", json!({"files": [path], "verbose": true, "explain": true})),
        ("codedb_investigate_begin", json!({"file_path": path})),
        ("codedb_get_decisions_for_context", json!({"file_path_or_area": path})),
        (
            "codedb_bundle",
            json!({"ops": [
                {"tool": "codedb_read", "args": {"path": path}},
                {"tool": "codedb_search", "args": {"query": about}},
            ]}),
        ),
    ];
    for tool in TOOLS {
        let is_reading = tool.effect == Effect::ReadOnly || tool.needs == Needs::Session;
        let is_called = calls.iter().any(|(name, _)| *name == tool.name);
        assert!(is_called || !is_reading || tool.effect == Effect::Adds, "{}", tool.name);
    }
    calls
}

/// Returns everything that the server sends about a file, as text and as JSON.
fn replies(session: &mut Session, path: &str, about: &str) -> String {
    let mut all = String::new();
    for (name, arguments) in calls(path, about) {
        for format in ["text", "json"] {
            let mut arguments = arguments.clone();
            arguments["format"] = format.into();
            all.push_str(&format!("== {name} {arguments}\n"));
            all.push_str(&session.call(name, arguments).to_string());
            all.push('\n');
        }
    }
    all
}

#[test]
fn files_with_names_of_secrets_are_not_served() {
    let place = Place::new();
    let mut paths: Vec<String> = Vec::new();
    for (at, name) in
        REFUSED.split_whitespace().chain(VERSION_CONTROL.split_whitespace()).enumerate()
    {
        let path = if name == "auth.json" { name.to_owned() } else { format!("d{at}/{name}") };
        place.write(&path, format!("def about_{at}(): return '{VALUE}_{at}'\n"));
        paths.push(path);
    }
    // A repository without a work tree, whose name shows nothing.
    for (path, text) in [
        ("backup/HEAD", "ref: refs/heads/main\n"),
        ("backup/objects/info/packs", "\n"),
        ("backup/refs/heads/main", "0123\n"),
        (
            "backup/config",
            "[remote \"origin\"]\n\turl = https://me:leaked_value_x@host.example/a\n",
        ),
    ] {
        place.write(path, text);
        paths.push(path.to_owned());
    }
    place.write("src/main.py", "def about_main():\n    return 1\n");
    settle();
    for run in ["first", "second"] {
        let mut session = Session::start(&place, &["--toolsets", "all"]);
        session.initialize("2025-11-25", json!({}));
        for path in &paths {
            let reply = session.call("codedb_read", json!({"path": path}));
            let text = reply["content"][0]["text"].as_str().unwrap_or_default();
            assert!(
                reply["isError"] == true && text.contains("refusing to serve"),
                "{path}: {reply}"
            );
            for tool in ["codedb_outline", "codedb_deps"] {
                let reply = session.call(tool, json!({"path": path})).to_string();
                assert!(!reply.contains(VALUE), "{tool} {path}: {reply}");
            }
        }
        for path in ["d0/.env", "src/main.py", "backup/config"] {
            let replies = replies(&mut session, path, "about_");
            let leak = replies.find(VALUE).map(|at| &replies[at.saturating_sub(900)..]);
            assert!(leak.is_none(), "{run} run: {}", leak.unwrap_or_default());
        }
        session.end();
        place.index(&["-q", "--stage", "full"]).expect_success();
    }
}

#[test]
fn files_that_only_look_like_secrets_are_served() {
    let place = Place::new();
    let mut paths: Vec<String> = Vec::new();
    for (at, name) in SERVED.split_whitespace().enumerate() {
        let path = format!("d{at}/{name}");
        place.write(&path, format!("text_{at}\n"));
        paths.push(path);
    }
    let mut session = Session::start(&place, &[]);
    session.initialize("2025-11-25", json!({}));
    for path in &paths {
        let text = session.text("codedb_read", json!({"path": path}));
        assert!(text.contains("text_"), "{path}: {text}");
    }
    session.end();
}

/// Secrets by their content: a kind and a text, in which `{a20}` stands for 20 random characters.
const CONTENTS: &str = include_str!("secrets/contents.txt");

/// A secret in a text.
struct Secret {
    /// What replies show instead.
    kind: &'static str,
    /// The text that contains it, which may have several lines.
    text: String,
    /// The random parts, none of which may be shown.
    parts: Vec<String>,
}

/// Makes a secret of each kind.
fn secrets(rng: &mut Prng) -> Vec<Secret> {
    let mut made = |line: &'static str| {
        let (kind, template) = line.split_once('|').expect("a kind and a text");
        let template = template.replace("\\\\n", "\0").replace("\\n", "\n").replace('\0', "\\n");
        let (mut text, mut parts) = (String::new(), Vec::new());
        let mut rest = template.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (hole, after) = after.split_once('}').expect("a complete template");
            // JSON has braces, too.
            let part = hole.get(1..).and_then(|count| count.parse().ok());
            let part = part.map(|count: usize| random(rng, &hole[..1], count));
            text.push_str(before);
            text.push_str(part.as_deref().unwrap_or_default());
            parts.extend(part.filter(|part| part.len() > 7));
            rest = after;
        }
        text.push_str(rest);
        Secret { kind, text, parts }
    };
    CONTENTS.lines().map(&mut made).collect()
}

fn random(rng: &mut Prng, set: &str, count: usize) -> String {
    const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let more = match set {
        "w" => "_-",
        "b" => "+/",
        _ => "",
    };
    let chars: Vec<char> = match set {
        "d" => "0123456789".chars().collect(),
        "h" => "0123456789abcdef".chars().collect(),
        "u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".chars().collect(),
        _ => ALNUM.chars().chain(more.chars()).collect(),
    };
    (0..count).map(|_| *rng.pick(&chars)).collect()
}

/// Returns a file of a language with the secret in a comment, in a definition and in a long line.
fn file(secret: &Secret, at: usize) -> (String, String) {
    let text = &secret.text;
    let first = text.lines().next().unwrap_or_default();
    let long = format!("{}about_{at} {first} {}", "x = 1; ".repeat(30 + at), "y = 2; ".repeat(40));
    let (name, content) = match at % 6 {
        0 => (
            "py",
            format!(
                "# {first}\ndef about_{at}(key='''{text}'''):\n    \"\"\"{text}\"\"\"\n    return key\n# {long}\n"
            ),
        ),
        1 => (
            "rs",
            format!(
                "/// {first}\nfn about_{at}() {{\n    let key = r#\"{text}\"#;\n}}\n// {long}\n"
            ),
        ),
        2 => (
            "js",
            format!("/** {text} */\nfunction about_{at}() {{\n  return `{text}`;\n}}\n// {long}\n"),
        ),
        3 => (
            "yaml",
            format!("about_{at}: |\n  {}\nother: 1 # {long}\n", text.replace('\n', "\n  ")),
        ),
        4 => ("md", format!("# about_{at} {first}\n\n```\n{text}\n```\n{long}\n")),
        _ => ("txt", format!("about_{at}\r\n{}\r\n{long}", text.replace('\n', "\r\n"))),
    };
    (format!("src/about_{at}.{name}"), content)
}

/// Returns the part of a reply around a secret in it, if there is one.
fn leak(reply: &str, secrets: &[Secret]) -> Option<String> {
    // Parts of a secret count, too.
    let windows: Vec<(&Secret, &str)> = secrets
        .iter()
        .flat_map(|secret| secret.parts.iter().map(move |part| (secret, part)))
        .flat_map(|(secret, part)| (0..=part.len() - 8).map(move |at| (secret, &part[at..at + 8])))
        .collect();
    let searcher =
        AhoCorasick::new(windows.iter().map(|(_, window)| window)).expect("few patterns");
    let found = searcher.find(reply)?;
    let secret = windows[found.pattern().as_usize()].0;
    let around = reply.floor_char_boundary(found.start().saturating_sub(600));
    let around = &reply[around..reply.ceil_char_boundary(found.start() + 100)];
    Some(format!("{}: {}\n{around}", secret.kind, secret.text))
}

/// Creates a repository with all secrets in its files and in the subjects of its commits.
fn leaky(secrets: &[Secret]) -> Place {
    let place = Place::new();
    let git = |args: &[&str]| {
        let mut command = place.command("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]);
        command.args(args);
        Answer::of(command).expect_success();
    };
    git(&["init", "-q"]);
    place.write("main.py", "from src.about_0 import about_0\n\n\ndef main():\n    about_0()\n");
    for (at, secret) in secrets.iter().enumerate() {
        let (path, content) = file(secret, at);
        place.write(&path, &content);
        if at % 8 == 0 {
            git(&["add", "-A"]);
            let first = secret.text.lines().next().unwrap_or_default();
            git(&["commit", "-q", "-m", &format!("about_{at}: {first}")]);
        }
    }
    let utf16 = secrets
        .iter()
        .flat_map(|secret| format!("{}\n", secret.text).encode_utf16().collect::<Vec<_>>());
    let utf16: Vec<u8> = [0xFEFF].into_iter().chain(utf16).flat_map(u16::to_le_bytes).collect();
    place.write("utf16.txt", utf16);
    place
}

#[test]
fn secrets_in_texts_are_redacted_in_every_reply() {
    let secrets = secrets(&mut Prng::new(16));
    assert!(secrets.len() >= 60);
    let place = leaky(&secrets);
    settle();
    for (run, step) in [("first", 7), ("second", 20)] {
        let mut session = Session::start(&place, &["--toolsets", "all"]);
        session.initialize("2025-11-25", json!({}));
        for (at, secret) in secrets.iter().enumerate() {
            let path = file(secret, at).0;
            let text = session.text("codedb_read", json!({"path": path}));
            let shown = format!("[redacted: {}]", secret.kind);
            assert!(text.contains(&shown), "{run} run: no {shown} in {text}");
            let lines = secret.text.lines().count();
            let (start, end) = (2, 2 + lines);
            let part = session
                .text("codedb_read", json!({"path": path, "line_start": start, "line_end": end}));
            let outline = session.call("codedb_outline", json!({"path": path, "format": "json"}));
            let found = leak(&format!("{text}{part}{outline}"), &secrets);
            assert!(found.is_none(), "{run} run, {path}: {}", found.unwrap_or_default());
        }
        for at in (0..secrets.len()).step_by(step) {
            let replies = replies(&mut session, &file(&secrets[at], at).0, &format!("about_{at}"));
            assert!(!replies.contains("unknown argument"), "{replies}");
            let found = leak(&replies, &secrets);
            assert!(found.is_none(), "{run} run: {}", found.unwrap_or_default());
        }
        let mut all = session
            .call(
                "codedb_search",
                json!({"query": ".", "regex": true, "max_results": 1000, "max_per_file": 200}),
            )
            .to_string();
        all.push_str(&session.call("codedb_read", json!({"path": "utf16.txt"})).to_string());
        all.push_str(
            &session
                .call("codedb_context", json!({"task": "about", "since": "HEAD~3"}))
                .to_string(),
        );
        let found = leak(&all, &secrets);
        assert!(found.is_none(), "{run} run: {}", found.unwrap_or_default());
        session.end();
        place.index(&["-q", "--stage", "full"]).expect_success();
    }
}

#[test]
fn the_command_line_shows_secrets_if_asked() {
    let secrets = secrets(&mut Prng::new(61));
    let place = leaky(&secrets);
    let run = |args: &[&str]| {
        let mut command = place.codedb(args[0]);
        command.args(&args[1..]);
        Answer::of(command).text()
    };
    let path = file(&secrets[6], 6).0;
    assert!(leak(&run(&["read", &path]), &secrets).is_none());
    assert!(leak(&run(&["read", &path, "--json"]), &secrets).is_none());
    assert!(leak(&run(&["symbol", "about_6", "--body", "--vimgrep"]), &secrets).is_none());
    assert!(leak(&run(&["snapshot"]), &secrets).is_none());
    let shown = run(&["read", &path, "--show-secrets"]);
    assert!(shown.contains(&secrets[6].parts[0]) && !shown.contains("[redacted: "), "{shown}");
    let shown = run(&["symbol", "about_6", "--body", "--show-secrets", "--json"]);
    assert!(shown.contains(&secrets[6].parts[0]), "{shown}");
    // As ripgrep does.
    let found = place.search(&["--no-heading", &secrets[6].parts[0], &path]).text();
    assert!(found.contains(&secrets[6].parts[0]), "{found}");
}

#[test]
fn an_edit_does_not_replace_a_secret_by_its_redaction() {
    let secrets = secrets(&mut Prng::new(7));
    let key = secrets.iter().find(|secret| secret.text.contains("RSA")).expect("it is listed");
    let place = Place::new();
    let text = format!("one\n{}\ntwo\n", key.text);
    place.write("a.txt", &text);
    let edit = |args: &[&str]| {
        let mut command = place.codedb("edit");
        command.args(["a.txt", "--op"]).args(args);
        Answer::of(command)
    };
    let given = "-----BEGIN RSA PRIVATE KEY-----\n[redacted: private key]\n";
    for args in [
        &["replace", "--line-start", "2", "--line-end", "3", "--content", given][..],
        &["str_replace", "--old-string", given, "--content", "x"],
        &["insert", "--after", "0", "--content", given],
    ] {
        let answer = edit(args);
        assert!(
            answer.code == 2 && answer.stderr.contains("stands for a secret"),
            "{}",
            answer.stderr
        );
        assert_eq!(std::fs::read_to_string(place.root().join("a.txt")).expect("it is there"), text);
    }
    // An edit beside the secret keeps it, and does not show it.
    let answer =
        edit(&["str_replace", "--old-string", "two", "--content", "three"]).expect_success();
    assert!(leak(&answer.text(), &secrets).is_none(), "{}", answer.text());
    let after = std::fs::read_to_string(place.root().join("a.txt")).expect("it is there");
    assert_eq!(after, text.replace("two", "three"));
    // A text that has the words itself can be edited.
    place.write("a.txt", "shows `[redacted: JWT]` here\n");
    edit(&["str_replace", "--old-string", "[redacted: JWT]", "--content", "[redacted: JWT]!"])
        .expect_success();
}
