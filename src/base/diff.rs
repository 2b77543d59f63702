//! Unified diffs for display, with one hunk, because an edit changes one place.

use super::text::plain;

/// Number of context lines.
const AROUND: usize = 3;

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
        0 => format!("{from},0"),
        count => format!("{},{count}", from + 1),
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
    fn of_long_lines_the_change_is_shown() {
        let long = "é".repeat(5000);
        let shown = unified(("a", "b"), &format!("{long}{long}"), &format!("{long}here{long}"));
        let line = shown.lines().find(|line| line.starts_with('+') && line.contains("here"));
        let line = line.expect("the change is shown");
        assert_eq!(line.chars().count(), LINE_CHARS + 3);
        assert!(line.starts_with("+…") && line.ends_with('…'), "{line}");
    }
}
