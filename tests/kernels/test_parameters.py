"""The parameters of kernels: what PTX tells, and what mangled names add."""

from __future__ import annotations

import pytest

from PyGPU import compiler
from PyGPU._kernels import mangled
from PyGPU._kernels.parameters import Parameter, of_ptx, plain_names

KERNELS = """
struct Pair { int first; float second; };
enum Colour { RED, GREEN };
enum Wide : unsigned long long { ONE };
typedef void (*Function)(int);
template <typename T> struct Span { T *begin; int size; };
__global__ void all(
    float *, const unsigned *, int, unsigned, float, double, bool, char, signed char, unsigned char,
    short, unsigned short, long, unsigned long, long long, unsigned long long, Pair, Colour, Wide,
    float4, int3, Function, float (&)[4], Pair *, const Pair *, cudaTextureObject_t, __int128) {}
template <typename T> __global__ void spans(Span<T>, const Span<int> &, T, volatile T *) {}
template <typename... T> __global__ void pack(T...) {}
namespace one { namespace two { struct Inner {}; template <int n, bool b> struct Deep {};
__global__ void nested(Inner, Deep<3, true>, Deep<-1, false>, Inner, unsigned, int) {} } }
extern "C" __global__ void bare(float *, unsigned, double, Pair, long long) {}
extern "C" __global__ void empty() {}
__global__ void empty_too() {}
"""


@pytest.fixture
def described(build):
    made = build(
        KERNELS,
        "--device-int128",
        target="ptx",
        name_expressions=["spans<double>", "pack<int, float, Pair>"],
    )
    return {
        expression: [(one.kind, one.size, one.signed) for one in made.parameters[lowered]]
        for expression, lowered in made.names.items()
    }


def test_every_kind_of_parameter(described):
    pointer, four = ("pointer", 8, None), ("integer", 4, None)
    assert described["all"] == [
        pointer, pointer, ("integer", 4, True), ("integer", 4, False), ("float", 4, None),
        ("float", 8, None), ("integer", 1, False), ("integer", 1, None), ("integer", 1, True),
        ("integer", 1, False), ("integer", 2, True), ("integer", 2, False), ("integer", 8, True),
        ("integer", 8, False), ("integer", 8, True), ("integer", 8, False), ("bytes", 8, None),
        four, ("integer", 8, None), ("bytes", 16, None), ("bytes", 12, None), pointer, pointer,
        pointer, pointer, ("integer", 8, False), ("integer", 16, True),
    ]  # fmt: skip
    assert described["spans<double>"] == [
        ("bytes", 16, None), pointer, ("float", 8, None), pointer,
    ]  # fmt: skip
    assert described["one::two::nested"][-2:] == [("integer", 4, False), ("integer", 4, True)]


def test_where_only_ptx_tells(described):
    """A kernel in C has a plain name."""
    assert described["bare"] == [
        ("word", 8, None), ("integer", 4, None), ("float", 8, None), ("bytes", 8, None),
        ("word", 8, None),
    ]  # fmt: skip
    assert described["pack<int, float, Pair>"] == [
        ("integer", 4, True), ("float", 4, None), ("bytes", 8, None),
    ]  # fmt: skip
    assert described["empty"] == described["empty_too"] == []


@pytest.mark.parametrize("arch", ["compute_75", "compute_90", "compute_100", "compute_120"])
def test_ptx_of_other_architectures(nvrtc, arch):
    """Code for newer architectures comes from another back end, which marks pointers."""
    if int(arch[8:]) not in nvrtc.checked.nvrtcGetSupportedArchs():
        pytest.skip(f"this NVRTC doesn't know {arch}")
    made = compiler.compile(KERNELS, "--device-int128", arch)
    kinds = [one.kind for one in made.parameters["bare"]]
    assert kinds[0] in ("pointer", "word") and kinds[1:4] == ["integer", "float", "bytes"]
    assert [one.kind for one in made.parameters[made.names["all"]]].count("pointer") == 6


def test_halves_are_floats(build, cuda_headers):
    made = build(
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "__global__ void kernel(__half, __nv_bfloat16, const __half, __half2, __half *) {}"
    )
    (listed,) = made.parameters.values()
    assert [(one.kind, one.size, one.type) for one in listed] == [
        ("float", 2, "half"), ("float", 2, "bfloat16"), ("float", 2, "half"),
        ("bytes", 4, "b8[4]"), ("pointer", 8, "pointer"),
    ]  # fmt: skip


