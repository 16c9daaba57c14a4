"""Reductions of arrays beside numpy's, and ReductionKernel with what users write for it."""

from __future__ import annotations

import warnings

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given, settings

import PyGPU
from PyGPU.reduction import ReductionKernel
from PyGPU.scan import InclusiveScanKernel
from PyGPU.tools import DeviceMemoryPool

DTYPES = ("?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16")
SLICES = (slice(None), slice(None, None, -1), slice(1, None), slice(None, None, 2))
REDUCTIONS = ("sum", "prod", "max", "min", "argmax", "argmin", "any", "all", "mean", "var", "std")


@some.composite
def views(draw):
    """Numbers of some dtype, with an index, an order of axes, and the axes to reduce."""
    count = draw(some.integers(0, 3))
    shape = [draw(some.sampled_from([1, 2, 3, 5, 8, 40, 600, 0])) for _ in range(count)]
    while np.prod(shape) > 30_000:
        shape.remove(max(shape))
    count = len(shape)
    dtype = np.dtype(draw(some.sampled_from(DTYPES)))
    generator = np.random.default_rng(draw(some.integers(0, 1 << 30)))
    values = generator.integers(0, 4, shape).astype(dtype)
    if dtype.kind == "c":
        values = values + (1j * generator.integers(0, 4, shape)).astype(dtype)
    if dtype.kind == "f" and values.size and draw(some.booleans()):
        values.flat[generator.integers(values.size)] = np.nan
    index = (*(draw(some.sampled_from(SLICES)) for _ in shape), Ellipsis)
    axes = draw(some.lists(some.integers(0, count - 1), unique=True)) if count else []
    axis = draw(some.sampled_from([None, tuple(axes), *axes]))
    return values, index, draw(some.permutations(range(count))), axis


@settings(deadline=None, max_examples=60)
@given(views())
def check_views(name, view):
    values, index, axes, axis = view
    expected_of, array = values[index].transpose(axes), PyGPU.to_gpu(values)[index].transpose(axes)
    if name.startswith("arg"):
        axis = axis[0] if isinstance(axis, tuple) and axis else None if axis == () else axis
    if values.dtype.kind == "c" and name in ("max", "min", "argmax", "argmin"):
        with pytest.raises(TypeError, match=rf"{name}\(\): complex numbers have no order"):
            getattr(PyGPU, name)(array, axis=axis)
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            expected = getattr(np, name)(expected_of, axis=axis)
        except ValueError:
            with pytest.raises(ValueError, match=rf"{name}\(\): the array has no elements"):
                getattr(PyGPU, name)(array, axis=axis)
            return
        if name == "prod" and expected.dtype == np.float16:  # numpy may pass through inf * 0
            expected = np.prod(expected_of, axis=axis, dtype="f4").astype("f2")
    result = getattr(PyGPU, name)(array, axis=axis)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    if expected.dtype.kind in "biu":
        assert (result.get() == expected).all()
    else:
        digits = np.finfo(expected.dtype).eps
        np.testing.assert_allclose(result.get(), expected, 300 * digits, 300 * digits)
    kept = getattr(array, name)(axis=axis, keepdims=True)
    axes = range(array.ndim) if axis is None else np.atleast_1d(axis)
    assert kept.shape == tuple(1 if at in axes else n for at, n in enumerate(array.shape))


@pytest.mark.parametrize("name", REDUCTIONS)
def test_any_view_along_any_axes_as_numpy(device, name):
    check_views(name)


@pytest.mark.parametrize("shape", [(300_007,), (60_000, 5), (5, 60_001), (41, 7, 1500)], ids=str)
def test_many_blocks_have_the_result_of_one(device, shape):
    """Large reductions take two launches; integers show each element that is lost or read twice."""
    values = np.random.default_rng(3).integers(-1000, 1000, shape, "i4")
    array = device.to_gpu(values)
    for axis in (None, *range(values.ndim)):
        assert (array.sum(axis).get() == values.sum(axis)).all()
        assert (array[1:].max(axis).get() == values[1:].max(axis)).all()
        assert (array.T.argmin(axis).get() == values.T.argmin(axis)).all()


