"""GPUArray: the part that needn't be quick, in Python."""

from __future__ import annotations

from PyGPU._arrays import base as _core
from PyGPU._arrays.arithmetic import Arithmetic
from PyGPU._arrays.functions import ElementwiseMethods
from PyGPU._arrays.needs_kernel import NeedsKernel
from PyGPU._arrays.order import axes_in_memory, check, like
from PyGPU._arrays.protocols import NumpyProtocols
from PyGPU._arrays.reductions import Reductions
from PyGPU._arrays.sequence import number, numbers
from PyGPU._base.late import Late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import numpy as np

    from PyGPU._arrays import casts, views
    from PyGPU._base import c_pointers
else:
    c_pointers, views = Late("PyGPU._base.c_pointers"), Late("PyGPU._arrays.views")
    casts = Late("PyGPU._arrays.casts")
    np = Late("numpy")


class ArrayFlags:
    """`array.flags`: c_contiguous, f_contiguous, forc (either of them)."""

    __slots__ = ("c_contiguous", "f_contiguous", "forc")

    def __init__(self, array: Any) -> None:
        self.c_contiguous, self.f_contiguous = array._contiguity
        self.forc = self.c_contiguous or self.f_contiguous

    def __repr__(self) -> str:
        return f"C_CONTIGUOUS : {self.c_contiguous}, F_CONTIGUOUS : {self.f_contiguous}"


