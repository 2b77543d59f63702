//! `codedb search --structure`: the lines of a search by file and by the definition around them, as agents
//! get them. Options are those of the tool and those of ripgrep that select files and lines; ripgrep's own
//! parser reads the latter.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, Command};
use ignore::overrides::Override;
use ignore::types::Types;
use lexopt::Arg;

use super::super::short_help;
use super::super::tool::{self, Scope};
use super::args::{Args, Case, PatternSource};
use super::flags::{self, Named};
use super::{parse, walker};
use crate::error::{Error, Kind, Result};
use crate::tools::Tool;
use crate::tools::pattern::Pattern;

/// The flag.
pub(super) const FLAG: &str = "structure";

/// Options of ripgrep that select files and lines, which apply.
const APPLIED: [&str; 18] = [
    "after-context",
    "before-context",
    "case-sensitive",
    "context",
    "files-with-matches",
    "fixed-strings",
    "glob",
    "glob-case-insensitive",
    "iglob",
    "ignore-case",
    "max-count",
    "regexp",
    "smart-case",
    "type",
    "type-add",
    "type-clear",
    "type-not",
    "word-regexp",
];

/// Options of ripgrep that describe what the reply is anyway, or that change no reply.
const IMPLIED: [&str; 6] =
    ["heading", "line-number", "no-config", "no-messages", "threads", "with-filename"];

/// The argument of the tool that ripgrep's flag of the same name replaces.
const REPLACED: &str = "case-sensitive";

/// The arguments of the tool that flags of ripgrep set.
const TRANSLATED: [&str; 7] =
    ["case_sensitive", "context_lines", "max_per_file", "path_glob", "paths_only", "regex", "word"];

/// What the help adds.
const HELP: &str = "Of ripgrep, -e, -F, -i, -s, -S, -w, -l, -m, -g, --iglob, -t, -T, -A, -B and -C apply; -A and -B \
                    show context on both sides.";

/// Returns true if the arguments ask for it.
pub(super) fn is_wanted(words: &[OsString]) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| word == "--structure")
}

/// Runs the search.
///
/// # Errors
///
/// On an option that does not apply, a path that does not exist, and as the tool.
pub(super) fn run(words: &[OsString]) -> Result<ExitCode> {
    let result = answered(words);
    if let Err(Failed::Before(error)) = &result
        && words.iter().any(|word| word == "--json")
    {
        tool::print_failure(error)?;
    }
    result.map_err(|failed| match failed {
        Failed::Before(error) | Failed::InTool(error) => error,
    })
}

/// An error before the tool runs, which is not printed as JSON yet, or of the tool.
enum Failed {
    Before(Error),
    InTool(Error),
}

fn answered(words: &[OsString]) -> std::result::Result<ExitCode, Failed> {
    let missing = || Error::new(Kind::NotFound, "the tool `search` is missing");
    let found = crate::tools::find("codedb_search").ok_or_else(missing).map_err(Failed::Before)?;
    let command = command(found);
    let typed = typed(&command, words).map_err(Failed::Before)?;
    let scope = typed.scope().map_err(Failed::Before)?;
    let name = OsString::from("codedb search --structure");
    let words = std::iter::once(name).chain(typed.words().map_err(Failed::Before)?);
    let matches = command.get_matches_from(words);
    tool::run_within(found, &matches, scope.as_ref()).map_err(Failed::InTool)
}

/// Returns the command of the tool, with the help of this form of it.
fn command(tool: &'static Tool) -> Command {
    let command = tool::command(tool)
        .mut_arg("query", |arg| {
            arg.value_name("PATTERN").help("A regular expression; with `-F`, a text")
        })
        // `-n` is ripgrep's.
        .mut_arg("max_results", |arg| arg.short(None))
        .override_usage("codedb search --structure [OPTIONS] PATTERN [PATH ...]")
        .after_help(HELP);
    // Those of ripgrep are in the text below the options.
    let command =
        TRANSLATED.iter().fold(command, |command, id| command.mut_arg(*id, |arg| arg.hide(true)));
    short_help::shortened(command)
}

