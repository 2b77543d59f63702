//! Detects secrets in texts: private keys, tokens with a known prefix, passwords in URLs.
//!
//! One pass finds the prefixes; only at these the text is examined. Passwords without a prefix and
//! without a URL around them are not detected. Offsets are those of bytes, and a secret never spans
//! a line end: of a private key, each line is one.

use std::ops::Range;
use std::sync::OnceLock;

use super::tokens::{Set, TOKENS, Token, Trust};

/// Bits of entropy per character that a weak prefix requires. English words have about 3.
const ENTROPY_MIN: f64 = 3.0;

/// Lines of a private key that are examined if its end is missing.
const KEY_LINES_MAX: usize = 400;

/// Returns true if `text` may contain a secret of several lines. O(text), at the speed of memory.
pub fn may_have_key(text: &[u8]) -> bool {
    [PRIVATE, PUTTY.as_bytes()].iter().any(|part| memchr::memmem::find(text, part).is_some())
}

/// The maximum number of lines from the first to the last line of a secret.
pub const LINES_MAX: usize = KEY_LINES_MAX + 1;

/// The start and the middle of the first line of a private key.
const BEGIN: [&str; 2] = ["-----BEGIN ", "---- BEGIN SSH2 "];
const PRIVATE: &[u8] = b"PRIVATE KEY";

/// The line before the secret lines of a key of PuTTY.
const PUTTY: &str = "Private-Lines: ";

/// The kinds that are not of a token.
const PRIVATE_KEY: &str = "private key";
const JWT: &str = "JWT";
const PASSWORD: &str = "password in URL";

/// A secret in a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Secret {
    /// Its bytes, all of them ASCII, without a line end.
    pub(super) span: Range<usize>,
    /// Its kind, an index into [`kinds`].
    pub(super) kind: usize,
}

/// Returns the names of all kinds.
pub(super) fn kinds() -> &'static [&'static str] {
    &finder().kinds
}

/// Returns the secrets of a text, in order and without overlaps. O(text), near the speed of memory
/// for texts without any prefix.
pub(super) fn find(text: &[u8]) -> Vec<Secret> {
    let finder = finder();
    let mut found: Vec<Secret> = Vec::new();
    let mut from = 0;
    while let Some((at, end, rule)) = finder.prefixes.find_from(text, from) {
        from = end;
        // A prefix inside of a secret.
        if found.last().is_some_and(|last| at < last.span.end) {
            continue;
        }
        match &finder.rules[rule] {
            Rule::Token(token) => {
                let span = token_span(text, at, end, token);
                found.extend(span.map(|span| finder.secret(span, token.kind)));
            }
            Rule::Jwt => {
                let span = jwt_span(text, at);
                found.extend(span.map(|span| finder.secret(span, JWT)));
            }
            Rule::Url => {
                let span = password_span(text, at, end);
                found.extend(span.map(|span| finder.secret(span, PASSWORD)));
            }
            Rule::Key => {
                let spans = key_spans(text, end);
                found.extend(spans.into_iter().map(|span| finder.secret(span, PRIVATE_KEY)));
            }
            Rule::Putty => {
                let spans = putty_spans(text, end);
                found.extend(spans.into_iter().map(|span| finder.secret(span, PRIVATE_KEY)));
            }
        }
    }
    found
}

