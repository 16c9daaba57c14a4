"""The C exchange API: C code calls GPUArray's table, and PyGPU calls another library's table."""

from __future__ import annotations

import ctypes
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import PyGPU
from PyGPU._arrays import refuse
from tests.exchange import tensors
from tests.own_interpreter import own_interpreter

OBJECT, ADDRESS = ctypes.py_object, ctypes.c_void_p
Fail = ctypes.CFUNCTYPE(None, ADDRESS, ctypes.c_char_p, ctypes.c_char_p)


class Table(ctypes.Structure):
    """DLPackExchangeAPI, from the header."""

    _fields_ = (
        ("version", tensors.Version),
        ("previous", ADDRESS),
        ("allocate", ctypes.PYFUNCTYPE(ctypes.c_int, ADDRESS, ADDRESS, ADDRESS, Fail)),
        ("from_object", ctypes.PYFUNCTYPE(ctypes.c_int, OBJECT, ADDRESS)),
        ("to_object", ctypes.PYFUNCTYPE(ctypes.c_int, ADDRESS, ctypes.POINTER(ADDRESS))),
        ("fill_in", ctypes.PYFUNCTYPE(ctypes.c_int, OBJECT, ADDRESS)),
        ("work_stream", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ADDRESS)),
    )


def table_of(kind: type) -> Table:
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ADDRESS, (OBJECT, ctypes.c_char_p)
    return Table.from_address(pointer(kind.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))


def lend(array: Any) -> Any:
    out = ADDRESS()
    assert table_of(type(array)).from_object(array, ctypes.addressof(out)) == 0
    return tensors.Versioned.from_address(out.value)


def taken(managed: Any, kind: type) -> Any:
    out = ADDRESS()
    assert table_of(kind).to_object(ctypes.addressof(managed), ctypes.byref(out)) == 0
    made = ctypes.cast(out, OBJECT).value
    ctypes.pythonapi.Py_DecRef(OBJECT(made))
    return made


def test_the_table_is_on_the_class(device):
    table = table_of(device.GPUArray)
    assert (table.version.major, table.version.minor, table.previous) == (1, 3, None)
    assert table_of(type("Derived", (device.GPUArray,), {})).version.major == 1
    assert all(getattr(table, name) for name, _ in Table._fields_[2:])


def test_a_tensor_goes_out_and_comes_back(device):
    host = np.arange(24.0).reshape(2, 3, 4)
    a = device.to_gpu(host)
    for view, expected in (
        (a, host),
        (a.T, host.T),
        (a[1, ::2], host[1, ::2]),
        (a[0, 0, 0], host[0, 0, 0]),
    ):
        managed = lend(view)
        assert managed.flags == 0 and managed.tensor.data == view.ptr
        assert tuple(managed.tensor.shape[: view.ndim]) == view.shape
        back = taken(managed, device.GPUArray)
        assert type(back) is device.GPUArray
        assert (back.ptr, back.shape, back.strides) == (view.ptr, view.shape, view.strides)
        assert (back.get() == expected).all()


def test_what_cannot_go_out_raises(device):
    from_object = table_of(device.GPUArray).from_object
    out = ADDRESS(7)
    with pytest.raises(BufferError):
        from_object(device.zeros(3)[::-1], ctypes.addressof(out))
    assert out.value is None
    with pytest.raises(TypeError, match="a GPUArray is needed"):
        from_object(7, ctypes.addressof(out))
    with pytest.raises(BufferError):
        table_of(device.GPUArray).fill_in(device.zeros(3, "S3"), ctypes.addressof(tensors.Tensor()))


def test_many_tensors_are_borrowed_at_once(device):
    table = table_of(device.GPUArray)
    arrays = [device.zeros((n, 3)).T for n in range(1, 5)]
    filled = [tensors.Tensor() for _ in arrays]
    for array, tensor in zip(arrays, filled, strict=True):
        assert table.fill_in(array, ctypes.addressof(tensor)) == 0
    for array, tensor in zip(arrays, filled, strict=True):
        assert tensor.data == array.ptr
        assert tuple(tensor.shape[:2]) == array.shape
        assert [8 * step for step in tensor.strides[:2]] == list(array.strides)


