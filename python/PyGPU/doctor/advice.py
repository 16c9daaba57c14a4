"""What to do where something is missing: from a report's facts to problems and remedies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PyGPU import _core
from PyGPU._apis import APIS
from PyGPU._backend import PORTABLE

from ._vendors import VENDORS

VARIABLES = (
    "PYGPU_BACKEND",
    *(api.library.variable for api in APIS.values()),
    "PYGPU_CACHE_DIR",
    "PYGPU_CACHE_DISABLE",
    "PYGPU_CACHE_SIZE",
    "PYGPU_COPY_THREADS",
    "PYGPU_HOST_CAPABILITY",
    "PYGPU_HOST_CHECK",
    "PYGPU_HOST_COMPILERS",
    "PYGPU_HOST_DEVICES",
    "PYGPU_HOST_FAIL",
    "PYGPU_HOST_LEAKS",
    "PYGPU_HOST_MEMORY",
    "PYGPU_HOST_PROFILE",
    "PYGPU_HOST_STRICT",
    "PYGPU_HOST_TIMEOUT",
    "PYGPU_LOCATE",
    "PYGPU_PER_THREAD_DEFAULT_STREAM",
    "PYGPU_TRACE",
    "PYGPU_TRACE_DATA",
    "PYGPU_TRACE_DEVICE",
)

Report = dict[str, Any]
Advice = dict[str, str]


def advise(report: Report) -> list[Advice]:
    """The problems of the APIs that matter here, each with its remedy, most telling first.

    `api` is the namespace of the API concerned, or "all".
    """
    backend = report["backend"]["name"]
    working = [api for api, facts in report["apis"].items() if facts["works"]]
    if backend is None:
        todo = "set it to one of these, or unset it"
        return [{"api": "all", "problem": report["backend"]["error"], "todo": todo}]
    if backend == "host":
        return [] if working else [_host(report)]
    problems = [
        {"api": api, "problem": problem, "todo": todo}
        for api in _that_matter(report)
        for problem, todo in _problems(api, report)
    ]
    if working and backend not in working:
        problem = f"the chosen backend {backend} doesn't work, but {working[0]} does"
        todo = f"set PYGPU_BACKEND={working[0]}, or call PyGPU.use({working[0]!r}) first"
        problems.append({"api": backend, "problem": problem, "todo": todo})
    return problems


def notes(report: Report) -> list[str]:
    """What is good to know, though nothing is wrong."""
    return [
        *_unknown_variables(report["environment"]),
        *_notes_on_libraries(report),
        *_notes_on_extras(),
    ]


def _notes_on_extras() -> list[str]:
    """What extras would bring that isn't installed, and modules that can't be imported."""
    missing: dict[str, list[str]] = {}
    broken: dict[str, list[str]] = {}
    for api in APIS.values():
        if api.extra and not api.is_installed:
            missing.setdefault(api.extra, []).append(api.label)
        elif api.extra and not api.is_whole:
            broken.setdefault(api.extra, []).append(f"PyGPU.{api.namespace}")
    return [
        *(f"pip install 'PyGPU[{extra}]' adds {', '.join(of)}." for extra, of in missing.items()),
        *(
            f"{', '.join(of)} can't be imported, and may be of another release: "
            f"pip install --force-reinstall 'PyGPU[{extra}]'."
            for extra, of in broken.items()
        ),
    ]


def _unknown_variables(environment: dict[str, str]) -> list[str]:
    """Notes on variables that start like PyGPU's but are not: probably misspelt."""
    own = [name for name in environment if name.startswith("PYGPU_")]
    lines = []
    for name in own:
        if name not in VARIABLES:
            meant = _core.nearest(name, list(VARIABLES))
            lines.append(
                f"{name} is not a variable of PyGPU{f': did you mean {meant}?' if meant else '.'}"
            )
    return lines


def _notes_on_libraries(report: Report) -> list[str]:
    if report["backend"]["stands_in"]:  # what a GPU would need
        return [
            f"{problem}: {todo}."
            for problem, todo in (_nothing_of(report, a) for a in report["apis"])
        ]
    if report["backend"]["name"] == "host":
        return []
    return [
        note.format(major=facts["library"]["release"].split(".")[0] or "the same release")
        for api, facts in report["apis"].items()
        if facts["library"] and (note := VENDORS[api].note)
    ]


def _that_matter(report: Report) -> list[str]:
    """The APIs to speak of: the chosen one, and another that has something of its driver here."""
    apis = report["apis"]
    backend = report["backend"]["name"]
    matter = [api for api in apis if api == backend]
    for api, facts in apis.items():
        driver = facts["driver"]
        here = driver["nodes"] or driver["kernel"] or driver["cards"] or facts["warnings"]
        if api not in matter and (here or facts["probe"]):
            matter.append(api)
    return [api for api in matter if not apis[api]["works"] or apis[api]["warnings"]]


def _problems(api: str, report: Report) -> Iterator[tuple[str, str]]:
    facts = report["apis"][api]
    if facts["probe"]:
        yield (
            f"asking the library for its devices {facts['probe']}",
            (
                "look for faults of the driver in the kernel's log (dmesg); "
                "a reboot or a driver update often helps"
            ),
        )
    if facts["library"] is None:
        yield from _no_library(api, report)
    if not facts["works"]:
        yield from _no_device(api, report)


def _host(report: Report) -> Advice:
    """The host runtime serves all APIs, so its problem is listed once."""
    facts = next(iter(report["apis"].values()))
    texts = [facts["probe"], *facts["warnings"], "the host runtime gives no device"]
    text = next(text for text in texts if text).removeprefix("PyGPU: ")
    others = " or ".join(PORTABLE)
    todo = f"set PYGPU_BACKEND to auto, {others}, or reinstall PyGPU"
    return {"api": "all", "problem": text, "todo": todo}


