//! C and C++.

use tree_sitter::Node;

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod annotations;
mod cpp;
mod directives;
mod header;
mod kernel;
mod keywords;
mod literals;
mod macros;
mod modules;
mod objects;
mod prototypes;
mod refer;
mod values;

pub(super) use refer::refer as refer_c;

/// The most levels above a definition that are searched for an unnamed namespace.
const NAMESPACES_MAX: usize = 16;

/// C.
pub(crate) static C: Language = Language {
    name: "c",
    extensions: &["c", "h"],
    filenames: &[],
    shebangs: &["tcc"],
    separator: "::",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &["test_"],
        file_suffixes: &["_test.c", "-test.c", "_kunit.c"],
        directories: &["test", "tests"],
    },
    grammar: grammar!("tree-sitter-c", tree_sitter_c::LANGUAGE),
    refine: Some(header::refine),
    mask: Some(mask),
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define: define_c,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

/// C++.
pub(crate) static CPP: Language = Language {
    name: "cpp",
    extensions: &[
        "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tpp", "cu", "cppm",
        "ixx",
    ],
    tests: TestConventions {
        file_suffixes: &["_test.cc", "_test.cpp", "_unittest.cc", "Test.cpp", "-test.cpp"],
        ..C.tests
    },
    grammar: grammar!("tree-sitter-cpp", tree_sitter_cpp::LANGUAGE),
    refine: None,
    mask: Some(mask_cpp),
    shebangs: &[],
    markers: &["access_specifier"],
    define,
    refer: Some(cpp::refer),
    scopes: cpp::SCOPES,
    ..C
};

/// Returns the text without annotation macros, as plain C.
fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = kernel::mask(text);
    prototypes::mask(text, &mut masked);
    let text = masked.clone();
    annotations::blank(&text, &mut masked, true);
    macros::mask(&text, &mut masked, true);
    macros::mask_heads(&text, &mut masked);
    directives::mask(&text, &mut masked);
    literals::mask(&text, &mut masked, true);
    macros::mask_comments(&text, &mut masked);
    macros::mask_conventions(&text, &mut masked);
    masked
}

/// Returns the text without annotation macros and macros around declarations, as plain C++.
fn mask_cpp(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    modules::mask(text, &mut masked);
    prototypes::mask(text, &mut masked);
    let text = masked.clone();
    let text = text.as_slice();
    annotations::blank(text, &mut masked, false);
    macros::mask(text, &mut masked, false);
    macros::mask_heads(text, &mut masked);
    directives::mask(text, &mut masked);
    literals::mask(text, &mut masked, false);
    macros::mask_comments(text, &mut masked);
    macros::mask_conventions(text, &mut masked);
    masked
}

/// Words at the end of the name of a type of functions.
const FUNCTION_TYPES: &[&str] =
    &["callback", "cb", "ctor", "dtor", "fn", "fun", "func", "function", "handler", "hook", "proc"];

/// Adds the definitions of C. Unlike in C++, types are not scopes, and of their members only those
/// that are called are symbols: pointers to functions.
pub(super) fn define_c<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    define(visit, found);
    found.retain(|definition| {
        definition.kind != SymbolKind::Field || is_pointer_to_function(visit, definition)
    });
    for definition in found {
        if !definition.kind.is_callable() {
            definition.scope = Some(String::new());
        }
    }
}

/// Returns true for a field that is called: `int (*name)(int)`, `read_fn name`.
fn is_pointer_to_function<'t>(visit: &Visit<'_, 't>, field: &Definition<'t>) -> bool {
    let node = visit.node();
    let mut cursor = node.walk();
    let mut declarators = node.children_by_field_name("declarator", &mut cursor);
    let of = |declarator: &Node| declarator.byte_range().contains(&field.name_span.start);
    let is_written = declarators.find(of).is_some_and(|declarator| {
        // The result may be a pointer, too.
        let inner = |of: &Node<'t>| {
            let is_pointer = of.kind_name() == "pointer_declarator";
            of.field("declarator").filter(|_| is_pointer)
        };
        let mut levels = std::iter::successors(Some(declarator), inner).take(8);
        levels.any(|level| level.kind_name() == "function_declarator")
    });
    let is_named = || {
        let of = node.field("type").filter(|of| of.kind_name() == "type_identifier");
        let name = of.map(|of| visit.text_of(of).to_lowercase()).unwrap_or_default();
        let name = without_ending(&name);
        // A later version of a type: `read_fn2`, `read_fn_v2_t`.
        let version = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let version = version.strip_suffix("_v").unwrap_or(version);
        let name = if version.len() < name.len() { without_ending(version) } else { name };
        FUNCTION_TYPES.iter().any(|word| name.ends_with(word))
    };
    is_written || is_named()
}

