//! Pages as files that open without a server: maps, history and benchmarks, for a pull request or a wiki.
//!
//! Links between exported pages lead to their files, other links are left out, and so are forms.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use percent_encoding::percent_decode_str;

use super::ask::Ask;
use super::pages::{self, Shown};
use super::{assets, shell};
use crate::base::text::plain;
use crate::base::time;
use crate::error::{Error, Kind, Result};
use crate::tools::Call;

/// What the head of every exported page contains, and no other page.
pub const MARK: &str = "<meta name=\"generator\" content=\"codedb ui --export\">";

/// The name of the page that a reader opens first.
pub const FIRST: &str = "index.html";

/// The greatest number of characters of a file's name.
const NAME_MAX: usize = 80;

/// A file of an export.
#[derive(Clone, Debug)]
pub struct StaticFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// Pages that are exported as they are, if this program has them.
const WHOLE: [&str; 2] = ["history", "benchmarks"];

/// Returns the exported pages of a tree, with their style sheet. A page that cannot be made says why.
///
/// # Errors
///
/// If the tree cannot be read, or the call was cancelled.
pub fn export(call: &Call<'_>) -> Result<Vec<StaticFile>> {
    let mut addresses = pages::map_addresses(call)?;
    let others = WHOLE.iter().filter(|name| pages::find(name).is_some());
    addresses.extend(others.map(|name| format!("/{name}")));
    let names = names(&addresses);
    let commit = call.code.history()?.and_then(|history| history.log().origin().head);
    let day: String = time::format(call.now_ns).chars().take(10).collect();
    let made = match commit {
        Some(commit) => format!("Made by codedb {} on {day} of commit {commit}", version()),
        None => format!("Made by codedb {} on {day}", version()),
    };
    let mut files = Vec::with_capacity(addresses.len() + 1);
    for address in &addresses {
        let shown = match page(call, address) {
            Err(error) if error.kind() == Kind::Cancelled => return Err(error),
            Err(error) => shell::failed(&error),
            Ok(shown) => shown,
        };
        let text = document(&shown, &names, &made).into_string();
        files.push(StaticFile { name: names[address].clone(), text });
    }
    let style = assets::find("style.css").map(|style| style.text).unwrap_or_default();
    files.push(StaticFile { name: "style.css".to_owned(), text: style.to_owned() });
    Ok(files)
}

fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

fn page(call: &Call<'_>, address: &str) -> Result<Shown> {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let path = path.trim_start_matches('/');
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    let rest = percent_decode_str(rest).decode_utf8_lossy();
    let page = pages::find(name)
        .ok_or_else(|| Error::new(Kind::NotFound, format!("there is no page `{name}`")))?;
    // Without scripts, nothing is asked for later.
    (page.make)(call, &Ask::of(&rest, &format!("{query}&whole=1")))
}

/// Returns the file of each address; each has another one, also where case does not count.
fn names(addresses: &[String]) -> BTreeMap<String, String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for address in addresses {
        let safe: String = address
            .trim_start_matches('/')
            .replace("?colour=", "-")
            .replace("?view=", "-")
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' })
            .take(NAME_MAX)
            .collect();
        let is_taken = |name: &String| names.values().any(|other| other.eq_ignore_ascii_case(name));
        let name = if names.is_empty() { FIRST.to_owned() } else { format!("{safe}.html") };
        let more = (2..).map(|number| format!("{safe}-{number}.html"));
        if let Some(name) = std::iter::once(name).chain(more).find(|name| !is_taken(name)) {
            names.insert(address.clone(), name);
        }
    }
    names
}

fn document(shown: &Shown, names: &BTreeMap<String, String>, made: &str) -> Markup {
    let first = |page: &pages::Page| names.get(&format!("/{}", page.name));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                (PreEscaped(MARK))
                meta http-equiv="Content-Security-Policy" content="script-src 'none'; form-action 'none'; base-uri 'none'";
                title { (shown.title) " · " (shown.tree) }
                link rel="stylesheet" href="style.css";
            }
            body {
                header {
                    span.brand { (shown.tree) }
                    nav aria-label="Pages" { ul {
                        @for page in pages::PAGES {
                            @if let Some(name) = first(page) {
                                li { a href=(name) aria-current=[(page.name == shown.page).then_some("page")] {
                                    (page.title)
                                } }
                            }
                        }
                    } }
                }
                main #main { (PreEscaped(offline(&shown.main.clone().into_string(), names))) }
                footer { p.faint { (plain(made)) } }
            }
        }
    }
}

/// Returns markup of a page without forms, its links to exported pages replaced and its other ones left out.
/// In markup of pages, quotes of texts are escaped, so attributes are what looks like them.
fn offline(markup: &str, names: &BTreeMap<String, String>) -> String {
    const LINK: &str = " href=\"";
    let mut out = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(at) = rest.find(LINK) {
        out.push_str(&rest[..at]);
        rest = &rest[at + LINK.len()..];
        let end = rest.find('"').unwrap_or(rest.len());
        let address = rest[..end].replace("&amp;", "&");
        rest = rest.get(end + 1..).unwrap_or_default();
        if let Some(name) = names.get(&address) {
            out.push_str(&format!("{LINK}{name}\""));
        } else if address.starts_with('#') && !address.contains('"') {
            out.push_str(&format!("{LINK}{address}\""));
        }
    }
    out.push_str(rest);
    without_forms(&out)
}

fn without_forms(markup: &str) -> String {
    let mut out = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(at) = rest.find("<form") {
        out.push_str(&rest[..at]);
        let end = rest[at..].find("</form>").map_or(rest.len(), |end| at + end + "</form>".len());
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(of: &[&str]) -> Vec<String> {
        of.iter().map(|address| (*address).to_owned()).collect()
    }

    #[test]
    fn every_address_has_a_file_of_its_own() {
        let names = names(&addresses(&[
            "/map",
            "/map?colour=churn",
            "/map/Src",
            "/map/src",
            "/map/a%20b?view=imports",
            "/map/..%2F",
        ]));
        let name = |address: &str| names[address].as_str();
        assert_eq!(name("/map"), "index.html");
        assert_eq!(name("/map?colour=churn"), "map-churn.html");
        assert_eq!((name("/map/Src"), name("/map/src")), ("map-Src.html", "map-src-2.html"));
        assert_eq!(name("/map/a%20b?view=imports"), "map-a-20b-imports.html");
        assert_eq!(name("/map/..%2F"), "map----2F.html");
    }

    #[test]
    fn links_lead_to_files_or_nowhere() {
        let names = names(&addresses(&["/map", "/map/a?colour=age&x"]));
        let markup = "<a href=\"/map/a?colour=age&amp;x\">a</a><a class=\"p\" href=\"/file/b\">b</a>\
                      <form action=\"/x\"><input></form><a href=\"#list\">c</a> href=&quot;";
        let expected = "<a href=\"map-a-age-x.html\">a</a><a class=\"p\">b</a>\
                        <a href=\"#list\">c</a> href=&quot;";
        assert_eq!(offline(markup, &names), expected);
    }
}
