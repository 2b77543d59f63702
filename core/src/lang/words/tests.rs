//! Tests of tokenization.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check_identifiers(text: &str, expected: &[&str]) {
    let found: Vec<&str> = identifiers(text.as_bytes()).map(|span| &text[span]).collect();
    assert_eq!(found, expected, "identifiers of {text:?}");
}

#[track_caller]
fn check_parts(identifier: &str, expected: &str) {
    let mut found = String::new();
    for part in parts(identifier) {
        push_folded(&mut found, part);
        found.push(' ');
    }
    assert_eq!(found.trim_end(), expected, "parts of {identifier}");
}

#[test]
fn finds_identifiers_in_code() {
    check_identifiers("let x = foo_bar($el, __init__);", &["let", "foo_bar", "$el", "__init__"]);
    check_identifiers("0x1f + 10px + 1e5 + a1", &["a1"]);
    check_identifiers("größe = naïve·x; 変数=1; é", &["größe", "naïve·x", "変数", "é"]);
    check_identifiers("a.b-c", &[]);
    check_identifiers("", &[]);
}

#[test]
fn identifiers_outside_the_length_limits_are_skipped() {
    let longest = "a".repeat(BYTES_MAX);
    let text = format!("{longest}a {longest} ab a");
    check_identifiers(&text, &[&longest, "ab"]);
}

#[test]
fn invalid_utf8_separates_identifiers() {
    let text = b"foo\xffbar \xe2\x82 baz\xc3";
    let found: Vec<&[u8]> = identifiers(text).map(|span| &text[span]).collect();
    assert_eq!(found, [&b"foo"[..], b"bar", b"baz"]);
}

#[test]
fn parts_follow_naming_conventions() {
    check_parts("HTTPServer2", "http server 2");
    check_parts("XMLHttpRequest", "xml http request");
    check_parts("snake_case_name", "snake case name");
    check_parts("SCREAMING_SNAKE", "screaming snake");
    check_parts("camelCase", "camel case");
    check_parts("isAWord", "is a word");
    check_parts("$scope.$apply", "scope apply");
    check_parts("__init__", "init");
    check_parts("parseURLs", "parse urls");
    check_parts("getIPv6Address", "get ipv6 address");
    check_parts("___", "");
}

#[test]
fn digits_are_attached_to_short_words() {
    check_parts("utf8", "utf8");
    check_parts("i18n", "i18n");
    check_parts("toUtf8String", "to utf8 string");
    check_parts("sha256sum", "sha256 sum");
    check_parts("x86_64", "x86 64");
    check_parts("server10", "server 10");
    check_parts("b64decode", "b64 decode");
    check_parts("K8sClient", "k8s client");
}

#[test]
fn parts_support_non_ascii_letters() {
    check_parts("größeÄndern", "größe ändern");
    check_parts("ÜBERGröße", "über größe");
    check_parts("変数_name", "変数 name");
}

proptest! {
    #[test]
    fn identifiers_of_any_bytes_are_ordered_and_bounded(text in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut end = 0;
        for span in identifiers(&text) {
            prop_assert!(span.start >= end && span.len() >= BYTES_MIN && span.len() <= BYTES_MAX);
            let name = std::str::from_utf8(&text[span.clone()]).expect("an identifier is valid UTF-8");
            prop_assert!(!name.starts_with(|c: char| c.is_ascii_digit()));
            end = span.end;
        }
    }

    #[test]
    fn parts_drop_only_punctuation(name in "[a-zA-Z0-9_$äÖß変Σ]{0,40}") {
        let letters: String = name.chars().filter(|c| !"_$".contains(*c)).collect();
        prop_assert_eq!(parts(&name).collect::<String>(), letters);
        prop_assert!(parts(&name).all(|part| !part.is_empty()));
    }
}

#[test]
fn escapes_in_identifiers_are_decoded() {
    for (identifier, expected) in [
        (r"\u00E9_2", "é_2"),
        (r"caf\u{e9}", "café"),
        (r"#\u0061", "#a"),
        ("plain", "plain"),
        (r"\u00", r"\u00"),
        (r"a\u0020b", r"a\u0020b"),
        (r"\u{}", r"\u{}"),
        (r"\u{110000}x", r"\u{110000}x"),
        (r"\user", r"\user"),
        (r"a b\u0061", r"a b\u0061"),
    ] {
        assert_eq!(unescaped(identifier), expected, "{identifier}");
    }
}