def test_the_forms_of_ptx():
    text = """
.visible .entry first(
	.param .u64 .ptr .global .align 4 first_param_0,
	.param .u64 .ptr .align 1 first_param_1,
	.param .align 16 .b8 first_param_2[32],
	.param .b32 first_param_3,
	.param .b8 first_param_4[3]
)
.maxntid 128, 1, 1
{ }
	// .entry none(
.weak .entry second()
.func (.param .b32 result) helper(.param .b64 a) { }
"""
    assert of_ptx(text) == {
        "first": (
            Parameter(8, "pointer", None, 0, "pointer"),
            Parameter(8, "pointer", None, 8, "pointer"),
            Parameter(32, "bytes", None, 16, "b8[32]"),
            Parameter(4, "integer", None, 48, "b32"),
            Parameter(3, "bytes", None, 52, "b8[3]"),
        ),
        "second": (),
    }


def test_comments_and_unknown_types_in_ptx():
    text = """
.file 1 "/home//*/ .entry source.cu"
.visible .entry first( // (of two
    .param .u64 values, // the array (device memory), of floats
    .param .u32 count /* of them, (n) */
) { }
.visible .entry old(.param .texref table) { }
// .entry none()
/* .visible
.entry none() */
.visible .entry last(.param .f16x2 pair, .param .u32 count) { }
.visible .entry huge(.param .align 4 .b8 all[0x10]) { }
"""
    assert of_ptx(text) == {
        "first": (
            Parameter(8, "word", None, 0, "u64"),
            Parameter(4, "integer", None, 8, "u32"),
        ),
        "last": (
            Parameter(4, "bytes", None, 0, "b8[4]"),
            Parameter(4, "integer", None, 4, "u32"),
        ),
        "huge": (Parameter(16, "bytes", None, 0, "b8[16]"),),
    }


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("_Z1kif", ".u32 .f32"),  # agrees with the PTX
        ("_Z1kff", None),  # another kind
        ("_Z1kxf", None),  # another size
        ("_Z1ki", None),  # fewer
        ("_Z1kPif", None),
    ],
)
def test_a_name_that_disagrees_is_not_believed(name, types):
    (listed,) = of_ptx(f".entry {name}(.param .u32 a, .param .f32 b)").values()
    assert listed[0].type == ("int" if types else "u32")
    assert [one.size for one in listed] == [4, 4]


NOT_UNDERSTOOD = [
    "k",
    "_Z",
    "_Z1",
    "_Z99x",
    "_Z1k",
    "_Z1kPPPP",
    "_Z1kS9_",
    "_ZN1aE",
    "_Z1kT_",
    "_Z1kIiE",
    "_Z1kN1aE1",
    "_Z1kS",
    "_Z1kS_",
    "_Z1kDpT_",
    "_Z1kZ1fvE1A",
    "_Z1kA",
    "_Z0k",
    "_Z1kivi",
    "_Z1kT",
    "_Z1kF",
    "_Z1kI",
    "_Z1kIL",
    "_Z1kILi",
    "_Z1kU3foo",
]


@pytest.mark.parametrize(
    "name", ["", *NOT_UNDERSTOOD, "_Z1k" + "P" * 100000 + "i", "_Z" + "9" * 5000 + "f"]
)
def test_names_that_are_not_understood_say_nothing(name):
    assert mangled.function(name) is None


SUBSTITUTED = """
template <typename A, typename B> struct P { A a; B b; };
struct Q { char c[3]; };
template <typename T, typename U> __global__ void f(
    P<T, U>, P<T, U> *, P<U, T>, Q, Q *, T, U, const T *, U (*)(T), T (&)[3],
    P<Q, P<T, U> >, U, T) {}
"""


@pytest.mark.parametrize(
    ("source", "name"), [(SUBSTITUTED, "f"), ("namespace n {" + SUBSTITUTED + "}", "n::f")]
)
def test_substitutions_stand_for_what_they_stood_for(build, source, name):
    """Compared with the compiler: a miscounted substitution would give other sizes."""
    made = build(source, target="ptx", name_expressions=[f"{name}<double, unsigned char>"])
    (listed,) = made.parameters.values()
    assert [one.type for one in listed] == [
        "b8[16]", "pointer", "b8[16]", "b8[3]", "pointer", "double", "unsigned char", "pointer",
        "pointer", "pointer", "b8[24]", "unsigned char", "double",
    ]  # fmt: skip


def test_plain_names_tell_kernels_apart():
    names = dict.fromkeys(
        ["bare", "_Z3onei", "_Z3onef", "_ZN1a3oneEv", "_Z3twoIiEvv", "_Z5threeDp"], ()
    )
    assert plain_names(names) == {"bare": "bare", "a::one": "_ZN1a3oneEv"}


@pytest.mark.parametrize(
    "text",
    [".param .u4 x", ".param .u0 x", ".param .align 0 .b8 x[4]", ".param .b8 x[" + "9" * 5000 + "]",
     ".param .align " + "9" * 5000 + " .b8 x[4]", ".param .u" + "9" * 5000 + " x"],
)  # fmt: skip
def test_ptx_that_no_compiler_writes_says_nothing(text):
    """The driver is to refuse it, with its own message."""
    assert of_ptx(f".entry k({text})") == {}
