//! The implementation of [`Code`] for a fleet: the files that a call is about, fetched from the nodes and
//! held in memory.
//!
//! The first access of a call decides what is fetched, once: the files that may match a pattern, that
//! contain a name, or that are about a task. Everything else is computed from them as for a tree on this
//! machine, and what was not fetched is counted. The path of a file is that of its repository's name and of
//! the file in it.
//!
//! `task` fetches what a task is about, in three rounds; `shortlist` says what that is.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use super::nodes::{Contents, Fetched, Found, Nodes, Want};
use super::query::{Part, Query};
use crate::base::ids::FileId;
use crate::base::interrupt::Interrupt;
use crate::base::path::{compare, split, to_path};
use crate::base::text::{counted, plain};
use crate::catalog::Catalog;
use crate::catalog::code::{Code, Focus};
use crate::catalog::extract::extract_text;
use crate::catalog::file_list::{FileInfo, FileList, FileState};
use crate::catalog::folders::Folders;
use crate::catalog::overlay::OverlayFile;
use crate::error::{Error, Kind, Result};
use crate::graph::imports::manifest_names;
use crate::history::History;
use crate::history::git::Git;
use crate::index::table::Flags;
use crate::index::text::{Input, Overlay, Prepared, Preparer, TextIndex};
use crate::lang::{Language, Outline, Symbol};
use crate::parsers::Parsers;
use crate::query::fuzzy::PathIndex;
use crate::query::plan::Plan;
use crate::source::guarded::Content;
use crate::source::secret;
use crate::source::stamp::Stamp;
use crate::source::text_cache::TextCache;
use shortlist::Shortlist;
use users::{Others, Selected};

mod shortlist;
mod task;
mod users;

/// The name of the project of a fleet.
pub const PROJECT: &str = "fleet";

/// The root below which absolute paths of a fleet lie. It is no directory of this machine.
pub const ROOT: &str = "/fleet";

/// What is fetched for a pattern or a name.
const MATCHING: Want = Want {
    contents: Contents::Whole,
    files_max: 2_000,
    bytes_max: 64 << 20,
    is_ranked_by_words: false,
};

/// What is fetched for a path.
const PATHS: Want =
    Want { contents: Contents::None, files_max: 5_000, bytes_max: 0, is_ranked_by_words: false };

/// What is fetched of the manifests of the repositories of other files.
const MANIFESTS: Want = Want {
    contents: Contents::Whole,
    files_max: 2_000,
    bytes_max: 16 << 20,
    is_ranked_by_words: false,
};

/// What is fetched to count files.
const COUNTED: Want =
    Want { contents: Contents::None, files_max: 10_000, bytes_max: 0, is_ranked_by_words: false };

/// Files that say what a package exports, without the names of what is in it.
const ENTRIES: &[&str] = &[
    "lib.rs",
    "mod.rs",
    "main.rs",
    "__init__.py",
    "index.js",
    "index.mjs",
    "index.ts",
    "index.d.ts",
    "src/lib.rs",
    "src/index.js",
    "src/index.ts",
];

/// The number of paths at which manifests are looked for.
const MANIFEST_PATHS_MAX: usize = 60_000;

/// The number of branches that an error lists.
const BRANCHES_SHOWN_MAX: usize = 10;

/// The files of a fleet during one call.
pub struct View<'a> {
    nodes: &'a dyn Nodes,
    /// The repositories that the call selects.
    scope: Query,
    parsers: Arc<Parsers>,
    interrupt: Interrupt<'a>,
    gathered: OnceLock<Gathered>,
    /// Files that were read by their paths.
    read: Mutex<BTreeMap<Vec<u8>, Arc<Content>>>,
    doubts: Mutex<Vec<String>>,
    /// Where definitions are looked up, if not everywhere.
    selected: OnceLock<Selected>,
}

/// What the first access of a call fetches.
struct Request {
    query: Query,
    want: Want,
    /// True if imports are resolved, which manifests explain.
    has_links: bool,
    /// What is fetched in addition, within the same limits.
    also: Option<Query>,
    /// The paths of files that would satisfy the query if the nodes had their texts; `None` if texts do not
    /// matter.
    unsearched: Option<Query>,
    /// What is only counted.
    others: Option<Others>,
    /// True for all repositories, not only those of the call's scope.
    is_everywhere: bool,
}

