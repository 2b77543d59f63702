//! Unified diffs for display, with one hunk, because an edit changes one place.

use super::text::plain;

/// Number of context lines.
pub const AROUND: usize = 3;

/// Maximum characters shown of a line. A settings file may be one line of megabytes.
const LINE_CHARS: usize = 300;

/// Characters shown before the change in a longer line.
const LEAD_CHARS: usize = 60;

/// Returns the unified diff from `before` to `after`, or an empty string if they are equal. `names`
/// are the names of both.
///
/// Control characters are escaped, line terminators are not shown, and of long lines only the
/// changed part is. The result is for reading, not for `patch`.
pub fn unified(names: (&str, &str), before: &str, after: &str) -> String {
    unified_at(names, 0, before, after)
}

/// The part of two texts in which they differ, in whole lines.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ChangedPart<'a> {
    /// The number of lines before it, the same in both texts.
    pub lines_before: usize,
    /// The part of the text before the change.
    pub before: &'a str,
    /// The part of the text after it.
    pub after: &'a str,
}

/// Returns the lines in which two texts differ, and up to `around` lines on either side. O(text), at
/// the speed of memory.
pub fn changed_part<'a>(before: &'a str, after: &'a str, around: usize) -> ChangedPart<'a> {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    let same = common_prefix(old, new);
    let mut start = memchr::memrchr(b'\n', &old[..same]).map_or(0, |end| end + 1);
    // The common end does not overlap the common start, and begins at a line of both texts.
    let tail = common_suffix(&old[start..], &new[start..]);
    let tail = match memchr::memchr(b'\n', &old[old.len() - tail..]) {
        Some(end) => tail - end - 1,
        None => 0,
    };
    if let Some(last) = around.checked_sub(1) {
        let inside = &old[..start.saturating_sub(1)];
        start = memchr::memrchr_iter(b'\n', inside).nth(last).map_or(0, |end| end + 1);
    }
    let shown = around.checked_sub(1).map_or(0, |last| {
        let rest = &old[old.len() - tail..];
        memchr::memchr_iter(b'\n', rest).nth(last).map_or(rest.len(), |end| end + 1)
    });
    let lines_before = memchr::memchr_iter(b'\n', &old[..start]).count();
    let part = |text: &'a str| &text[start..text.len() - tail + shown];
    ChangedPart { lines_before, before: part(before), after: part(after) }
}

/// The number of bytes that are compared at once.
const BLOCK: usize = 256;

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let same = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    same + one[same..].iter().zip(&other[same..]).take_while(|(a, b)| a == b).count()
}

fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK));
    let same = BLOCK * blocks.take_while(|(a, b)| a == b).count();
    let rest = (&one[..one.len() - same], &other[..other.len() - same]);
    same + rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Returns [`unified`] for parts of two texts that have `lines_before` lines before them.
pub fn unified_at(names: (&str, &str), lines_before: usize, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let behind = old[same..].iter().rev().zip(new[same..].iter().rev());
    let tail = behind.take_while(|(old, new)| old == new).count();
    let from = same.saturating_sub(AROUND);
    let shown = tail.min(AROUND);
    let (old_to, new_to) = (old.len() - tail, new.len() - tail);
    let mut text = format!("--- {}\n+++ {}\n", plain(names.0), plain(names.1));
    let place = |count: usize| match count {
        0 => format!("{},0", lines_before + from),
        count => format!("{},{count}", lines_before + from + 1),
    };
    text.push_str(&format!(
        "@@ -{} +{} @@\n",
        place(old_to + shown - from),
        place(new_to + shown - from)
    ));
    let differs_at = match (old.get(same), new.get(same)) {
        (Some(old), Some(new)) => old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    let mut put = |sign: char, lines: &[&str], at: usize| {
        for line in lines {
            text.push(sign);
            text.push_str(&line_shown(line, at));
            text.push('\n');
            if !line.ends_with('\n') {
                text.push_str("\\ No newline at end of file\n");
            }
        }
    };
    put(' ', &old[from..same], 0);
    put('-', &old[same..old_to], differs_at);
    put('+', &new[same..new_to], differs_at);
    put(' ', &old[old_to..old_to + shown], 0);
    text
}

/// Returns a line for display; if it is long, only the text around its character `at`.
fn line_shown(line: &str, at: usize) -> String {
    let line = line.trim_end_matches(['\r', '\n']);
    let escape = |part: &str| part.split('\t').map(plain).collect::<Vec<_>>().join("\t");
    if line.chars().nth(LINE_CHARS).is_none() {
        return escape(line);
    }
    let from = at.saturating_sub(LEAD_CHARS);
    let part: String = line.chars().skip(from).take(LINE_CHARS).collect();
    let more = line.chars().nth(from + LINE_CHARS).is_some();
    let (before, after) = (if from > 0 { "…" } else { "" }, if more { "…" } else { "" });
    format!("{before}{}{after}", escape(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        assert_eq!(unified(("a", "b"), before, after), expected);
    }

    #[test]
    fn changes_are_shown_with_their_surroundings() {
        check("x\n", "x\n", "");
        check("", "x\n", "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
        check("x\n", "", "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
        let five = "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        check("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", five);
        let end = "\\ No newline at end of file\n";
        let last = format!("--- a\n+++ b\n@@ -1,1 +1,2 @@\n-x\n{end}+x\n+y\n{end}");
        check("x", "x\ny", &last);
        check("\ta\r\n", "\tb\u{1b}\r\n", "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-\ta\n+\tb\\u{1b}\n");
    }

    #[test]
    fn the_changed_part_has_the_diff_of_the_whole_text() {
        let lines: Vec<String> = (0..600).map(|at| format!("line {} é\n", at % 50)).collect();
        let whole = lines.concat();
        let mut texts = vec![String::new(), "x".to_owned(), "x\n".to_owned(), whole.clone()];
        for at in [0, 1, 3, 299, 597, 599] {
            let mut other = lines.clone();
            other[at] = "another line\n".to_owned();
            texts.push(other.concat());
            other[at] = String::new();
            texts.push(other.concat());
            other[at] = format!("{}more\nand more\n", lines[at]);
            texts.push(other.concat());
        }
        texts.push(whole.trim_end().to_owned());
        texts.push(format!("{whole}{whole}"));
        for before in &texts {
            for after in &texts {
                for around in [AROUND, AROUND + 1, 50] {
                    let part = changed_part(before, after, around);
                    let shown = unified_at(("a", "b"), part.lines_before, part.before, part.after);
                    assert_eq!(shown, unified(("a", "b"), before, after), "{before:?} {after:?}");
                }
            }
        }
        let part = changed_part(&whole, &texts[7], 3);
        assert!(part.before.lines().count() < 10, "{}", part.before);
    }

    #[test]
    fn of_long_lines_the_change_is_shown() {
        let long = "é".repeat(5000);
        let shown = unified(("a", "b"), &format!("{long}{long}"), &format!("{long}here{long}"));
        let line = shown.lines().find(|line| line.starts_with('+') && line.contains("here"));
        let line = line.expect("the change is shown");
        assert_eq!(line.chars().count(), LINE_CHARS + 3);
        assert!(line.starts_with("+…") && line.ends_with('…'), "{line}");
    }
}
