//! Which tools moved, if the order of two lists differs.

/// A tool that both lists contain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'v> {
    pub(super) name: &'v str,
    /// Its index in the earlier list.
    pub(super) before: usize,
    /// Its index in the later list.
    pub(super) after: usize,
}

/// Returns for each of `pairs` whether it moved: whether it is outside of the longest common
/// subsequence of both lists. Of several longest ones, the one with the smallest names is used, so
/// that the result is the same in both directions.
///
/// `pairs` is sorted by `before`. O(n log n) for n pairs.
pub(super) fn moved(pairs: &[Pair<'_>]) -> Vec<bool> {
    let mut moved = vec![true; pairs.len()];
    // The pairs by the length of the longest subsequence that starts with them.
    let mut by_length: Vec<Vec<usize>> = Vec::new();
    // The largest `after` with which a subsequence of each length starts; descending.
    let mut starts: Vec<usize> = Vec::new();
    for (at, pair) in pairs.iter().enumerate().rev() {
        let length = starts.partition_point(|&start| start > pair.after);
        match starts.get_mut(length) {
            Some(start) => *start = pair.after,
            None => starts.push(pair.after),
        }
        if by_length.len() <= length {
            by_length.push(Vec::new());
        }
        by_length[length].push(at);
    }
    let mut last: Option<Pair<'_>> = None;
    for candidates in by_length.iter().rev() {
        let follows = |at: &usize| {
            let pair = pairs[*at];
            last.is_none_or(|last| last.before < pair.before && last.after < pair.after)
        };
        let next = candidates.iter().copied().filter(follows);
        if let Some(at) = next.min_by_key(|&at| pairs[at].name) {
            moved[at] = false;
            last = Some(pairs[at]);
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(after: &str, expected: &str) {
        let mut names: Vec<char> = after.chars().collect();
        names.sort_unstable();
        let names: Vec<String> = names.into_iter().map(String::from).collect();
        let pair = |(before, name): (usize, &'static str)| Pair {
            name,
            before,
            after: after.find(name).expect("it is there"),
        };
        let names: Vec<&'static str> = names.into_iter().map(|name| &*name.leak()).collect();
        let pairs: Vec<Pair<'_>> = names.into_iter().enumerate().map(pair).collect();
        let moved = moved(&pairs);
        let found: String = pairs
            .iter()
            .zip(moved)
            .filter(|(_, moved)| *moved)
            .map(|(pair, _)| pair.name)
            .collect();
        assert_eq!(found, expected, "{after}");
    }

    #[test]
    fn the_fewest_tools_moved() {
        check("abcd", "");
        check("dabc", "d");
        check("bcda", "a");
        check("ba", "b");
        check("cbad", "bc");
        check("badc", "bd");
        check("", "");
    }
}
