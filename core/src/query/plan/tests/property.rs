//! Property: the text of every match that the matcher finds satisfies the plan.

use std::cell::Cell;
use std::ops::Range;

use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use regex_syntax::hir::{Class, Hir, HirKind};

use super::super::Plan;
use crate::base::testing;
use crate::index::extract;
use crate::index::gram::{Gram, NOT_UTF8};
use crate::query::gram_query::GramQuery;
use crate::query::pattern::{Case, PatternOptions};

/// Number of texts that are tested with each pattern.
const TEXTS: usize = 8;

/// Maximum approximate length of a sampled string in bytes.
const SAMPLE_BYTES_MAX: usize = 400;

#[test]
#[expect(clippy::print_stderr, reason = "prints how much was tested, with --nocapture")]
fn every_match_satisfies_its_plan() {
    let cases = testing::cases(1000);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let tally = Tally::default();
    let strategy = (patterns(), pattern_options(), any::<u64>());
    TestRunner::new(config)
        .run(&strategy, |(patterns, options, seed)| {
            check_against_matcher(&patterns, &options, Dice(seed), &tally)
        })
        .expect("the plan holds for every match");
    let [texts, matched, selective, weak] =
        [&tally.texts, &tally.matched, &tally.selective, &tally.weak].map(Cell::get);
    eprintln!(
        "{cases} patterns, {texts} texts, {matched} with a match, {selective} of a selective plan, \
         {weak} of one with sets of keys"
    );
    assert!(matched * 5 > texts, "too few matches to mean anything: {matched} of {texts}");
    assert!(selective * 5 > matched, "too few plans with grams: {selective} of {matched}");
    assert!(weak * 20 > matched, "too few plans with sets of keys: {weak} of {matched}");
}

/// Counts of texts, of texts with a match, and of matches of plans with grams or sets of keys.
#[derive(Default)]
struct Tally {
    texts: Cell<usize>,
    matched: Cell<usize>,
    selective: Cell<usize>,
    weak: Cell<usize>,
}

fn check_against_matcher(
    patterns: &[String],
    options: &PatternOptions,
    mut dice: Dice,
    tally: &Tally,
) -> Result<(), TestCaseError> {
    let plan = Plan::new(patterns, options);
    let (Ok(matcher), Some(hir)) = (matcher(patterns, options), expression(patterns, options))
    else {
        return Ok(());
    };
    for _ in 0..TEXTS {
        let text = text(&hir, &mut dice);
        let by_line = !options.multi_line && !options.null_data;
        let haystacks: Vec<&[u8]> =
            if by_line { text.split(|byte| *byte == b'\n').collect() } else { vec![&text] };
        let (mut matches, mut at) = (Vec::new(), 0);
        for haystack in haystacks {
            let found = matcher.find_iter(haystack, |m| {
                matches.push(at + m.start()..at + m.end());
                true
            });
            found.expect("this matcher never fails");
            at += haystack.len() + 1;
        }
        tally.texts.set(tally.texts.get() + 1);
        tally.matched.set(tally.matched.get() + usize::from(!matches.is_empty()));
        let selective = !matches.is_empty() && *plan.query() != GramQuery::All;
        tally.selective.set(tally.selective.get() + usize::from(selective));
        let weak = !matches.is_empty() && plan.query().is_weak();
        tally.weak.set(tally.weak.get() + usize::from(weak));
        for range in matches {
            let matched = &text[range.clone()];
            let shown = format!("{} for {}", matched.escape_ascii(), plan.query());
            prop_assert!(covers(&plan, &text, range), "missed {shown}");
            prop_assert!(plan.spans_lines() || !matched.contains(&b'\n'), "spans lines: {shown}");
        }
    }
    Ok(())
}

/// Returns true if the text is a candidate because of the match.
fn covers(plan: &Plan, text: &[u8], range: Range<usize>) -> bool {
    let matched = &text[range.clone()];
    let mut grams: Vec<Gram> =
        matched.windows(3).filter_map(|w| Gram::of([w[0], w[1], w[2]])).collect();
    let keys = extract::keys(matched);
    let in_match = |key: &u32| key >> 6 & 63 == 0 && *key != NOT_UTF8 || key & 63 == 0;
    grams.extend(keys.into_iter().filter(in_match).map(Gram::of_key));
    if plan.query().is_weak() {
        // The key that ends in the first pair of the match, and those of all characters.
        let is_character = |key: &u32| key >> 6 & 63 == 0;
        let around = extract::keys(&text[range.start.saturating_sub(1)..range.end]);
        let around = around.into_iter().filter(|key| !is_character(key));
        let characters = extract::keys(text).into_iter().filter(is_character);
        grams.extend(around.chain(characters).map(Gram::of_key));
    }
    grams.sort_unstable();
    let folds = ["\u{17f}", "\u{212a}"].map(str::as_bytes);
    let holds_fold = folds.iter().any(|fold| matched.windows(fold.len()).any(|w| w == *fold));
    plan.with_fold_docs() && holds_fold
        || plan.query().is_satisfied_by(&|gram| grams.binary_search(&gram).is_ok())
}

