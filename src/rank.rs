//! How well files fit a task: evidence of several kinds, each explained, fused into one score.
//!
//! A score is a weighted sum of signals, damped by what a file is (a test, generated, a document).
//! All weights stand in [`Weights`]; nothing else in the crate decides an order of files for a task.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::text;
use crate::index::text::{Bm25, ByField, K3, Term};
use crate::lang::Marks;

/// Kinds of evidence; a signal's place is its number in [`Evidence`].
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Signal {
    /// Its text is about the words of the task.
    Text,
    /// It defines a name that the task mentions.
    Defines,
    /// The task mentions its path, or one of its folders or its name.
    Path,
    /// A stack trace of the task runs through it.
    Stack,
    /// It holds a name or a quoted text that the task mentions.
    Uses,
    /// Its name is a word of the task.
    Stem,
    /// Its text has the words of the task, if in different places.
    Covers,
    /// It defines what a plain word of the task names.
    Named,
    /// It holds a text that the task quotes, or a part of it.
    Says,
    /// Commits whose subjects are about the words of the task changed it.
    Commits,
    /// It was changed lately.
    Recent,
    /// It is often changed together with files that fit best without this.
    Together,
    /// A folder that it lies in has the name of a word of the subject.
    Folder,
}

/// Bytes of a name by which evidence is told.
const ABOUT_BYTES_MAX: usize = 80;

/// Different words up to which a task is a subject alone, and from which on it is a whole report.
const SUBJECT_WORDS: f32 = 15.0;
const REPORT_WORDS: f32 = 60.0;

/// The number of signals.
pub const SIGNALS: usize = 13;

impl Signal {
    /// Every signal.
    pub const ALL: [Signal; SIGNALS] = [
        Signal::Text,
        Signal::Defines,
        Signal::Path,
        Signal::Stack,
        Signal::Uses,
        Signal::Stem,
        Signal::Covers,
        Signal::Named,
        Signal::Says,
        Signal::Commits,
        Signal::Recent,
        Signal::Together,
        Signal::Folder,
    ];

    /// Returns false for what every file has something of, so that it explains nothing.
    fn is_told(self) -> bool {
        !matches!(self, Signal::Covers | Signal::Recent)
    }

    /// Returns the word that a reply has for it.
    pub fn word(self) -> &'static str {
        match self {
            Signal::Text => "text",
            Signal::Defines => "def",
            Signal::Path => "path",
            Signal::Stack => "stack",
            Signal::Uses => "uses",
            Signal::Stem => "name",
            Signal::Covers => "words",
            Signal::Named => "def",
            Signal::Says => "says",
            Signal::Commits => "commit",
            Signal::Recent => "recent",
            Signal::Together => "together",
            Signal::Folder => "in",
        }
    }
}

/// What speaks for a file, by signal: 0 nothing, 1 as much as one clear sign of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    values: [f32; SIGNALS],
    /// What says most of a signal, and how much, of those that something with a name speaks for. Most
    /// files have few.
    about: Vec<About>,
}

#[derive(Clone, Debug, PartialEq)]
struct About {
    signal: Signal,
    value: f32,
    /// `None` where that has no name.
    name: Option<String>,
}

impl Evidence {
    /// Returns how much a signal says.
    pub fn get(&self, signal: Signal) -> f32 {
        self.values[signal as usize]
    }

    /// Returns how much each signal says, by the signal's place.
    pub fn values(&self) -> [f32; SIGNALS] {
        self.values
    }

    /// Returns the evidence of such values.
    pub fn of(values: [f32; SIGNALS]) -> Evidence {
        Evidence { values, ..Evidence::default() }
    }

    /// Adds to a signal what `about` says.
    pub fn add(&mut self, signal: Signal, value: f32, about: Option<&str>) {
        self.values[signal as usize] += value;
        let known = self.about.iter_mut().find(|of| of.signal == signal);
        let name = || about.map(|about| text::start(about, ABOUT_BYTES_MAX).to_owned());
        match known {
            Some(known) if known.name.is_none() || value > known.value => {
                (known.value, known.name) = (value, name());
            }
            Some(_) => {}
            None if about.is_some() => self.about.push(About { signal, value, name: name() }),
            None => {}
        }
    }

