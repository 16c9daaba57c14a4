"""What the machine says without any vendor library: nodes, kernel drivers, cards, containers."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import PyGPU._backend as _backend
from PyGPU._apis import APIS

from ._vendors import VENDORS

_VARIABLES = (
    *(name for vendor in VENDORS.values() for name in vendor.variables),
    *(name for api in APIS.values() for name in api.library.homes),
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
)


def environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Those variables that are set and decide which library and which devices are used."""
    own = sorted(name for name in environ if name.startswith("PYGPU_"))
    return {name: environ[name] for name in (*own, *_VARIABLES) if name in environ}


def container(environ: Mapping[str, str], root: str = "") -> str | None:
    """The kind of container that this runs in, or None."""
    if os.path.exists(root + "/.dockerenv"):
        return "docker"
    if os.path.exists(root + "/run/.containerenv"):
        return "podman"
    if "KUBERNETES_SERVICE_HOST" in environ:
        return "kubernetes"
    return environ.get("container") or None


def wsl(root: str = "") -> bool:
    """Whether this is Linux inside Windows (WSL), which uses the driver of Windows."""
    return "microsoft" in _first_line(root + "/proc/version").lower()


def driver(api: str, environ: Mapping[str, str], root: str = "") -> dict[str, Any]:
    """What shows of the driver before its library is opened: nodes, kernel module, file, cards."""
    nodes = _backend.device_nodes(api, root)
    known = APIS[api].driver
    if known and not nodes:  # the nodes of an incomplete alternative
        nodes = [it for one in known.nodes for path in one for it in _backend.existing(path, root)]
    return {
        "version": None,  # the probe fills it in
        "library": _backend.driver_library(api, environ, root),
        "kernel": _kernel_driver(api, root),
        "nodes": [
            {"path": node, "accessible": os.access(root + node, os.R_OK | os.W_OK)}
            for node in nodes
        ],
        "cards": _cards(api, root),
    }


def _kernel_driver(api: str, root: str) -> str | None:
    """The version of the kernel's module; "loaded" where it has none; None without it."""
    vendor = VENDORS[api]
    line = _first_line(root + vendor.kernel_version) if vendor.kernel_version else ""
    if match := re.search(r"\b\d{3}\.\d+(\.\d+)?\b", line):
        return match.group()
    module = f"{root}/sys/module/{vendor.kernel_module}"
    if not os.path.isdir(module):
        return None
    return _first_line(module + "/version") or "loaded"


def _cards(api: str, root: str) -> int:
    """How many display or 3-D controllers of the vendor are on the PCI bus."""
    bus = root + "/sys/bus/pci/devices"
    try:
        slots = os.listdir(bus)
    except OSError:
        return 0
    driver = APIS[api].driver
    return sum(
        driver is not None
        and _first_line(f"{bus}/{slot}/vendor") == driver.pci_vendor
        and _first_line(f"{bus}/{slot}/class").startswith(("0x03", "0x12"))
        for slot in slots
    )


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""