/// Returns the name of a type without the endings that say so.
fn without_ending(name: &str) -> &str {
    name.trim_end_matches("_t").trim_end_matches("_ptr").trim_end_matches("_p")
}

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    match node.kind_name() {
        "function_definition" => {
            found.extend(macros::function(visit).or_else(|| function(visit)));
        }
        "compound_statement" => found.extend(macros::test_function(visit)),
        "expression_statement" => found.extend(macros::variable(visit)),
        "declaration" | "field_declaration" => declaration(visit, found),
        "struct_specifier" => found.extend(specifier(visit, SymbolKind::Struct)),
        "class_specifier" => found.extend(specifier(visit, SymbolKind::Class)),
        "union_specifier" => found.extend(specifier(visit, SymbolKind::Union)),
        "enum_specifier" => found.extend(specifier(visit, SymbolKind::Enum)),
        "enumerator" => {
            let member = Definition::named(visit, SymbolKind::EnumMember);
            found.extend(member.map(|member| Definition { scope: Some(String::new()), ..member }));
        }
        "type_definition" => type_definition(visit, found),
        "alias_declaration" => found.extend(plain(visit, SymbolKind::Type)),
        "concept_definition" => found.extend(plain(visit, SymbolKind::Trait)),
        "namespace_definition" => found.extend(Definition::named(visit, SymbolKind::Module)),
        "preproc_function_def" => found.extend(Definition::named(visit, SymbolKind::Macro)),
        // A macro without a value is only a flag, such as an include guard.
        "preproc_def" if node.field("value").is_some() => {
            found.extend(Definition::named(visit, SymbolKind::Macro));
        }
        _ => {}
    }
}

fn plain<'t>(visit: &Visit<'_, 't>, kind: SymbolKind) -> Option<Definition<'t>> {
    let is_free = matches!(visit.enclosing_kind(), None | Some(SymbolKind::Module));
    let visibility = if is_free { of_namespace(visit) } else { Visibility::Public };
    Some(Definition { outer: template(visit), visibility, ..Definition::named(visit, kind)? })
}

/// Returns 1 if the visited node is the declaration of a `template<…>`, otherwise 0.
fn template(visit: &Visit<'_, '_>) -> usize {
    usize::from(visit.ancestor_kind(1) == "template_declaration")
}

/// The name in a declarator.
struct DeclaredName<'t> {
    name: Node<'t>,
    /// The explicit scope: `A::B` of `A::B::c`.
    prefix: Option<String>,
    is_function: bool,
}

/// Returns the name in a declarator with pointers, arrays, parameters and scopes.
fn declared<'t>(visit: &Visit<'_, 't>, mut node: Node<'t>) -> Option<DeclaredName<'t>> {
    let mut is_function = false;
    let mut prefix: Vec<String> = Vec::new();
    for level in 0..64 {
        let is_wrapped = level > 0;
        let inner = match node.kind_name() {
            "identifier" | "field_identifier" | "type_identifier" | "destructor_name"
            | "operator_name" | "primitive_type" => {
                let prefix = scopes_of(&prefix);
                return Some(DeclaredName { name: node, prefix, is_function });
            }
            "operator_cast" => {
                let prefix = scopes_of(&prefix);
                return Some(DeclaredName { name: node, prefix, is_function: true });
            }
            "qualified_identifier" => {
                if let Some(scope) = node.field("scope") {
                    let own = scope.field("name").unwrap_or(scope);
                    prefix.push(visit.text(own).into_owned());
                }
                node.field("name")
            }
            "template_function" | "template_type" | "template_method" => node.field("name"),
            "function_declarator" => {
                // `int MADE(name)(int x) {}`
                if let Some(name) = macros::made_name(visit, node).filter(|_| is_wrapped) {
                    let prefix = scopes_of(&prefix);
                    return Some(DeclaredName { name, prefix, is_function });
                }
                is_function = true;
                node.field("declarator")
            }
            "parenthesized_declarator" => node.named_child(0),
            "attributed_declarator" => node.named_child(0),
            "pointer_declarator"
            | "reference_declarator"
            | "array_declarator"
            | "block_pointer_declarator" => {
                is_function = false;
                let declarator = node.field("declarator");
                declarator.or_else(|| {
                    node.named_child(u32::try_from(node.named_child_count()).ok()?.checked_sub(1)?)
                })
            }
            "init_declarator" => node.field("declarator"),
            _ => None,
        };
        node = inner?;
    }
    None
}

