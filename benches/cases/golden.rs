//! bench-corpus/rankings: one text file per package, with tasks and what `codedb context` lists
//! first for each. A changed ranking is a difference of this text, which a person can read.

/// The word at the start of a task's line.
const TASK: &str = "task: ";

/// The indentation of what was listed for a task.
const LISTED: &str = "  ";

/// A package's rankings.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Golden {
    /// The lines before the first task, which describe the file.
    head: String,
    /// The tasks, in the order of the file.
    pub(crate) tasks: Vec<Ranked>,
}

/// A task and what is listed for it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Ranked {
    /// The task, one line.
    pub(crate) task: String,
    /// The lines of its ranking, without indentation.
    pub(crate) lines: Vec<String>,
}

impl Golden {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// For a line that is neither a task nor part of a ranking, for a task that occurs twice, and
    /// for a file without tasks.
    pub(crate) fn parse(text: &str) -> Result<Golden, String> {
        let (mut head, mut tasks) = (String::new(), Vec::<Ranked>::new());
        for (number, line) in text.lines().enumerate() {
            if let Some(task) = line.strip_prefix(TASK) {
                if tasks.iter().any(|known| known.task == task) {
                    return Err(format!("line {}: the task is there twice", number + 1));
                }
                tasks.push(Ranked { task: task.to_owned(), lines: Vec::new() });
            } else if let Some(last) = tasks.last_mut() {
                match line.strip_prefix(LISTED) {
                    Some(listed) => last.lines.push(listed.to_owned()),
                    None if line.is_empty() => {}
                    None => {
                        let number = number + 1;
                        return Err(format!("line {number} is no task and no part of a ranking"));
                    }
                }
            } else {
                head.push_str(line);
                head.push('\n');
            }
        }
        if tasks.is_empty() {
            Err("there is no task".to_owned())
        } else {
            Ok(Golden { head, tasks })
        }
    }

    /// Returns the text of the file.
    pub(crate) fn text(&self) -> String {
        let tasks = self.tasks.iter().map(|ranked| {
            let listed: String =
                ranked.lines.iter().map(|line| format!("{LISTED}{line}\n")).collect();
            format!("{TASK}{}\n{listed}", ranked.task)
        });
        format!("{}{}", self.head, tasks.collect::<Vec<String>>().join("\n"))
    }
}

/// Returns the lines by which two rankings of a task differ, marked `-` and `+`, or all lines if only
/// their order differs; empty if they are the same.
pub(crate) fn difference(expected: &Ranked, found: &Ranked) -> String {
    if expected.lines == found.lines {
        return String::new();
    }
    let only = |mark: char, one: &Ranked, other: &Ranked| -> String {
        let lines = one.lines.iter().filter(|line| !other.lines.contains(line));
        lines.map(|line| format!("  {mark} {line}\n")).collect()
    };
    let mut lines = only('-', expected, found) + &only('+', found, expected);
    if lines.is_empty() {
        let nothing = Ranked { task: String::new(), lines: Vec::new() };
        lines = only('-', expected, &nothing) + &only('+', found, &nothing);
    }
    format!("{TASK}{}\n{lines}", expected.task)
}
