//! The flag that lets tools edit files.

use clap::{Arg, ArgMatches};

use crate::source::write::Editable;

/// Returns the flag `--allow-edit[=all]`, without its help.
pub(super) fn allow_edit_arg() -> Arg {
    Arg::new("allow-edit")
        .long("allow-edit")
        .num_args(0..=1)
        .require_equals(true)
        .value_name("FILES")
        .value_parser(["ordinary", "all"])
        .default_missing_value("ordinary")
}

/// Returns the value of [`allow_edit_arg`]; `None` if the flag is not given.
pub(super) fn allowed_edits(matches: &ArgMatches) -> Option<Editable> {
    let typed = matches.get_one::<String>("allow-edit")?;
    Some(if typed == "all" { Editable::All } else { Editable::Ordinary })
}
