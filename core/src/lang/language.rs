//! The table of languages, and language detection: by file name, then by extension, then by the
//! `#!` line.

use std::path::Path;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use tree_sitter_language::LanguageFn;

use super::embedded::Embedded;
use super::grammars;
use super::notes::Notes;
use super::visit::{Definition, Visit};

/// Maximum length of a text that is parsed, in the languages that allow most.
pub const BYTES_MAX: usize = 4 << 20;

/// A programming language: how its files are recognized and parsed, and how symbols and references
/// are extracted.
///
/// Each language is a static in its file under `grammars/` and has one entry in [`LANGUAGES`].
pub struct Language {
    /// The name shown to users, lowercase.
    pub name: &'static str,
    /// File extensions without the dot, lowercase.
    pub extensions: &'static [&'static str],
    /// Complete file names, such as `Makefile`.
    pub filenames: &'static [&'static str],
    /// Interpreter names in a `#!` line, without version numbers.
    pub shebangs: &'static [&'static str],
    /// The separator between the parts of a qualified name.
    pub separator: &'static str,
    /// Prefixes of comments that extend to the end of the line.
    pub line_comments: &'static [&'static str],
    /// Opening and closing delimiters of block comments.
    pub block_comments: &'static [(&'static str, &'static str)],
    /// How test files are recognized.
    pub tests: TestConventions,
    /// The parser; `None` if this build does not include it.
    pub(super) grammar: Option<LanguageFn>,
    /// Inspects the start of a text and returns a more specific language for it, if one applies.
    pub(super) refine: Option<fn(&[u8]) -> Option<&'static Language>>,
    /// Preprocesses a text for the grammar: blanks out or rewrites what the grammar cannot parse.
    /// The result has the same length and the same line ends, so that byte offsets stay valid.
    pub(super) mask: Option<fn(&[u8]) -> Vec<u8>>,
    /// Returns the code in the visited node, if the grammar parses the node as a list of tokens.
    pub(super) embedded: Option<for<'t> fn(&Visit<'_, 't>) -> Option<Embedded>>,
    /// Node kinds of comments.
    pub(super) comments: &'static [&'static str],
    /// Prefixes of documentation comments. If empty, every comment documents the definition after
    /// it.
    pub(super) doc_comments: &'static [&'static str],
    /// Node kinds that may occur between a definition and its documentation, such as attributes.
    pub(super) attributes: &'static [&'static str],
    /// Node kinds that apply to the siblings after them, such as `private:`.
    pub(super) markers: &'static [&'static str],
    /// Appends the definitions of the visited node.
    pub(super) define: for<'t> fn(&Visit<'_, 't>, &mut Vec<Definition<'t>>),
    /// Records the references, imports and declarations of the visited node. Called for each named
    /// node, after `define`.
    pub(super) refer: Option<for<'t> fn(&Visit<'_, 't>, &mut Notes<'_>)>,
    /// Node kinds that open a scope for local names.
    pub(super) scopes: &'static [&'static str],
}

/// File-name and directory conventions that identify test files.
#[derive(Clone, Copy, Debug, Default)]
pub struct TestConventions {
    /// Prefixes of the names of test files.
    pub file_prefixes: &'static [&'static str],
    /// Suffixes of the names of test files, extension included.
    pub file_suffixes: &'static [&'static str],
    /// Names of directories whose files are tests.
    pub directories: &'static [&'static str],
}

impl TestConventions {
    /// No convention: no file is a test file.
    pub(super) const NONE: TestConventions =
        TestConventions { file_prefixes: &[], file_suffixes: &[], directories: &[] };
}

/// Every language, in the order in which they are listed to users.
pub static LANGUAGES: &[&Language] = &[
    &grammars::bash::BASH,
    &grammars::c::C,
    &grammars::cmake::CMAKE,
    &grammars::c::CPP,
    &grammars::csharp::CSHARP,
    &grammars::css::CSS,
    &grammars::dart::DART,
    &grammars::dockerfile::DOCKERFILE,
    &grammars::elixir::ELIXIR,
    &grammars::javascript::FLOW,
    &grammars::go::GO,
    &grammars::haskell::HASKELL,
    &grammars::hcl::HCL,
    &grammars::html::HTML,
    &grammars::java::JAVA,
    &grammars::javascript::JAVASCRIPT,
    &grammars::data::json::JSON,
    &grammars::kotlin::KOTLIN,
    &grammars::lua::LUA,
    &grammars::make::MAKE,
    &grammars::markdown::MARKDOWN,
    &grammars::objc::OBJC,
    &grammars::ocaml::OCAML,
    &grammars::ocaml::OCAML_INTERFACE,
    &grammars::php::PHP,
    &grammars::proto::PROTO,
    &grammars::python::PYTHON,
    &grammars::r::R,
    &grammars::ruby::RUBY,
    &grammars::rust::RUST,
    &grammars::scala::SCALA,
    &grammars::css::SCSS,
    &grammars::sql::SQL,
    &grammars::html::SVELTE,
    &grammars::html::SVELTE_TYPED,
    &grammars::swift::SWIFT,
    &grammars::data::toml::TOML,
    &grammars::javascript::TSX,
    &grammars::javascript::TYPESCRIPT,
    &grammars::html::VUE,
    &grammars::html::VUE_TYPED,
    &grammars::data::yaml::YAML,
    &grammars::zig::ZIG,
];

/// The language of files that only an extractor of the user's own knows; see
/// [`crate::parsers::extractors`].
pub static EXTRACTED: Language = Language {
    name: "extracted",
    extensions: &[],
    filenames: &[],
    shebangs: &[],
    separator: ".",
    line_comments: &[],
    block_comments: &[],
    tests: TestConventions::NONE,
    grammar: None,
    refine: None,
    mask: None,
    embedded: None,
    comments: &[],
    doc_comments: &[],
    attributes: &[],
    markers: &[],
    define: |_, _| {},
    refer: None,
    scopes: &[],
};

