//! The regression report (benches/regression): its arithmetic on recorded estimates.
//!
//! `drivers` tests misbehaving executables, `revisions` the path from commits to a report, `texts`
//! the parsers and the output.

#[path = "../../benches/regression/gate.rs"]
pub(crate) mod gate;

#[cfg(unix)]
mod drivers;
mod revisions;
mod texts;

use gate::judge::{Counts, Measured, Recorded, Row, Rules, Status, judge};
use gate::measure::{Fault, Side, Wall};
use gate::stats::{Interval, interval, median};
use gate::thresholds::Thresholds;
use gate::waivers;

/// Limits: five per cent of instructions; ten per cent and 50 µs for calls from a millisecond on.
const DEFAULT: &str = "[default]\ninstructions_percent = 5\nwall_percent = 10\nwall_floor_us = 50\n\
    wall_from_us = 1000\n[tool.tight]\ninstructions_percent = 1\n";

/// A wall time of `base_ns` that changes by `ratio`, with an interval of one per cent.
fn wall(base_ns: f64, ratio: f64) -> Wall {
    Wall {
        base_ns,
        head_ns: base_ns * ratio,
        ratio,
        low: ratio * 0.99,
        high: ratio * 1.01,
        pairs: 32,
        iterations: 1,
    }
}

fn run(wall: Wall, base: u64, head: u64) -> Measured {
    let counts = Counts { base: Some(Ok(base)), head: Some(Ok(head)) };
    Measured { wall: Ok(wall), counts: Some(counts) }
}

/// A case with the same reply on both sides.
fn both(runs: Vec<Measured>) -> Recorded {
    Recorded {
        name: "tool/search/rare".to_owned(),
        tool: "search".to_owned(),
        base_reply: Some("same".to_owned()),
        head_reply: Some("same".to_owned()),
        countable: true,
        lost_count: false,
        runs,
    }
}

fn row(recorded: Recorded, same_corpus: bool, messages: &str) -> Row {
    let (waivers, problems) = waivers::parse(messages);
    assert!(problems.is_empty(), "{problems:?}");
    let thresholds = Thresholds::parse(DEFAULT).expect("the thresholds are valid");
    let rules = Rules { thresholds: &thresholds, waivers: &waivers, same_corpus };
    judge(vec![recorded], &rules).remove(0)
}

#[track_caller]
fn check(recorded: Recorded, expected: Status) -> Row {
    let row = row(recorded, true, "");
    assert_eq!(row.status, expected, "{:?}", row.notes);
    row
}

#[test]
fn instructions_gate_every_case() {
    let short = wall(20_000.0, 1.0);
    check(both(vec![run(short.clone(), 1000, 1050)]), Status::Ok);
    check(both(vec![run(short.clone(), 1000, 900)]), Status::Ok);
    let twice = vec![run(short.clone(), 1000, 1051), run(short.clone(), 1000, 1051)];
    let row = check(both(twice), Status::Fail);
    assert_eq!(row.notes, ["instructions +5.1 %, over +5.0 %"]);
    let once = vec![run(short.clone(), 1000, 1051), run(short, 1000, 1050)];
    let row = check(both(once), Status::Noise);
    assert_eq!(row.notes, ["instructions +5.1 %, over +5.0 %, in the first run alone"]);
}

#[test]
fn a_tool_can_have_its_own_thresholds() {
    let runs = vec![run(wall(2e6, 1.0), 1000, 1020), run(wall(2e6, 1.0), 1000, 1020)];
    check(both(runs.clone()), Status::Ok);
    check(Recorded { tool: "tight".to_owned(), ..both(runs) }, Status::Fail);
}

#[test]
fn wall_time_gates_calls_of_a_millisecond() {
    let of = |wall: Wall| both(vec![run(wall.clone(), 1000, 1000), run(wall, 1000, 1000)]);
    check(of(wall(20e6, 1.10)), Status::Ok);
    check(of(wall(20e6, 1.15)), Status::Fail);
    check(of(wall(20e6, 0.5)), Status::Ok);
    // The interval includes the threshold.
    let row = check(of(Wall { low: 1.09, ..wall(20e6, 1.15) }), Status::Noise);
    assert!(row.notes[0].ends_with("but it may be +9.0 % (99.9 % confidence)"), "{:?}", row.notes);
    check(of(Wall { low: 1.10, ..wall(20e6, 1.15) }), Status::Noise);
    check(of(Wall { low: 1.101, ..wall(20e6, 1.15) }), Status::Fail);
    // Too few pairs for an interval: a case that is over in both runs fails.
    let slow = Wall { low: 0.0, high: f64::INFINITY, ..wall(20e9, 3.0) };
    let row = check(of(slow.clone()), Status::Fail);
    assert!(row.notes[0].ends_with("with too few calls for an interval"), "{:?}", row.notes);
    check(both(vec![run(slow, 1000, 1000), run(wall(20e9, 1.0), 1000, 1000)]), Status::Noise);
}

