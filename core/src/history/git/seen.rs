//! What git answered while one reply is made.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::error::Result;

/// The maximum number of answers of one kind that are held.
const ANSWERS_MAX: usize = 64;

/// Answers, by the name that was asked about.
pub(super) type Answers<T> = Mutex<BTreeMap<String, T>>;

/// Returns the answer that is held for `name`, or that of `ask`. A failure is not held.
pub(super) fn once<T: Clone>(
    answers: Option<&Answers<T>>,
    name: &str,
    ask: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let Some(answers) = answers else { return ask() };
    let held = || answers.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = held().get(name) {
        return Ok(answer.clone());
    }
    let answer = ask()?;
    let mut answers = held();
    if answers.len() < ANSWERS_MAX {
        answers.insert(name.to_owned(), answer.clone());
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn git_is_asked_once_for_each_name() {
        let (answers, asked) = (Answers::<u32>::default(), Cell::new(0));
        let ask = |answers, name| {
            once(answers, name, || {
                asked.set(asked.get() + 1);
                Ok(asked.get())
            })
        };
        let all = [ask(Some(&answers), "a"), ask(Some(&answers), "a"), ask(Some(&answers), "b")];
        assert_eq!(all.map(|answer| answer.expect("it answers")), [1, 1, 2]);
        assert_eq!(ask(None, "a").expect("it answers"), 3, "nothing is held");
    }
}