def test_equal_calls_give_equal_bits(device):
    array = device.to_gpu(np.random.default_rng(5).random(200_000, "f4"))
    assert len({array.sum().get().tobytes() for _ in range(5)}) == 1


def test_integers_are_summed_in_64_bits_and_halves_in_32(device):
    assert device.to_gpu(np.full(9, 2**31 - 1, "i4")).sum().item() == 9 * (2**31 - 1)
    assert device.to_gpu(np.full(300, 255, "u1")).sum().dtype == np.uint64
    assert device.gpuarray.sum(device.to_gpu(np.full(3, 100, "i1")), dtype="i1").item() == 44
    halves = device.to_gpu(np.full(40_000, 1.0, "f2"))
    assert halves.sum().item() == 40_000 and halves.mean().item() == 1
    halves = device.to_gpu(np.array([60_000, 60_000, -60_000], "f2"))
    assert halves.sum().item() == 60_000


def test_products_and_subsets(device):
    generator = np.random.default_rng(7)
    a, b = (generator.integers(-50, 50, 1000).astype("i4") for _ in range(2))
    at = generator.integers(0, 1000, 300, "i4")
    x, y, where = device.to_gpu(a), device.to_gpu(b), device.to_gpu(at)
    for one, other in ((x, y), (x[::-1], y[::-1])):
        assert device.dot(one, other).item() == one.dot(other).item() == a @ b
    assert device.subset_sum(where, x).item() == a[at].sum()
    assert device.subset_dot(where, x, y).item() == a[at] @ b[at]
    assert device.subset_max(where, x).item() == a[at].max()
    assert device.subset_min(where, x[::-1]).item() == a[::-1][at].min()
    z = (a + 1j * b).astype("c16")
    assert device.vdot(device.to_gpu(z), x).item() == np.vdot(z, a)
    matrix = device.to_gpu(a.reshape(20, 50))
    assert device.dot(matrix, matrix).item() == a @ a  # PyCUDA's
    with pytest.raises(TypeError, match=r"dot\(\): matrix products aren't implemented"):
        matrix.dot(matrix)
    with pytest.raises(ValueError, match=r"dot\(\): the arrays have 1000 and 999 elements"):
        device.dot(x, y[1:])


def test_what_is_refused_names_function_and_parameter(device):
    a = device.ones(3)
    with pytest.raises(TypeError, match=r"sum\(\): parameter 'a' must be a GPUArray, not ndarray"):
        device.gpuarray.sum(np.ones(3))
    with pytest.raises(TypeError, match=r"sum\(\): the first parameter is 'dtype'.*axis=0"):
        device.gpuarray.sum(a, 0)
    with pytest.raises(TypeError, match=r"max\(\): elements of >f4 have the byte order"):
        device.gpuarray.max(device.to_gpu(np.ones(3, ">f4")))
    with pytest.raises(TypeError, match=r"sum\(\): elements of datetime64\[s\] aren't numbers"):
        device.gpuarray.sum(device.to_gpu(np.ones(3, "M8[s]")))
    with pytest.raises(TypeError, match=r"complex64 can't be summed as float32"):
        device.to_gpu(np.ones(3, "c8")).sum(dtype="f4")
    with pytest.raises(ValueError, match=r"sum\(\): axes"):
        a.sum(1)


def test_allocator_and_stream(device):
    pool, stream = DeviceMemoryPool(), device.Stream()
    a = device.to_gpu(np.arange(100_000, dtype="i8"))
    for result in (a.sum(allocator=pool.allocate), device.dot(a, a, allocator=pool.allocate)):
        assert result.allocator == pool.allocate
    a.fill(2, stream)
    assert a.sum(stream=stream).item() == 200_000
    with stream:
        assert (a.max().item(), a.sum().item()) == (2, 200_000)


