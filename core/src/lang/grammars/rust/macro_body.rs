//! Implementation blocks in the bodies of macros: `impl Trait for $type { … }`, which the grammar parses
//! as tokens. They are parsed as items, so that the linker finds the methods that the macro makes.
//!
//! The variables of the macro become names, and repetitions occur once: `($( $T, )+)` is read as
//! `($T,)`. A body that cannot be parsed in this way has no blocks.

use tree_sitter::Node;

use super::items;
use crate::lang::embedded::Embedded;
use crate::lang::node::NodeNames;
use crate::lang::visit::Visit;

/// Maximum number of tokens of a macro's body.
const TOKENS_MAX: usize = 1 << 14;

/// Maximum number of variables of a rule that stand for blocks.
const BLOCKS_MAX: usize = 64;

/// Words that follow a visibility, which a variable may stand for.
const AFTER_VISIBILITY: &[&[u8]] =
    &[b"async", b"const", b"enum", b"fn", b"static", b"struct", b"trait", b"type", b"unsafe"];

/// Returns the items in the visited node, if it is the body of a macro that contains implementation
/// blocks outside of other items.
pub(super) fn items_of_body(visit: &Visit<'_, '_>) -> Option<Embedded> {
    let body = visit.node();
    if body.kind_name() != "token_tree" || visit.ancestor_kind(1) != "macro_rule" {
        return None;
    }
    let has_block = has_block(visit, body, 2);
    let range = body.start_byte() + 1..body.end_byte().checked_sub(1)?;
    if !has_block || range.is_empty() {
        return None;
    }
    let mut embedded = Embedded::new(body, 0, vec![range], items::is_items).optional();
    let blocks =
        visit.ancestor(1).map(|rule| block_variables(visit.bytes(rule))).unwrap_or_default();
    let mut open = vec![body];
    let mut count = 0;
    while let Some(tree) = open.pop() {
        let mut cursor = tree.walk();
        let tokens: Vec<Node<'_>> = tree.children(&mut cursor).collect();
        count += tokens.len();
        if count > TOKENS_MAX {
            return None;
        }
        for (at, token) in tokens.iter().enumerate() {
            match token.kind_name() {
                "metavariable" => {
                    let next = tokens.get(at + 1).map_or(&b""[..], |next| visit.bytes(*next));
                    if blocks.contains(&visit.bytes(*token)) {
                        embedded.replace(token.start_byte(), *b"{");
                        embedded.replace(token.end_byte() - 1, *b"}");
                    } else {
                        variable(visit, *token, next, &mut embedded);
                    }
                }
                "token_repetition" => {
                    let before = at.checked_sub(1).map_or(&b""[..], |at| visit.bytes(tokens[at]));
                    if before == b"impl" {
                        blank(visit, token.byte_range(), &mut embedded);
                    } else {
                        repetition(visit, *token, &mut embedded);
                        open.push(*token);
                    }
                }
                "token_tree" => open.push(*token),
                _ => {}
            }
        }
    }
    Some(embedded)
}

/// Returns true if the tokens of a tree, or those of repetitions in it, contain `impl` at the start of an
/// item.
fn has_block(visit: &Visit<'_, '_>, tree: Node<'_>, depth: usize) -> bool {
    let mut cursor = tree.walk();
    let mut may_begin = true;
    tree.children(&mut cursor).skip(1).any(|token| {
        let own = visit.bytes(token);
        let is_block = may_begin && own == b"impl"
            || depth > 0 && token.kind_name() == "token_repetition" && {
                // Its first child is the sign, the second the bracket.
                has_block(visit, token, depth - 1)
            };
        may_begin = matches!(own, b"(" | b"unsafe" | b"default" | b";")
            || own.ends_with(b"}")
            || own.ends_with(b"]")
            || items::is_comment(token)
            || token.kind_name() == "token_repetition";
        is_block
    })
}

/// Returns the variables of a rule, with their `$`, that stand for blocks, such as the bodies of functions:
/// `$body:block`. Those of one letter are left out: they have no place for two brackets and a name.
fn block_variables(rule: &[u8]) -> Vec<&[u8]> {
    let ends = memchr::memmem::find_iter(rule, b":block").take(BLOCKS_MAX);
    let names = ends.filter_map(|end| {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = rule[..end].iter().rev().take_while(|byte| is_name(byte)).count();
        let start = (end - length).checked_sub(1).filter(|&start| rule[start] == b'$')?;
        (length > 1).then(|| &rule[start..end])
    });
    names.collect()
}

/// Makes a variable a name; blanks one that stands for a visibility.
fn variable(visit: &Visit<'_, '_>, token: Node<'_>, next: &[u8], embedded: &mut Embedded) {
    if AFTER_VISIBILITY.contains(&next) {
        blank(visit, token.byte_range(), embedded);
    } else if matches!(visit.bytes(token), b"$crate" | b"$self") {
        embedded.replace(token.start_byte(), *b" ");
    } else {
        embedded.replace(token.start_byte(), *b"_");
    }
}

/// Blanks the signs of a repetition: all but what is between its brackets.
fn repetition(visit: &Visit<'_, '_>, node: Node<'_>, embedded: &mut Embedded) {
    let mut cursor = node.walk();
    let tokens: Vec<Node<'_>> = node.children(&mut cursor).collect();
    let is_bracket = |mark: &'static [u8]| move |token: &Node<'_>| visit.bytes(*token) == mark;
    let open = tokens.iter().position(is_bracket(b"("));
    let close = tokens.iter().rposition(is_bracket(b")"));
    if let (Some(open), Some(close)) = (open, close) {
        blank(visit, node.start_byte()..tokens[open].end_byte(), embedded);
        blank(visit, tokens[close].start_byte()..node.end_byte(), embedded);
    }
}

/// Replaces bytes by spaces; line ends stay.
fn blank(visit: &Visit<'_, '_>, range: std::ops::Range<usize>, embedded: &mut Embedded) {
    let start = range.start;
    let spaces = visit.text[range].iter().map(|&byte| if byte == b'\n' { byte } else { b' ' });
    embedded.replace(start, spaces.collect::<Vec<u8>>());
}