enum Rule {
    Token(&'static Token),
    Jwt,
    Url,
    Key,
    Putty,
}

/// Bits of the hash of the first bytes of a prefix: the table of the groups stays in the first cache.
const HASH_BITS: u32 = 13;

/// The number of first bytes that are hashed; every prefix has as many.
const HASHED: usize = 3;

/// The prefixes, by a hash of their first three bytes. Nearly no text has these; an automaton for all
/// prefixes is slower, since each of its steps waits for the one before.
struct Prefixes {
    /// The group of each hash; 0 for none.
    groups_by_hash: Box<[u8; 1 << HASH_BITS]>,
    /// The prefixes of each group with their indices, the longest first. The first group is empty.
    groups: Vec<Vec<(&'static [u8], usize)>>,
}

impl Prefixes {
    /// Groups prefixes of at least three bytes.
    fn new(prefixes: &[&'static str]) -> Prefixes {
        let mut groups_by_hash = Box::new([0_u8; 1 << HASH_BITS]);
        let mut groups = vec![Vec::new()];
        for (place, prefix) in prefixes.iter().enumerate() {
            let prefix = prefix.as_bytes();
            let group = &mut groups_by_hash[hash([prefix[0], prefix[1], prefix[2], 0])];
            if *group == 0 {
                groups.push(Vec::new());
                *group = u8::try_from(groups.len() - 1).expect("the prefixes are few");
            }
            groups[usize::from(*group)].push((prefix, place));
        }
        for group in &mut groups {
            group.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        }
        Prefixes { groups_by_hash, groups }
    }

    /// Returns the position of the first three bytes that have the hash of a prefix. Looks up several
    /// for each decision: the look-ups do not wait for each other.
    fn first_hash(&self, text: &[u8]) -> Option<usize> {
        const AT_ONCE: usize = 8;
        let mut at = 0;
        while let Some(bytes) = text.get(at..at + AT_ONCE + HASHED) {
            let of_four =
                |of: &[u8]| of.first_chunk().map_or(0, |of| self.groups_by_hash[hash(*of)]);
            let mut groups = bytes.windows(HASHED + 1).map(of_four);
            if groups.clone().fold(0, |all, group| all | group) > 0 {
                return groups.position(|group| group > 0).map(|hit| at + hit);
            }
            at += AT_ONCE;
        }
        let is_hit = |of: &[u8]| self.groups_by_hash[hash([of[0], of[1], of[2], 0])] > 0;
        text[at..].windows(HASHED).position(is_hit).map(|found| at + found)
    }

    /// Returns the first prefix in `text` that begins at `from` or later, of several the longest: its
    /// start, its end and its index.
    fn find_from(&self, text: &[u8], from: usize) -> Option<(usize, usize, usize)> {
        let mut at = from;
        loop {
            at += self.first_hash(text.get(at..)?)?;
            let group = self.groups_by_hash[hash([text[at], text[at + 1], text[at + 2], 0])];
            let mut group = self.groups[usize::from(group)].iter();
            if let Some((prefix, place)) = group.find(|(prefix, _)| text[at..].starts_with(prefix))
            {
                return Some((at, at + prefix.len(), *place));
            }
            at += 1;
        }
    }
}

/// Returns the hash of the first three of four bytes, by multiplication (Knuth, *The Art of Computer
/// Programming*, volume 3, section 6.4).
fn hash(bytes: [u8; 4]) -> usize {
    let three = u32::from_le_bytes(bytes) << 8;
    (three.wrapping_mul(0x9E37_79B1) >> (32 - HASH_BITS)) as usize
}

struct Finder {
    prefixes: Prefixes,
    /// The rule of each prefix.
    rules: Vec<Rule>,
    kinds: Vec<&'static str>,
}

impl Finder {
    fn secret(&self, span: Range<usize>, kind: &str) -> Secret {
        let kind = self.kinds.iter().position(|name| *name == kind);
        Secret { span, kind: kind.expect("every kind of a rule is listed") }
    }
}

fn finder() -> &'static Finder {
    static FINDER: OnceLock<Finder> = OnceLock::new();
    FINDER.get_or_init(|| {
        let (mut prefixes, mut rules) = (Vec::new(), Vec::new());
        let mut kinds = vec![PRIVATE_KEY, JWT, PASSWORD];
        for token in TOKENS {
            prefixes.push(token.prefix);
            rules.push(Rule::Token(token));
            if !kinds.contains(&token.kind) {
                kinds.push(token.kind);
            }
        }
        for begin in BEGIN {
            prefixes.push(begin);
            rules.push(Rule::Key);
        }
        for (prefix, rule) in [("eyJ", Rule::Jwt), ("://", Rule::Url), (PUTTY, Rule::Putty)] {
            prefixes.push(prefix);
            rules.push(rule);
        }
        Finder { prefixes: Prefixes::new(&prefixes), rules, kinds }
    })
}

fn token_span(text: &[u8], at: usize, end: usize, token: &Token) -> Option<Range<usize>> {
    let start = match token.trust {
        Trust::Name => value_start(text, end)?,
        Trust::Sure | Trust::Alone | Trust::Weak => end,
    };
    let stop = run_end(text, start, token.set);
    // A period at the end is that of a sentence.
    let tail = &text[start..stop];
    let tail = tail.strip_suffix(b".").unwrap_or(tail);
    let (min, max) = token.len;
    if tail.len() < min || tail.len() > max {
        return None;
    }
    let stop = start + tail.len();
    match token.trust {
        // The token of Terraform has a part before its mark.
        Trust::Sure if token.prefix.starts_with('.') => Some(run_start(text, at)..stop),
        Trust::Sure => Some(at..stop),
        // A name may end in it: `use_AKIA…`.
        Trust::Alone => {
            let is_part = at > 0 && text[at - 1] == b'_';
            (is_alone(text, at) || is_part).then_some(at..stop)
        }
        Trust::Name => (entropy(tail) >= ENTROPY_MIN).then_some(start..stop),
        Trust::Weak => (is_alone(text, at) && looks_random(tail)).then_some(at..stop),
    }
}

/// Returns the start of the value after a name: behind quotes, blanks and `=` or `:`.
fn value_start(text: &[u8], end: usize) -> Option<usize> {
    let is_between =
        |byte: &u8| matches!(byte, b'"' | b'\'' | b' ' | b'\t' | b'=' | b':' | b'>' | b'\\');
    let len = text[end..].iter().take(12).take_while(|byte| is_between(byte)).count();
    (len < 12).then_some(end + len)
}

fn run_end(text: &[u8], start: usize, set: Set) -> usize {
    start + text[start..].iter().take_while(|byte| set.has(**byte)).count()
}

/// Returns the start of the letters and digits before `at`.
fn run_start(text: &[u8], at: usize) -> usize {
    at - text[..at].iter().rev().take(32).take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// Returns true if the text before a token ends there: it is not the rest of a longer word.
fn is_alone(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    match before {
        // An escape, such as `\n`, and the encoding of a character in a URL.
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => true,
        [.., byte] => !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b'+'),
        [] => true,
    }
}

/// Returns true if characters are not those of words: digits or both cases among letters, and enough
/// different ones.
fn looks_random(tail: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| tail.iter().filter(|byte| is(byte)).count();
    let (upper, lower) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let is_mixed = count(u8::is_ascii_digit) >= 2 && upper + lower >= 2 || upper >= 4 && lower >= 4;
    is_mixed && entropy(tail) >= ENTROPY_MIN
}

/// Returns Shannon's entropy of the bytes of a text, in bits per byte.
fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &byte in text {
        counts[usize::from(byte)] += 1;
    }
    let total = text.len() as f64;
    let parts = counts.iter().filter(|count| **count > 0).map(|&count| f64::from(count) / total);
    -parts.map(|part| part * part.log2()).sum::<f64>()
}

/// Returns a JSON web token that begins at `at`: header, claims and signature (five parts if it is
/// encrypted), in base64url.
fn jwt_span(text: &[u8], at: usize) -> Option<Range<usize>> {
    let end = run_end(text, at, Set::Dotted);
    let token = text[at..end].strip_suffix(b".").unwrap_or(&text[at..end]);
    let mut parts = token.split(|&byte| byte == b'.').map(<[u8]>::len);
    let (header, claims, signature) = (parts.next()?, parts.next()?, parts.next()?);
    let is_whole = header >= 10 && claims + parts.next().unwrap_or(0) >= 8 && signature >= 8;
    (is_whole && is_alone(text, at)).then(|| at..at + token.len())
}

/// Returns the password of a URL, whose `://` is at `at..end`.
fn password_span(text: &[u8], at: usize, end: usize) -> Option<Range<usize>> {
    if !text[..at].last().is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let is_user = |byte: &u8| {
        byte.is_ascii_graphic()
            && !matches!(
                byte,
                b'/' | b'?'
                    | b'#'
                    | b'"'
                    | b'\''
                    | b'<'
                    | b'>'
                    | b'`'
                    | b'\\'
                    | b','
                    | b';'
                    | b'('
                    | b')'
                    | b'|'
            )
    };
    let len = text[end..].iter().take(512).take_while(|byte| is_user(byte)).count();
    let authority = &text[end..end + len];
    let user_end = memchr::memrchr(b'@', authority)?;
    let user = &authority[..user_end];
    // A user name alone is a secret if it is a token, which looks random.
    let Some(colon) = memchr::memchr(b':', user) else {
        let is_token =
            user.len() >= 20 && looks_random(user) && user.iter().all(|byte| Set::Word.has(*byte));
        return is_token.then(|| end..end + user.len());
    };
    let password = &user[colon + 1..];
    is_password(password).then(|| end + colon + 1..end + user.len())
}

/// Returns false for placeholders, variables and the words that examples use.
fn is_password(password: &[u8]) -> bool {
    const EXAMPLES: &[&str] = &[
        "password",
        "passwd",
        "pass",
        "pwd",
        "pw",
        "secret",
        "token",
        "user",
        "username",
        "admin",
        "root",
        "test",
        "guest",
        "foo",
        "bar",
        "baz",
        "hunter2",
        "postgres",
        "mysql",
        "mypassword",
        "mypass",
        "example",
        "changeme",
        "default",
        "pass123",
        "userpass",
        "password123",
        "port",
        "x-oauth-basic",
        "secretpassword",
        "p4ssw0rd",
        "s3cret",
        "letmein",
        "minioadmin",
    ];
    let has = |bytes: &[u8]| password.iter().any(|byte| bytes.contains(byte));
    let first = password.first().copied().unwrap_or_default();
    let is_repeated = password.iter().all(|byte| *byte == first);
    let lower = password.to_ascii_lowercase();
    password.len() >= 4
        && !is_repeated
        && !has(b"$%{}[]*<>")
        && !EXAMPLES.iter().any(|word| lower == word.as_bytes())
}

/// Returns the secret lines of the private key whose first line has its marker before `end`; none
/// if a key is only mentioned. In source code, line ends may be escaped: then the key is on one line.
fn key_spans(text: &[u8], end: usize) -> Vec<Range<usize>> {
    let line_end = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |len| end + len);
    let head = &text[end..line_end.min(end + 80)];
    let Some(at) = memchr::memmem::find(head, PRIVATE) else { return Vec::new() };
    let mut from = end + at + PRIVATE.len();
    from += text[from..line_end].iter().take_while(|byte| b" -BLOCK".contains(byte)).count();
    let (mut bodies, mut is_closed): (Vec<Range<usize>>, bool) = (Vec::new(), false);
    for _ in 0..=KEY_LINES_MAX {
        let to = memchr::memchr(b'\n', &text[from..]).map_or(text.len(), |len| from + len);
        let line = &text[from..to];
        let close =
            memchr::memmem::find(line, b"---- END").or(memchr::memmem::find(line, b"-----END"));
        let body = trimmed(from, &line[..close.unwrap_or(line.len())]);
        let is_header = is_header(&text[body.clone()]);
        if !is_header && !is_base64(&text[body.clone()]) {
            break;
        }
        if !is_header && !body.is_empty() {
            bodies.push(body);
        }
        is_closed = close.is_some();
        if is_closed || to == text.len() {
            break;
        }
        from = to + 1;
    }
    let longest = bodies.iter().map(|body| longest_run(&text[body.clone()])).max().unwrap_or(0);
    let has_digits = bodies.iter().any(|body| text[body.clone()].iter().any(u8::is_ascii_digit));
    let is_key = if is_closed {
        longest >= 40 || longest >= 16 && has_digits
    } else {
        longest >= 24 && has_digits
    };
    if is_key { bodies } else { Vec::new() }
}