def test_each_stream_and_a_graph_give_equal_bits(device):
    """The last of many blocks joins their sums. It finds out by counters, on any stream."""
    total = ReductionKernel("f4", "0", "a + b", "x[i]", "const float *x")
    last = InclusiveScanKernel("f4", "a + b")
    a = device.to_gpu(np.random.default_rng(3).random(300_000, "f4"))
    due = total(a).get().tobytes(), last(a, "new").get().tobytes()
    streams = [None, device.Stream(), device.Stream(non_blocking=True)]
    for _ in range(2):
        for stream in streams:
            done = total(a, stream=stream), last(a, "new", stream=stream)
            assert tuple(one.get(stream=stream).tobytes() for one in done) == due
    stream, out, sums = streams[1], device.zeros(1, "f4"), device.zeros(a.size, "f4")
    device.cudaDeviceSynchronize()
    device.checked.cudaStreamBeginCapture(stream, device.cudaStreamCaptureModeGlobal)
    total(a, out=out, stream=stream)
    last(a, sums, stream=stream)
    graph = device.checked.cudaStreamEndCapture(stream)
    executable = device.checked.cudaGraphInstantiate(graph, 0)
    for _ in range(2):
        out.fill(0)
        sums.fill(0)
        device.cudaDeviceSynchronize()
        device.checked.cudaGraphLaunch(executable, stream)
        stream.synchronize()
        assert (out.get().tobytes(), sums.get().tobytes()) == due
    device.checked.cudaGraphExecDestroy(executable)
    device.checked.cudaGraphDestroy(graph)


def test_the_import_loads_no_generator(python):
    code = "import sys, PyGPU; PyGPU.gpuarray.sum, PyGPU.dot; print(*sys.modules)"
    loaded = set(python(code, PYGPU_BACKEND="cuda").stdout.split())
    assert not {"numpy", "PyGPU._codegen.reduction", "PyGPU.reduction", "PyGPU.scan"} & loaded


# ReductionKernel.


@settings(deadline=None, max_examples=40)
@given(views(), some.data())
def check_expressions(view, data):
    """Strided arrays find the elements that numpy finds: in turn, by an index, and behind one."""
    values, index, axes, _ = view
    values = np.nan_to_num(values.real).astype("i8")
    array = PyGPU.to_gpu(values)[index].transpose(axes)
    expected = array.get()
    flat = expected.ravel()
    at = np.random.default_rng(1).permutation(flat.size)
    lookup = PyGPU.to_gpu(np.repeat(at, 2).astype("i4"))[::2]
    in_turn = ReductionKernel("i8", "0", "a + b", "x[i] * y[i]", "long *x, const long *y")
    assert in_turn(array, array).item() == (flat * flat).sum()
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        return  # i counts in the order of memory
    weighted = ReductionKernel("i8", "0", "a + b", "x[i] * (long)i", "long *x")
    assert weighted(array).item() == (flat * np.arange(flat.size)).sum()
    turned = ReductionKernel("i8", 0, "a + b", "s * x[n - 1 - i] * y[at[i]]",
                             "const long *x, long s, long *y, int *at")  # fmt: skip
    assert turned(array, 3, array, lookup).item() == 3 * (flat[::-1] * flat[at]).sum()


def test_an_expression_finds_its_elements(device):
    check_expressions()


def test_f_order_alone_counts_in_memory_as_pycuda(device):
    values = np.arange(6).reshape(2, 3)
    kernel = ReductionKernel("i8", "0", "a + b", "x[i] * (long)i", "long *x")
    in_memory = device.to_gpu(np.asfortranarray(values))
    assert kernel(in_memory).item() == (values.T.ravel() * np.arange(6)).sum()


