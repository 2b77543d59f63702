//! Blanks out annotation macros in places where the grammars of C and C++ do not allow them: in
//! function heads (`static int __cold f(void)`), after parameter lists
//! (`void f() REQUIRES(mutex_)`) and in type heads (`class EXPORT Name {`).
//!
//! Macros are recognized by their spelling (all capitals, or a leading `__`) and by the words
//! around them. Only lines whose beginning can only be a declaration are changed.

use std::ops::Range;

use rustc_hash::FxHashSet;

/// Maximum length of a parameter list, which may span several lines.
const PARAMETERS_BYTES_MAX: usize = 4000;

/// Maximum number of words before a declaration's name.
const HEAD_WORDS_MAX: usize = 16;

/// Maximum number of comments between a declaration's name and what follows.
const COMMENTS_MAX: usize = 8;

/// Words that are not types, sorted.
const QUALIFIERS: &[&[u8]] = &[
    b"__attribute__",
    b"__declspec",
    b"__extension__",
    b"__inline",
    b"__inline__",
    b"__restrict",
    b"alignas",
    b"const",
    b"consteval",
    b"constexpr",
    b"constinit",
    b"explicit",
    b"extern",
    b"final",
    b"friend",
    b"inline",
    b"mutable",
    b"noexcept",
    b"override",
    b"register",
    b"restrict",
    b"static",
    b"thread_local",
    b"virtual",
    b"volatile",
];

/// Words that are a type or begin one, sorted.
const BUILTIN: &[&[u8]] = &[
    b"auto",
    b"bool",
    b"char",
    b"double",
    b"enum",
    b"float",
    b"int",
    b"long",
    b"short",
    b"signed",
    b"struct",
    b"typename",
    b"union",
    b"unsigned",
    b"void",
];

/// Words that cannot begin a function declaration, sorted.
const STATEMENTS: &[&[u8]] = &[
    b"case",
    b"catch",
    b"co_await",
    b"co_return",
    b"co_yield",
    b"default",
    b"delete",
    b"do",
    b"else",
    b"for",
    b"goto",
    b"if",
    b"namespace",
    b"new",
    b"operator",
    b"return",
    b"sizeof",
    b"switch",
    b"throw",
    b"typedef",
    b"using",
    b"while",
];

/// Blanks out the annotation macros of `text` in `masked`, which has the same length. With
/// `is_outermost`, only in lines without indentation, since C has functions only at the top level.
pub(super) fn blank(text: &[u8], masked: &mut [u8], is_outermost: bool) {
    let mut start = 0;
    let mut is_directive = false;
    let mut types = FxHashSet::default();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let words = line.trim_ascii_start();
        let indent = line.len() - words.len();
        is_directive |= words.starts_with(b"#");
        let begins = words.first().is_some_and(|&byte| is_word(byte) || byte == b'~');
        if words.starts_with(b"friend ") {
            blank_global_scope(words, &mut masked[start + indent..]);
        }
        if begins && !is_directive && !(is_outermost && indent > 0) {
            let head = start + indent + template_len(words);
            LineHead::read(text, head).blank(text, &mut types, masked);
        }
        is_directive &= line.trim_ascii_end().ends_with(b"\\");
        start += line.len();
    }
}

/// Returns the length of `template <…>` at the start of a line, with the space after it.
fn template_len(line: &[u8]) -> usize {
    const TEMPLATE: &[u8] = b"template";
    let Some(rest) = line.strip_prefix(TEMPLATE) else { return 0 };
    let open = blanks(rest);
    let is_list = rest.get(open) == Some(&b'<');
    let Some(list) = is_list.then(|| angled(&rest[open..])).flatten() else { return 0 };
    let len = TEMPLATE.len() + open + list;
    len + blanks(&line[len..])
}

/// Blanks out the `::` of `friend class ::Name;`, which the grammar does not allow there.
fn blank_global_scope(line: &[u8], masked: &mut [u8]) {
    let tags: [&[u8]; 3] = [b"friend class ::", b"friend struct ::", b"friend union ::"];
    if let Some(tag) = tags.iter().find(|tag| line.starts_with(tag)) {
        masked[tag.len() - 2..tag.len()].fill(b' ');
    }
}

