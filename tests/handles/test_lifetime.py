"""An owner that ends destroys its handle silently, and not where the handle is already gone."""

from __future__ import annotations

import ctypes
import gc
import os
from dataclasses import replace

import pytest

from PyGPU import cuda
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("run")

RELAXED, GLOBAL = 2, 0

if IN_CHILD:
    c = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])

# A libcudart that counts what was destroyed, and records the circumstances.
LIBRARY = r"""
#include <cstddef>
#include <unistd.h>
extern "C" {
static int destroyed, failing, mode_at_destroy = -1, device_of_destroyer = -1, resets;
static std::size_t made;
static thread_local int last_error, mode, device;
static int done(int status) {
    if (status) last_error = status;
    return status;
}
int cudaRuntimeGetVersion(int *version) { *version = 13000; return 0; }
int cudaGetDevice(int *out) { *out = device; return 0; }
int cudaSetDevice(int given) { device = given; return 0; }
int cudaGetLastError() {
    const int error = last_error;
    last_error = 0;
    return error;
}
int cudaPeekAtLastError() { return last_error; }
int cudaThreadExchangeStreamCaptureMode(int *given) {
    const int before = mode;
    mode = *given;
    *given = before;
    return 0;
}
int cudaStreamCreateWithPriority(void **stream, unsigned, int) {
    *stream = reinterpret_cast<void *>(++made << 12);
    return 0;
}
int cudaEventCreateWithFlags(void **event, unsigned) {
    *event = reinterpret_cast<void *>(++made << 12);
    return 0;
}
static int destroy() {
    mode_at_destroy = mode;
    device_of_destroyer = device;
    ++destroyed;
    return done(failing);
}
int cudaStreamDestroy(void *) { return destroy(); }
int cudaGraphCreate(void **graph, unsigned) {
    *graph = reinterpret_cast<void *>(++made << 12);
    return 0;
}
int cudaGraphInstantiateWithFlags(void **graph, void *, unsigned long long) {
    return cudaGraphCreate(graph, 0);
}
int cudaGraphExecDestroy(void *) { return destroy(); }
int cudaGraphDestroy(void *) { return destroy(); }
int cudaEventDestroy(void *) { return destroy(); }
int cudaStreamQuery(void *) { return 0; }
int cudaSetDoubleForHost(double *) { return done(1); }
int cudaDeviceReset() {
    ++resets;
    return 0;
}
int cudaDeviceSynchronize() { return 0; }

int times_destroyed() { return destroyed; }
int times_reset() { return resets; }
int seen_mode() { return mode_at_destroy; }
int seen_device() { return device_of_destroyer; }
int current_mode() { return mode; }
void fail_destroys(int status) { failing = status; }
}
"""


@pytest.fixture(scope="module")
def library(compile_library) -> str:
    return compile_library("libcudart.so.13", LIBRARY)


@pytest.fixture
def run(python, library):
    """Runs on that library; any output on stderr fails the test."""
    return replace(python.having(PYGPU_CUDA_LIBRARY=library), clean=True)


def test_a_capture_of_others_is_not_disturbed():
    event = cuda.cudaEvent_t()
    del event
    assert c.times_destroyed() == 1
    assert c.seen_mode() == RELAXED and c.current_mode() == GLOBAL


def test_a_failed_destroy_is_not_the_last_error():
    stream = cuda.cudaStream_t()
    c.fail_destroys(400)
    del stream
    assert c.times_destroyed() == 1 and int(cuda.cudaPeekAtLastError()) == 0


def test_an_error_that_waits_to_be_seen_stays():
    cuda.cudaSetDevice(3)
    streams = [cuda.cudaStream_t(), cuda.cudaStream_t()]
    assert int(cuda.cudaSetDoubleForHost(1.0)[-1]) == 1
    for failure in (0, 400):
        c.fail_destroys(failure)
        streams.pop()
        assert int(cuda.cudaPeekAtLastError()) == 1
    assert c.times_destroyed() == 2
    assert c.seen_mode() == RELAXED and c.current_mode() == GLOBAL
    assert c.seen_device() == 3, "no other device is woken for it"


