"""PyCUDA's arrays in the device's own layout, which textures read, and copies of parts."""

from __future__ import annotations

import contextlib
import os
import weakref
from typing import Any

import numpy as np

from PyGPU._arrays import base as _core
from PyGPU._arrays.array import GPUArray
from PyGPU._errors import GPUError
from PyGPU._kernels import driver
from PyGPU._pycuda.constants import array3d_flags, array_format
from PyGPU._pycuda.memory import entered, flat, writable
from PyGPU.gpuarray import DeviceMemory


class ArrayDescriptor:
    """Describes an Array of one or two dimensions; for one, `height` is 0."""

    def __init__(self) -> None:
        self.width = self.height = 0
        self.format: Any = 0
        self.num_channels = 1


class ArrayDescriptor3D(ArrayDescriptor):
    """Describes an Array of up to three dimensions; `flags` are of array3d_flags."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.flags = 0


_FORMATS = {
    **{f"UNSIGNED_INT{bits}": (bits, "Unsigned") for bits in (8, 16, 32)},
    **{f"SIGNED_INT{bits}": (bits, "Signed") for bits in (8, 16, 32)},
    "HALF": (16, "Float"),
    "FLOAT": (32, "Float"),
}


def _layout(descriptor: ArrayDescriptor) -> tuple[int, str]:
    """(bits, kind) of a channel."""
    for name, layout in _FORMATS.items():
        if int(getattr(array_format, name)) == int(descriptor.format):
            return layout
    raise ValueError(f"Array(): format {descriptor.format!r} is not in array_format")


def _free(device: int, handle: Any, process: int) -> None:
    """Free an array of the runtime's. A forked child frees none: they are its parent's."""
    if os.getpid() == process:
        with driver.context(device):
            driver.call("cudaFreeArray")(handle)


def _free_quietly(*array: Any) -> None:
    with contextlib.suppress(GPUError, OSError):  # its device was reset, say
        _free(*array)


class Array:
    """An array of the current device, in the device's own layout.

    An ArrayDescriptor or an ArrayDescriptor3D says what it holds. Its memory is freed by free(), or
    when nothing uses it any more. `handle` is the runtime's cudaArray_t, and the driver's CUarray.
    Raises GPUError if it can't be made, ValueError for a wrong descriptor.
    """

    def __init__(self, descriptor: ArrayDescriptor) -> None:
        bits, kind = _layout(descriptor)
        channels = int(descriptor.num_channels)
        if channels not in (1, 2, 4):
            raise ValueError(f"Array(): num_channels is 1, 2 or 4, not {channels}")
        self._described = vars(descriptor).copy()
        self.itemsize = channels * bits // 8  # of all channels
        described = [bits if at < channels else 0 for at in range(4)]
        kind_of_channel = driver.constant(f"cudaChannelFormatKind{kind}")
        depth, flags = getattr(descriptor, "depth", 0), int(getattr(descriptor, "flags", 0))
        extent = driver.constant("cudaExtent")(
            int(descriptor.width), int(descriptor.height), int(depth)
        )
        with driver.context() as device:
            self.handle = driver.call("cudaMalloc3DArray")(
                driver.constant("cudaChannelFormatDesc")(*described, kind_of_channel), extent, flags
            )
        self._free = weakref.finalize(self, _free_quietly, device, self.handle, os.getpid())
        self._free.atexit = False
        self.device = device

    def free(self) -> None:
        """Free the memory now. A second call does nothing."""
        if self._free.alive and self._free.detach():
            _free(self.device, self.handle, os.getpid())

    def get_descriptor(self) -> ArrayDescriptor:
        """Its ArrayDescriptor."""
        return self._as(ArrayDescriptor())

    def get_descriptor_3d(self) -> ArrayDescriptor3D:
        """Its ArrayDescriptor3D: with depth and flags."""
        described = ArrayDescriptor3D()
        self._as(described)
        return described

    def _as(self, described: ArrayDescriptor) -> ArrayDescriptor:
        vars(described).update((k, v) for k, v in self._described.items() if hasattr(described, k))
        return described

    def alive(self) -> Array:
        """The Array itself. Raises ValueError if it was freed."""
        if not self._free.alive:
            raise ValueError("the array was freed by free()")
        return self


def _field(name: str) -> Any:
    """A number of the driver's struct, under PyCUDA's name."""

    def get(self: _Copy) -> int:
        return int(getattr(self._parameters, name))

    def put(self: _Copy, value: int) -> None:
        setattr(self._parameters, name, value)

    return property(get, put)


class _Copy:
    """What both copies share: set_…() chooses the memory, `src_…` and `dst_…` the place in it."""

    src_x_in_bytes, dst_x_in_bytes = _field("srcXInBytes"), _field("dstXInBytes")
    src_y, dst_y = _field("srcY"), _field("dstY")
    src_pitch, dst_pitch = _field("srcPitch"), _field("dstPitch")
    width_in_bytes, height = _field("WidthInBytes"), _field("Height")
    _STRUCT = ""

    def __init__(self) -> None:
        self._parameters = driver.constant(self._STRUCT)()
        self._sides: dict[str, Any] = {}  # kept as long as this
        self._sizes: dict[str, int | None] = {}

    def set_src_host(self, buffer: Any) -> None:
        """Copy from a contiguous buffer of the host."""
        self._set("src", "HOST", "Host", flat(f"{self._name()}.set_src_host()", buffer))

    def set_dst_host(self, buffer: Any) -> None:
        """Copy to a writable contiguous buffer of the host."""
        self._set("dst", "HOST", "Host", writable(f"{self._name()}.set_dst_host()", buffer))

    def set_src_device(self, devptr: Any) -> None:
        """Copy from device memory."""
        self._set("src", "DEVICE", "Device", devptr)

    def set_dst_device(self, devptr: Any) -> None:
        """Copy to device memory."""
        self._set("dst", "DEVICE", "Device", devptr)

    def set_src_unified(self, buffer: Any) -> None:
        """Copy from managed memory."""
        data = flat(f"{self._name()}.set_src_unified()", buffer)
        self._set("src", "UNIFIED", "Device", data)

    def set_dst_unified(self, buffer: Any) -> None:
        """Copy to managed memory."""
        data = writable(f"{self._name()}.set_dst_unified()", buffer)
        self._set("dst", "UNIFIED", "Device", data)

    def set_src_array(self, array: Array) -> None:
        """Copy from an Array."""
        self._set("src", "ARRAY", "Array", array)

    def set_dst_array(self, array: Array) -> None:
        """Copy to an Array."""
        self._set("dst", "ARRAY", "Array", array)

    def _name(self) -> str:
        return type(self).__name__

    def _set(self, side: str, kind: str, field: str, what: Any) -> None:
        size: int | None = None
        value = what
        if isinstance(what, np.ndarray):
            size = what.nbytes
            value = what if field == "Host" else what.ctypes.data
        elif isinstance(what, Array):
            value = what.alive().handle
        elif isinstance(what, GPUArray):
            size = what.nbytes if what.flags.forc else None
        elif isinstance(what, DeviceMemory):
            size = what.size
        setattr(self._parameters, f"{side}MemoryType", driver.constant(f"CU_MEMORYTYPE_{kind}"))
        setattr(self._parameters, side + field, value)
        self._sides[side], self._sizes[side] = what, size

    def _checked(self) -> Any:
        """The driver's struct. TypeError and ValueError before C reads or writes elsewhere."""
        for side in ("src", "dst"):
            if side not in self._sides:
                raise TypeError(
                    f"{self._name()}(): call set_{side}_host(), set_{side}_device() or "
                    f"set_{side}_array() first"
                )
            if isinstance(self._sides[side], Array):
                self._sides[side].alive()
            end, size = self._end(side), self._sizes[side]
            if size is not None and end > size:
                raise ValueError(
                    f"{self._name()}(): the copy needs {end} bytes of its "
                    f"{'source' if side == 'src' else 'destination'}, which has {size}"
                )
        return self._parameters

    def _end(self, side: str) -> int:
        """Where the last byte of a side ends, in its memory."""

        def number(name: str) -> int:
            return int(getattr(self._parameters, name, 0))

        width, height = number("WidthInBytes"), number("Height")
        depth = number("Depth") if hasattr(self._parameters, "Depth") else 1
        if not (width and height and depth):
            return 0
        pitch, rows = number(side + "Pitch"), number(side + "Height")
        start = (number(side + "Z") * rows + number(side + "Y")) * pitch + number(side + "XInBytes")
        return start + ((depth - 1) * rows + height - 1) * pitch + width


