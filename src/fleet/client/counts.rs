//! The counts of a node's answer: what it did not search or did not return.

use std::time::Instant;

use crate::base::text::counted;
use crate::fleet::messages::q::Query;
use crate::fleet::messages::{Duration, Q, SearchOptions, Stats};

/// Returns the options with matches as chunks and with nine tenths of the time until the deadline, so
/// that a node returns what it has before it is cut off. A limit on files needs all candidates before
/// the first file is sent.
pub(super) fn bounded(options: &SearchOptions, deadline: Instant) -> SearchOptions {
    let left = deadline.saturating_duration_since(Instant::now());
    let left = Duration::from(left * 9 / 10);
    let time = options.max_wall_time.filter(|time| *time > Duration::default());
    let time = time.map_or(left, |time| time.min(left));
    let limited = options.max_doc_display_count > 0 || options.max_match_display_count > 0;
    let flush = options.flush_wall_time.or(limited.then_some(time));
    SearchOptions {
        max_wall_time: Some(time),
        flush_wall_time: flush,
        chunk_matches: true,
        ..options.clone()
    }
}

/// Adds counts of a node or of a part of its answer; a negative count is none. Of times, the longest is
/// kept.
pub(super) fn add(to: &mut Stats, more: &Stats) {
    let Stats {
        content_bytes_loaded,
        index_bytes_loaded,
        crashes,
        duration,
        file_count,
        shard_files_considered,
        files_considered,
        files_loaded,
        files_skipped,
        shards_scanned,
        shards_skipped,
        shards_skipped_filter,
        match_count,
        ngram_matches,
        wait,
        regexps_considered,
        flush_reason,
        ngram_lookups,
        match_tree_construction,
        match_tree_search,
    } = *more;
    let counts = [
        (&mut to.content_bytes_loaded, content_bytes_loaded),
        (&mut to.index_bytes_loaded, index_bytes_loaded),
        (&mut to.crashes, crashes),
        (&mut to.file_count, file_count),
        (&mut to.shard_files_considered, shard_files_considered),
        (&mut to.files_considered, files_considered),
        (&mut to.files_loaded, files_loaded),
        (&mut to.files_skipped, files_skipped),
        (&mut to.shards_scanned, shards_scanned),
        (&mut to.shards_skipped, shards_skipped),
        (&mut to.shards_skipped_filter, shards_skipped_filter),
        (&mut to.match_count, match_count),
        (&mut to.ngram_matches, ngram_matches),
        (&mut to.regexps_considered, regexps_considered),
        (&mut to.ngram_lookups, ngram_lookups),
    ];
    for (count, more) in counts {
        *count = count.saturating_add(more.max(0));
    }
    let times = [
        (&mut to.duration, duration),
        (&mut to.wait, wait),
        (&mut to.match_tree_construction, match_tree_construction),
        (&mut to.match_tree_search, match_tree_search),
    ];
    for (time, more) in times {
        *time = (*time).max(more);
    }
    to.flush_reason = to.flush_reason.max(flush_reason);
}

/// Returns what an answer that ended well does not contain: the end of a sentence for each reason.
/// `returned` is the number of files that it has, if all that match are wanted.
pub(super) fn missing(
    stats: &Stats,
    returned: Option<usize>,
    options: &SearchOptions,
) -> Vec<String> {
    let mut missing = Vec::new();
    if stats.crashes > 0 {
        missing.push(crashed(stats.crashes));
    }
    if stats.shards_skipped > 0 {
        let shards = shown(stats.shards_skipped, "shard");
        missing.push(format!("did not search {shards}, because the time was over"));
    }
    if stats.files_skipped > 0 {
        let files = shown(stats.files_skipped, "file");
        missing.push(format!("did not search {files}, because it had enough matches or no time"));
    }
    let limit = options.total_max_match_count;
    if limit > 0 && stats.match_count > limit && stats.files_skipped == 0 {
        // The shards that it then leaves out are in none of its counts.
        missing.push(format!("stopped after {} matches (limit {limit})", stats.match_count));
    }
    let Some(returned) = returned else { return missing };
    let files = usize::try_from(stats.file_count).unwrap_or_default();
    let limit = usize::try_from(options.max_doc_display_count).unwrap_or_default();
    if files > returned {
        missing.push(format!("returned {returned} of {files} files with matches"));
    } else if limit > 0 && returned >= limit {
        missing.push(format!("stopped after {returned} files (limit {limit})"));
    }
    let limit = options.max_match_display_count;
    if limit > 0 && stats.match_count > limit && files <= returned {
        missing.push(format!("returned {limit} of {} matches", stats.match_count));
    }
    missing
}

