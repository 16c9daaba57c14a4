"""What no field takes: errors of calls, bools where C has a number, values for pointers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import PyGPU
from PyGPU import cuda
from tests.structs.twins import Known

SWAPPED = r"\(value, err\), not \(err, value\)"
ERRORS = {
    "cuda": PyGPU.cuda.cudaError(0),
    "hip": PyGPU.hip.hipError(1),
    "cu": PyGPU.cu.CUresult(1),
}
# Fields that C only checks for zero; the APIs' rules name each of them.
BOOLEANS = {
    "cudaLaunchAttributeValue": {
        "cooperative",
        "programmaticStreamSerializationAllowed",
        "nvlinkUtilCentricScheduling",
    },
    "cudaLaunchAttributeValue.deviceUpdatableKernelNode": {"deviceUpdatable"},
    "cudaLaunchAttributeValue.programmaticEvent": {"triggerAtBlockStart"},
    "cudaGraphKernelNodeUpdate.updateData": {"isEnabled"},
    "cudaTextureDesc": {
        "sRGB",
        "normalizedCoords",
        "disableTrilinearOptimization",
        "seamlessCubemap",
    },
    "textureReference": {"normalized", "sRGB", "disableTrilinearOptimization"},
    "hipKernelNodeAttrValue": {"cooperative"},
    "hipLaunchAttributeValue": {"cooperative"},
    "hipMemAllocationProp.allocFlags": {"gpuDirectRDMACapable"},
    "hipTextureDesc": {"sRGB", "normalizedCoords"},
    "hipArray": {"isDrv"},
}
# Arrays that only C writes.
LENT = {"phGraph_out", "perDeviceData"}
BOOLEANS["CUlaunchAttributeValue_union"] = BOOLEANS["cudaLaunchAttributeValue"]
for _member in ("deviceUpdatableKernelNode", "programmaticEvent"):
    _of_cuda = BOOLEANS[f"cudaLaunchAttributeValue.{_member}"]
    BOOLEANS[f"CUlaunchAttributeValue_union.{_member}"] = _of_cuda
BOOLEANS["cudaTextureDesc_v2"] = BOOLEANS["cudaTextureDesc"]


def is_boolean(known: Known, field: Any) -> bool:
    """Whether a bool is right: by the list, by C's type, or for a field of a single bit."""
    named = field.name in BOOLEANS.get(known.struct.name, ())
    return named or field.type.base == "bool" or field.bits == 1


def refusal(made: Any, name: str, value: Any) -> str:
    """Why a field refuses a value; empty if it doesn't."""
    try:
        setattr(made, name, value)
    except (TypeError, ValueError) as error:
        return str(error)
    return ""


def test_no_field_takes_an_error(known: Known) -> None:
    error = ERRORS[known.module]
    for field in known.members:
        if field.name == "userData":  # may be any object: the callable's argument
            continue
        made = known.type()
        with pytest.raises(TypeError, match=SWAPPED):
            setattr(made, field.name, error)
        with pytest.raises(TypeError, match=SWAPPED):
            known.type(**{field.name: error})
        array = hasattr(getattr(made, field.name), "__len__") and field.name not in LENT
        if array and not field.type.base.endswith("char"):
            with pytest.raises(TypeError, match=SWAPPED):
                setattr(made, field.name, [error])


@pytest.mark.parametrize("value", [True, np.True_])
def test_only_what_is_true_or_false_takes_a_bool(known: Known, value: Any) -> None:
    for field in known.members:
        made = known.type()
        if field.name == "userData":
            continue
        if is_boolean(known, field):
            setattr(made, field.name, value)
            assert int(getattr(made, field.name)) == 1, field.name
            continue
        said = refusal(made, field.name, value)
        if said:  # a struct is longer than numpy's byte
            assert "bool" in said or "bytes" in said, field.name
        else:  # a pointer may lead to numpy's bools, which are memory of one byte
            assert isinstance(value, np.bool_), field.name
            there = getattr(made, field.name)
            assert isinstance(there, (bytes, str)) or int(there) > 4096, field.name


def test_a_ctypes_pointer_is_an_address_or_refused(known: Known) -> None:
    """It has items, but no end, so nothing may ask for all of them."""
    cell = ctypes.c_int(7)
    pointer = ctypes.pointer(cell)
    for field in known.members:
        made = known.type()
        try:
            setattr(made, field.name, pointer)
        except (TypeError, ValueError):
            continue
        value = getattr(made, field.name)
        if field.name == "userData":
            assert value is pointer
        elif not isinstance(value, bytes):
            assert int(value) == ctypes.addressof(cell), field.name


def test_items_of_an_array_refuse_both_too() -> None:
    made = cuda.cudaDeviceProp()
    with pytest.raises(TypeError, match=SWAPPED):
        made.maxThreadsDim[0] = ERRORS["cuda"]
    with pytest.raises(TypeError, match="not bool"):
        made.maxThreadsDim[0] = True
    with pytest.raises(TypeError, match="maxThreadsDim must be a sequence"):
        made.maxThreadsDim[:] = ctypes.pointer(ctypes.c_int())


def test_a_struct_by_position_and_by_address_refuses_them() -> None:
    error = ERRORS["cuda"]
    for make in (
        lambda: cuda.dim3(error),
        lambda: cuda.make_cudaExtent(1, error, 3),
        lambda: cuda.cudaExtent.from_address(error),
        lambda: cuda.cudaMemcpy3DParms(srcPtr=(error, 1, 1, 1)),
        lambda: cuda.cudaMemcpy3D({"extent": (1, 2, error)}),
        lambda: cuda.cudaMemcpy3D(error),
        lambda: cuda.cudaLaunchConfig_t(attrs=[error]),
    ):
        with pytest.raises(TypeError, match=SWAPPED):
            make()
    for make in (lambda: cuda.dim3(True), lambda: cuda.cudaExtent.from_address(True)):
        with pytest.raises(TypeError, match="not bool"):
            make()
