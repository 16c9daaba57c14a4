"""PyCUDA's dump_properties with its imports renamed: the properties of each device.

    python examples/pycuda/dump_properties.py

It launches no kernel.
"""

from __future__ import annotations

import PyGPU.driver as drv

drv.init()
print(f"{drv.Device.count()} device(s) found.")

for ordinal in range(drv.Device.count()):
    dev = drv.Device(ordinal)
    print(f"Device #{ordinal}: {dev.name()}")
    print("  Compute Capability: {}.{}".format(*dev.compute_capability()))
    print(f"  Total Memory: {dev.total_memory() // 1024} KB")
    for name, value in sorted((att.name, value) for att, value in dev.get_attributes().items()):
        print(f"  {name.removeprefix('CU_DEVICE_ATTRIBUTE_')}: {value}")
