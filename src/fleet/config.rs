//! The table `[fleet]` of the user's own `codedb.toml`: the nodes of a fleet and how to reach them.
//!
//! A repository's `codedb.toml` has no such table: where requests go is the user's choice.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;
use url::Url;

/// The name of the table.
pub const TABLE: &str = "fleet";

/// The greatest number of nodes.
const NODES_MAX: usize = 1024;

/// The longest time limit of a call.
const TIMEOUT_MS_MAX: u64 = 10 * 60 * 1000;

/// A fleet: its nodes, in the order of the file, and what holds for all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    /// The nodes, at least one. Names and addresses are unique.
    pub nodes: Vec<Node>,
    /// On how many nodes a repository is indexed; at least 1, at most the number of nodes.
    pub replicas: usize,
    /// The time that all nodes together have for the answer of one call.
    pub timeout: Duration,
    /// The time that a connection may take; a part of `timeout`.
    pub connect_timeout: Duration,
    /// The environment variable that has the bearer token, if nodes require one. The token itself is
    /// in no file.
    pub token_env: Option<String>,
    /// A file with the certificates of authorities that are trusted in addition, in PEM. In a file of the
    /// user's, a relative path is below its directory.
    pub ca: Option<PathBuf>,
}

/// A node: a machine on which `zoekt-webserver -rpc` serves its shards.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name in replies: letters, digits, `-`, `_` and `.`. Which repositories it has depends on the
    /// name, so it stays when the address changes.
    pub name: String,
    /// Its address, `http://HOST:PORT` or `https://HOST:PORT`.
    pub address: Url,
    /// The share of repositories that it gets, relative to the others; 1 by default.
    pub weight: u32,
    /// The command that runs zoekt's programs on the node; the program's name and arguments are appended.
    /// Empty for a node on this machine, `["ssh", "HOST"]` for another one.
    pub command: Vec<String>,
    /// The directory on the node in which its shards are, if `codedb fleet index` writes there.
    pub index: Option<String>,
    /// The directory on the node in which its clones are, if `codedb fleet index` makes them.
    pub repositories: Option<String>,
}

#[derive(Deserialize)]
struct File {
    fleet: Option<Spanned<Table>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    node: Vec<Spanned<NodeTable>>,
    replicas: Option<Spanned<usize>>,
    timeout_ms: Option<Spanned<u64>>,
    connect_timeout_ms: Option<Spanned<u64>>,
    token_env: Option<Spanned<String>>,
    ca: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeTable {
    name: Spanned<String>,
    address: Spanned<String>,
    weight: Option<Spanned<u32>>,
    #[serde(default)]
    command: Vec<String>,
    index: Option<String>,
    repositories: Option<String>,
}

/// What is wrong, and where.
struct Problem(Range<usize>, String);

impl Problem {
    fn of<T>(at: &Spanned<T>, what: impl Into<String>) -> Problem {
        Problem(at.span(), what.into())
    }
}

impl Fleet {
    /// Returns the fleet that the text of a `codedb.toml` describes; `None` if it has no table
    /// `[fleet]`. Other tables are ignored.
    ///
    /// # Errors
    ///
    /// A sentence that begins with the line, if the file or a value is not valid. It contains no value
    /// of an address's user or password.
    pub fn of_text(text: &str) -> Result<Option<Fleet>, String> {
        let line = |span: &Range<usize>| {
            let before = text.get(..span.start).unwrap_or(text);
            before.bytes().filter(|byte| *byte == b'\n').count() + 1
        };
        let file: File = toml::from_str(text).map_err(|error| {
            let at = error.span().unwrap_or_default();
            format!("line {}: {}", line(&at), error.message())
        })?;
        let Some(table) = file.fleet else { return Ok(None) };
        let fleet = of_table(table);
        fleet.map(Some).map_err(|Problem(at, what)| format!("line {}: {what}", line(&at)))
    }

