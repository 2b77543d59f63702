//! Where the items come from: threads that read the index and send [`Event`]s.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

use super::item::{Item, Place};
use super::preview::Preview;
use super::state::{Event, ITEMS_MAX};
use crate::answer::definition;
use crate::base::ids::FileId;
use crate::base::interrupt::Interrupt;
use crate::base::path::shown;
use crate::catalog::code::Code;
use crate::cli::background::{self, Build};
use crate::cli::recording_code::RecordingCode;
use crate::cli::{place, tool};
use crate::engine::{self, Check, Engine, Local, Progress};
use crate::error::{Error, Kind, Result};
use crate::lang::{Symbol, marks};
use crate::tools::callers::{self, Callers};
use crate::tools::search::{self, Search};
use crate::tools::{Call, Define as _, counted};

/// The number of items that are sent at once.
const BATCH: usize = 4096;

/// How often a build of the index is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long a build may be silent until it is not waited for.
const SILENT_MAX: Duration = Duration::from_secs(5);

/// The maximum numbers of files, and of lines of a file, for a search at each key.
const LIVE: (usize, usize) = (200, 20);

/// What is picked from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Source {
    Symbols,
    Files,
    /// The lines that match a regular expression.
    Lines(String),
    /// The calls of the definitions with a name.
    Callers(String),
    /// The calls of a definition.
    CallersOf(Callee),
    /// The lines that match the regular expression that is typed.
    LinesOfQuery,
}

/// A definition that was chosen.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Callee {
    /// Its name as it is listed.
    pub(super) name: String,
    pub(super) place: Place,
}

/// What a thread sends: an event, or the error that ends the finder.
pub(super) type Message = std::result::Result<Event, Error>;

/// Reads the items of a source, and sends them. Ends when nobody receives them.
pub(super) fn list(engine: &Engine, check: Check, source: &Source, to: &SyncSender<Message>) {
    if let Err(error) = read(engine, check, source, to) {
        drop(to.send(Err(error)));
    }
}

fn read(engine: &Engine, check: Check, source: &Source, to: &SyncSender<Message>) -> Result<()> {
    let needs_code = matches!(source, Source::Symbols | Source::Callers(_) | Source::CallersOf(_));
    if needs_code && wait_for_index(engine, to).is_break() {
        return Ok(());
    }
    let recording = RecordingCode::new(engine, check);
    let mut is_first = true;
    recording.run(false, |code| {
        // The index was damaged: all is read once more.
        if !std::mem::take(&mut is_first) && to.send(Ok(Event::Restart)).is_err() {
            return Ok(());
        }
        let mut batch = Batch { items: Vec::new(), sent: 0, to };
        let call = Call::new(code, tool::now_ns());
        let note = match source {
            Source::Symbols => symbols(code, &mut batch)?,
            Source::Files => files(code, &mut batch)?,
            Source::Callers(name) => calls(&call, name, name, &mut batch)?,
            Source::CallersOf(callee) => {
                calls(&call, &id_of(code, callee)?, &callee.name, &mut batch)?
            }
            Source::Lines(pattern) => {
                let Lines { items, note, .. } = lines(&call, pattern, None)?;
                let _ = items.into_iter().try_for_each(|item| batch.push(item));
                note
            }
            Source::LinesOfQuery => None,
        };
        batch.finish(note);
        Ok(())
    })
}

/// Items on their way to the screen.
struct Batch<'a> {
    items: Vec<Item>,
    sent: usize,
    to: &'a SyncSender<Message>,
}

