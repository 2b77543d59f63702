//! Flags that define a match.

use super::super::args::{Binary, Boundary, Case, Engine, Mmap, TextEncoding};
use super::{Category, Flag, Update, convert};

const CATEGORY: Category = Category::Search;
const ENGINES: &[(&str, Engine)] =
    &[("default", Engine::Default), ("pcre2", Engine::Pcre2), ("auto", Engine::Auto)];

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(CATEGORY, "case-sensitive", Update::On(|args| args.matching.case = Case::Sensitive))
        .short('s')
        .help(
            "Match case-sensitively (the default).",
            "Overrides `--ignore-case` and `--smart-case`. `(?i)` in a pattern still applies.",
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
        "Treat `\\r\\n` as a line terminator, like `\\n`.",
        "`$` then matches before `\\r\\n`, and never between the two bytes. Overrides \
         `--null-data`.",
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
        "The memory limit of the regex engine's DFA.",
        "Raise it if a search with a very large pattern is slow. Suffixes: `K`, `M`, `G`.",
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
        "The encoding of the files.",
        "`auto` (the default) detects UTF-16 by the byte order mark and searches all other files \
         as raw bytes; `none` also ignores byte order marks. Other values are labels of the WHATWG \
         Encoding Standard, such as `latin1` or `utf-16le`.",
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
        "`default` searches in linear time. `pcre2` supports look-around and backreferences. \
         `auto` uses PCRE2 only for patterns that the default engine does not support. Overrides \
         `--pcre2` and `--auto-hybrid-regex`.",
    ),
    Flag::new(
        CATEGORY,
        "fixed-strings",
        Update::Toggle(|args, on| args.matching.fixed_strings = on),
    )
    .short('F')
    .negated("no-fixed-strings")
    .help(
        "Treat patterns as literal strings.",
        "Dots, brackets and other special characters have no special meaning.",
    ),
    Flag::new(CATEGORY, "ignore-case", Update::On(|args| args.matching.case = Case::Insensitive))
        .short('i')
        .help(
            "Match case-insensitively.",
            "Uses Unicode's simple case folding. Overrides `--case-sensitive` and `--smart-case`; \
             `(?-i)` in a pattern still applies.",
        ),
    Flag::new(CATEGORY, "invert-match", Update::Toggle(|args, on| args.matching.invert = on))
        .short('v')
        .negated("no-invert-match")
        .help(
            "Show the lines that do not match.",
            "Applies to lines: `-v -l` prints the files that contain a line that does not match. \
             For files without any match, use `--files-without-match`.",
        ),
    Flag::new(
        CATEGORY,
        "line-regexp",
        Update::On(|args| args.matching.boundary = Some(Boundary::Line)),
    )
    .short('x')
    .help(
        "Match whole lines only.",
        "As if the pattern were `^(?:PATTERN)$`. Overrides `--word-regexp`.",
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
        "Stop after NUM matching lines in each file.",
        "A match that spans several lines counts once. Context lines after the last match may \
         contain further matches. With 0, nothing is searched.",
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
        "Search memory maps of files where possible.",
        "By default, files are mapped only if a few files are given as arguments. If another \
         process truncates a mapped file during the search, the search is killed by a signal.",
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
        "Allow matches to span lines.",
        "A pattern may then contain `\\n`; `.` does not match it without `--multiline-dotall` or \
         `(?s)`. Each file is read into memory as a whole. Overrides `--stop-on-nonmatch`.",
    ),
    Flag::new(
        CATEGORY,
        "multiline-dotall",
        Update::Toggle(|args, on| args.matching.multiline_dotall = on),
    )
    .negated("no-multiline-dotall")
    .help("Let `.` match `\\n` in multiline mode.", "No effect without `--multiline`."),
    Flag::new(CATEGORY, "no-unicode", Update::Toggle(|args, on| args.matching.no_unicode = on))
        .negated("unicode")
        .help(
            "Disable Unicode mode.",
            "`\\w`, `\\d`, `\\s`, `\\b` and case folding are then limited to ASCII, and `.` matches \
             any byte.",
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
        "Use NUL as the line terminator instead of `\\n`.",
        "For data such as the output of `find -print0`. Implies `--text` and overrides `--crlf`.",
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
        "For look-around and backreferences; slower for most patterns. Available only in builds \
         with PCRE2.",
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
        "The size limit of the compiled pattern.",
        "A larger pattern is an error. Suffixes: `K`, `M`, `G`.",
    ),
    Flag::new(CATEGORY, "smart-case", Update::On(|args| args.matching.case = Case::Smart))
        .short('S')
        .help(
            "Ignore case if the pattern is all lowercase.",
            "Only literals count: `foo\\pL` is lowercase, `Foo\\pL` is not. A pattern without any \
             literal is case-sensitive. Overrides `--case-sensitive` and `--ignore-case`.",
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
        "Stop at the first non-matching line after a match.",
        "For sorted files, where matching lines are adjacent. Overrides `--multiline`.",
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
        "Their lines are printed unchanged, including control characters, which may disturb the \
         terminal. Overrides `--binary`.",
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
        "The number of threads.",
        "0 (the default) chooses it by the number of processors. The output does not depend on it.",
    ),
    Flag::new(
        CATEGORY,
        "word-regexp",
        Update::On(|args| args.matching.boundary = Some(Boundary::Word)),
    )
    .short('w')
    .help(
        "Match whole words only.",
        "A match must not be preceded or followed by a word character. Overrides \
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
    .help("Deprecated: use `--engine=auto`.", "For scripts written for ripgrep."),
    Flag::new(
        CATEGORY,
        "no-pcre2-unicode",
        Update::Toggle(|args, on| args.matching.no_unicode = on),
    )
    .negated("pcre2-unicode")
    .help("Deprecated: use `--no-unicode`.", "For scripts written for ripgrep."),
];
