//! The results, as tables in Markdown and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use super::super::causes::{self, Failed};
use crate::base::text::{counted, plain};
use crate::eval::context::key::Part;
use crate::eval::context::measure::{Measured, Recall};
use crate::eval::context::summary::{Total, by_language};

/// Tasks whose tree is not there.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Skipped {
    /// The name of the tree.
    pub(super) tree: String,
    /// The ids of the tasks.
    pub(super) tasks: Vec<String>,
}

/// The results.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    /// The token budget of each reply.
    pub(super) budget: usize,
    /// The results, in the order of the files.
    #[serde(rename = "tasks")]
    pub(super) measured: Vec<Measured>,
    /// The tasks without a tree.
    pub(super) skipped: Vec<Skipped>,
}

const HEAD: &str = "files | definitions | lines | tests | tokens | no use | repeated paths | headings, notes | budget used |";

impl Report {
    /// Returns the JSON object.
    pub(super) fn json(&self) -> String {
        #[derive(Serialize)]
        struct Row<'a> {
            language: &'a str,
            #[serde(flatten)]
            total: Total,
        }
        #[derive(Serialize)]
        struct Whole<'a> {
            #[serde(flatten)]
            report: &'a Report,
            languages: Vec<Row<'a>>,
            total: Total,
            causes: BTreeMap<&'static str, usize>,
        }
        let row = |(language, total)| Row { language, total };
        let languages = by_language(&self.measured).into_iter().map(row).collect();
        let causes = causes::counts(&self.failed());
        let whole = Whole { report: self, languages, total: Total::of(&self.measured), causes };
        serde_json::to_string(&whole).unwrap_or_default()
    }

    /// Returns the tables; `is_verbose` adds what each reply lacks.
    pub(super) fn markdown(&self, is_verbose: bool) -> String {
        let mut out = String::new();
        let columns = HEAD.matches('|').count();
        let head = |out: &mut String, first: &str| {
            let _ = writeln!(out, "| {first} | {HEAD}\n| --- |{}", " ---: |".repeat(columns));
        };
        head(&mut out, "task");
        for one in &self.measured {
            row(&mut out, &cell(&one.id), &Total::of([one]));
        }
        out.push('\n');
        head(&mut out, "tasks");
        for (language, total) in by_language(&self.measured) {
            row(&mut out, &format!("{} ({})", cell(language), total.tasks), &total);
        }
        let total = Total::of(&self.measured);
        row(&mut out, &format!("all ({})", total.tasks), &total);
        let failed = self.failed();
        out.push_str(&causes::table(&failed, "files of keys that are not in the reply"));
        if is_verbose {
            let _ = write!(out, "\n{}", causes::lines(&failed));
            self.write_missing(&mut out);
        }
        self.write_absent(&mut out);
        for Skipped { tree, tasks } in &self.skipped {
            let count = counted(tasks.len(), "task");
            let tasks = plain(&tasks.join(", "));
            let _ = writeln!(out, "\nskipped: {count} about `{}`: {tasks}", plain(tree));
        }
        out
    }

    /// Returns the missing files of each task.
    fn failed(&self) -> Vec<Failed<'_>> {
        self.measured.iter().map(failed_of).collect()
    }

    /// Returns the replies, each line with `+` if a token of it is of use.
    pub(super) fn replies(&self) -> String {
        let mut out = String::new();
        for one in &self.measured {
            let _ = writeln!(out, "{}: {}", plain(&one.id), plain(&one.title));
            for (line, is_useful) in one.reply.lines().zip(&one.useful_lines) {
                let _ = writeln!(
                    out,
                    "{} {}",
                    if *is_useful { '+' } else { ' ' },
                    plain(&line.replace('\t', "    "))
                );
            }
            out.push('\n');
        }
        out
    }

    /// Writes what each reply lacks.
    fn write_missing(&self, out: &mut String) {
        for one in self.measured.iter().filter(|one| !one.missing.is_empty()) {
            let _ = writeln!(out, "\n{} lacks", plain(&one.id));
            for missing in &one.missing {
                let _ = writeln!(out, "  {}  {}", noun(missing.part), plain(&missing.item));
            }
        }
    }

    /// Writes the items of keys that their trees do not have, and those that only the index lacks.
    fn write_absent(&self, out: &mut String) {
        for one in &self.measured {
            for absent in &one.absent {
                let _ = writeln!(out, "\nnot measured: {}: {}", plain(&one.id), plain(absent));
            }
            for unlisted in &one.unlisted {
                let unlisted = plain(unlisted);
                let _ = writeln!(out, "\nnot in the index: {}: {unlisted}", plain(&one.id));
            }
        }
    }
}

fn failed_of(one: &Measured) -> Failed<'_> {
    Failed {
        id: &one.id,
        title: &one.title,
        first: one.first.as_deref(),
        why: &one.why,
        failures: &one.failures,
    }
}

fn noun(part: Part) -> &'static str {
    ["file", "definition", "lines", "test"][part as usize]
}

fn row(out: &mut String, first: &str, total: &Total) {
    let _ = write!(out, "| {first} |");
    for part in Part::ALL {
        let Recall { found, expected } = total.recall[part as usize];
        let _ = match total.recall(part) {
            Some(recall) => write!(out, " {found}/{expected} {recall:.2} |"),
            None => write!(out, " – |"),
        };
    }
    let mean = total.tokens.total as f64 / total.tasks.max(1) as f64;
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let _ = writeln!(
        out,
        " {mean:.0} | {} | {} | {} | {} |",
        percent(total.useless()),
        percent(total.repeated()),
        percent(total.headings()),
        percent(total.used())
    );
}

/// Returns a text for a cell of a table.
fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|")
}
