"""Resolves call sites in C and C++ sources with libclang.

Run in the root of the tree: python3 c_definitions.py COMPILE_COMMANDS [FLAG...] < sites > answers
Needs the package `libclang`; FLAGs are added to each command (`-resource-dir`, if the headers of the compiler are not
found). Sites are lines `PATH TAB BYTE TAB NAME`. Answers are lines `PATH TAB BYTE TAB DEFINING_PATH TAB LINE`, where LINE
counts from 0 and the path is `-` for a definition outside of the tree.

Each declaration of a function is an answer, also those in other files of the tree, and so is a macro's definition. A
constructor's name means the constructor; if the compiler makes it, the class. Calls in templates whose target depends
on the arguments have no answer, nor has code that no command compiles. The body of a macro is resolved where it is
expanded: if expansions differ, each has its answer.
"""

import collections
import json
import os
import pathlib
import re
import shlex
import sys

from clang import cindex
from clang.cindex import CursorKind as Kind

ROOT = os.path.realpath(".") + "/"
# Cursors that use a name. Others that refer to something have its place, but not the place of a name.
USES = {
    Kind.DECL_REF_EXPR, Kind.MEMBER_REF_EXPR, Kind.MACRO_INSTANTIATION, Kind.TYPE_REF, Kind.TEMPLATE_REF,
    Kind.OVERLOADED_DECL_REF,
}
PLACES = {}


def spelling_place(location):
    """Returns the file and the byte at which the text is written: inside of a macro's body, that of the body."""
    file, line, column, byte = cindex.c_object_p(), cindex.c_uint(), cindex.c_uint(), cindex.c_uint()
    cindex.conf.lib.clang_getSpellingLocation(
        location, cindex.byref(file), cindex.byref(line), cindex.byref(column), cindex.byref(byte))
    return (inside(cindex.File(file).name), byte.value) if file else (None, 0)


def inside(name):
    """Returns the path of a file in the tree."""
    if name not in PLACES:
        real = os.path.realpath(name)
        PLACES[name] = real[len(ROOT):] if real.startswith(ROOT) else None
    return PLACES[name]


def place_of(cursor):
    location = cursor.location
    if location.file is None:
        return ("-", 0)
    path = inside(location.file.name)
    return (path, location.line - 1) if path else ("-", 0)


def declarations(target):
    """Returns the places of a target's declarations in this translation unit."""
    found = {place_of(target)}
    if target.kind != Kind.MACRO_DEFINITION:
        found.add(place_of(target.canonical))
        definition = target.get_definition()
        if definition is not None:
            found.add(place_of(definition))
    return found


def constructor(cursor):
    """Returns the constructor that an expression or a variable's value calls, directly below the cursor."""
    for child in cursor.get_children():
        if child.kind == Kind.CALL_EXPR and child.referenced is not None:
            return child.referenced if child.referenced.kind == Kind.CONSTRUCTOR else None
        if child.kind.is_expression() and child.kind == Kind.UNEXPOSED_EXPR:
            found = constructor(child)
            if found is not None:
                return found
    return None


