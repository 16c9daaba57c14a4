"""Structs in calls: what C gets and gives, through a library that records it."""

from __future__ import annotations

import ctypes
import os
import warnings
from functools import partial

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda, hip
from tests.own_interpreter import Interpreter, own_interpreter

LIBRARY = r"""
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <cstdlib>
extern "C" {
unsigned char seen[4096];
std::size_t seen_size;
static void note(const void *bytes, std::size_t size) {
    std::memcpy(seen, bytes, size);
    seen_size = size;
}

int cudaRuntimeGetVersion(int *version) { *version = 13000; return 0; }

// With the tail that a longer struct of a newer release would have.
int cudaMemcpy3D(const void *p) { note(p, 160 + 64); return 0; }

struct Extent { std::size_t width, height, depth; };
struct Pitched { void *ptr; std::size_t pitch, xsize, ysize; };
int cudaMalloc3D(Pitched *out, Extent extent) {
    note(&extent, sizeof extent);
    *out = {reinterpret_cast<void *>(0x7000), extent.width + 1, extent.width, extent.height};
    return extent.width == 13 ? 2 : 0;
}

int cudaGetDeviceProperties(char *prop, int device) {
    std::memset(prop, 0, 1008);
    std::strcpy(prop, "A device");
    // A longer struct than is known here.
    if (device == 7) prop[1008 + 40] = 1;
    return 0;
}

struct dim3 { unsigned x, y, z; };
int cudaLaunchKernel(const void *, dim3 grid, dim3 block, void **, std::size_t, void *) {
    std::memcpy(seen, &grid, sizeof grid);
    std::memcpy(seen + sizeof grid, &block, sizeof block);
    seen_size = 2 * sizeof grid;
    return 0;
}

struct Access { int type, id; int flags; };
int cudaMemPoolSetAccess(void *, const Access *list, std::size_t count) {
    note(list, count * sizeof *list);
    return 0;
}

int hipRuntimeGetVersion(int *version) { *version = 60240000; return 0; }
int hipTexRefSetFlags(void *reference, unsigned flags) {
    std::memcpy(reference, &flags, sizeof flags);
    return 0;
}

struct Channel { int x, y, z, w, f; };
Channel cudaCreateChannelDesc(int x, int y, int z, int w, int f) { return {x, y, z, w, f}; }
}
"""


def seen():
    library = ctypes.CDLL(os.environ["PYGPU_CUDA_LIBRARY"])
    size = ctypes.c_size_t.in_dll(library, "seen_size").value
    return bytes((ctypes.c_ubyte * 4096).in_dll(library, "seen"))[:size]


def raises(kind, call, *words):
    with pytest.raises(kind) as raised:
        call()
    assert raised.type is kind
    assert all(word in str(raised.value) for word in words), raised.value


@pytest.fixture(scope="session")
def recorder(compile_library) -> str:
    return compile_library("libcudart.so.13", LIBRARY)


@pytest.fixture
def on_recorder(python, recorder: str) -> Interpreter:
    here = python.having(PYGPU_CUDA_LIBRARY=recorder, PYGPU_HIP_LIBRARY=recorder)
    return here.having(PYGPU_BACKEND="cuda")


@own_interpreter("on_recorder")
def test_by_pointer() -> None:
    params = cuda.cudaMemcpy3DParms(srcPtr=(bytearray(544), 10, 10, 10), extent=(4, 5, 6), kind=1)
    assert cuda.cudaMemcpy3D(params).code == 0
    assert seen() == bytes(params) + bytes(64), "the tail is zero"
    source = {"ptr": 0x7000, "pitch": 1}
    assert cuda.cudaMemcpy3D({"srcPtr": source, "extent": (1, 2, 3), "kind": 2}).code == 0
    same = cuda.cudaMemcpy3DParms(srcPtr=source, extent=(1, 2, 3), kind=2)
    assert seen() == bytes(same) + bytes(64)
    values = (None, (0, 0, 0), (0x7000, 1, 0, 0), None, (0, 0, 0), {}, (1, 2, 3), 2)
    cuda.cudaMemcpy3D(values)
    assert seen() == bytes(same) + bytes(64)
    assert PyGPU.cudaMemcpy3D(p=params).code == 0
    # Memory that no struct of PyGPU owns goes to C unchanged.
    memory = ctypes.create_string_buffer(bytes(same) + b"x" * 64, 224)
    cuda.cudaMemcpy3D(ctypes.addressof(memory))
    assert seen() == memory.raw
    cuda.cudaMemcpy3D(cuda.cudaMemcpy3DParms.from_address(ctypes.addressof(memory), memory))
    assert seen() == memory.raw
    cuda.cudaMemcpy3D(memory)
    assert seen() == memory.raw


