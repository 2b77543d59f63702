//! Which entries are worth their tokens.
//!
//! Every candidate has up to three forms: a line that names it, one that tells of it, and all of it.
//! Steps from one form to the next are taken by what they add for each token, while they fit and are
//! worth it; ties fall to the order of candidates.

use serde::Serialize;

use super::bundle::{Bundle, Entry, Keyword, LeftOut};
use crate::context::tokens;

/// What a step must be worth for each token, at the least.
const WORTH_MIN: f32 = 0.12;

/// Tokens that headings and what is said of the rest take, about; in JSON they stand there already.
const HEADINGS_TOKENS: usize = 48;
const NUMBERS_TOKENS: usize = 4;

/// How a bundle is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// See [`Bundle::render`].
    Text,
    /// See [`serde::Serialize`].
    Json,
}

/// An entry in its forms.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Each form and what it is worth, the shortest first.
    pub(super) forms: Vec<(f32, Entry)>,
}

/// All that was found for a task, of which a bundle is a part.
#[derive(Clone, Debug)]
pub struct Choice {
    pub(super) keywords: Vec<Keyword>,
    pub(super) message: Option<String>,
    /// In the order in which they are shown, part by part.
    pub(super) candidates: Vec<Candidate>,
    pub(super) budget: usize,
    /// Tokens per worth of an entry that is cheap enough, as a share of the usual.
    pub(super) thrift: f32,
}

/// A step of one candidate to its next form.
struct Step {
    candidate: usize,
    form: usize,
    worth: f32,
    tokens: usize,
}

impl Choice {
    /// Returns false if nothing was found.
    pub fn is_found(&self) -> bool {
        self.message.is_none()
    }

    /// Returns the bundle whose reply, as `measure` counts it, fits into the budget.
    /// O(candidates × their text).
    pub fn bundle(&self, form: Form, measure: impl Fn(&Bundle) -> usize) -> Bundle {
        let costs: Vec<Vec<usize>> = self.candidates.iter().map(|of| costs(of, form)).collect();
        let mut bare = Bundle {
            keywords: self.keywords.clone(),
            message: self.message.clone(),
            budget: self.budget,
            ..Bundle::default()
        };
        let seams = if form == Form::Text { HEADINGS_TOKENS } else { NUMBERS_TOKENS };
        let mut left = self.budget.saturating_sub(measure(&bare) + seams);
        // What is shown of each, as one more than its form.
        let mut shown = vec![0; self.candidates.len()];
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for step in self.steps(&costs) {
            let before = shown[step.candidate];
            if before == step.form && step.tokens <= left {
                left -= step.tokens;
                shown[step.candidate] = step.form + 1;
                taken.push((step.candidate, before));
            }
        }
        loop {
            let mut bundle = bare.clone();
            self.fill(&mut bundle, &shown, &costs);
            // The number stands in the reply, too; with as many digits it costs as much.
            bundle.tokens = measure(&Bundle { tokens: self.budget, ..bundle.clone() });
            if bundle.tokens <= self.budget {
                return bundle;
            }
            // Headings and seams may cost more than was set aside.
            if let Some((candidate, before)) = taken.pop() {
                shown[candidate] = before;
            } else if let Some(keyword) =
                bare.keywords.iter_mut().rev().find(|keyword| !keyword.nearest.is_empty())
            {
                keyword.nearest.clear();
            } else if bare.keywords.pop().is_none() {
                // The sentence goes without the names that it offers.
                let short = bare.message.as_ref().and_then(|message| message.split_once(';'));
                let Some(short) = short.map(|(short, _)| short.to_owned()) else { return bundle };
                bare.message = Some(short);
            }
        }
    }

    /// Returns the steps that are worth it, best first.
    fn steps(&self, costs: &[Vec<usize>]) -> Vec<Step> {
        let mut steps = Vec::new();
        for (candidate, (of, costs)) in self.candidates.iter().zip(costs).enumerate() {
            let (mut value, mut cost, mut worth_before) = (0.0, 0, f32::INFINITY);
            for (form, (total, entry)) in of.forms.iter().enumerate() {
                let tokens = costs[form].saturating_sub(cost).max(1);
                // A step cannot be taken before the one that it stands on.
                let worth = ((total - value) / tokens as f32).min(worth_before);
                // As many files as were asked for are wanted.
                let is_wanted = form == 0 && matches!(entry, Entry::File(_));
                if worth >= WORTH_MIN * self.thrift || is_wanted {
                    steps.push(Step { candidate, form, worth, tokens });
                }
                (value, cost, worth_before) = (*total, costs[form], worth);
            }
        }
        steps.sort_by(|a, b| {
            let order = b.worth.total_cmp(&a.worth).then(a.candidate.cmp(&b.candidate));
            order.then(a.form.cmp(&b.form))
        });
        steps
    }