COLLECTOR = """
struct minmax_collector {
    float cur_min, cur_max;
    __device__ minmax_collector() {}
    __device__ minmax_collector(float low, float high) : cur_min(low), cur_max(high) {}
    __device__ minmax_collector(minmax_collector const &it)
        : cur_min(it.cur_min), cur_max(it.cur_max) {}
    __device__ minmax_collector(minmax_collector const volatile &it)
        : cur_min(it.cur_min), cur_max(it.cur_max) {}
    __device__ minmax_collector volatile &operator=(minmax_collector const &it) volatile {
        cur_min = it.cur_min;
        cur_max = it.cur_max;
        return *this;
    }
};
__device__ minmax_collector both(minmax_collector a, minmax_collector b) {
    return minmax_collector(fminf(a.cur_min, b.cur_min), fmaxf(a.cur_max, b.cur_max));
}
"""


def test_a_struct_with_members_of_its_own(device):
    """The form that PyCUDA's documentation shows: a class with volatile copies."""
    from PyGPU._codegen.c_types import get_or_register_dtype

    pair = get_or_register_dtype(
        "minmax_collector", np.dtype([("cur_min", np.float32), ("cur_max", np.float32)])
    )
    kernel = ReductionKernel(
        pair, "minmax_collector(10000, -10000)", "both(a, b)", "minmax_collector(x[i], x[i])",
        "float *x", preamble=COLLECTOR,
    )  # fmt: skip
    for size in (1, 500, 100_000):
        values = np.random.default_rng(size).random(size, "f4")
        assert kernel(device.to_gpu(values)).get().item() == (values.min(), values.max())


def test_wide_structs_get_smaller_blocks(device):
    from PyGPU._codegen.c_types import get_or_register_dtype

    row = get_or_register_dtype("row_of_64", np.dtype([("at", "i4", (64,))]))
    preamble = """
struct row_of_64 { int at[64]; };
__device__ row_of_64 all_of(int x) { row_of_64 r; for (int &one : r.at) one = x; return r; }
__device__ row_of_64 added(row_of_64 a, const row_of_64 &b) {
    for (int k = 0; k < 64; ++k) a.at[k] += b.at[k];
    return a;
}
"""
    kernel = ReductionKernel(
        row, "all_of(0)", "added(a, b)", "all_of(x[i])", "int *x", preamble=preamble
    )
    values = np.arange(3000, dtype="i4")
    assert set(kernel(device.to_gpu(values)).get()["at"].tolist()) == {values.sum()}


def test_out_is_one_element_anywhere(device):
    values = np.random.default_rng(9).random((4, 70_000), "f4")
    kernel = ReductionKernel(np.float32, 0, "max(a,b)", arguments="float *in")
    array, out = device.to_gpu(values), device.zeros(8, "f4")
    for row in range(4):
        assert kernel(array[row], out=out[2 * row]).ptr == out[2 * row].ptr
    assert (out.get()[::2] == values.max(1)).all() and not out.get()[1::2].any()
    assert kernel(array[0, :0], out=out).get()[0] == 0  # the neutral element
    with pytest.raises(ValueError, match="'out' must have an element of float32"):
        kernel(array, out=device.zeros(1, "f8"))


def test_complex_and_half_arguments(device):
    values = (np.arange(300) + 1j).astype("c8")
    kernel = ReductionKernel(
        np.complex64, "0", "a + b", "s * x[i] + conj(x[i])",
        "const pycuda::complex<float> *x, pycuda::complex<float> s",
    )  # fmt: skip
    assert kernel(device.to_gpu(values), 2 + 1j).item() == (values * (2 + 1j) + values.conj()).sum()
    kernel = ReductionKernel(np.float16, "0", "a + b", "x[i] * s", "const half *x, half s")
    assert kernel(device.to_gpu(np.ones(100, "f2")), 0.5).item() == 50


