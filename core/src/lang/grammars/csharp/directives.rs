//! Blanks out `#if` and the directives that belong to it. The grammar parses them only between whole
//! statements and declarations, while programs write them in lists of bases, in conditions, around an
//! `else` and around one of several heads; a class then ends, for the parser, at such a place.
//!
//! All branches remain, since which one is compiled is not known: statements and declarations follow
//! each other, and values are joined by `|`. Only where branches have a head each for one body, the
//! first one remains.
//!
//! The sign of a dereference before a cast or a sum is blanked out, too: `*(byte*)(p + n)`, which the
//! grammar does not parse.

use crate::lang::grammars::blank::blank;

/// The most directives `#if` that contain each other; in deeper ones the branches are not compared, so
/// that a text is masked in O(text).
const DEPTH_MAX: usize = 32;

/// The most tokens after `#endif` that are searched for one outside of directives and heads.
const AFTER_MAX: usize = 256;

/// Words that begin a statement, of which more can follow each other before one body.
const STATEMENTS: &[&[u8]] = &[
    b"catch",
    b"checked",
    b"do",
    b"else",
    b"finally",
    b"fixed",
    b"for",
    b"foreach",
    b"if",
    b"lock",
    b"switch",
    b"try",
    b"unchecked",
    b"unsafe",
    b"using",
    b"while",
];

/// Tokens that continue what the branch before begins.
const CONTINUATIONS: &[&[u8]] = &[
    b"&&", b"&", b")", b"*", b"+", b",", b"-", b".", b"/", b":", b"<", b"=", b"==", b">", b"?",
    b"?.", b"??", b"|", b"||", b"}",
];

/// Tokens after which another statement, declaration or element can begin.
const ENDS: &[&[u8]] = &[b",", b":", b";", b"]", b"{", b"}"];

/// Signs and words after which a value begins.
const BEFORE_VALUES: &[&[u8]] = &[
    b"!", b"!=", b"&&", b"(", b"+", b",", b"-", b"/", b":", b";", b"<", b"=", b"==", b"=>", b">",
    b"?", b"??", b"[", b"return", b"{", b"|", b"||", b"}",
];

