"""What a program does with an array, for tests in which all of it is refused."""

from __future__ import annotations

import copy
import ctypes
import pickle

import numpy as np
import pytest

import PyGPU

USES = {
    "fill": lambda a: a.fill(1),
    "get": lambda a: a.get(),
    "set": lambda a: a.set(np.zeros(a.shape, a.dtype)),
    "a view": lambda a: a[1:],
    "another dtype": lambda a: a.view("u1"),
    "an element": lambda a: a[0].get(),
    "an assignment": lambda a: a.__setitem__(slice(None), 3),
    "a copy": lambda a: a.copy(),
    "a deep copy": lambda a: copy.deepcopy(a),
    "pickle": lambda a: pickle.dumps(a),
    "the source of a copy": lambda a: PyGPU.zeros(a.shape, a.dtype).set(a),
    "the target of a copy": lambda a: PyGPU.copy(a, np.zeros(a.shape, a.dtype)),
    "the address": lambda a: a.ptr,
    "ctypes": lambda a: ctypes.c_void_p.from_param(a),
    "an argument": lambda a: PyGPU.cudaMemset(a, 0, 16),
    "its memory as an argument": lambda a: PyGPU.cudaMemset(a.gpudata, 0, 16),
    "new arrays on it": lambda a: PyGPU.GPUArray(4, "i4", gpudata=a),
    "new arrays on its memory": lambda a: PyGPU.GPUArray(4, "i4", gpudata=a.gpudata),
    "DLPack": lambda a: a.__dlpack__(),
    "a pointer": lambda a: a.device_data(),
    "a device array": lambda a: a.device_array,
    "a stream": lambda a: a.record_stream(PyGPU.Stream()),
    "waiting": lambda a: PyGPU.wait(a),
    "a with-block": lambda a: a.__enter__(),
}


def check_refused(array, match):
    """Whether every use raises a ValueError that says why."""
    for name, use in USES.items():
        with pytest.raises(ValueError, match=match):
            pytest.fail(f"{name}: {use(array)}")
