"""Lists the calls of a workspace's functions with the number of re-exports between call and definition.

Run in the root of the tree: python3 rust_chains.py > calls. Answers are lines
`PATH TAB BYTE TAB DEFINING_PATH TAB LINE TAB NAME TAB HOPS`: the call's name starts at BYTE, the `fn` stands at LINE,
from 0, and HOPS declarations `use` re-export the name or a module of its path, without the one in the calling module.

The oracle resolves paths as the reference of Rust describes it, in all files that a crate's `mod` declarations reach:
block, module, explicit imports, wildcard imports, crates. It knows only functions at module level. It gives no answer
where it cannot be certain: for a name that several items or wildcards provide with different results (such as
variants of `#[cfg]`), that a variable of the function has too, that a macro produces, or a path through a type.
"""

import bisect
import pathlib
import re
import sys
import tomllib

TOKEN = re.compile(
    r"""//[^\n]*|/\*|b?r(?P<hash>\#*)"[\s\S]*?"(?P=hash)|b?c?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\(?:[^u]|u\{[^}]*\})[^']*|[^\\'\n])'"""
    r"""|'[A-Za-z_]\w*|r\#[A-Za-z_]\w*|[A-Za-z_]\w*|\d[\w.]*|::|->|=>|[^\s\w]""",
)
WORD = re.compile(r"[A-Za-z_]\w*$")
ITEMS = {"struct", "enum", "union", "trait", "type", "static", "const"}


def tokens(text):
    """Returns (token, start) without comments and literals."""
    found, at = [], 0
    while match := TOKEN.search(text, at):
        token, start = match.group(), match.start()
        at = match.end()
        if token == "/*":
            depth = 1
            while depth and (inner := re.compile(r"/\*|\*/").search(text, at)):
                depth += 1 if inner.group() == "/*" else -1
                at = inner.end()
        elif token.startswith("//"):
            pass
        elif WORD.match(token) or len(token) <= 2 and not token[0].isdigit() and token[-1] not in "'\"":
            found.append((token, start))
        elif token.startswith("r#") and '"' not in token:
            found.append((token[2:], start + 2))
        else:
            found.append(("0", start))
    return found


class Module:
    def __init__(self, crate, parent, name, file):
        self.crate, self.parent, self.name, self.file = crate, parent, name, file
        self.modules, self.functions, self.others, self.uses, self.globs = {}, {}, set(), {}, []


class File:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text(encoding="utf-8", errors="replace")
        self.tokens = tokens(self.text)
        self.match, stack = {}, []
        for at, (token, _) in enumerate(self.tokens):
            if token in "([{":
                stack.append(at)
            elif token in ")]}" and stack:
                self.match[stack.pop()] = at
        self.newlines = [at for at, char in enumerate(self.text) if char == "\n"]
        self.is_ascii = self.text.isascii()

    def byte(self, start):
        return start if self.is_ascii else len(self.text[:start].encode())

    def line(self, start):
        return bisect.bisect_left(self.newlines, start)


def use_tree(tokens, at, end, prefix, out):
    """Reads one tree of a `use` from `at`; appends (path, name) with name `*` for a wildcard."""
    path = list(prefix)
    while at < end:
        token = tokens[at][0]
        if token == "{":
            at += 1
            while at < end and tokens[at][0] != "}":
                at = use_tree(tokens, at, end, path, out)
                if at < end and tokens[at][0] == ",":
                    at += 1
            return at + 1
        if token == "*":
            out.append((tuple(path), "*"))
            return at + 1
        if token in (",", "}", ";"):
            break
        if token == "as":
            out.append((tuple(path), tokens[at + 1][0]))
            return at + 2
        if token != "::":
            path.append(token)
        elif not path:
            path.append("::")
        at += 1
    if path:
        if path[-1] == "self":
            path.pop()
        if path:
            out.append((tuple(path), path[-1]))
    return at


