//! How test files are linked with the file of a definition: by imports, directly or over other
//! files, by dynamic imports, and by common commits.

use std::collections::BTreeSet;

pub(super) use super::candidate::Links;
use super::tree::Tree;
use crate::base::ids::FileId;
use crate::graph::imports::certainty;
use crate::history::History;
use crate::lang::facts::{Import, ImportKind};

/// The maximum length of a chain of imports.
const LEVELS_MAX: u8 = 4;

/// The maximum number of files whose importers are searched at each level.
const WIDTH_MAX: usize = 200;

/// The maximum number of test files that are examined for dynamic imports.
const DYNAMIC_FILES_MAX: usize = 100;

/// The maximum number of partners in commits that count.
const PARTNERS_MAX: usize = 8;

impl Links {
    /// Returns the links of `file`. O(edges of the import graph around it + commits of the file).
    pub(super) fn new(tree: &dyn Tree, history: Option<&History>, file: FileId) -> Links {
        let mut links = Links::default();
        let mut seen = BTreeSet::from([file]);
        let mut level = vec![file];
        for depth in 1..=LEVELS_MAX {
            let mut next = Vec::new();
            for &of in level.iter().take(WIDTH_MAX) {
                for importer in tree.importers(of) {
                    if !seen.insert(importer) {
                        continue;
                    }
                    let counts = depth > 1 || is_imported(tree, importer, file);
                    if tree.is_test(importer) && counts {
                        links.imports.insert(importer, depth);
                    }
                    next.push(importer);
                }
            }
            level = next;
        }
        let path = tree.path(file);
        if let Some(history) = history {
            let partners = history.changed_with(path.as_bytes()).into_iter();
            let tests = partners.filter_map(|(path, share)| {
                let file = tree.find(std::str::from_utf8(path).ok()?)?;
                tree.is_test(file).then_some((file, share as f32))
            });
            links.co_change = tests.take(PARTNERS_MAX).collect();
        }
        // An unknown variable leaves no edge in the import graph.
        let mut loading: BTreeSet<FileId> = tree.importers(file).into_iter().collect();
        loading.extend(stem(&path).map(|stem| tree.with_word(stem)).unwrap_or_default());
        loading.retain(|&test| tree.is_test(test));
        for test in loading.into_iter().take(DYNAMIC_FILES_MAX) {
            if let Some(weight) = dynamic(tree, test, file) {
                links.dynamic.insert(test, weight);
            }
        }
        links
    }
}

fn is_dynamic(import: &Import) -> bool {
    import.kind >= ImportKind::Dynamic
}

/// Returns true if an import of `from` that is not dynamic leads to `file`, or if none does: then
/// they are linked in another way, such as by a package.
fn is_imported(tree: &dyn Tree, from: FileId, file: FileId) -> bool {
    let Some(facts) = tree.file(from) else { return true };
    if !facts.imports.iter().any(is_dynamic) {
        return true;
    }
    let leads = |at: usize| tree.targets(from, at).targets().iter().any(|to| to.file == file);
    let leading: Vec<usize> = (0..facts.imports.len()).filter(|&at| leads(at)).collect();
    leading.is_empty() || leading.into_iter().any(|at| !is_dynamic(&facts.imports[at]))
}

/// Returns the weight of the dynamic imports of a test file that load `file`, or may load it:
/// proximity × √confidence. A variable whose value is unknown may load what the text of the test
/// file names. `None` if there is none.
fn dynamic(tree: &dyn Tree, test: FileId, file: FileId) -> Option<f32> {
    let facts = tree.file(test)?;
    let (own, path) = (&facts.path, tree.path(file));
    let mut best: f32 = 0.0;
    for (at, import) in facts.imports.iter().enumerate().filter(|(_, import)| is_dynamic(import)) {
        let confidence = if import.kind == ImportKind::DynamicVariable {
            let text = tree.text(test)?;
            let is_named = stem(&path)
                .is_some_and(|stem| memchr::memmem::find(&text, stem.as_bytes()).is_some());
            if is_named { certainty(import.kind) } else { 0.0 }
        } else {
            let resolution = tree.targets(test, at);
            let to = resolution.targets().iter().filter(|to| to.file == file);
            to.map(|to| to.confidence).fold(0.0, f32::max)
        };
        best = best.max(proximity(own, &path) * confidence.sqrt());
    }
    (best > 0.0).then_some(best)
}

/// Returns the name of a file without its extension, if it is long enough to be a word of its own.
fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next()?;
    name.split('.').next().filter(|stem| stem.len() > 2)
}

/// Returns how near two files are: 1 in one directory, less for each directory between them.
fn proximity(a: &str, b: &str) -> f32 {
    let folders = |path: &str| -> Vec<String> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        folder.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let (a, b) = (folders(a), folders(b));
    let shared = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let steps = a.len() + b.len() - 2 * shared;
    1.0 / (1.0 + 0.25 * steps as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::program::Program;

    /// Returns the links of `src/cart.js` with the test file `tests/a.test.js`: the number of imports
    /// between them, and the weight of dynamic imports.
    fn links(test: &str) -> (Option<u8>, Option<f32>) {
        let files = [
            ("src/cart.js", "export function add() {}\n"),
            ("src/shop.js", "import { add } from './cart';\nexport const buy = add;\n"),
            ("tests/a.test.js", test),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let program = Program::new(files.into());
        let (cart, test) = (program.id("src/cart.js"), program.id("tests/a.test.js"));
        let links = Links::new(&program, None, cart.expect("a file"));
        let test = test.expect("a file");
        let rounded = |weight: &f32| (weight * 100.0).round() / 100.0;
        (links.imports.get(&test).copied(), links.dynamic.get(&test).map(rounded))
    }

    #[test]
    fn imports_are_followed_and_dynamic_ones_weigh_by_their_confidence() {
        assert_eq!(links("import { add } from '../src/cart';\n"), (Some(1), None));
        assert_eq!(links("import { buy } from '../src/shop';\n"), (Some(2), None));
        assert_eq!(links("import fs from 'fs';\n"), (None, None));
        // Proximity: two steps, 1 / 1.5.
        assert_eq!(links("const m = require(`../src/${name}`);\n"), (None, Some(0.42)));
        assert_eq!(links("const m = require('../src/' + name);\n"), (None, Some(0.3)));
        // One of the literals is loaded: more certain than a part of a path.
        for alternatives in ["process.env.CART || '../src/cart'", "old ? './old' : '../src/cart'"] {
            for call in ["require", "import"] {
                let test = format!("const m = {call}({alternatives});\n");
                assert_eq!(links(&test), (None, Some(0.37)), "{test}");
            }
        }
        let variable = "for (const m of ['cart']) { require(m); }\n";
        assert_eq!(links(variable), (None, Some(0.37)));
        assert_eq!(links("require(m);\n"), (None, None), "nothing names the file");
        assert_eq!(links("eval(\"require('../src/cart')\");\n"), (None, None));
    }
}
