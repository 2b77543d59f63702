//! A generated work tree, and the other places that ripgrep reads: a parent directory, a home
//! directory and a directory outside of the tree.
//!
//! ```text
//! BASE/outer/tree     the root that is indexed
//! BASE/outer/outside  files beyond the root, reached by `..`, absolute paths and links
//! BASE/home          HOME and XDG_CONFIG_HOME (git's global excludes)
//! BASE/index         the index directory
//! ```

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::content;
use super::prng::Prng;

/// Names of files and directories: pairs that test the sort order (`a/`, `a.c`, `a-b`), hidden
/// files, secrets, and bytes with a meaning in shells.
const NAMES: &[&[u8]] = &[
    b"a",
    b"a.c",
    b"a-b",
    b"a b",
    b"A",
    b"a.c.orig",
    b"ab",
    b"b",
    b"b.h",
    b"foo",
    b"foo.rs",
    b"lib.rs",
    b"main.c",
    b"x.py",
    b"Makefile",
    b"README.md",
    b"test.txt",
    b"data.json",
    b"app.min.js",
    b"App.JSX",
    b".hidden",
    b".hidden.rs",
    b".env",
    b".env.local",
    b"id_rsa",
    b"new\nline",
    b"bad\xFF\xFE.txt",
    b"\xC3\xA9.txt",
    b"\xE6\x97\xA5\xE6\x9C\xAC.rs",
    b"-dash",
    b"*star.c",
    b"[br].c",
    b"#hash",
    b"!bang",
    b"trailing ",
    b"target",
    b"build",
    b"node_modules",
    b"vendor",
    b".github",
    b"src",
    b"z",
    b"Cargo.lock",
    b"x\\y.c",
    b"{brace}.c",
    b"q?.rs",
];

/// Lines of ignore files, the malformed ones included.
const RULES: &[&str] = &[
    "*.c",
    "/a",
    "a/",
    "!a.c",
    "**/foo",
    "foo/**",
    "a/**/b",
    "a/**",
    "build",
    "/target/",
    "!*.rs",
    "\\#hash",
    "\\!bang",
    "*",
    "!*/",
    "!*",
    "[ab]*",
    "?.c",
    "*.{c,h}",
    "",
    "# a comment",
    "foo.*",
    ".hidden",
    "!.hidden*",
    "a b",
    "trailing\\ ",
    "trailing ",
    "[",
    "***",
    "a//b",
    "/*",
    "!/src",
    "!src/",
    "src/*.rs",
    "!foo.rs",
    "*.txt",
    "/**/x.py",
    "Makefile",
    "makefile",
    "A",
    "!A",
    "new*",
    "id_rsa",
    "node_modules",
    "!.env",
    "*.rs",
    "b/../a",
    "./a",
    "/",
    "**",
    "!**/a.c",
    "\\",
    "[!a].c",
    "*.md\r",
    " *.c",
];

/// Files that hold ignore rules.
const IGNORE_FILES: &[&str] = &[".gitignore", ".gitignore", ".ignore", ".rgignore"];

/// A generated tree; dropping it removes the directory unless it is kept.
pub(crate) struct Tree {
    base: TempDir,
}

impl Tree {
    /// Creates a tree of some dozens of files.
    pub(crate) fn generate(rng: &mut Prng) -> io::Result<Self> {
        let tree =
            Self { base: tempfile::Builder::new().prefix("codedb-differential-").tempdir()? };
        for folder in ["outer/tree", "outer/outside/sub", "home/.config/git"] {
            fs::create_dir_all(tree.base.path().join(folder))?;
        }
        for name in ["one.c", "sub/two.rs", ".hidden"] {
            fs::write(tree.outer().join("outside").join(name), content::file(rng))?;
        }
        let root = tree.root();
        if rng.chance(65) {
            make_git(rng, &root)?;
        }
        if rng.chance(15) {
            fs::write(tree.outer().join(rng.pick(IGNORE_FILES)), rules(rng))?;
        }
        if rng.chance(20) {
            fs::write(tree.home().join(".config/git/ignore"), rules(rng))?;
        }
        for _ in 0..rng.between(8, 45) {
            let path = tree.fresh_path(rng);
            tree.write_new(rng, &path)?;
        }
        for _ in 0..rng.between(2, 12) {
            tree.add_special(rng)?;
        }
        if rng.chance(50) {
            tree.track(rng);
        }
        Ok(tree)
    }

