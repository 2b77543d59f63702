//! How this program was installed, by the environment and its path, and which command starts it
//! again after an upgrade. `init` registers that command, `doctor` reports the installation.

use std::env;
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::register::{Launch, NAME};

/// The variable by which the script of the npm package names what started it: `npx` or `npm`.
const LAUNCHED_BY: &str = "CODEDB_LAUNCHED_BY";

/// The variable by which the script of the npm package names its path.
const LAUNCHER: &str = "CODEDB_LAUNCHER";

/// The way in which the program was installed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Method {
    /// Downloaded by `npx` for one call.
    Npx,
    /// A global package of npm.
    NpmGlobal,
    /// A dependency of a project; the path is that of its script in `node_modules/.bin`.
    NpmProject(PathBuf),
    /// Downloaded by `uvx` for one call.
    Uvx,
    /// A tool of uv.
    UvTool,
    /// An application of pipx.
    Pipx,
    /// A package in a virtual environment of Python.
    Venv,
    /// A formula of Homebrew, in this prefix.
    Homebrew(PathBuf),
    /// `cargo install`.
    Cargo,
    /// A package of the operating system.
    System,
    /// Compiled, and run where cargo puts it.
    Build,
    /// In a directory for temporary files.
    Temporary,
    /// Anything else, such as an unpacked archive.
    Other,
}

/// The program that runs, and how it was installed.
#[derive(Clone, Debug)]
pub(super) struct Installation {
    pub(super) method: Method,
    /// The path of the program.
    pub(super) program: PathBuf,
    /// The first program of this name on PATH, if there is one.
    pub(super) on_path: Option<PathBuf>,
    /// True if that one is this program.
    pub(super) is_on_path: bool,
}

impl Installation {
    /// Returns the installation of this process.
    ///
    /// # Errors
    ///
    /// If the path of the program is unknown.
    pub(super) fn of_this_process() -> Result<Installation> {
        let program = env::current_exe().map_err(|error| {
            Error::new(Kind::Io, format!("cannot determine the path of this program: {error}"))
                .with_hint("choose the program with `--command`")
        })?;
        let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let launcher = named(LAUNCHER).map(PathBuf::from);
        let real = program.canonicalize().unwrap_or_else(|_| program.clone());
        let surroundings = Surroundings {
            program: &real,
            launched_by: named(LAUNCHED_BY).and_then(|name| name.into_string().ok()),
            launcher: launcher.as_deref(),
            cargo_home: named("CARGO_HOME")
                .map(PathBuf::from)
                .or_else(|| env::home_dir().map(|home| home.join(".cargo"))),
            temporary: vec![env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")],
            exists: &|path| path.exists(),
        };
        let method = surroundings.method();
        let on_path = first_on_path(&method, &program);
        let starts_this = |found: &PathBuf| {
            let found = found.canonicalize().ok();
            let launcher = launcher.as_ref().and_then(|path| path.canonicalize().ok());
            found.is_some() && (found.as_ref() == Some(&real) || found == launcher)
        };
        let is_on_path = on_path.as_ref().is_some_and(starts_this);
        Ok(Installation { method, program, on_path, is_on_path })
    }

    /// Returns the command that starts this program after an upgrade, too.
    ///
    /// # Errors
    ///
    /// If its path is not UTF-8.
    pub(super) fn launch(&self, for_project: bool) -> Result<Launch> {
        match &self.method {
            Method::Npx => return Ok(by_script(&["npx", "-y", "codedb@latest"])),
            Method::Uvx => return Ok(Launch::words(&["uvx", "codedb-cli@latest"])),
            Method::NpmProject(_) if for_project => {
                return Ok(by_script(&["npx", "--no-install", NAME]));
            }
            Method::NpmGlobal if self.is_on_path => return Ok(by_script(&[NAME])),
            // An environment is on PATH only in the shells that activated it.
            method if self.is_on_path && *method != Method::Venv => {
                return Ok(Launch::program(NAME));
            }
            _ => {}
        }
        let path = match &self.method {
            Method::NpmProject(script) => script.clone(),
            // The path of the program itself contains its version.
            Method::Homebrew(prefix) => {
                let linked = prefix.join("opt/codedb/bin/codedb");
                if linked.exists() { linked } else { prefix.join("bin/codedb") }
            }
            _ => self.program.clone(),
        };
        path.to_str().map(Launch::program).ok_or_else(|| {
            Error::usage("not UTF-8")
                .with_path(&path)
                .with_hint("choose the program with `--command`")
        })
    }

    /// Returns the command for a git hook: as [`Installation::launch`], but a launcher uses the
    /// package that it has already, so that a commit needs no network.
    ///
    /// # Errors
    ///
    /// As [`Installation::launch`].
    pub(super) fn hook_launch(&self) -> Result<Launch> {
        match &self.method {
            // The shell of git's hooks runs `npx` on Windows, too.
            Method::Npx => Ok(Launch::words(&["npx", "-y", NAME])),
            Method::NpmProject(_) => Ok(Launch::words(&["npx", "--no-install", NAME])),
            Method::Uvx => Ok(Launch::words(&["uvx", "codedb-cli"])),
            Method::NpmGlobal if self.is_on_path => Ok(Launch::program(NAME)),
            _ => self.launch(false),
        }
    }

    /// Describes the method.
    pub(super) fn described(&self) -> &'static str {
        match self.method {
            Method::Npx => "by npx, for this call",
            Method::NpmGlobal => "by npm, globally",
            Method::NpmProject(_) => "by npm, in a project",
            Method::Uvx => "by uvx, for this call",
            Method::UvTool => "by `uv tool install`",
            Method::Pipx => "by pipx",
            Method::Venv => "in a virtual environment of Python",
            Method::Homebrew(_) => "by Homebrew",
            Method::Cargo => "by `cargo install`",
            Method::System => "by a package of the system",
            Method::Build => "by cargo in a build directory",
            Method::Temporary => "in a directory for temporary files",
            Method::Other => "as a single file",
        }
    }

