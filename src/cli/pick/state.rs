//! [`State`]: what the finder shows, as a value. [`State::update`] changes it; nothing here does I/O.

use std::sync::Arc;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;

use super::input::Input;
use super::item::{Item, Place};
use super::layout::Layout;
use super::preview::Preview;
use super::ranking::Ranking;

/// The maximum number of items: the rest is not listed, and the status reports it.
pub(super) const ITEMS_MAX: usize = 1_000_000;

/// What happened.
#[derive(Clone, Debug)]
pub(super) enum Event {
    Key(KeyEvent),
    Resized(Rect),
    /// More items were read.
    Items(Vec<Item>),
    /// The items so far are void: they are read again.
    Restart,
    /// How far reading is.
    Progress(String),
    /// All items were read; a sentence if that is not all that there is.
    Done(Option<String>),
    /// What a search found, how much there is in all, and a note about it.
    Found {
        query: String,
        items: Vec<Item>,
        total: usize,
        note: Option<String>,
    },
    Preview(Preview),
}

/// How the finder ends.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum End {
    /// These were chosen: at least one.
    Chosen(Vec<Place>),
    /// Nothing was chosen.
    Left,
}

/// What typing does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Typing {
    /// It filters the items.
    Filters,
    /// It is a regular expression: each change searches again.
    Searches,
}

/// The state of the finder.
#[derive(Debug)]
pub(super) struct State {
    /// What the items are: `symbols`.
    pub(super) what: &'static str,
    pub(super) typing: Typing,
    pub(super) input: Input,
    items: Vec<Item>,
    /// How many there are in all, with those that are not listed.
    total: usize,
    ranking: Ranking,
    /// The place in the ranking of the selected item.
    selected: usize,
    /// The place of the first item on the screen.
    top: usize,
    /// The items that were marked, in the order in which they were.
    marked: Vec<usize>,
    /// How far reading is; `None` when it ended.
    pub(super) progress: Option<String>,
    /// What is to be known about the items.
    pub(super) note: Option<String>,
    preview: Option<Arc<Preview>>,
    area: Rect,
}

impl State {
    /// Returns the state before anything is read.
    pub(super) fn new(what: &'static str, typing: Typing, query: &str, threads: usize) -> State {
        let input = Input::new(query);
        let mut ranking = Ranking::new(threads);
        if typing == Typing::Filters {
            ranking.set_query(input.text(), &[]);
        }
        State {
            what,
            typing,
            input,
            items: Vec::new(),
            total: 0,
            ranking,
            selected: 0,
            top: 0,
            marked: Vec::new(),
            progress: (typing == Typing::Filters).then(String::new),
            note: None,
            preview: None,
            area: Rect::default(),
        }
    }

    /// Returns the numbers of items that match, of all, listed or not, and of those that are marked.
    pub(super) fn counts(&self) -> (usize, usize, usize) {
        (self.ranking.len(), self.items.len().max(self.total), self.marked.len())
    }

    /// Returns the screen.
    pub(super) fn area(&self) -> Rect {
        self.area
    }

