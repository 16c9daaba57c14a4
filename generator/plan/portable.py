"""CUDA's public names and the HIP names that stand for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator import document
from generator.errors import GeneratorError
from generator.plan.binding import BindingPlan, Wrapper
from generator.plan.shapes import Shape
from generator.plan.span import NEWEST, OLDEST
from generator.toml import read_toml


@dataclass(frozen=True, slots=True)
class Portable:
    """A name of CUDA's, and of HIP's or of CUDA's own what stands for it on some releases of HIP.

    `adapted`: by a function of src/handwritten/module/adapt/portable.hpp: HIP has another form.
    Where `hip` is a function of CUDA's, that one serves both names.
    """

    cuda: str
    hip: str
    adapted: bool = False
    since: int = OLDEST
    until: int = NEWEST


# What stands behind the names of structs' tags, of typedefs and of other versions.
_BEHIND = re.compile(r"(?<=\w)(?:V2|_v1|_st|_enum|_t)+$")
# Today's form of a function under the name that an older release gave it.
_VERSION = re.compile(r"_v\d$")
Exceptions = Mapping[str, Mapping[str, str]]
NAMES = ("functions", "same", "adapted", "types", "values")
_check = document.table(
    {},
    {
        "prefixes": document.each(document.name, document.name),
        **dict.fromkeys(
            NAMES, document.each(document.matching(r"\w*", "a name, or nothing"), document.name)
        ),
    },
)


def load(specs: Path) -> Exceptions:
    """The tables of api_specs/portable.toml: CUDA name -> HIP name, "" for no counterpart."""
    path = specs / "portable.toml"
    found = read_toml(path)
    try:
        _check(found, "")
    except document.DocumentError as error:
        raise GeneratorError(f"{path}: {error}") from None
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
    rows: dict[str, list[Portable]] = {}
    for release in hip.releases:
        there = _at(hip, release)
        for one in _counterparts(cuda, there, exceptions, said):
            _add(rows.setdefault(one.cuda, []), one, release, one.cuda in mine)
    opened = (one for found in rows.values() for one in _open(found, hip.releases))
    return tuple(sorted(opened, key=lambda one: (one.cuda.encode(), one.since)))


def adapted(cuda: BindingPlan, names: Sequence[Portable]) -> tuple[Wrapper, ...]:
    """CUDA's own wrappers of the names that an adaptor serves on HIP."""
    mine = _wrappers(cuda)
    return tuple(mine[one.cuda] for one in names if one.adapted)


def _at(hip: BindingPlan, release: int) -> BindingPlan:
    """The plan with the names that a release has."""

    def there(name: str) -> bool:
        return hip.first.get(name, OLDEST) <= release

    return replace(
        hip,
        names=tuple(
            one for one in hip.names if one.since <= release <= one.until and there(one.name)
        ),
        helpers=tuple(one for one in hip.helpers if there(one.struct)),
        groups={
            group: tuple(one for one in wrappers if there(one.name))
            for group, wrappers in hip.groups.items()
        },
    )


def _counterparts(
    cuda: BindingPlan, hip: BindingPlan, exceptions: Exceptions, said: Mapping[str, str]
) -> Iterator[Portable]:
    """The names that one release of HIP serves."""
    mine, theirs = _wrappers(cuda), _wrappers(hip)
    of_cuda = {*mine, *_others(cuda)}
    there = {*_others(hip), *theirs} | of_cuda
    alike = Alike(cuda, hip, exceptions.get("prefixes", {}))
    for name in of_cuda:
        counterpart = alike.of(name)
        # A value of CUDA's own stands in only while HIP has none.
        if name in said and not (said[name] == name and counterpart):
            counterpart = said[name] if said[name] in there else None
        adapted = name in exceptions.get("adapted", {})
        if name in said:
            if counterpart:
                yield Portable(name, counterpart, adapted)
        elif counterpart and _same_shape(
            mine.get(name), theirs.get(counterpart), exceptions.get("types", {})
        ):
            yield Portable(name, counterpart)
        elif _VERSION.search(name) and name in mine:
            today = _VERSION.sub("", name)
            if today in mine and _gives_alike(mine[name], mine[today]):
                yield Portable(name, today)


def _add(rows: list[Portable], one: Portable, release: int, is_function: bool) -> None:
    """One more release of a name; a function stays what it was first, as it is bound only once."""
    if rows and (is_function or one.hip == rows[-1].hip):
        rows[-1] = replace(rows[-1], until=release)
    else:
        rows.append(replace(one, since=release, until=release))


