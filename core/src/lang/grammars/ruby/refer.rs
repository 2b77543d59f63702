//! Ruby references: records the uses, local names, `require`s and bases of each node.

use tree_sitter::Node;

use crate::lang::chain::{self, Protocol, Step};
use crate::lang::facts::{Chain, Import, ImportKind, ImportedName, Role};
use crate::lang::grammars::loops;
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::value::{self, DEPTH_MAX, ELEMENT_CALLBACKS, container, known, last_statement};
use super::{blocks, fields, named, specification};

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] =
    &["program", "class", "module", "method", "singleton_method", "block", "do_block", "lambda"];

/// Maximum number of nodes between a method and its last expression.
const BRANCHES_MAX: usize = 16;

/// Records what the visited node declares, requires or refers to.
pub(super) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    result(visit, notes);
    match node.kind_name() {
        "identifier" => name(visit, notes),
        "constant" => constant(visit, notes),
        "instance_variable" | "class_variable" | "global_variable" => variable(visit, notes),
        "call" => {
            call(visit, notes);
            named::refer(visit, notes);
            blocks::called(visit, notes);
        }
        "alias" => named::aliased(visit, notes),
        "super" => next_definition(visit, notes),
        "yield" => blocks::yielded(visit, notes),
        "while" | "until" | "block" | "do_block" => widen(visit, notes),
        "assignment" => assignment(visit, notes),
        "binary" => appended(visit, notes),
        "operator_assignment" => {
            let value =
                node.field("right").and_then(|right| value::of(visit, notes, right, DEPTH_MAX));
            if let Some(left) = node.field("left") {
                fields::typed(visit, notes, left, known(value));
            }
        }
        "method_parameters" | "lambda_parameters" | "block_parameters" => {
            parameters(visit, notes);
        }
        "exception_variable" => {
            if let Some(name) = node.named_child(0) {
                notes.declare(name, caught(visit, notes));
            }
        }
        "for" => {
            let value = node.field("value").and_then(|value| value.named_child(0));
            let of = value.and_then(|value| value::of(visit, notes, value, DEPTH_MAX));
            if let Some(pattern) = node.field("pattern") {
                let element = chain::yielded(of, Protocol::Iterate);
                declare(visit, notes, pattern, element, node.start_byte());
            }
        }
        "class" => {
            let base = node.field("superclass").and_then(|of| of.named_child(0));
            let base = known(base.and_then(|base| value::of(visit, notes, base, DEPTH_MAX)));
            if let (Some(base), false) = (base, visit.defined.is_empty()) {
                notes.add_base(visit.defined.start, base);
            }
        }
        _ => {}
    }
}

/// Records the chain of the visited expression as the result of a method, if the method ends with it
/// or returns it.
fn result(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let value = match node.kind_name() {
        "return" => node.named_child(0).and_then(|list| list.named_child(0)),
        _ if is_last(visit) => Some(node),
        _ => None,
    };
    let method = visit
        .enclosing()
        .filter(|symbol| symbol.kind.is_callable() && symbol.kind != SymbolKind::Constructor);
    let (Some(value), Some(_), Some(index)) = (value, method, visit.enclosing_index()) else {
        return;
    };
    // Methods that override one which returns a literal often return something else.
    let is_literal = matches!(value.kind_name(), "string" | "array" | "hash");
    let chain = known(value::of(visit, notes, value, DEPTH_MAX));
    if let Some(chain) = chain.filter(|chain| !is_literal || chain.has_type_arguments()) {
        notes.add_return(index, chain, value::either);
    }
}

/// Returns true if the visited node is the last expression of a method or of a branch with which the
/// method ends.
fn is_last(visit: &Visit<'_, '_>) -> bool {
    for level in 0..BRANCHES_MAX {
        let (Some(node), Some(around)) = (visit.ancestor(level), visit.ancestor(level + 1)) else {
            return false;
        };
        let is_value = match around.kind_name() {
            "method" | "singleton_method" => {
                return level > 0 && visit.field_above(level) == "body";
            }
            "body_statement" | "begin" | "then" | "else" => {
                last_statement(around).is_some_and(|last| last.end_byte() == node.end_byte())
            }
            "if" | "unless" | "elsif" | "conditional" => visit.field_above(level) != "condition",
            "if_modifier" | "unless_modifier" => visit.field_above(level) == "body",
            "when" => visit.field_above(level) == "body",
            "case" => matches!(node.kind_name(), "when" | "else"),
            _ => false,
        };
        if !is_value {
            return false;
        }
    }
    false
}

