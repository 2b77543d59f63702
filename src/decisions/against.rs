//! What a decision excludes, and whether added lines contain it.
//!
//! A pattern excludes the names in back-ticks that follow `instead of`, `not`, `never`, `avoid` or
//! `over` up to the end of the clause: "Use `pathlib` instead of `os.path`". Anything else cannot be
//! compared with a line, and contradicts nothing.

/// Words after which a pattern names what it excludes.
const EXCLUDING: &[&str] =
    &["instead of", "rather than", "not", "never", "avoid", "over", "without"];

/// Returns the names that a pattern excludes, in its order.
pub fn excluded(pattern: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lower = pattern.to_lowercase();
    // Lower case may have another length for some letters: then nothing can be located.
    if lower.len() != pattern.len() {
        return found;
    }
    let parts: Vec<&str> = pattern.split('`').collect();
    let mut excludes = false;
    for (at, part) in parts.iter().enumerate() {
        // Text and names alternate; the last name has no closing back-tick if their number is even.
        let is_name = at % 2 == 1 && at + 1 < parts.len();
        if is_name {
            if excludes && part.len() > 1 {
                found.push((*part).to_owned());
            }
            continue;
        }
        let text = part.to_lowercase();
        let words: Vec<&str> = text.split(|it: char| !it.is_alphanumeric()).collect();
        let words: Vec<&str> = words.into_iter().filter(|it| !it.is_empty()).collect();
        let has = |phrase: &str| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            words.windows(phrase.len()).any(|window| window == phrase.as_slice())
        };
        let ends =
            text.contains([';', '.', ':']) || ["use", "but", "for", "in"].iter().any(|it| has(it));
        if EXCLUDING.iter().any(|it| has(it)) {
            excludes = true;
        } else if ends {
            excludes = false;
        }
    }
    found
}

/// Returns the first of `names` that one of the added lines of a diff contains as a whole name.
pub fn in_added<'n>(diff: &str, names: &'n [String]) -> Option<&'n str> {
    let added = diff.lines().filter(|line| line.starts_with('+') && !line.starts_with("+++"));
    let mut lines = added.map(|line| &line[1..]);
    lines.find_map(|line| names.iter().find(|name| contains(line, name)).map(String::as_str))
}

fn contains(line: &str, name: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(is_part);
        let after = line[at + name.len()..].chars().next().is_some_and(is_part);
        let first = name.chars().next().is_some_and(is_part);
        let last = name.chars().next_back().is_some_and(is_part);
        !(before && first || after && last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_after_excluding_words_are_excluded() {
        for (pattern, expected) in [
            ("Use `pathlib` instead of `os.path` for paths", &["os.path"][..]),
            ("Use `log`, not `print` or `eprintln`", &["print", "eprintln"]),
            ("Never call `unwrap`; use `expect`", &["unwrap"]),
            ("Avoid `goto` in `loops`", &["goto"]),
            ("Use `t.cast`", &[]),
            ("Do not use `x", &[]),
            ("Prefer `Box` over `Rc`. `Arc` is fine", &["Rc"]),
        ] {
            assert_eq!(excluded(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn only_added_whole_names_count() {
        let names = ["os.path".to_owned(), "print".to_owned()];
        assert_eq!(in_added("+import os.path\n", &names), Some("os.path"));
        assert_eq!(in_added("-print(1)\n+sprint(2)\n+++ print\n print\n", &names), None);
        assert_eq!(in_added("+ print(2)\n", &names), Some("print"));
    }
}
