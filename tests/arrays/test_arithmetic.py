"""Operators and elementwise functions of arrays give what numpy's give."""

from __future__ import annotations

import operator
import random
import threading
import warnings

import numpy as np
import pytest

from tests.arrays import arithmetic_programs


@pytest.mark.parametrize("seed", range(4))
def test_random_calls_give_what_numpys_give(device, seed):
    """All operators, dtypes, broadcasting, strides and numbers of Python and numpy."""
    random_ = random.Random(seed)
    assert [one for one in (arithmetic_programs.program(random_) for _ in range(100)) if one] == []


def test_in_place_operators_keep_the_array(device):
    x = np.arange(12, dtype="f4").reshape(3, 4)
    a = device.to_gpu(x)
    b, address = a, a.ptr
    a += 1
    a *= device.to_gpu(x)
    a[:, ::2] -= 3
    a **= 2
    y = (x + 1) * x
    y[:, ::2] -= 3
    assert b is a
    assert a.ptr == address
    assert (a.get() == y**2).all()
    with pytest.raises(TypeError, match=r"add\(\): the result is float64, which int32 can't hold"):
        device.zeros(3, "i4").__iadd__(1.5)
    with pytest.raises(ValueError, match="more elements than the array that it goes to"):
        device.zeros(3, "f4").__iadd__(device.zeros((2, 3), "f4"))


def test_memory_that_both_sides_share_is_read_before_it_is_written(device):
    x = np.arange(3000.0)
    a, y = device.to_gpu(x), x.copy()
    a[1:] += a[:-1]
    y[1:] += y[:-1]
    assert (a.get() == y).all()
    np.add(a[::-1], 1, out=a)
    assert (a.get() == y[::-1] + 1).all()


def test_outputs_that_share_memory_are_written_one_after_the_other(device):
    x, both, due = np.arange(1e5), device.zeros(100001), np.zeros(100001)
    np.divmod(device.to_gpu(x), 2, out=(both[1:], both[:-1]))
    np.divmod(x, 2, out=(due[1:], due[:-1]))
    assert (both.get() == due).all()
    a = device.arange(100000)
    device.take(a, device.to_gpu(np.arange(99999, -1, -1)), out=a)
    assert (a.get() == np.arange(100000)[::-1]).all()


def test_elements_that_devices_cannot_load_are_refused(device):
    packed = device.to_gpu(np.zeros(5, [("a", "u1"), ("x", "f4")]))
    with pytest.raises(ValueError, match=r"add\(\).*multiples of 4 bytes: copy\(\) aligns them"):
        packed["x"] + 1
    assert (packed["x"].copy() + 1).get().tolist() == [1] * 5


def test_memory_that_is_freed_meanwhile_is_not_written(device, monkeypatch):
    """A kernel takes long to compile, and other threads go on."""
    from PyGPU._codegen import loading

    make, z = loading.kernel, device.zeros(1000)

    def freeing(*arguments):
        z.gpudata.free()
        return make(*arguments)

    monkeypatch.setattr(loading, "kernel", freeing)
    with pytest.raises(ValueError, match="free"):
        z += 3.53125
    with pytest.raises(ValueError, match="free"):
        z + 1


def test_a_value_is_rounded_once(device):
    a = device.zeros(2, "f2")
    a += device.to_gpu(np.array([1 + 2**-11 + 2**-30] * 2))
    due = np.zeros(2, "f2")
    due += np.array([1 + 2**-11 + 2**-30] * 2)
    assert (a.get() == due).all()


def test_numpys_functions_run_on_the_device(device):
    x = np.arange(12.0).reshape(3, 4) - 5
    a = device.to_gpu(x)
    out = device.empty((3, 4))
    assert np.add(a, a, out=out) is out
    for due, got in (
        (x + x, out),
        (np.maximum(x, 0), np.maximum(a, 0)),
        (np.where(x > 0, x, -1), np.where(a > 0, a, -1)),
        (np.clip(x, -1, 2), np.clip(a, -1, 2)),
        (np.float32(3) * x, np.float32(3) * a),
        (np.divmod(x, 3)[1], np.divmod(a, 3)[1]),
        (2 * x + 3 * x, a.mul_add(2, a, 3)),
        (x.ravel()[::-1], a.ravel().reverse()),
    ):
        assert type(got) is device.GPUArray
        assert np.array_equal(due, got.get())
        assert due.dtype == got.dtype
    for call in (lambda: np.add(a, a, where=True), lambda: np.add(a, a, dtype="f4")):
        with pytest.raises(TypeError, match="has no parameter"):
            call()