fn assignment(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(left) = node.field("left") else { return };
    let right = node.field("right");
    let value = right.and_then(|right| value::of(visit, notes, right, DEPTH_MAX));
    if let (Some(value), false) = (&known(value.clone()), visit.defined.is_empty()) {
        let is_variable = left.kind_name() == "instance_variable";
        if !is_variable {
            notes.set_type(visit.defined.start, value.clone());
        }
    }
    // What the calls of the constructor pass.
    let is_constructor =
        visit.enclosing().is_some_and(|symbol| symbol.kind == SymbolKind::Constructor);
    let is_parameter = right.is_some_and(|right| right.kind_name() == "identifier");
    let of_field = value.clone().filter(|value| {
        !value.is_of_variable()
            || is_constructor && is_parameter && value.has_no_steps() && value.passed().is_none()
    });
    fields::typed(visit, notes, left, of_field);
    if let Some(object) = left.field("object").filter(|_| left.kind_name() == "element_reference") {
        fields::filled(visit, notes, object, container("Hash", value.clone()));
    }
    declare(visit, notes, left, value, node.end_byte());
}

/// Records the element that the visited `list << element` adds to an instance variable.
fn appended(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let is_append = node.field("operator").is_some_and(|sign| sign.kind_name() == "<<");
    let (Some(left), Some(right)) = (node.field("left"), node.field("right")) else { return };
    if is_append {
        let value = value::of(visit, notes, right, DEPTH_MAX);
        fields::filled(visit, notes, left, container("Array", value));
    }
}

/// Declares the names on the left of an assignment, or in a pattern.
fn declare(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    node: Node<'_>,
    value: Option<Chain>,
    from: usize,
) {
    match node.kind_name() {
        "identifier" => {
            // In `x ||= y` and inside blocks the name may already be declared.
            let is_known = matches!(notes.local(visit.bytes(node)), NameLookup::Local(_));
            let value = if is_known { known(value) } else { value };
            if !is_known && from > node.start_byte() {
                // The name is a variable in its own value, too.
                notes.declare(node, None);
            }
            let is_certain = |of: &Chain| !of.is_of_variable() && !value::is_literal(of);
            let was_certain = matches!(notes.local(visit.bytes(node)),
                NameLookup::Local(Some(before)) if is_certain(before));
            let end = end_of_branch(visit, notes, node)
                .filter(|_| was_certain && value.as_ref().is_some_and(is_certain));
            match end {
                Some(end) => notes.assign_in_branch(node, value, from, end),
                None if !is_known || value.is_some() => notes.declare_from(node, value, from),
                None => {}
            }
        }
        "left_assignment_list" | "destructured_left_assignment" | "rest_assignment" => {
            for part in (0..16).map_while(|at| node.named_child(at)) {
                if part.kind_name() == "identifier" {
                    notes.declare_from(part, None, from);
                }
            }
        }
        _ => {}
    }
}

/// Returns the end of the branch or block that the visited assignment is in, unless the variable `name`
/// is declared in that block.
fn end_of_branch(visit: &Visit<'_, '_>, notes: &Notes<'_>, name: Node<'_>) -> Option<usize> {
    for level in 1..BRANCHES_MAX {
        let around = visit.ancestor(level)?;
        let is_branch = match around.kind_name() {
            "if_modifier" | "unless_modifier" | "while_modifier" | "until_modifier" => {
                visit.field_above(level - 1) == "body"
            }
            "then" | "else" | "do" | "rescue" => true,
            "binary" => visit.field_above(level - 1) == "right",
            "conditional" => visit.field_above(level - 1) != "condition",
            "block" | "do_block" => {
                let is_outer = notes.scopes_since(visit.bytes(name)).is_some_and(|it| it > 0);
                return is_outer.then(|| around.end_byte());
            }
            "method" | "singleton_method" | "program" | "class" | "module" | "lambda" => {
                return None;
            }
            _ => false,
        };
        if is_branch {
            return Some(around.end_byte());
        }
    }
    None
}

/// Gives the variables that the visited loop or block assigns one of their values.
fn widen(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let kinds = loops::Kinds {
        assignment: "assignment",
        variable: "identifier",
        definitions: &["method", "singleton_method", "class", "module"],
    };
    loops::widen(visit, notes, &kinds, |notes, right| {
        let value = known(value::of(visit, notes, right, DEPTH_MAX));
        value.filter(|of| !value::is_literal(of)).map(Some)
    });
}

