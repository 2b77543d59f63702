//! Suggested commands → directories and words. No shell runs them.

use std::ffi::OsString;
use std::path::PathBuf;

/// A command without a shell: its directory below the root, and its words.
pub(super) type Words = (PathBuf, Vec<OsString>);

/// Returns the parts of a suggested command: words and texts in single quotes, perhaps after
/// `cd DIRECTORY &&`; further commands follow after `&&`. `None` for anything else.
pub(super) fn words_of(line: &str) -> Option<Vec<Words>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '\\' => match chars.next()? {
                '\'' => word.get_or_insert_default().push('\''),
                _ => return None,
            },
            '"' | '`' | ';' | '<' | '>' => return None,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let mut directory = PathBuf::new();
    if words.first().is_some_and(|word| word == "cd")
        && words.get(2).is_some_and(|word| word == "&&")
    {
        directory = PathBuf::from(&words[1]);
        words.drain(..3);
    }
    let commands = words.split(|word| word == "&&");
    let command = |words: &[String]| {
        let is_plain = words.first().is_some_and(|word| word != "cd");
        is_plain.then(|| (directory.clone(), words.iter().map(OsString::from).collect()))
    };
    commands.map(command).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_commands_are_split_into_words() {
        let check = |line: &str, expected: Option<&[(&str, &[&str])]>| {
            let expected = expected.map(|all| {
                let one = |(directory, words): &(&str, &[&str])| {
                    (PathBuf::from(directory), words.iter().map(OsString::from).collect())
                };
                all.iter().map(one).collect::<Vec<Words>>()
            });
            assert_eq!(words_of(line), expected, "{line}");
        };
        check("pytest a.py::b 'c d.py'", Some(&[("", &["pytest", "a.py::b", "c d.py"])]));
        check("go test -run '^(A|B)$'", Some(&[("", &["go", "test", "-run", "^(A|B)$"])]));
        check("cd p/q && npx jest a.js", Some(&[("p/q", &["npx", "jest", "a.js"])]));
        check("pytest 'it'\\''s.py'", Some(&[("", &["pytest", "it's.py"])]));
        check("cd p && a && b c", Some(&[("p", &["a"]), ("p", &["b", "c"])]));
        check("a '&&b'", Some(&[("", &["a", "&&b"])]));
        check("a && cd b", None);
        check("a 'b", None);
        check("a; b", None);
        check("a \\n", None);
        check("", None);
    }
}
