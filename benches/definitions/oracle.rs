//! The definitions of ctags in the same files.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::definitions::{Definition, Sources, join_clauses};
use crate::options::Options;
use crate::table::Row;

/// A line of `ctags --output-format=json`; other lines have no name.
#[derive(Deserialize)]
struct Tag {
    name: String,
    path: String,
    line: usize,
    kind: String,
    #[serde(default, rename = "scopeKind")]
    scope_kind: String,
}

/// Returns ctags's definitions by path.
pub(crate) fn run_ctags(
    row: &Row,
    options: &Options,
    sources: &Sources,
) -> Result<BTreeMap<String, Vec<Definition>>, String> {
    let failed = |error: std::io::Error| format!("`{}`: {error}", options.ctags);
    let mut ctags = Command::new(&options.ctags)
        .current_dir(&options.tree)
        .args(["--options=NONE", "--output-format=json", "--sort=no", "--fields=+nKsp"])
        // ctags invents names for anonymous items; these are not definitions.
        .args(["--extras=-{anonymous}", "--pattern-length-limit=1", "-L", "-", "-f", "-"])
        .arg(format!("--language-force={}", row.ctags))
        .args(row.flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let mut list = ctags.stdin.take().expect("the standard input is a pipe");
    let paths: String = sources.keys().map(|path| format!("{path}\n")).collect();
    let writer = std::thread::spawn(move || list.write_all(paths.as_bytes()));
    let output = ctags.wait_with_output().map_err(failed)?;
    writer.join().map_err(|_| "the list of files was not written".to_owned())?.map_err(failed)?;
    if output.stdout.is_empty() && !sources.is_empty() {
        return Err(format!("`{}` prints nothing; is it universal-ctags?", options.ctags));
    }
    let mut theirs: BTreeMap<String, Vec<Definition>> = BTreeMap::new();
    for line in output.stdout.split(|&byte| byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let Ok(tag) = serde_json::from_str::<Tag>(&text) else { continue };
        let Some((group, is_optional)) = row.theirs(&tag.kind) else { continue };
        theirs.entry(tag.path).or_default().push(Definition {
            name: row.plain(&tag.name),
            line: tag.line,
            group,
            kind: tag.kind,
            within: tag.scope_kind,
            is_optional,
        });
    }
    for definitions in theirs.values_mut() {
        definitions.sort_by_key(|definition| definition.line);
        join_clauses(row, definitions);
    }
    Ok(theirs)
}
