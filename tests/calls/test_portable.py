"""CUDA's names on HIP: places in memory, and what HIP can't express."""

from __future__ import annotations

import ctypes
import inspect
import os
import sys

import pytest

import PyGPU
from PyGPU import cuda, hip
from tests.own_interpreter import own_interpreter


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nonexistent")
def test_places_in_memory():
    # There is no HIP library here. A call that an adaptor can express gives 303. Other calls are
    # refused.
    device = PyGPU.cudaMemLocation(type=PyGPU.cudaMemLocationTypeDevice, id=0)
    host = (PyGPU.cudaMemLocationTypeHost, 0)
    assert PyGPU.cudaMemLocationTypeHost == cuda.cudaMemLocationTypeHost
    for place in (device, (1, 0), host, {"type": 2}):
        assert PyGPU.cudaMemPrefetchAsync(4096, 16, place, 0, 0).code == 303
        assert PyGPU.cudaMemPrefetchAsync(4096, 16, location=place, flags=0).code == 303
        assert PyGPU.cudaMemAdvise(4096, 16, 1, place).code == 303
    for place in ((0, 0), (3, 0), (4, 0)):
        refused = PyGPU.cudaMemPrefetchAsync(4096, 16, place, 0, 0)
        assert refused.name == "cudaErrorNotSupported", refused
        assert PyGPU.cudaMemAdvise(4096, 16, 3, place) == refused
        # Advice 1 (read mostly) ignores the place.
        assert PyGPU.cudaMemAdvise(4096, 16, 1, place).code == 303
    assert PyGPU.cudaMemPrefetchAsync(4096, 16, host, 1, 0) == refused
    for wrong, words in (
        (lambda: PyGPU.cudaMemAdvise(4096, 16, 1, 0), "cudaMemAdvise(): parameter 'location'"),
        (lambda: PyGPU.cudaMemAdvise(bytearray(8), 16, 1, host), "'devPtr' is too short"),
        (lambda: PyGPU.cudaNvSciSyncAttrSignal, "HIP has no counterpart"),
    ):
        with pytest.raises((TypeError, ValueError, AttributeError)) as raised:
            wrong()
        assert words in str(raised.value)


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nonexistent")
def test_edges_of_graphs():
    refused = PyGPU.cudaGraphAddDependencies(4096, [1 << 20], [2 << 20], [{}], 1)
    assert refused.name == "cudaErrorNotSupported"
    assert PyGPU.cudaGraphAddDependencies(4096, [1 << 20], [2 << 20], None, 1).code == 303
    assert PyGPU.cudaGraphGetEdges(4096)[:3] == (None, None, None)


def refusal(function, arguments):
    try:
        function(*arguments)
    except (TypeError, PyGPU.GPUError) as error:
        return error


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nonexistent")
def test_signatures_are_cudas():
    """Arguments with a default in CUDA's header are optional on HIP. Messages use CUDA's name."""
    seen = 0
    for name in PyGPU.cuda.__all__:
        function = getattr(PyGPU, name, None) if name.startswith("cuda") else None
        if not inspect.isbuiltin(function):
            continue
        name = function.__name__  # some older names are aliases of another function
        every = inspect.signature(function).parameters.values()
        due = [one for one in every if one.default is one.empty]
        refused = refusal(function, [...] * len(due))
        if isinstance(refused, PyGPU.GPUError):  # takes no argument, and C gives no status
            assert not due and refused.call == name and refused.error == 801
        elif refused:
            assert str(refused).startswith(name + "(): parameter")
            assert "is missing" not in str(refused)
            seen += 1
        if due:
            refused = refusal(function, [...] * (len(due) - 1))
            assert not refused or f"{name}(" in str(refused)
            assert not refused or f"parameter '{due[-1].name}' is missing" in str(refused)
    assert seen > 200, seen


