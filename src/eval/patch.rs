//! Parses unified diffs into the changed lines of the files before the patch.

use std::ops::Range;

/// A file changed by a patch.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Touched {
    /// Its path before the patch.
    pub path: Vec<u8>,
    /// Lines before the patch, from 1: each removed line, and the lines before and after each
    /// insertion.
    pub lines: Vec<Range<usize>>,
}

/// Returns the existing files that a patch changes, in order. O(patch).
pub fn touched(patch: &[u8]) -> Vec<Touched> {
    let mut files: Vec<Touched> = Vec::new();
    // Remaining lines of the hunk on each side, and the next line number before the patch.
    let (mut before, mut after, mut at) = (0, 0, 0);
    let mut is_new = false;
    for line in patch.split(|&byte| byte == b'\n') {
        if before > 0 || after > 0 {
            let Some(file) = files.last_mut().filter(|_| !is_new) else {
                // Lines of a new file.
                after -= usize::from(line.starts_with(b"+")).min(after);
                before = 0;
                continue;
            };
            match line.first() {
                Some(b'-') => {
                    push(&mut file.lines, at..at + 1);
                    at += 1;
                    before -= 1.min(before);
                }
                Some(b'+') => {
                    push(&mut file.lines, at.saturating_sub(1)..at + 1);
                    after -= 1.min(after);
                }
                Some(b'\\') => {}
                _ => {
                    at += 1;
                    before -= 1.min(before);
                    after -= 1.min(after);
                }
            }
        } else if let Some(path) = line.strip_prefix(b"--- ") {
            is_new = path.starts_with(b"/dev/null");
            if !is_new {
                files.push(Touched { path: plain(path), lines: Vec::new() });
            }
        } else if let Some((old, new)) = line.strip_prefix(b"@@ -").and_then(hunk) {
            (before, after) = (old.1, new.1);
            // The header of a pure insertion has the line before it.
            at = if before == 0 { old.0 + 1 } else { old.0 };
        }
    }
    files
}

fn push(lines: &mut Vec<Range<usize>>, new: Range<usize>) {
    if lines.last() != Some(&new) {
        lines.push(new);
    }
}

/// Returns the path of a `---` line.
fn plain(path: &[u8]) -> Vec<u8> {
    let path = path.split(|&byte| byte == b'\t').next().unwrap_or_default();
    let path = path.strip_suffix(b"\r").unwrap_or(path);
    path.strip_prefix(b"a/").unwrap_or(path).to_vec()
}

/// Parses start and count of both sides of `3,2 +5 @@ …`.
fn hunk(line: &[u8]) -> Option<((usize, usize), (usize, usize))> {
    let line = std::str::from_utf8(line.get(..line.len().min(60))?).ok()?;
    let mut words = line.split(' ');
    let range = |word: &str| -> Option<(usize, usize)> {
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let before = range(words.next()?)?;
    Some((before, range(words.next()?.strip_prefix('+')?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_a_patch_are_found() {
        let patch = b"diff --git a/x.py b/x.py\nindex 1..2 100644\n--- a/x.py\n+++ b/x.py\n\
            @@ -3,4 +3,5 @@ def f():\n a\n-b\n+c\n+d\n e\n f\n@@ -20,0 +22,2 @@\n+--- a\n+h\n\
            diff --git a/new b/new\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n\
            diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-x\n-y\n";
        let expected = vec![
            Touched { path: b"x.py".to_vec(), lines: vec![4..5, 4..6, 20..22] },
            Touched { path: b"gone".to_vec(), lines: vec![1..2, 2..3] },
        ];
        assert_eq!(touched(patch), expected);
        assert_eq!(touched(b""), []);
        assert_eq!(
            touched(b"@@ -x +1 @@\n--- \n@@ -1,9 +1 @@\n"),
            [Touched { path: Vec::new(), lines: vec![] }]
        );
    }
}
