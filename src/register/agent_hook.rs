//! Edits the hook of an agent that reminds it of codedb's tools, `codedb hook CLIENT`.
//!
//! The hook runs when the agent calls a tool that may search, and its output is added to what the
//! model reads. A call is never blocked: the command line ends with `|| true`, because some exit
//! codes of a hook do block.

use super::jsonc::hooks::{self, Hook};
use super::{Edit, Launch, after_byte_order_mark, launch};
use crate::error::{Error, Result};

/// The subcommand that the hook runs.
pub const COMMAND: &str = "hook";

/// How an agent runs hooks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HookEvent {
    /// The name of the event at which output of a hook reaches the model.
    pub name: &'static str,
    /// The tools that may search, as a pattern.
    pub tools: &'static str,
}

/// Adds the hook to the settings `text`, which may be empty; `None` if it is there.
///
/// # Errors
///
/// [`Kind::Usage`](crate::Kind::Usage) if the settings cannot be parsed or edited safely, or if
/// `launch` is a launcher of packages, which takes longer than a search.
pub fn register(text: &str, event: HookEvent, id: &str, launch: &Launch) -> Result<Option<Edit>> {
    if !launch.args.is_empty() {
        let program = crate::base::text::plain(&launch.program);
        return Err(Error::usage(format!("`{program}` starts too slowly for a hook")).with_hint(
            "install codedb so that PATH finds it, or choose the program with `--command`",
        ));
    }
    let command = format!("{} {COMMAND} {id} || true", launch.shell_line());
    if !is_own(&command) {
        // It could neither be found again nor removed.
        let program = crate::base::text::plain(&launch.program);
        return Err(Error::usage(format!(
            "the program of a hook is not called codedb: `{program}`"
        ))
        .with_hint("give it the name `codedb`, or choose another one with `--command`"));
    }
    after_byte_order_mark(text, |body| hooks::register(body, hook(event, &command)))
}

/// Removes the hook from the settings `text`; `None` if it is not there.
///
/// # Errors
///
/// [`Kind::Usage`](crate::Kind::Usage) if the settings cannot be parsed or edited safely.
pub fn unregister(text: &str, event: HookEvent) -> Result<Option<Edit>> {
    after_byte_order_mark(text, |body| hooks::unregister(body, hook(event, "")))
}

fn hook(event: HookEvent, command: &str) -> Hook<'_> {
    Hook { event: event.name, matcher: event.tools, command, is_own }
}

/// Returns true for a command line that runs `codedb hook`, in any way in which codedb starts.
fn is_own(command: &str) -> bool {
    let words = command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let words: Vec<&str> = words.collect();
    words.windows(2).any(|pair| pair[1] == COMMAND && launch::names_codedb(pair[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hook_of_codedb_is_recognized() {
        for own in [
            "codedb hook claude-code || true",
            "'/a b/codedb' hook codex",
            "C:\\bin\\codedb.exe hook x",
            "timeout 1 uvx codedb-cli@1.2 hook gemini",
        ] {
            assert!(is_own(own), "{own}");
        }
        for other in ["codedb", "codedb check", "other hook x", "echo codedb; hook"] {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn a_launcher_of_packages_is_refused() {
        let event = HookEvent { name: "PreToolUse", tools: "Bash" };
        let launch = Launch::words(&["npx", "-y", "codedb"]);
        let error = register("", event, "claude-code", &launch).expect_err("it is slow");
        assert!(error.to_string().contains("starts too slowly"), "{error}");
    }
}
