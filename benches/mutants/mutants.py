#!/usr/bin/env python3
"""Compares the tests that codedb selects for mutants with those that a match of names selects.

    mutants.py PROJECT CODEDB [--mutants N] [--out FILE] -- TEST COMMAND

PROJECT is a clean Git work tree that is changed and restored, so use a clone. The test command is
`python -m pytest …` or `go test …`; it runs once per mutant, with a report of each test. Mutants
are deterministic: operators, constants, conditions, return values and removed statements in
functions outside of tests. Those that no test detects, that do not compile or that hang are skipped.

A mutant is caught if one of the selected tests detects it. The match of names takes all tests whose
name or text contains the function's name, or whose file is named like the function's file. codedb
takes the first tests of its selection: as many as the match of names needs on average.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SECONDS_MAX = 300
COMPARED = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
            ast.GtE: ast.Gt, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Mod: ast.Mult}
GO_OPERATORS = [("==", "!="), ("!=", "=="), ("<", "<="), (">", ">="), ("&&", "||"), ("||", "&&"),
                ("+", "-"), ("-", "+")]


def folded(name):
    return "".join(c for c in name.lower() if c.isalnum())


def stem_of_test(path):
    stem = folded(Path(path).stem)
    signs = ("tests", "test", "specs", "spec")
    for sign in signs:
        if stem.endswith(sign):
            return stem[: -len(sign)]
    # `test_shop` does not begin with `tests`.
    first = folded(re.split(r"[\W_]", Path(path).stem)[0])
    for sign in ([first] if first in signs else []) + ["test", "spec"]:
        if stem.startswith(sign):
            return stem[len(sign):]
    return ""


class Python:
    ending = ".py"

    @staticmethod
    def is_test(path):
        parts = path.lower().split("/")
        name = parts[-1]
        return any(p in ("test", "tests", "testing", "docs", "misc", "benchmarks", "examples") for p in parts[:-1]) \
            or name.startswith("test") or name in ("conftest.py", "setup.py", "conf.py")

    @staticmethod
    def tests(path, text):
        """Yields the id, the names and the text of each test."""
        def walk(body, around):
            for node in body:
                if isinstance(node, ast.ClassDef):
                    yield from walk(node.body, [*around, node.name])
                elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
                    names = [*around, node.name]
                    yield "::".join([path, *names]), " ".join(names), ast.get_source_segment(text, node) or ""
        yield from walk(ast.parse(text).body, [])

    @staticmethod
    def mutants(text):
        """Yields the function, its class, and the start, the end and the new text of each mutant."""
        lines = text.encode().splitlines(keepends=True)
        offsets = [0]
        for line in lines:
            offsets.append(offsets[-1] + len(line))

        def span(node):
            return (offsets[node.lineno - 1] + node.col_offset, offsets[node.end_lineno - 1] + node.end_col_offset)

        def changed(node):
            new = None
            if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
                new = ast.Compare(node.left, [COMPARED[type(node.ops[0])](), *node.ops[1:]], node.comparators)
            elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
                new = ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right)
            elif isinstance(node, ast.BoolOp):
                new = ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int)):
                new = ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
            if new is not None:
                return (*span(node), "(" + ast.unparse(new) + ")")
            if isinstance(node, ast.If):
                return (*span(node.test), "not (" + ast.unparse(node.test) + ")")
            if isinstance(node, ast.Return) and node.value is not None:
                is_none = isinstance(node.value, ast.Constant) and node.value.value is None
                return (*span(node), "return 1" if is_none else "return None")
            is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
            if is_call or isinstance(node, (ast.Assign, ast.AugAssign)):
                return (*span(node), "pass")
            return None

        def walk(node, function, owner):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.ClassDef):
                    yield from walk(child, function, child.name)
                elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    for statement in child.body:
                        yield from at(statement, child.name, owner)
                elif function:
                    yield from at(child, function, owner)
                else:
                    yield from walk(child, function, owner)

        def at(node, function, owner):
            found = changed(node)
            if found:
                yield (function, owner, *found)
            if not isinstance(node, (ast.JoinedStr, ast.MatchValue)):
                yield from walk(node, function, owner)

        yield from walk(ast.parse(text), "", "")

    @staticmethod
    def failing(command, project):
        """Returns the ids of the tests that ran and of those that failed; None without a report."""
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "junit.xml")
            words = [*command, "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", f"--junitxml={report}"]
            if run(words, project) is None or not os.path.exists(report):
                return None
            ran, failed = set(), set()
            for case in ElementTree.parse(report).iter("testcase"):
                file, name = case.get("file"), case.get("name").split("[")[0]
                if not file:
                    continue
                module = file[:-3].replace("/", ".")
                classes = case.get("classname", "").removeprefix(module).strip(".")
                key = "::".join([file, *(classes.split(".") if classes else []), name])
                ran.add(key)
                if case.find("failure") is not None or case.find("error") is not None:
                    failed.add(key)
            return ran, failed


class Go:
    ending = ".go"

    @staticmethod
    def is_test(path):
        return path.endswith("_test.go") or "test" in path.lower() or path.startswith("vendor/")

    @staticmethod
    def functions(text):
        for match in re.finditer(r"^func (?:\([^)]*?\*?(\w+)(?:\[[^\]]*\])?\) )?(\w+)[^\n]*\{\n(.*?)^\}", text, re.M | re.S):
            yield match.group(2), match.group(1) or "", match.start(3), match.group(3)

    @staticmethod
    def tests(path, text):
        for name, _, _, body in Go.functions(text):
            if name.startswith("Test"):
                yield f"{path}::{name}", name, body

    @staticmethod
    def mutants(text):
        def offset(at):
            return len(text[:at].encode())

        for function, owner, start, body in Go.functions(text):
            at = start
            for line in body.splitlines(keepends=True):
                code = line.split("//")[0]
                if '"' not in code and "`" not in code:
                    for old, new in GO_OPERATORS:
                        for match in re.finditer(r"(?<= )" + re.escape(old) + r"(?= )", code):
                            yield function, owner, offset(at + match.start()), offset(at + match.end()), new
                    for match in re.finditer(r"(?<![\w.])(\d+)(?![\w.])", code):
                        new = str(int(match.group(1)) + 1)
                        yield function, owner, offset(at + match.start()), offset(at + match.end()), new
                    match = re.match(r"\s*if ([^;{]+) \{$", code.rstrip())
                    if match:
                        yield function, owner, offset(at + match.start(1)), offset(at + match.end(1)), f"!({match.group(1)})"
                match = re.match(r"\s*return (true|false)$", code.rstrip())
                if match:
                    new = "false" if match.group(1) == "true" else "true"
                    yield function, owner, offset(at + match.start(1)), offset(at + match.end(1)), new
                match = re.match(r"\s+([\w.\[\]]+ (?:=|\+=) [^{]+|[\w.]+\([^{]*\))$", code.rstrip())
                if match:
                    yield function, owner, offset(at + match.start(1)), offset(at + match.end(1)), ""
                at += len(line)

    @staticmethod
    def failing(command, project):
        output = run([*command[:2], "-json", *command[2:]], project)
        if output is None:
            return None
        files = {}
        for path in listed(project, ".go"):
            if path.endswith("_test.go"):
                for key, name, _ in Go.tests(path, Path(project, path).read_text()):
                    files[(os.path.dirname(path), name)] = key
        module = re.search(r"^module (\S+)", Path(project, "go.mod").read_text(), re.M).group(1)
        ran, failed, has_crashed = set(), set(), False
        for line in output.splitlines():
            if not line.startswith("{"):
                continue
            event = json.loads(line)
            if event.get("Action") == "build-fail":
                return None
            has_crashed |= "panic: " in event.get("Output", "")
            folder = event.get("Package", "").removeprefix(module).strip("/")
            key = files.get((folder, event.get("Test", "").split("/")[0]))
            if key and event["Action"] in ("pass", "fail"):
                ran.add(key)
                if event["Action"] == "fail" and "/" not in event["Test"]:
                    failed.add(key)
        # After a panic, the other tests do not run.
        return None if has_crashed else (ran, failed)


def run(words, folder):
    """Returns the output; None if the command hangs."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS_MAX, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.decode(errors="replace")


