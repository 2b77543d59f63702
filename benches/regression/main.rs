//! `cargo bench --bench regression -- [--base REV] [--head REV] …`: is the head slower than the base?
//!
//! Everything lies in `gate.rs` and beside it, where the integration tests include it from, too.
//! docs/benchmarks.md says how the report is read.

#[path = "gate.rs"]
mod gate;

fn main() -> std::process::ExitCode {
    gate::run(std::env::args_os().skip(1))
}
