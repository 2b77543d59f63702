//! Encoding of all facts of one file, for a process that receives them from the one that parsed it.
//!
//! ```text
//! facts := len strings | len problems | errors | package and imports | symbols | references
//! ```
//!
//! Package, imports and symbols are encoded as in a segment ([`super::record`]), each after the length
//! of its bytes. As there, signatures and documentation are omitted.

use super::builder::Interner;
use super::record::{self, Numbers, Texts};
use crate::base::varint::{ByteReader, put, put_signed};
use crate::lang::chain::stored;
use crate::lang::facts::{Facts, Import, Reference, Role};
use crate::lang::parse::{Problem, Problems};
use crate::lang::symbols::Symbol;
use crate::lang::syntax_errors::SyntaxErrors;

/// Bits of a reference's role; the higher bits are the number of arguments plus one, or 0.
const ROLE_BITS: u32 = 3;

/// Appends the encoded facts. O(facts).
pub fn put_facts(out: &mut Vec<u8>, facts: &Facts) {
    let mut pool = Interner::default();
    let mut body = Vec::new();
    put(&mut body, facts.problems.len() as u64);
    for (problem, count) in &facts.problems {
        put(&mut body, *problem as u64);
        put(&mut body, *count);
    }
    put_errors(&mut body, &facts.errors);
    let mut part = Vec::new();
    record::put_imports(&mut part, facts.package.as_deref(), &facts.imports, &mut pool);
    put_bytes(&mut body, &part);
    part.clear();
    record::put_symbols(&mut part, &facts.symbols, &mut pool);
    put(&mut body, facts.symbols.len() as u64);
    put_bytes(&mut body, &part);
    put_references(&mut body, &facts.references, &mut pool);
    put(out, pool.ends.len() as u64);
    let mut start = 0;
    for &end in &pool.ends {
        put_bytes(out, &pool.bytes[start..end as usize]);
        start = end as usize;
    }
    out.append(&mut body);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_errors(out: &mut Vec<u8>, errors: &SyntaxErrors) {
    put(out, errors.first_line as u64);
    put(out, errors.spans.len() as u64);
    let mut end = 0;
    for span in &errors.spans {
        put(out, (span.start - end) as u64);
        put(out, span.len() as u64);
        end = span.end;
    }
}

fn put_references(out: &mut Vec<u8>, references: &[Reference], numbers: &mut dyn Numbers) {
    put(out, references.len() as u64);
    let mut start = 0;
    for reference in references {
        let role = Role::ALL.iter().position(|role| *role == reference.role).unwrap_or(0) as u64;
        let arguments = reference.arguments.map_or(0, |count| u64::from(count) + 1);
        let receiver = reference.receiver.as_ref();
        put_signed(out, reference.span.start as i64 - start);
        put(out, reference.span.len() as u64);
        put(out, role | arguments << ROLE_BITS);
        put(out, receiver.map_or(0, |chain| u64::from(numbers.number(stored::text(chain))) + 1));
        put(out, reference.enclosing.map_or(0, |place| place as u64 + 1));
        start = reference.span.start as i64;
    }
}

/// The strings of encoded facts.
struct Strings<'a>(Vec<&'a str>);

impl Texts for Strings<'_> {
    fn text(&self, number: u32) -> Option<String> {
        self.0.get(number as usize).map(|&text| text.to_owned())
    }
}

/// Returns the facts of the file at `path`, whose text has `len` bytes; `None` if the bytes are not
/// facts of such a text. O(bytes).
pub fn facts(bytes: &[u8], path: &str, len: usize) -> Option<Facts> {
    let mut input = ByteReader::new(bytes);
    let count = input.read_len()?;
    let mut strings = Strings(Vec::with_capacity(count.min(bytes.len())));
    for _ in 0..count {
        strings.0.push(std::str::from_utf8(read_part(&mut input)?).ok()?);
    }
    let mut problems = Problems::new();
    for _ in 0..input.read_len()? {
        let problem = *Problem::ALL.get(input.read_len()?)?;
        problems.insert(problem, input.read_u64()?);
    }
    let errors = errors(&mut input)?;
    let (package, imports) = record::imports(read_part(&mut input)?, &strings)?;
    let count = input.read_len()?;
    let symbols = record::symbols(read_part(&mut input)?, count, path, &strings)?;
    let references = references(&mut input, &strings, symbols.len())?;
    let facts = Facts { symbols, references, imports, package, problems, errors };
    (input.is_empty() && is_within(&facts, len)).then_some(facts)
}

