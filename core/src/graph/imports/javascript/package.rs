//! `package.json`: packages by name, their `exports`, `imports` and entry files.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::super::json;
use super::super::manifest::{Kind, Manifests, Nearest};
use super::super::target::Reason;
use super::super::tree::{DirectoryId, Tree, join};
use super::{Search, split_star};
use crate::base::ids::FileId;
use crate::graph::weights;

/// The most paths that one entry of `exports` may lead to.
const LEAVES_MAX: usize = 64;

/// The longest such path, in bytes; a longer one is ignored.
const LEAF_BYTES_MAX: usize = 4096;

/// The most nested conditions.
const DEPTH_MAX: usize = 8;

/// The most globs that name members of workspaces.
const GLOBS_MAX: usize = 1024;

/// The most parts of a glob that match any number of directories; each multiplies the work.
const DEEP_STARS_MAX: usize = 2;

/// Directories of build output, which replace the directory of the source.
const BUILT: &[&str] = &[
    "build", "built", "cjs", "commonjs", "dist", "dts", "es", "es6", "esm", "lib", "module", "out",
    "output", "types", "umd",
];

/// A package of the tree.
pub(super) struct Package {
    directory: Vec<u8>,
    name: String,
    exports: Value,
    imports: Value,
    /// `source`, `module`, `main`, `types`: paths of the entry, the most likely source first.
    entries: Vec<String>,
    dependencies: HashSet<String>,
}

/// The packages of a tree.
pub(super) struct Packages {
    all: Vec<Package>,
    /// The packages of a name that may be meant: those with the same order.
    by_name: HashMap<String, Vec<usize>>,
    nearest: Nearest,
}

impl Packages {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> Packages {
        let members = Members::read(tree, manifests);
        let mut all = Vec::new();
        let mut directories = Vec::new();
        for manifest in manifests.of(Kind::PackageJson) {
            let value = json::parse(manifest.text);
            directories.push(manifest.directory);
            all.push(Package::new(tree.directory_path(manifest.directory), &value));
        }
        // Of two packages with one name (fixtures, examples) a member of a workspace comes first,
        // then the one at the higher level.
        let key = |at: usize| {
            let directory: &[u8] = &all[at].directory;
            let depth = directory.iter().filter(|&&byte| byte == b'/').count();
            (!members.has(directory), depth)
        };
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&at| (key(at), at));
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for at in order.into_iter().filter(|&at| !all[at].name.is_empty()) {
            let same = by_name.entry(all[at].name.clone()).or_default();
            if same.first().is_none_or(|&first| key(first) == key(at)) {
                same.push(at);
            }
        }
        Packages { nearest: Nearest::new(tree, directories.into_iter()), all, by_name }
    }

    /// Returns the package that a directory belongs to.
    pub(super) fn around(&self, directory: DirectoryId) -> Option<&Package> {
        self.nearest.of(directory).map(|place| &self.all[place])
    }

    /// Returns the file that an import of a directory refers to, if it is a package with an entry.
    pub(super) fn of_directory(
        &self,
        search: &mut Search<'_>,
        directory: DirectoryId,
    ) -> Option<FileId> {
        let path = search.tree.directory_path(directory);
        let package = self.around(directory).filter(|package| package.directory == path)?;
        package.main(search).map(|entry| entry.0)
    }

    /// Returns true if the package of `directory` declares the imported one as a dependency.
    pub(super) fn is_dependency(&self, directory: DirectoryId, written: &str) -> bool {
        let name = split_name(written).0;
        self.around(directory).is_some_and(|package| package.dependencies.contains(name))
    }

    /// Returns true if the package of `directory` has dependencies, and neither it nor another package of
    /// the tree has one of this name: it is an alias that is set elsewhere.
    pub(super) fn lacks(&self, directory: DirectoryId, written: &str) -> bool {
        let (name, _) = split_name(written);
        let has_some = |package: &Package| !package.dependencies.is_empty();
        self.around(directory).is_some_and(has_some)
            && !self.all.iter().any(|package| package.dependencies.contains(name))
    }

    /// Returns the files that `name` or `name/below` may lead to from a directory, each with its confidence:
    /// those of the nearest packages.
    pub(super) fn entries(
        &self,
        search: &mut Search<'_>,
        from: DirectoryId,
        written: &str,
    ) -> Vec<(FileId, f32, Reason)> {
        let (name, below) = split_name(written);
        let named = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let tree = search.tree;
        let directory = |at: usize| tree.find_directory(&self.all[at].directory);
        let near = tree.nearest(from, named, |at| directory(at).unwrap_or(DirectoryId::ROOT));
        let (most, reason) = match near.len() {
            0 | 1 => (1.0, Reason::Workspace),
            _ => (weights::IMPORT_DOUBTFUL, Reason::Rival),
        };
        let entries = near.into_iter().filter_map(|at| self.entry(search, at, below));
        entries.map(|(file, confidence)| (file, confidence.min(most), reason)).collect()
    }

    /// Returns the file at `below` in a package, and its confidence.
    fn entry(&self, search: &mut Search<'_>, at: usize, below: &str) -> Option<(FileId, f32)> {
        let package = &self.all[at];
        let exported = package.exported(search, below);
        if exported.is_some() {
            return exported;
        }
        if below.is_empty() {
            return package.main(search);
        }
        let file = search.below(&package.directory, below).map(|file| (file, 1.0));
        file.or_else(|| package.source(search, below).map(|file| (file, weights::IMPORT_LIKELY)))
    }
}