/// Declares the visited parameters.
fn parameters(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut given = given(visit, notes);
    let passing = if given.is_none() { blocks::passing(visit, notes) } else { None };
    for (at, parameter) in (0..32).map_while(|at| Some((at as usize, node.named_child(at)?))) {
        let is_plain = parameter.kind_name() == "identifier";
        let name = if is_plain { Some(parameter) } else { parameter.field("name") };
        let value = parameter.field("value");
        let value = value.and_then(|value| value::of(visit, notes, value, DEPTH_MAX));
        match name {
            Some(name) => {
                let passed = passing.as_ref().filter(|_| is_plain).map(|passing| {
                    let passed = passing.clone().then(Step::Parameter(at.into()));
                    Chain::parameter_of_block(&visit.text_of(name), &passed)
                });
                let given = given.take().filter(|_| is_plain);
                notes.declare(name, given.or(value).or(passed));
            }
            None => {
                for name in (0..8).map_while(|at| parameter.named_child(at)) {
                    notes.declare(name, None);
                }
            }
        }
    }
}

/// Returns the chain of the argument of the block with the visited parameters.
fn given(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let call = visit.ancestor(2).filter(|call| call.kind_name() == "call")?;
    let name = visit.bytes(call.field("method")?);
    let receiver = value::of(visit, notes, call.field("receiver")?, DEPTH_MAX);
    match name {
        b"tap" | b"then" => receiver,
        name if ELEMENT_CALLBACKS.contains(&name) => chain::yielded(receiver, Protocol::Iterate),
        _ => None,
    }
}

/// Returns the chain of the name in the visited `rescue … => name`.
fn caught(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let exceptions = visit.ancestor(1)?.field("exceptions")?;
    let all = (0..8).map_while(|at| exceptions.named_child(at));
    let of = |class| known(value::of(visit, notes, class, DEPTH_MAX));
    Chain::one_of(all.map(|class| Some(of(class)?.instance_of())))
}

fn arguments(call: Option<Node<'_>>) -> usize {
    let arguments = call.and_then(|call| call.field("arguments"));
    arguments.map_or(0, |arguments| arguments.element_count())
}

/// Records the file that the visited call requires, or the module that it mixes in.
fn call(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if let Some(receiver) = node.field("receiver") {
        let is_added = node.field("method").is_some_and(|method| {
            matches!(visit.bytes(method), b"add" | b"append" | b"push" | b"unshift")
        });
        let first = node.field("arguments").and_then(|list| list.named_child(0));
        if let Some(first) = first.filter(|_| is_added) {
            let value = value::of(visit, notes, first, DEPTH_MAX);
            fields::filled(visit, notes, receiver, container("Array", value));
        }
        mixed_into_user(visit, notes);
        return;
    }
    fields::read(visit, notes);
    fields::delegated(visit, notes);
    specification::memoized(visit, notes);
    let Some(method) = node.field("method") else { return };
    let Some(list) = node.field("arguments") else { return };
    let Some(first) = list.named_child(0) else { return };
    match visit.bytes(method) {
        b"require" => import(visit, notes, ImportKind::Module, first, None),
        b"require_relative" | b"load" => {
            import(visit, notes, ImportKind::LocalInclude, first, None);
        }
        b"autoload" => {
            if let Some(path) = list.named_child(1) {
                import(visit, notes, ImportKind::Module, path, Some(first));
            }
        }
        b"include" | b"extend" | b"prepend" => {
            let Some(index) = visit.own_or_enclosing_index() else { return };
            for base in (0..8).map_while(|at| list.named_child(at)) {
                if matches!(base.kind_name(), "constant" | "scope_resolution")
                    && let Some(chain) = value::of(visit, notes, base, DEPTH_MAX)
                {
                    let is_first = visit.bytes(method) == b"prepend";
                    notes.add_base(index, if is_first { chain.prepended() } else { chain });
                }
            }
        }
        _ => {}
    }
}

/// Records the modules that the visited call adds to a type when this includes the enclosing module:
/// `base.extend A` and `base.send :include, A` in `def self.included(base)`.
fn mixed_into_user(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let hook = visit.enclosing().filter(|symbol| {
        matches!(symbol.name.as_str(), "included" | "extended" | "prepended")
            && symbol.qualified_name.ends_with(&format!(".{}", symbol.name))
    });
    let Some(module) = hook.and_then(|hook| hook.parent) else { return };
    let (Some(method), Some(list)) = (node.field("method"), node.field("arguments")) else {
        return;
    };
    let is_mixin = |word: &[u8]| matches!(word, b"include" | b"extend");
    let first = match visit.bytes(method) {
        b"send" | b"public_send" | b"__send__" => {
            let word = list.named_child(0).map(|word| visit.bytes(word));
            u32::from(word.is_some_and(|word| word.strip_prefix(b":").is_some_and(is_mixin)))
        }
        word if is_mixin(word) => 0,
        _ => return,
    };
    for base in (first..first + 8).map_while(|at| list.named_child(at)) {
        if matches!(base.kind_name(), "constant" | "scope_resolution")
            && let Some(chain) = value::of(visit, notes, base, DEPTH_MAX)
        {
            notes.add_base(module, chain);
        }
    }
}