class GPUArray(
    Arithmetic, ElementwiseMethods, Reductions, NumpyProtocols, _core.Array, NeedsKernel
):
    """An n-dimensional array on the device, with numpy's shapes, strides, dtypes and views.

    `GPUArray(shape, dtype)` is new memory of the current device, and its elements are not set. The
    memory comes from PyGPU's pool or from `allocator`, in the order of `stream`. `GPUArray(data)`
    copies a buffer or a numpy array. `gpudata` puts an array on existing memory: DeviceMemory, or
    an object with int() or ptr. The array keeps that object alive. `strides` are in bytes. Indexing
    gives views, and they keep the memory alive. Raises GPUError if the runtime refuses; it is a
    MemoryError if memory runs out.
    """

    __slots__ = ()

    __array_priority__ = 100.0
    __dlpack_c_exchange_api__ = _core.exchange_table

    @property
    def flags(self) -> ArrayFlags:
        """Whether the elements are one run of memory, in C or in F order."""
        return ArrayFlags(self)

    @property
    def real(self) -> GPUArray:
        """The view on the real parts."""
        return self._part(False) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> GPUArray:
        """The view on the imaginary parts; zeros of its own for a real array."""
        return self._part(True) if self.dtype.kind == "c" else zeros_like(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        if self.dtype.kind != "c":
            raise TypeError("GPUArray: a real array has no imaginary part to set")
        self.imag[...] = value

    def _part(self, imaginary: bool) -> GPUArray:
        kind = np.dtype(f"{self.dtype.byteorder}f{self.itemsize // 2}")
        return self._view(self.shape, self.strides, kind.itemsize if imaginary else 0, kind)

    @property
    def _as_parameter_(self) -> Any:
        """What ctypes passes: the address of the first element, for pointers to its type, too."""
        return c_pointers.typed(
            self.ptr, self.dtype.kind if self.dtype.isnative else "", self.itemsize
        )

    def set_async(self, ary: Any, stream: Any = None) -> None:
        """`set(ary)` queued on a stream. It keeps `ary` alive; don't change `ary` until then."""
        self.set(ary, True, stream)

    def get_async(self, stream: Any = None, ary: Any = None) -> Any:
        """`get(ary)` queued on a stream, into a page-locked numpy array unless one is given.

        Its elements are there once the stream has reached the copy: `PyGPU.wait(result)`. GPUError.
        """
        return self.get(ary, True, True, stream)

    def copy(self, order: Any = "K", stream: Any = None) -> GPUArray:
        """A new array with the same elements, on the same device. GPUError.

        `order` is numpy's. A stream may stand in its place, because it comes first in PyCUDA.
        """
        if stream is None and not isinstance(order, str):
            order, stream = "K", order
        if order != "K":
            order = check(order, "copy()")
        if order == "A":
            order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
        return self._copy(order, stream)

    __copy__ = copy

    def astype(
        self,
        dtype: Any,
        order: Any = "K",
        casting: str = "unsafe",
        *,
        copy: bool = True,
        stream: Any = None,
    ) -> GPUArray:
        """The elements as another dtype, in a new array on the same device. TypeError, GPUError.

        From and to bool, integers, floats of 2, 4 and 8 bytes, complex numbers, and bfloat16 of
        ml_dtypes, in either byte order. The rules are numpy's: integers wrap, floats are cut off
        towards 0, or round to the nearest float; a bool says whether a number isn't 0; a complex
        number loses its imaginary part, with numpy's ComplexWarning. What numpy leaves undefined is
        defined here: a float beyond an integer's range becomes the end of the range, and NaN
        becomes 0. `casting` is numpy's; `copy` False gives the array itself if nothing changes. A
        stream may stand in the place of `order`, because it comes there in PyCUDA.
        """
        if copy and order == "K" and casting == "unsafe":  # quick
            at_once = self._cast(dtype, order, stream)
            if at_once is not None:
                return at_once
        if stream is None and not isinstance(order, str):
            order, stream = "K", order
        order = check(order, "astype()")
        return casts.astype(self, dtype, order, casting, copy, stream)  # type: ignore[no-any-return]

    def __deepcopy__(self, memo: Any) -> GPUArray:
        return self.copy()

    def view(self, dtype: Any = None) -> GPUArray:
        """The same memory, read as another dtype: numpy's rule, else PyCUDA's. ValueError.

        Another item size rescales the last axis. If that isn't contiguous, as in F order, it
        rescales the axis of the smallest stride, as PyCUDA does.
        """
        shape, strides, kind = views.layout_as(self, self.dtype if dtype is None else dtype)
        return self._view(shape, strides, 0, kind)

    def ravel(self, order: str = "C") -> GPUArray:
        """The elements on one axis: a view if the strides allow it, else a copy.

        `order` "C" or "F" is the order of reading; "A" is F if the array has only that order; "K"
        is the order in memory.
        """
        order = check(order, "ravel()")
        if order == "K":
            return self.transpose(axes_in_memory(self.strides)).reshape(-1)
        return self.reshape(-1, order=order)

    def squeeze(self, axis: Any = None) -> GPUArray:
        """A view without the axes of extent 1, or without the given ones. ValueError."""
        if axis is None:
            gone = {at for at, extent in enumerate(self.shape) if extent == 1}
        else:
            gone = set(self._axes(axis, "squeeze()"))
            if any(self.shape[at] != 1 for at in gone):
                raise ValueError("squeeze(): only axes of extent 1 can be removed")
        left = [at for at in range(self.ndim) if at not in gone]
        shape = [self.shape[at] for at in left]
        return self._view(shape, [self.strides[at] for at in left], 0, self.dtype)

    def _axes(self, axes: Any, call: str) -> list[int]:
        named, count = numbers(axes, f"{call}: an axis"), self.ndim
        places = [axis + count if axis < 0 else axis for axis in named]
        if places and not 0 <= min(places) <= max(places) < count:
            raise ValueError(f"{call}: axes {named} are out of range for {count} axes")
        if len(set(places)) != len(places):
            raise ValueError(f"{call}: an axis is named twice: {named}")
        return places

    def bind_to_texref(self, texref: Any, allow_offset: bool = False) -> float:
        """Bind the memory to a texture reference of PyGPU.driver; the offset in elements."""
        return texref.set_address(self.gpudata, self.nbytes, allow_offset) / self.dtype.itemsize  # type: ignore[no-any-return]

    def bind_to_texref_ext(
        self,
        texref: Any,
        channels: int = 1,
        allow_double_hack: bool = False,
        allow_complex_hack: bool = False,
        allow_offset: bool = False,
    ) -> float:
        """The same, and set the format by the dtype.

        The hacks read float64 and complex numbers as pieces of 32 bits: PyCUDA's helpers in
        pycuda-helpers.hpp put them together.
        """
        texref._set_format_of(self, channels, allow_double_hack, allow_complex_hack)
        return self.bind_to_texref(texref, allow_offset)

    def item(self, *index: Any) -> Any:
        """One element as a Python scalar: the only one, or the one at an index or a flat index.

        ValueError for a wrong number of indices, IndexError, GPUError.
        """
        if len(index) == 1 and isinstance(index[0], tuple):
            (index,) = index
        if not index and self.size != 1:
            raise ValueError(f"item(): an index is missing, the array has {self.size} elements")
        if len(index) == 1 and self.ndim != 1:
            flat = number(index[0], "item(): the index")
            if not -self.size <= flat < self.size:
                raise IndexError(f"item(): index {flat} is out of bounds for size {self.size}")
            return self._at(flat % self.size).get().item()
        if index and len(index) != self.ndim:
            raise ValueError(f"item(): {len(index)} indices for an array of {self.ndim} axes")
        return (self[index] if index else self).get().item()

    def _at(self, flat: int) -> GPUArray:
        index: list[int] = []
        for extent in reversed(self.shape):
            flat, place = divmod(flat, extent)
            index.insert(0, place)
        return self[tuple(index)]

    def tolist(self) -> Any:
        """The elements as nested lists of Python scalars. GPUError."""
        return self.get().tolist()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                f"the truth value of a GPUArray of {self.size} elements is ambiguous: "
                "use a.any() or a.all()"
            )
        return bool(self.get().item())

    def _only(self, call: str) -> Any:
        if self.size != 1:
            raise TypeError(
                f"{call} needs a GPUArray of one element, not one of shape {self.shape}; "
                "a.item(i) gives one, a.get() all of them"
            )
        return self.get().item()

    def __float__(self) -> float:
        return float(self._only("float()"))

    def __int__(self) -> int:
        return int(self._only("int()"))

    def __complex__(self) -> complex:
        return complex(self._only("complex()"))

    def __index__(self) -> int:
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError(
                "a GPUArray can be an index only if it is 0-dimensional and has an integer dtype, "
                f"not one of {self.dtype} and shape {self.shape}"
            )
        return int(self.get().item())

    def __iter__(self) -> Iterator[GPUArray]:
        if not self.ndim:
            raise TypeError("iteration over a 0-d GPUArray")
        return (self[at] for at in range(len(self)))

    def __repr__(self) -> str:
        if self.freed:
            return f"<GPUArray freed, shape {self.shape}, {self.dtype}>"
        return repr(self.get()).replace("array(", "GPUArray(", 1)

    def __str__(self) -> str:
        return repr(self) if self.freed else str(self.get())

    def __format__(self, spec: str) -> str:
        return repr(self) if self.freed else format(self.get(), spec)

    def __reduce__(self) -> Any:
        return _core.to_gpu, (self.get(),)

    def __dask_tokenize__(self) -> tuple[str, str, tuple[int, ...], str]:
        """Dask's token: equal elements, dtype and shape give the same, on any device.

        It reads all elements. If that takes too long, name the task (`client.submit(..., key=...)`)
        or say `pure=False`. GPUError.
        """
        import hashlib

        elements = np.ascontiguousarray(self.get()).reshape(-1).view("u1")
        digest = hashlib.blake2b(elements.data, digest_size=16).hexdigest()
        return "PyGPU.GPUArray", repr(self.dtype), self.shape, digest

    __hash__ = None  # type: ignore[assignment]


_core.set_class(GPUArray)


def empty_like(
    other: Any, dtype: Any = None, order: str = "K", allocator: Any = None, stream: Any = None
) -> GPUArray:
    """A new array with the shape of another (a GPUArray or a numpy array). No element is set.

    The dtype is the other's unless given. `order` "K" keeps the order of its axes in memory. "A"
    makes F order if the other has only that. The allocator is the other's unless given. GPUError.
    """
    kind = np.dtype(other.dtype if dtype is None else dtype)
    strides = like(other, kind.itemsize, order, "empty_like()")
    if allocator is None and isinstance(other, GPUArray):
        allocator = other.allocator
    array: GPUArray = GPUArray(other.shape, kind, allocator, strides=strides, stream=stream)
    return array


def zeros_like(
    other: Any, dtype: Any = None, order: str = "K", allocator: Any = None, stream: Any = None
) -> GPUArray:
    """`empty_like()`, filled with zeros."""
    array = empty_like(other, dtype, order, allocator, stream)
    array._fill(bytes(array.itemsize), stream, True)
    return array
