//! What the resolver answers on a program.

use super::{Answer, Deviation, Expected, Outcome, Place, Program};
use crate::ir::codec::slice_of;
use crate::ir::text::{Lines, parse};
use crate::ir::{File, Imported, Type, UseId};
use crate::languages;
use crate::resolve::ty::{Def, FileId};
use crate::resolve::{Choice, Resolution, Resolver};
use crate::rules::Rules;
use std::collections::BTreeSet;

/// The budget of a question.
pub const BUDGET: u64 = 100_000;

/// A program with what the resolver needs.
pub struct Loaded<'p> {
    /// The program.
    pub program: &'p Program,
    library: File,
    rules: &'static dyn Rules,
}

/// The answer to one question, in the terms of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The answer.
    pub answer: Found,
    /// What it cost.
    pub cost: u64,
}

/// An answer by definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Links, and what may run instead.
    Links(BTreeSet<Place>, BTreeSet<Place>),
    /// Stored functions.
    Dispatch(BTreeSet<Place>),
    /// Outside of the tree.
    Outside,
    /// Not known.
    Unknown,
}

impl<'p> Loaded<'p> {
    /// Reads the library of the program's language.
    ///
    /// # Errors
    /// The language has no rules, or its library is not in the text form.
    pub fn new(program: &'p Program) -> Result<Self, String> {
        let rules = languages::rules(&program.language)
            .ok_or_else(|| format!("no rules for the language `{}`", program.language))?;
        let library = parse("library", rules.library(), &Lines::new(""))?;
        Ok(Self { program, library, rules })
    }

    /// Returns the stored slices of the files.
    pub fn slices(&self) -> Vec<File> {
        let needs = self.rules.needs();
        self.program.files.iter().map(|file| slice_of(file, &needs)).collect()
    }

    /// Returns a resolver that sees `files` in place of the program's.
    pub fn resolver_of<'f>(&'f self, files: &'f [File]) -> Resolver<'f> {
        Resolver::new(files.iter().chain([&self.library]).collect(), self.rules)
    }

