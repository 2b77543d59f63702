//! Qualified names as callers write them: `Type::method`, `Type.method`, `mod::f`,
//! `package.module.f`.
//!
//! The last part is looked up; the parts before it must be a suffix of the directories and the name
//! of the file followed by the scopes of the definition. So `cart::add` matches `add` of
//! `src/cart.rs`, and `net.Dial` matches `Dial` in the directory `net`.

use crate::graph::link::FileFacts;

/// Stems of files that represent their directory.
const DIRECTORY_STEMS: [&str; 6] = ["mod", "lib", "main", "index", "__init__", "init"];

/// First parts that anchor a path and are not names.
const ANCHORS: [&str; 4] = ["crate", "self", "super", ""];

/// The separators of parts.
const SEPARATORS: &[char] = &['.', ':', '#', '\\', '/'];

/// A name, split into parts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Qualified<'a> {
    around: Vec<&'a str>,
    /// The part that is looked up.
    pub last: &'a str,
}

impl<'a> Qualified<'a> {
    /// Splits a name; `None` if it has a single part and no brackets.
    pub fn new(name: &'a str) -> Option<Qualified<'a>> {
        let mut around = parts(name);
        let last = around.pop().filter(|last| !last.is_empty())?;
        if around.is_empty() && last == name {
            return None;
        }
        while around.first().is_some_and(|first| ANCHORS.contains(first)) {
            around.remove(0);
        }
        Some(Qualified { around, last })
    }

    /// Returns true if the name matches the symbol at an index of a file. O(both names).
    pub fn fits(&self, facts: &FileFacts, place: usize) -> bool {
        let Some(symbol) = facts.symbols.get(place) else { return false };
        let mut own = parts(&symbol.qualified_name);
        own.pop();
        if own.is_empty() {
            // A method that is defined outside of its type has an owner.
            own.extend(facts.owner(place));
        }
        if own.ends_with(&self.around) {
            return true;
        }
        let mut path: Vec<&str> = facts.path.split('/').collect();
        let name = path.pop().unwrap_or_default();
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        let in_folder = [path.as_slice(), own.as_slice()].concat();
        if !DIRECTORY_STEMS.contains(&stem) {
            path.push(stem);
        }
        let in_file = [path.as_slice(), own.as_slice()].concat();
        in_file.ends_with(&self.around) || in_folder.ends_with(&self.around)
    }
}

/// Returns the parts of a qualified name, without text in brackets; those of `operator[]` and
/// `operator()` are the name.
fn parts(name: &str) -> Vec<&str> {
    if let Some((around, operator)) = operator(name) {
        let mut found = parts(around);
        found.push(operator);
        return found;
    }
    if name.ends_with("operator[]") || name.ends_with("operator()") {
        return parts_as_written(name);
    }
    let (mut found, mut start, mut end, mut depth) = (Vec::new(), 0, None, 0_usize);
    for (at, c) in name.char_indices() {
        match c {
            '<' | '[' | '(' => {
                end = end.or(Some(at));
                depth += 1;
            }
            '>' | ']' | ')' if depth == 0 => return parts_as_written(name),
            '>' | ']' | ')' => depth -= 1,
            // `Type.#member`: the private names of JavaScript begin with the mark; names of Kotlin's tests
            // contain it: `Type.issue #131`.
            '#' if depth == 0 && name[..at].ends_with(['.', ' ']) => {}
            // The selectors of Objective-C end with a colon: `Type.put:at:`.
            ':' if depth == 0
                && name.ends_with(':')
                && !name[at + 1..].starts_with(':')
                && !name[..at].ends_with(':') => {}
            c if depth == 0 && SEPARATORS.contains(&c) => {
                found.push(&name[start..end.unwrap_or(at)]);
                (start, end) = (at + 1, None);
            }
            _ => {}
        }
    }
    if depth > 0 {
        return parts_as_written(name);
    }
    found.push(&name[start..end.unwrap_or(name.len())]);
    without_empty(found)
}

/// Splits a qualified name of an operator, such as `Grid#[]=`, `Grid.<=>` or `Grid::+`.
fn operator(name: &str) -> Option<(&str, &str)> {
    let around = name.trim_end_matches(|c| "[]<>=!~+-*/%&|^@`".contains(c));
    let operator = &name[around.len()..];
    let around = around.strip_suffix("::").or_else(|| around.strip_suffix(['#', '.']))?;
    (!operator.is_empty() && !around.is_empty()).then_some((around, operator))
}

/// Returns the parts of a name in which `<` or `>` is not a bracket, such as `Cart::operator<`.
fn parts_as_written(name: &str) -> Vec<&str> {
    without_empty(name.split(SEPARATORS).collect())
}

/// Removes the empty parts between the two colons of `::`.
fn without_empty(parts: Vec<&str>) -> Vec<&str> {
    let kept = parts.into_iter().enumerate().filter(|(at, part)| *at == 0 || !part.is_empty());
    kept.map(|(_, part)| part.trim()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{self, Limits, language};

    #[track_caller]
    fn check(name: &str, path: &str, text: &str, expected: &[usize]) {
        let named = std::path::Path::new(path);
        let language = language::of_path(named).expect("a known extension");
        let facts = lang::facts(language, path, text.as_bytes(), Limits::DEFAULT);
        let facts = FileFacts::new(path.to_owned(), language, facts);
        let wanted = Qualified::new(name).expect("parts");
        let fits = |at: &usize| facts.symbols[*at].name == wanted.last && wanted.fits(&facts, *at);
        let found: Vec<usize> =
            (0..facts.symbols.len()).filter(fits).map(|at| facts.symbols[at].line).collect();
        assert_eq!(found, expected, "{name} in {path}");
    }

    #[test]
    fn leading_parts_match_scopes_files_and_directories() {
        let rust = "fn add() {}\nstruct Cart<T>(T);\nimpl<T> Cart<T> {\n fn add() {}\n}\n";
        check("Cart::add", "src/cart.rs", rust, &[4]);
        check("Cart.add", "src/cart.rs", rust, &[4]);
        check("Cart<u8>::add", "src/cart.rs", rust, &[4]);
        check("Cart<std::string::String>::add", "src/cart.rs", rust, &[4]);
        check("Cart<u8>", "src/cart.rs", rust, &[2]);
        check("cart::add", "src/cart.rs", rust, &[1]);
        check("crate::cart::Cart::add", "src/cart.rs", rust, &[4]);
        check("crate::add", "src/lib.rs", rust, &[1, 4]);
        check("shop::add", "shop/mod.rs", rust, &[1]);
        check("art::add", "src/cart.rs", rust, &[]);
        check("Basket::add", "src/cart.rs", rust, &[]);
        check("shop.cart.add", "shop/cart.py", "def add(): pass\n", &[1]);
        check("A.#go", "a.ts", "class A {\n  #go() {}\n  go() {}\n}\n", &[2]);
        check("A#go", "a.ts", "class A {\n  #go() {}\n  go() {}\n}\n", &[3]);
        let operators = "class A\n def [](x); end\n def []=(x, y); end\n def <=>(x); end\n def /(x); \
                         end\nend\n";
        for (name, line) in [("A#[]", 2), ("A.[]=", 3), ("A#<=>", 4), ("A#/", 5)] {
            check(name, "a.rb", operators, &[line]);
        }
        check("A.issue #1", "a.kt", "class A {\n  fun `issue #1`() {}\n}\n", &[2]);
        let messages = "@implementation A\n- (void)put:(int)x at:(int)y {}\n@end\n";
        check("A.put:at:", "a.m", messages, &[2]);
        check("net.Dial", "lib/net/dial.go", "package net\nfunc Dial() {}\n", &[2]);
    }

    #[test]
    fn names_without_parts_are_none() {
        assert_eq!(Qualified::new("add"), None);
        assert_eq!((Qualified::new(""), Qualified::new("::")), (None, None));
        assert_eq!(Qualified::new("a.").map(|name| name.last), Some("a"));
        for name in ["operator<", "operator[]", "operator()"] {
            let qualified = format!("Cart::{name}");
            assert_eq!(Qualified::new(&qualified).map(|name| name.last), Some(name));
            assert_eq!(Qualified::new(name), None);
        }
    }
}
