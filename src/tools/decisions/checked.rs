//! Scopes and references of records as people and agents write them, checked against the tree.
//!
//! What cannot be meant is refused with what probably is. What may become true, such as a glob of files
//! that are not written yet, is accepted with a warning.

use serde_json::Value;

use crate::answer::nearest;
use crate::base::{glob, path, text};
use crate::catalog::file_list::FileList;
use crate::decisions::serve::is_in_module;
use crate::error::{Error, Kind, Result};
use crate::lang::language::{LANGUAGES, of_name};
use crate::tools::{Call, paths};
use crate::userdata::decisions::{RefKind, Scope, SourceRef};

/// The forms of a scope.
const SCOPES: &str = "a scope is `global`, `path:GLOB`, `module:NAME` or `language:NAME`";

/// Words that people use for [`Scope::Global`].
const EVERYWHERE: &[&str] = &["all", "any", "everywhere", "everything", "project", "repo"];

/// Words that people write before the colon, and the word that a scope has there.
const PREFIXES: &[(&str, &str)] = &[
    ("lang", "language"),
    ("file", "path"),
    ("files", "path"),
    ("glob", "path"),
    ("dir", "path"),
    ("directory", "path"),
    ("folder", "path"),
    ("package", "module"),
    ("namespace", "module"),
    ("mod", "module"),
];

/// The maximum size of a cited file in bytes.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// The maximum length of a quoted argument in bytes.
const QUOTED_BYTES_MAX: usize = 200;

/// A scope that can hold.
#[derive(Clone, Debug)]
pub struct CheckedScope {
    /// The scope.
    pub scope: Scope,
    /// Why it has no effect yet.
    pub warning: Option<String>,
}

/// Returns the scope that a text names. O(files).
///
/// # Errors
///
/// If it is not a scope, names no language, or is neither a scope nor a glob of files of the tree; with
/// what was probably meant.
pub fn scope(call: &Call<'_>, given: &str) -> Result<CheckedScope> {
    let given = given.trim();
    let refused = |what: String, meant: Option<String>| {
        let hint = meant.map_or_else(|| SCOPES.to_owned(), |it| format!("did you mean `{it}`?"));
        Err(Error::usage(what).with_hint(text::plain(&hint)))
    };
    let scope = match Scope::parse(given) {
        Ok(scope) => scope,
        Err(error) => return refused(text::plain(&error), None),
    };
    let files = call.code.files()?;
    let shown = quoted(given);
    match &scope {
        Scope::Language(name) if !LANGUAGES.iter().any(|it| it.name == name.as_str()) => {
            let meant = language(name).map(|it| format!("language:{it}"));
            return refused(format!("no language is called `{}`", quoted(name)), meant);
        }
        Scope::Path(glob) if !given.starts_with("path:") => {
            if let Some(meant) = meant(files, given) {
                return refused(format!("`{shown}` is not a scope"), Some(meant));
            }
            if !matches_any(files, glob) {
                return refused(format!("`{shown}` is neither a scope nor a glob of files"), None);
            }
        }
        _ => {}
    }
    let warning = warning(files, &scope);
    Ok(CheckedScope { scope, warning })
}

