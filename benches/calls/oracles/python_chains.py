"""Lists the calls of a package's functions with the number of re-exports between call and definition.

Run with the interpreter that has the package's dependencies: python3 python_chains.py PACKAGE < /dev/null > calls
in the directory that contains the package. Answers are lines
`PATH TAB BYTE TAB DEFINING_PATH TAB LINE TAB NAME TAB HOPS`: the call's name starts at BYTE, the `def` stands at
LINE, from 0, and HOPS statements `from … import` re-export the name, without the one in the calling file.

The oracle is the import system: every module is imported, and every step of a chain must be the same object in
the modules on both of its sides. Calls whose first name is a local variable, a parameter, or bound more than once
in its scope have no answer; neither do objects that a module's code does not define with `def`.
"""

import ast
import contextlib
import importlib
import io
import pathlib
import sys
import types
import warnings

ROOT = pathlib.Path.cwd().resolve()
PARTS_OF_BLOCKS = ("body", "orelse", "finalbody", "handlers")


def statements(body):
    """Returns the statements of a block, and of the blocks in it that belong to the same scope."""
    for node in body:
        yield node
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for part in PARTS_OF_BLOCKS:
            yield from statements(getattr(node, part, None) or [])


def targets(node):
    """Returns the names that a statement itself assigns."""
    found = []
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, (ast.Store, ast.Del)):
            found.append(child.id)
    return found


class Bindings:
    """What a block of a scope binds: definitions, imports by name, wildcard imports, other names."""

    def __init__(self, body, package):
        self.definitions, self.imports, self.modules, self.wildcards, self.others = {}, {}, {}, [], set()
        for node in statements(body):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.definitions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                self.others.add(node.name)
            elif isinstance(node, ast.ImportFrom):
                source = absolute(node, package)
                for name in node.names:
                    if name.name == "*":
                        self.wildcards.append(source)
                    else:
                        self.imports.setdefault(name.asname or name.name, set()).add((source, name.name))
            elif isinstance(node, ast.Import):
                for name in node.names:
                    full = name.name if name.asname else name.name.split(".")[0]
                    self.modules.setdefault(name.asname or full, set()).add(full)
            elif hasattr(node, "name") and isinstance(node, ast.ExceptHandler):
                self.others.add(node.name)
            else:
                parts = [part for field, part in ast.iter_fields(node) if field not in PARTS_OF_BLOCKS]
                for part in parts:
                    for item in part if isinstance(part, list) else [part]:
                        if isinstance(item, ast.AST):
                            self.others.update(targets(item))

    def kinds(self, name):
        found = (self.definitions, self.imports, self.modules)
        return sum(name in kind for kind in found) + (name in self.others)


def absolute(node, package):
    if not node.level:
        return node.module
    base = package.split(".")
    base = base[: len(base) - node.level + 1]
    return ".".join(base + ([node.module] if node.module else []))


class Module:
    def __init__(self, name, path):
        self.name, self.path = name, path
        text = (ROOT / path).read_bytes()
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.tree = ast.parse(text)
        self.package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        self.bindings = Bindings(self.tree.body, self.package)


def modules(package):
    for path in sorted((ROOT / package).rglob("*.py")):
        path = path.relative_to(ROOT)
        parts = path.with_suffix("").parts
        if parts[-1] == "__main__" or not all(part.isidentifier() for part in parts):
            continue
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        try:
            importlib.import_module(name)
            yield name, Module(name, path)
        except BaseException as error:  # A test module that is skipped raises what is not an `Exception`.
            print(f"skipped {name}: {error!r}", file=sys.stderr)


MISSING = object()


def attribute(module, name):
    return getattr(sys.modules.get(module), name, MISSING)


