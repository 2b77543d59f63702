//! Selects entries by value per token.
//!
//! Every candidate has up to three forms: name, summary, complete. Steps from one form to the next
//! are taken in descending order of added value per token, while they fit the budget and exceed a
//! minimum that rises as the budget is used up; ties are broken by the order of candidates.

use serde::Serialize;

use super::bundle::{Bundle, Entry, Keyword, OmittedParts};
use crate::base::tokens;

/// Minimum value per token of a step when the budget is used up.
const VALUE_PER_TOKEN_MIN: f32 = 0.12;

/// The same while more than half of the budget is left.
const VALUE_PER_TOKEN_FLOOR: f32 = 0.01;

/// Tokens reserved for headings and the summary of omitted entries in text.
const HEADINGS_TOKENS: usize = 48;

/// Tokens reserved for numbers in JSON, where the empty bundle already contains the keys.
const NUMBERS_TOKENS: usize = 4;

/// Tokens of the key of a chain, which an empty bundle does not contain.
const CHAIN_KEY_TOKENS: usize = 4;

/// Output format of a bundle.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Form {
    /// See [`Bundle::render`].
    Text,
    /// See [`serde::Serialize`].
    Json,
}

/// A candidate entry in its forms.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    /// Forms with their values, shortest first.
    pub(super) forms: Vec<(f32, Entry)>,
}

/// All candidates for a task, of which a bundle shows a part.
#[derive(Clone, Debug)]
pub struct Choice {
    pub(super) keywords: Vec<Keyword>,
    pub(super) message: Option<String>,
    /// That no chain leads from one definition of the question to another.
    pub chain_note: Option<String>,
    /// That nothing in the task decides which files it is about.
    pub vague_note: Option<String>,
    /// In display order, part by part.
    pub(super) candidates: Vec<Candidate>,
    pub(super) budget: usize,
    /// Factor on the minimum value per token.
    pub(super) value_min_factor: f32,
    /// True if a higher level of detail has more candidates.
    pub(super) has_more_detail: bool,
}

/// A step of a candidate to its next form.
struct Step {
    candidate: usize,
    form: usize,
    value_per_token: f32,
    tokens: usize,
    /// Shown whatever its value, if it fits.
    is_required: bool,
}

impl Choice {
    /// Returns false if nothing was found.
    pub fn is_found(&self) -> bool {
        self.message.is_none()
    }

