//! An abstraction of the set of strings that an expression matches.
//!
//! A small set is stored exactly. For a larger set, two letters at either end are stored, which
//! determine the grams across the seam to a neighbour, together with a query of the inner grams.

use crate::query::gram_query::GramQuery;

use super::string_set::StringSet;

/// Maximum number of strings of a concatenation. Deliberately low: beyond it, a conjunction of the
/// queries of the parts and of the seams loses little precision and is far cheaper to evaluate than
/// a disjunction that repeats every part.
const PRODUCT_MAX: usize = 4;

/// Maximum number of strings of an alternation.
const UNION_MAX: usize = 64;

/// Maximum total length of a combined set.
const LETTERS_MAX: usize = 4096;

/// Maximum number of strings of a seam.
const SEAM_MAX: usize = 32;

/// Maximum number of strings of one end.
const END_MAX: usize = 64;

/// Number of letters stored of an end: a gram across a seam has at most two on one side.
const END_LETTERS: usize = 2;

/// Maximum number of copies to which a repetition is expanded.
const COPIES_MAX: u32 = 4;

/// A superset of the strings that an expression matches.
#[derive(Debug)]
pub(super) enum Language {
    /// One of these strings; none at all for an expression that cannot match.
    Finite(StringSet),
    /// Too many to list.
    Infinite(Ends),
}

/// The known properties of a large language.
#[derive(Debug)]
pub(super) struct Ends {
    /// True if the empty string is one of them. Then the query is `All`.
    empty: bool,
    /// Every string except the empty one begins with one of these. The empty string among them
    /// means any beginning.
    prefixes: StringSet,
    /// Every string except the empty one ends with one of these, likewise.
    suffixes: StringSet,
    /// Every string satisfies each of these queries.
    needs: Vec<GramQuery>,
}

impl Language {
    /// Returns the language of the empty string, which is also that of every assertion.
    pub(super) fn empty_string() -> Language {
        Language::Finite(StringSet::empty_string())
    }

    /// Returns the language of all non-empty strings.
    pub(super) fn anything() -> Language {
        Language::anything_with(GramQuery::All)
    }

    /// Returns the language of all non-empty strings that satisfy `need`.
    pub(super) fn anything_with(need: GramQuery) -> Language {
        let any = StringSet::empty_string;
        let needs = vec![need];
        Language::Infinite(Ends { empty: false, prefixes: any(), suffixes: any(), needs })
    }

    /// Returns the concatenation of the parts.
    pub(super) fn concat(parts: impl IntoIterator<Item = Language>) -> Language {
        let mut joined = Language::empty_string();
        // Small neighbouring sets are multiplied out before they are joined to the rest.
        let mut run = StringSet::empty_string();
        for part in parts {
            match part {
                Language::Finite(set) if product_fits(&run, &set) => run = run.product(&set),
                part => {
                    joined = joined.join(Language::Finite(run));
                    (joined, run) = match part {
                        Language::Finite(set) => (joined, set),
                        part => (joined.join(part), StringSet::empty_string()),
                    };
                }
            }
        }
        joined.join(Language::Finite(run))
    }

