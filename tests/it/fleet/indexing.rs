//! `codedb fleet index`: with a program in place of `zoekt-git-index` that records what it is given, and with
//! the real one where `CODEDB_ZOEKT` names the directory of zoekt's programs.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{configure, json, nodes};
use crate::support::place::{Answer, Place};
use crate::support::skipped;

/// Records the last argument, the directory of a clone, in the index; waits while `wait` exists.
const RECORDER: &str = "#!/bin/sh\n\
    if [ \"$1\" = -version ]; then exit 0; fi\n\
    echo started >> \"$2/started\"\n\
    echo \"$CTAGS_COMMAND\" >> \"$2/ctags\"\n\
    while [ -e \"$0.wait\" ]; do sleep 0.05; done\n\
    for dir in \"$@\"; do :; done\n\
    if [ -e \"$0.fail\" ]; then echo 'x: disk on fire' >&2; exit 1; fi\n\
    git --git-dir=\"$dir\" rev-parse HEAD >> \"$2/indexed\"\n";

/// A place with nodes, repositories and a program that indexes.
struct Fleet {
    place: Place,
    programs: OsString,
}

impl Fleet {
    /// Returns a fleet of three nodes with two replicas.
    fn new(programs: Option<&Path>) -> Fleet {
        let place = Place::new();
        configure(&place, &nodes(&place, &["a", "b", "c"], 2));
        let own = place.base().join("programs");
        fs::create_dir(&own).expect("a directory");
        let program = own.join("zoekt-git-index");
        if programs.is_none() {
            fs::write(&program, RECORDER).expect("a program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
        }
        let dirs = programs.map(Path::to_path_buf).unwrap_or(own);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(dirs).chain(std::env::split_paths(&path));
        Fleet { place, programs: std::env::join_paths(all).expect("a path") }
    }

    fn marker(&self, name: &str) -> PathBuf {
        self.place.base().join(format!("programs/zoekt-git-index.{name}"))
    }

    /// Makes a repository in the tree with one commit.
    fn repository(&self, name: &str) -> PathBuf {
        self.place.write(format!("{name}/a.txt"), format!("one of {name}\n"));
        self.git(name, &["init", "-q", "-b", "trunk"]);
        self.commit(name);
        self.place.root().join(name)
    }

    fn git(&self, name: &str, args: &[&str]) -> String {
        self.place.git(&[&["-C", name], args].concat())
    }

    fn commit(&self, name: &str) -> String {
        self.git(name, &["add", "."]);
        self.git(name, &["commit", "-q", "-m", "x"]);
        self.git(name, &["rev-parse", "HEAD"]).trim().to_owned()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.place.command(env!("CARGO_BIN_EXE_codedb"));
        command.args(["fleet", "index"]).args(args).env("PATH", &self.programs);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
        command
    }

    fn index(&self, args: &[&str]) -> (i32, Value) {
        let answer = Answer::of(self.command(&[args, &["--json"]].concat()));
        (answer.code, json(&answer))
    }

    fn node(&self, name: &str) -> PathBuf {
        self.place.base().join("nodes").join(name)
    }
}

fn counts(reply: &Value) -> [u64; 4] {
    ["indexed", "unchanged", "failed", "not_tried"].map(|key| reply[key].as_u64().expect(key))
}

/// Returns every file below a directory with its content and modification time.
fn state(dir: &Path) -> Vec<(PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory").flatten() {
        if entry.path().is_dir() {
            all.extend(state(&entry.path()));
        } else {
            let changed = entry.metadata().and_then(|it| it.modified()).expect("metadata");
            all.push((entry.path(), fs::read(entry.path()).expect("a file"), changed));
        }
    }
    all.sort();
    all
}

