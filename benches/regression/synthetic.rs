//! Three tools that do nothing but work, for the trial of the gate: calls of about 20 µs, 200 µs and 20 ms, and
//! the same by so many per cent slower.
//!
//! This binary is their executable, too (`--synthetic`), and speaks what `protocol` says. The work is arithmetic
//! over a small buffer, so that callgrind counts it as it counts any tool's.

use std::ffi::OsString;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

use lexopt::prelude::*;

use super::arguments::{number, text};
use super::driver::Program;
use super::protocol::{Answer, Ask, Case, Hello, PROTOCOL};

/// The tools, and the microseconds of a call.
pub(crate) const TOOLS: [(&str, u64); 3] =
    [("synthetic_20us", 20), ("synthetic_200us", 200), ("synthetic_20ms", 20_000)];

/// Bytes that the work goes over again and again; they fit into a first-level cache.
const BUFFER_BYTES: usize = 16 << 10;

/// What the executable was asked for.
pub(crate) struct Synthetic {
    /// Steps of work in a thousand microseconds at full speed.
    rate: u64,
    /// Per cent of work beside that.
    slow_percent: u64,
    /// What to do.
    mode: Mode,
}

enum Mode {
    Driver,
    Prepare,
    Once(String),
}

/// Parses what follows `--synthetic`.
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

/// Returns the program that is this binary with its synthetic tools, slower by so many per cent.
///
/// # Errors
///
/// When the system does not tell where this binary lies.
pub(crate) fn program(rate: u64, slow_percent: u32, directory: &Path) -> Result<Program, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    // Two digits each, so that both sides get arguments of the same length, and their stacks the same place.
    let arguments =
        ["--synthetic", "--rate", &rate.to_string(), "--slow", &format!("{slow_percent:02}")]
            .map(OsString::from)
            .to_vec();
    Ok(Program { executable, arguments, directory: directory.to_owned(), environment: Vec::new() })
}

/// Finds the steps of work that this machine does in a thousand microseconds: the best of several tries, since
/// others may have the processor.
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

/// Is the executable.
///
/// # Errors
///
/// When it is asked for a case that it does not have, or nobody reads its answers.
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
            say(&Hello { protocol: PROTOCOL, corpus: "synthetic".into(), cases: cases.into() })?;
            let mut buffer = [1; BUFFER_BYTES];
            for line in std::io::stdin().lock().lines() {
                let line = line.map_err(|error| error.to_string())?;
                let ask: Ask = serde_json::from_str(&line).map_err(|error| error.to_string())?;
                let steps = synthetic.steps(&ask.case)?;
                let started = Instant::now();
                for _ in 0..ask.iterations.max(1) {
                    measured_call(steps, &mut buffer);
                }
                say(&Answer::Nanoseconds(started.elapsed().as_nanos() as f64))?;
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

/// The measured call: so many steps, each of which depends on the one before.
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

fn say(message: &impl serde::Serialize) -> Result<(), String> {
    let text = serde_json::to_string(message).map_err(|error| error.to_string())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}
