//! Selects the tools of a server, in the order of the tool list, and defines how long each waits for
//! the index.
//!
//! The order is stable, because clients cache the list and the prompt cache of a model depends on its
//! exact bytes: a new tool is appended to its toolset, and existing tools keep their order.

use std::time::Duration;

use super::Allows;
use crate::answer::nearest;
use crate::error::{Error, Result};
use crate::tools::{Effect, TOOLS, Tool, Toolset, UNLISTED};

/// Whether tools that write files are offered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Writes {
    /// They are offered.
    Allowed,
    /// They are not offered, and a call of one fails.
    Refused,
}

/// How long after the start of a project its calls wait for the code index, so that the first reply
/// is as complete as later ones. Calls after that time do not wait.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

impl Toolset {
    /// Parses a list of toolsets such as `core,navigate`, or `all`.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] for an unknown name or an empty list.
    pub fn parse(list: &str) -> Result<Vec<Toolset>> {
        let mut sets = Vec::new();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match Toolset::ALL.into_iter().find(|set| set.name() == name) {
                Some(set) => sets.push(set),
                None if name == "all" => sets.extend(Toolset::ALL),
                None => {
                    let names = Toolset::ALL.map(Toolset::name).join(", ");
                    return Err(Error::usage(format!("unknown toolset `{name}`"))
                        .with_hint(format!("valid: {names}, `all`")));
                }
            }
        }
        if sets.is_empty() {
            Err(Error::usage("no toolset is named").with_hint("the default is `core`"))
        } else {
            Ok(sets)
        }
    }
}

/// Returns the tools of `sets` in the order of the tool list; the order of `sets` has no effect.
/// Tools that write files do not depend on `sets`: they are included exactly if `writes` allows them.
pub(super) fn tools(sets: &[Toolset], writes: Writes) -> Vec<&'static Tool> {
    let of_set = |set| TOOLS.iter().filter(move |tool| tool.toolset == set);
    Toolset::ALL
        .into_iter()
        .flat_map(of_set)
        .filter(|tool| match tool.effect {
            Effect::ReadOnly | Effect::Adds | Effect::Records | Effect::Starts => {
                sets.contains(&tool.toolset) || tool.also.is_some_and(|also| sets.contains(&also))
            }
            Effect::Writes => writes == Writes::Allowed,
        })
        .collect()
}

