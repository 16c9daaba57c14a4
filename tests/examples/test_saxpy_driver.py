"""The SAXPY program of the driver API runs on the host runtime of either vendor, and on a GPU."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

SAXPY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "saxpy_driver.py"

# The stand-in for hipRTC gives the program as PTX, which the host runtime runs.
HIPRTC = r"""
#include <cstddef>
#include <cstring>
static const char code[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u64 out,"
    " .param .u64 n)\n{\n"
    ".reg .pred %p; .reg .f32 %f<4>; .reg .u32 %r<4>; .reg .u64 %rd<6>;\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "mad.lo.u32 %r1, %r1, %r2, %r3; cvt.u64.u32 %rd1, %r1; ld.param.u64 %rd2, [n];\n"
    "setp.ge.u64 %p, %rd1, %rd2; @%p ret; shl.b64 %rd1, %rd1, 2;\n"
    "ld.param.u64 %rd2, [x]; ld.param.u64 %rd3, [y]; ld.param.u64 %rd4, [out];\n"
    "add.u64 %rd2, %rd2, %rd1; add.u64 %rd3, %rd3, %rd1; add.u64 %rd4, %rd4, %rd1;\n"
    "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd3]; ld.param.f32 %f3, [a];\n"
    "mul.rn.f32 %f1, %f1, %f3; add.rn.f32 %f1, %f1, %f2; st.global.f32 [%rd4], %f1; ret;\n}\n";
static const char *source;
extern "C" {
int hiprtcVersion(int *major, int *minor) { *major = 9; *minor = 0; return 0; }
int hiprtcCreateProgram(void **program, const char *text, const char *, int, const char **,
                        const char **) {
    source = text;
    *program = &source;
    return std::strstr(text, "void saxpy(float a") ? 0 : 3;
}
int hiprtcCompileProgram(void *, int count, const char **options) {
    return count == 1 && !std::strcmp(options[0], "-ffp-contract=off") ? 0 : 5;
}
int hiprtcGetCodeSize(void *, std::size_t *size) { *size = sizeof code; return 0; }
int hiprtcGetCode(void *, char *to) { std::memcpy(to, code, sizeof code); return 0; }
int hiprtcGetProgramLogSize(void *, std::size_t *size) { *size = 1; return 0; }
int hiprtcGetProgramLog(void *, char *to) { *to = 0; return 0; }
int hiprtcDestroyProgram(void **program) { *program = nullptr; return 0; }
}
"""


def saxpy(**variables: str) -> str:
    done = subprocess.run(
        [sys.executable, SAXPY],
        env=os.environ | {"PYGPU_HOST_STRICT": "1"} | variables,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("backend", ["host", "cuda"])
def test_saxpy(backend, has_device):
    if backend == "cuda" and not has_device:
        pytest.skip("no device on this machine")
    said = saxpy(PYGPU_BACKEND=backend)
    assert said.startswith("saxpy of 1048576 elements on ")
    assert said.endswith("equals numpy's\n")


def test_saxpy_on_hip(host_library, compile_library):
    """The program is unchanged.

    It uses the host runtime's HIP functions and a stand-in compiler.
    """
    said = saxpy(
        PYGPU_BACKEND="hip",
        PYGPU_HIP_LIBRARY=str(host_library),
        PYGPU_HIPRTC_LIBRARY=compile_library("libhiprtc.so.6", HIPRTC),
    )
    assert said == "saxpy of 1048576 elements on PyGPU host device 0 equals numpy's\n"
