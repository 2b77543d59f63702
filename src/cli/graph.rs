//! Replies as graphs, for programs that draw them: in the language of Graphviz, and in that of Mermaid,
//! which pages of code hosts draw.

use std::fmt::Write as _;

use crate::answer::graph::{Edge, Graph, How, Vertex};
use crate::answer::style::Style;
use crate::base::text::plain;
use crate::error::{Error, Result};
use crate::tools::{TOOLS, Tool, counted};

/// The values of `--format` for graphs.
pub(super) const FORMATS: [&str; 2] = [DOT, MERMAID];

const DOT: &str = "dot";
const MERMAID: &str = "mermaid";

/// Returns an error if replies of a tool are to be drawn, and are no graphs.
///
/// # Errors
///
/// [`crate::Kind::Usage`], with the commands that have graphs.
pub(super) fn check(tool: &Tool, format: &str) -> Result<()> {
    if tool.has_graph || !FORMATS.contains(&format) {
        return Ok(());
    }
    let others = TOOLS.iter().filter(|tool| tool.has_graph);
    let others: Vec<String> = others.map(|tool| format!("`{}`", tool.command())).collect();
    let name = tool.command();
    Err(Error::usage(format!(
        "the reply of `{name}` is no graph that `--format {format}` can draw"
    ))
    .with_hint(format!("those of {} are", others.join(", "))))
}

/// Returns a graph in the language of a format; `style` shows its paths.
pub(super) fn text(format: &str, graph: &Graph, style: &dyn Style) -> String {
    if format == MERMAID { mermaid(graph, style) } else { dot(graph, style) }
}

/// How many arrows make a graph too large for Mermaid, unless its page sets `maxEdges`.
const MERMAID_EDGES: usize = 500;

/// Returns the remark that a graph is too large for its format, if so.
pub(super) fn remark(format: &str, graph: &Graph) -> Option<String> {
    let edges = graph.edges().len();
    (format == MERMAID && edges >= MERMAID_EDGES).then(|| {
        format!(
            "the graph has {edges} arrows, and Mermaid draws fewer than {MERMAID_EDGES}; \
             `--format dot` has no limit"
        )
    })
}

