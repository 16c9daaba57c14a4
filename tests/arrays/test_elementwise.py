"""ElementwiseKernel: loops of the user's C++, over arrays that lie in any way."""

from __future__ import annotations

import pickle

import numpy as np
import pytest


@pytest.fixture
def kernel(device):
    from PyGPU.elementwise import ElementwiseKernel

    return ElementwiseKernel


def test_a_line_of_c_runs_for_each_element(device, kernel):
    scale = kernel("float *z, float a, const float *x", "z[i] = a * x[i] + z[i]", "scale")
    x = np.arange(1000, dtype="f4")
    a, z = device.to_gpu(x), device.ones(1000, "f4")
    assert scale(z, 2, a) is None
    scale(z, np.float32(0.5), a)
    assert (z.get() == 2.5 * x + 1).all()


@pytest.mark.parametrize("dtype", ["?", "b", "H", "i", "L", "e", "f", "d", "F", "D"])
def test_packs_of_elements_and_the_rest_are_all_there(device, kernel, dtype):
    """Aligned arrays go by 16 bytes; others, and the last elements, one by one."""
    from PyGPU.tools import VectorArg

    copy = kernel([VectorArg(dtype, "z"), VectorArg(dtype, "x", True)], "z[i] = x[i]", "copy")
    for count, start in ((1, 0), (15, 0), (4099, 0), (4096, 0), (1000, 1)):
        x = np.arange(count + start).astype(dtype)
        z = device.zeros(count + start, dtype)
        copy(z[start:], device.to_gpu(x)[start:])
        assert (z.get()[start:] == x[start:]).all()
        assert not z.get()[:start].any()


def test_strides_are_followed_and_i_counts_in_c_order(device, kernel):
    number = kernel("long *z, const long *x", "z[i] = x[i] * 1000 + i", "number")
    x = np.arange(24).reshape(2, 3, 4)
    index = np.arange(24).reshape(2, 3, 4)
    for view in (
        np.s_[...], np.s_[:, ::-1], np.s_[:, :, ::2], np.s_[::-1, 1:, ::-2], np.s_[:, 1], np.s_[1],
    ):  # fmt: skip
        a, z = device.to_gpu(x)[view], device.zeros((2, 3, 4), "i8")[view]
        number(z, a)
        shape = x[view].shape
        due = x[view] * 1000 + np.arange(x[view].size).reshape(shape)
        assert (z.get() == due).all(), view
    turned, z = device.to_gpu(x).T, device.zeros((4, 3, 2), "i8")
    number(z, turned)
    assert (z.get() == x.T * 1000 + np.arange(24).reshape(4, 3, 2)).all()
    z = device.zeros((2, 3, 4), "i8").T  # one run of memory in the same order: i counts there
    number(z, turned)
    assert (z.get() == (x * 1000 + index).T).all()


