"""nvJitLink from the PyPI package: it links device code on any machine, without a GPU."""

from __future__ import annotations

import gc

import pytest

import PyGPU
from PyGPU import GPUError, _libraries, nvrtc
from tests.conftest import unavailable

HEADER = ".version 7.0\n.target sm_80\n.address_size 64\n"
TWICE = (
    HEADER
    + """\
.visible .func (.param .b32 twice) doubled(.param .b32 number)
{
    .reg .b32 %a;
    ld.param.b32 %a, [number];
    add.s32 %a, %a, %a;
    st.param.b32 [twice], %a;
    ret;
}
"""
)
KERNEL = (
    HEADER
    + """\
.extern .func (.param .b32 twice) doubled(.param .b32 number);
.visible .entry kernel(.param .u64 out)
{
    .reg .b64 %to;
    .reg .b32 %a;
    ld.param.u64 %to, [out];
    mov.u32 %a, %tid.x;
    {
        .param .b32 number;
        .param .b32 twice;
        st.param.b32 [number], %a;
        call (twice), doubled, (number);
        ld.param.b32 %a, [twice];
    }
    st.global.b32 [%to], %a;
    ret;
}
"""
)
FACTOR = "__device__ int factor(int number) { return number * 7; }"
TAKES_FACTOR = """\
__device__ int factor(int);
extern "C" __global__ void kernel(int *out) { *out = factor(6); }
"""


@pytest.fixture(scope="module")
def nvjitlink():
    """PyGPU.nvjitlink with the library loaded."""
    if not any(one.chosen for one in _libraries.survey("nvjitlink")):
        unavailable("no libnvJitLink (pip install nvidia-nvjitlink)")
    return PyGPU.nvjitlink


def add(nvjitlink, linker, kind, data, name=None):
    return nvjitlink.nvJitLinkAddData(linker, kind, data, len(data), name)


def test_the_library_and_its_release(nvjitlink):
    major, minor, err = nvjitlink.nvJitLinkVersion()
    assert not err
    found = _libraries.installed("nvjitlink")
    assert found["soname"] == f"libnvJitLink.so.{major}"
    assert found["release"] == f"{major}.{minor}"


def test_two_parts_in_ptx_become_one_cubin(nvjitlink):
    linker, err = nvjitlink.nvJitLinkCreate(1, ["-arch=sm_80"])
    assert not err
    kind = nvjitlink.NVJITLINK_INPUT_PTX
    assert not add(nvjitlink, linker, kind, TWICE.encode(), "twice.ptx")
    assert not add(nvjitlink, linker, kind, KERNEL.encode())
    assert not nvjitlink.nvJitLinkComplete(linker)
    cubin = nvjitlink.checked.nvJitLinkGetLinkedCubin(linker)
    assert len(cubin) == nvjitlink.checked.nvJitLinkGetLinkedCubinSize(linker)
    assert cubin.startswith(b"\x7fELF")
    assert b".text.kernel\0" in cubin
    assert not nvjitlink.nvJitLinkDestroy(linker)


def test_a_file_is_a_part_too(nvjitlink, tmp_path):
    file = tmp_path / "twice.ptx"
    file.write_text(TWICE)
    linker = nvjitlink.nvJitLinkHandle(numOptions=1, options=["-arch=sm_80"])
    kind = nvjitlink.NVJITLINK_INPUT_PTX
    assert not nvjitlink.nvJitLinkAddFile(linker, kind, file)
    assert not add(nvjitlink, linker, kind, KERNEL.encode())
    assert not nvjitlink.nvJitLinkComplete(linker)
    assert nvjitlink.checked.nvJitLinkGetLinkedCubinSize(linker) > 500


def link_time_code(source):
    """What NVRTC makes of a source for the linker's optimisation."""
    if not any(one.chosen for one in _libraries.survey("nvrtc")):
        unavailable("no libnvrtc (pip install nvidia-cuda-nvrtc)")
    program = nvrtc.checked.nvrtcCreateProgram(source, None, 0, None, None)
    options = ["-dlto", "--gpu-architecture=compute_80", "-rdc=true"]
    assert not nvrtc.nvrtcCompileProgram(program, len(options), options)
    code = nvrtc.checked.nvrtcGetLTOIR(program)
    assert not nvrtc.nvrtcDestroyProgram(program)
    return code


def test_two_parts_are_optimised_together(nvjitlink):
    linker = nvjitlink.checked.nvJitLinkCreate(3, ["-arch=sm_80", "-lto", "-ptx"])
    for source in (FACTOR, TAKES_FACTOR):
        code = link_time_code(source)
        assert not add(nvjitlink, linker, nvjitlink.NVJITLINK_INPUT_LTOIR, code)
    assert not nvjitlink.nvJitLinkComplete(linker)
    ptx = nvjitlink.checked.nvJitLinkGetLinkedPtx(linker)
    assert b".entry kernel(" in ptx
    assert b"42;" in ptx  # the call is gone, and so is the product
    assert b"factor" not in ptx
    assert ptx.count(b"\0") == 0
    assert not nvjitlink.nvJitLinkDestroy(linker)


def test_the_log_tells_what_is_missing(nvjitlink):
    linker = nvjitlink.nvJitLinkHandle(numOptions=1, options=["-arch=sm_80"])
    assert not add(nvjitlink, linker, nvjitlink.NVJITLINK_INPUT_PTX, KERNEL.encode())
    assert nvjitlink.nvJitLinkComplete(linker)
    log, err = nvjitlink.nvJitLinkGetErrorLog(linker)
    assert not err
    assert "doubled" in log


def test_failures(nvjitlink):
    linker, err = nvjitlink.nvJitLinkCreate(1, ["-lto"])
    assert (linker, err) == (None, nvjitlink.NVJITLINK_ERROR_MISSING_ARCH)
    with pytest.raises(GPUError, match="nvJitLinkCreate: NVJITLINK_ERROR_UNRECOGNIZED_OPTION"):
        nvjitlink.checked.nvJitLinkCreate(2, ["-arch=sm_80", "-nonsense"])
    linker = nvjitlink.nvJitLinkHandle(numOptions=1, options=["-arch=sm_80"])
    with pytest.raises(ValueError, match="data"):
        nvjitlink.nvJitLinkAddData(linker, nvjitlink.NVJITLINK_INPUT_PTX, b"short", 6, None)
    with pytest.raises(ValueError, match="options"):
        nvjitlink.nvJitLinkCreate(2, ["-arch=sm_80"])


def test_an_owner_ends_its_linker_once(nvjitlink):
    owner = nvjitlink.nvJitLinkHandle(numOptions=1, options=["-arch=sm_80"])
    assert owner
    assert not nvjitlink.nvJitLinkDestroy(owner)
    assert not owner
    del owner
    gc.collect()
