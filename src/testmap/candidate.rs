//! A test that may execute a definition, and what is known of it.

use std::collections::BTreeMap;

use crate::base::ids::FileId;

/// A test of the tree: its file and its position in `FileTests::tests` of `detect`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct TestAt {
    /// The file that contains it.
    pub file: FileId,
    /// Its position among the tests of the file.
    pub place: u32,
}

/// How a test reaches a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reach {
    /// The probability that one of the paths is executed, from 0 to 1, as the search estimates it.
    pub probability: f32,
    /// The number of calls of the shortest path; 1 if the test itself calls the definition.
    pub depth: u8,
    /// The test's own body contains a resolved call or use of the definition, or the definition is a
    /// fixture that the test requests, perhaps over other fixtures.
    pub is_direct: bool,
    /// All links of a path are resolved.
    pub is_resolved: bool,
    /// The best path begins in a fixture.
    pub is_by_fixture: bool,
}

/// The number of features.
pub const FEATURES: usize = 24;

/// A test that may execute a definition.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The test.
    pub test: TestAt,
    /// The features, in the order of [`super::features::NAMES`], each from 0 to 1.
    pub features: [f32; FEATURES],
    /// How calls reach the definition, if they do.
    pub reach: Option<Reach>,
}

/// The test files that are linked with a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// The number of imports from the test file to it, at most 4.
    pub(super) imports: BTreeMap<FileId, u8>,
    /// The share of its commits that changed the test file as well, damped if they are few.
    pub(super) co_change: BTreeMap<FileId, f32>,
    /// Dynamic imports: proximity × √confidence.
    pub(super) dynamic: BTreeMap<FileId, f32>,
}
