//! How the command line displays replies of tools: with paths relative to the current directory,
//! and with colours and hyperlinks if requested.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::io::IsTerminal;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use grep_printer::{HyperlinkFormat, HyperlinkFormatError};
use serde_json::{Map, Value};

use super::hyperlink::Hyperlinks;
use super::settings::{self, Color};
use super::terminal;
use crate::answer::style::{Part, Style};
use crate::base::path::{from_path, shown};
use crate::base::text::{plain, shell_word};
use crate::tools::session::PROJECT;
use crate::tools::{self, Location};

/// Fields of a reply that hold a repository path, and the field that `--json` adds to each: the
/// same path, relative to the current directory.
const PATH_FIELDS: [(&str, &str); 2] =
    [("\"path\":", "\"relative_path\":"), ("\"from\":", "\"relative_from\":")];

/// The field that holds a list of paths, and what `--json` adds to it.
const PATHS_FIELD: (&str, &str) = ("\"files\":[", "\"relative_files\":[");

/// The arguments of tools that are repository paths.
const PATH_ARGS: [&str; 5] = ["path", "paths", "file_path", "files", "directory"];

/// The display of replies about one tree.
#[derive(Debug)]
pub(super) struct Display<'a> {
    root: &'a Path,
    /// The components of the current directory below the root; `None` if it is outside of the tree.
    current: Option<Vec<String>>,
    has_colors: bool,
    is_terminal: bool,
    hyperlinks: Option<Hyperlinks>,
    /// The URLs of the links so far.
    urls: RefCell<HashSet<String>>,
}

/// Returns the flags that choose the display of a reply.
pub(super) fn args() -> [Arg; 2] {
    [
        Arg::new("color")
            .long("color")
            .value_name("WHEN")
            .value_parser(["auto", "always", "never"])
            .default_value("auto")
            .hide_default_value(true)
            .help("When to colour the output (default `auto`: on a terminal, unless NO_COLOR is set)"),
        Arg::new("hyperlink-format")
            .long("hyperlink-format")
            .value_name("FORMAT")
            .value_parser(hyperlink_format)
            .help("Make paths hyperlinks where colours are used: `default`, an editor such as `vscode`, or a URL with `{path}` and `{line}`"),
    ]
}

fn hyperlink_format(text: &str) -> Result<HyperlinkFormat, HyperlinkFormatError> {
    text.parse()
}

