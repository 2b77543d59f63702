//! Clones remote repositories: the newest commit of a branch, for its sources alone.
//!
//! Only this module and `mirror` use the network. A model may request a clone because a
//! text that it read contains the address. The address is therefore parsed here, and only plain
//! addresses are passed on: https and ssh, without credentials, and nothing that git could take for
//! an option. Git is given the same restrictions. Nothing of the repository runs: no hooks,
//! templates or filters; no submodule is fetched, and no password prompt appears.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use url::Url;

use super::{Git, Invocation};
use crate::base::text;
use crate::error::{Error, Kind, Result};

/// The time limit of each step of a clone.
const CLONE_PATIENCE: Duration = Duration::from_secs(180);

/// The maximum length of an address in bytes.
const URL_BYTES_MAX: usize = 1000;

/// The maximum number of directories in the path of a clone; of a longer path, the last ones are
/// used.
const FOLDERS_MAX: usize = 4;

/// A file that exists while an update changes files: the work tree may be a mix of two commits.
const UNFINISHED: &str = ".git/codedb-unfinished";

/// The protocols that are allowed.
pub(super) const PROTOCOLS: &str = "https:ssh";

/// Overrides of user settings that would prompt for a password, send credentials to other hosts,
/// leave a process running, or fetch more.
const SETTINGS: &[&str] = &[
    "core.askPass=",
    "credential.helper=",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "http.cookieFile=",
    "http.extraHeader=",
    "http.followRedirects=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "transfer.bundleURI=false",
];

/// Returns true if the caller has cancelled the operation.
type IsCancelled<'a> = &'a dyn Fn() -> bool;

/// The validated address of a remote repository.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Remote {
    url: String,
    protocols: &'static str,
    folders: Vec<String>,
}

