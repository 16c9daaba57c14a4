#!/usr/bin/env python3
"""Compares the variables that threads share with the tables of docs/threads.md.

    tools/shared_state.py [REPOSITORY]

In C++ these are the variables that can be written and that outlive a call: of a namespace, and
those that are `static` or `thread_local`. In Python they are names that functions assign by
`global`, containers and locks of modules, and functions that cache. The C++ is read as text, so no
build and no compiler is needed.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

# The folder, its files, and whether they are Python.
FOLDERS = (
    ("src/handwritten", "*.hpp", False),
    ("src/handwritten", "*.cpp", False),
    ("python/PyGPU", "*.py", True),
)
DOCUMENT = "docs/threads.md"

# Tables that CPython's functions take without `const`. Nobody writes them.
TABLES = {
    *("PyMethodDef", "PyGetSetDef", "PyMemberDef", "PyModuleDef", "PyType_Slot", "PyType_Spec"),
    *("PyStructSequence_Desc", "PyStructSequence_Field"),
}
NOT_CODE = re.compile(
    r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"|//[^\n]*|/\*.*?\*/'
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.S | re.M,
)
NO_VARIABLE = re.compile(r"(using|typedef|friend|static_assert|template|extern|namespace|return)\b")
TYPE = re.compile(r"(typedef )?(class|struct|union|enum)\b")
IGNORED = re.compile(r"\[\[.*?\]\]|\b(alignas|decltype)\s*\([^()]*\)|\b(public|private|protected):")


def code_of(text: str) -> str:
    """C++ without comments, directives, and what stands in quotes; lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        quoted = match[0].startswith(("R", '"'))
        return ('""' if quoted else "") + "\n" * match[0].count("\n")

    return NOT_CODE.sub(blank, text)


def without(pair: str, text: str) -> str:
    """The text without what stands in these brackets."""
    begin, end = map(re.escape, pair)
    inner = re.compile(rf"{begin}[^{begin}{end};]*{end}")
    while (shorter := inner.sub("", text)) != text:
        text = shorter
    return text


def plain(statement: str) -> str:
    """A statement without attributes and template arguments: parentheses mean functions."""
    return " ".join(without("<>", IGNORED.sub("", statement)).split())


def declared(statement: str) -> Iterator[str]:
    """The variables that a statement declares and that can be written.

    A constant pointer or reference to what `new` makes counts.
    """
    statement = plain(statement)
    name, _, value = re.sub(r"[={]", "\0", statement, count=1).partition("\0")
    pointer = re.match(r"[^(]*\(\s*[*&]\s*(\w+)\s*\)\s*\(", name)  # to a function
    if NO_VARIABLE.match(name) or "operator" in name or ("(" in name and not pointer):
        return
    if pointer:
        yield pointer[1]
        return
    listed = without("[]", without("{}", without("()", statement))).partition("(")[0]
    first, *others = listed.split(",")
    words = re.fullmatch(r"(.*\W)(\w+)\s*", re.split(r"[={]", first)[0].strip())
    if not words or TYPE.fullmatch(words[1].strip()):
        return
    kinds = set(re.findall(r"\w+", words[1]))
    if TABLES & kinds or "constexpr" in kinds:
        return
    constant = re.search(r"\bconst\b", words[1].rpartition("*")[2])
    if not constant or re.match(r"\s*\*?\s*new\b", value):
        yield words[2]
    for other in others:
        one = re.match(r"\s*(\**)\s*(const\b)?\s*(\w+)", other)
        if one and not one[2] and (one[1] or "const" not in kinds):
            yield one[3]


def opened(head: str, around: str) -> str:
    """What a brace begins behind `head`: a namespace, a class, code or a value."""
    if around in ("code", "value"):
        return around
    head = re.sub(r"^template\b", "", plain(head)).strip()
    if re.match(r'(inline )?namespace\b|extern ""$', head):
        return "namespace"
    if TYPE.match(head) and "=" not in head:
        return "class"
    return "code" if re.search(r"\)[^=]*$", head) else "value"


def outlives(around: str, head: str) -> bool:
    """Whether what `head` declares outlives the code around it."""
    words = re.match(r"(?:\w+\s+)*", plain(head) + " ")
    static = words and {"static", "thread_local"} & set(words[0].split())
    return around == "namespace" or bool(static)


