"""What every kind of package is made of: a built program, and how and where it is packaged."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elf import Elf, read_elf
from licences import third_party_licences
from project import Project
from target import Target


class Skipped(Exception):
    """Why a package cannot be written."""


@dataclass(frozen=True)
class Program:
    """A program and the target of rustc that it was built for."""

    target: Target
    path: Path

    @cached_property
    def data(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def elf(self) -> Elf | None:
        return read_elf(self.data)

    @cached_property
    def licences(self) -> bytes:
        """Returns the licences of everything that is linked into it."""
        return third_party_licences(self.target.triple)


@dataclass(frozen=True)
class Build:
    """A program to package. Packages without one, such as the Homebrew formula, need only the other fields."""

    project: Project
    program: Program | None
    # The directory of packages, with those of other targets.
    folder: Path
    # How much gzip, zip and xz compress, 1 to 9.
    level: int

    def required_program(self) -> Program:
        if self.program is None:
            raise Skipped("no program was given")
        return self.program

    def write(self, name: str, data: bytes) -> Path:
        """Writes a package and returns its path."""
        path = self.folder / name
        path.write_bytes(data)
        return path
