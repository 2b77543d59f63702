//! Directed graphs as pictures: boxes in layers from left to right, which are links, and curves between them.
//!
//! Curves are below the boxes. Each box refers to its curves, so that the style sheet can emphasise them.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::layers::{self, Edge};
use crate::base::text::plain;

/// The height of a box, and the distances between boxes, in units of the drawing.
const HEIGHT: usize = 24;
const ACROSS: usize = 72;
const DOWN: usize = HEIGHT + 7;

/// The width of a character of a label, and the space around it.
const CHARACTER: usize = 7;
const PADDING: usize = 16;

/// The space around a drawing; curves back to an earlier layer need some.
const MARGIN: usize = 24;

/// The greatest number of characters of a label.
const LABEL_MAX: usize = 44;

/// The least number of characters for which there is room in a box.
const LABEL_MIN: usize = 6;

/// A box.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    /// What is written in it.
    pub(super) label: String,
    /// What it stands for, in full.
    pub(super) title: String,
    /// Where it leads.
    pub(super) link: Option<String>,
    /// Its class: what kind of box it is.
    pub(super) class: &'static str,
}

/// A curve from one box to another.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrow {
    /// The box that it leaves.
    pub(super) from: usize,
    /// The box that it leads to.
    pub(super) to: usize,
    /// What it stands for.
    pub(super) title: String,
    /// How much it counts where a curve has to lead back.
    pub(super) weight: usize,
    /// Its class: what kind of curve it is.
    pub(super) class: &'static str,
}

/// A graph that can be drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct Diagram {
    /// The boxes.
    pub(super) nodes: Vec<Node>,
    /// The curves between them.
    pub(super) arrows: Vec<Arrow>,
    /// The layer of each box, from the left; by default that of its longest path.
    pub(super) layers: Option<Vec<usize>>,
}

impl Diagram {
    /// Returns the picture. `label` says what it shows. O(boxes² + boxes × curves + curves²).
    pub(super) fn drawn(&self, label: &str) -> Markup {
        let layout = self.layout();
        html! {
            div.scroll {
                svg.diagram role="group" aria-label=(plain(label)) width=(layout.width) height=(layout.height)
                    viewBox=(format!("0 0 {} {}", layout.width, layout.height)) {
                    defs {
                        marker #arrow viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"
                            orient="auto-start-reverse" { path.head d="M0 0L8 4L0 8z" {} }
                    }
                    @for (number, arrow) in self.arrows.iter().enumerate() {
                        @let class = if layout.leads_back(arrow) { "back" } else { arrow.class };
                        path.(class) id=(format!("e{number}")) d=(layout.curve(arrow)) marker-end="url(#arrow)" {
                            @if !arrow.title.is_empty() { title { (plain(&arrow.title)) } }
                        }
                    }
                    @for (at, node) in self.nodes.iter().enumerate() {
                        g.node.(node.class) {
                            @for (number, _) in self.arrows_of(at) {
                                use href=(format!("#e{number}")) {}
                            }
                            (layout.boxed(at, node))
                        }
                    }
                }
            }
        }
    }

    /// Returns the curves from and to a box, with their numbers.
    fn arrows_of(&self, at: usize) -> impl Iterator<Item = (usize, &Arrow)> {
        let is_of = move |(_, arrow): &(usize, &Arrow)| arrow.from == at || arrow.to == at;
        self.arrows.iter().enumerate().filter(is_of)
    }

    fn layout(&self) -> Layout {
        let mut weights: BTreeMap<Edge, usize> = BTreeMap::new();
        for arrow in &self.arrows {
            *weights.entry((arrow.from, arrow.to)).or_default() += arrow.weight.max(1);
        }
        let (edges, weights): (Vec<Edge>, Vec<usize>) = weights.into_iter().unzip();
        let count = self.nodes.len();
        let (layers, order) = match &self.layers {
            Some(layers) => (layers.clone(), None),
            None => {
                let order = layers::order(count, &edges, &weights);
                (layers::longest_paths(&order, &edges), Some(order))
            }
        };
        let places = layers::places(&layers, &edges);
        let depth = layers.iter().max().map_or(0, |last| last + 1).max(1);
        let mut counts = vec![0; depth];
        layers.iter().for_each(|layer| counts[*layer] += 1);
        let most = counts.iter().copied().max().unwrap_or_default();
        let labels = self.nodes.iter().map(|node| node.label.chars().count());
        let longest = labels.max().unwrap_or_default().clamp(LABEL_MIN, LABEL_MAX);
        let box_width = longest * CHARACTER + PADDING;
        let corner = |at: usize| {
            // Short layers are in the middle.
            let above = (most - counts[layers[at]]) * DOWN / 2;
            let x = MARGIN + layers[at] * (box_width + ACROSS);
            (x, MARGIN + above + places[at] * DOWN)
        };
        Layout {
            corners: (0..count).map(corner).collect(),
            order,
            box_width,
            width: 2 * MARGIN + depth * (box_width + ACROSS) - ACROSS,
            height: 2 * MARGIN + most.max(1) * DOWN,
        }
    }
}