/// The words at the beginning of a line.
struct LineHead {
    words: Vec<Word>,
    /// The byte after the last word.
    end: usize,
    /// The line has no indentation.
    is_outermost: bool,
}

/// A word of a line head, or an annotation macro with its arguments.
struct Word {
    start: usize,
    end: usize,
    has_arguments: bool,
}

impl LineHead {
    /// Reads words up to the first byte that does not belong to a name, `*` or `&`.
    fn read(text: &[u8], start: usize) -> LineHead {
        // An indented line may be a loop: `FOREACH(a)`, and the statement after it.
        let is_outermost = start == 0 || text[start - 1] == b'\n';
        let mut head = LineHead { words: Vec::new(), end: start, is_outermost };
        let (mut is_next_line, mut is_after_macro) = (false, false);
        while head.words.len() < HEAD_WORDS_MAX {
            let mut at = head.end + blanks(&text[head.end..]);
            // The name may be on the line after its type, and each of them on that after a macro.
            let is_line_end = !head.words.is_empty() && text.get(at) == Some(&b'\n');
            let is_macro_line = is_line_end
                && !is_after_macro
                && (is_next_line || head.words.len() == 1)
                && head.words.last().is_some_and(|word| looks_like_macro(text, word));
            if is_macro_line || is_line_end && !is_next_line {
                is_after_macro |= is_macro_line;
                is_next_line |= !is_macro_line;
                at += 1 + blanks(&text[at + 1..]);
            }
            let Some(&byte) = text.get(at) else { break };
            match byte {
                b'*' | b'&' => head.end = at + 1,
                b'~' | b':' | b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                    let len = word_len(&text[at..]);
                    if len == 0 {
                        break;
                    }
                    let end = at + len;
                    let is_after_type = is_outermost && !head.words.is_empty();
                    let is_numbered = is_after_type && has_numbers(&text[end..]);
                    let arguments =
                        arguments(&text[at..end], &text[end..], is_outermost, is_numbered);
                    let has_arguments = arguments.is_some();
                    let end = end + arguments.unwrap_or(0);
                    head.words.push(Word { start: at, end, has_arguments });
                    head.end = end;
                }
                _ => break,
            }
        }
        head
    }

    /// Blanks out the annotation macros of the line. `types` has the names of the types above it.
    fn blank<'t>(&self, text: &'t [u8], types: &mut FxHashSet<&'t [u8]>, masked: &mut [u8]) {
        let of = |word: &Word| &text[word.start..word.end];
        let next = text.get(after_comments(text, self.end));
        let is_head = matches!(next, Some(b'{' | b':'));
        let is_typedef = self.words.first().is_some_and(|word| of(word) == b"typedef");
        let own = &self.words[usize::from(is_head && is_typedef)..];
        if self.blank_operator(text, masked) {
            return;
        }
        if own.iter().any(|word| STATEMENTS.binary_search(&of(word)).is_ok()) {
            return;
        }
        let Some((name, before)) = self.words.split_last() else { return };
        let is_type = |word: &Word| {
            matches!(of(word), b"class" | b"struct" | b"union" | b"enum" | b"interface")
        };
        let is_forward = next == Some(&b';') && of(&self.words[0]) == b"class";
        if is_head || is_forward {
            let Some(at) = self.words.iter().position(is_type) else { return };
            // A macro before `class` may stand for `template <…>`.
            let before = self.words[..at].iter().filter(|word| looks_like_macro(text, word));
            before.for_each(|word| masked[word.start..word.end].fill(b' '));
            let own = self.words[at + 1..].iter().filter(|word| of(word) != b"final");
            let own: Vec<&Word> = own.filter(|word| !is_type(word)).collect();
            // The name may also come first: `class Name FINAL : public Base {`.
            let is_macro = |word: &Word| is_annotation(text, word);
            let is_name = |word: &&Word| !is_macro(word);
            let name = own.iter().rposition(is_name).or(own.len().checked_sub(1));
            if let Some(name) = name {
                types.insert(of(own[name]));
            }
            let others = own.iter().enumerate().filter(|(at, _)| Some(*at) != name);
            let annotations = others.filter(|(_, word)| is_macro(word));
            annotations.for_each(|(_, word)| masked[word.start..word.end].fill(b' '));
            return;
        }
        if self.blank_pointer(text, masked) || name.has_arguments {
            return;
        }
        // With a space before the parameters, only after a type of the language.
        let is_builtin = |word: &Word| BUILTIN.binary_search(&of(word)).is_ok();
        let gap = if before.iter().any(is_builtin) { blanks(&text[self.end..]) } else { 0 };
        let open = self.end + gap;
        if text.get(open) != Some(&b'(') {
            if matches!(next, Some(b';' | b'=' | b'[')) {
                self.blank_variable(text, masked);
            }
            return;
        }
        if let Some(range) = annotation_of_variable(text, before, name) {
            return masked[range].fill(b' ');
        }
        let is_destructor = text[name.start..name.end].contains(&b'~');
        let is_own = !self.is_outermost && types.contains(of(name));
        let is_own = is_own && !before.iter().any(|word| is_type_word(text, word));
        let is_nameless = is_destructor || is_own;
        let has_type = !is_nameless && !is_constructor(&text[name.start..name.end]);
        let kept = self.blank_before(text, before, has_type, masked);
        if kept > 0 || is_nameless {
            blank_after_parameters(text, open, masked);
        }
    }

    /// Blanks out the annotation macros before the type of a variable: `EMPTY_BASE Less less = Less();`.
    fn blank_variable(&self, text: &[u8], masked: &mut [u8]) {
        let Some((name, before)) = self.words.split_last() else { return };
        let is_typed = before.iter().any(|word| is_type_word(text, word));
        let has_arguments = before.iter().any(|word| word.has_arguments);
        if is_typed && !has_arguments && !looks_like_macro(text, name) {
            self.blank_before(text, before, true, masked);
        }
    }

    /// Blanks out the annotation macros before an operator, `API bool operator==(…)`. Returns false for
    /// any other line.
    fn blank_operator(&self, text: &[u8], masked: &mut [u8]) -> bool {
        let of = |word: &Word| &text[word.start..word.end];
        let Some(at) = self.words.iter().position(|word| of(word) == b"operator") else {
            return false;
        };
        let before = &self.words[..at];
        // A conversion has no type before its name.
        let has_type = at + 1 == self.words.len();
        let is_typed = !has_type || before.iter().any(|word| is_type_word(text, word));
        if is_typed && !before.iter().any(|word| STATEMENTS.binary_search(&of(word)).is_ok()) {
            self.blank_before(text, before, has_type, masked);
        }
        true
    }

    /// Blanks out the annotation macros around a pointer to a function, `API int (*name)(int) ATTR;`.
    /// Returns false for any other line.
    fn blank_pointer(&self, text: &[u8], masked: &mut [u8]) -> bool {
        let open = self.end + blanks(&text[self.end..]);
        let is_annotated =
            self.words.len() > 1 && self.words.first().is_some_and(|it| looks_like_macro(text, it));
        if !is_annotated || !text[open..].starts_with(b"(*") {
            return false;
        }
        let Some(len) = balanced(&text[open..]) else { return false };
        if self.blank_before(text, &self.words, true, masked) > 0
            && text.get(open + len) == Some(&b'(')
        {
            blank_after_parameters(text, open + len, masked);
        }
        true
    }

    /// Blanks out the annotation macros before a function's name. Returns the number of type words
    /// that remain.
    fn blank_before(
        &self,
        text: &[u8],
        before: &[Word],
        has_type: bool,
        masked: &mut [u8],
    ) -> usize {
        if let [Word { start, end, has_arguments: true }] = *before
            && has_type
            && self.is_outermost
            && let Some(of) = wrapped_type(&text[start..end])
        {
            masked[start..start + of.start].fill(b' ');
            masked[start + of.end..end].fill(b' ');
            return 1;
        }
        let mut types = 0;
        let mut macros: Vec<&Word> = Vec::new();
        let mut is_tag = false;
        for word in before {
            let bytes = &text[word.start..word.end];
            if QUALIFIERS.binary_search(&bytes).is_ok() {
                continue;
            }
            let is_named =
                std::mem::replace(&mut is_tag, matches!(bytes, b"struct" | b"union" | b"enum"));
            if word.has_arguments {
                masked[word.start..word.end].fill(b' ');
            } else if is_named
                || BUILTIN.binary_search(&bytes).is_ok()
                || !looks_like_macro(text, word)
            {
                types += 1;
            } else {
                macros.push(word);
            }
        }
        // If there is no other type word, the first of them is the type.
        let kept = usize::from(types == 0 && has_type);
        for word in macros.iter().skip(kept) {
            masked[word.start..word.end].fill(b' ');
        }
        types + macros.len().min(kept)
    }
}

