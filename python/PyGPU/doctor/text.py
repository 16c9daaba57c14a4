"""The report as text for people: aligned, without colours, for a terminal or a file."""

from __future__ import annotations

import textwrap
from typing import Any

from PyGPU._apis import APIS

from .advice import error_text

_WIDTH = 100


def render(report: dict[str, Any]) -> str:
    """The text of a report; characters that a terminal would obey are escaped."""
    report = _printable(report)
    backend, system = report["backend"], report["system"]
    where = system["platform"]
    if system["container"]:
        where += f", in a container ({system['container']})"
    if system["wsl"]:
        where += ", WSL"
    python = report["python"]
    lines = _table(
        [
            ("PyGPU", f"{report['pygpu']['version']} in {report['pygpu']['location']}"),
            (
                "Python",
                f"{python['version']} ({python['implementation']}), {python['executable']}",
            ),
            ("System", where),
            ("Backend", backend["error"] or f"{backend['name']}: {backend['why']}"),
        ]
    )
    if report["environment"]:
        lines += ["", "Environment"]
        lines += _table([(name, value) for name, value in report["environment"].items()], 2)
    for api, facts in report["apis"].items():
        lines += ["", *_api(api, facts)]
    for api, candidates in report["libraries"].items():
        if not APIS[api].extra:
            lines += ["", APIS[api].label, *_candidates(candidates)]
    lines += _of_extras(report["libraries"])
    if report["advice"]:
        lines += ["", "What to do"]
        for entry in report["advice"]:
            label = f"{APIS[entry['api']].label}: " if entry["api"] in APIS else ""
            lines += _item(f"{label}{entry['problem']}.")
            lines += _wrapped(f"-> {entry['todo']}", 4, 7)
    if report["notes"]:
        lines += ["", "Good to know"]
        for note in report["notes"]:
            lines += _item(note)
    lines += ["", _verdict(report)]
    return "\n".join(lines)


def _of_extras(libraries: dict[str, Any]) -> list[str]:
    """One line for each library that comes by an extra."""
    rows = [
        (APIS[api].label, _chosen(candidates))
        for api, candidates in libraries.items()
        if APIS[api].extra
    ]
    return ["", "Libraries", *_table(rows, 2)] if rows else []


def _chosen(candidates: list[dict[str, Any]]) -> str:
    """The library in use, or why the first one isn't."""
    for one in candidates:
        if one["chosen"]:
            return str(one["path"])
    return f"{candidates[0]['path']}: {candidates[0]['verdict']}" if candidates else "none found"


def _printable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _printable(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_printable(one) for one in value]
    if isinstance(value, str) and not value.isprintable():
        return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in value)
    return value


def _verdict(report: dict[str, Any]) -> str:
    working = [APIS[api].label for api, facts in report["apis"].items() if facts["works"]]
    if not working:
        return "No backend works on this machine."
    verdict = f"{' and '.join(working)} work{'s' if len(working) == 1 else ''}"
    if report["backend"]["name"] == "host":
        return f"{verdict} on the host runtime: this is the CPU, no GPU is in use."
    return f"{verdict}."


def _api(api: str, facts: dict[str, Any]) -> list[str]:
    rows = [("Library", _library(facts["library"])), ("Driver", _driver(api, facts["driver"]))]
    if facts["probe"]:
        rows.append(("Query", facts["probe"]))
    if facts["device_count"] is not None:
        rows.append(("Devices", str(facts["device_count"])))
    for error in facts["errors"]:
        rows.append(("Error", f"{error['function']}: {error_text(error)}"))
    for warning in facts["warnings"]:
        rows.append(("Warning", warning))
    lines = [APIS[api].label, *_table(rows, 2)]
    for device in facts["devices"]:
        lines += _device(device)
    return [*lines, *_candidates(facts["candidates"])]


def _candidates(candidates: list[dict[str, Any]]) -> list[str]:
    if not candidates:
        return ["  No library was found in any of the places searched."]
    lines = ["  Libraries found:"]
    for candidate in candidates:
        mark = "*" if candidate["chosen"] else "-"
        soname = f", SONAME {candidate['soname']}" if candidate["soname"] else ""
        lines.append(f"    {mark} {candidate['path']}")
        lines.append(f"        {candidate['origin']}{soname}: {candidate['verdict']}")
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


def _device(device: dict[str, Any]) -> list[str]:
    parts = [device["name"] or "(no name)"]
    if device["compute_capability"]:
        parts.append(f"compute capability {device['compute_capability']}")
    if device["gfx"]:
        parts.append(device["gfx"])
    if device["warp_size"]:
        parts.append(f"warp size {device['warp_size']}")
    if device["memory_total"]:
        free = device["memory_free"]
        of = f", {_size(free)} free" if free is not None else ""
        parts.append(f"{_size(device['memory_total'])}{of}")
    lines = [f"    {device['index']}: {', '.join(parts)}"]
    for error in device["errors"]:
        lines.append(f"       {error['function']}: {error_text(error)}")
    return lines


def _size(number: int) -> str:
    """Bytes in GiB, or MiB below one."""
    return f"{number / 2**30:.1f} GiB" if number >= 2**30 else f"{number / 2**20:.0f} MiB"


def _table(rows: list[tuple[str, str]], indent: int = 0) -> list[str]:
    width = max(len(label) for label, _ in rows) + 2
    return [f"{' ' * indent}{label:{width}}{text}" for label, text in rows]


def _item(text: str) -> list[str]:
    return _wrapped(f"- {text}", 2, 4)


def _wrapped(text: str, first: int, rest: int) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=" " * first,
        subsequent_indent=" " * rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
