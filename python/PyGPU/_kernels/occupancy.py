"""What fits on a device at once: advice on the shape of a kernel's launch."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from PyGPU._kernels import base, driver

if TYPE_CHECKING:
    from collections.abc import Sequence


class BestBlock(NamedTuple):
    """The block with which most threads run at once, and the least grid that fills the device."""

    min_grid_size: int
    max_block_size: int


class Occupancy:
    """How many blocks and clusters of a kernel the device runs at once. `kernel.occupancy` is one.

    `block` is threads, one to three ints; `shared` is bytes of dynamic shared memory of a block.
    Raises GPUError.
    """

    __slots__ = ("_kernel",)

    def __init__(self, kernel: base.Kernel) -> None:
        self._kernel = kernel

    def max_active_blocks_per_multiprocessor(
        self, block: int | Sequence[int], shared: int = 0
    ) -> int:
        """How many such blocks a multiprocessor runs at once."""
        ask, threads = "cuOccupancyMaxActiveBlocksPerMultiprocessor", prod(_three(block, "block"))
        blocks: int = self._ask(ask, threads, shared)
        return blocks

    def max_cooperative_blocks(self, block: int | Sequence[int], shared: int = 0) -> int:
        """The largest grid of a cooperative launch: all its blocks must run at once."""
        count = driver.constant("CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT")
        device = self._kernel.code.device
        processors: int = driver.call("cuDeviceGetAttribute")(count, device)
        return processors * self.max_active_blocks_per_multiprocessor(block, shared)

    def max_potential_block_size(self, shared: int = 0, limit: int = 0) -> BestBlock:
        """The best block of at most `limit` threads; 0 is no limit."""
        return BestBlock(*self._ask("cuOccupancyMaxPotentialBlockSize", None, shared, limit))

    def available_dynamic_shared_memory_per_block(
        self, blocks: int, block: int | Sequence[int]
    ) -> int:
        """The most `shared` with which a multiprocessor runs so many blocks at once."""
        threads = prod(_three(block, "block"))
        free: int = self._ask("cuOccupancyAvailableDynamicSMemPerBlock", blocks, threads)
        return free

    def max_potential_cluster_size(self, block: int | Sequence[int], shared: int = 0) -> int:
        """The most blocks that a cluster can have."""
        blocks: int = self._ask("cuOccupancyMaxPotentialClusterSize", _config(1, block, shared, ()))
        return blocks

    def max_active_clusters(
        self, cluster: int | Sequence[int], block: int | Sequence[int], shared: int = 0
    ) -> int:
        """How many clusters of so many blocks the device runs at once."""
        shape = _three(cluster, "cluster")
        one = {
            "id": driver.constant("CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION"),
            "value": {"clusterDim": shape},
        }
        config = _config(shape, block, shared, [one])
        clusters: int = self._ask("cuOccupancyMaxActiveClusters", config)
        return clusters

    def _ask(self, name: str, *args: Any) -> Any:
        with driver.using(self._kernel.code, f"{self._kernel.name}()"):
            return driver.call(name)(self._kernel.handle, *args)

    def __repr__(self) -> str:
        return f"<occupancy of {self._kernel!r}>"


def _three(extents: int | Sequence[int], name: str) -> tuple[int, ...]:
    try:
        shape = tuple(extents) if hasattr(extents, "__iter__") else (extents,)
        shape = tuple(one.__index__() for one in shape)
    except (AttributeError, TypeError):
        shape = ()
    if not 1 <= len(shape) <= 3 or min(shape) < 1:
        raise ValueError(f"occupancy: {name} must be one to three positive ints, not {extents!r}")
    return (*shape, 1, 1)[:3]


def _config(
    grid: int | Sequence[int], block: int | Sequence[int], shared: int, attributes: Sequence[Any]
) -> dict[str, Any]:
    fields = {"sharedMemBytes": shared, "attrs": list(attributes)}
    for name, extents in (("grid", grid), ("block", block)):
        for axis, extent in zip("XYZ", _three(extents, name), strict=True):
            fields[f"{name}Dim{axis}"] = extent
    return fields


Occupancy.__module__ = BestBlock.__module__ = "PyGPU"
