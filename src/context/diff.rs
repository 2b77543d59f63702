//! Parses unified diffs: the files, and the changed lines in them.

/// Maximum number of files of a diff; the rest is ignored.
const FILES_MAX: usize = 500;

/// Maximum number of lines of a diff; the rest is ignored.
const LINES_MAX: usize = 50_000;

/// The part of a diff for one file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FileDiff {
    /// The path before; `None` for a new file.
    pub old_path: Option<String>,
    /// The path after; `None` for a deleted file.
    pub new_path: Option<String>,
    /// The hunks, in order.
    pub hunks: Vec<Hunk>,
}

/// A hunk: a changed part of a file, before and after.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Hunk {
    old: Side,
    new: Side,
}

/// One side of a hunk.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Side {
    /// Its first line, from 1.
    start: usize,
    /// Its lines.
    lines: Vec<String>,
    /// Indexes of lines that differ, or that are adjacent to lines only on the other side.
    touched: Vec<usize>,
    /// The last of `touched` is only adjacent to lines on the other side.
    is_adjacent: bool,
}

impl Hunk {
    /// Returns the lines of a file, from 1, that the hunk changed, or would change if applied.
    /// Empty if the file matches neither side.
    pub fn touched(&self, file: &[&str]) -> Vec<usize> {
        let is_there = |side: &&Side| {
            let start = side.start.saturating_sub(1);
            let there = file.get(start..start.saturating_add(side.lines.len()));
            there.is_some_and(|there| there.iter().zip(&side.lines).all(|(a, b)| a == b))
        };
        // A side without lines matches anywhere, so try it last.
        let mut sides = [&self.new, &self.old];
        sides.sort_by_key(|side| side.lines.is_empty());
        let side = sides.into_iter().find(is_there);
        let lines = |side: &Side| {
            side.touched.iter().map(|at| (side.start + at).max(1)).collect::<Vec<_>>()
        };
        side.map(lines).unwrap_or_default()
    }
}

/// Parses a unified diff; other lines are ignored. O(text).
pub fn read(text: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    // Remaining lines of the current hunk on either side.
    let (mut old_left, mut new_left) = (0, 0);
    for line in text.lines().take(LINES_MAX) {
        if old_left > 0 || new_left > 0 {
            if let Some(hunk) = files.last_mut().and_then(|file| file.hunks.last_mut()) {
                hunk.add(line, &mut old_left, &mut new_left);
            }
            continue;
        }
        if let Some(path) = line.strip_prefix("--- ") {
            if files.len() == FILES_MAX {
                break;
            }
            files.push(FileDiff { old_path: named(path, "a/"), ..FileDiff::default() });
        } else if let Some(path) = line.strip_prefix("+++ ") {
            if let Some(file) = files.last_mut().filter(|file| file.hunks.is_empty()) {
                file.new_path = named(path, "b/");
            }
        } else if let Some(ranges) = line.strip_prefix("@@ ")
            && let Some(file) = files.last_mut()
            && let Some(((old_start, old), (new_start, new))) = both(ranges)
        {
            (old_left, new_left) = (old, new);
            let side = |start| Side { start, ..Side::default() };
            file.hunks.push(Hunk { old: side(old_start), new: side(new_start) });
        }
    }
    files
}

impl Side {
    /// Records that the next line differs.
    fn touch(&mut self) {
        if self.is_adjacent {
            // This side has its own line there, so the adjacent line is unchanged.
            self.touched.pop();
        }
        self.is_adjacent = false;
        self.touched.push(self.lines.len());
    }

    /// Records that the other side has an additional line after the last one.
    fn touch_adjacent(&mut self) {
        let adjacent = self.lines.len().saturating_sub(1);
        if self.touched.last() != Some(&adjacent) {
            self.touched.push(adjacent);
            self.is_adjacent = true;
        }
    }
}

impl Hunk {
    fn add(&mut self, line: &str, old_left: &mut usize, new_left: &mut usize) {
        let (mark, rest) = match line.as_bytes().first() {
            Some(b'-') => (b'-', &line[1..]),
            Some(b'+') => (b'+', &line[1..]),
            Some(b'\\') => return,
            // Some programs strip the leading blank of an empty context line.
            Some(b' ') => (b' ', &line[1..]),
            _ => (b' ', line),
        };
        let Hunk { old, new } = self;
        if mark != b' ' {
            let (own, other) =
                if mark == b'-' { (&mut *old, &mut *new) } else { (&mut *new, &mut *old) };
            own.touch();
            other.touch_adjacent();
        }
        if mark != b'+' {
            old.lines.push(rest.to_owned());
            *old_left = old_left.saturating_sub(1);
        }
        if mark != b'-' {
            new.lines.push(rest.to_owned());
            *new_left = new_left.saturating_sub(1);
        }
    }
}

/// Returns the path of a header line, without git's prefix and a trailing timestamp.
fn named(header: &str, prefix: &str) -> Option<String> {
    let path = header.split('\t').next().unwrap_or_default().trim_end();
    let path = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or(path);
    if path == "/dev/null" || path.is_empty() {
        return None;
    }
    let path = path.strip_prefix(prefix).unwrap_or(path);
    Some(path.trim_start_matches("./").to_owned())
}

/// One side of a hunk header: first line and number of lines.
type Range = (usize, usize);

/// Parses `-1,2 +1,3 @@`.
fn both(ranges: &str) -> Option<(Range, Range)> {
    let range = |text: &str, sign: char| {
        let text = text.strip_prefix(sign)?;
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse::<usize>().ok()?.min(LINES_MAX)))
    };
    let mut words = ranges.split(' ');
    Some((range(words.next()?, '-')?, range(words.next()?, '+')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "\
diff --git a/src/a.rs b/src/a.rs
index 1..2 100644
--- a/src/a.rs
+++ b/src/a.rs
@@ -1,3 +1,4 @@ fn head()
 one
-two
+TWO
+more
 three
--- a/gone.rs\t2020-01-01
+++ /dev/null
@@ -1 +0,0 @@
--- not a header
";

    #[test]
    fn files_and_lines_are_read() {
        let files = read(DIFF);
        assert_eq!(files.len(), 2);
        assert_eq!(files[0].new_path.as_deref(), Some("src/a.rs"));
        assert_eq!((files[1].old_path.as_deref(), &files[1].new_path), (Some("gone.rs"), &None));
        let hunk = &files[0].hunks[0];
        assert_eq!(hunk.touched(&["one", "TWO", "more", "three", "x"]), [2, 3]);
        assert_eq!(hunk.touched(&["one", "two", "three"]), [2]);
        assert!(hunk.touched(&["other", "two", "three"]).is_empty());
        assert!(hunk.touched(&[]).is_empty());
    }

    #[test]
    fn other_text_is_ignored() {
        for text in ["", "hello", "@@ -1 +1 @@", "--- \n+++ \n@@ x @@", "+++ b/x", "@@ -9"] {
            assert!(read(text).iter().all(|file| file.hunks.is_empty()), "{text:?}");
        }
        let broken = read("--- a/x\n+++ b/x\n@@ -1,99999999999999999999 +1 @@\n+a\n");
        assert!(broken[0].hunks.is_empty());
    }
}
