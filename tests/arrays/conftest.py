"""Fixtures for arrays: own interpreters on the strict host runtime and on GPUs."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from PyGPU import _backend, _libraries
from PyGPU._libraries.candidates import major_of
from tests.own_interpreter import Interpreter

HERE = pathlib.Path(__file__).parent
COUNTED = {"cuda": "libcudart-counted.so.", "hip": "libamdhip64-counted.so."}
NEWEST = {"cuda": 13, "hip": 6}

NO_ROOM = "AddressSanitizer failed to allocate"  # printed by tests that exhaust memory on purpose
# Python 3.12 warns of every fork beside threads. The host runtime stops its own threads in a child.
WARNINGS = "ignore:This process:DeprecationWarning"


@pytest.fixture
def on_host(python, host_library) -> Interpreter:
    """Three strict devices of the host runtime; misuse that it reports fails the test."""
    host = {"PYGPU_BACKEND": "host", "PYGPU_HOST_DEVICES": "3", "PYGPU_HOST_STRICT": "1"}
    return replace(python.having(PYTHONWARNINGS=WARNINGS, **host), clean=True, expected=NO_ROOM)


@pytest.fixture
def as_card(on_host, host_library) -> Interpreter:
    """The same, taken for a card: arrays report CUDA, and lend their memory as CUDA memory."""
    library = str(host_library)
    return on_host.having(
        PYGPU_BACKEND="cuda", PYGPU_CUDA_LIBRARY=library, PYGPU_CU_LIBRARY=library
    )


@pytest.fixture
def program(on_host) -> Interpreter:
    """The same with two devices, for programs of this folder."""
    return on_host.having(PYGPU_HOST_DEVICES="2")


@pytest.fixture
def way_out(device) -> str:
    """A pattern for what error messages recommend: the package that has the missing kernel."""
    return (
        r"a\.get\(\)"
        if device.backend == "host"
        else r"cupy\.asarray\(a\) or torch\.from_dlpack\(a"
    )


@pytest.fixture
def counting(python, compile_library) -> Callable[[str, str], Interpreter]:
    """`counting(api, library)`: an interpreter on that library; host.leaks() counts its objects."""

    def interpreter(api: str, library: str) -> Interpreter:
        path = pathlib.Path(library).resolve()
        flags = [f"-D{api.upper()}", f"-I{HERE}", f'-DHOST_RUNTIME="{path}"', "-Wl,--no-as-needed"]
        flags += [str(path), f"-Wl,-rpath,{path.parent}"]
        name = COUNTED[api] + str(major_of(path.name) or NEWEST[api])
        front = compile_library(name, (HERE / "counted.cpp").read_text(), *flags)
        here = python.having(PYTHONWARNINGS=WARNINGS, PYGPU_BACKEND=api)
        here = here.having(**{f"PYGPU_{api.upper()}_LIBRARY": front})
        return replace(here, clean=True, first="tests.arrays.gpu_controls")

    return interpreter


@pytest.fixture
def on_gpus(request, counting, device_count) -> Interpreter:
    """The GPUs of this machine; skips the test where there are fewer than `mark.gpus` asks for."""
    marker = request.node.get_closest_marker("gpus")
    asked = marker.args[0] if marker else 1
    if device_count < asked:
        pytest.skip(f"GPUs asked for: {asked}, here: {device_count}")
    api, _ = _backend.choose({})
    return counting(api, next(one.path for one in _libraries.survey(api) if one.chosen))


@pytest.fixture(params=["host", "GPUs"])
def on_devices(request) -> Interpreter:
    """The interpreter of `as_card` and, where there are GPUs, that of `on_gpus`."""
    return request.getfixturevalue("as_card" if request.param == "host" else "on_gpus")


@pytest.fixture
def behind(program, compile_library, host_library) -> Callable[[str], Interpreter]:
    """`behind(source)`: the host runtime with a library from this folder in front of it."""
    folder = host_library.parent
    flags = [f'-DHOST_RUNTIME="{host_library}"', f"-I{HERE}", f"-Wl,-rpath,{folder}"]
    flags += ["-Wl,--no-as-needed", f"-L{folder}", "-lpygpu_host"]

    def interpreter(source: str) -> Interpreter:
        library = compile_library("libcudart.so.13", (HERE / source).read_text(), *flags)
        return program.having(PYGPU_BACKEND="cuda", PYGPU_CUDA_LIBRARY=library)

    return interpreter
