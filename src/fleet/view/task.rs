//! Fetches the files of a fleet that a task is about.

use std::collections::BTreeMap;

use super::shortlist::{FETCHED_MAX, Shortlist, Words};
use super::{Arrived, View};
use crate::error::Result;
use crate::fleet::nodes::{Contents, Found, Want};
use crate::fleet::query::Query;

/// What is fetched of the files with words of the task.
const LINES: Want = Want {
    contents: Contents::Lines,
    files_max: 240,
    bytes_max: 16 << 20,
    is_ranked_by_words: true,
};

/// What is fetched of the best files.
const ABOUT: Want = Want {
    contents: Contents::Whole,
    files_max: FETCHED_MAX,
    bytes_max: 8 << 20,
    is_ranked_by_words: true,
};

impl View<'_> {
    /// Fetches the files that a task is about: samples how frequent its words are, ranks the lines with the
    /// rarest, and fetches the best files and their manifests.
    pub(super) fn about_task(&self, task: &str) -> Result<Arrived> {
        let words = Words::new(task, |queries| {
            let queries: Vec<Query> =
                queries.iter().map(|query| query.clone().and(self.scope.clone())).collect();
            self.nodes.frequencies(&self.scope, &queries, self.interrupt)
        })?;
        let lines = self.lines(words.queries())?;
        let mut shortlist = Shortlist::new(&words, &lines.files);
        let (best, manifests) = at_once(
            || self.whole(&shortlist),
            || {
                let files = shortlist.files.iter();
                self.manifests(files.map(|(repository, path)| (&repository[..], &path[..])))
            },
        );
        let mut found = best?;
        shortlist.refine(&words, &found.files);
        self.add(&mut found, manifests?);
        Ok(Arrived { found, has_contents: true, shortlist: Some(shortlist) })
    }

    /// Fetches the lines that satisfy one of two queries.
    fn lines(&self, queries: (Query, Option<Query>)) -> Result<Found> {
        let (words, rarest) = queries;
        let (first, second) = at_once(
            || self.ask(words, &LINES),
            || rarest.map(|query| self.ask(query, &LINES)).transpose(),
        );
        let mut found = first?;
        self.add(&mut found, second?.map(|found| found.files).unwrap_or_default());
        Ok(found)
    }

    /// Fetches the files of a list.
    fn whole(&self, list: &Shortlist) -> Result<Found> {
        let mut paths: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (repository, path) in &list.files {
            // A name that is not UTF-8 cannot be asked for.
            if let Ok(path) = std::str::from_utf8(path) {
                paths.entry(repository).or_default().push(path.to_owned());
            }
        }
        if paths.is_empty() {
            return Ok(Found::default());
        }
        let of = |(repository, paths): (&str, Vec<String>)| {
            Query::Repositories(vec![repository.to_owned()]).and(Query::Paths(paths))
        };
        self.ask(Query::Or(paths.into_iter().map(of).collect()), &ABOUT)
    }
}

/// Runs two requests at once. They wait for nodes, so the second has a thread of its own.
fn at_once<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, B) {
    std::thread::scope(|threads| {
        let second = threads.spawn(second);
        let first = first();
        (first, second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