#[test]
fn each_repository_is_indexed_on_its_owners_once() {
    let fleet = Fleet::new(None);
    let repositories = ["one", "two", "three"].map(|name| fleet.repository(name));
    fleet.git("one", &["remote", "add", "origin", "git@git.example.org:team/one.git"]);
    let before: Vec<_> = repositories.iter().map(|dir| state(dir)).collect();
    fleet.place.write("list", "one\ntwo # the second\n./three\n");
    let (code, reply) = fleet.index(&["list"]);
    assert_eq!((code, counts(&reply)), (0, [6, 0, 0, 0]), "{reply}");
    let names: Vec<&str> = reply["items"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|it| it["repository"].as_str())
        .collect();
    let expected = ["git.example.org/team/one", "three", "two"];
    assert_eq!(names, expected.map(|name| [name; 2]).concat());
    assert_eq!(repositories.iter().map(|dir| state(dir)).collect::<Vec<_>>(), before);
    // Clones own their objects, and are named after their repository.
    let row = &reply["items"][0];
    let clone = fleet.node(row["node"].as_str().expect("a node"));
    let clone = clone.join("repositories/git.example.org/team/one.git");
    assert!(!clone.join("objects/info/alternates").exists());
    assert_eq!(fs::read_to_string(clone.join("HEAD")).expect("HEAD"), "ref: refs/heads/trunk\n");
    let config = fs::read_to_string(clone.join("config")).expect("a configuration");
    assert!(config.contains("name = git.example.org/team/one\n"), "{config}");

    // Nothing is left to do, except for a new commit.
    let (code, reply) = fleet.index(&["list"]);
    assert_eq!((code, counts(&reply)), (0, [0, 6, 0, 0]));
    fleet.place.write("two/b.txt", "more\n");
    let commit = fleet.commit("two");
    let (code, reply) = fleet.index(&["list", "one"]);
    assert_eq!((code, counts(&reply)), (0, [2, 4, 0, 0]));
    let changed =
        reply["items"].as_array().expect("rows").iter().find(|row| row["state"] == "indexed");
    assert_eq!(changed.map(|row| &row["commit"]), Some(&Value::from(commit)));
}

#[test]
fn failures_are_counted_and_named_and_others_go_on() {
    let fleet = Fleet::new(None);
    fleet.repository("good");
    fleet.place.write("empty/x", "");
    fleet.git("empty", &["init", "-q"]);
    let (code, reply) = fleet.index(&["good", "empty"]);
    assert_eq!((code, counts(&reply)), (1, [2, 0, 2, 0]), "{reply}");
    assert_eq!(reply["items"][0]["problem"], "the repository has no commit");
    fs::write(fleet.marker("fail"), "").expect("a mark");
    fleet.place.write("good/b.txt", "more\n");
    fleet.commit("good");
    let page = Answer::of(fleet.command(&["good"]));
    assert_eq!(page.code, 1);
    assert!(page.text().contains("zoekt-git-index: x: disk on fire"), "{}", page.text());
    fs::remove_file(fleet.marker("fail")).expect("a mark");
    assert_eq!(counts(&fleet.index(&["good"]).1), [2, 0, 0, 0], "it is tried again");
}

#[test]
fn a_missing_indexer_is_named_with_its_installation() {
    let fleet = Fleet::new(None);
    fleet.repository("one");
    fs::remove_file(fleet.place.base().join("programs/zoekt-git-index")).expect("a program");
    let git = fleet.place.base().join("git-only");
    fs::create_dir(&git).expect("a directory");
    let mut command = fleet.command(&["one", "--json"]);
    let answer = Answer::of({
        command.env("PATH", &git);
        command
    });
    let reply = json(&answer);
    assert_eq!((answer.code, counts(&reply)), (1, [0, 0, 0, 2]));
    let problem = reply["items"][0]["problem"].as_str().expect("a problem");
    assert!(
        problem.contains("go install github.com/sourcegraph/zoekt/cmd/zoekt-git-index"),
        "{problem}"
    );
    assert!(!fleet.node("a").join("repositories").exists(), "nothing is cloned for it");
}

#[test]
fn the_indexer_gets_the_name_of_universal_ctags() {
    let fleet = Fleet::new(None);
    fleet.repository("one");
    let ctags = fleet.place.base().join("programs/universal-ctags");
    fs::write(&ctags, "#!/bin/sh\necho +interactive\n").expect("a program");
    fs::set_permissions(&ctags, fs::Permissions::from_mode(0o755)).expect("executable");
    let (code, reply) = fleet.index(&["one"]);
    assert_eq!((code, &reply["without_symbols"]), (0, &serde_json::json!([])));
    let node = fleet.node(reply["items"][0]["node"].as_str().expect("a node"));
    let found = fs::read_to_string(node.join("index/ctags")).expect("a record");
    assert_eq!(found, "universal-ctags\n");
}

#[test]
fn a_directory_is_not_cloned_on_another_machine() {
    let fleet = Fleet::new(None);
    fleet.repository("one");
    let text = nodes(&fleet.place, &["a"], 1) + "command = ['env']\n";
    configure(&fleet.place, &text);
    let (code, reply) = fleet.index(&["one"]);
    assert_eq!((code, counts(&reply)), (1, [0, 0, 1, 0]), "{reply}");
    let problem = reply["items"][0]["problem"].as_str().expect("a problem");
    assert!(problem.contains("give the address"), "{problem}");
    assert!(fleet.node("a").join("index").is_dir(), "directories are made by the command");
}

