"""PyCUDA's memory pools, its holders of pointers, and arrays as texture references."""

from __future__ import annotations

import gc
import math
import random

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import IN_CHILD, own_interpreter

if IN_CHILD:
    import PyGPU.driver as cuda
    from PyGPU import tools

pytestmark = own_interpreter("on_devices")


def test_bins_are_those_of_pycuda():
    """The sizes of test_mempool_2 in PyCUDA's test_driver.py, and the smallest ones."""
    pool, numbers = tools.DeviceMemoryPool(), random.Random(3)
    sizes = [numbers.randrange(1 << 40) >> numbers.randrange(40) for _ in range(500)]
    sizes += range(600)
    for size in sizes:
        bin = pool.bin_number(size)
        most = pool.alloc_size(bin)
        assert most >= size and pool.bin_number(most) == bin and pool.bin_number(most + 1) != bin
        assert most < max(size, 1) * (1 + 1 / 8)
    assert [pool.bin_number(size) for size in (0, 1, 2, 3, 16, 17, 1 << 20)] == [
        0, 0, 16, 24, 64, 65, 320,
    ]  # fmt: skip


class Model:
    """The counters of PyCUDA's memory_pool."""

    def __init__(self, pool):
        self.pool, self.held, self.active = pool, {}, []

    def allocate(self, size):
        bin = self.pool.bin_number(size)
        self.held[bin] = max(self.held.get(bin, 0) - 1, 0)
        self.active.append(size)

    def free(self, size, holds=True):
        self.active.remove(size)
        bin = self.pool.bin_number(size)
        self.held[bin] = self.held.get(bin, 0) + holds

    def counts(self):
        of = self.pool.alloc_size
        managed = sum(of(bin) * count for bin, count in self.held.items())
        managed += sum(of(self.pool.bin_number(size)) for size in self.active)
        return sum(self.held.values()), len(self.active), managed, sum(self.active)


def counts(pool):
    return pool.held_blocks, pool.active_blocks, pool.managed_bytes, pool.active_bytes


@pytest.mark.parametrize("kind", ["DeviceMemoryPool", "PageLockedMemoryPool"])
def test_counts_are_those_of_pycuda(kind):
    """Over random allocations, freed by their ends and by free(); other memory doesn't count."""
    pool, numbers = getattr(tools, kind)(), random.Random(5)
    model, live = Model(pool), []
    other = getattr(tools, kind)()

    def allocate(size):
        if kind == "DeviceMemoryPool":
            return pool.allocate(size)
        return pool.allocate(size, np.uint8)

    for step in range(600):
        if live and numbers.random() < 0.5:
            size, block = live.pop(numbers.randrange(len(live)))
            if numbers.random() < 0.5:
                (block if kind == "DeviceMemoryPool" else block.base).free()
            del block
            model.free(size)
        else:
            size = numbers.choice([1, 100, 104, 4096, 4097, 5000])
            live.append((size, allocate(size)))
            model.allocate(size)
        if step % 7 == 0:
            assert counts(pool) == model.counts()
    assert counts(pool) == model.counts() and counts(other) == (0, 0, 0, 0)
    pool.free_held()
    assert counts(pool)[:2] == (0, len(live))
    pool.stop_holding()
    live.clear()
    gc.collect()
    assert counts(pool) == (0, 0, 0, 0)


def test_an_array_keeps_its_block_in_use():
    pool = tools.DeviceMemoryPool()
    array = PyGPU.zeros(1000, np.float32, allocator=pool.allocate)
    part = array[10:]
    del array
    assert counts(pool)[1] == 1 and pool.active_bytes == 4000
    del part
    assert counts(pool)[:2] == (1, 0)


class Holder(cuda.PointerHolderBase if IN_CHILD else object):
    def __init__(self, memory):
        super().__init__()
        self.memory = memory

    def get_pointer(self):
        return int(self.memory)


SCALE = "__global__ void scale(float *x, int by) { x[threadIdx.x] *= by; }"


def test_a_holder_of_a_pointer_stands_for_its_memory():
    holder, sent = Holder(cuda.mem_alloc(400)), np.arange(100, dtype=np.float32)
    cuda.memcpy_htod(holder, sent)
    scale = PyGPU.SourceModule(SCALE).get_function("scale")
    scale(holder, np.int32(2), block=(100, 1, 1))
    scale.prepare("Pi").prepared_call((1, 1), (100, 1, 1), holder, 2)
    array = PyGPU.GPUArray(100, np.float32, gpudata=holder)
    np.testing.assert_array_equal(array.get(), 4 * sent)
    assert int(holder) == holder.__index__() == array.ptr
    with pytest.raises(ValueError, match=r"as_buffer\(\): the host can't read the memory"):
        holder.as_buffer(4)
    with pytest.raises(NotImplementedError, match="must have a method get_pointer"):
        int(cuda.PointerHolderBase())


def test_a_holder_of_memory_that_the_host_reads_is_a_buffer():
    managed = cuda.managed_zeros(8, np.uint8)
    holder = Holder(managed.base)
    holder.as_buffer(2, offset=3)[:] = b"ab"
    assert managed.tobytes() == b"\0\0\0ab\0\0\0"


LINEAR = b"""
.version 8.0
.target sm_75
.address_size 64
.global .texref from;
.visible .entry fetch(.param .u64 out)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<8>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [from, {%r1}];
    mul.wide.u32 %rd2, %r1, 8;
    add.u64 %rd3, %rd1, %rd2;
    st.global.v2.u32 [%rd3], {%r2, %r3};
    ret;
}
"""


def texture():
    if PyGPU.backend == "hip":
        pytest.skip("the code is PTX")
    return cuda.module_from_buffer(LINEAR)


@pytest.mark.parametrize(
    ("dtype", "given", "read"),
    [
        ("f8", {"allow_double_hack": True}, "f8"),
        ("c8", {"allow_complex_hack": True}, "c8"),
        ("u4", {"channels": 2}, "u4"),
        ("i4", {"channels": 2}, "i4"),
        ("f4", {"channels": 2}, "f4"),
    ],
)
def test_arrays_are_bound_to_texture_references(dtype, given, read):
    """Each fetch gives two pieces of 32 bits, which are a double, a complex, or two elements."""
    module = texture()
    sent = np.arange(1, 9).astype(dtype)
    array, out = PyGPU.to_gpu(sent), PyGPU.zeros(sent.nbytes // 8, np.float64)
    assert array.bind_to_texref_ext(module.get_texref("from"), **given) == 0
    module.get_function("fetch")(out, block=(out.size, 1, 1))
    np.testing.assert_array_equal(out.get().view(read), sent)


def test_what_no_texture_reference_can_hold():
    """The reference keeps its module loaded."""
    texref = texture().get_texref("from")
    with pytest.raises(ValueError, match="channels is 1 for float64, not 2"):
        PyGPU.zeros(4, np.float64).bind_to_texref_ext(texref, 2, allow_double_hack=True)
    with pytest.raises(TypeError, match="has no array format"):
        PyGPU.zeros(4, np.float64).bind_to_texref_ext(texref)
    with pytest.raises(RuntimeError, match="isn't contiguous"):
        PyGPU.zeros((4, 4), np.float32)[:, ::2].bind_to_texref_ext(texref)
    array = PyGPU.zeros(1024, np.float32)
    assert array.bind_to_texref(texref) == 0
    assert texref.get_address() == array.ptr
    offset = array[3:].bind_to_texref(texref, allow_offset=True)
    assert math.isclose(offset, 3)
    with pytest.raises(cuda.LogicError, match="12 bytes behind an aligned one"):
        array[3:].bind_to_texref(texref)
