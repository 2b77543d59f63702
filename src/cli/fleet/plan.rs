//! `codedb fleet plan`: which repositories move when nodes join or leave.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;

use super::{list, output};
use crate::answer::page::{Block, Cell, Column, Page, Table};
use crate::base::interrupt::Interrupt;
use crate::base::text::counted;
use crate::error::{Error, Kind, Result};
use crate::fleet::client::Client;
use crate::fleet::messages::Q;
use crate::fleet::placement::{Member, Placement};
use crate::fleet::plan::{Holding, Plan, Step, Wanted, held_by, plan};
use crate::fleet::query::Query;

/// The steps that a page shows.
const SHOWN_MAX: usize = 20;

pub(super) fn command() -> Command {
    let node = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).action(ArgAction::Append).help(help)
    };
    Command::new("plan")
        .about("Print which repositories move when nodes join or leave")
        .long_about(
            "Asks the nodes which repositories they hold, and prints what moves to the nodes that own \
             them, with `--without` and `--with` after nodes left and joined. For nodes that do not \
             answer nothing is planned. With `--offline` no node is asked: the nodes hold what \
             they own. Exit codes: 0 all is known, 1 a node did not answer, 2 error.",
        )
        .arg(
            Arg::new("list")
                .value_name("FILE")
                .help("The repositories, one a line, `-` for standard input (default: all that are held)"),
        )
        .arg(
            Arg::new("offline")
                .long("offline")
                .action(ArgAction::SetTrue)
                .help("Ask no node: compute what they hold from their names and weights"),
        )
        .arg(node("without", "NODE", "As if this node left"))
        .arg(node("with", "NAME[=WEIGHT]", "As if this node joined"))
        .arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Show all steps, not the first 20"),
        )
        .args(output::args())
}

/// A plan, as `--json` prints it.
#[derive(Serialize)]
struct Reply<'a> {
    #[serde(flatten)]
    plan: &'a Plan,
    /// The copies that move, as a share of all.
    moved_share: f64,
    replicas: usize,
    /// What is unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<String>,
    /// The repositories that nodes hold and that are not listed: nothing is planned for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    unlisted: Option<usize>,
    items: &'a [Step],
    shown: usize,
    total: usize,
    truncated: bool,
}

/// Runs the command.
///
/// # Errors
///
/// Without a fleet, if the list cannot be read, and for a node that does not exist or does already.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let fleet = super::fleet()?;
    let before = Placement::of(&fleet);
    let after = changed(&before, fleet.replicas, matches)?;
    let is_offline = matches.get_flag("offline");
    let list = matches.get_one::<String>("list").map(String::as_str);
    let listed = list.or(is_offline.then_some("-")).map(list::of_list).transpose()?;
    let listed: Option<BTreeSet<String>> =
        listed.map(|listed| listed.into_iter().map(|it| it.name).collect());
    let (mut silent, mut unlisted) = (BTreeMap::new(), None);
    let (held, wanted) = if is_offline {
        let wanted = wanted(listed.unwrap_or_default());
        (held_by(&before, &wanted), wanted)
    } else {
        let mut held;
        (held, silent) = holdings(&super::client()?)?;
        let all: BTreeSet<String> = held.iter().map(|it| it.repository.clone()).collect();
        if let Some(listed) = &listed {
            held.retain(|it| listed.contains(&it.repository));
            unlisted = Some(all.difference(listed).count()).filter(|count| *count > 0);
        }
        (held, wanted(listed.unwrap_or(all)))
    };
    let plan = plan(&after, &held, &silent.keys().cloned().collect(), &wanted);
    let unknown: Vec<String> = silent.into_values().collect();
    let reply = Reply {
        unknown,
        unlisted,
        moved_share: plan.moved_share(),
        replicas: after.replicas(),
        items: &plan.steps,
        shown: plan.steps.len(),
        total: plan.steps.len(),
        truncated: false,
        plan: &plan,
    };
    let max = if matches.get_flag("all") { usize::MAX } else { SHOWN_MAX };
    output::show(matches, &reply, || {
        let mut page = page(&plan, after.replicas(), max);
        page.blocks.extend(reply.unknown.iter().cloned().map(Block::Note));
        page.blocks.extend(reply.unlisted.map(|count| {
            let of = if count == 1 { "repository is" } else { "repositories are" };
            Block::Note(format!(
                "{count} more {of} held and not listed: nothing is planned for them"
            ))
        }));
        page
    })?;
    Ok(ExitCode::from(u8::from(!reply.unknown.is_empty())))
}

fn wanted(names: BTreeSet<String>) -> Vec<Wanted> {
    names.into_iter().map(|repository| Wanted { repository, version: None }).collect()
}

