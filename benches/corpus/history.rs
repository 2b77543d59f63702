//! A synthetic history for files without one: some files grow, are renamed and merged, by several
//! authors, with changes that are reverted.
//!
//! The history is a function of the files and the seed: always the same commits, and the last
//! commit has the final files. [`draft`](super::draft) computes earlier states of a file,
//! [`stream`](super::stream) writes the history.

use std::io::Write;

use super::Outcome;
use super::draft::Draft;
use super::random::Random;
use super::stream::{Change, Mark, Signature, Stream};

/// The time of the first commit: 1 March 2021.
const BEGIN_S: u64 = 1_614_556_800;

/// The longest pause between two commits.
const PAUSE_S_MAX: usize = 40 * 3600;

/// The sizes of files that change in the history.
const BYTES_MIN: usize = 200;
const BYTES_MAX: usize = 64 << 10;

/// The maximum number of files of a commit.
const TOGETHER_MAX: usize = 4;

/// The branch into which the others are merged.
pub(crate) const BRANCH: &str = "main";

const AUTHORS: [(&str, i8); 7] = [
    ("Ada Lindqvist <ada@example.org>", 1),
    ("Bo Jensen <bo@example.org>", 1),
    ("Chiara Núñez <chiara@example.org>", -3),
    ("Dmitri Volkov <dmitri@example.org>", 3),
    ("Eun-ji Park <eunji@example.org>", 9),
    ("Farid Haddad <farid@example.org>", 2),
    ("小林 <kobayashi@example.org>", 9),
];

/// The files of a tree.
pub(crate) trait Files {
    /// Returns their paths, in the order of their bytes.
    fn paths(&self) -> &[String];

    /// Returns the content of a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn read(&self, path: &str) -> Outcome<Vec<u8>>;
}

/// A file that changes in the history.
struct Subject<'f> {
    path: &'f str,
    /// The first path, until the file is renamed.
    earlier: Option<String>,
    draft: Draft,
}

impl Subject<'_> {
    fn path(&self) -> &str {
        self.earlier.as_deref().unwrap_or(self.path)
    }
}

/// Writes the history of `files`, of which `subjects` change; returns the number of commits.
///
/// # Errors
///
/// If a file cannot be read, or the stream not be written.
pub(crate) fn write(
    files: &dyn Files,
    subjects: usize,
    seed: u64,
    out: &mut dyn Write,
) -> Outcome<u32> {
    let mut random = Random::new(seed);
    let subjects = choose(files, subjects, &mut random)?;
    let stream = Stream::new(out);
    let mut writer =
        HistoryWriter { subjects, stream, random, seconds: BEGIN_S, tip: None, topics: 0 };
    writer.import(files)?;
    writer.write_commits().map_err(|error| format!("the history cannot be written: {error}"))?;
    Ok(writer.stream.commits())
}

/// Chooses the files that change, in path order.
fn choose<'f>(files: &'f dyn Files, max: usize, random: &mut Random) -> Outcome<Vec<Subject<'f>>> {
    let mut drawn: Vec<(u64, &String)> =
        files.paths().iter().map(|path| (random.next(), path)).collect();
    drawn.sort_unstable();
    let mut subjects = Vec::new();
    for (number, path) in drawn {
        if subjects.len() == max {
            break;
        }
        let text = files.read(path)?;
        let is_long_enough = (BYTES_MIN..=BYTES_MAX).contains(&text.len());
        if !is_long_enough || text.contains(&0) {
            continue;
        }
        // Only a few files change often.
        let steps = match number % 32 {
            0..=15 => 1,
            16..=25 => 2,
            26..=30 => 4,
            _ => 12,
        };
        let Some(draft) = Draft::new(text, steps, random) else { continue };
        let earlier = (number / 32 % 9 == 0).then(|| former(path));
        let earlier = earlier.filter(|earlier| files.paths().binary_search(earlier).is_err());
        subjects.push(Subject { path, earlier, draft });
    }
    subjects.sort_unstable_by_key(|subject| subject.path);
    Ok(subjects)
}

/// Returns the path of a file before its rename.
fn former(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    match folder.rsplit_once('/') {
        Some((above, _)) if path.len().is_multiple_of(2) => format!("{above}/{name}"),
        _ => format!("{folder}/former_{name}").trim_start_matches('/').to_owned(),
    }
}

struct HistoryWriter<'f, 'w> {
    subjects: Vec<Subject<'f>>,
    stream: Stream<'w>,
    random: Random,
    seconds: u64,
    tip: Option<Mark>,
    topics: usize,
}

impl HistoryWriter<'_, '_> {
    /// Writes the first commit, which contains every file; files that change later are in their
    /// first state.
    fn import(&mut self, files: &dyn Files) -> Outcome<()> {
        let fail = |error: std::io::Error| format!("the history cannot be written: {error}");
        let signature = self.signature("");
        let mark = self.stream.commit(BRANCH, signature, "Import\n", &[]).map_err(fail)?;
        for path in files.paths() {
            let found = self.subjects.binary_search_by_key(&path.as_str(), |subject| subject.path);
            let change = match found {
                Ok(at) => {
                    let subject = &self.subjects[at];
                    Change::Content(subject.path(), subject.draft.text())
                }
                Err(_) => Change::Content(path, files.read(path)?),
            };
            self.stream.change(change).map_err(fail)?;
        }
        self.tip = Some(mark);
        Ok(())
    }

