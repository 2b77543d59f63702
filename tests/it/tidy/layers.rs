//! The module layers of ARCHITECTURE.md and the cycles between sibling modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::modules::{ModulePath, ModuleTree};

/// The heading of the table in ARCHITECTURE.md.
const HEADING: &str = "## Module layers";

/// Modules whose submodules import each other in a cycle.
const CYCLIC: &[&str] = &[
    "codedb/history",
    "codedb/lang",
    "codedb/lang/grammars",
    "codedb/lang/grammars/javascript",
    "codedb/lang/grammars/python",
    "codedb/lang/grammars/rust",
    "codedb/source",
];

#[test]
fn modules_import_from_layers_below() {
    let layers = layers(include_str!("../../../ARCHITECTURE.md"));
    let tree = ModuleTree::library();
    let listed: BTreeSet<&str> = layers.keys().map(String::as_str).collect();
    assert_eq!(listed, tree.top_level(), "the modules in ARCHITECTURE.md and in the packages");
    let mut violations = BTreeSet::new();
    for reference in tree.references() {
        let Some(target) = tree.top_level_target(reference) else { continue };
        let source = &reference.module[0];
        if layers[source] <= layers[&target] {
            violations.insert(format!(
                "{}:{}: `{source}` (layer {}) imports `{target}` (layer {})",
                reference.file.display(),
                reference.line,
                layers[source],
                layers[&target]
            ));
        }
    }
    let violations: Vec<String> = violations.into_iter().collect();
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

#[test]
fn sibling_modules_have_no_import_cycles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cycles = find_cycles("codedb", ModuleTree::library());
    for bench in std::fs::read_dir(root.join("benches")).expect("the benches").flatten() {
        let name = format!("benches/{}", bench.file_name().to_string_lossy());
        let file = Path::new(&name).join("main.rs");
        if root.join(&file).is_file() {
            cycles.extend(find_cycles(&name, &ModuleTree::read(root, &file)));
        }
    }
    let tolerated: BTreeSet<&str> = CYCLIC.iter().copied().collect();
    let found: BTreeSet<&str> = cycles.iter().map(|(parent, _)| parent.as_str()).collect();
    let unexpected: Vec<&str> = cycles
        .iter()
        .filter(|(parent, _)| !tolerated.contains(parent.as_str()))
        .map(|(_, cycle)| cycle.as_str())
        .collect();
    assert!(unexpected.is_empty(), "\n{}", unexpected.join("\n"));
    let unneeded: Vec<&&str> = tolerated.difference(&found).collect();
    assert!(unneeded.is_empty(), "exceptions that are no longer needed: {unneeded:?}");
}

#[test]
fn the_scan_sees_every_form_of_import() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    };
    write("lib.rs", "mod a; mod b; mod c; mod d; mod e; mod f; pub use f::Reexported;");
    write("b.rs", "");
    write("c.rs", "");
    write("d.rs", "");
    write("e.rs", "");
    write("f.rs", "");
    write(
        "a.rs",
        "//! `crate::b` in prose is no import.
        mod deep;
        #[cfg(test)]
        mod tests { use crate::b; }
        #[cfg(not(test))]
        fn outside() { crate::c::call(); }
        #[cfg(unix)]
        use crate::{Reexported, b::{self, Thing}};
        #[cfg(all(test, unix))]
        mod more;
        ",
    );
    write(
        "a/deep.rs",
        "use super::outside;
        fn inside() {
            println!(\"{}\", super::super::d::name(\"crate::b\"));
            mod inline { use super::super::super::e::*; }
        }
        ",
    );
    let tree = ModuleTree::read(directory.path(), Path::new("lib.rs"));
    let found: Vec<(String, usize, String)> = tree
        .references()
        .iter()
        .filter_map(|reference| {
            let target = tree.top_level_target(reference)?;
            Some((reference.file.display().to_string(), reference.line, target))
        })
        .collect();
    let expected = [
        ("a.rs", 6, "c"),
        ("a.rs", 8, "f"),
        ("a.rs", 8, "b"),
        ("a.rs", 8, "b"),
        ("a/deep.rs", 3, "d"),
        ("a/deep.rs", 4, "e"),
    ];
    let expected: Vec<(String, usize, String)> = expected
        .iter()
        .map(|(file, line, target)| ((*file).to_owned(), *line, (*target).to_owned()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_cycle_search_follows_reexports() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| {
        std::fs::write(directory.path().join(name), text).expect("a file");
    };
    write("lib.rs", "mod a; mod b; mod c; use b::Thing;");
    write("a.rs", "use crate::Thing;");
    write("b.rs", "pub struct Thing; use crate::c::x;");
    write("c.rs", "pub fn x() {}");
    let read = || ModuleTree::read(directory.path(), Path::new("lib.rs"));
    assert!(find_cycles("lib", &read()).is_empty());
    write("c.rs", "pub fn x() { crate::a::y(); }");
    let cycles = find_cycles("lib", &read());
    assert_eq!(cycles.len(), 1);
    assert!(cycles[0].1.starts_with("lib: a → b (a.rs:1) → c (b.rs:1) → a (c.rs:1)"), "{cycles:?}");
}

/// Returns the layer of each module, counted from the bottom of the table in `page`.
fn layers(page: &str) -> BTreeMap<String, usize> {
    let section = page.split_once(HEADING).expect("the section of the layers").1;
    let section = section.split("\n## ").next().expect("a section");
    let rows = section.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let mut layers = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let layer = cells[1].parse().unwrap_or_else(|_| panic!("no layer number: {row}"));
        // Every second piece of the line, starting with the second, is between backticks: these are
        // names.
        for name in cells[2].split('`').skip(1).step_by(2) {
            assert!(layers.insert(name.to_owned(), layer).is_none(), "`{name}` is listed twice");
        }
    }
    layers
}

/// Returns one cycle for each module of `tree` whose submodules form one, with the module's path
/// below `name`.
fn find_cycles(name: &str, tree: &ModuleTree) -> Vec<(String, String)> {
    let edges = tree.sibling_edges();
    let mut graphs: BTreeMap<&ModulePath, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for (parent, from, to) in edges.keys() {
        graphs.entry(parent).or_default().entry(from).or_default().insert(to);
    }
    let mut found = Vec::new();
    for (parent, graph) in graphs {
        let shortest = graph.keys().filter_map(|start| cycle_from(&graph, start));
        let Some(cycle) = shortest.min_by_key(Vec::len) else { continue };
        let path: Vec<&str> = [name].into_iter().chain(parent.iter().map(String::as_str)).collect();
        let path = path.join("/");
        let mut text = format!("{path}: {}", cycle[0]);
        for pair in cycle.windows(2) {
            let key = (parent.clone(), pair[0].to_owned(), pair[1].to_owned());
            let reference = edges[&key];
            let file = reference.file.to_string_lossy().replace('\\', "/");
            text.push_str(&format!(" → {} ({file}:{})", pair[1], reference.line));
        }
        found.push((path, text));
    }
    found
}

/// Returns the shortest cycle through `start`, which is its first and its last element.
fn cycle_from<'a>(
    graph: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    start: &'a str,
) -> Option<Vec<&'a str>> {
    let mut previous: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &next in graph.get(at).into_iter().flatten() {
            if next == start {
                let mut cycle = vec![start];
                let mut back = at;
                while back != start {
                    cycle.push(back);
                    back = previous[back];
                }
                cycle.push(start);
                cycle.reverse();
                return Some(cycle);
            }
            if !previous.contains_key(next) {
                previous.insert(next, at);
                queue.push_back(next);
            }
        }
    }
    None
}