#[test]
fn small_differences_and_short_calls_are_noise_to_wall_time() {
    let of = |wall: Wall| both(vec![run(wall.clone(), 1000, 1000), run(wall, 1000, 1000)]);
    // Calls of a millisecond on either side are gated.
    check(of(wall(1e6, 1.2)), Status::Fail);
    check(of(wall(800e3, 1.3)), Status::Fail);
    let row = check(of(wall(800e3, 1.2)), Status::Noise);
    assert_eq!(row.notes, ["wall time +20.0 %, over +10.0 %, which only informs under 1000 µs"]);
    let thresholds = DEFAULT.replace("wall_floor_us = 50", "wall_floor_us = 300");
    let thresholds = Thresholds::parse(&thresholds).expect("the thresholds are valid");
    let limits = thresholds.of("search");
    let noise = gate::judge::wall(&wall(1e6, 1.25), &limits);
    assert!(matches!(noise, gate::judge::Verdict::Noise(why) if why.ends_with("less than 300 µs")));
    let over = gate::judge::wall(&wall(1e6, 1.31), &limits);
    assert!(matches!(over, gate::judge::Verdict::Over(_)));
}

#[test]
fn a_gate_must_fail_twice_by_itself() {
    // Instructions in the first run, wall time in the second: neither failed twice.
    let runs = vec![run(wall(20e6, 1.0), 1000, 1100), run(wall(20e6, 1.3), 1000, 1000)];
    let row = check(both(runs), Status::Noise);
    assert_eq!(row.notes.len(), 3, "{:?}", row.notes);
    assert!(row.notes[0].ends_with("in the first run alone"));
    assert!(row.notes[1].ends_with("in the second run alone"));
    assert_eq!(row.notes[2], "two counts of the head alone differ by -9.1 %");
}

#[test]
fn without_instructions_the_status_shows_the_gates() {
    let uncounted = |wall: Wall| both(vec![Measured { wall: Ok(wall), counts: None }]);
    let gated = check(uncounted(wall(20e6, 1.0)), Status::Ok).gated.expect("it was compared");
    assert_eq!((gated.instructions, gated.wall), (false, true));
    let gated = check(uncounted(wall(20e3, 1.0)), Status::Ok).gated.expect("it was compared");
    assert_eq!((gated.instructions, gated.wall), (false, false));
}

#[test]
fn a_removed_gate_does_not_pass() {
    let uncounted = vec![Measured { wall: Ok(wall(20e3, 1.0)), counts: None }];
    let lost = Recorded { countable: false, lost_count: true, ..both(uncounted) };
    let row = check(lost, Status::Incomparable);
    assert_eq!(row.notes, ["its instructions cannot be counted on the head any more"]);
}

#[test]
fn missing_numbers_never_pass() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let of = |wall: Wall| both(vec![run(wall, 1000, 1000)]);
        check(of(wall(bad, 1.0)), Status::Incomparable);
        check(of(Wall { head_ns: bad, ..wall(1e6, 1.0) }), Status::Incomparable);
        check(of(Wall { ratio: bad, ..wall(1e6, 1.0) }), Status::Incomparable);
    }
    check(both(vec![run(wall(1e6, 1.0), 0, 1000)]), Status::Incomparable);
    check(both(vec![run(wall(1e6, 1.0), 1000, 0)]), Status::Incomparable);
    check(both(vec![run(wall(1e6, 1.0), 0, 0)]), Status::Incomparable);
    let half = Counts { base: Some(Ok(1000)), head: None };
    let run = Measured { wall: Ok(wall(1e6, 1.0)), counts: Some(half) };
    check(both(vec![run]), Status::Incomparable);
    check(both(Vec::new()), Status::Incomparable);
}

#[test]
fn new_and_removed_cases_have_their_status() {
    let alone = |base_ns, head_ns| Wall { base_ns, head_ns, pairs: 0, ..wall(f64::NAN, f64::NAN) };
    let measured = |wall| vec![Measured { wall: Ok(wall), counts: None }];
    let new = Recorded { base_reply: None, ..both(measured(alone(f64::NAN, 1e6))) };
    check(new, Status::New);
    let removed = Recorded { head_reply: None, ..both(measured(alone(1e6, f64::NAN))) };
    check(removed.clone(), Status::Removed);
    let row = row(removed, true, "bench-waive: tool/search/rare: merged into tool/search/common");
    assert_eq!((row.status, row.unwaived), (Status::Waived, Status::Removed));
}

#[test]
fn other_replies_and_another_corpus_are_incomparable() {
    let fine = || both(vec![run(wall(20e6, 1.0), 1000, 1000)]);
    let other = Recorded { head_reply: Some("other".to_owned()), ..fine() };
    let reported = check(other.clone(), Status::Incomparable);
    assert_eq!(reported.notes, ["the head answers something else than the base"]);
    assert!(reported.shown().is_some_and(|run| run.wall.is_ok()), "it is timed and shown");
    let waived = row(other.clone(), true, "bench-waive: tool/search/rare: it found too little");
    assert_eq!(waived.status, Status::Waived);
    assert_eq!(waived.notes[1], "INCOMPARABLE is waived: it found too little");

    assert_eq!(row(fine(), false, "").status, Status::Incomparable);
    assert_eq!(row(fine(), false, "bench-waive: corpus: newer").status, Status::Waived);
    // The waiver of the corpus applies only to a changed corpus.
    assert_eq!(row(other, true, "bench-waive: corpus: newer").status, Status::Incomparable);
    let slow = || both(vec![run(wall(20e6, 1.5), 1000, 1500), run(wall(20e6, 1.5), 1000, 1500)]);
    assert_eq!(row(slow(), true, "bench-waive: corpus: newer").status, Status::Fail);
}

