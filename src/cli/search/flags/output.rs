//! Flags for the format and the order of results.

use std::path::PathBuf;

use super::super::args::{Args, Buffering, Color, Context, Sort, SortBy, Special};
use super::{Category, Flag, Update, ValueHint, convert};

const CATEGORY: Category = Category::Output;
const COLORS: &[(&str, Color)] = &[
    ("never", Color::Never),
    ("auto", Color::Auto),
    ("always", Color::Always),
    ("ansi", Color::Ansi),
];
const ORDERS: &[(&str, Option<SortBy>)] = &[
    ("none", None),
    ("path", Some(SortBy::Path)),
    ("modified", Some(SortBy::Modified)),
    ("accessed", Some(SortBy::Accessed)),
    ("created", Some(SortBy::Created)),
];
const ORDER_NAMES: &[&str] = &["none", "path", "modified", "accessed", "created"];

fn sort(args: &mut Args, value: std::ffi::OsString, reverse: bool) -> Result<(), String> {
    args.sort = convert::choice(&value, ORDERS)?.map(|by| Sort { by, reverse });
    Ok(())
}

fn path_separator(text: &str) -> Result<Option<u8>, String> {
    match *<Vec<u8> as bstr::ByteVec>::unescape_bytes(text) {
        [] => Ok(None),
        [byte] => Ok(Some(byte)),
        ref bytes => Err(format!(
            "`{text}` has {} bytes, but a path separator must be a single byte (some Windows shells \
             expand `/` to a path: write `//` there)",
            bytes.len()
        )),
    }
}

