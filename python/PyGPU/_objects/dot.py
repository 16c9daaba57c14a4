"""Graphs as text in Graphviz's language, and as pictures where Graphviz is installed."""

from __future__ import annotations

import os
import shutil
import subprocess

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

PICTURES = (".svg", ".png", ".pdf")
_SHAPES = {"kernel": "box", "host": "ellipse", "empty": "point", "memcpy": "cds", "memset": "cds"}


def text(graph: Any) -> str:
    """The nodes and edges of a graph, with those of its child graphs and bodies."""
    lines = ["digraph {", *_lines(graph, "n"), "}"]
    return "\n".join(lines) + "\n"


def write(text: str, path: Any) -> None:
    """Write the text, or the picture that a file's ending asks for."""
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in PICTURES:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    program = shutil.which("dot")
    if program is None:
        raise FileNotFoundError(
            f"Graph.dot(): {ending} files need the program `dot`: install Graphviz"
        )
    command = [program, f"-T{ending[1:]}", "-o", os.fspath(path)]
    subprocess.run(command, input=text, encoding="utf-8", check=True)


def svg(text: str) -> str | None:
    """The picture as text; None where Graphviz is not installed."""
    program = shutil.which("dot")
    if program is None:
        return None
    command = [program, "-Tsvg"]
    done = subprocess.run(command, input=text, encoding="utf-8", check=True, stdout=subprocess.PIPE)
    return done.stdout


def _lines(graph: Any, prefix: str) -> Iterator[str]:
    names = {}
    for number, node in enumerate(graph.nodes()):
        names[node] = own = f"{prefix}{number}"
        label = f"{node.name}\\n{node.kind}" if node.kind not in node.name else node.name
        quoted = label.replace('"', '\\"')
        yield f'  {own} [label="{quoted}", shape={_SHAPES.get(node.kind, "box")}];'
        for at, (title, body) in enumerate(graph._inside(node)):
            yield f"  subgraph cluster_{own}_{at} {{"
            yield f'  label="{node.name}: {title}";'.replace("\n", " ")
            yield from _lines(body, f"{own}_{at}_")
            yield "  }"
    for before, after in graph.edges():
        yield f"  {names[before]} -> {names[after]};"