/// Builds the matcher as ripgrep 15.2 does.
fn matcher(
    patterns: &[String],
    options: &PatternOptions,
) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(options.unicode)
        .octal(false)
        .fixed_strings(options.fixed_strings)
        .case_insensitive(options.case == Case::Insensitive)
        .case_smart(options.case == Case::Smart);
    if options.whole_line {
        builder.whole_line(true);
    } else if options.word {
        builder.word(true);
    }
    if options.multi_line {
        builder.dot_matches_new_line(options.dot_matches_new_line);
        if options.crlf {
            builder.crlf(true).line_terminator(None);
        }
    } else {
        builder.line_terminator(Some(b'\n')).dot_matches_new_line(false);
        if options.crlf {
            builder.crlf(true);
        }
        if options.null_data {
            builder.line_terminator(Some(b'\x00'));
        }
    }
    builder.build_many(patterns)
}

/// Parses the patterns for sampling. Differences from the matcher only reduce the matches.
fn expression(patterns: &[String], options: &PatternOptions) -> Option<Hir> {
    let escaped = |pattern: &String| {
        if options.fixed_strings { regex_syntax::escape(pattern) } else { pattern.clone() }
    };
    let joined: Vec<String> = patterns.iter().map(|p| format!("(?:{})", escaped(p))).collect();
    regex_syntax::ParserBuilder::new()
        .utf8(false)
        .unicode(options.unicode)
        .case_insensitive(options.case != Case::Sensitive)
        .build()
        .parse(&joined.join("|"))
        .ok()
}

fn pattern_options() -> impl Strategy<Value = PatternOptions> {
    let case = prop_oneof![Just(Case::Sensitive), Just(Case::Insensitive), Just(Case::Smart)];
    let flags = prop::array::uniform5(any::<bool>());
    let rare = prop::array::uniform4(prop::bool::weighted(0.15));
    (case, flags, rare).prop_map(|(case, [u, s, m, d, c], [f, z, w, x])| PatternOptions {
        case,
        unicode: u || s,
        multi_line: m,
        dot_matches_new_line: d,
        crlf: c,
        fixed_strings: f,
        null_data: z,
        word: w,
        whole_line: x,
        invert: false,
        pcre2: false,
    })
}

fn patterns() -> impl Strategy<Value = Vec<String>> {
    let pattern =
        prop_oneof![4 => rich_pattern(), 4 => small_pattern(), 1 => short_pattern()].boxed();
    prop_oneof![
        3 => pattern.clone().prop_map(|pattern| vec![pattern]),
        1 => prop::collection::vec(pattern, 2..4),
    ]
}

/// Patterns that are shorter than a gram.
fn short_pattern() -> impl Strategy<Value = String> {
    let class = r"\p{Greek}|[α-ω]|[^\x00-\x7f]|\p{Han}|(?-u:[\x80-\xff])|(?-u:\xff)|é|→";
    let class = prop::sample::select(class.split('|').collect::<Vec<_>>()).prop_map(str::to_string);
    let run = (1..70_u32).prop_map(|min| format!("[0-9a-f]{{{min}}}"));
    prop_oneof![3 => "[azZkS_-]{2}", 2 => class, 1 => run]
}

/// Patterns over few letters, with optional parts next to short ones.
fn small_pattern() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a", "b", "c", "a", "b", "c", "ab", "bc", "abc", "cab", "[ab]", "[0-9]", "[^c]", "", r"\n",
    ]);
    leaf.prop_map(str::to_string).prop_recursive(5, 24, 4, |inner| {
        let concat = prop::collection::vec(inner.clone(), 2..6).prop_map(|parts| parts.concat());
        let alternation = prop::collection::vec(inner.clone(), 2..4)
            .prop_map(|parts| format!("({})", parts.join("|")));
        let repeat = prop::sample::select(vec!["?", "*", "+", "{2}", "{1,2}", "{2,}", "{5,6}"]);
        let repetition = (inner, repeat).prop_map(|(part, repeat)| format!("({part}){repeat}"));
        prop_oneof![4 => concat, 1 => alternation, 3 => repetition]
    })
}

