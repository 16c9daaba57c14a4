"""Compares the driver API with a C++ twin: equal calls in equal order must give equal answers."""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import PyGPU
from PyGPU import cu
from PyGPU._apis import APIS
from tests.behaviour.programs.kernels import PTX
from tests.behaviour.programs.program import LACKING
from tests.conftest import unavailable
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
SOURCE = pathlib.Path(__file__).with_name("twin.cpp")
HOST, DEVICE, ARRAY = cu.CU_MEMORYTYPE_HOST, cu.CU_MEMORYTYPE_DEVICE, cu.CU_MEMORYTYPE_ARRAY


@pytest.fixture(scope="session")
def twin(once: Callable[..., pathlib.Path]) -> pathlib.Path:
    """The folder with the C++ program and the code that it loads."""

    def make(folder: pathlib.Path) -> None:
        compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
        if not compiler:
            unavailable("no C++ compiler")
        command = [*str(compiler).split(), "-std=c++20", "-O1", str(SOURCE), "-ldl"]
        subprocess.run([*command, "-o", str(folder / "twin")], check=True)
        (folder / "kernels.ptx").write_text(PTX)

    return once("driver-twin", make)


def answers(twin: pathlib.Path, topic: str, *more: str) -> list[str]:
    """The C++ program's answers to a topic, with the library that PyGPU has loaded."""
    library = APIS["cu"].extension().installed("cu")["path"]
    command = [str(twin / "twin"), library, topic, str(twin / "kernels.ptx"), *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


class Script:
    """Calls functions by name, and notes each status and some values, as the twin does."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.lacking: Any = None  # the first status that means that something isn't implemented
        self.context: Any = None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            result = getattr(cu, name)(*arguments)
            *values, error = result if isinstance(result, tuple) else (result,)
            self.lines.append(f"{name} {int(error)}")
            if error.name in LACKING:
                self.lacking = self.lacking or error
            return values[0] if len(values) == 1 else values or error

        return call

    def tell(self, what: str, value: object) -> None:
        """Note a value. After a failed call, the twin notes its variable as it was before."""
        self.lines.append(f"{what} {int(value) if isinstance(value, (int, bool)) else value}")

    def begin(self) -> None:
        """Make a context for this script alone."""
        self.cuInit(0)
        self.context = self.cuCtxCreate(None, 0, self.cuDeviceGet(0))

    def end(self) -> None:
        """Destroy the context."""
        self.cuCtxDestroy(self.context)

    def kernel(self, name: str, image: bytes = b"") -> Any:
        """A kernel of a newly loaded module."""
        return self.cuModuleGetFunction(self.cuModuleLoadData(image or PTX.encode()), name)

    def counted(self, count: int) -> int:
        """Device memory with `count` floats: 0, 1, 2 and so on."""
        host = np.arange(count, dtype=np.float32)
        memory = int(self.cuMemAlloc(host.nbytes))
        self.cuMemcpyHtoD(memory, host, host.nbytes)
        return memory

    def tell_floats(self, what: str, memory: int, count: int) -> None:
        """Note the sum of `count` floats on the device."""
        back = np.full(count, -1, dtype=np.float32)
        self.cuMemcpyDtoH(back, memory, back.nbytes)
        self.tell(what, int(back.sum(dtype=np.float64)))

    def launch(
        self, kernel: Any, memory: int, factor: float, count: int, stream: Any, threads: int = 128
    ) -> None:
        """Launch the kernel `scale` on `count` floats."""
        arguments = [np.uint64(memory), np.float32(factor), np.uint32(count)]
        blocks = (count + 127) // 128
        self.cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, None)


def beside(function: Callable[[Script], None]) -> Callable[[pathlib.Path], None]:
    """A test: the function must note the same as the twin does for the topic of that name."""

    def test(twin: pathlib.Path) -> None:
        mine = Script()
        function(mine)
        assert mine.lines == answers(twin, function.__name__.removeprefix("test_"))
        if PyGPU.backend == "host" and mine.lacking:
            pytest.skip(str(mine.lacking))  # the same as C++ gets, but it proves nothing else

    test.__name__, test.__doc__ = function.__name__, function.__doc__
    return test


@beside
def test_contexts(run: Script) -> None:
    """Made, current, pushed and popped, limits; the primary one; devices and their attributes."""
    run.begin()
    run.tell("current", run.cuCtxGetCurrent() == run.context)
    run.tell("device", run.cuCtxGetDevice())
    run.tell("version", run.cuCtxGetApiVersion(run.context))
    run.tell("flags", run.cuCtxGetFlags())
    run.cuCtxSetLimit(cu.CU_LIMIT_STACK_SIZE, 4096)
    run.tell("stack", run.cuCtxGetLimit(cu.CU_LIMIT_STACK_SIZE))
    run.cuCtxGetLimit(99)
    least, greatest = run.cuCtxGetStreamPriorityRange()
    run.tell("least", least)
    run.tell("greatest", greatest)
    run.cuCtxSynchronize()
    run.tell("popped", run.cuCtxPopCurrent() == run.context)
    run.tell("none", not run.cuCtxGetCurrent())
    run.cuCtxPushCurrent(run.context)
    run.cuCtxSetCurrent(run.context)
    run.cuCtxPopCurrent()
    run.end()
    run.cuDevicePrimaryCtxRetain(0)
    run.tell("active", run.cuDevicePrimaryCtxGetState(0)[1])
    run.cuDevicePrimaryCtxRelease(0)
    run.cuDevicePrimaryCtxRetain(999)
    run.tell("devices", run.cuDeviceGetCount())
    for attribute in (1, 2, 5, 8, 10, 16, 39, 75, 76):
        run.tell("attribute", run.cuDeviceGetAttribute(attribute, 0))
    run.cuDeviceGetAttribute(100000, 0)
    run.tell("name", run.cuDeviceGetName(0))


@beside
def test_modules(run: Script) -> None:
    """From PTX: functions, a global variable, counts; what is no code, and no file."""
    run.begin()
    module = run.cuModuleLoadData(PTX.encode())
    run.cuModuleGetFunction(module, "scale")
    run.cuModuleGetFunction(module, "nowhere")
    address, size = run.cuModuleGetGlobal(module, "answer")
    run.tell("size", size)
    answer = np.zeros(1, dtype=np.uint64)
    run.cuMemcpyDtoH(answer, address, 8)
    run.tell("answer", int(answer[0]))
    run.cuModuleGetGlobal(module, "nothing")
    run.tell("count", run.cuModuleGetFunctionCount(module))
    run.cuModuleUnload(module)
    run.cuModuleLoadData(b"rubbish")
    run.cuModuleLoad("/nonexistent")
    run.end()


@beside
def test_launches(run: Script) -> None:
    """Attributes and parameters of a function, on both kinds of streams; one that can't be."""
    run.begin()
    kernel = run.kernel("scale")
    for attribute in (0, 1, 3):
        run.tell("attribute", run.cuFuncGetAttribute(attribute, kernel))
    for at in range(4):
        offset, size = run.cuFuncGetParamInfo(kernel, at)
        run.tell("offset", offset or 0)
        run.tell("size", size or 0)
    memory = run.counted(1000)
    run.launch(kernel, memory, 3, 1000, None)
    run.cuCtxSynchronize()
    run.tell_floats("sum", memory, 1000)
    stream = run.cuStreamCreate(cu.CU_STREAM_NON_BLOCKING)
    run.launch(kernel, memory, 2, 500, stream)
    run.cuStreamSynchronize(stream)
    run.tell_floats("sum", memory, 1000)
    run.launch(kernel, memory, 2, 500, stream, threads=4096)
    run.cuStreamDestroy(stream)
    run.cuMemFree(memory)
    run.end()


@beside
def test_occupancy(run: Script) -> None:
    """Blocks of a multiprocessor, the best size of a block, room for shared memory."""
    run.begin()
    kernel = run.kernel("scale")
    for threads in (32, 256, 1024):
        ask = run.cuOccupancyMaxActiveBlocksPerMultiprocessor
        run.tell("blocks", none(ask(kernel, threads, 0)))
        ask = run.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
        run.tell("blocks", none(ask(kernel, threads, 40960, 0)))
    grid, block = run.cuOccupancyMaxPotentialBlockSize(kernel, None, 0, 0)
    run.tell("grid", none(grid))
    run.tell("block", none(block))
    room = run.cuOccupancyAvailableDynamicSMemPerBlock(kernel, 2, 128)
    run.tell("room", none(room, 0))
    run.end()


def none(value: Any, untouched: int = -1) -> Any:
    """A value; if the call failed, the value that the twin's variable had before."""
    return untouched if value is None else value


@beside
def test_streams(run: Script) -> None:
    """And events: flags, priority, context, waiting, querying, the wrong kind of event."""
    run.begin()
    stream = run.cuStreamCreateWithPriority(cu.CU_STREAM_NON_BLOCKING, 0)
    other = run.cuStreamCreate(cu.CU_STREAM_DEFAULT)
    run.tell("flags", run.cuStreamGetFlags(stream))
    run.tell("priority", run.cuStreamGetPriority(stream))
    run.tell("context", run.cuStreamGetCtx(stream) == run.context)
    run.cuStreamQuery(stream)
    run.cuStreamCreate(77)
    event = run.cuEventCreate(cu.CU_EVENT_DEFAULT)
    untimed = run.cuEventCreate(cu.CU_EVENT_DISABLE_TIMING)
    run.cuEventRecord(event, stream)
    run.cuStreamWaitEvent(other, event, 0)
    run.cuEventSynchronize(event)
    run.cuEventQuery(event)
    run.cuEventRecord(untimed, stream)
    run.cuStreamSynchronize(stream)
    run.cuEventElapsedTime(event, untimed)
    run.tell("capturing", int(none(run.cuStreamIsCapturing(stream), 9)))
    for one in (event, untimed):
        run.cuEventDestroy(one)
    for one in (stream, other):
        run.cuStreamDestroy(one)
    run.end()


@beside
def test_graphs(run: Script) -> None:
    """Of two nodes, launched twice; and one that a stream captured."""
    run.begin()
    kernel = run.kernel("scale")
    memory = run.counted(256)
    graph = run.cuGraphCreate(0)
    ones = {"dst": memory, "value": 0x3F800000, "elementSize": 4, "width": 256, "height": 1}
    first = run.cuGraphAddMemsetNode(graph, [], 0, ones, run.context)
    node = cu.CUDA_KERNEL_NODE_PARAMS(
        func=kernel, gridDimX=2, gridDimY=1, gridDimZ=1, blockDimX=128, blockDimY=1, blockDimZ=1
    )
    node.kernelParams = [np.uint64(memory), np.float32(2), np.uint32(256)]
    second = run.cuGraphAddKernelNode(graph, [first], 1, node)
    run.tell("nodes", nodes_of(run, graph))
    run.tell("type", int(none(run.cuGraphNodeGetType(second))))
    exec_ = run.cuGraphInstantiateWithFlags(graph, 0)
    run.cuGraphLaunch(exec_, None)
    run.cuGraphLaunch(exec_, None)
    run.cuCtxSynchronize()
    run.tell_floats("sum", memory, 256)
    stream = run.cuStreamCreate(cu.CU_STREAM_NON_BLOCKING)
    run.cuStreamBeginCapture(stream, cu.CU_STREAM_CAPTURE_MODE_GLOBAL)
    run.cuMemsetD32Async(memory, 0, 256, stream)
    captured = run.cuStreamEndCapture(stream)
    run.tell("captured", nodes_of(run, captured))
    run.cuGraphExecDestroy(exec_)
    run.cuGraphDestroy(captured)
    run.cuGraphDestroy(graph)
    run.end()


def nodes_of(run: Script, graph: Any) -> int:
    """How many nodes a graph has."""
    return len(run.cuGraphGetNodes(graph) or ())


@beside
def test_linking(run: Script) -> None:
    """PTX linked into an image, from which a kernel is loaded."""
    run.begin()
    state = run.cuLinkCreate(0, [], None)
    image = PTX.encode() + b"\0"
    kind = cu.CU_JIT_INPUT_PTX
    run.cuLinkAddData(state, kind, image, len(image), "families", 0, [], [])
    address, size = run.cuLinkComplete(state)
    run.tell("size", none(size, 0))
    if address:
        run.kernel("scale", ctypes.string_at(address, size))
    run.cuLinkDestroy(state)
    run.end()


@beside
def test_memory(run: Script) -> None:
    """Allocated, set by 1, 2 and 4 bytes, copied, pitched, pinned, managed; what is none."""
    run.begin()
    memory = run.cuMemAlloc(1 << 20)
    base, size = run.cuMemGetAddressRange(memory + 100)
    run.tell("offset", memory - base)
    run.tell("size", size)
    run.cuMemsetD8(memory, 7, 1000)
    run.cuMemsetD16(memory, 0x0102, 100)
    run.cuMemsetD32(memory, 0xFFFFFFFE, 10)
    back = bytearray(300)
    run.cuMemcpyDtoH(back, memory, 300)
    run.tell("sum", sum(back))
    run.cuMemcpyDtoD(memory + 4096, memory, 300)
    kind = run.cuPointerGetAttribute(cu.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory)
    run.tell("type", int(kind))
    pitched, pitch = run.cuMemAllocPitch(100, 10, 4)
    run.tell("pitch", pitch)
    copy = cu.CUDA_MEMCPY2D(srcMemoryType=HOST, srcHost=b"12345678", srcPitch=4)
    copy.dstMemoryType, copy.dstDevice, copy.dstPitch = DEVICE, pitched, pitch
    copy.WidthInBytes, copy.Height = 4, 2
    run.cuMemcpy2D(copy)
    row = bytearray(4)
    run.cuMemcpyDtoH(row, pitched + pitch, 4)
    run.tell("row", row.decode())
    pinned = run.cuMemHostAlloc(4096, 3)
    run.tell("flags", run.cuMemHostGetFlags(pinned))
    run.cuMemHostGetDevicePointer(pinned, 0)
    run.cuMemFreeHost(pinned)
    managed = run.cuMemAllocManaged(4096, cu.CU_MEM_ATTACH_GLOBAL)
    for one in (managed, pitched, memory):
        run.cuMemFree(one)
    run.cuMemFree(64)
    run.cuMemAlloc(0)
    run.end()


@beside
def test_vmm(run: Script) -> None:
    """Addresses reserved, memory made and mapped there, its access set and read."""
    run.begin()
    here = (cu.CU_MEM_LOCATION_TYPE_DEVICE, 0)
    wanted = cu.CUmemAllocationProp(type=cu.CU_MEM_ALLOCATION_TYPE_PINNED, location=here)
    grain = run.cuMemGetAllocationGranularity(wanted, cu.CU_MEM_ALLOC_GRANULARITY_MINIMUM)
    run.tell("grain", none(grain, 0))
    if grain:
        handle = run.cuMemCreate(grain, wanted, 0)
        place = run.cuMemAddressReserve(grain, 0, 0, 0)
        run.cuMemMap(place, grain, 0, handle, 0)
        both = cu.CUmemAccessDesc(here, cu.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        run.cuMemSetAccess(place, grain, [both], 1)
        run.tell("access", int(none(run.cuMemGetAccess(here, place), 99)))
        run.cuMemsetD32(place, 0x40000000, 256)
        run.tell_floats("sum", place, 256)
        run.cuMemUnmap(place, grain)
        run.cuMemRelease(handle)
        run.cuMemAddressFree(place, grain)
    run.end()


@beside
def test_arrays(run: Script) -> None:
    """And textures: described, written, read in part, sampled by a kernel."""
    run.begin()
    floats = {"Format": cu.CU_AD_FORMAT_FLOAT, "NumChannels": 1}
    wanted = cu.CUDA_ARRAY_DESCRIPTOR(Width=8, Height=4, **floats)
    array = run.cuArrayCreate(wanted)
    description = run.cuArrayGetDescriptor(array)
    run.tell("width", description.Width if description else 0)
    run.tell("height", description.Height if description else 0)
    run.tell("format", int(description.Format) if description else 0)
    texels, back = np.arange(32, dtype=np.float32), np.zeros(32, dtype=np.float32)
    copy = cu.CUDA_MEMCPY2D(srcMemoryType=HOST, srcHost=texels, srcPitch=32)
    copy.dstMemoryType, copy.dstArray = ARRAY, array
    copy.WidthInBytes, copy.Height = 32, 4
    run.cuMemcpy2D(copy)
    run.cuMemcpyAtoH(back, array, 32, 32)
    run.tell("texel", int(back[3]))
    resource = cu.CUDA_RESOURCE_DESC(resType=cu.CU_RESOURCE_TYPE_ARRAY)
    resource.res.array.hArray = array
    look = cu.CUDA_TEXTURE_DESC(addressMode=[cu.CU_TR_ADDRESS_MODE_CLAMP] * 3)
    texture = run.cuTexObjectCreate(resource, look, None)
    if texture:
        run.tell("address", int(run.cuTexObjectGetTextureDesc(texture).addressMode[0]))
        kernel = run.kernel("sample")
        out = run.counted(32)
        arguments = [np.uint64(texture), np.uint64(out), np.uint32(8)]
        run.cuLaunchKernel(kernel, 1, 1, 1, 8, 4, 1, 0, None, arguments, None)
        run.cuCtxSynchronize()
        run.tell_floats("sum", out, 32)
        run.cuTexObjectDestroy(texture)
    run.cuArrayDestroy(array)
    run.end()


def test_ipc(twin: pathlib.Path) -> None:
    """Memory of this process, opened and changed by the C++ twin.

    cuIpcGetMemHandle; the twin reads the memory, and writes ones into it.
    """
    gpu = cu.checked
    gpu.cuInit(0)
    context = gpu.cuCtxCreate(None, 0, gpu.cuDeviceGet(0))
    try:
        sent = np.arange(256, dtype=np.float32)
        memory = gpu.cuMemAlloc(sent.nbytes)
        gpu.cuMemcpyHtoD(memory, sent, sent.nbytes)
        gpu.cuCtxSynchronize()
        handle = bytes(memoryview(gpu.cuIpcGetMemHandle(memory)))
        reported = answers(twin, "ipc", handle.hex())
        refused = [one for one in reported if one.startswith("cu") and not one.endswith(" 0")]
        assert refused == [], "what the twin was refused"
        assert f"sum {int(sent.sum())}" in reported, "what it read"
        back = np.zeros_like(sent)
        gpu.cuMemcpyDtoH(back, memory, back.nbytes)
        assert back.tolist() == [1.0] * 256, "what it wrote"
        gpu.cuMemFree(memory)
    finally:
        gpu.cuCtxDestroy(context)
