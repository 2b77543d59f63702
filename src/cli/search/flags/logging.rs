//! Flags that say what is told beside the results.

use log::LevelFilter;

use super::{Category, Flag, Update};

const CATEGORY: Category = Category::Logging;

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "debug", Update::On(|args| args.logging.level = Some(LevelFilter::Debug)))
        .help(
            "Tell on standard error what is decided and why.",
            "The place to look when a file is not searched: each ignored path is named with the \
             rule that ignored it.",
        ),
    Flag::new(
        CATEGORY,
        "no-ignore-messages",
        Update::Toggle(|args, on| args.logging.no_ignore_messages = on),
    )
    .negated("ignore-messages")
    .help(
        "Be silent about faulty ignore files.",
        "A glob in an ignore file that cannot be understood is skipped without a word.",
    ),
    Flag::new(CATEGORY, "no-messages", Update::Toggle(|args, on| args.logging.no_messages = on))
        .negated("messages")
        .help(
            "Be silent about files that cannot be read.",
            "The exit code still tells. Wrong flags and wrong patterns are reported all the same.",
        ),
    Flag::new(CATEGORY, "stats", Update::Toggle(|args, on| args.logging.stats = on))
        .negated("no-stats")
        .help(
            "Print totals after the results.",
            "Matches, matched lines, files with matches, files searched, bytes and times. \
             `--json` always ends with them.",
        ),
    Flag::new(CATEGORY, "trace", Update::On(|args| args.logging.level = Some(LevelFilter::Trace)))
        .help("Tell even more than `--debug`.", "Every step of every file; expect a flood."),
];
