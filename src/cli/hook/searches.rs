//! Whether a command line searches the files of a tree: with grep, ripgrep, ag, ack, fd, `git grep`
//! or `find -name`. A command that filters the output of another, or searches elsewhere, does not.

use std::path::{Component, Path, PathBuf};

use super::shell::{self, SimpleCommand};

/// The longest command line that is examined.
const LINE_BYTES_MAX: usize = 64 << 10;

/// How deep shells may start shells.
const DEPTH_MAX: usize = 2;

/// The tree, and the directory in which a command starts.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The canonical root.
    pub(super) root: &'a Path,
    /// The canonical directory.
    pub(super) dir: &'a Path,
    /// The directory as the client names it.
    pub(super) named_dir: &'a Path,
}

impl Place<'_> {
    /// Returns true if `path`, relative to `dir`, is in the tree. Links are not resolved.
    pub(super) fn contains(&self, dir: &Path, path: &str) -> bool {
        self.resolved(dir, path).is_some_and(|path| self.has(&path))
    }

    fn has(&self, path: &Path) -> bool {
        let below = path.strip_prefix(self.root);
        below.is_ok_and(|below| !below.iter().any(|name| name == ".git"))
    }

    /// Returns an absolute path without `.` and `..`; `None` if only the shell knows it.
    fn resolved(&self, dir: &Path, path: &str) -> Option<PathBuf> {
        if path.starts_with('~') || path.contains('$') {
            return None;
        }
        let path = Path::new(path);
        let joined = match path.strip_prefix(self.named_dir) {
            Ok(below) => self.dir.join(below),
            Err(_) => dir.join(path),
        };
        let mut resolved = PathBuf::new();
        for component in joined.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => drop(resolved.pop()),
                _ => resolved.push(component),
            }
        }
        Some(resolved)
    }
}

/// Returns true if the command line searches files of the tree.
pub(super) fn line_searches(line: &str, place: Place<'_>) -> bool {
    searches(line, place, DEPTH_MAX)
}

fn searches(line: &str, place: Place<'_>, depth: usize) -> bool {
    if line.len() > LINE_BYTES_MAX {
        return false;
    }
    let mut dir = Some(place.dir.to_path_buf());
    let mut is_after_git = false;
    for command in shell::commands(line) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let words = without_prefixes(&words);
        let Some((&program, args)) = words.split_first() else { continue };
        let Some(here) = dir.clone() else { return false };
        match name(program) {
            "cd" | "pushd" => {
                dir = args.last().and_then(|path| place.resolved(&here, path));
            }
            "bash" | "sh" | "zsh" | "dash" => {
                let script = args.iter().position(|arg| arg.starts_with('-') && arg.ends_with('c'));
                let script = script.and_then(|at| args.get(at + 1));
                let at_dir = Place { dir: &here, ..place };
                if depth > 0 && script.is_some_and(|line| searches(line, at_dir, depth - 1)) {
                    return true;
                }
            }
            // `git ls-files | xargs grep`.
            "xargs"
                if is_after_git
                    && command.has_input
                    && args.iter().any(|arg| Tool::of(name(arg)).is_some())
                    && place.has(&here) =>
            {
                return true;
            }
            _ if command_searches(program, args, &command, &here, place) => return true,
            _ => {}
        }
        is_after_git = name(program) == "git" || is_after_git && command.has_input;
    }
    false
}

/// Returns the words without assignments, keywords and programs that start another one.
fn without_prefixes<'a, 'b>(mut words: &'b [&'a str]) -> &'b [&'a str] {
    const PREFIXES: &[&str] = &[
        "!", "{", "if", "then", "elif", "else", "while", "until", "do", "time", "command",
        "builtin", "env", "nohup", "nice", "sudo", "exec",
    ];
    loop {
        words = match words {
            [first, rest @ ..] if PREFIXES.contains(first) || is_assignment(first) => rest,
            [first, _, rest @ ..] if *first == "timeout" => rest,
            _ => return words,
        };
    }
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn name(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program).trim_end_matches(".exe")
}

