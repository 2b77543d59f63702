//! `codedb fleet plan`.

use std::collections::BTreeMap;

use super::{configure, fleet, json, nodes};
use crate::support::place::Place;
use crate::support::process;

fn listed(place: &Place, count: usize) {
    let names = (0..count).map(|at| format!("https://git.example.org/team/service-{at:03}.git\n"));
    place.write("list", format!("# all\n{}", names.collect::<String>()));
}

#[test]
fn a_fourth_node_moves_a_quarter() {
    let place = Place::new();
    configure(&place, &nodes(&place, &["a", "b", "c"], 2));
    listed(&place, 1000);
    let plan = json(
        &fleet(&place, &["plan", "--offline", "list", "--with", "d", "--json"]).expect_success(),
    );
    let share = plan["moved_share"].as_f64().expect("a share");
    assert!((0.8 / 4.0..=1.2 / 4.0).contains(&share), "{share}");
    assert_eq!((&plan["repositories"], &plan["copies"]), (&1000.into(), &2000.into()));
    // Every copy that is indexed is one on the new node, and replaces one on another.
    let mut steps: BTreeMap<(String, String), usize> = BTreeMap::new();
    for step in plan["items"].as_array().expect("steps") {
        let text = |key: &str| step[key].as_str().expect("text").to_owned();
        *steps.entry((text("action"), text("node"))).or_default() += 1;
    }
    let indexed: Vec<_> = steps.iter().filter(|((action, _), _)| action == "index").collect();
    assert_eq!(indexed.len(), 1, "{steps:?}");
    assert_eq!(Some(*indexed[0].1 as u64), plan["moved_copies"].as_u64());
    let dropped: usize = steps.values().sum::<usize>() - indexed[0].1;
    assert_eq!(dropped, *indexed[0].1);
}

#[test]
fn a_plan_for_people() {
    let place = Place::new();
    configure(&place, &nodes(&place, &["a", "b", "c"], 2));
    listed(&place, 40);
    let page = fleet(&place, &["plan", "--offline", "list", "--without", "b", "--with", "d=2"])
        .expect_success();
    insta::assert_snapshot!("plan", page.text());
    let all =
        fleet(&place, &["plan", "--offline", "list", "--without", "b", "--with", "d=2", "--all"]);
    let json = json(&fleet(
        &place,
        &["plan", "--offline", "list", "--without", "b", "--with=d=2", "--json"],
    ));
    let steps = json["items"].as_array().expect("steps");
    assert!(steps.len() > 20);
    let names = |name: &str| all.text().lines().filter(|line| line.contains(name)).count();
    assert_eq!(names("git.example.org/team/service-"), steps.len());
}

#[test]
fn nothing_moves_without_a_change() {
    let place = Place::new();
    configure(&place, &nodes(&place, &["a", "b", "c"], 3));
    let mut command = place.command(env!("CARGO_BIN_EXE_codedb"));
    command.args(["fleet", "plan", "--offline", "--json", "-"]);
    let (output, _) = process::output(command, Some(b"x\ny # twice\ny\n"));
    let plan: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&plan["repositories"], &plan["moved_copies"]), (&2.into(), &0.into()));
    assert_eq!(plan["items"], serde_json::json!([]));
}

#[test]
fn nodes_that_do_not_fit_are_refused() {
    let place = Place::new();
    configure(&place, &nodes(&place, &["a", "b"], 2));
    listed(&place, 1);
    for (args, expected) in [
        (&["--without", "x"][..], "no node is named `x`"),
        (&["--with", "a"], "a node is named `a` already"),
        (&["--with", "d=0"], "a weight from 1 to 1000"),
        (&["--with", "d e"], "a weight from 1 to 1000"),
        (&["--without", "a", "--without", "b"], "no node would be left"),
    ] {
        let answer = fleet(&place, &[&["plan", "list"], args].concat());
        assert_eq!(answer.code, 2, "{args:?}");
        assert!(answer.stderr.contains(expected), "{args:?}: {}", answer.stderr);
    }
    // Nobody listens on this port.
    configure(&place, &nodes(&place, &["a"], 1).replace(":6070", ":9"));
    let down = fleet(&place, &["plan", "list"]);
    assert!(down.code == 2 && down.stderr.contains("no node answers: node `a`"), "{}", down.stderr);
    assert!(down.stderr.contains("`--offline` computes"), "{}", down.stderr);
    let missing = fleet(&place, &["plan", "nothing"]);
    assert!(missing.code == 2 && missing.stderr.contains("nothing: "), "{}", missing.stderr);
}
