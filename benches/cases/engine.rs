//! `engine/…`: the components of tools and commands, one at a time.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use codedb::catalog::code::Code as _;
use codedb::catalog::extract::extract_text;
use codedb::engine::{self, Check, Engine, Local, Progress};
use codedb::index::extract::Extractor;
use codedb::index::snapshot::Snapshot;
use codedb::parsers::Parsers;
use codedb::query::candidates::{Demand, candidates};
use codedb::query::pattern::PatternOptions;
use codedb::query::plan::Plan;
use codedb::source::walk;
use codedb::tools::pattern::Pattern;

use super::case::{Case, CaseOutput, Mode};
use super::corpus::manifest::Profile;
use super::corpus::{Outcome, tree};
use super::stage::Stage;

/// The size limit of a file that is parsed.
const PARSED_BYTES_MAX: u64 = 160 << 10;

/// The total size of the texts for gram extraction.
const EXTRACTED_BYTES_MAX: usize = 4 << 20;

/// File extensions to parse; the largest file of each within the limit is used.
const PARSED: &[&str] = &["c", "cs", "go", "java", "js", "kt", "php", "py", "rs", "swift", "ts"];

/// The directory that is copied and edited.
const EDITED: &str = "pypi/jinja2";

/// Expressions for the planner, and their purpose.
const PLANNED: &[(&str, &str)] = &[
    ("literal", "render_template_string"),
    ("alternation", "(import|export|require)_(module|name|path)s?"),
    ("classes", r"[A-Z][a-z]+(Error|Exception)\s*\("),
    ("nothing", r"\w+\s*=\s*\d+"),
];

/// Returns the cases.
///
/// # Errors
///
/// If there is no index, or a file cannot be read.
pub(crate) fn cases<'a>(
    stage: &'a Stage,
    mode: Mode,
    is_selected: &dyn Fn(&str) -> bool,
) -> Outcome<Vec<Case<'a>>> {
    let engine = Rc::new(stage.engine(mode.threads()));
    let mut cases = Cases { made: Vec::new(), is_selected };
    of_trees(&mut cases, stage, &engine, mode)?;
    of_texts(&mut cases, stage)?;
    of_queries(&mut cases, &engine)?;
    Ok(cases.made)
}

/// Collects the selected cases.
struct Cases<'a, 'w> {
    made: Vec<Case<'a>>,
    is_selected: &'w dyn Fn(&str) -> bool,
}

impl<'a> Cases<'a, '_> {
    fn is_selected(&self, name: &str) -> bool {
        (self.is_selected)(&format!("engine/{name}"))
    }

    /// Adds a case that does all its work on the calling thread.
    fn add(&mut self, name: &str, run: impl Fn() -> Outcome<CaseOutput> + 'a) {
        self.add_as(name, true, run);
    }

    /// Adds a case that starts its own threads.
    fn add_threaded(&mut self, name: &str, run: impl Fn() -> Outcome<CaseOutput> + 'a) {
        self.add_as(name, false, run);
    }

    fn add_as(
        &mut self,
        name: &str,
        is_countable: bool,
        run: impl Fn() -> Outcome<CaseOutput> + 'a,
    ) {
        if self.is_selected(name) {
            let (name, tool) = (format!("engine/{name}"), String::new());
            self.made.push(Case { name, tool, expected: None, is_countable, run: Box::new(run) });
        }
    }
}

