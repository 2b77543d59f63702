//! Conditional directives in the middle of a list, an expression or a declaration: between the
//! initializers of a constructor, the arguments of a call, the words of a declaration. The grammar parses
//! directives between statements and members only; elsewhere it takes the rest of the file for a part of
//! what it could not parse. Such directives are blanked out, and their branches are parsed as one text.
//!
//! The functions with several heads are in `macros`.

use std::ops::Range;

/// Maximum depth of brackets and of directives; the rest of a file that nests deeper is unchanged.
const DEPTH_MAX: usize = 64;

/// The mark of the initializers of a constructor among the open brackets.
const INITIALIZERS: u8 = b':';

/// The mark of the parentheses of a `for` among the open brackets: these contain `;`.
const FOR: u8 = b'f';

/// What is open at a place of the text.
#[derive(Clone, Copy)]
struct Open {
    brackets: [u8; DEPTH_MAX],
    depth: usize,
    /// The last byte of code, and its place.
    last: u8,
    last_at: usize,
    /// The statement contains a `?`, or begins with `case`: a `:` does not begin initializers.
    has_label: bool,
}

/// The branches of an `#if` so far.
struct Group {
    at: Open,
    first_end: Option<Open>,
    /// The lines with directives, the first of which is `#if`.
    lines: Vec<Range<usize>>,
    /// The first and last byte of the code of each branch; 0 in an empty one.
    branches: Vec<(u8, u8)>,
    /// All branches so far end with the brackets open that were open before them.
    is_balanced: bool,
    /// The last byte of each branch so far, if all of them end with the `{` of one more block.
    block_starts: Option<Vec<usize>>,
    /// The number of `;`, `{` and `}` before the group.
    stops: usize,
    has_other_directive: bool,
    /// A branch other than the first contains a `(`.
    has_call: bool,
}

impl Open {
    fn brackets(&self) -> &[u8] {
        &self.brackets[..self.depth]
    }

    fn innermost(&self) -> u8 {
        self.brackets().last().copied().unwrap_or(0)
    }

    fn is_in_list(&self) -> bool {
        matches!(self.innermost(), b'(' | b'[' | INITIALIZERS)
    }

    fn is_in_statement(&self) -> bool {
        !matches!(self.last, 0 | b';' | b'{' | b'}' | b':')
    }

    /// Opens a bracket. Returns false if too many are open.
    fn push(&mut self, bracket: u8) -> bool {
        if self.depth == DEPTH_MAX {
            return false;
        }
        self.brackets[self.depth] = bracket;
        self.depth += 1;
        true
    }

    /// Closes all lists up to the innermost block: a statement has ended.
    fn end_lists(&mut self) {
        while self.depth > 0 && !matches!(self.innermost(), b'{' | FOR) {
            self.depth -= 1;
        }
    }

    /// Follows the byte of code at `at`. Returns false if too many brackets are open.
    fn step(&mut self, text: &[u8], at: usize) -> bool {
        let byte = text[at];
        let begins = matches!(self.last, 0 | b';' | b'{' | b'}' | b':');
        if begins && matches!(self.innermost(), 0 | b'{') {
            self.has_label = text[at..].starts_with(b"case");
        }
        let is_pushed = match byte {
            b'(' => {
                let before = text[..at].trim_ascii_end();
                self.push(if before.ends_with(b"for") { FOR } else { b'(' })
            }
            b'[' => self.push(b'['),
            b'{' => {
                // `name{value}` initializes; the body of the constructor follows `)` or `}`.
                let is_value = is_word(self.last) || self.last == b'>';
                if self.innermost() == INITIALIZERS && !is_value {
                    self.depth -= 1;
                }
                self.push(b'{')
            }
            b')' => {
                self.depth -= usize::from(matches!(self.innermost(), b'(' | FOR));
                true
            }
            b']' => {
                self.depth -= usize::from(self.innermost() == b'[');
                true
            }
            b'}' => {
                let block = self.brackets().iter().rposition(|&bracket| bracket == b'{');
                self.depth = block.unwrap_or(0);
                true
            }
            b';' => {
                self.end_lists();
                true
            }
            b'?' => {
                self.has_label = true;
                true
            }
            b':' if self.begins_initializers(text, at) => self.push(INITIALIZERS),
            _ => true,
        };
        (self.last, self.last_at) = (byte, at);
        is_pushed
    }

