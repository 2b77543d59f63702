//! What the colours of a map show: a class of the style sheet for the files of a rectangle, and the value in
//! words.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::ids::FileId;
use crate::catalog::Catalog;
use crate::catalog::derived::Derived;
use crate::catalog::file_list::FileList;
use crate::catalog::folders::Folders;
use crate::error::Result;
use crate::history::activity::FileActivity;
use crate::history::people::PersonId;
use crate::history::{Activity, CommitId};
use crate::source::secret;
use crate::tools::{Call, analysis, paths, risk_map};

use super::sizes::Sizes;

/// What colours stand for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Colour {
    Language,
    Churn,
    Age,
    Risk,
    Ownership,
    Coverage,
}

/// A class of the style sheet, and what it stands for.
pub(super) type Key = (&'static str, String);

/// The class of files for which nothing is known.
pub(super) const UNKNOWN: &str = "s-";

/// The classes of values, the lowest ones first.
const STEPS: [&str; 6] = ["s0", "s1", "s2", "s3", "s4", "s5"];

/// The classes of languages.
const LANGUAGES: [&str; 8] = ["l0", "l1", "l2", "l3", "l4", "l5", "l6", "l7"];

/// The class of other languages.
const OTHER: &str = "l8";

const DAY_S: i64 = 86_400;

impl Colour {
    pub(super) const ALL: [Colour; 6] = [
        Colour::Language,
        Colour::Churn,
        Colour::Age,
        Colour::Risk,
        Colour::Ownership,
        Colour::Coverage,
    ];

    /// Returns the colours with a name of an address; those of languages for any other name.
    pub(super) fn named(name: &str) -> Colour {
        Colour::ALL.into_iter().find(|colour| colour.name() == name).unwrap_or(Colour::Language)
    }

    /// Returns its name in addresses.
    pub(super) fn name(self) -> &'static str {
        match self {
            Colour::Language => "language",
            Colour::Churn => "churn",
            Colour::Age => "age",
            Colour::Risk => "risk",
            Colour::Ownership => "ownership",
            Colour::Coverage => "coverage",
        }
    }

    /// Returns its name for people.
    pub(super) fn title(self) -> &'static str {
        match self {
            Colour::Language => "Language",
            Colour::Churn => "Churn",
            Colour::Age => "Age",
            Colour::Risk => "Risk",
            Colour::Ownership => "Ownership",
            Colour::Coverage => "Coverage",
        }
    }

    /// Returns what the value of a file is, and that of a folder.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Colour::Language => "the language with the most lines",
            Colour::Churn => "commits that changed a file; of a folder, their mean",
            Colour::Age => {
                "time since the last commit that changed a file, or any file of a folder"
            }
            Colour::Risk => {
                "the score of a source file (page Risk); of a folder, the mean by lines"
            }
            Colour::Ownership => {
                "the share of the main author in the commits, recent ones counting more"
            }
            Colour::Coverage => "executed lines of functions at the last import of coverage",
        }
    }

    /// Returns the words for the steps of a value.
    fn steps(self) -> &'static [&'static str] {
        match self {
            Colour::Language => &[],
            Colour::Churn => &["0–1", "2–4", "5–14", "15–39", "40–99", "100 and more"],
            // Recent changes have the strongest colour.
            Colour::Age => &[
                "over 5 years",
                "to 5 years",
                "to 2 years",
                "to 6 months",
                "to 2 months",
                "to 2 weeks",
            ],
            Colour::Risk => &["under 0.2", "to 0.35", "to 0.5", "to 0.65", "to 0.8", "over 0.8"],
            Colour::Ownership => {
                &["under 25 %", "to 40 %", "to 55 %", "to 70 %", "to 85 %", "over 85 %"]
            }
            // Gaps have the strongest colour.
            Colour::Coverage => {
                &["over 95 %", "to 95 %", "to 80 %", "to 60 %", "to 40 %", "under 20 %"]
            }
        }
    }
}

/// Why there are no values: a sentence, and what to do.
pub(super) struct Missing {
    pub(super) message: String,
    pub(super) hint: String,
}

