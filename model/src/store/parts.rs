//! A slice taken apart: what is outside of bodies, and each body.

use super::layout::root;
use crate::ir::codec::{SHAPES, regions::Regions, shapes};
use crate::ir::*;

/// What a slice has outside of bodies, and where its bodies are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Definitions, types, imports and exports are those of the whole file; scopes, bindings, uses
    /// and values are those outside of bodies. Ids of scopes, bindings and values are those of the
    /// whole file.
    pub file: File,
    /// The bodies, by definition.
    pub bodies: Vec<Place>,
}

/// Which elements of a file a body has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The index of the definition.
    pub definition: u32,
    /// The first scope, which is the definition's body, and how many there are.
    pub scopes: (u32, u32),
    /// The first binding, and how many there are.
    pub bindings: (u32, u32),
    /// The first use, and how many there are.
    pub uses: (u32, u32),
    /// The first value, and how many there are.
    pub values: (u32, u32),
    /// Where its bytes start, from the first body's on, and how many there are.
    pub bytes: (u32, u32),
    /// The first scope is stored, since it has more than each body's.
    pub(super) has_root: bool,
}

/// The elements of one body. Their ids are those of the whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// Where they are in the file.
    pub place: Place,
    /// The scopes; the first is the definition's body.
    pub scopes: Vec<Scope>,
    /// The bindings.
    pub bindings: Vec<Binding>,
    /// The uses.
    pub uses: Vec<Use>,
    /// The values.
    pub values: Vec<ExpressionNode>,
}

fn number(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// Takes a slice apart; none if its ids are not in the order that slices have.
pub(super) fn split(mut file: File) -> Option<(Header, Vec<Body>)> {
    let regions = Regions::of(&file);
    let region = |scope: ScopeId| regions.of[scope.index()];
    let is_ordered = file.scopes.ids().map(region).is_sorted()
        && file.bindings.iter().map(|(_, of)| region(of.scope)).is_sorted()
        && file.expressions.iter().map(|(_, of)| region(of.scope)).is_sorted()
        && file.expressions.iter().take(SHAPES).map(|(_, of)| of).eq(&shapes());
    if !is_ordered {
        return None;
    }
    let mut bodies: Vec<Body> = Vec::new();
    let mut at = vec![None; file.definitions.len() + 1];
    for (id, scope) in file.scopes.iter() {
        let region = region(id) as usize;
        if region == 0 {
            continue;
        }
        let body = *at[region].get_or_insert_with(|| {
            let first = number(id.index());
            let definition = number(region - 1);
            let place = Place { definition, scopes: (first, 0), ..Place::default() };
            bodies.push(Body { place, ..Body::default() });
            bodies.len() - 1
        });
        bodies[body].scopes.push(scope.clone());
    }
    let is_rooted = |body: &Body| {
        let root = file.definitions[Id::new(body.place.definition as usize)].body;
        root == Some(Id::new(body.place.scopes.0 as usize))
    };
    if !bodies.iter().all(is_rooted) {
        return None;
    }
    let mut header = File::default();
    for (index, of) in std::mem::take(&mut file.bindings).into_vec().into_iter().enumerate() {
        match at[region(of.scope) as usize] {
            None => drop(header.bindings.push(of)),
            Some(body) => {
                bodies[body].put(index, of, |body| (&mut body.place.bindings, &mut body.bindings));
            }
        }
    }
    for (index, of) in std::mem::take(&mut file.uses).into_vec().into_iter().enumerate() {
        match at[region(of.scope) as usize] {
            None => drop(header.uses.push(of)),
            Some(body) => {
                bodies[body].put(index, of, |body| (&mut body.place.uses, &mut body.uses));
            }
        }
    }
    for (index, of) in std::mem::take(&mut file.expressions).into_vec().into_iter().enumerate() {
        match at[region(of.scope) as usize] {
            None => drop(header.expressions.push(of)),
            Some(body) => {
                bodies[body].put(index, of, |body| (&mut body.place.values, &mut body.values));
            }
        }
    }
    let outside = bodies.first().map_or(file.scopes.len(), |body| body.place.scopes.0 as usize);
    let mut scopes = file.scopes.into_vec();
    scopes.truncate(outside);
    header.scopes = Arena::from_vec(scopes);
    for body in &mut bodies {
        let definition = Id::new(body.place.definition as usize);
        body.place.scopes.1 = number(body.scopes.len());
        body.place.has_root = body.scopes[0] != root(definition, &file.definitions[definition]);
    }
    let header = File {
        path: file.path,
        module: file.module,
        types: file.types,
        definitions: file.definitions,
        imports: file.imports,
        exports: file.exports,
        ..header
    };
    let mut places: Vec<Place> = bodies.iter().map(|body| body.place).collect();
    fill(&header, &mut places);
    for (body, place) in bodies.iter_mut().zip(&places) {
        body.place = *place;
    }
    Some((Header { file: header, bodies: places }, bodies))
}

impl Body {
    fn put<T>(
        &mut self,
        index: usize,
        element: T,
        of: impl Fn(&mut Body) -> (&mut (u32, u32), &mut Vec<T>),
    ) {
        let ((first, count), elements) = of(self);
        if *count == 0 {
            *first = number(index);
        }
        *count += 1;
        elements.push(element);
    }
}

/// Makes the places of bodies without elements those where they would be.
fn fill(header: &File, places: &mut [Place]) {
    let mut scopes = number(header.scopes.len());
    let mut bindings = number(header.bindings.len());
    let mut values = number(header.expressions.len());
    let mut uses = 0;
    for place in places {
        place.scopes.0 = scopes;
        place.bindings.0 = bindings;
        place.values.0 = values;
        if place.uses.1 == 0 {
            place.uses.0 = uses;
        }
        scopes += place.scopes.1;
        bindings += place.bindings.1;
        values += place.values.1;
        uses = place.uses.0 + place.uses.1;
    }
}

/// Puts a slice together again; none if the bodies do not fit the header.
pub(super) fn join(header: Header, bodies: Vec<Body>) -> Option<File> {
    let mut file = header.file;
    let mut scopes = std::mem::take(&mut file.scopes).into_vec();
    let mut bindings = std::mem::take(&mut file.bindings).into_vec();
    let mut values = std::mem::take(&mut file.expressions).into_vec();
    let mut outside = std::mem::take(&mut file.uses).into_vec().into_iter();
    let mut uses = Vec::new();
    for body in bodies {
        let gap = (body.place.uses.0 as usize).checked_sub(uses.len())?;
        if gap > outside.len() {
            return None;
        }
        uses.extend(outside.by_ref().take(gap));
        uses.extend(body.uses);
        scopes.extend(body.scopes);
        bindings.extend(body.bindings);
        values.extend(body.values);
    }
    uses.extend(outside);
    file.scopes = Arena::from_vec(scopes);
    file.bindings = Arena::from_vec(bindings);
    file.expressions = Arena::from_vec(values);
    file.uses = Arena::from_vec(uses);
    Some(file)
}
