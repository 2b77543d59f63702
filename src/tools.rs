//! Tools: operations on a source tree with typed arguments and typed replies. The command line and
//! the servers call them.
//!
//! Each tool is one file: its arguments, its reply, `run` and `render`. [`TOOLS`] lists them; the
//! commands, their help, completions and manual, and the pages below docs/tools/ are generated from
//! this table or checked against it. A tool does not print, reads neither the clock nor the
//! environment, and accesses the tree only through [`Code`](crate::catalog::code::Code).

pub mod aliases;
pub mod analysis;
pub mod analyze;
pub mod bundle;
pub mod call;
pub mod callers;
pub mod callpath;
mod changed_code;
mod changed_paths;
pub mod changes;
pub mod check;
pub mod churn;
pub mod command_line;
pub mod context;
pub mod coupling;
pub mod coverage;
pub mod decisions;
pub mod deps;
pub mod diff_impact;
pub mod edit;
pub mod explain;
mod fallback;
pub mod find;
pub mod glob;
pub mod history;
pub mod hot;
pub mod impact;
pub mod index;
pub mod investigate;
pub mod jobs;
pub mod lock;
pub mod lookup;
pub mod ls;
mod mentions;
mod named_change;
pub mod outline;
pub mod ownership;
pub mod paths;
pub mod pattern;
pub mod projects;
pub mod properties;
pub mod qualified;
pub mod query;
pub mod read;
pub mod record_result;
mod recorded;
mod rendered;
pub mod risk_map;
pub mod schema;
pub mod search;
pub mod session;
pub mod snapshot;
pub mod stale_tests;
pub mod stats;
pub mod status;
pub mod structure;
pub mod suggest_tests;
pub mod symbol;
pub mod syntax_gaps;
pub mod test_gaps;
mod test_selection;
pub mod tool_drift;
pub mod trace;
pub mod tree;
pub mod triage;
mod units;
pub mod unlisted;
pub mod who_reviews;
pub mod word;

use std::sync::OnceLock;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use aliases::Alias;
pub use call::Call;
pub use properties::{CommandLine, Effect, Needs, Speed, Toolset};
use rendered::Rendered;
use session::{PROJECT, ProjectSelector};

use crate::answer::analysis::Update;
use crate::answer::graph::Graph;
use crate::answer::page::Page;
use crate::answer::style::{Plain, Style};
pub(crate) use crate::base::text::counted;
use crate::error::{Error, Kind, Result};
use crate::source::secret;

/// Every tool, in the order in which servers list the tools of a toolset. New tools are appended,
/// because models cache the list: a change near its start invalidates the cache of every session.
pub static TOOLS: &[Tool] = &TABLE;

/// Tools that no list contains, and that are accepted for clients of other programs.
pub static UNLISTED: &[Tool] = &UNLISTED_TABLE;

static UNLISTED_TABLE: [Tool; 2] = [Tool::of::<analyze::Analyze>(), Tool::of::<analyze::Update>()];