class Memcpy2D(_Copy):
    """A copy of rows. copy(aligned=True) waits for it, copy(stream) queues it."""

    _STRUCT = "CUDA_MEMCPY2D"

    def __call__(self, aligned: Any = True, stream: Any = None) -> None:
        if not isinstance(aligned, (bool, int)):
            aligned, stream = True, aligned
        if stream is not None:
            entered("cuMemcpy2DAsync")(self._checked(), stream)
        elif aligned:
            entered("cuMemcpy2D")(self._checked())
        else:
            entered("cuMemcpy2DUnaligned")(self._checked())


class Memcpy3D(_Copy):
    """A copy of slices of rows. copy() waits for it, copy(stream) queues it."""

    src_z, dst_z = _field("srcZ"), _field("dstZ")
    src_lod, dst_lod = _field("srcLOD"), _field("dstLOD")
    src_height, dst_height = _field("srcHeight"), _field("dstHeight")
    depth = _field("Depth")
    _STRUCT = "CUDA_MEMCPY3D"

    def __call__(self, stream: Any = None) -> None:
        if stream is None:
            entered("cuMemcpy3D")(self._checked())
        else:
            entered("cuMemcpy3DAsync")(self._checked(), stream)


def _copy_1d(count: int) -> Memcpy2D:
    copy = Memcpy2D()
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = int(count)
    copy.height = 1
    return copy