impl Request {
    /// Returns the request for all files of the scope that satisfy a query.
    fn matching(query: Query, has_links: bool, unsearched: Query) -> Request {
        Request { query, want: MATCHING, has_links, unsearched: Some(unsearched), ..NOTHING }
    }
}

/// The request for no file.
const NOTHING: Request = Request {
    query: Query::Const(false),
    want: PATHS,
    has_links: false,
    also: None,
    unsearched: None,
    others: None,
    is_everywhere: false,
};

/// What was fetched for a call.
struct Arrived {
    found: Found,
    has_contents: bool,
    /// What is known of the files' relevance to a task.
    shortlist: Option<Shortlist>,
}

/// The files that were fetched.
struct Gathered {
    files: Arc<FileList>,
    texts: Arc<TextCache>,
    /// Without facts.
    plain: Catalog,
    catalog: OnceLock<Catalog>,
    ranking: OnceLock<Arc<Overlay>>,
    /// The factor of each file's relevance, and the rarity of words, if the call is about a task.
    priors: Vec<f32>,
    rarities: HashMap<String, f32>,
    names: OnceLock<PathIndex>,
    folders: OnceLock<Folders>,
}

impl std::fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("scope", &self.scope).finish_non_exhaustive()
    }
}

impl<'a> View<'a> {
    /// Creates the view of the files that satisfy `scope`; asks nothing yet. `parsers` parse what is
    /// fetched.
    pub fn new(nodes: &'a dyn Nodes, scope: Query, parsers: Arc<Parsers>) -> View<'a> {
        let (gathered, read, doubts) = (OnceLock::new(), Mutex::default(), Mutex::default());
        let (interrupt, selected) = (Interrupt::NEVER, OnceLock::new());
        View { nodes, scope, parsers, interrupt, gathered, read, doubts, selected }
    }

    /// Returns the same view for a call that can be interrupted.
    #[must_use]
    pub fn interrupted_by(self, interrupt: Interrupt<'a>) -> View<'a> {
        View { interrupt, ..self }
    }

    /// Asks the nodes within the scope, and notes what they did not answer.
    fn ask(&self, query: Query, want: &Want) -> Result<Found> {
        self.ask_in(&self.scope, query, want)
    }

    /// Asks the nodes for files of all repositories, on the branch of the scope.
    fn ask_everywhere(&self, query: Query, want: &Want) -> Result<Found> {
        self.ask_in(&self.scope.clone().only_branch(), query, want)
    }

    fn ask_in(&self, scope: &Query, query: Query, want: &Want) -> Result<Found> {
        let found = self.nodes.search(&query.and(scope.clone()), want, self.interrupt)?;
        for doubt in &found.doubts {
            self.doubt(doubt.clone());
        }
        Ok(found)
    }

    /// Adds files of a later request.
    fn add(&self, found: &mut Found, files: Vec<Fetched>) {
        let left_out = found.add(files);
        // Of a branch, the commit of a file need not be that of the branch.
        if left_out > 0 {
            self.doubt(format!(
                "a repository was indexed again during the call: {} of its other commit left out",
                counted(left_out, "file")
            ));
        }
    }

    fn doubt(&self, sentence: String) {
        if let Ok(mut doubts) = self.doubts.lock()
            && !doubts.contains(&sentence)
        {
            doubts.push(sentence);
        }
    }

    /// Returns the files of the call; those of the request if it is the first access.
    fn gathered(&self, request: impl FnOnce() -> Result<Request>) -> Result<&Gathered> {
        self.gathered_by(|| self.arrived(request()?))
    }

    /// Returns the files of the call; what `fetch` returns if it is the first access.
    fn gathered_by(&self, fetch: impl FnOnce() -> Result<Arrived>) -> Result<&Gathered> {
        if let Some(gathered) = self.gathered.get() {
            return Ok(gathered);
        }
        let arrived = fetch()?;
        if arrived.found.files.is_empty() && arrived.found.doubts.is_empty() {
            self.check_scope()?;
        }
        let gathered = Gathered::new(arrived, &self.parsers, &|doubt| self.doubt(doubt))?;
        Ok(self.gathered.get_or_init(|| gathered))
    }

    /// Fetches what is requested.
    fn arrived(&self, request: Request) -> Result<Arrived> {
        let Request { query, want, has_links, also, unsearched, others, is_everywhere } = request;
        let has_contents = want.contents != Contents::None;
        let scope = self.scope.clone();
        let scope = if is_everywhere { scope.only_branch() } else { scope };
        let (found, named) = rayon::join(
            || self.ask_in(&scope, query, &want),
            || {
                let (unsearched, others) = rayon::join(
                    || unsearched.map_or(Ok(()), |paths| self.unsearched(paths.and(scope.clone()))),
                    || others.as_ref().map(|of| self.files_with_name(of)).transpose(),
                );
                unsearched.and(others)
            },
        );
        let mut found = found?;
        let named = named?;
        if let Some(also) = also {
            let more = self.ask_in(&scope, also, &want)?;
            self.add(&mut found, more.files);
        }
        if let Some((others, named)) = others.zip(named) {
            self.count_others(&others, &named, &found);
        }
        if found.more > 0 {
            let files = counted(found.more, "more file");
            self.doubt(format!(
                "{files} may match and {} not fetched; name a repository, or search for more",
                if found.more == 1 { "was" } else { "were" }
            ));
        }
        if has_links {
            self.add_manifests(&mut found)?;
        }
        Ok(Arrived { found, has_contents, shortlist: None })
    }

    /// Notes how many texts the nodes know by their names only, of the files that satisfy a query.
    fn unsearched(&self, of: Query) -> Result<()> {
        let query = Query::Names(Box::new(Query::unsearched().and(of)));
        let found = self.nodes.search(&query, &COUNTED, self.interrupt)?;
        found.doubts.iter().for_each(|doubt| self.doubt(doubt.clone()));
        if let Some(count) = Some(found.files.len() + found.more).filter(|count| *count > 0) {
            let more = if count >= COUNTED.files_max { " or more" } else { "" };
            self.doubt(format!(
                "{}{more} too large for the nodes: not searched; `codedb fleet status --unsearched` \
                 lists them",
                counted(count, "text")
            ));
        }
        Ok(())
    }

    /// Checks that there are repositories in the scope, and that one of them has its branch.
    fn check_scope(&self) -> Result<()> {
        let repositories = self.scope.clone().without_branch();
        if repositories == self.scope && repositories == Query::Const(true) {
            return Ok(());
        }
        let (found, doubts) = self.nodes.repositories(&repositories, self.interrupt)?;
        if !doubts.is_empty() {
            return Ok(());
        }
        if found.is_empty() {
            return Err(Error::new(Kind::NotFound, "no repository of the fleet has this name")
                .with_hint("`codedb fleet status --repo '*'` lists them; the last parts of a name suffice, and `*` matches anything"));
        }
        let Some(branch) = self.scope.branch() else { return Ok(()) };
        let all: BTreeSet<&str> =
            found.iter().flat_map(|of| &of.branches).map(String::as_str).collect();
        if all.contains(branch) {
            return Ok(());
        }
        let shown: Vec<&str> = all.into_iter().take(BRANCHES_SHOWN_MAX).collect();
        let what = format!("no repository has the branch `{}` in its index", plain(branch));
        let hint = format!("indexed are `{}`", shown.join("`, `"));
        Err(Error::new(Kind::NotFound, what).with_hint(plain(&hint)))
    }

    /// Adds the manifests beside and above the files, which say what their imports mean.
    fn add_manifests(&self, found: &mut Found) -> Result<()> {
        let paths = found.files.iter().map(|file| (&file.repository[..], &file.path[..]));
        let manifests = self.manifests(paths)?;
        self.add(found, manifests);
        Ok(())
    }

    /// Fetches the manifests beside and above files, given by repository and path.
    fn manifests<'p>(
        &self,
        files: impl Iterator<Item = (&'p str, &'p [u8])>,
    ) -> Result<Vec<Fetched>> {
        let mut folders: BTreeMap<&str, BTreeSet<&[u8]>> = BTreeMap::new();
        for (repository, path) in files {
            let of_repository = folders.entry(repository).or_default();
            let mut folder = split(path).0;
            while of_repository.insert(folder) && !folder.is_empty() {
                folder = split(folder).0;
            }
        }
        let (mut paths, mut queries) = (0, Vec::new());
        for (repository, folders) in folders {
            let folders = folders.iter().filter_map(|folder| std::str::from_utf8(folder).ok());
            let in_folder = |folder| {
                manifest_names().chain(ENTRIES.iter().copied()).map(move |name| match folder {
                    "" => name.to_owned(),
                    folder => format!("{folder}/{name}"),
                })
            };
            let wanted: Vec<String> = folders.flat_map(in_folder).collect();
            paths += wanted.len();
            if paths > MANIFEST_PATHS_MAX {
                self.doubt("some manifests were not read: imports may be unresolved".to_owned());
                break;
            }
            let of = Query::Repositories(vec![repository.to_owned()]);
            queries.push(of.and(Query::Paths(wanted)));
        }
        if queries.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.ask_everywhere(Query::Or(queries), &MANIFESTS)?.files)
    }

