//! A file: its source in colours beside its outline; a folder: what is in it.

mod ages;

use ages::Age;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::{Page, Shown, ask, data, reply, shown};
use crate::base::text::{counted, plain};
use crate::error::{Kind, Result};
use crate::tools::Call;
use crate::ui::ask::Ask;
use crate::ui::{code, editor, links, page};

pub(super) const PAGE: Page = Page {
    name: "file",
    title: "Files",
    summary: "Source with outline, callers, age of lines",
    key: 'f',
    make,
};

/// Lines on a page: longer files are shown in parts.
const LINES: usize = 3_000;

/// Tests beside a file, and the least probability that they test it, in percent.
const TESTS: usize = 10;
const PERCENT_MIN: u8 = 30;

fn make(call: &Call<'_>, asked: &Ask) -> Result<Shown> {
    let is_folder = asked.path.is_empty() || is_folder(call, &asked.path)?;
    let title = if asked.path.is_empty() { "Files".to_owned() } else { asked.path.clone() };
    let main = match asked.get("only") {
        Some("tests") if !is_folder => tests(call, &asked.path)?,
        _ if is_folder => folder(call, asked)?,
        _ => source(call, asked)?,
    };
    shown(call, &PAGE, title, main)
}

fn is_folder(call: &Call<'_>, path: &str) -> Result<bool> {
    let files = call.code.files()?;
    Ok(files.find(path.as_bytes()).is_none() && !files.below(path.as_bytes()).is_empty())
}

/// Returns the parts of a path as links.
pub(super) fn crumbs(page: &str, path: &str) -> Markup {
    let ends = path.match_indices('/').map(|(at, _)| at).chain(std::iter::once(path.len()));
    let parts: Vec<(&str, &str)> = ends
        .filter(|end| *end > 0)
        .map(|end| (&path[..end], path[..end].rsplit('/').next().unwrap_or_default()))
        .collect();
    html! {
        nav.crumbs aria-label="Path" {
            a href=(format!("/{page}")) { "root" }
            @for (whole, part) in &parts { " / " a href=(links::about(page, whole)) { (plain(part)) } }
        }
    }
}

fn folder(call: &Call<'_>, asked: &Ask) -> Result<Markup> {
    let path = if asked.path.is_empty() { "." } else { &asked.path };
    let listing = ask(call, "ls", json!({"path": path}))?;
    Ok(html! {
        h1 { @if asked.path.is_empty() { "Files" } @else { (plain(&asked.path)) } }
        (crumbs("file", &asked.path))
        p { a href=(links::about("map", &asked.path)) { "Map" } " · "
            a href=(links::about("history", &asked.path)) { "History" } }
        (reply(call, &*listing))
    })
}

fn source(call: &Call<'_>, asked: &Ask) -> Result<Markup> {
    let path = asked.path.as_str();
    let line = asked.number("line").unwrap_or(1).max(1);
    let first = if line <= LINES { 1 } else { line - LINES / 2 };
    let read = ask(
        call,
        "read",
        json!({
            "path": path, "line_start": first, "line_end": first + LINES - 1,
        }),
    )?;
    let read = data(&*read)?;
    let total = read["total"].as_u64().and_then(|total| usize::try_from(total).ok()).unwrap_or(0);
    let lines = read["lines"].as_array().cloned().unwrap_or_default();
    let texts: Vec<&str> = lines.iter().filter_map(|line| line["text"].as_str()).collect();
    let text = texts.join("\n");
    let last = first + texts.len().saturating_sub(1);
    let has_ages = asked.is_set("ages");
    let ages = has_ages.then(|| ages::of(call, path, &texts, first));
    Ok(html! {
        h1 { (plain(path.rsplit('/').next().unwrap_or(path))) }
        (crumbs("file", path))
        p { a href=(links::about("history", path)) { "History" } " · "
            a href=(links::about("risk", path)) { "Tests and risk" } " · "
            @if has_ages { a href=(format!("?line={line}#L{line}")) { "Hide ages" } }
            @else { a href=(format!("?ages=1&line={line}#L{line}")) { "Ages of lines" } }
            " · " span.faint { (counted(total, "line")) } " " (editor::control(asked.editor.as_ref(), &asked.form, path, line)) }
        @if let Some(Err(error)) = &ages { (page::failure(error)) }
        @if matches!(ages, Some(Ok(None))) { p.note { "no commit has this file" } }
        div.source {
            aside aria-label="Outline" tabindex="0" {
                (outline(call, path)?)
                @let source = format!("{}?only=tests", links::about("file", path));
                section.tests data-source=(source) aria-busy="true" {
                    h2 { "Tests" } p.empty { a href=(source) { "Show" } }
                }
            }
            div {
                @if first > 1 || last < total {
                    p.note { "Lines " (first) " to " (last) " of " (total) "."
                        @if first > 1 { " " a href=(links::file(path, Some(first.saturating_sub(LINES).max(1)))) { "Earlier" } }
                        @if last < total { " " a href=(links::file(path, Some(last + LINES / 2))) { "Later" } } }
                }
                @let known = ages.and_then(Result::ok).flatten().unwrap_or_default();
                (numbered(path, &text, first, line, &known))
            }
        }
    })
}

