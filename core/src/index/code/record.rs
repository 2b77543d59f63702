//! Encoding of a file's facts: its symbols, its package and its imports.
//!
//! Strings are stored as their numbers in the string pool of the segment. Signatures and
//! documentation are stored as spans only, because the file itself is read before any of it is
//! shown.

use std::ops::Range;

use crate::base::varint::{ByteReader, put, put_signed};
use crate::lang::chain::stored;
use crate::lang::facts::{Chain, Import, ImportKind, ImportedName};
use crate::lang::symbols::{Symbol, SymbolKind, SymbolSource, Visibility};

/// Assigns numbers to strings while a segment is built.
pub(super) trait Numbers {
    /// Returns the number of a string.
    fn number(&mut self, text: &str) -> u32;
}

/// Resolves the numbers of strings.
pub(super) trait Texts {
    /// Returns the string with this number.
    fn text(&self, number: u32) -> Option<String>;
}

const VISIBILITIES: [Visibility; 4] =
    [Visibility::Public, Visibility::Internal, Visibility::Protected, Visibility::Private];

/// Flags of a symbol. The bits from `BASES` on are the number of its bases.
const MULTILINE: u64 = 1;
const DOCSTRING: u64 = 2;
const TYPED: u64 = 4;
const OWN_SCOPE: u64 = 8;
const NAME_CUT: u64 = 16;
const BASES: u32 = 5;

/// Appends the encoded symbols of a file.
pub(super) fn put_symbols(out: &mut Vec<u8>, symbols: &[Symbol], numbers: &mut dyn Numbers) {
    let (mut start, mut line) = (0, 0);
    for (place, symbol) in symbols.iter().enumerate() {
        let kind = SymbolKind::ALL.iter().position(|kind| *kind == symbol.kind).unwrap_or(0);
        let visibility = VISIBILITIES.iter().position(|v| *v == symbol.visibility).unwrap_or(0);
        let scope = symbol.qualified_name.strip_suffix(symbol.name.as_str());
        let source = &symbol.source;
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        let has_own_scope = symbol.scope != symbol.qualified_name;
        let flags = flag(source.is_multiline, MULTILINE)
            | flag(source.is_docstring, DOCSTRING)
            | flag(symbol.type_chain.is_some(), TYPED)
            | flag(has_own_scope, OWN_SCOPE)
            | flag(scope.is_none(), NAME_CUT)
            | (symbol.bases.len() as u64) << BASES;
        put(out, u64::from(numbers.number(&symbol.name)));
        out.push((kind | visibility << 5) as u8);
        put(out, flags);
        put(out, u64::from(numbers.number(scope.unwrap_or(&symbol.qualified_name))));
        if let Some(chain) = &symbol.type_chain {
            put(out, u64::from(numbers.number(stored::text(chain))));
        }
        if has_own_scope {
            put(out, u64::from(numbers.number(&symbol.scope)));
        }
        for base in &symbol.bases {
            put(out, u64::from(numbers.number(stored::text(base))));
        }
        put(out, symbol.parent.map_or(0, |parent| (place - parent) as u64));
        put(out, ordinal(symbol));
        put_signed(out, symbol.span.start as i64 - start);
        put(out, symbol.span.len() as u64);
        put_signed(out, symbol.name_span.start as i64 - symbol.span.start as i64);
        put(out, symbol.name_span.len() as u64);
        put_signed(out, symbol.line as i64 - line);
        put(out, symbol.end_line.saturating_sub(symbol.line) as u64);
        put_signed(out, source.signature.start as i64 - symbol.span.start as i64);
        put(out, source.signature.len() as u64);
        put(out, source.doc.len() as u64);
        let mut at = symbol.span.start as i64;
        for span in &source.doc {
            put_signed(out, span.start as i64 - at);
            put(out, span.len() as u64);
            at = span.end as i64;
        }
        start = symbol.span.start as i64;
        line = symbol.line as i64;
    }
}

fn ordinal(symbol: &Symbol) -> u64 {
    symbol.id.rsplit_once('#').and_then(|(_, ordinal)| ordinal.parse().ok()).unwrap_or(0)
}