/// Returns the number by which an index stores a language: its position in [`LANGUAGES`], or the number
/// after the last one for [`EXTRACTED`].
pub fn number(language: &Language) -> Option<usize> {
    let is_it = |one: &&Language| *one == language;
    let extracted = (*language == EXTRACTED).then_some(LANGUAGES.len());
    LANGUAGES.iter().position(is_it).or(extracted)
}

/// Returns the language with a [`number`].
pub fn of_number(number: usize) -> Option<&'static Language> {
    let extracted = (number == LANGUAGES.len()).then_some(&EXTRACTED);
    LANGUAGES.get(number).copied().or(extracted)
}

/// Number of bytes at the start of a text that [`Language::refine`] inspects.
const HEAD_BYTES: usize = 16 << 10;

/// Returns the language of the file at `path` with the content `text`, or `None` if it is not in
/// the table.
pub fn detect(path: &Path, text: &[u8]) -> Option<&'static Language> {
    let language = of_path(path).or_else(|| of_shebang(text))?;
    let head = &text[..text.len().min(HEAD_BYTES)];
    Some(language.refine.and_then(|refine| refine(head)).unwrap_or(language))
}

/// Returns the language for the file name or extension of `path`.
pub fn of_path(path: &Path) -> Option<&'static Language> {
    of_name(path.file_name()?.to_str()?.as_bytes())
}

/// Returns the language for a file name, by the complete name or by its extension. The name need
/// not be UTF-8. O(name).
pub fn of_name(name: &[u8]) -> Option<&'static Language> {
    static FILENAMES: LazyLock<LanguagesByName> = LazyLock::new(|| by_name(|of| of.filenames));
    static EXTENSIONS: LazyLock<LanguagesByName> = LazyLock::new(|| by_name(|of| of.extensions));
    if let Some(&language) = FILENAMES.get(name) {
        return Some(language);
    }
    let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0)?;
    let extension = &name[dot + 1..];
    let exact = EXTENSIONS.get(extension);
    exact.or_else(|| EXTENSIONS.get(extension.to_ascii_lowercase().as_slice())).copied()
}

/// Languages by file name or extension.
type LanguagesByName = FxHashMap<&'static [u8], &'static Language>;

/// Maps each name to the first language in the table that lists it.
fn by_name(names: impl Fn(&Language) -> &'static [&'static str]) -> LanguagesByName {
    let mut found = LanguagesByName::default();
    for &language in LANGUAGES {
        for &name in names(language) {
            found.entry(name.as_bytes()).or_insert(language);
        }
    }
    found
}

/// Returns the language of the interpreter in the `#!` line of `text`.
fn of_shebang(text: &[u8]) -> Option<&'static Language> {
    let line = text.strip_prefix(b"#!")?;
    let line = &line[..line.len().min(256)];
    let end = line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len());
    let line = std::str::from_utf8(&line[..end]).ok()?;
    let mut words = line.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    if program != "env" {
        return of_program(program);
    }
    // `env` may start another program that starts the interpreter (`uv run python3`), and options
    // may have values of their own (`-u NAME`), so the first known interpreter counts.
    words.filter(|word| !word.starts_with('-') && !word.contains('=')).find_map(of_program)
}

/// Returns the language of an interpreter, given by its path or name, with or without a version.
fn of_program(program: &str) -> Option<&'static Language> {
    let program = program.rsplit('/').next()?;
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    LANGUAGES.iter().find(|language| language.shebangs.contains(&program)).copied()
}

impl Language {
    /// Returns true if this build includes the parser of the language. Otherwise, its files are recognized
    /// and reported as not analyzed ([`Problem::NoParser`](super::Problem::NoParser)).
    pub fn has_parser(&self) -> bool {
        self.grammar.is_some()
    }

    /// Returns true if references and imports are indexed, not only definitions.
    pub fn has_references(&self) -> bool {
        self.refer.is_some()
    }

    /// Returns true for programming languages, and false for documents, data formats and style
    /// sheets.
    pub fn is_code(&self) -> bool {
        !matches!(
            self.name,
            "css" | "dockerfile" | "html" | "json" | "markdown" | "scss" | "toml" | "yaml"
        )
    }

    /// Returns the maximum length of a text that is parsed. Long texts in most programming languages
    /// are code (picocli has 1.2 MiB of Java in one file); in the other languages they are mostly data,
    /// bundles, dumps, or headers with the registers of devices: in Linux, 54 headers of 1 to 4 MiB
    /// would make the index take 7 % longer.
    pub fn bytes_max(&self) -> usize {
        let is_mostly_data =
            matches!(self.name, "c" | "cpp" | "javascript" | "objective-c" | "sql")
                || !self.is_code();
        if is_mostly_data { BYTES_MAX / 4 } else { BYTES_MAX }
    }

    /// Returns true if `path` matches one of the language's test-file conventions.
    pub fn is_test_path(&self, path: &Path) -> bool {
        let tests = &self.tests;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let mut directories = path.parent().into_iter().flat_map(Path::components);
        tests.file_prefixes.iter().any(|prefix| name.starts_with(prefix))
            || tests.file_suffixes.iter().any(|suffix| name.ends_with(suffix))
            || directories.any(|part| {
                part.as_os_str().to_str().is_some_and(|part| tests.directories.contains(&part))
            })
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Language({})", self.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Language) -> bool {
        self.name == other.name
    }
}