impl From<analysis::Missing> for Missing {
    fn from(missing: analysis::Missing) -> Missing {
        Missing { message: missing.message, hint: missing.hint }
    }
}

/// Gives files their colours.
pub(super) struct Painter<'a> {
    colour: Colour,
    list: &'a FileList,
    folders: &'a Folders,
    sizes: &'a Sizes,
    values: Values,
}

enum Values {
    /// The class of each language.
    Languages(BTreeMap<&'static str, &'static str>),
    Activity(Arc<Activity>, i64),
    /// The score of each file; not a number where there is none.
    Risk(Arc<Vec<f32>>),
    /// The executed and the executable lines of each file.
    Coverage(BTreeMap<String, (u64, u64)>),
}

impl<'a> Painter<'a> {
    /// Returns what colours the files of a folder, or why nothing is known.
    ///
    /// # Errors
    ///
    /// If the tree, its index or the recorded data cannot be read.
    pub(super) fn new(
        call: &Call<'a>,
        colour: Colour,
        sizes: &'a Sizes,
        shown: &Range<usize>,
    ) -> Result<std::result::Result<Painter<'a>, Missing>> {
        let (list, folders) = (call.code.files()?, call.code.folders()?);
        let values = match colour {
            Colour::Language => Values::Languages(classes(list, folders, sizes, shown)),
            Colour::Churn | Colour::Age | Colour::Ownership => match analysis::history(call)? {
                Ok(history) => Values::Activity(
                    history.activity(&analysis::rules(call)),
                    call.now_ns / 1_000_000_000,
                ),
                Err(missing) => return Ok(Err(missing.into())),
            },
            Colour::Risk => Values::Risk(risks(call)?),
            Colour::Coverage => {
                let database = call.code.user_data()?;
                let lines = database.map(|database| database.covered_lines()).transpose()?;
                let lines = lines.unwrap_or_default();
                if lines.is_empty() {
                    return Ok(Err(Missing {
                        message: "no coverage was recorded".to_owned(),
                        hint: "`codedb run --coverage -- COMMAND` measures it while tests run; \
                               `codedb data coverage FILE` imports a report"
                            .to_owned(),
                    }));
                }
                Values::Coverage(lines)
            }
        };
        Ok(Ok(Painter { colour, list, folders, sizes, values }))
    }

    /// Returns what each class stands for, as far as it is known before files are coloured.
    pub(super) fn legend(&self) -> Vec<Key> {
        let steps = STEPS.iter().zip(self.colour.steps());
        let mut keys: Vec<Key> = steps.map(|(class, of)| (*class, (*of).to_owned())).collect();
        match &self.values {
            Values::Languages(classes) => {
                let mut named: Vec<Key> =
                    classes.iter().map(|(name, class)| (*class, (*name).to_owned())).collect();
                named.sort();
                keys.extend(named);
                keys.push((OTHER, "other languages".to_owned()));
                keys.push((UNKNOWN, "no language".to_owned()));
            }
            _ => keys.push((UNKNOWN, "no data".to_owned())),
        }
        keys
    }

    /// Returns the class of files together, and their value in words. O(files).
    pub(super) fn paint(&self, files: &Range<usize>) -> Key {
        let nothing = || (UNKNOWN, "no data".to_owned());
        match &self.values {
            Values::Languages(classes) => {
                let lines = languages(self.folders, self.sizes, files);
                // Of equal ones the first by name.
                let most = lines.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
                most.map_or_else(
                    || (UNKNOWN, "no language".to_owned()),
                    |(name, _)| (classes.get(name).copied().unwrap_or(OTHER), (*name).to_owned()),
                )
            }
            Values::Activity(activity, now_s) => {
                let found = files.clone().filter_map(|at| activity.file(self.list.path(at)));
                let value = match self.colour {
                    Colour::Churn => churn(found, files.len()),
                    Colour::Age => age(found, *now_s),
                    _ => owner(found, activity),
                };
                value.unwrap_or_else(nothing)
            }
            Values::Risk(scores) => {
                let (mut sum, mut weights) = (0.0, 0.0);
                for at in files.clone().filter(|at| scores.get(*at).is_some_and(|it| !it.is_nan()))
                {
                    let weight = (self.sizes.lines(&(at..at + 1)) + 1) as f64;
                    sum += weight * f64::from(scores[at]);
                    weights += weight;
                }
                if weights == 0.0 {
                    return nothing();
                }
                let score = sum / weights;
                (step(score, &[0.2, 0.35, 0.5, 0.65, 0.8]), format!("risk {score:.2}"))
            }
            Values::Coverage(lines) => {
                let of =
                    |at: usize| lines.get(String::from_utf8_lossy(self.list.path(at)).as_ref());
                let of = files.clone().filter_map(of);
                let (executed, all) = of.fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
                if all == 0 {
                    return nothing();
                }
                let share = executed as f64 / all as f64;
                let class = step(1.0 - share, &[0.05, 0.2, 0.4, 0.6, 0.8]);
                (class, format!("{:.0} % of {all} lines executed", share * 100.0))
            }
        }
    }
}