/// Returns the lines of a file, each a target of links.
fn numbered(path: &str, text: &str, first: usize, target: usize, ages: &[Age]) -> Markup {
    let lines = code::of_lines(path, text);
    html! {
        pre.code #source tabindex="0" data-path=(path) {
            @for (at, line) in lines.into_iter().enumerate() {
                @let number = first + at;
                span.line.target[number == target && target > 1] id=(format!("L{number}")) {
                    @if !ages.is_empty() {
                        @let age = ages.get(at);
                        span.age.(age.map_or("", |age| age.class)) title=(age.map_or("", |age| &*age.title)) {
                            (age.map_or("", |age| &*age.shown))
                        }
                    }
                    a.number href=(format!("?line={number}#L{number}")) { (number) }
                    code { (line) }
                }
            }
        }
    }
}

/// Returns the tests that reach a file, alone.
fn tests(call: &Call<'_>, path: &str) -> Result<Markup> {
    let answer = match ask(
        call,
        "suggest_tests",
        json!({"file_path": path, "limit": TESTS, "min_percent": PERCENT_MIN}),
    ) {
        Ok(answer) => answer,
        Err(error) if error.kind() == Kind::Cancelled => return Err(error),
        Err(error) => return Ok(html! { section { h2 { "Tests" } (page::failure(&error)) } }),
    };
    let data = data(&*answer)?;
    let tests = data["tests"].as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |value: &Value| value.as_u64().and_then(|it| usize::try_from(it).ok());
    let more = number(&data["total"]).unwrap_or(0).saturating_sub(tests.len());
    Ok(html! {
        section {
            h2 { "Tests" }
            @if tests.is_empty() {
                p.empty { @if answer.is_unknown() { "Unknown." } @else { "None is known to reach it." } }
            }
            ul.outline {
                @for test in tests {
                    @let text = |key: &str| test[key].as_str().unwrap_or_default();
                    li {
                        a href=(links::file(text("path"), number(&test["line"]))) title=(plain(text("path"))) {
                            (plain(text("test_id")))
                        }
                        @let score = test["score"].as_f64().unwrap_or_default();
                        " " span.faint title="How probably it tests this file" { (format!("{:.0} %", score * 100.0)) }
                    }
                }
            }
            @if more > 0 { p.note { (more) " more" } }
            p { a href=(links::about("risk", path)) { "Commands to run them" } }
        }
    })
}

/// Returns the definitions of a file, each with its callers.
fn outline(call: &Call<'_>, path: &str) -> Result<Markup> {
    let answer = match ask(call, "outline", json!({"path": path})) {
        Ok(answer) => answer,
        Err(error) if error.kind() == Kind::Cancelled => return Err(error),
        // Most often, it is no code.
        Err(error) => return Ok(html! { p.empty { (plain(&error.to_string())) } }),
    };
    let data = data(&*answer)?;
    let symbols = data["symbols"].as_array().cloned().unwrap_or_default();
    let text = |symbol: &Value, key: &str| plain(symbol[key].as_str().unwrap_or_default());
    let line = |symbol: &Value| symbol["line"].as_u64().and_then(|line| usize::try_from(line).ok());
    let depth = |symbol: &Value| symbol["depth"].as_u64().unwrap_or_default().min(4);
    Ok(html! {
        @if symbols.is_empty() { p.empty { "No definitions." } }
        ul.outline {
            @for symbol in &symbols {
                li class=(format!("depth{}", depth(symbol))) {
                    a href=(links::file(path, line(symbol))) title=(text(symbol, "signature")) { (text(symbol, "name")) }
                    " " span.faint { (text(symbol, "kind").replace('_', " ")) }
                    " " a.callers href=(links::calls(symbol["qualified_name"].as_str().unwrap_or_default(), Some(path)))
                        aria-label=(format!("Calls of {}", text(symbol, "name"))) { "⇄" }
                }
            }
        }
        (page::notices(&answer.notices()))
    })
}
