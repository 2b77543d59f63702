//! Tests of writing: what is kept, what is refused, and that nothing outside of the tree is
//! changed.

use std::fs;
use std::path::PathBuf;
#[cfg(unix)]
use std::time::{Duration, Instant, SystemTime};

use tempfile::TempDir;

use super::*;

/// A tree, and a directory outside of it that must not change.
struct Grounds {
    _base: TempDir,
    root: PathBuf,
    outside: PathBuf,
    editable: Editable,
}

impl Grounds {
    fn new(files: &[(&str, &[u8])]) -> Grounds {
        let base = tempfile::tempdir().expect("a directory");
        let real = base.path().canonicalize().expect("it is there");
        let (root, outside) = (real.join("tree"), real.join("outside"));
        for dir in [&root, &outside] {
            fs::create_dir(dir).expect("a directory");
        }
        fs::write(outside.join("a.rs"), "outside").expect("a file");
        let grounds = Grounds { _base: base, root, outside, editable: Editable::Ordinary };
        for (file, text) in files {
            let file = grounds.root.join(file);
            fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
            fs::write(file, text).expect("a file");
        }
        grounds
    }

    /// Reads a file for an edit and writes it.
    fn edit(&self, path: &str, text: &str) -> Result<()> {
        let before = read(&self.root, path.as_bytes(), self.editable)?;
        replace(&self.root, path.as_bytes(), self.editable, &before, text.as_bytes())
    }

    fn create(&self, path: &str, text: &str) -> Result<()> {
        create(&self.root, path.as_bytes(), self.editable, text.as_bytes())
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).expect("it can be read")
    }

    #[track_caller]
    fn refuses(&self, path: &str, part: &str) {
        for result in [self.edit(path, "new"), self.create(path, "new")] {
            let error = result.expect_err("it is refused");
            assert!(error.to_string().contains(part), "{path}: {error}");
        }
    }
}

impl Drop for Grounds {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let names = |dir: &Path| {
            let all = fs::read_dir(dir).expect("it can be listed").flatten();
            all.map(|entry| entry.file_name()).collect::<Vec<_>>()
        };
        let left = names(&self.root);
        let is_temporary = |name: &std::ffi::OsString| name.to_string_lossy().ends_with(".tmp");
        assert!(!left.iter().any(is_temporary), "{left:?}");
        assert_eq!(names(&self.outside), ["a.rs"]);
        let text = fs::read_to_string(self.outside.join("a.rs"));
        assert_eq!(text.expect("it can be read"), "outside");
    }
}

#[test]
fn files_are_replaced_and_made() {
    let grounds = Grounds::new(&[("a.rs", b"old"), ("d/e/b.rs", b"old"), ("empty", b"")]);
    for path in ["a.rs", "d/e/b.rs", "empty"] {
        grounds.edit(path, "new\r\n").expect("it is written");
        assert_eq!(grounds.text(path), "new\r\n");
        let error = grounds.create(path, "x").expect_err("it is there");
        assert!(error.to_string().contains("already exists"), "{error}");
        assert_eq!(grounds.text(path), "new\r\n");
    }
    for path in ["c.rs", "d/c.rs", "x/y/z/c.rs"] {
        let error = grounds.edit(path, "x").expect_err("nothing is there");
        assert_eq!(error.kind(), Kind::NotFound, "{error}");
        grounds.create(path, "made").expect("it is made");
        assert_eq!(grounds.text(path), "made");
    }
    for (path, part) in [
        ("d", "directory"),
        ("d/e", "directory"),
        ("a.rs/b", "a component of the path is a file"),
        ("d/../../outside/a.rs", "out of the tree"),
        (".git/config", "git's own"),
        (".git", "git's own"),
        ("sub/.GIT/hooks/post-commit", "git's own"),
        (".git./hooks/x", "git's own"),
        (".g\u{200c}it/hooks/x", "git's own"),
        (".env", "refusing to edit a secret"),
        ("keys/server.pem", "refusing to edit a secret"),
        ("a\0b", "NUL"),
    ] {
        let result = grounds.edit(path, "new").map_err(|error| error.to_string());
        let error = result.expect_err("it is refused");
        assert!(error.contains(part), "{path}: {error}");
        let error = grounds.create(path, "new").expect_err("it is refused");
        assert!(matches!(error.kind(), Kind::Usage), "{path}: {error}");
        assert!(!grounds.root.join("sub").exists() && !grounds.root.join("keys").exists());
    }
}

