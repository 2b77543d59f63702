//! Scores one word of a query in one name.
//!
//! Scores are in classes, so that a better kind of match always wins: whole name 1000, stem 950,
//! prefix 800, substring at the start of a word 700, initials 650, other substring 500, subsequence
//! up to 450, typing errors up to 350, substring of a directory name 300, subsequence of
//! directories and name up to 200, of directories alone 50. Within a class, shorter names win.

use std::cmp::Ordering;
use std::ops::Range;

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use super::typo::Pattern;

/// The best score of a match with typing errors.
pub(super) const WITH_TYPO_MAX: i32 = 350;

const WHOLE: i32 = 1000;
const STEM: i32 = 950;
const START: i32 = 800;
const WORD_START: i32 = 700;
const INITIALS: i32 = 650;
const PART: i32 = 500;
const LETTERS_MAX: i32 = 450;
const LETTERS_MIN: i32 = 210;
const FOLDER_PART: i32 = 300;
const SPREAD_MAX: i32 = 200;
const SPREAD_MIN: i32 = 60;
const FOLDERS: i32 = 50;

/// Penalty of a typing error.
const TYPO: i32 = 40;

/// Bonus for a word that names a directory before a `/`.
const DIRECTORY_BONUS: i32 = 100;

/// Maximum letters of a word: the number of bits of a [`Pattern`].
const LETTERS: usize = 64;

/// A compiled word of a query.
#[derive(Debug)]
pub(super) struct Word {
    /// The text up to and including the last `/`, in lowercase; usually empty.
    directory: Vec<u8>,
    /// The rest in its original case.
    typed: Vec<u8>,
    /// The rest in lowercase.
    folded: Vec<u8>,
    /// The letter bit at each position.
    letters: Vec<u64>,
    /// The set of letters from each position on.
    letters_from: Vec<u64>,
    finder: Finder<'static>,
    pattern: Option<Pattern>,
}

/// A name to score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a> {
    /// In its original case.
    pub(super) written: &'a [u8],
    /// In lowercase.
    pub(super) folded: &'a [u8],
    /// Its [`letters`].
    pub(super) letters: u64,
}

/// Returns the set of bytes in a lowercase name. Letters, digits and a few other bytes have a bit
/// of their own; the rest share bits.
pub(super) fn letters(folded: &[u8]) -> u64 {
    folded.iter().fold(0, |set, &byte| set | letter(byte))
}

/// Returns the [`letters`] of a name in its original case.
pub(super) fn letters_of(name: &[u8]) -> u64 {
    name.iter().fold(0, |set, byte| set | letter(byte.to_ascii_lowercase()))
}

/// Returns the [`letters`] of each quarter of a lowercase name. A subsequence of the name is also
/// found greedily in the sets of its quarters, which makes them a quick necessary test.
pub(super) fn quarters(folded: &[u8]) -> [u64; 4] {
    let end = |quarter: usize| folded.len() * quarter / 4;
    std::array::from_fn(|quarter| letters(&folded[end(quarter)..end(quarter + 1)]))
}

fn letter(byte: u8) -> u64 {
    let bit = match byte {
        b'a'..=b'z' => byte - b'a',
        b'0'..=b'9' => 26 + byte - b'0',
        b'.' => 36,
        b'_' => 37,
        b'-' => 38,
        byte if byte < 0x80 => 39,
        byte => 40 + byte % 24,
    };
    1 << bit
}

impl Word {
    /// Compiles a word. Only the first 64 letters after the last `/` are used.
    pub(super) fn new(word: &[u8]) -> Word {
        let at = word.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
        let directory = word[..at].to_ascii_lowercase();
        // Shell completion adds such prefixes.
        let directory = directory.strip_prefix(b"./").map_or(directory.clone(), <[u8]>::to_vec);
        let directory = directory.strip_prefix(b"/").map_or(directory.clone(), <[u8]>::to_vec);
        let typed = word[at..word.len().min(at + LETTERS)].to_vec();
        let folded = typed.to_ascii_lowercase();
        let letters: Vec<u64> = folded.iter().map(|&byte| letter(byte)).collect();
        let mut letters_from = vec![0; folded.len() + 1];
        for at in (0..folded.len()).rev() {
            letters_from[at] = letters_from[at + 1] | letters[at];
        }
        let pattern = Pattern::new(&folded);
        let finder = Finder::new(&folded).into_owned();
        Word { directory, typed, folded, letters, letters_from, finder, pattern }
    }

