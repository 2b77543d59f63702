"""The two facts about a Linux program that packages state: how it is linked, and the glibc it needs.

It reads 64-bit little-endian ELF files, which all targets on Linux are, and nothing else of them.
"""

import re
import struct
from dataclasses import dataclass

PT_INTERP = 3
SHT_VERNEED = 0x6FFFFFFE


@dataclass(frozen=True)
class Elf:
    """A program for Linux."""

    # No dynamic linker: the program runs on any Linux of its architecture.
    is_static: bool
    # The highest version of glibc's symbols that the program needs; (0, 0) if it needs none.
    glibc_version: tuple[int, int]


def read_elf(data: bytes) -> Elf | None:
    """Returns None for a program in another format (macOS, Windows)."""
    if data[:6] != b"\x7fELF\x02\x01":
        return None
    return Elf(PT_INTERP not in program_header_types(data), glibc_version(data))


def program_header_types(data: bytes) -> list[int]:
    (offset,) = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    return [struct.unpack_from("<I", data, offset + index * size)[0] for index in range(count)]


def glibc_version(data: bytes) -> tuple[int, int]:
    """Returns the highest `GLIBC_x.y` in the table of needed versions."""
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [table + index * size for index in range(count)]
    versions = [(0, 0)]
    for section in sections:
        (kind,) = struct.unpack_from("<I", data, section + 4)
        if kind == SHT_VERNEED:
            offset, length = struct.unpack_from("<QQ", data, section + 24)
            (link,) = struct.unpack_from("<I", data, section + 40)
            (strings,) = struct.unpack_from("<Q", data, sections[link] + 24)
            names = needed_names(data, offset, length, strings)
            found = [re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", name) for name in names]
            versions += [(int(match[1]), int(match[2])) for match in found if match]
    return max(versions)


def needed_names(data: bytes, offset: int, length: int, strings: int) -> list[str]:
    """Returns the names of all versions in a `.gnu.version_r` section (Elf64_Verneed, Elf64_Vernaux)."""
    names = []
    entry = offset
    while offset <= entry < offset + length:
        _, count, _, first, following = struct.unpack_from("<HHIII", data, entry)
        version = entry + first
        for _ in range(count):
            name, next_version = struct.unpack_from("<II", data, version + 8)
            start = strings + name
            names.append(data[start : data.index(b"\0", start)].decode())
            version += next_version
        if following == 0:
            break
        entry += following
    return names