@own_interpreter("on_recorder")
def test_wrong_arguments() -> None:
    call = cuda.cudaMemcpy3D
    raises(
        TypeError,
        lambda: call(cuda.cudaExtent()),
        "cudaMemcpy3D(): parameter 'p' must be a cudaMemcpy3DParms",
        "not a cudaExtent",
    )
    raises(
        OverflowError,
        lambda: call({"extent": {"width": -1}}),
        "cudaMemcpy3D(): parameter 'p': field 'extent.width' = -1",
    )
    raises(
        TypeError,
        lambda: call({"extent": cuda.cudaPos()}),
        "cudaMemcpy3D(): parameter 'p': field 'extent' must be a cudaExtent",
        "not a cudaPos",
    )
    raises(
        TypeError,
        lambda: call({"extnt": 1}),
        "cudaMemcpy3D(): parameter 'p': cudaMemcpy3DParms has no field 'extnt'",
    )
    raises(ValueError, lambda: call((1, 2)), "parameter 'p' needs 8 values", "got 2")
    raises(ValueError, lambda: call(b"short"), "parameter 'p' needs 160 bytes, got 5")
    raises(TypeError, lambda: call("text"), "parameter 'p' must be")
    raises(
        TypeError,
        lambda: cuda.cudaMalloc3D(cuda.cudaPos()),
        "cudaMalloc3D(): parameter 'extent' must be a cudaExtent",
        "cudaPos",
    )
    raises(TypeError, lambda: cuda.cudaMalloc3D(4096), "parameter 'extent' must be a cudaExtent")
    raises(TypeError, lambda: cuda.cudaMalloc3D(None), "parameter 'extent' must be a cudaExtent")
    raises(ValueError, lambda: cuda.cudaMalloc3D((1, 2)), "parameter 'extent' needs 3 values")
    raises(
        OverflowError,
        lambda: cuda.cudaMemPoolSetAccess(None, [{}, {"flags": -1}], 2),
        "[1].flags' = -1",
    )


@own_interpreter("on_recorder")
def test_by_value_and_out() -> None:
    pitched, error = cuda.cudaMalloc3D((4, 5, 6))
    assert error.code == 0 and type(pitched) is cuda.cudaPitchedPtr
    assert pitched == cuda.cudaPitchedPtr(0x7000, 5, 4, 5)
    assert seen() == bytes(cuda.cudaExtent(4, 5, 6))
    for form in (
        cuda.cudaExtent(1, 2, 3),
        {"width": 1, "height": 2, "depth": 3},
        [1, 2, 3],
        bytes(cuda.cudaExtent(1, 2, 3)),
    ):
        cuda.cudaMalloc3D(form)
        assert seen() == bytes(cuda.cudaExtent(1, 2, 3))
    assert cuda.cudaMalloc3D({"width": 13}) == (None, cuda.cudaErrorMemoryAllocation)
    desc = cuda.cudaCreateChannelDesc(8, 0, 0, 0, cuda.cudaChannelFormatKindFloat)
    assert desc == cuda.cudaChannelFormatDesc(8, f=cuda.cudaChannelFormatKindFloat)


@own_interpreter("on_recorder")
def test_what_c_knows_by_its_address_is_never_copied() -> None:
    reference = hip.textureReference()
    assert hip.hipTexRefSetFlags(reference, 7).code == 0 and reference.normalized == 7
    assert hip.hipTexRefSetFlags(reference.address, 8).code == 0 and reference.normalized == 8
    memory = bytearray(hip.textureReference.sizeof)
    assert hip.hipTexRefSetFlags(memory, 9).code == 0 and memory[0] == 9
    for wrong in ({}, {"normalized": 1}, (), [0] * 12, hip.hipExtent(), "text"):
        raises(
            TypeError,
            partial(hip.hipTexRefSetFlags, wrong, 7),
            "hipTexRefSetFlags(): parameter 'texRef' must be a",
        )
    raises(ValueError, partial(hip.hipTexRefSetFlags, memory[1:], 7), "needs 88 bytes, got 87")


@own_interpreter("on_recorder")
def test_launch_dimensions() -> None:
    for grid, block in (
        (2, 64),
        ((2,), [64]),
        ((2, 1), (64, 1, 1)),
        ({"x": 2}, cuda.dim3(64)),
        (np.array([2]), np.array([64, 1, 1])),
        (np.array([2, 1, 1], "u4"), np.array([64, 1], "i2")),
        (np.int64(2), np.uint32(64)),
        (np.array([2, 1, 1], "u4").tobytes(), bytes(cuda.dim3(64))),
        ({"x": 2, "z": 1}, {"x": 64}),
    ):
        assert cuda.cudaLaunchKernel(0x7000, grid, block, None, 0, None).code == 0
        assert seen() == bytes(cuda.dim3(2, 1, 1)) + bytes(cuda.dim3(64, 1, 1)), (grid, block)
    raises(
        OverflowError,
        lambda: cuda.cudaLaunchKernel(0x7000, -1, 1, None, 0, None),
        "cudaLaunchKernel(): parameter 'gridDim': field 'x' = -1",
    )
    raises(
        ValueError,
        lambda: cuda.cudaLaunchKernel(0x7000, (1, 1, 1, 1), 1, None, 0, None),
        "cudaLaunchKernel(): parameter 'gridDim' needs 3 values",
    )


