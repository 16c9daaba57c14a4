"""Arguments have the types that the code tells: the range of ints, and what arrays hold."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np
import pytest

import PyGPU
from PyGPU._kernels import mangled
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("python", PYGPU_BACKEND="host")

SOURCE = """
__global__ void numbers(bool b, signed char c, unsigned char h, char p, short s, unsigned short t,
                        int i, unsigned j, long l, unsigned long m, float f) {}
__global__ void floats(float *) {}
__global__ void pairs(const float2 *) {}
__global__ void vectors(const uchar4 *) {}
__global__ void integers(const unsigned *) {}
__global__ void bytes(const unsigned char *) {}
__global__ void flags(bool *) {}
__global__ void wide(long long *) {}
__global__ void places(float **) {}
__global__ void anything(const void *) {}
struct Mine { double a; };
__global__ void mine(Mine *) {}
template <typename T> __global__ void generic(T *, T) {}
__global__ void mixed(int count, float by, float *values) {
    if (threadIdx.x < count) values[threadIdx.x] *= by;
}
extern "C" __global__ void plain(int count, float by, float *values) {}
"""
GENERIC = "generic<double>"


@cache
def loaded() -> PyGPU.Module:
    code = PyGPU.compiler.compile(SOURCE, arch="compute_75", name_expressions=[GENERIC])
    return PyGPU.Module(code)


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [
        ("b", 0, 1),
        ("c", -(2**7), 2**7 - 1),
        ("h", 0, 2**8 - 1),
        ("p", -(2**7), 2**8 - 1),  # char: its sign is the platform's
        ("s", -(2**15), 2**15 - 1),
        ("t", 0, 2**16 - 1),
        ("i", -(2**31), 2**31 - 1),
        ("j", 0, 2**32 - 1),
        ("l", -(2**63), 2**63 - 1),
        ("m", 0, 2**64 - 1),
    ],
)
def test_ints_are_of_the_parameter_s_type(kind, least, most):
    """They wrapped: 200 was -56 in a signed char, and -1 in an unsigned int 4294967295."""
    at = "bchpstijlm".index(kind)
    for value, fits in ((least, True), (most, True), (least - 1, False), (most + 1, False)):
        given = [0] * 11
        given[at] = value
        if fits:
            loaded()["numbers"](*given, block=1)
            continue
        with pytest.raises(OverflowError) as raised:
            loaded()["numbers"](*given, block=1)
        place = f"numbers(): argument[{at}] = {value} is out of range ({least} to {most})"
        assert str(raised.value) == place


FITS = {
    "floats": ["f4", "V4"],
    GENERIC: ["f8"],
    "pairs": ["f4", "c8", "V8"],
    "vectors": ["u1", "i1", "?"],
    "integers": ["u4", "i4"],
    "bytes": ["u1", "i1", "?"],
    "flags": ["?", "u1", "i1"],
    "wide": ["i8", "u8", "m8[s]"],
    "places": ["u8", "i8", "m8[s]"],
    "anything": ["f8", "u1", "c16"],
    "mine": ["f8", "f4"],
}
DTYPES = ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "V4", "V8"]


class Foreign:
    """Another library's array."""

    def __init__(self, array):
        self.__cuda_array_interface__ = {
            "data": (array.ptr, False),
            "shape": array.shape,
            "typestr": array.dtype.str,
            "version": 3,
        }


@pytest.mark.parametrize("name", FITS)
def test_arrays_hold_what_the_parameter_leads_to(name):
    """A float64 array passed for `float *`, and the kernel read its bits."""
    kernel = loaded()[name]
    known = name not in ("anything", "mine")
    for dtype in [*DTYPES, "m8[s]"]:
        untyped = dtype.startswith("V")  # fields and raw bytes may be anything
        fits = not known or untyped or np.dtype(dtype) in [np.dtype(one) for one in FITS[name]]
        array = PyGPU.zeros(4, dtype)
        forms = [array, Foreign(array)]
        if hasattr(PyGPU, f"DeviceArray_{array.dtype.name}"):
            forms.append(getattr(PyGPU, f"DeviceArray_{array.dtype.name}")(4))
            forms[-1].allocate()
        for given in forms:
            arguments = [given, 0.0] if name == GENERIC else [given]
            if fits:
                kernel(*arguments, block=1)
                continue
            with pytest.raises(
                TypeError, match=r"argument\[0\] holds .*, but C takes a pointer to"
            ):
                kernel(*arguments, block=1)


def test_memory_without_a_type_fits():
    """Addresses and plain memory have no dtype; a view is the cast."""
    array = PyGPU.zeros(4, "f8")
    for given in (array.view("f4"), array.gpudata, np.uintp(array.ptr), array.ptr, None):
        loaded()["floats"](given, block=1)


