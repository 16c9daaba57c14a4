"""Small programs that are recorded and replayed: each does another thing with a device.

A program that is a generator does what comes before its `yield` before the trace begins.
"""

from __future__ import annotations

import ctypes
import inspect
import threading
from collections.abc import Callable, Iterator

import numpy as np

import PyGPU
from PyGPU import checked as gpu
from PyGPU import cu
from tests.trace.replayed_kernels import SOURCE, kernel

COUNT = 256
UP, DOWN = PyGPU.cudaMemcpyHostToDevice, PyGPU.cudaMemcpyDeviceToHost
ACROSS = PyGPU.cudaMemcpyDeviceToDevice
ONE = {"grid": 1, "block": COUNT}


def numbers(dtype: type = np.int32) -> np.ndarray:
    return np.arange(1, COUNT + 1, dtype=dtype)


def arrays_up_and_down() -> None:
    array = PyGPU.to_gpu(numbers())
    array.set(numbers() * 2)
    assert (array.get() == numbers() * 2).all()


def a_kernel_on_an_array() -> None:
    array = PyGPU.to_gpu(numbers())
    kernel("add_one")(array, **ONE)
    assert (array.get() == numbers() + 1).all()


def a_kernel_within_an_array() -> None:
    array = PyGPU.to_gpu(np.zeros(4 * COUNT, np.int32))
    kernel("add_one")(array[COUNT : 2 * COUNT], **ONE)
    assert array.get().sum() == COUNT


def floats() -> None:
    x, y = PyGPU.to_gpu(numbers(np.float32)), PyGPU.to_gpu(np.full(COUNT, 0.1, np.float32))
    kernel("saxpy")(y, x, np.float32(1 / 3), np.uint32(COUNT - 1), **ONE)
    assert y.get()[-1] == np.float32(0.1) != y.get()[0]


def doubles() -> None:
    y, x = PyGPU.to_gpu(numbers(np.float64)), PyGPU.to_gpu(np.full(COUNT, 3.0))
    kernel("root_of_ratio")(y, x, **ONE)
    assert (y.get() == np.sqrt(numbers(np.float64) / 3)).all()


def calls_of_the_runtime() -> None:
    pointer, out = gpu.cudaMalloc(8 * COUNT), np.zeros(2 * COUNT, np.int32)
    gpu.cudaMemset(pointer, 0, 8 * COUNT)
    gpu.cudaMemcpy(pointer + 4 * COUNT, numbers(), 4 * COUNT, UP)
    gpu.cudaMemcpy(pointer, pointer + 4 * COUNT, 2 * COUNT, ACROSS)
    gpu.cudaMemcpy(out.ctypes.data, pointer, 8 * COUNT, DOWN)  # the address alone
    gpu.cudaFree(pointer)
    assert out.sum() == numbers().sum() + numbers()[: COUNT // 2].sum()


def calls_of_the_driver() -> None:
    cu.checked.cuInit(0)
    gpu.cudaFree(None)
    function = cu.checked.cuModuleGetFunction(cu.checked.cuModuleLoadData(SOURCE.encode()), "saxpy")
    x, y = (cu.checked.cuMemAlloc(4 * COUNT) for _ in range(2))
    cu.checked.cuMemcpyHtoD(x, numbers(np.float32), 4 * COUNT)
    cu.checked.cuMemsetD32(y, 0, COUNT)
    values = [ctypes.c_void_p(y), np.uint64(x), ctypes.c_float(2), np.uint32(COUNT)]
    cu.checked.cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1, 0, 0, values, None)
    out = np.zeros(COUNT, np.float32)
    cu.checked.cuMemcpyDtoH(out, y, 4 * COUNT)
    assert (out == numbers() * 2).all()


def a_library_of_the_runtime() -> None:
    library = gpu.cudaLibraryLoadData(SOURCE.encode(), None, None, 0, None, None, 0)
    function = gpu.cudaLibraryGetKernel(library, "add_one")
    array = PyGPU.to_gpu(numbers())
    gpu.cudaLaunchKernel(function, 1, COUNT, [array], 0, 0)
    assert (array.get() == numbers() + 1).all()


def two_streams() -> None:
    first, second = PyGPU.Stream(), PyGPU.Stream()
    array, add = PyGPU.to_gpu(numbers()), kernel("add_one")
    add(array, stream=first, **ONE)
    second.wait(first.record())
    add(array, stream=second, **ONE)
    second.synchronize()
    assert (array.get() == numbers() + 2).all()


