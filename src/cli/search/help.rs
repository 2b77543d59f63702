//! `-h`, `--help` and `--version` of `codedb search`, generated from the flag table.

use std::fmt::Write;

use super::flags::{CHAPTERS, Flag};

const WIDTH: usize = 79;

const USAGE: &str = "\
codedb search: search files with ripgrep's flags and output, using an index

USAGE:
  codedb search [OPTIONS] PATTERN [PATH ...]
  codedb search [OPTIONS] -e PATTERN ... [PATH ...]
  codedb search [OPTIONS] -f PATTERNFILE ... [PATH ...]
  codedb search [OPTIONS] --files [PATH ...]
  codedb search [OPTIONS] --type-list
  command | codedb search [OPTIONS] PATTERN

ARGUMENTS:
  PATTERN  A regular expression; with `-F`, a literal string.
  PATH     A file or directory to search, even if it is ignored; directories are
           searched recursively. Default: standard input if it is a pipe, else the
           current directory. `-` is standard input.

EXIT CODE:
  0 if there was a match, 1 if there was none, 2 on errors (with `-q`, 0 if there was
  a match in spite of errors).
";

/// Returns the short help: a line per flag.
pub(crate) fn short() -> String {
    let mut out = USAGE.to_string();
    for chapter in CHAPTERS {
        heading(chapter, &mut out);
        for flag in chapter {
            let _ = writeln!(out, "  {:<34}{}", short_form(flag), flag.help);
        }
    }
    out.push_str("\n`codedb search --help` describes them in detail.\n");
    out
}

/// Returns the long help: some paragraphs per flag.
pub(crate) fn long() -> String {
    let mut out = USAGE.to_string();
    for chapter in CHAPTERS {
        heading(chapter, &mut out);
        for (index, flag) in chapter.iter().enumerate() {
            let gap = if index == 0 { "" } else { "\n" };
            let _ = writeln!(out, "{gap}  {}", long_form(flag));
            for paragraph in paragraphs(flag) {
                wrap(&paragraph, &mut out);
            }
        }
    }
    out
}

fn heading(chapter: &[Flag], out: &mut String) {
    if let Some(flag) = chapter.first() {
        let _ = write!(out, "\n{}:\n", flag.category.title());
    }
}

fn short_form(flag: &Flag) -> String {
    let value = flag.value.map(|name| {
        let name = name.trim_end_matches("+SUFFIX?");
        format!("={}", if name == "REPLACEMENT" { "TEXT" } else { name.trim_end_matches("ARATOR") })
    });
    let long = format!("--{}{}", flag.long, value.unwrap_or_default());
    flag.short.map_or(long.clone(), |letter| format!("-{letter}, {long}"))
}

fn long_form(flag: &Flag) -> String {
    let mut forms = Vec::new();
    if let Some(letter) = flag.short {
        forms.push(match flag.value {
            Some(value) => format!("-{letter} {value}"),
            None => format!("-{letter}"),
        });
    }
    for name in [flag.long].iter().chain(flag.aliases) {
        forms.push(match flag.value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        });
    }
    forms.join(", ")
}

/// Returns the paragraphs of the description of a flag.
pub(crate) fn paragraphs(flag: &Flag) -> Vec<String> {
    let mut paragraphs: Vec<String> =
        format!("{} {}", flag.help, flag.more).split("\n\n").map(str::to_string).collect();
    if !flag.choices.is_empty() {
        paragraphs.push(format!("Values: {}.", flag.choices.join(", ")));
    }
    if let Some(negated) = flag.negated {
        paragraphs.push(format!("`--{negated}` negates it."));
    }
    paragraphs
}

fn wrap(paragraph: &str, out: &mut String) {
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            out.push('\n');
            column = 0;
        }
        if column == 0 {
            out.push_str("      ");
            column = 6;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out.push('\n');
}

/// Returns `codedb 1.2.3`.
pub(crate) fn version_short() -> String {
    format!("codedb {}\n", env!("CARGO_PKG_VERSION"))
}

/// Returns the version and the features of this build.
pub(crate) fn version_long() -> String {
    let (pcre2, _) = version_pcre2();
    format!("{}\nsearch: the flags and output of ripgrep 15.2\npcre2: {pcre2}", version_short())
}

/// Returns the version of PCRE2, and whether this build has it.
#[cfg(feature = "pcre2")]
pub(crate) fn version_pcre2() -> (String, bool) {
    let (major, minor) = grep_pcre2::version();
    let jit = if grep_pcre2::is_jit_available() { "with JIT" } else { "without JIT" };
    (format!("PCRE2 {major}.{minor}, {jit}\n"), true)
}

/// Returns the version of PCRE2, and whether this build has it.
#[cfg(not(feature = "pcre2"))]
pub(crate) fn version_pcre2() -> (String, bool) {
    ("this build has no PCRE2\n".to_string(), false)
}

#[cfg(test)]
mod tests {
    use super::{long, short};

    #[test]
    fn help_fits_on_a_terminal() {
        for line in long().lines() {
            assert!(line.chars().count() <= 88, "{line}");
        }
        for line in short().lines() {
            assert!(line.chars().count() <= 98, "{line}");
        }
    }
}
