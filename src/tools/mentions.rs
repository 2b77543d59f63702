//! Mentions of tools in hints, notices and descriptions.
//!
//! A server offers a subset of the tools, and an agent that follows a hint to another one fails.
//! Therefore hints and notices mention a tool as `{tool:word}`, which [`render`] replaces by its
//! name; a clause that mentions a tool that is not offered is left out. Descriptions list the tools
//! that they recommend in [`super::Define::SEE_ALSO`].

use std::fmt::Write as _;

/// The start and the end of a mention.
const START: &str = "{tool:";
const END: char = '}';

/// The separator of clauses.
const SEPARATOR: &str = "; ";

/// Replaces the mentions in a sentence by the names of the tools behind `prefix`. Clauses are separated by `; `; a
/// clause that mentions a tool that is not offered is left out. Returns `None` if no clause
/// remains.
pub(super) fn render(
    sentence: &str,
    is_offered: &dyn Fn(&str) -> bool,
    prefix: &str,
) -> Option<String> {
    let clauses =
        sentence.split(SEPARATOR).filter_map(|clause| render_clause(clause, is_offered, prefix));
    let clauses: Vec<String> = clauses.collect();
    (!clauses.is_empty()).then(|| clauses.join(SEPARATOR))
}

fn render_clause(clause: &str, is_offered: &dyn Fn(&str) -> bool, prefix: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = clause;
    while let Some((before, after)) = rest.split_once(START) {
        let (name, after) = after.split_once(END)?;
        if !is_offered(name) {
            return None;
        }
        let _ = write!(out, "{before}`{prefix}{name}`");
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}

/// Returns the recommendation of those tools that are offered: "Use `a` for x, `b` for y."
pub(super) fn recommend(
    see_also: &[(&str, &str)],
    is_offered: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let offered = see_also.iter().filter(|(name, _)| is_offered(name));
    let parts: Vec<String> = offered.map(|(name, purpose)| format!("`{name}` {purpose}")).collect();
    (!parts.is_empty()).then(|| format!("Use {}.", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tools_that_are_offered_are_mentioned() {
        let is_offered = |name: &str| name != "word";
        let prefixed = render("use {tool:find}", &is_offered, "fleet ");
        assert_eq!(prefixed.as_deref(), Some("use `fleet find`"));
        let render = |sentence: &str| render(sentence, &is_offered, "");
        assert_eq!(render("no mention").as_deref(), Some("no mention"));
        assert_eq!(render("{tool:find} and {tool:ls} do").as_deref(), Some("`find` and `ls` do"));
        assert_eq!(render("{tool:find} or {tool:word}"), None);
        assert_eq!(render("2 left out; {tool:word} lists all").as_deref(), Some("2 left out"));
        let see_also = [("word", "for words"), ("find", "for paths"), ("ls", "for one directory")];
        let expected = "Use `find` for paths, `ls` for one directory.";
        assert_eq!(recommend(&see_also, &is_offered).as_deref(), Some(expected));
        assert_eq!(recommend(&see_also[..1], &is_offered), None);
    }
}
