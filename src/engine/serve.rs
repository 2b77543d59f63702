//! The watch server: records what changed since the newest generation, reports it to clients, and
//! refreshes the index when the tree is quiet.
//!
//! One thread waits in `poll` for events, connections, the end of a refresh and a stop request; a
//! refresh runs on a second one. A report always refers to one generation:
//!
//! - every directory of its table is watched, or named in each report as one in which anything may
//!   differ; a directory that is watched only from now on is named until a refresh that started
//!   later has read it;
//! - a refresh that started after a change includes it, so the end of the refresh removes the
//!   change from the record; changes during the refresh are kept;
//! - a refresh reads every recorded file, since its metadata may not show the change, and no text that
//!   was read before the record is used after it;
//! - after lost events, changed ignore rules, a generation published by another process, or an
//!   error, everything counts as changed until a refresh that starts later has ended.
//!
//! To answer a request, the server marks the event queue, drains everything before the mark,
//! compares the metadata of the ignore rules' sources, and sends the changed paths.

mod clients;
mod dirty;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::Scope;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use self::clients::Clients;
use self::dirty::Dirty;
use super::socket::Place;
use super::wake::{Stop, Wake};
use super::{Built, Engine, Pace, Progress, build, code, wire};
use crate::base::bits::Bits;
use crate::base::ids::DirId;
use crate::error::{Error, Kind, Result};
use crate::index::snapshot::Snapshot;
use crate::index::table::Flags;
use crate::source::rules::Source;
use crate::source::watch::{self, Event, Mounts, Watch, Watcher};

/// How long a mark may take to be drained.
const MARK_PATIENCE: Duration = Duration::from_secs(1);

/// Pause in accepting connections after the system refused one.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// Number of unwatched directories above which everything counts as changed.
const TREES_MAX: usize = 256;

/// Number of consecutive failed refreshes after which the pause grows no further.
const FAILURES_MAX: u32 = 5;

/// Watches the tree of `engine`, keeps its index up to date and answers [`super::sync`], until
/// `stop` is signalled or the tree or its index directory is removed. Memory: the watches
/// (O(directories)) and at most 10,000 changed paths.
///
/// # Errors
///
/// [`Kind::Busy`] if another server watches for this index; [`Kind::Limit`] if the system allows no
/// watcher; [`Kind::NotFound`] when the tree or the index directory is removed; errors of the first
/// refresh except [`Kind::Busy`].
pub fn serve(engine: &Engine, pace: &Pace, stop: &Stop) -> Result<()> {
    let place = Place::take(engine.store())?;
    let watcher = Watcher::new(engine.root(), engine.store().dir())?;
    let wake = Wake::new()?;
    let _guard = engine.cache.watch_state.begin(engine.root(), &watcher);
    let progress = Progress::default();
    let (sender, refreshed) = mpsc::channel();
    std::thread::scope(|scope| {
        let shared = Shared { engine, pace, stop, wake: &wake, progress: &progress };
        let mut server = Server::new(shared, watcher, sender, refreshed);
        let result = server.run(scope, &place);
        progress.cancel();
        result
    })
}

/// Shared by the two threads of the server.
#[derive(Clone, Copy)]
struct Shared<'a> {
    engine: &'a Engine,
    pace: &'a Pace,
    stop: &'a Stop,
    wake: &'a Wake,
    progress: &'a Progress,
}

struct Server<'a> {
    shared: Shared<'a>,
    watcher: Watcher,
    /// `None` if the system has no table of mounts.
    mounts: Option<Mounts>,
    has_new_mounts: bool,
    sender: Sender<Result<Built>>,
    refreshed: Receiver<Result<Built>>,
    refreshing_since: Option<Instant>,
    clients: Clients,
    accepts_from: Instant,
    current: Option<Current>,
    dirty: Dirty,
    /// Times of the first and last change since the last refresh started.
    change_times: Option<(Instant, Instant)>,
    refreshes_from: Instant,
    failures: u32,
    /// A refresh has succeeded, so a later failure does not end the server.
    has_refreshed: bool,
    touched: u64,
    fatal_error: Option<Error>,
}

