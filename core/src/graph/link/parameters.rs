//! Signatures: the number of arguments of a function, and the types of its parameters.

use super::dialect::{ArgumentRules, Parameter, Surplus};
use crate::lang::chain::{Chain, Step};
use crate::lang::split;
use crate::lang::symbols::SymbolKind;

/// The most brackets around a written type, and the most `[]` after it, that are followed.
pub(super) const NESTING_MAX: usize = 16;

/// The most types of a union that are followed.
const ALTERNATIVES_MAX: usize = 4;

/// The least and the greatest number of arguments; 255 as the greatest number means that there is
/// no bound.
pub(super) type Arity = (u8, u8);

/// Returns how many arguments a call of a function has; `None` if its signature has no parameter
/// list, or if the language does not count them. O(bytes of the signature).
pub(super) fn arity(
    rules: Option<&ArgumentRules>,
    kind: SymbolKind,
    name: &str,
    signature: &str,
) -> Option<Arity> {
    let rules = rules.filter(|_| kind.is_callable())?;
    let list = list(name, signature)?;
    if rules.is_empty_list_open && list.trim().is_empty() {
        return None;
    }
    let (mut least, mut most) = (0_u8, 0_u8);
    for part in own(list) {
        let parameter = (rules.classify)(part);
        least = least.saturating_add(u8::from(parameter == Parameter::Required));
        most = match parameter {
            Parameter::Many => u8::MAX,
            Parameter::Block => most,
            Parameter::Required | Parameter::Optional => most.saturating_add(1),
        };
    }
    if rules.passes_instance && has_own(list) {
        most = most.saturating_add(1);
    }
    if rules.spreads_results {
        least = least.min(1);
    }
    most = match rules.surplus {
        Surplus::Forbidden => most,
        Surplus::KeywordsOrBlock if most == 0 => 1,
        Surplus::Allowed | Surplus::KeywordsOrBlock => u8::MAX,
    };
    Some((least, most))
}

/// Returns the parameters of a function as they are written, without the instance of a method;
/// `None` if the signature has no parameter list.
pub(super) fn parameters<'s>(name: &str, signature: &'s str) -> Option<Vec<&'s str>> {
    Some(own(list(name, signature)?))
}

/// Returns the parameters in a signature as they are written, with those that stand for the instance.
pub(super) fn written_parameters<'s>(name: &str, signature: &'s str) -> Vec<&'s str> {
    list(name, signature).map(|list| split(list, b',')).unwrap_or_default()
}

/// Returns the number of type parameters after the name of a type.
pub(super) fn type_parameters(name: &str, signature: &str) -> usize {
    let Some(at) = signature.find(name) else { return 0 };
    arguments(signature[at + name.len()..].trim_start())
}

/// Returns the number of arguments in the angle brackets that `text` begins with.
pub(super) fn arguments(text: &str) -> usize {
    if !text.starts_with('<') {
        return 0;
    }
    let (mut level, mut count) = (0_usize, 1);
    for byte in text.bytes() {
        match byte {
            b'<' => level += 1,
            b'>' => level = level.saturating_sub(1),
            b',' if level == 1 => count += 1,
            _ => {}
        }
        if level == 0 {
            break;
        }
    }
    count
}

/// Returns the type of a first parameter `this Type name`, without the path before its name, and
/// the number of its arguments.
pub(super) fn extended<'s>(name: &str, signature: &'s str) -> Option<(&'s str, usize)> {
    // The list may be cut off at its end.
    let at = signature.find("this ")?;
    let before = signature[..at].trim_end();
    if !before.contains(name) || !before.ends_with(['(', ']']) {
        return None;
    }
    let mut of = &signature[at + "this ".len()..];
    for word in ["scoped ", "ref ", "readonly ", "in "] {
        of = of.trim_start().strip_prefix(word).unwrap_or(of);
    }
    let of = of.trim_start();
    let end = of.find(|c: char| !(c.is_alphanumeric() || "_.".contains(c))).unwrap_or(of.len());
    let is_array = of[end..].starts_with('[');
    let path = &of[..end];
    let last = path.rsplit('.').next().unwrap_or(path);
    Some(if is_array { ("slice", 1) } else { (last, arguments(&of[end..])) })
}

/// Returns the parameters in a list, without the instance of a method.
fn own(list: &str) -> Vec<&str> {
    let mut kept: Vec<&str> = Vec::new();
    for part in unquoted_parts(list).into_iter().map(str::trim) {
        let is_own = is_own(part, kept.is_empty());
        if !(part.is_empty() || part == "void" || part == "/" || part == "*" || is_own) {
            kept.push(part);
        }
    }
    kept
}

