"""What the GPUs do: a table that follows them, by NVML, or by AMD SMI.

    python examples/gpu_top.py [--once] [--seconds S]

AMD SMI serves where PyGPU's backend is HIP (PYGPU_BACKEND=hip chooses it). With --once the table is
printed, not followed. Needs rich, and PyGPU[nvidia] or PyGPU[amd].
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import PyGPU

try:
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table
except ImportError:
    sys.exit("there is no rich here: pip install rich")

MIB = 1 << 20


class State(NamedTuple):
    """One GPU. None is what the library can't tell."""

    name: str
    busy: int | None  # percent
    used: int | None  # bytes
    total: int | None
    watts: float | None
    celsius: int | None


def value(result: tuple[object, ...]) -> object | None:
    """What a call gave; None if it failed, as for a sensor that isn't there."""
    return None if result[-1] else result[0]


def by_nvml() -> list[State]:
    from PyGPU import nvml

    states = []
    for index in range(nvml.checked.nvmlDeviceGetCount()):
        device = nvml.checked.nvmlDeviceGetHandleByIndex(index)
        rates = value(nvml.nvmlDeviceGetUtilizationRates(device))
        memory = value(nvml.nvmlDeviceGetMemoryInfo(device))
        milliwatts = value(nvml.nvmlDeviceGetPowerUsage(device))
        heat = value(nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU))
        states.append(
            State(
                nvml.checked.nvmlDeviceGetName(device),
                rates and rates.gpu, memory and memory.used, memory and memory.total,
                None if milliwatts is None else milliwatts / 1000, heat,
            )
        )  # fmt: skip
    return states


def by_amd_smi() -> list[State]:
    from PyGPU import amdsmi

    sockets = amdsmi.checked.amdsmi_get_socket_handles()
    devices = [
        one for socket in sockets for one in amdsmi.checked.amdsmi_get_processor_handles(socket)
    ]
    states = []
    for device in devices:
        rates = value(amdsmi.amdsmi_get_gpu_activity(device))
        memory = value(amdsmi.amdsmi_get_gpu_vram_usage(device))
        power = value(amdsmi.amdsmi_get_power_info(device))
        heat = amdsmi.amdsmi_get_temp_metric(
            device, amdsmi.AMDSMI_TEMPERATURE_TYPE_EDGE, amdsmi.AMDSMI_TEMP_CURRENT
        )
        asic = amdsmi.checked.amdsmi_get_gpu_asic_info(device)
        states.append(
            State(
                asic.market_name.rstrip(b"\0").decode(),
                rates and rates.gfx_activity,
                memory and memory.vram_used * MIB, memory and memory.vram_total * MIB,
                power and power.average_socket_power, value(heat),
            )
        )  # fmt: skip
    return states


def table(states: list[State]) -> Table:
    result = Table()
    for title in ("", "GPU", "busy", "memory", "power", "heat"):
        result.add_column(title, justify="left" if title == "GPU" else "right", no_wrap=True)
    for index, one in enumerate(states):
        memory = f"{one.used / MIB:,.0f} / {one.total / MIB:,.0f} MiB" if one.total else "-"
        result.add_row(
            str(index),
            one.name,
            "-" if one.busy is None else f"{one.busy} %",
            memory,
            "-" if one.watts is None else f"{one.watts:.0f} W",
            "-" if one.celsius is None else f"{one.celsius} C",
        )
    return result


def follow(ask: Callable[[], list[State]], seconds: float) -> None:
    with Live(table(ask()), auto_refresh=False) as live:
        while True:
            time.sleep(seconds)
            live.update(table(ask()), refresh=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0)
    arguments = parser.parse_args()
    if PyGPU.backend == "hip":
        from PyGPU import amdsmi

        start, stop, ask = amdsmi.amdsmi_init, amdsmi.amdsmi_shut_down, by_amd_smi
        error = start(amdsmi.AMDSMI_INIT_AMD_GPUS)
    else:
        from PyGPU import nvml

        start, stop, ask = nvml.nvmlInit, nvml.nvmlShutdown, by_nvml
        error = start()
    if error:
        sys.exit(f"the GPUs can't be asked: {error}")
    try:
        if arguments.once:
            Console().print(table(ask()))
        else:
            follow(ask, arguments.seconds)
    except KeyboardInterrupt:
        pass
    finally:
        stop()


if __name__ == "__main__":
    main()