/// Returns the class of a value: the number of limits that it is not below.
fn step(value: f64, limits: &[f64; 5]) -> &'static str {
    STEPS[limits.iter().filter(|limit| value >= **limit).count()]
}

fn churn<'f>(found: impl Iterator<Item = &'f FileActivity>, files: usize) -> Option<Key> {
    let (commits, known) =
        found.fold((0_u64, 0), |sum, file| (sum.0 + u64::from(file.commits), sum.1 + 1));
    if known == 0 {
        return None;
    }
    let mean = commits as f64 / files.max(1) as f64;
    let words = match files {
        1 => crate::base::text::counted(commits as usize, "commit"),
        _ => format!("{mean:.1} commits a file"),
    };
    Some((step(mean, &[1.5, 4.5, 14.5, 39.5, 99.5]), words))
}

fn age<'f>(found: impl Iterator<Item = &'f FileActivity>, now_s: i64) -> Option<Key> {
    let last_s = found.filter(|file| file.commits > 0).map(|file| file.last_s).max()?;
    let days = (now_s.saturating_sub(last_s) / DAY_S).max(0);
    let words = match days {
        0 => "changed today".to_owned(),
        1 => "changed yesterday".to_owned(),
        2..60 => format!("changed {days} days ago"),
        60..730 => format!("changed {} months ago", days * 12 / 365),
        _ => format!("changed {} years ago", days / 365),
    };
    // Younger changes have the stronger colour.
    let older = [14, 61, 183, 731, 1827].iter().filter(|limit| days > **limit).count();
    Some((STEPS[5 - older], words))
}

fn owner<'f>(found: impl Iterator<Item = &'f FileActivity>, activity: &Activity) -> Option<Key> {
    let mut weights: BTreeMap<PersonId, f64> = BTreeMap::new();
    for share in found.flat_map(|file| &file.people) {
        *weights.entry(share.person).or_default() += share.weight;
    }
    let all: f64 = weights.values().sum();
    let (person, weight) = weights.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    if all <= 0.0 {
        return None;
    }
    let name = secret::redacted(activity.people().person(person).name.clone());
    let share = weight / all;
    let class = step(share, &[0.25, 0.4, 0.55, 0.7, 0.85]);
    Some((class, format!("{name} {:.0} %", share * 100.0)))
}

/// Returns the lines of each language in files. O(files).
fn languages(
    folders: &Folders,
    sizes: &Sizes,
    files: &Range<usize>,
) -> BTreeMap<&'static str, u64> {
    let mut lines: BTreeMap<&'static str, u64> = BTreeMap::new();
    for at in files.clone() {
        if let Some(language) = folders.language(at) {
            *lines.entry(language).or_default() += sizes.lines(&(at..at + 1));
        }
    }
    lines.retain(|_, lines| *lines > 0);
    lines
}

