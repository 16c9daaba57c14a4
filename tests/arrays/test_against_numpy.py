"""GPUArray beside numpy: the same random operations on both give the same elements."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DTYPES = ["i1", "u2", "<i4", ">i4", "i8", "f2", "f4", "f8", "c8", "c16", "?", "S3", "M8[s]"]
DTYPES += [[("a", "i2"), ("b", "f8")], [("a", "u1", (2,)), ("b", "<i4")]]
CASES = settings(
    max_examples=500,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

shapes = st.lists(st.integers(0, 7), max_size=5).map(tuple)


def values(shape, dtype, seed):
    """Random elements of any dtype: random bytes, made valid."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    count = int(np.prod(shape, dtype=int))
    raw = generator.integers(0, 2 if kind == "?" else 100, count * kind.itemsize, dtype=np.uint8)
    return np.frombuffer(raw.tobytes(), kind).reshape(shape)


@st.composite
def indices(draw, shape):
    """Ints, slices with any step, Ellipsis, newaxis; never too many."""
    parts = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        if extent and draw(st.booleans()):
            parts.append(draw(st.integers(-extent, extent - 1)))
        else:
            step = draw(st.sampled_from([None, 1, 2, 3, -1, -2, -3, 100]))
            bounds = st.none() | st.integers(-extent - 2, extent + 2)
            parts.append(slice(draw(bounds), draw(bounds), step))
    for _ in range(draw(st.integers(0, 2))):
        parts.insert(draw(st.integers(0, len(parts))), None)
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), Ellipsis)
        try:
            np.empty(shape, "i1")[tuple(parts)]
        except IndexError:  # an int that was drawn for another axis
            return Ellipsis
    if len(parts) == 1 and draw(st.booleans()):
        return parts[0]
    return tuple(parts)


@st.composite
def programs(draw):
    """A numpy array and views of it: functions that make the same view of either kind."""
    shape, dtype = draw(shapes), draw(st.sampled_from(DTYPES))
    start = values(shape, dtype, draw(st.integers(0, 2**32)))
    if draw(st.booleans()) and start.ndim > 1:
        start = np.asfortranarray(start)
    steps = []
    view = start
    for _ in range(draw(st.integers(0, 3))):
        what = draw(st.sampled_from(["index", "transpose", "reshape", "T", "squeeze", "ravel"]))
        if what == "index":
            key = draw(indices(view.shape))
            steps.append(lambda a, key=key: a[key] if a.ndim or key != () else a)
        elif what == "transpose":
            axes = draw(st.permutations(range(view.ndim)))
            steps.append(lambda a, axes=axes: a.transpose(axes))
        elif what == "reshape":
            order = draw(st.sampled_from("CF"))
            target = draw(st.permutations(view.shape)) if draw(st.booleans()) else [-1]
            if view.size == 0 and target == [-1]:
                target = [0]
            steps.append(lambda a, t=tuple(target), o=order: a.reshape(t, order=o))
        elif what == "ravel":
            order = draw(st.sampled_from("CF"))
            steps.append(lambda a, o=order: a.ravel(o) if a.size else a)
        else:
            steps.append((lambda a: a.T) if what == "T" else (lambda a: a.squeeze()))
        view = steps[-1](view)
        if not isinstance(view, np.ndarray):  # a scalar, where a GPUArray has no axes
            view = np.asarray(view)
            break
    return start, steps


def run(array, steps):
    for step in steps:
        array = step(array)
    return array


def same(got, wanted):
    if not isinstance(wanted, np.ndarray):  # numpy's scalars are in native byte order
        wanted = np.asarray(wanted).astype(got.dtype)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    assert got.tobytes() == wanted.tobytes()


