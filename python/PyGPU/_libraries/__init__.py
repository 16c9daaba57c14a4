"""Finds the vendor's runtime library on the first use of an API. The core asks, and opens it."""

from __future__ import annotations

import _thread
import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from typing import Any

from PyGPU import _backend, _core
from PyGPU._apis import APIS
from PyGPU._apis.api import is_named
from PyGPU._base import caller

from .candidates import (
    LOADED,
    VARIABLE,
    Candidate,
    Surroundings,
    inspect_file,
    major_of,
)
from .judge import needs_driver, order, verdicts
from .places import gather

__all__ = [
    "Candidate",
    "Surroundings",
    "after_load",
    "driver_version",
    "installed",
    "load",
    "paths",
    "surroundings",
    "survey",
]

_PACKAGE = os.path.dirname(os.path.dirname(__file__))

# A finaliser or a signal handler may call the API while this very thread is searching, so the
# same thread may enter again. Waiting for the lock releases the GIL.
_lock = _thread.RLock()
_failures: dict[str, dict[str, str]] = {}
_taken: dict[str, Candidate] = {}  # what was opened, with its origin
_warned: set[str] = set()
# Called with an API once its library is open, before the first call.
after_load: list[Callable[[str], None]] = []


def _renew_lock() -> None:
    """In a forked child: the thread that held the lock is not there any more."""
    global _lock
    _lock = _thread.RLock()


os.register_at_fork(after_in_child=_renew_lock)


# A generator that yields paths to open. It is sent the reason why a path can't be opened, or the
# facts about the library. It returns whether a library was opened.
Opening = Generator[str, "str | dict[str, Any]", bool]


def load(api: str, function: str = "", portable: bool = False) -> bool:
    """Open the best library for `api`, as a first call would; False when there is none."""
    done: bool = _extension(api).load(api, function, portable)
    return done


def paths(api: str, function: str = "", portable: bool = False) -> Opening:
    """The libraries to open for `api`, the best first, until one of them serves.

    The core asks on the first use of the API. After a failure it asks again once another shared
    object was loaded. `function` is the call that needs the library. `portable` says that the call
    used a portable name: only then may the host runtime stand in unasked. Several threads may ask
    at the same time: one searches, the others wait without the GIL. Warns (RuntimeWarning) if the
    user's own wish can't be met, or if the host runtime stands in.
    """
    notes: list[str] = []
    with _lock:
        core = _extension(api)
        done = core.installed(api) is not None or (yield from _search(api, core, notes, portable))
        _warn_of_settings(notes)
        if done and api in _backend.PORTABLE:
            _backend.mark_used(f"first by {function}" if function else f"by PyGPU.{api}")
        fresh = [note for note in notes if note not in _warned]
        _warned.update(fresh)
    for note in fresh:  # outside the lock, because a warning may run any code
        caller.warn(note, RuntimeWarning)
    for one in after_load if done else ():
        one(api)
    return done


def survey(api: str, ask_driver: bool = True) -> list[Candidate]:
    """All candidates of `api` with their verdicts, as things stand; opens no runtime library.

    Before the first use, "chosen" is what would be tried first. Only with `ask_driver` it opens the
    driver's library, which is asked for its version: if that hangs or crashes, so does this.
    """
    core = _extension(api)
    around = surroundings()
    taken = _taken.get(api)
    if taken is not None and taken.place != LOADED:  # PyGPU itself loaded it
        around = around._replace(loaded=[p for p in around.loaded if not _same(p, taken.path)])
    candidates = gather(api, around)
    failures = _failures.get(api, {})
    in_use = core.installed(api)
    if _is_hosted(api):
        host = _host_runtime()
        chosen = host if in_use or not host.problem else None
        judged = verdicts(api, [host], chosen, None, failures)
        unseen = f"not looked at: the backend is host ({_backend.why()})"
        return judged + [c._replace(verdict=unseen) for c in candidates]
    driver = core.driver_version(api) if ask_driver else None
    if in_use is None:
        tried = [c for c in order(api, candidates, driver) if c.path not in failures]
        chosen = tried[0] if tried and not tried[0].problem else None
    else:
        path = in_use["path"]
        chosen = next((c for c in candidates if _same(c.path, path)), None)
        if chosen is None:  # only the loader knew where it is
            origin, place = (taken.origin, taken.place) if taken else ("already loaded", LOADED)
            soname = in_use["soname"]
            chosen = Candidate(path, origin, place, soname, major_of(soname))
            candidates.insert(0, chosen)
    return verdicts(api, candidates, chosen, driver, failures)


def surroundings() -> Surroundings:
    """This process as a search sees it."""
    # The namespace package `nvidia`, when somebody imported it, may know more folders.
    parts = getattr(sys.modules.get("nvidia"), "__path__", ())
    paths = [*sys.path, *(os.path.dirname(part) for part in parts)]
    return Surroundings(
        environ=os.environ,
        sys_path=[path for path in paths if isinstance(path, str)],  # as imports do
        loaded=_core.loaded_objects(),
        prefix=sys.prefix,
        folders=_core.search_folders(),
        package=os.path.dirname(_PACKAGE),
    )


def driver_version(api: str) -> int | None:
    """The driver's version as the vendor numbers it (12040 for CUDA 12.4); None without one."""
    version: int | None = _extension(api).driver_version(api)
    return version


