//! Flags for the sources of patterns and text.

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
        "A pattern to search for; may be repeated.",
        "A line matches if any of the patterns matches. Also useful for a pattern that begins with \
         a dash: `codedb search -e -x`.\n\nIf this flag is given, all positional arguments are \
         paths.",
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
        "Read patterns from a file, one per line.",
        "`-` reads them from standard input. An empty line is an empty pattern, which matches every \
         line; an empty file contains no pattern and matches nothing.\n\nIf this flag is given, all \
         positional arguments are paths.",
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
        "Search the output of COMMAND for each file.",
        "COMMAND is run once for each file, with the path as its argument and the file as its \
         standard input. This is slow: limit it with `--pre-glob`. Standard input itself is never \
         preprocessed.\n\nAn empty COMMAND disables the flag. Overrides `--search-zip`.",
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
        "May be repeated; `!GLOB` excludes. Other files are searched without preprocessing. No \
         effect without `--pre`.",
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
        "Search in compressed files.",
        "Files with a file name extension of gzip, bzip2, xz, LZ4, LZMA, Brotli or Zstandard are \
         decompressed by the program of that name, which must be installed. The members of \
         archives are not extracted.\n\nOverrides `--pre`.",
    ),
];