    /// Returns what was fetched so far; nothing before the first access that says what for.
    fn present(&self) -> Result<&Gathered> {
        self.gathered(|| Ok(NOTHING))
    }

    /// Fetches the file at a path, whose first parts are the name of its repository.
    fn fetch(&self, path: &[u8]) -> Result<Fetched> {
        let refused = |what: &str| Error::new(Kind::NotFound, what).with_path(&to_path(path));
        if secret::is_secret(path) {
            return Err(Error::new(
                Kind::Usage,
                "refusing to serve a secret (detected by its file name)",
            )
            .with_path(&to_path(path)));
        }
        let text = std::str::from_utf8(path).map_err(|_| refused("the path is not UTF-8"))?;
        let splits = text.match_indices('/').map(|(at, _)| {
            let (repository, file) = (text[..at].to_owned(), text[at + 1..].to_owned());
            Query::And(vec![Query::Repositories(vec![repository]), Query::Paths(vec![file])])
        });
        let splits: Vec<Query> = splits.collect();
        if splits.is_empty() {
            return Err(refused("the path begins with the name of no repository"));
        }
        let want = Want { files_max: 8, ..MATCHING };
        let found = self.ask(Query::Or(splits), &want)?;
        let is_it = |file: &&Fetched| path_of(file).is_some_and(|of| of == path);
        let file = found.files.iter().find(is_it);
        let file = file.ok_or_else(|| refused("no node has the file"))?;
        if let Some(reason) = file.left_out() {
            return Err(refused(&format!("the nodes did not index its content ({reason})")));
        }
        Ok(file.clone())
    }
}

