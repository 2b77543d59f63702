//! `analyze` and `update`: what clients of other programs call before they ask. The index is kept
//! current by itself, so both report its state; no list of tools contains them.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::analysis::{self, Data};
use super::{Alias, Call, Define, Effect, Speed, Toolset, counted, paths};
use crate::answer::analysis::{Analysis, NextStep, Status, Update as Updated};
use crate::answer::style::Style;
use crate::base::ids::FileId;
use crate::catalog::code::JobKind;
use crate::error::{Error, Result};

/// What the reply to both says.
const KEPT: &str = "the index is kept current by itself: every call reads what changed";

/// The data of the reply: the state of the index.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct IndexState {
    /// The files of the tree.
    pub files: usize,
    /// Those in a programming language.
    pub code_files_scanned: usize,
    /// Those that changed since the index was built; the call read them.
    pub files_updated: usize,
    /// The commits in the log.
    pub commits: usize,
    /// The generation of the index; 0 without one.
    pub generation: u64,
    /// True if the index has every file.
    pub full: bool,
    /// The shard that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The number of the job that builds the index anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<i64>,
}

impl Data for IndexState {
    fn render(&self, _: &dyn Style, out: &mut String) {
        let _ = writeln!(
            out,
            "{}, {} of code, {} changed since generation {}; {}",
            counted(self.files, "file"),
            self.code_files_scanned,
            self.files_updated,
            self.generation,
            counted(self.commits, "commit"),
        );
    }
}

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Analyze;

/// The arguments of `analyze`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AnalyzeArgs {
    /// A directory
    #[schemars(extend("x-unlisted" = "the index covers the whole tree"))]
    pub directory: Option<String>,
    /// Build the index anew, in a job
    #[serde(default)]
    #[schemars(extend("x-unlisted" = ""))]
    pub force: bool,
    /// A shard of `shards.toml`
    #[schemars(extend("x-unlisted" = ""))]
    pub shard: Option<String>,
}

impl Define for Analyze {
    const NAME: &'static str = "codedb_analyze";
    const SUMMARY: &'static str = "Show the state of the index, which is kept current by itself";
    const DETAILS: &'static str = "If it is forced, a job builds it anew.";
    const TOOLSET: Toolset = Toolset::History;
    const EFFECT: Effect = Effect::Starts;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &["{}"];
    const POSITIONAL: &'static [&'static str] = &["directory"];
    const ALIASES: &'static [Alias] = &[Alias::new("path", "directory")];
    type Args = AnalyzeArgs;
    type Reply = Analysis<IndexState>;

    fn run(call: &Call<'_>, args: AnalyzeArgs) -> Result<Analysis<IndexState>> {
        if let Some(directory) = args.directory.as_deref().filter(|of| !matches!(*of, "" | ".")) {
            paths::folder(call, Some(directory))?;
        }
        let reply = state(call, args.shard)?;
        if !args.force {
            return Ok(reply);
        }
        let (job, _) = call.code.start_job(JobKind::Rebuild, call.now_ns / 1_000_000)?;
        let step = json!({"job_id": job.id});
        let data = IndexState { job_id: Some(job.id), ..reply.data };
        Ok(Analysis { data, ..reply }
            .with_status(Status::AutoQueued, "a job builds the index anew; calls work meanwhile")
            .with_step(NextStep::call("codedb_job_status", step, "its progress")))
    }
}

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Update;

/// The arguments of `update`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct UpdateArgs {
    /// A shard of `shards.toml`
    #[schemars(extend("x-unlisted" = ""))]
    pub shard: Option<String>,
}

impl Define for Update {
    const NAME: &'static str = "codedb_update";
    const SUMMARY: &'static str = "Show the state of the index, which is kept current by itself";
    const DETAILS: &'static str = "No call needs it.";
    const TOOLSET: Toolset = Toolset::History;
    const SPEED: Speed = Speed::Scan;
    const EXAMPLES: &'static [&'static str] = &["{}"];
    const POSITIONAL: &'static [&'static str] = &[];
    type Args = UpdateArgs;
    type Reply = Analysis<IndexState>;

    fn run(call: &Call<'_>, args: UpdateArgs) -> Result<Analysis<IndexState>> {
        state(call, args.shard)
    }
}

/// Checks that `shards.toml` names a shard.
///
/// # Errors
///
/// If it does not, with the names that it has.
pub(super) fn check_shard(call: &Call<'_>, shard: &str) -> Result<()> {
    let shards = analysis::shards(call)?;
    let names: Vec<&str> = shards.list().into_iter().map(|(name, _)| name).collect();
    if names.contains(&shard) {
        return Ok(());
    }
    let hint = if names.is_empty() {
        "`shards.toml` at the root of the tree names shards".to_owned()
    } else {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        format!("the shards are {}", names.join(", "))
    };
    let shard = crate::base::text::plain(crate::base::text::start(shard, 80));
    let error = Error::usage(format!("there is no shard `{shard}`"));
    Err(error.with_code("unknown_shard").with_hint(hint))
}

fn state(call: &Call<'_>, shard: Option<String>) -> Result<Analysis<IndexState>> {
    shard.as_deref().map(|shard| check_shard(call, shard)).transpose()?;
    let catalog = call.code.catalog(&[])?;
    let files = call.code.files()?;
    let is_code = |path: &[u8]| paths::language(path).is_some_and(|of| of.is_code());
    let commits = analysis::history(call)?.map_or(0, |history| history.log().len());
    let files_updated = if files.generation > 0 { files.differing() } else { files.len() };
    let code = (0..files.len()).filter(|&at| is_code(catalog.path(FileId::new(at))));
    let message = match &shard {
        Some(_) => format!("{KEPT}, in all shards"),
        None => KEPT.to_owned(),
    };
    let data = IndexState {
        files: files.len(),
        code_files_scanned: code.count(),
        files_updated,
        commits,
        generation: files.generation,
        full: files.generation > 0 && catalog.missing().is_empty(),
        shard,
        job_id: None,
    };
    let reason = (files_updated == 0).then_some("no_changes");
    let update =
        Updated { auto_update_performed: files_updated > 0, auto_update_skip_reason: reason };
    let triage = NextStep::call("codedb_triage", json!({}), "the riskiest files");
    let reply = Analysis::of(data).with_step(triage);
    Ok(Analysis { message: Some(message), update: Some(update), ..reply })
}
