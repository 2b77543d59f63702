//! Elixir. Its syntax tree represents everything as calls, including definitions.

use tree_sitter::Node;

use crate::lang::chain::Chain;
use crate::lang::facts::{Import, ImportKind, ImportedName};
use crate::lang::language::{Language, TestConventions};
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

/// Elixir.
pub(crate) static ELIXIR: Language = Language {
    name: "elixir",
    extensions: &["ex", "exs"],
    filenames: &["mix.lock"],
    shebangs: &["elixir"],
    separator: ".",
    line_comments: &["#"],
    block_comments: &[],
    tests: TestConventions {
        file_prefixes: &[],
        file_suffixes: &["_test.exs"],
        directories: &["test"],
    },
    grammar: grammar!("tree-sitter-elixir", tree_sitter_elixir::LANGUAGE),
    refine: None,
    mask: None,
    embedded: None,
    comments: &["comment"],
    doc_comments: &[],
    attributes: &["unary_operator"],
    markers: &["unary_operator"],
    define,
    refer: Some(refer),
    scopes: &[],
};

/// Module attributes that are metadata and not values of the module.
const RESERVED: &[&str] = &[
    "after_compile",
    "before_compile",
    "behaviour",
    "compile",
    "deprecated",
    "derive",
    "dialyzer",
    "doc",
    "enforce_keys",
    "external_resource",
    "fallback_to_any",
    "impl",
    "moduledoc",
    "moduletag",
    "on_definition",
    "on_load",
    "opaque",
    "optional_callbacks",
    "spec",
    "since",
    "tag",
    "typedoc",
    "vsn",
];

/// Macros whose blocks contain the fields of a struct.
const SCHEMA_MACROS: &[&str] =
    &["embedded_schema", "input_object", "interface", "object", "schema", "typedstruct"];

/// Macros that define a field in such a block.
const FIELD_MACROS: &[&str] =
    &["belongs_to", "embeds_many", "embeds_one", "field", "has_many", "has_one", "many_to_many"];

fn define<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let node = visit.node();
    let definition = match node.kind_name() {
        "call" => defined(visit, node),
        "unary_operator" => attribute(visit),
        _ => None,
    };
    found.extend(definition);
}

/// Returns the name that a call begins with.
fn target<'t>(visit: &Visit<'_, 't>, call: Node<'t>) -> Option<String> {
    let target = call.field("target").filter(|node| node.kind_name() == "identifier")?;
    Some(visit.text(target).into_owned())
}

fn first_argument<'t>(visit: &Visit<'_, 't>, call: Node<'t>) -> Option<Node<'t>> {
    visit.child(call, "arguments")?.named_child(0)
}

/// Returns the body of a definition: the `do` block, or `do:` among the arguments.
fn body<'t>(visit: &Visit<'_, 't>, call: Node<'t>) -> Option<Node<'t>> {
    visit.child(call, "do_block").or_else(|| {
        let keywords = visit.child(visit.child(call, "arguments")?, "keywords")?;
        let key = keywords.named_child(0)?.field("key")?;
        visit.text(key).starts_with("do:").then_some(keywords)
    })
}

