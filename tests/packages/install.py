"""Packages a program, installs the packages into empty places and uses them: `python install.py PATH_OF_CODEDB`.

The wheel is installed with pip, the packages of npm with npm, both without a network. Exits with 1 if a check
failed. Programs that are not installed are named, and their checks are skipped.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import venv
from pathlib import Path

from tree import check_answers, check_handshake, empty_home, expect, run, write_tree

PROGRAM = Path(sys.argv[1]).resolve()
ROOT = Path(__file__).resolve().parents[2]
IS_WINDOWS = os.name == "nt"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        tree = place / "tree"
        write_tree(tree)
        passed = failed = 0
        for check in checks():
            started = time.monotonic()
            name = check.__name__.replace("_", " ")
            try:
                check(place, tree)
                passed += 1
                print(f"passed: {name} ({time.monotonic() - started:.1f} s)", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED: {name}\n{traceback.format_exc()}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def checks():
    """Returns the checks in the order in which they depend on each other."""
    yield the_program_is_packaged
    yield two_runs_write_the_same_bytes
    yield the_wheel_answers
    yield both_names_of_the_wheel_run_the_program
    yield pip_uninstall_removes_every_file
    yield a_platform_without_a_wheel_is_one_sentence
    if shutil.which("npm") is None:
        print("skipped: the packages of npm (npm is not installed)")
        return
    yield the_npm_packages_answer
    yield the_launcher_states_how_it_was_started
    yield a_missing_platform_package_is_one_sentence
    if IS_WINDOWS:
        print("skipped: signals to the launcher (not on Windows)")
    else:
        yield signals_reach_the_program
        yield a_signal_that_ends_the_program_ends_the_launcher
    yield npm_uninstall_removes_every_file


def the_program_is_packaged(place: Path, _tree: Path) -> None:
    package(PROGRAM, place / "packages")
    kinds = sorted(path.suffix for path in (place / "packages").iterdir() if path.suffix != ".sha256")
    expect(kinds == [".gz", ".tgz", ".tgz", ".whl"], kinds)


def two_runs_write_the_same_bytes(place: Path, _tree: Path) -> None:
    # Any program serves, and this one is small.
    program = Path(sys.executable).resolve()
    for name in ("first", "second"):
        package(program, place / name)
    first = {path.name: path.read_bytes() for path in (place / "first").iterdir()}
    second = {path.name: path.read_bytes() for path in (place / "second").iterdir()}
    expect(first == second, [name for name in first if first[name] != second.get(name)])


def package(program: Path, folder: Path) -> None:
    command = [shutil.which("bash"), ".ci/release", "packages", "--program", program, "--out", folder]
    subprocess.run([*command, "--only", "wheel,npm,launcher,sdist", "--quick"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def only(place: Path, pattern: str) -> Path:
    (found,) = (place / "packages").glob(pattern)
    return found


def scripts(place: Path) -> Path:
    return place / "venv" / ("Scripts" if IS_WINDOWS else "bin")


def installed(folder: Path) -> set[str]:
    """Returns every file below the folder that an installer, rather than Python, wrote."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)) for path in files}


FILES_BEFORE: set[str] = set()


def the_wheel_answers(place: Path, tree: Path) -> None:
    venv.create(place / "venv", with_pip=True)
    FILES_BEFORE.update(installed(place / "venv"))
    pip(place, "install", "--no-index", str(only(place, "*.whl")))
    check_answers([str(scripts(place) / "codedb")], tree, empty_home(place / "wheel-home"))


