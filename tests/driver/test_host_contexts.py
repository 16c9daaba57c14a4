"""The driver API on the host runtime: cuInit, contexts, and the runtime API beside them."""

from __future__ import annotations

import threading

import pytest

from PyGPU import cu, cuda
from tests.driver.codes import code
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_host", PYGPU_HOST_DEVICES="2")

NOT_INITIALIZED, INVALID_VALUE, INVALID_DEVICE = 3, 1, 101
INVALID_CONTEXT, DESTROYED = 201, 709


def begin() -> list[object]:
    """Both devices' primary contexts."""
    cu.checked.cuInit(0)
    return [cu.checked.cuDevicePrimaryCtxRetain(device) for device in range(2)]


def test_calls_need_init():
    assert code(cu.cuDeviceGetCount()) == NOT_INITIALIZED
    assert code(cu.cuMemAlloc(16)) == NOT_INITIALIZED
    assert code(cu.cuCtxGetCurrent()) == NOT_INITIALIZED
    version, err = cu.cuDriverGetVersion()
    assert not err
    assert version >= 13000
    assert cu.cuGetErrorName(201) == ("CUDA_ERROR_INVALID_CONTEXT", 0)
    assert cu.cuGetErrorString(2) == ("out of memory", 0)
    assert code(cu.cuGetErrorName(4321)) == INVALID_VALUE
    assert cu.cuInit(5) == INVALID_VALUE
    assert code(cu.cuDeviceGetCount()) == NOT_INITIALIZED
    assert cu.cuInit(0) == 0
    assert cu.cuDeviceGetCount() == (2, 0)


def test_a_profiler_needs_a_context():
    """As on an H200: 201 without one."""
    calls = (cu.cuProfilerStart, cu.cuProfilerStop)
    assert [call() for call in calls] == [NOT_INITIALIZED] * 2
    context, _ = begin()
    assert [call() for call in calls] == [INVALID_CONTEXT] * 2
    cu.checked.cuCtxSetCurrent(context)
    assert [call() for call in calls] == [0, 0]


def test_functions_by_name():
    found, status, err = cu.cuGetProcAddress("cuMemAlloc", 12000, 0)
    assert (status, err) == (0, 0)
    assert found == cu.address("cuMemAlloc")
    per_thread, *_ = cu.cuGetProcAddress("cuMemcpy", 12000, 2)
    assert per_thread not in (None, cu.cuGetProcAddress("cuMemcpy", 12000, 1)[0])
    assert cu.cuGetProcAddress("cuNothing", 13000, 0) == (0, 1, 0)
    # Today's form of the function takes other parameters than that release's.
    older, newer = (cu.cuGetProcAddress("cuCtxCreate", one, 0) for one in (12000, 13000))
    assert older[0] not in (0, newer[0])
    assert older[1:] == newer[1:] == (0, 0)


def test_devices():
    cu.checked.cuInit(0)
    assert cu.cuDeviceGet(1) == (1, 0)
    assert code(cu.cuDeviceGet(2)) == INVALID_DEVICE
    assert cu.cuDeviceGetName(1) == ("PyGPU host device 1", 0)
    assert cu.cuDeviceGetUuid(0)[0] != cu.cuDeviceGetUuid(1)[0]
    assert cu.cuDeviceTotalMem(0)[0] == cuda.checked.cudaGetDeviceProperties(0).totalGlobalMem
    for attribute in (1, 10, 16, 33, 41):
        mine, theirs = (
            cu.cuDeviceGetAttribute(attribute, 1),
            cuda.cudaDeviceGetAttribute(attribute, 1),
        )
        assert mine == (theirs[0], 0)
    assert code(cu.cuDeviceGetAttribute(9999, 0)) == INVALID_VALUE
    bus = cu.checked.cuDeviceGetPCIBusId(1)
    assert cu.cuDeviceGetByPCIBusId(bus) == (1, 0)
    assert cu.cuDeviceCanAccessPeer(0, 1) == (1, 0)
    assert cu.cuDeviceGetDefaultMemPool(1)[0]