fn import(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    kind: ImportKind,
    path: Node<'_>,
    name: Option<Node<'_>>,
) {
    // A string with interpolation has more than one part.
    let is_plain = path.kind_name() == "string" && path.named_child_count() == 1;
    let Some(content) = path.named_child(0).filter(|_| is_plain) else { return };
    let module = visit.text_of(content);
    let names = name.map(|name| visit.text_of(name).trim_start_matches(':').to_owned());
    let names = names.into_iter().map(|name| ImportedName { alias: name.clone(), name }).collect();
    let node = visit.node();
    let (span, line) = (node.byte_range(), node.start_position().row + 1);
    notes.import(Import { span, line, kind, module, names });
}

/// Records a called name: with a receiver or arguments, or a bare name.
fn name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let field = visit.own_field();
    let around = visit.ancestor(1);
    match (field, visit.ancestor_kind(1)) {
        ("method", "call") => called(visit, notes, around),
        ("left", "assignment" | "operator_assignment")
        | (
            _,
            "left_assignment_list"
            | "rest_assignment"
            | "destructured_left_assignment"
            | "method_parameters"
            | "block_parameters"
            | "lambda_parameters"
            | "destructured_parameter"
            | "exception_variable"
            | "alias"
            | "undef",
        )
        | ("name" | "pattern", _) => {}
        _ if matches!(notes.local(visit.bytes(node)), NameLookup::Local(_)) => {}
        _ => {
            let receiver = own_of_new(visit).or_else(|| blocks::receiver(visit, notes, 0));
            notes.call(visit, node, receiver, 0);
        }
    }
}

fn called(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, call: Option<Node<'_>>) {
    let receiver = call.and_then(|call| call.field("receiver"));
    let chain = match receiver {
        Some(receiver) => chain::receiver(value::of(visit, notes, receiver, DEPTH_MAX)),
        None => own_of_new(visit).or_else(|| blocks::receiver(visit, notes, 1)),
    };
    notes.call(visit, visit.node(), chain, arguments(call));
}

/// Records the visited `super`: a call of the next definition of the method around it.
fn next_definition(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let around = visit.ancestor(1).filter(|_| visit.own_field() == "method");
    // Without parentheses, it passes the arguments of the method.
    let count = around.map(|call| u8::try_from(arguments(Some(call))).unwrap_or(u8::MAX));
    let receiver = blocks::base_of_method(visit, notes);
    notes.refer_span(visit, node.byte_range(), Role::Call, Some(receiver), count);
}

/// Returns the receiver of the visited name if it is `new`: a class calls its own method.
fn own_of_new(visit: &Visit<'_, '_>) -> Option<Chain> {
    (visit.bytes(visit.node()) == b"new").then(Chain::own)
}

fn constant(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let around = visit.ancestor(1);
    let (mut levels, mut receiver) = (0, None);
    match (visit.own_field(), visit.ancestor_kind(1)) {
        ("method", "call") => return called(visit, notes, around),
        ("name", "scope_resolution") => {
            let scope = around.and_then(|around| around.field("scope"));
            receiver =
                scope.and_then(|scope| chain::receiver(value::of(visit, notes, scope, DEPTH_MAX)));
            levels = 1;
        }
        ("name", _) => return,
        _ => {}
    }
    let role = match (visit.field_above(levels), visit.ancestor_kind(levels + 1)) {
        ("name", "class" | "module") => return,
        ("left", "assignment") => return,
        (_, "superclass") => Role::Base,
        ("receiver", "call") | ("scope", _) => Role::Type,
        (_, "exceptions") => Role::Type,
        (_, "argument_list") if mixes_in(visit, levels) => Role::Base,
        _ => Role::Read,
    };
    notes.refer(visit, node, role, receiver);
}

fn mixes_in(visit: &Visit<'_, '_>, levels: usize) -> bool {
    let call = visit.ancestor(levels + 2).filter(|call| call.kind_name() == "call");
    let method = call.and_then(|call| call.field("method"));
    method.is_some_and(|method| matches!(visit.bytes(method), b"include" | b"extend" | b"prepend"))
}

/// Records an instance, class or global variable.
fn variable(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let is_set = visit.own_field() == "left"
        && matches!(visit.ancestor_kind(1), "assignment" | "operator_assignment");
    let role = if is_set { Role::Write } else { Role::Read };
    let is_own = visit.node().kind_name() != "global_variable";
    notes.refer(visit, visit.node(), role, is_own.then(Chain::own));
}
