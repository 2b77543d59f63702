//! [`Ranking`]: which items match what was typed, the best first.
//!
//! The query has the syntax of fzf: words that must all match, letters in order; `'word` literally, `^start`,
//! `end$`, `!without`. A lower-case query matches both cases.

use frizbee::{Config, Matcher, SortStrategy};

use super::item::Item;

/// What a match within the name scores more than one elsewhere in the text, for each letter of the query.
/// A letter that matches scores 12, a gap between two costs 5: so that letters that are scattered over
/// a name do not come before the same letters in a row in a path.
const NAME_BONUS: usize = 2;

/// The maximum number of threads that compare: beyond, starting them takes longer.
const THREADS_MAX: usize = 8;

/// How many of the items whose texts match best are compared by their names, too. More are not looked at.
const REFINED: usize = 4096;

/// The items that match a query, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranking {
    query: String,
    /// The query, compiled; `None` if it is blank, which all items match.
    matcher: Option<Matcher>,
    /// The keys of the items that match, by their texts; see [`key`].
    by_text: Vec<u64>,
    /// The same, of the first [`REFINED`] by their names, too.
    keys: Vec<u64>,
    /// The number of items that were compared.
    compared: usize,
    threads: usize,
}

impl Ranking {
    /// Returns the ranking of no items by a blank query.
    pub(super) fn new(threads: usize) -> Ranking {
        Ranking { threads: threads.clamp(1, THREADS_MAX), ..Ranking::default() }
    }

    /// Ranks `items` by another query. O(items).
    pub(super) fn set_query(&mut self, query: &str, items: &[Item]) {
        query.clone_into(&mut self.query);
        self.matcher = matcher(query);
        self.forget();
        self.add(items);
    }

    /// Forgets all items.
    pub(super) fn forget(&mut self) {
        self.by_text.clear();
        self.keys.clear();
        self.compared = 0;
    }

    /// Ranks those of `items` that were added since the last call. O(added + matches log matches).
    pub(super) fn add(&mut self, items: &[Item]) {
        let first = self.compared;
        self.compared = items.len();
        let Some(matcher) = &mut self.matcher else {
            self.keys.extend((first..items.len()).map(|at| at as u64));
            return;
        };
        let texts: Vec<&str> = items[first..].iter().map(Item::text).collect();
        let found = matcher.match_list_parallel(&texts, self.threads);
        let found = found.iter().map(|of| {
            let index = first + of.index as usize;
            key(of.score, items[index].name(), index)
        });
        self.by_text.extend(found);
        self.by_text.sort_unstable();
        self.by_text.clone_into(&mut self.keys);
        let refined = self.keys.len().min(REFINED);
        let best = &mut self.keys[..refined];
        let names: Vec<&str> = best.iter().map(|&key| items[index_of(key)].name()).collect();
        let bonus = NAME_BONUS * self.query.chars().filter(|c| !c.is_whitespace()).count();
        let bonus = u16::try_from(bonus).unwrap_or(u16::MAX);
        for of in matcher.match_list_parallel(&names, self.threads) {
            let (place, score) = (of.index as usize, of.score.saturating_add(bonus));
            best[place] = best[place].min(key(score, names[place], index_of(best[place])));
        }
        best.sort_unstable();
    }

    /// Returns the number of items that match.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns the index of the `at`th item that matches.
    pub(super) fn get(&self, at: usize) -> Option<usize> {
        self.keys.get(at).map(|&key| index_of(key))
    }

