"""What a launch keeps alive while an argument's code, or another thread, destroys things."""

from __future__ import annotations

import ctypes
import gc
import weakref

import numpy as np
import pytest

import PyGPU
from PyGPU import compiler
from PyGPU._kernels import base, driver
from tests.arrays.uses import check_refused
from tests.kernels.device_code import SOURCE, interface, kernels
from tests.own_interpreter import IN_CHILD, own_interpreter

pytestmark = own_interpreter("on_devices")

if IN_CHILD:
    registered = kernels()  # removed at the end, with this object
    registered.__enter__()


def loaded() -> PyGPU.Module:
    return PyGPU.Module(compiler.compile(SOURCE, cache=False))


class Disturbing:
    """An array that runs other code before it tells its address."""

    def __init__(self, array, action):
        self.array, self.action = array, action

    @property
    def __cuda_array_interface__(self):
        self.action()
        return interface(self.array)


def test_no_argument_frees_the_memory_of_another():
    saxpy = loaded()["saxpy"]
    values = np.arange(1000, dtype=np.float32)
    for end in (lambda x: x.gpudata.free(), lambda x: x.__init__(1000, np.float32)):
        x, y = PyGPU.to_gpu(values), PyGPU.zeros(1000, np.float32)

        def disturb(x=x, end=end):
            end(x)
            gc.collect()
            PyGPU.to_gpu(np.full(1000, np.nan, np.float32))

        saxpy(2, x, Disturbing(y, disturb), 1000, grid=1000, block=1)
        np.testing.assert_array_equal(y.get(), 2 * values)


def test_an_argument_that_unloads_the_module_is_no_launch():
    module, y = loaded(), PyGPU.zeros(5, np.float64)
    with pytest.raises(ValueError, match=r"fill\(\): the module was unloaded"):
        module["fill"](Disturbing(y, module.unload), 1, 5, grid=1, block=1)
    assert (y.get() == 0).all()


def test_an_argument_that_prepares_the_kernel():
    fill, y = loaded()["fill"], PyGPU.zeros(5, np.float64)
    fill(Disturbing(y, lambda: fill.prepare("Pdq")), 3, 5, grid=1, block=1)
    assert (y.get() == 3).all()


def test_code_is_unloaded_after_the_launch_that_is_under_way():
    seen = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    def unload(handle):
        seen.append(f"unload {handle}")
        return 0

    @ctypes.CFUNCTYPE(ctypes.c_int)
    def plain():
        code.unload()
        assert code.unloaded
        seen.append("launched")
        return 0

    as_address = [ctypes.cast(one, ctypes.c_void_p).value for one in (plain, unload)]
    launchers = driver.driver().launchers._replace(plain=as_address[0])
    code = base.Code(7, as_address[1], 0)
    kernel = PyGPU.Kernel(code, "kernel", 1, tuple(launchers), 1024, ())
    kernel(grid=1, block=1)
    assert seen == ["launched", "unload 7"]
    with pytest.raises(ValueError, match=r"kernel\(\): the module was unloaded"):
        kernel(grid=1, block=1)


def test_a_half_is_given_by_its_bits_or_as_numpy_s():
    """numpy has no bfloat16."""
    plain = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 0)
    address = ctypes.cast(plain, ctypes.c_void_p).value
    launchers = driver.driver().launchers._replace(plain=address)
    code = base.Code(7, address, 0)
    kernel = PyGPU.Kernel(code, "kernel", 1, tuple(launchers), 1024, [(2, "float")])
    for half in (np.uint16(0x3F80), np.float16(1), ctypes.c_uint16(1), b"\x80\x3f"):
        kernel(half, grid=1, block=1)
    for other in (1, 1.0, np.float32(1), np.uint8(1), None):
        with pytest.raises(TypeError, match="takes a floating-point number of 2"):
            kernel(other, grid=1, block=1)


def test_code_is_unloaded_after_the_question_that_is_under_way():
    seen = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    def unload(handle):
        seen.append(handle)
        return 0

    code = base.Code(7, ctypes.cast(unload, ctypes.c_void_p).value, 0)
    with driver.using(code, "question"):
        code.unload()
        assert code.unloaded and not seen
    assert seen == [7]
    with pytest.raises(ValueError, match="question: the module was unloaded"):
        driver.using(code, "question").__enter__()


