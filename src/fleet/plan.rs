//! What nodes hold compared with what they should hold: what is to be indexed where, and dropped.
//!
//! Pure: what nodes hold is given as values.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::placement::Placement;

/// A repository in the index of a node.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Holding {
    /// The name of the node.
    pub node: String,
    /// The name of the repository.
    pub repository: String,
    /// The commit that is indexed.
    pub version: String,
    /// The time of indexing, in seconds since 1970.
    pub indexed_at_s: i64,
}

/// A repository that the fleet should hold.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Wanted {
    /// Its name.
    pub repository: String,
    /// The commit to index; `None` if any is good.
    pub version: Option<String>,
}

/// What happens to a copy of a repository. The order is that in which it is done: a copy is dropped
/// after others exist.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The node gets the repository.
    Index,
    /// The node has another commit of it.
    Refresh,
    /// The node is no owner of it, or it is not wanted any more.
    Drop,
}

impl Action {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Action::Index => "index",
            Action::Refresh => "refresh",
            Action::Drop => "drop",
        }
    }
}

/// One copy that changes. Steps are ordered by repository, action and node.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Step {
    /// The name of the repository.
    pub repository: String,
    /// What happens.
    pub action: Action,
    /// The node on which it happens.
    pub node: String,
    /// Of a copy that is dropped, whether another node gets one instead.
    pub moves: bool,
}

/// What changes for one node.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct NodeChange {
    /// Its name.
    pub node: String,
    /// Its weight; `None` for a node that is no member of the placement.
    pub weight: Option<u32>,
    /// The repositories that it holds, wanted or not.
    pub before: usize,
    /// The repositories that it owns.
    pub after: usize,
    /// Copies that are indexed on it.
    pub indexes: usize,
    /// Copies that are indexed again on it.
    pub refreshes: usize,
    /// Copies that are dropped from it.
    pub drops: usize,
    /// Whether it could not be asked, so that its copies are not known.
    pub is_unknown: bool,
}

/// The steps from what nodes hold to what they should hold.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Plan {
    /// The repositories that are wanted.
    pub repositories: usize,
    /// The copies of them that the placement has.
    pub copies: usize,
    /// The repositories of which a node gets a copy.
    pub moved_repositories: usize,
    /// The copies that nodes get.
    pub moved_copies: usize,
    /// Copies that nodes which could not be asked own: they may hold them or not.
    pub unknown_copies: usize,
    /// The nodes, by name.
    pub nodes: Vec<NodeChange>,
    /// The steps, in total order.
    pub steps: Vec<Step>,
}

impl Plan {
    /// Returns the copies that nodes get, as a share of all.
    pub fn moved_share(&self) -> f64 {
        if self.copies == 0 { 0.0 } else { self.moved_copies as f64 / self.copies as f64 }
    }
}

/// Returns what is to be done so that the owners of each wanted repository hold it, and no other node
/// does. `unasked` names the nodes whose copies are not known: nothing is planned for them, and what they
/// own is counted. Of several holdings of a repository on one node, the newest counts. O(n log n).
pub fn plan(
    placement: &Placement,
    held: &[Holding],
    unasked: &BTreeSet<String>,
    wanted: &[Wanted],
) -> Plan {
    let mut nodes: BTreeMap<&str, NodeChange> = BTreeMap::new();
    for member in placement.members() {
        nodes.insert(&member.name, change(&member.name, Some(member.weight)));
    }
    for node in unasked.iter().map(String::as_str).chain(held.iter().map(|it| it.node.as_str())) {
        nodes.entry(node).or_insert_with(|| change(node, None));
    }
    // The copies of each repository: node → (time, version).
    let mut copies: BTreeMap<&str, BTreeMap<&str, (i64, &str)>> = BTreeMap::new();
    for holding in held.iter().filter(|holding| !unasked.contains(&holding.node)) {
        let found = (holding.indexed_at_s, holding.version.as_str());
        let of = copies.entry(&holding.repository).or_default();
        let newest = of.entry(&holding.node).or_insert(found);
        *newest = found.max(*newest);
    }
    let wanted: BTreeMap<&str, Option<&str>> =
        wanted.iter().map(|it| (it.repository.as_str(), it.version.as_deref())).collect();
    let mut plan = Plan {
        repositories: wanted.len(),
        copies: wanted.len() * placement.replicas().min(placement.members().len()),
        moved_repositories: 0,
        moved_copies: 0,
        unknown_copies: 0,
        nodes: Vec::new(),
        steps: Vec::new(),
    };
    let none = BTreeMap::new();
    for (&repository, &version) in &wanted {
        let held = copies.get(repository).unwrap_or(&none);
        let owners: Vec<&str> = placement
            .owners(repository)
            .into_iter()
            .map(|at| placement.members()[at].name.as_str())
            .collect();
        let mut gains = 0;
        for &owner in &owners {
            let action = match held.get(owner) {
                _ if unasked.contains(owner) => {
                    plan.unknown_copies += 1;
                    None
                }
                None => Some(Action::Index),
                Some(&(_, found)) => {
                    version.is_some_and(|it| it != found).then_some(Action::Refresh)
                }
            };
            gains += usize::from(action == Some(Action::Index));
            plan.steps.extend(action.map(|action| step(repository, action, owner, false)));
        }
        let strangers = held.keys().filter(|node| !owners.contains(node)).enumerate();
        plan.steps
            .extend(strangers.map(|(at, node)| step(repository, Action::Drop, node, at < gains)));
        plan.moved_copies += gains;
        plan.moved_repositories += usize::from(gains > 0);
        for owner in owners {
            nodes.entry(owner).or_insert_with(|| change(owner, None)).after += 1;
        }
    }
    for (repository, held) in &copies {
        for node in held.keys() {
            nodes.entry(node).or_insert_with(|| change(node, None)).before += 1;
        }
        if !wanted.contains_key(repository) {
            let drops = held.keys().map(|node| step(repository, Action::Drop, node, false));
            plan.steps.extend(drops);
        }
    }
    plan.steps.sort_unstable();
    for step in &plan.steps {
        let Some(of) = nodes.get_mut(step.node.as_str()) else { continue };
        match step.action {
            Action::Index => of.indexes += 1,
            Action::Refresh => of.refreshes += 1,
            Action::Drop => of.drops += 1,
        }
    }
    for node in nodes.values_mut() {
        node.is_unknown = unasked.contains(&node.node);
    }
    plan.nodes = nodes.into_values().collect();
    plan
}

