//! JavaScript local names: parameters, variables, destructuring patterns, loops, `catch`.

use tree_sitter::Node;

use crate::lang::chain::{Parameter, Protocol, Step};
use crate::lang::facts::{Chain, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

use super::{chain, doc, expected, imports, is_function, types};
use crate::lang::grammars::loops;

/// Maximum number of names in one pattern.
const NAMES_MAX: usize = 256;

/// Declares the parameters of the visited function, and the name of a function expression, which is
/// visible only inside it.
pub(super) fn function(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if matches!(node.kind_name(), "function_expression" | "generator_function")
        && let Some(name) = node.field("name")
    {
        notes.declare(name, None);
    }
    types::declare_parameters(visit, notes);
    let parameters = node.field("parameters");
    let has_untyped = node.field("parameter").is_some() || parameters.is_some_and(has_untyped);
    let has_this = has_unknown_this(visit);
    let expected = if has_untyped || has_this { expected::expected(visit, notes) } else { None };
    if has_this {
        let this = bound_this(visit, notes);
        let this = this.or_else(|| callback_argument(expected.as_ref(), Parameter::This));
        notes.declare_name(b"this", Some(this.unwrap_or_else(Chain::unknown)));
    }
    let argument = |notes: &Notes<'_>, at: usize| {
        element_argument(visit, notes, at)
            .or_else(|| callback_argument(expected.as_ref(), at.into()))
    };
    let given = argument(notes, 0);
    if let Some(name) = node.field("parameter") {
        return notes.declare(name, given);
    }
    let Some(parameters) = parameters else { return };
    let comment = if has_untyped { doc::comment(visit) } else { String::new() };
    let documented = |parameter: Node<'_>| {
        let name = parameter.field("left").unwrap_or(parameter);
        let name = Some(name).filter(|name| name.kind_name() == "identifier")?;
        doc::tagged(&comment, &["@param"], Some(&visit.text_of(name)))
    };
    let mut cursor = parameters.walk();
    for (at, parameter) in parameters.named_children(&mut cursor).take(NAMES_MAX).enumerate() {
        let is_this =
            parameter.field("pattern").is_some_and(|pattern| pattern.kind_name() == "this");
        if is_this && let Some(pattern) = parameter.field("pattern") {
            notes.declare(pattern, types::annotated(visit, notes, parameter));
            continue;
        }
        let given = if at == 0 { given.clone() } else { argument(notes, at) };
        match parameter.kind_name() {
            "required_parameter" | "optional_parameter" => {
                let Some(pattern) = parameter.field("pattern") else { continue };
                let chain = types::annotated(visit, notes, parameter);
                let default = parameter.field("value");
                let chain = chain.or_else(|| with_default(visit, notes, given, default));
                declare(visit, notes, pattern, chain, None);
            }
            _ => match documented(parameter) {
                Some(chain) => {
                    let name = parameter.field("left").unwrap_or(parameter);
                    notes.declare(name, Some(chain));
                }
                None => declare(visit, notes, parameter, given, None),
            },
        }
    }
}

/// Declares that `this` is the instance of the visited class, where it is something else around.
pub(super) fn own_instance(notes: &mut Notes<'_>) {
    if matches!(notes.local(b"this"), NameLookup::Local(_)) {
        notes.declare_name(b"this", Some(Chain::own()));
    }
}

