"""Arrays on borrowed memory: what the lender is asked, what is refused, when it is given back."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest

import PyGPU
from tests.exchange import tensors
from tests.exchange.tensors import CPU, CUDA, Foreign
from tests.own_interpreter import own_interpreter

TYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.fixture
def cpu(device):
    if device.backend != "host":
        pytest.skip("the CPU's memory; a card's is lent as_card and by peers")
    return device


@pytest.mark.parametrize("dtype", TYPES)
def test_numpys_memory_is_shared(cpu, dtype):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for view in (host, host[1:, ::2], host.T, host[:, ::-1], host[0, 0, 0, None], host[:0]):
        a = cpu.from_dlpack(view)
        assert (a.dtype, a.shape) == (view.dtype, view.shape)
        assert (a.get() == view).all()
        if view.size:
            assert a.ptr == view.ctypes.data
            assert a.strides == view.strides or 1 in view.shape
            a.fill(1)
            cpu.wait(a)
            assert (view == 1).all()
    a = cpu.from_dlpack(host)
    a[...] = np.arange(24).reshape(2, 3, 4).astype(dtype)
    a[0] = a[1].copy()
    assert (host[0] == host[1]).all()


def test_read_only_memory_is_not_written(cpu):
    host = np.arange(6.0).reshape(2, 3)
    host.flags.writeable = False
    a = cpu.from_dlpack(host)
    for write in (
        lambda: a.fill(1),
        lambda: a.set(np.zeros((2, 3))),
        lambda: a[0].fill(1),
        lambda: a.__setitem__(0, cpu.zeros(3)),
        lambda: a.T.set_async(np.zeros((3, 2)), cpu.Stream()),
    ):
        with pytest.raises(ValueError, match="read-only"):
            write()
    for taken in (a, a.gpudata, a.device_data(), a.device_array):
        with pytest.raises(TypeError, match="writable memory"):
            cpu.cudaMemset(taken, 0, 8)
    assert host[0].tolist() == [0, 1, 2] and (a.copy().get() == host).all()
    with pytest.raises(BufferError, match="read-only"):
        a.__dlpack__()
    assert not np.from_dlpack(a).flags.writeable
    assert tensors.inside(a.__dlpack__(max_version=(1, 0))).flags == tensors.READ_ONLY


def test_the_lender_gets_it_back_with_the_last_view(cpu):
    lender = Foreign(np.arange(6.0).reshape(2, 3))
    a = cpu.from_dlpack(lender)
    assert lender.asked == [{"max_version": (1, 3)}]
    view = a[1]
    view.fill(5, cpu.Stream())
    del a
    gc.collect()
    assert not lender.deleted
    del view
    assert lender.deleted == 1
    assert lender.array.tolist() == [[0, 1, 2], [5, 5, 5]]
    a = cpu.from_dlpack(Foreign(np.arange(6.0)))
    a.free()
    with pytest.raises(ValueError, match="freed"):
        a.get()


@pytest.mark.parametrize("versioned", [True, False])
def test_an_offset_counts(cpu, versioned):
    lender = Foreign(np.arange(6.0), versioned=versioned, byte_offset=16)
    a = cpu.from_dlpack(lender)
    assert a.ptr == lender.array.ctypes.data and a.get().tolist() == list(range(6))


def test_no_strides_are_those_of_c(cpu):
    lender = Foreign(np.arange(6.0).reshape(2, 3), tensor__strides=None)
    assert cpu.from_dlpack(lender).strides == (24, 8)


WRONG = {
    "lanes": ({"tensor__dtype__lanes": 2}, "one lane"),
    "bits": ({"tensor__dtype__bits": 80}, "a dtype of "),
    "small bits": ({"tensor__dtype__bits": 4}, "a dtype of "),
    "code": ({"tensor__dtype__code": 3}, "a dtype of "),
    "unknown code": ({"tensor__dtype__code": 255}, "a dtype of "),
    "version": ({"version__major": 2}, "later major version"),
    "device": ({"tensor__device__type": CUDA}, "host runtime can't reach"),
    "axes": ({"tensor__ndim": 65}, "axes"),
    "no axes": ({"tensor__ndim": -1}, "axes"),
    "no shape": ({"tensor__shape": None}, "no shape"),
    "no memory": ({"tensor__data": None}, "no memory"),
}


@pytest.mark.parametrize("changes", WRONG)
def test_a_tensor_that_cannot_be_taken_goes_back_at_once(cpu, changes):
    wrong, why = WRONG[changes]
    lender = Foreign(np.arange(6.0).reshape(2, 3), **wrong)
    with pytest.raises(BufferError, match=why):
        cpu.from_dlpack(lender)
    assert lender.deleted == 1


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize(
    ("data", "offset", "strides"),
    [
        (16, 2**64 - 16, (1,)),  # the sum is 0
        (2**64 - 16, 32, (1,)),  # behind the last address
        (2**64 - 40, 0, (1,)),  # the last element
        (32, 2**64 - 1, (1,)),
        (64, 0, (-4,)),  # before the first address
    ],
)
def test_memory_without_an_address(cpu, versioned, data, offset, strides):
    """Data, offset and strides are any numbers. Their sum may not wrap to memory of somebody."""
    lender = Foreign(np.zeros(6), versioned=versioned)
    lender.strides[:] = strides
    lender.managed.tensor.data, lender.managed.tensor.byte_offset = data, offset
    with pytest.raises(BufferError, match="further than any memory"):
        cpu.from_dlpack(lender)
    assert lender.deleted == 1


def test_arrays_that_never_change_are_read_only(cpu):
    """Those of JAX and TensorFlow share memory with others, though the capsules don't say so."""
    for module, changes in (("jaxlib._jax", False), ("tensorflow.python", False), ("jaxes", True)):
        kind = type("ArrayImpl", (Foreign,), {"__module__": module})
        lender = kind(np.zeros(6))
        for a in (cpu.from_dlpack(lender), cpu.asarray(lender)):
            if changes:
                a.fill(1)
                continue
            for write in (
                lambda a=a: a.fill(1),
                lambda a=a: a[1:].set(np.ones(5)),
                lambda a=a: a.__setitem__(0, 1),
                lambda a=a: cpu.copy(a, np.ones(6)),
            ):
                with pytest.raises(ValueError, match="read-only"):
                    write()
            with pytest.raises(TypeError, match="writable memory"):
                cpu.cudaMemset(a, 1, 8)
            assert a.copy().fill(1).get().sum() == 6
        assert lender.array.sum() == (6 if changes else 0)