    /// Returns the fleet of the `codedb.toml` at a path, with a relative path of `ca` below its directory;
    /// `None` if there is no such file, or it has no table `[fleet]`.
    ///
    /// # Errors
    ///
    /// As [`Fleet::of_text`], and if the file or that of `ca` cannot be read.
    pub fn of_file(path: &Path) -> Result<Option<Fleet>, String> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => {
                let before = &bytes[..error.valid_up_to()];
                let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                return Err(format!("line {line}: not UTF-8"));
            }
        };
        let Some(mut fleet) = Fleet::of_text(text)? else { return Ok(None) };
        let Some(ca) = fleet.ca.take() else { return Ok(Some(fleet)) };
        let ca = path.parent().map_or(ca.clone(), |directory| directory.join(&ca));
        if let Err(error) = std::fs::File::open(&ca) {
            let is_ca = |line: &str| {
                line.trim_start()
                    .strip_prefix("ca")
                    .is_some_and(|rest| rest.trim_start().starts_with('='))
            };
            let line = text.lines().position(is_ca).map_or(1, |at| at + 1);
            return Err(format!("line {line}: `ca`: {}: {error}", ca.display()));
        }
        fleet.ca = Some(ca);
        Ok(Some(fleet))
    }
}

fn of_table(table: Spanned<Table>) -> Result<Fleet, Problem> {
    let whole = table.span();
    let table = table.into_inner();
    let (mut names, mut addresses) = (BTreeSet::new(), BTreeSet::new());
    let mut nodes: Vec<Node> = Vec::new();
    for given in table.node {
        let at = given.span();
        let node = node(given.into_inner())?;
        if !names.insert(node.name.clone()) {
            return Err(Problem(at, format!("two nodes have the name `{}`", node.name)));
        }
        if !addresses.insert(node.address.clone()) {
            return Err(Problem(
                at,
                format!("node `{}` has the address of another one", node.name),
            ));
        }
        nodes.push(node);
    }
    if nodes.is_empty() || nodes.len() > NODES_MAX {
        let what = if nodes.is_empty() { "no node" } else { "too many nodes" };
        let hint = "add `[[fleet.node]]` with `name` and `address`";
        return Err(Problem(whole, format!("`[{TABLE}]` has {what}; {hint}")));
    }
    let replicas = match table.replicas {
        Some(given) if *given.get_ref() == 0 || *given.get_ref() > nodes.len() => {
            let what = format!("`replicas` is from 1 to the number of nodes, {}", nodes.len());
            return Err(Problem::of(&given, what));
        }
        Some(given) => given.into_inner(),
        None => nodes.len().min(2),
    };
    let timeout = duration(table.timeout_ms, "timeout_ms", 5_000)?;
    let connect_timeout = duration(table.connect_timeout_ms, "connect_timeout_ms", 1_000)?;
    let is_variable = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && !name.is_empty()
    };
    let token_env = match table.token_env {
        // What is no name may be the token itself, which is not repeated.
        Some(given) if !is_variable(given.get_ref()) => {
            let what = "`token_env` is the name of the environment variable that has the token";
            return Err(Problem::of(&given, what));
        }
        given => given.map(Spanned::into_inner),
    };
    let connect_timeout = connect_timeout.min(timeout);
    Ok(Fleet { nodes, replicas, timeout, connect_timeout, token_env, ca: table.ca })
}

fn duration(given: Option<Spanned<u64>>, name: &str, default: u64) -> Result<Duration, Problem> {
    match given {
        Some(given) if !(1..=TIMEOUT_MS_MAX).contains(given.get_ref()) => {
            Err(Problem::of(&given, format!("`{name}` is from 1 to {TIMEOUT_MS_MAX}")))
        }
        given => Ok(Duration::from_millis(given.map_or(default, Spanned::into_inner))),
    }
}