/// Returns what the members of a placement hold if it was followed.
pub fn held_by(placement: &Placement, wanted: &[Wanted]) -> Vec<Holding> {
    let copies = wanted.iter().flat_map(|it| {
        placement.owners(&it.repository).into_iter().map(move |at| Holding {
            node: placement.members()[at].name.clone(),
            repository: it.repository.clone(),
            version: it.version.clone().unwrap_or_default(),
            indexed_at_s: 0,
        })
    });
    copies.collect()
}

fn change(node: &str, weight: Option<u32>) -> NodeChange {
    NodeChange {
        node: node.to_owned(),
        weight,
        before: 0,
        after: 0,
        indexes: 0,
        refreshes: 0,
        drops: 0,
        is_unknown: false,
    }
}

fn step(repository: &str, action: Action, node: &str, moves: bool) -> Step {
    Step { repository: repository.to_owned(), action, node: node.to_owned(), moves }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fleet::placement::Member;

    fn placement(names: &[&str], replicas: usize) -> Placement {
        let member = |name: &&str| Member { name: (*name).to_owned(), weight: 1 };
        Placement::new(names.iter().map(member), replicas)
    }

    fn wanted(count: usize) -> Vec<Wanted> {
        let named = |at| Wanted { repository: format!("h/r{at:03}"), version: None };
        (0..count).map(named).collect()
    }

    fn holding(node: &str, repository: &str, version: &str, indexed_at_s: i64) -> Holding {
        let (node, repository) = (node.to_owned(), repository.to_owned());
        Holding { node, repository, version: version.to_owned(), indexed_at_s }
    }

    fn shown(plan: &Plan) -> Vec<String> {
        let step = |step: &Step| {
            let moves = if step.moves { " (moves)" } else { "" };
            format!("{} {} {}{moves}", step.repository, step.action.name(), step.node)
        };
        plan.steps.iter().map(step).collect()
    }

    #[test]
    fn steps_lead_from_what_is_held_to_what_is_wanted() {
        let placement = placement(&["a"], 1);
        let version = |name: &str, version: &str| Wanted {
            repository: name.to_owned(),
            version: Some(version.to_owned()),
        };
        let wanted = [version("new", "1"), version("old", "2"), version("same", "1")];
        let held = [
            holding("a", "old", "2", 5),
            holding("a", "old", "1", 9),
            holding("a", "same", "1", 0),
            holding("a", "unwanted", "1", 0),
            holding("gone", "new", "1", 0),
        ];
        let found = plan(&placement, &held, &BTreeSet::new(), &wanted);
        assert_eq!(
            shown(&found),
            ["new index a", "new drop gone (moves)", "old refresh a", "unwanted drop a"]
        );
        assert_eq!((found.moved_copies, found.copies), (1, 3));
        let gone = &found.nodes[1];
        assert_eq!(
            (gone.node.as_str(), gone.weight, gone.before, gone.after),
            ("gone", None, 1, 0)
        );
    }

    #[test]
    fn nothing_is_planned_for_a_node_that_was_not_asked() {
        let unasked = BTreeSet::from(["b".to_owned()]);
        let found = plan(&placement(&["a", "b"], 2), &[], &unasked, &wanted(3));
        assert_eq!(shown(&found), ["h/r000 index a", "h/r001 index a", "h/r002 index a"]);
        assert_eq!((found.unknown_copies, found.nodes[1].is_unknown), (3, true));
    }

    proptest! {
        #[test]
        fn following_a_plan_leaves_nothing_to_do(
            before in 1..6_usize,
            after in 1..6_usize,
            replicas in 1..4_usize,
            count in 0..40_usize,
        ) {
            let names = ["a", "b", "c", "d", "e", "f"];
            let (wanted, none) = (wanted(count), BTreeSet::new());
            let held = held_by(&placement(&names[..before], replicas), &wanted);
            let target = placement(&names[6 - after..], replicas);
            let steps = plan(&target, &held, &none, &wanted).steps;
            prop_assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "a total order");
            let mut copies: BTreeSet<(String, String)> =
                held.into_iter().map(|it| (it.node, it.repository)).collect();
            for step in steps {
                let copy = (step.node, step.repository);
                let changed = match step.action {
                    Action::Drop => copies.remove(&copy),
                    _ => copies.insert(copy),
                };
                prop_assert!(changed);
            }
            let held: Vec<Holding> =
                copies.iter().map(|(node, name)| holding(node, name, "", 0)).collect();
            prop_assert_eq!(plan(&target, &held, &none, &wanted).steps, Vec::new());
        }
    }
}