impl<'a> Display<'a> {
    /// Returns the display that the flags of [`args`] choose for the tree at `root`, which is
    /// canonical.
    pub(super) fn new(root: &'a Path, matches: &ArgMatches) -> Display<'a> {
        let is_terminal = std::io::stdout().is_terminal();
        let is_default = matches.value_source("color") == Some(ValueSource::DefaultValue);
        let configured = settings::defaults().color.filter(|_| is_default);
        let when = configured.map(Color::name);
        let when = when.or_else(|| matches.get_one::<String>("color").map(String::as_str));
        let has_colors = match when {
            Some("always") => true,
            Some("never") => false,
            _ => is_terminal && terminal::environment_allows_colors(),
        };
        let format = matches.get_one::<HyperlinkFormat>("hyperlink-format").cloned();
        let format = format.or_else(settings::hyperlink_format).filter(|_| has_colors);
        let hyperlinks = format.as_ref().and_then(Hyperlinks::new);
        let (current, urls) = (current_below(root), RefCell::default());
        Display { root, current, has_colors, is_terminal, hyperlinks, urls }
    }

    /// Returns the display without colours for a reader at the root of a tree.
    #[cfg(test)]
    pub(super) fn at(root: &'a Path) -> Display<'a> {
        let (has_colors, is_terminal, hyperlinks) = (false, false, None);
        let urls = RefCell::default();
        Display { root, current: Some(Vec::new()), has_colors, is_terminal, hyperlinks, urls }
    }

    /// Returns the repository path of the current directory; `None` if it is outside of the tree.
    pub(super) fn current_directory(&self) -> Option<String> {
        self.current.as_ref().map(|parts| parts.join("/"))
    }

    /// Returns a reply as it is printed: on a terminal, what others wrote is escaped.
    pub(super) fn for_output(&self, reply: String) -> String {
        if !self.is_terminal {
            return reply;
        }
        terminal::escaped_styled(&reply, &|url| self.urls.borrow().contains(url))
    }

    /// Returns a JSON reply as it is printed: what a terminal would obey is escaped as JSON has it, so that the
    /// value stays the same.
    pub(super) fn json_for_output(&self, reply: String) -> String {
        terminal::escaped_json(&reply)
    }

    /// Returns a JSON reply with a relative path added next to each repository path.
    pub(super) fn json(&self, reply: &str) -> String {
        if self.current.is_none() {
            return reply.to_owned();
        }
        let mut out = String::with_capacity(reply.len() + reply.len() / 8);
        let mut rest = reply;
        while let Some(quote) = rest.find('"') {
            let (before, string) = rest.split_at(quote);
            out.push_str(before);
            // Only a key is followed by a colon.
            let field = PATH_FIELDS.iter().find(|(key, _)| string.starts_with(key));
            if let Some((key, added)) = field
                && let Some(value) = first_string(&string[key.len()..])
            {
                let end = key.len() + value.len();
                out.push_str(&string[..end]);
                out.push(',');
                out.push_str(added);
                out.push_str(&self.relative_string(value));
                rest = &string[end..];
            } else if string.starts_with(PATHS_FIELD.0)
                && let Some(list) = list_of_strings(&string[PATHS_FIELD.0.len()..])
            {
                let end =
                    PATHS_FIELD.0.len() + list.iter().map(|item| item.len() + 1).sum::<usize>();
                out.push_str(&string[..end]);
                out.push(',');
                out.push_str(PATHS_FIELD.1);
                let items: Vec<String> =
                    list.iter().map(|item| self.relative_string(item)).collect();
                out.push_str(&items.join(","));
                out.push(']');
                rest = &string[end..];
            } else {
                let Some(value) = first_string(string) else { break };
                out.push_str(value);
                rest = &string[value.len()..];
            }
        }
        out.push_str(rest);
        out
    }

    /// Converts a path, which is a JSON string, to one relative to the current directory.
    fn relative_string(&self, value: &str) -> String {
        let path: String = serde_json::from_str(value).unwrap_or_default();
        serde_json::to_string(&self.relative(&path)).unwrap_or_default()
    }

    /// Returns locations in the format of editors and fzf: `path:line:column:text`, one per line.
    pub(super) fn vimgrep(&self, locations: &[Location]) -> String {
        let style: &dyn Style = self;
        let mut out = String::new();
        for Location { path, line, column, text } in locations {
            out.push_str(&style.place(path, *line));
            out.push_str(&format!(":{column}:{}\n", plain(text)));
        }
        out
    }
}

impl Style for Display<'_> {
    fn relative<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let Some(current) = self.current.as_ref().filter(|parts| !parts.is_empty()) else {
            let is_root = path.is_empty() && self.current.is_some();
            return Cow::Borrowed(if is_root { "." } else { path });
        };
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let common = parts.iter().zip(current).take_while(|(a, b)| *a == b).count();
        let up = std::iter::repeat_n("..", current.len() - common);
        let relative: Vec<&str> = up.chain(parts[common..].iter().copied()).collect();
        let slash = if path.ends_with('/') { "/" } else { "" };
        if relative.is_empty() {
            Cow::Borrowed(".")
        } else {
            Cow::Owned(format!("{}{slash}", relative.join("/")))
        }
    }

    fn paint(&self, part: Part, text: String) -> String {
        if !self.has_colors || text.is_empty() {
            return text;
        }
        format!("{}{text}{}", terminal::color(part), terminal::RESET)
    }

    /// Returns the command: `codedb churn src/a.rs --limit 3`.
    fn call(&self, tool: &str, args: &Map<String, Value>) -> String {
        let known = tools::find(tool);
        let mut words = vec!["codedb".to_owned()];
        // A fleet is the project of commands below its own.
        let project = args.get(PROJECT).and_then(Value::as_str);
        words.extend(project.map(str::to_owned));
        words.push(known.map_or_else(|| tool.to_owned(), tools::Tool::command));
        let positional = |name: &str| known.is_some_and(|tool| tool.positional.contains(&name));
        let mut last: Vec<String> = Vec::new();
        for (name, value) in args.iter().filter(|(name, _)| *name != PROJECT) {
            let values = match value {
                Value::Array(values) => values.as_slice(),
                Value::Bool(false) => &[],
                value => std::slice::from_ref(value),
            };
            for value in values {
                let word = match value {
                    Value::Bool(_) => None,
                    Value::String(text) if PATH_ARGS.contains(&name.as_str()) => {
                        let path = self.relative(text);
                        // A path is no option.
                        let start = if path.starts_with('-') { "./" } else { "" };
                        Some(shell_word(&plain(&format!("{start}{path}"))))
                    }
                    Value::String(text) => Some(shell_word(&plain(text))),
                    value => Some(value.to_string()),
                };
                let is_like_option = word.as_ref().is_some_and(|word| word.starts_with('-'));
                let flag = || format!("--{}", name.replace('_', "-"));
                match word {
                    Some(word) if positional(name) && is_like_option => last.push(word),
                    Some(word) if positional(name) => words.push(word),
                    Some(word) if is_like_option => words.push(format!("{}={word}", flag())),
                    word => words.extend([Some(flag()), word].into_iter().flatten()),
                }
            }
        }
        if !last.is_empty() {
            words.push("--".to_owned());
            words.append(&mut last);
        }
        words.join(" ")
    }

