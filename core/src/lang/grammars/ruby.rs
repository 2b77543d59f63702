//! Ruby.

use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

mod blocks;
mod described;
mod endless;
mod fields;
mod loops;
mod macros;
mod named;
mod refer;
mod specification;
mod value;

/// Ruby. Instance methods are named `Type#method`, class methods `Type.method`.
pub(crate) static RUBY: Language = Language {
    name: "ruby",
    extensions: &["rb", "rake", "gemspec", "ru", "thor", "podspec", "jbuilder", "rabl", "rbw"],
    filenames: &[
        "Rakefile",
        "Gemfile",
        "Guardfile",
        "Vagrantfile",
        "Podfile",
        "Fastfile",
        "Thorfile",
        "Capfile",
        "Appraisals",
        "Berksfile",
        "Brewfile",
        "Dangerfile",
        "Puppetfile",
        "Steepfile",
        ".irbrc",
        ".pryrc",
    ],
    shebangs: &["ruby", "jruby"],
    separator: "::",
    line_comments: &["#"],
    block_comments: &[("=begin", "=end")],
    tests: TestConventions {
        file_prefixes: &["test_"],
        file_suffixes: &["_test.rb", "_spec.rb"],
        directories: &["test", "spec"],
    },
    grammar: grammar!("tree-sitter-ruby", tree_sitter_ruby::LANGUAGE),
    refine: None,
    mask: Some(endless::mask),
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &[],
    markers: &["identifier"],
    define,
    refer: Some(refer::refer),
    scopes: refer::SCOPES,
};

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "call" => return macros::define(visit, found),
        "alias" => macros::alias(visit),
        "simple_symbol" => macros::member(visit),
        "module" => scope(visit, SymbolKind::Module),
        "class" => scope(visit, SymbolKind::Class),
        "method" | "singleton_method" => method(visit),
        "assignment" => constant(visit).or_else(|| fields::assigned(visit)),
        "operator_assignment" => fields::assigned(visit),
        _ => None,
    };
    found.extend(definition);
}

/// Returns a class or module; `class A::B` defines the member `B` of `A`.
fn scope<'t>(visit: &Visit<'_, 't>, kind: SymbolKind) -> Option<Definition<'t>> {
    let definition = Definition::named(visit, kind)?;
    let name = visit.node().field("name").filter(|name| name.kind_name() == "scope_resolution");
    let Some(path) = name else { return Some(definition) };
    let last = path.field("name")?;
    Some(Definition {
        name: visit.text(last).into_owned(),
        name_span: last.byte_range(),
        prefix: visit.field(path, "scope").map(|of| of.trim_start_matches(':').to_owned()),
        ..definition
    })
}

fn method<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("name")?;
    // `private def …` makes the definition an argument.
    let is_argument = visit.ancestor_kind(1) == "argument_list";
    let call = visit.ancestor(2).filter(|call| is_argument && call.kind_name() == "call");
    let outer = if call.is_some() { 2 } else { 0 };
    let of_type = node.kind_name() == "singleton_method"
        || (visit.ancestor_kind(outer + 1) == "body_statement"
            && visit.ancestor_kind(outer + 2) == "singleton_class");
    let in_type = visit.enclosing_kind().is_some_and(|kind| !kind.is_callable());
    let word = call.and_then(|call| call.field("method"));
    let word = word.or(visit.marker(outer)).map(|word| visit.text(word));
    let kind = match name.kind_name() {
        _ if !in_type && !of_type => SymbolKind::Function,
        _ if !of_type && &visit.text[name.byte_range()] == b"initialize" => SymbolKind::Constructor,
        _ => SymbolKind::Method,
    };
    let visibility = match word.as_deref() {
        // `private` on a line of its own does not apply to `def self.…`.
        _ if node.kind_name() == "singleton_method" && call.is_none() => Visibility::Public,
        Some("private" | "private_class_method") => Visibility::Private,
        Some("protected") => Visibility::Protected,
        _ => Visibility::Public,
    };
    let object = visit.field(node, "object").filter(|object| object != "self");
    let is_own = object
        .as_deref()
        .is_some_and(|object| visit.enclosing().is_some_and(|symbol| symbol.name == object));
    // Without a body the signature ends after the parameters or, if there are none, after the name.
    let body = node.field("body").or_else(|| {
        let after = node.field("parameters").unwrap_or(name);
        after.next_sibling()
    });
    Some(Definition {
        body,
        outer,
        separator: Some(if of_type { "." } else { "#" }),
        prefix: object.filter(|_| !is_own).map(|object| object.into_owned()),
        visibility,
        ..Definition::new(visit, kind, name)
    })
}

fn constant<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let name = node.field("left")?;
    if !matches!(name.kind_name(), "constant" | "scope_resolution") {
        return None;
    }
    let made = visit.field(node, "right").unwrap_or_default();
    let makes = ["Struct.new", "Class.new", "Data.define"];
    let is_class = makes.iter().any(|makes| made.starts_with(makes));
    let kind = if is_class { SymbolKind::Class } else { SymbolKind::Constant };
    Some(Definition::new(visit, kind, name))
}
