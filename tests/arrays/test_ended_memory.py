"""Memory that others end: arrays on it refuse every use, and owners get it back after the work."""

from __future__ import annotations

import gc
import random
import threading
import weakref

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.arrays.uses import check_refused
from tests.own_interpreter import own_interpreter

BYTES = 64


class Keeps:
    """What allocators have in common: they keep what they allocate. `make` gets a size."""

    def __init__(self, make=PyGPU.DeviceMemory):
        self.make, self.kept = make, []

    def allocate(self, size):
        self.kept.append(self.make(size))
        return self.last

    @property
    def last(self):
        return self.kept[-1]


class Cache(Keeps):
    """An allocator that is called."""

    __call__ = Keeps.allocate


class Resource(Keeps):
    """An allocator with RMM's names."""

    deallocated = 0

    def deallocate(self, address, size):
        self.deallocated += 1


class Held:
    """CuPy's form: an object whose `ptr` is the memory."""

    def __init__(self, size):
        self.ptr = PyGPU.DeviceMemory(size)


def allocated(cache, free):
    array = PyGPU.zeros(BYTES // 4, "i4", allocator=cache)
    return array, lambda: free(cache.last)


def wrapped(size):
    return PyGPU.GPUArray(size, "u1")


def in_the_middle(size):
    return PyGPU.empty(2 * size, "u1")[size:]


def pointer(size):
    allocator = PyGPU.DeviceAllocator_uint8()
    allocator.allocate(size)
    return allocator.ptr()


def in_another_cache():
    """An allocator may ask another one: the memory of the lowest ends all."""
    lowest = Cache()
    cache = Cache(lambda size: PyGPU.DeviceMemory(size, allocator=lowest))
    array, _ = allocated(cache, None)
    return array, lambda: lowest.last.free()


def given(memory):
    array = PyGPU.GPUArray(BYTES // 4, "i4", gpudata=memory)
    return array, lambda: getattr(memory, "ptr", memory).free()


def free(memory):
    memory.free()


ENDS = {
    "memory of a cache": lambda: allocated(Cache(), free),
    "an array of a cache": lambda: allocated(Cache(wrapped), free),
    "a part of an arena": lambda: allocated(Cache(in_the_middle), lambda part: part.base.free()),
    "host memory of a cache": lambda: allocated(Cache(PyGPU.HostMemory), free),
    "a pointer of a cache": lambda: allocated(
        Cache(pointer), lambda one: PyGPU.GPUArray(BYTES, "u1", gpudata=one).free()
    ),
    "the ptr of a cache's object": lambda: allocated(Cache(Held), lambda one: one.ptr.free()),
    "memory of a resource": lambda: allocated(Resource(), free),
    "a cache in another one": in_another_cache,
    "memory between processes": lambda: allocated(Cache(PyGPU.ipc.allocator), free),
    "gpudata": lambda: given(PyGPU.DeviceMemory(BYTES)),
    "the ptr of gpudata": lambda: given(Held(BYTES)),
}


@pytest.mark.parametrize("end", ENDS)
@own_interpreter("on_host")
def test_an_array_is_refused_once_its_memory_has_ended(end):
    """By every use, with an error that says so. So are its views, and `freed` tells it."""
    array, finish = ENDS[end]()
    view = array.reshape(4, -1)[:, 1:].T
    lent = np.from_dlpack(view) if "host" not in end else None
    array.fill(7)
    assert not array.freed and (view.get() == 7).all()
    finish()
    assert lent is None or (lent == 7).all(), "what was lent lives"
    for one in (array, view):
        assert one.freed and "freed" in repr(one)
        check_refused(one, "freed")
    array.free()  # does nothing
    del array, view, one, lent
    gc.collect()
    PyGPU.trim_memory()


@pytest.mark.parametrize("make", [PyGPU.DeviceMemory, wrapped, in_the_middle, Held])
@own_interpreter("on_host")
def test_the_end_of_an_array_leaves_the_memory_of_its_allocator(make):
    """free() and with-blocks give the memory back to the allocator, which may use it again."""
    for kind in (Cache, Resource):
        cache = kind(make)
        with PyGPU.zeros(BYTES // 4, "i4", allocator=cache) as array:
            array.fill(5)
        assert array.freed and getattr(cache, "deallocated", 1) == 1
        again = PyGPU.GPUArray(BYTES // 4, "i4", gpudata=getattr(cache.last, "ptr", cache.last))
        assert (again.get() == 5).all() and not again.freed


@own_interpreter("on_host")
def test_an_array_has_the_object_that_its_allocator_returned():
    """PyCUDA's programs give `a.gpudata` back to their pool, which looks it up."""
    cache = Cache()
    array = PyGPU.zeros(16, allocator=cache)
    assert array.gpudata is cache.last and array.gpudata.keeper is None
    assert array[1:].gpudata is not cache.last and array[1:].gpudata.keeper is cache.last
    array.gpudata.free()
    assert array.freed and cache.last.freed
    with pytest.raises(ValueError, match=r"what the allocator gave: .*freed"):
        PyGPU.zeros(16, allocator=lambda size: cache.last)


@own_interpreter("on_host")
def test_an_array_and_its_allocators_memory_have_one_order():
    """Work on either comes after work on the other. The copies are large, so they take a while."""
    cache, side = Cache(), PyGPU.Stream(non_blocking=True)
    array = PyGPU.zeros(1 << 16, "u1", allocator=cache)
    below = PyGPU.GPUArray(1 << 16, "u1", gpudata=cache.last)
    for write, read in ((array, below), (below, array)):
        with host.pause(side) as paused:
            value = int(write is array) + 1
            write.set_async(np.full(1 << 16, value, "u1"), side)
            threading.Timer(0.02, paused.resume).start()
            assert (read.get() == value).all()


class Index:
    """PyCUDA's DeviceAllocation: memory with `__index__`."""

    stream, at_free = None, None

    def __init__(self, size):
        self.address = PyGPU.checked.cudaMalloc(size)

    def __index__(self):
        return self.address

    def __del__(self):
        type(self).at_free = PyGPU.cudaStreamQuery(Index.stream)
        PyGPU.checked.cudaFree(self.address)


class Both(Index):
    """PyCUDA's arrays and CuPy's memory have `ptr`, too."""

    @property
    def ptr(self):
        return self.address


class Number(int):
    """A number that owns memory."""

    stream, at_free = None, None

    def __new__(cls, size):
        return int.__new__(cls, PyGPU.checked.cudaMalloc(size))

    def __del__(self):
        type(self).at_free = PyGPU.cudaStreamQuery(Index.stream)
        PyGPU.checked.cudaFree(int(self))


def by_allocator(kind):
    return PyGPU.zeros(BYTES, "u1", allocator=kind)


def by_gpudata(kind):
    return PyGPU.GPUArray(BYTES, "u1", gpudata=kind(BYTES))


@pytest.mark.parametrize("make", [by_allocator, by_gpudata])
@pytest.mark.parametrize("kind", [Index, Both, Number])
@own_interpreter("on_host")
def test_memory_goes_back_to_its_owner_after_the_queued_work(kind, make):
    """Also to an owner that has `__index__`, as PyCUDA's allocations have."""
    Index.stream = PyGPU.Stream(non_blocking=True)
    array, dropped = make(kind), threading.Event()
    PyGPU.cudaDeviceSynchronize()
    paused = host.pause(Index.stream)
    array.set_async(np.ones(BYTES, "u1"), Index.stream)
    resuming = threading.Thread(target=lambda: (dropped.wait(0.1), paused.resume()))
    resuming.start()
    del array
    dropped.set()
    resuming.join()
    assert kind.at_free == 0, kind.at_free


@own_interpreter("on_host")
def test_a_number_owns_no_memory():
    """Neither Python's nor numpy's, nor a pointer to memory of others: nothing to free or keep."""
    address = PyGPU.checked.cudaMalloc(BYTES)
    for kind in (int, np.uint64, np.int64, PyGPU.pointer_wrapper_uint8):
        array = PyGPU.GPUArray(BYTES, "u1", gpudata=kind(address))
        assert array.gpudata.keeper is None
        with pytest.raises(ValueError, match="known by its address alone"):
            array.free()
    for wrong in (True, np.True_, 1.5, PyGPU.Stream()):
        with pytest.raises(TypeError, match="must be an address"):
            PyGPU.GPUArray(BYTES, "u1", gpudata=wrong)
    assert not PyGPU.cudaFree(address)


class Program:
    """Random allocations, views, exports and frees, on caches that give their memory out again."""

    def __init__(self, seed):
        self.random, self.arrays, self.caches = random.Random(seed), [], [Cache(), Cache(Held)]
        self.stream = PyGPU.Stream(non_blocking=True)

    def step(self):
        choice = self.random.choice
        array = choice(self.arrays) if self.arrays else None
        cache = choice(self.caches)
        action = self.random.randrange(8)
        if action <= 1 or array is None:
            allocator = choice(
                [None, cache, lambda size: PyGPU.DeviceMemory(size, allocator=cache)]
            )
            self.arrays.append(PyGPU.zeros(choice((8, 300, 40_000)), allocator=allocator))
        elif action == 2 and cache.kept:
            memory = cache.kept.pop(self.random.randrange(len(cache.kept)))
            getattr(memory, "ptr", memory).free()
        elif action == 3:
            del self.arrays[self.random.randrange(len(self.arrays))]
        elif array.freed:
            with pytest.raises(ValueError, match="freed"):
                choice([array.get, lambda: array.fill(1), lambda: array[1:], array.__dlpack__])()
        elif action == 4:
            self.arrays.append(array[1:] if array.size > 4 else array.copy())
        elif action == 5:
            value = self.random.random()
            array.fill(value, stream=choice([None, self.stream]))
            assert (array.get() == value).all()
        elif action == 6:
            lent = np.from_dlpack(array)
            (array if array.base is None else array.base).free()
            assert lent.sum() == lent.sum()
        elif array.base is None:
            array.free()

    def run(self, steps):
        for _ in range(steps):
            self.step()


@own_interpreter("on_host", PYGPU_HOST_CHECK="1")
def test_random_programs_of_two_threads_leave_nothing():
    """The host runtime checks each access; at the end all memory is given back."""
    programs = [Program(seed) for seed in (1, 2)]
    failed = []

    def run(program):
        try:
            program.run(400)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(one,)) for one in programs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    alive = [weakref.ref(one) for program in programs for one in program.arrays]
    programs.clear()
    threads.clear()
    gc.collect()
    assert not any(one() for one in alive)
    PyGPU.trim_memory()
    assert not host.leaks(), host.leaks()
