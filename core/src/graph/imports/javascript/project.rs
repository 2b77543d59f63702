//! `tsconfig.json` and `jsconfig.json`: `baseUrl`, `paths`, and inherited configurations.

use serde_json::Value;

use super::super::json;
use super::super::manifest::Manifest;
use super::super::tree::{DirectoryId, Tree, join};
use super::pattern::{Pattern, sort};
use crate::base::ids::FileId;

/// The most configurations in a chain of `extends`.
const EXTENDS_MAX: usize = 8;

/// The most patterns of one configuration, and the most targets of each.
const PATTERNS_MAX: usize = 512;

/// The import rules of a directory's configuration.
#[derive(Default)]
pub(super) struct Project {
    pub(super) directory: DirectoryId,
    /// The directory that names which are not relative start from.
    pub(super) base: Option<Vec<u8>>,
    /// Patterns in the order in which they are tried.
    paths: Vec<Pattern>,
}

impl Project {
    /// Returns the projects in the order of their directories, one for each directory with a
    /// configuration.
    ///
    /// Where `tsconfig.json` only refers to others (`tsconfig.app.json`), the first of them with
    /// import rules counts.
    pub(super) fn read_all<'a>(
        tree: &Tree,
        manifests: impl Iterator<Item = Manifest<'a>>,
    ) -> Vec<Project> {
        let mut configs: Vec<(Manifest<'_>, Value)> =
            manifests.map(|manifest| (manifest, json::parse(manifest.text))).collect();
        configs.sort_by_key(|(manifest, _)| manifest.file);
        let is_main = |file: FileId| {
            let name = tree.name(file);
            name == b"tsconfig.json" || name == b"jsconfig.json"
        };
        let mut order: Vec<usize> = (0..configs.len()).collect();
        order.sort_by_key(|&at| {
            let manifest = &configs[at].0;
            (manifest.directory, !is_main(manifest.file), manifest.file)
        });
        let mut projects: Vec<Project> = Vec::new();
        for at in order {
            let project = read(tree, &configs, at);
            match projects.last_mut().filter(|last| last.directory == project.directory) {
                Some(last) if last.says_nothing() => *last = project,
                Some(_) => {}
                None => projects.push(project),
            }
        }
        projects
    }

    fn says_nothing(&self) -> bool {
        self.base.is_none() && self.paths.is_empty()
    }

    /// Returns the paths that a name may map to, in order.
    pub(super) fn mapped<'p>(&'p self, name: &'p str) -> impl Iterator<Item = Vec<u8>> + 'p {
        let pattern = self.paths.iter().find(|pattern| pattern.star(name).is_some());
        pattern.into_iter().flat_map(move |pattern| pattern.mapped(name))
    }
}

/// Reads the configuration at a position; what it does not set comes from those that it extends.
fn read(tree: &Tree, configs: &[(Manifest<'_>, Value)], at: usize) -> Project {
    let mut project = Project { directory: configs[at].0.directory, ..Project::default() };
    let mut mapping: Option<(&[u8], &serde_json::Map<String, Value>)> = None;
    let mut chain = vec![at];
    let mut step = 0;
    while let Some(&at) = chain.get(step) {
        step += 1;
        let (manifest, value) = &configs[at];
        let directory = tree.directory_path(manifest.directory);
        let options = &value["compilerOptions"];
        if mapping.is_none() {
            mapping = options["paths"].as_object().map(|paths| (directory, paths));
        }
        if project.base.is_none() {
            project.base = options["baseUrl"].as_str().and_then(|base| join(directory, base));
        }
        // Of several, the last one takes precedence.
        for extended in json::texts(value.get("extends")).into_iter().rev() {
            let extended = extended_config(tree, configs, manifest.directory, extended);
            if let Some(extended) = extended.filter(|at| !chain.contains(at))
                && chain.len() < EXTENDS_MAX
            {
                chain.push(extended);
            }
        }
    }
    // `paths` are relative to `baseUrl`, whichever configuration sets them; without it, to their
    // own configuration.
    if let Some((directory, paths)) = mapping {
        project.paths = patterns(project.base.as_deref().unwrap_or(directory), paths);
    }
    project
}

/// Returns the position of the configuration that `extends` names.
fn extended_config(
    tree: &Tree,
    configs: &[(Manifest<'_>, Value)],
    directory: DirectoryId,
    written: &str,
) -> Option<usize> {
    let file = if written.starts_with('.') {
        let path = join(tree.directory_path(directory), written)?;
        let endings: [&[u8]; 3] = [b"", b".json", b"/tsconfig.json"];
        endings.iter().find_map(|ending| tree.file(&[&path, *ending].concat()))?
    } else {
        // A package of this tree whose directory has its name: `@repo/tsconfig/base.json`.
        let below = match written.strip_prefix('@') {
            Some(scoped) => scoped.split_once('/')?.1,
            None => written,
        };
        let endings = ["", ".json", "/tsconfig.json"];
        endings.iter().find_map(|ending| {
            let tail = format!("{below}{ending}");
            tree.ending(tail.as_bytes()).next()
        })?
    };
    configs.binary_search_by_key(&file, |(manifest, _)| manifest.file).ok()
}

fn patterns(root: &[u8], paths: &serde_json::Map<String, Value>) -> Vec<Pattern> {
    let root = String::from_utf8_lossy(root);
    let mut patterns: Vec<Pattern> = paths
        .iter()
        .take(PATTERNS_MAX)
        .map(|(pattern, targets)| {
            let targets = json::texts(Some(targets)).into_iter().take(PATTERNS_MAX);
            Pattern::new(pattern, targets.map(|target| format!("{root}/{target}")).collect())
        })
        .collect();
    sort(&mut patterns);
    patterns
}