    fn link(&self, path: &str, line: Option<usize>, text: String) -> String {
        match &self.hyperlinks {
            Some(hyperlinks) => {
                let url = hyperlinks.url(&self.root.join(path), line);
                let link = Hyperlinks::link(&url, &text);
                self.urls.borrow_mut().insert(url);
                link
            }
            None => text,
        }
    }
}

/// Returns the components of the current directory below `root`, if it is there.
fn current_below(root: &Path) -> Option<Vec<String>> {
    let current = std::env::current_dir().ok()?.canonicalize().ok()?;
    let below = from_path(current.strip_prefix(root).ok()?)?;
    let below = shown(&below);
    Some(below.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect())
}

/// Returns the JSON string, quotes included, at the start of `json`.
fn first_string(json: &str) -> Option<&str> {
    let inner = json.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inner.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some(&json[..end + 2])
}

/// Returns the JSON strings of a list whose `[` is before the start of `json`; `None` if its
/// elements are not strings.
fn list_of_strings(json: &str) -> Option<Vec<&str>> {
    let (mut items, mut rest) = (Vec::new(), json);
    loop {
        let item = first_string(rest)?;
        items.push(item);
        rest = &rest[item.len()..];
        match rest.as_bytes().first() {
            Some(b',') => rest = &rest[1..],
            _ => return Some(items),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn display(current: Option<&str>) -> Display<'static> {
        let parts = |text: &str| {
            text.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let current = current.map(parts);
        let (has_colors, is_terminal) = (false, false);
        let (root, urls) = (Path::new("/tree"), RefCell::default());
        Display { root, current, has_colors, is_terminal, hyperlinks: None, urls }
    }

    #[test]
    fn a_call_is_a_command_line() {
        let args = serde_json::json!({"path": "src/a b.rs", "max_results": 3, "body": true});
        let args = args.as_object().expect("an object");
        let command = display(Some("src")).call("codedb_symbol", args);
        assert_eq!(command, "codedb symbol --body --max-results 3 --path 'a b.rs'");
        for (tool, args, expected) in [
            ("codedb_churn", r#"{"file_path": "-a.rs"}"#, "codedb churn ./-a.rs"),
            ("codedb_symbol", r#"{"name": "-a", "path": "-b"}"#, "codedb symbol --path ./-b -- -a"),
            ("codedb_churn", r#"{"unit_name": "-a"}"#, "codedb churn --unit-name=-a"),
        ] {
            let args: Map<String, Value> = serde_json::from_str(args).expect("an object");
            assert_eq!(display(Some("")).call(tool, &args), expected);
        }
    }

    #[test]
    fn paths_are_relative_to_the_current_directory() {
        for (current, path, expected) in [
            (None, "src/a.rs", "src/a.rs"),
            (Some(""), "src/a.rs", "src/a.rs"),
            (Some(""), "", "."),
            (Some("src"), "src/a.rs", "a.rs"),
            (Some("src"), "src", "."),
            (Some("src/net"), "src/a.rs", "../a.rs"),
            (Some("src/net"), "docs/", "../../docs/"),
            (Some("src"), "src-old/a", "../src-old/a"),
            (Some("src"), "", ".."),
        ] {
            assert_eq!(display(current).relative(path), expected, "{current:?} {path}");
        }
    }

    #[test]
    fn json_has_both_paths() {
        let reply = r#"{"path":"src/\"a","text":"\"path\":\"src/b\"","files":["src/c","d"],"of":{"path":"d"},"files_total":2}"#;
        let expected = r#"{"path":"src/\"a","relative_path":"\"a","text":"\"path\":\"src/b\"","files":["src/c","d"],"relative_files":["c","../d"],"of":{"path":"d","relative_path":"../d"},"files_total":2}"#;
        assert_eq!(display(Some("src")).json(reply), expected);
        assert_eq!(display(None).json(reply), reply);
        let reply = r#"{"files":[{"path":"a"}],"path":null}"#;
        let expected = r#"{"files":[{"path":"a","relative_path":"a"}],"path":null}"#;
        assert_eq!(display(Some("")).json(reply), expected);
        assert_eq!(display(Some("")).json(r#"{"files":[]}"#), r#"{"files":[]}"#);
    }
}