fn defined<'t>(visit: &Visit<'_, 't>, call: Node<'t>) -> Option<Definition<'t>> {
    let word = target(visit, call)?;
    let kind = match word.as_str() {
        "defmodule" => SymbolKind::Module,
        "defprotocol" => SymbolKind::Interface,
        "defimpl" => SymbolKind::Impl,
        "def" | "defp" | "defdelegate" | "test" | "property" => SymbolKind::Function,
        "defmacro" | "defmacrop" | "defguard" | "defguardp" => SymbolKind::Macro,
        // A macro of the project: `defhandler handle(event) do`.
        word if word.starts_with("def") && body(visit, call).is_some() => SymbolKind::Function,
        _ => return schema_field(visit, call, &word),
    };
    let first = first_argument(visit, call)?;
    let body = body(visit, call);
    if matches!(word.as_str(), "test" | "property") {
        let name = (first.kind_name() == "string").then(|| first.named_child(0))??;
        return Some(Definition { body, ..Definition::new(visit, kind, name) });
    }
    let is_type = !matches!(kind, SymbolKind::Function | SymbolKind::Macro);
    let name = if is_type { first } else { head(visit, first)? };
    let mut definition = Definition { body, ..Definition::new(visit, kind, name) };
    if kind == SymbolKind::Impl {
        definition.name = implementation(visit, call, &definition.name);
        definition.scope = Some(definition.name.clone());
    } else if is_type {
        definition.docstring = module_doc(visit, call);
    } else {
        // Further clauses of a function directly follow the first one and are not listed.
        if visit.symbols.last().is_some_and(|last| {
            last.name == definition.name
                && last.parent.map(|parent| visit.symbols[parent].span.clone())
                    == visit.enclosing().map(|symbol| symbol.span.clone())
                && arity(visit.text, last.name_span.end) == arity(visit.text, name.end_byte())
        }) {
            return None;
        }
        definition.docstring = doc(visit);
        if matches!(word.as_str(), "defp" | "defmacrop" | "defguardp") {
            definition.visibility = Visibility::Private;
        }
    }
    Some(definition)
}

/// Returns the field that `field :name` or an association defines in the block of a schema or of an
/// object.
fn schema_field<'t>(visit: &Visit<'_, 't>, call: Node<'t>, word: &str) -> Option<Definition<'t>> {
    if !FIELD_MACROS.contains(&word) || visit.ancestor_kind(1) != "do_block" {
        return None;
    }
    let around = visit.ancestor(2).filter(|around| around.kind_name() == "call")?;
    if !SCHEMA_MACROS.contains(&target(visit, around)?.as_str()) {
        return None;
    }
    let name = first_argument(visit, call).filter(|name| name.kind_name() == "atom")?;
    let mut definition = Definition::new(visit, SymbolKind::Field, name);
    definition.name = definition.name.trim_start_matches(':').to_owned();
    definition.name_span = (name.start_byte() + 1).min(name.end_byte())..name.end_byte();
    Some(definition)
}

/// Returns the name in the head of a function: `name(…)`, `name`, `name(…) when …`, `a + b`.
fn head<'t>(visit: &Visit<'_, 't>, mut head: Node<'t>) -> Option<Node<'t>> {
    if head.kind_name() == "binary_operator" {
        let operator = head.field("operator")?;
        if visit.text(operator) != "when" {
            return Some(operator);
        }
        head = head.field("left")?;
    }
    match head.kind_name() {
        "identifier" => Some(head),
        "call" => head.field("target").filter(|name| name.kind_name() == "identifier"),
        "binary_operator" | "unary_operator" => head.field("operator"),
        _ => None,
    }
}

/// Returns `Protocol for Type`, or the protocol alone.
fn implementation(visit: &Visit<'_, '_>, call: Node, protocol: &str) -> String {
    let all = String::from_utf8_lossy(&visit.text[call.byte_range()]);
    let line = all.lines().next().unwrap_or_default();
    let of = line.split_once("for:").map(|(_, rest)| rest.trim());
    let of = of.map(|rest| rest.split([',', ' ']).next().unwrap_or_default());
    let kept = |of: &str| format!("impl {protocol} for {of}");
    of.map_or_else(|| format!("impl {protocol}"), kept)
}

/// Returns the number of arguments after a function's name, or 0 without parentheses.
fn arity(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    if rest.first() != Some(&b'(') {
        return 0;
    }
    let (mut depth, mut count, mut is_empty) = (0_usize, 0, true);
    for &byte in rest.iter().take(4096) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth <= 1 => break,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 1 => count += 1,
            _ => {}
        }
        is_empty &= depth == 0 || byte == b'(' || byte.is_ascii_whitespace();
    }
    count + usize::from(!is_empty)
}

