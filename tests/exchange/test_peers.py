"""torch, JAX, CuPy and Numba take arrays and lend theirs: real packages, where installed."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest

from tests.conftest import required

TYPES = ["?", "i1", "u1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]


@pytest.fixture
def torch(device):
    torch = pytest.importorskip("torch")
    if device.backend != "host" and not torch.cuda.is_available():
        pytest.skip("torch has no GPU here")
    return torch


@pytest.fixture
def place(device):
    """Where torch keeps the memory: on the CPU or on a GPU."""
    return "cpu" if device.backend == "host" else "cuda"


@pytest.fixture
def cupy(device):
    if device.backend == "host":
        pytest.skip("CuPy needs a GPU")
    return pytest.importorskip("cupy")


@pytest.fixture
def numba(device):
    if device.backend != "cuda":
        pytest.skip("Numba needs CUDA")
    numba = pytest.importorskip("numba.cuda")
    if not numba.is_available():
        pytest.skip("Numba has no GPU here")
    return numba


@pytest.mark.parametrize("dtype", TYPES)
def test_torch_shares_memory_both_ways(device, torch, place, dtype):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    a = device.to_gpu(host)
    for view, expected in (
        (a, host),
        (a.T, host.T),
        (a[:, 1:, ::2], host[:, 1:, ::2]),
        (a[0, 1, 2], host[0, 1, 2]),
    ):
        t = torch.from_dlpack(view)
        assert t.device.type == place and t.data_ptr() == view.ptr
        assert (t.cpu().numpy() == expected).all()
        back = device.from_dlpack(t)
        assert (back.ptr, back.dtype, back.shape, back.strides) == (
            view.ptr,
            view.dtype,
            view.shape,
            view.strides,
        )
        assert device.asarray(t).ptr == view.ptr
    t = torch.from_dlpack(a)
    t.zero_()
    assert not a.get().any()
    with pytest.raises(BufferError, match="negative"):
        torch.from_dlpack(a[::-1])


def test_torchs_memory_is_kept(device, torch, place):
    t = torch.ones(1000, device=place)
    a = device.from_dlpack(t)
    view = a[::2]
    del t, a
    gc.collect()
    others = [torch.zeros(1000, device=place) for _ in range(10)]
    assert (view.get() == 1).all() and len(others) == 10
    del view


def test_torchs_lazy_tensors_are_refused(device, torch, place):
    one = torch.ones(3, dtype=torch.complex64, device=place) * 1j
    for lazy in (one.conj(), one.conj().imag):
        with pytest.raises(BufferError, match=r"resolve_neg\(\) or x\.resolve_conj\(\)"):
            device.from_dlpack(lazy)
        with pytest.raises((BufferError, RuntimeError), match="resolve_"):
            device.asarray(lazy)
        with pytest.raises((BufferError, RuntimeError), match="resolve_"):
            device.copy(device.zeros(3, "f4"), lazy)
    assert device.from_dlpack(one.conj().resolve_conj()).get().tolist() == [-1j] * 3


def test_torchs_gradients_are_not_passed_by(device, torch, place):
    """backward() would give wrong numbers: torch doesn't see what PyGPU does to the memory."""
    leaf = torch.ones(3, device=place, requires_grad=True)
    array = device.zeros(3, "f4")
    for tensor in (leaf, leaf * 2, torch.nn.Parameter(torch.ones(3, device=place))):
        for call in (
            device.from_dlpack,
            device.asarray,
            device.to_gpu,
            array.set,
            lambda t: array.__setitem__(..., t),
            lambda t: device.concatenate([t]),
        ):
            with pytest.raises((BufferError, RuntimeError), match=r"detach\(\)"):
                call(tensor)
    with torch.no_grad(), pytest.raises(BufferError, match=r"detach\(\)"):
        device.from_dlpack(leaf)
    assert device.from_dlpack(leaf.detach()).ptr == leaf.data_ptr()
    device.from_dlpack(leaf.detach()).fill(5)
    device.wait(device.from_dlpack(leaf.detach()))
    assert leaf.tolist() == [5] * 3


def test_torchs_tensors_without_memory_are_refused_in_one_line(device, torch, place):
    for tensor, said in (
        (torch.eye(3, device=place).to_sparse(), r"torch\.sparse_coo: pass x\.to_dense\(\)$"),
        (torch.eye(3, device=place).to_sparse_csr(), r"torch\.sparse_csr: pass x\.to_dense\(\)$"),
        (torch.ones(3, device="meta"), "meta$"),
    ):
        with pytest.raises(BufferError, match=rf"^from_dlpack\(\): [^\n]*{said}"):
            device.from_dlpack(tensor)