/// Walks, lists, builds and refreshes.
fn of_trees<'a>(
    cases: &mut Cases<'a, '_>,
    stage: &'a Stage,
    engine: &Rc<Engine>,
    mode: Mode,
) -> Outcome<()> {
    let one = Rc::clone(engine);
    cases.add_threaded("walk/tree", move || {
        let walked = walk::walk(one.root(), one.environment()).map_err(error_text)?;
        Ok(CaseOutput::Counts(vec![
            ("files", count(walked.files.len())),
            ("dirs", count(walked.dirs.len())),
        ]))
    });
    for (name, check) in [("list/strict", Check::Strict), ("list/trust", Check::Trust)] {
        let one = Rc::clone(engine);
        cases.add_as(name, check == Check::Trust, move || {
            let list = engine::file_list(&one, check).map_err(error_text)?;
            Ok(CaseOutput::Counts(vec![("files", count(list.len()))]))
        });
    }
    let one = Rc::clone(engine);
    cases.add("open/index", move || {
        let snapshot = opened(&one)?;
        Ok(CaseOutput::Counts(vec![("files", u64::from(snapshot.table.files()))]))
    });
    let one = Rc::clone(engine);
    cases.add_threaded("build/search", move || {
        let built = engine::build_in_memory(&one, &Progress::default()).map_err(error_text)?;
        Ok(CaseOutput::Counts(vec![("files", u64::from(built.table.files()))]))
    });
    if stage.profile == Profile::Small && cases.is_selected("build/code") {
        let store = stage.scratch.path().join("code");
        let new = stage.engine_at(engine.root().to_path_buf(), store, mode.threads());
        engine::build(&new, &Progress::default()).map_err(error_text)?;
        cases.add_threaded("build/code", move || {
            let built = engine::build_code(&new, true, &Progress::default()).map_err(error_text)?;
            Ok(CaseOutput::Counts(vec![("files", built.files), ("commits", built.history.commits)]))
        });
    }
    let one = Rc::clone(engine);
    cases.add_threaded("refresh/unchanged", move || {
        let built = engine::refresh(&one, &Progress::default()).map_err(error_text)?;
        Ok(CaseOutput::Counts(vec![("files", built.files), ("read", built.read)]))
    });
    if cases.is_selected("refresh/edited") {
        let root = copied(stage)?;
        let store = stage.scratch.path().join("edited");
        let new = stage.engine_at(root, store, mode.threads());
        let file = new.root().join("jinja2/parser.py");
        let text = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let edits = Cell::new(0_u64);
        cases.add_threaded("refresh/edited", move || {
            edits.set(edits.get() + 1);
            let line = format!("\ndef edited_{}():\n    pass\n", edits.get());
            fs::write(&file, [&text, line.as_bytes()].concat()).map_err(|e| e.to_string())?;
            let built = engine::refresh(&new, &Progress::default()).map_err(error_text)?;
            Ok(CaseOutput::Counts(vec![("files", built.files)]))
        });
    }
    Ok(())
}

/// Extracts grams from texts, and parses them.
fn of_texts<'a>(cases: &mut Cases<'a, '_>, stage: &'a Stage) -> Outcome<()> {
    let parsed: Vec<&str> =
        PARSED.iter().copied().filter(|end| cases.is_selected(&format!("parse/{end}"))).collect();
    if parsed.is_empty() && !cases.is_selected("extract/texts") {
        return Ok(());
    }
    let root = &stage.corpus.tree;
    let files = tree::files(root)?;
    if cases.is_selected("extract/texts") {
        let mut texts = Vec::new();
        let mut left = EXTRACTED_BYTES_MAX;
        // A mixed sample: every fifth file.
        for file in files.iter().step_by(5) {
            let text = read(root, file)?;
            if text.len() <= left {
                left -= text.len();
                texts.push(text);
            }
        }
        cases.add("extract/texts", move || {
            let (mut extractor, mut keys, mut found) = (Extractor::new(), Vec::new(), 0);
            for text in &texts {
                keys.clear();
                extractor.keys(text, &mut keys);
                found += count(keys.len());
            }
            Ok(CaseOutput::Counts(vec![("keys", found)]))
        });
    }
    for end in parsed {
        let Some(file) = largest(root, &files, end)? else { continue };
        let text = read(root, &file)?;
        let parsers = Parsers::in_process();
        cases.add(&format!("parse/{end}"), move || {
            let extract =
                extract_text(file.as_bytes(), &text, &parsers).expect("parsed in this process");
            let facts = &extract.facts;
            let references = count(facts.references.len());
            Ok(CaseOutput::Counts(vec![
                ("symbols", count(facts.symbols.len())),
                ("references", references),
            ]))
        });
    }
    Ok(())
}

