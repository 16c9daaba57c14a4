"""Cycles through memory are collected: allocators, streams and bases that refer to arrays."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

gpu = PyGPU.checked


CASES = [
    "an_array_and_its_allocator",
    "an_allocators_memory_that_knows_the_array",
    "views_of_an_array",
    "an_array_and_its_base",
    "a_resource",
    "memory_of_a_resource",
    "memory_and_what_an_allocator_gave",
    "a_stream_that_used_the_memory",
    "a_stream_of_the_memory",
    "a_stream_of_anothers",
    "a_device_array",
    "a_registration",
    "page_locked_memory",
    "a_chain_of_bases",
    "a_collection_while_another_thread_works",
    "an_array_that_is_revived",
    "cycles_that_end_in_a_host_function",
]


@pytest.mark.parametrize("case", CASES)
@own_interpreter("program")
def test_a_cycle_is_collected(case):
    globals()[case]()  # creates everything that is created only once
    gc.collect()
    PyGPU.trim_memory()
    gc.disable()
    before, used = host.leaks(), PyGPU.memory_info().used
    globals()[case]()
    gc.collect()
    gc.collect()  # collects what a finaliser kept alive
    gpu.cudaDeviceSynchronize()
    PyGPU.trim_memory()
    assert not any(one() for one in watched)
    assert len(host.leaks().splitlines()) == len(before.splitlines()), host.leaks()
    assert PyGPU.memory_info().used == used


watched: list[weakref.ref] = []


def watch(one):
    watched.append(weakref.ref(one))


class Owner:
    """Any object of a user's that refers to its arrays."""

    def __init__(self):
        self.held = []
        watch(self)

    def raw(self, size):  # an allocator
        memory = Raw(size)
        memory.owner = self
        return memory


class Raw:
    """Memory that frees itself, as that of PyCUDA and CuPy does."""

    def __init__(self, size):
        self.ptr = gpu.cudaMalloc(size)

    def __del__(self):
        gpu.cudaFree(self.ptr)


class Resource(Owner):  # like RMM's memory resource
    def allocate(self, size):
        return gpu.cudaMalloc(size)

    def deallocate(self, pointer, size):
        assert self.held is not None  # the object was not cleared yet
        gpu.cudaFree(pointer)


class Queue:  # a stream of another library
    def __init__(self):
        self.handle = PyGPU.cudaStream_t(flags=1)
        self.held = []
        watch(self)

    def __cuda_stream__(self):
        return 0, int(self.handle)


class Exporter(np.ndarray):  # has a __dict__
    pass


def an_array_and_its_allocator():
    owner = Owner()
    owner.held.append(PyGPU.empty(1000, allocator=owner.raw))


def an_allocators_memory_that_knows_the_array():
    memory = Raw(1000)
    memory.array = PyGPU.GPUArray((100,), "u1", gpudata=memory)


def views_of_an_array():
    owner = Owner()
    array = PyGPU.empty(1000, allocator=owner.raw)
    owner.held += [
        array[1:],
        array[2:].T,
        array.reshape(10, 100),
        array.gpudata,
        array.device_data(),
    ]


def an_array_and_its_base():
    class Based(PyGPU.GPUArray):
        pass  # has a __dict__

    array = Based((100,), "u1")
    array.me = array[1:]
    array.owner = Based((100,), "u1", gpudata=array.gpudata, base=array)


def a_resource():
    resource = Resource()
    resource.held.append(PyGPU.empty(1000, allocator=resource))


def memory_of_a_resource():
    resource = Resource()
    resource.held.append(PyGPU.DeviceMemory(1000, allocator=resource))


def memory_and_what_an_allocator_gave():
    owner = Owner()
    owner.held.append(PyGPU.DeviceMemory(1000, allocator=owner.raw))


def a_stream_that_used_the_memory():
    queue = Queue()
    array = PyGPU.zeros(1000)
    array.fill(1, queue)
    queue.held.append(array)


def a_stream_of_the_memory():
    queue = Queue()
    queue.held.append(PyGPU.empty(1000, stream=queue))


def a_stream_of_anothers():
    queue = Queue()
    queue.held.append(PyGPU.Stream.of(queue))


def a_device_array():
    owner = Owner()
    PyGPU.set_allocator(owner.raw)
    array = PyGPU.DeviceArray_float32(100)
    PyGPU.set_allocator(None)
    owner.held.append(array)
    array.allocate()
    array = PyGPU.empty(100, "f4", allocator=owner.raw).device_array
    owner.held.append(array)


def a_registration():
    array = np.zeros(1000).view(Exporter)
    array.registration = PyGPU.register(array)
    watch(array)


