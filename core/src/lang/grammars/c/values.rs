//! The chains of C++ types and expressions.

use tree_sitter::Node;

use crate::lang::chain::{self, Protocol};
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Maximum nesting of types and expressions.
const DEPTH_MAX: usize = 20;

/// Smart pointers and similar types, which are replaced by the type that they point to.
const POINTERS: [&[u8]; 8] = [
    b"unique_ptr",
    b"shared_ptr",
    b"intrusive_ptr",
    b"reference_wrapper",
    b"optional",
    b"scoped_refptr",
    b"RefPtr",
    b"not_null",
];

/// Functions that return a value of their template argument.
const TYPED_FUNCTIONS: [&[u8]; 9] = [
    b"make_unique",
    b"make_shared",
    b"shared_ptr",
    b"unique_ptr",
    b"static_cast",
    b"dynamic_cast",
    b"const_cast",
    b"reinterpret_cast",
    b"static_pointer_cast",
];
/// Functions that return their argument.
const IDENTITY_FUNCTIONS: [&[u8]; 5] = [b"move", b"forward", b"ref", b"cref", b"as_const"];

/// Functions of the standard library that return an iterator into their first argument, or as it.
const ITERATOR_FUNCTIONS: [&[u8]; 12] = [
    b"begin",
    b"cbegin",
    b"find",
    b"find_if",
    b"find_if_not",
    b"lower_bound",
    b"upper_bound",
    b"max_element",
    b"min_element",
    b"next",
    b"prev",
    b"remove_if",
];

/// Returns the chain of a value of the type `node`.
pub(super) fn of_type(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    chain::instance(&type_name(visit, notes, node)?)
}

/// Returns the name of a type with its arguments.
pub(super) fn type_name(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<String> {
    let mut name = String::new();
    let is_named = Cpp { visit, notes }.write(node, &mut name, DEPTH_MAX);
    (is_named && !name.is_empty() && name.len() <= CHAIN_BYTES_MAX).then_some(name)
}

/// Returns the name of the type parameter `node`, a type that is declared locally.
pub(super) fn type_parameter(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    node: Node<'_>,
) -> Option<String> {
    let is_name = node.kind_name() == "type_identifier";
    let is_local = || matches!(notes.local(visit.bytes(node)), NameLookup::Local(_));
    (is_name && is_local()).then(|| visit.text_of(node))
}

/// Returns the chain of the expression `node`.
pub(super) fn of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    Cpp { visit, notes }.value(node, DEPTH_MAX)
}

struct Cpp<'v, 'a, 't> {
    visit: &'v Visit<'a, 't>,
    notes: &'v Notes<'v>,
}

