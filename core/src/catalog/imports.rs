//! The imports of all files, each resolved once: a graph in both directions, and the centrality of
//! each file in it.
//!
//! An import of a package has an edge to each of its files. Unresolved imports and those of files
//! outside of the tree have no edges; [`FileImports`] lists those, too.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::Catalog;
use crate::base::ids::FileId;
use crate::error::Result;
use crate::graph::imports::{Family, Importer, Reason, Resolution};
use crate::graph::link::FileFacts;
use crate::graph::rank::{Graph, Settings, pagerank};
use crate::lang::facts::Import;

/// An edge from an importing file to an imported file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImportEdge {
    /// The file that imports.
    pub from: FileId,
    /// The file that is imported.
    pub to: FileId,
    /// Index of the import among those of its file.
    pub import: u32,
    /// Confidence that the import refers to this file, from 0 to 1.
    pub confidence: f32,
    /// The rule that resolved it.
    pub reason: Reason,
}

/// The resolved imports of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileImports {
    /// Edges to files, ordered by import and file.
    pub edges: Vec<ImportEdge>,
    /// Indices of imports of files outside of the tree.
    pub outside: Vec<u32>,
    /// Indices of unresolved imports.
    pub unknown: Vec<u32>,
}

/// The import graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportGraph {
    /// Ordered by importing file, then by import and imported file.
    edges: Vec<ImportEdge>,
    /// End of the edges of each file in `edges`.
    from_ends: Vec<usize>,
    /// Indices into `edges`, ordered by imported file, then by index.
    into: Vec<u32>,
    /// End of the edges to each file in `into`.
    into_ends: Vec<usize>,
}

impl ImportGraph {
    /// Creates the graph from the edges of each file, in the order of files. O(edges).
    pub fn new<'e>(of_files: impl ExactSizeIterator<Item = &'e [ImportEdge]>) -> ImportGraph {
        let files = of_files.len();
        let mut graph = ImportGraph::default();
        for edges in of_files {
            let is_file = |edge: &&ImportEdge| edge.to.index() < files;
            graph.edges.extend(edges.iter().filter(is_file));
            graph.from_ends.push(graph.edges.len());
        }
        let mut next = vec![0; files + 1];
        for edge in &graph.edges {
            next[edge.to.index() + 1] += 1;
        }
        for file in 0..files {
            next[file + 1] += next[file];
        }
        graph.into_ends = next[1..].to_vec();
        graph.into = vec![0; graph.edges.len()];
        for (place, edge) in graph.edges.iter().enumerate() {
            let slot = &mut next[edge.to.index()];
            graph.into[*slot] = place as u32;
            *slot += 1;
        }
        graph
    }

    /// Returns the graph with other edges for some files. O(edges).
    fn with_changed(
        &self,
        changed: &[FileId],
        edges_of: impl Fn(FileId) -> Vec<ImportEdge>,
    ) -> ImportGraph {
        let edges: Vec<Vec<ImportEdge>> = changed.iter().map(|&file| edges_of(file)).collect();
        let of_file = |file: FileId| match changed.binary_search(&file) {
            Ok(at) => edges[at].as_slice(),
            Err(_) => self.imported(file),
        };
        ImportGraph::new((0..self.from_ends.len()).map(|at| of_file(FileId::new(at))))
    }

    /// Returns the number of edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Returns the edges from a file, ordered by import and file. O(1).
    pub fn imported(&self, file: FileId) -> &[ImportEdge] {
        &self.edges[range(&self.from_ends, file)]
    }

    /// Returns the edges to a file, ordered by importing file and import. O(1).
    pub fn importers(&self, file: FileId) -> impl Iterator<Item = &ImportEdge> {
        self.into[range(&self.into_ends, file)].iter().map(|&place| &self.edges[place as usize])
    }

    /// Returns the centrality of each file, from 0 to 1; see [`pagerank`].
    ///
    /// The weight of an import is its confidence, divided among the files that it refers to.
    fn ranks(&self) -> Vec<f32> {
        let is_same = |a: &ImportEdge, b: &ImportEdge| (a.from, a.import) == (b.from, b.import);
        let edges = self.edges.chunk_by(is_same).flat_map(|targets| {
            let share = 1.0 / targets.len() as f32;
            targets.iter().map(move |edge| (edge.from.0, edge.to.0, edge.confidence * share))
        });
        pagerank(&Graph::new(self.from_ends.len(), edges), &Settings::default())
    }
}