def listed(project, ending):
    files = subprocess.run(["git", "ls-files", "*" + ending], cwd=project, stdout=subprocess.PIPE, check=True)
    return files.stdout.decode().splitlines()


def by_names(tests, function, owner, path):
    """Returns the ids of the tests that a match of names selects, best first."""
    name = owner if function.startswith("__") and owner else function
    stem = folded(Path(path).stem)
    found = []
    for place, (key, title, text) in enumerate(tests):
        def contains(word):
            return bool(word) and re.search(r"(?<!\w)" + re.escape(word) + r"(?!\w)", text) is not None
        tested = stem_of_test(key.split("::")[0])
        score = 3 * (len(folded(name)) > 2 and folded(name) in folded(title)) + 2 * contains(name)
        score += bool(tested) and tested in (stem, folded(owner))
        score += 0.5 * contains(owner)
        if score > 0:
            found.append((-score, place, key))
    return [key for _, _, key in sorted(found)]


def selected(codedb, project):
    """Returns the ids of the tests that codedb selects for the uncommitted changes, in their order."""
    words = [*codedb, "suggest-tests", "--json", "--limit", "1000", "--max-tokens", "1000000"]
    done = subprocess.run(words, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    try:
        reply = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(f"codedb failed: {done.stderr.decode()}") from None
    tests = reply.get("tests", [])
    return [t["test_id"] if "::" in t["test_id"] else f"{t['path']}::{t['test_id']}" for t in tests]


def chosen(project, language, count):
    """Returns `count` mutants and as many spare ones, spread evenly over the functions."""
    by_function = {}
    for path in listed(project, language.ending):
        if language.is_test(path):
            continue
        text = Path(project, path).read_text()
        for mutant in language.mutants(text):
            key = hashlib.sha256(repr((path, mutant)).encode()).digest()
            by_function.setdefault((path, mutant[1], mutant[0]), []).append((key, path, mutant))
    rounds = []
    for mutants in by_function.values():
        rounds += [(number, *mutant) for number, mutant in enumerate(sorted(mutants))]
    return [(path, mutant) for _, _, path, mutant in sorted(rounds)][: 4 * count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project")
    parser.add_argument("codedb")
    parser.add_argument("--mutants", type=int, default=40, help="the number of detected mutants")
    parser.add_argument("--out", help="a file for one line of JSON per mutant")
    own, command = sys.argv[1:], []
    if "--" in own:
        own, command = own[: own.index("--")], own[own.index("--") + 1:]
    options = parser.parse_args(own)
    project = os.path.abspath(options.project)
    language = Go if command[:2] == ["go", "test"] else Python
    if run(["git", "diff", "--quiet", "HEAD"], project) != "" or subprocess.run(
            ["git", "diff", "--quiet", "HEAD"], cwd=project, check=False).returncode:
        raise SystemExit("the project has uncommitted changes")
    codedb = [options.codedb]
    subprocess.run([*codedb, "index", "--wait", "full"], cwd=project, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    before = language.failing(command, project)
    if not before or not before[0]:
        raise SystemExit("the test command reports no tests")
    suite, known = before
    tests = []
    for path in listed(project, language.ending):
        text = Path(project, path).read_text()
        tests += [test for test in language.tests(path, text) if test[0] in suite]
    out = open(options.out, "w") if options.out else None
    rows = []
    for path, (function, owner, start, end, new) in chosen(project, language, options.mutants):
        if len(rows) == options.mutants:
            break
        file = Path(project, path)
        original = file.read_bytes()
        try:
            file.write_bytes(original[:start] + new.encode() + original[end:])
            after = language.failing(command, project)
            detecting = after[1] - known if after else set()
            # A mutant that ends the run or breaks the import of everything says nothing of a selection.
            if not detecting or len(after[0]) < len(suite) / 2:
                continue
            ranked = [key for key in selected(codedb, project) if key in suite]
        finally:
            file.write_bytes(original)
        names = by_names(tests, function, owner, path)
        rows.append((detecting, ranked, names))
        if out:
            first = next((at for at, key in enumerate(ranked) if key in detecting), None)
            line = {"path": path, "function": function, "new": new, "detecting": len(detecting),
                    "selected": len(ranked), "first": first, "names": len(names),
                    "names_catch": any(key in detecting for key in names)}
            out.write(json.dumps(line) + "\n")
            out.flush()
    if not rows:
        raise SystemExit("no mutant was detected")
    count = len(rows)
    budget = round(sum(len(names) for _, _, names in rows) / count)

    def caught(select):
        return sum(any(key in detecting for key in select(ranked, names)) for detecting, ranked, names in rows) / count

    def share(select):
        return sum(len(select(ranked, names)) for _, ranked, names in rows) / count / len(suite)

    print(f"{count} mutants, {len(suite)} tests\n\n| selection | caught | share of the suite |\n| --- | --- | --- |")
    for title, select in (
        ("match of names", lambda _, names: names),
        (f"codedb, the first {budget} of each", lambda ranked, _: ranked[:budget]),
        ("codedb, as many as names for each", lambda ranked, names: ranked[: len(names)]),
        ("codedb, all that is selected", lambda ranked, _: ranked),
    ):
        print(f"| {title} | {caught(select):.3f} | {share(select):.3f} |")


if __name__ == "__main__":
    main()
