//! [`Input`]: the line that is typed.

/// The maximum length of the line.
const CHARS_MAX: usize = 200;

/// A line of text with a cursor.
#[derive(Clone, Debug, Default)]
pub(super) struct Input {
    text: String,
    /// The position of the cursor in bytes, at a boundary of a character.
    cursor: usize,
}

impl Input {
    /// Returns a line with the cursor at its end.
    pub(super) fn new(text: &str) -> Input {
        let mut input = Input::default();
        input.insert(text);
        input
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the text before the cursor.
    pub(super) fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Inserts `text` without its control characters, as far as the line has room.
    pub(super) fn insert(&mut self, text: &str) {
        let room = CHARS_MAX.saturating_sub(self.text.chars().count());
        let is_shown = |c: &char| !crate::base::text::is_unsafe(*c);
        let text: String = text.chars().filter(is_shown).take(room).collect();
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    pub(super) fn left(&mut self) {
        self.cursor -= self.before().chars().next_back().map_or(0, char::len_utf8);
    }

    pub(super) fn right(&mut self) {
        self.cursor += self.text[self.cursor..].chars().next().map_or(0, char::len_utf8);
    }

    pub(super) fn home(&mut self) {
        self.cursor = 0;
    }

    pub(super) fn end(&mut self) {
        self.cursor = self.text.len();
    }

    /// Deletes the character before the cursor.
    pub(super) fn backspace(&mut self) {
        let end = self.cursor;
        self.left();
        self.text.drain(self.cursor..end);
    }

    /// Deletes the character at the cursor.
    pub(super) fn delete(&mut self) {
        let len = self.text[self.cursor..].chars().next().map_or(0, char::len_utf8);
        self.text.drain(self.cursor..self.cursor + len);
    }

    /// Deletes the word before the cursor and the blanks behind it.
    pub(super) fn delete_word(&mut self) {
        let kept = self.before().trim_end().rfind(' ').map_or(0, |blank| blank + 1);
        self.text.drain(kept..self.cursor);
        self.cursor = kept;
    }

    /// Deletes everything before the cursor.
    pub(super) fn delete_before(&mut self) {
        self.text.drain(..self.cursor);
        self.cursor = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_at_the_cursor() {
        let mut input = Input::new("größe x");
        let check = |input: &Input, expected: &str| {
            assert_eq!(format!("{}|{}", input.before(), &input.text[input.cursor..]), expected);
        };
        check(&input, "größe x|");
        input.delete_word();
        check(&input, "größe |");
        for _ in 0..3 {
            input.left();
        }
        check(&input, "grö|ße ");
        input.backspace();
        input.delete();
        input.insert("ö\u{1b}[A\n\u{202e}");
        check(&input, "grö[A|e ");
        input.delete_before();
        input.delete_word();
        input.backspace();
        check(&input, "|e ");
        input.end();
        input.right();
        input.delete();
        input.delete_word();
        check(&input, "|");
        input.insert(&"a".repeat(500));
        assert_eq!(input.text().len(), CHARS_MAX);
    }
}
