//! JavaScript and TypeScript: Node's rules, the compiler's `paths`, packages of the tree by name,
//! and conventions of bundlers.
//!
//! Sources take precedence over build output: where a package's `exports` name a file that does not
//! exist (`dist/index.js`), its likely source is used (`src/index.ts`). Configurations of bundlers
//! and test runners are programs; of their aliases, those are known that are written out, and the
//! usual `@/`.

mod aliases;
mod package;
mod pattern;
mod project;

use std::collections::BTreeMap;

use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::facts::Import;

use super::manifest::{Kind, Manifests, Nearest};
use super::target::{Fallback, Reason, Targets};
use super::tree::{DirectoryId, Probe, Tree, join};
use aliases::Aliases;
use package::Packages;
use pattern::split_star;
use project::Project;

/// The configuration of a tree's projects.
pub(super) struct Projects {
    packages: Packages,
    projects: Vec<Project>,
    nearest_project: Nearest,
    aliases: BTreeMap<DirectoryId, Aliases>,
}

/// Extensions that a TypeScript import may omit.
const TYPED: &[&str] = &[
    ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts", ".d.mts", ".json",
    ".vue", ".svelte",
];

/// Extensions that a JavaScript import may omit.
const PLAIN: &[&str] = &[
    ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".json", ".d.ts", ".vue",
    ".svelte", ".js.flow",
];

/// Platform suffixes of React Native before the extension; a path may refer to all of them.
const PLATFORMS: &[&str] = &[".native", ".ios", ".android", ".web", ".windows", ".macos"];

/// Extensions of compiled code in imports, and those of its sources.
const COMPILED: &[(&str, &[&str])] = &[
    (".d.ts", &[".ts", ".tsx"]),
    (".mjs", &[".mts", ".ts"]),
    (".cjs", &[".cts", ".ts"]),
    (".jsx", &[".tsx"]),
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
];

/// Modules of Node that are imported without `node:`.
const BUILT_IN: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// One search for a path.
pub(super) struct Search<'t> {
    tree: &'t Tree,
    probe: Probe<'t>,
    endings: &'static [&'static str],
}

impl Projects {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> Projects {
        let projects = Project::read_all(tree, manifests.of(Kind::TsConfig));
        let directories = projects.iter().map(|project| project.directory);
        Projects {
            packages: Packages::new(tree, manifests),
            nearest_project: Nearest::new(tree, directories),
            projects,
            aliases: Aliases::read_all(
                tree,
                manifests.of(Kind::Bundler).chain(manifests.of(Kind::PackageJson)),
            ),
        }
    }

    pub(super) fn resolve(&self, tree: &Tree, import: &Import, found: &mut Targets) -> Fallback {
        let from = found.from;
        let name = tree.name(from);
        let typed = [&b".ts"[..], b".tsx", b".mts", b".cts", b".vue", b".svelte"];
        let is_typed = typed.iter().any(|ending| name.ends_with(ending));
        let endings = if is_typed { TYPED } else { PLAIN };
        let mut search = Search { tree, probe: Probe::new(tree), endings };
        // Loaders precede the path, their arguments follow it.
        let written = import.module.rsplit('!').next().unwrap_or_default();
        let written = written.split('?').next().unwrap_or_default().trim_end_matches('/');
        if written.is_empty() {
            // `import A = B.C` and `export {a as b}` refer to names of the file itself.
            return Fallback::Unknown;
        }
        if written.contains("://") || written.starts_with("//") {
            return Fallback::Outside;
        }
        if written.starts_with('.') {
            self.relative(&mut search, written, found);
            return Fallback::Unknown;
        }
        if let Some(below) = written.strip_prefix('/') {
            self.by_site(&mut search, below, found);
            return Fallback::Unknown;
        }
        let is_page = name.ends_with(b".html") || name.ends_with(b".htm");
        if is_page && self.relative(&mut search, written, found) {
            return Fallback::Unknown;
        }
        let step = self.by_imports(&mut search, written, found)
            || self.by_project(&mut search, written, found)
            || self.by_alias(&mut search, written, found)
            || self.by_package(&mut search, written, found);
        if step {
            return Fallback::Unknown;
        }
        if is_outside(written) || self.packages.is_dependency(tree.directory(from), written) {
            return Fallback::Outside;
        }
        if self.by_habit(&mut search, written, found) || by_name(&search, written, is_typed, found)
        {
            return Fallback::Unknown;
        }
        let is_alias = written.starts_with(['#', '@', '~']) && !is_scoped(written);
        if is_alias || is_scoped(written) && self.packages.lacks(tree.directory(from), written) {
            Fallback::Unknown
        } else {
            Fallback::Outside
        }
    }

