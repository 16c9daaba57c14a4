"""What only the host runtime reports about kernels, so that nothing fails silently."""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
import threading

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from PyGPU._kernels import driver
from tests.kernels.device_code import interface
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("python", PYGPU_BACKEND="host")


def test_a_kernel_that_nobody_registered_says_so():
    module = PyGPU.SourceModule("__global__ void lonely() {}", cache_dir=False, arch="sm_90")
    with pytest.raises(PyGPU.GPUError, match=r"PyGPU.host.kernel\(\) has registered no function"):
        module["lonely"](grid=1, block=1)


def test_a_look_up_that_fails_is_no_missing_name():
    module = PyGPU.SourceModule("__global__ void one() {}", cache_dir=False)
    for name, ask in (
        ("cuModuleGetFunction", lambda: module["one"]),
        ("cuModuleGetFunction", lambda: "one" in module),
        ("cuModuleGetFunction", lambda: module.get_function("one")),
        ("cuModuleGetGlobal_v2", lambda: module.get_global("one")),
    ):
        with host.fail(name, error=999), pytest.raises(PyGPU.GPUError, match="code 999") as raised:
            ask()
        assert not isinstance(raised.value, KeyError)
    assert "one" in module


def test_code_that_is_none_is_told_with_the_reason():
    with pytest.raises(PyGPU.GPUError, match=r"Module\(\): .*it is neither PTX nor a cubin"):
        PyGPU.Module(b"garbage")


def test_a_launch_waits_for_the_stream_that_a_foreign_array_names():
    class Foreign:
        __cuda_array_interface__ = interface(PyGPU.zeros(4, np.int32))

    module = PyGPU.SourceModule("__global__ void one(int *a) {}", cache_dir=False)
    theirs, ours = PyGPU.Stream(True), PyGPU.Stream(True)
    Foreign.__cuda_array_interface__ |= {"stream": int(theirs)}
    ran = threading.Event()
    pointer = ctypes.POINTER(ctypes.c_int)
    with host.kernel("one", lambda grid, block, a: ran.set(), [pointer]):
        with host.pause(theirs.handle):
            module["one"](Foreign(), grid=1, block=1, stream=ours)
            assert not ours.query() and not ran.is_set()
        ours.synchronize()
        assert ran.is_set()


def test_the_stream_of_a_foreign_array_lives_until_the_launch():
    class Foreign:
        @property
        def __cuda_array_interface__(self):
            return interface(PyGPU.zeros(4, np.int32)) | {"stream": PyGPU.Stream(True)}

    module = PyGPU.SourceModule("__global__ void one(int *a) {}", cache_dir=False)
    with host.kernel("one", lambda grid, block, a: None, [ctypes.POINTER(ctypes.c_int)]):
        module["one"](Foreign(), grid=1, block=1)
        PyGPU.Stream.of(None).synchronize()


def test_no_launch_takes_an_array_that_a_reset_ended():
    """Its address may be new memory's."""
    arrays = [PyGPU.zeros(8, np.int32), PyGPU.zeros(8, np.int32)]
    arrays[1] = arrays[1].device_array
    PyGPU.checked.cudaDeviceReset()
    module = PyGPU.SourceModule("__global__ void one(int *a) {}", cache_dir=False)
    with host.kernel("one", lambda grid, block, a: None, [ctypes.POINTER(ctypes.c_int)]):
        for array in arrays:
            with pytest.raises(PyGPU.GPUError, match="reset"):
                module["one"](array, grid=1, block=1)


def test_a_child_does_not_wait_for_its_parents_kernels():
    begun, end = threading.Event(), threading.Event()

    def slow(grid, block):
        begun.set()
        end.wait()

    module = PyGPU.SourceModule("__global__ void slow() {}", cache_dir=False)
    with host.kernel("slow", slow, []):
        module["slow"](grid=1, block=1)
        begun.wait()
        child = os.fork()
        if not child:
            signal.alarm(20)  # ends a child that hangs
            atexit._run_exitfuncs()
            os._exit(0)
        end.set()
        assert os.waitpid(child, 0)[1] == 0


