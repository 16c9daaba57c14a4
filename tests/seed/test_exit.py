"""The interpreter ends cleanly beside blocking calls, host functions and waiting finalisers."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

import PyGPU
from tests.own_interpreter import AT_EXIT, own_interpreter

HERE = pathlib.Path(__file__).parent

# A libcudart with what the loader looks for. Its cudaDeviceSynchronize writes a byte to one pipe,
# then waits for a byte from another pipe.
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


def begin(function) -> tuple[threading.Thread, int]:
    """Starts a thread with a call that waits, and gives the pipe to which a byte ends the call."""
    entered, leave = os.pipe(), os.pipe()
    os.environ["STAND_IN_ENTERED"], os.environ["STAND_IN_LEAVE"] = str(entered[1]), str(leave[0])
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    os.read(entered[0], 1)  # the other thread only runs because the call releases the GIL
    return thread, leave[1]


def synchronize(checked):
    return (PyGPU.checked if checked else PyGPU).cudaDeviceSynchronize


@pytest.fixture
def on_stand_in(python, compile_library):
    library = compile_library("libcudart.so.13", STAND_IN)
    return replace(python.having(PYGPU_CUDA_LIBRARY=library), clean=True)


@pytest.mark.parametrize("checked", [False, True])
@own_interpreter("on_stand_in", prints="leaving\n")
def test_thread_that_never_comes_back(checked):
    begin(synchronize(checked))
    print("leaving")


class Last:
    """Is freed late: lets the call return, and waits until its thread has settled."""

    def __init__(self, thread, leave):
        self.path, self.leave = f"/proc/self/task/{thread.native_id}/stat", leave

    def __del__(
        self, open=open, now=time.monotonic, write=os.write, yielding=os.sched_yield
    ):  # most names are gone by then
        write(self.leave, b"x")
        deadline = now() + 2
        calm = 0
        while now() < deadline and calm < 500:
            try:
                with open(self.path) as file:
                    calm = calm + 1 if file.read().rsplit(")", 1)[1].split()[0] == "S" else 0
            except OSError:  # the thread is gone
                return
            yielding()


@pytest.mark.parametrize("checked", [False, True])
@own_interpreter("on_stand_in", prints="leaving\n")
def test_thread_that_comes_back_while_the_interpreter_ends(checked):
    AT_EXIT.append(Last(*begin(synchronize(checked))))
    print("leaving", flush=True)


@own_interpreter("on_stand_in")
def test_call_that_comes_back_in_time():
    answers = []
    thread, leave = begin(lambda: answers.append(PyGPU.cudaDeviceSynchronize()))
    os.write(leave, b"x")
    thread.join()
    assert answers == [0]


@own_interpreter("on_stand_in")
def test_what_the_stand_in_lacks_is_a_status():
    assert PyGPU.cudaSetDevice(0) == 302
    assert PyGPU.cudaMalloc(1) == (None, 302)


def run_program(name: str, argument: str) -> tuple[object, str, str]:
    """How a program beside this file ends on the host runtime: exit code, stdout, stderr."""
    environment = os.environ | {"PYGPU_BACKEND": "host"}
    environment.pop("OPENBLAS_NUM_THREADS", None)  # numpy's threads run, as for users
    try:
        result = subprocess.run(
            [sys.executable, HERE / name, argument],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "hangs", "", ""
    return result.returncode, result.stdout, result.stderr


BESIDE_CALLBACK = {
    # The function gets time to return, and the stream continues.
    "returns": "returned\n(0, 0, 0)\n('NoneType', 'ndarray')\n",
    # Calls that would never return are refused.
    "hangs": "(800, 800, 800)\n('refused', 'refused')\n",
}


@pytest.mark.parametrize("function", BESIDE_CALLBACK)
def test_finalisers_that_wait_beside_a_host_function(function, host_library):
    answer = run_program("exit_beside_callback.py", function)
    assert answer == (0, BESIDE_CALLBACK[function], "")


# The last three once crashed: threads that the interpreter ended released objects without the GIL.
SEEDS = [*range(16), 177, 182, 269]


def test_random_exits(host_library):
    """For other seeds: `python tests/seed/random_exit.py SEED`."""
    with ThreadPoolExecutor(4) as pool:
        ends = list(pool.map(lambda seed: run_program("random_exit.py", str(seed)), SEEDS))
    wrong = {seed: end for seed, end in zip(SEEDS, ends, strict=True) if end[0] not in (0, 3)}
    assert not wrong
