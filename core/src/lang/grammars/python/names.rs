//! Python local names: parameters, assignment targets, loops, `with`, `except`, `match`.

use tree_sitter::Node;

use crate::lang::chain::Step;
use crate::lang::facts::Chain;
use crate::lang::grammars::loops;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::chain::{call, class_of_own, element, elements, entered, is_empty, text, value};
use super::{annotation, refer};

/// Maximum number of names in one pattern.
const NAMES_MAX: usize = 256;

/// Maximum number of parts of a condition.
const CONDITIONS_MAX: usize = 16;

/// Returns true if `name`, the target of the visited assignment, is a local variable.
pub(super) fn is_local_here(visit: &Visit<'_, '_>, notes: &Notes<'_>, name: Node<'_>) -> bool {
    refer::is_in_function(visit) && !notes.is_outer(&visit.text[name.byte_range()])
}

/// Returns the same for a target of the assignment `levels` above the visited node.
pub(super) fn is_local_at(
    visit: &Visit<'_, '_>,
    notes: &Notes<'_>,
    name: Node<'_>,
    levels: usize,
) -> bool {
    let around = visit.frames.len().checked_sub(levels + 2).and_then(|at| visit.frames.get(at));
    let symbol = around.and_then(|frame| visit.symbols.get(frame.enclosing?));
    let is_in_function = symbol
        .is_some_and(|symbol| symbol.kind.is_callable() || symbol.kind == SymbolKind::Property);
    is_in_function && !notes.is_outer(&visit.text[name.byte_range()])
}

/// Declares the parameters of the visited function.
pub(super) fn parameters(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(parameters) = node.field("parameters") else { return };
    let receiver = receiver(visit);
    let requests = super::fixtures::requests(visit);
    let mut cursor = parameters.walk();
    // A comment may precede the first one.
    let all = parameters.named_children(&mut cursor).filter(|it| !it.is_extra());
    for (at, parameter) in all.take(NAMES_MAX).enumerate() {
        let given = receiver.clone().filter(|_| at == 0);
        let given = given.or_else(|| requests.as_ref()?.value(visit, parameter));
        declare(visit, notes, parameter, given);
    }
}

/// Returns the chain of the first parameter of the visited function, if it is a method.
fn receiver(visit: &Visit<'_, '_>) -> Option<Chain> {
    if visit.enclosing_kind() != Some(SymbolKind::Class) {
        return None;
    }
    let mut of_class = visit.field(visit.node(), "name").is_some_and(|name| {
        matches!(name.as_ref(), "__new__" | "__init_subclass__" | "__class_getitem__")
    });
    if let Some(decorated) = visit.ancestor(1).filter(|n| n.kind_name() == "decorated_definition") {
        let mut cursor = decorated.walk();
        for decorator in
            decorated.children(&mut cursor).take_while(|c| c.kind_name() == "decorator")
        {
            match visit.text[decorator.byte_range()].trim_ascii() {
                b"@staticmethod" => return None,
                b"@classmethod" => of_class = true,
                _ => {}
            }
        }
    }
    Some(if of_class { class_of_own() } else { Chain::own() })
}

/// Declares the parameters of the visited lambda expression.
pub(super) fn lambda(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(parameters) = visit.node().field("parameters") else { return };
    let given = lambda_argument(visit, notes);
    let mut cursor = parameters.walk();
    for (at, parameter) in parameters.named_children(&mut cursor).take(NAMES_MAX).enumerate() {
        declare(visit, notes, parameter, given.clone().filter(|_| at == 0));
    }
}

/// Returns the chain of the argument of the visited lambda expression, if it is the key of a sort
/// or an argument of `map` or `filter`.
fn lambda_argument(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let is_key = visit.ancestor_kind(1) == "keyword_argument";
    let called = visit.ancestor(if is_key { 3 } else { 2 })?;
    let (function, arguments) = call(called)?;
    match &visit.text[function.byte_range()] {
        b"sorted" | b"min" | b"max" if is_key => element(visit, notes, arguments.named_child(0)?),
        b"map" | b"filter" if !is_key => element(visit, notes, arguments.named_child(1)?),
        _ if is_key && function.kind_name() == "attribute" => {
            let name = function.field("attribute")?;
            let is_sort = &visit.text[name.byte_range()] == b"sort";
            if is_sort { element(visit, notes, function.child(0)?) } else { None }
        }
        _ => None,
    }
}

