//! Edits of texts: examples, and random edits compared with a model of lines.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Returns the text after an edit, or the error with its hints.
fn edit(before: &[u8], args: Value) -> std::result::Result<String, String> {
    let mut object = json!({"path": "a"});
    object.as_object_mut().expect("it is one").extend(args.as_object().expect("it is one").clone());
    let args: Args = serde_json::from_value(object).expect("they fit");
    let all = |error: Error| {
        let hints = error.hints().join("; ");
        format!("{error}; {hints}")
    };
    check_arguments(&args).map_err(all)?;
    check_hash(&args, before).map_err(all)?;
    let text = Text::of(before).map_err(all)?;
    edited(&text, &args).map_err(all)
}

#[track_caller]
fn check(before: &str, args: Value, expected: &str) {
    assert_eq!(edit(before.as_bytes(), args.clone()).as_deref(), Ok(expected), "{args}");
}

#[track_caller]
fn check_error(before: &[u8], args: Value, parts: &[&str]) {
    let message = edit(before, args.clone()).expect_err("it is refused");
    assert!(parts.iter().all(|part| message.contains(part)), "{args}: {message}, not {parts:?}");
}

fn str_replace(old: &str, content: &str) -> Value {
    json!({"op": "str_replace", "old_string": old, "content": content})
}

fn replace(start: usize, end: usize, content: &str) -> Value {
    json!({"op": "replace", "line_start": start, "line_end": end, "content": content})
}

fn insert(after: usize, content: &str) -> Value {
    json!({"op": "insert", "after": after, "content": content})
}

fn delete(start: usize, end: usize) -> Value {
    json!({"op": "delete", "line_start": start, "line_end": end})
}