/// Returns the path of a file in a fleet; `None` if it could be that of something else, or be no path.
fn path_of(file: &Fetched) -> Option<Vec<u8>> {
    let path = [file.repository.as_bytes(), b"/", &file.path].concat();
    let is_part = |part: &[u8]| !part.is_empty() && part != b"." && part != b"..";
    let is_sound = path.split(|&byte| byte == b'/').all(is_part) && !path.contains(&0);
    (is_sound && path.len() <= 4096).then_some(path)
}

/// Returns content with metadata that no other content of the call has.
fn content_of(bytes: Vec<u8>, number: u64) -> Content {
    let size = bytes.len() as u64;
    Content::new(bytes, size, stamp(size, number))
}

fn stamp(size: u64, number: u64) -> Stamp {
    Stamp { size, mtime_ns: 0, ctime_ns: 1, inode: number }
}

impl Gathered {
    fn new(arrived: Arrived, parsers: &Arc<Parsers>, doubt: &dyn Fn(String)) -> Result<Gathered> {
        let Arrived { found, has_contents, shortlist } = arrived;
        let (mut by_path, mut unusable, mut unindexed) = (BTreeMap::new(), 0, 0);
        for file in found.files {
            let Some(path) = path_of(&file) else {
                unusable += 1;
                continue;
            };
            if file.left_out().is_some() {
                unindexed += 1;
                continue;
            }
            let prior = shortlist.as_ref().map(|list| list.prior(&file.repository, &file.path));
            by_path.entry(Ordered(path)).or_insert((file.content, prior));
        }
        if unusable > 0 {
            doubt(format!("{} with an unusable path left out", counted(unusable, "file")));
        }
        if unindexed > 0 {
            let files = counted(unindexed, "file");
            doubt(format!("the nodes have no content of {files}: too large, or not text"));
        }
        let mut files = FileList::default();
        let mut texts = Vec::with_capacity(by_path.len());
        let mut priors = Vec::new();
        for ((Ordered(path), (bytes, prior)), number) in by_path.into_iter().zip(1..) {
            priors.extend(prior);
            let hash = if has_contents { xxh3_128(&bytes) } else { 0 };
            let flags = if secret::is_secret(&path) { Flags::SECRET } else { Flags::default() };
            let stamp = stamp(bytes.len() as u64, number);
            files.push(&path, FileInfo::new(stamp, stamp, flags, FileState::Same, hash));
            if has_contents {
                texts.push((path, Arc::new(content_of(bytes, number))));
            }
        }
        let (files, texts) = (Arc::new(files), Arc::new(TextCache::of_memory(texts)));
        let plain = Catalog::new(
            Arc::clone(&files),
            Arc::default(),
            Arc::clone(&texts),
            Arc::clone(parsers),
        )?;
        Ok(Gathered {
            files,
            texts,
            plain,
            catalog: OnceLock::new(),
            ranking: OnceLock::new(),
            priors,
            rarities: shortlist.map(|list| list.rarities).unwrap_or_default(),
            names: OnceLock::new(),
            folders: OnceLock::new(),
        })
    }

