//! What is kept of the strings that an expression matches.
//!
//! A small set is kept whole. Of anything larger, its ends are kept, two letters each, so that the
//! grams across the seam with a neighbour can be told, and a query with the grams that lie inside.

use crate::query::gram_query::GramQuery;

use super::string_set::StringSet;

/// The most strings that a concatenation may leave. Few on purpose: beyond that, a conjunction
/// of the parts' queries and of the seams between them loses little, and is far cheaper to
/// evaluate than a disjunction that repeats every part.
const PRODUCT_MAX: usize = 4;

/// The most strings that an alternation may leave.
const UNION_MAX: usize = 64;

/// The most letters, summed, that a combined set may hold.
const LETTERS_MAX: usize = 4096;

/// The most strings of a seam.
const SEAM_MAX: usize = 32;

/// The most strings of one end.
const END_MAX: usize = 64;

/// The letters kept of an end: a gram across a seam has at most two on one side.
const END_LETTERS: usize = 2;

/// The most copies of a repeated expression that are written out.
const COPIES_MAX: u32 = 4;

/// The strings that an expression may match: all of these, and possibly fewer.
#[derive(Debug)]
pub(super) enum Language {
    /// One of these strings; none at all for an expression that cannot match.
    Finite(StringSet),
    /// Too many to list.
    Infinite(Ends),
}

/// What is known of the strings of a large language.
#[derive(Debug)]
pub(super) struct Ends {
    /// Whether the empty string is one of them. Nothing is needed then.
    empty: bool,
    /// Every string but the empty one begins with one of these. The empty string among them stands
    /// for any beginning.
    prefixes: StringSet,
    /// Every string but the empty one ends with one of these, likewise.
    suffixes: StringSet,
    /// What every string satisfies, each of these.
    needs: Vec<GramQuery>,
}

impl Language {
    /// Returns the language of the empty string, which is also that of every assertion.
    pub(super) fn empty_string() -> Language {
        Language::Finite(StringSet::empty_string())
    }

    /// Returns the language of strings of which nothing is known but that they are not empty.
    pub(super) fn anything() -> Language {
        let any = StringSet::empty_string;
        let needs = Vec::new();
        Language::Infinite(Ends { empty: false, prefixes: any(), suffixes: any(), needs })
    }

    /// Returns the language of one part after the other.
    pub(super) fn concat(parts: impl IntoIterator<Item = Language>) -> Language {
        let mut joined = Language::empty_string();
        // Neighbours that are few enough are multiplied out before they are joined to the rest.
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

    /// Returns the language of any of the parts; of none, the language without strings.
    ///
    /// Cost: O(s log s) for s, the size of the parts.
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

    /// Returns the language of `min` to `max` copies, one after the other.
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

    /// Returns what a text must hold to hold a string of the language.
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
    /// Returns `min` or more copies; the ends stay what they are.
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

/// One end of a language, as its neighbour sees it.
struct End {
    /// The letters with which the strings end there, the empty string aside.
    strings: StringSet,
    /// Whether the empty string is one of the language.
    empty: bool,
    /// Whether what is shorter than an end's letters is a whole string of the language, so that
    /// the neighbour goes on there.
    whole: bool,
}

impl End {
    /// Returns the strings, the empty one included if it is of the language.
    fn with_empty(self) -> StringSet {
        if self.empty {
            StringSet::union([self.strings, StringSet::empty_string()])
        } else {
            self.strings
        }
    }
}

/// Returns the end of two neighbours that is `near`, which lies before or after `far`; `cut` keeps
/// the letters of `far` that lie next to `near`.
fn outer_end(
    near: End,
    far: End,
    cut: impl Fn(&StringSet, usize) -> StringSet,
    glue: impl Fn(&StringSet, &StringSet) -> StringSet,
) -> StringSet {
    let mut ends = Vec::new();
    if near.whole {
        // One letter, to which the neighbour adds another, unless that makes too many.
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

/// Returns what the text around a seam must hold; `All` if that would be too much to say.
fn seam_query(tail: End, head: End) -> GramQuery {
    let fits = |a: &StringSet, b: &StringSet| a.len() * b.len() <= SEAM_MAX;
    let (before, after) = (tail.with_empty(), head.with_empty());
    if fits(&before, &after) {
        return before.product(&after).query();
    }
    // Shortening either side says less, and both of what is left can be said.
    let shorter = [(before.last(1), after.clone()), (before, after.first(1))];
    let fitting = shorter.iter().filter(|(a, b)| fits(a, b));
    GramQuery::and(fitting.map(|(a, b)| a.product(b).query()))
}

/// Returns an end cut down by `cut` to its letters, to fewer if there are too many of them.
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
        // One more copy at either end is certain, and gives the seam between two.
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
