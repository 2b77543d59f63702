//! Go: promotion by depth, interfaces by method sets, packages of files.

#[cfg(feature = "lower")]
mod file;
#[cfg(feature = "lower")]
mod lower;
#[cfg(feature = "lower")]
mod types;
#[cfg(feature = "lower")]
mod values;

#[cfg(feature = "lower")]
use crate::ir::File;
use crate::ir::{Literal, Name};
#[cfg(feature = "lower")]
use crate::lower::Lowers;
use crate::rules::{Linearization, MemberSources, Module, Rules, Satisfaction, Tree, Visible};

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible { members: false, type_scopes: false, ..Visible::default() }
    }

    fn linearize(&self) -> Linearization {
        Linearization::Levels
    }

    fn satisfies(&self) -> Satisfaction {
        Satisfaction::Structural
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources {
            functions_on_are_members: true,
            dereferences: true,
            ..MemberSources::default()
        }
    }

    fn module(&self, specifier: &str, _from: &str, tree: &Tree) -> Module {
        // The folder below that of the manifest whose module the path begins with.
        for (root, module) in &tree.manifests {
            let below = match specifier.strip_prefix(&**module) {
                Some("") => "",
                Some(rest) if rest.starts_with('/') => &rest[1..],
                _ => continue,
            };
            let joined = match (root.is_empty(), below.is_empty()) {
                (true, _) => below.to_string(),
                (_, true) => root.to_string(),
                _ => format!("{root}/{below}"),
            };
            return Module::Files(package(tree, tree.files_in(&joined)));
        }
        if !tree.manifests.is_empty() {
            return Module::Files(Vec::new());
        }
        // Without a manifest: the folder whose path the specifier ends with.
        let is_it = |folder: &str| {
            !folder.is_empty()
                && (specifier == folder || specifier.ends_with(&format!("/{folder}")))
        };
        let folder =
            tree.folders().filter(|(folder, _)| is_it(folder)).max_by_key(|(f, _)| f.len());
        Module::Files(folder.map_or_else(Vec::new, |(_, files)| package(tree, files)))
    }

    fn import_name<'n>(&self, specifier: &'n str, module: Option<&'n str>) -> &'n str {
        match module {
            Some(module) => module.rsplit(':').next().unwrap_or(module),
            None => package_name(specifier),
        }
    }

    fn convert(&self, from: &str, to: &str) -> Option<u8> {
        (to == "any" || (from, to) == ("int", "float64")).then_some(3)
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "string",
            Literal::Integer => "int",
            Literal::Float => "float64",
            Literal::Boolean => "bool",
            Literal::Null => "nil",
        }
    }

    fn library(&self) -> &'static str {
        include_str!("library.txt")
    }

    #[cfg(feature = "lower")]
    fn lowering(&self) -> Option<&'static dyn Lowers> {
        Some(&Lowering)
    }
}

/// Returns the name by which a package is used that is imported without one: the last part of
/// its path that is no version.
fn package_name(specifier: &str) -> &str {
    let is_version = |part: &str| {
        part.strip_prefix('v')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut parts = specifier.rsplit('/');
    let last = parts.next().unwrap_or(specifier);
    let last = match parts.next() {
        Some(before) if is_version(last) => before,
        _ => last,
    };
    match last.rsplit_once('.') {
        Some((name, version)) if is_version(version) => name,
        _ => last,
    }
}

/// Returns the files of the package that others import from a folder: no tests, and no program
/// that stands with the package and is not compiled with it.
fn package(tree: &Tree, files: &[usize]) -> Vec<usize> {
    let is_test = |&at: &usize| tree.paths[at].ends_with("_test.go");
    let files: Vec<usize> = files.iter().copied().filter(|at| !is_test(at)).collect();
    let Some(first) = files.first().map(|&at| &tree.modules[at]) else { return files };
    if files.iter().all(|&at| tree.modules[at] == *first) {
        return files;
    }
    let count =
        |module: &Option<Name>| files.iter().filter(|&&at| tree.modules[at] == *module).count();
    let package = files.iter().map(|&at| &tree.modules[at]).max_by_key(|module| count(module));
    files.iter().copied().filter(|&at| Some(&tree.modules[at]) == package).collect()
}

/// Syntax trees into facts.
#[cfg(feature = "lower")]
struct Lowering;

#[cfg(feature = "lower")]
impl Lowers for Lowering {
    fn extensions(&self) -> &'static [&'static str] {
        &["go"]
    }

    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_go::LANGUAGE.into()
    }

    fn lower(&self, path: &str, text: &[u8], tree: &tree_sitter::Tree) -> File {
        lower::lower(path, text, tree)
    }

    fn manifest(&self, path: &str, text: &[u8]) -> Option<File> {
        if path.rsplit('/').next() != Some("go.mod") {
            return None;
        }
        let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        let module = lines.find_map(|line| line.strip_prefix(b"module "))?;
        let module = String::from_utf8_lossy(module.trim_ascii()).into_owned();
        let module = module.split("//").next().unwrap_or("").trim().trim_matches(['"', '`']);
        Some(File { path: path.into(), module: Some(module.into()), ..File::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::package_name;

    #[test]
    fn names_of_packages_have_no_version() {
        assert_eq!(package_name("github.com/go-chi/chi/v5"), "chi");
        assert_eq!(package_name("gopkg.in/yaml.v3"), "yaml");
        assert_eq!(package_name("net/http"), "http");
        assert_eq!(package_name("v2"), "v2");
    }
}
