//! Haskell.

use tree_sitter::Node;

use super::blank::{blank, lines};
use super::mentions;
use crate::lang::chain::Chain;
use crate::lang::facts::{Import, ImportKind, ImportedName, Role};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// Haskell.
pub(crate) static HASKELL: Language = Language {
    name: "haskell",
    extensions: &["hs", "hs-boot"],
    filenames: &[],
    shebangs: &["runhaskell", "runghc", "stack"],
    separator: ".",
    line_comments: &["--"],
    block_comments: &[("{-", "-}")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["Spec.hs", "Test.hs", "Tests.hs"],
        directories: &["test", "tests"],
    },
    grammar: grammar!("tree-sitter-haskell", tree_sitter_haskell::LANGUAGE),
    refine: None,
    mask: Some(mask),
    embedded: None,
    comments: &["comment", "haddock"],
    doc_comments: &[],
    attributes: &["signature", "pragma"],
    markers: &["signature"],
    define,
    refer: Some(refer),
    scopes: &["function", "bind", "lambda", "alternative", "do", "match", "class", "instance"],
};

/// Blanks out preprocessor conditionals. The grammar would otherwise skip the text after `#else`.
fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    for (start, line) in lines(text) {
        let word = line.strip_prefix(b"#").unwrap_or_default().trim_ascii_start();
        if CONDITIONS.iter().any(|condition| word.starts_with(condition)) {
            blank(&mut masked[start..start + line.len()]);
        }
    }
    masked
}

/// The preprocessor directives of conditionals.
const CONDITIONS: &[&[u8]] = &[b"if", b"else", b"elif", b"endif"];

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "data_type" => head(visit, SymbolKind::Enum),
        "newtype" => head(visit, SymbolKind::Struct),
        "type_synonym" | "type_synomym" | "type_family" | "data_family" => {
            head(visit, SymbolKind::Type)
        }
        "class" => head(visit, SymbolKind::Trait),
        "instance" => instance(visit),
        "data_constructor" | "gadt_constructor" => constructor(visit, SymbolKind::EnumMember),
        "newtype_constructor" => constructor(visit, SymbolKind::Constructor),
        "field" if node.field("name").is_some() => Definition::named(visit, SymbolKind::Field),
        "function" | "bind" => function(visit),
        "signature" => signature(visit),
        "pattern_synonym" => synonym(visit),
        _ => None,
    };
    found.extend(definition);
}

/// Returns a type or class; its body follows the name and parameters.
fn head<'t>(visit: &Visit<'_, 't>, kind: SymbolKind) -> Option<Definition<'t>> {
    let node = visit.node();
    let definition = Definition::named(visit, kind)?;
    let body =
        ["constructors", "constructor", "declarations"].iter().find_map(|field| node.field(field));
    let body = if kind == SymbolKind::Type { None } else { body };
    Some(Definition { body, ..definition })
}

fn instance<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("name")?;
    let end = node.field("patterns").unwrap_or(name).end_byte().max(name.end_byte());
    let span = name.start_byte()..end;
    let text = String::from_utf8_lossy(&visit.text[span.clone()]).into_owned();
    let mut definition = Definition::new(visit, SymbolKind::Impl, name);
    definition.name = format!("instance {text}");
    definition.name_span = span;
    definition.body = node.field("declarations");
    Some(definition)
}

fn constructor<'t>(visit: &Visit<'_, 't>, kind: SymbolKind) -> Option<Definition<'t>> {
    let node = visit.node();
    let inner = node.field("constructor").unwrap_or(node);
    let name = inner.field("name").or(inner.field("operator"))?;
    Some(Definition::new(visit, kind, name))
}

/// Returns the name of a binding; for an infix definition, the operator.
fn name_of(node: Node) -> Option<Node> {
    node.field("name").or_else(|| {
        let mut cursor = node.walk();
        let infix =
            node.named_children(&mut cursor).take(4).find(|child| child.kind_name() == "infix")?;
        infix.field("operator")
    })
}

/// Returns a function of the file, a class or an instance at its first clause, with the type
/// signature before it.
fn function<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let (kind, separator) = match visit.ancestor_kind(1) {
        "declarations" => (SymbolKind::Function, None),
        "instance_declarations" | "class_declarations" => (SymbolKind::Method, None),
        _ => return None,
    };
    let name = name_of(node)?;
    let text = plain(&visit.text(name));
    // Further clauses of a function directly follow the first one. A repeated name elsewhere
    // belongs to another branch of `#if`, except for a class's default method, which may occur
    // anywhere after its signature.
    let is_default = visit.ancestor_kind(1) == "class_declarations";
    let around = visit.enclosing_index();
    let before = visit.symbols.iter().rev().find(|symbol| symbol.parent == around);
    let follows = before.is_some_and(|symbol| symbol.name == text);
    if visit.is_defined(&text, ".") && (is_default || follows) {
        return None;
    }
    let is_bound = node.field("patterns").is_none() && node.kind_name() == "bind";
    let mut definition = Definition { separator, ..Definition::new(visit, kind, name) };
    definition.name = text;
    let before = visit.marker(0).filter(|signature| {
        let names = String::from_utf8_lossy(&visit.text[signature.byte_range()]);
        let names = names.split("::").next().unwrap_or_default().to_owned();
        let is_next = visit.text[signature.end_byte()..node.start_byte()].trim_ascii().is_empty();
        is_next && names.split(',').any(|name| plain(name.trim()) == definition.name)
    });
    match before {
        Some(signature) => {
            definition.signature_start = Some(signature.start_byte());
            definition.body = Some(node);
            let is_value = !visit.text[signature.byte_range()].windows(2).any(|two| two == b"->");
            if is_bound && is_value && kind == SymbolKind::Function {
                definition.kind = SymbolKind::Constant;
            }
        }
        None => definition.body = node.field("match"),
    }
    Some(definition)
}