    /// Returns what to do before the command is registered with other programs, if it may stop
    /// working.
    pub(super) fn warning(&self) -> Option<String> {
        let path = self.program.display();
        match self.method {
            Method::Build => Some(format!(
                "{path} is in a build directory; after `cargo install`, run `codedb init` again"
            )),
            Method::Temporary => Some(format!(
                "{path} is in a directory for temporary files; install codedb, and run `codedb init` \
                 again"
            )),
            _ => None,
        }
    }
}

/// Returns the command that consists of `words`, of which the first is a script: on Windows, clients
/// can start scripts only by `cmd`.
fn by_script(words: &[&str]) -> Launch {
    if cfg!(windows) {
        Launch::words(&[&["cmd", "/c"], words].concat())
    } else {
        Launch::words(words)
    }
}

/// What determines the method.
struct Surroundings<'a> {
    program: &'a Path,
    launched_by: Option<String>,
    launcher: Option<&'a Path>,
    cargo_home: Option<PathBuf>,
    temporary: Vec<PathBuf>,
    exists: &'a dyn Fn(&Path) -> bool,
}

impl Surroundings<'_> {
    fn method(&self) -> Method {
        let by_npm = self.launcher.is_some() || names(self.program).any(|name| name == MODULES);
        if by_npm {
            return self.npm_method();
        }
        let names: Vec<&str> = names(self.program).collect();
        let has_pair = |first: &str, second: &str| {
            names.windows(2).any(|pair| pair[0] == first && pair[1] == second)
        };
        let in_uv_cache = names.iter().any(|name| {
            let version =
                name.strip_prefix("archive-v").or_else(|| name.strip_prefix("environments-v"));
            version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit()))
        });
        let directory = self.program.parent().unwrap_or(Path::new(""));
        let above = directory.parent().unwrap_or(Path::new(""));
        if in_uv_cache {
            Method::Uvx
        } else if has_pair("uv", "tools") {
            Method::UvTool
        } else if has_pair("pipx", "venvs") {
            Method::Pipx
        } else if let Some(prefix) = self.homebrew_prefix() {
            Method::Homebrew(prefix)
        } else if (self.exists)(&above.join("pyvenv.cfg")) {
            Method::Venv
        } else if self.cargo_home.as_ref().is_some_and(|home| directory == home.join("bin")) {
            Method::Cargo
        } else if (self.exists)(&directory.join(".fingerprint")) {
            Method::Build
        } else if ["/usr/bin", "/bin"].iter().any(|system| directory == Path::new(system)) {
            Method::System
        } else if self.temporary.iter().any(|temporary| self.program.starts_with(temporary)) {
            Method::Temporary
        } else {
            Method::Other
        }
    }

    /// Returns the method if the program is in a package of npm.
    fn npm_method(&self) -> Method {
        let script = self.launcher.unwrap_or(self.program);
        let is_of_npx = names(script).chain(names(self.program)).any(|name| name == "_npx");
        // The outermost one: stores such as `node_modules/.pnpm` contain others.
        let modules = script.ancestors().filter(|path| path.ends_with(MODULES)).last();
        let local = modules.map(|modules| modules.join(".bin").join(NAME));
        let local = local.filter(|local| (self.exists)(local));
        // The script names `npx` where it is in a temporary place: that of `npx`, `pnpm dlx` or bunx.
        match (self.launched_by.as_deref(), local) {
            _ if is_of_npx => Method::Npx,
            (Some("npx"), _) => Method::Npx,
            (_, Some(local)) if self.is_project(&local) => Method::NpmProject(local),
            _ => Method::NpmGlobal,
        }
    }

    /// Returns true if `node_modules/.bin/codedb` belongs to a project and not to npm itself.
    fn is_project(&self, local: &Path) -> bool {
        let root = local.ancestors().nth(3).unwrap_or(local);
        (self.exists)(&root.join("package.json"))
    }

    /// Returns the prefix of a program in Homebrew's `PREFIX/Cellar/codedb/VERSION/bin`.
    fn homebrew_prefix(&self) -> Option<PathBuf> {
        let cellar = self.program.ancestors().find(|path| path.ends_with("Cellar"))?;
        cellar.parent().map(Path::to_path_buf)
    }
}

/// The directory of npm's packages.
const MODULES: &str = "node_modules";

/// Returns the names of the components of a path.
fn names(path: &Path) -> impl Iterator<Item = &str> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    })
}

/// Returns the first `codedb` on PATH. The directories that npm and uvx add for one call do not count.
fn first_on_path(method: &Method, program: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let is_lasting = |dir: &PathBuf| {
        let is_of_uvx = *method == Method::Uvx && program.parent() == Some(dir.as_path());
        let is_of_npm =
            dir.ends_with(Path::new(MODULES).join(".bin")) || names(dir).any(|name| name == "_npx");
        !is_of_uvx && !is_of_npm && !dir.as_os_str().is_empty()
    };
    let extensions: &[&str] = if cfg!(windows) { &[".exe", ".cmd"] } else { &[""] };
    let dirs = env::split_paths(&path).filter(is_lasting);
    let files = dirs.flat_map(|dir| {
        extensions.iter().map(move |extension| dir.join(format!("{NAME}{extension}")))
    });
    files.into_iter().find(|file| is_executable(file))
}

/// Returns true if a shell can run the file.
fn is_executable(file: &Path) -> bool {
    let Ok(metadata) = file.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}

#[cfg(all(test, unix))]
mod tests;
