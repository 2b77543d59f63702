//! `codedb pick`: a finder for definitions, files, lines and calls, which filters while the user types and
//! opens what is chosen in the editor, or prints it.
//!
//! [`state`] is what is shown, as a value; [`view`] draws it, [`ranking`] filters, [`source`] reads the index
//! in other threads, [`screen`] is the terminal. This file connects them.

mod input;
mod item;
pub(super) mod keys;
mod layout;
mod list;
mod preview;
mod ranking;
mod screen;
mod source;
mod state;
#[cfg(test)]
mod tests;
mod view;

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use ratatui::crossterm::event;

use self::item::Place;
use self::screen::Screen;
use self::source::{Callee, Message, Source};
use self::state::{End, Event, State, Typing};
use self::view::Theme;
use super::index::{place_args, tree_options};
use super::tool::{check, fresh_arg};
use super::{display, editor, place, settings, terminal};
use crate::base::path::to_path;
use crate::engine::{Check, Engine};
use crate::error::{Error, Kind, Result};

/// How many messages of the threads wait at most.
const MESSAGES_MAX: usize = 64;

/// How long a key is waited for while a thread works, and otherwise.
const BUSY: Duration = Duration::from_millis(10);
const IDLE: Duration = Duration::from_millis(100);

/// The kinds of items, with other words for them.
const KINDS: &[(&str, &[&str])] = &[
    ("symbols", &["symbol", "def", "defs", "definitions"]),
    ("files", &["file", "find"]),
    ("lines", &["line", "search", "grep", "rg"]),
    ("callers", &["caller", "calls", "refs"]),
];

pub(super) fn command() -> Command {
    Command::new("pick")
        .about("Find a definition, file, line or call while typing, and open it")
        .long_about(
            "Shows a list that is filtered while you type, with a preview. Enter opens the selected item \
             in VISUAL or EDITOR at its line; if standard output is not a terminal, or with `--print`, \
             it is printed. Tab selects several, Esc leaves. Words match letters in order; `'word` is \
             literal, `^start`, `end$`, `!without`. `lines` without a pattern searches for the regular \
             expression that is typed; `callers` without a name lets you choose the definition first.",
        )
        .arg(
            Arg::new("what")
                .value_name("WHAT")
                .help("`symbols` (the default), `files`, `lines` or `callers`"),
        )
        .arg(
            Arg::new("text")
                .value_name("TEXT")
                .help("What is typed first; of `lines` the pattern, of `callers` the name"),
        )
        .arg(
            Arg::new("print")
                .long("print")
                .value_name("FORM")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("line")
                .value_parser(["line", "path", "vi"])
                .hide_possible_values(true)
                .help("Print `path:line`, do not open it; `=path` without line, `=vi` as `+line path`"),
        )
        .arg(
            Arg::new("list")
                .long("list")
                .action(ArgAction::SetTrue)
                .conflicts_with("print")
                .help("Print all that matches TEXT as `path:line:name`, without a screen: for `fzf`"),
        )
        .args(display::args().into_iter().filter(|arg| arg.get_id() == "color"))
        .arg(fresh_arg())
        .args(place_args())
        .after_help("Exit codes: 0 something was chosen, 1 nothing was, 2 error.")
}

/// What the arguments request.
#[derive(Debug, Eq, PartialEq)]
struct Request {
    source: Source,
    /// What is typed first.
    query: String,
    /// True if the items are definitions, and the calls of the chosen one are picked from next.
    is_callee: bool,
}

impl Request {
    fn new(what: Option<&str>, text: Option<&str>) -> Result<Request> {
        let word = what.unwrap_or("symbols");
        let kind = KINDS.iter().find(|(name, others)| *name == word || others.contains(&word));
        let is_callee = kind.is_some_and(|(name, _)| *name == "callers") && text.is_none();
        let (source, query) = match (kind.map(|(name, _)| *name), text) {
            (Some("symbols"), text) => (Source::Symbols, text.unwrap_or_default()),
            (Some("files"), text) => (Source::Files, text.unwrap_or_default()),
            (Some("lines"), None | Some("")) => (Source::LinesOfQuery, ""),
            (Some("lines"), Some(pattern)) => (Source::Lines(pattern.to_owned()), ""),
            (Some("callers"), Some(name)) => (Source::Callers(name.to_owned()), ""),
            (Some(_), _) => (Source::Symbols, ""),
            // The beginning of a name.
            (None, None) => (Source::Symbols, word),
            (None, Some(_)) => {
                return Err(Error::usage(format!(
                    "cannot pick from `{}`",
                    crate::base::text::plain(word)
                ))
                .with_hint("`symbols`, `files`, `lines` or `callers`"));
            }
        };
        Ok(Request { source, query: query.to_owned(), is_callee })
    }

