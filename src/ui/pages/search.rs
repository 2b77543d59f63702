//! Search: results while the reader types, with ripgrep's flags as switches and facets.

use std::collections::BTreeMap;

use std::ops::Range;

use maud::{Markup, html};
use regex_automata::meta::Regex;
use serde_json::json;

use super::{Page, Shown, ask, shown};
use crate::base::text::{counted, plain};
use crate::error::{Kind, Result};
use crate::lang::language;
use crate::source::secret::redacted;
use crate::tools::pattern::Pattern;
use crate::tools::search::{Args, File, FileKind, Search, SearchReply};
use crate::tools::{Call, Define};
use crate::ui::ask::Ask;
use crate::ui::{code, editor, links, page};

pub(super) const PAGE: Page = Page {
    name: "search",
    title: "Search",
    summary: "Text and regular expressions in all files",
    key: 's',
    make,
};

/// Files on a page.
const FILES: usize = 30;

/// Matching lines that are shown of each file, and of one file of which all are asked for.
const LINES: usize = 5;
const ALL_LINES: usize = 200;

/// Matching files that facets count, at most: the others are not counted, which the page says.
const COUNTED: usize = 5_000;

/// Entries of a facet.
const FACETS: usize = 12;

/// What narrows a search besides its query: the parameter and its name for people.
const SWITCHES: &[(&str, &str, &str)] = &[
    ("regex", ".*", "Regular expression"),
    ("ignore", "a=A", "Ignore case"),
    ("word", "|ab|", "Whole words"),
];

/// The parts of files that a search can be limited to.
const PARTS: &[(&str, &str)] = &[
    ("", "anywhere"),
    ("function", "in functions"),
    ("test", "in tests"),
    ("comment", "in comments"),
    ("string", "in strings"),
    ("import", "in imports"),
    ("signature", "in signatures"),
];

fn make(call: &Call<'_>, ask: &Ask) -> Result<Shown> {
    let query = ask.raw("q").unwrap_or_default();
    let title = if query.is_empty() { "Search".to_owned() } else { format!("Search: {query}") };
    if asked_only_facets(ask) {
        let main = only_facets(call, ask, query)?;
        return shown(call, &PAGE, title, main);
    }
    let main = html! {
        h1.hidden { "Search" }
        form #search action="/search" role="search" data-live="results" {
            div.query {
                label.hidden for="q" { "Text to find" }
                input #q name="q" type="search" value=(query) placeholder="Search the code" autofocus
                    autocomplete="off" autocapitalize="off" spellcheck="false";
                @for (name, sign, title) in SWITCHES {
                    label.switch title=(title) {
                        input type="checkbox" name=(name) value="1" checked[ask.is_set(name)];
                        span aria-hidden="true" { (sign) } span.hidden { (title) }
                    }
                }
                button.hidden type="submit" { "Search" }
            }
            @if let Some(kind) = ask.get("kind") { input type="hidden" name="kind" value=(kind); }
            div.filters {
                label { "Files " input name="glob" value=(ask.get("glob").unwrap_or_default())
                    placeholder="src/** or *.rs" autocomplete="off" spellcheck="false"; }
                label { "Where " select name="in" {
                    @for (value, title) in PARTS {
                        option value=(value) selected[ask.get("in").unwrap_or_default() == *value] { (title) }
                    }
                } }
            }
        }
        div #results { (results(call, ask, query)?) }
    };
    shown(call, &PAGE, title, main)
}

fn asked_only_facets(ask: &Ask) -> bool {
    ask.get("only") == Some("facets")
}

/// Returns the arguments of a search.
fn args(ask: &Ask, query: &str) -> Result<Args> {
    let args = json!({
        "query": query,
        "regex": ask.is_set("regex"),
        "case_sensitive": !ask.is_set("ignore"),
        "word": ask.is_set("word"),
        "path_glob": ask.get("glob"),
        "in": ask.get("in"),
    });
    let args: Args = serde_json::from_value(args).map_err(|_| {
        let part = plain(ask.get("in").unwrap_or_default());
        crate::Error::usage(format!("`{part}` is no part of a file"))
    })?;
    Ok(Args { kind: args_kind(ask)?, ..args })
}

fn args_kind(ask: &Ask) -> Result<Option<FileKind>> {
    let kind = ask.get("kind").map(|name| {
        let found = FileKind::ALL.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| crate::Error::usage(format!("`{}` is no kind of files", plain(name))))
    });
    kind.transpose()
}

