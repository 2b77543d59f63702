//! Which tools belong together, in the order in which they are offered, and what each waits for.
//!
//! A client remembers the list, and a model's cache hangs on its bytes: what is new comes last in its
//! set, and nothing moves.

use std::time::Duration;

use super::Allows;
use crate::answer::nearest;
use crate::error::{Error, Result};
use crate::tools::{self, Effect, Tool};

/// Tools that are offered together.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Toolset {
    /// What an agent needs in every session.
    Core,
    /// More ways through the code.
    Navigate,
}

/// Whether tools that write files are offered.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Writes {
    /// They are.
    Allowed,
    /// They are not, nor known.
    Refused,
}

/// Every set with its name.
const TOOLSETS: [(&str, Toolset); 2] = [("core", Toolset::Core), ("navigate", Toolset::Navigate)];

const CORE: &[&str] = &[
    "codedb_context",
    "codedb_search",
    "codedb_symbol",
    "codedb_callers",
    "codedb_outline",
    "codedb_read",
    "codedb_find",
    "codedb_tree",
    "codedb_deps",
    "codedb_status",
];

const NAVIGATE: &[&str] = &[
    "codedb_word",
    "codedb_ls",
    "codedb_glob",
    "codedb_callpath",
    "codedb_explain",
    "codedb_hot",
    "codedb_changes",
    "codedb_query",
    "codedb_bundle",
    "codedb_projects",
    "codedb_index",
    "codedb_edit",
];

/// Tools that are about the session and need no tree.
const OF_SESSION: &[&str] = &["codedb_projects", INDEX];

/// The tool that lets a call choose what is served. It is offered where the user allowed that.
const INDEX: &str = "codedb_index";

/// Tools whose answers are whole without any index.
const OF_FILES: &[&str] = &[
    "codedb_edit",
    "codedb_search",
    "codedb_status",
    "codedb_read",
    "codedb_find",
    "codedb_tree",
    "codedb_ls",
    "codedb_glob",
    "codedb_hot",
    "codedb_changes",
];

/// Tools that look something up, most often in less time than it takes to hand a call to another thread.
const LOOK_UPS: &[&str] = &[
    "codedb_symbol",
    "codedb_outline",
    "codedb_read",
    "codedb_find",
    "codedb_deps",
    "codedb_status",
    "codedb_word",
    "codedb_ls",
];

/// How long after the start a call waits for symbols and words, so that the first one is as good as
/// the next; later ones wait no more.
pub(super) const PATIENCE: Duration = Duration::from_millis(2500);

impl Toolset {
    /// Returns the sets of a list such as `core,navigate`, or of `all`.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] for a name that is none.
    pub fn parse(list: &str) -> Result<Vec<Toolset>> {
        let mut sets = Vec::new();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match TOOLSETS.iter().find(|(other, _)| *other == name) {
                Some((_, set)) => sets.push(*set),
                None if name == "all" => sets.extend(TOOLSETS.map(|(_, set)| set)),
                None => {
                    let names = TOOLSETS.map(|(name, _)| name).join(", ");
                    return Err(Error::usage(format!("`{name}` is no toolset"))
                        .with_hint(format!("there are {names}, and `all`")));
                }
            }
        }
        match sets.is_empty() {
            true => Err(Error::usage("no toolset is named").with_hint("the default is `core`")),
            false => Ok(sets),
        }
    }

    /// Returns its name.
    pub(super) fn name(self) -> &'static str {
        TOOLSETS.iter().find(|(_, set)| *set == self).map_or("", |(name, _)| name)
    }

    fn names(self) -> &'static [&'static str] {
        match self {
            Toolset::Core => CORE,
            Toolset::Navigate => NAVIGATE,
        }
    }
}

/// Returns the tools of `sets` in their order, whatever the order of the sets; those that write, and
/// they whatever the sets, only if they are allowed.
pub(super) fn tools(sets: &[Toolset], writes: Writes) -> Vec<&'static Tool> {
    let all = TOOLSETS.iter().flat_map(|(_, set)| set.names().iter().map(move |name| (set, name)));
    all.filter_map(|(set, name)| Some((set, tools::find(name)?)))
        .filter(|(set, tool)| match tool.effect {
            Effect::ReadOnly | Effect::Adds => sets.contains(set),
            Effect::Writes => writes == Writes::Allowed,
        })
        .map(|(_, tool)| tool)
        .collect()
}

/// Returns true if the tool is about the session and needs no tree.
pub(super) fn is_of_session(tool: &Tool) -> bool {
    OF_SESSION.contains(&tool.name)
}

