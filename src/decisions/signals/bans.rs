//! What the settings of linters forbid by name, with the message that people wrote for it.
//!
//! clippy's `disallowed-*`, ruff's `banned-api`, golangci-lint's `depguard`, `forbidigo` and `gomodguard`,
//! ESLint's `no-restricted-*`, Checkstyle's `Regexp*` and `IllegalImport`, cargo-deny's `bans.deny`.

use std::collections::BTreeMap;

use super::texts::{Texts, directory, line_at, line_of};
use super::{Draft, Kind, REFERENCES, Signal, name};
use crate::base::text;
use crate::userdata::decisions::{Confidence, Scope, SourceRef};

/// The most files of settings that are read, and the most proposals of all of them.
const FILES_MAX: usize = 30;
const PROPOSALS_MAX: usize = 8;

/// The most names that one proposal forbids.
const NAMES_MAX: usize = 4;

/// The maximum length of a message in bytes.
const MESSAGE_BYTES_MAX: usize = 300;

/// What one entry forbids.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Ban {
    /// What is forbidden.
    what: String,
    /// What to use, if the entry says so.
    instead: Option<String>,
    /// Why, or what to do.
    message: String,
    line: usize,
}

/// Which files are settings, and how they are read.
struct Linter {
    names: &'static [&'static str],
    tool: &'static str,
    /// The files that are checked, below the directory of the settings.
    files: &'static str,
    read: fn(&str) -> Vec<Ban>,
}

static LINTERS: &[Linter] = &[
    Linter {
        names: &["clippy.toml", ".clippy.toml"],
        tool: "clippy",
        files: "**/*.rs",
        read: clippy,
    },
    Linter {
        names: &["pyproject.toml", "ruff.toml", ".ruff.toml"],
        tool: "ruff",
        files: "**/*.py",
        read: ruff,
    },
    Linter {
        names: &[".golangci.yml", ".golangci.yaml"],
        tool: "golangci-lint",
        files: "**/*.go",
        read: golangci,
    },
    Linter {
        names: &[
            ".eslintrc",
            ".eslintrc.js",
            ".eslintrc.cjs",
            ".eslintrc.json",
            "eslint.config.js",
            "eslint.config.mjs",
            "eslint.config.cjs",
            "eslint.config.ts",
        ],
        tool: "ESLint",
        files: "**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue}",
        read: eslint,
    },
    Linter { names: &["checkstyle.xml"], tool: "Checkstyle", files: "**/*.java", read: checkstyle },
    Linter { names: &["deny.toml"], tool: "cargo deny", files: "**/Cargo.toml", read: deny },
];

/// Adds what the settings of linters forbid.
pub fn find(texts: &Texts<'_>, signals: &mut Vec<Signal>) {
    let mut count = 0;
    let paths = texts.paths();
    let settings = paths.iter().filter_map(|path| {
        let file = path.rsplit('/').next().unwrap_or(path);
        LINTERS.iter().find(|it| it.names.contains(&file)).map(|it| (path, it))
    });
    for (path, linter) in settings.take(FILES_MAX) {
        let Some(text) = texts.read(path) else { continue };
        let mut by_message: BTreeMap<(String, Option<String>), Vec<Ban>> = BTreeMap::new();
        let mut order = Vec::new();
        for ban in (linter.read)(&text) {
            if !is_worth_it(&ban) {
                continue;
            }
            let key = (ban.message.clone(), ban.instead.clone());
            if !by_message.contains_key(&key) {
                order.push(key.clone());
            }
            by_message.entry(key).or_default().push(ban);
        }
        for key in order {
            let Some(bans) = by_message.remove(&key) else { continue };
            let mut signal = signal(path, linter, &bans);
            count += 1;
            if count > PROPOSALS_MAX {
                signal.proposal = None;
            }
            signals.push(signal);
        }
    }
}

/// Returns false for an entry without a name or without a reason.
fn is_worth_it(ban: &Ban) -> bool {
    let is_name = (2..=super::NAME_BYTES_MAX).contains(&ban.what.len());
    is_name && (ban.instead.is_some() || ban.message.trim().len() >= 8)
}