fn range(ends: &[usize], file: FileId) -> Range<usize> {
    let Some(&end) = ends.get(file.index()) else { return 0..0 };
    let start = file.index().checked_sub(1).map_or(0, |before| ends[before]);
    start..end
}

/// The imports of a file as written.
enum Written {
    Facts(Arc<FileFacts>),
    /// Without symbols, for languages whose resolution does not need them.
    Bare(Family, Option<String>, Vec<Import>),
}

impl Catalog {
    /// Returns the resolved imports of a file; reads its text if the file is not indexed. O(its
    /// imports) the first time.
    pub fn file_imports(&self, file: FileId) -> Arc<FileImports> {
        if let Some(kept) = self.cache.file_imports.get(&file) {
            return kept;
        }
        let imports = Arc::new(self.resolved_imports(file));
        // The text of a file without facts may change while this catalog is used.
        if self.missing.binary_search(&file).is_err() {
            self.cache.file_imports.insert(file, Arc::clone(&imports));
        }
        imports
    }

    fn resolved_imports(&self, file: FileId) -> FileImports {
        let written = self.written(file).unwrap_or_else(|error| {
            self.note_damage(&error);
            None
        });
        match &written {
            None => FileImports::default(),
            Some(Written::Facts(facts)) => {
                let Some(family) = Family::of(facts.language) else {
                    return FileImports::default();
                };
                let resolve = |at: usize| {
                    let inside = facts.modules_around(at);
                    let package = facts.package.as_deref();
                    let importer = Importer { file, family, package, inside: &inside };
                    self.resolver().resolve(&importer, &facts.imports[at])
                };
                collect(file, facts.imports.len(), resolve)
            }
            Some(Written::Bare(family, package, imports)) => {
                let package = package.as_deref();
                let importer = Importer { file, family: *family, package, inside: &[] };
                collect(file, imports.len(), |at| self.resolver().resolve(&importer, &imports[at]))
            }
        }
    }

    /// Returns the import graph of the indexed files. O(imports) the first time.
    pub fn import_graph(&self) -> &ImportGraph {
        if let Some(graph) = self.cache.imports.get() {
            return graph;
        }
        // Built outside of the cell. Threads that wait for the cell could not help to build the
        // graph, and a thread that runs another call in the meantime would deadlock on itself. If
        // two threads build the graph, the second result is dropped.
        let made = self.made_import_graph();
        self.cache.imports.get_or_init(|| made)
    }

    fn made_import_graph(&self) -> Arc<ImportGraph> {
        self.resolver();
        let resolve = |file| match self.missing.binary_search(&file) {
            Ok(_) => Vec::new(),
            Err(_) => self.resolved_imports(file).edges,
        };
        if let Some((before, changed)) = &self.cache.imports_before {
            return Arc::new(before.with_changed(changed, resolve));
        }
        let files = (0..self.files.len()).into_par_iter().with_min_len(16);
        let edges: Vec<Vec<ImportEdge>> = files.map(|at| resolve(FileId::new(at))).collect();
        Arc::new(ImportGraph::new(edges.iter().map(Vec::as_slice)))
    }

    /// Returns the centrality of each file by its importers; the ranks add up to 1. O(imports) the
    /// first time.
    pub fn file_rank(&self) -> &[f32] {
        let graph = self.import_graph();
        self.cache.ranks.get_or_init(|| graph.ranks())
    }

