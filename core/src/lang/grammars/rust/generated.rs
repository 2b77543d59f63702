//! Names in the arguments of Rust macro calls that are not items: names after a keyword such as
//! `struct`, and names from which a macro of the same file makes a definition (`fn $name`).
//!
//! The call is the origin of such a definition: it has the call's lines and signature. Functions
//! that a macro defines under their own names (`fn name` in its body) are members of the macro; the
//! linker adds them to the types whose blocks call it.

use tree_sitter::Node;

use super::{items, written};
use crate::lang::code_text;
use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::notes::Notes;
use crate::lang::symbols::{SymbolKind, Visibility};
use crate::lang::visit::{Definition, Visit};

/// Maximum nesting of a macro's pattern.
const DEPTH_MAX: usize = 8;

/// Maximum number of arguments that are compared with the patterns of a macro.
const ARGUMENTS_MAX: usize = 4096;

/// Maximum nesting of a function in the body of a macro.
const NESTING_MAX: usize = 8;

/// Maximum number of tokens before a body that are searched for the keyword of a function.
const HEAD_TOKENS_MAX: usize = 64;

/// Maximum number of bytes of a function's head that are searched for its result.
const HEAD_BYTES_MAX: usize = 1000;

/// A definition that a macro makes of its argument.
struct Made<'v> {
    /// The name of the argument with its `$`.
    variable: &'v [u8],
    kind: SymbolKind,
    visibility: Visibility,
    /// The text after the name in the macro's body.
    after: &'v [u8],
}

/// What a macro of the same file makes of the arguments of a call.
struct Expansion<'v, 't> {
    made: Vec<Made<'v>>,
    /// The variables that are bound to arguments.
    bound: Vec<(&'v [u8], Node<'t>)>,
}

/// Returns the kind of the definition whose name follows `before`, and its visibility.
fn keyword(before: &[u8]) -> Option<(SymbolKind, Visibility)> {
    let (mut rest, word) = last_word(before);
    let kind = match word {
        b"fn" => SymbolKind::Function,
        b"struct" => SymbolKind::Struct,
        b"enum" => SymbolKind::Enum,
        b"trait" => SymbolKind::Trait,
        b"type" => SymbolKind::Type,
        b"mod" => SymbolKind::Module,
        b"" if rest.ends_with(b"macro_rules!") => {
            return Some((SymbolKind::Macro, Visibility::Public));
        }
        _ => return None,
    };
    loop {
        let (before, word) = last_word(rest);
        match word {
            b"async" | b"const" | b"unsafe" | b"extern" => rest = before,
            b"pub" => return Some((kind, Visibility::Public)),
            _ if rest.ends_with(b")") => {
                let open = rest.iter().rposition(|&byte| byte == b'(')?;
                let is_limited = last_word(&rest[..open]).1 == b"pub";
                let limited = if is_limited { Visibility::Internal } else { Visibility::Private };
                return Some((kind, limited));
            }
            _ => return Some((kind, Visibility::Private)),
        }
    }
}

/// Splits `text` before its last word. The first part has no spaces at its end.
fn last_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_end();
    let len = text.iter().rev().take_while(|byte| code_text::is_name(**byte)).count();
    let (before, word) = text.split_at(text.len() - len);
    (before.trim_ascii_end(), word)
}

/// Returns the definition whose name is the visited identifier: `struct Name` at the outermost level
/// of arguments that are not items.
pub(super) fn named<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    let tree = visit.ancestor(1).filter(|tree| tree.kind_name() == "token_tree")?;
    if visit.ancestor_kind(2) != "macro_invocation" || !items::is_item_place(visit, 2) {
        return None;
    }
    let head = &visit.text[tree.start_byte() + 1..node.start_byte()];
    let (kind, visibility) = keyword(&head[head.len().saturating_sub(64)..])?;
    let span = node.byte_range();
    if visit.symbols.iter().rev().take(64).any(|symbol| symbol.name_span == span) {
        return None;
    }
    let line = head.iter().rposition(|&byte| matches!(byte, b'\n' | b';' | b'}'));
    let line = &head[line.map_or(0, |at| at + 1)..];
    let signature = node.start_byte() - line.trim_ascii_start().len();
    let mut definition = Definition::new(visit, kind, node);
    definition.visibility = visibility;
    definition.signature_start = Some(signature);
    Some(definition)
}

