//! Tests of plans: examples, and a property test against the matcher.

use super::Plan;
use super::string_set::StringSet;
use crate::query::gram_query::GramQuery;
use crate::query::pattern::{Case, PatternOptions};

mod property;

/// Parses options that are written as ripgrep's flags.
fn options(flags: &str) -> PatternOptions {
    let mut options = PatternOptions::default();
    for flag in flags.split_whitespace() {
        match flag {
            "-F" => options.fixed_strings = true,
            "-i" => options.case = Case::Insensitive,
            "-S" => options.case = Case::Smart,
            "--no-unicode" => options.unicode = false,
            "-U" => options.multi_line = true,
            "--multiline-dotall" => options.dot_matches_new_line = true,
            "--crlf" => options.crlf = true,
            "--null-data" => options.null_data = true,
            "-v" => options.invert = true,
            "-P" => options.pcre2 = true,
            "-w" => options.word = true,
            "-x" => options.whole_line = true,
            _ => panic!("no such flag: {flag}"),
        }
    }
    options
}

/// Compares the plan of `patterns` with `expected`: the query, then `+fold` and `+lines` if set.
#[track_caller]
fn check(flags: &str, patterns: &[&str], expected: &str) {
    let patterns: Vec<String> = patterns.iter().map(|pattern| pattern.to_string()).collect();
    let plan = Plan::new(&patterns, &options(flags));
    let mut actual = plan.query().to_string();
    if plan.with_fold_docs() {
        actual += " +fold";
    }
    if plan.spans_lines() {
        actual += " +lines";
    }
    assert_eq!(actual, expected, "{flags} {patterns:?}");
}

/// Returns the query of a string: all its grams, in the canonical order.
fn grams(string: &str) -> String {
    StringSet::of([string]).query().to_string()
}

/// Returns the query of a string whose letters match in either case.
fn grams_either(string: &str) -> String {
    StringSet::of_either_case([string]).query().to_string()
}

