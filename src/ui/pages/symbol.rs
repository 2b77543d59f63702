//! The definitions of a name: the target of a click on a name in source.

use maud::html;
use serde_json::json;

use super::{Page, Shown, ask, data, reply, shown};
use crate::base::text::plain;
use crate::error::Result;
use crate::tools::Call;
use crate::ui::ask::Ask;
use crate::ui::links;

pub(super) const PAGE: Page =
    Page { name: "symbol", title: "Symbols", summary: "Definitions by name", key: 'y', make };

fn make(call: &Call<'_>, asked: &Ask) -> Result<Shown> {
    let name = asked.get("name").unwrap_or_default();
    let title = if name.is_empty() { "Symbols".to_owned() } else { format!("Symbol: {name}") };
    let form = html! {
        form action="/symbol" role="search" data-live="definitions" {
            div.query {
                label.hidden for="q" { "Name" }
                input #q name="name" type="search" value=(name) placeholder="A name, or its beginning"
                    autofocus autocomplete="off" spellcheck="false";
                button type="submit" { "Find" }
            }
        }
    };
    let found = if name.is_empty() {
        html! { p.empty { "Definitions appear while you type." } }
    } else {
        definitions(call, name)?
    };
    let main = html! { h1 { "Symbols" } (form) div #definitions { (found) } };
    shown(call, &PAGE, title, main)
}

fn definitions(call: &Call<'_>, name: &str) -> Result<maud::Markup> {
    let exact = ask(call, "symbol", json!({"name": name, "max_results": 50}));
    let answer = match exact {
        Ok(answer) if answer.is_found() => answer,
        _ => match ask(call, "symbol", json!({"prefix": name, "max_results": 50})) {
            Ok(answer) => answer,
            Err(error) => return Ok(crate::ui::page::failure(&error)),
        },
    };
    let symbols = data(&*answer)?["symbols"].as_array().cloned().unwrap_or_default();
    Ok(html! {
        @if symbols.len() == 1 {
            @let path = symbols[0]["path"].as_str().unwrap_or_default();
            @let line = symbols[0]["line"].as_u64().and_then(|line| usize::try_from(line).ok());
            p { a #only href=(links::file(path, line)) { "Go to the definition in " (plain(path)) } }
        }
        (reply(call, &*answer))
        p { a href=(links::search(name)) { "Search for the text " code { (plain(name)) } } }
    })
}
