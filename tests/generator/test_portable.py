"""CUDA's names, and what they stand for on HIP."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator import emit, store
from generator.errors import GeneratorError
from generator.plan import portable
from generator.plan.binding import PublicName
from tests import reviewed

# A sample of AMD's own table, with each way in which counterparts are found: HIPIFY's
# docs/reference/tables/CUDA_Driver_API_functions_supported_by_HIP.md.
HIPIFYS = {
    "cuCtxCreate": "hipCtxCreate",
    "cuDeviceGetCount": "hipGetDeviceCount",
    "cuEventCreate": "hipEventCreateWithFlags",
    "cuGraphAddMemsetNode": "hipDrvGraphAddMemsetNode",
    "cuGraphMemcpyNodeGetParams": "hipDrvGraphMemcpyNodeGetParams",
    "cuLaunchCooperativeKernel": "hipModuleLaunchCooperativeKernel",
    "cuLaunchKernel": "hipModuleLaunchKernel",
    "cuMemAlloc": "hipMalloc",
    "cuMemAllocAsync": "hipMallocAsync",
    "cuMemAllocHost": "hipMemAllocHost",
    "cuMemAllocPitch": "hipMemAllocPitch",
    "cuMemFree": "hipFree",
    "cuMemFreeHost": "hipHostFree",
    "cuMemHostGetFlags": "hipHostGetFlags",
    "cuMemcpy2D": "hipMemcpyParam2D",
    "cuMemcpy3D": "hipDrvMemcpy3D",
    "cuMemcpyHtoD": "hipMemcpyHtoD",
    "cuModuleLoadData": "hipModuleLoadData",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": (
        "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"
    ),
    "cuPointerGetAttributes": "hipDrvPointerGetAttributes",
    "cuStreamCreate": "hipStreamCreateWithFlags",
    "cuTexRefGetMipmappedArray": "hipTexRefGetMipMappedArray",
    "CU_AD_FORMAT_FLOAT": "HIP_AD_FORMAT_FLOAT",
    "CU_DEVICE_ATTRIBUTE_WARP_SIZE": "hipDeviceAttributeWarpSize",
    "CU_STREAM_NON_BLOCKING": "hipStreamNonBlocking",
    "CUDA_ERROR_INVALID_PTX": "hipErrorInvalidKernelFile",
    "CUDA_ERROR_LAUNCH_TIMEOUT": "hipErrorLaunchTimeOut",
    "CUDA_MEMCPY2D": "hip_Memcpy2D",
    "CUcontext": "hipCtx_t",
    "CUdevice_attribute": "hipDeviceAttribute_t",
    "CUmodule": "hipModule_t",
    "CUstream": "hipStream_t",
}


@pytest.fixture(scope="module")
def plans():
    return [emit._plan(name, emit.SPECS) for name in ("cuda_runtime", "hip_runtime")]


def of_hip(api="cuda_runtime"):
    return portable.load(emit.SPECS, "hip_runtime", api)


def test_what_hip_has_by_a_like_name_is_served(plans):
    """A function with another form needs an adaptor, or "" in portable.toml: none is lost."""
    cuda, hip = plans
    exceptions = of_hip()
    assert lost(cuda, hip, exceptions) == refused(exceptions)


def test_what_hip_has_of_the_driver_is_served(plans):
    """The same, except for a value that only resembles HIP's."""
    exceptions = of_hip("cuda_driver")
    cuda = emit._plan("cuda_driver", emit.SPECS)
    assert lost(cuda, plans[1], exceptions) == refused(exceptions)
    found = {one.cuda: one.hip for one in portable.names(cuda, plans[1], exceptions)}
    for mine, theirs in HIPIFYS.items():
        assert found.get(mine) == theirs, mine