    fn fill(&self, bundle: &mut Bundle, shown: &[usize], costs: &[Vec<usize>]) {
        let mut left_out = LeftOut::default();
        for (at, candidate) in self.candidates.iter().enumerate() {
            if shown[at] > 0 {
                bundle.push(candidate.forms[shown[at] - 1].1.clone());
                continue;
            }
            let Some((_, entry)) = candidate.forms.first() else { continue };
            match entry {
                Entry::Symbol(_) => left_out.symbols += 1,
                Entry::File(_) => left_out.files += 1,
                Entry::Snippet(_) => left_out.snippets += 1,
                Entry::Calls(_) => left_out.calls += 1,
                Entry::Test(_) => left_out.tests += 1,
            }
            bundle.omitted_tokens += costs[at][0];
        }
        bundle.omitted = left_out.total();
        bundle.omitted_tokens = rounded(bundle.omitted_tokens);
        bundle.left_out = left_out;
    }
}

/// Returns a number to two digits.
fn rounded(count: usize) -> usize {
    let mut unit = 1;
    while count / unit >= 100 {
        unit *= 10;
    }
    count.div_ceil(unit) * unit
}

fn costs(candidate: &Candidate, form: Form) -> Vec<usize> {
    let cost = |(_, entry): &(f32, Entry)| match (form, entry) {
        (Form::Text, entry) => {
            let mut lines = String::new();
            entry.write(&mut lines);
            tokens::count(&lines)
        }
        (Form::Json, Entry::Symbol(symbol)) => json(symbol),
        (Form::Json, Entry::File(file)) => json(file),
        (Form::Json, Entry::Snippet(snippet)) => json(snippet),
        (Form::Json, Entry::Calls(calls)) => json(calls),
        (Form::Json, Entry::Test(test)) => json(test),
    };
    candidate.forms.iter().map(cost).collect()
}

fn json<T: Serialize>(entry: &T) -> usize {
    serde_json::to_string(entry).map_or(usize::MAX / 2, |text| tokens::count(&text) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::style::Plain;
    use crate::context::compose::bundle::File;

    fn file(path: &str, why: &[&str]) -> Entry {
        let why = why.iter().map(|&word| word.to_owned()).collect();
        Entry::File(File { path: path.to_owned(), score: 1.0, why })
    }

    #[test]
    fn what_fits_is_shown_in_its_order_and_the_rest_is_counted() {
        let candidate = |at: usize| Candidate {
            forms: vec![
                (10.0 / at as f32, file(&format!("src/file_{at}.rs"), &[])),
                (12.0 / at as f32, file(&format!("src/file_{at}.rs"), &["text", "name"])),
            ],
        };
        let choice = |budget| Choice {
            keywords: Vec::new(),
            message: None,
            candidates: (1..=30).map(candidate).collect(),
            budget,
            thrift: 1.0,
        };
        let mut before = 0;
        for budget in [120, 150, 200, 400, 2000] {
            for form in [Form::Text, Form::Json] {
                let measure = |bundle: &Bundle| match form {
                    Form::Text => tokens::count(&bundle.render(&Plain)),
                    Form::Json => json(bundle),
                };
                let bundle = choice(budget).bundle(form, measure);
                assert!(bundle.tokens <= budget, "{bundle:?}");
                assert_eq!(bundle.files.len() + bundle.omitted, 30);
                let paths: Vec<&str> = bundle.files.iter().map(|of| of.path.as_str()).collect();
                let expected: Vec<String> =
                    (1..=paths.len()).map(|at| format!("src/file_{at}.rs")).collect();
                assert_eq!(paths, expected);
                if form == Form::Text {
                    assert!(paths.len() >= before, "{budget}");
                    before = paths.len();
                }
            }
        }
        assert_eq!(before, 30);
        assert_eq!((rounded(99), rounded(101), rounded(1234)), (99, 110, 1300));
    }
}
