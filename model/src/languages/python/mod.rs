//! Python: the merged order of bases, descriptors, classes as values, modules by path.

#[cfg(feature = "lower")]
mod flow;
#[cfg(feature = "lower")]
mod lower;
#[cfg(feature = "lower")]
mod names;
#[cfg(feature = "lower")]
mod statements;
#[cfg(feature = "lower")]
mod types;
#[cfg(feature = "lower")]
mod values;

#[cfg(feature = "lower")]
use crate::ir::File;
use crate::ir::{Literal, Protocol};
#[cfg(feature = "lower")]
use crate::lower::Lowers;
use crate::rules::{
    Arguments, BaseOfUsers, Construction, Linearization, MemberSources, Module, Rules,
    Satisfaction, Tree, Visible,
};

/// Types of the library that no source can name: what generators and the like return.
#[cfg(feature = "lower")]
const GENERATOR: &str = "generator()";
#[cfg(feature = "lower")]
const ASYNC_GENERATOR: &str = "async generator()";
#[cfg(feature = "lower")]
const COROUTINE: &str = "coroutine()";
#[cfg(feature = "lower")]
const CONTEXT: &str = "context()";
#[cfg(feature = "lower")]
const ASYNC_CONTEXT: &str = "async context()";

/// The rules.
pub(super) struct Language;

impl Rules for Language {
    fn visible(&self) -> Visible {
        Visible {
            members: false,
            type_scopes: false,
            siblings: false,
            imports_are_members: true,
            ..Visible::default()
        }
    }

    fn linearize(&self) -> Linearization {
        Linearization::Merged
    }

    fn satisfies(&self) -> Satisfaction {
        Satisfaction::Structural
    }

    fn member_sources(&self) -> MemberSources {
        MemberSources {
            base_of_users: BaseOfUsers::All,
            get_member: Some("__get__"),
            ..MemberSources::default()
        }
    }

    fn construct(&self) -> Construction {
        Construction {
            members: &["__init__"],
            inherited: true,
            call_value: &["__call__"],
            ..Construction::default()
        }
    }

    fn is_untyped(&self) -> bool {
        true
    }

    fn arguments(&self) -> Arguments {
        Arguments { any_number: true, signatures_beside_body: true, ..Arguments::default() }
    }

    fn module(&self, specifier: &str, from: &str, tree: &Tree) -> Module {
        let name = specifier.trim_start_matches('.');
        let path = name.replace('.', "/");
        let mut folder = folder_of(from);
        let dots = specifier.len() - name.len();
        if dots > 0 {
            for _ in 1..dots {
                folder = folder_of(folder);
            }
            return Module::Files(files_of(tree, folder, &path));
        }
        // From the outermost folder that is no package.
        let mut found = Vec::new();
        loop {
            if file_at(tree, folder, "__init__.py").is_none() {
                let files = files_of(tree, folder, &path);
                found = if files.is_empty() { found } else { files };
            }
            if folder.is_empty() {
                break;
            }
            folder = folder_of(folder);
        }
        // The library's modules have names that no source can write.
        let name = if name == "typing_extensions" { "typing" } else { name };
        if found.is_empty() { Module::Named(format!(":{name}")) } else { Module::Files(found) }
    }

    fn submodule(&self, of: &str, name: &str, tree: &Tree) -> Module {
        match of.strip_suffix("__init__.py") {
            Some(folder) => Module::Files(files_of(tree, folder.trim_end_matches('/'), name)),
            None => Module::Files(Vec::new()),
        }
    }

    fn protocol_members(&self, protocol: Protocol) -> &'static [&'static str] {
        match protocol {
            Protocol::Index => &["__getitem__"],
            Protocol::Iterate => &["__iter__", "__next__"],
            Protocol::Await => &["__await__"],
            Protocol::Unwrap | Protocol::Dereference => &[],
        }
    }

    fn literal(&self, literal: &Literal) -> &'static str {
        match literal {
            Literal::String(_) => "str",
            Literal::Integer => "int",
            Literal::Float => "float",
            Literal::Boolean => "bool",
            Literal::Null => "None",
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

/// Returns the folder of a path.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the file `name` directly in a folder.
fn file_at(tree: &Tree, folder: &str, name: &str) -> Option<usize> {
    let is_it = |&&at: &&usize| tree.paths[at].rsplit('/').next() == Some(name);
    tree.files_in(folder).iter().find(is_it).copied()
}

/// Returns the file of the module at `path` below a folder: the package before a file of its name.
fn files_of(tree: &Tree, folder: &str, path: &str) -> Vec<usize> {
    let join = |folder: &str, below: &str| match (folder.is_empty(), below.is_empty()) {
        (true, _) => below.to_string(),
        (_, true) => folder.to_string(),
        _ => format!("{folder}/{below}"),
    };
    let whole = join(folder, path);
    let package = file_at(tree, &whole, "__init__.py");
    let file = || {
        let (around, name) = whole.rsplit_once('/').unwrap_or(("", &whole));
        file_at(tree, around, &format!("{name}.py")).filter(|_| !path.is_empty())
    };
    package.or_else(file).into_iter().collect()
}

/// Syntax trees into facts.
#[cfg(feature = "lower")]
struct Lowering;

#[cfg(feature = "lower")]
impl Lowers for Lowering {
    fn extensions(&self) -> &'static [&'static str] {
        &["py"]
    }

    fn grammar(&self) -> tree_sitter::Language {
        tree_sitter_python::LANGUAGE.into()
    }

    fn lower(&self, path: &str, text: &[u8], tree: &tree_sitter::Tree) -> File {
        lower::lower(path, text, tree)
    }
}

#[cfg(test)]
mod tests {
    use super::Language;
    use crate::ir::File;
    use crate::rules::{Module, Rules, Tree};

    #[test]
    fn imports_lead_to_files() {
        let paths = ["src/a/__init__.py", "src/a/b.py", "src/a/types.py", "src/a/c/__init__.py"];
        let files = paths.map(|path| File { path: path.into(), ..File::default() });
        let tree = Tree::new(files.iter());
        let from = |specifier: &str| Language.module(specifier, "src/a/b.py", &tree);
        assert_eq!(from("."), Module::Files(vec![0]));
        assert_eq!(from(".types"), Module::Files(vec![2]));
        assert_eq!(from("a.c"), Module::Files(vec![3]));
        assert_eq!(from("types"), Module::Named(":types".into()));
        assert_eq!(Language.submodule("src/a/__init__.py", "c", &tree), Module::Files(vec![3]));
    }
}
