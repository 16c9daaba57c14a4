"""PyCUDA's texture and surface references. Compilers since CUDA 12 refuse code with them."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any

from PyGPU._errors import GPUError
from PyGPU._kernels import driver
from PyGPU._pycuda.arrays import (
    Array,
    ArrayDescriptor,
    dtype_to_array_format,
    matrix_to_array,
)
from PyGPU._pycuda.constants import address_mode, array_format, filter_mode
from PyGPU._pycuda.errors import invalid_value
from PyGPU._pycuda.memory import entered

TRSA_OVERRIDE_FORMAT = 1
TRSF_READ_AS_INTEGER = 1
TRSF_NORMALIZED_COORDINATES = 2
TR_DEFAULT = -1

# dtype: channels and format of pieces of 32 bits, and which argument allows it; as in PyCUDA.
_HACKS = {
    "f8": (2, "SIGNED_INT32", "double"),
    "c8": (2, "UNSIGNED_INT32", "complex"),
    "c16": (4, "SIGNED_INT32", "complex"),
}


def _destroy(handle: Any) -> None:
    with contextlib.suppress(GPUError, OSError), driver.context():  # its context was reset, say
        driver.call("cuTexRefDestroy")(handle)


class TextureReference:
    """A texture reference. Module.get_texref() gives those of a module; the class makes a new one.

    It keeps what is bound to it until something else is bound, and its module's code loaded.
    """

    code: Any = None

    def __init__(self, handle: Any = None) -> None:
        self.handle = entered("cuTexRefCreate")() if handle is None else handle
        if handle is None:
            weakref.finalize(self, _destroy, self.handle).atexit = False
        self._bound: Any = None

    def set_array(self, array: Array) -> None:
        """Bind an Array, whose format becomes the texture's."""
        entered("cuTexRefSetArray")(self.handle, array.alive().handle, TRSA_OVERRIDE_FORMAT)
        self._bound = array

    def get_array(self) -> Array | None:
        """The Array that is bound; None for another kind of memory."""
        return self._bound if isinstance(self._bound, Array) else None

    def set_address(self, devptr: Any, bytes: int, allow_offset: bool = False) -> int:
        """Bind device memory. Returns the offset in bytes of that memory in the texture.

        Raises LogicError if the address is not aligned, unless allow_offset is true.
        """
        offset = int(entered("cuTexRefSetAddress")(self.handle, devptr, bytes))
        self._bound = devptr
        if offset and not allow_offset:
            raise invalid_value(
                "TextureReference.set_address()",
                f"the address is {offset} bytes behind an aligned one",
            )
        return offset

    def set_address_2d(self, devptr: Any, descr: ArrayDescriptor, pitch: int) -> None:
        """Bind rows of device memory, `pitch` bytes apart."""
        described = driver.constant("CUDA_ARRAY_DESCRIPTOR")(
            Width=descr.width,
            Height=descr.height,
            Format=descr.format,
            NumChannels=descr.num_channels,
        )
        entered("cuTexRefSetAddress2D")(self.handle, described, devptr, pitch)
        self._bound = devptr

    def get_address(self) -> int:
        """The address of the device memory that is bound."""
        return int(entered("cuTexRefGetAddress")(self.handle))

    def set_format(self, fmt: Any, num_components: int) -> None:
        """Say what the texels are, by array_format."""
        entered("cuTexRefSetFormat")(self.handle, fmt, num_components)

    def get_format(self) -> tuple[Any, int]:
        """(format, components) of the texels."""
        fmt, components = entered("cuTexRefGetFormat")(self.handle)
        return fmt, int(components)

    def set_address_mode(self, dim: int, am: Any) -> None:
        """Say what lies beyond the edges of a dimension, by address_mode."""
        entered("cuTexRefSetAddressMode")(self.handle, dim, am)

    def get_address_mode(self, dim: int) -> Any:
        """What lies beyond the edges of a dimension."""
        return entered("cuTexRefGetAddressMode")(self.handle, dim)

    def set_filter_mode(self, mode: Any) -> None:
        """Choose by filter_mode: a read gives the nearest texel, or interpolates."""
        entered("cuTexRefSetFilterMode")(self.handle, mode)

    def get_filter_mode(self) -> Any:
        """How texels are read."""
        return entered("cuTexRefGetFilterMode")(self.handle)

    def set_flags(self, flags: int) -> None:
        """Set TRSF_READ_AS_INTEGER, TRSF_NORMALIZED_COORDINATES or both."""
        entered("cuTexRefSetFlags")(self.handle, flags)

    def get_flags(self) -> int:
        """The flags."""
        return int(entered("cuTexRefGetFlags")(self.handle))

    def _set_format_of(self, array: Any, channels: int, double: bool, complex_: bool) -> None:
        """The part of GPUArray.bind_to_texref_ext() that says what the texels are."""
        call = "bind_to_texref_ext()"
        if not array.flags.forc:
            raise RuntimeError(f"{call}: the array isn't contiguous")
        pieces, name, allowed = _HACKS.get(array.dtype.str[1:], (0, "", ""))
        if pieces and {"double": double, "complex": complex_}[allowed]:
            if channels != 1:
                raise ValueError(f"{call}: channels is 1 for {array.dtype}, not {channels}")
            self.set_format(getattr(array_format, name), pieces)
            is_integer = True
        else:
            self.set_format(dtype_to_array_format(array.dtype), channels)
            is_integer = array.dtype.kind in "iu"
        if is_integer:
            self.set_flags(self.get_flags() | TRSF_READ_AS_INTEGER)


class SurfaceReference:
    """A surface reference. Module.get_surfref() gives those of a module, whose code it keeps."""

    code: Any = None

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self._bound: Array | None = None

    def set_array(self, array: Array, flags: int = 0) -> None:
        """Bind an Array that was made with array3d_flags.SURFACE_LDST."""
        entered("cuSurfRefSetArray")(self.handle, array.alive().handle, flags)
        self._bound = array

    def get_array(self) -> Array | None:
        """The Array that is bound."""
        return self._bound


def bind_array_to_texref(ary: Array, texref: TextureReference) -> None:
    """Bind an Array. Reads beyond its edges give the outermost texel; nothing is interpolated."""
    texref.set_array(ary)
    for dimension in (0, 1):
        texref.set_address_mode(dimension, address_mode.CLAMP)
    texref.set_filter_mode(filter_mode.POINT)


def matrix_to_texref(matrix: Any, texref: TextureReference, order: str) -> None:
    """Bind an Array with a copy of a matrix."""
    bind_array_to_texref(matrix_to_array(matrix, order), texref)
