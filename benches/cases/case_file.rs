//! bench-corpus/cases: a file for each tool, with its calls and the hashes of their replies.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::corpus::Outcome;
use super::corpus::manifest::Profile;

/// A call.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    /// Its name among the tool's.
    pub(crate) name: String,
    /// What is asked.
    #[serde(default)]
    pub(crate) arguments: toml::Table,
    /// The tool refuses, and says why.
    #[serde(default)]
    pub(crate) fails: bool,
    /// Where it is asked; everywhere unless told.
    #[serde(default = "everywhere")]
    pub(crate) profiles: Vec<Profile>,
    /// The hash of the reply on the small corpus.
    small: Option<String>,
    /// The same on the full one.
    full: Option<String>,
}

fn everywhere() -> Vec<Profile> {
    Profile::ALL.to_vec()
}

impl Call {
    /// Returns the hash of the reply, if one was blessed.
    pub(crate) fn expected(&self, profile: Profile) -> Option<&str> {
        match profile {
            Profile::Small => self.small.as_deref(),
            Profile::Full => self.full.as_deref(),
        }
    }
}

/// The calls of a tool.
#[derive(Clone, Debug)]
pub(crate) struct CaseFile {
    /// The tool's name on the command line, which is that of the file.
    pub(crate) tool: String,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The calls, in the order of the file.
    pub(crate) calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    case: Vec<Call>,
}

/// Reads every file of a folder, by tool.
///
/// # Errors
///
/// For a file that makes no sense.
pub(crate) fn read_all(folder: &Path) -> Outcome<Vec<CaseFile>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let fail = |error: String| format!("{}: {error}", path.display());
        let text = fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
        let calls = parse(&text).map_err(fail)?;
        let tool = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.push(CaseFile { tool, path, calls });
    }
    files.sort_by(|a, b| a.tool.cmp(&b.tool));
    Ok(files)
}

/// Reads the calls of a file.
///
/// # Errors
///
/// For a field that is unknown or missing, a name that is given twice, and a file without calls.
pub(crate) fn parse(text: &str) -> Outcome<Vec<Call>> {
    let listed: Listed = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let mut names = BTreeMap::new();
    for call in &listed.case {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if call.name.is_empty() || !call.name.bytes().all(is_plain) {
            return Err(format!("`{}` is no name: letters, digits and `-`", call.name));
        }
        if names.insert(call.name.clone(), ()).is_some() {
            return Err(format!("the case `{}` is there twice", call.name));
        }
    }
    match listed.case.is_empty() {
        true => Err("there is no case".to_owned()),
        false => Ok(listed.case),
    }
}

/// Checks that every tool has a case on a profile, and that every file is of a tool.
///
/// # Errors
///
/// Naming what is missing.
pub(crate) fn check_tools(files: &[CaseFile], profile: Profile, tools: &[String]) -> Outcome<()> {
    let has_case = |tool: &&String| {
        let its_own = files.iter().filter(|file| file.tool == **tool);
        its_own.flat_map(|file| &file.calls).any(|call| call.profiles.contains(&profile))
    };
    let without: Vec<&str> =
        tools.iter().filter(|tool| !has_case(tool)).map(String::as_str).collect();
    if !without.is_empty() {
        return Err(format!(
            "no case of the profile `{profile}` for {}: bench-corpus/cases/<tool>.toml has them",
            without.join(", ")
        ));
    }
    match files.iter().find(|file| !tools.contains(&file.tool)) {
        Some(file) => Err(format!("{} is of no tool", file.path.display())),
        None => Ok(()),
    }
}

/// Returns `text` with the hash of the `at`th call on a profile changed; the rest stays as it is.
pub(crate) fn with_hash(text: &str, at: usize, profile: Profile, hash: &str) -> String {
    let line = format!("{profile} = \"{hash}\"");
    let key = format!("{profile} = ");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let heads: Vec<usize> = (0..lines.len()).filter(|&n| lines[n].trim() == "[[case]]").collect();
    let (Some(&start), end) = (heads.get(at), heads.get(at + 1).copied().unwrap_or(lines.len()))
    else {
        return text.to_owned();
    };
    match (start..end).find(|&number| lines[number].starts_with(&key)) {
        Some(number) => lines[number] = line,
        None => {
            // Behind what the call says: before the comments and blank lines of the next one.
            let is_said = |number: &usize| {
                !lines[*number].trim().is_empty() && !lines[*number].starts_with('#')
            };
            let last = (start..end).rev().find(is_said).unwrap_or(start);
            lines.insert(last + 1, line);
        }
    }
    lines.join("\n") + "\n"
}