def _no_library(api: str, report: Report) -> Iterator[tuple[str, str]]:
    facts = report["apis"][api]
    label, library = APIS[api].label, APIS[api].library
    variable, name = library.variable, library.stem + ".so"
    if variable in report["environment"]:
        named = next((c for c in facts["candidates"] if c["origin"] == variable), None)
        verdict = named["verdict"] if named else "it is not there"
        yield (
            f"{variable} names a library that cannot be used: {verdict}",
            (
                f"let it name a {name} for this machine, or unset it; "
                "a further library that it needs must be on LD_LIBRARY_PATH"
            ),
        )
    elif facts["candidates"]:
        yield (
            (
                f"no {label} runtime library could be opened, though {len(facts['candidates'])} "
                f"{'was' if len(facts['candidates']) == 1 else 'were'} found"
            ),
            "see above why; often a library that it needs is missing (ldd shows which)",
        )
    else:
        yield (
            f"no {label} runtime library ({library.stem}) was found",
            _wheel(api, facts) or VENDORS[api].remedies["library"],
        )


def _wheel(api: str, facts: dict[str, Any]) -> str:
    """How to get the library that suits the driver from PyPI; "" where PyPI has none."""
    wheels = APIS[api].library.wheels
    if not wheels:
        return ""
    driver = facts["driver"]["version"]
    major = int(driver.split(".")[0]) if driver else max(wheels)
    return f"pip install {wheels.get(min(major, max(wheels)), wheels[min(wheels)])}"


def _no_device(api: str, report: Report) -> Iterator[tuple[str, str]]:
    """What keeps the library from its devices."""
    facts, vendor, known = report["apis"][api], VENDORS[api], APIS[api].driver
    codes = APIS[api].codes
    driver, code = facts["driver"], _code(facts)
    nodes = [node["path"] for node in driver["nodes"]]
    closed = [node["path"] for node in driver["nodes"] if not node["accessible"]]
    # Where the driver's library has no version, the nodes alone show a driver.
    answers = driver["version"] if known and known.version else nodes
    if closed:
        remedy = vendor.remedies["closed"]
        yield f"{', '.join(closed)} may not be opened by this user", remedy
    reported = known is not None and known.version is not None
    too_old = reported and code is not None and code == codes.get("old_driver")
    if answers and too_old:
        yield from _driver_too_old(api, facts)
        return
    if closed:
        return
    if not nodes and not answers:
        yield _nothing_of(report, api)
        return
    if known and not answers:
        case = "driver_library_in_container" if report["system"]["container"] else "driver_library"
        maker = APIS[api].vendor
        yield (
            f"the {maker} kernel driver is there, but its library {known.library} is not",
            vendor.remedies[case],
        )
    elif known and not nodes:
        yield (
            f"the driver's library is there, but no device node ({known.nodes[0][0]})",
            _container_remedy(report, api) or vendor.remedies["node"],
        )
    if code is not None and code in vendor.errors:
        yield _error_of(facts), vendor.errors[code]
    elif code is not None and not too_old and answers:
        yield _error_of(facts), vendor.remedies["other"]
    elif facts["device_count"] == 0:
        yield "the driver reports no device", vendor.errors[codes["no_device"]]


def _driver_too_old(api: str, facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    label, wheels = APIS[api].label, APIS[api].library.wheels
    release = (facts["library"] or {}).get("release", "")
    served = int(facts["driver"]["version"].split(".")[0])
    major = int(release.split(".")[0]) if release[:1].isdigit() else served + 1
    wheel = wheels.get(served)
    first = VENDORS[api].first_drivers.get(major)
    older = f"pip install {wheel}, or " if wheel and served < major else ""
    yield (
        f"the driver serves {label} up to {facts['driver']['version']}, the library is {release}",
        f"{older}install a newer driver" + (f" ({first} or later)" if first else ""),
    )


def _nothing_of(report: Report, api: str) -> tuple[str, str]:
    """No driver of the vendor: whether there is a card decides what to do."""
    vendor = APIS[api].vendor
    cards = report["apis"][api]["driver"]["cards"]
    remedy = _container_remedy(report, api)
    if report["system"]["wsl"]:
        return (
            f"no {vendor} driver reaches this Linux",
            f"install {vendor}'s driver in Windows, and none in the Linux; then `wsl --shutdown`",
        )
    if cards:
        verb = "GPUs are" if cards > 1 else "GPU is"
        problem = f"{cards} {vendor} {verb} on the bus, without a driver"
        return problem, remedy or VENDORS[api].remedies["install"]
    if remedy:
        return f"no {vendor} driver and no device is visible in this container", remedy
    return (
        f"no {vendor} GPU and no {vendor} driver is on this machine",
        "run this where a GPU is; PYGPU_BACKEND=host serves without one",
    )


def _container_remedy(report: Report, api: str) -> str:
    kind = report["system"]["container"]
    known = VENDORS[api].containers
    return known.get(kind, known["other"]) if kind else ""


def _code(facts: dict[str, Any]) -> int | None:
    code: int | None = facts["errors"][0]["code"] if facts["errors"] else None
    return code


def _error_of(facts: dict[str, Any]) -> str:
    error = facts["errors"][0]
    return f"{error['function']} gives {error_text(error)}"


def error_text(error: dict[str, Any]) -> str:
    """An error as `name (code): message`."""
    code = "" if error["code"] is None else f" ({error['code']})"
    return f"{error['name']}{code}: {error['message']}"