fn node(given: NodeTable) -> Result<Node, Problem> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let name = given.name.get_ref();
    if name.is_empty() || name.len() > 64 || !name.bytes().all(is_plain) {
        let what = "a node's `name` has 1 to 64 letters, digits, `-`, `_` and `.`";
        return Err(Problem::of(&given.name, what));
    }
    let address = match Url::parse(given.address.get_ref()) {
        Ok(url)
            if matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none() =>
        {
            url
        }
        _ => {
            let what =
                format!("the `address` of node `{name}` is `http://HOST:PORT` or `https://…`");
            return Err(Problem::of(&given.address, what));
        }
    };
    let weight = match given.weight {
        Some(weight) if !(1..=1000).contains(weight.get_ref()) => {
            return Err(Problem::of(&weight, "`weight` is from 1 to 1000"));
        }
        weight => weight.map_or(1, Spanned::into_inner),
    };
    let NodeTable { command, index, repositories, .. } = given;
    Ok(Node { name: given.name.into_inner(), address, weight, command, index, repositories })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "[defaults]\nlimit = 3\n\n[fleet]\nreplicas = 1\ntimeout_ms = 250\n\
                       token_env = 'FLEET_TOKEN'\n\n[[fleet.node]]\nname = 'a'\n\
                       address = 'http://127.0.0.1:6070'\n\n[[fleet.node]]\nname = 'b'\n\
                       address = 'https://b.example:443'\nweight = 2\ncommand = ['ssh', 'b']\n\
                       index = '/srv/zoekt'\n";

    #[test]
    fn a_fleet_is_read() {
        let fleet = Fleet::of_text(TWO).expect("valid").expect("a fleet");
        let names: Vec<&str> = fleet.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!((fleet.replicas, fleet.timeout), (1, Duration::from_millis(250)));
        assert_eq!(fleet.connect_timeout, Duration::from_millis(250), "within the whole time");
        assert_eq!(fleet.nodes[1].weight, 2);
        assert_eq!(fleet.nodes[1].index.as_deref(), Some("/srv/zoekt"));
        assert_eq!(Fleet::of_text("[defaults]\nlimit = 3\n"), Ok(None));
    }

    #[test]
    fn a_problem_has_its_line() {
        let node = "[fleet]\n[[fleet.node]]\nname = 'a'\naddress = 'http://h:1'\n";
        let cases = [
            ("[fleet]\nnodes = 3\n".to_owned(), 2, "unknown field `nodes`"),
            ("\n[fleet]\n".to_owned(), 2, "`[fleet]` has no node"),
            (node.replace("http://h:1", "h:1"), 4, "`http://HOST:PORT`"),
            (node.replace("http://h:1", "http://u:secret@h:1"), 4, "`http://HOST:PORT`"),
            (node.replace("'a'", "'a b'"), 3, "`name` has 1 to 64"),
            (node.replace("[fleet]", "[fleet]\nreplicas = 2"), 2, "`replicas` is from 1 to"),
            (node.replace("[fleet]", "[fleet]\ntimeout_ms = 0"), 2, "`timeout_ms` is from 1"),
            (node.replace("[fleet]", "[fleet]\ntoken_env = 'a-b c'"), 2, "`token_env` is the name"),
            (
                node.to_owned() + "[[fleet.node]]\nname = 'a'\naddress = 'http://i:1'\n",
                5,
                "two nodes",
            ),
            (
                node.to_owned() + "[[fleet.node]]\nname = 'b'\naddress = 'http://h:1'\n",
                5,
                "the address",
            ),
            ("[fleet\n".to_owned(), 1, ""),
        ];
        for (text, line, what) in cases {
            let problem = Fleet::of_text(&text).expect_err(&text);
            assert!(problem.starts_with(&format!("line {line}: ")), "{text}\n{problem}");
            assert!(problem.contains(what), "{text}\n{problem}");
            assert!(!problem.contains("secret"), "{problem}");
        }
    }
}
