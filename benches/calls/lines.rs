//! An oracle program that reads all sites from standard input and prints the answers.
//!
//! A site is a line `PATH TAB BYTE TAB NAME`; an answer is a line
//! `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`, of which a site may have several or none.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::options::Options;
use crate::sample::{Answered, Definition, Site};
use crate::tree::Tree;

/// Queries the oracle for the definition of each site.
pub(crate) fn resolve_sites(
    options: &Options,
    tree: &Tree,
    sites: &[Site],
) -> Result<Vec<Answered>, String> {
    let (program, flags) = options.oracle.split_first().ok_or("`--oracle` is missing")?;
    let mut child = Command::new(program)
        .args(flags)
        .current_dir(&tree.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`{program}`: {error}"))?;
    let questions: String =
        sites.iter().map(|site| format!("{}\t{}\t{}\n", site.path, site.byte, site.name)).collect();
    let mut input = child.stdin.take().ok_or("the oracle has no input")?;
    input.write_all(questions.as_bytes()).map_err(|error| format!("the oracle: {error}"))?;
    drop(input);
    let output = child.wait_with_output().map_err(|error| format!("the oracle: {error}"))?;
    if !output.status.success() {
        return Err(format!("the oracle failed: {}", output.status));
    }
    let mut answers: HashMap<(&str, &str), Vec<Definition>> = HashMap::new();
    let text = String::from_utf8_lossy(&output.stdout);
    for line in text.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let [path, byte, there, at] = parts[..] else { continue };
        let line = at.parse().map_err(|_| format!("`{at}` is not a line number"))?;
        answers.entry((path, byte)).or_default().push(Definition { path: there.to_owned(), line });
    }
    let answered = |site: &Site| {
        let byte = site.byte.to_string();
        let mut definitions =
            answers.get(&(site.path.as_str(), byte.as_str())).cloned().unwrap_or_default();
        definitions.sort();
        definitions.dedup();
        Answered { site: site.clone(), definitions }
    };
    Ok(sites.iter().map(answered).collect())
}