/// Returns the classes of the languages with the most lines in the files that are shown. A language that is
/// frequent in the whole tree has the same class in every folder.
fn classes(
    list: &FileList,
    folders: &Folders,
    sizes: &Sizes,
    shown: &Range<usize>,
) -> BTreeMap<&'static str, &'static str> {
    let most = |files: &Range<usize>| {
        let lines = languages(folders, sizes, files);
        let mut lines: Vec<(&'static str, u64)> = lines.into_iter().collect();
        lines.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        lines.into_iter().take(LANGUAGES.len()).map(|(name, _)| name).collect::<Vec<_>>()
    };
    let (all, of_shown) = (most(&(0..list.len())), most(shown));
    let mut classes: BTreeMap<&'static str, &'static str> = BTreeMap::new();
    for (name, class) in all.iter().zip(LANGUAGES) {
        if of_shown.contains(name) {
            classes.insert(name, class);
        }
    }
    let taken: Vec<&str> = classes.values().copied().collect();
    let mut free = LANGUAGES.iter().filter(|class| !taken.contains(class));
    for name in of_shown {
        if let std::collections::btree_map::Entry::Vacant(entry) = classes.entry(name)
            && let Some(class) = free.next()
        {
            entry.insert(class);
        }
    }
    classes
}

/// The scores that are kept with a catalog, and what else they depend on.
#[derive(Default)]
struct KeptRisks(Mutex<Option<(RiskKey, Arc<Vec<f32>>)>>);

/// The commit of the history, and the functions with coverage.
type RiskKey = (Option<CommitId>, u64);

impl Derived for KeptRisks {
    fn without(&self, _: &[FileId]) -> KeptRisks {
        KeptRisks::default()
    }
}

/// Returns the risk of each file, in the order of files; not a number for those that have none.
fn risks(call: &Call<'_>) -> Result<Arc<Vec<f32>>> {
    let catalog: &Catalog = call.code.catalog(&[])?;
    let head = call.code.history()?.and_then(|history| history.log().origin().head);
    let covered = call.code.user_data().ok().flatten().and_then(|data| data.covered_count().ok());
    let key = (head, covered.unwrap_or_default());
    let kept = catalog.derived::<KeptRisks>();
    let known = kept.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((of, scores)) = known
        && of == key
    {
        return Ok(scores);
    }
    let mut scores = vec![f32::NAN; catalog.files().len()];
    for (path, score) in risk_map::scores(call)? {
        if let Some(at) = paths::listed(catalog.files(), path.as_bytes()) {
            scores[at] = score as f32;
        }
    }
    let scores = Arc::new(scores);
    *kept.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((key, Arc::clone(&scores)));
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_steps() {
        assert_eq!(step(0.0, &[1.0, 2.0, 3.0, 4.0, 5.0]), "s0");
        assert_eq!(step(2.0, &[1.0, 2.0, 3.0, 4.0, 5.0]), "s2");
        assert_eq!(step(9.0, &[1.0, 2.0, 3.0, 4.0, 5.0]), "s5");
        for colour in Colour::ALL {
            let steps = colour.steps().len();
            assert!(steps == STEPS.len() || colour == Colour::Language, "{steps}");
            assert_eq!(Colour::named(colour.name()), colour);
        }
    }

    #[test]
    fn folders_have_means_and_the_newest_change() {
        let file = |commits, days: i64| FileActivity {
            commits,
            last_s: 1_000 * DAY_S - days * DAY_S,
            ..FileActivity::default()
        };
        let files = [file(1, 900), file(9, 3)];
        assert_eq!(churn(files.iter(), 2), Some(("s2", "5.0 commits a file".to_owned())));
        assert_eq!(churn(files[..1].iter(), 1), Some(("s0", "1 commit".to_owned())));
        assert_eq!(churn([].iter(), 2), None);
        let now_s = 1_000 * DAY_S;
        assert_eq!(age(files.iter(), now_s), Some(("s5", "changed 3 days ago".to_owned())));
        assert_eq!(age(files[..1].iter(), now_s), Some(("s1", "changed 2 years ago".to_owned())));
    }
}