/// Returns what the nodes hold, and why it is not known of some, by their names.
///
/// # Errors
///
/// If no node answers.
fn holdings(client: &Client) -> Result<(Vec<Holding>, BTreeMap<String, String>)> {
    let everything = Q::from(&Query::Const(true));
    let lists = client.list(&everything, &client.bounds(), Interrupt::NEVER);
    let (mut held, mut silent) = (Vec::new(), BTreeMap::new());
    for list in lists {
        if let Some(why) = list.answer.why() {
            silent.insert(list.answer.name.clone(), why.to_owned());
            continue;
        }
        for entry in list.repositories {
            let Some(repository) = entry.repository else { continue };
            let indexed = entry.index_metadata.and_then(|metadata| metadata.index_time);
            let versions = repository.branches.into_iter().map(|branch| branch.version);
            held.push(Holding {
                node: list.answer.name.clone(),
                repository: repository.name,
                version: versions.collect::<Vec<_>>().join(" "),
                indexed_at_s: indexed.map_or(0, |at| at.seconds),
            });
        }
    }
    if silent.len() == client.fleet().nodes.len() {
        let reasons: Vec<String> = silent.into_values().collect();
        return Err(Error::new(Kind::Io, format!("no node answers: {}", reasons.join("; ")))
            .with_hint("`--offline` computes what nodes hold from their names and weights"));
    }
    Ok((held, silent))
}

/// Returns the placement after the nodes of `--without` have left and those of `--with` have joined.
fn changed(before: &Placement, replicas: usize, matches: &ArgMatches) -> Result<Placement> {
    let all = |name: &str| matches.get_many::<String>(name).into_iter().flatten();
    let mut members = before.members().to_vec();
    let names = || {
        let names = before.members().iter().map(|member| format!("`{}`", member.name));
        names.collect::<Vec<_>>().join(", ")
    };
    for name in all("without") {
        let Some(at) = members.iter().position(|member| member.name == *name) else {
            let shown = crate::base::text::plain(name);
            return Err(Error::usage(format!("no node is named `{shown}`"))
                .with_hint(format!("the nodes are {}", names())));
        };
        members.remove(at);
    }
    for given in all("with") {
        let member = member(given)?;
        if members.iter().any(|it| it.name == member.name) {
            return Err(Error::usage(format!("a node is named `{}` already", member.name)));
        }
        members.push(member);
    }
    if members.is_empty() {
        return Err(Error::usage("no node would be left").with_hint("add one with `--with`"));
    }
    Ok(Placement::new(members, replicas))
}

/// Parses `NAME[=WEIGHT]`.
fn member(given: &str) -> Result<Member> {
    let (name, weight) = given.split_once('=').unwrap_or((given, "1"));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let is_name = (1..=64).contains(&name.len()) && name.bytes().all(is_plain);
    match weight.parse() {
        Ok(weight) if is_name && (1..=1000).contains(&weight) => {
            Ok(Member { name: name.to_owned(), weight })
        }
        _ => Err(Error::usage(format!("`--with {}`", crate::base::text::plain(given)))
            .with_hint("give a name, or a name and a weight from 1 to 1000: `--with d=2`")),
    }
}

fn page(plan: &Plan, replicas: usize, shown_max: usize) -> Page {
    let of = if plan.repositories == 1 { "repository" } else { "repositories" };
    let summary = format!(
        "{} {of} on {} each; {} of {} copies move, {:.1} %",
        plan.repositories,
        counted(replicas, "node"),
        plan.moved_copies,
        plan.copies,
        plan.moved_share() * 100.0,
    );
    let columns = [
        Column::left("NODE"),
        Column::right("WEIGHT"),
        Column::right("BEFORE"),
        Column::right("AFTER"),
        Column::right("GETS"),
        Column::right("LOSES"),
    ];
    let mut nodes = Table::new(columns);
    for node in &plan.nodes {
        nodes.row([
            Cell::name(&node.node),
            node.weight.map_or(Cell::faint("gone"), |weight| Cell::Number(weight.into())),
            Cell::Number(node.before as u64),
            Cell::Number(node.after as u64),
            Cell::count(node.indexes),
            Cell::count(node.drops),
        ]);
    }
    let mut steps =
        Table::new([Column::left("STEP"), Column::left("NODE"), Column::cut("REPOSITORY")]);
    for step in plan.steps.iter().take(shown_max) {
        let action = Cell::faint(step.action.name());
        steps.row([action, Cell::name(&step.node), Cell::text(&step.repository)]);
    }
    let mut blocks =
        vec![Block::Line(vec![Cell::text(summary)]), Block::Table(nodes), Block::Table(steps)];
    let left = plan.steps.len().saturating_sub(shown_max);
    if left > 0 {
        blocks.push(Block::Note(format!("{left} more steps; `--all` shows them")));
    }
    Page { blocks }
}
