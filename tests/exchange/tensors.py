"""DLPack's structures in ctypes, written from the header: the bytes of a capsule."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, MANAGED = 1, 2, 3, 10, 11, 13
READ_ONLY, COPIED = 1, 2


class Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("id", ctypes.c_int32))


class DType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", Deleter))


class Version(ctypes.Structure):
    _fields_ = (("major", ctypes.c_uint32), ("minor", ctypes.c_uint32))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("version", Version),
        ("context", ctypes.c_void_p),
        ("deleter", Deleter),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


KINDS = {b"dltensor": Managed, b"dltensor_versioned": Versioned}

_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = (ctypes.py_object,)
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_api.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)


def inside(capsule: Any) -> Any:
    """The managed tensor in a capsule."""
    name = _api.PyCapsule_GetName(capsule)
    address = _api.PyCapsule_GetPointer(capsule, name)
    found = KINDS[name].from_address(address)
    found.capsule = capsule  # the tensor ends when the capsule does
    return found


def take(capsule: Any) -> Any:
    """The same, but taken over as by a consumer: the caller has to call the deleter."""
    found = inside(capsule)
    name = b"used_" + _api.PyCapsule_GetName(capsule)
    _api.Py_IncRef(ctypes.py_object(name))  # never freed: a capsule keeps only the name's address
    assert not _api.PyCapsule_SetName(capsule, name)
    return found


def end(managed: Any) -> None:
    managed.deleter(ctypes.addressof(managed))


_LENT: list[Any] = []  # Never freed: nothing tells when the last deleter was called.


class Foreign:
    """Another library's array with any content; it counts what is asked of it."""

    def __init__(
        self,
        array: Any,
        *,
        device: tuple[int, int] = (CPU, 0),
        versioned: bool = True,
        **changes: Any,
    ) -> None:
        self.array, self.device, self.asked, self.deleted = array, device, [], 0
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        code = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}[array.dtype.kind]
        offset = changes.pop("byte_offset", 0)
        self.managed = (Versioned if versioned else Managed)()
        tensor = self.managed.tensor
        tensor.data = array.__array_interface__["data"][0] - offset
        tensor.device, tensor.ndim = Device(*device), array.ndim
        tensor.dtype = DType(code, array.itemsize * 8, 1)
        tensor.shape, tensor.strides, tensor.byte_offset = self.shape, self.strides, offset
        if versioned:
            self.managed.version = Version(1, 0)
        self.managed.deleter = Deleter(self._delete)
        for name, value in changes.items():
            owner: Any = self.managed
            *path, last = name.split("__")
            for part in path:
                owner = getattr(owner, part)
            setattr(owner, last, value)
        self.name = b"dltensor_versioned" if versioned else b"dltensor"

    def _delete(self, _: Any) -> None:
        self.deleted += 1

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **keywords: Any) -> Any:
        self.asked.append(keywords)
        _LENT.append(self)
        return _api.PyCapsule_New(ctypes.addressof(self.managed), self.name, None)


def values(tensor: Any, dtype: Any) -> Any:
    """A copy of a CPU tensor's elements as a numpy array."""
    shape = tensor.shape[: tensor.ndim]
    strides = [step * np.dtype(dtype).itemsize for step in tensor.strides[: tensor.ndim]]
    if 0 in shape:
        return np.empty(shape, dtype)
    raw = (ctypes.c_char * (1 << 16)).from_address(tensor.data + tensor.byte_offset)
    return np.ndarray(shape, dtype, raw, 0, strides).copy()