impl Remote {
    /// Parses an address: `https://…`, `ssh://…`, or `user@host:path`, which is short for the
    /// latter.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] with the reason for every other address. The message does not repeat the
    /// address, which may contain a password.
    pub fn parse(given: &str) -> Result<Remote> {
        let refused = |why: &str| {
            Error::usage(format!("cannot clone `url`: {why}"))
                .with_hint("use an address such as `https://example.org/owner/name`")
        };
        if given.is_empty() || given.len() > URL_BYTES_MAX {
            return Err(refused(&format!("its length is not 1 to {URL_BYTES_MAX} bytes")));
        }
        if !given.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refused(
                "it contains a space, a control character or a non-ASCII character",
            ));
        }
        if given.starts_with('-') {
            return Err(refused("it begins with `-`"));
        }
        let address = match given.split_once("://") {
            Some(("https" | "ssh", _)) => given.to_owned(),
            Some(_) => return Err(refused("its protocol is neither https nor ssh")),
            None => short_form(given).ok_or_else(|| refused("it is not an address"))?,
        };
        let url = Url::parse(&address).map_err(|error| refused(&error.to_string()))?;
        let user = url.username();
        if url.password().is_some() || url.scheme() == "https" && !user.is_empty() {
            return Err(refused("it contains credentials"));
        }
        if !user.is_empty() && !is_name(user) {
            return Err(refused("its user is not a plain name"));
        }
        let name = url.host_str().filter(|name| is_name(name));
        let name = name.ok_or_else(|| refused("its host is not a plain name"))?;
        // Git must receive exactly the address that was checked here.
        if !url.as_str().eq_ignore_ascii_case(&address) {
            return Err(refused("it is not in normal form"));
        }
        let path = url.path().strip_prefix('/').ok_or_else(|| refused("it has no path"))?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._~+@%,-".contains(&byte);
        if !path.bytes().all(is_plain) || url.query().is_some() || url.fragment().is_some() {
            return Err(refused("its path consists of more than names"));
        }
        let path = path.trim_end_matches('/');
        let names: Vec<&str> = path.split('/').collect();
        if names.iter().any(|name| matches!(*name, "" | "." | "..")) {
            return Err(refused("its path has an empty name, `.` or `..`"));
        }
        let plain = names.iter().map(|name| folder(name));
        let mut folders: Vec<String> = std::iter::once(folder(name)).chain(plain).collect();
        folders.drain(..folders.len().saturating_sub(FOLDERS_MAX));
        let url = url.as_str().trim_end_matches('/').to_owned();
        Ok(Remote { url, protocols: PROTOCOLS, folders })
    }

    /// Returns the address of a repository in a local directory, for tests: [`Remote::parse`]
    /// refuses such addresses.
    pub fn local(folder: &Path) -> Remote {
        let url = format!("file://{}", folder.display());
        Remote { url, protocols: "file", folders: vec!["local".to_owned()] }
    }

    /// Returns the address in the form in which git receives it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the relative path of a clone, named after host and path. Two addresses may have the
    /// same path.
    pub fn folders(&self) -> PathBuf {
        self.folders.iter().collect()
    }

    /// Clones the newest commit of the default branch into the directory `dir`, which is created;
    /// its parent must exist. On failure, partial data stays there.
    ///
    /// # Errors
    ///
    /// If git fails or `is_cancelled` returns true; [`Kind::Limit`] if the time limit is exceeded;
    /// [`Kind::NotFound`] if git is not installed or the repository has no commit.
    pub fn copy_to(&self, dir: &Path, is_cancelled: IsCancelled<'_>) -> Result<()> {
        let parent = dir.parent().unwrap_or(dir);
        let args = clone_args(&self.url, dir);
        self.refuse_certificates(parent)?;
        self.git(parent).run_until(&self.settings(), "clone", &args, is_cancelled)?;
        let attributes = dir.join(".git/info/attributes");
        let write = || {
            std::fs::create_dir_all(dir.join(".git/info"))?;
            // Attributes in the repository can select programs of the user's configuration.
            std::fs::write(&attributes, "* -filter -ident\n")
        };
        write().map_err(|error| Error::io(&attributes, error))?;
        self.check_out_in(dir, "HEAD", is_cancelled)
    }

    /// Updates a clone in `dir` to the newest commit.
    ///
    /// # Errors
    ///
    /// As [`Remote::copy_to`].
    pub fn update(&self, dir: &Path, is_cancelled: IsCancelled<'_>) -> Result<()> {
        let args = fetch_args(&self.url);
        self.refuse_certificates(dir)?;
        self.git(dir).run_until(&self.settings(), "fetch", &args, is_cancelled)?;
        let unfinished = dir.join(UNFINISHED);
        std::fs::write(&unfinished, b"").map_err(|error| Error::io(&unfinished, error))?;
        self.check_out_in(dir, "FETCH_HEAD", is_cancelled)?;
        std::fs::remove_file(&unfinished).map_err(|error| Error::io(&unfinished, error))
    }

    /// Returns true if an update of the clone in `dir` was interrupted while it changed files.
    pub fn is_unfinished(dir: &Path) -> bool {
        dir.join(UNFINISHED).exists()
    }

    fn check_out_in(&self, dir: &Path, commit: &str, is_cancelled: IsCancelled<'_>) -> Result<()> {
        let git = Git::at(dir, CLONE_PATIENCE);
        let Some(commit) = git.commit(commit)? else {
            return Err(Error::new(Kind::NotFound, "the repository has no commit"));
        };
        // An interrupted run leaves the lock file; no other process uses this directory.
        drop(std::fs::remove_file(dir.join(".git/index.lock")));
        let args = ["--quiet", "--force", "--detach", &commit].map(OsString::from);
        git.run_until(&self.settings(), "checkout", &args, is_cancelled)
    }

    /// Fails if git is configured to present a client certificate to the host. The setting cannot
    /// be overridden, because git takes an empty value as the name of a file and fails to read it.
    fn refuse_certificates(&self, dir: &Path) -> Result<()> {
        let output = Git::at(dir, CLONE_PATIENCE)
            .run("config", &["--get-urlmatch", "http.sslCert", &self.url])?;
        if output.answer.trim_ascii().is_empty() {
            Ok(())
        } else {
            Err(Error::usage("git is configured to send a client certificate to this host")
                .with_hint("clone it yourself and pass its directory as `path`"))
        }
    }

    fn settings(&self) -> Vec<OsString> {
        // Credential helpers can be set for all addresses and for single ones; the most specific
        // setting wins.
        let helper = format!("credential.{}.helper=", self.url);
        SETTINGS.iter().copied().map(OsString::from).chain([helper.into()]).collect()
    }

    fn git(&self, root: &Path) -> Git {
        Git { protocols: self.protocols, ..Git::at(root, CLONE_PATIENCE) }
    }
}

