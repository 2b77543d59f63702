//! Scala.

use tree_sitter::Node;

use super::{mentions, modifiers};
use crate::lang::facts::Chain;
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

/// Scala 2 and 3. The qualified names of extension methods include the extended type.
pub(crate) static SCALA: Language = Language {
    name: "scala",
    extensions: &["scala", "sc", "sbt", "mill"],
    filenames: &[],
    shebangs: &["scala"],
    separator: ".",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["Test.scala", "Tests.scala", "Spec.scala", "Suite.scala"],
        directories: &["test", "tests"],
    },
    grammar: grammar!("tree-sitter-scala", tree_sitter_scala::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment", "block_comment"],
    doc_comments: &["/**"],
    attributes: &[],
    markers: &[],
    define,
    refer: Some(refer),
    scopes: &["function_definition", "lambda_expression", "extension_definition"],
};

/// Node kinds of bodies whose functions are methods.
const BODIES: [&str; 5] =
    ["template_body", "with_template_body", "enum_body", "early_defs", "refinement"];

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let is_local = visit.enclosing_kind().is_some_and(SymbolKind::is_callable);
    let definition = match node.kind_name() {
        "package_object" => Definition::named(visit, SymbolKind::Module),
        "class_definition" | "object_definition" => Definition::named(visit, SymbolKind::Class),
        "trait_definition" => Definition::named(visit, SymbolKind::Trait),
        "enum_definition" => Definition::named(visit, SymbolKind::Enum),
        "simple_enum_case" | "full_enum_case" => Definition::named(visit, SymbolKind::EnumMember),
        "function_definition" | "function_declaration" => function(visit),
        "given_definition" => Definition::named(visit, SymbolKind::Constant),
        "type_definition" if !is_local => Definition::named(visit, SymbolKind::Type),
        "class_parameter" => parameter(visit),
        "val_definition" | "var_definition" | "val_declaration" | "var_declaration" => {
            return values(visit, found);
        }
        _ => return,
    };
    found.extend(definition.map(|definition| finish(visit, definition)));
}

fn finish<'t>(visit: &Visit<'_, 't>, definition: Definition<'t>) -> Definition<'t> {
    let node = visit.node();
    let visibility =
        modifiers::visibility(visit, node).unwrap_or_else(|| match visit.enclosing() {
            Some(symbol) if symbol.kind.is_callable() => Visibility::Private,
            Some(symbol) if symbol.kind == SymbolKind::Enum => symbol.visibility,
            _ => Visibility::Public,
        });
    let name = definition.name.trim_matches('`').to_owned();
    let signature_start = modifiers::after_annotations(node);
    Definition { name, signature_start, visibility, ..definition }
}

fn function<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let definition = Definition::named(visit, SymbolKind::Function)?;
    let prefix = extended(visit);
    let is_member = BODIES.contains(&visit.ancestor_kind(1)) || prefix.is_some();
    let kind = if is_member && definition.name == "this" {
        SymbolKind::Constructor
    } else if is_member {
        SymbolKind::Method
    } else {
        SymbolKind::Function
    };
    Some(Definition { kind, prefix, ..definition })
}

/// Returns the name of the extended type if the visited function is in an `extension`.
fn extended(visit: &Visit<'_, '_>) -> Option<String> {
    // An extension inside a trait usually extends a type parameter of the trait.
    if visit.enclosing_kind() == Some(SymbolKind::Trait) {
        return None;
    }
    let around = (1..3).filter_map(|level| visit.ancestor(level));
    let mut around = around.filter(|node| node.kind_name() == "extension_definition");
    let parameters = around.next()?.field("parameters")?;
    let of = modifiers::child(parameters, &["parameter"])?.field("type")?;
    let name = visit.text(of);
    Some(name.split(['[', ' ']).next()?.to_owned())
}

/// Returns the field that a class parameter declares: with `val` or `var`, or in a case class.
fn parameter<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let has_word = modifiers::child(visit.node(), &["val", "var"]).is_some();
    let class = visit.ancestor(2)?;
    let of_case =
        class.kind_name() == "full_enum_case" || modifiers::child(class, &["case"]).is_some();
    if !has_word && !of_case {
        return None;
    }
    Definition::named(visit, SymbolKind::Field)
}