/// Returns the place of the next byte of code from `at` on.
fn after_comments(text: &[u8], mut at: usize) -> usize {
    for _ in 0..COMMENTS_MAX {
        at += space(&text[at..]);
        let rest = &text[at..];
        at += match rest {
            [b'/', b'/', ..] => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            [b'/', b'*', ..] => memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2),
            _ => break,
        };
    }
    at
}

/// Returns the bytes of the type in a macro that wraps the type of a function: `API(char *)`.
fn wrapped_type(word: &[u8]) -> Option<Range<usize>> {
    let open = word.iter().position(|&byte| byte == b'(')? + 1;
    let of = word.get(open..word.len() - 1)?;
    let is_part = |byte: &u8| is_word(*byte) || matches!(byte, b' ' | b'*');
    let is_type = of.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    (is_type && of.iter().all(is_part)).then_some(open..word.len() - 1)
}

/// Returns the bytes of the annotation macro `name` after a variable and its type:
/// `int count_ GUARDED_BY(mutex_);`.
fn annotation_of_variable(text: &[u8], before: &[Word], name: &Word) -> Option<Range<usize>> {
    let of = |word: &Word| &text[word.start..word.end];
    let is_type = |word: &&Word| {
        let is_tag = matches!(of(word), b"class" | b"struct" | b"union" | b"enum" | b"typename");
        !is_tag && !word.has_arguments && QUALIFIERS.binary_search(&of(word)).is_err()
    };
    let words: Vec<&Word> = before.iter().filter(is_type).collect();
    let builtin = words.iter().filter(|word| BUILTIN.binary_search(&of(word)).is_ok()).count();
    let is_named = words.len() - builtin + builtin.min(1) >= 2;
    if !is_named || !looks_like_macro(text, name) || looks_like_macro(text, before.last()?) {
        return None;
    }
    let end = name.end + balanced(&text[name.end..])?;
    let next = text.get(end + space(&text[end..]));
    matches!(next, Some(b';' | b'=' | b'{')).then_some(name.start..end)
}

