//! The parsers of the peers' output (benches/compare/peers): matching lines, definitions, callers.

#[path = "../../benches/compare/peers/answers.rs"]
mod answers;
#[path = "../../benches/compare/ends.rs"]
mod ends;
#[path = "../../benches/compare/peers/lines.rs"]
mod lines;

use std::collections::BTreeSet;

use ends::Ends;
use lines::{Difference, Layout, Line, Printed, difference, read};
use serde_json::json;

fn line(path: &[u8], number: u64, text: &[u8]) -> Line {
    Line { path: path.to_vec(), number, text: text.to_vec() }
}

fn files(paths: &[&[u8]]) -> BTreeSet<Vec<u8>> {
    paths.iter().map(|path| path.to_vec()).collect()
}

#[track_caller]
fn check(layout: Layout, output: &[u8], paths: &[&[u8]], lines: &[Line], others: usize) {
    let printed = read(&layout, output, &files(paths));
    assert_eq!((printed.lines, printed.others.len()), (lines.to_vec(), others));
}

fn csearch() -> Layout {
    Layout::Colons { root: b"/a:1/tree".to_vec() }
}

#[test]
fn all_formats_give_the_same_lines() {
    let paths: &[&[u8]] = &[b"src/a.c", b"src/b.c"];
    let lines = [line(b"src/a.c", 3, b"\tx: 7:8"), line(b"src/b.c", 12, b"")];
    check(Layout::NulColon, b"src/b.c\x0012:\nsrc/a.c\x003:\tx: 7:8\n", paths, &lines, 0);
    check(Layout::NulNul, b"src/b.c\x0012\0\nsrc/a.c\x003\0\tx: 7:8\n", paths, &lines, 0);
    let output = b"/a:1/tree/src/b.c:12:\n/a:1/tree/src/a.c:3:\tx: 7:8\n";
    check(csearch(), output, paths, &lines, 0);
}

#[test]
fn the_last_line_may_lack_its_terminator() {
    let lines = [line(b"a", 1, b"x")];
    check(Layout::NulColon, b"a\x001:x", &[b"a"], &lines, 0);
    check(Layout::NulNul, b"a\x001\0x", &[b"a"], &lines, 0);
    check(csearch(), b"/a:1/tree/a:1:x", &[b"a"], &lines, 0);
}

#[test]
fn paths_may_contain_colons_line_feeds_and_other_bytes() {
    for path in [&b"a:1:b.c"[..], b"line\nfeed", b"\xff\xfe.c", b"a b\tc", b"a:"] {
        let lines = [line(path, 5, b"\xfftext\r")];
        check(Layout::NulColon, &[path, b"\x005:\xfftext\r\n"].concat(), &[path], &lines, 0);
        check(Layout::NulNul, &[path, b"\x005\0\xfftext\r\n"].concat(), &[path], &lines, 0);
        let output = [b"/a:1/tree/", path, b":5:\xfftext\r\n"].concat();
        check(csearch(), &output, &[path], &lines, 0);
    }
}

#[test]
fn without_nul_the_file_list_determines_the_end_of_a_path() {
    let output = b"/a:1/tree/a:1:2:x\n";
    check(csearch(), output, &[b"a:1"], &[line(b"a:1", 2, b"x")], 0);
    check(csearch(), output, &[b"a"], &[line(b"a", 1, b"2:x")], 0);
    check(csearch(), output, &[b"a", b"a:1"], &[line(b"a", 1, b"2:x")], 0);
}

#[test]
fn csearch_adds_no_line_terminator() {
    let lines = [line(b"a", 1, b"x /a:1/tree/none:1:"), line(b"b", 2, b"y"), line(b"b", 3, b"z")];
    let output = b"/a:1/tree/a:1:x /a:1/tree/none:1:/a:1/tree/b:2:y\n/a:1/tree/b:3:z";
    check(csearch(), output, &[b"a", b"b"], &lines, 0);
}

#[test]
fn messages_are_counted_and_skipped() {
    let lines = [line(b"a", 1, b"x"), line(b"a", 2, b"y")];
    let output = b"a\x001:x\nb: WARNING: stopped searching binary file\na\x002:y\nBinary file b\n";
    check(Layout::NulColon, output, &[b"a", b"b"], &lines, 2);
    let output = b"Binary file b matches\na\x001\0x\na\x002\0y\n";
    check(Layout::NulNul, output, &[b"a", b"b"], &lines, 1);
    let output = b"/a:1/tree/a:1:x\n/elsewhere/a:1:x\n/a:1/tree/a:2:y\n";
    check(csearch(), output, &[b"a"], &lines, 1);
    // A line without a valid number, and a file that does not exist.
    check(Layout::NulColon, b"a\0+1:x\nc\x001:x\n", &[b"a"], &[], 2);
}

#[test]
fn other_lines_are_a_difference_unless_both_print_them() {
    let of = |output: &[u8]| read(&Layout::NulColon, output, &files(&[b"a", b"b"]));
    let result = of(b"a\x001:x\n");
    let unlisted = of(b"a\x001:x\nhidden\x001:x\n");
    assert_eq!(unlisted, Printed { others: vec![b"hidden\x001:x".to_vec()], ..of(b"a\x001:x\n") });
    assert_ne!(unlisted, result);
    // An equal number of different lines is a difference; the order of lines is not.
    assert_ne!(unlisted, of(b"a\x001:x\nelsewhere\x001:x\n"));
    let message = b"b: binary file matches\n";
    let both = of(&[message, &b"c: binary\n"[..], b"a\x001:x\n"].concat());
    assert_eq!(both, of(&[&b"c: binary\na\x001:x\n"[..], message].concat()));
}

