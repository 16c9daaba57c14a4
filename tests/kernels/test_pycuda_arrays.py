"""PyCUDA's Array, Memcpy2D and Memcpy3D, compared with numpy."""

from __future__ import annotations

import gc
import re

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import IN_CHILD, own_interpreter

if IN_CHILD:
    import PyGPU.driver as cuda

pytestmark = own_interpreter("on_devices")

MATRIX = np.arange(5 * 7, dtype=np.float32).reshape(5, 7)


def read_back(array, shape, dtype=np.float32):
    """The elements of an Array of (rows, columns), or of (slices, rows, columns)."""
    found = np.zeros(shape, dtype)
    copy = cuda.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_host(found)
    copy.width_in_bytes = copy.dst_pitch = shape[-1] * found.itemsize
    copy.height = copy.dst_height = copy.src_height = shape[-2]
    copy.depth = shape[0] if len(shape) > 2 else 1
    copy()
    return found


def part(rows, columns, source, of):
    """A Memcpy2D of rows[0] to rows[1] and so on, from a matrix to the start of another."""
    copy = cuda.Memcpy2D()
    size = of.itemsize
    copy.src_x_in_bytes, copy.src_y, copy.src_pitch = columns[0] * size, rows[0], of.strides[0]
    copy.width_in_bytes, copy.height = (columns[1] - columns[0]) * size, rows[1] - rows[0]
    getattr(copy, f"set_src_{source[0]}")(source[1])
    return copy


def test_parts_of_matrices_are_copied_between_all_kinds_of_memory():
    on_device = PyGPU.to_gpu(MATRIX)
    locked = cuda.pagelocked_empty((3, 4), np.float32)
    plain, stream = np.zeros((3, 4), np.float32), cuda.Stream()
    managed = cuda.managed_empty((5, 7), np.float32)
    managed[:] = MATRIX
    array = cuda.matrix_to_array(MATRIX, "C")
    wanted = MATRIX[1:4, 2:6]
    sources = [("host", MATRIX), ("device", on_device), ("array", array)]
    if PyGPU.backend != "host":  # the host runtime doesn't know this kind
        sources.append(("unified", managed))
    for source in sources:
        for target in (locked, plain):
            target[:] = 0
            copy = part((1, 4), (2, 6), source, MATRIX)
            copy.set_dst_host(target)
            copy.dst_pitch = target.strides[0]
            for how in (True, False, stream):
                target[:] = 0
                copy(how)
                stream.synchronize()
                np.testing.assert_array_equal(target, wanted)
    memory = cuda.mem_alloc(plain.nbytes)
    copy = part((1, 4), (2, 6), ("device", on_device), MATRIX)
    copy.set_dst_device(memory)
    copy.dst_pitch = plain.strides[0]
    copy(aligned=False)
    np.testing.assert_array_equal(cuda.from_device_like(memory, plain), wanted)


def test_boxes_are_copied():
    cube = np.arange(3 * 4 * 5, dtype=np.int32).reshape(3, 4, 5)
    copy, found = cuda.Memcpy3D(), np.zeros((2, 2, 3), np.int32)
    copy.set_src_device(PyGPU.to_gpu(cube))  # the copy keeps the array alive
    copy.set_dst_host(found)
    copy.src_x_in_bytes, copy.src_y, copy.src_z = 8, 1, 1
    copy.src_pitch, copy.src_height = 20, 4
    copy.dst_pitch, copy.dst_height = 12, 2
    copy.width_in_bytes, copy.height, copy.depth = 12, 2, 2
    gc.collect()
    copy()
    np.testing.assert_array_equal(found, cube[1:, 1:3, 2:])
    stream = cuda.Stream()
    found[:] = 0
    copy(stream)
    stream.synchronize()
    np.testing.assert_array_equal(found, cube[1:, 1:3, 2:])


def test_arrays_have_what_was_given():
    for order in "CF":
        given = np.asarray(MATRIX, order=order)
        shape = MATRIX.shape if order == "C" else MATRIX.shape[::-1]
        wanted = MATRIX if order == "C" else MATRIX.T
        made = [cuda.matrix_to_array(MATRIX, order), cuda.np_to_array(MATRIX, order)]
        made.append(cuda.gpuarray_to_array(PyGPU.to_gpu(given), order))
        for array in made:
            np.testing.assert_array_equal(read_back(array, shape), wanted)
    for dtype in (np.float64, np.complex64, np.complex128, np.int8, np.uint16, np.float16):
        given = MATRIX.astype(dtype)
        np.testing.assert_array_equal(read_back(cuda.np_to_array(given, "C"), (5, 7), dtype), given)
    cube = np.arange(2 * 3 * 4, dtype=np.uint32).reshape(2, 3, 4)
    array = cuda.np_to_array(cube, "C")
    described = array.get_descriptor_3d()
    assert (described.width, described.height, described.depth) == (4, 3, 2)
    np.testing.assert_array_equal(read_back(array, (2, 3, 4), np.uint32), cube)
    many = np.arange(3 * 4 * 2, dtype=np.int16).reshape(3, 4, 2)
    array = cuda.make_multichannel_2d_array(many, "C")
    described = array.get_descriptor()
    assert (described.width, described.height, described.num_channels) == (4, 3, 2)
    assert described.format == cuda.array_format.SIGNED_INT16
    np.testing.assert_array_equal(read_back(array, (3, 8), np.int16), many.reshape(3, 8))


