//! Selectors of Objective-C: the name of a method consists of all keywords of a message, `put:at:` for
//! `[self put:a at:b]`. A use has the first keyword as its name; the others are read from the text.

use super::code::FileFacts;
use super::result::Use;
use super::value::Place;
use super::walk::Walk;

/// The most bytes of a message that are read.
const MESSAGE_BYTES_MAX: usize = 4000;

impl Walk<'_> {
    /// Returns the selector of a message with arguments; `None` for other uses. O(message).
    pub(super) fn selector(&self, place: Place, used: Use<'_>) -> Option<String> {
        if !self.facts(place.file)?.dialect.has_selectors || used.receiver.is_none() {
            return None;
        }
        let text = self.code.text(place.file)?;
        let message = text.get(used.start?..)?;
        keywords(&message[..message.len().min(MESSAGE_BYTES_MAX)])
    }
}

/// Returns the keywords of a message that begins with the first one, up to the bracket that closes it;
/// `None` if no colon follows the first one.
fn keywords(message: &[u8]) -> Option<String> {
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    let (mut found, mut level, mut at) = (String::new(), 0_usize, 0);
    while let Some(&byte) = message.get(at) {
        match byte {
            b'(' | b'[' | b'{' => level += 1,
            b')' | b']' | b'}' if level == 0 => break,
            b')' | b']' | b'}' => level -= 1,
            b'"' | b'\'' => at = after_string(message, at) - 1,
            _ if is_word(byte) => {
                let length = message[at..].iter().take_while(|byte| is_word(**byte)).count();
                let (start, end) = (at, at + length);
                let next = message[end..].trim_ascii_start();
                let is_keyword = level == 0 && next.starts_with(b":") && !next.starts_with(b"::");
                if !is_keyword && found.is_empty() {
                    return None;
                }
                // `a ? b : c` is an argument.
                let is_choice = message[..start].trim_ascii_end().ends_with(b"?");
                if is_keyword && !is_choice {
                    found.push_str(&String::from_utf8_lossy(&message[start..end]));
                    found.push(':');
                }
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    (!found.is_empty()).then_some(found)
}

/// Returns the end of the string that begins at a byte.
fn after_string(text: &[u8], at: usize) -> usize {
    let quote = text[at];
    let mut end = at + 1;
    while end < text.len() && text[end] != quote {
        end += if text[end] == b'\\' { 2 } else { 1 };
    }
    (end + 1).min(text.len())
}

impl FileFacts {
    /// Returns the first keyword of a method's selector, by which messages are found.
    pub fn selector_start(&self, place: usize) -> Option<&str> {
        let symbol = self.symbols.get(place).filter(|_| self.dialect.has_selectors)?;
        symbol.name.split_once(':').map(|(first, _)| first)
    }
}

#[cfg(test)]
mod tests {
    use super::keywords;

    #[test]
    fn the_keywords_of_a_message_are_read() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(keywords(text.as_bytes()).as_deref(), expected, "{text}");
        };
        check("put:a at:b] c:d]", Some("put:at:"));
        check("put:[x in:y] at:(c ? d : e)]", Some("put:at:"));
        check("put:@\"a:] b:\" at:1]", Some("put:at:"));
        check("put:c ? d : e]", Some("put:"));
        check("put]", None);
        check("f(a)", None);
        check("put:", Some("put:"));
    }
}