fn signal(path: &str, linter: &Linter, bans: &[Ban]) -> Signal {
    let names: Vec<String> =
        bans.iter().take(NAMES_MAX).map(|it| format!("`{}`", name(&it.what))).collect();
    let more = match bans.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let listed = names.join(", ");
    let pattern = match &bans[0].instead {
        Some(instead) => format!("Use `{}` instead of {listed}{more}", name(instead)),
        None => format!("Do not use {listed}{more}"),
    };
    let message = text::plain(text::start(bans[0].message.trim(), MESSAGE_BYTES_MAX));
    let message = match message.trim_end_matches('.') {
        "" => String::new(),
        message => format!("{message}. "),
    };
    let refs = bans.iter().take(REFERENCES);
    let refs =
        refs.map(|it| SourceRef::line(path, it.line, format!("forbids `{}`", name(&it.what))));
    let keywords: Vec<&str> = bans
        .iter()
        .take(NAMES_MAX)
        .flat_map(|it| it.what.split(|c: char| !c.is_alphanumeric()))
        .filter(|it| it.len() > 2)
        .collect();
    let draft = Draft {
        scope: Scope::parse(&format!("path:{}{}", directory(path), linter.files))
            .unwrap_or(Scope::Global),
        kind: Kind::Bans,
        pattern,
        rationale: format!("{message}`{}` makes {} report it.", name(path), linter.tool),
        confidence: Confidence::High,
        source_refs: refs.collect(),
        keywords: &keywords,
    };
    draft.signal()
}

fn string(value: &toml::Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn clippy(text: &str) -> Vec<Ban> {
    let Ok(file) = toml::from_str::<toml::Table>(text) else { return Vec::new() };
    let lists = ["disallowed-methods", "disallowed-types", "disallowed-macros"];
    let entries = lists.iter().filter_map(|it| file.get(*it)?.as_array()).flatten();
    let ban = |entry: &toml::Value| {
        let what = entry.as_str().map(str::to_owned).or_else(|| string(entry, "path"))?;
        let line = line_of(text, &what).unwrap_or(1);
        let message = string(entry, "reason").unwrap_or_default();
        Some(Ban { instead: string(entry, "replacement"), message, line, what })
    };
    entries.filter_map(ban).collect()
}

fn ruff(text: &str) -> Vec<Ban> {
    let Ok(file) = toml::from_str::<toml::Table>(text) else { return Vec::new() };
    let ruff = file.get("tool").and_then(|it| it.get("ruff"));
    let whole = toml::Value::Table(file.clone());
    let ruff = ruff.unwrap_or(&whole);
    let lint = ruff.get("lint").unwrap_or(ruff);
    let banned = lint.get("flake8-tidy-imports").and_then(|it| it.get("banned-api"));
    let Some(banned) = banned.and_then(toml::Value::as_table) else { return Vec::new() };
    let ban = |(what, entry): (&String, &toml::Value)| Ban {
        what: what.clone(),
        instead: None,
        message: string(entry, "msg").unwrap_or_default(),
        line: line_of(text, &format!("\"{what}\"")).or_else(|| line_of(text, what)).unwrap_or(1),
    };
    banned.iter().map(ban).collect()
}

fn deny(text: &str) -> Vec<Ban> {
    let Ok(file) = toml::from_str::<toml::Table>(text) else { return Vec::new() };
    let entries = file.get("bans").and_then(|it| it.get("deny")).and_then(toml::Value::as_array);
    let ban = |entry: &toml::Value| {
        let what = string(entry, "crate").or_else(|| string(entry, "name"))?;
        let line = line_of(text, &format!("\"{what}\"")).unwrap_or(1);
        let message = string(entry, "reason").unwrap_or_default();
        Some(Ban { instead: string(entry, "use-instead"), message, line, what })
    };
    entries.into_iter().flatten().filter_map(ban).collect()
}

/// A line of YAML: its indentation, whether it begins an item of a list, its key and its value.
struct Line<'t> {
    indent: usize,
    is_item: bool,
    key: &'t str,
    value: String,
    number: usize,
}

