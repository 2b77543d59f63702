//! Names of definitions in expected answers.

use super::Program;
use crate::ir::{DefinitionId, DefinitionKind, File, ScopeId, ScopeKind, Type};
use std::collections::BTreeSet;

/// A definition of a program: its file's position, and its id there.
pub type Place = (usize, DefinitionId);

/// Returns the name of a definition with those of the types and namespaces around it.
pub fn qualified_name(file: &File, id: DefinitionId) -> String {
    let definition = &file.definitions[id];
    let mut path = around(file, definition.scope);
    let extended = definition.signature.receiver.map(|of| &file.types[of].kind);
    if let Some(Type::Named { .. }) = extended
        && !is_in_type(file, definition.scope)
    {
        path.extend(last_name(file, definition.signature.receiver));
    }
    path.push(definition.name.to_string());
    path.join(".")
}

fn is_in_type(file: &File, scope: ScopeId) -> bool {
    let scope = &file.scopes[scope];
    let kind = scope.owner.map(|owner| file.definitions[owner].kind);
    scope.kind == ScopeKind::Type && kind != Some(DefinitionKind::Namespace)
}

/// Returns the last segment of a type, behind pointers and the like.
fn last_name(file: &File, of: Option<crate::ir::TypeId>) -> Option<String> {
    match &file.types[of?].kind {
        Type::Named { path, arguments } => {
            match (path.last().map(|name| &**name), &arguments[..]) {
                (Some("ptr" | "*"), [inner]) => last_name(file, Some(*inner)),
                (name, _) => name.map(str::to_string),
            }
        }
        _ => None,
    }
}

fn around(file: &File, scope: ScopeId) -> Vec<String> {
    let mut path = Vec::new();
    let mut at = Some(scope);
    while let Some(scope) = at {
        let scope = &file.scopes[scope];
        path.extend(scope.owner.map(|owner| file.definitions[owner].name.to_string()));
        at = scope.parent;
    }
    path.reverse();
    path
}

impl Program {
    /// Returns the definitions that `name` stands for: `Type.member`, with `path:` before it or
    /// `@line` behind it.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub fn definition(&self, name: &str) -> Result<Place, String> {
        let (path, rest) =
            name.split_once(':').map_or((None, name), |(path, rest)| (Some(path), rest));
        let (rest, line) = match rest.rsplit_once('@') {
            Some((rest, line)) if line.parse::<u32>().is_ok() => (rest, line.parse::<u32>().ok()),
            _ => (rest, None),
        };
        let mut exact = Vec::new();
        let mut ending = Vec::new();
        for (at, file) in self.files.iter().enumerate() {
            let lines = self.lines(&file.path);
            for (id, definition) in file.definitions.iter() {
                let is_place = path.is_none_or(|path| path == &*file.path)
                    && line.is_none_or(|line| lines.of(definition.range).0 == line);
                if !is_place || definition.kind == DefinitionKind::Extension {
                    continue;
                }
                let qualified = qualified_name(file, id);
                if qualified == rest {
                    exact.push((at, id));
                } else if qualified.strip_suffix(rest).is_some_and(|before| before.ends_with('.')) {
                    ending.push((at, id));
                }
            }
        }
        let found = if exact.is_empty() { ending } else { exact };
        let found = self.prefer_bodies(found);
        match found[..] {
            [one] => Ok(one),
            [] => Err(format!("no definition is named `{name}`")),
            _ => Err(format!("{} definitions are named `{name}`", found.len())),
        }
    }

    /// Leaves out declarations of what is also defined.
    fn prefer_bodies(&self, found: Vec<Place>) -> Vec<Place> {
        let has_body = |&(at, id): &Place| !self.files[at].definitions[id].signature.is_declaration;
        if found.iter().any(has_body) {
            found.into_iter().filter(has_body).collect()
        } else {
            found
        }
    }

    /// Returns the shortest name that [`Program::definition`] finds `of` by.
    pub fn name_of(&self, of: Place) -> String {
        let file = &self.files[of.0];
        let line = self.lines(&file.path).of(file.definitions[of.1].range).0;
        let name = qualified_name(file, of.1);
        let candidates = [name.clone(), format!("{}:{name}", file.path), format!("{name}@{line}")];
        let found = candidates.into_iter().find(|name| self.definition(name) == Ok(of));
        found.unwrap_or_else(|| format!("{}:{name}@{line}", file.path))
    }

    /// Returns the places that `names` stand for.
    ///
    /// # Errors
    /// As [`Program::definition`].
    pub fn definitions(&self, names: &BTreeSet<String>) -> Result<BTreeSet<Place>, String> {
        names.iter().map(|name| self.definition(name)).collect()
    }
}