/// Returns a name without enclosing parentheses or backquotes.
fn plain(name: &str) -> String {
    name.trim_matches(['(', ')', '`', ' ']).to_owned()
}

/// Returns a class method or a foreign function.
fn signature<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let name = visit.node().field("name")?;
    let (kind, outer) = match visit.ancestor_kind(1) {
        "class_declarations" => (SymbolKind::Method, 0),
        "foreign_import" => (SymbolKind::Function, 1),
        _ => return None,
    };
    let definition = Definition::new(visit, kind, name);
    Some(Definition { name: plain(&definition.name), outer, ..definition })
}

fn synonym<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let inner = visit.node().named_child(0)?;
    let name = inner.field("synonym")?;
    let is_again = visit.is_defined(&visit.text(name), ".");
    (!is_again).then(|| Definition::new(visit, SymbolKind::Constant, name))
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "header" => {
            let module = node.field("module");
            notes.package = module.map(|module| visit.text(module).into_owned());
        }
        "import" => import(visit, notes),
        "name" if visit.defined.is_empty() && is_used_type(visit) => {
            let role = if visit.ancestor_kind(1) == "instance" { Role::Base } else { Role::Type };
            notes.refer(visit, node, role, None);
        }
        "apply" => application(visit, notes),
        "variable" if is_bound(visit) => notes.declare(node, None),
        "variable" | "qualified" if visit.defined.is_empty() => value(visit, notes),
        _ => {}
    }
}

/// Returns true for a name that a pattern binds, and for the variable of a type.
fn is_bound(visit: &Visit<'_, '_>) -> bool {
    let patterns = ["patterns", "type_params", "signature", "context", "data_type", "head"];
    (1..8).map_while(|levels| Some((levels, visit.ancestor(levels)?))).any(|(levels, node)| {
        patterns.contains(&node.kind_name())
            || visit.field_above(levels - 1) == "pattern"
            || visit.field_above(levels - 1) == "type"
    })
}

/// Records the visited name where it is an argument or an operand: `f` in `map f` is read, and called in
/// `f $ x` and `x & f`.
fn value(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let sign = || visit.ancestor(1).and_then(|around| visit.field(around, "operator"));
    let is_called = match (visit.ancestor_kind(1), visit.field_above(0)) {
        ("apply", "argument") | ("list" | "tuple", _) => false,
        ("infix", "left_operand") => sign().is_some_and(|sign| matches!(&*sign, "$" | "$!")),
        ("infix", "right_operand") => sign().is_some_and(|sign| sign == "&"),
        _ => return,
    };
    let is_qualified = node.kind_name() == "qualified";
    let name = if is_qualified { node.field("id") } else { Some(node) };
    let Some(name) = name.filter(|name| name.kind_name() == "variable") else { return };
    let module = visit.field(node, "module").filter(|_| is_qualified);
    let receiver = module.map(|module| Chain::name(module.trim_end_matches('.')));
    mentions::applied(visit, notes, name, receiver, is_called);
}

/// Returns true for a type name in use, and false where a type or class is declared.
fn is_used_type(visit: &Visit<'_, '_>) -> bool {
    let parent = visit.ancestor_kind(1);
    let declares = ["data_type", "newtype", "type_synonym", "type_synomym", "class", "export"];
    !declares.contains(&parent) && !parent.ends_with("family") && !parent.starts_with("import")
}

/// Records the function of the innermost application: in `f x y` it is `f`, with two arguments.
fn application(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(function) = visit.node().field("function") else { return };
    let mut count = 1;
    while visit.ancestor_kind(count) == "apply" && count < 32 {
        count += 1;
    }
    match function.kind_name() {
        "variable" | "constructor" => notes.call(visit, function, None, count),
        "qualified" => {
            let module = visit.field(function, "module");
            let receiver = module.map(|module| Chain::name(module.trim_end_matches('.')));
            if let Some(name) = function.field("id") {
                notes.call(visit, name, receiver, count);
            }
        }
        _ => {}
    }
}

fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let text = |node: Node| String::from_utf8_lossy(&visit.text[node.byte_range()]).into_owned();
    let Some(module) = node.field("module").map(text) else { return };
    let words = text(node);
    let mut names = Vec::new();
    let list = node.field("names");
    if let Some(list) = list.filter(|_| !words.contains(" hiding")) {
        let mut cursor = list.walk();
        for name in list.children_by_field_name("name", &mut cursor) {
            let name = name.named_child(0).map(text).unwrap_or_default();
            names.push(ImportedName { alias: name.clone(), name });
        }
    } else if !words.contains(" qualified") {
        names.push(ImportedName { name: "*".to_owned(), alias: String::new() });
    }
    let alias = node.field("alias").map_or_else(|| module.clone(), text);
    names.push(ImportedName { name: String::new(), alias });
    let (line, kind) = (node.start_position().row + 1, ImportKind::Module);
    notes.import(Import { span: node.byte_range(), line, kind, module, names });
}
