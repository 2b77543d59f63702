//! Flags that say what a match is.

use super::super::args::{Binary, Boundary, Case, Engine, Mmap, TextEncoding};
use super::{Category, Flag, Update, convert};

const CATEGORY: Category = Category::Search;
const ENGINES: &[(&str, Engine)] =
    &[("default", Engine::Default), ("pcre2", Engine::Pcre2), ("auto", Engine::Auto)];

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "case-sensitive", Update::On(|args| args.matching.case = Case::Sensitive))
        .short('s')
        .help(
            "Tell upper from lower case (the default).",
            "It replaces `--ignore-case` and `--smart-case`. `(?i)` inside a pattern still counts.",
        ),
    Flag::new(
        CATEGORY,
        "crlf",
        Update::Toggle(|args, on| {
            args.matching.crlf = on;
            if on {
                args.matching.null_data = false;
            }
        }),
    )
    .negated("no-crlf")
    .help(
        "Let `\\r\\n` end a line as `\\n` does.",
        "`$` then matches before `\\r\\n`, and never between the two. It replaces `--null-data`.",
    ),
    Flag::new(
        CATEGORY,
        "dfa-size-limit",
        Update::Value(|args, value| {
            args.matching.dfa_size_limit_bytes = Some(convert::memory_bytes(&value)?);
            Ok(())
        }),
    )
    .value("NUM+SUFFIX?")
    .help(
        "Bound the memory of the regex engine's fast path.",
        "Raise it when a very large pattern searches slowly. Suffixes: `K`, `M`, `G`.",
    ),
    Flag::new(
        CATEGORY,
        "encoding",
        Update::Setting(|args, value| {
            let Some(value) = value else {
                args.reading.encoding = TextEncoding::Auto;
                return Ok(());
            };
            args.reading.encoding = match convert::text(value)?.as_str() {
                "auto" => TextEncoding::Auto,
                "none" => TextEncoding::Raw,
                label => TextEncoding::Label(
                    grep_searcher::Encoding::new(label).map_err(|err| err.to_string())?,
                ),
            };
            Ok(())
        }),
    )
    .short('E')
    .value("ENCODING")
    .negated("no-encoding")
    .help(
        "Decode files from this encoding.",
        "`auto` (the default) goes by byte order mark and takes the rest as it is; `none` leaves \
         even the mark alone. Other values are the labels of the WHATWG Encoding Standard, such as \
         `latin1` or `utf-16le`.",
    ),
    Flag::new(
        CATEGORY,
        "engine",
        Update::Value(|args, value| {
            args.matching.engine = convert::choice(&value, ENGINES)?;
            Ok(())
        }),
    )
    .value("ENGINE")
    .choices(&["default", "pcre2", "auto"])
    .help(
        "Choose the regex engine.",
        "`default` is fast and linear in time. `pcre2` knows look-around and backreferences. \
         `auto` takes the default one unless it refuses a pattern. It replaces `--pcre2` and \
         `--auto-hybrid-regex`.",
    ),
    Flag::new(
        CATEGORY,
        "fixed-strings",
        Update::Toggle(|args, on| args.matching.fixed_strings = on),
    )
    .short('F')
    .negated("no-fixed-strings")
    .help(
        "Take patterns literally.",
        "Dots, brackets and other special characters stand for themselves.",
    ),
    Flag::new(CATEGORY, "ignore-case", Update::On(|args| args.matching.case = Case::Insensitive))
        .short('i')
        .help(
            "Take upper and lower case as equal.",
            "By Unicode's simple case folding. It replaces `--case-sensitive` and `--smart-case`; \
             `(?-i)` inside a pattern still counts.",
        ),
    Flag::new(CATEGORY, "invert-match", Update::Toggle(|args, on| args.matching.invert = on))
        .short('v')
        .negated("no-invert-match")
        .help(
            "Show the lines that do not match.",
            "It works line by line: `-v -l` names files with some line that does not match. For \
             files without any match there is `--files-without-match`.",
        ),
    Flag::new(
        CATEGORY,
        "line-regexp",
        Update::On(|args| args.matching.boundary = Some(Boundary::Line)),
    )
    .short('x')
    .help(
        "Match whole lines only.",
        "As if the pattern were `^(?:PATTERN)$`. It replaces \
         `--word-regexp`.",
    ),
    Flag::new(
        CATEGORY,
        "max-count",
        Update::Value(|args, value| {
            args.matching.max_count = Some(convert::large_count(&value)?);
            Ok(())
        }),
    )
    .short('m')
    .value("NUM")
    .help(
        "Stop a file after NUM matching lines.",
        "A match over many lines counts once. Lines of context after the last match may hold more \
         matches. With 0 nothing is searched.",
    ),
    Flag::new(
        CATEGORY,
        "mmap",
        Update::Toggle(|args, on| {
            args.reading.mmap = if on { Mmap::Always } else { Mmap::Never };
        }),
    )
    .negated("no-mmap")
    .help(
        "Map files into memory where possible.",
        "By default that is done only when a few files are named. A mapped file that another \
         process truncates meanwhile ends the search with a signal.",
    ),
    Flag::new(
        CATEGORY,
        "multiline",
        Update::Toggle(|args, on| {
            args.matching.multiline = on;
            if on {
                args.matching.stop_on_nonmatch = false;
            }
        }),
    )
    .short('U')
    .negated("no-multiline")
    .help(
        "Let a match span lines.",
        "A pattern may then hold `\\n`; `.` still does not match it unless `--multiline-dotall` or \
         `(?s)` says so. Files are held in memory as a whole. It replaces `--stop-on-nonmatch`.",
    ),
    Flag::new(
        CATEGORY,
        "multiline-dotall",
        Update::Toggle(|args, on| args.matching.multiline_dotall = on),
    )
    .negated("no-multiline-dotall")
    .help("Let `.` match `\\n` in multiline mode.", "Without `--multiline` it does nothing."),
    Flag::new(CATEGORY, "no-unicode", Update::Toggle(|args, on| args.matching.no_unicode = on))
        .negated("unicode")
        .help(
            "Match bytes, not Unicode characters.",
            "`\\w`, `\\d`, `\\s`, `\\b` and case folding are ASCII's then, and `.` matches one \
             byte.",
        ),
    Flag::new(
        CATEGORY,
        "null-data",
        Update::On(|args| {
            args.matching.null_data = true;
            args.matching.crlf = false;
        }),
    )
    .help(
        "Let NUL end a line instead of `\\n`.",
        "For data such as `find -print0` writes. It implies `--text` and replaces `--crlf`.",
    ),
    Flag::new(
        CATEGORY,
        "pcre2",
        Update::Toggle(|args, on| {
            args.matching.engine = if on { Engine::Pcre2 } else { Engine::Default };
        }),
    )
    .short('P')
    .negated("no-pcre2")
    .help(
        "Use the PCRE2 engine.",
        "For look-around and backreferences; slower on most patterns. An error where this build \
         has no PCRE2.",
    ),
    Flag::new(
        CATEGORY,
        "regex-size-limit",
        Update::Value(|args, value| {
            args.matching.regex_size_limit_bytes = Some(convert::memory_bytes(&value)?);
            Ok(())
        }),
    )
    .value("NUM+SUFFIX?")
    .help(
        "Bound the size of the compiled pattern.",
        "A pattern that needs more is an error. Suffixes: `K`, `M`, `G`.",
    ),
    Flag::new(CATEGORY, "smart-case", Update::On(|args| args.matching.case = Case::Smart))
        .short('S')
        .help(
            "Ignore case unless a pattern has capitals.",
            "Only literal letters count: `foo\\pL` has no capitals, `Foo\\pL` has one. A pattern \
             without any literal letter is case sensitive. It replaces `--case-sensitive` and \
             `--ignore-case`.",
        ),
    Flag::new(
        CATEGORY,
        "stop-on-nonmatch",
        Update::On(|args| {
            args.matching.stop_on_nonmatch = true;
            args.matching.multiline = false;
        }),
    )
    .help(
        "End a file at the first miss after a match.",
        "For sorted files, where matching lines stand together. It replaces `--multiline`.",
    ),
    Flag::new(
        CATEGORY,
        "text",
        Update::Toggle(|args, on| {
            args.reading.binary = if on { Binary::Text } else { Binary::Auto };
        }),
    )
    .short('a')
    .negated("no-text")
    .help(
        "Search binary files as if they were text.",
        "Their lines are printed as they are, control characters included, which may confuse a \
         terminal. It replaces `--binary`.",
    ),
    Flag::new(
        CATEGORY,
        "threads",
        Update::Value(|args, value| {
            args.threads = Some(convert::count(&value)?).filter(|&threads| threads > 0);
            Ok(())
        }),
    )
    .short('j')
    .value("NUM")
    .help(
        "How many threads search.",
        "0 (the default) lets the machine decide. The output is the same for any number.",
    ),
    Flag::new(
        CATEGORY,
        "word-regexp",
        Update::On(|args| args.matching.boundary = Some(Boundary::Word)),
    )
    .short('w')
    .help(
        "Match whole words only.",
        "What stands before and after a match must be no word character. It replaces \
         `--line-regexp`.",
    ),
    Flag::new(
        CATEGORY,
        "auto-hybrid-regex",
        Update::Toggle(|args, on| {
            args.matching.engine = if on { Engine::Auto } else { Engine::Default };
        }),
    )
    .negated("no-auto-hybrid-regex")
    .help("Old name of `--engine=auto`.", "Kept for scripts written for ripgrep."),
    Flag::new(
        CATEGORY,
        "no-pcre2-unicode",
        Update::Toggle(|args, on| args.matching.no_unicode = on),
    )
    .negated("pcre2-unicode")
    .help("Old name of `--no-unicode`.", "Kept for scripts written for ripgrep."),
];
