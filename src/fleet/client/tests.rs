//! The client against nodes that fail in every way: processes and machines are replaced by scripts.

use std::time::{Duration, Instant};

use prost::Message as _;

use super::*;
use crate::fleet::config::Node;
use crate::fleet::messages::{Repository, SearchResponse, q};

mod node;

use node::{Node as Fake, Step, framed, raw};

const TOKEN: &str = "t0ken-of-the-fleet";

fn fleet(nodes: &[(&str, String)]) -> Fleet {
    let node = |(name, address): &(&str, String)| Node {
        name: (*name).to_owned(),
        address: address.parse().expect("an address"),
        weight: 1,
        command: Vec::new(),
        index: None,
        repositories: None,
    };
    Fleet {
        nodes: nodes.iter().map(node).collect(),
        replicas: 1,
        timeout: Duration::from_millis(1000),
        connect_timeout: Duration::from_millis(600),
        token_env: Some("FLEET_TOKEN".to_owned()),
        ca: None,
    }
}

fn client(nodes: &[(&str, String)]) -> Client {
    Client::new(fleet(nodes), Some(Secret::new(TOKEN))).expect("a client")
}

fn everything() -> Q {
    Q::from(q::Query::Const(true))
}

fn search(client: &Client) -> Found {
    let bounds = client.bounds();
    client.search(&everything(), &SearchOptions::default(), &bounds, Interrupt::NEVER)
}

fn file(repository: &str, path: &[u8]) -> FileMatch {
    FileMatch {
        repository: repository.to_owned(),
        file_name: path.to_vec(),
        version: "1".to_owned(),
        ..FileMatch::default()
    }
}

/// A part of an answer with these files, which are counted.
fn part(files: Vec<FileMatch>) -> StreamSearchResponse {
    let file_count = i64::try_from(files.len()).expect("few");
    let stats = Some(Stats { file_count, shards_scanned: 1, ..Stats::default() });
    StreamSearchResponse { response_chunk: Some(SearchResponse { stats, files }) }
}

fn sent(files: Vec<FileMatch>) -> Step {
    Step::Data(framed(&part(files).encode_to_vec()))
}

fn answers(steps: Vec<Step>) -> Fake {
    Fake::start(move |_| steps.clone())
}

