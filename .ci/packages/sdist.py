"""The source distribution for PyPI, which installers take where no wheel fits: it only states that.

It contains no sources, because a build takes minutes and needs Rust; whoever wants that calls cargo.
"""

from pathlib import Path

from archive import File, gz, tar
from build import Build
from project import PYPI_NAME, read_licences
from wheel import MODULE, metadata_text

BACKEND = Path(__file__).with_name("unsupported.py")
PYPROJECT = '[build-system]\nrequires = []\nbuild-backend = "unsupported"\nbackend-path = ["."]\n'


def write_source_distribution(build: Build) -> Path:
    """Writes the distribution and returns its path."""
    project, texts = build.project, read_licences()
    fields = f'\n[project]\nname = "{PYPI_NAME}"\nversion = "{project.version}"\n'
    files = [
        *(File(name, text) for name, text in texts.items()),
        File("PKG-INFO", metadata_text(project, sorted(texts)).encode()),
        File("pyproject.toml", (PYPROJECT + fields).encode()),
        File("unsupported.py", BACKEND.read_bytes()),
    ]
    name = f"{MODULE}-{project.version}"
    return build.write(f"{name}.tar.gz", gz(tar(files, prefix=f"{name}/"), build.level))