def test_what_may_write_or_hide_is_read_plainly(device):
    """An expression that writes, or that has i in a macro, sees the real array."""
    kernel = ReductionKernel("i4", "0", "a + b", "(x[i] += 1)", "int *x")
    array = device.to_gpu(np.zeros(1000, "i4"))
    assert kernel(array).item() == 1000 and (array.get() == 1).all()
    kernel = ReductionKernel(
        "i4", "0", "a + b", "x[i] * BEFORE", "int *x", preamble="#define BEFORE x[n - 1 - i]"
    )
    values = np.arange(1000, dtype="i4")
    assert kernel(device.to_gpu(values)).item() == (values * values[::-1]).sum()


def test_wrong_arguments_of_a_kernel(device):
    with pytest.raises(TypeError, match="'arguments' must be C declarations"):
        ReductionKernel("f4", "0", "a + b")
    with pytest.raises(ValueError, match="'arguments' must name an array"):
        ReductionKernel("f4", "0", "a + b", arguments="float x")
    kernel = ReductionKernel("f4", "0", "a + b", "s * x[i] + y[i]", "float s, float *x, float *y")
    x = device.ones(3, "f4")
    for values, message in (
        ((1, x), r"takes 3 arguments \(s, x, y\), got 2"),
        ((1, x, np.ones(3, "f4")), "parameter 'y' must be a GPUArray, not ndarray"),
        ((1, x, device.ones(3, "f8")), "parameter 'y' must be an array of float32, not of float64"),
        ((1, x, device.to_gpu(np.ones(3, ">f4"))), "'y' must be an array of float32, not of >f4"),
        (("1", x, x), "parameter 's' must be a number for float, not str"),
        ((1j, x, x), "parameter 's' must be a number for float, not complex"),
    ):
        with pytest.raises(TypeError, match=message):
            kernel(*values)
    with pytest.raises(ValueError, match="parameter 'y' has 2 elements, 'x' has 3"):
        kernel(1, x, x[1:])
    with pytest.raises(PyGPU.CompileError, match="nonsense"):
        ReductionKernel("f4", "0", "a + b", "nonsense(x[i])", "float *x")(x)


def test_numpys_functions_reduce_on_the_device(device):
    values = np.random.default_rng(11).integers(1, 9, (4, 5))
    array = device.to_gpu(values)
    for function in (
        np.sum,
        np.prod,
        np.max,
        np.min,
        np.mean,
        np.std,
        np.any,
        np.argmax,
        np.cumsum,
    ):
        for result, expected in (
            (function(array), function(values)),
            (function(array, axis=1), function(values, axis=1)),
        ):
            assert type(result) is device.GPUArray
            np.testing.assert_allclose(result.get(), expected, 1e-12)
    assert np.dot(array[0], array[1]).item() == np.vdot(values[0], values[1])
    with pytest.raises(TypeError, match="'out'"):
        np.sum(array, out=np.zeros(()))


def test_elements_that_devices_cannot_load_are_refused(device):
    odd = device.zeros(33, "u1")[1:].view("f4")
    half = device.zeros(34, "f4")[1:33].view("c8")  # complex numbers are loaded whole
    for call in (odd.sum, half.sum, half[::2].sum, half.cumsum):
        with pytest.raises(ValueError, match=r"multiples of [48] bytes"):
            call()


def test_the_order_of_memory_changes_no_product(device):
    x, v = np.arange(6).reshape(2, 3), device.arange(6)
    for order in "CF":
        a = device.to_gpu(np.array(x, order=order))
        assert device.gpuarray.dot(a, v).get() == x.ravel() @ np.arange(6)
        assert device.gpuarray.subset_sum(device.to_gpu(np.array([1])), a).get() == 1


def test_dtypes_that_a_result_cannot_have(device):
    a, z = device.ones(3, "f4"), device.ones(3, "c8")
    for call in (
        lambda: device.gpuarray.dot(z, a, dtype="f4"),
        lambda: a.std(dtype="i4"),
        lambda: a.var(dtype="c8"),
        lambda: a.sum(dtype=">f4"),
    ):
        with pytest.raises(TypeError, match="parameter 'dtype'"):
            call()
