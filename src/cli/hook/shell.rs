//! Splits a command line of a POSIX shell into simple commands, well enough to recognize searches.
//!
//! It expands nothing: a word with `$` is kept as it is. Substitutions become commands of their own.

/// The most simple commands of a line that are returned.
const COMMANDS_MAX: usize = 256;

/// A program with its arguments.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct SimpleCommand {
    /// The words, without quotes and redirections.
    pub(super) words: Vec<String>,
    /// True if its standard input is a pipe, a file or a text.
    pub(super) has_input: bool,
}

/// Returns the simple commands of `line` in order, at most 256.
pub(super) fn commands(line: &str) -> Vec<SimpleCommand> {
    let mut splitter = Splitter::new(line);
    splitter.run();
    splitter.done
}

struct Splitter<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    done: Vec<SimpleCommand>,
    command: SimpleCommand,
    word: Option<String>,
    /// What the next word is.
    next: Next,
    /// The end of each here-document that starts on the next line.
    delimiters: Vec<String>,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Next {
    Argument,
    /// The target of a redirection.
    Target,
    /// The line that ends a here-document.
    Delimiter,
}

impl<'a> Splitter<'a> {
    fn new(line: &'a str) -> Splitter<'a> {
        Splitter {
            chars: line.chars().peekable(),
            done: Vec::new(),
            command: SimpleCommand::default(),
            word: None,
            next: Next::Argument,
            delimiters: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some(char) = self.chars.next() {
            if self.done.len() == COMMANDS_MAX {
                return;
            }
            match char {
                ' ' | '\t' | '\r' => self.end_word(),
                '\n' => {
                    self.end_command(false);
                    self.skip_here_documents();
                }
                ';' | '`' | '(' | ')' => self.end_command(false),
                '|' => {
                    let is_or = self.follows('|');
                    self.follows('&');
                    self.end_command(!is_or);
                }
                '&' if self.chars.peek() == Some(&'>') => self.end_word(),
                '&' => {
                    self.follows('&');
                    self.end_command(false);
                }
                '<' => self.input(),
                '>' => self.output(),
                '#' if self.word.is_none() => {
                    while self.chars.peek().is_some_and(|char| *char != '\n') {
                        self.chars.next();
                    }
                }
                '\'' => self.quoted('\''),
                '"' => self.quoted('"'),
                '\\' => match self.chars.next() {
                    Some('\n') | None => {}
                    Some(char) => self.push(char),
                },
                char => self.push(char),
            }
        }
        self.end_command(false);
    }

    fn push(&mut self, char: char) {
        self.word.get_or_insert_default().push(char);
    }

    /// Skips the next character if it is `char`.
    fn follows(&mut self, char: char) -> bool {
        self.chars.next_if_eq(&char).is_some()
    }

    fn quoted(&mut self, quote: char) {
        let word = self.word.get_or_insert_default();
        while let Some(char) = self.chars.next() {
            match char {
                _ if char == quote => return,
                '\\' if quote == '"' => word.extend(self.chars.next()),
                _ => word.push(char),
            }
        }
    }

    fn input(&mut self) {
        self.end_word();
        self.command.has_input = true;
        self.next = Next::Target;
        if self.follows('<') && !self.follows('<') {
            self.follows('-');
            self.next = Next::Delimiter;
        }
    }

    fn output(&mut self) {
        // The number of a descriptor belongs to the redirection.
        if self.word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.follows('>');
        self.follows('|');
        self.follows('&');
        self.next = Next::Target;
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match std::mem::replace(&mut self.next, Next::Argument) {
            Next::Argument => self.command.words.push(word),
            Next::Target => {}
            Next::Delimiter => self.delimiters.push(word),
        }
    }

    /// Ends the command; the next one reads its output if `is_piped`.
    fn end_command(&mut self, is_piped: bool) {
        self.end_word();
        self.next = Next::Argument;
        // A line may end after `|`.
        let is_empty = self.command.words.is_empty();
        let has_input = is_piped || is_empty && self.command.has_input;
        let ended =
            std::mem::replace(&mut self.command, SimpleCommand { words: Vec::new(), has_input });
        if !is_empty {
            self.done.push(ended);
        }
    }

    fn skip_here_documents(&mut self) {
        for delimiter in std::mem::take(&mut self.delimiters) {
            loop {
                let mut line = String::new();
                let mut is_last = true;
                for char in self.chars.by_ref() {
                    if char == '\n' {
                        is_last = false;
                        break;
                    }
                    line.push(char);
                }
                if is_last || line.trim_start_matches('\t') == delimiter {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[(&[&str], bool)]) {
        let found = commands(line);
        let found: Vec<(Vec<&str>, bool)> = found
            .iter()
            .map(|command| (command.words.iter().map(String::as_str).collect(), command.has_input))
            .collect();
        let expected: Vec<(Vec<&str>, bool)> =
            expected.iter().map(|(words, has_input)| (words.to_vec(), *has_input)).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn words_pipes_and_redirections_are_split() {
        check("rg -n 'a b' \"c \\\" d\" e\\ f", &[(&["rg", "-n", "a b", "c \" d", "e f"], false)]);
        check(
            "a | b || c && d; e & f",
            &[
                (&["a"], false),
                (&["b"], true),
                (&["c"], false),
                (&["d"], false),
                (&["e"], false),
                (&["f"], false),
            ],
        );
        check("a |\n b |& c", &[(&["a"], false), (&["b"], true), (&["c"], true)]);
        check("grep x 2>/dev/null >out 2>&1 &>all y", &[(&["grep", "x", "y"], false)]);
        check("grep x < in; rg y <<< text", &[(&["grep", "x"], true), (&["rg", "y"], true)]);
        check("a # rg b\nc", &[(&["a"], false), (&["c"], false)]);
        check(
            "n=$(rg x | wc -l)",
            &[(&["n=$"], false), (&["rg", "x"], false), (&["wc", "-l"], true)],
        );
    }

    #[test]
    fn a_here_document_is_no_command() {
        check("cat > f <<'EOF'\nrg x\nEOF\nls", &[(&["cat"], true), (&["ls"], false)]);
        check("cat <<-E\nrg x", &[(&["cat"], true)]);
    }

    #[test]
    fn any_text_is_split_within_the_limit() {
        for text in ["'", "\"\\", "|", "<<", "a <", "`", "((((", "\\", "$(", "&>", ">", "a\u{0}b"] {
            commands(text);
        }
        assert_eq!(commands(&"a;".repeat(1000)).len(), COMMANDS_MAX);
    }
}
