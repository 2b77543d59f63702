//! Thresholds of the check: defaults by kind of project, and the table `[check]` of `codedb.toml`.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The file at the root with settings of the project.
pub const NAME: &str = "codedb.toml";

/// The maximum size of the file in bytes.
pub const BYTES_MAX: u64 = 256 << 10;

/// The kind of a project, which decides the default thresholds.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Code for other programs: many files depend on few.
    Library,
    /// A program or service.
    #[default]
    Application,
    /// Several packages in one tree.
    Monorepo,
}

impl Kind {
    /// Returns the kind that the manifests of a tree suggest: `manifests` of packages, and whether
    /// the one at the root declares a library.
    pub fn detect(manifests: usize, is_library: bool) -> Kind {
        match (manifests, is_library) {
            (6.., _) => Kind::Monorepo,
            (_, true) => Kind::Library,
            _ => Kind::Application,
        }
    }
}

/// Values from which on a component of the baseline counts against a change.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Thresholds {
    /// Files that import the file, directly or through others; without a number, the percentile of the
    /// file among the sources of the repository counts.
    pub blast_radius: Option<usize>,
    /// The share of the file's commits that changed a partner as well, from 0 to 1.
    pub cochange_share: f64,
    /// The least number of common commits of a partner.
    pub cochange_commits: u32,
    /// Bytes of tests per byte of the file, below which tests are few.
    pub test_ratio: f64,
    /// The percentile of the decayed commits among all files, from 0 to 1.
    pub churn_percentile: f64,
    /// Incidents in 180 days; without a number, the percentile of the file by corrections counts.
    pub incidents: Option<usize>,
    /// Added and removed lines of the change.
    pub lines: usize,
}

impl Thresholds {
    /// Returns the defaults of a kind of project.
    pub fn of(kind: Kind) -> Thresholds {
        let base = Thresholds {
            blast_radius: None,
            cochange_share: 0.5,
            cochange_commits: 3,
            test_ratio: 0.2,
            churn_percentile: 0.9,
            incidents: None,
            lines: 400,
        };
        match kind {
            Kind::Application | Kind::Monorepo => base,
            // An error in a library reaches every user; its tests are close to its files.
            Kind::Library => Thresholds { test_ratio: 0.3, ..base },
        }
    }
}

/// The settings of a check.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// The kind of project.
    pub kind: Kind,
    /// The thresholds.
    pub thresholds: Thresholds,
}

/// The table `[check]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Table {
    kind: Option<Kind>,
    blast_radius: Option<usize>,
    cochange_share: Option<f64>,
    cochange_commits: Option<u32>,
    test_ratio: Option<f64>,
    churn_percentile: Option<f64>,
    incidents: Option<usize>,
    lines: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct File {
    check: Table,
}

impl Settings {
    /// Returns the defaults for a kind of project.
    pub fn of(kind: Kind) -> Settings {
        Settings { kind, thresholds: Thresholds::of(kind) }
    }

    /// Returns the settings of a `codedb.toml`, with the defaults of `detected` or of the kind that
    /// the file names.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] if the text is not TOML, or the table has an unknown key or a value out
    /// of range.
    pub fn parse(text: &str, detected: Kind) -> Result<Settings> {
        let invalid = |what: &str| {
            Error::usage(format!("`{NAME}`: {}", crate::base::text::plain(what)))
                .with_hint("docs/check.md lists the keys of the table `[check]`")
        };
        let file: File = toml::from_str(text).map_err(|error| invalid(error.message()))?;
        let table = file.check;
        let kind = table.kind.unwrap_or(detected);
        let base = Thresholds::of(kind);
        let share = |value: Option<f64>, default: f64, name: &str| match value {
            Some(value) if (0.0..=1.0).contains(&value) => Ok(value),
            Some(_) => Err(invalid(&format!("`{name}` must be from 0 to 1"))),
            None => Ok(default),
        };
        let thresholds = Thresholds {
            blast_radius: table.blast_radius.or(base.blast_radius),
            cochange_share: share(table.cochange_share, base.cochange_share, "cochange_share")?,
            cochange_commits: table.cochange_commits.unwrap_or(base.cochange_commits),
            test_ratio: match table.test_ratio {
                Some(value) if value >= 0.0 && value.is_finite() => value,
                Some(_) => return Err(invalid("`test_ratio` must not be negative")),
                None => base.test_ratio,
            },
            churn_percentile: share(
                table.churn_percentile,
                base.churn_percentile,
                "churn_percentile",
            )?,
            incidents: table.incidents.or(base.incidents),
            lines: table.lines.unwrap_or(base.lines),
        };
        Ok(Settings { kind, thresholds })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_overrides_the_defaults_of_its_kind() {
        let settings = Settings::parse("[check]\nkind = 'library'\nlines = 7\n", Kind::Monorepo);
        let settings = settings.expect("it is valid");
        assert_eq!((settings.kind, settings.thresholds.lines), (Kind::Library, 7));
        assert_eq!((settings.thresholds.blast_radius, settings.thresholds.test_ratio), (None, 0.3));
        let own = Settings::parse("[check]\nblast_radius = 5\nincidents = 2\n", Kind::Library);
        let own = own.expect("it is valid").thresholds;
        assert_eq!((own.blast_radius, own.incidents), (Some(5), Some(2)));
        let none = Settings::parse("[other]\nx = 1\n", Kind::Monorepo).expect("it is valid");
        assert_eq!(none, Settings::of(Kind::Monorepo));
        for text in
            ["[check]\nlinse = 1\n", "[check]\nfiles = 1\n", "[check]\ncochange_share = 2.0\n", "x"]
        {
            let error = Settings::parse(text, Kind::Library).expect_err(text);
            assert!(error.to_string().contains("`codedb.toml`"), "{error}");
        }
    }
}
