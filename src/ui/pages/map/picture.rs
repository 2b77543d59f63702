//! The areas of a folder as a picture, with its legend and the table behind it.

use std::ops::Range;

use maud::{Markup, html};

use super::View;
use super::children::{Child, Tree};
use super::colours::{Key, Painter};
use crate::base::text::{counted, plain};
use crate::ui::page::grouped;
use crate::ui::treemap::{self, Content, Item, Rect, Tile};

/// The frame of the picture, in units of the drawing.
const FRAME: Rect = Rect { x: 0.0, y: 0.0, width: 1200.0, height: 530.0 };

/// The greatest number of rectangles.
const TILES_MAX: usize = 320;

/// The greatest number of rows of the table.
const ROWS_MAX: usize = 100;

/// The least number of characters of a label.
const LABEL_MIN: usize = 4;

/// The width of a character of a label.
const CHARACTER: f64 = 7.2;

/// Returns the map of a folder. O(files in it).
pub(super) fn drawn(tree: Tree<'_>, id: usize, painter: &Painter<'_>, view: View) -> Markup {
    let outer: Vec<Outer<'_>> = tree
        .children(id)
        .into_iter()
        .map(|child| {
            let inner = child.folder.map_or_else(Vec::new, |inner| tree.content(inner));
            let key = painter.paint(&child.files);
            Outer { child, inner, key }
        })
        .collect();
    let items: Vec<Item> = outer
        .iter()
        .map(|of| Item {
            size: of.child.lines,
            inner: of.inner.iter().map(|child| child.lines).collect(),
        })
        .collect();
    let tiles = treemap::arrange(&items, FRAME, TILES_MAX);
    let picture = Picture { outer: &outer, painter, view };
    let of_folder = tree.list.below(tree.folders.path(tree.list, id));
    html! {
        (legend(&painter.legend(), view))
        @if tiles.is_empty() {
            p.empty { "No file of this folder has lines." }
        } @else {
            a.skip href="#list" { "Skip the picture" }
            div.scroll {
                svg.map role="group" aria-label=(format!("Map: areas are lines, colours {}", view.title()))
                    viewBox=(format!("0 0 {} {}", FRAME.width, FRAME.height)) {
                    @for tile in &tiles { (picture.tile(tile)) }
                }
            }
        }
        (remarks(tree, &of_folder))
        (picture.table())
    }
}

fn legend(keys: &[Key], view: View) -> Markup {
    let meaning = match view {
        View::Areas(colour) => colour.meaning(),
        View::Imports => "",
    };
    html! {
        p.faint { "Area: lines. Colour: " (meaning) "." }
        ul.legend aria-label="Colours" {
            @for (class, words) in keys {
                li {
                    svg.swatch width="14" height="14" aria-hidden="true" {
                        rect.(class) width="14" height="14" {}
                    }
                    " " (plain(words))
                }
            }
        }
    }
}

/// Returns what the picture leaves out or does not know exactly.
fn remarks(tree: Tree<'_>, files: &Range<usize>) -> Markup {
    let (estimated, without) = (tree.sizes.estimated(files), tree.sizes.without(files));
    html! {
        @if estimated > 0 {
            p.note { "the lines of " (counted(estimated, "file")) " are estimated from their bytes: \
                they are not indexed" }
        }
        @if without > 0 {
            p.note { (counted(without, "file")) " without lines not drawn: empty or no text" }
        }
    }
}

/// What is in the folder that is shown: itself, what is in it, its colour and value.
struct Outer<'a> {
    child: Child<'a>,
    inner: Vec<Child<'a>>,
    key: Key,
}

struct Picture<'a> {
    outer: &'a [Outer<'a>],
    painter: &'a Painter<'a>,
    view: View,
}