    fn what(&self) -> &'static str {
        match self.source {
            Source::Symbols if self.is_callee => "callers of",
            Source::Symbols => "symbols",
            Source::Files => "files",
            Source::Lines(_) | Source::LinesOfQuery => "lines",
            Source::Callers(_) | Source::CallersOf(_) => "callers",
        }
    }

    fn typing(&self) -> Typing {
        if self.source == Source::LinesOfQuery { Typing::Searches } else { Typing::Filters }
    }
}

/// Runs the command.
///
/// # Errors
///
/// Without a terminal, for an unknown name, and if the index or the terminal fails.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let argument = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let request = Request::new(argument("what"), argument("text"))?;
    let options = tree_options(matches);
    let engine = place::engine(&options)?;
    let threads = options.threads.unwrap_or_else(place::threads);
    let current = std::env::current_dir().ok().and_then(|dir| dir.canonicalize().ok());
    let file = |place: &Place| file_of(engine.root(), current.as_deref(), &to_path(&place.path));
    if matches.get_flag("list") {
        if request.source == Source::LinesOfQuery {
            return Err(Error::usage("missing pattern: which lines?")
                .with_hint("`codedb pick lines PATTERN --list`"));
        }
        if request.is_callee {
            return Err(Error::usage("missing name: whose callers?")
                .with_hint("`codedb pick callers NAME --list`"));
        }
        let threads_of_list = start(&engine, check(matches), request.source)?;
        let path = |place: &Place| OsString::from(file(place)).into_encoded_bytes();
        return list::print(&threads_of_list.messages, &request.query, threads, &path);
    }
    let is_terminal = std::io::stdout().is_terminal();
    let form = argument("print").or((!is_terminal).then_some("line"));
    let is_default = matches.value_source("color") == Some(ValueSource::DefaultValue);
    let configured = settings::defaults().color.filter(|_| is_default);
    let colors = configured.map(settings::Color::name).or_else(|| argument("color"));
    let theme = Theme {
        has_colors: match colors {
            Some("always") => true,
            Some("never") => false,
            _ => terminal::environment_allows_colors(),
        },
        enter: if form.is_some() { "print" } else { "open" },
    };
    let mut screen = Screen::open()?;
    let mut choose = |request: Request, theme: Theme| {
        let mut state = State::new(request.what(), request.typing(), &request.query, threads);
        let end = pick(&mut screen, &engine, check(matches), request.source, &mut state, theme)?;
        Ok((end, state.chosen_name().map(str::to_owned)))
    };
    let mut request = request;
    if request.is_callee {
        let theme = Theme { enter: "choose", ..theme };
        let (End::Chosen(places), Some(name)) = choose(request, theme)? else {
            return Ok(ExitCode::from(1));
        };
        let callee = places.into_iter().next().map(|place| Callee { name, place });
        let Some(callee) = callee else { return Ok(ExitCode::from(1)) };
        let (source, query) = (Source::CallersOf(callee), String::new());
        request = Request { source, query, is_callee: false };
    }
    let (End::Chosen(places), _) = choose(request, theme)? else { return Ok(ExitCode::from(1)) };
    drop(screen);
    let Some(form) = form else {
        let targets = places.iter().map(|place| (file(place).into_os_string(), place.line));
        return editor::open(editor::configured(), targets.collect()).map(|()| ExitCode::SUCCESS);
    };
    let lines = places.iter().map(|place| printed(form, file(place), place.line));
    list::write(lines).map(|()| ExitCode::SUCCESS)
}

/// Returns a place as it is printed, with the end of the line.
fn printed(form: &str, file: PathBuf, line: Option<u32>) -> Vec<u8> {
    let file = OsString::from(file).into_encoded_bytes();
    let line = line.filter(|_| form != "path").map(|line| line.to_string()).unwrap_or_default();
    let (before, after) = match (form, line.is_empty()) {
        (_, true) => (String::new(), String::new()),
        ("vi", false) => (format!("+{line} "), String::new()),
        (_, false) => (String::new(), format!(":{line}")),
    };
    [before.as_bytes(), &file, after.as_bytes(), b"\n"].concat()
}

