//! Sources of our own making, one or more per language, and their outlines.

mod c;
mod cpp;
mod csharp;
mod dart;
mod flow;
mod go;
mod java;
mod javascript;
mod kotlin;
mod lua;
mod objc;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod typescript;
mod zig;

use super::check;

/// A path, a text, and what is seen of it.
pub(super) type Fixture = (&'static str, &'static str, &'static str);

/// Every fixture.
pub(super) const FIXTURES: &[Fixture] = &[
    c::RING,
    cpp::SHAPE,
    csharp::BASKET,
    csharp::PROGRAM,
    dart::COUNTER,
    flow::HOOKS,
    go::SERVER,
    java::ACCOUNT,
    javascript::ANON,
    javascript::ANON2,
    javascript::APP,
    javascript::NAMED,
    kotlin::ORDERS,
    lua::ROUTER,
    objc::HEADER,
    objc::LOADER,
    php::MAILER,
    php::PAGE,
    python::STORE,
    ruby::BANK,
    rust::SHAPES,
    scala::STORE,
    scala::SYNTAX,
    swift::PLAYER,
    typescript::TYPES,
    typescript::VIEW,
    zig::RING,
];

#[test]
fn outlines_are_as_written_down() {
    for (path, text, expected) in FIXTURES {
        check(path, text, expected);
    }
}