pub(super) static FLAGS: &[Flag] = &[
    Flag::new(
        CATEGORY,
        "after-context",
        Update::Value(|args, value| {
            args.format.context.lines_mut().after = Some(convert::count(&value)?);
            Ok(())
        }),
    )
    .short('A')
    .value("NUM")
    .help(
        "Show NUM lines after each match.",
        "Overrides the number given by `--context`, and `--passthru`.",
    ),
    Flag::new(
        CATEGORY,
        "before-context",
        Update::Value(|args, value| {
            args.format.context.lines_mut().before = Some(convert::count(&value)?);
            Ok(())
        }),
    )
    .short('B')
    .value("NUM")
    .help(
        "Show NUM lines before each match.",
        "Overrides the number given by `--context`, and `--passthru`.",
    ),
    Flag::new(
        CATEGORY,
        "block-buffered",
        Update::Toggle(|args, on| {
            args.buffer = if on { Buffering::Block } else { Buffering::Auto };
        }),
    )
    .negated("no-block-buffered")
    .help(
        "Write output in large blocks.",
        "The default unless the output is a terminal. Overrides `--line-buffered`.",
    ),
    Flag::new(CATEGORY, "byte-offset", Update::Toggle(|args, on| args.format.byte_offset = on))
        .short('b')
        .negated("no-byte-offset")
        .help(
            "Print the byte offset of each line.",
            "The 0-based offset of the start of the line; with `--only-matching`, of the match. For \
             a file in another encoding, it is the offset in the decoded text.",
        ),
    Flag::new(
        CATEGORY,
        "color",
        Update::Value(|args, value| {
            args.format.color = convert::choice(&value, COLORS)?;
            Ok(())
        }),
    )
    .value("WHEN")
    .choices(&["never", "auto", "always", "ansi"])
    .help(
        "When to colour the output.",
        "`auto` (the default) uses colours on a terminal unless `NO_COLOR` is set or `TERM` is \
         `dumb`.",
    ),
    Flag::new(
        CATEGORY,
        "colors",
        Update::Value(|args, value| {
            let spec = convert::text(value)?.parse();
            args.format.colors.push(spec.map_err(|err: grep_printer::ColorError| err.to_string())?);
            Ok(())
        }),
    )
    .value("COLOR_SPEC")
    .help(
        "Choose a colour or style; may be repeated.",
        "The format is `part:attribute:value`. Parts: `path`, `line`, `column`, `match`, \
         `highlight`. Attributes: `fg` and `bg` with the name of a colour, a number up to 255 or \
         `r,g,b`; `style` with `bold`, `underline`, `intense`, `italic` or their `no…` forms. \
         `part:none` removes all colours and styles of a part.",
    ),
    Flag::new(CATEGORY, "column", Update::Toggle(|args, on| args.format.column = Some(on)))
        .negated("no-column")
        .help(
            "Print the column of the first match.",
            "Columns are 1-based and count bytes. Implies line numbers.",
        ),
    Flag::new(
        CATEGORY,
        "context",
        Update::Value(|args, value| {
            args.format.context.lines_mut().both = Some(convert::count(&value)?);
            Ok(())
        }),
    )
    .short('C')
    .value("NUM")
    .help(
        "Show NUM lines around each match.",
        "`--before-context` and `--after-context` override it. Overrides `--passthru`.",
    ),
    Flag::new(
        CATEGORY,
        "context-separator",
        Update::Setting(|args, value| {
            args.format.context_separator = value.map(convert::unescaped).transpose()?;
            Ok(())
        }),
    )
    .value("SEPARATOR")
    .negated("no-context-separator")
    .help(
        "The separator between non-adjacent groups of lines.",
        "`--` by default. Escape sequences such as `\\t` are supported. An empty separator prints \
         an empty line; the negated flag prints no line.",
    ),
    Flag::new(
        CATEGORY,
        "field-context-separator",
        Update::Value(|args, value| {
            args.format.field_context_separator = convert::unescaped(value)?;
            Ok(())
        }),
    )
    .value("SEPARATOR")
    .help(
        "The separator between the fields of context lines.",
        "`-` by default. Escape sequences such as `\\t` are supported.",
    ),
    Flag::new(
        CATEGORY,
        "field-match-separator",
        Update::Value(|args, value| {
            args.format.field_match_separator = convert::unescaped(value)?;
            Ok(())
        }),
    )
    .value("SEPARATOR")
    .help(
        "The separator between the fields of matching lines.",
        "`:` by default. Escape sequences such as `\\t` are supported.",
    ),
    Flag::new(CATEGORY, "heading", Update::Toggle(|args, on| args.format.heading = Some(on)))
        .negated("no-heading")
        .help(
            "Print each path once, above its lines.",
            "The default on a terminal. `--vimgrep` overrides it.",
        ),
    Flag::new(CATEGORY, "help", Update::On(|args| args.special = Some(Special::HelpLong)))
        .short('h')
        .help("Print help.", "`-h` prints a summary, `--help` prints all details."),
    Flag::new(
        CATEGORY,
        "hostname-bin",
        Update::Value(|args, value| {
            args.format.hostname_command = Some(value).filter(|v| !v.is_empty()).map(PathBuf::from);
            Ok(())
        }),
    )
    .value("COMMAND")
    .completes(ValueHint::Command)
    .help(
        "A program that prints this machine's name.",
        "It replaces `{host}` in hyperlinks; by default, the name of the operating system is used.",
    ),
    Flag::new(
        CATEGORY,
        "hyperlink-format",
        Update::Value(|args, value| {
            let format = convert::text(value)?.parse();
            args.format.hyperlink =
                format.map_err(|err: grep_printer::HyperlinkFormatError| err.to_string())?;
            Ok(())
        }),
    )
    .value("FORMAT")
    .help(
        "Make paths hyperlinks, in terminals that support them.",
        "`none` (the default), `default`, the name of an editor such as `vscode`, or a URL with \
         `{path}`, `{line}`, `{column}`, `{host}` and `{wslprefix}`. Hyperlinks are printed only \
         if colours are.",
    ),
    Flag::new(CATEGORY, "include-zero", Update::Toggle(|args, on| args.format.include_zero = on))
        .negated("no-include-zero")
        .help("Print counts of zero, too.", "For `--count` and `--count-matches`."),
    Flag::new(
        CATEGORY,
        "line-buffered",
        Update::Toggle(|args, on| {
            args.buffer = if on { Buffering::Line } else { Buffering::Auto };
        }),
    )
    .negated("no-line-buffered")
    .help(
        "Write each line as soon as it is found.",
        "The default on a terminal; useful in a pipe such as `tail -f log | codedb search x`. \
         Overrides `--block-buffered`.",
    ),
    Flag::new(CATEGORY, "line-number", Update::On(|args| args.format.line_number = Some(true)))
        .short('n')
        .help(
            "Print line numbers.",
            "Line numbers are 1-based. The default on a terminal, unless only standard input is \
             searched. Overrides `--no-line-number`.",
        ),
    Flag::new(CATEGORY, "no-line-number", Update::On(|args| args.format.line_number = Some(false)))
        .short('N')
        .help("Print no line numbers.", "Overrides `--line-number`."),
    Flag::new(
        CATEGORY,
        "max-columns",
        Update::Value(|args, value| {
            args.format.max_columns = Some(convert::large_count(&value)?).filter(|&max| max > 0);
            Ok(())
        }),
    )
    .short('M')
    .value("NUM")
    .help(
        "Omit lines longer than NUM bytes.",
        "A note with the number of matches is printed in their place. 0 removes the limit.",
    ),
    Flag::new(
        CATEGORY,
        "max-columns-preview",
        Update::Toggle(|args, on| args.format.max_columns_preview = on),
    )
    .negated("no-max-columns-preview")
    .help("Show the start of lines that are too long.", "As much as `--max-columns` allows."),
    Flag::new(CATEGORY, "null", Update::On(|args| args.format.null = true)).short('0').help(
        "Print a NUL byte after each path.",
        "For `xargs -0`. Applies to all printed paths, including those of `--files` and of lines.",
    ),
    Flag::new(CATEGORY, "only-matching", Update::On(|args| args.format.only_matching = true))
        .short('o')
        .help(
            "Print only the matched text.",
            "Each match is printed on its own line; empty matches are omitted.",
        ),
    Flag::new(
        CATEGORY,
        "path-separator",
        Update::Value(|args, value| {
            args.format.path_separator = path_separator(&convert::text(value)?)?;
            Ok(())
        }),
    )
    .value("SEPARATOR")
    .help(
        "The separator between the components of printed paths.",
        "A single byte; the system's separator if it is empty or not given.",
    ),
    Flag::new(CATEGORY, "passthru", Update::On(|args| args.format.context = Context::Passthru))
        .aliases(&["passthrough"])
        .help(
            "Print every line, matching or not.",
            "Useful to highlight or replace matches within a whole file. Overrides the flags for \
             context lines.",
        ),
    Flag::new(
        CATEGORY,
        "pretty",
        Update::On(|args| {
            args.format.color = Color::Always;
            args.format.heading = Some(true);
            args.format.line_number = Some(true);
        }),
    )
    .short('p')
    .help(
        "Colours, headings and line numbers at once.",
        "The defaults on a terminal, for output into a pager: `codedb search -p x | less -R`.",
    ),
    Flag::new(CATEGORY, "quiet", Update::On(|args| args.quiet = true)).short('q').help(
        "Print nothing; only set the exit code.",
        "Stops at the first match. With `--files`, the exit code is 0 if any file would be \
         searched.",
    ),
    Flag::new(
        CATEGORY,
        "replace",
        Update::Value(|args, value| {
            args.format.replace = Some(convert::text(value)?.into_bytes());
            Ok(())
        }),
    )
    .short('r')
    .value("REPLACEMENT")
    .help(
        "Print each match as this text instead.",
        "`$1` and `${name}` are replaced by capture groups, `$0` by the whole match, `$$` by a \
         dollar sign. No file is changed.",
    ),
    Flag::new(CATEGORY, "sort", Update::Value(|args, value| sort(args, value, false)))
        .value("SORTBY")
        .choices(ORDER_NAMES)
        .help(
            "Sort the files.",
            "By `path` (the default, and the same as `none`), or by the time at which they were \
             `modified`, `accessed` or `created`. Files with equal times are sorted by path.",
        ),
    Flag::new(CATEGORY, "sortr", Update::Value(|args, value| sort(args, value, true)))
        .value("SORTBY")
        .choices(ORDER_NAMES)
        .help("Sort the files in reverse order.", "Like `--sort`, in descending order."),
    Flag::new(CATEGORY, "trim", Update::Toggle(|args, on| args.format.trim = on))
        .negated("no-trim")
        .help("Remove leading white space from lines.", "Only ASCII white space is removed."),
    Flag::new(CATEGORY, "vimgrep", Update::On(|args| args.format.vimgrep = true)).help(
        "Print each match as `path:line:column:text`.",
        "A line with several matches is printed once for each of them.",
    ),
    Flag::new(CATEGORY, "with-filename", Update::On(|args| args.format.with_filename = Some(true)))
        .short('H')
        .help(
            "Print the path with each line.",
            "The default unless a single file is searched. Overrides `--no-filename`.",
        ),
    Flag::new(CATEGORY, "no-filename", Update::On(|args| args.format.with_filename = Some(false)))
        .short('I')
        .help("Do not print the path with each line.", "Overrides `--with-filename`."),
    Flag::new(
        CATEGORY,
        "sort-files",
        Update::Toggle(|args, on| {
            args.sort = on.then_some(Sort { by: SortBy::Path, reverse: false });
        }),
    )
    .negated("no-sort-files")
    .help("Deprecated: use `--sort=path`.", "For scripts written for ripgrep."),
];
