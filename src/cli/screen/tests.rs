//! Pages of the commands in the repository of `codedb demo`, and properties of all pages.

use std::borrow::Cow;
use std::fs::File;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::super::demo;
use super::super::display::Display;
use super::super::tool;
use super::*;
use crate::answer::analysis::Analysis;
use crate::answer::page::{Block, Cell, Column, Node, Table};
use crate::answer::style::{Part, Plain};
use crate::base::time;
use crate::check::assess::Decider;
use crate::check::baseline::{Component, Partner};
use crate::check::change::ChangeKind;
use crate::check::incidents::Source;
use crate::check::investigate::{CallRecord, IncidentEntry, ToolCall, ToolResult};
use crate::check::paths::Method;
use crate::check::trivial::Trivial;
use crate::check::verdict::Level;
use crate::engine::{self, Check, Engine, Local, Progress};
use crate::index::store::Store;
use crate::source::stamp::RACY_WINDOW;
use crate::source::walk::Environment;
use crate::tools::analysis::Data;
use crate::tools::check::{
    CheckData, DecisionEntry, FileEntry, Finish, PathEntry, ReviewerEntry, UnknownEntry,
    VerdictEntry,
};
use crate::tools::session::{Indexed, Project};
use crate::tools::stale_tests::{StaleTest, StaleTestsData};
use crate::tools::{self, Call, Reply, decisions, edit, jobs, lock, projects};

/// The repository of the demo with an index.
struct Shop {
    engine: Engine,
    _base: TempDir,
}

/// One for all tests: none of them writes.
static SHOP: LazyLock<Shop> = LazyLock::new(Shop::new);

/// The present time of the tests.
fn now_ns() -> i64 {
    time::parse("2025-02-01T12:00:00Z", 0).expect("a time")
}

impl Shop {
    fn new() -> Shop {
        let base = TempDir::new().expect("a temporary directory");
        let root = base.path().canonicalize().expect("it is there").join("shop");
        assert!(demo::make(&root).expect("the demo can be made"), "git is installed");
        let mut files = vec![root.clone()];
        let mut age_s = 0;
        while let Some(path) = files.pop() {
            if path.is_dir() {
                let entries = std::fs::read_dir(&path).expect("a directory").flatten();
                let mut below: Vec<_> = entries.map(|entry| entry.path()).collect();
                below.sort();
                files.extend(below.into_iter().filter(|path| !path.ends_with(".git")));
            } else {
                age_s = age_s * 3 + 7;
                let modified = now_ns() as u64 / 1_000_000_000 - age_s;
                let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(modified);
                let file = File::options().write(true).open(&path).expect("a file");
                file.set_modified(modified).expect("its time can be set");
            }
        }
        std::thread::sleep(RACY_WINDOW + Duration::from_millis(30));
        let environment = Environment { global_excludes: None, threads: 2 };
        let engine = Engine::new(root, Store::new(base.path().join("index"), false), environment);
        engine::refresh(&engine, &Progress::default()).expect("a search index");
        engine::build_code(&engine, true, &Progress::default()).expect("a code index");
        Shop { engine, _base: base }
    }

    /// Returns the page of a tool's reply.
    fn page(&self, name: &str, args: Value) -> Page {
        let local = Local::new(&self.engine, Check::Strict);
        let found = tools::find(name).expect("a tool");
        let answer = found.run(&Call::new(&local, now_ns()), args).expect("a reply");
        tool::page(found, answer.as_ref()).expect("a page")
    }
}

fn screen(width: usize, glyphs: Glyphs) -> Screen {
    Screen { width, height: None, glyphs, clock: Clock { now_ns: now_ns(), is_iso: false } }
}

/// A style that writes colours as marks: `[path]src/a.rs[/]`.
struct Marked<'a>(Display<'a>);

