//! The inputs of the report (waivers, thresholds, callgrind's file, the handshake) and its output.

use std::fs;

use super::gate::callgrind::total;
use super::gate::history::{self, Line};
use super::gate::judge::{Measured, Recorded, Rules, judge};
use super::gate::protocol::{Answer, answer, hello};
use super::gate::report::{Report, Subject, grouped};
use super::gate::thresholds::Thresholds;
use super::gate::{page, waivers};
use super::{DEFAULT, both, run, wall};

#[test]
fn waivers_are_read_strictly() {
    let text = "Search ranks by recency\n\nbench-waive: tool/search/rare: it ranks now: worth it\n\
        bench-waive:corpus: newer sources\nbench-waive: tool/search/rare: it ranks now: worth it\n\
        It needs no bench-waive here.\n";
    let (read, problems) = waivers::parse(text);
    let read: Vec<_> = read.iter().map(|it| (&*it.case, &*it.reason)).collect();
    assert_eq!(read, [("tool/search/rare", "it ranks now: worth it"), ("corpus", "newer sources")]);
    assert!(problems.is_empty(), "{problems:?}");
    for wrong in [
        "bench-waive: tool/search/rare",
        "bench-waive: tool/search/rare:",
        "bench-waive: tool/search/rare:  ",
        "bench-waive: tool/search/*: all of them",
        "bench-waive: : nothing",
        " bench-waive: tool/search/rare: indented",
        "- bench-waive: tool/search/rare: in a list",
        "Bench-Waive: tool/search/rare: as git writes trailers",
        "bench-waiver: tool/search/rare: another word",
    ] {
        let (read, problems) = waivers::parse(wrong);
        assert!(read.is_empty(), "{wrong}");
        assert_eq!(problems.len(), 1, "{wrong}");
    }
}

