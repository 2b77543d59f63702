//! The screens of the finder, as text.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

use super::item::{Item, Place};
use super::preview::Preview;
use super::state::{End, Event, State, Typing};
use super::view::{self, Theme};
use super::{Request, Source, file_of, printed};

const PLAIN: Theme = Theme { has_colors: false, enter: "open" };

fn place(path: &str, line: u32) -> Place {
    Place { path: path.as_bytes().into(), line: Some(line).filter(|&line| line > 0) }
}

/// Definitions of a shop.
fn symbols() -> Vec<Item> {
    [
        ("Cart", "struct", "src/cart.rs", 5),
        ("Cart::add", "method", "src/cart.rs", 11),
        ("Cart::total", "method", "src/cart.rs", 14),
        ("Coupon", "struct", "src/coupon.rs", 4),
        ("Coupon::discounted", "method", "src/coupon.rs", 10),
        ("Price::of", "function", "src/price.rs", 9),
        ("a_coupon_takes_its_share", "function", "tests/cart_test.rs", 4),
    ]
    .into_iter()
    .map(|(name, kind, path, line)| Item::of_symbol(name, kind, place(path, line)))
    .collect()
}

const CART: &str = "use crate::Coupon;\n\n/// What a customer buys.\n#[derive(Default)]\npub struct \
                    Cart {\n\tlines: Vec<Line>,\n}\n\nimpl Cart {\n    /// Adds a line.\n    pub fn add(&mut \
                    self) {}\n\n    /// The sum.\n    pub fn total(&self) -> Price {\n        \
                    self.lines.iter().sum()\n    }\n}\n";

fn state(width: u16, height: u16, items: Vec<Item>) -> State {
    let mut state = State::new("symbols", Typing::Filters, "", 1);
    state.update(Event::Resized(Rect::new(0, 0, width, height)));
    state.update(Event::Items(items));
    state.update(Event::Done(None));
    state
}

fn press(state: &mut State, code: KeyCode) -> Option<End> {
    let modifiers = KeyModifiers::NONE;
    state.update(Event::Key(KeyEvent::new(code, modifiers)))
}

fn control(state: &mut State, c: char) -> Option<End> {
    state.update(Event::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)))
}

fn enter(state: &mut State, text: &str) {
    for c in text.chars() {
        assert_eq!(press(state, KeyCode::Char(c)), None);
    }
}

/// Gives the state the preview that it wants.
fn answer_preview(state: &mut State, text: &str) {
    let path = state.wanted_preview().cloned().expect("a selected item");
    state.update(Event::Preview(Preview::new(path, Ok(text.to_owned()))));
    assert_eq!(state.wanted_preview(), None);
}

/// Draws the state, and returns the buffer and the column of the cursor.
fn drawn(state: &State, theme: Theme) -> (Buffer, u16) {
    let area = state.area();
    let mut terminal =
        Terminal::new(TestBackend::new(area.width, area.height)).expect("a terminal in memory");
    let mut column = 0;
    let draw = |frame: &mut ratatui::Frame<'_>| {
        column = view::draw(state, theme, frame.buffer_mut()).x;
    };
    terminal.draw(draw).expect("it is in memory");
    (terminal.backend().buffer().clone(), column)
}

