//! C# references: records calls, imports, bases, local names and declared types.

use tree_sitter::Node;

use super::{locals, values};
use crate::lang::chain::{self, Step};
use crate::lang::facts::{Chain, Role};
use crate::lang::grammars::{mentions, modifiers};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::visit::Visit;

/// Node kinds that open a scope for local names.
pub(super) const SCOPES: &[&str] = &[
    "class_declaration",
    "struct_declaration",
    "record_declaration",
    "interface_declaration",
    "method_declaration",
    "constructor_declaration",
    "destructor_declaration",
    "operator_declaration",
    "conversion_operator_declaration",
    "local_function_statement",
    "lambda_expression",
    "anonymous_method_expression",
    "accessor_declaration",
    "indexer_declaration",
    "property_declaration",
    "block",
    "for_statement",
    "foreach_statement",
    "using_statement",
    "catch_clause",
    "switch_section",
    "query_expression",
];

/// Maximum number of parentheses around a name.
const LEVELS_MAX: usize = 16;

/// Records what the visited node imports, declares, extends or calls.
pub(super) fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "namespace_declaration" | "file_scoped_namespace_declaration" => namespace(visit, notes),
        "using_directive" => using(visit, notes),
        "class_declaration"
        | "struct_declaration"
        | "record_declaration"
        | "interface_declaration" => {
            locals::type_parameters(visit, notes);
            bases(visit, notes);
        }
        "method_declaration" => {
            locals::type_parameters(visit, notes);
            locals::typed(visit, notes, node.field("returns"));
        }
        "local_function_statement" | "delegate_declaration" => {
            locals::type_parameters(visit, notes);
            locals::typed(visit, notes, node.field("type"));
        }
        "property_declaration" | "indexer_declaration" | "event_declaration" => {
            locals::typed(visit, notes, node.field("type"));
        }
        "field_declaration" | "event_field_declaration" => {
            let list = modifiers::child(node, &["variable_declaration"]);
            locals::typed(visit, notes, list.and_then(|list| list.field("type")));
        }
        "parameter"
        | "catch_declaration"
        | "declaration_pattern"
        | "recursive_pattern"
        | "declaration_expression" => locals::variable(visit, notes),
        "variable_declarator" => locals::declarator(visit, notes),
        "foreach_statement" | "from_clause" => locals::each(visit, notes),
        "lambda_expression" => locals::lambda(visit, notes),
        "identifier" => value_name(visit, notes),
        "invocation_expression" => invocation(visit, notes),
        "object_creation_expression" => {
            if let Some(of) = node.field("type") {
                created(visit, notes, of, arguments(node));
            }
        }
        "implicit_object_creation_expression" => implicit(visit, notes),
        "constructor_initializer" => {
            let word = modifiers::child(node, &["base", "this"]);
            let Some(word) = word else { return };
            let is_base = word.kind_name() == "base";
            let of = if is_base { Chain::base() } else { Chain::own() };
            notes.call(visit, word, Some(of), arguments(node));
        }
        "attribute" => attribute(visit, notes),
        "primary_constructor_base_type" => {
            let of = node.field("type").or_else(|| node.named_child(0));
            if let Some(of) = of {
                created(visit, notes, of, arguments(node));
            }
        }
        _ => {}
    }
}

fn arguments(call: Node<'_>) -> usize {
    let list = call.field("arguments").or_else(|| modifiers::child(call, &["argument_list"]));
    let arguments = list.into_iter().flat_map(modifiers::children);
    arguments.filter(|part| part.kind_name() == "argument").count()
}

fn namespace(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let name = visit.node().field("name").map(|name| mentions::path(visit, name));
    // Of several sibling namespaces the first is the file's package, of nested ones the innermost.
    let is_first = notes.package.is_none();
    let around = visit.enclosing().map(|symbol| symbol.qualified_name.clone());
    match (name, around) {
        (Some(name), Some(around)) if notes.package.as_ref() == Some(&around) => {
            notes.package = Some(format!("{around}.{name}"));
        }
        (name, _) if is_first => notes.package = name,
        _ => {}
    }
}

/// Records `using a.b;`, which imports all names of a namespace or, with `static`, of a type, or
/// `using a = b.c;`.
fn using(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let alias = node.field("name");
    let kinds = ["identifier", "qualified_name", "alias_qualified_name", "generic_name"];
    let path = modifiers::children(node)
        .filter(|part| {
            kinds.contains(&part.kind_name()) && Some(part.id()) != alias.map(|of| of.id())
        })
        .last();
    let Some(path) = path.map(|path| mentions::path(visit, path)) else { return };
    let path = path.split('<').next().unwrap_or_default().trim_start_matches("global..");
    match alias {
        Some(alias) => {
            let alias = visit.text_of(alias);
            mentions::import_last(visit, notes, path, '.', Some(alias));
        }
        None => {
            let names = vec![mentions::imported("*", None)];
            mentions::import(visit, notes, path.to_owned(), names);
        }
    }
}

