"""PyCUDA's device memory: allocating, copying, filling."""

from __future__ import annotations

from typing import Any

import numpy as np

from PyGPU._arrays import base as _core
from PyGPU._arrays.array import GPUArray
from PyGPU._kernels import driver
from PyGPU._pycuda.constants import device_attribute
from PyGPU._pycuda.devices import Context, context_device, init
from PyGPU.gpuarray import DeviceMemory, memory_info

Array = np.ndarray[Any, Any]

_SMALLEST_PITCH = 512  # what cuMemAllocPitch rounds up to on current cards


def mem_alloc(bytes: int) -> DeviceMemory:
    """Memory of the current device, from PyGPU's pool; freed with the object, or by free()."""
    return DeviceMemory(bytes)


def mem_alloc_like(ary: Any) -> DeviceMemory:
    """As much memory as an array has."""
    return mem_alloc(ary.nbytes)


def mem_alloc_pitch(width: int, height: int, access_size: int) -> tuple[DeviceMemory, int]:
    """(memory, pitch) of `height` rows, each of `width` bytes and aligned for textures."""
    if access_size not in (4, 8, 16):
        raise ValueError(f"mem_alloc_pitch(): access_size is 4, 8 or 16, not {access_size!r}")
    aligned = Context.get_device().get_attribute(device_attribute.TEXTURE_ALIGNMENT)
    step = max(aligned, _SMALLEST_PITCH)
    pitch = -(-width // step) * step
    return mem_alloc(pitch * height), pitch


def mem_get_info() -> tuple[int, int]:
    """(free, total) bytes of the current device."""
    info = memory_info()
    return info.free, info.total


def flat(call: str, buffer: Any) -> Array:
    """The bytes of a contiguous buffer, in C's order or Fortran's, without a copy."""
    _core.check_no_mask(buffer)
    if isinstance(buffer, np.ndarray):
        array = buffer
    elif hasattr(buffer, "__array_interface__"):
        array = np.asarray(buffer)
    else:
        try:
            view = memoryview(buffer)
        except TypeError:
            raise TypeError(
                f"{call}: the argument must be an array or a buffer, not {type(buffer).__name__}"
            ) from None
        if not view.contiguous:
            raise ValueError(f"{call}: the buffer isn't contiguous")
        array = np.asarray(view)
    if array.dtype.hasobject:
        raise TypeError(f"{call}: {array.dtype} holds Python objects, which devices can't read")
    if not array.flags.forc:
        raise ValueError(f"{call}: the array isn't contiguous")
    if not array.size:
        return np.empty(0, np.uint8)
    return array.reshape(-1, order="A").view(np.uint8)


def _device_bytes(call: str, memory: Any, size: int) -> GPUArray:
    """Device memory as an array of bytes: ints, DeviceMemory, pointers. ValueError if too short."""
    if isinstance(memory, DeviceMemory) and memory.size < size:
        raise ValueError(f"{call}: the buffer has {size} bytes, the device memory {memory.size}")
    array: GPUArray = GPUArray((size,), np.uint8, gpudata=memory)
    return array


def memcpy_htod(dest: Any, src: Any) -> None:
    """Copy a buffer to device memory."""
    data = flat("memcpy_htod()", src)
    _device_bytes("memcpy_htod()", dest, data.nbytes).set(data)


def memcpy_htod_async(dest: Any, src: Any, stream: Any = None) -> None:
    """memcpy_htod() on a stream. The buffer must not change until the copy is done."""
    data = flat("memcpy_htod_async()", src)
    _device_bytes("memcpy_htod_async()", dest, data.nbytes).set_async(data, stream=stream)


def memcpy_dtoh(dest: Any, src: Any) -> None:
    """Copy device memory to a writable buffer."""
    data = writable("memcpy_dtoh()", dest)
    _device_bytes("memcpy_dtoh()", src, data.nbytes).get(data)


def memcpy_dtoh_async(dest: Any, src: Any, stream: Any = None) -> None:
    """memcpy_dtoh() on a stream. The buffer is filled when the stream's work is done."""
    data = writable("memcpy_dtoh_async()", dest)
    _device_bytes("memcpy_dtoh_async()", src, data.nbytes).get_async(stream=stream, ary=data)


def writable(call: str, buffer: Any) -> Array:
    """flat() of a buffer that may be written to."""
    data = flat(call, buffer)
    if not data.flags.writeable:
        raise ValueError(f"{call}: the buffer is read-only")
    return data


def memcpy_dtod(dest: Any, src: Any, size: int) -> None:
    """Copy `size` bytes of device memory."""
    driver.call("cudaMemcpy")(dest, src, size, driver.constant("cudaMemcpyDeviceToDevice"))


def memcpy_dtod_async(dest: Any, src: Any, size: int, stream: Any = None) -> None:
    """memcpy_dtod() on a stream."""
    kind = driver.constant("cudaMemcpyDeviceToDevice")
    driver.call("cudaMemcpyAsync")(dest, src, size, kind, stream)


def memcpy_peer(
    dest: Any,
    src: Any,
    size: int,
    dest_context: Context | None = None,
    src_context: Context | None = None,
) -> None:
    """Copy `size` bytes between devices; None is the current one."""
    to, of = context_device(dest_context), context_device(src_context)
    driver.call("cudaMemcpyPeer")(dest, to, src, of, size)


def memcpy_peer_async(
    dest: Any,
    src: Any,
    size: int,
    dest_context: Context | None = None,
    src_context: Context | None = None,
    stream: Any = None,
) -> None:
    """memcpy_peer() on a stream."""
    to, of = context_device(dest_context), context_device(src_context)
    driver.call("cudaMemcpyPeerAsync")(dest, to, src, of, size, stream)


def memset_d8(dest: Any, data: int, count: int) -> None:
    """Fill `count` elements of one byte."""
    entered("cuMemsetD8")(dest, data, count)


def memset_d16(dest: Any, data: int, count: int) -> None:
    """Fill `count` elements of two bytes."""
    entered("cuMemsetD16")(dest, data, count)


def memset_d32(dest: Any, data: int, count: int) -> None:
    """Fill `count` elements of four bytes."""
    entered("cuMemsetD32")(dest, data, count)


def memset_d8_async(dest: Any, data: int, count: int, stream: Any = None) -> None:
    """The same as memset_d8(), on a stream."""
    entered("cuMemsetD8Async")(dest, data, count, stream)


def memset_d16_async(dest: Any, data: int, count: int, stream: Any = None) -> None:
    """The same as memset_d16(), on a stream."""
    entered("cuMemsetD16Async")(dest, data, count, stream)


def memset_d32_async(dest: Any, data: int, count: int, stream: Any = None) -> None:
    """The same as memset_d32(), on a stream."""
    entered("cuMemsetD32Async")(dest, data, count, stream)


def memset_d2d8(dest: Any, pitch: int, data: int, width: int, height: int) -> None:
    """Fill rows of `width` elements of one byte, `pitch` bytes apart."""
    entered("cuMemsetD2D8")(dest, pitch, data, width, height)


def memset_d2d16(dest: Any, pitch: int, data: int, width: int, height: int) -> None:
    """Fill rows of `width` elements of two bytes, `pitch` bytes apart."""
    entered("cuMemsetD2D16")(dest, pitch, data, width, height)


def memset_d2d32(dest: Any, pitch: int, data: int, width: int, height: int) -> None:
    """Fill rows of `width` elements of four bytes, `pitch` bytes apart."""
    entered("cuMemsetD2D32")(dest, pitch, data, width, height)


def memset_d2d8_async(
    dest: Any, pitch: int, data: int, width: int, height: int, stream: Any = None
) -> None:
    """The same as memset_d2d8(), on a stream."""
    entered("cuMemsetD2D8Async")(dest, pitch, data, width, height, stream)


def memset_d2d16_async(
    dest: Any, pitch: int, data: int, width: int, height: int, stream: Any = None
) -> None:
    """The same as memset_d2d16(), on a stream."""
    entered("cuMemsetD2D16Async")(dest, pitch, data, width, height, stream)


def memset_d2d32_async(
    dest: Any, pitch: int, data: int, width: int, height: int, stream: Any = None
) -> None:
    """The same as memset_d2d32(), on a stream."""
    entered("cuMemsetD2D32Async")(dest, pitch, data, width, height, stream)


def mem_get_address_range(ptr: Any) -> tuple[int, int]:
    """(address, bytes) of the allocation that an address lies in."""
    base, size = entered("cuMemGetAddressRange")(ptr)
    return int(base), int(size)


def entered(name: str) -> Any:
    """A function of the driver API, with the current device's context made current for it."""
    init()
    driver.enter_context()
    return driver.call(name)


def to_device(buffer: Any) -> DeviceMemory:
    """New device memory with a copy of a buffer."""
    data = flat("to_device()", buffer)
    memory = mem_alloc(data.nbytes)
    memcpy_htod(memory, data)
    return memory


def from_device(devptr: Any, shape: Any, dtype: Any, order: Any = "C") -> Array:
    """A new numpy array with a copy of device memory."""
    array: Array = np.empty(shape, dtype, order)
    memcpy_dtoh(array, devptr)
    return array


def from_device_like(devptr: Any, other_ary: Any) -> Array:
    """A new numpy array with a copy of device memory, shaped and ordered like another array."""
    array: Array = np.empty_like(other_ary)
    memcpy_dtoh(array, devptr)
    return array
