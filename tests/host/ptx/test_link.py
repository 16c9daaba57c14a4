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


def test_common_variables_are_one():
    read = """.visible .entry {0}(.param .u64 p) {{ .reg .u64 a; .reg .u32 r; ld.param.u64 a, [p];
        ld.global.u32 r, [v{1}]; st.global.u32 [a], r; st.global.u32 [v], 7; ret; }}"""
    small = ptx(".common .global .u32 v;" + read.format("small", "").replace(", 7", ", r"))
    large = ptx(".common .global .u32 v[2];" + read.format("large", "+4").replace(", 7", ", r"))
    strong = ptx(".visible .global .u32 v[2] = {5, 6};")
    for parts, values in (((small, large), [0, 0]), ((small, strong, large), [5, 6])):
        image, error = link(*parts)
        assert not error, image
        assert ran(image, "small", "large") == values


def test_single_variables_of_a_statement_give_way():
    several = ptx(".weak .global .u32 a = 1, b = 2, c = 3;")
    reads = "".join(
        f".extern .global .u32 {v}; .visible .entry k{v}(.param .u64 p) {{ .reg .u64 x;"
        f" .reg .u32 r; ld.param.u64 x, [p]; ld.global.u32 r, [{v}];"
        " st.global.u32 [x], r; ret; }\n"
        for v in "abc"
    )
    for strong in ("a", "b", "c", "ab", "bc", "ac", "abc"):
        texts = [ptx(f".visible .global .u32 {v} = 9;") for v in strong]
        image, error = link(several, *texts, ptx(reads))
        assert not error, image
        expected = [9 if v in strong else 1 + "abc".index(v) for v in "abc"]
        assert ran(image, "ka", "kb", "kc") == expected


def test_names_of_one_text_that_look_like_other_words():
    def own(number, name):
        kernel = f""".global .u32 {name} = {number};
        .visible .entry k{number}(.param .u64 p) {{ .reg .u64 a; .reg .u32 r<3>;
        ld.param.u64 a, [p]; ld.global.u32 r1, [{name}]; st.global.u32 [a], r1; ret; }}"""
        return ptx(kernel)

    for name in ("ret", "r", "st", "own$1"):
        image, error = link(own(1, name), own(2, name))
        assert not error, image
        image, error = link(image, own(3, name), own(4, name))
        assert not error, image
        assert ran(image, "k1", "k2", "k3", "k4") == [1, 2, 3, 4]


def test_files_and_fat_binaries(tmp_path):
    cu = PyGPU.cu
    PyGPU.checked.cudaFree(0)
    path = tmp_path / "part.ptx"
    path.write_bytes(ptx(f".visible {F.format(8)}\n// no line's end"))
    state = cu.checked.cuLinkCreate(0, None, None)
    cu.checked.cuLinkAddFile(state, cu.CU_JIT_INPUT_PTX, path, 0, None, None)
    text = ptx(DECLARED + K)
    cu.checked.cuLinkAddData(state, cu.CU_JIT_INPUT_PTX, text, len(text), "k", 0, None, None)
    image, count = cu.checked.cuLinkComplete(state)
    assert ran(ctypes.string_at(image, count), "k") == [8]
    cu.checked.cuLinkDestroy(state)


@own_interpreter("on_host")
def test_lines_of_messages_name_the_right_file():
    body = """.visible .entry {0}(.param .u64 p) {{ .reg .u64 a; .loc 1 {1} 1
        ld.param.u64 a, [p]; trap; .loc 1 3 1, function_name $f, inlined_at 1 {1} 1\n }}
        .file 1 "{0}.cu", 12, 34"""
    image, error = link(ptx(body.format("one", 7)), ptx(body.format("two", 9)))
    assert not error
    text = image.decode()
    assert '.file 1 "one.cu"' in text
    assert '.file 2 "two.cu"' in text
    assert ".loc 2 9 1" in text
    assert "inlined_at 2 9 1" in text


@own_interpreter("on_host")
@pytest.mark.parametrize(
    ("parts", "code", "text"),
    [
        ([ptx(f".visible {F.format(1)}")] * 2, "INVALID_PTX", "f is defined twice: in part0 and"),
        ([ptx(".visible .global .u32 v = 1;")] * 2, "INVALID_PTX", "v is defined twice"),
        ([ptx(K.split("{")[0] + "{ ret; }")] * 2, "INVALID_PTX", "k is defined twice"),
        ([ptx(DECLARED + K)], "INVALID_PTX", "part0: f is declared and used, but no part defines"),
        (
            [ptx(".extern .global .u32 v; .entry k() { .reg .u64 a; mov.u64 a, v; ret; }")],
            "INVALID_PTX",
            "v is declared and used, but no part defines it",
        ),
        ([ptx(".visible .func g() { ret; } .alias f, g;")], "INVALID_PTX", "an .alias can't be"),
        ([b"no PTX at all"], "INVALID_PTX", "part0, line 1: it has no .version"),
        ([ptx(".visible .entry k( {")], "INVALID_PTX", "part0, line 5: the text ends too early"),
        ([ptx(".visible .entry k() { nonsense!; }")], "INVALID_PTX", "the linked text, line"),
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