@own_interpreter("on_hip")
def test_flags_arrive_as_hip_means_them():
    """On the host runtime's HIP functions: the flags that were passed can be read back."""
    gpu = PyGPU.checked
    for name in ("Default", "Portable", "Mapped", "WriteCombined"):
        flag = getattr(PyGPU, f"cudaHostAlloc{name}")
        assert flag == getattr(PyGPU.hip, f"hipHostMalloc{name}")
        memory = gpu.cudaHostAlloc(64, flag)
        assert gpu.cudaHostGetFlags(memory) & flag == flag
        gpu.cudaFreeHost(memory)
    event, stream = PyGPU.cudaEvent_t(), PyGPU.cudaStream_t()
    gpu.cudaEventRecordWithFlags(event, stream, PyGPU.cudaEventRecordDefault)
    gpu.cudaStreamWaitEvent(stream, event, PyGPU.cudaEventWaitDefault)
    gpu.cudaEventRecordWithFlags(event)
    gpu.cudaEventSynchronize(event)
    assert PyGPU.cudaEventRecordWithFlags(event, stream, 1) == PyGPU.cudaErrorNotSupported
    gpu.cudaSetDeviceFlags(PyGPU.cudaDeviceBlockingSync)


@own_interpreter("on_hip")
def test_attributes_are_told_apart():
    """HIP numbers its attributes differently. Each name asks for what it says."""
    ask, properties = PyGPU.cudaDeviceGetAttribute, PyGPU.checked.cudaGetDeviceProperties(0)
    names = {
        "MaxThreadsPerBlock": "maxThreadsPerBlock",
        "WarpSize": "warpSize",
        "MultiProcessorCount": "multiProcessorCount",
        "PciDomainId": "pciDomainID",
        "GlobalMemoryBusWidth": "memoryBusWidth",
        "L2CacheSize": "l2CacheSize",
        "TotalConstantMemory": "totalConstMem",
        "MaxPitch": "memPitch",
        "MaxThreadsPerMultiProcessor": "maxThreadsPerMultiProcessor",
        "ComputeCapabilityMajor": "major",
        "MaxSharedMemoryPerBlock": "sharedMemPerBlock",
    }
    seen = set()
    for name, field in names.items():
        value, err = ask(getattr(PyGPU, "cudaDevAttr" + name), 0)
        assert not err and value == min(getattr(properties, field), 2**31 - 1), name
        seen.add(value)
    assert len(seen) > 4
    for name in ("MaxTexture2DLayeredWidth", "MaxSurface2DHeight", "NumaId"):
        with pytest.raises(AttributeError, match="HIP has no counterpart"):
            getattr(PyGPU, "cudaDevAttr" + name)


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nonexistent")
def test_errors_have_cudas_names():
    """A code has the same meaning in both vendors' headers, however HIP spells it."""
    for name, cudas in (
        ("OutOfMemory", "MemoryAllocation"),
        ("NoBinaryForGpu", "NoKernelImageForDevice"),
        ("LaunchTimeOut", "LaunchTimeout"),
    ):
        code = int(getattr(hip, "hipError" + name))
        mine = getattr(PyGPU, "cudaError" + cudas)
        assert mine is PyGPU.cudaError_t(code) and mine.name == "cudaError" + cudas
        assert str(mine).startswith("cudaError" + cudas + ": ")
    assert PyGPU.cudaError_t(1052).name == "hipErrorRuntimeMemory"  # only HIP has it


def seen_modules():
    return {name for name in sys.modules if name.startswith("PyGPU._")}


