//! References of JavaScript and TypeScript: the role of each name, and its receiver.
//!
//! `chain` computes chains of values, `types` those of types; `names` declares local names.

use tree_sitter::Node;

use crate::lang::code_text::is_name;
use crate::lang::facts::{Chain, Role};
use crate::lang::node::NodeNames;
use crate::lang::notes::{NameLookup, Notes};
use crate::lang::symbols::SymbolKind;
use crate::lang::visit::Visit;

use super::{
    chain, doc, expected, exports, fields, imports, is_function, mixins, names, narrow, types,
    wrappers,
};

/// Maximum number of parentheses and assertions around an expression that is called.
const LEVELS_MAX: usize = 16;

/// Nodes that are scopes of local names.
pub(super) const SCOPES: &[&str] = &[
    "program",
    "statement_block",
    "function_declaration",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
    "function_signature",
    "method_signature",
    "abstract_method_signature",
    "call_signature",
    "construct_signature",
    "function_type",
    "constructor_type",
    "class_declaration",
    "abstract_class_declaration",
    "class",
    "interface_declaration",
    "type_alias_declaration",
    "for_statement",
    "for_in_statement",
    "catch_clause",
    "switch_body",
];

pub(super) fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    match node.kind_name() {
        "identifier" | "shorthand_property_identifier" => {
            identifier(visit, notes);
            fields::shorthand(visit, notes);
            key(visit, notes);
        }
        "property_identifier" | "private_property_identifier" => {
            property(visit, notes);
            key(visit, notes);
        }
        "subscript_expression" => literal_member(visit, notes),
        "type_identifier" => type_name(visit, notes),
        "super" => base_constructor(visit, notes),
        "function_declaration"
        | "generator_function_declaration"
        | "method_definition"
        | "function_signature"
        | "method_signature"
        | "abstract_method_signature" => {
            names::function(visit, notes);
            if let Some(index) = visit.defined.clone().next() {
                returns(visit, notes, index, node);
            }
        }
        "function_expression" | "generator_function" | "arrow_function" => {
            names::function(visit, notes);
            function_value(visit, notes);
        }
        "call_signature" | "construct_signature" | "function_type" | "constructor_type" => {
            names::function(visit, notes);
        }
        "class_declaration" | "abstract_class_declaration" | "class" => class(visit, notes),
        "interface_declaration" => {
            types::declare_parameters(visit, notes);
            bases_of_interface(visit, notes);
        }
        "type_alias_declaration" => alias(visit, notes),
        "variable_declarator" => {
            names::variable(visit, notes);
            imports::variable(visit, notes);
        }
        "for_in_statement" => {
            names::widen(visit, notes);
            names::for_in(visit, notes);
        }
        "for_statement" | "do_statement" => names::widen(visit, notes),
        "while_statement" => {
            names::widen(visit, notes);
            narrow::narrow(visit, notes);
        }
        "catch_clause" => names::catch(visit, notes),
        "if_statement" | "ternary_expression" | "binary_expression" => {
            narrow::narrow(visit, notes);
        }
        "assignment_expression" => {
            names::assigned(visit, notes);
            fields::assigned(visit, notes);
            exports::assigned(visit, notes);
            exports::typed(visit, notes);
            mixins::prototype(visit, notes);
        }
        "public_field_definition" | "field_definition" | "property_signature" | "pair" => {
            fields::typed(visit, notes);
        }
        "required_parameter" | "optional_parameter" => fields::typed_parameter(visit, notes),
        "return_statement" => returned(visit, notes),
        "import_statement" => imports::statement(visit, notes),
        "import_alias" => imports::alias(visit, notes),
        "export_statement" => exports::statement(visit, notes),
        "new_expression" => imports::evaluated(visit, notes),
        "call_expression" => {
            imports::call(visit, notes);
            mixins::assigned(visit, notes);
        }
        _ => {}
    }
}

/// Records the return type of a function, or the value of an arrow function.
fn returns(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, index: usize, function: Node<'_>) {
    if let Some(annotated) = function.field("return_type") {
        wrappers::declared(visit, notes, index, function, annotated);
        if let Some(chain) = types::chain(visit, notes, annotated) {
            notes.set_type(index, chain);
        }
        return;
    }
    if visit.node() == function {
        let documented = doc::tagged(&doc::comment(visit), &["@returns", "@return"], None);
        if let Some(chain) = documented {
            notes.set_type(index, chain);
            return;
        }
    }
    let body = function.field("body");
    let Some(body) = body.filter(|body| body.kind_name() != "statement_block") else { return };
    wrappers::returned(visit, notes, index, function, body);
    if let Some(chain) = chain::value(visit, notes, body) {
        let is_async = function.child(0).is_some_and(|word| word.kind_name() == "async");
        notes.add_value(index, Some(if is_async { chain::promise(chain) } else { chain }));
    }
}

