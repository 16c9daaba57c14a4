"""A user's own kernels through generated bindings, on the streams of the host runtime."""

from __future__ import annotations

import ctypes
import pickle
from array import array as array_of

import numpy as np
import pytest

import PyGPU as gpu
from PyGPU import GPUError, cuda, mykernels


@pytest.fixture
def stream():
    return cuda.cudaStream_t(flags=1)


@pytest.fixture
def plan(stream):
    return mykernels.myk_plan_t(shape=(16, 4, 1), stream=stream)


def test_structs_of_the_runtime_are_its_own(plan) -> None:
    shape, err = mykernels.myk_plan_shape(plan)
    assert not err
    assert type(shape) is cuda.cudaExtent
    assert (shape.width, shape.height, shape.depth) == (16, 4, 1)
    for given in ({"width": 2, "height": 3, "depth": 4}, cuda.cudaExtent(2, 3, 4), [2, 3, 4]):
        made, err = mykernels.myk_plan_create(given, None)
        assert not err
        assert mykernels.checked.myk_plan_shape(made) == cuda.cudaExtent(2, 3, 4)
        assert not mykernels.myk_plan_destroy(made)
    with pytest.raises(
        TypeError, match=r"myk_plan_create\(\): parameter 'shape': .*no field 'widht'"
    ):
        mykernels.myk_plan_create({"widht": 2}, None)
    with pytest.raises(
        TypeError, match=r"myk_plan_create\(\): parameter 'shape' must be a cudaExt"
    ):
        mykernels.myk_plan_create("large", None)


def test_streams_are_the_runtime_s(plan, stream) -> None:
    got, err = mykernels.myk_plan_stream(plan)
    assert not err
    assert type(got) is cuda.cudaStream_t
    assert got == stream
    none = mykernels.checked.myk_plan_create((1, 1, 1), None)
    assert not mykernels.checked.myk_plan_stream(none)
    mykernels.checked.myk_plan_destroy(none)


def test_an_owner_ends_with_its_object(stream) -> None:
    with pytest.raises(GPUError, match="MYK_BAD_SIZE"):
        mykernels.myk_plan_t(shape=(0, 1, 1), stream=stream)
    with pytest.raises(TypeError, match="shape"):
        mykernels.myk_plan_t(stream=stream)


def test_arrays_in_the_order_of_the_stream(plan, stream) -> None:
    array = gpu.to_gpu(range_of(10))
    assert not mykernels.myk_scale(plan, array, 10, (2, 1, mykernels.MYK_ROWS))
    assert not cuda.cudaStreamSynchronize(stream)
    assert array.get().tolist() == [2 * at + 1 for at in range(10)]
    with pytest.raises(
        ValueError, match=r"myk_scale\(\): parameter 'data' is too short: 44 needed, 40"
    ):
        mykernels.myk_scale(plan, array, 11, (2, 1, 0))
    assert mykernels.myk_scale(None, array, 10, (2, 1, 0)).name == "MYK_BAD_PLAN"


def test_a_struct_by_pointer_that_wants_to_be_aligned(stream) -> None:
    table = mykernels.myk_table(3, [5.0, 6.0, 7.0])
    assert (mykernels.myk_table.sizeof, table.address % 32) == (64, 0)
    index = gpu.to_gpu(range_of(5, "int32"))
    out = gpu.zeros(5, "float32")
    for given in (table, {"count": 3, "values": [5, 6, 7]}, (3, [5, 6, 7])):
        assert not mykernels.myk_look_up(given, index, out, 5, stream)
        assert not cuda.cudaStreamSynchronize(stream)
        assert out.get().tolist() == [5, 6, 7, 5, 6]


def test_enums_of_the_runtime_are_its_own(stream) -> None:
    source, target = bytearray(b"abcd"), bytearray(4)
    kind = cuda.cudaMemcpyKind.cudaMemcpyHostToHost
    assert not mykernels.myk_copy(target, source, 4, kind, stream)
    assert not cuda.cudaStreamSynchronize(stream)
    assert target == source
    assert mykernels.checked.myk_kind({"kind": 2}) is cuda.cudaMemcpyDeviceToHost
    assert mykernels.checked.myk_kind({"kind": 77}) == 77
    with pytest.raises(ValueError, match="'to'"):
        mykernels.myk_copy(bytearray(3), source, 4, kind, stream)


def test_structs_of_the_runtime_in_structs(stream) -> None:
    job = mykernels.myk_job(shape=(4, 4, 5), stream=stream, kind=1)
    assert type(job.shape) is cuda.cudaExtent
    assert (job.stream, job.kind) == (stream, cuda.cudaMemcpyHostToDevice)
    first, second = mykernels.checked.myk_split(job)
    assert (first.shape.depth, second.shape.depth) == (2, 3)
    first.shape.depth = 9  # a view, which keeps the struct alive
    shape = first.shape
    shape.width = 8
    assert (first.shape, first.kind) == (cuda.cudaExtent(8, 4, 9), 1)
    del first
    assert (shape.width, shape.depth) == (8, 9)
    second.shape = {"width": 1, "height": 1, "depth": 1}
    assert second.shape == cuda.cudaExtent(1, 1, 1)
    parameters = mykernels.myk_parameters(1.5, 2.5, mykernels.MYK_COLUMNS)
    assert pickle.loads(pickle.dumps(parameters)) == parameters


