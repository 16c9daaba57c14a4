"""What only the host runtime can be asked of mapped memory and of waits: faults, reports, leaks."""

from __future__ import annotations

import time

import numpy as np
import pytest

import PyGPU
from PyGPU import cu, host
from tests.behaviour.programs.kernels import PTX
from tests.own_interpreter import own_interpreter

GRAIN = 2 << 20
HERE = (1, 0)
BOTH, READ, NONE = 3, 1, 0
gpu = cu.checked


def begin():
    gpu.cuInit(0)
    gpu.cuCtxSetCurrent(gpu.cuDevicePrimaryCtxRetain(0))


def mapped(access=BOTH, chunks=1):
    """A reserved range of four chunks, the first of which are mapped."""
    place = gpu.cuMemAddressReserve(4 * GRAIN, 0, 0, 0)
    for number in range(chunks):
        handle = gpu.cuMemCreate(GRAIN, {"type": 1, "location": HERE}, 0)
        gpu.cuMemMap(place + number * GRAIN, GRAIN, 0, handle, 0)
        gpu.cuMemRelease(handle)
    if access:
        gpu.cuMemSetAccess(place, chunks * GRAIN, [(HERE, access)], 1)
    return place


def scale(address, count=64):
    """Launch a kernel that writes there; its status."""
    module = gpu.cuModuleLoadData(PTX.encode() + b"\0")
    kernel = gpu.cuModuleGetFunction(module, "scale")
    arguments = [np.uint64(address), np.float32(2), np.uint32(count)]
    gpu.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, None, arguments, None)
    return int(cu.cuCtxSynchronize())


@pytest.mark.parametrize(
    ("where", "status"),
    [("mapped", 0), ("across", 0), ("behind", 700), ("no access", 700), ("read only", 700)],
)
@own_interpreter("on_host")
def test_kernels_reach_what_is_mapped(where, status):
    begin()
    with host.reports():
        if where == "across":
            assert scale(mapped(chunks=2) + GRAIN - 128) == status
        elif where == "behind":
            assert scale(mapped() + GRAIN) == status
        else:
            assert scale(mapped({"no access": NONE, "read only": READ}.get(where, BOTH))) == status


@own_interpreter("on_host")
def test_a_kernel_faults_after_the_memory_was_unmapped():
    begin()
    place = mapped()
    assert scale(place) == 0
    gpu.cuMemUnmap(place, GRAIN)
    with host.reports():
        assert scale(place) == 700


@own_interpreter("on_host")
def test_copies_are_refused_with_the_reason():
    begin()
    host.strict(True)
    data = np.zeros(16, dtype=np.uint8)
    closed, reads, unmapped = mapped(NONE), mapped(READ), mapped()
    gpu.cuMemUnmap(unmapped, GRAIN)
    for address, reason in (
        (closed, "without such access"),
        (reads, "without such access"),
        (unmapped, "freed before"),
        (closed + GRAIN, "nothing is mapped"),
    ):
        with host.reports() as reports:
            assert cu.cuMemcpyHtoD(address, data, 16) == 1
        assert reason in reports[0]
    assert cu.cuMemcpyDtoH(data, reads, 16) == 0
    assert cu.cuMemcpyDtoH(data, closed, 16) == 1


@own_interpreter("on_host")
def test_leaks_list_mappings_and_physical_memory():
    begin()
    assert not host.leaks()
    place = mapped()
    assert "made by cuMemMap" in host.leaks()
    gpu.cuMemUnmap(place, GRAIN)
    assert not host.leaks()
    handle = gpu.cuMemCreate(GRAIN, {"type": 1, "location": HERE}, 0)
    assert f"{GRAIN} bytes of physical memory, device 0, made by cuMemCreate" in host.leaks()
    gpu.cuMemRelease(handle)
    assert not host.leaks()


