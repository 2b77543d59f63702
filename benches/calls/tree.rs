//! The tree in memory: its texts and the program that they form.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use codedb::graph::program::Program;

/// A tree's texts and facts.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) texts: HashMap<String, Vec<u8>>,
    /// The byte after each line end of the texts.
    lines: HashMap<String, Vec<usize>>,
    pub(crate) program: Program,
}

impl Tree {
    /// Reads the files below `root` that are not ignored.
    pub(crate) fn read(root: &Path) -> Result<Tree, String> {
        let root = root.canonicalize().map_err(|error| format!("{}: {error}", root.display()))?;
        let mut texts = Vec::new();
        for entry in ignore::WalkBuilder::new(&root).build().flatten() {
            let path = entry.path();
            let Some(relative) = path.strip_prefix(&root).ok().and_then(Path::to_str) else {
                continue;
            };
            if entry.file_type().is_some_and(|kind| kind.is_file())
                && let Ok(text) = std::fs::read(path)
            {
                texts.push((relative.to_owned(), text));
            }
        }
        let ends = |text: &[u8]| {
            text.iter().enumerate().filter(|it| *it.1 == b'\n').map(|it| it.0 + 1).collect()
        };
        let lines = texts.iter().map(|(path, text)| (path.clone(), ends(text))).collect();
        let kept = texts.iter().cloned().collect();
        Ok(Tree { root, texts: kept, lines, program: Program::new(texts) })
    }

    /// Returns a file's line (from 0) and column in UTF-16 units of a byte. O(log n + length of the line),
    /// since `callers` asks for the position of every caller.
    pub(crate) fn position(&self, path: &str, byte: usize) -> Option<(usize, usize)> {
        let before = self.texts.get(path)?.get(..byte)?;
        let ends = self.lines.get(path)?;
        let line = ends.partition_point(|&end| end <= byte);
        let start = if line == 0 { 0 } else { ends[line - 1] };
        let column = String::from_utf8_lossy(&before[start..]).encode_utf16().count();
        Some((line, column))
    }

    /// Returns the trimmed text of a line, counted from 0.
    pub(crate) fn line(&self, path: &str, line: usize) -> String {
        let text = self.texts.get(path).map(Vec::as_slice).unwrap_or_default();
        let line = text.split(|&byte| byte == b'\n').nth(line).unwrap_or_default();
        String::from_utf8_lossy(line).trim().chars().take(110).collect()
    }
}
