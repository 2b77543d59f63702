//! The watch server: after any change of the tree, the client's view agrees with the tree.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use codedb::base::bits::Bits;
use codedb::base::ids::{DirId, FileId};
use codedb::base::path;
use codedb::engine::{self, Comparison, Engine, Pace, Progress, Stop, WatchReport};
use codedb::index::store::Store;
use codedb::source::stamp::{RACY_WINDOW, Stamp};
use codedb::source::walk::{self, Environment};
use codedb::source::watch;
use codedb::{Kind, Result};
use tempfile::TempDir;

/// Never refreshes by itself, so that every edit stays unrefreshed.
const LAZY: Pace = pace(Duration::from_secs(3600));

/// Refreshes continuously, so that every edit happens during a refresh.
const EAGER: Pace = pace(Duration::from_millis(1));

const fn pace(interval: Duration) -> Pace {
    Pace { quiet: interval, interval, rest: 0 }
}

const DEADLINE: Duration = Duration::from_secs(5);

/// A tree, its index and a server in a thread.
struct Watching {
    tree: TempDir,
    _index: TempDir,
    engine: Engine,
    stop: Arc<Stop>,
    server: Option<JoinHandle<Result<()>>>,
}

/// A client's view: the files, and those that it reads because they may have changed.
#[derive(Debug)]
struct Belief {
    files: BTreeSet<String>,
    to_read: BTreeSet<String>,
}

impl Watching {
    fn start(pace: Pace, files: &[&str]) -> Watching {
        let index = TempDir::new().unwrap();
        let dir = index.path().join("index");
        Watching::start_at(pace, files, TempDir::new().unwrap(), index, dir)
    }

    fn start_at(pace: Pace, files: &[&str], tree: TempDir, index: TempDir, dir: PathBuf) -> Self {
        for file in files {
            write(tree.path(), file, file);
        }
        // The metadata of rules that changed just before the walk is not trusted, and a lazy server
        // does not check again.
        std::thread::sleep(RACY_WINDOW);
        let root = tree.path().canonicalize().unwrap();
        let environment = Environment { global_excludes: None, threads: 2 };
        let engine = Engine::new(root, Store::new(dir, false), environment);
        let stop = Arc::new(Stop::new().unwrap());
        let server = Some(spawn(&engine, pace, &stop));
        let watching = Watching { tree, _index: index, engine, stop, server };
        watching.believe();
        watching
    }

    fn root(&self) -> &Path {
        self.tree.path()
    }

    fn join(&mut self) -> Result<()> {
        self.server.take().unwrap().join().unwrap()
    }