class Reader:
    def __init__(self):
        self.calls, self.seen = [], set()

    def file(self, path, module, directory):
        path = path.resolve()
        if path in self.seen or not path.is_file():
            return
        self.seen.add(path)
        file = File(path)
        module.file = path
        self.items(file, 0, len(file.tokens), module, directory)

    def items(self, file, at, end, module, directory):
        row, path_attribute = file.tokens, None
        while at < end:
            token = row[at][0]
            following = row[at + 1][0] if at + 1 < end else ""
            if token == "#" and (following == "[" or following == "!"):
                bracket = at + 1 if following == "[" else at + 2
                start = row[bracket][1]
                stop = file.match.get(bracket, bracket)
                quoted = re.search(r'path\s*=\s*"([^"]*)"', file.text[start : row[stop][1]])
                path_attribute = quoted.group(1) if quoted else path_attribute
                at = stop + 1
                continue
            if token == "mod" and WORD.match(following):
                child = module.modules.setdefault(following, Module(module.crate, module, following, None))
                if row[at + 2][0] == "{":
                    stop = file.match.get(at + 2, end)
                    self.items(file, at + 3, stop, child, directory / following)
                    at = stop
                else:
                    below = file.path.parent if path_attribute else directory
                    names = [path_attribute] if path_attribute else [f"{following}.rs", f"{following}/mod.rs"]
                    for name in names:
                        own = below / following if not path_attribute else (below / name).parent
                        self.file(below / name, child, own)
                path_attribute = None
            elif token == "use":
                stop = next((it for it in range(at, end) if row[it][0] == ";"), end)
                self.use(row, at + 1, stop, module)
                at = stop
            elif token == "fn" and WORD.match(following):
                module.functions.setdefault(following, []).append((file.path, file.line(row[at][1])))
                body = at
                while body < end and row[body][0] not in "{;":
                    body = file.match.get(body, body) + 1
                stop = file.match.get(body, body)
                self.body(file, at + 2, stop, module)
                at = stop
            elif token in ITEMS and WORD.match(following):
                module.others.add(following)
                at = self.skip(file, at, end, module)
            elif token == "impl":
                at = self.skip(file, at, end, module)
            elif token == "macro_rules":
                while at < end and row[at][0] not in "{(":
                    at += 1
                at = file.match.get(at, at)
            elif WORD.match(token) and following == "!":
                opens = at + 2
                if opens < end and row[opens][0] in "{(":
                    stop = file.match.get(opens, opens)
                    if token.startswith(("cfg_", "feature")):
                        self.items(file, opens + 1, stop, module, directory)
                    at = stop
            at += 1

    def skip(self, file, at, end, module):
        """Returns the end of an item, and reads the bodies of functions in it."""
        row = file.tokens
        opens = at
        while opens < end and row[opens][0] not in "{;":
            opens = file.match.get(opens, opens) + 1 if row[opens][0] in "([" else opens + 1
        stop = file.match.get(opens, opens)
        inner = opens
        while inner < stop:
            if row[inner][0] == "fn" and WORD.match(row[inner + 1][0]):
                body = inner
                while body < stop and row[body][0] not in "{;":
                    body = file.match.get(body, body) + 1
                close = file.match.get(body, body)
                self.body(file, inner + 2, close, module)
                inner = close
            inner += 1
        return stop

    def use(self, row, at, stop, module):
        found = []
        use_tree(row, at, stop, (), found)
        for path, name in found:
            if name == "*":
                module.globs.append(path)
            else:
                module.uses.setdefault(name, set()).add(path)

    def body(self, file, start, stop, module):
        row, bound, local = file.tokens, set(), Module(module.crate, module, "", file.path)
        found = []
        for at in range(start, stop):
            token = row[at][0]
            if token == "use":
                end = next((it for it in range(at, stop) if row[it][0] == ";"), stop)
                self.use(row, at + 1, end, local)
            if not WORD.match(token):
                continue
            before = row[at - 1][0]
            after = row[at + 1][0] if at + 1 < stop else ""
            if before == "fn" or before in ("let", "mut", "ref", "|") or after in (":", "|", "@") and before in "(,|&{":
                bound.add(token)
            if before in "(," and after in ",)" and not token.isupper():
                # May be a pattern; a name that is passed on is no binding of it, but costs only an answer.
                bound.add(token) if self.is_pattern(row, at, start) else None
            call = at + 1
            if after == "::" and call + 1 < stop and row[call + 1][0] == "<":
                depth, call = 0, call + 1
                while call < stop:
                    depth += {"<": 1, ">": -1}.get(row[call][0], 0)
                    call += 1
                    if not depth:
                        break
            if call < stop and row[call][0] == "(" and before not in (".", "fn"):
                path, first = [token], at
                while first >= 2 and row[first - 1][0] == "::" and WORD.match(row[first - 2][0]):
                    first -= 2
                    path.insert(0, row[first][0])
                if row[first - 1][0] not in ("::", "."):
                    found.append((path, row[at][1]))
        for path, start_of_name in found:
            if path[0] not in bound:
                self.calls.append((file, module, local, path, start_of_name))

    def is_pattern(self, row, at, start):
        """Returns true if a list of names in parentheses is followed by `=`, `in` or `|`, as patterns are."""
        depth = 0
        for it in range(at, min(at + 60, len(row))):
            token = row[it][0]
            depth += {"(": 1, ")": -1}.get(token, 0)
            if depth < 0 and token == ")" and it + 1 < len(row):
                if row[it + 1][0] in ("=", "in", "=>", "|", "if"):
                    return True
        return False


def shortest(found):
    """Returns each target once, with its shortest chain."""
    best = {}
    for kind, to, hops in found:
        best[kind, to] = min(hops, best.get((kind, to), hops))
    return {(kind, to, hops) for (kind, to), hops in best.items()}