def test_what_speaks_dlpack_alone_is_lent_for_the_launch():
    class Lender:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **named):
            return self.array.__dlpack__(**named)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    module = PyGPU.SourceModule("__global__ void add(int *a, int b) {}", cache_dir=False)
    add, values = module["add"], np.arange(4, dtype=np.int32)

    def run(grid, block, a, b):
        for at in range(4):
            a[at] += b

    count = sys.getrefcount(values)
    with host.kernel("add", run, [ctypes.POINTER(ctypes.c_int), ctypes.c_int]):
        add(Lender(values), 5, grid=1, block=1)
        assert values.tolist() == [5, 6, 7, 8]
        with pytest.raises(TypeError, match=r"argument\[0\]"):
            add(object(), 5, grid=1, block=1)
        with pytest.raises(TypeError, match=r"argument\[0\]"):
            add(values, 5, grid=1, block=1)
    assert sys.getrefcount(values) == count


STORES = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 to, .param .u64 value)
{
    .reg .u64 %rd<3>;
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd2, [value];
    st.global.u64 [%rd1], %rd2;
    ret;
}
"""


def test_each_form_of_a_launch_reaches_the_device():
    """Cooperative, in clusters of one block, and both. A driver may lack either."""
    store, out = PyGPU.Module(STORES)["store"], PyGPU.zeros(1, np.uint64)
    forms = ({}, {"cooperative": True}, {"cluster": 1}, {"cluster": (1,), "cooperative": True})
    for value, form in enumerate(forms, 1):
        store(out, value, grid=2, block=1, **form)
        assert out.get() == [value]
    launchers = driver.driver().launchers
    for lacking, form, what in (
        ({"cooperative": None}, {"cooperative": True}, "cooperative"),
        ({"clusters": None}, {"cluster": 1}, "cluster"),
    ):
        kinds = [(8, "pointer"), (8, "integer")]
        older = launchers._replace(**lacking)
        kernel = PyGPU.Kernel(store.code, "store", store.handle, older, 1024, kinds)
        with pytest.raises(NotImplementedError, match=f"driver has no {what} launches"):
            kernel(out, 9, grid=1, block=1, **form)
        kernel(out, 7, grid=1, block=1)
        assert out.get() == [7]


@pytest.mark.parametrize("value", [0, -(2**63), 2**63 - 1, 2**63, 2**64 - 1])
def test_an_int_of_eight_bytes_may_have_a_sign_or_not(value):
    """PTX doesn't tell signed from unsigned. A value that fits neither is refused."""
    store, out = PyGPU.Module(STORES)["store"], PyGPU.zeros(1, np.uint64)
    store(out, value, grid=1, block=1)
    assert out.get() == [value % 2**64]
    for wrong in (2**64, -(2**63) - 1, 10**30):
        with pytest.raises(OverflowError, match=f"argument\\[1\\] = {wrong} is out of range"):
            store(out, wrong, grid=1, block=1)


def test_a_value_of_a_type_is_held_against_a_word():
    """A parameter of eight bytes that isn't a float may be an address, such as a handle."""
    store, out = PyGPU.Module(STORES)["store"], PyGPU.zeros(1, np.uint64)
    stream = PyGPU.cuda.cudaStream_t(flags=1)
    store(out, stream, grid=1, block=1)
    assert out.get() == [int(stream)]
    for wrong in (np.complex64(1), np.float64(1)):
        with pytest.raises(TypeError, match="takes an integer or a pointer of 8"):
            store(out, wrong, grid=1, block=1)


@own_interpreter("python", PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="2")
def test_a_stream_of_another_device_is_refused():
    store, out = PyGPU.Module(STORES)["store"], PyGPU.zeros(1, np.uint64)
    with PyGPU.device(1):
        stream = PyGPU.Stream()
    with pytest.raises(ValueError, match=r"store\(\): .*'stream' is of device 1, .* of device 0"):
        store(out, 1, grid=1, block=1, stream=stream)
