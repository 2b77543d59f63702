//! Related words: which other words the authors of code use where one word could stand, such as
//! `sleep` for `wait` or `gzip` for `compress`.
//!
//! The table is learned, not written: `bench-corpus/related_words.py` states how, from the words that
//! occur together in the sources of many projects. docs/context.md describes how.

use std::sync::LazyLock;

/// The table. Each line has a stem, then its related stems with their similarities in percent. Lines
/// are sorted by stem.
static TABLE: &str = include_str!("related.txt");

/// The lines of the table.
static LINES: LazyLock<Vec<&str>> = LazyLock::new(|| TABLE.lines().collect());

/// Factor on the similarity of a related stem.
const FACTOR: f32 = 0.3;

/// Returns the related stems of `stem`, most similar first, each with the factor by which one of its
/// occurrences counts less than one of `stem`. O(log n) for n lines.
pub fn related(stem: &str) -> impl Iterator<Item = (&'static str, f32)> + use<> {
    let key = |line: &&'static str| line.split(' ').next().unwrap_or_default();
    let at = LINES.binary_search_by(|line| key(line).cmp(stem));
    let words = at.map_or("", |at| LINES[at]).split(' ').skip(1);
    words.filter_map(|word| {
        let (word, percent) = word.split_once(':')?;
        Some((word, FACTOR * percent.parse::<f32>().ok()? / 100.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_complete() {
        let keys: Vec<&str> = LINES.iter().filter_map(|line| line.split(' ').next()).collect();
        assert!(keys.is_sorted() && keys.len() > 1000);
        for line in LINES.iter() {
            let stem = line.split(' ').next().expect("a stem");
            let words: Vec<(&str, f32)> = related(stem).collect();
            assert_eq!(words.len(), line.split(' ').count() - 1, "{line}");
            assert!(words.iter().all(|(word, factor)| *word != stem && *factor <= FACTOR));
        }
        assert_eq!(related("no such stem").count(), 0);
    }

    #[test]
    fn words_of_a_trade_are_related() {
        let of = |stem| related(stem).map(|(word, _)| word).collect::<Vec<_>>();
        assert!(of("wait").contains(&"sleep"), "{:?}", of("wait"));
        assert!(of("compress").contains(&"gzip"), "{:?}", of("compress"));
    }
}
