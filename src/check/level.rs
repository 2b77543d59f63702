//! The level of a change by what it edits: points for signs of risk, which the size of the edit, the place of
//! the files in the repository and the tests decide.
//!
//! The points and bounds were chosen on judged commits (`codedb eval levels`); docs/check.md has the
//! agreement on others.

use std::collections::BTreeSet;

use serde::Serialize;

use super::role::Role;
use super::sensitive::Topic;
use super::verdict::Level;
use crate::base::text::counted;

/// The points from which on a change is medium, high and critical.
const BOUNDS: [f64; 3] = [2.0, 5.0, 9.0];

/// The percentile from which on a file is among the most central or the most often corrected ones.
pub const TOP: f64 = 0.9;

/// What is known about the edit of a file, or of several.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Facts {
    /// The size of the edits of sources that existed before, in lines.
    pub edited: f64,
    /// The lines of code of new sources.
    pub created: f64,
    /// The size of the edits of files that decide how the program is built.
    pub build: f64,
    /// That of manifests.
    pub manifest: f64,
    /// That of services that test and release.
    pub pipeline: f64,
    /// True if one of these releases.
    pub releases: bool,
    /// That of other data and configuration.
    pub data: f64,
    /// Sources that existed before.
    pub sources: usize,
    /// Sources that are deleted.
    pub deleted: usize,
    /// True if tests change as well.
    pub tests_changed: bool,
    /// True if no test reaches some source that existed before.
    pub is_untested: bool,
    /// The greatest percentile of a source by its importers.
    pub central: f64,
    /// The greatest percentile of a source by decayed corrections.
    pub fixes: f64,
    /// The most corrections of a source in 180 days.
    pub incidents: usize,
    /// The most reverts of a source in 180 days.
    pub reverts: usize,
    /// What the changed lines touch that deserves care.
    pub topics: BTreeSet<Topic>,
    /// True if a source serves security, by its path.
    pub is_security: bool,
    /// Public definitions that no file of the change has any more.
    pub lost: usize,
}

impl Facts {
    /// Adds what is known about another file.
    pub fn add(&mut self, other: &Facts) {
        self.edited += other.edited;
        self.created += other.created;
        self.build += other.build;
        self.manifest += other.manifest;
        self.pipeline += other.pipeline;
        self.data += other.data;
        self.releases |= other.releases;
        self.sources += other.sources;
        self.deleted += other.deleted;
        self.tests_changed |= other.tests_changed;
        self.is_untested |= other.is_untested;
        self.central = self.central.max(other.central);
        self.fixes = self.fixes.max(other.fixes);
        self.incidents = self.incidents.max(other.incidents);
        self.reverts = self.reverts.max(other.reverts);
        self.topics.extend(other.topics.iter().copied());
        self.is_security |= other.is_security;
        self.lost += other.lost;
    }

    /// Adds the size of an edit to the part of its role.
    pub fn add_size(&mut self, role: Role, size: f64, is_new: bool) {
        match role {
            Role::Source if is_new => self.created += size,
            Role::Source => self.edited += size,
            Role::Build => self.build += size,
            Role::Manifest => self.manifest += size,
            // Nothing depends on a new file of these yet.
            Role::Pipeline | Role::Data if is_new => {}
            Role::Pipeline => self.pipeline += size,
            Role::Data => self.data += size,
            Role::Lock | Role::Example | Role::Tooling | Role::Secondary => {}
        }
    }
}

/// A sign of risk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sign {
    /// Its name.
    pub name: &'static str,
    /// Its points; negative if it speaks against risk.
    pub points: f64,
    /// What it means, in words.
    pub text: String,
}

/// The sizes of edits in lines with their points.
const SIZES: [(f64, f64); 7] =
    [(0.5, 1.0), (6.0, 2.0), (15.0, 2.5), (40.0, 3.0), (100.0, 3.5), (250.0, 4.0), (600.0, 5.0)];

/// Edits below this size are local, with an effect that one reading shows.
const LOCAL_MAX: f64 = 3.0;

/// Edits below this size need no knowledge of the repository.
const SMALL_MAX: f64 = 6.0;

