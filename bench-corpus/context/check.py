"""Checks that every key of the tasks exists in the pinned trees, and fetches these trees.

    python3 bench-corpus/context/check.py TREES_DIR [--fetch] [--only TREE,...]

TREES_DIR/NAME holds the kept files of the tree NAME. `--fetch` makes what is missing there: the archive of the
registry's client (cargo, go, npm, pip, mvn, apt-get), whose SHA-256 is compared with the pinned one, unpacked and
reduced to `keep`, as in benches/corpus/. The exit status is 1 if a key is wrong; each wrong key is one line.

What is checked:

- `files`: the path is a file of the tree; no path is twice.
- `definitions`: the file is in the tree and defines the name inside the named containers. The types that surround a
  definition must be named; modules, namespaces and functions around it may be left out.
- `lines`: the range is inside the file, its file is in `files`, its first and last lines are not blank, and ranges
  do not overlap.
- `tests`: as files or as definitions. A test that is a string argument (`test("name", ...)`) is named by that string.
- `id` is unique, `tree` is known and used, `commit` has 40 digits, `task` has words, `files` and `lines` are not empty.

Definitions are found by the syntax of declarations and by indentation (Python: by its parser), so this tells that a
name is declared there, not that it is the right one.
"""

import argparse
import ast
import functools
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = {"id", "tree", "commit", "task", "files", "definitions", "lines", "tests"}
TREE_KEYS = {"tree", "language", "registry", "name", "version", "sha256", "keep"}
REGISTRIES = ("crates", "go", "npm", "pypi", "maven", "debian")


def read(kind):
    """Returns the entries of all files `kind`-*.toml, each with the file it is from."""
    entries = []
    for path in sorted(glob.glob(os.path.join(HERE, kind + "s-*.toml"))):
        with open(path, "rb") as file:
            for entry in tomllib.load(file).get(kind, []):
                entries.append((os.path.basename(path), entry))
    return entries


# Definitions. A definition is a tuple of names, the last its own, the others (name, is a type) from the outside.

NAME = r"[A-Za-z_$#][\w$]*[?!=]?"
# Declarations of what contains others: group 1 is the keyword, group 2 the name.
TYPE_WORDS = "struct|enum|union|trait|class|interface|record|object|protocol|@interface"
SCOPE_WORDS = "mod|module|namespace|package"
WORDS = re.compile(
    r"^(?:[\w@]+(?:\([^)]*\))?\s+)*?(" + TYPE_WORDS + "|" + SCOPE_WORDS + r"|fn|func|fun|def|function\*?|type|const|"
    r"static|let|var|val|macro_rules!)\s+(?:mut\s+|self\.)?"
    r"(?!(?:" + TYPE_WORDS + r"|fn|func|function|def|const|var|val|let)\b)"
    r"((?:[\w$]+(?:::|\.))*" + NAME + ")"
)
IMPL = re.compile(r"^(?:unsafe\s+|default\s+)*impl\b(.*)$")
RECEIVER = re.compile(r"^func\s*\(\s*(?:\w+\s+)?\*?(\w+)(?:\[[^\]]*\])?\s*\)\s*(\w+)")
MACRO = re.compile(r"^#\s*define\s+(\w+)")
CALLABLE = re.compile(r"^((?:[\w$@~<>\[\],.?*&:#\s]|\([\w\s\"',.=]*\))*?)((?:[\w$]+::)*[~#]?[\w$]+)\s*(?:<[^()]*>)?\(")
MEMBER = re.compile(r"^(?:[\w@]+\s+)*?([#\w$]+)\s*(?:[=:,;({?]|!:|$|\s+[\w*\[\](.<])")
STRING_TEST = re.compile(
    r"\b(?:test|it|describe|specify|context|suite|subtest|scenario|TEST_CASE|t\.Run)\b[\w.]*\s*\(?\s*(?:\w+,\s*)?"
    r"([\"'`])((?:\\.|(?!\1).)*)\1"
)
GTEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)")
# Words that no declaration contains before a name and "(", and those that are no name of a function either.
STATEMENTS = set(
    "return new throw await else if for while switch match case catch yield in not and or do defer go assert puts "
    "raise unless until elsif typeof delete super this require import use goto".split()
)
CONTROL = STATEMENTS - set("go do delete in not and or use match assert defer yield new".split())
# The rest of a statement that began before, a comment, a decorator, a label.
CONTINUED = re.compile(r"^(?:[){}\]>]|where\b|end\b|:\s|\#|//|/?\*|@|[\w$]+:$)")


