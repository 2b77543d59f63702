//! The chains of Go types and expressions.

use tree_sitter::Node;

use crate::lang::chain::{self, Protocol};
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum nesting of types and expressions.
const DEPTH_MAX: usize = 20;

/// Returns the chain of a value of the type `node`.
pub(super) fn of_type(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    chain::instance(&type_name(visit, notes, node)?)
}

/// Returns the name of a type with its arguments. The name of a type parameter is that of its
/// constraint.
pub(super) fn type_name(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<String> {
    let mut name = String::new();
    let is_named = Go { visit, notes }.write(node, &mut name, DEPTH_MAX);
    (is_named && !name.is_empty() && name.len() <= CHAIN_BYTES_MAX).then_some(name)
}

/// Returns the chain of the expression `node`.
pub(super) fn of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    Go { visit, notes }.value(node, DEPTH_MAX)
}

struct Go<'v, 'a, 't> {
    visit: &'v Visit<'a, 't>,
    notes: &'v Notes<'v>,
}

impl Go<'_, '_, '_> {
    /// Appends the name of the type `node` to `out`. Returns false if it has no name.
    fn write(&self, node: Node<'_>, out: &mut String, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if out.len() > CHAIN_BYTES_MAX {
            return false;
        }
        let of = |field: &str| node.field(field);
        match node.kind_name() {
            "type_identifier" | "identifier" | "package_identifier" => {
                let own = self.visit.bytes(node);
                match self.notes.local(own) {
                    NameLookup::Local(chain) => match chain.and_then(Chain::as_argument) {
                        Some(of) => out.push_str(of),
                        None => return false,
                    },
                    NameLookup::NotLocal => out.push_str(&String::from_utf8_lossy(own)),
                }
                true
            }
            "qualified_type" | "selector_expression" => {
                let package = of("package").or(of("operand"));
                let name = of("name").or(of("field"));
                let (Some(package), Some(name)) = (package, name) else { return false };
                let is_named = self.write(package, out, depth);
                out.push('.');
                out.push_str(&String::from_utf8_lossy(self.visit.bytes(name)));
                is_named
            }
            "generic_type" => {
                let (Some(base), Some(arguments)) = (of("type"), of("type_arguments")) else {
                    return false;
                };
                let children: Vec<_> = (0..6).map_while(|at| arguments.named_child(at)).collect();
                self.write(base, out, depth) && self.arguments(&children, out, depth)
            }
            "pointer_type" | "parenthesized_type" | "type_elem" | "type_constraint"
            | "negated_type" => node.named_child(0).is_some_and(|of| self.write(of, out, depth)),
            "slice_type" | "array_type" | "implicit_length_array_type" => {
                out.push_str("slice");
                of("element").is_some_and(|of| self.arguments(&[of], out, depth))
            }
            "map_type" => {
                out.push_str("map");
                let (Some(key), Some(value)) = (of("key"), of("value")) else { return false };
                self.arguments(&[key, value], out, depth)
            }
            "channel_type" => {
                out.push_str("chan");
                of("value").is_some_and(|of| self.arguments(&[of], out, depth))
            }
            _ => false,
        }
    }

    /// Appends `<A,B>`; an argument without a name is `_`.
    fn arguments(&self, nodes: &[Node<'_>], out: &mut String, depth: usize) -> bool {
        out.push('<');
        for (at, node) in nodes.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            let start = out.len();
            if !self.write(*node, out, depth) {
                out.truncate(start);
                out.push('_');
            }
        }
        out.push('>');
        true
    }

    fn instance(&self, node: Node<'_>) -> Option<Chain> {
        of_type(self.visit, self.notes, node)
    }

    fn value(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let depth = depth.checked_sub(1)?;
        let field = |name: &str| node.field(name);
        match node.kind_name() {
            "identifier" => chain::of_name(self.notes, self.visit.bytes(node)),
            "selector_expression" => {
                let of = self.value(field("operand")?, depth);
                chain::member(of, self.visit.bytes(field("field")?))
            }
            "call_expression" => self.call(node, depth),
            "composite_literal" => self.instance(field("type")?),
            "type_conversion_expression" | "type_assertion_expression" => {
                self.instance(field("type")?)
            }
            "index_expression" => {
                chain::yielded(self.value(field("operand")?, depth), Protocol::Index)
            }
            "slice_expression" => self.value(field("operand")?, depth),
            "unary_expression" => {
                let of = self.value(field("operand")?, depth);
                match node.child(0)?.kind_name() {
                    "&" | "*" => of,
                    "<-" => chain::yielded(of, Protocol::Iterate),
                    _ => None,
                }
            }
            "parenthesized_expression"
            | "expression_list"
            | "literal_element"
            | "type_instantiation_expression" => self.value(node.named_child(0)?, depth),
            // `(*T)(nil)`
            "pointer_type" => self.value(node.named_child(0)?, depth),
            "interpreted_string_literal" | "raw_string_literal" => chain::instance("string"),
            "int_literal" => chain::instance("int"),
            _ => None,
        }
    }

    fn call(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let function = node.field("function")?;
        let arguments = node.field("arguments");
        let first = arguments.and_then(|arguments| arguments.named_child(0));
        if function.kind_name() == "identifier" {
            match self.visit.bytes(function) {
                b"new" | b"make" => return self.instance(first?),
                b"append" | b"min" | b"max" => return self.value(first?, depth),
                b"len" | b"cap" | b"copy" => return chain::instance("int"),
                _ => {}
            }
        }
        // `(*T)(value)` is a conversion.
        if function.kind_name() == "parenthesized_expression"
            && let Some(inner) = function.named_child(0)
            && inner.kind_name() == "unary_expression"
            && let Some(of) = inner.field("operand")
        {
            return self.instance(of);
        }
        chain::called(self.value(function, depth))
    }
}
