"""What to do where something is missing: from a report's facts to problems and remedies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PyGPU import _core
from PyGPU._apis import APIS

VARIABLES = (
    "PYGPU_BACKEND",
    *(api.library.variable for api in APIS.values()),
    "PYGPU_CACHE_DIR",
    "PYGPU_CACHE_DISABLE",
    "PYGPU_CACHE_SIZE",
    "PYGPU_HOST_CAPABILITY",
    "PYGPU_HOST_CHECK",
    "PYGPU_HOST_DEVICES",
    "PYGPU_HOST_FAIL",
    "PYGPU_HOST_LEAKS",
    "PYGPU_HOST_MEMORY",
    "PYGPU_HOST_STRICT",
    "PYGPU_HOST_TIMEOUT",
    "PYGPU_PER_THREAD_DEFAULT_STREAM",
)

Report = dict[str, Any]
Advice = dict[str, str]

# The first Linux driver that serves a major. Source: NVIDIA, CUDA Compatibility, "Minor version
# compatibility".
_FIRST_DRIVER = {11: "450.80.02", 12: "525.60.13", 13: "580.65.06"}
_WHEELS = APIS["cuda"].library.wheels
_STATIC_RUNTIME = (
    "A shared object of yours that is linked with the static CUDA runtime (nvcc's default) has a "
    "runtime of its own: its kernels and symbols give cudaErrorInvalidDeviceFunction (98) when "
    "passed to PyGPU. Link it with -cudart shared, to CUDA {major}."
)


def advise(report: Report) -> list[Advice]:
    """The problems of the APIs that matter here, each with its remedy, most telling first.

    `api` is "cuda", "hip", or "all" for what concerns both.
    """
    backend = report["backend"]["name"]
    working = [api for api, facts in report["apis"].items() if facts["works"]]
    if backend is None:
        todo = "set it to one of these, or unset it"
        return [{"api": "all", "problem": report["backend"]["error"], "todo": todo}]
    if backend == "host":
        return [] if working else [_host(report)]
    found = [
        {"api": api, "problem": problem, "todo": todo}
        for api in _that_matter(report)
        for problem, todo in _problems(api, report)
    ]
    if working and backend not in working:
        problem = f"the chosen backend {backend} doesn't work, but {working[0]} does"
        todo = f"set PYGPU_BACKEND={working[0]}, or call PyGPU.use({working[0]!r}) first"
        found.append({"api": backend, "problem": problem, "todo": todo})
    return found


def notes(report: Report) -> list[str]:
    """What is no fault but good to know with what was found."""
    return _unknown_variables(report["environment"]) + _notes_on_libraries(report)


def _unknown_variables(environment: dict[str, str]) -> list[str]:
    """Those that look like PyGPU's and are read by nobody: misspelt, most likely."""
    own = [name for name in environment if name.startswith("PYGPU_")]
    said = []
    for name in own:
        if name not in VARIABLES:
            meant = _core.nearest(name, list(VARIABLES))
            said.append(f"{name} is no variable of PyGPU{f'; {meant} is one' if meant else ''}.")
    return said


def _notes_on_libraries(report: Report) -> list[str]:
    if report["backend"]["stands_in"]:  # what a GPU would need
        return [
            f"{problem}: {todo}."
            for problem, todo in (_nothing_of(report, a) for a in report["apis"])
        ]
    library = report["apis"]["cuda"]["library"]
    if not library or report["backend"]["name"] == "host":
        return []
    return [_STATIC_RUNTIME.format(major=library["release"].split(".")[0] or "the same release")]


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
        yield from (_nvidia if api == "cuda" else _amd)(report)


def _host(report: Report) -> Advice:
    """The host runtime serves both APIs, so its troubles are told once."""
    facts = report["apis"]["cuda"]
    said = [facts["probe"], *facts["warnings"], "the host runtime gives no device"]
    text = next(text for text in said if text).removeprefix("PyGPU: ")
    todo = "set PYGPU_BACKEND to auto, cuda or hip, or install PyGPU anew"
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
    elif api == "cuda":
        driver = facts["driver"]["version"]
        major = int(driver.split(".")[0]) if driver else max(_WHEELS)
        wheel = _WHEELS.get(min(major, max(_WHEELS)), _WHEELS[min(_WHEELS)])
        yield "no CUDA runtime library (libcudart) was found", f"pip install {wheel}"
    else:
        yield (
            "no HIP runtime library (libamdhip64) was found",
            (
                "install ROCm's HIP runtime (package hip-runtime-amd, or libamdhip64-5 on Debian), "
                "or a ROCm build of torch"
            ),
        )


