"""Handles that C treats as equal go from the runtime to the driver and back."""

from __future__ import annotations

import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

ADDRESS = 0x7E00_0000_1000


def arrived(api, call, symbol, of, place=0):
    """The value of a handle argument that the stand-in of an API receives."""
    from tests.standin.library import StandIn

    library = StandIn(PyGPU._libraries.installed(api)["path"])
    assert call(of) in (0, (0,))
    assert library.calls()[-1] == symbol
    return int.from_bytes(library.argument(place), "little")


@own_interpreter("with_both")
def test_each_takes_the_others():
    cu, cuda = PyGPU.cu, PyGPU.cuda
    cu.cuDriverGetVersion(), cuda.cudaRuntimeGetVersion()  # loads both
    of_the_runtime = [
        (cu.cuEventSynchronize, "cuEventSynchronize", cuda.cudaEvent_t),
        (cu.cuStreamSynchronize, "cuStreamSynchronize", cuda.cudaStream_t),
        (cu.cuGraphDestroy, "cuGraphDestroy", cuda.cudaGraph_t),
        (cu.cuGraphExecDestroy, "cuGraphExecDestroy", cuda.cudaGraphExec_t),
        (cu.cuGraphDestroyNode, "cuGraphDestroyNode", cuda.cudaGraphNode_t),
        (cu.cuMemPoolDestroy, "cuMemPoolDestroy", cuda.cudaMemPool_t),
        (cu.cuArrayDestroy, "cuArrayDestroy", cuda.cudaArray_t),
        (cu.cuMipmappedArrayDestroy, "cuMipmappedArrayDestroy", cuda.cudaMipmappedArray_t),
        (cu.cuLibraryUnload, "cuLibraryUnload", cuda.cudaLibrary_t),
        (cu.cuFuncLoad, "cuFuncLoad", cuda.cudaFunction_t),
        (cu.cuFuncLoad, "cuFuncLoad", cu.CUkernel),  # a kernel where a function is expected
    ]
    of_the_driver = [
        (cuda.cudaEventSynchronize, "cudaEventSynchronize", cu.CUevent),
        (cuda.cudaStreamSynchronize, "cudaStreamSynchronize", cu.CUstream),
        (cuda.cudaGraphDestroy, "cudaGraphDestroy", cu.CUgraph),
        (cuda.cudaMemPoolDestroy, "cudaMemPoolDestroy", cu.CUmemoryPool),
        (cuda.cudaFreeArray, "cudaFreeArray", cu.CUarray),
        (cuda.cudaLibraryUnload, "cudaLibraryUnload", cu.CUlibrary),
    ]
    for api, pairs in (("cu", of_the_runtime), ("cuda", of_the_driver)):
        for call, symbol, kind in pairs:
            assert arrived(api, call, symbol, kind(ADDRESS)) == ADDRESS, (symbol, kind)
    assert arrived("cuda", lambda f: cuda.cudaFuncSetCacheConfig(f, 0), "cudaFuncSetCacheConfig",
                   cu.CUfunction(ADDRESS)) == ADDRESS  # fmt: skip
    assert int(cu.CUstream(cuda.cudaStream_t(ADDRESS))) == ADDRESS
    assert int(cuda.cudaEvent_t(cu.CUevent(ADDRESS))) == ADDRESS


@own_interpreter("with_both")
def test_others_are_refused():
    cu, cuda = PyGPU.cu, PyGPU.cuda
    for call, kind in [
        (cu.cuEventSynchronize, cuda.cudaStream_t),
        (cu.cuEventSynchronize, cu.CUgraph),
        (cu.cuKernelGetFunction, cu.CUfunction),  # a function is no kernel
        (cuda.cudaEventSynchronize, cu.CUgraph),
        (cuda.cudaFreeArray, cu.CUmipmappedArray),
    ]:
        with pytest.raises(TypeError, match=r"must be a (CU|cuda)\w+, an address"):
            call(kind(ADDRESS))
    with pytest.raises(TypeError):
        cu.CUevent(cu.CUstream(ADDRESS))


@own_interpreter("with_both")
def test_an_owner_hears_that_the_other_api_ended_it():
    from tests.standin.library import StandIn

    cu, cuda = PyGPU.cu, PyGPU.cuda
    cu.cuDriverGetVersion(), cuda.cudaRuntimeGetVersion()  # loads both
    for api in ("cu", "cuda"):  # 4 bytes: it asks for the device's number, too
        StandIn(PyGPU._libraries.installed(api)["path"]).put(0, (0x7000).to_bytes(4, "little"))
    for owner, destroy in [
        (cuda.cudaEvent_t(flags=0), cu.cuEventDestroy),
        (cu.CUevent(Flags=0), cuda.cudaEventDestroy),
    ]:
        assert "owner" in repr(owner)
        assert destroy(owner) == 0
        assert "owner" not in repr(owner)


@own_interpreter("with_both")
def test_a_launch_takes_them_as_arguments():
    from tests.standin.library import StandIn

    cu, cuda = PyGPU.cu, PyGPU.cuda
    cu.cuDriverGetVersion()
    library = StandIn(PyGPU._libraries.installed("cu")["path"])
    library.peek_inner(9, 2, 8)
    arguments = [cuda.cudaEvent_t(ADDRESS), cu.CUevent(ADDRESS + 8)]
    assert cu.cuLaunchKernel(ADDRESS, 1, 1, 1, 1, 1, 1, 0, 0, arguments, None) == 0
    values = library.behind(9)[16:]
    assert [int.from_bytes(values[at:][:8], "little") for at in (0, 8)] == [ADDRESS, ADDRESS + 8]


@own_interpreter("with_both")
def test_a_reset_of_the_device_ends_what_lived_there():
    """This holds for the name that users call, any symbol behind it, and handles of both APIs."""
    from tests.standin.library import StandIn

    cu, cuda = PyGPU.cu, PyGPU.cuda
    cu.cuDriverGetVersion(), cuda.cudaRuntimeGetVersion()  # loads both
    driver, runtime = (StandIn(PyGPU._libraries.installed(api)["path"]) for api in ("cu", "cuda"))
    owners = [
        (driver, "cuEventDestroy_v2", lambda: cu.CUevent(Flags=0)),
        (runtime, "cudaEventDestroy", lambda: cuda.cudaEvent_t(flags=0)),
    ]
    for library, symbol, make in owners:
        # The stand-in writes this as the current device.
        current = int.from_bytes(library.pattern(0, 4), "little")
        for device, destroyed in ((current + 1, True), (current, False)):
            event = make()
            assert cu.cuDevicePrimaryCtxReset(device) == 0
            library.reset()
            del event
            assert (symbol in library.calls()) is destroyed


@own_interpreter("with_both")
def test_what_is_known_of_kernels_ends_whichever_api_unloads_them():
    """Either API's unload ends what PyGPU knows about the parameters of kernels."""
    from tests.standin.library import StandIn

    cu, cuda = PyGPU.cu, PyGPU.cuda
    cu.cuDriverGetVersion(), cuda.cudaRuntimeGetVersion()  # loads both
    library = StandIn(PyGPU._libraries.installed("cuda")["path"])

    def asked():
        library.reset()
        assert cuda.cudaLaunchKernel(ADDRESS, 1, 1, [], 0, None) == 0
        return "cudaFuncGetParamInfo" in library.calls()

    assert asked()
    assert not asked()
    assert cu.cuModuleUnload(ADDRESS) == 0
    assert asked()