#[test]
fn a_waiver_covers_one_failing_case() {
    let slow = || both(vec![run(wall(20e6, 1.5), 1000, 1500), run(wall(20e6, 1.5), 1000, 1500)]);
    let waived =
        row(slow(), true, "Rank by recency\n\nbench-waive: tool/search/rare: it ranks now");
    assert_eq!((waived.status, waived.unwaived), (Status::Waived, Status::Fail));
    assert!(!waived.status.fails());
    let other = row(slow(), true, "bench-waive: tool/search/common: it ranks now");
    assert_eq!(other.status, Status::Fail);
    let fine = both(vec![run(wall(20e6, 1.0), 1000, 1000)]);
    assert_eq!(row(fine, true, "bench-waive: tool/search/rare: as it may be").status, Status::Ok);
}

#[test]
fn an_executable_that_fails_never_passes() {
    let fault = |side| Measured {
        wall: Err(Fault { side, what: "it ended (signal: 11)".to_owned() }),
        counts: None,
    };
    let head = check(both(vec![fault(Side::Head)]), Status::Fail);
    assert_eq!(head.notes, ["the head's executable failed: it ended (signal: 11)"]);
    check(both(vec![fault(Side::Base)]), Status::Incomparable);
    let fine = || run(wall(20e6, 1.0), 1000, 1000);
    check(both(vec![fine(), fault(Side::Head)]), Status::Fail);
    let new = Recorded { base_reply: None, ..both(vec![fault(Side::Head)]) };
    check(new, Status::Fail);
    let counted = |base, head| {
        let counts = Counts { base: Some(base), head: Some(head) };
        both(vec![Measured { wall: Ok(wall(20e6, 1.0)), counts: Some(counts) }])
    };
    let failed = || Err("under callgrind it ended (signal: 4)".to_owned());
    check(counted(Ok(1000), failed()), Status::Fail);
    check(counted(failed(), Ok(1000)), Status::Incomparable);
}

#[test]
fn ratios_are_printed_in_per_cent() {
    let written =
        [1.0, 0.9999, 1.0001, 1.0555, 0.5, 3.0, f64::INFINITY, f64::NAN].map(gate::judge::percent);
    let expected =
        ["+0.0 %", "+0.0 %", "+0.0 %", "+5.6 %", "-50.0 %", "+200.0 %", "unknown", "unknown"];
    assert_eq!(written, expected);
}

#[test]
fn rows_are_sorted_by_tool() {
    let of = |tool: &str, name: &str| Recorded {
        tool: tool.to_owned(),
        name: name.to_owned(),
        ..both(vec![run(wall(20e6, 1.0), 1000, 1000)])
    };
    let thresholds = Thresholds::parse(DEFAULT).expect("the thresholds are valid");
    let rules = Rules { thresholds: &thresholds, waivers: &[], same_corpus: true };
    let recorded = vec![of("word", "a"), of("find", "z"), of("search", "b"), of("search", "a")];
    let rows = judge(recorded, &rules);
    let order: Vec<_> = rows.iter().map(|row| (&*row.recorded.tool, &*row.recorded.name)).collect();
    assert_eq!(order, [("find", "z"), ("search", "a"), ("search", "b"), ("word", "a")]);
}

#[test]
fn the_interval_is_as_narrow_as_permitted() {
    assert_eq!(median(&[]), None);
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    for count in 0..60_u32 {
        let values: Vec<f64> = (1..=count).rev().map(f64::from).collect();
        // P(Bin(n, ½) < rank), computed from the binomial coefficients.
        let tail = |rank: u32| {
            let coefficient = |of: u32| {
                (0..of).fold(1_u128, |all, at| all * u128::from(count - at) / u128::from(at + 1))
            };
            (0..rank).map(coefficient).sum::<u128>() as f64 / (1_u128 << count) as f64
        };
        match interval(&values, 0.999) {
            None => assert!(tail(1) > 0.0005, "{count} values are enough"),
            Some(Interval { low, high }) => {
                let rank = low as u32;
                assert_eq!(high, f64::from(count + 1 - rank));
                assert!(tail(rank) <= 0.0005, "{count} values: rank {rank} is not sure");
                assert!(tail(rank + 1) > 0.0005, "{count} values: rank {rank} is too wide");
            }
        }
    }
    // A single outlier has no effect.
    let mut values: Vec<f64> = (0..32).map(f64::from).collect();
    let before = interval(&values, 0.999);
    values[31] = 1e9;
    assert_eq!(interval(&values, 0.999), before);
    assert!(interval(&vec![1.0; 5000], 0.999).is_some(), "nothing underflows");
}