def installed(api: str) -> dict[str, Any] | None:
    """What the core says of the library in use (path, soname, release, …); None without one."""
    facts: dict[str, Any] | None = _extension(api).installed(api)
    return facts


def _extension(api: str) -> Any:
    """The extension module that holds an API."""
    return APIS[api].extension()


def _is_hosted(api: str) -> bool:
    """Whether the host runtime serves an API here."""
    return api in _backend.HOSTED and _backend.current() == "host"


def _search(api: str, core: Any, notes: list[str], portable: bool) -> Opening:
    """Try the candidates in order. `notes` takes what the user must know."""
    if _is_hosted(api) and (portable or not _backend.fell_back()):
        return (yield from _open_host(api, notes))
    known = APIS[api]
    candidates = gather(api, surroundings())
    driver = core.driver_version(api) if needs_driver(candidates) else None
    failures: dict[str, str] = {}
    _failures[api] = failures
    attempts = order(api, candidates, driver)
    for candidate in attempts:
        if not candidate.problem and (facts := (yield from _try(api, candidate, failures))):
            _taken[api] = candidate
            _warn_of_age(api, facts, candidate, notes)
            return True
        if candidate.place == VARIABLE:
            notes.append(_named_badly(candidate, failures))
            return False
    refused = failures | {c.path: c.problem for c in candidates if c.problem}
    if refused:
        path, text = next(iter(refused.items()))
        more = f" (and {len(refused) - 1} more)" if len(refused) > 1 else ""
        notes.append(
            f"PyGPU: no {known.label} runtime library could be opened: "
            f"{_joined(path, text)}{more}. `python -m PyGPU` lists all."
        )
    return False


_PER_THREAD = "PYGPU_PER_THREAD_DEFAULT_STREAM"
_HOST_REPORTS = ("PYGPU_HOST_STRICT", "PYGPU_HOST_LEAKS")


def _host_runtime() -> Candidate:
    return inspect_file(_backend.HOST_RUNTIME, "host runtime", VARIABLE)


def _open_host(api: str, notes: list[str]) -> Opening:
    path = _backend.HOST_RUNTIME
    why = _backend.why()
    if problem := _host_runtime().problem:
        notes.append(
            f"PyGPU: the backend is host ({why}), but this installation has no host runtime: "
            f"{path} {problem}"
        )
        return False
    if isinstance(answer := (yield path), str):
        _failures[api] = {path: answer}
        notes.append(f"PyGPU: the host runtime cannot be opened: {_joined(path, answer)}")
        return False
    if any(os.environ.get(name, "0") not in ("", "0") for name in _HOST_REPORTS):
        from PyGPU._host import leaks, reports  # noqa: F401, so that reports have their place in Python
    if _backend.fell_back():
        notes.append(
            f"PyGPU runs on the CPU: {why}. Set {_backend.VARIABLE}=host to choose this "
            f"explicitly; `python -m PyGPU` says what is missing."
        )
    return True


def _try(
    api: str, candidate: Candidate, failures: dict[str, str]
) -> Generator[str, str | dict[str, Any], dict[str, Any] | None]:
    """The facts about the library; None where it can't be opened."""
    if candidate.place != LOADED:
        _open_beside(api, candidate)
    answer = yield candidate.path
    if not isinstance(answer, str):
        return answer
    failures[candidate.path] = answer
    return None


def _open_beside(api: str, candidate: Candidate) -> None:
    """Open the libraries that this one will open by name alone: the loader then knows the names.

    If the folder has several majors, the library's own is opened. A failure is no error yet.
    """
    folder = os.path.dirname(os.path.realpath(candidate.path)) if "/" in candidate.path else ""
    for stem in APIS[api].library.beside if folder else ():
        try:
            names = [name for name in os.listdir(folder) if is_named(stem, name)]
        except OSError:
            continue
        for name in sorted(names):
            if major_of(name) in (candidate.major, None):
                import ctypes

                with suppress(OSError):
                    ctypes.CDLL(os.path.join(folder, name))  # stays open


def _named_badly(candidate: Candidate, failures: Mapping[str, str]) -> str:
    text = candidate.problem or failures.get(candidate.path, "")
    return (
        f"PyGPU: {candidate.origin} names a library that cannot be used: "
        f"{_joined(candidate.path, text)}. "
        f"No other is tried; unset {candidate.origin} to search for another."
    )


def _warn_of_age(
    api: str, facts: Mapping[str, Any], candidate: Candidate, notes: list[str]
) -> None:
    known = APIS[api]
    number = facts["release"].split(".")[0]  # the name of the driver's file says 1 in every release
    major = int(number) if number.isdigit() else candidate.major
    if major is not None and major < known.majors[0]:
        notes.append(
            f"PyGPU: {candidate.path} is {known.label} {major}, older than the "
            f"releases that PyGPU knows; it is treated as {known.label} {known.majors[0]}, and "
            "calls may fail"
        )


def _warn_of_settings(notes: list[str]) -> None:
    value = os.environ.get(_PER_THREAD, "")
    if value not in ("", "0", "1"):
        notes.append(f"PyGPU: {_PER_THREAD} is {value!r}, which has no effect: only 1 does")


def _joined(path: str, text: str) -> str:
    """Path and reason as one text: dlopen's text mostly starts with the path already."""
    return text if text.startswith(path) else f"{path}: {text}"


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False
