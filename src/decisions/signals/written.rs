//! Rules that people wrote: sentences of contribution guides, guides of style, instructions for agents
//! and templates of pull requests that say what a change must or must not do.
//!
//! A sentence is a rule if it directs (an imperative, a "must", a check that runs) and is about something concrete: code, a file, a
//! number, a reason. What everybody does anyway is left out, and so is a rule whose files do not exist.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use regex_automata::meta::Regex;

use super::prose::{self, Item};
use super::sentence::{is_dependent, refusal};
use super::texts::{Texts, directory};
use super::{Draft, Kind, Signal};
use crate::base::text;
use crate::userdata::decisions::{Confidence, PATTERN_BYTES_MAX, Scope, SourceRef};

/// The most documents that are read.
const DOCUMENTS_MAX: usize = 60;

/// The most rules that become proposals, and that are evidence for a model.
const PROPOSALS_MAX: usize = 12;
const SIGNALS_MAX: usize = 40;

/// The most proposals of rules with the fewest points.
const WEAK_MAX: usize = 6;

/// The points from which on a sentence is a rule, and from which on it is a sure one.
const RULE_POINTS: i32 = 4;
const SURE_POINTS: i32 = 6;

/// The fewest and the most bytes of a rule.
const BYTES: std::ops::RangeInclusive<usize> = 25..=PATTERN_BYTES_MAX;

/// What a document is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Purpose {
    /// Instructions for agents: each sentence is meant as a rule.
    Agents,
    /// A guide for contributors.
    Guide,
    /// A template of pull requests.
    Template,
}

/// Returns what a document is for, by its path.
fn purpose(path: &str) -> Option<Purpose> {
    // Documents about agents are called so in lower case.
    let given = path.rsplit('/').next().unwrap_or(path);
    let agents = ["AGENTS.md", "AGENT.md", "CLAUDE.md", "GEMINI.md", "copilot-instructions.md"];
    if agents.contains(&given) {
        return Some(Purpose::Agents);
    }
    let path = path.to_lowercase();
    let path = path.as_str();
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    if path.contains(".cursor/rules/") || name == ".cursorrules" || name == ".windsurfrules" {
        return Some(Purpose::Agents);
    }
    let is_text = ["", "md", "rst", "txt", "adoc", "markdown", "instructions.md"];
    if !is_text.contains(&extension) {
        return None;
    }
    if extension == "instructions.md" {
        return Some(Purpose::Agents);
    }
    if stem.contains("pull_request_template") || path.contains("pull_request_template/") {
        return Some(Purpose::Template);
    }
    // Documents about the work of others, and those for users.
    let foreign =
        ["issue", "release", "review", "triage", "governance", "security", "support", "maint"];
    let mut around = path.split('/').rev().skip(1);
    let is_news = |it: &str| {
        let it = it.trim_start_matches('_');
        NEWS_FOLDERS.contains(&it) || it.starts_with("releas")
    };
    if foreign.iter().any(|it| stem.contains(it)) || around.clone().any(is_news) {
        return None;
    }
    // `developer-guide` is one, `developer-tools` and `2018-development-update` are not.
    let words = stem.split(['-', '_', ' ']).filter(|it| !["guide", "guidelines"].contains(it));
    let words: Vec<&str> = words.collect();
    let is_named = match words.as_slice() {
        [] => stem == "guidelines",
        ["code"] => false,
        words => words.iter().all(|it| GUIDE_WORDS.contains(it)),
    };
    if is_named || around.any(|it| GUIDE_FOLDERS.contains(&it)) {
        return Some(Purpose::Guide);
    }
    None
}

/// The words of which names of documents for contributors consist.
const GUIDE_WORDS: &[&str] = &[
    "contributing",
    "contribute",
    "contributor",
    "contributors",
    "contribution",
    "hacking",
    "style",
    "styleguide",
    "code",
    "coding",
    "codestyle",
    "conventions",
    "developing",
    "development",
    "developer",
    "developers",
    "devel",
];

/// Folders of documents for contributors, and of those for readers of news.
const GUIDE_FOLDERS: &[&str] =
    &["contributing", "contributor", "contributors", "development", "developers", "devel", "dev"];
const NEWS_FOLDERS: &[&str] =
    &["posts", "post", "news", "blog", "blogs", "changes", "changelog", "faq", "howto"];

