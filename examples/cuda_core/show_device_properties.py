"""What each device can do: cuda.core's example of device properties, with PyGPU's objects.

    python examples/cuda_core/show_device_properties.py

Properties have the names of the driver's attributes, in lower case, and those of cudaDeviceProp.
"""

from __future__ import annotations

import sys

import PyGPU

SHOWN = (
    "multiprocessor_count", "warp_size", "max_threads_per_block", "max_threads_per_multiprocessor",
    "max_shared_memory_per_block_optin", "l2_cache_size", "concurrent_managed_access",
    "cooperative_launch", "memory_pools_supported", "virtual_memory_management_supported",
)  # fmt: skip


def main() -> None:
    for device in PyGPU.Device.all():
        print(f"device {device.device_id}: {device.name}")
        print(f"  compute capability {device.arch}, PCI {device.pci_bus_id}, UUID {device.uuid}")
        print(f"  {device.memory.total >> 20} MiB of memory, {device.memory.free >> 20} free")
        for name in SHOWN:
            print(f"  {name:34} {getattr(device.properties, name, '?')}")
        by_runtime = PyGPU.checked.cudaGetDeviceProperties(device).multiProcessorCount
        if device.properties.multiprocessor_count != by_runtime:
            sys.exit("the driver and the runtime don't agree")


if __name__ == "__main__":
    main()
