//! Runs an extractor on one text: within limits of time, output and memory, and ends it with the programs
//! that it started.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::source;

/// The maximum time for one text.
const PATIENCE: Duration = Duration::from_secs(10);

/// The maximum number of bytes that are read of its output.
const OUTPUT_BYTES_MAX: u64 = 8 << 20;

/// The maximum memory of the program and of each of its children, in bytes, where the system limits it.
const MEMORY_BYTES_MAX: u64 = 1 << 30;

/// The interval at which the end of the program is checked.
const TICK: Duration = Duration::from_millis(5);

/// Why a program gave no facts.
#[derive(Debug)]
pub(super) struct Failure {
    /// The rest of a sentence about the program.
    pub(super) what: String,
    /// It took too long.
    pub(super) is_late: bool,
}

impl From<String> for Failure {
    fn from(what: String) -> Failure {
        Failure { what, is_late: false }
    }
}

/// Returns what the program prints for `text`, which it gets on its standard input; the path of the file
/// is its last argument.
///
/// # Errors
///
/// What the program did instead.
pub(super) fn output(
    command: &[String],
    root: &Path,
    path: &str,
    text: &[u8],
) -> Result<Vec<u8>, Failure> {
    output_within(command, root, path, text, PATIENCE)
}

fn output_within(
    command: &[String],
    root: &Path,
    path: &str,
    text: &[u8],
    patience: Duration,
) -> Result<Vec<u8>, Failure> {
    let (program, args) = command.split_first().ok_or_else(|| "has no command".to_owned())?;
    let mut command = Command::new(program);
    // A path is no option.
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    command.args(args).arg(path).current_dir(root);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // A group of its own, so that its children end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let started = Instant::now();
    let child = command.spawn().map_err(|error| format!("cannot be started ({error})"))?;
    source::limit_memory(&child, MEMORY_BYTES_MAX);
    let mut running = Running(child);
    let (input, output) = (running.0.stdin.take(), running.0.stdout.take());
    let text = text.to_vec();
    // It may print while it reads. One that does not read its input is not forced to.
    thread::spawn(move || input.map(|mut input| input.write_all(&text)));
    let (sender, printed) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.map(|output| output.take(OUTPUT_BYTES_MAX + 1).read_to_end(&mut bytes));
        // Nobody waits any more if the time is over.
        drop(sender.send(read.is_some_and(|read| read.is_ok()).then_some(bytes)));
    });
    let late =
        || Failure { what: format!("took longer than {} s", patience.as_secs()), is_late: true };
    let bytes = printed.recv_timeout(patience).map_err(|_| late())?;
    let bytes = bytes.ok_or_else(|| "printed what cannot be read".to_owned())?;
    if bytes.len() as u64 > OUTPUT_BYTES_MAX {
        return Err("printed more than 8 MiB".to_owned().into());
    }
    loop {
        match running.0.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(bytes),
            Ok(Some(status)) => return Err(format!("ended with {status}").into()),
            Ok(None) if started.elapsed() < patience => thread::sleep(TICK),
            Ok(None) => return Err(late()),
            Err(error) => return Err(format!("cannot be waited for ({error})").into()),
        }
    }
}

/// A program that is ended, with those that it started, when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // Also the programs that are still running.
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        }
        // It may have exited already.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn of(script: &str, seconds: u64) -> Result<String, String> {
        let command = ["sh", "-c", script, "sh"].map(str::to_owned);
        let patience = Duration::from_secs(seconds);
        let printed = output_within(&command, Path::new("/"), "a.x", b"text\n", patience);
        printed
            .map_err(|failure| failure.what)
            .map(|printed| String::from_utf8_lossy(&printed).into_owned())
    }

    #[test]
    fn a_program_reads_the_text_and_gets_the_path() {
        assert_eq!(of("echo $1; cat", 10).as_deref(), Ok("a.x\ntext\n"));
        assert_eq!(of("echo done", 10).as_deref(), Ok("done\n"));
    }

    #[test]
    fn a_program_that_fails_hangs_or_floods_is_ended() {
        let check = |script: &str, expected: &str| {
            let problem = of(script, 1).expect_err(script);
            assert!(problem.contains(expected), "{script}: {problem}");
        };
        check("exit 3", "exit status: 3");
        check("kill -9 $$", "signal: 9");
        check("sleep 100", "longer than 1 s");
        // A child keeps the pipe open.
        check("sleep 100 & exit 0", "longer than 1 s");
        check("exec >&-; sleep 100", "longer than 1 s");
        check("yes", "more than 8 MiB");
        let missing = output(&["/no/such/program".to_owned()], Path::new("/"), "a", b"");
        assert!(missing.expect_err("it is missing").what.contains("cannot be started"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn children_end_with_the_program() {
        let mark = format!("{}.25", 7_000 + std::process::id());
        let started = of(&format!("sleep {mark} & sleep {mark}"), 1);
        assert!(started.is_err());
        thread::sleep(Duration::from_millis(100));
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let lines = processes.filter_map(|of| std::fs::read(of.path().join("cmdline")).ok());
        let is_it = |line: &Vec<u8>| {
            line.starts_with(b"sleep\0") && String::from_utf8_lossy(line).contains(&mark)
        };
        assert_eq!(lines.filter(is_it).count(), 0);
    }
}
