"""The leak counter for GPUs sees what is left.

It is tested on the host runtime, loaded as libcudart.
"""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("counted")

gpu = PyGPU.checked


@pytest.fixture(params=["cuda", "hip", "GPUs"])
def counted(request, host_library) -> object:
    """As on GPUs: the host runtime loaded as the vendor's runtime, or the real runtime."""
    if request.param == "GPUs":
        return request.getfixturevalue("on_gpus")
    return request.getfixturevalue("counting")(request.param, str(host_library))


def test_what_arrays_keep_for_later_ones_is_no_leak():
    for _ in range(2):
        a = PyGPU.to_gpu(np.arange(10_000.0))
        b, pinned, stream = a.copy(), PyGPU.pagelocked_empty(100), PyGPU.Stream()
        assert b.ptr
        PyGPU.Event().record(stream).synchronize()
        loop = [a, b, pinned, stream]
        loop.append(loop)
        assert "80000 bytes of device memory" in host.leaks()
        del a, b, pinned, stream, loop
        assert not host.leaks(), host.leaks()


LEFT = {
    "memory": (lambda: gpu.cudaMalloc(77), "77 bytes of device memory"),
    "pinned": (lambda: gpu.cudaHostAlloc(78, 0), "78 bytes of page-locked memory"),
    "managed": (lambda: gpu.cudaMallocManaged(79, 1), "79 bytes of managed memory"),
    "an array": (lambda: PyGPU.zeros(80, "u1"), "80 bytes of device memory"),
    "a stream": (PyGPU.Stream, "a stream"),
    "an event": (lambda: PyGPU.Event().record(), "an event"),
}


@pytest.mark.parametrize("what", LEFT)
def test_what_is_left_on_purpose_is_seen(what):
    make, line = LEFT[what]
    assert not host.leaks(), host.leaks()
    left = make()
    (told,) = [one for one in host.leaks().splitlines() if one.startswith(line)]
    assert told.startswith(f"{line} at 0x")
    if isinstance(left, int):
        free = gpu.cudaFreeHost if what == "pinned" else gpu.cudaFree
        free(left)
    del left
    assert not host.leaks(), host.leaks()


def test_a_reset_ends_what_is_on_the_device():
    gpu.cudaMalloc(77)
    assert host.leaks()
    gpu.cudaDeviceReset()
    assert not host.leaks(), host.leaks()
