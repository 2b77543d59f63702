//! Items in macro calls, such as `cfg_rt! { … }` and `lazy_static! { … }`: the grammar parses them as
//! tokens, although most macros of this form expand to the same items.
//!
//! No macro is recognized by its name, only by its form: a call where an item may be, whose
//! arguments parse as items. A few forms are rewritten as items first:
//!
//! - `static ref NAME: Type = value;` (`lazy_static!`), and a last `static` without a semicolon
//!   (`thread_local!`);
//! - `struct Flags: u8 { const A = 1; }` (`bitflags!`) becomes an enumeration, see [`is_flags`];
//! - `pub Name { fn name(&self); }` (`mock!`) becomes an implementation;
//! - `if #[cfg(…)] { items } else { items }` (`cfg_if!`), `pattern => { items }` (`cfg_select!`)
//!   and `name: { items }`: the items of all branches.

use std::ops::Range;

use tree_sitter::Node;

use crate::lang::embedded::Embedded;
use crate::lang::node::NodeNames;
use crate::lang::visit::Visit;

/// Words that begin an item, sorted.
const ITEM_WORDS: &[&[u8]] = &[
    b"async",
    b"const",
    b"enum",
    b"extern",
    b"fn",
    b"impl",
    b"macro_rules",
    b"mod",
    b"pub",
    b"static",
    b"struct",
    b"trait",
    b"type",
    b"union",
    b"unsafe",
    b"use",
];

/// Returns the items in the visited node, if it contains the arguments of a macro call where an
/// item may be.
pub(super) fn in_macro(visit: &Visit<'_, '_>) -> Option<Embedded> {
    let node = visit.node();
    if node.kind_name() != "token_tree" || visit.ancestor_kind(1) != "macro_invocation" {
        return None;
    }
    let levels = if visit.ancestor_kind(2) == "expression_statement" { 2 } else { 1 };
    let bodies = match visit.ancestor_kind(levels + 1) {
        "source_file" | "declaration_list" => bodies(visit, node),
        // A block contains mostly other calls. Its last call can be its value: `quote! { … }`.
        "block" if begins_item(visit, node) && !is_last(visit.ancestor(levels)?) => {
            vec![Body::inside(node)]
        }
        _ => return None,
    };
    if bodies.is_empty() {
        return None;
    }
    let ranges = bodies.iter().map(|body| body.range.clone()).collect();
    let mut embedded = Embedded::new(node, levels, ranges, is_items);
    for body in bodies {
        Rewriter { visit, embedded: &mut embedded }.body(&body);
    }
    Some(embedded)
}

/// Returns true if the macro call `levels` above the visited node is where an item may be, outside of
/// blocks.
pub(super) fn is_item_place(visit: &Visit<'_, '_>, levels: usize) -> bool {
    let in_statement = visit.ancestor_kind(levels + 1) == "expression_statement";
    let around = visit.ancestor_kind(levels + 1 + usize::from(in_statement));
    matches!(around, "source_file" | "declaration_list")
}

fn is_last(node: Node<'_>) -> bool {
    let mut after = node.next_named_sibling();
    while let Some(comment) = after.filter(|after| is_comment(*after)) {
        after = comment.next_named_sibling();
    }
    after.is_none()
}

pub(super) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind_name(), "line_comment" | "block_comment")
}

/// Returns true if the token tree `tree` begins with an item.
pub(super) fn begins_item(visit: &Visit<'_, '_>, tree: Node<'_>) -> bool {
    let mut cursor = tree.walk();
    let tokens = tree.children(&mut cursor).skip(1).filter(|token| !is_comment(*token));
    begin_item(visit, tokens)
}

/// Returns true if `tokens` begin with an item, after attributes.
fn begin_item<'t>(visit: &Visit<'_, 't>, tokens: impl Iterator<Item = Node<'t>>) -> bool {
    let mut tokens = tokens.skip_while(|token| {
        matches!(token.kind_name(), "#" | "!") || visit.bytes(*token).starts_with(b"[")
    });
    let (Some(first), Some(second)) = (tokens.next(), tokens.next()) else { return false };
    match visit.bytes(first) {
        b"async" | b"const" | b"unsafe" | b"static" => {
            !matches!(visit.bytes(second), [b'{' | b'|', ..] | b"move")
        }
        word => ITEM_WORDS.binary_search(&word).is_ok(),
    }
}