    /// `./a`: relative to the importing file. Returns true if a file was found.
    fn relative(&self, search: &mut Search<'_>, written: &str, found: &mut Targets) -> bool {
        let Some(path) = join(search.tree.directory_path_of(found.from), written) else {
            return false;
        };
        if let Some(file) = search.module(&path) {
            found.add(file, 1.0, Reason::Path);
            return true;
        }
        let directory = search.tree.find_directory(&path);
        if let Some(file) =
            directory.and_then(|directory| self.packages.of_directory(search, directory))
        {
            found.add(file, 1.0, Reason::Path);
            return true;
        }
        for platform in PLATFORMS {
            let path = [&path, platform.as_bytes()].concat();
            if let Some(file) = search.probe.endings(&path, search.endings) {
                found.add(file, weights::IMPORT_LIKELY, Reason::Path);
            }
        }
        !found.is_empty()
    }

    /// `/a`: below the root of the site that a bundler serves.
    fn by_site(&self, search: &mut Search<'_>, below: &str, found: &mut Targets) {
        let directory = search.tree.directory(found.from);
        for directory in search.tree.up(directory) {
            let path = search.tree.directory_path(directory);
            for base in ["", "public", "src"] {
                let file = join(path, base).and_then(|base| search.below(&base, below));
                if let Some(file) = file {
                    return found.add(file, weights::IMPORT_CONVENTION, Reason::Convention);
                }
            }
        }
    }

    /// `#a`: the `imports` of the enclosing package.
    fn by_imports(&self, search: &mut Search<'_>, written: &str, found: &mut Targets) -> bool {
        if !written.starts_with('#') {
            return false;
        }
        let directory = search.tree.directory(found.from);
        let Some(package) = self.packages.around(directory) else { return false };
        for leaf in package.imports(written) {
            let file = if leaf.starts_with('.') {
                package.file_of(search, &leaf).map(|file| (file, Reason::Mapped))
            } else {
                let entries = self.packages.entries(search, directory, &leaf);
                entries.first().map(|(file, ..)| (*file, Reason::Mapped))
            };
            if let Some((file, reason)) = file {
                found.add(file, 1.0, reason);
                return true;
            }
        }
        false
    }

    /// The compiler's `paths` and `baseUrl`.
    fn by_project(&self, search: &mut Search<'_>, written: &str, found: &mut Targets) -> bool {
        let directory = search.tree.directory(found.from);
        let Some(place) = self.nearest_project.of(directory) else { return false };
        let project = &self.projects[place];
        for path in project.mapped(written) {
            if let Some(file) = search.module(&path) {
                found.add(file, 1.0, Reason::Mapped);
                return true;
            }
        }
        let below_base = project.base.as_deref().and_then(|base| search.below(base, written));
        if let Some(file) = below_base {
            found.add(file, 1.0, Reason::Root);
        }
        below_base.is_some()
    }

    /// The aliases of the nearest bundlers and test runners.
    fn by_alias(&self, search: &mut Search<'_>, written: &str, found: &mut Targets) -> bool {
        if self.aliases.is_empty() {
            return false;
        }
        let directory = search.tree.directory(found.from);
        let nearest = search.tree.up(directory).filter_map(|at| self.aliases.get(&at));
        let paths = nearest.flat_map(|aliases| aliases.mapped(written));
        for path in paths.collect::<Vec<_>>() {
            if let Some(file) = search.module(&path) {
                found.add(file, weights::IMPORT_MAPPED, Reason::Mapped);
                return true;
            }
        }
        false
    }