def type_of_impl(rest):
    """Returns the name of the type of a Rust `impl` header."""
    rest = rest.strip()
    if rest.startswith("<"):
        depth = 0
        for at, char in enumerate(rest):
            depth += (char == "<") - (char == ">" and rest[at - 1] != "-")
            if depth == 0:
                rest = rest[at + 1 :].strip()
                break
        else:
            return None
    rest = re.split(r"\bwhere\b|\{", rest)[0].strip()
    parts = re.split(r"\sfor\s", rest)
    subject = re.sub(r"<.*", "", parts[-1].strip().lstrip("&").strip())
    subject = re.sub(r"^(?:'\w+\s+)?(?:mut\s+|dyn\s+)*", "", subject)
    names = re.findall(r"\w+", subject)
    return names[-1] if names else None


def declared(line, suffix, inside, at_start):
    """Returns the (names, is a type) that a line of code without its indentation declares."""
    found = []
    if suffix == ".rb" and re.match(r"class\s*<<", line):
        return found
    if suffix == ".go":
        if receiver := RECEIVER.match(line):
            return [((receiver[1], receiver[2]), False)]
    if suffix == ".rs" and (header := IMPL.match(line)):
        name = type_of_impl(header[1])
        return [((name,), True)] if name else []
    if case := GTEST.match(line):
        return [((case[1], case[2]), False), ((case[2],), False)]
    if macro := MACRO.match(line):
        return [((macro[1],), False)]
    code = re.sub(r"^(?:pub(?:\([^)]*\))?|export(?:\s+default)?|extern\s+\"C\"|template\s*<[^>]*>)\s+", "", line)
    code = re.sub(r"^(?:pub(?:\([^)]*\))?|default|extern\s+\"C\")\s+", "", code)
    if word := WORDS.match(code):
        names = tuple(re.split(r"::|\.", word[2]))
        is_type = word[1] in TYPE_WORDS.split("|") or word[1] == "type"
        found.append((names, is_type))
        if len(names) > 1 and LIKE.get(suffix, suffix) == ".c":
            found.append((names[-1:], is_type))
    call = CALLABLE.match(line)
    statement = call and (set(re.findall(r"[\w$]+", call[1])) & STATEMENTS or call[2] in CONTROL)
    statement = statement or call and re.search(r"[.\w]$", call[1])
    if call and not statement and not line.rstrip().endswith("),"):
        # A call as a statement has no type before its name and ends the line with `;`.
        before = call[1].strip()
        if before or at_start or not re.search(r"\)\s*;?\s*$", line):
            found.append((tuple(call[2].lstrip("~").split("::")), False))
    if inside or suffix == ".go":
        member = MEMBER.match(line)
        if member and member[1] not in STATEMENTS:
            found.append(((member[1],), False))
        # The name comes after its type.
        typed = re.search(r"(\w+)\s*(?:\[[^\]]*\])*\s*(?:=.*|:\s*\d+)?;", line)
        if typed and LIKE.get(suffix, suffix) in (".c", ".java"):
            found.append(((typed[1],), False))
        several = re.match(r"^((?:\w+,\s*)+\w+)\s+[\w*\[=]", line)
        if several:
            found += [((name,), False) for name in re.findall(r"\w+", several[1])]
    if word := re.match(r"^[\w$.\s]+=\s*class\s+(\w+)", line):
        found.append(((word[1],), True))
    if assigned := re.match(
        r"^(?:[\w$<>\[\],.?*&]+\s+)*?\**((?:[\w$]+\.)*[\w$#]+)\s*(?:\[[^\]]*\]\s*)*(?::\s*[^=]+)?=(?![=>])", line
    ):
        names = tuple(name for name in assigned[1].split(".") if name != "prototype")
        found.append((names, False))
        found.append((tuple(assigned[1].split(".")[-1:]), False))
    if key := re.match(r"^[\"']?([\w$-]+)[\"']?\s*:(?!:)", line):
        found.append(((key[1],), False))
    named = re.match(r"^(?:attr_\w+|alias(?:_method)?|define_method|option|switch)\b[\s(]+:?[\"']?(\w+[?!]?)", line)
    if named and suffix == ".rb":
        found.append(((named[1],), False))
    return found


