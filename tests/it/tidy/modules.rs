//! The module tree of a crate, read from its sources, and every path in it that names a module.
//!
//! Code for tests (`#[cfg(test)]`) is left out. The tree follows `mod` declarations as rustc does,
//! `#[path]` included, but it evaluates no other `cfg`: alternatives for several platforms under
//! one name are one module with several files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Lit, Meta, UseTree};

/// The segments of a path below the crate's root: `crate::a::b` is `["a", "b"]`.
pub(crate) type ModulePath = Vec<String>;

/// How many re-exports in a row are followed.
const REEXPORTS_MAX: usize = 8;

/// The modules of one crate.
pub(crate) struct ModuleTree {
    /// The modules, the crate's root among them under the empty path.
    modules: BTreeSet<ModulePath>,
    /// For each module, the names that its `use` items bring into scope and the paths behind them.
    scopes: BTreeMap<ModulePath, BTreeMap<String, ModulePath>>,
    references: Vec<Reference>,
    /// For each source file, the lines of the items that exist only in tests.
    test_lines: BTreeMap<PathBuf, Vec<RangeInclusive<usize>>>,
}

/// A path in the source code that names something of the crate outside its own module.
pub(crate) struct Reference {
    /// The source file, relative to the crate's directory.
    pub(crate) file: PathBuf,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The module that contains the path.
    pub(crate) module: ModulePath,
    /// The absolute path, with the item's name at its end.
    target: ModulePath,
}

impl ModuleTree {
    /// Returns the modules of both packages as those of one library: `codedb` re-exports what is
    /// public in `codedb-core`, under the same names.
    pub(crate) fn library() -> &'static ModuleTree {
        static LIBRARY: OnceLock<ModuleTree> = OnceLock::new();
        LIBRARY.get_or_init(|| {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let mut tree = ModuleTree::read(root, Path::new("src/lib.rs"));
            tree.read_file(root, Path::new("core/src/lib.rs"), ModulePath::new(), true);
            tree
        })
    }

    /// Reads the crate whose root is `file` below `directory`.
    ///
    /// # Panics
    ///
    /// Panics if a source file is missing or is not valid Rust.
    pub(crate) fn read(directory: &Path, file: &Path) -> ModuleTree {
        let mut tree = ModuleTree {
            modules: BTreeSet::from([ModulePath::new()]),
            scopes: BTreeMap::new(),
            references: Vec::new(),
            test_lines: BTreeMap::new(),
        };
        tree.read_file(directory, file, ModulePath::new(), true);
        tree
    }

    /// Reads `file` as `module`; `owns_directory` is true for `main.rs`, `mod.rs` and files named
    /// by `#[path]`, whose submodules are in the file's own directory.
    fn read_file(&mut self, root: &Path, file: &Path, module: ModulePath, owns_directory: bool) {
        let text = fs::read_to_string(root.join(file))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let syntax =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let directory = file.parent().expect("a file has a directory").to_path_buf();
        let below = if owns_directory { directory.clone() } else { file.with_extension("") };
        let mut scanner = Scanner {
            tree: self,
            file,
            module,
            own_directory: Some(directory),
            directory: below,
            submodules: Vec::new(),
            test_lines: Vec::new(),
        };
        scanner.visit_file(&syntax);
        let Scanner { submodules, test_lines, .. } = scanner;
        self.test_lines.insert(file.to_path_buf(), test_lines);
        for submodule in submodules {
            let (file, owns_directory) = match submodule.file {
                Some(file) => (file, true),
                None => {
                    let name = submodule.path.last().expect("a submodule has a name");
                    let sibling = submodule.directory.join(format!("{name}.rs"));
                    if root.join(&sibling).is_file() {
                        (sibling, false)
                    } else {
                        (submodule.directory.join(name).join("mod.rs"), true)
                    }
                }
            };
            self.read_file(root, &file, submodule.path, owns_directory);
        }
    }

    /// Returns the names of the modules directly below the crate's root.
    pub(crate) fn top_level(&self) -> BTreeSet<&str> {
        let top = self.modules.iter().filter(|path| path.len() == 1);
        top.map(|path| path[0].as_str()).collect()
    }

    /// Returns every path that names another module.
    pub(crate) fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Returns the top-level module that `reference` names, unless it is in that module itself.
    pub(crate) fn top_level_target(&self, reference: &Reference) -> Option<String> {
        let from = reference.module.first()?;
        let direct = self.module_of(&reference.target);
        // `crate::Error` names a re-export of the crate's root.
        let target =
            if direct.is_empty() { self.resolve(&reference.target) } else { direct.to_vec() };
        target.into_iter().next().filter(|name| name != from)
    }

    /// Returns the edges between modules that have the same parent: the parent, the importing
    /// child, the imported child, and a reference that causes the edge. Re-exports are followed.
    pub(crate) fn sibling_edges(&self) -> BTreeMap<(ModulePath, String, String), &Reference> {
        let mut edges = BTreeMap::new();
        for reference in &self.references {
            let direct = self.module_of(&reference.target).to_vec();
            for target in [direct, self.resolve(&reference.target)] {
                let from = &reference.module;
                let common = from.iter().zip(&target).take_while(|(a, b)| a == b).count();
                if common < from.len() && common < target.len() {
                    let key =
                        (from[..common].to_vec(), from[common].clone(), target[common].clone());
                    edges.entry(key).or_insert(reference);
                }
            }
        }
        edges
    }

    /// Returns true if `file` has code outside of tests.
    pub(crate) fn contains(&self, file: &Path) -> bool {
        self.test_lines.contains_key(file)
    }

    /// Returns true if `line` of `file` exists only in tests.
    pub(crate) fn is_test(&self, file: &Path, line: usize) -> bool {
        let ranges = self.test_lines.get(file);
        ranges.is_some_and(|ranges| ranges.iter().any(|range| range.contains(&line)))
    }

    /// Returns the longest part of `path` that is a module.
    fn module_of<'a>(&self, path: &'a [String]) -> &'a [String] {
        let length = (0..=path.len()).rev().find(|&length| self.modules.contains(&path[..length]));
        &path[..length.expect("the root is a module")]
    }

    /// Returns the module that defines what `path` names, re-exports followed.
    fn resolve(&self, path: &[String]) -> ModulePath {
        let mut path = path.to_vec();
        for _ in 0..REEXPORTS_MAX {
            let module = self.module_of(&path);
            let Some(name) = path.get(module.len()) else { break };
            let Some(behind) = self.scopes.get(module).and_then(|scope| scope.get(name)) else {
                break;
            };
            let rest = path[module.len() + 1..].to_vec();
            let next: ModulePath = behind.iter().cloned().chain(rest).collect();
            if next == path {
                break;
            }
            path = next;
        }
        self.module_of(&path).to_vec()
    }
}

