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
    /// The first byte of the last statement.
    start: usize,
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
    /// The last byte of each branch so far, if all of them end with the `{` of one more block, and the
    /// first one of the statement that it belongs to.
    block_starts: Option<Vec<(usize, usize)>>,
    /// Each branch so far closes a block that was open before it.
    closes_block: bool,
    /// The present branch closes a block that was open before it.
    is_below: bool,
    /// The first byte of the last statement of each branch.
    statements: Vec<usize>,
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
            self.start = at;
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
    let mut open = Open {
        brackets: [0; DEPTH_MAX],
        depth: 0,
        last: 0,
        last_at: 0,
        start: 0,
        has_label: false,
    };
    let (mut groups, mut stops) = (Vec::<Group>::new(), 0);
    let mut halves = Vec::<Half>::new();
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
                    let is_blank = group.blank(open, stops, masked);
                    if !is_blank && !group.has_other_directive {
                        group.pair(open, groups.len(), text, &mut halves, masked);
                    }
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
        if byte == b'}' {
            for group in &mut groups {
                group.is_below |= open.depth < group.at.depth;
            }
        }
        at += 1;
    }
}

/// An `#if` of one branch that leaves blocks open.
struct Half {
    at: Open,
    end: Open,
    /// The number of groups around it.
    level: usize,
    lines: [Range<usize>; 2],
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
            closes_block: true,
            is_below: false,
            statements: Vec::new(),
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
            Some(starts) if opens_block && open.last == b'{' => {
                starts.push((open.last_at, open.start));
            }
            starts => *starts = None,
        }
        self.closes_block &= std::mem::take(&mut self.is_below);
        self.statements.push(open.start);
        if let Some(branch) = self.branches.last_mut().filter(|branch| branch.0 != 0) {
            branch.1 = open.last;
        }
    }

    /// Blanks out the directives of the whole group, at whose end `open` is open, if the grammar cannot
    /// parse them. Returns true if it did.
    fn blank(&self, open: Open, stops: usize, masked: &mut [u8]) -> bool {
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
        if self.has_other_directive || is_masked {
            return is_masked;
        }
        if self.one_block(masked) || self.one_head(masked) {
            return true;
        }
        // Labels, which stand before the statement after the directives.
        let is_inner = matches!(self.at.innermost(), b'{') && self.is_balanced;
        let is_label = is_inner && self.branches.iter().all(|branch| branch.1 == b':');
        if !is_blanked
            && !is_label
            && !self.continues(open, masked)
            && !self.begins_statement(open, masked)
        {
            return false;
        }
        if is_list && self.at.innermost() != INITIALIZERS && !is_one && !self.has_call {
            clear(&mut masked[self.lines[0].clone()]);
            clear(&mut masked[self.lines[1].start..self.lines[self.lines.len() - 1].end]);
            return true;
        }
        for line in &self.lines {
            clear(&mut masked[line.clone()]);
        }
        if !is_blanked {
            return true;
        }
        for (line, pair) in self.lines[1..].iter().zip(self.branches.windows(2)) {
            if ends_value(pair[0].1) && begins_value(pair[1].0) {
                masked[line.start] = b',';
            }
        }
        true
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
        let is_statement = |&(brace, start): &(usize, usize)| {
            let head = &masked[start..brace];
            head.trim_ascii_end().ends_with(b")") && (is_branch(head) || !is_typed(head))
        };
        if self.at.innermost() != b'{' || !starts.iter().all(is_statement) {
            return false;
        }
        for line in &self.lines {
            clear(&mut masked[line.clone()]);
        }
        for &(brace, _) in others {
            masked[brace] = b';';
        }
        true
    }

    /// Keeps only the first head of a function that has one with the `{` in each branch. Returns false if
    /// the branches are others.
    fn one_head(&self, masked: &mut [u8]) -> bool {
        let Some(starts) = self.block_starts.as_ref().filter(|starts| starts.len() > 1) else {
            return false;
        };
        let is_head = |(line, &(brace, start)): (&Range<usize>, &(usize, usize))| {
            let head = &masked[start..brace];
            let before = masked.get(line.end..start).unwrap_or_default();
            let before = start >= line.end && before.iter().all(u8::is_ascii_whitespace);
            let is_named = head.contains(&b'(') && !head.contains(&b'=') && !head.starts_with(b"#");
            let is_function = is_typed(head) || self.at.innermost() == 0;
            before && is_named && is_function && !is_branch(head)
        };
        if !matches!(self.at.innermost(), 0 | b'{') || !self.lines.iter().zip(starts).all(is_head) {
            return false;
        }
        clear(&mut masked[self.lines[0].clone()]);
        clear(&mut masked[self.lines[1].start..self.lines[self.lines.len() - 1].end]);
        true
    }

    /// Returns true if each branch closes a block and opens another one: `} else if (a) {`. Only the last
    /// one may have an `else` without a condition.
    fn continues(&self, open: Open, masked: &[u8]) -> bool {
        let is_whole = |(at, line): (usize, &Range<usize>)| {
            let code = masked[line.end..self.lines[at + 1].start].trim_ascii_start();
            let code = code.strip_prefix(b"}").unwrap_or(code).trim_ascii_start();
            let condition = code.strip_prefix(b"else").map(<[u8]>::trim_ascii_start);
            at + 2 == self.lines.len() || condition.is_none_or(|it| it.starts_with(b"if"))
        };
        let branches = &self.lines[..self.lines.len() - 1];
        self.closes_block
            && self.is_balanced
            && open.innermost() == b'{'
            && branches.iter().enumerate().all(is_whole)
    }

    /// Returns true if each branch ends with the head of a statement whose body follows the `#endif`:
    /// `if (a)`, `else`.
    fn begins_statement(&self, open: Open, masked: &[u8]) -> bool {
        let is_head = |(lines, &start): (&[Range<usize>], &usize)| {
            let code = masked.get(start..lines[1].start).unwrap_or_default().trim_ascii_end();
            if start < lines[0].end {
                return false;
            }
            let is_else = code.ends_with(b"else") && code.len() == 4;
            is_else || is_branch(code) && code.ends_with(b")")
        };
        self.is_balanced
            && matches!(self.at.last, b';' | b'{' | b'}')
            && open.innermost() == b'{'
            && self.lines.windows(2).zip(&self.statements).all(is_head)
    }

    /// Blanks out the directives of two groups of one branch and one condition of which the first one
    /// opens blocks and this one closes them, with whole statements between. O(1) amortized, besides the
    /// lengths of the conditions.
    fn pair(
        &self,
        open: Open,
        level: usize,
        text: &[u8],
        halves: &mut Vec<Half>,
        masked: &mut [u8],
    ) {
        let [first, last] = &self.lines[..] else { return };
        while halves.last().is_some_and(|half| half.level > level) {
            halves.pop();
        }
        if open.depth > self.at.depth && open.innermost() == b'{' && self.at.depth > 0 {
            if !self.is_below && open.last == b'{' {
                let lines = [first.clone(), last.clone()];
                halves.push(Half { at: self.at, end: open, level, lines });
            }
            return;
        }
        while halves.last().is_some_and(|half| half.end.depth > self.at.depth) {
            halves.pop();
        }
        let is_same = |half: &Half| {
            half.level == level
                && half.end.brackets() == self.at.brackets()
                && half.at.brackets() == open.brackets()
                && text[half.lines[0].clone()].trim_ascii() == text[first.clone()].trim_ascii()
        };
        let code = &text[first.end..last.start];
        let closes = has_only(code, b'}');
        if closes && let Some(half) = halves.pop_if(|half| is_same(half)) {
            for line in [&half.lines[0], &half.lines[1], first, last] {
                clear(&mut masked[line.clone()]);
            }
        }
    }
}