def test_comparisons_never_compare_the_objects(device):
    a = device.ones(3)
    for other in (None, "text", object(), np.ones(3)):
        for one in (operator.eq, operator.ne):
            with pytest.raises(TypeError):
                one(a, other)
    assert (a == 1).get().tolist() == [True] * 3
    assert (a == device.to_gpu(np.array([1, 2, 1], "u1"))).get().tolist() == [True, False, True]


def test_elements_by_arrays_of_indices(device):
    x = np.arange(12.0).reshape(3, 4)
    a, at = device.to_gpu(x), np.array([[3, -1], [0, 7]], "i4")
    indices = device.to_gpu(at)
    assert (device.take(a, indices).get() == x.ravel()[at]).all()
    assert device.take(a, device.to_gpu(np.array([99, -99]))).get().tolist() == [11, 0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the compiler has nothing to say about unsigned indices
        assert device.take(a, device.to_gpu(np.array([1, 3], "u2"))).get().tolist() == [1, 3]
    out = device.zeros(6)
    device.put(device.arange(3.0), device.to_gpu(np.array([5, 0, 99])), out=out)
    assert out.get().tolist() == [1, 0, 0, 0, 0, 0]
    (moved,) = device.multi_take_put(
        [a], device.to_gpu(np.array([1, 0])), device.to_gpu(np.array([2, 3])), (2,), src_offsets=[1]
    )
    assert moved.get().tolist() == [4, 3]
    with pytest.raises(TypeError, match="the indices must be integers"):
        device.take(a, device.zeros(3))
    with pytest.raises(IndexError, match="empty"):
        device.take(device.zeros(0), indices)


def test_arrays_without_elements_or_axes(device):
    empty, number = device.zeros((0, 3)), device.to_gpu(np.array(2.0))
    assert (empty + 1).shape == (0, 3)
    assert (empty + device.zeros(3)).shape == (0, 3)
    assert (number + number).get() == 4
    assert (number + number).shape == ()
    assert (device.ones((2, 3)) + number).get().tolist() == [[3] * 3] * 2
    with pytest.raises(ValueError, match=r"shapes don't fit together: \(2, 3\) \(4,\)"):
        device.ones((2, 3)) + device.ones(4)


def test_what_is_refused(device):
    a = device.ones(3)
    for call, error, message in (
        (lambda: a + "x", TypeError, "unsupported operand"),
        (lambda: device.zeros(3, "u1") + 300, OverflowError, "add.*300 is out of range for uint8"),
        (lambda: device.zeros(3, "?") - device.zeros(3, "?"), TypeError, "subtract"),
        (lambda: device.zeros(3, [("x", "f4")]) + 1, TypeError, "add"),
        (lambda: np.add(a, a, out=device.zeros(4)), ValueError, "fit together"),
        (lambda: device.where(a > 0, a, [1, 2, 3]), TypeError, "to_gpu"),
        (lambda: device.clip(a), ValueError, "must not both be None"),
    ):
        with pytest.raises(error, match=message):
            call()


def test_the_result_follows_the_stream(device):
    stream = device.Stream(non_blocking=True)
    a = device.to_gpu(np.arange(1000.0))
    b = device.maximum(a, 5, stream=stream)
    with stream:
        c = b + b
    stream.synchronize()
    assert (c.get() == np.maximum(np.arange(1000.0), 5) * 2).all()


def test_threads_may_make_one_kernel_at_once(device):
    a, results = device.to_gpu(np.arange(100, dtype="u2")), []
    threads = [threading.Thread(target=lambda: results.append((a ^ 5).get())) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(results) == 8
    assert all((one == np.arange(100) ^ 5).all() for one in results)
