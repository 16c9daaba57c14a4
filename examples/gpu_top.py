"""What the GPUs do: a table that follows them, by NVML's names.

    python examples/gpu_top.py [--once] [--seconds S]

AMD SMI serves the names where PyGPU's backend is HIP (PYGPU_BACKEND=hip chooses it). With --once
the table is printed, not followed. Needs rich and PyGPU[nvidia], for AMD's GPUs also PyGPU[amd].
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import NamedTuple

import PyGPU
from PyGPU import checked

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


def ask() -> list[State]:
    """What each GPU does now."""
    states = []
    for index in range(checked.nvmlDeviceGetCount()):
        device = checked.nvmlDeviceGetHandleByIndex(index)
        rates = value(PyGPU.nvmlDeviceGetUtilizationRates(device))
        memory = value(PyGPU.nvmlDeviceGetMemoryInfo(device))
        milliwatts = value(PyGPU.nvmlDeviceGetPowerUsage(device))
        heat = value(PyGPU.nvmlDeviceGetTemperature(device, PyGPU.NVML_TEMPERATURE_GPU))
        states.append(
            State(
                checked.nvmlDeviceGetName(device),
                rates and rates.gpu, memory and memory.used, memory and memory.total,
                None if milliwatts is None else milliwatts / 1000, heat,
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


def follow(seconds: float) -> None:
    with Live(table(ask()), auto_refresh=False) as live:
        while True:
            time.sleep(seconds)
            live.update(table(ask()), refresh=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--seconds", type=float, default=1.0)
    arguments = parser.parse_args()
    if error := PyGPU.nvmlInit():
        sys.exit(f"the GPUs can't be asked: {error}")
    try:
        if arguments.once:
            Console().print(table(ask()))
        else:
            follow(arguments.seconds)
    except KeyboardInterrupt:
        pass
    finally:
        PyGPU.nvmlShutdown()


if __name__ == "__main__":
    main()