@own_interpreter("on_host", PYGPU_HOST_MEMORY="64MiB")
def test_physical_memory_counts():
    begin()
    free = gpu.cuMemGetInfo()[0]
    handle = gpu.cuMemCreate(free // GRAIN * GRAIN, {"type": 1, "location": HERE}, 0)
    assert cu.cuMemCreate(GRAIN, {"type": 1, "location": HERE}, 0)[-1] == 2
    assert cu.cuMemAlloc(GRAIN)[-1] == 2
    gpu.cuMemRelease(handle)
    assert gpu.cuMemGetInfo()[0] == free


@own_interpreter("on_host")
def test_a_graph_runs_again_once_its_addresses_are_mapped_again():
    begin()
    place, stream = mapped(), gpu.cuStreamCreate(1)
    gpu.cuStreamBeginCapture(stream, 2)
    gpu.cuMemsetD8Async(place, 5, 64, stream)
    graph = gpu.cuStreamEndCapture(stream)
    executable = gpu.cuGraphInstantiateWithFlags(graph, 0)
    gpu.cuMemUnmap(place, GRAIN)
    assert cu.cuGraphLaunch(executable, stream) == 1
    handle = gpu.cuMemCreate(GRAIN, {"type": 1, "location": HERE}, 0)
    gpu.cuMemMap(place, GRAIN, 0, handle, 0)
    gpu.cuMemSetAccess(place, GRAIN, [(HERE, BOTH)], 1)
    gpu.cuGraphLaunch(executable, stream)
    gpu.cuStreamSynchronize(stream)
    back = np.zeros(64, dtype=np.uint8)
    gpu.cuMemcpyDtoH(back, place, 64)
    assert (back == 5).all()


@pytest.mark.parametrize("what", ["set", "copy", "write value", "kernel"])
@own_interpreter("on_host")
def test_a_graph_does_not_write_to_what_was_closed_since(what):
    begin()
    place, stream = mapped(), gpu.cuStreamCreate(1)
    gpu.cuMemsetD8(place, 3, 128)
    gpu.cuStreamBeginCapture(stream, 2)
    if what == "set":
        gpu.cuMemsetD8Async(place, 5, 64, stream)
    elif what == "copy":
        gpu.cuMemcpyDtoDAsync(place, place + 4096, 64, stream)
    elif what == "write value":
        gpu.cuStreamWriteValue32(stream, place, 5, 0)
    else:
        kernel = gpu.cuModuleGetFunction(gpu.cuModuleLoadData(PTX.encode() + b"\0"), "scale")
        arguments = [np.uint64(place), np.float32(2), np.uint32(16)]
        gpu.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, stream, arguments, None)
    executable = gpu.cuGraphInstantiateWithFlags(gpu.cuStreamEndCapture(stream), 0)
    gpu.cuGraphLaunch(executable, stream)
    gpu.cuStreamSynchronize(stream)
    gpu.cuMemsetD8(place, 3, 128)
    gpu.cuMemSetAccess(place, GRAIN, [(HERE, READ)], 1)
    with host.reports() as reports:
        assert cu.cuGraphLaunch(executable, stream) in (0, 700)
        assert cu.cuStreamSynchronize(stream) == 700
    assert "read" in reports[0]
    assert PyGPU.cudaDeviceReset() == 0
    gpu.cuCtxSetCurrent(gpu.cuDevicePrimaryCtxRetain(0))
    back = np.zeros(128, dtype=np.uint8)
    gpu.cuMemcpyDtoH(back, place, 128)
    assert (back == 3).all()


@own_interpreter("on_host")
def test_a_set_needs_the_right_of_its_device():
    begin()
    place = mapped(READ)
    assert cu.cuMemsetD8(place, 1, 16) == 1
    assert cu.cuStreamWriteValue32(None, place, 1, 0) == 1


@own_interpreter("on_host")
def test_memory_of_a_graph_is_there_between_launch_and_free():
    begin()
    stream, data = gpu.cuStreamCreate(1), np.zeros(64, dtype=np.uint8)
    gpu.cuStreamBeginCapture(stream, 2)
    memory = gpu.cuMemAllocAsync(64, stream)
    gpu.cuMemsetD8Async(memory, 5, 64, stream)
    executable = gpu.cuGraphInstantiateWithFlags(gpu.cuStreamEndCapture(stream), 0)
    gpu.cuStreamBeginCapture(stream, 2)
    gpu.cuMemsetD8Async(memory, 6, 64, stream)
    user = gpu.cuGraphInstantiateWithFlags(gpu.cuStreamEndCapture(stream), 0)

    def refused():
        assert cu.cuMemsetD8(memory, 1, 16) == 1
        assert cu.cuMemcpyHtoD(memory, data, 16) == 1
        assert cu.cuMemcpyDtoH(data, memory, 16) == 1
        assert cu.cuStreamWriteValue32(stream, memory, 1, 0) == 1

    refused()
    for _ in range(2):
        gpu.cuGraphLaunch(executable, stream)
        gpu.cuStreamSynchronize(stream)
        gpu.cuMemcpyDtoH(data, memory, 64)
        assert (data == 5).all()
        gpu.cuGraphLaunch(user, stream)
        gpu.cuStreamSynchronize(stream)
        gpu.cuMemcpyDtoH(data, memory, 64)
        assert (data == 6).all()
        gpu.cuMemFreeAsync(memory, stream)
        refused()
    with host.reports() as reports:
        assert cu.cuGraphLaunch(user, stream) in (0, 700)
        assert cu.cuStreamSynchronize(stream) == 700
    assert "isn't allocated now" in reports[0]
    assert PyGPU.cudaDeviceReset() == 0
    begin()
    with host.reports():
        assert scale(memory, 8) == 700


@own_interpreter("on_host")
def test_only_descriptors_of_physical_memory_are_imported(tmp_path):
    begin()
    (tmp_path / "file").write_bytes(bytes(GRAIN))
    with (tmp_path / "file").open("r+b") as other:
        assert cu.cuMemImportFromShareableHandle(other.fileno(), 1)[-1] == 1
    assert cu.cuMemImportFromShareableHandle(12345, 1)[-1] == 1
    assert cu.cuMemImportFromShareableHandle(-1, 1)[-1] == 1


@own_interpreter("on_host")
def test_a_wait_costs_nearly_nothing_and_ends_with_the_value():
    begin()
    stream, memory = gpu.cuStreamCreate(1), gpu.cuMemAlloc(64)
    gpu.cuMemsetD8(memory, 0, 64)
    gpu.cuStreamWaitValue32(stream, memory, 1, 0)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.25
    assert cu.cuStreamQuery(stream) == 600
    other = gpu.cuStreamCreate(1)
    gpu.cuStreamWriteValue32(other, memory, 1, 0)
    gpu.cuStreamSynchronize(stream)


@own_interpreter("on_host", prints="")
def test_exit_while_a_stream_waits():
    begin()
    memory = gpu.cuMemAlloc(64)
    gpu.cuMemsetD8(memory, 0, 64)
    gpu.cuStreamWaitValue32(gpu.cuStreamCreate(1), memory, 1, 0)
    assert PyGPU.backend == "host"
