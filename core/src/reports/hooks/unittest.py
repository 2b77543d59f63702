"""Records the result of each test of a unittest run for `codedb run`; prints nothing."""

import importlib.machinery
import importlib.util
import os
import sys


def _continue():
    """Runs the `sitecustomize` that this module hides."""
    own = os.path.dirname(os.path.abspath(__file__))
    rest = [path for path in sys.path if os.path.abspath(path or ".") != own]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _install():
    reports = os.environ.get("CODEDB_REPORT_DIR")
    words = getattr(sys, "orig_argv", None) or sys.argv
    is_worker = any("multiprocessing" in word for word in words)
    if not reports or is_worker or any(os.path.basename(w).startswith("pytest") for w in words):
        return
    import json
    import time
    from unittest import result as module

    process = os.getpid()
    state = {"log": None}
    base = module.TestResult

    def write(line):
        if os.getpid() != process:
            return
        try:
            if state["log"] is None:
                path = os.path.join(reports, "unittest-%d.jsonl" % process)
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
                state["log"] = os.open(path, flags, 0o600)
                os.write(state["log"], b'{"begin": "unittest"}\n')
            os.write(state["log"], (json.dumps(line) + "\n").encode("utf-8", "replace"))
        except OSError:
            pass

    def named(test):
        kind = type(test)
        if kind.__name__ in ("_ErrorHolder", "_FailedTest") or not hasattr(test, "_testMethodName"):
            return None, test.id()
        found = sys.modules.get(kind.__module__)
        path = getattr(found, "__file__", None)
        path = os.path.abspath(path) if path else None
        return path, kind.__qualname__ + "::" + test._testMethodName

    def emit(test, outcome):
        test_path, name = named(test)
        begun = getattr(test, "_codedb_begun", None)
        ms = None if begun is None else 1000.0 * (time.perf_counter() - begun)
        write({"file": test_path, "name": name, "outcome": outcome, "ms": ms})

    def note(test, outcome):
        if getattr(test, "_codedb_begun", None) is None:
            # A failure of `setUpClass`, `setUpModule` or of an import: no test was started.
            emit(test, outcome)
            return
        order = ("skipped", "passed", "failed", "error")
        before = getattr(test, "_codedb_outcome", None)
        if before is None or order.index(outcome) > order.index(before):
            test._codedb_outcome = outcome

    def measure():
        directory = os.environ.get("CODEDB_REPORT_COVERAGE")
        if not directory:
            return None
        try:
            import atexit

            import coverage

            path = os.path.join(directory, "coverage-%d" % process)
            measured = coverage.Coverage(data_file=path, config_file=False, messages=False)
            measured.start()

            def save():
                if os.getpid() == process:
                    measured.stop()
                    measured.save()

            atexit.register(save)
            return measured
        except Exception:
            return None

    measured = measure()

    def switch(test):
        if measured is None:
            return
        path, name = named(test) if test is not None else (None, "")
        root = os.environ.get("CODEDB_REPORT_ROOT", os.getcwd())
        path = os.path.relpath(path, root).replace(os.sep, "/") + "::" if path else ""
        measured.switch_context(path + name)

    def wrap(name, action):
        original = getattr(base, name, None)
        if original is None:
            return

        def wrapped(self, *args, **kwargs):
            try:
                action(*args)
            except Exception:
                pass
            return original(self, *args, **kwargs)

        wrapped.__name__ = name
        wrapped.__doc__ = original.__doc__
        setattr(base, name, wrapped)

    def start(test):
        switch(test)
        test._codedb_begun = time.perf_counter()
        test._codedb_outcome = None

    def stop(test):
        if getattr(test, "_codedb_begun", None) is not None:
            emit(test, test._codedb_outcome or "error")
            test._codedb_begun = None
        switch(None)

    def part(test, subtest, error=None):
        if error is not None:
            kind = getattr(test, "failureException", AssertionError)
            note(test, "failed" if issubclass(error[0], kind) else "error")

    wrap("startTest", start)
    wrap("stopTest", stop)
    wrap("addSuccess", lambda test: note(test, "passed"))
    wrap("addFailure", lambda test, *_: note(test, "failed"))
    wrap("addError", lambda test, *_: note(test, "error"))
    wrap("addSkip", lambda test, *_: note(test, "skipped"))
    wrap("addExpectedFailure", lambda test, *_: note(test, "passed"))
    wrap("addUnexpectedSuccess", lambda test: note(test, "failed"))
    wrap("addSubTest", part)
    # Only a run that ends has all of its results. `--failfast` calls `stop`.
    wrap("stopTestRun", lambda: write({"end": True}))
    wrap("stop", lambda: write({"problem": "stopped early"}))


try:
    _install()
except Exception:
    pass
_continue()