/// A word, a sign or a directive.
struct Token {
    start: usize,
    end: usize,
    kind: Kind,
    /// It is blanked out.
    is_blank: bool,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Kind {
    Code,
    If,
    /// `#elif` or `#else`.
    Else,
    End,
}

/// Returns the text without directives `#if`, `#elif`, `#else` and `#endif`, and without signs of
/// dereferences before parentheses. O(text).
pub(super) fn mask(text: &[u8]) -> Vec<u8> {
    let mut masked = text.to_vec();
    let may_dereference = |at: usize| text[at + 1..].trim_ascii_start().first() == Some(&b'(');
    if memchr::memchr_iter(b'*', text).any(may_dereference) {
        blank_dereferences(text, &mut masked);
    }
    let is_conditional = |line: &[u8]| {
        let line = line.trim_ascii_start();
        line.starts_with(b"#") && directive(line) == Some(Kind::If)
    };
    if !text.split(|&byte| byte == b'\n').any(is_conditional) {
        return masked;
    }
    let mut tokens = tokens(text);
    // The directives of each `#if` that is still open.
    let mut open: Vec<Vec<usize>> = Vec::new();
    for at in 0..tokens.len() {
        match (tokens[at].kind, open.last_mut()) {
            (Kind::If, _) => open.push(vec![at]),
            (Kind::Else, Some(of)) => of.push(at),
            (Kind::End, Some(of)) => {
                of.push(at);
                for &directive in of.iter() {
                    blank(&mut masked[tokens[directive].start..tokens[directive].end]);
                }
                let directives = open.pop().unwrap_or_default();
                if open.len() < DEPTH_MAX && directives.len() > 2 {
                    join(text, &mut masked, &mut tokens, &directives);
                }
            }
            _ => {}
        }
    }
    masked
}

/// Blanks out each `*` that dereferences a value in parentheses: it follows a sign or word after which no
/// operator can stand.
fn blank_dereferences(text: &[u8], masked: &mut [u8]) {
    let tokens = tokens(text);
    let word = |at: usize| tokens.get(at).map_or(&b""[..], |token| &text[token.start..token.end]);
    for at in 0..tokens.len() {
        let is_dereference = word(at) == b"*"
            && word(at + 1) == b"("
            && at > 0
            && BEFORE_VALUES.contains(&word(at - 1));
        if is_dereference {
            blank(&mut masked[tokens[at].start..tokens[at].end]);
        }
    }
}

/// Makes the branches between `directives` one text that the grammar can parse.
fn join(text: &[u8], masked: &mut [u8], tokens: &mut [Token], directives: &[usize]) {
    let word = |token: &Token| &text[token.start..token.end];
    let is_code = |token: &Token| token.kind == Kind::Code && !token.is_blank;
    let end = directives[directives.len() - 1];
    let after = tokens[end..].iter().take(AFTER_MAX).find(|token| is_code(token)).map(word);
    let after = after.unwrap_or_default();
    let before = directives[0].checked_sub(1).map(|at| word(&tokens[at])).unwrap_or_default();
    let takes_value = matches!(before, b"=>" | b"=" | b"return");
    let is_word = |word: &[u8]| word.first().is_some_and(|&byte| is_part_of_word(byte));
    let (mut level, mut last) = (None, None);
    for branch in directives.windows(2) {
        let (from, to) = (branch[0] + 1, branch[1]);
        let own: Vec<usize> = (from..to).filter(|&at| is_code(&tokens[at])).collect();
        let Some(&first) = own.first() else { continue };
        let opened = level_of(text, tokens, &own);
        let (Some(left), Some(level)) = (last.replace(own[own.len() - 1]), level) else {
            level = Some(opened);
            continue;
        };
        let (left_word, right) = (word(&tokens[left]), word(&tokens[first]));
        let continues = STATEMENTS.contains(&right) || CONTINUATIONS.contains(&right);
        let is_torn = opened != 0 && opened == level;
        let ends = continues || ENDS.contains(&left_word);
        let has_body = matches!(after, b"{" | b"=>" | b"where");
        if is_torn && continues {
            // Each branch opens or closes the same blocks.
            for at in unmatched(text, tokens, &own) {
                blank(&mut masked[tokens[at].start..tokens[at].end]);
                tokens[at].is_blank = true;
            }
        } else if is_torn || !ends && (has_body || is_word(left_word) && is_word(after)) {
            // A head, or a word of one.
            blank(&mut masked[tokens[from - 1].start..tokens[to].start]);
            own.iter().for_each(|&at| tokens[at].is_blank = true);
            last = Some(left);
        } else if left_word == b";" && takes_value {
            blank(&mut masked[tokens[left].start..tokens[left].end]);
            tokens[left].is_blank = true;
            masked[tokens[from - 1].start] = b'|';
        } else if !ends {
            masked[tokens[from - 1].start] = b'|';
        }
    }
}

/// Returns how many more braces some tokens open than they close.
fn level_of(text: &[u8], tokens: &[Token], own: &[usize]) -> isize {
    let of = |&at: &usize| match &text[tokens[at].start..tokens[at].end] {
        b"{" => 1,
        b"}" => -1,
        _ => 0,
    };
    own.iter().map(of).sum()
}

/// Returns those of some tokens that are braces without their counterpart.
fn unmatched(text: &[u8], tokens: &[Token], own: &[usize]) -> Vec<usize> {
    let (mut open, mut found) = (Vec::new(), Vec::new());
    for &at in own {
        match &text[tokens[at].start..tokens[at].end] {
            b"{" => open.push(at),
            b"}" if open.pop().is_none() => found.push(at),
            _ => {}
        }
    }
    found.extend(open);
    found
}

/// Returns the tokens of a text, without comments and other directives. A string is one token, except
/// that one with strings in its holes may be several.
fn tokens(text: &[u8]) -> Vec<Token> {
    let mut found = Vec::new();
    let (mut at, mut is_line_start) = (0, true);
    while at < text.len() {
        let rest = &text[at..];
        let len = match rest[0] {
            b'\n' => {
                is_line_start = true;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += line_len(rest);
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                at += position(&rest[2..], b"*/").map_or(rest.len(), |end| end + 4);
                continue;
            }
            b'#' if is_line_start => line_len(rest),
            _ => token_len(rest),
        };
        let kind =
            if rest[0] == b'#' && is_line_start { directive(rest) } else { Some(Kind::Code) };
        is_line_start = false;
        found.extend(kind.map(|kind| Token { start: at, end: at + len, kind, is_blank: false }));
        at += len;
    }
    found
}

/// Returns the kind of the directive at the start of a text; `None` for another one than those of `#if`.
fn directive(text: &[u8]) -> Option<Kind> {
    let name = text[1..].trim_ascii_start();
    let len = name.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    match &name[..len] {
        b"if" => Some(Kind::If),
        b"elif" | b"else" => Some(Kind::Else),
        b"endif" => Some(Kind::End),
        _ => None,
    }
}

/// Returns the length of the token at the start of a text, at least 1.
fn token_len(text: &[u8]) -> usize {
    let prefix = text.iter().take_while(|byte| matches!(byte, b'@' | b'$')).count();
    if text.get(prefix) == Some(&b'"') {
        return prefix + string_len(&text[prefix..], text[..prefix].contains(&b'@'));
    }
    match text[0] {
        b'\'' => match text {
            [_, b'\\', ..] => {
                let end = text.iter().skip(3).take(10).position(|&byte| byte == b'\'');
                end.map_or(1, |end| end + 4)
            }
            [_, _, b'\'', ..] => 3,
            _ => 1,
        },
        byte if is_part_of_word(byte) => {
            text.iter().take_while(|&&byte| is_part_of_word(byte)).count()
        }
        _ => {
            let pairs: [&[u8]; 6] = [b"&&", b"||", b"??", b"?.", b"=>", b"=="];
            if pairs.iter().any(|pair| text.starts_with(pair)) { 2 } else { 1 }
        }
    }
}

/// Returns the length of the string at the start of a text, which begins with its first quote.
fn string_len(text: &[u8], is_verbatim: bool) -> usize {
    let quotes = text.iter().take_while(|&&byte| byte == b'"').count();
    if quotes >= 3 && !is_verbatim {
        // A raw string ends with as many quotes as it begins with.
        let end = position(&text[quotes..], &text[..quotes]);
        return end.map_or(text.len(), |end| end + 2 * quotes);
    }
    let mut at = 1;
    while at < text.len() {
        match (text[at], is_verbatim) {
            (b'"', true) if text.get(at + 1) == Some(&b'"') => at += 2,
            (b'"', _) => return at + 1,
            (b'\\', false) => at += 2,
            (b'\n', false) => return at,
            _ => at += 1,
        }
    }
    text.len()
}

fn is_part_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn line_len(text: &[u8]) -> usize {
    text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len())
}

