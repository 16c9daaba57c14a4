"""The interpreter ends well while a daemon thread is inside a blocking call."""

from __future__ import annotations

import pytest

# A libcudart that has what a loader looks for, and a cudaDeviceSynchronize that tells a pipe it was
# entered, then waits until it may read a byte of another.
STAND_IN = r"""
#include <cstdlib>
#include <unistd.h>

static int descriptor(const char* name) { return std::atoi(std::getenv(name)); }

extern "C" {
int cudaRuntimeGetVersion(int* version) { *version = 13000; return 0; }
int cudaDriverGetVersion(int* version) { *version = 13000; return 0; }
int cudaGetLastError() { return 0; }
int cudaDeviceSynchronize() {
    char byte = 1;
    if (write(descriptor("STAND_IN_ENTERED"), &byte, 1) != 1) return 1;
    if (read(descriptor("STAND_IN_LEAVE"), &byte, 1) != 1) return 1;
    return 0;
}
}
"""

START = """
    import os, threading
    entered, leave = os.pipe(), os.pipe()
    os.environ["STAND_IN_ENTERED"], os.environ["STAND_IN_LEAVE"] = str(entered[1]), str(leave[0])
    import PyGPU
    thread = threading.Thread(target={call}, daemon=True)
    thread.start()
    os.read(entered[0], 1)  # the other thread runs only because the call let go of the GIL
"""

CALLS = ["PyGPU.cudaDeviceSynchronize", "PyGPU.checked.cudaDeviceSynchronize"]


@pytest.fixture(scope="module")
def stand_in(compile_library):
    return compile_library("libcudart.so.13", STAND_IN)


@pytest.mark.parametrize("call", CALLS)
def test_thread_that_never_comes_back(python, stand_in, call):
    code = START.format(call=call) + "    print('leaving')\n"
    result = python(code, PYGPU_CUDA_LIBRARY=stand_in)
    assert (result.stdout, result.stderr) == ("leaving\n", "")


@pytest.mark.parametrize("call", CALLS)
def test_thread_that_comes_back_while_the_interpreter_ends(python, stand_in, call):
    """The last module global to go lets the call return, and waits until its thread has settled."""
    code = (
        START.format(call=call)
        + """
    import time

    def settle(
        path, open=open, now=time.monotonic, write=os.write, fd=leave[1], yielding=os.sched_yield
    ):
        write(fd, b"x")
        deadline = now() + 2
        calm = 0
        while now() < deadline and calm < 500:
            try:
                with open(path) as file:
                    calm = calm + 1 if file.read().rsplit(")", 1)[1].split()[0] == "S" else 0
            except OSError:  # the thread is gone
                return
            yielding()

    class Last:
        def __init__(self, path):
            self.path = path

        def __del__(self, settle=settle):
            settle(self.path)

    last = Last(f"/proc/self/task/{thread.native_id}/stat")
    print("leaving", flush=True)
"""
    )
    result = python(code, PYGPU_CUDA_LIBRARY=stand_in)
    assert (result.stdout, result.stderr) == ("leaving\n", "")


def test_call_that_comes_back_in_time(python, stand_in):
    code = (
        START.format(call="lambda: answers.append(PyGPU.cudaDeviceSynchronize())").replace(
            "    thread =", "    answers = []\n    thread ="
        )
        + "    os.write(leave[1], b'x'); thread.join(); print(answers)\n"
    )
    assert python(code, PYGPU_CUDA_LIBRARY=stand_in).stdout == "[<cudaError: code=0>]\n"


def test_what_the_stand_in_lacks_is_a_status(python, stand_in):
    code = "import PyGPU; print(PyGPU.cudaSetDevice(0), PyGPU.cudaMalloc(1))"
    printed = python(code, PYGPU_CUDA_LIBRARY=stand_in).stdout
    assert "302" in printed
    assert "(None, <cudaError: code=302>)" in printed