/// Declares one parameter. `given` is its chain if it is a plain name without annotation.
fn declare(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    parameter: Node<'_>,
    given: Option<Chain>,
) {
    let annotated =
        parameter.field("type").and_then(|annotated| annotation::chain(visit, annotated));
    match parameter.kind_name() {
        "identifier" => notes.declare(parameter, given),
        "default_parameter" | "typed_default_parameter" => {
            let Some(name) = parameter.field("name") else { return };
            let default = parameter.field("value");
            let default = default.filter(|default| !is_empty(*default));
            let given = || Chain::one_of([None, value(visit, notes, default?)]);
            notes.declare(name, annotated.or_else(given));
        }
        "typed_parameter" => match parameter.named_child(0) {
            Some(name) if name.kind_name() == "identifier" => {
                notes.declare(name, annotated.or(given));
            }
            Some(splat) => declare_splat(notes, splat, annotated),
            None => {}
        },
        "list_splat_pattern" | "dictionary_splat_pattern" => declare_splat(notes, parameter, None),
        "tuple_pattern" => declare_all(notes, parameter),
        _ => {}
    }
}

fn declare_splat(notes: &mut Notes<'_>, splat: Node<'_>, of: Option<Chain>) {
    let Some(name) = splat.named_child(0) else { return };
    let is_dict = splat.kind_name() == "dictionary_splat_pattern";
    let chain = match of {
        Some(_) if is_dict => {
            annotation::with_arguments("dict", &[Some(Chain::instance("str")), of])
        }
        Some(_) => annotation::with_arguments("tuple", &[of]),
        None => Chain::instance(if is_dict { "dict" } else { "tuple" }),
    };
    notes.declare(name, Some(chain));
}

/// Declares every name of a pattern without a chain.
fn declare_all(notes: &mut Notes<'_>, pattern: Node<'_>) {
    let mut rest = vec![pattern];
    for _ in 0..NAMES_MAX {
        let Some(node) = rest.pop() else { return };
        match node.kind_name() {
            "identifier" => notes.declare(node, None),
            "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern" => {
                let mut cursor = node.walk();
                rest.extend(node.named_children(&mut cursor));
            }
            _ => {}
        }
    }
}

/// Declares the names of `pattern` from the byte `from` on. A single name has the chain `chain`,
/// several names are members of it by their positions. Up to the byte `until`, the end of
/// a branch, known names have only that value.
fn target(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    pattern: Node<'_>,
    chain: Option<Chain>,
    from: usize,
    until: Option<usize>,
) {
    let mut rest = vec![(pattern, chain)];
    for _ in 0..NAMES_MAX {
        let Some((node, chain)) = rest.pop() else { return };
        match node.kind_name() {
            "identifier" if notes.is_outer(&visit.text[node.byte_range()]) => {}
            "identifier" => {
                let known = notes.local(&visit.text[node.byte_range()]);
                let is_known = matches!(known, NameLookup::Local(_));
                match until.filter(|_| is_known) {
                    Some(until) => notes.assign_in_branch(node, chain, from, until),
                    None => notes.declare_from(node, chain, from),
                }
            }
            "list_splat_pattern" => {
                rest.extend(node.named_child(0).map(|name| (name, Some(Chain::instance("list")))));
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" => {
                let mut cursor = node.walk();
                for (at, name) in node.named_children(&mut cursor).take(NAMES_MAX).enumerate() {
                    let part = at.to_string();
                    let part = chain.clone().map(|chain| chain.then(Step::Member(&part)));
                    rest.push((name, part));
                }
            }
            _ => {}
        }
    }
}