/// Returns the method whose name is the visited identifier: `fn name` in the body of a macro, outside
/// of other items.
pub(super) fn in_body<'t>(visit: &Visit<'_, 't>) -> Option<Definition<'t>> {
    let node = visit.node();
    if let Some((kind, visibility, _)) = in_nested_call(visit) {
        let mut definition = Definition::new(visit, kind, node);
        definition.visibility = visibility;
        return Some(definition);
    }
    let levels =
        (1..=NESTING_MAX).take_while(|&at| visit.ancestor_kind(at) == "token_tree").count();
    let is_in_rule = levels > 0 && visit.ancestor_kind(levels + 1) == "macro_rule";
    let is_outermost = levels == 1;
    let tree = visit.ancestor(1).filter(|_| is_in_rule)?;
    let head = &visit.text[tree.start_byte() + 1..node.start_byte()];
    let (kind, visibility) = keyword(&head[head.len().saturating_sub(64)..])?;
    if kind != SymbolKind::Function {
        return None;
    }
    let line = head.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let signature = node.start_byte() - head[line..].trim_ascii_start().len();
    // A function in a block is visible there only, and no member of a type.
    let kind = if is_outermost { SymbolKind::Method } else { SymbolKind::Function };
    let is_in_block = is_outermost || is_block(visit, tree);
    let mut definition = Definition::new(visit, kind, node);
    definition.visibility = visibility;
    definition.signature_start = Some(signature);
    Some(definition).filter(|_| is_in_block)
}

/// Returns true for the body of a function, and for a block in braces of its own.
fn is_block(visit: &Visit<'_, '_>, tree: Node<'_>) -> bool {
    if !visit.bytes(tree).starts_with(b"{") {
        return false;
    }
    let mut before = tree.prev_sibling();
    for number in 0..HEAD_TOKENS_MAX {
        let Some(token) = before else { return false };
        match visit.bytes(token) {
            b"fn" => return true,
            b"{" | b"(" | b";" => return number == 0,
            own if own.ends_with(b"}") => return number == 0,
            _ => before = token.prev_sibling(),
        }
    }
    false
}

/// Returns the kind of the method that a macro of the same file makes of the visited identifier, in a
/// call in the body of another macro, with its visibility and the text after its name: `get` of
/// `made!(get);`.
fn in_nested_call<'v>(visit: &'v Visit<'_, '_>) -> Option<(SymbolKind, Visibility, &'v [u8])> {
    let is_nested = visit.ancestor_kind(1) == "token_tree"
        && visit.ancestor_kind(2) == "token_tree"
        && visit.ancestor_kind(3) == "macro_rule";
    let tree = visit.ancestor(1).filter(|_| is_nested)?;
    let mark = tree.prev_sibling().filter(|mark| visit.bytes(*mark) == b"!")?;
    let name = mark.prev_sibling().filter(|name| name.kind_name() == "identifier")?;
    if !visit.ordinals.contains_key(visit.text(name).as_ref()) {
        return None;
    }
    let Expansion { made, bound } = expand(visit, name, tree)?;
    let (variable, _) = bound.iter().find(|(_, name)| name.id() == visit.node().id())?;
    let made = made.into_iter().find(|made| made.variable == *variable)?;
    (made.kind == SymbolKind::Function).then_some((SymbolKind::Method, made.visibility, made.after))
}

/// Records the result of the function that the visited identifier names in the body of a macro.
pub(super) fn record_result(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    if let Some((_, _, after)) = in_nested_call(visit) {
        if let Some(chain) = result_of(after) {
            notes.set_type(visit.defined.start, chain);
        }
        return;
    }
    let after = &visit.text[visit.node().end_byte()..];
    let is_async = last_word(&visit.text[..visit.node().start_byte()]).0.ends_with(b"async");
    if let Some(chain) = result_of(after).filter(|_| !is_async) {
        notes.set_type(visit.defined.start, chain);
    }
}

