"""Strided copies and fills within a device, by the kernels of PyGPU/_moves and by the host's loops.

On the host runtime its interpreter runs the kernels' PTX, so that the same text is tested
everywhere.
"""

from __future__ import annotations

import hypothesis.strategies as some
import numpy as np
import pytest
from hypothesis import given, settings

import PyGPU
from PyGPU._core import arrays

KERNELS, RECTANGLES = 1, 2  # of _set_copies(moves=...)
DTYPES = ("i1", "u2", ">i4", "f4", ">f8", "c16", "V3", "V12", "V16", "V24")
SLICES = (
    slice(None),
    slice(None, None, -1),
    slice(None, None, 2),
    slice(1, None),
    slice(None, None, -3),
)


@pytest.fixture(params=[0, KERNELS, RECTANGLES], ids=["by the table", "kernels", "rectangles"])
def moves(request, device):
    arrays._set_copies(moves=request.param)
    yield request.param
    arrays._set_copies()


@some.composite
def views(draw):
    """Values of some dtype, with an index and an order of axes."""
    count = draw(some.integers(1, 5))
    extents = some.sampled_from([1, 2, 3, 5, 17, 32, 70] if count < 3 else [1, 2, 3, 8, 17])
    shape = [draw(extents) for _ in range(count)]
    dtype = np.dtype(draw(some.sampled_from(DTYPES)))
    seed = draw(some.integers(0, 1 << 30))
    values = np.frombuffer(
        np.random.default_rng(seed).bytes(int(np.prod(shape)) * dtype.itemsize), dtype
    )
    index = tuple(draw(some.sampled_from(SLICES)) for _ in shape)
    return values.reshape(shape), index, draw(some.permutations(range(count)))


@settings(deadline=None, max_examples=60)
@given(views())
def check_views(view):
    values, index, axes = view
    array, expected = PyGPU.to_gpu(values), values[index].transpose(axes)
    seen = array[index].transpose(axes)
    compact = seen.copy("C")
    assert compact.get().tobytes() == seen.get().tobytes() == expected.tobytes()

    written, copy = PyGPU.to_gpu(values), values.copy()
    written[index].transpose(axes)[...] = compact
    copy[index].transpose(axes)[...] = expected
    assert written.get().tobytes() == copy.tobytes()
    if values.dtype.kind in "iufc":
        written[index] = copy[index] = 3
        assert written.get().tobytes() == copy.tobytes()
    line = (0,) * (values.ndim - 1)
    written[...], copy[...] = array[line], values[line]  # one line, again and again
    assert written.get().tobytes() == copy.tobytes()


def test_views_of_any_dtype(moves):
    check_views()


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8", "c16"])
@pytest.mark.parametrize(
    "shape", [(128, 256), (132, 260), (129, 257), (5, 68, 72), (3, 2, 40, 33)], ids=str
)
def test_transposes(moves, dtype, shape):
    values = np.random.default_rng(1).integers(0, 100, shape).astype(dtype)
    array = PyGPU.to_gpu(values)
    for axes in ((*range(len(shape) - 2), -1, -2), tuple(reversed(range(len(shape))))):
        turned = values.transpose(axes)
        assert np.array_equal(array.transpose(axes).copy("C").get(), turned)
        assert np.array_equal(
            array[..., ::-1].transpose(axes).copy("C").get(), values[..., ::-1].transpose(axes)
        )
        assert np.array_equal(
            array[..., 1:].transpose(axes).copy("C").get(), values[..., 1:].transpose(axes)
        )


def test_more_axes_than_a_kernel_has(moves):
    shape = (2,) * 12
    values = np.arange(4096, dtype="f4").reshape(shape)
    axes = tuple(reversed(range(12)))
    array = PyGPU.to_gpu(values)
    assert np.array_equal(array.transpose(axes).copy("C").get(), values.transpose(axes))
    array.transpose(axes)[..., ::1, :] = 7
    assert (array.get() == 7).all()


def test_moves_in_a_capture(moves):
    """Each launch of the graph moves the elements that are there then."""
    if moves == RECTANGLES:
        pytest.skip("rectangles can't transpose in a capture")
    stream = PyGPU.Stream()
    array, turned = PyGPU.zeros((300, 40), "f4"), PyGPU.zeros((40, 300), "f4")
    turned[...] = array.T  # the kernel may be loaded in a capture, too; the memory is there
    PyGPU.checked.cudaStreamBeginCapture(stream, PyGPU.cudaStreamCaptureModeGlobal)
    turned.set_async(array.T, stream)
    graph = PyGPU.checked.cudaStreamEndCapture(stream)
    executable = PyGPU.checked.cudaGraphInstantiate(graph, 0)
    for number in (1, 2):
        values = np.arange(12000, dtype="f4").reshape(300, 40) * number
        array.set(values)
        PyGPU.checked.cudaGraphLaunch(executable, stream)
        PyGPU.checked.cudaStreamSynchronize(stream)
        assert np.array_equal(turned.get(), values.T)
    PyGPU.checked.cudaGraphExecDestroy(executable)
    PyGPU.checked.cudaGraphDestroy(graph)