    fn written(&self, file: FileId) -> Result<Option<Written>> {
        let Some((number, doc)) = self.place(file) else {
            return Ok(self.facts_now(file)?.map(Written::Facts));
        };
        let segment = &self.segments[number];
        let Some(family) = segment.doc(doc)?.language.and_then(Family::of) else { return Ok(None) };
        // Only Rust resolves imports relative to the modules around them.
        if family == Family::Rust {
            let facts = self.indexed_facts(file)?;
            return Ok(facts.map(|facts| Written::Facts(Arc::new(facts))));
        }
        let (package, imports) = segment.imports(doc)?;
        Ok(Some(Written::Bare(family, package, imports)))
    }
}

/// Resolves the `count` imports of a file; of several edges to one file the one with the highest
/// confidence remains.
fn collect(from: FileId, count: usize, resolve: impl Fn(usize) -> Resolution) -> FileImports {
    let mut imports = FileImports::default();
    for at in 0..count {
        let import = at as u32;
        match resolve(at) {
            Resolution::Outside => imports.outside.push(import),
            Resolution::Unknown => imports.unknown.push(import),
            Resolution::Inside(targets) => {
                let start = imports.edges.len();
                imports.edges.extend(targets.iter().map(|target| {
                    let (to, confidence, reason) = (target.file, target.confidence, target.reason);
                    ImportEdge { from, to, import, confidence, reason }
                }));
                let found = &mut imports.edges[start..];
                found.sort_by(|a, b| a.to.cmp(&b.to).then(b.confidence.total_cmp(&a.confidence)));
            }
        }
    }
    imports.edges.dedup_by_key(|edge| (edge.import, edge.to));
    imports
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: u32, to: u32, import: u32) -> ImportEdge {
        let (from, to) = (FileId(from), FileId(to));
        ImportEdge { from, to, import, confidence: 1.0, reason: Reason::Path }
    }

    #[test]
    fn edges_are_found_both_ways() {
        let files = [
            vec![edge(0, 2, 0), edge(0, 1, 1), edge(0, 2, 1)],
            Vec::new(),
            vec![edge(2, 0, 0), edge(2, 9, 1)],
        ];
        let graph = ImportGraph::new(files.iter().map(Vec::as_slice));
        assert_eq!(graph.len(), 4);
        for at in 0..3 {
            let file = FileId(at);
            assert!(graph.imported(file).iter().all(|edge| edge.from == file));
            assert!(graph.importers(file).all(|edge| edge.to == file));
        }
        let into: Vec<(u32, u32)> =
            graph.importers(FileId(2)).map(|edge| (edge.from.0, edge.import)).collect();
        assert_eq!(into, [(0, 0), (0, 1)]);
        assert_eq!(graph.imported(FileId(1)).len() + graph.imported(FileId(7)).len(), 0);
        assert_eq!(graph.importers(FileId(7)).count(), 0);
        let ranks = graph.ranks();
        let changed = graph.with_changed(&[FileId(1)], |_| vec![edge(1, 2, 0)]);
        let files = [&files[0], &vec![edge(1, 2, 0)], &files[2]];
        assert_eq!(changed, ImportGraph::new(files.into_iter().map(Vec::as_slice)));
        assert!(ranks[2] > ranks[1] && (ranks.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{ranks:?}");
    }

    #[test]
    fn the_edge_with_the_highest_confidence_remains() {
        let target = |file: u32, confidence: f32| crate::graph::imports::Target {
            file: FileId(file),
            confidence,
            reason: Reason::Path,
            name: None,
            rest: 0,
        };
        let resolve = |at: usize| match at {
            0 => Resolution::Inside(vec![target(3, 0.5), target(1, 1.0), target(3, 0.9)]),
            1 => Resolution::Outside,
            _ => Resolution::Unknown,
        };
        let found = collect(FileId(0), 3, resolve);
        let edges: Vec<(u32, f32)> =
            found.edges.iter().map(|edge| (edge.to.0, edge.confidence)).collect();
        assert_eq!(edges, [(1, 1.0), (3, 0.9)]);
        assert_eq!((found.outside, found.unknown), (vec![1], vec![2]));
    }
}
