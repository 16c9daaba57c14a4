"""Which functions of an API belong together, by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

MOST = 10
_LETTERS = "SDCZHI"  # of BLAS: single, double, complex, double complex, half, integer
_PAIRS = (
    ("Create", "Destroy"),
    ("Malloc", "Free"),
    ("Alloc", "Free"),
    ("Register", "Unregister"),
    ("Begin", "End"),
    ("Get", "Set"),
    ("Push", "Pop"),
    ("Init", "Shutdown"),
    ("Open", "Close"),
    ("Load", "Unload"),
    ("Enable", "Disable"),
    ("Map", "Unmap"),
    ("Export", "Import"),
    ("create", "destroy"),
    ("alloc", "free"),
    ("get", "set"),
    ("init", "shut_down"),
)


def stems(names: Iterable[str]) -> dict[str, str]:
    """For each name, what it shares with its forms for other types.

    cublasSgemm and cublasDgemm have the stem "cublas?gemm". A name without other forms is its own.
    """
    known = set(names)
    result = {}
    for name in known:
        result[name] = name
        for at in re.finditer(rf"(?<=[a-z])[{_LETTERS}](?=[a-z])", name):
            forms = {name[: at.start()] + one + name[at.end() :] for one in _LETTERS}
            if len(forms & known) > 1:
                result[name] = name[: at.start()] + "?" + name[at.end() :]
                break
    return result


def related(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each function: its forms for other types, its counterpart, and longer and shorter names.

    At most MOST of them, the nearest first.
    """
    known = sorted(set(names))
    stem = stems(known)
    of_stem: dict[str, list[str]] = {}
    for name in known:
        of_stem.setdefault(stem[name], []).append(name)
    longer = _continued(known)
    shorter: dict[str, list[str]] = {}
    for name, others in longer.items():
        for other in others:
            shorter.setdefault(other, []).append(name)
    known_set = set(known)
    result = {}
    for name in known:
        found = [one for one in of_stem[stem[name]] if one != name]
        found += _counterparts(name, known_set)
        found += shorter.get(name, [])[::-1]
        found += sorted(longer.get(name, []), key=lambda one: (len(one), one))
        result[name] = tuple(dict.fromkeys(found))[:MOST]
    return result


def _counterparts(name: str, known: set[str]) -> Iterator[str]:
    for pair in _PAIRS:
        for one, other in (pair, pair[::-1]):
            if one in name and (there := name.replace(one, other)) in known:
                yield there


def _continued(names: list[str]) -> Mapping[str, list[str]]:
    """For each name those that go on from it with a new word; `names` are sorted."""
    result: dict[str, list[str]] = {}
    for at, name in enumerate(names):
        for other in names[at + 1 :]:
            if not other.startswith(name):
                break
            if re.match(r"[A-Z0-9_]", other[len(name)]):
                result.setdefault(name, []).append(other)
    return result
