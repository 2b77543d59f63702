//! Each cause of a failure, on rankings that are made for it.

use codedb::base::ids::FileId;
use codedb::catalog::Catalog;
use codedb::catalog::code::Code as _;
use codedb::context::ranking::RankedFile;
use codedb::context::task::Task;
use codedb::engine::{self, Check, Engine, Local, Progress};
use codedb::eval::baselines::WordCache;
use codedb::eval::causes::{Cause, Failure, Ranking};
use codedb::index::store::Store;
use codedb::rank::{Evidence, Signal, Weights};
use codedb::source::walk::Environment;
use serde_json::Value;

use super::{eval, git, shop};
use crate::support::place::Place;

fn tree() -> Place {
    let place = Place::new();
    for at in 0..9 {
        place.write(format!("other/o{at}.py"), format!("def other_{at}():\n    return {at}\n"));
    }
    for (path, text) in [
        ("sales/total.py", "def total_price(discount):\n    return discount\n"),
        ("tests/test_total.py", "def test_it():\n    pass  # discount\n"),
        ("pkg/__init__.py", "x = 1  # discount\n"),
        ("pkg/sub/deep.py", "x = 1  # price\n"),
        ("web/all.js", "export { price } from './price.js';\n"),
        ("zeta.py", "x = 1\n"),
    ] {
        place.write(path, text);
    }
    place
}

/// Returns the failure of a file with this evidence, below six files with more text and an exact path.
fn failure(
    catalog: &Catalog,
    words: &mut WordCache,
    text: &str,
    path: &str,
    evidence: &[(Signal, f32, Option<&str>)],
) -> Failure {
    let file = |path: &str| catalog.find(path.as_bytes()).expect("a file of the tree");
    let ranked = |file: FileId, score, signals: &[(Signal, f32, Option<&str>)]| {
        let mut evidence = Evidence::default();
        signals.iter().for_each(|(signal, value, about)| evidence.add(*signal, *value, *about));
        RankedFile { file, score, unreduced: score, evidence }
    };
    let weights = Weights::DEFAULT;
    let task = Task::new(text);
    let above = [(Signal::Text, 1.0, None), (Signal::Path, 0.6, None)];
    // Between the reduced and the full score of a test with all of the text.
    let score = 0.7 * weights.for_task(task.kind(), task.words()).signals[Signal::Text as usize];
    let mut all: Vec<RankedFile> =
        (0..6).map(|at| ranked(file(&format!("other/o{at}.py")), score, &above)).collect();
    if !evidence.is_empty() {
        all.push(ranked(file(path), 0.1 * score, evidence));
    }
    let ranking = Ranking { catalog, text, task: &task, ranked: &all, weights: &weights };
    ranking.failures(&[file(path)], words).expect("a failure").remove(0)
}

#[test]
fn each_cause_has_its_case() {
    use Signal::{Defines, Folder, Text};

    let place = tree();
    let environment = Environment { global_excludes: None, threads: 2 };
    let store = Store::new(place.base().join("store"), false);
    let engine = Engine::new(place.root(), store, environment);
    engine::refresh(&engine, &Progress::default()).expect("a search index");
    engine::build_code(&engine, true, &Progress::default()).expect("a code index");
    let local = Local::new(&engine, Check::Strict);
    let catalog = local.catalog(&[]).expect("a catalog");
    let mut words = WordCache::default();
    let total = "sales/total.py";
    for (text, path, evidence, cause, detail) in [
        ("total_price loses money", total, vec![], Cause::Unrecognised, "it defines `total_price`"),
        ("totalprice loses money", total, vec![], Cause::Unrecognised, "it defines `total_price`"),
        ("deep: a price", "pkg/sub/deep.py", vec![], Cause::Unrecognised, "`deep` is a part"),
        ("pkg.sub: a price", "pkg/sub/deep.py", vec![], Cause::Unrecognised, "`pkg.sub` is a part"),
        ("fix stuff", "zeta.py", vec![], Cause::SaysNothing, ""),
        ("discount of a price", "zeta.py", vec![], Cause::NoLink, ""),
        (
            "discount of a price",
            "tests/test_total.py",
            vec![(Text, 1.0, None)],
            Cause::Kind,
            "test, 1 without its factor",
        ),
        (
            "discount of a price",
            "pkg/__init__.py",
            vec![(Text, 0.1, None)],
            Cause::Module,
            "`__init__.py` stands for its directory",
        ),
        (
            "discount of a price",
            "web/all.js",
            vec![(Text, 0.1, None)],
            Cause::Module,
            "it re-exports",
        ),
        (
            "sub: discount of a price",
            "pkg/sub/deep.py",
            vec![(Folder, 0.1, Some("sub"))],
            Cause::Module,
            "its directory is named: `sub`",
        ),
        (
            "total_price has a discount",
            total,
            vec![(Defines, 0.1, None)],
            Cause::Outranked,
            "above: text, path",
        ),
        ("discount of a price", total, vec![], Cause::Outranked, "no signal; above: text, path"),
    ] {
        let failure = failure(catalog, &mut words, text, path, &evidence);
        assert!(
            failure.cause == cause && failure.detail.starts_with(detail),
            "{text}, {path}: {failure:?}"
        );
        assert_eq!(failure.rank, (!evidence.is_empty()).then_some(6));
    }
}

#[test]
fn localize_counts_failures_by_cause_and_lists_them() {
    let place = shop();
    place.write("shop/money.py", "def round_cents(price):\n    return round(price, 4)\n");
    git(&place, 9, &["add", "."]);
    let subject =
        "Whatever somebody wanted yesterday evening, quickly and without further explanations";
    git(&place, 9, &["commit", "-q", "-m", subject]);
    let args = ["localize", "--no-baselines", "--budgets", "500"];
    let text = eval(&place, &[&args[..], &["--verbose"]].concat()).expect_success().text();
    assert!(text.contains("| message says nothing | 1 | 100 % |"), "{text}");
    let line = text.lines().find(|line| line.contains("says nothing  first:")).expect("a line");
    // The title is cut at 60 characters.
    assert!(
        line.contains(
            "  Whatever somebody wanted yesterday evening, quickly and with…  shop/money.py ("
        ),
        "{line}"
    );
    let json = eval(&place, &[&args[..], &["--json"]].concat()).expect_success().text();
    let last: Value = serde_json::from_str(json.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last, serde_json::json!({ "causes": { "message says nothing": 1 } }));
}
