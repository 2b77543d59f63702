//! Patterns: literals from the tree, mutated literals, and regexes from a small grammar.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;

use super::content::{self, WORDS};
use super::prng::Prng;
use super::tree::Tree;

/// Pieces of the grammar that are not words.
const ATOMS: &[&str] = &[
    ".",
    "[a-z]",
    "[A-Z_]",
    "[^a]",
    "[^\\n]",
    "[0-9a-f]",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "\\d",
    "\\b",
    "\\B",
    "^",
    "$",
    "\\pL",
    "\\p{Greek}",
    "\\p{Lu}",
    "\\PL",
    "\\p{Cyrillic}",
    "[α-ω]",
    "[^\\x00-\\x7F]",
    "ab",
    "zz",
    "x_",
    "(?-u:\\w)",
    "(?-u:\\xFF)",
    "(?-u:[\\x80-\\xFF])",
    "[[:alpha:]]",
    "é",
    "[é-ü]",
    "ß",
    "\\x{212A}",
    "\\r",
    "\\t",
    "\\A",
    "\\z",
    "(?:)",
    "\\n",
    "[\\s\\S]",
    "\\x00",
    "\\.",
    "\\{",
    "\\b{start}",
    "\\b{end}",
    "(?m:^)",
    "(?s:.)",
    "\u{2028}",
    "[k]",
    "[s]",
    "\\u{17F}",
    "(?i:k)",
    "[\\W_]",
    "(?R:$)",
    "\\<",
    "\\>",
];

/// Returns one to three patterns; most often one.
pub(crate) fn patterns(rng: &mut Prng, tree: &Tree) -> Vec<OsString> {
    let count = if rng.chance(85) { 1 } else { rng.between(2, 4) };
    (0..count).map(|_| pattern(rng, tree)).collect()
}

fn pattern(rng: &mut Prng, tree: &Tree) -> OsString {
    match rng.below(100) {
        0..28 => literal(rng, tree),
        28..40 => (*rng.pick(WORDS)).into(),
        40..46 => escape(&literal(rng, tree).to_string_lossy()).into(),
        46..54 => mutated(rng, tree).into(),
        54..57 => "".into(),
        57..59 => (*rng.pick(ATOMS)).into(),
        59..61 => pair(rng, tree),
        61..66 => case_changed(rng).into(),
        66..70 => "never_in_any_generated_tree".into(),
        70..74 => (*rng.pick(&[
            "\\w{5}\\s+\\w{5}",
            "[A-Z]+_RESUME",
            "(foo|bar|baz)_?",
            "^$",
            "a|",
            "()",
            "\\bfoo\\b",
            "^\\s*$",
            "(?i)straße|STRASSE",
            "mutex.*lock",
            "foo\\n",
            "lock\\(.*\\)\\n.*",
            "(?s)foo.*bar",
            "\\}\\n\\n",
        ]))
        .into(),
        74..76 => {
            (*rng.pick(&["(", "[a", "a{2", "*", "\\", "(?z)", "a**", "\\p{Nope}", "x{1000}{1000}"]))
                .into()
        }
        _ => regex(rng, 3).into(),
    }
}

/// Returns bytes from a line of a file, without NUL, which an argument cannot contain.
fn literal(rng: &mut Prng, tree: &Tree) -> OsString {
    let files = tree.files();
    let bytes =
        files.get(rng.below(files.len())).and_then(|path| fs::read(path).ok()).unwrap_or_default();
    let lines: Vec<&[u8]> = bytes.split(|&byte| matches!(byte, b'\n' | b'\r' | 0)).collect();
    let line = *rng.pick(&lines);
    let from = rng.below(line.len() + 1);
    let to = (from + rng.between(1, 14)).min(line.len());
    let mut piece = line[from..to].to_vec();
    if rng.chance(85) {
        piece = String::from_utf8_lossy(&piece).replace('\u{FFFD}', "").into_bytes();
    }
    OsString::from_vec(piece)
}

/// Returns two bytes from a file, at a start or end of a line, or anywhere.
fn pair(rng: &mut Prng, tree: &Tree) -> OsString {
    let literal = literal(rng, tree).into_vec();
    let anywhere = rng.below(literal.len() + 1);
    let from = *rng.pick(&[0, literal.len().saturating_sub(2), anywhere]);
    let pair: String = String::from_utf8_lossy(&literal[from..]).chars().take(2).collect();
    escape(&pair.replace('\u{FFFD}', "")).into()
}

fn mutated(rng: &mut Prng, tree: &Tree) -> String {
    let mut chars: Vec<char> = literal(rng, tree).to_string_lossy().chars().collect();
    for _ in 0..rng.between(1, 2) {
        let at = rng.below(chars.len() + 1);
        match rng.below(3) {
            0 => chars.insert(at, *rng.pick(&['.', 'x', '_', ' ', '?', '*', 'é', '+'])),
            1 if at < chars.len() => drop(chars.remove(at)),
            _ if at < chars.len() => chars.swap(at, 0),
            _ => chars.push('x'),
        }
    }
    chars.into_iter().collect()
}

fn case_changed(rng: &mut Prng) -> String {
    let word = *rng.pick(WORDS);
    match rng.below(3) {
        0 => word.to_uppercase(),
        1 => word.to_lowercase(),
        _ => format!("(?i){}", escape(word)),
    }
}

/// Returns a random regex of at most `depth` levels.
fn regex(rng: &mut Prng, depth: usize) -> String {
    if depth == 0 || rng.chance(25) {
        return match rng.below(10) {
            0..6 => escape(rng.pick::<&str>(WORDS)),
            6 => escape(&String::from_utf8_lossy(&content::line(rng))),
            _ => (*rng.pick(ATOMS)).to_owned(),
        };
    }
    match rng.below(10) {
        0..4 => (0..rng.between(2, 3)).map(|_| regex(rng, depth - 1)).collect(),
        4..6 => {
            let arms: Vec<String> = (0..rng.between(2, 4)).map(|_| regex(rng, depth - 1)).collect();
            format!("(?:{})", arms.join("|"))
        }
        6..8 => {
            let times = *rng.pick(&["*", "+", "?", "{2}", "{1,3}", "{0}", "*?", "+?", "{0,2}?"]);
            format!("(?:{}){times}", regex(rng, depth - 1))
        }
        8 => format!("({})", regex(rng, depth - 1)),
        _ => {
            format!("(?{}:{})", rng.pick(&["i", "s", "-u", "x", "U", "im"]), regex(rng, depth - 1))
        }
    }
}

/// Escapes the characters with a special meaning in a regex.
fn escape(literal: &str) -> String {
    let mut escaped = String::new();
    for character in literal.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
