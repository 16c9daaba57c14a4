"""What hipRTC is asked, on a stand-in; and what is read from code objects that clang made."""

from __future__ import annotations

import pathlib
import shutil
import struct
import subprocess

import pytest

from PyGPU import compiler, hiprtc
from PyGPU._kernels import hsaco
from tests.conftest import unavailable
from tests.hiprtc.conftest import library, make_library  # noqa: F401
from tests.own_interpreter import own_interpreter
from tests.standin.library import StandIn

PROGRAM = 0x7E00_0000_1000
EIGHT = struct.pack("<I", 8)  # the low half of a size, code, and an int of the version
SOURCE = pathlib.Path(__file__).parent / "code_object.hip"


@pytest.fixture
def on_standin(python, library, host_library):  # noqa: F811
    """HIP's functions of the host runtime, and the stand-in as hipRTC."""
    return python.having(
        PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY=str(host_library), PYGPU_HIPRTC_LIBRARY=library
    )


def prepared(path: str) -> StandIn:
    """The stand-in's control. It makes a program, and code of eight bytes."""
    hiprtc.hiprtcVersion()
    standin = StandIn(pathlib.Path(path))
    standin.reset()
    standin.put(0, struct.pack("<Q", PROGRAM))
    standin.put(1, EIGHT)
    for place in (2, 4, 5):
        standin.put(place, b"")
    return standin


@own_interpreter("on_standin")
def test_hiprtc_is_asked_for_code(library, tmp_path):  # noqa: F811
    standin = prepared(library)
    made = compiler.compile("source", ["-O3"], "gfx942", {"a.h": "text"}, cache_dir=tmp_path)
    assert (made.kind, made.arch, len(made)) == ("hsaco", "gfx942", 8)
    assert made.compiler.startswith("hipRTC ")
    assert standin.calls() == [
        "hiprtcVersion", "hiprtcCreateProgram", "hiprtcCompileProgram", "hiprtcGetProgramLogSize",
        "hiprtcGetProgramLog", "hiprtcGetCodeSize", "hiprtcGetCode", "hiprtcDestroyProgram",
    ]  # fmt: skip
    standin.reset()
    again = compiler.compile("source", ["-O3"], "gfx942", {"a.h": "text"}, cache_dir=tmp_path)
    assert again.cached and again == made and standin.calls() == []


@own_interpreter("on_standin", HIPRTC_COMPILE_OPTIONS_APPEND="-g")
def test_what_its_environment_adds_is_another_entry(library, tmp_path):  # noqa: F811
    import os

    prepared(library)
    compiler.compile("source", (), "gfx942", cache_dir=tmp_path)
    os.environ["HIPRTC_COMPILE_OPTIONS_APPEND"] = "-O0"
    assert not compiler.compile("source", (), "gfx942", cache_dir=tmp_path).cached


@own_interpreter("on_standin")
def test_without_a_card_an_architecture_is_due(library):  # noqa: F811
    prepared(library)
    with pytest.raises(ValueError, match="there is no HIP device; name an arch, like 'gfx942'"):
        compiler.compile("source", cache=False)


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIPRTC_LIBRARY="/nowhere", PYGPU_HIP_LIBRARY="/nowhere")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_without_hiprtc():
    import PyGPU

    with pytest.raises(PyGPU.GPUError, match="no libhiprtc was found"):
        compiler.compile("source", arch="gfx942")


@pytest.fixture(scope="session")
def code_object(tmp_path_factory):
    """(*options) -> a code object made by clang, most builds of which can compile for AMD."""
    clang = shutil.which("clang++")
    folder = tmp_path_factory.mktemp("hsaco")

    def made(*options: str) -> bytes:
        if clang is None:
            pytest.skip("no clang++ here: g++ is enough to build PyGPU")
        target = folder / "made.hsaco"
        command = [clang, "-x", "hip", "--offload-arch=gfx90a", "--cuda-device-only", "-nogpuinc"]
        command += ["-nogpulib", "-O2", *options, "-o", str(target), str(SOURCE)]
        if (done := subprocess.run(command, capture_output=True, text=True)).returncode:
            unavailable(f"clang++ makes no code for AMD: {done.stderr[-200:]}")
        return target.read_bytes()

    return made


@pytest.mark.parametrize("options", [(), ("--no-gpu-bundle-output",)])
def test_the_parameters_of_a_code_object(code_object, options):
    found = hsaco.parameters(code_object(*options))
    assert {name: [tuple(one)[:4] for one in listed] for name, listed in found.items()} == {
        "_Z5scalePffiPKj4Pairxhd": [
            (8, "pointer", None, 0), (4, "float", None, 8), (4, "integer", True, 12),
            (8, "pointer", None, 16), (8, "bytes", None, 24), (8, "integer", True, 32),
            (1, "integer", False, 40), (8, "float", None, 48),
        ],
        "bare": [
            (8, "pointer", None, 0), (4, "bytes", None, 8), (8, "pointer", None, 16),
            (8, "bytes", None, 24),
        ],
        "none": [],
    }  # fmt: skip


def test_a_code_object_that_is_cut_or_changed(code_object):
    """The reader finds less or nothing, and never fails."""
    whole = code_object("--no-gpu-bundle-output")
    for end in range(0, 1200, 7):
        assert isinstance(hsaco.parameters(whole[:end]), dict)
    for at in range(1200):
        changed = bytearray(whole)
        changed[at] ^= 0xFF
        assert isinstance(hsaco.parameters(bytes(changed)), dict)


@pytest.mark.parametrize("code", [b"", b"\x7fELF", b"__CLANG_OFFLOAD_BUNDLE__", b"PTX" * 100])
def test_what_is_no_code_object(code):
    assert hsaco.parameters(code) == {}
