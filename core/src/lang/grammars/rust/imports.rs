//! Rust imports: `use`, `extern crate` and `mod`.

use tree_sitter::Node;

use crate::lang::facts::{Chain, Import, ImportKind, ImportedName, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Maximum nesting of `use` lists.
const DEPTH_MAX: usize = 32;

/// Records the imports of the visited `use` declaration.
pub(super) fn declaration(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    notes.finish(node);
    let is_public = visit.child(node, "visibility_modifier").is_some();
    let kind = if is_public { ImportKind::ReExport } else { ImportKind::Module };
    let Some(argument) = node.field("argument") else { return };
    UseTree { visit, notes, kind }.add(argument, "", DEPTH_MAX);
}

/// Records the imports of one `use` declaration.
struct UseTree<'v, 'a, 't, 'n> {
    visit: &'v Visit<'a, 't>,
    notes: &'v mut Notes<'n>,
    kind: ImportKind,
}

impl UseTree<'_, '_, '_, '_> {
    /// Records the subtree `node`, whose paths are relative to the path `base`.
    fn add(&mut self, node: Node<'_>, base: &str, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match node.kind_name() {
            "scoped_use_list" => {
                let path = node.field("path");
                if let Some(path) = path {
                    self.refer_path(path, base, depth);
                }
                let base = path.map_or(base.to_owned(), |path| self.path(base, path));
                if let Some(list) = node.field("list") {
                    self.add(list, &base, depth);
                }
            }
            "use_list" => {
                let mut names = Vec::new();
                let mut cursor = node.walk();
                for child in node.named_children(&mut cursor) {
                    match self.leaf(child) {
                        Some(name) => {
                            self.refer_leaf(child, base);
                            names.push(name);
                        }
                        None => self.add(child, base, depth),
                    }
                }
                if !names.is_empty() && !base.is_empty() {
                    return self.import(node, base.to_owned(), names);
                }
                for ImportedName { name, alias } in names {
                    let whole = ImportedName { name: String::new(), alias };
                    self.import(node, name, vec![whole]);
                }
            }
            "use_as_clause" => {
                let Some(path) = node.field("path") else { return };
                let alias = node.field("alias");
                let alias = alias.map(|alias| self.visit.text_of(alias));
                self.scoped(path, base, alias, depth);
            }
            "use_wildcard" => {
                let Some(path) = node.named_child(0) else { return };
                self.refer_path(path, base, depth);
                let module = self.path(base, path);
                let all = ImportedName { name: "*".to_owned(), alias: String::new() };
                self.import(node, module, vec![all]);
            }
            "scoped_identifier" | "identifier" | "crate" | "self" | "super" => {
                self.scoped(node, base, None, depth);
            }
            _ => {}
        }
    }

    /// Returns the name that a list item binds, if the item is not a path.
    fn leaf(&self, node: Node<'_>) -> Option<ImportedName> {
        let (of, alias) = match node.kind_name() {
            "use_as_clause" => (node.field("path")?, node.field("alias")),
            _ => (node, None),
        };
        let name = match of.kind_name() {
            "identifier" => self.visit.text_of(of),
            "self" => String::new(),
            _ => return None,
        };
        let alias = alias.map(|alias| self.visit.text_of(alias)).unwrap_or_else(|| name.clone());
        Some(ImportedName { name, alias })
    }

    fn refer_leaf(&mut self, node: Node<'_>, base: &str) {
        let of = node.field("path").unwrap_or(node);
        if of.kind_name() == "identifier" {
            let receiver = (!base.is_empty()).then(|| Chain::name(base.replace("::", ".")));
            self.notes.refer(self.visit, of, Role::Import, receiver);
        }
    }

    /// Records the import of one path.
    fn scoped(&mut self, node: Node<'_>, base: &str, alias: Option<String>, depth: usize) {
        let name = node.field("name");
        let Some(name) = name else {
            let name = self.visit.text_of(node);
            let alias = alias.unwrap_or_else(|| name.clone());
            self.refer_leaf(node, base);
            let (module, name) = match base {
                "" => (name, String::new()),
                base => (base.to_owned(), name),
            };
            return self.import(node, module, vec![ImportedName { name, alias }]);
        };
        let path = node.field("path");
        let module = path.map_or(base.to_owned(), |path| self.path(base, path));
        if let Some(path) = path {
            self.refer_path(path, base, depth);
        }
        self.refer_leaf(name, &module);
        let name = self.visit.text_of(name);
        let alias = alias.unwrap_or_else(|| name.clone());
        self.import(node, module, vec![ImportedName { name, alias }]);
    }

    /// Records references to the modules of a path.
    fn refer_path(&mut self, mut node: Node<'_>, base: &str, depth: usize) {
        for _ in 0..depth {
            let path = node.field("path");
            let name = node.field("name").unwrap_or(node);
            let before = path.map_or(base.to_owned(), |path| self.path(base, path));
            let receiver = (!before.is_empty()).then(|| Chain::name(before.replace("::", ".")));
            if name.kind_name() == "identifier" {
                self.notes.refer(self.visit, name, Role::Read, receiver);
            }
            match path {
                Some(path) => node = path,
                None => return,
            }
        }
    }

    fn path(&self, base: &str, path: Node<'_>) -> String {
        let mut text = self.visit.text_of(path);
        text.retain(|c| !c.is_whitespace());
        text = text.replace("::r#", "::");
        if base.is_empty() { text } else { format!("{base}::{text}") }
    }

    fn import(&mut self, node: Node<'_>, module: String, mut names: Vec<ImportedName>) {
        // A module that is imported itself is bound to the last part of its path.
        for name in &mut names {
            if name.alias.is_empty() && name.name.is_empty() {
                name.alias = module.rsplit("::").next().unwrap_or_default().to_owned();
            }
        }
        let line = node.start_position().row + 1;
        let span = self.visit.node().byte_range();
        self.notes.import(Import { span, line, kind: self.kind, module, names });
    }
}

/// Records the visited `extern crate`.
pub(super) fn extern_crate(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    notes.finish(node);
    let Some(name) = node.field("name") else { return };
    notes.refer(visit, name, Role::Import, None);
    let module = visit.text_of(name);
    let alias = node.field("alias").unwrap_or(name);
    whole(visit, notes, ImportKind::Module, module, visit.text_of(alias));
}

/// Records the visited `mod` if its body is in another file.
pub(super) fn submodule(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if node.field("body").is_some() {
        return;
    }
    let Some(name) = node.field("name") else { return };
    let name = visit.text_of(name);
    let path = path_attribute(&visit.leading_text(0));
    let module = path.unwrap_or_else(|| name.clone());
    whole(visit, notes, ImportKind::Submodule, module, name);
}

fn whole(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    kind: ImportKind,
    module: String,
    alias: String,
) {
    let node = visit.node();
    let (span, line) = (node.byte_range(), node.start_position().row + 1);
    let names = vec![ImportedName { name: String::new(), alias }];
    notes.import(Import { span, line, kind, module, names });
}

/// Returns the path of a `#[path = "…"]` attribute.
fn path_attribute(leading: &str) -> Option<String> {
    let after = leading.split("#[path").nth(1)?.trim_start().strip_prefix('=')?;
    let text = after.trim_start().strip_prefix('"')?;
    Some(text.split('"').next()?.to_owned())
}