# Comments and literals, in the order in which they are tried; what runs over lines is blanked.
STRING = r'"(?:\\.|[^"\\\n])*"'
LITERALS = {
    ".rs": r"""//[^\n]*|/\*.*?\*/|\bb?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|'(?:\\[^']*|[^\\'\n])'""",
    ".go": rf"//[^\n]*|/\*.*?\*/|{STRING}|`[^`]*`|'(?:\\[^']*|[^\\'\n])'",
    ".js": rf"//[^\n]*|/\*.*?\*/|{STRING}|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`",
    ".java": rf'//[^\n]*|/\*.*?\*/|""".*?"""|{STRING}|' + r"'(?:\\[^']*|[^\\'\n])'",
    ".c": rf'//[^\n]*|/\*.*?\*/|\bR"([^()\s]*)\(.*?\)\1"|{STRING}|' + r"'(?:\\[^']*|[^\\'\n])'",
}
LIKE = {".ts": ".js", ".tsx": ".js", ".jsx": ".js", ".mjs": ".js", ".cjs": ".js", ".kt": ".java", ".scala": ".java"}
LIKE |= {suffix: ".c" for suffix in (".h", ".cc", ".cpp", ".hpp", ".cs")}


def blank_long_literals(text, suffix):
    """Returns the lines with comments and literals of several lines replaced by spaces."""
    literals = LITERALS.get(LIKE.get(suffix, suffix))
    if not literals:
        return text.split("\n")

    def blank(literal):
        literal = literal[0]
        return re.sub(r"[^\n]", " ", literal) if "\n" in literal else literal

    return re.sub(literals, blank, text, flags=re.S).split("\n")


@functools.lru_cache(maxsize=64)
def brace_definitions(path):
    """Returns the set of (containers, name) that a file declares; containers are (name, is a type)."""
    suffix = os.path.splitext(path)[1]
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = blank_long_literals(file.read(), suffix)
    found = set()
    # The lines that surround the present one: (indentation, declared names, is a type).
    around = []
    for line in lines:
        code = line.strip()
        if not code:
            continue
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        for case in STRING_TEST.finditer(line):
            found.add(((), case[2]))
        if CONTINUED.match(code) and not MACRO.match(code):
            inline = re.match(r"^(?:@[\w.]+(?:\([^)]*\))?\s+)+(?=\S)", code)
            if inline:
                code = code[inline.end() :]
            else:
                if named := re.match(r"^\}\s*(\w+)\s*;", code):
                    found.add((tuple((name, True) for one in around if one[0] < indent for name in one[1]), named[1]))
                around = [one for one in around if one[0] <= indent]
                continue
        around = [one for one in around if one[0] < indent]
        inside = any(one[2] for one in around[-1:])
        names = declared(code, suffix, inside, indent == 0)
        containers = tuple((name, is_type) for _, several, is_type in around for name in several)
        if typedef := re.match(r"^typedef\b.*?(\w+)\s*;$", code):
            found.add((containers, typedef[1]))
        for several, is_type in names:
            outer = tuple((name, True) for name in several[:-1])
            found.add((containers + outer, several[-1]))
        first = names[0] if names else None
        if first and not code.endswith(";"):
            around.append((indent, first[0], first[1]))
        # One line may hold a type and its members.
        if first and first[1]:
            body = code.partition("{")[2]
            for member in re.findall(r"[\w$]+", body):
                found.add((containers + ((first[0][-1], True),), member))
    return found