static TABLE: [Tool; 55] = [
    Tool::of::<context::Context>(),
    Tool::of::<search::Search>(),
    Tool::of::<symbol::Symbol>(),
    Tool::of::<callers::Callers>(),
    Tool::of::<outline::Outline>(),
    Tool::of::<read::Read>(),
    Tool::of::<find::Find>(),
    Tool::of::<tree::Tree>(),
    Tool::of::<deps::Deps>(),
    Tool::of::<status::Status>(),
    Tool::of::<word::Word>(),
    Tool::of::<ls::Ls>(),
    Tool::of::<glob::Glob>(),
    Tool::of::<callpath::Callpath>(),
    Tool::of::<explain::Explain>(),
    Tool::of::<hot::Hot>(),
    Tool::of::<changes::Changes>(),
    Tool::of::<query::Query>(),
    Tool::of::<bundle::Bundle>(),
    Tool::of::<projects::Projects>(),
    Tool::of::<index::Index>(),
    Tool::of::<edit::Edit>(),
    Tool::of::<snapshot::Snapshot>(),
    Tool::of::<churn::Churn>(),
    Tool::of::<coupling::Coupling>(),
    Tool::of::<ownership::Ownership>(),
    Tool::of::<who_reviews::WhoReviews>(),
    Tool::of::<history::FileHistory>(),
    Tool::of::<stats::Stats>(),
    Tool::of::<risk_map::RiskMap>(),
    Tool::of::<triage::Triage>(),
    Tool::of::<suggest_tests::SuggestTests>(),
    Tool::of::<impact::Impact>(),
    Tool::of::<diff_impact::DiffImpact>(),
    Tool::of::<test_gaps::TestGaps>(),
    Tool::of::<stale_tests::StaleTests>(),
    Tool::of::<record_result::RecordResult>(),
    Tool::of::<lock::Lock>(),
    Tool::of::<jobs::StartJob>(),
    Tool::of::<jobs::JobStatus>(),
    Tool::of::<jobs::CancelJob>(),
    Tool::of::<check::Check>(),
    Tool::of::<investigate::Begin>(),
    Tool::of::<investigate::Ownership>(),
    Tool::of::<investigate::CochangePartners>(),
    Tool::of::<investigate::IncidentHistory>(),
    Tool::of::<investigate::BlastRadius>(),
    Tool::of::<investigate::CommitPatch>(),
    Tool::of::<investigate::RecentCommits>(),
    Tool::of::<investigate::Finish>(),
    Tool::of::<tool_drift::ToolDrift>(),
    Tool::of::<decisions::ForContext>(),
    Tool::of::<decisions::Submit>(),
    Tool::of::<decisions::Feedback>(),
    Tool::of::<trace::Trace>(),
];

/// The tools that answer over a fleet of repositories, by their commands.
pub const OVER_FLEETS: [&str; 9] =
    ["search", "symbol", "callers", "context", "read", "outline", "find", "word", "explain"];

/// The tools that read no tree themselves.
const TREELESS: [&str; 3] = ["projects", "bundle", "index"];

/// The maximum number of entries of any list of a reply, even if `max_results` is higher.
pub(crate) const RESULTS_MAX: usize = 1000;

/// The effect of the current directory on a call from the command line. Paths that are typed there
/// are relative to the current directory in any case.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum CurrentDir {
    /// It has no effect: the call covers the whole tree.
    #[default]
    Ignored,
    /// It replaces a missing `path`.
    DefaultPath,
    /// The glob `pattern` is relative to it.
    GlobBase,
}

/// The definition of a tool.
pub trait Define {
    /// Its name with the prefix `codedb_`.
    const NAME: &'static str;
    /// What it returns, in one line without a final period.
    const SUMMARY: &'static str;
    /// What it returns, and its limits. Mentions no other tool; see [`Define::SEE_ALSO`].
    const DETAILS: &'static str;
    /// Other tools by the name of their command, each with the purpose for which it is the better
    /// choice. A description mentions only those that the server offers.
    const SEE_ALSO: &'static [(&'static str, &'static str)] = &[];
    /// What a call may change.
    const EFFECT: Effect = Effect::ReadOnly;
    /// The set in which servers offer it.
    const TOOLSET: Toolset;
    /// Another set that contains it.
    const ALSO: Option<Toolset> = None;
    /// The data that a complete answer needs.
    const NEEDS: Needs = Needs::Code;
    /// The usual cost of a call.
    const SPEED: Speed = Speed::Scan;
    /// How the command line offers it.
    const COMMAND_LINE: CommandLine = CommandLine::Generated;
    /// Arguments of example calls as JSON objects, for the documentation.
    const EXAMPLES: &'static [&'static str] = &[];
    /// The positional arguments of the command, in this order.
    const POSITIONAL: &'static [&'static str];
    /// The effect of the current directory on a call from the command line.
    const CURRENT_DIR: CurrentDir = CurrentDir::Ignored;
    /// Other names of arguments that are accepted.
    const ALIASES: &'static [Alias] = &[];
    /// Arguments that are JSON texts, and may be given as the JSON itself.
    const JSON_TEXTS: &'static [&'static str] = &[];
    /// The arguments.
    type Args: DeserializeOwned + schemars::JsonSchema;
    /// The reply.
    type Reply: Reply + 'static;

    /// Runs a call.
    ///
    /// # Errors
    ///
    /// Invalid arguments, unknown names, and files that cannot be read.
    fn run(call: &Call<'_>, args: Self::Args) -> Result<Self::Reply>;
}