def page_locked_memory():
    array = PyGPU.pagelocked_empty(1000).view(Exporter)
    array.me = array
    watch(array)


def a_chain_of_bases():
    """A chain of any length is freed without recursion."""
    array = PyGPU.empty(8)
    for _ in range(200_000):
        array = PyGPU.GPUArray((8,), gpudata=array, base=array)
    memory = PyGPU.DeviceMemory(8)
    for _ in range(200_000):
        memory = PyGPU.DeviceMemory(8, allocator=lambda size, below=memory: below)


def a_collection_while_another_thread_works():
    """An object in use by a thread is not garbage, whatever refers to it."""
    done = threading.Event()

    def work():
        for turn in range(300):
            owner = Owner()
            owner.held.append(PyGPU.zeros(100, allocator=owner.raw))
            array = owner.held[0][10:]
            del owner
            array.fill(turn)
            assert (array.get() == turn).all()
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.is_set() and worker.is_alive():
        gc.collect()
    worker.join()
    assert done.is_set()


def an_array_that_is_revived():
    """An array whose memory went back to the allocator raises ValueError afterwards."""
    kept = []

    class Reviving(Resource):
        def __del__(self):
            kept.append(self)

    resource = Reviving()
    resource.held.append(PyGPU.zeros(10, allocator=resource))
    PyGPU.wait(resource.held[0])
    del resource
    gc.collect()
    (resource,) = kept
    with pytest.raises(ValueError, match="freed"):
        resource.held[0].get()
    watched.clear()


def cycles_that_end_in_a_host_function():
    """A collection in a host function may make no call.

    The memory waits for the next ordinary call.
    """
    resource = Resource()
    resource.held.append(PyGPU.empty(1000, allocator=resource))
    del resource
    gpu.cudaLaunchHostFunc(0, lambda _: gc.collect(), None)
    gpu.cudaStreamSynchronize(0)


@own_interpreter("on_devices", "[0.0, 1.0, 2.0]\n")
def test_a_finaliser_in_a_cycle_still_reads_the_memory():
    """Memory that a stream used takes part in collections. It must outlive the finalisers."""

    class Model:
        def __del__(self):
            print(self.weights.get().tolist())

    gc.disable()
    model = Model()
    model.weights = PyGPU.to_gpu(np.arange(3.0))
    model.weights.record_stream(PyGPU.Stream())
    model.itself = model
    del model
    gc.collect()


@own_interpreter("on_devices")
def test_streams_whose_work_was_waited_for_are_let_go():
    """An array that was used on many streams keeps few of them alive."""
    a = PyGPU.zeros(64, "f4")
    values = np.ones(64, "f4")
    for _ in range(20):
        a.set(values, stream=PyGPU.Stream())
        a.get()
    assert sum(isinstance(one, PyGPU.Stream) for one in gc.get_objects()) <= 1


results: list[object] = []  # of `call` in finalisers


class Collected:
    """A cycle of itself, whose finaliser runs `call` once."""

    def __init__(self, call):
        self.me, self.call = self, call

    def __del__(self):
        gc.disable()
        results.append(self.call())


def collect_at_the_next_tuple(call):
    """Before Python 3.12, the next object that the collector tracks starts it, also in C++."""
    gc.disable()
    gc.set_threshold(1, 1, 1)
    Collected(call)
    # None of these is left in the free lists of tuples.
    taken = [tuple(range(size)) for size in range(1, 4) for _ in range(3000)]
    gc.enable()
    return taken


def collected():
    gc.disable()
    gc.collect()
    return results.pop()


@own_interpreter("program")
def test_a_class_is_made_once_although_a_finaliser_asks_for_it_meanwhile():
    PyGPU.DeviceArray_int8(1)
    made = PyGPU.gpuarray._arrays.typed_class
    taken = collect_at_the_next_tuple(lambda: made("DeviceArray_int16"))
    kind = made("DeviceArray_int16")
    assert collected() is kind
    assert kind(3).allocate() == 0
    del taken


class Lender:
    def __init__(self, array, before=None):
        self.array, self.before = array, before

    def __dlpack__(self, **named):
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self):
        device = self.array.__dlpack_device__()
        self.taken = self.before and self.before()
        return device


@own_interpreter("program")
def test_the_first_import_although_a_finaliser_imports_meanwhile():
    array = PyGPU.ones(3)

    def inner():
        return PyGPU.from_dlpack(Lender(array)).get().tolist()

    outer = PyGPU.from_dlpack(Lender(array, lambda: collect_at_the_next_tuple(inner)))
    assert collected() == outer.get().tolist() == [1, 1, 1]