def test_new_memory_by_a_prototype(device):
    table = table_of(device.GPUArray)
    shape = (ctypes.c_int64 * 2)(2, 3)
    kind = device.zeros(1).__dlpack_device__()
    prototype = tensors.Tensor(
        device=tensors.Device(*kind), ndim=2, dtype=tensors.DType(2, 32, 1), shape=shape
    )
    out, failures = ADDRESS(), []
    fail = Fail(lambda context, name, message: failures.append((context, name, message)))

    def allocate():
        return table.allocate(ctypes.addressof(prototype), ctypes.addressof(out), 5, fail)

    assert allocate() == 0 and not failures
    made = taken(tensors.Versioned.from_address(out.value), device.GPUArray)
    assert (made.shape, made.dtype) == ((2, 3), np.float32)
    made.fill(7)
    assert (made.get() == 7).all()
    for name, value in (("ndim", -1), ("ndim", 65), ("dtype", tensors.DType(3, 32, 1))):
        before = getattr(prototype, name)
        setattr(prototype, name, value)
        assert allocate() == -1 and out.value is None
        setattr(prototype, name, before)
    shape[0] = 2**62
    assert allocate() == -1
    assert [context for context, *_ in failures] == [5] * 4
    assert {name for _, name, _ in failures} == {b"ValueError", b"BufferError"}


@own_interpreter("as_card")
def test_the_work_stream_is_the_current_one_and_comes_after_all():
    from PyGPU import checked, host

    table, out = table_of(PyGPU.GPUArray), ADDRESS()
    source = PyGPU.pagelocked_empty(1000)
    source[...] = 7
    a, writer, worker = PyGPU.zeros(1000), PyGPU.Stream(True), PyGPU.Stream(True)
    into = PyGPU.pagelocked_zeros(1)
    with worker:
        assert table.work_stream(tensors.CUDA, 0, ctypes.addressof(out)) == 0
        assert out.value == int(worker)
        with host.pause(writer):
            a.set_async(source, writer)
            managed = lend(a)
            kind = PyGPU.cudaMemcpyDeviceToHost
            checked.cudaMemcpyAsync(into, managed.tensor.data, 8, kind, worker)
    worker.synchronize()
    assert into[0] == 7
    tensors.end(managed)
    assert table.work_stream(tensors.CUDA, 0, ctypes.addressof(out)) == 0 and out.value is None


@own_interpreter("as_card")
@pytest.mark.parametrize(
    ("kind", "number", "name", "said"),
    [
        (tensors.CPU, 0, b"BufferError", b"copies it"),
        (3, 0, b"BufferError", b"not page-locked or managed"),
        (tensors.MANAGED, 0, b"BufferError", b"not page-locked or managed"),
        (tensors.CUDA, -1, b"BufferError", b"(2, -1), which CUDA doesn't reach"),
        (tensors.CUDA, 99, b"GPUError", b"code 101"),
        (10, 0, b"BufferError", b"(10, 0), which CUDA doesn't reach"),
    ],
)
def test_new_memory_elsewhere_is_refused(kind, number, name, said):
    """The consumer gets the reason. 3 is DLPack's page-locked memory, 10 is ROCm's memory."""
    shape, out, failures = (ctypes.c_int64 * 1)(3), ADDRESS(5), []
    prototype = tensors.Tensor(
        device=tensors.Device(kind, number), ndim=1, dtype=tensors.DType(2, 32, 1), shape=shape
    )
    fail = Fail(lambda _, name, message: failures.append((name, message)))
    allocate = table_of(PyGPU.GPUArray).allocate
    assert allocate(ctypes.addressof(prototype), ctypes.addressof(out), None, fail) == -1
    assert out.value is None and [one for one, _ in failures] == [name]
    assert said in failures[0][1]