/// The reply of a tool.
pub trait Reply: Serialize + Send {
    /// Returns the reply as text for models and pipes; `style` chooses the display of paths.
    fn render(&self, style: &dyn Style) -> String;

    /// Returns the reply as a page for people, if it has one; else they get the text.
    fn page(&self) -> Option<Page> {
        None
    }

    /// Returns false if nothing was found.
    fn is_found(&self) -> bool;

    /// Returns true if nothing was found because the answer is not known. Then an empty reply does not
    /// state that there is nothing.
    fn is_unknown(&self) -> bool {
        false
    }

    /// Returns remarks on the reply: what was left out, and why.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Receives whether the call updated what the index has; returns false if the reply has no place
    /// for it.
    fn note_update(&mut self, _update: Update) -> bool {
        false
    }

    /// True if [`Reply::locations`] lists the results.
    const HAS_LOCATIONS: bool = false;

    /// True if [`Reply::graph`] returns a graph.
    const HAS_GRAPH: bool = false;

    /// Returns the reply as a graph, if it has one. Some need [`Call::draws_graph`].
    fn graph(&self) -> Option<Graph> {
        None
    }

    /// Replaces mentions of tools in texts of the reply by their names, and removes recommendations
    /// of tools that the caller does not have.
    fn adapt(&mut self, _offered: Offered<'_>) {}

    /// Receives what the index lacked for the call; returns true if the reply itself reports it.
    /// Others get a notice ([`Gap::notice`]).
    fn note_gap(&mut self, _gap: Gap) -> bool {
        false
    }

    /// Returns the results as places in files, for editors.
    fn locations(&self) -> Vec<Location> {
        Vec::new()
    }
}

/// What the caller of a tool can use.
#[derive(Clone, Copy)]
pub struct Offered<'a> {
    /// Returns true for a tool that the caller has.
    is_offered: &'a dyn Fn(&str) -> bool,
    /// Returns true for the path of a file or directory of the tree.
    is_present: &'a dyn Fn(&str) -> bool,
    /// Returns a sentence with the names of arguments in the words of the caller.
    in_words: &'a dyn Fn(&str) -> String,
    /// What the command line writes before the name of a tool.
    prefix: &'a str,
    /// The project that calls for the same tree name.
    project: Option<&'a str>,
}

/// The arguments of recommended calls that must be in the tree.
const PATHS: [&str; 5] = ["file_path", "path", "directory", "files", "paths"];

impl Offered<'_> {
    /// Returns true if there is a tool with this name (with its prefix), and the caller has it.
    pub fn has(&self, name: &str) -> bool {
        find(name).is_some_and(|tool| (self.is_offered)(&tool.command()))
    }

    /// Returns true unless the arguments of a call name a path that the tree does not have, such as that of
    /// a deleted file.
    pub fn has_paths(&self, args: &Map<String, Value>) -> bool {
        let named = PATHS.iter().filter_map(|name| args.get(*name));
        let mut paths = named.flat_map(|value| match value {
            Value::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        });
        paths.all(|path| path.as_str().is_none_or(self.is_present))
    }

    /// Returns a sentence with the mentions of tools replaced by their names, without the clauses
    /// that mention a tool that the caller does not have; `None` if no clause remains.
    pub fn render(&self, sentence: &str) -> Option<String> {
        mentions::render(&(self.in_words)(sentence), self.is_offered, self.prefix)
    }
}

impl std::fmt::Debug for Offered<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Offered")
    }
}

/// A place in a file and the text there.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Location {
    /// The file's repository path.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in bytes.
    pub column: usize,
    /// The text of the line, or a part of it.
    pub text: String,
}