/// Splits a list at commas outside of brackets and strings: a default value may be `","`.
fn unquoted_parts(list: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = Vec::new();
    let (mut start, mut end) = (0, 0);
    for part in split(list, b',') {
        end += part.len();
        let whole = &list[start..end];
        end += 1;
        if whole.matches('"').count().is_multiple_of(2) {
            parts.push(whole);
            start = end;
        }
    }
    if start < list.len() {
        parts.push(&list[start..]);
    }
    parts
}

/// Returns true if the first parameter is the instance of a method.
fn has_own(list: &str) -> bool {
    split(list, b',').first().is_some_and(|part| is_own(part.trim(), true))
}

fn is_own(part: &str, is_first: bool) -> bool {
    // A macro of Rust receives `self` as a variable.
    let plain = part.contains("$self").then(|| part.replace("$self", "self"));
    let part = plain.as_deref().unwrap_or(part);
    let word = part.trim_start_matches('&').split([':', ' ', '=']).next().unwrap_or(part);
    matches!(part, "self" | "cls" | "&self" | "&mut self" | "mut self")
        || (matches!(word, "self" | "cls" | "this") || part.ends_with(" self")) && is_first
}

/// Returns the text in the parentheses after a function's name and its type parameters.
fn list<'s>(name: &str, signature: &'s str) -> Option<&'s str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let ends_as_word = name.ends_with(is_word);
    let ends = signature.match_indices(name).map(|(at, _)| (at, at + name.len()));
    let mut whole = ends.filter(|&(start, end)| {
        let take_step = ends_as_word && signature[end..].starts_with(is_word);
        !signature[..start].ends_with(is_word) && !take_step
    });
    let first = whole.clone().next()?.1;
    let open = whole.find_map(|(_, end)| {
        let after = without_type_parameters(&signature[end..]);
        after.starts_with('(').then(|| signature.len() - after.len())
    });
    // `name = (a, b) => …`
    let open = open.or_else(|| Some(first + signature[first..].find('(')?))?;
    inside(&signature[open..])
}

/// Returns the text after the parameters of the function `name`, with which `text` begins.
pub(super) fn after_list<'s>(name: &str, text: &'s str) -> Option<&'s str> {
    let rest = without_type_parameters(text.strip_prefix(name)?);
    // `name = <T>(a: T) => …`
    let rest = rest.strip_prefix('=').map_or(rest, without_type_parameters);
    let inner = inside(rest).filter(|_| rest.starts_with('('))?;
    Some(rest[inner.len() + 2..].trim_start())
}

/// Returns the text after the type parameters that `text` begins with, if any.
fn without_type_parameters(text: &str) -> &str {
    let text = text.trim_start();
    if !text.starts_with(['<', '[']) {
        return text;
    }
    let bytes = text.as_bytes();
    let mut level = 0_usize;
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            // The `>` of an arrow closes nothing.
            b'>' if at > 0 && matches!(bytes[at - 1], b'=' | b'-') => {}
            b'<' | b'[' | b'(' | b'{' => level += 1,
            b'>' | b']' | b')' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
        if level == 0 {
            return text.get(at + 1..).unwrap_or_default().trim_start();
        }
    }
    text
}

/// Returns the parameters of a function type as it is written, `(a: A) => R`, possibly in
/// parentheses or in a union; `None` for other types.
pub(super) fn of_function_type(written: &str) -> Option<Vec<&str>> {
    of_nested_function_type(written, NESTING_MAX)
}

fn of_nested_function_type(written: &str, left: usize) -> Option<Vec<&str>> {
    for part in split(written, b'|').into_iter().map(str::trim) {
        // Type parameters precede them.
        let part = match part.strip_prefix('<') {
            Some(_) => part.get(part.find('(')?..)?,
            None => part,
        };
        let Some(inner) = part.starts_with('(').then(|| inside(part)).flatten() else { continue };
        let after = part[inner.len() + 2..].trim_start();
        if after.starts_with("=>") {
            let parts = split(inner, b',').into_iter().map(str::trim);
            let is_own = |part: &&str| !part.is_empty() && !part.starts_with("this:");
            return Some(parts.filter(is_own).collect());
        }
        if after.is_empty()
            && let Some(left) = left.checked_sub(1)
            && let Some(found) = of_nested_function_type(inner, left)
        {
            return Some(found);
        }
    }
    None
}

