"""NVRTC's names on HIP: each reaches hipRTC's function, in every listed release."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest

import PyGPU
from generator import store
from generator.emit import SPECS
from generator.merge import release_of
from tests.own_interpreter import own_interpreter
from tests.standin.library import StandIn, build

PROGRAM = 0x7E00_0000_1000
EIGHT = struct.pack("<Q", 8)  # a size, and a value with as many bytes
MODEL = store.load(SPECS / "hiprtc" / "api.json")


@pytest.fixture(params=MODEL.releases)
def of_release(request, once) -> str:
    """The path of the stand-in for a listed release."""

    def built(folder: Path) -> None:
        build(release_of(MODEL, request.param), f"{request.param}.0", folder)

    (path,) = once(f"hiprtc-{request.param}", built).glob("libhiprtc.so.*")
    return str(path)


def every_name(library: str) -> None:
    assert not {"PyGPU._nvrtc", "PyGPU._hiprtc"} & sys.modules.keys()
    PyGPU.nvrtcVersion()  # loads the library
    standin = StandIn(Path(library))
    standin.put(0, struct.pack("<Q", PROGRAM))
    for place in (4, 5):
        standin.put(place, b"")  # C reads it, although the type would allow writing
    program, err = PyGPU.nvrtcCreateProgram("source", "name.cu", 1, ["one"], ["a"])
    assert not err and int(program) == PROGRAM and isinstance(program, PyGPU.nvrtcProgram)
    assert err is PyGPU.NVRTC_SUCCESS and type(err) is PyGPU.nvrtcResult
    standin.put(2, b"")
    called = {
        "CompileProgram": PyGPU.nvrtcCompileProgram(program, 1, ["-O3"]),
        "AddNameExpression": PyGPU.nvrtcAddNameExpression(program, "k<int>"),
        "DestroyProgram": PyGPU.nvrtcDestroyProgram(program),
    }
    assert not any(called.values())
    standin.reset()
    assert PyGPU.nvrtcGetLoweredName(PROGRAM, "k<int>") == ("text of parameter 2", 0)
    assert PyGPU.nvrtcGetErrorString(PyGPU.NVRTC_SUCCESS) == "text of the result"
    assert standin.calls() == ["hiprtcGetLoweredName", "hiprtcGetErrorString"]
    for name, theirs, wanted in (
        ("nvrtcGetPTX", "hiprtcGetCode", EIGHT),
        ("nvrtcGetCUBIN", "hiprtcGetCode", EIGHT),
        ("nvrtcGetProgramLog", "hiprtcGetProgramLog", "\x08"),
    ):
        standin.reset()
        standin.put(1, EIGHT)
        assert getattr(PyGPU, name)(PROGRAM) == (wanted, 0)
        assert standin.calls() == [f"{theirs}Size", theirs]
        assert getattr(PyGPU, f"{name}Size")(PROGRAM) == (8, 0)
        with pytest.raises(TypeError, match=rf"{name}\(prog\): parameter 'prog' is missing"):
            getattr(PyGPU, name)()
    standin.reset()
    standin.set_status(6)
    with pytest.raises(PyGPU.GPUError, match="nvrtcCompileProgram: NVRTC_ERROR_COMPILATION"):
        PyGPU.checked.nvrtcCompileProgram(PROGRAM, 0, [])


def test_every_name_reaches_hiprtc(python, of_release):
    python(every_name, of_release, PYGPU_BACKEND="hip", PYGPU_HIPRTC_LIBRARY=of_release)


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIPRTC_LIBRARY="/nonexistent")
def test_what_hiprtc_lacks_is_said():
    assert PyGPU.nvrtcCreateProgram("source", "", 0, [], [])[1].code == 303
    with pytest.raises(PyGPU.GPUError, match=r"nvrtcGetSupportedArchs.*hipRTC has no counterpart"):
        PyGPU.checked.nvrtcGetSupportedArchs()
    with pytest.raises(AttributeError, match="'NVRTC_ERROR_BUSY': hipRTC has no counterpart of it"):
        _ = PyGPU.NVRTC_ERROR_BUSY


@own_interpreter(PYGPU_BACKEND="cuda")
def test_on_cuda_they_are_nvrtcs():
    assert "PyGPU._nvrtc" not in sys.modules
    assert PyGPU.nvrtcCreateProgram is PyGPU.nvrtc.nvrtcCreateProgram
    assert PyGPU.checked.nvrtcCreateProgram is PyGPU.nvrtc.checked.nvrtcCreateProgram
    assert PyGPU.nvrtcResult is PyGPU.nvrtc.nvrtcResult
