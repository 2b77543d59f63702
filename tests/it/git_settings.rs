//! Repositories whose configuration or files make git wait, run programs or look elsewhere.
//!
//! Everything runs twice: without an index, and with the index of the first run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode};
use serde_json::Value;

use crate::support::place::{Answer, Place};

/// The time limit of one command. It takes less than a second; a stalled git took at least 20 s.
const PATIENCE: Duration = Duration::from_secs(15);

/// Creates a repository with two commits, a changed, a touched and an untracked file.
fn repository() -> Place {
    let place = Place::new();
    place.write("src/cart.py", "def add(item):\n    pass\n");
    place.write("src/money.py", "def total():\n    return 0\n");
    place.write(".gitattributes", "* filter=x diff=x merge=x\n");
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "Begin a shop"]);
    place.git(&["mv", "src/money.py", "src/price.py"]);
    place.git(&["commit", "-q", "-m", "Rename a file"]);
    place.write("src/cart.py", "def add(item):\n    return item\n");
    place.write("src/price.py", "def total():\n    return 0\n");
    place.write("src/new.py", "def new():\n    pass\n");
    place
}

fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("a named pipe");
}

fn within_patience(command: Command) -> Answer {
    let (line, started) = (format!("{command:?}"), Instant::now());
    let answer = Answer::of(command);
    assert!(started.elapsed() < PATIENCE, "{:?}: {line}", started.elapsed());
    answer
}

fn index(place: &Place) {
    let mut command = place.codedb("index");
    command.args(["--stage", "full"]);
    within_patience(command).expect_success();
}

fn changes(place: &Place) -> Answer {
    let mut command = place.codedb("changes");
    command.args(["HEAD"]);
    within_patience(command)
}

fn history(place: &Place) -> Value {
    let mut command = place.codedb("status");
    command.arg("--json");
    let text = within_patience(command).expect_success().text();
    serde_json::from_str::<Value>(&text).expect("JSON")["history"].clone()
}

/// Fails unless history and differences are complete, twice.
#[track_caller]
fn check_complete(place: &Place) {
    for run in ["first", "second"] {
        index(place);
        let history = history(place);
        assert_eq!((&history["commits"], &history["behind"]), (&2.into(), &false.into()), "{run}");
        let answer = changes(place).expect_success();
        assert!(answer.text().contains("src/cart.py"), "{run}: {}", answer.text());
        assert!(!answer.text().contains("src/price.py"), "{run}: {}", answer.text());
    }
}

/// Keys of git's configuration that name a file or a directory.
const FILES: &[&str] = &[
    "blame.ignoreRevsFile",
    "commit.template",
    "core.attributesFile",
    "core.excludesFile",
    "core.hooksPath",
    "diff.orderFile",
    "fetch.fsck.skipList",
    "format.signatureFile",
    "fsck.skipList",
    "fsmonitor.socketDir",
    "gpg.ssh.allowedSignersFile",
    "gpg.ssh.revocationFile",
    "http.cookieFile",
    "http.sslCAInfo",
    "http.sslCAPath",
    "http.sslCert",
    "http.sslKey",
    "init.templateDir",
    "mailmap.blob",
    "mailmap.file",
    "receive.fsck.skipList",
    "trace2.eventTarget",
    "trace2.normalTarget",
    "trace2.perfTarget",
];

/// Keys that name a program.
const PROGRAMS: &[&str] = &[
    "alias.log",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.external",
    "diff.x.command",
    "diff.x.textconv",
    "filter.x.clean",
    "filter.x.process",
    "filter.x.smudge",
    "gpg.program",
    "gpg.ssh.defaultKeyCommand",
    "gpg.ssh.program",
    "interactive.diffFilter",
    "merge.x.driver",
    "pager.log",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "sequence.editor",
    "uploadpack.packObjectsHook",
];

#[test]
fn files_and_programs_of_a_configuration_are_not_used() {
    let place = repository();
    let (file, mark) = (place.base().join("pipe"), place.base().join("mark"));
    pipe(&file);
    let program = place.base().join("program");
    fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", mark.display()))
        .expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    // git itself cannot write a configuration that makes it wait.
    let mut text = fs::read_to_string(place.root().join(".git/config")).expect("it exists");
    for (keys, value) in [(FILES, &file), (PROGRAMS, &program)] {
        for key in keys {
            let (section, name) = key.rsplit_once('.').expect("a key has a section");
            let section = match section.split_once('.') {
                Some((section, part)) => format!("{section} \"{part}\""),
                None => section.to_owned(),
            };
            text.push_str(&format!("[{section}]\n\t{name} = {}\n", value.display()));
        }
    }
    text.push_str("[log]\n\tshowSignature = true\n\tdecorate = full\n\tmailmap = true\n");
    text.push_str("[remote \"origin\"]\n\turl = ext::false\n\tpromisor = true\n");
    fs::write(place.root().join(".git/config"), text).expect("a file");
    check_complete(&place);
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap_or_default());
}

