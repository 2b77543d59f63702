//! Which files run a file as a program: they name its path, its module, or the command that a manifest
//! gives it.

use std::collections::{BTreeSet, VecDeque};

use super::runner::nearest;
use super::tree::Tree;
use crate::base::ids::FileId;

/// The maximum number of files whose texts are searched for one name of a program.
const SEARCHED_MAX: usize = 100;

/// The maximum number of files above a changed one that may be programs.
const ABOVE_MAX: usize = 40;

/// The maximum number of programs among them.
const PROGRAMS_MAX: usize = 8;

/// Names of files that many directories have.
const GENERAL: [&str; 6] =
    ["__init__.py", "__main__.py", "main.py", "main.rs", "index.js", "index.ts"];

/// What starts other programs, in lower case.
const STARTS: [&str; 19] = [
    "cargo_bin",
    "child_process",
    "command::new",
    "exec(",
    "exec.command",
    "execa",
    "execfile",
    "fork(",
    "open3",
    "pexpect",
    "popen",
    "processbuilder",
    "runpy",
    "script_runner",
    "spawn",
    "subprocess",
    "system(",
    "worker(",
    "%x",
];

/// What runs a command, in lower case, if it stands shortly before its name.
const CALLS: [&str; 6] = ["call(", "check_output", "invoke(", "run(", "sh(", "shell("];

/// The start of the variable with the path of a program, which Cargo sets for tests.
const BINARY: &str = "CARGO_BIN_EXE_";

/// The maximum distance between both.
const NEAR_BYTES: usize = 200;

/// A file that runs a program, with the positions of its names there.
pub(super) struct Run {
    pub(super) file: FileId,
    pub(super) places: Vec<usize>,
}

/// A name of a program.
enum Name {
    /// The end of its path.
    Path(String),
    /// A dotted name of Python, for `-m`.
    Module(String),
    /// The name of a command.
    Command(String),
}

/// Returns true if a file may be run as a program. O(its text).
pub(super) fn is_program(tree: &dyn Tree, file: FileId) -> bool {
    let Some(facts) = tree.file(file).filter(|of| of.language.is_code()) else { return false };
    let path = &*facts.path;
    match facts.language.name {
        "rust" => path.ends_with("src/main.rs") || path.contains("src/bin/"),
        "go" => path.ends_with("main.go"),
        _ => {
            let starts = |text: &[u8]| {
                text.starts_with(b"#!") || memchr::memmem::find(text, b"__main__").is_some()
            };
            path.ends_with("__main__.py")
                || tree.importers(file).is_empty()
                || tree.text(file).is_some_and(|text| starts(&text))
                || !commands(tree, path).is_empty()
        }
    }
}

/// Returns the programs among a file and those that import it, directly or not, the nearest first; at most
/// eight, among 40 files.
pub(super) fn above(tree: &dyn Tree, file: FileId) -> Vec<FileId> {
    let mut seen = BTreeSet::from([file]);
    let mut open = VecDeque::from([file]);
    let mut found = Vec::new();
    while let Some(file) = open.pop_front().filter(|_| found.len() < PROGRAMS_MAX) {
        if is_program(tree, file) {
            found.push(file);
        }
        for importer in tree.importers(file) {
            if seen.len() < ABOVE_MAX && !tree.is_test(importer) && seen.insert(importer) {
                open.push_back(importer);
            }
        }
    }
    found
}