impl Style for Marked<'_> {
    fn relative<'p>(&self, path: &'p str) -> Cow<'p, str> {
        self.0.relative(path)
    }

    fn paint(&self, part: Part, text: String) -> String {
        format!("[{}]{text}[/]", format!("{part:?}").to_lowercase())
    }

    fn call(&self, tool: &str, args: &Map<String, Value>) -> String {
        self.0.call(tool, args)
    }
}

fn pipeline(steps: &Value) -> Value {
    json!({"pipeline": steps})
}

/// The commands with pages, and their arguments.
fn calls() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("churn", "churn", json!({})),
        ("churn_of_a_file", "churn", json!({"file_path": "src/cart.rs"})),
        ("hot", "hot", json!({"limit": 4})),
        ("history", "history", json!({"file_path": "src/price.rs"})),
        ("ownership", "ownership", json!({"file_path": "src/price.rs"})),
        ("coupling", "coupling", json!({"file_path": "src/cart.rs", "min_count": 1})),
        ("coupling_in_few_commits", "coupling", json!({"file_path": "src/lib.rs"})),
        ("who_reviews", "who-reviews", json!({"file_path": "src/cart.rs"})),
        ("risk_map", "risk-map", json!({"limit": 3})),
        ("suggest_tests", "suggest-tests", json!({"file_path": "src/coupon.rs"})),
        ("test_gaps", "test-gaps", json!({})),
        ("symbol", "symbol", json!({"name": "total"})),
        ("symbol_with_body", "symbol", json!({"name": "total", "body": true})),
        ("callers", "callers", json!({"name": "Price::of"})),
        ("callers_as_a_tree", "callers", json!({"name": "Price::of", "depth": 3})),
        ("impact", "impact", json!({"functions": ["Price::of"]})),
        ("diff_impact", "diff-impact", json!({"ref": "HEAD~1"})),
        ("read", "read", json!({"path": "src/cart.rs:10-16"})),
        ("callpath", "callpath", json!({"from": "Cart.total", "to": "Price::of"})),
        ("trace", "trace", json!({"from": "a_coupon_takes_its_share", "to": "Price::of"})),
        ("trace_of_a_start", "trace", json!({"from": "Cart.total", "depth": 2})),
        ("explain", "explain", json!({"name": "Coupon::discounted"})),
        ("changes", "changes", json!({"since": "HEAD~1"})),
        ("word", "word", json!({"word": "discounted"})),
        ("deps", "deps", json!({"path": "src/price.rs", "transitive": true})),
        ("deps_on", "deps", json!({"path": "src/cart.rs", "direction": "depends_on"})),
        ("find", "find", json!({"query": "cart"})),
        ("outline", "outline", json!({"path": "src/cart.rs"})),
        ("triage", "triage", json!({"top_n": 2})),
        ("stats", "stats", json!({})),
        ("check", "check", json!({"base": "HEAD~1"})),
        ("check_in_detail", "check", json!({"files": ["src/cart.rs"], "verbose": true})),
        ("context", "context", json!({"task": "a coupon of more than 100 percent underflows"})),
        ("context_of_a_name", "context", json!({"task": "who calls Price::of", "detail": "full"})),
        ("stale_tests", "stale-tests", json!({"ref": "HEAD~1"})),
        ("tree", "tree", json!({})),
        ("tree_of_one_level", "tree", json!({"depth": 1})),
        ("tree_within_a_budget", "tree", json!({"path": "src", "max_tokens": 90})),
        ("ls", "ls", json!({})),
        ("ls_of_a_folder", "ls", json!({"path": "src"})),
        ("glob", "glob", json!({"pattern": "**/*cart*"})),
        (
            "query",
            "query",
            pipeline(&json!([
                {"op": "search", "query": "coupon", "max_results": 3},
                {"op": "filter", "path_glob": "src/**"},
                {"op": "limit", "max_results": 2},
            ])),
        ),
        (
            "query_of_contents",
            "query",
            pipeline(&json!([
                {"op": "find", "query": "price"},
                {"op": "outline"},
                {"op": "read", "line_end": 4},
            ])),
        ),
        ("query_of_paths", "query", pipeline(&json!([{"op": "filter", "language": "rust"}]))),
        (
            "bundle",
            "bundle",
            json!({"ops": [
                {"tool": "codedb_symbol", "arguments": {"name": "Coupon"}},
                {"tool": "find", "arguments": {"query": "nothing of that name"}},
                {"tool": "read", "arguments": {"path": "none.rs"}},
                {"tool": "stats"},
            ]}),
        ),
    ]
}