fn position(text: &[u8], of: &[u8]) -> Option<usize> {
    text.windows(of.len()).position(|window| window == of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words of a masked text.
    fn words(text: &str) -> String {
        let masked = String::from_utf8(mask(text.as_bytes())).expect("valid UTF-8");
        assert_eq!(masked.len(), text.len());
        assert_eq!(masked.matches('\n').count(), text.matches('\n').count());
        masked.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn branches_become_one_text() {
        assert_eq!(words("class A : B\n#if X\n, C\n#endif\n{ }"), "class A : B , C { }");
        assert_eq!(
            words("if (a) { }\n  #if X\nelse if (b) { }\n#endif\nelse { }"),
            "if (a) { } else if (b) { } else { }"
        );
        assert_eq!(
            words("return\n#if X\nf();\n#else // no\ng();\n#endif\n}"),
            "return f() | g(); }"
        );
        assert_eq!(words("f(\n#if X\na\n#else\nb\n#endif\n);"), "f( a | b );");
        assert_eq!(words("x\n#if X\n.A()\n#else\n.B()\n#endif\n;"), "x .A() .B() ;");
        assert_eq!(
            words("#if X\nvoid F(int a)\n#else\nvoid F(long a)\n#endif\n{ }"),
            "void F(int a) { }"
        );
        assert_eq!(words("#if X\nclass A : B {\n#else\nclass A {\n#endif\n}"), "class A : B { }");
        assert_eq!(
            words("#if X\nusing (f()) {\n#else\nusing (g()) {\n#endif\nh(); }"),
            "using (f()) { using (g()) h(); }"
        );
        assert_eq!(
            words("#if X\nvoid F() { }\n#elif Y\nvoid G() { }\n#endif"),
            "void F() { } void G() { }"
        );
        assert_eq!(
            words("s = @\"\n#if \"\"\n\"; #region r\n#if A\nt();\n#endif\n"),
            "s = @\" #if \"\" \"; #region r t();"
        );
        assert_eq!(words("#if A\n#if B\nx\n#else\ny\n#endif\n+ z\n#endif\n;"), "x | y + z ;");
        assert_eq!(words("#else\na\n#endif\n#if"), "#else a #endif #if");
        assert_eq!(words("while (*(byte*)(p + n) != 0) n++;"), "while ( (byte*)(p + n) != 0) n++;");
        assert_eq!(words("x = a *(b); f((T*)(p), *(p + 1));"), "x = a *(b); f((T*)(p), (p + 1));");
    }

    /// The branches of nested directives were read again for each of them.
    #[test]
    fn deep_directives_take_linear_time() {
        let text =
            format!("{}x\n{}", "#if A\ny\n#else\n".repeat(20_000), "#endif\n".repeat(20_000));
        let before = std::time::Instant::now();
        assert_eq!(mask(text.as_bytes()).len(), text.len());
        assert!(before.elapsed().as_secs() < 10);
    }
}
