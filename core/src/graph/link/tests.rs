//! Tests of the linker: sources with a use at `$0`, and the definitions that it resolves to.

mod c;
mod cpp;
mod cpp_overloads;
mod cpp_scopes;
mod csharp;
mod damaged;
mod decorated;
mod forms;
mod go;
mod guesses;
mod java;
mod javascript;
mod kotlin;
mod kotlin_extensions;
mod leaving;
mod local_types;
mod magic;
mod php;
mod python;
mod reexports;
mod ruby;
mod ruby_dispatch;
mod ruby_made;
mod ruby_plugins;
mod ruby_specs;
mod ruby_super;
mod rust;
mod rust_macros;
mod rust_types;
mod rust_values;
mod several;
mod swift;
mod type_arguments;
mod typescript;
mod typescript_bases;
mod unions;

use super::{Linker, Use};
use crate::base::ids::FileId;
use crate::graph::calls;
use crate::graph::link::{Code, Link, Outcome, SymbolAt};
use crate::graph::program::Program;
use crate::lang::facts::Reference;

/// Paths and texts.
pub(in crate::graph) type Texts = Vec<(String, Vec<u8>)>;

/// Returns the texts of a fixture without its mark, and the file and byte of the mark.
pub(in crate::graph) fn fixture(text: &str) -> (Texts, Option<(String, usize)>) {
    let mut files = Texts::new();
    let mut mark = None;
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("//- /") {
            files.push((path.to_owned(), Vec::new()));
            continue;
        }
        let Some((path, body)) = files.last_mut() else { continue };
        let line = match line.split_once("$0") {
            Some((before, after)) => {
                mark = Some((path.clone(), body.len() + before.len()));
                format!("{before}{after}")
            }
            None => line.to_owned(),
        };
        body.extend_from_slice(line.as_bytes());
        body.push(b'\n');
    }
    (files, mark)
}

fn shown(code: &dyn Code, at: SymbolAt) -> String {
    let facts = code.file(at.file).expect("a link's file is known");
    let symbol = &facts.symbols[at.place as usize];
    format!("{}:{} {}", facts.path, symbol.line, symbol.qualified_name)
}

/// Returns the links of the use after `$0`, best first: `path:line name reason`.
fn meaning(text: &str) -> Vec<String> {
    let (program, links) = resolved(text);
    links.iter().map(|link| format!("{} {:?}", shown(&program, link.to), link.reason)).collect()
}

/// Returns the links of the use after `$0`, best first.
fn links(text: &str) -> Vec<Link> {
    resolved(text).1
}

fn resolved(text: &str) -> (Program, Vec<Link>) {
    let (program, file, name, reference) = marked(text);
    let links = Linker::new(&program).resolve(file, Use::new(&name, &reference));
    (program, links)
}

/// Returns the outcome of the use after `$0`.
fn resolved_outcome(text: &str) -> Outcome {
    let (program, file, name, reference) = marked(text);
    Linker::new(&program).outcome(file, Use::new(&name, &reference))
}

/// Returns the program of a fixture, and its use after `$0`.
fn marked(text: &str) -> (Program, FileId, String, Reference) {
    let (files, mark) = fixture(text);
    let (path, byte) = mark.expect("a use is marked");
    let program = Program::new(files);
    let file = program.id(&path).expect("the marked file is there");
    let references = program.references(file);
    let (name, reference) = references
        .iter()
        .find(|(_, reference)| reference.span.start == byte)
        .unwrap_or_else(|| panic!("no use at the mark: {references:?}"));
    let (name, reference) = (name.clone(), reference.clone());
    (program, file, name, reference)
}

/// Fails unless the first link of the use at `$0` is `expected`; an empty text expects none.
#[track_caller]
fn check(text: &str, expected: &str) {
    let seen = meaning(text);
    assert_eq!(seen.first().map_or("", String::as_str), expected, "of {seen:?}");
}