/// Records the results of the functions that the visited call makes.
pub(super) fn record_results(visit: &Visit<'_, '_>, notes: &mut Notes<'_>) {
    let Some(Expansion { made, bound }) = expansion(visit) else { return };
    for index in visit.defined.clone() {
        let span = &visit.symbols[index].name_span;
        let variables = bound.iter().filter(|(_, name)| name.byte_range() == *span);
        let after = variables.filter_map(|(variable, _)| {
            made.iter().find(|made| made.variable == *variable).map(|made| made.after)
        });
        if let Some(chain) = after.filter_map(result_of).next() {
            notes.set_type(index, chain);
        }
    }
}

/// Returns the chain of the result in the text after a function's name: `(a: A) -> Type {`.
fn result_of(after: &[u8]) -> Option<Chain> {
    let head = &after[..after.len().min(HEAD_BYTES_MAX)];
    let head = &head[..head.iter().position(|byte| matches!(byte, b'{' | b';'))?];
    let head = std::str::from_utf8(head).ok()?;
    let (_, of) = head.rsplit_once("->").filter(|(before, _)| before.trim_end().ends_with(')'))?;
    let of = of.split(" where").next().unwrap_or(of);
    let of = of.split("\n").next().unwrap_or(of);
    written::chain_of(of.trim().trim_start_matches("$crate::"))
}

/// Adds the definitions that a macro of the same file makes of the arguments of the visited call.
pub(super) fn made<'t>(visit: &Visit<'_, 't>, found: &mut Vec<Definition<'t>>) {
    if let Some(expansion) = expansion(visit) {
        add(visit, &expansion, found);
    }
}

/// Returns what a macro of the same file makes of the arguments of the visited call.
fn expansion<'v, 't>(visit: &'v Visit<'_, 't>) -> Option<Expansion<'v, 't>> {
    let call = visit.node();
    let name = call.field("macro")?;
    if !visit.ordinals.contains_key(visit.text(name).as_ref()) || !items::is_item_place(visit, 0) {
        return None;
    }
    expand(visit, name, visit.child(call, "token_tree")?)
}

/// Returns what the macro `name` of the same file makes of arguments.
fn expand<'v, 't>(
    visit: &'v Visit<'_, 't>,
    name: Node<'t>,
    arguments: Node<'t>,
) -> Option<Expansion<'v, 't>> {
    if items::begins_item(visit, arguments) {
        return None;
    }
    let is_macro = |node: Node<'_>, name: &[u8]| {
        let own = node.field("name");
        node.kind_name() == "macro_definition" && own.is_some_and(|own| visit.bytes(own) == name)
    };
    let own = visit.bytes(name);
    let mut symbols = visit.symbols.iter().rev();
    let symbol =
        symbols.find(|symbol| symbol.kind == SymbolKind::Macro && symbol.name.as_bytes() == own)?;
    let (start, end) = (symbol.span.start, symbol.span.end);
    let definition = visit.root()?.named_descendant_for_byte_range(start, end)?;
    if !is_macro(definition, own) {
        return None;
    }
    let arguments = inside(arguments);
    let mut cursor = definition.walk();
    let rules = definition.named_children(&mut cursor);
    let rules: Vec<(Node<'_>, Node<'_>)> = rules
        .filter(|rule| rule.kind_name() == "macro_rule")
        .filter_map(|rule| Some((rule.field("left")?, rule.field("right")?)))
        .collect();
    rules.iter().find_map(|&(left, right)| {
        let mut bound = Vec::new();
        let matching = Matching { text: visit.text, bound: &mut bound };
        if !matching.all(&inside(left), &arguments) {
            return None;
        }
        let mut made = definitions_of(visit.bytes(right));
        for &(left, other) in rules.iter().filter(|(_, other)| *other != right) {
            made.extend(made_by_calls(
                visit,
                own,
                right,
                left,
                &definitions_of(visit.bytes(other)),
            ));
        }
        Some(Expansion { made, bound })
    })
}

