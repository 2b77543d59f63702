"""Archives whose bytes depend only on their files: fixed times, owners, modes and order.

gzip and zip are compressed by the zlib that Python is linked with; another version of it may write other,
equivalent bytes.
"""

import gzip
import io
import lzma
import tarfile
import time
import zipfile
from dataclasses import dataclass

from project import source_time


@dataclass(frozen=True)
class File:
    """A file of a package."""

    path: str
    data: bytes
    is_program: bool = False

    @property
    def mode(self) -> int:
        return 0o755 if self.is_program else 0o644


@dataclass(frozen=True)
class Folder:
    """A folder of a package. `owner` is the number of its user and group."""

    path: str
    mode: int = 0o755
    owner: int = 0


def tar(files: list[File], folders: list[Folder] | tuple = (), prefix: str = "") -> bytes:
    """Returns an archive of the folders, then of the files, each in the order of their paths."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for folder in sorted(folders, key=lambda folder: folder.path):
            info = entry(prefix + folder.path, folder.mode, tarfile.DIRTYPE)
            info.uid = info.gid = folder.owner
            archive.addfile(info)
        for file in sorted(files, key=lambda file: file.path):
            info = entry(prefix + file.path, file.mode, tarfile.REGTYPE)
            info.size = len(file.data)
            archive.addfile(info, io.BytesIO(file.data))
    return buffer.getvalue()


def entry(path: str, mode: int, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(path)
    info.mode, info.type, info.mtime = mode, kind, source_time()
    return info


def folders_of(files: list[File]) -> list[Folder]:
    """Returns every folder that contains a file."""
    found = set()
    for file in files:
        parts = file.path.split("/")[:-1]
        found.update("/".join(parts[:end]) for end in range(1, len(parts) + 1))
    return [Folder(path) for path in found]


def gz(data: bytes, level: int = 9) -> bytes:
    compressed = bytearray(gzip.compress(data, level, mtime=0))
    # The byte for the operating system differs between versions of Python; 255 is "unknown".
    compressed[9] = 255
    return bytes(compressed)


def xz(data: bytes, level: int = 9) -> bytes:
    return lzma.compress(data, preset=min(level, 9))


def zip_archive(files: list[File], level: int = 9) -> bytes:
    """Returns a zip archive of the files in the given order."""
    buffer = io.BytesIO()
    date = time.gmtime(max(source_time(), 315532800))[:6]
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for file in files:
            info = zipfile.ZipInfo(file.path, date)
            info.compress_type = zipfile.ZIP_DEFLATED
            # Unix, a regular file.
            info.create_system = 3
            info.external_attr = (0o100000 | file.mode) << 16
            archive.writestr(info, file.data)
    return buffer.getvalue()


def ar(members: list[tuple[str, bytes]]) -> bytes:
    """Returns an archive in the common format of `ar`, which Debian packages are."""
    parts = [b"!<arch>\n"]
    for name, data in members:
        header = f"{name:<16}{source_time():<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n"
        parts += [header.encode(), data, b"\n" * (len(data) % 2)]
    return b"".join(parts)
