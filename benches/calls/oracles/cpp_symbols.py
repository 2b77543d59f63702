"""Lists the definitions of a C++ tree, by clangd's symbols of each document.

Run in the root of a tree with a compile_commands.json: python3 cpp_symbols.py [CLANGD] > list
Opens each source and header file, and prints lines `PATH TAB LINE TAB NAME TAB LAST_LINE` for functions, methods,
types, aliases, enumerations and variables at namespace scope; with `--members`, also fields and enumerators. A type
that is only declared (`class A;`) is not listed, nor are what a macro expands to, macros themselves, which clangd 14
does not report, code of inactive branches of `#if`, and files in which clangd finds errors, whose number is printed
at the end. LINE is that of the name.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys

SUFFIXES = {".h", ".hh", ".hpp", ".hxx", ".cc", ".cpp", ".cxx", ".c++", ".inl"}
CLASS, METHOD, FIELD, CONSTRUCTOR, ENUM, INTERFACE, FUNCTION, VARIABLE = 5, 6, 8, 9, 10, 11, 12, 13
NAMESPACE, ENUMERATOR, STRUCT, OPERATOR = 3, 22, 23, 25
TYPES = {CLASS, ENUM, INTERFACE, STRUCT}
CALLABLE = {METHOD, CONSTRUCTOR, FUNCTION, OPERATOR}
OPEN_MAX = 16


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.last = 0
        self.diagnostics = {}

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit("the server has ended")
            if line.strip() == b"":
                break
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            of = message["params"]
            self.diagnostics[of["uri"]] = [it for it in of["diagnostics"] if it.get("severity") == 1]
        return message

    def request(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.last and "method" not in message:
                return message.get("result")


def last_name(name):
    """Returns the last part of a qualified name, without type arguments."""
    level, start = 0, 0
    at = name.find("operator")
    end = at if at >= 0 and (at == 0 or name[at - 1] in ":> ") else len(name)
    for place in range(end):
        level += {"<": 1, ">": -1}.get(name[place], 0)
        if name.startswith("::", place) and level == 0:
            start = place + 2
    last = name[start:]
    return last if end < len(name) else last.split("<")[0]


def is_only_declared(symbol, text):
    """Returns true for `class A;`."""
    of = symbol["range"]
    lines = text[of["start"]["line"] : of["end"]["line"] + 1]
    written = " ".join(lines)
    is_alias = any(word in written for word in ("using", "typedef"))
    return symbol["kind"] in TYPES and "{" not in written and not is_alias


def is_expanded(symbol, text):
    """Returns true if the name is not written where the symbol is."""
    line = text[symbol["selectionRange"]["start"]["line"]]
    name = last_name(symbol["name"]).lstrip("~")
    return name not in line and not name.startswith("operator") and not name.startswith("(")


def listed(symbols, text, has_members, is_local, rows):
    for symbol in symbols:
        kind = symbol["kind"]
        name = last_name(symbol["name"])
        is_wanted = (
            kind in CALLABLE
            or kind in TYPES
            or kind == VARIABLE
            or has_members and kind in (FIELD, ENUMERATOR)
        )
        is_named = name and not name.startswith("(") and not is_local
        if is_wanted and is_named and not is_only_declared(symbol, text) and not is_expanded(symbol, text):
            line = symbol["selectionRange"]["start"]["line"] + 1
            rows.append((line, name, max(line, symbol["range"]["start"]["line"] + 1)))
        children = symbol.get("children", [])
        listed(children, text, has_members, is_local or kind in CALLABLE, rows)


def main():
    arguments = [it for it in sys.argv[1:] if it != "--members"]
    has_members = "--members" in sys.argv
    root = pathlib.Path(".").resolve()
    server = Server((arguments or ["clangd -j=2 --background-index=false"])[0].split())
    hierarchy = {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}
    server.request(
        "initialize", {"processId": os.getpid(), "rootUri": root.as_uri(), "capabilities": {"textDocument": hierarchy}}
    )
    server.send({"method": "initialized", "params": {}})
    failed = 0
    opened = collections.deque()
    for path in sorted(it for it in root.rglob("*") if it.suffix in SUFFIXES and it.is_file()):
        text = path.read_text(errors="replace")
        uri = path.as_uri()
        document = {"uri": uri, "languageId": "cpp", "version": 1, "text": text}
        server.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        opened.append(uri)
        symbols = server.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) or []
        while uri not in server.diagnostics:
            server.receive()
        if len(opened) > OPEN_MAX:
            gone = {"textDocument": {"uri": opened.popleft()}}
            server.send({"method": "textDocument/didClose", "params": gone})
        if server.diagnostics[uri]:
            failed += 1
            continue
        rows = []
        listed(symbols, text.splitlines() + [""], has_members, False, rows)
        for line, name, end in sorted(set(rows)):
            print(path.relative_to(root), line, name, end, sep="\t")
    print(f"{failed} files have errors", file=sys.stderr)
    server.process.kill()


main()
