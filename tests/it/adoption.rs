//! What `codedb init` adds besides the server: the note, the skill and the hook; and the hook itself.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::place::{Answer, Place};
use crate::support::process::output;

fn home(place: &Place) -> PathBuf {
    place.base().join("home")
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory can be created");
    fs::write(path, text).expect("a file can be written");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn codedb(place: &Place) -> Command {
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    for name in ["CODEX_HOME", "CLAUDE_CONFIG_DIR"] {
        command.env_remove(name);
    }
    command.env("CODEDB_INDEX_DIR", place.cache());
    command
}

fn codedb_of(place: &Place, args: &[&str]) -> Command {
    let mut command = codedb(place);
    command.args(args);
    command
}

fn init(place: &Place, args: &[&str]) -> Answer {
    Answer::of(codedb_of(place, &[&["init", "--command", "codedb"][..], args].concat()))
}

/// Returns every file and directory of a place, without the cache; the content of files.
fn all(place: &Place) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![place.base()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a directory").flatten() {
            let path = entry.path();
            if path == place.cache() {
                continue;
            }
            if path.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path.clone(), fs::read(&path).ok());
        }
    }
    found
}

const PARTS: [&str; 3] = ["--agents-md", "--skill", "--hook"];

#[test]
fn every_part_is_shown_as_a_diff() {
    let place = Place::new();
    place.write("CLAUDE.md", "# Shop\n");
    place.write(".claude/settings.json", "{\n  \"model\": \"opus\" // mine\n}\n");
    let before = all(&place);
    let args = ["--scope", "project", "--client", "claude-code,codex,gemini"];
    let answer = init(&place, &[&args[..], &PARTS].concat()).expect_success();
    assert!(answer.stderr.contains("nothing was written"), "{}", answer.stderr);
    assert_eq!(all(&place), before);
    let text = answer.text().replace(&place.root().display().to_string(), "ROOT");
    insta::assert_snapshot!("parts_of_init", text);
    // A dry run shows the same without the flags.
    let dry = init(&place, &[&args[..], &["--dry-run"]].concat()).expect_success();
    assert_eq!(dry.text().replace(&place.root().display().to_string(), "ROOT"), text);
    assert_eq!((dry.stderr.as_str(), all(&place)), ("codedb: nothing was written\n", before));
}

#[test]
fn every_part_is_written_once_and_removed_exactly() {
    for scope in ["user", "project"] {
        let place = Place::new();
        write(&home(&place).join(".claude.json"), "{}");
        write(&home(&place).join(".claude/settings.json"), "{\"hooks\": {\"Stop\": []}}\n");
        write(&home(&place).join(".codex/config.toml"), "model = \"o3\"\n");
        write(&home(&place).join(".gemini/settings.json"), "{\n\t\"ui\": {},\n}\n");
        place.write("AGENTS.md", "# Shop\n");
        place.write("src/a.rs", "");
        let before = all(&place);
        let args = [&["--yes", "--scope", scope][..], &PARTS].concat();
        let answer = init(&place, &args).expect_success();
        let count = |part: &str| answer.stderr.matches(part).count();
        assert_eq!(
            (count(": registered in "), count(" hook: installed in "), count("skill: written to ")),
            (3, 3, 2),
            "{}",
            answer.stderr
        );
        assert!(answer.stderr.contains("AGENTS.md: note added to "), "{}", answer.stderr);
        assert!(answer.stderr.contains("hooks.json; trust it in Codex with `/hooks`"));
        let doctor = Answer::of(codedb_of(&place, &["doctor"])).text();
        let agents = "ok    agents: Claude Code (server, skill, hook), Codex (server, skill, hook), \
                      Gemini CLI (server, skill, hook)\n";
        assert!(doctor.contains(agents), "{doctor}");
        let written = all(&place);
        let again = init(&place, &args).expect_success();
        assert_eq!((again.text(), all(&place)), (String::new(), written));
        let (base, claude) = match scope {
            "user" => (home(&place), home(&place).join(".claude/settings.json")),
            _ => (place.root(), place.root().join(".claude/settings.json")),
        };
        assert!(base.join(".agents/skills/codedb/SKILL.md").is_file());
        let settings: Value = serde_json::from_str(&read(&claude)).expect("strict JSON");
        let hook = &settings["hooks"]["PreToolUse"][0];
        assert_eq!(hook["hooks"][0]["command"], "codedb hook claude-code || true");
        init(&place, &[&args[..], &["--remove"]].concat()).expect_success();
        assert_eq!(all(&place), before, "{scope}");
        // Without the flags, a removal leaves only the note of another scope.
        init(&place, &args).expect_success();
        init(&place, &["--yes", "--remove", "--scope", scope]).expect_success();
        let mut left = all(&place);
        if scope == "user" {
            let notes = place.root().join("AGENTS.md");
            assert_ne!(left.insert(notes, Some(b"# Shop\n".to_vec())), None);
        }
        assert_eq!(left, before, "{scope}");
    }
}