/// Returns true for a header of a key, such as `Proc-Type: 4,ENCRYPTED`, which is not secret.
fn is_header(line: &[u8]) -> bool {
    let name = line.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-').count();
    name > 0 && line[name..].starts_with(b": ")
}

/// Returns true if nearly all of a line is base64: the rest are quotes and escapes.
fn is_base64(line: &[u8]) -> bool {
    let blanks = line.iter().filter(|byte| **byte == b' ').count();
    let others = line.iter().filter(|byte| **byte != b' ' && !Set::Base64.has(**byte)).count();
    blanks <= 3 + line.len() / 32 && others <= 8 + line.len() / 32
}

/// Returns the lines after `Private-Lines: N` of a key of PuTTY.
fn putty_spans(text: &[u8], end: usize) -> Vec<Range<usize>> {
    let mut lines = text[end..].split_inclusive(|&byte| byte == b'\n');
    let Some(first) = lines.next() else { return Vec::new() };
    let count = std::str::from_utf8(first.trim_ascii()).ok().and_then(|count| count.parse().ok());
    let mut from = end + first.len();
    let mut spans = Vec::new();
    for line in lines.take(count.unwrap_or(0).min(KEY_LINES_MAX)) {
        spans.push(trimmed(from, line));
        from += line.len();
    }
    spans.retain(|span| !span.is_empty());
    spans
}

