"""The text THIRD-PARTY-LICENSES: the licence of everything that is linked into the program.

A crate's licences are the files with such a name anywhere in its sources, because C code that a crate bundles
has its own. Equal texts are printed once. Nothing is downloaded: the sources are those that cargo compiled.
"""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from project import ROOT

LICENCE_NAME = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)([-_.].*)?", re.IGNORECASE)
# Sources have such names, too.
SOURCE_NAME = re.compile(r".*\.(rs|c|h|py|js|json|toml|html|sh)", re.IGNORECASE)
# What is in a package of a crate, but not in the program.
UNUSED_FOLDERS = {"benches", "examples", "fuzz", "test", "tests", "testdata"}

INTRODUCTION = """\
Licences of the software in this program
========================================

Target: {target}

codedb itself is licensed under MIT or Apache-2.0, at your option. The program contains the crates below and
the Rust standard library. A crate's line has its name, version and licence expression, and the numbers of its
licence texts, which follow the list. Where the package of a crate has no such text, the line has its authors
instead; LICENSE-MIT and LICENSE-APACHE beside this file have the terms.

SQLite, which libsqlite3-sys contains, is in the public domain. The parsers that crates named tree-sitter-*
contain have the licence of their crate.
"""

MUSL = """\
musl, the C library, is linked statically: Copyright (c) 2005-2020 Rich Felker, et al., licensed under MIT.
"""


@dataclass(frozen=True)
class Crate:
    """A crate that is linked into the program."""

    name: str
    version: str
    licence: str
    authors: str
    folder: Path


def third_party_licences(triple: str) -> bytes:
    """Returns the text for the program of a target."""
    texts: dict[str, tuple[int, str]] = {}
    lines = []
    for crate in linked_crates(triple):
        numbers = set()
        for path in licence_files(crate.folder):
            text = read_text(path)
            # Copies of one licence differ in their spaces.
            numbers.add(texts.setdefault(" ".join(text.split()), (len(texts) + 1, text))[0])
        listed = ", ".join(f"[{number}]" for number in sorted(numbers))
        listed = listed or f"no licence file; authors: {crate.authors or 'not named'}"
        lines.append(f"{crate.name} {crate.version}: {crate.licence}: {listed}")
    parts = [INTRODUCTION.format(target=triple)]
    if triple.endswith("-musl"):
        parts.append(MUSL)
    parts.append("\n".join(lines) + "\n")
    for number, text in texts.values():
        parts.append(f"{'-' * 80}\n[{number}]\n\n{text}\n")
    parts.append(f"{'-' * 80}\nThe Rust standard library\n\n{standard_library()}\n")
    return "\n".join(parts).encode()


def linked_crates(triple: str) -> list[Crate]:
    """Returns the crates that end up in the program, sorted: no build scripts, no procedural macros."""
    tree = ["tree", "--package", "codedb", "--edges", "normal,no-proc-macro", "--target", triple, "--prefix", "none"]
    linked = set()
    for line in cargo(*tree, "--format", "{p}").splitlines():
        name, version = line.split(" ")[:2]
        linked.add((name, version.removeprefix("v")))
    packages = json.loads(cargo("metadata", "--format-version", "1"))["packages"]
    crates = [
        Crate(
            package["name"],
            package["version"],
            package["license"] or "see the text",
            ", ".join(package["authors"]),
            Path(package["manifest_path"]).parent,
        )
        for package in packages
        if package["source"] and (package["name"], package["version"]) in linked
    ]
    return sorted(crates, key=lambda crate: (crate.name, crate.version))


def cargo(*arguments: str) -> str:
    """Runs cargo on the locked dependencies, from the sources that are there."""
    command = ["cargo", *arguments, "--locked", "--offline"]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout


def licence_files(folder: Path) -> list[Path]:
    """Returns the licence files in the sources of a crate, sorted."""
    found = []
    for path in sorted(folder.rglob("*")):
        is_licence = LICENCE_NAME.fullmatch(path.name) and not SOURCE_NAME.fullmatch(path.name)
        is_used = UNUSED_FOLDERS.isdisjoint(path.relative_to(folder).parts)
        if is_licence and is_used and path.is_file():
            found.append(path)
    return found


def read_text(path: Path) -> str:
    """Returns a text with the line ends of Unix, so that equal texts are equal."""
    lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


def standard_library() -> str:
    """Returns the notices that the toolchain contains, without their markup."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    path = Path(sysroot.stdout.strip()) / "share/doc/rust/COPYRIGHT-library.html"
    if not path.is_file():
        return "MIT OR Apache-2.0. Copyright (c) The Rust Project contributors."
    text = re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8"))
    for entity, character in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&amp;", "&")]:
        text = text.replace(entity, character)
    return re.sub(r"\s*\n\s*\n\s*", "\n\n", text).strip()
