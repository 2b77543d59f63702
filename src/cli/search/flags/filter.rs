//! Flags that say which files are searched.

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
        "A file with a NUL byte is binary. By default one that was found by walking is given up at \
         its NUL; with this flag it is searched to its first match, which is reported without the \
         line. Files that are named on the command line are always treated so. It replaces \
         `--text`, which prints the lines.",
    ),
    Flag::new(CATEGORY, "follow", Update::Toggle(|args, on| args.filter.follow = on))
        .short('L')
        .negated("no-follow")
        .help(
            "Follow symbolic links.",
            "Links that are broken or lead back to a folder above are reported as errors.",
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
        "Search paths that match GLOB, or not if `!GLOB`.",
        "May be repeated; the last glob that matches decides, over all ignore files. Globs are \
         gitignore's, with `{a,b}` alternatives on top. To search one folder, write `dir/**`.",
    ),
    Flag::new(
        CATEGORY,
        "glob-case-insensitive",
        Update::Toggle(|args, on| args.filter.globs_ignore_case = on),
    )
    .negated("no-glob-case-insensitive")
    .help("Let every `--glob` ignore case.", "As if each were an `--iglob`."),
    Flag::new(CATEGORY, "hidden", Update::Toggle(|args, on| args.filter.hidden = on))
        .short('.')
        .negated("no-hidden")
        .help(
            "Search hidden files and folders.",
            "Those whose name begins with a dot, `.git` included, and on Windows those with the \
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
        "Like `--glob`, ignoring case.",
        "These are considered after all `--glob`s, whatever their order on the command line.",
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
        "Read more ignore rules from a file.",
        "May be repeated; later files win. Its globs are relative to the current directory and \
         give way to those of ignore files in the tree.",
    ),
    Flag::new(
        CATEGORY,
        "ignore-file-case-insensitive",
        Update::Toggle(|args, on| args.filter.ignore_files_ignore_case = on),
    )
    .negated("no-ignore-file-case-insensitive")
    .help("Let ignore files ignore case.", "For file systems that ignore case too; it costs time."),
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
        "Descend at most NUM folders.",
        "1 searches the files directly inside a named folder, 0 only files that are named.",
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
    .help("Leave out files larger than NUM bytes.", "Suffixes: `K`, `M`, `G`."),
    Flag::new(
        CATEGORY,
        "no-ignore",
        Update::Toggle(|args, on| args.filter.no_ignore.set_common(on)),
    )
    .negated("ignore")
    .help(
        "Search ignored files too.",
        "Switches `--no-ignore-dot`, `-exclude`, `-global`, `-parent` and `-vcs` on at once; files \
         named by `--ignore-file` still count. `-u` says the same.",
    ),
    Flag::new(CATEGORY, "no-ignore-dot", Update::Toggle(|args, on| args.filter.no_ignore.dot = on))
        .negated("ignore-dot")
        .help("Leave `.ignore` and `.rgignore` files aside.", "Git's own rules still count."),
    Flag::new(
        CATEGORY,
        "no-ignore-exclude",
        Update::Toggle(|args, on| args.filter.no_ignore.exclude = on),
    )
    .negated("ignore-exclude")
    .help("Leave a repository's local excludes aside.", "Those in `.git/info/exclude`."),
    Flag::new(
        CATEGORY,
        "no-ignore-files",
        Update::Toggle(|args, on| args.filter.no_ignore.files = on),
    )
    .negated("ignore-files")
    .help("Leave every `--ignore-file` aside.", "Those given after this flag too."),
    Flag::new(
        CATEGORY,
        "no-ignore-global",
        Update::Toggle(|args, on| args.filter.no_ignore.global = on),
    )
    .negated("ignore-global")
    .help(
        "Leave your git's global excludes aside.",
        "The file of git's `core.excludesFile`, by default `~/.config/git/ignore`.",
    ),
    Flag::new(
        CATEGORY,
        "no-ignore-parent",
        Update::Toggle(|args, on| args.filter.no_ignore.parent = on),
    )
    .negated("ignore-parent")
    .help(
        "Leave ignore files of parent folders aside.",
        "Those above the searched path; those inside still count.",
    ),
    Flag::new(CATEGORY, "no-ignore-vcs", Update::Toggle(|args, on| args.filter.no_ignore.vcs = on))
        .negated("ignore-vcs")
        .help(
            "Leave git's ignore rules aside.",
            "`.ignore` and `.rgignore` files still count, and `.git` stays hidden.",
        ),
    Flag::new(
        CATEGORY,
        "no-require-git",
        Update::Toggle(|args, on| args.filter.no_ignore.require_git = on),
    )
    .negated("require-git")
    .help(
        "Obey `.gitignore` outside of repositories too.",
        "By default it counts only where a `.git` stands beside or above it.",
    ),
    Flag::new(
        CATEGORY,
        "one-file-system",
        Update::Toggle(|args, on| args.filter.one_file_system = on),
    )
    .negated("no-one-file-system")
    .help("Stay on the file system of each path.", "Mounted folders below it are not entered."),
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
        "May be repeated. `--type-list` prints the types; `all` stands for every file of a known \
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
    .help("Leave out files of TYPE.", "May be repeated. `all` leaves files of unknown type."),
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
        "Written `name:glob`, as in `--type-add 'web:*.html'`, or `name:include:other,…` to take \
         in the globs of other types. A new name makes a new type. Put it into the configuration \
         file to keep it.",
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
    .help("Forget the globs of a file type.", "For this search; `--type-add` may then start anew."),
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
        "Filter less; up to three times.",
        "`-u` is `--no-ignore`, `-uu` adds `--hidden`, `-uuu` adds `--binary`.",
    ),
];