def copies_that_are_queued() -> None:
    stream = gpu.cudaStreamCreate()
    event = gpu.cudaEventCreate()
    pinned, pointer = gpu.cudaMallocHost(4 * COUNT), gpu.cudaMalloc(4 * COUNT)
    view = np.ctypeslib.as_array((ctypes.c_int32 * COUNT).from_address(pinned))
    view[:] = numbers()
    gpu.cudaMemcpyAsync(pointer, pinned, 4 * COUNT, UP, stream)
    gpu.cudaEventRecord(event, stream)
    gpu.cudaEventSynchronize(event)
    view[:] = 0
    gpu.cudaMemcpyAsync(pinned + 4, pointer, 4 * COUNT - 4, DOWN, stream)
    gpu.cudaStreamSynchronize(stream)
    assert (view[1:] == numbers()[:-1]).all()
    gpu.cudaStreamDestroy(stream)


def strided_arrays() -> None:
    array = PyGPU.to_gpu(numbers().reshape(16, 16))
    turned = array.T.copy()
    turned[::2, 1:5] = array[8:, 3:7]
    expected = numbers().reshape(16, 16).T.copy()
    expected[::2, 1:5] = numbers().reshape(16, 16)[8:, 3:7]
    assert (turned.get() == expected).all()


def casts_and_fills() -> None:
    array = PyGPU.to_gpu(numbers(np.float64))
    as_integers = array.astype(np.int16)
    as_integers[10:20].fill(7)
    assert as_integers.get().sum() == numbers().sum() - numbers()[10:20].sum() + 70


def rectangles() -> None:
    source, out = numbers().reshape(16, 16), np.zeros((4, 8), np.int32)
    pointer, pitch = gpu.cudaMallocPitch(64, 16)
    gpu.cudaMemcpy2D(pointer, pitch, source, 64, 64, 16, UP)
    gpu.cudaMemcpy2D(out, 32, pointer + 4 * pitch + 8, pitch, 32, 4, DOWN)
    assert (out == source[4:8, 2:10]).all()


def boxes() -> None:
    source, out = numbers().reshape(4, 8, 8), np.zeros((2, 4, 4), np.int32)
    memory = gpu.cudaMalloc3D(PyGPU.cudaExtent(32, 8, 4))
    ends = {"srcPtr": (source, 32, 8, 8), "dstPtr": memory, "extent": (32, 8, 4), "kind": UP}
    gpu.cudaMemcpy3D(PyGPU.cudaMemcpy3DParms(**ends))
    ends = {"srcPtr": memory, "srcPos": (4, 1, 2), "dstPtr": (out, 16, 4, 4)}
    gpu.cudaMemcpy3D(PyGPU.cudaMemcpy3DParms(**ends, extent=(16, 4, 2), kind=DOWN))
    assert (out == source[2:4, 1:5, 1:5]).all()


def a_captured_graph() -> None:
    """Its copies read and write the host's memory at each launch."""
    stream, pointer = gpu.cudaStreamCreate(), gpu.cudaMalloc(4 * COUNT)
    data, out, add = numbers(), np.zeros(COUNT, np.int32), kernel("add_one")
    gpu.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeRelaxed)
    gpu.cudaMemcpyAsync(pointer, data, 4 * COUNT, UP, stream)
    add(ctypes.c_void_p(pointer), stream=stream, **ONE)
    gpu.cudaMemcpyAsync(out, pointer, 4 * COUNT, DOWN, stream)
    graph = gpu.cudaStreamEndCapture(stream)
    launched = gpu.cudaGraphInstantiate(graph, 0)
    for by in range(3):
        data[:] = numbers() * by
        gpu.cudaGraphLaunch(launched, stream)
        gpu.cudaStreamSynchronize(stream)
        assert (out == numbers() * by + 1).all()


def a_graph_of_nodes() -> None:
    array, graph = PyGPU.to_gpu(numbers()), PyGPU.Graph()
    first = graph.memset(array, 0)
    graph.kernel(kernel("add_one"), array, after=first, **ONE)
    stream = PyGPU.Stream()
    for _ in range(2):
        graph.launch(stream)
    stream.synchronize()
    assert (array.get() == 1).all()


def threads() -> None:
    add, wrong = kernel("add_one"), []

    def work(by: int) -> None:
        array = PyGPU.to_gpu(numbers() * by)
        stream = PyGPU.Stream()
        for _ in range(3):
            add(array, stream=stream, **ONE)
        stream.synchronize()
        if (array.get() != numbers() * by + 3).any():
            wrong.append(by)

    all_of_them = [threading.Thread(target=work, args=(by,)) for by in range(4)]
    for one in all_of_them:
        one.start()
    for one in all_of_them:
        one.join()
    assert not wrong


