//! Code in memory: the facts of some files, with the lists that the linker reads. The index
//! provides the same from memory maps; this implementation serves tests, benches and trees without
//! an index.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::imports::{Family, Importer, ProjectUsing, Resolution, Resolver, is_manifest};
use super::link::{Code, FileFacts, Site, SymbolAt};
use crate::base::ids::FileId;
use crate::base::path;
use crate::lang::facts::{Import, ImportKind, Reference, Role};
use crate::lang::language::detect;
use crate::lang::parse::Limits;
use crate::lang::symbols::facts;
use crate::lang::words::unescaped;
use crate::source::text_cache::Text;

/// The facts of some files, in memory.
pub struct Program {
    files: Vec<File>,
    resolver: Resolver,
    named: HashMap<String, Vec<SymbolAt>>,
    members: HashMap<(String, String), Vec<SymbolAt>>,
    blocks: HashMap<String, Vec<SymbolAt>>,
    derived: HashMap<String, Vec<SymbolAt>>,
    sites: HashMap<String, Vec<(FileId, usize)>>,
    importers: OnceLock<HashMap<FileId, Vec<FileId>>>,
}

struct File {
    path: String,
    facts: Option<Arc<FileFacts>>,
    references: Vec<(String, Reference)>,
    text: Text,
    same_package: OnceLock<Vec<FileId>>,
}

impl Program {
    /// Extracts the facts of `texts`, each with its path; ids are positions in path order.
    /// O(bytes).
    pub fn new(mut texts: Vec<(String, Vec<u8>)>) -> Program {
        texts.sort_by(|a, b| path::compare(a.0.as_bytes(), b.0.as_bytes()));
        let paths: Vec<&str> = texts.iter().map(|(path, _)| path.as_str()).collect();
        let manifests: Vec<(FileId, &[u8])> = (0..texts.len())
            .filter(|&at| is_manifest(texts[at].0.as_bytes()))
            .map(|at| (FileId::new(at), texts[at].1.as_slice()))
            .collect();
        let resolver = Resolver::new(&paths, &manifests);
        let files: Vec<File> = texts.iter().map(|(path, text)| File::new(path, text)).collect();
        let packages: Vec<(FileId, &str)> = (0..files.len())
            .filter_map(|at| Some((FileId::new(at), files[at].facts.as_ref()?.package.as_deref()?)))
            .collect();
        let resolver = resolver.with_packages(&packages);
        let mut program = Program {
            resolver,
            named: HashMap::new(),
            members: HashMap::new(),
            blocks: HashMap::new(),
            derived: HashMap::new(),
            sites: HashMap::new(),
            importers: OnceLock::new(),
            files: Vec::new(),
        };
        for (at, file) in files.iter().enumerate() {
            program.list(FileId::new(at), file);
        }
        program.files = files;
        program
    }

    /// Returns the id of the file at the path `name`. O(log n).
    pub fn id(&self, name: &str) -> Option<FileId> {
        let order = |file: &File| path::compare(file.path.as_bytes(), name.as_bytes());
        self.files.binary_search_by(order).ok().map(FileId::new)
    }

    /// Returns every file's id, in path order.
    pub fn ids(&self) -> impl Iterator<Item = FileId> {
        (0..self.files.len()).map(FileId::new)
    }

    /// Adds the definitions and uses of a file to the lists.
    fn list(&mut self, id: FileId, file: &File) {
        let Some(facts) = &file.facts else { return };
        for (place, symbol) in facts.symbols.iter().enumerate() {
            let at = SymbolAt { file: id, place: place as u32 };
            self.named.entry(symbol.name.clone()).or_default().push(at);
            if let Some(owner) = facts.owner(place) {
                let key = (owner.to_owned(), symbol.name.clone());
                self.members.entry(key).or_default().push(at);
            }
            if let Some(of) = facts.block_type(place) {
                self.blocks.entry(of.to_owned()).or_default().push(at);
            }
            for base in &symbol.bases {
                self.derived.entry(base.last_name().to_owned()).or_default().push(at);
            }
        }
        for (at, (name, _)) in file.references.iter().enumerate() {
            match self.sites.get_mut(name) {
                Some(sites) => sites.push((id, at)),
                None => _ = self.sites.insert(name.clone(), vec![(id, at)]),
            }
        }
    }

    /// Returns the uses of names in a file, in the order of the text, each with its name.
    pub fn references(&self, file: FileId) -> &[(String, Reference)] {
        self.files.get(file.index()).map(|file| file.references.as_slice()).unwrap_or_default()
    }

