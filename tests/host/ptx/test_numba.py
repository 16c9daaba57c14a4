"""Numba's PTX, which it makes without a GPU, computes what numpy does.

Numba has another compiler than NVRTC, with other conventions: a kernel gets an array as seven or
more parameters, a device function returns a status beside its result, and math comes from
libdevice. On the host runtime Numba also uses that as its driver: it asks the driver for the
device's capability before it compiles a device function.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import PyGPU
from tests.conftest import required
from tests.own_interpreter import IN_CHILD, own_interpreter

if IN_CHILD:
    from numba import cuda, types
    from numba.cuda import libdevice

pytestmark = own_interpreter("on_devices", PYGPU_HOST_MEMORY="1GiB")
RANDOM = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def numba():
    """Skips the test unless there is a Numba that compiles without a GPU."""
    required("numba_cuda")


@pytest.fixture
def on_host(on_host, host_library, tmp_path):
    """The host runtime, which Numba also finds as its driver."""
    (tmp_path / "libcuda.so.1").symlink_to(host_library)
    return on_host.having(LD_LIBRARY_PATH=str(tmp_path))


def kernel_of(function, *parameters, **options):
    """A Python function as a kernel: a module of the PTX that Numba makes."""
    text, _ = cuda.compile_ptx(function, types.void(*parameters), cc=(8, 0), **options)
    module = PyGPU.Module(text.encode())
    (name,) = module
    return module, module[name], text


def as_numba(array):
    """An array as Numba passes it to a kernel: owners, counts, the memory, shape and strides."""
    head = [np.uint64(0), np.uint64(0), np.int64(array.size), np.int64(array.itemsize)]
    return [*head, array, *(np.int64(one) for one in (*array.shape, *array.strides))]


OPTIONS: tuple[dict[str, bool], ...] = ({}, {"lineinfo": True}, {"debug": True, "opt": False})


def runs(
    function,
    signature,
    *arguments,
    out,
    grid=1,
    block=32,
    shared=0,
    options=OPTIONS,
    convention=as_numba,
):
    """What the function leaves in its argument `out`, with each of the compiler's options."""
    for option in options:
        _, kernel, _ = kernel_of(function, *signature, **option)
        memory = {
            id(one): PyGPU.to_gpu(one.view(np.uint8))
            for one in arguments
            if isinstance(one, np.ndarray)
        }
        values = [
            part
            for one in arguments
            for part in (convention(one) if isinstance(one, np.ndarray) else [one])
        ]
        values = [memory.get(id(one), one) for one in values]
        kernel(*values, grid=grid, block=block, shared=shared)
        yield memory[id(out)].get().view(out.dtype).reshape(out.shape)


