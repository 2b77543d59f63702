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

/// The texts of all items one after the other: reading them in place takes longer than comparing them.
#[derive(Clone, Debug, Default)]
struct Texts {
    all: String,
    /// Where each text ends.
    ends: Vec<usize>,
    name_lens: Vec<u16>,
}

impl Texts {
    fn push(&mut self, item: &Item) {
        self.all.push_str(item.text());
        self.ends.push(self.all.len());
        self.name_lens.push(u16::try_from(item.name().len()).unwrap_or(u16::MAX));
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.all[start..self.ends[index]]
    }
}

/// The items that match a query, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranking {
    query: String,
    /// The query, compiled; `None` if it is blank, which all items match.
    matcher: Option<Matcher>,
    texts: Texts,
    /// The keys of the items that match, by their texts, in the order of the items; see [`key`].
    by_text: Vec<u64>,
    /// The same in their own order, of the first [`REFINED`] by their names, too.
    keys: Vec<u64>,
    threads: usize,
}

impl Ranking {
    /// Returns the ranking of no items by a blank query.
    pub(super) fn new(threads: usize) -> Ranking {
        Ranking { threads: threads.clamp(1, THREADS_MAX), ..Ranking::default() }
    }

    /// Ranks `items`, which were added before, by another query. O(items), or O(matches before) if the query
    /// only became longer.
    pub(super) fn set_query(&mut self, query: &str, items: &[Item]) {
        let narrows = self.matcher.is_some() && is_narrower(query, &self.query);
        query.clone_into(&mut self.query);
        self.matcher = matcher(query);
        let before = std::mem::take(&mut self.by_text);
        self.keys.clear();
        if narrows {
            self.compare(before.into_iter().map(index_of).collect());
        } else {
            self.compare((0..self.texts.len()).collect());
        }
        self.order(items);
    }

    /// Forgets all items.
    pub(super) fn forget(&mut self) {
        self.texts = Texts::default();
        self.by_text.clear();
        self.keys.clear();
    }

    /// Ranks those of `items` that were added since the last call. O(added + matches log matches).
    pub(super) fn add(&mut self, items: &[Item]) {
        let known = self.texts.len();
        items[known..].iter().for_each(|item| self.texts.push(item));
        self.compare((known..items.len()).collect());
        self.order(items);
    }

    /// Adds those of the items at `indices` whose texts match. They are ascending, and behind those that were
    /// added before.
    fn compare(&mut self, indices: Vec<usize>) {
        let Some(matcher) = &mut self.matcher else {
            return self.keys.extend(indices.into_iter().map(|index| index as u64));
        };
        let texts: Vec<&str> = indices.iter().map(|&index| self.texts.get(index)).collect();
        let found = matcher.match_list_parallel(&texts, self.threads);
        let name_lens = &self.texts.name_lens;
        self.by_text.extend(found.iter().map(|of| {
            let index = indices[of.index as usize];
            key(of.score, name_lens[index], index)
        }));
    }

    /// Orders the items that match a query.
    fn order(&mut self, items: &[Item]) {
        if self.matcher.is_some() {
            self.by_text.clone_into(&mut self.keys);
            self.keys.sort_unstable();
            self.refine(items);
        }
    }

    /// Compares the best items by their names, too.
    fn refine(&mut self, items: &[Item]) {
        let Some(matcher) = &mut self.matcher else { return };
        let refined = self.keys.len().min(REFINED);
        let best = &mut self.keys[..refined];
        let names: Vec<&str> = best.iter().map(|&key| items[index_of(key)].name()).collect();
        let bonus = NAME_BONUS * self.query.chars().filter(|c| !c.is_whitespace()).count();
        let bonus = u16::try_from(bonus).unwrap_or(u16::MAX);
        for of in matcher.match_list_parallel(&names, self.threads) {
            let (place, score) = (of.index as usize, of.score.saturating_add(bonus));
            let index = index_of(best[place]);
            best[place] = best[place].min(key(score, self.texts.name_lens[index], index));
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

/// Returns true if all that matches `query` matches `before`, too: letters were typed at its end, and none
/// of the characters that have a meaning is in it.
fn is_narrower(query: &str, before: &str) -> bool {
    query.starts_with(before) && !query.contains(['!', '^', '$', '\'', '\\'])
}

/// Returns what an item is sorted by: the better score first, then the shorter name, then the index.
fn key(score: u16, name_len: u16, index: usize) -> u64 {
    u64::from(u16::MAX - score) << 48 | u64::from(name_len) << 32 | index as u64
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
        ranking.add(items);
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
        // So does a query that is typed letter by letter.
        let mut typed = Ranking::new(1);
        typed.add(items);
        for end in (0..=query.len()).filter(|&end| query.is_char_boundary(end)) {
            typed.set_query(&query[..end], items);
        }
        assert_eq!(typed.keys, ranking.keys, "{query}");
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
        ranking.add(&items);
        let mut slow = Vec::new();
        for query in ["", "t", "to", "tok", "toke", "token", "token r", "token rd", "e", "re", "zz"]
        {
            let times = (0..5).map(|_| {
                ranking.set_query("", &items);
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