class Producer:
    """An array of a library whose type has a table; its tensor is made from its attributes."""

    def __init__(self, foreign: tensors.Foreign) -> None:
        self.foreign = foreign


STREAM = 0


def _from_object(producer: Any, out: int) -> int:
    if producer.foreign is None:
        raise ZeroDivisionError
    ADDRESS.from_address(out).value = ctypes.addressof(producer.foreign.managed)
    return 0


def _work_stream(_kind: int, _number: int, out: int) -> int:
    ADDRESS.from_address(out).value = STREAM
    return 0


TABLE = Table(version=tensors.Version(1, 3))
TABLE.from_object = dict(Table._fields_)["from_object"](_from_object)
TABLE.work_stream = dict(Table._fields_)["work_stream"](_work_stream)
LATER = Table(version=tensors.Version(2, 0), previous=ctypes.addressof(TABLE))


def with_table(table: Table) -> type:
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = OBJECT, (ADDRESS, ctypes.c_char_p, ADDRESS)
    capsule = make(ctypes.addressof(table), b"dlpack_exchange_api", None)
    return type("Tabled", (Producer,), {"__dlpack_c_exchange_api__": capsule, "table": table})


@pytest.mark.parametrize("table", [TABLE, LATER], ids=["1.3", "2.0 with 1.3 before"])
def test_anothers_table_is_asked_first(device, table):
    if device.backend != "host":
        pytest.skip("the CPU's memory")
    foreign = tensors.Foreign(np.arange(6.0).reshape(2, 3))
    a = device.from_dlpack(with_table(table)(foreign))
    assert a.ptr == foreign.array.ctypes.data and a.get().tolist() == foreign.array.tolist()
    del a
    assert foreign.deleted == 1 and not foreign.asked


