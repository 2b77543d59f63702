//! JavaScript with JSX, JavaScript with Flow types, TypeScript, and TypeScript with JSX.

use tree_sitter::Node;

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod chain;
mod doc;
mod expected;
mod exports;
mod fields;
mod flow;
mod imports;
mod literals;
mod mixins;
mod names;
mod narrow;
mod overloads;
mod refer;
mod types;
mod wrappers;

const TESTS: TestConventions = TestConventions {
    file_prefixes: &[],
    file_suffixes: &[
        ".test.js",
        ".test.jsx",
        ".test.ts",
        ".test.tsx",
        ".spec.js",
        ".spec.jsx",
        ".spec.ts",
        ".spec.tsx",
        "-test.js",
        "-test.ts",
        ".test.mjs",
        ".test.cjs",
    ],
    directories: &["__tests__", "test", "tests"],
};

/// JavaScript, including JSX.
pub(crate) static JAVASCRIPT: Language = Language {
    name: "javascript",
    extensions: &["js", "jsx", "mjs", "cjs"],
    filenames: &["Jakefile"],
    shebangs: &["node", "nodejs", "bun"],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TESTS,
    grammar: grammar!("tree-sitter-javascript", tree_sitter_javascript::LANGUAGE),
    refine: Some(typed),
    mask: None,
    embedded: None,
    comments: &["comment", "html_comment"],
    doc_comments: &[],
    attributes: &["decorator"],
    markers: &[],
    define,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

/// JavaScript with Flow types, parsed as TypeScript, whose type syntax is similar.
pub(crate) static FLOW: Language = Language {
    name: "flow",
    extensions: &[],
    filenames: &[],
    shebangs: &[],
    grammar: grammar!("tree-sitter-typescript", tree_sitter_typescript::LANGUAGE_TSX),
    refine: None,
    mask: Some(flow::mask),
    ..JAVASCRIPT
};

/// TypeScript.
pub(crate) static TYPESCRIPT: Language = Language {
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    filenames: &[],
    shebangs: &["ts-node", "deno", "tsx"],
    grammar: grammar!("tree-sitter-typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT),
    refine: None,
    mask: Some(overloads::mask),
    ..JAVASCRIPT
};

/// TypeScript with JSX.
pub(crate) static TSX: Language = Language {
    name: "tsx",
    extensions: &["tsx"],
    filenames: &[],
    shebangs: &[],
    grammar: grammar!("tree-sitter-typescript", tree_sitter_typescript::LANGUAGE_TSX),
    refine: None,
    ..JAVASCRIPT
};

/// Maximum number of members of an object literal that are examined.
const MEMBERS_MAX: usize = 256;

/// Maximum number of members of an object that are examined to see whether all are texts.
const TEXTS_MAX: usize = 16;

fn typed(head: &[u8]) -> Option<&'static Language> {
    let mut words = bstr::ByteSlice::fields(head);
    words.any(|word| word == b"@flow").then_some(&FLOW)
}

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let parent = visit.ancestor_kind(1);
    let kind = match node.kind_name() {
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            SymbolKind::Function
        }
        "class_declaration" | "abstract_class_declaration" => SymbolKind::Class,
        "interface_declaration" => SymbolKind::Interface,
        "type_alias_declaration" => SymbolKind::Type,
        "enum_declaration" => SymbolKind::Enum,
        "enum_assignment" => SymbolKind::EnumMember,
        "internal_module" | "module" => SymbolKind::Module,
        "method_definition" if parent == "object" && !literals::is_bound(visit) => return,
        "method_definition" if visit.field(node, "name").is_some_and(|n| n == "constructor") => {
            SymbolKind::Constructor
        }
        "method_definition" | "abstract_method_signature" if is_accessor(visit) => {
            SymbolKind::Property
        }
        "method_definition" | "abstract_method_signature" => SymbolKind::Method,
        "method_signature" if parent == "class_body" || fields::is_of_type(visit) => {
            SymbolKind::Method
        }
        "property_signature" => {
            let field = fields::signature(visit);
            return found.extend(field.and_then(|field| finish(visit, field)));
        }
        "required_parameter" | "optional_parameter" => {
            let field = fields::parameter(visit);
            return found.extend(field.and_then(|field| finish(visit, field)));
        }
        "property_identifier" | "string" if parent == "enum_body" => {
            let member = Definition::new(visit, SymbolKind::EnumMember, node);
            return found.extend(finish(visit, member));
        }
        "variable_declarator" => return found.extend(variable(visit)),
        "field_definition" | "public_field_definition" => return found.extend(field(visit)),
        "pair" => return found.extend(pair(visit)),
        "shorthand_property_identifier" => return found.extend(shorthand(visit)),
        "assignment_expression" => return found.extend(assignment(visit)),
        "export_statement" => return found.extend(default_export(visit)),
        "function_expression" | "generator_function" => {
            return found.extend(named_function_expression(visit));
        }
        _ => return,
    };
    if let Some(mut definition) = Definition::named(visit, kind) {
        if parent == "object" {
            definition.prefix = literals::target(visit);
        }
        found.extend(finish(visit, definition));
    }
}

