//! Flags for messages and statistics.

use log::LevelFilter;

use super::{Category, Flag, Update};

const CATEGORY: Category = Category::Logging;

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "debug", Update::On(|args| args.logging.level = Some(LevelFilter::Debug)))
        .help(
            "Log decisions to standard error.",
            "Shows why a file is not searched: each ignored path is logged with the rule that \
             ignores it.",
        ),
    Flag::new(
        CATEGORY,
        "no-ignore-messages",
        Update::Toggle(|args, on| args.logging.no_ignore_messages = on),
    )
    .negated("ignore-messages")
    .help(
        "Do not report invalid ignore files.",
        "Invalid globs in ignore files are skipped without a message.",
    ),
    Flag::new(CATEGORY, "no-messages", Update::Toggle(|args, on| args.logging.no_messages = on))
        .negated("messages")
        .help(
            "Do not report files that cannot be read.",
            "The exit code is still 2. Invalid flags and patterns are reported nevertheless.",
        ),
    Flag::new(CATEGORY, "stats", Update::Toggle(|args, on| args.logging.stats = on))
        .negated("no-stats")
        .help(
            "Print statistics after the results.",
            "Matches, matched lines, files with matches, files searched, bytes and times. \
             `--json` always prints them.",
        ),
    Flag::new(CATEGORY, "trace", Update::On(|args| args.logging.level = Some(LevelFilter::Trace)))
        .help("Log more than `--debug`.", "Every step for every file; the output is large."),
];