/// A rule with its evidence.
struct Rule {
    pattern: String,
    reason: Option<String>,
    heading: String,
    path: String,
    line: usize,
    points: i32,
    scope: Scope,
}

/// Adds the rules that documents state.
pub fn find(texts: &Texts<'_>, signals: &mut Vec<Signal>) {
    let mut rules: Vec<Rule> = Vec::new();
    let paths = texts.paths();
    let documents = paths.iter().filter_map(|path| {
        let of = purpose(path)?;
        Some((path, of))
    });
    for (path, purpose) in documents.take(DOCUMENTS_MAX) {
        let Some(text) = texts.read(path) else { continue };
        let read = match purpose {
            Purpose::Template => text.replace("<!--", "").replace("-->", ""),
            _ => text,
        };
        for item in prose::items(&read) {
            of_item(texts, path, purpose, &item, &mut rules);
        }
    }
    // The same rule in several documents, such as copies for different agents.
    rules.sort_by_key(|it| std::cmp::Reverse(it.points));
    let mut kept: Vec<(BTreeSet<String>, Rule)> = Vec::new();
    for rule in rules {
        let words: BTreeSet<String> = words(&rule.pattern).map(str::to_owned).collect();
        let is_known = kept.iter().any(|(known, _)| {
            let common = known.intersection(&words).count();
            common * 10 >= 6 * known.len().min(words.len())
        });
        if !is_known {
            kept.push((words, rule));
        }
    }
    let mut weak = 0;
    for (at, (words, rule)) in kept.into_iter().take(SIGNALS_MAX).enumerate() {
        let is_weak = rule.points == RULE_POINTS;
        let mut signal = signal(rule, &words);
        weak += usize::from(is_weak);
        if at >= PROPOSALS_MAX || is_weak && weak > WEAK_MAX {
            signal.proposal = None;
        }
        signals.push(signal);
    }
}

fn signal(rule: Rule, words: &BTreeSet<String>) -> Signal {
    let place = format!("`{}`", super::name(&rule.path));
    let heading = match rule.heading.as_str() {
        "" => String::new(),
        heading => format!(" (\"{}\")", super::name(heading)),
    };
    let written = format!("Written in {place}{heading}.");
    let rationale = match &rule.reason {
        Some(reason) => format!("{} {written}", text::plain(reason)),
        None => written,
    };
    let keywords: Vec<&str> =
        words.iter().map(String::as_str).filter(|it| it.len() > 3).take(8).collect();
    let draft = Draft {
        scope: rule.scope,
        kind: Kind::Written,
        pattern: text::plain(&rule.pattern),
        rationale,
        confidence: if rule.points >= SURE_POINTS { Confidence::High } else { Confidence::Medium },
        source_refs: vec![SourceRef::line(&rule.path, rule.line, "states it")],
        keywords: &keywords,
    };
    draft.signal()
}

