//! Bounds of the search for tests.

/// How far the search for the tests of a definition goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Effort {
    /// The maximum length of a chain of calls.
    pub levels: usize,
    /// Longer chains are followed only as long as no test was found.
    pub stops_at_first: bool,
    /// The maximum number of definitions whose callers are searched, most likely first: in all, or if
    /// the search stops at the first test, at each step.
    pub width: usize,
    /// The maximum number of uses that are resolved: of one definition, or if the search stops at the
    /// first test, at each step.
    pub uses: usize,
    /// The maximum number of uses that are followed in all.
    pub followed: usize,
    /// The maximum number of uses of a name that are read to find tests that contain it.
    pub sites: usize,
    /// The maximum number of test files that contain a name, those with the most uses of it first.
    pub name_files: usize,
    /// The maximum number of test files that import a definition's file and whose tests are
    /// candidates.
    pub importers: usize,
    /// The maximum number of test files that contain a word of a name and whose tests are
    /// candidates.
    pub word_files: usize,
    /// The maximum number of files in which the tests of one fixture are searched.
    pub fixture_files: usize,
    /// The maximum number of candidates of one definition.
    pub candidates: usize,
}

impl Effort {
    /// The bounds of the tools that select tests, and of the measurements in docs/tests.md.
    pub const FULL: Effort = Effort {
        levels: 7,
        stops_at_first: false,
        width: 160,
        uses: 1_000,
        followed: 6_000,
        sites: 5_000,
        name_files: usize::MAX,
        importers: 60,
        word_files: 30,
        fixture_files: 400,
        candidates: 4_000,
    };

    /// For replies in which tests are one part of many: a few test files are read instead of all
    /// that may contain a test.
    pub const BRIEF: Effort = Effort {
        levels: 3,
        stops_at_first: true,
        width: 3,
        uses: 24,
        followed: usize::MAX,
        sites: 2_000,
        name_files: 3,
        importers: 0,
        word_files: 0,
        fixture_files: 8,
        candidates: 300,
    };
}