def test_an_exception_on_its_way_stays():
    c.fail_destroys(400)

    def fails():
        _stream = cuda.cudaStream_t()
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fails()
    gc.collect()
    assert c.times_destroyed() == 1


def test_what_a_reset_ended_is_forgotten():
    before, elsewhere = cuda.cudaStream_t(), None
    cuda.cudaSetDevice(1)
    elsewhere = cuda.cudaStream_t()
    cuda.cudaSetDevice(0)
    assert int(cuda.cudaDeviceReset()) == 0 and c.times_reset() == 1
    after = cuda.cudaStream_t()
    del before
    assert c.times_destroyed() == 0
    del elsewhere
    assert c.times_destroyed() == 1
    del after
    assert c.times_destroyed() == 2


def test_a_reset_through_the_functions_address_counts():
    stream = cuda.cudaStream_t()
    ctypes.CFUNCTYPE(ctypes.c_int)(cuda.address("cudaDeviceReset"))()
    del stream
    assert c.times_reset() == 1 and c.times_destroyed() == 0


def test_a_child_process_forgets_what_its_parent_owns():
    stream = cuda.cudaStream_t()
    child = os.fork()
    if not child:
        del stream
        gc.collect()
        os._exit(c.times_destroyed())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    del stream
    assert c.times_destroyed() == 1


def test_who_destroys_it_itself_is_asked_no_more():
    stream = cuda.cudaStream_t()
    assert int(cuda.cudaStreamDestroy(stream)) == 0
    del stream
    assert c.times_destroyed() == 1
    event = cuda.cudaEvent_t()
    c.fail_destroys(400)
    assert int(cuda.cudaEventDestroy(event)) == 400 == int(cuda.cudaGetLastError())
    c.fail_destroys(0)
    del event
    assert c.times_destroyed() == 3, "a failed destroy leaves it to its owner"


def test_a_with_block_ends_what_it_owns_once():
    with cuda.cudaStream_t() as stream, cuda.cudaEvent_t(flags=2) as event:
        assert stream and event
        assert int(cuda.cudaEventDestroy(event)) == 0
        assert c.times_destroyed() == 1
    assert c.times_destroyed() == 2
    assert not stream and int(stream) == 0
    with pytest.raises(ValueError, match="the cudaStream_t was ended by its `with` block"):
        cuda.cudaStreamQuery(stream)  # null would be C's default stream
    with pytest.raises(ValueError, match="ended by its `with` block"):
        stream.__cuda_stream__()
    with pytest.raises(ValueError, match="with cudaStream_t: it was destroyed"):
        stream.__enter__()
    with pytest.raises(RuntimeError, match="on its way"), cuda.cudaEvent_t() as event:
        raise RuntimeError("on its way")
    assert c.times_destroyed() == 3
    del stream, event
    assert c.times_destroyed() == 3
    wrapped = cuda.cudaStream_t(0x5000)
    with pytest.raises(
        TypeError, match=r"not owned; one that cudaStream_t\(flags=0, prio.* made is"
    ):
        wrapped.__enter__()
    wrapped.__exit__(None, None, None)
    assert int(wrapped) == 0x5000 and c.times_destroyed() == 3
    assert not hasattr(cuda.cudaArray_t, "__enter__"), "C makes no owner of it"


def test_a_with_block_leaves_what_c_refuses_to_end():
    with cuda.cudaStream_t() as stream:
        c.fail_destroys(400)
    c.fail_destroys(0)
    assert stream and c.times_destroyed() == 1
    del stream
    assert c.times_destroyed() == 2


def test_a_with_block_waits_for_what_was_created_with_its_handle():
    with cuda.cudaGraph_t() as graph:
        executable = cuda.cudaGraphExec_t(graph=graph)
    assert c.times_destroyed() == 0 and graph
    del executable
    assert c.times_destroyed() == 2 and not graph
    with cuda.cudaGraph_t() as graph, cuda.cudaGraphExec_t(graph=graph) as executable:
        assert executable
    assert c.times_destroyed() == 4 and not graph
