//! The calls around a definition: its callers at the left, what it calls at the right; or the shortest chain of
//! calls to another definition.

mod around;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::{Page, Shown, ask, data, reply, shown};
use crate::answer::page::{self, Block, Cell, Column, Table};
use crate::base::text::{counted, plain};
use crate::error::{Error, Kind, Result};
use crate::tools::{Answer, Call};
use crate::ui::ask::Ask;
use crate::ui::links;
use crate::ui::page::{failure, notices, page};

pub(super) const PAGE: Page = Page {
    name: "calls",
    title: "Calls",
    summary: "Callers and callees of a definition, chains of calls between two",
    key: 'c',
    make,
};

/// The greatest number of levels in each direction.
const DEPTH_MAX: usize = 4;

/// The callers and callees that are drawn at one level, and beyond it.
const NEAR: usize = 30;
const FAR: usize = 60;

/// Those that are listed if all are asked for.
const ALL: usize = 500;

fn make(call: &Call<'_>, asked: &Ask) -> Result<Shown> {
    let (main, title) = match (asked.get("name"), asked.get("to")) {
        (None, _) => (nothing_asked(), "Calls".to_owned()),
        (Some(name), None) => (of_definition(call, asked, name)?, format!("Calls of {name}")),
        (Some(name), Some(to)) => {
            (chain(call, asked, name, to)?, format!("Calls from {name} to {to}"))
        }
    };
    let main = html! {
        h1 { (plain(&title)) }
        (form(asked))
        (main)
    };
    shown(call, &PAGE, title, main)
}

fn form(asked: &Ask) -> Markup {
    let depth = depth(asked);
    html! {
        form.query.ends method="get" action="/calls" role="search" {
            label.hidden for="q" { "Definition" }
            input #q type="search" name="name" value=[asked.raw("name")] placeholder="name, Type.method, module::function"
                autocomplete="off" spellcheck="false" required;
            label.hidden for="to" { "Chain to" }
            input #to type="search" name="to" value=[asked.raw("to")] placeholder="chain to … (optional)"
                autocomplete="off" spellcheck="false";
            @if let Some(path) = asked.get("path") { input type="hidden" name="path" value=(path); }
            label { "Levels "
                select name="depth" {
                    @for levels in 1..=DEPTH_MAX {
                        option value=(levels) selected[levels == depth] { (levels) }
                    }
                }
            }
            button.primary type="submit" { "Show" }
        }
    }
}

fn depth(asked: &Ask) -> usize {
    asked.number("depth").unwrap_or(1).clamp(1, DEPTH_MAX)
}

fn nothing_asked() -> Markup {
    html! {
        p { "The name of a function, method or type shows what calls it and what it calls. \
             A second name shows the shortest chain of calls from the first one to it." }
        p.faint { "Names may be qualified. " a href="/symbol" { "Symbols" } " finds one by its beginning; \
            pages of files lead here, too." }
    }
}

/// Runs a tool; a name that is not known is a part of the page.
fn answered(
    call: &Call<'_>,
    tool: &str,
    args: Value,
) -> Result<std::result::Result<Box<dyn Answer>, Error>> {
    match ask(call, tool, args) {
        Err(error) if error.kind() == Kind::Cancelled => Err(error),
        answer => Ok(answer),
    }
}

