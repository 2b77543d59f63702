//! Settings of an ingestion: flags precede the environment, the environment precedes the table
//! `[decisions]` of `codedb.toml`, the table precedes the defaults.
//!
//! The file comes from the repository: it can neither choose a service nor contain a key.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::source::secret;
use crate::userdata::SharedName;

/// The file at the root with settings of the project.
pub const NAME: &str = "codedb.toml";

/// The maximum size of the file in bytes.
pub const BYTES_MAX: u64 = 256 << 10;

/// The default number of commits that are read.
pub const COMMITS: usize = 500;

/// What extracts decisions from signals.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Provider {
    /// Nothing: signals that explain themselves become candidates.
    None,
    /// A service with Anthropic's protocol.
    Anthropic,
    /// A service with OpenAI's protocol, also on this machine.
    OpenAi,
    /// The model of the caller: the signals are printed as prompts.
    Client,
}

impl Provider {
    /// Every provider.
    pub const ALL: [Provider; 4] =
        [Provider::None, Provider::Anthropic, Provider::OpenAi, Provider::Client];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Provider::None => "none",
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
            Provider::Client => "client",
        }
    }

    /// Returns the provider of that name.
    pub fn parse(name: &str) -> Option<Provider> {
        Provider::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// One source of settings; what it does not set is `None`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Source {
    /// The maximum number of commits that are read.
    pub max_commits: Option<usize>,
    /// Only commits since then.
    pub since: Option<String>,
    /// What extracts decisions.
    pub provider: Option<Provider>,
    /// The directory of the user's prompts.
    pub prompts: Option<String>,
    /// The model of a service that the user chose; only files name one here.
    pub model: Option<String>,
}

impl Source {
    /// Returns the settings of this source where it has them, else those of `other`.
    #[must_use]
    pub fn or(self, other: Source) -> Source {
        Source {
            max_commits: self.max_commits.or(other.max_commits),
            since: self.since.or(other.since),
            provider: self.provider.or(other.provider),
            prompts: self.prompts.or(other.prompts),
            model: self.model.or(other.model),
        }
    }

    /// Returns the settings of the environment.
    ///
    /// # Errors
    ///
    /// If a variable has no valid value.
    pub fn of_environment(variable: &dyn Fn(&str) -> Option<String>) -> Result<Source> {
        let invalid = |name: &str, expected: &str| {
            Error::usage(format!("`{name}` is not valid: it must be {expected}"))
        };
        let commits = "CODEDB_DECISIONS_MAX_COMMITS";
        let provider = "CODEDB_DECISIONS_PROVIDER";
        Ok(Source {
            max_commits: match variable(commits).map(|text| text.parse()) {
                Some(Ok(count)) => Some(count),
                Some(Err(_)) => return Err(invalid(commits, "a number")),
                None => None,
            },
            since: variable("CODEDB_DECISIONS_SINCE"),
            provider: match variable(provider).map(|name| Provider::parse(&name)) {
                Some(Some(it)) => Some(it),
                Some(None) => {
                    return Err(invalid(provider, "none, anthropic, openai or client"));
                }
                None => None,
            },
            prompts: variable("CODEDB_DECISIONS_PROMPTS"),
            model: None,
        })
    }

    /// Returns the settings of the table `[decisions]` of a `codedb.toml`.
    ///
    /// # Errors
    ///
    /// If the text is not TOML, or the table has an unknown key, a secret, or a service.
    pub fn of_file(text: &str) -> Result<Source> {
        let invalid = |what: &str| {
            Error::usage(format!("`{NAME}`: {}", crate::base::text::plain(what)))
                .with_hint("docs/decisions.md lists the keys of the table `[decisions]`")
        };
        let file: toml::Table = toml::from_str(text).map_err(|error| invalid(error.message()))?;
        let Some(table) = file.get("decisions") else { return Ok(Source::default()) };
        let Some(table) = table.as_table() else {
            return Err(invalid("`decisions` is not a table"));
        };
        for (key, value) in table {
            let name = key.to_lowercase();
            let is_key = ["key", "token", "secret", "password"].iter().any(|it| name.contains(it));
            // The text may be masked already.
            let is_secret = value.as_str().is_some_and(|it| secret::redacted(it.to_owned()) != it);
            if is_key || is_secret {
                return Err(invalid(&format!(
                    "`{key}` looks like a secret; keys come only from the environment \
                     (CODEDB_MODEL_KEY)"
                )));
            }
        }
        let table: Table =
            table.clone().try_into().map_err(|error: toml::de::Error| invalid(error.message()))?;
        let provider = match table.provider.as_deref() {
            None => None,
            Some("none") => Some(Provider::None),
            Some("client") => Some(Provider::Client),
            Some(_) => {
                return Err(invalid(
                    "`provider` can be `none` or `client`; a repository cannot choose a service",
                ));
            }
        };
        if table.model.as_deref().is_some_and(|it| !is_model(it)) {
            return Err(invalid("`model` is not the name of a model"));
        }
        if let Some(Err(error)) = table.database.as_deref().map(SharedName::parse) {
            return Err(invalid(&error));
        }
        let Table { max_commits, since, model, .. } = table;
        Ok(Source { max_commits, since, provider, prompts: None, model })
    }
}

/// The table `[decisions]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Table {
    max_commits: Option<usize>,
    since: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    /// Which database clones share; the engine opens it.
    database: Option<String>,
}

/// Returns true for what names of models consist of.
fn is_model(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/@-".contains(&byte);
    (1..=100).contains(&name.len()) && name.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_sources_precede_later_ones() {
        let flags = Source { max_commits: Some(1), ..Source::default() };
        let variables = |name: &str| match name {
            "CODEDB_DECISIONS_MAX_COMMITS" => Some("2".to_owned()),
            "CODEDB_DECISIONS_PROVIDER" => Some("openai".to_owned()),
            _ => None,
        };
        let environment = Source::of_environment(&variables).unwrap();
        let file =
            Source::of_file("[decisions]\nmax_commits = 3\nsince = \"1w\"\nprovider = \"none\"\n");
        let all = flags.or(environment).or(file.unwrap());
        let since = Some("1w".to_owned());
        let provider = Some(Provider::OpenAi);
        let expected = Source { max_commits: Some(1), since, provider, ..Source::default() };
        assert_eq!(all, expected);
        assert!(Source::of_environment(&|_| Some("x".to_owned())).is_err());
    }

    #[test]
    fn a_file_has_no_secrets_and_chooses_no_service() {
        for (text, expected) in [
            ("api_key = \"x\"", "looks like a secret"),
            ("since = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\"", "looks like a secret"),
            ("provider = \"anthropic\"", "cannot choose a service"),
            ("max_comits = 1", "unknown field"),
            ("prompts = \"x\"", "unknown field"),
            ("database = \"../x\"", "never a path"),
            ("database = \"/tmp/x.sqlite\"", "never a path"),
            ("model = \"a b\"", "not the name of a model"),
            ("url = \"http://x\"", "unknown field"),
        ] {
            let error = Source::of_file(&format!("[decisions]\n{text}\n")).unwrap_err();
            let message = error.to_string();
            assert!(message.contains("`codedb.toml`") && message.contains(expected), "{message}");
        }
        let named = Source::of_file("[decisions]\nmodel = \"org/model-1:latest\"\n").unwrap();
        assert_eq!((named.model.as_deref(), named.provider), (Some("org/model-1:latest"), None));
        assert_eq!(Source::of_file("[check]\nfiles = 1\n").unwrap(), Source::default());
        assert!(Source::of_file("decisions = 1").is_err());
    }
}
