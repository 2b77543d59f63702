//! Whether a sentence of a document is a rule that is understood alone, and says more than a custom.
//!
//! A reader of a proposal sees neither the sentence before nor the list around it. What needs them is
//! left out, and so is what everybody does without being told.

use std::sync::OnceLock;

use regex_automata::meta::Regex;

/// Why a sentence is no proposal.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// It continues another sentence, or refers to one.
    Continued,
    /// It neither directs nor demands, or it lost a part.
    Incomplete,
    /// It is a choice of the reader, or a step of a procedure.
    Optional,
    /// It is done everywhere.
    Custom,
    /// It names nothing of the repository.
    Unspecific,
}

struct Regexes {
    connective: Regex,
    pronoun: Regex,
    opening: Regex,
    place: Regex,
    demonstrative: Regex,
    imperative: Regex,
    modal: Regex,
    optional: Regex,
    purpose: Regex,
    strong: Regex,
    custom: Regex,
    hygiene: Regex,
    default: Regex,
    alternative: Regex,
    number: Regex,
    reason: Regex,
    standard: Regex,
    choice: Regex,
}

fn regexes() -> &'static Regexes {
    static REGEXES: OnceLock<Regexes> = OnceLock::new();
    let regex = |pattern: &str| {
        Regex::new(&format!("(?i){pattern}")).expect("a test compiles every pattern")
    };
    REGEXES.get_or_init(|| Regexes {
        connective: regex(
            r"^(for (example|instance|other)|e\.g\.|i\.e\.|such as|then|otherwise|instead|and|or|but|so|thus|therefore|hence|similarly|likewise|alternatively|now|afterwards?|after (that|this)|once (that|this|done|you['’]re done)|in (both|all|each|this|that|these|those|such) (cases?|of these)|if (not|so|yes)|doing (so|this|that)|the (former|latter|same|other|rest|resulting|given|listed)|all other|which|with (this|that))\b",
        ),
        pronoun: regex(
            r"^(\S+ ){0,2}(it|its|they|them|their|he|she)\b|^(this|that|these|those|such|both|one|some)\b",
        ),
        opening: regex(
            r"^(to|if|when|once|after|before|for|with|by|in|on|as)\b[^,`]{0,40}\b(it|them|this|these|those|that)\b[^,`]*(,|$)",
        ),
        place: regex(
            r"\b(above|following|as follows|previous(ly)?|aforementioned|former|latter|(first|second|third|last|next|this|these) (steps?|sections?|commands?|pages?|documents?|files?|guides?))\b|\bbelow\b( *[^ `\d]|$)",
        ),
        demonstrative: regex(r"\b(these|those|this|such)\b((?: [\w-]+){1,4})"),
        imperative: regex(
            r"^(use|avoid|prefer|never|always|do|don['’]t|no|keep|add|run|write|put|place|name|follow|include|document|update|regenerate|generate|ensure|make|format|wrap|limit|import|export|return|throw|raise|mark|declare|define|create|only|call|set|check|bump|commit|sign|annotate|pass|mock|cover|verify|begin|start|end|prefix|suffix|order|sort|group|store|move|remove|delete|replace|register|describe|implement|derive|extend|inherit|handle|log|test|treat|build|indent|leave|give|state|cite|escape|validate|please)\b",
        ),
        modal: regex(
            r"\b(must|mustn['’]t|should|shouldn['’]t|shall|never|always|needs? to|has to|have to|cannot|may not|(is|are) (required|forbidden|prohibited|not allowed|expected|mandatory)|(we|you) (use|prefer|avoid|follow|do not|don['’]t)|does not work|please|(if|when|whenever|after|before|unless) [^,]+, (you can |also |first |then )?(use|avoid|add|run|write|put|update|regenerate|make|import|call|set|keep|include|do|include|bump|register|document|mark)|in sync)\b",
        ),
        optional: regex(
            r"\b(if (you['’]d|you would|you) (want|wish|like|prefer|need)|feel free|you (may|might|could)( also)?|can also|optional(ly)?|ideally|if possible|whenever possible|consider|try to|it['’]s (nice|helpful|good)|recommended|encouraged?|welcome|as needed|(please )?(download|install)|set up|^select|^click|^choose|^open|^go to|^visit)\b",
        ),
        purpose: regex(r"^to [a-z]+\b"),
        strong: regex(r"\b(must|always|never|shall|needs? to|have to|has to)\b"),
        custom: regex(
            r"\b(^before you (make|start|begin|submit|push|open|create|send|commit)|(that )?(they|tests?|everything|all( of them)?) (still )?pass(es)?\b.*|^(please )?((add|write|provide|include|have) (new |unit |more |some |appropriate )*tests?|(run|execute) (all )?(the )?(unit )?tests?)|^to run|(code|project) (still )?(compiles|builds)|(readable|maintainable|clean|clear|concise|descriptive|meaningful|self-contained|well[- ]written|self[- ]documenting) (code|names?|commits?|messages?|and)|be (clear|concise|descriptive|consistent|brief|kind)|best practices?|high[- ]quality|(existing|surrounding|general|same) (code|style|conventions?)|good quality)\b",
        ),
        hygiene: regex(
            r"\b(patch(es)?|pull requests?|prs?|commits?|diffs?|branch(es)?)\b",
        ),
        default: regex(
            r"^((\$ )?(cargo (test|build|check|fmt|clippy)( --all| --workspace)?|rustfmt|clippy|go (test|build|vet|fmt)( \./\.\.\.)?|gofmt|goimports|(npm|yarn|pnpm|bun)( run)? (test|install|ci|build)|npm (i|t)|pytest|python3? -m (pytest|unittest)|(mvn|\./mvnw)( clean)? (test|install|verify|package)|(\./)?gradlew? (test|build|check)|make( (test|check|all|build))?|(bundle exec )?rake( test)?|bundle install|black( \.)?|prettier|eslint|tox|git [a-z].*|cd .*|pip3? install.*))$",
        ),
        alternative: regex(
            r"\b(instead of|rather than|in favou?r of|(prefer|favou?r) .+ (over|to))\b|\b(never|do not|don['’]t|avoid|must not)\b.*[,;:] *(but |and )?(use|prefer|call|put|add|write|instead)\b",
        ),
        number: regex(r"\b\d+(\.\d+)?\+?\b"),
        reason: regex(
            r"\b(because|so that|since|otherwise|to avoid|to ensure|to prevent|which means|breaks?|fails?)\b",
        ),
        standard: regex(
            r"\b(conventional commits?|keep a changelog|semantic versioning|pep ?\d+|google [a-z+]+ style)\b",
        ),
        choice: regex(
            r"\b(one of|either|any of|ways?|options?|alternatives?|choices?|steps|as follows)\b|^(to|for example|e\.g\.)\b",
        ),
    })
}

