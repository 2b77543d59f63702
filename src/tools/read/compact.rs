//! The lines of a text without blank lines and comments.

use crate::lang::Language;

/// Returns for each line whether it is kept. A comment is recognized by the start of its line, so a
/// line within a string that looks like a comment is dropped, too.
pub(super) fn kept(lines: &[&str], language: Option<&Language>) -> Vec<bool> {
    let (line_comments, block_comments) =
        language.map_or((&[][..], &[][..]), |found| (found.line_comments, found.block_comments));
    // The end of the block comment that contains the current line.
    let mut until: Option<&str> = None;
    let mut kept = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim();
        if let Some(end) = until {
            let after = line.split_once(end).map(|(_, after)| after);
            if after.is_some() {
                until = None;
            }
            kept.push(after.is_some_and(|after| !after.trim().is_empty()));
            continue;
        }
        let opened = block_comments.iter().find(|(start, _)| line.starts_with(start));
        if let Some((start, end)) = opened {
            let after = line[start.len()..].split_once(end).map(|(_, after)| after);
            if after.is_none() {
                until = Some(end);
            }
            kept.push(after.is_some_and(|after| !after.trim().is_empty()));
            continue;
        }
        // A shebang on the first line is kept, although `#` starts a comment.
        let is_shebang = at == 0 && line.starts_with("#!");
        let is_comment = line_comments.iter().any(|start| line.starts_with(start));
        kept.push(!line.is_empty() && (!is_comment || is_shebang));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::language;

    #[test]
    fn comments_and_blank_lines_are_dropped() {
        let check = |path: &str, text: &str, expected: &str| {
            let lines: Vec<&str> = text.lines().collect();
            let kept = kept(&lines, language::of_path(std::path::Path::new(path)));
            let left: Vec<&str> =
                lines.iter().zip(kept).filter(|(_, keep)| *keep).map(|(line, _)| *line).collect();
            assert_eq!(left.join("|"), expected, "{path}");
        };
        check(
            "a.rs",
            "// a\nfn a() {}\n\n/* b\n c */ x\n/* d */\ny // e\n",
            "fn a() {}| c */ x|y // e",
        );
        check("a.py", "#!/usr/bin/python\n# c\nx = 1\n", "#!/usr/bin/python|x = 1");
        check("a.txt", "# kept\n\n// kept\n", "# kept|// kept");
    }
}
