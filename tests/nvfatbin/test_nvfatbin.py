"""nvFatbin from the PyPI package: it makes fat binaries on any machine, without a GPU."""

from __future__ import annotations

import gc
import struct

import pytest

import PyGPU
from PyGPU import GPUError, _libraries
from tests.conftest import unavailable

PTX = b".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry kernel() { ret; }\n"
MAGIC = 0xBA55ED50  # that of fat binaries


@pytest.fixture(scope="module")
def nvfatbin():
    """PyGPU.nvfatbin with the library loaded."""
    if not any(one.chosen for one in _libraries.survey("nvfatbin")):
        unavailable("no libnvfatbin (pip install nvidia-nvfatbin)")
    return PyGPU.nvfatbin


def cubin() -> bytes:
    """The machine code of PTX."""
    nvjitlink = PyGPU.nvjitlink
    if not any(one.chosen for one in _libraries.survey("nvjitlink")):
        unavailable("no libnvJitLink (pip install nvidia-nvjitlink)")
    linker = nvjitlink.nvJitLinkHandle(numOptions=1, options=["-arch=sm_80"])
    kind = nvjitlink.NVJITLINK_INPUT_PTX
    assert not nvjitlink.nvJitLinkAddData(linker, kind, PTX, len(PTX), None)
    assert not nvjitlink.nvJitLinkComplete(linker)
    return nvjitlink.checked.nvJitLinkGetLinkedCubin(linker)


def test_the_library_and_its_release(nvfatbin):
    major, minor, err = nvfatbin.nvFatbinVersion()
    assert not err
    assert _libraries.installed("nvfatbin")["release"] == f"{major}.{minor}"


def test_ptx_and_machine_code_in_one_file(nvfatbin):
    options = ["-compress=false", "-64"]
    maker, err = nvfatbin.nvFatbinCreate(options, len(options))
    assert not err
    code = cubin()
    assert not nvfatbin.nvFatbinAddCubin(maker, code, len(code), "80", "machine code")
    # C copies the code, so the caller's memory may change then.
    ptx = bytearray(PTX)
    assert not nvfatbin.nvFatbinAddPTX(maker, ptx, len(ptx), "80", "ptx", None)
    ptx[:] = bytes(len(ptx))
    fat, err = nvfatbin.nvFatbinGet(maker)
    assert not err
    assert len(fat) == nvfatbin.checked.nvFatbinSize(maker)
    magic, _, header, size = struct.unpack_from("<IHHQ", fat)
    assert (magic, header + size) == (MAGIC, len(fat))
    assert code in fat
    assert b"sm_80" in fat
    assert not nvfatbin.nvFatbinDestroy(maker)


def test_failures(nvfatbin):
    with pytest.raises(GPUError, match="nvFatbinCreate: NVFATBIN_ERROR_UNRECOGNIZED_OPTION"):
        nvfatbin.checked.nvFatbinCreate(["-nonsense"], 1)
    maker = nvfatbin.nvFatbinHandle(optionsCount=0)
    err = nvfatbin.nvFatbinAddPTX(maker, b"no PTX", 6, "80", None, None)
    assert err == nvfatbin.NVFATBIN_ERROR_MISSING_PTX_VERSION
    assert err.message == nvfatbin.nvFatbinGetErrorString(err)
    code = cubin()
    err = nvfatbin.nvFatbinAddCubin(maker, code, len(code), "90", None)
    assert err == nvfatbin.NVFATBIN_ERROR_ELF_ARCH_MISMATCH
    with pytest.raises(ValueError, match="code"):
        nvfatbin.nvFatbinAddPTX(maker, PTX, len(PTX) + 1, "80", None, None)


def test_an_owner_ends_once(nvfatbin):
    owner = nvfatbin.nvFatbinHandle(options=["-64"], optionsCount=1)
    assert not nvfatbin.nvFatbinDestroy(owner)
    assert not owner
    del owner
    gc.collect()
