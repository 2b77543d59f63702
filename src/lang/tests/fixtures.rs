//! Sources of our own making, one or more per language, and their outlines.

mod c;
mod cpp;
mod flow;
mod go;
mod java;
mod javascript;
mod python;
mod ruby;
mod rust;
mod typescript;

use super::check;

/// A path, a text, and what is seen of it.
pub(super) type Fixture = (&'static str, &'static str, &'static str);

/// Every fixture.
pub(super) const FIXTURES: &[Fixture] = &[
    c::RING,
    cpp::SHAPE,
    flow::HOOKS,
    go::SERVER,
    java::ACCOUNT,
    javascript::ANON,
    javascript::ANON2,
    javascript::APP,
    javascript::NAMED,
    python::STORE,
    ruby::BANK,
    rust::SHAPES,
    typescript::TYPES,
    typescript::VIEW,
];

#[test]
fn outlines_are_as_written_down() {
    for (path, text, expected) in FIXTURES {
        check(path, text, expected);
    }
}
