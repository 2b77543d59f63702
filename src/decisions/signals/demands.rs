//! What settings demand of code: versions that it must support, lints that are errors, coverage, and how
//! tests run.

mod table;

use std::sync::OnceLock;

use regex_automata::meta::Regex;

use table::{Demand, TABLE};

use super::texts::{Texts, directory, line_at};
use super::{Draft, Kind, Signal, is_share, name};
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// The most files of one name that are read.
const FILES_MAX: usize = 20;

/// The most matches in one file.
const MATCHES_MAX: usize = 50;

/// The most proposals of one demand.
const OF_ONE_MAX: usize = 2;

fn compiled() -> &'static [Option<Regex>] {
    static REGEXES: OnceLock<Vec<Option<Regex>>> = OnceLock::new();
    REGEXES.get_or_init(|| TABLE.iter().map(|it| Regex::new(it.mark).ok()).collect())
}

/// A demand of one file.
struct Found {
    path: String,
    line: usize,
    group: String,
    scope: Scope,
}

/// Adds what settings demand.
pub fn find(texts: &Texts<'_>, signals: &mut Vec<Signal>) {
    let paths = texts.paths();
    let mut known: Vec<(&[&str], Scope)> = Vec::new();
    for (demand, regex) in TABLE.iter().zip(compiled()) {
        let Some(regex) = regex else { continue };
        let named: Vec<&str> = paths
            .iter()
            .map(AsRef::as_ref)
            .filter(|path| is_near(demand, path) && demand.files.contains(&file(path)))
            .take(FILES_MAX)
            .collect();
        let mut all: Vec<Found> =
            named.iter().filter_map(|path| of_file(texts, demand, regex, path)).collect();
        // What almost all members of a workspace demand holds everywhere.
        let is_same = all.windows(2).all(|pair| pair[0].group == pair[1].group);
        let percent = if demand.keywords.contains(&"version") { 40 } else { 80 };
        if all.len() >= 3 && is_same && is_share(all.len(), named.len(), percent) {
            all.truncate(1);
            all[0].scope = scope(demand, "").unwrap_or(Scope::Global);
        }
        for it in all.into_iter().take(OF_ONE_MAX) {
            // The same demand of another file, or in another way, counts once.
            let is_known = |(of, scope): &(&[&str], Scope)| {
                let is_wide = matches!(scope, Scope::Language(_) | Scope::Global);
                *of == demand.keywords && (is_wide || contains(scope, &it.scope))
            };
            if known.iter().any(is_known) {
                continue;
            }
            known.push((demand.keywords, it.scope.clone()));
            let why = demand.why.replace("{}", &it.group);
            let draft = Draft {
                scope: it.scope,
                kind: Kind::Demands,
                pattern: demand.pattern.replace("{}", &it.group),
                rationale: format!("{why} See `{}`.", name(&it.path)),
                confidence: Confidence::High,
                source_refs: vec![SourceRef::line(&it.path, it.line, "demands it")],
                keywords: demand.keywords,
            };
            signals.push(draft.signal());
        }
    }
}