/// Overrides the visits of everything that can carry `#[cfg(test)]`.
macro_rules! unless_test {
    ($($visit:ident: $node:ident, $attributes:expr;)+) => {
        $(fn $visit(&mut self, node: &'ast syn::$node) {
            let attributes: fn(&syn::$node) -> &[Attribute] = $attributes;
            if attributes(node).iter().any(is_test) {
                let span = node.span();
                self.test_lines.push(span.start().line..=span.end().line);
            } else {
                visit::$visit(self, node);
            }
        })+
    };
    () => {
        unless_test! {
            visit_item: Item, attributes_of_item;
            visit_impl_item: ImplItem, attributes_of_impl_item;
            visit_trait_item: TraitItem, attributes_of_trait_item;
            visit_local: Local, |node| &node.attrs;
            visit_field: Field, |node| &node.attrs;
            visit_field_value: FieldValue, |node| &node.attrs;
            visit_variant: Variant, |node| &node.attrs;
            visit_arm: Arm, |node| &node.attrs;
        }
    };
}

/// Collects the paths of one file.
struct Scanner<'a> {
    tree: &'a mut ModuleTree,
    file: &'a Path,
    /// The module at the place of the visit; inline modules extend it.
    module: ModulePath,
    /// The directory that `#[path]` is relative to; none within an inline module.
    own_directory: Option<PathBuf>,
    /// The directory of the files of submodules.
    directory: PathBuf,
    submodules: Vec<Submodule>,
    test_lines: Vec<RangeInclusive<usize>>,
}

/// A `mod name;` whose file is still to be read.
struct Submodule {
    path: ModulePath,
    directory: PathBuf,
    /// The file that `#[path]` names.
    file: Option<PathBuf>,
}