/// Records the return type of the visited function if it is the value of a symbol.
fn function_value(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let is_symbol = matches!(
        visit.ancestor_kind(1),
        "variable_declarator"
            | "pair"
            | "assignment_expression"
            | "public_field_definition"
            | "field_definition"
            | "export_statement"
    );
    let Some(index) = visit.own_or_enclosing_index().filter(|_| is_symbol) else { return };
    if !ends_within(visit, index, 2) {
        return;
    }
    if visit.symbols.get(index).is_some_and(|symbol| symbol.kind.is_callable()) {
        returns(visit, notes, index, node);
    }
}

/// Returns true if a symbol ends inside of the ancestor `levels` above. A function that is assigned
/// to something without a name, such as `a[b]`, is no symbol, and the one around it ends later.
fn ends_within(visit: &Visit<'_, '_>, index: usize, levels: usize) -> bool {
    let end = visit.symbols.get(index).map(|symbol| symbol.span.end);
    visit.ancestor(levels).is_none_or(|around| end.is_none_or(|end| end <= around.end_byte()))
}

/// Records one returned value of a function.
fn returned(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(value) = visit.node().named_child(0) else { return };
    // A value returned by a nested callback is not returned by the enclosing symbol.
    let function = (1..64).find(|&level| {
        let kind = visit.ancestor(level).map(|node| (node.kind_name(), is_function(node)));
        kind.is_none_or(|(kind, is_function)| {
            is_function || matches!(kind, "function_declaration" | "method_definition")
        })
    });
    let Some((level, function)) = function.and_then(|level| Some((level, visit.ancestor(level)?)))
    else {
        return;
    };
    let is_symbol = !is_function(function)
        || matches!(
            visit.ancestor_kind(level + 1),
            "variable_declarator"
                | "pair"
                | "assignment_expression"
                | "public_field_definition"
                | "field_definition"
                | "export_statement"
        );
    let Some(index) = visit.own_or_enclosing_index().filter(|_| is_symbol) else { return };
    // A method of an object literal may be no symbol.
    let around = level + if is_function(function) { 2 } else { 1 };
    if !ends_within(visit, index, around) {
        return;
    }
    wrappers::returned(visit, notes, index, function, value);
    let is_async =
        (0..4).map_while(|at| function.child(at)).any(|word| word.kind_name() == "async");
    match chain::value(visit, notes, value) {
        Some(chain) => {
            notes.add_value(index, Some(if is_async { chain::promise(chain) } else { chain }));
        }
        // A parameter.
        None if matches!(notes.local(visit.bytes(value)), NameLookup::Local(_)) => {
            notes.add_value(index, None);
        }
        None => {}
    }
}

/// Records what the visited class extends and implements.
fn class(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    types::declare_parameters(visit, notes);
    names::own_instance(notes);
    let Some(index) = visit.own_or_enclosing_index() else { return };
    let Some(heritage) = visit.child(visit.node(), "class_heritage") else { return };
    match visit.symbols.get(index).map(|symbol| symbol.kind) {
        Some(SymbolKind::Class) => {}
        Some(SymbolKind::Function) => return mixins::returned(visit, notes, index, heritage),
        _ => return,
    }
    let mut cursor = heritage.walk();
    for clause in heritage.named_children(&mut cursor).take(8) {
        match clause.kind_name() {
            "extends_clause" => {
                if let Some(base) = clause.field("value") {
                    mixins::extended(visit, notes, index, base);
                }
            }
            "implements_clause" => {
                let mut cursor = clause.walk();
                for base in clause.named_children(&mut cursor).take(32) {
                    add_base(notes, index, types::chain(visit, notes, base));
                }
            }
            _ => mixins::extended(visit, notes, index, clause),
        }
    }
}

pub(super) fn add_base(notes: &mut Notes<'_>, index: usize, chain: Option<Chain>) {
    if let Some(chain) = chain {
        notes.add_base(index, chain.type_of().without_arguments());
    }
}

