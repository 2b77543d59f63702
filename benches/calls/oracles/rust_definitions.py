"""Resolves call sites in a Rust crate with the compiler's typed tree (THIR).

Run in the root of a crate: python3 rust_definitions.py EDITION [FEATURE...] [-FLAG...] < sites > answers
Arguments with a leading hyphen are flags for the compiler, such as `--extern=NAME=FILE` for a dependency, and
`--cfg=NAME` for what a build script sets. If the crate's tests do not compile, they are left out, and sites in them
have no answer. Sites are lines `PATH TAB BYTE TAB NAME`. Answers are lines `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`,
where LINE counts from 0 and the path is `-` for a definition outside of the crate.

Macros and tuple constructors are not calls in that tree and have no answer. A call of a trait's method on a type
that implements the trait has two answers: the declaration and the implementation; of a derived one the type. The
places of implementations come from the compiler's MIR. A call has no answer if several implementations fit.
"""

import bisect
import pathlib
import re
import subprocess
import sys

MIR = re.compile(r"^(?:const )?(?:unsafe )?fn (?:(.*)::)?<impl at (\S+\.rs):(\d+):(\d+): \d+:(\d+)>::(\w+)\(")
HEAD = re.compile(r"^\s*(?:pub(?:\(.*?\))? )?(?:struct|enum|union) (\w+)")
FN = re.compile(r"ty: FnDef\(DefId\((\d+):(\d+) ~ (.*)\), \[(.*)\]\)$")
SPAN = re.compile(r"span: (\S+\.rs):(\d+):(\d+): (\d+):(\d+) ")
NOTATION = re.compile(r"^\s*fn \w+\(((&(mut )?)?self)?(,? ?\w+)*\) \{$")
BODY = re.compile(r"DefId\(0:(\d+) ~ (.*)\):$")


def tree(edition, arguments):
    """Returns the typed tree and the MIR of the crate with its tests, or without them."""
    flags = [it if it.startswith("-") else f'--cfg=feature="{it}"' for it in arguments]
    command = ["rustc", "+nightly", "--edition", edition, "--crate-name", "it", "src/lib.rs", "-Awarnings", *flags]
    for kind in (["--test"], ["--crate-type", "lib"]):
        dumps = []
        for what in ("thir-tree", "mir"):
            flags = [*kind, "-Ztrim-diagnostic-paths=no", f"-Zunpretty={what}"]
            run = subprocess.run([*command, *flags], stdout=subprocess.PIPE, text=True)
            if run.returncode != 0:
                break
            dumps.append(run.stdout.splitlines())
        if len(dumps) == 2:
            return dumps
    sys.exit("the crate does not compile")


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


def parts_of(text):
    """Splits a list of types at its commas."""
    parts, depth = [""], 0
    for at, letter in enumerate(text):
        depth += letter in "<([{"
        depth -= letter in ")]}" or letter == ">" and text[at - 1] != "-"
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def bare(text):
    """Returns a type without references."""
    return re.sub(r"^(&|\*const |\*mut |mut |'\{?\w+\}? |dyn )+", "", text.strip())


def outer_of(text):
    """Returns the last name of a type's path, or the bracket that it begins with."""
    match = re.match(r"[\w:]+", text)
    return match[0].rsplit("::", 1)[-1] if match else text[:1]