#[test]
fn repositories_without_a_work_tree_are_refused() {
    let grounds = Grounds::new(&[
        ("bare/HEAD", b"ref: refs/heads/main\n"),
        ("bare/objects/info/packs", b""),
        ("bare/refs/heads/main", b""),
        ("bare/hooks/pre-receive", b"#!/bin/sh\n"),
        ("other/HEAD", b"old"),
    ]);
    for path in ["bare/hooks/pre-receive", "bare/./hooks/pre-receive", "other/../bare/hooks/update"]
    {
        grounds.refuses(path, "git's own files");
    }
    grounds.edit("other/HEAD", "new").expect("it is no repository");
}

#[test]
fn a_file_that_changed_since_is_left_alone() {
    let grounds = Grounds::new(&[("a.rs", b"old"), ("b.rs", b"old")]);
    let before = read(&grounds.root, b"a.rs", Editable::Ordinary).expect("it can be read");
    // The same length and time, so that only the bytes differ.
    let path = grounds.root.join("a.rs");
    let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).expect("a time");
    fs::write(&path, "own").expect("it can be written");
    let file = File::options().write(true).open(&path).expect("it can be opened");
    file.set_modified(modified).expect("it can be set");
    let error = replace(&grounds.root, b"a.rs", Editable::Ordinary, &before, b"new")
        .expect_err("it changed");
    assert_eq!((error.kind(), grounds.text("a.rs").as_str()), (Kind::Busy, "own"));
    let before = read(&grounds.root, b"b.rs", Editable::Ordinary).expect("it can be read");
    fs::remove_file(grounds.root.join("b.rs")).expect("it goes");
    let error =
        replace(&grounds.root, b"b.rs", Editable::Ordinary, &before, b"new").expect_err("it went");
    assert_eq!(error.kind(), Kind::Busy);
    assert!(!grounds.root.join("b.rs").exists());
}

#[test]
fn edits_beside_each_other_lose_nothing() {
    let grounds = Grounds::new(&[("count", b"")]);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let grounds = &grounds;
            scope.spawn(move || {
                for round in 0..25 {
                    loop {
                        let before =
                            read(&grounds.root, b"count", Editable::Ordinary).expect("it is there");
                        let mut text = before.original().to_vec();
                        text.extend_from_slice(format!("{thread} {round}\n").as_bytes());
                        match replace(&grounds.root, b"count", Editable::Ordinary, &before, &text) {
                            Ok(()) => break,
                            Err(error) => assert_eq!(error.kind(), Kind::Busy, "{error}"),
                        }
                    }
                }
            });
        }
    });
    let mut lines: Vec<String> = grounds.text("count").lines().map(str::to_owned).collect();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), 100);
}

