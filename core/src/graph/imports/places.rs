//! Languages whose imports are little more than paths. A table lists the extensions that a path may
//! omit, and the directories in which it is searched.

use std::collections::HashMap;

use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::facts::{Import, ImportKind};

use super::Family;
use super::manifest::{Kind, Manifests};
use super::target::{Fallback, Reason, TARGETS_MAX, Targets};
use super::tree::{Probe, Tree, join};

/// How imports write paths.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Style {
    /// As paths.
    Slashes,
    /// As `a.b.c`.
    Dots,
    /// As `A.B.C`, for files named `a/b/c`.
    Camels,
    /// As `A.B`, for files named `a.ml`, in any directory.
    FirstCapital,
}

/// The import rules of a language.
struct Rules {
    family: Family,
    style: Style,
    /// Extensions that the path may omit, the most likely first.
    endings: &'static [&'static str],
    /// Directories that are searched, relative to those that enclose the importing file; each ends
    /// with `/`.
    directories: &'static [&'static str],
    /// True if the only path of the tree with that end counts, too.
    unique: bool,
    /// Names, and prefixes that end with a separator, that are never in the tree.
    outside: &'static [&'static str],
}

const RULES: &[Rules] = &[
    Rules {
        family: Family::Shell,
        style: Style::Slashes,
        endings: &["", ".sh", ".bash"],
        directories: &["", "lib/", "scripts/", "bin/"],
        unique: true,
        outside: &["/"],
    },
    Rules {
        family: Family::CMake,
        style: Style::Slashes,
        endings: &["", ".cmake", "/CMakeLists.txt"],
        directories: &["", "cmake/", "cmake/modules/", "cmake/Modules/", "CMake/"],
        unique: true,
        outside: &[],
    },
    Rules {
        family: Family::Css,
        style: Style::Slashes,
        endings: &["", ".css", ".scss", ".sass", ".less", "/index.scss", "/_index.scss"],
        directories: &["", "styles/", "scss/", "css/", "src/"],
        unique: false,
        outside: &["http:", "https:", "//", "sass:"],
    },
    Rules {
        family: Family::Dart,
        style: Style::Slashes,
        endings: &["", ".dart"],
        directories: &[""],
        unique: false,
        outside: &["dart:", "package:"],
    },
    Rules {
        family: Family::Elixir,
        style: Style::Camels,
        endings: &[".ex", ".exs"],
        directories: &["lib/", "test/support/", "test/", ""],
        unique: true,
        outside: &[],
    },
    Rules {
        family: Family::Haskell,
        style: Style::Dots,
        endings: &[".hs", ".lhs", ".hsc"],
        directories: &["", "src/", "lib/", "library/", "app/", "test/"],
        unique: true,
        outside: &[],
    },
    Rules {
        family: Family::Hcl,
        style: Style::Slashes,
        endings: &[""],
        directories: &[""],
        unique: false,
        outside: &["git::", "git@", "http:", "https:"],
    },
    Rules {
        family: Family::Lua,
        style: Style::Dots,
        endings: &[".lua", "/init.lua"],
        directories: &["", "lua/", "src/", "lib/"],
        unique: true,
        outside: &[],
    },
    Rules {
        family: Family::Make,
        style: Style::Slashes,
        endings: &[""],
        directories: &["", "mk/", "make/"],
        unique: false,
        outside: &["/"],
    },
    Rules {
        family: Family::OCaml,
        style: Style::FirstCapital,
        endings: &[".ml", ".mli", ".mll", ".mly"],
        directories: &["", "lib/", "src/"],
        unique: true,
        outside: &["stdlib", "unix", "str"],
    },
    Rules {
        family: Family::Proto,
        style: Style::Slashes,
        endings: &["", ".proto"],
        directories: &["", "proto/", "protos/", "protobuf/", "src/main/proto/", "src/"],
        unique: true,
        outside: &[],
    },
    Rules {
        family: Family::R,
        style: Style::Slashes,
        endings: &["", ".R", ".r"],
        directories: &["", "R/"],
        unique: false,
        outside: &["http:", "https:"],
    },
    Rules {
        family: Family::Ruby,
        style: Style::Slashes,
        endings: &[".rb", "", ".rake"],
        directories: &["lib/", "", "app/models/", "app/", "spec/", "test/"],
        unique: true,
        outside: &[],
    },
    Rules {
        family: Family::Swift,
        style: Style::Slashes,
        endings: &[""],
        directories: &["Sources/", "Source/", "Tests/", ""],
        unique: false,
        outside: &[],
    },
    Rules {
        family: Family::Zig,
        style: Style::Slashes,
        endings: &["", ".zig"],
        directories: &["", "src/"],
        unique: false,
        outside: &["std", "builtin", "root"],
    },
];