def test_torch_is_taken_everywhere(device, torch, place):
    t = torch.arange(6.0, device=place, dtype=torch.float64).reshape(2, 3)
    host = np.arange(6.0).reshape(2, 3)
    a = device.zeros((2, 3))
    a.set(t)
    assert (a.get() == host).all()
    a.fill(0)
    a[...] = t.T.contiguous().T
    assert (a.get() == host).all()
    for made in (
        device.to_gpu(t),
        device.GPUArray(t),
        device.concatenate([t]),
        device.stack([t])[0],
    ):
        assert (made.get() == host).all() and made.ptr != t.data_ptr()


def test_torchs_bfloat16(device, torch, place):
    required("ml_dtypes")
    for kind in (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2):
        t = torch.ones(4, device=place).to(kind)
        a = device.from_dlpack(t)
        assert str(a.dtype) == str(kind).removeprefix("torch.")
        assert (a.get().astype("f4") == 1).all() and torch.from_dlpack(a).dtype == kind


def test_a_slow_stream_of_torchs_comes_first(device, torch, place):
    if place == "cpu":
        pytest.skip("the CPU has no streams")
    side = torch.cuda.Stream()
    t = torch.zeros(1 << 20, device=place)
    torch.cuda.synchronize()
    for take in (device.from_dlpack, device.asarray):
        t.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(200_000_000)
            t.fill_(7)
            a = take(t)
        assert (a.get() == 7).all()


def test_torch_comes_after_a_slow_stream_of_ours(device, torch, place):
    if place == "cpu":
        pytest.skip("the CPU has no streams")
    side = torch.cuda.Stream()
    a = device.zeros(1 << 20, "f4")
    source = device.pagelocked_empty(1 << 20, "f4")
    source[...] = 7
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)
    a.set_async(source, side)
    assert bool((torch.from_dlpack(a) == 7).all())


def test_jax_both_ways(device):
    os.environ.setdefault("JAX_PLATFORMS", "cpu" if device.backend == "host" else "cuda,cpu")
    jax = pytest.importorskip("jax")
    if device.backend != "host" and jax.default_backend() == "cpu":
        pytest.skip("JAX has no GPU here")
    host = np.arange(6, dtype="f4").reshape(2, 3)
    j = jax.numpy.asarray(host)
    a = device.from_dlpack(j)
    assert a.ptr == j.unsafe_buffer_pointer() and (a.get() == host).all()
    own = device.to_gpu(host)
    assert (np.asarray(jax.dlpack.from_dlpack(own)) == host).all()
    made = device.zeros((2, 3), "f4")
    made[...] = j
    assert (made.get() == host).all()
    for write in (lambda: a.fill(0), lambda: device.asarray(j).set(host), lambda: a[0].fill(1)):
        with pytest.raises(ValueError, match="read-only"):
            write()
    with pytest.raises(TypeError, match="writable memory"):
        device.cudaMemset(a, 0, a.nbytes)
    assert (np.asarray(j) == host).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_cupy_both_ways(device, cupy, dtype):
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    a = device.to_gpu(host)
    for view, expected in ((a, host), (a.T, host.T), (a[:, 1:, ::2], host[:, 1:, ::2])):
        for take in (cupy.asarray, cupy.from_dlpack):
            c = take(view)
            assert c.data.ptr == view.ptr and (c.get() == expected).all()
    c = cupy.asarray(host)
    for take in (device.asarray, device.from_dlpack):
        back = take(c[:, ::2])
        assert back.ptr == c.data.ptr and (back.get() == host[:, ::2]).all()
    made = device.zeros(host.shape, dtype)
    made[...] = c
    assert (made.get() == host).all()
    made.fill(0)
    made.set(c)
    for copied in (made, device.to_gpu(c), device.GPUArray(c), device.concatenate([c])):
        assert copied.ptr != c.data.ptr and (copied.get() == host).all()


def test_a_slow_stream_of_cupys_comes_first(device, cupy):
    c = cupy.zeros(1 << 24)
    side = cupy.cuda.Stream(non_blocking=True)
    for take in (device.asarray, device.from_dlpack, device.to_gpu, device.GPUArray):
        c[...] = 0
        cupy.cuda.runtime.deviceSynchronize()
        with side:
            for _ in range(50):
                c += 1
            a = take(c)
        assert (a.get() == 50).all()


def test_cupy_gets_its_memory_back_after_our_work(device, cupy):
    source = device.pagelocked_zeros(1 << 22)
    stream = device.Stream(True)
    c = cupy.ones(1 << 22)
    a = device.from_dlpack(c)
    address = a.ptr
    del c
    a.set_async(source, stream)
    del a
    assert stream.query()
    assert cupy.ones(1 << 22).data.ptr == address


def test_numba_both_ways(device, numba):
    host = np.arange(12.0).reshape(3, 4)
    a = device.to_gpu(host)
    n = numba.as_cuda_array(a)
    assert n.device_ctypes_pointer.value == a.ptr and (n.copy_to_host() == host).all()
    m = numba.to_device(host)
    taken = device.asarray(m)
    assert taken.ptr == m.device_ctypes_pointer.value and (taken.get() == host).all()
    a.fill(0)
    a[...] = m
    assert (a.get() == host).all()
