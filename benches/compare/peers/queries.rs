//! The queries: patterns with the same meaning in ripgrep, `grep -E`, PCRE, RE2 and ugrep.

use super::super::rows::Profile;
use super::super::tree::Tree;

/// A search.
pub(crate) struct Query {
    /// The name in the table and for `--only`.
    pub(crate) name: &'static str,
    /// Only literals, `|`, ASCII classes and `+`.
    pub(crate) pattern: String,
    /// Whether the search ignores case.
    pub(crate) ignore_case: bool,
}

/// Returns the searches of a tree.
pub(crate) fn of(tree: &Tree) -> Vec<Query> {
    let (rare, common) = (tree.rare.as_str(), tree.common.as_str());
    let [rare, common, folded, alternation, classes] = match tree.profile {
        Profile::Linux => [
            "clk_hw_register_gate2",
            "mutex_lock",
            "pm_resume",
            "ERR_SYS|PME_TURN_OFF|LINK_REQ_RST|CFG_BME_EVT",
            "[A-Z]+_RESUME",
        ]
        .map(str::to_owned),
        Profile::React => [
            "scheduleImmediateRootScheduleTask",
            "useState",
            "usestate",
            "useDebugValue|useSyncExternalStore|useInsertionEffect|useImperativeHandle",
            "use[A-Z][a-z]+Effect",
        ]
        .map(str::to_owned),
        Profile::Generic => [
            rare.to_owned(),
            common.to_owned(),
            common.to_ascii_lowercase(),
            format!("{rare}|{common}"),
            format!("{common}[A-Za-z_]+"),
        ],
    };
    vec![
        query("rare literal", rare),
        query("no match", "no_such_word_anywhere_zqx".into()),
        query("common identifier", common),
        Query { ignore_case: true, ..query("-i", folded) },
        query("alternation", alternation),
        query("classes", classes),
        query("two letters", "zx".into()),
    ]
}

/// Returns names for definition queries; the first is also used for callers.
pub(crate) fn names(tree: &Tree) -> [&str; 3] {
    match tree.profile {
        Profile::Linux => ["blk_mq_run_hw_queues", "mutex_lock", "kfree"],
        Profile::React => ["renderRootSync", "useState", "createElement"],
        Profile::Generic => [&tree.rare, &tree.common, "main"],
    }
}

fn query(name: &'static str, pattern: String) -> Query {
    Query { name, pattern, ignore_case: false }
}
