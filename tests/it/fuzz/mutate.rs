//! Mutations of sources, token by token.

use codedb::lang::Language;

use super::seeds::Seeds;
use crate::support::prng::Prng;

/// Maximum length of a text.
const BYTES_MAX: usize = 48 << 10;

/// What scanners written by hand look for, in any language.
const EDGES: &[&str] = &[
    "\"\"\"",
    "'''",
    "`",
    "${",
    "#{",
    "{|",
    "|}",
    "R\"x(",
    ")x\"",
    "r#\"",
    "\"#",
    "<<A",
    "<<~'A'",
    "<<<A",
    "\nA\n",
    "/*",
    "*/",
    "(*",
    "*)",
    "{-",
    "-}",
    "--[==[",
    "]==]",
    "$$",
    "$a$",
    "=begin\n",
    "\n=end\n",
    "%w[",
    "%q(",
    "\\",
    "\\\n",
    "\r\n",
    "\r",
    "\t",
    "\0",
    "\u{feff}",
    "\u{2028}",
    "\u{1F600}",
    "é",
    "#if A\n",
    "\n#endif\n",
    "<script>",
    "</script>",
    "---\n",
    "...\n",
    "- ",
    "? ",
    ": ",
    "|\n",
    ">-\n",
    "&a ",
    "*a ",
    "```\n",
    "> ",
    "* ",
    "    ",
    "\n",
    "@",
    "#",
    ";",
    "::",
    "->",
    "=>",
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "A<",
    ":not(",
    "do ",
    "let ",
    "where ",
    "if ",
    "case ",
    "of ",
    "begin ",
    "end ",
    "class ",
    "def ",
    "fn ",
];

/// Returns a mutated source of `language`.
pub(super) fn text(rng: &mut Prng, seeds: &Seeds, language: &Language) -> Vec<u8> {
    let source = rng.pick(seeds.of(language));
    let mut tokens = part(rng, &tokens(source));
    for _ in 0..rng.between(1, 5) {
        mutate(rng, seeds, language, &mut tokens);
    }
    let mut text = tokens.concat();
    text.truncate(BYTES_MAX);
    text
}

/// Splits a text into words, white space and single other bytes.
fn tokens(text: &str) -> Vec<Vec<u8>> {
    let kind = |byte: u8| match byte {
        b' ' | b'\t' => 1,
        byte if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => 2,
        _ => 0,
    };
    let same = |a: &u8, b: &u8| kind(*a) == kind(*b) && kind(*a) != 0;
    text.as_bytes().chunk_by(same).map(<[u8]>::to_vec).collect()
}

/// Returns up to 250 adjacent tokens, so that most texts are short.
fn part(rng: &mut Prng, tokens: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let start = if rng.chance(50) { 0 } else { rng.below(tokens.len()) };
    let len = rng.between(5, 250).min(tokens.len() - start);
    tokens[start..start + len].to_vec()
}

/// Returns a random span of tokens, at most `max` long.
fn span(rng: &mut Prng, tokens: &[Vec<u8>], max: usize) -> std::ops::Range<usize> {
    let start = rng.below(tokens.len() + 1);
    start..(start + rng.between(1, max)).min(tokens.len())
}

fn mutate(rng: &mut Prng, seeds: &Seeds, language: &Language, tokens: &mut Vec<Vec<u8>>) {
    let at = rng.below(tokens.len() + 1);
    match rng.below(12) {
        0 => drop(tokens.drain(span(rng, tokens, 8))),
        1 => {
            let copied = tokens[span(rng, tokens, 20)].to_vec();
            tokens.splice(at..at, copied);
        }
        2 => {
            let taken: Vec<Vec<u8>> = tokens.drain(span(rng, tokens, 20)).collect();
            let at = rng.below(tokens.len() + 1);
            tokens.splice(at..at, taken);
        }
        3 | 4 => {
            let repeated = tokens[span(rng, tokens, 4)].concat();
            tokens.insert(at, repeated.repeat(times(rng)));
        }
        5 | 6 => {
            let edge = rng.pick(EDGES).as_bytes().to_vec();
            tokens.insert(at, edge);
        }
        7 => {
            let edges = [rng.pick(EDGES).as_bytes(), rng.pick(EDGES).as_bytes()].concat();
            tokens.insert(at, edges.repeat(times(rng)));
        }
        8 => {
            let bytes: Vec<u8> = (0..rng.between(1, 6)).map(|_| rng.bits() as u8).collect();
            tokens.insert(at, bytes);
        }
        9 => tokens.truncate(at),
        10 => {
            let source = if rng.chance(80) { seeds.of(language) } else { seeds.all() };
            let other = rng.pick(source).clone();
            let other = part(rng, &self::tokens(&other));
            tokens.splice(at..at, other);
        }
        _ => {
            let long = vec![b'a' + rng.below(26) as u8; rng.between(100, 1500)];
            tokens.insert(at, long);
        }
    }
}

/// Returns how often something is repeated: rarely often.
fn times(rng: &mut Prng) -> usize {
    match rng.below(10) {
        0 => rng.between(300, 4000),
        1..4 => rng.between(30, 300),
        _ => rng.between(2, 30),
    }
}
