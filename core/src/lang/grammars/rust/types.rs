//! The chains of Rust types: without references, lifetimes and smart pointers.

use tree_sitter::Node;

use super::patterns;
use crate::lang::chain::{self, TypeText};
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Smart pointers and guards, which are replaced by the type that they point to.
const POINTERS: [&str; 9] =
    ["Box", "Rc", "Arc", "Pin", "Cow", "Ref", "RefMut", "MutexGuard", "ManuallyDrop"];

/// Maximum number of type arguments and of parts of a tuple.
pub(super) const ARGUMENTS_MAX: u32 = 16;

/// Maximum nesting of types.
const DEPTH_MAX: usize = 12;

/// Maximum number of nodes around a type that are searched for its type parameters.
const PARAMETERS_MAX: usize = 8;

/// Returns the chain of a value of the type `node`; for `Self` it is `$`.
pub(super) fn value_of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    let name = name_of(visit, notes, node)?;
    if name == "Self" { Some(Chain::own()) } else { chain::instance(&name) }
}

/// Returns the name of a type with its arguments. The name of a type parameter is marked.
pub(super) fn name_of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<String> {
    let mut name = String::new();
    let is_named = Types { visit, notes }.write(node, &mut name, DEPTH_MAX);
    (is_named && !name.is_empty() && name.len() <= CHAIN_BYTES_MAX).then_some(name)
}

struct Types<'v, 'a, 't> {
    visit: &'v Visit<'a, 't>,
    notes: &'v Notes<'v>,
}

