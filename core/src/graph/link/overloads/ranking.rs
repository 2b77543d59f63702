//! Which overload of C++ a call selects: the rules of overload resolution, as far as the text shows
//! the types of arguments.
//!
//! An overload is selected if it is at least as good as each other one for every argument, and better
//! for one of them; of equally good ones, a function that is no template ranks before a
//! specialization, and that before a template. Where an argument of unknown type may decide, or
//! conditions of a template that are not evaluated, the others remain possible.

use super::overload::Overload;
use super::{Form, Shape, cpp, created, declared};
use crate::graph::link::binding::{Binding, has_word};
use crate::graph::link::position::SymbolAt;
use crate::graph::link::result::Link;
use crate::graph::link::value::Place;
use crate::graph::link::walk::Walk;
use crate::graph::weights;
use crate::lang::split;

/// How well a parameter fits an argument exactly.
pub(super) const EXACT: u32 = 8;

/// How well a pointer fits the number 0.
const NULL: u32 = 6;

/// More than what any number of arguments can add up to.
const STATED: u32 = 1 << 20;

/// The arguments of a call.
pub(super) struct Given<'g> {
    pub(super) forms: &'g [Form],
    pub(super) arguments: &'g [(usize, String)],
    /// The text of the function before the call.
    pub(super) before: &'g str,
}

/// How an overload compares with the best one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Standing {
    /// It is the best one or a declaration of it.
    Best,
    /// The call may refer to it as well.
    Possible,
    /// The call refers to another one.
    Worse,
}

/// How well a parameter fits an argument.
#[derive(Clone, Copy, Debug)]
struct Rank {
    /// From 0, not at all, to [`EXACT`].
    fit: u32,
    bound: Bound,
    /// The type of the argument is known.
    is_known: bool,
    /// How the type of the argument is related to that of the parameter is known.
    is_related: bool,
}

/// What an argument is besides its type.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Category {
    /// A variable, and whether it is constant, if that is known.
    Variable(Option<bool>),
    /// A temporary value.
    Temporary,
    /// The result of a function or another expression.
    Unknown,
}

/// How well a parameter binds to an argument of its type.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Bound {
    /// From 0, not at all, to 3.
    degree: u32,
    /// What the argument is determines that.
    is_known: bool,
}

impl Bound {
    /// Returns true if the parameter cannot bind to the argument.
    fn is_never(self) -> bool {
        self.is_known && self.degree == 0
    }
}

