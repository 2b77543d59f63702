//! Relevance of files to a task: named signals, combined into one score.
//!
//! A score is a weighted sum of signals, multiplied by factors for the kind of file (a test,
//! generated code, a document). [`Weights`] holds all weights; no other module orders files for a
//! task.

use serde::{Deserialize, Serialize};

use crate::base::text;
use crate::index::text::{Bm25, ByField, K3, Term};
use crate::lang::Marks;

/// A relevance signal. Its discriminant is its index in [`Evidence`].
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Signal {
    /// The text of the file matches the words of the task (BM25).
    Text,
    /// The file defines an identifier that the task mentions.
    Defines,
    /// The task mentions the path of the file, its name or one of its directories.
    Path,
    /// The file occurs in a stack trace of the task.
    Stack,
    /// The file contains an identifier that the task mentions.
    Uses,
    /// The name of the file consists of words of the task.
    Stem,
    /// The file contains the words of the task, possibly in different chunks.
    Covers,
    /// The file defines a name that a plain word of the task spells.
    Named,
    /// The file contains a text that the task quotes, or a part of it.
    Says,
    /// The file was changed by commits whose subjects match the words of the task.
    Commits,
    /// The file was changed recently.
    Recent,
    /// The file often changes together with the files that rank highest without this signal.
    Together,
    /// A directory around the file is named by a word of the title.
    Folder,
    /// The whole file matches the words of the task (BM25, normalised by length).
    Whole,
    /// The best chunk of the file matches the words of the task.
    Chunk,
    /// One definition of the file matches the words of the task.
    Definition,
    /// Two neighbouring lines of the file contain words of the task.
    Proximity,
    /// The newest commits changed the file, some more than once.
    Active,
}

/// Maximum length, in bytes, of the name stored with a signal.
const ABOUT_BYTES_MAX: usize = 80;

/// Distinct words up to which a task is treated as a commit subject, and from which it is treated
/// as a bug report.
const SUBJECT_WORDS: f32 = 15.0;
const REPORT_WORDS: f32 = 60.0;

/// Number of signals.
pub const SIGNALS: usize = 18;

impl Signal {
    /// All signals, in order of their discriminants.
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
        Signal::Whole,
        Signal::Chunk,
        Signal::Definition,
        Signal::Proximity,
        Signal::Active,
    ];

    /// Returns false for signals that explain nothing, since almost every file has them.
    fn is_explanatory(self) -> bool {
        !matches!(self, Signal::Covers | Signal::Recent)
    }

    /// Returns the label of the signal in replies.
    pub fn label(self) -> &'static str {
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
            Signal::Active => "active",
            Signal::Whole | Signal::Chunk | Signal::Definition | Signal::Proximity => "text",
        }
    }
}

/// The values of all signals for one file. 0 means no evidence, 1 one clear piece of evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    values: [f32; SIGNALS],
    /// The strongest named source of each signal that has one. Most files have few.
    sources: Vec<NamedSource>,
}

#[derive(Clone, Debug, PartialEq)]
struct NamedSource {
    signal: Signal,
    value: f32,
    /// `None` if the strongest source has no name.
    name: Option<String>,
}

impl Evidence {
    /// Returns the value of a signal.
    pub fn get(&self, signal: Signal) -> f32 {
        self.values[signal as usize]
    }

    /// Returns the values of all signals, by discriminant.
    pub fn values(&self) -> [f32; SIGNALS] {
        self.values
    }

    /// Returns evidence with these values and no names.
    pub fn of(values: [f32; SIGNALS]) -> Evidence {
        Evidence { values, ..Evidence::default() }
    }

    /// Adds `value` to a signal; `about` names the source.
    pub fn add(&mut self, signal: Signal, value: f32, about: Option<&str>) {
        self.values[signal as usize] += value;
        let strongest = self.sources.iter_mut().find(|source| source.signal == signal);
        let name = || about.map(|about| text::start(about, ABOUT_BYTES_MAX).to_owned());
        match strongest {
            Some(source) if source.name.is_none() || value > source.value => {
                (source.value, source.name) = (value, name());
            }
            Some(_) => {}
            None if about.is_some() => {
                self.sources.push(NamedSource { signal, value, name: name() });
            }
            None => {}
        }
    }

