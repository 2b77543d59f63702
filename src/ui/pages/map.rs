//! A map of a folder: the lines of what is in it as areas, in colours; or the imports between its parts.

mod children;
mod colours;
mod imports;
mod picture;
mod sizes;

use maud::{Markup, html};

use self::children::Tree;
use self::colours::{Colour, Painter};
use self::sizes::Sizes;
use super::{Page, Shown, shown};
use crate::base::path;
use crate::base::text::{counted, plain};
use crate::error::Result;
use crate::tools::{Call, paths};
use crate::ui::ask::Ask;
use crate::ui::links;
use crate::ui::page::grouped;

pub(super) const PAGE: Page = Page {
    name: "map",
    title: "Map",
    summary: "Folders as areas, by language, churn, age, risk, ownership, coverage; imports between them",
    key: 'm',
    make,
};

/// What is shown of a folder.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum View {
    /// Areas in colours.
    Areas(Colour),
    /// The imports between what is in it.
    Imports,
}

impl View {
    fn of(asked: &Ask) -> View {
        match asked.get("view") {
            Some("imports") => View::Imports,
            _ => View::Areas(Colour::named(asked.get("colour").unwrap_or_default())),
        }
    }

    /// Returns the address of this view of a folder.
    fn link(self, path: &str) -> String {
        let page = links::about("map", path);
        match self {
            View::Imports => format!("{page}?view=imports"),
            View::Areas(Colour::Language) => page,
            View::Areas(colour) => format!("{page}?colour={}", colour.name()),
        }
    }

    /// Returns the address of what is in a folder: another folder in the same view, or a file.
    fn link_of(self, child: &children::Child<'_>) -> String {
        match child.folder {
            Some(_) => self.link(&child.path()),
            None => links::file(&child.path(), None),
        }
    }

    fn title(self) -> &'static str {
        match self {
            View::Imports => "Imports",
            View::Areas(colour) => colour.title(),
        }
    }
}

fn make(call: &Call<'_>, asked: &Ask) -> Result<Shown> {
    let mut path = paths::resolve(call, &asked.path)?;
    // Of a file, the folder that it is in.
    if call.code.files()?.find(&path).is_some() {
        path = path::split(&path).0.to_vec();
    }
    let given = paths::shown(&path);
    let (path, files) = paths::folder(call, (!path.is_empty()).then_some(&*given))?;
    let (list, folders) = (call.code.files()?, call.code.folders()?);
    let catalog = call.code.catalog(&[])?;
    let sizes = Sizes::of(catalog)?;
    let tree = Tree { list, folders, sizes: &sizes };
    let id = folders.find(list, &path).unwrap_or(0);
    let view = View::of(asked);
    let place = paths::shown(&path);
    let main = html! {
        h1 { @if place.is_empty() { "Map" } @else { (plain(&place)) } }
        (crumbs(view, &place))
        nav.tabs aria-label="Colours and views" {
            @for of in Colour::ALL.map(View::Areas).into_iter().chain([View::Imports]) {
                a href=(of.link(&place)) aria-current=[(of == view).then_some("true")] { (of.title()) }
            }
        }
        p.faint {
            (grouped(sizes.lines(&files))) " lines in " (counted(files.len(), "file")) " · "
            a href=(links::about("file", &place)) { "List" } " · "
            a href=(links::about("history", &place)) { "History" }
        }
        @match view {
            View::Imports => (imports::drawn(catalog, tree, id, &files)),
            View::Areas(colour) => {
                @match Painter::new(call, colour, &sizes, &files)? {
                    Ok(painter) => (picture::drawn(tree, id, &painter, view)),
                    Err(missing) => {
                        p.empty { (plain(&missing.message)) }
                        p { (plain(&missing.hint)) }
                    }
                }
            }
        }
    };
    let title = if place.is_empty() { "Map".to_owned() } else { format!("Map of {place}") };
    shown(call, &PAGE, title, main)
}

/// The greatest number of folders whose maps are exported.
const EXPORTED_MAX: usize = 30;

/// Returns the addresses of all views of the top folder, and of some views of the largest folders in it.
///
/// # Errors
///
/// If the tree cannot be read.
pub(super) fn addresses(call: &Call<'_>) -> Result<Vec<String>> {
    let sizes = Sizes::of(call.code.catalog(&[])?)?;
    let tree = Tree { list: call.code.files()?, folders: call.code.folders()?, sizes: &sizes };
    let views = Colour::ALL.map(View::Areas).into_iter().chain([View::Imports]);
    let mut addresses: Vec<String> = views.map(|view| view.link("")).collect();
    let folders = tree.children(0).into_iter().filter(|child| child.folder.is_some());
    for folder in folders.take(EXPORTED_MAX) {
        let views = [View::Areas(Colour::Language), View::Areas(Colour::Churn), View::Imports];
        addresses.extend(views.map(|view| view.link(&folder.path())));
    }
    Ok(addresses)
}

/// Returns the folders around a folder, each in the same view.
fn crumbs(view: View, path: &str) -> Markup {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let parts: Vec<&str> = ends.filter(|end| *end > 0).map(|end| &path[..end]).collect();
    html! {
        nav.crumbs aria-label="Path" {
            a href=(view.link("")) { "root" }
            @for part in parts {
                " / " a href=(view.link(part)) { (plain(part.rsplit('/').next().unwrap_or(part))) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_have_addresses() {
        let link = |path: &str, query: &str| View::of(&Ask::of(path, query)).link(path);
        assert_eq!(link("a b/c", ""), "/map/a%20b/c");
        assert_eq!(link("", "colour=churn"), "/map?colour=churn");
        assert_eq!(link("a", "colour=\"><script>"), "/map/a");
        assert_eq!(link("a", "view=imports&colour=age"), "/map/a?view=imports");
    }
}
