//! Flags that say where patterns and text come from.

use std::path::PathBuf;

use super::super::args::PatternSource;
use super::{Category, Flag, Update, ValueHint, convert};

const CATEGORY: Category = Category::Input;

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(
        CATEGORY,
        "regexp",
        Update::Value(|args, value| {
            args.patterns.push(PatternSource::Given(convert::text(value)?));
            Ok(())
        }),
    )
    .short('e')
    .value("PATTERN")
    .help(
        "A pattern to look for; may be repeated.",
        "A line counts when any of the patterns matches. Use it for a pattern with a leading dash \
         too: `codedb search -e -x`.\n\nOnce it is given, all other words are paths.",
    ),
    Flag::new(
        CATEGORY,
        "file",
        Update::Value(|args, value| {
            args.patterns.push(PatternSource::File(PathBuf::from(value)));
            Ok(())
        }),
    )
    .short('f')
    .value("PATTERNFILE")
    .completes(ValueHint::Path)
    .help(
        "Read patterns from a file, one a line.",
        "`-` reads them from standard input. An empty line is an empty pattern, which every line \
         matches; an empty file holds no pattern, which no line matches.\n\nOnce it is given, all \
         other words are paths.",
    ),
    Flag::new(
        CATEGORY,
        "pre",
        Update::Setting(|args, value| {
            let command = value.map(PathBuf::from).filter(|path| !path.as_os_str().is_empty());
            if command.is_some() {
                args.reading.decompress = false;
            }
            args.reading.preprocessor = command;
            Ok(())
        }),
    )
    .value("COMMAND")
    .negated("no-pre")
    .completes(ValueHint::Command)
    .help(
        "Search what COMMAND prints for each file.",
        "COMMAND runs once a file, with the path as its argument and the file as its standard \
         input. That is slow: narrow it with `--pre-glob`. Standard input itself is never \
         preprocessed.\n\nAn empty COMMAND takes the flag back. It replaces `--search-zip`.",
    ),
    Flag::new(
        CATEGORY,
        "pre-glob",
        Update::Value(|args, value| {
            args.reading.preprocessor_globs.push(convert::text(value)?);
            Ok(())
        }),
    )
    .value("GLOB")
    .help(
        "Preprocess only paths that match GLOB.",
        "May be repeated; `!GLOB` excludes. Other files are searched as they are. Without `--pre` \
         it does nothing.",
    ),
    Flag::new(
        CATEGORY,
        "search-zip",
        Update::Toggle(|args, on| {
            if on {
                args.reading.preprocessor = None;
            }
            args.reading.decompress = on;
        }),
    )
    .short('z')
    .negated("no-search-zip")
    .help(
        "Look into compressed files.",
        "Files ending in a suffix of gzip, bzip2, xz, LZ4, LZMA, Brotli or Zstandard are unpacked \
         by the program of that name, which must be installed. Archives are not unpacked into \
         their members.\n\nIt replaces `--pre`.",
    ),
];