/// Returns why a scope has no effect in a tree, if it has none. O(files).
pub fn warning(files: &FileList, scope: &Scope) -> Option<String> {
    let name = quoted(&scope.to_string());
    match scope {
        Scope::Global => None,
        Scope::Language(of) => {
            let is_it = |(path, _): (&[u8], _)| {
                of_name(path::split(path).1).is_some_and(|it| it.name == of.as_str())
            };
            let is_known = LANGUAGES.iter().any(|it| it.name == of.as_str());
            match (is_known, files.iter().any(is_it)) {
                (_, true) => None,
                (true, false) => Some(format!("`{name}`: no file of the tree has this language")),
                (false, false) => Some(format!("`{name}`: no language has this name")),
            }
        }
        Scope::Module(of) => {
            let is_it = |(path, _): (&[u8], _)| is_in_module(&String::from_utf8_lossy(path), of);
            let is_any = files.iter().any(is_it);
            (!is_any).then(|| format!("`{name}`: no file of the tree is in such a module"))
        }
        Scope::Path(glob) if !matches_any(files, glob) => {
            let directory = glob.trim_end_matches('/');
            let is_directory = !files.below(directory.as_bytes()).is_empty();
            Some(if is_directory {
                let directory = quoted(directory);
                format!(
                    "`{name}` is a directory, which has no files of its own name: \
                     `path:{directory}/**` has its files"
                )
            } else {
                format!("`{name}`: no file of the tree matches")
            })
        }
        Scope::Path(_) => None,
    }
}

/// Returns the scope that was probably meant by a text without a prefix, or with a wrong one.
fn meant(files: &FileList, given: &str) -> Option<String> {
    let lower = given.to_lowercase();
    if EVERYWHERE.contains(&lower.as_str()) || lower == "global" {
        return Some("global".to_owned());
    }
    if let Some((prefix, rest)) = given.split_once(':')
        && let Some((_, scope)) = PREFIXES.iter().find(|(it, _)| *it == prefix.trim())
    {
        let rest = rest.trim();
        let rest = match *scope {
            "language" => language(rest).unwrap_or(rest),
            _ => rest,
        };
        return Some(format!("{scope}:{rest}"));
    }
    let directory = given.trim_start_matches("./").trim_end_matches('/');
    let is_directory = !directory.is_empty() && !files.below(directory.as_bytes()).is_empty();
    if is_directory && files.find(directory.as_bytes()).is_none() {
        return Some(format!("path:{directory}/**"));
    }
    language(&lower)
        .filter(|_| files.find(given.as_bytes()).is_none())
        .map(|it| format!("language:{it}"))
}

/// Returns the language with a name, an extension or a usual abbreviation, or with a similar name.
fn language(given: &str) -> Option<&'static str> {
    let given = given.to_lowercase();
    let given = match given.as_str() {
        "c++" => "cpp",
        "c#" | "cs" => "csharp",
        "golang" => "go",
        "node" | "nodejs" => "javascript",
        other => other,
    };
    let named = LANGUAGES.iter().find(|it| it.name == given);
    let named = named.or_else(|| LANGUAGES.iter().find(|it| it.extensions.contains(&given)));
    if let Some(named) = named {
        return Some(named.name);
    }
    let names = || LANGUAGES.iter().map(|it| it.name);
    let found = nearest::among(names().map(str::as_bytes), given.as_bytes());
    let name = found.first().and_then(|&at| names().nth(at))?;
    let is_close = given.len() >= 3 && nearest::is_similar(given.as_bytes(), name.as_bytes());
    is_close.then_some(name)
}

fn matches_any(files: &FileList, given: &str) -> bool {
    glob::compile(given, true)
        .is_ok_and(|set| files.iter().any(|(path, _)| set.is_match(path::to_path(path))))
}

/// Returns the reference that a JSON value names: a text, or an object `{kind, ref, detail}`.
///
/// # Errors
///
/// As [`reference()`]; if the value is neither, or its kind is not that of what it names.
pub fn reference_of(call: &Call<'_>, given: &Value) -> Result<SourceRef> {
    let members = match given {
        Value::String(text) if !text.trim_start().starts_with('{') => {
            return reference(call, text);
        }
        Value::String(text) => serde_json::from_str(text).ok(),
        Value::Object(members) => Some(members.clone()),
        _ => None,
    };
    let text = |name: &str| {
        members.as_ref()?.get(name)?.as_str().map(str::trim).filter(|it| !it.is_empty())
    };
    let Some(named) = text("ref") else {
        let shown = quoted(&given.to_string());
        return Err(Error::usage(format!("`{shown}` is not a reference")).with_hint(
            "a reference is a text, or an object such as {\"kind\": \"file\", \"ref\": \"src/cart.rs:3\"}",
        ));
    };
    let kind = text("kind").map(RefKind::parse).transpose();
    let kind = kind.map_err(|error| Error::usage(text::plain(&error)))?;
    let found = reference(call, named)?;
    if let Some(kind) = kind.filter(|kind| *kind != found.kind) {
        return Err(Error::usage(format!(
            "`{}` is a {}, not a {}",
            quoted(named),
            found.kind.name(),
            kind.name()
        )));
    }
    Ok(SourceRef { detail: text("detail").map(str::to_owned), ..found })
}