/// What is typed.
#[derive(Debug, Default)]
struct Typed {
    /// The options of the tool.
    own: Vec<OsString>,
    /// Those of ripgrep, with pattern and paths.
    args: Args,
    /// True if only the help is requested.
    is_help: bool,
}

/// Parses the arguments: an option of the tool has precedence over one of ripgrep with its name, and that
/// over other names of the tool's options.
fn typed(command: &Command, words: &[OsString]) -> Result<Typed> {
    let mut typed = Typed::default();
    let mut parser = lexopt::Parser::from_args(words.iter().cloned());
    while let Some(arg) = parser.next().map_err(|error| Error::usage(error.to_string()))? {
        let (given, named) = match arg {
            Arg::Value(word) => {
                typed.args.words.push(word);
                continue;
            }
            Arg::Short('h') => {
                (typed.is_help, _) = (true, typed.own.push("-h".into()));
                continue;
            }
            Arg::Short(letter) => (format!("-{letter}"), flags::find_short(letter)),
            Arg::Long(FLAG) => continue,
            Arg::Long(name) => {
                let name = name.to_owned();
                let named = flags::find_long(&name);
                let option = own_option(command, &name, named.is_some());
                if let Some(option) = option {
                    typed.is_help |= name.starts_with("help");
                    typed.own.push(own_word(option, &name, &mut parser)?);
                    continue;
                }
                (format!("--{name}"), named)
            }
        };
        let named = named.ok_or_else(|| parse::unknown(&given))?;
        if !applies(named) {
            return Err(Error::usage(format!("`--structure` does not take ripgrep's `{given}`"))
                .with_hint("without `--structure`, all flags of ripgrep apply"));
        }
        parse::apply(named, &given, &mut parser, &mut typed.args)?;
    }
    Ok(typed)
}

fn applies(named: Named) -> bool {
    let name = named.flag.long;
    APPLIED.contains(&name) || IMPLIED.contains(&name) && !named.negated
}

/// Returns the option of the tool with a name; with another name for it only unless ripgrep has that.
fn own_option<'a>(command: &'a Command, name: &str, is_of_ripgrep: bool) -> Option<&'a clap::Arg> {
    let is_named = |arg: &&clap::Arg| arg.get_long() == Some(name) && name != REPLACED;
    let is_alias = |arg: &&clap::Arg| {
        !is_of_ripgrep && arg.get_all_aliases().is_some_and(|all| all.contains(&name))
    };
    let mut all = command.get_arguments();
    all.find(is_named).or_else(|| command.get_arguments().find(is_alias))
}

/// Returns an option of the tool with its value as one word.
fn own_word(option: &clap::Arg, name: &str, parser: &mut lexopt::Parser) -> Result<OsString> {
    let mut word = OsString::from(format!("--{name}"));
    let is_optional = option.is_require_equals_set();
    let has_value = matches!(option.get_action(), ArgAction::Set | ArgAction::Append);
    let value = match parser.optional_value() {
        None if has_value && !is_optional => {
            let missing = |_| Error::usage(format!("flag `--{name}` needs a value"));
            Some(parser.value().map_err(missing)?)
        }
        value => value,
    };
    if let Some(value) = value {
        word.push("=");
        word.push(value);
    }
    Ok(word)
}

