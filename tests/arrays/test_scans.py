"""Running sums beside numpy's, and the scan kernels with what users write for them."""

from __future__ import annotations

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given, settings

import PyGPU
from PyGPU.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel

SIZES = (0, 1, 10, 3839, 3840, 3841, 100_003)  # a tile of a block has 3840 items of 4 bytes
SLICES = (slice(None), slice(None, None, -1), slice(1, None), slice(None, None, 2))


@some.composite
def views(draw):
    count = draw(some.integers(0, 3))
    shape = [draw(some.sampled_from([1, 2, 3, 8, 40, 500, 0])) for _ in range(count)]
    while np.prod(shape) > 30_000:
        shape.remove(max(shape))
    count = len(shape)
    generator = np.random.default_rng(draw(some.integers(0, 1 << 30)))
    dtype = draw(some.sampled_from(["?", "i1", "u4", "i8", "f2", "f4", "f8", "c8"]))
    values = generator.integers(0, 2, shape).astype(dtype)
    index = (*(draw(some.sampled_from(SLICES)) for _ in shape), Ellipsis)
    axis = draw(some.sampled_from([None, *range(count)]))
    return values, index, draw(some.permutations(range(count))), axis


@settings(deadline=None, max_examples=60)
@given(views())
def check_views(name, view):
    values, index, axes, axis = view
    exact = values.astype("f8") if values.dtype == "f2" else values  # numpy rounds each sum
    expected = getattr(np, name)(exact[index].transpose(axes), axis=axis)
    expected = expected.astype("f2") if values.dtype == "f2" else expected
    array = PyGPU.to_gpu(values)[index].transpose(axes)
    result = getattr(array, name)(axis)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    limit = 3 * np.finfo(expected.dtype).eps if expected.dtype.kind in "fc" else 0
    np.testing.assert_allclose(result.get(), expected, limit)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_running_sums_as_numpy(device, name):
    check_views(name)


@pytest.mark.parametrize("size", SIZES)
def test_inclusive_and_exclusive(device, size):
    """In place by default, as in PyCUDA; into another array; into a new one."""
    values = np.random.default_rng(size).integers(0, 10, size).astype("i4")
    sums = np.cumsum(values, dtype="i4")
    for kind, expected in ((InclusiveScanKernel, sums), (ExclusiveScanKernel, sums - values)):
        kernel = kind(np.int32, "a+b", "0")
        array = device.to_gpu(values)
        other = device.empty_like(array)
        assert kernel(array, other) is other and (array.get() == values).all()
        assert (other.get() == expected).all()
        new = kernel(array, "new", stream=device.Stream())
        assert (new.get() == expected).all() and new is not array
        assert kernel(array) is array and (array.get() == expected).all()


@pytest.mark.parametrize("size", [7, 30_000])
def test_an_expression_that_does_not_commute(device, size):
    """Affine maps, applied one after another: their order decides the result."""
    from PyGPU._codegen.c_types import get_or_register_dtype

    dtype = get_or_register_dtype("affine", np.dtype([("by", "u4"), ("plus", "u4")]))
    preamble = """
struct affine { unsigned by, plus; };
__device__ affine then(affine f, affine g) { return {g.by * f.by, g.by * f.plus + g.plus}; }
"""
    generator = np.random.default_rng(size)
    maps = np.zeros(size, dtype)
    maps["by"], maps["plus"] = generator.integers(0, 2**32, (2, size), "u4")
    kernel = InclusiveScanKernel(dtype, "then(a, b)", preamble=preamble)
    result = kernel(device.to_gpu(maps), "new").get()
    by, plus = 1, 0
    for one, seen in zip(maps.tolist(), result.tolist(), strict=True):
        by, plus = one[0] * by % 2**32, (one[0] * plus + one[1]) % 2**32
        assert seen == (by, plus)


