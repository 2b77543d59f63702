//! Extractors of the user's own: programs that read a file and print its definitions and references, for
//! languages that codedb does not know, or knows less well.
//!
//! `codedb.toml` at the root names them, [`Extractors::configured`] reads it. The file belongs to whoever
//! wrote the repository, so a program only runs if the user's own configuration allows its command for
//! this tree. `run` runs it within limits, `lines` reads what it prints. docs/extractors.md is for those
//! who write one.

mod lines;
mod run;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use globset::GlobSet;
use toml::{Table, Value};
use xxhash_rust::xxh3::xxh3_64;

use crate::base::glob;
use crate::lang::language::EXTRACTED;
use crate::lang::{self, Facts, Language, Problem, Problems};

/// The name of the file: at the root of a tree, and in the user's directory of settings.
pub const NAME: &str = "codedb.toml";

/// The maximum size of the file in bytes.
pub const BYTES_MAX: u64 = 64 << 10;

/// The maximum number of extractors of a tree.
const COUNT_MAX: usize = 20;

/// The maximum length of a name.
const NAME_BYTES_MAX: usize = 40;

/// A program that extracts facts.
#[derive(Debug)]
pub struct Extractor {
    /// Its name in replies.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    patterns: Vec<String>,
    globs: GlobSet,
    /// How often it was ended because it took too long.
    late: AtomicUsize,
}

/// How often an extractor may take too long before it is not started any more.
const LATE_MAX: usize = 5;

/// The extractors that the user allows for a tree.
#[derive(Debug, Default)]
pub struct Extractors {
    /// The root of the tree, in which they run.
    root: PathBuf,
    allowed: Vec<Extractor>,
    /// The names of those that `codedb.toml` names and the user does not allow.
    refused: Vec<String>,
}

impl Extractors {
    /// Returns the extractors of the tree at `root` from the text of its `codedb.toml` and that of the
    /// user's own file of this name.
    ///
    /// # Errors
    ///
    /// A sentence that states what is wrong with the tree's or the user's file.
    pub fn configured(root: &Path, tree: &str, user: Option<&str>) -> Result<Extractors, String> {
        let of_tree = extractors(tree).map_err(|problem| format!("`{NAME}`: {problem}"))?;
        let mut found = Extractors { root: root.to_owned(), ..Extractors::default() };
        if of_tree.is_empty() {
            return Ok(found);
        }
        let allowed = user.map(|user| allowed(root, user)).transpose();
        let allowed = allowed
            .map_err(|problem| format!("the user's `{NAME}`: {problem}"))?
            .unwrap_or_default();
        for extractor in of_tree {
            if allowed.contains(&extractor.command) {
                found.allowed.push(extractor);
            } else {
                found.refused.push(extractor.name);
            }
        }
        Ok(found)
    }

    /// Returns the names of the extractors that the user does not allow.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// Returns true if there is none that runs.
    pub fn is_empty(&self) -> bool {
        self.allowed.is_empty()
    }

    /// Returns a number that differs for other names, globs, commands and orders of extractors.
    pub fn fingerprint(&self) -> u64 {
        let of = |it: &Extractor| format!("{:?}", (&it.name, &it.command, &it.patterns));
        let all: Vec<String> = self.allowed.iter().map(of).collect();
        xxh3_64(all.join("\n").as_bytes())
    }

    /// Returns the first extractor whose globs match a repository path.
    pub fn of(&self, path: &str) -> Option<&Extractor> {
        self.allowed.iter().find(|extractor| extractor.globs.is_match(path))
    }

    /// Returns the language of a file: its own, or [`EXTRACTED`] if only an extractor knows it.
    pub fn language_of(&self, path: &[u8], text: &[u8]) -> Option<&'static Language> {
        let path = String::from_utf8_lossy(path);
        let own = lang::detect(Path::new(&*path), text);
        own.or_else(|| self.of(&path).map(|_| &EXTRACTED))
    }

    /// Returns what `extractor` prints for a text. Lines that are not valid are counted as
    /// [`Problem::Extractor`]; so is a program that fails.
    pub(super) fn facts(&self, extractor: &Extractor, path: &str, text: &[u8]) -> Facts {
        let run = || {
            if extractor.late.load(Ordering::Relaxed) >= LATE_MAX {
                return Err("took too long too often".to_owned());
            }
            run::output(&extractor.command, &self.root, path, text).map_err(|failure| {
                extractor.late.fetch_add(usize::from(failure.is_late), Ordering::Relaxed);
                failure.what
            })
        };
        match run() {
            Ok(printed) => lines::facts(path, text, &printed),
            Err(problem) => {
                log::warn!("the extractor `{}` {problem} on `{path}`", extractor.name);
                let problems = Problems::from([(Problem::Extractor, 1)]);
                Facts { problems, ..Facts::default() }
            }
        }
    }
}

fn table(text: &str) -> Result<Table, String> {
    toml::from_str(text).map_err(|_| "it is not valid TOML".to_owned())
}