def test_without_a_context_calls_say_so():
    first, _ = begin()
    for result in (
        cu.cuCtxGetDevice(), cu.cuMemAlloc(16), cu.cuStreamCreate(0), cu.cuCtxSynchronize(),
        cu.cuCtxPopCurrent(), cu.cuCtxPushCurrent(64), cu.cuModuleLoadData(b""),
        cu.cuCtxGetFlags(), cu.cuCtxGetApiVersion(None), cu.cuCtxSetCurrent(64),
    ):  # fmt: skip
        assert code(result) == INVALID_CONTEXT
    assert cu.cuCtxPushCurrent(None) == cu.cuCtxDestroy(None) == INVALID_VALUE
    assert not any(cu.cuCtxGetCurrent()), "a null context, and success"
    assert cu.cuCtxSetCurrent(None) == 0
    assert cu.cuCtxSetCurrent(first) == 0
    assert code(cu.cuMemAlloc(16)) == 0


def test_each_thread_has_its_stack():
    contexts, gpu = begin(), cu.checked
    for context in (*contexts, contexts[0]):
        gpu.cuCtxPushCurrent(context)
    assert (gpu.cuCtxGetCurrent(), gpu.cuCtxGetDevice()) == (contexts[0], 0)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(code(cu.cuCtxGetDevice())))
    thread.start()
    thread.join()
    assert seen == [INVALID_CONTEXT]
    assert [gpu.cuCtxPopCurrent() for _ in range(2)] == [contexts[0], contexts[1]]
    gpu.cuCtxSetCurrent(contexts[1])  # replaces the top of the stack
    assert gpu.cuCtxGetDevice() == 1
    assert gpu.cuCtxPopCurrent() == contexts[1]
    assert code(cu.cuCtxPopCurrent()) == INVALID_CONTEXT
    assert not gpu.cuCtxGetCurrent()


def test_the_runtime_takes_the_current_context_and_makes_one():
    contexts, gpu = begin(), cu.checked
    gpu.cuCtxSetCurrent(contexts[1])
    assert cuda.checked.cudaGetDevice() == 1
    pointer = cuda.checked.cudaMalloc(64)
    assert gpu.cuPointerGetAttribute(9, pointer) == 1
    cuda.checked.cudaSetDevice(0)
    assert gpu.cuCtxGetCurrent() == contexts[0]
    seen = []

    def on_a_thread():
        cuda.checked.cudaFree(0)
        seen.append(gpu.cuCtxGetCurrent())

    thread = threading.Thread(target=on_a_thread)
    thread.start()
    thread.join()
    assert seen == [contexts[0]]


def test_a_context_of_ones_own_ends_with_what_was_made_in_it():
    (primary, _), gpu = begin(), cu.checked
    gpu.cuCtxSetCurrent(primary)
    kept, kept_stream = gpu.cuMemAlloc(64), gpu.cuStreamCreate(1)
    own = gpu.cuCtxCreate(None, 4, 0)
    assert gpu.cuCtxGetCurrent() == own
    assert gpu.cuCtxGetFlags() == 4
    assert gpu.cuCtxGetId(own) != gpu.cuCtxGetId(primary)
    memory, stream, event = gpu.cuMemAlloc(64), gpu.cuStreamCreate(1), gpu.cuEventCreate(0)
    module = gpu.cuModuleLoadData(b".version 7.0\n.target sm_52\n")
    assert (gpu.cuStreamGetCtx(stream), gpu.cuStreamGetCtx(kept_stream)) == (own, primary)
    assert gpu.cuPointerGetAttribute(1, memory) == own
    assert gpu.cuPointerGetAttribute(1, kept) == primary
    pushed = threading.Event(), threading.Event()
    seen = []

    def elsewhere():
        gpu.cuCtxSetCurrent(own)
        pushed[0].set()
        pushed[1].wait(20)
        seen.extend([code(cu.cuMemAlloc(16)), code(cu.cuCtxPopCurrent())])

    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert pushed[0].wait(20)
    gpu.cuCtxDestroy(own)
    pushed[1].set()
    thread.join()
    assert seen == [DESTROYED, 0]
    assert gpu.cuCtxGetCurrent() == primary, "it is off this thread's stack"
    assert code(cu.cuMemFree(memory)) == INVALID_VALUE
    assert code(cu.cuStreamQuery(int(stream))) == INVALID_CONTEXT
    assert code(cu.cuEventQuery(event)) == DESTROYED
    assert code(cu.cuModuleGetFunction(module, "k")) == 400
    assert cu.cuMemFree(kept) == 0
    assert cu.cuStreamQuery(kept_stream) == 0
    for context in (primary, own):
        assert cu.cuCtxDestroy(context) == INVALID_CONTEXT


