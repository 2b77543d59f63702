//! PHP references: records calls, imports, bases, local names and declared types.

use tree_sitter::Node;

use super::{doc, locals, values};
use crate::lang::chain;
use crate::lang::code_text::is_name;
use crate::lang::facts::{Chain, Import, ImportKind, Role};
use crate::lang::grammars::{mentions, modifiers};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] = &[
    "function_definition",
    "method_declaration",
    "anonymous_function",
    "arrow_function",
    "program",
];

/// Records what the visited node imports, declares, extends or calls.
pub(super) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "namespace_definition" if notes.package.is_none() => {
            notes.package = node.field("name").map(|name| visit.text_of(name));
        }
        "namespace_use_clause" => import(visit, notes),
        "include_expression"
        | "include_once_expression"
        | "require_expression"
        | "require_once_expression" => include(visit, notes),
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "trait_declaration" => bases(visit, notes),
        "function_definition" | "method_declaration" => locals::result(visit, notes),
        "property_element" => locals::property(visit, notes),
        "simple_parameter" | "variadic_parameter" | "property_promotion_parameter" => {
            locals::parameter(visit, notes);
        }
        "assignment_expression" | "augmented_assignment_expression" => {
            locals::assignment(visit, notes);
        }
        "foreach_statement" => {
            locals::widen(visit, notes);
            locals::each(visit, notes);
        }
        "for_statement" | "do_statement" => locals::widen(visit, notes),
        "catch_clause" => locals::caught(visit, notes),
        "return_statement" => locals::returned(visit, notes),
        "if_statement"
        | "else_if_clause"
        | "while_statement"
        | "conditional_expression"
        | "binary_expression" => {
            if node.kind_name() == "while_statement" {
                locals::widen(visit, notes);
            }
            locals::narrow(visit, notes);
        }
        "function_call_expression" => {
            locals::narrow(visit, notes);
            match node.field("function") {
                Some(function) if values::is_name(function) => named_call(visit, notes, function),
                Some(variable) if is_closure(visit, variable) => {
                    notes.call(visit, variable, None, arguments(node));
                }
                Some(variable) if variable.kind_name() == "variable_name" => {
                    // `$write = 'save'; $write(1)`.
                    if let Some(literal) = notes.literal(variable) {
                        notes.refer_span(visit, literal, Role::Read, None, None);
                    }
                }
                _ => {}
            }
        }
        "object_creation_expression" => {
            let class = (0..4).map_while(|at| node.named_child(at)).find(|of| !of.is_extra());
            if let Some(class) = class.filter(|of| values::is_name(*of)) {
                named_call(visit, notes, class);
            }
        }
        "attribute" => {
            if let Some(class) = node.named_child(0).filter(|of| values::is_name(*of)) {
                named_call(visit, notes, class);
            }
        }
        "member_call_expression" | "nullsafe_member_call_expression" | "scoped_call_expression" => {
            member_call(visit, notes);
        }
        "member_access_expression"
        | "nullsafe_member_access_expression"
        | "scoped_property_access_expression"
        | "class_constant_access_expression" => member(visit, notes),
        "array_creation_expression" => callable(visit, notes),
        "use_as_clause" => aliased(visit, notes),
        _ => {}
    }
}

/// Records the method that the visited array of an object, or a class, and a name stands for where a
/// function is expected: `[$this, 'run']`, `[Job::class, 'run']`.
fn callable(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (Some(of), Some(name), None) =
        (node.named_child(0), node.named_child(1), node.named_child(2))
    else {
        return;
    };
    let is_plain = |part: &Node<'_>| part.named_child_count() == 1;
    let [of, name] = [of, name].map(|part| part.named_child(0).filter(|_| is_plain(&part)));
    let (Some(of), Some(name)) = (of, name) else { return };
    let is_literal = matches!(name.kind_name(), "string" | "encapsed_string");
    let Some(name) = modifiers::child(name, &["string_content"]).filter(|_| is_literal) else {
        return;
    };
    let is_name = visit.bytes(name).iter().all(|&byte| is_name(byte));
    let receiver = match of.kind_name() {
        "class_constant_access_expression" => of.named_child(0),
        "variable_name" | "object_creation_expression" => Some(of),
        _ => None,
    };
    if let Some(receiver) = receiver.filter(|_| is_name) {
        let of = match receiver.kind_name() {
            "name" | "qualified_name" => Some(Chain::instance(&visit.text_of(receiver))),
            _ => values::of(visit, notes, receiver),
        };
        notes.refer(visit, name, Role::Read, chain::receiver(of));
    }
}