/// Returns what a count of crashes says. A node that has just been started counts one, too.
pub(super) fn crashed(count: i64) -> String {
    format!("could not search {}, which crashed or is not loaded yet", shown(count, "shard"))
}

fn shown(count: i64, noun: &str) -> String {
    counted(usize::try_from(count).unwrap_or_default(), noun)
}

/// Returns true if a part of a query is about branches.
pub(super) fn names_branch(query: &Q) -> bool {
    let child = |child: &Option<Box<Q>>| child.as_deref().is_some_and(names_branch);
    match &query.query {
        Some(Query::Branch(_)) => true,
        Some(Query::And(and)) => and.children.iter().any(names_branch),
        Some(Query::Or(or)) => or.children.iter().any(names_branch),
        Some(Query::Not(not)) => child(&not.child),
        Some(Query::Boost(boost)) => child(&boost.child),
        Some(Query::Type(of)) => child(&of.child),
        Some(Query::Symbol(symbol)) => child(&symbol.expr),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_are_hostile_add_up() {
        let mut total = Stats { file_count: 2, ..Stats::default() };
        add(&mut total, &Stats { file_count: -7, crashes: i64::MAX, ..Stats::default() });
        add(&mut total, &Stats { file_count: 1, crashes: i64::MAX, ..Stats::default() });
        assert_eq!((total.file_count, total.crashes), (3, i64::MAX));
    }

    #[test]
    fn what_a_node_left_out_is_found_in_its_counts() {
        let none = SearchOptions::default();
        let of = |stats: Stats, returned, options: &SearchOptions| {
            missing(&stats, Some(returned), options).join("; ")
        };
        let complete = Stats { file_count: 2, match_count: 9, ..Stats::default() };
        assert_eq!(of(complete, 2, &none), "");
        let cases = [
            (Stats { crashes: 1, ..complete }, "could not search 1 shard"),
            (Stats { shards_skipped: 3, ..complete }, "did not search 3 shards"),
            (Stats { files_skipped: 4, ..complete }, "did not search 4 files"),
            (Stats { file_count: 5, ..complete }, "returned 2 of 5 files"),
        ];
        for (stats, expected) in cases {
            let missing = of(stats, 2, &none);
            assert!(missing.starts_with(expected), "{missing}");
        }
        let options = SearchOptions { total_max_match_count: 8, ..SearchOptions::default() };
        assert_eq!(of(complete, 2, &options), "stopped after 9 matches (limit 8)");
        let options = SearchOptions { max_doc_display_count: 2, ..SearchOptions::default() };
        assert_eq!(of(complete, 2, &options), "stopped after 2 files (limit 2)");
        let options = SearchOptions { max_match_display_count: 3, ..SearchOptions::default() };
        assert_eq!(of(complete, 2, &options), "returned 3 of 9 matches");
    }

    #[test]
    fn nodes_have_less_time_than_the_call() {
        let deadline = Instant::now() + std::time::Duration::from_secs(10);
        let time = |options: &SearchOptions| bounded(options, deadline).max_wall_time;
        let given = time(&SearchOptions::default()).expect("a time");
        assert!((8..=9).contains(&given.seconds), "{given:?}");
        let less = Duration { seconds: 1, nanos: 0 };
        let options = SearchOptions { max_wall_time: Some(less), ..SearchOptions::default() };
        assert_eq!(time(&options), Some(less));
        assert_eq!(bounded(&options, deadline).flush_wall_time, None);
        let options = SearchOptions { max_doc_display_count: 5, ..options };
        assert_eq!(bounded(&options, deadline).flush_wall_time, Some(less));
    }
}