def test_sizes_out_of_range(cpu):
    for shape, strides in (
        ((2**62, 2), (1, 1)),
        ((2, 2), (2**61, 1)),
        ((-1, 2), (1, 1)),
        ((0, 2**63 - 1, 2), (1, 1, 1)),
    ):
        lender = Foreign(np.zeros((1,) * len(shape)))
        lender.shape[:], lender.strides[:] = shape, strides
        with pytest.raises(BufferError, match=r"larger|further|negative"):
            cpu.from_dlpack(lender)
        assert lender.deleted == 1


def test_older_libraries_know_fewer_keywords(cpu):
    class Older(Foreign):
        def __dlpack__(self, stream=None):
            return super().__dlpack__(stream=stream)

    class Oldest(Foreign):
        def __dlpack__(self):
            return super().__dlpack__()

    for kind in (Older, Oldest):
        lender = kind(np.arange(3.0), versioned=False)
        a = cpu.from_dlpack(lender)
        assert a.get().tolist() == [0, 1, 2]
        del a
        assert lender.deleted == 1


@own_interpreter("as_card")
def test_older_libraries_are_told_the_stream_if_they_can_be():
    """Before 1.0, DLPack had only `stream`.

    Before that it had no keyword: the legacy default stream.
    """
    from PyGPU import host

    source = PyGPU.pagelocked_zeros(1000)
    source[...] = 7

    class Older(Foreign):
        def __dlpack__(self, stream=None):
            return super().__dlpack__(stream=stream)

    class Oldest(Foreign):
        def __dlpack__(self):
            return super().__dlpack__()

    for kind, asked in ((Older, True), (Oldest, False)):
        memory, stream = PyGPU.zeros(1000), PyGPU.Stream(True)
        lender = kind(np.zeros(1000), device=(CUDA, 0), versioned=False, tensor__data=memory.ptr)
        legacy = PyGPU.cudaStream_t(1)
        with host.pause(legacy):
            memory.set_async(source, legacy)
            a = PyGPU.from_dlpack(lender, stream=stream)
            result = None if asked else a.get_async(stream)
        assert lender.asked == [{"stream": int(stream)} if asked else {}]
        assert a.stream == int(stream) and a.ptr == memory.ptr
        assert asked or (PyGPU.wait(result) == 7).all()
        del a
        assert lender.deleted == 1


