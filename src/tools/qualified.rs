//! Names with what is around them, as callers write them: `Type::method`, `Type.method`, `mod::f`,
//! `package.module.f`.
//!
//! The last part is looked up; the parts before it must be the last ones of the definition's
//! qualified name, behind the folders and the name of its file. So `cart::add` finds `add` of
//! `src/cart.rs`, and `net.Dial` what the folder `net` has.

use crate::lang::Symbol;

/// Names of files that stand for their folder.
const FOLDERS_OWN: [&str; 6] = ["mod", "lib", "main", "index", "__init__", "init"];

/// First parts that say where a path starts, not what it is called.
const STARTS: [&str; 4] = ["crate", "self", "super", ""];

/// A name in parts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Qualified<'a> {
    around: Vec<&'a str>,
    /// The part that is looked up.
    pub last: &'a str,
}

impl Qualified<'_> {
    /// Takes a name apart; `None` for one without parts.
    pub fn new(name: &str) -> Option<Qualified<'_>> {
        let mut around = parts(name);
        let last = around.pop().filter(|last| !last.is_empty() && !around.is_empty())?;
        while around.first().is_some_and(|first| STARTS.contains(first)) {
            around.remove(0);
        }
        Some(Qualified { around, last })
    }

    /// Returns true if the name may mean `symbol` of the file at `path`. O(both).
    pub fn fits(&self, symbol: &Symbol, path: &str) -> bool {
        let mut own = parts(&symbol.qualified_name);
        own.pop();
        if ends_with(&own, &self.around) {
            return true;
        }
        let mut place: Vec<&str> = path.split('/').collect();
        let name = place.pop().unwrap_or_default();
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let in_folder = [place.as_slice(), own.as_slice()].concat();
        if !FOLDERS_OWN.contains(&stem) {
            place.push(stem);
        }
        let in_file = [place.as_slice(), own.as_slice()].concat();
        ends_with(&in_file, &self.around) || ends_with(&in_folder, &self.around)
    }
}

fn ends_with(parts: &[&str], ending: &[&str]) -> bool {
    parts.ends_with(ending)
}

/// Returns the parts of a qualified name; what stands in brackets belongs to none.
fn parts(name: &str) -> Vec<&str> {
    let separators: &[char] = &['.', ':', '#', '\\', '/'];
    let part = |part: &str| part.find(['<', '[', '(']).unwrap_or(part.len());
    let all = name.split(separators).enumerate();
    // `::` gives an empty part between two others.
    let kept = all.filter(|(at, text)| *at == 0 || !text.is_empty());
    kept.map(|(_, text)| text[..part(text)].trim()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{self, Limits, language};

    #[track_caller]
    fn check(name: &str, path: &str, text: &str, expected: &[usize]) {
        let named = std::path::Path::new(path);
        let language = language::of_path(named).expect("a known extension");
        let symbols = lang::outline(language, path, text.as_bytes(), Limits::DEFAULT).symbols;
        let wanted = Qualified::new(name).expect("parts");
        let fits = |symbol: &Symbol| symbol.name == wanted.last && wanted.fits(symbol, path);
        let found: Vec<usize> =
            symbols.iter().filter(|symbol| fits(symbol)).map(|symbol| symbol.line).collect();
        assert_eq!(found, expected, "{name} in {path}");
    }

    #[test]
    fn parts_before_the_last_are_those_of_scopes_files_and_folders() {
        let rust = "fn add() {}\nstruct Cart<T>(T);\nimpl<T> Cart<T> {\n fn add() {}\n}\n";
        check("Cart::add", "src/cart.rs", rust, &[4]);
        check("Cart.add", "src/cart.rs", rust, &[4]);
        check("Cart<u8>::add", "src/cart.rs", rust, &[4]);
        check("cart::add", "src/cart.rs", rust, &[1]);
        check("crate::cart::Cart::add", "src/cart.rs", rust, &[4]);
        check("crate::add", "src/lib.rs", rust, &[1, 4]);
        check("shop::add", "shop/mod.rs", rust, &[1]);
        check("art::add", "src/cart.rs", rust, &[]);
        check("Basket::add", "src/cart.rs", rust, &[]);
        check("shop.cart.add", "shop/cart.py", "def add(): pass\n", &[1]);
        check("net.Dial", "lib/net/dial.go", "package net\nfunc Dial() {}\n", &[2]);
    }

    #[test]
    fn names_without_parts_are_none() {
        assert_eq!(Qualified::new("add"), None);
        assert_eq!((Qualified::new(""), Qualified::new("::")), (None, None));
        assert_eq!(Qualified::new("a.").map(|name| name.last), None);
    }
}