def lost(cuda, hip, exceptions):
    """The names without a counterpart, though HIP has something similar."""
    served = {one.cuda for one in portable.names(cuda, hip, exceptions)}
    alike = portable.Alike(cuda, hip, exceptions)
    functions = {one.name for group in cuda.groups.values() for one in group}
    every = functions | {one.name for one in cuda.names}
    model = store.load(emit.SPECS / "hip_runtime" / "api.json")
    unread = model.functions.keys() - reviewed.functions(model)
    most_likely = {name: next(alike.all(name), None) for name in every}
    return {name for name, one in most_likely.items() if one and one not in unread} - served


def refused(exceptions):
    tables = (getattr(exceptions, one) for one in portable.NAMES)
    return {name for table in tables for name, value in table.items() if not value}


def test_codes_have_the_counterpart_of_their_name_or_number(plans):
    """HIP's later codes have numbers with other meanings in CUDA."""
    cuda, hip = plans
    added = [
        PublicName("hipErrorInvalidTexture", "error", value=912),
        PublicName("cudaErrorInvalidClusterSize", "error", value=912),
    ]
    hip = replace(hip, names=(*hip.names, added[0]))
    cuda = replace(cuda, names=(*cuda.names, added[1]))
    found = {one.cuda: one.hip for one in portable.names(cuda, hip, of_hip())}
    assert found["cudaErrorInvalidTexture"] == "hipErrorInvalidTexture"  # CUDA's number is 18
    assert "cudaErrorInvalidClusterSize" not in found
    assert found["cudaErrorMemoryAllocation"] == "hipErrorMemoryAllocation"
    assert found["cudaErrorNoKernelImageForDevice"] == "hipErrorNoBinaryForGpu"  # both are 209


def test_a_value_of_cudas_own_gives_way_to_hips(plans):
    """A value that a later HIP has is taken although the entry stays."""
    cuda, hip = plans
    hip = replace(hip, names=(*hip.names, PublicName("hipEventWaitDefault", "constant")))
    found = {one.cuda: one.hip for one in portable.names(cuda, hip, of_hip())}
    assert found["cudaEventWaitDefault"] == "hipEventWaitDefault"
    assert found["cudaPeerAccessDefault"] == "cudaPeerAccessDefault"


def test_a_type_is_no_counterpart_of_a_value(plans):
    """Names may match: cudaJitCacheMode is an enumerator, HIP 7's counterpart is an enum."""
    cuda, hip = plans
    assert next(one.kind for one in cuda.names if one.name == "cudaJitCacheMode") == "enumerator"
    hip = replace(hip, names=(*hip.names, PublicName("hipJitCacheMode", "enum_type")))
    found = {one.cuda: one.hip for one in portable.names(cuda, hip, of_hip())}
    assert found["cudaJitCacheMode"] == "hipJitOptionCacheMode"


def test_kinds_of_counterparts(plans):
    """A type stands for a type, a value for a value."""
    cuda, hip = ({one.name: one.kind for one in plan.names} for plan in plans)
    values = {"constant", "enumerator"}
    for one in portable.names(*plans, of_hip()):
        if one.cuda in cuda and one.hip in hip:
            kinds = {cuda[one.cuda], hip[one.hip]}
            assert len(kinds) == 1 or kinds == values, one


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"prefixes": {"cudaJitt": "hipJitOption"}}, "no names begin with cudaJitt"),
        ({"values": {"cudaNothing": "hipSuccess"}}, "cudaNothing = 'hipSuccess' names something"),
        ({"values": {"cudaHostAllocDefault": "hipNothing"}}, "names something that doesn't exist"),
        (
            {"same": {"cudaThreadExit": "cudaDeviceGetLimit"}},
            "cudaThreadExit is not cudaDeviceGetL",
        ),
    ],
)
def test_wrong_entries_are_told(plans, wrong, said):
    known = of_hip()
    exceptions = replace(known, **wrong)
    with pytest.raises(GeneratorError, match=f"cuda_runtime: .*{said}"):
        portable.names(*plans, exceptions)