@pytest.mark.parametrize(
    "place", ["cpu", 5, (1,), (1, "0"), (-1, 0), (1, -1), (2**70, 0), (1, 2**70), (2**31, 0)]
)
def test_what_is_no_device_is_refused(cpu, place):
    class Somewhere:
        def __dlpack_device__(self):
            return place

    with pytest.raises(TypeError, match=r"__dlpack_device__\(\) of Somewhere must give two ints"):
        cpu.from_dlpack(Somewhere())


def test_a_dtype_of_ml_dtypes_names_the_package(cpu, monkeypatch):
    """numpy has neither bfloat16 nor floats of one byte."""
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)  # as if it weren't installed
    lender = Foreign(np.zeros(3, np.uint8), tensor__dtype=tensors.DType(7, 8, 1))
    with pytest.raises(BufferError, match="dtype is float8_e3m4: pip install ml_dtypes"):
        cpu.from_dlpack(lender)
    assert lender.deleted == 1


@own_interpreter("as_card")
def test_memory_of_the_host_is_never_copied_where_that_is_forbidden():
    with pytest.raises(BufferError, match="the memory is the host's: it must be copied"):
        PyGPU.from_dlpack(np.zeros(3), device=0, copy=False)


def test_what_is_no_tensor(cpu):
    class Nothing:
        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **_):
            return 7

    class Fails(Nothing):
        def __dlpack__(self, **_):
            raise ZeroDivisionError

    with pytest.raises(TypeError, match="__dlpack_device__ is needed, not int"):
        cpu.from_dlpack(3)
    with pytest.raises(BufferError, match="no capsule"):
        cpu.from_dlpack(Nothing())
    with pytest.raises(ZeroDivisionError):
        cpu.from_dlpack(Fails())
    with pytest.raises(TypeError, match="one argument, and device, copy and stream by name"):
        cpu.from_dlpack(np.zeros(3), 0)
    lender = Foreign(np.arange(3.0))
    capsule = lender.__dlpack__()
    lender.__class__ = type("Twice", (Foreign,), {"__dlpack__": lambda self, **_: capsule})
    kept = cpu.from_dlpack(lender)
    with pytest.raises(BufferError, match="not a capsule with a tensor"):
        cpu.from_dlpack(lender)
    del kept
    assert lender.deleted == 1


def test_copies_on_request(cpu):
    host = np.arange(3.0)
    a = cpu.from_dlpack(host, copy=True)
    a.fill(7)
    assert host.tolist() == [0, 1, 2]
    assert cpu.from_dlpack(host, copy=False).ptr == host.ctypes.data
    own = cpu.zeros(3)
    assert cpu.from_dlpack(own).ptr == own.ptr
    assert cpu.from_dlpack(own, copy=True).ptr != own.ptr
    assert cpu.from_dlpack(host, device=0).ptr == host.ctypes.data


@own_interpreter("on_host")
def test_another_device_is_a_copy():
    host = np.arange(3.0)
    a = PyGPU.from_dlpack(host, device=1)
    assert a.device == 1 and a.get().tolist() == [0, 1, 2]
    with pytest.raises(BufferError, match="copied"):
        PyGPU.from_dlpack(host, device=1, copy=False)


