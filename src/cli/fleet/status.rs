//! `codedb fleet status`: what the nodes of a fleet have, and what is wrong with them.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use indicatif::HumanBytes;

use super::super::display::{self, Display};
use super::super::index::print;
use super::super::screen::{self, Screen};
use super::super::tool::now_ns;
use super::client;
use crate::answer::page::{Block, Cell, Column, Grade, Page, Table};
use crate::base::interrupt::Interrupt;
use crate::base::text::{counted, plain};
use crate::base::time;
use crate::error::{Error, Result};
use crate::fleet::cluster::Cluster;
use crate::fleet::messages::Q;
use crate::fleet::nodes::{Contents, Found, Nodes as _, Want};
use crate::fleet::query::Query;
use crate::fleet::status::{Differing, Listed, NodeStatus, Selection, Status};

/// The default number of entries of each list.
const LIMIT: usize = 20;

/// What is fetched of the texts that nodes left out: the reasons.
const UNSEARCHED: Want = Want {
    contents: Contents::Whole,
    files_max: 10_000,
    bytes_max: 16 << 20,
    is_ranked_by_words: false,
};

pub(super) fn command() -> Command {
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue);
    Command::new("status")
        .about("Print the nodes, and what is wrong with them")
        .long_about(
            "Asks all nodes at once what they have: repositories, shards, files, ages of the index. \
             Reports nodes that do not answer, and repositories that nodes have in different \
             versions. Exit codes: 0 all nodes answer, 1 some do not, 2 none does, or an error.",
        )
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .help("Maximum entries of each list (default 20)"),
        )
        .arg(super::tools::repo_arg("List the repositories with this name, or its last parts"))
        .arg(
            Arg::new("unsearched")
                .long("unsearched")
                .action(ArgAction::SetTrue)
                .help("List the texts that are too large for the nodes"),
        )
        .arg(json.help("Print the reply as JSON"))
        .arg(screen::format_arg())
        .args(display::args())
        .args(screen::args())
}

/// Runs the command.
///
/// # Errors
///
/// If no fleet is configured, its token is missing, or the client cannot be made.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode> {
    let cluster = Cluster::new(client()?);
    let client = cluster.client();
    let scope = super::tools::repositories(matches);
    let lists = client.list(&Q::from(&scope), &client.bounds(), Interrupt::NEVER);
    let limit = matches.get_one::<usize>("limit").copied().unwrap_or(LIMIT);
    let mut status = Status::new(client.fleet(), &lists, limit);
    let is_about_texts = matches.get_flag("unsearched");
    if matches.contains_id("repo") || is_about_texts {
        let found = if status.is_down() {
            Found::default()
        } else {
            let query = Query::unsearched().and(scope);
            cluster.search(&query, &UNSEARCHED, Interrupt::NEVER)?
        };
        status = status.with_selection(&lists, &found, is_about_texts, limit);
    }
    if screen::is_json(matches) {
        let json = serde_json::to_string(&status);
        print(&format!("{}\n", json.map_err(|error| Error::usage(error.to_string()))?))?;
    } else if screen::is_chosen(matches) {
        // The exit code says whether nodes fail, so no pager replaces this process.
        let screen = Screen::new(matches, now_ns()).without_pager();
        screen.print(&page(&status), &Display::new(Path::new("."), matches))?;
    } else {
        print(&text(&status, now_ns()))?;
    }
    let is_whole = status.answered == status.total;
    Ok(ExitCode::from(if status.is_down() { 2 } else { u8::from(!is_whole) }))
}

/// Returns the reply as text: a line for each node, and what is wrong.
fn text(status: &Status, now_ns: i64) -> String {
    let mut out = String::new();
    for node in &status.items {
        let NodeStatus { name, address, latency_ms, .. } = node;
        let state = if node.state == "complete" { "answers" } else { node.state };
        out.push_str(&format!("{name}  {address}  {state} after {latency_ms} ms"));
        if node.state != "failed" {
            out.push_str(&format!(
                ": {}, {}, {}, {}, {}",
                plural(node.repositories, "repository", "repositories"),
                plural(node.branches, "branch", "branches"),
                counted(size(node.shards), "shard"),
                counted(size(node.files), "file"),
                HumanBytes(node.content_bytes),
            ));
        }
        let ago = |at: &String| {
            let at_ns = time::parse(at, now_ns).unwrap_or(now_ns);
            let age_ns = u64::try_from(now_ns.saturating_sub(at_ns)).unwrap_or_default();
            time::ago(Duration::from_nanos(age_ns))
        };
        if let (Some(oldest), Some(newest)) = (&node.oldest_index, &node.newest_index) {
            let (oldest, newest) = (ago(oldest), ago(newest));
            out.push_str(&format!(", indexed {newest}"));
            if oldest != newest {
                out.push_str(&format!(" (oldest: {oldest})"));
            }
        }
        for version in versions(node) {
            out.push_str(&format!(", {}", plain(&version)));
        }
        out.push('\n');
    }
    let sentences = status.items.iter().filter_map(|node| node.why.clone()).chain(notes(status));
    let listed = status.selection.iter().flat_map(listed_lines);
    for sentence in listed.chain(sentences).chain(status.selection.iter().flat_map(counts)) {
        out.push_str(&plain(&sentence));
        out.push('\n');
    }
    out
}