/// Records the types that a type extends and implements.
fn bases(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let list = modifiers::child(visit.node(), &["base_list"]);
    for of in list.into_iter().flat_map(modifiers::children).filter(Node::is_named) {
        let of = match of.kind_name() {
            "primary_constructor_base_type" => of.field("type").or_else(|| of.named_child(0)),
            _ => Some(of),
        };
        let Some(of) = of else { continue };
        let Some((name, before)) = named(of) else { continue };
        let before = before.map(|before| Chain::name(mentions::path(visit, before)));
        notes.refer(visit, name, Role::Base, before);
        if let (Some(name), false) = (values::type_name(visit, notes, of), visit.defined.is_empty())
        {
            notes.add_base(visit.defined.start, chain::without_arguments(&name));
        }
        // `class A(int x) : B(x)`
        let list = of.next_named_sibling().filter(|next| next.kind_name() == "argument_list");
        if let Some(list) = list {
            let given = modifiers::children(list).filter(|part| part.kind_name() == "argument");
            created(visit, notes, of, given.count());
        }
    }
}

/// Returns the last name of a type, and the type or namespace before it.
fn named(of: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    match of.kind_name() {
        "nullable_type" => named(of.field("type")?),
        _ => values::callee(of),
    }
}

fn invocation(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let Some((name, of)) = node.field("function").and_then(values::callee) else { return };
    let receiver = match of {
        Some(of) => chain::receiver(values::of(visit, notes, of)),
        // A call of a local variable does not refer to a definition.
        None if matches!(notes.local(visit.bytes(name)), NameLookup::Local(_)) => return,
        None if visit.bytes(name) == b"nameof" => return,
        None => None,
    };
    notes.call(visit, name, receiver, arguments(node));
}

/// Records the visited name if it is used as a value without being called, such as a method that is
/// passed or assigned.
fn value_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut levels = 0;
    // `h<int>`
    if visit.ancestor_kind(1) == "generic_name"
        && visit.ancestor(1).is_some_and(|of| of.start_byte() == node.start_byte())
    {
        levels += 1;
    }
    if levels == 0 && set(visit, notes) {
        return;
    }
    let is_member = visit.field_above(levels) == "name"
        && matches!(
            visit.ancestor_kind(levels + 1),
            "member_access_expression" | "member_binding_expression"
        );
    levels += usize::from(is_member);
    // `a?.b`
    let is_bound = visit.ancestor_kind(levels) == "member_binding_expression";
    levels += usize::from(is_bound);
    let is_local = || matches!(notes.local(visit.bytes(node)), NameLookup::Local(_));
    let Some(role) = role(visit, levels).filter(|_| is_member || !is_local()) else { return };
    let object = visit.ancestor(levels).filter(|_| is_member);
    let object = object.and_then(|of| of.field(if is_bound { "condition" } else { "expression" }));
    let receiver = object
        .map(|of| chain::receiver(values::of(visit, notes, of)).unwrap_or_else(Chain::unknown));
    // A bare name before a member is mostly a type or a namespace.
    let is_bare_object = !is_member && visit.field_above(levels) == "expression";
    if is_bare_object && visit.bytes(node).first().is_some_and(u8::is_ascii_uppercase) {
        return;
    }
    notes.refer(visit, node, role, receiver);
}

/// Records the property that the visited name sets in an initializer (`new A { Name = 1 }`, `a with
/// { Name = 1 }`), or tests in a pattern (`is A { Name: 1 }`). Returns false for other names.
fn set(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) -> bool {
    let node = visit.node();
    let Some(around) = visit.ancestor(1) else { return false };
    let (of, role) = match around.kind_name() {
        "assignment_expression"
            if visit.own_field() == "left"
                && visit.ancestor_kind(2) == "initializer_expression" =>
        {
            let created = visit.ancestor(3);
            (created.and_then(|of| values::of(visit, notes, of)), Role::Write)
        }
        "with_initializer" if node.next_sibling().is_some_and(|it| it.kind_name() == "=") => {
            let changed = visit.ancestor(2).and_then(|all| all.named_child(0));
            (changed.and_then(|of| values::of(visit, notes, of)), Role::Write)
        }
        "subpattern" if node.next_sibling().is_some_and(|it| it.kind_name() == ":") => {
            let of = visit.ancestor(3).and_then(|pattern| pattern.field("type"));
            let name = of.and_then(|of| values::type_name(visit, notes, of));
            (name.and_then(|name| chain::instance(&name)), Role::Read)
        }
        _ => return false,
    };
    notes.refer(visit, node, role, Some(of.unwrap_or_else(Chain::unknown)));
    true
}

/// Returns the role of the expression `levels` above the visited node if it is used as a value: it is
/// not called, and no type or declared name.
fn role(visit: &Visit<'_, '_>, levels: usize) -> Option<Role> {
    let field = visit.field_above(levels);
    let around = visit.ancestor(levels + 1)?;
    match around.kind_name() {
        "assignment_expression" if field == "left" => Some(Role::Write),
        "prefix_unary_expression" | "postfix_unary_expression"
            if modifiers::child(around, &["++", "--"]).is_some() =>
        {
            Some(Role::Write)
        }
        // `(h)()` and `h!()` are calls.
        "parenthesized_expression" | "postfix_unary_expression" if levels < LEVELS_MAX => {
            role(visit, levels + 1)
        }
        _ => is_value(visit, levels).then_some(Role::Read),
    }
}