/// Returns the path of a file of the tree at `root` from the current directory: relative inside of the tree,
/// else absolute.
fn file_of(root: &Path, current: Option<&Path>, path: &Path) -> PathBuf {
    let Some(below) = current.and_then(|current| current.strip_prefix(root).ok()) else {
        return root.join(path);
    };
    let common = below.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = below.components().skip(common).map(|_| Path::new(".."));
    up.chain(path.components().skip(common).map(|part| Path::new(part.as_os_str()))).collect()
}

/// The ends of the channels to the threads.
struct Threads {
    messages: Receiver<Message>,
    previews: Sender<Arc<[u8]>>,
    queries: Sender<String>,
    /// Set to cancel the search that runs.
    is_stale: Arc<AtomicBool>,
}

/// Starts the threads. They are not waited for: they only read, and end with the process.
fn start(engine: &Engine, check: Check, source: Source) -> Result<Threads> {
    let (to, messages) = mpsc::sync_channel(MESSAGES_MAX);
    let (previews, paths) = mpsc::channel();
    let (queries, typed) = mpsc::channel();
    let is_stale = Arc::new(AtomicBool::new(false));
    let is_live = source == Source::LinesOfQuery;
    let threads = Threads { messages, previews, queries, is_stale: Arc::clone(&is_stale) };
    let (of_list, of_previews) = (engine.clone(), engine.clone());
    let to_previews = to.clone();
    spawn(move || source::previews(&of_previews, check, &paths, &to_previews))?;
    if is_live {
        spawn(move || source::search(&of_list, check, &typed, &is_stale, &to))?;
    } else {
        spawn(move || source::list(&of_list, check, &source, &to))?;
    }
    Ok(threads)
}

fn spawn(work: impl FnOnce() + Send + 'static) -> Result<()> {
    let builder = std::thread::Builder::new().name("pick".to_owned());
    let failed = |error| Error::new(Kind::Io, format!("cannot start a thread: {error}"));
    builder.spawn(work).map(drop).map_err(failed)
}

/// Shows the finder until the user chooses or leaves.
fn pick(
    screen: &mut Screen,
    engine: &Engine,
    check: Check,
    source: Source,
    state: &mut State,
    theme: Theme,
) -> Result<End> {
    let threads = start(engine, check, source)?;
    let (mut requested, mut searched) = (None::<Arc<[u8]>>, String::new());
    state.update(Event::Resized(screen.area()?));
    let mut is_changed = true;
    loop {
        if is_changed {
            screen.draw(state, theme)?;
        }
        if let Some(path) = state.wanted_preview().filter(|path| requested.as_ref() != Some(path)) {
            requested = Some(Arc::clone(path));
            drop(threads.previews.send(Arc::clone(path)));
        }
        if state.typing == Typing::Searches && state.input.text() != searched {
            state.input.text().clone_into(&mut searched);
            threads.is_stale.store(true, Ordering::Relaxed);
            if !searched.is_empty() {
                drop(threads.queries.send(searched.clone()));
            }
        }
        let is_waiting = state.progress.is_some() || state.wanted_preview().is_some();
        is_changed = false;
        for event in typed(if is_waiting { BUSY } else { IDLE })? {
            let event = match event {
                event::Event::Key(key) => Event::Key(key),
                event::Event::Resize(..) => Event::Resized(screen.area()?),
                _ => continue,
            };
            is_changed = true;
            if let Some(end) = state.update(event) {
                return Ok(end);
            }
        }
        is_changed |= received(&threads.messages, state)?;
        if screen::is_lost() {
            return Err(Error::new(Kind::Io, "the list could not be read"));
        }
    }
}

/// Returns the events of the terminal, after at most `wait`.
fn typed(wait: Duration) -> Result<Vec<event::Event>> {
    let failed = |error| Error::new(Kind::Io, format!("the terminal failed: {error}"));
    let mut events = Vec::new();
    let mut wait = wait;
    while event::poll(wait).map_err(failed)? {
        events.push(event::read().map_err(failed)?);
        wait = Duration::ZERO;
    }
    Ok(events)
}

/// Takes what the threads sent; returns true if there was something.
///
/// # Errors
///
/// The error that a thread sent.
fn received(messages: &Receiver<Message>, state: &mut State) -> Result<bool> {
    let mut is_changed = false;
    // Between the parts of a long list, keys are read.
    for _ in 0..4 {
        match messages.try_recv() {
            Ok(message) => {
                state.update(message?);
                is_changed = true;
            }
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
        }
    }
    Ok(is_changed)
}
