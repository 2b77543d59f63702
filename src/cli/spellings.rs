//! Other words for commands and options, which people try first: those of git, of ripgrep and of other
//! tools. They are accepted everywhere and listed nowhere but here.

use std::ffi::OsString;

/// Other words for commands, and the words that they stand for. A word that is a command is not in the
/// list.
const COMMANDS: &[(&str, &[&str])] = &[
    ("affected", &["diff-impact"]),
    ("affects", &["impact"]),
    ("ask", &["context"]),
    ("authors", &["ownership"]),
    ("blame", &["ownership"]),
    #[cfg(feature = "ui")]
    ("browse", &["ui"]),
    ("build", &["index"]),
    ("called-by", &["callers"]),
    ("callees", &["explain"]),
    ("calls", &["callers"]),
    ("cat", &["read"]),
    ("choose", &["pick"]),
    ("clean", &["index", "--clean"]),
    ("co-change", &["coupling"]),
    ("cochange", &["coupling"]),
    ("commits", &["history"]),
    ("def", &["symbol"]),
    ("definition", &["symbol"]),
    ("definitions", &["symbol"]),
    ("defs", &["symbol"]),
    ("dependencies", &["deps", "--direction", "depends_on"]),
    ("dependents", &["deps"]),
    ("describe", &["explain"]),
    ("diff", &["changes"]),
    ("files", &["find"]),
    ("finder", &["pick"]),
    ("function", &["symbol"]),
    ("fzf", &["pick"]),
    ("gaps", &["test-gaps"]),
    ("gc", &["cache", "clean"]),
    ("goto", &["symbol"]),
    ("hotspots", &["churn"]),
    ("implementations", &["callers", "--implementations"]),
    ("implementers", &["callers", "--implementations"]),
    ("implementors", &["callers", "--implementations"]),
    ("importers", &["deps"]),
    ("imports", &["deps", "--direction", "depends_on"]),
    ("info", &["status"]),
    ("log", &["history"]),
    ("lookup", &["symbol"]),
    ("open", &["pick"]),
    ("overrides", &["callers", "--implementations"]),
    ("owner", &["ownership"]),
    ("owners", &["ownership"]),
    ("path", &["callpath"]),
    ("prune", &["cache", "clean"]),
    ("readers", &["callers", "--readers"]),
    ("recent", &["hot"]),
    ("references", &["callers", "--uses"]),
    ("refs", &["callers", "--uses"]),
    ("reindex", &["index"]),
    ("repos", &["projects"]),
    ("reviewers", &["who-reviews"]),
    ("rg", &["search"]),
    ("risk", &["check"]),
    ("show", &["read"]),
    ("struct", &["symbol"]),
    ("subclasses", &["callers", "--implementations"]),
    ("symbols", &["symbol"]),
    ("tests", &["suggest-tests"]),
    ("tests-for", &["suggest-tests"]),
    ("understand", &["explain"]),
    ("usages", &["callers", "--uses"]),
    ("uses", &["callers", "--uses"]),
    ("view", &["read"]),
    ("watch", &["index", "--watch"]),
    #[cfg(feature = "ui")]
    ("web", &["ui"]),
    ("who", &["who-reviews"]),
    ("who-calls", &["callers"]),
    ("writers", &["callers", "--writers"]),
];

/// Groups of names of arguments that mean the same. A tool with one of a group takes the others, too,
/// unless they are arguments of its own.
const ARGUMENTS: &[&[&str]] = &[
    &["limit", "max_results", "top_n", "max_count", "count", "number", "head"],
    &["directory", "dir", "folder", "path"],
    &["file_path", "file", "path"],
    &["path_glob", "glob", "path", "paths", "in", "include"],
    &["path", "path_glob", "paths", "glob", "in", "include", "file"],
    &["paths", "path", "include", "in"],
    &["unit_name", "symbol", "name", "function", "unit"],
    &["symbol", "name", "function", "definition", "unit_name"],
    &["functions", "function", "symbols", "symbol", "names"],
    &["max_tokens", "tokens", "budget"],
    &["ref", "base", "since", "against"],
    &["base", "ref", "since", "against"],
    &["since", "base", "ref", "after"],
    &["max_depth", "depth"],
    &["depth", "max_depth", "level"],
    &["exclude", "ignore", "not"],
    &["line_start", "start", "from"],
    &["line_end", "end", "to"],
];