impl Types<'_, '_, '_> {
    /// Appends the name of `node` to `out`. Returns false if it has no name.
    fn write(&self, node: Node<'_>, out: &mut String, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if out.len() > CHAIN_BYTES_MAX {
            return false;
        }
        let of = |field: &str| node.field(field);
        let inner = |out: &mut String, node: Option<Node<'_>>| {
            node.is_some_and(|node| self.write(node, out, depth))
        };
        match node.kind_name() {
            "type_identifier" | "identifier" | "primitive_type" | "super" | "crate" | "self" => {
                self.plain(node, out)
            }
            "scoped_type_identifier" | "scoped_identifier" => {
                if let Some(of) = of("path").and_then(|path| self.bound_type(path, of("name")?)) {
                    return self.write(of, out, depth);
                }
                let start = out.len();
                if !of("path").is_none_or(|path| self.write(path, out, depth)) {
                    out.truncate(start);
                } else if out.len() > start {
                    out.push('.');
                }
                of("name").is_some_and(|name| self.push(name, out))
            }
            "generic_type" | "generic_type_with_turbofish" => self.generic(node, out, depth),
            "reference_type" | "pointer_type" | "qualified_type" => inner(out, of("type")),
            "dynamic_type" | "abstract_type" => inner(out, of("trait")),
            "higher_ranked_trait_bound" => inner(out, of("type")),
            "bounded_type" | "bracketed_type" => inner(out, node.named_child(0)),
            "type_binding" => {
                let Some(name) = of("name") else { return false };
                self.push(name, out);
                out.push('=');
                inner(out, of("type"))
            }
            "array_type" => {
                out.push_str("slice<");
                let is_named = inner(out, of("element"));
                out.push('>');
                is_named
            }
            "function_type" if of("trait").is_some() => {
                // `Fn(A) -> B` is a function of the library's trait, as `FnOnce<Output = B>`.
                let is_named = inner(out, of("trait"));
                let start = out.len();
                out.push_str("<Output=");
                if of("return_type").is_some() && inner(out, of("return_type")) {
                    out.push('>');
                    return is_named;
                }
                out.truncate(start);
                false
            }
            "tuple_type" => {
                out.push_str("tuple");
                self.arguments(node, out, depth)
            }
            _ => false,
        }
    }

    /// Returns the type that a bound of the type parameter `path` gives its associated type `name`:
    /// `B` of `A::Item`, where `A: Iterator<Item = B>`.
    fn bound_type(&self, path: Node<'_>, name: Node<'_>) -> Option<Node<'_>> {
        let (own, name) = (self.visit.bytes(path), self.visit.bytes(name));
        if !matches!(path.kind_name(), "identifier" | "type_identifier")
            || !matches!(self.notes.local(own), NameLookup::Local(_))
        {
            return None;
        }
        let around = (0..PARAMETERS_MAX).map_while(|levels| self.visit.ancestor(levels));
        around.filter_map(|node| bound(self.visit, node, own)).find_map(|bounds| {
            children(bounds).find_map(|of| {
                let arguments = of.field("type_arguments")?;
                let is_named =
                    |of: &Node<'_>| of.field("name").is_some_and(|of| self.visit.bytes(of) == name);
                children(arguments).find(is_named)?.field("type")
            })
        })
    }

    fn push(&self, node: Node<'_>, out: &mut String) -> bool {
        out.push_str(&String::from_utf8_lossy(self.visit.bytes(node)));
        true
    }

    /// Appends a name, which may be that of a type parameter.
    fn plain(&self, node: Node<'_>, out: &mut String) -> bool {
        let own = self.visit.bytes(node);
        // A module name in a path never refers to a local variable of the same name.
        if node.kind_name() == "identifier" && patterns::is_binding(own) {
            return self.push(node, out);
        }
        match self.notes.local(own) {
            NameLookup::Local(chain) => match chain.and_then(Chain::as_argument) {
                Some(of) => {
                    out.push_str(of);
                    true
                }
                None => node.kind_name() != "type_identifier" && self.push(node, out),
            },
            // The variable of a macro stands for any type.
            NameLookup::NotLocal if own.starts_with(b"$") => {
                out.push_str(&TypeText::of_parameter(""));
                self.push(node, out)
            }
            NameLookup::NotLocal => self.push(node, out),
        }
    }

    fn generic(&self, node: Node<'_>, out: &mut String, depth: usize) -> bool {
        let Some(of) = node.field("type") else { return false };
        let Some(arguments) = node.field("type_arguments") else { return false };
        let own = of.field("name").unwrap_or(of);
        let own = self.visit.bytes(own);
        if POINTERS.iter().any(|pointer| pointer.as_bytes() == own) {
            let of = children(arguments).find(|child| is_type(*child));
            return of.is_some_and(|of| self.write(of, out, depth));
        }
        self.write(of, out, depth) && self.arguments(arguments, out, depth)
    }

    /// Appends `<A,B>`; an argument without a name is `_`.
    fn arguments(&self, node: Node<'_>, out: &mut String, depth: usize) -> bool {
        if !children(node).any(is_type) {
            return true;
        }
        out.push('<');
        for (at, child) in children(node).filter(|child| is_type(*child)).enumerate() {
            if child.kind_name() == "trait_bounds" {
                // `Item: Bound` is a value with that bound.
                self.bounded(child, out, depth);
                continue;
            }
            if at > 0 {
                out.push(',');
            }
            let start = out.len();
            if !self.write(child, out, depth) {
                out.truncate(start);
                out.push('_');
            }
        }
        out.push('>');
        true
    }
    /// Appends `=B` for the first bound of the associated type that `out` ends with.
    fn bounded(&self, bounds: Node<'_>, out: &mut String, depth: usize) {
        let start = out.len();
        out.push('=');
        let first = children(bounds).find(|of| is_type(*of));
        if !first.is_some_and(|of| self.write(of, out, depth)) {
            out.truncate(start);
        }
    }
}

fn is_type(node: Node<'_>) -> bool {
    !matches!(node.kind_name(), "lifetime" | "block" | "line_comment" | "block_comment")
}

fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    (0..ARGUMENTS_MAX).map_while(move |at| node.named_child(at))
}

/// Declares the type parameters of the visited definition; the linker finds their bounds.
pub(super) fn declare_parameters(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(parameters) = visit.node().field("type_parameters") else { return };
    for parameter in children(parameters).filter(|child| child.kind_name() == "type_parameter") {
        let Some(name) = parameter.field("name") else { continue };
        let marked = TypeText::of_parameter(&String::from_utf8_lossy(visit.bytes(name)));
        notes.declare(name, chain::instance(&marked));
    }
}

/// Returns the bounds of the type parameter `name` of a definition, from its list or its `where`.
fn bound<'t>(visit: &Visit<'_, '_>, definition: Node<'t>, name: &[u8]) -> Option<Node<'t>> {
    let parameters = definition.field("type_parameters")?;
    let is_named = |field: &'static str| {
        move |node: &Node<'_>| node.field(field).is_some_and(|of| visit.bytes(of) == name)
    };
    let parameter = children(parameters).find(is_named("name"))?;
    parameter.field("bounds").or_else(|| {
        let mut parts = (0..10).map_while(|at| definition.named_child(at));
        let clause = parts.find(|part| part.kind_name() == "where_clause")?;
        children(clause).find(is_named("left"))?.field("bounds")
    })
}
