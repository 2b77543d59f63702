//! The files that use a definition: those of its own repository, and those of others that import its package.
//!
//! A common name is in too many files to fetch all of them, so the nodes are asked for those that also import
//! the package, in the words of the definition's language. What this leaves out is counted. Packages of other
//! repositories with the same name are fetched as well, so that an ambiguous import leads to both.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{COUNTED, MATCHING, Request, View, names_query};
use crate::base::path::split;
use crate::base::text::counted;
use crate::catalog::extract::extract_text;
use crate::error::{Error, Kind, Result};
use crate::fleet::nodes::{Fetched, Found, Want};
use crate::fleet::query::{Part, Query};
use crate::graph::imports::Family;
use crate::lang::language::of_path;

/// The number of packages whose users are looked for.
const PACKAGES_MAX: usize = 32;

/// The number of other repositories with a package of the same name that are taken into account.
const RIVALS_MAX: usize = 8;

/// Directories whose packages are copies or inputs of tests.
const COPIES: &str = r"(?:^|/)(?:_?vendor|vendored|third_party|node_modules|site-packages|testdata|tests?|fixtures?|examples?)/";

/// Directories above the packages of Python.
const PYTHON_ROOTS: &str = r"^(?:src/|lib/|python/)?";

/// Where the definitions of a call are.
#[derive(Debug)]
pub(super) struct Selected {
    /// Their paths in the fleet.
    files: BTreeSet<Vec<u8>>,
}

impl Selected {
    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.files.contains(path)
    }
}

/// Packages as files of other repositories import them.
struct Packages {
    family: Option<Family>,
    names: BTreeSet<String>,
    /// The repositories that have them.
    repositories: BTreeSet<String>,
}

/// Files with the name of a definition, of which those that import its package are fetched.
pub(super) struct Others {
    query: Query,
    packages: String,
}

