//! References of Python: the role of each name, and its receiver.
//!
//! `chain` computes chains of values, `annotation` those of annotations; `names` declares local
//! names.

use std::ops::Range;

use tree_sitter::Node;

use crate::lang::chain::{Step, TypeText};
use crate::lang::code_text::is_name;
use crate::lang::facts::{Chain, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::{annotation, chain, fixtures, imports, names};

/// The most levels above a name that determine its role.
const LEVELS_MAX: usize = 8;

/// Maximum number of nodes of a union.
const UNION_NODES_MAX: usize = 32;

/// Maximum number of decorators of one function.
const DECORATORS_MAX: usize = 8;

pub(super) fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "identifier" => identifier(visit, notes),
        "function_definition" => function(visit, notes),
        "class_definition" => class(visit, notes),
        "assignment" => assignment(visit, notes),
        "type_alias_statement" => type_alias(visit, notes),
        "augmented_assignment" => augmented(visit, notes),
        "return_statement" => returned(visit, notes),
        "yield" => yielded(visit, notes),
        "lambda" => names::lambda(visit, notes),
        "for_statement" => {
            names::widen(visit, notes);
            names::loop_variables(visit, notes, node, false);
        }
        "list_comprehension"
        | "set_comprehension"
        | "dictionary_comprehension"
        | "generator_expression" => names::comprehension(visit, notes),
        "named_expression" => names::named(visit, notes),
        "as_pattern" => names::as_pattern(visit, notes),
        "except_clause" => names::exception(visit, notes),
        "case_pattern" => names::case_pattern(visit, notes),
        "global_statement" => names::global(visit, notes),
        "nonlocal_statement" => names::nonlocal(visit, notes),
        "if_statement" | "elif_clause" | "assert_statement" | "while_statement" => {
            if node.kind_name() == "while_statement" {
                names::widen(visit, notes);
            }
            names::narrow(visit, notes);
        }
        "boolean_operator" => names::narrow_operand(visit, notes),
        "import_statement" => imports::modules(visit, notes),
        "import_from_statement" => imports::names(visit, notes),
        "call" => {
            imports::dynamic(visit, notes);
            named_member(visit, notes);
        }
        _ => {}
    }
}

/// Returns true if the visited node is in a function, and not in a class inside of it.
pub(super) fn is_in_function(visit: &Visit<'_, '_>) -> bool {
    let kind = visit.enclosing_kind();
    kind.is_some_and(|kind| kind.is_callable() || kind == SymbolKind::Property)
}

fn function(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    names::parameters(visit, notes);
    let Some(index) = visit.own_or_enclosing_index() else { return };
    decorators(visit, notes, index);
    let Some(annotated) = node.field("return_type") else { return };
    let Some(chain) = annotation::chain(visit, annotated) else { return };
    let is_async = node.child(0).is_some_and(|word| word.kind_name() == "async");
    let result = |chain: Chain| {
        let of = chain.written_type().unwrap_or_else(|| TypeText::of(""));
        // What a fixture yields is its value.
        let is_generator =
            ["Iterator", "Generator", "AsyncIterator", "AsyncGenerator"].contains(&of.name());
        let first = of.argument(0);
        match first.filter(|_| is_generator && fixtures::is_in_fixture(visit)) {
            Some(first) => first.value(),
            None if is_async && !of.path().starts_with("Async") => annotation::awaitable(chain),
            None => chain,
        }
    };
    notes.set_type(index, chain.each_alternative(result));
}

/// Decorators of the standard library after which a function has the same members.
const TRANSPARENT: &[&[u8]] = &[
    b"abc.abstractmethod",
    b"abstractmethod",
    b"asyncio.coroutine",
    b"cached_property",
    b"classmethod",
    b"contextlib.asynccontextmanager",
    b"contextlib.contextmanager",
    b"contextmanager",
    b"functools.cached_property",
    b"functools.wraps",
    b"overload",
    b"override",
    b"property",
    b"staticmethod",
    b"t.overload",
    b"typing.overload",
    b"wraps",
];

/// Records what the decorators of the visited function make of it, the outermost first.
fn decorators(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, index: usize) {
    let Some(decorated) = visit.ancestor(1).filter(|it| it.kind_name() == "decorated_definition")
    else {
        return;
    };
    let mut cursor = decorated.walk();
    let decorators = decorated.children(&mut cursor).take_while(|it| it.kind_name() == "decorator");
    for decorator in decorators.take(DECORATORS_MAX) {
        let Some(value) = decorator.named_child(0) else { continue };
        let name = chain::call(value).map_or(value, |(function, _)| function);
        if TRANSPARENT.contains(&&visit.text[name.byte_range()]) {
            continue;
        }
        if let Some(of) = chain::value(visit, notes, value) {
            notes.add_base(index, of.then(Step::Call));
        }
    }
}

