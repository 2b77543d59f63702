//! The user's own `codedb.toml`: defaults of the command line in its table `[defaults]`.
//!
//! The file of a tree has no such table: a repository chooses no programs and no colours.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use grep_printer::HyperlinkFormat;
use serde::Deserialize;

use super::report;
use crate::parsers::extractors::{BYTES_MAX, NAME};

/// The table of the defaults.
pub(super) const TABLE: &str = "defaults";

/// The pager without a setting.
const PAGER: &str = "less -FRX";

/// The table `[defaults]`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Defaults {
    /// The maximum number of entries of a list on a terminal.
    pub(super) limit: Option<u64>,
    /// When to use colours.
    pub(super) color: Option<Color>,
    /// Whether times are printed as dates on a terminal, not as "2 hours ago".
    pub(super) iso: Option<bool>,
    /// The command that shows long output.
    pub(super) pager: Option<Pager>,
    /// What paths link to.
    pub(super) hyperlink_format: Option<String>,
    /// The command that opens a file.
    pub(super) editor: Option<String>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Returns the value of `--color`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Color::Auto => "auto",
            Color::Always => "always",
            Color::Never => "never",
        }
    }
}

/// The pager: a command, or `false` for none.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged)]
pub(super) enum Pager {
    Command(String),
    Use(bool),
}

impl Defaults {
    /// Returns the table of a file; without one, no defaults.
    ///
    /// # Errors
    ///
    /// A sentence if the file or a value is not valid.
    fn of_text(text: &str) -> Result<Defaults, String> {
        let mut table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            format!("line {line}: {}", error.message())
        })?;
        let Some(defaults) = table.remove(TABLE) else { return Ok(Defaults::default()) };
        let defaults: Defaults = defaults
            .try_into()
            .map_err(|error: toml::de::Error| format!("`[{TABLE}]`: {}", error.message()))?;
        if let Some(Err(error)) = defaults.hyperlink_format.as_deref().map(hyperlinks) {
            return Err(format!("`[{TABLE}]`: `hyperlink_format`: {error}"));
        }
        if defaults.limit == Some(0) {
            return Err(format!("`[{TABLE}]`: `limit` is at least 1"));
        }
        Ok(defaults)
    }

    /// Returns the flags of `codedb search` that have the same effect.
    pub(super) fn search_args(&self) -> Vec<String> {
        let color = self.color.map(|color| format!("--color={}", color.name()));
        let hyperlinks =
            self.hyperlink_format.as_ref().map(|format| format!("--hyperlink-format={format}"));
        color.into_iter().chain(hyperlinks).collect()
    }
}

/// Parses the value of `hyperlink_format`.
///
/// # Errors
///
/// What is wrong with it.
fn hyperlinks(format: &str) -> Result<HyperlinkFormat, String> {
    format.parse().map_err(|error: grep_printer::HyperlinkFormatError| error.to_string())
}

/// Returns the user's defaults. A file that is not valid is reported once and has no effect.
pub(super) fn defaults() -> &'static Defaults {
    static DEFAULTS: OnceLock<Defaults> = OnceLock::new();
    DEFAULTS.get_or_init(|| {
        of_user().unwrap_or_else(|problem| {
            report::print_message(format_args!("{problem}; its defaults are not used"));
            Defaults::default()
        })
    })
}

/// Returns the defaults in the user's file.
///
/// # Errors
///
/// A sentence with the path if it is not valid.
pub(super) fn of_user() -> Result<Defaults, String> {
    let Some(text) = user_text() else { return Ok(Defaults::default()) };
    let path = user_file().unwrap_or_default();
    Defaults::of_text(&text).map_err(|problem| format!("{}: {problem}", path.display()))
}

/// Returns the path of the user's own file, which need not exist.
pub(super) fn user_file() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_CONFIG_HOME").filter(|value| Path::new(value).is_absolute());
    let dir = named.map(PathBuf::from).or_else(|| Some(std::env::home_dir()?.join(".config")))?;
    Some(dir.join("codedb").join(NAME))
}

/// Returns the text of the user's own file, if there is one. It may be a link.
pub(super) fn user_text() -> Option<String> {
    let path = user_file()?;
    text(&path.canonicalize().ok()?)
}

/// Returns the text of a regular file, not a link, that is not too large.
pub(super) fn text(path: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(path).ok()?;
    let is_usable = metadata.is_file() && metadata.len() <= BYTES_MAX;
    is_usable.then(|| fs::read_to_string(path).ok()).flatten()
}

/// Returns the hyperlink format of the user's defaults.
pub(super) fn hyperlink_format() -> Option<HyperlinkFormat> {
    defaults().hyperlink_format.as_deref().and_then(|format| hyperlinks(format).ok())
}

