//! PHP: classes by the autoload rules of `composer.json` (PSR-4, PSR-0) and by declared namespaces,
//! and files that are included by path.

use serde_json::Value;

use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::facts::Import;

use super::json;
use super::manifest::{Kind, Manifests};
use super::packages::Packages;
use super::target::{Fallback, Reason, Targets};
use super::tree::{Probe, Tree, join};

/// The most files of one namespace that are searched for a class.
const FILES_MAX: usize = 4096;

/// The autoload rules of a tree.
pub(super) struct Autoload {
    /// The longest prefix first; equal ones in the order of their manifests.
    rules: Vec<Rule>,
}

struct Rule {
    /// Empty, or with `\` at its end.
    prefix: String,
    directory: Vec<u8>,
    /// True if the prefix is part of the path as well: PSR-0.
    keeps_prefix: bool,
}

impl Autoload {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> Autoload {
        let mut rules = Vec::new();
        for manifest in manifests.of(Kind::Composer) {
            let value = json::parse(manifest.text);
            let directory = tree.directory_path(manifest.directory);
            for section in ["autoload", "autoload-dev"] {
                for (standard, keeps_prefix) in [("psr-4", false), ("psr-0", true)] {
                    let Some(entries) = value[section][standard].as_object() else { continue };
                    rules.extend(
                        entries.iter().flat_map(|entry| of_entry(directory, entry, keeps_prefix)),
                    );
                }
            }
        }
        rules.sort_by_key(|rule| usize::MAX - rule.prefix.len());
        Autoload { rules }
    }

    pub(super) fn resolve(
        &self,
        tree: &Tree,
        packages: &Packages,
        import: &Import,
        found: &mut Targets,
    ) -> Fallback {
        let written = import.module.trim_start_matches('\\');
        if written.contains('/') || written.ends_with(".php") || written.ends_with(".inc") {
            by_path(tree, written, found);
            return Fallback::Unknown;
        }
        let mut probe = Probe::new(tree);
        // `use A\B;` may be recorded as a whole, or as the name B of the namespace A.
        if let Some((file, reason)) = self.class(tree, packages, &mut probe, written) {
            found.add(file, 1.0, reason);
        }
        for (place, name) in import.names.iter().enumerate() {
            if name.name.is_empty() || name.name == "*" {
                continue;
            }
            let class = if written.is_empty() {
                name.name.clone()
            } else {
                format!("{written}\\{}", name.name)
            };
            if let Some((file, reason)) = self.class(tree, packages, &mut probe, &class) {
                found.add_name(place, file, 1.0, reason);
            }
        }
        if found.is_empty() {
            unique(tree, import, written, found);
        }
        Fallback::Outside
    }

    /// Returns the file of a class by its qualified name.
    fn class(
        &self,
        tree: &Tree,
        packages: &Packages,
        probe: &mut Probe<'_>,
        name: &str,
    ) -> Option<(FileId, Reason)> {
        for rule in &self.rules {
            let Some(below) = name.strip_prefix(rule.prefix.as_str()) else { continue };
            let below = if rule.keeps_prefix { name } else { below };
            let path = below.replace('\\', "/");
            if let Some(file) = probe.file(&rule.directory, &[path.as_bytes(), b".php"]) {
                return Some((file, Reason::Mapped));
            }
        }
        let (namespace, class) = name.rsplit_once('\\').unwrap_or(("", name));
        let file_name = format!("{class}.php");
        let files = packages.files(namespace).iter().copied().take(FILES_MAX);
        let mut files = files.filter(|&file| tree.name(file) == file_name.as_bytes());
        files.next().map(|file| (file, Reason::Package))
    }
}

fn of_entry(directory: &[u8], entry: (&String, &Value), keeps_prefix: bool) -> Vec<Rule> {
    let (prefix, directories) = entry;
    let directories = json::texts(Some(directories)).into_iter();
    let rule = |below: &str| {
        let directory = join(directory, below)?;
        Some(Rule { prefix: prefix.clone(), directory, keeps_prefix })
    };
    directories.filter_map(rule).collect()
}

/// `include 'a/b.php'`, possibly after `__DIR__ .`, which is assumed to be the file's directory.
fn by_path(tree: &Tree, written: &str, found: &mut Targets) {
    let written = written.trim_start_matches('/');
    for directory in tree.up(tree.directory(found.from)) {
        let path = join(tree.directory_path(directory), written);
        if let Some(file) = path.and_then(|path| tree.file(&path)).filter(|&at| at != found.from) {
            let is_own = directory == tree.directory(found.from);
            let (confidence, reason) = if is_own {
                (1.0, Reason::Path)
            } else {
                (weights::IMPORT_CONVENTION, Reason::Root)
            };
            found.add(file, confidence, reason);
            return;
        }
    }
}

/// The only file whose path ends with the last two parts of the name.
fn unique(tree: &Tree, import: &Import, written: &str, found: &mut Targets) {
    let lone = import.names.first().map(|name| name.name.as_str()).filter(|name| !name.is_empty());
    let whole = match lone {
        Some(name) if !written.ends_with(name) => format!("{written}\\{name}"),
        _ => written.to_owned(),
    };
    let Some((namespace, class)) = whole.rsplit_once('\\') else { return };
    let above = namespace.rsplit('\\').next().unwrap_or(namespace);
    let tail = format!("{above}/{class}.php");
    let mut files = tree.ending(tail.as_bytes()).filter(|&file| file != found.from);
    if let (Some(file), None) = (files.next(), files.next()) {
        found.add(file, weights::IMPORT_DOUBTFUL, Reason::Unique);
    }
}
