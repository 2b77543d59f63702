//! Which uses a call of `callers` lists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Args;
use crate::error::{Error, Result};
use crate::graph::link::FileFacts;
use crate::lang::SymbolKind;
use crate::lang::facts::Role;

/// The role of the uses that are listed.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// Calls.
    #[default]
    Calls,
    /// What reads a field, property, variable or constant, or uses a function as a value.
    Readers,
    /// What assigns it.
    Writers,
    /// Calls and all other uses.
    Uses,
    /// The types that extend or implement a type, the members that override a member.
    Implementations,
}

impl Wanted {
    /// Returns what the arguments select.
    ///
    /// # Errors
    ///
    /// [`crate::Kind::Usage`] if they select several.
    pub fn of(args: &Args) -> Result<Wanted> {
        let given = [
            args.role,
            args.uses.then_some(Wanted::Uses),
            args.readers.then_some(Wanted::Readers),
            args.writers.then_some(Wanted::Writers),
            args.implementations.then_some(Wanted::Implementations),
        ];
        let mut given: Vec<Wanted> = given.into_iter().flatten().collect();
        given.dedup();
        // Calls are among the uses.
        if given.len() > 1 {
            given.retain(|wanted| *wanted != Wanted::Calls);
        }
        let wanted = match given[..] {
            [] => Wanted::Calls,
            [one] => one,
            _ => {
                return Err(Error::usage("several roles are given").with_hint(
                    "one call lists one `role`; `uses` are reads, writes and all others",
                ));
            }
        };
        let has_levels = !wanted.is_of_values();
        if args.depth.is_some_and(|depth| depth > 1) && !has_levels {
            return Err(Error::usage(
                "`depth` is for calls and implementations, not for this `role`",
            ));
        }
        Ok(wanted)
    }

    /// Returns true for calls.
    pub fn is_calls(&self) -> bool {
        *self == Wanted::Calls
    }

    /// Returns true if uses with a role are listed, of a definition that has a value or not: what calls
    /// the function in a field reads the field.
    pub fn selects(self, role: Role, is_value: bool) -> bool {
        match self {
            Wanted::Calls | Wanted::Uses => role == Role::Call,
            Wanted::Readers => role == Role::Read || is_value && role == Role::Call,
            Wanted::Writers => role == Role::Write,
            Wanted::Implementations => false,
        }
    }

    /// Returns true if only reads or only assignments are listed.
    pub fn is_of_values(self) -> bool {
        matches!(self, Wanted::Readers | Wanted::Writers)
    }

    /// Returns true for the role that most listed uses have.
    pub fn is_own(self, role: Role) -> bool {
        match self {
            Wanted::Readers => role == Role::Read,
            Wanted::Writers => role == Role::Write,
            _ => false,
        }
    }

    /// Returns what one of the listed uses is.
    pub fn noun(self) -> &'static str {
        match self {
            Wanted::Calls | Wanted::Uses => "caller",
            Wanted::Readers => "reader",
            Wanted::Writers => "writer",
            Wanted::Implementations => "implementation",
        }
    }

    /// Returns what one use is that is not resolved.
    pub fn unresolved(self) -> &'static str {
        match self {
            Wanted::Readers => "unresolved read",
            Wanted::Writers => "unresolved assignment",
            _ => "unresolved call",
        }
    }

    /// Returns the verb of what an unresolved use may do.
    pub fn verb(self) -> &'static str {
        match self {
            Wanted::Readers => "read",
            Wanted::Writers => "assign",
            _ => "call",
        }
    }
}

/// Returns true for kinds of definitions that have a value.
pub(super) fn is_value(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Constant | SymbolKind::Field | SymbolKind::Property | SymbolKind::Variable
    )
}

/// Returns true if a definition is a member of a type, which code uses through a receiver.
pub(super) fn is_member(facts: &FileFacts, place: usize) -> bool {
    let parent = facts.symbols.get(place).and_then(|symbol| symbol.parent);
    parent.is_some_and(|at| !facts.symbols[at].kind.is_callable()) || facts.owner(place).is_some()
}
