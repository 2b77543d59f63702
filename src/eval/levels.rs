//! Measures whether reviewers agree with the levels of `codedb check`.
//!
//! Each judged commit is checked as it would have been before it was made: HEAD is its parent, its
//! changes are uncommitted, and the user data is empty. Nothing later than its parent is known.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use crate::check::verdict::Level;
use crate::engine::{self, Check, Engine, Local, Progress};
use crate::error::{Error, Result};
use crate::history::git::Git;
use crate::tools::{Call, TOOLS};

/// A commit with the level that a reviewer chose.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Judged {
    /// The name of the directory of its repository.
    pub repository: String,
    /// Its full id.
    pub commit: String,
    /// The level.
    #[serde(deserialize_with = "named_level")]
    pub level: Level,
    /// Another level that the reviewer accepts.
    #[serde(default, deserialize_with = "perhaps_level")]
    pub or: Option<Level>,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

fn named_level<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Level, D::Error> {
    let name = String::deserialize(from)?;
    Level::parse(&name).ok_or_else(|| serde::de::Error::custom(format!("no level: {name}")))
}

fn perhaps_level<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<Level>, D::Error> {
    let name: Option<String> = Option::deserialize(from)?;
    name.map(|name| {
        Level::parse(&name).ok_or_else(|| serde::de::Error::custom(format!("no level: {name}")))
    })
    .transpose()
}

/// Returns the judgements of a file with a JSON object on each line, in its order.
///
/// # Errors
///
/// [`crate::Kind::Usage`] with the number of an invalid line; for a repository that is more than one
/// name, because it is looked up below a directory.
pub fn judged(text: &str) -> Result<Vec<Judged>> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let invalid =
            |why: String| Error::usage(format!("line {}: invalid judgement: {why}", at + 1));
        let it: Judged = serde_json::from_str(line).map_err(|error| invalid(error.to_string()))?;
        let is_name = !it.repository.is_empty()
            && !it.repository.starts_with('.')
            && !it.repository.contains(['/', '\\', '\0']);
        if !is_name {
            return Err(invalid("`repository` must be the name of a directory".to_owned()));
        }
        let is_id = (40..=64).contains(&it.commit.len())
            && it.commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_id {
            return Err(invalid("`commit` must be a full id".to_owned()));
        }
        found.push(it);
    }
    Ok(found)
}

/// What a check replied about a judged commit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// The judgement.
    #[serde(flatten)]
    pub judged: Judged,
    /// The level of the check.
    pub checked: Level,
    /// Its whole reply.
    pub reply: Value,
}

impl Checked {
    /// Returns true if the reviewer chose or accepts the level.
    pub fn agrees(&self) -> bool {
        self.checked == self.judged.level || Some(self.checked) == self.judged.or
    }

    /// Returns the reasons of the check.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        self.reply["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }
}

/// A tree in which one commit after another is uncommitted, and its engine.
#[derive(Debug)]
pub struct Bench {
    git: Git,
    engine: Engine,
}

impl Bench {
    /// Creates a bench on the empty tree of `engine`, which shares the objects of `source`.
    ///
    /// # Errors
    ///
    /// If git fails, or the directory of the tree does not exist.
    pub fn new(source: &Git, engine: Engine) -> Result<Bench> {
        let git = source.share(engine.root())?;
        Ok(Bench { git, engine })
    }

    /// Checks a judged commit. O(changes since the previous one + a check).
    ///
    /// # Errors
    ///
    /// If git fails, the commit has no parent, or the index cannot be built or read.
    pub fn check(&self, judged: &Judged) -> Result<Checked> {
        self.git.uncommit(&judged.commit)?;
        engine::refresh(&self.engine, &Progress::default())?;
        engine::build_code(&self.engine, false, &Progress::default())?;
        let code = Local::new(&self.engine, Check::Strict);
        let tool =
            TOOLS.iter().find(|tool| tool.name == "codedb_check").expect("it is in the table");
        let args = json!({"verbose": true, "max_tokens": 1_000_000});
        let reply = tool.run(&Call::new(&code, 0), args)?.json()?;
        let reply: Value = serde_json::from_str(&reply).unwrap_or_default();
        let Some(checked) = reply["level"].as_str().and_then(Level::parse) else {
            let why = reply["message"].as_str().unwrap_or("the check has no level").to_owned();
            return Err(Error::new(crate::Kind::NotFound, why));
        };
        Ok(Checked { judged: judged.clone(), checked, reply })
    }
}

/// How well levels agree with judgements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Judged commits.
    pub commits: usize,
    /// Those whose level the reviewer chose or accepts.
    pub agreed: usize,
    /// Those whose level the reviewer chose.
    pub exact: usize,
    /// The level that agrees most often if it is given to every commit, and with how many.
    pub always: (Level, usize),
    /// How often each level was chosen (first index) and checked (second).
    pub confusion: [[usize; 4]; 4],
}

/// Returns the agreement of checked commits. O(n).
pub fn agreement<'a>(checked: impl Iterator<Item = &'a Checked> + Clone) -> Agreement {
    let mut made = Agreement::default();
    for it in checked.clone() {
        made.commits += 1;
        made.agreed += usize::from(it.agrees());
        made.exact += usize::from(it.checked == it.judged.level);
        made.confusion[it.judged.level as usize][it.checked as usize] += 1;
    }
    for level in Level::ALL {
        let accepts = |it: &&Checked| it.judged.level == level || it.judged.or == Some(level);
        let count = checked.clone().filter(accepts).count();
        if count > made.always.1 {
            made.always = (level, count);
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(repository: &str, level: &str, or: &str) -> String {
        let commit = "a".repeat(40);
        format!(
            "{{\"repository\":\"{repository}\",\"commit\":\"{commit}\",\"level\":\"{level}\",\
             \"or\":{or},\"reason\":\"r\"}}\n"
        )
    }

    #[test]
    fn judgements_are_checked() {
        let found = judged(&line("a", "LOW", "\"MEDIUM\"")).expect("it is valid");
        assert_eq!((found[0].level, found[0].or), (Level::Low, Some(Level::Medium)));
        let refused = |text: &str| {
            let error = judged(text).expect_err(text);
            assert!(error.to_string().starts_with("line 1: invalid judgement"), "{error}");
        };
        refused(&line("a", "FINE", "null"));
        refused(&line("../a", "LOW", "null"));
        refused(&line("a", "LOW", "null").replace(&"a".repeat(40), "HEAD"));
    }

    #[test]
    fn accepted_levels_agree() {
        let of = |level: Level, or: Option<Level>, checked: Level| Checked {
            judged: Judged {
                repository: "a".to_owned(),
                commit: String::new(),
                level,
                or,
                reason: String::new(),
            },
            checked,
            reply: Value::Null,
        };
        let all = [
            of(Level::Low, None, Level::Low),
            of(Level::Medium, Some(Level::High), Level::High),
            of(Level::Medium, None, Level::High),
        ];
        let found = agreement(all.iter());
        assert_eq!((found.commits, found.agreed, found.exact), (3, 2, 1));
        assert_eq!(found.always, (Level::Medium, 2));
        assert_eq!(found.confusion[1], [0, 0, 2, 0]);
    }
}