impl Git {
    /// Runs git until it exits or `is_cancelled` returns true.
    fn run_until(
        &self,
        settings: &[OsString],
        command: &str,
        args: &[OsString],
        is_cancelled: IsCancelled<'_>,
    ) -> Result<()> {
        // A fast git exits before the first check.
        if is_cancelled() {
            return Err(Error::new(Kind::Cancelled, "the call was cancelled"));
        }
        let invocation = Invocation { command, args, settings, uses_rule_files: false, input: &[] };
        // Its output is not used.
        let exit = self.drive(&invocation, self.limits(None, is_cancelled), &mut |_| true);
        let exit = exit.map_err(|error| match error.kind() {
            Kind::Limit => error.with_hint("clone it yourself and pass its directory as `path`"),
            _ => error,
        })?;
        match exit.code {
            Some(0) => Ok(()),
            _ => {
                let stderr = text::plain(&exit.stderr);
                Err(Error::new(Kind::Io, format!("`git {command}` failed: {stderr}")))
            }
        }
    }
}

/// Configures a git command that uses the network so that it never prompts.
pub(super) fn reach(git: &mut Command) {
    git.env_remove("GIT_SSL_CERT")
        .env("GIT_ASKPASS", "")
        .env("SSH_ASKPASS", "")
        .env("SSH_ASKPASS_REQUIRE", "never")
        .env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oConnectTimeout=20 -oServerAliveInterval=20")
        .env_remove("GIT_SSH_VARIANT");
    // The programs that git starts are killed together with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(git, 0);
}

fn clone_args(url: &str, dir: &Path) -> Vec<OsString> {
    let flags = [
        "--quiet",
        "--depth=1",
        "--single-branch",
        "--no-tags",
        "--no-checkout",
        "--no-recurse-submodules",
        "--template=",
        "--",
        url,
    ];
    flags.iter().map(OsString::from).chain([dir.as_os_str().to_owned()]).collect()
}

fn fetch_args(url: &str) -> Vec<OsString> {
    let flags = [
        "--quiet",
        "--depth=1",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-commit-graph",
        "--force",
        "--",
        url,
        "HEAD",
    ];
    flags.iter().map(OsString::from).collect()
}

/// Returns `user@host:path` in the form `ssh://user@host/path`.
fn short_form(given: &str) -> Option<String> {
    let (host, path) = given.split_once(':')?;
    let is_short = host.contains('@') && !host.contains('/') && !path.starts_with(':');
    is_short.then(|| format!("ssh://{host}/{}", path.trim_start_matches('/')))
}

/// Returns true for a name of letters, digits, `.`, `_` and `-` that does not begin with `-`.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !name.is_empty() && !name.starts_with('-') && name.bytes().all(is_plain)
}

