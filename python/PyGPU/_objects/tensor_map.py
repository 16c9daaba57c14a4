"""PyGPU.TensorMap: how the tensor memory accelerator reads boxes of an array."""

from __future__ import annotations

import ctypes
from operator import index

from PyGPU import gpuarray
from PyGPU._kernels import driver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_TYPES = {
    "uint8": "UINT8", "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64", "int32": "INT32",
    "int64": "INT64", "float16": "FLOAT16", "float32": "FLOAT32", "float64": "FLOAT64",
    "bfloat16": "BFLOAT16", "tfloat32": "TFLOAT32",
}  # fmt: skip
_OPTIONS = {
    "interleave": ("INTERLEAVE", ("none", "16b", "32b")),
    "swizzle": ("SWIZZLE", ("none", "32b", "64b", "128b")),
    "l2_promotion": ("L2_PROMOTION", ("none", "l2_64b", "l2_128b", "l2_256b")),
    "oob_fill": ("FLOAT_OOB_FILL", ("none", "nan_request_zero_fma")),
}


class TensorMap(ctypes.Structure):
    """A CUtensorMap of an array: the argument of kernels that copy boxes of it (sm_90 and later).

    boxes = PyGPU.TensorMap(a, box=(64, 64), swizzle="128b")
    kernel(boxes, grid=…, block=…)    # `const __grid_constant__ CUtensorMap boxes`

    box: the extents of a box, in the order of the array's axes
    element_strides: the steps between the elements of a box, 1 each by default
    interleave: "none", "16b", "32b"; swizzle: "none", "32b", "64b", "128b"
    l2_promotion: "none", "l2_64b", "l2_128b", "l2_256b"
    oob_fill: what is read outside of the array: "none" gives 0, "nan_request_zero_fma" NaN
    dtype: another name of the elements' type: "bfloat16" for uint16, "tfloat32" for float32

    It keeps the array. C's rules: the last axis is contiguous, other strides are multiples of 16
    bytes, the address is, too. GPUError where they are broken.
    https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__TENSOR__MEMORY.html
    """

    _fields_ = (("opaque", ctypes.c_uint64 * 16),)  # CUtensorMap
    array: gpuarray.GPUArray

    def __init__(
        self,
        array: gpuarray.GPUArray,
        box: Sequence[int],
        *,
        element_strides: Sequence[int] | None = None,
        dtype: str | None = None,
        **options: str,
    ) -> None:
        super().__init__()
        _check(array)
        extents = [index(one) for one in box]
        steps = [1] * array.ndim if element_strides is None else [*map(index, element_strides)]
        if len(extents) != array.ndim or len(steps) != array.ndim:
            text = f"box and element_strides must have {array.ndim} numbers, as the array has axes"
            raise ValueError(f"TensorMap: {text}")
        if array.ndim and array.strides[-1] != array.itemsize:
            raise ValueError("TensorMap: the array's last axis must be contiguous")
        for name in options.keys() - _OPTIONS.keys():
            raise TypeError(f"TensorMap() has no parameter {name!r}")
        self._set(
            driver.call("cuTensorMapEncodeTiled")(
                _type(str(array.dtype) if dtype is None else dtype, array.itemsize),
                array.ndim, array, [*reversed(array.shape)], [*reversed(array.strides[:-1])],
                extents[::-1], steps[::-1], *(_option(name, options) for name in _OPTIONS),
            ),
            array,
        )  # fmt: skip

    def replace_address(self, array: gpuarray.GPUArray) -> None:
        """Describe another array of the same shape, strides and type."""
        _check(array)
        mine = self.array
        if (array.shape, array.strides, array.dtype) != (mine.shape, mine.strides, mine.dtype):
            raise ValueError("TensorMap: the array's shape, strides and type must be the same")
        names = driver.constant("CUtensorMap").from_bytes(bytes(self))
        self._set(driver.call("cuTensorMapReplaceAddress")(names, array), array)

    def _set(self, encoded: Any, array: gpuarray.GPUArray) -> None:
        ctypes.memmove(ctypes.addressof(self), bytes(encoded), ctypes.sizeof(self))
        self.array = array

    def __repr__(self) -> str:
        return f"<PyGPU.TensorMap of {self.array.dtype}, shape {self.array.shape}>"


TensorMap.__module__ = "PyGPU"


def _check(array: Any) -> None:
    if not isinstance(array, gpuarray.GPUArray):
        raise TypeError(f"TensorMap: the array must be a GPUArray, not {type(array).__name__}")


def _type(name: str, size: int) -> Any:
    known = {"bfloat16": 2, "tfloat32": 4}
    if name not in _TYPES or known.get(name, size) != size:
        raise ValueError(f"TensorMap: elements of {size} bytes can't be {name!r} for C")
    return driver.constant(f"CU_TENSOR_MAP_DATA_TYPE_{_TYPES[name]}")


def _option(name: str, given: dict[str, str]) -> Any:
    prefix, known = _OPTIONS[name]
    value = given.get(name, "none")
    if value not in known:
        raise ValueError(f"TensorMap: {name} must be one of {', '.join(known)}, not {value!r}")
    return driver.constant(f"CU_TENSOR_MAP_{prefix}_{value.upper()}")