impl View<'_> {
    /// Returns the files with the name, without contents.
    pub(super) fn files_with_name(&self, others: &Others) -> Result<Found> {
        let query = Query::Names(Box::new(others.query.clone()));
        let query = query.and(self.scope.clone().only_branch());
        self.nodes.search(&query, &COUNTED, self.interrupt)
    }

    /// Notes how many files with the name are not among those that were fetched.
    pub(super) fn count_others(&self, others: &Others, named: &Found, fetched: &Found) {
        let key = |file: &Fetched| (file.repository.clone(), file.path.clone());
        let known: BTreeSet<(String, Vec<u8>)> = fetched.files.iter().map(key).collect();
        let unknown = named.files.iter().filter(|file| !known.contains(&key(file))).count();
        let count = unknown + named.more;
        if count == 0 {
            return;
        }
        let is_cut = fetched.more > 0 || !fetched.doubts.is_empty();
        let (was, do_not) = if count == 1 { ("was", "it does") } else { ("were", "they do") };
        let least = if named.doubts.is_empty() && named.more == 0 { "" } else { "at least " };
        let mut sentence =
            format!("{least}{} with the name {was} not looked at", counted(count, "file"));
        if !is_cut {
            sentence += &format!(": {do_not} not import `{}`", others.packages);
        }
        self.doubt(sentence);
    }

    /// Returns the request for the users of a definition. Definitions are those in the file or below the
    /// directory `path`, or else in the repositories of the scope; users are in all repositories.
    pub(super) fn of_definition(&self, name: &str, path: Option<&str>) -> Result<Request> {
        let is_glob = |path: &str| path.contains(['*', '?', '[', '{']);
        let selection = match path {
            Some(path) if !is_glob(path) => Query::below(path).and(self.scope.clone()),
            _ => self.scope.clone(),
        };
        if selection.clone().without_branch() == Query::Const(true) || path.is_some_and(is_glob) {
            return Ok(Request::matching(names_query(&[name]), true, Query::of_code(None)));
        }
        let files = self.definitions(name, path, selection)?;
        let paths = files.iter().filter_map(super::path_of).collect();
        // It is the first access of the call.
        let _ = self.selected.set(Selected { files: paths });
        let these = files.iter().filter_map(|file| {
            let path = std::str::from_utf8(&file.path).ok()?.to_owned();
            let of = Query::Repositories(vec![file.repository.clone()]);
            Some(of.and(Query::Paths(vec![path])))
        });
        let these = Query::Or(these.collect());
        let packages = self.packages(files)?;
        let mut repositories = packages.repositories.clone();
        repositories.extend(self.rivals(name, &packages)?);
        let own = Query::Repositories(repositories.into_iter().collect());
        let near = Query::Or(vec![own, packages.imports()]);
        // Files of other languages use it in no way that is known here. What is cheap for a node is first.
        let named = Query::of_code(packages.family).and(names_query(&[name]));
        let names: Vec<&str> = packages.names.iter().map(String::as_str).collect();
        let others = Others { query: named.clone(), packages: names.join("` or `") };
        let users = named.and(near);
        Ok(Request {
            also: Some(these),
            others: Some(others),
            is_everywhere: true,
            ..Request::matching(users, true, Query::of_code(packages.family))
        })
    }

    /// Returns the files of a selection that define a name. Of a single file it is taken for granted.
    fn definitions(
        &self,
        name: &str,
        path: Option<&str>,
        selection: Query,
    ) -> Result<Vec<Fetched>> {
        let found = self.ask(names_query(&[name]).and(selection), &MATCHING)?;
        let mut files = found.files;
        files.retain(|file| file.left_out().is_none());
        if files.is_empty() {
            self.check_scope()?;
            if let Some(path) = path {
                let there = Query::Names(Box::new(Query::below(path))).and(self.scope.clone());
                let found = self.nodes.search(&there, &COUNTED, self.interrupt)?;
                let is_file =
                    |file: &Fetched| super::path_of(file).is_some_and(|of| of == path.as_bytes());
                if found.files.is_empty() || found.files.iter().any(is_file) {
                    // This names what is wrong with a single file.
                    self.fetch(path.as_bytes())?;
                }
            }
            let what = format!("no file there contains `{}`", crate::base::text::plain(name));
            return Err(Error::new(Kind::NotFound, what)
                .with_hint("{tool:search} finds texts, without `--repo` in all repositories"));
        }
        if files.len() == 1 {
            return Ok(files);
        }
        let last = name.rsplit(['.', ':', '#', '/']).find(|part| !part.is_empty());
        let last = last.unwrap_or(name);
        let defines = |file: &Fetched| {
            let extract = extract_text(&file.path, &file.content, &self.parsers);
            extract.is_ok_and(|it| it.facts.symbols.iter().any(|symbol| symbol.name == last))
        };
        let is_definer: Vec<bool> = files.par_iter().map(defines).collect();
        if is_definer.contains(&true) {
            let mut at = is_definer.into_iter();
            files.retain(|_| at.next().unwrap_or(false));
        }
        Ok(files)
    }

    /// Returns the packages that the files belong to, by the manifests above them.
    fn packages(&self, files: Vec<Fetched>) -> Result<Packages> {
        let count = files.len();
        let family = files.first().and_then(family);
        let mut around = Found { files, ..Found::default() };
        self.add_manifests(&mut around)?;
        let (files, manifests) = around.files.split_at(count);
        let mut packages =
            Packages { family, names: BTreeSet::new(), repositories: BTreeSet::new() };
        for file in files {
            packages.repositories.insert(file.repository.clone());
            let mut names = names_of(file, manifests);
            if names.iter().any(|name| name.starts_with('_')) && family == Some(Family::Python) {
                names.extend(self.public_packages(&file.repository)?);
            }
            packages.names.extend(names);
        }
        while packages.names.len() > PACKAGES_MAX {
            packages.names.pop_last();
            self.doubt("the definitions are in too many packages: name the path of one".to_owned());
        }
        Ok(packages)
    }

    /// Returns the outermost packages of a repository of Python, which may export what a private one has.
    fn public_packages(&self, repository: &str) -> Result<BTreeSet<String>> {
        let expression = format!(r"{PYTHON_ROOTS}[A-Za-z]\w*/__init__\.py$");
        let path = Query::Regex { expression, is_case_sensitive: true, part: Part::Path };
        let of = Query::Repositories(vec![repository.to_owned()]);
        let found = self.ask_everywhere(of.and(path), &COUNTED)?;
        let name =
            |file: &Fetched| Some(String::from_utf8_lossy(split(split(&file.path).0).1).into());
        Ok(found.files.iter().filter_map(name).collect())
    }

    /// Returns the other repositories that have a package of the same name, and the name of the definition
    /// in it, and notes them.
    fn rivals(&self, name: &str, packages: &Packages) -> Result<BTreeSet<String>> {
        let Some(providers) = packages.providers() else { return Ok(BTreeSet::new()) };
        let own = packages.repositories.iter().cloned().collect();
        let copies = Query::Regex {
            expression: COPIES.to_owned(),
            is_case_sensitive: false,
            part: Part::Path,
        };
        let others = Query::Not(Box::new(Query::Or(vec![Query::Repositories(own), copies])));
        let want = Want { files_max: 100, ..COUNTED };
        let found = self.ask_everywhere(Query::Names(Box::new(providers.and(others))), &want)?;
        let named: BTreeSet<String> = found.files.into_iter().map(|file| file.repository).collect();
        if named.is_empty() {
            return Ok(named);
        }
        let of = Query::Repositories(named.into_iter().collect());
        let with_name = Query::Names(Box::new(names_query(&[name]).and(of)));
        let found = self.ask_everywhere(with_name, &COUNTED)?;
        let mut rivals: BTreeSet<String> =
            found.files.into_iter().map(|file| file.repository).collect();
        let total = rivals.len();
        while rivals.len() > RIVALS_MAX {
            rivals.pop_last();
        }
        if !rivals.is_empty() {
            let more = total - rivals.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let shown: Vec<&str> = rivals.iter().map(String::as_str).collect();
            self.doubt(format!(
                "`{}`{more} also {} a package of this name: an import may mean {}",
                shown.join("`, `"),
                if total == 1 { "has" } else { "have" },
                if total == 1 { "either" } else { "any of them" }
            ));
        }
        Ok(rivals)
    }
}

