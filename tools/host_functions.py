"""Writes docs/host-functions.md: what share of the functions is implemented, the others by name.

    python tools/host_functions.py [--check]

The data are the rows of generated/*/host_exports.inc. REASONS says why functions are missing.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "host-functions.md"
APIS = {
    "cuda_runtime": "CUDA's runtime (`cuda_runtime_api.h`)",
    "cuda_driver": "CUDA's driver API (`cuda.h`)",
    "hip_runtime": "HIP (`hip_runtime_api.h`)",
}
# The first that matches a name counts. A machine without what they need answers 801 as well.
REASONS = (
    ("They join a graphics API: OpenGL, Direct3D, Vulkan, EGL.", r"ToCig$|^hipGL"),
    (
        "They join memory and semaphores of other APIs and processes' drivers.",
        r"External|NvSciSync",
    ),
    ("They give tables that no public header describes.", r"GetExportTable"),
    (
        "AMD's texture references have no field for a colour: its functions do nothing.",
        r"^hipTexRef.etBorderColor",
    ),
    ("Not implemented yet.", r""),
)
_ROW = re.compile(r"^(IMPLEMENTED|UNSUPPORTED|UNGUARDED|STUB)\(\w+,\s+(\w+),", re.MULTILINE)
_HEAD = """\
# Functions of the host runtime

Made by `python tools/host_functions.py`. A function that isn't implemented returns the code for
"not supported" (801). [The host runtime](host-runtime.md) says what the others do. Functions of
hardware that the devices lack by their attributes (multicast, fabrics, logical endpoints,
checkpoints, dma-buf, decompression) count as implemented: they check what they get, and answer as a
machine without it.

| API | functions | implemented | |
| --- | --- | --- | --- |
"""


def rows(api: str) -> tuple[set[str], set[str]]:
    """All functions of an API, and those that are implemented."""
    text = (ROOT / "generated" / api / "host_exports.inc").read_text("utf-8")
    every, done = set(), set()
    for kind, name in _ROW.findall(text):
        public = name.removesuffix("_spt")
        every.add(public)
        if kind in ("IMPLEMENTED", "UNGUARDED"):
            done.add(public)
    return every, done


def _sections(missing: set[str]) -> Iterator[str]:
    left = set(missing)
    for reason, pattern in REASONS:
        names = sorted(one for one in left if re.search(pattern, one))
        left -= set(names)
        if names:
            listed = ", ".join(f"`{one}`" for one in names)
            yield textwrap.fill(
                f"- {reason} {listed}", 120, subsequent_indent="  ", break_long_words=False
            )


def page() -> str:
    """The whole page."""
    lines, parts = [], []
    for api, title in APIS.items():
        every, done = rows(api)
        share = f"{100 * len(done) / len(every):.0f} %"
        lines.append(f"| {title} | {len(every)} | {len(done)} | {share} |")
        parts.append(f"## Missing of {title}\n\n" + "\n".join(_sections(every - done)) + "\n")
    return _HEAD + "\n".join(lines) + "\n\n" + "\n".join(parts)


def main() -> int:
    """Write the page; with --check, say whether it is as it would be written."""
    text = page()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.read_text("utf-8") == text:
        return 0
    print("docs/host-functions.md is old: python tools/host_functions.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