fn class(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(index) = visit.own_or_enclosing_index() else { return };
    let Some(bases) = visit.node().field("superclasses") else { return };
    let mut cursor = bases.walk();
    for base in bases.named_children(&mut cursor).take(32) {
        if let Some(tuple) = base_tuple(visit, base) {
            notes.add_base(index, tuple);
        } else if let Some(chain) = chain::value(visit, notes, base) {
            notes.add_base(index, chain.type_of());
        }
    }
}

/// Returns a base that is a tuple with the types of its parts: `tuple[A, B]`.
fn base_tuple(visit: &Visit<'_, '_>, base: Node<'_>) -> Option<Chain> {
    let name = base.child(0).filter(|_| base.kind_name() == "subscript")?;
    let last = visit.text[name.byte_range()].rsplit(|byte| *byte == b'.').next()?;
    let is_tuple = matches!(last, b"tuple" | b"Tuple");
    let written = annotation::chain(visit, base).filter(|of| is_tuple && of.several().is_none())?;
    Some(written.type_of())
}

fn returned(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let (Some(index), Some(value)) = (visit.own_or_enclosing_index(), visit.node().named_child(0))
    else {
        return;
    };
    if !is_in_function(visit) {
        return;
    }
    if let Some(chain) = chain::value(visit, notes, value) {
        let signature = visit.symbols.get(index).map_or("", |symbol| symbol.signature.as_str());
        let is_async = signature.starts_with("async");
        notes.add_value(index, Some(if is_async { annotation::awaitable(chain) } else { chain }));
    }
}

fn yielded(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let (Some(index), Some(value)) = (visit.own_or_enclosing_index(), visit.node().named_child(0))
    else {
        return;
    };
    let is_from = visit.node().child(1).is_some_and(|word| word.kind_name() == "from");
    if !is_in_function(visit) || is_from {
        return;
    }
    let chain = chain::value(visit, notes, value);
    if fixtures::is_in_fixture(visit) {
        if chain.is_some() {
            notes.add_value(index, chain);
        }
        return;
    }
    let class = |of: &Chain| chain::class_of(of).map(str::to_owned);
    if let Some(of) = Chain::one_of_types([chain], class) {
        notes.add_value(index, Some(annotation::with_arguments("Iterator", &[Some(of)])));
    }
}

fn assignment(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(left) = node.field("left") else { return };
    let right = node.field("right");
    let annotated = node.field("type");
    let known = match annotated {
        Some(annotated) if is_alias(visit, annotated) => right.and_then(|of| aliased(visit, of)),
        Some(annotated) => annotation::chain(visit, annotated),
        // `Name = A | B`
        None => right.filter(|of| is_union(visit, *of)).and_then(|of| annotation::chain(visit, of)),
    };
    if left.kind_name() == "identifier" {
        notes.set_literal(left, right.and_then(chain::literal));
    }
    match left.kind_name() {
        // A lambda that is a definition.
        "identifier"
            if right.is_some_and(|right| right.kind_name() == "lambda")
                && !visit.defined.is_empty()
                && matches!(notes.local(visit.bytes(left)), NameLookup::NotLocal) => {}
        "identifier" if names::is_local_here(visit, notes, left) => {
            if right.is_some_and(|right| imports::is_dynamic(visit, right)) {
                return;
            }
            let is_annotated = known.is_some();
            let known = known.or_else(|| captured(visit, chain::value(visit, notes, right?)));
            let is_empty = right.is_none_or(chain::is_empty);
            let before = notes.local(&visit.text[left.byte_range()]);
            // `None` does not override a known value.
            let was_known = matches!(before, NameLookup::Local(Some(_)));
            let was_local = matches!(before, NameLookup::Local(_));
            match names::end_of_branch(visit).filter(|_| was_local && !is_annotated) {
                Some(end) if !is_empty => {
                    notes.assign_in_branch(left, known, node.end_byte(), end);
                }
                _ if is_empty && !was_known && !is_annotated => {
                    notes.declare_unset(left, node.end_byte());
                }
                _ if known.is_some() || !was_known || !is_empty => {
                    notes.declare_from(left, known, node.end_byte());
                }
                _ => {}
            }
        }
        "identifier" => {
            let value = right.and_then(|right| chain::value(visit, notes, right));
            let is_empty = right.is_none_or(chain::is_empty);
            match (visit.defined.clone().next(), visit.enclosing_index()) {
                (Some(index), _) => match known {
                    Some(known) => notes.set_type(index, known),
                    None if value.is_some() => notes.add_value(index, value),
                    None => {}
                },
                // Python's `global`.
                (None, Some(_)) if notes.is_outer(&visit.text[left.byte_range()]) => {
                    if !is_empty {
                        notes.reassign_outer(left, known.or(value));
                    }
                }
                (None, Some(owner)) => {
                    if let Some(value) = value {
                        notes.add_member(owner, left, value);
                    }
                }
                (None, None) if !is_empty => notes.reassign_outer(left, known.or(value)),
                (None, None) => {}
            }
        }
        "attribute" => {
            let owner = super::attribute_owner(visit, left);
            match (owner, known) {
                (Some((owner, name)), Some(known)) => notes.set_member(owner, name, known),
                (Some((owner, name)), None) => {
                    let value = right.and_then(|right| chain::value(visit, notes, right));
                    if let Some(value) = value {
                        notes.add_member(owner, name, value);
                    }
                }
                (None, _) => {}
            }
        }
        "pattern_list" | "tuple_pattern" | "list_pattern" => {
            names::unpack(visit, notes, left, right, node.end_byte());
        }
        _ => {}
    }
}

