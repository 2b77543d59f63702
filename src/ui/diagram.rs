//! Directed graphs as pictures: boxes in layers from left to right, which are links, and curves between them.
//!
//! A curve is drawn with the box that it leaves, so that the style sheet can emphasise both.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::layers::{self, Edge};
use crate::base::text::plain;

/// The size of a box, and the distances between boxes, in units of the drawing.
const WIDTH: usize = 176;
const HEIGHT: usize = 26;
const ACROSS: usize = WIDTH + 84;
const DOWN: usize = HEIGHT + 10;

/// The space around a drawing; curves back to an earlier layer need some.
const MARGIN: usize = 24;

/// The greatest number of characters of a label.
const LABEL_MAX: usize = 24;

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
    /// Returns the picture. `label` says what it shows. O(boxes log boxes + curves²).
    pub(super) fn drawn(&self, label: &str) -> Markup {
        let edges: BTreeSet<Edge> =
            self.arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect();
        let edges: Vec<Edge> = edges.into_iter().collect();
        let layers = match &self.layers {
            Some(layers) => layers.clone(),
            None => layers::longest_paths(self.nodes.len(), &edges),
        };
        let places = layers::places(&layers, &edges);
        let depth = layers.iter().max().map_or(0, |last| last + 1);
        let mut counts = vec![0; depth];
        layers.iter().for_each(|layer| counts[*layer] += 1);
        let most = counts.iter().copied().max().unwrap_or_default();
        let width = 2 * MARGIN + depth.max(1) * ACROSS - (ACROSS - WIDTH);
        let height = 2 * MARGIN + most.max(1) * DOWN;
        let corner = |at: usize| {
            let layer = layers[at];
            // Short layers are in the middle.
            let above = (most - counts[layer]) * DOWN / 2;
            (MARGIN + layer * ACROSS, MARGIN + above + places[at] * DOWN)
        };
        html! {
            div.scroll {
                svg.diagram role="group" aria-label=(plain(label)) width=(width) height=(height)
                    viewBox=(format!("0 0 {width} {height}")) {
                    defs {
                        marker #arrow viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"
                            orient="auto-start-reverse" { path.head d="M0 0L8 4L0 8z" {} }
                    }
                    @for (at, node) in self.nodes.iter().enumerate() {
                        g.node.(node.class) {
                            @for arrow in self.arrows.iter().filter(|arrow| arrow.from == at) {
                                path.(arrow.class) d=(curve(corner(at), corner(arrow.to)))
                                    marker-end="url(#arrow)" {
                                    @if !arrow.title.is_empty() { title { (plain(&arrow.title)) } }
                                }
                            }
                            (boxed(node, corner(at)))
                        }
                    }
                }
            }
        }
    }
}

fn boxed(node: &Node, (x, y): (usize, usize)) -> Markup {
    let inside = html! {
        title { (plain(&node.title)) }
        rect x=(x) y=(y) width=(WIDTH) height=(HEIGHT) rx="4" {}
        text x=(x + 8) y=(y + 17) { (fitted(&node.label, LABEL_MAX)) }
    };
    match &node.link {
        Some(link) => html! { a href=(link) { (inside) } },
        None => inside,
    }
}

/// Returns the curve between two boxes, given their corners: from right to left, or around the boxes where
/// it leads back.
fn curve((x, y): (usize, usize), (to_x, to_y): (usize, usize)) -> String {
    let (from, end) = (y + HEIGHT / 2, to_y + HEIGHT / 2);
    let start = x + WIDTH;
    if to_x > x {
        let bend = (to_x - start) / 2;
        return format!(
            "M{start} {from}C{} {from} {} {end} {to_x} {end}",
            start + bend,
            to_x - bend
        );
    }
    if to_x == x {
        let end_x = to_x + WIDTH;
        let out = start + 36;
        return format!("M{start} {from}C{out} {from} {out} {end} {end_x} {end}");
    }
    // Back: out of the left side and into the right one.
    let end_x = to_x + WIDTH;
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
        let arrow = Arrow { from: 0, to: 0, title: evil.to_owned(), class: "" };
        let diagram = Diagram { nodes: vec![node], arrows: vec![arrow], layers: None };
        let text = diagram.drawn(evil).into_string();
        assert!(!text.contains("<script") && !text.contains("</text><"), "{text}");
        assert!(!text.contains("\"onload") && !text.contains('\u{202e}'), "{text}");
    }

    #[test]
    fn curves_lead_from_side_to_side() {
        assert_eq!(curve((0, 0), (300, 36)), "M176 13C238 13 238 49 300 49");
        assert_eq!(curve((300, 0), (0, 0)), "M300 13C238 13 238 13 176 13");
        assert_eq!(curve((0, 0), (0, 36)), "M176 13C212 13 212 49 176 49");
    }

    #[test]
    fn long_labels_keep_both_ends() {
        assert_eq!(fitted("short", 5), "short");
        assert_eq!(fitted("configuration.rs", 9), "conf…n.rs");
        assert_eq!(fitted("文字列文字列", 7), "文…列");
        assert_eq!(fitted("abc", 0), "…");
    }
}
