#!/usr/bin/env python3
"""Where a build's CPU seconds go: builds PyGPU in a folder of its own and prints a table.

    python tools/build_seconds.py            # the whole package
    python tools/build_seconds.py --without-host
    python tools/build_seconds.py --files 20 # and the slowest files

Each compiler and linker runs below this file, which notes what its process used. ccache is not
used. Seconds depend on the machine and on what else it does: compare runs that follow each other.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTES = "PYGPU_BUILD_NOTES"


def launch(command: list[str]) -> int:
    """Runs one compiler or linker, and adds a line with its seconds and its output to the notes."""
    code = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = command[command.index("-o") + 1] if "-o" in command else command[-1]
    line = f"{used.ru_utime + used.ru_stime:.2f} {output}\n".encode()
    notes = os.open(os.environ[NOTES], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(notes, line)
    os.close(notes)
    return code


def target_of(output: str) -> str:
    """CMake's objects lie in CMakeFiles/TARGET.dir; what a linker writes is named by its file."""
    folder = next((part for part in output.split("/") if part.endswith(".dir")), "")
    return folder.removesuffix(".dir") or Path(output).name.split(".")[0].removeprefix("lib")


def build(folder: Path, options: list[str]) -> list[tuple[float, str]]:
    launcher = f"{sys.executable};{Path(__file__).resolve()};--launch"
    configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    configure += [f"-DCMAKE_CXX_{tool}_LAUNCHER={launcher}" for tool in ("COMPILER", "LINKER")]
    configure += [f"-DPython_EXECUTABLE={sys.executable}", "-DPYGPU_CCACHE=OFF", *options]
    environment = {**os.environ, NOTES: str(folder / "notes")}
    subprocess.run(configure, check=True, env=environment, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder], check=True, env=environment)
    return read_notes((folder / "notes").read_text())


def read_notes(text: str) -> list[tuple[float, str]]:
    lines = (line.split(" ", 1) for line in text.splitlines())
    return [(float(seconds), output) for seconds, output in lines]


def table(steps: list[tuple[float, str]], files: int) -> str:
    """The steps and seconds of each target, then the slowest files."""
    targets: defaultdict[str, list[float]] = defaultdict(list)
    for seconds, output in steps:
        targets[target_of(output)].append(seconds)
    rows = sorted(targets.items(), key=lambda item: -sum(item[1]))
    rows.append(("all", [seconds for seconds, _ in steps]))
    lines = [f"{'target':<20} {'steps':>6} {'CPU s':>7}"]
    lines += [f"{target:<20} {len(each):>6} {sum(each):>7.1f}" for target, each in rows]
    slowest = sorted(steps, reverse=True)[:files]
    return "\n".join(lines + [f"{seconds:>7.1f}  {output}" for seconds, output in slowest])


def main() -> int:
    if sys.argv[1:2] == ["--launch"]:
        return launch(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--without-host", action="store_true", help="leave the host runtime out")
    parser.add_argument(
        "--files", type=int, default=0, metavar="N", help="list the N slowest files"
    )
    arguments = parser.parse_args()
    options = ["-DPYGPU_HOST=OFF"] if arguments.without_host else []
    with tempfile.TemporaryDirectory(prefix="pygpu-build-") as folder:
        steps = build(Path(folder), options)
    print(table(steps, arguments.files))
    return 0


if __name__ == "__main__":
    sys.exit(main())
