//! `cargo bench --bench regression -- [--base REV] [--head REV] …`: is the head slower than the
//! base?
//!
//! The code is in `gate.rs` and the modules that it lists; the integration tests include it.
//! docs/benchmarks.md describes the report.

#[path = "gate.rs"]
mod gate;

fn main() -> std::process::ExitCode {
    gate::run(std::env::args_os().skip(1))
}
