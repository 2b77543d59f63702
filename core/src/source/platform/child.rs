//! Child processes: whether one runs or sleeps until something else happens, and how much memory it
//! may have.

use std::process::Child;
use std::time::{Duration, Instant};

/// Limits the memory that a process and its children may allocate, without mapped files; an
/// allocation beyond fails. Has no effect on other systems than Linux.
pub fn limit_memory(child: &Child, bytes: u64) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        // The process may have a lower limit already, which it cannot raise.
        let _ = prlimit(Some(Pid::from_child(child)), Resource::Data, limit);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (child, bytes);
}

/// Observes a process.
#[derive(Debug)]
pub struct Activity {
    process: u32,
    /// The number of context switches that were seen while all threads slept, and since when.
    asleep: Option<(u64, Instant)>,
}

impl Activity {
    /// Returns an observer of a child process that was not waited for.
    pub fn of(process: u32) -> Activity {
        Activity { process, asleep: None }
    }

    /// Forgets what was observed.
    pub fn restart(&mut self) {
        self.asleep = None;
    }

    /// Returns the time for which, at each call, all threads of the process slept and none had run
    /// since the previous call. A thread that waits for a disk does not sleep. Zero if that is not
    /// known, as on every system but Linux. O(threads).
    pub fn asleep_for(&mut self) -> Duration {
        let switches = switches_if_asleep(self.process);
        match (switches, self.asleep) {
            (Some(now), Some((before, since))) if now == before => since.elapsed(),
            (now, _) => {
                self.asleep = now.map(|switches| (switches, Instant::now()));
                Duration::ZERO
            }
        }
    }
}

/// Returns the number of context switches of all threads of a process if all of them sleep.
#[cfg(target_os = "linux")]
fn switches_if_asleep(process: u32) -> Option<u64> {
    let mut switches = 0_u64;
    for thread in std::fs::read_dir(format!("/proc/{process}/task")).ok()? {
        let status = std::fs::read_to_string(thread.ok()?.path().join("status")).ok()?;
        for line in status.lines() {
            match line.split_once(':') {
                Some(("State", state)) if !state.trim_start().starts_with('S') => return None,
                Some(("voluntary_ctxt_switches" | "nonvoluntary_ctxt_switches", count)) => {
                    switches = switches.wrapping_add(count.trim().parse().ok()?);
                }
                _ => {}
            }
        }
    }
    Some(switches)
}

#[cfg(not(target_os = "linux"))]
fn switches_if_asleep(_: u32) -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::process::{Command, Stdio};
    use std::thread;

    use super::*;

    /// Returns how many of 200 MB a program can hold in memory.
    fn bytes_held(limit: Option<u64>) -> String {
        let script = "read start; head -c 200000000 /dev/zero | tail -c 200000000 | wc -c";
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        if let Some(bytes) = limit {
            limit_memory(&child, bytes);
        }
        child.stdin.take().expect("it is piped").write_all(b"go\n").expect("it reads");
        let mut text = String::new();
        child.stdout.take().expect("it is piped").read_to_string(&mut text).expect("a number");
        child.wait().expect("it ends");
        text.trim().to_owned()
    }

    #[test]
    fn the_memory_of_a_process_is_limited() {
        assert_eq!(bytes_held(None), "200000000");
        assert_eq!(bytes_held(Some(50 << 20)), "0");
    }

    /// Returns the longest time that a process is reported asleep within half a second.
    fn asleep_for(child: &mut Child) -> Duration {
        let mut activity = Activity::of(child.id());
        let times = (0..10).map(|_| {
            thread::sleep(Duration::from_millis(50));
            activity.asleep_for()
        });
        let longest = times.max().unwrap_or_default();
        let _ = child.kill();
        child.wait().expect("it ends");
        longest
    }

    #[test]
    fn a_process_that_only_waits_is_asleep() {
        let mut cat = Command::new("cat");
        let mut waits = cat.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
        assert!(asleep_for(&mut waits) > Duration::from_millis(200));
        let mut runs = Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
        let runs = runs.as_mut().expect("it starts");
        assert_eq!(asleep_for(runs), Duration::ZERO);
        // On a busy machine, its naps may last longer.
        let is_awake = (0..20).any(|_| {
            let naps = Command::new("sh").args(["-c", "while :; do sleep 0.01; done"]).spawn();
            asleep_for(&mut naps.expect("it starts")) < Duration::from_millis(200)
        });
        assert!(is_awake);
    }
}
