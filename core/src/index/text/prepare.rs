//! Tokenizes a file: the words of its chunks, field by field. The index and the overlay use the
//! same code.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use super::chunk::{self, Chunk};
use super::length::{Length, Lengths};
use super::{FIELDS, Field};
use crate::base::path::to_path;
use crate::index::extract::Content;
use crate::lang::comments::{CommentSyntax, comments};
use crate::lang::prose::{Stems, is_stop_word};
use crate::lang::words::{identifiers, parts, push_folded};
use crate::lang::{Language, Symbol};

/// Maximum bytes of a chunk that are tokenized. Only extremely long lines exceed it.
const CHUNK_BYTES_MAX: usize = 8 << 10;

/// Maximum bytes of a file that are tokenized.
const FILE_BYTES_MAX: usize = 8 << 20;

/// Extensions of documents, whose whole text is prose.
const DOCUMENTS: &[&str] =
    &["adoc", "asciidoc", "htm", "html", "markdown", "md", "mdx", "org", "rst", "tex", "txt"];

/// A file to index.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// Its repository path.
    pub path: &'a [u8],
    /// The content hash, by which changes are detected.
    pub hash: u128,
    /// The detected language, if any.
    pub language: Option<&'static Language>,
    /// Its symbols. An empty signature is read from the text.
    pub symbols: &'a [Symbol],
    /// Its text. Invalid UTF-8 separates words.
    pub text: &'a [u8],
}

/// The words of a file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Prepared {
    /// Its repository path.
    pub path: Vec<u8>,
    /// The hash of its content.
    pub hash: u128,
    /// Its chunks, in text order.
    pub chunks: Vec<Words>,
    /// Number of lines in no chunk, because there are too many chunks.
    pub lines_left: usize,
    /// All words, each followed by `\n`.
    text: String,
}

/// The words of a chunk.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Words {
    /// The number of lines. The chunk starts where the previous one ends.
    pub lines: u16,
    /// The number of words of each field.
    pub lengths: Lengths,
    /// The range of each field in `Prepared::text`.
    spans: [Range<usize>; FIELDS],
}

impl Prepared {
    /// Returns a file without words, so that the index lists it.
    pub fn without_words(path: &[u8], hash: u128) -> Prepared {
        Prepared { path: path.to_vec(), hash, ..Prepared::default() }
    }

    /// Returns the words of a field of a chunk, each followed by `\n`.
    pub fn field(&self, words: &Words, field: Field) -> &str {
        self.text.get(words.spans[field.index()].clone()).unwrap_or_default()
    }

    /// Returns the approximate memory use in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.text.capacity() + self.chunks.capacity() * size_of::<Words>() + self.path.capacity()
    }
}

/// Prepares one file after another. Each thread has its own.
#[derive(Debug, Default)]
pub struct Preparer {
    stems: Stems,
    folded: String,
}

impl Preparer {
    /// Returns the words of `input`, none if it is not text. Used by the builder and by overlays, so
    /// that both rank alike. O(text).
    pub fn prepare_text(&mut self, input: Input<'_>) -> Prepared {
        let content = Content::of(input.text);
        if content.utf16 || content.nul_at.is_some() {
            return Prepared::without_words(input.path, input.hash);
        }
        self.prepare(input)
    }

