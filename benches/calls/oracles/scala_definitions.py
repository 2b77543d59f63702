"""Resolves call sites in Scala sources with the SemanticDB of the compiler.

Run in the root of the tree: python3 scala_definitions.py DIRECTORY < sites > answers
DIRECTORY has the files `*.semanticdb` that `scalac -Yrangepos -Xplugin:semanticdb-scalac.jar
-P:semanticdb:sourceroot:ROOT -P:semanticdb:synthetics:on -P:semanticdb:targetroot:DIRECTORY` writes. Sites are lines
`PATH TAB BYTE TAB NAME`. Answers are lines `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`, where LINE counts from 0 and the path
is `-` for a definition outside of the tree. Sites that the compiler does not list have no answer.

A call of an object means its method `apply`; if the compiler makes it, the class of that name. A call of another value
means the value and its `apply`. An assignment through a setter that the compiler makes means the variable. Where the compiler
makes a block for arguments with names, it may list only a value of its own, which is no answer.
"""

import pathlib
import re
import sys

DEFINITION = 2
OBJECT = 10


def fields(data):
    """Returns the numbers and values of a message in the encoding of protocol buffers."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                return value

    found = []
    while at < len(data):
        key = number()
        kind = key & 7
        if kind == 0:
            found.append((key >> 3, number()))
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            size = number()
            found.append((key >> 3, data[at : at + size]))
            at += size
    return found


def start_of(data):
    """Returns the line and the column at which a range starts."""
    numbers = dict(fields(data))
    return (numbers.get(1, 0), numbers.get(2, 0))


def end_of(data):
    numbers = dict(fields(data))
    return (numbers.get(3, 0), numbers.get(4, 0))


def applied(tree):
    """Returns the symbol of the member that the compiler adds to a name: `Name` is `Name.apply`."""
    for kind, value in fields(tree):
        if kind == 7:  # A selection: its qualifier and its name.
            parts = dict(fields(value))
            return dict(fields(parts.get(2, b""))).get(1, b"").decode()
        if kind in (1, 8):  # An application, of values or of types: the first field is what is applied.
            return applied(dict(fields(value)).get(1, b""))
    return ""


def main():
    places, references, applications, objects = {}, {}, {}, set()
    for file in sorted(pathlib.Path(sys.argv[1]).rglob("*.semanticdb")):
        for _, document in (it for it in fields(file.read_bytes()) if it[0] == 1):
            parts = fields(document)
            path = next(value.decode() for kind, value in parts if kind == 2)
            for kind, value in parts:
                if kind == 5:  # A symbol: name, kind.
                    symbol = dict(fields(value))
                    if symbol.get(3) == OBJECT:
                        objects.add(symbol[1].decode())
                if kind == 6:  # An occurrence: range, symbol, role.
                    occurrence = dict(fields(value))
                    start = start_of(occurrence.get(1, b""))
                    symbol = occurrence[2].decode()
                    if symbol.startswith("local"):
                        symbol = f"{path} {symbol}"
                    if occurrence.get(3) == DEFINITION:
                        places.setdefault(symbol, (path, start[0]))
                    else:
                        references.setdefault((path, *start), []).append(symbol)
                if kind == 12:  # A synthetic: range, tree.
                    synthetic = dict(fields(value))
                    symbol = applied(synthetic.get(2, b""))
                    if re.search(r"[./#]apply\(", symbol):
                        applications[(path, *end_of(synthetic.get(1, b"")))] = symbol
    sources = {}
    for row in sys.stdin:
        path, byte, name = row.rstrip("\n").split("\t")
        text = sources.setdefault(path, pathlib.Path(path).read_bytes())
        before = text[: int(byte)]
        line = before.count(b"\n")
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace").encode("utf-16-le")) // 2
        symbols = references.get((path, line, column), [])
        symbol = applications.get((path, line, column + len(name)))
        # Without arguments of its own, `apply` belongs to a name that ends there.
        if symbol and symbols:
            symbols = [symbol, *(it for it in symbols if it in places and it not in objects)]
        found = set()
        for symbol in symbols:
            if re.search(r" local\d+$", symbol) and symbol not in places:
                continue
            owner = re.sub(r"\.(apply|unapply)\((\+\d+)?\)\.$", "", symbol)
            made = places.get(f"{owner}#") if owner != symbol else None
            variable = re.sub(r"`(.+)_=`\(\)\.$", r"\1().", symbol)
            found.add(places.get(symbol) or made or places.get(variable) or ("-", 0))
        if len(found) > 1:
            found.discard(("-", 0))
        for there, at in sorted(found):
            print(path, byte, there, at, sep="\t")


main()