    /// Returns the union of the parts; the empty language if there are none.
    ///
    /// Cost: O(s log s), where s is the total size of the parts.
    pub(super) fn alternate(parts: impl IntoIterator<Item = Language>) -> Language {
        let (mut sets, mut ends) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Language::Finite(set) => sets.push(set),
                Language::Infinite(part) => ends.push(part),
            }
        }
        let listed = StringSet::union(sets);
        if ends.is_empty() && listed.len() <= UNION_MAX && listed.letters() <= LETTERS_MAX {
            return Language::Finite(listed);
        }
        ends.push(Language::Finite(listed).into_ends());
        let empty = ends.iter().any(|part| part.empty);
        let prefixes = StringSet::union(ends.iter().map(|part| part.prefixes.clone()));
        let suffixes = StringSet::union(ends.iter().map(|part| part.suffixes.clone()));
        let query = GramQuery::or(ends.into_iter().map(|part| GramQuery::and(part.needs)));
        Language::Infinite(Ends {
            empty,
            prefixes: bounded_end(&prefixes, StringSet::first),
            suffixes: bounded_end(&suffixes, StringSet::last),
            needs: vec![query],
        })
    }

    /// Returns the language of `min` to `max` consecutive copies.
    pub(super) fn repeat(self, min: u32, max: Option<u32>) -> Language {
        match (min, max) {
            (_, Some(0)) => Language::empty_string(),
            (0, _) => Language::alternate([Language::empty_string(), self.repeat(1, max)]),
            _ => match self {
                Language::Finite(set) => repeat_set(&set, min, max),
                Language::Infinite(ends) => Language::Infinite(ends.repeat(min)),
            },
        }
    }

    /// Returns the language of those strings that satisfy `need` too, which the strings of this one
    /// are not known to do. It must not contain the empty string.
    pub(super) fn with_need(self, need: GramQuery) -> Language {
        let mut ends = self.into_ends();
        ends.needs.push(need);
        Language::Infinite(ends)
    }

    /// Returns a necessary condition for a text to contain a string of the language.
    pub(super) fn into_query(self) -> GramQuery {
        match self {
            Language::Finite(set) => set.query(),
            Language::Infinite(ends) => GramQuery::and(ends.needs),
        }
    }

    /// Returns this language followed by the other, without multiplying anything out.
    fn join(self, next: Language) -> Language {
        if self.is_empty_string() {
            return next;
        }
        if next.is_empty_string() {
            return self;
        }
        let (first, last) = (StringSet::first, StringSet::last);
        let prefixes = outer_end(self.head(), next.head(), first, |near, far| near.product(far));
        let suffixes = outer_end(next.tail(), self.tail(), last, |near, far| far.product(near));
        let seam = seam_query(self.tail(), next.head());
        let (a, b) = (self.into_ends(), next.into_ends());
        let mut needs = a.needs;
        needs.extend(b.needs);
        needs.push(seam);
        Language::Infinite(Ends {
            empty: a.empty && b.empty,
            prefixes: bounded_end(&prefixes, StringSet::first),
            suffixes: bounded_end(&suffixes, StringSet::last),
            needs,
        })
    }

    fn into_ends(self) -> Ends {
        match self {
            Language::Infinite(ends) => ends,
            Language::Finite(set) => {
                let (empty, needs) = (set.holds_empty(), vec![set.query()]);
                let rest = set.without_empty();
                Ends {
                    empty,
                    prefixes: bounded_end(&rest, StringSet::first),
                    suffixes: bounded_end(&rest, StringSet::last),
                    needs,
                }
            }
        }
    }

    fn head(&self) -> End {
        match self {
            Language::Infinite(ends) => {
                End { strings: ends.prefixes.clone(), empty: ends.empty, whole: false }
            }
            Language::Finite(set) => End {
                strings: set.first(END_LETTERS).without_empty(),
                empty: set.holds_empty(),
                whole: true,
            },
        }
    }

    fn tail(&self) -> End {
        match self {
            Language::Infinite(ends) => {
                End { strings: ends.suffixes.clone(), empty: ends.empty, whole: false }
            }
            Language::Finite(set) => End {
                strings: set.last(END_LETTERS).without_empty(),
                empty: set.holds_empty(),
                whole: true,
            },
        }
    }

    fn is_empty_string(&self) -> bool {
        matches!(self, Language::Finite(set) if set.len() == 1 && set.holds_empty())
    }
}

impl Ends {
    /// Returns `min` or more copies, which have the same ends.
    fn repeat(self, min: u32) -> Ends {
        if min < 2 {
            return self;
        }
        let one = Language::Infinite(self);
        let seam = seam_query(one.tail(), one.head());
        let mut ends = one.into_ends();
        ends.needs.push(seam);
        ends
    }
}