@own_interpreter("on_hip")
def test_the_drivers_names_reach_hip():
    """On the host runtime's HIP functions.

    The first name that is used imports the driver's module.
    """
    assert not {"PyGPU._cu", "PyGPU._nvrtc"} & seen_modules()
    gpu = PyGPU.checked
    gpu.cuInit(0)
    assert "PyGPU._cu" in seen_modules()
    device = gpu.cuDeviceGet(0)
    ask = gpu.cuDeviceGetAttribute
    properties = gpu.cudaGetDeviceProperties(device)
    for name, field in (
        ("MAX_PITCH", "memPitch"),
        ("MAX_THREADS_PER_BLOCK", "maxThreadsPerBlock"),
        ("SHARED_MEMORY_PER_BLOCK", "sharedMemPerBlock"),
    ):
        value = ask(getattr(PyGPU, f"CU_DEVICE_ATTRIBUTE_{name}"), device)
        assert value == min(getattr(properties, field), 2**31 - 1) > 1
    context = gpu.cuCtxCreate(None, PyGPU.CU_CTX_SCHED_AUTO, device)
    stream = gpu.cuStreamCreate(PyGPU.CU_STREAM_NON_BLOCKING)
    assert isinstance(stream, PyGPU.CUstream) and isinstance(stream, PyGPU.cudaStream_t)
    memory, back = gpu.cuMemAlloc(64), bytearray(64)
    gpu.cuMemsetD32Async(memory, 0xFFFFFFFE, 16, stream)
    gpu.cuMemcpyDtoHAsync(back, memory, 64, stream)
    gpu.cuStreamSynchronize(stream)
    assert bytes(back) == b"\xfe\xff\xff\xff" * 16
    copy = PyGPU.CUDA_MEMCPY2D(
        srcMemoryType=PyGPU.CU_MEMORYTYPE_HOST, srcHost=b"12345678", WidthInBytes=4, Height=2,
        dstMemoryType=PyGPU.CU_MEMORYTYPE_DEVICE, dstDevice=memory, srcPitch=4, dstPitch=8,
    )  # fmt: skip
    gpu.cuMemcpy2D(copy)
    gpu.cuMemcpyDtoH(back, memory, 64)
    assert bytes(back[:12]) == b"1234\xfe\xff\xff\xff5678"
    gpu.cuMemFree(memory)
    gpu.cuStreamDestroy(stream)
    gpu.cuCtxDestroy(context)


@own_interpreter("on_hip")
def test_the_drivers_errors_have_its_names():
    refused = PyGPU.cuMemFree(4096)
    assert refused is PyGPU.CUDA_ERROR_INVALID_VALUE and type(refused) is PyGPU.CUresult
    assert refused.name == "CUDA_ERROR_INVALID_VALUE" and repr(refused) == "<CUresult: code=1>"
    assert PyGPU.checked.cuGetErrorName(refused) == refused.name
    with pytest.raises(TypeError, match=r"cuMemAlloc\(bytesize\): parameter 'bytesize' is missing"):
        PyGPU.cuMemAlloc()
    assert PyGPU.cuMulticastUnbind(0, 0, 0, 0) == PyGPU.CUDA_ERROR_NOT_SUPPORTED
    assert PyGPU.cuCtxCreate({}, 0, 0) == (None, PyGPU.CUDA_ERROR_NOT_SUPPORTED)
    with pytest.raises(PyGPU.GPUError, match=r"cuMulticastUnbind.*HIP has no counterpart of it"):
        PyGPU.checked.cuMulticastUnbind(0, 0, 0, 0)
    for name in ("CUgreenCtx", "CU_TENSOR_MAP_SWIZZLE_NONE", "CUDA_VERSION"):
        with pytest.raises(AttributeError, match=f"'{name}': HIP has no counterpart of it"):
            getattr(PyGPU, name)
    with pytest.raises(AttributeError, match=r"'PyGPU' has no attribute 'cuMemAloc'.*'cuMemAlloc'"):
        _ = PyGPU.cuMemAloc


def a_star_takes_none_of_the_drivers_names():
    names = {}
    exec("from PyGPU import *", names)  # a function may have no star import of its own
    assert "cudaMalloc" in names and "cuMemAlloc" not in names
    assert not {"PyGPU._cu", "PyGPU._nvrtc"} & seen_modules()
    assert "cuMemAlloc" not in PyGPU.__all__ and PyGPU.cuMemAlloc
    assert PyGPU.checked.cuMemAlloc.__self__ is not PyGPU.cuMemAlloc.__self__


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nonexistent")
def test_the_drivers_names_follow_the_backend():
    on_hip, status = PyGPU.cuMemAlloc, PyGPU.CUresult
    PyGPU.use("cuda")
    assert PyGPU.cuMemAlloc is PyGPU.cu.cuMemAlloc is not on_hip
    assert PyGPU.checked.cuMemAlloc is PyGPU.cu.checked.cuMemAlloc
    assert PyGPU.CUresult is PyGPU.cu.CUresult is not status