#[test]
fn literals_give_all_their_grams() {
    check("", &["abcd"], r#"("abc" AND "bcd")"#);
    check("", &["PM_RESUME"], &grams("PM_RESUME"));
    check("", &["PM_"], r#""PM_""#);
    check("-i", &["PM_"], r#""pm_/i""#);
    check("", &["été"], &grams("été"));
    check("-w", &["kfree"], &grams("kfree"));
    check("-x", &["kfree"], &grams("kfree"));
    check("", &[r"^\bfoo\b$"], r#""foo""#);
    check("--crlf", &["foo$"], r#""foo""#);
    check("", &["a.b"], "ALL");
    check("", &["a"], "ALL");
    check("", &[r"\w{5}\s+\w{5}"], "ALL");
}

#[test]
fn alternatives_are_disjunctions() {
    let words = r#"("bar" OR "foo" OR ("azq" AND "baz" AND "qux" AND "zqu"))"#;
    check("", &["foo|bar|bazqux"], words);
    check("", &["foo", "bar", "bazqux"], words);
    let words = r#"("bar/i" OR "foo/i" OR ("azq/i" AND "baz/i" AND "qux/i" AND "zqu/i"))"#;
    check("-i", &["foo", "bar", "bazqux"], words);
    check("-F", &["foo", "a.c*"], r#"("foo" OR ("a.c" AND ".c~"))"#);
    check("", &["a(b|c)d"], r#"("abd" OR "acd")"#);
    check("", &["(foo|bar)x"], r#"(("arx" AND "bar") OR ("foo" AND "oox"))"#);
    check("", &["foo|.bar|[a-z]baz"], r#"("bar" OR "baz" OR "foo")"#);
}

#[test]
fn pairs_count_where_no_gram_does() {
    check("", &["ab"], r#""ab""#);
    check("", &["Ab"], r#""AB""#);
    check("-i", &["a-"], r#""a-/i""#);
    check("-w", &["zz"], r#""zz""#);
    check("-U", &[r"ab\nc"], r#""ab" +lines"#);
    check("", &["foo|ab"], r#"("foo" OR "ab")"#);
    check("", &["ab|cd|xyz"], r#"("xyz" OR ("ab" OR "cd"))"#);
    check("", &["ab.*cd"], r#"("ab" AND "cd")"#);
    check("", &["foo.*ab"], r#""foo""#);
    check("", &["foo.*(ab|bar)"], r#""foo""#);
    check("", &["ab|c"], "ALL");
    let pairs: Vec<String> = ('a'..='h').map(|a| format!("{a}[a-h]")).collect();
    let plan = Plan::new(&pairs, &PatternOptions::default());
    assert!(matches!(plan.query(), GramQuery::Any(_)), "{}", plan.query());
    check("", &[&pairs.join("|"), "zz"], "ALL");
    let parts: Vec<String> = ('a'..='z').map(|a| format!("{a}-")).collect();
    let plan = Plan::new(&[parts.join(".*")], &PatternOptions::default());
    assert_eq!(plan.query().grams_len(), 8);
}

#[test]
fn characters_beyond_ascii_count() {
    check("", &["é"], r#""\xc3\xa9""#);
    check("-i", &["é"], r#"("\xc3\x89" OR "\xc3\xa9")"#);
    check("", &["[α-ω]"], r#""\xce\xb1-\xcf\x89""#);
    check("", &["[α-ω]{3}-"], r#""\xce\xb1-\xcf\x89""#);
    check("", &[r"[^\x00-\x7f]"], r#"("\xc2\x80-\xf4\x8f" OR NOT UTF-8)"#);
    check("", &[r"[α-ω]|ab"], r#"("ab" OR "\xce\xb1-\xcf\x89")"#);
    check("", &[r"\p{Han}+foo"], r#""foo""#);
    check("", &["[α-ω]?"], "ALL");
    check("", &["[a-zα-ω]"], "ALL");
    let any = r#"("\xc0\x80-\xff\xbf" OR NOT UTF-8)"#;
    check("", &[r"(?-u:[\x80-\xff])"], any);
    check("", &[r"(?-u:\xff)"], any);
    check("", &[r"(?-u:[\xe9\xe8])"], any);
    check("", &[r"(?-u:\xc3\xa9)"], r#""\xc3\xa9""#);
}

#[test]
fn runs_of_hexadecimal_digits_count() {
    check("", &["[0-9a-f]{12}"], r#""hex{12}""#);
    check("", &["[0-9a-f]{11}"], "ALL");
    check("-i", &["-[0-9a-f]{39}"], r#""hex{32}""#);
    check("--no-unicode", &[r"\d{16,}"], r#""hex{16}""#);
    check("", &["[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"], r#""hex{12}""#);
    check("", &["([0-9a-f]{40})?"], "ALL");
    check("", &["[0-9a-g]{40}"], "ALL");
    check("", &[r"\d{16,}"], "ALL");
    check("", &["[a&&b]{12}"], "NONE");
}

#[test]
fn runs_join_the_grams_beside_them() {
    let plan = Plan::new(&["commit [0-9a-f]{40}".to_owned()], &PatternOptions::default());
    let GramQuery::And(parts) = plan.query() else { panic!("no conjunction: {}", plan.query()) };
    let shown: Vec<String> = parts.iter().map(GramQuery::to_string).collect();
    assert!(shown.iter().any(|part| part == "\"hex{40}\""), "{shown:?}");
    assert!(shown.iter().any(|part| part == "\"mit\""), "{shown:?}");
}

#[test]
fn implied_branches_are_dropped() {
    check("", &["abcd?"], r#""abc""#);
    check("", &["abc|abcd"], r#""abc""#);
    check("", &["foo.*(foo|bar)"], r#""foo""#);
    check("", &["[ab]?[cd]?[ef]?[gh]?xyz"], r#""xyz""#);
}

#[test]
fn neighbours_of_large_parts_are_joined() {
    check("", &["foo.*bar"], r#"("bar" AND "foo")"#);
    check("", &["[A-Z]+_RESUME"], &grams("_RESUME"));
    check("", &["foo[[:alnum:]]bar"], r#"("bar" AND "foo")"#);
    check("", &["foo(ab)+cd"], r#"("abc" AND "bcd" AND "foo" AND "oab" AND "ooa")"#);
    check("", &["foo(ab)*cd"], r#"("foo" AND (("abc" AND "bcd") OR ("ocd" AND "ooc")))"#);
    let seam = r#"("oo0" OR "oo1" OR "oo2" OR "oo3" OR "oo4" OR "oo5" OR "oo6" OR "oo7")"#;
    check("", &["foo[0-7]+"], &format!(r#"("foo" AND {seam})"#));
    check("", &["foo[0-7].*bar"], &format!(r#"("bar" AND "foo" AND {seam})"#));
}

#[test]
fn ends_extend_across_short_parts() {
    let seam = r#"("acd" OR "ace" OR "bcd" OR "bce")"#;
    check("", &["[ab]+c[de]+"], seam);
    check("", &["(x*[ab]+)(c[de]+)"], seam);
    check("", &["([ab]+c)([de]+x*)"], seam);
}

#[test]
fn too_many_ends_are_shortened() {
    let pairs = ('a'..='h').flat_map(|a| ('0'..='8').map(move |b| (a, b)));
    let (heads, tails): (Vec<_>, Vec<_>) =
        pairs.map(|(a, b)| (format!("{a}{b}."), format!(".{b}{a}"))).unzip();
    let first = r#"("xya" OR "xyb" OR "xyc" OR "xyd" OR "xye" OR "xyf" OR "xyg" OR "xyh")"#;
    check("", &[&format!("xy({})", heads.join("|"))], first);
    let last = r#"("axy" OR "bxy" OR "cxy" OR "dxy" OR "exy" OR "fxy" OR "gxy" OR "hxy")"#;
    check("", &[&format!("({})xy", tails.join("|"))], last);
}

#[test]
fn repetitions_are_expanded_a_few_times() {
    let twice = r#"("aba" AND "bab")"#;
    for copies in ["{2}", "{2,3}", "{2,}", "{9}", "{3,1000}"] {
        check("", &[&format!("(ab){copies}")], twice);
    }
    check("", &["(ab)+"], r#""ab""#);
    check("", &["(abc){0}"], "ALL");
    check("", &["(abc){0,2}"], "ALL");
    let [a, b, c, d] = ["xaabyz", "xaayz", "xababyz", "xabayz"].map(grams);
    check("", &["x(ab?){2}yz"], &format!("({a} OR {b} OR {c} OR {d})"));
    check("", &[r"foo.{1000}{1000}bar"], r#"("bar" AND "foo")"#);
}

#[test]
fn prefixes_before_an_option_count() {
    let (plain, gpl) = (grams("EXPORT_SYMBOL("), grams("EXPORT_SYMBOL_GPL("));
    check("", &[r"EXPORT_SYMBOL(_GPL)?\("], &format!("({gpl} OR {plain})"));
}

#[test]
fn characters_that_fold_to_ascii_are_left_to_the_engine() {
    check("-i", &["struct"], &format!("{} +fold", grams_either("struct")));
    check("-i", &["desk"], r#"("des/i" AND "esk/i") +fold"#);
    check("-i", &["foo"], r#""foo/i""#);
    check("-i", &["sk"], r#""sk/i" +fold"#);
    check("-i --no-unicode", &["struct"], &grams_either("struct"));
    check("", &["(?i:k)ab"], r#""kab/i" +fold"#);
    check("", &["[ks\u{212a}]ab"], r#"("kab" OR "sab") +fold"#);
    // If the class lacks the ASCII letter, the character is not treated specially.
    check("", &["\u{212a}ab"], &grams("\u{212a}ab"));
    check("", &["[\u{212a}x]ab"], &format!(r#"("xab" OR {})"#, grams("\u{212a}ab")));
    let [a, b, c, d] = ["été", "étÉ", "Été", "ÉtÉ"].map(grams_either);
    check("-i", &["été"], &format!("({b} OR {c} OR {d} OR {a})"));
}

#[test]
fn smart_case_depends_on_literals() {
    check("-S", &["ask"], r#""ask/i" +fold"#);
    check("-S", &["asK"], r#""ASK""#);
    check("-S", &[r"\Sask"], r#""ask/i" +fold"#);
    check("-S", &["ask", "X"], "ALL");
    check("-S", &["ask", "foX"], r#"("ask" OR "FOX")"#);
    check("-S", &["ask[A]"], r#"("ask" AND "SKA")"#);
}

#[test]
fn line_ends_break_strings() {
    check("-U", &[r"foo\nbar"], r#"("bar" AND "foo") +lines"#);
    check("-U", &[r"foo\r\nbar"], r#"("bar" AND "foo") +lines"#);
    check("", &[r"foo\rbar"], r#"("bar" AND "foo")"#);
    check("-U", &[r"fo\nbar|fo\rbar"], r#""bar" +lines"#);
    check("-U", &[r"foo\s+bar"], r#"("bar" AND "foo") +lines"#);
    check("-U", &["foo.*bar"], r#"("bar" AND "foo")"#);
    check("-U --multiline-dotall", &["foo.*bar"], r#"("bar" AND "foo") +lines"#);
    check("--multiline-dotall", &["foo.*bar"], r#"("bar" AND "foo")"#);
    check("-U", &["foo$"], r#""foo""#);
    check("-U", &["foo", "a\nb"], "ALL +lines");
    check("", &[r"foo[^x]bar"], r#"("bar" AND "foo")"#);
    check("--null-data", &[r"foo[^x]bar"], r#"("bar" AND "foo") +lines"#);
}

#[test]
fn invalid_utf8_is_planned() {
    check("", &[r"(?-u:\xff\xfe)ab"], r#"("lab" AND "]la")"#);
    check("", &[r"(?s-u:foo.bar)"], r#"("bar" AND "foo")"#);
    check("", &[r"ab(?-u:[\x80-\xff])+foo"], r#""foo""#);
}

#[test]
fn patterns_that_never_or_always_match() {
    check("", &[], "NONE");
    check("-i", &[], "NONE");
    check("-v", &[], "ALL");
    check("", &["[a&&b]foo"], "NONE");
    check("", &["foo|[a&&b]"], r#""foo""#);
    check("", &["([a&&b])*foo"], r#""foo""#);
    check("", &[""], "ALL");
    check("", &["foo", ""], "ALL");
    check("-v", &["foo"], "ALL");
    check("-v -U", &["foo"], "ALL +lines");
    check("", &["foo("], "ALL");
    check("-U", &["foo("], "ALL +lines");
}

#[test]
fn perl_compatible_literals() {
    check("-P", &["a b-c"], &grams("a b-c"));
    check("-P", &["foo", "bar"], r#"("bar" OR "foo")"#);
    check("-P -F", &["foo.bar"], &grams("foo.bar"));
    check("-P -i", &["desk"], r#"("des/i" AND "esk/i") +fold"#);
    check("-P -S", &["desk"], r#"("des/i" AND "esk/i") +fold"#);
    check("-P -i", &["fooöbar"], r#"("bar/i" AND "foo/i")"#);
    check("-P", &["fooöbar"], &grams("fooöbar"));
    for pattern in ["foo.bar", "foo?", r"\Kfoo", "(*UTF)foo", "foo|bar", "[f]oo", "foo{2}", "fo^o"]
    {
        check("-P", &[pattern], "ALL");
    }
}

#[test]
fn ten_thousand_words_keep_all_their_grams() {
    let words: Vec<String> = (0..10_000).map(|i| format!("{i:05}_wordyx")).collect();
    let joined = [words.join("|")];
    for (flags, patterns) in [("", &words[..]), ("-i", &words[..]), ("", &joined[..])] {
        let plan = Plan::new(patterns, &options(flags));
        let GramQuery::Or(branches) = plan.query() else { panic!("{flags}: no disjunction") };
        assert_eq!(branches.len(), 10_000, "{flags}");
        // Each word has ten grams; a few words contain a gram twice.
        assert!((99_900..=100_000).contains(&plan.query().grams_len()), "{flags}");
    }
}

#[test]
fn too_many_grams_are_thinned() {
    let words: Vec<String> = (0..20_000).map(|i| format!("long_word_{i:05}_xyzzy")).collect();
    let plan = Plan::new(&words, &PatternOptions::default());
    let GramQuery::Or(branches) = plan.query() else { panic!("no disjunction") };
    // The grams that occur in several words are dropped first.
    assert!(branches.len() > 10_000 && plan.query().grams_len() <= super::GRAMS_MAX);
}

#[test]
fn extreme_patterns_take_bounded_time() {
    let nested = format!("{}abc{}", "(wxyz|".repeat(120), "{2,}y)".repeat(120));
    let many_parts = "(a|b)[0-9]é?.*".repeat(300);
    let powers = format!("{}(abc|de|f){}", "(?:".repeat(60), "{3,4})".repeat(60));
    let long = "abcdefg".repeat(10_000);
    for flags in ["", "-i", "-U"] {
        for pattern in [&nested, &many_parts, &powers, &long] {
            let plan = Plan::new(std::slice::from_ref(pattern), &options(flags));
            assert!(plan.query().grams_len() <= super::GRAMS_MAX);
        }
    }
    let too_deep = format!("{}abc{}", "(".repeat(100_000), ")".repeat(100_000));
    check("", &[&too_deep], "ALL");
}