/// Returns the lines of YAML without comments. It reads what settings consist of: keys, scalars on one line,
/// lists.
fn yaml(text: &str) -> Vec<Line<'_>> {
    text.lines().enumerate().filter_map(|(at, line)| yaml_line(line, at + 1)).collect()
}

fn yaml_line(line: &str, number: usize) -> Option<Line<'_>> {
    let indent = line.len() - line.trim_start().len();
    let trimmed = line.trim();
    if trimmed.is_empty() || trimmed.starts_with('#') {
        return None;
    }
    let item = trimmed.strip_prefix("- ").map(str::trim_start);
    let rest = item.unwrap_or(trimmed);
    let is_quoted = rest.starts_with(['"', '\'']);
    let split = if is_quoted { None } else { rest.split_once(": ") };
    let split = split.or_else(|| rest.strip_suffix(':').map(|key| (key, "")));
    let (key, value) = split.unwrap_or(("", rest));
    Some(Line { indent, is_item: item.is_some(), key: key.trim(), value: scalar(value), number })
}

/// Returns a scalar without its quotes and without the comment after it.
fn scalar(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote)
            && let Some(end) = inner.find(quote)
        {
            return inner[..end].to_owned();
        }
    }
    value.split(" #").next().unwrap_or(value).trim().to_owned()
}

fn golangci(text: &str) -> Vec<Ban> {
    let lines = yaml(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let section = lines[at].key;
        let indent = lines[at].indent;
        at += 1;
        if !["depguard", "forbidigo", "gomodguard", "importas"].contains(&section) {
            continue;
        }
        let from = at;
        while at < lines.len() && lines[at].indent > indent {
            at += 1;
        }
        let of = &lines[from..at];
        match section {
            "depguard" => depguard(of, &mut found),
            "forbidigo" => forbidigo(of, &mut found),
            "gomodguard" => gomodguard(of, &mut found),
            _ => {}
        }
    }
    found
}