impl Walk<'_> {
    /// Returns how each overload compares with the best one. `stated` are the type arguments that the
    /// call states.
    pub(super) fn rank_overloads(
        &self,
        place: Place,
        given: &Given<'_>,
        stated: Option<String>,
        overloads: &[Overload],
        links: &[Link],
    ) -> Vec<Standing> {
        let ranks: Vec<Vec<Rank>> =
            overloads.iter().map(|of| self.ranks(place, given, of, links[of.link].to)).collect();
        let has_templates = overloads
            .iter()
            .any(|of| of.signature.is_template || of.signature.specialized.is_some());
        // A specialization that states the type arguments of the call.
        let is_stated = |of: &Overload| {
            of.signature
                .specialized
                .as_ref()
                .is_some_and(|own| !own.is_empty() && stated.as_ref() == Some(own))
        };
        let is_viable = |at: usize| {
            let of = &overloads[at];
            let fits_stated = match (&stated, &of.signature.specialized) {
                (None, None) => true,
                // A specialization is for exactly its types.
                (None, Some(_)) => ranks[at].iter().all(|it| !it.is_known || it.fit == EXACT),
                (Some(_), None) => of.signature.is_template || !has_templates,
                (Some(stated), Some(own)) => own.is_empty() || stated == own,
            };
            fits_stated
                && ranks[at].iter().all(|it| !it.is_known || it.fit > 0 && !it.bound.is_never())
        };
        let viable: Vec<bool> = (0..overloads.len()).map(is_viable).collect();
        let total = |at: usize| {
            let sum: u32 = ranks[at].iter().map(|it| 64 * it.fit + 8 * it.bound.degree).sum();
            let doubt = if overloads[at].is_constrained() { 64 } else { 0 };
            let stated = if is_stated(&overloads[at]) { STATED } else { 0 };
            stated + sum.saturating_sub(doubt) + precedence(&overloads[at])
        };
        let any = viable.contains(&true);
        let mut best = None;
        for at in (0..overloads.len()).filter(|&at| viable[at] || !any) {
            if best.is_none_or(|best| total(at) > total(best)) {
                best = Some(at);
            }
        }
        let Some(best) = best else { return vec![Standing::Best; overloads.len()] };
        let standing = |at: usize| {
            let (of, other) = (&overloads[best], &overloads[at]);
            if is_same_function(of, other) {
                Standing::Best
            } else if any && !viable[at] || is_stated(of) {
                Standing::Worse
            } else if stated.is_some()
                && of.signature.specialized.is_some() != other.signature.specialized.is_some()
            {
                // Which types a specialization is for, where it does not state them, is not read.
                Standing::Possible
            } else {
                compared((of, &ranks[best]), (other, &ranks[at]))
            }
        };
        (0..overloads.len()).map(standing).collect()
    }

    /// Returns how well each argument is fitted by its parameter.
    fn ranks(&self, place: Place, given: &Given<'_>, of: &Overload, to: SymbolAt) -> Vec<Rank> {
        // A value is converted to no type parameter of the class of a method.
        let to = Place { file: to.file, enclosing: Some(to.place as usize) };
        let is_parameter = |own: &Shape| {
            own.base.starts_with(char::is_uppercase) && self.is_template_parameter(to, &own.base)
        };
        // A type parameter of what is around the call may be the type of any other parameter.
        let is_open = |form: &Form| matches!(form, Form::Typed(of) if self.is_template_parameter(place, &of.base));
        let rank = |(at, form): (usize, &Form)| {
            let binding = of.signature.bindings.get(at).or(of.signature.bindings.last()).copied();
            let binding = binding.unwrap_or(Binding::Ellipsis);
            let own =
                of.signature.types.get(at).or(of.signature.types.last()).and_then(Option::as_ref);
            let is_zero = given.arguments.get(at).is_some_and(|(_, written)| written == "0");
            let is_other = |own: &Shape| !matches!(form, Form::Typed(of) if of.base == own.base);
            let is_open = own.is_some_and(|own| is_other(own) && is_open(form));
            let is_known = *form != Form::Unknown && !is_open;
            let fit = match own {
                _ if binding == Binding::Ellipsis => 1,
                _ if is_open => 4,
                // The number 0 converts to a pointer.
                Some(own) if own.is_pointer && is_zero => NULL,
                Some(own) => cpp::fit(self, place, form, Some(own)),
                None => free_fit(form, binding),
            };
            let category = given.category(at);
            // A conversion makes a temporary value; a base is a part of the object.
            let is_related = own.is_none() || fit != cpp::UNRELATED;
            let is_converted =
                is_known && is_related && fit < EXACT && own.is_some_and(|own| !is_parameter(own));
            let is_base = matches!((form, own), (Form::Typed(given), Some(own))
                if fit == cpp::DERIVED && !given.is_pointer && !own.is_pointer);
            let category = if is_converted && !is_base { Category::Temporary } else { category };
            Rank { fit, bound: bound(binding, form, own, category), is_known, is_related }
        };
        given.forms.iter().enumerate().map(rank).collect()
    }
}

impl Given<'_> {
    /// Returns what an argument is besides its type.
    fn category(&self, at: usize) -> Category {
        let Some((_, argument)) = self.arguments.get(at) else { return Category::Unknown };
        let argument = argument.as_str();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_path = |c: char| is_word(c) || matches!(c, '.' | ':' | '[' | ']' | '*');
        match &self.forms[at] {
            Form::Text => return Category::Variable(Some(true)),
            Form::Character
            | Form::Integer
            | Form::Float
            | Form::Boolean
            | Form::Null
            | Form::Lambda
            | Form::Braces => return Category::Temporary,
            _ => {}
        }
        if argument.starts_with("std::move(") || argument.starts_with(['&', '"', '-', '!']) {
            return Category::Temporary;
        }
        let starts = argument.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '*');
        if starts && argument.replace("->", ".").chars().all(is_path) {
            if argument == "this" {
                return Category::Temporary;
            }
            let local = argument.chars().all(is_word).then(|| declared(self.before, argument));
            let is_const = local.flatten().map(|of| of.is_const && !of.is_pointer);
            return Category::Variable(is_const);
        }
        // `Type(…)`, but not the result of a function, which may be a reference.
        match (created(argument), &self.forms[at]) {
            (Form::Typed(made), Form::Typed(of))
                if made.base == of.base && !argument.contains("&>") =>
            {
                Category::Temporary
            }
            _ => Category::Unknown,
        }
    }
}