#[test]
fn rust_paths_and_receivers() {
    let tree = |main: &str| {
        format!(
            "//- /Cargo.toml\n[package]\nname = \"app\"\n//- /src/lib.rs\npub mod net;\nmod main;\n\
             //- /src/net.rs\npub mod pool;\npub use pool::Pool;\npub struct Conn {{ id: u8 }}\n\
             impl Conn {{\n    pub fn open() -> Result<Self, u8> {{ Ok(Conn {{ id: 1 }}) }}\n    \
             pub fn send(&self, x: u8) {{}}\n}}\n\
             //- /src/net/pool.rs\nuse super::Conn;\npub trait Source {{\n    \
             fn fetch(&self) -> Conn;\n    fn twice(&self) {{}}\n}}\n\
             pub struct Pool {{ conns: Vec<Conn> }}\nimpl Source for Pool {{\n    \
             fn fetch(&self) -> Conn {{ Conn {{ id: 2 }} }}\n}}\n\
             //- /src/main.rs\n{main}"
        )
    };
    let uses = "use crate::net::{Conn, Pool};\nuse crate::net::pool::Source;\n";
    let of =
        |body: &str| tree(&format!("{uses}fn f(pool: &Pool, any: &dyn Source) {{ {body} }}\n"));
    check(&of("Conn::$0open();"), "src/net.rs:5 Conn::open Receiver");
    check(&of("Conn::open().unwrap().$0send(1);"), "src/net.rs:6 Conn::send Receiver");
    check(&of("pool.$0fetch();"), "src/net/pool.rs:8 Pool::fetch Receiver");
    check(&of("pool.fetch().$0send(1);"), "src/net.rs:6 Conn::send Receiver");
    check(&of("pool.$0twice();"), "src/net/pool.rs:4 Source::twice Inherited");
    check(&of("any.$0fetch();"), "src/net/pool.rs:3 Source::fetch Receiver");
    check(&of("pool.conns.first().unwrap().$0send(1);"), "src/net.rs:6 Conn::send Receiver");
    check(&of("crate::net::pool::$0helper();"), "");
    check(&of("let it = std::mem::$0take(&mut 1);"), "");
}

/// Measures the cost of a resolution, in bounds; run it with `--ignored` and optimised.
#[test]
#[ignore = "a measurement"]
fn resolutions_are_timed() {
    let mut texts: Vec<(String, Vec<u8>)> = vec![(
        "shop/cart.py".into(),
        b"class Cart:\n    def add(self, item):\n        return item\n".to_vec(),
    )];
    for at in 0..30 {
        let text = format!(
            "from shop.cart import Cart\n\n\ndef f{at}(cart: Cart):\n    cart.add({at})\n    Cart().add(1)\n"
        );
        texts.push((format!("app/m{at}.py"), text.into_bytes()));
    }
    let program = Program::new(texts);
    let named = program.named("add");
    let rounds = 200;
    let started = std::time::Instant::now();
    for _ in 0..rounds {
        assert_eq!(calls::uses_of(&program, &[named[0]], 0.45).uses.len(), 60);
    }
    let each = started.elapsed() / rounds;
    assert!(each.as_millis() < 20, "callers of a symbol with 60 calls: {each:?}");
}

/// A test names pytest's fixtures as its parameters.
#[test]
fn pytest_fixtures_by_name_of_a_parameter() {
    let of = |test: &str| {
        format!(
            "//- /cart.py\nclass Cart:\n    def add(self, x): pass\nclass Other:\n    def add(self, x): pass\n\
             //- /tests/conftest.py\nimport pytest\nfrom cart import Cart, Other\n@pytest.fixture\n\
             def cart():\n    yield Cart()\n@pytest.fixture()\ndef both(cart):\n    return cart\n\
             //- /tests/deep/conftest.py\nimport pytest\nfrom cart import Other\n@pytest.fixture\n\
             def other():\n    return Other()\n\
             //- /tests/deep/test_a.py\nimport pytest\nfrom cart import Cart, Other\n@pytest.fixture\n\
             def own() -> Cart:\n    return make()\n{test}\n"
        )
    };
    let add = "cart.py:2 Cart.add Receiver";
    check(&of("def test_a(cart):\n    cart.$0add(1)"), add);
    check(&of("def test_a(both):\n    both.$0add(1)"), add);
    check(&of("def test_a(own):\n    own.$0add(1)"), add);
    check(&of("def test_a(other):\n    other.$0add(1)"), "cart.py:4 Other.add Receiver");
    check(&of("class TestA:\n    def test_b(self, cart):\n        cart.$0add(1)"), add);
    // A decorator sets the parameter: any class may have the method.
    let set =
        meaning(&of("@pytest.mark.parametrize('cart', [1])\ndef test_a(cart):\n    cart.$0add(1)"));
    assert!(set.iter().all(|link| !link.ends_with("Receiver")), "{set:?}");
}