@functools.lru_cache(maxsize=64)
def python_definitions(path):
    """As `brace_definitions`, by Python's parser."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    found = set()

    def targets(node):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, (ast.Tuple, ast.List)):
            for element in node.elts:
                yield from targets(element)

    def walk(node, containers, in_function):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.add((containers, child.name))
                is_type = isinstance(child, ast.ClassDef)
                walk(child, containers + ((child.name, is_type),), not is_type)
                continue
            if isinstance(child, (ast.Assign, ast.AnnAssign)) and not in_function:
                for target in child.targets if isinstance(child, ast.Assign) else [child.target]:
                    for name in targets(target):
                        found.add((containers, name))
            walk(child, containers, in_function)

    walk(tree, (), False)
    return found


def defines(path, name):
    """Returns nothing if a file defines a qualified name, else what is wrong."""
    if os.path.splitext(path)[1] == ".py":
        definitions = python_definitions(path)
    else:
        definitions = brace_definitions(path)
    if ((), name) in definitions:
        return None
    parts = tuple(name.split("."))
    if len(parts) > 1:
        # A namespace need not be indented.
        with open(path, encoding="utf-8", errors="replace") as file:
            if re.search(rf"^\s*namespace\b[^;{{=]*\b{re.escape(parts[0])}\b[^;]*$", file.read(), re.M):
                if defines(path, ".".join(parts[1:])) is None:
                    return None
    wrong = "is not defined there"
    for containers, last in definitions:
        if last != parts[-1]:
            continue
        names = tuple(of for of, _ in containers)
        wanted = parts[:-1]
        if wanted and names[len(names) - len(wanted) :] != wanted:
            # Modules and functions between may be left out.
            types = tuple(of for of, is_type in containers if is_type)
            if types != wanted:
                wrong = "is defined there, but inside " + (".".join(names) or "nothing")
                continue
            return None
        if any(is_type for _, is_type in containers[: len(containers) - len(wanted)]):
            wrong = "is defined there, but inside " + ".".join(names)
            continue
        return None
    return wrong


# Trees.


def glob_pattern(glob_text):
    """Returns the expression of a glob whose `*` does not match `/`."""
    out, at = "", 0
    while at < len(glob_text):
        if glob_text.startswith("**/", at):
            out, at = out + "(?:.*/)?", at + 3
        elif glob_text.startswith("**", at):
            out, at = out + ".*", at + 2
        elif glob_text[at] == "*":
            out, at = out + "[^/]*", at + 1
        elif glob_text[at] == "?":
            out, at = out + "[^/]", at + 1
        elif glob_text[at] == "{":
            inner, at = glob_text[at + 1 : glob_text.index("}", at)], glob_text.index("}", at) + 1
            out += "(?:" + "|".join(map(re.escape, inner.split(","))) + ")"
        else:
            out, at = out + re.escape(glob_text[at]), at + 1
    return re.compile(out + r"\Z")


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()[-600:]}")
    return done.stdout


def archive(tree, folder):
    """Returns the path of a tree's archive, fetched with the registry's client into `folder` or the client's cache."""
    name, version = tree["name"], tree["version"]
    match tree["registry"]:
        case "crates":
            # The only command of cargo that fetches a crate without its dependencies (since 1.82).
            run(["cargo", "info", "--quiet", f"{name}@{version}"], folder)
            home = os.environ.get("CARGO_HOME") or os.path.join(os.path.expanduser("~"), ".cargo")
            found = glob.glob(os.path.join(glob.escape(home), "registry", "cache", "*", f"{name}-{version}.crate"))
            if not found:
                sys.exit(f"cargo keeps no archive of {name} {version}")
            return found[0]
        case "go":
            return json.loads(run(["go", "mod", "download", "-json", f"{name}@{version}"], folder))["Zip"]
        case "npm":
            run(["npm", "pack", "--silent", "--ignore-scripts", f"{name}@{version}"], folder)
        case "pypi":
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += ["--only-binary=:all:", "--implementation=py", "--abi=none", "--platform=any"]
            run(command + ["--python-version=3.11", "--dest=.", f"{name}=={version}"], folder)
        case "maven":
            command = ["mvn", "--quiet", "--batch-mode", "dependency:copy", "-DoutputDirectory=."]
            run(command + [f"-Dartifact={name}:{version}:jar:sources"], folder)
        case "debian":
            run(["apt-get", "--quiet", "--yes", "download", f"{name}={version}"], folder)
    files = os.listdir(folder)
    if len(files) != 1:
        sys.exit(f"{name} {version} came as {len(files)} files")
    return os.path.join(folder, files[0])


