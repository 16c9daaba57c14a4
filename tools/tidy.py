#!/usr/bin/env python3
"""Runs clang-tidy over files of a build: all handwritten ones, and a batch of each module.

    tools/tidy.py CLANG_TIDY BUILD [NAME...]

The build must be configured without precompiled headers, as clang can't read those of g++. Where
the build compiles files together, clang-tidy reads them together, too, so that it reads the headers
once. With names, such as arrays/memory, it takes only files whose path contains
one of them, and those that are compiled together with such a file.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RULES = Path(__file__).resolve().parents[1] / ".clang-tidy"
# Options of g++ that clang doesn't know.
GNU_ONLY = re.compile(r" -f(?:vect-cost-model|no-align-)\S*")
ASKED = re.compile(
    r"/src/handwritten/|/hostgpu/|/unity_unit_\d+_cxx\.cxx$|/batches/[a-z_]+_0\.cpp$"
)
TOGETHER = re.compile(r'^#include "(.+\.cpp)"', re.MULTILINE)


def commands(build: Path, names: list[str]) -> Iterator[dict[str, str]]:
    """The entries of compile_commands.json to check, with commands that clang understands."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = entry["file"]
        if not ASKED.search(file):
            continue
        paths = [file, *TOGETHER.findall(Path(file).read_text(encoding="utf-8"))]
        if not names or any(name in path for name in names for path in paths):
            yield entry | {"command": GNU_ONLY.sub("", entry["command"])}


def main() -> int:
    clang_tidy, build, *names = sys.argv[1:]
    asked = list(commands(Path(build), names))
    if not asked:
        print(f"{build} compiles no such file")
        return 1
    database = Path(build, "tidy")
    database.mkdir(exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps(asked), encoding="utf-8")

    def ask(entry: dict[str, str]) -> tuple[int, str]:
        command = [
            clang_tidy,
            "--quiet",
            f"--config-file={RULES}",
            "-p",
            str(database),
            entry["file"],
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # clang writes its own errors, such as a missing file, to stderr.
        return done.returncode, done.stdout or done.stderr

    # A finding in a header comes with each file that includes it, but is shown once.
    told: set[str] = set()
    failed = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for entry, (code, text) in zip(asked, pool.map(ask, asked), strict=True):
            failed += code != 0
            for finding in re.split(
                r"^(?=\S+:\d+:\d+: (?:error|warning): )", text, flags=re.MULTILINE
            ):
                if code and finding.strip() and finding not in told:
                    told.add(finding)
                    print(finding, end="", flush=True)
            if code and not text.strip():
                print(f"{entry['file']}: clang-tidy ended with {code}", flush=True)
    print(f"clang-tidy: {failed} of {len(asked)} files with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
