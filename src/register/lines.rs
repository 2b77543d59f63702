//! Appends blocks of whole lines to a text and removes them: `cut` undoes `append`.

use std::ops::Range;

/// Returns the first line end of `text`, `\n` if it has none.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns `text` with `block` after a blank line. The result ends with a line end if `text` does.
pub(super) fn append(text: &str, block: &[&str]) -> String {
    let end = line_end(text);
    let block = block.join(end);
    match text {
        "" => format!("{block}{end}"),
        _ if text.ends_with('\n') => format!("{text}{end}{block}{end}"),
        _ => format!("{text}{end}{end}{block}"),
    }
}

/// Returns the range extended to whole lines, including the last line end.
pub(super) fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
    start..end
}

/// Returns `text` without the lines of `range` and the blank line before them.
pub(super) fn cut(text: &str, range: Range<usize>) -> String {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    if !text[range].ends_with('\n') {
        let before = without_end(before).unwrap_or(before);
        return without_end(before).unwrap_or(before).to_owned();
    }
    let line_before = without_end(before);
    match line_before {
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => format!("{rest}{after}"),
        None => after
            .strip_prefix("\r\n")
            .or_else(|| after.strip_prefix('\n'))
            .unwrap_or(after)
            .to_owned(),
        Some(_) => format!("{before}{after}"),
    }
}

/// Returns `text` without its final line end.
fn without_end(text: &str) -> Option<&str> {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_undoes_append() {
        for text in ["", "a", "a\n", "\n", "\n\n", "a\n\n", "a\r\n", "a\r\nb", "a\nb\n\n\n"] {
            let more = append(text, &["[x]", "y"]);
            let at = more.find("[x]").expect("it exists");
            let range = whole_lines(&more, at..at + 1);
            let end = whole_lines(&more, more.find('y').expect("it exists")..more.len()).end;
            assert_eq!(cut(&more, range.start..end), text, "{more:?}");
        }
    }

    #[test]
    fn neighbours_keep_one_blank_line() {
        let check = |text: &str, expected: &str| {
            let at = text.find('x').expect("it exists");
            assert_eq!(cut(text, whole_lines(text, at..at + 1)), expected);
        };
        check("a\n\nx\n\nb\n", "a\n\nb\n");
        check("x\n\nb\n", "b\n");
        check("a\nx\nb\n", "a\nb\n");
    }
}