fn results(call: &Call<'_>, asked: &Ask, query: &str) -> Result<Markup> {
    if query.is_empty() {
        return Ok(html! {
            p.empty { "Type to search. " kbd { "n" } " and " kbd { "p" } " step through the results, "
                kbd { "Enter" } " opens one, " kbd { "/" } " returns to the query, " kbd { "?" }
                " lists all keys." }
        });
    }
    let offset = asked.number("offset").unwrap_or(0);
    let wanted = Args {
        max_results: Some(FILES),
        max_per_file: Some(if asked.is_set("all") { ALL_LINES } else { LINES }),
        offset: Some(offset),
        body: Some(false),
        is_first: true,
        ..args(asked, query)?
    };
    let found = match Search::run(call, wanted) {
        Ok(found) => found,
        Err(error) if error.kind() == Kind::Cancelled => return Err(error),
        Err(error) => return Ok(page::failure(&error)),
    };
    let is_partial = found.status == "partial";
    if found.files_total == 0 {
        return nothing(call, asked, query, is_partial);
    }
    let first = found.files.first().map(|file| file.path.clone()).unwrap_or_default();
    let pattern = Pattern {
        query,
        is_regex: asked.is_set("regex") || found.literal.is_some(),
        is_word: asked.is_set("word"),
        is_case_sensitive: !asked.is_set("ignore"),
    };
    let regex = pattern.regex()?;
    let (shown, has_all) = (offset + found.files.len(), found.files_left == 0);
    let more = found.files_total.saturating_sub(shown);
    Ok(html! {
        div.results {
            // The facets count all matching files, which takes longer than the first ones.
            section.facets aria-label="Facets" aria-busy="true" data-source=(with(asked, "only", Some("facets"))) {
                a href=(with(asked, "only", Some("facets"))) { "Folders and languages" }
            }
            div {
                p.count role="status" {
                    @if has_all {
                        (counted(found.total, "line")) " in " (counted(found.files_total, "file"))
                    } @else if offset > 0 {
                        "Files " (offset + 1) " to " (shown)
                    } @else {
                        "The first " (counted(shown, "file"))
                    }
                    " " (editor::control(asked.editor.as_ref(), &asked.form, &first, 1))
                    @if is_partial { " " strong { "(partial: some files were not read)" } }
                }
                @for file in &found.files { (of_file(file, &regex, asked)) }
                p {
                    @if offset > 0 {
                        a rel="prev" href=(with(asked, "offset", Some(&offset.saturating_sub(FILES).to_string()))) {
                            "Previous " (FILES) " files" } " "
                    }
                    @if let Some(next) = found.next_offset {
                        a rel="next" href=(with(asked, "offset", Some(&next.to_string()))) {
                            @if !has_all { "Next " (FILES) " files" }
                            @else if more > FILES { "Next " (FILES) " of " (counted(more, "more file")) }
                            @else { "The other " (counted(more, "file")) }
                        }
                    }
                }
            }
        }
    })
}

/// Returns the counts of all matching files, alone.
fn only_facets(call: &Call<'_>, asked: &Ask, query: &str) -> Result<Markup> {
    let args = Args {
        paths_only: true,
        max_results: Some(COUNTED),
        max_per_file: Some(1),
        kind: None,
        ..args(asked, query)?
    };
    let kind = args_kind(asked)?;
    let all = Search::run(call, args)?;
    Ok(html! { section { (facets(asked, &all, kind)) } })
}

fn of_file(file: &File, regex: &Regex, asked: &Ask) -> Markup {
    let path = file.path.as_str();
    let lines = file.lines.iter().filter(|line| !line.context);
    let shown = lines.clone().count();
    let marks = file.defines.then_some("defines").into_iter().chain(file.marks.names());
    let rest = format!("{}&all=1", with(asked, "glob", Some(&globset::escape(path))));
    html! {
        section.file {
            h2 { a.path href=(links::file(path, None)) { (plain(path)) }
                @for mark in marks { " " span.tag { (mark) } }
                " " span.faint { (counted(file.count, "line")) } }
            ol {
                @for line in lines {
                    @let text = redacted(line.text.clone());
                    li.hit { a href=(links::file(path, Some(line.line))) {
                        span.number { (line.line) } (code::marked_piece(path, &text, &matches(regex, &text)))
                    } }
                }
            }
            @if file.count > shown && !asked.is_set("all") {
                p.faint { a href=(rest) { (counted(file.count - shown, "more line")) } }
            } @else if file.count > shown {
                p.note { (file.count - shown) " more lines: " a href=(links::file(path, None)) { "the whole file" } }
            }
        }
    }
}

/// Returns the matches in a line of a reply.
fn matches(regex: &Regex, text: &str) -> Vec<Range<usize>> {
    let all = regex.find_iter(text).map(|found| found.range());
    let is_whole = |range: &Range<usize>| {
        !range.is_empty() && text.is_char_boundary(range.start) && text.is_char_boundary(range.end)
    };
    all.filter(is_whole).collect()
}

