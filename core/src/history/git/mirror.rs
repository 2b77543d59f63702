//! Commands of git for bare clones that an indexer reads, on this or another machine.
//!
//! They are returned, not run: the caller knows the machine. Everything that a repository can choose is
//! disabled as in every other call; credentials and keys are those of the machine's user, who named the
//! repository.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use super::Git;
use super::clone::{PROTOCOLS, reach};
use super::settings::{self, NO_PROTOCOL};

/// Overrides of user settings that would prompt, send something to another host, fetch more, or leave a
/// process running. Objects stay packed, and those of older commits are removed at once.
const SETTINGS: &[&str] = &[
    "core.askPass=",
    "fetch.recurseSubmodules=false",
    "fetch.unpackLimit=1",
    "fetch.writeCommitGraph=false",
    "gc.autoDetach=false",
    "gc.pruneExpire=now",
    "http.cookieFile=",
    "http.extraHeader=",
    "http.followRedirects=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "maintenance.autoDetach=false",
    "transfer.bundleURI=false",
];

/// The repositories that a command may read besides its own.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reach {
    /// None.
    Nothing,
    /// Those in directories of the machine.
    Folders,
    /// Those behind https and ssh.
    Network,
}

/// The default branch of a repository, and its commit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Advertised {
    /// The name below `refs/heads/`; `None` if HEAD is no branch with a plain name.
    pub branch: Option<String>,
    /// The id of the commit.
    pub commit: String,
}

/// Returns git with `args`, in the bare repository `dir` if there is one.
pub fn mirror_command<A: AsRef<OsStr>>(dir: Option<&OsStr>, reaches: Reach, args: &[A]) -> Command {
    let mut git = Command::new("git");
    let protocols = match reaches {
        Reach::Nothing => NO_PROTOCOL,
        Reach::Folders => "file",
        Reach::Network => PROTOCOLS,
    };
    let more: Vec<_> = SETTINGS.iter().map(Into::into).collect();
    settings::isolate(&mut git, None, protocols, false, &more);
    if reaches == Reach::Network {
        reach(&mut git);
    }
    if let Some(dir) = dir {
        git.arg("--git-dir").arg(dir);
    }
    git.args(args);
    git
}

/// Parses what `git ls-remote --symref REPOSITORY HEAD` prints; `None` if the repository has no commit.
pub fn advertised(output: &[u8]) -> Option<Advertised> {
    let text = String::from_utf8_lossy(output);
    let mut found = Advertised { branch: None, commit: String::new() };
    for line in text.lines() {
        let Some((left, "HEAD")) = line.split_once('\t') else { continue };
        match left.strip_prefix("ref: refs/heads/") {
            Some(branch) => found.branch = is_branch(branch).then(|| branch.to_owned()),
            None if is_id(left) => left.clone_into(&mut found.commit),
            None => {}
        }
    }
    (!found.commit.is_empty()).then_some(found)
}

/// Returns the address of the remote `origin` of the work tree at `root`; `None` if it has none, is no work
/// tree, or cannot be read.
pub fn origin(root: &Path) -> Option<String> {
    let output = Git::open(root)?.output("config", &["--get", "remote.origin.url"]).ok()?;
    let address = String::from_utf8_lossy(output.trim_ascii()).into_owned();
    (!address.is_empty()).then_some(address)
}

/// Returns true for the hexadecimal digits of an object id.
fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns true for a name that git allows and that has plain characters only.
fn is_branch(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._+-".contains(&byte);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with(".lock");
    name.len() <= 200
        && name.bytes().all(is_plain)
        && name.split('/').all(is_part)
        && !name.contains("..")
        && !name.ends_with('.')
        && name != "HEAD"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_branch_is_parsed() {
        let id = "0123456789012345678901234567890123456789";
        let parsed = |text: String| advertised(text.as_bytes());
        let found = parsed(format!("ref: refs/heads/release/1.x\tHEAD\n{id}\tHEAD\n"));
        let branch = Some("release/1.x".to_owned());
        assert_eq!(found, Some(Advertised { branch, commit: id.to_owned() }));
        let detached = Some(Advertised { branch: None, commit: id.to_owned() });
        assert_eq!(parsed(format!("{id}\tHEAD\n")), detached);
        for hostile in
            ["--upload-pack=x", "a:b", "a..b", "a.lock", "a b", "../x", "HEAD", "a\u{1b}"]
        {
            let text = format!("ref: refs/heads/{hostile}\tHEAD\n{id}\tHEAD\n");
            assert_eq!(parsed(text), detached, "{hostile}");
        }
        assert_eq!(parsed(String::new()), None);
        assert_eq!(parsed("--exec=x\tHEAD\n".to_owned()), None);
    }

    #[test]
    fn commands_reach_no_more_than_is_said() {
        let protocols = |reaches| {
            let git = mirror_command(None, reaches, &["fetch"]);
            let found = git.get_envs().find(|(name, _)| *name == "GIT_ALLOW_PROTOCOL");
            found.and_then(|(_, value)| value.map(|it| it.to_string_lossy().into_owned()))
        };
        assert_eq!(protocols(Reach::Nothing).as_deref(), Some("none"));
        assert_eq!(protocols(Reach::Folders).as_deref(), Some("file"));
        assert_eq!(protocols(Reach::Network).as_deref(), Some("https:ssh"));
    }
}
