//! What outlives the end of codedb or of a runner: results, and no process.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{command, program, recorded, results, run};
use crate::support::place::Place;

/// How long a process may take to end.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns true once a process has ended, or is only waited for.
fn ends(process: u32) -> bool {
    let started = Instant::now();
    let status = format!("/proc/{process}/stat");
    while started.elapsed() < PATIENCE {
        let stat = fs::read_to_string(&status).unwrap_or_default();
        let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
        if matches!(state, None | Some('Z' | 'X')) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

fn wait_for(path: &Path) -> String {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        let text = fs::read_to_string(path).unwrap_or_default();
        if text.ends_with('\n') {
            return text.trim().to_owned();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{} is not written", path.display());
}

fn kill(child: &mut Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("it runs");
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_run_keeps_its_results_and_leaves_no_process() {
    if program("pytest").is_none() {
        return;
    }
    let place = Place::new();
    place.write(
        "test_a.py",
        "import os, subprocess, time\n\ndef test_one():\n    pass\n\ndef test_two():\n    \
         child = subprocess.Popen(['sleep', '600'])\n    \
         open('pids', 'w').write(f'{os.getpid()} {child.pid}\\n')\n    time.sleep(600)\n",
    );
    let mut child = command(&place, &["--", "pytest", "-q", "-p", "no:cacheprovider"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let processes = wait_for(&place.root().join("pids"));
    kill(&mut child, Signal::KILL);
    child.wait().expect("it ends");
    for process in processes.split(' ') {
        assert!(ends(process.parse().expect("a number")), "{process} is left");
    }
    assert_eq!(recorded(&place).len(), 0);
    // The next command records what was there, once.
    let next = run(&place, &["--", "true"]).expect_success();
    assert!(next.stderr.contains("a run that was killed: recorded 1 test of"), "{}", next.stderr);
    let again = run(&place, &["--", "true"]).expect_success();
    assert!(!again.stderr.contains("killed"), "{}", again.stderr);
    let runs = recorded(&place);
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["status"], "crashed");
    assert_eq!(results(&runs[0]), ["passed test_a.py::test_one"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_runner_that_hangs_ends_with_what_it_started() {
    let place = Place::new();
    let script = "sleep 600 & echo $! > pid; wait";
    let args = ["--junit", "none.xml", "--timeout", "1", "--", "sh", "-c", script];
    assert_eq!(run(&place, &args).code, 128 + 15);
    let process = wait_for(&place.root().join("pid"));
    assert!(ends(process.parse().expect("a number")), "{process} is left");
    assert_eq!(recorded(&place)[0]["status"], "timed_out");
}

#[test]
#[cfg(target_os = "linux")]
fn output_without_end_takes_no_memory() {
    let place = Place::new();
    // `cargo` is a program of the test: its output is kept, unlike that of others.
    place
        .write("bin/cargo", "#!/bin/sh\nyes 'test a line that is no result' | head -c 400000000\n");
    let path = place.root().join("bin/cargo");
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut child = command(&place, &["--", path.to_str().expect("a text"), "test"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut out = child.stdout.take().expect("it is piped");
    let mut buffer = vec![0; 1 << 20];
    let (mut total, mut peak) = (0, 0);
    loop {
        let length = out.read(&mut buffer).expect("it is readable");
        if length == 0 {
            break;
        }
        total += length;
        let status = fs::read_to_string(format!("/proc/{}/status", child.id()));
        let peak_of = |text: String| -> Option<u64> {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.trim().split(' ').next()?.parse().ok()
        };
        peak = status.ok().and_then(peak_of).unwrap_or_default().max(peak);
    }
    child.wait().expect("it ends");
    assert_eq!(total, 400_000_000);
    assert!(peak < 200_000, "{peak} KiB");
}

#[test]
fn repeated_attempts_are_recorded_once() {
    let Some(pytest) = program("pytest") else { return };
    let has_plugin = std::process::Command::new(pytest.with_file_name("python3"))
        .args(["-c", "import pytest_rerunfailures"])
        .stderr(Stdio::null())
        .status();
    if !has_plugin.is_ok_and(|status| status.success()) {
        crate::support::skipped::report("pytest-rerunfailures is not installed");
        return;
    }
    let place = Place::new();
    place.write(
        "test_a.py",
        "import pytest\nN = [0, 0]\n\ndef test_second():\n    N[0] += 1\n    assert N[0] == 2\n\n\
         def test_never():\n    assert 0\n\n@pytest.fixture\ndef odd():\n    N[1] += 1\n    \
         assert N[1] == 2\n\ndef test_set_up(odd):\n    pass\n\ndef test_ok():\n    pass\n",
    );
    let args = ["--", "pytest", "-q", "-p", "no:cacheprovider", "--reruns", "2"];
    run(&place, &args);
    let expected = [
        "failed test_a.py::test_never",
        "failed test_a.py::test_never (attempt 1)",
        "failed test_a.py::test_never (attempt 2)",
        "failed test_a.py::test_second",
        "failed test_a.py::test_set_up",
        "passed test_a.py::test_ok",
        "passed test_a.py::test_second (attempt 1)",
        "passed test_a.py::test_set_up (attempt 1)",
    ];
    assert_eq!(results(&recorded(&place)[0]), expected);
}

/// Ctrl-C is a signal to the process group of the terminal.
#[test]
#[cfg(target_os = "linux")]
fn control_c_ends_a_watch_and_its_runner() {
    if program("pytest").is_none() {
        return;
    }
    use std::os::unix::process::CommandExt as _;
    let place = Place::new();
    place.write("shop.py", "def alpha():\n    return 1\n");
    place.write(
        "test_shop.py",
        "import os, time\n\nfrom shop import alpha\n\n\ndef test_alpha():\n    assert alpha()\n    \
         open('../pid', 'w').write(f'{os.getpid()}\\n')\n    time.sleep(600)\n",
    );
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-q", "-m", "Begin"]);
    place.index(&["-q", "--stage", "full"]).expect_success();
    let watch = || {
        let mut test = super::changed::test(&place, &["--watch", "--", "-p", "no:cacheprovider"]);
        test.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        test.spawn().expect("it starts")
    };
    let interrupt = |child: &mut Child| {
        rustix::process::kill_process_group(Pid::from_child(child), Signal::INT).expect("it runs");
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if child.try_wait().expect("it is ours").is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("codedb goes on");
    };
    place.write("shop.py", "def alpha():\n    return 2\n");
    let mut running = watch();
    let process = wait_for(&place.base().join("pid"));
    interrupt(&mut running);
    assert!(ends(process.parse().expect("a number")), "{process} is left");
    assert_eq!(recorded(&place).len(), 1);
    // Between two runs.
    place.git(&["checkout", "-q", "shop.py"]);
    let mut waiting = watch();
    std::thread::sleep(Duration::from_secs(3));
    interrupt(&mut waiting);
}
