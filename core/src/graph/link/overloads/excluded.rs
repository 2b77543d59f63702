//! Overloads of a type of Java none of which accepts the types of the arguments: that of a base may.

use super::overload::score;
use super::{Form, Shape};
use crate::graph::link::result::{Link, Use};
use crate::graph::link::value::Candidate;
use crate::graph::link::walk::Walk;

impl Walk<'_> {
    /// Returns true if none of `own` accepts the types of the arguments of a call of Java, as far as these are
    /// known, and one of `others` may.
    pub(in crate::graph::link) fn are_excluded(
        &self,
        used: Use<'_>,
        own: &[Candidate],
        others: &[Candidate],
    ) -> bool {
        !others.is_empty()
            && self.accept_types(used, own) == Some(false)
            && self.accept_types(used, others) == Some(true)
    }

    /// Returns true if one of the candidates may accept the types of the arguments; `None` if that is not known.
    fn accept_types(&self, used: Use<'_>, candidates: &[Candidate]) -> Option<bool> {
        let place = self.origin.get()?;
        let facts = self.facts(place.file).filter(|it| it.dialect.has_java_types())?;
        let kind = facts.dialect.overloads?;
        let rules = kind.rules();
        if used.arguments.is_none_or(|count| count == 0) {
            return None;
        }
        let links: Vec<Link> = candidates.iter().filter_map(Candidate::link).collect();
        let accepting = self.accepting(used, &links);
        let overloads = self.overloads(kind, used, &accepting, &links);
        let text = self.code.text(place.file).filter(|_| !overloads.is_empty())?;
        let (given, labels) = self.arguments_of(rules, used, &text)?;
        let forms: Vec<Form> =
            given.iter().map(|it| self.form(rules, &facts, place, &text, it)).collect();
        let fit = |form: &Form, of: Option<&Shape>| (rules.fit)(self, place, form, of);
        Some(overloads.iter().any(|of| score(rules, &forms, &labels, of, fit) > 0))
    }
}
