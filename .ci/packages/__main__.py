"""Writes packages of a program that is built already: `.ci/release packages` calls this.

    python3 .ci/packages --out DIR [--program FILE --target TARGET] [--only KINDS] [--quick]

Each kind of package has a file here. A kind that cannot be written is named on standard error with the reason.
"""

import argparse
import hashlib
import sys
from pathlib import Path

from build import Build, Program, Skipped
from debian import write_debian_package
from homebrew import write_formula
from machine import check_program
from npm import write_launcher_package, write_platform_package
from oci import write_image
from project import read_project
from registry import write_server_entry
from sdist import write_source_distribution
from tarball import write_archive
from target import TARGETS
from wheel import write_wheel

# The packages of one platform; then those that all platforms share. The latter need no program, and read the
# archives of other targets in the directory.
WRITERS = {
    "archive": write_archive,
    "wheel": write_wheel,
    "npm": write_platform_package,
    "debian": write_debian_package,
    "launcher": write_launcher_package,
    "sdist": write_source_distribution,
    "image": write_image,
    "homebrew": write_formula,
    "registry": write_server_entry,
}


def main() -> None:
    options = parse_arguments()
    kinds = options.only or list(WRITERS)
    program = Program(TARGETS[options.target], options.program) if options.program else None
    if program and not options.quick:
        check_program(program.path)
    options.out.mkdir(parents=True, exist_ok=True)
    build = Build(read_project(), program, options.out, level=1 if options.quick else 9)
    written = [write(kind, build) for kind in WRITERS if kind in kinds]
    if not any(written):
        sys.exit(1)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=".ci/release packages")
    parser.add_argument("--program", type=Path, metavar="FILE", help="the program to package")
    parser.add_argument("--target", choices=sorted(TARGETS), help="the target of rustc that it was built for")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the directory of the packages")
    parser.add_argument("--only", type=parse_kinds, metavar="KINDS", help=f"some of {','.join(WRITERS)}")
    parser.add_argument("--quick", action="store_true", help="for tests: compress little and do not check paths")
    options = parser.parse_args()
    if options.program and not options.target:
        parser.error("`--program` needs `--target`: the target of rustc that it was built for")
    return options


def parse_kinds(text: str) -> list[str]:
    kinds = text.split(",")
    for kind in kinds:
        if kind not in WRITERS:
            raise argparse.ArgumentTypeError(f"unknown kind `{kind}`; valid: {', '.join(WRITERS)}")
    return kinds


def write(kind: str, build: Build) -> bool:
    """Writes a package and its checksum; returns False, with the reason on standard error, if it cannot."""
    try:
        path = WRITERS[kind](build)
    except Skipped as reason:
        print(f"skipped: {kind}: {reason}", file=sys.stderr)
        return False
    data = path.read_bytes()
    path.with_name(f"{path.name}.sha256").write_text(f"{hashlib.sha256(data).hexdigest()}  {path.name}\n")
    print(f"{path} ({len(data) / 1e6:.2f} MB)")
    return True


if __name__ == "__main__":
    main()