def test_strided_arrays_in_c_order(device):
    values = np.arange(6000).reshape(60, 100)
    array, out = device.to_gpu(values), device.zeros((50, 60), "i8").T
    kernel = ExclusiveScanKernel(np.int64, "max(a, b)", -1)
    kernel(array[::-1, ::2], out)
    flat = values[::-1, ::2].ravel()
    expected = np.maximum.accumulate(np.concatenate([[-1], flat[:-1]]))
    assert (out.get().ravel() == expected).all()


@pytest.mark.parametrize("size", [100, 100_000])
def test_outputs_elsewhere_wait_for_all_inputs(device, size):
    """pyopencl's example writes each result where the next input was."""
    kernel = GenericScanKernel(np.int32, "int *ary", "ary[i]", "a+b", "0", "ary[i+1] = item;")
    values = np.random.default_rng(size).integers(0, 5, size + 1).astype("i4")
    array = device.to_gpu(values)
    kernel(array, size=size)
    assert (array.get()[1:] == np.cumsum(values[:-1])).all()


@pytest.mark.parametrize("size", [100, 100_000])
def test_choosing_elements(device, size):
    kernel = GenericScanKernel(
        np.int32, "int *x, int *out, int *count, int limit", "x[i] > limit ? 1 : 0", "a+b", "0",
        "if (prev_item != item) out[item-1] = x[i]; if (i + 1 == N) count[0] = item",
    )  # fmt: skip
    values = np.random.default_rng(size).integers(0, 100, size).astype("i4")
    out, count = device.zeros(size, "i4"), device.zeros(1, "i4")
    kernel(device.to_gpu(values), out, count, 50)
    chosen = values[values > 50]
    assert count.item() == chosen.size and (out.get()[: chosen.size] == chosen).all()


@pytest.mark.parametrize("output", ["y[i] = item", "y[i] = prev_item", "y[N - 1 - i] = prev_item"])
@pytest.mark.parametrize(
    ("dtype", "kind"), [("f4", "float"), ("u1", "unsigned char"), ("i8", "long")]
)
def test_segments(device, output, dtype, kind):
    kernel = GenericScanKernel(
        dtype, f"const {kind} *x, const int *starts, {kind} *y", "x[i]",
        "across_seg_boundary ? b : a+b", "0", output, "starts[i] > 0", index_dtype=np.int64,
    )  # fmt: skip
    for size in (10, 4000, 40_000):
        generator = np.random.default_rng(size)
        values = generator.integers(0, 3, size).astype(dtype)
        starts = (generator.random(size) < 0.02).astype("i4")
        y = device.zeros(size, dtype)
        kernel(device.to_gpu(values), device.to_gpu(starts), y)
        parts = np.split(values, np.flatnonzero(starts))
        sums = np.concatenate([np.cumsum(one, dtype=dtype) for one in parts])
        expected = sums if output.endswith("= item") else sums - values
        assert (y.get() == (expected[::-1] if "N" in output else expected)).all()


@pytest.mark.parametrize("size", [10, 20_000])
def test_neighbours_and_the_last_result(device, size):
    kernel = GenericScanKernel(
        np.int32, "const int *x, int *y", "before != now", "a+b", "0",
        "y[i] = item * 100000 + last_item",
        input_fetch_exprs=[("now", "x", 0), ("before", "x", -1)],
    )  # fmt: skip
    values = np.random.default_rng(size).integers(0, 2, size).astype("i4")
    y = device.zeros(size, "i4")
    kernel(device.to_gpu(values), y)
    changes = np.cumsum(np.concatenate([[False], values[1:] != values[:-1]]))
    assert (y.get() == (changes * 100_000 + changes[-1]).astype("i4")).all()


