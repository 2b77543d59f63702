//! `lock`: announces to other agents that one works on a file or directory.
//!
//! Locks are advice: they keep nobody from writing.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::{self, Data};
use super::{Alias, Call, Define, Effect, Needs, Toolset, paths};
use crate::answer::analysis::{Analysis, Size, Status};
use crate::answer::page::{Block, Cell, Column, Table};
use crate::answer::style::Style;
use crate::base::text;
use crate::error::{Error, Result};
use crate::userdata::locks::{Lock as Held, Request, TTL_MS_MAX};
use crate::userdata::shards::Shards;

/// The default time to live in seconds.
const TTL_SECONDS: u64 = 600;

/// The maximum length of the texts of a lock in bytes.
const TEXT_BYTES_MAX: usize = 1000;

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Lock;

/// The operation.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Lists the locks.
    #[default]
    List,
    /// Acquires a lock, or refreshes one's own.
    Acquire,
    /// Extends one's own lock.
    Refresh,
    /// Ends one's own lock.
    Release,
}

/// The arguments.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Args {
    /// `list` (default), `acquire`, `refresh` or `release`
    #[serde(default)]
    pub op: Op,
    /// The file or directory, which need not exist
    pub path: Option<String>,
    /// Your name, unique among the agents that work on this tree
    pub holder: Option<String>,
    /// Why, for the others
    pub purpose: Option<String>,
    /// Time to live in seconds (default 600, at most 86,400)
    pub ttl_seconds: Option<u64>,
}

/// A lock of the reply.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The repository path.
    pub path: String,
    /// Who holds it.
    pub holder: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The seconds until it ends.
    pub expires_in_seconds: i64,
    /// The shard that owns the path, if `shards.toml` names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct Locks {
    /// The operation.
    pub op: Op,
    /// True if the operation succeeded: the caller has the lock, or has released it.
    pub done: bool,
    /// For `list`, the locks at, below and above `path`, by path; else those that matter for the
    /// operation: the lock itself, or the one of another holder.
    pub locks: Vec<Entry>,
}

impl Define for Lock {
    const NAME: &'static str = "codedb_lock";
    const SUMMARY: &'static str = "Announce that you work on a file or directory, or list who does";
    const DETAILS: &'static str = "Locks are advice for agents that share a repository: nothing \
         prevents writing. A lock ends after its time to live unless it is refreshed. A lock on a \
         directory does not conflict with one on a file in it; `list` shows both.";
    const EFFECT: Effect = Effect::Records;
    const TOOLSET: Toolset = Toolset::History;
    const NEEDS: Needs = Needs::Files;
    const EXAMPLES: &'static [&'static str] = &[r#"{"op": "list"}"#];
    const POSITIONAL: &'static [&'static str] = &["op", "path"];
    const ALIASES: &'static [Alias] = &[
        Alias::new("action", "op"),
        Alias::new("file_path", "path"),
        Alias::new("owner", "holder"),
        Alias::new("ttl", "ttl_seconds"),
    ];
    type Args = Args;
    type Reply = Analysis<Locks>;

    fn run(call: &Call<'_>, args: Args) -> Result<Analysis<Locks>> {
        let now_ms = call.now_ns / 1_000_000;
        let shards = analysis::shards(call)?;
        let path = args.path.as_deref().map(|path| paths::resolve(call, path)).transpose()?;
        let path = path.map(|path| paths::shown(&path));
        if args.op == Op::List {
            let held = match call.code.user_data()? {
                Some(database) => database.locks(now_ms)?,
                None => Vec::new(),
            };
            let related = |lock: &&Held| path.as_ref().is_none_or(|it| overlap(it, &lock.path));
            let locks: Vec<Entry> =
                held.iter().filter(related).map(|lock| entry(lock, &shards, now_ms)).collect();
            let total = locks.len();
            return Ok(Analysis::list(Locks { op: args.op, done: true, locks }, total, total));
        }
        let required = |value: Option<String>, name: &str| {
            let value = value.map(|value| value.trim().to_owned()).filter(|it| !it.is_empty());
            value.filter(|value| value.len() <= TEXT_BYTES_MAX).ok_or_else(|| {
                Error::usage(format!("`{name}` is required, with at most 1,000 bytes"))
            })
        };
        let path = required(path, "path")?;
        let holder = required(args.holder, "holder")?;
        let ttl_ms = args.ttl_seconds.unwrap_or(TTL_SECONDS).saturating_mul(1000);
        let ttl_ms = i64::try_from(ttl_ms).unwrap_or(TTL_MS_MAX).clamp(1000, TTL_MS_MAX);
        let purpose = args.purpose.filter(|purpose| purpose.len() <= TEXT_BYTES_MAX);
        let request = Request { path: &path, holder: &holder, purpose: purpose.as_deref(), ttl_ms };
        let database = call.code.create_user_data()?;
        let (done, lock) = match args.op {
            Op::Acquire => match database.acquire(&request, now_ms)? {
                Ok(lock) => (true, Some(lock)),
                Err(other) => (false, Some(other)),
            },
            Op::Refresh => {
                let lock = database.refresh(&request, now_ms)?;
                (lock.is_some(), lock)
            }
            Op::Release | Op::List => (database.release(&path, &holder, now_ms)?, None),
        };
        let locks: Vec<Entry> = lock.iter().map(|lock| entry(lock, &shards, now_ms)).collect();
        let reply = Analysis::of(Locks { op: args.op, done, locks });
        Ok(match (args.op, done) {
            (_, true) => reply,
            (Op::Acquire, false) => reply
                .with_status(Status::Busy, "another agent has this lock")
                .with_hint("work on something else, or try again when it has expired"),
            (_, false) => reply
                .with_status(Status::NoData, "you have no lock on this path; it may have expired")
                .with_hint("`acquire` it again"),
        })
    }
}