impl Packages {
    /// Returns the query for the files that import one of the packages.
    fn imports(&self) -> Query {
        let any = alternatives(self.names.iter());
        let expression = match self.family {
            Some(Family::Python) => {
                // `from other import name` imports a part of another package.
                let statement = r"(?m)^[ \t]*import[ \t][^\n#]*\b";
                let call = r"(?:import_module|importorskip|__import__)\(\s*";
                format!(r#"{statement}{any}\b|(?m)^[ \t]*from[ \t]+{any}\b|{call}["']{any}["'.]"#)
            }
            Some(Family::Go) => format!(r#""{any}["/]"#),
            Some(Family::JavaScript) => {
                format!(r#"\b(?:from|import|require)\b[^\n]*["']{any}["'/]"#)
            }
            Some(Family::Rust) => format!(r"\b{any}\s*::|\b(?:use|crate)\s+{any}\b"),
            _ => {
                let text = |name: &String| Query::Substring {
                    text: name.clone(),
                    is_case_sensitive: true,
                    part: Part::Content,
                };
                return Query::Or(self.names.iter().map(text).collect());
            }
        };
        Query::Regex { expression, is_case_sensitive: true, part: Part::Content }
    }

    /// Returns the query for the files that make a directory a package of one of the names; `None` if the
    /// language has no such names.
    fn providers(&self) -> Option<Query> {
        let regex = |expression: String, part: Part| Query::Regex {
            expression,
            is_case_sensitive: true,
            part,
        };
        let manifest = |name: &str, line: String| {
            let name = format!("(?:^|/){}$", regex_syntax::escape(name));
            regex(name, Part::Path).and(regex(line, Part::Content))
        };
        let any = alternatives(self.names.iter());
        Some(match self.family? {
            Family::Python => regex(format!(r"{PYTHON_ROOTS}{any}/__init__\.py$"), Part::Path),
            Family::Go => manifest("go.mod", format!(r#"(?m)^module\s+"?{any}"?\s*$"#)),
            Family::JavaScript => manifest("package.json", format!(r#""name"\s*:\s*"{any}""#)),
            Family::Rust => {
                let crates = self.names.iter().map(|name| name.replace('_', "-"));
                let all: BTreeSet<String> = self.names.iter().cloned().chain(crates).collect();
                let any = alternatives(all.iter());
                manifest("Cargo.toml", format!(r#"(?m)^name\s*=\s*"{any}""#))
            }
            _ => return None,
        })
    }
}

/// Returns an expression for one of the texts.
fn alternatives<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    let texts: Vec<String> = texts.map(|text| regex_syntax::escape(text)).collect();
    format!("(?:{})", texts.join("|"))
}

fn family(file: &Fetched) -> Option<Family> {
    Family::of(of_path(&crate::base::path::to_path(&file.path))?)
}

/// Returns the names by which other repositories import a file: that of the nearest manifest, the outermost
/// directory of a package of Python, the package that the text declares; or else the last part of the
/// repository's name.
fn names_of(file: &Fetched, manifests: &[Fetched]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let text = String::from_utf8_lossy(&file.content);
    let family = family(file);
    let wanted: &[(&[u8], &str)] = match family {
        Some(Family::Go) => &[(b"go.mod", "module ")],
        Some(Family::Rust) => &[(b"Cargo.toml", "name")],
        Some(Family::JavaScript) => &[(b"package.json", "\"name\"")],
        Some(Family::Php) => &[(b"composer.json", "\"name\"")],
        Some(Family::Dart) => &[(b"pubspec.yaml", "name:")],
        _ => &[],
    };
    let is_above = |manifest: &&Fetched| {
        let folder = split(&manifest.path).0;
        manifest.repository == file.repository
            && (folder.is_empty() || crate::base::path::is_within(&file.path, folder))
    };
    for (name, start) in wanted {
        let of_name = manifests.iter().filter(|it| split(&it.path).1 == *name).filter(is_above);
        let named = of_name.filter_map(|it| Some((it.path.len(), value_of(&it.content, start)?)));
        names.extend(named.max().map(|(_, name)| name));
    }
    match family {
        Some(Family::Rust) => names = names.iter().map(|name| name.replace('-', "_")).collect(),
        Some(Family::Python) => {
            let path = String::from_utf8_lossy(&file.path);
            let folders: Vec<&str> = path.split('/').rev().skip(1).collect();
            let top = folders.iter().take_while(|it| !matches!(**it, "src" | "lib" | "python"));
            let module = path.rsplit('/').next().and_then(|name| name.strip_suffix(".py"));
            names.extend(top.last().copied().or(module).map(str::to_owned));
        }
        Some(Family::Jvm) => names.extend(declared(&text, "package ")),
        Some(Family::CSharp | Family::Php) => names.extend(declared(&text, "namespace ")),
        _ => {}
    }
    if names.is_empty() {
        names.extend(file.repository.rsplit('/').next().map(str::to_owned));
    }
    names
}

/// Returns the value of the first line of a manifest that begins so.
fn value_of(manifest: &[u8], start: &str) -> Option<String> {
    let text = String::from_utf8_lossy(manifest);
    let mut lines = text.lines().filter_map(|line| line.trim().strip_prefix(start));
    let value = lines.next()?.trim_start_matches([' ', '=', ':']).trim();
    let value = value.trim_start_matches('"').split(['"', ' ', ',']).next()?;
    (!value.is_empty()).then(|| value.to_owned())
}

/// Returns the package or namespace that a text declares.
fn declared(text: &str, word: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix(word))?;
    let name = line.trim().trim_end_matches([';', '{', ' ']);
    let is_name = |char: char| char.is_alphanumeric() || "._\\".contains(char);
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}
