//! Modifiers: the keywords and annotations before a definition (`@Inject private static`), for
//! grammars in which they are children of the definition's node.

use tree_sitter::Node;

use crate::lang::node::NodeNames;
use crate::lang::symbols::Visibility;
use crate::lang::visit::Visit;

/// Maximum number of children that are inspected; definition heads have fewer.
const CHILDREN_MAX: u32 = 64;

/// Node kinds of annotations in the supported grammars.
const ANNOTATIONS: [&str; 3] = ["annotation", "attribute", "attribute_list"];

/// Returns the first [`CHILDREN_MAX`] children of `node`, including anonymous nodes.
pub(super) fn children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    (0..CHILDREN_MAX).map_while(move |at| node.child(at))
}

/// Returns the first child of `node` of one of `kinds`, among the first [`CHILDREN_MAX`].
pub(super) fn child<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    children(node).find(|child| kinds.contains(&child.kind_name()))
}

/// Returns the modifiers of the definition `node` without annotations.
fn modifiers<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    children(node)
        .flat_map(|child| {
            let is_list = child.kind_name() == "modifiers";
            let listed = is_list.then(|| children(child)).into_iter().flatten();
            // In Scala's `class A private (…)` the access modifier belongs to the constructor.
            let is_own =
                child.kind_name().ends_with("modifier") && child.kind_name() != "access_modifier";
            let itself = is_own.then_some(child);
            listed.chain(itself)
        })
        .filter(|child| !ANNOTATIONS.contains(&child.kind_name()))
}

/// Returns true if `word` is among the modifiers of the definition `node`.
pub(super) fn has(visit: &Visit<'_, '_>, node: Node, word: &str) -> bool {
    modifiers(node).any(|modifier| &visit.text[modifier.byte_range()] == word.as_bytes())
}

/// Returns the visibility of the definition `node`, if it has one of the access modifiers that most
/// languages share.
pub(super) fn visibility(visit: &Visit<'_, '_>, node: Node) -> Option<Visibility> {
    modifiers(node).find_map(|modifier| match &visit.text[modifier.byte_range()] {
        b"public" | b"open" => Some(Visibility::Public),
        b"protected" => Some(Visibility::Protected),
        b"internal" | b"package" => Some(Visibility::Internal),
        b"private" | b"fileprivate" => Some(Visibility::Private),
        // Scala's `private[a]` is visible in the package or type `a`.
        word if word.starts_with(b"private[") || word.starts_with(b"protected[") => {
            Some(Visibility::Internal)
        }
        _ => None,
    })
}

/// Returns the offset after the annotations of the definition `node`, or `None` if it has none.
pub(super) fn after_annotations(node: Node) -> Option<usize> {
    let is_annotation = |node: &Node| ANNOTATIONS.contains(&node.kind_name());
    let list = children(node).find(|child| child.kind_name() == "modifiers");
    let listed = list.and_then(|list| {
        let last = children(list).filter(is_annotation).last()?;
        last.next_sibling().or_else(|| list.next_sibling())
    });
    let ahead =
        children(node).take_while(is_annotation).last().and_then(|last| last.next_sibling());
    listed.or(ahead).map(|next| next.start_byte())
}