impl Typed {
    /// Returns the arguments of the tool.
    ///
    /// # Errors
    ///
    /// If the pattern is missing or invalid.
    fn words(&self) -> Result<Vec<OsString>> {
        let mut made = self.own.clone();
        if self.is_help {
            return Ok(made);
        }
        let matching = &self.args.matching;
        let patterns = self.patterns()?;
        let is_regex = !matching.fixed_strings || patterns.len() > 1;
        let pattern = match &patterns[..] {
            [one] => one.clone(),
            all if matching.fixed_strings => {
                all.iter().map(|text| regex_syntax::escape(text)).collect::<Vec<_>>().join("|")
            }
            all => all.iter().map(|of| format!("(?:{of})")).collect::<Vec<_>>().join("|"),
        };
        let is_case_sensitive = match matching.case {
            Case::Sensitive => true,
            Case::Insensitive => false,
            Case::Smart => has_uppercase(&pattern),
        };
        let is_word = matching.boundary.is_some();
        let checked = Pattern { query: &pattern, is_regex, is_word, is_case_sensitive };
        checked.regex().map_err(|error| {
            error.map_hints(|_| Some("`-F` searches for the pattern as a text".to_owned()))
        })?;
        let (before, after) = self.args.format.context.before_after();
        let context = before.max(after);
        made.extend(is_regex.then(|| "--regex".into()));
        made.extend((!is_case_sensitive).then(|| "--case-sensitive=false".into()));
        made.extend(is_word.then(|| "--word".into()));
        made.extend((context > 0).then(|| format!("--context-lines={context}").into()));
        let per_file = matching.max_count.map(|count| format!("--max-per-file={count}").into());
        made.extend(per_file);
        let is_paths_only = self.args.mode != super::args::Mode::default();
        made.extend(is_paths_only.then(|| "--paths-only".into()));
        made.extend([OsString::from("--"), pattern.into()]);
        Ok(made)
    }

    /// Returns the patterns.
    fn patterns(&self) -> Result<Vec<String>> {
        let of_flags = self.args.patterns.iter().map(|source| match source {
            PatternSource::Given(pattern) => Ok(pattern.clone()),
            PatternSource::File(_) => Err(Error::usage("`--structure` reads no pattern file")),
        });
        let of_flags = of_flags.collect::<Result<Vec<String>>>()?;
        if !of_flags.is_empty() {
            return Ok(of_flags);
        }
        let first = self.args.words.first().ok_or_else(|| {
            Error::usage("missing pattern")
                .with_hint("usage: `codedb search --structure PATTERN [PATH ...]`")
        })?;
        let text = first.to_str().ok_or_else(|| Error::usage("the pattern is not valid UTF-8"))?;
        Ok(vec![text.to_owned()])
    }

    /// Returns the files that are searched; `None` for all.
    ///
    /// # Errors
    ///
    /// On an invalid glob, an unknown type, and a path that does not exist.
    fn scope(&self) -> Result<Option<Scope>> {
        let filter = &self.args.filter;
        let paths = &self.args.words
            [usize::from(self.args.patterns.is_empty()).min(self.args.words.len())..];
        if self.is_help || filter.is_default() && paths.is_empty() {
            return Ok(None);
        }
        let current = std::env::current_dir().and_then(|at| at.canonicalize());
        let current = current.map_err(|error| Error::io(Path::new("."), error))?;
        let real = |path: &OsString| {
            let path = Path::new(path);
            path.canonicalize().map_err(|error| Error::io(path, error))
        };
        let below = paths.iter().map(real).collect::<Result<Vec<PathBuf>>>()?;
        let selection = Selection {
            overrides: walker::overrides(filter, &current)?,
            types: walker::types(filter)?,
            has_types: !filter.type_changes.is_empty(),
            below,
        };
        let paths = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        Ok(Some(Scope { paths, is_wanted: Box::new(move |path| selection.contains(path)) }))
    }
}

/// The files that paths, globs and types select, as in ripgrep.
#[derive(Debug)]
struct Selection {
    overrides: Override,
    types: Types,
    has_types: bool,
    /// The paths of the command line; none for the whole tree.
    below: Vec<PathBuf>,
}

impl Selection {
    /// Returns true if it contains the file at an absolute path.
    fn contains(&self, path: &Path) -> bool {
        let is_below = self.below.is_empty() || self.below.iter().any(|dir| path.starts_with(dir));
        if !is_below {
            return false;
        }
        let root = self.overrides.path();
        let folders =
            path.ancestors().skip(1).take_while(|dir| *dir != root && dir.starts_with(root));
        let is_excluded = self.overrides.matched(path, false).is_ignore()
            || folders.into_iter().any(|dir| self.overrides.matched(dir, true).is_ignore());
        // A file that a glob names is searched whatever its type.
        let is_named = self.overrides.matched(path, false).is_whitelist();
        !is_excluded
            && (is_named || !self.has_types || !self.types.matched(path, false).is_ignore())
    }
}