fn read_part<'a>(input: &mut ByteReader<'a>) -> Option<&'a [u8]> {
    let len = input.read_len()?;
    input.read_bytes(len)
}

fn errors(input: &mut ByteReader<'_>) -> Option<SyntaxErrors> {
    let first_line = input.read_len()?;
    let count = input.read_len()?;
    let mut spans = Vec::with_capacity(count.min(input.rest().len()));
    let mut end = 0_usize;
    for _ in 0..count {
        let start = end.checked_add(input.read_len()?)?;
        end = start.checked_add(input.read_len()?)?;
        spans.push(start..end);
    }
    Some(SyntaxErrors { first_line, spans })
}

fn references(
    input: &mut ByteReader<'_>,
    texts: &dyn Texts,
    symbols: usize,
) -> Option<Vec<Reference>> {
    let count = input.read_len()?;
    let mut references = Vec::with_capacity(count.min(input.rest().len()));
    let mut start = 0_i64;
    for _ in 0..count {
        start = start.checked_add(input.read_i64()?)?;
        let first = usize::try_from(start).ok()?;
        let span = first..first.checked_add(input.read_len()?)?;
        let role = input.read_u64()?;
        let arguments = match role >> ROLE_BITS {
            0 => None,
            count => Some(u8::try_from(count - 1).ok()?),
        };
        let role = *Role::ALL.get((role & ((1 << ROLE_BITS) - 1)) as usize)?;
        let receiver = match input.read_u32()? {
            0 => None,
            number => Some(stored::chain(texts.text(number - 1)?)),
        };
        let enclosing = match input.read_len()? {
            0 => None,
            place => Some(place - 1).filter(|&place| place < symbols).map(Some)?,
        };
        references.push(Reference { span, role, receiver, enclosing, arguments });
    }
    Some(references)
}

/// Returns true if all spans are inside a text of `len` bytes.
fn is_within(facts: &Facts, len: usize) -> bool {
    let symbol = |of: &Symbol| {
        let source = &of.source;
        let ends = [of.span.end, of.name_span.end, source.signature.end];
        ends.iter().chain(source.doc.iter().map(|span| &span.end)).all(|&end| end <= len)
    };
    facts.symbols.iter().all(symbol)
        && facts.errors.spans.last().is_none_or(|span| span.end <= len)
        && facts.imports.iter().all(|import: &Import| import.span.end <= len)
        && facts.references.iter().all(|reference| reference.span.end <= len)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::lang::{self, Limits, language};

    const TEXT: &str = "\
package shop; import java.util.List; import static a.B.*;
/** A cart. */
class Cart extends Base<Item> implements Priced {
  private List<Item> items = new ArrayList<>();
  int total(int tax) { return this.items.stream().map(i -> i.price(tax, 1)).sum(); }
  int total() { return total(0); }
}
} }
";

    fn parsed() -> Facts {
        let language = language::of_path(Path::new("Cart.java")).expect("a language");
        lang::facts(language, "Cart.java", TEXT.as_bytes(), Limits::DEFAULT)
    }

    #[test]
    fn facts_survive_without_signatures_and_documentation() {
        let mut expected = parsed();
        let mut bytes = Vec::new();
        put_facts(&mut bytes, &expected);
        let found = facts(&bytes, "Cart.java", TEXT.len()).expect("facts");
        assert!(expected.references.len() > 8 && expected.imports.len() == 2);
        assert!(!expected.problems.is_empty() && !expected.errors.spans.is_empty());
        for symbol in &mut expected.symbols {
            symbol.signature.clear();
            symbol.doc = None;
        }
        assert_eq!(found, expected);
        assert_eq!(facts(&bytes, "Cart.java", 40), None, "spans outside of the text");
        bytes.push(0);
        assert_eq!(facts(&bytes, "Cart.java", TEXT.len()), None, "more bytes");
    }

    proptest! {
        #[test]
        fn damaged_bytes_are_refused_or_in_bounds(at in 0usize..2000, byte: u8, cut in 0usize..2000) {
            let mut bytes = Vec::new();
            put_facts(&mut bytes, &parsed());
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(bytes.len() - cut % 4 * (cut % bytes.len()) / 4);
            if let Some(facts) = facts(&bytes, "Cart.java", TEXT.len()) {
                prop_assert!(is_within(&facts, TEXT.len()));
            }
        }
    }
}