def fetch(tree, into):
    """Puts the kept files of a tree into a directory that does not exist."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as unpacked:
        path = archive(tree, folder)
        with open(path, "rb") as file:
            found = hashlib.sha256(file.read()).hexdigest()
        if found != tree["sha256"]:
            sys.exit(f"{tree['tree']}: the archive has the checksum {found}, not {tree['sha256']}")
        match tree["registry"]:
            case "crates" | "npm":
                with tarfile.open(path, "r:gz") as tar:
                    tar.extractall(unpacked, filter="data")
            case "debian":
                run(["dpkg-deb", "--extract", path, "."], unpacked)
            case _:
                with zipfile.ZipFile(path) as packed:
                    packed.extractall(unpacked)
        keep = [glob_pattern(one) for one in tree.get("keep", [])]
        new = into + ".new"
        shutil.rmtree(new, ignore_errors=True)
        kept = 0
        for folder, _, files in os.walk(unpacked):
            for name in files:
                source = os.path.join(folder, name)
                inner = os.path.relpath(source, unpacked).replace(os.sep, "/")
                if os.path.islink(source):
                    continue
                if tree["registry"] in ("crates", "npm"):
                    inner = inner.partition("/")[2]
                elif tree["registry"] == "go":
                    top = f"{tree['name']}@{tree['version']}/"
                    if not inner.startswith(top):
                        continue
                    inner = inner[len(top) :]
                if keep and not any(one.match(inner) for one in keep):
                    continue
                target = os.path.join(new, inner)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.move(source, target)
                kept += 1
        if not kept:
            sys.exit(f"nothing is kept of {tree['tree']}")
        os.rename(new, into)


# Tasks.


def wrong_keys(task, root):
    """Yields what is wrong with the keys of a task."""

    def missing(path):
        if path.startswith("/") or ".." in path.split("/"):
            return True
        return not os.path.isfile(os.path.join(root, path))

    files = task.get("files", [])
    if not files:
        yield "`files` is empty"
    for path in files:
        if missing(path):
            yield f"files: there is no {path}"
        if files.count(path) > 1:
            yield f"files: {path} is there twice"
    for kind in ("definitions", "tests"):
        for key in task.get(kind, []):
            path, colon, name = key.partition(": ")
            if kind == "definitions" and not colon:
                yield f"definitions: {key}: has no name"
            elif missing(path):
                yield f"{kind}: {key}: there is no {path}"
            elif colon and (wrong := defines(os.path.join(root, path), name)):
                yield f"{kind}: {key}: {wrong}"
            if task[kind].count(key) > 1:
                yield f"{kind}: {key} is there twice"
    ranges = {}
    if not task.get("lines"):
        yield "`lines` is empty"
    for key in task.get("lines", []):
        parsed = re.fullmatch(r"(.+):(\d+)(?:-(\d+))?", key)
        if not parsed:
            yield f"lines: {key}: is not path:FIRST-LAST"
            continue
        path, first, last = parsed[1], int(parsed[2]), int(parsed[3] or parsed[2])
        if path not in files:
            yield f"lines: {key}: its file is not in `files`"
        if missing(path):
            yield f"lines: {key}: there is no {path}"
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            lines = file.read().split("\n")
        if not 1 <= first <= last <= len(lines):
            yield f"lines: {key}: the file has {len(lines)} lines"
            continue
        if not lines[first - 1].strip() or not lines[last - 1].strip():
            yield f"lines: {key}: begins or ends with a blank line"
        for start, end in ranges.setdefault(path, []):
            if first <= end and start <= last:
                yield f"lines: {key}: overlaps {start}-{end}"
        ranges[path].append((first, last))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trees", metavar="TREES_DIR")
    parser.add_argument("--fetch", action="store_true", help="fetch the trees that are missing")
    parser.add_argument("--only", default="", help="trees, separated by commas")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    wrong = []
    trees = {}
    for file, tree in read("tree"):
        name = tree.get("tree", "?")
        if set(tree) != TREE_KEYS and set(tree) != TREE_KEYS - {"keep"}:
            wrong.append(f"{file}: {name}: the fields are {', '.join(sorted(tree))}")
        if tree.get("registry") not in REGISTRIES:
            wrong.append(f"{file}: {name}: the registry {tree.get('registry')} is unknown")
        if name in trees:
            wrong.append(f"{file}: the tree {name} is there twice")
        trees[name] = tree
    tasks = read("task")
    used = {task.get("tree") for _, task in tasks}
    wrong += [f"the tree {name} has no task" for name in trees if name not in used]
    ids = set()
    counts = {}
    for name, tree in trees.items():
        if only and name not in only:
            continue
        root = os.path.join(options.trees, name)
        if not os.path.isdir(root) and options.fetch:
            os.makedirs(options.trees, exist_ok=True)
            fetch(tree, root)
        if not os.path.isdir(root):
            sys.exit(f"there is no {root}: fetch it with --fetch")
    for file, task in tasks:
        name, tree = task.get("id", "?"), task.get("tree")
        place = f"{file}: {name}: "
        if name in ids:
            wrong.append(place + "the id is there twice")
        ids.add(name)
        if tree not in trees:
            wrong.append(place + f"there is no tree {tree}")
            continue
        if only and tree not in only:
            continue
        if set(task) != KEYS:
            wrong.append(place + f"the fields are {', '.join(sorted(task))}")
        if not re.fullmatch(r"[0-9a-f]{40}", task.get("commit", "")):
            wrong.append(place + "`commit` is not 40 digits")
        if len(task.get("task", "").split()) < 4:
            wrong.append(place + "`task` has fewer than four words")
        wrong += [place + one for one in wrong_keys(task, os.path.join(options.trees, tree))]
        language = trees[tree]["language"]
        count = counts.get(language, [0] * 5)
        numbers = [1] + [len(task.get(key, [])) for key in ("files", "definitions", "lines", "tests")]
        counts[language] = [one + other for one, other in zip(count, numbers)]
    for one in wrong:
        print(one)
    for language, count in sorted(counts.items()):
        print("%s: %d tasks, %d files, %d definitions, %d ranges of lines, %d tests" % (language, *count))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