/// Returns counts of matching files by folder, language and kind, which narrow the search. Kinds are those of all
/// files, the others those of the files of `kind`.
fn facets(asked: &Ask, all: &SearchReply, kind: Option<FileKind>) -> Markup {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    let mut languages: BTreeMap<String, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<FileKind, usize> = BTreeMap::new();
    for file in &all.files {
        *kinds.entry(file.kind()).or_default() += 1;
        if kind.is_some_and(|kind| kind != file.kind()) {
            continue;
        }
        if let Some((folder, _)) = file.path.split_once('/') {
            *folders.entry(format!("{}/**", globset::escape(folder))).or_default() += 1;
        }
        if let Some(glob) = glob_of(&file.path) {
            *languages.entry(glob).or_default() += 1;
        }
    }
    let sorted = |counts: BTreeMap<String, usize>| {
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        counts
    };
    let groups = [("Files by folder", sorted(folders)), ("Files by language", sorted(languages))];
    let is_current = |name: &str, value: &str| asked.get(name) == Some(value);
    let (shown, what) = match kind {
        None => (all.files.len(), "file".to_owned()),
        Some(kind) => (kinds.get(&kind).copied().unwrap_or(0), format!("{} file", kind.name())),
    };
    html! {
        @if kind.is_none() { p { (counted(all.total, "line")) " in " (counted(all.files_total, "file")) } }
        @else { p { (counted(shown, &what)) } }
        @if asked.get("glob").is_some() { p { a href=(with(asked, "glob", None)) { "In all folders and languages" } } }
        @if kind.is_some() { p { a href=(with(asked, "kind", None)) { "Of all kinds" } } }
        @for (title, counts) in &groups {
            @if !counts.is_empty() {
                h2 { (title) }
                ul {
                    @for (glob, count) in counts.iter().take(FACETS) {
                        li { a href=(with(asked, "glob", Some(glob))) aria-current=[is_current("glob", glob).then_some("true")] {
                                (plain(&name_of(glob))) }
                            " " span.faint { (count) } }
                    }
                    @if counts.len() > FACETS { li.faint { (counts.len() - FACETS) " more" } }
                }
            }
        }
        h2 { "Files by kind" }
        ul {
            @for of in FileKind::ALL {
                @if let Some(count) = kinds.get(&of) {
                    li { a href=(with(asked, "kind", Some(of.name()))) aria-current=[(kind == Some(of)).then_some("true")] {
                            (of.name()) }
                        " " span.faint { (count) } }
                }
            }
        }
        @if all.files_total > all.files.len() {
            p.note { "Counted in the first " (all.files.len()) " of " (all.files_total) " files." }
        }
    }
}

/// Returns the glob of the files with the same extension as a path, if it has one.
fn glob_of(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() && extension.len() < 12).then(|| format!("*.{extension}"))
}

/// Returns the language of a glob, or the glob.
fn name_of(glob: &str) -> String {
    let language =
        glob.strip_prefix('*').and_then(|rest| language::of_name(format!("a{rest}").as_bytes()));
    language.map_or_else(|| glob.to_owned(), |language| format!("{} ({glob})", language.name))
}

/// Returns the page without a match: what may have been meant.
fn nothing(call: &Call<'_>, asked: &Ask, query: &str, is_partial: bool) -> Result<Markup> {
    let names = ask(call, "find", json!({"query": query, "max_results": 8}));
    let names = match names {
        Err(error) if error.kind() == Kind::Cancelled => return Err(error),
        Err(_) => None,
        Ok(answer) => answer.is_found().then_some(answer),
    };
    Ok(html! {
        p.empty role="status" {
            @if is_partial { "Nothing found in the files that were read; some were not." }
            @else { "No line matches." }
        }
        @for (name, what) in [("glob", "files"), ("kind", "files of the kind"), ("in", "matches in the part")] {
            @if let Some(value) = asked.get(name) {
                p { "Only " (what) " " code { (plain(value)) } " counted. "
                    a href=(with(asked, name, None)) { "Search everywhere" } }
            }
        }
        @if let Some(names) = names {
            h2 { "Files with a similar name" }
            (super::reply(call, &*names))
        }
    })
}

/// Returns the address of the same search with another value of a parameter.
fn with(asked: &Ask, name: &str, value: Option<&str>) -> String {
    let kept = ["q", "regex", "ignore", "word", "glob", "in", "kind"];
    let pairs = kept.iter().filter(|of| **of != name).filter_map(|of| {
        asked.raw(of).filter(|value| !value.is_empty()).map(|value| (*of, value.to_owned()))
    });
    let pairs = pairs.chain(value.map(|value| (name, value.to_owned())));
    let pairs: Vec<String> =
        pairs.map(|(name, value)| format!("{name}={}", links::value(&value))).collect();
    format!("/search?{}", pairs.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_replaced() {
        let asked = Ask::of("", "q=a%26b&word=1&glob=src&offset=30&x=y");
        assert_eq!(with(&asked, "offset", Some("60")), "/search?q=a%26b&word=1&glob=src&offset=60");
        assert_eq!(with(&asked, "glob", None), "/search?q=a%26b&word=1");
    }

    #[test]
    fn languages_are_named_by_extension() {
        assert_eq!(glob_of("a/b.rs").as_deref(), Some("*.rs"));
        assert_eq!(glob_of("a/.bashrc"), None);
        assert_eq!(name_of("*.rs"), "rust (*.rs)");
        assert_eq!(name_of("src/**"), "src/**");
    }
}
