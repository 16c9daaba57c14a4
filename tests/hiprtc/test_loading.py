"""How hipRTC is found: its own library, else HIP's.

Also what the real library of HIP 5.2.3 answers.
"""

from __future__ import annotations

import os

import pytest

from PyGPU import _libraries, hiprtc
from PyGPU._libraries import Surroundings
from PyGPU._libraries.judge import order
from PyGPU._libraries.places import gather
from tests.own_interpreter import own_interpreter


def found(tmp_path, *loaded: str) -> list[str]:
    """The libraries in the order in which they are tried."""
    around = Surroundings(
        environ={"ROCM_PATH": str(tmp_path / "rocm")},
        sys_path=[str(tmp_path / "site")],
        loaded=[str(tmp_path / one) for one in loaded],
        root=str(tmp_path / "root"),
    )
    candidates = order("hiprtc", gather("hiprtc", around), None)
    return [os.path.relpath(one.path, tmp_path) for one in candidates]


def test_its_own_library_comes_before_hips(tmp_path, make_library):
    """HIP 7's runtime no longer has these functions, though it may be loaded already."""
    make_library("site/torch/lib/libamdhip64.so.6")
    make_library("rocm/lib/libamdhip64.so.6")
    assert found(tmp_path) == ["site/torch/lib/libamdhip64.so.6", "rocm/lib/libamdhip64.so.6"]
    make_library("rocm/lib/libhiprtc.so.6")
    make_library("rocm/lib/libhiprtc-builtins.so.6")
    assert found(tmp_path, "site/torch/lib/libamdhip64.so.6") == [
        "rocm/lib/libhiprtc.so.6",
        "site/torch/lib/libamdhip64.so.6",
        "rocm/lib/libamdhip64.so.6",
    ]


@own_interpreter(PYGPU_HIPRTC_LIBRARY="/nowhere/libhiprtc.so.6")
def test_without_a_library_every_call_says_so():
    with pytest.warns(RuntimeWarning, match="PYGPU_HIPRTC_LIBRARY names a library"):
        assert hiprtc.hiprtcVersion() == (None, None, 303)
    assert hiprtc.hiprtcGetErrorString(6) == "compilation"
    assert hiprtc.hiprtcGetBitcode(4096) == (None, 303)


@pytest.fixture
def on_real_hip(python, hip_library):
    """The real library of HIP 5.2.3, which contains hipRTC."""
    folder = os.path.dirname(hip_library)
    return python.having(PYGPU_HIPRTC_LIBRARY=hip_library, LD_LIBRARY_PATH=folder)


@pytest.mark.hip_library
@own_interpreter("on_real_hip")
def test_the_real_library_of_an_older_release():
    """The library of its compiler is missing, so programs would crash it."""
    assert hiprtc.hiprtcVersion() == (9, 0, 0)
    assert _libraries.installed("hiprtc")["release"] == "5.2"
    assert hiprtc.hiprtcGetErrorString(6) == "HIPRTC_ERROR_COMPILATION"
    assert hiprtc.hiprtcGetBitcode(None) == (None, 302)
    assert hiprtc.hiprtcLinkCreate(0, [], []) == (None, 302)
    with pytest.raises(AttributeError, match=r"6\.4"):
        _ = hiprtc.HIPRTC_ERROR_LINKING
