//! The table of the flags of `codedb search`, from which the parser, help, completions and the
//! manual are generated.
//!
//! Names and effects are those of ripgrep; the descriptions are not. Each category has its file.

mod convert;
mod filter;
mod index;
mod input;
mod logging;
mod modes;
mod other;
mod output;
mod search;

use std::ffi::OsString;

use super::args::Args;

/// One flag.
#[derive(Debug)]
pub(crate) struct Flag {
    /// The name after `--`.
    pub(crate) long: &'static str,
    pub(crate) short: Option<char>,
    /// The name after `--` that negates the flag.
    pub(crate) negated: Option<&'static str>,
    pub(crate) aliases: &'static [&'static str],
    /// The name of its value; `None` for a switch.
    pub(crate) value: Option<&'static str>,
    /// The valid values, if they are a closed set.
    pub(crate) choices: &'static [&'static str],
    pub(crate) hint: ValueHint,
    pub(crate) category: Category,
    /// A sentence of at most 60 bytes.
    pub(crate) help: &'static str,
    /// The paragraphs of the long help, which follow `help`, separated by blank lines.
    pub(crate) more: &'static str,
    pub(crate) update: Update,
}

/// The effect of a flag on the arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Update {
    /// A switch without a negation.
    On(fn(&mut Args)),
    /// A switch with a negation.
    Toggle(fn(&mut Args, bool)),
    /// A switch with a stronger effect each time it is given.
    Repeat(fn(&mut Args) -> Result<(), String>),
    /// A flag with a value.
    Value(fn(&mut Args, OsString) -> Result<(), String>),
    /// A flag with a value and a negation; `None` for the negation.
    Setting(fn(&mut Args, Option<OsString>) -> Result<(), String>),
}

/// The completion that a shell offers for the value.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum ValueHint {
    Other,
    Path,
    Command,
}

/// The chapter of the help that describes a flag.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Category {
    Input,
    Search,
    Filter,
    Output,
    OutputModes,
    Logging,
    Other,
    Index,
}

impl Category {
    /// Returns the heading of the chapter.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Category::Input => "INPUT OPTIONS",
            Category::Search => "SEARCH OPTIONS",
            Category::Filter => "FILTER OPTIONS",
            Category::Output => "OUTPUT OPTIONS",
            Category::OutputModes => "OUTPUT MODES",
            Category::Logging => "LOGGING OPTIONS",
            Category::Other => "OTHER BEHAVIORS",
            Category::Index => "INDEX OPTIONS",
        }
    }
}

/// The flags by chapter, in the order of the help.
pub(crate) static CHAPTERS: [&[Flag]; 8] = [
    input::FLAGS,
    search::FLAGS,
    filter::FLAGS,
    output::FLAGS,
    modes::FLAGS,
    logging::FLAGS,
    other::FLAGS,
    index::FLAGS,
];

/// Flags of ripgrep that are not supported, each with its replacement; docs/ripgrep.md gives the
/// reasons.
pub(crate) static REFUSED: &[(&str, &str)] = &[(
    "generate",
    "use `codedb completions <shell>` for completions and `codedb man` for the manual page",
)];

/// Returns every flag, in the order of the help.
pub(crate) fn all() -> impl Iterator<Item = &'static Flag> {
    CHAPTERS.iter().flat_map(|chapter| chapter.iter())
}

/// A flag and the name by which it was given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub(crate) flag: &'static Flag,
    pub(crate) negated: bool,
}

/// Returns the flag whose name, alias or negation is `--name`.
pub(crate) fn find_long(name: &str) -> Option<Named> {
    all().find_map(|flag| {
        if flag.long == name || flag.aliases.contains(&name) {
            Some(Named { flag, negated: false })
        } else if flag.negated == Some(name) {
            Some(Named { flag, negated: true })
        } else {
            None
        }
    })
}

/// Returns the flag with the name `-letter`.
pub(crate) fn find_short(letter: char) -> Option<Named> {
    let flag = all().find(|flag| flag.short == Some(letter))?;
    Some(Named { flag, negated: false })
}

/// Constructors for the tables.
impl Flag {
    const fn new(category: Category, long: &'static str, update: Update) -> Flag {
        Flag {
            long,
            short: None,
            negated: None,
            aliases: &[],
            value: None,
            choices: &[],
            hint: ValueHint::Other,
            category,
            help: "",
            more: "",
            update,
        }
    }

    const fn short(mut self, letter: char) -> Flag {
        self.short = Some(letter);
        self
    }

    const fn negated(mut self, name: &'static str) -> Flag {
        self.negated = Some(name);
        self
    }

    const fn aliases(mut self, names: &'static [&'static str]) -> Flag {
        self.aliases = names;
        self
    }

    const fn value(mut self, name: &'static str) -> Flag {
        self.value = Some(name);
        self
    }

    const fn choices(mut self, choices: &'static [&'static str]) -> Flag {
        self.choices = choices;
        self
    }

    const fn completes(mut self, hint: ValueHint) -> Flag {
        self.hint = hint;
        self
    }

    const fn help(mut self, help: &'static str, more: &'static str) -> Flag {
        self.help = help;
        self.more = more;
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Update, all};

    #[test]
    fn every_name_is_unique() {
        let mut names = BTreeSet::new();
        for flag in all() {
            assert!(names.insert(flag.long.to_string()), "{}", flag.long);
            for name in flag.aliases.iter().chain(&flag.negated) {
                assert!(names.insert(name.to_string()), "{name}");
            }
            if let Some(short) = flag.short {
                assert!(names.insert(short.to_string()), "-{short}");
            }
        }
    }

    #[test]
    fn a_flag_takes_a_value_exactly_when_its_value_is_named() {
        for flag in all() {
            let takes = matches!(flag.update, Update::Value(_) | Update::Setting(_));
            assert_eq!(takes, flag.value.is_some(), "{}", flag.long);
            let negates = matches!(flag.update, Update::Toggle(_) | Update::Setting(_));
            assert_eq!(negates, flag.negated.is_some(), "{}", flag.long);
        }
    }

    #[test]
    fn every_flag_is_explained() {
        for flag in all() {
            assert!(
                flag.help.ends_with('.') && flag.help.len() <= 60,
                "{}: {}",
                flag.long,
                flag.help
            );
            assert!(!flag.more.is_empty(), "{}", flag.long);
        }
    }
}