/// Returns the type of `this` that the function type `(this: A, b: B) => R` of TypeScript declares.
pub(super) fn this_of_function(written: &str) -> Option<&str> {
    split(written, b'|').into_iter().take(ALTERNATIVES_MAX).find_map(|part| {
        let list = without_type_parameters(part.trim());
        list.starts_with('(').then(|| this_of_list(inside(list)?)).flatten()
    })
}

/// Returns the type of `this` that the function `name` of TypeScript declares.
pub(super) fn this_of_signature<'s>(name: &str, signature: &'s str) -> Option<&'s str> {
    this_of_list(list(name, signature)?)
}

/// Returns the type for which a function of TypeScript tests its argument, from the text after its name:
/// `A` of `(a: any): a is A {`, `: (a: any) => asserts a is A`.
pub(super) fn tested_type(text: &str) -> Option<&str> {
    let text = text.trim_start().trim_start_matches(['?', '!', ':', '=']);
    let rest = without_type_parameters(text);
    let list = rest.starts_with('(').then(|| inside(rest)).flatten()?;
    let after = rest[list.len() + 2..].trim_start();
    let after = after.strip_prefix(':').or_else(|| after.strip_prefix("=>"))?.trim_start();
    let after = after.strip_prefix("asserts ").unwrap_or(after).trim_start();
    let end = after.find(|c: char| !(c.is_alphanumeric() || "_$".contains(c)))?;
    let of = after[end..].trim_start().strip_prefix("is ")?;
    let (mut level, mut last) = (0_usize, of.len());
    for (at, byte) in of.bytes().enumerate() {
        match byte {
            b'{' | b'=' | b';' | b'\n' | b',' if level == 0 => {
                last = at;
                break;
            }
            b'<' | b'(' | b'[' | b'{' => level += 1,
            b'>' | b')' | b']' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
    }
    Some(of[..last].trim()).filter(|of| !of.is_empty())
}

fn this_of_list(list: &str) -> Option<&str> {
    let first = split(list, b',').first()?.trim();
    let of = first.strip_prefix("this")?.trim_start().strip_prefix(':')?;
    Some(of.trim())
}

/// Returns the target of a type alias, from its text `type Name<A = B> = Target`.
pub(super) fn alias_target<'s>(name: &str, text: &'s str) -> Option<&'s str> {
    let word = format!("type {name}");
    let after = &text[text.find(&word)? + word.len()..];
    let target = without_type_parameters(after).trim_start().strip_prefix('=')?;
    Some(target.trim().trim_end_matches(';'))
}

/// Returns the parameters and the result of each call signature in the text of a TypeScript
/// interface: `(a: A): R` without a name before it, or after `new`. `text` begins with the interface `name`. O(bytes).
pub(super) fn call_signatures<'s>(name: &str, text: &'s str) -> Vec<(Vec<&'s str>, &'s str)> {
    let head = text.find(name).map_or(text, |at| without_type_parameters(&text[at + name.len()..]));
    let Some(open) = head.find('{') else { return Vec::new() };
    let body = &head[open + 1..];
    let members = members(body).into_iter();
    let signatures = members.filter_map(|member| {
        // `new (a: A): R` is called with `new`.
        let member = member.strip_prefix("new").map_or(member, str::trim_start);
        let list = without_type_parameters(member);
        let inner = list.starts_with('(').then(|| inside(list)).flatten()?;
        let result = list[inner.len() + 2..].trim_start().strip_prefix(':')?;
        Some((own(inner), result.trim()))
    });
    signatures.collect()
}

/// Returns the result of a function type as it is written: `R` of `(a: A) => R` and `new (a: A) => R`.
pub(super) fn result_of_function_type(written: &str) -> Option<&str> {
    let written = written.trim();
    let written = written.strip_prefix("abstract ").unwrap_or(written);
    let list = written.strip_prefix("new").map_or(written, str::trim_start);
    let list = without_type_parameters(list);
    let inner = list.starts_with('(').then(|| inside(list)).flatten()?;
    Some(list[inner.len() + 2..].trim_start().strip_prefix("=>")?.trim())
}