    /// Returns how many letters are matched after the directory `name`, if `before` were matched by
    /// its parents.
    ///
    /// If the word contains a directory, these are the letters of that directory. Otherwise they
    /// are the letters of the word, or one more than all of them if the word is a substring of a
    /// directory name. `set` is the [`letters`] of `name`.
    pub(super) fn reach_directory(&self, before: u16, name: &[u8], set: u64) -> u16 {
        let before = usize::from(before);
        let reached = if !self.directory.is_empty() {
            reach(&self.directory, before, name)
        } else if before > self.folded.len() {
            before
        } else if self.letters_from[0] & !set == 0 && self.finder.find(name).is_some() {
            self.folded.len() + 1
        } else if self.folded.get(before).is_some_and(|&next| letter(next) & set != 0) {
            reach(&self.folded, before, name)
        } else {
            before
        };
        reached as u16
    }

    /// Returns the letters that a name needs to match, or `None` if no name can match. `reached` is
    /// the number of letters matched by its directory.
    pub(super) fn needed(&self, reached: usize) -> Option<u64> {
        if self.directory.is_empty() {
            Some(self.letters_from[reached.min(self.folded.len())])
        } else {
            (reached == self.directory.len()).then_some(self.letters_from[0])
        }
    }

    /// Returns false if no name with these [`quarters`] can match. `reached` is the number of
    /// letters matched by its directory.
    pub(super) fn may_fit(&self, quarters: [u64; 4], reached: usize) -> bool {
        let from = if self.directory.is_empty() {
            reached.min(self.letters.len())
        } else if reached == self.directory.len() {
            0
        } else {
            return false;
        };
        let mut rest = &self.letters[from..];
        for letters in quarters {
            while let Some((letter, later)) = rest.split_first()
                && letter & letters != 0
            {
                rest = later;
            }
        }
        rest.is_empty()
    }

    /// Returns false if no name with these letters can match within the allowed typing errors.
    pub(super) fn may_fit_with_typos(&self, letters: u64, reached: usize) -> bool {
        let Some(pattern) = &self.pattern else { return false };
        (self.directory.is_empty() || reached == self.directory.len())
            && (self.letters_from[0] & !letters).count_ones() <= pattern.errors_max()
    }

    /// Returns the score of a name, if it matches. A score below `floor` need not be exact, which
    /// saves work.
    pub(super) fn score(&self, name: Name<'_>, reached: usize, floor: i32) -> Option<i32> {
        let extra = if self.directory.is_empty() { 0 } else { DIRECTORY_BONUS };
        if self.folded.is_empty() {
            return Some(FOLDERS + extra);
        }
        let is_directory = self.directory.is_empty() && reached > self.folded.len();
        let least = if is_directory { FOLDER_PART } else { i32::MIN };
        if self.letters_from[0] & !name.letters == 0
            && let Some(score) = self.score_in_name(name, floor.saturating_sub(extra))
        {
            return Some((score + extra).max(least));
        }
        if is_directory {
            return Some(FOLDER_PART);
        }
        if !self.directory.is_empty() || reached == 0 {
            return None;
        }
        let rest = &self.folded[reached.min(self.folded.len())..];
        if rest.is_empty() {
            return Some(FOLDERS);
        }
        if SPREAD_MAX < floor {
            return (reach(rest, 0, name.folded) == rest.len()).then_some(SPREAD_MIN);
        }
        let span = closest(rest, name.folded)?;
        let gaps = (span.len() - rest.len()) as i32;
        let at_start = if span.start == 0 { 30 } else { 0 };
        let share = (100 * rest.len() / self.folded.len()) as i32;
        Some((SPREAD_MIN + share + at_start - 5 * gaps).clamp(SPREAD_MIN, SPREAD_MAX))
    }

    /// Returns the score of a match with typing errors, if they are few enough.
    pub(super) fn score_with_typos(&self, folded: &[u8]) -> Option<i32> {
        let (errors, is_from_start) = self.pattern.as_ref()?.errors(folded)?;
        let start = if is_from_start { 0 } else { TYPO / 2 };
        let longer = (folded.len().saturating_sub(self.folded.len()) as i32).min(TYPO / 2 - 1);
        Some(WITH_TYPO_MAX - TYPO * errors as i32 - start - longer)
    }