/// Returns true if the tool looks something up, rather than working through texts.
pub(super) fn looks_up(tool: &Tool) -> bool {
    LOOK_UPS.contains(&tool.name)
}

/// Takes out of `tools` those that `allows` does not allow.
pub(super) fn withhold(tools: &mut Vec<&'static Tool>, allows: Allows) {
    tools.retain(|tool| allows.index || tool.name != INDEX);
}

/// Returns how long after the start a call of `tool` waits for the index.
pub(super) fn patience(tool: &Tool) -> Duration {
    let is_whole = OF_FILES.contains(&tool.name) || is_of_session(tool);
    if is_whole { Duration::ZERO } else { PATIENCE }
}

/// Returns the sentence for a tool that is not among those offered.
pub(super) fn unknown(name: &str, offered: &[&'static Tool]) -> String {
    if tools::find(name).is_some_and(|tool| tool.name == name && tool.effect == Effect::Writes) {
        return format!("the tool `{name}` writes files, which only `--allow-edit` allows");
    }
    let of_set = TOOLSETS.iter().find(|(_, set)| set.names().contains(&name));
    let has_set = |names: &[&str]| offered.iter().any(|tool| names.contains(&tool.name));
    if name == INDEX && has_set(NAVIGATE) {
        return format!("the tool `{name}` is offered by `codedb serve --allow-index` alone");
    }
    if let Some((_, set)) = of_set {
        let set = set.name();
        return format!(
            "the tool `{name}` belongs to the toolset `{set}`, which this server does not offer; \
             `--toolsets core,{set}` does"
        );
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
    use crate::tools::TOOLS;

    #[test]
    fn every_tool_is_in_one_set() {
        let all = tools(&[Toolset::Navigate, Toolset::Core], Writes::Allowed);
        let names: Vec<&str> = all.iter().map(|tool| tool.name).collect();
        assert_eq!(names, [CORE, NAVIGATE].concat());
        for tool in TOOLS {
            let count = names.iter().filter(|name| **name == tool.name).count();
            assert_eq!(count, 1, "{}", tool.name);
        }
        assert!(OF_FILES.iter().chain(LOOK_UPS).all(|name| names.contains(name)));
    }

    #[test]
    fn only_tools_that_read_are_offered_unasked() {
        let mut all = tools(&[Toolset::Core, Toolset::Navigate], Writes::Refused);
        assert!(all.iter().all(|tool| tool.effect != Effect::Writes));
        withhold(&mut all, Allows::default());
        assert!(all.iter().all(|tool| tool.effect == Effect::ReadOnly));
        let core = tools(&[Toolset::Core], Writes::Allowed);
        assert_eq!(core.last().map(|tool| tool.name), Some("codedb_edit"));
        assert_eq!(core.len(), CORE.len() + 1);
    }

    #[test]
    fn sets_are_named() {
        assert_eq!(Toolset::parse("core").expect("one"), [Toolset::Core]);
        assert_eq!(Toolset::parse("all").expect("two"), [Toolset::Core, Toolset::Navigate]);
        let sets = Toolset::parse("navigate, core").expect("two");
        assert_eq!(tools(&sets, Writes::Allowed).len(), TOOLS.len());
        for list in ["cor", "", ","] {
            assert!(Toolset::parse(list).is_err(), "{list}");
        }
    }

    #[test]
    fn who_may_add_projects_is_for_the_user_to_say() {
        let mut all = tools(&[Toolset::Core, Toolset::Navigate], Writes::Refused);
        withhold(&mut all, Allows { index: true, clone: false });
        assert!(all.iter().any(|tool| tool.name == INDEX));
        withhold(&mut all, Allows::default());
        assert!(all.iter().all(|tool| tool.name != INDEX));
        let told = unknown(INDEX, &all);
        assert!(told.contains("`codedb serve --allow-index`"), "{told}");
    }

    #[test]
    fn unknown_tools_are_told_apart() {
        let core = tools(&[Toolset::Core], Writes::Refused);
        let check = |name: &str, part: &str| {
            let told = unknown(name, &core);
            assert!(told.contains(part), "{told}");
        };
        check("codedb_word", "--toolsets core,navigate");
        check("codedb_index", "--toolsets core,navigate");
        check("codedb_edit", "only `--allow-edit` allows");
        check("codedb_symbols", "the nearest is `codedb_symbol`");
        check("\u{1b}[2J", "there is no tool `");
    }
}
