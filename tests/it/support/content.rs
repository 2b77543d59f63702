//! Contents of generated files: every form on which search programs differ.
//!
//! Words come from a small vocabulary, so that generated patterns match often.

use super::prng::Prng;

/// The vocabulary of contents and patterns.
pub(crate) const WORDS: &[&str] = &[
    "mutex_lock",
    "MutexLock",
    "MUTEX_LOCK",
    "PM_RESUME",
    "pm_resume",
    "useState",
    "kfree",
    "KFREE",
    "EXPORT_SYMBOL_GPL",
    "Copyright",
    "return",
    "static",
    "struct",
    "fn",
    "if",
    "else",
    "int",
    "foo",
    "Foo",
    "foobar",
    "bar",
    "baz",
    "x",
    "ab",
    "aa",
    "aaa",
    "abab",
    "_",
    "__init",
    "0x1f",
    "42",
    "1",
    "straße",
    "STRASSE",
    "ſtatic",
    "\u{212A}free",
    "k",
    "K",
    "é",
    "É",
    "ß",
    "İ",
    "ı",
    "naïve",
    "日本",
    "Σ",
    "ς",
    "σ",
    "->",
    "::",
    "();",
    "{",
    "}",
    "\\",
    "\"",
    "a.b",
    "a-b",
    "$x",
    "^",
    "#define",
    "//",
];

/// Lines that look like source code.
const LINES: &[&str] = &[
    "static int foo_resume(struct device *dev)",
    "\tmutex_lock(&priv->lock);",
    "EXPORT_SYMBOL_GPL(foo_resume);",
    "#define PM_RESUME 0x0010 /* wake up */",
    "  const [value, setValue] = useState(null);",
    "    if (x == 42) { return foo(bar, baz); }",
    "// Copyright (C) 2024 The Authors",
    "/* SPDX-License-Identifier: GPL-2.0 */",
    "kfree(ptr); kfree(ptr2);",
    "let straße = \"Größe\"; // naïve",
    "    pub fn new(foo: Foo) -> Self { Self { foo } }",
    "words words words and more words",
    "hello   world\tagain",
    "trailing blanks   ",
    "-- dashes -- and __underscores__",
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "https://example.org/a/b?c=d&e=f",
    "\u{212A}elvin and ſharp and İstanbul",
    "аналог кириллица 日本語 テキスト",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
    "}",
    "",
    " ",
];

/// Returns one line without its terminator.
pub(crate) fn line(rng: &mut Prng) -> Vec<u8> {
    if rng.chance(45) {
        return rng.pick(LINES).as_bytes().to_vec();
    }
    let mut line = Vec::new();
    for _ in 0..rng.below(9) {
        line.extend_from_slice(rng.pick(WORDS).as_bytes());
        line.extend_from_slice(
            rng.pick(&[" ", " ", "\t", "", "_", "(", ".", ", ", "  "]).as_bytes(),
        );
    }
    line
}

/// Returns the content of one file, mostly small; about one in eight is over 64 KB.
pub(crate) fn file(rng: &mut Prng) -> Vec<u8> {
    match rng.below(100) {
        0..34 => text(rng, b"\n"),
        34..40 => text(rng, b"\r\n"),
        40..43 => mixed_terminators(rng),
        43..46 => without_last_terminator(rng),
        46..52 => invalid_utf8(rng),
        52..58 => utf16(rng),
        58..61 => [b"\xEF\xBB\xBF".to_vec(), text(rng, b"\n")].concat(),
        61..66 => nul_early(rng),
        66..69 => nul_late(rng),
        69..72 => long_lines(rng),
        72..76 => Vec::new(),
        76..83 => tiny(rng),
        83..87 => large(rng, 128 << 10),
        87..90 => large(rng, 300 << 10),
        90..92 => vec![b'\n'; rng.between(1, 40)],
        92..94 => nul_records(rng),
        94..96 => text(rng, b"\r"),
        96..98 => latin1(rng),
        _ => text(rng, b"\n\n"),
    }
}

fn text(rng: &mut Prng, terminator: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..rng.between(1, 30) {
        out.extend(line(rng));
        out.extend_from_slice(terminator);
    }
    out
}

