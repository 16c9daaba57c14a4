"""C names of numpy's dtypes, and dtypes of C names; takes the place of PyCUDA's registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from PyGPU._codegen.vectors import vec

_NAMES: dict[Any, str] = {}  # of a dtype: the first name that it was registered by
_DTYPES: dict[str, np.dtype[Any]] = {}


class TypeNameNotKnown(RuntimeError):  # noqa: N818, PyCUDA's name
    """A C name that no dtype is registered for."""


def get_or_register_dtype(names: str | Sequence[str], dtype: Any = None) -> np.dtype[Any]:
    """Register the C names of a dtype, or without a dtype look a name up.

    The first name is what `dtype_to_ctype` gives. Names of a struct need its definition in the
    source, as in a preamble. Raises TypeNameNotKnown for an unknown name, RuntimeError for a name
    of another dtype.
    """
    names = [names] if isinstance(names, str) else list(names)
    if dtype is None:
        if unknown := [one for one in names if one not in _DTYPES]:
            raise TypeNameNotKnown(f"get_or_register_dtype(): no dtype has the C name {unknown[0]}")
        return _DTYPES[names[0]]
    kind = np.dtype(dtype)
    for one in names:
        if _DTYPES.get(one, kind) != kind:
            other = _DTYPES[one]
            raise RuntimeError(f"get_or_register_dtype(): {one} is the C name of {other} already")
    _NAMES.setdefault(kind, names[0])
    for one in names:
        _DTYPES.setdefault(one, kind)
    return _DTYPES[names[0]]


def register_dtype(dtype: Any, names: str | Sequence[str], alias_ok: bool = False) -> None:
    """PyCUDA's older form of `get_or_register_dtype`. RuntimeError for a dtype that has a name."""
    kind = np.dtype(dtype)
    if not alias_ok and kind in _NAMES:
        raise RuntimeError(f"register_dtype(): {kind} has the C name {_NAMES[kind]} already")
    get_or_register_dtype(names, kind)


def dtype_to_ctype(dtype: Any, with_fp_tex_hack: bool = False) -> str:
    """The C name of a dtype; with the hack, the types of pycuda-helpers.hpp for textures.

    ValueError for None and for a dtype without a name.
    """
    if dtype is None:
        raise ValueError("dtype_to_ctype(): parameter 'dtype' must be a dtype, not None")
    kind = np.dtype(dtype)
    if with_fp_tex_hack and kind in _OF_TEXTURES:
        return _OF_TEXTURES[kind]
    if kind not in _NAMES:
        if kind.name == "bfloat16":  # of ml_dtypes, which numpy knows once that is imported
            return "pygpu::bfloat16"
        raise ValueError(
            f"dtype_to_ctype(): {kind} has no C name: PyGPU.tools.get_or_register_dtype(name, "
            "dtype) gives it one"
        )
    return _NAMES[kind]


def dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of a C name. ValueError for an unknown one."""
    if name not in _DTYPES and name in ("pygpu::bfloat16", "__nv_bfloat16", "nv_bfloat16"):
        return np.dtype("bfloat16")
    if name not in _DTYPES:
        meant = "pycuda::complex<float> is one" if "complex<" in name else ""
        way = meant or "get_or_register_dtype() adds one"
        raise ValueError(f"{name!r} is an unknown C type: {way}")
    return _DTYPES[name]


for _kind, *_names in (
    ("?", "bool"),
    ("i1", "signed char", "char", "int8_t"),
    ("u1", "unsigned char", "uint8_t"),
    ("i2", "short", "signed short", "signed short int", "short signed int", "short int", "int16_t"),
    ("u2", "unsigned short", "unsigned short int", "short unsigned int", "uint16_t"),
    ("i4", "int", "signed int", "signed", "int32_t"),
    ("u4", "unsigned", "unsigned int", "uint32_t"),
    ("i8", "long", "long int", "signed long", "signed long int", "long signed int", "long long",
     "long long int", "signed long long", "int64_t", "intptr_t", "ptrdiff_t", "ssize_t"),
    ("u8", "unsigned long", "unsigned long int", "long unsigned int", "unsigned long long",
     "unsigned long long int", "uint64_t", "uintptr_t", "size_t"),
    ("f2", "pygpu::half", "half", "__half"),
    ("f4", "float"),
    ("f8", "double"),
    ("c8", "pycuda::complex<float>", "pygpu::complex<float>"),
    ("c16", "pycuda::complex<double>", "pygpu::complex<double>"),
):  # fmt: skip
    get_or_register_dtype(_names, _kind)
for _name in vec.names:
    get_or_register_dtype(_name, getattr(vec, _name))

_OF_TEXTURES = {
    np.dtype("f4"): "fp_tex_float",
    np.dtype("f8"): "fp_tex_double",
    np.dtype("c8"): "fp_tex_cfloat",
    np.dtype("c16"): "fp_tex_cdouble",
}