/// Adds the rules of a paragraph or an item of a list.
fn of_item(texts: &Texts<'_>, path: &str, of: Purpose, item: &Item, rules: &mut Vec<Rule>) {
    let headings = item.headings.join(" / ").to_lowercase();
    let is_foreign = |it: &str| headings.contains(it);
    if FOREIGN_HEADINGS.iter().any(|it| is_foreign(it)) {
        return;
    }
    // One of several choices, or a step.
    if is_dependent(&item.lead) {
        return;
    }
    let is_checked = of == Purpose::Template && item.is_bullet;
    for (at, sentence) in item.sentences.iter().enumerate() {
        let is_last = at + 1 == item.sentences.len();
        let Some(mut pattern) = cleaned(sentence) else { continue };
        let mut commands = Vec::new();
        if pattern.ends_with(':') {
            // What is announced is the rule.
            commands.clone_from(&item.commands);
            if !is_last || commands.is_empty() || commands.len() > 2 {
                continue;
            }
            let announced = pattern.trim_end_matches(':');
            pattern = format!("{announced}: `{}`", commands.join(" && "));
        }
        let own = cleaned(sentence).unwrap_or_default();
        // Steps with numbers are no rules, but what they exclude may be one.
        let is_step = item.is_numbered && !regexes().excluding.is_match(&own);
        if is_step || refusal(&own, &commands, is_checked).is_some() {
            continue;
        }
        if !BYTES.contains(&pattern.len()) || pattern.matches('`').count() % 2 == 1 {
            continue;
        }
        let points = points(&pattern, of, item.is_bullet, !commands.is_empty());
        // A later sentence of a paragraph leans on the first, unless it forbids.
        let is_later = at > 0 && !item.is_bullet && !regexes().excluding.is_match(&pattern);
        let points = points - i32::from(is_later);
        if points < RULE_POINTS || !is_current(texts, path, &pattern) {
            continue;
        }
        let next = item.sentences.get(at + 1).filter(|it| regexes().reason_begins.is_match(it));
        let reason = next.map(|it| match it.strip_suffix(':') {
            Some(it) => item.commands.first().map(|command| format!("{it}: `{command}`.")),
            None => Some(text::start(it, 400).to_owned()),
        });
        // An item of a list is about what its heading says.
        let heading = item.headings.last().filter(|it| {
            let about: Vec<String> = words(it).map(str::to_lowercase).collect();
            let lower = pattern.to_lowercase();
            let is_known = about.iter().all(|word| lower.contains(word.as_str()));
            let is_about = regexes().domain.is_match(it) || regexes().adding.is_match(it);
            item.is_bullet && item.headings.len() > 1 && !is_known && is_about
        });
        // A step of a change that only the heading names.
        let is_conditional = regexes().condition.is_match(&pattern);
        if heading.is_some_and(|it| regexes().adding.is_match(it)) && !is_conditional {
            continue;
        }
        if let Some(heading) = heading
            && pattern.len() + heading.len() + 3 <= PATTERN_BYTES_MAX
        {
            pattern = format!("{pattern} ({})", heading.to_lowercase());
        }
        rules.push(Rule {
            scope: scope(texts, path, &pattern),
            reason: reason.flatten(),
            heading: item.headings.last().cloned().unwrap_or_default(),
            path: path.to_owned(),
            line: item.line,
            points,
            pattern,
        });
    }
}

/// Parts of headings of sections that are not about the contents of a change.
const FOREIGN_HEADINGS: &[&str] = &[
    "code of conduct",
    "license",
    "licence",
    "legal",
    "copyright",
    "agreement",
    "security polic",
    "vulnerabilit",
    "issue",
    "bug",
    "feature request",
    "question",
    "support",
    "get help",
    "getting help",
    "need help",
    "contact",
    "communit",
    "communication",
    "releas",
    "publishing",
    "maintainer",
    "governance",
    "translat",
    "sponsor",
    "donat",
    "acknowledg",
    "credits",
    "setup",
    "set up",
    "setting up",
    "install",
    "prerequisite",
    "requirements",
    "getting started",
    "fork",
    "clone",
    "review process",
    "reviewing",
    "code review",
    "triage",
    "roadmap",
    "reporting",
    "upgrad",
    "quick start",
    "ide ",
    "editor",
    "vscode",
    "labels",
    "backport",
    "submit",
    "updating",
    "table of contents",
];

struct Regexes {
    strong: Regex,
    excluding: Regex,
    imperative: Regex,
    should: Regex,
    reason: Regex,
    reason_begins: Regex,
    condition: Regex,
    vague: Regex,
    foreign: Regex,
    past: Regex,
    platitude: Regex,
    domain: Regex,
    number: Regex,
    size: Regex,
    together: Regex,
    standard: Regex,
    adding: Regex,
    everyday: Regex,
    lead: Regex,
    tail: Regex,
    dangling: Regex,
}

