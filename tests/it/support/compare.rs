//! Holds two answers against each other and shows where they part.

use super::process::{Said, TIMEOUT};

/// How two answers differ.
pub(crate) struct Difference {
    /// In which of the answer's parts; a smaller query must differ in the same.
    pub(crate) parts: Vec<&'static str>,
    /// Where, briefly.
    pub(crate) report: String,
}

/// Says how `ours` differs from the peer's answer; `None` if it does not.
pub(crate) fn difference(peer: &Said, ours: &Said) -> Option<Difference> {
    if peer.hung {
        return None; // Nothing to compare with.
    }
    let (mut parts, mut reports) = (Vec::new(), Vec::new());
    let mut differs = |part, report| {
        parts.push(part);
        reports.push(report);
    };
    if ours.hung {
        differs("time", format!("does not end within {} s", TIMEOUT.as_secs()));
    }
    if peer.code != ours.code {
        differs("code", format!("exit code: rg {:?}, codedb {:?}", peer.code, ours.code));
    }
    if peer.stdout != ours.stdout {
        let apart = first_lines_apart(&lines(&peer.stdout), &lines(&ours.stdout));
        differs("stdout", format!("stdout:\n{apart}"));
    }
    if !same_messages(peer, ours) {
        let apart = first_lines_apart(&peer.stderr, &ours.stderr);
        differs("stderr", format!("stderr:\n{apart}"));
    }
    if parts.is_empty() { None } else { Some(Difference { parts, report: reports.join("\n") }) }
}

/// Compares the messages of ripgrep's libraries; what ripgrep's program says itself, codedb says in its own
/// words, but says it.
fn same_messages(peer: &Said, ours: &Said) -> bool {
    const OWN_WORDS: &[&str] = &[
        "PROGRAM: error parsing flag",
        "PROGRAM: missing value for flag",
        "PROGRAM: unrecognized flag",
        "PROGRAM: unexpected argument",
        "PROGRAM: pattern given is not valid UTF-8",
        "PROGRAM: ripgrep requires at least one pattern",
        // Of several errors in one command line these come first in ripgrep; any one of them may be said.
        "PROGRAM: invalid definition",
        "PROGRAM: unrecognized file type",
        "PROGRAM: error parsing glob",
    ];
    let begins = |line: &Vec<u8>| OWN_WORDS.iter().any(|words| line.starts_with(words.as_bytes()));
    if peer.stderr.iter().any(begins) {
        !ours.stderr.is_empty()
    } else {
        peer.stderr == ours.stderr
    }
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Shows a few lines from the first place where the two lists part.
fn first_lines_apart(peer: &[Vec<u8>], ours: &[Vec<u8>]) -> String {
    const SHOWN: usize = 4;
    let same = peer.iter().zip(ours).take_while(|(left, right)| left == right).count();
    let show = |sign: &str, lines: &[Vec<u8>]| {
        let shown: Vec<String> = lines
            .iter()
            .skip(same)
            .take(SHOWN)
            .map(|line| format!("  {sign} {}", line[..line.len().min(300)].escape_ascii()))
            .collect();
        format!("  {sign} ({} lines)\n{}", lines.len(), shown.join("\n"))
    };
    format!("  first {same} lines equal\n{}\n{}", show("rg    ", peer), show("codedb", ours))
}