fn mixed_terminators(rng: &mut Prng) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..rng.between(2, 20) {
        out.extend(line(rng));
        out.extend_from_slice(
            rng.pick(&["\n", "\r\n", "\r", "\r\r\n", "\u{85}", "\u{2028}"]).as_bytes(),
        );
    }
    out
}

fn without_last_terminator(rng: &mut Prng) -> Vec<u8> {
    [text(rng, b"\n"), line(rng), rng.pick(WORDS).as_bytes().to_vec()].concat()
}

fn invalid_utf8(rng: &mut Prng) -> Vec<u8> {
    let mut out = text(rng, b"\n");
    for _ in 0..rng.between(1, 6) {
        let at = rng.below(out.len() + 1);
        let bad: &[u8] = rng.pick::<&[u8]>(&[
            b"\xFF",
            b"\xC3",
            b"\xE2\x84",
            b"\xED\xA0\x80",
            b"\x80",
            b"\xFE\xFF",
        ]);
        out.splice(at..at, bad.iter().copied());
    }
    out
}

/// UTF-16 with a byte order mark (rarely without), sometimes cut in the middle of a unit.
fn utf16(rng: &mut Prng) -> Vec<u8> {
    let big_endian = rng.chance(50);
    let terminator: &[u8] = if rng.chance(50) { b"\n" } else { b"\r\n" };
    let text = String::from_utf8(text(rng, terminator)).expect("generated text is valid UTF-8");
    let mark = if rng.chance(85) { "\u{FEFF}" } else { "" };
    let mut out = Vec::new();
    for unit in mark.encode_utf16().chain(text.encode_utf16()) {
        out.extend(if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() });
    }
    if rng.chance(10) {
        out.extend_from_slice(&[0x00, 0xD8, b'a', 0]); // an unpaired surrogate, in one of the orders
    }
    if rng.chance(10) {
        out.pop();
    }
    out
}

fn nul_early(rng: &mut Prng) -> Vec<u8> {
    let mut out = text(rng, b"\n");
    for _ in 0..rng.between(1, 3) {
        let at = rng.below(out.len() + 1);
        out.insert(at, 0);
    }
    out
}

/// A NUL past the first buffer (64 KB), with matches before and after it.
fn nul_late(rng: &mut Prng) -> Vec<u8> {
    let size = rng.between(66 << 10, 150 << 10);
    let mut out = large(rng, size);
    let at = rng.between(64 << 10, out.len());
    out.insert(at, 0);
    out
}

fn long_lines(rng: &mut Prng) -> Vec<u8> {
    let mut out = text(rng, b"\n");
    for _ in 0..rng.between(1, 2) {
        for _ in 0..rng.between(500, 4_000) {
            out.extend_from_slice(rng.pick(WORDS).as_bytes());
            out.push(b' ');
        }
        if rng.chance(80) {
            out.push(b'\n');
        }
        out.extend(text(rng, b"\n"));
    }
    out
}

fn tiny(rng: &mut Prng) -> Vec<u8> {
    (0..rng.between(1, 3)).map(|_| *rng.pick(b"\n\rax_\0\xFF\xFE\xEFK k.")).collect()
}

/// Many lines over `size_min` bytes: filler with few words, and matches at random places and at the
/// ends.
fn large(rng: &mut Prng, size_min: usize) -> Vec<u8> {
    let terminator: &[u8] = if rng.chance(15) { b"\r\n" } else { b"\n" };
    let filler_every = rng.between(2, 400);
    let mut out = line(rng);
    while out.len() < size_min + rng.below(4 << 10) {
        out.extend_from_slice(terminator);
        if rng.below(filler_every) == 0 {
            out.extend(line(rng));
        } else {
            out.extend_from_slice(b"filler filler of a long file, nothing to see");
        }
    }
    out.extend_from_slice(terminator);
    out.extend(line(rng));
    if rng.chance(70) {
        out.extend_from_slice(terminator);
    }
    out
}

fn nul_records(rng: &mut Prng) -> Vec<u8> {
    text(rng, b"\0")
}

fn latin1(rng: &mut Prng) -> Vec<u8> {
    let mut out = text(rng, b"\n");
    out.extend_from_slice(b"Gr\xF6\xDFe na\xEFve caf\xE9 mutex_lock\n");
    out
}
