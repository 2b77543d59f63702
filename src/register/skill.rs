//! The skill: a file SKILL.md that an agent loads when a task fits its description.

use super::{Act, Edit, agents, lines};
use crate::error::{Error, Result};

/// The front matter, which clients always show to the model.
const FRONT_MATTER: &[&str] = &[
    "---",
    "name: codedb",
    "description: Find and read code with the index of codedb (MCP server `codedb`) instead of grep and \
     whole files. Use it at the start of a task, a bug report or a stack trace, to find definitions, \
     callers, tests and text, to see which code runs from A to B, and before reading several files.",
    "---",
    "",
];

/// The text, which a client loads on demand.
const BODY: &[&str] = &[
    agents::BEGIN,
    "# Which tool of codedb to use when",
    "",
    "1. A task, a bug report, a stack trace: `codedb_context` first, with the whole text. Often that is enough.",
    "2. A definition: `codedb_symbol` with `body`. Who calls it: `codedb_callers`.",
    "3. Which code runs from A to B, or from A on (a function, flag, route or message): `codedb_trace`.",
    "4. A text or a regular expression: `codedb_search`, which shows lines below their functions.",
    "5. Everything that is left to read, in one call: `codedb_read` with several `targets`.",
    "6. What is in a file: `codedb_outline`. Which tests to run: `codedb_suggest_tests`.",
    "",
    "Use grep for files outside of the tree, ignored files and the output of programs.",
    "A reply marked `partial` is incomplete, because the index is still being built: repeat the call.",
    agents::END,
];

/// Returns the skill for the file `text`, which is empty if there is none; `None` if it is there.
/// An older version is replaced; what a user wrote around it stays.
///
/// # Errors
///
/// [`Kind::Usage`](crate::Kind::Usage) if the file is another skill, or a marker is missing,
/// repeated, or out of order.
pub fn register(text: &str) -> Result<Option<Edit>> {
    if text.trim().is_empty() {
        let lines: Vec<&str> = FRONT_MATTER.iter().chain(BODY).copied().collect();
        return Ok(Some(Edit { text: lines.join("\n") + "\n", act: Act::Adds }));
    }
    let Some(range) = agents::range(text)? else {
        return Err(Error::usage("another skill named codedb")
            .with_hint("rename its directory, or remove it, and run the command again"));
    };
    let body = BODY.join(lines::line_end(text));
    if text[range.clone()] == body {
        return Ok(None);
    }
    let text = format!("{}{body}{}", &text[..range.start], &text[range.end..]);
    Ok(Some(Edit { text, act: Act::Moves }))
}

/// Removes the skill from the file `text`; `None` if there is none.
///
/// # Errors
///
/// As [`register`], but another skill is left alone.
pub fn unregister(text: &str) -> Result<Option<Edit>> {
    let Some(range) = agents::range(text)? else { return Ok(None) };
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let is_own = before.lines().eq(FRONT_MATTER.iter().copied()) && after.trim().is_empty();
    if is_own {
        return Ok(Some(Edit { text: String::new(), act: Act::RemovesAll }));
    }
    let text = lines::cut(text, lines::whole_lines(text, range));
    Ok(Some(Edit { text, act: Act::Removes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_is_added_updated_and_removed() {
        let added = register("").expect("none").expect("an edit");
        assert_eq!(added.act, Act::Adds);
        assert!(added.text.starts_with("---\nname: codedb\ndescription: "), "{}", added.text);
        assert_eq!(register(&added.text).expect("it is there"), None);
        let crlf = added.text.replace('\n', "\r\n");
        assert_eq!(register(&crlf).expect("it is there"), None);
        for text in [&added.text, &crlf] {
            let gone = unregister(text).expect("it is there").expect("an edit");
            assert_eq!((gone.text.as_str(), gone.act), ("", Act::RemovesAll));
        }
        let older = added.text.replace("Often that is enough.", "Old.");
        let renewed = register(&older).expect("it is there").expect("an edit");
        assert_eq!((renewed.text, renewed.act), (added.text, Act::Moves));
    }

    #[test]
    fn a_description_fits_the_limit_of_the_format() {
        let description = FRONT_MATTER[2].strip_prefix("description: ").expect("the third line");
        assert!(description.chars().count() <= 1024);
        // A colon with a blank would start a mapping in YAML.
        assert!(!description.contains(": ") && !description.contains('#'), "{description}");
    }

    #[test]
    fn what_a_user_wrote_stays() {
        let foreign = "---\nname: codedb\n---\nMine.\n";
        let error = register(foreign).expect_err("another skill");
        assert!(error.to_string().contains("another skill"), "{error}");
        assert_eq!(unregister(foreign).expect("no marks"), None);
        let added = register("").expect("none").expect("an edit").text;
        let extended = format!("{added}\nMine.\n");
        let gone = unregister(&extended).expect("marks").expect("an edit");
        assert_eq!(gone.act, Act::Removes);
        assert!(gone.text.ends_with("Mine.\n") && !gone.text.contains("codedb_context"));
    }
}