    /// Returns the paths of the ranked files, best first.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.candidates.iter().filter_map(|it| match it.forms.first() {
            Some((_, Entry::File(file))) => Some(file.path.as_str()),
            _ => None,
        })
    }

    /// Returns the bundle whose reply fits the budget, as counted by `measure`.
    /// O(candidates × their text).
    pub fn bundle(&self, form: Form, measure: impl Fn(&Bundle) -> usize) -> Bundle {
        let costs: Vec<Vec<usize>> = self.candidates.iter().map(|of| costs(of, form)).collect();
        let mut bare = Bundle {
            keywords: self.keywords.clone(),
            message: self.message.clone(),
            budget: self.budget,
            ..Bundle::default()
        };
        let reserved = if form == Form::Text { HEADINGS_TOKENS } else { NUMBERS_TOKENS };
        let mut left = self.budget.saturating_sub(measure(&bare) + reserved);
        // Selected form of each candidate plus one; 0 if omitted.
        let mut shown = vec![0; self.candidates.len()];
        // Candidates worth their tokens that did not fit.
        let mut cut = vec![false; self.candidates.len()];
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for step in self.steps(&costs) {
            let before = shown[step.candidate];
            let is_worth = step.is_required || step.value_per_token >= self.value_min(left);
            if before != step.form || !is_worth {
                continue;
            }
            if step.tokens <= left {
                left -= step.tokens;
                shown[step.candidate] = step.form + 1;
                taken.push((step.candidate, before));
            } else {
                cut[step.candidate] = true;
            }
        }
        loop {
            let mut bundle = bare.clone();
            self.fill(&mut bundle, &shown, &cut, &costs);
            // The reply contains this number; the budget has at least as many digits.
            bundle.tokens = measure(&Bundle { tokens: self.budget, ..bundle.clone() });
            if bundle.tokens <= self.budget {
                return bundle;
            }
            // Headings and separators may cost more than reserved: undo the last step.
            if let Some((candidate, before)) = taken.pop() {
                shown[candidate] = before;
                cut[candidate] = true;
            } else if let Some(keyword) =
                bare.keywords.iter_mut().rev().find(|keyword| !keyword.nearest.is_empty())
            {
                keyword.nearest.clear();
            } else if bare.keywords.pop().is_none() {
                // Drop the suggestions of the message.
                let short = bare.message.as_ref().and_then(|message| message.split_once(';'));
                let Some(short) = short.map(|(short, _)| short.to_owned()) else { return bundle };
                bare.message = Some(short);
            }
        }
    }

    /// Returns the minimum value per token of a step when `left` tokens of the budget are left:
    /// [`VALUE_PER_TOKEN_FLOOR`] down to half of the budget, then linear up to
    /// [`VALUE_PER_TOKEN_MIN`]. Both are reduced with full detail.
    fn value_min(&self, left: usize) -> f32 {
        let share = 2.0 * left as f32 / self.budget.max(1) as f32;
        let (low, high) = (VALUE_PER_TOKEN_FLOOR, VALUE_PER_TOKEN_MIN);
        (high - (high - low) * share.min(1.0)) * self.value_min_factor
    }

    /// Returns the steps, best first.
    fn steps(&self, costs: &[Vec<usize>]) -> Vec<Step> {
        let mut steps = Vec::new();
        for (candidate, (of, costs)) in self.candidates.iter().zip(costs).enumerate() {
            let (mut value, mut cost, mut previous) = (0.0, 0, f32::INFINITY);
            for (form, (total, entry)) in of.forms.iter().enumerate() {
                let tokens = costs[form].saturating_sub(cost).max(1);
                // A step cannot precede the step before it.
                let value_per_token = ((total - value) / tokens as f32).min(previous);
                // Files are included regardless of value, up to `max_files`.
                let is_required = form == 0 && matches!(entry, Entry::File(_));
                steps.push(Step { candidate, form, value_per_token, tokens, is_required });
                (value, cost, previous) = (*total, costs[form], value_per_token);
            }
        }
        steps.sort_by(|a, b| {
            let order =
                b.value_per_token.total_cmp(&a.value_per_token).then(a.candidate.cmp(&b.candidate));
            order.then(a.form.cmp(&b.form))
        });
        steps
    }

    /// Adds the entries in their forms. An entry that is worth its tokens and does not fit counts as omitted; one
    /// that is unlikely to be used is shown with full detail.
    fn fill(&self, bundle: &mut Bundle, shown: &[usize], cut: &[bool], costs: &[Vec<usize>]) {
        let mut omitted_parts = OmittedParts::default();
        let mut unlikely = 0;
        for (at, candidate) in self.candidates.iter().enumerate() {
            if shown[at] > 0 {
                bundle.push(candidate.forms[shown[at] - 1].1.clone());
                continue;
            }
            let Some((_, entry)) = candidate.forms.first() else { continue };
            if !cut[at] && self.value_min_factor >= 1.0 {
                unlikely += 1;
                continue;
            }
            match entry {
                Entry::Symbol(_) => omitted_parts.symbols += 1,
                Entry::File(_) => omitted_parts.files += 1,
                Entry::Snippet(_) => omitted_parts.snippets += 1,
                Entry::Calls(_) => omitted_parts.calls += 1,
                Entry::Test(_) => omitted_parts.tests += 1,
                Entry::Chain(_) => omitted_parts.chains += 1,
                Entry::Companion(_) => omitted_parts.companions += 1,
            }
            bundle.omitted_tokens += costs[at][0];
        }
        bundle.omitted = omitted_parts.total();
        let has_more = self.has_more_detail || unlikely > 0;
        bundle.has_more_detail = bundle.omitted == 0 && has_more;
        bundle.omitted_tokens = rounded(bundle.omitted_tokens);
        bundle.omitted_parts = omitted_parts;
    }
}

/// Rounds a number up to two significant digits.
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
        (Form::Json, Entry::Companion(companion)) => json(companion),
        (Form::Json, Entry::Chain(steps)) => json(steps) + CHAIN_KEY_TOKENS,
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
    use crate::context::compose::bundle::{File, Snippet};

    fn file(path: &str, why: &[&str]) -> Entry {
        let why = why.iter().map(|&word| word.to_owned()).collect();
        Entry::File(File { path: path.to_owned(), score: 1.0, why })
    }

    fn snippet() -> Entry {
        Entry::Snippet(Snippet {
            path: "src/file.rs".to_owned(),
            start_line: 1,
            end_line: 1,
            text: "let x = 1;".to_owned(),
            around: None,
        })
    }

    #[test]
    fn entries_that_fit_are_shown_in_order_and_the_rest_is_counted() {
        let candidate = |at: usize| Candidate {
            forms: vec![
                (10.0 / at as f32, file(&format!("src/file_{at}.rs"), &[])),
                (12.0 / at as f32, file(&format!("src/file_{at}.rs"), &["text", "name"])),
            ],
        };
        let choice = |budget| Choice {
            keywords: Vec::new(),
            message: None,
            chain_note: None,
            vague_note: None,
            candidates: (1..=30).map(candidate).collect(),
            budget,
            value_min_factor: 1.0,
            has_more_detail: true,
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
        // What is worth little is shown while most of the budget is left.
        let cheap = Candidate { forms: vec![(0.4, snippet())] };
        let all = |budget| Choice {
            candidates: (1..=30).map(candidate).chain([cheap.clone()]).collect(),
            ..choice(budget)
        };
        let bundle = |budget| all(budget).bundle(Form::Json, json);
        let (low, high) = (bundle(400), bundle(4000));
        assert_eq!((low.snippets.len(), low.has_more_detail), (0, false));
        assert_eq!((high.snippets.len(), high.has_more_detail), (1, true));
        let is_near = |left: usize, value: f32| (all(1000).value_min(left) - value).abs() < 1e-6;
        assert!(is_near(500, VALUE_PER_TOKEN_FLOOR) && is_near(0, VALUE_PER_TOKEN_MIN));
        assert_eq!((rounded(99), rounded(101), rounded(1234)), (99, 110, 1300));
    }
}