/// Returns true if the visited method is a getter or setter.
fn is_accessor(visit: &Visit<'_, '_>) -> bool {
    let words = (0..6).map_while(|at| visit.node().child(at));
    let mut words = words.take_while(|word| word.kind_name() != "formal_parameters");
    words.any(|word| matches!(word.kind_name(), "get" | "set"))
}

/// Sets the properties common to all definitions: the enclosing wrapper, the start of the signature
/// and the visibility.
fn finish<'t>(visit: &Visit<'_, 't>, mut definition: Definition<'t>) -> Option<Definition<'t>> {
    let mut outer = definition.outer;
    while matches!(
        visit.ancestor_kind(outer + 1),
        "export_statement" | "ambient_declaration" | "expression_statement"
    ) {
        outer += 1;
    }
    definition.outer = outer;
    let around = visit.ancestor(outer)?;
    definition.signature_start = Some(after_decorators(around));
    definition.name = unquoted(&definition.name).to_owned();
    // In a text with syntax errors, the grammar can take a statement for a method.
    if visit.node().kind_name() == "method_definition"
        && ["if", "for", "while", "switch", "catch"].contains(&definition.name.as_str())
    {
        return None;
    }
    definition.visibility = visibility(visit, &definition, around);
    Some(definition)
}

fn unquoted(name: &str) -> &str {
    for quote in ['"', '\'', '`'] {
        let inner = name.strip_prefix(quote).and_then(|name| name.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    name
}

fn after_decorators(node: Node) -> usize {
    let mut start = node.start_byte();
    for at in 0..64 {
        match node.child(at) {
            Some(child) if child.kind_name() == "decorator" => start = child.end_byte(),
            // Decorators may occur before and after `export`.
            Some(child) if child.kind_name() == "export" => {}
            _ => break,
        }
    }
    start
}

fn visibility(visit: &Visit<'_, '_>, definition: &Definition, around: Node) -> Visibility {
    let modifier = visit.child(visit.node(), "accessibility_modifier");
    match modifier.map(|modifier| visit.text(modifier)).as_deref() {
        Some("private") => return Visibility::Private,
        Some("protected") => return Visibility::Protected,
        Some(_) => return Visibility::Public,
        None => {}
    }
    if definition.name.starts_with('#') {
        return Visibility::Private;
    }
    let is_assigned = visit.node().kind_name() == "assignment_expression";
    let is_member = matches!(
        definition.kind,
        SymbolKind::Method | SymbolKind::Constructor | SymbolKind::Field | SymbolKind::Property
    );
    match visit.enclosing() {
        _ if around.kind_name() == "export_statement" || is_assigned => Visibility::Public,
        Some(symbol) if definition.kind == SymbolKind::EnumMember => symbol.visibility,
        _ if is_member => Visibility::Public,
        _ if matches!(around.kind_name(), "ambient_declaration") => Visibility::Public,
        _ => Visibility::Private,
    }
}

/// Returns a value without enclosing parentheses, `as Type` and `satisfies Type`.
fn bare(mut node: Node) -> Node {
    for _ in 0..16 {
        let inner = match node.kind_name() {
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => {
                node.named_child(0)
            }
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => break,
        }
    }
    node
}

fn is_function(node: Node) -> bool {
    matches!(
        node.kind_name(),
        "arrow_function" | "function_expression" | "generator_function" | "function"
    )
}

/// Returns the definition of a variable declarator: a function or class bound to a name, or,
/// outside of functions, a constant or variable.
fn variable<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("name").filter(|name| name.kind_name() == "identifier")?;
    let value = node.field("value").map(bare);
    let declaration = visit.ancestor(1)?;
    let is_alone = declaration.named_child_count() == 1;
    let is_const = declaration.child(0).is_some_and(|word| word.kind_name() == "const");
    let mut definition = Definition::new(visit, SymbolKind::Variable, name);
    definition.outer = usize::from(is_alone);
    let function = value.and_then(|value| literals::function(visit, value));
    match value {
        _ if function.is_some() => {
            definition.kind = SymbolKind::Function;
            definition.body = function.and_then(|function| function.field("body"));
        }
        Some(value) if value.kind_name() == "class" => {
            definition.kind = SymbolKind::Class;
            definition.body = value.field("body");
        }
        _ if !is_outermost(visit, 2) || value.is_some_and(|value| imports::binds(visit, value)) => {
            return None;
        }
        _ if is_const => definition.kind = SymbolKind::Constant,
        _ => {}
    }
    let mut definition = finish(visit, definition)?;
    if visit.ancestor_kind(2) == "export_statement" {
        definition.visibility = Visibility::Public;
    }
    Some(definition)
}

/// Returns true if the ancestor `levels` above is the file or a namespace, or an export statement
/// in one.
fn is_outermost(visit: &Visit<'_, '_>, levels: usize) -> bool {
    let mut levels = levels;
    while matches!(
        visit.ancestor_kind(levels),
        "export_statement" | "ambient_declaration" | "expression_statement"
    ) {
        levels += 1;
    }
    match visit.ancestor_kind(levels) {
        "program" => true,
        "statement_block" => {
            matches!(visit.ancestor_kind(levels + 1), "internal_module" | "module")
        }
        _ => false,
    }
}

fn is_import(visit: &Visit<'_, '_>, value: Node) -> bool {
    let function = value.field("function");
    value.kind_name() == "call_expression"
        && function.is_some_and(|function| &visit.text[function.byte_range()] == b"require")
}

/// Returns a class field; a field that holds a function is a method.
fn field<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("property").or(node.field("name"))?;
    let value = node.field("value").map(bare);
    let Some(value) = value.and_then(|value| literals::function(visit, value)) else {
        return finish(visit, Definition::new(visit, SymbolKind::Field, name));
    };
    let body = value.field("body");
    finish(visit, Definition { body, ..Definition::new(visit, SymbolKind::Method, name) })
}