    /// Returns the name of the strongest source of a signal, if it has one.
    pub fn about(&self, signal: Signal) -> Option<&str> {
        self.sources.iter().find(|source| source.signal == signal)?.name.as_deref()
    }
}

/// The kind of a task, which decides the weights.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskKind {
    /// A commit message or a bug report. The changed files are often large and often changed.
    #[default]
    Change,
    /// A question, a request in one sentence, or a bare name. The answer is often in a small file,
    /// so scores are normalised by the length of the file.
    Question,
}

/// Properties of a file (and of the task) that reduce its score.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Traits {
    /// Classification by path and first lines.
    #[serde(with = "marks_as_bits")]
    pub marks: Marks,
    /// The file is source code, not a document or data.
    pub is_code: bool,
    /// The file is a changelog.
    pub is_changelog: bool,
    /// The file is an example, a benchmark, a demonstration or a bundled dependency.
    #[serde(default)]
    pub is_aside: bool,
    /// The task requests tests.
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

/// The weights of the signals and the factors that reduce a score.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Weight of each signal for a task of the length of a commit subject.
    pub signals: [f32; SIGNALS],
    /// Weight of each signal for a bug report; see [`Weights::for_task`].
    pub report: [f32; SIGNALS],
    /// Weight of each signal for a question; see [`TaskKind::Question`].
    pub question: [f32; SIGNALS],
    /// Signal value above which growth is logarithmic.
    pub knee: f32,
    /// Factor for tests, unless the task requests tests.
    pub test: f32,
    /// The same for a question.
    pub question_test: f32,
    /// Factor for examples, benchmarks and the like; see [`Traits::is_aside`].
    pub aside: f32,
    /// Factor for generated, vendored and minified files.
    pub others: f32,
    /// Factor for files of declarations without definitions.
    pub declaration: f32,
    /// Factor for documents and data.
    pub document: f32,
    /// Factor for changelogs, which mention every feature.
    pub changelog: f32,
    /// Weights of the query terms, by the part of the task that contains them.
    pub words: WordWeights,
    /// Parameters of BM25.
    pub bm25: Bm25,
    /// Weight of an occurrence in each field of the text index.
    pub fields: ByField,
    /// Weight of the file's score in the score of a function.
    pub function_file: f32,
    /// Weight of the BM25 score of the function's lines.
    pub function_text: f32,
    /// Bonus if the task names the function.
    pub function_named: f32,
}