class Lazy:
    """Answers as torch's tensors do whether the values differ from what is in memory."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.asked = answers, []

    def __call__(self, name: str) -> Any:
        self.asked.append(name)
        if isinstance(answer := self.answers[name], Exception):
            raise answer
        return answer


LENT = r"lazy .*x\.resolve_neg\(\) or x\.resolve_conj\(\)"
RECORDED = r"requires grad.*x\.detach\(\)"
LAZY = [
    (np.float32, {"is_neg": True}, BufferError),
    (np.complex64, {"is_neg": True}, BufferError),
    (np.complex64, {"is_neg": False, "is_conj": True}, BufferError),
    (np.complex64, {"is_neg": False, "is_conj": ZeroDivisionError()}, ZeroDivisionError),
    (np.float64, {"is_neg": ZeroDivisionError()}, ZeroDivisionError),
    (np.float32, {"requires_grad": True}, BufferError),
    (np.complex64, {"requires_grad": True}, BufferError),
    (np.float32, {"requires_grad": ZeroDivisionError()}, ZeroDivisionError),
    (np.float32, {"requires_grad": False, "is_neg": True}, BufferError),
    (np.float32, {"requires_grad": False, "is_neg": False}, None),
    (np.complex64, {"is_neg": False, "is_conj": False}, None),
    (np.float32, {"is_neg": False}, None),
    (np.int32, {}, None),
]


@pytest.mark.parametrize(("dtype", "answers", "error"), LAZY)
def test_a_lazy_tensor_is_refused_and_goes_back(device, dtype, answers, error):
    """For torch, is_neg() and is_conj() say that reading negates or conjugates the memory.

    If requires_grad is true, torch records what is done to the tensor, and would miss PyGPU's work.
    torch's own __dlpack__() refuses all but the negative ones; its table refuses none.
    """
    if device.backend != "host":
        pytest.skip("the CPU's memory")
    lazy, foreign = Lazy(**answers), tensors.Foreign(np.ones(3, dtype))
    methods = {name: lambda _, name=name: lazy(name) for name in ("is_neg", "is_conj")}
    if "requires_grad" in answers:
        methods["requires_grad"] = property(lambda _: lazy("requires_grad"))
    tensor = type("Lazily", (with_table(TABLE),), methods)(foreign)
    if error:
        last = list(answers)[-1]
        said = (RECORDED if last == "requires_grad" else LENT) if error is BufferError else None
        with pytest.raises(error, match=said):
            device.from_dlpack(tensor)
    else:
        assert (device.from_dlpack(tensor).get() == 1).all()
    assert lazy.asked == list(answers) and foreign.deleted == 1


@pytest.mark.parametrize(
    ("methods", "changes", "said"),
    [
        ({"is_neg": lambda _: True}, {}, LENT),
        ({"is_neg": lambda _: False, "requires_grad": True}, {}, RECORDED),
        ({}, {"tensor__data": None}, "has elements, but no memory"),
    ],
)
def test_memory_without_the_values_is_not_copied(device, methods, changes, said):
    """numpy.from_dlpack() takes a negative's memory, and makes memory for a tensor without any.

    torch has such tensors: `x.conj().imag`, parameters, and zeros that need no memory.
    """
    tensor = type("Lazily", (tensors.Foreign,), methods)(np.ones(3, "f4"), **changes)
    array = device.zeros(3, "f4")
    for dst, src in ((array, tensor), (tensor, array)):
        with pytest.raises(BufferError, match=rf"^copy\(\): the tensor .*{said}"):
            device.copy(dst, src)
    assert not array.get().any() and (tensor.array == 1).all()


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({}, "Cannot access data pointer$"),
        ({"layout": "torch.strided"}, "Cannot access data pointer$"),
        ({"layout": "torch.sparse_coo"}, r"its layout is torch\.sparse_coo: pass x\.to_dense\(\)$"),
    ],
)
def test_what_a_table_does_not_lend_says_why(device, attributes, said):
    """The message is one line, and names the way out where a tensor is sparse.

    torch's table itself is asked in test_peers.py: a table in ctypes can't raise.
    """
    error = RuntimeError("Cannot access data pointer\nframe #0: c10::Error::Error()")
    made = refuse.lends_nothing("from_dlpack()", SimpleNamespace(**attributes), error)
    assert isinstance(made, BufferError) and made.__cause__ is error
    assert re.search(
        rf"^from_dlpack\(\): the memory of the SimpleNamespace can't be shared: {said}", str(made)
    )


def test_null_pointers_are_refused(device):
    """A consumer in C may have a null pointer: each function of the table answers -1."""
    table, out, tensor = table_of(device.GPUArray), ADDRESS(7), tensors.Tensor()
    array, place = device.zeros(3), ctypes.addressof(out)
    null = ADDRESS()
    raw = {
        name: ctypes.PYFUNCTYPE(ctypes.c_int, ADDRESS, ADDRESS)(
            ctypes.cast(getattr(table, name), ADDRESS).value
        )
        for name in ("from_object", "to_object", "fill_in")
    }
    managed = lend(array)
    for call in (
        lambda: raw["from_object"](id(array), null),
        lambda: raw["from_object"](null, place),
        lambda: raw["fill_in"](id(array), null),
        lambda: raw["fill_in"](null, ctypes.addressof(tensor)),
        lambda: raw["to_object"](null, place),
        lambda: raw["to_object"](ctypes.addressof(managed), null),
        lambda: table.work_stream(tensors.CPU, 0, None),
    ):
        with pytest.raises(TypeError, match="a pointer is null"):
            call()
    tensors.end(managed)  # a tensor that was not taken stays the caller's
    failures = []
    fail = Fail(lambda _, name, message: failures.append((name, message)))
    kind = tensors.Device(*array.__dlpack_device__())
    no_shape = tensors.Tensor(device=kind, ndim=1, dtype=tensors.DType(2, 32, 1))
    assert table.allocate(None, place, None, fail) == -1 and out.value is None
    assert table.allocate(ctypes.addressof(no_shape), None, None, fail) == -1
    assert table.allocate(ctypes.addressof(no_shape), place, None, fail) == -1
    assert table.allocate(None, place, None, Fail()) == -1  # not even a function for the error
    assert [name for name, _ in failures] == [b"TypeError", b"TypeError", b"ValueError"]


@pytest.mark.parametrize(
    ("kind", "number"), [(tensors.CPU, 7), (tensors.CPU, -1), (7, 0), (0, 0), (99, 0), (17, 3)]
)
def test_devices_that_are_not_there(device, kind, number):
    """New memory is of a device that is there, and only such a device has a stream of work."""
    table, out, failures = table_of(device.GPUArray), ADDRESS(5), []
    shape = (ctypes.c_int64 * 1)(3)
    prototype = tensors.Tensor(
        device=tensors.Device(kind, number), ndim=1, dtype=tensors.DType(2, 32, 1), shape=shape
    )
    fail = Fail(lambda _, name, message: failures.append((name, message)))
    assert table.allocate(ctypes.addressof(prototype), ctypes.addressof(out), None, fail) == -1
    assert out.value is None and [name for name, _ in failures] == [b"BufferError"]
    if kind != tensors.CPU and device.backend != "host":  # else the message speaks of host memory
        assert f"({kind}, {number})".encode() in failures[0][1]
    if kind == tensors.CPU:  # DLPack: the producer may answer null for the CPU, whatever the number
        assert table.work_stream(kind, number, ctypes.addressof(out)) == 0
    else:
        with pytest.raises(BufferError):
            table.work_stream(kind, number, ctypes.addressof(out))
    assert out.value is None


def test_a_later_table_alone_is_none(device):
    with pytest.raises(TypeError, match="__dlpack_device__ is needed"):
        device.from_dlpack(with_table(Table(version=tensors.Version(2, 0)))(None))


PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry take(.param .u64 memory) { ret; }
"""