fn command_searches(
    program: &str,
    args: &[&str],
    command: &SimpleCommand,
    dir: &Path,
    place: Place<'_>,
) -> bool {
    if name(program) == "git" {
        return git_searches(args, dir, place);
    }
    if name(program) == "find" {
        return find_searches(args, dir, place);
    }
    let Some(tool) = Tool::of(name(program)) else { return false };
    let args = Arguments::parse(args, tool);
    if args.is_question {
        return false;
    }
    let paths = args.paths();
    if paths.is_empty() {
        let reads_tree = args.is_recursive || tool != Tool::Grep && !command.has_input;
        return reads_tree && place.has(dir);
    }
    paths.iter().any(|path| *path != "-" && place.contains(dir, path))
}

/// `git grep`, after git's own options.
fn git_searches(args: &[&str], dir: &Path, place: Place<'_>) -> bool {
    let mut dir = dir.to_path_buf();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "-C" => match args.next().and_then(|path| place.resolved(&dir, path)) {
                Some(path) => dir = path,
                None => return false,
            },
            "-c" | "--git-dir" | "--work-tree" => drop(args.next()),
            "grep" => return place.has(&dir),
            _ if arg.starts_with('-') => {}
            _ => return false,
        }
    }
    false
}

/// `find` with a test of names.
fn find_searches(args: &[&str], dir: &Path, place: Place<'_>) -> bool {
    const TESTS: &[&str] =
        &["-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"];
    if !args.iter().any(|arg| TESTS.contains(arg)) {
        return false;
    }
    let args = args.iter().skip_while(|arg| ["-H", "-L", "-P"].contains(arg));
    let mut paths = args.take_while(|arg| !arg.starts_with(['-', '(', '!'])).peekable();
    match paths.peek() {
        None => place.has(dir),
        Some(_) => paths.any(|path| place.contains(dir, path)),
    }
}

/// A program that searches files.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Tool {
    /// Reads standard input unless it is recursive or gets files.
    Grep,
    Ripgrep,
    Ag,
    Ack,
    Fd,
}

impl Tool {
    fn of(name: &str) -> Option<Tool> {
        Some(match name {
            "grep" | "egrep" | "fgrep" => Tool::Grep,
            "rg" | "ripgrep" | "ugrep" => Tool::Ripgrep,
            "ag" => Tool::Ag,
            "ack" => Tool::Ack,
            "fd" | "fdfind" => Tool::Fd,
            _ => return None,
        })
    }

    /// Returns the short options that take a value.
    fn short_with_value(self) -> &'static str {
        match self {
            Tool::Grep => "efABCmdD",
            Tool::Ripgrep => "efgtTABCmrMjEd",
            Tool::Ag => "ABCGmpW",
            Tool::Ack => "ABCm",
            Tool::Fd => "dteExXcjS",
        }
    }
}

/// Long options whose value may be the next word.
const LONG_WITH_VALUE: &[&str] = &[
    "after-context",
    "before-context",
    "color",
    "colors",
    "context",
    "encoding",
    "engine",
    "exclude",
    "exclude-dir",
    "extension",
    "file",
    "glob",
    "iglob",
    "ignore",
    "ignore-dir",
    "include",
    "max-columns",
    "max-count",
    "max-depth",
    "max-filesize",
    "regexp",
    "replace",
    "sort",
    "sortr",
    "threads",
    "type",
    "type-add",
    "type-not",
];

/// The parsed arguments of a search.
#[derive(Default)]
struct Arguments<'a> {
    operands: Vec<&'a str>,
    /// True if no operand is a pattern.
    has_pattern: bool,
    is_recursive: bool,
    /// True for `--help` and the like.
    is_question: bool,
}

