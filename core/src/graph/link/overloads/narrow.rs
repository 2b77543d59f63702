//! Many overloads of one name: few of them are compared.

use super::{Form, OVERLOADS_MAX};
use crate::graph::link::result::{Link, Reason, Use};
use crate::graph::link::signature::{Shape, Signature};
use crate::graph::link::value::Place;
use crate::graph::link::walk::Walk;
use crate::graph::weights;
use crate::lang::facts::Role;

impl Walk<'_> {
    /// Reduces the overloads of a call to as many as are compared: to those that accept the number of
    /// arguments, and of these to those whose parameters have the types of the arguments as they are
    /// written. If more remain, or none, nothing selects one of them.
    pub(in crate::graph::link) fn narrow_overloads(
        &self,
        place: Place,
        used: Use<'_>,
        links: &mut Vec<Link>,
    ) {
        let kind = self.facts(place.file).and_then(|facts| facts.dialect.overloads);
        let Some(kind) = kind.filter(|_| links.len() > OVERLOADS_MAX && used.role == Role::Call)
        else {
            return;
        };
        let mut accepting = self.accepting(used, links).into_iter();
        links.retain(|_| accepting.next().unwrap_or_default());
        if links.len() <= OVERLOADS_MAX {
            return;
        }
        let rules = kind.rules();
        let forms = || {
            let (facts, text) = (self.facts(place.file)?, self.code.text(place.file)?);
            let (given, names) = self.arguments_of(rules, used, &text)?;
            let is_named = names.iter().any(Option::is_some);
            let form = |it| self.form(rules, &facts, place, &text, it);
            (!is_named).then(|| given.iter().map(form).collect::<Vec<_>>())
        };
        let forms = forms().unwrap_or_default();
        let exact = |link: &Link| {
            let (facts, at) = self.symbol(link.to)?;
            let symbol = &facts.symbols[at];
            let signature = self.overload_signature(kind, &facts, link.to, symbol)?;
            is_exact(&forms, &signature).then_some(*link)
        };
        let exact: Vec<Link> = links.iter().filter_map(exact).take(OVERLOADS_MAX + 1).collect();
        if !forms.is_empty() && !exact.is_empty() && exact.len() <= OVERLOADS_MAX {
            *links = exact;
            return;
        }
        links.truncate(OVERLOADS_MAX);
        for link in links {
            (link.confidence, link.reason) =
                (link.confidence.min(weights::MANY), Reason::Ambiguous);
        }
    }
}

/// Returns true if all parameters have the types of their arguments, as far as these are known.
fn is_exact(forms: &[Form], signature: &Signature) -> bool {
    forms
        .iter()
        .zip(&signature.types)
        .all(|(form, of)| of.as_ref().is_none_or(|of| is_of(form, of)))
}

fn is_of(form: &Form, of: &Shape) -> bool {
    let name = of.base.to_lowercase();
    match form {
        Form::Typed(given) => given.base == of.base && given.is_pointer == of.is_pointer,
        Form::Text => name.contains("str") || of.is_pointer && name.contains("char"),
        Form::Character => name.starts_with("char"),
        Form::Integer => name.starts_with("int"),
        Form::Float => matches!(name.as_str(), "double" | "float"),
        Form::Boolean => name.starts_with("bool"),
        _ => true,
    }
}