def pip(place: Path, *arguments: str) -> None:
    command = [scripts(place) / "python", "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)


def both_names_of_the_wheel_run_the_program(place: Path, tree: Path) -> None:
    env = empty_home(place / "names-home")
    version = run([str(scripts(place) / "codedb"), "--version"], tree, env).stdout
    expect(version.startswith("codedb "), version)
    for command in ([str(scripts(place) / "codedb-cli")], [str(scripts(place) / "python"), "-m", "codedb_cli"]):
        expect(run([*command, "--version"], tree, env).stdout == version, command)
        expect(run([*command, "search", "absent_word"], tree, env).returncode == 1, command)
        check_handshake([*command, "mcp"], tree, env)


def pip_uninstall_removes_every_file(place: Path, _tree: Path) -> None:
    pip(place, "uninstall", "--yes", "codedb-cli")
    left = installed(place / "venv") - FILES_BEFORE
    expect(not left, f"left: {sorted(left)}")


def a_platform_without_a_wheel_is_one_sentence(place: Path, tree: Path) -> None:
    """Where no wheel fits, an installer takes the source distribution."""
    command = [str(scripts(place) / "python"), "-m", "pip", "install", "--no-index", str(only(place, "codedb_cli-*.tar.gz"))]
    found = run(command, tree, dict(os.environ))
    said = [line for line in found.stderr.splitlines() if "codedb-cli has no program for " in line]
    expect(found.returncode != 0 and len(said) == 1 and "cargo install" in said[0], found)


def npm(place: Path, *arguments: str) -> None:
    command = [shutil.which("npm"), *arguments, "--global", "--prefix", str(place / "npm"), "--offline"]
    quiet = ["--cache", str(place / "npm-cache"), "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
    subprocess.run([*command, *quiet], cwd=place, check=True, stdout=subprocess.DEVNULL)


def launcher(place: Path) -> list[str]:
    return [str(place / "npm" / ("codedb.cmd" if IS_WINDOWS else "bin/codedb"))]


def the_npm_packages_answer(place: Path, tree: Path) -> None:
    (place / "npm").mkdir()
    platform = next(path for path in (place / "packages").glob("*.tgz") if not path.name.startswith("codedb-npm-"))
    npm(place, "install", str(platform), str(only(place, "codedb-npm-*.tgz")))
    check_answers(launcher(place), tree, empty_home(place / "npm-home"))


def modules(place: Path) -> Path:
    return place / "npm" / ("node_modules" if IS_WINDOWS else "lib/node_modules")


def the_launcher_states_how_it_was_started(place: Path, tree: Path) -> None:
    if IS_WINDOWS:
        return
    for folder, expected in [("plain", "npm"), ("_npx/1a2b", "npx")]:
        copied = copy_launcher(place, folder, "#!/bin/sh\necho \"$CODEDB_LAUNCHED_BY $CODEDB_LAUNCHER $*\"\n")
        found = run(["node", str(copied), "a b", "c"], tree, dict(os.environ))
        expect(found.stdout == f"{expected} {copied} a b c\n", found)


def copy_launcher(place: Path, folder: str, program: str | None) -> Path:
    """Returns a copy of the launcher beside a platform package whose program is a script, or beside none."""
    root = place / folder / "node_modules"
    shutil.copytree(modules(place) / "codedb", root / "codedb", ignore=shutil.ignore_patterns("node_modules"))
    if program is not None:
        (platform,) = (path.name for path in (modules(place) / "@codedb").iterdir())
        script = root / "@codedb" / platform / "bin" / "codedb"
        script.parent.mkdir(parents=True)
        script.write_text(program)
        script.chmod(0o755)
    return root / "codedb" / "bin" / "codedb.js"


def a_missing_platform_package_is_one_sentence(place: Path, tree: Path) -> None:
    found = run(["node", str(copy_launcher(place, "alone", None)), "--version"], tree, dict(os.environ))
    expect((found.returncode, found.stdout, found.stderr.count("\n")) == (2, "", 1), found)
    expect("no program for " in found.stderr and "cargo install" in found.stderr, found.stderr)


def signals_reach_the_program(place: Path, tree: Path) -> None:
    script = "#!/bin/sh\ntrap 'echo INT; exit 40' INT\ntrap 'echo TERM; exit 41' TERM\necho ready\nwhile :; do sleep 0.02; done\n"
    copied = copy_launcher(place, "signals", script)
    for sent, expected in [(signal.SIGINT, ("INT\n", 40)), (signal.SIGTERM, ("TERM\n", 41))]:
        output, code = end_by(sent, copied, tree)
        expect((output, code) == expected, (sent, output, code))


def a_signal_that_ends_the_program_ends_the_launcher(place: Path, tree: Path) -> None:
    copied = copy_launcher(place, "ended", "#!/bin/sh\necho ready\nexec sleep 20\n")
    for sent in (signal.SIGINT, signal.SIGTERM):
        _, code = end_by(sent, copied, tree)
        expect(code == -sent, (sent, code))


def end_by(sent: signal.Signals, copied: Path, tree: Path) -> tuple[str, int]:
    """Starts the launcher, sends it a signal when the program is ready, and returns its output and exit code."""
    # Not in the process group of a terminal, so that the signal has one receiver.
    command = ["node", str(copied)]
    with subprocess.Popen(
        command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True, encoding="utf-8",
    ) as process:
        expect(process.stdout.readline() == "ready\n", "the program did not start")
        process.send_signal(sent)
        try:
            output, _ = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return output, process.returncode


def npm_uninstall_removes_every_file(place: Path, _tree: Path) -> None:
    names = [path.name for path in (modules(place) / "@codedb").iterdir()]
    npm(place, "uninstall", "codedb", *(f"@codedb/{name}" for name in names))
    left = {path for path in installed(place / "npm") if not path.endswith(".package-lock.json")}
    expect(not left, f"left: {sorted(left)}")


if __name__ == "__main__":
    main()