/// Returns true if the expression `levels` above the visited node is read.
fn is_value(visit: &Visit<'_, '_>, levels: usize) -> bool {
    let field = visit.field_above(levels);
    match visit.ancestor_kind(levels + 1) {
        "argument" if field == "name" => false,
        // `nameof(h)` is a string.
        "argument" => visit.ancestor(levels + 3).is_none_or(|call| {
            call.field("function").is_none_or(|of| visit.bytes(of) != b"nameof")
        }),
        "assignment_expression" => field == "right",
        "member_access_expression" | "element_access_expression" => field == "expression",
        "conditional_access_expression" => field == "condition",
        "is_pattern_expression" => field == "expression",
        "if_statement" | "while_statement" | "do_statement" => field == "condition",
        "switch_statement" | "lock_statement" => field == "value" || field.is_empty(),
        "foreach_statement" => field == "right",
        "prefix_unary_expression"
        | "throw_statement"
        | "throw_expression"
        | "switch_expression"
        | "range_expression"
        | "tuple_element"
        | "with_expression" => true,
        "as_expression" | "is_expression" => field == "left",
        "variable_declarator" => field != "name",
        "property_declaration" | "cast_expression" => field == "value",
        "lambda_expression" => field == "body",
        "return_statement"
        | "yield_statement"
        | "arrow_expression_clause"
        | "conditional_expression"
        | "binary_expression"
        | "initializer_expression"
        | "expression_element"
        | "switch_expression_arm"
        | "await_expression"
        | "interpolation" => true,
        _ => false,
    }
}

/// Records the call of the constructor of the type `of`.
fn created(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, of: Node<'_>, arguments: usize) {
    let Some((name, before)) = named(of) else { return };
    if matches!(notes.local(visit.bytes(name)), NameLookup::Local(_)) {
        return;
    }
    let before = before.map(|before| Chain::name(mentions::path(visit, before)));
    notes.call(visit, name, before, arguments);
}

/// Records the visited attribute as a call of its constructor. It has no number of arguments, which
/// distinguishes it from other calls: its name may lack the end of the type's name.
fn attribute(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some((name, before)) = visit.node().field("name").and_then(named) else { return };
    let before = before.map(|before| Chain::name(mentions::path(visit, before)));
    notes.refer_span(visit, name.byte_range(), Role::Call, before, None);
}

/// Records the call of the constructor by `new(…)`, whose type is that of the variable, property or
/// method that it is the value of. The recorded name is that of the type.
fn implicit(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let count = arguments(visit.node());
    if visit.ancestor_kind(1) == "argument" {
        return implicit_argument(visit, notes, count);
    }
    let of = match visit.ancestor_kind(1) {
        "variable_declarator" => visit.ancestor(2).and_then(|list| list.field("type")),
        "property_declaration" => visit.ancestor(1).and_then(|all| all.field("type")),
        "arrow_expression_clause" => {
            visit.ancestor(2).and_then(|of| of.field("returns").or_else(|| of.field("type")))
        }
        "return_statement" => {
            let around = (2..64).map_while(|level| visit.ancestor(level));
            let function =
                around.take_while(|of| !of.kind_name().starts_with("lambda")).find(|of| {
                    of.field("returns").is_some() || of.kind_name() == "local_function_statement"
                });
            function.and_then(|of| of.field("returns").or_else(|| of.field("type")))
        }
        _ => None,
    };
    let of = of.filter(|of| of.kind_name() != "implicit_type");
    if let Some(of) = of {
        created(visit, notes, of, count);
    }
}

/// Records the call of the constructor by `new(…)` as an argument, whose type is that of the parameter. The
/// recorded name is `new`, and the receiver the parameter.
fn implicit_argument(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, count: usize) {
    let word = modifiers::child(visit.node(), &["new"]);
    let parts = (visit.ancestor(1), visit.ancestor(2), visit.ancestor(3), word);
    let (Some(argument), Some(list), Some(call), Some(word)) = parts else { return };
    // The argument of a named parameter has another position.
    if argument.field("name").is_some() {
        return;
    }
    let given = modifiers::children(list).filter(|of| of.kind_name() == "argument");
    let place = given.take_while(|of| of.id() != argument.id()).count();
    let function = match call.kind_name() {
        "invocation_expression" => {
            let callee = call.field("function").and_then(values::callee);
            callee.and_then(|(name, of)| match of {
                Some(of) => chain::member(values::of(visit, notes, of), visit.bytes(name)),
                None => Some(Chain::name(visit.text_of(name))),
            })
        }
        "object_creation_expression" => {
            let of = call.field("type").and_then(|of| values::type_name(visit, notes, of));
            of.map(Chain::name)
        }
        _ => None,
    };
    if let Some(of) = function.and_then(|of| of.then(Step::Parameter(place.into())).bounded()) {
        notes.call(visit, word, Some(of), count);
    }
}