#[test]
fn a_terminal_is_asked_for_each_part() {
    let place = Place::new();
    write(&home(&place).join(".claude.json"), "{}");
    place.git(&["init", "-q"]);
    let on_terminal = |answers: &str| {
        let line = format!("'{}' init --command codedb", env!("CARGO_BIN_EXE_codedb"));
        let script = format!("printf '{answers}' | script -qec \"{line}\" /dev/null");
        let mut command = place.command("sh");
        command.args(["-c", &script]).env("SHELL", "/bin/sh").env_remove("CLAUDE_CONFIG_DIR");
        Answer::of(command).text()
    };
    if Command::new("script").arg("--version").output().is_err() {
        return;
    }
    let text = on_terminal("n\\n");
    assert_eq!(text.matches("Write these changes?").count(), 1, "{text}");
    assert_eq!(read(&home(&place).join(".claude.json")), "{}");
    let text = on_terminal("y\\nn\\ny\\nn\\n");
    assert_eq!(text.matches("Write these changes?").count(), 4, "{text}");
    assert!(read(&home(&place).join(".claude.json")).contains("codedb"));
    assert!(home(&place).join(".claude/skills/codedb/SKILL.md").is_file());
    assert!(!home(&place).join(".claude/settings.json").exists());
    assert!(!place.root().join("AGENTS.md").exists());
}

#[test]
fn the_registration_alone_is_written_without_flags() {
    let place = Place::new();
    write(&home(&place).join(".claude.json"), "{}");
    let before: Vec<PathBuf> = all(&place).into_keys().collect();
    let doctor = Answer::of(codedb_of(&place, &["doctor"])).text();
    assert!(
        doctor.contains("ok    agents: none has codedb; `codedb init` registers it"),
        "{doctor}"
    );
    let answer = init(&place, &["--yes"]).expect_success();
    assert!(answer.stderr.contains("`--agents-md`, `--skill` and `--hook`"), "{}", answer.stderr);
    assert_eq!(all(&place).into_keys().collect::<Vec<_>>(), before);
}

#[test]
fn the_note_is_not_repeated_in_files_that_agents_read_together() {
    const MARK: &str = "<!-- codedb:begin -->";
    let noted = |place: &Place, args: &[&str]| -> Vec<&str> {
        init(place, &[&["--yes", "--agents-md"][..], args].concat());
        let files = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"];
        let files = files.into_iter().filter(|path| {
            let path = place.root().join(path);
            !path.is_symlink() && fs::read_to_string(path).is_ok_and(|text| text.contains(MARK))
        });
        files.collect()
    };
    let with = |files: &[(&str, &str)]| {
        let place = Place::new();
        for (path, text) in files {
            place.write(path, text);
        }
        place
    };
    assert_eq!(noted(&with(&[]), &[]), ["AGENTS.md"]);
    assert_eq!(noted(&with(&[]), &["--client", "claude-code"]), ["CLAUDE.md"]);
    assert_eq!(noted(&with(&[]), &["--client", "claude-code,codex"]), ["AGENTS.md", "CLAUDE.md"]);
    assert_eq!(noted(&with(&[("CLAUDE.md", "x\n")]), &[]), ["CLAUDE.md"]);
    assert_eq!(noted(&with(&[(".claude/CLAUDE.md", "x\n")]), &[]), [".claude/CLAUDE.md"]);
    let both = [("AGENTS.md", "x\n"), ("CLAUDE.md", "y\n")];
    assert_eq!(noted(&with(&both), &[]), ["AGENTS.md", "CLAUDE.md"]);
    let includes = [("AGENTS.md", "x\n"), ("CLAUDE.md", "See @AGENTS.md.\n")];
    assert_eq!(noted(&with(&includes), &[]), ["AGENTS.md"]);
    let included = [("AGENTS.md", "@CLAUDE.md\n"), ("CLAUDE.md", "y\n")];
    assert_eq!(noted(&with(&included), &[]), ["CLAUDE.md"]);
    let linked = with(&[("AGENTS.md", "x\n")]);
    symlink("AGENTS.md", linked.root().join("CLAUDE.md")).expect("a link can be created");
    assert_eq!(noted(&linked, &[]), ["AGENTS.md"]);
    let linked = with(&[("CLAUDE.md", "x\n")]);
    symlink("CLAUDE.md", linked.root().join("AGENTS.md")).expect("a link can be created");
    assert_eq!(noted(&linked, &[]), ["CLAUDE.md"]);
    init(&linked, &["--yes", "--agents-md", "--remove"]).expect_success();
    assert_eq!(read(&linked.root().join("CLAUDE.md")), "x\n");
}

