"""What all packages state about the project: names, version, licence, address.

This is the one place for the names under which codedb is published. `docs/releasing.md` explains them.
"""

import json
import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

# `codedb` on PyPI is another project.
PYPI_NAME = "codedb-cli"
NPM_NAME = "codedb"
NPM_SCOPE = "@codedb"
AUTHORS = "The codedb authors"
# The maintainer of the Debian package, until an owner sets CODEDB_MAINTAINER.
MAINTAINER = "The codedb authors <codedb@localhost>"

ROOT = Path(__file__).resolve().parents[2]
LICENCE_FILES = ("LICENSE-APACHE", "LICENSE-MIT")


@dataclass(frozen=True)
class Project:
    """The metadata of Cargo.toml, with the values that an owner sets through the environment."""

    version: str
    licence: str
    summary: str
    keywords: tuple[str, ...]
    # The address of the repository, without a slash at the end; None until an owner sets it.
    repository: str | None
    maintainer: str

    @property
    def download_address(self) -> str | None:
        """Returns the address below which the files of this version's release are."""
        return self.repository and f"{self.repository}/releases/download/v{self.version}"

    @property
    def server_name(self) -> str | None:
        """Returns the name in the MCP registry, which belongs to the owner of a GitHub repository."""
        match = re.fullmatch(r"https://github\.com/([^/]+)/[^/]+", self.repository or "")
        return match and f"io.github.{match[1]}/codedb"

    @property
    def image_name(self) -> str | None:
        """Returns the name of the container image in the registry of the GitHub repository."""
        match = re.fullmatch(r"https://github\.com/([^/]+)/[^/]+", self.repository or "")
        return match and f"ghcr.io/{match[1].lower()}/codedb"


def read_project() -> Project:
    """Reads Cargo.toml and the variables CODEDB_REPOSITORY and CODEDB_MAINTAINER."""
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    output = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    package = next(package for package in json.loads(output)["packages"] if package["name"] == "codedb")
    repository = os.environ.get("CODEDB_REPOSITORY") or package.get("repository")
    return Project(
        version=package["version"],
        licence=package["license"],
        summary=package["description"],
        keywords=tuple(package["keywords"]),
        repository=repository.removesuffix(".git").rstrip("/") if repository else None,
        maintainer=os.environ.get("CODEDB_MAINTAINER") or MAINTAINER,
    )


def read_description(project: Project) -> str:
    """Returns README.md for a registry; it ends with the mark by which the MCP registry checks the owner."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return f"{text}\n<!-- mcp-name: {project.server_name} -->\n" if project.server_name else text


def read_licences() -> dict[str, bytes]:
    """Returns codedb's own licence texts by file name."""
    return {name: (ROOT / name).read_bytes() for name in LICENCE_FILES}


def source_time() -> int:
    """Returns SOURCE_DATE_EPOCH: the time of every file in a package, in seconds. The default is 1980."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))


def source_date(format: str) -> str:
    """Returns the source time in UTC, as `time.strftime` formats it."""
    return time.strftime(format, time.gmtime(source_time()))
