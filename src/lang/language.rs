//! The table of languages and how the language of a file is found: by its name, its extension, its
//! first line, in this order.

use std::path::Path;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use tree_sitter_language::LanguageFn;

use super::grammars;
use super::notes::Notes;
use super::visit::{Definition, Visit};

/// A programming language: how its files are known, parsed and read.
///
/// Each is a constant in its file under `grammars/`, listed once in [`LANGUAGES`].
pub struct Language {
    /// The name that users see, lowercase.
    pub name: &'static str,
    /// Extensions without the dot, lowercase.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub filenames: &'static [&'static str],
    /// Interpreters in a first line that starts with `#!`, without version numbers.
    pub shebangs: &'static [&'static str],
    /// What stands between the parts of a qualified name.
    pub separator: &'static str,
    /// Marks that begin a comment up to the line's end.
    pub line_comments: &'static [&'static str],
    /// Marks that begin and end a comment of any length.
    pub block_comments: &'static [(&'static str, &'static str)],
    /// How test files are recognised.
    pub tests: TestConventions,
    pub(super) grammar: LanguageFn,
    /// Another language that a text of this one's extension may turn out to be in.
    pub(super) refine: Option<fn(&[u8]) -> Option<&'static Language>>,
    /// Returns the text with blanks for what the grammar does not know, as many as there are bytes.
    pub(super) mask: Option<fn(&[u8]) -> Vec<u8>>,
    /// Node kinds that are comments.
    pub(super) comments: &'static [&'static str],
    /// How a comment starts that documents what follows; any comment does where this is empty.
    pub(super) doc_comments: &'static [&'static str],
    /// Node kinds that may stand between a definition and its documentation.
    pub(super) attributes: &'static [&'static str],
    /// Node kinds that say something about the siblings after them, such as `private:`.
    pub(super) markers: &'static [&'static str],
    /// Adds what the visited node defines.
    pub(super) define: for<'t> fn(&Visit<'_, 't>, &mut Vec<Definition<'t>>),
    /// Notes what the visited node refers to, imports or declares; called for each named node,
    /// after `define`.
    pub(super) refer: Option<for<'t> fn(&Visit<'_, 't>, &mut Notes<'_>)>,
    /// Node kinds whose local names are unknown outside of them.
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

/// Every language, in the order in which they are named to users.
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

/// Bytes of a text that tell one language from its relatives.
const HEAD_BYTES: usize = 16 << 10;

/// Returns the language of the file at `path` that holds `text`, if it is known.
pub fn detect(path: &Path, text: &[u8]) -> Option<&'static Language> {
    let language = of_path(path).or_else(|| of_shebang(text))?;
    let head = &text[..text.len().min(HEAD_BYTES)];
    Some(language.refine.and_then(|refine| refine(head)).unwrap_or(language))
}

/// Returns the language that a path's name or extension stands for.
pub fn of_path(path: &Path) -> Option<&'static Language> {
    of_name(path.file_name()?.to_str()?.as_bytes())
}

/// Returns the language that a file's name or its extension stands for, whatever other bytes it
/// has. O(name).
pub fn of_name(name: &[u8]) -> Option<&'static Language> {
    static FILENAMES: LazyLock<ByName> = LazyLock::new(|| by_name(|of| of.filenames));
    static EXTENSIONS: LazyLock<ByName> = LazyLock::new(|| by_name(|of| of.extensions));
    if let Some(&language) = FILENAMES.get(name) {
        return Some(language);
    }
    let dot = name.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0)?;
    let extension = &name[dot + 1..];
    let known = EXTENSIONS.get(extension);
    known.or_else(|| EXTENSIONS.get(extension.to_ascii_lowercase().as_slice())).copied()
}

/// Languages by what their files are called.
type ByName = FxHashMap<&'static [u8], &'static Language>;

/// Returns the first language of each name.
fn by_name(names: impl Fn(&Language) -> &'static [&'static str]) -> ByName {
    let mut found = ByName::default();
    for &language in LANGUAGES {
        for &name in names(language) {
            found.entry(name.as_bytes()).or_insert(language);
        }
    }
    found
}

/// Returns the language of the interpreter that a text's first line names.
pub fn of_shebang(text: &[u8]) -> Option<&'static Language> {
    let line = text.strip_prefix(b"#!")?;
    let line = &line[..line.len().min(256)];
    let end = line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len());
    let line = std::str::from_utf8(&line[..end]).ok()?;
    let mut words = line.split_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    LANGUAGES.iter().find(|language| language.shebangs.contains(&program)).copied()
}

impl Language {
    /// Returns true if texts of it are programs, not documents, data or styles.
    pub fn is_code(&self) -> bool {
        !matches!(
            self.name,
            "css" | "dockerfile" | "html" | "json" | "markdown" | "scss" | "toml" | "yaml"
        )
    }

    /// Returns true if the name or a folder of `path` says that the file holds tests.
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