/// Returns the calls around a definition, or the definitions to choose from.
fn of_definition(call: &Call<'_>, asked: &Ask, name: &str) -> Result<Markup> {
    let path = asked.get("path");
    let max = if asked.is_set("all") { ALL } else { NEAR };
    let args = json!({"name": name, "path": path, "max_results": max, "without_tests": true});
    let answer = match answered(call, "explain", args)? {
        Ok(answer) => answer,
        Err(error) => return Ok(failure(&error)),
    };
    let explained = data(&*answer)?;
    let Some(id) = explained["symbol"]["id"].as_str() else {
        return Ok(html! {
            (choices(asked, &explained["choices"]))
            @let others = number(&explained["others"]);
            @if others > 0 {
                p.note { (counted(others, "declaration")) " of this name or less likely definitions not listed" }
            }
        });
    };
    let depth = depth(asked);
    let mut graphs = vec![answer.graph().unwrap_or_default()];
    let mut failures = Vec::new();
    if depth > 1 {
        let further = [
            ("callers", json!({"name": id, "depth": depth, "max_results": FAR})),
            ("trace", json!({"from": id, "depth": depth, "max_results": FAR})),
        ];
        for (tool, args) in further {
            match answered(call, tool, args)? {
                Ok(answer) => graphs.extend(answer.graph()),
                Err(error) => failures.push(error),
            }
        }
    }
    let around = around::Around::of(graphs, depth);
    let (callers, callees) = (&explained["callers"], &explained["callees"]);
    Ok(html! {
        (definition(&explained["symbol"]))
        a.skip href="#list" { "Skip the picture" }
        (around.drawn(&format!("Callers and callees of {name}")))
        p.faint { "An arrow leads from what calls to what is called. Dashed: more likely wrong than right. \
            A box puts its definition in the middle." }
        @for error in &failures { (failure(error)) }
        @for remark in around.remarks() { p.note { (plain(remark)) } }
        @if depth > 1 {
            p.note { "what it calls beyond the first level includes interfaces, closures and callbacks" }
        }
        (unresolved(&explained))
        div #list {
            @let all = format!("{}&depth={depth}&all=1", links::calls(name, path));
            (listed("Callers", callers, &of_caller(name), (max < ALL).then_some(&all)))
            (listed("Callees", callees, &of_callee, (max < ALL).then_some(&all)))
        }
        (notices(&answer.notices()))
    })
}

/// Returns the address of the same page about another definition.
fn deeper(name: &str, path: &str, depth: usize) -> String {
    let link = links::calls(name, Some(path));
    if depth > 1 { format!("{link}&depth={depth}") } else { link }
}

fn definition(symbol: &Value) -> Markup {
    let text = |key: &str| symbol[key].as_str().unwrap_or_default();
    let (path, line) = (text("path"), number(&symbol["line"]));
    html! {
        p {
            span.faint { (text("kind")) } " "
            strong.name { (plain(text("qualified_name"))) } " "
            a.path href=(links::file(path, Some(line))) { (plain(path)) ":" (line) }
        }
    }
}

