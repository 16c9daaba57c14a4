"""fuse(): a function of arrays is one kernel, and gives what its operations give one by one."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest


@pytest.fixture
def fuse(device):
    from PyGPU.elementwise import fuse

    return fuse


def several(x, y, a=2):
    return np.where(x > y, a * x + y, np.sqrt(abs(x)) - y / 3)


def roots(x, y):
    return (x + 1j * y) ** 2, x * 1.5


def limits(x, y):
    return np.maximum(x, np.float32(0.5)) + np.minimum(y, np.inf) * (x != x)


@pytest.mark.parametrize("function", [several, roots, limits], ids=lambda it: it.__name__)
@pytest.mark.parametrize("dtypes", ["ff", "fd", "ih", "Bf", "dl", "ef", "?i"])
def test_it_is_as_the_operations_one_by_one(device, fuse, function, dtypes):
    x = np.arange(100).reshape(4, 25).astype(dtypes[0])
    y = np.arange(25)[::-1].astype(dtypes[1])
    fused = fuse(function)
    got = fused(device.to_gpu(x), device.to_gpu(y))
    due = function(x, y)
    if not isinstance(due, tuple):
        got, due = (got,), (due,)
    for one, other in zip(due, got, strict=True):
        assert one.dtype == other.dtype
        tolerance = 2e-2 if set("eB?") & set(dtypes) else 1e-5 if one.dtype.itemsize <= 8 else 1e-12
        assert np.allclose(one, other.get(), rtol=tolerance, atol=tolerance)


def test_it_is_one_kernel(device, fuse):
    calls = []

    @fuse
    def saxpy(a, x, y):
        """Its own documentation."""
        calls.append(1)
        return a * x + y

    x, y = device.arange(10.0), device.ones(10)
    for factor in (2, 3.5, 4.5):
        assert (saxpy(factor, x, y).get() == factor * np.arange(10.0) + 1).all()
    out = device.empty(10)
    assert saxpy(1.5, x, y, out=out) is out
    assert len(calls) == 4  # once to count the results, and for each combination of types
    assert saxpy.__doc__ == "Its own documentation."


def test_pygpus_functions_are_taken_in(device, fuse):
    x = np.arange(-5.0, 5.0)

    @fuse(kernel_name="limited")
    def limited(x):
        return device.clip(device.where(device.maximum(x, -3) < 0, -x, x), 1, 4)

    due = np.clip(np.where(np.maximum(x, -3) < 0, -x, x), 1, 4)
    assert (limited(device.to_gpu(x)).get() == due).all()


def test_whole_numbers_are_numpys(device, fuse):
    """They wrap around, and a number out of a dtype's range is refused, not cut."""
    limit, least = np.array([2**31 - 1], "i4"), np.array([-(2**31)], "i4")
    for function, x in (
        (lambda x: x + 1 > x, limit),
        (lambda x: x * 2 // 2, np.array([2**30 + 5], "i4")),
        (lambda x: abs(x) < 0, least),
    ):
        with np.errstate(over="ignore"):
            assert fuse(function)(device.to_gpu(x)).get() == function(x)
    small = device.ones(3, "u1")
    for call in (
        lambda: fuse(lambda x: x + 300)(small),
        lambda: fuse(lambda x, y: x + y)(small, 300),
    ):
        with pytest.raises(OverflowError, match="300 is out of range for uint8"):
            call()


def test_an_object_with_a_fused_method_is_collected(device, fuse):
    class Scaled:
        def __init__(self) -> None:
            self.by = 2
            self.run = fuse(lambda x: x * self.by)

    one = Scaled()
    assert one.run(device.ones(3)).get().tolist() == [2] * 3
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None


def test_what_it_cannot_take_in(device, fuse):
    a = device.ones(3)
    for function, message in (
        (lambda x: x if x > 0 else -x, "must not depend on the elements"),
        (lambda x: x + np.ones(3), "can't use a ndarray"),
        (lambda x: np.sort(x), "can't use numpy.sort"),
        (lambda x: np.add.reduce(x), "can't use numpy.add"),
        (lambda x: (x, x, x), "one array or two, not 3"),
        (lambda x: x @ x, "can't use numpy.matmul"),
    ):
        with pytest.raises(TypeError, match=message):
            fuse(function)(a)
    with pytest.raises(TypeError, match=r"to_gpu\(x\)"):
        fuse(lambda x: x + 1)(np.ones(3))
