"""Small headers for the parser's tests, and the vendors' real headers where they are available."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from generator.model import Release
from generator.parse import Conventions, HeaderSet, ParseRequest, parse_release

ROOT = Path(__file__).resolve().parent.parent.parent
PER_THREAD = "GPU_PER_THREAD"


def parse_text(folder: Path, text: str, **others: str) -> Release:
    """Parse one header of an API "gpu". `others` are more headers, by name without ".h"."""
    for name, content in {"gpu": text, **others}.items():
        (folder / f"{name}.h").write_text(content)
    return parse_release(
        ParseRequest(
            "gpu", "1.0", HeaderSet(folder, "gpu.h"), Conventions("gpu", "GPU_"), PER_THREAD
        )
    )


def in_cpp(text: str) -> str:
    """The declarations in extern "C", as vendors' headers have them for C++."""
    return f'#ifdef __cplusplus\nextern "C" {{\n#endif\n{text}\n#ifdef __cplusplus\n}}\n#endif\n'


def missing(what: str) -> None:
    """Skip visibly; fail in CI, where nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and CI must have it")
    pytest.skip(f"{what} is missing")
