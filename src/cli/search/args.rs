//! The command line of a search as typed values.
//!
//! [`Args`] is filled flag by flag, in the order of the command line. It does not depend on files,
//! the terminal or the environment; `request` resolves it into a search.

use std::ffi::OsString;
use std::path::PathBuf;

use grep_printer::{HyperlinkFormat, UserColorSpec};
use grep_searcher::Encoding;

/// The parsed command line.
#[derive(Debug, Default)]
pub(crate) struct Args {
    /// Help or a version, which take precedence over everything else.
    pub(crate) special: Option<Special>,
    pub(crate) mode: Mode,
    /// The positional arguments: a pattern followed by paths, or only paths.
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
    /// `None` chooses the number by the number of processors.
    pub(crate) threads: Option<usize>,
}

/// A request that is answered without a search.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Special {
    HelpShort,
    HelpLong,
    VersionShort,
    VersionLong,
    VersionPcre2,
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Mode {
    Search(SearchMode),
    /// Print the paths that would be searched.
    Files,
    /// Print the file types.
    TypeList,
}

impl Default for Mode {
    fn default() -> Mode {
        Mode::Search(SearchMode::Lines)
    }
}

/// The output of a search.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SearchMode {
    Lines,
    PathsWithMatch,
    PathsWithoutMatch,
    Count,
    CountMatches,
    Json,
}

/// The source of patterns.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum PatternSource {
    Given(String),
    File(PathBuf),
}

/// The interpretation of patterns, and which lines match.
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

/// The regex engine.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Engine {
    #[default]
    Default,
    Pcre2,
    /// The default engine, or PCRE2 for patterns that it rejects.
    Auto,
}

/// Case sensitivity.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Case {
    #[default]
    Sensitive,
    Insensitive,
    /// Insensitive unless a pattern contains an uppercase letter.
    Smart,
}

/// The boundaries that a match must have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Boundary {
    Line,
    Word,
}

/// How files are read and decoded.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) binary: Binary,
    pub(crate) encoding: TextEncoding,
    pub(crate) mmap: Mmap,
    pub(crate) preprocessor: Option<PathBuf>,
    pub(crate) preprocessor_globs: Vec<String>,
    pub(crate) decompress: bool,
}

/// The treatment of files that contain a NUL byte.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Binary {
    /// The search of a walked file stops at the NUL byte; files given as arguments are searched,
    /// but their lines are not printed.
    #[default]
    Auto,
    /// Every file is searched, but its lines are not printed.
    Search,
    /// NUL is a normal byte.
    Text,
}

/// The encoding of files.
#[derive(Clone, Debug, Default)]
pub(crate) enum TextEncoding {
    /// Detected by a byte order mark.
    #[default]
    Auto,
    Label(Encoding),
    /// Raw bytes; byte order marks are ignored.
    Raw,
}

/// Whether files are memory-mapped.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Mmap {
    /// Only if a few files are given as arguments.
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
    /// The number of times that `-u` was given.
    pub(crate) unrestricted: u8,
}

impl Filter {
    /// Returns true if no filter flag was given.
    pub(crate) fn is_default(&self) -> bool {
        *self == Filter::default()
    }
}

/// The sources of ignore rules that are disabled.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct NoIgnore {
    pub(crate) dot: bool,
    pub(crate) exclude: bool,
    pub(crate) files: bool,
    pub(crate) global: bool,
    pub(crate) parent: bool,
    pub(crate) vcs: bool,
    /// Git's rules apply outside of git repositories, too.
    pub(crate) require_git: bool,
}

impl NoIgnore {
    /// Disables or enables the sources that `--no-ignore` and `-u` disable.
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

/// The format of results.
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

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Color {
    Never,
    #[default]
    Auto,
    Always,
    Ansi,
}

/// The lines around a match to print.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Context {
    /// All lines of the file.
    Passthru,
    Lines(ContextLines),
}

/// Numbers of lines; `before` and `after` override `both`, regardless of their order.
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
    /// Returns the numbers of lines to modify; overrides an earlier `--passthru`.
    pub(crate) fn lines_mut(&mut self) -> &mut ContextLines {
        if *self == Context::Passthru {
            *self = Context::default();
        }
        match self {
            Context::Lines(lines) => lines,
            Context::Passthru => unreachable!("replaced above"),
        }
    }

    /// Returns the numbers of lines to print before and after a match; 0 with `--passthru`.
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

/// Messages and statistics.
#[derive(Debug, Default)]
pub(crate) struct Logging {
    pub(crate) level: Option<log::LevelFilter>,
    pub(crate) no_messages: bool,
    pub(crate) no_ignore_messages: bool,
    pub(crate) stats: bool,
}

/// The buffering of output.
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

/// The sort key of files.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum SortBy {
    Path,
    Modified,
    Accessed,
    Created,
}

/// The flags that ripgrep does not have.
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

/// How the index is checked against the tree.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fresh {
    /// The metadata of every file is checked.
    Strict,
    /// The list of changes of a running watcher is used.
    Watch,
    /// Nothing is checked.
    Trust,
}