/// Returns the files that run a program, in path order for each of its names. O(texts of the files that may
/// contain one).
pub(super) fn runs(tree: &dyn Tree, program: FileId) -> Vec<Run> {
    let path = tree.path(program);
    let (mut found, mut others): (Vec<Run>, Vec<Run>) = Default::default();
    for name in names(tree, &path) {
        let (Name::Path(text) | Name::Module(text) | Name::Command(text)) = &name;
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        let Some(word) = words.max_by_key(|word| word.len()).filter(|of| of.len() > 1) else {
            continue;
        };
        for file in tree.with_word(word).into_iter().take(SEARCHED_MAX) {
            let is_code = tree.file(file).is_some_and(|facts| facts.language.is_code());
            let Some(text) = tree.text(file).filter(|_| is_code && file != program) else {
                continue;
            };
            let places = name.places(&path, &text);
            if places.is_empty() {
                continue;
            }
            if has_start(&text) {
                found.push(Run { file, places });
            } else if tree.is_test(file) && !matches!(name, Name::Command(_)) {
                others.push(Run { file, places });
            }
        }
    }
    // These may run it with a function of another file.
    if found.is_empty() { others } else { found }
}

/// Returns true if a text contains what starts other programs.
fn has_start(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    STARTS.iter().any(|start| memchr::memmem::find(&text, start.as_bytes()).is_some())
}

fn names(tree: &dyn Tree, path: &str) -> Vec<Name> {
    let (folder, base) = path.rsplit_once('/').unwrap_or(("", path));
    let mut found = vec![Name::Path(base.to_owned())];
    if base == "__init__.py" {
        found.clear();
    }
    if let Some(stem) = base.rsplit_once('.').map(|(stem, _)| stem).filter(|_| is_script(base)) {
        found.push(Name::Path(format!("{stem}\"")));
        found.push(Name::Path(format!("{stem}'")));
    }
    if base == "main.go" && !folder.is_empty() {
        let last = folder.rsplit('/').next().unwrap_or(folder);
        found.push(Name::Path(last.to_owned()));
    }
    found.extend(dotted(path).map(Name::Module));
    found.extend(commands(tree, path).into_iter().map(Name::Command));
    found
}

/// Returns true for files that Node runs by their names without the extension.
fn is_script(base: &str) -> bool {
    [".js", ".cjs", ".mjs", ".ts"].iter().any(|end| base.ends_with(end))
}

/// Returns the dotted name of a module of Python; that of its package for `__main__.py`.
fn dotted(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".py")?;
    let stem =
        stem.strip_suffix("/__main__").or_else(|| stem.strip_suffix("/__init__")).unwrap_or(stem);
    Some(stem.replace('/', "."))
}

