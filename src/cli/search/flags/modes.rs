//! Flags that select what is printed instead of lines; the last one applies.

use super::super::args::{Args, Mode, SearchMode};
use super::{Category, Flag, Update};

const CATEGORY: Category = Category::OutputModes;

fn set(args: &mut Args, mode: SearchMode) {
    args.mode = Mode::Search(mode);
}

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "count", Update::On(|args| set(args, SearchMode::Count))).short('c').help(
        "Print the number of matching lines per file.",
        "Files without a match are omitted unless `--include-zero` is given. Paths are printed \
         before the counts if they are printed before lines. With `--only-matching`, matches are \
         counted.",
    ),
    Flag::new(CATEGORY, "count-matches", Update::On(|args| set(args, SearchMode::CountMatches)))
        .help(
            "Print the number of matches per file.",
            "Two matches on a line count twice. With `--invert-match`, lines are counted.",
        ),
    Flag::new(
        CATEGORY,
        "files-with-matches",
        Update::On(|args| set(args, SearchMode::PathsWithMatch)),
    )
    .short('l')
    .help(
        "Print only the paths of files with a match.",
        "The search of a file stops at its first match.",
    ),
    Flag::new(
        CATEGORY,
        "files-without-match",
        Update::On(|args| set(args, SearchMode::PathsWithoutMatch)),
    )
    .help(
        "Print only the paths of files without a match.",
        "The exit code is 0 if there is such a file.",
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
        "One object per line: `begin`, `match`, `context` and `end` for each file, and a `summary`. \
         Text that is not valid UTF-8 is given in base64 under `bytes`. Flags for the format of \
         lines have no effect.",
    ),
];
