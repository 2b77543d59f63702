//! Lambdas of C#, Kotlin and Swift: the number of their parameters, and in C# what they return.

use super::{FUNCTION, Form, plain};
use crate::graph::link::overloads::last_open;
use crate::graph::link::position::SymbolAt;
use crate::graph::link::result::Use;
use crate::graph::link::signature::{CALLED, Shape, TASK, VALUE, VOID};
use crate::graph::link::value::{Place, Value};
use crate::graph::link::walk::Walk;
use crate::lang::split;

/// Returns the function of `x => …`, `async (x, y) => …` or `delegate { … }`, in a text whose strings
/// are blank.
pub(super) fn csharp_lambda(text: &str) -> Option<Form> {
    let text = text.strip_prefix("static ").unwrap_or(text);
    let (text, is_async) = match text.strip_prefix("async ") {
        Some(text) => (text.trim_start(), true),
        None => (text, false),
    };
    if text.starts_with("delegate") {
        return Some(Form::Lambda);
    }
    let (before, body) = text.split_once("=>")?;
    let before = before.trim();
    let list = before.strip_prefix('(').and_then(|list| list.strip_suffix(')'));
    let count = match list {
        Some(list) if list.trim().is_empty() => 0,
        Some(list) => split(list, b',').len(),
        None if before.chars().all(|c| c.is_alphanumeric() || c == '_') => 1,
        None => return None,
    };
    let arguments = if is_async { TASK } else { result_of_body(body.trim()) };
    Some(Form::Typed(Shape { arguments, ..super::function(count) }))
}

/// Returns what a lambda with this body returns; 0 if it may be nothing or a value.
fn result_of_body(body: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let has_word = |word: &str| body.split(|c: char| !is_word(c)).any(|part| part == word);
    if body.starts_with('{') {
        let has_functions = body.contains("=>") || has_word("delegate");
        let has_value = body.match_indices("return").any(|(at, word)| {
            let rest = &body[at + word.len()..];
            let is_whole = !body[..at].ends_with(is_word) && !rest.starts_with(is_word);
            is_whole && !rest.trim_start().starts_with(';')
        });
        return match (has_value, has_functions) {
            (true, true) => 0,
            (true, false) => VALUE,
            (false, _) if has_word("throw") || has_word("yield") => 0,
            (false, _) => VOID,
        };
    }
    // These can be statements as well.
    let is_assignment = body.match_indices('=').any(|(at, _)| {
        let (before, after) = (&body[..at], &body[at + 1..]);
        !before.ends_with(['=', '!', '<', '>']) && !after.starts_with(['=', '>'])
    });
    let is_statement = body.ends_with(')')
        || body.ends_with("++")
        || body.ends_with("--")
        || is_assignment
        || ["await", "new", "throw", "++", "--"].iter().any(|word| body.starts_with(word));
    if is_statement { 0 } else { VALUE }
}

impl Walk<'_> {
    /// Returns what a lambda of C# whose body is a call returns, if the repository defines what it
    /// calls.
    pub(in crate::graph::link::overloads) fn result_of_lambda(
        &self,
        place: Place,
        (start, argument): &(usize, String),
    ) -> Option<usize> {
        let body = argument.find("=>")? + "=>".len();
        let open = last_open(argument).filter(|open| *open > body)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let name = start + argument[..open].trim_end_matches(is_word).len();
        let calls = self.code.calls(place.file);
        let at = calls.partition_point(|(_, call)| call.span.start < name);
        let (name, call) = calls.get(at).filter(|(_, call)| call.span.start == name)?;
        let used = Use { start: None, ..Use::new(name, call) };
        let found = self.candidates(Place { enclosing: used.enclosing, ..place }, used);
        let results: Vec<Option<usize>> = found
            .iter()
            .map(|it| match it.value {
                Value::Name(at) => self.declared_result(at),
                _ => None,
            })
            .collect();
        results.first().copied().flatten().filter(|_| results.iter().all(|of| *of == results[0]))
    }

    /// Returns what a method of C# declares to return.
    fn declared_result(&self, at: SymbolAt) -> Option<usize> {
        let (facts, place) = self.symbol(at)?;
        let symbol = facts.symbols.get(place).filter(|symbol| symbol.kind.is_callable())?;
        let signature = facts.signature(at.place, || self.code.text(at.file));
        let before = &signature[..signature.find(symbol.name.as_str())?];
        let of = before.split_whitespace().last()?;
        Some(match of {
            "void" => VOID,
            "Task" | "ValueTask" => TASK,
            of if of.starts_with("Task<") || of.starts_with("ValueTask<") => TASK,
            _ => CALLED,
        })
    }
}

/// Returns the function of a block `{ a, b -> … }` or `{ a, b in … }`.
pub(super) fn block(text: &str) -> Form {
    let inner = text[1..].trim_start();
    let head = inner.lines().next().unwrap_or_default();
    let end = [head.find(" in "), head.find("->"), head.strip_suffix(" in").map(str::len)];
    let Some(end) = end.into_iter().flatten().min() else { return Form::Lambda };
    let list = head[..end].trim();
    let list = list.strip_prefix('(').and_then(|list| list.split_once(')')).map_or(list, |of| of.0);
    let is_list = list.chars().all(|c| c.is_alphanumeric() || "_,: <>?.$[]".contains(c));
    if !is_list {
        return Form::Lambda;
    }
    Form::Typed(plain(&format!("{FUNCTION}{}", split(list, b',').len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_lambdas_are_read() {
        let result = |text: &str| match csharp_lambda(text) {
            Some(Form::Typed(of)) => of.arguments,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(result("x => x.A"), VALUE);
        assert_eq!(result("x => x.A == 1"), VALUE);
        assert_eq!(result("x => x.A = 1"), 0);
        assert_eq!(result("x => x.Run()"), 0);
        assert_eq!(result("() => { Run(); }"), VOID);
        assert_eq!(result("() => { Run(); return; }"), VOID);
        assert_eq!(result("() => { return 1; }"), VALUE);
        assert_eq!(result("() => { throw x; }"), 0);
        assert_eq!(result("() => { all.Map(x => { return 1; }); }"), 0);
        assert_eq!(result("async x => await x"), TASK);
    }
}
