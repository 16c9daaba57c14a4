"""libNVVM from the PyPI package: it compiles NVVM IR on any machine, without a GPU."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

import PyGPU
from PyGPU import GPUError, _libraries
from tests.conftest import unavailable

HEAD = """\
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128\
-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
"""
KERNEL = (
    HEAD
    + """\
declare i32 @factor()
define void @kernel(i32* %out)
{
    %a = call i32 @factor()
    %b = mul i32 %a, 7
    store i32 %b, i32* %out
    ret void
}
@llvm.used = appending global [1 x i8*] [i8* bitcast (void (i32*)* @kernel to i8*)]
!nvvm.annotations = !{!0}
!0 = !{void (i32*)* @kernel, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
"""
)
FACTOR = (
    HEAD
    + """\
define i32 @factor()
{
    ret i32 6
}
!nvvmir.version = !{!0}
!0 = !{i32 2, i32 0}
"""
)
ROOT = (
    HEAD
    + """\
declare float @__nv_sqrtf(float)
define void @root(float* %out)
{
    %a = load float, float* %out
    %b = call float @__nv_sqrtf(float %a)
    store float %b, float* %out
    ret void
}
!nvvm.annotations = !{!0}
!0 = !{void (float*)* @root, !"kernel", i32 1}
!nvvmir.version = !{!1}
!1 = !{i32 2, i32 0}
"""
)


@pytest.fixture(scope="module")
def nvvm():
    """PyGPU.nvvm with the library loaded."""
    if not any(one.chosen for one in _libraries.survey("nvvm")):
        unavailable("no libnvvm (pip install nvidia-nvvm)")
    return PyGPU.nvvm


@pytest.fixture
def program(nvvm):
    """(module, ...) -> a program of these modules, destroyed at the end."""
    made = []

    def program_of(*modules: str):
        one, err = nvvm.nvvmCreateProgram()
        assert not err
        made.append(one)
        for number, text in enumerate(modules):
            code = text.encode()
            assert not nvvm.nvvmAddModuleToProgram(one, code, len(code), f"{number}.ll")
        return one

    yield program_of
    for one in made:
        assert not nvvm.nvvmDestroyProgram(one)


def compiled(nvvm, one, *options):
    """The result of a compilation."""
    err = nvvm.nvvmCompileProgram(one, len(options), options)
    assert not err, nvvm.checked.nvvmGetProgramLog(one)
    return nvvm.checked.nvvmGetCompiledResult(one)


def test_versions(nvvm):
    assert nvvm.nvvmVersion() == (2, 0, nvvm.NVVM_SUCCESS)
    *versions, err = nvvm.nvvmIRVersion()
    assert not err
    assert versions[:2] == [2, 0]
    assert _libraries.installed("nvvm")["soname"] == "libnvvm.so.4"


def test_two_modules_become_one_ptx(nvvm, program):
    one = program(KERNEL, FACTOR)
    ptx = compiled(nvvm, one, "-arch=compute_80")
    assert b".entry kernel(" in ptx
    assert b"42;" in ptx  # the product of both modules' numbers
    assert len(ptx) == nvvm.checked.nvvmGetCompiledResultSize(one)
    assert ptx.index(b"\0") == len(ptx) - 1  # the size counts the NUL at the end


def test_a_library_of_bitcode_is_loaded_lazily(nvvm, program):
    library = Path(_libraries.installed("nvvm")["path"])
    places = (up / "nvvm/libdevice/libdevice.10.bc" for up in library.parents[:4])
    bitcode = next((one.read_bytes() for one in places if one.exists()), None)
    if bitcode is None:
        pytest.skip("no libdevice near libnvvm")
    one = program(ROOT)
    assert not nvvm.nvvmLazyAddModuleToProgram(one, bitcode, len(bitcode), None)
    assert b"sqrt.rn.f32" in compiled(nvvm, one, "-arch=compute_80")


def test_link_time_code_goes_to_the_linker(nvvm, program):
    nvjitlink = PyGPU.nvjitlink
    if not any(one.chosen for one in _libraries.survey("nvjitlink")):
        unavailable("no libnvJitLink (pip install nvidia-nvjitlink)")
    linker = nvjitlink.nvJitLinkHandle(numOptions=2, options=["-arch=sm_80", "-lto"])
    for text in (KERNEL, FACTOR):
        code = compiled(nvvm, program(text), "-arch=compute_80", "-gen-lto")
        kind = nvjitlink.NVJITLINK_INPUT_LTOIR
        assert not nvjitlink.nvJitLinkAddData(linker, kind, code, len(code), None)
    assert not nvjitlink.nvJitLinkComplete(linker)
    assert b".text.kernel\0" in nvjitlink.checked.nvJitLinkGetLinkedCubin(linker)


def test_failures_and_their_log(nvvm, program):
    broken = program(HEAD + "define void @kernel() { ret nothing }")
    assert nvvm.nvvmCompileProgram(broken, 0, None) == nvvm.NVVM_ERROR_COMPILATION
    assert "0.ll (3, 28)" in nvvm.checked.nvvmGetProgramLog(broken)
    with pytest.raises(GPUError, match="nvvmVerifyProgram: NVVM_ERROR_NO_MODULE_IN_PROGRAM"):
        nvvm.checked.nvvmVerifyProgram(program(), 0, None)
    with pytest.raises(ValueError, match="buffer"):
        nvvm.nvvmAddModuleToProgram(program(), b"short", 6, None)
    text = nvvm.nvvmGetErrorString(nvvm.NVVM_ERROR_INVALID_OPTION)
    assert text == nvvm.NVVM_ERROR_INVALID_OPTION.message


def test_an_owner_ends_its_program_once(nvvm):
    owner = nvvm.nvvmProgram()
    assert owner
    assert not nvvm.nvvmDestroyProgram(owner)
    assert not owner
    del owner
    gc.collect()