impl Scanner<'_> {
    /// Returns `segments` as a path below the crate's root. For a path that starts with none of
    /// `crate`, `self` and `super`, this is the path of a submodule, or of nothing.
    fn absolute(&self, segments: &[String]) -> ModulePath {
        let supers = segments.iter().take_while(|segment| *segment == "super").count();
        let (base, rest) = match segments.first().map(String::as_str) {
            Some("crate") => (&[][..], &segments[1..]),
            Some("self") => (&self.module[..], &segments[1..]),
            _ => (&self.module[..self.module.len().saturating_sub(supers)], &segments[supers..]),
        };
        base.iter().chain(rest).cloned().collect()
    }

    fn add(&mut self, line: usize, segments: &[String]) {
        self.tree.references.push(Reference {
            file: self.file.to_path_buf(),
            line,
            module: self.module.clone(),
            target: self.absolute(segments),
        });
    }

    fn add_use(&mut self, tree: &UseTree, prefix: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add_use(&path.tree, prefix);
                prefix.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use(tree, prefix);
                }
            }
            UseTree::Glob(glob) => self.add(glob.span().start().line, prefix),
            UseTree::Name(name) => self.add_used(&name.ident, &name.ident, prefix),
            UseTree::Rename(name) => self.add_used(&name.ident, &name.rename, prefix),
        }
    }

    fn add_used(&mut self, name: &syn::Ident, alias: &syn::Ident, prefix: &[String]) {
        let mut segments = prefix.to_vec();
        let mut alias = alias.to_string();
        // `use a::{self, b}` names `a`.
        if name != "self" || prefix.is_empty() {
            segments.push(name.to_string());
        } else if alias == "self" {
            alias = prefix.last().expect("a prefix").clone();
        }
        self.add(name.span().start().line, &segments);
        let target = self.absolute(&segments);
        self.tree.scopes.entry(self.module.clone()).or_default().insert(alias, target);
    }

    /// Collects the paths in tokens that are not parsed: those of macros and attributes.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            if let TokenTree::Group(group) = &tokens[at] {
                self.add_tokens(group.stream());
            }
            let TokenTree::Ident(first) = &tokens[at] else {
                at += 1;
                continue;
            };
            let mut segments = vec![first.to_string()];
            at += 1;
            while let [TokenTree::Punct(one), TokenTree::Punct(two), TokenTree::Ident(name), ..] =
                &tokens[at..]
            {
                if one.as_char() != ':' || two.as_char() != ':' {
                    break;
                }
                segments.push(name.to_string());
                at += 3;
            }
            if segments.len() > 1 {
                self.add(first.span().start().line, &segments);
            }
        }
    }

    fn in_inline_module(&mut self, name: &str, items: &[Item]) {
        let outside = (self.own_directory.take(), self.directory.clone());
        self.directory.push(name);
        self.module.push(name.to_owned());
        self.tree.modules.insert(self.module.clone());
        for item in items {
            self.visit_item(item);
        }
        self.module.pop();
        (self.own_directory, self.directory) = outside;
    }
}

impl<'ast> Visit<'ast> for Scanner<'_> {
    unless_test!();

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let name = item.ident.to_string();
        if let Some((_, items)) = &item.content {
            self.in_inline_module(&name, items);
            return;
        }
        let mut path = self.module.clone();
        path.push(name);
        self.tree.modules.insert(path.clone());
        let named = item.attrs.iter().find_map(path_attribute);
        let base = self.own_directory.as_ref().unwrap_or(&self.directory);
        let file = named.map(|named| normal(&base.join(named)));
        self.submodules.push(Submodule { path, directory: self.directory.clone(), file });
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // The root of `codedb` re-exports the modules of the other package, which are read, too.
        if matches!(&item.tree, UseTree::Path(path) if path.ident == "codedb_core") {
            return;
        }
        self.add_use(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.len() > 1 {
            self.add(path.span().start().line, &segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, found: &'ast syn::Macro) {
        self.add_tokens(found.tokens.clone());
        self.visit_path(&found.path);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.add_tokens(list.tokens.clone());
        }
    }
}

/// Returns true for `#[test]` and for `#[cfg(…)]` with `test` in it, unless negated.
fn is_test(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => list.path.is_ident("cfg") && has_test(list.tokens.clone()),
        _ => false,
    }
}

fn has_test(tokens: TokenStream) -> bool {
    let mut is_negated = false;
    for token in tokens {
        match &token {
            TokenTree::Ident(name) if name == "test" => return true,
            TokenTree::Ident(name) if name == "not" => is_negated = true,
            TokenTree::Group(group) => {
                if !is_negated && has_test(group.stream()) {
                    return true;
                }
                is_negated = false;
            }
            _ => {}
        }
    }
    false
}

/// Returns the file of `#[path = "…"]`.
fn path_attribute(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let Expr::Lit(literal) = &pair.value else { return None };
    match &literal.lit {
        Lit::Str(text) if pair.path.is_ident("path") => Some(text.value()),
        _ => None,
    }
}

/// Removes `a/..` from `path`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        if component.as_os_str() == ".." {
            out.pop();
        } else {
            out.push(component);
        }
    }
    out
}

fn attributes_of_item(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn attributes_of_impl_item(item: &syn::ImplItem) -> &[Attribute] {
    match item {
        syn::ImplItem::Const(item) => &item.attrs,
        syn::ImplItem::Fn(item) => &item.attrs,
        syn::ImplItem::Type(item) => &item.attrs,
        syn::ImplItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

fn attributes_of_trait_item(item: &syn::TraitItem) -> &[Attribute] {
    match item {
        syn::TraitItem::Const(item) => &item.attrs,
        syn::TraitItem::Fn(item) => &item.attrs,
        syn::TraitItem::Type(item) => &item.attrs,
        syn::TraitItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}