    /// Adds some files to git's index, ignored and hidden ones too, or removes some from it. Does
    /// nothing if the root is no repository.
    pub(crate) fn track(&self, rng: &mut Prng) {
        let mut files = self.files();
        files.retain(|_| rng.chance(60));
        if files.is_empty() || !self.root().join(".git/objects").is_dir() {
            return;
        }
        let args: &[&str] = if rng.chance(75) {
            &["add", "-f", "--ignore-errors", "--"]
        } else {
            &["rm", "-q", "--cached", "--ignore-unmatch", "--"]
        };
        let mut git = Command::new("git");
        git.current_dir(self.root()).env("HOME", self.home()).env("GIT_CONFIG_NOSYSTEM", "1");
        git.env("GIT_LITERAL_PATHSPECS", "1").args(args).args(files);
        // It refuses what lies in another repository.
        drop(git.output());
    }

    /// Returns the root that is indexed.
    pub(crate) fn root(&self) -> PathBuf {
        self.base.path().join("outer/tree")
    }

    /// Returns the root's parent.
    pub(crate) fn outer(&self) -> PathBuf {
        self.base.path().join("outer")
    }

    /// Returns the home directory of the child processes.
    pub(crate) fn home(&self) -> PathBuf {
        self.base.path().join("home")
    }

    /// Returns the index directory.
    pub(crate) fn index_dir(&self) -> PathBuf {
        self.base.path().join("index")
    }

    /// Keeps the directory on disk and returns it.
    pub(crate) fn keep(self) -> PathBuf {
        self.base.keep()
    }

    /// Returns everything below the root except git's own directories, in byte order, without
    /// following links.
    pub(crate) fn entries(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect(&self.root(), &mut found);
        found.sort();
        found
    }