/// Returns how well a parameter binds to an argument; `own` is its type, `None` for a type
/// parameter.
fn bound(binding: Binding, form: &Form, own: Option<&Shape>, category: Category) -> Bound {
    let is_free = own.is_none();
    let (degree, is_known) = match (binding, category) {
        (Binding::Value, _) => (3, true),
        (Binding::Pointer, _) => match (form, own) {
            (Form::Text, Some(own)) => (if own.is_const { 3 } else { 1 }, true),
            (Form::Typed(given), Some(own)) => match (given.is_const, own.is_const) {
                (true, false) if given.base == own.base => (0, true),
                (false, true) => (2, true),
                _ => (3, true),
            },
            _ => (3, true),
        },
        (Binding::Constant, Category::Variable(Some(true))) => (3, true),
        (Binding::Constant, Category::Variable(Some(false)) | Category::Temporary) => (2, true),
        (Binding::Constant, _) => (2, false),
        (Binding::Variable, Category::Variable(Some(true))) if !is_free => (0, true),
        (Binding::Variable, Category::Variable(of)) => (3, of.is_some()),
        (Binding::Variable, Category::Temporary) => (0, true),
        (Binding::Variable, Category::Unknown) => (1, false),
        (Binding::Temporary, Category::Unknown) if !is_free => (2, false),
        (Binding::Temporary, Category::Variable(_)) if !is_free => (0, true),
        (Binding::Temporary, _) => (3, true),
        (Binding::Array | Binding::Ellipsis, _) => (1, true),
    };
    Bound { degree, is_known }
}

/// Returns how well a type parameter fits an argument.
fn free_fit(form: &Form, binding: Binding) -> u32 {
    match (binding, form) {
        (_, Form::Unknown | Form::Dynamic) => 3,
        (_, Form::Braces) => 1,
        (Binding::Pointer, Form::Text | Form::Address) => EXACT,
        (Binding::Pointer, Form::Typed(of)) if of.is_pointer => EXACT,
        (Binding::Array, Form::Text) => EXACT,
        (Binding::Array, Form::Typed(of)) if of.is_pointer => EXACT - 1,
        (Binding::Pointer | Binding::Array, _) => 0,
        _ => EXACT,
    }
}

/// Compares two overloads of which the first one has the higher rank.
fn compared((best, own): (&Overload, &[Rank]), (other, ranks): (&Overload, &[Rank])) -> Standing {
    // What a template with a fallback for all arguments requires of its types is not read.
    let has_fallback =
        best.signature.is_template && other.signature.bindings.contains(&Binding::Ellipsis);
    let (mut is_better, mut is_open) = (false, best.is_constrained() || has_fallback);
    for (at, (a, b)) in own.iter().zip(ranks).enumerate() {
        let is_same_type = best.signature.types.get(at) == other.signature.types.get(at);
        if !(a.is_known && b.is_known || is_same_type) {
            is_open = true;
        } else if a.fit != b.fit {
            is_better |= a.fit > b.fit;
            is_open |= a.fit < b.fit;
        } else if a.bound.degree != b.bound.degree {
            let bases =
                [best, other].map(|of| of.signature.types.get(at)?.as_ref().map(|it| &it.base));
            let is_related = a.is_related && b.is_related || bases[0] == bases[1];
            let is_known = a.bound.is_known && b.bound.is_known && is_related;
            is_better |= a.bound.degree > b.bound.degree;
            is_open |= a.bound.degree < b.bound.degree || !is_known;
        }
    }
    let is_first = precedence(best) > precedence(other);
    if !is_open && (is_better || is_first) { Standing::Worse } else { Standing::Possible }
}