fn regexes() -> &'static Regexes {
    static REGEXES: OnceLock<Regexes> = OnceLock::new();
    let regex = |pattern: &str| {
        Regex::new(&format!("(?i){pattern}")).expect("a test compiles every pattern")
    };
    REGEXES.get_or_init(|| Regexes {
        strong: regex(r"\b(must|never|always|shall|required?|requires|only|mandatory|forbidden|prohibited|not allowed|ensure|make sure|be sure to|remember to)\b"),
        excluding: regex(r"(\b(never|do not|don['’]t|must not|mustn['’]t|should not|shouldn['’]t|avoid|instead of|rather than|not allowed|forbidden|prohibited|does not work|prefer|(uses?|not) [^.]{1,60}, not)\b|^no )"),
        imperative: regex(r"^(use|avoid|prefer|never|always|do not|don['’]t|keep|add|run|write|put|place|name|follow|include|document|update|regenerate|generate|ensure|make sure|format|wrap|limit|import|export|return|throw|raise|test|mark|declare|define|create|only|call|set|check|bump|commit|sign|annotate|pass|mock|cover|verify)\b"),
        should: regex(r"\b(should|(you|we)( also)? need to|have to|has to|please|are expected|is expected|we use|we prefer|we avoid|we do not|we don['’]t|uses?|follows?|go(es)? in(to)?|lives? in|belongs? in)\b"),
        reason: regex(r"\b(because|so that|since|otherwise|to avoid|in order to|to ensure|to prevent|to keep|as this|which means|breaks?|fails?)\b"),
        reason_begins: regex(r"(^(this|it|otherwise|because|the reason|that|these|we do this|doing so|ci|they)\b|\binstead:$)"),
        condition: regex(r"^(if|when|whenever|after|before|unless)\b"),
        vague: regex(r"\b(can|could|may|might|optional(ly)?|ideally|feel free|if possible|if you (want|wish|like|prefer)|consider|try to|appropriate|nice|helpful|generally|usually|sometimes|probably|recommend(ed)?|encouraged?|welcome|as (you|needed)|whenever possible|good idea|best|currently|in this example|unnecessarily|possible|by default)\b"),
        past: regex(r"\b(was|were|had|did)\b"),
        foreign: regex(r"\b(issues?|discussions?|fork|forked|cla|dco|license agreement|conduct|guides?|instructions|this (page|document|section|file)|branch|branches|e-?mail|slack|discord|gitter|twitter|forum|mailing list|maintainers?|reviewers?|reviewed|approv(al|ed?)|thank|thanks|click|github|account|pull requests? (will|is|are|can|may|open)|your (fork|clone|editor|ide)|master|rebase|squash|merged?|git clone|git push|git checkout|sign in|milestones?|labels?|tutorial|beginner|sponsor|assigned|the team|version bump|vscode|ide|homebrew|brew|docker)\b"),
        platitude: regex(r"\b((add|write|include|have|has|with|adequate|new|unit|appropriate|all) tests?|tests? (pass|are added|have been)|pass(es|ing)? (all )?(the )?tests|readable|maintainable|clean|clear|concise|descriptive|meaningful|small|self-contained|existing (code|style|conventions)|surrounding code|consistent|best practices?|bugs?|typos?|small (pr|change)|high[- ]quality|well[- ]written|self[- ]documenting|dry\b)"),
        domain: regex(r"\b(tests?|commits?|functions?|methods?|class(es)?|variables?|constants?|imports?|exports?|types?|docstrings?|comments?|exceptions?|errors?|api|dependenc(y|ies)|changelog|migrations?|snapshots?|fixtures?|benchmarks?|lint(er|ing)?s?|format(ter|ting)?|hints?|man page|completions?|options?|flags?|indent(ation)?|spaces|tabs|semicolons?|columns|characters|public|private|internal|modules?|packages?|interfaces?|structs?|traits?|enums?|macros?|loggers?|logging|mocks?|assertions?|arguments?|parameters?|annotations?|javadoc|kdoc|godoc|rustdoc|compat(ible|ibility)|allocations?|threads?|async|generated|schema|coverage|prefix|suffix|camelcase|snake_case|kebab-case|pascalcase|subject|doc comments?)\b"),
        together: regex(r"\b(also ((need|have) to |must |should )?(be )?(updated?|add(ed)?|changed?|adjust(ed)?|edit(ed)?|regenerated?)|in sync|together with)\b"),
        size: regex(r"\b\d+ (characters?|chars|columns?|spaces?|lines)\b"),
        standard: regex(r"\b(conventional commits?|keep a changelog|semantic versioning|pep ?\d+|google [a-z+]+ style)\b"),
        adding: regex(r"^(adding|creating|writing|updating|changing|removing|implementing|introducing)\b"),
        number: regex(r"\b\d+(\.\d+)?\+?\b"),
        everyday: regex(r"^(git (clone|checkout|push|pull|add|commit|fetch|remote|rebase|switch|branch|status|diff|stash)\b.*|cd\b.*|(npm|yarn|pnpm|bun) (i|install|ci)\b.*|pip3? install\b.*|brew .*|apt(-get)? .*|main|master|develop|python -m venv.*|source .*|sudo .*|docker .*|cargo build|make|npm test|cargo test|go test( \./\.\.\.)?|pytest)$"),
        lead: regex(r"^(please( note( that)?)?|note( that)?|keep in mind( that)?|be aware( that)?|also|finally|lastly|additionally|moreover|furthermore|in addition|important|warning|tip|nb|n\.b\.|remember|again|however|first|second|next|in general|in any case|generally)[,:]?\s+"),
        tail: regex(r"[,;]? \(?see (also )?[^.]*\)?$"),
        dangling: regex(r"(\b(see|here|read|check out|refer to|https?:|www\.)\b|\?$|^(why|how|what|where|who|which|as |i |we['’]re|we are|we have|there (is|are)|thank|hi|hello|welcome)\b)"),
    })
}