/// `name += value`
fn augmented(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(left), Some(operator)) = (node.field("left"), node.field("operator")) else { return };
    notes.set_literal(left, None);
    if left.kind_name() != "identifier" || !names::is_local_here(visit, notes, left) {
        return;
    }
    let NameLookup::Local(Some(before)) = notes.local(&visit.text[left.byte_range()]) else {
        return;
    };
    let before = before.clone();
    let after = chain::augmented(&before, operator.kind_name());
    if after.as_ref() == Some(&before) {
        return;
    }
    match names::end_of_branch(visit) {
        Some(end) => notes.assign_in_branch(left, after, node.end_byte(), end),
        None => notes.declare_from(left, after, node.end_byte()),
    }
}

/// Returns true for the annotation of a variable that is another name of a type.
fn is_alias(visit: &Visit<'_, '_>, annotated: Node<'_>) -> bool {
    let text = visit.text[annotated.byte_range()].trim_ascii();
    text.rsplit(|byte| *byte == b'.').next() == Some(b"TypeAlias")
}

/// Returns true for a union of types by its form: `A | B`, `Union[A, B]`.
fn is_union(visit: &Visit<'_, '_>, of: Node<'_>) -> bool {
    let name = |node: Node<'_>| {
        let path = visit.text[node.byte_range()].rsplit(|byte| *byte == b'.');
        path.take(1).next().unwrap_or_default()
    };
    let mut rest = vec![of];
    for level in 0..UNION_NODES_MAX {
        let Some(node) = rest.pop() else { return level > 1 };
        match node.kind_name() {
            "subscript" if level == 0 => {
                return node.child(0).is_some_and(|of| matches!(name(of), b"Union" | b"Optional"));
            }
            "binary_operator" if node.child(1).is_some_and(|sign| sign.kind_name() == "|") => {
                rest.extend((0..2).filter_map(|at| node.named_child(at)));
            }
            "none" | "string" | "subscript" if level > 0 => {}
            "identifier" | "attribute" => {
                let name = name(node);
                let is_constant = name.len() > 1 && !name.iter().any(u8::is_ascii_lowercase);
                if is_constant || !name.first().is_some_and(u8::is_ascii_uppercase) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    false
}

/// Returns the chain of a value of the type that such a variable is assigned; a class by its name is
/// the class itself.
fn aliased(visit: &Visit<'_, '_>, of: Node<'_>) -> Option<Chain> {
    let is_name = matches!(of.kind_name(), "identifier" | "attribute");
    annotation::chain(visit, of).filter(|_| !is_name)
}

/// Records the target of `type Name = …`.
fn type_alias(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let target = visit.node().field("right").and_then(|of| annotation::chain(visit, of));
    if let (Some(index), Some(target)) = (visit.defined.clone().next(), target) {
        notes.set_type(index, target);
    }
}

/// Returns the chain of the value of a local variable. One that is the instance itself is one of its
/// class, since a method of a class inside of the function may use it.
fn captured(visit: &Visit<'_, '_>, value: Option<Chain>) -> Option<Chain> {
    let of_class = value.as_ref().filter(|it| **it == Chain::own()).and_then(|_| {
        let class = chain::own_class(visit, visit.own_or_enclosing_index())?;
        Some(class.instance_of())
    });
    of_class.or(value)
}

fn identifier(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(around) = visit.ancestor(1) else { return };
    let is_first = node.start_byte() == around.start_byte();
    match around.kind_name() {
        "attribute" if !is_first => return member(visit, notes, node, around),
        "keyword_argument" if is_first => return keyword(visit, notes),
        "keyword_pattern" if is_first => return key_of_pattern(visit, notes),
        "function_definition"
        | "class_definition"
        | "aliased_import"
        | "global_statement"
        | "nonlocal_statement"
        | "typed_parameter"
        | "parameters"
        | "lambda_parameters"
        | "dictionary_splat_pattern"
        | "list_splat_pattern"
        | "keyword_pattern"
        | "as_pattern_target"
        | "pattern_list"
        | "tuple_pattern"
        | "list_pattern"
        | "splat_pattern" => return,
        "default_parameter" | "typed_default_parameter" | "for_statement" | "named_expression"
            if is_first || is_target(node, around) =>
        {
            return;
        }
        "for_in_clause" if is_target(node, around) => return,
        "dotted_name" => return dotted(visit, notes),
        "assignment" if is_first => {
            let is_definition = visit
                .own_or_enclosing_index()
                .and_then(|index| visit.symbols.get(index))
                .is_some_and(|symbol| symbol.name_span == node.byte_range());
            if is_definition || names::is_local_at(visit, notes, node, 1) {
                return;
            }
        }
        _ => {}
    }
    let name = &visit.text[node.byte_range()];
    if let Some((receiver, count)) = own_class(visit, notes, node) {
        return notes.call(visit, node, Some(receiver), count);
    }
    let receiver = match notes.local(name) {
        NameLookup::NotLocal => None,
        // A local variable with the name of the member that it holds is a use of that member.
        NameLookup::Local(chain) => match chain.and_then(Chain::split_member) {
            Some((receiver, last)) if last.as_bytes() == name => Some(receiver),
            _ => return,
        },
    };
    if receiver.is_none() && name == b"super" {
        return;
    }
    note(visit, notes, node, 1, receiver);
}

/// Returns the class of the enclosing instance and the number of arguments, if the visited name makes a
/// value of that class: `cls(…)`, `type(self)(…)`.
fn own_class(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<(Chain, usize)> {
    let of_level = |level: usize| {
        let call = visit.ancestor(level).filter(|call| call.kind_name() == "call")?;
        let inner = visit.ancestor(level - 1)?;
        call.child(0).is_some_and(|function| function.id() == inner.id()).then_some(call)
    };
    let call = of_level(1)?;
    let (class, call) = match (&visit.text[node.byte_range()], notes.local(b"cls")) {
        (b"cls", NameLookup::Local(Some(class))) => (class.clone(), call),
        (b"type", _) => (chain::value(visit, notes, call)?, of_level(2)?),
        _ => return None,
    };
    let arguments = call.field("arguments")?;
    let count = match arguments.kind_name() {
        "argument_list" => arguments.element_count(),
        _ => 1,
    };
    (class == chain::class_of_own()).then_some((class, count))
}

/// Returns true if `node` is the variable of a loop.
fn is_target(node: Node<'_>, around: Node<'_>) -> bool {
    around.field("left").is_some_and(|left| left.id() == node.id())
}

fn member(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, node: Node<'_>, attribute: Node<'_>) {
    let receiver = attribute.child(0).and_then(|object| chain::value(visit, notes, object));
    note(visit, notes, node, 2, crate::lang::chain::receiver(receiver));
}

/// Records the field that a keyword of a call of a class sets: `Config(name=1)`.
fn keyword(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let call = visit.ancestor(3).filter(|call| call.kind_name() == "call");
    let Some(function) = call.and_then(|call| call.child(0)) else { return };
    let written = &visit.text[function.byte_range()];
    let last = written.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    if !is_type_name(last) {
        return;
    }
    if let Some(of) = chain::value(visit, notes, function) {
        notes.refer(visit, visit.node(), Role::Write, Some(of.then(Step::Call)));
    }
}

/// Records the attribute that a keyword of a pattern reads: `case Config(name=1)`.
fn key_of_pattern(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let levels = (2..5).find(|&level| visit.ancestor_kind(level) == "class_pattern");
    let class = levels.and_then(|level| visit.ancestor(level)?.named_child(0));
    if let Some(class) = class {
        let of = Chain::name(visit.text_of(class));
        notes.refer(visit, visit.node(), Role::Read, Some(of.then(Step::Call)));
    }
}

/// Records the member that `getattr(value, "name")` reads or calls.
fn named_member(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let is_getattr = node.child(0).is_some_and(|of| &visit.text[of.byte_range()] == b"getattr");
    let Some(arguments) = node.field("arguments").filter(|_| is_getattr) else { return };
    let (Some(of), Some(name)) = (arguments.named_child(0), arguments.named_child(1)) else {
        return;
    };
    let is_name = |span: &Range<usize>| visit.text[span.clone()].iter().all(|&byte| is_name(byte));
    if chain::literal(name).filter(is_name).is_none() {
        return;
    }
    let Some(name) = name.named_child(1) else { return };
    let receiver = chain::value(visit, notes, of);
    note(visit, notes, name, 1, crate::lang::chain::receiver(receiver));
}

/// Records a dotted name outside of imports, which is a pattern of `match`.
fn dotted(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let (Some(name), node) = (visit.ancestor(1), visit.node()) else { return };
    let role = match visit.ancestor_kind(2) {
        "class_pattern" => Role::Type,
        "case_pattern" if name.named_child_count() > 1 => Role::Read,
        _ => return,
    };
    if node.start_byte() == name.start_byte() {
        return notes.refer(visit, node, role, None);
    }
    let before = &visit.text[name.start_byte()..node.start_byte()];
    let before = String::from_utf8_lossy(before).trim_end_matches(['.', ' ']).to_owned();
    notes.refer(visit, node, role, Some(Chain::name(before)));
}

/// Records a use of `name`; the ancestor at `level` and those above determine its role.
fn note(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    name: Node<'_>,
    level: usize,
    receiver: Option<Chain>,
) {
    let level = called_level(visit, name, level);
    let (Some(inner), Some(outer)) = (visit.ancestor(level - 1), visit.ancestor(level)) else {
        return;
    };
    let is_first = inner.start_byte() == outer.start_byte();
    match outer.kind_name() {
        "call" if is_first => {
            let arguments = outer.field("arguments");
            let count = arguments.map_or(0, |arguments| match arguments.kind_name() {
                "argument_list" => arguments.element_count(),
                _ => 1,
            });
            notes.call(visit, name, receiver, count);
        }
        "decorator" => {
            notes.refer_span(visit, name.byte_range(), Role::Call, receiver, None);
        }
        "assignment" | "augmented_assignment" | "for_statement" if is_first => {
            notes.refer(visit, name, Role::Write, receiver);
        }
        "pattern_list" | "tuple_pattern" | "list_pattern" | "delete_statement" => {
            notes.refer(visit, name, Role::Write, receiver);
        }
        _ => {
            let role = role(visit, level);
            notes.refer(visit, name, role, receiver);
        }
    }
}

/// Returns the level of the call in `(f)()` and `Type[A]()`, where that of the expression around `f` is
/// `level`; otherwise `level`.
fn called_level(visit: &Visit<'_, '_>, name: Node<'_>, level: usize) -> usize {
    let is_type = is_type_name(&visit.text[name.byte_range()]);
    let is_around = |at: &usize| match visit.ancestor_kind(*at) {
        "parenthesized_expression" => true,
        "subscript" => is_type && visit.field_above(*at - 1) == "value",
        _ => false,
    };
    let outer = level + (level..level + LEVELS_MAX).take_while(is_around).count();
    let is_callee =
        visit.ancestor_kind(outer) == "call" && visit.field_above(outer - 1) == "function";
    if is_callee { outer } else { level }
}

/// Returns true for a name in the form of types, and not in that of constants.
fn is_type_name(name: &[u8]) -> bool {
    let first = name.iter().find(|byte| **byte != b'_');
    first.is_some_and(u8::is_ascii_uppercase) && name.iter().any(u8::is_ascii_lowercase)
}

/// Returns the role of an expression that is not called and is below the ancestor at `level`.
fn role(visit: &Visit<'_, '_>, level: usize) -> Role {
    let mut is_argument = false;
    for level in level..level + LEVELS_MAX {
        match visit.ancestor_kind(level) {
            "type" | "generic_type" | "union_type" | "member_type" | "except_clause" => {
                return Role::Type;
            }
            "argument_list" if visit.ancestor_kind(level + 1) == "class_definition" => {
                // A type argument of a base is not a base.
                return if is_argument { Role::Type } else { Role::Base };
            }
            "subscript" => is_argument |= visit.field_above(level - 1) == "subscript",
            "attribute" | "binary_operator" | "list" | "tuple" | "as_pattern" => {}
            _ => return Role::Read,
        }
    }
    Role::Read
}
