//! Definitions that somebody names: by their name, a qualified one, and perhaps the file.
//!
//! `Type::method`, `Type.method`, `module::function` and `package.Type.method` are understood
//! whatever the language's separator is: the last part is looked up, what stands before it must be
//! the end of the path of folders, file and scopes around the definition.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::{Call, nearest, paths};
use crate::base::path;
use crate::base::text;
use crate::catalog::Catalog;
use crate::error::{Error, Kind, Result};
use crate::graph::link::{FileFacts, SymbolAt};
use crate::lang::{Symbol, SymbolKind};

/// Names that are looked at to find the nearest.
const NAMES_MAX: usize = 1 << 20;

/// Names of files that stand for the folder that they lie in.
const FOLDER_FILES: &[&str] = &["mod", "lib", "main", "index", "__init__"];

/// A definition as replies tell of it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// Its name with those of the scopes around it.
    pub qualified_name: String,
    /// What sort of definition it is.
    pub kind: SymbolKind,
    /// The file's repository path.
    pub path: String,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
}

impl Definition {
    /// Returns what there is to tell of the definition at `at`, if it is there.
    pub fn at(catalog: &Catalog, at: SymbolAt) -> Result<Option<Definition>> {
        let Some(facts) = catalog.facts(at.file)? else { return Ok(None) };
        let Some(symbol) = facts.symbols.get(at.place as usize) else { return Ok(None) };
        Ok(Some(Definition {
            name: symbol.name.clone(),
            qualified_name: symbol.qualified_name.clone(),
            kind: symbol.kind,
            path: facts.path.clone(),
            line: symbol.line,
            end_line: symbol.end_line,
        }))
    }

    /// Returns the definition on one line: where it stands, what it is.
    pub fn shown(&self) -> String {
        let Definition { path, line, kind, qualified_name, .. } = self;
        let (path, name) = (text::plain(path), text::plain(qualified_name));
        format!("{path}:{line}  {} {name}", kind.name())
    }
}

/// Returns the part of a name that look-ups go by: what stands behind the last separator.
pub fn last_part(name: &str) -> &str {
    parts(name).last().copied().unwrap_or(name)
}

/// Returns the parts of a qualified name.
fn parts(name: &str) -> Vec<&str> {
    name.split(['.', ':', '#', '\\', '/']).filter(|part| !part.is_empty()).collect()
}

/// Returns the definitions called `name` in the files at or below the path `within`: those that
/// hold code before mere declarations, the tree's own sources before tests and others' code, then by
/// path. O(definitions of the name).
///
/// # Errors
///
/// [`Kind::NotFound`] if there is none, with the nearest names or the files that have one.
pub fn named(
    call: &Call<'_>,
    catalog: &Catalog,
    name: &str,
    within: Option<&str>,
) -> Result<Vec<SymbolAt>> {
    let mut found = Vec::new();
    for at in lookup(catalog, name)? {
        let Some(facts) = catalog.facts(at.file)? else { continue };
        let Some(symbol) = facts.symbols.get(at.place as usize) else { continue };
        if is_code(symbol) {
            found.push((order(catalog, at, symbol)?, at, facts));
        }
    }
    if found.is_empty() {
        return Err(unknown(catalog, name)?);
    }
    found.sort_by_key(|(order, at, _)| (*order, *at));
    if let Some(within) = within {
        let within = paths::resolve(call, within)?;
        let is_there = |at: &SymbolAt| path::is_within(catalog.path(at.file), &within);
        if !found.iter().any(|(_, at, _)| is_there(at)) {
            return Err(elsewhere(name, &within, &found));
        }
        // A declaration stands for what it declares.
        let declared: Vec<String> = found
            .iter()
            .filter(|(_, at, _)| is_there(at))
            .map(|(_, at, facts)| &facts.symbols[at.place as usize])
            .map_while(|symbol| {
                let is_declaration = symbol.kind == SymbolKind::Prototype;
                is_declaration.then(|| symbol.qualified_name.clone())
            })
            .collect();
        let is_all = declared.len() == found.iter().filter(|(_, at, _)| is_there(at)).count();
        found.retain(|(_, at, facts)| {
            let name = &facts.symbols[at.place as usize].qualified_name;
            is_there(at) || is_all && declared.contains(name)
        });
    }
    Ok(found.into_iter().map(|(_, at, _)| at).collect())
}

