//! Bodies of Kotlin's types that are on one line.
//!
//! ```text
//! class Cat : Animal() { override fun sound() = "meow" }
//! ```
//!
//! The grammar expects a line end or a `;` after the last member, and takes the body for a lambda
//! otherwise: two such types lose the rest of the file. So the space before the `}` is masked by a `;`.

use crate::lang::grammars::blank::after_literal;

/// Words that begin the head of a type.
const KINDS: &[&[u8]] = &[b"class", b"interface", b"object"];

/// The word that begins members only: of types and of enumerators (`RED { override … }`).
const MEMBER: &[u8] = b"override ";

/// An open brace.
struct Brace {
    at: usize,
    /// It opens the body of a type.
    is_body: bool,
}

/// Masks the ends of bodies in `masked`, which has the length of `text`. O(bytes).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    // The open braces of the current line, and the start of the current statement.
    let (mut open, mut start): (Vec<Brace>, usize) = (Vec::new(), 0);
    let mut at = 0;
    while at < text.len() {
        let after = after_literal(text, at);
        if after > at {
            if text[at..after].contains(&b'\n') {
                open.clear();
                start = after;
            }
            at = after;
            continue;
        }
        match text[at] {
            b'\n' => {
                open.clear();
                start = at + 1;
            }
            b';' => start = at + 1,
            b'{' => {
                open.push(Brace { at, is_body: is_head(&text[start..at]) });
                start = at + 1;
            }
            b'}' => {
                let is_body = open.pop().is_some_and(|brace| {
                    let content = text[brace.at + 1..at].trim_ascii();
                    content.starts_with(MEMBER) || brace.is_body && !content.is_empty()
                });
                if is_body && matches!(text[at - 1], b' ' | b'\t') {
                    masked[at - 1] = b';';
                }
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns true for the head of a type: it has a word such as `class`, which is no reference
/// (`A::class`).
fn is_head(head: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut before = 0;
    head.split(|byte| !is_word(byte)).any(|word| {
        let start = before;
        before += word.len() + 1;
        KINDS.contains(&word) && !head[..start].ends_with(b":")
    })
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        super::mask(text.as_bytes(), &mut masked);
        assert_eq!(String::from_utf8_lossy(&masked), expected);
    }

    #[test]
    fn the_space_before_the_end_of_a_body_is_masked() {
        check("class A { val x = 1 }\nclass B { }", "class A { val x = 1;}\nclass B { }");
        check("object A : B(\"}\") { fun f() {} } // }", "object A : B(\"}\") { fun f() {};} // }");
        check("val a = object : B { fun f() = '}' }", "val a = object : B { fun f() = '}';}");
        check("A { override fun f() = 1 },", "A { override fun f() = 1;},");
        check(
            "class A { companion object { fun f() } }",
            "class A { companion object { fun f();};}",
        );
    }

    #[test]
    fn other_braces_stay_as_they_are() {
        let texts = [
            "fun f() { val x = 1 }",
            "fun f() { g(A::class) { it } }",
            "class A {\n  val x = 1 }",
            "/* class A { val x = 1 } */ val s = \"class A { x }\"",
            "val s = \"\"\"class A {\n val x }\n\"\"\"",
            "class A {",
            "}",
        ];
        texts.iter().for_each(|text| check(text, text));
    }
}