fn depguard(lines: &[Line<'_>], found: &mut Vec<Ban>) {
    for (at, line) in lines.iter().enumerate().filter(|(_, it)| it.key == "pkg") {
        let next = lines.get(at + 1).filter(|it| it.key == "desc");
        let message = next.map(|it| it.value.clone()).unwrap_or_default();
        let what = line.value.trim_end_matches('$').to_owned();
        found.push(Ban { what, instead: None, message, line: line.number });
    }
}

fn forbidigo(lines: &[Line<'_>], found: &mut Vec<Ban>) {
    let mut entries: Vec<Ban> = Vec::new();
    for line in lines.iter().filter(|it| it.is_item || it.key == "msg" || it.key == "pattern") {
        let is_pattern =
            ["p", "pattern"].contains(&line.key) || (line.is_item && line.key.is_empty());
        if is_pattern {
            // A regular expression that is a name.
            let what = line.value.replace('\\', "");
            let what = what.trim_matches(['^', '$']).trim_end_matches("(").to_owned();
            let is_name =
                what.bytes().all(|it| it.is_ascii_alphanumeric() || b"_.*/()|".contains(&it));
            let what = if is_name { what } else { String::new() };
            entries.push(Ban { what, line: line.number, ..Ban::default() });
        } else if line.key == "msg"
            && let Some(last) = entries.last_mut()
        {
            last.message.clone_from(&line.value);
        }
    }
    found.append(&mut entries);
}

fn gomodguard(lines: &[Line<'_>], found: &mut Vec<Ban>) {
    let mut is_blocked = false;
    let mut is_recommended = false;
    for line in lines {
        match line.key {
            "blocked" => is_blocked = true,
            "allowed" => is_blocked = false,
            "recommendations" => is_recommended = true,
            "reason" => {
                is_recommended = false;
                if let Some(last) = found.last_mut() {
                    last.message.clone_from(&line.value);
                }
            }
            "" if is_blocked && is_recommended && line.is_item => {
                if let Some(last) = found.last_mut()
                    && last.instead.is_none()
                {
                    last.instead = Some(line.value.clone());
                }
            }
            key if is_blocked && line.is_item && key.contains('.') => {
                is_recommended = false;
                let what = key.trim_matches(['"', '\'']).to_owned();
                found.push(Ban { what, line: line.number, ..Ban::default() });
            }
            _ => {}
        }
    }
}

/// Returns the texts of an object of JavaScript by key: `name: 'x'`, `"message": "y" + "z"`.
fn members(object: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for key in ["name", "object", "property", "selector", "message", "group", "regex"] {
        for (at, _) in object.match_indices(key) {
            let before = object[..at].trim_end().chars().next_back();
            let after = object[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
            let is_key = before.is_none_or(|it| "{,\"'\n[".contains(it));
            let Some(value) = after.strip_prefix(':').filter(|_| is_key) else { continue };
            let value = value.trim_start().trim_start_matches('[').trim_start();
            if let Some(text) = literal(value) {
                found.entry(key.to_owned()).or_insert(text);
            }
        }
    }
    found
}

/// Returns the text of a literal, with what is added to it by `+`.
fn literal(value: &str) -> Option<String> {
    let quote = value.chars().next().filter(|it| "\"'`".contains(*it))?;
    let mut text = String::new();
    let mut chars = value[1..].char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().map(|(_, c)| c)),
            c if c == quote => {
                let rest = value[at + 2..].trim_start();
                let next = rest.strip_prefix('+').map(str::trim_start).and_then(literal);
                text.push_str(next.as_deref().unwrap_or_default());
                return Some(text);
            }
            c => text.push(c),
        }
        if text.len() > 2000 {
            return None;
        }
    }
    None
}

fn eslint(text: &str) -> Vec<Ban> {
    const RULES: &[&str] = &[
        "no-restricted-imports",
        "no-restricted-globals",
        "no-restricted-properties",
        "no-restricted-modules",
        "no-restricted-methods",
    ];
    let mut found = Vec::new();
    for rule in RULES {
        for (at, _) in text.match_indices(rule) {
            let rest = &text[at + rule.len()..];
            let after = rest.trim_start_matches(['"', '\'', '`']).trim_start();
            let Some(list) = after.strip_prefix(':').map(str::trim_start) else { continue };
            if !list.starts_with('[') {
                continue;
            }
            let start = text.len() - list.len();
            let end = start + closing(list);
            let mut from = start + 1;
            while let Some(open) = text[from..end].find('{').map(|it| from + it) {
                let size = closing(&text[open..end]);
                let object = &text[open..open + size];
                // `paths: [{…}]` is an object around others.
                if object[1..].contains('{') {
                    from = open + 1;
                    continue;
                }
                from = open + size.max(1);
                let members = members(object);
                let Some(message) = members.get("message") else { continue };
                let what = match (members.get("object"), members.get("property")) {
                    (Some(object), Some(property)) => Some(format!("{object}.{property}")),
                    _ => members.get("name").or_else(|| members.get("group")).cloned(),
                };
                let Some(what) = what else { continue };
                let line = line_at(text, open);
                found.push(Ban { what, instead: None, message: message.clone(), line });
            }
        }
    }
    found
}

/// Returns the length of the bracketed text at the start, outside of literals; at most that of the text.
fn closing(text: &str) -> usize {
    let (mut depth, mut quote) = (0_i32, None);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => drop(chars.next()),
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => {
                depth -= 1;
                if depth <= 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn checkstyle(text: &str) -> Vec<Ban> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("<module name=\"") {
        let of = &text[at..];
        let end = of.find("</module>").unwrap_or(of.len());
        let of = &of[..end];
        let kind = of["<module name=\"".len()..].split('"').next().unwrap_or_default();
        let is_kind = kind.starts_with("Regexp") || kind.starts_with("Illegal");
        if !is_kind || of[1..].contains("<module") {
            continue;
        }
        let property = |name: &str| {
            let mark = format!("name=\"{name}\"");
            let rest = &of[of.find(&mark)? + mark.len()..];
            let value = rest.split("value=\"").nth(1)?.split('"').next()?;
            Some(value.replace("&quot;", "\"").replace("&lt;", "<").replace("&amp;", "&"))
        };
        let what = ["format", "illegalPkgs", "illegalClasses"].iter().find_map(|it| property(it));
        let Some(what) = what else { continue };
        let what = what.replace('\\', "").replace('`', "'");
        let message = property("message").unwrap_or_default();
        found.push(Ban { what, instead: None, message, line: line_at(text, at) });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bans(found: Vec<Ban>) -> Vec<(String, Option<String>, String, usize)> {
        found.into_iter().map(|it| (it.what, it.instead, it.message, it.line)).collect()
    }

    fn ban(what: &str, message: &str, line: usize) -> (String, Option<String>, String, usize) {
        (what.to_owned(), None, message.to_owned(), line)
    }

    #[test]
    fn bans_are_read_with_their_messages() {
        let text = "disallowed-methods = [\n  { path = \"std::env::set_var\", reason = \"races\", replacement = \"x\" },\n  \"a::b\",\n]\n";
        let mut first = ban("std::env::set_var", "races", 2);
        first.1 = Some("x".to_owned());
        assert_eq!(bans(clippy(text)), [first, ban("a::b", "", 3)]);
        let text =
            "[tool.ruff.lint.flake8-tidy-imports.banned-api]\n\"typing.List\".msg = \"Use list\"\n";
        assert_eq!(bans(ruff(text)), [ban("typing.List", "Use list", 2)]);
        let text = "linters:\n  settings:\n    depguard:\n      rules:\n        main:\n          deny:\n            - pkg: io/ioutil\n              desc: use os # now\n    forbidigo:\n      forbid:\n        - pattern: ^fmt\\.Print\n          msg: \"use the logger\"\n    gomodguard:\n      blocked:\n        modules:\n          - github.com/pkg/errors:\n              recommendations:\n                - errors\n              reason: \"standard library\"\n";
        let mut modguard = ban("github.com/pkg/errors", "standard library", 16);
        modguard.1 = Some("errors".to_owned());
        let expected =
            [ban("io/ioutil", "use os", 7), ban("fmt.Print", "use the logger", 11), modguard];
        assert_eq!(bans(golangci(text)), expected);
        let text = "rules: {\n  'no-restricted-imports': ['error', { paths: [\n    { name: 'lodash', message: 'Use ' +\n 'es-toolkit.' },\n  ]}],\n  \"no-restricted-properties\": [2, {\"object\": \"Math\", \"property\": \"random\", \"message\": \"Not seeded\"}],\n}\n";
        assert_eq!(
            bans(eslint(text)),
            [ban("lodash", "Use es-toolkit.", 3), ban("Math.random", "Not seeded", 6)]
        );
        let text = "<module name=\"Checker\">\n<module name=\"RegexpSinglelineJava\">\n<property name=\"format\" value=\"System\\.out\"/>\n<property name=\"message\" value=\"Use a logger\"/>\n</module></module>";
        assert_eq!(bans(checkstyle(text)), [ban("System.out", "Use a logger", 2)]);
        let text = "[bans]\ndeny = [{ crate = \"openssl\", use-instead = \"rustls\" }]\n";
        let mut expected = ban("openssl", "", 2);
        expected.1 = Some("rustls".to_owned());
        assert_eq!(bans(deny(text)), [expected]);
    }

    #[test]
    fn damaged_settings_are_no_bans() {
        for text in
            ["no-restricted-imports: [{", "depguard:\n - pkg", "<module name=\"Regexp", "[", "'"]
        {
            for linter in LINTERS {
                assert_eq!((linter.read)(text), [], "{text}");
            }
        }
    }
}
