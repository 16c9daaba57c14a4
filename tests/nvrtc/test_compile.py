"""A kernel is really compiled: inputs, outputs, and failures with their logs."""

from __future__ import annotations

import contextlib
import ctypes
import inspect
import pathlib
import pickle
import threading

import pytest

import PyGPU
from PyGPU import _libraries

SOURCE = """
extern "C" __global__ void scale(float *values, float by, int count) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count) values[at] *= by;
}
"""
TEMPLATE = """
template <typename T, int n> __global__ void fill(T *values) { values[threadIdx.x] = n; }
__device__ int counter;
namespace deep { __constant__ double table[4]; }
"""
HEADERS = """
#include "first.h"
#include <second.h>
__global__ void kernel(int *out) { *out = FIRST + SECOND; }
"""


@contextlib.contextmanager
def opened(nvrtc, source):
    """A program that is destroyed at the end of the block."""
    made = nvrtc.checked.nvrtcCreateProgram(source, None, 0, None, None)
    yield made
    nvrtc.checked.nvrtcDestroyProgram(made)


def test_the_version_is_that_of_the_library(nvrtc):
    major, minor, err = nvrtc.nvrtcVersion()
    assert not err
    assert _libraries.installed("nvrtc")["release"] == f"{major}.{minor}"
    assert (major, minor) == nvrtc.checked.nvrtcVersion()


def test_all_architectures_come_back(nvrtc):
    count, err = nvrtc.nvrtcGetNumSupportedArchs()
    assert not err
    archs, err = nvrtc.nvrtcGetSupportedArchs()
    assert not err
    assert len(archs) == count > 4
    assert archs == sorted(archs)
    assert 90 in archs


def test_ptx_and_cubin_are_bytes(nvrtc, program):
    made = program(SOURCE, "--gpu-architecture=sm_90", "-fmad=false")
    ptx, err = nvrtc.nvrtcGetPTX(made)
    assert not err
    assert b".entry scale(" in ptx
    assert b".target sm_90" in ptx
    assert not ptx.endswith(b"\0")
    assert len(ptx) + 1 == nvrtc.checked.nvrtcGetPTXSize(made)  # C counts the NUL
    cubin = nvrtc.checked.nvrtcGetCUBIN(made)
    assert cubin.startswith(b"\x7fELF")
    assert len(cubin) == nvrtc.checked.nvrtcGetCUBINSize(made)
    assert nvrtc.nvrtcGetProgramLog(made) == ("", nvrtc.NVRTC_SUCCESS)


def test_other_forms_of_code(nvrtc, program, since):
    since(12, 0)
    lto = program(SOURCE, "-arch=sm_90", "-dlto")
    assert len(nvrtc.checked.nvrtcGetLTOIR(lto)) == nvrtc.checked.nvrtcGetLTOIRSize(lto) > 0
    optix = program(SOURCE, "-arch=compute_75", "--optix-ir")
    assert len(nvrtc.checked.nvrtcGetOptiXIR(optix)) == nvrtc.checked.nvrtcGetOptiXIRSize(optix) > 0


def test_code_that_was_not_asked_for_is_an_error(nvrtc, program):
    made = program(SOURCE, "-arch=compute_90")
    assert nvrtc.nvrtcGetCUBINSize(made) == (0, 0)
    none, err = nvrtc.nvrtcGetCUBIN(made)
    assert none is None
    assert err


def test_a_failure_comes_with_its_log(nvrtc, program):
    made = program("__global__ void broken( {", expect=nvrtc.NVRTC_ERROR_COMPILATION)
    log, err = nvrtc.nvrtcGetProgramLog(made)
    assert not err
    assert isinstance(log, str)
    assert "made_up.cu(1): error" in log
    assert not log.endswith("\0")


def test_the_raising_form_names_the_failure(nvrtc):
    with opened(nvrtc, "nonsense") as made:
        with pytest.raises(
            PyGPU.GPUError, match="nvrtcCompileProgram: NVRTC_ERROR_COMPILATION"
        ) as e:
            nvrtc.checked.nvrtcCompileProgram(made, 0, None)
        assert e.value.error is nvrtc.NVRTC_ERROR_COMPILATION
        assert "error" in nvrtc.checked.nvrtcGetProgramLog(made)


def test_a_message_that_is_only_the_name_is_printed_once(nvrtc):
    """NVRTC has no words for its codes: it calls a code's message by its name."""
    status = nvrtc.NVRTC_ERROR_COMPILATION
    assert nvrtc.nvrtcGetErrorString(status) == status.message == status.name
    assert str(status) == "NVRTC_ERROR_COMPILATION"


def test_an_invalid_option_is_told(nvrtc, program):
    made = program(SOURCE, "--no-such-option", expect=nvrtc.NVRTC_ERROR_INVALID_OPTION)
    assert "no-such-option" in nvrtc.checked.nvrtcGetProgramLog(made)
    assert nvrtc.NVRTC_ERROR_INVALID_OPTION.message
    assert nvrtc.nvrtcGetErrorString(5) == "NVRTC_ERROR_INVALID_OPTION"