/// Returns the rows of a buffer, with `write` for each cell that is the first of a character.
fn rows(buffer: &Buffer, write: impl Fn(&mut String, &Cell)) -> String {
    let area = buffer.area;
    let mut out = String::new();
    for y in area.top()..area.bottom() {
        let mut row = String::new();
        let mut x = area.left();
        while x < area.right() {
            let cell = &buffer[(x, y)];
            write(&mut row, cell);
            x += (ratatui::text::Line::raw(cell.symbol()).width() as u16).max(1);
        }
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

fn screen(state: &State) -> String {
    rows(&drawn(state, PLAIN).0, |row, cell| row.push_str(cell.symbol()))
}

#[track_caller]
fn check(state: &State, expected: &str) {
    let shown = screen(state);
    assert_eq!(shown.trim_end(), expected.trim_matches('\n').trim_end(), "\n{shown}");
}

#[test]
fn the_list_is_shown_with_a_preview() {
    let mut state = state(80, 24, symbols());
    answer_preview(&mut state, CART);
    check(
        &state,
        "
symbols>                                                                     7/7
> Cart                      struct    src/cart.rs:5
  Cart::add                 method    src/cart.rs:11
  Cart::total               method    src/cart.rs:14
  Coupon                    struct    src/coupon.rs:4
  Coupon::discounted        method    src/coupon.rs:10
  Price::of                 function  src/price.rs:9
  a_coupon_takes_its_share  function  tests/cart_test.rs:4




── src/cart.rs:5 ───────────────────────────────────────────────────────────────
  2
  3 /// What a customer buys.
  4 #[derive(Default)]
> 5 pub struct Cart {
  6     lines: Vec<Line>,
  7 }
  8
  9 impl Cart {
 10     /// Adds a line.
 11     pub fn add(&mut self) {}
Enter open  Esc leave  Tab select  ↑↓ move  'word literally  !word without
",
    );
}

#[test]
fn typing_filters_and_tab_marks() {
    let mut state = state(80, 8, symbols());
    enter(&mut state, "ct");
    press(&mut state, KeyCode::Tab);
    check(
        &state,
        "
symbols> ct                                                      1 selected  5/7
 *Cart::total               method    src/cart.rs:14
> Cart                      struct    src/cart.rs:5
  Cart::add                 method    src/cart.rs:11
  a_coupon_takes_its_share  function  tests/cart_test.rs:4
  Coupon::discounted        method    src/coupon.rs:10

Enter open  Esc leave  Tab select  ↑↓ move  'word literally  !word without
",
    );
    press(&mut state, KeyCode::Down);
    press(&mut state, KeyCode::BackTab);
    let chosen = vec![place("src/cart.rs", 14), place("src/cart.rs", 11)];
    // The marks stay when something else is typed.
    enter(&mut state, "zzz");
    assert_eq!(screen(&state).lines().nth(1), Some("  nothing matches"));
    assert_eq!(press(&mut state, KeyCode::Enter), Some(End::Chosen(chosen)));
}

#[test]
fn wide_terminals_have_the_preview_beside_the_list() {
    let mut state = state(120, 9, symbols());
    enter(&mut state, "total");
    answer_preview(&mut state, CART);
    check(
        &state,
        "
symbols> total                                                                                                       1/7
> Cart::total  method  src/cart.rs:14                       │  11     pub fn add(&mut self) {}
                                                            │  12
                                                            │  13     /// The sum.
                                                            │ >14     pub fn total(&self) -> Price {
                                                            │  15         self.lines.iter().sum()
                                                            │  16     }
                                                            │  17 }
Enter open  Esc leave  Tab select  ↑↓ move  'word literally  !word without
",
    );
}

#[test]
fn narrow_terminals_show_the_ends_of_paths() {
    let mut state = state(40, 10, symbols());
    enter(&mut state, "c");
    press(&mut state, KeyCode::Down);
    assert_eq!(state.wanted_preview(), None);
    check(
        &state,
        "
symbols> c                           7/7
  Cart                 src/cart.rs:5
> Coupon               src/coupon.rs:4
  Cart::add            src/cart.rs:11
  Cart::total          src/cart.rs:14
  Coupon::discounted   src/coupon.rs:10
  a_coupon_takes_its…  …s/cart_test.rs:4
  Price::of            src/price.rs:9

Enter open  Esc leave  Tab select
",
    );
}

#[test]
fn files_and_lines_have_their_own_columns() {
    let files = ["src/cart.rs", "tests/a/very/long/path/of/a/test/cart_test.rs"];
    let mut of_files = state(40, 5, files.map(|path| Item::of_file(place(path, 0))).into());
    of_files.what = "files";
    check(
        &of_files,
        "
files>                               2/2
> src/cart.rs
  …very/long/path/of/a/test/cart_test.rs
",
    );
    let line = |text: &str, line| Item::of_line(text, place("src/cart.rs", line));
    let items = vec![line("    let a = total(1, 2, 3, 4, 5);", 9), line("total();", 120)];
    let mut of_lines = state(40, 5, items);
    of_lines.what = "callers";
    check(
        &of_lines,
        "
callers>                             2/2
> src/cart.rs:9    let a = total(1, 2, …
  src/cart.rs:120  total();
",
    );
}

#[test]
fn hostile_and_wide_names_stay_in_their_columns() {
    let names = ["a\u{1b}[2J\u{202e}b", "価格::計算する関数の名前", "größe", "e\u{301}te\u{301}"];
    let item = |name: &&str| Item::of_symbol(name, "function", place("src/\u{1b}]0;x\u{7}.py", 1));
    let mut state = state(51, 6, names.iter().map(item).collect());
    check(
        &state,
        "
symbols>                                        4/4
> a\\u{1b}[2J\\u{202e}b       …c/\\u{1b}]0;x\\u{7}.py:1
  価格::計算する関数の名前  …c/\\u{1b}]0;x\\u{7}.py:1
  größe                     …c/\\u{1b}]0;x\\u{7}.py:1
  e\u{301}te\u{301}                       …c/\\u{1b}]0;x\\u{7}.py:1
",
    );
    enter(&mut state, "計算");
    let (buffer, column) = drawn(&state, PLAIN);
    assert_eq!(state.counts(), (1, 4, 0));
    // The cursor is behind two wide characters.
    assert_eq!((column, buffer[(9, 0)].symbol()), (13, "計"));
}