class Resolver:
    def __init__(self, crates):
        self.crates, self.known = crates, {}

    def name(self, module, name, kinds):
        """Returns the set of (kind, target, hops) that `name` stands for in a module."""
        key = (module, name, kinds)
        if key not in self.known:
            # A look-up that leads back to itself adds nothing.
            self.known[key] = set()
            self.known[key] = self.look_up(module, name, kinds)
        return self.known[key]

    def look_up(self, module, name, kinds):
        found = set()
        if "module" in kinds and name in module.modules:
            found.add(("module", module.modules[name], 0))
        if "function" in kinds:
            if name in module.functions:
                found.add(("function", tuple(module.functions[name]), 0))
            elif name in module.others:
                found.add(("other", (module, name), 0))
        for path in module.uses.get(name, ()):
            found |= {(kind, to, hops + 1) for kind, to, hops in self.path(module, path, kinds)}
        if found:
            return found
        for path in module.globs:
            for _, target, hops in self.path(module, path, ("module",)):
                inside = self.name(target, name, kinds)
                found |= {(kind, to, more + hops + 1) for kind, to, more in inside}
        return shortest(found)

    def path(self, module, path, kinds):
        """Returns what a path stands for, seen from a module."""
        path, start = list(path), None
        if path[0] == "::":
            path.pop(0)
            start = {("module", self.crates[path[0]], 0)} if path and path[0] in self.crates else set()
            path = path[1:]
        elif path[0] == "crate":
            start = {("module", module.crate, 0)}
            path.pop(0)
        elif path[0] in ("self", "super"):
            at = module
            while path and path[0] in ("self", "super"):
                if path.pop(0) == "super":
                    at = at.parent
                    if at is None:
                        return set()
            start = {("module", at, 0)}
        if start is None:
            first = path.pop(0)
            start = self.name(module, first, kinds if not path else ("module",))
            if not start and first in self.crates:
                start = {("module", self.crates[first], 0)}
        for place, part in enumerate(path):
            following = set()
            wanted = kinds if place == len(path) - 1 else ("module",)
            for kind, target, hops in start:
                if kind == "module":
                    inside = self.name(target, part, wanted)
                    following |= {(kind, to, more + hops) for kind, to, more in inside}
            start = following
        return start

    def call(self, module, local, path):
        """Returns the function's places and the number of re-exports, or `None`."""
        scopes = [local, module] if path[0] in local.uses or local.globs else [module]
        for scope in scopes:
            if scope is local and len(path) == 1 and path[0] in module.functions and path[0] not in local.uses:
                continue
            base = scope if scope is module else local
            # A block's paths are seen from its module; only the first name can come from the block.
            found = self.path(base, path, ("module", "function"))
            found = {it for it in found if it[0] != "module"}
            if found:
                break
        targets = {(kind, to) for kind, to, _ in found}
        if len(targets) != 1:
            return None
        [(kind, places)] = targets
        if kind != "function" or len(places) != 1:
            return None
        hops = min(hops for _, _, hops in found)
        own = scope is local or path[0] in scope.uses or not (
            path[0] in scope.functions or path[0] in scope.modules or path[0] in ("crate", "self", "super", "::")
        ) and path[0] not in self.crates
        return places[0], max(0, hops - (1 if own else 0))


def main():
    root, crates, reader = pathlib.Path.cwd().resolve(), {}, Reader()
    targets = []
    for manifest in sorted(root.rglob("Cargo.toml")):
        data = tomllib.loads(manifest.read_text())
        name = data.get("package", {}).get("name")
        if not name:
            continue
        library = manifest.parent / data.get("lib", {}).get("path", "src/lib.rs")
        if library.is_file():
            module = Module(None, None, name, library)
            module.crate = module
            crates[data.get("lib", {}).get("name", name).replace("-", "_")] = module
            targets.append((library, module))
        for extra in ("src/main.rs", "tests/*.rs", "tests/*/main.rs", "benches/*.rs", "examples/*.rs"):
            for path in sorted(manifest.parent.glob(extra)):
                module = Module(None, None, path.stem, path)
                module.crate = module
                targets.append((path, module))
    for path, module in targets:
        reader.file(path, module, path.parent)
    resolver, rows = Resolver(crates), []
    for file, module, local, path, start in reader.calls:
        local.parent = module.parent
        local.modules = module.modules
        found = resolver.call(module, local, path)
        if found:
            (there, line), hops = found
            rows.append((str(file.path.relative_to(root)), file.byte(start), str(there.relative_to(root)), line, path[-1], hops))
    for row in sorted(set(rows)):
        # An import under another name is called by that name.
        print(*row, sep="\t")


sys.setrecursionlimit(20_000)
main()
