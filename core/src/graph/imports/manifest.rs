//! Manifests: the configuration files that determine where imports lead, and how they are
//! recognised by path.

use std::borrow::Cow;

use crate::base::ids::FileId;
use crate::base::{path, text};

use super::tree::{DirectoryId, Tree};

/// The longest manifest, in bytes; a longer one counts as empty.
const MANIFEST_BYTES_MAX: usize = 1 << 20;

/// The longest compile database, in bytes; it lists every file with its flags.
const COMPILE_DATABASE_BYTES_MAX: usize = 64 << 20;

/// The kind of a manifest.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Kind {
    Bundler,
    Cargo,
    CompileDatabase,
    Composer,
    GoMod,
    Lerna,
    MsBuild,
    PackageJson,
    PnpmWorkspace,
    Pubspec,
    PyProject,
    SetupCfg,
    SetupPy,
    SwiftPackage,
    TsConfig,
}

/// Manifests by their file name.
const NAMES: &[(&str, Kind)] = &[
    ("Cargo.toml", Kind::Cargo),
    ("Directory.Build.props", Kind::MsBuild),
    ("Directory.Build.targets", Kind::MsBuild),
    ("Package.swift", Kind::SwiftPackage),
    ("compile_commands.json", Kind::CompileDatabase),
    ("composer.json", Kind::Composer),
    ("go.mod", Kind::GoMod),
    ("lerna.json", Kind::Lerna),
    ("package.json", Kind::PackageJson),
    ("pnpm-workspace.yaml", Kind::PnpmWorkspace),
    ("pubspec.yaml", Kind::Pubspec),
    ("pyproject.toml", Kind::PyProject),
    ("setup.cfg", Kind::SetupCfg),
    ("setup.py", Kind::SetupPy),
];

/// Starts of the names of configurations of bundlers and test runners, which are programs or JSON.
const BUNDLERS: &[&str] = &[
    ".babelrc",
    "babel.config.",
    "jest.config.",
    "rollup.config.",
    "vite.config.",
    "vitest.config.",
    "webpack.config.",
];

/// Extensions of these.
const BUNDLER_ENDINGS: &[&str] =
    &[".babelrc", ".cjs", ".cts", ".js", ".json", ".mjs", ".mts", ".ts"];

/// Returns the file names of manifests, as far as they are fixed.
pub fn manifest_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name).chain(["jsconfig.json", "tsconfig.json"])
}

/// Returns true if the file at `path` is a manifest.
pub fn is_manifest(path: &[u8]) -> bool {
    kind(path).is_some()
}

/// Returns the longest manifest at `path` that is read, in bytes; `None` if it is not a manifest.
pub fn manifest_bytes_max(path: &[u8]) -> Option<usize> {
    kind(path).map(bytes_max)
}

fn bytes_max(kind: Kind) -> usize {
    match kind {
        Kind::CompileDatabase => COMPILE_DATABASE_BYTES_MAX,
        _ => MANIFEST_BYTES_MAX,
    }
}

fn kind(path: &[u8]) -> Option<Kind> {
    let name = path::split(path).1;
    let named = NAMES.iter().find(|row| row.0.as_bytes() == name).map(|row| row.1);
    let named = named.or_else(|| name.ends_with(b".csproj").then_some(Kind::MsBuild));
    let named = named.or_else(|| {
        let starts = BUNDLERS.iter().any(|start| name.starts_with(start.as_bytes()));
        let ends = BUNDLER_ENDINGS.iter().any(|end| name.ends_with(end.as_bytes()));
        (starts && ends).then_some(Kind::Bundler)
    });
    named.or_else(|| {
        let is_config = name.starts_with(b"tsconfig") || name.starts_with(b"jsconfig");
        (is_config && name.ends_with(b".json")).then_some(Kind::TsConfig)
    })
}

/// Returns the text of a manifest in UTF-8, where its byte order mark shows that it is UTF-16.
pub(super) fn utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let decoded = text::is_utf16(bytes).then(|| text::decode(bytes)).flatten();
    decoded.map_or(Cow::Borrowed(bytes), |text| Cow::Owned(text.into_owned().into_bytes()))
}

/// A manifest and its location.
#[derive(Clone, Copy)]
pub(super) struct Manifest<'a> {
    pub(super) file: FileId,
    pub(super) directory: DirectoryId,
    pub(super) text: &'a str,
}

/// The manifests of a tree.
pub(super) struct Manifests<'a> {
    /// In the order of kinds, then of paths.
    all: Vec<(Kind, Manifest<'a>)>,
}

impl<'a> Manifests<'a> {
    pub(super) fn new(tree: &Tree, texts: &[(FileId, &'a [u8])]) -> Manifests<'a> {
        let mut all = Vec::with_capacity(texts.len());
        for &(file, text) in texts {
            let Some(kind) = kind(tree.path(file)) else { continue };
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            let text = std::str::from_utf8(text).ok();
            let text = text.filter(|text| text.len() <= bytes_max(kind)).unwrap_or("");
            all.push((kind, Manifest { file, directory: tree.directory(file), text }));
        }
        all.sort_by_key(|(kind, manifest)| (*kind, manifest.file));
        all.dedup_by_key(|(_, manifest)| manifest.file);
        Manifests { all }
    }

    /// Returns the manifests of a kind in path order.
    pub(super) fn of(&self, kind: Kind) -> impl Iterator<Item = Manifest<'a>> {
        let start = self.all.partition_point(|entry| entry.0 < kind);
        let end = self.all.partition_point(|entry| entry.0 <= kind);
        self.all[start..end].iter().map(|entry| entry.1)
    }
}

/// The nearest item in or above each directory.
#[derive(Default)]
pub(super) struct Nearest {
    by_directory: Vec<u32>,
}

impl Nearest {
    /// Returns for each directory the position of the nearest item in `directories`; of two items in
    /// one directory the first.
    pub(super) fn new(tree: &Tree, directories: impl Iterator<Item = DirectoryId>) -> Nearest {
        let mut by_directory = vec![u32::MAX; tree.directories_len()];
        for (place, directory) in directories.enumerate() {
            let slot = &mut by_directory[directory.index()];
            *slot = (*slot).min(FileId::new(place).0);
        }
        // A directory comes after its parent.
        for index in 1..by_directory.len() {
            if by_directory[index] == u32::MAX {
                let parent = tree.parent(DirectoryId::at(index)).unwrap_or(DirectoryId::ROOT);
                by_directory[index] = by_directory[parent.index()];
            }
        }
        Nearest { by_directory }
    }

    /// Returns the position of the nearest item in a directory or above it.
    pub(super) fn of(&self, directory: DirectoryId) -> Option<usize> {
        let &place = self.by_directory.get(directory.index())?;
        (place != u32::MAX).then_some(place as usize)
    }
}
