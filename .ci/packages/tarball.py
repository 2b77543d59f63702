"""The archive of a release, which Homebrew and `cargo binstall` download: the program and its texts."""

from pathlib import Path

from archive import File, gz, tar
from build import Build
from project import ROOT, read_licences


def write_archive(build: Build) -> Path:
    """Writes `codedb-VERSION-TARGET.tar.gz` with a directory of that name, and returns its path."""
    program = build.required_program()
    name = f"codedb-{build.project.version}-{program.target.triple}"
    texts = {**read_licences(), "THIRD-PARTY-LICENSES": program.licences}
    files = [
        *(File(name, (ROOT / name).read_bytes()) for name in ("CHANGELOG.md", "README.md")),
        *(File(name, text) for name, text in texts.items()),
        File(program.target.program_name, program.data, is_program=True),
    ]
    return build.write(f"{name}.tar.gz", gz(tar(files, prefix=f"{name}/"), build.level))