def memcpy_dtoa(ary: Array, index: int, src: Any, len: int) -> None:
    """Copy `len` bytes of device memory into an Array's row, from its byte `index` on."""
    copy = _copy_1d(len)
    copy.set_src_device(src)
    copy.set_dst_array(ary)
    copy.dst_x_in_bytes = index
    copy(aligned=False)


def memcpy_atod(dest: Any, ary: Array, index: int, len: int) -> None:
    """Copy `len` bytes of an Array's row, from its byte `index` on, to device memory."""
    copy = _copy_1d(len)
    copy.set_src_array(ary)
    copy.set_dst_device(dest)
    copy.src_x_in_bytes = index
    copy(aligned=False)


def memcpy_htoa(ary: Array, index: int, src: Any) -> None:
    """Copy a buffer into an Array's row, from its byte `index` on."""
    copy = _copy_1d(flat("memcpy_htoa()", src).nbytes)
    copy.set_src_host(src)
    copy.set_dst_array(ary)
    copy.dst_x_in_bytes = index
    copy(aligned=False)


def memcpy_atoh(dest: Any, ary: Array, index: int) -> None:
    """Fill a buffer from an Array's row, from its byte `index` on."""
    copy = _copy_1d(flat("memcpy_atoh()", dest).nbytes)
    copy.set_src_array(ary)
    copy.set_dst_host(dest)
    copy.src_x_in_bytes = index
    copy(aligned=False)


def memcpy_atoa(dest: Array, dest_index: int, src: Array, src_index: int, len: int) -> None:
    """Copy `len` bytes from an Array's row to another's, from a byte of each on."""
    copy = _copy_1d(len)
    copy.set_src_array(src)
    copy.set_dst_array(dest)
    copy.src_x_in_bytes, copy.dst_x_in_bytes = src_index, dest_index
    copy(aligned=False)


_OF_DTYPE = {
    **{f"u{size}": (f"UNSIGNED_INT{8 * size}", 1) for size in (1, 2, 4)},
    **{f"i{size}": (f"SIGNED_INT{8 * size}", 1) for size in (1, 2, 4)},
    "f2": ("HALF", 1),
    "f4": ("FLOAT", 1),
}
# What has no format is read as pieces of 32 bits.
_IN_PIECES = {"f8": ("SIGNED_INT32", 2), "c8": ("SIGNED_INT32", 2), "c16": ("SIGNED_INT32", 4)}


def dtype_to_array_format(dtype: Any) -> Any:
    """The member of array_format for a dtype. Raises TypeError if there is none."""
    kind = np.dtype(dtype)
    name, _ = _OF_DTYPE.get(kind.str[1:], ("", 0))
    if not name or not kind.isnative:
        raise TypeError(f"dtype_to_array_format(): {kind!r} has no array format")
    return getattr(array_format, name)


def _channels(call: str, dtype: Any, pieces: bool) -> tuple[str, int]:
    kind = np.dtype(dtype)
    form = (_OF_DTYPE | _IN_PIECES if pieces else _OF_DTYPE).get(kind.str[1:])
    if not form or not kind.isnative:
        raise TypeError(f"{call}: {kind!r} has no array format")
    return form