/// Splits the body of an interface into its members, without comments before them.
fn members(body: &str) -> Vec<&str> {
    let (mut found, mut start, mut level) = (Vec::new(), 0, 0_usize);
    let bytes = body.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let comment_end = match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'/')) => body[at..].find('\n'),
            (b'/', Some(b'*')) => body[at..].find("*/").map(|end| end + 2),
            _ => None,
        };
        if let Some(length) = comment_end {
            at += length;
            if level == 0 {
                start = at;
            }
            continue;
        }
        match bytes[at] {
            b'(' | b'[' | b'{' | b'<' => level += 1,
            b'>' if at > 0 && bytes[at - 1] == b'=' => {}
            b'}' if level == 0 => break,
            b')' | b']' | b'}' | b'>' => level = level.saturating_sub(1),
            b'\n' | b';' if level == 0 => {
                found.push(body[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found.push(body.get(start..at).unwrap_or_default().trim());
    found
}

/// Returns the type of the parameter `number` as it is written; of a rest parameter, that of its
/// element.
pub(super) fn type_at<'s>(parts: &[&'s str], number: usize) -> Option<&'s str> {
    let (at, part) = match parts.get(number) {
        Some(part) => (number, part),
        None => (parts.len().checked_sub(1)?, parts.last().filter(|last| last.starts_with("..."))?),
    };
    let written = written_type(part)?;
    if !part.starts_with("...") {
        return Some(written);
    }
    match written.strip_prefix('[').and_then(|tuple| tuple.strip_suffix(']')) {
        Some(tuple) => split(tuple, b',').get(number - at).map(|part| part.trim()),
        None => Some(written.strip_suffix("[]").unwrap_or(written)),
    }
}

/// Returns the receiver of the function type `Type.(A) -> B`, if it has one.
pub(super) fn receiver_of(written: &str) -> Option<&str> {
    let (before, after) = written.split_once(".(")?;
    let of = before.trim_start_matches('(').rsplit(' ').next().unwrap_or(before);
    let is_plain = |c: char| c.is_alphanumeric() || "_.<>,*?".contains(c);
    (after.contains("->") && of.chars().all(is_plain) && !of.is_empty())
        .then(|| of.trim_end_matches('?'))
}

/// Returns the parameters of the function type that Rust's `written` refers to: `impl Fn(A) -> R`,
/// or a type parameter with such a bound in `signature`.
pub(super) fn of_rust_function<'s>(written: &'s str, signature: &'s str) -> Option<Vec<&'s str>> {
    let callables = ["Fn(", "FnMut(", "FnOnce(", "fn("];
    let of = |text: &'s str| {
        let starts = callables.iter().filter_map(|start| Some(text.find(start)? + start.len() - 1));
        let parts = split(inside(&text[starts.min()?..])?, b',').into_iter().map(str::trim);
        Some(parts.filter(|part| !part.is_empty()).collect::<Vec<&str>>())
    };
    let is_plain = written.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_plain {
        return of(written);
    }
    let bounds = signature.match_indices(written).filter_map(|(at, _)| {
        let is_whole = !signature[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let bound = signature[at + written.len()..].trim_start().strip_prefix(':')?;
        (is_whole && !bound.starts_with(':')).then(|| split(bound, b',')[0])
    });
    bounds.take(8).find_map(of)
}

/// Returns the type that is written after a parameter's name, without a default.
pub(super) fn written_type(parameter: &str) -> Option<&str> {
    let (_, of) = parameter.split_once(':')?;
    let of = of.trim();
    Some(of.rfind(" = ").map_or(of, |at| of[..at].trim_end()))
}

/// Returns the chain of a value of a TypeScript type; of a union, of one of the alternatives that are not
/// `undefined`, `null` or `void`.
pub(super) fn chain_of_type(written: &str) -> Option<Chain> {
    let is_literal =
        |part: &&str| part.starts_with(['"', '\'', '`']) || part.starts_with(char::is_numeric);
    let is_something = |part: &&str| {
        !part.is_empty()
            && !is_literal(part)
            && !matches!(*part, "undefined" | "null" | "void" | "never")
    };
    let parts: Vec<&str> =
        split(written, b'|').into_iter().map(str::trim).filter(is_something).collect();
    match parts[..] {
        [only] => chain_of_nested_type(only, NESTING_MAX),
        [_, _, ..] if parts.len() <= ALTERNATIVES_MAX => {
            Chain::of_alternatives(parts.iter().map(|part| chain_of_nested_type(part, NESTING_MAX)))
        }
        _ => chain_of_nested_type(written, NESTING_MAX),
    }
}