/// Returns what the calls of the macro `own` in one of its rules make of the variables of that rule:
/// `own!(@ $name)`, where another rule with the pattern `left` makes `others` of its arguments.
fn made_by_calls<'v>(
    visit: &'v Visit<'_, '_>,
    own: &[u8],
    right: Node<'_>,
    left: Node<'_>,
    others: &[Made<'v>],
) -> Vec<Made<'v>> {
    let mut found = Vec::new();
    if others.is_empty() {
        return found;
    }
    let tokens = inside(right);
    for call in tokens.windows(3).take(ARGUMENTS_MAX) {
        let [name, mark, tree] = call else { continue };
        if visit.bytes(*name) != own
            || visit.bytes(*mark) != b"!"
            || tree.kind_name() != "token_tree"
        {
            continue;
        }
        let mut bound = Vec::new();
        let arguments = inside(*tree);
        let matching = Matching { text: visit.text, bound: &mut bound };
        if !matching.all(&inside(left), &arguments) {
            continue;
        }
        for (variable, name) in &bound {
            let other = others.iter().find(|made| made.variable == *variable);
            if let (Some(other), b"$") = (other, &visit.bytes(*name)[..1]) {
                found.push(Made { variable: visit.bytes(*name), ..*other });
            }
        }
    }
    found
}

/// Returns the variable at the byte `at`, with its `$`.
fn variable(text: &[u8], at: usize) -> &[u8] {
    let len = text[at + 1..].iter().take_while(|byte| code_text::is_name(**byte)).count();
    &text[at..=at + len]
}

/// Adds the definitions of those bound names that a macro makes one of.
fn add<'t>(visit: &Visit<'_, 't>, expansion: &Expansion<'_, 't>, found: &mut Vec<Definition<'t>>) {
    let in_impl = visit.ancestor_kind(1) == "declaration_list"
        && matches!(visit.enclosing_kind(), Some(SymbolKind::Impl | SymbolKind::Trait));
    for (variable, name) in &expansion.bound {
        let of = expansion.made.iter().find(|made| made.variable == *variable);
        let Some(&Made { kind, visibility, .. }) = of else { continue };
        let is_method = in_impl && kind == SymbolKind::Function;
        let kind = if is_method { SymbolKind::Method } else { kind };
        found.push(Definition { visibility, ..Definition::new(visit, kind, *name) });
    }
}

/// Returns the arguments of which the expansion `text` makes definitions: `$name` of `fn $name`.
fn definitions_of(text: &[u8]) -> Vec<Made<'_>> {
    let mut made = Vec::new();
    for at in memchr::memchr_iter(b'$', text) {
        let variable = variable(text, at);
        let head = &text[at.saturating_sub(64)..at];
        if let (Some((kind, visibility)), 2..) = (keyword(head), variable.len()) {
            made.push(Made { variable, kind, visibility, after: &text[at + variable.len()..] });
        }
    }
    made
}

/// Returns the tokens between the brackets of a tree, without comments.
fn inside(tree: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = tree.walk();
    let tokens = tree.children(&mut cursor).skip(1).take(ARGUMENTS_MAX);
    let mut tokens: Vec<Node<'_>> = tokens.filter(|token| !items::is_comment(*token)).collect();
    tokens.pop();
    tokens
}

/// The comparison of the pattern of a macro with the arguments of a call. It follows names, literal
/// tokens, nesting and repetitions; an expression or type extends to the next literal token.
struct Matching<'v, 'p, 't> {
    text: &'p [u8],
    /// The identifiers bound to arguments of the kind `ident`.
    bound: &'v mut Vec<(&'p [u8], Node<'t>)>,
}