/// Declares the names that `left = right` unpacks.
pub(super) fn unpack(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    left: Node<'_>,
    right: Option<Node<'_>>,
    from: usize,
) {
    let is_class = visit.enclosing_kind() == Some(SymbolKind::Class);
    if is_class || visit.enclosing().is_none() {
        return outer_parts(visit, notes, left, right);
    }
    let Some(right) = right else { return };
    let count = left.named_child_count();
    let is_pairwise = matches!(right.kind_name(), "expression_list" | "tuple" | "list")
        && right.named_child_count() == count;
    let until = end_of_branch(visit);
    if !is_pairwise {
        let chain = value(visit, notes, right);
        return target(visit, notes, left, chain, from, until);
    }
    let (mut targets, mut values) = (left.walk(), right.walk());
    let pairs = left.named_children(&mut targets).zip(right.named_children(&mut values));
    for (name, given) in pairs.take(NAMES_MAX) {
        let chain = value(visit, notes, given);
        target(visit, notes, name, chain, from, until.filter(|_| !is_empty(given)));
    }
}

/// Records the values that `left = right` gives variables outside of functions.
fn outer_parts(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    left: Node<'_>,
    right: Option<Node<'_>>,
) {
    let Some(right) = right else { return };
    let is_pairwise = matches!(right.kind_name(), "expression_list" | "tuple" | "list")
        && right.named_child_count() == left.named_child_count();
    let whole = if is_pairwise { None } else { value(visit, notes, right) };
    let mut cursor = left.walk();
    for (at, name) in left.named_children(&mut cursor).take(NAMES_MAX).enumerate() {
        if name.kind_name() != "identifier" {
            continue;
        }
        let part = at.to_string();
        let chain = if is_pairwise {
            right.named_child(at as u32).and_then(|part| value(visit, notes, part))
        } else {
            whole.clone().map(|whole| whole.then(Step::Member(&part)))
        };
        let mut defined = visit.defined.clone();
        let is_its =
            |at: &usize| visit.symbols.get(*at).is_some_and(|it| it.name_span == name.byte_range());
        match defined.find(is_its) {
            Some(index) if chain.is_some() => notes.add_value(index, chain),
            Some(_) => {}
            None if visit.enclosing().is_none() => notes.reassign_outer(name, chain),
            None => {}
        }
    }
}

/// Declares the variables of a `for`: those of a statement from its body on, those of a
/// comprehension clause immediately.
pub(super) fn loop_variables(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    node: Node<'_>,
    is_clause: bool,
) {
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else {
        return;
    };
    let from = if is_clause { 0 } else { right.end_byte() };
    let is_pattern = left.kind_name() != "identifier";
    if let Some(chains) = elements(visit, notes, right).filter(|_| is_pattern) {
        let mut cursor = left.walk();
        let chains = chains.into_iter().chain(std::iter::repeat(None));
        for (name, chain) in left.named_children(&mut cursor).zip(chains).take(NAMES_MAX) {
            target(visit, notes, name, chain, from, None);
        }
    } else {
        let chain = element(visit, notes, right);
        target(visit, notes, left, chain, from, None);
    }
    if is_clause {
        notes.settle(from);
    }
}

/// Declares the variables of the visited comprehension, whose body precedes their clauses.
pub(super) fn comprehension(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let mut cursor = visit.node().walk();
    for clause in visit.node().named_children(&mut cursor).take(NAMES_MAX) {
        if clause.kind_name() == "for_in_clause" {
            loop_variables(visit, notes, clause, true);
        }
    }
}

/// Declares the name of `name := value`.
pub(super) fn named(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(name), Some(given)) = (node.field("name"), node.field("value")) else {
        return;
    };
    let chain = value(visit, notes, given);
    notes.declare_from(name, chain, node.end_byte());
}

/// Declares the name after `as` in `with`, `except` or a pattern of `match`.
pub(super) fn as_pattern(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(given) = node.named_child(0) else { return };
    let alias = node.field("alias").and_then(|alias| alias.named_child(0));
    let Some(alias) = alias.or(node.named_child(1)) else { return };
    let chain = match visit.ancestor_kind(1) {
        "with_item" => context_value(visit, notes, given),
        "except_clause" => exception_chain(visit, given),
        _ => match_type(visit, given),
    };
    target(visit, notes, alias, chain, node.end_byte(), None);
}

