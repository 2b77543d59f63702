//! Where the lines of a text begin, with a position for every 64th line: 1/16 byte per line.

/// The distance of the lines whose positions are kept.
const STEP: usize = 64;

/// The lines of a text. As in [`str::lines`], a line feed ends a line, and nothing follows the last
/// one.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LineIndex {
    /// The number of lines.
    total: usize,
    /// The start of line 0, of line [`STEP`] and so on, numbered from 0.
    starts: Box<[usize]>,
}

impl LineIndex {
    /// Returns the lines of `text`. O(text), at the speed of memory.
    pub fn of(text: &[u8]) -> LineIndex {
        let (mut starts, mut ended) = (vec![0], 0);
        for end in memchr::memchr_iter(b'\n', text) {
            ended += 1;
            if ended % STEP == 0 {
                starts.push(end + 1);
            }
        }
        let is_ended = text.last().is_none_or(|&last| last == b'\n');
        LineIndex { total: ended + usize::from(!is_ended), starts: starts.into() }
    }

    /// Returns the number of lines.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Returns the position in `text`, of which this is the index, of a line, from 1; the end of
    /// the text if there are fewer lines. O(64 lines).
    pub fn start(&self, text: &[u8], number: usize) -> usize {
        let before = number.saturating_sub(1);
        if before >= self.total {
            return text.len();
        }
        let known = self.starts[before / STEP];
        let Some(skipped) = (before % STEP).checked_sub(1) else { return known };
        let end = memchr::memchr_iter(b'\n', &text[known..]).nth(skipped);
        end.map_or(text.len(), |end| known + end + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_found_as_they_are_split() {
        let long = "line\n".repeat(3 * STEP);
        for text in [
            "",
            "a",
            "a\n",
            "a\nb",
            "\n",
            "a\r\n\nb\r\n",
            "\n\n\n",
            "a\rb\n",
            &long,
            &long[..long.len() - 1],
        ] {
            let all: Vec<&str> = text.lines().collect();
            let index = LineIndex::of(text.as_bytes());
            assert_eq!(index.total(), all.len(), "{text:?}");
            for number in 1..=all.len() + 1 {
                let rest: Vec<&str> =
                    text[index.start(text.as_bytes(), number)..].lines().collect();
                assert_eq!(rest, all[number - 1..], "{text:?} {number}");
            }
            assert_eq!(index.start(text.as_bytes(), usize::MAX), text.len());
        }
    }
}