/// A reply of any tool, without its type.
pub trait Answer: Send {
    /// Returns the reply as one line of JSON.
    ///
    /// # Errors
    ///
    /// If the reply cannot be serialized, which does not happen for the existing replies.
    fn json(&self) -> Result<String>;
    /// Returns the reply as text for agents: repository paths, no colours.
    fn text(&self) -> String {
        self.styled(&Plain)
    }
    /// Returns the reply as text in a style.
    fn styled(&self, style: &dyn Style) -> String;
    /// Returns the reply as a page for people; see [`Reply::page`].
    fn page(&self) -> Option<Page>;
    /// Returns the reply as a graph, if [`Tool::has_graph`]; see [`Reply::graph`].
    fn graph(&self) -> Option<Graph>;
    /// Returns false if nothing was found.
    fn is_found(&self) -> bool;
    /// Returns true if the answer is not known; see [`Reply::is_unknown`].
    fn is_unknown(&self) -> bool;
    /// Receives whether the call updated the index; see [`Reply::note_update`].
    fn note_update(&mut self, update: Update) -> bool;
    /// Returns remarks on the reply.
    fn notices(&self) -> Vec<String>;
    /// Returns the results as places in files, if [`Tool::has_locations`].
    fn locations(&self) -> Vec<Location>;
    /// Adapts the reply to the tools that the caller has; see [`Reply::adapt`].
    fn adapt(&mut self, offered: Offered<'_>);
    /// Returns true if files had no facts that the call needed.
    fn is_incomplete(&self) -> bool {
        false
    }
    /// Receives what the index lacked; see [`Reply::note_gap`].
    fn note_gap(&mut self, gap: Gap) -> bool;
}

impl std::fmt::Debug for dyn Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Answer")
    }
}

impl<R: Reply> Answer for R {
    fn json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::new(Kind::Io, error.to_string()))
    }

    fn styled(&self, style: &dyn Style) -> String {
        self.render(style)
    }

    fn page(&self) -> Option<Page> {
        Reply::page(self)
    }

    fn graph(&self) -> Option<Graph> {
        Reply::graph(self)
    }

    fn is_found(&self) -> bool {
        Reply::is_found(self)
    }

    fn is_unknown(&self) -> bool {
        Reply::is_unknown(self)
    }

    fn note_update(&mut self, update: Update) -> bool {
        Reply::note_update(self, update)
    }

    fn notices(&self) -> Vec<String> {
        Reply::notices(self)
    }

    fn locations(&self) -> Vec<Location> {
        Reply::locations(self)
    }

    fn adapt(&mut self, offered: Offered<'_>) {
        Reply::adapt(self, offered);
    }

    fn note_gap(&mut self, gap: Gap) -> bool {
        Reply::note_gap(self, gap)
    }
}

/// A tool of the table: the constants of its [`Define`], without its types.
#[derive(Debug)]
pub struct Tool {
    /// Its name with the prefix `codedb_`.
    pub name: &'static str,
    /// What it returns, in one line without a final period.
    pub summary: &'static str,
    /// What it returns, and its limits.
    pub details: &'static str,
    /// Other tools that are the better choice for a purpose.
    pub see_also: &'static [(&'static str, &'static str)],
    /// What a call may change.
    pub effect: Effect,
    /// The set in which servers offer it.
    pub toolset: Toolset,
    /// Another set that contains it.
    pub also: Option<Toolset>,
    /// The data that a complete answer needs.
    pub needs: Needs,
    /// The usual cost of a call.
    pub speed: Speed,
    /// How the command line offers it.
    pub command_line: CommandLine,
    /// Arguments of example calls as JSON objects.
    pub examples: &'static [&'static str],
    /// The positional arguments of the command.
    pub positional: &'static [&'static str],
    /// True if its replies list places in files.
    pub has_locations: bool,
    /// True if its replies are graphs.
    pub has_graph: bool,
    /// The effect of the current directory on a call from the command line.
    pub current_dir: CurrentDir,
    /// Other names of arguments that are accepted.
    pub aliases: &'static [Alias],
    /// Returns the JSON schema of its arguments; see [`schema`].
    pub schema: fn() -> Value,
    /// The schema, cached after the first use: generating it takes longer than many calls.
    cached_schema: OnceLock<Value>,
    run: fn(&Call<'_>, &Value, Value) -> Result<Box<dyn Answer>>,
}