#[test]
fn of_many_makers_one_makes_the_file() {
    let grounds = &Grounds::new(&[]);
    // Each may remove the directory of another one that failed; then it tries again.
    let make = |text: &'static str| loop {
        match grounds.create("d/e/new", text) {
            Ok(()) => return Some(text),
            Err(error) if error.kind() == Kind::Usage => return None,
            Err(_) => {}
        }
    };
    let made: Vec<&str> = std::thread::scope(|scope| {
        let start = |text| scope.spawn(move || make(text));
        let makers = ["a", "b", "c", "d"].map(start);
        makers.into_iter().filter_map(|maker| maker.join().expect("no panic")).collect()
    });
    let [text] = made[..] else { panic!("{made:?}") };
    assert_eq!(grounds.text("d/e/new"), text);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn mode_and_owner_stay() {
        let grounds = Grounds::new(&[("run.sh", b"old")]);
        let path = grounds.root.join("run.sh");
        let mode = |mode: u32| {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
            grounds.edit("run.sh", &format!("{mode:o}")).expect("it is written");
            let metadata = fs::metadata(&path).expect("it is there");
            assert_eq!(metadata.mode() & 0o7777, mode, "{mode:o}");
        };
        [0o755, 0o600, 0o664, 0o4711, 0o200 | 0o400].into_iter().for_each(mode);
        if std::os::unix::fs::chown(&path, Some(12345), Some(54321)).is_ok() {
            grounds.edit("run.sh", "another's").expect("it is written");
            let metadata = fs::metadata(&path).expect("it is there");
            assert_eq!((metadata.uid(), metadata.gid()), (12345, 54321));
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("it is ours");
        let error = grounds.edit("run.sh", "new").expect_err("it is read-only");
        assert!(error.to_string().contains("read-only"), "{error}");
    }

    #[test]
    fn a_new_file_has_the_permissions_of_new_files() {
        let grounds = Grounds::new(&[]);
        grounds.create("made", "").expect("it is made");
        fs::write(grounds.root.join("usual"), "").expect("a file");
        let mode = |name: &str| fs::metadata(grounds.root.join(name)).expect("it is there").mode();
        assert_eq!(mode("made"), mode("usual"));
    }

    #[test]
    fn links_within_the_tree_stay_links() {
        let grounds = Grounds::new(&[("d/real.rs", b"old"), ("e/x", b"")]);
        let absolute = grounds.root.join("d/real.rs").display().to_string();
        for (target, link) in [
            ("d/real.rs", "relative"),
            (absolute.as_str(), "absolute"),
            ("../d/real.rs", "e/up"),
            ("../../tree/d/real.rs", "e/out_and_in"),
            ("relative", "second"),
        ] {
            symlink(target, grounds.root.join(link)).expect("a link");
            grounds.edit(link, link).expect("it is written");
            assert_eq!(grounds.text("d/real.rs"), link);
            let metadata = fs::symlink_metadata(grounds.root.join(link)).expect("it is there");
            assert!(metadata.is_symlink(), "{link}");
            assert!(grounds.create(link, "x").is_err(), "{link}");
        }
        symlink("d", grounds.root.join("dir")).expect("a link");
        grounds.edit("dir/real.rs", "by its folder").expect("it is written");
        assert_eq!(grounds.text("d/real.rs"), "by its folder");
        grounds.create("dir/new/n.rs", "new").expect("it is made");
        assert_eq!(grounds.text("d/new/n.rs"), "new");
    }

    #[test]
    fn nothing_is_written_through_a_link_that_leads_out() {
        let grounds = Grounds::new(&[("a.rs", b"old"), (".env", b"KEY=1"), (".git/HEAD", b"x")]);
        let outside = grounds.outside.join("a.rs").display().to_string();
        for (target, link, part) in [
            ("../outside/a.rs", "out", "out of the tree"),
            (outside.as_str(), "far", "out of the tree"),
            ("/dev/null", "null", "out of the tree"),
            ("/proc/self/mem", "mem", "out of the tree"),
            (".env", "innocent", "refusing to edit a secret"),
            (".git/HEAD", "head", "git's own"),
            (".git", "repository", "git's own"),
            ("round", "round", "too many levels"),
        ] {
            symlink(target, grounds.root.join(link)).expect("a link");
            grounds.refuses(link, part);
        }
        symlink("../outside", grounds.root.join("up")).expect("a link");
        grounds.refuses("up/a.rs", "out of the tree");
        grounds.refuses("up/new.rs", "out of the tree");
        grounds.refuses("up/new/new.rs", "out of the tree");
        symlink("../outside/new.rs", grounds.root.join("dangling")).expect("a link");
        grounds.refuses("dangling", "out of the tree");
        symlink("nowhere", grounds.root.join("inside")).expect("a link");
        assert!(grounds.create("inside", "x").is_err(), "a link is there");
        assert_eq!(grounds.text(".env"), "KEY=1");
    }

    #[test]
    fn only_regular_files_are_opened() {
        let grounds = Grounds::new(&[("a.rs", b"old")]);
        let fifo = grounds.root.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.expect("mkfifo runs").success());
        grounds.refuses("pipe", "");
        let error = grounds.edit("pipe", "x").expect_err("it is refused");
        assert!(error.to_string().contains("a pipe or a socket"), "{error}");
        let _socket = std::os::unix::net::UnixListener::bind(grounds.root.join("socket"));
        grounds.refuses("socket", "");
        File::create(grounds.root.join("huge"))
            .and_then(|file| file.set_len(FILE_BYTES_MAX + 1))
            .expect("a file with a hole");
        let error = grounds.edit("huge", "x").expect_err("it is too large");
        assert!(error.to_string().contains("more than 64 MiB"), "{error}");
    }

    #[test]
    fn a_hard_link_outside_is_not_written() {
        let grounds = Grounds::new(&[("d/x", b"")]);
        let inside = grounds.root.join("hard");
        fs::hard_link(grounds.outside.join("a.rs"), &inside).expect("a hard link");
        grounds.edit("hard", "mine").expect("it is written");
        assert_eq!(grounds.text("hard"), "mine");
    }

    /// A directory and a link are swapped as fast as possible while files below are edited and
    /// created. Files outside must not change, which dropping the grounds checks.
    #[test]
    fn links_made_between_check_and_write_lead_nowhere() {
        let grounds = Grounds::new(&[("d/a.rs", b"inside")]);
        let is_over = AtomicBool::new(false);
        let (dir, kept) = (grounds.root.join("d"), grounds.root.join("kept"));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0.. {
                    if is_over.load(Ordering::Relaxed) {
                        return;
                    }
                    if round % 16 == 0 {
                        // Long enough for an edit.
                        std::thread::sleep(Duration::from_millis(20));
                    }
                    fs::rename(&dir, &kept).expect("the directory is there");
                    // A directory may be created there meanwhile.
                    while symlink("../outside", &dir).is_err() {
                        let _ = fs::remove_dir_all(&dir);
                    }
                    std::thread::yield_now();
                    fs::remove_file(&dir).expect("the link is there");
                    while fs::rename(&kept, &dir).is_err() {
                        let _ = fs::remove_dir_all(&dir);
                    }
                }
            });
            let since = Instant::now();
            let (mut written, mut number) = (0, 0);
            let (enough, most) = (Duration::from_millis(1500), Duration::from_secs(60));
            while since.elapsed() < enough || (written == 0 && since.elapsed() < most) {
                number += 1;
                written += u32::from(grounds.edit("d/a.rs", &format!("edit {number}")).is_ok());
                let _ = grounds.create(&format!("d/new{number}.rs"), "new");
            }
            is_over.store(true, Ordering::Relaxed);
            assert!(written > 0, "not one edit of {number} was made");
        });
    }

    #[test]
    fn readers_see_the_old_text_or_the_new_one() {
        let long = |word: &str| word.repeat(20_000);
        let grounds = Grounds::new(&[("a", long("old ").as_bytes())]);
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..40 {
                    let word = if round % 2 == 0 { "new " } else { "old " };
                    grounds.edit("a", &long(word)).expect("nobody else writes");
                }
                is_over.store(true, Ordering::Relaxed);
            });
            while !is_over.load(Ordering::Relaxed) {
                let text = grounds.text("a");
                assert!(text == long("old ") || text == long("new "), "half of a text");
            }
        });
    }

    #[test]
    fn an_unwritable_directory_is_reported() {
        let grounds = Grounds::new(&[("d/a", b"old")]);
        let dir = grounds.root.join("d");
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o555)).expect("it is ours");
        let is_almighty = fs::write(dir.join("try"), "").is_ok();
        let result = grounds.edit("d/a", "new");
        assert_eq!(result.is_ok(), is_almighty);
        if let Err(error) = result {
            assert!(error.to_string().contains("its directory is not writable"), "{error}");
            assert_eq!(grounds.text("d/a"), "old");
        }
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }

    #[test]
    fn an_old_file_is_new_by_its_stamp() {
        let grounds = Grounds::new(&[("a", b"old")]);
        let path = grounds.root.join("a");
        let file = File::options().write(true).open(&path).expect("it can be opened");
        file.set_modified(SystemTime::now() - Duration::from_secs(5000)).expect("it can be set");
        let before = Stamp::of_file(&path);
        grounds.edit("a", "new").expect("it is written");
        assert_ne!(Stamp::of_file(&path), before);
    }
}