#[test]
fn pages_of_commands() {
    for (name, tool, args) in calls() {
        insta::assert_snapshot!(name, shown(&SHOP.page(tool, args)));
    }
}

/// Tools whose commands print text to people: they show what no table makes clearer, or have commands
/// of their own.
const WITHOUT_PAGES: [&str; 3] = ["search", "status", "snapshot"];

#[test]
fn every_command_that_reads_has_a_page() {
    let local = Local::new(&SHOP.engine, Check::Strict);
    let mut lacking: Vec<String> = Vec::new();
    for tool in tools::TOOLS {
        let has_command = tool.command_line != tools::CommandLine::None;
        if !has_command || tool.effect != tools::Effect::ReadOnly {
            continue;
        }
        for example in tool.examples {
            let args = serde_json::from_str(example).expect("an example is JSON");
            let answer = tool.run(&Call::new(&local, now_ns()), args).expect("a reply");
            lacking.extend(answer.page().is_none().then(|| tool.command()));
        }
    }
    lacking.dedup();
    assert_eq!(lacking, WITHOUT_PAGES);
}

/// A change that has everything that `check` shows.
fn risky() -> CheckData {
    let over = |name: &str, value: f64, threshold: f64, text: &str| Component {
        name: name.to_owned(),
        value,
        threshold,
        is_over: true,
        text: text.to_owned(),
    };
    let file = |path: &str, level, added, removed| FileEntry {
        path: path.to_owned(),
        change: ChangeKind::Modified,
        level,
        added,
        removed,
        trivial: None,
        is_new: false,
        not_compared: false,
        former_paths: Vec::new(),
        components: Vec::new(),
        steps: Vec::new(),
        finish: None,
        verdicts: Vec::new(),
    };
    let former = "src/basket.rs".to_owned();
    let method = Method::GitFollow;
    let cart = FileEntry {
        change: ChangeKind::Renamed,
        former_paths: vec![PathEntry { path: former, method, confidence: 0.95 }],
        components: vec![
            over("size", 412.0, 400.0, "412 changed lines"),
            over("blast_radius", 31.0, 20.0, "31 files import it, directly or through others"),
        ],
        ..file("src/cart.rs", Level::Critical, 380, 32)
    };
    let coupon = FileEntry {
        components: vec![over("incidents", 2.0, 2.0, "2 incidents in 180 days")],
        ..file("src/coupon.rs", Level::High, 12, 3)
    };
    let format =
        FileEntry { trivial: Some(Trivial::Comments), ..file("web/format.js", Level::Low, 1, 1) };
    let image = FileEntry {
        change: ChangeKind::Added,
        is_new: true,
        not_compared: true,
        ..file("web/cart.png", Level::Low, 0, 0)
    };
    let decision = decisions::Entry {
        id: "3f2a9c1d".to_owned(),
        pattern: "Use integer cents for prices".to_owned(),
        scope: "path:src/**".to_owned(),
        rationale: "Floats round.".to_owned(),
        confidence: "high",
        sources: vec!["src/price.rs:4".to_owned()],
    };
    let reviewer = |author: &str, commits| ReviewerEntry { author: author.to_owned(), commits };
    CheckData {
        level: Some(Level::Critical),
        decided_by: Decider::Model,
        confidence: Some(0.74),
        score: Some(0.61),
        reasons: vec![
            "src/cart.rs: 412 changed lines".to_owned(),
            "src/coupon.rs: it removes 1 line that 0123456789ab added".to_owned(),
        ],
        recommendations: vec!["ask somebody who knows the code for a review".to_owned()],
        unknown: vec![UnknownEntry {
            evidence: "ownership".to_owned(),
            why: "fewer than 5 commits by people changed it".to_owned(),
            files: 1,
        }],
        calibration: "not measured on this repository; `codedb eval risk` measures it".to_owned(),
        files: vec![format, cart, image, coupon],
        untested: vec!["src/cart.rs: Cart::add".to_owned()],
        untested_total: 3,
        reviewers: vec![reviewer("Ann", 12), reviewer("Ben", 1)],
        decisions: vec![
            DecisionEntry {
                decision: decision.clone(),
                contradicted_by: Some("f64".to_owned()),
                file: "src/cart.rs".to_owned(),
            },
            DecisionEntry { decision, contradicted_by: None, file: "src/coupon.rs".to_owned() },
        ],
        ..CheckData::default()
    }
}