def _nvidia(report: Report) -> Iterator[tuple[str, str]]:
    facts = report["apis"]["cuda"]
    driver = facts["driver"]
    code = _code(facts)
    closed = [node["path"] for node in driver["nodes"] if not node["accessible"]]
    if closed:
        yield (
            f"{', '.join(closed)} may not be opened by this user",
            (
                "have the nodes made readable and writable (mode 0666 is the driver's default), or "
                "add this user to their group"
            ),
        )
    if driver["version"] and code == 35:
        yield from _driver_too_old(facts)
        return
    if not driver["nodes"] and not driver["version"]:
        yield _nothing_of(report, "cuda")
    elif not driver["version"]:
        container = report["system"]["container"]
        yield (
            "the NVIDIA kernel driver is there, but its library libcuda.so.1 is not",
            "start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility"
            if container
            else "install the driver's libraries (libcuda1, nvidia-driver-cuda-libs or alike), "
            "of the kernel driver's very version",
        )
    elif not driver["nodes"]:
        yield (
            "the driver's library is there, but no device node (/dev/nvidia0)",
            _container_remedy(report, "cuda")
            or "load the kernel module: `sudo modprobe nvidia`, or run nvidia-smi once as root",
        )
    if code is not None and (remedy := _CUDA_REMEDIES.get(code)):
        yield _said(facts), remedy
    elif code is not None and code != 35 and driver["version"]:
        yield _said(facts), "nvidia-smi and the kernel's log (dmesg) tell more"
    elif facts["device_count"] == 0:
        yield "the driver reports no device", _CUDA_REMEDIES[100]


_CUDA_REMEDIES = {
    3: "the driver couldn't start: nvidia-smi and dmesg tell more; in a container check that "
    "the container's driver libraries match the host's",
    46: "another process holds the device exclusively (compute mode); see nvidia-smi",
    100: "CUDA_VISIBLE_DEVICES may hide every device: unset it; else see nvidia-smi",
    101: "CUDA_VISIBLE_DEVICES names a device that isn't there: unset it or correct it",
    802: "the machine's NVSwitch isn't ready: start nvidia-fabricmanager",
    803: "the driver's library and the kernel module are of different versions: reboot, or "
    "install both anew; in a container drop the image's own libcuda",
    804: "a forward-compatibility libcuda is used on a card without that right: remove the "
    "cuda-compat package from the library path",
}


def _driver_too_old(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    release = (facts["library"] or {}).get("release", "")
    served = int(facts["driver"]["version"].split(".")[0])
    major = int(release.split(".")[0]) if release[:1].isdigit() else served + 1
    wheel = _WHEELS.get(served)
    first = _FIRST_DRIVER.get(major)
    older = f"pip install {wheel}, or " if wheel and served < major else ""
    yield (
        f"the driver serves CUDA up to {facts['driver']['version']}, the library is {release}",
        f"{older}install a newer driver" + (f" ({first} or later)" if first else ""),
    )


def _amd(report: Report) -> Iterator[tuple[str, str]]:
    facts = report["apis"]["hip"]
    driver = facts["driver"]
    closed = [node["path"] for node in driver["nodes"] if not node["accessible"]]
    code = _code(facts)
    if closed:
        yield (
            f"{', '.join(closed)} may not be opened by this user",
            (
                "add this user to the groups render and video (`sudo usermod -aG render,video "
                "$USER`, then log in again); in a container pass --group-add render as well"
            ),
        )
    elif not driver["nodes"]:
        yield _nothing_of(report, "hip")
    elif code == 100 or facts["device_count"] == 0:
        yield (
            "the HIP runtime finds no device",
            (
                "HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES may hide every device; else the card "
                "may be none that this ROCm release knows (`rocminfo` lists what it sees)"
            ),
        )
    elif code is not None:
        yield _said(facts), "`rocminfo` and the kernel's log (dmesg) tell more"


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
        install = (
            "install the NVIDIA driver (package nvidia-driver or alike)"
            if api == "cuda"
            else "install or load the amdgpu driver with ROCm support (amdgpu-dkms)"
        )
        return problem, remedy or install
    if remedy:
        return f"no {vendor} driver and no device is visible in this container", remedy
    return (
        f"no {vendor} GPU and no {vendor} driver is on this machine",
        "run this where a GPU is; PYGPU_BACKEND=host serves without one",
    )


def _container_remedy(report: Report, api: str) -> str:
    kind = report["system"]["container"]
    if not kind:
        return ""
    if kind == "kubernetes":
        resource = "nvidia.com/gpu" if api == "cuda" else "amd.com/gpu"
        return f"ask for a GPU in the pod's resources: limits: {{{resource}: 1}}"
    if api == "hip":
        return "start the container with --device=/dev/kfd --device=/dev/dri"
    option = "--device nvidia.com/gpu=all" if kind == "podman" else "--gpus all"
    return (
        f"start the container with {option}; the host needs the NVIDIA driver and "
        "the NVIDIA Container Toolkit"
    )


def _code(facts: dict[str, Any]) -> int | None:
    code: int | None = facts["errors"][0]["code"] if facts["errors"] else None
    return code


def _said(facts: dict[str, Any]) -> str:
    error = facts["errors"][0]
    return f"{error['function']} gives {error_text(error)}"


def error_text(error: dict[str, Any]) -> str:
    """An error as `name (code): message`."""
    code = "" if error["code"] is None else f" ({error['code']})"
    return f"{error['name']}{code}: {error['message']}"
