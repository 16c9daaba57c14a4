"""CUDA's public names and the HIP names that stand for them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from generator.plan.binding import BindingPlan, Wrapper

if sys.version_info >= (3, 11):
    import tomllib
else:  # pragma: no cover
    import tomli as tomllib


def load(specs: Path) -> Mapping[str, str]:
    """The exceptions of api_specs/portable.toml: CUDA name -> HIP name, "" for no counterpart."""
    text = (specs / "portable.toml").read_text(encoding="utf-8")
    return {name: value for table in tomllib.loads(text).values() for name, value in table.items()}


def names(
    cuda: BindingPlan, hip: BindingPlan, exceptions: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Pairs of a CUDA name and its HIP counterpart, sorted by the CUDA name."""
    of_hip = {*_others(hip), *_wrappers(hip)}
    pairs = []
    for name in [*_wrappers(cuda), *_others(cuda)]:
        counterpart = exceptions.get(name, _renamed(name))
        if counterpart in of_hip and _same_shape(cuda, hip, name, counterpart):
            pairs.append((name, counterpart))
    return tuple(sorted(pairs, key=lambda pair: pair[0].encode()))


def _renamed(name: str) -> str:
    """`cudaMalloc` -> `hipMalloc`, `make_cudaPos` -> `make_hipPos`."""
    start, made, rest = name.rpartition("make_")
    return f"{start}{made}hip{rest[4:]}" if rest.startswith("cuda") else name


def _same_shape(cuda: BindingPlan, hip: BindingPlan, name: str, counterpart: str) -> bool:
    """Whether two functions take and give the same in the same order; true for other names."""
    mine, theirs = _wrappers(cuda).get(name), _wrappers(hip).get(counterpart)
    if mine is None or theirs is None:
        return mine is theirs
    return list(_shape(mine)) == list(_shape(theirs))


def _shape(wrapper: Wrapper) -> Iterator[str]:
    for one in wrapper.inputs:
        yield one.type.replace("cuda", "").replace("hip", "").replace("Destroyed", "")[:8]
    yield "->"
    yield str(len(wrapper.results))


def _others(plan: BindingPlan) -> list[str]:
    return [one.name for one in plan.names] + [one.name for one in plan.helpers]


def _wrappers(plan: BindingPlan) -> dict[str, Wrapper]:
    return {one.name: one for group in plan.groups.values() for one in group}
