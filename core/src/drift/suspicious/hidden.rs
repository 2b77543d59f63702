//! Characters that are not displayed, or that change how others are displayed.
//!
//! Emoji sequences and the joiners of scripts that need them are not reported.

use super::Part;
use crate::base::text::is_unsafe;

/// The maximum number of characters of a run that are shown.
const SHOWN_MAX: usize = 80;

/// The tag sequences after a black flag that display a flag: England, Scotland and Wales.
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

const CANCEL_TAG: char = '\u{E007F}';

/// A text without its hidden characters.
#[derive(Clone, Debug, Default)]
pub struct Visible {
    /// The text.
    pub text: String,
    /// Each offset in `text` from which on the distance to the original offset changes, with the
    /// original one; ascending.
    starts: Vec<(usize, usize)>,
}

impl Visible {
    /// Returns the offset in the original text of an offset in [`Visible::text`].
    pub fn original(&self, offset: usize) -> usize {
        let after = self.starts.partition_point(|&(start, _)| start <= offset);
        match after.checked_sub(1).map(|at| self.starts[at]) {
            Some((start, original)) => original + (offset - start),
            None => offset,
        }
    }
}

/// Returns the hidden parts of a text, in order, one for each run of a kind, and what remains. O(n).
pub fn parts(text: &str) -> (Vec<Part>, Visible) {
    let mut found = Vec::new();
    let mut visible = Visible::default();
    // Most texts are ASCII without control characters.
    if text
        .bytes()
        .all(|byte| byte < 0x7F && (byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r')))
    {
        visible.text.push_str(text);
        return (found, visible);
    }
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut at = 0;
    while at < chars.len() {
        let (byte, c) = chars[at];
        let kind = kind(c).filter(|_| !is_expected(&chars, at));
        let Some(kind) = kind else {
            if visible.original(visible.text.len()) != byte {
                visible.starts.push((visible.text.len(), byte));
            }
            visible.text.push(c);
            at += if c == '\u{1F3F4}' { 1 + flag_length(&chars[at + 1..]) } else { 1 };
            continue;
        };
        let same = |&&(_, c): &&(usize, char)| self::kind(c) == Some(kind);
        let run: String = chars[at..].iter().take_while(same).map(|(_, c)| c).collect();
        at += run.chars().count();
        found.push(Part { byte, kind, text: shown(&run) });
    }
    (found, visible)
}

/// Returns a text on one line, with every character escaped that is not displayed or that a terminal
/// obeys, also those that emoji need.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if kind(c).is_some() || is_unsafe(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Returns the kind of a character that is not displayed.
fn kind(c: char) -> Option<&'static str> {
    match c {
        '\u{E0000}'..='\u{E007F}' => Some("tag_characters"),
        '\u{061C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}' => Some("bidirectional_control"),
        '\u{200B}'..='\u{200D}'
        | '\u{2060}'..='\u{2065}'
        | '\u{FEFF}'
        | '\u{180E}'
        | '\u{00AD}'
        | '\u{034F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{3164}'
        | '\u{FFA0}'
        | '\u{2028}'
        | '\u{2029}'
        | '\u{206A}'..='\u{206F}'
        | '\u{FFF9}'..='\u{FFFB}' => Some("zero_width"),
        '\u{FE00}'..='\u{FE0F}'
        | '\u{180B}'..='\u{180D}'
        | '\u{180F}'
        | '\u{E0100}'..='\u{E01EF}' => Some("variation_selector"),
        '\t' | '\n' | '\r' => None,
        _ if c.is_control() => Some("control_character"),
        _ => None,
    }
}

/// Returns true for a hidden character that the display of its neighbours needs.
fn is_expected(chars: &[(usize, char)], at: usize) -> bool {
    let before = at.checked_sub(1).map(|at| chars[at].1);
    let after = chars.get(at + 1).map(|(_, c)| *c);
    let is_symbol = |c: char| c >= '\u{A9}' && !c.is_alphanumeric() && kind(c).is_none();
    match chars[at].1 {
        // The style of the symbol before it, or of a keycap: `⚠️`, `1️⃣`.
        '\u{FE0E}' | '\u{FE0F}' => match before {
            Some('0'..='9' | '#' | '*') => after == Some('\u{20E3}'),
            Some(before) => is_symbol(before),
            None => false,
        },
        // An emoji sequence, or letters of a script with joiners, such as Persian and Hindi.
        '\u{200C}' | '\u{200D}' => {
            let is_joined = |c: char| is_symbol(c) || c == '\u{FE0F}' || is_of_joining_script(c);
            before.is_some_and(is_joined) && after.is_some_and(is_joined)
        }
        _ => false,
    }
}

/// Returns true for letters and marks of Arabic, Syriac, Indic scripts and their neighbours.
fn is_of_joining_script(c: char) -> bool {
    matches!(c, '\u{0600}'..='\u{109F}' | '\u{1780}'..='\u{17B3}' | '\u{FB50}'..='\u{FDFF}')
        && kind(c).is_none()
}

/// Returns the number of tag characters at the start of `chars` that complete a flag.
fn flag_length(chars: &[(usize, char)]) -> usize {
    let tags = FLAGS.iter().map(|flag| {
        flag.chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).chain([CANCEL_TAG])
    });
    for tags in tags {
        let count = tags.clone().count();
        if chars.len() >= count && chars.iter().map(|(_, c)| *c).take(count).eq(tags) {
            return count;
        }
    }
    0
}

/// Returns a run for display: the text that tag characters or variation selectors encode, or escapes.
fn shown(run: &str) -> String {
    let count = run.chars().count();
    let tags = run.chars().map(|c| match c {
        '\u{E0020}'..='\u{E007E}' => char::from_u32(u32::from(c) - 0xE0000),
        _ => None,
    });
    let bytes = run.chars().map(|c| match c {
        '\u{FE00}'..='\u{FE0F}' => Some((u32::from(c) - 0xFE00) as u8),
        '\u{E0100}'..='\u{E01EF}' => Some((u32::from(c) - 0xE0100 + 16) as u8),
        _ => None,
    });
    let tags: Option<String> = tags.collect();
    let bytes: Option<Vec<u8>> = bytes.collect();
    let is_text = |text: &String| text.chars().all(|c| !c.is_control());
    let encoded = tags.or_else(|| {
        bytes.filter(|bytes| bytes.len() > 1).and_then(|bytes| String::from_utf8(bytes).ok())
    });
    let start = |text: String| -> String {
        let more = text.chars().nth(SHOWN_MAX).is_some();
        let start: String = text.chars().take(SHOWN_MAX).collect();
        escaped(&start) + if more { "…" } else { "" }
    };
    match encoded.filter(is_text) {
        Some(text) => format!("{count} hidden characters that encode `{}`", start(text)),
        None => {
            let escaped: String =
                run.chars().take(SHOWN_MAX / 8).map(|c| c.escape_unicode().to_string()).collect();
            let more = if count > SHOWN_MAX / 8 {
                format!("… ({count} characters)")
            } else {
                String::new()
            };
            format!("{escaped}{more}")
        }
    }
}
