"""Programs that are traced, on the host runtime."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def traced(python, tmp_path):
    """Runs code with PYGPU_TRACE; returns the calls of its file of JSON lines."""

    def run(code: str, **options) -> list[dict]:
        file = tmp_path / "calls.jsonl"
        python(code, PYGPU_BACKEND="host", PYGPU_TRACE=str(file), **options)
        return lines_of(file)

    return run


def lines_of(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]