    /// Returns true if the `:` at `at` is the one between a constructor's parameters and initializers.
    fn begins_initializers(&self, text: &[u8], at: usize) -> bool {
        let is_single = text.get(at + 1) != Some(&b':') && self.last != b':';
        let is_in_block = matches!(self.innermost(), 0 | b'{');
        let is_noexcept = || {
            let before = text[..at].trim_ascii_end();
            before[before.len().saturating_sub(8)..].eq_ignore_ascii_case(b"noexcept")
        };
        is_single && is_in_block && !self.has_label && (self.last == b')' || is_noexcept())
    }
}

/// Blanks out, in `masked`, conditional directives where the grammar cannot parse them. In a list of
/// arguments, of several branches without calls only the first is kept. O(text).
pub(super) fn mask(text: &[u8], masked: &mut [u8]) {
    if !has_candidate(text) {
        return;
    }
    let mut open =
        Open { brackets: [0; DEPTH_MAX], depth: 0, last: 0, last_at: 0, has_label: false };
    let (mut groups, mut stops) = (Vec::<Group>::new(), 0);
    let (mut at, mut is_start, mut begins_branch) = (0, true, false);
    while let Some(&byte) = text.get(at) {
        if is_start && byte == b'#' {
            let end = directive_end(text, at);
            let word = text[at + 1..end].trim_ascii_start();
            if word.starts_with(b"if") {
                groups.push(Group::new(open, at..end, stops));
                if groups.len() > DEPTH_MAX {
                    return;
                }
            } else if word.starts_with(b"el") {
                if let Some(group) = groups.last_mut() {
                    group.end_branch(open);
                    group.lines.push(at..end);
                    group.branches.push((0, 0));
                    open = group.at;
                }
            } else if word.starts_with(b"endif") {
                if let Some(mut group) = groups.pop() {
                    group.end_branch(open);
                    group.lines.push(at..end);
                    group.blank(open, stops, masked);
                    open = match group.first_end {
                        Some(first) if !group.is_balanced => first,
                        _ => open,
                    };
                }
            } else {
                groups.iter_mut().for_each(|group| group.has_other_directive = true);
            }
            (at, is_start, begins_branch) = (end, true, true);
            continue;
        }
        let skipped = skipped_len(text, at);
        if skipped > 0 && !matches!(byte, b'"' | b'\'' | b'R') {
            at += skipped;
            continue;
        }
        is_start = byte == b'\n' || is_start && byte.is_ascii_whitespace();
        if byte.is_ascii_whitespace() || byte == b'\\' {
            at += 1;
            continue;
        }
        if std::mem::take(&mut begins_branch) {
            let branches = groups.iter_mut().filter_map(|group| group.branches.last_mut());
            branches.filter(|branch| branch.0 == 0).for_each(|branch| branch.0 = byte);
        }
        if skipped > 0 {
            open.last = b'"';
            at += skipped;
            continue;
        }
        if byte == b'(' {
            groups.iter_mut().for_each(|group| group.has_call |= group.branches.len() > 1);
        }
        stops += usize::from(matches!(byte, b';' | b'{' | b'}'));
        if !open.step(text, at) {
            return;
        }
        at += 1;
    }
}

impl Group {
    fn new(at: Open, line: Range<usize>, stops: usize) -> Self {
        Self {
            at,
            first_end: None,
            lines: vec![line],
            branches: vec![(0, 0)],
            is_balanced: true,
            block_starts: Some(Vec::new()),
            stops,
            has_other_directive: false,
            has_call: false,
        }
    }