def test_arrays_of_other_shapes_are_tables(device, kernel):
    look_up = kernel("int *z, const int *x, const int *table", "z[i] = table[x[i] % 3]", "look_up")
    table = np.array([10, 20, 30], "i4")
    x = np.arange(20, dtype="i4")
    for step in (1, 2):
        z = device.zeros(20 // step, "i4")
        look_up(z, device.to_gpu(x)[::step], device.to_gpu(table))
        assert (z.get() == table[x[::step] % 3]).all()
    with pytest.raises(ValueError, match=r"of another shape.*must be contiguous"):
        look_up(z, device.to_gpu(x)[::2], device.to_gpu(np.repeat(table, 2))[::2])


def test_a_part_of_the_elements(device, kernel):
    one = kernel("float *z", "z[i] = i + 1", "one")
    for part in (slice(3, 8), slice(None, None, 3), slice(9, 2, -2), slice(-4, None), slice(0, 0)):
        for given in ({"slice": part}, {"range": slice(*part.indices(10))}):
            z, due = device.zeros(10, "f4"), np.zeros(10)
            due[part] = np.arange(1, 11)[part]
            if "range" in given and given["range"].stop < 0:
                continue
            one(z, **given)
            assert (z.get() == due).all()
    with pytest.raises(ValueError, match=r"range\(0, 12\) is out of bounds for 10 elements"):
        one(z, range=slice(0, 12))
    with pytest.raises(TypeError, match="a range or a slice, not both"):
        one(z, range=slice(0, 1), slice=slice(0, 1))


def test_code_around_the_loop(device, kernel):
    """A preamble, code before and after each thread's loop, and complex numbers as in PyCUDA."""
    turn = kernel(
        "pycuda::complex<float> *z, float *x, float *threads",
        "z[i] = pycuda::complex<float>(half(x[i]), unit); ++count",
        "turn",
        preamble="__device__ float half(float x) { return x / 2; }",
        loop_prep="float unit = 1; int count = 0",
        after_loop="atomicAdd(threads, float(count))",
    )
    z, x = device.zeros(700, "c8"), device.to_gpu(np.arange(700, dtype="f4"))
    threads = device.zeros(1, "f4")
    turn(z, x, threads)
    assert (z.get() == np.arange(700, dtype="f4") / 2 + 1j).all()
    assert threads.get() == 700


def test_bfloat16(device, kernel):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = np.arange(37, dtype="f4").astype(bfloat16)
    z = device.zeros(37, bfloat16)
    kernel("pygpu::bfloat16 *z, const pygpu::bfloat16 *x", "z[i] = 1.5f * x[i]")(
        z, device.to_gpu(x)
    )
    assert (z.get() == (1.5 * x.astype("f4")).astype(bfloat16)).all()


def test_structs_of_the_users(device, kernel):
    from PyGPU.tools import get_or_register_dtype

    pair = get_or_register_dtype("pair_of_test", np.dtype([("x", "i4"), ("y", "f4")]))
    sums = kernel(
        "float *z, const pair_of_test *p, pair_of_test by",
        "z[i] = p[i].x * by.x + p[i].y * by.y",
        preamble="struct pair_of_test { int x; float y; };",
    )
    pairs = np.array([(i, i / 2) for i in range(50)], pair)
    z = device.zeros(50, "f4")
    sums(z, device.to_gpu(pairs), np.array((2, 4), pair)[()])
    assert (z.get() == np.arange(50) * 4).all()


def test_what_is_refused(device, kernel):
    one = kernel("float *z, float a", "z[i] = a", "one")
    z = device.zeros(3, "f4")
    for call, error, message in (
        (lambda: one(z), TypeError, r"one\(\) takes 2 arrays or numbers, not 1"),
        (lambda: one(z, z), TypeError, r"one\(\): parameter 'a' must be a number, not an array"),
        (lambda: one(1, 1), TypeError, r"one\(\)"),
        (lambda: one(device.zeros(3), 1), TypeError, "an array of float32, not of float64"),
        (lambda: one(np.zeros(3, "f4"), 1), TypeError, "to_gpu"),
        (lambda: one(z, "1"), TypeError, "not str"),
        (lambda: kernel("float a", "a"), ValueError, "must name an array"),
        (lambda: kernel("nothing *x", "x[i] = 1"), ValueError, "is an unknown C type"),
        (lambda: kernel("float *x, float x", ""), ValueError, "two arguments have the name 'x'"),
        (lambda: kernel("float *i", ""), ValueError, "the kernel itself has the name 'i': rename"),
        (lambda: kernel("float **x", ""), ValueError, "pointer to pointers"),
        (lambda: kernel(", ".join(f"int *x{i}" for i in range(25)), ""), ValueError, "at most 24"),
        (lambda: one(z, 1j), TypeError, "1j can't be a float32"),
        (lambda: one(z, 1, slice=5), TypeError, "has start, stop and step, not 5"),
        (lambda: kernel("float *x", "", keep=True), ValueError, "'keep' must be False"),
        (lambda: kernel("float *x", "x[i] = wrong")(z), device.CompileError, "wrong"),
    ):
        with pytest.raises(error, match=message):
            call()


def test_functions_that_write_to_an_element_write_to_memory(device, kernel):
    """Such operations go one by one, although the arrays are aligned runs."""
    x = np.arange(1003, dtype="f4") + 0.5
    y, z = device.zeros(1003, "f4"), device.zeros(1003, "f4")
    kernel("float *y, float *z, const float *x", "y[i] = modff(x[i], &z[i])")(
        y, z, device.to_gpu(x)
    )
    assert (z.get() == np.arange(1003)).all()
    bump = "__device__ float bump(float &value) { return value += 1; }"
    kernel("float *y, float *z", "y[i] = bump(z[i])", preamble=bump)(y, z)
    assert (z.get() == np.arange(1003) + 1).all()
    kernel("float *y, float *z", "y[i] = atomicAdd(&z[i], 1.0f)")(y, z)
    assert (z.get() == np.arange(1003) + 2).all()
    next_ = "#define NEXT z[i < n - 1 ? i + 1 : i]"
    kernel("float *y, float *z", "y[i] = NEXT", preamble=next_)(y, z)
    assert (y.get()[:-1] == np.arange(1, 1003) + 2).all()


def test_memory_that_must_not_be_written_is_not(device, kernel):
    if device.backend != "host":
        pytest.skip("numpy's memory is no device's")
    locked = np.ones(5)
    locked.flags.writeable = False
    shared = device.from_dlpack(locked)
    with pytest.raises(ValueError, match="read-only"):
        kernel("double *x", "x[i] = 100")(shared)
    out = device.zeros(5)
    kernel("double *z, const double *x", "z[i] = x[i]")(out, shared)
    assert (out.get() == 1).all()
    with pytest.raises(ValueError, match="read-only"):
        device.take(device.arange(5.0), device.arange(5), out=shared)


def test_it_can_be_pickled(device, kernel):
    again = pickle.loads(pickle.dumps(kernel("float *z, float a", "z[i] = a", "fill")))
    z = device.zeros(3, "f4")
    again(z, 4)
    assert z.get().tolist() == [4] * 3


def test_most_operands_with_a_part_and_strides(device, kernel):
    """The longest list of parameters that a launch has."""
    names = [f"x{at}" for at in range(24)]
    add = kernel(", ".join(f"int *{one}" for one in names), "x0[i] = x23[i] + 1; x5[i] = 7", "most")
    arrays = [device.zeros((4, 6), "i4")[:, ::2] for _ in names]
    add(*arrays, slice=slice(0, 12))
    assert (arrays[0].get() == 1).all()
    assert (arrays[5].get() == 7).all()
