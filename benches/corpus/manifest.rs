//! bench-corpus/manifest.toml: the packages of the profiles, and the expected result.

use std::collections::BTreeMap;
use std::fmt;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::Outcome;

/// The size of the corpus.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Profile {
    /// A few megabytes, for quick runs.
    Small,
    /// All of it.
    Full,
}

impl Profile {
    /// Every profile.
    pub(crate) const ALL: [Profile; 2] = [Profile::Small, Profile::Full];

    /// Returns its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Profile::Small => "small",
            Profile::Full => "full",
        }
    }

    /// Returns the profile of a name.
    pub(crate) fn of(name: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == name)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The registry of a package.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Registry {
    /// Cargo.
    Crates,
    /// npm.
    Npm,
    /// pip.
    Pypi,
    /// The packages of Debian, as binary packages.
    Debian,
    /// The module proxy of Go.
    Go,
    /// Maven, as archives of sources. Names are `GROUP:ARTIFACT`.
    Maven,
}

impl Registry {
    /// Returns its name in the manifest, which is also its directory in the tree.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Registry::Crates => "crates",
            Registry::Npm => "npm",
            Registry::Pypi => "pypi",
            Registry::Debian => "debian",
            Registry::Go => "go",
            Registry::Maven => "maven",
        }
    }
}

/// A package.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Package {
    /// The registry.
    pub(crate) registry: Registry,
    /// The name in the registry.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// The SHA-256 of the archive, in hexadecimal digits.
    pub(crate) sha256: String,
    /// The profiles that contain it; the ground truth of calls has none.
    #[serde(default)]
    pub(crate) profiles: Vec<Profile>,
    /// Globs of the files to keep; none for all.
    #[serde(default)]
    pub(crate) keep: Vec<String>,
}

impl Package {
    /// Returns its directory in the tree.
    pub(crate) fn folder(&self) -> String {
        format!("{}/{}", self.registry.name(), self.plain_name())
    }

    /// Returns the name of its archive in the cache.
    pub(crate) fn archive(&self) -> String {
        format!("{}-{}-{}", self.registry.name(), self.plain_name(), self.version)
    }

    /// Returns the globs of the files to keep; `None` for all.
    ///
    /// # Errors
    ///
    /// If a glob is invalid.
    pub(crate) fn kept(&self) -> Outcome<Option<GlobSet>> {
        if self.keep.is_empty() {
            return Ok(None);
        }
        let mut set = GlobSetBuilder::new();
        for pattern in &self.keep {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            set.add(glob.map_err(|error| format!("`keep` of {self}: {error}"))?);
        }
        set.build().map(Some).map_err(|error| format!("`keep` of {self}: {error}"))
    }

    /// Returns the name without characters that have a meaning in paths.
    pub(crate) fn plain_name(&self) -> String {
        self.name.trim_start_matches('@').replace(['/', ':'], "-")
    }

    /// Returns an error if a field is malformed.
    pub(crate) fn check_fields(&self) -> Outcome<()> {
        let is_plain = |text: &str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+@/:~".contains(&byte);
            !text.is_empty() && text.bytes().all(allowed) && !text.contains("..")
        };
        if !is_plain(&self.name) || !is_plain(&self.version) || self.version.contains('/') {
            return Err(format!("`{}` `{}` is not a valid package", self.name, self.version));
        }
        if self.sha256.len() != 64 || !self.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(format!("`sha256` of {self} is not 64 hexadecimal digits"));
        }
        self.kept().map(drop)
    }

    fn check(&self) -> Outcome<()> {
        if self.profiles.is_empty() {
            return Err(format!("{self} is in no profile"));
        }
        self.check_fields()
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.name, self.version, self.registry.name())
    }
}

/// The expected state of a corpus.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedState {
    /// The checksum of its paths and contents.
    pub(crate) checksum: String,
    /// The last commit of its history.
    pub(crate) head: String,
    /// The number of files that change in the history.
    pub(crate) subjects: usize,
}

/// The manifest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    profile: BTreeMap<Profile, ExpectedState>,
    package: Vec<Package>,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    ///
    /// One sentence, for a missing or invalid field, and for a package or profile that is missing
    /// or defined twice.
    pub(crate) fn parse(text: &str) -> Outcome<Manifest> {
        let manifest: Manifest =
            toml::from_str(text).map_err(|error| format!("the manifest: {}", error.message()))?;
        for profile in Profile::ALL {
            if !manifest.profile.contains_key(&profile) {
                return Err(format!("the manifest has no `[profile.{profile}]`"));
            }
        }
        let mut folders = std::collections::BTreeSet::new();
        for package in &manifest.package {
            package.check()?;
            if !folders.insert(package.folder()) {
                return Err(format!("the manifest has {package} twice"));
            }
        }
        Ok(manifest)
    }

    /// Returns the expected state of a profile's corpus.
    pub(crate) fn expected(&self, profile: Profile) -> &ExpectedState {
        &self.profile[&profile]
    }

    /// Returns the packages of a profile, in the order of the manifest.
    pub(crate) fn packages_of(&self, profile: Profile) -> impl Iterator<Item = &Package> {
        self.package.iter().filter(move |package| package.profiles.contains(&profile))
    }
}