#[test]
fn what_matches_is_highlighted_with_and_without_colours() {
    let styled = |theme| {
        let mut state = state(40, 3, symbols());
        enter(&mut state, "caadd");
        rows(&drawn(&state, theme).0, |row, cell| {
            let style = match (cell.fg, cell.modifier.is_empty()) {
                (ratatui::style::Color::Reset, true) => String::new(),
                (ratatui::style::Color::Reset, false) => format!("{:?}", cell.modifier),
                (color, true) => format!("{color}"),
                (color, false) => format!("{color} {:?}", cell.modifier),
            };
            let style = if cell.symbol() == " " { String::new() } else { style };
            // A run of one style is written once.
            let end = "[/]";
            let open = row.rsplit_once("[/]").map_or("", |(before, _)| before).rsplit('[').next();
            let same =
                row.ends_with(end) && open.is_some_and(|of| of.starts_with(&(style.clone() + "]")));
            match (style.is_empty(), same) {
                (true, _) => row.push_str(cell.symbol()),
                (false, true) => {
                    row.truncate(row.len() - end.len());
                    row.push_str(&format!("{}{end}", cell.symbol()));
                }
                (false, false) => row.push_str(&format!("[{style}]{}{end}", cell.symbol())),
            }
        })
    };
    let plain = styled(PLAIN);
    let colored = styled(Theme { has_colors: true, ..PLAIN });
    assert_eq!(
        plain,
        "\
[BOLD]symbols>[/] caadd                       [DIM]1/7[/]
[BOLD]>[/] [BOLD | UNDERLINED]Ca[/][BOLD]rt::[/][BOLD | UNDERLINED]add[/]  src/cart.rs:11

"
    );
    assert_eq!(
        colored,
        "\
[Cyan BOLD]symbols>[/] caadd                       [DIM]1/7[/]
[Cyan BOLD]>[/] [Green BOLD]Ca[/][BOLD]rt::[/][Green BOLD]add[/]  [Magenta]src/cart.rs:11[/]

"
    );
}

#[test]
fn code_in_the_preview_has_colours() {
    let styled = |theme| {
        let mut state = state(30, 18, symbols());
        answer_preview(&mut state, CART);
        let (buffer, _) = drawn(&state, theme);
        // The rows of the preview, each as the colours of its words.
        let colors = |y: u16| {
            let mut words: Vec<(String, ratatui::style::Color, bool)> = Vec::new();
            for x in 4..30 {
                let cell = &buffer[(x, y)];
                let faint = cell.modifier.contains(ratatui::style::Modifier::DIM);
                match words.last_mut() {
                    Some((word, color, dim)) if (*color, *dim) == (cell.fg, faint) => {
                        word.push_str(cell.symbol());
                    }
                    _ => words.push((cell.symbol().to_owned(), cell.fg, faint)),
                }
            }
            let shown = |(word, color, faint): (String, ratatui::style::Color, bool)| {
                let faint = if faint { " faint" } else { "" };
                format!("{}:{color}{faint}", word.trim())
            };
            words.into_iter().map(shown).collect::<Vec<_>>().join(" ")
        };
        (10..17).map(colors).collect::<Vec<_>>().join("\n")
    };
    let colored = styled(Theme { has_colors: true, ..PLAIN });
    for part in
        ["pub:Blue :Reset struct:Blue Cart {:Reset", "/// What a customer buys.:Reset faint"]
    {
        assert!(colored.contains(part), "{part} in {colored}");
    }
    let plain = styled(PLAIN);
    assert!(!plain.contains("Blue") && !plain.contains("faint"), "{plain}");
}

