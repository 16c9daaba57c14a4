"""Gathers the report: one dictionary with stable keys, for the text and for `--json` alike."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from typing import Any

# `from .. import` would ask the package for a portable name first, and so for the backend.
import PyGPU._backend as _backend
import PyGPU._libraries as _libraries
from PyGPU._apis import APIS

from . import machine, probe
from .advice import advise, notes

SCHEMA = 1  # raised when a key changes its meaning; new keys don't count
Prober = Callable[[str, float], tuple[list[dict[str, Any]], str]]


def collect(timeout: float = 60.0, prober: Prober = probe.run, root: str = "") -> dict[str, Any]:
    """The doctor's report.

    `timeout` (seconds) is for each API's library; `prober` asks it; `root` stands before the
    system's folders. Never raises for what it finds: that is what it reports.
    """
    environ = dict(os.environ)
    backend: dict[str, Any] = {"name": None, "why": "", "error": None, "stands_in": False}
    try:
        backend.update(name=_backend.current(), why=_backend.why(), stands_in=_backend.fell_back())
    except ValueError as error:  # PYGPU_BACKEND is wrong: every call would raise this
        backend["error"] = str(error)
    report: dict[str, Any] = {
        "schema": SCHEMA,
        "works": False,
        "pygpu": {"version": version(), "location": os.path.dirname(os.path.dirname(__file__))},
        "python": {
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "executable": sys.executable,
        },
        "system": {
            "platform": platform.platform(),
            "machine": platform.machine(),
            "container": machine.container(environ, root),
            "wsl": machine.wsl(root),
        },
        "backend": backend,
        "environment": machine.environment(environ),
        "apis": {
            api: _api(api, timeout, prober, environ, root, backend["name"] is not None)
            for api in _backend.PORTABLE
        },
        "libraries": {
            api: [probe.candidate_facts(one) for one in _libraries.survey(api, ask_driver=False)]
            for api, known in APIS.items()
            if api not in _backend.PORTABLE and backend["name"] is not None and known.is_whole
        },
    }
    report["works"] = any(api["works"] for api in report["apis"].values())
    report["advice"] = advise(report)
    report["notes"] = notes(report)
    return report


def _api(
    api: str, timeout: float, prober: Prober, environ: dict[str, str], root: str, chosen: bool
) -> dict[str, Any]:
    """What is known of one API; its library is asked only when a backend could be `chosen`."""
    facts: dict[str, Any] = {
        "works": False,
        "library": None,
        "candidates": [],
        "warnings": [],
        "driver": machine.driver(api, environ, root),
        "device_count": None,
        "devices": [],
        "errors": [],
        "probe": "",
    }
    if not chosen:
        return facts
    answers, facts["probe"] = prober(api, timeout)
    for answer in answers:
        facts.update({key: answer[key] for key in answer if key in facts})
        if answer.get("driver_version"):
            facts["driver"]["version"] = _driver_text(answer["driver_version"])
    if not facts["candidates"]:  # the child hung or crashed before; don't ask the driver here
        candidates = _libraries.survey(api, ask_driver=False)
        facts["candidates"] = [probe.candidate_facts(c) for c in candidates]
    facts["works"] = bool(facts["device_count"]) and not facts["probe"]
    return facts


def _driver_text(version: int) -> str:
    """The driver's version in people's form: 12040 is "12.4"; a longer 60241134 is "6.2.41134"."""
    if version >= 10_000_000:
        return f"{version // 10_000_000}.{version // 100_000 % 100}.{version % 100_000}"
    return f"{version // 1000}.{version % 1000 // 10}"


def version() -> str:
    """PyGPU's own."""
    return str(vars(sys.modules["PyGPU"]).get("__version__", "unknown"))
