//! Flags that select the files to search.

use std::path::PathBuf;

use super::super::args::{Binary, TypeChange};
use super::{Category, Flag, Update, ValueHint, convert};

const CATEGORY: Category = Category::Filter;

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(
        CATEGORY,
        "binary",
        Update::Toggle(|args, on| {
            args.reading.binary = if on { Binary::Search } else { Binary::Auto };
        }),
    )
    .negated("no-binary")
    .help(
        "Search binary files too.",
        "A file that contains a NUL byte is binary. By default, the search of a file found in a \
         directory stops at the NUL byte; with this flag, it continues to the first match, which \
         is reported without its line. Files that are named on the command line are always \
         searched in this way. Overrides `--text`, which prints the lines.",
    ),
    Flag::new(CATEGORY, "follow", Update::Toggle(|args, on| args.filter.follow = on))
        .short('L')
        .negated("no-follow")
        .help(
            "Follow symbolic links.",
            "Broken links and links that form a loop are reported as errors.",
        ),
    Flag::new(
        CATEGORY,
        "glob",
        Update::Value(|args, value| {
            args.filter.globs.push(convert::text(value)?);
            Ok(())
        }),
    )
    .short('g')
    .value("GLOB")
    .help(
        "Search only paths that match GLOB; `!GLOB` excludes.",
        "May be repeated; the last glob that matches decides, and overrides all ignore files. \
         Globs have the syntax of `.gitignore` files, plus `{a,b}` alternatives. To search one \
         directory, write `dir/**`.",
    ),
    Flag::new(
        CATEGORY,
        "glob-case-insensitive",
        Update::Toggle(|args, on| args.filter.globs_ignore_case = on),
    )
    .negated("no-glob-case-insensitive")
    .help("Match every `--glob` case-insensitively.", "As if each were an `--iglob`."),
    Flag::new(CATEGORY, "hidden", Update::Toggle(|args, on| args.filter.hidden = on))
        .short('.')
        .negated("no-hidden")
        .help(
            "Search hidden files and directories.",
            "Those whose name begins with a dot, including `.git`, and on Windows those with the \
             hidden attribute.",
        ),
    Flag::new(
        CATEGORY,
        "iglob",
        Update::Value(|args, value| {
            args.filter.iglobs.push(convert::text(value)?);
            Ok(())
        }),
    )
    .value("GLOB")
    .help(
        "Like `--glob`, but case-insensitive.",
        "These globs are applied after all `--glob`s, regardless of their order on the command \
         line.",
    ),
    Flag::new(
        CATEGORY,
        "ignore-file",
        Update::Value(|args, value| {
            args.filter.ignore_files.push(PathBuf::from(value));
            Ok(())
        }),
    )
    .value("PATH")
    .completes(ValueHint::Path)
    .help(
        "Read additional ignore rules from a file.",
        "May be repeated; later files take precedence. The globs are relative to the current \
         directory. Ignore files in the tree take precedence over them.",
    ),
    Flag::new(
        CATEGORY,
        "ignore-file-case-insensitive",
        Update::Toggle(|args, on| args.filter.ignore_files_ignore_case = on),
    )
    .negated("no-ignore-file-case-insensitive")
    .help("Match ignore files case-insensitively.", "For case-insensitive file systems; slower."),
    Flag::new(
        CATEGORY,
        "max-depth",
        Update::Value(|args, value| {
            args.filter.max_depth = Some(convert::count(&value)?);
            Ok(())
        }),
    )
    .short('d')
    .value("NUM")
    .aliases(&["maxdepth"])
    .help(
        "Descend at most NUM directories.",
        "1 searches only the files directly in a given directory, 0 only files that are given as \
         arguments.",
    ),
    Flag::new(
        CATEGORY,
        "max-filesize",
        Update::Value(|args, value| {
            args.filter.max_filesize_bytes = Some(convert::size_bytes(&value)?);
            Ok(())
        }),
    )
    .value("NUM+SUFFIX?")
    .help("Skip files larger than NUM bytes.", "Suffixes: `K`, `M`, `G`."),
    Flag::new(
        CATEGORY,
        "no-ignore",
        Update::Toggle(|args, on| args.filter.no_ignore.set_common(on)),
    )
    .negated("ignore")
    .help(
        "Search ignored files too.",
        "Implies `--no-ignore-dot`, `--no-ignore-exclude`, `--no-ignore-global`, \
         `--no-ignore-parent` and `--no-ignore-vcs`; files given by `--ignore-file` still apply. \
         The same as `-u`.",
    ),
    Flag::new(CATEGORY, "no-ignore-dot", Update::Toggle(|args, on| args.filter.no_ignore.dot = on))
        .negated("ignore-dot")
        .help("Do not read `.ignore` and `.rgignore` files.", "Git's ignore rules still apply."),
    Flag::new(
        CATEGORY,
        "no-ignore-exclude",
        Update::Toggle(|args, on| args.filter.no_ignore.exclude = on),
    )
    .negated("ignore-exclude")
    .help("Do not read `.git/info/exclude` files.", "These are a repository's local excludes."),
    Flag::new(
        CATEGORY,
        "no-ignore-files",
        Update::Toggle(|args, on| args.filter.no_ignore.files = on),
    )
    .negated("ignore-files")
    .help("Do not read any `--ignore-file`.", "Even if the flag is given later."),
    Flag::new(
        CATEGORY,
        "no-ignore-global",
        Update::Toggle(|args, on| args.filter.no_ignore.global = on),
    )
    .negated("ignore-global")
    .help(
        "Do not read git's global excludes.",
        "The file named by git's `core.excludesFile`, by default `~/.config/git/ignore`.",
    ),
    Flag::new(
        CATEGORY,
        "no-ignore-parent",
        Update::Toggle(|args, on| args.filter.no_ignore.parent = on),
    )
    .negated("ignore-parent")
    .help(
        "Do not read ignore files in parent directories.",
        "Ignore files above the searched path are not read; those below it still apply.",
    ),
    Flag::new(CATEGORY, "no-ignore-vcs", Update::Toggle(|args, on| args.filter.no_ignore.vcs = on))
        .negated("ignore-vcs")
        .help(
            "Do not apply git's ignore rules.",
            "`.ignore` and `.rgignore` files still apply, and `.git` is still hidden.",
        ),
    Flag::new(
        CATEGORY,
        "no-require-git",
        Update::Toggle(|args, on| args.filter.no_ignore.require_git = on),
    )
    .negated("require-git")
    .help(
        "Apply `.gitignore` outside of git repositories, too.",
        "By default, it applies only if its directory or a parent contains `.git`.",
    ),
    Flag::new(
        CATEGORY,
        "one-file-system",
        Update::Toggle(|args, on| args.filter.one_file_system = on),
    )
    .negated("no-one-file-system")
    .help("Stay on the file system of each path.", "Mount points below it are not entered."),
    Flag::new(
        CATEGORY,
        "type",
        Update::Value(|args, value| {
            args.filter.type_changes.push(TypeChange::Select(convert::text(value)?));
            Ok(())
        }),
    )
    .short('t')
    .value("TYPE")
    .help(
        "Search only files of TYPE.",
        "May be repeated. `--type-list` prints the types; `all` selects every file of a known \
         type.",
    ),
    Flag::new(
        CATEGORY,
        "type-not",
        Update::Value(|args, value| {
            args.filter.type_changes.push(TypeChange::Negate(convert::text(value)?));
            Ok(())
        }),
    )
    .short('T')
    .value("TYPE")
    .help("Skip files of TYPE.", "May be repeated. `all` skips every file of a known type."),
    Flag::new(
        CATEGORY,
        "type-add",
        Update::Value(|args, value| {
            args.filter.type_changes.push(TypeChange::Add(convert::text(value)?));
            Ok(())
        }),
    )
    .value("TYPESPEC")
    .help(
        "Add a glob to a file type, for this search.",
        "The format is `name:glob`, as in `--type-add 'web:*.html'`, or `name:include:other,…` to \
         include the globs of other types. A new name defines a new type. To keep a type, add the \
         flag to the configuration file.",
    ),
    Flag::new(
        CATEGORY,
        "type-clear",
        Update::Value(|args, value| {
            args.filter.type_changes.push(TypeChange::Clear(convert::text(value)?));
            Ok(())
        }),
    )
    .value("TYPE")
    .help("Clear the globs of a file type.", "For this search; `--type-add` can then redefine it."),
    Flag::new(
        CATEGORY,
        "unrestricted",
        Update::Repeat(|args| {
            let filter = &mut args.filter;
            match filter.unrestricted {
                0 => filter.no_ignore.set_common(true),
                1 => filter.hidden = true,
                2 => args.reading.binary = Binary::Search,
                _ => return Err("it can be repeated at most three times".to_string()),
            }
            filter.unrestricted += 1;
            Ok(())
        }),
    )
    .short('u')
    .help(
        "Reduce filtering; may be given up to three times.",
        "`-u` is `--no-ignore`, `-uu` adds `--hidden`, `-uuu` adds `--binary`.",
    ),
];