/// Returns the chain of the name in `with given as name`.
fn context_value(visit: &Visit<'_, '_>, notes: &Notes<'_>, given: Node<'_>) -> Option<Chain> {
    let statement = visit.ancestor(3);
    let is_async = statement.is_some_and(|it| visit.text[it.byte_range()].starts_with(b"async"));
    Some(entered(value(visit, notes, given)?, is_async))
}

fn exception_chain(visit: &Visit<'_, '_>, types: Node<'_>) -> Option<Chain> {
    if types.kind_name() != "tuple" {
        return annotation::chain(visit, types);
    }
    let all = (0..16).map_while(|at| types.named_child(at)).filter(|of| !of.is_extra());
    Chain::one_of(all.map(|of| annotation::chain(visit, of)))
}

fn match_type(visit: &Visit<'_, '_>, pattern: Node<'_>) -> Option<Chain> {
    let pattern =
        if pattern.kind_name() == "case_pattern" { pattern.named_child(0)? } else { pattern };
    if pattern.kind_name() != "class_pattern" {
        return None;
    }
    Some(Chain::instance(text(visit, pattern.named_child(0)?)?))
}

/// Declares the name of an `except` clause for which the grammar has a field.
pub(super) fn exception(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(types), Some(alias)) = (node.field("value"), node.field("alias")) else {
        return;
    };
    let chain = exception_chain(visit, types);
    target(visit, notes, alias, chain, alias.end_byte(), None);
}

/// Declares the name that a pattern of `match` captures.
pub(super) fn case_pattern(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(name) = visit.node().named_child(0) else { return };
    if name.kind_name() == "dotted_name" && name.named_child_count() == 1 {
        notes.declare(name, None);
    }
}

/// Declares the names of a `global` statement as not local.
pub(super) fn global(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let mut cursor = visit.node().walk();
    for name in visit.node().named_children(&mut cursor).take(NAMES_MAX) {
        notes.declare_outer(name);
    }
}

/// Records that the function around the visited `nonlocal` assigns variables of an outer one.
pub(super) fn nonlocal(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let mut cursor = visit.node().walk();
    for name in visit.node().named_children(&mut cursor).take(NAMES_MAX) {
        notes.open_captured(name);
    }
}

/// Gives the variables that the visited loop assigns one of their values.
pub(super) fn widen(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let kinds = loops::Kinds {
        assignment: "assignment",
        variable: "identifier",
        definitions: &["function_definition", "class_definition", "lambda"],
    };
    loops::widen(visit, notes, &kinds, |notes, right| {
        (!is_empty(right)).then(|| value(visit, notes, right))
    });
}

/// Narrows a local name that is isinstance_test for a type: in the body of an `if`, after an `assert`, and
/// after an `if not` whose body leaves the block.
pub(super) fn narrow(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let is_assert = node.kind_name() == "assert_statement";
    let condition = if is_assert { node.named_child(0) } else { node.field("condition") };
    let Some(mut condition) = condition else { return };
    if condition.kind_name() == "boolean_operator" {
        if is_and(condition) {
            let body = node.field("consequence").or(node.field("body"));
            for (name, chain) in tests(visit, condition) {
                match body {
                    _ if is_assert => notes.assign(name, chain, node.end_byte()),
                    Some(body) => notes.narrow(name, chain, body.byte_range()),
                    None => {}
                }
            }
            return;
        }
        // After `if not isinstance(name, Type) or …: return`.
        let left = condition.child(0).filter(|left| left.kind_name() == "not_operator");
        let Some(left) = left else { return };
        condition = left;
    }
    if condition.kind_name() == "not_operator" {
        let Some((name, chain)) =
            condition.named_child(0).and_then(|call| isinstance_test(visit, call))
        else {
            return;
        };
        let body = node.field("consequence");
        let last = body.and_then(|body| {
            let last = body.named_child_count().checked_sub(1)?;
            body.named_child(u32::try_from(last).ok()?)
        });
        let leaves = last.is_some_and(|last| {
            matches!(
                last.kind_name(),
                "return_statement" | "raise_statement" | "continue_statement"
            )
        });
        if leaves && !is_assert {
            notes.assign(name, chain, node.end_byte());
        }
        return;
    }
    let Some((name, chain)) = isinstance_test(visit, condition) else { return };
    if is_assert {
        return notes.assign(name, chain, node.end_byte());
    }
    let body = node.field("consequence").or(node.field("body"));
    if let Some(body) = body {
        notes.narrow(name, chain, body.byte_range());
    }
}

