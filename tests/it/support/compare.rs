//! Compares two outputs and shows the first difference.

use super::process::{ChildOutput, TIMEOUT};

/// How two answers differ.
pub(crate) struct Difference {
    /// The parts of the output that differ; a reduced query must differ in the same parts.
    pub(crate) parts: Vec<&'static str>,
    /// A short description of the place of the difference.
    pub(crate) report: String,
}

/// Returns the difference between `ours` and ripgrep's output; `None` if they are equal.
pub(crate) fn difference(peer: &ChildOutput, ours: &ChildOutput) -> Option<Difference> {
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

/// Compares the messages of ripgrep's libraries. Messages of ripgrep's own program have another
/// wording in codedb, but both programs must print one.
fn same_messages(peer: &ChildOutput, ours: &ChildOutput) -> bool {
    const OWN_WORDS: &[&str] = &[
        "PROGRAM: error parsing flag",
        "PROGRAM: missing value for flag",
        "PROGRAM: unrecognized flag",
        "PROGRAM: unexpected argument",
        "PROGRAM: pattern given is not valid UTF-8",
        "PROGRAM: ripgrep requires at least one pattern",
        // If a command line has several errors, ripgrep reports these first; codedb may report any
        // of them.
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

/// Returns a few lines from the first difference of the two lists on.
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