    /// Writes all later commits.
    fn write_commits(&mut self) -> std::io::Result<()> {
        while let Some(together) = self.pick(&[]) {
            match self.random.below(24) {
                0 => self.topic(&together)?,
                1 | 2 => self.attempt(together[0])?,
                3..=8 => self.rename(together[0])?,
                _ => self.edit(BRANCH, &together)?,
            }
            for at in together {
                if self.subjects[at].draft.is_done() {
                    self.rename(at)?;
                }
            }
        }
        // Commits on the main branch during the work on the other branch.
        for at in 0..self.subjects.len() {
            self.rename(at)?;
        }
        Ok(())
    }

    /// Picks growing files with nearby paths, except `others`.
    fn pick(&mut self, others: &[usize]) -> Option<Vec<usize>> {
        let grows = |at: &usize| !self.subjects[*at].draft.is_done() && !others.contains(at);
        let growing: Vec<usize> = (0..self.subjects.len()).filter(grows).collect();
        if growing.is_empty() {
            return None;
        }
        let first = self.random.below(growing.len());
        let count = 1 + self.random.below(TOGETHER_MAX);
        Some(growing.into_iter().skip(first).take(count).collect())
    }

    /// Commits a step of each file.
    fn edit(&mut self, branch: &str, together: &[usize]) -> std::io::Result<()> {
        let subject = &mut self.subjects[together[0]];
        let word = word(subject.draft.advance());
        for &other in &together[1..] {
            self.subjects[other].draft.advance();
        }
        let stem = stem(self.subjects[together[0]].path).to_owned();
        let number = 100 + self.random.below(9000);
        let message = match self.random.below(6) {
            0 => format!("Fix {word} in {stem}\n\nFixes #{number}.\n"),
            1 => format!("Fix {stem} where {word} is missing (#{number})\n"),
            2 => format!("Add {word}\n\nIt was wanted in {stem} by several people.\n"),
            3 => format!("{stem}: handle {word}\n"),
            4 => format!("Teach {stem} about {word}\n"),
            _ => format!("Add {word} to {stem} (#{number})\n"),
        };
        let mark = self.begin(branch, &message, together[0])?;
        self.finish(mark, together)
    }

    /// Adds the texts of the files in `together` to the current commit, which becomes the tip.
    fn finish(&mut self, mark: Mark, together: &[usize]) -> std::io::Result<()> {
        for &at in together {
            let Subject { path, earlier, draft } = &self.subjects[at];
            let path = earlier.as_deref().unwrap_or(path);
            self.stream.change(Change::Content(path, draft.text()))?;
        }
        self.tip = Some(mark);
        Ok(())
    }

    /// Commits a change that the next commit reverts.
    fn attempt(&mut self, at: usize) -> std::io::Result<()> {
        let before = self.subjects[at].draft.text();
        let mut longer = before.clone();
        let last = before.len().saturating_sub(400);
        longer.extend_from_slice(&before[last..]);
        let path = self.subjects[at].path().to_owned();
        let subject = format!("Try another end for {}", stem(&path));
        self.tip = Some(self.begin(BRANCH, &format!("{subject}\n"), at)?);
        self.stream.change(Change::Content(&path, longer))?;
        let message = format!("Revert \"{subject}\"\n\nIt broke the build.\n");
        self.tip = Some(self.begin(BRANCH, &message, at)?);
        self.stream.change(Change::Content(&path, before))
    }

    /// Renames a file to its final path.
    fn rename(&mut self, at: usize) -> std::io::Result<()> {
        let Some(earlier) = self.subjects[at].earlier.take() else { return Ok(()) };
        let path = self.subjects[at].path.to_owned();
        let message = format!("Move {} to where it belongs\n", stem(&path));
        self.tip = Some(self.begin(BRANCH, &message, at)?);
        self.stream.change(Change::Rename(&earlier, &path))
    }

    /// A branch of a few commits that is merged after other commits.
    fn topic(&mut self, together: &[usize]) -> std::io::Result<()> {
        self.topics += 1;
        let (branch, fork) = (format!("topic-{}", self.topics), self.tip);
        for at in together {
            self.edit(&branch, &[*at])?;
        }
        let topic = std::mem::replace(&mut self.tip, fork);
        if let Some(others) = self.pick(together) {
            self.edit(BRANCH, &others)?;
        }
        let parents: Vec<Mark> = self.tip.into_iter().chain(topic).collect();
        let signature = self.signature(self.subjects[together[0]].path);
        let message = format!("Merge branch '{branch}'\n");
        let mark = self.stream.commit(BRANCH, signature, &message, &parents)?;
        self.finish(mark, together)
    }

    fn begin(&mut self, branch: &str, message: &str, at: usize) -> std::io::Result<Mark> {
        let signature = self.signature(self.subjects[at].path);
        let parents: Vec<Mark> = self.tip.into_iter().collect();
        self.stream.commit(branch, signature, message, &parents)
    }

    /// The author and time of the next commit. Most files in one directory have the same author.
    fn signature(&mut self, path: &str) -> Signature {
        self.seconds += 1200 + self.random.below(PAUSE_S_MAX) as u64;
        let owner: usize =
            path.split('/').nth(1).unwrap_or_default().bytes().map(usize::from).sum();
        let other = if self.random.below(10) < 7 { 0 } else { self.random.below(AUTHORS.len()) };
        let (author, zone) = AUTHORS[(owner + other) % AUTHORS.len()];
        Signature { author, seconds: self.seconds, zone }
    }
}

/// Returns the first identifier of a text that is long enough for a commit message.
fn word(text: &[u8]) -> String {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words = text.split(|byte| !is_part(byte));
    let good = |word: &&[u8]| (6..=30).contains(&word.len()) && !word[0].is_ascii_digit();
    let found = words.into_iter().find(good).unwrap_or(b"a missing case");
    String::from_utf8_lossy(found).into_owned()
}

/// Returns the name of a file without its extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.split_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}