/// A decoded symbol whose strings are still numbers.
struct Record {
    name: u32,
    code: u8,
    flags: u64,
    scope: u32,
    type_chain: Option<u32>,
    own_scope: Option<u32>,
    bases: Vec<u32>,
    parent: Option<usize>,
    ordinal: u64,
    span: Range<usize>,
    name_span: Range<usize>,
    line: usize,
    end_line: usize,
    signature: Range<usize>,
    doc: Vec<Range<usize>>,
}

/// Decodes the records of a file's symbols in order.
struct Records<'a> {
    input: ByteReader<'a>,
    bytes: usize,
    place: usize,
    start: i64,
    line: i64,
    /// The nesting depth of each symbol read so far.
    depths: Vec<u32>,
}

impl Records<'_> {
    fn new(bytes: &[u8]) -> Records<'_> {
        let (input, depths) = (ByteReader::new(bytes), Vec::new());
        Records { input, bytes: bytes.len(), place: 0, start: 0, line: 0, depths }
    }

    /// Decodes the next record, or returns `None` if the bytes are damaged.
    fn next(&mut self) -> Option<Record> {
        let Records { input, bytes, place, start, line, depths } = self;
        let name = input.read_u32()?;
        let code = *input.read_bytes(1)?.first()?;
        let flags = input.read_u64()?;
        let scope = input.read_u32()?;
        let has = |flag: u64| flags & flag != 0;
        let type_chain = if has(TYPED) { Some(input.read_u32()?) } else { None };
        let own_scope = if has(OWN_SCOPE) { Some(input.read_u32()?) } else { None };
        let bases = (flags >> BASES).min(*bytes as u64);
        let bases: Option<Vec<u32>> = (0..bases).map(|_| input.read_u32()).collect();
        let parent = match input.read_len()? {
            0 => None,
            back => Some(place.checked_sub(back)?),
        };
        let ordinal = input.read_u64()?;
        *start = start.checked_add(input.read_i64()?)?;
        let span = range(*start, input.read_len()?)?;
        let name_start = start.checked_add(input.read_i64()?)?;
        let name_span = range(name_start, input.read_len()?)?;
        *line = line.checked_add(input.read_i64()?)?;
        let first_line = usize::try_from(*line).ok()?;
        let end_line = first_line.checked_add(input.read_len()?)?;
        let signature_start = start.checked_add(input.read_i64()?)?;
        let signature = range(signature_start, input.read_len()?)?;
        let docs = input.read_len()?;
        let mut doc = Vec::with_capacity(docs.min(64));
        let mut at = *start;
        for _ in 0..docs {
            let span = range(at.checked_add(input.read_i64()?)?, input.read_len()?)?;
            at = i64::try_from(span.end).ok()?;
            doc.push(span);
        }
        depths.push(parent.map_or(0, |parent| depths[parent] + 1));
        *place += 1;
        Some(Record {
            name,
            code,
            flags,
            scope,
            type_chain,
            own_scope,
            bases: bases?,
            parent,
            ordinal,
            span,
            name_span,
            line: first_line,
            end_line,
            signature,
            doc,
        })
    }
}

impl Record {
    /// Returns the symbol, which is nested `depth` levels deep in the file at `path`.
    fn symbol(self, depth: u32, path: &str, texts: &dyn Texts) -> Option<Symbol> {
        let has = |flag: u64| self.flags & flag != 0;
        let text = |number: Option<u32>| match number {
            Some(number) => texts.text(number).map(Some),
            None => Some(None),
        };
        let name = texts.text(self.name)?;
        let scope = texts.text(self.scope)?;
        let type_chain = text(self.type_chain)?.map(stored::chain);
        let own_scope = text(self.own_scope)?;
        let bases = self.bases.iter().map(|&base| texts.text(base).map(stored::chain));
        let bases: Option<Vec<Chain>> = bases.collect();
        let qualified_name = if has(NAME_CUT) { scope } else { scope + &name };
        let Record { signature, doc, ordinal, .. } = self;
        Some(Symbol {
            id: format!("{path}#{qualified_name}#{ordinal}"),
            kind: *SymbolKind::ALL.get(usize::from(self.code & 31))?,
            visibility: *VISIBILITIES.get(usize::from(self.code >> 5))?,
            span: self.span,
            name_span: self.name_span,
            line: self.line,
            end_line: self.end_line,
            signature: String::new(),
            doc: None,
            parent: self.parent,
            depth: depth as usize,
            type_chain,
            bases: bases?,
            source: SymbolSource {
                signature,
                is_multiline: has(MULTILINE),
                doc,
                is_docstring: has(DOCSTRING),
            },
            scope: own_scope.unwrap_or_else(|| qualified_name.clone()),
            name,
            qualified_name,
        })
    }
}