/// Returns the reply as a page.
fn page(status: &Status) -> Page {
    let mut table = Table::new([
        Column::left("NODE"),
        Column::left("STATE"),
        Column::right("LATENCY"),
        Column::right("REPOS"),
        Column::right("FILES"),
        Column::right("CONTENT"),
        Column::left("INDEXED"),
    ]);
    for node in &status.items {
        let state = match node.state {
            "complete" => Cell::Level(Grade::Good, "answers"),
            "partial" => Cell::Level(Grade::Fair, "partial"),
            _ => Cell::Level(Grade::Bad, "failed"),
        };
        let is_known = node.state != "failed";
        let known = |cell: Cell| if is_known { cell } else { Cell::Empty };
        let mut more = vec![Cell::faint(&node.address)];
        if is_known {
            more.push(Cell::faint(counted(size(node.shards), "shard")));
        }
        more.extend(versions(node).map(Cell::faint));
        if let Some(oldest) = node.oldest_index.clone().filter(|_| node.shards > 1) {
            more.extend([Cell::faint("oldest"), Cell::time(oldest)]);
        }
        let mut below = vec![more];
        below.extend(node.why.iter().map(|why| vec![Cell::text(why)]));
        table.row_with(
            [
                Cell::name(&node.name),
                state,
                Cell::text(format!("{} ms", node.latency_ms)),
                known(Cell::Number(node.repositories as u64)),
                known(Cell::Number(node.files)),
                known(Cell::Size(node.content_bytes)),
                node.newest_index.clone().map_or(Cell::Empty, Cell::time),
            ],
            below,
        );
    }
    let mut blocks = vec![Block::Table(table)];
    if let Some(selection) = &status.selection {
        let mut table = Table::new([
            Column::left("REPOSITORY"),
            Column::right("FILES"),
            Column::right("UNSEARCHED"),
            Column::left("NODES"),
        ]);
        for of in &selection.listed {
            let nodes: Vec<&str> = of.nodes.iter().map(|of| of.node.as_str()).collect();
            table.row([
                Cell::text(&of.repository),
                Cell::Number(of.files),
                Cell::count(of.unsearched),
                Cell::text(nodes.join(" ")),
            ]);
        }
        let mut texts = Table::new([Column::left("UNSEARCHED"), Column::left("WHY")]);
        for of in &selection.unsearched {
            texts.row([Cell::text(&of.path), Cell::text(&of.reason)]);
        }
        blocks.extend([Block::Table(table), Block::Table(texts)]);
        blocks.extend(counts(selection).into_iter().map(Block::Note));
    }
    blocks.extend(notes(status).map(Block::Note));
    Page { blocks }
}

/// Returns a line for each repository and text that are listed.
fn listed_lines(selection: &Selection) -> impl Iterator<Item = String> {
    let Selection { listed, unsearched, .. } = selection;
    let repositories = listed.iter().map(|Listed { repository, nodes, files, unsearched }| {
        let nodes = nodes.iter().map(|of| format!("{} has {}", of.node, of.branches.join(" ")));
        let nodes = nodes.collect::<Vec<_>>().join(", ");
        let files = counted(size(*files), "file");
        let more =
            if *unsearched > 0 { format!(", {unsearched} unsearched") } else { String::new() };
        format!("{repository}  {files}{more}  {nodes}")
    });
    repositories.chain(unsearched.iter().map(|it| format!("{}  {}", it.path, it.reason)))
}

/// Returns sentences on how many repositories and texts there are.
fn counts(selection: &Selection) -> Vec<String> {
    let Selection { listed, listed_total, unsearched, unsearched_total } = selection;
    if *listed_total + *unsearched_total == 0 {
        return vec!["no repository is listed".to_owned()];
    }
    let mut lines = Vec::new();
    if listed.len() < *listed_total {
        let shown = listed.len();
        lines
            .push(format!("{shown} of {listed_total} repositories are listed; --limit lists more"));
    }
    lines.push(match unsearched.len() {
        _ if *unsearched_total == 0 => "all their texts are searched".to_owned(),
        shown if shown < *unsearched_total => {
            format!("{shown} of {unsearched_total} unsearched texts are listed; --limit lists more")
        }
        _ => format!("{} unsearched", counted(*unsearched_total, "text")),
    });
    lines
}

