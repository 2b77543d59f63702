//! Flags that ask for something other than a search.

use super::super::args::{Mode, Special};
use super::{Category, Flag, Update};

const CATEGORY: Category = Category::Other;

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "files", Update::On(|args| args.mode = Mode::Files)).help(
        "Print the paths that would be searched.",
        "No pattern is expected then: every word is a path. The way to see what the filters leave.",
    ),
    Flag::new(CATEGORY, "no-config", Update::On(|args| args.no_config = true)).help(
        "Read no configuration file.",
        "Without it, the file named by `RIPGREP_CONFIG_PATH` gives flags, one a line, that stand \
         before those of the command line.",
    ),
    Flag::new(
        CATEGORY,
        "pcre2-version",
        Update::On(|args| args.special = Some(Special::VersionPcre2)),
    )
    .help("Print the version of PCRE2.", "The exit code is 1 when this build has no PCRE2."),
    Flag::new(CATEGORY, "type-list", Update::On(|args| args.mode = Mode::TypeList)).help(
        "Print the file types and their globs.",
        "With `--type-add` and `--type-clear` applied.",
    ),
    Flag::new(CATEGORY, "version", Update::On(|args| args.special = Some(Special::VersionLong)))
        .short('V')
        .help("Print the version.", "`--version` tells the features of this build too."),
];
