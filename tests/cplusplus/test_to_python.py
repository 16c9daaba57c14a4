"""C++ memory becomes a GPUArray, whose deleter is called once, when the array ends."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import PyGPU
from tests.cplusplus.bound import load
from tests.own_interpreter import AT_EXIT, own_interpreter


@own_interpreter("on_host")
def test_an_allocation_becomes_a_gpu_array(module_folder):
    bound = load(module_folder)
    a = bound.count_up([2, 3])
    assert type(a) is PyGPU.GPUArray and a.dtype == np.float32
    assert np.array_equal(a.get(), np.arange(6).reshape(2, 3))
    a[1] = PyGPU.to_gpu(np.full(3, 7, "f4"))
    assert bound.sum(a) == 3 + 21
    assert bound.count_up([]).get() == 0 and bound.count_up([0, 4]).shape == (0, 4)


@own_interpreter("on_host")
def test_the_last_view_ends_it_once(module_folder):
    bound = load(module_folder)
    a = bound.count_up([2, 3])
    view, told = a[1:, ::2], a.gpudata
    del a
    gc.collect()
    assert bound.ended() == 0 and view.get().tolist() == [[3, 5]]
    del view
    assert bound.ended() == 0
    del told
    gc.collect()
    assert bound.ended() == 1


@own_interpreter("on_host")
def test_work_that_was_queued_ends_before(module_folder):
    """The host runtime and a sanitizer would report memory that is freed too early."""
    bound = load(module_folder)
    stream = PyGPU.Stream(non_blocking=True)
    for count in range(1, 10):
        a = bound.count_up([1 << 18])
        a.fill(count, stream)
        copy = a.get_async(stream)
        del a
        assert PyGPU.wait(copy)[-1] == count
        del copy
        gc.collect()
        assert bound.ended() == count


@own_interpreter("on_host")
def test_constant_memory_is_read_only(module_folder):
    bound = load(module_folder)
    a = bound.constant()
    assert a.get().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        a.fill(0)
    del a
    gc.collect()
    assert bound.ended() == 1


@own_interpreter("on_host")
def test_what_python_cant_take_ends_at_once(module_folder):
    """If Python can't take the memory, the deleter runs at once."""
    bound = load(module_folder)
    memory = np.zeros(4, "f4")
    for wrong in ([-1], [2**62], [2**31, 0, 2**31], [2**62, 2**62]):
        ended = bound.ended()
        with pytest.raises(ValueError, match="parameter 'shape'"):
            bound.adopt(memory.ctypes.data, wrong)
        assert bound.ended() == ended + 1


@own_interpreter("on_host", prints="done\n")
def test_an_array_may_live_until_the_exit(module_folder):
    bound = load(module_folder)
    AT_EXIT.append(bound.count_up([4]))
    print("done")


@own_interpreter("on_host")
def test_a_thousand_leave_nothing_behind(module_folder):
    bound = load(module_folder)
    for _ in range(10):
        bound.count_up([4])
    gc.collect()
    objects = len(gc.get_objects())
    for _ in range(1000):
        bound.count_up([4])
    gc.collect()
    assert bound.ended() == 1010
    assert len(gc.get_objects()) - objects < 100