def _open(rows: Sequence[Portable], releases: Sequence[int]) -> Iterator[Portable]:
    """Rows that reach to the next one, and beyond the first and the last release."""
    ends = [*(one.since - 1 for one in rows[1:]), NEWEST]
    for one, until in zip(rows, ends, strict=True):
        since = OLDEST if one.adapted or one.since == releases[0] else one.since
        yield replace(one, since=since, until=until)


class Alike:
    """HIP's names by CUDA's: the plain rename, or that of a value which HIP spells otherwise.

    A type stands for a type, a value for a value. `prefixes` are beginnings of names and what HIP's
    begin with. Of status codes without a namesake those of one number mean the same.
    """

    def __init__(self, cuda: BindingPlan, hip: BindingPlan, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._sorts = _sorts(cuda), _sorts(hip)
        self._spelled = {name.lower(): name for name in _others(hip)}
        types = (one.name for one in hip.names if one.kind.endswith("_type"))
        # Of several names of one type the plainest, which is the shortest.
        self._types = {_bare(name): name for name in sorted(types, key=len, reverse=True)}
        errors = [one for one in cuda.names if one.kind == "error"]
        self._numbers = {one.name: (one.value, one.since) for one in errors}
        namesakes = {_renamed(one.name): one.since for one in errors}
        named = {one.value: namesakes[one.name] for one in hip.names if one.name in namesakes}
        self._codes = {
            one.value: (one.name, named.get(one.value, NEWEST))
            for one in hip.names
            if one.kind == "error"
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
        if found := self._spelled.get(name.lower()) or self._types.get(_bare(cuda)):
            yield found
        if cuda in self._numbers:
            number, since = self._numbers[cuda]
            name, named_since = self._codes.get(number, ("", OLDEST))
            if since < named_since:  # a later namesake takes nothing away
                yield name


class Names(dict[str, str]):
    """An API's own names by CUDA's. GeneratorError for one that it has nothing for."""

    def __init__(self, plan: BindingPlan, names: Sequence[Portable]) -> None:
        super().__init__((one.cuda, one.hip) for one in names)
        self._plan = plan
        self._there = {*_others(plan), *_wrappers(plan)}

    def __missing__(self, cuda: str) -> str:
        name = _renamed(cuda) if self._plan.manifest.stands_for else cuda
        if name not in self._there:
            raise GeneratorError(
                f"{cuda}: {self._plan.api} has no {name}; say in api_specs/portable.toml what"
            )
        return name


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
    return (
        len(mine.inputs) == len(theirs.inputs)
        and len(mine.results) == len(theirs.results)
        and all(
            _alike(one.shape, other.shape, types)
            for one, other in zip(mine.inputs, theirs.inputs, strict=True)
        )
    )


def _gives_alike(mine: Wrapper, theirs: Wrapper) -> bool:
    """Whether the results are of the same types, too."""
    pairs = zip(mine.results, theirs.results, strict=False)
    return _same_shape(mine, theirs, {}) and all(_alike(a.shape, b.shape, {}) for a, b in pairs)


def _alike(mine: Shape, theirs: Shape, types: Mapping[str, str]) -> bool:
    """Whether HIP takes what CUDA takes; a handle of CUDA's may be a plain address of HIP's."""
    if theirs.kind == "address" and mine.kind == "value" and mine.value.base.endswith("_t"):
        return True
    if mine.type and theirs.type:
        name = types.get(mine.type.base, mine.type.base)
        if replace(mine.type, base=_bare(name)) != replace(
            theirs.type, base=_bare(theirs.type.base)
        ):
            return False
    if mine.of and theirs.of and not _alike(mine.of, theirs.of, types):
        return False
    cleared = [replace(one, type=None, of=None, table=None) for one in (mine, theirs)]
    return cleared[0] == cleared[1]


def _bare(name: str) -> str:
    """A type's name without the vendor's, and without what a typedef or another version of it has
    behind it.
    """
    return _BEHIND.sub("", name.removeprefix("cuda").removeprefix("hip"))


def _sorts(plan: BindingPlan) -> dict[str, str]:
    """What each name is; constants and enumerators are both values."""
    values = {"constant": "value", "enumerator": "value"}
    # The first kind of a name is the one that it keeps.
    sorts = {one.name: values.get(one.kind, one.kind) for one in reversed(plan.names)}
    return (
        sorts
        | dict.fromkeys((one.name for one in plan.helpers), "helper")
        | dict.fromkeys(_wrappers(plan), "function")
    )


def _others(plan: BindingPlan) -> list[str]:
    return [one.name for one in plan.names] + [one.name for one in plan.helpers]


def _wrappers(plan: BindingPlan) -> dict[str, Wrapper]:
    return {one.name: one for group in plan.groups.values() for one in group}