/// Returns the definitions whose name, or the end of whose qualified name, is `name`.
fn lookup(catalog: &Catalog, name: &str) -> Result<Vec<SymbolAt>> {
    let whole = catalog.defined(name.as_bytes())?.to_vec();
    let wanted = parts(name);
    let Some((last, before)) = wanted.split_last().filter(|_| whole.is_empty()) else {
        return Ok(whole);
    };
    let mut found = catalog.defined(last.as_bytes())?.to_vec();
    if !before.is_empty() {
        let mut error = None;
        found.retain(|at| match catalog.facts(at.file) {
            Ok(facts) => facts.is_some_and(|facts| is_qualified(&facts, *at, before)),
            Err(failed) => {
                error = Some(failed);
                false
            }
        });
        if let Some(error) = error {
            return Err(error);
        }
    }
    Ok(found)
}

/// Returns true if `before` is the end of what stands around a definition: folders, file, scopes.
/// The file's name may be left out, as packages of several files do.
fn is_qualified(facts: &Arc<FileFacts>, at: SymbolAt, before: &[&str]) -> bool {
    let symbol = &facts.symbols[at.place as usize];
    let mut scopes = parts(&symbol.qualified_name);
    scopes.pop();
    let owner = facts.owner(at.place as usize);
    if scopes.is_empty() {
        scopes.extend(owner);
    }
    let mut around = parts(facts.path.rsplit_once('.').map_or(&facts.path, |(stem, _)| stem));
    let ends_so = |around: &[&str]| {
        let whole: Vec<&str> = around.iter().chain(&scopes).copied().collect();
        whole.ends_with(before)
    };
    if around.last().is_some_and(|file| FOLDER_FILES.contains(file)) {
        around.pop();
        return ends_so(&around);
    }
    ends_so(&around) || ends_so(&around[..around.len().saturating_sub(1)])
}

fn is_code(symbol: &Symbol) -> bool {
    !matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key | SymbolKind::Selector)
}

/// Returns the rank of a definition among those of its name: lower ones come first.
fn order(catalog: &Catalog, at: SymbolAt, symbol: &Symbol) -> Result<u8> {
    let marks = catalog.summary(at.file)?.unwrap_or_default().marks;
    let is_declared = symbol.kind == SymbolKind::Prototype || marks.declaration;
    Ok(group(marks) * 2 + u8::from(is_declared))
}

/// Returns the rank of files by what they are: the tree's own sources, tests, others' code.
pub fn group(marks: crate::lang::Marks) -> u8 {
    match (marks.ranks_last(), marks.test) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => 0,
    }
}

fn elsewhere(name: &str, within: &[u8], found: &[(u8, SymbolAt, Arc<FileFacts>)]) -> Error {
    let mut files: Vec<String> = Vec::new();
    for (_, _, facts) in found {
        let path = format!("`{}`", text::plain(&facts.path));
        if files.len() < nearest::OFFERED_MAX && !files.contains(&path) {
            files.push(path);
        }
    }
    let message = format!("nothing called `{}` is defined here", text::plain(name));
    Error::new(Kind::NotFound, message)
        .with_path(&path::to_path(within))
        .with_hint(format!("it is defined in {}", files.join(", ")))
}

fn unknown(catalog: &Catalog, name: &str) -> Result<Error> {
    let last = last_part(name);
    let message = format!("nothing called `{}` is defined in this tree", text::plain(name));
    let error = Error::new(Kind::NotFound, message);
    let qualified = catalog.defined(last.as_bytes())?;
    let mut offered = Vec::new();
    for &at in qualified.iter().filter(|_| last != name) {
        let definition = Definition::at(catalog, at)?.map(|of| text::plain(&of.qualified_name));
        let is_new = |name: &String| !offered.contains(name);
        if let Some(name) =
            definition.filter(is_new).filter(|_| offered.len() < nearest::OFFERED_MAX)
        {
            offered.push(name);
        }
    }
    if offered.is_empty() {
        let mut names = BTreeSet::new();
        catalog.each_name(b"", |name| {
            names.insert(name.to_vec());
            names.len() < NAMES_MAX
        })?;
        let names: Vec<Vec<u8>> = names.into_iter().collect();
        let found = nearest::among(names.iter().map(Vec::as_slice), last.as_bytes());
        offered = found.iter().map(|&at| text::plain(&paths::shown(&names[at]))).collect();
    }
    let missing = catalog.missing().len();
    let error = match nearest::hint(&offered) {
        Some(hint) => error.with_hint(hint),
        None => error.with_hint("names of libraries from elsewhere are not known"),
    };
    Ok(match missing {
        0 => error,
        _ => {
            error.with_hint(format!("the code of {missing} files is not known yet: `codedb index`"))
        }
    })
}