/// Patterns with many characters that case folding affects and many line terminators.
fn rich_pattern() -> impl Strategy<Value = String> {
    let literal = prop::sample::select(vec![
        "a",
        "b",
        "ab",
        "foo",
        "PM_",
        "kernel",
        "Struct",
        "s",
        "k",
        "S",
        "K",
        "x9",
        "_",
        " ",
        "-",
        "é",
        "É",
        "ſ",
        "\u{212a}",
        "Σ",
        "ς",
        "ß",
        "日本",
        "0",
        "#",
        r"\.",
        r"\t",
        r"\r",
        r"\n",
        r"\r\n",
        r"\x00",
        r"(?-u:\xFF)",
        r"(?-u:\xC3)",
        r"(?-u:\xA9)",
    ]);
    let class = prop::sample::select(vec![
        ".",
        r"\w",
        r"\s",
        r"\S",
        r"\d",
        r"\W",
        "[0-9]",
        "[a-c]",
        "[^a]",
        "[ks]",
        "[Aa]",
        "[éè]",
        "[α-ω]",
        r"\p{Greek}",
        r"[^\x00-\x7f]",
        r"(?-u:[\x80-\xff])",
        r"[a\n]",
        r"[\r\n]",
        r"[\x00-\x1f]",
        "[a-z_]",
        "[[:xdigit:]]",
        "[α-ε]",
        r"\pL",
        "(?s:.)",
        r"(?-u:[\x80-\xFF])",
        "(?s-u:.)",
        r"(?-u:\w)",
        "[a&&b]",
        r"(?-u:[^a])",
        "[ſ-ƀ]",
    ]);
    let look = prop::sample::select(vec![
        "^",
        "$",
        r"\b",
        r"\B",
        r"\A",
        r"\z",
        r"\<",
        r"\>",
        r"(?-u:\b)",
        "(?R:$)",
        "(?-m:^)",
        "",
    ]);
    let leaf = prop_oneof![9 => literal, 3 => class, 1 => look].prop_map(str::to_string);
    leaf.prop_recursive(5, 40, 5, |inner| {
        let concat = prop::collection::vec(inner.clone(), 2..6).prop_map(|parts| parts.concat());
        let alternation = prop::collection::vec(inner.clone(), 1..5)
            .prop_map(|parts| format!("(?:{})", parts.join("|")));
        let repeat = prop::sample::select(vec![
            "?", "*", "+", "*?", "{0}", "{1}", "{2}", "{3}", "{0,2}", "{1,2}", "{2,3}", "{2,}",
            "{5}", "{6,}", "{1,9}",
        ]);
        let repetition =
            (inner.clone(), repeat).prop_map(|(part, repeat)| format!("(?:{part}){repeat}"));
        let flags = prop::sample::select(vec!["(?i:", "(?-i:", "(", "(?s:", "(?R:", "(?U:"]);
        let group = (flags, inner).prop_map(|(flags, part)| format!("{flags}{part})"));
        prop_oneof![7 => concat, 2 => alternation, 2 => repetition, 1 => group]
    })
}

/// A text with strings that match if anchors are ignored, some of them damaged.
fn text(hir: &Hir, dice: &mut Dice) -> Vec<u8> {
    const NOISE: [&[u8]; 9] = [b"", b"", b"", b" ", b"x", b"foo", b"\xff", "é".as_bytes(), b"\r"];
    const ENDS: [&[u8]; 4] = [b"\n", b"\n", b"\r\n", b"\x00"];
    let mut text = Vec::new();
    for _ in 0..=dice.below(3) {
        text.extend(*dice.pick(&NOISE));
        let start = text.len();
        sample(hir, dice, start + SAMPLE_BYTES_MAX, &mut text);
        if dice.below(3) == 0 {
            damage(&mut text, start, dice);
        }
        text.extend(*dice.pick(&NOISE));
        text.extend(*dice.pick(&ENDS));
    }
    if dice.below(2) == 0 {
        text.pop();
    }
    text
}

/// Appends a string that the expression matches if its assertions are ignored.
fn sample(hir: &Hir, dice: &mut Dice, end: usize, text: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.extend(&literal.0),
        HirKind::Class(Class::Unicode(class)) if !class.ranges().is_empty() => {
            let range = dice.pick(class.ranges());
            let offset = dice.below(range.len().min(300)) as u32;
            let c = char::from_u32(u32::from(range.start()) + offset).unwrap_or(range.start());
            text.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        HirKind::Class(Class::Bytes(class)) if !class.ranges().is_empty() => {
            let range = dice.pick(class.ranges());
            text.push(range.start() + dice.below(range.len()) as u8);
        }
        HirKind::Class(_) => {}
        HirKind::Repetition(repetition) => {
            let max = repetition.max.unwrap_or(u32::MAX).min(repetition.min + 3);
            let copies = repetition.min + dice.below((max - repetition.min + 1) as usize) as u32;
            for _ in 0..copies {
                if text.len() < end {
                    sample(&repetition.sub, dice, end, text);
                }
            }
        }
        HirKind::Capture(capture) => sample(&capture.sub, dice, end, text),
        HirKind::Concat(parts) => {
            for part in parts {
                sample(part, dice, end, text);
            }
        }
        HirKind::Alternation(parts) => sample(dice.pick(parts), dice, end, text),
    }
}

/// Changes, removes or duplicates one byte from `start` on, or inserts one.
fn damage(text: &mut Vec<u8>, start: usize, dice: &mut Dice) {
    if start == text.len() {
        return;
    }
    let at = start + dice.below(text.len() - start);
    match dice.below(5) {
        0 => text[at] ^= 0x20,
        1 => text[at] = dice.below(256) as u8,
        2 => drop(text.remove(at)),
        3 => text.insert(at, text[at]),
        _ => text.insert(at, *dice.pick(b"\r\n\xffak")),
    }
}

/// A pseudorandom generator with a seed: SplitMix64 (Steele, Lea and Flood, 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len())]
    }
}
