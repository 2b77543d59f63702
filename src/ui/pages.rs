//! The table of pages, and what they share: sections that are replies of tools.

mod benchmarks;
mod calls;
mod context;
mod decisions;
mod file;
mod history;
mod map;
mod risk;
mod search;
mod status;
mod symbol;

use maud::{Markup, html};
use serde_json::Value;

use super::ask::Ask;
use super::prose::More;
use super::{links, page};
use crate::base::text::plain;
use crate::error::{Error, Kind, Result};
use crate::mcp::site::version_of;
use crate::tools::{self, Answer, Call};

/// The address of the first page.
pub(super) const FIRST: &str = "/search";

/// A page that was made.
#[derive(Debug)]
pub(super) struct Shown {
    /// Its name in [`PAGES`].
    pub(super) page: &'static str,
    /// Its title, as plain text.
    pub(super) title: String,
    /// Its content.
    pub(super) main: Markup,
    /// The version of the tree that it shows; 0 if it depends on none.
    pub(super) version: u64,
    /// The name of the tree's directory; empty without a tree.
    pub(super) tree: String,
}

/// A page of the navigation.
pub(super) struct Page {
    /// The first part of its address.
    pub(super) name: &'static str,
    /// Its name for people.
    pub(super) title: &'static str,
    /// What it shows, in one line.
    pub(super) summary: &'static str,
    /// The key that opens it, after `g`.
    pub(super) key: char,
    /// Makes it.
    pub(super) make: fn(&Call<'_>, &Ask) -> Result<Shown>,
}

/// All pages, in the order of the navigation.
pub(super) const PAGES: &[Page] = &[
    search::PAGE,
    file::PAGE,
    symbol::PAGE,
    map::PAGE,
    calls::PAGE,
    context::PAGE,
    history::PAGE,
    risk::PAGE,
    decisions::PAGE,
    benchmarks::PAGE,
    status::PAGE,
];

/// Returns the page with a name.
pub(super) fn find(name: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.name == name)
}

/// Returns the addresses of the maps of the top folder and of the folders in it, the first one first.
///
/// # Errors
///
/// If the tree cannot be read.
pub(super) fn map_addresses(call: &Call<'_>) -> Result<Vec<String>> {
    map::addresses(call)
}

/// Returns a page of the present state of the tree.
///
/// # Errors
///
/// If the files of the tree cannot be listed.
fn shown(call: &Call<'_>, page: &Page, title: String, main: Markup) -> Result<Shown> {
    let version = version_of(call.code.files()?);
    let tree = call.code.root().file_name().unwrap_or_default().to_string_lossy();
    Ok(Shown { page: page.name, title: plain(&title), main, version, tree: plain(&tree) })
}

/// Runs a tool.
///
/// # Errors
///
/// Those of the tool.
fn ask(call: &Call<'_>, tool: &str, args: Value) -> Result<Box<dyn Answer>> {
    let found = tools::find(&format!("codedb_{tool}"));
    let tool =
        found.ok_or_else(|| Error::new(Kind::Usage, format!("there is no tool `{tool}`")))?;
    tool.run(call, args)
}

/// Returns the data of a reply.
///
/// # Errors
///
/// If it cannot be serialized.
fn data(answer: &dyn Answer) -> Result<Value> {
    serde_json::from_str(&answer.json()?)
        .map_err(|error| Error::new(Kind::Io, format!("the reply is not valid JSON: {error}")))
}

/// Returns a section with the reply of a tool; its error, if it fails. The page shows its other sections.
///
/// # Errors
///
/// If the call was cancelled.
fn section(call: &Call<'_>, title: &str, tool: &str, args: Value) -> Result<Markup> {
    wider_section(call, title, tool, args, None)
}

/// Returns a [`section`]; `place` is its address, and what of it is shown beyond the first part.
///
/// # Errors
///
/// If the call was cancelled.
fn wider_section(
    call: &Call<'_>,
    title: &str,
    tool: &str,
    mut args: Value,
    place: Option<(&str, Option<More>)>,
) -> Result<Markup> {
    if let (Some((_, Some(More { argument, value }))), Some(args)) = (place, args.as_object_mut()) {
        args.insert(argument.to_owned(), value.into());
    }
    let answer = match ask(call, tool, args) {
        Ok(answer) => answer,
        Err(error) if error.kind() == Kind::Cancelled => return Err(error),
        Err(error) => return Ok(html! { section { h2 { (title) } (page::failure(&error)) } }),
    };
    let (body, more) = reply_and_more(call, &*answer, place.and_then(|(_, shown)| shown));
    Ok(html! {
        section {
            h2 { (title) }
            (body)
            @if let (Some((address, _)), Some(more)) = (place, more) {
                p { a data-more="1" href=(format!("{address}&more={}", more.parameter())) { "Show more" } }
            }
        }
    })
}

