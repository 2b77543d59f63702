//! Nodes of a fleet: zoekt's own programs, where `CODEDB_ZOEKT` names their directory.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::place::{Answer, Place};
use super::process::TIMEOUT;
use super::skipped;

/// The variable that names the directory of `zoekt-git-index` and `zoekt-webserver`.
const DIRECTORY: &str = "CODEDB_ZOEKT";

/// zoekt's programs.
pub(crate) struct Zoekt(PathBuf);

/// A running node. It is killed when this value is dropped.
pub(crate) struct Node {
    address: String,
    process: Child,
}

impl Zoekt {
    /// Returns the programs; without them, reports the running test as skipped.
    pub(crate) fn find() -> Option<Zoekt> {
        let directory = std::env::var_os(DIRECTORY).map(PathBuf::from);
        let found = directory.filter(|path| path.join("zoekt-webserver").is_file());
        if found.is_none() {
            skipped::report(&format!("{DIRECTORY} names no directory with zoekt's programs"));
        }
        found.map(Zoekt)
    }

    /// Indexes a repository into the shards of `index`.
    pub(crate) fn index(&self, repository: &Path, index: &Path) {
        fs::create_dir_all(index).expect("a directory");
        let mut command = Command::new(self.0.join("zoekt-git-index"));
        command.args(["-disable_ctags", "-index"]).arg(index).arg(repository);
        Answer::of(command).expect_success();
    }

    /// Starts a node over the shards of `index`, and waits until it listens.
    pub(crate) fn serve(&self, index: &Path) -> Node {
        fs::create_dir_all(index).expect("a directory");
        let started = Instant::now();
        loop {
            let port = free_port();
            let address = format!("127.0.0.1:{port}");
            let mut command = Command::new(self.0.join("zoekt-webserver"));
            command.args(["-rpc", "-listen", &address, "-index"]).arg(index);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut node = Node { address, process: command.spawn().expect("a process") };
            // It ends at once if another process got the port.
            while node.process.try_wait().expect("a child").is_none() {
                if TcpStream::connect(&node.address).is_ok() {
                    return node;
                }
                assert!(started.elapsed() < TIMEOUT, "the node does not listen");
                thread::sleep(Duration::from_millis(10));
            }
            assert!(started.elapsed() < TIMEOUT, "the node does not start");
        }
    }
}

impl Node {
    /// Returns the address for the configuration.
    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ends the node without a word to its clients.
    pub(crate) fn kill(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        self.process.wait().expect("a child");
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a port that was free a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("bound").port()
}

/// Makes a repository of `files` beside the tree, or adds a commit with them to it; returns its directory.
/// zoekt names it by its directory.
pub(crate) fn repository(place: &Place, name: &str, files: &[(&[u8], &str)]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    let root = place.base().join("repositories").join(name);
    let at = root.to_str().expect("UTF-8").to_owned();
    let git = |args: &[&str]| place.git(&[&["-C", &at], args].concat());
    if !root.exists() {
        fs::create_dir_all(&root).expect("a directory");
        git(&["init", "-q", "-b", "main"]);
    }
    for (path, text) in files {
        let path = root.join(std::ffi::OsStr::from_bytes(path));
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "A commit"]);
    root
}