/// Returns the tool of a call: one of `offered`, by its name or without the prefix, or one that no list
/// contains and whose toolset is offered.
pub(super) fn named(name: &str, offered: &[&'static Tool]) -> Option<&'static Tool> {
    let is_named = |tool: &Tool| {
        tool.name == name || tool.name.strip_prefix(PREFIX).is_some_and(|short| short == name)
    };
    let listed = offered.iter().copied().find(|tool| is_named(tool));
    let has_set = |set| offered.iter().any(|tool| tool.toolset == set || tool.also == Some(set));
    let mut unlisted = UNLISTED.iter().filter(|tool| has_set(tool.toolset));
    listed.or_else(|| unlisted.find(|tool| is_named(tool)))
}

/// The start of the names of tools, which clients of other programs leave out.
const PREFIX: &str = "codedb_";

/// Removes the tools that `allows` does not permit.
pub(super) fn withhold(tools: &mut Vec<&'static Tool>, allows: Allows) {
    tools.retain(|tool| allows.index || tool.effect != Effect::Adds);
}

/// Returns how long after the start of a project a call of `tool` waits for the index.
pub(super) fn patience(tool: &Tool) -> Duration {
    if tool.needs.is_indexed() { PATIENCE } else { Duration::ZERO }
}

/// Returns the error message for a tool that is not in `offered`.
pub(super) fn unknown(name: &str, offered: &[&'static Tool]) -> String {
    if let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) {
        let set = tool.toolset.name();
        return match tool.effect {
            Effect::Writes => {
                format!("the tool `{name}` writes files, which only `--allow-edit` allows")
            }
            Effect::Adds if offered.iter().any(|other| other.toolset == tool.toolset) => {
                format!("the tool `{name}` is offered only by `codedb serve --allow-index`")
            }
            Effect::ReadOnly | Effect::Adds | Effect::Records | Effect::Starts => format!(
                "the tool `{name}` belongs to the toolset `{set}`, which this server does not \
                 offer; `--toolsets core,{set}` does"
            ),
        };
    }
    let shown: String = crate::base::text::plain(name).chars().take(80).collect();
    let names = offered.iter().map(|tool| tool.name.as_bytes());
    match nearest::among(names, name.as_bytes()).first() {
        Some(&at) => format!("there is no tool `{shown}`; the nearest is `{}`", offered[at].name),
        None => format!("there is no tool `{shown}`; `tools/list` has all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = "codedb_index";

    #[test]
    fn every_tool_is_in_one_set() {
        let mut sets = Toolset::ALL;
        sets.reverse();
        let all = tools(&sets, Writes::Allowed);
        assert_eq!(all.len(), TOOLS.len());
        for tool in TOOLS {
            let count = all.iter().filter(|other| other.name == tool.name).count();
            assert_eq!(count, 1, "{}", tool.name);
        }
    }

    #[test]
    fn the_start_of_the_list_is_stable() {
        let names = |sets: &[Toolset]| -> Vec<&str> {
            tools(sets, Writes::Refused).iter().map(|tool| &tool.name["codedb_".len()..]).collect()
        };
        let core = "context search symbol callers outline read find tree deps status suggest_tests";
        let navigate = "word ls glob callpath explain hot changes query bundle projects index";
        assert!(names(&[Toolset::Core]).join(" ").starts_with(core));
        assert!(names(&[Toolset::Navigate]).join(" ").starts_with(navigate));
    }

    #[test]
    fn only_read_only_tools_are_offered_by_default() {
        let mut all = tools(&[Toolset::Core, Toolset::Navigate], Writes::Refused);
        assert!(all.iter().all(|tool| tool.effect != Effect::Writes));
        withhold(&mut all, Allows::default());
        assert!(all.iter().all(|tool| tool.effect == Effect::ReadOnly));
        let core = tools(&[Toolset::Core], Writes::Allowed);
        assert!(core.iter().any(|tool| tool.name == "codedb_edit"));
        assert_eq!(core.len(), tools(&[Toolset::Core], Writes::Refused).len() + 1);
    }

    #[test]
    fn toolsets_are_parsed() {
        assert_eq!(Toolset::parse("core").expect("one"), [Toolset::Core]);
        assert_eq!(Toolset::parse("all").expect("all"), Toolset::ALL);
        let sets = Toolset::parse("decisions, drift, navigate, check, history, core")
            .expect("all of them");
        assert_eq!(tools(&sets, Writes::Allowed).len(), TOOLS.len());
        for list in ["cor", "", ","] {
            assert!(Toolset::parse(list).is_err(), "{list}");
        }
    }

    #[test]
    fn adding_projects_requires_a_flag() {
        let mut all = tools(&[Toolset::Core, Toolset::Navigate], Writes::Refused);
        withhold(&mut all, Allows { index: true, clone: false });
        assert!(all.iter().any(|tool| tool.name == INDEX));
        withhold(&mut all, Allows::default());
        assert!(all.iter().all(|tool| tool.name != INDEX));
        let message = unknown(INDEX, &all);
        assert!(message.contains("`codedb serve --allow-index`"), "{message}");
    }

    #[test]
    fn unknown_tools_have_distinct_messages() {
        let core = tools(&[Toolset::Core], Writes::Refused);
        let check = |name: &str, part: &str| {
            let message = unknown(name, &core);
            assert!(message.contains(part), "{message}");
        };
        check("codedb_word", "--toolsets core,navigate");
        check("codedb_index", "--toolsets core,navigate");
        check("codedb_edit", "only `--allow-edit` allows");
        check("codedb_symbols", "the nearest is `codedb_symbol`");
        check("\u{1b}[2J", "there is no tool `");
    }
}