def test_a_library_outlives_the_reset_of_its_device():
    """A module ends with its context, and a library belongs to none."""
    seen = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    def unload(handle):
        seen.append(handle)
        return 0

    address = ctypes.cast(unload, ctypes.c_void_p).value
    codes = [base.Code(7, address, 0), base.Code(8, address, 0, 9), base.Code(10, address, 0, 11)]
    assert [one.library for one in codes] == [None, 9, 11]
    PyGPU.checked.cudaDeviceReset()
    assert not seen
    codes.pop()
    assert seen == [11]
    for one in codes:
        one.unload()
    assert seen == [11, 9]


def test_code_that_could_not_be_unloaded_stays():
    answers = [1, 0]
    unload = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda handle: answers.pop(0))
    code = base.Code(7, ctypes.cast(unload, ctypes.c_void_p).value, 0)
    with pytest.raises(PyGPU.GPUError, match="InvalidValue"):
        code.unload()
    assert not code.unloaded
    code.unload()
    code.unload()
    assert code.unloaded and not answers


def test_configured_kernels_are_collected_with_their_streams():
    class Stream:
        def __cuda_stream__(self):
            return (0, 0)

    stream = Stream()
    stream.kernel = loaded()["nothing"][1, 1, stream]
    stream.kernel()
    gone = weakref.ref(stream)
    del stream
    gc.collect()
    assert gone() is None


def test_nothing_is_asked_of_code_that_is_gone():
    """The driver's handles of such code are dangling."""
    module, other = loaded(), loaded()
    kernel = other["nothing"]
    other.unload()
    for ask in (lambda: kernel.num_regs, lambda: list(other), lambda: other.get_global("table")):
        with pytest.raises(ValueError, match="the module was unloaded"):
            ask()
    kernel = module["nothing"]
    PyGPU.checked.cudaDeviceReset()
    for ask in (
        lambda: kernel.num_regs,
        lambda: list(module),
        lambda: module["fill"],
        lambda: module.get_global("table"),
    ):
        with pytest.raises(PyGPU.GPUError, match="context is destroyed"):
            ask()


def test_arrays_on_variables_end_with_their_module():
    """unload() ends them, and their views; each use says so. Queued copies end first."""
    module = loaded()
    stream, values = PyGPU.Stream(), np.arange(8, dtype=np.int32)
    table = module.array("table", np.int32)
    view, other = table[2:], module.array("table", np.int64, (2, 2)).gpudata
    table.set_async(values, stream)
    lent = np.from_dlpack(table) if PyGPU.backend == "host" else None
    module.unload()
    for one in (table, view):
        assert one.freed
        check_refused(one, "of a module that was unloaded")
    with pytest.raises(ValueError, match="unloaded"):
        int(other)
    assert lent is None or (lent == values).all(), "what was lent keeps the code loaded"
    table.free()
    with pytest.raises(ValueError, match="the module was unloaded"):
        module.array("table", np.int32)


def test_arrays_on_variables_keep_their_module_loaded():
    """So does their memory alone. An array that is freed leaves the variable to others."""
    module = loaded()
    memory = module.array("table", np.int32).gpudata
    with module.array("table", np.int32) as first:
        first.fill(3)
    assert first.freed
    with pytest.raises(TypeError, match="memory that PyGPU owns"):
        PyGPU.cudaFree(memory)
    gone = weakref.ref(module)
    del module, first
    gc.collect()
    assert gone() is None
    assert (PyGPU.GPUArray(8, np.int32, gpudata=memory).get() == 3).all()


def test_a_graph_keeps_the_module_of_an_array_that_it_copies():
    module = loaded()
    table, out = module.array("table", np.int32), PyGPU.zeros(8, np.int32)
    table.fill(5)
    stream = PyGPU.Stream(non_blocking=True)
    checked = PyGPU.checked
    checked.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeRelaxed)
    out.set(table, stream=stream)
    graph = checked.cudaStreamEndCapture(stream)
    module.unload()
    assert table.freed
    executable = checked.cudaGraphInstantiate(graph, 0)
    checked.cudaGraphLaunch(executable, stream)
    stream.synchronize()
    assert (out.get() == 5).all()
    checked.cudaGraphExecDestroy(executable)
    checked.cudaGraphDestroy(graph)
