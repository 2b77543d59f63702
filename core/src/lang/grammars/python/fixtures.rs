//! pytest's fixtures: a test or fixture names others as its parameters, and gets their values.

use bstr::ByteSlice;
use tree_sitter::Node;

use crate::lang::facts::Chain;
use crate::lang::node::NodeNames;
use crate::lang::visit::Visit;

use super::chain::text;

/// How many levels above a node a function is looked for.
const LEVELS_MAX: usize = 64;

/// A function whose parameters are fixtures, with its decorators.
pub(super) struct Requests<'t> {
    decorators: Vec<Node<'t>>,
}

/// Returns the visited function if its parameters are fixtures: a test, or a fixture itself.
pub(super) fn requests<'t>(visit: &Visit<'_, 't>) -> Option<Requests<'t>> {
    let decorators = decorators(visit, 0);
    let name = visit.field(visit.node(), "name")?;
    let is_requesting =
        name.starts_with("test") || decorators.iter().any(|it| is_fixture(visit, *it));
    is_requesting.then_some(Requests { decorators })
}

impl Requests<'_> {
    /// Returns the chain of a parameter without annotation, unless a decorator sets it
    /// (`parametrize`, `mock.patch`).
    pub(super) fn value(&self, visit: &Visit<'_, '_>, parameter: Node<'_>) -> Option<Chain> {
        let name = text(visit, parameter).filter(|_| parameter.kind_name() == "identifier")?;
        let sets = |decorator: &Node<'_>| {
            let text = &visit.text[decorator.byte_range()];
            text.contains_str("patch")
                || text.contains_str("parametrize") && text.contains_str(name)
        };
        (!self.decorators.iter().any(sets)).then(|| Chain::fixture(name))
    }
}

/// Returns true if the function around the visited node is a fixture.
pub(super) fn is_in_fixture(visit: &Visit<'_, '_>) -> bool {
    let level = (0..LEVELS_MAX).find(|level| visit.ancestor_kind(*level) == "function_definition");
    level.is_some_and(|level| decorators(visit, level).iter().any(|it| is_fixture(visit, *it)))
}

fn is_fixture(visit: &Visit<'_, '_>, decorator: Node<'_>) -> bool {
    let text = visit.text[decorator.byte_range()].trim_start_with(|c| c == '@' || c == ' ');
    let name = text.split(|&byte| byte == b'(').next().unwrap_or_default();
    name.trim_ascii().ends_with(b"fixture")
}

fn decorators<'t>(visit: &Visit<'_, 't>, level: usize) -> Vec<Node<'t>> {
    let decorated = visit.ancestor(level + 1);
    let Some(decorated) = decorated.filter(|it| it.kind_name() == "decorated_definition") else {
        return Vec::new();
    };
    let mut cursor = decorated.walk();
    decorated.children(&mut cursor).take_while(|it| it.kind_name() == "decorator").collect()
}
