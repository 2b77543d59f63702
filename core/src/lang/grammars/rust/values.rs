//! The chains of Rust expressions.

use tree_sitter::Node;

use super::{tokens, types};
use crate::lang::chain::{self, Protocol, TypeText};
use crate::lang::code_text;
use crate::lang::facts::{CHAIN_BYTES_MAX, Chain};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Maximum nesting of an expression.
const DEPTH_MAX: usize = 24;

/// Maximum number of arms of a `match` that are searched for a value.
const ARMS_MAX: u32 = 16;

/// Standard library methods that return the same value or a container of the same elements, and
/// whose names other types rarely use.
const IDENTITY_METHODS: [&[u8]; 13] = [
    b"as_deref",
    b"as_deref_mut",
    b"clone",
    b"cloned",
    b"copied",
    b"err_into",
    b"into_boxed_slice",
    b"map_err",
    b"ok",
    b"ok_or",
    b"ok_or_else",
    b"or_else",
    b"to_owned",
];

/// Standard library methods that return the content of their receiver.
const CONTENT_METHODS: [&[u8]; 7] = [
    b"expect",
    b"unwrap",
    b"unwrap_or",
    b"unwrap_or_default",
    b"unwrap_or_else",
    b"unwrap_unchecked",
    b"unwrap_or_log",
];

/// Functions that wrap a value in a pointer to it.
pub(super) const POINTER_CONSTRUCTORS: [&[u8]; 13] = [
    b"Box::new",
    b"Rc::new",
    b"Arc::new",
    b"Box::pin",
    b"Pin::new",
    b"Arc::clone",
    b"Rc::clone",
    b"std::sync::Arc::new",
    b"Cow::Borrowed",
    b"Cow::Owned",
    b"ManuallyDrop::new",
    b"mem::ManuallyDrop::new",
    b"AssertUnwindSafe",
];

/// Functions that wrap a value in a cell.
const CELL_CONSTRUCTORS: [&[u8]; 4] =
    [b"Mutex::new", b"RwLock::new", b"RefCell::new", b"OnceCell::from"];

/// Returns the name of the type of a chain's value, if the chain itself contains it: `@Type`, and
/// by convention `Type.new()`.
fn type_of_value(chain: &Chain) -> Option<&str> {
    if let Some(name) = chain.as_argument() {
        return Some(name).filter(|name| TypeText::of(name).is_plain());
    }
    let name = chain.path_before_call_of("new").or(chain.path_before_call_of("default"))?;
    let last = name.rsplit('.').next()?;
    last.starts_with(char::is_uppercase).then_some(name)
}

/// Returns true for a chain that begins with a type or a constructor, so that no name which the code around
/// an expression binds can be meant.
fn names_type(chain: &Chain) -> bool {
    chain.starts_at_type() || chain.root_name().is_some_and(|it| it.starts_with(char::is_uppercase))
}

/// Returns the method of the library's traits that an operator runs; comparisons have none.
pub(super) fn operator_method(operator: &[u8]) -> Option<&'static [u8]> {
    Some(match operator {
        b"+" => b"add",
        b"-" => b"sub",
        b"*" => b"mul",
        b"/" => b"div",
        b"%" => b"rem",
        b"&" => b"bitand",
        b"|" => b"bitor",
        b"^" => b"bitxor",
        b"<<" => b"shl",
        b">>" => b"shr",
        _ => return None,
    })
}

/// Returns false for a type of which only the form is known: `tuple<_,_>`.
fn is_known(of: &str) -> bool {
    let parts = of.split(['<', ',', '>']).filter(|part| !part.is_empty());
    parts.into_iter().any(|part| !matches!(part, "_" | "slice" | "tuple"))
}

/// Returns the chain of the expression `node`.
pub(super) fn of(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    Values { visit, notes }.of(node, DEPTH_MAX)
}

/// Returns the chain of the value that the last expression of a function's `body` makes of a type that
/// it names: `Type(…)`, `Type { … }` or `Type::new(…)`.
pub(super) fn made(visit: &Visit<'_, '_>, notes: &Notes<'_>, body: Node<'_>) -> Option<Chain> {
    let mut cursor = body.walk();
    let last = body.named_children(&mut cursor).last()?;
    let last = match last.kind_name() {
        "expression_statement" => last.named_child(0)?,
        _ => last,
    };
    let is_made = match last.kind_name() {
        "struct_expression" => true,
        "call_expression" => {
            let function = visit.bytes(last.field("function")?);
            let is_type = function.first().is_some_and(u8::is_ascii_uppercase);
            is_type && !matches!(function, b"Ok" | b"Some" | b"Err")
        }
        _ => false,
    };
    of(visit, notes, last).filter(|_| is_made)
}

