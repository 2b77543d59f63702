"""The Debian package: the program, its manual pages, completions and licences.

A `.deb` is an `ar` archive of two `tar` archives. Writing it here needs no tools, and its bytes are fixed.
"""

import hashlib
from pathlib import Path

from archive import File, ar, folders_of, gz, tar, xz
from build import Build, Program, Skipped
from manual import read_manual
from project import AUTHORS, ROOT, Project, source_date

# Raised when the package changes and the version of codedb does not.
REVISION = 1


def write_debian_package(build: Build) -> Path:
    """Writes the package and returns its path."""
    project, program = build.project, build.required_program()
    if program.target.libc != "glibc":
        raise Skipped(f"the program must be one for Linux with glibc, and this one is for {program.target.triple}")
    files = installed_files(project, program)
    control = [
        File("control", control_text(project, program, files).encode()),
        File("md5sums", digests(files).encode()),
    ]
    data = tar(files, folders_of(files), prefix="./")
    members = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.xz", xz(tar(control, prefix="./"), build.level)),
        ("data.tar.xz", xz(data, build.level)),
    ]
    name = f"codedb_{project.version}-{REVISION}_{program.target.architecture}.deb"
    return build.write(name, ar(members))


def installed_files(project: Project, program: Program) -> list[File]:
    manual = read_manual(program.path)
    changelog = (ROOT / "CHANGELOG.md").read_bytes()
    documents = "usr/share/doc/codedb"
    return [
        File("usr/bin/codedb", program.data, is_program=True),
        *(File(f"usr/share/man/man1/{name}.gz", gz(page)) for name, page in manual.pages.items()),
        *(File(f"usr/share/{path}", text) for path, text in manual.completions.items()),
        File(f"{documents}/THIRD-PARTY-LICENSES.gz", gz(program.licences)),
        File(f"{documents}/changelog.Debian.gz", gz(debian_changelog(project).encode())),
        File(f"{documents}/changelog.gz", gz(changelog)),
        File(f"{documents}/copyright", copyright_text(project).encode()),
    ]


def control_text(project: Project, program: Program, files: list[File]) -> str:
    kibibytes = sum(-(-len(file.data) // 1024) for file in files)
    needed = [f"libc6 (>= {'.'.join(map(str, program.elf.glibc_version))})", "libgcc-s1"]
    fields = {
        "Package": "codedb",
        "Version": f"{project.version}-{REVISION}",
        "Architecture": program.target.architecture,
        "Maintainer": project.maintainer,
        "Installed-Size": str(kibibytes),
        **({} if program.elf.is_static else {"Depends": ", ".join(needed)}),
        "Recommends": "git",
        "Section": "devel",
        "Priority": "optional",
        **({"Homepage": project.repository} if project.repository else {}),
        "Description": "indexed code search for people and agents\n"
        " codedb searches source code with the flags and the output of ripgrep from an\n"
        " index that it checks against the tree. It lists definitions, callers, imports\n"
        " and history, and serves them to agents over the Model Context Protocol.",
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def digests(files: list[File]) -> str:
    lines = [f"{hashlib.md5(file.data).hexdigest()}  {file.path}\n" for file in files]
    return "".join(sorted(lines, key=lambda line: line.split("  ")[1]))


def debian_changelog(project: Project) -> str:
    date = source_date("%a, %d %b %Y %H:%M:%S +0000")
    return (
        f"codedb ({project.version}-{REVISION}) unstable; urgency=medium\n\n"
        f"  * Version {project.version}; changelog.gz lists the changes.\n\n"
        f" -- {project.maintainer}  {date}\n"
    )


def copyright_text(project: Project) -> str:
    """Returns the machine-readable copyright file of Debian."""
    terms = (ROOT / "LICENSE-MIT").read_text(encoding="utf-8").strip().splitlines()
    # The first lines are the title and the copyright.
    body = terms[next(index for index, line in enumerate(terms) if line.startswith("Permission")) :]
    expat = "\n".join(f" {line}" if line else " ." for line in body)
    source = f"Source: {project.repository}\n" if project.repository else ""
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: codedb\n{source}"
        "Comment: THIRD-PARTY-LICENSES.gz has the licences of the crates in the program.\n\n"
        f"Files: *\nCopyright: {source_date('%Y')} {AUTHORS}\nLicense: Expat or Apache-2.0\n\n"
        f"License: Expat\n{expat}\n\n"
        "License: Apache-2.0\n"
        " On Debian systems, the complete text is in /usr/share/common-licenses/Apache-2.0.\n"
    )
