//! A cache whose memory is bounded, for several threads.

use std::hash::Hash;
use std::sync::RwLock;

use rustc_hash::FxHashMap;

/// A cache whose entries weigh at most `max` in all. New entries go into a young half; when that is
/// full, it becomes the old half, and the former old half is dropped. An entry that is found in the
/// old half moves to the young one, so entries that are in use stay.
pub struct BoundedCache<K, V> {
    halves: RwLock<Halves<K, V>>,
    max: usize,
    weight: fn(&V) -> usize,
}

/// The entries of a cache with their weights, each measured once.
struct Halves<K, V> {
    young: FxHashMap<K, (V, usize)>,
    old: FxHashMap<K, (V, usize)>,
    /// The weight of the young half.
    weight: usize,
}

impl<K: Clone + Eq + Hash, V: Clone> BoundedCache<K, V> {
    /// Returns an empty cache for at most `max` entries.
    pub fn new(max: usize) -> BoundedCache<K, V> {
        BoundedCache::weighted(max, |_| 1)
    }

    /// Returns an empty cache for entries of at most `max` in all as `weight` measures them. One
    /// entry that is heavier than `max` is cached alone.
    pub fn weighted(max: usize, weight: fn(&V) -> usize) -> BoundedCache<K, V> {
        let halves = Halves { young: FxHashMap::default(), old: FxHashMap::default(), weight: 0 };
        BoundedCache { halves: RwLock::new(halves), max, weight }
    }

    /// Returns the cached value of a key. O(1).
    pub fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: std::borrow::Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        {
            let halves = self.halves.read().ok()?;
            if let Some((value, _)) = halves.young.get(key) {
                return Some(value.clone());
            }
            if !halves.old.contains_key(key) {
                return None;
            }
        }
        let mut halves = self.halves.write().ok()?;
        let Some((key, entry)) = halves.old.remove_entry(key) else {
            // Another thread has moved it, or both halves were dropped since.
            return halves.young.get(key).map(|(value, _)| value.clone());
        };
        let value = entry.0.clone();
        self.put(&mut halves, key, entry);
        Some(value)
    }

    /// Caches a value. O(1), amortised.
    pub fn insert(&self, key: K, value: V) {
        let weight = (self.weight)(&value);
        if let Ok(mut halves) = self.halves.write() {
            self.put(&mut halves, key, (value, weight));
        }
    }

    fn put(&self, halves: &mut Halves<K, V>, key: K, entry: (V, usize)) {
        if halves.weight + entry.1 > self.max / 2 {
            halves.old = std::mem::take(&mut halves.young);
            halves.weight = 0;
        }
        halves.weight += entry.1;
        if let Some((_, replaced)) = halves.young.insert(key, entry) {
            halves.weight -= replaced;
        }
    }

    /// Passes all entries to `each`, in no order. O(entries).
    pub fn each(&self, mut each: impl FnMut(&K, &V)) {
        if let Ok(halves) = self.halves.read() {
            let all = halves.young.iter().chain(&halves.old);
            all.for_each(|(key, (value, _))| each(key, value));
        }
    }

    /// Returns a cache with the entries whose keys satisfy `holds`. O(entries).
    #[must_use]
    pub fn only(&self, holds: impl Fn(&K) -> bool) -> BoundedCache<K, V> {
        let filtered = BoundedCache::weighted(self.max, self.weight);
        if let (Ok(from), Ok(mut to)) = (self.halves.read(), filtered.halves.write()) {
            let held = |half: &FxHashMap<K, (V, usize)>| -> FxHashMap<K, (V, usize)> {
                let entries = half.iter().filter(|(key, _)| holds(key));
                entries.map(|(key, entry)| (key.clone(), entry.clone())).collect()
            };
            (to.young, to.old) = (held(&from.young), held(&from.old));
            to.weight = to.young.values().map(|(_, weight)| weight).sum();
        }
        filtered
    }
}

impl<K, V> std::fmt::Debug for BoundedCache<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BoundedCache").field("max", &self.max).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_keeps_what_is_in_use_and_never_more_than_its_bound() {
        let cache = BoundedCache::new(8);
        for at in 0..100 {
            cache.insert(at, at);
            assert_eq!((cache.get(&0), cache.get(&at)), (Some(0), Some(at)), "after {at}");
            let halves = cache.halves.read().expect("no panic");
            assert!(halves.young.len() + halves.old.len() <= 8 && halves.weight <= 4);
            assert_eq!(halves.weight, halves.young.len());
        }
        assert_eq!(cache.get(&50), None);
        cache.insert(99, 1);
        assert_eq!(cache.get(&99), Some(1), "a new value replaces the old one");
        let odd = cache.only(|key| key % 2 == 1);
        assert_eq!((odd.get(&0), odd.get(&99)), (None, Some(1)));
    }

    #[test]
    fn a_weighted_cache_is_bounded_by_the_weight() {
        let cache: BoundedCache<usize, Vec<u8>> = BoundedCache::weighted(100, |value| value.len());
        for at in 0..20 {
            cache.insert(at, vec![0; 10]);
            let halves = cache.halves.read().expect("no panic");
            let held = halves
                .young
                .values()
                .chain(halves.old.values())
                .map(|(value, _)| value.len())
                .sum::<usize>();
            assert!(held <= 100, "{held}");
        }
        cache.insert(99, vec![0; 1000]);
        assert!(cache.get(&99).is_some(), "a heavy entry is cached alone");
        cache.insert(98, vec![0; 10]);
        cache.insert(97, vec![0; 50]);
        assert!(cache.get(&19).is_none() && cache.get(&97).is_some());
    }
}
