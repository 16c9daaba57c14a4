"""The data movement in PyCUDA's array documentation and tutorial, with only the import changed.

Each call gets its arguments in the documented order and by the documented names.
"""

from __future__ import annotations

import ctypes
import pickle
import struct

import numpy
import numpy as np
import pytest


@pytest.fixture
def gpuarray(device):
    import PyGPU as gpuarray

    return gpuarray


def test_the_tutorials_array(gpuarray):
    a = numpy.random.randn(4, 4)
    a = a.astype(numpy.float32)
    a_gpu = gpuarray.to_gpu(a)
    assert (a_gpu.get() == a).all()
    assert str(a_gpu) == str(a)


def test_the_tutorials_transfer_by_address(gpuarray):
    """Allocated memory, and copies both ways. Any buffer works, bytes too."""
    a = numpy.random.randn(4, 4).astype(numpy.float32)
    a_gpu = gpuarray.DeviceMemory(a.nbytes)
    assert not gpuarray.cudaMemcpy(a_gpu, a, a.nbytes, gpuarray.cudaMemcpyHostToDevice)
    back = numpy.empty_like(a)
    assert not gpuarray.cudaMemcpy(back, a_gpu, a.nbytes, gpuarray.cudaMemcpyDeviceToHost)
    assert (back == a).all()
    assert not gpuarray.cudaMemcpy(a_gpu, b"bytes", 5, gpuarray.cudaMemcpyHostToDevice)


def test_the_tutorials_structure(gpuarray):
    """Structures with a pointer, packed at offsets of one piece of memory."""
    size = 8 + numpy.intp(0).nbytes
    memory = gpuarray.DeviceMemory(2 * size)
    arrays = [
        gpuarray.to_gpu(numpy.array(values, dtype=numpy.float32)) for values in ([1, 2, 3], [0, 4])
    ]
    for at, array in enumerate(arrays):
        packed = struct.pack("ixP", array.size, array.ptr)
        place = int(memory) + at * size
        assert not gpuarray.cudaMemcpy(place, packed, size, gpuarray.cudaMemcpyHostToDevice)
    structures = gpuarray.GPUArray(2 * size, numpy.uint8, gpudata=memory).get().tobytes()
    for at, array in enumerate(arrays):
        assert struct.unpack_from("ixP", structures, at * size) == (array.size, array.ptr)


def test_construction(gpuarray):
    a = gpuarray.GPUArray((3, 4), np.float32, allocator=gpuarray.DeviceMemory, order="F")
    assert (a.shape, a.dtype, a.size, a.mem_size) == ((3, 4), np.float32, 12, 12)
    assert (a.nbytes, a.strides, len(a)) == (48, (4, 12), 3)
    assert a.flags.f_contiguous
    assert a.flags.forc
    assert not a.flags.c_contiguous
    assert isinstance(a.ptr, int)
    assert a.ptr == int(a.gpudata)
    assert gpuarray.empty((2, 2), np.int32, allocator=None, order="C").shape == (2, 2)
    assert not gpuarray.zeros((2, 2), dtype=np.float64, order="F").get().any()
    assert gpuarray.zeros(3).dtype == gpuarray.ones(3).dtype == np.float64
    assert gpuarray.ones((2, 2), np.int16, gpuarray.DeviceMemory).get().sum() == 4
    for like, value in ((gpuarray.zeros_like, 0), (gpuarray.ones_like, 1)):
        other = like(a, np.int32, "C")
        assert other.flags.c_contiguous
        assert (other.get() == value).all()
        assert like(a, order="K").flags.f_contiguous
        assert like(a, order="A").dtype == np.float32
    assert gpuarray.empty_like(a, dtype=None, order="K").strides == a.strides


def test_arange(gpuarray):
    stream = gpuarray.cudaStream_t()
    for array, wanted in (
        (gpuarray.arange(12, dtype=np.float32), np.arange(12, dtype=np.float32)),
        (gpuarray.arange(12, np.dtype("f4")), np.arange(12, dtype="f4")),
        (gpuarray.arange(2, 9, 3, dtype=np.int32, stream=stream), np.arange(2, 9, 3, dtype="i4")),
        (gpuarray.arange(0, 1, 0.3), np.arange(0, 1, 0.3)),
    ):
        assert array.dtype == wanted.dtype
        assert (array.get() == wanted).all()


