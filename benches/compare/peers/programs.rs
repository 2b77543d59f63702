//! The peers: their packages, whether they are installed, and their versions.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::options::Options;
use super::super::process::Job;

/// A program that codedb is compared with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Program {
    Rg,
    GitGrep,
    Csearch,
    Cindex,
    Ugrep,
    UgrepIndexer,
    Ctags,
    Readtags,
    Codegraph,
}

impl Program {
    /// All of them, in the order of the tables.
    pub(crate) const ALL: [Self; 9] = [
        Self::Rg,
        Self::GitGrep,
        Self::Csearch,
        Self::Cindex,
        Self::Ugrep,
        Self::UgrepIndexer,
        Self::Ctags,
        Self::Readtags,
        Self::Codegraph,
    ];

    /// Returns its name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::GitGrep => "git grep",
            _ => self.executable(),
        }
    }

    /// Returns the package that contains it.
    fn package(self) -> &'static str {
        match self {
            Self::Rg => "Debian: ripgrep",
            Self::GitGrep => "Debian: git",
            Self::Csearch | Self::Cindex => "Debian: codesearch",
            Self::Ugrep => "Debian: ugrep",
            Self::UgrepIndexer => "not in Debian 12's ugrep",
            Self::Ctags | Self::Readtags => "Debian: universal-ctags",
            Self::Codegraph => "npm: @colbymchenry/codegraph",
        }
    }

    fn executable(self) -> &'static str {
        match self {
            Self::Rg => "rg",
            Self::GitGrep => "git",
            Self::Csearch => "csearch",
            Self::Cindex => "cindex",
            Self::Ugrep => "ugrep",
            Self::UgrepIndexer => "ugrep-indexer",
            Self::Ctags => "ctags",
            Self::Readtags => "readtags",
            Self::Codegraph => "codegraph",
        }
    }
}

/// The installed programs with their versions, and those that are not installed.
pub(crate) struct Programs {
    here: Vec<(Program, PathBuf, String)>,
    absent: Vec<String>,
}

impl Programs {
    /// Finds all programs on PATH or at the paths of the options.
    pub(crate) fn find(options: &Options) -> Self {
        let mut programs = Self { here: Vec::new(), absent: Vec::new() };
        for program in Program::ALL {
            let given = match program {
                Program::Rg => Some(&options.rg),
                Program::Codegraph => options.codegraph.as_ref(),
                _ => None,
            };
            let named = given.map_or_else(|| program.executable().into(), PathBuf::from);
            let described = format!("{} ({})", program.name(), program.package());
            match (on_path(&named), program) {
                (None, _) => programs.absent.push(described),
                // Its index consists of files in the tree's directories, which this bench neither
                // removes nor measures.
                (Some(_), Program::UgrepIndexer) => {
                    programs
                        .absent
                        .push(format!("{} (installed, but not measured)", program.name()));
                }
                (Some(path), _) => {
                    let version = version(options, program, &path);
                    if program == Program::Ctags && !version.contains("Universal") {
                        programs.absent.push(format!("{described}; `ctags` is another"));
                    } else {
                        programs.here.push((program, path, version));
                    }
                }
            }
        }
        programs
    }

    /// Returns the path of a program if it is installed.
    pub(crate) fn path(&self, program: Program) -> Option<&Path> {
        self.here.iter().find(|(here, ..)| *here == program).map(|(_, path, _)| path.as_path())
    }

    /// Returns the names and versions of the installed programs.
    pub(crate) fn versions(&self) -> String {
        let listed = self.here.iter().filter(|(program, ..)| {
            // These two belong to the same packages as others and print no version.
            !matches!(program, Program::Cindex | Program::Readtags)
        });
        let list: Vec<String> =
            listed.map(|(program, _, version)| format!("{} {version}", program.name())).collect();
        list.join(", ")
    }

    /// Returns a line with the programs that are not installed; `None` if there are none.
    pub(crate) fn absent(&self) -> Option<String> {
        let list = self.absent.join("; ");
        (!list.is_empty()).then(|| format!("Not installed, so not compared: {list}."))
    }
}

/// Returns the path of a program: the given one if it has directories, else the first on PATH.
fn on_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.is_file().then(|| program.to_owned());
    }
    let name = format!("{}{}", program.display(), std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// Returns the version. For codesearch, whose programs print none, it is that of Debian's package.
fn version(options: &Options, program: Program, path: &Path) -> String {
    let mut job = match program {
        Program::Csearch | Program::Cindex => Job::new(
            Path::new("dpkg-query"),
            Path::new("."),
            ["-W", "-f", "${Version}", "codesearch"],
        ),
        _ => Job::new(path, Path::new("."), ["--version"]),
    };
    if program == Program::Codegraph {
        job.envs = codegraph_variables(options.scratch.path());
    }
    let text = job.run().map(|run| String::from_utf8_lossy(&run.stdout).into_owned());
    let line = text.unwrap_or_default().lines().next().unwrap_or_default().to_owned();
    // `git version 2.47.3`, `ripgrep 15.2.0`, `ugrep 3.11.2 x86_64-…`,
    // `Universal Ctags 5.9.0, Copyright …`
    let number = |word: &&str| word.starts_with(|character: char| character.is_ascii_digit());
    let version = line.split_whitespace().find(number).map(|word| word.trim_end_matches(','));
    match (version, program) {
        (Some(version), Program::Ctags) if line.starts_with("Universal Ctags") => {
            format!("{version} (Universal)")
        }
        (Some(version), _) => version.to_owned(),
        (None, _) => "of unknown version".into(),
    }
}

/// Returns the environment variables of every call of codegraph; all its files go below `home`.
pub(super) fn codegraph_variables(home: &Path) -> Vec<(&'static str, OsString)> {
    let mut envs = ["DO_NOT_TRACK", "CODEGRAPH_NO_DOWNLOAD", "CODEGRAPH_NO_DAEMON"]
        .map(|name| (name, "1".into()))
        .to_vec();
    envs.push(("HOME", home.into()));
    envs.push(("CODEGRAPH_INSTALL_DIR", home.join("codegraph").into()));
    envs.push(("NODE_COMPILE_CACHE", home.join("node").into()));
    envs
}
