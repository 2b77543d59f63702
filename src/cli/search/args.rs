//! What the flags say, as typed values and nothing more.
//!
//! [`Args`] is filled flag by flag, in the order of the command line; it reads no file, no terminal
//! and no environment. `request` turns it into a search once everything is known.

use std::ffi::OsString;
use std::path::PathBuf;

use grep_printer::{HyperlinkFormat, UserColorSpec};
use grep_searcher::Encoding;

/// Everything the command line said, grouped by who reads it.
#[derive(Debug, Default)]
pub(crate) struct Args {
    /// Set when help or a version was asked for, which wins over everything else.
    pub(crate) special: Option<Special>,
    pub(crate) mode: Mode,
    /// The words that are no flags, in their order: a pattern, then paths, or paths alone.
    pub(crate) words: Vec<OsString>,
    pub(crate) patterns: Vec<PatternSource>,
    pub(crate) matching: Matching,
    pub(crate) reading: Reading,
    pub(crate) filter: Filter,
    pub(crate) format: Format,
    pub(crate) logging: Logging,
    pub(crate) index: IndexOptions,
    pub(crate) sort: Option<Sort>,
    pub(crate) buffer: Buffering,
    pub(crate) quiet: bool,
    pub(crate) no_config: bool,
    /// None lets the machine decide.
    pub(crate) threads: Option<usize>,
}

/// A question that is answered without searching.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Special {
    HelpShort,
    HelpLong,
    VersionShort,
    VersionLong,
    VersionPcre2,
}

/// What a run does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mode {
    Search(SearchMode),
    /// Print the paths that would be searched.
    Files,
    /// Print the known file types.
    TypeList,
}

impl Default for Mode {
    fn default() -> Mode {
        Mode::Search(SearchMode::Lines)
    }
}

/// What a search prints.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SearchMode {
    Lines,
    PathsWithMatch,
    PathsWithoutMatch,
    Count,
    CountMatches,
    Json,
}

/// Where patterns come from.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum PatternSource {
    Given(String),
    File(PathBuf),
}

/// How a pattern is read and which lines count as matches.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    pub(crate) engine: Engine,
    pub(crate) case: Case,
    pub(crate) boundary: Option<Boundary>,
    pub(crate) fixed_strings: bool,
    pub(crate) no_unicode: bool,
    pub(crate) multiline: bool,
    pub(crate) multiline_dotall: bool,
    pub(crate) crlf: bool,
    pub(crate) null_data: bool,
    pub(crate) invert: bool,
    pub(crate) max_count: Option<u64>,
    pub(crate) stop_on_nonmatch: bool,
    pub(crate) regex_size_limit_bytes: Option<usize>,
    pub(crate) dfa_size_limit_bytes: Option<usize>,
}

/// Which regex engine reads the patterns.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Engine {
    #[default]
    Default,
    Pcre2,
    /// The default engine, and PCRE2 where that one refuses.
    Auto,
}

/// How letters compare.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Case {
    #[default]
    Sensitive,
    Insensitive,
    /// Insensitive unless a pattern holds an uppercase letter.
    Smart,
}

/// What must surround a match.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Boundary {
    Line,
    Word,
}

/// How a file becomes text.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) binary: Binary,
    pub(crate) encoding: TextEncoding,
    pub(crate) mmap: Mmap,
    pub(crate) preprocessor: Option<PathBuf>,
    pub(crate) preprocessor_globs: Vec<String>,
    pub(crate) decompress: bool,
}

/// What happens when a file holds a NUL.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Binary {
    /// Files found by walking are given up; named files are searched, their lines not printed.
    #[default]
    Auto,
    /// Every file is searched, its lines not printed.
    Search,
    /// A NUL is a byte like others.
    Text,
}

/// How bytes are decoded.
#[derive(Clone, Debug, Default)]
pub(crate) enum TextEncoding {
    /// By byte order mark, where there is one.
    #[default]
    Auto,
    Label(Encoding),
    /// Not at all, not even by byte order mark.
    Raw,
}

/// Whether files are mapped into memory.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Mmap {
    /// Only where a few files are named.
    #[default]
    Auto,
    Always,
    Never,
}

/// Which files are searched.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Filter {
    pub(crate) globs: Vec<String>,
    pub(crate) iglobs: Vec<String>,
    pub(crate) globs_ignore_case: bool,
    pub(crate) type_changes: Vec<TypeChange>,
    pub(crate) hidden: bool,
    pub(crate) follow: bool,
    pub(crate) one_file_system: bool,
    pub(crate) max_depth: Option<usize>,
    pub(crate) max_filesize_bytes: Option<u64>,
    pub(crate) ignore_files: Vec<PathBuf>,
    pub(crate) ignore_files_ignore_case: bool,
    pub(crate) no_ignore: NoIgnore,
    /// How often `-u` was given.
    pub(crate) unrestricted: u8,
}

impl Filter {
    /// Returns true if the files are those of ripgrep without a flag.
    pub(crate) fn is_default(&self) -> bool {
        *self == Filter::default()
    }
}

