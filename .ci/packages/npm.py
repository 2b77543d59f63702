"""The packages for npm: one for each platform with the program, and `codedb`, which starts the right one.

npm installs only the optional dependency whose `os`, `cpu` and `libc` fit. There are no install scripts.
"""

import json
from pathlib import Path

from archive import File, gz, tar
from build import Build
from project import NPM_NAME, NPM_SCOPE, Project, read_description, read_licences
from target import TARGETS

LAUNCHER = Path(__file__).with_name("launcher.js")


def write_platform_package(build: Build) -> Path:
    """Writes the package with the program of one platform and returns its path."""
    program = build.required_program()
    target = program.target
    name = f"{NPM_SCOPE}/{target.npm_suffix}"
    package = {
        **common_fields(build.project, name),
        "description": f"The program of {NPM_NAME} for {target.triple}",
        "os": [target.npm_os],
        "cpu": [target.npm_cpu],
        **({"libc": [target.libc]} if target.libc else {}),
        "preferUnplugged": True,
    }
    note = f"The program of the package `{NPM_NAME}` for {target.triple}. Install `{NPM_NAME}`.\n"
    files = [
        *package_files(package, note),
        File("THIRD-PARTY-LICENSES", program.licences),
        File(f"bin/{target.program_name}", program.data, is_program=True),
    ]
    return write_tarball(build, name, files)


def write_launcher_package(build: Build) -> Path:
    """Writes the package that people install and returns its path."""
    project = build.project
    platforms = sorted(f"{NPM_SCOPE}/{target.npm_suffix}" for target in TARGETS.values())
    package = {
        **common_fields(project, NPM_NAME),
        "description": project.summary,
        "keywords": [*project.keywords, "mcp"],
        **({"mcpName": project.server_name} if project.server_name else {}),
        "bin": {"codedb": "bin/codedb.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {name: project.version for name in platforms},
    }
    files = [
        *package_files(package, read_description(project)),
        File("bin/codedb.js", LAUNCHER.read_bytes(), is_program=True),
    ]
    return write_tarball(build, NPM_NAME, files)


def common_fields(project: Project, name: str) -> dict:
    address = project.repository
    return {
        "name": name,
        "version": project.version,
        "license": f"({project.licence})",
        **({"repository": {"type": "git", "url": f"git+{address}.git"}, "homepage": address} if address else {}),
    }


def package_files(package: dict, readme: str) -> list[File]:
    return [
        *(File(name, text) for name, text in read_licences().items()),
        File("README.md", readme.encode()),
        File("package.json", (json.dumps(package, indent=2) + "\n").encode()),
    ]


def write_tarball(build: Build, name: str, files: list[File]) -> Path:
    file_name = f"{name.lstrip('@').replace('/', '-')}-npm-{build.project.version}.tgz"
    return build.write(file_name, gz(tar(files, prefix="package/"), build.level))