#[test]
fn reading_shows_how_far_it_is_and_what_is_missing() {
    let mut state = State::new("symbols", Typing::Filters, "tot", 1);
    state.update(Event::Resized(Rect::new(0, 0, 44, 8)));
    assert_eq!(screen(&state).lines().next(), Some("symbols> tot                        reading…"));
    state.update(Event::Progress("indexing 40%".to_owned()));
    assert_eq!(screen(&state).lines().next(), Some("symbols> tot                   indexing 40%…"));
    state.update(Event::Items(symbols()));
    assert_eq!(screen(&state).lines().next(), Some("symbols> tot                            1/7…"));
    state.update(Event::Done(Some("3 files not indexed yet".to_owned())));
    check(
        &state,
        "
symbols> tot                             1/7
> Cart::total  src/cart.rs:14





3 files not indexed yet
",
    );
}

#[test]
fn the_selection_stays_while_items_arrive() {
    let mut state = state(80, 6, Vec::new());
    let mut all = symbols();
    let rest = all.split_off(3);
    enter(&mut state, "c");
    state.update(Event::Items(all));
    for _ in 0..2 {
        press(&mut state, KeyCode::Down);
    }
    let before = state.selected().map(|item| item.place.clone());
    state.update(Event::Items(rest));
    assert_eq!(state.selected().map(|item| item.place.clone()), before);
    assert!(state.rows().iter().any(|row| row.is_selected));
    // After a restart, nothing of before is left.
    state.update(Event::Restart);
    assert_eq!((state.counts(), press(&mut state, KeyCode::Enter)), ((0, 0, 0), None));
}

#[test]
fn keys_move_and_leave() {
    let mut state = state(80, 6, symbols());
    let at =
        |state: &State| state.selected().map(|item| item.name().to_owned()).unwrap_or_default();
    for (code, expected) in [
        (KeyCode::Up, "Cart"),
        (KeyCode::Down, "Cart::add"),
        (KeyCode::PageDown, "Price::of"),
        (KeyCode::PageDown, "a_coupon_takes_its_share"),
        (KeyCode::Down, "a_coupon_takes_its_share"),
        (KeyCode::PageUp, "Cart::total"),
        (KeyCode::Down, "Coupon"),
    ] {
        assert_eq!(press(&mut state, code), None);
        assert_eq!(at(&state), expected, "{code:?}");
        assert!(state.rows().iter().any(|row| row.is_selected), "{code:?}");
    }
    control(&mut state, 'n');
    assert_eq!(at(&state), "Coupon::discounted");
    control(&mut state, 'p');
    assert_eq!(at(&state), "Coupon");
    // A smaller terminal still shows the selected item.
    state.update(Event::Resized(Rect::new(0, 0, 20, 2)));
    assert_eq!(screen(&state).lines().nth(1), Some("> Coupon  …upon.rs:4"), "{}", screen(&state));
    state.update(Event::Resized(Rect::new(0, 0, 0, 0)));
    enter(&mut state, "x y");
    control(&mut state, 'w');
    assert_eq!(state.input.text(), "x ");
    control(&mut state, 'u');
    for leave in ['c', 'g', 'q', 'd'] {
        assert_eq!(control(&mut state, leave), Some(End::Left), "{leave}");
    }
    assert_eq!(press(&mut state, KeyCode::Esc), Some(End::Left));
    let mut released = KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE);
    released.kind = ratatui::crossterm::event::KeyEventKind::Release;
    assert_eq!(state.update(Event::Key(released)), None);
}

#[test]
fn a_search_shows_what_was_found_for_the_last_key() {
    let mut state = State::new("lines", Typing::Searches, "", 1);
    state.update(Event::Resized(Rect::new(0, 0, 40, 8)));
    enter(&mut state, "to(");
    let items = || vec![Item::of_line("let total", place("a.rs", 3))];
    let found = |query: &str, items: Vec<Item>, note: Option<&str>| Event::Found {
        query: query.to_owned(),
        total: items.len(),
        items,
        note: note.map(str::to_owned),
    };
    state.update(found("to", items(), None));
    assert_eq!(state.counts().1, 0, "that is what was typed before");
    state.update(found("to(", Vec::new(), Some("unclosed group")));
    assert_eq!(screen(&state).lines().nth(1), Some("  unclosed group"));
    press(&mut state, KeyCode::Backspace);
    state.update(found("to", items(), None));
    check(
        &state,
        "
lines> to                            1/1
> a.rs:3  let total





Enter open  Esc leave  Tab select
",
    );
    // The count is that of all lines, listed or not.
    let (query, note) = ("to".to_owned(), Some("1 of 14419 lines shown".to_owned()));
    state.update(Event::Found { query, items: items(), total: 14_419, note });
    let shown = screen(&state);
    assert!(shown.starts_with("lines> to                        1/14419\n"), "{shown}");
    assert!(shown.contains("1 of 14419 lines shown"), "{shown}");
    press(&mut state, KeyCode::Backspace);
    press(&mut state, KeyCode::Backspace);
    assert_eq!(state.counts(), (0, 0, 0));
}