def managed_memory() -> None:
    pointer = gpu.cudaMallocManaged(4 * COUNT, PyGPU.cudaMemAttachGlobal)
    view = np.ctypeslib.as_array((ctypes.c_int32 * COUNT).from_address(pointer))
    add = kernel("add_one")
    for by in (1, 2):
        view[:] = numbers() * by  # without a call
        add(ctypes.c_void_p(pointer), **ONE)
        gpu.cudaDeviceSynchronize()
        assert (view == numbers() * by + 1).all()


def mapped_memory() -> None:
    pinned = gpu.cudaHostAlloc(4 * COUNT, PyGPU.cudaHostAllocMapped)
    view = np.ctypeslib.as_array((ctypes.c_int32 * COUNT).from_address(pinned))
    view[:] = numbers()
    kernel("add_one")(ctypes.c_void_p(gpu.cudaHostGetDevicePointer(pinned, 0)), **ONE)
    gpu.cudaDeviceSynchronize()
    assert (view == numbers() + 1).all()


def a_table_of_pointers() -> None:
    """Addresses among the data, which goes back to the host, too."""
    array, out = PyGPU.to_gpu(numbers()), PyGPU.zeros(COUNT, np.int32)
    base = int(array.ptr)
    table = PyGPU.to_gpu(base + 4 * np.arange(COUNT, dtype=np.uint64)[::-1].copy())
    kernel("gather")(out, table, **ONE)
    assert (out.get() == numbers()[::-1]).all() and table.get()[-1] == base


class Struct(ctypes.Structure):
    _fields_ = (("values", ctypes.c_void_p), ("by", ctypes.c_uint32))


def a_struct_among_the_arguments() -> None:
    array = PyGPU.to_gpu(numbers())
    kernel("add_of_struct")(Struct(int(array.ptr), 5), **ONE)
    assert (array.get() == numbers() + 5).all()


def a_variable_of_the_code() -> None:
    module = PyGPU.Module(SOURCE.encode())
    array = PyGPU.to_gpu(numbers())
    module["times_factor"](array, **ONE)
    module.array("factor", np.uint32, ()).set(np.uint32(5))
    module["times_factor"](array, **ONE)
    assert (array.get() == numbers() * 15).all()


def memory_from_before() -> Iterator[None]:
    """Arrays that there were when the trace began."""
    array, add = PyGPU.to_gpu(numbers()), PyGPU.zeros(3 * COUNT, np.int32)
    pointer = gpu.cudaMalloc(4 * COUNT)
    gpu.cudaMemcpy(pointer, numbers(), 4 * COUNT, UP)
    yield
    one = kernel("add_one")
    one(array, **ONE)
    one(add[COUNT:], **ONE)
    one(ctypes.c_void_p(pointer), **ONE)
    out = np.zeros(COUNT, np.int32)
    gpu.cudaMemcpy(out, pointer, 4 * COUNT, DOWN)
    assert (array.get() == out).all() and add.get().sum() == COUNT


def memory_of_a_pool() -> None:
    stream, out = gpu.cudaStreamCreate(), np.zeros(COUNT, np.int32)
    for by in range(3):
        pointer = gpu.cudaMallocAsync(4 * COUNT, stream)
        gpu.cudaMemcpyAsync(pointer, numbers() * by, 4 * COUNT, UP, stream)
        gpu.cudaMemcpyAsync(out, pointer, 4 * COUNT, DOWN, stream)
        gpu.cudaFreeAsync(pointer, stream)
        gpu.cudaStreamSynchronize(stream)
        assert (out == numbers() * by).all()


def calls_that_fail() -> None:
    """Their errors are part of what a replay has to show."""
    assert PyGPU.cudaMemcpy(numbers(), None, 4 * COUNT, DOWN)
    assert PyGPU.cudaSetDevice(99) and PyGPU.cudaGetLastError()
    _, error = PyGPU.cudaMalloc(1 << 60)
    assert error
    arrays_up_and_down()


def a_function_of_the_host() -> None:
    """It isn't called by a replay; what it does to memory is in the trace."""
    stream, seen = gpu.cudaStreamCreate(), []
    gpu.cudaLaunchHostFunc(stream, seen.append, "called")
    gpu.cudaStreamSynchronize(stream)
    arrays_up_and_down()


PROGRAMS: dict[str, Callable[[], object]] = {
    name: one
    for name, one in list(globals().items())
    if inspect.isfunction(one) and one.__module__ == __name__ and name not in ("numbers",)
}


def record(name: str, path: str, **settings: object) -> None:
    """Run a program within a trace with data."""
    program = PROGRAMS[name]
    steps = program() if inspect.isgeneratorfunction(program) else iter([None])
    next(steps)
    with PyGPU.trace(path, **settings):
        if steps.__class__.__name__ == "generator":
            next(steps, None)
        else:
            program()
