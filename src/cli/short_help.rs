//! The help of a command as `-h` and `--help` print it: what it does, examples, the options that most people
//! need. `--help-all` prints everything.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

use super::{examples, help};

/// The arguments that most commands have, which only `--help-all` shows.
const COMMON: [&str; 14] = [
    "color",
    "data-dir",
    "fresh",
    "hyperlink-format",
    "index-dir",
    "iso",
    "no-background",
    "no-pager",
    "no-progress",
    "root",
    "show-secrets",
    "threads",
    "vimgrep",
    "wait-ms",
];

/// Arguments of a command that few people need, which only `--help-all` shows, too.
const RARE: &[(&str, &[&str])] = &[
    ("callers", &["role"]),
    ("check", &["driver", "dry-run", "explain", "format", "pre-commit", "sarif"]),
    ("edit", &["allow-edit", "if_hash"]),
    ("impact", &["max_ms"]),
    ("index", &["insist", "no-wait"]),
    ("init", &["command", "dry-run", "fail-on"]),
    ("suggest-tests", &["max_ms"]),
    ("test-gaps", &["max_ms"]),
];

/// Subcommands of a command that few people need. clap lists a subcommand always or never.
const RARE_COMMANDS: &[(&str, &[&str])] =
    &[("decisions", &["edit", "export", "import", "supersede"])];

/// What replaces the text of an argument that is longer than a line.
const SHORT_TEXTS: &[(&str, &str, &str)] = &[
    ("check", "fail-on", "Fail from this level on"),
    ("check", "json", "Print JSON; `--help-all` has other formats"),
    (
        "init",
        "git-hook",
        "Only install git's hook `pre-commit`, which runs `codedb check --pre-commit`",
    ),
    ("init", "hook", "Also add a hook, which reminds agents of the tools once per session"),
    ("symbol", "kind", "Only this kind: `function`, `method`, `class`, `struct`, `enum` …"),
];

/// The template.
const HELP: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Makes `-h` and `--help` of a command the short help, which opens with examples, and adds
/// `--help-all`.
pub(super) fn of(command: Command) -> Command {
    let name = command.get_name().to_owned();
    // `search` renders its own help.
    if name == "search" || name == help::NAME {
        return command;
    }
    let mut command = shortened(command);
    for id in of_command(RARE, &name) {
        command = command.mut_arg(*id, |arg| arg.hide_short_help(true));
    }
    for (_, id, text) in SHORT_TEXTS.iter().filter(|(of, ..)| *of == name) {
        command = command.mut_arg(*id, |arg| {
            let whole = arg.get_help().cloned().unwrap_or_default();
            arg.help(*text).long_help(whole)
        });
    }
    match examples::of(&name) {
        Some(examples) => command.before_help(examples),
        None => command,
    }
}

/// Makes `-h` and `--help` the short help, and adds `--help-all`.
pub(super) fn shortened(mut command: Command) -> Command {
    let common: Vec<clap::Id> = command
        .get_arguments()
        .map(|arg| arg.get_id().clone())
        .filter(|id| COMMON.contains(&id.as_str()))
        .collect();
    for id in common {
        command = command.mut_arg(id, |arg| arg.hide_short_help(true));
    }
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
    let all = Arg::new("help-all").long("help-all").action(ArgAction::HelpLong);
    command
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .arg(help.help("Print this help").display_order(1_000))
        .arg(all.help("Print all options, with details").display_order(1_001))
        .help_template(HELP)
        .mut_subcommands(shortened)
}

/// Returns all commands as the help that `args` request shows them: without the rare subcommands, unless
/// all is requested.
pub(super) fn without_rare_commands(tree: Command, args: &[OsString]) -> Command {
    let has_help = args.iter().any(|arg| arg == "-h" || arg == "--help");
    let has_all = args.iter().any(|arg| arg == "--help-all");
    let words = args.iter().filter(|arg| !arg.as_encoded_bytes().starts_with(b"-")).count();
    if has_all || words > 1 || !has_help && args.len() > 1 {
        return tree;
    }
    tree.mut_subcommands(|command| {
        let rare = of_command(RARE_COMMANDS, command.get_name());
        if rare.is_empty() {
            return command;
        }
        let command = command.subcommand_help_heading("Commands (--help-all lists more)");
        rare.iter().fold(command, |command, name| command.mut_subcommand(name, |of| of.hide(true)))
    })
}

fn of_command(table: &[(&str, &'static [&'static str])], name: &str) -> &'static [&'static str] {
    table.iter().find(|(of, _)| *of == name).map_or(&[], |(_, names)| names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_commands_are_hidden_from_the_short_help_alone() {
        let tree = || Command::new("codedb").subcommand(crate::cli::decisions::command());
        let hidden = |words: &[&str]| -> Vec<String> {
            let args: Vec<OsString> = words.iter().map(OsString::from).collect();
            let tree = without_rare_commands(tree(), &args);
            let commands = tree.find_subcommand("decisions").expect("it is there");
            let hidden = commands.get_subcommands().filter(|command| command.is_hide_set());
            hidden.map(|command| command.get_name().to_owned()).collect()
        };
        let (_, rare) = RARE_COMMANDS[0];
        assert_eq!(hidden(&["decisions", "-h"]), rare);
        assert_eq!(hidden(&["decisions"]).len(), rare.len());
        for words in [&["decisions", "--help-all"][..], &["decisions", "edit", "-h"]] {
            assert!(hidden(words).is_empty(), "{words:?}");
        }
    }
}
