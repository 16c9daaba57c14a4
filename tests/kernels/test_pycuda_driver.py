"""PyGPU.driver does what PyCUDA's documentation says about pycuda.driver; on the host runtime."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

from tests.own_interpreter import own_interpreter

FLOATS = ctypes.POINTER(ctypes.c_float)
SOURCE = """
__constant__ float table[4];
__global__ void scale(float *out, const float *in, float by) {
    out[threadIdx.x] = in[threadIdx.x] * by;
}
"""


def scale_module():
    """The module, with a function that runs in place of its kernel."""
    import PyGPU.host
    from PyGPU.compiler import SourceModule

    @PyGPU.host.kernel("scale", parameters=[FLOATS, FLOATS, ctypes.c_float])
    def scale(grid, block, out, of, by):
        out, of = (np.ctypeslib.as_array(one, (block[0],)) for one in (out, of))
        out[:] = of * by

    return SourceModule(SOURCE)


pytestmark = pytest.mark.usefixtures("nvrtc")


@pytest.mark.parametrize("on_stream", [False, True])
@own_interpreter(PYGPU_BACKEND="host", PYGPU_HOST_STRICT="1")
def test_argument_handlers_copy_on_the_stream_of_the_launch(on_stream):
    import PyGPU
    import PyGPU.driver as cuda

    scale = scale_module().get_function("scale")
    assert isinstance(scale, PyGPU.Kernel) and isinstance(scale, cuda.Function)
    a = np.arange(8, dtype=np.float32)
    out = np.zeros_like(a)
    stream = cuda.Stream(1) if on_stream else None
    assert scale(cuda.Out(out), cuda.In(a), np.float32(3), block=(8, 1, 1), stream=stream) is None
    a[:] = 0  # the copied input isn't read again
    assert out.tolist() == [3.0 * one for one in range(8)]
    both = cuda.InOut(out)
    seconds = scale(both, both, np.float32(2), block=(8, 1, 1), stream=stream, time_kernel=True)
    assert isinstance(seconds, float) and seconds >= 0
    assert out.tolist() == [6.0 * one for one in range(8)]


@own_interpreter(PYGPU_BACKEND="host")
def test_a_function_takes_pycuda_s_arguments_and_refuses_what_is_gone():
    import PyGPU
    import PyGPU.driver as cuda

    module = scale_module()
    scale = module.get_function("scale")
    assert module.get_function("scale") is scale
    a = cuda.managed_zeros(8, np.float32)
    a[:] = 2
    memory = cuda.mem_alloc(a.nbytes)
    scale(memory, a, np.float32(2), block=(8, 1, 1), grid=(1, 1), shared=0)
    assert cuda.from_device(memory, 8, np.float32).tolist() == [4] * 8
    scale(memory, PyGPU.managed_zeros(9)[1:], 2.0, block=(8, 1, 1))
    assert cuda.from_device(memory, 8, np.float32).tolist() == [0] * 8
    scale(memory, a[4:], 2.0, block=(4, 1, 1))
    scale(int(memory) + 16, a[:4], 2.0, block=(4, 1, 1))
    scale.prepare("PPf").prepared_call((1, 1), (8, 1, 1), memory, memory, 2.0)
    assert cuda.from_device_like(memory, a).tolist() == [8] * 8
    with pytest.raises(TypeError, match="host memory"):
        scale(memory, np.zeros(8, np.float32), np.float32(2), block=(8, 1, 1))
    with pytest.raises(
        TypeError, match=r"In\(\): the argument must be an array or a buffer, not list"
    ):
        scale(memory, cuda.In([1.0]), np.float32(2), block=(8, 1, 1))
    with pytest.raises(ValueError, match="block size"):
        scale(memory, a, np.float32(2))
    with pytest.raises(cuda.LogicError, match="cudaCreateTextureObject"):
        module.get_texref("t")
    with pytest.raises(NotImplementedError, match="cudaCreateSurfaceObject"):
        module.get_surfref("s")
    with pytest.raises(TypeError, match="get_texref"):
        scale(memory, a, np.float32(2), block=(8, 1, 1), texrefs=[1])
    with pytest.raises(AttributeError, match="call function"):
        scale.param_set(1)
    with pytest.raises(ValueError, match="contiguous"):
        scale(cuda.Out(np.zeros(16, np.float32)[::2]), a, np.float32(2), block=(8, 1, 1))
    for name in ("get_function", "get_global"):
        with pytest.raises(cuda.LogicError, match="missing") as raised:
            getattr(module, name)("missing")
        assert isinstance(raised.value, KeyError)


@own_interpreter(PYGPU_BACKEND="host")
def test_errors_are_of_pycuda_s_kinds_by_their_status():
    import PyGPU
    import PyGPU.driver as cuda
    import PyGPU.host

    for code, kind in {
        1: cuda.LogicError,
        2: cuda.MemoryError,
        100: cuda.RuntimeError,
        400: cuda.LogicError,
        719: cuda.LaunchError,
        999: cuda.Error,
    }.items():
        with PyGPU.host.fail("cudaMemGetInfo", error=code), pytest.raises(cuda.Error) as raised:
            PyGPU.checked.cudaMemGetInfo()
        assert type(raised.value) is kind
        assert issubclass(kind, PyGPU.GPUError)
        if code == 719:
            PyGPU.cudaDeviceReset()


@own_interpreter(PYGPU_BACKEND="host", PYGPU_HOST_STRICT="1")
def test_memory():
    import PyGPU.driver as cuda

    a = np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4))
    memory = cuda.to_device(a)
    assert isinstance(memory, cuda.DeviceAllocation) and int(memory)
    back = cuda.from_device(memory, (3, 4), np.int32, order="F")
    assert (back == a).all() and (cuda.from_device_like(memory, a) == a).all()
    other = cuda.mem_alloc_like(a)
    cuda.memcpy_dtod(other, memory, a.nbytes)
    stream, host = cuda.Stream(), cuda.pagelocked_empty(12, np.int32)
    cuda.memcpy_dtoh_async(host, other, stream)
    stream.synchronize()
    assert stream.is_done() and (host == np.arange(12).reshape(3, 4).ravel("F")).all()
    cuda.memcpy_htod_async(int(other) + 4, host[:1], stream)
    cuda.memcpy_dtod_async(int(other) + 8, other, 4, stream)
    stream.synchronize()
    assert cuda.from_device(other, 3, np.int32).tolist() == [0, 0, 0]
    for name, dtype in (("memset_d8", np.uint8), ("memset_d16", np.uint16), ("memset_d32", "u4")):
        getattr(cuda, name)(memory, 5, 3)
        assert cuda.from_device(memory, 3, dtype).tolist() == [5, 5, 5]
        getattr(cuda, name + "_async")(memory, 6, 2, stream)
        stream.synchronize()
        assert cuda.from_device(memory, 3, dtype).tolist() == [6, 6, 5]
    rows, pitch = cuda.mem_alloc_pitch(100, 3, 4)
    assert pitch >= 100 and pitch % 512 == 0 and rows.size == 3 * pitch
    cuda.memset_d2d32(rows, pitch, 9, 25, 3)
    assert (cuda.from_device(rows, (3, pitch // 4), "u4")[:, :25] == 9).all()
    free, total = cuda.mem_get_info()
    assert 0 < free <= total
    memory.free()
    with pytest.raises(Exception, match="freed"):
        cuda.memcpy_dtoh(host, memory)
    with pytest.raises(ValueError, match="read-only"):
        cuda.memcpy_dtoh(bytes(4), other)
    with pytest.raises(ValueError, match="contiguous"):
        cuda.memcpy_htod(other, host[::2])
    with pytest.raises(ValueError, match=r"^memcpy_htod\(\): the buffer has 80 bytes.*memory 8$"):
        cuda.memcpy_htod(cuda.mem_alloc(8), np.arange(10))


@own_interpreter(PYGPU_BACKEND="host")
def test_host_memory():
    import PyGPU.driver as cuda

    a = cuda.pagelocked_zeros((2, 3), np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    assert isinstance(a.base, cuda.PagelockedHostAllocation) and not a.any()
    assert a.base.get_device_pointer() == a.ctypes.data
    assert cuda.pagelocked_empty_like(np.asfortranarray(a)).flags.f_contiguous
    managed = cuda.managed_empty(4, np.int8, mem_flags=cuda.mem_attach_flags.GLOBAL)
    assert managed.base.get_device_pointer() == int(managed.base) == managed.ctypes.data
    aligned = cuda.aligned_zeros((5, 7), np.float64, alignment=4096)
    assert aligned.ctypes.data % 4096 == 0 and aligned.shape == (5, 7) and not aligned.any()
    locked = cuda.register_host_memory(aligned)
    assert locked.ctypes.data == aligned.ctypes.data and locked.base.base is aligned
    with pytest.raises(cuda.LogicError):  # it is registered already
        cuda.register_host_memory(aligned)
    locked.base.unregister()
    cuda.register_host_memory(aligned)


@own_interpreter(PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="2")
def test_devices_and_contexts():
    import PyGPU
    import PyGPU.driver as cuda

    cuda.init()
    assert cuda.Device.count() == 2
    first, second = map(cuda.Device, range(2))
    assert cuda.Device(second.pci_bus_id()) == second != first
    assert "host device 1" in second.name()
    assert first.warp_size == first.get_attribute(cuda.device_attribute.WARP_SIZE)
    attributes = first.get_attributes()
    assert len(attributes) > 50
    assert attributes[cuda.device_attribute.WARP_SIZE] == first.warp_size
    # PyCUDA's dump_properties.py prints them.
    named = {f"{attribute:<1}": value for attribute, value in attributes.items()}
    assert named["WARP_SIZE"] == first.warp_size and str(min(attributes)) in named
    assert first.compute_capability() == (
        first.compute_capability_major,
        first.compute_capability_minor,
    )
    assert first.total_memory() == cuda.mem_get_info()[1]
    context = second.make_context()
    assert cuda.Context.get_device() == second and cuda.Context.get_current() == context
    assert PyGPU.checked.cudaGetDevice() == 1
    first.retain_primary_context().push()
    assert cuda.Context.get_device() == first
    cuda.Context.pop()
    assert cuda.Context.get_device() == second and context.handle
    cuda.Context.set_limit(cuda.limit.STACK_SIZE, 4096)
    assert cuda.Context.get_limit(cuda.limit.STACK_SIZE) == 4096
    cuda.Context.set_cache_config(cuda.func_cache.PREFER_L1)
    assert cuda.Context.get_cache_config() == cuda.func_cache.PREFER_L1
    cuda.Context.set_shared_config(cuda.shared_config.FOUR_BYTE_BANK_SIZE)
    assert cuda.Context.get_shared_config() == cuda.shared_config.FOUR_BYTE_BANK_SIZE
    assert context.get_api_version() > 3000
    other = first.retain_primary_context()
    context.enable_peer_access(other)
    with pytest.raises(cuda.LogicError, match="peer access"):
        context.enable_peer_access(other)
    context.disable_peer_access(other)
    assert cuda.func_attribute is cuda.function_attribute
    cuda.Context.synchronize()
    context.detach()
    assert cuda.Context.get_device() == first
    with pytest.raises(cuda.LogicError, match="pushed"):
        cuda.Context.pop()
    with pytest.raises(AttributeError, match="no constant"):
        _ = first.no_such_attribute
    assert cuda.get_driver_version() >= 10000 and cuda.get_version() >= (10, 0)


@own_interpreter(PYGPU_BACKEND="hip")
def test_constants_and_devices_on_hip(host_library):
    """HIP's enums have other names and numbers."""
    import PyGPU.driver as cuda

    os.environ["PYGPU_HIP_LIBRARY"] = str(host_library)
    assert cuda.device_attribute.WARP_SIZE.name == "hipDeviceAttributeWarpSize"
    assert cuda.event_flags.DISABLE_TIMING == 2 and cuda.mem_attach_flags.GLOBAL == 1
    assert {"PREFER_L1", "PREFER_SHARED"} <= set(dir(cuda.func_cache))
    device = cuda.Device(0)
    assert device.warp_size == device.get_attribute(cuda.device_attribute.WARP_SIZE)
    assert len(device.get_attributes()) > 50
    assert 5 <= cuda.get_version()[0] < 20
    memory, pitch = cuda.mem_alloc_pitch(100, 2, 4)
    cuda.memset_d32(memory, 7, 4)
    assert cuda.from_device(memory, 4, np.uint32).tolist() == [7] * 4 and pitch >= 100
    assert cuda.Event(cuda.event_flags.DISABLE_TIMING).record().synchronize().query()
    with pytest.raises(cuda.LogicError):
        cuda.module_from_buffer(b"junk")