    fn end_branch(&mut self, open: Open) {
        self.first_end.get_or_insert(open);
        self.is_balanced &= open.brackets() == self.at.brackets();
        let opens_block = open.brackets().split_last() == Some((&b'{', self.at.brackets()));
        match &mut self.block_starts {
            Some(starts) if opens_block && open.last == b'{' => starts.push(open.last_at),
            starts => *starts = None,
        }
        if let Some(branch) = self.branches.last_mut().filter(|branch| branch.0 != 0) {
            branch.1 = open.last;
        }
    }

    /// Blanks out the directives of the whole group, at whose end `open` is open, if the grammar cannot
    /// parse them.
    fn blank(&self, open: Open, stops: usize, masked: &mut [u8]) {
        let is_one = self.branches.len() == 1;
        let begins_list = open
            .brackets()
            .split_last()
            .is_some_and(|(&last, around)| last == INITIALIZERS && around == self.at.brackets());
        let is_list = self.is_balanced && self.at.is_in_list();
        let separates = || self.at.last == b',' || self.branches.iter().all(|it| it.0 == b',');
        let is_part = self.is_balanced && self.stops == stops && self.at.is_in_statement();
        let is_blanked = is_list || is_one && begins_list || is_part && (is_one || separates());
        // A directive that is blanked already belongs to a function with several heads.
        let is_masked = self.lines.iter().any(|line| masked[line.start] != b'#');
        if !self.has_other_directive && !is_masked && self.one_block(masked) {
            return;
        }
        if !is_blanked || self.has_other_directive || is_masked {
            return;
        }
        if is_list && self.at.innermost() != INITIALIZERS && !is_one && !self.has_call {
            clear(&mut masked[self.lines[0].clone()]);
            clear(&mut masked[self.lines[1].start..self.lines[self.lines.len() - 1].end]);
            return;
        }
        for line in &self.lines {
            clear(&mut masked[line.clone()]);
        }
        for (line, pair) in self.lines[1..].iter().zip(self.branches.windows(2)) {
            if ends_value(pair[0].1) && begins_value(pair[1].0) {
                masked[line.start] = b',';
            }
        }
    }
}

impl Group {
    /// Makes one block of those that all branches open (`if (a) {`, `#else`, `if (b) {`, `#endif`): the
    /// statements before the last one get a `;` in place of their block. Returns false if the branches are
    /// others.
    fn one_block(&self, masked: &mut [u8]) -> bool {
        let Some(starts) = &self.block_starts else { return false };
        let Some((_, others)) = starts.split_last().filter(|(_, others)| !others.is_empty()) else {
            return false;
        };
        let is_statement = |start: &usize| masked[..*start].trim_ascii_end().ends_with(b")");
        if self.at.innermost() != b'{' || !starts.iter().all(is_statement) {
            return false;
        }
        for line in &self.lines {
            clear(&mut masked[line.clone()]);
        }
        for &start in others {
            masked[start] = b';';
        }
        true
    }
}

fn clear(text: &mut [u8]) {
    text.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn ends_value(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b')' | b']' | b'}' | b'"')
}

fn begins_value(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'(' | b'"' | b'~' | b'!')
}

/// Returns true if an `#if` may stand in the middle of something: the line of code before it does not end
/// a statement, a block or a comment, or a branch ends with a `{`. Most files have none.
fn has_candidate(text: &[u8]) -> bool {
    let ends_with_block = |at: usize| text[..at].trim_ascii_end().ends_with(b"{");
    if memchr::memmem::find_iter(text, b"#el").any(ends_with_block) {
        return true;
    }
    memchr::memmem::find_iter(text, b"if").any(|at| {
        let before = text[..at].trim_ascii_end();
        let Some(before) = before.strip_suffix(b"#") else { return false };
        let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |line| line + 1);
        if !before[line..].trim_ascii().is_empty() {
            return false;
        }
        let before = before[..line].trim_ascii_end();
        let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |line| line + 1);
        let code = before[line..].trim_ascii_start();
        let is_comment =
            code.starts_with(b"*") || code.starts_with(b"/*") || code.starts_with(b"//");
        !code.is_empty() && !is_comment && !matches!(code[code.len() - 1], b';' | b'{' | b'}')
    })
}

