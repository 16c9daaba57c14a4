"""What test_links.py runs on HIP: `python linked_by_hip.py`, on the host runtime."""

from __future__ import annotations

import contextlib

import numpy as np

import PyGPU
from PyGPU import host

whole = np.arange(200 * 96, dtype="f4").reshape(200, 96)


@contextlib.contextmanager
def no_peers():
    no_boxes = host.fail("hipMemcpy3DAsync", times=None)
    with host.fail("hipDeviceCanAccessPeer", error=801, times=None), no_boxes:
        yield


for way in (contextlib.nullcontext, no_peers):
    source = PyGPU.to_gpu(whole)
    with PyGPU.device(1):
        target = PyGPU.zeros(whole.shape, "f4")
    with way():
        target[:, :64] = source[:, 32:]
        target[:, 64:] = source[:, :32]
    assert (target.get() == np.roll(whole, -32, 1)).all()
    target[...] = source
    assert (target.get() == whole).all()
