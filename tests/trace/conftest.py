"""Programs that are traced, on the host runtime, and traces that are replayed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from PyGPU import _backend, _libraries
from PyGPU._apis import APIS
from tests.conftest import ROOT
from tests.own_interpreter import Done, Interpreter

COMMAND = "import sys; from PyGPU.doctor.cli import main; sys.exit(main(sys.argv[1:]))"


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


@pytest.fixture
def on_standin(python, host_library, compile_library) -> Interpreter:
    """The host runtime in CUDA's place, beside the stand-in for CUPTI."""
    if not APIS["cupti"].is_installed:
        pytest.skip("PyGPU.cupti isn't installed")
    text = (ROOT / "tests" / "cupti" / "standin.cpp").read_text()
    return python.having(
        PYGPU_BACKEND="cuda",
        PYGPU_CUDA_LIBRARY=str(host_library),
        PYGPU_CUPTI_LIBRARY=compile_library("libcupti.so.13", text),
    )


@pytest.fixture
def on_gpus(python: Interpreter, has_device: bool) -> Interpreter:
    """A GPU of NVIDIA's, which takes PTX."""
    if not has_device or _backend.choose({})[0] != "cuda":
        pytest.skip("no GPU of NVIDIA's on this machine")
    return python


@pytest.fixture
def with_cupti(on_gpus) -> Interpreter:
    """A GPU of NVIDIA's, and the real CUPTI."""
    if not APIS["cupti"].is_installed:
        pytest.skip("PyGPU.cupti isn't installed")
    if not any(one.chosen for one in _libraries.survey("cupti")):
        pytest.skip("no libcupti (pip install nvidia-cuda-cupti)")
    return on_gpus


@pytest.fixture
def replayed() -> Callable[[Interpreter, Path], dict]:
    """Replays a file in an interpreter of its own; returns what the command says as JSON."""

    def run(where: Interpreter, file: Path) -> dict:
        done = where(COMMAND, "trace", "replay", str(file), "--json", check=False)
        assert done.stdout, done.stderr
        found = json.loads(done.stdout)
        assert done.returncode == (0 if found["equal"] else 1)
        return found

    return run


@pytest.fixture
def refused(on_host) -> Callable[[Path], str]:
    """Replays a file that can't be replayed, on the host runtime; returns the message."""

    def run(file: Path) -> str:
        done: Done = on_host(COMMAND, "trace", "replay", str(file), check=False)
        assert done.returncode == 1 and not done.stdout, done
        (line,) = done.stderr.splitlines()
        assert str(file) in line, line
        return line

    return run
