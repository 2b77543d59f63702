//! Decisions: what people decided about a code base, from proposals to the agent that follows them.
//!
//! [`against`] finds what a change contradicts, [`cited`] follows what a record cites through edits, [`serve`] ranks canonical records for a file
//! and a task, [`signals`] collects what recurs in code and commits, [`extract`] asks a model
//! for proposals, [`settings`] are those of an ingestion, [`folder`] reads and writes records as files
//! that teams review. The records are stored
//! in [`crate::userdata::decisions`], where only a person makes one canonical.

pub mod against;
pub mod cited;
pub mod extract;
pub mod folder;
pub mod serve;
pub mod settings;
pub mod signals;
pub mod store;