#[test]
fn a_work_tree_elsewhere_is_not_used() {
    for elsewhere in ["/", ".."] {
        let place = repository();
        let mut text = fs::read_to_string(place.root().join(".git/config")).expect("it exists");
        text.push_str(&format!("[core]\n\tworktree = {elsewhere}\n"));
        fs::write(place.root().join(".git/config"), text).expect("a file");
        check_complete(&place);
        // A directory of the tree as root.
        let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
        command.args(["changes", "HEAD", "--root"]).arg(place.root().join("src"));
        command.arg("--index-dir").arg(place.cache());
        let text = Answer::of(command).expect_success().text();
        assert!(text.contains("cart.py") && !text.contains("price.py"), "{elsewhere}: {text}");
    }
    // Git itself reports that the tree is in no work tree.
    let place = repository();
    let mut text = fs::read_to_string(place.root().join(".git/config")).expect("it exists");
    text.push_str("[core]\n\tworktree = /nowhere\n");
    fs::write(place.root().join(".git/config"), text).expect("a file");
    index(&place);
    let answer = changes(&place);
    assert_eq!((answer.code, answer.text().as_str()), (2, ""), "{}", answer.stderr);
}

#[test]
fn a_pipe_in_place_of_a_file_of_the_repository_is_reported() {
    for name in [
        "HEAD",
        "commondir",
        "config",
        "config.worktree",
        "index",
        "info/attributes",
        "info/grafts",
        "objects/info/alternates",
        "packed-refs",
        "refs/heads/main",
        "shallow",
    ] {
        let place = repository();
        pipe(&place.root().join(".git").join(name));
        for _ in ["first", "second"] {
            index(&place);
            let answer = changes(&place);
            assert_eq!(answer.code, 2, "{name}: {}", answer.text());
            let is_named = answer.stderr.contains(name) && answer.stderr.contains("not a regular");
            // The last one is found by git alone.
            let is_waiting = answer.stderr.contains("waits for another process");
            assert!(is_named || is_waiting, "{name}: {}", answer.stderr);
            assert_ne!(history(&place)["commits"], 2, "{name}");
        }
    }
}

#[test]
fn a_file_of_the_repository_without_end_is_reported() {
    for (name, bytes) in [("HEAD", 1 << 36), ("packed-refs", 1 << 40), ("refs/heads/main", 1 << 36)]
    {
        let place = repository();
        let path = place.root().join(".git").join(name);
        let file = fs::File::options().create(true).append(true).open(path).expect("a file");
        file.set_len(bytes).expect("a sparse file");
        for _ in ["first", "second"] {
            index(&place);
            let answer = changes(&place);
            assert_eq!(answer.code, 2, "{name}: {}", answer.text());
            assert_ne!(history(&place)["commits"], 2, "{name}");
        }
    }
}

#[test]
fn commits_are_listed_in_any_output_encoding() {
    let place = repository();
    place.git(&["config", "i18n.logOutputEncoding", "UTF-16"]);
    let listed = Answer::of(place.codedb("hot")).expect_success().text();
    assert!(listed.contains("the last 2 commits"), "{listed}");
    check_complete(&place);
}

#[cfg(target_os = "linux")]
#[test]
fn git_that_waits_for_a_pipe_is_ended() {
    let place = repository();
    pipe(&place.base().join("pipe"));
    let included = format!("[include]\n\tpath = {}\n", place.base().join("pipe").display());
    let config = place.root().join(".git/config");
    let sound = fs::read_to_string(&config).expect("it exists");
    fs::write(&config, format!("{sound}{included}")).expect("a file");
    for _ in ["first", "second"] {
        index(&place);
        let answer = changes(&place);
        assert_eq!(answer.code, 2, "{}", answer.text());
        assert!(answer.stderr.contains("waits for another process"), "{}", answer.stderr);
    }
    // Afterwards everything is as it was.
    fs::write(&config, sound).expect("a file");
    check_complete(&place);
}

