"""Eight threads share one module: what is made on first use is made once, and nothing gets lost.

`make sanitize` runs these tests again, with TSan in the module and in the host runtime.
"""

from __future__ import annotations

import copy
import ctypes
import gc
import os
import random
import signal
import sys
import threading
import warnings
import weakref

import pytest

import PyGPU
from PyGPU import _core, cuda, hip
from tests.own_interpreter import own_interpreter
from tests.threads.at_once import THREADS, at_once, same_for_all

# A libcudart that counts its calls in atomics, for the threads of one process.
LIBRARY = r"""
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>
struct Held {
    void (*destroy)(void *);
    void *pointer;
};
static std::mutex mutex;
static std::vector<Held> held;
static std::vector<std::thread> drivers;
extern "C" {
static std::atomic<int> asked_for_version, made, destroyed, failed;
static std::atomic<std::uintptr_t> last{0x10000};
int cudaRuntimeGetVersion(int *version) { ++asked_for_version; *version = 13000; return 0; }
int cudaGetDevice(int *device) { *device = 0; return 0; }
int cudaGetLastError() { return 0; }
int cudaPeekAtLastError() { return 0; }
int cudaSetDevice(int device) { return device; }
static int make(void **handle) {
    ++made;
    *handle = reinterpret_cast<void *>(last += 0x1000);
    return 0;
}
int cudaStreamCreateWithPriority(void **stream, unsigned, int) { return make(stream); }
int cudaEventCreateWithFlags(void **event, unsigned) { return make(event); }
int cudaStreamDestroy(void *) { ++destroyed; return 0; }
int cudaEventDestroy(void *) { ++destroyed; return 0; }
int cudaMemcpy3D(const void *) { return 0; }
static void *const capturing = reinterpret_cast<void *>(0x7000);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data) {
    if (stream != capturing) function(data);
    return 0;
}
// One stream captures. What its graph holds is let go of by a thread of the driver's.
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *, void **graph, void *,
                             void *, void *) {
    *status = reinterpret_cast<std::uintptr_t>(stream) == 0x7000;
    *graph = reinterpret_cast<void *>(0x9000);
    return 0;
}
int cudaUserObjectCreate(void **object, void *pointer, void (*destroy)(void *), unsigned,
                         unsigned) {
    std::lock_guard lock(mutex);
    held.push_back({destroy, pointer});
    *object = reinterpret_cast<void *>(0x8000);
    return 0;
}
int cudaGraphRetainUserObject(void *, void *, unsigned, unsigned) { return 0; }
int cudaGraphDestroy(void *) {
    std::lock_guard lock(mutex);
    drivers.emplace_back([all = std::exchange(held, {})] {
        for (const Held &one : all) one.destroy(one.pointer);
    });
    return 0;
}
int settle() {
    for (std::thread &one : drivers) one.join();
    drivers.clear();
    return 0;
}
int times_asked_for_version() { return asked_for_version; }
int times_made() { return made; }
int times_destroyed() { return destroyed; }
}
"""


@pytest.fixture(scope="module")
def library(compile_library) -> str:
    return compile_library("libcudart.so.13", LIBRARY)


@pytest.fixture
def run(run_on_host, library):
    """Runs on the counting library."""
    return run_on_host.having(PYGPU_CUDA_LIBRARY=library, PYGPU_BACKEND="cuda")


def first_calls():
    calls = [
        cuda.cudaGetDevice,
        lambda: PyGPU.cudaGetDevice(),
        lambda: PyGPU.checked.cudaGetDevice(),
        lambda: int(cuda.cudaStream_t()) and cuda.cudaGetDevice(),
        lambda: cuda.cudaDeviceMask and cuda.cudaGetDevice(),
        lambda: cuda.address("cudaGetDevice") and cuda.cudaGetDevice(),
        lambda: cuda.cudaMemcpy3D({"extent": (1, 1, 1)}).name and cuda.cudaGetDevice(),
        lambda: PyGPU.cuda.checked.cudaGetDevice(),
    ]
    results = at_once(lambda number: calls[number]())
    assert results == [(0, 0)] * 2 + [0] + [(0, 0)] * 4 + [0], results


@own_interpreter("run")
def test_the_first_call_of_eight_threads_loads_the_library_once():
    first_calls()
    assert ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"]).times_asked_for_version() == 1


@own_interpreter("run_on_host")
def test_the_first_call_of_eight_threads_on_the_host_runtime():
    first_calls()


@pytest.mark.parametrize("of", ["cuda", "hip", "PyGPU"])
@own_interpreter("run_on_host")
def test_every_name_is_made_once(of):
    names = _core.names("hip" if of == "hip" else "cuda")
    module = PyGPU if of == "PyGPU" else getattr(PyGPU, of)

    def look(number):
        order = random.Random(number).sample(names, len(names))
        return {name: getattr(module, name, None) for name in order}

    cuda.cudaRuntimeGetVersion(), hip.hipRuntimeGetVersion()  # some names belong to other releases
    results = at_once(look)
    same_for_all(results)
    assert sum(one is not None for one in results[0].values()) > len(names) * 0.8


@own_interpreter("run")
def test_the_first_values_of_every_struct_and_enumerator():
    def use(number):
        kinds = set()
        for name in random.Random(number).sample(names, len(names)):
            made = getattr(cuda, name, None)
            if isinstance(made, type) and hasattr(made, "sizeof"):
                one = made()
                assert copy.copy(one) == one and repr(one)
                kinds.add(made)
        return kinds

    cuda.cudaRuntimeGetVersion()
    names = _core.names("cuda")
    results = at_once(use)
    assert len(results[0]) > 100 and all(one == results[0] for one in results)


