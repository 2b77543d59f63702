//! Parses a command line into [`Args`], flag by flag; later flags override earlier ones.

use std::ffi::OsString;

use lexopt::Arg;

use super::super::similar;
use super::args::{Args, Special};
use super::flags::{self, Named, Update};
use crate::error::{Error, Result};

/// Parses the arguments of a search.
///
/// # Errors
///
/// On an unknown or unsupported flag, a missing or superfluous value, or an invalid value.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Args> {
    let mut args = Args::default();
    let mut parser = lexopt::Parser::from_args(words);
    while let Some(arg) = parser.next().map_err(|err| Error::usage(err.to_string()))? {
        let (name, found) = match arg {
            Arg::Value(word) => {
                args.words.push(word);
                continue;
            }
            // Short and long flags of help and version differ, which the table cannot express.
            Arg::Short('h') => {
                args.special = Some(Special::HelpShort);
                continue;
            }
            Arg::Short('V') => {
                args.special = Some(Special::VersionShort);
                continue;
            }
            Arg::Short(letter) => (format!("-{letter}"), flags::find_short(letter)),
            Arg::Long(name) => (format!("--{name}"), flags::find_long(name)),
        };
        let named = found.ok_or_else(|| unknown(&name))?;
        apply(named, &name, &mut parser, &mut args)?;
    }
    Ok(args)
}

/// Applies a flag, which was given as `name`, with its value.
///
/// # Errors
///
/// On a missing or invalid value.
pub(super) fn apply(
    named: Named,
    name: &str,
    parser: &mut lexopt::Parser,
    args: &mut Args,
) -> Result<()> {
    let value = |parser: &mut lexopt::Parser| {
        parser.value().map_err(|_| {
            let kind = named.flag.value.unwrap_or("value");
            Error::usage(format!("flag `{name}` needs a value: {kind}"))
        })
    };
    let updated = match named.flag.update {
        Update::On(update) => {
            update(args);
            Ok(())
        }
        Update::Toggle(update) => {
            update(args, !named.negated);
            Ok(())
        }
        Update::Repeat(update) => update(args),
        Update::Value(update) => update(args, value(parser)?),
        Update::Setting(update) if named.negated => update(args, None),
        Update::Setting(update) => update(args, Some(value(parser)?)),
    };
    updated.map_err(|reason| Error::usage(format!("flag `{name}`: {reason}")))
}

/// Returns the error about a flag that does not exist.
pub(super) fn unknown(name: &str) -> Error {
    let long = name.trim_start_matches('-');
    if let Some((_, instead)) = flags::REFUSED.iter().find(|(refused, _)| *refused == long) {
        return Error::usage(format!("ripgrep's flag `{name}` is not supported"))
            .with_hint(*instead);
    }
    let error = Error::usage(format!("unrecognized flag {name}"));
    let similar = if name.starts_with("--") { similar_flags(long) } else { Vec::new() };
    if similar.is_empty() {
        return error.with_hint("`codedb search -h` lists the flags");
    }
    error.with_hint(format!("did you mean {}?", similar.join(", ")))
}

/// Returns the flags that are similar to `given`, the nearest first.
fn similar_flags(given: &str) -> Vec<String> {
    let names = flags::all()
        .flat_map(|flag| [flag.long].into_iter().chain(flag.negated).chain(flag.aliases.to_vec()));
    similar::names(given, names).iter().map(|name| format!("`--{name}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::args::{Args, Context, Engine, Mode, SearchMode};
    use super::parse;

    fn parsed(line: &str) -> Args {
        parse(line.split_whitespace().map(Into::into)).expect("the line is valid")
    }

    fn error(line: &str) -> String {
        let error =
            parse(line.split_whitespace().map(Into::into)).expect_err("the line is invalid");
        let hints: Vec<String> = error.hints().iter().map(|hint| format!(" ({hint})")).collect();
        format!("{error}{}", hints.concat())
    }

    #[test]
    fn later_flags_override_earlier_ones() {
        assert_eq!(parsed("-P --no-pcre2").matching.engine, Engine::Default);
        assert_eq!(parsed("-l -c").mode, Mode::Search(SearchMode::Count));
        assert_eq!(parsed("-c --no-json").mode, Mode::Search(SearchMode::Count));
        assert_eq!(parsed("--passthru -A1").format.context.before_after(), (0, 1));
        assert_eq!(parsed("-A1 -C3 -B0").format.context.before_after(), (0, 1));
        assert_eq!(parsed("-A1 --passthru").format.context, Context::Passthru);
    }

    #[test]
    fn unrestricted_may_be_given_three_times() {
        assert!(parsed("-uu").filter.hidden);
        assert_eq!(error("-uuuu"), "flag `-u`: it can be repeated at most three times");
    }

    #[test]
    fn errors_name_the_flag_and_have_a_hint() {
        assert_eq!(error("--hiden"), "unrecognized flag --hiden (did you mean `--hidden`?)");
        assert_eq!(error("-A"), "flag `-A` needs a value: NUM");
        assert!(error("-Ax").starts_with("flag `-A`: `x` is not a number"));
        assert!(error("--generate man").contains("codedb man"));
        assert_eq!(
            error("--color x"),
            "flag `--color`: invalid value `x`; valid: never, auto, always, ansi"
        );
    }

    #[test]
    fn arguments_after_two_dashes_are_positional() {
        assert_eq!(parsed("-- -x --y").words, ["-x", "--y"]);
    }
}
