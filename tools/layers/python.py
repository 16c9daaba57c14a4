"""Checks the imports of Python code: none goes up a layer, no files make a circle.

Every import counts: of a whole file, inside a function, for type checkers alone, and by name (see
BY_NAME).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from layers.circles import circles

# The rooms of each package: its folders and files, from the lowest to the highest. A room imports
# from itself and from the rooms before it. "" is the package itself, its __init__.py. Below all are
# compiled modules and rooms whose files are all generated, such as those of APIs. None means that
# the rooms have any order that makes no circle.
PACKAGES: Mapping[str, Sequence[str] | None] = {
    "python/PyGPU": (
        "_base",
        "_apis",
        "_backend",
        "_errors",
        "_host",
        "_libraries",
        "_names",
        "checked",
        "_kernels",
        "_codegen",
        "reduction",
        "scan",
        "_arrays",
        "gpuarray",
        "cumath",
        "_objects",
        "_random",
        "curandom",
        "_pycuda",
        "compiler",
        "elementwise",
        "_moves",
        "driver",
        "characterize",
        "tools",
        "autoinit",
        "autoprimaryctx",
        "ipc",
        "host",
        "_trace",
        "_programs",
        "_projects",
        "_exit",
        "",
        "doctor",
        "pytest_plugin",
        "__main__",
    ),
    "generator": None,
}
# Functions that import the module that their first argument names.
BY_NAME = ("Late", "__import__", "attribute", "import_module", "imported")


def problems(repository: Path) -> Iterator[str]:
    """A line for each import that goes up, each room that is no layer, and each circle."""
    for package, order in PACKAGES.items():
        root = repository / package
        imports = _imports(root)
        yield from _upward(root, package, imports, order or ())
        graphs = [imports]
        if not order:
            graphs.append(_of_rooms(imports))
        for group in (one for graph in graphs for one in circles(graph)):
            yield f"{package}: " + " -> ".join([*group, group[0]]) + " import each other"


def _imports(root: Path) -> dict[str, set[str]]:
    """What each module imports of its own package; a module is a path, "" the package itself."""
    modules = {  # a compiled module is known by its stub; where both are, the code comes last
        path.relative_to(root).with_suffix("").as_posix().removesuffix("__init__").rstrip("/"): path
        for path in (*sorted(root.rglob("*.pyi")), *sorted(root.rglob("*.py")))
    }
    imports = {}
    for module, path in modules.items():
        if path.suffix == ".pyi":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        package = module if path.name == "__init__.py" else module.rpartition("/")[0]
        names = _imported(tree, f"{root.name}/{package}".strip("/").split("/"))
        own = [name.split(".")[1:] for name in names if name.split(".")[0] == root.name]
        imports[module] = {_module_of(name, modules) for name in own} - {module}
    return imports


def _imported(tree: ast.AST, package: Sequence[str]) -> Iterator[str]:
    """The dotted names that a module imports; `package` is what relative imports start from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            start = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{start}.{one.name}" for one in node.names)
        elif isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            called = called.id if isinstance(called, ast.Name) else called
            first = node.args[0]
            if called in BY_NAME and isinstance(first, ast.Constant):
                yield str(first.value)


def _module_of(name: Sequence[str], modules: Mapping[str, Path]) -> str:
    """The module that an import of `package.name` loads: the name's, or that which has the name."""
    for end in range(len(name), 0, -1):
        if (module := "/".join(name[:end])) in modules:
            return module
    return ""


def _upward(
    root: Path, package: str, imports: Mapping[str, set[str]], order: Sequence[str]
) -> Iterator[str]:
    """The rooms that are no layer, and the imports that go up, if the rooms have an order."""
    if not order:
        return
    at = {name: place for place, name in enumerate(order)}
    for room in sorted({module.split("/")[0] for module in imports} - at.keys()):
        if _is_handwritten(root / room):
            at[room] = len(at)  # it may import all
            yield f"{package}/{room} is no layer: PACKAGES in tools/layers/python.py lists them"
    for module, others in imports.items():
        for other in others:
            one, two = module.split("/")[0], other.split("/")[0]
            if at.get(two, -1) > at.get(one, -1):
                file, other = f"{package}/{module}".rstrip("/"), other or root.name
                yield f"{file} imports {other}: {two or root.name} is above {one}"


def _is_handwritten(room: Path) -> bool:
    files = [*room.rglob("*.py"), *room.parent.glob(f"{room.name}.py")]
    return any("\nGenerated by " not in file.read_text(encoding="utf-8") for file in files)


def _of_rooms(imports: Mapping[str, set[str]]) -> dict[str, set[str]]:
    rooms: dict[str, set[str]] = {}
    for module, others in imports.items():
        own = module.split("/")[0]
        rooms.setdefault(own, set()).update(other.split("/")[0] for other in others)
        rooms[own].discard(own)
    return rooms
