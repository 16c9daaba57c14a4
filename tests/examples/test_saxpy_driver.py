"""The SAXPY program of the driver API runs on the host runtime of either vendor, and on a GPU."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

SAXPY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "saxpy_driver.py"

# What hipRTC would give for the program: the host runtime reads the parameters of a kernel in PTX.
HIPRTC = r"""
#include <cstddef>
#include <cstring>
static const char code[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry saxpy(.param .f32 a, .param .u64 x, .param .u64 y, .param .u64 out,"
    " .param .u64 n)\n{\nret;\n}\n";
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
    """Unchanged: HIP's functions of the host runtime, and a stand-in for the compiler."""
    said = saxpy(
        PYGPU_BACKEND="hip",
        PYGPU_HIP_LIBRARY=str(host_library),
        PYGPU_HIPRTC_LIBRARY=compile_library("libhiprtc.so.6", HIPRTC),
    )
    assert said == "saxpy of 1048576 elements on PyGPU host device 0 equals numpy's\n"
