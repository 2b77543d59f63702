//! [`draw`]: the screen of a [`State`].

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::item::Item;
use super::layout::Layout;
use super::state::{Row, State};
use crate::answer::style::Part;
use crate::base::path::shown;
use crate::base::text::plain;

/// The keys, the most important first; those without room are left out.
const KEYS: [&str; 6] =
    ["Enter open", "Esc leave", "Tab select", "↑↓ move", "'word literally", "!word without"];

/// The same where typing is a regular expression.
const KEYS_OF_SEARCH: [&str; 4] = ["Enter open", "Esc leave", "Tab select", "↑↓ move"];

/// The columns before each item: the pointer and the mark.
const MARGIN: u16 = 2;

/// What is shown, besides the state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Theme {
    pub(super) has_colors: bool,
    /// What Enter does: `open` or `print`.
    pub(super) enter: &'static str,
}

impl Theme {
    fn colored(self, color: Color) -> Style {
        if self.has_colors { Style::new().fg(color) } else { Style::new() }
    }

    fn prompt(self) -> Style {
        self.colored(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    fn matched(self) -> Style {
        let style = self.colored(Color::Green).add_modifier(Modifier::BOLD);
        if self.has_colors { style } else { style.add_modifier(Modifier::UNDERLINED) }
    }

    fn path(self) -> Style {
        self.colored(Color::Magenta)
    }

    /// Returns the style of a token of code; the colours are those of other replies.
    fn code(self, part: Part) -> Style {
        match part {
            Part::Keyword => self.colored(Color::Blue),
            Part::Literal => self.colored(Color::Green),
            Part::Comment if self.has_colors => self.faint(),
            _ => Style::new(),
        }
    }

    fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }
}

/// Draws the state into `buffer`; returns the place of the cursor.
pub(super) fn draw(state: &State, theme: Theme, buffer: &mut Buffer) -> Position {
    let layout = Layout::of(state.area());
    let cursor = prompt(state, theme, layout.prompt, buffer);
    list(state, theme, layout.list, buffer);
    border(state, theme, layout.border, buffer);
    preview(state, theme, layout.preview, buffer);
    keys(state, theme, layout.keys, buffer);
    cursor
}

/// Draws the line that is typed, with the counts at its right.
fn prompt(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) -> Position {
    if area.is_empty() {
        return area.as_position();
    }
    let status = Line::styled(status(state), theme.faint());
    let status_width = (status.width() as u16).min(area.width / 2);
    let title = format!("{}> ", state.what);
    let title = if area.width < 24 { "> ".to_owned() } else { title };
    let (x, _) = buffer.set_stringn(area.x, area.y, &title, area.width.into(), theme.prompt());
    let room = (area.right() - x).saturating_sub(status_width + 1);
    // The end of a long query stays in sight.
    let before = state.input.before();
    let skipped = Line::raw(before).width().saturating_sub(usize::from(room).saturating_sub(1));
    let visible = |text: &str| {
        let mut skip = skipped;
        let is_skipped = move |c: &char| {
            let is_skipped = skip > 0;
            skip = skip.saturating_sub(Span::raw(c.to_string()).width());
            is_skipped
        };
        text.chars().skip_while(is_skipped).collect::<String>()
    };
    buffer.set_stringn(x, area.y, visible(state.input.text()), room.into(), Style::new());
    let cursor = x + (Line::raw(visible(before)).width() as u16).min(room);
    let at = area.right().saturating_sub(status_width).max(x);
    buffer.set_line(at, area.y, &status, status_width);
    Position::new(cursor.min(area.right().saturating_sub(1)), area.y)
}

/// Returns the counts: `3/120 symbols`.
fn status(state: &State) -> String {
    let (shown, all, marked) = state.counts();
    let marked = if marked > 0 { format!("{marked} selected  ") } else { String::new() };
    match &state.progress {
        Some(text) if all == 0 && text.is_empty() => "reading…".to_owned(),
        Some(text) if all == 0 => format!("{}…", plain(text)),
        progress => {
            let dots = if progress.is_some() { "…" } else { "" };
            format!("{marked}{shown}/{all}{dots}")
        }
    }
}

fn list(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let rows = state.rows();
    if rows.is_empty() && state.progress.is_none() {
        let text = match (&state.note, state.input.text().is_empty()) {
            (Some(note), _) => plain(note),
            (None, false) => "nothing matches".to_owned(),
            (None, true) => String::new(),
        };
        let width = area.width.saturating_sub(MARGIN);
        buffer.set_stringn(area.x + MARGIN, area.y, text, width.into(), theme.faint());
        return;
    }
    let width = area.width.saturating_sub(MARGIN);
    let first = rows.iter().map(|row| Line::raw(row.item.columns().0).width()).max();
    let first = (first.unwrap_or_default() as u16).min(width / 2);
    let kind = rows.iter().map(|row| row.item.kind.len()).max().unwrap_or_default() as u16;
    let kind = if width < 50 { 0 } else { kind };
    for (row, y) in rows.iter().zip(area.top()..) {
        let area = Rect::new(area.x, y, area.width, 1);
        draw_row(row, Columns { first, kind }, theme, area, buffer);
    }
}

/// The widths of the columns.
#[derive(Clone, Copy)]
struct Columns {
    first: u16,
    kind: u16,
}

fn draw_row(row: &Row<'_>, columns: Columns, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let pointer = if row.is_selected { ">" } else { " " };
    buffer.set_stringn(area.x, area.y, pointer, usize::from(area.width.min(1)), theme.prompt());
    if row.is_marked && area.width > 1 {
        buffer.set_stringn(area.x + 1, area.y, "*", 1, theme.prompt());
    }
    let width = area.width.saturating_sub(MARGIN);
    if width == 0 {
        return;
    }
    let x = area.x + MARGIN;
    let item = row.item;
    let (first, second) = item.columns();
    let of_name =
        if row.is_selected { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    let is_name_first = item.starts_with_name();
    let (of_first, of_second) = match (is_name_first, &second) {
        (true, Some(_)) => (of_name, theme.path()),
        (_, None) => (of_name, of_name),
        (false, Some(_)) => (theme.path(), of_name),
    };
    let spans = highlighted(first, 0, &row.matched, of_first, theme.matched());
    let Some((second, start)) = second else {
        let line = cut_start(spans, width);
        buffer.set_line(x, area.y, &line, width);
        return;
    };
    let line =
        if is_name_first { cut_end(spans, columns.first) } else { cut_start(spans, columns.first) };
    buffer.set_line(x, area.y, &line, columns.first);
    let mut left = x + columns.first + 2;
    if columns.kind > 0 {
        let room = area.right().saturating_sub(left).min(columns.kind);
        buffer.set_stringn(left.min(area.right()), area.y, item.kind, room.into(), theme.faint());
        left += columns.kind + 2;
    }
    let room = area.right().saturating_sub(left);
    if room == 0 {
        return;
    }
    let mut spans = highlighted(second, start, &row.matched, of_second, theme.matched());
    let line = if is_name_first {
        spans.extend(item.place.line.map(|line| Span::styled(format!(":{line}"), of_second)));
        cut_start(spans, room)
    } else {
        cut_end(spans, room)
    };
    buffer.set_line(left, area.y, &line, room);
}

/// Returns a text, which starts at byte `start` of an item, with the bytes at `matched` highlighted.
fn highlighted(
    text: &str,
    start: usize,
    matched: &[usize],
    style: Style,
    highlight: Style,
) -> Vec<Span<'static>> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (at, c) in text.char_indices() {
        let is_matched = matched.binary_search(&(start + at)).is_ok();
        let style = if is_matched { style.patch(highlight) } else { style };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push(c),
            _ => spans.push(Span::styled(c.to_string(), style)),
        }
    }
    spans
}

