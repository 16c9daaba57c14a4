"""The whole report as text for people: `pygpu -v`. `brief` has the short text."""

from __future__ import annotations

from typing import Any

from PyGPU._apis import APIS

from .advice import error_text
from .layout import advice, headline, printable, size, table, wrapped


def render(report: dict[str, Any], width: int = 80) -> str:
    """The text of a report; characters that a terminal would obey are escaped.

    Lines are wrapped at `width` columns, but no path is cut.
    """
    report = printable(report)
    backend, system = report["backend"], report["system"]
    where = system["platform"]
    if system["container"]:
        where += f", in a container ({system['container']})"
    if system["wsl"]:
        where += ", WSL"
    python = report["python"]
    rows = [
        ("PyGPU", f"{report['pygpu']['version']} in {report['pygpu']['location']}"),
        ("Python", f"{python['version']} ({python['implementation']}), {python['executable']}"),
        ("System", where),
        ("Backend", backend["error"] or f"{backend['name']}: {backend['why']}"),
    ]
    lines = [*headline(report, width), "", *table(rows, width)]
    if report["environment"]:
        lines += ["", "Environment", *table([*report["environment"].items()], width, 2)]
    for api, facts in report["apis"].items():
        lines += ["", *_api(api, facts, width)]
    for api, candidates in report["libraries"].items():
        if not APIS[api].extra:
            lines += ["", APIS[api].label, *_candidates(candidates, width)]
    lines += _of_extras(report["libraries"], width)
    lines += advice(report, width)
    if report["notes"]:
        lines += ["", "Good to know"]
        for note in report["notes"]:
            lines += wrapped(f"- {note}", width, 2, 4)
    return "\n".join(lines)


def _of_extras(libraries: dict[str, Any], width: int) -> list[str]:
    """One line for each library that comes by an extra."""
    rows = [
        (APIS[api].label, _chosen(candidates))
        for api, candidates in libraries.items()
        if APIS[api].extra
    ]
    return ["", "Libraries", *table(rows, width, 2)] if rows else []


def _chosen(candidates: list[dict[str, Any]]) -> str:
    """The library in use, or why the first one isn't."""
    for one in candidates:
        if one["chosen"]:
            return str(one["path"])
    return f"{candidates[0]['path']}: {candidates[0]['verdict']}" if candidates else "not found"


def _api(api: str, facts: dict[str, Any], width: int) -> list[str]:
    rows = [("Library", _library(facts["library"])), ("Driver", _driver(api, facts["driver"]))]
    if facts["probe"]:
        rows.append(("Query", facts["probe"]))
    if facts["device_count"] is not None:
        rows.append(("Devices", str(facts["device_count"])))
    for error in facts["errors"]:
        rows.append(("Error", f"{error['function']}: {error_text(error)}"))
    for warning in facts["warnings"]:
        rows.append(("Warning", warning))
    lines = [APIS[api].label, *table(rows, width, 2)]
    for device in facts["devices"]:
        lines += _device(device, width)
    return [*lines, *_candidates(facts["candidates"], width)]


def _candidates(candidates: list[dict[str, Any]], width: int) -> list[str]:
    if not candidates:
        return ["  No library was found in any of the places searched."]
    lines = ["  Libraries found:"]
    for candidate in candidates:
        mark = "*" if candidate["chosen"] else "-"
        soname = f", SONAME {candidate['soname']}" if candidate["soname"] else ""
        lines.append(f"    {mark} {candidate['path']}")
        lines += wrapped(f"{candidate['origin']}{soname}: {candidate['verdict']}", width, 8, 8)
    return lines


def _library(library: dict[str, Any] | None) -> str:
    if library is None:
        return "none"
    missing = len(library["missing"])
    lacks = f" (without {missing} of other releases)" if missing else ""
    return (
        f"release {library['release'] or 'unknown'}, {library['soname'] or 'no SONAME'}, "
        f"{library['found']} functions{lacks}, {library['path']}"
    )


def _driver(api: str, driver: dict[str, Any]) -> str:
    parts = []
    if driver["version"]:
        parts.append(f"serves {APIS[api].label} up to {driver['version']}")
    if driver["kernel"]:
        parts.append(f"kernel module {driver['kernel']}")
    if driver["library"]:
        parts.append(f"library {driver['library']}")
    if driver["nodes"]:
        shown = [n["path"] + ("" if n["accessible"] else " (no access)") for n in driver["nodes"]]
        parts.append("nodes " + " ".join(shown))
    if not parts:
        cards = driver["cards"]
        return f"none{f', but {cards} {APIS[api].vendor} GPU(s) on the bus' if cards else ''}"
    return ", ".join(parts)


def _device(device: dict[str, Any], width: int) -> list[str]:
    parts = [device["name"] or "(no name)"]
    if device["compute_capability"]:
        parts.append(f"compute capability {device['compute_capability']}")
    if device["gfx"]:
        parts.append(device["gfx"])
    if device["warp_size"]:
        parts.append(f"warp size {device['warp_size']}")
    if device["memory_total"]:
        free = device["memory_free"]
        of = f", {size(free)} free" if free is not None else ""
        parts.append(f"{size(device['memory_total'])}{of}")
    lines = wrapped(f"{device['index']}: {', '.join(parts)}", width, 4, 7)
    for error in device["errors"]:
        lines += wrapped(f"{error['function']}: {error_text(error)}", width, 7, 9)
    return lines