/// Every fault in one call: each node has its sentence, the good one its file, and the call its time.
#[test]
fn each_fault_has_a_sentence_and_costs_the_others_nothing() {
    let a_part = || sent(vec![file("r", b"a")]);
    let good = answers(vec![a_part(), Step::Ok]);
    let message = framed(&part(vec![file("x", b"x")]).encode_to_vec());
    let drip = |byte: &u8| vec![Step::Data(vec![*byte]), Step::Wait(Duration::from_millis(60))];
    let half = message[..message.len() / 2].to_vec();
    let silent = raw(|_| std::thread::sleep(Duration::from_secs(5)));
    let http1 = raw(|stream| {
        use std::io::Write as _;
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n\x00\xff\xfe garbage");
        std::thread::sleep(Duration::from_secs(5));
    });
    let closes = raw(|_| ());
    let other = |name: &str| file(name, b"a");
    let faults: Vec<(&str, Fake, bool, &str)> = vec![
        ("refuses", Fake::refusing(), true, "refused the connection"),
        ("silent", silent, true, "did not finish its answer within "),
        ("http1", http1, true, "does not speak gRPC: "),
        ("closes", closes, true, "closed the connection"),
        (
            "drips",
            answers(message.iter().flat_map(drip).collect()),
            true,
            "did not finish its answer within",
        ),
        (
            "hangs",
            answers(vec![sent(vec![other("h")]), Step::Wait(Duration::from_secs(5))]),
            false,
            "did not finish its answer within",
        ),
        (
            "dies",
            answers(vec![sent(vec![other("d")]), Step::Wait(Duration::from_millis(30)), Step::Die]),
            false,
            "closed the connection before the end of its answer",
        ),
        (
            "garbage",
            answers(vec![Step::Data(vec![0xff; 64])]),
            true,
            "does not follow the protocol",
        ),
        (
            "unreadable",
            answers(vec![Step::Data(framed(b"\x32\xff\xff\x03")), Step::Ok]),
            true,
            "sent a message that cannot be read: a field is longer than the message",
        ),
        (
            "not-utf8",
            answers(vec![Step::Data(framed(b"\x32\x06\x1a\x04\x22\x02\xff\xfe")), Step::Ok]),
            true,
            "sent a message that cannot be read: ",
        ),
        (
            "gigabytes",
            answers(vec![Step::Data(vec![0, 0xff, 0xff, 0xff, 0xff])]),
            true,
            "announced a message of more than 1048576 bytes",
        ),
        (
            "endless",
            answers(vec![sent(vec![FileMatch::default(); 20_000]), Step::Ok]),
            true,
            "was cut off, because all answers together exceed 1048576 bytes",
        ),
        (
            "half",
            answers(vec![Step::Data(half), Step::Ok]),
            true,
            "ended its answer in the middle of a message",
        ),
        (
            "no-status",
            answers(vec![sent(vec![other("n")])]),
            false,
            "answered with the error `Unknown`",
        ),
        (
            "error",
            answers(vec![Step::Status(3, format!("bad\u{1b}[2J query for {TOKEN}"))]),
            true,
            "answered with the error `InvalidArgument`: bad\\u{1b}[2J query for [redacted: token]",
        ),
        (
            "late-error",
            answers(vec![sent(vec![other("l")]), Step::Status(14, "bye".to_owned())]),
            false,
            "answered with the error `Unavailable`: bye",
        ),
        (
            "other",
            answers(vec![Step::Status(12, "unknown service".to_owned())]),
            true,
            "does not serve this call; does it run `zoekt-webserver -rpc`?",
        ),
        (
            "denied",
            answers(vec![Step::Status(16, TOKEN.to_owned())]),
            true,
            "rejected the token: [redacted: token]",
        ),
    ];
    let mut nodes: Vec<(&str, String)> =
        faults.iter().map(|(name, fake, ..)| (*name, fake.address())).collect();
    nodes.push(("good", good.address()));
    let client = client(&nodes);
    let start = Instant::now();
    let deadline = start + client.fleet().timeout;
    let bounds = Bounds { bytes_max: 1 << 20, deadline, is_best_only: false };
    let found = client.search(&everything(), &SearchOptions::default(), &bounds, Interrupt::NEVER);
    let elapsed = start.elapsed();
    for ((name, _, is_failed, expected), answer) in faults.iter().zip(&found.nodes) {
        let why = answer.why().unwrap_or_default();
        assert_eq!(matches!(answer.state, NodeState::Failed { .. }), *is_failed, "{name}: {why}");
        let sentence = format!("node `{name}` {expected}");
        assert!(why.starts_with(&sentence), "expected: {sentence}\nreceived: {why}");
        assert!(!why.contains(TOKEN) && !why.contains('\n'), "{why}");
    }
    assert_eq!(found.nodes.last().map(|node| node.state.clone()), Some(NodeState::Complete));
    let repositories: Vec<&str> = found.files.iter().map(|file| &file.repository[..]).collect();
    assert_eq!(repositories, ["d", "h", "l", "n", "r"], "what arrived is used");
    let slack = Duration::from_millis(200);
    assert!(elapsed < client.fleet().timeout + slack, "{elapsed:?}");
}

#[test]
fn what_a_node_counts_or_names_wrongly_is_stated() {
    let crashed = Stats { crashes: 2, ..Stats::default() };
    let crashed = SearchResponse { stats: Some(crashed), files: Vec::new() };
    let crashed = StreamSearchResponse { response_chunk: Some(crashed) };
    let crashes = answers(vec![Step::Data(framed(&crashed.encode_to_vec())), Step::Ok]);
    let names = vec![file("r", b"../../etc/passwd"), file("r", b"a\x1b[2J\xff"), file("", b"a")];
    let hostile = answers(vec![sent(names), Step::Ok]);
    // A field of a later version in every message, and a status with more than the protocol has.
    let mut wire = part(vec![file("s", b"a")]).encode_to_vec();
    wire.extend([0xfa, 0x07, 0x02, 0xff, 0xfe, 0xf8, 0x07, 0x01]);
    let later = answers(vec![Step::Data(framed(&wire)), Step::Ok]);
    let nothing = answers(vec![Step::Ok]);
    let client = client(&[
        ("crashes", crashes.address()),
        ("hostile", hostile.address()),
        ("later", later.address()),
        ("nothing", nothing.address()),
    ]);
    let found = search(&client);
    let why: Vec<Option<&str>> = found.nodes.iter().map(NodeAnswer::why).collect();
    let expected = [
        Some("node `crashes` could not search 2 shards, which crashed or is not loaded yet"),
        Some("node `hostile` returned 2 files with names that no repository has"),
        None,
        None,
    ];
    assert_eq!(why, expected);
    let paths: Vec<&[u8]> = found.files.iter().map(|file| &file.file_name[..]).collect();
    assert_eq!(paths, [&b"a\x1b[2J\xff"[..], b"a"], "other bytes stay as they are");
    assert_eq!((found.stats.crashes, found.stats.file_count), (2, 4));
}