/// Returns a sentence without what only leads to it, and without its period; `None` if nothing is left.
fn cleaned(sentence: &str) -> Option<String> {
    let mut rest = sentence.trim();
    while let Some(found) = regexes().lead.find(rest) {
        rest = &rest[found.end()..];
    }
    let is_mark = |c: char| !c.is_alphanumeric() && !"`\"'(<$./@#_".contains(c);
    let rest = rest.trim_start_matches(is_mark).trim_end_matches(['.', '!', ' ', ';']);
    let rest = regexes().tail.find(rest).map_or(rest, |found| &rest[..found.start()]);
    let first = rest.chars().next()?;
    Some(first.to_uppercase().chain(rest.chars().skip(1)).collect())
}

/// Returns the texts in back-ticks.
fn spans(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split('`').skip(1).step_by(2).filter(|it| !it.is_empty())
}

/// Returns how much a sentence is a rule that is worth following.
fn points(pattern: &str, of: Purpose, is_bullet: bool, has_command: bool) -> i32 {
    let it = regexes();
    let outside: String = pattern.split('`').step_by(2).collect();
    let mut codes = spans(pattern);
    let has_code = codes.any(|span| !it.everyday.is_match(span) && !span.contains("://"));
    let is_strong = it.strong.is_match(&outside);
    let excludes = it.excluding.is_match(&outside);
    let is_imperative = it.imperative.is_match(&outside);
    let is_checked = of == Purpose::Template && is_bullet;
    let directs = is_strong || excludes || is_imperative || it.should.is_match(&outside);
    let directs = directs || is_checked || has_command;
    if !directs || it.dangling.is_match(&outside) {
        return 0;
    }
    let is_foreign = it.foreign.is_match(&outside);
    let mut points = 0;
    let mut add = |is_so: bool, by: i32| points += if is_so { by } else { 0 };
    add(has_code, 3);
    add(has_command, 1);
    add(is_strong, 2);
    add(excludes, 2);
    add(is_imperative, 1);
    add(it.reason.is_match(&outside), 1);
    let is_domain = it.domain.is_match(pattern);
    add(is_domain, 1);
    add(it.size.is_match(&outside), 2);
    add(has_code && it.together.is_match(&outside), 2);
    add(it.standard.is_match(&outside), 4);
    add(it.number.is_match(&outside), 1);
    add(is_bullet, 1);
    add(is_checked, 1);
    add(it.past.is_match(&outside) && !is_strong, -3);
    add(of == Purpose::Agents, 1);
    add(it.vague.is_match(&outside), -3);
    add(is_foreign, -4);
    add(it.platitude.is_match(&outside), if has_code || excludes { -1 } else { -4 });
    // Without code, a number or a name, a sentence must exclude something to be specific.
    let is_vague = !has_code && !excludes && !it.number.is_match(&outside);
    add(is_vague && !(is_strong && is_domain), -1);
    points
}

/// Returns false if the rule names files of the tree that do not exist.
fn is_current(texts: &Texts<'_>, document: &str, pattern: &str) -> bool {
    let is_plain = |span: &&str| {
        span.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/_-.".contains(&byte))
            && span.contains('/')
            && !span.starts_with('/')
    };
    spans(pattern).filter_map(|span| span.split(' ').find(|it| is_plain(it))).all(|path| {
        let path = path.trim_start_matches("./");
        let first = path.split('/').next().unwrap_or_default();
        // A name of something else also has a slash: `org/name`, `and/or`, `origin/main`.
        let last = path.rsplit('/').next().unwrap_or(path);
        let is_source = crate::lang::language::of_name(last.as_bytes()).is_some();
        let is_path = texts.has(first) || is_source;
        let below = format!("{}{path}", directory(document));
        !is_path || texts.has(path) || texts.has(&below)
    })
}