@given(programs())
@CASES
def test_views_are_numpys(device, program):
    start, steps = program
    mine = device.to_gpu(start)
    wanted, got = run(start, steps), run(mine, steps)
    same(got.get(), wanted)
    if isinstance(wanted, np.ndarray) and wanted.base is start and start.flags.c_contiguous:
        assert got.strides == wanted.strides or 1 in got.shape or not got.size
    copy = got.copy()
    same(copy.get(), wanted)
    if isinstance(wanted, np.ndarray):
        assert copy.flags.forc == np.copy(wanted, order="K").flags.forc
    same(got.get(np.empty(got.shape, got.dtype, order="F")), wanted)


@given(programs(), st.data())
@CASES
def test_assignments_are_numpys(device, program, data):
    start, steps = program
    theirs = start.copy(order="K")
    mine = device.to_gpu(theirs)
    view = mine
    target = theirs
    for step in steps:
        before = target
        target, view = step(target), step(view)
        if not isinstance(target, np.ndarray) or not np.may_share_memory(target, theirs):
            target, view = before, None
            break
    if view is None:
        return
    key = data.draw(indices(target.shape))
    part = target[key]
    shape = np.shape(part)
    kept = [e if data.draw(st.booleans()) else 1 for e in shape]
    value = values(tuple(kept), start.dtype, data.draw(st.integers(0, 2**32)))
    kind = data.draw(st.sampled_from(["numpy", "strided", "array", "scalar", "overlap"]))
    if kind == "strided" and value.ndim:
        doubled = np.repeat(value, 2, axis=value.ndim - 1)
        value = doubled[..., ::2]
    if kind == "scalar":
        value = values((), start.dtype, 1)[()]
    if kind == "overlap":
        if target.ndim and not isinstance(key, tuple) and np.shape(target[::-1][key]) == shape:
            view[key] = view[::-1][key]
            target[key] = np.array(target[::-1][key])
            same(mine.get(), theirs)
        return
    target[key] = value
    view[key] = device.to_gpu(value) if kind == "array" else value
    same(mine.get(), theirs)


NUMBERS = ["i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16", "?"]