/// Plans, evaluates and verifies.
fn of_queries<'a>(cases: &mut Cases<'a, '_>, engine: &Rc<Engine>) -> Outcome<()> {
    let snapshot = Rc::new(opened(engine)?);
    for (name, pattern) in PLANNED {
        cases.add(&format!("plan/{name}"), move || {
            let plan = Plan::new(&[(*pattern).to_owned()], &PatternOptions::default());
            Ok(CaseOutput::Text(format!("{:?}", plan.query())))
        });
        let plan = Plan::new(&[(*pattern).to_owned()], &PatternOptions::default());
        let snapshot = Rc::clone(&snapshot);
        cases.add(&format!("evaluate/{name}"), move || {
            let demand = Demand { with_fold_docs: plan.with_fold_docs(), ..Demand::default() };
            let found = candidates(&snapshot, plan.query(), demand).map_err(error_text)?;
            Ok(CaseOutput::Counts(vec![("postings", found.postings_read)]))
        });
    }
    for (name, query) in [("rare", "stringToPath"), ("common", "import")] {
        let one = Rc::clone(engine);
        cases.add(&format!("verify/{name}"), move || verified(&one, query));
    }
    Ok(())
}

/// Reads the candidates of a pattern and counts its matches, as a search does before ranking.
fn verified(engine: &Engine, query: &str) -> Outcome<CaseOutput> {
    let pattern = Pattern { query, is_regex: false, is_word: false, is_case_sensitive: true };
    let regex = pattern.regex().map_err(error_text)?;
    let options = PatternOptions { fixed_strings: true, ..PatternOptions::default() };
    let plan = Plan::new(&[query.to_owned()], &options);
    let local = Local::new(engine, Check::Trust);
    let list = local.files().map_err(error_text)?;
    let places = local.candidates(&plan).map_err(error_text)?.ok_or("there is no index")?;
    let (mut files, mut matches) = (0, 0);
    for &at in &places {
        let Ok(content) = local.read(list.path(at), 1 << 20) else { continue };
        let found = count(regex.find_iter(content.original()).count());
        files += u64::from(found > 0);
        matches += found;
    }
    Ok(CaseOutput::Counts(vec![("files", files), ("matches", matches)]))
}

/// Returns the largest file with an extension within the limit; the first of equals.
fn largest(root: &Path, files: &[String], end: &str) -> Outcome<Option<String>> {
    let mut best: Option<(u64, &String)> = None;
    for file in files {
        if file.rsplit_once('.').is_none_or(|(_, its)| its != end) {
            continue;
        }
        let path = root.join(file);
        let bytes = fs::metadata(&path).map_err(|e| format!("{}: {e}", path.display()))?.len();
        if bytes <= PARSED_BYTES_MAX && best.is_none_or(|(most, _)| bytes > most) {
            best = Some((bytes, file));
        }
    }
    Ok(best.map(|(_, file)| file.clone()))
}

/// Copies a package to a directory in which it can be edited.
fn copied(stage: &Stage) -> Outcome<std::path::PathBuf> {
    let from = stage.corpus.tree.join(EDITED);
    let to = stage.scratch.path().join("tree");
    for file in tree::files(&from)? {
        let place = to.join(&file);
        let folder = place.parent().expect("it is in a directory of the copy");
        fs::create_dir_all(folder)
            .and_then(|()| fs::copy(from.join(&file), &place))
            .map_err(|error| format!("{}: {error}", place.display()))?;
    }
    to.canonicalize().map_err(|error| format!("{}: {error}", to.display()))
}

fn opened(engine: &Engine) -> Outcome<Snapshot> {
    engine.snapshot().map_err(error_text)?.ok_or_else(|| "there is no index".to_owned())
}

fn read(root: &Path, file: &str) -> Outcome<Vec<u8>> {
    let path = root.join(file);
    fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
}

fn count(number: usize) -> u64 {
    number as u64
}

fn error_text(error: codedb::Error) -> String {
    error.to_string()
}