fn chain_of_nested_type(written: &str, left: usize) -> Option<Chain> {
    let is_something =
        |part: &&str| !part.is_empty() && !matches!(*part, "undefined" | "null" | "void");
    let mut part = split(written, b'|').into_iter().map(str::trim).find(is_something)?;
    let all: Vec<&str> = split(part, b'&')
        .into_iter()
        .map(str::trim)
        .filter(is_something)
        .take(ALTERNATIVES_MAX)
        .collect();
    if all.len() > 1 {
        let left = left.checked_sub(1)?;
        return Chain::all_of(all.into_iter().map(|part| chain_of_nested_type(part, left)));
    }
    part = all.first().copied()?;
    part = part.trim_start_matches("readonly ").trim();
    if part == "this" {
        return Some(Chain::own());
    }
    if let Some(element) = part.strip_suffix("[]") {
        let element = chain_of_nested_type(element, left.checked_sub(1)?)?;
        if element == Chain::own() {
            return Some(Chain::instance("Array<this>"));
        }
        return Some(Chain::instance(&format!("Array<{}>", element.named_type().text())));
    }
    if let Some((of, key)) = part.strip_suffix(']').and_then(|part| part.rsplit_once('[')) {
        // `Map["name"]`
        let key = key.trim_matches(['"', '\'']);
        let is_key = key.len() + 2 == part.len() - of.len() - 2 && !key.is_empty();
        let is_key = is_key && key.chars().all(|c| c.is_alphanumeric() || "_$".contains(c));
        let of = chain_of_nested_type(of, left.checked_sub(1)?).filter(|_| is_key)?;
        return Some(of.then(Step::Member(key)));
    }
    let end = part.find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c)));
    let is_named = part.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_plain = end.is_none_or(|end| part[end..].starts_with('<') && part.ends_with('>'));
    let text = || part.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    (is_named && is_plain).then(|| Chain::instance(&text()))
}

/// Returns the text in the parentheses that `text` begins with.
pub(super) fn inside(text: &str) -> Option<&str> {
    let mut level = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => level += 1,
            b')' => level = level.saturating_sub(1),
            _ => {}
        }
        if level == 0 {
            return text.get(1..at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::link::dialect;
    use crate::lang::language::LANGUAGES;

    #[track_caller]
    fn check(language: &str, name: &str, signature: &str, expected: Option<Arity>) {
        let language = LANGUAGES.iter().find(|of| of.name == language).expect("a language");
        let rules = dialect::of(language).arguments.as_ref();
        assert_eq!(arity(rules, SymbolKind::Method, name, signature), expected, "{signature}");
    }

    /// Legal calls were ranked below others, or not guessed, because their arguments were counted
    /// wrong.
    #[test]
    fn legal_calls_fit() {
        let any = u8::MAX;
        check("javascript", "render", "render(a, opts)", None);
        check("typescript", "render", "render(a: A, opts?: B, ...c)", Some((1, any)));
        check("typescript", "run", "run<T extends (a: A, b: B) => void>(of: T)", Some((1, 1)));
        check("ruby", "deliver", "def deliver(a, opt: 1)", Some((1, any)));
        check("ruby", "each_thing", "def each_thing(&block)", Some((0, 1)));
        check("ruby", "plain", "def plain(a, b = 1)", Some((1, any)));
        check("kotlin", "writeMany", "fun writeMany(vararg xs: Int)", Some((0, any)));
        check("csharp", "WriteMany", "public void WriteMany(params object[] xs)", Some((0, any)));
        check("go", "Join", "func (s *S) Join(a int, rest ...T) error", Some((1, any)));
        check(
            "go",
            "Map",
            "func Map[T interface{ M(a, b int) }](of T, by func(T) T)",
            Some((1, 2)),
        );
        check("rust", "visit", "pub fn visit<F: FnMut(u8, u8)>(&self, f: F)", Some((1, 2)));
        check(
            "rust",
            "f",
            "fn f<F: Fn(u8) -> u8>(f: F, g: impl Iterator<Item = u8>)",
            Some((2, 2)),
        );
        check("rust", "run", "fn run(self: Box<Self>, at: u8)", Some((1, 2)));
        check("rust", "set", "pub fn set(&mut $self, $other: Self)", Some((1, 2)));
        check("python", "add", "def add(self, item, *, at=None, **rest)", Some((1, any)));
        check("php", "add", "function add($a, $b = 1)", Some((1, any)));
        check("dart", "add", "void add(int a, {int b, required int c})", Some((1, any)));
        check("c", "old", "int old()", None);
        check("c", "none", "int none(void)", Some((0, 0)));
        check("cpp", "get", "void Target::get(int a, std::pair<int, int> b = {})", Some((1, 2)));
        check("cpp", "operator()", "int operator()(int a)", Some((1, 1)));
        check("elixir", "add", "def add(a, b)", None);
        check("java", "of", "static List of(A a, B b…", None);
    }
}
