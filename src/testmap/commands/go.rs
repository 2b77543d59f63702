//! `go test`.

use std::collections::BTreeMap;

use super::pattern::whole;
use super::{Located, Read, folder, in_chunks, names, quoted};

/// Packages of which each has a command of its own; the tests of more are run together.
const SEPARATE_MAX: usize = 3;

/// Tags that the toolchain sets itself.
const OWN_TAGS: [&str; 16] = [
    "linux", "darwin", "windows", "unix", "freebsd", "amd64", "arm64", "386", "arm", "cgo", "gc",
    "race", "msan", "ignore", "js", "wasm",
];

pub(super) fn commands(module: &str, tests: &[Located<'_>], read: Read<'_>) -> Vec<String> {
    let mut packages: BTreeMap<(String, &str), Vec<Located<'_>>> = BTreeMap::new();
    for &(path, test) in tests {
        let tags = read(path).and_then(|text| tags(&text)).unwrap_or_default();
        packages.entry((tags, folder(path))).or_default().push((path, test));
    }
    let mut starts: BTreeMap<String, Vec<(String, Vec<Located<'_>>)>> = BTreeMap::new();
    for ((tags, folder), tests) in packages {
        let below = folder.strip_prefix(module).unwrap_or(folder).trim_start_matches('/');
        let package = if below.is_empty() { ".".to_owned() } else { format!("./{below}") };
        let Some(package) = quoted(&package) else { continue };
        let enter = match module {
            "" => String::new(),
            module => match quoted(module) {
                Some(module) => format!(" -C {module}"),
                None => continue,
            },
        };
        let tags = if tags.is_empty() { String::new() } else { format!(" -tags {tags}") };
        starts.entry(format!("go{enter} test{tags}")).or_default().push((package, tests));
    }
    let mut found = Vec::new();
    for (start, packages) in starts {
        if packages.len() <= SEPARATE_MAX {
            for (package, tests) in packages {
                let options = options(&tests, read).unwrap_or_default();
                found.push(format!("{start} {package}{options}"));
            }
            continue;
        }
        let all: Vec<Located<'_>> = packages.iter().flat_map(|(_, tests)| tests.clone()).collect();
        let paths: Vec<String> = packages.into_iter().map(|(package, _)| package).collect();
        let options = options(&all, read).unwrap_or_default();
        let chunks = in_chunks(&start, &paths);
        found.extend(chunks.into_iter().map(|command| format!("{command}{options}")));
    }
    found
}

/// Returns the options that select tests of a package; `None` if they cannot be named.
fn options(tests: &[Located<'_>], read: Read<'_>) -> Option<String> {
    let mut methods = Vec::new();
    let top = |(path, test): &Located<'_>| match test.groups.last() {
        None => quotable(&test.name),
        // Methods of a suite run below the function that starts the suite.
        Some(suite) => quotable(&starter(path, suite, read)?),
    };
    for (_, test) in tests.iter().filter(|(_, test)| !test.groups.is_empty()) {
        methods.push(quotable(&test.name)?);
    }
    let top = names(tests, &top)?;
    methods.sort();
    methods.dedup();
    let is_mixed = tests.iter().any(|(_, test)| test.groups.is_empty()) && !methods.is_empty();
    let mut text = format!(" -run '{}'", whole_always(&top));
    if !methods.is_empty() && !is_mixed {
        text.push_str(&format!(" -testify.m '{}'", whole_always(&methods)));
    }
    Some(text)
}

fn whole_always(names: &[String]) -> String {
    match names {
        [_] => format!("^({})$", names[0]),
        several => whole(several),
    }
}

/// Returns a name that is an identifier.
fn quotable(name: &str) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

/// Returns the function of a file that starts a suite of testify.
fn starter(path: &str, suite: &str, read: Read<'_>) -> Option<String> {
    let text = read(path)?;
    let mut function = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("func ") {
            function = rest.split('(').next().filter(|name| name.starts_with("Test"));
        }
        let starts = line.contains("suite.Run(")
            && line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == suite);
        if starts {
            return function.map(str::to_owned);
        }
    }
    None
}

/// Returns the tags that a file needs and the toolchain does not set; of alternatives, those of the first.
fn tags(text: &str) -> Option<String> {
    let constraint = text.lines().take(40).find_map(|line| line.strip_prefix("//go:build "))?;
    let mut needed = needed(constraint.trim(), true)?;
    needed.dedup();
    (!needed.is_empty()).then(|| needed.join(","))
}

/// Returns the tags that make a constraint hold, or if `holds` is false, fail; `None` if tags alone cannot.
fn needed(constraint: &str, holds: bool) -> Option<Vec<String>> {
    let constraint = constraint.trim();
    for operator in ["||", "&&"] {
        let Some((left, right)) = split(constraint, operator) else { continue };
        // One part is enough for `||` to hold, and for `&&` to fail.
        if (operator == "||") == holds {
            return needed(left, holds).or_else(|| needed(right, holds));
        }
        let mut all = needed(left, holds)?;
        for tag in needed(right, holds)? {
            if !all.contains(&tag) {
                all.push(tag);
            }
        }
        return Some(all);
    }
    if let Some(rest) = constraint.strip_prefix('!') {
        return needed(rest, !holds);
    }
    if let Some(inside) = constraint.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        return needed(inside, holds);
    }
    let tag = quotable(constraint)?;
    let is_own = OWN_TAGS.contains(&&*tag) || tag.starts_with("go1");
    Some(if holds && !is_own { vec![tag] } else { Vec::new() })
}

/// Splits a constraint at the first such operator outside of parentheses.
fn split<'c>(constraint: &'c str, operator: &str) -> Option<(&'c str, &'c str)> {
    let mut depth = 0_usize;
    for (at, c) in constraint.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && constraint[at..].starts_with(operator) => {
                return Some((&constraint[..at], &constraint[at + operator.len()..]));
            }
            _ => {}
        }
    }
    None
}