@pytest.mark.parametrize("backend", ["cuda", "hip", "host"])
def test_a_star_takes_none_of_the_drivers_names(python, backend):
    python(
        a_star_takes_none_of_the_drivers_names,
        PYGPU_BACKEND=backend,
        PYGPU_HIP_LIBRARY="/nonexistent",
        PYGPU_CUDA_LIBRARY="/nonexistent",
        PYGPU_CU_LIBRARY="/nonexistent",
    )


def values_are_those_of_the_loaded_release():
    print(
        PyGPU.cudaDeviceLmemResizeToMax,
        PyGPU.cudaIpcMemLazyEnablePeerAccess,
        int(PyGPU.cudaGraphNodeTypeKernel),
    )


def test_values_are_those_of_the_loaded_release(python, hip_library):
    """HIP 5 numbers differently from HIP 6. The values are right even before the first call."""
    path = str(hip_library)
    environment = {"LD_LIBRARY_PATH": path.rpartition("/")[0], "PYGPU_BACKEND": "hip"}
    older = python(
        values_are_those_of_the_loaded_release, PYGPU_HIP_LIBRARY=path, **environment
    ).stdout
    newest = python(
        values_are_those_of_the_loaded_release, PYGPU_HIP_LIBRARY="/nonexistent", **environment
    ).stdout
    assert (older.split(), newest.split()) == (["22", "0", "1"], ["16", "1", "0"])


@own_interpreter(PYGPU_BACKEND="hip", PYGPU_HIP_LIBRARY="/nonexistent")
def test_names_of_the_same():
    """Scripts for CUDA 12, and scripts with the old thread functions, find their names."""
    assert PyGPU.cudaMemAdvise_v2 is PyGPU.cudaMemAdvise
    assert PyGPU.checked.cudaThreadSynchronize is PyGPU.checked.cudaDeviceSynchronize
    assert PyGPU.cudaMemPrefetchAsync_v2(4096, 16, (2, 0), 0).code == 303
    assert PyGPU.cudaGraphNodeGetToolsId(4096)[1] == PyGPU.cudaErrorNotSupported


def a_failed_update_gives_its_reason():
    code = ctypes.c_int.in_dll(ctypes.CDLL(os.environ["PYGPU_HIP_LIBRARY"]), "code")
    for code.value in (0, 910):
        info, err = PyGPU.cudaGraphExecUpdate(4096, 8192)
        assert err == code.value and type(info) is PyGPU.cudaGraphExecUpdateResultInfo
        assert info.result is PyGPU.cudaGraphExecUpdateErrorFunctionChanged
        assert int(info.errorNode) == 0x7000 and not info.errorFromNode
        assert PyGPU.cudaGraphNodeGetType(info.errorNode) == (PyGPU.cudaGraphNodeTypeEmpty, 0)
    code.value = 1
    assert PyGPU.cudaGraphExecUpdate(4096, 8192) == (None, PyGPU.cudaErrorInvalidValue)
    code.value = 910
    with pytest.raises(PyGPU.GPUError, match="cudaGraphExecUpdate") as failed:
        PyGPU.checked.cudaGraphExecUpdate(4096, 8192)
    assert failed.value.values[0].result == 4


def test_a_failed_update_gives_its_reason(python, compile_library):
    """The reason comes in CUDA's struct, though HIP's function returns its members one by one."""
    library = compile_library(
        "libamdhip64.so.6",
        """
        extern "C" {
        int code;
        int hipGraphExecUpdate(void *, void *, void **node, int *result) {
            *node = reinterpret_cast<void *>(0x7000);
            *result = 4;
            return code;
        }
        int hipGraphNodeGetType(void *node, int *type) {
            *type = 5;
            return node == reinterpret_cast<void *>(0x7000) ? 0 : 1;
        }
        }
        """,
    )
    python(
        a_failed_update_gives_its_reason,
        PYGPU_BACKEND="hip",
        PYGPU_HIP_LIBRARY=library,
    )