fn file(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns true for a file where the settings of a demand are read.
fn is_near(demand: &Demand, path: &str) -> bool {
    let is_script = path.starts_with("scripts/") || path.starts_with("gradle/");
    demand.is_everywhere || !path.contains('/') || is_script && path.matches('/').count() == 1
}

fn of_file(texts: &Texts<'_>, demand: &Demand, regex: &Regex, path: &str) -> Option<Found> {
    let text = texts.read(path)?;
    if is_exempt(demand, &text) {
        return None;
    }
    let is_document = path.ends_with(".md") || path.ends_with(".rst");
    regex.captures_iter(&text).take(MATCHES_MAX).find_map(|captures| {
        let whole = captures.get_match()?;
        let start = whole.start() + leading(&text[whole.range()]);
        let is_off = is_comment(&text, start) || is_disabled(&text, start);
        if !is_document && is_off {
            return None;
        }
        let span = (1..captures.group_len()).find_map(|at| captures.get_group(at));
        if demand.files.contains(&"ruff.toml")
            && is_ignored(&text, span.map(|it| &text[it.range()]))
        {
            return None;
        }
        let group = name(span.map(|span| &text[span.range()]).unwrap_or_default());
        let line = line_at(&text, span.map_or(start, |span| span.start));
        let scope = scope(demand, path)?;
        Some(Found { path: path.to_owned(), line, group, scope })
    })
}

/// Returns true if the settings exempt files from a demand.
fn is_exempt(demand: &Demand, text: &str) -> bool {
    let regex = || Regex::new(demand.exemption).ok();
    !demand.exemption.is_empty() && regex().is_some_and(|it| it.is_match(text))
}

/// Rules of ruff that a style of docstrings consists of, and how many may be ignored.
const DOCSTRING_RULES: &str = "D";
const IGNORED_MAX: usize = 3;

/// Returns true if the settings of ruff ignore a rule that they select, or most of its parts.
fn is_ignored(text: &str, group: Option<&str>) -> bool {
    let Some(group) = group else { return false };
    let is_code = group.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit());
    let code = if is_code { group } else { DOCSTRING_RULES };
    let lists = text.match_indices("ignore").filter_map(|(at, _)| {
        let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        let own = text[start..at].trim();
        let rest = text[at + "ignore".len()..].trim_start().strip_prefix('=')?;
        let list = rest.trim_start().strip_prefix('[')?.split(']').next()?;
        (own.is_empty() || own == "extend-").then_some(list)
    });
    let lines = lists.flat_map(str::lines).map(|line| line.split('#').next().unwrap_or(line));
    let codes =
        lines.flat_map(|line| line.split(',')).map(|it| it.trim().trim_matches(['"', '\'']));
    let of_it = |it: &&str| {
        it.strip_prefix(code).is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let ignored: Vec<&str> = codes.filter(|it| !it.is_empty()).filter(of_it).collect();
    ignored.contains(&code) || ignored.len() > IGNORED_MAX
}

/// Returns true for an item of a list of YAML that is not one of what is enabled.
fn is_disabled(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let indent = |line: &str| line.len() - line.trim_start().len();
    let line = text[start..].lines().next().unwrap_or_default();
    if !line.trim_start().starts_with("- ") {
        return false;
    }
    let is_key = |it: &&str| {
        let trimmed = it.trim_start();
        !trimmed.is_empty() && !trimmed.starts_with(['#', '-']) && indent(it) <= indent(line)
    };
    text[..start].lines().rev().find(is_key).is_some_and(|it| it.trim() != "enable:")
}

/// Returns the bytes of a match before its first letter.
fn leading(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Returns true if the line of a byte is a comment.
fn is_comment(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let line = text[start..].trim_start();
    ["//", "<!--", "* "].iter().any(|it| line.starts_with(it))
        || line.starts_with('#') && !line.starts_with("#!")
}

/// Returns true if a scope contains all files of another one, both as this module makes them.
fn contains(outer: &Scope, inner: &Scope) -> bool {
    match (outer, inner) {
        (Scope::Path(outer), Scope::Path(inner)) => {
            let directory = |it: &str| it.split("**").next().unwrap_or_default().to_owned();
            directory(inner).starts_with(&directory(outer))
        }
        _ => false,
    }
}

fn scope(demand: &Demand, path: &str) -> Option<Scope> {
    if demand.scope.contains(':') || demand.scope == "global" {
        return Scope::parse(demand.scope).ok();
    }
    Scope::parse(&format!("path:{}{}", directory(path), demand.scope)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_a_regular_expression() {
        assert!(compiled().iter().all(Option::is_some));
    }

    #[test]
    fn demands_are_found_in_their_settings() {
        let first = |text: &str| {
            let all = TABLE.iter().zip(compiled());
            // The file alone is enough.
            let mut all = all.filter(|(demand, _)| demand.files != ["py.typed"]);
            all.find_map(|(demand, regex)| {
                regex.as_ref().filter(|regex| regex.is_match(text)).map(|_| demand.pattern)
            })
        };
        for (text, expected) in [
            ("requires-python = \">=3.9\"", "Write code that runs on Python {}"),
            ("rust-version = \"1.71\"", "Write code that compiles with Rust {}"),
            ("#![forbid(unsafe_code)]", "Write no `unsafe` code"),
            ("filterwarnings = [\n  \"error\",", "Cause no warnings"),
            ("  JavaLanguageVersion.of(8)", "Write code that compiles for Java {}"),
            ("[tool.mypy]\nstrict = true", "Annotate every function"),
            ("coverage report --fail-under=100", "Cover every new line"),
            ("'import/no-default-export': ['error']", "Export by name"),
            ("    - paralleltest # x", "Call `t.Parallel()`"),
        ] {
            assert!(first(text).is_some_and(|it| it.starts_with(expected)), "{text}");
        }
        assert_eq!(first("requires-python = \"\""), None);
        for custom in ["'no-console': ['error']", "convention = \"pep257\""] {
            assert_eq!(first(custom), None, "{custom}");
        }
        let settings = "linters:\n  enable:\n    - godot\n  disable:\n    # no\n    - gofumpt\n";
        assert!(!is_disabled(settings, 27) && is_disabled(settings, settings.len() - 3));
        assert!(is_comment("a\n  # - paralleltest", 4));
        assert!(!is_comment("#![forbid(unsafe_code)]", 0));
    }

    #[test]
    fn exemptions_of_settings_count() {
        let strict = TABLE.iter().find(|it| it.mark.contains("disallow_untyped_defs"));
        let strict = strict.expect("a demand");
        let text = "[tool.mypy]\nstrict = true\n";
        let relaxed = "[[tool.mypy.overrides]]\nmodule = \"tests.*\"\nallow_untyped_defs = true\n";
        assert!(!is_exempt(strict, text) && is_exempt(strict, &format!("{text}{relaxed}")));
        let text = "select = [\"PTH\"]\nignore = [\n  \"D100\", # x\n  \"PTH\",\n]\n";
        assert!(is_ignored(text, Some("PTH")) && !is_ignored(text, Some("TC")));
        assert!(!is_ignored(text, Some("google")));
        let many = "extend-ignore = [\"D1\", \"D200\", \"D205\", \"D400\", \"DTZ001\"]";
        assert!(is_ignored(many, Some("numpy")) && !is_ignored(many, Some("DTZ")));
        assert!(!is_ignored("per-file-ignores = [\"PTH\"]", Some("PTH")));
    }
}
