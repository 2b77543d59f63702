//! Properties of a tool that its callers act on: what a call may change, which data a complete
//! answer needs, what it costs, and where it is offered.
//!
//! Each tool states them in its [`super::Define`]; no other module lists tools by name.

/// What a call of a tool may change.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Effect {
    /// Nothing in the tree.
    ReadOnly,
    /// The session and the cache, possibly over the network; nothing in any tree.
    Adds,
    /// What is recorded about the repository for the user; nothing in any tree.
    Records,
    /// The same, and it starts a process that goes on after the call.
    Starts,
    /// Files of the tree.
    Writes,
}

/// A set of tools that a server offers together.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Toolset {
    /// Tools that an agent needs in every session.
    Core,
    /// Further tools to navigate the code.
    Navigate,
    /// Tools on commits, tests and risk.
    History,
    /// The steps of an investigation of a change.
    Check,
    /// Changes of lists of tools.
    Drift,
    /// What people decided about the code base.
    Decisions,
}

impl Toolset {
    /// Every set, in the order in which their tools are listed.
    pub const ALL: [Toolset; 6] = [
        Toolset::Core,
        Toolset::Navigate,
        Toolset::History,
        Toolset::Check,
        Toolset::Drift,
        Toolset::Decisions,
    ];

    /// Returns the values of `--toolsets`: the names of the sets, the first one of which is the
    /// default, and `all`. Help, documentation and errors list them.
    pub fn choices() -> String {
        let names = Toolset::ALL.map(|set| match set {
            Toolset::Core => "`core` (default)".to_owned(),
            set => format!("`{}`", set.name()),
        });
        format!("{}, or `all`", names.join(", "))
    }

    /// Returns the name that the command line uses.
    pub fn name(self) -> &'static str {
        match self {
            Toolset::Core => "core",
            Toolset::Navigate => "navigate",
            Toolset::History => "history",
            Toolset::Check => "check",
            Toolset::Drift => "drift",
            Toolset::Decisions => "decisions",
        }
    }
}

/// The data that a complete answer needs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Needs {
    /// The session; a call needs no tree.
    Session,
    /// The files of the tree: the answer is complete without any index.
    Files,
    /// Symbols, references and words of all files: without the code index the answer may be
    /// incomplete.
    Code,
    /// The same, and the text index, by which files are ranked.
    Text,
    /// The commits: without the log in the index the answer may be incomplete.
    History,
}

impl Needs {
    /// Returns true if the answer may be incomplete while the index is being built.
    pub fn is_indexed(self) -> bool {
        match self {
            Needs::Session | Needs::Files => false,
            Needs::Code | Needs::Text | Needs::History => true,
        }
    }
}

/// The usual cost of a call with a complete index.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Speed {
    /// A look-up that never waits: if it cannot read the tree within some milliseconds, a server
    /// replies from the data that it already has.
    Immediate,
    /// A look-up, often cheaper than handing the call to another thread.
    Lookup,
    /// Work on many texts, or on the import or call graph.
    Scan,
}

/// How the command line offers a tool.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CommandLine {
    /// As a command that is generated from the tool.
    Generated,
    /// A command of the same name is written separately, with other arguments.
    Separate,
    /// Not at all: only servers offer it.
    None,
}
