"""PyGPU.GreenContext, TensorMap and CheckpointProcess, and the advice of kernel.occupancy."""

from __future__ import annotations

import gc
import os

import numpy as np
import pytest

import PyGPU
from tests.objects.kernels import COUNT, kernel
from tests.own_interpreter import own_interpreter

pytestmark = own_interpreter("on_devices")
HALVES = """
struct alignas(64) Map { unsigned long long words[16]; };
extern "C" __global__ void words(const __grid_constant__ Map map, unsigned long long *out) {
    out[threadIdx.x] = map.words[threadIdx.x];
}
"""


def supported(make):
    """What a function gives; skips the test where the driver or the device lacks it."""
    try:
        return make()
    except PyGPU.GPUError as error:
        if "NOT_SUPPORTED" not in str(error) and "NOT_FOUND" not in str(error):
            raise
        pytest.skip(str(error))


def test_green_contexts_share_out_a_device():
    whole = PyGPU.Device().properties.multiProcessorCount
    parts = supported(lambda: PyGPU.GreenContext.split(1))
    assert 1 <= parts[0].sm_count <= sum(one.sm_count for one in parts) <= whole
    with pytest.raises(PyGPU.GPUError):
        PyGPU.GreenContext.split(whole + 1)


def test_c_takes_green_contexts():
    parts = supported(lambda: PyGPU.GreenContext.split(1))
    gpu = PyGPU.checked
    resource = gpu.cuGreenCtxGetDevResource(parts[0], PyGPU.CU_DEV_RESOURCE_TYPE_SM)
    assert resource.sm.smCount == parts[0].sm_count
    assert PyGPU.GreenContext(resource).sm_count == parts[0].sm_count
    with pytest.raises(TypeError):
        gpu.cudaGraphGetNodes(parts[0])


def test_kernels_in_green_contexts():
    parts = supported(lambda: PyGPU.GreenContext.split(1))
    array = PyGPU.zeros(COUNT, np.float32)
    PyGPU.Device().synchronize()
    stream = parts[0].create_stream()
    assert stream.is_nonblocking
    with stream:
        kernel("add")(array, 2, grid=1, block=COUNT)
    event = parts[0].record(PyGPU.Event())
    for part in parts[1:]:
        part.wait(event)
        kernel("scale")(array, 3, grid=1, block=COUNT, stream=part.create_stream())
    PyGPU.Device().synchronize()
    assert array.get().tolist() == [6 if parts[1:] else 2] * COUNT


def test_a_stream_keeps_its_green_context():
    parts = supported(lambda: PyGPU.GreenContext.split(1))
    stream = parts[0].create_stream()
    del parts
    gc.collect()
    array = PyGPU.zeros(COUNT, np.float32)
    PyGPU.Device().synchronize()
    kernel("add")(array, 2, grid=1, block=COUNT, stream=stream)
    stream.synchronize()
    assert array.get().tolist() == [2] * COUNT
    del stream
    with PyGPU.GreenContext.split()[0] as context:
        assert int(context)
    with pytest.raises(ValueError, match="closed"):
        context.create_stream()


def test_a_tensor_map_is_a_kernels_argument():
    array = PyGPU.zeros((64, 64), np.float16)
    boxes = supported(lambda: PyGPU.TensorMap(array, box=(8, 64), swizzle="128b"))
    known = PyGPU.checked.cuTensorMapEncodeTiled(
        PyGPU.CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, array, [64, 64], [128], [64, 8], [1, 1], 0,
        PyGPU.CU_TENSOR_MAP_SWIZZLE_128B, 0, 0,
    )  # fmt: skip
    assert bytes(boxes) == bytes(known)
    out = PyGPU.zeros(16, np.uint64)
    PyGPU.SourceModule(HALVES, no_extern_c=True)["words"](boxes, out, grid=1, block=16)
    assert out.get().tobytes() == bytes(boxes)
    boxes.replace_address(other := PyGPU.zeros((64, 64), np.float16))
    assert boxes.array is other
    assert bytes(boxes) == bytes(PyGPU.TensorMap(other, box=(8, 64), swizzle="128b"))


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"box": (8,)}, "2 numbers"),
        ({"box": (8, 8), "element_strides": (1,)}, "2 numbers"),
        ({"box": (8, 8), "swizzle": "7b"}, "swizzle must be one of"),
        ({"box": (8, 8), "dtype": "tfloat32"}, "tfloat32"),
    ],
)
def test_wrong_tensor_maps(given, error):
    with pytest.raises(ValueError, match=error):
        PyGPU.TensorMap(PyGPU.zeros((16, 16), np.float16), **given)
    with pytest.raises(ValueError, match="contiguous"):
        PyGPU.TensorMap(PyGPU.zeros((16, 16), np.float16).T, (8, 8))
    with pytest.raises(TypeError):
        PyGPU.TensorMap(np.zeros((16, 16), np.float16), (8, 8))


def test_advice_on_launches():
    add, device = kernel("add"), PyGPU.Device().properties
    advice = add.occupancy
    blocks = advice.max_active_blocks_per_multiprocessor((16, 16))
    assert blocks == add.active_blocks(256) >= 1
    together = advice.max_cooperative_blocks(COUNT)
    assert together % device.multiProcessorCount == 0
    array = PyGPU.zeros(COUNT, np.float32)
    add(array, 1, grid=together, block=COUNT, cooperative=True)
    if PyGPU.backend != "host":  # it runs grids of any size together
        with pytest.raises(PyGPU.GPUError):
            add(array, 1, grid=together + 1, block=COUNT, cooperative=True)
    best = advice.max_potential_block_size(limit=512)
    assert 0 < best.max_block_size <= 512
    assert best.min_grid_size >= 1
    assert advice.available_dynamic_shared_memory_per_block(1, COUNT) > 0
    for wrong in (0, (1, 2, 3, 4), "8", (8, -1)):
        with pytest.raises(ValueError, match="block"):
            advice.max_active_blocks_per_multiprocessor(wrong)


@own_interpreter("on_devices", PYGPU_HOST_CAPABILITY="9.0")
def test_advice_on_clusters():
    if PyGPU.Device().compute_capability < (9, 0):
        pytest.skip("this device has no clusters")
    advice = kernel("add").occupancy
    most = advice.max_potential_cluster_size(COUNT)
    assert most >= 2
    assert advice.max_active_clusters(most, COUNT) >= 1
    array = PyGPU.zeros(COUNT, np.float32)
    kernel("add")(array, 1, grid=most, block=COUNT, cluster=most)
    PyGPU.Device().synchronize()


def test_checkpoints_where_the_driver_has_them():
    process = PyGPU.CheckpointProcess(os.getpid())
    assert supported(lambda: process.state) == "running"
    assert isinstance(process.restore_thread_id, int)