@given(st.sampled_from(NUMBERS), st.sampled_from(NUMBERS), shapes, st.integers(0, 2**32))
@settings(CASES, max_examples=150)
def test_assignment_converts_as_numpy_does(device, mine, other, shape, seed):
    theirs = values(shape, mine, seed).copy()
    array = device.to_gpu(theirs)
    value = values(shape, other, seed + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs[...] = value
        array[...] = value
        same(array.get(), theirs)
        array[...] = device.to_gpu(value)
        same(array.get(), theirs)


@given(programs(), st.integers(0, 255), st.booleans())
@settings(CASES, max_examples=200)
def test_fill(device, program, byte, uniform):
    start, steps = program
    theirs = start.copy(order="K")
    mine = device.to_gpu(theirs)
    target, view = theirs, mine
    for step in steps:
        target, view = step(target), step(view)
        if not isinstance(target, np.ndarray) or not np.may_share_memory(target, theirs):
            return
    if start.dtype.hasobject or start.dtype == bool:
        return
    pattern = bytes([byte] * start.itemsize) if uniform else bytes(range(start.itemsize))
    value = np.frombuffer(pattern, start.dtype)[0] if start.itemsize else None
    target.fill(value)
    view.fill(value)
    same(mine.get(), theirs)


@given(st.sampled_from(["f4", "f8", "c8", "i2", "u1"]), shapes, st.sampled_from("CF"), st.data())
@settings(CASES, max_examples=200)
def test_joining(device, dtype, shape, order, data):
    if not shape:
        return
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    parts = []
    for seed in range(data.draw(st.integers(1, 3))):
        extents = list(shape)
        extents[axis] = data.draw(st.integers(0, 4))
        parts.append(np.asarray(values(tuple(extents), dtype, seed), order=order))
    arrays = [device.to_gpu(part) for part in parts]
    same(device.concatenate(arrays, axis).get(), np.concatenate(parts, axis))
    equal = [parts[0]] * 2
    same(device.stack([arrays[0]] * 2, axis).get(), np.stack(equal, axis))


def test_large_strided_copies_take_every_way(device):
    """Shapes that reach staging, 3-D copies, stretches picked apart, doubling."""
    base = np.arange(64 * 50 * 60, dtype="i2").reshape(64, 50, 60)
    mine = device.to_gpu(base)
    for key in (
        np.s_[:, :, ::7],
        np.s_[::3, ::5, 1:40],
        np.s_[::-1, ::-2, ::-3],
        np.s_[5:60:2, :, 3],
        np.s_[:, 2, ::59],
    ):
        for axes in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
            full = key if base[key].ndim == 3 else None
            view, wanted = mine[key], base[key]
            if full is not None:
                view, wanted = view.transpose(axes), wanted.transpose(axes)
            same(view.get(), wanted)
            same(view.copy("C").get(), wanted)
            target, theirs = device.to_gpu(base), base.copy()
            part = target[key].transpose(axes) if full is not None else target[key]
            mirror = theirs[key].transpose(axes) if full is not None else theirs[key]
            part[...] = view
            mirror[...] = wanted
            part[...] = np.ascontiguousarray(wanted)[..., :1]
            mirror[...] = np.ascontiguousarray(wanted)[..., :1]
            same(target.get(), theirs)
            part[...] = device.to_gpu(np.ascontiguousarray(wanted)[:1])
            mirror[...] = np.ascontiguousarray(wanted)[:1]
            same(target.get(), theirs)
            part.fill(258)
            mirror.fill(258)
            same(target.get(), theirs)


def test_memory_with_strides_that_overlap(device):
    memory = device.to_gpu(np.arange(1000, dtype="u1"))
    windows = device.GPUArray((600, 5), "u1", gpudata=memory.gpudata, strides=(1, 1))
    wanted = np.lib.stride_tricks.sliding_window_view(np.arange(1000, dtype="u1"), 5)[:600]
    same(windows.get(), wanted)
    same(windows[::-1, ::2].get(), wanted[::-1, ::2])
    repeated = device.GPUArray((3, 4), "u1", gpudata=memory.gpudata, strides=(0, 1))
    same(repeated.get(), np.arange(4, dtype="u1") + np.zeros((3, 1), "u1"))
    with pytest.raises(ValueError, match="gpudata"):
        device.GPUArray((1001,), "u1", gpudata=memory.gpudata)


VALUES = [0, 1, -1, 300, 1 << 40, 1 << 70, 2.5, float("inf"), 1j, True, None, b"abc", "2.5", "text"]
VALUES += [[1, 2, 3], [300, -1, 2], [[1.5], [2]], (1, 2), [[1], [1, 2]], object(), np.int64(300)]
VALUES += [np.float32(1.5), np.arange(3), np.array(7), np.datetime64("2020-02-02"), "2020-02-02"]
# Plain numbers on both sides of every limit: those inside don't go through numpy.
VALUES += [
    sign * (2**bits - less)
    for bits in (7, 8, 31, 53, 63, 64)
    for less in (0, 1)
    for sign in (1, -1)
]
VALUES += [2**53 + 1, -0.0, 0.1, -7.9, 65520.0, 3.4e38, 3.5e38, 1e300, 1e-46, float("nan"), False]


def outcome(assign, array):
    """The elements afterwards, or the class of the exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            assign(array)
        except Exception as error:
            return type(error)
    return (array.get() if hasattr(array, "get") else array).tobytes()


@pytest.mark.parametrize("dtype", [*DTYPES, *"BhHILQ", ">f8"], ids=str)
def test_any_value_is_taken_or_refused_as_by_numpy(device, dtype):
    for value in VALUES:
        theirs, mine = np.zeros((2, 3), dtype), device.zeros((2, 3), dtype)

        def assign(array, value=value):
            array[:, ::-1] = value

        assert outcome(assign, mine) == outcome(assign, theirs), value

        def fill(array, value=value):
            array.fill(value)

        assert outcome(fill, mine) == outcome(fill, theirs), value
