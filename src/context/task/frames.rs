//! Recognises locations in code as programs print them: stack frames, and paths with lines.

use std::sync::OnceLock;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;

/// A location in code.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Frame {
    /// The path, with `/`.
    pub(super) path: String,
    /// The line, from 1.
    pub(super) line: Option<u32>,
    /// The function as printed, without arguments.
    pub(super) function: Option<String>,
}

/// The locations in a line.
#[derive(Debug, Default)]
pub(super) struct LineFrames {
    pub(super) frames: Vec<Frame>,
    /// True if the line consists of one frame only.
    pub(super) is_all: bool,
}

/// Formats of frames by language; the groups are `path`, `line` and `function`.
static SHAPES: &[&str] = &[
    // Python.
    r#"^\s*File "(?<path>[^"<>]+)", line (?<line>\d+)(?:, in (?<function>[\w.<>]+))?\s*$"#,
    // pytest: `path.py:12: Error`, `path.py:12: in function`.
    r"^(?<path>[\w./\\-]+\.py):(?<line>\d+): (?:in (?<function>\w+)|\w+(?:Error|Exception|Warning))\s*$",
    // JavaScript.
    r"^\s*at (?:async |new )?(?:(?<function>[\w$.<>]+)(?: \[as \w+\])? \()?(?:file://|webpack:///|https?://[^/\s]+)?(?<path>[^\s():]*[\w$-]\.\w{1,4}):(?<line>\d+):\d+\)?\s*$",
    // Java, Kotlin, Scala: without directory.
    r"^\s*at (?:[\w.-]+/)*(?<function>[\w$.]+(?:<init>|<clinit>|[\w$]))\((?<path>[\w$]+\.(?:java|kt|scala|groovy)):(?<line>\d+)\)",
    // C#.
    r"^\s*at (?<function>[\w.`]+)\([^)]*\) in (?<path>[^:]*(?::\\[^:]*)?\.\w+):line (?<line>\d+)\s*$",
    // Go: the line after its function.
    r"^\s*(?<path>[^\s:]+\.go):(?<line>\d+)(?: \+0x[0-9a-f]+)?\s*$",
    // Rust.
    r"^\s*(?:at |.*panicked at (?:'[^']*', )?)(?<path>[^\s:']+\.rs):(?<line>\d+)(?::\d+)?:?\s*$",
    r"^\s*\d+: (?:0x[0-9a-f]+ - )?(?<function>[\w:<>$]+::[\w$<>]+)(?:::h[0-9a-f]{16})?\s*$",
    // Ruby, PHP.
    r"^\s*(?:from |#\d+ )?(?<path>[^\s:()]+\.(?:rb|php))[:(](?<line>\d+)\)?:(?: ?in [`'](?:.* in )?(?<function>[\w?!]+)'| (?<php>[\w\\>:-]+)\(.*)?",
];

/// A path with a line, anywhere in the prose.
const PLACE: &str =
    r"(?<path>(?:[\w.@-]+[/\\])*[\w@-][\w.@-]*\.[A-Za-z]\w{0,5}):(?<line>\d{1,6})(?::\d+)?\b";

fn compiled() -> &'static (Vec<Regex>, Regex) {
    static COMPILED: OnceLock<(Vec<Regex>, Regex)> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let regex = |shape: &&str| Regex::new(shape).expect("a valid pattern");
        (SHAPES.iter().map(regex).collect(), Regex::new(PLACE).expect("a valid pattern"))
    })
}

/// Returns the locations in a line. O(line).
pub(super) fn frames(line: &str) -> LineFrames {
    let (shapes, place) = compiled();
    // Every location has a line number.
    if !line.bytes().any(|byte| byte.is_ascii_digit()) {
        return LineFrames::default();
    }
    for shape in shapes {
        let mut captures = shape.create_captures();
        shape.captures(line, &mut captures);
        if captures.is_match() {
            return LineFrames {
                frames: frame(line, &captures).into_iter().collect(),
                is_all: true,
            };
        }
    }
    let mut found = LineFrames::default();
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