/// Returns sentences about the whole fleet: what is unknown, and where nodes disagree.
fn notes(status: &Status) -> impl Iterator<Item = String> {
    let Status { answered, total, repositories, .. } = status;
    let repositories = plural(*repositories, "repository", "repositories");
    let first = match *answered {
        0 => format!("none of {} answers: what the fleet has is unknown", counted(*total, "node")),
        _ if answered < total => format!(
            "{answered} of {total} nodes answer, with {repositories}; what only the others have is \
             unknown"
        ),
        _ => format!("{answered} of {total} nodes answer, with {repositories}"),
    };
    let (shown, total) = (status.differing.len(), status.differing_total);
    let more = format!("{shown} of {total} repositories that differ are shown; --limit shows more");
    let more = (shown < total).then_some(more);
    let differing = status.differing.iter().map(|Differing { repository, nodes }| {
        let of_node = |node: &crate::fleet::status::NodeBranches| {
            format!("{} has {}", node.node, node.branches.join(" "))
        };
        let nodes: Vec<String> = nodes.iter().map(of_node).collect();
        format!("`{repository}` differs between nodes: {}", nodes.join(", "))
    });
    let differing: Vec<String> = differing.collect();
    std::iter::once(first).chain(differing).chain(more)
}

/// Returns the versions of a node's shards and of what wrote them.
fn versions(node: &NodeStatus) -> impl Iterator<Item = String> {
    let formats: Vec<String> = node.formats.iter().map(u64::to_string).collect();
    let formats = (!formats.is_empty()).then(|| format!("format {}", formats.join(", ")));
    let zoekt = node.zoekt_versions.join(", ");
    let zoekt = (!zoekt.is_empty()).then(|| format!("zoekt {zoekt}"));
    formats.into_iter().chain(zoekt)
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::screen::tests::shown;
    use crate::fleet::status::NodeBranches;

    fn status() -> Status {
        let node = |name: &str, state, why: Option<&str>| NodeStatus {
            name: name.to_owned(),
            address: format!("http://{name}:6070"),
            state,
            why: why.map(str::to_owned),
            latency_ms: 3,
            ..NodeStatus::default()
        };
        let a = NodeStatus {
            repositories: 2,
            branches: 1,
            shards: 2,
            files: 120,
            content_bytes: 3 << 20,
            oldest_index: Some("2026-01-01T00:00:00Z".to_owned()),
            newest_index: Some("2026-01-02T00:00:00Z".to_owned()),
            formats: vec![16],
            zoekt_versions: vec!["v1\u{1b}".to_owned()],
            ..node("a", "complete", None)
        };
        let of_node = |node: &str, branch: &str| NodeBranches {
            node: node.to_owned(),
            branches: vec![branch.to_owned()],
        };
        let differing = Differing {
            repository: "x\u{1b}[2J".to_owned(),
            nodes: vec![of_node("a", "main@1"), of_node("b", "main@2")],
        };
        Status {
            items: vec![
                a,
                node("b", "partial", Some("node `b` could not search 1 shard")),
                node("c", "failed", Some("node `c` refused the connection")),
            ],
            shown: 3,
            total: 3,
            truncated: false,
            answered: 1,
            repositories: 2,
            differing: vec![differing],
            differing_total: 2,
            selection: None,
        }
    }

    #[test]
    fn a_status_is_text() {
        let now_ns = time::parse("2026-01-02T00:05:00Z", 0).expect("a time");
        let expected = "\
a  http://a:6070  answers after 3 ms: 2 repositories, 1 branch, 2 shards, 120 files, 3.00 MiB, \
indexed 5 min ago (oldest: 24 h ago), format 16, zoekt v1\\u{1b}
b  http://b:6070  partial after 3 ms: 0 repositories, 0 branches, 0 shards, 0 files, 0 B
c  http://c:6070  failed after 3 ms
node `b` could not search 1 shard
node `c` refused the connection
1 of 3 nodes answer, with 2 repositories; what only the others have is unknown
`x\\u{1b}[2J` differs between nodes: a has main@1, b has main@2
1 of 2 repositories that differ are shown; --limit shows more
";
        assert_eq!(text(&status(), now_ns), expected);
    }

    #[test]
    fn a_status_is_a_page() {
        insta::assert_snapshot!("fleet_status", shown(&page(&status())));
    }
}
