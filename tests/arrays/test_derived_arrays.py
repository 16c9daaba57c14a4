"""Subclasses of ndarray may lie about their attributes. Copies use the memory that numpy knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

TOLD: dict[str, Any] = {
    "dtype": np.dtype("c16"),
    "shape": (1000,),
    "strides": (800,),
    "size": 1000,
    "itemsize": 800,
    "nbytes": 1 << 40,
    "ndim": 5,
    "__array_interface__": {
        "data": (4096, False),
        "shape": (1000,),
        "typestr": "<c16",
        "version": 3,
    },
    "__array_struct__": None,
    "__array__": lambda self, *_: np.zeros(1000),
    "reshape": lambda self, *_: np.zeros(1000),
}
CLASSES = {
    name: type("Derived", (np.ndarray,), {name: property(lambda self, value=value: value)})
    for name, value in TOLD.items()
}
CLASSES["all"] = type("Derived", (np.ndarray,), TOLD)

# For the second dtype numpy offers no buffer, only its array interface.
DTYPES = ["f4", "M8[s]"]


@pytest.fixture(params=CLASSES, ids=str)
def derived(request):
    return CLASSES[request.param]


@pytest.fixture(params=DTYPES)
def values(request):
    return np.arange(6).astype(request.param).reshape(2, 3)


def test_uploads_take_what_is_there(device, derived, values):
    given = values.view(derived)
    assert (device.to_gpu(given).get() == values).all()
    assert (device.to_gpu_async(given).get() == values).all()
    assert (device.GPUArray(given).get() == values).all()
    for upload in (
        lambda a: a.set(given),
        lambda a: a.set_async(given),
        lambda a: a.__setitem__(..., given),
        lambda a: a.__setitem__(slice(1), values[1:].view(derived)),
    ):
        a = device.to_gpu(np.zeros_like(values))
        upload(a)
        assert a.shape == values.shape
        assert a.dtype == values.dtype
        assert a.get()[1, 2] in (values[1, 2], values[0, 0])
    joined = device.concatenate([given, device.to_gpu(values)]).get()
    assert (joined == np.concatenate([values, values])).all()


def test_downloads_write_where_the_array_is(device, derived, values):
    a = device.to_gpu(values)
    for download in (a.get, lambda ary: a.get_async(None, ary)):
        into = np.zeros_like(values).view(derived)
        assert download(into) is into
        device.wait(a)
        assert (into.view(np.ndarray) == values).all()
    for wrong in (np.zeros(7, values.dtype), np.zeros((2, 3), "u1")):
        with pytest.raises((TypeError, ValueError), match=r"get\(\)"):
            a.get(wrong.view(derived))