#[test]
fn arguments_say_what_is_picked() {
    let of = |what, text| Request::new(what, text).map(|of| (of.source, of.query));
    let symbols = |query: &str| Ok((Source::Symbols, query.to_owned()));
    let check = |what, text, expected: crate::Result<(Source, String)>| {
        assert_eq!(of(what, text).ok(), expected.ok(), "{what:?} {text:?}");
    };
    check(None, None, symbols(""));
    check(Some("symbols"), Some("total"), symbols("total"));
    check(Some("total"), None, symbols("total"));
    check(Some("file"), Some("cart"), Ok((Source::Files, "cart".to_owned())));
    check(Some("grep"), None, Ok((Source::LinesOfQuery, String::new())));
    check(Some("lines"), Some("fn "), Ok((Source::Lines("fn ".to_owned()), String::new())));
    check(Some("callers"), Some("of"), Ok((Source::Callers("of".to_owned()), String::new())));
    check(Some("callers"), None, symbols(""));
    let what = |what, text| Request::new(Some(what), text).map(|of| (of.what(), of.is_callee)).ok();
    assert_eq!(what("refs", None), Some(("callers of", true)));
    assert_eq!(what("symbols", None), Some(("symbols", false)));
    assert_eq!(what("callers", Some("of")), Some(("callers", false)));
    let error = of(Some("branches"), Some("x")).expect_err("it is wrong");
    assert_eq!(error.to_string(), "cannot pick from `branches`");
}

#[test]
#[cfg(unix)]
fn places_are_printed_from_the_current_directory() {
    use std::path::Path;
    let file = |current: Option<&str>| {
        file_of(Path::new("/tree"), current.map(Path::new), Path::new("src/a/b.rs"))
    };
    assert_eq!(file(Some("/tree")), Path::new("src/a/b.rs"));
    assert_eq!(file(Some("/tree/src/a")), Path::new("b.rs"));
    assert_eq!(file(Some("/tree/tests/x")), Path::new("../../src/a/b.rs"));
    assert_eq!(file(Some("/elsewhere")), Path::new("/tree/src/a/b.rs"));
    assert_eq!(file(None), Path::new("/tree/src/a/b.rs"));
    let check = |form, line, expected: &str| {
        assert_eq!(printed(form, "a b.rs".into(), line), format!("{expected}\n").into_bytes());
    };
    check("line", Some(3), "a b.rs:3");
    check("line", None, "a b.rs");
    check("path", Some(3), "a b.rs");
    check("vi", Some(3), "+3 a b.rs");
    check("vi", None, "a b.rs");
}

/// The test starts itself on a terminal, which `script` provides, and panics there.
#[test]
#[cfg(unix)]
fn a_panic_restores_the_terminal() {
    use std::process::{Command, Stdio};
    const PANICS: &str = "PICK_TEST_PANICS";
    if std::env::var_os(PANICS).is_some() {
        let _screen = super::screen::Screen::open().expect("a terminal");
        panic!("it ends here");
    }
    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|of| String::from_utf8_lossy(&of.stdout).contains("util-linux")) {
        return;
    }
    let program = std::env::current_exe().expect("the program of the tests");
    let name = "cli::pick::tests::a_panic_restores_the_terminal";
    let line = format!(
        "stty rows 24 cols 80; '{}' --exact {name} --nocapture; stty -a",
        program.display()
    );
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null());
    command.env(PANICS, "1").env("TERM", "xterm").env("SHELL", "/bin/sh");
    let output = command.output().expect("`script` can be started");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    let (before, after) = shown.rsplit_once("\u{1b}[?1049l").unwrap_or_default();
    assert!(before.contains("\u{1b}[?1049h") && after.contains("it ends here"), "{shown:?}");
    assert!(after.contains(" icanon") && !after.contains("-icanon"), "{shown:?}");
}