impl<'p, 't> Matching<'_, 'p, 't> {
    /// Returns true if the pattern matches all arguments.
    fn all(mut self, pattern: &[Node<'_>], arguments: &[Node<'t>]) -> bool {
        self.prefix(pattern, arguments, b"", DEPTH_MAX) == Some(arguments.len())
    }

    fn bytes(&self, node: Node<'_>) -> &'p [u8] {
        &self.text[node.byte_range()]
    }

    /// Returns the number of arguments that the pattern matches; `None` if it matches none. What
    /// the pattern ends with extends at most to the token `end`.
    fn prefix(
        &mut self,
        pattern: &[Node<'_>],
        arguments: &[Node<'t>],
        end: &[u8],
        depth: usize,
    ) -> Option<usize> {
        let depth = depth.checked_sub(1)?;
        let mut at = 0;
        for (index, &part) in pattern.iter().enumerate() {
            match part.kind_name() {
                "token_binding_pattern" => {
                    let next = pattern.get(index + 1).map_or(end, |next| self.bytes(*next));
                    at += self.bind(part, &arguments[at..], next)?;
                }
                "token_repetition_pattern" => {
                    at += self.repeated(part, &arguments[at..], depth)?;
                }
                "token_tree_pattern" => {
                    let tree = arguments.get(at).filter(|tree| tree.kind_name() == "token_tree")?;
                    let inner = inside(*tree);
                    let is_same = self.bytes(*tree).first() == self.bytes(part).first();
                    let matched = self.prefix(&inside(part), &inner, b"", depth)?;
                    if !is_same || matched != inner.len() {
                        return None;
                    }
                    at += 1;
                }
                _ if self.bytes(*arguments.get(at)?) == self.bytes(part) => at += 1,
                _ => return None,
            }
        }
        Some(at)
    }

    /// Returns the number of arguments that the variable `part` matches.
    fn bind(&mut self, part: Node<'_>, arguments: &[Node<'t>], next: &[u8]) -> Option<usize> {
        let first = arguments.first();
        match self.bytes(part.field("type")?) {
            b"ident" => {
                let is_name =
                    |name: &&Node<'t>| matches!(name.kind_name(), "identifier" | "metavariable");
                let name = *first.filter(is_name)?;
                self.bound.push((self.bytes(part.field("name")?), name));
                Some(1)
            }
            b"tt" | b"block" | b"literal" => first.map(|_| 1),
            b"vis" => {
                let has_word = first.is_some_and(|first| self.bytes(*first) == b"pub");
                let list = arguments.get(1).filter(|list| self.bytes(**list).starts_with(b"("));
                Some(if has_word { 1 + usize::from(list.is_some()) } else { 0 })
            }
            _ => {
                let is_end = |token: &Node<'t>| !next.is_empty() && self.bytes(*token) == next;
                let len = arguments.iter().position(is_end).unwrap_or(arguments.len());
                Some(len).filter(|&len| len > 0)
            }
        }
    }

    /// Returns the number of arguments that the repetition `part` matches.
    fn repeated(&mut self, part: Node<'_>, arguments: &[Node<'t>], depth: usize) -> Option<usize> {
        let mut cursor = part.walk();
        let tokens: Vec<Node<'_>> = part.children(&mut cursor).collect();
        let close = tokens.iter().rposition(|token| token.kind_name() == ")")?;
        let inner: Vec<Node<'_>> = tokens.get(2..close)?.to_vec();
        let tail = &self.text[tokens[close].end_byte()..part.end_byte()];
        let (separator, operator) = tail.split_at(tail.len().checked_sub(1)?);
        let separator = separator.trim_ascii();
        let mut at = 0;
        loop {
            let mut from = at;
            if at > 0 && !separator.is_empty() {
                let is_next = arguments.get(at).is_some_and(|next| self.bytes(*next) == separator);
                if !is_next {
                    return Some(at);
                }
                from += 1;
            }
            let bound = self.bound.len();
            match self.prefix(&inner, &arguments[from..], separator, depth) {
                Some(len @ 1..) => at = from + len,
                _ => {
                    self.bound.truncate(bound);
                    return Some(at);
                }
            }
            if operator == b"?" {
                return Some(at);
            }
        }
    }
}