impl Cpp<'_, '_, '_> {
    /// Appends the name of the type `node` to `out`. Returns false if it has no name.
    fn write(&self, node: Node<'_>, out: &mut String, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if out.len() > CHAIN_BYTES_MAX {
            return false;
        }
        let of = |field: &str| node.field(field);
        match node.kind_name() {
            "type_identifier" | "namespace_identifier" | "identifier" => {
                let own = self.visit.bytes(node);
                if matches!(self.notes.local(own), NameLookup::Local(_)) {
                    return false;
                }
                out.push_str(&String::from_utf8_lossy(own));
                true
            }
            "primitive_type" | "sized_type_specifier" => {
                let own = self.visit.bytes(node);
                let own = own.split(|byte| byte.is_ascii_whitespace()).next_back();
                out.push_str(&String::from_utf8_lossy(own.unwrap_or_default()));
                true
            }
            "qualified_identifier" => {
                let Some(name) = of("name") else { return false };
                let Some(scope) = of("scope") else { return self.write(name, out, depth) };
                let start = out.len();
                if !self.write(scope, out, depth) {
                    return false;
                }
                out.push('.');
                let inner = out.len();
                let is_named = self.write(name, out, depth);
                // `std::unique_ptr<T>` is `T`.
                if name.kind_name() == "template_type" && self.pointed(name).is_some() {
                    out.replace_range(start..inner, "");
                }
                is_named
            }
            "template_type" | "template_function" => {
                if let Some(of) = self.pointed(node) {
                    return self.write(of, out, depth);
                }
                let (Some(name), Some(arguments)) = (of("name"), of("arguments")) else {
                    return false;
                };
                self.write(name, out, depth) && self.arguments(arguments, out, depth)
            }
            "type_descriptor" => of("type").is_some_and(|of| self.write(of, out, depth)),
            "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier" => {
                of("name").is_some_and(|of| self.write(of, out, depth))
            }
            "dependent_type" => node.named_child(0).is_some_and(|of| self.write(of, out, depth)),
            _ => false,
        }
    }

    /// Returns the type that a smart pointer points to.
    fn pointed<'n>(&self, node: Node<'n>) -> Option<Node<'n>> {
        let name = node.field("name")?;
        let is_pointer = POINTERS.contains(&self.visit.bytes(name));
        node.field("arguments").filter(|_| is_pointer)?.named_child(0)
    }

    fn arguments(&self, node: Node<'_>, out: &mut String, depth: usize) -> bool {
        out.push('<');
        for (at, part) in (0..6).map_while(|at| node.named_child(at)).enumerate() {
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

    fn value(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let depth = depth.checked_sub(1)?;
        let field = |name: &str| node.field(name);
        let instance = |of: Node<'_>| of_type(self.visit, self.notes, of);
        match node.kind_name() {
            "identifier" => chain::of_name(self.notes, self.visit.bytes(node)),
            "this" => Some(Chain::own()),
            "qualified_identifier" | "template_function" => {
                let name = type_name(self.visit, self.notes, node)?;
                Some(chain::without_arguments(&name))
            }
            "field_expression" => {
                let name = field("field")?;
                let name = name.field("name").unwrap_or(name);
                chain::member(self.value(field("argument")?, depth), self.visit.bytes(name))
            }
            "call_expression" => self.call(node, depth),
            "subscript_expression" => {
                chain::yielded(self.value(field("argument")?, depth), Protocol::Index)
            }
            "pointer_expression" => self.value(field("argument")?, depth),
            "co_await_expression" => {
                chain::yielded(self.value(field("argument")?, depth), Protocol::Await)
            }
            "parenthesized_expression" => self.value(node.named_child(0)?, depth),
            "conditional_expression" => {
                let first = self.value(field("consequence")?, depth);
                first.or_else(|| self.value(field("alternative")?, depth))
            }
            "assignment_expression" => self.value(field("left")?, depth),
            "new_expression" | "cast_expression" | "compound_literal_expression" => {
                instance(field("type")?)
            }
            "string_literal" => chain::instance("char"),
            _ => None,
        }
    }

    fn is_standard(&self, qualified: Node<'_>) -> bool {
        qualified.field("scope").is_some_and(|scope| self.visit.bytes(scope) == b"std")
    }

    fn call(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let function = node.field("function")?;
        let last = match function.kind_name() {
            "qualified_identifier" => function.field("name")?,
            _ => function,
        };
        let plain = last.field("name").unwrap_or(last);
        let name = self.visit.bytes(plain);
        let first = || node.field("arguments")?.named_child(0);
        match function.kind_name() {
            _ if last.kind_name() == "template_function" && TYPED_FUNCTIONS.contains(&name) => {
                let of = last.field("arguments")?.named_child(0)?;
                of_type(self.visit, self.notes, of)
            }
            "qualified_identifier"
                if IDENTITY_FUNCTIONS.contains(&name)
                    || ITERATOR_FUNCTIONS.contains(&name) && self.is_standard(function) =>
            {
                let of = self.value(first()?, depth);
                let is_container = matches!(name, b"begin" | b"cbegin");
                if is_container { chain::called(chain::member(of, b"begin")) } else { of }
            }
            _ => chain::called(self.value(function, depth)),
        }
    }
}