/// Packages of the tree that imports refer to by name.
pub(super) struct Projects {
    /// The directories of Dart's packages.
    dart: HashMap<String, Vec<u8>>,
}

impl Projects {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> Projects {
        let mut dart = HashMap::new();
        for manifest in manifests.of(Kind::Pubspec) {
            let name = manifest.text.lines().find_map(|line| line.strip_prefix("name:"));
            if let Some(name) = name {
                let name = name.split('#').next().unwrap_or(name).trim().trim_matches(['"', '\'']);
                let directory = tree.directory_path(manifest.directory).to_vec();
                dart.entry(name.to_owned()).or_insert(directory);
            }
        }
        Projects { dart }
    }

    pub(super) fn resolve(
        &self,
        tree: &Tree,
        family: Family,
        import: &Import,
        found: &mut Targets,
    ) -> Fallback {
        let Some(rules) = RULES.iter().find(|rules| rules.family == family) else {
            return Fallback::Unknown;
        };
        let written = path_of(rules.style, &import.module);
        let written = without_variable(&written);
        if let Some((name, below)) =
            written.strip_prefix("package:").and_then(|rest| rest.split_once('/'))
            && let Some(directory) = self.dart.get(name)
        {
            let file = join(directory, "lib").and_then(|directory| join(&directory, below));
            if let Some(file) = file.and_then(|path| tree.file(&path)) {
                found.add(file, 1.0, Reason::Workspace);
            }
            return Fallback::Unknown;
        }
        if written.is_empty() || rules.outside.iter().any(|start| is_like(written, start)) {
            return Fallback::Outside;
        }
        let mut lookup = Lookup { tree, probe: Probe::new(tree), rules };
        let is_found = lookup.relative(written, import.kind, found)
            || lookup.around(written, found)
            || rules.unique && lookup.unique(written, found);
        let is_local = written.starts_with('.') || import.kind == ImportKind::LocalInclude;
        if is_found || is_local { Fallback::Unknown } else { Fallback::Outside }
    }
}

struct Lookup<'t> {
    tree: &'t Tree,
    probe: Probe<'t>,
    rules: &'static Rules,
}

impl Lookup<'_> {
    /// Searches relative to the importing file.
    fn relative(&mut self, written: &str, kind: ImportKind, found: &mut Targets) -> bool {
        // Ruby's `require` and module names are not relative.
        let is_named = matches!(self.rules.style, Style::Dots | Style::Camels)
            || self.rules.family == Family::Ruby;
        if is_named && kind != ImportKind::LocalInclude && !written.starts_with('.') {
            return false;
        }
        let directory = self.tree.directory_path_of(found.from);
        let path = join(directory, written);
        path.is_some_and(|path| self.at(&path, 1.0, Reason::Path, found))
    }

    /// Searches the directories that enclose the importing file, the nearest first.
    fn around(&mut self, written: &str, found: &mut Targets) -> bool {
        if written.starts_with('.') {
            return false;
        }
        let directory = self.tree.directory(found.from);
        let confidence =
            if self.rules.style == Style::Slashes { weights::IMPORT_ABOVE } else { 1.0 };
        for around in self.tree.up(directory) {
            for below in self.rules.directories {
                let path = join(self.tree.directory_path(around), below);
                let path = path.and_then(|path| join(&path, written));
                if path.is_some_and(|path| self.at(&path, confidence, Reason::Root, found)) {
                    return true;
                }
            }
        }
        false
    }

    /// Searches for the only path with that end.
    fn unique(&mut self, written: &str, found: &mut Targets) -> bool {
        let tail = written.trim_start_matches("../").trim_start_matches("./");
        for ending in self.rules.endings {
            let tail = format!("{tail}{ending}");
            let mut files = self.tree.ending(tail.as_bytes()).filter(|&file| file != found.from);
            if let (Some(file), None) = (files.next(), files.next()) {
                let confidence = if tail.contains('/') {
                    weights::IMPORT_CONVENTION
                } else {
                    weights::IMPORT_DOUBTFUL
                };
                found.add(file, confidence, Reason::Unique);
                return true;
            }
        }
        false
    }

    /// Adds the file at a path, with an added extension if needed.
    fn at(&mut self, path: &[u8], confidence: f32, reason: Reason, found: &mut Targets) -> bool {
        if matches!(self.rules.family, Family::Hcl | Family::Swift) {
            return self.directory(path, confidence, reason, found);
        }
        let file = self.probe.endings(path, self.rules.endings).or_else(|| {
            // Sass has partial files whose names start with `_`.
            let is_css = self.rules.family == Family::Css;
            let (directory, name) = crate::base::path::split(path);
            let partial =
                [directory, if directory.is_empty() { b"_" } else { b"/_" }, name].concat();
            is_css.then(|| self.probe.endings(&partial, self.rules.endings)).flatten()
        });
        let file = file.filter(|&file| file != found.from);
        if let Some(file) = file {
            found.add(file, confidence, reason);
        }
        file.is_some()
    }

    /// Adds the files of a directory that is imported as a whole.
    fn directory(
        &mut self,
        path: &[u8],
        confidence: f32,
        reason: Reason,
        found: &mut Targets,
    ) -> bool {
        let Some(directory) = self.tree.find_directory(path) else { return false };
        let is_swift = self.rules.family == Family::Swift;
        let ending: &[u8] = if is_swift { b".swift" } else { b".tf" };
        let is_source = |file: &FileId| {
            let is_deeper = self.tree.directory(*file) != directory;
            self.tree.name(*file).ends_with(ending) && (is_swift || !is_deeper)
        };
        let before = found.is_empty();
        for file in self.tree.below(directory).filter(is_source).take(TARGETS_MAX) {
            if file != found.from {
                found.add(file, confidence, reason);
            }
        }
        before && !found.is_empty()
    }
}