/// Returns the text of `@doc` among the attributes directly before a function.
fn doc<'t>(visit: &Visit<'_, 't>) -> Option<Node<'t>> {
    let marker = visit.marker(0)?;
    if visit.symbols.last().is_some_and(|last| {
        last.kind != SymbolKind::Module && last.span.start > marker.start_byte()
    }) {
        return None;
    }
    let mut before = visit.node().prev_named_sibling();
    for _ in 0..6 {
        let attribute =
            before.filter(|node| matches!(node.kind_name(), "unary_operator" | "comment"))?;
        let call = attribute.field("operand").filter(|node| node.kind_name() == "call");
        if let Some(call) = call.filter(|call| target(visit, *call).as_deref() == Some("doc")) {
            return first_argument(visit, call).filter(|text| text.kind_name() == "string");
        }
        before = attribute.prev_named_sibling();
    }
    None
}

/// Returns the text of `@moduledoc` at the start of a module.
fn module_doc<'t>(visit: &Visit<'_, 't>, call: Node<'t>) -> Option<Node<'t>> {
    let first = visit.child(call, "do_block")?.named_child(0)?;
    let call = first.field("operand").filter(|node| node.kind_name() == "call")?;
    if target(visit, call)? != "moduledoc" {
        return None;
    }
    first_argument(visit, call).filter(|text| text.kind_name() == "string")
}

/// Returns a type, a callback or a value: `@type t :: …`, `@callback f(…) :: …`, `@limit 10`.
fn attribute<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    if !is_at(visit, node) || visit.ancestor_kind(1) != "do_block" {
        return None;
    }
    let call = node.field("operand").filter(|operand| operand.kind_name() == "call")?;
    let word = target(visit, call)?;
    let kind = match word.as_str() {
        "type" | "typep" | "opaque" => SymbolKind::Type,
        "callback" | "macrocallback" => SymbolKind::Prototype,
        _ if RESERVED.contains(&word.as_str()) => return None,
        _ => SymbolKind::Constant,
    };
    if kind == SymbolKind::Constant {
        let name = call.field("target")?;
        let is_again = visit.is_defined(&word, ".");
        let visibility = Visibility::Private;
        return (!is_again)
            .then(|| Definition { visibility, ..Definition::new(visit, kind, name) });
    }
    let mut name = first_argument(visit, call)?;
    for _ in 0..3 {
        name = match name.kind_name() {
            "binary_operator" => name.field("left")?,
            "call" => name.field("target")?,
            _ => break,
        };
    }
    let visibility = if word == "typep" { Visibility::Private } else { Visibility::Public };
    Some(Definition { visibility, ..Definition::new(visit, kind, name) })
}

fn refer(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let node = visit.node();
    if node.kind_name() != "call" {
        return;
    }
    let Some(target) = node.field("target") else { return };
    let arguments = visit.child(node, "arguments");
    let count = arguments.map_or(0, |list| list.element_count());
    match target.kind_name() {
        "identifier" => {
            let word = visit.text(target);
            if matches!(word.as_ref(), "alias" | "import" | "require" | "use") {
                import(visit, notes, word == "import");
            } else if !word.starts_with("def") && !is_head(visit) && !is_attribute(visit) {
                notes.call(visit, target, None, count + usize::from(is_piped(visit)));
            }
        }
        "dot" => {
            let Some(name) = target.field("right") else { return };
            let left = target.field("left");
            let receiver = left.and_then(|left| module(visit, notes, left));
            let receiver = receiver.unwrap_or_else(Chain::unknown);
            if name.kind_name() == "identifier" && !is_attribute(visit) {
                notes.call(visit, name, Some(receiver), count + usize::from(is_piped(visit)));
            }
        }
        _ => {}
    }
}

/// Returns the module that an expression names, by its qualified name, by which the linker looks it up:
/// aliases of the file are followed, and `__MODULE__` is the module around it.
fn module(visit: &Visit<'_, '_>, notes: &Notes<'_>, node: Node<'_>) -> Option<Chain> {
    let written = visit.text(node);
    let modules = || visit.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Module);
    let at = node.start_byte();
    let around = modules().rfind(|symbol| symbol.span.contains(&at));
    let around = around.map(|symbol| symbol.qualified_name.as_str());
    let whole = match node.kind_name() {
        "identifier" if written == "__MODULE__" => around?.to_owned(),
        "alias" => {
            let (first, rest) = written.split_once('.').unwrap_or((&written, ""));
            // `use` and `require` bind the last name only with `as:`.
            let is_bound = |import: &&Import| {
                let is_alias = visit.text[import.span.start..].starts_with(b"alias");
                let is_new = is_alias || import.module.rsplit('.').next() != Some(first);
                is_new && import.names.iter().any(|bound| bound.alias == first)
            };
            let bound = notes.imports.iter().rfind(is_bound);
            let inner = around.map(|around| format!("{around}.{first}"));
            let inner = inner.filter(|it| modules().any(|symbol| symbol.qualified_name == *it));
            let start = bound.map(|import| import.module.clone()).or(inner);
            let start = start.unwrap_or_else(|| first.to_owned());
            if rest.is_empty() { start } else { format!("{start}.{rest}") }
        }
        _ => return None,
    };
    Some(Chain::name(format!("\\{}", whole.replace('.', "\\"))))
}

