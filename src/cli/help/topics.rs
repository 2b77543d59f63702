//! The topics of `codedb help`: what no single command's help explains. Each is a text file below
//! `topics/`: a title, an empty line and the text; that of the languages is generated from the
//! table of languages.

use std::borrow::Cow;

use super::Heading;
use crate::lang::language::LANGUAGES;

/// A topic: its name, and its text unless it is generated.
type Topic = (&'static str, Option<&'static str>);

/// Every topic, in the order in which they are listed. No topic has the name of a command.
const TOPICS: &[Topic] = &[
    ("getting-started", Some(include_str!("topics/getting-started.txt"))),
    ("agents", Some(include_str!("topics/agents.txt"))),
    ("patterns", Some(include_str!("topics/patterns.txt"))),
    ("ignored", Some(include_str!("topics/ignored.txt"))),
    ("freshness", Some(include_str!("topics/freshness.txt"))),
    ("ranking", Some(include_str!("topics/ranking.txt"))),
    ("languages", None),
    ("environment", Some(include_str!("topics/environment.txt"))),
    ("exit-codes", Some(include_str!("topics/exit-codes.txt"))),
    ("uninstall", Some(include_str!("topics/uninstall.txt"))),
];

/// The width of generated lines.
const WIDTH: usize = 78;

/// Returns the names of all topics.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TOPICS.iter().map(|(name, _)| *name)
}

/// Returns the text of a topic.
pub(super) fn text(name: &str) -> Option<Cow<'static, str>> {
    let (_, text) = TOPICS.iter().find(|(topic, _)| *topic == name)?;
    Some(text.map_or_else(|| Cow::Owned(languages()), Cow::Borrowed))
}

/// Returns the text of a topic for standard output.
pub(super) fn render(text: &str, heading: Heading) -> String {
    let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!("{}\n{rest}", heading.title(title))
}

/// Returns the list of all topics with their titles.
pub(super) fn list(heading: Heading) -> String {
    let mut out = format!("{}\n\n", heading.title("Help topics"));
    let width = names().map(str::len).max().unwrap_or_default();
    for name in names() {
        let text = text(name).unwrap_or_default();
        let title = text.lines().next().unwrap_or_default();
        // Titles are `Subject: explanation`; the name stands for the subject.
        let title = title.split_once(": ").map_or(title, |(_, explanation)| explanation);
        let pad = " ".repeat(width - name.len());
        out.push_str(&format!("  {}{pad}  {title}\n", heading.name(name)));
    }
    out.push_str("\n`codedb help TOPIC` shows one, `codedb help COMMAND` the help of a command.\n");
    out
}

fn languages() -> String {
    let parsed: Vec<_> = LANGUAGES.iter().filter(|language| language.has_parser()).collect();
    let all: Vec<&str> = parsed.iter().map(|language| language.name).collect();
    let linked = parsed.iter().filter(|language| language.has_references());
    let linked: Vec<&str> = linked.map(|language| language.name).collect();
    let indented = |names: &[&str]| {
        let lines = wrapped(&names.join(", "), WIDTH - 2);
        lines.into_iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
    };
    format!(
        "Languages: whose definitions and calls are indexed\n\n\
         `codedb search` reads every text file. Definitions (`outline`, `symbol`) are\n\
         found in {} languages and formats:\n\n{}\n\n\
         Uses and imports of names (`callers`, `callpath`, `deps`, `impact`) in:\n\n{}\n\n\
         The language is detected by the name of the file, by its extension, or by its\n\
         `#!` line. `codedb search --type-list` lists the types for `-t`, which are\n\
         those of ripgrep. docs/languages.md lists what counts as a definition in each\n\
         language, and docs/calls.md how calls are resolved.\n",
        all.len(),
        indented(&all),
        indented(&linked),
    )
}

/// Returns a text in lines of at most `width` bytes, broken at spaces.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or(0, String::len);
        if line > 0 && line + 1 + word.len() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