def implementations_of(bodies, mir, source):
    """Returns (trait, type, module, file, arguments of the trait, place) of implementing methods by their name."""
    heads = {}
    for row in mir:
        if match := MIR.match(row):
            head = (match[2], int(match[3]), int(match[4]), int(match[5]))
            heads.setdefault((match[1] or "", match[6]), []).append(head)
    owners = {}
    for full, path, line in bodies.values():
        module, is_member, name = full.rpartition("::{impl#")
        if not is_member and full.startswith("{impl#"):
            module, is_member, name = "", True, full
        name = name.split("}::", 1)[-1]
        if is_member and re.fullmatch(r"\w+", name):
            owners.setdefault((module, name), []).append((path, line))
    found = {}
    for (module, name), places in owners.items():
        known = heads.get((module, name), [])
        if len(known) != len(places):
            found.setdefault(name, []).append((None, "", module, "", [], None))
            continue
        for (path, line), (head_path, head_line, start, end) in zip(places, known):
            lines = source(head_path).lines
            text = " ".join([lines[head_line - 1][start - 1 :], *lines[head_line : head_line + 30]])
            if not re.match(r"(unsafe )?impl\b", text):  # The name of a derived trait.
                after = (at for at in range(head_line, len(lines)) if HEAD.match(lines[at]))
                if (at := next(after, None)) is not None:
                    trait = lines[head_line - 1][start - 1 : end - 1].split("::")[-1]
                    row = (trait, HEAD.match(lines[at])[1], module, head_path, [], (head_path, at))
                    found.setdefault(name, []).append(row)
                continue
            text = re.split(r"\{| where\b", text)[0]
            text = re.sub(r"^.*?\bimpl\b\s*", "", text)
            if text.startswith("<"):
                depth = 0
                for at, letter in enumerate(text):
                    depth += letter == "<"
                    depth -= letter == ">" and text[at - 1] != "-"
                    if depth == 0:
                        text = text[at + 1 :]
                        break
            if " for " not in text:
                continue
            trait, target = (it.strip() for it in text.split(" for ", 1))
            at = source(path).line_before(rf"\bfn {re.escape(name)}\b", line)
            if at is None:
                continue
            given = re.search(r"<(.*)>", trait)
            arguments = [it for it in parts_of(given[1]) if not it.startswith("'")] if given else []
            trait = re.sub(r"<.*", "", trait).split("::")[-1].strip("! ")
            found.setdefault(name, []).append((trait, target, module, head_path, arguments, (path, at)))
    return found


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
    thir, mir = tree(sys.argv[1], sys.argv[2:])
    for row in thir:
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
                bodies[body[0]] = (body[1].split("::", 1)[-1], path, ends[0])
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

    types = {}
    for path in map(str, sorted(pathlib.Path("src").rglob("*.rs"))):
        for line in source(path).lines:
            if match := HEAD.match(line):
                types.setdefault(match[1], set()).add(path)
    crates = {"core", "alloc", "std"} | {match[1] for it in sys.argv[2:] if (match := re.match(r"--extern=(\w+)=", it))}
    implementing = implementations_of(bodies, mir, source)

    def implementations(full, given):
        """Returns the places of a trait's method for the types `given`; `None` if they cannot be told apart."""
        trait, name = full.split("::")[-2:]
        own, *arguments = parts_of(given)
        own = bare(own)
        if trait in ("Into", "TryInto") and arguments:  # They call `From` and `TryFrom`.
            trait, name = trait.replace("Into", "From"), name.replace("into", "from")
            own, arguments = bare(arguments[0]), [own]
        if re.match(r"\w+/#|Alias\(", own):
            return []
        is_outside = own.split("::")[0] in crates
        meant = {it.rsplit("::", 1)[-1]: it for it in re.findall(r"[\w:]+", own)}
        fitting = []
        for of, target, module, head, written, place in implementing.get(name, []):
            if of not in (trait, None):
                continue
            target = bare(target)
            if "$" in target or place is None:
                return None
            outer = outer_of(target)
            is_ours = outer in types and not re.match(r"(core|std|alloc)::", target)
            if outer != outer_of(own) or is_ours and is_outside:
                continue
            named = [it for it in re.findall(r"[\w:]+", target) if it.rsplit("::", 1)[-1] in types]
            if is_outside and not all(it.rsplit("::", 1)[-1] in meant for it in named):
                continue
            if all(is_same(it, meant.get(it.rsplit("::", 1)[-1]), module, head) for it in named):
                fitting.append((written, place))
        if len({place for _, place in fitting}) > 1:
            wanted = [outer_of(bare(it)) for it in arguments if not it.startswith("'")]
            outers = [([outer_of(bare(it)) for it in written], place) for written, place in fitting]
            same = [place for written, place in outers if written == wanted[: len(written)]]
            return same if len(set(same)) == 1 else None
        return sorted({place for _, place in fitting})

    def is_same(written, meant, module, head):
        """Returns true if a type that an implementation in a module names can be the one that is meant."""
        written = re.sub(r"^(crate|self|super)::", "", written)
        name = written.rsplit("::", 1)[-1]
        if meant is None or len(types[name]) == 1 or meant.rpartition("::")[0] == module:
            return True
        if "::" in written:
            return meant.endswith(written)
        parent = meant.split("::")[-2] if "::" in meant else "crate"
        return any(re.search(rf"\b{parent}::(\{{.*)?\b{name}\b", line) for line in source(head).lines)

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
                more = implementations(full, given) if given and "{impl" not in full and full.count("::") > 1 else []
                places = [] if more is None else [("-", 0), *more]
            else:
                places = defining(number, full)
                if "{impl" not in full and given and full.count("::") > 1:
                    more = implementations(full, given)
                    places = [] if more is None else [*places, *more]
            for there, at in places:
                print(path, byte, there, at, sep="\t")


main()
