"""The wheel for PyPI: the program in the folder for scripts, and a second name for `uvx`.

`pip install` puts `codedb` on the PATH. `uvx NAME` runs the script with the name of the distribution, which is
not `codedb` on PyPI; an entry point of that name starts the program beside it.
"""

import base64
import hashlib
from pathlib import Path

from archive import File, zip_archive
from build import Build
from project import AUTHORS, PYPI_NAME, Project, read_description, read_licences

MODULE = PYPI_NAME.replace("-", "_")
ENTRY_POINT = Path(__file__).with_name("entry_point.py")


def write_wheel(build: Build) -> Path:
    """Writes the wheel and returns its path."""
    project, program = build.project, build.required_program()
    tags = program.target.wheel_tags(program.elf)
    metadata = f"{MODULE}-{project.version}.dist-info"
    texts = {**read_licences(), "THIRD-PARTY-LICENSES": program.licences}
    script = f"{MODULE}-{project.version}.data/scripts/{program.target.program_name}"
    files = [
        File(script, program.data, is_program=True),
        File(f"{MODULE}.py", ENTRY_POINT.read_bytes()),
        *(File(f"{metadata}/licenses/{name}", text) for name, text in sorted(texts.items())),
        File(f"{metadata}/METADATA", metadata_text(project, sorted(texts)).encode()),
        File(f"{metadata}/WHEEL", wheel_text(tags).encode()),
        File(f"{metadata}/entry_points.txt", f"[console_scripts]\n{PYPI_NAME} = {MODULE}:main\n".encode()),
    ]
    files.append(File(f"{metadata}/RECORD", record_text(files, metadata).encode()))
    name = f"{MODULE}-{project.version}-py3-none-{'.'.join(tags)}.whl"
    return build.write(name, zip_archive(files, build.level))


def metadata_text(project: Project, licence_files: list[str]) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {PYPI_NAME}",
        f"Version: {project.version}",
        f"Summary: {project.summary}",
        f"Author: {AUTHORS}",
        f"Keywords: {','.join(project.keywords)}",
        f"License-Expression: {project.licence}",
        *(f"License-File: {name}" for name in licence_files),
        "Classifier: Environment :: Console",
        "Classifier: Programming Language :: Rust",
        "Classifier: Topic :: Software Development",
        *([f"Project-URL: Repository, {project.repository}"] if project.repository else []),
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM",
    ]
    return "\n".join(lines) + "\n\n" + read_description(project)


def wheel_text(tags: list[str]) -> str:
    lines = ["Wheel-Version: 1.0", f"Generator: {PYPI_NAME}", "Root-Is-Purelib: false"]
    return "\n".join([*lines, *(f"Tag: py3-none-{tag}" for tag in tags)]) + "\n"


def record_text(files: list[File], metadata: str) -> str:
    """Returns the list of files with their digests, by which installers verify them."""
    lines = []
    for file in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.data).digest()).rstrip(b"=").decode()
        lines.append(f"{file.path},sha256={digest},{len(file.data)}")
    return "\n".join([*lines, f"{metadata}/RECORD,,"]) + "\n"