/// One end of a language, as seen from its neighbour.
struct End {
    /// The letters at this end of the non-empty strings.
    strings: StringSet,
    /// True if the language contains the empty string.
    empty: bool,
    /// True if strings shorter than an end are complete strings of the language, so that the
    /// neighbour continues after them.
    whole: bool,
}

impl End {
    /// Returns the strings, including the empty one if the language contains it.
    fn with_empty(self) -> StringSet {
        if self.empty {
            StringSet::union([self.strings, StringSet::empty_string()])
        } else {
            self.strings
        }
    }
}

/// Returns the outer end of a concatenation. `near` is the end of the outer part, `far` that of its
/// neighbour. `cut` returns the letters of `far` next to `near`.
fn outer_end(
    near: End,
    far: End,
    cut: impl Fn(&StringSet, usize) -> StringSet,
    glue: impl Fn(&StringSet, &StringSet) -> StringSet,
) -> StringSet {
    let mut ends = Vec::new();
    if near.whole {
        // A string of one letter gets a second one from the neighbour, unless there would be too
        // many strings.
        let (short, long) = near.strings.split_shorter(END_LETTERS);
        let next = cut(&far.strings, END_LETTERS - 1);
        let fits = short.len() * next.len() <= END_MAX;
        ends.extend([if fits { glue(&short, &next) } else { short.clone() }, long]);
        if far.empty {
            ends.push(short);
        }
    } else {
        ends.push(near.strings);
    }
    if near.empty {
        ends.push(far.strings);
    }
    StringSet::union(ends)
}

/// Returns the necessary condition for the text around a seam, or `All` if it would be too large.
fn seam_query(tail: End, head: End) -> GramQuery {
    let fits = |a: &StringSet, b: &StringSet| a.len() * b.len() <= SEAM_MAX;
    let (before, after) = (tail.with_empty(), head.with_empty());
    if fits(&before, &after) {
        return before.product(&after).query();
    }
    // Shortening either side gives a weaker query. Their conjunction holds.
    let shorter = [(before.last(1), after.clone()), (before, after.first(1))];
    let fitting = shorter.iter().filter(|(a, b)| fits(a, b));
    GramQuery::and(fitting.map(|(a, b)| a.product(b).query()))
}

/// Returns an end, shortened by `cut` to [`END_LETTERS`] letters, or to fewer if there are too many
/// strings.
fn bounded_end(strings: &StringSet, cut: impl Fn(&StringSet, usize) -> StringSet) -> StringSet {
    let mut letters = END_LETTERS;
    loop {
        let end = cut(strings, letters);
        if end.holds_empty() {
            return StringSet::empty_string();
        }
        if end.len() <= END_MAX {
            return end;
        }
        letters -= 1;
    }
}

/// Returns `min` to `max` copies of the strings, `min` being at least one.
fn repeat_set(set: &StringSet, min: u32, max: Option<u32>) -> Language {
    let mut power = set.clone();
    let mut copies = 1;
    while copies < min.min(COPIES_MAX) && product_fits(&power, set) {
        power = power.product(set);
        copies += 1;
    }
    if copies < min {
        // There is at least one more copy, which gives the seam between two copies.
        return Language::Finite(power).join(Language::Finite(set.clone()));
    }
    let least = power.clone();
    let mut powers = vec![power];
    while max != Some(copies) {
        let power = &powers[powers.len() - 1];
        if max.is_none_or(|max| max > COPIES_MAX) || !product_fits(power, set) {
            return Language::Infinite(Language::Finite(least).into_ends());
        }
        powers.push(power.product(set));
        copies += 1;
    }
    Language::Finite(StringSet::union(powers))
}

fn product_fits(a: &StringSet, b: &StringSet) -> bool {
    let letters = a.letters() * b.len() + b.letters() * a.len();
    a.len() * b.len() <= PRODUCT_MAX && letters <= LETTERS_MAX
}