/// Returns the reference that a text names.
///
/// # Errors
///
/// If the file or commit does not exist, or the file has fewer lines.
pub fn reference(call: &Call<'_>, given: &str) -> Result<SourceRef> {
    let given = given.trim();
    let it = SourceRef {
        kind: RefKind::File,
        reference: given.to_owned(),
        detail: None,
        fingerprint: None,
    };
    let mut nearest = None;
    if let Some((path, line)) = it.place() {
        let resolved = paths::resolve(call, path)?;
        let files = call.code.files()?;
        if paths::listed(files, &resolved).is_some() {
            let shown = paths::shown(&resolved);
            check_line(call, &resolved, line)?;
            let reference = if line == 0 { shown } else { format!("{shown}:{line}") };
            return Ok(SourceRef { reference, ..it });
        }
        nearest = paths::unknown(call, &resolved).nearest_paths().first().cloned();
    }
    let is_hash = given.len() >= 7 && given.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(git) = call.code.git().filter(|_| is_hash) {
        if let Ok(Some(commit)) = git.commit(given) {
            return Ok(SourceRef { kind: RefKind::Commit, reference: commit, ..it });
        }
        return Err(Error::usage(format!("the repository has no commit `{}`", quoted(given)))
            .with_hint("a shallow clone lacks older commits; `git fetch --unshallow` gets them"));
    }
    let shown = quoted(given);
    Err(Error::usage(format!("`{shown}` is neither a file of the tree nor a commit")).with_hint(
        match nearest {
            Some(path) => format!("did you mean `{}`?", text::plain(&path)),
            None => "a reference is `PATH`, `PATH:LINE` or the hash of a commit".to_owned(),
        },
    ))
}

/// Checks that a file has a line; line 0 stands for the whole file. A file that cannot be read is not
/// checked.
fn check_line(call: &Call<'_>, path: &[u8], line: usize) -> Result<()> {
    if line == 0 {
        return Ok(());
    }
    let Ok(content) = call.code.read(path, FILE_BYTES_MAX) else { return Ok(()) };
    let bytes = content.bytes();
    let ends = memchr::memchr_iter(b'\n', bytes).count();
    let lines = ends + usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"));
    if line <= lines {
        return Ok(());
    }
    let shown = text::plain(&paths::shown(path));
    Err(Error::usage(format!("`{shown}` has {}, not {line}", text::counted(lines, "line"))))
}

/// Returns why a record of an export does not fit to the tree, if so. O(files).
///
/// # Errors
///
/// If the tree cannot be read.
pub fn misfit(call: &Call<'_>, scope: &Scope, refs: &[SourceRef]) -> Result<Option<String>> {
    if let Some(warning) = warning(call.code.files()?, scope) {
        return Ok(Some(warning));
    }
    for it in refs {
        match reference(call, &it.reference) {
            Ok(found) if found.kind == it.kind => {}
            Ok(_) => return Ok(Some(format!("`{}` is of another kind", quoted(&it.reference)))),
            Err(error) if matches!(error.kind(), Kind::Usage | Kind::NotFound) => {
                return Ok(Some(error.to_string()));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn quoted(given: &str) -> String {
    text::plain(text::start(given, QUOTED_BYTES_MAX))
}
