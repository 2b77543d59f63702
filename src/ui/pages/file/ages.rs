//! Who last changed each line of a file, and when.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::answer::ago::ago;
use crate::base::text::plain;
use crate::base::time;
use crate::error::Result;
use crate::tools::{Call, ownership};

const SECOND_NS: i64 = 1_000_000_000;

/// Classes of ages, the newest first, each with its greatest age in days.
const CLASSES: &[(&str, i64)] = &[("a0", 14), ("a1", 90), ("a2", 365), ("a3", 3 * 365)];

/// The age of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Age {
    /// Its class of the style sheet.
    pub(super) class: &'static str,
    /// What is shown.
    pub(super) shown: String,
    /// Commit, author and time.
    pub(super) title: String,
}

/// Returns the ages of the lines `texts` of a file, the first of which is the line `first`; `None` if no commit
/// has the file. Lines that differ from the last commit are new.
///
/// # Errors
///
/// If git fails.
pub(super) fn of(
    call: &Call<'_>,
    path: &str,
    texts: &[&str],
    first: usize,
) -> Result<Option<Vec<Age>>> {
    let Some((blame, text)) = ownership::of_lines(call, path.as_bytes())? else { return Ok(None) };
    let committed: Vec<&str> = text.lines().collect();
    // All lines before those that are shown are needed to know which of them are the same.
    let ages: Vec<Age> = {
        let mut ages = vec![Age::default(); committed.len()];
        for part in &blame.lines {
            let class = class(call.now_ns, part.committed_s);
            let at = time::format(part.committed_s.saturating_mul(SECOND_NS));
            let commit: String = part.commit.to_string().chars().take(8).collect();
            let author = plain(part.author_name.trim());
            let age = Age {
                class,
                shown: ago(&at, call.now_ns).unwrap_or_else(|| at.clone()),
                title: format!("{commit} {author}, {at}"),
            };
            for line in part.line..part.line + part.lines {
                if let Some(place) = line.checked_sub(1).and_then(|at| ages.get_mut(at)) {
                    *place = age.clone();
                }
            }
        }
        ages
    };
    let new = Age {
        class: "a0",
        shown: "not committed".to_owned(),
        title: "differs from the last commit".to_owned(),
    };
    let mut found = vec![new; texts.len()];
    if first == 1 {
        for op in capture_diff_slices(Algorithm::Myers, &committed, texts) {
            if op.tag() == DiffTag::Equal {
                for (old, new) in op.old_range().zip(op.new_range()) {
                    found[new] = ages.get(old).cloned().unwrap_or_default();
                }
            }
        }
    } else if committed.get(first - 1..first - 1 + texts.len()) == Some(texts) {
        found = ages[first - 1..first - 1 + texts.len()].to_vec();
    } else {
        let unknown =
            Age { shown: "?".to_owned(), title: "lines were moved".to_owned(), class: "" };
        found = vec![unknown; texts.len()];
    }
    Ok(Some(found))
}

fn class(now_ns: i64, committed_s: i64) -> &'static str {
    let days = (now_ns.div_euclid(SECOND_NS) - committed_s).div_euclid(86_400);
    CLASSES.iter().find(|(_, max)| days <= *max).map_or("a4", |(class, _)| class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_classes() {
        let now_s = 1_770_000_000_i64;
        for (days, expected) in [(-1, "a0"), (14, "a0"), (15, "a1"), (365, "a2"), (5_000, "a4")] {
            assert_eq!(class(now_s * SECOND_NS, now_s - days * 86_400), expected, "{days}");
        }
    }
}