/// Returns true for a text that has only spaces, comments and the given byte.
fn has_only(text: &[u8], byte: u8) -> bool {
    let mut at = 0;
    while let Some(next) = text.get(at) {
        let comment = if *next == b'/' { skipped_len(text, at) } else { 0 };
        if comment == 0 && *next != byte && !next.is_ascii_whitespace() {
            return false;
        }
        at += comment.max(1);
    }
    true
}

/// Returns true for code that begins with the keyword of a statement with a body.
fn is_branch(code: &[u8]) -> bool {
    let words: [&[u8]; 5] = [b"if", b"for", b"while", b"switch", b"else"];
    let length = code.iter().take_while(|byte| is_word(**byte)).count();
    words.contains(&&code[..length])
}

/// Returns true for the head of a function with a type before its name: `int f(`.
fn is_typed(head: &[u8]) -> bool {
    let name = head.iter().position(|&byte| byte == b'(').map_or(head, |open| &head[..open]);
    let words = name.split(|&byte| !is_word(byte) && byte != b':');
    words.filter(|word| !word.is_empty()).nth(1).is_some()
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
/// a statement, a block or a comment, or a branch begins with a `}` or ends with a `{` or the head of a
/// statement. Most files have none.
fn has_candidate(text: &[u8]) -> bool {
    let is_part = |at: usize| {
        let blanks = text[..at].iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let start = at - blanks.count();
        if start > 0 && text[start - 1] != b'\n' {
            return false;
        }
        let word = text[at + 1..].trim_ascii_start();
        if word.starts_with(b"if") {
            let end = memchr::memchr(b'\n', word).unwrap_or(word.len());
            return word[end..].trim_ascii_start().starts_with(b"}")
                && memchr::memmem::find(&word[..end], b"__cplusplus").is_none();
        }
        let before = text[..start].trim_ascii_end();
        let line = memchr::memrchr(b'\n', before).map_or(0, |line| line + 1);
        word.starts_with(b"e")
            && [&b"else"[..], b"{", b")"].iter().any(|end| before.ends_with(end))
            && !before.ends_with(b"\"C\" {")
            && !before[line..].trim_ascii_start().starts_with(b"#")
    };
    if memchr::memchr_iter(b'#', text).any(is_part) {
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
    fn branches_that_close_and_open_a_block_continue_it() {
        check(
            "void f() {\nif (a) {\nb();\n#ifdef X\n} else if (c) {\nd();\n#endif\n} else {\ne();\n}\n}\n",
            "void f() {\nif (a) {\nb();\n\n} else if (c) {\nd();\n\n} else {\ne();\n}\n}\n",
        );
        check(
            "void f() {\nif (a) {\n#ifdef X\n} else if (c) {\n#else\n} else {\n#endif\nd();\n}\n}\n",
            "void f() {\nif (a) {\n\n} else if (c) {\n\n} else {\n\nd();\n}\n}\n",
        );
        unchanged(
            "void f() {\nif (a) {\n#ifdef X\n} else {\n#else\n} else {\n#endif\nd();\n}\n}\n",
        );
    }

    #[test]
    fn heads_of_statements_precede_their_bodies() {
        check(
            "void f() {\na();\n#ifdef X\nif (b)\n#endif\nc();\n}\n",
            "void f() {\na();\n\nif (b)\n\nc();\n}\n",
        );
        check(
            "void f() {\n#ifdef X\nif (a)\nb();\nelse\n#endif\nc();\n}\n",
            "void f() {\n\nif (a)\nb();\nelse\n\nc();\n}\n",
        );
        check(
            "void f() {\n#ifdef X\nif (a)\n#else\nwhile (b)\n#endif\nc();\n}\n",
            "void f() {\n\nif (a)\n\nwhile (b)\n\nc();\n}\n",
        );
        unchanged("void f() {\n#ifdef X\nCHECK(a)\n#endif\nc();\n}\n");
    }

    #[test]
    fn blocks_of_one_condition_are_paired() {
        check(
            "void f() {\n#if X\nif (a) {\n#endif\nb();\n#if X\n}\n#endif\n}\n",
            "void f() {\n\nif (a) {\n\nb();\n\n}\n\n}\n",
        );
        for text in [
            "void f() {\n#if X\nif (a) {\n#endif\nb();\n#if Y\n}\n#endif\n}\n",
            "void f() {\n#if X\nif (a) {\n#endif\nb();\n#if X\nc(); }\n#endif\n}\n",
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f();\n#ifdef __cplusplus\n}\n#endif\n",
        ] {
            unchanged(text);
        }
    }

    #[test]
    fn heads_of_one_function_are_one() {
        check(
            "#ifdef X\nint f(int a) {\n#else\nint f(long a)\n{\n#endif\nreturn g(a);\n}\n",
            "\nint f(int a) {\n\n\n\n\nreturn g(a);\n}\n",
        );
        unchanged("#ifdef X\nstruct a {\n#else\nstruct b {\n#endif\nint c;\n};\n");
    }

    /// The cost is linear in the length, also of text that is nested or unbalanced.
    #[test]
    fn adversarial_directives_are_bounded() {
        let parts = [
            "#if X\nif (a) {\n#endif\n",
            "#if X\n}\n#endif\n",
            "#if X\n",
            "#endif\n",
            "#if X\n} else if (a) {\n#else\n} else {\n#endif\n",
            "#if X\nint f(int a) {\n#else\nint f() {\n#endif\n",
            "#if X\nif (a)\n#endif\n",
        ];
        let started = std::time::Instant::now();
        for part in parts {
            for text in [part.repeat(10_000), format!("void f() {{\n{}", part.repeat(10_000))] {
                let mut masked = text.as_bytes().to_vec();
                mask(text.as_bytes(), &mut masked);
                assert_eq!(masked.len(), text.len());
            }
        }
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    #[test]
    fn other_directives_are_unchanged() {
        for text in [
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
