"""NVTX from the PyPI package, with a profiler of ours: what it is told, and what nobody is."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from PyGPU import _libraries, cuda, nvtx
from tests.conftest import unavailable
from tests.own_interpreter import Interpreter, own_interpreter


@pytest.fixture(scope="session")
def profiler(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The profiler of profiler.c."""
    if not any(one.chosen for one in _libraries.survey("nvtx")):
        unavailable("no libnvtx3interop (pip install nvidia-nvtx)")
    compiler = os.environ.get("CC") or shutil.which("gcc") or unavailable("no C compiler")
    library = tmp_path_factory.mktemp("nvtx") / "profiler.so"
    source = Path(__file__).with_name("profiler.c")
    options = ["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([str(compiler), *options, str(source), "-o", str(library)], check=True)
    return library


@pytest.fixture
def profiled(python: Interpreter, profiler: Path) -> Interpreter:
    """An interpreter whose NVTX loads the profiler."""
    named = {one: os.environ[one] for one in ("PYGPU_NVTX_LIBRARY",) if one in os.environ}
    return python.having(NVTX_INJECTION64_PATH=str(profiler), **named)


@pytest.fixture
def alone(python: Interpreter, profiler: Path) -> Interpreter:
    """An interpreter without a profiler."""
    named = {one: os.environ[one] for one in ("PYGPU_NVTX_LIBRARY",) if one in os.environ}
    return python.having(NVTX_INJECTION64_PATH=None, **named)


def told() -> list[str]:
    """What the profiler was told since the last call."""
    library = ctypes.CDLL(os.environ["NVTX_INJECTION64_PATH"])
    library.told.restype = ctypes.c_char_p
    return library.told().decode().splitlines()


@own_interpreter("profiled")
def test_marks_and_ranges():
    assert nvtx.nvtxMark("here") is None
    assert [nvtx.nvtxRangePush("outer"), nvtx.nvtxRangePush("inner")] == [0, 1]
    assert [nvtx.nvtxRangePop(), nvtx.nvtxRangePop()] == [1, 0]
    one = nvtx.nvtxRangeStart("long")
    assert one == 1 << 40
    nvtx.nvtxRangeEnd(one)
    ranges = ["push outer", "push inner", "pop", "pop", "start long", "end 10000000000"]
    assert told() == ["mark here", *ranges]


@own_interpreter("profiled")
def test_attributes_have_their_version_and_size():
    event = nvtx.nvtxEventAttributes_t(
        category=3,
        colorType=nvtx.NVTX_COLOR_ARGB,
        color=0xFF00FF,
        payloadType=nvtx.NVTX_PAYLOAD_TYPE_DOUBLE,
        payload={"dValue": 0.5},
        messageType=nvtx.NVTX_MESSAGE_TYPE_ASCII,
        message={"ascii": b"text\0"},
    )
    nvtx.nvtxMarkEx(event)
    assert told() == ["event 3 1 3 ff00ff 0.5 text"]


@own_interpreter("profiled")
def test_domains_and_what_they_name():
    domain = nvtx.nvtxDomainCreate("mine")
    assert domain
    attributes = {
        "identifierType": nvtx.NVTX_RESOURCE_TYPE_GENERIC_HANDLE,
        "identifier": {"ullValue": 0xABC},
        "messageType": nvtx.NVTX_MESSAGE_TYPE_ASCII,
        "message": {"ascii": b"a lock\0"},
    }
    assert nvtx.nvtxDomainResourceCreate(domain, attributes)
    event = {"messageType": nvtx.NVTX_MESSAGE_TYPE_ASCII, "message": {"ascii": b"in it\0"}}
    assert nvtx.nvtxDomainRangePushEx(domain, event) == 3
    nvtx.nvtxNameCudaStream(cuda.cudaStream_t(0x7700), "a stream")
    nvtx.nvtxDomainDestroy(domain)
    assert told() == [
        "domain mine",
        "resource 8 3 1 abc a lock",
        "push 8 in it",
        "stream 7700 a stream",
        "end of domain 8",
    ]


@own_interpreter("alone")
def test_nobody_listens():
    nvtx.nvtxMark("here")
    assert nvtx.nvtxRangePush("outer") == nvtx.NVTX_NO_PUSH_POP_TRACKING
    domain = nvtx.nvtxDomainCreate("mine")
    assert not domain
    nvtx.nvtxDomainDestroy(domain)
