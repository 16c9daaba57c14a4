"""The report in short: the verdict, a line for each API, and what to do; one screen of 80 x 24."""

from __future__ import annotations

from typing import Any

from PyGPU._apis import APIS

from .layout import advice, headline, printable, size, table, wrapped

_LONGEST = 40  # of a variable's value; -v shows all of it


def render(report: dict[str, Any], width: int = 80, height: int = 24) -> str:
    """The short text of a report. What to do is told whole; notes fill what is left of `height`."""
    report = printable(report)
    lines = [*headline(report, width), "", *_facts(report, width), *advice(report, width)]
    left = height - len(lines) - 6  # a heading, a last line, two empty ones, command and prompt
    shown, untold = _notes(report["notes"], width, left)
    if shown:
        lines += ["", "Good to know", *shown]
    more = f"{_counted(untold, 'more note')}, paths" if untold else "Paths"
    return "\n".join([*lines, "", f"{more}, candidates, environment: -v. For programs: --json."])


def _notes(notes: list[str], width: int, left: int) -> tuple[list[str], int]:
    """The lines of as many notes as fit into the lines that are `left`, and how many don't."""
    shown: list[str] = []
    for number, note in enumerate(notes):
        lines = wrapped(f"- {note}", width, 2, 4)
        if len(shown) + len(lines) > left:
            return shown, len(notes) - number
        shown += lines
    return shown, 0


def _facts(report: dict[str, Any], width: int) -> list[str]:
    system, python, backend = report["system"], report["python"], report["backend"]
    where = [
        report["pygpu"]["version"],
        f"Python {python['version']}",
        system["platform"].partition("-")[0] + f" {system['machine']}",
    ]
    if system["container"]:
        where.append(f"in a container ({system['container']})")
    if system["wsl"]:
        where.append("WSL")
    rows = [
        ("PyGPU", ", ".join(where)),
        ("Backend", backend["error"] or f"{backend['name']}: {backend['why']}"),
    ]
    if report["environment"]:
        rows.append(("Variables", ", ".join(map(_variable, report["environment"].items()))))
    if backend["name"]:  # else nothing was looked for
        rows += [(APIS[api].label, _api(facts)) for api, facts in report["apis"].items()]
    libraries = report["libraries"].items()
    rows += [(APIS[api].label, _library(found)) for api, found in libraries if not APIS[api].extra]
    if extras := [(APIS[api].label, found) for api, found in libraries if APIS[api].extra]:
        rows.append(("Libraries", _extras(extras)))
    return table(rows, width)


def _variable(item: tuple[str, str]) -> str:
    name, value = item
    return f"{name}={value if len(value) <= _LONGEST else '...'}"


def _api(facts: dict[str, Any]) -> str:
    """The release, where the library comes from, and the devices, or what keeps it from working."""
    library = facts["library"]
    if library is None:
        found = len(facts["candidates"])
        return f"no library that can be used; {found} found" if found else "no library found"
    text = f"{library['release'] or 'release unknown'}, {_origin(facts['candidates'])}; "
    if facts["probe"]:
        return f"{text}asking for its devices {facts['probe']}"
    if not facts["device_count"]:
        return f"{text}no device"
    names: dict[str, int] = {}
    for device in facts["devices"]:
        memory = f", {size(device['memory_total'])}" if device["memory_total"] else ""
        name = (device["name"] or "a device without a name") + memory
        names[name] = names.get(name, 0) + 1
    shown = [name if count == 1 else f"{count} x {name}" for name, count in names.items()]
    return f"{text}{_counted(facts['device_count'], 'device')}: {'; '.join(shown)}"


def _origin(candidates: list[dict[str, Any]]) -> str:
    return next((str(one["origin"]) for one in candidates if one["chosen"]), "origin unknown")


def _library(candidates: list[dict[str, Any]]) -> str:
    for one in candidates:
        if one["chosen"]:
            return f"{one['origin']}, {one['soname']}" if one["soname"] else str(one["origin"])
    return f"found, but {candidates[0]['verdict']}" if candidates else "not found"


def _extras(libraries: list[tuple[str, list[dict[str, Any]]]]) -> str:
    there = [label for label, found in libraries if any(one["chosen"] for one in found)]
    missing = len(libraries) - len(there)
    if not missing:
        return ", ".join(there)
    return f"{', '.join(there)}; {missing} not found" if there else f"none of {missing} found"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