/// Adds the values of types and files; local values are not symbols.
fn values<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let is_member = BODIES.contains(&visit.ancestor_kind(1));
    let is_outside = visit.enclosing().is_none();
    let is_local = visit.enclosing_kind().is_some_and(SymbolKind::is_callable);
    if is_local || !(is_member || is_outside) {
        return;
    }
    let is_fixed = node.kind_name().starts_with("val");
    let kind = if is_fixed && (is_outside || modifiers::has(visit, node, "final")) {
        SymbolKind::Constant
    } else if is_member {
        SymbolKind::Field
    } else {
        SymbolKind::Variable
    };
    let mut names = Vec::new();
    if let Some(pattern) = node.field("pattern") {
        add_names(pattern, &mut names);
    }
    let mut cursor = node.walk();
    names.extend(node.children_by_field_name("name", &mut cursor).filter(Node::is_named));
    for name in names {
        found.push(finish(visit, Definition::new(visit, kind, name)));
    }
}

/// Adds the names that a simple pattern binds: `a`, `a, b` or `(a, b)`.
fn add_names<'t>(pattern: Node<'t>, names: &mut Vec<Node<'t>>) {
    match pattern.kind_name() {
        "identifier" | "operator_identifier" => names.push(pattern),
        "identifiers" | "tuple_pattern" => {
            names.extend(
                modifiers::children(pattern).filter(|name| name.kind_name() == "identifier"),
            );
        }
        _ => {}
    }
}

/// Records what the visited node imports, declares, extends or calls.
fn refer<'t>(visit: &Visit<'_, 't>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let name = node.field("name");
    let of = node.field("type");
    match node.kind_name() {
        "package_clause" => {
            let Some(name) = name.map(|name| mentions::path(visit, name)) else { return };
            notes.package = Some(match notes.package.take() {
                Some(around) => format!("{around}.{name}"),
                None => name,
            });
        }
        "import_declaration" => import(visit, notes),
        "class_definition" | "object_definition" | "trait_definition" | "enum_definition" => {
            let clause = node.field("extend");
            for of in clause.into_iter().flat_map(modifiers::children) {
                mentions::base(visit, notes, of);
            }
        }
        "function_definition" | "function_declaration" => {
            mentions::typed(visit, notes, node.field("return_type"));
        }
        "class_parameter" | "val_declaration" | "var_declaration" => {
            mentions::typed(visit, notes, of);
        }
        "type_definition" => mentions::typed(visit, notes, of),
        "self_type" => self_type(visit, notes),
        "parameter" | "binding" => mentions::declare(visit, notes, name, of, None),
        "val_definition" | "var_definition" => {
            mentions::typed(visit, notes, of);
            let name = node.field("pattern");
            let name = name.filter(|name| name.kind_name() == "identifier");
            mentions::declare(visit, notes, name, of, node.field("value"));
        }
        "field_expression" | "infix_expression" => mentions::named_call(visit, notes),
        _ => mentions::call(visit, notes),
    }
}

/// Records the types whose members the type around the visited `self: A with B =>` has, too.
fn self_type(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let is_type = visit.enclosing_kind().is_some_and(|kind| {
        matches!(kind, SymbolKind::Class | SymbolKind::Trait | SymbolKind::Enum)
    });
    let Some(around) = visit.enclosing_index().filter(|_| is_type) else { return };
    let written =
        modifiers::children(node).filter(|of| of.is_named() && of.kind_name().contains("type"));
    for of in written {
        let parts = if of.kind_name() == "compound_type" {
            modifiers::children(of).collect()
        } else {
            vec![of]
        };
        for part in parts {
            let path = mentions::path(visit, part);
            let path = path.split(['[', '<']).next().unwrap_or_default();
            let is_path = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
            if !path.is_empty() && path.chars().all(is_path) {
                notes.add_base(around, Chain::name(path));
            }
        }
    }
}

/// Records `import a.b`, `import a.{b, c => d}`, `import a._` and `import a.*`.
fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    let mut cursor = node.walk();
    let path = node.children_by_field_name("path", &mut cursor).filter(Node::is_named);
    let path: Vec<String> = path.map(|part| visit.text_of(part)).collect();
    let path = path.join(".");
    let selectors = modifiers::child(node, &["namespace_selectors"]).unwrap_or(node);
    let mut names = Vec::new();
    for selector in modifiers::children(selectors) {
        let field = |name: &str| selector.field(name).map(|of| visit.text_of(of));
        match selector.kind_name() {
            "namespace_wildcard" => names.push(mentions::imported("*", None)),
            "arrow_renamed_identifier" | "as_renamed_identifier" => {
                let name = field("name").unwrap_or_default();
                names.push(mentions::imported(&name, field("alias")));
            }
            "identifier" if selectors != node => {
                names.push(mentions::imported(&visit.text_of(selector), None));
            }
            _ => {}
        }
    }
    if names.is_empty() {
        mentions::import_last(visit, notes, &path, '.', None);
    } else {
        mentions::import(visit, notes, path, names);
    }
}