/// Returns a check with an investigation: as a trace of its steps, or as the list of its queries.
fn investigated(is_trace: bool) -> CheckData {
    let id = "3f2a9c1d".repeat(5);
    let incident = IncidentEntry {
        source: Source::Fix,
        id: id.clone(),
        date: "2026-01-31".to_owned(),
        title: "Fix the rounding of totals".to_owned(),
        severity: None,
        confidence: 0.7,
        introduced_by: None,
        introduced_by_confidence: None,
    };
    let partner = |path: &str, share, in_change| Partner {
        path: path.to_owned(),
        share,
        commits: 5,
        in_change,
    };
    let (direct, all, tests, importers) = (2, 12, 3, Vec::new());
    let found = [
        (
            1,
            ToolCall::QueryIncidentHistory { days: 180 },
            ToolResult::Incidents(vec![
                incident.clone(),
                incident.clone(),
                incident.clone(),
                incident,
            ]),
        ),
        (
            1,
            ToolCall::QueryCochangePartners { threshold: 0.5 },
            ToolResult::Partners(vec![
                partner("src/price.rs", 0.85, true),
                partner("src/tax.rs", 0.6, false),
            ]),
        ),
        (2, ToolCall::QueryBlastRadius, ToolResult::BlastRadius { direct, all, tests, importers }),
        (2, ToolCall::QueryOwnership, ToolResult::Unavailable("the history is missing".to_owned())),
        (
            3,
            ToolCall::GetCommitPatch { commit: id.clone() },
            ToolResult::Patch {
                commit: id,
                patch: "--- a/src/cart.rs\n+++ b/src/cart.rs\n-a\n+b\n".to_owned(),
                undone_lines: 1,
            },
        ),
    ];
    let record = |(step, call, result)| CallRecord { step, call, result, elapsed_ms: 2.4 };
    let mut data = risky();
    let verdict = VerdictEntry {
        id: 7,
        level: Level::High,
        confidence: 0.7,
        reasoning: "it undoes a correction".to_owned(),
        is_right: Some(true),
    };
    let cart = &mut data.files[1];
    cart.steps = found.map(record).to_vec();
    cart.verdicts = vec![verdict];
    cart.finish = is_trace.then_some(Finish { step: 4, level: Level::Critical, confidence: 0.74 });
    data.files.swap(0, 1);
    data.files.truncate(1);
    CheckData { decisions: Vec::new(), ..data }
}

#[test]
fn investigations_are_shown_in_words() {
    for (name, is_trace) in [("check_explained", true), ("check_verbose", false)] {
        insta::assert_snapshot!(name, shown(&page_of(investigated(is_trace), None)));
        let text = Reply::render(&Analysis::of(investigated(is_trace)), &Plain);
        insta::assert_snapshot!(format!("{name}_as_text"), text);
    }
}

/// Returns the page of a reply with a message.
fn page_of(data: impl Data, message: Option<&str>) -> Page {
    let reply = Analysis { message: message.map(str::to_owned), ..Analysis::of(data) };
    Reply::page(&reply).expect("a page")
}