fn bases_of_interface(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let (Some(index), Some(clause)) =
        (visit.own_or_enclosing_index(), visit.child(visit.node(), "extends_type_clause"))
    else {
        return;
    };
    let mut cursor = clause.walk();
    for base in clause.named_children(&mut cursor).take(32) {
        add_base(notes, index, types::chain(visit, notes, base));
    }
}

/// Records the target of the visited type alias; of a target with several parts, each is a base.
fn alias(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    types::declare_parameters(visit, notes);
    let (Some(index), Some(value)) = (visit.own_or_enclosing_index(), visit.node().field("value"))
    else {
        return;
    };
    // An unknown base marks an alias of one of several types, a second one that some are not known.
    let union = types::chain(visit, notes, value);
    let union = union.filter(|of| of.several().is_some() && !of.is_all());
    let mut is_open = false;
    let mut rest = vec![value];
    for _ in 0..64 {
        let Some(part) = rest.pop() else { break };
        if matches!(part.kind_name(), "intersection_type" | "union_type") {
            let mut cursor = part.walk();
            let mut parts: Vec<Node<'_>> = part.named_children(&mut cursor).take(32).collect();
            parts.reverse();
            rest.extend(parts);
        } else if let Some((mapped, _)) =
            types::mapped(visit, notes, part).filter(|_| part.id() != value.id())
        {
            add_base(notes, index, Some(mapped));
        } else if let Some(chain) = types::chain(visit, notes, part) {
            if part.id() == value.id() {
                notes.set_type(index, chain);
                return;
            }
            if chain.has_type_parameter() {
                is_open = true;
            } else {
                add_base(notes, index, Some(chain));
            }
        } else {
            is_open |= part.kind_name() != "object_type" && !types::is_empty(visit, part);
        }
    }
    if union.is_some() {
        notes.add_base(index, Chain::unknown());
        if is_open || !rest.is_empty() {
            notes.add_base(index, Chain::unknown());
        }
    }
}

fn identifier(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let field = visit.own_field();
    match visit.ancestor_kind(1) {
        // A declared or imported name, which is not a use.
        "function_declaration"
        | "generator_function_declaration"
        | "function_expression"
        | "generator_function"
        | "class_declaration"
        | "class"
        | "function_signature"
        | "enum_declaration"
        | "internal_module"
        | "module"
        | "import_clause"
        | "namespace_import"
        | "import_specifier"
        | "export_specifier"
        | "namespace_export"
        | "formal_parameters"
        | "rest_pattern"
        | "array_pattern"
        | "jsx_closing_element"
        | "type_predicate"
        | "jsx_namespace_name"
        | "import_require_clause"
        | "import_alias"
        | "index_signature"
        | "nested_identifier" => return,
        "variable_declarator" if field == "name" => return,
        "required_parameter" | "optional_parameter" if field == "pattern" => return,
        "assignment_pattern" | "object_assignment_pattern" if field == "left" => return,
        "pair_pattern" | "catch_clause" if field != "key" => return,
        "arrow_function" if field == "parameter" => return,
        "for_in_statement" if field == "left" => return,
        _ => {}
    }
    let name = visit.bytes(node);
    let receiver = match notes.local(name) {
        NameLookup::NotLocal => None,
        // A local variable with the name of the member that it holds is a use of that member.
        NameLookup::Local(chain) => match chain.and_then(Chain::split_member) {
            Some((receiver, last)) if last.as_bytes() == name => Some(receiver),
            _ => return,
        },
    };
    note(visit, notes, node, 1, receiver);
}

fn property(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(around) = visit.ancestor(1).filter(|node| node.kind_name() == "member_expression")
    else {
        return;
    };
    let receiver = around.child(0).and_then(|object| chain::value(visit, notes, object));
    if imports::is_bound_member(visit) {
        return notes.refer(visit, visit.node(), Role::Import, None);
    }
    let is_closing = visit.ancestor_kind(2) == "jsx_closing_element";
    if !is_closing {
        let receiver = receiver.unwrap_or_else(Chain::unknown);
        note(visit, notes, visit.node(), 2, Some(receiver));
    }
}

/// Records the member that a key of the visited object literal sets, if the object that is expected there
/// is known: `const a: A = { name: 1 }`, `f({ name })`.
fn key(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let (node, around) = (visit.node(), visit.ancestor(1));
    let level = match around.map(|around| around.kind_name()) {
        Some("pair") if visit.own_field() == "key" => 2,
        Some("object") if node.kind_name() == "shorthand_property_identifier" => 1,
        _ => return,
    };
    if !visit.defined.is_empty() || visit.ancestor_kind(level) != "object" {
        return;
    }
    if let Some(of) = expected::around(visit, notes, level) {
        notes.refer(visit, node, Role::Write, Some(of));
    }
}

