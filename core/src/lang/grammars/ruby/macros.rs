//! Calls in the body of a class or module that define methods: `attr_accessor :a`,
//! `define_method(:a) { … }`, `delegate :a, to: :b`.

use tree_sitter::Node;

use super::loops;
use crate::lang::node::NodeNames;
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::{Definition, Visit};

/// Which arguments of a call are names, and what they define.
struct Defining {
    method: &'static str,
    kind: SymbolKind,
    /// `.` for members of the type itself, `#` for members of its instances.
    separator: &'static str,
    /// The first argument that is a name.
    from: u32,
    /// The maximum number of names.
    names_max: u32,
}

/// Maximum number of names in one call.
const NAMES_MAX: u32 = 64;

const fn defining(
    method: &'static str,
    kind: SymbolKind,
    separator: &'static str,
    from: u32,
    names_max: u32,
) -> Defining {
    Defining { method, kind, separator, from, names_max }
}

/// Calls of Ruby's standard library, ActiveSupport and ActiveRecord, sorted.
const CALLS: &[Defining] = {
    use SymbolKind::{Method, Property};
    &[
        defining("alias_method", Method, "#", 0, 1),
        defining("attr", Property, "#", 0, NAMES_MAX),
        defining("attr_accessor", Property, "#", 0, NAMES_MAX),
        defining("attr_reader", Property, "#", 0, NAMES_MAX),
        defining("attr_writer", Property, "#", 0, NAMES_MAX),
        defining("attribute", Property, "#", 0, 1),
        defining("belongs_to", Property, "#", 0, 1),
        defining("cattr_accessor", Property, ".", 0, NAMES_MAX),
        defining("cattr_reader", Property, ".", 0, NAMES_MAX),
        defining("class_attribute", Property, ".", 0, NAMES_MAX),
        defining("def_delegator", Method, "#", 1, 1),
        defining("def_delegators", Method, "#", 1, NAMES_MAX),
        defining("def_instance_delegator", Method, "#", 1, 1),
        defining("def_instance_delegators", Method, "#", 1, NAMES_MAX),
        defining("define_method", Method, "#", 0, 1),
        defining("define_singleton_method", Method, ".", 0, 1),
        defining("delegate", Method, "#", 0, NAMES_MAX),
        defining("field", Property, "#", 0, 1),
        defining("has_and_belongs_to_many", Property, "#", 0, 1),
        defining("has_many", Property, "#", 0, 1),
        defining("has_one", Property, "#", 0, 1),
        defining("mattr_accessor", Property, ".", 0, NAMES_MAX),
        defining("mattr_reader", Property, ".", 0, NAMES_MAX),
        defining("scope", Method, ".", 0, 1),
        defining("thread_mattr_accessor", Property, ".", 0, NAMES_MAX),
    ]
};

/// Adds what the visited call defines.
pub(super) fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let is_type = visit.enclosing_kind().is_some_and(|kind| !kind.is_callable());
    if !is_type || node.field("receiver").is_some() {
        return;
    }
    let word = visit.field(node, "method").unwrap_or_default();
    if matches!(&*word, "class_eval" | "define_method" | "module_eval") {
        loops::define(visit, &word, found);
    }
    let Ok(at) = CALLS.binary_search_by(|call| call.method.cmp(&word)) else { return };
    let Defining { kind, separator, from, names_max, .. } = CALLS[at];
    let Some(list) = node.field("arguments") else { return };
    // `def_delegator :@a, :b, :c` defines `c`.
    let renames = matches!(&*word, "def_delegator" | "def_instance_delegator")
        && list.named_child_count() > 2;
    let from = from + u32::from(renames);
    let body = node.field("block");
    let separator = if is_of_type(visit) { "." } else { separator };
    for name in (from..from + names_max).map_while(|at| list.named_child(at)) {
        let Some((name, span)) = name_of(visit, name) else { continue };
        let mut definition = Definition::new(visit, kind, list);
        definition.name = name;
        definition.name_span = span;
        definition.separator = Some(separator);
        definition.body = body;
        found.push(definition);
    }
}

/// Returns true for a call in the body of `class << self`: it defines members of the type itself.
fn is_of_type(visit: &Visit<'_, '_>) -> bool {
    visit.ancestor_kind(1) == "body_statement" && visit.ancestor_kind(2) == "singleton_class"
}

/// Returns the member of a structure that the visited symbol names: `:b` in `A = Struct.new(:b)` and in
/// `class A < Struct.new(:b)`.
pub(super) fn member<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let is_class = matches!(visit.ancestor_kind(3), "assignment" | "superclass");
    let call = visit.ancestor(2).filter(|call| is_class && call.kind_name() == "call")?;
    let receiver = visit.field(call, "receiver")?;
    let method = visit.field(call, "method")?;
    let is_made = matches!((&*receiver, &*method), ("Struct", "new") | ("Data", "define"));
    let is_type = visit.enclosing_kind().is_some_and(|kind| !kind.is_callable());
    let (name, name_span) = name_of(visit, visit.node()).filter(|_| is_made && is_type)?;
    Some(Definition {
        name,
        name_span,
        separator: Some("#"),
        ..Definition::new(visit, SymbolKind::Property, visit.node())
    })
}

/// Returns the name that a symbol or a string without interpolation contains, with its span.
pub(super) fn name_of(
    visit: &Visit<'_, '_>,
    node: Node<'_>,
) -> Option<(String, std::ops::Range<usize>)> {
    let span = match node.kind_name() {
        "simple_symbol" => (node.start_byte() + 1).min(node.end_byte())..node.end_byte(),
        "string" if node.named_child_count() == 1 => node.named_child(0)?.byte_range(),
        _ => return None,
    };
    let name = String::from_utf8_lossy(&visit.text[span.clone()]).into_owned();
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "_?!=@".contains(c));
    is_name.then_some((name, span))
}

/// Returns the method that the visited `alias new old` defines.
pub(super) fn alias<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let name = visit.node().field("name")?;
    let is_type = visit.enclosing_kind().is_some_and(|kind| !kind.is_callable());
    let kind = if is_type { SymbolKind::Method } else { SymbolKind::Function };
    let (text, span) = match name.kind_name() {
        "identifier" | "constant" | "setter" | "operator" => {
            (visit.text(name).into_owned(), name.byte_range())
        }
        _ => name_of(visit, name)?,
    };
    let separator = is_type.then_some(if is_of_type(visit) { "." } else { "#" });
    Some(Definition {
        name: text,
        name_span: span,
        separator,
        ..Definition::new(visit, kind, name)
    })
}

#[cfg(test)]
mod tests {
    use super::CALLS;

    #[test]
    fn calls_are_sorted() {
        assert!(CALLS.is_sorted_by_key(|call| call.method));
    }
}
