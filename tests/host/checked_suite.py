"""A test suite of somebody who uses PyGPU.pytest_plugin; test_pytest_plugin.py runs it."""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from PyGPU import host

PTX = b""".version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 at) {
    .shared .align 4 .b8 tile[256];
    .reg .u32 %r<5>; .reg .u64 %rd<5>;
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [at];
    add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], 5;
    ret;
}
.visible .entry races() {
    .shared .align 4 .b8 tile[256];
    .reg .u32 %r<5>;
    mov.u32 %r1, %tid.x;
    st.shared.u32 [tile], %r1;
    ret;
}"""


@pytest.fixture
def kernels():
    return PyGPU.Module(PTX)


@pytest.fixture
def raced(kernels):
    kernels["races"](grid=1, block=64)


def store(kernels, at):
    kernels["k"](PyGPU.zeros(64, "int32"), np.uint64(at), grid=1, block=1)


def test_sound(kernels):
    store(kernels, 4)


def test_race(kernels):
    kernels["races"](grid=1, block=64)


def test_race_on_a_stream(kernels):
    stream = PyGPU.Stream()
    with host.pause(stream):
        kernels["races"](grid=1, block=64, stream=stream)


def test_race_and_failure(kernels):
    kernels["races"](grid=1, block=64)
    assert kernels is None


def test_fault(kernels):
    store(kernels, 1 << 40)


def test_sound_after_a_fault(kernels):
    store(kernels, 4)
    PyGPU.checked.cudaDeviceSynchronize()


def test_expected(kernels):
    with host.reports() as reports:
        kernels["races"](grid=1, block=64)
        PyGPU.cudaDeviceSynchronize()
    assert "race in shared memory" in reports[0]


def test_of_a_fixture(raced):
    pass


@pytest.mark.xfail(strict=True)
def test_known_race(kernels):
    kernels["races"](grid=1, block=64)
