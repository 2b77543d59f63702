//! Search: results while the reader types, with ripgrep's flags as switches and facets.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::{Page, Shown, ask, shown};
use crate::base::text::{counted, plain};
use crate::error::{Kind, Result};
use crate::lang::language;
use crate::tools::search::{Args, File, Search, SearchReply};
use crate::tools::{Answer, Call, Define};
use crate::ui::ask::Ask;
use crate::ui::{code, links, page};

pub(super) const PAGE: Page = Page {
    name: "search",
    title: "Search",
    summary: "Text and regular expressions in all files",
    key: 's',
    make,
};

/// Files on a page.
const FILES: usize = 30;

/// Matching lines that are shown of each file.
const LINES: usize = 5;

/// Matching files that facets count, at most: the others are not counted, which the page says.
const COUNTED: usize = 5_000;

/// Entries of a facet.
const FACETS: usize = 12;

/// What narrows a search besides its query: the parameter and its name for people.
const SWITCHES: &[(&str, &str, &str)] = &[
    ("regex", ".*", "Regular expression (-e instead of -F)"),
    ("ignore", "Aa", "Ignore case (-i)"),
    ("word", "ab", "Whole words (-w)"),
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

/// Returns the arguments of a search, with `more` of them.
fn arguments(ask: &Ask, query: &str, more: Value) -> Value {
    let mut args = json!({
        "query": query,
        "regex": ask.is_set("regex"),
        "case_sensitive": !ask.is_set("ignore"),
        "word": ask.is_set("word"),
        "path_glob": ask.get("glob"),
        "in": ask.get("in"),
    });
    if let (Some(args), Value::Object(more)) = (args.as_object_mut(), more) {
        args.extend(more);
    }
    args
}

fn args(ask: &Ask, query: &str) -> Result<Args> {
    serde_json::from_value(arguments(ask, query, Value::Null)).map_err(|_| {
        let part = plain(ask.get("in").unwrap_or_default());
        crate::Error::usage(format!("`{part}` is no part of a file"))
    })
}

fn results(call: &Call<'_>, asked: &Ask, query: &str) -> Result<Markup> {
    if query.is_empty() {
        return Ok(html! {
            p.empty { "Type to search. " kbd { "n" } " and " kbd { "p" } " step through the results, "
                kbd { "Enter" } " opens one, " kbd { "/" } " returns to the query, " kbd { "?" }
                " lists all keys." }
        });
    }
    args(asked, query)?;
    let offset = asked.number("offset").unwrap_or(0);
    let answer = match ask_lines(call, asked, query, offset) {
        Ok(answer) => answer,
        Err(error) if error.kind() == Kind::Cancelled => return Err(error),
        Err(error) => return Ok(page::failure(&error)),
    };
    let found = super::data(&*answer)?;
    let number =
        |key: &str| found[key].as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or(0);
    let files = found["files"].as_array().cloned().unwrap_or_default();
    let is_partial = found["status"] == "partial";
    if number("files_total") == 0 {
        return nothing(call, query, is_partial);
    }
    let shown = offset + files.len();
    let more = number("files_total").saturating_sub(shown);
    Ok(html! {
        div.results {
            // The facets count all matching files, which takes longer than the first ones.
            section.facets aria-label="Facets" aria-busy="true" data-source=(with(asked, "only", Some("facets"))) {
                a href=(with(asked, "only", Some("facets"))) { "Folders and languages" }
            }
            div {
                p.count role="status" {
                    (counted(number("total"), "line")) " in " (counted(number("files_total"), "file"))
                    @if is_partial { " " strong { "(partial: some files were not read)" } }
                }
                @for file in &files { (of_file(file, query, asked)) }
                @if more > 0 {
                    p { a rel="next" href=(with(asked, "offset", Some(&shown.to_string()))) {
                        "Next " (more.min(FILES)) " of " (counted(more, "more file"))
                    } }
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
        ..args(asked, query)?
    };
    let all = Search::run(call, args)?;
    Ok(html! { section { (facets(asked, &all)) } })
}

/// Searches for the files of a page of results, with their lines.
fn ask_lines(call: &Call<'_>, asked: &Ask, query: &str, offset: usize) -> Result<Box<dyn Answer>> {
    let page = json!({
        "max_results": FILES, "max_per_file": LINES, "offset": offset, "body": false,
    });
    ask(call, "search", arguments(asked, query, page))
}

fn of_file(file: &Value, query: &str, asked: &Ask) -> Markup {
    let path = file["path"].as_str().unwrap_or_default();
    let count = file["count"].as_u64().unwrap_or_default();
    let lines = file["lines"].as_array().cloned().unwrap_or_default();
    let shown = lines.len() as u64;
    let mark = if asked.is_set("regex") { "" } else { query };
    let mut marks = Vec::new();
    for name in ["defines", "test", "generated", "vendored"] {
        if file[name] == true {
            marks.push(name);
        }
    }
    html! {
        section.file {
            h2 { a.path href=(links::file(path, None)) { (plain(path)) }
                @for mark in marks { " " span.tag { (mark) } }
                " " span.faint { (count) } }
            ol {
                @for line in &lines {
                    @let number = line["line"].as_u64().and_then(|line| usize::try_from(line).ok()).unwrap_or(1);
                    @let text = line["text"].as_str().unwrap_or_default();
                    li.hit { a href=(links::file(path, Some(number))) {
                        span.number { (number) } (code::piece(path, text, mark))
                    } }
                }
            }
            @if count > shown {
                p.faint { a href=(with(asked, "glob", Some(path))) { (count - shown) " more" } }
            }
        }
    }
}

/// Returns counts of matching files by folder, language and kind, which narrow the search.
fn facets(asked: &Ask, all: &SearchReply) -> Markup {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    let mut languages: BTreeMap<String, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &all.files {
        if let Some((folder, _)) = file.path.split_once('/') {
            *folders.entry(format!("{folder}/**")).or_default() += 1;
        }
        if let Some(glob) = glob_of(&file.path) {
            *languages.entry(glob).or_default() += 1;
        }
        *kinds.entry(kind(file)).or_default() += 1;
    }
    let sorted = |counts: BTreeMap<String, usize>| {
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        counts
    };
    let groups = [("Folders", sorted(folders)), ("Languages", sorted(languages))];
    html! {
        @for (title, counts) in &groups {
            @if !counts.is_empty() {
                h2 { (title) }
                ul {
                    @for (glob, count) in counts.iter().take(FACETS) {
                        li { a href=(with(asked, "glob", Some(glob))) { (plain(&name_of(glob))) }
                            " " span.faint { (count) } }
                    }
                    @if counts.len() > FACETS { li.faint { (counts.len() - FACETS) " more" } }
                }
            }
        }
        h2 { "Kinds" }
        ul { @for (kind, count) in &kinds { li { (kind) " " span.faint { (count) } } } }
        @if all.files_total > all.files.len() {
            p.note { "Counted in the first " (all.files.len()) " of " (all.files_total) " files." }
        }
        @if asked.get("glob").is_some() {
            p { a href=(with(asked, "glob", None)) { "All files" } }
        }
    }
}

fn kind(file: &File) -> &'static str {
    let data = serde_json::to_value(file).unwrap_or_default();
    match () {
        () if file.defines => "definition",
        () if data["test"] == true => "test",
        () if data["generated"] == true => "generated",
        () if data["vendored"] == true => "vendored",
        () => "source",
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
fn nothing(call: &Call<'_>, query: &str, is_partial: bool) -> Result<Markup> {
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
        @if let Some(names) = names {
            h2 { "Files with a similar name" }
            (super::reply(call, &*names))
        }
    })
}

/// Returns the address of the same search with another value of a parameter.
fn with(asked: &Ask, name: &str, value: Option<&str>) -> String {
    let kept = ["q", "regex", "ignore", "word", "glob", "in"];
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