    /// Returns a resolver without anything cached.
    pub fn resolver(&self) -> Resolver<'_> {
        let files = self.program.files.iter().chain([&self.library]).collect();
        Resolver::new(files, self.rules)
    }

    /// Returns the paths of types that neither the program nor the library declares, and that no
    /// import takes from outside of the tree.
    pub fn undeclared_paths(&self) -> Vec<String> {
        let declared: BTreeSet<&str> = self
            .program
            .files
            .iter()
            .chain([&self.library])
            .flat_map(|file| {
                let names = file.definitions.iter().map(|(_, definition)| &*definition.name);
                let imported = file.imports.iter().flat_map(|import| match &import.imported {
                    Imported::Names(names) => names.iter().map(|(_, alias)| &**alias).collect(),
                    Imported::Module(alias) => vec![&**alias],
                    Imported::All => Vec::new(),
                });
                names.chain(imported)
            })
            .collect();
        let mut undeclared = BTreeSet::new();
        for file in &self.program.files {
            for (_, node) in file.types.iter() {
                let Type::Named { path, .. } = &node.kind else { continue };
                let whole = path.iter().map(|name| &**name).collect::<Vec<_>>().join(".");
                let last = path.last().map_or("", |name| &**name);
                if !declared.contains(last) && !declared.contains(whole.as_str()) {
                    undeclared.insert(whole);
                }
            }
        }
        undeclared.into_iter().collect()
    }

    /// Returns all uses, in order.
    pub fn questions(&self) -> Vec<(FileId, UseId)> {
        let mut questions = Vec::new();
        for (at, file) in self.program.files.iter().enumerate() {
            questions
                .extend(file.uses.ids().map(|id| (FileId(u32::try_from(at).unwrap_or(0)), id)));
        }
        questions
    }

    /// Asks what a use links to.
    pub fn ask(&self, resolver: &Resolver<'_>, of: (FileId, UseId), budget: u64) -> Option<Given> {
        let (resolution, cost) = resolver.question(of.0, of.1, budget)?;
        Some(Given { answer: self.found(resolver, &resolution), cost })
    }

    fn found(&self, resolver: &Resolver<'_>, resolution: &Resolution) -> Found {
        let place = |def: Def| {
            let def = resolver.body_of(def);
            (def.file.0 as usize, def.id)
        };
        let is_source = |def: &Def| !resolver.world().is_library(def.file);
        let links: BTreeSet<Place> = resolution
            .called
            .iter()
            .map(|called| called.def)
            .filter(is_source)
            .map(place)
            .collect();
        match resolution {
            Resolution { is_outside: true, .. } => Found::Outside,
            _ if links.is_empty() || resolution.choice == Choice::Open => Found::Unknown,
            Resolution { is_dispatch: true, .. } => Found::Dispatch(links),
            _ => Found::Links(links, BTreeSet::new()),
        }
    }

    /// Returns the uses that an expected line is about.
    pub fn uses(&self, expected: &Expected) -> Vec<(FileId, UseId)> {
        let mut found = Vec::new();
        for (at, file) in self.program.files.iter().enumerate() {
            let lines = self.program.lines(&file.path);
            if *file.path != *expected.path {
                continue;
            }
            for (id, of) in file.uses.iter() {
                let name = of.name.as_deref().unwrap_or("-");
                if name == expected.name && lines.of(of.range).0 == expected.line {
                    found.push((FileId(u32::try_from(at).unwrap_or(0)), id));
                }
            }
        }
        found
    }

    /// Returns the answer for an expected line, joined over its uses.
    pub fn answer(&self, resolver: &Resolver<'_>, expected: &Expected) -> Answer {
        let wants_may = matches!(&expected.answer, Answer::Links(_, Some(_)));
        let names =
            |places: &BTreeSet<Place>| places.iter().map(|&of| self.program.name_of(of)).collect();
        let mut joined: Option<Answer> = None;
        for of in self.uses(expected) {
            let answer = match self.ask(resolver, of, BUDGET).map(|given| given.answer) {
                Some(Found::Links(links, _)) => {
                    let may = wants_may.then(|| {
                        let may = resolver.question_may(of.0, of.1, BUDGET);
                        let may = may.map_or_else(Vec::new, |(may, _)| may);
                        names(&may.into_iter().map(|def| (def.file.0 as usize, def.id)).collect())
                    });
                    Answer::Links(names(&links), may)
                }
                Some(Found::Dispatch(links)) => Answer::Dispatch(names(&links)),
                Some(Found::Outside) => Answer::Outside,
                Some(Found::Unknown) | None => Answer::Unknown,
            };
            joined = Some(match (joined, answer) {
                (Some(Answer::Links(mut links, may)), Answer::Links(more, _)) => {
                    links.extend(more);
                    Answer::Links(links, may)
                }
                (Some(known), answer) if known == answer => known,
                (Some(_), _) => Answer::Unknown,
                (None, answer) => answer,
            });
        }
        joined.unwrap_or(Answer::Unknown)
    }

    /// Compares all answers with what is expected.
    ///
    /// # Errors
    /// An expected name is no definition.
    pub fn deviations(&self) -> Result<Vec<Deviation>, String> {
        let resolver = self.resolver();
        let mut deviations = Vec::new();
        for expected in &self.program.expected {
            let answer = self.answer(&resolver, expected);
            let outcome = self.normal(&answer)?.compare(&self.normal(&expected.answer)?);
            if outcome != Outcome::Right {
                let place = format!("{}:{} {}", expected.path, expected.line, expected.name);
                deviations.push(Deviation { place, outcome, text: answer.to_string() });
            }
        }
        Ok(deviations)
    }

    /// Returns an answer with the shortest names.
    fn normal(&self, answer: &Answer) -> Result<Answer, String> {
        let names = |names: &BTreeSet<String>| -> Result<BTreeSet<String>, String> {
            let places = self.program.definitions(names)?;
            Ok(places.into_iter().map(|of| self.program.name_of(of)).collect())
        };
        Ok(match answer {
            Answer::Links(links, may) => {
                Answer::Links(names(links)?, may.as_ref().map(names).transpose()?)
            }
            Answer::Dispatch(links) => Answer::Dispatch(names(links)?),
            other => other.clone(),
        })
    }
}