@own_interpreter(PYGPU_BACKEND="hip")
def test_arrays_on_hip(host_library):
    import PyGPU.driver as cuda

    matrix = np.arange(35, dtype=np.float32).reshape(5, 7)
    os.environ["PYGPU_HIP_LIBRARY"] = str(host_library)
    array, found = cuda.matrix_to_array(matrix, "C"), np.zeros((5, 7), np.float32)
    copy = cuda.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_host(found)
    copy.width_in_bytes = copy.dst_pitch = 28
    copy.height = 5
    copy()
    np.testing.assert_array_equal(found, matrix)


@own_interpreter(PYGPU_BACKEND="host")
def test_events():
    import PyGPU.driver as cuda
    import PyGPU.host

    stream, other = cuda.Stream(1), cuda.Stream(1)
    start = cuda.Event().record(stream)
    end = cuda.Event(cuda.event_flags.BLOCKING_SYNC)
    with PyGPU.host.pause(stream.handle):
        end.record(stream)
        other.wait_for_event(end)
        assert not end.query() and not other.is_done()
    assert end.synchronize() is end and end.query()
    assert end.time_since(start) == start.time_till(end) >= 0
    untimed = cuda.Event(cuda.event_flags.DISABLE_TIMING).record().synchronize()
    with pytest.raises(cuda.LogicError):
        untimed.time_since(start)
    with pytest.raises(ValueError, match="cudaEventCreateWithFlags"):
        cuda.Event(cuda.event_flags.INTERPROCESS)


