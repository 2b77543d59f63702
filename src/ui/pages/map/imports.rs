//! The imports between what is in a folder, as a graph whose cycles are emphasised.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use maud::{Markup, html};

use super::View;
use super::children::{Child, Tree};
use crate::base::ids::FileId;
use crate::base::text::{counted, plain};
use crate::catalog::Catalog;
use crate::ui::diagram::{Arrow, Diagram, Node};
use crate::ui::layers;
use crate::ui::page::grouped;

/// The greatest number of boxes.
const NODES_MAX: usize = 100;

/// The greatest number of curves.
const ARROWS_MAX: usize = 300;

/// The greatest number of rows of the table.
const ROWS_MAX: usize = 150;

/// The imports of one child by another.
type Between = BTreeMap<(usize, usize), usize>;

/// Returns the imports between what is in a folder. O(files in it and their imports), and O(imports of the
/// tree) the first time.
pub(super) fn drawn(catalog: &Catalog, tree: Tree<'_>, id: usize, files: &Range<usize>) -> Markup {
    let children = tree.children(id);
    let modules = modules(&children);
    let mut owner = vec![usize::MAX; files.len()];
    for (at, child) in children.iter().enumerate() {
        for file in child.files.clone() {
            owner[file - files.start] = modules[at];
        }
    }
    let mut between = Between::new();
    let mut outside = 0;
    for file in files.clone() {
        for edge in catalog.import_graph().imported(FileId::new(file)) {
            let to = edge.to.index();
            if !files.contains(&to) {
                outside += 1;
                continue;
            }
            let (from, to) = (owner[file - files.start], owner[to - files.start]);
            if from != to {
                *between.entry((from, to)).or_default() += 1;
            }
        }
    }
    let edges: Vec<layers::Edge> = between.keys().copied().collect();
    let component = layers::components(children.len(), &edges);
    let is_cycle = |&(from, to): &(usize, usize)| component[from] == component[to];
    let graph = Graph { children: &children, between: &between, is_cycle: &is_cycle };
    let cycles = graph.cycles(&component);
    let (diagram, left_out) = graph.diagram();
    let connected: BTreeSet<usize> = edges.iter().flat_map(|&(from, to)| [from, to]).collect();
    let entries: BTreeSet<usize> = modules.into_iter().collect();
    let alone = entries.len() - connected.len();
    html! {
        p.faint { "An arrow leads from what imports to what is imported; a box opens its folder. "
            "A folder stands for a file of its name beside it, too. "
            span.cycle-key { "Red" } " boxes are in a cycle, red arrows close one." }
        @if edges.is_empty() {
            p.empty { "No import between the entries of this folder is known." }
        } @else {
            @for cycle in &cycles {
                p.bad { "Cycle: " (cycle) }
            }
            a.skip href="#list" { "Skip the picture" }
            (diagram.drawn("Imports between the entries of this folder"))
        }
        @if left_out.0 > 0 {
            p.note { (left_out.0) " more with fewer imports not drawn" }
        }
        @if left_out.1 > 0 {
            p.note { (counted(left_out.1, "arrow")) " for fewer imports not drawn; the table has them" }
        }
        @if alone > 0 && !edges.is_empty() {
            p.note { (alone) " of " (entries.len()) " entries neither import another one nor are imported" }
        }
        @if outside > 0 { p.note { (counted(outside, "import")) " of files outside of this folder not drawn" } }
        @if !catalog.missing().is_empty() {
            p.note { (counted(catalog.missing().len(), "file")) " not indexed yet: imports are missing; \
                `codedb index` adds them" }
        }
        (graph.table())
    }
}

