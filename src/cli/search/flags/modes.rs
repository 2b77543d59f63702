//! Flags that replace the printed lines by something else; the last one counts.

use super::super::args::{Args, Mode, SearchMode};
use super::{Category, Flag, Update};

const CATEGORY: Category = Category::OutputModes;

fn set(args: &mut Args, mode: SearchMode) {
    args.mode = Mode::Search(mode);
}

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "count", Update::On(|args| set(args, SearchMode::Count))).short('c').help(
        "Print the number of matching lines per file.",
        "Files without any are left out unless `--include-zero` is given. Paths stand before the \
         numbers as they do before lines. With `--only-matching` it counts matches.",
    ),
    Flag::new(CATEGORY, "count-matches", Update::On(|args| set(args, SearchMode::CountMatches)))
        .help(
            "Print the number of matches per file.",
            "Two matches on a line count twice. With `--invert-match` it counts lines.",
        ),
    Flag::new(
        CATEGORY,
        "files-with-matches",
        Update::On(|args| set(args, SearchMode::PathsWithMatch)),
    )
    .short('l')
    .help(
        "Print the paths of files that match.",
        "Each path once; reading a file stops at its first match.",
    ),
    Flag::new(
        CATEGORY,
        "files-without-match",
        Update::On(|args| set(args, SearchMode::PathsWithoutMatch)),
    )
    .help(
        "Print the paths of files that do not match.",
        "The exit code is 0 when such a file was found.",
    ),
    Flag::new(
        CATEGORY,
        "json",
        Update::Toggle(|args, on| {
            if on {
                set(args, SearchMode::Json);
            } else if args.mode == Mode::Search(SearchMode::Json) {
                set(args, SearchMode::Lines);
            }
        }),
    )
    .negated("no-json")
    .help(
        "Print ripgrep's JSON Lines messages.",
        "One object a line: `begin`, `match`, `context` and `end` per file, and a `summary`. Text \
         that is not valid UTF-8 appears as base64 under `bytes`. Flags that shape lines have no \
         effect here.",
    ),
];