#[test]
fn what_cannot_be_edited_is_reported_and_left_alone() {
    let place = Place::new();
    let settings = home(&place).join(".claude/settings.json");
    let skill = home(&place).join(".claude/skills/codedb/SKILL.md");
    write(&settings, "{\"hooks\": [\n");
    write(&skill, "---\nname: codedb\n---\nMine.\n");
    let args = ["--yes", "--client", "claude-code", "--skill", "--hook"];
    let answer = init(&place, &args).expect_success();
    for part in [
        format!("{}: invalid JSON at line 1", settings.display()),
        format!("{}: another skill named codedb", skill.display()),
    ] {
        assert!(answer.stderr.contains(&part), "{part}\n{}", answer.stderr);
    }
    init(&place, &[&args[..], &["--remove"]].concat());
    assert_eq!(read(&settings), "{\"hooks\": [\n");
    assert_eq!(read(&skill), "---\nname: codedb\n---\nMine.\n");
    let local = place.root().join(".claude/settings.local.json");
    write(
        &local,
        "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"codedb hook claude-code\"}]}]}}",
    );
    let project = ["--scope", "project", "--client", "claude-code", "--hook", "--dry-run"];
    let text = init(&place, &project).expect_success().text();
    assert!(text.contains("Claude Code hook: update codedb\n"), "{text}");
    assert!(text.contains("settings.local.json") && !text.contains("settings.json"), "{text}");
    let zed = init(&place, &["--yes", "--client", "zed", "--skill", "--hook"]).expect_success();
    assert!(zed.stderr.contains("Zed has no skills"), "{}", zed.stderr);
    assert!(zed.stderr.contains("Zed has no hooks that reach the model"), "{}", zed.stderr);
}

/// A place with an index and Claude Code, which has the server.
fn indexed() -> Place {
    let place = Place::new();
    place.write("src/cart.rs", "pub fn add_item() {}\n");
    place.index(&["-q"]).expect_success();
    write(&home(&place).join(".claude.json"), "{\"mcpServers\": {\"codedb\": {}}}");
    place
}