/// The names of arguments that have the short flag `-n`.
const LIMITS: [&str; 3] = ["limit", "max_results", "top_n"];

/// Replaces another word for a command, which is at `at`.
pub(super) fn expand(args: &mut Vec<OsString>, at: usize) {
    let word = args.get(at).and_then(|arg| arg.to_str());
    let known = COMMANDS.iter().find(|(other, _)| Some(*other) == word);
    // `clean` alone is about this tree; with a tree or an option, about all indexes.
    if word == Some("clean") && args.len() > at + 1 {
        args.splice(at..=at, ["cache", "clean"].map(OsString::from));
    } else if let Some((_, words)) = known {
        args.splice(at..=at, words.iter().map(OsString::from));
    }
    if args.get(at).is_some_and(|word| word == "read") {
        join_lines(args, at + 1);
    }
    // `suggest-tests --run` is a way to ask for `test`.
    if args.get(at).is_some_and(|word| word == "suggest-tests")
        && let Some(run) = args.iter().position(|arg| arg == "--run")
    {
        args.remove(run);
        if let Some(word) = args.get_mut(at) {
            *word = "test".into();
        }
    }
}

/// Writes lines that follow a path as a word of their own, such as `10-40`, into the path's word, from `first` on.
fn join_lines(args: &mut Vec<OsString>, first: usize) {
    let is_range = |text: &str| {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        from.parse::<usize>().is_ok() && to.parse::<usize>().is_ok()
    };
    let mut at = first + 1;
    while at < args.len() {
        let (before, lines) = (args[at - 1].to_str(), args[at].to_str());
        let joined = before.zip(lines).filter(|(before, lines)| {
            !before.starts_with('-') && !is_range(before) && is_range(lines)
        });
        match joined.map(|(before, lines)| format!("{before}:{lines}")) {
            Some(joined) => {
                args.splice(at - 1..=at, [OsString::from(joined)]);
            }
            None => at += 1,
        }
    }
}

/// Returns the words for a command that are similar to an unknown one.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(other, _)| *other)
}

/// Returns other names of an argument, without those for which `is_taken`.
pub(super) fn of_argument(name: &str, is_taken: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let group = ARGUMENTS.iter().find(|group| group[0] == name);
    let group = group.or_else(|| {
        ARGUMENTS.first().filter(|group| LIMITS.contains(&name) && group.contains(&name))
    });
    let others = group.into_iter().flat_map(|group| group.iter().copied());
    others.filter(|other| *other != name && !is_taken(other)).collect()
}

/// Returns true for the maximum number of results.
pub(super) fn is_limit(name: &str) -> bool {
    LIMITS.contains(&name)
}

/// Returns the values of a list that may be written as JSON, or with commas between them: `["a", "b"]`,
/// `a,b`.
pub(super) fn list(value: &str) -> Vec<String> {
    if let Some(values) =
        Some(value).filter(|it| it.starts_with('[')).and_then(|it| serde_json::from_str(it).ok())
    {
        return values;
    }
    // A comma in brackets is part of a name: `Map<K,V>::get`.
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, c) in value.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&value[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&value[start..]);
    let found = found.into_iter().map(|it| it.trim().to_owned());
    found.filter(|it| !it.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_no_commands_and_lead_to_commands() {
        let commands = crate::cli::commands::names();
        assert!(COMMANDS.is_sorted_by_key(|(other, _)| *other), "the list is not sorted");
        for (other, words) in COMMANDS {
            assert!(!commands.iter().any(|name| name == other), "`{other}` is a command");
            assert!(commands.iter().any(|name| name == words[0]), "`{}` is no command", words[0]);
        }
    }

    #[test]
    fn lists_are_written_in_three_ways() {
        assert_eq!(list("[\"Price::of\", \"b\"]"), ["Price::of", "b"]);
        assert_eq!(list("a, b"), ["a", "b"]);
        assert_eq!(list("Map<K,V>::get,f(a,b)"), ["Map<K,V>::get", "f(a,b)"]);
        assert_eq!(list("[broken"), ["[broken"]);
    }

    #[test]
    fn other_names_of_arguments_are_not_those_of_the_tool() {
        assert!(of_argument("max_results", |_| false).contains(&"limit"));
        assert!(!of_argument("limit", |name| name == "max_results").contains(&"max_results"));
        assert!(of_argument("task", |_| false).is_empty());
    }
}