    /// Returns the words of `input`. O(text), on any bytes.
    pub fn prepare(&mut self, input: Input<'_>) -> Prepared {
        let text = &input.text[..input.text.len().min(FILE_BYTES_MAX)];
        let symbols = input.symbols;
        let cut = chunk::cut(text, symbols);
        let prose = prose_spans(&input, text);
        let mut prepared = Prepared {
            path: input.path.to_vec(),
            hash: input.hash,
            chunks: Vec::with_capacity(cut.chunks.len()),
            lines_left: cut.lines_left,
            text: String::with_capacity(text.len() / 2),
        };
        let mut out = Out { text: &mut prepared.text, count: 0 };
        self.identifiers(&mut out, input.path, Take::PATH);
        let path = (0..out.text.len(), Length::new(out.count));
        let names = names_by_chunk(symbols, &cut.chunks);
        for (place, chunk) in cut.chunks.iter().enumerate() {
            let own: Vec<&Symbol> = names[place].iter().map(|&symbol| &symbols[symbol]).collect();
            let mut words = Words {
                lines: u16::try_from(chunk.lines.len()).unwrap_or(u16::MAX),
                ..Words::default()
            };
            let end = chunk.bytes.end.min(chunk.bytes.start + CHUNK_BYTES_MAX);
            let body = chunk.bytes.start..end;
            for field in Field::ALL {
                let start = prepared.text.len();
                let mut out = Out { text: &mut prepared.text, count: 0 };
                match field {
                    Field::Path => {
                        words.spans[field.index()] = path.0.clone();
                        words.lengths[field.index()] = path.1;
                        continue;
                    }
                    Field::Name => {
                        for symbol in &own {
                            self.identifiers(&mut out, symbol.name.as_bytes(), Take::NAME);
                        }
                    }
                    Field::Signature => {
                        for symbol in own.iter().filter(|symbol| symbol.kind.is_callable()) {
                            let signature = match input.language {
                                Some(language) if symbol.signature.is_empty() => {
                                    Cow::Owned(symbol.source.signature(language, text))
                                }
                                _ => Cow::Borrowed(symbol.signature.as_str()),
                            };
                            self.identifiers(&mut out, signature.as_bytes(), Take::SIGNATURE);
                        }
                        for symbol in around(symbols, chunk) {
                            self.identifiers(&mut out, symbol.name.as_bytes(), Take::NAME);
                        }
                    }
                    Field::Prose => {
                        for span in overlaps(&prose, &body) {
                            self.prose(&mut out, &text[span]);
                        }
                    }
                    Field::Code => self.code(&mut out, text, &body, &prose),
                }
                let count = out.count;
                words.spans[field.index()] = start..prepared.text.len();
                words.lengths[field.index()] = Length::new(count);
            }
            prepared.chunks.push(words);
        }
        prepared.text.shrink_to_fit();
        prepared
    }

    /// Adds the words of code, without comments.
    fn code(
        &mut self,
        out: &mut Out<'_>,
        text: &[u8],
        body: &Range<usize>,
        prose: &[Range<usize>],
    ) {
        let mut at = body.start;
        for span in overlaps(prose, body) {
            self.identifiers(out, &text[at..span.start.max(at)], Take::CODE);
            at = span.end.max(at);
        }
        self.identifiers(out, &text[at..body.end], Take::CODE);
    }

    /// Adds the words that `take` selects from the identifiers of `text`.
    fn identifiers(&mut self, out: &mut Out<'_>, text: &[u8], take: Take) {
        for span in identifiers(text) {
            let name = std::str::from_utf8(&text[span]).unwrap_or_default();
            let (mut count, start) = (0, out.text.len());
            self.folded.clear();
            for part in parts(name) {
                let at = self.folded.len();
                push_folded(&mut self.folded, part);
                count += 1;
                let folded = &self.folded[at..];
                if is_word(folded) {
                    out.push(self.stems.stem(folded));
                }
            }
            if count == 1 && !take.keywords && is_keyword(&self.folded) {
                out.take_back(start);
            }
            if count > 1 && take.whole && is_word(&self.folded) {
                out.push(&self.folded);
            }
        }
    }

    /// Adds the stems of the words of `text`.
    fn prose(&mut self, out: &mut Out<'_>, text: &[u8]) {
        for span in identifiers(text) {
            let name = std::str::from_utf8(&text[span]).unwrap_or_default();
            for part in parts(name) {
                self.folded.clear();
                push_folded(&mut self.folded, part);
                if is_word(&self.folded) && !is_stop_word(&self.folded) {
                    out.push(self.stems.stem(&self.folded));
                }
            }
        }
    }
}

/// Selects words of an identifier in addition to its parts.
#[derive(Clone, Copy)]
struct Take {
    /// Add the joined parts if there are several: both `parseConfig` and `parse_config` give
    /// `parseconfig`.
    whole: bool,
    /// Keep keywords.
    keywords: bool,
}

impl Take {
    const PATH: Take = Take { whole: false, keywords: true };
    const NAME: Take = Take { whole: true, keywords: true };
    const SIGNATURE: Take = Take { whole: false, keywords: false };
    const CODE: Take = Take { whole: false, keywords: false };
}

/// Collects the words of one field.
struct Out<'a> {
    text: &'a mut String,
    count: u32,
}

impl Out<'_> {
    fn push(&mut self, word: &str) {
        self.text.push_str(word);
        self.text.push('\n');
        self.count += 1;
    }

    /// Removes the word written from `start` on, if any.
    fn take_back(&mut self, start: usize) {
        if self.text.len() > start {
            self.text.truncate(start);
            self.count -= 1;
        }
    }
}