/// Returns which of equally good overloads is selected: the one with the higher number.
fn precedence(of: &Overload) -> u32 {
    let is_forwarding =
        |(binding, of): (&Binding, &Option<Shape>)| *binding == Binding::Temporary && of.is_none();
    let is_general = of.signature.bindings.iter().zip(&of.signature.types).any(is_forwarding);
    let kind = match of {
        _ if of.signature.specialized.is_some() => 1,
        _ if of.signature.is_template => 0,
        _ => 2,
    };
    2 * kind + u32::from(!is_general)
}

/// Returns true for the declaration and the definition of one function.
fn is_same_function(a: &Overload, b: &Overload) -> bool {
    let is_one = a.link == b.link;
    // Of two templates with the same parameters, conditions may select one.
    let is_alternative = a.signature.is_template && !a.is_declaration && !b.is_declaration;
    is_one
        || !is_alternative
            && a.signature.types == b.signature.types
            && a.signature.bindings == b.signature.bindings
            && a.signature.qualifiers == b.signature.qualifiers
            && a.signature.is_template == b.signature.is_template
            && a.signature.specialized == b.signature.specialized
}

/// Returns true if a template has conditions on its type parameters. `head` is the text before its
/// name.
pub(super) fn is_constrained(head: &str, signature: &str) -> bool {
    let lower = head.to_lowercase();
    let words = ["enable", "disable", "::value", "_v<"];
    if words.iter().any(|word| lower.contains(word))
        || ["requires", "decltype"].iter().any(|of| has_word(head, of) || has_word(signature, of))
        || signature.to_lowercase().contains("enable")
    {
        return true;
    }
    let list = template_list(head).split_once('<').map_or("", |(_, list)| list);
    let end = list.rfind('>').unwrap_or(list.len());
    // `typename = Condition<T>`, or a concept.
    split(&list[..end], b',').iter().map(|part| part.trim()).any(|part| {
        let declared = part.split('=').next().unwrap_or(part).trim();
        let first = declared.split([' ', '.', '<']).next().unwrap_or(declared);
        let is_unnamed = matches!(declared, "typename" | "class") && part.contains('=');
        is_unnamed || first.starts_with(char::is_uppercase) && declared.contains(' ')
    })
}

/// Returns the list of type parameters that a text begins with, with its brackets.
pub(super) fn template_list(text: &str) -> &str {
    let mut level = 0_usize;
    let end = text.bytes().position(|byte| {
        match byte {
            b'<' => level += 1,
            b'>' => level = level.saturating_sub(1),
            _ => return false,
        }
        level == 0
    });
    end.map_or("", |end| &text[..=end])
}

/// Lowers the confidence of the overloads that the arguments do not select, and of all if they do not
/// determine one.
pub(super) fn lower_by_standing(
    overloads: &[Overload],
    standings: &[Standing],
    links: &mut [Link],
) {
    let has_definition = |of: &Overload| {
        overloads.iter().any(|it| {
            !it.is_declaration
                && it.signature.types == of.signature.types
                && it.signature.bindings == of.signature.bindings
        })
    };
    let best = overloads.iter().zip(standings).find(|(_, it)| **it == Standing::Best);
    let is_best_defined = best.is_some_and(|(of, _)| has_definition(of));
    let is_open = standings.contains(&Standing::Possible);
    for (of, standing) in overloads.iter().zip(standings) {
        let to = links[of.link].to;
        let is_limited = !is_best_defined || !has_definition(of);
        for link in links.iter_mut().filter(|link| link.to == to) {
            match standing {
                Standing::Best => {}
                // Definitions are compared with each other later.
                Standing::Possible if is_limited => {
                    link.confidence = link.confidence.min(weights::NO_ANSWER);
                }
                Standing::Possible => link.confidence *= 1.0 - weights::POSSIBLE,
                Standing::Worse if of.is_declaration => {
                    link.confidence = link.confidence.min(weights::MANY);
                }
                Standing::Worse => link.confidence *= weights::WORSE,
            }
        }
    }
    if is_open {
        links.iter_mut().for_each(|link| link.confidence *= weights::UNDECIDED);
    }
}
