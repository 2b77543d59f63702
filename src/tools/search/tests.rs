//! Unit tests of the lines that are shown, and of the alias `path`.

use std::path::Path;

use serde_json::Value;

use super::*;

fn as_is(text: &str) -> Searched<'_> {
    Searched { bytes: text.as_bytes(), shown: text.as_bytes() }
}

/// Renders lines with `:` after the number of a match and `-` after that of a context line.
#[track_caller]
fn check(text: &str, query: &str, limits: (usize, usize), expected: &str) {
    let pattern = Pattern { query, is_regex: true, is_word: false, is_case_sensitive: true };
    let regex = pattern.regex().expect("it can be read");
    let limits = LineLimits { lines: limits.0, context: limits.1 };
    let matcher = Matcher { regex: &regex, finder: None };
    let shown: Vec<String> = lines(as_is(text), &matcher, &mut matcher.cache(), limits, &[], &Some)
        .iter()
        .map(|line| format!("{}{}{}", line.line, if line.context { "-" } else { ":" }, line.text))
        .collect();
    assert_eq!(shown.join(" "), expected, "{text:?} {query}");
}

#[test]
fn matches_are_shown_with_context_lines() {
    let text = "a\nb\nc\nd\ne\nf\n";
    check(text, "c", (9, 0), "3:c");
    check(text, "c", (9, 1), "2-b 3:c 4-d");
    check(text, "[ce]", (9, 1), "2-b 3:c 4-d 5:e 6-f");
    check(text, "[bf]", (9, 2), "1-a 2:b 3-c 4-d 5-e 6:f");
    check(text, "[af]", (9, 9), "1:a 2-b 3-c 4-d 5-e 6:f");
    check(text, ".", (2, 0), "1:a 2:b");
    check("aa a\na", "a", (9, 0), "1:aa a 2:a");
}

#[test]
fn lines_that_define_the_match_are_chosen_first() {
    let text = "use a::one;\none();\none();\nfn one() {}\none();\nfn two() {}\n";
    let names: Vec<Range<usize>> = ["one() {}", "two() {}"]
        .map(|name| text.find(name).expect("it exists"))
        .map(|start| start..start + 3)
        .to_vec();
    let pattern =
        Pattern { query: "one|two", is_regex: true, is_word: false, is_case_sensitive: true };
    let regex = pattern.regex().expect("it can be read");
    let matcher = Matcher { regex: &regex, finder: None };
    let chosen = |lines_max: usize| -> Vec<usize> {
        let limits = LineLimits { lines: lines_max, context: 0 };
        let lines = lines(as_is(text), &matcher, &mut matcher.cache(), limits, &names, &Some);
        lines.iter().map(|line| line.line).collect()
    };
    assert_eq!(chosen(1), [4]);
    assert_eq!(chosen(2), [4, 6]);
    assert_eq!(chosen(4), [1, 2, 4, 6]);
    assert_eq!(chosen(9), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_path_is_read_as_a_glob() {
    let check = |path: &str, glob: Option<&str>, expected: Value| {
        let args = glob.map(|glob| ("path_glob".to_owned(), Value::from(glob)));
        let found = glob_below(&path.into(), &args.into_iter().collect(), Path::new("/tree"));
        assert_eq!(found, expected, "{path} {glob:?}");
    };
    check("src", None, "{src,src/**}".into());
    check("./src/a.rs", None, "{src/a.rs,src/a.rs/**}".into());
    check("/tree/src/", None, "{src,src/**}".into());
    check("app/[id]", None, "{app/[[]id[]],app/[[]id[]]/**}".into());
    check("src/*.rs", None, "src/*.rs".into());
    for root in [".", "/tree", "/tree/", ""] {
        check(root, None, Value::Null);
        check(root, Some("*.rs"), "*.rs".into());
    }
    check("src", Some("*.rs"), "src/**/*.rs".into());
    check("src", Some("a/*.rs"), "src/a/*.rs".into());
}

#[test]
fn literals_match_like_the_equivalent_regex() {
    let text = b"a.b\n\nab a.b a.b\nxa.b\r\nA.B\n a.b";
    for query in ["a.b", "a", "b\n", "b\n\na", "\n", "z", "a.b\n a.b\n", ".", "\r"] {
        let pattern =
            |is_word| Pattern { query, is_regex: false, is_word, is_case_sensitive: true };
        assert!(pattern(true).finder().is_none());
        let (pattern, regex) = (pattern(false), pattern(false).regex().expect("it can be read"));
        let found = |finder| {
            let matcher = Matcher { regex: &regex, finder };
            let mut cache = matcher.cache();
            let spans = spans(text, &matcher, &mut cache);
            spans.map(|of| (of.start, of.end, of.hit)).collect::<Vec<_>>()
        };
        assert_eq!(found(pattern.finder()), found(None), "{query:?}");
        assert!(pattern.finder().is_some());
    }
}

#[test]
fn regexes_may_match_empty_text_and_line_ends() {
    check("a\n\nb", "^$", (9, 0), "2:");
    check("a\nb\n", "x*", (9, 0), "1:a 2:b");
    check("a\nb\nc\n", "a\\nb", (9, 0), "1:a");
    check("", "x*", (9, 0), "");
}
