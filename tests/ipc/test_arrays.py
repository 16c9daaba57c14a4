"""PyGPU.ipc: arrays that two processes share, on the host runtime and on cards."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import PyGPU
from PyGPU import gpuarray, ipc
from tests.exchange.tensors import READ_ONLY, Foreign
from tests.ipc.processes import another, answer
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")

VALUES = np.arange(24, dtype=np.int32).reshape(4, 6)


def make(values=VALUES):
    return gpuarray.to_gpu(values, allocator=ipc.allocator)


def add_one(connection, *shared):
    """Opens arrays, sends their elements, and adds one to each element."""
    arrays = [ipc.open(one) for one in shared]
    connection.send([array.get() for array in arrays])
    for array in arrays:
        array.set(array.get() + 1)
    connection.recv()  # the other process reads meanwhile


def test_both_have_the_same_memory():
    """Views are shared, too: with an offset, strided, reversed, transposed."""
    array = make()
    views = [array[1:3], array[:, ::2], array[::-1, 1:], array.T, array[2, 3]]
    expected = VALUES.copy()
    for view, same in zip(views, [expected[1:3], expected[:, ::2], expected[::-1, 1:], expected.T,
                                  expected[2:3, 3]], strict=True):  # fmt: skip
        with another(add_one, ipc.share(view)) as process:
            (elements,) = answer(process)
            assert elements.tolist() == same.reshape(elements.shape).tolist()
            process.send("read")
        same += 1
        np.testing.assert_array_equal(array.get(), expected)


def read(connection, shared):
    connection.send(ipc.open(shared).get()[-1])


def test_the_other_process_comes_after_what_was_queued():
    """Work on any stream counts, and the first process doesn't have to wait."""
    array = make(np.zeros(1 << 20, np.float32))
    stream, values = PyGPU.Stream(True), gpuarray.pagelocked_empty(1 << 20, np.float32)
    for turn in range(1, 4):
        values[...] = turn
        for _ in range(20):
            array.set_async(values, stream)
        with another(read, ipc.share(array)) as process:
            assert answer(process) == turn


def open_again(connection, shared):
    first = ipc.open(shared)
    del first  # its memory goes back after its last use, and can be opened again
    array = ipc.open(pickle.loads(pickle.dumps(shared)))
    view = array[1:]
    del array
    connection.send((view.get().tolist(), repr(shared)))
    del view
    connection.recv()
    with pytest.raises(ValueError, match=r"process \d+ doesn't share the array any more"):
        ipc.open(shared)
    connection.send("refused")


def test_memory_is_there_as_long_as_it_is_shared():
    array = make(np.arange(5.0))
    shared = ipc.share(array)
    del array
    with another(open_again, shared) as process:
        elements, text = answer(process)
        assert elements == [1, 2, 3, 4]
        assert "float64 (5,)" in text
        del shared
        PyGPU.trim_memory()
        process.send("let go")
        assert answer(process) == "refused"


def test_in_one_process_it_is_the_array_itself():
    array = make()
    shared = pickle.loads(pickle.dumps(kept := ipc.share(array)))
    assert ipc.open(shared) is array
    del array, kept
    with pytest.raises(ValueError, match="this process doesn't share"):
        ipc.open(shared)


def test_what_can_not_be_shared():
    for array in (gpuarray.zeros(10), gpuarray.zeros(10, allocator=None)[2:]):
        with pytest.raises(ValueError, match=r"of a pool.*allocator=PyGPU\.ipc\.allocator"):
            ipc.share(array)
    with pytest.raises(ValueError, match="empty array"):
        ipc.share(make(np.zeros(0)))
    with pytest.raises(TypeError, match="must be a GPUArray, not ndarray"):
        ipc.share(VALUES)
    with pytest.raises(TypeError, match=r"must be what share\(\) returned"):
        ipc.open(b"")
    assert not PyGPU.cudaGetLastError()


def test_a_reset_of_the_device_ends_what_was_shared():
    first = ipc.share(make())
    assert not PyGPU.cudaDeviceReset()
    del first
    array = make()
    with another(read, ipc.share(array)) as process:
        assert answer(process).tolist() == VALUES[-1].tolist()


def test_a_process_is_known_by_more_than_its_number():
    """A process in another container may have the same number."""
    array = make()
    shared = ipc.share(array)
    foreign = ipc.Shared(shared._facts._replace(token=bytes(16)))
    with pytest.raises((ValueError, PyGPU.GPUError)):
        ipc.open(foreign)


def try_to_write(connection, shared):
    array = ipc.open(shared)
    refused = []
    for write in (lambda: array.fill(0), lambda: array[1:].set(VALUES[1:])):
        try:
            write()
        except ValueError as error:
            refused.append(str(error))
    connection.send((array.get(), refused))


def test_memory_that_was_lent_to_read_is_not_written_elsewhere():
    owner = make()
    device, data = owner.__dlpack_device__(), owner.ptr
    lender = Foreign(VALUES, device=device, tensor__data=data, flags=READ_ONLY)
    array = PyGPU.from_dlpack(lender)
    with pytest.raises(ValueError, match="read-only"):
        array.fill(0)
    with another(try_to_write, ipc.share(array)) as process:
        elements, refused = answer(process)
    np.testing.assert_array_equal(elements, VALUES)
    assert len(refused) == 2 and all("read-only" in one for one in refused)
    with another(try_to_write, ipc.share(owner)) as process:
        assert answer(process)[1] == []