impl Picture<'_> {
    fn tile(&self, tile: &Tile) -> Markup {
        match tile.content {
            Content::Frame(at) => {
                let Outer { child, key, .. } = &self.outer[at];
                self.linked(child, "frame", &key.1, tile.rect)
            }
            Content::Whole(at) => {
                let Outer { child, key, .. } = &self.outer[at];
                self.linked(child, key.0, &key.1, tile.rect)
            }
            Content::Inner(at, place) => {
                let child = &self.outer[at].inner[place];
                let (class, words) = self.painter.paint(&child.files);
                self.linked(child, class, &words, tile.rect)
            }
            Content::Rest(of, from) => self.rest(of, from, tile.rect),
        }
    }

    fn linked(&self, child: &Child<'_>, class: &str, words: &str, rect: Rect) -> Markup {
        html! {
            a href=(self.view.link_of(child)) {
                title { (title(child)) "; " (plain(words)) }
                (boxed(class, rect))
                (label(&child.name(), rect))
            }
        }
    }

    /// Returns the rectangle for what is too small to be drawn alone. It leads to where it is listed.
    fn rest(&self, of: Option<usize>, from: usize, rect: Rect) -> Markup {
        let (count, link, place) = match of {
            None => (self.outer.len() - from, "#list".to_owned(), String::new()),
            Some(at) => {
                let Outer { child, inner, .. } = &self.outer[at];
                (inner.len() - from, self.view.link_of(child), format!(" in {}", child.path()))
            }
        };
        let text = format!("{count} more");
        html! {
            a href=(link) {
                title { (text) (plain(&place)) }
                (boxed("rest", rect))
                (label(&text, rect))
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            details #rows open[self.outer.len() <= 12] {
                summary { "As a table (" (self.outer.len()) ")" }
                div.scroll #list { table {
                    thead { tr {
                        th scope="col" { "Name" }
                        th.right scope="col" { "Lines" }
                        th.right scope="col" { "Files" }
                        th scope="col" { (self.view.title()) }
                    } }
                    tbody { @for Outer { child, key, .. } in self.outer.iter().take(ROWS_MAX) {
                        tr {
                            td { a.path href=(self.view.link_of(child)) {
                                (plain(&child.name())) @if child.folder.is_some() { "/" }
                            } }
                            td.right { (grouped(child.lines)) }
                            td.right { (grouped(child.files.len() as u64)) }
                            td { (plain(&key.1)) }
                        }
                    } }
                } }
                @if self.outer.len() > ROWS_MAX {
                    p.note { (self.outer.len() - ROWS_MAX) " more, with fewer lines, are not listed" }
                }
            }
        }
    }
}

fn title(child: &Child<'_>) -> String {
    let lines = grouped(child.lines);
    let path = plain(&child.name());
    match child.folder {
        Some(_) => format!("{path}/: {lines} lines in {}", counted(child.files.len(), "file")),
        None => format!("{path}: {lines} lines"),
    }
}

/// Returns a rectangle; its edges are at tenths of a unit.
fn boxed(class: &str, rect: Rect) -> Markup {
    let tenth = |value: f64| (value * 10.0).round() / 10.0;
    html! {
        rect.(class) x=(tenth(rect.x)) y=(tenth(rect.y)) width=(tenth(rect.width)) height=(tenth(rect.height)) {}
    }
}

/// Returns as much of a name as fits into the first line of a rectangle.
fn label(name: &str, rect: Rect) -> Markup {
    let room = ((rect.width - 8.0) / CHARACTER).max(0.0) as usize;
    if room < LABEL_MIN || rect.height < 16.0 {
        return html! {};
    }
    html! { text x=(rect.x.round() + 4.0) y=(rect.y.round() + 13.0) { (start(name, room)) } }
}

/// Returns a text without controls, or as much of it as takes `most` characters, wide ones counted twice.
fn start(text: &str, most: usize) -> String {
    let text = plain(text);
    let width = |c: char| if (c as u32) < 0x1100 { 1 } else { 2 };
    if text.chars().map(width).sum::<usize>() <= most {
        return text;
    }
    let mut used = 1;
    let is_inside = |c: &char| {
        used += width(*c);
        used <= most
    };
    let mut first: String = text.chars().take_while(is_inside).collect();
    first.push('…');
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_fit_and_are_no_markup() {
        let rect = Rect { x: 1.26, y: 2.0, width: 60.0, height: 20.0 };
        let text = label("<b>\u{202e}&amp;", rect).into_string();
        assert_eq!(text, "<text x=\"5\" y=\"15\">&lt;b&gt;\\u{…</text>");
        assert_eq!((start("abcd", 4), start("abcde", 4)), ("abcd".to_owned(), "abc…".to_owned()));
        assert_eq!(start("文字列", 5), "文字…");
        assert_eq!(label("name", Rect { height: 8.0, ..rect }).into_string(), "");
        let shown = boxed("s0", rect).into_string();
        assert_eq!(
            shown,
            "<rect class=\"s0\" x=\"1.3\" y=\"2\" width=\"60\" height=\"20\"></rect>"
        );
    }

    #[test]
    fn titles_escape_names() {
        let child = Child {
            path: b"a/</title><script>\x1b",
            from: 2,
            files: 0..1,
            folder: None,
            lines: 1234,
        };
        let text = html! { title { (title(&child)) } }.into_string();
        assert_eq!(text, "<title>&lt;/title&gt;&lt;script&gt;\\u{1b}: 1\u{202f}234 lines</title>");
    }
}
