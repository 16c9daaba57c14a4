"""What a program's first call of CUDA's runtime does to the driver: as an H200 answers."""

from __future__ import annotations

import ctypes
import os

NOT_INITIALIZED = 3
VALUE = ctypes.c_uint64()
OUT = ctypes.byref(VALUE)

# The calls after which the driver is initialised, and whether they make a context current.
WITH_CONTEXT = {
    "cudaFree": (None,), "cudaSetDevice": (0,), "cudaDeviceSynchronize": (),
    "cudaStreamCreate": (OUT,), "cudaEventCreate": (OUT,), "cudaMallocHost": (OUT, 64),
    "cudaFreeHost": (None,), "cudaStreamQuery": (None,), "cudaGraphCreate": (OUT, 0),
    "cudaDeviceSetLimit": (99, 0),
}  # fmt: skip
WITHOUT = {
    "cudaGetDeviceCount": (OUT,), "cudaGetDevice": (OUT,), "cudaDriverGetVersion": (OUT,),
    "cudaGetLastError": (), "cudaPeekAtLastError": (), "cudaDeviceGetAttribute": (OUT, 1, 0),
    "cudaSetDevice": (99,), "cudaDeviceReset": (), "cudaGetDeviceFlags": (OUT,),
    "cudaDeviceCanAccessPeer": (OUT, 0, 0), "cudaDeviceGetDefaultMemPool": (OUT, 0),
}  # fmt: skip


# Forks a process for each call, and prints what the driver says then.
def call_first(path, calls):
    library = ctypes.CDLL(path)
    for name, arguments in calls.items():
        child = os.fork()
        if not child:
            getattr(library, name)(*arguments)
            context = ctypes.c_void_p()
            code = library.cuCtxGetCurrent(ctypes.byref(context))
            print(name, code, context.value is not None, flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def with_context(path):
    call_first(path, WITH_CONTEXT)


def without(path):
    call_first(path, WITHOUT)


def version(path):
    call_first(path, {"cudaRuntimeGetVersion": (OUT,)})


def test_the_first_call_initialises_the_driver(python, host_library):
    for function, calls, current in ((with_context, WITH_CONTEXT, True), (without, WITHOUT, False)):
        lines = python(function, str(host_library)).stdout.splitlines()
        assert lines == [f"{name} 0 {current}" for name in calls]
    lines = python(version, str(host_library)).stdout
    assert lines == f"cudaRuntimeGetVersion {NOT_INITIALIZED} False\n"


def test_without_a_device_it_is_not_initialised(python, host_library):
    lines = python(without, str(host_library), PYGPU_HOST_DEVICES="0").stdout.splitlines()
    assert lines == [f"{name} {NOT_INITIALIZED} False" for name in WITHOUT]
