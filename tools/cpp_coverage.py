#!/usr/bin/env python3
"""Says which lines of the handwritten C++ ran, from the counters that clang left in a folder.

    tools/cpp_coverage.py BUILD COUNTERS FLOOR

BUILD has the instrumented libraries in python/PyGPU. Writes html-cpp/ and cpp.txt into BUILD,
prints the total, and fails if fewer than FLOOR percent of the lines ran.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LEFT_OUT = "-ignore-filename-regex=(^/usr/|/generated/|/third_party/|/site-packages/|/lib/llvm)"


def output_of(*command: object) -> str:
    return subprocess.run(
        [str(one) for one in command], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def main() -> int:
    build, counters, floor = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
    merged = build / "cpp.profdata"
    given = sorted(counters.glob("*.profraw"))
    # A process that was killed while it wrote leaves a file that can't be read; the others count.
    output_of("llvm-profdata", "merge", "-sparse", "-failure-mode=all", *given, "-o", merged)
    libraries = sorted((build / "python" / "PyGPU").glob("*.so"))
    of_all = [f"-instr-profile={merged}", LEFT_OUT, libraries[0]]
    of_all += [f"-object={library}" for library in libraries[1:]]
    html = build / "html-cpp"
    output_of("llvm-cov", "show", "-format=html", f"-output-dir={html}", *of_all)
    (build / "cpp.txt").write_text(output_of("llvm-cov", "report", *of_all), encoding="utf-8")
    summary = json.loads(output_of("llvm-cov", "export", "-summary-only", *of_all))
    lines = summary["data"][0]["totals"]["lines"]
    print(f"C++: {lines['covered']} of {lines['count']} lines ran, {lines['percent']:.1f} percent")
    if lines["percent"] < floor:
        print(f"Fewer than {floor:g} percent of the C++ ran: see {html}/index.html")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
