//! The chains of Java types and expressions.

use tree_sitter::Node;

use crate::lang::chain::{self, Protocol, TypeText};
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum nesting of types and expressions.
const DEPTH_MAX: usize = 20;

/// Maximum number of type parameters of a definition.
const PARAMETERS_MAX: u32 = 8;

/// Maximum number of nodes between a call and the anonymous class around it.
const LEVELS_MAX: usize = 64;

/// Returns the chain of the implicit receiver of a call of `name` in the visited node, if that is in
/// an anonymous class without a method of that name: `@Base.this` in `new Base() { … }`.
pub(super) fn anonymous(visit: &Visit<'_, '_>, notes: &Notes<'_>, name: &[u8]) -> Option<Chain> {
    let levels = 1..LEVELS_MAX;
    let kinds = levels.map(|level| (level, visit.ancestor_kind(level)));
    let (level, _) = kinds.take_while(|(_, kind)| !kind.is_empty()).find(|(_, kind)| {
        matches!(*kind, "class_body" | "interface_body" | "enum_body" | "record_declaration")
    })?;
    let created = visit.ancestor(level + 1)?;
    if created.kind_name() != "object_creation_expression" {
        return None;
    }
    let is_method = |member: Node<'_>| {
        member.kind_name() == "method_declaration"
            && member.field("name").is_some_and(|own| visit.bytes(own) == name)
    };
    let body = visit.ancestor(level)?;
    let mut cursor = body.walk();
    if body.named_children(&mut cursor).any(is_method) {
        return None;
    }
    chain::member(of_type(visit, notes, created.field("type")?), b"this")
}

/// Returns the chain of a value of the type `node`.
pub(super) fn of_type(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    chain::instance(&type_name(visit, notes, node)?)
}

/// Returns the name of a type with its arguments. The name of a type parameter is that of its
/// bound.
pub(super) fn type_name(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<String> {
    named(Java { visit, notes, marks_parameters: false }, node)
}

/// Returns the chain of a value of the type `node`, in which type parameters of the types around it are
/// marked: what a member returns depends on the value that has it.
pub(super) fn of_member_type(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<Chain> {
    chain::instance(&named(Java { visit, notes, marks_parameters: true }, node)?)
}

fn named(java: Java<'_, '_, '_>, node: Node<'_>) -> Option<String> {
    let mut name = String::new();
    let is_named = java.write(node, &mut name, DEPTH_MAX);
    (is_named && !name.is_empty() && name.len() <= CHAIN_BYTES_MAX).then_some(name)
}

/// Returns the chain of the expression `node`.
pub(super) fn of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    Java { visit, notes, marks_parameters: false }.value(node, DEPTH_MAX)
}

struct Java<'v, 'a, 't> {
    visit: &'v Visit<'a, 't>,
    notes: &'v Notes<'v>,
    marks_parameters: bool,
}

