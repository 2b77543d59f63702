//! The words that start codedb: a program, or a launcher of packages such as `npx` with the package.

use super::NAME;

/// The command that starts codedb, to which the arguments of a call are added.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Launch {
    /// The program: codedb, by its name or path, or a launcher.
    pub program: String,
    /// The arguments of the launcher; empty for codedb itself.
    pub args: Vec<String>,
}

/// Names under which package registries have codedb.
const PACKAGES: &[&str] = &[NAME, "codedb-cli"];

/// Launchers: the words at the start of their calls.
const LAUNCHERS: &[&[&str]] = &[
    &["npx"],
    &["cmd", "/c", "npx"],
    &["bunx"],
    &["pnpm", "dlx"],
    &["yarn", "dlx"],
    &["uvx"],
    &["uv", "tool", "run"],
    &["pipx", "run"],
];

/// Flags of launchers that name a package in addition to the program.
const PACKAGE_FLAGS: &[&str] = &["--from", "--spec", "--package", "-p"];

impl Launch {
    /// Returns the command that starts `program` itself.
    pub fn program(program: impl Into<String>) -> Launch {
        Launch { program: program.into(), args: Vec::new() }
    }

    /// Returns the command that consists of `words`, the first of which is the program.
    pub fn words(words: &[&str]) -> Launch {
        let mut words = words.iter().map(|&word| word.to_owned());
        Launch { program: words.next().unwrap_or_default(), args: words.collect() }
    }

    /// Returns all words in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.program).chain(&self.args).map(String::as_str)
    }

    /// Returns the command as a line of a POSIX shell.
    pub(super) fn shell_line(&self) -> String {
        self.iter().map(quoted).collect::<Vec<_>>().join(" ")
    }

    /// Returns the number of words.
    pub(super) fn len(&self) -> usize {
        1 + self.args.len()
    }
}

/// Returns how many words at the start of `words` start codedb; `None` if they start something else.
pub(super) fn recognized(words: &[&str]) -> Option<usize> {
    let program = program_name(words.first()?);
    if program == NAME {
        return Some(1);
    }
    // `cmd /c codedb` starts the script of an npm package on Windows.
    if program == "cmd" && words.get(1) == Some(&"/c") && words.get(2).is_some_and(is_codedb) {
        return Some(3);
    }
    let is_start_of = |launcher: &&&[&str]| {
        let words = std::iter::once(program).chain(words[1..].iter().copied());
        launcher.iter().zip(words).filter(|(word, other)| *word == other).count() == launcher.len()
    };
    let start = LAUNCHERS.iter().find(is_start_of)?.len();
    let is_package = |&at: &usize| {
        PACKAGES.contains(&without_version(words[at])) && !PACKAGE_FLAGS.contains(&words[at - 1])
    };
    (start..words.len()).find(is_package).map(|at| at + 1)
}

fn is_codedb(word: &&str) -> bool {
    program_name(word) == NAME
}

/// Returns true if a word of a command is the program or one of its packages, with any version.
pub(super) fn names_codedb(word: &str) -> bool {
    is_codedb(&word) || PACKAGES.contains(&without_version(word))
}

/// Returns the name of a package without the version or the extras that follow it.
fn without_version(word: &str) -> &str {
    word.split(['@', '=', '<', '>', '~', '!', '[']).next().unwrap_or_default()
}

/// Quotes a word for the shell.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+@=".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Returns the last component of a path, in the syntax of any system, without the extension of
/// programs on Windows.
fn program_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let extension = [".exe", ".cmd"].into_iter().find_map(|extension| name.strip_suffix(extension));
    extension.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_start_codedb_is_recognized() {
        let check = |line: &str, expected: Option<usize>| {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(recognized(&words), expected, "{line}");
        };
        check("codedb mcp", Some(1));
        check("/opt/codedb mcp", Some(1));
        check("C:\\bin\\codedb.exe mcp", Some(1));
        check("npx -y codedb@latest mcp", Some(3));
        check("npx --no-install codedb mcp --root codedb", Some(3));
        check("cmd /c npx -y codedb@latest mcp", Some(5));
        check("cmd /c codedb mcp", Some(3));
        check("/usr/bin/npx codedb mcp", Some(2));
        check("npx -p codedb codedb mcp", Some(4));
        check("uvx codedb-cli@latest mcp", Some(2));
        check("uvx --from codedb-cli==0.3 codedb mcp", Some(4));
        check("uv tool run codedb-cli mcp", Some(4));
        check("pipx run --spec codedb-cli codedb mcp", Some(5));
        check("npx -y other mcp", None);
        check("uvx mcp", None);
        check("cmd /c other mcp", None);
        check("codedb2 mcp", None);
        check("node codedb.js mcp", None);
    }
}