/// Records the method of a trait that gets another name: `use Logs { write as note; }`.
fn aliased(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(of) = visit.node().named_child(0) else { return };
    let (name, of) = match of.kind_name() {
        "class_constant_access_expression" => (of.named_child(1), of.named_child(0)),
        _ => {
            let traits = visit.ancestor(2).filter(|it| it.kind_name() == "use_declaration");
            let mut traits = traits.into_iter().flat_map(modifiers::children);
            let first = traits.find(|of| values::is_name(*of));
            (Some(of), first.filter(|_| traits.all(|of| !values::is_name(of))))
        }
    };
    let receiver = of.map(|of| Chain::instance(&visit.text_of(of)));
    if let Some(name) = name {
        notes.refer(visit, name, Role::Read, chain::receiver(receiver));
    }
}

/// Returns true for a call in whose place the function itself is meant: `f(...)`.
fn is_placeholder(call: Node<'_>) -> bool {
    let list = call.field("arguments");
    list.is_some_and(|list| modifiers::child(list, &["variadic_placeholder"]).is_some())
}

/// Returns true for a variable that holds a function of the scope of the visited node, or of a scope
/// around the closures that enclose it.
fn is_closure(visit: &Visit<'_, '_>, variable: Node<'_>) -> bool {
    if variable.kind_name() != "variable_name" {
        return false;
    }
    let name = visit.bytes(variable);
    let mut scope = visit.enclosing_index();
    loop {
        let mut members = visit.symbols.iter().filter(|symbol| symbol.parent == scope);
        if members.any(|symbol| symbol.name.as_bytes() == name) {
            return true;
        }
        let around = scope.and_then(|scope| visit.symbols.get(scope));
        match around.filter(|around| around.name.starts_with('$')) {
            Some(around) => scope = around.parent,
            None => return false,
        }
    }
}

/// Records the property or constant that the visited expression reads or assigns.
fn member(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (name, of) = match node.kind_name() {
        "class_constant_access_expression" => (node.named_child(1), node.named_child(0)),
        _ => (node.field("name"), node.field("object").or_else(|| node.field("scope"))),
    };
    let (Some(name), Some(of)) = (name, of) else { return };
    let mut span = name.byte_range();
    match (name.kind_name(), node.kind_name()) {
        ("name", _) if visit.bytes(name) != b"class" => {}
        // `A::$name`
        ("variable_name", "scoped_property_access_expression") => span.start += 1,
        _ => return,
    }
    let role = match visit.ancestor_kind(1) {
        "use_as_clause" | "use_instead_of_clause" => return,
        "assignment_expression" | "augmented_assignment_expression"
            if visit.own_field() == "left" =>
        {
            Role::Write
        }
        "update_expression" | "unset_statement" => Role::Write,
        _ => Role::Read,
    };
    let receiver = chain::receiver(values::of(visit, notes, of));
    notes.refer_span(visit, span, role, receiver, None);
}

/// Records the call of a member.
fn member_call(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let name = node.field("name").filter(|name| name.kind_name() == "name");
    let of = node.field("object").or_else(|| node.field("scope"));
    let (Some(name), Some(of)) = (name, of) else { return };
    let receiver = chain::receiver(values::of(visit, notes, of));
    if is_placeholder(node) {
        return notes.refer(visit, name, Role::Read, receiver);
    }
    notes.call(visit, name, receiver, arguments(node));
}

/// Records the call of a function, or of the constructor of a class.
fn named_call(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, name: Node<'_>) {
    let arguments = arguments(visit.node());
    let is_new = visit.node().kind_name() == "object_creation_expression";
    match visit.bytes(name) {
        b"self" | b"static" if is_new => {
            notes.call(visit, name, Some(Chain::own()), arguments);
        }
        b"parent" if is_new => notes.call(visit, name, Some(Chain::base()), arguments),
        _ => {
            let (name, prefix) = qualified(visit, name);
            if is_placeholder(visit.node()) {
                return notes.refer(visit, name, Role::Read, prefix);
            }
            notes.call(visit, name, prefix, arguments);
        }
    }
}