#[test]
fn texts_that_occur_once_are_replaced() {
    check("fn a() {}\nfn b() {}\n", str_replace("fn b", "fn c"), "fn a() {}\nfn c() {}\n");
    check("a\nb\nc\n", str_replace("a\nb\n", ""), "c\n");
    check("a\nb", str_replace("b", "c\nd"), "a\nc\nd");
    check("a", str_replace("a", "b\r\nc"), "b\r\nc");
    // A line feed matches the line ending of the file, and becomes the same.
    check("a\r\nb\r\nc\r\n", str_replace("a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n");
    check("a\r\nb\r\n", str_replace("a\r\nb", "x\r\ny"), "x\r\ny\r\n");
    check("a\r\nb\r\n", str_replace("\nb\n", "!"), "a!");
    check("a\nb\n", str_replace("a\r\nb", "x\r\ny"), "x\ny\n");
    check("a\nb\r\nc\n", str_replace("b", "b\nb"), "a\nb\r\nb\r\nc\n");
    check("\u{feff}a\n", str_replace("\u{feff}a", "\u{feff}b"), "\u{feff}b\n");
    check("éa\r\né", str_replace("a\né", "ü\n"), "éü\r\n");
    let expected = ["occurs 3 times, at lines 1, 1, 3", "`replace`"];
    check_error(b"aaa\n-\naa\n", str_replace("aa", "b"), &expected);
    let many = "x\n".repeat(30);
    check_error(many.as_bytes(), str_replace("x", "b"), &["30 times", "9, 10, …"]);
    let expected = ["does not occur in the file", "occurs at line 2, but"];
    check_error(b"fn a() {\n    b();\n}\n", str_replace("  b();\n  c();\n", ""), &expected);
    check_error(b"a\n", str_replace("b", ""), &["does not occur", "{tool:read} shows"]);
    check_error(b"", str_replace("b", ""), &["does not occur"]);
    check_error(b"a\n", str_replace("", "b"), &["`old_string` is empty"]);
}

#[test]
fn lines_are_replaced_inserted_and_deleted() {
    check("a\nb\nc\n", replace(2, 2, "x"), "a\nx\nc\n");
    check("a\nb\nc\n", replace(2, 3, "x\ny\n"), "a\nx\ny\n");
    check("a\nb\nc\n", replace(1, 3, "\n"), "\n");
    check("a\nb", replace(2, 2, "x\n"), "a\nx");
    check("a\nb", replace(1, 1, "x\ny"), "x\ny\nb");
    check("a\r\nb\r\n", replace(2, 2, "x\ny"), "a\r\nx\r\ny\r\n");
    check("a\nb\n", replace(1, 1, "x\r\ny\r\n"), "x\ny\nb\n");
    check("a", json!({"op": "replace", "line_start": 1, "content": "x"}), "x");
    check("a\nb\n", insert(0, "x"), "x\na\nb\n");
    check("a\nb\n", insert(2, "x\n"), "a\nb\nx\n");
    check("a\nb", insert(2, "x\n"), "a\nb\nx");
    check("a", insert(1, "x"), "a\nx");
    check("a\r\nb", insert(2, "x"), "a\r\nb\r\nx");
    check("", insert(0, "x"), "x");
    check("", insert(0, "x\n"), "x\n");
    check("\u{feff}", insert(0, "x\n"), "\u{feff}x\n");
    check("\u{feff}a\n", insert(0, "\u{feff}x"), "\u{feff}x\na\n");
    check("\u{feff}a\n", replace(1, 1, "x"), "\u{feff}x\n");
    check("a\nb\nc\n", delete(2, 2), "a\nc\n");
    check("a\nb\nc", delete(2, 3), "a");
    check("a\n\nc", delete(3, 3), "a\n\n");
    check("a\n", delete(1, 1), "");
    check("a\nb\n", json!({"op": "delete", "line_start": 2}), "a\n");
}

#[test]
fn invalid_edits_are_rejected() {
    check_error(b"a\n", replace(2, 2, "x"), &["there is no line 2: the file has 1"]);
    check_error(b"a\nb\n", replace(2, 1, "x"), &["line 1 comes before line 2"]);
    check_error(b"a\n", replace(0, 1, "x"), &["line numbers begin at 1"]);
    check_error(b"a\n", insert(2, "x"), &["there is no line 2: the file has 1"]);
    check_error(b"", delete(1, 1), &["there is no line 1: the file has 0"]);
    check_error(b"a\n", replace(1, 1, ""), &["`content` is empty", "`delete`"]);
    check_error(b"", insert(0, ""), &["`content` is empty"]);
    check_error(b"a\n", json!({"op": "insert", "content": "x"}), &["missing argument `after`"]);
    let expected = ["`delete` does not use `content`", "takes `line_start`"];
    check_error(b"a\n", json!({"op": "delete", "line_start": 1, "content": ""}), &expected);
    let expected = ["`str_replace` does not use `after`"];
    check_error(
        b"a\n",
        json!({"op": "str_replace", "old_string": "a", "content": "", "after": 1}),
        &expected,
    );
    check_error(
        b"",
        json!({"op": "create", "content": "x", "if_hash": "1"}),
        &["does not use `if_hash`"],
    );
    check_error(b"a\n", insert(0, "x\0"), &["NUL character"]);
    check_error(b"a\0\n", insert(0, "x"), &["binary: it contains a NUL byte"]);
    check_error(b"\xFF\xFEa\0", insert(0, "x"), &["UTF-16 text"]);
    check_error(b"ab\xFF\n", insert(0, "x"), &["not valid UTF-8 from byte 2 on"]);
    let mut args = insert(0, "x");
    args["if_hash"] = json!("0123456789abcdef");
    let hash = read::hash(b"a\n");
    check_error(b"a\n", args.clone(), &[&format!("its hash is {hash}, not 0123456789abcdef")]);
    args["if_hash"] = json!(hash);
    check("a\n", args, "x\na\n");
}

#[test]
fn long_diffs_are_cut_after_a_write() {
    let after = "line\n".repeat(1000);
    let dry = reply_of(b"a.rs", None, &after, false);
    assert!(
        dry.render(&crate::answer::style::Plain).starts_with("a.rs  not written (dry run)  hash "),
        "{}",
        dry.render(&crate::answer::style::Plain)
    );
    assert_eq!(dry.diff.lines().count(), 1003);
    let written = dry.after_write(Status::Created);
    assert_eq!(written.diff.lines().count(), DIFF_LINES_MAX);
    assert_eq!(written.lines_left_out, 1003 - DIFF_LINES_MAX);
    assert!(
        written.render(&crate::answer::style::Plain).ends_with("… 943 more lines\n"),
        "{}",
        written.render(&crate::answer::style::Plain)
    );
    assert!(written.diff.starts_with("--- /dev/null\n+++ b/a.rs\n@@ -0,0 +1,1000 @@\n"));
}

/// A line, and whether it ends with a carriage return and a line feed.
fn line() -> impl Strategy<Value = (String, bool)> {
    ("[ab é]{0,3}", any::<bool>())
}

/// A file: its lines, whether all line endings are equal, a byte order mark, a final newline.
fn file() -> impl Strategy<Value = (Vec<(String, bool)>, Option<bool>, bool, bool)> {
    (prop::collection::vec(line(), 0..8), any::<Option<bool>>(), any::<bool>(), any::<bool>())
}

proptest! {
    /// The lines are those of the model; the mark, the line endings, the other lines and the final
    /// newline stay.
    #[test]
    fn edits_match_a_model_of_lines(
        (lines, alike, has_mark, is_ended) in file(),
        new in prop::collection::vec("[xy]{0,2}", 1..4),
        (start, len) in (0_usize..8, 0_usize..4),
        new_ends in any::<bool>(),
    ) {
        let mut before = String::new();
        if has_mark {
            before.push(MARK);
        }
        let last = lines.len().saturating_sub(1);
        for (at, (line, is_windows)) in lines.iter().enumerate() {
            before.push_str(line);
            // An empty last line without a line ending is not a line.
            if at < last || is_ended || line.is_empty() {
                before.push_str(if alike.unwrap_or(*is_windows) { "\r\n" } else { "\n" });
            }
        }
        let body = before.trim_start_matches(MARK);
        let (old, was_ended) = (body.lines().collect::<Vec<_>>(), body.ends_with('\n'));
        let start = start.min(old.len());
        let end = (start + len).min(old.len());
        let mut content = new.join("\n");
        if new_ends || new.iter().all(String::is_empty) {
            content.push('\n');
        }
        let new: Vec<&str> = content.lines().collect();
        let (args, taken, put) = match (end - start, len) {
            (0, _) => (insert(start, &content), start..start, new),
            (_, 1) => (delete(start + 1, end), start..end, Vec::new()),
            _ => (replace(start + 1, end, &content), start..end, new),
        };
        let mut model = old.clone();
        model.splice(taken.clone(), put);
        let after = edit(before.as_bytes(), args.clone()).expect("there are such lines");
        prop_assert_eq!(after.starts_with(MARK), has_mark);
        let after = after.trim_start_matches(MARK);
        prop_assert_eq!(after.lines().collect::<Vec<_>>(), model.clone(), "{} of {:?}", args, before);
        if let Some(last) = model.last().filter(|last| !old.is_empty() && !last.is_empty()) {
            prop_assert_eq!(after.ends_with('\n'), was_ended, "{} {} of {:?}", last, args, before);
        }
        if let (Some(is_windows), true) = (alike, body.contains('\n')) {
            let feeds = after.matches('\n').count();
            prop_assert_eq!(after.matches("\r\n").count(), if is_windows { feeds } else { 0 });
        }
        // Lines before the edit keep their bytes.
        let kept: usize = body.split_inclusive('\n').take(taken.start).map(str::len).sum();
        let kept = body[..kept].trim_end_matches(['\r', '\n']);
        prop_assert!(after.starts_with(kept));
    }

    /// The reverse replacement restores the original text.
    #[test]
    fn reverse_replacement_restores_the_text(
        (lines, alike, has_mark, is_ended) in file(),
        new in "[xy\n]{1,5}",
    ) {
        let line_end = if alike == Some(true) { "\r\n" } else { "\n" };
        let mut before: String = if has_mark { MARK.to_string() } else { String::new() };
        before.push_str("first");
        before.push_str(line_end);
        before.push_str("the old\n text".replace('\n', line_end).as_str());
        for (line, _) in &lines {
            before.push_str(line_end);
            before.push_str(line);
        }
        if is_ended {
            before.push_str(line_end);
        }
        let there = format!("<{new}>");
        let after = edit(before.as_bytes(), str_replace("old\n text", &there)).expect("once");
        prop_assert_eq!(after.matches('\n').count(), after.matches(line_end).count());
        let back = edit(after.as_bytes(), str_replace(&there, "old\n text")).expect("once");
        prop_assert_eq!(back, before);
    }
}

#[test]
fn unchanged_lines_keep_mixed_line_endings() {
    let check = |before: &str, old: &str, content: &str, expected: &str| {
        let after = edit(before.as_bytes(), str_replace(old, content)).expect("it occurs once");
        assert_eq!(after, expected, "{old:?} by {content:?}");
    };
    check("a\r\nb\nc\n", "a\nb\nc", "a\nb\nC", "a\r\nb\nC\n");
    check("a\nb\r\nc\n", "a\nb\nc\n", "A\nb\nc\n", "A\nb\r\nc\n");
    check("a\r\nb\nc\n", "a\nb\nc", "a\nx\nc", "a\r\nx\nc\n");
    check("a\r\nb\nc\n", "b\nc", "b\nnew\nc", "a\r\nb\nnew\nc\n");
    check("a\r\nb\n", "a\nb\n", "", "");
    let often = " ".repeat(5_000);
    let error = edit(often.as_bytes(), str_replace("  ", "x")).expect_err("it occurs often");
    assert!(error.to_string().contains("more than 1000 times"), "{error}");
}

const MARK: char = '\u{feff}';