    /// Returns the name that says most of a signal, where one does.
    pub fn about(&self, signal: Signal) -> Option<&str> {
        self.about.iter().find(|of| of.signal == signal)?.name.as_deref()
    }
}

/// What a file is, as far as it damps its score.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Traits {
    /// What path and head tell of it.
    #[serde(with = "marks_as_bits")]
    pub marks: Marks,
    /// It is a program, no document and no data.
    pub is_code: bool,
    /// It lists changes by version.
    pub is_changelog: bool,
    /// The task is about tests.
    pub requests_tests: bool,
}

mod marks_as_bits {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::lang::Marks;

    pub(super) fn serialize<S: Serializer>(marks: &Marks, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u8(marks.to_bits())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Marks, D::Error> {
        u8::deserialize(from).map(Marks::from_bits)
    }
}

/// What each kind of evidence is worth, and what damps it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// By signal, for a task that is a subject alone.
    pub signals: [f32; SIGNALS],
    /// What these are multiplied with for a whole report; see [`Weights::for_task`].
    pub report: [f32; SIGNALS],
    /// Evidence beyond this much of a signal counts as its logarithm.
    pub knee: f32,
    /// What a test's score is multiplied with, unless the task is about tests.
    pub test: f32,
    /// That of generated, vendored and minified files.
    pub others: f32,
    /// That of declarations of what is defined elsewhere.
    pub declaration: f32,
    /// That of documents and data.
    pub document: f32,
    /// That of lists of changes, which say of everything that it was done.
    pub changelog: f32,
    /// What a word of the text index is worth by the part of the task that it stands in.
    pub words: WordWeights,
    /// How words are counted.
    pub bm25: Bm25,
    /// What an occurrence of a word is worth, by the field's place.
    pub fields: ByField,
    /// What a function is worth for its file, for its lines, and for its name.
    pub function_file: f32,
    /// See above.
    pub function_text: f32,
    /// See above.
    pub function_named: f32,
}

/// What words are worth by where they stand in a task.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct WordWeights {
    /// In its subject.
    pub title: f32,
    /// In names that its sentences mention.
    pub mentioned: f32,
    /// In its sentences.
    pub prose: f32,
    /// In code and output that it quotes.
    pub code: f32,
    /// How soon it counts no more that a word is said again; see [`K3`].
    pub k3: f32,
    /// What words of reports in general are multiplied with, outside the subject.
    pub form: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights::DEFAULT
    }
}

impl Default for WordWeights {
    fn default() -> WordWeights {
        Weights::DEFAULT.words
    }
}

impl Weights {
    /// What holds unless a caller says otherwise.
    pub const DEFAULT: Weights = Weights {
        signals: [1.0, 0.45, 1.1, 0.6, 0.15, 0.25, 0.3, 0.05, 0.3, 0.3, 0.06, 0.1, 0.25],
        report: [1.0, 0.28, 0.4, 0.4, 0.4, 0.4, 0.8, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4],
        knee: 1.0,
        test: 0.45,
        others: 0.3,
        declaration: 0.6,
        document: 0.4,
        changelog: 0.3,
        words: WordWeights { title: 1.5, mentioned: 1.2, prose: 1.0, code: 0.5, form: 0.3, k3: K3 },
        bm25: Bm25::DEFAULT,
        fields: Term::WEIGHTS,
        function_file: 1.0,
        function_text: 1.0,
        function_named: 0.5,
    };

    /// Returns the weights for a task of so many different words: those of a subject up to 15, those of a
    /// report from 60 on, and between them in steps of the words' logarithm. A report speaks of much that
    /// it is not about, names above all, while its words together say better than those of a subject
    /// what it is about.
    #[must_use]
    pub fn for_task(mut self, words: usize) -> Weights {
        let (subject, report) = (SUBJECT_WORDS.ln(), REPORT_WORDS.ln());
        let share = ((words.max(1) as f32).ln() - subject) / (report - subject);
        for (signal, factor) in self.signals.iter_mut().zip(self.report) {
            *signal *= factor.powf(share.clamp(0.0, 1.0));
        }
        self
    }