#[test]
fn incomplete_thresholds_are_refused() {
    let thresholds = Thresholds::parse(DEFAULT).expect("it is correct");
    assert_eq!(thresholds.of("tight").instructions, 0.01);
    assert_eq!(thresholds.of("tight").wall, thresholds.of("search").wall);
    assert_eq!(thresholds.of("search").wall_floor_ns, 50_000.0);
    for wrong in [
        String::new(),
        "[default]\nwall_percent = 10\n".to_owned(),
        DEFAULT.replace("wall_percent = 10", "wall_percent = -1"),
        DEFAULT.replace("wall_percent = 10", "wall_percent = nan"),
        DEFAULT.replace("wall_percent", "walls_percent"),
        DEFAULT.replace("[tool.tight]", "[tools.tight]"),
    ] {
        assert!(Thresholds::parse(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_thresholds_of_the_repository_are_valid() {
    let text = include_str!("../../../benches/thresholds.toml");
    let limits = Thresholds::parse(text).expect("it is correct").of("no such tool");
    assert_eq!((limits.instructions, limits.wall), (0.05, 0.10));
    assert_eq!((limits.wall_floor_ns, limits.wall_from_ns), (50e3, 1e6));
}

#[test]
fn counts_are_parsed_from_callgrinds_file() {
    let file = "# callgrind format\nversion: 1\npart: 1\nevents: Ir\nfn=(1) main\n5 400\n\
        summary: 400\n\npart: 2\nevents: Ir\nsummary: 23\ntotals: 9\n";
    assert_eq!(total(file), Ok(423));
    assert_eq!(total("events: Ir Bc\ntotals: 77 12\n"), Ok(77));
    for wrong in [
        "",
        "events: Ir\n",
        "events: Ir\ntotals: 0\n",
        "events: Ir\ntotals: x\n",
        "events: Dr\ntotals: 5\n",
    ] {
        assert!(total(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_handshake_and_answers_are_validated() {
    let reported = hello(
        r#"{"protocol":1,"corpus":"c","cases":[{"name":"tool/search/rare","tool":"search","reply":"r"},
            {"name":"cli/search","tool":"","reply":"r","countable":false,"error":null}]}"#,
    )
    .expect("it is correct");
    let cases: Vec<_> = reported.cases.iter().map(|it| (&*it.tool, it.countable)).collect();
    assert_eq!(cases, [("search", true), ("cli", false)]);
    for wrong in [
        "",
        "hello",
        r#"{"protocol":2,"corpus":"c","cases":[]}"#,
        r#"{"protocol":1,"corpus":"c","cases":[{"name":"a|b","tool":"t","reply":"r"}]}"#,
        r#"{"protocol":1,"corpus":"c","cases":[{"name":"a","tool":"t","reply":"r"},
            {"name":"a","tool":"t","reply":"r"}]}"#,
    ] {
        assert!(hello(wrong).is_err(), "{wrong}");
    }
    assert!(
        matches!(answer(r#"{"nanoseconds":12}"#), Ok(Answer::Nanoseconds(time)) if time == 12.0)
    );
    assert!(matches!(answer(r#"{"error":"no index"}"#), Ok(Answer::Error(_))));
    for wrong in [
        "",
        "12",
        "{}",
        r#"{"nanoseconds":-1}"#,
        r#"{"nanoseconds":NaN}"#,
        r#"{"nanoseconds":1e999}"#,
    ] {
        assert!(answer(wrong).is_err(), "{wrong}");
    }
}

fn report(recorded: Vec<Recorded>, messages: &str) -> Report {
    let thresholds = Thresholds::parse(DEFAULT).expect("it is correct");
    let (waivers, remarks) = waivers::parse(messages);
    let rules = Rules { thresholds: &thresholds, waivers: &waivers, same_corpus: true };
    let subject = |name: &str| Subject {
        commit: Some(format!("{name}-commit")),
        committed: Some("2026-11-22T18:00:00+00:00".to_owned()),
        corpus: Some("c0ffee".to_owned()),
        ..Subject::new(name.to_owned())
    };
    let mut report = Report {
        base: subject("base"),
        head: subject("head"),
        profile: "small".to_owned(),
        valgrind: Some("valgrind-3".to_owned()),
        rows: judge(recorded, &rules),
        faults: Vec::new(),
        remarks,
    };
    report.remark_on(&rules);
    report
}

#[test]
fn the_table_has_the_documented_columns() {
    let slow = both(vec![run(wall(20e6, 1.15), 1000, 1150), run(wall(20e6, 1.15), 1000, 1150)]);
    let uncounted = Recorded {
        name: "tool/tight/short".to_owned(),
        tool: "tight".to_owned(),
        ..both(vec![Measured { wall: Ok(wall(1234.0, 0.9)), counts: None }])
    };
    let report = report(vec![uncounted, slow], "bench-waive: tool/none/x: why\nbench-waive: y");
    assert!(report.fails());
    let markdown = report.markdown();
    let table: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(
        table,
        [
            "| Tool | Base (ns) | Head (ns) | Delta | Abs Delta (ns) | Instructions | Status |",
            "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
            "| tool/search/rare | 20,000,000 | 23,000,000 | +15.0% (+13.8% … +16.1%) | 3,000,000 \
             | +15.0% | **FAIL** |",
            "| tool/tight/short | 1,234 | 1,111 | -10.0% (-10.9% … -9.1%) | -123 | – | OK (not gated) |",
        ]
    );
    assert!(markdown.starts_with("## Benchmarks: 1 of 2 cases fails\n"));
    assert!(markdown.contains("The waiver of `tool/none/x` matches no case."));
    assert!(markdown.contains("waives nothing"));
    let annotations = report.annotations();
    assert!(annotations.starts_with(
        "::error title=tool/search/rare::FAIL: instructions +15.0 %25, over +5.0 %25; wall time"
    ));
    assert_eq!(annotations.matches("::warning ").count(), 2);
}

#[test]
fn untrusted_text_is_escaped_in_the_report() {
    let slow = both(vec![run(wall(20e6, 1.5), 1000, 1500), run(wall(20e6, 1.5), 1000, 1500)]);
    let reason = "bench-waive: tool/search/rare: @all <img src=x> | [a](b) ![c](d) `\u{1b}[0m";
    let report = report(vec![slow], reason);
    let markdown = report.markdown();
    let note = markdown.lines().last().expect("there is a note");
    for harmful in ["@all", "<img", " | ", "[a]", "![", "\u{1b}"] {
        assert!(!note.contains(harmful), "{harmful}: {note}");
    }
    // The waiver, and a remark about thresholds for a missing tool.
    assert_eq!(report.annotations().lines().count(), 2);
}

#[test]
fn a_long_report_keeps_the_failures() {
    let of = |at: usize, head: u64| Recorded {
        name: format!("tool/search/{at:04}"),
        ..both(vec![run(wall(20e6, 1.0), 1000, head), run(wall(20e6, 1.0), 1000, head)])
    };
    let many = (0..2000).map(|at| of(at, if at == 1500 { 2000 } else { 1000 })).collect();
    let report = report(many, "");
    let markdown = report.markdown();
    assert!(markdown.len() <= 60_000, "{}", markdown.len());
    assert!(markdown.contains("| tool/search/1500 |"));
    assert!(markdown.contains("1999 cases that are OK are left out"));
    let cases = report.json()["cases"].as_array().map(Vec::len);
    assert_eq!(cases, Some(2000));
}

#[test]
fn the_history_gains_a_line_and_is_plotted() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = folder.path().join("history.jsonl");
    for head in [1000, 1100] {
        let recorded = both(vec![run(wall(20e6, 1.0), 1000, head)]);
        history::append(&report(vec![recorded], ""), &file).expect("it is written");
    }
    let text = fs::read_to_string(&file).expect("it exists");
    let (lines, broken) = history::parse(&format!("{text}cut off"));
    assert_eq!((lines.len(), broken), (2, 1));
    let point = &lines[1].cases["tool/search/rare"];
    assert_eq!((point.instructions, point.nanoseconds), (Some(1100), Some(20e6)));

    let drawn = folder.path().join("index.html");
    page::write(&file, &drawn).expect("it is drawn");
    let html = fs::read_to_string(&drawn).expect("it exists");
    assert!(html.contains("<h2>search</h2>"));
    assert_eq!(html.matches("<svg").count(), 2, "instructions and wall time");
    assert_eq!(html.matches("<polyline").count(), 2);
    assert!(!html.contains("<script"));

    // A different corpus starts a new history.
    let other = Line { corpus: "other".to_owned(), ..lines[0].clone() };
    let html = page::html(&[lines[0].clone(), lines[1].clone(), other], 0).expect("it has runs");
    assert!(html.contains("2 runs that are older or had another corpus"));
    assert_eq!(html.matches("<circle").count(), 2, "one point is no line");
    assert_eq!(page::html(&[], 0), None);
}

#[test]
fn digits_are_grouped_in_threes() {
    let written = [0.0, 7.4, 999.6, 12_345.0, -1_234_567.0, -0.2].map(grouped);
    assert_eq!(written, ["0", "7", "1,000", "12,345", "-1,234,567", "0"]);
}