/// Which sources of ignore rules are left aside.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct NoIgnore {
    pub(crate) dot: bool,
    pub(crate) exclude: bool,
    pub(crate) files: bool,
    pub(crate) global: bool,
    pub(crate) parent: bool,
    pub(crate) vcs: bool,
    /// Git's rules hold outside of git repositories too.
    pub(crate) require_git: bool,
}

impl NoIgnore {
    /// Leaves aside what `--no-ignore` and the first `-u` do, or no longer.
    pub(crate) fn set_common(&mut self, on: bool) {
        self.dot = on;
        self.exclude = on;
        self.global = on;
        self.parent = on;
        self.vcs = on;
    }
}

/// One change to the table of file types, applied in order.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum TypeChange {
    Add(String),
    Clear(String),
    Select(String),
    Negate(String),
}

/// How results look.
#[derive(Debug)]
pub(crate) struct Format {
    pub(crate) color: Color,
    pub(crate) colors: Vec<UserColorSpec>,
    pub(crate) heading: Option<bool>,
    pub(crate) line_number: Option<bool>,
    pub(crate) column: Option<bool>,
    pub(crate) with_filename: Option<bool>,
    pub(crate) byte_offset: bool,
    pub(crate) context: Context,
    pub(crate) context_separator: Option<Vec<u8>>,
    pub(crate) field_context_separator: Vec<u8>,
    pub(crate) field_match_separator: Vec<u8>,
    pub(crate) path_separator: Option<u8>,
    pub(crate) null: bool,
    pub(crate) only_matching: bool,
    pub(crate) replace: Option<Vec<u8>>,
    pub(crate) trim: bool,
    pub(crate) vimgrep: bool,
    pub(crate) include_zero: bool,
    pub(crate) max_columns: Option<u64>,
    pub(crate) max_columns_preview: bool,
    pub(crate) hyperlink: HyperlinkFormat,
    pub(crate) hostname_command: Option<PathBuf>,
}

impl Default for Format {
    fn default() -> Format {
        Format {
            color: Color::Auto,
            colors: Vec::new(),
            heading: None,
            line_number: None,
            column: None,
            with_filename: None,
            byte_offset: false,
            context: Context::default(),
            context_separator: Some(b"--".to_vec()),
            field_context_separator: b"-".to_vec(),
            field_match_separator: b":".to_vec(),
            path_separator: None,
            null: false,
            only_matching: false,
            replace: None,
            trim: false,
            vimgrep: false,
            include_zero: false,
            max_columns: None,
            max_columns_preview: false,
            hyperlink: HyperlinkFormat::default(),
            hostname_command: None,
        }
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Color {
    Never,
    #[default]
    Auto,
    Always,
    Ansi,
}

/// Which lines around a match are shown.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Context {
    /// All lines of the file.
    Passthru,
    Lines(ContextLines),
}

/// Numbers of lines; one side by itself wins over both at once, whichever came first.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct ContextLines {
    pub(crate) before: Option<usize>,
    pub(crate) after: Option<usize>,
    pub(crate) both: Option<usize>,
}

impl Default for Context {
    fn default() -> Context {
        Context::Lines(ContextLines::default())
    }
}

impl Context {
    /// Returns the numbers of lines to change; a `--passthru` given earlier is forgotten.
    pub(crate) fn lines_mut(&mut self) -> &mut ContextLines {
        if *self == Context::Passthru {
            *self = Context::default();
        }
        match self {
            Context::Lines(lines) => lines,
            Context::Passthru => unreachable!("replaced above"),
        }
    }

    /// Returns how many lines to show before and after a match; none with `--passthru`.
    pub(crate) fn before_after(self) -> (usize, usize) {
        match self {
            Context::Passthru => (0, 0),
            Context::Lines(ContextLines { before, after, both }) => {
                let both = both.unwrap_or(0);
                (before.unwrap_or(both), after.unwrap_or(both))
            }
        }
    }
}

/// What is told beside the results.
#[derive(Debug, Default)]
pub(crate) struct Logging {
    pub(crate) level: Option<log::LevelFilter>,
    pub(crate) no_messages: bool,
    pub(crate) no_ignore_messages: bool,
    pub(crate) stats: bool,
}

/// When output leaves the process.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Buffering {
    #[default]
    Auto,
    Line,
    Block,
}

/// The order of files.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Sort {
    pub(crate) by: SortBy,
    pub(crate) reverse: bool,
}

/// What files are ordered by.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SortBy {
    Path,
    Modified,
    Accessed,
    Created,
}

/// Our own flags: how the index takes part.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct IndexOptions {
    pub(crate) root: Option<PathBuf>,
    pub(crate) index_dir: Option<PathBuf>,
    pub(crate) fresh: Option<Fresh>,
    pub(crate) no_background: bool,
    pub(crate) no_progress: bool,
    pub(crate) explain_plan: bool,
    pub(crate) no_index: bool,
}

/// How far the index is believed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fresh {
    /// Every stamp is checked.
    Strict,
    /// The watcher's list of changed files is believed.
    Watch,
    /// The index is taken as it stands.
    Trust,
}