/// Returns true if the items of a list after a lead-in are no sentences of their own: choices and steps.
pub fn is_dependent(lead: &str) -> bool {
    regexes().choice.is_match(lead)
}

/// Returns why a sentence is no proposal; `None` for a rule that is understood alone. `commands` are those
/// that it announces, `is_checked` is true for an item of the list that a template has people confirm.
pub fn refusal(sentence: &str, commands: &[String], is_checked: bool) -> Option<Refusal> {
    let it = regexes();
    let sentence = sentence.trim();
    let outside: String = sentence
        .split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 0 { part } else { "``" })
        .collect();
    let outside = outside.trim_end_matches([':', ' ', '.']);
    let is_pronoun = it.pronoun.is_match(outside) && !is_checked;
    let refers = it.connective.is_match(outside)
        || is_pronoun
        || it.opening.is_match(outside)
        || it.place.is_match(outside)
        || has_foreign_demonstrative(outside);
    if refers {
        return Some(Refusal::Continued);
    }
    let is_directive = it.imperative.is_match(outside) || it.modal.is_match(outside) || is_checked;
    let first = sentence.chars().next();
    let is_begun = first.is_some_and(|c| c.is_alphanumeric() || "`\"'".contains(c));
    if !is_directive || !is_begun || is_cut(sentence, commands) {
        return Some(Refusal::Incomplete);
    }
    // How something is done is no demand to do it.
    let is_way = !commands.is_empty() && it.purpose.is_match(outside);
    if it.optional.is_match(outside) || is_way && !it.strong.is_match(outside) {
        return Some(Refusal::Optional);
    }
    let spans = sentence.split('`').skip(1).step_by(2).map(str::trim);
    let mut named = spans.chain(commands.iter().map(String::as_str));
    let names_own = named.any(|span| !span.is_empty() && !it.default.is_match(span));
    let has_alternative = it.alternative.is_match(outside);
    let is_custom = it.custom.is_match(outside);
    if is_custom && !has_alternative {
        return Some(Refusal::Custom);
    }
    // What everybody runs does not work here.
    let is_broken = outside.contains("does not work") && sentence.contains('`');
    let has_detail = names_own
        || is_broken
        || has_alternative
        || it.number.is_match(outside)
        || it.standard.is_match(outside)
        || it.reason.is_match(outside) && it.modal.is_match(outside);
    if !has_detail {
        let is_hygiene = it.hygiene.is_match(outside);
        return Some(if is_hygiene { Refusal::Custom } else { Refusal::Unspecific });
    }
    None
}