/// Returns where a rule holds: below the directory that it names, else below that of its document.
fn scope(texts: &Texts<'_>, document: &str, pattern: &str) -> Scope {
    let inside = ["in", "inside", "inside of", "below", "under", "within"];
    // "Code in `src/`" holds there; "add a file in `changes/`" and "never in `src/`" do not.
    let mut parts = pattern.split('`');
    if let (Some(before), Some(span)) = (parts.next(), parts.next()) {
        let path = span.trim_start_matches("./").trim_end_matches("/*").trim_end_matches('/');
        let before = before.to_lowercase();
        let before = before.trim_end().trim_end_matches(" the");
        let other = ["put", "add", "place", "write", "create", "store", "move", "keep"];
        let is_other = before.split_whitespace().next().is_some_and(|it| other.contains(&it));
        let count = before.split_whitespace().count();
        let is_subject = count <= 6 && !is_other && !before.contains(',');
        let is_inside =
            inside.iter().any(|it| before == *it || before.ends_with(&format!(" {it}")));
        let is_plain = path.bytes().all(|it| it.is_ascii_alphanumeric() || b"/_-.".contains(&it));
        let is_directory = || texts.has(path) && !texts.has_file(path);
        if is_inside && is_subject && is_plain && is_directory() {
            return Scope::Path(format!("{path}/**"));
        }
    }
    let folder = directory(document);
    let top = folder.split('/').next().unwrap_or_default();
    let is_general = ["", "docs", "doc", "contributing", "dev"].contains(&top)
        || top.starts_with('.')
        || folder.split('/').any(|it| ["docs", "doc", ".github", ".cursor"].contains(&it));
    if is_general {
        return Scope::Global;
    }
    Scope::parse(&format!("path:{folder}**")).unwrap_or(Scope::Global)
}

fn words(pattern: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = pattern.split(move |c| !is_part(c)).filter(|it| it.len() > 2);
    words.filter(|it| !crate::lang::prose::is_stop_word(&it.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rated(sentence: &str) -> i32 {
        points(&cleaned(sentence).unwrap(), Purpose::Guide, false, false)
    }

    #[test]
    fn rules_are_told_from_other_sentences() {
        for sentence in [
            "Use `AnnotatedError` instead of `Exception`, because callers match on it.",
            "Please do not add dependencies to `core`; it must build without `std`.",
            "Never call `Date.now()` in tests.",
            "New public API must have a `@since` tag.",
            "Run `make generate` after you change a `.proto` file, otherwise CI fails.",
            "Lines must not be longer than 100 characters.",
            "When you add an option, you also need to update the page in `doc/tool.1`.",
            "We use Conventional Commits.",
        ] {
            assert!(rated(sentence) >= RULE_POINTS, "{}: {sentence}", rated(sentence));
        }
        for sentence in [
            "Thank you for your contribution!",
            "Please open an issue before you start.",
            "Make sure all tests pass.",
            "Fork the repository and create your branch from `main`.",
            "You can use `pip install -e .` to install it.",
            "Write clean and readable code.",
            "See `docs/style.md` for details.",
            "We are happy to help.",
            "Commit your changes (`git commit -m 'Add some feature'`)",
            "The targets of `dist` were set on a machine that took 762 s instead of 1,150 s.",
            "Never commit directly to your local `master` branch.",
        ] {
            assert!(rated(sentence) < RULE_POINTS, "{}: {sentence}", rated(sentence));
        }
    }

    #[test]
    fn documents_have_a_purpose() {
        for (path, expected) in [
            ("CONTRIBUTING.md", Some(Purpose::Guide)),
            (".github/contributing.md", Some(Purpose::Guide)),
            ("docs/contributing/pull-requests.md", Some(Purpose::Guide)),
            ("docs/code-style.rst", Some(Purpose::Guide)),
            ("packages/a/AGENTS.md", Some(Purpose::Agents)),
            ("docs/agents.md", None),
            (".cursor/rules/tests.mdc", Some(Purpose::Agents)),
            (".github/pull_request_template.md", Some(Purpose::Template)),
            ("README.md", None),
            ("src/a/README.md", None),
            ("docs/usage.md", None),
            ("docs/developer-guide.md", Some(Purpose::Guide)),
            ("docs/topics/developer-tools.rst", None),
            ("docs/_posts/2018-03-14-development-update.md", None),
            ("docs/news/contributing.md", None),
            ("src/style.css", None),
        ] {
            assert_eq!(purpose(path), expected, "{path}");
        }
    }
}