def test_saxpy_of_arrays_and_of_pointers():
    def of_arrays(a, x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = a * x[i] + y[i]

    def of_pointers(a, x, y, n):
        i = cuda.grid(1)
        if i < n:
            y[i] = a * x[i] + y[i]

    n = 1000
    x, y = (RANDOM.random(n, np.float32) for _ in range(2))
    expected = 2.5 * x.astype(np.float64) + y
    vector = types.float32[::1]
    arguments = (np.float32(2.5), x, y)
    signature = (types.float32, vector, vector)
    for result in runs(of_arrays, signature, *arguments, out=y, grid=8, block=128):
        np.testing.assert_allclose(result, expected, rtol=1e-6)

    pointer = types.CPointer(types.float32)
    signature = (types.float32, pointer, pointer, types.int32)
    arguments = (np.float32(2.5), x, y, np.int32(n))
    for result in runs(
        of_pointers, signature, *arguments, out=y, grid=8, block=128, convention=lambda one: [one]
    ):
        np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_arrays_of_two_dimensions_in_any_order():
    def transposed(source, target):
        x, y = cuda.grid(2)
        if y < source.shape[0] and x < source.shape[1]:
            target[x, -y - 1] = source[y, x]

    source, target = RANDOM.integers(0, 99, (19, 37)), np.zeros((37, 19), np.int64)
    signature = (types.int64[:, :], types.int64[:, ::1])
    for result in runs(
        transposed, signature, source, target, out=target, grid=(3, 3), block=(16, 8)
    ):
        assert np.array_equal(result, source.T[:, ::-1])


def test_a_sum_in_shared_memory():
    def sums(values, out):
        tile = cuda.shared.array(128, types.int32)
        more = cuda.shared.array(0, types.int32)  # the launch gives its size
        t = cuda.threadIdx.x
        tile[t] = values[cuda.grid(1)]
        if t < 4:
            more[t] = t
        cuda.syncthreads()
        step = 64
        while step:
            if t < step:
                tile[t] += tile[t + step]
            cuda.syncthreads()
            step //= 2
        if t == 0:
            out[cuda.blockIdx.x] = tile[0] + more[3]

    values, out = RANDOM.integers(0, 99, 1024).astype(np.int32), np.zeros(8, np.int32)
    vector = types.int32[::1]
    for result in runs(sums, (vector, vector), values, out, out=out, grid=8, block=128, shared=16):
        assert np.array_equal(result, values.reshape(8, 128).sum(1) + 3)


def test_shuffles_and_votes():
    def reported(values, out):
        t = cuda.threadIdx.x
        mask = 0xFFFFFFFF
        sum_ = values[t]
        for k in range(5):
            sum_ += cuda.shfl_xor_sync(mask, sum_, 1 << k)
        up = cuda.shfl_up_sync(mask, values[t], 3)
        down = cuda.shfl_down_sync(mask, values[t], 5)
        first = cuda.shfl_sync(mask, values[t], 7)
        ballot = cuda.ballot_sync(mask, values[t] > 50)
        any_, all_ = cuda.any_sync(mask, values[t] > 90), cuda.all_sync(mask, values[t] >= 0)
        out[0, t], out[1, t], out[2, t], out[3, t] = sum_, up, down, first
        out[4, t] = cuda.popc(ballot) * 4 + any_ * 2 + all_

    values, out = RANDOM.integers(0, 99, 32).astype(np.int32), np.zeros((5, 32), np.int32)
    signature = (types.int32[::1], types.int32[:, ::1])
    for result in runs(reported, signature, values, out, out=out):
        lane = np.arange(32)
        expected = [
            np.full(32, values.sum()),
            values[np.where(lane < 3, lane, lane - 3)],
            values[np.where(lane > 26, lane, lane + 5)],
            np.full(32, values[7]),
            np.full(32, (values > 50).sum() * 4 + (values > 90).any() * 2 + 1),
        ]
        assert np.array_equal(result, expected)


def test_atomics():
    def counted(data, bins, floats, extremes):
        i = cuda.grid(1)
        cuda.atomic.add(bins, data[i], 1)
        cuda.atomic.add(floats, 0, types.float64(0.5))
        cuda.atomic.max(extremes, 0, data[i])
        cuda.atomic.min(extremes, 1, data[i])
        cuda.atomic.cas(extremes, 2, -1, data[i])

    data = RANDOM.integers(3, 60, 512).astype(np.int32)
    bins, extremes = np.zeros(64, np.int32), np.array([0, 99, -1], np.int32)
    floats = np.zeros(1)
    vector = types.int32[::1]
    signature = (vector, vector, types.float64[::1], vector)
    arguments = (data, bins, floats, extremes)
    launch = {"grid": 4, "block": 128}
    for result in runs(counted, signature, *arguments, out=bins, **launch):
        assert np.array_equal(result, np.bincount(data, minlength=64))
    for result in runs(counted, signature, *arguments, out=floats, **launch):
        assert result == [256]
    for high, low, exchanged in runs(counted, signature, *arguments, out=extremes, **launch):
        assert (high, low) == (data.max(), data.min())
        assert exchanged in data


def test_device_functions_return_a_status_and_a_result():
    @cuda.jit(device=True, inline="never")
    def collatz(n):
        steps = 0
        while n != 1:
            n = 3 * n + 1 if n & 1 else n >> 1
            steps += 1
        return steps, n

    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            steps, last = collatz(i + 1)
            out[i] = steps * last

    def steps(n):
        return 0 if n == 1 else 1 + steps(3 * n + 1 if n & 1 else n // 2)

    out = np.zeros(300, np.int64)
    # Without optimization each has its own PTX, so the two must be linked.
    launch = {"grid": 3, "block": 128, "options": OPTIONS[:2]}
    for result in runs(kernel, (types.int64[::1],), out, out=out, **launch):
        assert result.tolist() == [steps(n + 1) for n in range(300)]


def test_a_raised_exception_is_found_in_the_module():
    def checked(values):
        i = cuda.grid(1)
        if values[i] < 0:
            raise ValueError("negative")
        values[i] += 1

    module, kernel, text = kernel_of(checked, types.int32[::1], debug=True, opt=False)
    name = re.search(r"\.global \.align 4 \.u32 (\w+__errcode__)", text)[1]
    for values, raised in (([1, 2, 3, 4], False), ([1, -2, 3, 4], True)):
        array = np.array(values, np.int32)
        memory = PyGPU.to_gpu(array)
        kernel(*[memory if one is array else one for one in as_numba(array)], grid=1, block=4)
        assert memory.get().tolist() == [one + (one > 0) for one in values]
        address, size = module.get_global(name)
        code = np.zeros(1, np.int32)
        PyGPU.checked.cudaMemcpy(code, address, size, PyGPU.cudaMemcpyDeviceToHost)
        assert bool(code[0]) == raised


UNARY = {
    "sqrt": (math.sqrt, 0.0, 50.0), "exp": (math.exp, -20.0, 20.0), "log": (math.log, 1e-3, 1e3),
    "log1p": (math.log1p, -0.9, 9.0), "expm1": (math.expm1, -3.0, 3.0), "tan": (math.tan, -1.0, 1),
    "sin": (math.sin, -99.0, 99.0), "cos": (math.cos, -99.0, 99.0), "atan": (math.atan, -9.0, 9.0),
    "asin": (math.asin, -1.0, 1.0), "tanh": (math.tanh, -5.0, 5.0), "erf": (math.erf, -4.0, 4.0),
    "gamma": (math.gamma, 0.1, 20.0), "lgamma": (math.lgamma, 0.1, 90.0),
    "floor": (math.floor, -9.0, 9.0), "ceil": (math.ceil, -9.0, 9.0),
}  # fmt: skip


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_math_of_libdevice(precision):
    vector = getattr(types, precision)[::1]
    tolerance = 1e-5 if precision == "float32" else 1e-13

    def kernel_for(function):
        def kernel(x, out):
            i = cuda.grid(1)
            if i < x.size:
                out[i] = function(x[i])

        return kernel

    for name, (function, low, high) in UNARY.items():
        x = RANDOM.uniform(low, high, 200).astype(precision)
        out, expected = np.zeros_like(x), [function(float(one)) for one in x]
        for result in runs(
            kernel_for(function), (vector, vector), x, out, out=out, grid=2, block=128, options=[{}]
        ):
            np.testing.assert_allclose(result, expected, tolerance, tolerance, err_msg=name)


def test_functions_of_libdevice_by_name():
    def kernel(x, out):
        i = cuda.grid(1)
        out[0, i] = libdevice.fmaf(x[i], x[i], types.float32(1))
        out[1, i] = libdevice.fast_sinf(x[i])
        out[2, i] = libdevice.hypotf(x[i], types.float32(2))
        out[3, i] = libdevice.saturatef(x[i])

    x, out = RANDOM.uniform(-2, 2, 64).astype(np.float32), np.zeros((4, 64), np.float32)
    signature, wide = (types.float32[::1], types.float32[:, ::1]), x.astype(np.float64)
    for result in runs(kernel, signature, x, out, out=out, block=64):
        assert np.array_equal(result[0], (wide * wide + 1).astype(np.float32))
        np.testing.assert_allclose(result[1], np.sin(wide), atol=2**-21)
        np.testing.assert_allclose(result[2], np.hypot(wide, 2), rtol=1e-6)
        assert np.array_equal(result[3], np.clip(x, 0, 1))


def test_local_arrays():
    def sorted_(values, out):
        own = cuda.local.array(8, types.int32)
        i = cuda.grid(1)
        for k in range(8):
            own[k] = values[i, k]
        for a in range(8):
            for b in range(a + 1, 8):
                if own[b] < own[a]:
                    own[a], own[b] = own[b], own[a]
        for k in range(8):
            out[i, k] = own[k]

    values = RANDOM.integers(0, 99, (64, 8)).astype(np.int32)
    out = np.zeros_like(values)
    matrix = types.int32[:, ::1]
    for result in runs(sorted_, (matrix, matrix), values, out, out=out, grid=2):
        assert np.array_equal(result, np.sort(values))


def test_complex_numbers_and_records():
    def kernel(numbers, pairs):
        i = cuda.grid(1)
        numbers[i] = numbers[i] * numbers[i] + 1j
        pairs[i].first += 1
        pairs[i].second *= pairs[i].first

    from numba import from_dtype

    numbers = (RANDOM.random(32) + 1j * RANDOM.random(32)).astype(np.complex128)
    pairs = np.zeros(32, np.dtype([("first", "i2"), ("second", "f8")], align=True))
    pairs["first"], pairs["second"] = np.arange(32), RANDOM.random(32)
    signature = (types.complex128[::1], from_dtype(pairs.dtype)[::1])
    arguments = numbers, pairs
    for result in runs(kernel, signature, *arguments, out=numbers):
        np.testing.assert_allclose(result, numbers**2 + 1j, rtol=1e-12)
    for result in runs(kernel, signature, *arguments, out=pairs):
        assert np.array_equal(result["first"], pairs["first"] + 1)
        np.testing.assert_allclose(result["second"], pairs["second"] * result["first"], rtol=1e-12)


@own_interpreter("on_devices", prints="thread 0 has 0.500000\nthread 1 has 1.500000\n")
def test_print():
    def kernel(values):
        i = cuda.grid(1)
        if i == 0:
            print("thread", i, "has", values[i])
        cuda.syncthreads()
        if i == 1:
            print("thread", i, "has", values[i])

    _, compiled, _ = kernel_of(kernel, types.float64[::1])
    array = np.array([0.5, 1.5])
    memory = PyGPU.to_gpu(array)
    compiled(*[memory if one is array else one for one in as_numba(array)], grid=1, block=2)
    PyGPU.checked.cudaDeviceSynchronize()