/// Returns the explicit scope of a name. The grammar takes `typename a<(x)>::type name()` for one
/// qualified name.
fn scopes_of(prefix: &[String]) -> Option<String> {
    let is_scope = prefix.first().is_some_and(|first| first != "typename");
    is_scope.then(|| prefix.join("::"))
}

fn function<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let declared = declared(visit, node.field("declarator")?)?;
    if !declared.is_function || is_macro_call(visit, &declared) {
        return None;
    }
    let mut definition = callable(visit, declared, SymbolKind::Function);
    let list = visit.child(node, "field_initializer_list");
    definition.body = list.or(node.field("body"));
    Some(definition)
}

/// Returns true for a name in capitals without a type before it, which is not that of the enclosing
/// type: the call of a macro before a declaration, `NON_NULL(1)`.
fn is_macro_call(visit: &Visit<'_, '_>, declared: &DeclaredName<'_>) -> bool {
    let name = visit.bytes(declared.name);
    let is_own = || visit.enclosing().is_some_and(|around| around.name.as_bytes() == name);
    visit.node().field("type").is_none()
        && declared.prefix.is_none()
        && macros::is_capitals(name)
        && !is_own()
}

fn callable<'t>(
    visit: &Visit<'_, 't>,
    declared: DeclaredName<'t>,
    kind_outside: SymbolKind,
) -> Definition<'t> {
    let mut definition = Definition::new(visit, kind_outside, declared.name);
    if declared.name.kind_name() == "operator_cast" {
        let of = visit.field(declared.name, "type").unwrap_or_default();
        definition.name = format!("operator {of}");
    }
    let last = declared.prefix.as_deref().map(|prefix| prefix.rsplit("::").next().unwrap_or(""));
    let of_type = match visit.enclosing() {
        _ if last.is_some() => last,
        // A friend that is defined in a class is a function of the namespace around it.
        _ if visit.ancestor_kind(1) == "friend_declaration"
            && visit.node().kind_name() == "function_definition" =>
        {
            None
        }
        Some(symbol) if is_type(symbol.kind) => Some(symbol.name.as_str()),
        _ => None,
    };
    match of_type {
        Some(of) if of == definition.name => definition.kind = SymbolKind::Constructor,
        Some(_) => definition.kind = SymbolKind::Method,
        None => {}
    }
    definition.prefix = declared.prefix;
    definition.outer = template(visit);
    definition.visibility = visibility(visit);
    definition
}

fn is_type(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Class | SymbolKind::Struct | SymbolKind::Union)
}

/// Adds the functions and, outside of functions, the fields or variables of a declaration.
fn declaration<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let around = visit.enclosing_kind();
    let in_type = around.is_some_and(is_type);
    let is_outside = matches!(around, None | Some(SymbolKind::Module));
    let parent = visit.ancestor_kind(1);
    let is_place = parent.starts_with("preproc_")
        || matches!(
            parent,
            "translation_unit"
                | "declaration_list"
                | "linkage_specification"
                | "template_declaration"
                | "field_declaration_list"
        );
    if !is_place || !(in_type || is_outside) || macros::is_member_call(visit) {
        return;
    }
    let node = visit.node();
    let specifiers = specifiers(visit);
    let has = |word: &str| specifiers.iter().any(|specifier| specifier == word);
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(declared) = declared(visit, declarator) else { continue };
        if declared.is_function {
            if is_macro_call(visit, &declared) {
                continue;
            }
            if let Some(name) = object_in_macro(visit, declarator, &declared) {
                let kind = if in_type { SymbolKind::Field } else { SymbolKind::Variable };
                let mut definition = Definition::new(visit, kind, name);
                definition.visibility = visibility(visit);
                found.push(definition);
                continue;
            }
            found.push(callable(visit, declared, SymbolKind::Prototype));
        } else if in_type {
            let mut definition = Definition::new(visit, SymbolKind::Field, declared.name);
            definition.visibility = visibility(visit);
            found.push(definition);
        } else if is_outside && !has("extern") {
            // A pointer to a constant may itself be assigned.
            let is_fixed = has("constexpr") || (has("const") && !is_pointer(declarator));
            let kind = if is_fixed { SymbolKind::Constant } else { SymbolKind::Variable };
            let mut definition = Definition::new(visit, kind, declared.name);
            definition.prefix = declared.prefix;
            definition.outer = template(visit);
            definition.visibility = visibility(visit);
            found.push(definition);
        }
    }
}