/// Returns true if a lowercase part is indexed: at least two bytes, not only digits.
pub(crate) fn is_word(part: &str) -> bool {
    part.len() > 1 && !part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true if `word` is a keyword that occurs in nearly every chunk of some language, so that
/// its postings would be large and useless for ranking.
pub(super) fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "bool"
            | "break"
            | "case"
            | "char"
            | "class"
            | "const"
            | "continue"
            | "def"
            | "define"
            | "do"
            | "elif"
            | "else"
            | "end"
            | "endif"
            | "export"
            | "extern"
            | "false"
            | "final"
            | "fn"
            | "for"
            | "from"
            | "func"
            | "function"
            | "goto"
            | "if"
            | "ifdef"
            | "impl"
            | "import"
            | "in"
            | "include"
            | "inline"
            | "int"
            | "is"
            | "let"
            | "long"
            | "mut"
            | "new"
            | "nil"
            | "none"
            | "not"
            | "null"
            | "or"
            | "private"
            | "pub"
            | "public"
            | "return"
            | "self"
            | "sizeof"
            | "static"
            | "struct"
            | "switch"
            | "then"
            | "this"
            | "true"
            | "type"
            | "undefined"
            | "unsigned"
            | "use"
            | "val"
            | "var"
            | "void"
            | "while"
    )
}

/// Returns the spans of prose in `text`, ascending and disjoint: all of a document, or the comments
/// and docstrings of a program.
fn prose_spans(input: &Input<'_>, text: &[u8]) -> Vec<Range<usize>> {
    if is_document(&to_path(input.path)) {
        let whole = 0..text.len();
        return vec![whole];
    }
    let marks = input.language.map_or(CommentSyntax::COMMON, |language| CommentSyntax {
        line: language.line_comments,
        block: language.block_comments,
    });
    let mut spans = comments(text, marks);
    let docstrings = input.symbols.iter().filter(|symbol| symbol.source.is_docstring);
    spans.extend(docstrings.flat_map(|symbol| symbol.source.doc.iter().cloned()));
    spans.retain(|span| span.start < span.end && span.end <= text.len());
    spans.sort_by_key(|span| span.start);
    let mut end = 0;
    for span in &mut spans {
        span.start = span.start.max(end);
        end = span.end.max(end);
    }
    spans.retain(|span| span.start < span.end);
    spans
}

fn is_document(path: &Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) => DOCUMENTS.contains(&extension.to_ascii_lowercase().as_str()),
        // README, LICENSE, CONTRIBUTING.
        None => path.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
            name.len() > 3 && name.bytes().all(|byte| byte.is_ascii_uppercase())
        }),
    }
}

/// Returns the intersections of the ascending `spans` with `body`. O(log spans + result).
fn overlaps<'s>(
    spans: &'s [Range<usize>],
    body: &Range<usize>,
) -> impl Iterator<Item = Range<usize>> + use<'s> {
    let (start, end) = (body.start, body.end);
    let first = spans.partition_point(|span| span.end <= start);
    let within = spans[first..].iter().take_while(move |span| span.start < end);
    within.map(move |span| span.start.max(start)..span.end.min(end))
}

/// Returns, for each chunk, the indices of the symbols whose names it contains.
fn names_by_chunk(symbols: &[Symbol], chunks: &[Chunk]) -> Vec<Vec<usize>> {
    let mut names = vec![Vec::new(); chunks.len()];
    for (place, symbol) in symbols.iter().enumerate() {
        let at = symbol.name_span.start;
        let chunk = chunks.partition_point(|chunk| chunk.bytes.end <= at);
        if let Some(names) = names.get_mut(chunk) {
            names.push(place);
        }
    }
    names
}

/// Returns the symbols that begin before the chunk `inside` and end inside or after it, innermost
/// first.
fn around<'s>(symbols: &'s [Symbol], inside: &Chunk) -> impl Iterator<Item = &'s Symbol> + use<'s> {
    let start = inside.bytes.start;
    let behind = symbols.partition_point(|symbol| symbol.span.start < start);
    let nearest = behind.checked_sub(1).map(|place| &symbols[place]);
    std::iter::successors(nearest, move |symbol| symbols.get(symbol.parent?))
        .take(chunk::CHUNKS_MAX)
        .filter(move |symbol| symbol.span.end > start)
}
