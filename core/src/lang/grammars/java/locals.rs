//! Parameters and variables of Java methods.

use super::values;
use crate::lang::chain::{self, Protocol};
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::visit::Visit;

/// Methods that call their lambda with an element of the object.
const ELEMENT_CALLBACKS: [&[u8]; 26] = [
    b"allMatch",
    b"anyMatch",
    b"collect",
    b"dropWhile",
    b"filter",
    b"flatMap",
    b"forEach",
    b"forEachOrdered",
    b"ifPresent",
    b"ifPresentOrElse",
    b"map",
    b"mapToDouble",
    b"mapToInt",
    b"mapToLong",
    b"mapToObj",
    b"max",
    b"min",
    b"noneMatch",
    b"peek",
    b"reduce",
    b"removeIf",
    b"sort",
    b"sorted",
    b"takeWhile",
    b"thenAccept",
    b"thenApply",
];

/// Methods of maps that call their lambda with a key and its value.
const MAP_CALLBACKS: [&[u8]; 4] = [b"compute", b"computeIfPresent", b"forEach", b"replaceAll"];

/// The words before the name in the definition of a type.
const TYPE_WORDS: [&[u8]; 4] = [b"class", b"enum", b"interface", b"record"];

/// The library's functional interfaces, their package, and which type arguments the parameters of the
/// function have.
const FUNCTIONS: [(&[&str], &str, &[u32]); 4] = [
    (
        &[
            "Consumer",
            "Function",
            "ObjDoubleConsumer",
            "ObjIntConsumer",
            "ObjLongConsumer",
            "Predicate",
            "ToDoubleFunction",
            "ToIntFunction",
            "ToLongFunction",
            "UnaryOperator",
        ],
        "java.util.function",
        &[0],
    ),
    (
        &[
            "BiConsumer",
            "BiFunction",
            "BiPredicate",
            "ToDoubleBiFunction",
            "ToIntBiFunction",
            "ToLongBiFunction",
        ],
        "java.util.function",
        &[0, 1],
    ),
    (&["BinaryOperator"], "java.util.function", &[0, 0]),
    (&["Comparator"], "java.util", &[0, 0]),
];

/// Declares the variables of the visited declaration.
pub(super) fn variables(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let of = node.field("type");
    let typed = of.and_then(|of| values::of_type(visit, notes, of));
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(name) = declarator.field("name") else { continue };
        let value = declarator.field("value");
        let chain = match &typed {
            // `String names[]`
            Some(typed) if declarator.field("dimensions").is_some() => {
                chain::instance(&format!("slice<{}>", typed.named_type().text()))
            }
            Some(typed) => Some(typed.clone()),
            None => value.and_then(|value| values::of(visit, notes, value)),
        };
        notes.declare_from(name, chain, declarator.end_byte());
    }
}

/// Declares the variable of the visited node, which has the fields `type` and `name`.
pub(super) fn typed(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let of = node.field("type");
    let typed = of.and_then(|of| values::of_type(visit, notes, of));
    let Some(name) = node.field("name") else { return };
    let Some(value) = node.field("value") else {
        return notes.declare(name, typed);
    };
    let is_loop = node.kind_name() == "enhanced_for_statement";
    let value_chain = || {
        let of = values::of(visit, notes, value);
        if is_loop { chain::yielded(of, Protocol::Iterate) } else { of }
    };
    let chain = typed.or_else(value_chain);
    notes.declare_from(name, chain, value.end_byte());
}

/// Declares the variable of a variadic parameter.
pub(super) fn variadic_parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let parts = || (0..4).map_while(move |at| node.named_child(at));
    let declarator = parts().find(|part| part.kind_name() == "variable_declarator");
    let name = declarator.and_then(|declarator| declarator.field("name"));
    let of = parts().find_map(|part| values::type_name(visit, notes, part));
    if let Some(name) = name {
        notes.declare(name, of.and_then(|of| chain::instance(&format!("slice<{of}>"))));
    }
}

/// Declares the variable of the visited `catch`.
pub(super) fn catch_parameter(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let types = visit.child(node, "catch_type");
    let types = types.into_iter().flat_map(|all| (0..8).map_while(move |at| all.named_child(at)));
    let types = types.filter(|of| !of.is_extra());
    let chain = Chain::one_of(types.map(|of| values::of_type(visit, notes, of)));
    if let Some(name) = node.field("name") {
        notes.declare(name, chain);
    }
}

/// Declares the variable of the visited pattern, which is a type and a name.
pub(super) fn pattern(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let (of, name) = match node.kind_name() {
        "instanceof_expression" => (node.field("right"), node.field("name")),
        _ => (node.named_child(0), node.named_child(1)),
    };
    if let (Some(of), Some(name)) = (of, name) {
        notes.declare(name, values::of_type(visit, notes, of));
    }
}

