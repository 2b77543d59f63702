//! Compares an answer with the key of its task.

use super::tasks::Task;

/// The maximum length of an answer in characters: a longer one is wrong, because an answer that
/// lists everything contains every fact.
pub const ANSWER_CHARS_MAX: usize = 4_000;

/// Returns what is wrong with an answer; nothing if it is right: it is not empty, has at most
/// [`ANSWER_CHARS_MAX`] characters, contains an alternative of each fact and nothing of `must_not`.
/// Texts are compared without case. O(answer · key).
pub fn faults(answer: &str, task: &Task) -> Vec<String> {
    let answer = answer.trim();
    if answer.is_empty() {
        return vec!["the answer is empty".to_owned()];
    }
    let length = answer.chars().count();
    if length > ANSWER_CHARS_MAX {
        return vec![format!("the answer has {length} characters, more than {ANSWER_CHARS_MAX}")];
    }
    let folded = answer.to_lowercase();
    let contains = |text: &String| folded.contains(&text.to_lowercase());
    let missing = task.must.iter().filter(|fact| !fact.iter().any(contains));
    let missing = missing.map(|fact| format!("missing: `{}`", fact.join("` or `")));
    let forbidden = task.must_not.iter().filter(|text| contains(text));
    missing.chain(forbidden.map(|text| format!("contains `{text}`"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> Task {
        let text = "[[task]]\nid = 't'\nquestion = 'Who reads it?'\nmust = [['read_head', 'parse'], \
                    ['Straße.rs']]\nmust_not = ['write_head']\n";
        super::super::tasks::of_file(text).expect("a task").remove(0)
    }

    fn check(answer: &str, expected: &[&str]) {
        assert_eq!(faults(answer, &task()), expected, "{answer}");
    }

    #[test]
    fn each_fact_needs_one_of_its_alternatives_in_any_case() {
        check("`Conn::READ_HEAD` in straße.RS", &[]);
        check("It is parse() of Straße.rs.", &[]);
        check("parse and read_head", &["missing: `Straße.rs`"]);
        check("I do not know.", &["missing: `read_head` or `parse`", "missing: `Straße.rs`"]);
        check("read_\nhead of Straße.rs", &["missing: `read_head` or `parse`"]);
    }

    #[test]
    fn an_answer_that_lists_everything_is_wrong() {
        check("read_head, write_head, Straße.rs", &["contains `write_head`"]);
        check(
            "write_head",
            &["missing: `read_head` or `parse`", "missing: `Straße.rs`", "contains `write_head`"],
        );
        let facts = "read_head Straße.rs ";
        let long = facts.repeat(ANSWER_CHARS_MAX / facts.chars().count());
        assert_eq!(long.trim().chars().count(), ANSWER_CHARS_MAX - 1);
        check(&long, &[]);
        check(&(long + "xx"), &["the answer has 4002 characters, more than 4000"]);
        // White space around an answer does not count.
        check(&format!("{}read_head Straße.rs{}", " ".repeat(5_000), "\n".repeat(5_000)), &[]);
    }

    #[test]
    fn an_empty_answer_is_wrong_whatever_the_key_is() {
        for answer in ["", " \n\t"] {
            check(answer, &["the answer is empty"]);
        }
    }
}