def test_a_number_that_is_a_device_address() -> None:
    array = gpu.zeros(4, "float32")
    assert not mykernels.myk_fill(array, 4, 1.5)
    assert array.get().tolist() == [1.5] * 4
    host = bytearray(8)
    status = mykernels.myk_fill(host, 2, float("nan"))
    assert (status.name, bool(status)) == ("MYK_PARTLY", False)
    with pytest.raises(ValueError, match="'to' is too short: 20 needed, 16 given"):
        mykernels.myk_fill(array, 5, 1.5)
    assert not mykernels.myk_fill(array.ptr, 4, 2.5)
    assert array.get().tolist() == [2.5] * 4


def test_functions_without_a_status() -> None:
    assert mykernels.myk_limits() == (1 << 20, 256)
    assert mykernels.myk_forget() is None
    assert mykernels.myk_version() == mykernels.MYK_VERSION == 102
    numbers = memoryview(b"".join(map(little, (1.0, 9.0, 3.0))))
    assert mykernels.myk_largest(numbers, 3) == (9.0, 1)  # C's return value, then its output
    assert mykernels.checked.myk_largest(numbers, 1) == (1.0, 0)


class Foreign:
    """Another library's array, by its interface alone."""

    def __init__(self, array, typestr: str) -> None:
        data, shape = (array.ptr, False), array.shape
        self.__cuda_array_interface__ = {
            "data": data, "shape": shape, "typestr": typestr, "version": 3,
        }  # fmt: skip


def test_arrays_hold_what_the_pointer_leads_to(plan, stream) -> None:
    """`const float *` read the bits of a float64 array: 1.875 for 10."""
    largest = mykernels.myk_largest
    assert largest(np.array([1, 9, 3], "f4"), 3) == (9.0, 1)
    raw = np.array([1, 9, 3], "f4").tobytes()
    for memory in (raw, bytearray(raw), memoryview(raw), array_of("f", [1, 9, 3])):
        assert largest(memory, 3) == (9.0, 1)
    void = np.frombuffer(raw, "V4")
    assert largest(void, 3) == (9.0, 1)
    for wrong, said in (
        (np.array([10.0] * 8), "double"),
        (np.array([10] * 8, "i4"), "integers of 4 bytes"),
        (np.array([10] * 32, "u1"), "integers of 1 byte"),
        (np.array([10] * 8, "c8"), "complex numbers of 8 bytes"),
        (array_of("d", [10.0] * 8), "double"),
        ((ctypes.c_double * 8)(), "double"),
        ((ctypes.c_int * 8)(), "integers of 4 bytes"),
    ):
        text = (
            rf"^myk_largest\(\): parameter 'numbers' holds {said}, but C takes a pointer to float"
        )
        with pytest.raises(TypeError, match=text):
            largest(wrong, 3)
    table, out = (3, [5, 6, 7]), gpu.zeros(5, "float32")
    for right in ("int32", "uint32"):
        assert not mykernels.myk_look_up(table, gpu.to_gpu(range_of(5, right)), out, 5, stream)
    index = gpu.to_gpu(range_of(5, "int32"))
    assert not mykernels.myk_look_up(table, Foreign(index, "<u4"), out, 5, stream)
    assert not cuda.cudaStreamSynchronize(stream)
    for wrong in (gpu.zeros(5, "int64"), gpu.zeros(5, "float32"), Foreign(out, "<f4")):
        with pytest.raises(
            TypeError, match=r"'from_' holds .*, but C takes a pointer to integers of 4"
        ):
            mykernels.myk_look_up(table, wrong, out, 5, stream)
    for wrong in (gpu.zeros(10, "float64"), gpu.DeviceArray_int32(5)):
        with pytest.raises(TypeError, match=r"'data' holds .*, but C takes a pointer to float"):
            mykernels.myk_scale(plan, wrong, 5, (2, 1, 0))


def test_a_value_in_and_out() -> None:
    seed, number, err = mykernels.myk_next(1)
    assert (seed, number, err) == (1015568748, 1015568748 >> 16, 0)


def test_a_callback_gives_a_result() -> None:
    seen = []

    def visit(block: int, order: mykernels.myk_order, user: list[str]) -> int:
        seen.append((block, order))
        return len(user) if block == 2 else 0

    assert mykernels.myk_visit(9, visit, ["a", "b"]) == 2
    assert seen == [(0, mykernels.MYK_ROWS), (1, mykernels.MYK_COLUMNS), (2, mykernels.MYK_ROWS)]
    assert mykernels.myk_visit(2, lambda *_: None) == 0


def test_its_own_names_are_there_and_no_others() -> None:
    names = set(dir(mykernels))
    assert {"myk_scale", "myk_job", "myk_plan_t", "MYK_ROWS", "mykStatus"} <= names
    assert not {"myk_scale_v2", "cudaExtent", "cudaStream_t", "cudaMemcpyDefault"} & names
    assert mykernels.address("myk_scale")


def range_of(count: int, dtype: str = "float32"):
    import numpy

    return numpy.arange(count, dtype=dtype)


def little(number: float) -> bytes:
    import struct

    return struct.pack("<f", number)