fn dot(graph: &Graph, style: &dyn Style) -> String {
    let mut out = String::from("digraph codedb {\n  rankdir=LR;\n  node [shape=box];\n");
    for (at, vertex) in graph.vertices().iter().enumerate() {
        let lines = lines(vertex, style);
        let lines: Vec<String> = lines.iter().map(|line| escaped_for_dot(line)).collect();
        let width = if vertex.is_asked { ", penwidth=2" } else { "" };
        let _ = writeln!(out, "  n{at} [label=\"{}\"{width}];", lines.join("\\n"));
    }
    for edge in graph.edges() {
        let label = label(edge).map(|label| format!("label=\"{}\"", escaped_for_dot(&label)));
        let dashed = edge.is_unsure.then(|| "style=dashed".to_owned());
        let how: Vec<String> = label.into_iter().chain(dashed).collect();
        let how = if how.is_empty() { String::new() } else { format!(" [{}]", how.join(", ")) };
        let _ = writeln!(out, "  n{} -> n{}{how};", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}

fn mermaid(graph: &Graph, style: &dyn Style) -> String {
    let mut out = String::from("flowchart LR\n");
    for (at, vertex) in graph.vertices().iter().enumerate() {
        let lines = lines(vertex, style);
        let lines: Vec<String> = lines.iter().map(|line| escaped_for_mermaid(line)).collect();
        let _ = writeln!(out, "  n{at}[\"{}\"]", lines.join("<br/>"));
    }
    for edge in graph.edges() {
        let arrow = if edge.is_unsure { "-.->" } else { "-->" };
        let label = label(edge).map(|label| format!("|\"{}\"|", escaped_for_mermaid(&label)));
        let label = label.unwrap_or_default();
        let _ = writeln!(out, "  n{} {arrow}{label} n{}", edge.from, edge.to);
    }
    for (at, _) in graph.vertices().iter().enumerate().filter(|(_, vertex)| vertex.is_asked) {
        let _ = writeln!(out, "  style n{at} stroke-width:3px");
    }
    out
}

/// Returns the lines of a label, free of what a terminal would obey: the name, the place, the remark.
fn lines(vertex: &Vertex, style: &dyn Style) -> Vec<String> {
    let line = vertex.line.map(|line| format!(":{line}")).unwrap_or_default();
    let place = format!("{}{line}", plain(&style.relative(&vertex.path)));
    let name = vertex.name.as_deref().map(plain);
    name.into_iter().chain([place]).chain(vertex.remark.clone()).collect()
}

fn label(edge: &Edge) -> Option<String> {
    match edge.how {
        How::Calls | How::Imports if edge.count < 2 => None,
        How::Calls => Some(counted(edge.count, "call")),
        How::Imports => Some(counted(edge.count, "import")),
        How::Uses(words) => Some(words.to_owned()),
        How::Reaches => Some("through others".to_owned()),
    }
}

/// Returns a line of a label between double quotes. Graphviz replaces entities of HTML there, too.
fn escaped_for_dot(line: &str) -> String {
    line.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}

/// Returns a line of a label between double quotes. Mermaid interprets HTML, Markdown and directives there;
/// a number stands for each character that begins one of them.
fn escaped_for_mermaid(line: &str) -> String {
    let mut out = String::new();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    for (at, c) in line.char_indices() {
        let is_inside =
            || is_word(line[..at].chars().next_back()) && is_word(line[at + 1..].chars().next());
        if "\"#%&;<>\\`*~".contains(c) || c == '_' && !is_inside() {
            let _ = write!(out, "#{};", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::style::Plain;

    /// Two functions with hostile names, which call each other.
    fn hostile() -> Graph {
        let mut graph = Graph::default();
        let name = "a\"b\\ &amp; <b>#1;`__init__`\n\u{1b}[2J\u{202e} %%{init}%% snake_case";
        let own = graph.add(Vertex::definition(name, "src/\"x\".rs", 3).asked());
        let file = graph.add(Vertex::file("src\\y.rs\\"));
        graph.connect(file, own, How::Calls, 2, 0.3);
        graph.connect(own, file, How::Uses("as a type"), 1, 1.0);
        graph
    }

    #[test]
    fn labels_are_texts_and_nothing_else() {
        assert_eq!(
            text(DOT, &hostile(), &Plain),
            r#"digraph codedb {
  rankdir=LR;
  node [shape=box];
  n0 [label="a\"b\\ &amp;amp; <b>#1;`__init__`\\n\\u{1b}[2J\\u{202e} %%{init}%% snake_case\nsrc/\"x\".rs:3", penwidth=2];
  n1 [label="src\\y.rs\\"];
  n1 -> n0 [label="2 calls", style=dashed];
  n0 -> n1 [label="as a type"];
}
"#
        );
        assert_eq!(
            text(MERMAID, &hostile(), &Plain),
            r#"flowchart LR
  n0["a#34;b#92; #38;amp#59; #60;b#62;#35;1#59;#96;#95;#95;init#95;#95;#96;#92;n#92;u{1b}[2J#92;u{202e} #37;#37;{init}#37;#37; snake_case<br/>src/#34;x#34;.rs:3"]
  n1["src#92;y.rs#92;"]
  n1 -.->|"2 calls"| n0
  n0 -->|"as a type"| n1
  style n0 stroke-width:3px
"#
        );
    }

    #[test]
    fn a_graph_that_is_too_large_for_mermaid_has_a_remark() {
        let mut graph = Graph::default();
        for line in 0..MERMAID_EDGES {
            assert_eq!(remark(MERMAID, &graph), None);
            let from = graph.add(Vertex::definition("one", "a.rs", line));
            graph.connect(from, 0, How::Calls, 1, 1.0);
        }
        assert!(remark(MERMAID, &graph).is_some_and(|remark| remark.contains("500 arrows")));
        assert_eq!(remark(DOT, &graph), None);
    }

    #[test]
    fn nothing_is_a_graph_too() {
        let none = Graph::default();
        assert_eq!(
            text(DOT, &none, &Plain),
            "digraph codedb {\n  rankdir=LR;\n  node [shape=box];\n}\n"
        );
        assert_eq!(text(MERMAID, &none, &Plain), "flowchart LR\n");
    }

    #[test]
    fn other_replies_are_not_drawn() {
        let of = |name: &str| crate::tools::find(name).expect("a tool");
        assert!(check(of("callers"), DOT).is_ok() && check(of("churn"), "text").is_ok());
        let error = check(of("churn"), MERMAID).expect_err("it is no graph");
        assert_eq!(
            error.to_string(),
            "the reply of `churn` is no graph that `--format mermaid` can draw"
        );
        let hint = "those of `callers`, `deps`, `callpath`, `explain`, `impact`, `diff-impact`, `trace` are";
        assert_eq!(error.hints(), [hint]);
    }
}
