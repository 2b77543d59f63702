//! Three tools that only consume time, for the trial of the gate: calls of about 20 µs, 200 µs and
//! 20 ms, and the same slower by a given percentage.
//!
//! This binary is also their executable (`--synthetic`) and implements `protocol`. The work is
//! arithmetic on a small buffer, so that callgrind counts it like that of any tool.

use std::ffi::OsString;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use lexopt::prelude::*;

use super::arguments::{number, text};
use super::driver::Program;
use super::protocol::{Answer, Case, Hello, PROTOCOL, RunRequest};

/// The tools, with the microseconds of a call.
pub(crate) const TOOLS: [(&str, u64); 3] =
    [("synthetic_20us", 20), ("synthetic_200us", 200), ("synthetic_20ms", 20_000)];

/// The size of the buffer, which fits into a first-level cache.
const BUFFER_BYTES: usize = 16 << 10;

/// The options of the executable.
pub(crate) struct Synthetic {
    /// Steps of work in a thousand microseconds at full speed.
    rate: u64,
    /// Additional work in per cent.
    slow_percent: u64,
    /// What to do.
    mode: Mode,
}

enum Mode {
    Driver,
    Prepare,
    Once(String),
}

/// Parses the arguments after `--synthetic`.
pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Synthetic, String> {
    let (mut rate, mut slow_percent, mut mode) = (1, 0, None);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Long("rate") => rate = u64::from(number(&mut parser, "--rate")?),
            Long("slow") => slow_percent = u64::from(number(&mut parser, "--slow")?),
            Long("profile") => drop(text(&mut parser)?),
            Long("driver") => mode = Some(Mode::Driver),
            Long("prepare") => mode = Some(Mode::Prepare),
            Long("once") => mode = Some(Mode::Once(text(&mut parser)?)),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let mode = mode.ok_or("--synthetic needs --driver, --prepare or --once")?;
    Ok(Synthetic { rate, slow_percent, mode })
}

/// Returns this binary as a program with synthetic tools, slower by this many per cent.
///
/// # Errors
///
/// If the system does not report the path of this binary.
pub(crate) fn program(rate: u64, slow_percent: u32, directory: &Path) -> Result<Program, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    // Two digits each: equal lengths of the arguments give equal stack addresses.
    let arguments =
        ["--synthetic", "--rate", &rate.to_string(), "--slow", &format!("{slow_percent:02}")]
            .map(OsString::from)
            .to_vec();
    Ok(Program { executable, arguments, directory: directory.to_owned(), environment: Vec::new() })
}

/// Measures the steps of work of this machine in a thousand microseconds: the best of several
/// tries, since other processes may use the processor.
pub(crate) fn rate() -> u64 {
    const STEPS: u64 = 1_000_000;
    let mut buffer = [1; BUFFER_BYTES];
    let tries = (0..20).map(|_| {
        let started = Instant::now();
        measured_call(STEPS, &mut buffer);
        started.elapsed().as_nanos().max(1) as u64
    });
    let nanoseconds = tries.min().unwrap_or(1);
    (STEPS * 1_000_000 / nanoseconds).max(1)
}

/// Runs as the executable.
///
/// # Errors
///
/// If a request names an unknown case, or the output is closed.
pub(crate) fn serve(synthetic: &Synthetic) -> Result<(), String> {
    match &synthetic.mode {
        Mode::Prepare => Ok(()),
        Mode::Once(case) => {
            measured_call(synthetic.steps(case)?, &mut [1; BUFFER_BYTES]);
            Ok(())
        }
        Mode::Driver => {
            let cases = TOOLS.map(|(tool, _)| Case {
                name: format!("tool/{tool}/work"),
                tool: tool.to_owned(),
                reply: "done".to_owned(),
                countable: true,
            });
            send(&Hello { protocol: PROTOCOL, corpus: "synthetic".into(), cases: cases.into() })?;
            let mut buffer = [1; BUFFER_BYTES];
            for line in std::io::stdin().lock().lines() {
                let line = line.map_err(|error| error.to_string())?;
                let request: RunRequest =
                    serde_json::from_str(&line).map_err(|error| error.to_string())?;
                let steps = synthetic.steps(&request.case)?;
                let started = Instant::now();
                for _ in 0..request.iterations.max(1) {
                    measured_call(steps, &mut buffer);
                }
                send(&Answer::Nanoseconds(started.elapsed().as_nanos() as f64))?;
            }
            Ok(())
        }
    }
}

impl Synthetic {
    fn steps(&self, case: &str) -> Result<u64, String> {
        let (_, microseconds) = TOOLS
            .into_iter()
            .find(|(tool, _)| case == format!("tool/{tool}/work"))
            .ok_or_else(|| format!("there is no case `{case}`"))?;
        Ok(microseconds * self.rate * (100 + self.slow_percent) / 100 / 1000)
    }
}

/// The measured call: a number of steps, each of which depends on the one before.
#[inline(never)]
fn measured_call(steps: u64, buffer: &mut [u8; BUFFER_BYTES]) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for step in 0..steps {
        let at = (state >> 40) as usize % BUFFER_BYTES;
        state = (state ^ u64::from(buffer[at])).wrapping_mul(0x0100_0000_01b3) ^ step;
        buffer[at] = state as u8;
    }
    black_box(state);
}

fn send(message: &impl serde::Serialize) -> Result<(), String> {
    let text = serde_json::to_string(message).map_err(|error| error.to_string())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}
