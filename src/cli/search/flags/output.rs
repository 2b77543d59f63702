//! Flags that say how results look and in which order they come.

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
            "`{text}` has {} bytes, and a path separator is one byte (some Windows shells turn `/` \
             into a folder: write `//` there)",
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
        "It wins over `--context` on its side and replaces `--passthru`.",
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
        "It wins over `--context` on its side and replaces `--passthru`.",
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
        "The default where output is no terminal. It replaces `--line-buffered`.",
    ),
    Flag::new(CATEGORY, "byte-offset", Update::Toggle(|args, on| args.format.byte_offset = on))
        .short('b')
        .negated("no-byte-offset")
        .help(
            "Print the byte offset of each line.",
            "From 0, at the head of the line; with `--only-matching` that of the match. For a \
             decoded file it is the offset in the decoded text.",
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
        "`auto` (the default) colours on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.",
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
        "Written `part:attribute:value`. Parts: `path`, `line`, `column`, `match`, `highlight`. \
         Attributes: `fg` and `bg` with a colour's name, a number up to 255 or `r,g,b`; `style` \
         with `bold`, `underline`, `intense`, `italic` or their `no…` forms. `part:none` clears a \
         part.",
    ),
    Flag::new(CATEGORY, "column", Update::Toggle(|args, on| args.format.column = Some(on)))
        .negated("no-column")
        .help(
            "Print the column of the first match.",
            "In bytes, from 1; line numbers come with it.",
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
        "`--before-context` and `--after-context` win on their side. It replaces `--passthru`.",
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
        "The line between chunks that do not touch.",
        "`--` by default; escapes such as `\\t` are understood. An empty one is an empty line; the \
         negation leaves the line out.",
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
        "What parts the fields of a context line.",
        "`-` by default; escapes such as `\\t` are understood.",
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
        "What parts the fields of a matching line.",
        "`:` by default; escapes such as `\\t` are understood.",
    ),
    Flag::new(CATEGORY, "heading", Update::Toggle(|args, on| args.format.heading = Some(on)))
        .negated("no-heading")
        .help(
            "Print each path once, above its lines.",
            "The default on a terminal. `--vimgrep` overrules it.",
        ),
    Flag::new(CATEGORY, "help", Update::On(|args| args.special = Some(Special::HelpLong)))
        .short('h')
        .help("Print help.", "`-h` is the short one, `--help` the one that you are reading."),
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
        "For `{host}` in hyperlinks, which otherwise is what the system says.",
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
        "Make paths links in terminals that know them.",
        "`none` (the default), `default`, the name of an editor such as `vscode`, or a URL with \
         `{path}`, `{line}`, `{column}`, `{host}` and `{wslprefix}`. Links are written only where \
         colours are.",
    ),
    Flag::new(CATEGORY, "include-zero", Update::Toggle(|args, on| args.format.include_zero = on))
        .negated("no-include-zero")
        .help("Let counts of zero be printed.", "For `--count` and `--count-matches`."),
    Flag::new(
        CATEGORY,
        "line-buffered",
        Update::Toggle(|args, on| {
            args.buffer = if on { Buffering::Line } else { Buffering::Auto };
        }),
    )
    .negated("no-line-buffered")
    .help(
        "Write each line at once.",
        "The default on a terminal; of use in a pipe such as `tail -f log | codedb search x`. It \
         replaces `--block-buffered`.",
    ),
    Flag::new(CATEGORY, "line-number", Update::On(|args| args.format.line_number = Some(true)))
        .short('n')
        .help(
            "Print line numbers.",
            "From 1. The default on a terminal, except for standard input alone. It replaces \
             `--no-line-number`.",
        ),
    Flag::new(CATEGORY, "no-line-number", Update::On(|args| args.format.line_number = Some(false)))
        .short('N')
        .help("Print no line numbers.", "It replaces `--line-number`."),
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
        "Leave out lines longer than NUM bytes.",
        "A note with the number of matches stands in their place. 0 lifts the limit.",
    ),
    Flag::new(
        CATEGORY,
        "max-columns-preview",
        Update::Toggle(|args, on| args.format.max_columns_preview = on),
    )
    .negated("no-max-columns-preview")
    .help("Show the head of lines that are too long.", "As much as `--max-columns` permits."),
    Flag::new(CATEGORY, "null", Update::On(|args| args.format.null = true)).short('0').help(
        "End paths with a NUL byte.",
        "For `xargs -0`. It follows every printed path, those of `--files` and of lines too.",
    ),
    Flag::new(CATEGORY, "only-matching", Update::On(|args| args.format.only_matching = true))
        .short('o')
        .help(
            "Print only what matched.",
            "Each match on a line of its own; empty ones are left out.",
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
        "The byte between the parts of printed paths.",
        "One byte; without it, or if it is empty, the system's.",
    ),
    Flag::new(CATEGORY, "passthru", Update::On(|args| args.format.context = Context::Passthru))
        .aliases(&["passthrough"])
        .help(
            "Print every line, matching or not.",
            "A way to highlight or replace matches within a whole file. It replaces the flags for \
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
        "What a terminal gets anyway; for a pager, as in `codedb search -p x | less -R`.",
    ),
    Flag::new(CATEGORY, "quiet", Update::On(|args| args.quiet = true)).short('q').help(
        "Print nothing; the exit code tells.",
        "It stops at the first match. With `--files` it tells whether there is any file.",
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
        "Print matches as this text instead.",
        "`$1` and `${name}` stand for groups of the pattern, `$0` for the match, `$$` for a \
         dollar. No file is changed.",
    ),
    Flag::new(CATEGORY, "sort", Update::Value(|args, value| sort(args, value, false)))
        .value("SORTBY")
        .choices(ORDER_NAMES)
        .help(
            "Order the files.",
            "By `path` (the default here, and what `none` means too), or by the time when they \
             were `modified`, `accessed` or `created`. Equal times fall back to the path.",
        ),
    Flag::new(CATEGORY, "sortr", Update::Value(|args, value| sort(args, value, true)))
        .value("SORTBY")
        .choices(ORDER_NAMES)
        .help("Order the files the other way round.", "As `--sort`, backwards."),
    Flag::new(CATEGORY, "trim", Update::Toggle(|args, on| args.format.trim = on))
        .negated("no-trim")
        .help("Cut white space at the head of lines.", "ASCII's: blanks, tabs and the like."),
    Flag::new(CATEGORY, "vimgrep", Update::On(|args| args.format.vimgrep = true)).help(
        "Print each match as `path:line:column:text`.",
        "A line with many matches is printed as often, which can become large.",
    ),
    Flag::new(CATEGORY, "with-filename", Update::On(|args| args.format.with_filename = Some(true)))
        .short('H')
        .help(
            "Print the path with each line.",
            "The default unless a single file is searched. It replaces `--no-filename`.",
        ),
    Flag::new(CATEGORY, "no-filename", Update::On(|args| args.format.with_filename = Some(false)))
        .short('I')
        .help("Print no paths with lines.", "It replaces `--with-filename`."),
    Flag::new(
        CATEGORY,
        "sort-files",
        Update::Toggle(|args, on| {
            args.sort = on.then_some(Sort { by: SortBy::Path, reverse: false });
        }),
    )
    .negated("no-sort-files")
    .help("Old name of `--sort=path`.", "Kept for scripts written for ripgrep."),
];