    /// Returns the regular files below the root.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.kept(fs::FileType::is_file)
    }

    /// Returns the root and the directories below it.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut folders = self.kept(fs::FileType::is_dir);
        folders.push(self.root());
        folders
    }

    fn kept(&self, keep: impl Fn(&fs::FileType) -> bool) -> Vec<PathBuf> {
        let mut entries = self.entries();
        entries.retain(|path| fs::symlink_metadata(path).is_ok_and(|meta| keep(&meta.file_type())));
        entries
    }

    /// Returns a path below the root, in an existing or a new directory.
    pub(crate) fn fresh_path(&self, rng: &mut Prng) -> PathBuf {
        // Half of the paths are near the top, where fewer rules and hidden directories apply.
        let mut path = if rng.chance(50) { self.root() } else { rng.pick(&self.folders()).clone() };
        for _ in 0..rng.below(3) {
            path.push(name(rng));
        }
        path.push(name(rng));
        path
    }

    /// Writes a file with new content. Does nothing for an impossible path (a file in the place of
    /// a directory, a name that the file system refuses).
    pub(crate) fn write_new(&self, rng: &mut Prng, path: &Path) -> io::Result<()> {
        let content = content::file(rng);
        let parent = path.parent().expect("a path below the root has a parent");
        if fs::create_dir_all(parent).is_ok() && fs::symlink_metadata(path).is_err() {
            drop(fs::write(path, content));
        }
        Ok(())
    }

    /// Writes an ignore file in a directory of the tree or its parent, git's `info/exclude`, or the
    /// global one.
    pub(crate) fn write_rules(&self, rng: &mut Prng) -> io::Result<PathBuf> {
        let path = match rng.below(20) {
            0 => self.home().join(".config/git/ignore"),
            1 => self.outer().join(rng.pick(IGNORE_FILES)),
            2 | 3 if self.root().join(".git/info").is_dir() => {
                self.root().join(".git/info/exclude")
            }
            _ => rng.pick(&self.folders()).join(rng.pick(IGNORE_FILES)),
        };
        drop(fs::write(&path, rules(rng)));
        Ok(path)
    }

    /// Adds something that is not a plain file.
    pub(crate) fn add_special(&self, rng: &mut Prng) -> io::Result<PathBuf> {
        let path = rng.pick(&self.folders()).join(name(rng));
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(path);
        }
        match rng.below(13) {
            0 => drop(symlink(rng.pick(&[".", "..", "../..", "self"]), &path)),
            1 => drop(symlink("nowhere/at/all", &path)),
            2 => drop(symlink("../outside", &path)),
            3 => drop(symlink(self.outer().join("outside/one.c"), &path)),
            4 | 5 => drop(symlink(rng.pick(&self.entries_or_root()), &path)),
            6 => drop(Command::new("mkfifo").arg(&path).status()),
            7 => {
                fs::write(&path, content::file(rng)).ok();
                make_unreadable(&path);
            }
            8 => {
                if fs::create_dir(&path).is_ok() {
                    make_git(rng, &path)?;
                }
            }
            9 => {
                // A worktree or submodule: `.git` is a file.
                if fs::create_dir(&path).is_ok() {
                    fs::write(path.join(".git"), "gitdir: ../somewhere/.git/worktrees/x\n")?;
                    fs::write(path.join(".gitignore"), rules(rng))?;
                    fs::write(path.join("a.c"), content::file(rng))?;
                }
            }
            _ => return self.write_rules(rng),
        }
        Ok(path)
    }

    fn entries_or_root(&self) -> Vec<PathBuf> {
        let mut entries = self.entries();
        entries.push(self.root());
        entries
    }
}

/// Returns a name for a file or folder.
pub(crate) fn name(rng: &mut Prng) -> OsString {
    OsStr::from_bytes(rng.pick::<&[u8]>(NAMES)).to_owned()
}

/// Returns the text of an ignore file.
pub(crate) fn rules(rng: &mut Prng) -> String {
    let mut text = String::new();
    for _ in 0..rng.between(1, 4) {
        // Rules that exclude everything are rare, otherwise most trees would be empty.
        let rule = loop {
            let rule = *rng.pick(RULES);
            if !matches!(rule, "*" | "/*" | "**" | "/") || rng.chance(15) {
                break rule;
            }
        };
        text.push_str(rule);
        text.push('\n');
    }
    text
}

/// Makes `folder` look like the root of a git work tree; existing paths are kept.
pub(crate) fn make_git(rng: &mut Prng, folder: &Path) -> io::Result<()> {
    let git = folder.join(".git");
    if fs::create_dir_all(git.join("info")).is_err() {
        return Ok(());
    }
    fs::create_dir_all(git.join("objects"))?;
    fs::create_dir_all(git.join("refs"))?;
    fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    fs::write(git.join("config"), "[core]\n\trepositoryformatversion = 0\n")?;
    if rng.chance(30) {
        fs::write(git.join("info/exclude"), rules(rng))?;
    }
    if rng.chance(60) {
        fs::write(folder.join(".gitignore"), rules(rng))?;
    }
    if folder.read_dir()?.count() < 3 {
        fs::write(folder.join("inner.c"), content::file(rng))?;
    }
    Ok(())
}

/// Removes the read permission, which has no effect for root.
fn make_unreadable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    drop(fs::set_permissions(path, fs::Permissions::from_mode(0o000)));
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && entry.file_name() == ".git" {
            continue;
        }
        if is_folder {
            collect(&entry.path(), found);
        }
        found.push(entry.path());
    }
}
