"""Lists the functions and variables that the files of a C tree define, by the symbols of their objects.

Run in the root of the tree: python3 c_symbols.py DIR FLAG... > list
Compiles each `.c` file below DIR with gcc and the flags, and reads the symbols with nm, whose lines come from the
debugging information. Unused static and inline functions are kept. A file that does not compile is left out. Prints
lines `PATH TAB LINE TAB NAME` for definitions in files of the tree; code of inactive branches of `#if` is not listed.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    root = os.path.realpath(".")
    listed, failed = set(), 0
    flags = ["-c", "-g", "-O0", "-w", "-fkeep-static-functions", "-fkeep-inline-functions", *sys.argv[2:]]
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.c")):
            output = os.path.join(scratch, "out.o")
            compiled = subprocess.run(["gcc", *flags, str(path), "-o", output], capture_output=True)
            if compiled.returncode != 0:
                failed += 1
                continue
            symbols = subprocess.run(["nm", "--defined-only", "-l", output], capture_output=True, text=True)
            for row in symbols.stdout.splitlines():
                match = re.match(r"\S+ ([TtDdBbRrCVW]) (\S+)\t(.+):(\d+)$", row)
                if not match or "." in match[2]:
                    continue
                there = os.path.realpath(match[3])
                if there.startswith(root + "/") and match[2] != "__func__":
                    listed.add((os.path.relpath(there, root), int(match[4]), match[2]))
    for path, line, name in sorted(listed):
        print(path, line, name, sep="\t")
    print(f"{failed} files do not compile", file=sys.stderr)


main()
