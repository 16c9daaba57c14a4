"""What kernels may touch: memory that can only be read, and their own heap."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import pytest

import PyGPU
from PyGPU import host
from tests.own_interpreter import own_interpreter

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
READ_ONLY = 8  # cudaHostRegisterReadOnly


def kernel(body: str) -> PyGPU.Kernel:
    module = PyGPU.Module(
        f"""{HEAD}.visible .entry k(.param .u64 p) {{
        .reg .u64 %a; .reg .u32 %r; ld.param.u64 %a, [p]; {body} ret; }}""".encode()
    )
    return module["k"]


def pages(how: str, tmp: str) -> tuple[object, int]:
    """A page that can only be read, and what holds it."""
    with open(tmp, "w+b") as file:
        file.write(bytes(mmap.PAGESIZE))
        file.flush()
        values = np.memmap(tmp, np.uint32, "r")
    if how == "lent":
        return PyGPU.from_dlpack(values), values.ctypes.data
    PyGPU.checked.cudaHostRegister(values.ctypes.data, mmap.PAGESIZE, READ_ONLY)
    return values, values.ctypes.data


@pytest.mark.parametrize("how", ["registered", "lent"])
@pytest.mark.parametrize(
    "writes", ["st.u32 [%a], 1;", "ld.u32 %r, [%a];\nst.u32 [%a], %r;", "red.add.u32 [%a], 1;"]
)
@own_interpreter("on_host")
def test_kernels_only_read_memory_that_cannot_be_written(how, writes, tmp_path):
    held, address = pages(how, str(tmp_path / "page"))
    kernel("ld.u32 %r, [%a];")(ctypes.c_void_p(address), grid=1, block=32)
    PyGPU.checked.cudaDeviceSynchronize()
    with host.reports() as told:
        kernel(writes)(ctypes.c_void_p(address), grid=1, block=32)
        assert PyGPU.cudaDeviceSynchronize() == 700
    assert f"4 bytes at 0x{address:x}, which can only be read" in told[0]
    assert PyGPU.cudaDeviceReset() == 0
    del held
