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
use crate::answer::page::{Block, Cell, Column, Node, Table};
use crate::answer::style::Part;
use crate::base::time;
use crate::engine::{self, Check, Engine, Local, Progress};
use crate::index::store::Store;
use crate::source::stamp::RACY_WINDOW;
use crate::source::walk::Environment;
use crate::tools::{self, Call};

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
        ("explain", "explain", json!({"name": "Coupon::discounted"})),
        ("changes", "changes", json!({"since": "HEAD~1"})),
        ("word", "word", json!({"word": "discounted"})),
        ("deps", "deps", json!({"path": "src/price.rs", "transitive": true})),
        ("deps_on", "deps", json!({"path": "src/cart.rs", "direction": "depends_on"})),
        ("find", "find", json!({"query": "cart"})),
        ("outline", "outline", json!({"path": "src/cart.rs"})),
        ("triage", "triage", json!({"top_n": 2})),
        ("stats", "stats", json!({})),
    ]
}

#[test]
fn pages_of_commands() {
    for (name, tool, args) in calls() {
        let page = SHOP.page(tool, args);
        let display = Display::at(SHOP.engine.root());
        let mut shown = String::new();
        for (title, width, glyphs) in
            [("80 columns", 80, UNICODE), ("40 columns", 40, UNICODE), ("ASCII", 80, ASCII)]
        {
            shown += &format!("== {title}\n{}\n", screen(width, glyphs).text(&page, &display));
        }
        let marked = Marked(Display::at(SHOP.engine.root()));
        shown += &format!("== styles\n{}", screen(80, UNICODE).text(&page, &marked));
        insta::assert_snapshot!(name, shown);
    }
}

#[test]
fn no_line_is_wider_and_what_is_cut_shows_it() {
    for (name, tool, args) in calls() {
        let page = SHOP.page(tool, args);
        check_widths(name, &page);
    }
}

/// Lays a page out for many widths; lines must fit, and words that are missing must be cut visibly.
#[track_caller]
fn check_widths(name: &str, page: &Page) {
    let display = Display::at(Path::new("/tree"));
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    let whole = screen(1000, UNICODE).text(page, &display);
    for width in 40..=120 {
        for glyphs in [UNICODE, ASCII] {
            let text = screen(width, glyphs).text(page, &display);
            for line in text.lines() {
                assert!(strip::width_of(line) <= width, "{name}, {width}: {line:?}\n{text}");
            }
        }
        let text = screen(width, UNICODE).text(page, &display);
        let found = squeezed(&text.to_lowercase());
        let is_there = |word: &str| found.contains(&squeezed(&word.to_lowercase()));
        let is_header = |word: &str| word.chars().all(|c| c.is_ascii_uppercase());
        let words = whole.split_whitespace().filter(|word| !is_header(word));
        let missing: Vec<&str> = words.filter(|word| !is_there(word)).collect();
        assert!(missing.is_empty() || text.contains('…'), "{name}, {width}: {missing:?}\n{text}");
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
