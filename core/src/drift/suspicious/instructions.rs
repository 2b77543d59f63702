//! Sentences that instruct a model to do something that a description of a tool has no reason for.
//!
//! The patterns are in English, ignore case, and see the text without its hidden characters.

use std::sync::OnceLock;

use regex_automata::meta::Regex;

use super::Part;
use super::hidden::{Visible, escaped};

/// The maximum number of characters that are shown.
const SHOWN_MAX: usize = 160;

/// A kind of instruction.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// The name of the kind.
    pub kind: &'static str,
    /// What such a sentence does.
    pub summary: &'static str,
    /// The regular expression.
    regex: &'static str,
}

/// All patterns. docs/drift.md lists them.
pub const PATTERNS: [Pattern; 7] = [
    Pattern {
        kind: "override",
        summary: "revokes other instructions: \"ignore all previous instructions\"",
        regex: r"\b(ignore|disregard|forget|override|bypass)\s+((all|any|the|your|of|other|previous|prior|earlier|above|preceding|existing|system|user('s)?|safety)\s+){1,5}(instructions?|prompts?|rules?|directions?|guidelines?|messages?|polic(y|ies)|restrictions?)\b",
    },
    Pattern {
        kind: "conceal",
        summary: "hides something from the user: \"do not tell the user\"",
        regex: r"\b(do\s+not|don['’]?t|never|must\s+not|without|avoid)\s+(ever\s+)?(tell(ing)?|inform(ing)?|mention(ing)?|notify(ing)?|reveal(ing)?|show(ing)?|disclos(e|ing)|alert(ing)?|warn(ing)?|ask(ing)?)\b[^.!?]{0,60}\b(the\s+)?(user|human|person)s?\b",
    },
    Pattern {
        kind: "markup",
        summary: "imitates the markup of prompts: `<IMPORTANT>`, `<|im_start|>`, `[INST]`",
        regex: r"(\B<\s*|<\s*/\s*)(important|system|instructions?|secret|hidden|critical|admin|assistant|system[-_ ](prompt|message|reminder))\s*>|<\|[a-z_]{2,30}\|>|\[/?INST\]|<</?SYS>>",
    },
    Pattern {
        kind: "secret_file",
        summary: "names a file of credentials: `~/.ssh/id_rsa`, `.aws/credentials`",
        regex: r"\bid_(rsa|dsa|ecdsa|ed25519)\b|[~/\\]\.(ssh|aws|gnupg|kube|docker)\b|(^|[\s/\\`'\x22(])\.(netrc|npmrc|pypirc|pgpass|git-credentials|env)\b|/etc/(passwd|shadow)\b|\b(mcp|claude_desktop_config)\.json\b",
    },
    Pattern {
        kind: "pass_on",
        summary: "asks for the conversation or for secrets as an argument or to an address",
        regex: r"\b(pass|send|include|provide|put|add|append|copy|upload|forward|post|transmit|read)\b[^.!?]{0,60}\b(conversation|chat\s+history|system\s+prompts?|previous\s+messages|credentials|api[-_ ]?keys?|passwords?|private\s+keys?|access\s+tokens?|environment\s+variables)\b[^.!?]{0,60}\b(argument|parameter|field|sidenote|https?:|e-?mail|webhook|server|url)",
    },
    Pattern {
        kind: "precedence",
        summary: "puts itself before other tools: \"before using any other tool\"",
        regex: r"\b(before|after|instead\s+of|whenever|when)\s+(you\s+)?(use|using|call|calling|invoke|invoking|run|running)\s+(any|all|every|each|other|the\s+other)\s+(of\s+the\s+)?(other\s+)?(tools?|functions?)\b|\b(do\s+not|don['’]?t|never)\s+(use|call|invoke)\s+(any\s+|the\s+)?other\s+tools?\b",
    },
    Pattern {
        kind: "role",
        summary: "assigns a role to the model: \"you are now …\"",
        regex: r"\b(you\s+are\s+now|from\s+now\s+on,?\s+you|pretend\s+(to\s+be|that\s+you|you)|act\s+as\s+if\s+you)\b",
    },
];

/// Returns the instructions in a text, by pattern, then by offset; offsets are those of the original
/// text. O(n).
pub fn parts(visible: &Visible) -> Vec<Part> {
    let mut found = Vec::new();
    for (pattern, regex) in PATTERNS.iter().zip(regexes()) {
        let hits = regex.find_iter(&visible.text);
        let hits = hits.filter(|hit| !is_documentation(pattern.kind, &visible.text, hit.range()));
        found.extend(hits.map(|hit| {
            // A pattern may begin with the blank before a name.
            let hit_text = &visible.text[hit.range()];
            let lead = hit_text.len() - hit_text.trim_start().len();
            let shown: String = hit_text.trim_start().chars().take(SHOWN_MAX).collect();
            Part {
                byte: visible.original(hit.start() + lead),
                kind: pattern.kind,
                text: escaped(&shown),
            }
        }));
    }
    found
}

/// Endings of files that show which settings there are, without their values.
const TEMPLATES: [&str; 5] = [".example", ".sample", ".template", ".dist", ".defaults"];

/// Returns true if a hit documents how a server is configured: a template of a file of settings, that file in a
/// text which names the template, or a list of environment variables.
fn is_documentation(kind: &str, text: &str, hit: std::ops::Range<usize>) -> bool {
    let begins = |rest: &str| TEMPLATES.iter().any(|it| rest.starts_with(it));
    match kind {
        "secret_file" if text[hit.clone()].ends_with("env") => {
            begins(&text[hit.end..])
                || text.match_indices(".env").any(|(at, _)| begins(&text[at + 4..]))
        }
        "pass_on" => {
            let lower = text[hit.clone()].to_ascii_lowercase();
            let address =
                ["http:", "https:", "mail", "webhook", "sidenote", "conversation", "prompt"];
            let is_sent = address.iter().any(|it| lower.contains(it));
            // What follows the word is a list of names in capitals.
            let after = lower.find("environment variables").map(|at| &text[hit.start + at + 21..]);
            let listed =
                after.map(|it| it.trim_start_matches([' ', ':', '(', '`', '-', '*', '\n']));
            let name = listed.unwrap_or_default();
            let length =
                name.bytes().take_while(|it| it.is_ascii_uppercase() || *it == b'_').count();
            !is_sent && length >= 3 && name[..length].contains('_')
        }
        _ => false,
    }
}

fn regexes() -> &'static [Regex] {
    static REGEXES: OnceLock<Vec<Regex>> = OnceLock::new();
    REGEXES.get_or_init(|| {
        let compiled = PATTERNS.iter().map(|pattern| {
            let regex = format!("(?i){}", pattern.regex);
            Regex::new(&regex).expect("a test compiles every pattern")
        });
        compiled.collect()
    })
}
