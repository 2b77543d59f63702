//! What a file states by its name and its first lines: its package and when it is compiled.

use crate::ir::{Condition, Name};

/// Operating systems of which exactly one is compiled for.
const SYSTEMS: [&str; 15] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "illumos",
    "ios",
    "js",
    "linux",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
];
/// Processors of which exactly one is compiled for.
const PROCESSORS: [&str; 12] = [
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mipsle", "ppc64le", "riscv64",
    "s390x", "wasm",
];

/// Returns the folder of a path.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the module of a file: packages of one name in two folders are two.
pub(super) fn module_of(path: &str, package: &str) -> String {
    format!("{}:{package}", folder(path))
}

/// Returns when a file is compiled; none for always.
pub(super) fn condition(path: &str, text: &[u8]) -> Option<Condition> {
    let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".go");
    let name = name.trim_end_matches("_test");
    let mut all: Vec<Condition> = Vec::new();
    let mut words = name.rsplit('_').take(name.matches('_').count().min(2));
    let last = words.next().unwrap_or("");
    if PROCESSORS.contains(&last) {
        all.push(symbol(last));
        all.extend(words.next().filter(|word| SYSTEMS.contains(word)).map(symbol));
    } else if SYSTEMS.contains(&last) {
        all.push(symbol(last));
    }
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let head = lines.take_while(|line| line.is_empty() || line.starts_with(b"//"));
    for line in head {
        if let Some(written) = line.strip_prefix(b"//go:build ") {
            let written = String::from_utf8_lossy(written);
            let mut rest = &*written;
            all.push(any(&mut rest, 0));
        }
    }
    match all.len() {
        0 => None,
        1 => all.pop(),
        _ => Some(Condition::All(all)),
    }
}

/// A symbol that excludes the others of its kind.
fn symbol(name: &str) -> Condition {
    let others = [&SYSTEMS[..], &PROCESSORS[..]].into_iter().find(|all| all.contains(&name));
    let others = others.into_iter().flatten().filter(|other| **other != name);
    let others = others.map(|other| Condition::Not(Box::new(Condition::Defined((*other).into()))));
    let own = Condition::Defined(name.into());
    let all: Vec<Condition> = std::iter::once(own).chain(others).collect();
    match <[Condition; 1]>::try_from(all) {
        Ok([own]) => own,
        Err(all) => Condition::All(all),
    }
}

/// `a || b`.
fn any(rest: &mut &str, depth: usize) -> Condition {
    let mut parts = vec![all(rest, depth)];
    while takes(rest, "||") {
        parts.push(all(rest, depth));
    }
    match <[Condition; 1]>::try_from(parts) {
        Ok([only]) => only,
        Err(parts) => Condition::Any(parts),
    }
}

/// `a && b`.
fn all(rest: &mut &str, depth: usize) -> Condition {
    let mut parts = vec![one(rest, depth)];
    while takes(rest, "&&") {
        parts.push(one(rest, depth));
    }
    match <[Condition; 1]>::try_from(parts) {
        Ok([only]) => only,
        Err(parts) => Condition::All(parts),
    }
}

/// `!a`, `(a)`, `a`.
fn one(rest: &mut &str, depth: usize) -> Condition {
    if depth > 16 {
        return Condition::Opaque((*rest).into());
    }
    if takes(rest, "!") {
        let inner = if rest.trim_start().starts_with(['(', '!']) {
            one(rest, depth + 1)
        } else {
            // That one symbol does not hold says nothing of the others.
            Condition::Defined(word(rest))
        };
        return Condition::Not(Box::new(inner));
    }
    if takes(rest, "(") {
        let inner = any(rest, depth + 1);
        takes(rest, ")");
        return inner;
    }
    symbol(&word(rest))
}

fn word(rest: &mut &str) -> Name {
    let trimmed = rest.trim_start();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let (name, after) = trimmed.split_at(trimmed.find(|c| !is_part(c)).unwrap_or(trimmed.len()));
    *rest = after;
    name.into()
}

fn takes(rest: &mut &str, sign: &str) -> bool {
    match rest.trim_start().strip_prefix(sign) {
        Some(after) => {
            *rest = after;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::condition;

    #[test]
    fn files_of_two_systems_exclude_each_other() {
        let of = |path: &str, text: &str| condition(path, text.as_bytes());
        let linux = of("a/x_linux.go", "package a").expect("a condition");
        let windows = of("x.go", "// c\n\n//go:build windows && amd64\n").expect("a condition");
        let other = of("x_other.go", "//go:build !windows").expect("a condition");
        assert!(!linux.is_compatible(&windows));
        assert!(linux.is_compatible(&other));
        assert!(!windows.is_compatible(&other));
        assert_eq!(of("a/x_test.go", "package a"), None);
        assert_eq!(of("linux.go", "package a"), None);
    }
}
