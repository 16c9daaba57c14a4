"""PyCUDA's memory, devices and function attributes, as its users write them."""

from __future__ import annotations

import os

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import IN_CHILD, own_interpreter

if IN_CHILD:
    import PyGPU.driver as cuda

pytestmark = own_interpreter("on_host", PYGPU_HOST_DEVICES="2")

PTX = b""".version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 to) {
    .reg .u64 %p; ld.param.u64 %p, [to]; st.global.u32 [%p], 7; ret; }
"""


@pytest.mark.parametrize(
    ("like", "arguments"),
    [
        ("pagelocked_empty_like", ()), ("pagelocked_zeros_like", ()),
        ("managed_empty_like", (1,)), ("managed_zeros_like", (1,)),
        ("aligned_empty_like", ()), ("aligned_zeros_like", ()),
    ],
)  # fmt: skip
def test_memory_like_an_array(like, arguments):
    """Shape, dtype and order are the array's, and "zeros" are zeros."""
    given = np.ones((3, 4), np.complex64, order="F")
    made = getattr(cuda, like)(given, *arguments)
    assert (made.shape, made.dtype, made.strides) == (given.shape, given.dtype, given.strides)
    assert "zeros" not in like or not made.any()
    made[:] = given
    with pytest.raises(ValueError, match="order"):
        getattr(cuda, like)(np.ones((4, 4))[::2, ::2], *arguments)
    with pytest.raises(TypeError, match="Python objects"):
        getattr(cuda, like)(np.array([object()]), *arguments)


def test_rows_are_filled_and_copied_to_another_device():
    rows, pitch = cuda.mem_alloc_pitch(6, 3, 4)
    cuda.memset_d2d8(rows, pitch, 9, 6, 3)
    cuda.memset_d2d16(int(rows) + pitch, pitch, 0x0102, 2, 1)
    back = np.zeros((3, pitch), np.uint8)
    cuda.memcpy_dtoh(back, rows)
    assert back[:, :6].tolist() == [[9] * 6, [2, 1, 2, 1, 9, 9], [9] * 6]
    there = cuda.Device(1).retain_primary_context()
    there.push()
    other = cuda.mem_alloc(pitch)
    cuda.Context.pop()
    cuda.memcpy_peer(other, rows, pitch, there)
    stream = cuda.Stream()
    cuda.memcpy_peer_async(other, int(rows) + pitch, 2, there, stream=stream)
    stream.synchronize()
    first = np.zeros(6, np.uint8)
    cuda.memcpy_dtoh(first, other)
    assert first.tolist() == [2, 1, 9, 9, 9, 9]
    for wrong in (3, 32):
        with pytest.raises(ValueError, match="access_size"):
            cuda.mem_alloc_pitch(6, 3, wrong)


def test_devices_are_numbers_and_say_which():
    first, second = cuda.Device(0), cuda.Device(1)
    assert len({first, second, cuda.Device(0)}) == 2 and int(second) == 1
    assert repr(second) == "<PyGPU.driver.Device 1>" and first.can_access_peer(second)
    assert repr(first.retain_primary_context()) == "<PyGPU.driver.Context of device 0>"
    with pytest.raises(AttributeError, match="no attribute 'Max'"):
        first.Max  # noqa: B018


def test_a_function_tells_its_attributes():
    function = cuda.module_from_buffer(PTX).get_function("k")
    most = cuda.function_attribute.MAX_THREADS_PER_BLOCK
    assert function.get_attribute(most) == function.max_threads_per_block == 1024
    function.set_attribute("MAX_DYNAMIC_SHARED_SIZE_BYTES", 2048)
    assert function.max_dynamic_shared_size_bytes == 2048
    function.set_cache_config(cuda.func_cache.PREFER_L1)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        function.Nothing  # noqa: B018
    kernel = PyGPU.Module(PTX)["k"]
    assert kernel.shared_size_bytes == kernel.local_size_bytes == kernel.const_size_bytes == 0
    major, minor = cuda.Device(0).compute_capability()
    assert kernel.binary_version == 10 * major + minor  # the driver compiles the PTX for this
    assert kernel.ptx_version == 90 and kernel.num_regs > 0
    assert kernel.active_blocks(128) >= kernel.active_blocks(1024) > 0
    assert repr(kernel) == "<PyGPU.Kernel k>"
    assert repr(kernel[2, (32, 4)]) == "<PyGPU.Kernel k[(2, 1, 1), (32, 4, 1)]>"


@pytest.mark.parametrize(
    ("chosen", "device"), [("1", 1), (None, 0), ("file", 1)], ids=["variable", "none", "file"]
)
def test_the_default_context_is_on_the_chosen_device(chosen, device, tmp_path):
    """CUDA_DEVICE comes before ~/.cuda_device. Without both it is the first device that works."""
    from PyGPU import tools

    os.environ.pop("CUDA_DEVICE", None)
    os.environ["HOME"] = str(tmp_path)
    if chosen == "file":
        (tmp_path / ".cuda_device").write_text("1\n")
    elif chosen:
        os.environ["CUDA_DEVICE"] = chosen
    context = tools.make_default_context()
    assert context.get_device() == cuda.Device(device)
    with pytest.warns(DeprecationWarning, match="make_default_context"):
        assert tools.get_default_device() == cuda.Device(device)
    os.environ["CUDA_DEVICE"] = "the big one"
    with pytest.raises(ValueError, match="must hold the number of a device, not 'the big one'"):
        tools.make_default_context()


def test_autoprimaryctx_is_autoinit():
    """PyCUDA has this second module that makes a context on import."""
    from PyGPU import autoinit, autoprimaryctx

    assert autoprimaryctx.context is autoinit.context
    assert autoprimaryctx.device == autoinit.device == cuda.Device(0)


def test_a_texture_reference_takes_memory_at_an_offset():
    """Where that is allowed: the texture then begins at an aligned address before the memory."""
    texture = cuda.TextureReference()
    memory = cuda.mem_alloc(4096)
    texture.set_format(cuda.array_format.FLOAT, 2)
    assert texture.get_format() == (cuda.array_format.FLOAT, 2)
    assert texture.set_address(memory, 1024) == 0
    assert texture.set_address(int(memory) + 8, 1024, allow_offset=True) == 8
    with pytest.raises(cuda.LogicError, match="8 bytes behind an aligned one"):
        texture.set_address(int(memory) + 8, 1024)