@pytest.mark.parametrize("handler", ["In", "Out", "InOut"])
def test_pycuda_s_arguments_hold_what_the_parameter_leads_to(handler):
    """`drv.In(float64)` for `float *` passed memory without a type."""
    function, handler = loaded().get_function("floats"), getattr(PyGPU.driver, handler)
    for right in (np.zeros(4, "f4"), np.zeros((2, 2), "f4"), np.zeros(0, "f4")):
        function(handler(right), block=(1, 1, 1))
    with pytest.raises(
        TypeError, match=r"argument\[0\] holds double, but C takes a pointer to float"
    ):
        function(handler(np.zeros(4)), block=(1, 1, 1))


@pytest.mark.parametrize("name", ["mixed", "plain"])
def test_prepared_types_agree_with_the_code(name):
    """`prepare("iiP")` for (int, float, float *) passed an int's bits as a float."""
    kernel = loaded()[name]
    for wrong, said in (
        ("iiP", "parameter 1 of {}() is a floating-point number of 4 bytes, not an integer"),
        ("fff", "have other sizes"),
        ("ffP", "parameter 0 of {}() is an integer of 4 bytes, not a floating-point number"),
        ("ifd", "parameter 2 of {}() is a"),
        ([np.int32, np.int32, np.uintp], "parameter 1 of"),
    ):
        with pytest.raises(ValueError, match=r"^prepare\(\): ") as raised:
            kernel.prepare(wrong)
        assert said.format(name) in str(raised.value)
    values = PyGPU.to_gpu(np.ones(4, "f4"))
    for right in ("ifP", "IfQ", "ifl", [ctypes.c_int, np.float32, ctypes.c_void_p]):
        kernel.prepare(right)
        kernel.prepared_call((1, 1), (4, 1, 1), 4, 2, values)
    assert name == "plain" or values.get().tolist() == [16.0] * 4
    kernel.prepare("IfP")
    with pytest.raises(
        OverflowError, match=r"argument\[0\] = -1 is out of range \(0 to 4294967295\)"
    ):
        kernel(-1, 2, values, block=4)
    kernel.prepare("ifP")
    with pytest.raises(OverflowError, match=r"argument\[0\] = 2147483648 is out of range"):
        kernel(2**31, 2, values, block=4)


def test_prepared_kernels_check_arrays_too():
    kernel = loaded()["mixed"].prepare("ifP")
    with pytest.raises(
        TypeError, match=r"argument\[2\] holds double, but C takes a pointer to float"
    ):
        kernel(4, 2, PyGPU.zeros(4, "f8"), block=4)


@pytest.mark.parametrize(
    ("name", "element"),
    [
        ("_Z1kPf", "f4"),
        ("_Z1kPKd", "f8"),
        ("_Z1kPVKj", "i4"),
        ("_Z1kPv", ""),
        ("_Z1kPPf", "p8"),
        ("_Z1kPb", "i1"),
        ("_Z1kPn", ""),
        ("_Z1kRf", "f4"),
        ("_Z1kPA4_f", ""),
        ("_Z1kPFviE", ""),
        ("_Z1kP6__half", "f2"),
        ("_Z1kPDF16_", "f2"),
        ("_Z1kP13__nv_bfloat16", "b2"),
        ("_Z1kP7__half2", "F2"),
        ("_Z1kP6float4", "F4"),
        ("_Z1kPK7double2", "F8"),
        ("_Z1kP11double4_16a", "F8"),
        ("_Z1kP6uchar4", "I1"),
        ("_Z1kP10ulonglong2", "I8"),
        ("_Z1kP5long3", "I8"),
        ("_Z1kP6float5", ""),
        ("_Z1kP7ufloat4", ""),
        ("_Z1kP6Mine42", ""),
        ("_Z1kIfEvPT_", "f4"),
        ("_Z1kILi4EEvPf", "f4"),
        ("_Z1kN2ns6float4EP", None),
        ("_Z1kPfS_", "f4"),
    ],
)
def test_what_mangled_names_tell_of_pointers(name, element):
    understood = mangled.function(name)
    if element is None:
        assert understood is None
    else:
        assert understood.parameters[-1].element == element


@pytest.mark.parametrize("dtype", ["f2", "i2", "u2"])
def test_halves_and_their_bits(dtype, cuda_headers):
    """numpy has float16 and no bfloat16; the bits of both are integers of two bytes."""
    source = (
        "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "__global__ void half_(__half *) {}\n__global__ void two(__half2 *) {}\n"
        "__global__ void brain(__nv_bfloat16 *) {}"
    )
    built = PyGPU.Module(
        PyGPU.compiler.compile(source, arch="compute_75", include_dirs=cuda_headers)
    )
    array = PyGPU.zeros(4, dtype)
    built["half_"](array, block=1)
    built["two"](array, block=1)
    if dtype != "f2":
        built["brain"](array, block=1)
        return
    with pytest.raises(TypeError, match="holds half, but C takes a pointer to bfloat16"):
        built["brain"](array, block=1)
