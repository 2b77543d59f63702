//! The integration tests, in one binary.

#[cfg(unix)]
mod absolute_paths;
#[cfg(unix)]
mod adoption;
#[cfg(unix)]
mod agents;
#[cfg(unix)]
mod agreement;
mod analysis;
#[cfg(unix)]
mod benches;
#[cfg(unix)]
mod beneath;
#[cfg(unix)]
mod boundaries;
mod calls_bench;
#[cfg(unix)]
mod change_kinds;
mod check;
#[cfg(unix)]
mod cli_help;
#[cfg(unix)]
mod code;
#[cfg(unix)]
mod cold;
#[cfg(unix)]
mod command_line;
mod compared;
#[cfg(unix)]
mod context;
#[cfg(unix)]
mod contract;
#[cfg(unix)]
mod data;
mod decisions;
#[cfg(unix)]
mod differential;
#[cfg(unix)]
mod docs;
#[cfg(unix)]
mod drawings;
#[cfg(unix)]
mod edge;
#[cfg(unix)]
mod eval;
#[cfg(unix)]
mod everyday;
mod excludes;
#[cfg(unix)]
mod extractors;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod first_use;
#[cfg(all(unix, feature = "fleet"))]
mod fleet;
#[cfg(unix)]
mod fuzz;
#[cfg(unix)]
mod git_settings;
#[cfg(unix)]
mod graph;
#[cfg(unix)]
mod hints;
#[cfg(unix)]
mod history;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod incomplete;
#[cfg(unix)]
mod index;
#[cfg(unix)]
mod init;
mod kept_tests;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod mcp;
#[cfg(unix)]
mod nothing_hidden;
#[cfg(unix)]
mod one_source;
#[cfg(unix)]
mod outline;
#[cfg(unix)]
mod patience;
mod peer;
#[cfg(unix)]
mod pick;
mod refresh;
mod regression;
#[cfg(unix)]
mod replies;
#[cfg(unix)]
mod ripgrep_flags;
mod roles;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod secrets;
#[cfg(unix)]
mod short_patterns;
#[cfg(unix)]
mod stream;
#[cfg(unix)]
mod structure;
#[cfg(unix)]
mod support;
#[cfg(unix)]
mod surprises;
mod syntax_errors;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod test_selection;
mod tidy;
#[cfg(unix)]
mod tools;
mod trace;
#[cfg(unix)]
mod tracked;
#[cfg(unix)]
mod trees;
#[cfg(unix)]
mod ui;
#[cfg(unix)]
mod ui_export;
mod unseen_links;
#[cfg(unix)]
mod watch;