/// Returns true if a path equals `start`, or starts with it if it ends with a separator.
fn is_like(written: &str, start: &str) -> bool {
    written == start
        || written.starts_with(start) && !start.ends_with(|last: char| last.is_alphanumeric())
}

/// Returns the path of a module's name.
fn path_of(style: Style, module: &str) -> String {
    match style {
        Style::Slashes => module.trim_start_matches('~').to_owned(),
        Style::Dots if module.contains('/') => module.to_owned(),
        Style::Dots => module.replace('.', "/"),
        Style::Camels => snake(module),
        Style::FirstCapital => {
            let first = module.split('.').next().unwrap_or(module);
            let mut characters = first.chars();
            let head = characters.next().map(|head| head.to_ascii_lowercase());
            head.into_iter().chain(characters).collect()
        }
    }
}

/// `MyApp.UserView` → `my_app/user_view`.
fn snake(module: &str) -> String {
    let mut path = String::with_capacity(module.len() + 8);
    let mut before = '.';
    for character in module.chars() {
        if character == '.' {
            path.push('/');
        } else {
            let starts_word = before.is_lowercase() || before.is_ascii_digit();
            if character.is_uppercase() && starts_word {
                path.push('_');
            }
            path.extend(character.to_lowercase());
        }
        before = character;
    }
    path
}

/// Returns the path after the variables that it starts with: `$(srctree)/a.mk`, `${DIR}/a.sh`,
/// `"$(dirname "$0")"/a.sh`. They are assumed to hold the file's directory or an enclosing one.
fn without_variable(written: &str) -> &str {
    let written = written.trim_matches(['"', '\'']);
    if !written.starts_with('$') {
        return written;
    }
    // The path starts after the last bracket or name.
    let closed = written.rfind([')', '}']).map_or(0, |at| at + 1);
    let rest = &written[closed..];
    let slash = rest.find('/').map_or(rest.len(), |at| at + 1);
    rest[slash..].trim_start_matches(['"', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_paths() {
        assert_eq!(snake("MyApp.UserView"), "my_app/user_view");
        assert_eq!(path_of(Style::FirstCapital, "Foo_bar.Baz"), "foo_bar");
        assert_eq!(without_variable("$(srctree)/scripts/a.mk"), "scripts/a.mk");
        assert_eq!(without_variable("\"$(dirname \"$0\")\"/a.sh"), "a.sh");
        assert_eq!(without_variable("$DIR/lib/a.sh"), "lib/a.sh");
        assert_eq!(without_variable("$DIR"), "");
        assert_eq!(without_variable("a.sh"), "a.sh");
    }
}
