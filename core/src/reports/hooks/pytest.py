"""Records the result of each test of a pytest run for `codedb run`; prints nothing."""

import atexit
import json
import os
import sys

import pytest

_reports = os.environ.get("CODEDB_REPORT_DIR")
_log = None
_root = ""
_tests = {}
_attempts = {}
# Tests whose attempt is over: the plugin that repeats them also reports its tear-down.
_repeated = set()


def _start_coverage():
    """Returns a measurement with one context for each test, if it is wanted and possible."""
    directory = os.environ.get("CODEDB_REPORT_COVERAGE")
    if not directory or any(word.startswith("--cov") for word in sys.argv):
        return None
    try:
        import coverage

        path = os.path.join(directory, "coverage-%d" % os.getpid())
        measured = coverage.Coverage(data_file=path, config_file=False, messages=False)
        measured.start()
        atexit.register(_save_coverage)
        return measured
    except Exception:
        return None


def _save_coverage():
    global _coverage
    measured, _coverage = _coverage, None
    if measured is not None:
        try:
            measured.stop()
            measured.save()
        except Exception:
            pass


_coverage = _start_coverage()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    if _coverage is not None:
        _coverage.switch_context(item.nodeid + "|run")
    yield
    if _coverage is not None:
        _coverage.switch_context("")


def _write(line):
    if _log is not None:
        try:
            os.write(_log, (json.dumps(line) + "\n").encode("utf-8", "replace"))
        except OSError:
            pass


def pytest_configure(config):
    global _log, _root
    # The list of plugins in the header stays as it is without this one.
    try:
        infos = config.pluginmanager._plugin_distinfo
        infos[:] = [info for info in infos if info[1].metadata["Name"] != "codedb-pytest"]
    except Exception:
        pass
    if not _reports or hasattr(config, "workerinput"):
        return
    _root = str(getattr(config, "rootpath", None) or config.rootdir)
    path = os.path.join(_reports, "pytest-%d.jsonl" % os.getpid())
    try:
        _log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError:
        return
    _write({"begin": "pytest"})


def _finish(node, outcome, ms):
    path, _, name = node.partition("::")
    attempt = _attempts.get(node, 0)
    _attempts[node] = attempt + 1
    _write({
        "file": os.path.join(_root, path),
        "name": name,
        "outcome": outcome,
        "ms": ms,
        "attempt": attempt,
    })


def pytest_runtest_logreport(report):
    node = report.nodeid
    if report.when == "setup":
        _repeated.discard(node)
    elif node in _repeated:
        return
    test = _tests.setdefault(node, {"outcome": None, "ms": 0.0})
    is_part = type(report).__name__ == "SubtestReport"
    if not is_part:
        test["ms"] += 1000.0 * getattr(report, "duration", 0.0)
    if report.outcome == "rerun":
        _finish(node, "failed", test["ms"])
        _tests.pop(node, None)
        _repeated.add(node)
        return
    if report.outcome == "failed":
        # A failure of the set-up, the tear-down or a worker is not one of the test.
        test["outcome"] = "failed" if report.when == "call" else "error"
    elif report.outcome == "skipped" and not is_part:
        expected = hasattr(report, "wasxfail")
        test["outcome"] = test["outcome"] or ("passed" if expected else "skipped")
    elif report.when == "call" and not is_part:
        test["outcome"] = test["outcome"] or "passed"
    if report.when not in ("setup", "call"):
        _finish(node, test["outcome"] or "error", test["ms"])
        _tests.pop(node, None)


def pytest_collectreport(report):
    if report.failed:
        _write({"problem": "cannot collect " + (report.nodeid or "the tests")})


def pytest_sessionfinish(session, exitstatus):
    _save_coverage()
    # 2: interrupted, 3: internal error, 4: wrong usage.
    if int(exitstatus) in (2, 3, 4):
        _write({"problem": "exit status %d" % int(exitstatus)})
    _write({"end": True})