impl Tool {
    /// Returns the tool that `D` defines.
    pub(crate) const fn of<D: Define>() -> Tool {
        Tool {
            name: D::NAME,
            summary: D::SUMMARY,
            details: D::DETAILS,
            see_also: D::SEE_ALSO,
            effect: D::EFFECT,
            toolset: D::TOOLSET,
            also: D::ALSO,
            needs: D::NEEDS,
            speed: D::SPEED,
            command_line: D::COMMAND_LINE,
            examples: D::EXAMPLES,
            positional: D::POSITIONAL,
            current_dir: D::CURRENT_DIR,
            has_locations: <D::Reply as Reply>::HAS_LOCATIONS,
            has_graph: <D::Reply as Reply>::HAS_GRAPH,
            aliases: D::ALIASES,
            schema: schema::of::<D::Args>,
            cached_schema: OnceLock::new(),
            run: |call, schema, args| {
                let args = schema::with_texts(args, D::JSON_TEXTS);
                Ok(Box::new(D::run(call, schema::parse::<D::Args>(schema, args)?)?))
            },
        }
    }

    /// Returns the JSON schema of its arguments, which is generated once.
    pub fn arguments(&self) -> &Value {
        self.cached_schema.get_or_init(self.schema)
    }

    /// Returns true if servers offer it in a set.
    pub(crate) fn is_of(&self, set: Toolset) -> bool {
        [Some(self.toolset), self.also].contains(&Some(set))
    }

    /// Returns true if it analyses commits, tests or risk without changing anything.
    fn is_analysis(&self) -> bool {
        self.is_of(Toolset::History) && self.effect == Effect::ReadOnly && self.needs.is_indexed()
    }

    /// Returns the name without its prefix, as the command line spells it.
    pub fn command(&self) -> String {
        self.name.trim_start_matches("codedb_").replace('_', "-")
    }

    /// Returns the project of the session that a call selects with its arguments, if any.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] if the name of the project is not a string.
    pub fn wanted(&self, args: &Map<String, Value>) -> Result<Option<ProjectSelector>> {
        // Aliases select a project, too.
        let is_path = |name: &str| session::PATHS.contains(&name) || name == "path_glob";
        let aliases = self.aliases.iter().filter(|alias| is_path(alias.canonical));
        let named = session::PATHS.into_iter().chain(["path_glob"]);
        let paths = named.chain(aliases.map(|alias| alias.name));
        let wanted = session::wanted(args, paths)?;
        // The `path` of a tool that adds a project is the new directory; it selects no existing
        // project.
        let selects_project = |wanted: &ProjectSelector| {
            self.effect != Effect::Adds || matches!(wanted, ProjectSelector::Named(_))
        };
        Ok(wanted.filter(selects_project))
    }

    /// Returns the details and the recommended tools, limited to those for which `is_offered`
    /// returns true.
    pub fn description(&self, is_offered: &dyn Fn(&str) -> bool) -> String {
        match mentions::recommend(self.see_also, is_offered) {
            Some(others) => format!("{} {others}", self.details),
            None => self.details.to_owned(),
        }
    }