def chain(all_modules, module, name, expected):
    """Returns the defining module, the `def`s there, and the number of re-exports."""
    hops, seen = 0, set()
    while (module, name) not in seen:
        seen.add((module, name))
        if module not in all_modules or attribute(module, name) is not expected:
            return None
        bindings = all_modules[module].bindings
        if bindings.kinds(name) > 1:
            return None
        if name in bindings.definitions:
            return module, bindings.definitions[name], hops
        if name in bindings.imports:
            if len(bindings.imports[name]) > 1:
                return None
            [(source, original)] = bindings.imports[name]
            module, name = source, original
        elif not bindings.kinds(name):
            sources = [it for it in bindings.wildcards if attribute(it, name) is expected]
            if not sources:
                return None
            module = sources[-1]
        else:
            return None
        hops += 1
    return None


class Calls(ast.NodeVisitor):
    """Visits the calls of a module with the scopes around each."""

    def __init__(self, all_modules, module):
        self.all, self.module, self.scopes, self.found = all_modules, module, [], []

    def scoped(self, node, parameters, body):
        local = Bindings(body, self.module.package)
        local.others.update(parameters)
        self.scopes.append(local)
        self.generic_visit(node)
        self.scopes.pop()

    def visit_FunctionDef(self, node):
        parameters = [arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)]
        inside = [name for it in ast.walk(node) if isinstance(it, (ast.NamedExpr, ast.comprehension)) for name in targets(it.target)]
        self.scoped(node, parameters + inside, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self.scoped(node, [arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)], [])

    def visit_ClassDef(self, node):
        # Names of a class are not visible in its methods, but a call in its body may use them.
        self.scoped(node, [], node.body)

    def visit_Call(self, node):
        self.generic_visit(node)
        names, at = [], node.func
        while isinstance(at, ast.Attribute):
            names.insert(0, at.attr)
            at = at.value
        if isinstance(at, ast.Name):
            self.resolve(node.func, at.id, names)

    def resolve(self, called, first, names):
        module, name, value = self.start(first)
        if value is MISSING:
            return
        for at, attr in enumerate(names):
            if not isinstance(value, types.ModuleType):
                return
            module, name = value.__name__, attr
            value = getattr(value, attr, MISSING)
        if isinstance(value, (type, types.ModuleType)) or value is MISSING or not module:
            return
        found = chain(self.all, module, name, value)
        if found:
            where, defs, hops = found
            end = self.module.starts[called.end_lineno - 1] + called.end_col_offset
            text = names[-1] if names else first
            for definition in defs:
                self.found.append((end - len(text.encode()), where, definition, hops))

    def start(self, first):
        """Returns the module and name that the first name of a call stands for, and its value."""
        bindings = next((scope for scope in reversed(self.scopes) if scope.kinds(first)), None)
        value = MISSING
        if bindings is None:
            bindings, value = self.module.bindings, attribute(self.module.name, first)
        if bindings.kinds(first) > 1:
            return None, None, MISSING
        if first in bindings.imports:
            if len(bindings.imports[first]) > 1:
                return None, None, MISSING
            [(source, original)] = bindings.imports[first]
            imported = attribute(source, original)
            if imported is MISSING:
                imported = sys.modules.get(f"{source}.{original}", MISSING)
            same = value is MISSING or value is imported
            return (source, original, imported) if same else (None, None, MISSING)
        if first in bindings.modules:
            if len(bindings.modules[first]) > 1:
                return None, None, MISSING
            [full] = bindings.modules[first]
            return None, None, sys.modules.get(full, MISSING)
        if bindings is not self.module.bindings:
            return None, None, MISSING
        if not bindings.kinds(first):
            sources = [it for it in bindings.wildcards if attribute(it, first) is value]
            return (sources[-1], first, value) if sources else (None, None, MISSING)
        return self.module.name, first, value


def main():
    sys.path.insert(0, str(ROOT))
    sys.setrecursionlimit(10_000)
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()):
        known = dict(modules(sys.argv[1]))
    for module in known.values():
        visitor = Calls(known, module)
        visitor.visit(module.tree)
        for byte, where, definition, hops in sorted(visitor.found, key=lambda it: it[0]):
            row = [module.path, byte, known[where].path, definition.lineno - 1, definition.name, hops]
            print(*row, sep="\t")


main()
