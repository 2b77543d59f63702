"""Manual pages and shell completions, as the program itself writes them."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

# The paths below /usr/share where Debian has completions.
COMPLETIONS = {
    "bash": "bash-completion/completions/codedb",
    "fish": "fish/vendor_completions.d/codedb.fish",
    "zsh": "zsh/vendor-completions/_codedb",
}


@dataclass(frozen=True)
class Manual:
    """Texts by file name: `codedb-search.1`; by path below /usr/share: `zsh/vendor-completions/_codedb`."""

    pages: dict[str, bytes]
    completions: dict[str, bytes]


def read_manual(program: Path) -> Manual:
    """Runs the program, which must be one for this machine."""
    overview = run(program, "man")
    pages = {"codedb.1": overview}
    for command in re.findall(r"^codedb\\-([a-z\\-]+)\(1\)$", overview.decode(), re.MULTILINE):
        command = command.replace("\\", "")
        pages[f"codedb-{command}.1"] = run(program, "man", command)
    completions = {path: run(program, "completions", shell) for shell, path in COMPLETIONS.items()}
    return Manual(pages, completions)


def run(program: Path, *arguments: str) -> bytes:
    return subprocess.run([program, *arguments], stdout=subprocess.PIPE, check=True).stdout