    /// A package of this tree, by its name.
    fn by_package(&self, search: &mut Search<'_>, written: &str, found: &mut Targets) -> bool {
        let from = search.tree.directory(found.from);
        let entries = self.packages.entries(search, from, written);
        for (file, confidence, reason) in &entries {
            found.add(*file, *confidence, *reason);
        }
        !entries.is_empty()
    }

    /// `@/a` and `~/a`: the sources of the enclosing package.
    fn by_habit(&self, search: &mut Search<'_>, written: &str, found: &mut Targets) -> bool {
        let Some(below) = written.strip_prefix("@/").or_else(|| written.strip_prefix("~/")) else {
            return false;
        };
        let directory = search.tree.directory(found.from);
        for directory in search.tree.up(directory) {
            let path = search.tree.directory_path(directory);
            for base in ["src", "app", ""] {
                let file = join(path, base).and_then(|base| search.below(&base, below));
                if let Some(file) = file {
                    found.add(file, weights::IMPORT_LIKELY, Reason::Convention);
                    return true;
                }
            }
        }
        false
    }
}

/// Modules that are identified by their last directory and name, or by a capitalized name alone, if
/// exactly one file of the tree matches. Haste and Flow's `module.name_mapper` allow this.
fn by_name(search: &Search<'_>, written: &str, is_typed: bool, found: &mut Targets) -> bool {
    let has_directory = written.contains('/') && !written.starts_with('@');
    let is_haste = !is_typed && written.starts_with(|first: char| first.is_ascii_uppercase());
    if !has_directory && !is_haste {
        return false;
    }
    for ending in &["", ".js", ".jsx", ".ts", ".tsx"] {
        let tail = format!("{written}{ending}");
        let mut files = search.tree.ending(tail.as_bytes()).filter(|&file| file != found.from);
        match (files.next(), files.next()) {
            (Some(file), None) => {
                let confidence =
                    if has_directory { weights::IMPORT_ENDING } else { weights::IMPORT_DOUBTFUL };
                found.add(file, confidence, Reason::Unique);
                return true;
            }
            (None, _) => {}
            _ => return false,
        }
    }
    false
}

/// Returns true for a module of Node.
fn is_outside(written: &str) -> bool {
    let first = written.split('/').next().unwrap_or(written);
    written.starts_with("node:") || BUILT_IN.contains(&first)
}

/// Returns true for `@scope/name`, false for `@/a`.
fn is_scoped(written: &str) -> bool {
    written.strip_prefix('@').is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
}

impl Search<'_> {
    /// Returns the module at an imported path: a file, one with an added or replaced extension, or
    /// the index of a directory.
    fn module(&mut self, path: &[u8]) -> Option<FileId> {
        self.file(path).or_else(|| {
            let directory = self.tree.find_directory(path)?;
            self.index(directory)
        })
    }

    /// Returns the module at `below` in a directory.
    fn below(&mut self, directory: &[u8], below: &str) -> Option<FileId> {
        let path = join(directory, below)?;
        self.module(&path)
    }

    /// Returns the file at a path, with an added or replaced extension if needed.
    fn file(&mut self, path: &[u8]) -> Option<FileId> {
        if path.is_empty() {
            return None;
        }
        let exact = self.tree.file(path).or_else(|| self.probe.endings(path, self.endings));
        exact.or_else(|| {
            let compiled = COMPILED.iter().find(|row| path.ends_with(row.0.as_bytes()))?;
            self.probe.endings(&path[..path.len() - compiled.0.len()], compiled.1)
        })
    }

    /// Returns the index of a directory.
    fn index(&mut self, directory: DirectoryId) -> Option<FileId> {
        let path = self.tree.directory_path(directory);
        let index = join(path, "index")?;
        self.probe.endings(&index, self.endings)
    }
}