impl<'a> Arguments<'a> {
    fn parse(words: &[&'a str], tool: Tool) -> Arguments<'a> {
        let mut args = Arguments::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word == "--" {
                args.operands.extend(words);
                break;
            }
            if let Some(long) = word.strip_prefix("--") {
                let (name, value) =
                    long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                args.has_pattern |= ["regexp", "file", "files"].contains(&name);
                args.is_recursive |= ["recursive", "dereference-recursive"].contains(&name);
                args.is_question |= ["help", "version", "type-list"].contains(&name);
                if value.is_none() && LONG_WITH_VALUE.contains(&name) && name != "color" {
                    words.next();
                }
            } else if word.len() > 1 && word.starts_with('-') {
                args.short(&word[1..], tool, &mut words);
            } else {
                args.operands.push(word);
            }
        }
        args
    }

    /// Reads a cluster of short options, such as `rnA3`.
    fn short(&mut self, cluster: &str, tool: Tool, words: &mut std::slice::Iter<'_, &'a str>) {
        for (at, option) in cluster.char_indices() {
            self.is_recursive |= tool == Tool::Grep && ['r', 'R'].contains(&option);
            self.is_question |= option == 'V';
            self.has_pattern |= tool != Tool::Fd && ['e', 'f'].contains(&option);
            if tool.short_with_value().contains(option) {
                if at + option.len_utf8() == cluster.len() {
                    words.next();
                }
                return;
            }
        }
    }

    /// Returns the operands that are paths.
    fn paths(&self) -> &[&'a str] {
        let patterns = usize::from(!self.has_pattern);
        self.operands.get(patterns..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: bool) {
        let (root, dir) = (Path::new("/tree"), Path::new("/tree/sub"));
        let place = Place { root, dir, named_dir: Path::new("/link/sub") };
        assert_eq!(line_searches(line, place), expected, "{line}");
    }

    #[test]
    fn searches_of_the_tree_are_recognized() {
        for line in [
            "grep -rn add_item src",
            "grep -rn add_item",
            "grep -n add_item src/cart.rs",
            "egrep -r 'a|b' .",
            "grep -e x -- src",
            "grep -A 3 -rn x",
            "grep --include='*.rs' -r x ..",
            "rg add_item",
            "rg -n -g '*.rs' -A3 add_item src | head -20",
            "rg --files | rg cart",
            "/usr/bin/rg -t rust x",
            "ag x; ls",
            "ack x src",
            "fd cart",
            "git grep -n x",
            "git --no-pager -C /tree grep x",
            "git ls-files | xargs grep -l x",
            "find . -name '*.rs'",
            "find -L src -type f -iname '*cart*' | head",
            "cd src && rg x",
            "LC_ALL=C timeout 5 rg x",
            "if rg -q x; then echo y; fi",
            "n=$(rg -c x src)",
            "bash -lc 'cd src; grep -rn x .'",
            "cat src/a.rs | grep x src/b.rs",
            "rg x /tree/src",
            "rg x /link/sub/src",
            "ls\nrg x",
        ] {
            check(line, true);
        }
    }

    #[test]
    fn filters_and_other_places_are_not() {
        for line in [
            "cargo test 2>&1 | grep -n error",
            "cargo test |\n  rg error",
            "cat src/a.rs | grep x",
            "ps aux | grep codedb | grep -v grep",
            "grep x",
            "grep x < src/a.rs",
            "rg x <<< \"$text\"",
            "rg x /var/log/syslog",
            "grep -rn x /usr/include ~/notes ../../other",
            "rg x \"$HOME/notes\"",
            "find /usr -name '*.h'",
            "find . -type f -newer a",
            "git -C /other grep x",
            "git log --grep x",
            "git log | grep x",
            "cd /var/log && rg x",
            "cd \"$dir\" && rg x",
            "rg x .git/config",
            "rg --version",
            "echo rg x",
            "cat <<EOF\nrg x\nEOF",
            "printf 'a' | xargs grep x",
            "# rg x",
            "cargo run -- grep x",
            "",
        ] {
            check(line, false);
        }
    }

    #[test]
    fn nested_shells_and_long_lines_are_bounded() {
        check("sh -c 'sh -c \"rg x\"'", true);
        check("sh -c \"sh -c \\\"sh -c 'rg x'\\\"\"", false);
        check(&format!("rg {}", "x".repeat(LINE_BYTES_MAX)), false);
    }
}