    /// Returns the score of a file: 0 where nothing speaks for it.
    pub fn score(&self, evidence: &Evidence, of: Traits) -> f32 {
        let Traits { marks, is_code, is_changelog, requests_tests } = of;
        let bent = |value: f32| match value > self.knee {
            true => self.knee + (value / self.knee).ln() * self.knee * 0.5,
            false => value,
        };
        let signals =
            Signal::ALL.iter().map(|&of| self.signals[of as usize] * bent(evidence.get(of)));
        let mut score: f32 = signals.sum();
        if marks.test && !requests_tests {
            score *= self.test;
        }
        if marks.ranks_last() {
            score *= self.others;
        }
        if marks.declaration {
            score *= self.declaration;
        }
        // A document that the task names is meant.
        if !is_code && evidence.get(Signal::Path) == 0.0 {
            score *= self.document;
            if is_changelog {
                score *= self.changelog;
            }
        }
        score
    }
}

impl fmt::Display for Evidence {
    /// The signals that say something, the strongest by the default weights first: `def:from_file`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, why) in self.why().iter().enumerate() {
            let blank = if at > 0 { " " } else { "" };
            write!(f, "{blank}{why}")?;
        }
        Ok(())
    }
}

impl Evidence {
    /// Returns the signals that say something, each with what it is about, the strongest by the
    /// default weights first.
    pub fn why(&self) -> Vec<String> {
        let mut said: Vec<(f32, Signal)> = Signal::ALL
            .into_iter()
            .filter(|&signal| self.get(signal) > 0.0 && signal.is_told())
            .map(|signal| (Weights::DEFAULT.signals[signal as usize] * self.get(signal), signal))
            .collect();
        said.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let tell = |(_, signal): (f32, Signal)| match self.about(signal) {
            Some(about) => format!("{}:{about}", signal.word()),
            None => signal.word().to_owned(),
        };
        said.into_iter().map(tell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_less_in_a_report() {
        let (mut named, mut worded) = (Evidence::default(), Evidence::default());
        named.add(Signal::Defines, 1.0, Some("name"));
        named.add(Signal::Text, 0.5, None);
        worded.add(Signal::Text, 0.8, None);
        let code = Traits { is_code: true, ..Traits::default() };
        let is_named_first = |words| {
            let weights = Weights::DEFAULT.for_task(words);
            weights.score(&named, code) > weights.score(&worded, code)
        };
        assert!(is_named_first(0) && is_named_first(15) && !is_named_first(60));
        assert_eq!(Weights::DEFAULT.for_task(3), Weights::DEFAULT);
        assert_eq!(Weights::DEFAULT.for_task(60), Weights::DEFAULT.for_task(6_000));
    }

    #[test]
    fn evidence_adds_up_and_marks_damp_it() {
        let weights = Weights::DEFAULT;
        let mut evidence = Evidence::default();
        let code = Traits { is_code: true, ..Traits::default() };
        let of_marks = |marks: Marks| Traits { marks, ..code };
        assert_eq!(weights.score(&evidence, code), 0.0);
        evidence.add(Signal::Text, 0.5, None);
        let text = weights.score(&evidence, code);
        evidence.add(Signal::Defines, 1.0, Some("add_item"));
        let both = weights.score(&evidence, code);
        assert!(both > text && text > 0.0);
        let test = of_marks(Marks { test: true, ..Marks::default() });
        assert!(weights.score(&evidence, test) < both);
        assert_eq!(weights.score(&evidence, Traits { requests_tests: true, ..test }), both);
        let vendored = of_marks(Marks { vendored: true, ..Marks::default() });
        assert!(weights.score(&evidence, vendored) < both);
        let document = weights.score(&evidence, Traits::default());
        assert!(document < both);
        let changelog = Traits { is_changelog: true, ..Traits::default() };
        assert!(weights.score(&evidence, changelog) < document);
        assert_eq!(evidence.why(), ["text", "def:add_item"]);
        // More of the same says less and less.
        evidence.add(Signal::Defines, 20.0, Some("other"));
        assert!(weights.score(&evidence, code) < 4.0 * both);
        assert_eq!(evidence.to_string(), "def:other text");
    }
}