/// Narrows the local names that the left operand of the visited `and` tests, in the right one.
pub(super) fn narrow_operand(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else { return };
    if is_and(node) {
        for (name, chain) in tests(visit, left) {
            notes.narrow(name, chain, right.byte_range());
        }
    }
}

fn is_and(node: Node<'_>) -> bool {
    node.child(1).is_some_and(|operator| operator.kind_name() == "and")
}

/// Returns the names and types of the tests that hold where a condition does: parts that `and` joins.
fn tests<'t>(visit: &Visit<'_, 't>, condition: Node<'t>) -> Vec<(Node<'t>, Chain)> {
    let (mut rest, mut found) = (vec![condition], Vec::new());
    for _ in 0..CONDITIONS_MAX {
        let Some(part) = rest.pop() else { break };
        match part.kind_name() {
            "boolean_operator" if is_and(part) => {
                rest.extend([part.field("left"), part.field("right")].into_iter().flatten());
            }
            "parenthesized_expression" => rest.extend(part.named_child(0)),
            _ => found.extend(isinstance_test(visit, part)),
        }
    }
    found
}

/// Returns the name and type of `type(name) is Type` or `type(name) == Type`.
fn type_test<'t>(visit: &Visit<'_, 't>, node: Node<'t>) -> Option<(Node<'t>, Chain)> {
    let sign = node.child(1).filter(|_| node.kind_name() == "comparison_operator")?;
    let is_equal = matches!(sign.kind_name(), "is" | "==") && node.named_child_count() == 2;
    let (function, arguments) = call(node.child(0).filter(|_| is_equal)?)?;
    let name = arguments.named_child(0).filter(|name| name.kind_name() == "identifier")?;
    let class = node.named_child(1)?;
    let is_its = &visit.text[function.byte_range()] == b"type"
        && arguments.named_child_count() == 1
        && matches!(class.kind_name(), "identifier" | "attribute");
    if is_its { Some((name, Chain::instance(text(visit, class)?))) } else { None }
}

/// Returns the name and type of `isinstance(name, Type)` or `type(name) is Type`.
fn isinstance_test<'t>(visit: &Visit<'_, 't>, node: Node<'t>) -> Option<(Node<'t>, Chain)> {
    if node.kind_name() == "comparison_operator" {
        return type_test(visit, node);
    }
    let (function, arguments) = call(node)?;
    if &visit.text[function.byte_range()] != b"isinstance" {
        return None;
    }
    let name = arguments.named_child(0).filter(|name| name.kind_name() == "identifier")?;
    let of = arguments.named_child(1).filter(|of| of.kind_name() != "tuple")?;
    Some((name, annotation::chain(visit, of)?))
}

/// Returns the end of the branch that the visited assignment is in: the block of an `if`, a loop, or a
/// part of a `try`.
pub(super) fn end_of_branch(visit: &Visit<'_, '_>) -> Option<usize> {
    let mut level = 2;
    while visit.ancestor_kind(level) == "block"
        && visit.ancestor_kind(level + 1) == "with_statement"
    {
        level += 2;
    }
    let block = visit.ancestor(level).filter(|block| block.kind_name() == "block")?;
    let is_branch = !matches!(
        visit.ancestor_kind(level + 1),
        "function_definition" | "class_definition" | "finally_clause"
    );
    is_branch.then(|| block.end_byte())
}