#[test]
fn an_unknown_name_is_not_an_error() {
    let printed = "codedb: nothing called `f` is defined in this tree\nhint: `word` finds it\n";
    assert!(answers::is_unknown(2, printed, "f"));
    assert!(!answers::is_unknown(2, printed, "g"));
    assert!(!answers::is_unknown(101, printed, "f"));
    assert!(!answers::is_unknown(2, "codedb: the index is damaged\n", "f"));
}

#[test]
fn exit_code_one_with_messages_is_a_failure_of_some_programs() {
    let words = "open csearchindex: no such file or directory\n";
    assert!(Ends::SilentOne.is_answer(1, ""));
    assert!(Ends::SilentOne.is_answer(1, "\n"));
    assert!(!Ends::SilentOne.is_answer(1, words));
    // Programs with a separate exit code for failures may print messages although they find
    // nothing.
    assert!(Ends::Grep.is_answer(1, words));
    assert!(!Ends::Zero.is_answer(1, ""));
    for ends in [Ends::Grep, Ends::SilentOne, Ends::Zero] {
        assert!(ends.is_answer(0, words), "{ends:?}");
        assert!(!ends.is_answer(2, "") && !ends.is_answer(-1, ""), "{ends:?}");
    }
}

#[test]
fn a_difference_counts_both_ways() {
    let (one, two, three) = (line(b"a", 1, b"x"), line(b"a", 2, b"x"), line(b"b", 1, b"x"));
    let list = |lines: &[&Line]| lines.iter().map(|&line| line.clone()).collect::<Vec<_>>();
    let all = list(&[&one, &two, &three]);
    assert!(difference(&all, &all).is_none());
    let expected = Difference { missing: 2, more: 0, first: Some(two.clone()) };
    assert_eq!(difference(&all, &list(&[&one])), expected);
    let expected = Difference { missing: 0, more: 1, first: Some(two.clone()) };
    assert_eq!(difference(&list(&[&one, &three]), &all), expected);
    // The same line with different bytes, and a line that occurs twice.
    let other = line(b"a", 1, b"X");
    let differs = difference(&list(&[&one]), &list(&[&other]));
    assert_eq!((differs.missing, differs.more), (1, 1));
    assert_eq!(differs.to_string(), "differs: 1 line missing, 1 more");
    let differs = difference(&list(&[&one, &one]), &list(&[&one]));
    assert_eq!(differs.to_string(), "differs: 1 line missing, 0 more");
}

#[test]
fn readtags_lists_definitions() {
    let output = "f\tsrc/a.c\t/^int f(int\tx)$/;\"\tkind:function\tline:3\tfile:\n\
        f\tsrc/a.h\t/^int f(int x);$/;\"\tkind:prototype\tline:4\n\
        f\todd\\tna\\\\me\\x2ec\t/^#define f \";\"\\t$/;\"\tkind:macro\tline:9\n\
        f\tsrc/b.c\t7\n";
    let (places, others) = answers::tags(output);
    let expected = [("odd\tna\\me.c", 9), ("src/a.c", 3)];
    assert_eq!(places, expected.map(|(path, line)| (path.to_owned(), line)).into());
    assert_eq!(others, 2);
}

#[test]
fn replies_list_definitions_and_callers() {
    let symbols = json!({"symbols": [
        {"name": "f", "path": "b.c", "line": 2},
        {"name": "f", "path": "a.c", "line": 7},
        {"name": "f", "path": "a.c"},
    ]});
    let expected = [("b.c".to_owned(), 2), ("a.c".to_owned(), 7)];
    assert_eq!(answers::symbols(&symbols), expected);

    let ours = json!({"callers": [
        {"path": "a.c", "line": 11, "in": {"name": "g", "line": 10}},
        {"path": "a.c", "line": 12, "in": {"name": "g", "line": 10}},
        {"path": "a.c", "line": 30},
    ]});
    let theirs = json!({"callers": [{"name": "g", "filePath": "a.c", "startLine": 10}]});
    assert_eq!(answers::callers(&ours), [("a.c".to_owned(), 10)].into());
    assert_eq!(answers::codegraph_callers(&theirs), answers::callers(&ours));
    assert!(answers::callers(&serde_json::Value::Null).is_empty());
}

#[test]
fn a_reply_mentions_any_text_in_it() {
    let place = ("a.c".to_owned(), 7);
    let ours = json!({"files": [{"path": "b.c"}], "symbols": [{"path": "a.c", "line": 7}]});
    let theirs = json!([{"node": {"filePath": "a.c", "startLine": 7}, "score": 1.5}]);
    assert!(answers::mentions(&ours, &place));
    assert!(answers::mentions(&theirs, &place));
    for other in [json!({"path": "a.c", "line": 8}), json!({"path": "b.c", "line": 7}), json!([7])]
    {
        assert!(!answers::mentions(&other, &place), "{other}");
    }
    // The path of one entry and the line of another are not a definition.
    assert!(!answers::mentions(&json!([{"path": "a.c"}, {"line": 7}]), &place));
}