/// Returns true if one path is the other one or above it.
fn overlap(one: &str, other: &str) -> bool {
    let is_above = |above: &str, below: &str| {
        above.is_empty()
            || below
                .strip_prefix(above)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    is_above(one, other) || is_above(other, one)
}

fn entry(lock: &Held, shards: &Shards, now_ms: i64) -> Entry {
    Entry {
        path: lock.path.clone(),
        holder: lock.holder.clone(),
        purpose: lock.purpose.clone(),
        expires_in_seconds: (lock.expires_ms - now_ms).max(0) / 1000,
        shard: shards.of_path(&lock.path).map(str::to_owned),
    }
}

impl Data for Locks {
    /// Shows each lock, below it what it is for, and what the call did.
    fn page(&self, _size: Option<Size>) -> Option<Vec<Block>> {
        let mut table = Table::new([
            Column::cut("PATH"),
            Column::cut("HOLDER"),
            Column::right("EXPIRES IN"),
            Column::left("SHARD"),
        ]);
        for Entry { path, holder, purpose, expires_in_seconds, shard } in &self.locks {
            let purpose = purpose.iter().map(|purpose| vec![Cell::text(purpose)]);
            let cells = [
                Cell::Path(path.clone()),
                Cell::text(holder),
                Cell::text(format!("{expires_in_seconds} s")),
                shard.as_ref().map_or(Cell::Empty, Cell::text),
            ];
            table.row_with(cells, purpose.collect());
        }
        let done = match self.op {
            Op::List if self.locks.is_empty() => Some("no locks"),
            Op::Release if self.done => Some("released"),
            _ => None,
        };
        let done = done.map(|done| Block::Line(vec![Cell::text(done)]));
        Some([Block::Table(table.without_empty())].into_iter().chain(done).collect())
    }

    fn render(&self, style: &dyn Style, out: &mut String) {
        for Entry { path, holder, purpose, expires_in_seconds, shard } in &self.locks {
            let (path, holder) = (style.path(path), text::plain(holder));
            let _ = write!(out, "{path}  {holder}  {expires_in_seconds} s");
            if let Some(shard) = shard {
                let _ = write!(out, "  [{shard}]");
            }
            if let Some(purpose) = purpose {
                let _ = write!(out, "  {}", text::plain(purpose));
            }
            out.push('\n');
        }
        match self.op {
            Op::List if self.locks.is_empty() => out.push_str("no locks\n"),
            Op::Release if self.done => out.push_str("released\n"),
            _ => {}
        }
    }
}