#[test]
fn an_interrupted_call_ends_at_once() {
    let slow = answers(vec![sent(vec![file("r", b"a")]), Step::Wait(Duration::from_secs(5))]);
    let client = client(&[("slow", slow.address())]);
    let start = Instant::now();
    let is_due = || start.elapsed() > Duration::from_millis(100);
    let bounds = Bounds { deadline: start + Duration::from_secs(5), ..client.bounds() };
    let options = SearchOptions::default();
    let found = client.search(&everything(), &options, &bounds, Interrupt::new(&is_due));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    let why = found.nodes[0].why();
    assert_eq!(why, Some("node `slow` had not finished its answer when the call ended"));
    assert_eq!(found.files.len(), 1);
    slow.wait_until_cancelled();
}

#[test]
fn a_connection_is_kept_and_made_again_after_a_restart() {
    let steps = || vec![sent(vec![file("r", b"a")]), Step::Ok];
    let node = answers(steps());
    let client = client(&[("a", node.address())]);
    for _ in 0..3 {
        assert_eq!(search(&client).nodes[0].state, NodeState::Complete);
    }
    assert_eq!(node.connections(), 1);
    let address = node.socket();
    drop(node);
    let found = search(&client);
    assert_eq!(found.nodes[0].why(), Some("node `a` refused the connection"));
    let node = Fake::start_at(address, move |_| steps());
    assert_eq!(search(&client).nodes[0].why(), None);
    assert_eq!(node.connections(), 1);
}

#[test]
fn the_token_is_sent_and_shown_nowhere() {
    let node = Fake::start(|request| {
        let header = request.headers().get("authorization");
        let header = header.and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_right = header == format!("Bearer {TOKEN}");
        vec![Step::Status(if is_right { 0 } else { 16 }, String::new())]
    });
    let nodes = [("a", node.address())];
    let found = search(&client(&nodes));
    assert_eq!(found.nodes[0].state, NodeState::Complete);
    let other = Client::new(fleet(&nodes), Some(Secret::new("another"))).expect("a client");
    let why = search(&other).nodes[0].why().map(str::to_owned);
    assert!(why.as_deref().is_some_and(|why| why.contains("rejected the token")), "{why:?}");
    let shown = format!("{other:?} {:?} {why:?}", Secret::new("another"));
    assert!(!shown.contains("another"), "{shown}");
    let broken = Client::new(fleet(&nodes), Some(Secret::new("two\nlines"))).expect_err("refused");
    let text = format!("{broken} {broken:?}");
    assert!(text.contains("FLEET_TOKEN") && !text.contains("lines"), "{text}");
}

/// A certificate of an authority that the configuration names is accepted, any other one is not.
#[test]
fn tls_trusts_the_authorities_of_the_configuration() {
    let (node, ca) = Fake::start_tls(|_| vec![sent(vec![file("r", b"a")]), Step::Ok]);
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("ca.pem");
    std::fs::write(&path, ca).expect("written");
    let nodes = [("a", node.address())];
    let trusting = Fleet { ca: Some(path.clone()), ..fleet(&nodes) };
    let trusting = Client::new(trusting, None).expect("a client");
    assert_eq!(search(&trusting).nodes[0].why(), None);
    let why = search(&client(&nodes)).nodes[0].why().map(str::to_owned);
    let expected = "node `a` cannot be reached with TLS: ";
    assert!(why.as_deref().is_some_and(|why| why.starts_with(expected)), "{why:?}");
    std::fs::write(&path, "no certificate").expect("written");
    let refused = Fleet { ca: Some(path), ..fleet(&nodes) };
    let refused = Client::new(refused, None).expect_err("no certificate").to_string();
    assert!(refused.contains("no certificate in PEM"), "{refused}");
}

#[test]
fn repositories_are_listed_by_node() {
    let entry = |name: &str| {
        let repository = Repository { name: name.to_owned(), ..Repository::default() };
        RepoListEntry { repository: Some(repository), ..RepoListEntry::default() }
    };
    let list = ListResponse {
        repos: vec![entry("z"), RepoListEntry::default(), entry("a")],
        crashes: 1,
        stats: Some(RepoStats { documents: 7, ..RepoStats::default() }),
    };
    let node = answers(vec![Step::Data(framed(&list.encode_to_vec())), Step::Ok]);
    let client = client(&[("a", node.address()), ("b", Fake::refusing().address())]);
    let lists = client.list(&everything(), &client.bounds(), Interrupt::NEVER);
    let names: Vec<&str> = lists[0].repositories.iter().map(name_of).collect();
    assert_eq!((names, lists[0].stats.documents), (vec!["a", "z"], 7));
    let why = lists[0].answer.why().unwrap_or_default();
    assert!(why.contains("could not search 1 shard") && why.contains("1 repositories"), "{why}");
    assert!(matches!(lists[1].answer.state, NodeState::Failed { .. }));
}