/// Records the use of a member by its literal name: `x['f']()`, `x['f']`.
fn literal_member(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let literal = node.field("index");
    let Some(name) = literal.filter(|of| chain::literal(*of).is_some()) else { return };
    let name = name.named_child(0).filter(|of| visit.bytes(*of).iter().all(|&byte| is_name(byte)));
    let Some(name) = name else { return };
    let receiver = node.child(0).and_then(|object| chain::value(visit, notes, object));
    note(visit, notes, name, 1, Some(receiver.unwrap_or_else(Chain::unknown)));
}

/// Records a use of `name`; the ancestor at `level` and those above determine its role.
fn note(
    visit: &Visit<'_, '_>,
    notes: &mut Notes<'_>,
    name: Node<'_>,
    level: usize,
    receiver: Option<Chain>,
) {
    let level = called_level(visit, level);
    let Some(outer) = visit.ancestor(level) else { return };
    let field = visit.field_above(level - 1);
    let role = match (outer.kind_name(), field) {
        ("call_expression", "function") | ("new_expression", "constructor") => {
            let arguments = outer.field("arguments");
            let count = arguments.map_or(0, |arguments| match arguments.kind_name() {
                "arguments" => arguments.element_count(),
                _ => 1,
            });
            return notes.call(visit, name, receiver, count);
        }
        ("jsx_opening_element" | "jsx_self_closing_element", "name") => {
            // A lowercase name is an HTML element.
            let is_element =
                receiver.is_none() && visit.bytes(name).first().is_some_and(u8::is_ascii_lowercase);
            if is_element {
                return;
            }
            Role::Call
        }
        ("decorator", _) => Role::Call,
        ("assignment_expression" | "augmented_assignment_expression", "left") => Role::Write,
        ("update_expression", _) => Role::Write,
        ("extends_clause", "value") | ("class_heritage", _) => Role::Base,
        _ => Role::Read,
    };
    notes.refer(visit, name, role, receiver);
}

/// Returns the level of the call in `(f)()`, `f!()` and `(0, f)()`, where that of the expression around
/// `f` is `level`; otherwise `level`.
fn called_level(visit: &Visit<'_, '_>, level: usize) -> usize {
    for outer in level..level + LEVELS_MAX {
        let (Some(inner), Some(around)) = (visit.ancestor(outer - 1), visit.ancestor(outer)) else {
            return level;
        };
        match around.kind_name() {
            "parenthesized_expression" | "non_null_expression" => {}
            "as_expression" | "satisfies_expression" | "instantiation_expression"
                if inner.start_byte() == around.start_byte() => {}
            "sequence_expression" if inner.end_byte() == around.end_byte() => {}
            "call_expression" | "new_expression"
                if matches!(visit.field_above(outer - 1), "function" | "constructor") =>
            {
                return outer;
            }
            _ => return level,
        }
    }
    level
}

fn type_name(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let field = visit.own_field();
    let mut level = 1;
    let mut receiver = None;
    match visit.ancestor_kind(1) {
        "class_declaration"
        | "abstract_class_declaration"
        | "class"
        | "interface_declaration"
        | "type_alias_declaration"
        | "type_parameter"
        | "mapped_type_clause"
            if field == "name" =>
        {
            return;
        }
        "infer_type" => return notes.declare(node, None),
        "nested_type_identifier" => {
            let module = visit.ancestor(1).and_then(|node| node.field("module"));
            receiver = module.and_then(|module| chain::text(visit, module)).map(Chain::name);
            level = 2;
        }
        _ if matches!(notes.local(visit.bytes(node)), NameLookup::Local(_)) => return,
        _ => {}
    }
    if visit.ancestor_kind(level) == "generic_type" {
        level += 1;
    }
    let role = match visit.ancestor_kind(level) {
        "implements_clause" | "extends_type_clause" => Role::Base,
        _ => Role::Type,
    };
    notes.refer(visit, node, role, receiver);
}

/// Records a call of the base type's constructor: `super(…)`.
fn base_constructor(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(call) = visit.ancestor(1).filter(|node| node.kind_name() == "call_expression") else {
        return;
    };
    let arguments = call.field("arguments");
    let count = arguments.map_or(0, |arguments| arguments.element_count());
    notes.call(visit, visit.node(), Some(Chain::base()), count);
}