/// Returns a line that ends with `…` if it is wider than `width`.
fn cut_end(spans: Vec<Span<'static>>, width: u16) -> Line<'static> {
    cut(spans, width, false)
}

/// Returns a line that begins with `…` if it is wider than `width`: the end of a path matters more.
fn cut_start(spans: Vec<Span<'static>>, width: u16) -> Line<'static> {
    cut(spans, width, true)
}

fn cut(spans: Vec<Span<'static>>, width: u16, at_start: bool) -> Line<'static> {
    let line = Line::from(spans);
    if line.width() <= usize::from(width) {
        return line;
    }
    let mut room = usize::from(width).saturating_sub(1);
    let mut graphemes: Vec<(String, Style)> = line
        .styled_graphemes(Style::new())
        .map(|grapheme| (grapheme.symbol.to_owned(), grapheme.style))
        .collect();
    if at_start {
        graphemes.reverse();
    }
    let fitting = graphemes.into_iter().map_while(|(symbol, style)| {
        room = room.checked_sub(Span::raw(symbol.as_str()).width())?;
        Some(Span::styled(symbol, style))
    });
    let mut kept: Vec<Span<'static>> = fitting.collect();
    kept.push(Span::raw("…"));
    if at_start {
        kept.reverse();
    }
    Line::from(kept)
}

fn border(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if area.width == 1 {
        for y in area.top()..area.bottom() {
            buffer.set_stringn(area.x, y, "│", 1, theme.faint());
        }
        return;
    }
    if area.is_empty() {
        return;
    }
    let title = state.selected().map(place_of).unwrap_or_default();
    let title = format!("── {title} ");
    let width = usize::from(area.width);
    let line = cut_end(vec![Span::styled(title, theme.faint())], area.width);
    let (x, _) = buffer.set_line(area.x, area.y, &line, area.width);
    let rest = width.saturating_sub(usize::from(x - area.x));
    buffer.set_stringn(x, area.y, "─".repeat(rest), rest, theme.faint());
}

/// Returns the place of an item: `src/a.rs:12`.
fn place_of(item: &Item) -> String {
    let line = item.place.line.map(|line| format!(":{line}")).unwrap_or_default();
    plain(&shown(&item.place.path)) + &line
}

fn preview(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let (Some(item), Some(preview)) = (state.selected(), state.preview()) else { return };
    if area.is_empty() {
        return;
    }
    if let Some(problem) = preview.problem() {
        buffer.set_stringn(area.x, area.y, plain(problem), area.width.into(), theme.faint());
        return;
    }
    let target = item.place.line.unwrap_or(1) as usize;
    let height = usize::from(area.height);
    // A third of what is shown is before the line.
    let first = target.saturating_sub(height / 3).max(1);
    let first = first.min((preview.len() + 1).saturating_sub(height).max(1));
    let digits = (first + height).min(preview.len()).to_string().len();
    for (number, y) in (first..=preview.len()).zip(area.top()..area.bottom()) {
        let Some(text) = preview.line(number) else { return };
        let is_target = number == target && item.place.line.is_some();
        let pointer = if is_target { '>' } else { ' ' };
        let of_number = if is_target { theme.prompt() } else { theme.faint() };
        let label = format!("{pointer}{number:>digits$} ");
        let (x, _) = buffer.set_stringn(area.x, y, label, area.width.into(), of_number);
        let style =
            if is_target { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
        let spans = text.into_iter().map(|(piece, part)| {
            Span::styled(piece, part.map_or(style, |part| style.patch(theme.code(part))))
        });
        let line = Line::from(spans.collect::<Vec<_>>());
        buffer.set_line(x, y, &line, area.right().saturating_sub(x));
    }
}

/// Draws the last line: what is to be known about the items, else the keys.
fn keys(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let (all, is_reading) = (state.counts().1, state.progress.is_some());
    if let Some(note) = state.note.as_deref().filter(|_| all > 0 && !is_reading) {
        let line = cut_end(vec![Span::styled(plain(note), theme.faint())], area.width);
        buffer.set_line(area.x, area.y, &line, area.width);
        return;
    }
    let all: &[&str] = match state.typing {
        super::state::Typing::Filters => &KEYS,
        super::state::Typing::Searches => &KEYS_OF_SEARCH,
    };
    let mut text = String::new();
    for key in all {
        let key = key.replace("open", theme.enter);
        let gap = if text.is_empty() { "" } else { "  " };
        if Line::raw(&text).width() + gap.len() + Line::raw(&key).width() > area.width.into() {
            break;
        }
        text.push_str(gap);
        text.push_str(&key);
    }
    buffer.set_stringn(area.x, area.y, text, area.width.into(), theme.faint());
}
