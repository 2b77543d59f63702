//! Flags for everything other than a search.

use super::super::args::{Mode, Special};
use super::{Category, Flag, Update};

const CATEGORY: Category = Category::Other;

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "files", Update::On(|args| args.mode = Mode::Files)).help(
        "Print the paths that would be searched.",
        "Takes no pattern: all positional arguments are paths. Shows the effect of filters.",
    ),
    Flag::new(CATEGORY, "no-config", Update::On(|args| args.no_config = true)).help(
        "Do not read a configuration file.",
        "By default, the file named by `RIPGREP_CONFIG_PATH` is read. It contains one flag per \
         line; they are inserted before the flags of the command line.",
    ),
    Flag::new(
        CATEGORY,
        "pcre2-version",
        Update::On(|args| args.special = Some(Special::VersionPcre2)),
    )
    .help("Print the version of PCRE2.", "The exit code is 1 if this build has no PCRE2."),
    Flag::new(CATEGORY, "type-list", Update::On(|args| args.mode = Mode::TypeList)).help(
        "Print the file types and their globs.",
        "Includes the changes by `--type-add` and `--type-clear`.",
    ),
    Flag::new(CATEGORY, "version", Update::On(|args| args.special = Some(Special::VersionLong)))
        .short('V')
        .help("Print the version.", "`--version` also prints the features of this build."),
];