#[test]
fn rules_that_the_user_names_apply_to_changes() {
    let place = repository();
    let pipe_path = place.base().join("pipe");
    pipe(&pipe_path);
    let mine = place.base().join("home/mine");
    fs::write(&mine, "new.py\n").expect("a file");
    let settings = format!("[core]\n\texcludesFile = {}\n", mine.display());
    fs::write(place.base().join("home/.gitconfig"), settings).expect("a file");
    let config = place.root().join(".git/config");
    let own = fs::read_to_string(&config).expect("it exists");
    let other = format!("{own}[core]\n\texcludesFile = {}\n", pipe_path.display());
    for text in [own, other] {
        fs::write(&config, text).expect("a file");
        let answer = changes(&place).expect_success().text();
        assert!(answer.contains("cart.py") && !answer.contains("new.py"), "{answer}");
    }
}

#[test]
fn git_may_write_more_to_standard_error_than_is_kept() {
    let place = repository();
    let programs = place.base().join("bin");
    fs::create_dir(&programs).expect("a directory");
    let real = Answer::of({
        let mut which = place.command("sh");
        which.args(["-c", "command -v git"]);
        which
    });
    // It fails if it cannot write.
    let script = format!(
        "#!/bin/sh\nset -e\nhead -c 1048576 /dev/zero | tr '\\0' w >&2\nexec '{}' \"$@\"\n",
        real.expect_success().text().trim()
    );
    fs::write(programs.join("git"), script).expect("a file");
    fs::set_permissions(programs.join("git"), fs::Permissions::from_mode(0o755)).expect("ours");
    let path = std::env::var("PATH").unwrap_or_default();
    let with_noise = |mut command: Command| {
        command.env("PATH", format!("{}:{path}", programs.display()));
        within_patience(command).expect_success()
    };
    let mut command = place.codedb("index");
    command.args(["--stage", "full"]);
    let built = with_noise(command).text();
    assert!(built.contains(": 2 commits, 2 read"), "{built}");
    let mut command = place.codedb("changes");
    command.args(["HEAD"]);
    let listed = with_noise(command).text();
    assert!(listed.contains("src/cart.py") && listed.contains("src/new.py"), "{listed}");
}

/// Git quotes lines of the files that it cannot parse: files of the repository may be links to others.
#[test]
fn errors_of_git_quote_no_file() {
    const OUTSIDE: &str = "outside-of-the-tree";
    let place = repository();
    let outside = place.base().join("outside.txt");
    fs::write(&outside, format!("{OUTSIDE}\n")).expect("a file");
    let call = |command: &str, args: &[&str]| {
        let mut codedb = place.codedb(command);
        codedb.args(args);
        within_patience(codedb)
    };
    let check = |what: &str| {
        let calls: [(&str, &[&str]); 5] = [
            ("ownership", &["src/cart.py"]),
            ("check", &[]),
            ("changes", &["HEAD~1"]),
            ("suggest-tests", &[]),
            ("index", &["--stage", "full"]),
        ];
        for (command, args) in calls {
            let answer = call(command, args);
            let all = format!("{}{}", answer.text(), answer.stderr);
            assert!(!all.contains(OUTSIDE), "{what}: {command}: {all}");
        }
    };
    let packed = place.root().join(".git/packed-refs");
    for name in ["packed-refs", "shallow", "objects/info/alternates"] {
        let path = place.root().join(".git").join(name);
        let before = fs::read(&path).ok();
        let _ = fs::remove_file(&path);
        std::os::unix::fs::symlink(&outside, &path).expect("a link");
        check(name);
        fs::remove_file(&path).expect("the link");
        if let Some(before) = before {
            fs::write(&path, before).expect("a file");
        }
    }
    assert!(!packed.is_symlink());
    // Kept blame would be an answer without git.
    for entry in fs::read_dir(place.store()).expect("an index").flatten() {
        if entry.file_name().to_string_lossy().starts_with("blame-") {
            fs::remove_file(entry.path()).expect("it is removed");
        }
    }
    for file in [outside.to_str().expect("UTF-8"), "/dev/zero", "revs"] {
        std::os::unix::fs::symlink(&outside, place.root().join("revs")).ok();
        place.git(&["config", "blame.ignoreRevsFile", file]);
        let answer = call("ownership", &["src/cart.py"]);
        let all = format!("{}{}", answer.text(), answer.stderr);
        assert!(all.contains("blame.ignoreRevsFile") && !all.contains(OUTSIDE), "{file}: {all}");
    }
    place.write("own-revs", "");
    place.git(&["config", "--replace-all", "blame.ignoreRevsFile", "own-revs"]);
    assert!(
        call("ownership", &["src/cart.py"]).text().contains("100"),
        "a file of the tree is used"
    );
}