/// Returns the signs of a change with points, in a fixed order.
pub fn signs(facts: &Facts) -> Vec<Sign> {
    let mut found = Vec::new();
    let mut put = |name: &'static str, points: f64, text: String| {
        found.push(Sign { name, points, text });
    };
    // Nothing depends on a new file yet.
    let size = facts.edited + facts.created / 3.0;
    let points = SIZES.iter().rev().find(|(bound, _)| size >= *bound).map(|(_, points)| *points);
    if let Some(points) = points {
        let lines = counted((facts.edited + facts.created).round().max(1.0) as usize, "line");
        put("edit", points, format!("the edit has {lines} of code"));
    }
    if facts.tests_changed && size >= LOCAL_MAX {
        put("tests", -0.5, "tests change as well".to_owned());
    } else if facts.is_untested && size >= LOCAL_MAX {
        // A larger edit deserves a look anyway.
        let points = if size < SMALL_MAX { 1.0 } else { 0.5 };
        put("tests", points, "few tests or none reach the edit".to_owned());
    } else if facts.edited >= LOCAL_MAX {
        put("tests", 0.5, "no test changes with it".to_owned());
    }
    if facts.edited >= LOCAL_MAX && facts.fixes >= TOP_FIXES {
        let text = format!("percentile {:.0} of the files by corrections", 100.0 * facts.fixes);
        put("corrections", 0.5, text);
    }
    if facts.edited >= SIZES[0].0 && facts.fixes >= TOP_FIXES && facts.incidents >= OFTEN {
        let text = format!("{} corrections in 180 days", facts.incidents);
        put("corrected", 1.0, text);
    }
    if facts.edited >= SMALL_MAX && facts.central >= TOP {
        let text = format!("percentile {:.0} of the sources by importers", 100.0 * facts.central);
        put("central", 0.5, text);
    }
    if !facts.topics.is_empty() {
        let names: Vec<&str> = facts.topics.iter().map(|topic| topic.name()).collect();
        let points = (facts.topics.len() as f64).min(2.0);
        put("topics", points, format!("it touches {}", names.join(" and ")));
    }
    if facts.is_security && size >= SMALL_MAX {
        put("security", 2.5, "the file serves security".to_owned());
    }
    if facts.lost > 0 {
        let points = if facts.lost < 3 { 0.5 } else { 1.0 };
        put("interface", points, format!("{} removed", counted(facts.lost, "public name")));
    }
    if facts.reverts > 0 && !facts.tests_changed && facts.edited > 0.0 {
        let reverts = counted(facts.reverts, "revert");
        put("reverts", 1.0, format!("{reverts} in 180 days, and no test changes"));
    }
    for (name, size, least, text) in [
        ("build", facts.build, SMALL_MAX / 2.0, "it changes how the program is built"),
        ("manifest", facts.manifest, 2.0 * SMALL_MAX, "it changes dependencies or packaging"),
        ("data", facts.data, 20.0, "it changes configuration or data"),
        ("pipeline", facts.pipeline, 40.0, "it changes the service that tests or releases"),
        ("release", if facts.releases { facts.pipeline } else { 0.0 }, 3.0, "it changes a release"),
    ] {
        if size >= least {
            put(name, 2.0, text.to_owned());
        }
    }
    found
}

/// The percentile from which on a file is among those with most corrections.
const TOP_FIXES: f64 = 0.95;

/// The corrections in 180 days from which on even a small edit of a file deserves care: one in three weeks.
const OFTEN: usize = 9;

/// Returns the level of signs.
pub fn of(signs: &[Sign]) -> Level {
    let sum: f64 = signs.iter().map(|sign| sign.points).sum();
    Level::ALL[BOUNDS.iter().filter(|bound| sum >= **bound).count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(facts: &Facts) -> Level {
        of(&signs(facts))
    }

    #[test]
    fn the_size_of_the_edit_and_its_tests_decide() {
        let edited = |edited: f64| Facts { edited, sources: 1, ..Facts::default() };
        assert_eq!(level(&edited(2.0)), Level::Low);
        assert_eq!(level(&edited(10.0)), Level::Medium);
        let untested = |size: f64| Facts { is_untested: true, ..edited(size) };
        assert_eq!((level(&untested(2.0)), level(&untested(4.0))), (Level::Low, Level::Medium));
        let tested = Facts { tests_changed: true, ..edited(4.0) };
        assert_eq!(level(&tested), Level::Low);
        assert_eq!(level(&Facts { created: 30.0, ..Facts::default() }), Level::Medium);
        assert_eq!(level(&Facts { created: 12.0, ..Facts::default() }), Level::Low);
    }

    #[test]
    fn what_the_edit_touches_raises_the_level() {
        let base = Facts { edited: 50.0, sources: 1, tests_changed: true, ..Facts::default() };
        assert_eq!(level(&base), Level::Medium);
        let topics = BTreeSet::from([Topic::Security]);
        let secure = Facts { topics, is_security: true, ..base.clone() };
        assert_eq!(level(&secure), Level::High);
        let central = Facts { central: 0.95, fixes: 0.97, lost: 3, tests_changed: false, ..base };
        assert_eq!(level(&central), Level::High);
        let corrected = Facts { edited: 1.0, fixes: 0.99, incidents: OFTEN, ..Facts::default() };
        assert_eq!(level(&corrected), Level::Medium);
        assert_eq!(level(&Facts { incidents: OFTEN - 1, ..corrected }), Level::Low);
        let reverted = Facts { edited: 1.0, reverts: 1, ..Facts::default() };
        assert_eq!(level(&reverted), Level::Medium);
    }

    #[test]
    fn builds_and_pipelines_count_if_much_of_them_changes() {
        let build = |build: f64| level(&Facts { build, ..Facts::default() });
        assert_eq!((build(1.0), build(4.0)), (Level::Low, Level::Medium));
        let mut facts = Facts::default();
        facts.add_size(Role::Pipeline, 90.0, true);
        facts.add_size(Role::Lock, 900.0, false);
        assert_eq!(level(&facts), Level::Low, "nothing depends on a new service");
        let release = Facts { pipeline: 5.0, releases: true, ..Facts::default() };
        assert_eq!(level(&release), Level::Medium);
    }
}