/// Returns the commands that the user allows for the tree at `root`.
fn allowed(root: &Path, text: &str) -> Result<Vec<Vec<String>>, String> {
    let mut commands = Vec::new();
    let table = table(text)?;
    for entry in list(&table, "allow_extractor")? {
        let of = entry.get("root").and_then(Value::as_str);
        let Some(of) = of else { return Err("each `allow_extractor` needs a `root`".to_owned()) };
        let command = command(entry).ok_or_else(|| {
            "each `allow_extractor` needs a `command`, a list of texts".to_owned()
        })?;
        if Path::new(of).is_absolute() && Path::new(of).canonicalize().is_ok_and(|of| of == root) {
            commands.push(command);
        }
    }
    Ok(commands)
}

/// Returns the extractors that a tree's file names.
fn extractors(text: &str) -> Result<Vec<Extractor>, String> {
    let table = table(text)?;
    let entries = list(&table, "extractor")?;
    if entries.len() > COUNT_MAX {
        return Err(format!("it names more than {COUNT_MAX} extractors"));
    }
    let mut found: Vec<Extractor> = Vec::with_capacity(entries.len());
    for entry in entries {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.chars().all(is_plain) {
            return Err(
                "the `name` of an extractor must be up to 40 letters, digits, - and _".to_owned()
            );
        }
        if found.iter().any(|other| other.name == name) {
            return Err(format!("two extractors have the name `{name}`"));
        }
        let command = command(entry)
            .ok_or_else(|| format!("the extractor `{name}` needs a `command`, a list of texts"))?;
        let texts = |key: &str| entry.get(key).map(texts);
        let (globs, extensions) = match (texts("globs"), texts("extensions")) {
            (Some(None), _) | (_, Some(None)) | (None, None) => {
                return Err(format!(
                    "the extractor `{name}` needs `globs` or `extensions`, lists of texts"
                ));
            }
            (globs, extensions) => (globs.flatten(), extensions.flatten()),
        };
        let of_extension =
            |extension: String| format!("**/*.{}", extension.trim_start_matches('.'));
        let patterns: Vec<String> = globs
            .unwrap_or_default()
            .into_iter()
            .chain(extensions.unwrap_or_default().into_iter().map(of_extension))
            .collect();
        let globs =
            matcher(&patterns).map_err(|problem| format!("the extractor `{name}`: {problem}"))?;
        let (name, late) = (name.to_owned(), AtomicUsize::new(0));
        found.push(Extractor { name, command, patterns, globs, late });
    }
    Ok(found)
}

fn matcher(globs: &[String]) -> Result<GlobSet, String> {
    let pattern = match globs {
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(",")),
    };
    glob::compile(&pattern, true)
}

fn list<'t>(table: &'t Table, key: &str) -> Result<Vec<&'t Table>, String> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    let tables = value.as_array().map(|values| values.iter().filter_map(Value::as_table).collect());
    tables.ok_or_else(|| format!("`{key}` must be a list of tables, `[[{key}]]`"))
}

fn command(entry: &Table) -> Option<Vec<String>> {
    entry.get("command").and_then(texts).filter(|words| !words.is_empty())
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = r#"
[[extractor]]
name = "recipes"
extensions = ["recipe"]
globs = ["menus/*.txt"]
command = ["python3", "tools/recipes.py"]
"#;

    #[test]
    fn only_what_the_user_allows_for_this_tree_runs() {
        let root = std::env::temp_dir().canonicalize().expect("a directory");
        let user = |root: &str, script: &str| {
            format!("[[allow_extractor]]\nroot = {root:?}\ncommand = [\"python3\", {script:?}]\n")
        };
        let here = root.to_str().expect("UTF-8");
        let found = |user: Option<&str>| Extractors::configured(&root, TREE, user).expect("valid");
        let mine = user(here, "tools/recipes.py");
        let allowed = found(Some(&mine));
        assert!(allowed.refused().is_empty() && !allowed.is_empty());
        for path in ["soup.recipe", "a/b/soup.recipe", "menus/monday.txt"] {
            assert_eq!(allowed.of(path).map(|of| of.name.as_str()), Some("recipes"), "{path}");
        }
        assert!(allowed.of("notes.txt").is_none() && allowed.of("menus/a/b.txt").is_none());
        for user in [None, Some(user(here, "tools/other.py")), Some(user("/", "tools/recipes.py"))]
        {
            let refused = found(user.as_deref());
            assert!(refused.is_empty() && refused.refused() == ["recipes"], "{user:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("[[extractor]]\nname = \"a b\"\n", "up to 40 letters"),
            ("[[extractor]]\nname = \"a\"\nextensions = [\"x\"]\n", "needs a `command`"),
            ("[[extractor]]\nname = \"a\"\ncommand = [\"x\"]\n", "needs `globs` or `extensions`"),
            ("extractor = 3\n", "a list of tables"),
            ("[", "not valid TOML"),
        ] {
            let problem = Extractors::configured(Path::new("/"), text, None).expect_err(text);
            assert!(problem.contains(expected), "{text}: {problem}");
        }
    }
}