/// Returns true if a pattern contains an uppercase letter outside of escapes such as `\W`.
fn has_uppercase(pattern: &str) -> bool {
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c.is_uppercase() {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed_of(line: &str) -> Result<Typed> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        typed(&command(crate::tools::find("codedb_search").expect("a tool")), &words)
    }

    #[track_caller]
    fn check(line: &str, expected: &str) {
        let words = typed_of(line).and_then(|typed| typed.words()).expect(line);
        let made = words.into_iter().map(|word| word.into_string().expect("text"));
        assert_eq!(made.collect::<Vec<_>>().join(" "), expected, "{line}");
    }

    #[test]
    fn options_of_ripgrep_and_of_the_tool_apply() {
        check("--structure a|b", "--regex -- a|b");
        check("-i a --structure -F src", "--case-sensitive=false -- a");
        check("--structure -n -H -j2 a src/x.rs", "--regex -- a");
        check("--structure -g *.rs -g !x -trust a src/ tests", "--regex -- a");
        check("a . --structure -C2", "--regex --context-lines=2 -- a");
        check(
            "--structure -A 3 -B1 -w -m4 a",
            "--regex --word --context-lines=3 --max-per-file=4 -- a",
        );
        check("--structure --in comment --def=f a", "--in=comment --def=f --regex -- a");
        check("--structure --body a src", "--body --regex -- a");
        check(
            "--structure --body=false --max-results 3 a",
            "--body=false --max-results=3 --regex -- a",
        );
        check("--structure --no-body a", "--no-body --regex -- a");
        check("--structure --json -l -S aB", "--json --regex --paths-only -- aB");
        check("--structure -S \\Wab", "--regex --case-sensitive=false -- \\Wab");
        check("--structure -F -e a.b -e -c x", "--regex -- a\\.b|\\-c");
        check("--structure -- -x y", "--regex -- -x");
    }

    #[test]
    fn other_options_are_refused_by_name() {
        for flag in ["-o", "--count", "-v", "-N", "--no-heading", "--no-ignore", "-U"] {
            let error = typed_of(&format!("--structure {flag} a")).expect_err(flag);
            assert_eq!(
                error.to_string(),
                format!("`--structure` does not take ripgrep's `{flag}`")
            );
        }
        let error = typed_of("--structure --nowhere a").expect_err("it is unknown");
        assert!(error.to_string().contains("--nowhere"), "{error}");
        let error =
            typed_of("--structure f(").and_then(|typed| typed.words()).expect_err("a group");
        assert_eq!(error.hints(), ["`-F` searches for the pattern as a text"]);
    }

    #[test]
    fn files_are_selected_as_by_ripgrep() {
        let selection = |globs: &[&str], types: &[&str]| {
            let select = |name: &&str| super::super::args::TypeChange::Select((*name).to_owned());
            let filter = super::super::args::Filter {
                globs: globs.iter().map(|glob| (*glob).to_owned()).collect(),
                type_changes: types.iter().map(select).collect(),
                ..Default::default()
            };
            Selection {
                overrides: walker::overrides(&filter, Path::new("/t")).expect("globs"),
                types: walker::types(&filter).expect("types"),
                has_types: !types.is_empty(),
                below: vec!["/t/src".into(), "/t/a.rs".into()],
            }
        };
        let all = ["/t/a.rs", "/t/b.rs", "/t/src/c.rs", "/t/src/d.py", "/t/src/gen/e.rs"];
        let of = |selection: Selection| {
            all.iter()
                .filter(|path| selection.contains(Path::new(path)))
                .copied()
                .collect::<Vec<_>>()
        };
        assert_eq!(of(selection(&[], &[])), [all[0], all[2], all[3], all[4]]);
        assert_eq!(of(selection(&[], &["py"])), [all[3]]);
        assert_eq!(of(selection(&["*.rs", "!gen"], &[])), [all[0], all[2]]);
        assert_eq!(of(selection(&["src/*.py"], &["rust"])), [all[3]]);
    }
}