/// Returns true if a call is the right side of `|>`, whose left side is its first argument.
fn is_piped(visit: &Visit<'_, '_>) -> bool {
    let around = visit.ancestor(1).filter(|around| around.kind_name() == "binary_operator");
    let is_right = |of: &Node<'_>| of.field("right").is_some_and(|it| it.id() == visit.node().id());
    let sign = around.filter(is_right).and_then(|around| around.field("operator"));
    sign.is_some_and(|sign| visit.text(sign) == "|>")
}

/// Returns true if a unary operator is `@`.
fn is_at(visit: &Visit<'_, '_>, node: Node) -> bool {
    visit.text.get(node.start_byte()) == Some(&b'@')
}

/// Returns true if the visited node is inside `@spec`, `@type` or a similar attribute.
fn is_attribute(visit: &Visit<'_, '_>) -> bool {
    (1..16)
        .map_while(|levels| visit.ancestor(levels))
        .take_while(|node| node.kind_name() != "do_block")
        .any(|node| node.kind_name() == "unary_operator" && is_at(visit, node))
}

/// Returns true if the visited node is the head of a definition, which is also parsed as a call.
fn is_head(visit: &Visit<'_, '_>) -> bool {
    let at = if visit.ancestor_kind(1) == "binary_operator" { 2 } else { 1 };
    let call = visit.ancestor(at + 1).filter(|_| visit.ancestor_kind(at) == "arguments");
    let is_first = visit
        .ancestor(at)
        .and_then(|list| list.named_child(0))
        .is_some_and(|first| first.start_byte() == visit.node().start_byte());
    let word = call.and_then(|call| call.field("target"));
    is_first && word.is_some_and(|word| visit.text[word.byte_range()].starts_with(b"def"))
}

/// Records each module that a statement imports: `alias A.{B, C}`, `alias A.B, as: C`, `import A`.
fn import(visit: &Visit<'_, '_>, notes: &mut Notes<'_>, binds_all: bool) {
    let node = visit.node();
    let Some(arguments) = visit.child(node, "arguments") else { return };
    let Some(first) = arguments.named_child(0) else { return };
    let text = |node: Node| String::from_utf8_lossy(&visit.text[node.byte_range()]).into_owned();
    let line = node.start_position().row + 1;
    let mut note = |module: String, alias: Option<String>| {
        let last = module.rsplit('.').next().unwrap_or_default().to_owned();
        let name = if binds_all {
            ImportedName { name: "*".to_owned(), alias: String::new() }
        } else {
            ImportedName { name: String::new(), alias: alias.unwrap_or(last) }
        };
        let (span, kind) = (node.byte_range(), ImportKind::Module);
        notes.import(Import { span, line, kind, module, names: vec![name] });
    };
    if first.kind_name() == "alias" {
        let renamed = visit.child(arguments, "keywords").and_then(|keywords| {
            let pair = keywords.named_child(0)?;
            let is_as = text(pair.field("key")?).starts_with("as:");
            is_as.then(|| pair.field("value")).flatten()
        });
        note(text(first), renamed.map(text));
    } else if let (Some(left), Some(right)) = (first.field("left"), first.field("right")) {
        let mut cursor = right.walk();
        for part in right.named_children(&mut cursor).filter(|part| part.kind_name() == "alias") {
            note(format!("{}.{}", text(left), text(part)), None);
        }
    }
}