/// Returns the chain of the path before a name: `a.b` for `a::b::name`, `Type` for
/// `<Type as A>::name`.
pub(super) fn of_path(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    types::name_of(visit, notes, node).map(|name| chain::without_arguments(&name))
}

struct Values<'v, 'a, 't> {
    visit: &'v Visit<'a, 't>,
    notes: &'v Notes<'v>,
}

impl Values<'_, '_, '_> {
    fn of(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let depth = depth.checked_sub(1)?;
        let field = |name: &str| node.field(name);
        match node.kind_name() {
            "identifier" => chain::of_name(self.notes, self.visit.bytes(node)),
            "self" => Some(Chain::own()),
            "scoped_identifier" => {
                let path = of_path(self.visit, self.notes, field("path")?);
                chain::member(path, self.visit.bytes(field("name")?))
            }
            "field_expression" => {
                chain::member(self.of(field("value")?, depth), self.visit.bytes(field("field")?))
            }
            "generic_function" => self.of(field("function")?, depth),
            "call_expression" => self.call(node, depth),
            "try_expression" => {
                chain::yielded(self.of(node.named_child(0)?, depth), Protocol::Unwrap)
            }
            "await_expression" => {
                chain::yielded(self.of(node.named_child(0)?, depth), Protocol::Await)
            }
            "index_expression" => {
                let of = self.of(node.named_child(0)?, depth);
                let is_range = node.named_child(1)?.kind_name() == "range_expression";
                if is_range { of } else { chain::yielded(of, Protocol::Index) }
            }
            "reference_expression" => self.of(field("value")?, depth),
            "parenthesized_expression" => self.of(node.named_child(0)?, depth),
            "unary_expression" if node.child(0)?.kind_name() == "*" => {
                self.dereferenced(node, depth)
            }
            "unary_expression" => {
                let name: &[u8] = if node.child(0)?.kind_name() == "!" { b"not" } else { b"neg" };
                chain::called(chain::member(self.of(node.named_child(0)?, depth), name))
            }
            "binary_expression" => {
                let name = operator_method(self.visit.bytes(field("operator")?))?;
                chain::called(chain::member(self.of(field("left")?, depth), name))
            }
            "struct_expression" => {
                chain::instance(&types::name_of(self.visit, self.notes, field("name")?)?)
            }
            "type_cast_expression" => types::value_of(self.visit, self.notes, field("type")?),
            "string_literal" | "raw_string_literal" => chain::instance("str"),
            "tuple_expression" => self.tuple(node, depth),
            "range_expression" => self.range(node, depth),
            "array_expression" => self.array(node, depth),
            "unsafe_block" => self.of(node.named_child(0)?, depth),
            "block" if node.named_child_count() == 1 => self.of(node.named_child(0)?, depth),
            "block" => self.last_of(node, depth),
            "else_clause" => self.of(node.named_child(0)?, depth),
            "if_expression" => {
                let alternative = || self.of(field("alternative")?, depth);
                self.of(field("consequence")?, depth).or_else(alternative)
            }
            "match_expression" => self.matched(node, depth),
            "macro_invocation" => match self.visit.bytes(field("macro")?) {
                b"format" => chain::instance("String"),
                b"ready" | b"task::ready" | b"std::task::ready" => {
                    chain::yielded(self.in_macro(node), Protocol::Unwrap)
                }
                b"dbg" | b"pin" | b"std::pin::pin" | b"tokio::pin" => self.in_macro(node),
                b"vec" => self.vec_macro(node),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the chain of `*value`. For `**self`, and for `*self` in an implementation for a
    /// reference type, it is the target of the type's own `deref()`.
    fn dereferenced(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let inner = node.named_child(0)?;
        let value = self.of(inner, depth);
        let is_twice = inner.kind_name() == "unary_expression";
        if is_twice || inner.kind_name() == "self" && self.is_of_reference() {
            chain::called(chain::member(value, b"deref"))
        } else {
            value
        }
    }

    /// Returns true inside a block such as `impl Trait for &Type`.
    fn is_of_reference(&self) -> bool {
        let index = self.visit.own_or_enclosing_index();
        let around = index.and_then(|index| self.visit.symbols.get(index)?.parent);
        let block = around.and_then(|index| self.visit.symbols.get(index));
        block.is_some_and(|block| block.name.contains(" for &"))
    }

    fn call(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let function = node.field("function")?;
        let plain = match function.kind_name() {
            "generic_function" => function.field("function")?,
            _ => function,
        };
        match plain.kind_name() {
            "field_expression" => {
                let name = self.visit.bytes(plain.field("field")?);
                let value = self.of(plain.field("value")?, depth);
                if let Some(made) = self.turbofish(function, name) {
                    return Some(made);
                }
                match () {
                    () if matches!(name, b"and_then" | b"map") => self.mapped(node, name, value),
                    () if name == b"to_string" => chain::instance("String"),
                    () if IDENTITY_METHODS.contains(&name) => value,
                    () if CONTENT_METHODS.contains(&name) => {
                        chain::yielded(value, Protocol::Unwrap)
                    }
                    () => chain::called(chain::member(value, name)),
                }
            }
            "scoped_identifier" if POINTER_CONSTRUCTORS.contains(&self.visit.bytes(plain)) => {
                let arguments = node.field("arguments")?;
                self.of(arguments.named_child(0)?, depth)
            }
            "scoped_identifier" if CELL_CONSTRUCTORS.contains(&self.visit.bytes(plain)) => {
                let arguments = node.field("arguments")?;
                let held = self.of(arguments.named_child(0)?, depth)?;
                let cell = plain.field("path")?;
                let cell = String::from_utf8_lossy(self.visit.bytes(cell));
                chain::instance(&format!("{cell}<{}>", type_of_value(&held)?))
            }
            "identifier" if matches!(self.visit.bytes(plain), b"Ok" | b"Some") => {
                let arguments = node.field("arguments")?;
                let held = self.of(arguments.named_child(0)?, depth)?;
                chain::instance(&format!("Option<{}>", type_of_value(&held)?))
            }
            "identifier" if function.kind_name() == "generic_function" => {
                let name = self.of(plain, depth)?;
                let written = function.field("type_arguments").map(|of| self.visit.bytes(of));
                let generic = written.and_then(|of| tokens::generic_name(&name, of));
                chain::called(generic.or(Some(name)))
            }
            "identifier" if self.visit.bytes(plain) == b"Err" => None,
            "identifier" if self.visit.bytes(plain) == b"Self" => chain::instance("Self"),
            _ => chain::called(self.of(plain, depth)),
        }
    }

    /// Returns the chain of `value.map(|part| …)` or `value.and_then(|part| …)`: the result of the
    /// closure, if it can be computed without the closure's parameters.
    fn mapped(&self, node: Node<'_>, name: &[u8], value: Option<Chain>) -> Option<Chain> {
        let unknown = || chain::called(chain::member(value.clone(), name));
        let arguments = node.field("arguments")?;
        let closure =
            arguments.named_child(0).filter(|first| first.kind_name() == "closure_expression");
        let Some(closure) = closure else { return unknown() };
        // A function may have such a method by a trait: `parser.map(|it| …)`.
        let is_function = value.as_ref().is_some_and(|value| {
            value.as_path().is_some_and(|path| !path.starts_with(char::is_uppercase))
        });
        if is_function {
            return unknown();
        }
        let parameters = closure.field("parameters")?;
        let body = closure.field("body")?;
        // The methods of the standard library pass one value.
        if parameters.named_child_count() != 1 {
            return unknown();
        }
        let Some(given) = self.of(body, DEPTH_MAX / 2) else { return unknown() };
        let first = parameters.named_child(0);
        let root = given.root_name().unwrap_or_default().as_bytes();
        let is_own = first.is_some_and(|first| self.visit.bytes(first) == root);
        match name {
            b"and_then" if is_own => {
                let content = chain::yielded(value, Protocol::Unwrap);
                content.map(|content| given.with_root(content))
            }
            b"and_then" => Some(given),
            _ => match type_of_value(&given) {
                Some(of) if !is_own && is_known(of) => chain::instance(&format!("Iterator<{of}>")),
                _ => unknown(),
            },
        }
    }

    /// Returns the chain of the only argument of a macro.
    fn in_macro(&self, node: Node<'_>) -> Option<Chain> {
        let mut lists = (0..4).filter_map(|at| node.named_child(at));
        let list = lists.find(|token| token.kind_name() == "token_tree")?;
        let text = self.visit.bytes(list);
        let text = text.get(1..text.len().checked_sub(1)?)?.trim_ascii();
        let text = text.strip_prefix(b"&").unwrap_or(text);
        tokens::chain_of(self.notes, text.strip_prefix(b"mut ").unwrap_or(text))
    }

    /// Returns the chain of a tuple; parts of unknown type are `_`.
    fn tuple(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let parts = (0..types::ARGUMENTS_MAX).map_while(|at| node.named_child(at));
        let parts: Vec<String> = parts.map(|part| self.type_of(part, depth)).collect();
        chain::instance(&format!("tuple<{}>", parts.join(",")))
    }

    /// Returns the chain of a range of the standard library: `start..end`.
    fn range(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let operator = (0..2).filter_map(|at| node.child(at)).find(|part| !part.is_named())?;
        let (has_start, has_end) =
            (operator.start_byte() > node.start_byte(), operator.end_byte() < node.end_byte());
        let name = tokens::range_type(has_start, has_end, self.visit.bytes(operator))?;
        let bound =
            node.named_child(0).map_or_else(|| "_".to_owned(), |of| self.type_of(of, depth));
        chain::instance(&format!("{name}<{bound}>"))
    }

    /// Returns the chain of an array: `[first, second]`, `[value; length]`.
    fn array(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let first =
            node.named_child(0).map_or_else(|| "_".to_owned(), |of| self.type_of(of, depth));
        chain::instance(&format!("slice<{first}>"))
    }

    /// Returns the type of an expression as it is written in arguments; `_` if it is unknown.
    fn type_of(&self, node: Node<'_>, depth: usize) -> String {
        let value = self.of(node, depth);
        value.as_ref().and_then(type_of_value).unwrap_or("_").to_owned()
    }

    /// Returns the chain of `vec![Type::new(), …]`.
    fn vec_macro(&self, node: Node<'_>) -> Option<Chain> {
        let tokens = (0..4).filter_map(|at| node.named_child(at));
        let mut lists = tokens.filter(|token| token.kind_name() == "token_tree");
        let text = self.visit.bytes(lists.next()?);
        let text = text.get(1..text.len().checked_sub(1)?)?;
        let mut depth = 0_usize;
        let end = text.iter().take(CHAIN_BYTES_MAX).position(|byte| {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && matches!(byte, b',' | b';')
        });
        let first = code_text::chain_of(self.notes, &text[..end.unwrap_or(text.len())])?;
        chain::instance(&format!("Vec<{}>", type_of_value(&first)?))
    }

    /// Returns the chain of `collect::<Type>()` and similar calls.
    fn turbofish(&self, function: Node<'_>, name: &[u8]) -> Option<Chain> {
        if function.kind_name() != "generic_function" {
            return None;
        }
        let of = function.field("type_arguments")?.named_child(0)?;
        match name {
            b"collect" | b"into" | b"sum" | b"product" => {
                types::value_of(self.visit, self.notes, of)
            }
            b"parse" | b"downcast_ref" | b"downcast" | b"try_into" => {
                chain::instance(&format!("Option<{}>", types::name_of(self.visit, self.notes, of)?))
            }
            _ => None,
        }
    }

    /// Returns the chain of a block's last expression, if it names a type.
    fn last_of(&self, block: Node<'_>, depth: usize) -> Option<Chain> {
        let last =
            block.named_child(u32::try_from(block.named_child_count()).ok()?.checked_sub(1)?)?;
        let is_value = !last.kind_name().ends_with("_statement")
            && !last.kind_name().ends_with("_declaration")
            && !last.kind_name().ends_with("_item")
            && !last.kind_name().ends_with("_comment");
        self.of(last, depth).filter(|chain| is_value && names_type(chain))
    }

    /// Returns the chain of the first arm of a `match` whose value names a type.
    fn first_arm(&self, body: Node<'_>, depth: usize) -> Option<Chain> {
        let arms = (0..ARMS_MAX).map_while(|at| body.named_child(at));
        arms.filter_map(|arm| self.of(arm.field("value")?, depth)).find(names_type)
    }

    /// Returns the chain of `match of { Some(value) => value, … }`, or of an arm that names a type.
    fn matched(&self, node: Node<'_>, depth: usize) -> Option<Chain> {
        let value = node.field("value")?;
        let body = node.field("body")?;
        for arm in (0..3).map_while(|at| body.named_child(at)) {
            let Some(pattern) = arm.field("pattern") else { continue };
            let Some(pattern) = pattern.named_child(0) else { continue };
            let bound = pattern.named_child(1);
            let Some(given) = arm.field("value") else { continue };
            let is_given =
                bound.is_some_and(|bound| self.visit.bytes(bound) == self.visit.bytes(given));
            if is_given
                && pattern.kind_name() == "tuple_struct_pattern"
                && given.kind_name() == "identifier"
            {
                return chain::yielded(self.of(value, depth), Protocol::Unwrap);
            }
        }
        self.first_arm(body, depth)
    }
}