impl Package {
    fn new(directory: &[u8], value: &Value) -> Package {
        let fields = ["source", "module", "main", "types", "typings", "browser"];
        let entries = fields.iter().filter_map(|&field| value[field].as_str());
        let groups =
            ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
        let dependencies = groups.iter().filter_map(|&group| value[group].as_object());
        Package {
            directory: directory.to_vec(),
            name: value["name"].as_str().unwrap_or_default().to_owned(),
            exports: value["exports"].clone(),
            imports: value["imports"].clone(),
            entries: entries.map(str::to_owned).collect(),
            dependencies: dependencies.flat_map(|group| group.keys().cloned()).collect(),
        }
    }

    /// Returns the paths or names that `#name` refers to.
    pub(super) fn imports(&self, written: &str) -> Vec<String> {
        self.imports.as_object().map(|imports| choose(imports, written)).unwrap_or_default()
    }

    /// Returns the file at a path in the manifest (`./src/a.js`).
    pub(super) fn file_of(&self, search: &mut Search<'_>, written: &str) -> Option<FileId> {
        search.below(&self.directory, written).or_else(|| self.source(search, written))
    }

    /// Returns the file of `exports` for the path `below` the package.
    fn exported(&self, search: &mut Search<'_>, below: &str) -> Option<(FileId, f32)> {
        let key = if below.is_empty() { ".".to_owned() } else { format!("./{below}") };
        let leaves = match &self.exports {
            Value::Object(entries) if entries.keys().any(|key| key.starts_with('.')) => {
                choose(entries, &key)
            }
            Value::Null => return None,
            whole if below.is_empty() => leaves(whole, ""),
            _ => return None,
        };
        let exact = leaves.iter().find_map(|leaf| search.below(&self.directory, leaf));
        if let Some(file) = exact {
            return Some((file, 1.0));
        }
        leaves
            .iter()
            .find_map(|leaf| self.source(search, leaf))
            .map(|file| (file, weights::IMPORT_ABOVE))
    }

    /// Returns the file that the package's name alone refers to.
    fn main(&self, search: &mut Search<'_>) -> Option<(FileId, f32)> {
        let exact = self.entries.iter().find_map(|entry| search.below(&self.directory, entry));
        let exact = exact.or_else(|| search.below(&self.directory, "index"));
        if let Some(file) = exact {
            return Some((file, 1.0));
        }
        let mut source = self.entries.iter().find_map(|entry| self.source(search, entry));
        for habit in ["src/index", "src/main", "lib/index"] {
            source = source.or_else(|| search.below(&self.directory, habit));
        }
        source.map(|file| (file, weights::IMPORT_LIKELY))
    }

    /// Returns the likely source of the build output at the path `written`.
    fn source(&self, search: &mut Search<'_>, written: &str) -> Option<FileId> {
        let mut rest = written.trim_start_matches("./");
        for _ in 0..DEPTH_MAX {
            for directory in ["src", "", "source"] {
                let below =
                    join(&self.directory, directory).and_then(|base| search.below(&base, rest));
                if below.is_some() {
                    return below;
                }
            }
            let (first, below) = rest.split_once('/')?;
            if !BUILT.contains(&first) {
                return None;
            }
            rest = below;
        }
        None
    }
}

/// Splits an imported name into a package's name, including its scope, and the path below it.
fn split_name(written: &str) -> (&str, &str) {
    let scope = if written.starts_with('@') {
        written.find('/').map_or(written.len(), |at| at + 1)
    } else {
        0
    };
    match written[scope..].find('/') {
        Some(at) => (&written[..scope + at], &written[scope + at + 1..]),
        None => (written, ""),
    }
}