/// Returns true if the object literal around the visited member has functions: members that are
/// functions of other objects, or are set later, then belong to the same interface.
fn has_methods(visit: &Visit<'_, '_>) -> bool {
    let Some(object) = visit.ancestor(1) else { return false };
    let mut cursor = object.walk();
    object.named_children(&mut cursor).take(MEMBERS_MAX).any(|member| {
        member.kind_name() == "method_definition"
            || member.field("value").is_some_and(|value| is_function(bare(value)))
    })
}

/// Returns a member of an object literal bound to a name: a function, the member of another object, `null`,
/// or a text among others.
fn pair<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let value = node.field("value").map(bare)?;
    let is_later = matches!(value.kind_name(), "null" | "member_expression");
    if is_later && has_methods(visit) && literals::is_bound(visit) {
        return finish(visit, Definition::new(visit, SymbolKind::Field, node.field("key")?));
    }
    if is_text(value) && is_in_exported_texts(visit) {
        return finish(visit, Definition::new(visit, SymbolKind::Field, node.field("key")?));
    }
    if !is_function(value) || !literals::is_bound(visit) {
        return None;
    }
    let body = value.field("body");
    let key = node.field("key")?;
    let prefix = literals::target(visit);
    finish(visit, Definition { body, prefix, ..Definition::new(visit, SymbolKind::Method, key) })
}

/// Returns true if the visited member is in an object of texts only that a module exports by default, such as
/// the messages of a program: types that are made from it have members of these names.
fn is_in_exported_texts(visit: &Visit<'_, '_>) -> bool {
    let Some(object) = visit.ancestor(1).filter(|it| it.kind_name() == "object") else {
        return false;
    };
    let mut at = 2;
    while matches!(visit.ancestor_kind(at), "as_expression" | "satisfies_expression") {
        at += 1;
    }
    let mut cursor = object.walk();
    visit.ancestor_kind(at) == "export_statement"
        && object.named_children(&mut cursor).take(TEXTS_MAX).all(|member| {
            member.is_extra() || member.field("value").is_some_and(|value| is_text(bare(value)))
        })
}

fn is_text(value: Node<'_>) -> bool {
    matches!(value.kind_name(), "string" | "template_string")
}

/// Returns the member `{ name }` of an object literal that is the value of a variable or of a function.
/// What a module exports so is a name of the file.
fn shorthand<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let around = visit.enclosing()?;
    let is_its = match visit.ancestor_kind(2) {
        "variable_declarator" => {
            let name = visit.ancestor(2).and_then(|it| it.field("name"));
            name.is_some_and(|name| name.byte_range() == around.name_span)
        }
        // A function that is defined inside.
        "return_statement" => {
            around.kind == SymbolKind::Function && visit.is_defined(&visit.text(visit.node()), ".")
        }
        _ => false,
    };
    is_its.then(|| Definition::new(visit, SymbolKind::Field, visit.node()))
}

