"""Asks one API's library for its devices, in a process of its own: a driver may crash or hang."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import PyGPU._backend as _backend
import PyGPU._libraries as _libraries

from ._vendors import VENDORS

Facts = dict[str, Any]


def run(api: str, timeout: float) -> tuple[list[Facts], str]:
    """What a child process found about `api`, and how it failed ("" when it didn't).

    It has every fact that the child reported before it crashed, or before `timeout` seconds passed.
    """
    path = [entry for entry in sys.path if isinstance(entry, str)]  # all that imports look at
    code = (
        f"import sys; sys.path[:] = {path!r}\nfrom PyGPU.doctor import probe; probe.main({api!r})"
    )
    try:
        child = subprocess.Popen(
            [sys.executable or "python3", "-c", code],  # "" in a program that embeds Python
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as error:
        return [], f"was not possible: no other process could be started ({error})"
    failure = ""
    try:
        output, errors = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        child.kill()
        failure = f"gave no answer within {timeout:g} seconds"
        try:
            output, errors = child.communicate(timeout=2)
        except subprocess.TimeoutExpired as expired:  # stuck inside the kernel; leave it there
            output, errors = _text(expired.stdout), ""
    if not failure and child.returncode:
        last = errors.strip().splitlines()[-1:] or [""]
        how = f"signal {-child.returncode}" if child.returncode < 0 else f"{child.returncode}"
        failure = f"ended with {how}" + (f": {last[0]}" if last[0] else "")
    return list(_parsed(output)), failure


def main(api: str) -> None:
    """In the child: print every fact as soon as it is known, one JSON object a line."""
    import importlib

    module = importlib.import_module(f"PyGPU.{api}")
    for facts in probe(api, module):
        print(json.dumps(facts), flush=True)


def probe(api: str, module: Any) -> Iterator[Facts]:
    """Load the library of `api` and ask it through `module`; yields facts to be merged."""
    # The driver's version first: it needs no device, and may explain what fails afterwards.
    yield {"driver_version": _libraries.driver_version(api)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _libraries.load(api, "the doctor", portable=True)  # as the portable names would
    installed = _libraries.installed(api)
    texts = [str(w.message) for w in caught if w.category is RuntimeWarning]
    if installed and _backend.fell_back():
        texts = []  # the report's line on the backend already says that the host runtime stands in
    yield {
        "library": installed,
        "warnings": texts,
        "candidates": [candidate_facts(c) for c in _libraries.survey(api)],
    }
    if installed is None:
        return
    values, error = ask(module, f"{api}DriverGetVersion")
    if not error and values and values[0]:
        yield {"driver_version": values[0]}
    values, error = ask(module, f"{api}GetDeviceCount")
    if error or not values:
        yield {"device_count": None, "errors": [_in(f"{api}GetDeviceCount", error)]}
        return
    yield {"device_count": values[0]}
    before, error = ask(module, f"{api}GetDevice")
    devices = []
    for index in range(values[0]):
        devices.append(_device(api, module, index))
        yield {"devices": devices}
    if before and not error:
        ask(module, f"{api}SetDevice", before[0])


def candidate_facts(candidate: _libraries.Candidate) -> Facts:
    """A candidate as the report has it."""
    return {
        "path": candidate.path,
        "origin": candidate.origin,
        "soname": candidate.soname,
        "major": candidate.major,
        "chosen": candidate.chosen,
        "verdict": candidate.verdict,
    }


def ask(module: Any, function: str, *arguments: object) -> tuple[list[Any], Facts | None]:
    """Call a function of the API: its values, and its error as name, code and message or None."""
    try:
        result = getattr(module, function)(*arguments)
        *values, status = result if isinstance(result, tuple) else (result,)
        if not status:
            return values, None
        return values, {"name": status.name, "code": int(status), "message": status.message}
    except Exception as error:  # whatever goes wrong is a finding here
        return [], {"name": type(error).__name__, "code": None, "message": str(error)}


def _device(api: str, module: Any, index: int) -> Facts:
    """What one device says of itself; what it doesn't say is None, with the reason in `errors`."""
    facts: Facts = {
        "index": index,
        "name": None,
        "memory_total": None,
        "memory_free": None,
        "compute_capability": None,
        "gfx": None,
        "warp_size": None,
        "errors": [],
    }

    def get(function: str, *arguments: object) -> list[Any]:
        values, error = ask(module, function, *arguments)
        if error:
            facts["errors"].append(_in(function, error))
            return []
        return values

    def attribute(name: str) -> int | None:
        enumerator = getattr(module, name, None)
        if enumerator is None:
            return None
        value = get(f"{api}DeviceGetAttribute", enumerator, index)
        return int(value[0]) if value else None

    if properties := get(f"{api}GetDeviceProperties", index):
        facts["name"] = _name(properties[0])
        facts["memory_total"] = getattr(properties[0], "totalGlobalMem", None)
        facts["gfx"] = getattr(properties[0], "gcnArchName", None) or None
    for fact, enumerators in VENDORS[api].attributes.items():
        values = [attribute(one) for one in enumerators]
        if None not in values:
            facts[fact] = values[0] if len(values) == 1 else ".".join(map(str, values))
    # Only the current device knows its free memory. SetDevice returns no value: look for an error.
    problems = len(facts["errors"])
    get(f"{api}SetDevice", index)
    if len(facts["errors"]) == problems and (memory := get(f"{api}MemGetInfo")):
        facts["memory_free"], facts["memory_total"] = memory
    return facts


def _name(properties: Any) -> str | None:
    """The name in a struct of properties. A struct that is only bytes starts with the name."""
    name = getattr(properties, "name", None)
    if isinstance(name, str):
        return name
    try:
        raw = name if isinstance(name, bytes) else bytes(memoryview(properties))[:256]
    except TypeError:
        return None
    return raw.split(b"\0", 1)[0].decode(errors="replace") or None


def _in(function: str, error: Facts | None) -> Facts:
    return {"function": function, **(error or {"name": "", "code": None, "message": "no value"})}


def _parsed(output: str) -> Iterator[Facts]:
    """The facts in a child's output; a driver's own prints between them are passed over."""
    for line in output.splitlines():
        try:
            facts = json.loads(line)
        except ValueError:
            continue
        if isinstance(facts, dict):
            yield facts


def _text(output: object) -> str:
    if isinstance(output, bytes):
        return output.decode(errors="replace")
    return output if isinstance(output, str) else ""
