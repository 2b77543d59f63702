//! bench-corpus/cases: one file per tool, with its calls and the hashes of their replies.

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
    /// The name, unique for the tool.
    pub(crate) name: String,
    /// The arguments.
    #[serde(default)]
    pub(crate) arguments: toml::Table,
    /// The tool returns an error.
    #[serde(default)]
    pub(crate) fails: bool,
    /// The profiles of the case; all by default.
    #[serde(default = "everywhere")]
    pub(crate) profiles: Vec<Profile>,
    /// The hash of the reply on the small corpus.
    small: Option<String>,
    /// The hash of the reply on the full corpus.
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
    /// The tool's name on the command line, which is also the file name.
    pub(crate) tool: String,
    /// The path of the file.
    pub(crate) path: PathBuf,
    /// The calls, in the order of the file.
    pub(crate) calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    case: Vec<Call>,
}

/// Reads every file of a directory, sorted by tool.
///
/// # Errors
///
/// If a file is invalid.
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
/// For an unknown or missing field, a duplicate name, and a file without calls.
pub(crate) fn parse(text: &str) -> Outcome<Vec<Call>> {
    let listed: Listed = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let mut names = BTreeMap::new();
    for call in &listed.case {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if call.name.is_empty() || !call.name.bytes().all(is_plain) {
            return Err(format!("`{}` is not a valid name (letters, digits and `-`)", call.name));
        }
        if names.insert(call.name.clone(), ()).is_some() {
            return Err(format!("the case `{}` is there twice", call.name));
        }
    }
    if listed.case.is_empty() { Err("there is no case".to_owned()) } else { Ok(listed.case) }
}

/// Checks that every tool has a case in the profile, and that every file belongs to a tool.
///
/// # Errors
///
/// The error names the missing tool or file.
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

/// Returns `text` with a new hash for the `at`th call in a profile; the rest is unchanged.
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
            // After the keys of the call and before the comments and blank lines of the next one.
            let is_content = |number: &usize| {
                !lines[*number].trim().is_empty() && !lines[*number].starts_with('#')
            };
            let last = (start..end).rev().find(is_content).unwrap_or(start);
            lines.insert(last + 1, line);
        }
    }
    lines.join("\n") + "\n"
}