/// Returns true if a sentence lost a part: a bracket, a quote, what follows its colon, the end of a command.
fn is_cut(sentence: &str, commands: &[String]) -> bool {
    let outside: String = sentence.split('`').step_by(2).collect();
    let count = |c: char| outside.matches(c).count();
    let is_odd = sentence.matches('`').count() % 2 == 1;
    let ends_open = sentence.ends_with([':', ',', ';', '(', '|', '\\', '&', '='])
        || ["and", "or", "the", "a", "to", "of"]
            .iter()
            .any(|it| sentence.ends_with(&format!(" {it}")));
    let shell =
        |it: &String| it.ends_with(['\\', '|', '&', '(', '{']) || it.matches('"').count() % 2 == 1;
    is_odd
        || count('(') != count(')')
        || ends_open && (commands.is_empty() || !sentence.ends_with(':'))
        || commands.iter().any(shell)
}

/// Returns true if "these tests" or similar words have no noun before them to refer to.
fn has_foreign_demonstrative(outside: &str) -> bool {
    let lower = outside.to_lowercase();
    regexes().demonstrative.captures_iter(&lower).any(|captures| {
        let (Some(whole), Some(nouns)) = (captures.get_group(0), captures.get_group(2)) else {
            return false;
        };
        if lower[nouns.range()].starts_with(" as ") {
            return false;
        }
        let before = &lower[..whole.start];
        let stems = lower[nouns.range()].split_whitespace().filter(|it| it.len() > 3);
        let mut stems = stems.map(|it| it.trim_end_matches('s'));
        !stems.any(|it| before.contains(it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sentence: &str) -> Option<Refusal> {
        refusal(sentence, &[], false)
    }

    #[test]
    fn rules_stand_alone() {
        for sentence in [
            "Never call `Date.now()` in tests",
            "If you add a flag, please add it to the table of `docs/flags.md`",
            "Public functions must not panic, because callers are in C",
            "Lines must not be longer than 100 characters",
            "Use tabs instead of spaces",
            "Code for a removed option must stay for 2 releases, so that old files load",
            "We use Conventional Commits",
            "When you change a `.proto` file, run `make generate`",
            "The command `cargo fmt` does not work for `a/b.rs`",
            "No features of JUnit 3 must be used (such as the class `TestCase`)",
        ] {
            assert_eq!(of(sentence), None, "{sentence}");
        }
        let commands = ["tool -- src -x".to_owned()];
        let sentence = "`--` replaces the default paths, so you must repeat those default paths:";
        assert_eq!(refusal(sentence, &commands, false), None);
        assert_eq!(refusal("The suite passes (run `bin/all` to verify this)", &[], true), None);
    }

    #[test]
    fn sentences_that_refer_to_others_are_refused() {
        for sentence in [
            "For example, use `tool -e py310`",
            "Then run `make docs`",
            "Otherwise call `close()`",
            "To run it, you must call `setup()`",
            "It must be registered in `table.rs`",
            "Always run these tools with `--fast`",
            "You must follow the steps of the previous section with `x`",
            "Use the following order for `imports`",
            "Call `open()` as described above",
        ] {
            assert_eq!(of(sentence), Some(Refusal::Continued), "{sentence}");
        }
    }

    #[test]
    fn fragments_are_refused() {
        for sentence in [
            "Documentation in place of copies in `docs/`",
            "The data that tests use is located in `tests/data`",
            "Use `a` and",
            "Run the tool (with `--x`",
            "Run the tool as root:",
        ] {
            assert_eq!(of(sentence), Some(Refusal::Incomplete), "{sentence}");
        }
        let docs = ["tool docs --all".to_owned()];
        let found = refusal("To build the documentation, please run:", &docs, false);
        assert_eq!(found, Some(Refusal::Optional));
        let cut = ["tool run \\".to_owned()];
        let found = refusal("You must run the tool:", &cut, false);
        assert_eq!(found, Some(Refusal::Incomplete));
    }

    #[test]
    fn choices_and_customs_are_refused() {
        for (sentence, expected) in [
            ("If you want to filter tests, use `--only`", Refusal::Optional),
            ("You must install `tool` first", Refusal::Optional),
            ("Before you start, run `bin/all`", Refusal::Custom),
            ("Make sure that all tests pass", Refusal::Custom),
            ("Add unit tests", Refusal::Custom),
            ("Make sure your code compiles with `./gradlew build`", Refusal::Custom),
            ("Do not mix several changes in a single patch", Refusal::Custom),
            ("Follow the existing style", Refusal::Custom),
            ("Please format code with `rustfmt`", Refusal::Unspecific),
            ("Always run `cargo test`", Refusal::Unspecific),
            ("Keep functions short", Refusal::Unspecific),
        ] {
            assert_eq!(of(sentence), Some(expected), "{sentence}");
        }
        assert!(is_dependent("Provide the tool in one of these ways:"));
        assert!(!is_dependent("Changes should:"));
    }
}