/// The generation that reports refer to.
struct Current {
    snapshot: Snapshot,
    sources: Vec<Source>,
    /// Directories that cannot be watched.
    unwatched: Vec<Vec<u8>>,
    /// There are too many unwatched directories to list.
    has_too_many_unwatched: bool,
    /// There are files with several names: writes through the others cause no event.
    has_linked_files: bool,
}

impl<'a> Server<'a> {
    fn new(
        shared: Shared<'a>,
        watcher: Watcher,
        sender: Sender<Result<Built>>,
        refreshed: Receiver<Result<Built>>,
    ) -> Server<'a> {
        let now = Instant::now();
        let mounts = Mounts::new(shared.engine.root());
        let mut dirty = Dirty::default();
        dirty.lose();
        Server {
            shared,
            watcher,
            mounts,
            has_new_mounts: false,
            sender,
            refreshed,
            refreshing_since: None,
            clients: Clients::default(),
            accepts_from: now,
            current: None,
            dirty,
            change_times: None,
            refreshes_from: now,
            failures: 0,
            has_refreshed: false,
            touched: 0,
            fatal_error: None,
        }
    }

    fn run<'scope>(&mut self, scope: &'scope Scope<'scope, '_>, place: &Place) -> Result<()>
    where
        'a: 'scope,
    {
        while !self.shared.stop.is_stopped() {
            self.drain()?;
            if let (Ok(built), Some(since)) = (self.refreshed.try_recv(), self.refreshing_since) {
                self.refresh_ended(built, since)?;
            }
            let now = Instant::now();
            if now >= self.accepts_from && self.clients.accept(&place.listener).is_err() {
                self.accepts_from = now + ACCEPT_PAUSE;
            }
            let watcher = &mut self.watcher;
            self.clients.read(|| watcher.touch(), MARK_PATIENCE);
            // On Linux the mark is already in the queue.
            self.drain()?;
            self.answer();
            if let Some(error) = self.fatal_error.take() {
                return Err(error);
            }
            if self.refresh_due().is_some_and(|due| due <= Instant::now())
                && self.clients.next_deadline().is_none()
            {
                self.start_refresh(scope);
            }
            self.wait(place)?;
        }
        Ok(())
    }

    /// Waits for the next event, connection or deadline.
    fn wait(&mut self, place: &Place) -> Result<()> {
        let now = Instant::now();
        let accepts = now >= self.accepts_from && self.clients.has_room();
        let mut poll_fds = vec![
            PollFd::from_borrowed_fd(self.shared.stop.wake.fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.shared.wake.fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(self.watcher.fd(), PollFlags::IN),
        ];
        let mounts_at = poll_fds.len();
        if let Some(mounts) = &self.mounts {
            poll_fds.push(PollFd::from_borrowed_fd(mounts.fd(), watch::CHANGE));
        }
        if accepts {
            poll_fds.push(PollFd::new(&place.listener, PollFlags::IN));
        }
        for (fd, flags) in self.clients.interests() {
            poll_fds.push(PollFd::from_borrowed_fd(fd, flags));
        }
        let until = [
            (now < self.accepts_from).then_some(self.accepts_from),
            self.clients.next_deadline(),
            self.refresh_due(),
        ];
        let until = until.into_iter().flatten().min();
        let timeout = until.map(|until| {
            let left = until.saturating_duration_since(Instant::now());
            Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) }
        });
        let polled = poll(&mut poll_fds, timeout.as_ref());
        // A change is reported by one poll only.
        let has_new_mounts =
            self.mounts.is_some() && poll_fds[mounts_at].revents().intersects(watch::CHANGE);
        self.has_new_mounts |= has_new_mounts;
        match polled {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => {
                return Err(Error::new(Kind::Io, format!("cannot wait for events: {error}")));
            }
        }
        self.shared.wake.clear();
        Ok(())
    }

    /// Drains the event queue.
    fn drain(&mut self) -> Result<()> {
        let watch_state = &self.shared.engine.cache.watch_state;
        // Drained events are recorded before other threads may check the state.
        let mut watched_tree = watch_state.lock();
        let before = watched_tree.as_mut().and_then(|watched_tree| watched_tree.unchanged.take());
        let (result, code_publications) = self.drained();
        if let Some(watched_tree) = &mut *watched_tree {
            watched_tree.code_publications += code_publications;
            watched_tree.mounts_were_read();
            watched_tree.unchanged = before.filter(|_| result.is_ok() && self.is_unchanged());
        }
        result
    }

    /// Drains the event queue; returns also the number of publications of the code index.
    fn drained(&mut self) -> (Result<()>, u64) {
        let touched = self.check_table();
        let touched = self.lose_if_damaged(touched);
        let new_mounts = self.new_mounts();
        let Shared { engine, .. } = self.shared;
        let (root, texts) = (engine.root(), &engine.cache.texts);
        let Server { watcher, dirty, current, .. } = self;
        let forget = |event: &Event| match event {
            Event::Content(path) | Event::Entry(path) => texts.forget(path),
            Event::Tree(dir) => texts.forget_below(dir),
            _ => {}
        };
        // During a refresh a path may belong to the next generation.
        let table = current.as_ref().filter(|_| self.refreshing_since.is_none());
        let table = table.map(|current| &current.snapshot.table);
        let (mut has_changes, mut root_changed, mut result, mut code_publications) =
            (false, false, touched, 0);
        for event in new_mounts {
            forget(&event);
            match dirty.note(event, table) {
                Ok(noted) => has_changes |= noted,
                Err(error) => result = Err(error),
            }
        }
        let marks = watcher.touches();
        watcher.drain(&mut |event| match event {
            Event::Touched(mark) => self.touched = self.touched.max(mark),
            Event::Published(generation) => {
                let current_generation =
                    current.as_ref().map_or(0, |current| current.snapshot.generation);
                // Another process published it: changes during its build may not be recorded here.
                if self.refreshing_since.is_none() && generation > current_generation {
                    dirty.lose();
                    has_changes = true;
                }
            }
            Event::CodePublished => code_publications += 1,
            Event::Lost => {
                log::debug!("watch: events were lost");
                code_publications += 1;
                // Marks may be among the lost events: waiting clients learn at once that anything
                // may have changed.
                self.touched = self.touched.max(marks);
                texts.forget_below(b"");
                dirty.lose();
                has_changes = true;
            }
            Event::Gone(path) => {
                let message = "the watched directory was removed or renamed";
                self.fatal_error = Some(Error::new(Kind::NotFound, message).with_path(&path));
            }
            event => {
                root_changed |= event == Event::Tree(Vec::new());
                forget(&event);
                if dirty.is_new_name(root, &event) {
                    dirty.lose();
                    has_changes = true;
                }
                match dirty.note(event, table) {
                    Ok(noted) => has_changes |= noted,
                    Err(error) => result = Err(error),
                }
            }
        });
        if root_changed {
            self.root_holds();
        }
        if has_changes {
            self.note_change();
        }
        (self.lose_if_damaged(result), code_publications)
    }

    /// Returns the events of mounts that came or went since the last call. One system call if
    /// there are none.
    fn new_mounts(&mut self) -> Vec<Event> {
        let Some(mounts) = &mut self.mounts else { return Vec::new() };
        let has_changed = std::mem::take(&mut self.has_new_mounts) | mounts.has_changed();
        if !has_changed {
            return Vec::new();
        }
        let Some(changes) = mounts.changes() else { return vec![Event::Tree(Vec::new())] };
        // A mount covers a directory and all below it, or one file.
        changes
            .into_iter()
            .flat_map(|path| [Event::Tree(path.clone()), Event::Entry(path)])
            .collect()
    }

    /// Returns an error if the table was changed in place since it was opened: its blocks may no
    /// longer be those that were checked.
    fn check_table(&self) -> Result<()> {
        let table = self.current.as_ref().map(|current| current.snapshot.table.container());
        match table.filter(|table| !table.is_untouched()) {
            Some(table) => Err(table.corrupt("the index file was changed in place")),
            None => Ok(()),
        }
    }

    /// Returns true if no drained event differs from the generation.
    fn is_unchanged(&self) -> bool {
        let is_whole = |current: &Current| {
            !current.has_too_many_unwatched
                && current.unwatched.is_empty()
                && !current.has_linked_files
        };
        self.dirty.is_empty()
            && self.fatal_error.is_none()
            && self.current.as_ref().is_some_and(is_whole)
    }

    /// Publishes to calls of this process whether the tree is unchanged.
    fn publish_state(&self) {
        let unchanged = self.current.as_ref().filter(|_| self.is_unchanged());
        let unchanged = || unchanged.map(|current| (&current.snapshot, current.sources.clone()));
        self.shared.engine.cache.watch_state.set_unchanged(unchanged);
    }

    fn note_change(&mut self) {
        let now = Instant::now();
        let first = self.change_times.map_or(now, |(first, _)| first);
        self.change_times = Some((first, now));
    }

    /// Handles a damaged table: the next refresh replaces it, and the server continues.
    fn lose_if_damaged(&mut self, result: Result<()>) -> Result<()> {
        match result {
            Err(error) if error.kind() == Kind::Corrupt => {
                log::warn!("{error}");
                self.current = None;
                self.lose();
                Ok(())
            }
            other => other,
        }
    }

    fn lose(&mut self) {
        self.dirty.lose();
        self.note_change();
    }

    /// Answers the clients whose mark was drained, and those whose time is over.
    fn answer(&mut self) {
        if self.clients.are_due(self.touched) {
            let answer = self.watched();
            self.clients.answer(self.touched, &answer);
        }
        if self.clients.give_up(Instant::now()) {
            self.lose();
        }
        if !self.is_unchanged() {
            self.shared.engine.cache.watch_state.set_unchanged(|| None);
        }
    }

    fn watched(&mut self) -> Vec<u8> {
        let degraded = wire::DEGRADED.to_vec();
        if !self.root_holds() {
            return degraded;
        }
        let Some(current) = &self.current else { return degraded };
        if self.dirty.is_lost() || current.has_too_many_unwatched {
            return degraded;
        }
        if !current.sources.iter().all(Source::holds) {
            self.lose();
            return degraded;
        }
        let watched = self.dirty.watched(current.snapshot.generation, &current.unwatched);
        wire::answer(self.watcher.root_identity(), &watched)
    }

    /// Returns true unless the tree was moved, which ends the server.
    fn root_holds(&mut self) -> bool {
        let holds = self.watcher.root_holds();
        if !holds {
            let message = "another directory replaced the watched tree";
            let root = self.shared.engine.root();
            self.fatal_error = Some(Error::new(Kind::NotFound, message).with_path(root));
        }
        holds
    }

    /// Returns the time of the next refresh.
    fn refresh_due(&self) -> Option<Instant> {
        if self.refreshing_since.is_some() || self.dirty.is_empty() {
            return None;
        }
        let pace = self.shared.pace;
        let due = match self.change_times {
            Some((first, last)) => (last + pace.quiet).min(first + pace.interval),
            None => self.refreshes_from,
        };
        Some(due.max(self.refreshes_from))
    }

    fn start_refresh<'scope>(&mut self, scope: &'scope Scope<'scope, '_>)
    where
        'a: 'scope,
    {
        self.dirty.refresh_starts();
        self.refreshing_since = Some(Instant::now());
        self.change_times = None;
        let (Shared { engine, progress, wake, .. }, sender) = (self.shared, self.sender.clone());
        let reported = self.dirty.changed();
        scope.spawn(move || {
            let refresh = || build::refresh_reported(engine, &reported, progress);
            let built = catch_unwind(AssertUnwindSafe(refresh));
            let panicked = || Err(Error::new(Kind::Io, "the refresh panicked"));
            // The server receives it unless it has ended.
            let _ = sender.send(built.unwrap_or_else(|_| panicked()));
            wake.wake();
            // Nothing waits for symbols: calls index missing files in memory.
            let code = catch_unwind(AssertUnwindSafe(|| {
                if !code::has_code(engine) {
                    return Ok(());
                }
                code::build_code(engine, false, progress).map(drop)
            }));
            if let Ok(Err(error)) = code {
                log::debug!("code index: {error}");
            }
        });
    }

    fn refresh_ended(&mut self, built: Result<Built>, since: Instant) -> Result<()> {
        let now = Instant::now();
        let pace = self.shared.pace;
        let rest = pace.interval.max((now - since).saturating_mul(pace.rest));
        let adopted = built.and_then(|_| self.adopt());
        self.refreshing_since = None;
        let ended = self.adopted(adopted, now, rest);
        self.publish_state();
        ended
    }

    fn adopted(&mut self, adopted: Result<bool>, now: Instant, rest: Duration) -> Result<()> {
        match adopted {
            Ok(is_complete) => {
                self.has_refreshed = true;
                self.failures = 0;
                self.refreshes_from = if is_complete { now + rest } else { now };
                Ok(())
            }
            Err(error) if !self.has_refreshed && error.kind() != Kind::Busy => Err(error),
            Err(error) => {
                log::warn!("{error}");
                self.refreshes_from =
                    now + rest.saturating_mul(1 << self.failures.min(FAILURES_MAX));
                self.failures += 1;
                self.dirty.lose();
                Ok(())
            }
        }
    }

    /// After a successful refresh, uses the newest generation for reports from now on. Returns
    /// false if the next refresh should follow at once, since most watches are new.
    fn adopt(&mut self) -> Result<bool> {
        let engine = self.shared.engine;
        let newest = engine.snapshot()?;
        let snapshot = newest.ok_or_else(|| {
            Error::new(Kind::NotFound, "there is no index").with_path(engine.store().dir())
        })?;
        let table = &snapshot.table;
        let mut again = Bits::new(table.dirs() as usize);
        if self.dirty.is_lost() {
            again.insert_all(table.dirs() as usize);
        }
        for tree in self.dirty.trees() {
            if let Some(id) = table.find_dir(tree)? {
                table.dir(id)?.dirs.for_each(|dir| again.insert(dir as usize));
            }
        }
        self.dirty.refresh_succeeded();
        let (mut new, mut unwatched) = (Vec::new(), Vec::new());
        for id in (0..table.dirs()).map(DirId) {
            let dir = table.dir(id)?.path.to_bytes();
            if !again.contains(id.index()) && self.watcher.is_watched(dir) {
                continue;
            }
            match self.watcher.watch(dir) {
                Watch::Stood => {}
                Watch::New | Watch::Absent => new.push(dir.to_vec()),
                Watch::Index | Watch::Refused => unwatched.push(dir.to_vec()),
            }
        }
        let mut result = Ok(());
        self.watcher.retain(|dir| match table.find_dir(dir) {
            Ok(found) => found.is_some(),
            Err(error) => {
                result = Err(error);
                true
            }
        });
        result?;
        self.dirty.forget_unknown(table)?;
        // At first every watch is new, so only the second refresh is complete.
        let is_complete = self.current.is_some() && new.len() <= TREES_MAX;
        if !is_complete {
            self.dirty.lose();
        }
        for dir in new.drain(..).take_while(|_| is_complete) {
            self.dirty.note_tree(dir, None)?;
        }
        let has_too_many_unwatched = unwatched.len() > TREES_MAX;
        if has_too_many_unwatched {
            log::warn!(
                "{} directories cannot be watched, so searches compare file metadata; the limit is \
                 `fs.inotify.max_user_watches` on Linux (`sysctl`)",
                unwatched.len()
            );
            unwatched.clear();
        }
        let sources = table.sources()?;
        let has_linked_files = !table.flagged(Flags::LINKED)?.is_empty();
        self.current = Some(Current {
            snapshot,
            sources,
            unwatched,
            has_too_many_unwatched,
            has_linked_files,
        });
        Ok(is_complete)
    }
}
