//! Places in code as programs print them: frames of stack traces, and paths with lines.

use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;

/// A place in code.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Frame {
    /// The file's path, `/` between its parts.
    pub(super) path: String,
    /// The line, from 1.
    pub(super) line: Option<u32>,
    /// The function, as it is printed, without its arguments.
    pub(super) function: Option<String>,
}

/// The places of a line.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) frames: Vec<Frame>,
    /// The line is a frame and nothing else.
    pub(super) is_all: bool,
}

/// How a language prints a frame; the groups are `path`, `line` and `function`.
static SHAPES: &[&str] = &[
    // Python.
    r#"^\s*File "(?<path>[^"<>]+)", line (?<line>\d+)(?:, in (?<function>[\w.<>]+))?\s*$"#,
    // pytest: `path.py:12: Error`, `path.py:12: in function`.
    r"^(?<path>[\w./\\-]+\.py):(?<line>\d+): (?:in (?<function>\w+)|\w+(?:Error|Exception|Warning))\s*$",
    // JavaScript.
    r"^\s*at (?:async |new )?(?:(?<function>[\w$.<>]+)(?: \[as \w+\])? \()?(?:file://|webpack:///|https?://[^/\s]+)?(?<path>[^\s():]*[\w$-]\.\w{1,4}):(?<line>\d+):\d+\)?\s*$",
    // Java, Kotlin, Scala: only the file's name.
    r"^\s*at (?:[\w.-]+/)*(?<function>[\w$.]+(?:<init>|<clinit>|[\w$]))\((?<path>[\w$]+\.(?:java|kt|scala|groovy)):(?<line>\d+)\)",
    // C#.
    r"^\s*at (?<function>[\w.`]+)\([^)]*\) in (?<path>[^:]*(?::\\[^:]*)?\.\w+):line (?<line>\d+)\s*$",
    // Go: the line below its function.
    r"^\s*(?<path>[^\s:]+\.go):(?<line>\d+)(?: \+0x[0-9a-f]+)?\s*$",
    // Rust.
    r"^\s*(?:at |.*panicked at (?:'[^']*', )?)(?<path>[^\s:']+\.rs):(?<line>\d+)(?::\d+)?:?\s*$",
    r"^\s*\d+: (?:0x[0-9a-f]+ - )?(?<function>[\w:<>$]+::[\w$<>]+)(?:::h[0-9a-f]{16})?\s*$",
    // Ruby, PHP.
    r"^\s*(?:from |#\d+ )?(?<path>[^\s:()]+\.(?:rb|php))[:(](?<line>\d+)\)?:(?: ?in [`'](?:.* in )?(?<function>[\w?!]+)'| (?<php>[\w\\>:-]+)\(.*)?",
];

/// A path with a line, anywhere in a sentence.
const PLACE: &str =
    r"(?<path>(?:[\w.@-]+[/\\])*[\w@-][\w.@-]*\.[A-Za-z]\w{0,5}):(?<line>\d{1,6})(?::\d+)?\b";

fn compiled() -> &'static (Vec<Regex>, Regex) {
    static COMPILED: OnceLock<(Vec<Regex>, Regex)> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let regex = |shape: &&str| Regex::new(shape).expect("a sound shape");
        (SHAPES.iter().map(regex).collect(), Regex::new(PLACE).expect("a sound shape"))
    })
}

/// Returns the places of a line. O(line).
pub(super) fn frames(line: &str) -> Found {
    let (shapes, place) = compiled();
    // Every place has a number.
    if !line.bytes().any(|byte| byte.is_ascii_digit()) {
        return Found::default();
    }
    for shape in shapes {
        let mut captures = shape.create_captures();
        shape.captures(line, &mut captures);
        if captures.is_match() {
            return Found { frames: frame(line, &captures).into_iter().collect(), is_all: true };
        }
    }
    let mut found = Found::default();
    for captures in place.captures_iter(line) {
        let is_url = captures.get_group(0).is_some_and(|span| {
            let word = line[..span.start].rsplit(char::is_whitespace).next().unwrap_or_default();
            word.contains("://")
        });
        found.frames.extend(frame(line, &captures).filter(|_| !is_url));
    }
    found
}

fn frame(line: &str, captures: &Captures) -> Option<Frame> {
    let group = |name: &str| captures.get_group_by_name(name).map(|span| &line[span]);
    let function = group("function").filter(|name| !name.starts_with('<')).map(|name| {
        let name = name.trim_end_matches(".<init>").trim_end_matches(".<clinit>");
        name.replace('$', ".").trim_matches('.').to_owned()
    });
    let path = group("path").unwrap_or_default().replace('\\', "/");
    let number = group("line").and_then(|line| line.parse().ok()).filter(|&line| line > 0);
    if path.is_empty() && function.is_none() {
        return None;
    }
    Some(Frame { path, line: number, function })
}
