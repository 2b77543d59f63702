//! The `#undef` directives of a text of C, and which of them are in effect at a place.

use rustc_hash::{FxHashMap, FxHashSet};

/// The `#undef` directives of a file, and the branches of its conditions.
#[derive(Debug, Default)]
pub(super) struct Undefined {
    /// By name, the byte and the branch of each `#undef`, in the order of the text.
    by_name: FxHashMap<Box<[u8]>, Vec<(usize, usize)>>,
    /// Where the text of a branch begins or goes on after an inner one, in the order of the text.
    starts: Vec<(usize, usize)>,
    /// The branch around each branch; the first one is the file.
    around: Vec<usize>,
}

impl Undefined {
    /// Reads the directives of a text, without those in comments. O(text).
    pub(super) fn new(text: &[u8]) -> Undefined {
        let mut of = Undefined { around: vec![0], ..Undefined::default() };
        if memchr::memmem::find(text, b"undef").is_none() {
            return of;
        }
        let (mut branch, mut in_comment, mut goes_on) = (0, false, false);
        let mut at = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            let directive = line.trim_ascii_start().strip_prefix(b"#");
            if let Some(directive) = directive.filter(|_| !in_comment && !goes_on) {
                let directive = directive.trim_ascii_start();
                let (word, rest) = first_word(directive);
                let before = branch;
                match word {
                    b"if" | b"ifdef" | b"ifndef" => {
                        of.around.push(branch);
                        branch = of.around.len() - 1;
                    }
                    b"else" | b"elif" | b"elifdef" | b"elifndef" if branch != 0 => {
                        of.around.push(of.around[branch]);
                        branch = of.around.len() - 1;
                    }
                    b"endif" => branch = of.around[branch],
                    b"undef" => {
                        let (name, _) = first_word(rest.trim_ascii_start());
                        of.by_name.entry(name.into()).or_default().push((at, branch));
                    }
                    _ => {}
                }
                if branch != before {
                    of.starts.push((at, branch));
                }
            }
            in_comment = ends_in_comment(line, in_comment);
            goes_on = line.trim_ascii_end().ends_with(b"\\");
            at += line.len();
        }
        of
    }

    /// Returns the byte of the last `#undef` of a name that is in effect at the byte `at`: all branches
    /// around it are also around that byte.
    pub(super) fn before(&self, name: &str, at: usize) -> Option<usize> {
        let found = self.by_name.get(name.as_bytes())?;
        let mut around = FxHashSet::default();
        let last = self.starts.partition_point(|(start, _)| *start <= at);
        let mut branch = last.checked_sub(1).map_or(0, |last| self.starts[last].1);
        while around.insert(branch) {
            branch = self.around[branch];
        }
        let earlier = found[..found.partition_point(|(start, _)| *start < at)].iter().rev();
        earlier.copied().find(|(_, of)| around.contains(of)).map(|(start, _)| start)
    }
}

/// Splits a text after its first word.
fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let is_word =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'$' | 128..);
    text.split_at(text.iter().take_while(is_word).count())
}

/// Returns whether a comment of several lines is open at the end of a line.
fn ends_in_comment(line: &[u8], mut in_comment: bool) -> bool {
    let (mut at, mut quote) = (0, None);
    while at < line.len() {
        let rest = &line[at..];
        let after_digit = at > 0 && line[at - 1].is_ascii_alphanumeric();
        at += 1;
        if in_comment {
            if rest.starts_with(b"*/") {
                (in_comment, at) = (false, at + 1);
            }
        } else if let Some(end) = quote {
            if rest[0] == b'\\' {
                at += 1;
            } else if rest[0] == end {
                quote = None;
            }
        } else if rest.starts_with(b"//") {
            return false;
        } else if rest.starts_with(b"/*") {
            (in_comment, at) = (true, at + 1);
        } else if rest[0] == b'"' || rest[0] == b'\'' && !after_digit {
            quote = Some(rest[0]);
        }
    }
    in_comment
}

#[cfg(test)]
mod tests {
    use super::Undefined;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let at = text.find("USE").expect("a use is marked");
        let ended = Undefined::new(text.as_bytes()).before("SET", at);
        assert_eq!(ended, expected.and_then(|expected| text.find(expected)));
    }

    #[test]
    fn directives_are_found() {
        check("a\n#undef SET\nUSE", Some("#undef"));
        check("# undef  SET\nUSE", Some("# undef"));
        check("#undef SET2\nUSE", None);
        check("undef SET\nUSE", None);
        check("USE\n#undef SET\n", None);
        check("/* #undef SET\n#undef SET\n*/\n// #undef SET\nUSE", None);
        check("char *s = \"/*\"; int n = 1'000;\n#undef SET\nUSE", Some("#undef"));
        check("#define A \\\n#undef SET\nUSE", None);
    }

    #[test]
    fn branches_limit_directives() {
        check("#if A\n#undef SET\n#endif\nUSE", None);
        check("#if A\n#undef SET\n#else\nUSE\n#endif", None);
        check("#if A\n#else\n#undef SET\nUSE\n#endif", Some("#undef"));
        check("#undef SET\n#if A\nUSE\n#endif", Some("#undef"));
        check("#if A\n#if B\n#endif\n#undef SET\n#if C\nUSE\n#endif\n#endif", Some("#undef"));
        check("#endif\n#endif\n#else\n#undef SET\nUSE", Some("#undef"));
    }
}