/// Runs the hook with any input; returns what it prints. The exit code is always 0.
fn hook_with(place: &Place, args: &[&str], input: &[u8]) -> String {
    let mut command = codedb(place);
    command.arg("hook").args(args);
    let (output, hung) = output(command, Some(input));
    let shown = String::from_utf8_lossy(input).chars().take(200).collect::<String>();
    assert!(!hung && output.status.code() == Some(0), "{}: {shown}", output.status);
    assert!(output.stderr.is_empty(), "{}: {shown}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Runs Claude Code's hook for a command line.
fn hook(place: &Place, session: &str, line: &str) -> String {
    let input = json!({
        "session_id": session,
        "cwd": place.root(),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": line},
    });
    hook_with(place, &["claude-code"], input.to_string().as_bytes())
}

#[test]
fn the_first_search_of_a_session_has_a_reminder() {
    let place = indexed();
    let tree_before = fs::read_dir(place.root()).expect("a directory").count();
    assert_eq!(hook(&place, "a", "cargo test 2>&1 | grep error"), "", "a filter is no search");
    let output: Value =
        serde_json::from_str(&hook(&place, "a", "grep -rn add_item src")).expect("JSON");
    let output = &output["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PreToolUse");
    let text = output["additionalContext"].as_str().expect("a text");
    assert!(text.contains("`codedb_context` first") && text.len() < 600, "{text}");
    for tool in text.split('`').filter(|word| word.starts_with("codedb_")) {
        assert!(codedb::tools::TOOLS.iter().any(|known| known.name == tool), "{tool}");
    }
    assert_eq!(output.as_object().map(serde_json::Map::len), Some(2), "no decision about the call");
    assert_eq!(hook(&place, "a", "grep -rn add_item src"), "", "once per session");
    assert_ne!(hook(&place, "b", "rg add_item"), "", "another session");
    assert_eq!(fs::read_dir(place.root()).expect("a directory").count(), tree_before);
    let search = |client: &str, tool: &str, path: &str, session: &str| {
        let input = json!({
            "session_id": session,
            "cwd": place.root().join("src"),
            "tool_name": tool,
            "tool_input": {"pattern": "add", "path": path},
        });
        hook_with(&place, &[client], input.to_string().as_bytes())
    };
    assert_eq!(search("claude-code", "Grep", "/usr/include", "c"), "", "another tree");
    assert_eq!(search("claude-code", "Read", ".", "c"), "", "no search");
    assert_ne!(search("claude-code", "Grep", ".", "c"), "");
    write(&home(&place).join(".gemini/settings.json"), "{/**/\"mcpServers\": {\"codedb\": {}}}");
    assert!(search("gemini", "search_file_content", ".", "c").contains("AfterTool"));
}

#[test]
fn without_an_index_or_a_server_the_hook_is_silent() {
    let place = indexed();
    write(&home(&place).join(".claude.json"), "{\"mcpServers\": {\"other\": {}}}");
    assert_eq!(hook(&place, "a", "rg add_item"), "", "not registered");
    let local = json!({"projects": {place.root().to_str().expect("UTF-8"): {"mcpServers": {"codedb": {}}}}});
    write(&home(&place).join(".claude.json"), &local.to_string());
    assert_ne!(hook(&place, "a", "rg add_item"), "", "registered for this tree");
    let place = Place::new();
    place.write("src/cart.rs", "");
    place.write(".mcp.json", "{\"mcpServers\": {\"codedb\": {}}}");
    assert_eq!(hook(&place, "a", "rg add_item"), "", "not indexed");
    place.index(&["-q"]).expect_success();
    assert_ne!(hook(&place, "a", "rg add_item"), "", "registered in the tree");
}

#[test]
fn any_input_is_harmless() {
    let place = indexed();
    let event = |field: &str, value: Value| {
        let mut event = json!({
            "session_id": "a",
            "cwd": place.root(),
            "tool_name": "Bash",
            "tool_input": {"command": "rg add_item"},
        });
        event[field] = value;
        event.to_string().into_bytes()
    };
    let inputs = [
        Vec::new(),
        b"{".to_vec(),
        b"[]".to_vec(),
        b"\xFF\xFE".to_vec(),
        "[".repeat(100_000).into_bytes(),
        event("session_id", json!(null)),
        event("session_id", json!({"a": 1})),
        event("session_id", json!("x".repeat(100_000))),
        event("cwd", json!(7)),
        event("cwd", json!("/nowhere\n/else\u{0}")),
        event("cwd", json!("")),
        event("tool_name", json!(["Bash"])),
        event("tool_input", json!("rg add_item")),
        event("tool_input", json!({"command": {"rg": 1}})),
        event("tool_input", json!({"command": [1, "rg"]})),
        event("tool_response", json!("x".repeat(9 << 20))),
    ];
    for input in &inputs {
        assert_eq!(hook_with(&place, &["claude-code"], input), "");
    }
    let valid = event("other", json!(1));
    for args in [&[][..], &["emacs"], &["zed"], &["--help"], &["\n"]] {
        assert_eq!(hook_with(&place, args, &valid), "", "{args:?}");
    }
    let list = event("tool_input", json!({"command": ["bash", "-lc", "rg add_item"]}));
    assert_ne!(hook_with(&place, &["claude-code", "later"], &list), "");
    // A path with a line end is an ordinary path.
    let odd = place.root().join("a\nb");
    fs::create_dir(&odd).expect("a directory can be created");
    let mut named: Value = serde_json::from_slice(&event("cwd", json!(odd))).expect("JSON");
    named["session_id"] = json!("b\n../../c");
    assert_ne!(hook_with(&place, &["claude-code"], named.to_string().as_bytes()), "");
    let marks = fs::read_dir(place.cache().join("reminded")).expect("a directory").flatten();
    let names: Vec<String> =
        marks.map(|entry| entry.file_name().into_string().expect("text")).collect();
    assert!(names.len() == 2 && names.iter().all(|name| name.len() == 32), "{names:?}");
}
