"""Nested structs and arrays are views: they write through and keep their memory alive."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import sys
import threading

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda
from tests.own_interpreter import own_interpreter


def test_nested_structs_write_through() -> None:
    params = cuda.cudaMemcpy3DParms()
    view = params.extent
    view.width = 5
    assert params.extent.width == 5
    params.extent = (7, 8, 9)
    assert (view.width, view.height, view.depth) == (7, 8, 9)
    assert view.address == params.address + cuda.cudaMemcpy3DParms.sizeof - 8 - 24


def test_views_outlive_their_owner() -> None:
    view = cuda.cudaMemcpy3DBatchOp(extent=(1, 2, 3)).src.op.ptr.locHint
    items = cuda.cudaDeviceProp(maxGridSize=[4, 5, 6]).maxGridSize
    gc.collect()
    filler = [cuda.cudaMemcpy3DBatchOp() for _ in range(100)]
    view.id = 3
    assert view.id == 3
    assert items == [4, 5, 6]
    assert len(filler) == 100


def test_a_view_holds_its_owner_once() -> None:
    params = cuda.cudaMemcpy3DParms()
    before = sys.getrefcount(params)
    inner = params.srcPtr
    assert sys.getrefcount(params) == before + 1
    del inner
    assert sys.getrefcount(params) == before


def test_assigning_a_view_of_itself() -> None:
    params = cuda.cudaMemcpy3DParms(srcPos=(1, 2, 3))
    params.dstPos = params.srcPos
    params.srcPos = params.srcPos
    assert params.srcPos == params.dstPos == cuda.cudaPos(1, 2, 3)
    params.dstPos = (params.dstPos.z, params.dstPos.y, params.dstPos.x)
    assert params.dstPos == cuda.cudaPos(3, 2, 1)


def test_arrays_are_sequences() -> None:
    prop = cuda.cudaDeviceProp(maxGridSize=(1, 2))
    sizes = prop.maxGridSize
    assert len(sizes) == 3
    assert list(sizes) == [1, 2, 0]
    assert sizes == [1, 2, 0]
    assert sizes == (1, 2, 0)
    assert sizes != [1, 2]
    assert sizes == prop.maxGridSize
    assert (sizes[0], sizes[-1], sizes[1:], sizes[::-1]) == (1, 0, [2, 0], [0, 2, 1])
    assert 2 in sizes
    assert repr(sizes) == "[1, 2, 0]"
    sizes[2] = 9
    sizes[:2] = (7, 8)
    assert prop.maxGridSize == [7, 8, 9]
    prop.maxGridSize = range(3)
    assert sizes == [0, 1, 2]
    prop.maxGridSize = []
    assert sizes == [0, 0, 0]
    assert copy.copy(sizes) == [0, 0, 0]
    assert pickle.loads(pickle.dumps(sizes)) == [0, 0, 0]


def test_arrays_refuse_what_does_not_fit() -> None:
    prop = cuda.cudaDeviceProp()
    with pytest.raises(ValueError, match=r"cudaDeviceProp\.maxGridSize holds 3 items, got 4"):
        prop.maxGridSize = [1, 2, 3, 4]
    with pytest.raises(OverflowError, match=r"cudaDeviceProp\.maxGridSize\[1\] = "):
        prop.maxGridSize = [1, 2**31]
    for wrong in ("abc", b"abc", {1: 2}, 3, None):
        with pytest.raises(TypeError, match=r"cudaDeviceProp\.maxGridSize must be a sequence"):
            prop.maxGridSize = wrong
    sizes = prop.maxGridSize
    for index in (3, -4):
        with pytest.raises(IndexError, match="maxGridSize has 3 items"):
            sizes[index]
        with pytest.raises(IndexError, match="maxGridSize has 3 items"):
            sizes[index] = 1
    with pytest.raises(ValueError, match="2 items can't stand for 1"):
        sizes[:1] = [1, 2]
    with pytest.raises(TypeError, match="integer or a slice"):
        sizes["a"]
    with pytest.raises(TypeError, match="deleted"):
        del sizes[0]
    with pytest.raises(OverflowError, match=r"maxGridSize\[0\]"):
        sizes[0] = 2**40
    with pytest.raises(TypeError, match="unhashable"):
        hash(sizes)
    assert sizes == [0, 0, 0]


def test_arrays_of_enumerators() -> None:
    made = cuda.cudaTextureDesc(addressMode=[cuda.cudaAddressModeClamp])
    assert made.addressMode[0] is cuda.cudaAddressModeClamp
    made.addressMode[1] = 3
    assert made.addressMode[1] is cuda.cudaAddressModeBorder


def test_buffer() -> None:
    made = cuda.cudaExtent(1, 2, 3)
    view = memoryview(made)
    assert (view.format, view.readonly, view.nbytes, view.ndim) == ("B", False, 24, 1)
    view[0] = 9
    assert made.width == 9
    del made
    gc.collect()
    assert view[0] == 9
    assert np.frombuffer(cuda.cudaExtent(1, 2, 3), "u8").tolist() == [1, 2, 3]


def test_foreign_memory() -> None:
    memory = (ctypes.c_uint64 * 3)(1, 2, 3)
    view = cuda.cudaExtent.from_address(ctypes.addressof(memory), owner=memory)
    before = sys.getrefcount(memory)
    assert view == cuda.cudaExtent(1, 2, 3)
    assert view.address == ctypes.addressof(memory)
    view.height = 8
    assert list(memory) == [1, 8, 3]
    inner = copy.copy(view)
    inner.height = 1
    assert memory[1] == 8
    del view
    assert sys.getrefcount(memory) == before - 1
    with pytest.raises(ValueError, match="nothing is there"):
        cuda.cudaExtent.from_address(0)
    with pytest.raises(TypeError):
        cuda.cudaExtent.from_address("here")
    with pytest.raises(OverflowError):
        cuda.cudaExtent.from_address(-1)


def test_cycles_are_collected() -> None:
    class Marked(bytearray):
        pass

    def make() -> int:
        memory = Marked(64)
        memory.params = cuda.cudaPitchedPtr(ptr=memory)
        return id(memory)

    gc.collect()
    gc.disable()
    try:
        make()
        found = [one for one in gc.get_objects() if isinstance(one, Marked)]
        assert len(found) == 1
        del found
        gc.collect()
        assert not [one for one in gc.get_objects() if isinstance(one, Marked)]
    finally:
        gc.enable()


def test_many_threads() -> None:
    params = cuda.cudaMemcpy3DParms()
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(2000):
                params.srcPtr = (bytearray(8), step, number, 0)
                params.extent = {"width": step}
                assert params.srcPtr.ysize == 0
                copy.copy(params)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@own_interpreter(PYGPU_BACKEND="host")
def test_chains_of_any_length_end() -> None:
    """Each object keeps the next alive. Freeing them must not recurse; here the stack is small."""
    # Python 3.13 nests destructors 10,000 deep before it breaks a chain, also for tuples.
    deep = sys.version_info >= (3, 13)
    length, stack = (200000, 1 << 24) if deep else (20000, 1 << 18)
    array = PyGPU.DeviceArray_float32
    links = {
        "owner": (cuda.dim3(), lambda it: cuda.dim3.from_address(it.address, it)),
        "owner by keyword": (
            cuda.dim3(),
            lambda it: cuda.dim3.from_address(ptr=it.address, owner=[it]),
        ),
        "pointer": (cuda.cudaPitchedPtr(), lambda it: cuda.cudaPitchedPtr(ptr=it)),
        "user data": (
            cuda.cudaHostNodeParams(),
            lambda it: cuda.cudaHostNodeParams(fn=print, userData=it),
        ),
        "items": (
            cuda.cudaLaunchConfig_t(attrs=[{}]),
            lambda it: cuda.cudaLaunchConfig_t.from_address(it.address, it.attrs),
        ),
        "arguments": (
            cuda.cudaKernelNodeParams(),
            lambda it: cuda.cudaKernelNodeParams(kernelParams=[it]),
        ),
        "bases": (PyGPU.empty(8), lambda it: PyGPU.GPUArray((8,), gpudata=it, base=it)),
        "host pointers": (array(np.zeros(1, np.float32)), lambda it: array(it.host_data(), [1])),
    }

    def build_and_drop(first, link):
        for _ in range(length):
            first = link(first)

    threading.stack_size(stack)
    for first, link in links.values():
        thread = threading.Thread(target=build_and_drop, args=(first, link))
        thread.start()
        thread.join()
