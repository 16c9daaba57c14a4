"""GPUArray beside numpy: the same random operations on both give equal elements."""

from __future__ import annotations

import os
import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DTYPES = ["i1", "u2", "<i4", ">i4", "i8", "f2", "f4", "f8", "c8", "c16", "?", "S3", "M8[s]"]
DTYPES += [[("a", "i2"), ("b", "f8")], [("a", "u1", (2,)), ("b", "<i4")]]
CASES = settings(
    max_examples=1000 if os.environ.get("PYGPU_BACKEND") == "host" else 200,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

extents = st.sampled_from([2, 3, 4, 5, 6, 7, 3, 4, 5, 7, 1, 1, 0])
shapes = st.lists(extents, max_size=5).map(tuple)


def values(shape, dtype, seed):
    """Random elements of any dtype: random bytes, made valid for it."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    count = int(np.prod(shape, dtype=int))
    raw = generator.integers(0, 2 if kind == "?" else 100, count * kind.itemsize, dtype=np.uint8)
    return np.frombuffer(raw.tobytes(), kind).reshape(shape)


# Choices are drawn evenly. By itself hypothesis prefers simple cases, few of them strided or
# backwards.
chance = st.randoms(use_true_random=True)


def index_of(chance, shape):
    """Ints, slices with any step, Ellipsis, newaxis; never more than there are axes."""
    parts = []
    for extent in shape[: chance.randint(0, len(shape))]:
        if extent and chance.random() < 0.25:
            parts.append(chance.randrange(-extent, extent))
        else:
            ends = [None, None, None, chance.randint(-extent - 2, extent + 2)]
            step = chance.choice([None, 1, -1, 2, -2, 3, -3, 100])
            parts.append(slice(chance.choice(ends), chance.choice(ends), step))
    for _ in range(chance.choice([0, 0, 1, 2])):
        parts.insert(chance.randint(0, len(parts)), None)
    if chance.random() < 0.5:
        parts.insert(chance.randint(0, len(parts)), Ellipsis)
        try:
            np.empty(shape, "i1")[tuple(parts)]
        except IndexError:  # an int that was drawn for another axis
            return Ellipsis
    if len(parts) == 1 and chance.random() < 0.5:
        return parts[0]
    return tuple(parts)


def step_of(chance, view):
    """A function that makes the same view of an array of either kind."""
    what = chance.choice(["index", "index", "transpose", "reshape", "ravel", "T", "squeeze"])
    if what == "index":
        key = index_of(chance, view.shape)
        return lambda a: a[key] if a.ndim or key != () else a
    if what == "transpose":
        axes = chance.sample(range(view.ndim), view.ndim)
        return lambda a: a.transpose(axes)
    order = chance.choice("CF")
    if what == "reshape":
        target = chance.sample(view.shape, view.ndim) if chance.random() < 0.5 else [-1]
        return lambda a: a.reshape(target, order=order)
    if what == "ravel":
        return lambda a: a.ravel(order)
    return (lambda a: a.T) if what == "T" else (lambda a: a.squeeze())


def program_of(chance):
    """A numpy array, and steps from it to a view."""
    shape = [chance.choice([1, 2, 3, 4, 5, 6, 7, 3, 4, 5]) for _ in range(chance.randint(0, 5))]
    if shape and chance.random() < 0.1:
        shape[chance.randrange(len(shape))] = 0
    start = values(tuple(shape), chance.choice(DTYPES), chance.getrandbits(32))
    if chance.random() < 0.5 and start.ndim > 1:
        start = np.asfortranarray(start)
    steps = []
    view = start
    for _ in range(chance.randint(0, 3)):
        steps.append(step_of(chance, view))
        view = steps[-1](view)
        if not isinstance(view, np.ndarray):  # numpy gives a scalar where a GPUArray has no axes
            break
    return start, steps


programs = chance.map(program_of)


def run(array, steps):
    for step in steps:
        array = step(array)
    return array


def views_of(theirs, mine, steps):
    """The views that the steps make of both arrays, up to the first one that numpy copies."""
    target, view = theirs, mine
    for step in steps:
        further = step(target)
        if not isinstance(further, np.ndarray) or not np.may_share_memory(further, theirs):
            break
        target, view = further, step(view)
    return target, view


def same(got, wanted):
    if not isinstance(wanted, np.ndarray):  # numpy's scalars are in native byte order
        wanted = np.asarray(wanted).astype(got.dtype)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    assert got.tobytes() == wanted.tobytes()


@given(programs)
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


def as_pycuda_views(array, strides, dtype):
    """PyCUDA's view(): the axis of the smallest stride is rescaled. Here by numpy, as the last."""
    axis = min(range(array.ndim), key=lambda at: abs(strides[at]))
    return np.moveaxis(np.moveaxis(array, axis, -1).view(dtype), -1, axis)


@given(programs, st.sampled_from([*DTYPES, "u1", "V2", "S", "V", ("u1", (2,)), ("i2", (2, 1))]))
@CASES
def test_views_of_other_dtypes_are_numpys(device, program, dtype):
    """Where numpy refuses because the last axis isn't contiguous, PyCUDA's rule holds."""
    start, steps = program
    start = start.copy(order="K")  # without gaps, so that the strides are the same on the device
    theirs, mine = views_of(start, device.to_gpu(start), steps)
    try:
        wanted = theirs.view(dtype)
    except (TypeError, ValueError):
        last_axis = theirs.ndim and (
            theirs.shape[-1] == 1 or not theirs.size or theirs.strides[-1] == theirs.itemsize
        )
        try:
            if last_axis or not theirs.ndim:
                raise
            wanted = as_pycuda_views(theirs, mine.strides, dtype)
        except (TypeError, ValueError):
            with pytest.raises((TypeError, ValueError)):
                mine.view(dtype)
            return
    got = mine.view(dtype)
    same(got.get(), wanted)
    assert not got.size or got.ptr == mine.ptr


@given(chance)
@CASES
def test_assignments_are_numpys(device, chance):
    start, steps = program_of(chance)
    theirs = start.copy(order="K")
    mine = device.to_gpu(theirs)
    target, view = views_of(theirs, mine, steps)
    key = index_of(chance, target.shape)
    part = target[key]
    shape = np.shape(part)
    kept = [extent if chance.random() < 0.7 else 1 for extent in shape]
    value = values(tuple(kept), start.dtype, chance.getrandbits(32))
    kind = chance.choice(["numpy", "strided", "array", "scalar"])
    while value.ndim and value.shape[0] == 1 and chance.random() < 0.5:
        value = value[0]  # values with fewer or more axes are broadcast too
    if isinstance(part, np.ndarray) and value.ndim == part.ndim and chance.random() < 0.2:
        value = value[None, None]
    if kind == "strided" and value.ndim:
        doubled = np.repeat(value, 2, axis=value.ndim - 1)
        value = doubled[..., ::2]
    if kind == "scalar":
        value = values((), start.dtype, 1)[()]
    target[key] = value
    view[key] = device.to_gpu(np.asarray(value, start.dtype)) if kind == "array" else value
    same(mine.get(), theirs)


@st.composite
def overlaps(draw):
    """An array, and two views of it with equal shapes that may share elements."""
    shape = tuple(draw(st.lists(st.integers(2, 9), min_size=1, max_size=3)))
    start = values(shape, draw(st.sampled_from(DTYPES)), draw(st.integers(0, 2**32)))
    start = np.asarray(start, order=draw(st.sampled_from("CF")))
    to, source = [], []
    for extent in shape:
        shift, step = draw(st.integers(0, extent - 1)), draw(st.sampled_from([1, 1, 2]))
        one = slice(None, extent - shift, step)
        other = slice(shift, None, step)
        if draw(st.booleans()):
            one, other = other, one
        to.append(one)
        source.append(other)
    turned = draw(st.sets(st.integers(0, len(shape) - 1)))

    def turn(view):
        return view[
            tuple(slice(None, None, -1 if axis in turned else 1) for axis in range(view.ndim))
        ]

    return start, tuple(to), tuple(source), turn


@given(overlaps())
@CASES
def test_views_of_one_array_assigned_to_each_other(device, case):
    start, to, source, turn = case
    theirs, mine = start.copy(order="K"), device.to_gpu(start)
    theirs[to] = turn(theirs[source])
    mine[to] = turn(mine[source])
    same(mine.get(), theirs)
    if start.ndim > 1:
        square = tuple(slice(min(start.shape)) for _ in start.shape)
        theirs[square] = theirs[square].T
        mine[square] = mine[square].T
        same(mine.get(), theirs)


def test_the_programs_reach_what_they_are_for():
    """Enough programs end in each kind of view, so that the comparisons mean something."""
    seen = Counter()

    @given(programs)
    @settings(CASES, max_examples=500)
    def look(program):
        start, steps = program
        view = np.asarray(run(start, steps))
        kind = start.dtype
        seen.update(
            name
            for name, is_so in {
                "empty": not view.size,
                "without axes": not view.ndim,
                "a view": np.may_share_memory(view, start) and bool(steps),
                "torn": view.size > 1 and not view.flags.forc,
                "torn in three axes": not view.flags.forc and sum(e > 1 for e in view.shape) > 2,
                "backwards": any(s < 0 for s in view.strides),
                "a new axis": any(not s for s in view.strides),
                "of F order": start.flags.f_contiguous and not start.flags.c_contiguous,
                "large": view.size > 50,
                "structured": bool(kind.names),
                "swapped": not kind.isnative,
                **{str(one): kind == one for one in ("float16", "complex64", "bool", "M8[s]")},
            }.items()
            if is_so
        )

    look()
    rare = {name: count for name, count in seen.items() if count < 10}
    assert len(seen) == 15, seen
    assert not rare, seen


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
        on_device = device.to_gpu(value)
        array[...] = on_device
        same(array.get(), on_device.astype(mine).get())  # test_astype.py has numpy beside it


@given(programs, st.integers(0, 255), st.booleans())
@settings(CASES, max_examples=200)
def test_fill(device, program, byte, uniform):
    start, steps = program
    theirs = start.copy(order="K")
    mine = device.to_gpu(theirs)
    target, view = views_of(theirs, mine, steps)
    if start.dtype == bool:
        return
    pattern = bytes([byte] * start.itemsize) if uniform else bytes(range(start.itemsize))
    value = np.frombuffer(pattern, start.dtype)[0] if start.itemsize else None
    target.fill(value)
    view.fill(value)
    same(mine.get(), theirs)


JOINED = ["f4", "f8", "c8", "i2", "u1", ">f4", ">c16", ">u2", ">M8[s]", "S3"]


@given(st.sampled_from(JOINED), shapes, st.sampled_from("CF"), st.data())
@settings(CASES, max_examples=200)
def test_joining(device, dtype, shape, order, data):
    """The result is in the machine's byte order, also of arrays in the other one."""
    if not shape:
        return
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    parts = []
    for seed in range(data.draw(st.integers(1, 3))):
        extents = list(shape)
        extents[axis] = data.draw(st.integers(0, 4))
        part = np.asarray(values(tuple(extents), dtype, seed), order=order)
        parts.append(
            part.astype(part.dtype.newbyteorder("S")) if data.draw(st.booleans()) else part
        )
    arrays = [device.to_gpu(part) for part in parts]
    same(device.concatenate(arrays, axis).get(), np.concatenate(parts, axis))
    equal = [parts[0]] * 2
    same(device.stack([arrays[0]] * 2, axis).get(), np.stack(equal, axis))


def test_large_strided_copies_take_every_way(device):
    """Shapes that need staging, 3-D copies, separately copied runs, and doubling."""
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
# Plain numbers on both sides of each limit. Numbers inside the limits don't go through numpy.
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
