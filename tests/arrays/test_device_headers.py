"""pygpu/complex.hpp and pygpu/half.hpp count as numpy does, also where IEEE 754 has its corners."""

from __future__ import annotations

import functools
import pathlib
from fractions import Fraction

import numpy as np
import pytest

FUNCTIONS = [
    "sqrt", "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "conj",
]  # fmt: skip
OF_NUMPY_ALONE = ["exp2", "expm1", "log2", "log1p", "rint"]
NUMPY = {f"a{one}": f"arc{one}" for one in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
OPERATIONS = {
    "quotient": "x[i] / y[i]", "product": "x[i] * y[i]", "power": "pow(x[i], y[i])",
    "whole": "pow(x[i], int(y[i].real()))", "square": "x[i] * conj(x[i]) + 0 * y[i]",
}  # fmt: skip
CPP = {np.complex64: "float", np.complex128: "double"}
KERNEL = """
extern "C" __global__ void {name}_{real}(complex<{real}> *x, complex<{real}> *y,
                                         complex<{real}> *out) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = {value};
}}
"""
SOURCE = (pathlib.Path(__file__).parent / "device_headers.cu").read_text() + "".join(
    KERNEL.format(name=name, real=real, value=value)
    for real in CPP.values()
    for name, value in {
        **OPERATIONS,
        **{name: f"{name}(x[i])" for name in (*FUNCTIONS, *OF_NUMPY_ALONE)},
    }.items()
)


@functools.cache
def module():
    import PyGPU

    return PyGPU.SourceModule(SOURCE, no_extern_c=True, cache_dir=False)


@pytest.fixture
def run(device):
    """`run(name, x, y)`: what a kernel makes of complex numbers."""

    def result(name, x, y=None):
        out = device.zeros(x.size, x.dtype)
        y = x if y is None else y
        kernel = module()[f"{name}_{CPP[x.dtype.type]}"]
        kernel(device.to_gpu(x), device.to_gpu(y), out, grid=x.size, block=1)
        return out.get()

    return result


def corners(dtype, finite=False):
    limits = np.finfo(dtype)
    tiny, largest = float(limits.smallest_subnormal), float(limits.max)
    parts = [0, -0.0, 1, -1, 0.5, -2.25, 20.5, -95, 720.5, float(limits.tiny), -3 * tiny, 7 * tiny]
    parts += [largest, -largest / 3, largest**0.5, 1e-5, 1 - float(limits.eps)]
    parts += [] if finite else [np.inf, -np.inf, np.nan]
    return np.array([complex(x, y) for x in parts for y in parts], dtype)


def ordinary(dtype, count=100):
    parts = np.random.default_rng(39).standard_normal((4, count))
    near_one = 1 + 1e-3 * (parts[2] + 1j * parts[3])
    return np.concatenate([parts[0] + 1j * parts[1], near_one]).astype(dtype)


def classes(x):
    """Of each part: NaN, an infinity with its sign, or a number, whose zeros have signs, too."""
    parts = np.stack([x.real, x.imag])
    special = np.isinf(parts) | (parts == 0)
    kinds = np.where(np.isnan(parts), 2, np.where(np.isfinite(parts), 0, 1))
    return kinds, np.signbit(parts) & special


def assert_close(got, expected, ulps):
    """Both parts are off by some rounding errors of the absolute value."""
    limits = np.finfo(got.dtype)
    finite = np.isfinite(got) & np.isfinite(expected)
    wide, exact = got[finite].astype("c16"), expected[finite].astype("c16")
    below = np.maximum(np.abs(exact / 2) * 2, limits.tiny)
    errors = np.maximum(abs(wide.real - exact.real), abs(wide.imag - exact.imag)) / below
    assert errors.max() <= ulps * limits.eps


@pytest.mark.parametrize("dtype", CPP)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_functions(run, name, dtype):
    """In complex64, too: numpy's result is that of complex128, rounded."""
    x = np.concatenate([corners(dtype), ordinary(dtype)])
    expected = getattr(np, NUMPY.get(name, name))(x.astype("c16")).astype(dtype)
    got = run(name, x)
    for one, other in zip(classes(got), classes(expected), strict=True):
        bad = np.flatnonzero((one != other).any(axis=0))
        assert not bad.size, (x[bad], got[bad], expected[bad])
    assert_close(got, expected, 4)


@pytest.mark.parametrize("dtype", CPP)
@pytest.mark.parametrize("name", OF_NUMPY_ALONE)
def test_functions_that_c_lacks(run, name, dtype):
    x = ordinary(dtype)
    assert_close(run(name, x), getattr(np, name)(x.astype("c16")).astype(dtype), 4)
    small, sign = (x * 1e-9).astype(dtype), {"expm1": 1, "log1p": -1}.get(name)
    if sign:
        assert_close(run(name, small), small + sign * small * small / 2, 4)


def quotient(x, y):
    """Both parts of the exact quotient, each as the nearest float64."""
    a, b, c, d = (Fraction(float(one)) for one in (x.real, x.imag, y.real, y.imag))
    below = c * c + d * d
    parts = (a * c + b * d) / below, (b * c - a * d) / below
    return [float(one) if abs(one) < 2**1024 else np.inf for one in parts]


@pytest.mark.parametrize("dtype", CPP)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_quotients_are_right_wherever_they_exist(run, dtype):
    """numpy's overflow on the way: 1e300j / 1e-10 is no number there if a part is 0."""
    some = corners(dtype, finite=True)[::3]
    x, y = (one.ravel() for one in np.meshgrid(some, some[some != 0]))
    got, limits = run("quotient", x, y), np.finfo(dtype)
    exact = np.array([quotient(*pair) for pair in zip(x, y, strict=True)])
    size = np.hypot(*exact.T / 4)  # a quarter of it, which is no infinity
    there = (abs(exact) < limits.max * (1 - 4 * limits.eps)).all(axis=1)
    assert there.sum() > x.size / 2
    bound = np.maximum(size[there] * 16 * limits.eps, 2 * limits.smallest_subnormal)
    for part, expected in ((got.real, exact[:, 0]), (got.imag, exact[:, 1])):
        assert (abs(part[there].astype(float) - expected[there]) <= bound).all()


@pytest.mark.parametrize("dtype", CPP)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinities_in_products_and_quotients_are_numpys(run, dtype):
    parts = np.array([0, 1, -2, np.inf, -np.inf, np.nan])
    some = np.array([complex(x, y) for x in parts for y in parts], dtype)
    x, y = (one.ravel() for one in np.meshgrid(some, some))
    for name, expected in (("product", x * y), ("quotient", x / y)):
        np.testing.assert_array_equal(classes(run(name, x, y))[0], classes(expected)[0])


@pytest.mark.parametrize("dtype", CPP)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_powers(run, dtype):
    x, y = (one.ravel() for one in np.meshgrid(ordinary(dtype, 20), ordinary(dtype, 20) * 3))
    assert_close(run("power", x, y), np.power(x, y), 32)
    whole = np.tile(np.arange(-10, 11), x.size // 21 + 1)[: x.size].astype(dtype)
    assert_close(run("whole", x, whole), np.power(x, whole), 16)
    zeros = np.array([0, 0, 0, 0, 3 + 1j, 0], dtype)
    powers = np.array([0, 2, -1, 0.5, 0, 1j], dtype)
    np.testing.assert_array_equal(run("power", zeros, powers), np.power(zeros, powers))


@pytest.mark.parametrize("dtype", CPP)
def test_a_number_times_its_conjugate_is_real(run, dtype):
    assert not run("square", ordinary(dtype)).imag.any()


def test_pycudas_programs_include_it_by_its_name(device):
    """Without an option, and in the extern "C" that PyCUDA puts sources in."""
    source = """#include <pycuda-helpers.hpp>
    __global__ void twice(pycuda::complex<float> *z) { z[threadIdx.x] *= 2.0f; }"""
    x = ordinary(np.complex64, 16)
    array = device.to_gpu(x)
    device.SourceModule(source, cache_dir=False)["twice"](array, grid=1, block=32)
    np.testing.assert_array_equal(array.get(), 2 * x)


BITS = np.arange(1 << 16, dtype=np.uint16)
VALUES = {"half": BITS.view("f2").astype("f4"), "bfloat16": (BITS.astype("u4") << 16).view("f4")}


def rounded(name, x):
    """The nearest of all values of a type, the even one where two are as near."""
    positive = VALUES[name][: int(np.flatnonzero(np.isinf(VALUES[name]))[0])].astype("f8")
    ends = [*positive, 2 * positive[-1] - positive[-2]]  # the step after the largest is infinite
    at = np.searchsorted(ends, abs(x), side="right") - 1
    below, above = np.array(ends)[at], np.append(ends, np.inf)[at + 1]
    with np.errstate(invalid="ignore"):
        more = np.sign(abs(x) - below - (above - abs(x)))
    up = (more > 0) | ((more == 0) & (at % 2 == 1))
    bits = np.minimum(at + up, positive.size)
    return (bits + np.where(np.signbit(x), 1 << 15, 0)).astype("u2")


@pytest.mark.parametrize("name", VALUES)
def test_short_floats(device, name):

    def run(kernel, x, dtype):
        out = device.zeros(x.size, dtype)
        module()[f"{name}_{kernel}"](device.to_gpu(x), out, grid=x.size // 32, block=32)
        return out.get()

    values = VALUES[name]
    wide = run("widen", BITS, "f4")
    np.testing.assert_array_equal(wide, values)
    some = np.concatenate([values[np.isfinite(values)].astype("f8")[::7], [1e300, 5e-324, np.inf]])
    halfway = (some[1:] + some[:-1]) / 2
    some = np.concatenate([some, halfway, np.nextafter(halfway, np.inf), np.nextafter(halfway, 0)])
    some = np.concatenate([some, -some])[: some.size * 2 // 32 * 32]
    np.testing.assert_array_equal(run("of_double", some, "u2"), rounded(name, some))
    with np.errstate(over="ignore", under="ignore"):
        short = some.astype("f4")
    np.testing.assert_array_equal(run("of_float", short, "u2"), rounded(name, short.astype("f8")))
    whole = np.concatenate([np.arange(-200, 5000, 3), [65519, 65520, -(2**31), 2**62]])
    whole = whole[-(whole.size // 32 * 32) :]
    np.testing.assert_array_equal(run("of_long", whole, "u2"), rounded(name, whole.astype("f8")))
    nans = run("of_float", np.full(32, np.nan, "f4"), "u2")
    assert np.isnan(values[nans]).all()
    pairs = BITS[np.isfinite(values)]
    with np.errstate(over="ignore"):
        sums = values[pairs] + values[pairs ^ 1]
    np.testing.assert_array_equal(run("sum", pairs, "u2"), rounded(name, sums.astype("f8")))
