#!/usr/bin/env python3
"""Binds C headers as `pygpu bind` does, without an edit, and prints a table of what came out.

    tools/bind_headers.py [--build] [--together] HEADER...
    tools/bind_headers.py [--build] --list tools/bind_headers.toml --packages FOLDER [NAME...]

Each header gets a project in --folder. --together makes one project of them all: a header that
includes them. --build also builds each module, with the glue of this checkout's build, and imports
it. --list names headers of packages, which lie unpacked in --packages. Exit 1 if one fails.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from generator.coverage import BY  # noqa: E402
from generator.glue import built_glue  # noqa: E402
from generator.toml import tomllib  # noqa: E402

LEFT = "Not bound: "


@dataclass(frozen=True, slots=True)
class Asked:
    """One header to bind, and the further options of `pygpu bind`."""

    name: str
    header: Path
    options: tuple[str, ...] = ()


@dataclass(slots=True)
class Row:
    """What became of one header. `bind` and `build` are CPU seconds; `error` is empty if it did."""

    name: str
    functions: int = 0
    total: int = 0
    decided: Mapping[str, int] = field(default_factory=dict)
    bind: float = 0.0
    build: float = 0.0
    left: tuple[str, ...] = ()
    error: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("given", nargs="*", metavar="HEADER|NAME")
    parser.add_argument("--list", type=Path, help="a table of headers of packages")
    parser.add_argument("--packages", type=Path, help="where the packages lie, unpacked")
    parser.add_argument("--together", action="store_true", help="all headers as one project")
    parser.add_argument("--build", action="store_true", help="build and import each module")
    parser.add_argument("--folder", type=Path, help="of the projects (default: a temporary one)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        rows = []
        for one in _asked(options, folder):
            rows.append(bound(one, folder, build=options.build))
            if not options.json:
                print(*_lines(rows[-1], first=len(rows) == 1), sep="\n", flush=True)
    if options.json:
        print(json.dumps([{key: getattr(row, key) for key in Row.__slots__} for row in rows]))
    return 1 if any(row.error for row in rows) else 0


def _asked(options: argparse.Namespace, folder: Path) -> Iterator[Asked]:
    if options.list is not None:
        listed = tomllib.loads(options.list.read_text())
        for name in options.given or listed:
            yield _listed(name, listed[name], options.packages)
        return
    headers = [Path(one).resolve() for one in options.given]
    if not options.together:
        for one in headers:
            yield Asked(one.stem, one)
        return
    for one in headers:
        shutil.copy(one, folder)
    every = folder / "every.h"
    every.write_text("".join(f'#include "{one.name}"\n' for one in headers))
    yield Asked("every", every)


def _listed(name: str, entry: Mapping[str, Any], packages: Path) -> Asked:
    given = [f"--include={packages / one}" for one in entry.get("include", ())]
    return Asked(name, packages / entry["header"], (*given, *entry.get("options", ())))


def bound(asked: Asked, folder: Path, *, build: bool) -> Row:
    """Bind one header; its numbers are those of `coverage`."""
    row, project = Row(asked.name), folder / asked.name
    generator = (sys.executable, "-m", "generator")
    begun = _spent()
    told = _run(
        row, *generator, "bind", str(asked.header), f"--folder={project}", f"--name={asked.name}",
        *asked.options,
    )  # fmt: skip
    row.bind = _spent() - begun
    if row.error:
        return row
    row.left = tuple(line for line in told.splitlines() if line.startswith("Not bound"))
    text = _run(row, *generator, f"--root={project}", "coverage", asked.name, "--json")
    if row.error:
        return row
    (covered,) = json.loads(text)
    row.functions, row.decided = covered["bound"], covered["decided"]
    row.total = covered["functions"] + sum(one.startswith(LEFT) for one in row.left)
    if build:
        begun = _spent()
        _build(row, project, folder / f"{asked.name}.build")
        row.build = _spent() - begun
    return row


def _build(row: Row, project: Path, place: Path) -> None:
    glue = [f"-DPYGPU_GLUE={one}" for one in built_glue(ROOT)]
    modules = project / "python" / row.name
    _run(
        row, "cmake", "-S", str(project), "-B", str(place), "-G", "Ninja", *glue[:1],
        f"-DPython_EXECUTABLE={sys.executable}", f"-DPyGPUGlue_DIR={ROOT / 'cmake'}",
        "-DPYGPU_PRECOMPILE=OFF", "-DPYGPU_WERROR=ON", "-DCMAKE_BUILD_TYPE=None",
        "-DCMAKE_CXX_FLAGS=-O0", f"-DCMAKE_LIBRARY_OUTPUT_DIRECTORY={modules}",
    )  # fmt: skip
    if not row.error:
        _run(row, "cmake", "--build", str(place))
    if not row.error:
        paths = [str(project / "python"), str(ROOT / "build/dev/python"), *filter(None, sys.path)]
        code = (
            f"from {row.name} import *; import {row.name} as it; [getattr(it, n) for n in dir(it)]"
        )
        _run(
            row, sys.executable, "-W", "error", "-c", code,
            PYTHONPATH=os.pathsep.join(paths), PYGPU_BACKEND="host",
        )  # fmt: skip


def _run(row: Row, *command: str, **environment: str) -> str:
    """A command's output. What it said goes to the row's error where it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PATH": path, **environment}, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode != 0:
        row.error = (done.stderr.strip() + "\n" + done.stdout.strip())[:4000]
    return done.stdout


def _spent() -> float:
    """The CPU seconds of all processes that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _lines(row: Row, *, first: bool) -> Iterator[str]:
    if first:
        yield (
            f"{'header':<14} {'bound':>6} {'of':>6} "
            + " ".join(f"{one:>10}" for one in BY)
            + f" {'bind s':>7} {'build s':>8}"
        )
    counts = " ".join(f"{row.decided.get(one, 0):>10}" for one in BY)
    yield (
        f"{row.name:<14} {row.functions:>6} {row.total:>6} {counts} {row.bind:>7.1f}"
        f" {row.build:>8.1f}"
    )
    yield from (f"    {one}" for one in (*row.left, *row.error.splitlines()))


if __name__ == "__main__":
    sys.exit(main())