/// A section of a page that takes long: the browser asks for it alone, after the page is shown.
#[derive(Clone, Copy)]
struct Slow<'a> {
    /// Its name among those of the page.
    name: &'a str,
    title: &'a str,
    tool: &'a str,
}

/// Returns a page whose sections `slow` are made one by one: the page with places for them, the section that
/// the address asks for alone, or with `whole`, all of it.
///
/// # Errors
///
/// If the call was cancelled.
fn with_slow(
    call: &Call<'_>,
    asked: &Ask,
    page: &Page,
    first: impl FnOnce() -> Result<Markup>,
    slow: &[(Slow<'_>, Value)],
) -> Result<Markup> {
    let address = links::about(page.name, &asked.path);
    let source = |of: &Slow<'_>| format!("{address}?only={}", of.name);
    let shown = asked.get("more").and_then(More::of);
    let made = |(of, args): &(Slow<'_>, Value)| match of.tool {
        "suggest_tests" => tests_to_run(call, of.title, args.clone()),
        tool => wider_section(call, of.title, tool, args.clone(), Some((&source(of), shown))),
    };
    if let Some(only) = asked.get("only") {
        let found = slow.iter().find(|(of, _)| of.name == only);
        return made(found.ok_or_else(|| {
            Error::new(Kind::NotFound, format!("this page has no section `{}`", plain(only)))
        })?);
    }
    if asked.is_set("whole") {
        let first = first()?;
        let sections = slow.iter().map(made).collect::<Result<Vec<Markup>>>()?;
        return Ok(html! { (first) @for section in &sections { (section) } });
    }
    Ok(html! {
        (first()?)
        @for (of, _) in slow {
            @let source = source(of);
            section data-source=(source) aria-busy="true" {
                h2 { (of.title) }
                p.empty { a href=(source) { "Show" } }
            }
        }
    })
}

/// Returns the tests to run, with the commands that run them.
///
/// # Errors
///
/// If the call was cancelled.
fn tests_to_run(call: &Call<'_>, title: &str, args: Value) -> Result<Markup> {
    let answer = match ask(call, "suggest_tests", args) {
        Ok(answer) => answer,
        Err(error) if error.kind() == Kind::Cancelled => return Err(error),
        Err(error) => return Ok(html! { section { h2 { (title) } (page::failure(&error)) } }),
    };
    let found = data(&*answer)?;
    let commands = found["commands"].as_array().cloned().unwrap_or_default();
    let command =
        |command: &Value| command.as_str().or_else(|| command["command"].as_str()).map(plain);
    let commands: Vec<String> = commands.iter().filter_map(command).collect();
    Ok(html! {
        section {
            h2 { (title) }
            @for command in &commands {
                p.command { code { (command) } " " button type="button" data-copy=(command) { "Copy" } }
            }
            (reply(call, &*answer))
        }
    })
}

/// Returns a reply as a part of a page.
fn reply(call: &Call<'_>, answer: &dyn Answer) -> Markup {
    reply_and_more(call, answer, None).0
}

/// Returns a reply as a part of a page, and what shows more of it. `shown` is what the reply was asked for.
fn reply_and_more(
    call: &Call<'_>,
    answer: &dyn Answer,
    shown: Option<More>,
) -> (Markup, Option<More>) {
    let page = answer.page();
    let (notices, more) = page::notices_and_more(&answer.notices(), shown);
    let says_why =
        !notices.0.is_empty() || page.as_ref().is_some_and(|page| !page.blocks.is_empty());
    let body = html! {
        @if let Some(page) = page { (page::page(&page, call.now_ns)) }
        @else { pre tabindex="0" { (answer.text().lines().map(plain).collect::<Vec<_>>().join("\n")) } }
        @if !answer.is_found() && !answer.is_unknown() && !says_why { p.empty { "Nothing found." } }
        (notices)
    };
    (body, more)
}
