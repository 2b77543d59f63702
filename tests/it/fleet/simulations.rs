//! `codedb fleet simulate`, and the capacity model that docs/fleet.md shows.

use codedb::fleet::measured;
use codedb::fleet::simulate::{Setting, simulate};

use super::{fleet, json};
use crate::support::place::Place;

#[test]
fn a_simulation_is_the_same_everywhere() {
    let place = Place::new();
    let args =
        ["simulate", "--repositories", "2000", "--nodes", "5", "--lose", "2", "--seed", "46"];
    let page = fleet(&place, &args).expect_success();
    insta::assert_snapshot!("simulation", page.text());
    let json = json(&fleet(&place, &[&args[..], &["--json"]].concat()).expect_success());
    let json = serde_json::to_string_pretty(&json).expect("JSON");
    insta::assert_snapshot!("simulation_json", json);
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let place = Place::new();
    for args in [["--nodes", "0"], ["--lose", "10"], ["--hot", "2"], ["--replicas", "11"]] {
        let answer = fleet(&place, &[&["simulate"], &args[..]].concat());
        assert_eq!(answer.code, 2, "{args:?}");
        assert!(!answer.stderr.is_empty(), "{args:?}");
    }
}

/// The memory of a node of the capacity model.
const NODE_BYTES: u64 = 32 << 30;

/// Returns a row of the capacity model: the fewest nodes, at least three, on which the fullest one has its
/// shards in memory.
fn row(repositories: usize) -> String {
    let of = |nodes: usize| {
        let setting =
            Setting { repositories, nodes, replicas: 2, lose: 1, add: 0, hot: 0.3, seed: 1 };
        simulate(setting).expect("valid")
    };
    let mut nodes = 3;
    while of(nodes).stages[0].fullest.cached_bytes > NODE_BYTES {
        nodes += 1;
    }
    let found = of(nodes);
    let need = found.stages[0].fullest;
    let rebuild = found.stages.last().map_or(0.0, |stage| stage.indexing_s) / 60.0;
    let first = measured::indexing_s(need.repositories, need.text_bytes) / 60.0;
    let gb = |bytes: u64| format!("{:.1} GB", bytes as f64 / 1e9);
    format!(
        "| {repositories} | {} | {nodes} | {} | {} | {} | {} | {first:.0} min | {rebuild:.0} min |",
        gb(found.text_bytes),
        need.shards,
        gb(need.disk_bytes),
        gb(need.memory_bytes),
        gb(need.cached_bytes),
    )
}

#[test]
fn the_page_has_the_capacity_model() {
    let rows: Vec<String> = [1_000, 10_000, 100_000].map(row).to_vec();
    super::deployment::check_rows("docs/fleet.md", &rows.join("\n"));
}