#[test]
fn pages_of_replies_that_the_demo_does_not_have() {
    insta::assert_snapshot!("check_of_a_risky_change", shown(&page_of(risky(), None)));
    let decisions = risky().decisions.into_iter().map(|it| it.decision).take(1).collect();
    let served = decisions::ContextData { decisions };
    insta::assert_snapshot!("decisions_for_a_file", shown(&page_of(served, None)));
    let stale = |test: &str, renamed_to: Option<&str>| StaleTest {
        test_id: format!("tests/cart_test.py::{test}"),
        path: "tests/cart_test.py".to_owned(),
        line: 4,
        function: "Cart.total_of_all".to_owned(),
        was_in: "src/cart.py".to_owned(),
        renamed_to: renamed_to.map(str::to_owned),
    };
    let stale = vec![stale("test_total", Some("Cart.total")), stale("test_a_coupon", None)];
    let stale = StaleTestsData { stale, removed_functions: 2 };
    insta::assert_snapshot!("stale_tests_that_use_what_is_gone", shown(&page_of(stale, None)));
    let project = |name: &str, files, doing: Option<&str>| Project {
        name: name.to_owned(),
        root: format!("/home/ann/{name}"),
        default: doing.is_none(),
        index: Indexed::Full,
        files,
        doing: doing.map(str::to_owned),
    };
    let projects = vec![
        project("shop", Some(412), None),
        project("web", None, Some("the symbols are built, 40 %")),
    ];
    let indexed = vec!["/home/ann/bank".to_owned()];
    let listed = projects::Listed { projects, indexed, shown: 1, total: 3, lacks: None };
    insta::assert_snapshot!("projects", shown(&listed.page().expect("a page")));
    let held = lock::Entry {
        path: "src/cart.rs".to_owned(),
        holder: "agent 1".to_owned(),
        purpose: Some("round sums before the discount".to_owned()),
        expires_in_seconds: 540,
        shard: Some("checkout".to_owned()),
    };
    let locks = |op, locks| lock::Locks { op, done: true, locks };
    insta::assert_snapshot!("locks", shown(&page_of(locks(lock::Op::List, vec![held]), None)));
    let edited = edit::EditReply {
        path: "src/price.rs".to_owned(),
        status: edit::Status::DryRun,
        hash: "8f3c".to_owned(),
        bytes: 187,
        diff: "--- a/src/price.rs\n+++ b/src/price.rs\n@@ -7,4 +7,5 @@\n impl Price {\n-\tpub fn \
               of(cents: u64) -> Price {\n+\t/// Returns a price.\n+\tpub const fn of(cents: u64) -> \
               Price {\n \t\tPrice { cents }\n \t}\n"
            .to_owned(),
        lines_left_out: 1,
    };
    insta::assert_snapshot!("edit", shown(&edited.page().expect("a page")));
    let job = |job_id, state, message: Option<&str>| jobs::Entry {
        job_id,
        kind: "index".to_owned(),
        state,
        message: message.map(str::to_owned),
        done: 300,
        total: 412,
        seconds: 9,
    };
    let reading = "reads the symbols";
    let jobs = vec![job(12, "running", Some(reading)), job(11, "done", None)];
    insta::assert_snapshot!("jobs", shown(&page_of(jobs::Jobs { jobs }, None)));
    let released = page_of(locks(lock::Op::Release, Vec::new()), None);
    insta::assert_snapshot!("lock_released", shown(&released));
}

/// Returns a page in two widths, without Unicode, and with its styles as marks, and checks that it fits
/// any width.
pub(in crate::cli) fn shown(page: &Page) -> String {
    let root = Path::new("/tree");
    let mut shown = String::new();
    for (title, width, glyphs) in
        [("80 columns", 80, UNICODE), ("40 columns", 40, UNICODE), ("ASCII", 80, ASCII)]
    {
        let text = screen(width, glyphs).text(page, &Display::at(root));
        shown += &format!("== {title}\n{text}\n");
    }
    let text = screen(80, UNICODE).text(page, &Marked(Display::at(root)));
    check_widths(page);
    let ascii = screen(80, ASCII).text(page, &Display::at(root));
    assert!(ascii.is_ascii(), "{ascii}");
    shown + &format!("== styles\n{text}")
}

