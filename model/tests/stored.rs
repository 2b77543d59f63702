//! Sources that are lowered, stored and read again: what the store answers, and what needs the
//! source once more.

use codedb_model::ir::codec::slice_of;
use codedb_model::ir::text::{Lines, parse};
use codedb_model::ir::{Definition, DefinitionKind, Expression, ExpressionId, File, UseId};
use codedb_model::languages::rules;
use codedb_model::lower::Lowering;
use codedb_model::program::{Program, all, held_out};
use codedb_model::resolve::Resolver;
use codedb_model::resolve::ty::{Def, FileId};
use codedb_model::store::Builder;

const BUDGET: u64 = 100_000;

/// A program's files: lowered, and as they are stored.
struct Sources {
    name: String,
    lowered: Vec<File>,
    stored: Vec<File>,
    library: File,
}

fn sources(language: &str) -> Vec<Sources> {
    let programs = all().into_iter().chain(held_out()).flatten();
    programs
        .filter(|program| program.language == language)
        .map(|program| source(language, &program))
        .collect()
}

fn source(language: &str, program: &Program) -> Sources {
    let rules = rules(language).expect("a language with rules");
    let mut lowering = Lowering::new(language).expect("the grammar");
    let mut builder = Builder::default();
    let mut lowered = Vec::new();
    for source in &program.sources {
        let file = lowering.lowered(&source.path, source.text.as_bytes()).expect("a tree");
        builder.add(slice_of(&file, &rules.needs())).expect("a slice");
        lowered.push(file);
    }
    let (store, _) = builder.finish();
    let stored = (0..store.len()).zip(&lowered).map(|(at, file)| {
        let stored = store.file(at).expect("a sound store");
        File { path: file.path.clone(), ..stored }
    });
    Sources {
        name: program.name.clone(),
        stored: stored.collect(),
        lowered,
        library: parse("library", rules.library(), &Lines::new("")).expect("a library"),
    }
}

impl Sources {
    fn resolver<'f>(&'f self, files: &'f [File], language: &str) -> Resolver<'f> {
        let rules = rules(language).expect("a language with rules");
        Resolver::new(files.iter().chain([&self.library]).collect(), rules)
    }

    /// Returns all uses.
    fn questions(&self) -> Vec<(FileId, UseId)> {
        let files = (0..).map(FileId).zip(&self.lowered);
        files.flat_map(|(at, file)| file.uses.ids().map(move |id| (at, id))).collect()
    }
}

fn answer(resolver: &Resolver<'_>, of: (FileId, UseId)) -> (bool, bool, String, Vec<Def>) {
    let (found, _) = resolver.question(of.0, of.1, BUDGET).expect("a budget that suffices");
    let mut called: Vec<Def> =
        found.called.iter().map(|called| resolver.body_of(called.def)).collect();
    called.sort();
    called.dedup();
    (found.is_outside, found.is_dispatch, format!("{:?}", found.choice), called)
}

/// Asks all questions of which `asks` holds of the stored files and of the lowered ones, and
/// returns how many there are and those whose answers differ.
fn compare(language: &str, asks: impl Fn(&File, UseId) -> bool) -> (usize, Vec<String>) {
    let (mut count, mut changed) = (0, Vec::new());
    for sources in sources(language) {
        let lowered = sources.resolver(&sources.lowered, language);
        let stored = sources.resolver(&sources.stored, language);
        for of in sources.questions() {
            let file = &sources.lowered[of.0.0 as usize];
            if !asks(file, of.1) {
                continue;
            }
            count += 1;
            let (whole, slice) = (answer(&lowered, of), answer(&stored, of));
            if whole != slice {
                let name = file.uses[of.1].name.as_deref().unwrap_or("-");
                changed.push(format!("{}: {name}: {whole:?}, {slice:?}", sources.name));
            }
        }
    }
    (count, changed)
}

#[test]
fn definitions_and_uses_keep_their_ids() {
    for language in ["c", "ruby"] {
        for sources in sources(language) {
            for (lowered, stored) in sources.lowered.iter().zip(&sources.stored) {
                let names = |file: &File| {
                    let definitions = file.definitions.iter().map(|(_, of)| of.name.to_string());
                    let uses = file.uses.iter().map(|(_, of)| format!("{:?}", of.name));
                    definitions.chain(uses).collect::<Vec<_>>()
                };
                assert_eq!(names(lowered), names(stored), "{}", lowered.path);
            }
        }
    }
}

/// Without overloads and with written types, nothing is lowered again.
#[test]
fn typed_sources_are_answered_from_the_store() {
    let (count, changed) = compare("c", |_, _| true);
    assert!(count > 20, "{count} questions");
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

/// What a parameter without a type holds is what its callers pass, which is lowered again.
#[test]
fn untyped_sources_are_answered_from_the_store_but_for_parameters() {
    let (count, changed) = compare("ruby", |file, of| {
        !file.uses[of].receiver.is_some_and(|id| starts_at_parameter(file, id))
    });
    assert!(count > 60, "{count} questions");
    assert!(changed.is_empty(), "{count} questions:\n{}", changed.join("\n"));
}

/// Returns whether a value is a parameter, what one was assigned to, or a member or result of one.
fn starts_at_parameter(file: &File, id: ExpressionId) -> bool {
    let node = &file.expressions[id];
    match &node.kind {
        Expression::Name { name, .. } => {
            let mut at = Some(node.scope);
            while let Some(scope) = at {
                let here = &file.scopes[scope];
                let owner = here.owner.map(|owner| &file.definitions[owner]);
                let is_function = |of: &&Definition| of.kind == DefinitionKind::Function;
                if let Some(owner) = owner.filter(is_function) {
                    let parameters = owner.signature.parameters.iter().flatten();
                    return parameters.into_iter().any(|parameter| parameter.name == *name);
                }
                at = here.parent;
            }
            false
        }
        Expression::Member { of, name } => {
            let assigned =
                file.bindings.iter().filter(|(_, of)| of.of.is_some() && of.name == *name);
            starts_at_parameter(file, *of)
                || assigned.filter_map(|(_, of)| of.value).any(|id| starts_at_parameter(file, id))
        }
        Expression::Yield { of, .. } => starts_at_parameter(file, *of),
        Expression::Call(of) => {
            file.uses[*of].receiver.is_some_and(|id| starts_at_parameter(file, id))
        }
        _ => false,
    }
}
