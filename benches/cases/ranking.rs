//! `ranking/…`: what `codedb context` lists first in three packages of the corpus, each indexed as
//! a tree of its own without history, compared with the text in bench-corpus/rankings.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::corpus::{Outcome, tree};
use super::golden::{Golden, Ranked, difference};
use super::options::Options;
use super::stage::Stage;
use super::{print, print_message};

/// The files and the definitions of a task that are compared.
const FILES: usize = 5;
const DEFINITIONS: usize = 5;

/// The packages, by registry.
const PACKAGES: &[&str] = &["crates/memchr", "npm/expo-modules-core", "pypi/jinja2"];

/// Compares the rankings of the selected packages. Returns the number of tasks.
///
/// # Errors
///
/// If a ranking is another one; the lines that differ are printed.
pub(crate) fn check(stage: &Stage, folder: &Path, options: &Options) -> Outcome<usize> {
    let (mut tasks, mut wrong) = (0, 0);
    for package in selected(options) {
        let (_, golden) = read(folder, package)?;
        let found = ranked(stage, package, &golden)?;
        tasks += found.tasks.len();
        for (expected, found) in golden.tasks.iter().zip(&found.tasks) {
            let difference = difference(expected, found);
            if !difference.is_empty() {
                wrong += 1;
                print_message(&format!("ranking/{}: {difference}", name(package)));
            }
        }
    }
    match wrong {
        0 => Ok(tasks),
        1 => Err("a ranking is another one (--bless writes it)".to_owned()),
        wrong => Err(format!("{wrong} rankings are other ones (--bless writes them)")),
    }
}

/// Writes the current rankings of the selected packages and prints the lines that changed.
///
/// # Errors
///
/// If a file cannot be read or written, or the program fails.
pub(crate) fn bless(stage: &Stage, folder: &Path, options: &Options) -> Outcome<()> {
    for package in selected(options) {
        let (path, golden) = read(folder, package)?;
        let found = ranked(stage, package, &golden)?;
        for (expected, found) in golden.tasks.iter().zip(&found.tasks) {
            print(&difference(expected, found));
        }
        fs::write(&path, found.text()).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Returns whether the filter selects a ranking.
pub(crate) fn is_selected(options: &Options) -> bool {
    selected(options).next().is_some()
}

fn selected(options: &Options) -> impl Iterator<Item = &'static str> {
    let is_selected = |package: &&str| options.is_selected(&format!("ranking/{}", name(package)));
    PACKAGES.iter().copied().filter(is_selected)
}

/// Returns the name of a package without that of its registry.
fn name(package: &str) -> &str {
    package.rsplit('/').next().unwrap_or(package)
}

fn read(folder: &Path, package: &str) -> Outcome<(PathBuf, Golden)> {
    let path = folder.join(format!("{}.txt", name(package)));
    let fail = |error: String| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
    let golden = Golden::parse(&text).map_err(fail)?;
    Ok((path, golden))
}

/// Returns `golden` with the rankings of this build.
fn ranked(stage: &Stage, package: &str, golden: &Golden) -> Outcome<Golden> {
    let place = stage.scratch.path().join("rankings").join(name(package));
    let (root, index_dir) = (place.join("tree"), place.join("index"));
    copy(&stage.corpus.tree.join(package), &root)?;
    stage.output_at(&root, &index_dir, &["index", "--no-progress"])?;
    let mut golden = golden.clone();
    for ranked in &mut golden.tasks {
        let args = ["context", "--json", "--", &ranked.task];
        let reply = stage.output_at(&root, &index_dir, &args)?;
        let reply: Value = serde_json::from_str(&reply)
            .map_err(|error| format!("`codedb context --json`: {error}"))?;
        *ranked = Ranked { task: std::mem::take(&mut ranked.task), lines: lines(&reply) };
    }
    fs::remove_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    Ok(golden)
}

/// Returns the first files of a reply, numbered, and its first definitions.
fn lines(reply: &Value) -> Vec<String> {
    let of = |key: &str| reply[key].as_array().map(Vec::as_slice).unwrap_or_default().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let files = of("files").take(FILES).enumerate();
    let mut lines: Vec<String> =
        files.map(|(at, file)| format!("{} {}", at + 1, text(&file["path"]))).collect();
    for symbol in of("symbols").take(DEFINITIONS) {
        let name = symbol.get("qualified_name").unwrap_or(&symbol["name"]);
        lines.push(format!("{} in {}", text(name), text(&symbol["path"])));
    }
    lines
}

/// Copies the files of the directory `from` to the new directory `to`, without the history that is
/// around `from`.
fn copy(from: &Path, to: &Path) -> Outcome<()> {
    for file in tree::files(from)? {
        let path = to.join(&file);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::copy(from.join(&file), &path).map(drop))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