@own_interpreter("as_card")
def test_a_cards_memory_follows_the_stream_that_the_lender_was_told():
    memory = PyGPU.zeros(6)

    class Lender(Foreign):
        def __init__(self):
            super().__init__(np.zeros(6), device=(CUDA, 0), tensor__data=memory.ptr)

    lender, stream = Lender(), PyGPU.Stream(True)
    a = PyGPU.from_dlpack(lender)
    b = PyGPU.from_dlpack(lender, stream=stream)
    assert [asked["stream"] for asked in lender.asked] == [1, int(stream)]
    assert (a.stream, b.stream) == (0, int(stream)) and a.ptr == b.ptr == memory.ptr
    a.fill(3)
    assert memory.get().tolist() == [3] * 6
    with pytest.raises(BufferError, match=r"asarray\(x\) or PyGPU\.to_gpu\(x\)"):
        PyGPU.from_dlpack(np.zeros(3))
    assert PyGPU.from_dlpack(np.arange(3.0), device=0).get().tolist() == [0, 1, 2]
    c = PyGPU.from_dlpack(lender, copy=False)
    assert lender.asked[-1]["copy"] is False
    d = PyGPU.from_dlpack(Foreign(np.zeros(2), device=(tensors.MANAGED, 0)))
    assert d.__dlpack_device__() == (tensors.MANAGED, 0)
    del a, b, c
    assert lender.deleted == 3


@own_interpreter("as_card")
def test_the_lender_gets_it_back_after_the_last_work():
    from PyGPU import host

    memory, source = PyGPU.zeros(1000), PyGPU.pagelocked_zeros(1000)
    source[...] = 7
    lender, stream = (
        Foreign(np.zeros(1000), device=(CUDA, 0), tensor__data=memory.ptr),
        PyGPU.Stream(True),
    )
    a = PyGPU.from_dlpack(lender)
    done = []
    lender.managed.deleter = tensors.Deleter(lambda _: done.append(stream.query()))
    with host.pause(stream):
        a.set_async(source, stream)
    del a
    assert done == [True]


@own_interpreter("as_card")
def test_a_wait_for_the_last_work_holds_nothing_up():
    """The last reference ends on another thread, while this thread lets the work continue."""
    from PyGPU import host

    memory, source = PyGPU.zeros(1000), PyGPU.pagelocked_zeros(1000)
    lender = Foreign(np.zeros(1000), device=(CUDA, 0), tensor__data=memory.ptr)
    arrays, stream, begun = [PyGPU.from_dlpack(lender)], PyGPU.Stream(True), threading.Event()

    def drop() -> None:
        begun.set()
        arrays.clear()

    dropping = threading.Thread(target=drop)
    with host.pause(stream):
        arrays[0].set_async(source, stream)
        dropping.start()
        assert begun.wait(60)
        others = [PyGPU.to_gpu(np.arange(10.0)).get() for _ in range(10)]
        assert len(others) == 10 and not lender.deleted
    dropping.join(60)
    assert lender.deleted == 1


@own_interpreter("as_card")
def test_nothing_is_waited_for_once_it_is_done():
    """Finished work isn't waited for, nor is the device, which may have other busy streams."""
    from PyGPU import host

    memory, source = PyGPU.zeros(1000), PyGPU.pagelocked_zeros(1000)
    lender = Foreign(np.zeros(1000), device=(CUDA, 0), tensor__data=memory.ptr)
    a, stream, other = PyGPU.from_dlpack(lender), PyGPU.Stream(True), PyGPU.Stream(True)
    a.set_async(source, stream)
    stream.synchronize()
    with host.pause(other):
        del a
        assert lender.deleted == 1


@own_interpreter("as_rocm")
def test_rocm_tells_its_lenders_of_stream_0():
    memory = PyGPU.zeros(6)
    lender = Foreign(np.zeros(6), device=(tensors.ROCM, 0), tensor__data=memory.ptr)
    a = PyGPU.from_dlpack(lender)
    assert lender.asked == [{"max_version": (1, 3), "stream": 0}] and a.ptr == memory.ptr
    with pytest.raises(BufferError, match="HIP"):
        PyGPU.from_dlpack(Foreign(np.zeros(6), device=(CUDA, 0)))
    assert CPU == 1