    fn resolve(&self, file: FileId, import: &Import, inside: &[&str]) -> Resolution {
        let facts = self.files.get(file.index()).and_then(|file| file.facts.as_ref());
        let family = facts.and_then(|facts| Family::of(facts.language));
        let (Some(facts), Some(family)) = (facts, family) else { return Resolution::Unknown };
        let package = facts.package.as_deref();
        self.resolver.resolve(&Importer { file, family, package, inside }, import)
    }
}

impl File {
    fn new(path: &str, text: &[u8]) -> File {
        let mut file = File {
            path: path.to_owned(),
            facts: None,
            references: Vec::new(),
            text: Text::of_memory(text.to_vec()),
            same_package: OnceLock::new(),
        };
        let Some(language) = detect(Path::new(path), text) else { return file };
        let mut facts = facts(language, path, text, Limits::DEFAULT);
        let named = |reference: Reference| {
            let name = text.get(reference.span.clone()).unwrap_or_default();
            (unescaped(&String::from_utf8_lossy(name)).into_owned(), reference)
        };
        file.references = std::mem::take(&mut facts.references).into_iter().map(named).collect();
        file.facts = Some(Arc::new(FileFacts::new(path.to_owned(), language, facts)));
        file
    }
}

impl Code for Program {
    fn named(&self, name: &str) -> Arc<[SymbolAt]> {
        self.named.get(name).map(|found| found.as_slice().into()).unwrap_or_default()
    }

    fn members(&self, owner: &str, name: &str) -> Arc<[SymbolAt]> {
        let key = (owner.to_owned(), name.to_owned());
        self.members.get(&key).map(|found| found.as_slice().into()).unwrap_or_default()
    }

    fn blocks(&self, name: &str) -> Arc<[SymbolAt]> {
        self.blocks.get(name).map(|found| found.as_slice().into()).unwrap_or_default()
    }

    fn derived(&self, base: &str) -> Arc<[SymbolAt]> {
        self.derived.get(base).map(|found| found.as_slice().into()).unwrap_or_default()
    }

    fn file(&self, file: FileId) -> Option<Arc<FileFacts>> {
        self.files.get(file.index())?.facts.clone()
    }

    fn targets(&self, file: FileId, import: usize) -> Resolution {
        let Some(facts) = self.file(file) else { return Resolution::Unknown };
        let Some(import_facts) = facts.imports.get(import) else { return Resolution::Unknown };
        let around = facts.modules_around(import);
        self.resolve(file, import_facts, &around)
    }

    fn text(&self, file: FileId) -> Option<Text> {
        self.files.get(file.index()).map(|file| file.text.clone())
    }

    fn importers(&self, file: FileId) -> Vec<FileId> {
        let importers = self.importers.get_or_init(|| {
            let mut importers: HashMap<FileId, Vec<FileId>> = HashMap::new();
            for from in self.ids() {
                let count = self.file(from).map_or(0, |facts| facts.imports.len());
                for import in 0..count {
                    for target in self.targets(from, import).targets() {
                        importers.entry(target.file).or_default().push(from);
                    }
                }
            }
            importers.values_mut().for_each(Vec::dedup);
            importers
        });
        importers.get(&file).cloned().unwrap_or_default()
    }

    fn module(&self, from: FileId, path: &str) -> Resolution {
        let import = Import {
            span: 0..0,
            line: 1,
            kind: ImportKind::Module,
            module: path.to_owned(),
            names: Vec::new(),
        };
        self.resolve(from, &import, &[])
    }

    fn project_usings(&self, file: FileId) -> Vec<ProjectUsing> {
        self.resolver.project_usings(file)
    }

    fn is_same_package(&self, a: FileId, b: FileId) -> bool {
        let Some(file) = self.files.get(a.index()) else { return false };
        let same = file.same_package.get_or_init(|| {
            let Some(facts) = &file.facts else { return Vec::new() };
            let Some(family) = Family::of(facts.language) else { return Vec::new() };
            let package = facts.package.as_deref();
            self.resolver.same_package(&Importer { file: a, family, package, inside: &[] })
        });
        same.binary_search(&b).is_ok()
    }

    fn sites(&self, name: &str) -> Vec<Site> {
        let sites = self.sites.get(name).map(Vec::as_slice).unwrap_or_default();
        let site = |&(file, at): &(FileId, usize)| {
            let (_, reference) = self.files.get(file.index())?.references.get(at)?;
            Some(Site { file, reference: reference.clone() })
        };
        sites.iter().filter_map(site).collect()
    }

    fn calls(&self, file: FileId) -> Arc<Vec<(String, Reference)>> {
        let calls = self.references(file).iter().filter(|(_, of)| of.role == Role::Call);
        Arc::new(calls.cloned().collect())
    }
}