/// Returns true for a word that is a type or a part of one, and no annotation macro.
fn is_type_word(text: &[u8], word: &Word) -> bool {
    let of = &text[word.start..word.end];
    let is_builtin = BUILTIN.binary_search(&of).is_ok();
    let is_other = QUALIFIERS.binary_search(&of).is_err() && !looks_like_macro(text, word);
    !word.has_arguments && (is_builtin || is_other)
}

/// Returns true for the qualified name of a constructor: `A::A`, `a::B<T>::B`.
fn is_constructor(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name);
    let mut parts = name.rsplit("::").map(|part| part.split('<').next().unwrap_or(part));
    let last = parts.next();
    parts.next().is_some_and(|of| Some(of) == last)
}

/// Blanks out the annotation macros after the parameter list that begins at `start`.
fn blank_after_parameters(text: &[u8], start: usize, masked: &mut [u8]) {
    let Some(len) = balanced(&text[start..text.len().min(start + PARAMETERS_BYTES_MAX)]) else {
        return;
    };
    let mut at = start + len;
    let mut found = Vec::new();
    for _ in 0..HEAD_WORDS_MAX {
        at += space(&text[at..]);
        let len = word_len(&text[at..]);
        let word = Word { start: at, end: at + len, has_arguments: false };
        if len == 0 || text[at] == b':' {
            break;
        }
        let gap = space(&text[word.end..]).min(1);
        let list = match text.get(word.end + gap) {
            Some(b'(') => balanced(&text[word.end + gap..]).map_or(0, |len| gap + len),
            _ => 0,
        };
        if looks_like_macro(text, &word) {
            found.push(word.start..word.end + list);
        } else if QUALIFIERS.binary_search(&&text[word.start..word.end]).is_err() {
            return;
        }
        at = word.end + list;
    }
    if matches!(text.get(at), Some(b'{' | b';' | b':' | b'=')) {
        found.into_iter().for_each(|range| masked[range].fill(b' '));
    }
}

