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
from PyGPU import _moves
from PyGPU._arrays import base
from PyGPU._core import arrays
from tests.own_interpreter import own_interpreter

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


def test_single_bytes(moves):
    array = PyGPU.zeros(1, "u1")
    array.fill(7)
    assert PyGPU.concatenate([array, array]).get().tolist() == [7, 7]


def test_joined_arrays(moves):
    """More than one launch takes, of uneven extents, and one of them twice."""
    values = [np.arange(3 * n, dtype="f4").reshape(3, n) for n in range(1, 21)]
    parts = [PyGPU.to_gpu(one) for one in values]
    parts, values = [*parts, parts[3]], [*values, values[3]]
    assert np.array_equal(PyGPU.concatenate(parts, 1).get(), np.concatenate(values, 1))
    turned = [one.T for one in parts]
    assert np.array_equal(PyGPU.concatenate(turned).get(), np.concatenate([v.T for v in values]))
    assert np.array_equal(PyGPU.stack(parts[3:4] * 5, 2).get(), np.stack(values[3:4] * 5, 2))


def test_arrays_are_joined_by_the_shapes_that_they_have(device):
    """Not by those that a derived class reports."""

    class Lying(PyGPU.GPUArray):
        shape = property(lambda self: (2,))

    lying = Lying(4096, "f4")
    lying.fill(1)
    joined = PyGPU.concatenate([lying, lying])
    assert joined.shape == (8192,)
    assert (joined.get() == 1).all()


def test_only_arrays_that_fit_are_joined_at_once(device):
    one, other, large = PyGPU.zeros((2, 3)), PyGPU.zeros((2, 2)), PyGPU.zeros((2, 3), "f4")
    assert base.join([one, other], 1, False, None).shape == (2, 5)
    assert base.join((one, one), -1, True, None).shape == (2, 3, 2)
    for arrays_, axis, is_new in [
        ([one, other], 0, False),
        ([one, other], 0, True),
        ([one, one], 2, False),
        ([one, one], 1 << 70, False),
        ([one, large], 0, False),
        ([one, one.get()], 0, False),
        ([], 0, False),
        (iter([one]), 0, False),
        ([PyGPU.zeros(())], 0, False),
    ]:
        assert base.join(arrays_, axis, is_new, None) is None


TURNED = np.arange(1200, dtype="f4").reshape(30, 40)


@own_interpreter(PYGPU_BACKEND="host")
def test_without_kernels_the_rectangles_serve():
    arrays._set_copies(moves=KERNELS)
    asked = []
    _moves.image = lambda name: asked.append(name)
    for _ in range(2):
        assert np.array_equal(PyGPU.to_gpu(TURNED).T.copy("C").get(), TURNED.T)
        assert np.array_equal(PyGPU.to_gpu(TURNED).T.get(), TURNED.T)
    assert asked == ["transpose_4"]


@own_interpreter(PYGPU_BACKEND="host")
def test_a_kernel_is_loaded_only_where_it_is_used():
    """Not for rows that the runtime copies over the bus, nor for the few bytes of a small range."""
    arrays._set_copies(moves=KERNELS)
    asked = []
    _moves.image = lambda name: asked.append(name)
    wide = np.zeros((4096, 256), "u1")
    for view in (np.s_[:, :128], np.s_[:64, ::2]):
        assert np.array_equal(PyGPU.to_gpu(wide)[view].get(), wide[view])
    assert not asked


@own_interpreter(PYGPU_BACKEND="host")
def test_an_interrupt_while_a_kernel_is_loaded_is_raised():
    arrays._set_copies(moves=KERNELS)
    image, asked = _moves.image, []

    def interrupted(name):
        asked.append(name)
        if len(asked) == 1:
            raise KeyboardInterrupt
        return image(name)

    _moves.image = interrupted
    array = PyGPU.to_gpu(TURNED)

    def copy():
        array.T.copy("C")
        for _ in range(1000):  # at the latest here
            pass

    with pytest.raises(KeyboardInterrupt):
        copy()
    assert np.array_equal(array.T.copy("C").get(), TURNED.T)
    assert asked == ["transpose_4"] * 2


@own_interpreter(PYGPU_BACKEND="host", PYGPU_PER_THREAD_DEFAULT_STREAM="1")
def test_moves_on_the_threads_own_default_stream():
    arrays._set_copies(moves=KERNELS)
    array, turned = PyGPU.to_gpu(TURNED), PyGPU.zeros((40, 30), "f4")
    turned[...] = array.T
    own = PyGPU.cudaStream_t(2)  # cudaStreamPerThread
    PyGPU.checked.cudaStreamBeginCapture(own, PyGPU.cudaStreamCaptureModeGlobal)
    turned.set_async(array.T, 0)
    graph = PyGPU.checked.cudaStreamEndCapture(own)
    (_,) = PyGPU.checked.cudaGraphGetNodes(graph)