/// Returns true if a dotted name is the other one or its end.
fn is_end(whole: &str, end: &str) -> bool {
    whole.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Returns the names of the commands that the nearest manifests give to a file.
fn commands(tree: &dyn Tree, path: &str) -> Vec<String> {
    let read = |path: &str| {
        let text = tree.text(tree.find(path)?)?;
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let manifest = |name: &str| nearest(folder, name, &read);
    let mut found = Vec::new();
    if path.ends_with(".py") {
        let dotted = dotted(path).unwrap_or_default();
        for name in ["pyproject.toml", "setup.cfg", "setup.py"] {
            let text = manifest(name).map(|(_, text)| text).unwrap_or_default();
            found.extend(text.lines().filter_map(|line| {
                let (name, target) = line.split_once('=')?;
                let bare = |text: &str| {
                    text.trim().trim_matches(['"', '\'', ',', '[', ']']).trim().to_owned()
                };
                let (module, function) = target.split_once(':')?;
                let is_name = |c: char| c.is_alphanumeric() || "._-".contains(c);
                let (name, module) = (bare(name), bare(module));
                let is_entry = !module.is_empty()
                    && module.chars().all(is_name)
                    && bare(function).chars().all(is_name);
                (is_entry && is_end(&dotted, &module)).then_some(name)
            }));
        }
    } else if path.ends_with(".rs") {
        let name = binary(path, manifest("Cargo.toml"));
        let variable = name.as_ref().map(|name| format!("{BINARY}{name}"));
        found.extend(name.into_iter().chain(variable));
    } else if let Some((project, text)) = manifest("package.json") {
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let below = path.strip_prefix(&project).unwrap_or(path).trim_start_matches('/');
        let is_it = |target: &serde_json::Value| {
            target.as_str().is_some_and(|target| target.trim_start_matches("./") == below)
        };
        if is_it(&value["bin"]) {
            found.extend(value["name"].as_str().map(str::to_owned));
        }
        let named = value["bin"].as_object().into_iter().flatten();
        found.extend(named.filter(|(_, target)| is_it(target)).map(|(name, _)| name.clone()));
    }
    found.retain(|name| name.len() > 1);
    found
}

/// Returns the name of the program that a file of Rust is the root of.
fn binary(path: &str, manifest: Option<(String, String)>) -> Option<String> {
    if let Some((_, rest)) = path.split_once("src/bin/") {
        let name = rest.split('/').next()?;
        return Some(name.strip_suffix(".rs").unwrap_or(name).to_owned());
    }
    if !path.ends_with("src/main.rs") {
        return None;
    }
    let table: toml::Table = manifest?.1.parse().ok()?;
    Some(table.get("package")?.get("name")?.as_str()?.to_owned())
}

impl Name {
    /// Returns where a text has this name of the program at `path`, in a string.
    fn places(&self, path: &str, text: &[u8]) -> Vec<usize> {
        let mut found = self.places_anywhere(path, text);
        found.retain(|&at| is_in_string(&text[..at]));
        found
    }

    fn places_anywhere(&self, path: &str, text: &[u8]) -> Vec<usize> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_folder_name = |name: &str| {
            // `main.go` is named by its directory.
            folder.rsplit('/').next() == Some(name) && !path.ends_with(&format!("/{name}"))
        };
        match self {
            Name::Path(name) => {
                let folder = if is_folder_name(name) {
                    folder.rsplit_once('/').map_or("", |(above, _)| above)
                } else {
                    folder
                };
                let own = folder.rsplit('/').next().unwrap_or_default();
                let is_general = GENERAL.contains(&name.as_str()) || !name.contains('.');
                let needs_folder = is_general || name.ends_with(['"', '\'']);
                let is_here = |at: usize| {
                    let (before, after) = (&text[..at], &text[at + name.len()..]);
                    is_path_end(before, own, needs_folder) && !after.first().is_some_and(is_of_name)
                };
                memchr::memmem::find_iter(text, name.as_bytes()).filter(|&at| is_here(at)).collect()
            }
            Name::Module(dotted) => {
                let last = dotted.rsplit('.').next().unwrap_or(dotted);
                let is_here = |at: usize| {
                    let start = text[..at].iter().rposition(|byte| !is_of_name(byte));
                    let start = start.map_or(0, |before| before + 1);
                    let end = at + last.len();
                    let written = std::str::from_utf8(&text[start..end]).unwrap_or_default();
                    let before = trimmed(&text[..start]);
                    let is_run = before.ends_with(b"-m") || before.ends_with(b"run_module");
                    is_run && is_end(dotted, written) && !text.get(end).is_some_and(is_of_name)
                };
                memchr::memmem::find_iter(text, last.as_bytes()).filter(|&at| is_here(at)).collect()
            }
            Name::Command(name) => {
                let is_here = |at: usize| {
                    let after = text.get(at + name.len());
                    let is_variable = name.starts_with(BINARY) && !after.is_some_and(is_of_name);
                    is_variable || is_command(&text[..at], after)
                };
                memchr::memmem::find_iter(text, name.as_bytes()).filter(|&at| is_here(at)).collect()
            }
        }
    }
}

/// Returns true if a name between these texts is that of a command: the first word of a list, or of a string
/// shortly after what starts programs.
fn is_command(before: &[u8], after: Option<&u8>) -> bool {
    let is_quote = |byte: &u8| b"\"'`".contains(byte);
    let is_end = after.is_none_or(|byte| is_quote(byte) || byte.is_ascii_whitespace());
    let is_start = before.last().is_some_and(|byte| is_quote(byte) || b"/ ".contains(byte));
    let is_documentation = before.ends_with(b"\"\"\"") || before.ends_with(b"'''");
    if !is_end || !is_start || is_documentation {
        return false;
    }
    let is_first = before.last().is_some_and(is_quote)
        && after.is_some_and(is_quote)
        && before[..before.len() - 1].trim_ascii_end().ends_with(b"[");
    let near = before[before.len().saturating_sub(NEAR_BYTES)..].to_ascii_lowercase();
    let has = |start: &&str| memchr::memmem::find(&near, start.as_bytes()).is_some();
    is_first || STARTS.iter().chain(&CALLS).any(has)
}

/// Returns true if a line that begins like this can be in a string, and in no comment or documentation.
fn is_in_string(before: &[u8]) -> bool {
    let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let line = before[line..].trim_ascii_start();
    let prose: [&[u8]; 6] = [b"#", b"//", b"*", b"/*", b"\"\"\"", b"'''"];
    !prose.iter().any(|start| line.starts_with(start))
        && line.iter().any(|byte| b"\"'`".contains(byte))
}

/// Returns true if what stands before the name of a file can be its directory.
fn is_path_end(before: &[u8], folder: &str, needs_folder: bool) -> bool {
    let Some(rest) = before.strip_suffix(b"/") else {
        return !needs_folder && !before.last().is_some_and(is_of_name);
    };
    let start = rest.iter().rposition(|byte| !is_of_name(byte)).map_or(0, |at| at + 1);
    let written = &rest[start..];
    matches!(written, b"" | b"." | b"..") || written == folder.as_bytes()
}

/// Returns a text without the quotes, commas, brackets and spaces at its end.
fn trimmed(text: &[u8]) -> &[u8] {
    let kept = text.iter().rposition(|byte| !b"\"'`, \n([".contains(byte));
    &text[..kept.map_or(0, |at| at + 1)]
}

fn is_of_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_-.".contains(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(name: &Name, path: &str, text: &str) -> usize {
        name.places(path, text.as_bytes()).len()
    }

    #[test]
    fn names_are_found_where_they_can_be_the_program() {
        let path = |text: &str| count(&Name::Path("tool.py".into()), "src/tool.py", text);
        for text in
            ["'src/tool.py'", "\"tool.py\"", "ROOT / 'tool.py'", "'./tool.py'", "f'{d}/tool.py'"]
        {
            assert_eq!(path(text), 1, "{text}");
        }
        for text in
            ["'other/tool.py'", "'my-tool.py'", "'tool.pyc'", "tool", "# see 'tool.py'", "tool.py"]
        {
            assert_eq!(path(text), 0, "{text}");
        }
        let module =
            |text: &str| count(&Name::Module("src.pkg.tool".into()), "src/pkg/tool.py", text);
        for text in ["'-m', 'pkg.tool'", "'python -m pkg.tool -x'", "run_module(\"src.pkg.tool\")"]
        {
            assert_eq!(module(text), 1, "{text}");
        }
        for text in ["'pkg.tool'", "'-m pkg.tools'", "'-m other.tool'", "'-m pkg.tool.x'"] {
            assert_eq!(module(text), 0, "{text}");
        }
        let variable = Name::Command("CARGO_BIN_EXE_shop".into());
        assert_eq!(count(&variable, "src/main.rs", "env!(\"CARGO_BIN_EXE_shop\")"), 1);
        assert_eq!(count(&variable, "src/main.rs", "env!(\"CARGO_BIN_EXE_shops\")"), 0);
        let command = |text: &str| count(&Name::Command("shop".into()), "src/main.rs", text);
        for text in ["run(['shop'])", "sh(\"shop -h\")", "system('x | shop')"] {
            assert_eq!(command(text), 1, "{text}");
        }
        for text in
            ["# the shop is", "run('shop-a')", "shop()", "\"Run 'shop x' now\"", "a / 'shop'"]
        {
            assert_eq!(command(text), 0, "{text}");
        }
    }
}
