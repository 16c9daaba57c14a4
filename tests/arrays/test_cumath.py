"""PyGPU.cumath computes what numpy computes, with numpy's types."""

from __future__ import annotations

import math

import numpy as np
import pytest

UNARY = {
    **{name: name for name in (
        "fabs", "ceil", "floor", "trunc", "rint", "exp", "exp2", "expm1", "log", "log2", "log10",
        "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "degrees", "radians",
    )},
    **{f"a{name}": f"arc{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}  # fmt: skip
BINARY = {
    "fmod": "fmod", "atan2": "arctan2", "hypot": "hypot", "copysign": "copysign",
    "logaddexp": "logaddexp", "logaddexp2": "logaddexp2",
}  # fmt: skip
DTYPES = ["?", "i1", "u1", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]
OF_C = {
    "erf": math.erf, "erfc": math.erfc, "gamma": math.gamma, "lgamma": math.lgamma,
    "rsqrt": lambda x: x**-0.5,
}  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def operands(dtype):
    kind = np.dtype(dtype)
    if kind.kind in "biu":
        return np.arange(0 if kind.kind in "bu" else -9, 12).astype(kind)
    limits = np.finfo(kind)
    real = np.linspace(-4, 4, 33)
    corners = [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, float(limits.tiny), float(limits.max) / 2]
    if kind.kind == "f":
        return np.concatenate([real, corners]).astype(kind)
    return (real + 1j * np.linspace(3, -2, 33)).astype(kind)


def assert_same(got, expected, ulps=6):
    """Equal where numpy's result is no number or infinite, else nearly so; and of the same type."""
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, expected)
        return
    limits = np.finfo(expected.dtype)
    near, exact = got.astype("c16"), expected.astype("c16")
    with np.errstate(invalid="ignore", over="ignore"):
        bound = ulps * np.maximum(np.abs(exact) * limits.eps, limits.smallest_subnormal)
        close = np.abs(near - exact) <= bound
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    assert (close | same).all(), (got[~(close | same)], expected[~(close | same)])
    if expected.dtype.kind == "f":
        zeros = expected == 0
        np.testing.assert_array_equal(np.signbit(got[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_one_argument(device, name, dtype):
    from PyGPU import cumath

    x = operands(dtype)
    function, numpys = getattr(cumath, name), getattr(np, UNARY[name])
    try:
        expected = numpys(x)
    except TypeError:
        with pytest.raises(TypeError):
            function(device.to_gpu(x))
        return
    assert_same(function(device.to_gpu(x)).get(), expected)
    np.testing.assert_array_equal(numpys(device.to_gpu(x)).get(), function(device.to_gpu(x)).get())


@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8"])
@pytest.mark.parametrize("name", BINARY)
def test_two_arguments(device, name, dtype):
    """Broadcast, in any layout, and a number for one of them."""
    from PyGPU import cumath

    x, y = operands(dtype)[:, None], operands(dtype)[::-1]
    function, numpys = getattr(cumath, name), getattr(np, BINARY[name])
    ulps = 200 if name.startswith("log") else 6  # the logarithms' sums may be nearly 0
    assert_same(function(device.to_gpu(x), device.to_gpu(y)).get(), numpys(x, y), ulps)
    assert_same(function(device.to_gpu(y)[::-2], 3).get(), numpys(y[::-2], 3), ulps)
    assert_same(function(2.5, device.to_gpu(y)).get(), numpys(2.5, y), ulps)


@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8"])
@pytest.mark.parametrize("name", OF_C)
def test_functions_that_numpy_lacks(device, name, dtype):
    from PyGPU import cumath

    x = np.arange(1, 8).astype(dtype)
    expected = np.array([OF_C[name](float(one)) for one in x])
    got = getattr(cumath, name)(device.to_gpu(x)).get()
    assert_same(got, expected.astype(np.cbrt(x).dtype), 16)
    with pytest.raises(TypeError):
        getattr(cumath, name)(device.zeros(3, np.complex64))


def test_inverse_error_functions(device):
    from PyGPU import cumath

    x = np.linspace(-2, 2, 41)
    array = device.to_gpu(x)
    np.testing.assert_allclose(cumath.erfinv(cumath.erf(array)).get(), x, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(cumath.erfcinv(cumath.erfc(array)).get(), x, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["i4", "f2", "f4", "f8"])
def test_parts(device, dtype):
    from PyGPU import cumath

    x = operands(dtype)
    for name in ("frexp", "modf"):
        for got, expected in zip(
            getattr(cumath, name)(device.to_gpu(x)), getattr(np, name)(x), strict=True
        ):
            assert_same(got.get(), expected, 0)
    finite = x[np.isfinite(x)]
    significands, exponents = cumath.frexp(device.to_gpu(finite))
    back = cumath.ldexp(significands, exponents)
    np.testing.assert_array_equal(back.get(), finite.astype(back.dtype))


def test_exponents_of_ldexp(device):
    """Floats lose their fraction, as in PyCUDA; numbers beyond any exponent give 0 or infinity."""
    from PyGPU import cumath

    x = np.array([1, 3, 0.5, 1, 1], "f4")
    for exponents in (np.array([2, -3, 0, 2**40, -(2**40)]), np.array([2.9, -3.5, 0.7, 1e9, -1e9])):
        result = cumath.ldexp(device.to_gpu(x), device.to_gpu(exponents))
        np.testing.assert_array_equal(result.get(), np.array([4, 0.375, 0.5, np.inf, 0], "f4"))
        assert result.dtype == np.float32
    assert cumath.ldexp(device.to_gpu(x), 2).get()[1] == 12
    assert cumath.ldexp(device.to_gpu(x), 2.9).get()[1] == 12


def test_out_and_stream(device):
    """PyCUDA's second argument is either."""
    from PyGPU import cumath

    x = device.to_gpu(np.linspace(0, 1, 20, dtype="f4"))
    expected, stream = cumath.sin(x).get(), device.Stream(True)
    wide = device.zeros(40, np.float32)
    for out in (wide[::2], wide[::-2]):
        assert cumath.sin(x, out) is out
        np.testing.assert_array_equal(out.get(), expected)
        assert cumath.sin(x, out=out, stream=stream) is out
        np.testing.assert_array_equal(out.get(), expected)
    np.testing.assert_array_equal(cumath.sin(x, stream).get(), expected)
    out = (device.empty_like(x), device.empty(20, np.int32))
    assert cumath.frexp(x, out=out)[1] is out[1]
    assert cumath.exp(device.empty((0, 3), np.float32)).shape == (0, 3)
    with pytest.raises(TypeError, match="int32 can't hold"):
        cumath.sin(x, out=device.empty(20, np.int32))