def _order(call: str, order: str) -> str:
    if order.upper() not in ("C", "F"):
        raise ValueError(f"{call}: order is 'C' or 'F', not {order!r}")
    return order.upper()


def _filled_array(
    source: Any, extents: tuple[int, ...], layout: tuple[str, int], flags: int | None = None
) -> Array:
    """An Array with a copy of contiguous memory; `extents` are (width, height, depth or none)."""
    form, channels = layout
    descriptor = ArrayDescriptor() if flags is None else ArrayDescriptor3D()
    depth = extents[2] if len(extents) > 2 else 1
    descriptor.width, descriptor.height = extents[:2]
    descriptor.format, descriptor.num_channels = getattr(array_format, form), channels
    if isinstance(descriptor, ArrayDescriptor3D):
        descriptor.depth, descriptor.flags = depth, flags or 0
    array = Array(descriptor)
    copy = Memcpy3D()
    if isinstance(source, np.ndarray):
        copy.set_src_host(source)
    else:
        copy.set_src_device(source)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = extents[0] * array.itemsize
    copy.height = copy.src_height = copy.dst_height = extents[1]
    copy.depth = depth
    copy()
    return array


def _host(call: str, values: Any, order: str) -> np.ndarray[Any, Any]:
    _core.check_no_mask(values)
    return np.asarray(values, order=_order(call, order))  # type: ignore[call-overload, no-any-return]


def matrix_to_array(matrix: Any, order: str, allow_double_hack: bool = False) -> Array:
    """A two-dimensional Array with a copy of a matrix: by rows for "C", by columns for "F".

    With allow_double_hack, an element of float64 becomes two channels of 32 bits.
    """
    call = "matrix_to_array()"
    host = _host(call, matrix, order)
    if host.ndim != 2:
        raise ValueError(f"{call}: a matrix has 2 dimensions, not {host.ndim}")
    double = allow_double_hack and host.dtype == np.float64
    width, height = reversed(host.shape) if order.upper() == "C" else host.shape
    return _filled_array(host, (width, height), _channels(call, host.dtype, double))


def make_multichannel_2d_array(ndarray: Any, order: str) -> Array:
    """A two-dimensional Array of an array (height, width, channels), reversed for "F"."""
    call = "make_multichannel_2d_array()"
    host = _host(call, ndarray, order)
    if host.ndim != 3:
        raise ValueError(f"{call}: the array has 3 dimensions, not {host.ndim}")
    height, width, channels = host.shape if order.upper() == "C" else reversed(host.shape)
    form, _ = _channels(call, host.dtype, pieces=False)
    return _filled_array(host, (width, height), (form, channels))


def np_to_array(nparray: Any, order: str, allowSurfaceBind: bool = False) -> Array:  # noqa: N803
    """An Array with a copy of a numpy array of 2 or 3 dimensions; for "C" the last one is x.

    An element of float64, complex64 or complex128 becomes several channels of 32 bits. With
    allowSurfaceBind, kernels may write it through a surface; for 2 dimensions the Array is then a
    layered one.
    """
    host = _host("np_to_array()", nparray, order)
    return _like("np_to_array()", host, host, order, allowSurfaceBind)


def gpuarray_to_array(gpuarray: Any, order: str, allowSurfaceBind: bool = False) -> Array:  # noqa: N803
    """np_to_array() for a contiguous GPUArray."""
    call = "gpuarray_to_array()"
    contiguous = {"C": gpuarray.flags.c_contiguous, "F": gpuarray.flags.f_contiguous}
    if not contiguous[_order(call, order)]:
        raise ValueError(f"{call}: the array isn't contiguous in order {order}")
    return _like(call, gpuarray, gpuarray, order, allowSurfaceBind)


def _like(call: str, like: Any, source: Any, order: str, surface: bool) -> Array:
    if like.ndim not in (2, 3):
        raise ValueError(f"{call}: the array has 2 or 3 dimensions, not {like.ndim}")
    extents = tuple(like.shape if order.upper() == "F" else like.shape[::-1])
    flags = None if like.ndim == 2 else 0
    if surface:
        flags = array3d_flags.SURFACE_LDST | (array3d_flags.LAYERED if like.ndim == 2 else 0)
    return _filled_array(source, extents, _channels(call, like.dtype, pieces=True), flags)
