//! Our own flags: which index takes part in a search, and how far it is believed.

use std::path::PathBuf;

use super::super::args::Fresh;
use super::{Category, Flag, Update, ValueHint, convert};

const CATEGORY: Category = Category::Index;
const FRESH: &[(&str, Fresh)] =
    &[("strict", Fresh::Strict), ("watch", Fresh::Watch), ("trust", Fresh::Trust)];

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "explain-plan", Update::On(|args| args.index.explain_plan = true)).help(
        "Say how the index would answer, without searching.",
        "Prints the trigram query made from the pattern, the number of candidate files and what \
         was scanned without the index.",
    ),
    Flag::new(
        CATEGORY,
        "fresh",
        Update::Value(|args, value| {
            args.index.fresh = Some(convert::choice(&value, FRESH)?);
            Ok(())
        }),
    )
    .value("HOW")
    .choices(&["strict", "watch", "trust"])
    .help(
        "How the index is checked against the work tree.",
        "Without it, a running watcher (`codedb index --watch`) is asked what changed, and where \
         none answers every stamp is compared. `strict` compares stamps in any case; `watch` is the \
         default by name; `trust` takes the index as it stands, so that an edit since then may be \
         missed.",
    ),
    Flag::new(
        CATEGORY,
        "index-dir",
        Update::Value(|args, value| {
            args.index.index_dir = Some(PathBuf::from(value));
            Ok(())
        }),
    )
    .value("DIR")
    .completes(ValueHint::Path)
    .help(
        "Where the index is kept.",
        "Without it: `CODEDB_INDEX_DIR`, else a folder of the user's cache. It is never inside the \
         repository unless you name such a folder.",
    ),
    Flag::new(CATEGORY, "no-background", Update::On(|args| args.index.no_background = true)).help(
        "Leave no process behind that builds the index.",
        "Without it, the first search of a tree starts a detached builder, so that the next search \
         is fast. `CODEDB_BACKGROUND=0` says the same.",
    ),
    Flag::new(CATEGORY, "no-index", Update::On(|args| args.index.no_index = true)).help(
        "Scan the files without any index.",
        "The result is the same, only the way there differs. It neither reads nor builds an index.",
    ),
    Flag::new(CATEGORY, "no-progress", Update::On(|args| args.index.no_progress = true)).help(
        "Show no progress bar.",
        "Progress is shown on a terminal's standard error only; this switches it off there too.",
    ),
    Flag::new(
        CATEGORY,
        "root",
        Update::Value(|args, value| {
            args.index.root = Some(PathBuf::from(value));
            Ok(())
        }),
    )
    .value("DIR")
    .completes(ValueHint::Path)
    .help(
        "Which tree's index to use.",
        "Without it: the git work tree around the current directory, else that directory. It \
         chooses an index, not what is searched: that is what the paths are for.",
    ),
];