def test_name_expressions_are_lowered(nvrtc, program):
    names = ("fill<float, 3>", "&counter", "deep::table")
    made = program(TEMPLATE, "-arch=sm_90", names=names)
    lowered = [nvrtc.checked.nvrtcGetLoweredName(made, name) for name in names]
    assert lowered[0].startswith("_Z4fillIfLi3EE")
    ptx = nvrtc.checked.nvrtcGetPTX(made).decode()
    assert all(name in ptx for name in lowered)
    other, err = nvrtc.nvrtcGetLoweredName(made, "fill<int, 3>")
    assert (other, err) == (None, nvrtc.NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    err = nvrtc.nvrtcAddNameExpression(made, "fill<int, 3>")
    assert err is nvrtc.NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION


def test_a_lowered_name_outlives_its_program(nvrtc):
    with opened(nvrtc, TEMPLATE) as made:
        nvrtc.checked.nvrtcAddNameExpression(made, "fill<char, 7>")
        nvrtc.checked.nvrtcCompileProgram(made, 0, None)
        lowered = nvrtc.checked.nvrtcGetLoweredName(made, "fill<char, 7>")
    assert lowered.startswith("_Z4fillIcLi7EE")


@pytest.mark.parametrize("kind", [str, str.encode, pathlib.Path])
def test_headers_and_options_are_texts(nvrtc, kind):
    """They are texts, as in C; a path counts as a text, too."""
    headers = ["#define FIRST 40\n", b"#define SECOND VALUE\n"]
    made = nvrtc.checked.nvrtcCreateProgram(
        HEADERS, "k.cu", 2, headers, (kind("first.h"), "second.h")
    )
    options = [kind("-DVALUE=2"), "-arch=sm_90"]
    assert not nvrtc.nvrtcCompileProgram(made, 2, options)
    assert b", 42;" in nvrtc.checked.nvrtcGetPTX(made)
    assert not nvrtc.nvrtcDestroyProgram(made)


@pytest.mark.parametrize(
    ("count", "options", "error", "said"),
    [
        (2, ["-w"], ValueError, "'options' is too short: 2 needed, 1 given"),
        (-1, ["-w"], ValueError, "'options' is too short"),
        (1, "-w", TypeError, "'options' must be a sequence, an address"),
        (1, b"-w", TypeError, "'options' must be a sequence, an address"),
        (
            1,
            [None],
            TypeError,
            "must be str, bytes or a path for each item, not NoneType",
        ),
        (1, [1], TypeError, "'options[0]' must be str, bytes or a path, not int"),
        (1, ["-w\0"], ValueError, "'options[0]' holds a NUL character"),
        (1, {"-w": 1}, TypeError, "'options' must be a sequence, an address"),
        (1.0, ["-w"], TypeError, "'numOptions' must be an integer"),
    ],
)
def test_wrong_options_are_refused(nvrtc, count, options, error, said):
    with opened(nvrtc, SOURCE) as made, pytest.raises(error) as raised:
        nvrtc.nvrtcCompileProgram(made, count, options)
    assert str(raised.value).startswith("nvrtcCompileProgram(): parameter ")
    assert said in str(raised.value)


def test_fewer_options_than_there_are_may_be_taken(nvrtc):
    with opened(nvrtc, SOURCE) as made:
        assert not nvrtc.nvrtcCompileProgram(made, 1, ["-w", "--no-such-option"])


@pytest.mark.parametrize("call", ["nvrtcGetPTX", "nvrtcGetProgramLog", "nvrtcGetCUBIN"])
def test_an_error_of_the_asked_function_is_the_status(nvrtc, call):
    """C returns the status before it writes anything."""
    value, err = getattr(nvrtc, call)(None)
    assert value is None
    assert err is nvrtc.NVRTC_ERROR_INVALID_PROGRAM


def test_what_this_release_lacks(nvrtc, since):
    """13.0 no longer has nvrtcGetNVVM."""
    since(13, 0)
    value, err = nvrtc.nvrtcGetNVVM(None)
    assert value is None
    assert err == 302
    assert str(err) == "PYGPU_ERROR_SYMBOL_NOT_FOUND: symbol not found"
    assert err is nvrtc.nvrtcResult.PYGPU_ERROR_SYMBOL_NOT_FOUND
    with pytest.raises(PyGPU.GPUError, match=r"libnvrtc\S+ has no such function"):
        nvrtc.checked.nvrtcGetNVVM(None)


def test_statuses_are_objects_of_this_api(nvrtc):
    err = nvrtc.nvrtcResult(3)
    assert err is nvrtc.NVRTC_ERROR_INVALID_INPUT is nvrtc.nvrtcResult.NVRTC_ERROR_INVALID_INPUT
    assert repr(err) == "<nvrtcResult: code=3>"
    assert (err.code, err.name, int(err)) == (3, "NVRTC_ERROR_INVALID_INPUT", 3)
    assert err == 3
    assert err != PyGPU.cuda.cudaError_t(3)
    assert not nvrtc.NVRTC_SUCCESS
    assert pickle.loads(pickle.dumps(err)) is err
    assert PyGPU.check((5, nvrtc.NVRTC_SUCCESS)) == 5
    with pytest.raises(PyGPU.GPUError, match="NVRTC_ERROR_INVALID_INPUT"):
        PyGPU.check((None, err))
    with pytest.raises(MemoryError):
        PyGPU.check((None, nvrtc.NVRTC_ERROR_OUT_OF_MEMORY))
    with pytest.raises(TypeError, match=r"not nvrtcResult: calls return \(value, err\)"):
        nvrtc.nvrtcSetPCHHeapSize(err)


def test_a_status_that_is_the_answer_is_not_raised(nvrtc, program, since):
    since(12, 8)
    err = nvrtc.checked.nvrtcGetPCHCreateStatus(program(SOURCE))
    assert err is nvrtc.NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED


def test_the_heap_of_precompiled_headers(nvrtc, since):
    since(12, 8)
    size, err = nvrtc.nvrtcGetPCHHeapSize()
    assert not err
    assert not nvrtc.nvrtcSetPCHHeapSize(size)


def test_a_constructor_owns_its_program(nvrtc):
    made = nvrtc.nvrtcProgram(src=SOURCE)
    assert "owner" in repr(made)
    assert not nvrtc.nvrtcCompileProgram(made, 0, None)
    assert not nvrtc.nvrtcDestroyProgram(made)
    assert "owner" not in repr(made)  # the object no longer owns it, so it is not destroyed twice
    made = nvrtc.nvrtcProgram(src=HEADERS, numHeaders=1, headers=[""], includeNames=["first.h"])
    assert made
    del made
    with pytest.raises(TypeError, match="parameter 'src' is missing"):
        nvrtc.nvrtcProgram(name="a")
    with pytest.raises(PyGPU.GPUError, match="NVRTC_ERROR_INVALID_INPUT"):
        nvrtc.nvrtcProgram(src=None)


def test_a_handle_is_only_its_own(nvrtc):
    with pytest.raises(TypeError, match="'prog' must be a nvrtcProgram, an address"):
        nvrtc.nvrtcDestroyProgram(PyGPU.cuda.cudaEvent_t(1 << 20))
    with pytest.raises(TypeError, match="'prog' must be a nvrtcProgram, an address"):
        nvrtc.nvrtcDestroyProgram("program")
    assert nvrtc.nvrtcDestroyProgram(None) is nvrtc.NVRTC_ERROR_INVALID_PROGRAM


def test_a_destroyed_program_is_null(nvrtc):
    """C clears the handle. Later uses are an error, and no crash."""
    made = nvrtc.checked.nvrtcCreateProgram(SOURCE, None, 0, None, None)
    assert not nvrtc.nvrtcDestroyProgram(made)
    assert not made
    assert int(made) == 0
    assert nvrtc.nvrtcDestroyProgram(made) is nvrtc.NVRTC_ERROR_INVALID_PROGRAM
    assert nvrtc.nvrtcGetPTX(made) == (None, nvrtc.NVRTC_ERROR_INVALID_PROGRAM)


def test_threads_compile_side_by_side(nvrtc):
    """The GIL is released: while one thread compiles, the others go on."""
    found = []

    def compiled(at):
        with opened(nvrtc, SOURCE.replace("scale", f"scale{at}")) as made:
            nvrtc.checked.nvrtcCompileProgram(made, 0, None)
            found.append(f".entry scale{at}(".encode() in nvrtc.checked.nvrtcGetPTX(made))

    threads = [threading.Thread(target=compiled, args=(at,)) for at in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [True] * 4


def test_functions_are_known_to_python_and_to_c(nvrtc):
    assert str(inspect.signature(nvrtc.nvrtcGetPTX)) == "(prog)"
    assert nvrtc.nvrtcGetPTX.__module__ == "PyGPU.nvrtc"
    assert pickle.loads(pickle.dumps(nvrtc.nvrtcGetPTX)) is nvrtc.nvrtcGetPTX
    assert "int (*callback)(void *, void *)" in nvrtc.nvrtcSetFlowCallback.__doc__
    ask = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    major, minor = ctypes.c_int(), ctypes.c_int()
    call = ask(nvrtc.address("nvrtcVersion"))
    assert call(ctypes.addressof(major), ctypes.addressof(minor)) == 0
    assert (major.value, minor.value) == nvrtc.checked.nvrtcVersion()
    assert {"nvrtcGetPTX", "NVRTC_SUCCESS", "nvrtcProgram", "nvrtcResult"} <= set(dir(nvrtc))
    with pytest.raises(AttributeError, match="Did you mean 'nvrtcGetPTX'"):
        nvrtc.nvrtcGetPtx  # noqa: B018
