"""Chooses the backend of the portable names. It only looks at files, and asks no driver."""

from __future__ import annotations

import os

from PyGPU import _core
from PyGPU._apis import APIS

TYPE_CHECKING = False  # typing's own constant would cost an import of typing
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from PyGPU._apis.api import Api, Kernels

VARIABLE = "PYGPU_BACKEND"
RUNTIMES = tuple(name for name, api in APIS.items() if api.module == "_core")
# The first one's own names are the portable ones.
PORTABLE = tuple(name for name, api in APIS.items() if "portable" in api.capabilities)
HOSTED = tuple(name for name, api in APIS.items() if "host" in api.capabilities)
NAMES = (*PORTABLE, "host")
# It lies beside the compiled module: in an editable installation the Python files lie elsewhere.
HOST_RUNTIME = os.path.join(os.path.dirname(os.path.abspath(_core.__file__)), "libpygpu_host.so")

_DRIVER_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/run/opengl-driver/lib",
)

_name = ""
_why = ""
_asked_for = False
_used = ""


def device_nodes(api: str, root: str = "") -> list[str]:
    """The device nodes that show a driver of `api`; `root` stands before every path."""
    paths = []
    for alternative in _nodes(api):
        nodes = [existing(node, root) for node in alternative]
        if all(nodes):
            paths += [node for several in nodes for node in several]
    return paths


def existing(path: str, root: str = "") -> list[str]:
    """The files that a path names; a `*` at its end stands for the rest of a name."""
    if not path.endswith("*"):
        return [path] if os.path.exists(root + path) else []
    folder, _, start = path[:-1].rpartition("/")
    try:
        names = sorted(os.listdir(root + folder))
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names if name.startswith(start)]


def _nodes(api: str) -> Sequence[Sequence[str]]:
    driver = APIS[api].driver
    return driver.nodes if driver else ()


def driver_library(api: str, environ: Mapping[str, str], root: str = "") -> str | None:
    """Where the driver's library of `api` is, or None; it is looked for, and not opened.

    When only the loader's cache knows it, the bare name is returned.
    """
    driver = APIS[api].driver
    if driver is None:
        return None
    name = driver.library
    folders = [f for f in environ.get("LD_LIBRARY_PATH", "").split(":") if f.startswith("/")]
    folders += [root + folder for folder in (*_DRIVER_FOLDERS, *driver.folders)]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    try:
        with open(root + "/etc/ld.so.cache", "rb") as file:
            if b"\0" + name.encode() + b"\0" in file.read():
                return name
    except OSError:
        pass  # musl has no cache: the folders above were all places
    return None


def choose(environ: Mapping[str, str], root: str = "", host: str = HOST_RUNTIME) -> tuple[str, str]:
    """The backend for this environment and why: (one of NAMES, a sentence).

    Looks at files only, so that it is quick and a later fork stays safe. Raises ValueError when
    PYGPU_BACKEND has a value that is neither auto nor one of NAMES.
    """
    wanted = environ.get(VARIABLE, "").strip().lower() or "auto"
    if wanted in NAMES:
        return wanted, f"{VARIABLE}={wanted}"
    if wanted != "auto":
        raise ValueError(
            f"{VARIABLE} is {environ[VARIABLE]!r}; it must be one of auto, {', '.join(NAMES)}"
        )
    there = {api: nodes for api in PORTABLE if (nodes := device_nodes(api, root))}
    for api, nodes in there.items():
        several = min(len(alternative) for alternative in _nodes(api)) > 1
        text = (
            f"the device nodes {nodes[0]} and {nodes[1]} exist"
            if several
            else f"the device node {nodes[0]} exists"
        )
        others = [other for other in there if other != api]
        also = f" ({there[others[0]][0]} exists too; {api} comes first)" if others else ""
        return api, text + also
    for api in PORTABLE:
        if library := driver_library(api, environ, root):
            return api, f"the driver library {library} is installed, though no device node is there"
    for api in PORTABLE:
        variable = APIS[api].library.variable
        if environ.get(variable):
            return api, f"{variable} is set, though no device node and no driver is there"
    if os.path.exists(host):
        return "host", "no GPU driver and no device node is there, so the host runtime stands in"
    nothing = "no GPU driver and no device node is there, and no host runtime is installed"
    return PORTABLE[0], nothing


def current() -> str:
    """The backend in force, chosen from the environment when first asked for."""
    if not _name:
        _choose_now()
    return _name


def api() -> Api:
    """The API whose library serves the portable names; the host runtime serves the first one's."""
    name = current()
    return APIS[name if name in APIS else PORTABLE[0]]


def kernels() -> Kernels:
    """How kernels are compiled, loaded and launched on the backend in force."""
    known = api()
    if known.kernels is None:
        raise NotImplementedError(f"PyGPU can't compile or launch kernels on {known.label}")
    return known.kernels


def runtime(raising: bool) -> Any:
    """The runtime's functions on the backend in force; `raising` asks for PyGPU.checked's form."""
    return _core.portable(current(), raising)


def why() -> str:
    """Why `current()` is what it is, as a sentence."""
    current()
    return _why


def fell_back() -> bool:
    """True when nobody asked for the host runtime and it stands in for a missing GPU."""
    return current() == "host" and not _asked_for


def use(name: str) -> bool:
    """Take another backend, before the first use of any; True when that changed something.

    "auto" chooses by what is on the machine. Naming the backend in force is right at any time: then
    it was asked for, so that the host runtime no longer counts as a fallback. Raises ValueError for
    an unknown name and RuntimeError when a runtime library is in use already.
    """
    global _name, _why, _asked_for
    if not isinstance(name, str):
        raise TypeError(f"PyGPU.use: name must be a str, not {type(name).__name__}")
    if name not in (*NAMES, "auto"):
        raise ValueError(
            f"PyGPU.use: {name!r} is not a backend; use one of auto, {', '.join(NAMES)}"
        )
    reason = f"PyGPU.use({name!r})"
    by_name = name != "auto"
    if not by_name:
        name, cause = choose({k: v for k, v in os.environ.items() if k != VARIABLE})
        reason += f": {cause}"
    is_new = name != current()
    if is_new and _used:
        raise RuntimeError(
            f"PyGPU.use({name!r}): the backend {_name!r} is in use already ({_used}); "
            f"call PyGPU.use before the first GPU call, or set {VARIABLE}={name}"
        )
    if is_new or by_name:  # "auto" takes nothing back of what was asked for by name
        _why, _asked_for, _name = reason, by_name, name
    return is_new


def mark_used(what: str) -> None:
    """Note the first use of a runtime library, after which `use` refuses a change."""
    global _used
    _used = _used or what


def _choose_now() -> None:
    global _name, _why, _asked_for
    name, _why = choose(os.environ)
    _asked_for = _why.startswith(VARIABLE)
    _name = name  # the last, because other threads take the choice for made then