    /// Repeats the request until there is an answer.
    fn sync(&self) -> WatchReport {
        let started = Instant::now();
        loop {
            if let Some(watched) = engine::sync(&self.engine, DEADLINE) {
                return watched;
            }
            let server = self.server.as_ref().unwrap();
            assert!(!server.is_finished(), "the server ended");
            assert!(started.elapsed() < Duration::from_secs(60), "no answer but `degraded`");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns true if a responding server keeps reporting an unknown state.
    fn is_degraded(&self) -> bool {
        (0..20).all(|_| {
            std::thread::sleep(Duration::from_millis(1));
            engine::sync(&self.engine, DEADLINE).is_none()
        })
    }

    /// Waits until the index contains every change.
    fn settle(&self) {
        let started = Instant::now();
        loop {
            let watched = self.sync();
            if watched == (WatchReport { generation: watched.generation, ..WatchReport::default() })
            {
                return;
            }
            assert!(started.elapsed() < Duration::from_secs(60), "{watched:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns the client's view of the tree after comparing it with the tree; `None` if the client
    /// must walk the tree.
    fn believe(&self) -> Option<Belief> {
        let root = DirId(0);
        let environment = self.engine.environment();
        for _ in 0..1000 {
            let watched = self.sync();
            let snapshot = self.engine.snapshot().unwrap().unwrap();
            let table = &snapshot.table;
            let freshened = engine::compare_watched(&snapshot, &watched, root, environment);
            // The server published a generation in the meantime.
            let Some(freshened) = freshened.unwrap() else { continue };
            let Comparison::Diff(view) = freshened else { return None };
            let name = |path: Vec<u8>| String::from_utf8(path).unwrap();
            let all = (0..table.files()).map(FileId);
            let stay = all.filter(|id| view.gone.binary_search(id).is_err());
            let mut files = BTreeSet::new();
            for id in stay {
                let repo_path = table.path(id).unwrap();
                let absolute = self.root().join(path::to_path(&repo_path));
                if view.changed.binary_search(&id).is_err() {
                    let text = fs::read(&absolute).unwrap_or_default();
                    let hash = xxhash_rust::xxh3::xxh3_128(&text);
                    assert_eq!(hash, table.hash(id).unwrap(), "{absolute:?} is stale: {watched:?}");
                }
                files.insert(name(repo_path));
            }
            files.extend(view.added.iter().cloned().map(name));
            let walked = walk::walk(self.engine.root(), environment).unwrap();
            let walked: BTreeSet<String> = walked.files.into_iter().map(name).collect();
            assert_eq!(files, walked, "{watched:?} {view:?}");
            let changed = view.changed.iter().map(|&id| table.path(id).unwrap());
            let to_read: BTreeSet<String> = changed.chain(view.added).map(name).collect();
            self.compare_with_strict(&snapshot, &files, &to_read);
            return Some(Belief { files, to_read });
        }
        panic!("the server publishes without end");
    }

    fn compare_with_strict(
        &self,
        snapshot: &codedb::index::snapshot::Snapshot,
        files: &BTreeSet<String>,
        to_read: &BTreeSet<String>,
    ) {
        let (table, nothing) = (&snapshot.table, Bits::default());
        let strict = engine::compare_tree(snapshot, DirId(0), &nothing, self.engine.environment());
        let Comparison::Diff(strict) = strict.unwrap() else { return };
        let name = |id: FileId| String::from_utf8(table.path(id).unwrap()).unwrap();
        for &id in &strict.changed {
            // The strict check cannot distinguish these; the server observed that they did not
            // change.
            let unsure = table.stamp(id).unwrap() == Stamp::NEVER;
            assert!(unsure || to_read.contains(&name(id)), "{} changed", name(id));
        }
        assert!(strict.gone.iter().all(|&id| !files.contains(&name(id))));
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(server) = self.server.take() {
            let _ = server.join();
        }
    }
}

fn spawn(engine: &Engine, pace: Pace, stop: &Arc<Stop>) -> JoinHandle<Result<()>> {
    let (engine, stop) = (engine.clone(), Arc::clone(stop));
    std::thread::spawn(move || engine::serve(&engine, &pace, &stop))
}

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

const FILES: [&str; 6] = ["top.rs", "a/one.rs", "a/two.rs", "a/b/three.rs", "c/four.rs", "c/d/e/f"];

/// Each edit is visible immediately: without a refresh, exactly `to_read` is read again.
fn check(edit: &dyn Fn(&Path), to_read: &[&str]) {
    let watching = Watching::start(LAZY, &FILES);
    assert_eq!(watching.believe().unwrap().to_read, set(&[]), "before the edit");
    edit(watching.root());
    assert_eq!(watching.believe().unwrap().to_read, set(to_read));
    // The same while the index is refreshed.
    let watching = Watching::start(EAGER, &FILES);
    for _ in 0..3 {
        edit(watching.root());
        watching.believe();
        std::thread::sleep(Duration::from_millis(2));
        watching.believe();
    }
}

fn append(path: &Path, text: &str) {
    let mut file = fs::File::options().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn edits_of_files_are_detected() {
    check(&|root| write(root, "a/one.rs", "a/uno.rs"), &["a/one.rs"]);
    check(&|root| append(&root.join("a/one.rs"), "more"), &["a/one.rs"]);
    check(&|root| write(root, "a/new.rs", "new"), &["a/new.rs"]);
    check(&|root| write(root, "a/.hidden.rs", "new"), &[]);
    check(&|root| drop(fs::remove_file(root.join("a/one.rs"))), &[]);
    let rename_over = |root: &Path| {
        write(root, "a/one.tmp", "replaced");
        fs::rename(root.join("a/one.tmp"), root.join("a/one.rs")).unwrap();
    };
    check(&rename_over, &["a/one.rs"]);
    let link_in_place = |root: &Path| {
        let _ = fs::remove_file(root.join("a/one.rs"));
        symlink("two.rs", root.join("a/one.rs")).unwrap();
    };
    check(&link_in_place, &[]);
    let dir_in_place = |root: &Path| {
        let _ = fs::remove_file(root.join("a/one.rs"));
        write(root, "a/one.rs/inner", "file");
    };
    check(&dir_in_place, &["a/one.rs/inner"]);
}

#[test]
fn writes_through_other_names_of_a_file_are_detected() {
    for pace in [LAZY, EAGER] {
        let (tree, index) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let outside = tree.path().with_extension("outside");
        write(tree.path(), "a.rs", "one");
        fs::hard_link(tree.path().join("a.rs"), &outside).unwrap();
        fs::hard_link(tree.path().join("a.rs"), tree.path().join("b.rs")).unwrap();
        let dir = index.path().join("index");
        let watching = Watching::start_at(pace, &["c.rs"], tree, index, dir);
        for name in [outside.as_path(), &watching.root().join("a.rs")] {
            watching.settle();
            append(name, "two");
            assert_eq!(watching.believe().unwrap().to_read, set(&["a.rs", "b.rs"]));
        }
        fs::remove_file(outside).unwrap();
    }
}

#[test]
fn writes_through_names_made_later_are_detected() {
    let watching = Watching::start(EAGER, &FILES);
    watching.settle();
    let (one, link) = (watching.root().join("a/one.rs"), watching.root().join("c/link.rs"));
    fs::hard_link(&one, &link).unwrap();
    // `a/one.rs` caused no event.
    append(&link, "through the link");
    watching.believe();
    watching.settle();
    append(&link, "again");
    watching.believe();
    // A name that came from elsewhere by a rename.
    watching.settle();
    let outside = watching.root().with_extension("outside");
    fs::hard_link(watching.root().join("c/four.rs"), &outside).unwrap();
    fs::rename(&outside, watching.root().join("a/four-too.rs")).unwrap();
    append(&watching.root().join("a/four-too.rs"), "more");
    watching.believe();
    watching.settle();
    append(&watching.root().join("a/four-too.rs"), "more");
    watching.believe();
}

/// Runs this test again in a mount namespace of its own, where it may mount; returns false if it is
/// that run already, or if the system permits no namespace.
#[cfg(target_os = "linux")]
fn runs_in_namespace(test: &str) -> bool {
    const INSIDE: &str = "CODEDB_TEST_NAMESPACE";
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let unshare = || {
        let mut command = std::process::Command::new("unshare");
        command.args(["--map-root-user", "--mount"]);
        command
    };
    let may = unshare().arg("true").output().is_ok_and(|output| output.status.success());
    if may {
        let own = std::env::current_exe().unwrap();
        let mut run = unshare();
        run.arg(own).args(["--exact", test, "--nocapture"]).env(INSIDE, "1");
        let output = run.output().unwrap();
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{printed}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{printed}");
    }
    false
}

#[cfg(target_os = "linux")]
#[test]
fn mounts_below_the_tree_are_detected() {
    if !runs_in_namespace("watch::mounts_below_the_tree_are_detected") {
        return;
    }
    let run = |command: &str, args: &[&Path]| {
        let mut run = std::process::Command::new(command);
        if command == "mount" {
            run.arg("--bind");
        }
        // A directory that is being read cannot be unmounted until it is closed.
        let last = Instant::now() + Duration::from_secs(20);
        loop {
            let output = run.args(args).output().unwrap();
            let printed = String::from_utf8_lossy(&output.stderr);
            if output.status.success() {
                return;
            }
            assert!(printed.contains("busy") && Instant::now() < last, "{printed}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    const POINTS: [&str; 3] = ["a/b", "a", "empty"];
    for pace in [LAZY, EAGER] {
        let others = POINTS.map(|_| TempDir::new().unwrap());
        for other in &others {
            write(other.path(), "one.rs", "mounted");
            write(other.path(), "in/new.rs", "mounted");
        }
        let watching = Watching::start(pace, &FILES);
        let root = watching.root();
        fs::create_dir(root.join("empty")).unwrap();
        watching.believe();
        for (point, other) in POINTS.into_iter().zip(&others) {
            run("mount", &[other.path(), &root.join(point)]);
            let view = watching.believe();
            let name = format!("{point}/in/new.rs");
            assert!(view.is_none_or(|view| view.files.contains(&name)), "{point}");
            append(&root.join(point).join("one.rs"), "more");
            watching.believe();
        }
        // A file.
        run("mount", &[&others[0].path().join("one.rs"), &root.join("top.rs")]);
        watching.believe();
        for point in ["top.rs", "empty", "a", "a/b"] {
            if pace == EAGER {
                watching.settle();
            }
            run("umount", &[&root.join(point)]);
            let view = watching.believe();
            let name = format!("{point}/in/new.rs");
            assert!(view.is_none_or(|view| !view.files.contains(&name)), "{point}");
        }
        // One directory in two places.
        for point in ["a", "c"] {
            run("mount", &[others[1].path(), &root.join(point)]);
            watching.believe();
        }
        for _ in 0..5 {
            append(&root.join("c/one.rs"), "more");
            watching.believe();
            append(&root.join("a/in/new.rs"), "more");
            watching.believe();
        }
        for point in ["a", "c"] {
            run("umount", &[&root.join(point)]);
            watching.believe();
        }
    }
}

#[test]
fn edits_of_directories_are_detected() {
    let new_dirs = |root: &Path| {
        write(root, "x/one", "1");
        write(root, "x/y/z/two", "2");
        write(root, "x/y/z/two", "2 again");
    };
    check(&new_dirs, &["x/one", "x/y/z/two"]);
    let rename = |root: &Path| {
        let (from, to) = (root.join("a"), root.join("moved"));
        let (from, to) = if from.exists() { (from, to) } else { (to, from) };
        fs::rename(&from, &to).unwrap();
        append(&to.join("b/three.rs"), "more");
    };
    check(&rename, &["moved/b/three.rs", "moved/one.rs", "moved/two.rs"]);
    let swap = |root: &Path| {
        for (from, to) in [("a", "t"), ("c", "a"), ("t", "c")] {
            fs::rename(root.join(from), root.join(to)).unwrap();
        }
    };
    check(&swap, &["a/d/e/f", "a/four.rs", "c/b/three.rs", "c/one.rs", "c/two.rs"]);
    let remake = |root: &Path| {
        fs::remove_dir_all(root.join("a")).unwrap();
        write(root, "a/one.rs", "anew");
        write(root, "a/b/three.rs", "anew");
        append(&root.join("a/b/three.rs"), "more");
    };
    check(&remake, &["a/b/three.rs", "a/one.rs"]);
    let link_in_place = |root: &Path| {
        let _ = fs::rename(root.join("a"), root.join("real"));
        let _ = symlink("real", root.join("a"));
    };
    check(&link_in_place, &["real/b/three.rs", "real/one.rs", "real/two.rs"]);
    // The files below the link have another path there.
    let link_with_the_same_below = |root: &Path| {
        write(root, "e/b/new.rs", "not below `a`");
        let _ = fs::rename(root.join("a"), root.join("real"));
        let _ = symlink("e", root.join("a"));
    };
    check(
        &link_with_the_same_below,
        &["e/b/new.rs", "real/b/three.rs", "real/one.rs", "real/two.rs"],
    );
    check(&|root| drop(fs::remove_dir_all(root.join("c"))), &[]);
}

#[test]
fn changed_rules_degrade_until_they_are_indexed() {
    let edits: [(&str, &str); 4] =
        [(".ignore", "one.rs"), ("a/.gitignore", "*"), (".git/HEAD", ""), ("c/d/.rgignore", "e")];
    for (file, text) in edits {
        let watching = Watching::start(LAZY, &FILES);
        write(watching.root(), file, text);
        assert!(watching.is_degraded(), "{file}");
        let watching = Watching::start(EAGER, &FILES);
        write(watching.root(), file, text);
        let before = watching.believe();
        write(watching.root(), file, "");
        let after = watching.believe();
        assert_ne!(before.map(|belief| belief.files.is_empty()), Some(true), "{after:?}");
    }
    // Rules outside of the watched directories are compared.
    let watching = Watching::start(LAZY, &[".git/info/exclude", "x"]);
    fs::write(watching.root().join(".git/info/exclude"), "x").unwrap();
    assert!(watching.is_degraded());
}

/// 3 rounds of 300 directories, or 50 rounds of 1,000 with `CODEDB_LONG`: created in a tight loop,
/// compared immediately with a walk and a metadata sweep, and once more when the index contains
/// them.
#[test]
fn directories_made_in_a_tight_loop_are_detected() {
    let is_long = std::env::var_os("CODEDB_LONG").is_some();
    let (rounds, chains, depth) = if is_long { (50, 20, 50) } else { (3, 6, 50) };
    for pace in [LAZY, EAGER] {
        let watching = Watching::start(pace, &FILES);
        let mut compared = 0;
        for round in 0..rounds {
            let top = format!("round{}", round % 3);
            let _ = fs::remove_dir_all(watching.root().join(&top));
            for chain in 0..chains {
                let mut dir = watching.root().join(&top).join(chain.to_string());
                for depth in 0..depth {
                    fs::create_dir_all(&dir).unwrap();
                    fs::write(dir.join("file"), format!("{round} {chain} {depth}")).unwrap();
                    dir.push("n");
                }
            }
            if let Some(belief) = watching.believe() {
                assert!(belief.files.len() >= chains * depth);
                compared += 1;
            }
            if pace == EAGER {
                watching.settle();
                let settled = watching.believe().expect("the index has everything");
                assert!(settled.to_read.is_empty(), "{:?}", settled.to_read);
            }
        }
        // During refreshes, a client with too many changed directories walks the tree instead.
        assert!(compared == rounds || pace == EAGER, "{compared} of {rounds} rounds compared");
    }
}

/// After a swap, each watch must refer to the current path of its directory.
#[test]
fn swapped_directories_are_watched_at_their_new_paths() {
    for with_rule in [false, true] {
        let files = ["a/x/y/f", "c/x/y/f", "c/x/g"];
        let watching = Watching::start(EAGER, &files);
        for (from, to) in [("a", "t"), ("c", "a"), ("t", "c")] {
            fs::rename(watching.root().join(from), watching.root().join(to)).unwrap();
        }
        if with_rule {
            write(watching.root(), ".ignore", "none");
        }
        for file in ["a/x/y/f", "c/x/y/f", "a/x/g"] {
            watching.settle();
            append(&watching.root().join(file), "more");
            assert!(watching.believe().is_some_and(|belief| belief.files.contains(file)));
        }
    }
}

/// The last of many writes often happens between the read of a refresh and its end.
#[test]
fn files_written_during_a_refresh_are_detected() {
    let watching = Watching::start(EAGER, &FILES);
    for i in 0..if std::env::var_os("CODEDB_LONG").is_some() { 200 } else { 15 } {
        for text in 0..i % 20 + 2 {
            write(watching.root(), &format!("a/new{i}"), &format!("{text:05}"));
            std::thread::sleep(Duration::from_micros(700));
        }
        watching.believe();
        watching.settle();
        watching.believe();
    }
}

/// Random batches of edits, each compared while the index is refreshed continuously.
#[test]
fn random_edits_are_detected() {
    let long = std::env::var_os("CODEDB_LONG").is_some();
    let mut views = 0;
    for seed in 0..if long { 40 } else { 4 } {
        let watching = Watching::start(if seed % 4 == 3 { LAZY } else { EAGER }, &FILES);
        let mut random = Random(seed * 7919 + 1);
        for _ in 0..25 {
            for _ in 0..=random.below(6) {
                random_edit(watching.root(), &mut random, seed % 4 != 3);
            }
            if random.below(4) == 0 {
                std::thread::sleep(Duration::from_millis(random.below(5)));
            }
            views += u32::from(watching.believe().is_some());
        }
    }
    assert!(views > 20, "{views}");
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % bound
    }
}

fn random_edit(root: &Path, random: &mut Random, with_rules: bool) {
    let names = ["a", "b", "c", "d"];
    let mut place = |depth: u64| {
        let mut path = root.to_path_buf();
        (0..=random.below(depth)).for_each(|_| path.push(names[random.below(4) as usize]));
        path
    };
    let (path, other) = (place(4), place(3));
    // An operation that fails because of an existing or missing path is not an edit.
    match random.below(if with_rules { 45 } else { 44 }) / 4 {
        0..=2 => {
            let _ = fs::create_dir_all(path.parent().unwrap());
            let _ = fs::write(&path, random.below(u64::MAX).to_string());
        }
        3 => drop(fs::create_dir_all(&path)),
        4..=6 => drop(fs::rename(&path, &other)),
        7 => drop(fs::remove_file(&path)),
        8 => drop(fs::remove_dir_all(&path)),
        9 => drop(symlink("a", &path)),
        10 => drop(fs::set_permissions(&path, fs::Permissions::from_mode(0o755))),
        _ => drop(fs::write(root.join(".ignore"), names[random.below(4) as usize])),
    }
}

#[test]
fn a_generation_of_another_process_is_adopted() {
    let watching = Watching::start(EAGER, &FILES);
    for round in 0..5 {
        write(watching.root(), "a/one.rs", &format!("round {round}"));
        match engine::build(&watching.engine, &Progress::default()) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), Kind::Busy),
        }
        write(watching.root(), "a/two.rs", &format!("round {round}"));
        watching.believe().unwrap();
    }
}

#[test]
fn there_is_one_server_and_it_stops_on_request() {
    let mut watching = Watching::start(EAGER, &FILES);
    let second = engine::serve(&watching.engine, &LAZY, &Stop::new().unwrap());
    assert_eq!(second.unwrap_err().kind(), Kind::Busy);
    let socket = watching.engine.store().dir().join("watch.sock");
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    watching.stop.stop();
    let started = Instant::now();
    watching.join().unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(!socket.exists());
    assert_eq!(engine::sync(&watching.engine, DEADLINE), None);
    // A server that was killed leaves a socket without a listener.
    drop(UnixListener::bind(&socket).unwrap());
    let started = Instant::now();
    assert_eq!(engine::sync(&watching.engine, DEADLINE), None);
    assert!(started.elapsed() < DEADLINE);
    watching.stop = Arc::new(Stop::new().unwrap());
    watching.server = Some(spawn(&watching.engine, EAGER, &watching.stop));
    watching.believe().unwrap();
}

#[test]
fn a_removed_tree_or_index_stops_the_server() {
    let mut watching = Watching::start(LAZY, &FILES);
    fs::remove_dir_all(watching.engine.store().dir()).unwrap();
    assert_eq!(watching.join().unwrap_err().kind(), Kind::NotFound);

    let parent = TempDir::new().unwrap();
    let tree = TempDir::new_in(parent.path()).unwrap();
    let (index, root) = (TempDir::new().unwrap(), tree.path().to_path_buf());
    let dir = index.path().join("index");
    let mut watching = Watching::start_at(LAZY, &FILES, tree, index, dir);
    fs::rename(&root, parent.path().join("moved")).unwrap();
    fs::create_dir(&root).unwrap();
    assert_eq!(watching.join().unwrap_err().kind(), Kind::NotFound);
}

#[test]
fn a_directory_above_the_root_may_be_renamed() {
    let parent = TempDir::new().unwrap();
    fs::create_dir(parent.path().join("above")).unwrap();
    let tree = TempDir::new_in(parent.path().join("above")).unwrap();
    let (index, root) = (TempDir::new().unwrap(), tree.path().to_path_buf());
    let dir = index.path().join("index");
    let mut watching = Watching::start_at(LAZY, &FILES, tree, index, dir);
    fs::rename(parent.path().join("above"), parent.path().join("moved")).unwrap();
    fs::create_dir_all(&root).unwrap();
    assert_eq!(engine::sync(&watching.engine, DEADLINE), None);
    assert_eq!(watching.join().unwrap_err().kind(), Kind::NotFound);
}

#[test]
fn an_index_inside_the_tree_does_not_keep_the_server_busy() {
    for name in [".index", "index"] {
        let (tree, index) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let dir = tree.path().join(name);
        let watching = Watching::start_at(EAGER, &FILES, tree, index, dir);
        // After the start, many requests must not cause a new generation.
        std::thread::sleep(Duration::from_millis(300));
        let generation = watching.sync().generation;
        let started = Instant::now();
        while started.elapsed() < Duration::from_millis(300) {
            assert_eq!(watching.sync().generation, generation, "{name}");
        }
        write(watching.root(), "a/one.rs", "edited");
        if name == ".index" {
            watching.believe().unwrap();
        }
    }
}

#[test]
fn a_long_path_has_a_socket() {
    let (tree, index) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let dir = index.path().join("long".repeat(50));
    if cfg!(target_os = "linux") {
        let watching = Watching::start_at(LAZY, &FILES, tree, index, dir);
        assert_eq!(watching.believe().unwrap().files, set(&FILES));
    }
}

#[test]
fn invalid_data_closes_only_its_connection() {
    let watching = Watching::start(LAZY, &FILES);
    let socket = watching.engine.store().dir().join("watch.sock");
    let mut random = Random(5);
    let mut greeting = b"codedbW\x01\0\0\0\0".to_vec();
    for round in 0..200 {
        let mut stream = UnixStream::connect(&socket).unwrap();
        let mut bytes: Vec<u8> = (0..random.below(100)).map(|_| random.below(256) as u8).collect();
        if round % 2 == 0 {
            greeting.truncate(12);
            greeting.append(&mut bytes);
            bytes.clone_from(&greeting);
        }
        let _ = stream.write_all(&bytes);
        if bytes.len() >= 64 {
            // The message is longer than any valid one: the server closes the connection, after at
            // most a greeting.
            stream.set_read_timeout(Some(DEADLINE)).unwrap();
            let mut reply = Vec::new();
            let _ = stream.read_to_end(&mut reply);
            assert!(reply.len() <= 12, "{reply:?}");
        }
    }
    // Silent connections, however many, do not end the server either.
    let silent: Vec<UnixStream> = (0..200).map(|_| UnixStream::connect(&socket).unwrap()).collect();
    assert_eq!(watching.believe().unwrap().files, set(&FILES));
    drop(silent);
}

#[test]
fn another_kind_of_server_is_not_used() {
    let dir = TempDir::new().unwrap();
    let environment = Environment { global_excludes: None, threads: 2 };
    let root = dir.path().canonicalize().unwrap();
    let (device, inode) = watch::identity(&root).unwrap();
    let root_identity = [device.to_le_bytes(), inode.to_le_bytes()].concat();
    let engine = Engine::new(root, Store::new(dir.path().to_path_buf(), false), environment);
    let listener = UnixListener::bind(dir.path().join("watch.sock")).unwrap();
    let greeting = || {
        let mut greeting = b"codedbW\x02".to_vec();
        greeting.extend_from_slice(&codedb::index::format::VERSION.to_le_bytes());
        greeting
    };
    let replies: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(),
        [greeting(), vec![255; 4]].concat(),
        [greeting(), vec![4, 0, 0, 0, 1, 0, 0, 0]].concat(),
        [greeting(), vec![29, 0, 0, 0, 1], root_identity.clone(), vec![0; 8], vec![255; 4]]
            .concat(),
        [greeting(), vec![1, 0]].concat(),
        // Everything matches except the tree.
        [greeting(), vec![37, 0, 0, 0, 1], vec![9; 16], vec![0; 20]].concat(),
    ];
    for (i, reply) in replies.into_iter().enumerate() {
        let started = Instant::now();
        let client = std::thread::spawn({
            let engine = engine.clone();
            move || engine::sync(&engine, Duration::from_millis(100))
        });
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(&reply);
        // The server stays silent from here on, and the client does not wait for it.
        assert_eq!(client.join().unwrap(), None, "{i}");
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}
