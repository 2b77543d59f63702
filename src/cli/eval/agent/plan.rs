//! What is run: the chosen tasks by tree, and those that are skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::ArgMatches;
use serde::Serialize;

use super::super::check_ids;
use crate::base::text::plain;
use crate::cli::index::tree_options;
use crate::cli::mcp;
use crate::cli::place::TreeOptions;
use crate::engine::Engine;
use crate::error::{Error, Kind, Result};
use crate::eval::agent::tasks::{Split, Task};

/// The tasks of one tree.
#[derive(Debug)]
pub(super) struct Group {
    /// The tree.
    pub(super) engine: Engine,
    /// Its tasks, in the order of the file.
    pub(super) tasks: Vec<Task>,
}

/// Tasks whose tree was not given.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Skipped {
    /// The name of the tree.
    pub(super) tree: String,
    /// The ids of the tasks.
    pub(super) tasks: Vec<String>,
    /// The argument that adds them.
    pub(super) argument: String,
}

/// The groups in the order of their first tasks, and what is skipped, by tree.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) groups: Vec<Group>,
    pub(super) skipped: Vec<Skipped>,
}

impl Plan {
    /// Chooses among the tasks and opens their trees.
    ///
    /// # Errors
    ///
    /// [`Kind::Usage`] for invalid values of `--tree` and `--task`, and if no task is chosen; those
    /// of opening a tree.
    pub(super) fn new(matches: &ArgMatches, tasks: Vec<Task>) -> Result<Plan> {
        let trees = named_trees(matches, &tasks)?;
        let chosen = chosen(matches, tasks)?;
        let options = tree_options(matches);
        if options.root.is_some() && chosen.iter().all(|task| task.tree.is_some()) {
            return Err(Error::usage(
                "every chosen task names its tree, so `--root` has no effect",
            )
            .with_hint("give trees with `--tree NAME=DIR`"));
        }
        let mut by_tree: Vec<(Option<String>, Vec<Task>)> = Vec::new();
        for task in chosen {
            match by_tree.iter_mut().find(|(tree, _)| *tree == task.tree) {
                Some((_, tasks)) => tasks.push(task),
                None => by_tree.push((task.tree.clone(), vec![task])),
            }
        }
        let mut plan = Plan { groups: Vec::new(), skipped: Vec::new() };
        for (tree, tasks) in by_tree {
            let root = match tree {
                None => options.root.clone(),
                Some(name) => match trees.get(&name) {
                    Some(root) => Some(root.clone()),
                    None => {
                        let ids = tasks.into_iter().map(|task| task.id).collect();
                        let argument = format!("--tree {name}=DIR");
                        plan.skipped.push(Skipped { tree: name, tasks: ids, argument });
                        continue;
                    }
                },
            };
            let engine = mcp::open(&TreeOptions { root, ..options.clone() }, false)?;
            plan.groups.push(Group { engine, tasks });
        }
        plan.skipped.sort_by(|a, b| a.tree.cmp(&b.tree));
        if plan.groups.is_empty() {
            let arguments: Vec<&str> =
                plan.skipped.iter().map(|skipped| skipped.argument.as_str()).collect();
            return Err(Error::new(
                Kind::Usage,
                "no chosen task can run: none of their trees is given",
            )
            .with_hint(plain(&format!("add {}", arguments.join(" ")))));
        }
        Ok(plan)
    }
}

/// Returns the directories of `--tree` by name.
fn named_trees(matches: &ArgMatches, tasks: &[Task]) -> Result<BTreeMap<String, PathBuf>> {
    let names: BTreeSet<&str> = tasks.iter().filter_map(|task| task.tree.as_deref()).collect();
    let mut trees = BTreeMap::new();
    for given in matches.get_many::<String>("tree").into_iter().flatten() {
        let (name, dir) = given
            .split_once('=')
            .filter(|(name, dir)| !name.is_empty() && !dir.is_empty())
            .ok_or_else(|| {
                Error::usage(format!("invalid `--tree {given}`: expected `NAME=DIR`"))
            })?;
        if !names.contains(name) {
            let all: Vec<&str> = names.into_iter().collect();
            return Err(Error::usage(format!("no task is about a tree `{name}`"))
                .with_hint(format!("valid: {}", plain(&all.join(", ")))));
        }
        if trees.insert(name.to_owned(), PathBuf::from(dir)).is_some() {
            return Err(Error::usage(format!("`--tree {name}=…` is given twice")));
        }
    }
    Ok(trees)
}

/// Returns the tasks that `--split` and `--task` choose.
fn chosen(matches: &ArgMatches, tasks: Vec<Task>) -> Result<Vec<Task>> {
    let ids: Vec<&String> = matches.get_many::<String>("task").into_iter().flatten().collect();
    check_ids(matches, &tasks.iter().map(|task| task.id.as_str()).collect::<Vec<_>>())?;
    let split = match matches.get_one::<String>("split").map(String::as_str) {
        Some("open") => Some(Split::Open),
        Some("held") => Some(Split::Held),
        _ => None,
    };
    let is_chosen = |task: &Task| {
        split.is_none_or(|split| task.split == split) && (ids.is_empty() || ids.contains(&&task.id))
    };
    let chosen: Vec<Task> = tasks.into_iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        return Err(Error::usage("no task is chosen").with_hint("see `--split` and `--task`"));
    }
    Ok(chosen)
}