#[cfg(unix)]
#[test]
fn executed_files_are_refused_wherever_the_path_leads() {
    use std::os::unix::fs::symlink;

    let files: [(&str, &[u8]); 4] = [
        (".vscode/tasks.json", b"old"),
        (".github/workflows/ci.yml", b"old"),
        ("config/tasks.json", b"old"),
        ("a.rs", b"old"),
    ];
    let mut grounds = Grounds::new(&files);
    symlink(".vscode/tasks.json", grounds.root.join("link.json")).expect("a link");
    symlink(".github/workflows", grounds.root.join("flows")).expect("a link");
    symlink(".husky", grounds.root.join("missing")).expect("a link");
    fs::create_dir(grounds.root.join(".zed")).expect("a directory");
    symlink("../config/tasks.json", grounds.root.join(".zed/tasks.json")).expect("a link");
    let executed = "that other programs execute";
    for path in [
        ".vscode/tasks.json",
        ".VSCODE/tasks.json",
        "link.json",
        "flows/ci.yml",
        "flows/new.yml",
        "missing/pre-commit",
        "new/.husky/pre-commit",
        "flows/../workflows/new.yml",
        ".zed/tasks.json",
        ".mcp.json",
        "Jenkinsfile",
    ] {
        let error = grounds.create(path, "new").expect_err("it is refused");
        assert!(error.to_string().contains(executed), "{path}: {error}");
    }
    for path in [".vscode/tasks.json", "link.json", "flows/ci.yml", ".zed/tasks.json"] {
        let error = grounds.edit(path, "new").expect_err("it is refused");
        assert!(error.to_string().contains(executed), "{path}: {error}");
    }
    let error = grounds.edit("link.json", "new").expect_err("it is refused");
    let hints = error.hints().join(" ");
    assert!(error.to_string().contains(".vscode/tasks.json") && hints.contains("--allow-edit=all"));
    assert_eq!(grounds.text(".vscode/tasks.json"), "old");
    assert!(!grounds.root.join("new").exists() && !grounds.root.join(".husky").exists());
    grounds.edit("a.rs", "new").expect("it is an ordinary file");
    grounds.editable = Editable::All;
    grounds.edit("link.json", "new").expect("it is allowed");
    grounds.create("flows/new.yml", "new").expect("it is allowed");
    assert_eq!(grounds.text(".vscode/tasks.json"), "new");
    assert_eq!(grounds.text(".github/workflows/new.yml"), "new");
}

