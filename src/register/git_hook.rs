//! Edits git's hook `pre-commit` for `codedb init --git-hook`.
//!
//! The entry is a block between two marks. It is placed after the first line of an existing shell
//! script, so that it runs whatever the rest of the script does, and all other bytes stay.

use super::launch::quoted;
use super::{Act, Edit, Launch};
use crate::error::{Error, Result};

const START: &str = "# >>> codedb check >>>\n";
const END: &str = "# <<< codedb check <<<\n";

/// The start of a hook that contains nothing else.
const OWN: &str = "#!/bin/sh\n# Created by `codedb init --git-hook`.\n";

/// Adds the call of `launch` to the hook `text`, which is empty if there is none; `None` if it has
/// exactly this call already. `level` is the level from which on commits are blocked; `None` for the
/// default.
///
/// # Errors
///
/// [`crate::Kind::Usage`] if the hook is no shell script.
pub fn install(text: &str, launch: &Launch, level: Option<&str>) -> Result<Option<Edit>> {
    let level = level.map(|level| format!(" --fail-on {level}")).unwrap_or_default();
    let program = quoted(&launch.program);
    let call = launch.shell_line();
    // Without the program, a commit passes, with a message.
    let block = format!(
        "{START}if command -v {program} >/dev/null 2>&1; then\n  \
         {call} check --pre-commit{level} || exit $?\nelse\n  \
         echo 'codedb is not installed: the commit was not checked' >&2\nfi\n{END}"
    );
    if let Some((before, own, after)) = parts(text) {
        return Ok((own != block)
            .then(|| Edit { text: format!("{before}{block}{after}"), act: Act::Moves }));
    }
    if text.is_empty() {
        return Ok(Some(Edit { text: format!("{OWN}{block}"), act: Act::Adds }));
    }
    let Some((first, rest)) = text.split_once('\n').filter(|(first, _)| is_shell(first)) else {
        return Err(Error::usage("the hook is no shell script").with_hint(format!(
            "call `{} check --pre-commit` from it by hand",
            crate::base::text::plain(&call)
        )));
    };
    Ok(Some(Edit { text: format!("{first}\n{block}{rest}"), act: Act::Adds }))
}

/// Removes the call from the hook `text`; `None` if it has none.
pub fn remove(text: &str) -> Option<Edit> {
    let (before, _, after) = parts(text)?;
    if before == OWN && after.is_empty() {
        return Some(Edit { text: String::new(), act: Act::RemovesAll });
    }
    Some(Edit { text: format!("{before}{after}"), act: Act::Removes })
}

/// Returns the text before the block, the block, and the text after it.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find(START)?;
    let end = start + text[start..].find(END)? + END.len();
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// Returns true for the first line of a shell script.
fn is_shell(line: &str) -> bool {
    let Some(program) = line.trim_end_matches('\r').strip_prefix("#!") else { return false };
    let words = program.split_whitespace().filter(|word| !word.starts_with('-'));
    let names = words.map(|word| word.rsplit('/').next().unwrap_or_default());
    let mut names = names.skip_while(|name| *name == "env");
    names.next().is_some_and(|name| ["sh", "bash", "dash", "zsh", "ksh"].contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_hook_keeps_every_byte() {
        for text in
            ["#!/bin/sh\nexit 0\n", "#!/usr/bin/env -S bash\nno newline", "#!/bin/sh\n\r\n\t\n"]
        {
            let edit = install(text, &Launch::program("codedb"), None)
                .expect("a script")
                .expect("a change");
            assert!(
                edit.text.contains("\n  codedb check --pre-commit || exit $?\n"),
                "{}",
                edit.text
            );
            assert_eq!(
                install(&edit.text, &Launch::program("codedb"), None).expect("a script"),
                None
            );
            let removed = remove(&edit.text).expect("it is there");
            assert_eq!((removed.text.as_str(), removed.act), (text, Act::Removes));
        }
    }

    #[test]
    fn a_hook_of_its_own_disappears() {
        let edit = install("", &Launch::program("/a b/codedb"), Some("MEDIUM"))
            .expect("none")
            .expect("a change");
        let call = "'/a b/codedb' check --pre-commit --fail-on MEDIUM || exit $?";
        assert!(edit.text.contains(call), "{}", edit.text);
        let removed = remove(&edit.text).expect("it is there");
        assert_eq!((removed.text.as_str(), removed.act), ("", Act::RemovesAll));
        assert_eq!(remove("#!/bin/sh\n"), None);
    }

    #[test]
    fn a_launcher_gets_its_package() {
        let launch = Launch::words(&["npx", "-y", "codedb"]);
        let edit = install("", &launch, None).expect("none").expect("a change").text;
        assert!(edit.contains("if command -v npx >/dev/null"), "{edit}");
        assert!(edit.contains("\n  npx -y codedb check --pre-commit || exit $?\n"), "{edit}");
        assert_eq!(remove(&edit).expect("it is there").text, "");
    }

    #[test]
    fn other_programs_are_refused() {
        for text in ["#!/usr/bin/env python3\nprint(1)\n", "exit 0\n", "#!/bin/sh"] {
            assert!(install(text, &Launch::program("codedb"), None).is_err(), "{text}");
        }
    }

    #[test]
    fn a_new_level_replaces_the_old_one() {
        let first = install("#!/bin/sh\nx\n", &Launch::program("codedb"), None)
            .expect("ok")
            .expect("a change");
        let second = install(&first.text, &Launch::program("codedb"), Some("LOW"))
            .expect("ok")
            .expect("a change");
        assert_eq!(second.act, Act::Moves);
        assert_eq!(remove(&second.text).expect("it is there").text, "#!/bin/sh\nx\n");
    }
}