def test_a_primary_context_lives_until_its_last_release():
    gpu = cu.checked
    gpu.cuInit(0)
    assert gpu.cuDevicePrimaryCtxGetState(0) == (0, 0)
    assert cu.cuDevicePrimaryCtxRelease(0) == INVALID_CONTEXT
    context, again = (gpu.cuDevicePrimaryCtxRetain(0) for _ in range(2))
    assert context == again
    gpu.cuDevicePrimaryCtxSetFlags(0, 4)
    assert gpu.cuDevicePrimaryCtxGetState(0) == (4, 1)
    assert cu.cuDevicePrimaryCtxSetFlags(0, 3) == INVALID_VALUE
    gpu.cuCtxSetCurrent(context)
    pointer = gpu.cuMemAlloc(64)
    gpu.cuDevicePrimaryCtxRelease(0)
    gpu.cuMemsetD8(pointer, 1, 64)
    gpu.cuDevicePrimaryCtxRelease(0)
    assert gpu.cuDevicePrimaryCtxGetState(0)[1] == 0
    assert code(cu.cuMemAlloc(64)) == DESTROYED
    assert gpu.cuCtxGetDevice() == 0, "it is still current"
    gpu.cuDevicePrimaryCtxRetain(0)
    assert code(cu.cuMemsetD8(pointer, 1, 64)) == INVALID_VALUE
    # The runtime holds a reference of its own.
    cuda.checked.cudaFree(0)
    gpu.cuDevicePrimaryCtxRelease(0)
    assert gpu.cuDevicePrimaryCtxGetState(0)[1] == 1
    cuda.checked.cudaDeviceReset()
    assert gpu.cuDevicePrimaryCtxGetState(0)[1] == 0


@pytest.mark.parametrize("same", [True, False])
def test_peers_are_contexts(same):
    contexts, gpu = begin(), cu.checked
    gpu.cuCtxSetCurrent(contexts[0])
    peer = contexts[not same]
    if same:
        assert cu.cuCtxEnablePeerAccess(peer, 0) == 217
    else:
        gpu.cuCtxEnablePeerAccess(peer, 0)
        assert cu.cuCtxEnablePeerAccess(peer, 0) == 704
        gpu.cuCtxDisablePeerAccess(peer)
        assert cu.cuCtxDisablePeerAccess(peer) == 705
    assert cu.cuCtxEnablePeerAccess(None, 0) == INVALID_CONTEXT


def test_limits_and_what_a_host_function_may_not():
    gpu, seen = cu.checked, []
    context, _ = begin()
    gpu.cuCtxSetCurrent(context)
    gpu.cuCtxSetLimit(0, 4096)
    assert gpu.cuCtxGetLimit(0) == 4096 == cuda.checked.cudaDeviceGetLimit(0)
    assert gpu.cuCtxGetStreamPriorityRange() == cuda.checked.cudaDeviceGetStreamPriorityRange()
    gpu.cuLaunchHostFunc(None, lambda _: seen.append(code(cu.cuCtxSynchronize())), None)
    gpu.cuCtxSynchronize()
    assert seen == [800]


def test_arrays_end_with_a_reset_by_the_driver():
    import numpy as np

    import PyGPU
    from PyGPU import gpuarray

    array = gpuarray.to_gpu(np.arange(8.0))
    begin()
    assert cu.cuDevicePrimaryCtxReset(0) == 0
    with pytest.raises(PyGPU.GPUError, match="context is destroyed"):
        array.get()
    with PyGPU.host.reports() as reports:
        del array  # frees nothing: by now the address may belong to another object
    assert not reports
    assert gpuarray.to_gpu(np.arange(8.0)).get()[-1] == 7