    fn score_in_name(&self, name: Name<'_>, floor: i32) -> Option<i32> {
        let (word, Name { written, folded, .. }) = (self.folded.as_slice(), name);
        // Every match contains the letters as a subsequence; one of the same length is the name.
        let may_match = match word.len().cmp(&folded.len()) {
            Ordering::Greater => false,
            Ordering::Equal => word == folded,
            Ordering::Less => reach(word, 0, folded) == word.len(),
        };
        if !may_match {
            return None;
        }
        let longer = ((folded.len() - word.len()) as i32).min(45);
        let part = if word.len() == folded.len() {
            Some(0)
        } else {
            part_at(&self.finder, written, folded)
        };
        if let Some(at) = part {
            // An uppercase letter in the query is probably intended.
            let has_capital = self.typed != self.folded;
            let exact = has_capital && written[at..].starts_with(&self.typed);
            return Some(part_score(word, written, at) - longer + if exact { 4 } else { 0 });
        }
        if INITIALS - longer < floor {
            return Some(LETTERS_MIN);
        }
        if word.len() > 1 && has_initials(word, written, folded) {
            return Some(INITIALS - longer);
        }
        if LETTERS_MAX - longer < floor {
            return Some(LETTERS_MIN);
        }
        let span = closest(word, folded)?;
        let starts = is_word_start(written, span.start);
        let gaps = (span.len() - word.len()) as i32;
        let score = LETTERS_MAX - 10 * gaps - longer - if starts { 0 } else { 40 };
        Some(score.max(LETTERS_MIN))
    }
}

/// Returns the score of `word` as a substring at `at`.
fn part_score(word: &[u8], name: &[u8], at: usize) -> i32 {
    let end = at + word.len();
    match at {
        0 if end == name.len() => WHOLE,
        0 if name[end] == b'.' => STEM,
        0 => START,
        _ if is_word_start(name, at) => WORD_START,
        _ => PART,
    }
}

/// Returns how many letters of `word` are matched after continuing the subsequence from letter
/// `from` in `text`.
fn reach(word: &[u8], from: usize, mut text: &[u8]) -> usize {
    let mut at = from;
    while let Some(&wanted) = word.get(at)
        && let Some(found) = memchr(wanted, text)
    {
        text = &text[found + 1..];
        at += 1;
    }
    at
}

/// Returns the position of the word in a name, preferably at the start of a word.
fn part_at(finder: &Finder<'_>, written: &[u8], folded: &[u8]) -> Option<usize> {
    let first = finder.find(folded)?;
    let mut at = first;
    while !is_word_start(written, at) {
        match finder.find(&folded[at + 1..]) {
            Some(next) => at += 1 + next,
            None => return Some(first),
        }
    }
    Some(at)
}

/// Returns true if a word starts at `at`: after a separator, at an uppercase letter after or before
/// a lowercase one, or at a digit after a letter.
fn is_word_start(name: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| name[before]) else { return true };
    let here = name[at];
    if !before.is_ascii_alphanumeric() && before < 0x80 {
        return here.is_ascii_alphanumeric() || here >= 0x80;
    }
    let next_is_small = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    here.is_ascii_uppercase() && (!before.is_ascii_uppercase() || next_is_small)
        || here.is_ascii_digit() && !before.is_ascii_digit()
}

/// Returns true if the letters of `word` are prefixes of the words of the name, in order, as in
/// `usest` for `useState`.
fn has_initials(word: &[u8], name: &[u8], folded: &[u8]) -> bool {
    let mut found = 0;
    // True while every byte since the start of the last word was matched.
    let mut follows = false;
    let mut starts = 0;
    for (at, &byte) in folded.iter().enumerate() {
        let Some(&wanted) = word.get(found) else { break };
        let is_start = is_word_start(name, at);
        follows = (is_start || follows) && byte == wanted;
        if follows {
            found += 1;
            starts += u32::from(is_start);
        }
    }
    found == word.len() && starts > 1
}

/// Returns the shortest span with `word` as a subsequence that ends where its earliest match ends.
fn closest(word: &[u8], text: &[u8]) -> Option<Range<usize>> {
    let mut end = 0;
    for &wanted in word {
        end += 1 + memchr(wanted, &text[end..])?;
    }
    let mut start = end;
    for &wanted in word.iter().rev() {
        start = memrchr(wanted, &text[..start])?;
    }
    Some(start..end)
}