/// Returns true if the caller of the visited function determines its `this`: a function that is an
/// argument or a member of an object, and no definition itself.
fn has_unknown_this(visit: &Visit<'_, '_>) -> bool {
    if !visit.defined.is_empty() {
        return false;
    }
    match visit.node().kind_name() {
        "method_definition" => visit.ancestor_kind(1) == "object",
        "function_expression" | "generator_function" => {
            let mut level = 1;
            while visit.ancestor_kind(level) == "parenthesized_expression" && level < 4 {
                level += 1;
            }
            match visit.ancestor_kind(level) {
                "arguments" | "array" | "return_statement" | "arrow_function"
                | "call_expression" | "member_expression" => true,
                "pair" => {
                    let span = visit.ancestor(level).map(|pair| pair.byte_range());
                    let own = visit.own_or_enclosing_index().and_then(|at| visit.symbols.get(at));
                    own.zip(span).is_none_or(|(symbol, pair)| symbol.span.start < pair.start)
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// Returns the `this` that the visited function is bound to: `f.bind(a)`, `f.call(a)`, `each(f, this)`.
fn bound_this(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let mut level = 1;
    while visit.ancestor_kind(level) == "parenthesized_expression" && level < 4 {
        level += 1;
    }
    let around = visit.ancestor(level)?;
    match around.kind_name() {
        "member_expression" => {
            let name = visit.bytes(around.field("property")?);
            let call =
                visit.ancestor(level + 1).filter(|it| it.kind_name() == "call_expression")?;
            let first = call.field("arguments")?.named_child(0)?;
            let is_bound = matches!(name, b"bind" | b"call" | b"apply");
            is_bound.then(|| chain::value(visit, notes, first)).flatten()
        }
        "arguments" => {
            let last = around.named_child(around.named_child_count().checked_sub(1)? as u32)?;
            let is_this = last.kind_name() == "this";
            is_this.then(|| chain::value(visit, notes, last)).flatten()
        }
        _ => None,
    }
}

/// Returns true if a parameter of a list has no written type.
fn has_untyped(parameters: Node<'_>) -> bool {
    let mut cursor = parameters.walk();
    parameters
        .named_children(&mut cursor)
        .take(NAMES_MAX)
        .any(|parameter| parameter.field("type").is_none())
}

/// Returns the chain of a parameter of a function, where one with the chain `expected` is
/// expected.
fn callback_argument(expected: Option<&Chain>, parameter: Parameter) -> Option<Chain> {
    expected.map(|expected| expected.clone().then(Step::Parameter(parameter)))
}

/// Returns the chain of the argument `at` of the visited function, if it is passed to a method that
/// calls it with each element.
fn element_argument(visit: &Visit<'_, '_>, notes: &Notes<'_>, at: usize) -> Option<Chain> {
    if at > 1 || visit.ancestor_kind(1) != "arguments" {
        return None;
    }
    let called = visit.ancestor(2).filter(|call| call.kind_name() == "call_expression")?;
    let function = called.child(0).filter(|called| called.kind_name() == "member_expression")?;
    let name = visit.bytes(function.field("property")?);
    let calls_with_each: [&[u8]; 10] = [
        b"map",
        b"forEach",
        b"filter",
        b"find",
        b"some",
        b"every",
        b"flatMap",
        b"findIndex",
        b"sort",
        b"then",
    ];
    let is_first = visit.ancestor(1)?.named_child(0)?.id() == visit.node().id();
    if is_first && matches!(name, b"reduce" | b"reduceRight") {
        // What was made so far, and an element.
        return match visit.ancestor(1)?.named_child(1).filter(|_| at == 0) {
            Some(first) => chain::value(visit, notes, first),
            None => {
                let of = chain::value(visit, notes, function.child(0)?)?;
                Some(of.then(Step::Yield(Protocol::Iterate)))
            }
        };
    }
    if at > 0 || !is_first || !calls_with_each.contains(&name) {
        return None;
    }
    let protocol = match name {
        b"then" => Protocol::Await,
        // Of a map, each value.
        b"forEach" => Protocol::Index,
        _ => Protocol::Iterate,
    };
    Some(chain::value(visit, notes, function.child(0)?)?.then(Step::Yield(protocol)))
}

/// Returns the chain of a parameter or part of a pattern with a default value: that of either.
fn with_default(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    given: Option<Chain>,
    default: Option<Node<'_>>,
) -> Option<Chain> {
    let Some(default) = default.filter(|default| !chain::is_empty(*default)) else { return given };
    Chain::one_of([given, chain::value(visit, notes, default)])
}

/// Declares the names that a `var`, `let` or `const` binds, unless they are symbols.
pub(super) fn variable(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(name) = node.field("name") else { return };
    let given = node.field("value");
    let documented = || doc::tagged(&doc::comment(visit), &["@type"], None);
    let is_plain = name.kind_name() == "identifier"
        && given.is_none_or(|given| !is_function(super::bare(given)));
    let annotated =
        types::annotated(visit, notes, node).or_else(|| is_plain.then(documented).flatten());
    let is_annotated = annotated.is_some();
    let chain = annotated.or_else(|| chain::value(visit, notes, given?));
    if name.kind_name() == "identifier" {
        notes.set_literal(name, given.and_then(chain::literal));
    }
    let mut defined = visit.defined.clone();
    let symbol =
        defined.find(|&at| visit.symbols.get(at).is_some_and(|s| s.name_span == name.byte_range()));
    if let Some(index) = symbol {
        let is_value = given.is_none_or(|given| !is_function(super::bare(given)));
        match chain.filter(|_| is_value) {
            Some(chain) if is_annotated => notes.set_type(index, chain),
            Some(chain) => notes.add_value(index, Some(chain)),
            None => {}
        }
        return;
    }
    if given.is_some_and(|given| imports::binds(visit, given)) {
        return;
    }
    let is_set = given.is_some_and(|given| !chain::is_empty(given));
    if name.kind_name() == "identifier" && !is_set && !is_annotated {
        if visit.ancestor_kind(2) == "for_in_statement" {
            notes.declare_from(name, None, node.end_byte());
        } else {
            notes.declare_unset(name, node.end_byte());
        }
        return;
    }
    declare(visit, notes, name, chain, Some(node.end_byte()));
}

/// Declares the variable of a `for … of` or `for … in` for its body.
pub(super) fn for_in(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(left), Some(right), Some(_)) =
        (node.field("left"), node.field("right"), node.field("kind"))
    else {
        return;
    };
    let is_of = node.field("operator").is_some_and(|word| word.kind_name() == "of");
    let chain = if is_of {
        chain::value(visit, notes, right).map(|chain| chain.then(Step::Yield(Protocol::Iterate)))
    } else {
        Some(Chain::instance("string"))
    };
    declare(visit, notes, left, chain, Some(right.end_byte()));
}

/// Declares the parameter of a `catch`.
pub(super) fn catch(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if let Some(parameter) = visit.node().field("parameter") {
        declare(visit, notes, parameter, None, None);
    }
}

/// Records the value that the visited assignment gives a local variable.
pub(super) fn assigned(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return;
    };
    if matches!(left.kind_name(), "array_pattern" | "object_pattern") {
        read_keys(visit, notes, left, right);
        return assigned_parts(visit, notes, left, right);
    }
    if left.kind_name() != "identifier" {
        return;
    }
    notes.set_literal(left, chain::literal(right));
    // A written type stays that of the variable.
    let is_typed = matches!(notes.local(visit.bytes(left)),
        NameLookup::Local(Some(of)) if of.is_typed());
    if chain::is_empty(right) || is_typed {
        return;
    }
    let chain = chain::value(visit, notes, right);
    if matches!(notes.local(visit.bytes(left)), NameLookup::NotLocal) {
        if !is_function(super::bare(right)) {
            notes.reassign_outer(left, chain);
        }
        return;
    }
    match end_of_branch(visit, notes, left) {
        Some(end) => notes.assign_in_branch(left, chain, node.end_byte(), end),
        None => notes.declare_from(left, chain, node.end_byte()),
    }
}

/// Records the members that `({ a } = right)` reads.
fn read_keys(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, pattern: Node<'_>, right: Node<'_>) {
    if pattern.kind_name() != "object_pattern" {
        return;
    }
    let of = chain::value(visit, notes, right);
    let mut cursor = pattern.walk();
    for part in pattern.named_children(&mut cursor).take(NAMES_MAX) {
        let key = match part.kind_name() {
            "shorthand_property_identifier_pattern" => Some(part),
            "object_assignment_pattern" => part.field("left"),
            "pair_pattern" => part.field("key"),
            _ => None,
        };
        let name = key.and_then(|key| chain::text(visit, key));
        if let (Some(key), Some(name)) = (key, name) {
            let member = of.clone().map(|of| of.then(Step::Member(name)));
            read(visit, notes, key, member.as_ref());
        }
    }
}

/// Records the values that `[a] = right` or `({ a } = right)` gives local variables: those of an array
/// literal, otherwise unknown ones.
fn assigned_parts(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    pattern: Node<'_>,
    right: Node<'_>,
) {
    let end = visit.node().end_byte();
    let mut cursor = pattern.walk();
    for (at, part) in pattern.named_children(&mut cursor).take(NAMES_MAX).enumerate() {
        let name = match part.kind_name() {
            "assignment_pattern" | "object_assignment_pattern" => part.field("left"),
            "pair_pattern" => part.field("value"),
            _ => Some(part),
        };
        let is_name = |name: &Node<'_>| {
            matches!(name.kind_name(), "identifier" | "shorthand_property_identifier_pattern")
        };
        let Some(name) = name.filter(is_name) else { continue };
        let NameLookup::Local(before) = notes.local(visit.bytes(name)) else { continue };
        if before.is_some_and(Chain::is_typed) {
            continue;
        }
        let is_pair = right.kind_name() == "array" && name.id() == part.id();
        let given = right.named_child(at as u32).filter(|_| is_pair);
        let chain = given.and_then(|given| chain::value(visit, notes, given));
        match end_of_branch(visit, notes, name) {
            Some(until) => notes.assign_in_branch(name, chain, end, until),
            None => notes.declare_from(name, chain, end),
        }
    }
}

/// Gives the variables that the visited loop assigns one of their values.
pub(super) fn widen(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let kinds = loops::Kinds {
        assignment: "assignment_expression",
        variable: "identifier",
        definitions: &[
            "function_declaration",
            "function_expression",
            "arrow_function",
            "class_declaration",
            "class",
            "method_definition",
        ],
    };
    loops::widen(visit, notes, &kinds, |notes, right| {
        (!chain::is_empty(right)).then(|| chain::value(visit, notes, right))
    });
}

/// Returns the end of the branch of the visited assignment, if it is not run whenever the block is in
/// which the variable `name` is declared.
fn end_of_branch(visit: &Visit<'_, '_>, notes: &Notes<'_>, name: Node<'_>) -> Option<usize> {
    let mut level = 1;
    while visit.ancestor_kind(level) == "assignment_expression" && level < 4 {
        level += 1;
    }
    let statement = visit.ancestor(level)?;
    let block = visit.ancestor(level + 1)?;
    let blocks = ["statement_block", "program", "switch_case", "switch_default"];
    if statement.kind_name() != "expression_statement" || !blocks.contains(&block.kind_name()) {
        return Some(statement.end_byte());
    }
    let is_body = visit.ancestor(level + 2).is_some_and(|around| {
        is_function(around)
            || matches!(around.kind_name(), "function_declaration" | "method_definition")
    });
    let is_own = match (block.kind_name(), notes.scopes_since(visit.bytes(name))) {
        ("statement_block" | "program", Some(0)) => true,
        ("statement_block", Some(1)) => is_body,
        _ => false,
    };
    (!is_own).then(|| block.end_byte())
}

/// Declares the names of `pattern`, which matches a value with the chain `chain`. They are visible
/// from the byte `from` on, or immediately.
fn declare(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    pattern: Node<'_>,
    chain: Option<Chain>,
    from: Option<usize>,
) {
    let mut rest = vec![(pattern, chain)];
    for _ in 0..NAMES_MAX {
        let Some((node, chain)) = rest.pop() else { return };
        let member = |name: &str| chain.clone().map(|chain| chain.then(Step::Member(name)));
        let mut cursor = node.walk();
        match node.kind_name() {
            "identifier" | "shorthand_property_identifier_pattern" => match from {
                Some(from) => notes.declare_from(node, chain, from),
                None => notes.declare(node, chain),
            },
            "assignment_pattern" | "object_assignment_pattern" => {
                let Some(left) = node.field("left") else { continue };
                let is_short = left.kind_name() == "shorthand_property_identifier_pattern";
                let chain = if is_short {
                    member(chain::text(visit, left).unwrap_or_default())
                } else {
                    chain
                };
                if is_short {
                    read(visit, notes, left, chain.as_ref());
                }
                let chain = with_default(visit, notes, chain, node.field("right"));
                rest.push((left, chain));
            }
            "object_pattern" => {
                for part in node.named_children(&mut cursor).take(NAMES_MAX) {
                    match part.kind_name() {
                        "shorthand_property_identifier_pattern" => {
                            let chain = member(chain::text(visit, part).unwrap_or_default());
                            read(visit, notes, part, chain.as_ref());
                            rest.push((part, chain));
                        }
                        "pair_pattern" => {
                            let (Some(key), Some(target)) =
                                (part.field("key"), part.field("value"))
                            else {
                                continue;
                            };
                            let chain = member(chain::text(visit, key).unwrap_or_default());
                            read(visit, notes, key, chain.as_ref());
                            rest.push((target, chain));
                        }
                        _ => rest.push((part, chain.clone())),
                    }
                }
            }
            "array_pattern" => {
                // A part without a name has a place as well: `[, second]`.
                let mut at = 0_usize;
                for part in node.children(&mut cursor).take(2 * NAMES_MAX) {
                    match part.kind_name() {
                        "," => at += 1,
                        _ if part.is_named() && !part.is_extra() => {
                            rest.push((part, member(&at.to_string())));
                        }
                        _ => {}
                    }
                }
            }
            "rest_pattern" => rest.extend(node.named_child(0).map(|name| (name, None))),
            _ => {}
        }
    }
}

/// Records that destructuring reads the member `name`, the last step of `chain`; a member of an unknown
/// value if there is none.
fn read(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, name: Node<'_>, chain: Option<&Chain>) {
    let of = match chain {
        Some(chain) => chain.split_member().map(|(of, _)| of),
        None => Some(Chain::unknown()),
    };
    if let Some(of) = of {
        notes.refer(visit, name, Role::Read, Some(of));
    }
}
