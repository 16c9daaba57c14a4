"""astype() beside numpy: by the kernels of PyGPU/_moves, by the host's loops and through the host.

On the host runtime its interpreter runs the kernels' PTX, so that the same text is tested
everywhere. Bits are compared, but for those of NaN.
"""

from __future__ import annotations

import warnings

import hypothesis.strategies as some
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings

import PyGPU
from PyGPU import _moves
from PyGPU._core import arrays
from tests.arrays.test_moves import KERNELS, RECTANGLES, moves  # noqa: F401, a fixture
from tests.own_interpreter import own_interpreter

INTEGERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
PLAIN = ("?", *INTEGERS, "f2", "f4", "f8", "c8", "c16")
DTYPES = [np.dtype(one) for one in (*PLAIN, ml_dtypes.bfloat16, ">i2", ">f4", ">c16")]

REALS = [0.0, 0.5, 0.99, 1.0, 1.5, 2.5, 100.7, 127.5, 128.0, 255.5, 256.0, 2047.0, 2049.0, 65504.0]
REALS += [65519.9, 65520.0, 2.0**31, 2**31 - 0.5, 2.0**32, 2**32 - 0.5, 2.0**63, 2.0**64, 1e300]
REALS += [2.0**-14, 2.0**-24, 2.0**-25, 3 * 2.0**-25, 6.1e-5, 1e-40, 1e-45, 1e-310, np.inf, np.nan]
REALS += [3e38, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-24, 1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-40]
REALS = [sign * one for one in REALS for sign in (1, -1)]


def corners(dtype: np.dtype) -> np.ndarray:
    """Values of a dtype at which casts differ."""
    native = dtype.newbyteorder("=")
    with np.errstate(all="ignore"):
        if dtype.kind == "b":
            values = np.array([True, False])
        elif dtype.kind in "iu":
            info = np.iinfo(native)
            powers = {0, *(sign << n for n in range(64) for sign in (1, -1))}
            near = {power + step for power in powers for step in (-1, 0, 1)} | {info.min, info.max}
            values = np.array(sorted(one for one in near if info.min <= one <= info.max), native)
        else:
            values = np.array(REALS, "c16" if dtype.kind == "c" else "f8").astype(native)
            if dtype.kind == "c":
                values.imag = values.real[::-1]
    return values.astype(dtype)


