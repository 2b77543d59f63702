"""Refuses a program that contains paths of the machine that built it."""

import os
import subprocess
from pathlib import Path

from project import ROOT


def machine_paths() -> list[str]:
    """Returns the paths that no released program may contain: of the checkout, cargo, rustup and the home."""
    home = Path.home()
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    paths = [
        str(ROOT),
        os.environ.get("CARGO_HOME") or str(home / ".cargo"),
        os.environ.get("RUSTUP_HOME") or str(home / ".rustup"),
        sysroot.stdout.strip(),
        str(home),
    ]
    # `/` is the home of some accounts.
    return [path for path in dict.fromkeys(paths) if len(path) > 1]


def check_program(path: Path) -> None:
    """Ends the run if the program contains such a path, with the first text that does."""
    data = path.read_bytes()
    for forbidden in machine_paths():
        # In a longer name (`/rootless`), it is another path.
        for separator in (b"/", b"\\"):
            place = data.find(os.fsencode(forbidden) + separator)
            if place >= 0:
                text = data[place : place + 120].split(b"\0")[0].decode("utf-8", "replace")
                raise SystemExit(
                    f"{path} contains a path of this machine: {text!r}; "
                    "build it with `.ci/release build TARGET`, or package it with `--quick` for a test"
                )