@own_interpreter("on_recorder")
def test_arrays_of_structs() -> None:
    one = cuda.cudaMemAccessDesc({"type": 1, "id": 0}, 3)
    other = cuda.cudaMemAccessDesc((1, 2), 1)
    for given in ([one, other], (one, {"location": (1, 2), "flags": 1}), [((1, 0), 3), other]):
        assert cuda.cudaMemPoolSetAccess(None, given, 2).code == 0
        assert seen() == bytes(one) + bytes(other)
    assert cuda.cudaMemPoolSetAccess(None, one, 1).code == 0
    assert seen() == bytes(one)
    raises(ValueError, lambda: cuda.cudaMemPoolSetAccess(None, [one], 2), "too short")


@own_interpreter("on_recorder")
def test_a_struct_that_is_longer_than_known() -> None:
    prop, error = cuda.cudaGetDeviceProperties(0)
    assert prop.name == "A device" and type(prop) is cuda.cudaDeviceProp
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert cuda.cudaGetDeviceProperties(7) == (None, cuda.cudaSuccess)
    assert [one.category for one in caught] == [RuntimeWarning]
    assert "cudaDeviceProp" in str(caught[0].message)
    warnings.simplefilter("error")
    raises(RuntimeWarning, lambda: cuda.cudaGetDeviceProperties(7), "longer cudaDeviceProp")


@own_interpreter(PYGPU_BACKEND="cuda")
def test_names() -> None:
    assert cuda.cudaGraphEdgeData is cuda.cudaGraphEdgeData_st
    assert cuda.cudaGraphEdgeData.__name__ == "cudaGraphEdgeData"
    assert PyGPU.cudaExtent is cuda.cudaExtent
    assert cuda.cudaKernelNodeAttrValue is cuda.cudaLaunchAttributeValue
    names = {}
    exec("from PyGPU import *", names)
    assert names["cudaExtent"](1, 2, 3).depth == 3
    assert names["cudaMemcpy3DParms"] is cuda.cudaMemcpy3DParms


@own_interpreter(PYGPU_BACKEND="hip")
def test_names_on_hip() -> None:
    assert PyGPU.cudaExtent is hip.hipExtent
    assert PyGPU.dim3 is hip.dim3
    assert PyGPU.cudaIpcMemHandle_t is hip.hipIpcMemHandle_t


def test_import_makes_no_type(python) -> None:
    types = "[one for one in gc.get_objects() if isinstance(one, type) and hasattr(one, 'sizeof')]"
    assert python(f"import gc, PyGPU; print({types})").stdout == "[]\n"


def test_an_array_that_c_changes_is_a_copy() -> None:
    """tests/standin checks what comes back. These are wrong ways of passing the array."""
    groups = [cuda.cudaDevSmResourceGroupParams(smCount=8), {"smCount": 0}]
    whole = cuda.cudaDevResource()
    cuda.cudaDevSmResourceSplit(2, whole, 0, groups)
    assert groups[0].smCount == 8
    cuda.cudaDevSmResourceSplit(2, whole, 0, None)
    with pytest.raises(ValueError, match=r"'groupParams' is too short: 3 needed, 2 given"):
        cuda.cudaDevSmResourceSplit(3, whole, 0, groups)
    with pytest.raises(TypeError, match=r"'groupParams' must be a sequence of structs or None"):
        cuda.cudaDevSmResourceSplit(1, whole, 0, 0x1000)
    with pytest.raises(TypeError, match=r"'groupParams': field '\[1\].*smCunt|no field 'smCunt'"):
        cuda.cudaDevSmResourceSplit(2, whole, 0, [{}, {"smCunt": 1}])


def test_plain_pointers_in_an_array() -> None:
    """HIP types an external semaphore as void *: there must be as many numbers as C reads."""
    params = [hip.hipExternalSemaphoreSignalParams()]
    with pytest.raises(ValueError, match=r"'extSemArray' is too short: 2 needed, 1 given"):
        hip.hipSignalExternalSemaphoresAsync([0x1000], params * 2, 2, 0)
    with pytest.raises(TypeError, match=r"'extSemArray.* must be an address"):
        hip.hipSignalExternalSemaphoresAsync([b"no address"], params, 1, 0)
    with pytest.raises(TypeError, match=r"parameter 'extSem' must be an address"):
        hip.hipDestroyExternalSemaphore(b"no address")
