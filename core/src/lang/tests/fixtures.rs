//! Sources written for these tests, at least one for each language, and their expected outlines.

mod bash;
mod c;
mod cmake;
mod cpp;
mod csharp;
mod css;
mod dart;
mod data;
mod dockerfile;
mod elixir;
mod flow;
mod go;
mod haskell;
mod hcl;
mod html;
mod java;
mod javascript;
mod kotlin;
mod lua;
mod make;
mod markdown;
mod objc;
mod ocaml;
mod php;
mod proto;
mod python;
mod r;
mod ruby;
mod rust;
mod scala;
mod sql;
mod swift;
mod typescript;
mod zig;

use super::check;

/// Path, text, and the rendered outline.
pub(super) type Fixture = (&'static str, &'static str, &'static str);

/// Every fixture.
pub(super) const FIXTURES: &[Fixture] = &[
    bash::DEPLOY,
    c::MACROS,
    c::RING,
    cmake::SHOP,
    cpp::MACROS,
    cpp::SHAPE,
    csharp::BASKET,
    csharp::PROGRAM,
    css::SITE,
    css::THEME,
    dart::COUNTER,
    data::CARGO,
    data::CI,
    data::MANIFEST,
    dockerfile::IMAGE,
    elixir::CART,
    elixir::MACROS,
    flow::HOOKS,
    go::SERVER,
    haskell::BRANCHES,
    haskell::CART,
    hcl::INFRA,
    html::CARD,
    html::COUNTER,
    html::INDEX,
    html::PAGE,
    java::ACCOUNT,
    javascript::ANON,
    javascript::ANON2,
    javascript::APP,
    javascript::NAMED,
    kotlin::LINES,
    kotlin::ORDERS,
    lua::ROUTER,
    make::BUILD,
    make::SIGNS,
    markdown::GUIDE,
    objc::HEADER,
    objc::LOADER,
    ocaml::CART,
    ocaml::INTERFACE,
    php::MAILER,
    php::PAGE,
    proto::SHOP,
    python::STORE,
    r::CART,
    ruby::BANK,
    ruby::MACROS,
    rust::MACROS,
    rust::SHAPES,
    scala::STORE,
    scala::SYNTAX,
    sql::MYSQL,
    sql::POSTGRES,
    sql::SCHEMA,
    swift::PLAYER,
    typescript::TYPES,
    typescript::VIEW,
    zig::RING,
];

#[test]
fn outlines_match_the_expected_ones() {
    for (path, text, expected) in FIXTURES {
        check(path, text, expected);
    }
}
