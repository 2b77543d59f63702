//! Imports in blocks of functions of Rust: a `use` is visible only in the block that it is in.

use super::code::FileFacts;
use super::kinds::is_type;
use super::walk::Walk;
use crate::base::ids::FileId;

/// Maximum number of bytes after an import that are searched for the end of its block.
const BLOCK_MAX: usize = 1 << 16;

impl Walk<'_> {
    /// Returns true if an import of Rust is in a block of a function that ends before the resolved use.
    pub(super) fn is_of_other_block(&self, facts: &FileFacts, file: FileId, import: usize) -> bool {
        let origin = self.origin.get().filter(|origin| origin.file == file);
        let (Some(_), Some(start)) = (origin, self.start.get()) else { return false };
        let scope = facts.import_scope(import).filter(|at| {
            let kind = facts.symbols[*at].kind;
            facts.dialect.has_module_paths && kind.is_callable() && !is_type(kind)
        });
        let Some(scope) = scope else { return false };
        let (of, around) = (&facts.imports[import].span, &facts.symbols[scope].span);
        if start < of.end || !around.contains(&start) {
            return false;
        }
        let Some(text) = self.code.text(file) else { return false };
        let end = text.len().min(of.end + BLOCK_MAX).min(start);
        ends_block(text.get(of.end..end).unwrap_or_default())
    }
}

/// Returns true if a text of Rust closes more braces than it opens, at some place, outside of strings,
/// characters and comments. O(bytes).
fn ends_block(text: &[u8]) -> bool {
    let mut level = 0_usize;
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'{' => level += 1,
            b'}' if level == 0 => return true,
            b'}' => level -= 1,
            b'"' => {
                while let Some((&byte, after)) = rest.split_first() {
                    rest = after;
                    match byte {
                        b'\\' => rest = rest.get(1..).unwrap_or_default(),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b'\'' if matches!(rest, [b'{' | b'}', b'\'', ..]) => rest = &rest[2..],
            b'/' if rest.first() == Some(&b'/') => {
                let line = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                rest = &rest[line..];
            }
            b'/' if rest.first() == Some(&b'*') => {
                let comment = rest.windows(2).position(|end| end == b"*/").unwrap_or(rest.len());
                rest = rest.get(comment + 2..).unwrap_or_default();
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::ends_block;

    #[test]
    fn ends_of_blocks_are_found() {
        assert!(ends_block(b"; a { b } } c"));
        assert!(!ends_block(b"; a { b } c"));
        assert!(!ends_block(b"; \"}\" '}' // }\n /* } */ a"));
    }
}
