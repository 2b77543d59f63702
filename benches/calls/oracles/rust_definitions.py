"""Resolves call sites in a Rust crate with the compiler's typed tree (THIR).

Run in the root of a crate without dependencies: python3 rust_definitions.py EDITION [FEATURE...] < sites > answers
If the crate's tests have dependencies, the tests are left out, and sites in them have no answer. Sites are lines
`PATH TAB BYTE TAB NAME`. Answers are lines `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`, where LINE counts from 0
and the path is `-` for a definition outside of the crate.

Macros and tuple constructors are not calls in that tree and have no answer. A call of a trait's method on a type
that implements the trait has two answers: the declaration and the implementation; of a derived one the type.
"""

import bisect
import pathlib
import re
import subprocess
import sys

FN = re.compile(r"ty: FnDef\(DefId\((\d+):(\d+) ~ (.*)\), \[(.*)\]\)$")
SPAN = re.compile(r"span: (\S+\.rs):(\d+):(\d+): (\d+):(\d+) ")
NOTATION = re.compile(r"^\s*fn \w+\(((&(mut )?)?self)?(,? ?\w+)*\) \{$")
PRIMITIVES = {f"{kind}{size}" for kind in "iu" for size in (8, 16, 32, 64, 128, "size")} | {"f32", "f64"}
BODY = re.compile(r"DefId\(0:(\d+) ~ (.*)\):$")


def tree(edition, features):
    flags = [f'--cfg=feature="{feature}"' for feature in features]
    command = ["rustc", "+nightly", "--edition", edition, "--crate-name", "it", "src/lib.rs"]
    for kind in (["--test"], ["--crate-type", "lib"]):
        # Names that the compiler prints shortened would be cut out of the middle.
        flags_all = [*kind, *flags, "-Awarnings", "-Zunpretty=thir-tree"]
        run = subprocess.Popen([*command, *flags_all], stdout=subprocess.PIPE, text=True)
        yield from run.stdout
        if run.wait() == 0:
            return


class Source:
    def __init__(self, path):
        self.bytes = pathlib.Path(path).read_bytes()
        self.lines = self.bytes.decode("utf-8", "replace").split("\n")
        self.starts = [0]
        for line in self.bytes.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def byte(self, line, column):
        text = self.lines[line - 1][: column - 1]
        return self.starts[line - 1] + len(text.encode())

    def line_before(self, pattern, line):
        """Returns the nearest line at or before `line` (from 1) that matches `pattern`, from 0."""
        for at in range(min(line, len(self.lines)) - 1, max(-1, line - 400), -1):
            if re.search(pattern, self.lines[at]):
                return at
        return None


