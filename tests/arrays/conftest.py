"""Fixtures for arrays: a Python of its own on the strict host runtime, and on GPUs."""

from __future__ import annotations

import functools
import pathlib
import textwrap

import pytest

NO_ROOM = "AddressSanitizer failed to allocate"  # where memory runs out on purpose
# Python 3.12 warns of every fork beside threads; the host runtime's own are stopped in a child.
WARNINGS = "ignore:This process:DeprecationWarning"


@pytest.fixture
def on_host(python, host_library):
    """Runs code in an interpreter of its own on three strict devices of the host runtime.

    Misuse that the runtime reports (on stderr) fails the test.
    """
    run = functools.partial(
        python, PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="3", PYGPU_HOST_STRICT="1"
    )

    def run_clean(code: str, **environment: str):
        result = run(code, **{"PYTHONWARNINGS": WARNINGS} | environment)
        reports = [line for line in result.stderr.splitlines() if NO_ROOM not in line]
        assert not reports, result.stderr
        return result

    return run_clean


@pytest.fixture
def way_out(device) -> str:
    """What messages name, a pattern: who has the kernel that PyGPU has not."""
    return (
        r"a\.get\(\)" if device.backend == "host" else r"cupy\.asarray\(a\) or torch\.as_tensor\(a"
    )


@pytest.fixture
def program(python):
    """`program(path, *arguments)`: runs a file of this folder on two strict host devices."""

    def run(path: pathlib.Path, *arguments: str, **environment: str) -> None:
        host = {"PYGPU_BACKEND": "host", "PYGPU_HOST_DEVICES": "2", "PYGPU_HOST_STRICT": "1"}
        result = python(path.read_text(), *arguments, **host | environment)
        assert not result.stderr, result.stderr

    return run


# PyGPU.host controls the host runtime alone: what tests use of it, for GPUs. A host function holds
# a stream up; what was leaked can't be asked.
GPU_CONTROLS = """
    import sys, threading, types, PyGPU

    class pause:
        def __init__(self, stream):
            self.stream, self.go_on = stream, threading.Event()

        def __enter__(self):
            PyGPU.checked.cudaLaunchHostFunc(self.stream, lambda data: self.go_on.wait(), None)
            return self

        def resume(self):
            self.go_on.set()

        def __exit__(self, *raised):
            self.resume()

    PyGPU.host = sys.modules["PyGPU.host"] = types.ModuleType("PyGPU.host")
    PyGPU.host.pause, PyGPU.host.leaks = pause, str
"""


@pytest.fixture
def on_gpus(request, python, device_count):
    """Runs code in an interpreter of its own; skips without as many GPUs as `mark.gpus` says."""
    marker = request.node.get_closest_marker("gpus")
    asked = marker.args[0] if marker else 1
    if device_count < asked:
        pytest.skip(f"GPUs asked for: {asked}, here: {device_count}")

    def run_on_gpus(code: str, **environment: str):
        code = textwrap.dedent(GPU_CONTROLS) + textwrap.dedent(code)
        result = python(code, **{"PYTHONWARNINGS": WARNINGS} | environment)
        assert not result.stderr, result.stderr
        return result

    return run_on_gpus


@pytest.fixture(params=["host", "GPUs"])
def on_devices(request):
    """Runs code as `on_host` does and, where they are there, as `on_gpus` does."""
    return request.getfixturevalue("on_host" if request.param == "host" else "on_gpus")


@pytest.fixture
def behind(python, compile_library, host_library):
    """`behind(source, code)`: runs code on the host runtime with a library in front of it.

    The library, a libcudart of this folder's, is given to the code as sys.argv[1], and what else
    there is after it.
    """
    here, folder = pathlib.Path(__file__).parent, host_library.parent

    flags = [f'-DHOST_RUNTIME="{host_library}"', f"-I{here}", f"-Wl,-rpath,{folder}"]
    flags += ["-Wl,--no-as-needed", f"-L{folder}", "-lpygpu_host"]

    def run_behind(source: str, code: str, *arguments: str) -> None:
        library = compile_library("libcudart.so.13", (here / source).read_text(), *flags)
        result = python(
            textwrap.dedent(code),
            library,
            *arguments,
            PYGPU_BACKEND="cuda",
            PYGPU_CUDA_LIBRARY=library,
            PYGPU_HOST_STRICT="1",
            PYGPU_HOST_DEVICES="2",
        )
        assert not result.stderr, result.stderr

    return run_behind