/// Declares the parameters of the visited lambda that have no declared types.
pub(super) fn lambda(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(parameters) = visit.node().field("parameters") else { return };
    let argument = lambda_argument(visit, notes);
    if let Some(declared) = declared_function(visit, notes) {
        let names = match parameters.kind_name() {
            "identifier" => vec![parameters],
            "inferred_parameters" => (0..8).map_while(|at| parameters.named_child(at)).collect(),
            _ => Vec::new(),
        };
        for (at, name) in names.into_iter().enumerate() {
            notes.declare(name, declared.get(at).cloned().flatten());
        }
        return;
    }
    match parameters.kind_name() {
        "identifier" => notes.declare(parameters, argument),
        "inferred_parameters" => {
            let of_map = map_value(visit, notes).filter(|_| parameters.named_child_count() == 2);
            let is_of_map = of_map.is_some();
            let argument = of_map.or(argument);
            for (at, name) in (0..8).map_while(|at| parameters.named_child(at)).enumerate() {
                // The key of a map comes first.
                notes.declare(name, argument.clone().filter(|_| !is_of_map || at > 0));
            }
        }
        _ => {}
    }
}

/// Returns the chain of the argument with which the visited lambda is called, if the method that it
/// is passed to is in [`ELEMENT_CALLBACKS`].
fn lambda_argument(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let call = visit.ancestor(2).filter(|call| call.kind_name() == "method_invocation")?;
    let name = visit.bytes(call.field("name")?);
    if !ELEMENT_CALLBACKS.contains(&name) {
        return None;
    }
    let is_future = name.starts_with(b"then");
    let protocol = if is_future { Protocol::Await } else { Protocol::Iterate };
    chain::yielded(values::of(visit, notes, call.field("object")?), protocol)
}

/// Returns the chains of the parameters of the visited lambda, if it is the value of a variable whose
/// declared type is one of the library's functional interfaces: `Consumer<A>`, `BiFunction<A, B, R>`.
fn declared_function(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Vec<Option<Chain>>> {
    let declaration = visit.ancestor(2).filter(|_| visit.ancestor_kind(1) == "variable_declarator");
    let of = declaration?.field("type").filter(|of| of.kind_name() == "generic_type")?;
    let path = visit.text_of(of.named_child(0)?);
    let (package, name) = path.rsplit_once('.').unwrap_or(("", path.as_str()));
    let (_, own_package, types) = FUNCTIONS.iter().find(|(names, ..)| names.contains(&name))?;
    let is_library = match package {
        "" => notes.imports_type(own_package, name) && !defines_type(visit, name),
        package => package == *own_package,
    };
    let list = visit.child(of, "type_arguments").filter(|_| is_library)?;
    let argument = |at: &u32| values::of_type(visit, notes, list.named_child(*at)?);
    Some(types.iter().map(argument).collect())
}

/// Returns true if the file may define a type of that name.
fn defines_type(visit: &Visit<'_, '_>, name: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
    memchr::memmem::find_iter(visit.text, name.as_bytes()).any(|at| {
        let (before, after) = (&visit.text[..at], &visit.text[at + name.len()..]);
        let before_space = before.trim_ascii_end();
        before_space.len() < before.len()
            && !after.first().is_some_and(is_part)
            && TYPE_WORDS.iter().any(|word| before_space.ends_with(word))
    })
}

/// Returns the chain of the value with which the visited lambda is called after the key, if the method
/// that it is passed to is in [`MAP_CALLBACKS`].
fn map_value(visit: &Visit<'_, '_>, notes: &Notes<'_>) -> Option<Chain> {
    let call = visit.ancestor(2).filter(|call| call.kind_name() == "method_invocation")?;
    let name = visit.bytes(call.field("name")?);
    if !MAP_CALLBACKS.contains(&name) {
        return None;
    }
    chain::yielded(values::of(visit, notes, call.field("object")?), Protocol::Index)
}

/// Declares the type parameters of the visited definition as values of their bounds.
pub(super) fn type_parameters(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(list) = visit.node().field("type_parameters") else { return };
    for parameter in (0..8).map_while(|at| list.named_child(at)) {
        let part = |kind: &str| {
            let mut parts = (0..4).map_while(|at| parameter.named_child(at));
            parts.find(|part| part.kind_name() == kind)
        };
        let Some(name) = part("type_identifier") else { continue };
        let bound = part("type_bound").and_then(|bound| bound.named_child(0));
        let chain = bound.and_then(|bound| values::of_type(visit, notes, bound));
        notes.declare(name, chain);
    }
}