    /// Returns the catalog with the facts of all files. O(text) the first time.
    fn catalog(&self, parsers: &Arc<Parsers>) -> Result<&Catalog> {
        if let Some(catalog) = self.catalog.get() {
            return Ok(catalog);
        }
        let facts = |at: usize| {
            let (path, info) = (self.files.path(at), self.files.info(at));
            let text = self.texts.read_content(path, info.listed(), u64::MAX).ok()?;
            let extract = extract_text(path, text.original(), parsers);
            let extract = extract.inspect_err(|error| log::debug!("{error}")).ok()?;
            Some((FileId::new(at), Arc::new(OverlayFile::new(path, extract))))
        };
        let facts: BTreeMap<FileId, Arc<OverlayFile>> =
            (0..self.files.len()).into_par_iter().filter_map(facts).collect();
        let catalog = Catalog::new(
            Arc::clone(&self.files),
            Arc::default(),
            Arc::clone(&self.texts),
            Arc::clone(parsers),
        )?;
        let catalog = catalog.with_overlay(facts).with_priors(self.priors.clone());
        Ok(self.catalog.get_or_init(|| catalog))
    }

    fn ranking(&self, parsers: &Arc<Parsers>) -> Result<Arc<Overlay>> {
        if let Some(ranking) = self.ranking.get() {
            return Ok(Arc::clone(ranking));
        }
        let catalog = self.catalog(parsers)?;
        let empty = Overlay::new(Arc::new(TextIndex::empty()?));
        let mut overlay = empty.with_rarities(self.rarities.clone());
        let prepare = |preparer: &mut Preparer, at: usize| -> Result<Option<Prepared>> {
            let (path, info) = (self.files.path(at), self.files.info(at));
            let Some(text) = catalog.read(FileId::new(at), usize::MAX) else { return Ok(None) };
            let facts = catalog.facts_now(FileId::new(at))?;
            let symbols = facts.as_ref().map_or(&[][..], |facts| &facts.symbols);
            let language = facts.as_ref().map(|facts| facts.language);
            let input = Input { path, hash: info.hash, language, symbols, text: &text };
            Ok(Some(preparer.prepare_text(input)))
        };
        let files = (0..self.files.len()).into_par_iter();
        let prepared: Result<Vec<Option<Prepared>>> =
            files.map_init(Preparer::default, prepare).collect();
        for prepared in prepared?.iter().flatten() {
            overlay.put(prepared)?;
        }
        Ok(Arc::clone(self.ranking.get_or_init(|| Arc::new(overlay))))
    }
}

/// A path in the order of paths.
#[derive(Eq, PartialEq)]
struct Ordered(Vec<u8>);

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> std::cmp::Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the query for the files that contain one of the names, or parts of them behind separators.
fn names_query(names: &[&str]) -> Query {
    let last = |name: &&str| {
        let name = name.rsplit(['.', ':', '#', '/']).find(|part| !part.is_empty());
        name.unwrap_or_default().to_owned()
    };
    let names: BTreeSet<String> = names.iter().map(last).filter(|name| !name.is_empty()).collect();
    Query::Or(names.iter().map(|name| Query::of_name(name)).collect())
}

/// Returns the query for the files with a path similar to a text: its words are in the path.
fn path_query(text: &str) -> Query {
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_in = |word: &str| {
        let text = word.to_owned();
        let path = Query::Substring { text, is_case_sensitive: false, part: Part::Path };
        Query::Or(vec![path, Query::RepositoryRegex(format!("(?i){}", regex_syntax::escape(word)))])
    };
    Query::And(words.map(is_in).collect())
}