/// Returns the value of an environment variable that is set and not empty.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A value, and where it comes from: a file, an environment variable, or `default`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sourced {
    pub(super) value: String,
    pub(super) from: String,
}

/// Returns the first value: that of the user's file, of one of the environment variables, or the
/// default.
pub(super) fn sourced(configured: Option<String>, variables: &[&str], default: &str) -> Sourced {
    if let Some(value) = configured {
        let file = user_file().unwrap_or_default();
        return Sourced { value, from: file.display().to_string() };
    }
    for name in variables {
        if let Some(value) = variable(name) {
            return Sourced { value, from: (*name).to_owned() };
        }
    }
    Sourced { value: default.to_owned(), from: "default".to_owned() }
}

/// Returns the command of the pager; empty for none.
pub(super) fn pager() -> Sourced {
    pager_of(defaults().pager.as_ref(), &|name| std::env::var(name).ok())
}

/// Returns the pager that CODEDB_PAGER names, else the user's file, else PAGER. An empty one and `cat`
/// are none.
fn pager_of(configured: Option<&Pager>, variable: &dyn Fn(&str) -> Option<String>) -> Sourced {
    let named = |name: &str| Some(Sourced { value: variable(name)?, from: name.to_owned() });
    let of_file = || match configured? {
        Pager::Use(true) => None,
        Pager::Use(false) => Some(sourced(Some(String::new()), &[], "")),
        Pager::Command(command) => Some(sourced(Some(command.clone()), &[], "")),
    };
    let common = || named("PAGER").filter(|pager| !pager.value.is_empty());
    let found = named("CODEDB_PAGER").or_else(of_file).or_else(common);
    let mut found = found.unwrap_or_else(|| sourced(None, &[], PAGER));
    if matches!(found.value.trim(), "" | "cat") {
        found.value.clear();
    }
    found
}

/// Returns the command of the editor; empty if none is set.
pub(super) fn editor() -> Sourced {
    sourced(defaults().editor.clone(), &["VISUAL", "EDITOR"], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_typed_values() {
        let text = "[[allow_extractor]]\nroot = '/a'\ncommand = ['b']\n\
                    [defaults]\nlimit = 50\ncolor = 'always'\niso = true\npager = false\n\
                    hyperlink_format = 'vscode'\neditor = 'code --goto'\n";
        let defaults = Defaults::of_text(text).expect("valid");
        let expected = Defaults {
            limit: Some(50),
            color: Some(Color::Always),
            iso: Some(true),
            pager: Some(Pager::Use(false)),
            hyperlink_format: Some("vscode".to_owned()),
            editor: Some("code --goto".to_owned()),
        };
        assert_eq!(defaults, expected);
        assert_eq!(defaults.search_args(), ["--color=always", "--hyperlink-format=vscode"]);
        assert_eq!(Defaults::of_text("[risk]\n"), Ok(Defaults::default()));
    }

    #[test]
    fn the_pager_comes_from_three_places() {
        let of = |own: Option<&str>, file: Option<Pager>, common: Option<&str>| {
            let variable = |name: &str| if name == "PAGER" { common } else { own };
            pager_of(file.as_ref(), &|name| variable(name).map(str::to_owned)).value
        };
        let command = |text: &str| Some(Pager::Command(text.to_owned()));
        assert_eq!(of(None, None, None), PAGER);
        assert_eq!(of(None, None, Some("more")), "more");
        assert_eq!(of(Some("bat -p"), None, Some("more")), "bat -p");
        assert_eq!(of(None, command("most"), Some("more")), "most");
        assert_eq!(of(Some("bat -p"), command("most"), None), "bat -p");
        assert_eq!(of(None, Some(Pager::Use(false)), Some("more")), "");
        assert_eq!(of(None, Some(Pager::Use(true)), Some("more")), "more");
        assert_eq!(of(None, None, Some("")), PAGER);
        assert_eq!(of(None, None, Some("cat")), "");
        assert_eq!(of(Some(""), None, Some("more")), "");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("a = 1\nb = ", "line 2"),
            ("[defaults]\nlimits = 3\n", "unknown field `limits`"),
            ("[defaults]\nlimit = 0\n", "`limit` is at least 1"),
            ("[defaults]\nlimit = 'many'\n", "invalid type"),
            ("[defaults]\ncolor = 'red'\n", "unknown variant `red`"),
            ("[defaults]\nhyperlink_format = '{nothing}'\n", "`hyperlink_format`"),
        ] {
            let problem = Defaults::of_text(text).expect_err(text);
            assert!(problem.contains(expected), "{text}: {problem}");
        }
    }
}