def main():
    sources = {}
    requested = {}
    for row in sys.stdin:
        path, byte, name = row.rstrip("\n").split("\t")
        requested.setdefault(path, []).append((int(byte), name))
    for sites in requested.values():
        sites.sort()

    def source(path):
        if path not in sources:
            sources[path] = Source(path)
        return sources[path]

    bodies, found, pending, body = {}, [], None, None
    for row in tree(sys.argv[1], sys.argv[2:]):
        row = row.strip()
        if match := BODY.match(row):
            body, awaits = match.groups(), False
        elif row == "body:":
            awaits = True
        elif match := FN.match(row):
            pending = match.groups()
        elif match := SPAN.match(row):
            path, *ends = match.groups()
            ends = [int(end) for end in ends]
            if body and awaits:
                bodies[body[0]] = (body[1], path, ends[0])
                body = None
            if pending and path in requested:
                found.append((pending, path, ends))
            pending = None

    def written(path, at, name):
        """Returns the place of a function whose body begins after its head at a line.

        Where a macro receives the body in a notation of its own (`fn name(&self, other) {`), the function
        is the one that the macro writes with it, as `rustc -Zmacro-backtrace` shows.
        """
        if not NOTATION.search(source(path).lines[at]):
            return [(path, at)]
        places = []
        for there in map(str, sorted(pathlib.Path("src").rglob("*.rs"))):
            lines = source(there).lines
            heads = (number for number, line in enumerate(lines) if re.search(rf"\bfn {name}\(", line))
            places += [(there, number) for number in heads if [line.strip() for line in lines[number + 1 : number + 2]] == [f"${name}_body"]]
        return places or [(path, at)]

    def defining(number, full):
        name = full.rsplit("::", 1)[-1]
        if number in bodies:
            _, path, line = bodies[number]
            at = source(path).line_before(rf"\bfn {re.escape(name)}\b", line)
            return written(path, at, name) if at is not None else []
        parts = full.split("::")
        for path in map(str, sorted(pathlib.Path("src").rglob("*.rs"))):
            lines = source(path).lines
            for at, line in enumerate(lines):
                if len(parts) > 1 and re.search(rf"\btrait {re.escape(parts[-2])}\b", line):
                    for inner in range(at, len(lines)):
                        if re.search(rf"\bfn {re.escape(name)}\b", lines[inner]):
                            return [(path, inner)]
        return []

    def type_name(text):
        text = re.sub(r"<.*", "", text.replace("&", "")).split("::")[-1].strip()
        return text.replace("'{erased} ", "").replace("mut ", "")

    derives = {}

    def derived(name, own):
        """Returns the places of the types `own` that derive the trait `name`."""
        if not derives:
            for path in map(str, sorted(pathlib.Path("src").rglob("*.rs"))):
                lines, traits = source(path).lines, set()
                for at, line in enumerate(lines):
                    if match := re.match(r"\s*#\[derive\((.*)\)\]", line):
                        traits |= {part.split("::")[-1].strip() for part in match[1].split(",")}
                    elif match := re.match(r"\s*(?:pub(?:\(.*?\))? )?(?:struct|enum|union) (\w+)", line):
                        for each in traits:
                            derives.setdefault((each, match[1]), []).append((path, at))
                        traits = set()
                    elif line.strip() and not line.strip().startswith(("#", "//")):
                        traits = set()
            derives.setdefault((), [])
        return derives.get((name, own), [])

    def implementations(full, given):
        parts = full.split("::")
        types = given.split(", ")
        own = type_name(types[0])
        found = list(derived(parts[-2], own)) if len(parts) > 1 else []
        yield from found
        for name, path, line in bodies.values():
            if not (name.endswith("::" + parts[-1]) and "{impl#" in name):
                continue
            at = source(path).line_before(rf"\bfn {re.escape(parts[-1])}\b", line)
            header = source(path).line_before(r"^\s*(unsafe )?impl\b", line)
            text = source(path).lines[header] if header is not None else ""
            # The argument of the trait, where a type implements it for several: `impl Add<A> for B`.
            argument = re.search(rf"\b{re.escape(parts[-2])}<([^<>]*)> for ", text)
            if len(types) == 2 and "'" not in types[1] and own in PRIMITIVES and type_name(types[1]) in PRIMITIVES:
                if type_name(argument[1] if argument else own) not in (type_name(types[1]), "Self"):
                    continue
            if at is not None and re.search(rf"\b{re.escape(parts[-2])}\b.* for (?:[&*]|mut |dyn |'\w+ |\w+::)*{re.escape(own)}(?!\w|::)", text):
                yield path, at

    for (crate, number, full, given), path, (line, column, end_line, end_column) in found:
        start, end = source(path).byte(line, column), source(path).byte(end_line, end_column)
        name = full.rsplit("::", 1)[-1]
        sites = requested[path]
        for byte, called in sites[bisect.bisect_left(sites, (start, "")):]:
            if byte >= end:
                break
            if called != name:
                continue
            if crate != "0":
                places = [("-", 0)]
                places += implementations(full, given) if given and "::" in full else []
            else:
                places = defining(number, full)
                if "{impl" not in full and given:
                    places += implementations(full, given)
            for there, at in places:
                print(path, byte, there, at, sep="\t")


main()
