//! The sample of call sites.

use codedb::graph::link::{Code, FileFacts};
use codedb::lang::facts::Role;
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::tree::Tree;

/// A call site: the position of the name.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub(crate) struct Site {
    pub(crate) path: String,
    pub(crate) byte: usize,
    pub(crate) name: String,
}

/// The position of a definition's name; `line` counts from 0.
#[derive(Clone, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub(crate) struct Definition {
    /// The path, in the tree or outside.
    pub(crate) path: String,
    pub(crate) line: usize,
}

/// A site and the oracle's definitions of it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Answered {
    pub(crate) site: Site,
    pub(crate) definitions: Vec<Definition>,
}

/// Samples sites uniformly from all calls in files of the language.
pub(crate) fn draw(tree: &Tree, options: &Options) -> Vec<Site> {
    let mut all = Vec::new();
    for file in tree.program.ids() {
        let Some(facts) = tree.program.file(file) else { continue };
        if !is_drawn(options, &facts) {
            continue;
        }
        for (name, reference) in tree.program.references(file).iter() {
            if reference.role == Role::Call {
                let (path, byte) = (facts.path.clone(), reference.span.start);
                all.push(Site { path, byte, name: name.clone() });
            }
        }
    }
    let mut drawn = Vec::new();
    let mut random = Random::new(options.seed);
    while drawn.len() < options.sites && !all.is_empty() {
        drawn.push(all.swap_remove(random.below(all.len())));
    }
    drawn.sort_by(|a, b| (&a.path, a.byte).cmp(&(&b.path, b.byte)));
    drawn
}

/// Returns true for files whose calls can be drawn.
pub(crate) fn is_drawn(options: &Options, facts: &FileFacts) -> bool {
    let is_language = facts.language.name == options.language
        || facts.language.name == "tsx" && options.language == "typescript";
    is_language && facts.path.starts_with(&options.below)
}

/// Random numbers by a seed (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    /// Returns the generator of a seed.
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end
    }
}

/// Returns recorded answers, if they belong to the sites.
pub(crate) fn same_sites(sites: &[Site], known: Vec<Answered>) -> Result<Vec<Answered>, String> {
    let same = sites.len() == known.len() && sites.iter().eq(known.iter().map(|a| &a.site));
    if same {
        return Ok(known);
    }
    // The classification of calls may have changed since; the recorded sites are used.
    eprintln!("calls: other sites would be drawn now; those of the answers are taken");
    Ok(known)
}