/// Returns the span of a line without what encloses it, such as blanks and quotes.
fn trimmed(from: usize, line: &[u8]) -> Range<usize> {
    let is_inside = |byte: &u8| Set::Base64.has(*byte);
    let first = line.iter().position(|byte| is_inside(byte) || *byte == b'\\');
    let last = line.iter().rposition(is_inside).map(|last| last + 1);
    match (first, last) {
        (Some(first), Some(last)) if first < last => from + first..from + last,
        _ => from..from,
    }
}

/// Returns the length of the longest run of characters of base64.
fn longest_run(line: &[u8]) -> usize {
    line.split(|byte| !Set::Base64.has(*byte)).map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_longest_prefix_is_found() {
        let prefixes =
            Prefixes::new(&["sk-", "sk_live_", "xoxe.xox", "xoxe-", "xox", "://", "eyJ"]);
        let check = |text: &str, expected: &[(usize, usize, usize)]| {
            let (mut found, mut from) = (Vec::new(), 0);
            while let Some(hit) = prefixes.find_from(text.as_bytes(), from) {
                found.push(hit);
                from = hit.1;
            }
            assert_eq!(found, expected, "{text}");
        };
        check("", &[]);
        check("s", &[]);
        check("sk", &[]);
        check("ssk-sk_live_x", &[(1, 4, 0), (4, 12, 1)]);
        check("xoxe.xoxe-x xoxexox", &[(0, 8, 2), (12, 15, 4), (16, 19, 4)]);
        check("a:/://eyeyJ", &[(3, 6, 5), (8, 11, 6)]);
    }

    proptest::proptest! {
        #[test]
        fn prefixes_are_those_of_a_search_at_every_position(
            parts in proptest::collection::vec(0_usize..12, 0..40),
        ) {
            let listed = ["sk-", "sk_live_", "npm_", "://", "eyJ"];
            let others = ["s", "k-", "npm", ":/", "x", "\u{e9}", "ey"];
            let text: String = parts.iter().map(|&part| {
                listed.iter().chain(&others).nth(part).expect("it is one of twelve")
            }).copied().collect();
            let prefixes = Prefixes::new(&listed);
            for from in 0..=text.len() {
                let rest = &text.as_bytes()[from..];
                let expected = (0..rest.len()).find_map(|at| {
                    let starts = |place: &usize| rest[at..].starts_with(listed[*place].as_bytes());
                    let place = (0..listed.len()).find(starts)?;
                    Some((from + at, from + at + listed[place].len(), place))
                });
                proptest::prop_assert_eq!(prefixes.find_from(text.as_bytes(), from), expected);
            }
        }
    }
}