def numpys(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """What numpy makes of the values. Where it leaves that open, what astype() promises."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dtype.kind not in "iu" or values.dtype.kind in "iub":
            return values.astype(dtype)
        reals = values.astype("f8")  # exact, of the parts that count
        info = np.iinfo(dtype.newbyteorder("="))
        inside = (reals > info.min) & (reals < info.max)
        result = np.where(inside, reals, 0).astype(dtype)
        result[reals >= float(info.max)] = info.max
        result[reals <= info.min] = info.min
    return result


def same(array, expected: np.ndarray) -> None:
    got = array.get() if isinstance(array, PyGPU.GPUArray) else array
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    got, expected = got.ravel(), expected.ravel()
    with np.errstate(all="ignore"):
        if got.dtype.kind == "c":
            part = f"{got.dtype.byteorder}f{got.itemsize // 2}"
            got, expected = got.view(part), expected.view(part)
        nan = expected != expected
        assert np.array_equal(got != got, nan)
    assert got[~nan].tobytes() == expected[~nan].tobytes()


def cast(array, dtype, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return array.astype(dtype, **how)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_corner_values_of_all_pairs(moves, dtype):  # noqa: F811
    values = corners(dtype)
    array = PyGPU.to_gpu(values)
    for other in DTYPES:
        expected = numpys(values, other)
        same(cast(array, other), expected)  # by vectors, and the elements after the last one
        same(cast(array[1:], other), expected[1:])  # begins between two vectors
        same(cast(array[::-2], other), expected[::-2])
        written = PyGPU.zeros((2, *values.shape), other)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            written[:, ::-1] = array
        same(written, np.broadcast_to(expected[::-1], written.shape))


def test_every_half_is_converted(moves):  # noqa: F811
    halves = np.arange(1 << 16, dtype="u2").view("f2")
    brains = halves.view(ml_dtypes.bfloat16)
    for values in (halves, brains):
        array = PyGPU.to_gpu(values)
        for dtype in ("f4", "f8", "i8", "?"):
            same(cast(array, dtype), numpys(values, np.dtype(dtype)))
    wide = halves.astype("f4")
    with np.errstate(all="ignore"):
        near = np.concatenate([wide, np.nextafter(wide, np.float32(1)), wide * np.float32(1.0003)])
    for dtype in (np.dtype("f2"), np.dtype(ml_dtypes.bfloat16)):
        same(cast(PyGPU.to_gpu(near), dtype), numpys(near, dtype))
        same(cast(PyGPU.to_gpu(near.astype("f8")), dtype), numpys(near.astype("f8"), dtype))


@some.composite
def views(draw):
    """Values of some dtype, with an index, an order of axes, and another dtype."""
    count = draw(some.integers(0, 5))
    shape = [draw(some.sampled_from([0, 1, 2, 3, 5, 16, 33])) for _ in range(count)]
    shape = shape if np.prod(shape) < 10_000 else [min(extent, 3) for extent in shape]
    dtype, other = (draw(some.sampled_from(DTYPES)) for _ in range(2))
    known = corners(dtype)
    start = draw(some.integers(0, known.size - 1))
    values = np.resize(np.roll(known, -start), shape)
    slices = [slice(None), slice(None, None, -1), slice(None, None, 2), slice(1, None)]
    index = tuple(draw(some.sampled_from(slices)) for _ in shape)
    return values, (*index, ...), draw(some.permutations(range(count))), other


@settings(deadline=None, max_examples=150)
@given(views(), some.sampled_from("CFAK"))
def check_views(view, order):
    values, index, axes, dtype = view
    seen = PyGPU.to_gpu(values)[index].transpose(tuple(axes))
    expected = values[index].transpose(axes)
    result, due = cast(seen, dtype, order=order), numpys(expected, dtype)
    same(result, due)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        strides = expected.astype(dtype, order=order).strides
    if result.size and dtype != values.dtype:
        same_axes = [at for at, extent in enumerate(result.shape) if extent > 1]
        assert [result.strides[at] for at in same_axes] == [strides[at] for at in same_axes]


def test_views_of_all_kinds(moves):  # noqa: F811
    check_views()


def test_more_axes_than_a_kernel_has(moves):  # noqa: F811
    values = np.arange(4096, dtype="i4").reshape((2,) * 12)
    turned = tuple(reversed(range(12)))
    result = PyGPU.to_gpu(values).transpose(turned)
    wide = PyGPU.zeros((2,) * 12, "f8")
    wide[...] = result
    same(wide, values.transpose(turned).astype("f8"))


def test_elements_across_their_alignment(moves):  # noqa: F811
    """A kernel that reads such an element would end the context."""
    values = np.zeros(9, np.dtype([("a", "u1"), ("b", "f4"), ("c", "c16")]))
    values["b"], values["c"] = np.arange(9), np.arange(9) * 1j
    record = PyGPU.to_gpu(values)
    for name, offset in (("b", 1), ("c", 5)):
        field = record._view((9,), (21,), offset, values.dtype[name])
        for dtype in (np.dtype("i2"), np.dtype("c8"), np.dtype("?")):
            same(cast(field, dtype), numpys(values[name], dtype))
        field[...] = PyGPU.to_gpu(np.arange(9, dtype="u1"))
        same(field, np.arange(9).astype(values.dtype[name]))


def test_casts_in_a_capture(moves):  # noqa: F811
    """Each launch of the graph converts the elements that are there then."""
    if moves == RECTANGLES:
        pytest.skip("nothing can wait for the host in a capture")
    stream = PyGPU.Stream()
    array, half = PyGPU.zeros((30, 40), "f4"), PyGPU.zeros((30, 40), "f2")
    half[...] = array
    PyGPU.checked.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeGlobal)
    with stream:
        half[...] = array
    graph = PyGPU.checked.cudaStreamEndCapture(stream)
    executable = PyGPU.checked.cudaGraphInstantiate(graph, 0)
    for number in (1, 2):
        values = np.arange(1200, dtype="f4").reshape(30, 40) * number
        array.set(values)
        PyGPU.checked.cudaGraphLaunch(executable, stream)
        PyGPU.checked.cudaStreamSynchronize(stream)
        same(half, values.astype("f2"))
    PyGPU.checked.cudaGraphExecDestroy(executable)
    PyGPU.checked.cudaGraphDestroy(graph)


def test_a_cast_comes_after_the_work_of_its_stream(device):
    stream = PyGPU.Stream()
    values = np.arange(100_000, dtype="f8")
    array = PyGPU.zeros(values.shape)
    array.set_async(values, stream)
    result = array.astype("i4", stream)  # where PyCUDA has the stream
    half = result.astype("f4", stream=stream).get_async(stream)
    same(PyGPU.wait(half), values.astype("f4"))


def test_what_changes_nothing(device):
    array = PyGPU.to_gpu(np.arange(6, dtype="f4").reshape(2, 3))
    assert array.astype("f4", copy=False) is array
    assert array.astype("f4", "C", copy=False) is array
    assert array.astype("f4", "F", copy=False).flags.f_contiguous
    assert array.astype("f8", copy=False) is not array
    copied = array.astype(np.float32)
    assert copied.ptr != array.ptr and copied.get().tolist() == array.get().tolist()
    text = PyGPU.to_gpu(np.array(["a", "bc"]))
    assert text.astype(text.dtype).get().tolist() == ["a", "bc"]


def test_the_allocator_and_the_class_stay(device):
    class Derived(PyGPU.GPUArray):
        pass

    asked = []

    def allocator(size):
        asked.append(size)
        return PyGPU.DeviceMemory(size)

    array = Derived(3, "f4", allocator)
    assert type(array.astype("f8")) is Derived and asked == [12, 24]


@pytest.mark.parametrize("rule", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting_is_numpys(device, rule):
    for dtype in ("i2", "f4", "c8"):
        array = PyGPU.zeros(3, dtype)
        for other in ("i2", "i8", "f2", "f8", ">f4", "c8"):
            if np.can_cast(dtype, other, rule):
                assert cast(array, other, casting=rule).dtype == other
            else:
                with pytest.raises(TypeError, match=rf"astype\(\): .*{rule}"):
                    array.astype(other, casting=rule)


def test_lost_imaginary_parts_are_warned_of_where_the_caller_stands(device):
    array, real = PyGPU.ones(3, "c8"), PyGPU.zeros(3, "i4")
    for drop in (lambda: array.astype("f4"), lambda: real.__setitem__(..., array)):
        with pytest.warns(np.exceptions.ComplexWarning) as warned:
            drop()
        assert [one.filename for one in warned] == [__file__]
    assert real.get().tolist() == [1, 1, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert array.astype(bool).get().all() and array.astype("c16").get().all()


@pytest.mark.parametrize("dtype", ["M8[s]", "U3", "V8", [("a", "f4")], np.longdouble])
def test_what_is_no_number_is_refused(device, dtype):
    for array, other in ((PyGPU.zeros(3), dtype), (PyGPU.zeros(3, dtype), "f4")):
        with pytest.raises(TypeError, match=r"can't be converted to .*a\.get\(\)\.astype"):
            array.astype(other)
    with pytest.raises(ValueError, match=r"astype\(\): parameter 'order'"):
        PyGPU.zeros(3).astype("f4", "X")
    with pytest.raises(TypeError, match="Python objects"):
        PyGPU.zeros(3).astype(object)


def test_arrays_of_several_dtypes_are_joined_as_numpy_does(device):
    parts = [np.arange(6, dtype=one).reshape(2, 3) for one in ("i2", "f4", ">i4", "c8")]
    joined = PyGPU.concatenate([PyGPU.to_gpu(part) for part in parts])
    same(joined, np.concatenate(parts))


@own_interpreter(PYGPU_BACKEND="host")
def test_without_kernels_casts_go_through_the_host():
    arrays._set_copies(moves=KERNELS)
    asked = []
    _moves.image = lambda name: asked.append(name)
    values = np.array([[1.5, -7.9, np.nan], [300, -1, 2]], "f4")
    for _ in range(2):
        same(PyGPU.to_gpu(values).T.astype("u1"), numpys(values.T, np.dtype("u1")))
    assert asked == ["cast_f4_i1"]
    stream = PyGPU.Stream()
    array, result = PyGPU.to_gpu(values), PyGPU.zeros((2, 3), "u1")
    PyGPU.checked.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeGlobal)
    with stream, pytest.raises(PyGPU.GPUError, match="Capture"):
        result[...] = array
    PyGPU.cudaStreamEndCapture(stream)


@own_interpreter(PYGPU_BACKEND="host")
def test_memory_of_the_host_is_cast():
    """A kernel gets memory of the device alone."""
    arrays._set_copies(moves=KERNELS)
    asked = []
    _moves.image = lambda name: asked.append(name)
    pinned = PyGPU.pagelocked_empty(6, "f4")
    pinned[:] = np.arange(6)
    array = PyGPU.GPUArray(6, "f4", gpudata=pinned.ctypes.data)
    same(array.astype("i8"), np.arange(6))


@own_interpreter(PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="2")
def test_arrays_of_two_devices():
    for by in (0, KERNELS):
        arrays._set_copies(moves=by)
        with PyGPU.device(1):
            there = PyGPU.to_gpu(np.arange(12, dtype="i2").reshape(3, 4))
        here = PyGPU.zeros((3, 2), "f8")
        here[...] = there[:, ::2]
        same(here, there[:, ::2].get().astype("f8"))
        assert there.astype("f4").device == 1