/// Returns the targets of the entry that matches `key` best: the one of that name, or the pattern
/// with the longest text before its star.
fn choose(entries: &serde_json::Map<String, Value>, key: &str) -> Vec<String> {
    if let Some(value) = entries.get(key) {
        return leaves(value, "");
    }
    let mut best: Option<(usize, &str, &Value)> = None;
    for (pattern, value) in entries {
        let (before, Some(after)) = split_star(pattern) else { continue };
        let star = key.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        let Some(star) = star else { continue };
        if best.is_none_or(|(len, ..)| before.len() > len) {
            best = Some((before.len(), star, value));
        }
    }
    best.map(|(_, star, value)| leaves(value, star)).unwrap_or_default()
}

/// Returns the paths that an entry leads to under any condition: sources first, then what Node
/// uses, then other platforms, types last. `star` replaces the first star of each.
fn leaves(value: &Value, star: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, 1, 0, &mut found);
    found.sort_by_key(|leaf: &(u8, &str)| leaf.0);
    let paths = found.into_iter().map(|(_, path)| path);
    let paths = paths.filter(|path| path.len() + star.len() <= LEAF_BYTES_MAX);
    paths.map(|path| path.replacen('*', star, 1)).collect()
}

fn collect<'v>(value: &'v Value, rank: u8, depth: usize, found: &mut Vec<(u8, &'v str)>) {
    if depth > DEPTH_MAX || found.len() >= LEAVES_MAX {
        return;
    }
    match value {
        Value::String(path) => found.push((rank, path)),
        Value::Array(values) => {
            for value in values {
                collect(value, rank, depth + 1, found);
            }
        }
        Value::Object(conditions) => {
            for (condition, value) in conditions {
                let rank = match condition.as_str() {
                    "source" | "src" | "typescript" | "ts" | "development" => 0,
                    "default" | "import" | "module" | "node" | "require" => rank,
                    "types" | "typings" => 3,
                    _ => rank.max(2),
                };
                collect(value, rank, depth + 1, found);
            }
        }
        _ => {}
    }
}

/// The globs by which workspaces name their members.
struct Members {
    globs: Vec<Vec<u8>>,
}

impl Members {
    fn read(tree: &Tree, manifests: &Manifests<'_>) -> Members {
        let mut globs = Vec::new();
        let mut add = |directory: DirectoryId, glob: &str| {
            let glob = glob.trim_matches(['"', '\'', ' ']);
            if globs.len() < GLOBS_MAX && glob.matches("**").count() <= DEEP_STARS_MAX {
                globs.extend(join(tree.directory_path(directory), glob));
            }
        };
        for kind in [Kind::PackageJson, Kind::Lerna] {
            for manifest in manifests.of(kind) {
                let value = json::parse(manifest.text);
                let lists = [
                    value.get("workspaces"),
                    value["workspaces"].get("packages"),
                    value.get("packages").filter(|_| kind == Kind::Lerna),
                ];
                for glob in lists.into_iter().flat_map(json::texts) {
                    add(manifest.directory, glob);
                }
            }
        }
        for manifest in manifests.of(Kind::PnpmWorkspace) {
            let lines = manifest.text.lines().skip_while(|line| !line.starts_with("packages:"));
            let items = lines
                .skip(1)
                .map(str::trim)
                .filter(|line| !line.starts_with('#') && !line.is_empty());
            for item in items.map_while(|line| line.strip_prefix('-')) {
                let item = item.split(" #").next().unwrap_or(item);
                add(manifest.directory, item);
            }
        }
        Members { globs }
    }

    /// Returns true if a glob matches the directory.
    fn has(&self, directory: &[u8]) -> bool {
        self.globs.iter().any(|glob| {
            let glob: Vec<&[u8]> = glob.split(|&byte| byte == b'/').collect();
            let directory: Vec<&[u8]> = directory.split(|&byte| byte == b'/').collect();
            fits(&glob, &directory)
        })
    }
}

/// Returns true if the parts of a glob match those of a path: `*` within a part, `**` for any
/// parts.
fn fits(glob: &[&[u8]], path: &[&[u8]]) -> bool {
    match (glob.first(), path.first()) {
        (None, None) => true,
        (Some(&b"**"), _) if glob.len() == 1 => true,
        (Some(&b"**"), Some(_)) => (0..=path.len()).any(|skip| fits(&glob[1..], &path[skip..])),
        (Some(part), Some(name)) => {
            let fits_part = match part.iter().position(|&byte| byte == b'*') {
                Some(star) => {
                    let (before, after) = (&part[..star], &part[star + 1..]);
                    name.len() >= before.len() + after.len()
                        && name.starts_with(before)
                        && name.ends_with(after)
                }
                None => part == name,
            };
            fits_part && fits(&glob[1..], &path[1..])
        }
        _ => false,
    }
}
