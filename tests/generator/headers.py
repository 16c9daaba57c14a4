"""Small headers for the tests of the parser, and the real ones where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from generator.model import Release
from generator.parse import Conventions, HeaderSet, ParseRequest, parse_release

ROOT = Path(__file__).resolve().parent.parent.parent
PER_THREAD = "GPU_PER_THREAD"


def parse_text(folder: Path, text: str, **others: str) -> Release:
    """Parse one header of an API "gpu"; `others` are further headers, by name without ".h"."""
    for name, content in {"gpu": text, **others}.items():
        (folder / f"{name}.h").write_text(content)
    return parse_release(
        ParseRequest(
            "gpu", "1.0", HeaderSet(folder, "gpu.h"), Conventions("gpu", "GPU_"), PER_THREAD
        )
    )


def in_cpp(text: str) -> str:
    """Declarations as a vendor's header has them: extern "C" in C++."""
    return f'#ifdef __cplusplus\nextern "C" {{\n#endif\n{text}\n#ifdef __cplusplus\n}}\n#endif\n'


def missing(what: str) -> None:
    """Skip visibly; where CI promises everything, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and CI must have it")
    pytest.skip(f"{what} is missing")
