"""Starts the program `codedb` of this distribution: `uvx codedb-cli`, `python -m codedb_cli`."""

import os
import subprocess
import sys
import sysconfig


def find_program():
    """Returns the path of the program: beside the script that was started, or where scripts are installed."""
    name = "codedb.exe" if os.name == "nt" else "codedb"
    user = sysconfig.get_preferred_scheme("user") if hasattr(sysconfig, "get_preferred_scheme") else os.name + "_user"
    folders = [
        os.path.dirname(os.path.abspath(sys.argv[0])),
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=user),
    ]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    sys.exit("codedb-cli: the program `codedb` is not installed; repair it with `pip install --force-reinstall codedb-cli`")


def main():
    """Replaces this process, so that signals, the exit code and the standard streams are the program's own."""
    program = find_program()
    if os.name != "nt":
        os.execv(program, [program, *sys.argv[1:]])
    # Windows has no exec. The console sends Ctrl-C to both processes; the program decides what it means.
    child = subprocess.Popen([program, *sys.argv[1:]])
    while True:
        try:
            sys.exit(child.wait())
        except KeyboardInterrupt:
            continue


if __name__ == "__main__":
    main()
