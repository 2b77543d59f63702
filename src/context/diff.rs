//! Reads unified diffs: which files they name, and which lines of them.

/// Files of a diff; more are not read.
const FILES_MAX: usize = 500;

/// Lines of a diff; more are not read.
const LINES_MAX: usize = 50_000;

/// What a diff says of one file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct FileDiff {
    /// Its path before; `None` where it is new.
    pub old_path: Option<String>,
    /// Its path after; `None` where it is gone.
    pub new_path: Option<String>,
    /// The parts that differ.
    pub hunks: Vec<Hunk>,
}

/// A part of a file that differs, from both sides.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Hunk {
    old: Side,
    new: Side,
}

/// A part of a file as it is on one side.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Side {
    /// Its first line, from 1.
    start: usize,
    /// Its lines.
    lines: Vec<String>,
    /// Which of them differ, or stand where the other side has more, from 0.
    touched: Vec<usize>,
    /// The last of these only stands where the other side has more.
    is_beside: bool,
}

impl Hunk {
    /// Returns the lines of a file, from 1, that the hunk changed, or would change if it was applied;
    /// none where the file is as neither side says.
    pub fn touched(&self, file: &[&str]) -> Vec<usize> {
        let is_there = |side: &&Side| {
            let start = side.start.saturating_sub(1);
            let there = file.get(start..start.saturating_add(side.lines.len()));
            there.is_some_and(|there| there.iter().zip(&side.lines).all(|(a, b)| a == b))
        };
        // Nothing is everywhere: a side without lines says the least.
        let mut sides = [&self.new, &self.old];
        sides.sort_by_key(|side| side.lines.is_empty());
        let side = sides.into_iter().find(is_there);
        let lines = |side: &Side| {
            side.touched.iter().map(|at| (side.start + at).max(1)).collect::<Vec<_>>()
        };
        side.map(lines).unwrap_or_default()
    }
}

/// Reads a unified diff; what is none is passed over. O(text).
pub fn read(text: &str) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    // Lines that the hunk has yet to have on either side.
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
    /// Notes that the next line differs.
    fn touch(&mut self) {
        if self.is_beside {
            // There is something in the place of what the other side has.
            self.touched.pop();
        }
        self.is_beside = false;
        self.touched.push(self.lines.len());
    }

    /// Notes that the other side has a line behind the last one.
    fn touch_beside(&mut self) {
        let beside = self.lines.len().saturating_sub(1);
        if self.touched.last() != Some(&beside) {
            self.touched.push(beside);
            self.is_beside = true;
        }
    }
}

impl Hunk {
    fn add(&mut self, line: &str, old_left: &mut usize, new_left: &mut usize) {
        let (mark, rest) = match line.as_bytes().first() {
            Some(b'-') => (b'-', &line[1..]),
            Some(b'+') => (b'+', &line[1..]),
            Some(b'\\') => return,
            // Some programs take the blank of an empty line away.
            Some(b' ') => (b' ', &line[1..]),
            _ => (b' ', line),
        };
        let Hunk { old, new } = self;
        if mark != b' ' {
            let (own, other) =
                if mark == b'-' { (&mut *old, &mut *new) } else { (&mut *new, &mut *old) };
            own.touch();
            other.touch_beside();
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

/// Returns the path of a header, without what git puts before it and a time behind it.
fn named(header: &str, prefix: &str) -> Option<String> {
    let path = header.split('\t').next().unwrap_or_default().trim_end();
    let path = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or(path);
    if path == "/dev/null" || path.is_empty() {
        return None;
    }
    let path = path.strip_prefix(prefix).unwrap_or(path);
    Some(path.trim_start_matches("./").to_owned())
}

/// A side of a hunk's head: its first line, and how many there are.
type Range = (usize, usize);

/// Reads `-1,2 +1,3 @@`.
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
    fn what_is_no_diff_is_passed_over() {
        for text in ["", "hello", "@@ -1 +1 @@", "--- \n+++ \n@@ x @@", "+++ b/x", "@@ -9"] {
            assert!(read(text).iter().all(|file| file.hunks.is_empty()), "{text:?}");
        }
        let broken = read("--- a/x\n+++ b/x\n@@ -1,99999999999999999999 +1 @@\n+a\n");
        assert!(broken[0].hunks.is_empty());
    }
}