/// Returns the `count` symbols of the file at `path`, without signatures and documentation, or
/// `None` if the bytes are damaged.
pub(super) fn symbols(
    bytes: &[u8],
    count: usize,
    path: &str,
    texts: &dyn Texts,
) -> Option<Vec<Symbol>> {
    let mut records = Records::new(bytes);
    let mut symbols = Vec::with_capacity(count.min(bytes.len()));
    for place in 0..count {
        let record = records.next()?;
        symbols.push(record.symbol(records.depths[place], path, texts)?);
    }
    Some(symbols)
}

/// Returns only the symbol with index `place`, see [`symbols`]. O(place).
pub(super) fn symbol(bytes: &[u8], place: usize, path: &str, texts: &dyn Texts) -> Option<Symbol> {
    let mut records = Records::new(bytes);
    for _ in 0..place {
        records.next()?;
    }
    let record = records.next()?;
    record.symbol(records.depths[place], path, texts)
}

fn range(start: i64, len: usize) -> Option<Range<usize>> {
    let start = usize::try_from(start).ok()?;
    Some(start..start.checked_add(len)?)
}

/// Appends the encoded package and imports of a file.
pub(super) fn put_imports(
    out: &mut Vec<u8>,
    package: Option<&str>,
    imports: &[Import],
    numbers: &mut dyn Numbers,
) {
    put(out, package.map_or(0, |package| u64::from(numbers.number(package)) + 1));
    put(out, imports.len() as u64);
    let (mut start, mut line) = (0, 0);
    for import in imports {
        let kind = ImportKind::ALL.iter().position(|kind| *kind == import.kind).unwrap_or(0);
        out.push(kind as u8);
        put(out, u64::from(numbers.number(&import.module)));
        put_signed(out, import.span.start as i64 - start);
        put(out, import.span.len() as u64);
        put_signed(out, import.line as i64 - line);
        put(out, import.names.len() as u64);
        for name in &import.names {
            put(out, u64::from(numbers.number(&name.name)));
            put(out, u64::from(numbers.number(&name.alias)));
        }
        start = import.span.start as i64;
        line = import.line as i64;
    }
}

/// Returns the package and the imports of a file, or `None` if the bytes are damaged.
pub(super) fn imports(bytes: &[u8], texts: &dyn Texts) -> Option<(Option<String>, Vec<Import>)> {
    let mut input = ByteReader::new(bytes);
    let package = match input.read_u32()? {
        0 => None,
        number => Some(texts.text(number - 1)?),
    };
    let count = input.read_len()?;
    let mut imports = Vec::with_capacity(count.min(bytes.len()));
    let (mut start, mut line) = (0_i64, 0_i64);
    for _ in 0..count {
        let kind = *ImportKind::ALL.get(usize::from(*input.read_bytes(1)?.first()?))?;
        let module = texts.text(input.read_u32()?)?;
        start = start.checked_add(input.read_i64()?)?;
        let span = range(start, input.read_len()?)?;
        line = line.checked_add(input.read_i64()?)?;
        let names = input.read_len()?;
        let mut bound = Vec::with_capacity(names.min(bytes.len()));
        for _ in 0..names {
            let name = texts.text(input.read_u32()?)?;
            bound.push(ImportedName { name, alias: texts.text(input.read_u32()?)? });
        }
        let line = usize::try_from(line).ok()?;
        imports.push(Import { span, line, kind, module, names: bound });
    }
    Some((package, imports))
}