/// Where the boxes of a graph are.
struct Layout {
    /// The upper left corner of each.
    corners: Vec<(usize, usize)>,
    /// The place of each in the order of layers, unless these were given.
    order: Option<Vec<usize>>,
    box_width: usize,
    width: usize,
    height: usize,
}

impl Layout {
    /// Returns true for a curve that closes a cycle.
    fn leads_back(&self, arrow: &Arrow) -> bool {
        self.order.as_ref().is_some_and(|order| order[arrow.from] >= order[arrow.to])
    }

    fn boxed(&self, at: usize, node: &Node) -> Markup {
        let (x, y) = self.corners[at];
        let inside = html! {
            title { (plain(&node.title)) }
            rect x=(x) y=(y) width=(self.box_width) height=(HEIGHT) rx="4" {}
            text x=(x + PADDING / 2) y=(y + 16) { (fitted(&node.label, LABEL_MAX)) }
        };
        match &node.link {
            Some(link) => html! { a href=(link) { (inside) } },
            None => inside,
        }
    }

    fn curve(&self, arrow: &Arrow) -> String {
        curve(self.corners[arrow.from], self.corners[arrow.to], self.box_width)
    }
}

/// Returns the curve between two boxes, given their corners and width: from right to left, or around the
/// boxes where it leads back.
fn curve((x, y): (usize, usize), (to_x, to_y): (usize, usize), width: usize) -> String {
    let (from, end) = (y + HEIGHT / 2, to_y + HEIGHT / 2);
    let start = x + width;
    if to_x > x {
        let bend = (to_x - start) / 2;
        return format!(
            "M{start} {from}C{} {from} {} {end} {to_x} {end}",
            start + bend,
            to_x - bend
        );
    }
    let end_x = to_x + width;
    if to_x == x {
        let out = start + ACROSS / 2;
        return format!("M{start} {from}C{out} {from} {out} {end} {end_x} {end}");
    }
    // Back: out of the left side and into the right one.
    let bend = (x - end_x) / 2;
    format!("M{x} {from}C{} {from} {} {end} {end_x} {end}", x - bend, end_x + bend)
}

/// Returns a text without controls, cut in the middle so that it has at most `most` characters, wide ones
/// counted twice.
pub(super) fn fitted(text: &str, most: usize) -> String {
    let text = plain(text);
    let width = |c: char| if (c as u32) < 0x1100 { 1 } else { 2 };
    let total: usize = text.chars().map(width).sum();
    if total <= most {
        return text;
    }
    // The end of a path or a name says more than its middle.
    let (head, tail) = (most.saturating_sub(1) / 2, most.saturating_sub(1).div_ceil(2));
    let mut left = 0;
    let first: String = text
        .chars()
        .take_while(|c| {
            left += width(*c);
            left <= head
        })
        .collect();
    let mut left = 0;
    let last = text.chars().rev().take_while(|c| {
        left += width(*c);
        left <= tail
    });
    let last: Vec<char> = last.collect();
    format!("{first}…{}", last.into_iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_strangers_are_no_markup() {
        let evil = "</text><script>alert(1)</script>\"onload=x\u{202e}";
        let node = Node {
            label: evil.to_owned(),
            title: evil.to_owned(),
            link: Some("/map/a".to_owned()),
            class: "",
        };
        let arrow = Arrow { from: 0, to: 0, title: evil.to_owned(), ..Arrow::default() };
        let diagram = Diagram { nodes: vec![node], arrows: vec![arrow], layers: None };
        let text = diagram.drawn(evil).into_string();
        assert!(!text.contains("<script") && text.matches("</text>").count() == 1, "{text}");
        assert!(!text.contains("\"onload") && !text.contains('\u{202e}'), "{text}");
    }

    #[test]
    fn curves_lead_from_side_to_side() {
        assert_eq!(curve((0, 0), (300, 36), 176), "M176 12C238 12 238 48 300 48");
        assert_eq!(curve((300, 0), (0, 0), 176), "M300 12C238 12 238 12 176 12");
        assert_eq!(curve((0, 0), (0, 36), 176), "M176 12C212 12 212 48 176 48");
    }

    #[test]
    fn long_labels_keep_both_ends() {
        assert_eq!(fitted("short", 5), "short");
        assert_eq!(fitted("configuration.rs", 9), "conf…n.rs");
        assert_eq!(fitted("文字列文字列", 7), "文…列");
        assert_eq!(fitted("abc", 0), "…");
    }
}
