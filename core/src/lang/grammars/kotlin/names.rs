//! Soft keywords of Kotlin that are used as names.
//!
//! ```text
//! open(closer)
//! set = set or bit
//! in1.close()
//! ```
//!
//! The grammar expects a declaration after a modifier at the start of a statement, an accessor after a
//! property, and takes the first letters of `in1` for `in`. The first letter of such a name is masked by
//! another letter.

use crate::lang::grammars::blank::after_literal;

/// Words that begin a declaration, unless an operator, an argument or an infix function follows.
const MODIFIERS: &[&[u8]] = &[
    b"abstract",
    b"actual",
    b"annotation",
    b"companion",
    b"const",
    b"crossinline",
    b"data",
    b"enum",
    b"expect",
    b"external",
    b"final",
    b"infix",
    b"inline",
    b"inner",
    b"internal",
    b"lateinit",
    b"noinline",
    b"open",
    b"operator",
    b"override",
    b"private",
    b"protected",
    b"public",
    b"reified",
    b"sealed",
    b"suspend",
    b"tailrec",
    b"value",
    b"vararg",
];

/// Words at the start of a line that continue the line before.
const CONTINUING: &[&[u8]] =
    &[b"as", b"by", b"constructor", b"else", b"get", b"in", b"instanceof", b"set", b"where"];

/// Words between two values.
const INFIX: &[&[u8]] = &[
    b"and", b"as", b"downTo", b"in", b"is", b"or", b"shl", b"shr", b"step", b"to", b"until",
    b"ushr", b"xor",
];

/// How many bytes are searched for the end of the parameter of an accessor.
const PARAMETER_BYTES_MAX: usize = 512;

/// Masks the names in `masked`, which has the length of `text`. O(bytes).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    let mut at = 0;
    let mut is_first = true;
    while at < text.len() {
        let after = after_literal(text, at);
        if after > at {
            at = after;
            continue;
        }
        if !is_word(text[at]) {
            is_first = text[at] == b'\n' || is_first && matches!(text[at], b' ' | b'\t');
            at += 1;
            continue;
        }
        let length = text[at..].iter().position(|&byte| !is_word(byte));
        let end = length.map_or(text.len(), |length| at + length);
        if is_name(text, at, end, is_first) {
            masked[at] = b'x';
        }
        at = end;
        is_first = false;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Returns true if the word is a name that the grammar takes for a keyword.
fn is_name(text: &[u8], start: usize, end: usize, is_first: bool) -> bool {
    let word = &text[start..end];
    if matches!(text[..start].last(), Some(b'@' | b'.')) {
        return false;
    }
    let letters = word.iter().position(|byte| !byte.is_ascii_alphabetic());
    if let Some(letters) = letters {
        return is_first && CONTINUING.contains(&&word[..letters]);
    }
    let spaces = text[end..].iter().position(|byte| !matches!(byte, b' ' | b'\t'));
    let rest = &text[end + spaces.unwrap_or(text.len() - end)..];
    match word {
        b"get" | b"set" => !is_accessor(rest) && is_used(rest),
        b"where" => is_first && matches!(rest, [b'(' | b'=' | b'.', ..]),
        b"by" | b"dynamic" => is_first && matches!(rest, [b'=' | b'.', ..]),
        // `suspend (A) -> B` is a type.
        b"suspend" => matches!(rest, [b'=' | b'.' | b')' | b',' | b'{', ..]),
        _ => MODIFIERS.contains(&word) && is_used(rest),
    }
}

/// Returns true if the text after a word, on the same line, shows that it is a value or is declared.
fn is_used(rest: &[u8]) -> bool {
    match rest.first() {
        Some(byte) if is_word(*byte) => {
            let length = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
            INFIX.contains(&&rest[..length])
        }
        Some(b'@' | b'`' | b'"' | b'\'' | b'\r' | b'\n' | b'#' | b'$') | None => false,
        Some(b'/') => !matches!(rest.get(1), Some(b'/' | b'*')),
        // A bare `private set` ends at these.
        Some(b';' | b'}') => false,
        Some(_) => true,
    }
}

/// Returns true if the text after `get` or `set` is that of an accessor of a property: one parameter at
/// most, and a body or type.
fn is_accessor(rest: &[u8]) -> bool {
    let Some(inner) = rest.strip_prefix(b"(") else { return false };
    let bounded = &inner[..inner.len().min(PARAMETER_BYTES_MAX)];
    let mut depth = 0usize;
    let close = bounded.iter().position(|byte| match byte {
        b'(' => {
            depth += 1;
            false
        }
        b')' if depth > 0 => {
            depth -= 1;
            false
        }
        byte => *byte == b')',
    });
    let Some(close) = close else { return false };
    let (parameter, after) = (bounded[..close].trim_ascii(), inner[close + 1..].trim_ascii_start());
    let has_body = match after {
        [b'=', next, ..] => *next != b'=',
        [b'{' | b':', ..] => true,
        _ => false,
    };
    has_body && is_parameter(parameter)
}

/// Returns true for nothing, a name, or a name with its type.
fn is_parameter(text: &[u8]) -> bool {
    let length = text.iter().position(|&byte| !is_word(byte)).unwrap_or(text.len());
    let after = text[length..].trim_ascii_start();
    match text.first() {
        None | Some(b'@') => true,
        Some(first) => {
            length > 0 && !first.is_ascii_digit() && matches!(after, [] | [b','] | [b':', ..])
        }
    }
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        super::mask(text.as_bytes(), &mut masked);
        assert_eq!(String::from_utf8_lossy(&masked), expected);
    }

    #[test]
    fn keywords_that_are_values_are_masked() {
        check("open(a)\n open = 1\n data.x", "xpen(a)\n xpen = 1\n xata.x");
        check("bit and set != 0\n set = set or 1", "bit and xet != 0\n xet = xet or 1");
        check("get(\"/a\")\nset(1, 2)\nset(1) { }", "xet(\"/a\")\nxet(1, 2)\nxet(1) { }");
        check("a()\n  in1.b()\n  get_x = 1", "a()\n  xn1.b()\n  xet_x = 1");
        check("suspend { }\nwhere(a)", "xuspend { }\nxhere(a)");
    }

    #[test]
    fn keywords_stay_as_they_are() {
        let texts = [
            "open fun f() {}\nprivate\nfun g() {}",
            "val a = 1\n  get() = field\n  private set\n",
            "var a = 1\n  @In set(v) { field = v }",
            "var a = 1\n  set(v: A) {}\n  set(\n v: B<C>,\n ) = 1",
            "val f: suspend (A) -> B\n a.open()\n @get:A val x: B",
            "// open(a)\n\"open(a)\"\nfun <T> f() where T : A",
            "var a = 1; private set; var b = 2\nclass A { var x = 1; private set }",
        ];
        texts.iter().for_each(|text| check(text, text));
    }
}