/// Tokens that contain items.
struct Body<'t> {
    /// The tokens, without comments.
    tokens: Vec<Node<'t>>,
    /// The bytes of the tokens, and those up to the tokens before and after them.
    range: Range<usize>,
}

impl<'t> Body<'t> {
    /// Returns the tokens between the brackets of a token tree.
    fn inside(tree: Node<'t>) -> Body<'t> {
        let mut cursor = tree.walk();
        let mut tokens: Vec<Node<'t>> =
            tree.children(&mut cursor).skip(1).filter(|token| !is_comment(*token)).collect();
        tokens.pop();
        let start = tree.start_byte() + 1;
        // At the end of a text the closing bracket may be missing: an empty token.
        let closing = tree.child_count().checked_sub(1).and_then(|last| tree.child(last));
        let end = closing.map_or(start, |closing| closing.start_byte().max(start));
        Body { tokens, range: start..end }
    }

    /// Returns the tokens from the index `from` on.
    fn from(mut self, from: usize) -> Body<'t> {
        self.range.start = self.tokens[from - 1].end_byte();
        self.tokens.drain(..from);
        self
    }
}

/// Returns the parts of a token tree that contain items: all of it, what follows the first
/// semicolon (`const_if: #[cfg(…)]; fn …`), or the branches.
fn bodies<'t>(visit: &Visit<'_, 't>, tree: Node<'t>) -> Vec<Body<'t>> {
    let whole = Body::inside(tree);
    let is_call = |tokens: &[Node<'t>]| match tokens {
        [first, second, ..] => {
            first.kind_name() == "identifier" && matches!(second.kind_name(), "!" | "::")
        }
        _ => false,
    };
    let begins = |tokens: &[Node<'t>]| is_call(tokens) || begin_item(visit, tokens.iter().copied());
    if begins(&whole.tokens) {
        return vec![whole];
    }
    let semicolon = whole.tokens.iter().position(|token| token.kind_name() == ";");
    if let Some(after) = semicolon.map(|at| at + 1).filter(|at| begins(&whole.tokens[*at..])) {
        return vec![whole.from(after)];
    }
    let bodies = branches(visit, &whole.tokens).into_iter().map(Body::inside);
    let bodies: Vec<Body<'t>> = bodies.filter(|body| !body.tokens.is_empty()).collect();
    if bodies.first().is_some_and(|body| begins(&body.tokens)) { bodies } else { Vec::new() }
}

/// Returns the token trees in braces that follow a condition, a name or a pattern: the branches of
/// `cfg_if!` and similar.
fn branches<'t>(visit: &Visit<'_, 't>, tokens: &[Node<'t>]) -> Vec<Node<'t>> {
    let is_conditional = tokens.first().is_some_and(|first| first.kind_name() == "if");
    let pairs = tokens.windows(2).filter(|pair| {
        let (before, own) = (visit.bytes(pair[0]), visit.bytes(pair[1]));
        let follows = match before {
            b"=>" | b":" | b"," => true,
            before => is_conditional && (before == b"else" || before.starts_with(b"[")),
        };
        follows && own.starts_with(b"{")
    });
    pairs.map(|pair| pair[1]).collect()
}

/// Returns true if the children of the root `node` are items, of which at least one is not a
/// comment.
pub(super) fn is_items(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let mut has_item = false;
    let is_item = |child: Node<'_>| match child.kind_name() {
        "line_comment"
        | "block_comment"
        | "attribute_item"
        | "inner_attribute_item"
        | "empty_statement" => true,
        "expression_statement" => {
            has_item = true;
            child.named_child(0).is_some_and(|call| call.kind_name() == "macro_invocation")
        }
        "macro_invocation"
        | "macro_definition"
        | "associated_type"
        | "use_declaration"
        | "extern_crate_declaration"
        | "function_signature_item" => {
            has_item = true;
            true
        }
        kind => {
            has_item = true;
            kind.ends_with("_item")
        }
    };
    let all = node.kind_name() == "source_file" && node.children(&mut cursor).all(is_item);
    all && has_item
}