    /// Runs a call with arguments as a JSON object, on the project of the session that they select.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] for arguments that the schema does not allow and for an unknown project; the
    /// errors of the tool.
    pub fn run(&self, call: &Call<'_>, mut args: Value) -> Result<Box<dyn Answer>> {
        let wanted = match &mut args {
            Value::Object(args) => {
                let wanted = self.wanted(args)?;
                args.remove(PROJECT);
                wanted
            }
            _ => None,
        };
        let elsewhere = match (wanted, call.session) {
            (Some(wanted), Some(session)) => session.code(&wanted)?,
            (Some(ProjectSelector::Named(_)), None) => {
                return Err(Error::usage("only a server has projects")
                    .with_hint("on the command line, `--root` selects the tree"));
            }
            _ => None,
        };
        let call = Call { code: elsewhere.unwrap_or(call.code), ..*call };
        let project = call.code.project();
        let is_offered = |name: &str| {
            call.offered.is_none_or(|tools| tools.iter().any(|tool| tool.command() == name))
                && (project.is_none() || OVER_FLEETS.contains(&name))
        };
        let prefix = match (project, call.offered) {
            (Some(name), None) => format!("{name} "),
            _ => String::new(),
        };
        // The command line has no subset of the tools.
        let in_words = |text: &str| match call.offered {
            None => command_line::in_flags(self, text),
            Some(_) => text.to_owned(),
        };
        let run = || {
            let own = self.command();
            let is_known = |tools: &[&str]| tools.contains(&own.as_str());
            if let Some(project) =
                project.filter(|_| !is_known(&OVER_FLEETS) && !is_known(&TREELESS))
            {
                let offered = OVER_FLEETS.iter().filter(|name| is_offered(name));
                let tools: Vec<String> = offered.map(|name| format!("{{tool:{name}}}")).collect();
                return Err(Error::usage(format!("`{own}` does not answer over `{project}`"))
                    .with_hint(format!("over it answer {}", tools.join(", "))));
            }
            let (mut notices, mut wants_update) = (Vec::new(), false);
            if let Value::Object(args) = &mut args {
                notices = aliases::replace(self.aliases, args, call.code.root())?;
                notices.extend(unlisted::notices(self.arguments(), args));
                wants_update = unlisted::wants_update(args);
            }
            let mut answer = (self.run)(&call, self.arguments(), args)?;
            let gap = Gap::of(&call, self.is_analysis())?;
            let is_reported = answer.note_gap(gap);
            if wants_update {
                answer.note_update(gap.update());
            }
            let is_present = |path: &str| paths::is_present(&call, path);
            let offered = Offered {
                is_offered: &is_offered,
                is_present: &is_present,
                in_words: &in_words,
                prefix: &prefix,
                project,
            };
            answer.adapt(offered);
            let mut own = answer.notices();
            if !is_reported && !own.iter().any(|notice| notice.contains(coverage::NOT_INDEXED)) {
                own.extend(gap.notice());
            }
            let own = own.iter().filter_map(|notice| offered.render(notice));
            let own = own.map(|notice| gap.with_build(notice));
            let notices = notices.into_iter().chain(own).collect();
            let doubts = call.code.doubts();
            let shows_secrets = call.shows_secrets;
            let rendered = Rendered { answer, notices, doubts, gap, shows_secrets };
            Ok(Box::new(rendered) as Box<dyn Answer>)
        };
        run().map_err(|error: Error| {
            let error =
                error.map_hints(|hint| mentions::render(&in_words(&hint), &is_offered, &prefix));
            let error = call.code.doubts().into_iter().fold(error, Error::with_hint);
            let is_usage = error.kind() == Kind::Usage;
            let error = if is_usage { error.map_texts(|text| in_words(&text)) } else { error };
            if call.shows_secrets { error } else { error.map_texts(secret::redacted) }
        })
    }
}

/// Returns a reply that no [`Tool::run`] made as the caller gets it: adapted, and with secrets
/// redacted.
pub(crate) fn rendered(call: &Call<'_>, mut answer: Box<dyn Answer>) -> Box<dyn Answer> {
    adapt_to_all(call, &mut *answer);
    let notices = answer.notices();
    let (gap, shows_secrets) = (Gap::default(), call.shows_secrets);
    Box::new(Rendered { answer, notices, doubts: Vec::new(), gap, shows_secrets })
}

/// Adapts a reply to a caller that has every tool.
fn adapt_to_all(call: &Call<'_>, answer: &mut dyn Answer) {
    let is_present = |path: &str| paths::is_present(call, path);
    let in_words = |text: &str| text.to_owned();
    answer.adapt(Offered {
        is_offered: &|_| true,
        is_present: &is_present,
        in_words: &in_words,
        prefix: "",
        project: None,
    });
}

