//! Java, Kotlin, Scala and C#: packages and namespaces, whose files are identified by their
//! declarations and directories.
//!
//! A type is searched in the file with its name; without such a file, all files of its package are
//! targets, and the linker finds the one that defines it.

use crate::base::ids::FileId;
use crate::graph::weights;
use crate::lang::facts::Import;

use super::packages::Packages;
use super::target::{Fallback, Reason, TARGETS_MAX, Target, Targets};
use super::tree::Tree;
use super::{Family, Importer};

/// The most files of one package that are searched for a type.
const FILES_MAX: usize = 4096;

/// The most enclosing packages that are searched for a name.
const NESTED_MAX: usize = 16;

/// Extensions of languages whose packages see each other.
const JVM: &[&str] = &["java", "kt", "scala", "groovy", "kts"];

/// Extensions of C#.
const CSHARP: &[&str] = &["cs"];

pub(super) fn resolve(
    tree: &Tree,
    packages: &Packages,
    importer: &Importer<'_>,
    import: &Import,
    found: &mut Targets,
) -> Fallback {
    let endings = if importer.family == Family::CSharp { CSHARP } else { JVM };
    let lookup = Lookup { tree, packages, endings, import };
    let written = import.module.as_str().trim_start_matches("_root_.");
    if lookup.find(written, 0, found) {
        return Fallback::Unknown;
    }
    // Scala and C# resolve names relative to the enclosing packages, Java and Kotlin do not.
    let is_relative =
        importer.family == Family::CSharp || tree.name(importer.file).ends_with(b".scala");
    let mut around = importer.package.filter(|_| is_relative);
    for _ in 0..NESTED_MAX {
        let Some(package) = around else { break };
        if lookup.find(&format!("{package}.{written}"), package.len(), found) {
            return Fallback::Unknown;
        }
        // `import Object.member` of an object of the package.
        let is_object = importer.family != Family::CSharp
            && lookup.has_file(package, written.split('.').next().unwrap_or(written));
        if is_object && lookup.in_package(package, written, found) {
            return Fallback::Unknown;
        }
        around = package.rsplit_once('.').map(|(outer, _)| outer);
    }
    if packages.is_empty() && !is_standard(written) { Fallback::Unknown } else { Fallback::Outside }
}

fn is_standard(written: &str) -> bool {
    let first = written.split('.').next().unwrap_or(written);
    ["java", "javax", "kotlin", "scala", "System", "Microsoft", "android"].contains(&first)
}

/// Returns the other files of a file's package, in path order; for a C# file also those of the
/// enclosing namespaces, whose names it sees.
pub(super) fn same_package(
    tree: &Tree,
    packages: &Packages,
    file: FileId,
    package: Option<&str>,
) -> Vec<FileId> {
    let declared = package.or_else(|| packages.of(file));
    let is_csharp = tree.name(file).ends_with(b".cs");
    let levels = if is_csharp { NESTED_MAX } else { 1 };
    let outer = |package: &str| package.rfind('.');
    let around = std::iter::successors(declared, |package| Some(&package[..outer(package)?]));
    let mut files: Vec<FileId> =
        around.take(levels).flat_map(|package| packages.files(package)).copied().collect();
    if files.is_empty() {
        files.extend(tree.members(tree.directory(file)));
    }
    let endings = || JVM.iter().chain(CSHARP).map(|known| known.as_bytes());
    let is_source = |file: FileId| {
        let name = tree.name(file);
        let ending = name.iter().rposition(|&byte| byte == b'.').map(|dot| &name[dot + 1..]);
        ending.is_some_and(|ending| endings().any(|known| known == ending))
    };
    files.retain(|&other| other != file && is_source(other));
    files.sort_unstable();
    files
}

/// A package, and the directories that usually contain its files.
#[derive(Clone, Copy)]
struct Package<'a> {
    name: &'a str,
    /// The end of their paths.
    directory: &'a str,
}

struct Lookup<'t, 'i> {
    tree: &'t Tree,
    packages: &'t Packages,
    endings: &'static [&'static str],
    import: &'i Import,
}

impl Lookup<'_, '_> {
    /// Returns true if a file of a package has the name of an object.
    fn has_file(&self, package: &str, object: &str) -> bool {
        let is_of = |file: &FileId| {
            let name = self.tree.name(*file);
            name.strip_suffix(b".scala") == Some(object.as_bytes())
        };
        object.starts_with(|c: char| c.is_ascii_uppercase())
            && self.packages.files(package).iter().take(FILES_MAX).any(is_of)
    }