    /// Returns the items on the screen: whether each is selected and marked, and which bytes of its
    /// text match.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let height = usize::from(Layout::of(self.area).list.height);
        let rows = (self.top..self.top + height).map_while(|place| {
            let index = self.ranking.get(place)?;
            let item = &self.items[index];
            Some(Row {
                item,
                is_selected: place == self.selected,
                is_marked: self.marked.contains(&index),
                matched: self.ranking.matched(item.text()),
            })
        });
        rows.collect()
    }

    /// Returns the selected item.
    pub(super) fn selected(&self) -> Option<&Item> {
        self.ranking.get(self.selected).map(|index| &self.items[index])
    }

    /// Returns the preview, if it is that of the selected item.
    pub(super) fn preview(&self) -> Option<&Preview> {
        let path = &self.selected()?.place.path;
        self.preview.as_deref().filter(|preview| preview.path == *path)
    }

    /// Returns the path whose preview is needed, and not there.
    pub(super) fn wanted_preview(&self) -> Option<&Arc<[u8]>> {
        let has_room = !Layout::of(self.area).preview.is_empty();
        let path = &self.selected()?.place.path;
        (has_room && self.preview().is_none()).then_some(path)
    }

    /// Changes the state; returns how the finder ends, if it does.
    pub(super) fn update(&mut self, event: Event) -> Option<End> {
        let end = match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => None,
            Event::Key(key) => self.press(key),
            Event::Resized(area) => {
                self.area = area;
                None
            }
            Event::Items(items) => {
                self.total += items.len();
                let room = ITEMS_MAX - self.items.len();
                self.items.extend(items.into_iter().take(room));
                self.keeping_selection(|state| state.ranking.add(&state.items));
                None
            }
            Event::Restart => {
                self.replace(Vec::new());
                None
            }
            Event::Progress(text) => {
                self.progress = Some(text);
                None
            }
            Event::Done(note) => {
                self.progress = None;
                self.note = note;
                None
            }
            // An earlier search was not cancelled in time.
            Event::Found { query, .. } if query != self.input.text() => None,
            Event::Found { items, total, note, .. } => {
                self.replace(items);
                self.total = total;
                self.progress = None;
                self.note = note;
                None
            }
            Event::Preview(preview) => {
                self.preview = Some(Arc::new(preview));
                None
            }
        };
        self.scroll();
        end
    }

    fn press(&mut self, key: KeyEvent) -> Option<End> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let page = usize::from(Layout::of(self.area).list.height).max(2) - 1;
        match key.code {
            KeyCode::Esc => return Some(End::Left),
            KeyCode::Char('c' | 'g' | 'q') if control => return Some(End::Left),
            KeyCode::Char('d') if control && self.input.text().is_empty() => {
                return Some(End::Left);
            }
            KeyCode::Enter => return self.chosen(),
            KeyCode::Char('m') if control => return self.chosen(),
            KeyCode::Up => self.back(1),
            KeyCode::Down => self.forth(1),
            KeyCode::Char('p' | 'k') if control => self.back(1),
            KeyCode::Char('n' | 'j') if control => self.forth(1),
            KeyCode::PageUp => self.back(page),
            KeyCode::PageDown => self.forth(page),
            KeyCode::Home if control => self.selected = 0,
            KeyCode::End if control => self.forth(usize::MAX),
            KeyCode::Tab => {
                self.mark();
                self.forth(1);
            }
            KeyCode::Char('i') if control => {
                self.mark();
                self.forth(1);
            }
            KeyCode::BackTab => {
                self.mark();
                self.back(1);
            }
            KeyCode::Left => self.input.left(),
            KeyCode::Char('b') if control => self.input.left(),
            KeyCode::Right => self.input.right(),
            KeyCode::Char('f') if control => self.input.right(),
            KeyCode::Home => self.input.home(),
            KeyCode::Char('a') if control => self.input.home(),
            KeyCode::End => self.input.end(),
            KeyCode::Char('e') if control => self.input.end(),
            KeyCode::Backspace if alt || control => self.edit(Input::delete_word),
            KeyCode::Backspace => self.edit(Input::backspace),
            KeyCode::Char('h') if control => self.edit(Input::backspace),
            KeyCode::Delete => self.edit(Input::delete),
            KeyCode::Char('d') if control => self.edit(Input::delete),
            KeyCode::Char('w') if control => self.edit(Input::delete_word),
            KeyCode::Char('u') if control => self.edit(Input::delete_before),
            // AltGr is reported as both on Windows.
            KeyCode::Char(c) if control == alt => {
                self.edit(|input| input.insert(c.encode_utf8(&mut [0; 4])));
            }
            _ => {}
        }
        None
    }

    /// Edits the query, and ranks by it if it changed.
    fn edit(&mut self, change: impl FnOnce(&mut Input)) {
        let before = self.input.text().to_owned();
        change(&mut self.input);
        if self.input.text() == before {
            return;
        }
        if self.typing == Typing::Searches {
            self.progress = Some("searching".to_owned());
            if self.input.text().is_empty() {
                self.replace(Vec::new());
                self.progress = None;
                self.note = None;
            }
            return;
        }
        self.ranking.set_query(self.input.text(), &self.items);
        self.selected = 0;
        self.top = 0;
    }

    /// Replaces all items. Nothing is marked then.
    fn replace(&mut self, items: Vec<Item>) {
        self.total = items.len();
        self.items = items;
        self.items.truncate(ITEMS_MAX);
        self.marked.clear();
        self.ranking.forget();
        self.ranking.add(&self.items);
        self.selected = 0;
        self.top = 0;
    }

    /// Changes the ranking. The selected item stays selected if it was moved to on purpose: the first
    /// one is the best so far.
    fn keeping_selection(&mut self, change: impl FnOnce(&mut State)) {
        let kept = self.ranking.get(self.selected).filter(|_| self.selected > 0);
        change(self);
        let Some(index) = kept else { return };
        let place = (0..self.ranking.len()).find(|&place| self.ranking.get(place) == Some(index));
        if let Some(place) = place {
            self.top = (self.top + place).saturating_sub(self.selected);
            self.selected = place;
        }
    }

    fn back(&mut self, by: usize) {
        self.selected = self.selected.saturating_sub(by);
    }

    fn forth(&mut self, by: usize) {
        let last = self.ranking.len().saturating_sub(1);
        self.selected = self.selected.saturating_add(by).min(last);
    }

    /// Marks the selected item, or removes its mark.
    fn mark(&mut self) {
        let Some(index) = self.ranking.get(self.selected) else { return };
        match self.marked.iter().position(|&marked| marked == index) {
            Some(at) => drop(self.marked.remove(at)),
            None => self.marked.push(index),
        }
    }

    /// Returns what was chosen: the marked items, else the selected one, if there is any.
    fn chosen(&self) -> Option<End> {
        let marked = self.marked.iter().map(|&index| self.items[index].place.clone());
        let mut places: Vec<Place> = marked.collect();
        if places.is_empty() {
            places.extend(self.selected().map(|item| item.place.clone()));
        }
        (!places.is_empty()).then_some(End::Chosen(places))
    }

    /// Returns the name of the first item that was chosen.
    pub(super) fn chosen_name(&self) -> Option<&str> {
        let index = self.marked.first().copied().or_else(|| self.ranking.get(self.selected))?;
        Some(self.items[index].name())
    }

    /// Scrolls so that the selected item is on the screen.
    fn scroll(&mut self) {
        self.selected = self.selected.min(self.ranking.len().saturating_sub(1));
        let height = usize::from(Layout::of(self.area).list.height).max(1);
        let last_top = self.ranking.len().saturating_sub(height);
        self.top = self.top.min(self.selected).min(last_top);
        self.top = self.top.max((self.selected + 1).saturating_sub(height));
    }
}

/// An item on the screen.
#[derive(Debug)]
pub(super) struct Row<'a> {
    pub(super) item: &'a Item,
    pub(super) is_selected: bool,
    pub(super) is_marked: bool,
    /// The positions in its text of the bytes that match, ascending.
    pub(super) matched: Vec<usize>,
}