fn unresolved(explained: &Value) -> Markup {
    let [callers, callees] =
        ["callers_unresolved", "callees_unresolved"].map(|key| number(&explained[key]));
    html! {
        @if callers > 0 { p.note { "unresolved calls that may be of it: " (callers) } }
        @if callees > 0 { p.note { "unresolved calls in it: " (callees) } }
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_default()
}

/// Returns the definitions of a name as links.
fn choices(asked: &Ask, choices: &Value) -> Markup {
    let list = choices["list"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (depth, total) = (depth(asked), number(&choices["total"]));
    html! {
        p { "Several definitions have this name. Which one?" }
        ul.choices {
            @for choice in list {
                @let text = |key: &str| choice[key].as_str().unwrap_or_default();
                li {
                    span.faint { (text("kind")) } " "
                    a.name href=(format!("{}&depth={depth}", links::calls(text("id"), None))) {
                        (plain(text("qualified_name")))
                    }
                    " " span.path { (plain(text("path"))) ":" (number(&choice["line"])) }
                }
            }
        }
        @if list.len() < total { p.note { (total - list.len()) " more; a qualified name selects fewer" } }
    }
}

/// Returns a list of a reply as a table, with how much of it there is; `all` is the address of more.
fn listed(
    title: &str,
    list: &Value,
    row: &dyn Fn(&Value) -> Vec<Cell>,
    all: Option<&String>,
) -> Markup {
    let rows = list["list"].as_array().map(Vec::as_slice).unwrap_or_default();
    let total = number(&list["total"]);
    let mut table = Table::new([
        Column::cut("Place"),
        Column::cut("Definition"),
        Column::cut("Code"),
        Column::left("Confidence"),
        Column::left("Rule"),
    ]);
    rows.iter().for_each(|of| table.row(row(of)));
    let shown = page(&page::Page { blocks: vec![Block::Table(table.without_empty())] }, 0);
    html! {
        section {
            h2 { (title) " " span.count { (total) } }
            @if rows.is_empty() { p.empty { "None is known." } } @else { (shown) }
            @if rows.len() < total {
                p.note { (total - rows.len()) " more are not listed" @if let Some(all) = all { ": " a href=(all) { "list them" } } }
            }
        }
    }
}

fn confidence(of: &Value) -> [Cell; 2] {
    let share = of["confidence"].as_f64().map_or(Cell::Empty, Cell::Share);
    [
        share,
        of["reason"].as_str().map_or(Cell::Empty, |reason| Cell::faint(reason.replace('_', " "))),
    ]
}

/// Returns the row of a call of `name`.
fn of_caller(name: &str) -> impl Fn(&Value) -> Vec<Cell> {
    let name = name.rsplit(['.', ':', '#']).next().unwrap_or(name).to_owned();
    move |of| {
        let path = of["path"].as_str().unwrap_or_default().to_owned();
        let code = Cell::Code {
            path: path.clone(),
            text: of["text"].as_str().unwrap_or_default().to_owned(),
            name: name.clone(),
        };
        let around = of["in"]["name"].as_str().map_or(Cell::Empty, Cell::name);
        let [share, rule] = confidence(of);
        vec![Cell::Place(path, number(&of["line"])), around, code, share, rule]
    }
}

fn of_callee(of: &Value) -> Vec<Cell> {
    let path = of["path"].as_str().unwrap_or_default().to_owned();
    let name = of["name"].as_str().map_or(Cell::Empty, Cell::name);
    let times = match number(&of["calls"]) {
        0 | 1 => Cell::Empty,
        calls => Cell::faint(format!("{calls} calls")),
    };
    let [share, rule] = confidence(of);
    vec![Cell::Place(path, number(&of["line"])), name, times, share, rule]
}

/// Returns the chains of calls between two definitions, those without guesses first.
fn chain(call: &Call<'_>, asked: &Ask, name: &str, to: &str) -> Result<Markup> {
    let from = match asked.get("path") {
        Some(path) => id_of(call, name, path)?.unwrap_or_else(|| name.to_owned()),
        None => name.to_owned(),
    };
    let depth = depth(asked);
    let drawn = |answer: &dyn Answer| {
        let graph = answer.graph().unwrap_or_default();
        let is_empty = graph.vertices().is_empty();
        let around = around::Around::of(vec![graph], depth);
        html! { @if !is_empty { (around.drawn_by_paths(&format!("Chain from {name} to {to}"))) } }
    };
    let answer = match answered(call, "trace", json!({"from": from, "to": to}))? {
        Ok(answer) => answer,
        Err(error) => return Ok(failure(&error)),
    };
    Ok(html! {
        @if answer.is_found() { (drawn(&*answer)) h2 { "Calls" } }
        (reply(call, &*answer))
    })
}

/// Returns the id of a definition that its path selects, if it selects one.
fn id_of(call: &Call<'_>, name: &str, path: &str) -> Result<Option<String>> {
    let answer = answered(call, "symbol", json!({"name": name, "path_glob": path}))?;
    let Ok(answer) = answer else { return Ok(None) };
    let found = data(&*answer)?;
    Ok(match found["symbols"].as_array().map(Vec::as_slice) {
        Some([only]) => only["id"].as_str().map(str::to_owned),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_stays_in_the_form_and_is_no_markup() {
        let asked = Ask::of("", "name=%22%3E%3Cscript%3E&to=b&depth=9");
        let text = form(&asked).into_string();
        assert!(!text.contains("<script"), "{text}");
        assert!(text.contains("value=\"&quot;&gt;&lt;script&gt;\""), "{text}");
        assert!(text.contains("<option value=\"4\" selected>"), "{text}");
    }

    #[test]
    fn candidates_lead_to_their_ids() {
        let list = json!({"list": [{"id": "a.rs#T::f#0", "kind": "method", "path": "a.rs",
            "line": 3, "qualified_name": "T::<f>"}]});
        let text = choices(&Ask::of("", "name=f"), &list).into_string();
        assert!(text.contains("href=\"/calls?name=a.rs%23T%3A%3Af%230&amp;depth=1\""), "{text}");
        assert!(text.contains("T::&lt;f&gt;"), "{text}");
    }
}