@own_interpreter("run")
def test_errors_are_the_same_objects_on_all_threads():
    def ask(number):
        codes = random.Random(number).sample(range(1100), 1100)
        found = {code: cuda.cudaSetDevice(code) for code in codes}
        for code, error in found.items():
            assert error == code and error.name and str(error)
        return {code: error for code, error in found.items() if "(" not in error.name}

    same_for_all(at_once(ask))

    def fail(number):
        for code in range(1, 200):
            with pytest.raises(PyGPU.GPUError) as raised:
                PyGPU.checked.cudaSetDevice(code)
            assert raised.value.error == code

    at_once(fail)


@own_interpreter("run")
def test_handles_are_destroyed_as_often_as_they_were_made():
    c = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])
    shared = []

    def make(number):
        for at in range(300):
            mine = [cuda.cudaStream_t(), cuda.cudaEvent_t(flags=2)]
            shared.append(mine.pop())  # ends on the thread that takes it out
            if len(shared) > 8:
                shared.pop(0)
            if at % 3 == 0:
                cuda.cudaStreamDestroy(mine.pop())
            if at % 100 == 0:
                gc.collect()

    at_once(make)
    shared.clear()
    gc.collect()
    assert c.times_made() == c.times_destroyed() == THREADS * 300 * 2


@own_interpreter("run")
def test_callables_are_called_and_let_go_of():
    class Callback:
        def __init__(self, seen):
            self.seen = seen

        def __call__(self, data):
            self.seen.append(data)
            if data % 5 == 0:
                raise KeyError(data)

    reported, alive = [], weakref.WeakSet()
    sys.unraisablehook = lambda one: reported.append(one.exc_value.args[0])

    def enqueue(number):
        seen = []
        for at in range(200):
            callback = Callback(seen)
            alive.add(callback)
            assert int(cuda.cudaLaunchHostFunc(4096, callback, at)) == 0
        return seen

    for seen in at_once(enqueue):
        assert seen == list(range(200))
    gc.collect()
    assert sorted(reported) == sorted(list(range(0, 200, 5)) * THREADS)
    assert not alive


@own_interpreter("run")
def test_callables_that_graphs_let_go_of_on_other_threads():
    class Callback:
        def __call__(self, data):
            pass

    c, alive = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"]), weakref.WeakSet()

    def capture(number):
        for at in range(100):
            callback = Callback()
            alive.add(callback)
            assert int(cuda.cudaLaunchHostFunc(0x7000, callback, at)) == 0
            del callback
            if at % 10 == number:
                cuda.cudaGraphDestroy(0x9000)

    at_once(capture)
    cuda.cudaGraphDestroy(0x9000)
    c.settle()
    cuda.cudaGetDevice()
    gc.collect()
    assert not alive, len(alive)


@own_interpreter("run_on_host")
def test_streams_of_the_host_runtime_with_host_functions():
    gpu = PyGPU.checked

    def work(number):
        stream, event, seen = PyGPU.cudaStream_t(flags=1), PyGPU.cudaEvent_t(), []
        room = bytearray(64)
        pointer = gpu.cudaMallocAsync(64, stream)
        for at in range(40):
            gpu.cudaMemsetAsync(pointer, at, 64, stream)
            gpu.cudaLaunchHostFunc(stream, seen.append, at)
            gpu.cudaEventRecord(event, stream)
            gpu.cudaMemcpyAsync(room, pointer, 64, 2, stream)
            gpu.cudaStreamSynchronize(stream)
            assert gpu.cudaEventQuery(event) and set(room) == {at}
        gpu.cudaFreeAsync(pointer, stream)
        gpu.cudaStreamSynchronize(stream)
        return seen

    assert at_once(work) == [list(range(40))] * THREADS


@own_interpreter("run_on_host")
def test_handles_that_end_inside_callbacks_end_with_later_calls():
    gpu = PyGPU.checked

    def work(number):
        stream = PyGPU.cudaStream_t(flags=1)
        for _ in range(40):
            owner = [PyGPU.cudaEvent_t()]
            gpu.cudaLaunchHostFunc(stream, list.clear, owner)
            gpu.cudaStreamQuery(stream)
        gpu.cudaStreamSynchronize(stream)
        assert owner == []

    at_once(work)


@own_interpreter("run")
def test_a_fork_beside_busy_threads_leaves_a_child_that_works():
    """In the child no lock of ours is held by a thread that the child doesn't have."""
    warnings.simplefilter("ignore")  # Python's own warning about threads and fork
    enough = threading.Event()
    owner = [cuda.cudaStream_t()]

    def busy():
        while not enough.is_set():
            streams = [cuda.cudaStream_t(), cuda.cudaEvent_t()]
            cuda.cudaLaunchHostFunc(4096, streams.append, None)
            cuda.cudaMemcpy3D({"extent": (1, 1, 1)})

    threads = [threading.Thread(target=busy) for _ in range(THREADS)]
    for one in threads:
        one.start()
    try:
        for turn in range(4):
            child = os.fork()
            if not child:
                signal.alarm(20)
                seen = []
                cuda.cudaLaunchHostFunc(4096, seen.append, turn)
                parts = cuda.cudaExtent(1, 2, 3), cuda.cudaMemcpyDefault, cuda.cudaError(turn)
                good = seen == [turn] and cuda.cudaGetDevice() == (0, 0) and all(parts[:2])
                owner.clear()
                gc.collect()
                os._exit(0 if good else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, turn
    finally:
        enough.set()
    for one in threads:
        one.join()