class Answers:
    def __init__(self, sites):
        self.sites = sites
        # By site, the targets' unique names (or places) and their places.
        self.found = collections.defaultdict(set)
        self.by_name = collections.defaultdict(set)
        self.seen = set()

    def record(self, site, target):
        if target.kind == Kind.OVERLOADED_DECL_REF:
            library = cindex.conf.lib
            overloads = range(library.clang_getNumOverloadedDecls(target))
            overloads = [library.clang_getOverloadedDecl(target, at) for at in overloads]
            if len({overload.get_usr() for overload in overloads}) != 1:
                return
            target = overloads[0]
        if target.kind in (Kind.CLASS_TEMPLATE, Kind.CLASS_DECL, Kind.STRUCT_DECL) and site in self.found:
            return
        if target.kind == Kind.CONSTRUCTOR:
            if place_of(target) == place_of(target.semantic_parent):
                target = target.semantic_parent
            else:
                self.found.pop(site, None)
        # What is instantiated has only those declarations that the call needs.
        pattern = cindex.conf.lib.clang_getSpecializedCursorTemplate(target)
        if pattern is not None and pattern.kind.is_declaration():
            target = pattern
        name = target.get_usr() if is_shared(target) else ""
        places = declarations(target)
        self.found[site].add((name, frozenset(places)))

    def walk(self, cursor, named=None):
        """Records the uses below a cursor; `named` is the constructor that a type's name means there."""
        if cursor.kind in USES:
            site = spelling_place(cursor.location)
            # A macro of another library uses its own names where it is expanded.
            if site in self.sites and re.search(rf"(?<!\w){re.escape(self.sites[site])}(?!\w)", cursor.spelling):
                target = cursor if cursor.kind == Kind.OVERLOADED_DECL_REF else cursor.referenced
                is_type = cursor.kind in (Kind.TYPE_REF, Kind.TEMPLATE_REF)
                if is_type and named is not None:
                    target = named
                # The compiler declares its own functions where they are used first.
                if target is not None and not target.spelling.startswith("__builtin"):
                    self.record(site, target)
        if cursor.kind.is_declaration() and is_shared(cursor):
            self.by_name[cursor.get_usr()].add(place_of(cursor))
        if cursor.kind in (Kind.VAR_DECL, Kind.CXX_NEW_EXPR):
            below = constructor(cursor)
        elif cursor.kind in (Kind.CALL_EXPR, Kind.CXX_FUNCTIONAL_CAST_EXPR):
            used = cursor.referenced
            below = used if used is not None and used.kind == Kind.CONSTRUCTOR else constructor(cursor)
        else:
            below = None
        for child in cursor.get_children():
            is_name = child.kind in (Kind.TYPE_REF, Kind.TEMPLATE_REF)
            self.walk(child, below if is_name else None)

    def walk_unit(self, unit):
        """Records the uses in all files of the tree that no earlier translation unit had."""
        new = set()
        for cursor in unit.cursor.get_children():
            file = cursor.location.file
            path = inside(file.name) if file else None
            if path is None:
                continue
            at = (path, cursor.location.offset, cursor.kind)
            new.add(at)
            if cursor.kind == Kind.NAMESPACE:
                self.walk_namespace(cursor, new)
            elif at not in self.seen or cursor.kind == Kind.MACRO_INSTANTIATION:
                self.walk(cursor)
        self.seen |= new

    def walk_namespace(self, cursor, new):
        for child in cursor.get_children():
            path = inside(child.location.file.name) if child.location.file else None
            at = (path, child.location.offset, child.kind)
            new.add(at)
            if child.kind == Kind.NAMESPACE:
                self.walk_namespace(child, new)
            elif path is not None and at not in self.seen:
                self.walk(child)


def is_shared(cursor):
    """Returns true for what other files can declare again."""
    functions = (Kind.FUNCTION_DECL, Kind.CXX_METHOD, Kind.CONSTRUCTOR, Kind.FUNCTION_TEMPLATE, Kind.VAR_DECL)
    return cursor.kind in functions and cursor.linkage == cindex.LinkageKind.EXTERNAL


def main():
    sites = {}
    for row in sys.stdin:
        path, byte, name = row.rstrip("\n").split("\t")
        sites[(path, int(byte))] = name
    answers = Answers(sites)
    index = cindex.Index.create()
    sys.setrecursionlimit(20_000)
    failed = 0
    for entry in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        command = shlex.split(entry["command"])[1:]
        flags = [flag for flag in command if flag not in ("-c", entry["file"])] + sys.argv[2:]
        unit = index.parse(entry["file"], flags, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        failed += any(problem.severity >= cindex.Diagnostic.Error for problem in unit.diagnostics)
        answers.walk_unit(unit)
    for (path, byte), targets in answers.found.items():
        places = set()
        for name, own in targets:
            places |= own | (answers.by_name.get(name, set()) if name else set())
        for there, line in sorted(places - {("-", 0)} or places):
            print(path, byte, there, line, sep="\t")
    print(f"{failed} files have errors", file=sys.stderr)


main()