/// Weights of query terms by their position in the task.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct WordWeights {
    /// In the title.
    pub title: f32,
    /// In identifiers that the prose mentions.
    pub mentioned: f32,
    /// In the prose.
    pub prose: f32,
    /// In quoted code and program output.
    pub code: f32,
    /// Query term-frequency saturation (BM25 k3); see [`K3`].
    pub k3: f32,
    /// Factor for words that are common to bug reports, outside the title.
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
    /// The default weights.
    pub const DEFAULT: Weights = Weights {
        signals: [
            0.35, 0.1, 0.45, 1.0, 0.5, 0.4, 0.0, 0.1, 0.5, 0.45, 0.15, 0.05, 0.45, 0.4, 0.3, 0.0,
            0.0, 0.4,
        ],
        report: [
            1.0, 0.126, 0.44, 0.24, 0.06, 0.1, 0.24, 0.02, 0.12, 0.12, 0.024, 0.04, 0.1, 0.0, 0.0,
            0.0, 0.0, 0.0,
        ],
        question: [
            0.0, 0.45, 1.1, 0.6, 0.15, 0.25, 0.0, 0.05, 0.3, 0.3, 0.03, 0.05, 0.25, 1.2, 0.6, 0.6,
            0.6, 0.0,
        ],
        knee: 1.0,
        test: 0.45,
        question_test: 0.35,
        aside: 0.6,
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

    /// Returns the weights for a task with `words` distinct words: for a question those of
    /// questions; otherwise the subject weights up to 15 words, the report weights from 60,
    /// interpolated in the logarithm of `words` between. A report mentions much that is not its
    /// topic, names above all, but its words together identify the topic better.
    #[must_use]
    pub fn for_task(mut self, kind: TaskKind, words: usize) -> Weights {
        if kind == TaskKind::Question {
            return Weights { signals: self.question, test: self.question_test, ..self };
        }
        let (subject, report) = (SUBJECT_WORDS.ln(), REPORT_WORDS.ln());
        let share = ((words.max(1) as f32).ln() - subject) / (report - subject);
        let share = share.clamp(0.0, 1.0);
        for (signal, report) in self.signals.iter_mut().zip(self.report) {
            *signal = *signal * (1.0 - share) + report * share;
        }
        self
    }

    /// Returns what a signal adds to the score of a file before the factors for its kind.
    pub fn contribution(&self, evidence: &Evidence, of: Signal) -> f32 {
        let value = evidence.get(of);
        let saturated = if value > self.knee {
            self.knee + (value / self.knee).ln() * self.knee * 0.5
        } else {
            value
        };
        self.signals[of as usize] * saturated
    }

    /// Returns the labels of the explanatory signals that contributed to the score of a file, each
    /// with the name of its strongest source, in descending order of their contributions. Signals of
    /// the text share one label and add up.
    pub fn why(&self, evidence: &Evidence) -> Vec<String> {
        let mut present: Vec<(f32, String)> = Vec::new();
        for signal in Signal::ALL.into_iter().filter(|signal| signal.is_explanatory()) {
            let contribution = self.contribution(evidence, signal);
            let label = match evidence.about(signal) {
                Some(about) => format!("{}:{about}", signal.label()),
                None => signal.label().to_owned(),
            };
            match present.iter_mut().find(|(_, other)| *other == label) {
                Some((sum, _)) => *sum += contribution,
                None if contribution > 0.0 => present.push((contribution, label)),
                None => {}
            }
        }
        // The sort is stable: among equal contributions, the order is that of the signals.
        present.sort_by(|a, b| b.0.total_cmp(&a.0));
        present.into_iter().map(|(_, label)| label).collect()
    }

    /// Returns the score of a file; 0 without evidence.
    pub fn score(&self, evidence: &Evidence, of: Traits) -> f32 {
        let Traits { marks, is_code, is_changelog, is_aside, requests_tests } = of;
        let signals = Signal::ALL.iter().map(|&of| self.contribution(evidence, of));
        let mut score: f32 = signals.sum();
        if marks.test && !requests_tests {
            score *= self.test;
        }
        if marks.ranks_last() {
            score *= self.others;
        }
        if is_aside && evidence.get(Signal::Path) == 0.0 {
            score *= self.aside;
        }
        if marks.declaration {
            score *= self.declaration;
        }
        // A document that the task names by its path is not reduced.
        if !is_code && evidence.get(Signal::Path) == 0.0 {
            score *= self.document;
            if is_changelog {
                score *= self.changelog;
            }
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_a_lower_weight_in_a_report() {
        let (mut named, mut worded) = (Evidence::default(), Evidence::default());
        named.add(Signal::Defines, 1.0, Some("name"));
        named.add(Signal::Uses, 1.0, Some("name"));
        named.add(Signal::Text, 0.5, None);
        worded.add(Signal::Text, 0.8, None);
        let code = Traits { is_code: true, ..Traits::default() };
        let is_named_first = |words| {
            let weights = Weights::DEFAULT.for_task(TaskKind::Change, words);
            weights.score(&named, code) > weights.score(&worded, code)
        };
        assert!(is_named_first(0) && is_named_first(15) && !is_named_first(60));
        assert_eq!(Weights::DEFAULT.for_task(TaskKind::Change, 3), Weights::DEFAULT);
        let of = |words| Weights::DEFAULT.for_task(TaskKind::Change, words);
        assert_eq!(of(60), of(6_000));
    }

    #[test]
    fn evidence_accumulates_and_marks_reduce_the_score() {
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
        assert_eq!(weights.why(&evidence), ["text", "def:add_item"]);
        // Further evidence of the same signal saturates.
        evidence.add(Signal::Defines, 20.0, Some("other"));
        assert!(weights.score(&evidence, code) < 4.0 * both);
        assert_eq!(weights.why(&evidence), ["def:other", "text"]);
    }
}