    /// Adds the files of a dotted name: the longest part of it that is a package, then types.
    /// Returns true if there are any. The package is longer than `known` bytes.
    fn find(&self, written: &str, known: usize, found: &mut Targets) -> bool {
        let mut package = written;
        loop {
            let below = written[package.len()..].trim_start_matches('.');
            if self.in_package(package, below, found) {
                return true;
            }
            match package.rsplit_once('.') {
                Some((outer, _)) if outer.len() > known => package = outer,
                _ => return false,
            }
        }
    }

    /// Adds the files of the types `below` a package; without such types, those of the import's
    /// names, or the whole package.
    fn in_package(&self, package: &str, below: &str, found: &mut Targets) -> bool {
        let declared = self.packages.files(package);
        let directory = package.replace('.', "/");
        let named = Package { name: package, directory: &directory };
        // Directories count only where files declare no packages.
        let has_directory = || self.tree.directories_ending(directory.as_bytes()).next().is_some();
        if declared.is_empty() && !(self.packages.is_empty() && has_directory()) {
            return false;
        }
        if let Some(name) = below.split('.').next().filter(|name| !name.is_empty()) {
            let rest = below.split('.').count() - 1;
            return self.of_type(named, name, None, rest, found);
        }
        let names = self.import.names.iter().enumerate();
        let mut is_whole = true;
        let mut is_found = false;
        for (place, name) in names.filter(|(_, name)| !name.name.is_empty() && name.name != "*") {
            is_whole = false;
            is_found |= self.of_type(named, &name.name, Some(place), 0, found);
        }
        if is_whole {
            for file in self.files(package, &directory).take(TARGETS_MAX) {
                found.add(file, 1.0, Reason::Package);
                is_found = true;
            }
        }
        is_found
    }

    /// Adds the files that may define the type `name` of a package.
    fn of_type(
        &self,
        package: Package<'_>,
        name: &str,
        place: Option<usize>,
        rest: usize,
        found: &mut Targets,
    ) -> bool {
        let Package { name: package, directory } = package;
        let mut files: Vec<FileId> = Vec::new();
        for ending in self.endings {
            let tail = format!("{directory}/{name}.{ending}");
            let fits = |file: &FileId| match self.packages.of(*file) {
                Some(declared) => declared == package,
                None => true,
            };
            files.extend(self.tree.ending(tail.as_bytes()).filter(fits));
        }
        if files.is_empty() {
            let stem = |file: FileId| {
                let name = self.tree.name(file);
                name.iter().position(|&byte| byte == b'.').map(|dot| &name[..dot])
            };
            let declared = self.packages.files(package).iter().copied().take(FILES_MAX);
            files.extend(declared.filter(|&file| stem(file) == Some(name.as_bytes())));
        }
        let (mut one, mut several) = (1.0, weights::IMPORT_DOUBTFUL);
        if files.is_empty() {
            // No file has the name, so any file of the package may define it.
            let others = self.files(package, directory).filter(|&file| file != found.from);
            files.extend(others.take(TARGETS_MAX));
            (one, several) = (weights::IMPORT_LIKELY, weights::IMPORT_FAR);
        }
        let nearest =
            |file: &FileId| (usize::MAX - self.tree.shared_directories(*file, found.from), *file);
        files.sort_by_key(nearest);
        let first = files.first().map(|file| nearest(file).0);
        let is_alone = files.get(1).is_none_or(|second| Some(nearest(second).0) != first);
        let is_guess = one < 1.0;
        for (at, &file) in files.iter().enumerate() {
            let is_best = at == 0 && (files.len() == 1 || is_alone && !is_guess);
            let confidence = if is_best { one } else { several };
            let reason =
                if files.len() == 1 || is_best { Reason::Package } else { Reason::Ambiguous };
            found.push(Target { file, confidence, reason, name: place, rest });
        }
        !files.is_empty()
    }

    /// Returns the files of a package: those that declare it, or else those in its directories.
    fn files<'a>(&'a self, package: &str, directory: &'a str) -> impl Iterator<Item = FileId> + 'a {
        let declared = self.packages.files(package);
        let directories =
            declared.is_empty().then(|| self.tree.directories_ending(directory.as_bytes()));
        let members =
            directories.into_iter().flatten().flat_map(|directory| self.tree.members(directory));
        let is_source = |file: &FileId| {
            let name = self.tree.name(*file);
            self.endings.iter().any(|ending| name.ends_with(ending.as_bytes()))
        };
        declared.iter().chain(members).copied().filter(is_source)
    }
}