/// Returns a path component as the name of a directory: plain characters, visible, without `.git`.
fn folder(name: &str) -> String {
    let name = name.strip_suffix(".git").filter(|name| !name.is_empty()).unwrap_or(name);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).take(80).collect();
    if plain.starts_with(['.', '-']) { format!("_{plain}") } else { plain }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;
    #[cfg(unix)]
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    use super::*;

    #[test]
    fn plain_addresses_are_accepted() {
        let check = |given: &str, url: &str, folders: &str| {
            let remote = Remote::parse(given).unwrap_or_else(|error| panic!("{given}: {error}"));
            assert_eq!((remote.url(), remote.folders()), (url, PathBuf::from(folders)), "{given}");
        };
        let flask = "https://example.org/pallets/flask";
        check(flask, flask, "example.org/pallets/flask");
        check(
            "https://example.org/pallets/flask.git/",
            &format!("{flask}.git"),
            "example.org/pallets/flask",
        );
        check("ssh://git@example.org:22/a/b", "ssh://git@example.org:22/a/b", "example.org/a/b");
        check("git@example.org:a/b.git", "ssh://git@example.org/a/b.git", "example.org/a/b");
        check("https://Example.org/A/b", "https://example.org/A/b", "example.org/A/b");
        check("https://a.org/1/2/3/4/5", "https://a.org/1/2/3/4/5", "2/3/4/5");
        check("https://a.org/~me/.hidden", "https://a.org/~me/.hidden", "a.org/_me/_.hidden");
    }

    #[test]
    fn other_addresses_are_refused_and_passwords_not_repeated() {
        for given in [
            "",
            "-u",
            "--upload-pack=touch x",
            "--upload-pack=x",
            "ext::sh -c x",
            "ext::sh",
            "fd::7",
            "file:///etc",
            "/etc",
            "../other",
            "http://example.org/a",
            "git://example.org/a",
            "ftp://example.org/a",
            "HTTPS://example.org/a",
            "https://",
            "https://example.org",
            "https://example.org/",
            "https://example.org//a",
            "https://example.org/a/../b",
            "https://example.org/a b",
            "https://example.org/a\nb",
            "https://example.org/a\u{1b}[2J",
            "https://exämple.org/a",
            "https://example.org/a?token=secret",
            "https://example.org/a#secret",
            "https://me:secret@example.org/a",
            "https://secret@example.org/a",
            "ssh://me:secret@example.org/a",
            "ssh://-oProxyCommand=x/a",
            "ssh://a@-oProxyCommand=x/a",
            "ssh://-a@example.org/a",
            "ssh://example.org:port/a",
            "-a@example.org:b",
            "a@-example.org:b",
            "example.org:a",
            "a@b::c",
            "ssh://example.org/a`b`",
            "ssh://example.org/$(b)",
            "https://example.org/a=b",
            "https://example.org/a:b",
            "https://example.org/a/%2e%2E/b",
            "https:///example.org/a",
            "https:example.org/a",
            "https://example.org\\a/b",
            "https://@example.org/a",
            "https://:@example.org/a",
            "https://example.org:+443/a",
            "https://0x7f.1/a",
            "ssh://example.org:0022/a",
            "ssh://[::1]/a",
            &format!("https://example.org/{}", "a".repeat(URL_BYTES_MAX)),
        ] {
            let error = Remote::parse(given).expect_err(given);
            assert_eq!(error.kind(), Kind::Usage, "{given}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn an_address_is_never_an_option_of_git() {
        let args = clone_args("https://a.org/b", Path::new("/c"));
        let at = args.iter().position(|arg| arg == "--").expect("it ends the options");
        assert_eq!(args[at + 1..], [OsString::from("https://a.org/b"), OsString::from("/c")]);
        let args = fetch_args("https://a.org/b");
        let at = args.iter().position(|arg| arg == "--").expect("it ends the options");
        assert_eq!(args[at + 1..], [OsString::from("https://a.org/b"), OsString::from("HEAD")]);
    }

    fn git(dir: &Path, args: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args);
        git.current_dir(dir).env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR");
        assert!(git.output().expect("git runs").status.success(), "{args:?}");
    }

    #[test]
    fn a_clone_has_the_newest_commit_and_runs_nothing() {
        let place = tempfile::tempdir().expect("a folder");
        let base = place.path().canonicalize().expect("it is there");
        let origin = base.join("origin");
        std::fs::create_dir(&origin).expect("a folder");
        git(&origin, &["init", "-q", "-b", "main"]);
        let write = |text: &str| std::fs::write(origin.join("a.rs"), text).expect("a file");
        write("fn old() {}\n");
        std::fs::write(origin.join(".gitattributes"), "* filter=evil\n").expect("a file");
        git(&origin, &["add", "."]);
        git(&origin, &["commit", "-q", "-m", "one"]);
        write("fn new() {}\n");
        git(&origin, &["commit", "-q", "-a", "-m", "two"]);

        let (remote, copy) = (Remote::local(&origin), base.join("copy"));
        remote.copy_to(&copy, &|| false).expect("it is copied");
        let read = || std::fs::read_to_string(copy.join("a.rs")).expect("it is there");
        assert_eq!(read(), "fn new() {}\n");
        assert!(!copy.join(".git/hooks").exists(), "no template");
        let attributes = std::fs::read_to_string(copy.join(".git/info/attributes"));
        assert_eq!(attributes.expect("it is there"), "* -filter -ident\n");
        let commits = Git::open(&copy).expect("a work tree").recent(9).expect("a log");
        assert_eq!(commits.len(), 1, "shallow");

        write("fn newer() {}\n");
        git(&origin, &["commit", "-q", "-a", "-m", "three"]);
        remote.update(&copy, &|| false).expect("it is fetched");
        assert_eq!(read(), "fn newer() {}\n");

        let error = remote.copy_to(&base.join("none"), &|| true).expect_err("nobody waits");
        assert_eq!(error.kind(), Kind::Cancelled, "{error}");
        let empty = base.join("empty");
        std::fs::create_dir(&empty).expect("a folder");
        git(&empty, &["init", "-q"]);
        let copied = Remote::local(&empty).copy_to(&base.join("of_empty"), &|| false);
        assert_eq!(copied.expect_err("it has no commit").kind(), Kind::NotFound);
        // Git itself refuses a protocol that is not allowed.
        let forbidden = Remote { protocols: PROTOCOLS, ..Remote::local(&origin) };
        let error = forbidden.copy_to(&base.join("no"), &|| false).expect_err("not allowed");
        assert!(error.to_string().contains("'file' not allowed"), "{error}");
    }

    /// Starts a server on the loopback that handles each connection with `answer`. Returns its
    /// address; plain HTTP is allowed only in tests.
    fn server(answer: impl Fn(TcpStream) + Send + 'static) -> Remote {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/a/b", listener.local_addr().expect("an address"));
        std::thread::spawn(move || listener.incoming().flatten().for_each(answer));
        Remote { url, protocols: "http", folders: Vec::new() }
    }

    #[test]
    fn git_never_prompts_for_a_password() {
        let place = tempfile::tempdir().expect("a folder");
        let refuses = server(|mut stream| {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\
                  Content-Length: 0\r\nConnection: close\r\n\r\n",
            );
        });
        let error = refuses.copy_to(&place.path().join("copy"), &|| false).expect_err("refused");
        assert!(error.to_string().contains("terminal prompts disabled"), "{error}");
    }

    /// Clones `remote` from a server. Returns the first bytes that the server receives, and the
    /// error of the clone.
    fn bytes_received(
        remote: impl Fn(Remote) -> Remote,
        settings: &[(&str, &str)],
    ) -> (Vec<u8>, String) {
        let place = tempfile::tempdir().expect("a folder");
        let (sender, received) = std::sync::mpsc::channel();
        let remote = remote(server(move |mut stream| {
            let mut bytes = vec![0; 3];
            let got = stream.read(&mut bytes).unwrap_or(0);
            bytes.truncate(got);
            let _ = sender.send(bytes);
        }));
        // The clone is inside another repository, which has its own settings.
        git(place.path(), &["init", "-q"]);
        for (name, value) in settings {
            git(place.path(), &["config", name, value]);
        }
        let error = remote.copy_to(&place.path().join("copy"), &|| false).expect_err("no TLS");
        (received.recv_timeout(Duration::from_millis(100)).unwrap_or_default(), error.to_string())
    }

    #[test]
    fn https_uses_tls_without_a_client_certificate() {
        let https = |of: Remote| Remote {
            url: of.url.replace("http:", "https:"),
            protocols: PROTOCOLS,
            ..of
        };
        // The first bytes of a TLS handshake record.
        let (received, error) = bytes_received(https, &[]);
        assert_eq!(received.get(..2), Some(&[22, 3][..]), "{error}");
        // If git would present a client certificate, it does not connect at all.
        let (received, error) = bytes_received(https, &[("http.sslCert", "/nowhere/mine.pem")]);
        assert!(received.is_empty() && error.contains("client certificate"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_cancelled_clone_kills_all_its_processes() {
        let place = tempfile::tempdir().expect("a folder");
        let (sender, ended) = std::sync::mpsc::channel();
        let is_connected = Arc::new(AtomicBool::new(false));
        let connected = Arc::clone(&is_connected);
        let silent = server(move |mut stream| {
            connected.store(true, Ordering::Release);
            // Returns when the client process ends and its connection is closed.
            let mut request = Vec::new();
            let _ = stream.read_to_end(&mut request);
            let _ = sender.send(request.len());
        });
        let is_cancelled = || is_connected.load(Ordering::Acquire);
        let error =
            silent.copy_to(&place.path().join("copy"), &is_cancelled).expect_err("too long");
        assert_eq!(error.kind(), Kind::Cancelled, "{error}");
        ended.recv_timeout(Duration::from_secs(20)).expect("git speaks to it no longer");
    }
}