@own_interpreter(PYGPU_BACKEND="host", CUDA_DEVICE="1", PYGPU_HOST_DEVICES="2")
def test_autoinit_and_tools():
    import PyGPU
    import PyGPU.autoinit
    from PyGPU import driver, gpuarray, tools

    assert PyGPU.autoinit.device == driver.Device(1)
    assert PyGPU.autoinit.context == driver.Context.get_current()
    data = tools.DeviceData()
    assert data.max_threads == 1024 and data.align(65) == 128
    pool = tools.DeviceMemoryPool()
    array = gpuarray.to_gpu(np.arange(1000), allocator=pool.allocate)
    assert (pool.active_blocks, pool.active_bytes) == (1, 8000)
    assert (array.get() == np.arange(1000)).all()
    pool.free_held()
    pinned = tools.PageLockedMemoryPool().allocate((2, 2), np.int8)
    assert isinstance(pinned.base, tools.PooledHostAllocation)
    calls = []
    cached = tools.context_dependent_memoize(lambda one: calls.append(one) or one)
    assert [cached(1), cached(1)] == [1, 1] and calls == [1]
    tools.clear_context_caches()
    assert cached(1) == 1 and calls == [1, 1]


def test_alignments_for_coalesced_access():
    """As in PyCUDA: 4-byte words in runs of 64, larger words in runs of 128."""
    from PyGPU.tools import DeviceData

    data = DeviceData.__new__(DeviceData)
    assert [data.align_bytes(size) for size in (4, 8, 16)] == [64, 128, 128]
    assert (data.align(100), data.align_words(4), data.align_dtype(17, 4)) == (128, 16, 32)
    assert data.coalesce(33) == 48
    assert [DeviceData.make_valid_tex_channel_count(n) for n in (1, 3, 4)] == [1, 4, 4]
    with pytest.raises(ValueError, match="words of 3 bytes"):
        data.align_bytes(3)
    with pytest.raises(ValueError, match="at most 4 channels"):
        DeviceData.make_valid_tex_channel_count(5)


def test_occupancy_of_known_cards():
    """Compared with NVIDIA's calculator for compute capability 9.0 and 7.0."""
    from PyGPU.tools import DeviceData, OccupancyRecord

    h100 = DeviceData.__new__(DeviceData)
    h100.__dict__.update(
        max_threads=1024, warp_size=32, warps_per_mp=64, thread_blocks_per_mp=32, registers=65536,
        registers_per_mp=65536, shared_memory=49152, shared_memory_per_mp=233472,
        shared_memory_reserved=1024, smem_alloc_granularity=128,
    )  # fmt: skip
    full = OccupancyRecord(h100, 256, registers=32)
    assert (full.tb_per_mp, full.warps_per_mp, full.occupancy) == (8, 64, 1.0)
    by_registers = OccupancyRecord(h100, 256, registers=100)
    assert (by_registers.tb_per_mp, by_registers.limited_by) == (2, "regs")
    by_memory = OccupancyRecord(h100, 64, shared_mem=48 * 1024, registers=16)
    assert (by_memory.tb_per_mp, by_memory.limited_by) == (4, "smem")
    assert OccupancyRecord(h100, 32).limited_by == "device"
    with pytest.raises(ValueError, match="threads"):
        OccupancyRecord(h100, 2048)
