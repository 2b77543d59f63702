"""Compares the definitions of codedb with a list that a compiler made.

Run in the root of an indexed tree: python3 definitions.py CODEDB < list
The list has lines `PATH TAB LINE TAB NAME [TAB LAST_LINE]`, where lines count from 1 (c_symbols.py and rust_items.py
print such lists). A definition is found if `codedb outline --json PATH` lists one of that name on one of these lines.
Prints those that are missing, and the share.
"""

import json
import subprocess
import sys


def outline(codedb, path):
    found, offset = [], 0
    while True:
        command = [codedb, "outline", "--json", "--max-results", "5000", "--offset", str(offset), path]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            return found
        reply = json.loads(run.stdout)
        found += reply["symbols"]
        offset += reply["shown"]
        if reply["shown"] == 0 or offset >= reply["total"]:
            return found


def main():
    wanted = {}
    for row in sys.stdin:
        path, line, name, *last = row.rstrip("\n").split("\t")
        wanted.setdefault(path, set()).add((int(line), int(last[0]) if last else int(line), name))
    total = missing = 0
    for path, definitions in sorted(wanted.items()):
        symbols = {}
        for symbol in outline(sys.argv[1], path):
            symbols.setdefault(symbol["name"], []).append((symbol["line"], symbol["end_line"]))
        for line, end, name in sorted(definitions):
            total += 1
            # Compilers return the line of the name, or that of the first attribute or the result.
            if not any(first - 4 <= end and line <= last + 1 for first, last in symbols.get(name, [])):
                missing += 1
                print(f"missing {name} at {path}:{line}")
    share = 100 * (total - missing) / max(total, 1)
    print(f"{total - missing} of {total} definitions found, {share:.1f} %")


main()