def test_rows_are_copied_by_their_bytes():
    descriptor = cuda.ArrayDescriptor()
    descriptor.width, descriptor.format = 8, cuda.array_format.FLOAT
    row = np.arange(8, dtype=np.float32)
    first, second = cuda.Array(descriptor), cuda.Array(descriptor)
    memory, found = cuda.mem_alloc(row.nbytes), np.zeros_like(row)
    cuda.memcpy_htoa(first, 0, row)
    cuda.memcpy_atoa(second, 16, first, 0, 16)
    cuda.memcpy_dtoa(second, 0, cuda.to_device(row[4:]), 16)
    cuda.memcpy_atoh(found, second, 0)
    assert found.tolist() == [4, 5, 6, 7, 0, 1, 2, 3]
    cuda.memcpy_atod(memory, second, 8, 24)
    assert cuda.from_device(memory, 6, np.float32).tolist() == [6, 7, 0, 1, 2, 3]


def test_what_arrays_and_copies_refuse():
    array = cuda.matrix_to_array(MATRIX, "C")
    for call, kind, said in (
        (lambda: cuda.matrix_to_array(MATRIX, "A"), ValueError, "order is 'C' or 'F', not 'A'"),
        (lambda: cuda.matrix_to_array(MATRIX[0], "C"), ValueError, "2 dimensions, not 1"),
        (lambda: cuda.matrix_to_array(MATRIX.astype("f8"), "C"), TypeError, "no array format"),
        (lambda: cuda.np_to_array(MATRIX.astype(">f4"), "C"), TypeError, "no array format"),
        (lambda: cuda.np_to_array(MATRIX[0], "C"), ValueError, "2 or 3 dimensions"),
        (lambda: cuda.gpuarray_to_array(PyGPU.to_gpu(MATRIX), "F"), ValueError, "contiguous"),
        (lambda: cuda.Array(cuda.ArrayDescriptor()), ValueError, "not in array_format"),
        (lambda: cuda.Memcpy2D()(), TypeError, "Memcpy2D(): call set_src_host()"),
        (lambda: cuda.Memcpy2D().set_dst_host(b"text"), ValueError, "read-only"),
        (lambda: cuda.Memcpy2D().set_src_host(MATRIX[:, 1:]), ValueError, "contiguous"),
        (lambda: cuda.memcpy_htoa(array, 0, np.zeros(99, "f4")), cuda.LogicError, "nvalid"),
    ):
        with pytest.raises(kind, match=re.escape(said)):
            call()
    for side, memory in (("host", MATRIX), ("device", PyGPU.to_gpu(MATRIX))):
        copy = part((1, 6), (2, 6), (side, memory), MATRIX)
        copy.set_dst_host(np.zeros(MATRIX.nbytes, np.uint8))
        with pytest.raises(
            ValueError, match=r"Memcpy2D\(\): the copy needs 164 bytes of its source, which has 140"
        ):
            copy()
    copy = part((0, 1), (0, 7), ("array", array), MATRIX)
    copy.set_dst_host(np.zeros(28, np.uint8))
    array.free()
    array.free()
    with pytest.raises(ValueError, match="the array was freed"):
        copy()
    np.testing.assert_array_equal(read_back(cuda.matrix_to_array(MATRIX, "C"), (5, 7)), MATRIX)


def test_fills_of_rows_on_a_stream_and_the_range_of_an_address():
    rows, pitch = cuda.mem_alloc_pitch(100, 3, 4)
    stream = cuda.Stream()
    for name, dtype in (("8", np.uint8), ("16", np.uint16), ("32", np.uint32)):
        count = 100 // np.dtype(dtype).itemsize
        getattr(cuda, f"memset_d2d{name}_async")(rows, pitch, 7, count, 3, stream)
        stream.synchronize()
        found = cuda.from_device(rows, (3, pitch // np.dtype(dtype).itemsize), dtype)
        assert (found[:, :count] == 7).all()
    base, size = cuda.mem_get_address_range(int(rows) + 5)
    assert base <= int(rows) and int(rows) + rows.size <= base + size