@own_interpreter("as_card")
def test_a_kernel_takes_a_tensor_by_its_table():
    """torch's array interface doesn't tell the stream of its work: the table does."""

    def interface(_: Any) -> Any:
        raise AssertionError

    class Torch(tensors.Foreign):
        __dlpack_c_exchange_api__ = with_table(TABLE).__dlpack_c_exchange_api__
        __cuda_array_interface__ = property(interface)
        foreign = property(lambda self: self)

    class Recorded(Torch):
        requires_grad = True

    memory, take = PyGPU.zeros(4), PyGPU.Module(PTX)["take"]
    one, other = (
        kind(np.zeros(4), device=(tensors.CUDA, 0), tensor__data=memory.ptr)
        for kind in (Torch, Recorded)
    )
    take(one, grid=1, block=1)
    with pytest.raises(BufferError, match=r"^take\(\): .*x\.detach\(\)"):
        take(other, grid=1, block=1)
    assert one.deleted == other.deleted == 1 and not one.asked


@own_interpreter("as_card")
def test_work_comes_after_the_producers_stream():
    from PyGPU import host

    global STREAM
    memory, producer = PyGPU.zeros(1000), PyGPU.Stream(True)
    source = PyGPU.pagelocked_empty(1000)
    source[...] = 7
    foreign = tensors.Foreign(np.zeros(1000), device=(tensors.CUDA, 0), tensor__data=memory.ptr)
    STREAM = int(producer)
    consumer = PyGPU.Stream(True)
    with host.pause(producer):
        memory.set_async(source, producer)
        a = PyGPU.from_dlpack(with_table(TABLE)(foreign), stream=consumer)
        result = a.get_async(consumer)
    assert (PyGPU.wait(result) == 7).all()
    assert a.stream == int(consumer)
