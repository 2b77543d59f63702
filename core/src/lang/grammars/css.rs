//! Style sheets: CSS, and SCSS and Less, which are masked to resemble CSS.

use crate::lang::facts::{Import, ImportKind, ImportedName, Role};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

mod scss;

/// CSS.
pub(crate) static CSS: Language = Language {
    name: "css",
    extensions: &["css", "pcss"],
    filenames: &[],
    shebangs: &[],
    separator: " ",
    line_comments: &[],
    block_comments: &[("/*", "*/")],
    tests: TestConventions::NONE,
    grammar: grammar!("tree-sitter-css", tree_sitter_css::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment", "js_comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &[],
};

/// SCSS and Less.
pub(crate) static SCSS: Language = Language {
    name: "scss",
    extensions: &["scss", "less"],
    line_comments: &["//"],
    mask: Some(scss::mask),
    ..CSS
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "rule_set" => rule(visit),
        "keyframes_statement" => {
            let name = visit.child(node, "keyframes_name");
            let body = visit.child(node, "keyframe_block_list");
            name.map(|name| Definition { body, ..Definition::new(visit, SymbolKind::Block, name) })
        }
        "declaration" => variable(visit),
        "media_statement" | "supports_statement" | "scope_statement" | "at_rule" => at_rule(visit),
        _ => None,
    };
    found.extend(definition);
}

/// Returns a rule, named by its selectors as written (the mask replaces them in the tree).
fn rule<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let body = visit.child(node, "block")?;
    let head = visit.text[node.start_byte()..body.start_byte()].trim_ascii_end();
    let name = String::from_utf8_lossy(head).into_owned();
    // `font: { … }` of SCSS is a declaration.
    if name.ends_with(':') {
        return None;
    }
    let name_span = node.start_byte()..node.start_byte() + head.len();
    let definition = Definition::new(visit, SymbolKind::Selector, node);
    Some(Definition { name, name_span, body: Some(body), ..definition })
}

/// Returns a custom property, or a variable of SCSS and Less, at its first declaration in the
/// scope.
fn variable<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let name = visit.child(visit.node(), "property_name")?;
    let text = visit.text(name);
    let is_variable = text.starts_with("--") || text.starts_with(['$', '@']);
    let is_again = visit.is_defined(&text, " ");
    (is_variable && !is_again).then(|| Definition::new(visit, SymbolKind::Variable, name))
}

/// Returns the definition of an at-rule with a block: a block, which is not a scope for the names
/// inside it, or a mixin, function or property.
fn at_rule<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let body = node
        .child(node.child_count().checked_sub(1)?)
        .filter(|body| body.kind_name() == "block")?;
    let head = visit.text[node.start_byte()..body.start_byte()].trim_ascii_end();
    let words = String::from_utf8_lossy(head).into_owned();
    let keyword = words.split(|c: char| c.is_whitespace() || c == '(').next()?;
    let kind = match keyword {
        "@mixin" => SymbolKind::Macro,
        "@function" => SymbolKind::Function,
        "@property" => SymbolKind::Variable,
        "@media" | "@supports" | "@container" | "@layer" | "@scope" | "@page" => SymbolKind::Block,
        _ => return None,
    };
    let mut definition = Definition::new(visit, kind, node);
    definition.body = Some(body);
    definition.name_span = node.start_byte()..node.start_byte() + head.len();
    if kind == SymbolKind::Block {
        definition.scope = Some(String::new());
        definition.name = words;
        return Some(definition);
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte) || *byte >= 0x80;
    let start = keyword.len() + head[keyword.len()..].iter().position(is_name)?;
    let len = head[start..].iter().take_while(|byte| is_name(byte)).count();
    definition.name = String::from_utf8_lossy(&head[start..start + len]).into_owned();
    definition.name_span = node.start_byte() + start..node.start_byte() + start + len;
    Some(definition)
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let text = &visit.text[node.byte_range()];
    match node.kind_name() {
        "plain_value" if text.starts_with(b"--") && visit.ancestor_kind(1) == "arguments" => {
            notes.refer(visit, node, Role::Read, None);
        }
        "import_statement" | "postcss_statement" | "at_rule" => import(visit, notes),
        _ => {}
    }
    let is_include = text.starts_with(b"@include");
    if let Some(name) = visit.child(node, "keyword_query").filter(|_| is_include) {
        notes.call(visit, name, None, 0);
    }
}

/// Records `@import`, `@use` and `@forward`.
fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let text = visit.text(node);
    let (kind, names) = match text.split_whitespace().next() {
        Some("@import" | "@use") => (ImportKind::LocalInclude, Vec::new()),
        Some("@forward") => {
            let all = ImportedName { name: "*".to_owned(), alias: String::new() };
            (ImportKind::ReExport, vec![all])
        }
        _ => return,
    };
    let quoted = text.split(['"', '\'']).nth(1);
    let bare = text.split_once("url(").and_then(|(_, rest)| rest.split(')').next());
    if let Some(module) = quoted.or(bare).map(|module| module.trim().to_owned()) {
        let line = node.start_position().row + 1;
        notes.import(Import { span: node.byte_range(), line, kind, module, names });
    }
}