impl Code for View<'_> {
    fn root(&self) -> &Path {
        Path::new(ROOT)
    }

    fn project(&self) -> Option<&str> {
        Some(PROJECT)
    }

    fn focus(&self, on: Focus<'_>) -> Result<()> {
        if let Focus::Task(task) = on {
            return self.gathered_by(|| self.about_task(task)).map(|_| ());
        }
        let request = || match on {
            Focus::Pattern { patterns, options, paths } => {
                let paths = Query::of_paths(paths);
                let query = Query::of_patterns(patterns, options)?.and(paths.clone());
                Ok(Request::matching(query, false, paths))
            }
            Focus::Definition { name, path, is_transitive } => {
                if is_transitive {
                    let what = "what calls the callers was looked for only in files with the name";
                    self.doubt(what.to_owned());
                }
                self.of_definition(name, path)
            }
            Focus::Task(_) => Ok(NOTHING),
            Focus::Path(text) => Ok(Request { query: path_query(text), ..NOTHING }),
        };
        self.gathered(request).map(|_| ())
    }

    fn is_in_scope(&self, path: &[u8]) -> bool {
        self.selected.get().is_none_or(|selected| selected.has(path))
    }

    fn doubts(&self) -> Vec<String> {
        self.doubts.lock().map(|doubts| doubts.clone()).unwrap_or_default()
    }

    fn files(&self) -> Result<&FileList> {
        Ok(&self.present()?.files)
    }

    fn catalog(&self, about: &[&str]) -> Result<&Catalog> {
        let gathered = match about {
            [] => self.present()?,
            names => self.gathered(|| {
                Ok(Request::matching(names_query(names), true, Query::of_code(None)))
            })?,
        };
        gathered.catalog(&self.parsers)
    }

    fn indexed(&self) -> Result<&Catalog> {
        let gathered = self.present()?;
        Ok(gathered.catalog.get().unwrap_or(&gathered.plain))
    }

    fn outline(&self, _: &[u8], _: u128) -> Option<(&'static Language, Vec<Symbol>)> {
        None
    }

    fn parse(&self, language: &'static Language, path: &[u8], text: &[u8]) -> Result<Outline> {
        self.parsers.outline(language, &String::from_utf8_lossy(path), text)
    }

    fn ranking(&self) -> Result<Option<Arc<Overlay>>> {
        self.present()?.ranking(&self.parsers).map(Some)
    }

    fn names(&self) -> Result<&PathIndex> {
        let gathered = self.present()?;
        let paths = || gathered.files.iter().map(|(path, info)| (path, info.modified_ns));
        Ok(gathered.names.get_or_init(|| PathIndex::new(paths())))
    }

    fn folders(&self) -> Result<&Folders> {
        let gathered = self.present()?;
        Ok(gathered.folders.get_or_init(|| Folders::new(&gathered.files)))
    }

    fn candidates(&self, _: &Plan) -> Result<Option<Vec<usize>>> {
        Ok(None)
    }

    fn read(&self, path: &[u8], bytes_max: u64) -> Result<Arc<Content>> {
        let held = self.gathered.get().and_then(|gathered| {
            let listed = gathered.files.info(gathered.files.find(path)?).listed();
            gathered.texts.read_content(path, listed, bytes_max).ok()
        });
        if let Some(content) = held {
            return Ok(content);
        }
        let known = self.read.lock().ok().and_then(|read| read.get(path).cloned());
        let content = match known {
            Some(content) => content,
            None => {
                let content = Arc::new(content_of(self.fetch(path)?.content, 0));
                if let Ok(mut read) = self.read.lock() {
                    read.insert(path.to_vec(), Arc::clone(&content));
                }
                content
            }
        };
        match content.original().get(..usize::try_from(bytes_max).unwrap_or(usize::MAX)) {
            Some(part) if part.len() < content.original().len() => {
                Ok(Arc::new(Content::new(part.to_vec(), content.size_bytes, content.stamp)))
            }
            _ => Ok(content),
        }
    }

    fn history(&self) -> Result<Option<Arc<History>>> {
        Ok(None)
    }

    fn git(&self) -> Option<&Git> {
        None
    }
}

#[cfg(test)]
mod tests;
