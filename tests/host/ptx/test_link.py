"""PTX linked with PTX by the driver API: who sees which name, and what is refused."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")

# Two files with a function, a variable and a constant of the same names that only the file knows,
# a function of the other file, a variable of the other file, and a template's function in both.
FIRST = """
static __device__ int own(int x) { return 10 * x; }
static __device__ int counted = 3;
template <typename T> __device__ __noinline__ T twice(T x) { return x + x; }
extern __device__ int shared_by_both;
extern "C" __device__ int other(int);
extern __shared__ int room[];
extern "C" __global__ void first(int *out) {
    room[threadIdx.x] = own(counted);
    out[0] = room[threadIdx.x] + twice(1) + other(2) + shared_by_both;
}
"""
SECOND = """
static __device__ __noinline__ int own(int x) { return 1000 * x; }
static __device__ int counted = 7;
template <typename T> __device__ __noinline__ T twice(T x) { return x + x; }
__device__ int shared_by_both = 50000;
extern __shared__ int room[];
extern "C" __device__ int other(int x) { return own(x) + twice(200); }
extern "C" __global__ void second(int *out) {
    room[threadIdx.x] = own(counted);
    out[0] = room[threadIdx.x] + ++shared_by_both;
}
"""


def compiled(source: str) -> bytes:
    nvrtc = PyGPU.nvrtc.checked
    program = nvrtc.nvrtcCreateProgram(source, "file.cu", 0, None, None)
    nvrtc.nvrtcCompileProgram(program, 2, ["-arch=compute_80", "-rdc=true"])
    return nvrtc.nvrtcGetPTX(program)


def link(*parts: bytes, kind=PyGPU.cu.CU_JIT_INPUT_PTX):
    """The linked image, or what the log says; and the error."""
    PyGPU.checked.cudaFree(0)  # makes a context current
    cu = PyGPU.cu
    log, size = ctypes.create_string_buffer(400), ctypes.c_uint(400)
    options = [cu.CU_JIT_ERROR_LOG_BUFFER, cu.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), size.value)
    state = cu.checked.cuLinkCreate(2, options, ctypes.addressof(values))
    errors = [
        cu.cuLinkAddData(state, kind, part, len(part), f"part{at}", 0, None, None)
        for at, part in enumerate(parts)
    ]
    image, count, error = cu.cuLinkComplete(state)
    text = log.value.decode() if error else ctypes.string_at(image, count)
    cu.checked.cuLinkDestroy(state)
    assert cu.cuLinkDestroy(state) == cu.CUDA_ERROR_INVALID_HANDLE
    return text, next((one for one in errors if one), error)


def ptx(text: str) -> bytes:
    return f".version 8.0\n.target sm_80\n.address_size 64\n{text}\n".encode()


def ran(image: bytes, *names: str) -> list[int]:
    module = PyGPU.Module(image)
    out = PyGPU.zeros(1, np.int32)
    results = []
    for name in names:
        module[name](out, grid=1, block=1, shared=64)
        results.append(int(out.get()[0]))
    return results


@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)], ids=["declared", "defined"])
def test_two_files(order):
    image, error = link(*map(compiled, order))
    assert not error, image
    assert image.count(b".version") == 1
    assert image.endswith(b"\0")
    assert ran(image, "first", "second", "first") == [52432, 57001, 52433]


def test_a_file_linked_with_nothing_else_is_itself():
    image, error = link(compiled('extern "C" __global__ void k(int *x) { *x = 5; }'))
    assert not error
    assert ran(image, "k") == [5]


F = ".func (.reg .u32 r) f() {{ mov.u32 r, {}; ret; }}"
K = """.visible .entry k(.param .u64 p) { .reg .u64 a; .reg .u32 r;
    ld.param.u64 a, [p]; call (r), f, (); st.global.u32 [a], r; ret; }"""
DECLARED = ".extern .func (.reg .u32 r) f();\n"


def test_a_weak_definition_gives_way():
    first, second = (ptx(f".weak {F.format(value)}") for value in (1, 2))
    strong, kernel = ptx(f".visible {F.format(3)}"), ptx(DECLARED + K)
    for parts, value in (
        ((first, second, kernel), 1),
        ((kernel, second, first), 2),
        ((first, kernel, strong), 3),
        ((strong, kernel, first), 3),
    ):
        image, error = link(*parts)
        assert not error, image
        assert ran(image, "k") == [value]


@own_interpreter("on_host")
def test_lines_of_messages_name_the_right_file():
    body = """.visible .entry {0}(.param .u64 p) {{ .reg .u64 a; .loc 1 {1} 1
        ld.param.u64 a, [p]; trap; }}\n.file 1 "{0}.cu"\n"""
    image, error = link(ptx(body.format("one", 7)), ptx(body.format("two", 9)))
    assert not error
    text = image.decode()
    assert '.file 1 "one.cu"' in text
    assert '.file 2 "two.cu"' in text
    assert ".loc 2 9 1" in text


@own_interpreter("on_host")
@pytest.mark.parametrize(
    ("parts", "code", "text"),
    [
        ([ptx(f".visible {F.format(1)}")] * 2, "INVALID_PTX", "f is defined twice: in part0 and"),
        ([ptx(".visible .global .u32 v = 1;")] * 2, "INVALID_PTX", "v is defined twice"),
        ([ptx(K.split("{")[0] + "{ ret; }")] * 2, "INVALID_PTX", "k is defined twice"),
        ([ptx(DECLARED + K)], "INVALID_PTX", "f is declared, but isn't in the module"),
        ([b"no PTX at all"], "INVALID_PTX", "part0: it has no .version"),
        ([ptx(".visible .entry k( {")], "INVALID_PTX", "part0: the text ends too early"),
        ([], "INVALID_VALUE", ""),
    ],
)
def test_what_is_refused(parts, code, text):
    log, error = link(*parts)
    assert error == getattr(PyGPU.cu, f"CUDA_ERROR_{code}")
    assert text in log


@own_interpreter("on_host")
def test_machine_code_is_refused():
    cu = PyGPU.cu
    for kind in (cu.CU_JIT_INPUT_CUBIN, cu.CU_JIT_INPUT_LIBRARY, cu.CU_JIT_INPUT_OBJECT):
        _, error = link(b"\x7fELF" + bytes(60), kind=kind)
        assert error == cu.CUDA_ERROR_NO_BINARY_FOR_GPU
