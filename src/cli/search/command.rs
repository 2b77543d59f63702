//! The clap command of `search`, generated from the flag table. It is used for completions and the
//! manual, not for parsing.

use clap::{Arg, ArgAction, Command};

use super::flags::{self, Flag, ValueHint};
use super::help;

/// Returns the clap command of `codedb search`.
pub(crate) fn command() -> Command {
    let mut command = Command::new("search")
        .visible_alias("grep")
        .about("Search files with a regular expression, with ripgrep's flags and output")
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(Arg::new("PATTERN").help("A regular expression; with `-F`, a literal string"))
        .arg(
            Arg::new("PATH")
                .help("A file or directory to search; `-` is standard input")
                .num_args(0..)
                .value_hint(clap::ValueHint::AnyPath),
        );
    for flag in flags::all() {
        command = command.arg(arg(flag));
        if let Some(negated) = flag.negated {
            let help = format!("Negates `--{}`", flag.long);
            command = command.arg(
                Arg::new(negated).long(negated).help(help).action(ArgAction::SetTrue).hide(true),
            );
        }
    }
    command
}

fn arg(flag: &'static Flag) -> Arg {
    let mut arg = Arg::new(flag.long)
        .long(flag.long)
        .visible_aliases(flag.aliases.iter().copied())
        .help(flag.help.trim_end_matches('.'))
        .long_help(help::paragraphs(flag).join("\n\n"))
        .help_heading(flag.category.title());
    if let Some(letter) = flag.short {
        arg = arg.short(letter);
    }
    let Some(value) = flag.value else { return arg.action(ArgAction::SetTrue) };
    arg = arg.value_name(value).action(ArgAction::Append).value_hint(match flag.hint {
        ValueHint::Other => clap::ValueHint::Unknown,
        ValueHint::Path => clap::ValueHint::AnyPath,
        ValueHint::Command => clap::ValueHint::CommandName,
    });
    if !flag.choices.is_empty() {
        arg = arg.value_parser(flag.choices.to_vec());
    }
    arg
}