/// Returns the name of an object of a type without a name that a macro declares:
/// `struct { … } FUNCTION_OBJECT (name);`.
fn object_in_macro<'t>(
    visit: &Visit<'_, 't>,
    declarator: Node<'t>,
    declared: &DeclaredName<'_>,
) -> Option<Node<'t>> {
    let of = visit.node().field("type")?;
    let is_unnamed = matches!(of.kind_name(), "struct_specifier" | "class_specifier")
        && of.field("name").is_none()
        && of.field("body").is_some();
    let list = declarator.field("parameters").filter(|_| is_unnamed)?;
    let only = list.named_child(0).filter(|_| list.named_child_count() == 1)?;
    let name = only.field("type").filter(|of| of.byte_range() == only.byte_range())?;
    let is_name = name.kind_name() == "type_identifier";
    (is_name && macros::is_capitals(visit.bytes(declared.name))).then_some(name)
}

fn is_pointer(declarator: Node) -> bool {
    let inner = declarator.field("declarator").unwrap_or(declarator);
    declarator.kind_name() == "pointer_declarator" || inner.kind_name() == "pointer_declarator"
}

/// Returns the specifiers before a declaration's name: `static`, `const`, …
fn specifiers(visit: &Visit<'_, '_>) -> Vec<String> {
    let node = visit.node();
    let children = (0..12).map_while(|at| node.child(at));
    let words = children
        .filter(|child| matches!(child.kind_name(), "storage_class_specifier" | "type_qualifier"));
    words.map(|word| visit.text(word).into_owned()).collect()
}

fn visibility(visit: &Visit<'_, '_>) -> Visibility {
    if let Some(marker) = visit.marker(template(visit)) {
        let word = visit.text(marker);
        return match word.trim_end_matches(':').trim() {
            "private" => Visibility::Private,
            "protected" => Visibility::Protected,
            _ => Visibility::Public,
        };
    }
    match visit.enclosing_kind() {
        Some(SymbolKind::Class) => Visibility::Private,
        Some(kind) if is_type(kind) => Visibility::Public,
        _ if specifiers(visit).iter().any(|word| word == "static") => Visibility::Private,
        _ => of_namespace(visit),
    }
}

/// Returns the visibility of what a namespace contains: names of unnamed ones are visible only in
/// their file.
fn of_namespace(visit: &Visit<'_, '_>) -> Visibility {
    let around = (1..).map_while(|level| visit.ancestor(level)).take(NAMESPACES_MAX);
    let mut unnamed = around
        .filter(|node| node.kind_name() == "namespace_definition" && node.field("name").is_none());
    if unnamed.next().is_some() { Visibility::Private } else { Visibility::Public }
}

/// Returns a struct, class, union or enumeration that has a body and a name.
fn specifier<'t>(visit: &Visit<'_, 't>, kind: SymbolKind) -> Option<Definition<'t>> {
    let node = visit.node();
    let body = node.field("body")?;
    let declared = declared(visit, node.field("name")?)?;
    let mut definition = Definition::new(visit, kind, declared.name);
    definition.body = Some(body);
    definition.prefix = declared.prefix;
    definition.outer = template(visit);
    let mut words = (0..3).map_while(|at| node.child(at)).map(|word| word.kind_name());
    let is_scope = kind != SymbolKind::Enum || words.any(|word| matches!(word, "class" | "struct"));
    if !is_scope {
        definition.scope = Some(String::new());
    }
    if visit.enclosing_kind().is_some_and(is_type) {
        let outer = usize::from(visit.ancestor_kind(1) == "field_declaration");
        if let Some(marker) = visit.marker(outer) {
            let word = visit.text(marker);
            definition.visibility = match word.trim_end_matches(':').trim() {
                "private" => Visibility::Private,
                "protected" => Visibility::Protected,
                _ => Visibility::Public,
            };
        } else if visit.enclosing_kind() == Some(SymbolKind::Class) {
            definition.visibility = Visibility::Private;
        }
    } else {
        definition.visibility = of_namespace(visit);
    }
    Some(definition)
}

/// Adds the names that a `typedef` declares. If the type is anonymous, its name takes the type's
/// kind and body.
fn type_definition<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let of = node.field("type");
    let of = of.filter(|of| of.field("name").is_none());
    let body = of.and_then(|of| of.field("body"));
    let kind = match of.map_or("", |of| of.kind_name()) {
        _ if body.is_none() => SymbolKind::Type,
        "struct_specifier" => SymbolKind::Struct,
        "union_specifier" => SymbolKind::Union,
        "enum_specifier" => SymbolKind::Enum,
        _ => SymbolKind::Type,
    };
    let mut cursor = node.walk();
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(declared) = declared(visit, declarator) else { continue };
        let mut definition = Definition::new(visit, kind, declared.name);
        definition.body = body;
        definition.scope = Some(String::new());
        found.push(definition);
    }
}