/// Stands for `ssh`: gives its arguments to a shell as one line, as the other machine does. The repository is
/// on this machine.
const SSH: &str = r#"#!/bin/sh
shift
line=$(printf '%s' "$*" | sed -e "s|https://git.example.org/team/one|$ORIGINAL|" \
    -e 's|GIT_ALLOW_PROTOCOL=https:ssh|GIT_ALLOW_PROTOCOL=file|')
exec sh -c "$line"
"#;

#[test]
fn a_node_is_driven_through_ssh() {
    let fleet = Fleet::new(None);
    let original = fleet.repository("one");
    let ssh = fleet.place.base().join("ssh");
    fs::write(&ssh, SSH).expect("a program");
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).expect("executable");
    let base = fleet.place.base().join("it's $(a) node");
    let node = format!(
        "[fleet]\n[[fleet.node]]\nname = 'a'\naddress = 'http://127.0.0.1:6070'\ncommand = ['{}', 'host']\n\
         index = \"{base}/index\"\nrepositories = \"{base}/repositories\"\n",
        ssh.display(),
        base = base.display()
    );
    configure(&fleet.place, &node);
    let mut command = fleet.command(&["https://git.example.org/team/one.git", "--json"]);
    command.env("ORIGINAL", &original);
    let answer = Answer::of(command);
    let reply = json(&answer);
    // The address ends in `.git`, which the original does not.
    assert_eq!((answer.code, counts(&reply)), (1, [0, 0, 1, 0]), "{reply}");
    let mut command = fleet.command(&["https://git.example.org/team/one", "--json"]);
    command.env("ORIGINAL", &original);
    let answer = Answer::of(command);
    let reply = json(&answer);
    assert_eq!((answer.code, counts(&reply)), (0, [1, 0, 0, 0]), "{reply}");
    assert!(base.join("repositories/git.example.org/team/one.git/HEAD").is_file());
    assert!(base.join("index/indexed").is_file());
}

#[test]
fn the_next_run_continues_after_ctrl_c() {
    let fleet = Fleet::new(None);
    configure(&fleet.place, &nodes(&fleet.place, &["a"], 1));
    for name in ["one", "two", "three"] {
        fleet.repository(name);
    }
    fs::write(fleet.marker("wait"), "").expect("a mark");
    let mut command = fleet.command(&["one", "two", "three", "--json"]);
    let process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    while !fleet.node("a").join("index/started").exists() {
        thread::sleep(Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&process), Signal::INT).expect("it runs");
    let output = process.wait_with_output().expect("it exits");
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), counts(&reply)), (Some(1), [0, 0, 0, 3]), "{reply}");
    fs::remove_file(fleet.marker("wait")).expect("a mark");
    let (code, reply) = fleet.index(&["one", "two", "three"]);
    assert_eq!((code, counts(&reply)), (0, [3, 0, 0, 0]));
}

#[test]
fn zoekt_indexes_what_it_is_given() {
    let Some(programs) = std::env::var_os("CODEDB_ZOEKT").map(PathBuf::from) else {
        skipped::report("CODEDB_ZOEKT does not name the directory of zoekt's programs");
        return;
    };
    let fleet = Fleet::new(Some(&programs));
    configure(&fleet.place, &nodes(&fleet.place, &["a", "b"], 2));
    fleet.repository("one");
    fleet.repository("two");
    fleet.git("two", &["remote", "add", "origin", "https://git.example.org/team/two"]);
    let (code, reply) = fleet.index(&["one", "two"]);
    assert_eq!((code, counts(&reply)), (0, [4, 0, 0, 0]), "{reply}");
    assert_eq!(counts(&fleet.index(&["one", "two"]).1), [0, 4, 0, 0]);
    let shard = "git.example.org%2Fteam%2Ftwo_v16.00000.zoekt";
    for node in ["a", "b"] {
        assert!(fleet.node(node).join("index").join(shard).is_file(), "{node}");
    }
    // A shard that is gone is written again, whatever the clone says.
    fs::remove_file(fleet.node("a").join("index").join(shard)).expect("a shard");
    assert_eq!(counts(&fleet.index(&["two"]).1), [1, 1, 0, 0]);
    assert!(fleet.node("a").join("index").join(shard).is_file());
    let found = Command::new(programs.join("zoekt"))
        .args(["-index_dir"])
        .arg(fleet.node("b").join("index"))
        .arg("one of two")
        .output()
        .expect("zoekt runs");
    assert!(String::from_utf8_lossy(&found.stdout).contains("a.txt:1:one of two"), "{found:?}");
}
