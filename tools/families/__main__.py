"""Really calls each family of the CUDA runtime, and checks that it does what it should.

The driver API's answers are compared with those of a C++ program, which is compiled for that.

    python tools/families [--library PATH] [--family NAME ...] [--json FILE]

Uses the library at PATH, otherwise the one that PyGPU finds (the host runtime under
PYGPU_BACKEND=host). Each family runs in a process of its own, so that one that crashes or hangs
doesn't stop the others. Prints a table. The exit code is 1 if a check failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from PyGPU._base.command import run

HERE = Path(__file__).resolve().parent
FAMILIES = (
    "devices",
    "pools",
    "copies",
    "textures",
    "launches",
    "streams",
    "graphs",
    "processes",
    "lifetimes",
    "driver",
)
PATIENCE = 120  # seconds for a family
Lines = list[dict[str, Any]]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--library", help="the libcudart to load")
    parser.add_argument("--family", nargs="+", choices=FAMILIES, default=FAMILIES)
    parser.add_argument("--json", help="write all outcomes to this file, too")
    parser.add_argument("--child", choices=FAMILIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child)
    environment = dict(os.environ)
    if options.library:
        environment["PYGPU_CUDA_LIBRARY"] = os.path.abspath(options.library)
        environment["PYGPU_BACKEND"] = "cuda"
    lines: Lines = []
    for family in options.family:
        lines += ask(family, environment)
    who = next((line for line in lines if "runtime" in line), {})
    outcomes = [line for line in lines if "result" in line]
    show(who, outcomes)
    if options.json:
        text = json.dumps({"who": who, "outcomes": outcomes}, indent=1)
        Path(options.json).write_text(text + "\n", encoding="utf-8")
    return 1 if not outcomes or any(one["result"] == "failed" for one in outcomes) else 0


def ask(family: str, environment: dict[str, str]) -> Lines:
    """The output of a family's checks, run in another process; a failure if that ended badly."""
    command = [sys.executable, str(HERE), "--child", family]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        output, errors, end = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as slow:
        output, errors = ((one or b"").decode() for one in (slow.stdout, slow.stderr))
        end = f"still running after {PATIENCE} s"
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    if errors:
        print(f"-- {family} wrote:\n{errors.rstrip()}", file=sys.stderr)
    begun = [line["begun"] for line in lines if "begun" in line]
    finished = [line for line in lines if "result" in line]
    if end or len(begun) != len(finished):
        last = errors.strip().splitlines()[-1:] or [""]
        what = begun[-1] if len(begun) > len(finished) else "(its end)"
        detail = f"the process ended with {end}: {last[0]}"
        lines.append({"family": family, "what": what, "result": "failed", "detail": detail})
    return lines


def child(family: str) -> int:
    """Run the checks of one family, and print JSON objects, one on a line."""
    sys.path.insert(0, str(HERE))
    import PyGPU

    runtime, _ = PyGPU.cudaRuntimeGetVersion()
    properties, err = PyGPU.cudaGetDeviceProperties(0)
    say(backend=PyGPU.backend, runtime=runtime, device=str(err or properties.name))
    __import__(family)
    from check import CHECKS

    for check in CHECKS:
        say(begun=check.what)
        say(**vars(check.run()))
    return 0


def say(**facts: Any) -> None:
    """Print one line of output."""
    print(json.dumps(facts), flush=True)


def show(who: dict[str, Any], outcomes: Lines) -> None:
    """Print the table, and how many checks had each result."""
    print(
        "backend {backend}, runtime {runtime}, {device}\n".format_map(who) if who else "no answer\n"
    )
    widths = [max((len(one[key]) for one in outcomes), default=0) for key in ("family", "result")]
    for one in outcomes:
        print(f"{one['family']:<{widths[0]}}  {one['result']:<{widths[1]}}  {one['what']}")
        if one["detail"]:
            print(f"{'':<{sum(widths) + 4}}{one['detail']}")
    results = [one["result"] for one in outcomes]
    counts = (f"{results.count(one)} {one}" for one in ("ok", "failed", "not supported here"))
    print(f"\n{len(results)} checks: {', '.join(counts)}")


if __name__ == "__main__":
    sys.exit(run(main))