#[cfg(unix)]
#[test]
fn a_directory_that_becomes_a_link_does_not_lead_to_executed_files() {
    use std::os::unix::fs::symlink;

    let files: [(&str, &[u8]); 2] = [(".husky/a.rs", b"old"), ("d/a.rs", b"old")];
    let grounds = Grounds::new(&files);
    let before = read(&grounds.root, b"d/a.rs", Editable::Ordinary).expect("it can be read");
    fs::rename(grounds.root.join("d"), grounds.root.join("e")).expect("it moves");
    symlink(".husky", grounds.root.join("d")).expect("a link");
    let replaced = replace(&grounds.root, b"d/a.rs", Editable::Ordinary, &before, b"new");
    let error = replaced.expect_err("it is refused");
    assert!(error.to_string().contains("execute"), "{error}");
    assert_eq!(grounds.text(".husky/a.rs"), "old");
}

#[test]
fn a_file_does_not_grow_beyond_what_can_be_edited() {
    let most = "x".repeat(FILE_BYTES_MAX as usize);
    let grounds = Grounds::new(&[("a.txt", most.as_bytes())]);
    let more = format!("{most}x");
    for result in [grounds.edit("a.txt", &more), grounds.create("b.txt", &more)] {
        let error = result.expect_err("it is refused").to_string();
        assert!(error.contains("would have more than 64 MiB"), "{error}");
    }
    assert_eq!(grounds.text("a.txt").len(), most.len());
    assert!(!grounds.root.join("b.txt").exists());
    grounds.edit("a.txt", &most[1..]).expect("a smaller file is written");
}