/// Returns the place of the box of each child: of a file with the name of a folder beside it, such as `a.rs` and
/// `a/`, that of the folder, since both are one module.
fn modules(children: &[Child<'_>]) -> Vec<usize> {
    let folders: BTreeMap<&[u8], usize> = children
        .iter()
        .enumerate()
        .filter(|(_, child)| child.folder.is_some())
        .map(|(at, child)| (child.path[child.from..].split(|byte| *byte == b'/').next(), at))
        .filter_map(|(name, at)| Some((name?, at)))
        .collect();
    let of = |(at, child): (usize, &Child<'_>)| {
        let name = &child.path[child.from..];
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|_| child.folder.is_none());
        dot.and_then(|dot| folders.get(&name[..dot]).copied()).unwrap_or(at)
    };
    children.iter().enumerate().map(of).collect()
}

struct Graph<'a> {
    children: &'a [Child<'a>],
    between: &'a Between,
    is_cycle: &'a dyn Fn(&(usize, usize)) -> bool,
}

/// How many of the longest cycles, and how many of their members, are named.
const CYCLES_MAX: usize = 5;
const MEMBERS_MAX: usize = 8;

impl Graph<'_> {
    /// Returns the boxes with the most imports and the arrows between them, and how many are left out.
    fn diagram(&self) -> (Diagram, (usize, usize)) {
        let mut imports: BTreeMap<usize, usize> = BTreeMap::new();
        for (&(from, to), count) in self.between {
            *imports.entry(from).or_default() += count;
            *imports.entry(to).or_default() += count;
        }
        let mut drawn: Vec<usize> = imports.keys().copied().collect();
        drawn.sort_by_key(|at| (std::cmp::Reverse(imports[at]), *at));
        let nodes_left_out = drawn.len().saturating_sub(NODES_MAX);
        drawn.truncate(NODES_MAX);
        // In the order of paths, so that the traversal for layers begins at the same box after an edit.
        drawn.sort_by_key(|at| self.children[*at].files.start);
        let places: BTreeMap<usize, usize> =
            drawn.iter().enumerate().map(|(place, at)| (*at, place)).collect();
        let in_cycles: BTreeSet<usize> =
            self.between.keys().filter(|edge| (self.is_cycle)(edge)).map(|edge| edge.0).collect();
        let nodes = drawn.iter().map(|at| {
            let child = &self.children[*at];
            let slash = if child.folder.is_some() { "/" } else { "" };
            Node {
                label: format!("{}{slash}", child.name()),
                title: format!("{}{slash}: {} lines", child.path(), grouped(child.lines)),
                link: Some(View::Imports.link_of(child)),
                class: if in_cycles.contains(at) { "cycle" } else { "" },
            }
        });
        let nodes: Vec<Node> = nodes.collect();
        let mut edges: Vec<(&(usize, usize), &usize)> = self
            .between
            .iter()
            .filter(|((from, to), _)| places.contains_key(from) && places.contains_key(to))
            .collect();
        // Those of cycles first, then by their imports.
        edges.sort_by_key(|(edge, count)| {
            (!(self.is_cycle)(edge), std::cmp::Reverse(**count), **edge)
        });
        let arrows_left_out = edges.len().saturating_sub(ARROWS_MAX);
        edges.truncate(ARROWS_MAX);
        let arrows = edges.into_iter().map(|(edge, count)| Arrow {
            from: places[&edge.0],
            to: places[&edge.1],
            title: counted(*count, "import"),
            weight: *count,
            class: "",
        });
        let diagram = Diagram { nodes, arrows: arrows.collect(), layers: None };
        (diagram, (nodes_left_out, arrows_left_out))
    }

    /// Returns the cycles, the longest ones first, in words.
    fn cycles(&self, component: &[usize]) -> Vec<String> {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        component.iter().enumerate().for_each(|(at, of)| members.entry(*of).or_default().push(at));
        let mut cycles: Vec<Vec<usize>> =
            members.into_values().filter(|members| members.len() > 1).collect();
        cycles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        let named = |members: &Vec<usize>| {
            let names: Vec<String> = members
                .iter()
                .take(MEMBERS_MAX)
                .map(|at| plain(&self.children[*at].name()))
                .collect();
            let more = members.len().saturating_sub(MEMBERS_MAX);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}", names.join(", "))
        };
        let mut words: Vec<String> = cycles.iter().take(CYCLES_MAX).map(named).collect();
        let more = cycles.len().saturating_sub(CYCLES_MAX);
        words.extend((more > 0).then(|| format!("and {}", counted(more, "more cycle"))));
        words
    }

    fn table(&self) -> Markup {
        let mut rows: Vec<(&(usize, usize), &usize)> = self.between.iter().collect();
        rows.sort_by_key(|(edge, count)| (std::cmp::Reverse(**count), **edge));
        let name = |at: usize| {
            let child = &self.children[at];
            html! { a.path href=(View::Imports.link_of(child)) { (plain(&child.name())) } }
        };
        html! {
            details #rows {
                summary { (counted(rows.len(), "pair")) " as a table" }
                div.scroll #list { table {
                    thead { tr {
                        th scope="col" { "Imports" }
                        th scope="col" { "Is imported" }
                        th.right scope="col" { "Count" }
                        th scope="col" { "" span.hidden { "In a cycle" } }
                    } }
                    tbody { @for (edge, count) in rows.iter().take(ROWS_MAX) {
                        tr {
                            td { (name(edge.0)) }
                            td { (name(edge.1)) }
                            td.right { (count) }
                            td { @if (self.is_cycle)(edge) { span.bad { "cycle" } } }
                        }
                    } }
                } }
                @if rows.len() > ROWS_MAX {
                    p.note { (rows.len() - ROWS_MAX) " more pairs, with fewer imports, are not listed" }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn children<'a>(names: &[&'a str]) -> Vec<Child<'a>> {
        let child = |(at, name): (usize, &&'a str)| Child {
            path: name.as_bytes(),
            from: 0,
            files: at..at + 1,
            folder: None,
            lines: 1,
        };
        names.iter().enumerate().map(child).collect()
    }

    #[test]
    fn cycles_are_named_and_marked() {
        let children = children(&["a", "b", "c", "d"]);
        let between: Between = [((0, 1), 2), ((1, 0), 1), ((1, 2), 5)].into();
        let edges: Vec<layers::Edge> = between.keys().copied().collect();
        let component = layers::components(4, &edges);
        let is_cycle = |&(from, to): &(usize, usize)| component[from] == component[to];
        let graph = Graph { children: &children, between: &between, is_cycle: &is_cycle };
        assert_eq!(graph.cycles(&component), ["a, b"]);
        let (diagram, left_out) = graph.diagram();
        assert_eq!(left_out, (0, 0));
        let nodes: Vec<(&str, &str)> =
            diagram.nodes.iter().map(|node| (&*node.label, node.class)).collect();
        assert_eq!(nodes, [("a", "cycle"), ("b", "cycle"), ("c", "")]);
        let arrows: Vec<(usize, usize, usize)> =
            diagram.arrows.iter().map(|arrow| (arrow.from, arrow.to, arrow.weight)).collect();
        assert_eq!(arrows, [(0, 1, 2), (1, 0, 1), (1, 2, 5)]);
        let text = diagram.drawn("x").into_string();
        assert_eq!(text.matches("<path class=\"back\"").count(), 1, "{text}");
    }

    #[test]
    fn a_file_and_the_folder_of_its_name_are_one() {
        let mut children = children(&["a.rs", "a", "b.rs", "a.test"]);
        children[1].folder = Some(7);
        assert_eq!(modules(&children), [1, 1, 2, 1]);
        children[1].folder = None;
        assert_eq!(modules(&children), [0, 1, 2, 3]);
    }

    #[test]
    fn what_has_most_imports_is_drawn() {
        let names: Vec<String> = (0..150).map(|at| format!("f{at:03}")).collect();
        let children = children(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let between: Between = (1..150).map(|at| ((at, 0), at)).collect();
        let graph = Graph { children: &children, between: &between, is_cycle: &|_| false };
        let (diagram, left_out) = graph.diagram();
        assert_eq!((diagram.nodes.len(), left_out), (NODES_MAX, (50, 0)));
        assert_eq!(diagram.nodes[1].label, "f051");
    }
}