def test_set_and_get(gpuarray):
    stream = gpuarray.cudaStream_t()
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    a_gpu = gpuarray.to_gpu(a, allocator=gpuarray.DeviceMemory)
    b_gpu = gpuarray.to_gpu_async(a, allocator=None, stream=stream)
    stream_synchronized = gpuarray.cudaStreamSynchronize(stream)
    assert not stream_synchronized
    assert (b_gpu.get() == a).all()
    a_gpu.set(2 * a)
    assert (a_gpu.get(np.empty_like(a)) == 2 * a).all()
    assert (a_gpu.get(pagelocked=True) == 2 * a).all()
    a_gpu.set_async(a, stream)
    result = a_gpu.get_async(stream)
    assert not gpuarray.cudaStreamSynchronize(stream)
    assert (result == a).all()
    mine = gpuarray.pagelocked_empty((3, 4), np.float32)
    assert a_gpu.get_async(stream, mine) is mine
    assert a_gpu.get_async(stream=stream, ary=mine) is mine
    copied = a_gpu.copy(stream)
    assert not gpuarray.cudaStreamSynchronize(stream)
    assert (mine == a).all()
    assert (copied.get() == a).all()
    assert (a_gpu.copy().get() == a).all()
    a_gpu.fill(7)
    a_gpu.fill(np.float32(8), stream=stream)
    assert (a_gpu.get() == 8).all()


def test_shapes_and_views(gpuarray):
    a = np.arange(24, dtype=np.int32).reshape(4, 6)
    a_gpu = gpuarray.to_gpu(a)
    assert (a_gpu.reshape((6, 4)).get() == a.reshape(6, 4)).all()
    assert (a_gpu.reshape(6, 4, order="C").get() == a.reshape(6, 4)).all()
    assert (a_gpu.reshape(-1, 12).get() == a.reshape(-1, 12)).all()
    assert (a_gpu.ravel().get() == a.ravel()).all()
    assert (a_gpu.view(np.int16).get() == a.view(np.int16)).all()
    assert a_gpu.view().dtype == np.int32
    assert gpuarray.empty((1, 2, 1), np.int8).squeeze().shape == (2,)
    assert (a_gpu.T.get() == a.T).all()
    assert (a_gpu.transpose(axes=(1, 0)).get() == a.T).all()
    assert (a_gpu[1:3, ::2].get() == a[1:3, ::2]).all()
    assert (a_gpu[..., np.newaxis, 2].get() == a[..., np.newaxis, 2]).all()
    assert a_gpu[2:].ptr == a_gpu.ptr + 48 == int(a_gpu[2:].gpudata)
    a_gpu[1:3] = a_gpu[:2]
    a_gpu[0] = np.zeros(6, np.int32)
    a_gpu[3, 3] = 99
    wanted = a.copy()
    wanted[1:3], wanted[0], wanted[3, 3] = a[:2], 0, 99
    assert (a_gpu.get() == wanted).all()
    assert (pickle.loads(pickle.dumps(a_gpu)).get() == wanted).all()


def test_joining(gpuarray):
    a, b = np.ones((2, 3)), np.zeros((2, 3))
    both = [gpuarray.to_gpu(a), gpuarray.to_gpu(b)]
    assert (gpuarray.concatenate(both, 1).get() == np.concatenate([a, b], 1)).all()
    assert (gpuarray.concatenate(both, axis=0, allocator=None).get().shape) == (4, 3)
    assert (gpuarray.stack(both, axis=-1).get() == np.stack([a, b], -1)).all()


def test_complex_parts(gpuarray):
    z = np.arange(6).reshape(2, 3) * np.complex64(1 - 2j)
    z_gpu = gpuarray.to_gpu(z)
    assert (z_gpu.real.get() == z.real).all()
    assert (z_gpu.imag.get() == z.imag).all()
    real = gpuarray.to_gpu(np.ones(3))
    assert real.real is real
    assert not real.imag.get().any()


def test_vector_types(gpuarray):
    float3 = np.dtype([("x", np.float32), ("y", np.float32), ("z", np.float32)])
    points = np.zeros(5, float3)
    points["y"] = np.arange(5)
    points_gpu = gpuarray.to_gpu(points)
    assert points_gpu.get().tobytes() == points.tobytes()
    assert (points_gpu["y"].get() == points["y"]).all()


def test_any_allocator_with_an_address(gpuarray):
    class Allocation:
        def __init__(self, nbytes):
            self.address, self.nbytes = gpuarray.checked.cudaMalloc(nbytes), nbytes

        def __int__(self):
            return self.address

        def __del__(self):
            gpuarray.cudaFree(self.address)

    a = gpuarray.to_gpu(np.arange(5), Allocation)
    assert a.allocator is a[1:].allocator is a.copy().allocator is Allocation
    assert gpuarray.zeros_like(a).allocator is Allocation
    assert a.gpudata.keeper.nbytes == a.nbytes


def test_the_interface_that_numba_and_cupy_take(gpuarray):
    a_gpu = gpuarray.to_gpu(numpy.random.randn(4, 4).astype(numpy.float32))
    assert ctypes.c_void_p(a_gpu.ptr).value == a_gpu._as_parameter_.value
    if gpuarray.backend == "host":  # it offers DLPack instead
        assert numpy.from_dlpack(a_gpu).ctypes.data == a_gpu.ptr
        return
    interface = a_gpu.__cuda_array_interface__
    assert interface["shape"] == (4, 4)
    assert interface["typestr"] == "<f4"
    assert interface["data"] == (a_gpu.ptr, False)