    /// Returns the positions in `text` of the bytes that match, ascending.
    pub(super) fn matched(&self, text: &str) -> Vec<usize> {
        let found = self.matcher.clone().and_then(|mut of| of.match_one_indices(text, 0));
        let Some(found) = found else { return Vec::new() };
        let mut places: Vec<usize> = found.indices.iter().map(|&at| at as usize).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

fn matcher(query: &str) -> Option<Matcher> {
    let config = Config::default().sort(SortStrategy::IndexAsc);
    let matcher = Matcher::from_query(query, &config);
    (!matcher.patterns().is_empty()).then_some(matcher)
}

/// Returns what an item is sorted by: the better score first, then the shorter name, then the index.
fn key(score: u16, name: &str, index: usize) -> u64 {
    let name_len = name.len().min(usize::from(u16::MAX)) as u64;
    u64::from(u16::MAX - score) << 48 | name_len << 32 | index as u64
}

fn index_of(key: u64) -> usize {
    (key & u64::from(u32::MAX)) as usize
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::item::Place;
    use super::*;

    fn symbol(name: &str, path: &str) -> Item {
        Item::of_symbol(name, "function", Place { path: path.as_bytes().into(), line: Some(1) })
    }

    fn file(path: &str) -> Item {
        Item::of_file(Place { path: path.as_bytes().into(), line: None })
    }

    #[track_caller]
    fn check(items: &[Item], query: &str, expected: &[&str]) {
        let mut ranking = Ranking::new(1);
        ranking.set_query(query, items);
        let found = (0..ranking.len()).filter_map(|at| ranking.get(at));
        let found: Vec<&str> = found.map(|at| items[at].text()).collect();
        assert_eq!(found, expected, "{query}");
        // Items that come later have the same places.
        let mut later = Ranking::new(2);
        later.set_query(query, &[]);
        for end in 0..=items.len() {
            later.add(&items[..end]);
        }
        assert_eq!(later.keys, ranking.keys, "{query}");
    }

    #[test]
    fn names_come_before_paths() {
        let symbols = [
            symbol("apply", "src/total.rs"),
            symbol("Cart::total", "src/cart.rs"),
            symbol("subtotal_of_all", "src/price.rs"),
            symbol("total", "src/price.rs"),
        ];
        check(
            &symbols,
            "total",
            &[
                "total src/price.rs",
                "Cart::total src/cart.rs",
                "subtotal_of_all src/price.rs",
                "apply src/total.rs",
            ],
        );
        check(&symbols, "total cart", &["Cart::total src/cart.rs"]);
        check(&symbols, "total !cart !price", &["apply src/total.rs"]);
        check(&symbols, "  ", &symbols.iter().map(Item::text).collect::<Vec<_>>());
        check(&symbols, "CART", &[]);
        check(&symbols, "Cart", &["Cart::total src/cart.rs"]);
    }

    #[test]
    fn files_are_found_by_their_names_first() {
        let files = [file("cart/mod.rs"), file("src/cart.rs"), file("src/cart_test.rs")];
        check(&files, "cart", &["src/cart.rs", "src/cart_test.rs", "cart/mod.rs"]);
        check(&files, "src/cart", &["src/cart.rs", "src/cart_test.rs"]);
        check(&files, "^cart/", &["cart/mod.rs"]);
        check(&files, "'art.rs", &["src/cart.rs"]);
    }

    #[test]
    fn matched_characters_are_located() {
        let of = |query: &str, text: &str| {
            let mut ranking = Ranking::new(1);
            ranking.set_query(query, &[]);
            ranking.matched(text)
        };
        assert_eq!(of("ct", "Cart"), [0, 3]);
        assert_eq!(of("tö", "größe tö"), [8, 9, 10]);
        assert_eq!(of("e", "größe"), [6]);
        assert_eq!(of("x", "größe"), [0_usize; 0]);
        assert_eq!(of("", "a"), [0_usize; 0]);
    }

    /// Names like those of a large program; a third of them has all letters of `token` in order.
    fn many(count: usize) -> Vec<Item> {
        let words = [
            "branch", "build", "cache", "commit", "config", "cursor", "file", "handler", "index",
            "length", "node", "parse", "query", "read", "render", "stream", "symbol", "token",
            "total", "write",
        ];
        let mut seed = 1_u64;
        let mut word = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            words[(seed % words.len() as u64) as usize]
        };
        let mut item = |_| {
            let name = format!("{}::{}_{}", word(), word(), word());
            symbol(&name, &format!("src/{}/{}/{}.rs", word(), word(), word()))
        };
        (0..count).map(&mut item).collect()
    }

    /// Meaningful only with `--release`.
    #[test]
    #[ignore = "measures time"]
    fn a_hundred_thousand_symbols_are_filtered_within_a_frame() {
        let items = many(100_000);
        let mut ranking = Ranking::new(2);
        let mut slow = Vec::new();
        for query in ["", "t", "to", "tok", "toke", "token", "token r", "token rd", "e", "re", "zz"]
        {
            let times = (0..5).map(|_| {
                let started = Instant::now();
                ranking.set_query(query, &items);
                started.elapsed()
            });
            let best = times.min().unwrap_or_default();
            slow.push(format!("{query:?}: {} match, {best:?}", ranking.len()));
            assert!(best < Duration::from_millis(16), "{slow:#?}");
        }
    }
}
