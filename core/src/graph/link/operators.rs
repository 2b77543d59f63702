//! Results of Rust's operators, which are calls of methods of the library's traits in a chain: `(a & b).name()`
//! has the receiver `a.bitand()`.

use super::value::{Candidate, Choice, VALUES_MAX, Value};
use super::walk::Walk;
use crate::graph::weights;

/// The methods of operators, sorted.
const METHODS: [&str; 12] =
    ["add", "bitand", "bitor", "bitxor", "div", "mul", "neg", "not", "rem", "shl", "shr", "sub"];

impl Walk<'_> {
    /// Returns the values that an operator's method `name` returns, of which `members` are known: one of
    /// the operand's type, if nothing shows another one. `None` for other methods.
    pub(super) fn operated(
        &self,
        operand: &Candidate,
        name: &str,
        members: &[Candidate],
        depth: usize,
    ) -> Option<Vec<Candidate>> {
        METHODS.binary_search(&name).ok()?;
        let origin = self.origin.get().and_then(|origin| self.facts(origin.file))?;
        if !origin.dialect.has_extension_traits {
            return None;
        }
        let operand = match operand.value {
            Value::Name(_) => self.load(operand, depth + 1).into_iter().next()?,
            _ => operand.clone(),
        };
        let of_type = |value: &Candidate| match &value.value {
            Value::Instance(of, _) => Some(*of),
            _ => None,
        };
        let results = members.iter().flat_map(|member| self.call(member, depth));
        let mut found: Vec<Candidate> = results.take(VALUES_MAX).collect();
        found.retain(|it| of_type(it).is_some() || matches!(it.value, Value::Foreign(_)));
        let own = of_type(&operand);
        if found.is_empty() {
            let is_value = own.is_some() || matches!(operand.value, Value::Foreign(_));
            return is_value.then(|| vec![operand.then(operand.value.clone(), weights::STEP)]);
        }
        // The other operand may select another implementation.
        let first = of_type(&found[0]);
        let is_open = found.iter().any(|it| of_type(it) != first);
        if is_open {
            // Mostly, both operands and the result have one type.
            found.sort_by_key(|it| own.is_none() || of_type(it) != own);
            found.iter_mut().for_each(|it| it.choice = Choice::Open);
        }
        Some(found)
    }
}
