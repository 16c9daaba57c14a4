"""gpuarray.vec and the names of PyGPU.tools that describe types to C, and that help tests."""

from __future__ import annotations

import numpy as np
import pytest

SWAP = "__global__ void swap(float2 *v) { v->x += 1; const float x = v->x; v->x = v->y; v->y = x; }"


def test_vectors_are_structs_of_device_code(device):
    vec = device.gpuarray.vec
    array = device.to_gpu(np.array([vec.make_float2(1, 2.5)], vec.float2))
    device.SourceModule(SWAP, cache_dir=False)["swap"](array, grid=1, block=1)
    assert array.get()[0] == vec.make_float2(2.5, 2)
    assert vec.make_uchar4(1, 2, 3, 255)["w"] == 255 and vec.double2.itemsize == 16
    with pytest.raises(AttributeError, match="vec has no 'float5'; it has char1, "):
        _ = vec.float5
    with pytest.raises(TypeError, match=r"make_int3\(\) takes 3 elements, not 2"):
        vec.make_int3(1, 2)


def test_all_names_of_vectors_are_cudas(device):
    vec = device.gpuarray.vec
    lines = [f"static_assert(sizeof({one}) == {getattr(vec, one).itemsize});" for one in vec.names]
    source = "\n".join([*lines, "__global__ void kernel() {}"])
    device.SourceModule(source, cache_dir=False, no_extern_c=True)


def test_c_names_of_dtypes(device):
    from PyGPU import tools

    assert tools.dtype_to_ctype(device.vec.float4) == "float4"
    assert tools.dtype_to_ctype(np.complex64) == "pycuda::complex<float>"
    assert tools.dtype_to_ctype(np.float64, with_fp_tex_hack=True) == "fp_tex_double"
    argument = tools.parse_c_arg("const unsigned long long *counts")
    assert isinstance(argument, tools.VectorArg) and argument.dtype == np.uint64
    assert tools.parse_c_arg("uchar3 color").declarator() == "uchar3 color"
    letters = [tools.get_arg_type(one) for one in ("float *x", "int n", "uchar3 c")]
    assert letters == ["P", "i", "3s"]
    pair = np.dtype([("first", "f4"), ("second", "i4")])
    tools.get_or_register_dtype("TestPair", pair)
    assert tools.get_or_register_dtype("TestPair") == pair
    assert tools.ScalarArg(pair, "p").declarator() == "TestPair p"
    with pytest.raises(tools.TypeNameNotKnown, match="no dtype has the C name TestPear"):
        tools.get_or_register_dtype("TestPear")


def test_contexts_around_tests(device):
    from PyGPU import driver, tools

    ran = []

    @tools.mark_cuda_test
    def test(value):
        assert driver.Context.get_current() is not None
        ran.append(value)

    test(3)
    assert ran == [3] and [one.name for one in test.pytestmark] == ["cuda"]
    around = tools.init_cuda_context_fixture()
    next(around)
    assert driver.Context.get_device().name()
    assert next(around, "ended") == "ended"


def test_bitlog2():
    from PyGPU import tools

    assert [tools.bitlog2(one) for one in (1, 2, 3, 2**40)] == [0, 1, 1, 40]
    with pytest.raises(ValueError, match="must be positive, not 0"):
        tools.bitlog2(0)