def variables_of_cpp(text: str) -> Iterator[tuple[str, int]]:
    """(name, line) of each variable in C++ that can be written and outlives a call."""
    text = code_of(text)
    scopes = ["namespace"]
    start = depth = 0
    kind = ""  # before the name of a variable whose class was just defined
    for mark in re.finditer(r"[{};()]", text):
        depth += (mark[0] == "(") - (mark[0] == ")")
        around, head = scopes[-1], text[start : mark.start()]
        if mark[0] in "()" or (depth and around not in ("code", "value")):
            continue
        if mark[0] == "}":
            ended = scopes.pop()
            if ended != "value":
                start, kind = mark.end(), "class_ " if ended == "class" else ""
            continue
        if mark[0] == "{":
            scopes.append(opened(head, around))
            if scopes[-1] == "value":
                continue
        ends = mark[0] == ";" or (mark[0] == "{" and around == "code")
        if ends and around != "value" and outlives(around, head):
            line = text.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
            yield from ((name, line) for name in declared(kind + head))
        start, kind = mark.end(), ""


CACHES = {"cache", "lru_cache"}
SHARED = {"dict", "list", "set", "deque", "defaultdict", "OrderedDict", "count"}
SHARED |= {"Lock", "RLock", "Condition", "Event", "WeakKeyDictionary", "WeakValueDictionary"}


def last_name(node: ast.expr) -> str:
    """`b` of `a.b` and of `a.b(...)`."""
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def is_shared(value: ast.expr | None) -> bool:
    """Whether a module's value is a container that begins empty, a counter or a lock."""
    if isinstance(value, ast.Call):
        return last_name(value) in SHARED and not value.args
    return (isinstance(value, ast.Dict) and not value.keys) or (
        isinstance(value, ast.List) and not value.elts
    )


def variables_of_python(text: str) -> Iterator[tuple[str, int]]:
    """(name, line) of what a Python module changes while a program runs."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from ((name, node.lineno) for name in node.names)
        elif isinstance(node, ast.FunctionDef):
            if CACHES & set(map(last_name, node.decorator_list)):
                yield node.name, node.lineno
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if is_shared(node.value):
                yield from ((last_name(one), node.lineno) for one in targets)


def variables(root: Path) -> dict[tuple[str, str], int]:
    """The line of each variable, by the file's path in its folder and the name."""
    found: dict[tuple[str, str], int] = {}
    for folder, files, is_python in FOLDERS:
        read = variables_of_python if is_python else variables_of_cpp
        for file in sorted((root / folder).rglob(files)):
            path = file.relative_to(root / folder).as_posix()
            for name, line in read(file.read_text(encoding="utf-8")):
                found.setdefault((path, name), line)
    return found


def rows(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """(names, paths) of each row of the tables whose first columns are "state" and "where"."""
    for table in re.findall(r"^\| state \| where \|.*\n\|[-| ]+\n((?:\|.*\n)+)", text, re.M):
        for row in table.splitlines():
            names, paths = (re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[1:3])
            yield names, [path.removeprefix("src/handwritten/") for path in paths]


def problems(root: Path) -> Iterator[str]:
    """What the document lacks, and what it names although it is gone."""
    found = variables(root)
    named: set[tuple[str, str]] = set()
    for names, paths in rows((root / DOCUMENT).read_text(encoding="utf-8")):
        here = {(path, name) for path in paths for name in names} & found.keys()
        for name in set(names) - {name for _, name in here}:
            yield f"{DOCUMENT}: there is no variable {name} in {', '.join(paths)}"
        for path in set(paths) - {path for path, _ in here}:
            yield f"{DOCUMENT}: {path} has no variable {' or '.join(names)}"
        named |= here
    for (path, name), line in found.items():
        if (path, name) not in named:
            yield f"{path}:{line}: {name} is shared by threads, and {DOCUMENT} doesn't name it"


if __name__ == "__main__":
    repository = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    wrong = list(problems(repository))
    print("\n".join(wrong) or "All shared state is named.")
    sys.exit(bool(wrong))