/// Lays a page out for many widths; lines must fit, and words that are missing must be cut visibly.
#[track_caller]
fn check_widths(page: &Page) {
    let display = Display::at(Path::new("/tree"));
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let whole = screen(1000, UNICODE).text(page, &display);
    for width in 40..=120 {
        for glyphs in [UNICODE, ASCII] {
            let text = screen(width, glyphs).text(page, &display);
            for line in text.lines() {
                assert!(strip::width_of(line) <= width, "{width}: {line:?}\n{text}");
            }
        }
        let text = screen(width, UNICODE).text(page, &display);
        let found = squeezed(&text.to_lowercase());
        let is_there = |word: &str| found.contains(&squeezed(&word.to_lowercase()));
        let is_header = |word: &str| word.chars().all(|c| c.is_ascii_uppercase());
        let words = whole.split_whitespace().filter(|word| !is_header(word));
        let missing: Vec<&str> = words.filter(|word| !is_there(word)).collect();
        assert!(missing.is_empty() || text.contains('…'), "{width}: {missing:?}\n{text}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(60))]

    #[test]
    fn any_text_fits(texts in proptest::collection::vec("(\\PC|\\p{Cc}|[日\u{202e}👩]){0,30}", 1..12)) {
        let cell = |at: usize| {
            let text = texts[at % texts.len()].clone();
            match at % 5 {
                0 => Cell::Text(text),
                1 => Cell::Place(text, at * 7919),
                2 => Cell::Code { path: "a".into(), name: text.clone(), text },
                3 => Cell::Name(text),
                _ => Cell::Share(at as f64 / 7.0),
            }
        };
        let columns = vec![Column::cut("A"), Column::cut("B"), Column::left("C"), Column::right("D")];
        let mut table = Table::new(columns);
        let mut tree = Vec::new();
        for at in 0..texts.len() {
            table.row_with((at..at + 4).map(cell).collect::<Vec<_>>(), vec![vec![cell(at + 1)]]);
            let below = std::mem::take(&mut tree);
            tree = vec![Node { cells: vec![cell(at), cell(at + 1)], children: below }];
        }
        let code = crate::answer::page::Code { path: "a".into(), line: 9, text: texts.join("\n") };
        let blocks = vec![
            Block::Title(texts[0].clone()),
            Block::Line((0..7).map(cell).collect()),
            Block::Table(table),
            Block::Tree(tree),
            Block::Code(code),
            Block::Diff(texts.join("\n+")),
            Block::Note(texts.join(" ")),
        ];
        let page = Page { blocks };
        let display = Display::at(Path::new("/tree"));
        for width in [40, 47, 80, 200] {
            let text = screen(width, UNICODE).text(&page, &display);
            for line in text.lines() {
                proptest::prop_assert!(strip::width_of(line) <= width, "{width}: {line:?}");
            }
            proptest::prop_assert!(!text.contains(|c: char| c != '\n' && crate::base::text::is_unsafe(c)));
        }
    }
}

#[test]
fn the_locale_decides_on_unicode() {
    let check = |variables: &[(&str, &str)], expected: bool| {
        let variable = |name: &str| {
            let found = variables.iter().find(|(of, _)| *of == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(has_unicode(&variable), expected, "{variables:?}");
    };
    check(&[("LANG", "de_DE.UTF-8")], true);
    check(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")], false);
    check(&[("LC_CTYPE", "C.utf8"), ("TERM", "xterm")], true);
    check(&[("LANG", "C.UTF-8"), ("TERM", "dumb")], false);
    check(&[], cfg!(not(unix)));
}
