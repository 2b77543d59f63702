//! [`Item`]: an entry of the list, with the text that is shown and matched, and the place that it leads to.

use std::ops::Range;
use std::sync::Arc;

use crate::base::path::shown;
use crate::base::text::{plain, start};

/// The maximum size of the text of an item.
const TEXT_BYTES_MAX: usize = 500;

/// A line of a file, or a file.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Place {
    /// The repository path.
    pub(super) path: Arc<[u8]>,
    /// The line, from 1.
    pub(super) line: Option<u32>,
}

/// An entry of the list.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Both columns, with a blank between them; free of characters that a terminal obeys.
    text: String,
    /// Where the first column ends; the end of `text` if there is no second one.
    split: usize,
    /// The part of `text` that is the name of the item: a match there counts more than one elsewhere.
    name: Range<usize>,
    /// The kind of a definition; empty for other items.
    pub(super) kind: &'static str,
    /// What the item leads to.
    pub(super) place: Place,
}

impl Item {
    /// Returns the item of a definition: its name, then its path.
    pub(super) fn of_symbol(name: &str, kind: &'static str, place: Place) -> Item {
        let name = plain(start(name, TEXT_BYTES_MAX));
        let item = Item::of_columns(&name, &plain(&shown(&place.path)), place);
        Item { kind, name: 0..name.len(), ..item }
    }

    /// Returns the item of a file, which is named by the last component of its path.
    pub(super) fn of_file(place: Place) -> Item {
        let text = plain(&shown(&place.path));
        let name = text.rfind('/').map_or(0, |slash| slash + 1)..text.len();
        Item { split: text.len(), name, text, kind: "", place }
    }

    /// Returns the item of a line: its place, then its text.
    pub(super) fn of_line(text: &str, place: Place) -> Item {
        let line = place.line.map(|line| format!(":{line}")).unwrap_or_default();
        let first = plain(&shown(&place.path)) + &line;
        Item::of_columns(&first, &plain(start(text.trim(), TEXT_BYTES_MAX)), place)
    }

    /// Returns an item of two columns, named by the second one.
    fn of_columns(first: &str, second: &str, place: Place) -> Item {
        let text = format!("{first} {second}");
        let split = first.len();
        Item { name: split + 1..text.len(), text, split, kind: "", place }
    }

    /// Returns the text that a query is compared with.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name.
    pub(super) fn name(&self) -> &str {
        &self.text[self.name.clone()]
    }

    /// Returns the columns, the second with its position in [`Item::text`].
    pub(super) fn columns(&self) -> (&str, Option<(&str, usize)>) {
        let second = self.text.get(self.split + 1..).map(|second| (second, self.split + 1));
        (&self.text[..self.split], second)
    }

    /// Returns true if the first of two columns is the name.
    pub(super) fn starts_with_name(&self) -> bool {
        self.name.start < self.split && self.split < self.text.len()
    }
}
