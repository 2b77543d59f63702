//! Flags that ripgrep does not have: the choice of the index and the check of its freshness.

use std::path::PathBuf;

use super::super::args::Fresh;
use super::{Category, Flag, Update, ValueHint, convert};

const CATEGORY: Category = Category::Index;
const FRESH: &[(&str, Fresh)] =
    &[("strict", Fresh::Strict), ("watch", Fresh::Watch), ("trust", Fresh::Trust)];

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "explain-plan", Update::On(|args| args.index.explain_plan = true)).help(
        "Explain how the index answers, without printing matches.",
        "Prints the trigram query of the pattern, the number of candidate files, the files that \
         were read without the index, and times.",
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
        "How to check the index against the work tree.",
        "`watch` (the default) uses the list of changes of a running watcher (`codedb index \
         --watch`); without a watcher, it checks the size and modification time of every file. \
         `strict` always checks every file. `trust` checks nothing: edits since the last refresh \
         of the index may be missed.",
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
        "The directory of indexes.",
        "Default: `CODEDB_INDEX_DIR`, else `codedb` in the user's cache directory. The index is \
         never written into the repository unless you choose a directory there.",
    ),
    Flag::new(CATEGORY, "no-background", Update::On(|args| args.index.no_background = true)).help(
        "Do not start a background index build.",
        "By default, a search without an index, or with an outdated one, starts a build in the \
         background, so that later searches are fast. `CODEDB_BACKGROUND=0` has the same effect.",
    ),
    Flag::new(CATEGORY, "no-index", Update::On(|args| args.index.no_index = true)).help(
        "Search all files without an index.",
        "The results are the same. No index is read or built.",
    ),
    Flag::new(CATEGORY, "structure", Update::On(|_| ())).help(
        "Show lines by file and by the definition around them.",
        "Sources come first, then tests and generated files, as agents get them. `--in comment` (or \
         `function`, `test`, `string`, `import`, `signature`) and `--def NAME` limit the matches; \
         `-e`, `-F`, `-i`, `-s`, `-S`, `-w`, `-l`, `-m`, `-g`, `-t`, `-T`, `-A`, `-B`, `-C` and `--json` \
         apply. `codedb search --structure -h` lists more.",
    ),
    Flag::new(CATEGORY, "no-progress", Update::On(|args| args.index.no_progress = true))
        .help("Show no progress bar.", "Progress is shown only if standard error is a terminal."),
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
        "The root of the tree whose index is used.",
        "Default: the git work tree that contains the current directory, else the nearest parent \
         directory with an index, else the current directory. It selects an index, not the files to search: use PATH arguments for that.",
    ),
];