/// Returns a named function expression that is passed as an argument or called:
/// `use(function name() {})`. A function expression that is bound to a name is listed under that
/// name instead.
fn named_function_expression<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let mut at = 1;
    while matches!(
        visit.ancestor_kind(at),
        "parenthesized_expression" | "as_expression" | "satisfies_expression"
    ) {
        at += 1;
    }
    let is_bound = match visit.ancestor_kind(at) {
        "pair" => visit.enclosing().is_some_and(|around| around.kind == SymbolKind::Method),
        "variable_declarator" | "export_statement" | "field_definition" => true,
        "assignment_expression" | "public_field_definition" => true,
        _ => false,
    };
    let definition = Definition::named(visit, SymbolKind::Function).filter(|_| !is_bound)?;
    // `const View = memo(function View() {})` is one definition.
    let is_twin = visit.enclosing().is_some_and(|around| around.name == definition.name);
    if is_twin { None } else { finish(visit, definition) }
}

/// Returns a function or class at an assignment: `exports.x = …`, `Type.prototype.x = …`.
fn assignment<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let left = node.field("left")?;
    let value = node.field("right").map(bare)?;
    let kind = match value.kind_name() {
        "class" => SymbolKind::Class,
        _ if is_function(value) => SymbolKind::Function,
        "call_expression" | "new_expression" if !is_import(visit, value) => {
            let made = exported_value(visit, left)
                .or_else(|| fields::added(visit, left))
                .or_else(|| fields::of_this(visit, left));
            return made.and_then(|made| finish(visit, made));
        }
        "identifier" if is_of_prototype(visit, left) => SymbolKind::Field,
        "member_expression" if !visit.text(value).contains("require(") => {
            let made = exported_value(visit, left).filter(|made| made.name != "default");
            let made = made.or_else(|| fields::of_this(visit, left));
            return made.and_then(|made| finish(visit, made));
        }
        _ => return fields::of_this(visit, left).and_then(|field| finish(visit, field)),
    };
    let mut definition = Definition::new(visit, kind, left);
    definition.body = value.field("body");
    if left.kind_name() == "identifier" {
        return finish(visit, definition);
    }
    let property = left.field("property")?;
    let object = visit.field(left, "object")?;
    let of_module = object == "module" && visit.text(property) == "exports";
    let in_module = matches!(object.as_ref(), "exports" | "module.exports");
    let of_type = object.strip_suffix(".prototype");
    if of_module {
        let own = value.field("name");
        let own = own.map(|name| visit.text(name).into_owned());
        definition.name = own.unwrap_or_else(|| "default".to_owned());
        return finish(visit, definition);
    }
    definition.name = visit.text(property).into_owned();
    definition.name_span = property.byte_range();
    let outside = ["this", "window", "global", "globalThis", "self"];
    if (object == "this" || of_type.is_some()) && kind != SymbolKind::Field {
        definition.kind = SymbolKind::Method;
    }
    if let Some((owner, _)) = fields::owner(visit, left) {
        definition.owner = Some(owner);
    }
    if !in_module && !outside.contains(&object.as_ref()) {
        definition.prefix = Some(of_type.unwrap_or(&object).to_owned());
    }
    finish(visit, definition)
}

/// Returns true for the target of `Type.prototype.name = …`.
fn is_of_prototype(visit: &Visit<'_, '_>, left: Node<'_>) -> bool {
    let object = left.field("object").filter(|object| object.kind_name() == "member_expression");
    let property = object.and_then(|object| object.field("property"));
    visit.enclosing().is_none()
        && property.is_some_and(|property| &visit.text[property.byte_range()] == b"prototype")
}

/// Returns the constant that an assignment exports: `exports.x = make()`, `module.exports = make()`.
fn exported_value<'t>(visit: &Visit<'_, 't>, left: Node<'t>) -> Option<Definition<'t>> {
    if visit.enclosing().is_some() || left.kind_name() != "member_expression" {
        return None;
    }
    let property = left.field("property")?;
    let object = visit.field(left, "object")?;
    let mut definition = Definition::new(visit, SymbolKind::Constant, property);
    match object.as_ref() {
        "module" if visit.text(property) == "exports" => definition.name = "default".to_owned(),
        "exports" | "module.exports" => {}
        _ => return None,
    }
    Some(definition)
}

/// Returns the value of `export default`.
fn default_export<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let word = visit.child(node, "default")?;
    let value = bare(node.field("value")?);
    let kind = match value.kind_name() {
        "class" => SymbolKind::Class,
        "object" => SymbolKind::Constant,
        "call_expression" if literals::has_object(value) => SymbolKind::Constant,
        _ if is_function(value) => SymbolKind::Function,
        _ => return None,
    };
    let name = value.field("name").unwrap_or(word);
    let body = value.field("body");
    finish(visit, Definition { body, ..Definition::new(visit, kind, name) })
}