/// Splits a qualified name into its last name and the namespace before it, with the `\` at its end.
fn qualified<'t>(visit: &Visit<'_, '_>, node: Node<'t>) -> (Node<'t>, Option<Chain>) {
    if node.kind_name() == "name" {
        return (node, None);
    }
    let last = modifiers::children(node).filter(|part| part.kind_name() == "name").last();
    let Some(last) = last else { return (node, None) };
    let prefix = &visit.text[node.start_byte()..last.start_byte()];
    (last, Some(Chain::name(String::from_utf8_lossy(prefix))))
}

fn arguments(call: Node<'_>) -> usize {
    let list = call.field("arguments").or_else(|| call.field("parameters"));
    let list = list.or_else(|| modifiers::child(call, &["arguments"]));
    let arguments = list.into_iter().flat_map(modifiers::children);
    arguments.filter(|part| part.kind_name() == "argument").count()
}

/// Records `use a\b;`, `use a\b as c;` or one name of `use a\{b, c};`.
fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(written) = modifiers::child(node, &["qualified_name", "name"]) else { return };
    let mut path = visit.text_of(written).trim_start_matches('\\').to_owned();
    if visit.ancestor_kind(1) == "namespace_use_group" {
        let around = visit.ancestor(2).and_then(|all| modifiers::child(all, &["namespace_name"]));
        if let Some(around) = around {
            path = format!("{}\\{path}", visit.text_of(around));
        }
    }
    let alias = node.field("alias").map(|alias| visit.text_of(alias));
    let (module, name) = path.rsplit_once('\\').unwrap_or(("", &path));
    let (last, _) = qualified(visit, written);
    notes.refer(visit, last, Role::Import, Some(Chain::name(format!("\\{module}\\"))));
    let names = vec![mentions::imported(name, alias)];
    let (span, line) = (node.byte_range(), node.start_position().row + 1);
    let module = module.to_owned();
    notes.import(Import { span, line, kind: ImportKind::Module, module, names });
}

/// Records `require 'a.php'`, optionally with `__DIR__ .` before the path.
fn include(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some(mut path) = node.named_child(0) else { return };
    if path.kind_name() == "parenthesized_expression" {
        path = path.named_child(0).unwrap_or(path);
    }
    let left = path.field("left").map(|left| visit.text_of(left));
    if path.kind_name() == "binary_expression" && left.as_deref() == Some("__DIR__") {
        path = path.field("right").unwrap_or(path);
    }
    let is_literal = matches!(path.kind_name(), "string" | "encapsed_string");
    let content = Some(path).filter(|path| is_literal && path.named_child_count() == 1);
    let content = content.and_then(|path| modifiers::child(path, &["string_content"]));
    if let Some(content) = content {
        mentions::include(visit, notes, ImportKind::LocalInclude, visit.text_of(content));
    }
}

/// Records the types that a type extends and implements, and the traits that it uses.
fn bases(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    documented(visit, notes);
    let body = node.field("body").into_iter().flat_map(modifiers::children);
    let used = body.filter(|member| member.kind_name() == "use_declaration");
    let clauses = modifiers::children(node)
        .filter(|clause| matches!(clause.kind_name(), "base_clause" | "class_interface_clause"));
    // A trait's method overrides that of a base class.
    for list in used.chain(clauses) {
        for of in modifiers::children(list).filter(|of| values::is_name(*of)) {
            let (last, prefix) = qualified(visit, of);
            notes.refer(visit, last, Role::Base, prefix);
            if !visit.defined.is_empty() {
                notes.add_base(visit.defined.start, Chain::name(visit.text_of(of)));
            }
        }
    }
}

/// Records the types of the methods that the documentation of the visited type declares, and the types
/// that it mixes in.
fn documented(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(index) = visit.defined.clone().next() else { return };
    let comment = visit.leading_text(0);
    for (method, at) in doc::methods(&comment).iter().zip(visit.defined.clone().skip(1)) {
        if let Some(chain) = doc::result(&comment, method) {
            notes.set_type(at, chain);
        }
    }
    for mixin in doc::mixins(&comment) {
        notes.add_base(index, Chain::parameter_of_block("mixin", &Chain::name(mixin)));
    }
}
