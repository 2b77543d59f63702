//! C#'s project files: `<Using Include="…" />` imports a namespace, or with `Static` the members of a
//! type, for all files of the project, as `global using` does.
//!
//! A `.csproj` applies to the files in and below its directory, unless a nearer one does;
//! `Directory.Build.props` and `Directory.Build.targets` apply to all below theirs. Conditions are not
//! evaluated, and `Remove` is ignored.

use super::manifest::{Kind, Manifests};
use super::tree::{DirectoryId, Tree};
use crate::base::ids::FileId;

/// The most items of one project file, and the most directories around a file.
const ITEMS_MAX: usize = 256;
const LEVELS_MAX: usize = 64;

/// An import that a project file states for all files of its project.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProjectUsing {
    /// The namespace or type.
    pub path: String,
    /// The name that stands for it.
    pub alias: Option<String>,
}

/// The imports of one project file.
struct Project {
    directory: DirectoryId,
    is_shared: bool,
    usings: Vec<ProjectUsing>,
}

/// The project files of a tree.
#[derive(Default)]
pub(super) struct Projects {
    /// In the order of paths.
    all: Vec<Project>,
}

impl Projects {
    pub(super) fn new(tree: &Tree, manifests: &Manifests<'_>) -> Projects {
        let all = manifests.of(Kind::MsBuild).map(|manifest| Project {
            directory: manifest.directory,
            is_shared: !tree.name(manifest.file).ends_with(b".csproj"),
            usings: usings(manifest.text),
        });
        Projects { all: all.collect() }
    }

    /// Returns the imports that apply to a file, those of the nearest project files first.
    /// O(directories around the file × project files).
    pub(super) fn of(&self, tree: &Tree, file: FileId) -> Vec<ProjectUsing> {
        if self.all.iter().all(|project| project.usings.is_empty()) {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut has_project = false;
        let mut around = Some(tree.directory(file));
        for _ in 0..LEVELS_MAX {
            let Some(directory) = around else { break };
            let here = || self.all.iter().filter(|project| project.directory == directory);
            let is_its = |project: &&Project| project.is_shared || !has_project;
            found.extend(here().filter(is_its).flat_map(|project| project.usings.iter().cloned()));
            has_project |= here().any(|project| !project.is_shared);
            around = tree.parent(directory);
        }
        found
    }
}

/// Returns the imports in the text of a project file.
fn usings(text: &str) -> Vec<ProjectUsing> {
    let items = text.match_indices("<Using").take(ITEMS_MAX).filter_map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        let item = rest.starts_with(char::is_whitespace).then(|| rest.split('>').next())??;
        let path = attribute(item, "Include")?.to_owned();
        let alias = attribute(item, "Alias").map(str::to_owned);
        (!path.is_empty()).then_some(ProjectUsing { path, alias })
    });
    items.collect()
}

/// Returns the value of an attribute in the text of an element.
fn attribute<'t>(item: &'t str, name: &str) -> Option<&'t str> {
    let found = item.match_indices(name).find_map(|(at, _)| {
        let is_start = item[..at].ends_with(char::is_whitespace);
        let value = item[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        is_start.then_some(value)
    })?;
    let mark = found.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    found[1..].split(mark).next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read() {
        let text = "<Project>\n<UsingTask X=\"1\" />\n<Using Include=\"A.B\" />\n\
                    <Using Static=\"true\" Include='A.C'/>\n<Using Remove=\"D\" /><Using Include=\"E.F\" Alias=\"G\" />";
        let found = usings(text);
        let named = |path: &str, alias: Option<&str>| ProjectUsing {
            path: path.to_owned(),
            alias: alias.map(str::to_owned),
        };
        assert_eq!(found, [named("A.B", None), named("A.C", None), named("E.F", Some("G"))]);
    }
}
