"""hipRTC's functions on a stand-in: what C receives, and what comes back."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path

import pytest

from PyGPU import hiprtc
from tests.own_interpreter import own_interpreter
from tests.standin.library import StandIn

PROGRAM = 0x7E00_0000_1000
EIGHT = struct.pack("<Q", 8)  # a size, and a value with as many bytes


@own_interpreter("on_standin")
def test_a_program_is_made_of_sources_and_headers(library):
    standin = loaded(library)
    for place in (1, 2):
        standin.peek(place, -2)
    standin.put(0, struct.pack("<Q", PROGRAM))
    for place in (4, 5):
        standin.put(place, b"")  # C reads it, although the type would allow writing
    program, err = hiprtc.hiprtcCreateProgram("source", "name.hip", 2, ["one", "two"], ["a", "b"])
    assert not err and int(program) == PROGRAM and type(program) is hiprtc.hiprtcProgram
    assert standin.behind(1) == b"source\0" and standin.behind(2) == b"name.hip\0"
    assert standin.argument(3) == struct.pack("<i", 2)
    with pytest.raises(ValueError, match=r"hiprtcCreateProgram.*'headers' is too short"):
        hiprtc.hiprtcCreateProgram("source", None, 3, ["one"], ["a"])


@own_interpreter("on_standin")
def test_code_bitcode_and_log_are_as_long_as_c_says(library):
    standin = loaded(library)
    for name, asked, wanted in (
        ("hiprtcGetCode", "hiprtcGetCodeSize", EIGHT),
        ("hiprtcGetBitcode", "hiprtcGetBitcodeSize", EIGHT),
        ("hiprtcGetProgramLog", "hiprtcGetProgramLogSize", "\x08"),
    ):
        standin.reset()
        standin.put(1, EIGHT)
        assert getattr(hiprtc, name)(PROGRAM) == (wanted, 0)
        assert standin.calls() == [asked, name]
        standin.reset()
        standin.set_status(4)
        assert getattr(hiprtc, name)(PROGRAM) == (None, hiprtc.HIPRTC_ERROR_INVALID_PROGRAM)


@own_interpreter("on_standin")
def test_options_and_names(library):
    standin = loaded(library)
    standin.put(2, b"")
    assert not hiprtc.hiprtcCompileProgram(PROGRAM, 2, ["-O3", b"--offload-arch=gfx942"])
    assert standin.argument(1) == struct.pack("<i", 2)
    standin.reset()
    name, err = hiprtc.hiprtcGetLoweredName(PROGRAM, "kernel<int>")
    assert (name, err) == ("text of parameter 2", 0)
    assert hiprtc.hiprtcVersion()[2] == 0


@own_interpreter("on_standin")
def test_values_of_options_stand_in_the_pointers(library):
    standin = loaded(library)
    for place in (1, 2):
        standin.put(place, b"")
    texts = (ctypes.c_char_p * 2)(b"-mllvm", b"-inline-threshold=1")
    options = [hiprtc.hipJitOptionIRtoISAOptExt, hiprtc.hipJitOptionIRtoISAOptCountExt]
    assert options == [
        hiprtc.HIPRTC_JIT_IR_TO_ISA_OPT_EXT,
        hiprtc.HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT,
    ]
    standin.peek(1, 8)
    standin.peek(2, 16)
    state, err = hiprtc.hiprtcLinkCreate(2, options, [texts, 2])
    assert not err and type(state) is hiprtc.hiprtcLinkState
    assert standin.behind(1) == struct.pack("<2i", 10000, 10001)
    assert standin.behind(2) == struct.pack("<2Q", ctypes.addressof(texts), 2)
    with pytest.raises(ValueError, match=r"hiprtcLinkAddData.*'image' is too short"):
        hiprtc.hiprtcLinkAddData(state, 100, b"BC", 3, "bitcode", 0, [], [])
    standin.reset()
    standin.quiet()
    assert not hiprtc.hiprtcLinkAddData(state, 100, b"BC", 2, "bitcode", 0, [], [])
    standin.reset()
    standin.put(1, struct.pack("<Q", 0x7000))
    standin.put(2, EIGHT)
    assert hiprtc.hiprtcLinkComplete(state) == (0x7000, 8, 0)


@own_interpreter("on_standin")
def test_a_program_ends_with_its_owner(library):
    standin = loaded(library)
    standin.put(0, struct.pack("<Q", PROGRAM))
    owner = hiprtc.hiprtcProgram(src="source")
    del owner
    assert standin.calls() == ["hiprtcCreateProgram", "hiprtcDestroyProgram"]


def loaded(library: str) -> StandIn:
    """The stand-in's control, after PyGPU has opened it."""
    hiprtc.hiprtcVersion()
    return StandIn(Path(library))