impl Java<'_, '_, '_> {
    /// Returns true if `name` is a type parameter of a type around the visited node, and not of its method.
    fn is_of_type(&self, name: &[u8]) -> bool {
        for level in 0..LEVELS_MAX {
            let Some(around) = self.visit.ancestor(level) else { return false };
            let Some(list) = around.field("type_parameters") else { continue };
            let parameters = (0..PARAMETERS_MAX).map_while(|at| list.named_child(at));
            let is_its = |parameter: Node<'_>| {
                let mut parts = parts(parameter);
                parts.any(|part| {
                    part.kind_name() == "type_identifier" && self.visit.bytes(part) == name
                })
            };
            if parameters.into_iter().any(is_its) {
                return around.kind_name() != "method_declaration";
            }
        }
        false
    }

    /// Appends the name of the type `node` to `out`. Returns false if it has no name.
    fn write(&self, node: Node<'_>, out: &mut String, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if out.len() > CHAIN_BYTES_MAX {
            return false;
        }
        match node.kind_name() {
            "type_identifier" | "identifier" => {
                let own = self.visit.bytes(node);
                match self.notes.local(own) {
                    NameLookup::Local(_) if self.marks_parameters && self.is_of_type(own) => {
                        out.push_str(&TypeText::of_parameter(&String::from_utf8_lossy(own)));
                    }
                    NameLookup::Local(chain) => match chain.and_then(Chain::as_argument) {
                        Some(of) => out.push_str(of),
                        None => return false,
                    },
                    NameLookup::NotLocal if own == b"var" => return false,
                    NameLookup::NotLocal => out.push_str(&String::from_utf8_lossy(own)),
                }
                true
            }
            "integral_type" | "floating_point_type" | "boolean_type" => {
                out.push_str(&String::from_utf8_lossy(self.visit.bytes(node)));
                true
            }
            "scoped_type_identifier" | "scoped_identifier" => {
                for (at, part) in parts(node).enumerate() {
                    if at > 0 {
                        out.push('.');
                    }
                    let own = part.child(0).filter(|_| part.kind_name() == "generic_type");
                    if !self.write(own.unwrap_or(part), out, depth) {
                        return false;
                    }
                }
                true
            }
            "generic_type" => {
                let Some(of) = node.named_child(0) else { return false };
                let arguments = parts(node).find(|part| part.kind_name() == "type_arguments");
                if !self.write(of, out, depth) {
                    return false;
                }
                let Some(arguments) = arguments.filter(|list| list.named_child_count() > 0) else {
                    return true;
                };
                out.push('<');
                for (at, part) in parts(arguments).enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    let start = out.len();
                    if !self.write(part, out, depth) {
                        out.truncate(start);
                        out.push('_');
                    }
                }
                out.push('>');
                true
            }
            "array_type" => {
                out.push_str("slice<");
                let of = node.field("element");
                let is_named = of.is_some_and(|of| self.write(of, out, depth));
                out.push('>');
                is_named
            }
            "wildcard" | "annotated_type" | "type_bound" | "catch_type" => {
                parts(node).last().is_some_and(|of| self.write(of, out, depth))
            }
            _ => false,
        }
    }

    fn value(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let depth = depth.checked_sub(1)?;
        let field = |name: &str| node.field(name);
        let instance = |of: Node<'_>| of_type(self.visit, self.notes, of);
        match node.kind_name() {
            "identifier" => chain::of_name(self.notes, self.visit.bytes(node)),
            "this" => Some(Chain::own()),
            "super" => Some(Chain::base()),
            "field_access" | "scoped_identifier" => {
                let of = field("object").or(field("scope"))?;
                let name = field("field").or(field("name"))?;
                // `Outer.this`, `Outer.super`
                if name.kind_name() == "this" {
                    return instance(of).or(Some(Chain::own()));
                }
                chain::member(self.value(of, depth), self.visit.bytes(name))
            }
            "method_invocation" => {
                let name = self.visit.bytes(field("name")?);
                let Some(of) = field("object") else {
                    let bare = || Chain::name(String::from_utf8_lossy(name));
                    let implicit = anonymous(self.visit, self.notes, name);
                    let member = implicit.and_then(|of| chain::member(Some(of), name));
                    return chain::called(Some(member.unwrap_or_else(bare)));
                };
                let of = self.value(of, depth)?;
                if of.is_named("Objects") && name == b"requireNonNull" {
                    return self.value(field("arguments")?.named_child(0)?, depth);
                }
                chain::called(chain::member(Some(of), name))
            }
            "object_creation_expression" => instance(field("type")?),
            "array_creation_expression" => {
                let of = type_name(self.visit, self.notes, field("type")?)?;
                chain::instance(&format!("slice<{of}>"))
            }
            "cast_expression" => instance(field("type")?),
            "array_access" => chain::yielded(self.value(field("array")?, depth), Protocol::Index),
            "parenthesized_expression" => self.value(node.named_child(0)?, depth),
            "ternary_expression" => {
                let first = self.value(field("consequence")?, depth);
                first.or_else(|| self.value(field("alternative")?, depth))
            }
            "assignment_expression" => self.value(field("left")?, depth),
            "string_literal" => chain::instance("String"),
            "class_literal" => {
                let of = type_name(self.visit, self.notes, node.named_child(0)?)?;
                chain::instance(&format!("Class<{of}>"))
            }
            _ => None,
        }
    }
}

fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let parts = (0..8).map_while(move |at| node.named_child(at));
    parts.filter(|part| !part.kind_name().ends_with("annotation"))
}
