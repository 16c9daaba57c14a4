"""CUDA's public names and the HIP names that stand for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from generator.errors import GeneratorError
from generator.plan.binding import BindingPlan, Wrapper
from generator.toml import tomllib


@dataclass(frozen=True, slots=True)
class Portable:
    """A name of CUDA's, and of HIP's or of CUDA's own what stands for it on HIP.

    `adapted`: by a function of src/handwritten/adapt/portable.cpp, as HIP's has another form.
    Where `hip` is a function of CUDA's, that one serves both names.
    """

    cuda: str
    hip: str
    adapted: bool = False


Exceptions = Mapping[str, Mapping[str, str]]
NAMES = ("functions", "same", "adapted", "types", "values")


def load(specs: Path) -> Exceptions:
    """The tables of api_specs/portable.toml: CUDA name -> HIP name, "" for no counterpart."""
    found = tomllib.loads((specs / "portable.toml").read_text(encoding="utf-8"))
    if unknown := found.keys() - {"prefixes", *NAMES}:
        raise GeneratorError(f"api_specs/portable.toml: unknown tables {sorted(unknown)}")
    return found


def names(cuda: BindingPlan, hip: BindingPlan, exceptions: Exceptions) -> tuple[Portable, ...]:
    """The names that HIP serves, sorted by the CUDA name.

    GeneratorError for an exception whose names don't exist.
    """
    mine, theirs = _wrappers(cuda), _wrappers(hip)
    of_cuda = {*mine, *_others(cuda)}
    of_hip = {*_others(hip), *theirs}
    known = [exceptions.get(table, {}) for table in NAMES]
    said = {name: value for table in known for name, value in table.items()}
    for name, value in said.items():
        if name not in of_cuda or (value and value not in of_hip | of_cuda):
            raise GeneratorError(
                f"api_specs/portable.toml: {name} = {value!r} names what isn't there"
            )
    for mine_, theirs_ in exceptions.get("prefixes", {}).items():
        if not any(one.startswith(mine_) for one in of_cuda) or not any(
            one.startswith(theirs_) for one in of_hip
        ):
            raise GeneratorError(
                f"api_specs/portable.toml: prefixes: no names begin with {mine_} and {theirs_}"
            )
    for name, value in exceptions.get("same", {}).items():
        if not _same_shape(mine.get(name), mine.get(value), {}):
            raise GeneratorError(f"api_specs/portable.toml: {name} is not {value} by another name")
    alike = Alike(cuda, hip, exceptions.get("prefixes", {}))
    found = []
    for name in of_cuda:
        counterpart = alike.of(name)
        # A value of CUDA's own stands in only while HIP has none.
        if name in said and not (said[name] == name and counterpart):
            counterpart = said[name]
        adapted = name in exceptions.get("adapted", {})
        if name in said:
            if counterpart:
                found.append(Portable(name, counterpart, adapted))
        elif counterpart and _same_shape(
            mine.get(name), theirs.get(counterpart), exceptions.get("types", {})
        ):
            found.append(Portable(name, counterpart))
    return tuple(sorted(found, key=lambda one: one.cuda.encode()))


class Alike:
    """HIP's names by CUDA's: the plain rename, or that of a value which HIP spells otherwise.

    A type stands for a type, a value for a value. `prefixes` are beginnings of names and what HIP's
    begin with. Of status codes without a namesake those of one number mean the same.
    """

    def __init__(self, cuda: BindingPlan, hip: BindingPlan, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._sorts = _sorts(cuda), _sorts(hip)
        self._spelled = {name.lower(): name for name in _others(hip)}
        self._numbers = {one.name: one.value for one in cuda.names if one.kind == "error"}
        namesakes = {_renamed(name) for name in self._numbers}
        named = {one.value for one in hip.names if one.name in namesakes}
        self._codes = {
            one.value: one.name
            for one in hip.names
            if one.kind == "error" and one.value not in named
        }

    def of(self, cuda: str) -> str | None:
        """HIP's name, None where there is none."""
        mine, theirs = self._sorts
        return next((one for one in self._spellings(cuda) if theirs.get(one) == mine[cuda]), None)

    def _spellings(self, cuda: str) -> Iterator[str]:
        """What HIP may call it, the likeliest first."""
        plain = _renamed(cuda)
        yield plain
        begins = max((one for one in self._prefixes if cuda.startswith(one)), key=len, default="")
        name = self._prefixes[begins] + cuda[len(begins) :] if begins else plain
        if found := self._spelled.get(name.lower()):
            yield found
        if cuda in self._numbers and (code := self._codes.get(self._numbers[cuda])):
            yield code


def translated(text: str, hip: BindingPlan, names: Sequence[Portable]) -> str:
    """C++ in CUDA's names, in HIP's. GeneratorError for a name that has no counterpart."""
    known = {one.cuda: one.hip for one in names}
    of_hip = {*_others(hip), *_wrappers(hip)}

    def counterpart(word: re.Match[str]) -> str:
        name = known.get(word[0], _renamed(word[0]))
        if name not in of_hip:
            raise GeneratorError(
                f"{word[0]}: HIP has no {name}; say in api_specs/portable.toml what"
            )
        return name

    return re.sub(r"\bcuda[A-Z]\w*", counterpart, text)


def _renamed(name: str) -> str:
    """`cudaMalloc` -> `hipMalloc`, `make_cudaPos` -> `make_hipPos`."""
    start, made, rest = name.rpartition("make_")
    return f"{start}{made}hip{rest[4:]}" if rest.startswith("cuda") else name


def _same_shape(mine: Wrapper | None, theirs: Wrapper | None, types: Mapping[str, str]) -> bool:
    """Whether two functions take and give the same in the same order; true for other names."""
    if mine is None or theirs is None:
        return mine is theirs
    places = {one.name: place for place, one in enumerate(theirs.inputs)}
    if any(places.get(one.name, place) != place for place, one in enumerate(mine.inputs)):
        return False  # of one type, but swapped
    return list(_shape(mine, types)) == list(_shape(theirs, {}))


def _shape(wrapper: Wrapper, types: Mapping[str, str]) -> Iterator[str]:
    for one in wrapper.inputs:
        type = re.sub(r"\w+", lambda word: types.get(word[0], word[0]), one.type)
        yield re.sub(r"cuda|hip|Destroyed|_t\b|<typed_\w+>", "", type)
    yield "->"
    yield str(len(wrapper.results))


def _sorts(plan: BindingPlan) -> dict[str, str]:
    """What each name is; constants and enumerators are both values."""
    values = {"constant": "value", "enumerator": "value"}
    sorts = {one.name: values.get(one.kind, one.kind) for one in plan.names}
    return (
        sorts
        | dict.fromkeys((one.name for one in plan.helpers), "helper")
        | dict.fromkeys(_wrappers(plan), "function")
    )


def _others(plan: BindingPlan) -> list[str]:
    return [one.name for one in plan.names] + [one.name for one in plan.helpers]


def _wrappers(plan: BindingPlan) -> dict[str, Wrapper]:
    return {one.name: one for group in plan.groups.values() for one in group}
