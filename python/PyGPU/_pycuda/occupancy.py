"""PyCUDA's DeviceData and OccupancyRecord, from the attributes of a device."""

from __future__ import annotations

from PyGPU._pycuda.constants import device_attribute
from PyGPU._pycuda.devices import Context, Device

_REGISTERS_OF_WARP = 256  # registers are given to warps in such pieces
_BANKS = 32


class DeviceData:
    """The limits of a device; without an argument, of the current one.

    PyCUDA has some of them in tables of cards. PyGPU asks the driver. `registers` and
    `shared_memory` are those of a block, `registers_per_mp` and `shared_memory_per_mp` those of a
    multiprocessor.
    """

    def __init__(self, dev: Device | None = None) -> None:
        device = dev or Context.get_device()
        ask, of = device.get_attribute, device_attribute
        self.max_threads = ask(of.MAX_THREADS_PER_BLOCK)
        self.warp_size = ask(of.WARP_SIZE)
        self.warps_per_mp = ask(of.MAX_THREADS_PER_MULTIPROCESSOR) // max(self.warp_size, 1)
        self.thread_blocks_per_mp = ask(of.MAX_BLOCKS_PER_MULTIPROCESSOR)
        self.registers = ask(of.MAX_REGISTERS_PER_BLOCK)
        self.registers_per_mp = ask(of.MAX_REGISTERS_PER_MULTIPROCESSOR)
        self.shared_memory = ask(of.MAX_SHARED_MEMORY_PER_BLOCK)
        self.shared_memory_per_mp = ask(of.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
        self.shared_memory_reserved = ask(of.RESERVED_SHARED_MEMORY_PER_BLOCK)
        self.smem_granularity = _BANKS
        self.smem_alloc_granularity = 128 if device.compute_capability() >= (8, 0) else 256
        self.register_allocation_unit = "warp"

    def align_bytes(self, word_size: int = 4) -> int:
        """The alignment at which accesses of words coalesce."""
        known = {4: 64, 8: 128, 16: 128}
        if word_size not in known:
            raise ValueError(f"there is no alignment for words of {word_size} bytes")
        return known[word_size]

    def align(self, bytes: int, word_size: int = 4) -> int:
        """`bytes`, rounded up to align_bytes()."""
        return _up(bytes, self.align_bytes(word_size))

    def align_words(self, word_size: int) -> int:
        """align_bytes() in words."""
        return self.align_bytes(word_size) // word_size

    def align_dtype(self, elements: int, dtype_size: int) -> int:
        """`elements`, rounded up to align_words()."""
        return _up(elements, self.align_words(dtype_size))

    def coalesce(self, thread_count: int) -> int:
        """`thread_count`, rounded up to half a warp of 32."""
        return _up(thread_count, 16)

    @staticmethod
    def make_valid_tex_channel_count(size: int) -> int:
        """The next count of channels that a texture can have."""
        for valid in (1, 2, 4):
            if size <= valid:
                return valid
        raise ValueError(f"a texture has at most 4 channels, not {size}")


class OccupancyRecord:
    """How many blocks fit on a multiprocessor, by their threads, shared memory and registers.

    Function.active_blocks() asks the driver, which knows each card exactly.
    """

    def __init__(
        self, devdata: DeviceData, threads: int, shared_mem: int = 0, registers: int = 0
    ) -> None:
        if not 0 < threads <= devdata.max_threads:
            raise ValueError(f"{threads} threads: a block has 1 to {devdata.max_threads}")
        warps = -(-threads // devdata.warp_size)
        in_warp = _up(registers * devdata.warp_size, _REGISTERS_OF_WARP)
        if in_warp * warps > devdata.registers:
            raise ValueError(f"too many registers: a block has {devdata.registers}")
        if shared_mem > devdata.shared_memory:
            raise ValueError(f"too much shared memory: a block has {devdata.shared_memory} bytes")
        limits = [
            (devdata.thread_blocks_per_mp, "device"),
            (devdata.warps_per_mp // warps, "warps"),
        ]
        if registers > 0:
            limits.append((devdata.registers_per_mp // in_warp // warps, "regs"))
        if shared_mem > 0:
            taken = _up(shared_mem + devdata.shared_memory_reserved, devdata.smem_alloc_granularity)
            limits.append((devdata.shared_memory_per_mp // taken, "smem"))
        self.tb_per_mp_limits = limits
        self.tb_per_mp, self.limited_by = min(limits)
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp


def _up(value: int, step: int) -> int:
    return -(-value // step) * step