/// Returns true for a word that is spelled like an annotation macro: all capitals, or with a
/// leading `__`.
fn looks_like_macro(text: &[u8], word: &Word) -> bool {
    let bytes = &text[word.start..word.end];
    let name = bytes.split(|&byte| byte == b'(').next().unwrap_or(bytes);
    let is_capital = name.len() > 2
        && name.iter().any(u8::is_ascii_uppercase)
        && name
            .iter()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    is_capital || (name.starts_with(b"__") && !is_builtin(name))
}

/// Returns true for a word that is spelled like an annotation macro, or like one of a compiler: with
/// `__` on both sides. Only in the head of a type, where `__inline__` cannot be.
fn is_annotation(text: &[u8], word: &Word) -> bool {
    let name = &text[word.start..word.end];
    looks_like_macro(text, word)
        || name.len() > 4 && name.starts_with(b"__") && name.ends_with(b"__")
}

/// Returns true for types such as `__u32`, `__le16` and `__int128`, and for compiler keywords.
fn is_builtin(name: &[u8]) -> bool {
    name.last().is_some_and(u8::is_ascii_digit)
        || name.ends_with(b"_t")
        || name.ends_with(b"__")
        || matches!(name, b"__declspec" | b"__cdecl" | b"__stdcall" | b"__inline" | b"__restrict")
}

/// Returns the length of the argument list in `rest` of the annotation macro `word`, which has any
/// name if `is_numbered`: the list consists of numbers. Requires that
/// another word follows the list, on the same line or, with `spans_lines`, indented on the next one.
fn arguments(word: &[u8], rest: &[u8], spans_lines: bool, is_numbered: bool) -> Option<usize> {
    let whole = Word { start: 0, end: word.len(), has_arguments: false };
    if rest.first() != Some(&b'(') || !(looks_like_macro(word, &whole) || is_numbered) {
        return None;
    }
    let line = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let len = balanced(&rest[..line])?;
    let mut gap = blanks(&rest[len..]);
    if spans_lines && rest.get(len + gap) == Some(&b'\n') {
        gap += 1 + blanks(&rest[len + gap + 1..]);
        // A line without indentation begins another declaration, except after `format(1, 2)`.
        gap = if rest[len + gap - 1] == b'\n' && !is_numbered { 0 } else { gap };
    }
    let next = *rest.get(len + gap)?;
    (gap > 0 && (next.is_ascii_alphabetic() || next == b'_')).then_some(len)
}

/// Returns true for a list of numbers, which is no list of parameters: `(1, 2)`.
fn has_numbers(list: &[u8]) -> bool {
    let list = &list[..list.len().min(HEAD_WORDS_MAX)];
    let Some(end) = list.iter().position(|&byte| byte == b')') else { return false };
    let inside = &list[1.min(end)..end];
    list[0] == b'('
        && inside.first().is_some_and(u8::is_ascii_digit)
        && inside.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' '))
}

/// Returns the length of the parenthesized list at the start of `text`, if it is closed.
fn balanced(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate().take(PARAMETERS_BYTES_MAX) {
        match byte {
            b'(' => depth += 1,
            b')' if depth <= 1 => return Some(at + 1),
            b')' => depth -= 1,
            b'{' | b'}' | b';' => return None,
            _ => {}
        }
    }
    None
}

/// Returns the length of a name with its scopes and template arguments: `a::b<int>::c`.
fn word_len(text: &[u8]) -> usize {
    let mut len = 0;
    while let Some(&byte) = text.get(len) {
        match byte {
            b'<' if len > 0 => match angled(&text[len..]) {
                Some(inner) => len += inner,
                None => break,
            },
            b':' if text.get(len + 1) == Some(&b':') => len += 2,
            b'~' if len == 0 || text[len - 1] == b':' => len += 1,
            _ if is_word(byte) => len += 1,
            _ => break,
        }
    }
    len
}

/// Returns the length of template arguments in angle brackets, if they end on the line.
fn angled(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate().take(200) {
        match byte {
            b'<' => depth += 1,
            b'>' if depth <= 1 => return Some(at + 1),
            b'>' => depth -= 1,
            b'\n' | b';' | b'{' | b'=' => return None,
            _ => {}
        }
    }
    None
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn space(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

#[cfg(test)]
mod tests;