/// Returns the end of the directive at `start`, with continued lines and its comment, before the end of
/// its last line.
fn directive_end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    loop {
        end += memchr::memchr(b'\n', &text[end..]).unwrap_or(text.len() - end);
        let line = text[start..end].trim_ascii_end();
        let comment = memchr::memmem::rfind(line, b"/*");
        if let Some(open) = comment.filter(|&open| !line[open + 2..].ends_with(b"*/")) {
            let rest = &text[start + open + 2..];
            let is_closed = memchr::memmem::find(&line[open + 2..], b"*/").is_some();
            if let Some(close) = memchr::memmem::find(rest, b"*/").filter(|_| !is_closed) {
                end = start + open + 2 + close + 2;
                continue;
            }
        }
        if end == text.len() || !line.ends_with(b"\\") {
            return end;
        }
        end += 1;
    }
}

/// Returns the length of the comment, string or character at `at`; 0 if there is none.
fn skipped_len(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let line = || memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let before = at.checked_sub(1).map_or(0, |before| text[before]);
    match rest {
        [b'/', b'/', ..] => line(),
        [b'/', b'*', ..] => {
            memchr::memmem::find(&rest[2..], b"*/").map_or(rest.len(), |close| close + 4)
        }
        [b'R', b'"', raw @ ..]
            if !is_word(before) || matches!(before, b'u' | b'U' | b'L' | b'8') =>
        {
            let name = raw.iter().take(17).position(|&byte| byte == b'(');
            let Some(name) = name else { return 0 };
            let close = [b")", &raw[..name], b"\""].concat();
            memchr::memmem::find(raw, &close).map_or(0, |found| 2 + found + close.len())
        }
        [quote @ (b'"' | b'\''), text @ ..] if *quote == b'"' || !before.is_ascii_digit() => {
            let mut is_escaped = false;
            let end = text.iter().position(|&byte| {
                let ends = !is_escaped && (byte == *quote || byte == b'\n');
                is_escaped = !is_escaped && byte == b'\\';
                ends
            });
            end.filter(|&end| text[end] == *quote).map_or(0, |end| end + 2)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::mask;

    /// Checks that the text is `expected` after blanking, where lines of spaces are empty.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut masked = text.as_bytes().to_vec();
        mask(text.as_bytes(), &mut masked);
        let masked = String::from_utf8(masked).expect("text stays text");
        assert_eq!(masked.len(), text.len());
        let lines: Vec<&str> = masked.lines().map(str::trim_end).collect();
        assert_eq!(lines.join("\n"), expected.trim_end());
    }

    #[track_caller]
    fn unchanged(text: &str) {
        check(text, text);
    }

    #[test]
    fn directives_between_initializers_are_blanked() {
        check(
            "class A {\n  A(int x)\n      : a_(x),\n#if X  // x\n        b_{x},\n#endif  // X\n        c_(x) {\n\
             #if Y\n    f();\n#endif\n  }\n};\n",
            "class A {\n  A(int x)\n      : a_(x),\n\n        b_{x},\n\n        c_(x) {\n\
             #if Y\n    f();\n#endif\n  }\n};\n",
        );
        check(
            "A::A() noexcept : a_(1)\n#ifdef X\n, b_(2)\n#else\n, b_(3)\n#endif\n, c_(f([] { g(); })) {}\n",
            "A::A() noexcept : a_(1)\n\n, b_(2)\n\n, b_(3)\n\n, c_(f([] { g(); })) {}\n",
        );
        check(
            "A::A() : a_(1),\n#if X\nb_(f())\n#elif Y\nb_(g())\n#else\nb_(h())\n#endif\n{\n#if Z\ni();\n#endif\n}\n",
            "A::A() : a_(1),\n\nb_(f())\n,\nb_(g())\n,\nb_(h())\n\n{\n#if Z\ni();\n#endif\n}\n",
        );
        check("A::A()\n#if X\n: a_(1)\n#endif\n{\n}\n", "A::A()\n\n: a_(1)\n\n{\n}\n");
    }

    #[test]
    fn directives_between_arguments_are_blanked() {
        check("f(a,\n#if X\n  b,\n#endif\n  c);\n", "f(a,\n\n  b,\n\n  c);\n");
        check("f(a,\n#if X\n  b\n#else\n  c\n#endif\n);\n", "f(a,\n\n  b\n\n\n\n);\n");
        check(
            "if (\n#if X\n  b()\n#else\n  c()\n#endif\n) {\n",
            "if (\n\n  b()\n,\n  c()\n\n) {\n",
        );
        check("int f(int a\n#if X\n, int b\n#endif\n);\n", "int f(int a\n\n, int b\n\n);\n");
    }

    #[test]
    fn directives_in_a_declaration_are_blanked() {
        check(
            "template <class T>\n#if X\n__attribute__((aligned(32)))\n#endif\nvoid f(T t) {}\n",
            "template <class T>\n\n__attribute__((aligned(32)))\n\nvoid f(T t) {}\n",
        );
        check(
            "int a[] = { 1,\n#if X\n2,\n#else\n3,\n#endif\n};\n",
            "int a[] = { 1,\n\n2,\n\n3,\n\n};\n",
        );
        check("return a\n#if X\n && b\n#endif\n;\n", "return a\n\n && b\n\n;\n");
    }

    #[test]
    fn branches_that_open_a_block_open_one() {
        check(
            "int f() {\n#if X\n  int a;\n  if (g(a)) {\n#else\n  if (h()) {\n#endif\n    i();\n  }\n}\n",
            "int f() {\n\n  int a;\n  if (g(a)) ;\n\n  if (h()) {\n\n    i();\n  }\n}\n",
        );
        check(
            "void f() {\n#if X\nfor (;;) {\n#elif Y\nwhile (a) {\n#else\nwhile (b) {\n#endif\nc();\n}\n}\n",
            "void f() {\n\nfor (;;) ;\n\nwhile (a) ;\n\nwhile (b) {\n\nc();\n}\n}\n",
        );
    }

    #[test]
    fn other_directives_are_unchanged() {
        for text in [
            "void f() {\n#if X\nif (a) {\n#endif\nb();\n#if X\n}\n#endif\n}\n",
            "void f() {\n#if X\nint a[] = {\n#else\nint b[] = {\n#endif\n1 };\n}\n",
            "void f() {\n#if X\nif (a) {\n#else\nif (b)\n#endif\nc();\n}\n",
            "int a\n;\n#if X\nint b;\n#else\nint c;\n#endif\n",
            "void f(int a) {\n  if (a)\n#if X\n    b();\n#else\n    c();\n#endif\n}\n",
            "f(a);\n#if X\nf(\n#else\ng(\n#endif\n  a);\n#if Y\nint b;\n#endif\n",
            "f(a,\n#if X\n#define B 1\n  B,\n#endif\n  c);\n",
            "switch (a) {\ncase f(1):\n#if X\n  g();\n#endif\n}\n",
            "A = b ? f(x) : c\n;\n#if X\nint d;\n#endif\n",
            "g(\"(\", '(', R\"x((\")x\", 1'000); // (\n#if X\nint b;\n#endif /* (\n( */\n#if Y\nint c;\n#endif\nint d\n#if 1\n;\n#endif\n",
        ] {
            unchanged(text);
        }
    }

    /// A place where brackets do not match does not change how the rest of the file is read.
    #[test]
    fn brackets_in_one_branch_end_with_their_statement() {
        unchanged("if (a\n#if X\n  && b) {\n#else\n) {\n#endif\nf();\n}\n#if Y\nint b;\n#endif\n");
        let deep = format!("{}\n#if X\n1,\n#endif\n", "f(".repeat(200));
        unchanged(&deep);
    }
}