def test_wrong_arguments_of_scans(device):
    with pytest.raises(ValueError, match=r"ExclusiveScanKernel.*'neutral' is missing"):
        ExclusiveScanKernel(np.int32, "a+b")
    with pytest.raises(TypeError, match="parameter 'devices' must be None"):
        InclusiveScanKernel(np.int32, "a+b", devices=[0])
    with pytest.raises(TypeError, match="'index_dtype' must be a signed integer"):
        GenericScanKernel("i4", "int *x", "x[i]", "a+b", 0, "x[i] = item", index_dtype=np.uint32)
    with pytest.raises(ValueError, match="offset of 'next' must be 0 or -1, not 1"):
        GenericScanKernel(
            "i4", "int *x", "next", "a+b", 0, "x[i] = item", input_fetch_exprs=[("next", "x", 1)]
        )
    with pytest.raises(ValueError, match="last_item can't be used in a segmented scan"):
        GenericScanKernel("i4", "int *x", "x[i]", "b", 0, "x[i] = last_item", "x[i] > 0")
    kernel, x = InclusiveScanKernel(np.int32, "a+b"), device.zeros(5, "i4")
    with pytest.raises(ValueError, match="'output_ary' must have the input's shape"):
        kernel(x, x[1:])
    with pytest.raises(ValueError, match="'output_ary' must be an array, None or 'new', not 'old'"):
        kernel(x, "old")
    with pytest.raises(TypeError, match="'input_ary' must be an array of int32, not of float64"):
        kernel(device.zeros(5, "f8"))
    with pytest.raises(TypeError, match="'input_ary' must be a GPUArray, not ndarray"):
        kernel(np.zeros(5, "i4"))
    both = GenericScanKernel("i4", "const int *x, int *y", "x[i]", "a+b", 0, "y[i] = item")
    with pytest.raises(ValueError, match="parameter 'y' has 4 elements, not 5"):
        both(x, x[1:])
    shared = GenericScanKernel("i4", "int *x, int *y", "x[i]", "a+b", 0, "y[i] = item")
    with pytest.raises(ValueError, match="'x' and 'y' share memory: declare"):
        shared(x[:-1], x[1:])
    with pytest.raises(TypeError, match=r"cumsum\(\): parameter 'axis' must be one axis"):
        device.zeros((2, 3)).cumsum((0, 1))


def test_outputs_that_share_memory_with_the_input(device):
    """More than one tile: blocks must not read what others have written."""
    from PyGPU.scan import InclusiveScanKernel

    scan, x = InclusiveScanKernel(np.int64, "a+b"), np.arange(3001)
    a, due = device.to_gpu(x), x.copy()
    scan(a[:-1], a[1:])
    due[1:] = np.cumsum(x[:-1])
    assert (a.get() == due).all()
    a = device.to_gpu(x)
    scan(a, a[::-1])
    assert (a.get() == np.cumsum(x)[::-1]).all()


def test_arguments_may_have_the_names_of_expressions(device):
    from PyGPU.scan import GenericScanKernel

    x, out = device.to_gpu(np.ones(10, "i4")), device.zeros(10, "i4")
    declared = "const int *x, int *out, int "
    GenericScanKernel(np.int32, declared + "a", "x[i]+a", "a+b", "0", "out[i]=item")(x, out, 2)
    assert out.get().tolist() == list(range(3, 33, 3))
    scan = GenericScanKernel(
        np.int32, declared + "start", "x[i]", "across_seg_boundary ? b : a+b", "0", "out[i]=item",
        is_segment_start_expr="i == start",
    )  # fmt: skip
    scan(x, out, 5)
    assert out.get().tolist() == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]


def test_arrays_that_a_kernel_cannot_take(device):
    from PyGPU.scan import InclusiveScanKernel

    scan = InclusiveScanKernel(np.float32, "a+b")
    odd = device.zeros(33, "u1")[1:].view("f4")
    for call in (lambda: scan(odd), lambda: scan(device.zeros(8, "f4"), odd)):
        with pytest.raises(ValueError, match="multiples of 4 bytes"):
            call()
    if device.backend == "host":
        locked = np.zeros(4, "f4")
        locked.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            scan(device.ones(4, "f4"), device.from_dlpack(locked))