impl Batch<'_> {
    /// Adds an item; breaks if no more are wanted.
    fn push(&mut self, item: Item) -> ControlFlow<()> {
        self.items.push(item);
        if self.items.len() < BATCH {
            return ControlFlow::Continue(());
        }
        self.send()
    }

    fn send(&mut self) -> ControlFlow<()> {
        self.sent += self.items.len();
        let sent = self.to.send(Ok(Event::Items(std::mem::take(&mut self.items))));
        if sent.is_err() || self.sent >= ITEMS_MAX {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn finish(mut self, note: Option<String>) {
        let is_cut = self.send().is_break();
        let cut = is_cut.then(|| format!("only the first {ITEMS_MAX} are listed"));
        drop(self.to.send(Ok(Event::Done(cut.or(note)))));
    }
}

/// Waits until the tree has a code index, if it may be built; breaks if nobody waits for it.
fn wait_for_index(engine: &Engine, to: &SyncSender<Message>) -> ControlFlow<()> {
    let is_refused = place::too_wide(engine.root()).is_some() || !place::background_allowed();
    if engine::has_code(engine) || is_refused || engine::build_obstacle(engine).is_some() {
        return ControlFlow::Continue(());
    }
    background::build(engine, Build::Full);
    let progress = Progress::default();
    let mut heard = Instant::now();
    while !engine::has_code(engine) && heard.elapsed() < SILENT_MAX {
        engine::follow(engine.store(), &progress);
        if progress.stage() != engine::Stage::Waiting {
            heard = Instant::now();
        }
        let (done, all, _) = progress.counts();
        let percent = (done * 100).checked_div(all).map(|percent| format!(" {percent}%"));
        let percent = percent.unwrap_or_default();
        if to.send(Ok(Event::Progress(format!("indexing{percent}")))).is_err() {
            return ControlFlow::Break(());
        }
        std::thread::sleep(LOOK_EVERY);
    }
    ControlFlow::Continue(())
}

/// Returns the notice that files have no facts yet, if there are any.
fn missing_note(code: &dyn Code) -> Option<String> {
    let unknown = code.files_unknown();
    (unknown > 0).then(|| format!("{} not indexed yet", counted(unknown, "file")))
}

/// Sends the definitions of program code: those of sources, of tests, of generated and vendored files;
/// in each group those of the newest files first.
fn symbols(code: &dyn Code, batch: &mut Batch<'_>) -> Result<Option<String>> {
    let catalog = code.catalog(&[])?;
    let files = catalog.files();
    let mut order = Vec::with_capacity(files.len());
    for at in 0..files.len() {
        let rank = catalog.marks(FileId::new(at))?.rank();
        order.push((rank, -files.info(at).modified_ns, at));
    }
    order.sort_unstable();
    for (_, _, at) in order {
        let Some(facts) = catalog.facts(FileId::new(at))? else { continue };
        if !facts.language.is_code() {
            continue;
        }
        let path: Arc<[u8]> = files.path(at).into();
        for symbol in &facts.symbols {
            let place = Place { path: Arc::clone(&path), line: u32::try_from(symbol.line).ok() };
            let item = Item::of_symbol(&symbol.qualified_name, symbol.kind.name(), place);
            if batch.push(item).is_break() {
                return Ok(None);
            }
        }
    }
    Ok(missing_note(code))
}

/// Sends the files: generated and vendored ones last, the newest first.
fn files(code: &dyn Code, batch: &mut Batch<'_>) -> Result<Option<String>> {
    let files = code.files()?;
    let key = |at: usize| (marks::of_path(files.path(at)).rank(), -files.info(at).modified_ns, at);
    let mut order: Vec<_> = (0..files.len()).map(key).collect();
    order.sort_unstable();
    for (_, _, at) in order {
        let place = Place { path: files.path(at).into(), line: None };
        if batch.push(Item::of_file(place)).is_break() {
            break;
        }
    }
    Ok(None)
}

fn line_item(path: &str, line: usize, text: &str) -> Item {
    let place = Place { path: path.as_bytes().into(), line: u32::try_from(line).ok() };
    Item::of_line(text, place)
}

/// Returns the id of a definition that was listed.
///
/// # Errors
///
/// [`Kind::NotFound`] if its file changed meanwhile.
fn id_of(code: &dyn Code, callee: &Callee) -> Result<String> {
    let catalog = code.catalog(&[])?;
    let Place { path, line } = &callee.place;
    let file = catalog.files().find(path).map(FileId::new);
    let facts = file.map(|file| catalog.facts(file)).transpose()?.flatten();
    let symbols = facts.iter().flat_map(|facts| &facts.symbols);
    // Several may be on one line.
    let listed = symbols.filter(|symbol| u32::try_from(symbol.line).ok() == *line);
    let name = |symbol: &Symbol| {
        let item = Item::of_symbol(&symbol.qualified_name, "", callee.place.clone());
        item.name().to_owned()
    };
    let found = listed.max_by_key(|symbol| name(symbol) == callee.name);
    let gone = || Error::new(Kind::NotFound, format!("`{}` changed meanwhile", callee.name));
    found.map(|symbol| definition::id(&shown(path), symbol)).ok_or_else(gone)
}

/// Sends the calls of the definitions that `id` names, a name or an id.
fn calls(call: &Call<'_>, id: &str, name: &str, batch: &mut Batch<'_>) -> Result<Option<String>> {
    let args = callers::Args {
        name: id.to_owned(),
        path: None,
        max_results: None,
        everything: true,
        role: None,
        uses: false,
        readers: false,
        writers: false,
        implementations: false,
        unsure: false,
        depth: None,
        tests: None,
    };
    let reply = Callers::run(call, args)?;
    let certain = !reply.callers.is_empty();
    for caller in if certain { &reply.callers } else { &reply.unsure_callers } {
        if batch.push(line_item(&caller.path, caller.line, &caller.text)).is_break() {
            break;
        }
    }
    Ok(if reply.shown < reply.total {
        Some(format!("{} of {} calls", reply.shown, reply.total))
    } else if !certain && !reply.unsure_callers.is_empty() {
        Some("these calls may be calls of another definition".to_owned())
    } else if !certain {
        Some(format!("no calls of {name}"))
    } else {
        missing_note(call.code)
    })
}

/// Lines that match.
struct Lines {
    items: Vec<Item>,
    /// How many match in all files.
    total: usize,
    note: Option<String>,
}

/// Returns the lines that match a regular expression, as smart case has it, with a note: all, or those
/// within a maximum of files and of lines of each.
///
/// # Errors
///
/// [`Kind::Usage`] if it is none.
fn lines(call: &Call<'_>, pattern: &str, limit: Option<(usize, usize)>) -> Result<Lines> {
    let args = search::Args {
        query: pattern.to_owned(),
        regex: true,
        case_sensitive: Some(pattern.chars().any(char::is_uppercase)),
        max_results: limit.map(|(files, _)| files),
        max_per_file: limit.map(|(_, lines)| lines),
        everything: limit.is_none(),
        ..search::Args::default()
    };
    // A pattern is always one here: that `search` takes a text is of no help.
    let reply = Search::run(call, args).map_err(|error| match error.kind() {
        Kind::Usage => error.map_hints(|_| None),
        _ => error,
    })?;
    let of_file = |file: &search::File| -> Vec<Item> {
        file.lines.iter().map(|line| line_item(&file.path, line.line, &line.text)).collect()
    };
    let items: Vec<Item> = reply.files.iter().flat_map(of_file).collect();
    let note = if reply.files_unread > 0 {
        Some(format!("{} not read", counted(reply.files_unread, "file")))
    } else if items.len() < reply.total {
        Some(format!("{} of {} shown", items.len(), counted(reply.total, "line")))
    } else {
        None
    };
    Ok(Lines { items, total: reply.total, note })
}

/// Searches for each query that arrives; only the newest matters.
pub(super) fn search(
    engine: &Engine,
    check: Check,
    queries: &Receiver<String>,
    is_stale: &AtomicBool,
    to: &SyncSender<Message>,
) {
    while let Ok(mut query) = queries.recv() {
        query = queries.try_iter().last().unwrap_or(query);
        is_stale.store(false, Ordering::Relaxed);
        let is_due = || is_stale.load(Ordering::Relaxed);
        let code = Local::new(engine, check).interrupted_by(Interrupt::new(&is_due));
        let found = lines(&Call::new(&code, tool::now_ns()), &query, Some(LIVE));
        let event = match found {
            Ok(Lines { items, total, note }) => Event::Found { query, items, total, note },
            Err(error) if error.kind() == Kind::Cancelled => continue,
            Err(error) => {
                let (items, note) = (Vec::new(), Some(error.to_string()));
                Event::Found { query, items, total: 0, note }
            }
        };
        if to.send(Ok(event)).is_err() {
            return;
        }
    }
}

/// Reads the preview of each path that arrives; only the newest matters.
pub(super) fn previews(
    engine: &Engine,
    check: Check,
    paths: &Receiver<Arc<[u8]>>,
    to: &SyncSender<Message>,
) {
    while let Ok(path) = paths.recv() {
        let path = paths.try_iter().last().unwrap_or(path);
        let code = Local::new(engine, check);
        if to.send(Ok(Event::Preview(Preview::read(&code, &path)))).is_err() {
            return;
        }
    }
}
