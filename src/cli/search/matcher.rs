//! The regex of a search: ripgrep's default engine and, if the build includes it, PCRE2.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::args::{Binary, Boundary, Case, Engine, Matching};
use super::request::Request;
use crate::error::{Error, Result};
use crate::query::pattern::{self, PatternOptions};

/// A compiled pattern, by engine.
#[derive(Clone, Debug)]
pub(crate) enum PatternMatcher {
    Default(RegexMatcher),
    #[cfg(feature = "pcre2")]
    Pcre2(grep_pcre2::RegexMatcher),
}

/// Compiles the patterns of a request.
///
/// # Errors
///
/// The message of the engine, which shows the position in the pattern, with a hint if another flag
/// helps.
pub(crate) fn build(request: &Request) -> Result<PatternMatcher> {
    match request.matching.engine {
        Engine::Default => default(request).map_err(explain),
        Engine::Pcre2 => pcre2(request).map_err(Error::usage),
        Engine::Auto => default(request).or_else(|first| {
            log::debug!("the default engine rejects the pattern: {first}");
            pcre2(request).map_err(|second| {
                Error::usage(format!(
                    "neither regex engine accepts the pattern\n\ndefault engine:\n{first}\
                     \n\nPCRE2:\n{second}"
                ))
            })
        }),
    }
}

/// Returns the options with which [`build`] compiles the patterns.
pub(crate) fn pattern_options(request: &Request) -> PatternOptions {
    let matching = &request.matching;
    PatternOptions {
        fixed_strings: matching.fixed_strings,
        case: match matching.case {
            Case::Sensitive => pattern::Case::Sensitive,
            Case::Insensitive => pattern::Case::Insensitive,
            Case::Smart => pattern::Case::Smart,
        },
        unicode: !matching.no_unicode,
        multi_line: matching.multiline,
        dot_matches_new_line: matching.multiline_dotall,
        crlf: matching.crlf,
        null_data: matching.null_data,
        invert: matching.invert,
        // PCRE2 may compile a pattern that the default engine rejects.
        pcre2: matching.engine != Engine::Default,
        word: matching.boundary == Some(Boundary::Word),
        whole_line: matching.boundary == Some(Boundary::Line),
    }
}

fn default(request: &Request) -> std::result::Result<PatternMatcher, String> {
    let matching = &request.matching;
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(!matching.no_unicode)
        .octal(false)
        .fixed_strings(matching.fixed_strings)
        .case_insensitive(matching.case == Case::Insensitive)
        .case_smart(matching.case == Case::Smart)
        .whole_line(matching.boundary == Some(Boundary::Line))
        .word(matching.boundary == Some(Boundary::Word))
        .crlf(matching.crlf);
    set_line_terminator(&mut builder, matching);
    if let Some(limit) = matching.regex_size_limit_bytes {
        builder.size_limit(limit);
    }
    if let Some(limit) = matching.dfa_size_limit_bytes {
        builder.dfa_size_limit(limit);
    }
    let as_text = request.reading.binary == Binary::Text || matching.null_data;
    if !as_text {
        builder.ban_byte(Some(b'\0'));
    }
    let built = builder.build_many(&request.patterns).map_err(|err| err.to_string())?;
    Ok(PatternMatcher::Default(built))
}

/// Outside of multiline mode, no match contains a line terminator, which lets the engine search
/// faster.
fn set_line_terminator(builder: &mut RegexMatcherBuilder, matching: &Matching) {
    if matching.multiline {
        builder.dot_matches_new_line(matching.multiline_dotall);
        if matching.crlf {
            builder.line_terminator(None);
        }
        return;
    }
    builder.dot_matches_new_line(false);
    if matching.null_data {
        builder.line_terminator(Some(b'\0'));
    } else if !matching.crlf {
        builder.line_terminator(Some(b'\n'));
    }
}

#[cfg(feature = "pcre2")]
fn pcre2(request: &Request) -> std::result::Result<PatternMatcher, String> {
    const JIT_STACK_BYTES: usize = 10 << 20;

    let matching = &request.matching;
    let mut builder = grep_pcre2::RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .fixed_strings(matching.fixed_strings)
        .caseless(matching.case == Case::Insensitive)
        .case_smart(matching.case == Case::Smart)
        .whole_line(matching.boundary == Some(Boundary::Line))
        .word(matching.boundary == Some(Boundary::Word))
        .crlf(matching.crlf);
    if cfg!(target_pointer_width = "64") {
        builder.jit_if_available(true).max_jit_stack_size(Some(JIT_STACK_BYTES));
    }
    if !matching.no_unicode {
        builder.utf(true).ucp(true);
    }
    if matching.multiline {
        builder.dotall(matching.multiline_dotall);
    }
    let built = builder.build_many(&request.patterns).map_err(|err| err.to_string())?;
    Ok(PatternMatcher::Pcre2(built))
}

#[cfg(not(feature = "pcre2"))]
fn pcre2(_: &Request) -> std::result::Result<PatternMatcher, String> {
    Err("this build has no PCRE2; build codedb with `--features pcre2`".to_string())
}

/// Adds a hint at the flag with which the engine accepts the pattern, if there is one.
fn explain(message: String) -> Error {
    let hint = if message.contains("the literal") && message.contains("not allowed") {
        Some("use `--multiline` (`-U`) to match line terminators")
    } else if message.contains("pattern contains \"\\0\"") {
        Some("use `--text` (`-a`) to match NUL bytes; without it, they mark binary files")
    } else if message.contains("backreferences") || message.contains("look-around") {
        Some("use `--pcre2` (`-P`), in builds with PCRE2, for look-around and backreferences")
    } else {
        None
    };
    let error = Error::usage(message);
    match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}