/// Returns true if the enumeration `node` is written as `struct Name: Type { const A = 1; }`.
pub(super) fn is_flags(visit: &Visit<'_, '_>, node: Node<'_>) -> bool {
    visit.child(node, "enum").is_some_and(|word| visit.bytes(word) == b"stru")
}

/// Rewrites the forms that are almost items.
struct Rewriter<'v, 'a, 't> {
    visit: &'v Visit<'a, 't>,
    embedded: &'v mut Embedded,
}

impl<'t> Rewriter<'_, '_, 't> {
    /// Rewrites the items in `body`. O(tokens).
    fn body(&mut self, body: &Body<'t>) {
        let tokens = &body.tokens;
        // The keyword of the current item, with its index.
        let mut item: Option<(usize, &[u8])> = None;
        for (at, &token) in tokens.iter().enumerate() {
            let own = self.visit.bytes(token);
            match own {
                b"static" | b"const" | b"type" | b"use" | b"fn" | b"enum" | b"trait" | b"mod"
                | b"struct" | b"impl" => item = Some((at, own)),
                b"ref" if at > 0 && item == Some((at - 1, b"static")) => {
                    self.embedded.replace(token.start_byte(), *b"   ");
                }
                b";" => item = None,
                [b'{', ..] => match item {
                    Some((_, b"static" | b"const" | b"type" | b"use")) => {}
                    Some((keyword, b"struct")) => {
                        self.flags(&tokens[keyword..=at]);
                        item = None;
                    }
                    None => self.members(&tokens[..=at]),
                    _ => item = None,
                },
                _ => {}
            }
        }
        // A last `static` need not end with a semicolon.
        if let (Some((_, b"static")), Some(last)) = (item, tokens.last()) {
            let gap = self.visit.text[last.end_byte()..body.range.end].first();
            if gap.is_some_and(u8::is_ascii_whitespace) {
                self.embedded.replace(last.end_byte(), *b";");
            }
        }
    }

    /// Rewrites `pub Name { fn name(&self); }`, the last of `tokens`, as `impl Name { … }`.
    fn members(&mut self, tokens: &[Node<'t>]) {
        let [.., word, name, members] = tokens else { return };
        let start = word.start_byte();
        let has_room = self.visit.text[..start].ends_with(b" ");
        if has_room
            && self.visit.bytes(*word) == b"pub"
            && name.start_byte() == word.end_byte() + 1
            && begins_item(self.visit, *members)
        {
            self.embedded.replace(start - 1, *b"impl");
        }
    }

    /// Rewrites `struct Name: Type { const A = 1; }`, whose tokens are `tokens`, as
    /// `enum Name { A = 1, }`.
    fn flags(&mut self, tokens: &[Node<'t>]) {
        let [word, _, colon, .., body] = tokens else { return };
        let mut cursor = body.walk();
        let constants: Vec<Node<'t>> = body.children(&mut cursor).collect();
        let is_constant = |token: &Node<'t>| token.kind_name() == "const";
        if colon.kind_name() != ":" || !constants.iter().any(is_constant) {
            return;
        }
        self.embedded.replace(word.start_byte(), *b"enum  ");
        let head = &self.visit.text[colon.start_byte()..body.start_byte()];
        let blanked = head.iter().map(|&byte| if byte == b'\n' { byte } else { b' ' });
        self.embedded.replace(colon.start_byte(), blanked.collect::<Vec<u8>>());
        for token in constants {
            match token.kind_name() {
                "const" => self.embedded.replace(token.start_byte(), *b"     "),
                ";" => self.embedded.replace(token.start_byte(), *b","),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_sorted() {
        assert!(ITEM_WORDS.is_sorted());
    }
}