/// What the index lacked for a call.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Gap {
    /// Files without facts that the call needed, because no index has them and it did not parse them.
    pub unknown: usize,
    /// Files whose content changed since the index was built, for tools that answer from it.
    pub changed: usize,
    /// The step of the build that will add the unknown files, with its percentage, if one runs.
    pub build: Option<(&'static str, u64)>,
}

impl Gap {
    fn of(call: &Call<'_>, is_analysis: bool) -> Result<Gap> {
        let unknown = call.code.files_unknown();
        let build = if unknown > 0 { call.code.running_build() } else { None };
        Ok(Gap { unknown, changed: if is_analysis { changed_files(call)? } else { 0 }, build })
    }

    /// Returns a sentence that calls files not indexed with the progress of the build, if one runs.
    pub fn with_build(self, sentence: String) -> String {
        let Some((step, percent)) = self.build else { return sentence };
        let told = format!("{} (a build runs: {step}, {percent} %)", coverage::NOT_INDEXED);
        sentence.replacen(coverage::NOT_INDEXED, &told, 1)
    }

    /// Returns whether the call read what changed since the index was built.
    fn update(self) -> Update {
        let reason = match (self.unknown, self.build, self.changed) {
            (1.., Some(_), _) => Some("background_job_running"),
            (1.., None, _) => Some("not_indexed"),
            (0, _, 0) => Some("no_changes"),
            (0, ..) => None,
        };
        Update { auto_update_performed: reason.is_none(), auto_update_skip_reason: reason }
    }

    /// Returns the notice that the reply may be incomplete, if files are unknown.
    pub fn notice(self) -> Option<String> {
        (self.unknown > 0).then(|| {
            let (files, not_indexed) = (counted(self.unknown, "file"), coverage::NOT_INDEXED);
            format!("{files} {not_indexed}; results may be incomplete")
        })
    }
}

/// Returns the number of files whose present content the index does not have; 0 without an index.
/// O(files) the first time.
fn changed_files(call: &Call<'_>) -> Result<usize> {
    let files = call.code.files()?;
    let changed = files.not_as_indexed().iter().filter(|&&at| {
        let info = files.info(at);
        !info.is_unread() && info.may_be_read()
    });
    let changed = changed.count();
    Ok(if changed < files.len() { changed } else { 0 })
}

/// Returns the tool with a name, which may lack the prefix.
pub fn find(name: &str) -> Option<&'static Tool> {
    let mut all = TOOLS.iter().chain(UNLISTED);
    all.find(|tool| tool.name == name || tool.command() == name)
}

/// Returns `list` cut to `max` entries, and its original length.
pub(crate) fn first<T>(mut list: Vec<T>, max: usize) -> (Vec<T>, usize) {
    let total = list.len();
    list.truncate(max);
    (list, total)
}

/// Returns the maximum number of entries of a list: `requested`, or else `default`, but at most
/// [`RESULTS_MAX`].
pub(crate) fn results_max(requested: Option<usize>, default: usize) -> usize {
    requested.unwrap_or(default).min(RESULTS_MAX)
}

/// Returns a hint with the names of the tools that it mentions, where all tools are commands.
pub(crate) fn command_hint(hint: &str) -> String {
    mentions::render(hint, &|_| true, "").unwrap_or_default()
}

/// Returns the notice that a list was cut, if it was; `argument` is the one that shows more.
pub(crate) fn cut_notice(shown: usize, total: usize, argument: &str) -> Vec<String> {
    if shown >= total {
        Vec::new()
    } else if shown >= RESULTS_MAX {
        vec![format!("{shown} of {total} shown, the maximum of a reply; narrow the query")]
    } else {
        vec![format!("{shown} of {total} shown; `{argument}` shows more")]
    }
}

/// Returns the notice that the argument `offset` is behind the end of a list.
pub(crate) fn offset_notice(offset: usize, total: usize, noun: &str) -> String {
    format!("`offset` {offset} is behind the end; there {} in all", is_counted(total, noun))
}

/// Returns a number with its verb and noun: `is 1 file`, `are 2 files`.
fn is_counted(count: usize, noun: &str) -> String {
    format!("{} {}", if count == 1 { "is" } else { "are" }, counted(count, noun))
}

#[cfg(test)]
mod tests;
