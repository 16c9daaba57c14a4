"""CUDA's public names and the HIP names that stand for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from generator.errors import GeneratorError
from generator.model import CType
from generator.plan.binding import BindingPlan, Wrapper
from generator.plan.formulas import Formulas
from generator.plan.shapes import Shape
from generator.plan.span import NEWEST, OLDEST
from generator.schema import Name, Text, Words, matching
from generator.specs import folder
from generator.toml import as_object, read_toml


@dataclass(frozen=True, slots=True)
class Portable:
    """A name of CUDA's, and the name of HIP's or CUDA's that it means on some releases of HIP.

    `adapted`: HIP has another form, and a function of src/handwritten/module/adapt/ has CUDA's
    form. If `hip` is a function of CUDA's, that function serves both names.
    """

    cuda: str
    hip: str
    adapted: bool = False
    since: int = OLDEST
    until: int = NEWEST


# Endings of structs' tags, of typedefs and of other versions.
_BEHIND = re.compile(r"(?<=\w)(?:V2|_v1|_st|_enum|_t)+$")
# Other words for numbers.
NUMBERS = {
    "int32_t": "int",
    "int64_t": "long long",
    "uint32_t": "unsigned int",
    "uint64_t": "unsigned long long",
}
# Ends the name that an older release gave to a function's form of today.
_VERSION = re.compile(r"_v\d$")
NAMES = ("functions", "same", "adapted", "types", "values")
_Names = Mapping[Name, Annotated[str, matching(r"\w*", "a name, or nothing")]]


@dataclass(frozen=True, slots=True)
class Exceptions:
    """What HIP's portable.toml says of one API: CUDA's name -> HIP's, "" for no counterpart.

    `hip` is the folder of the file, `api` the API whose names HIP serves. `prefixes` maps prefixes
    of CUDA's names to those that HIP's names may have, most likely first. `same_numbers`: a status
    without a namesake means the same as the one with the same number. `starts` are the words of the
    vendors that types' names start with; if it is left out, these are the prefixes. `formulas` and
    the tables behind it are for functions of another shape: formulas.py describes them.
    """

    hip: str
    api: str
    prefixes: Mapping[Name, Words]
    functions: _Names = field(default_factory=dict)
    same: _Names = field(default_factory=dict)
    adapted: _Names = field(default_factory=dict)
    types: _Names = field(default_factory=dict)
    values: _Names = field(default_factory=dict)
    same_numbers: bool = False
    starts: Words = ""
    formulas: Mapping[Name, Text | Mapping[Name, Text]] = field(default_factory=dict)
    parts: Mapping[str, Text] = field(default_factory=dict)
    maps: Mapping[Name, Mapping[str, Text]] = field(default_factory=dict)
    lacking: Mapping[Name, Text] = field(default_factory=dict)

    @property
    def own_types(self) -> bool:
        """Whether PyGPU has a class of its own for a type of CUDA's that HIP lacks."""
        return any(name == value for name, value in self.types.items())

    def renamed(self) -> Mapping[str, Sequence[str]]:
        """The prefixes, each as a list."""
        return {mine: theirs.split() for mine, theirs in self.prefixes.items()}

    def plainly(self) -> Exceptions:
        """The same without what is said of types."""
        return replace(self, types={})

    def bare(self, name: str) -> str:
        """A type's name without the vendor's word, and without endings of typedefs and versions."""
        words = self.starts or " ".join((*self.prefixes, *self.prefixes.values()))
        longest = sorted(words.split(), key=len, reverse=True)
        start = re.match("|".join(map(_start, longest)), name)
        return _key(_BEHIND.sub("", name[start.end() :] if start else name))

    def formulas_of(self, cuda: BindingPlan, hip: BindingPlan) -> Formulas:
        """The formulas, for the plans of both. GeneratorError for one that can't be."""
        try:
            return Formulas.of(cuda, hip, self.formulas, self.parts, self.maps, self.lacking)
        except GeneratorError as error:
            raise GeneratorError(self.place(str(error))) from None

    def place(self, said: str) -> str:
        """A message, with the place in the file that it is about."""
        return f"api_specs/{self.hip}/portable.toml: {self.api}: {said}"


def load(specs: Path, hip: str, api: str) -> Exceptions:
    """What `hip` says of the names of an API. GeneratorError if its file lacks the API."""
    path = folder(specs, hip) / "portable.toml"
    found = {
        as_object(Name, name, path): as_object(
            Exceptions, table, path, where=name, hip=hip, api=name
        )
        for name, table in read_toml(path).items()
    }
    if api not in found:
        raise GeneratorError(f"{path}: there is no table [{api}]")
    return found[api]


def names(cuda: BindingPlan, hip: BindingPlan, exceptions: Exceptions) -> tuple[Portable, ...]:
    """The names that HIP serves, sorted by the CUDA name.

    GeneratorError for an exception whose names don't exist.
    """
    mine, theirs = _wrappers(cuda), _wrappers(hip)
    of_cuda = {*mine, *_others(cuda), *(one.name for one in cuda.aliases)}
    of_hip = {*_others(hip), *theirs, *(one.name for one in hip.aliases)}
    own_names = exceptions.formulas_of(cuda, hip).own_names  # CUDA's own values and structs
    said = {name: name for name in own_names} | {
        name: one for table in NAMES for name, one in getattr(exceptions, table).items()
    }
    for name, value in said.items():
        if name not in of_cuda or (value and value not in of_hip | of_cuda):
            raise GeneratorError(
                exceptions.place(f"{name} = {value!r} names something that doesn't exist")
            )
    for begin, ends in exceptions.renamed().items():
        for end in ends:
            if not _begins(of_cuda, begin) or not _begins(of_hip, end):
                raise GeneratorError(
                    exceptions.place(f"prefixes: no names begin with {begin} and {end}")
                )
    own = Shapes(cuda, cuda, exceptions.plainly())
    for name, value in exceptions.same.items():
        if not own.same(mine.get(name), mine.get(value)):
            raise GeneratorError(exceptions.place(f"{name} is not {value} by another name"))
    rows: dict[str, list[Portable]] = {}
    for release in hip.releases:
        there = _at(hip, release)
        for one in _counterparts(cuda, there, exceptions, said):
            _add(rows.setdefault(one.cuda, []), one, release, one.cuda in mine)
    opened = (one for found in rows.values() for one in _open(found, hip.releases))
    return tuple(sorted(opened, key=lambda one: (one.cuda.encode(), one.since)))


def _begins(names: Iterable[str], begin: str) -> bool:
    return any(one.startswith(begin) for one in names)


def adapted(cuda: BindingPlan, names: Sequence[Portable]) -> tuple[Wrapper, ...]:
    """CUDA's own wrappers for the names that an adaptor serves on HIP."""
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
    alike = Alike(cuda, hip, exceptions)
    shapes, own = Shapes(cuda, hip, exceptions), Shapes(cuda, cuda, exceptions.plainly())
    for name in of_cuda:
        served = (one for one in alike.all(name) if shapes.same(mine.get(name), theirs.get(one)))
        counterpart = next(served, None)
        if name in said:
            # CUDA's own value stands in only as long as HIP has none.
            if not (said[name] == name and counterpart):
                counterpart = said[name] if said[name] in there else None
            if counterpart:
                yield Portable(name, counterpart, name in exceptions.adapted)
        elif counterpart:
            yield Portable(name, counterpart)
        elif _VERSION.search(name) and name in mine:
            today = _VERSION.sub("", name)
            if today in mine and own.give_alike(mine[name], mine[today]):
                yield Portable(name, today)


def _add(rows: list[Portable], one: Portable, release: int, is_function: bool) -> None:
    """Add a release of a name. A function keeps its first counterpart: it is bound only once."""
    if rows and (is_function or one.hip == rows[-1].hip):
        rows[-1] = replace(rows[-1], until=release)
    else:
        rows.append(replace(one, since=release, until=release))


def _open(rows: Sequence[Portable], releases: Sequence[int]) -> Iterator[Portable]:
    """The rows, extended up to the next row, and beyond the first and the last release."""
    ends = [*(one.since - 1 for one in rows[1:]), NEWEST]
    for one, until in zip(rows, ends, strict=True):
        since = OLDEST if one.adapted or one.since == releases[0] else one.since
        yield replace(one, since=since, until=until)


class Alike:
    """HIP's names for CUDA's: a renamed one, or one that HIP spells in another way.

    A type stands for a type, a value for a value.
    """

    def __init__(self, cuda: BindingPlan, hip: BindingPlan, exceptions: Exceptions) -> None:
        self._bare = exceptions.bare
        self._prefixes = sorted(exceptions.renamed().items(), key=lambda one: len(one[0]))
        self._sorts = _sorts(cuda), _sorts(hip)
        self._fields = Fields(cuda, hip)
        self._spelled = {_key(name): name for name in (*_others(hip), *_wrappers(hip))}
        types = (one.name for one in hip.names if one.kind.endswith("_type"))
        # If a type has several names, the shortest one, which is the plainest.
        self._types = {self._bare(name): name for name in sorted(types, key=len, reverse=True)}
        errors = [one for one in cuda.names if one.kind == "error" and exceptions.same_numbers]
        self._numbers = {one.name: (one.value, one.since) for one in errors}
        namesakes = {self._spelling(one.name): one.since for one in errors}
        named = {one.value: namesakes[one.name] for one in hip.names if one.name in namesakes}
        self._codes = {
            one.value: (one.name, named.get(one.value, NEWEST))
            for one in hip.names
            if one.kind == "error"
        }

    def all(self, cuda: str) -> Iterator[str]:
        """HIP's existing names for it, the most likely first."""
        mine, theirs = self._sorts
        return (
            one
            for one in self._spellings(cuda)
            if theirs.get(one) == mine[cuda] and self._fields.alike(cuda, one)
        )

    def _spelling(self, cuda: str) -> str:
        """The first of a name's spellings."""
        return next(self._spellings(cuda), "")

    def _spellings(self, cuda: str) -> Iterator[str]:
        """The names that HIP may have for it."""
        renamed = [
            end + cuda[len(begin) :]
            for begin, ends in self._prefixes
            if cuda.startswith(begin)
            for end in ends
        ]
        yield from renamed
        for name in reversed(renamed):  # longer prefixes first: they leave less of the name open
            if found := self._spelled.get(_key(name)):
                yield found
        if found := self._types.get(self._bare(cuda)):
            yield found
        if cuda in self._numbers:
            number, since = self._numbers[cuda]
            name, named_since = self._codes.get(number, ("", OLDEST))
            if since < named_since:  # a code with a later namesake keeps this name
                yield name


class Fields:
    """Compares fields: a struct with other names of fields than CUDA's can't stand for CUDA's."""

    def __init__(self, cuda: BindingPlan, hip: BindingPlan) -> None:
        self._mine, self._theirs = self._of(cuda), self._of(hip)

    @staticmethod
    def _of(plan: BindingPlan) -> Mapping[str, set[str]]:
        return {
            one.name: {field.name for field in plan.struct_types[one.index].bound.fields}
            for one in plan.names
            if one.kind == "struct_type"
        }

    def alike(self, cuda: str, hip: str) -> bool:
        """Whether one has all fields of the other; true for names that are no structs."""
        mine, theirs = self._mine.get(cuda), self._theirs.get(hip)
        return mine is None or theirs is None or mine >= theirs or mine <= theirs


class Shapes:
    """Whether functions of two APIs take and give the same."""

    def __init__(self, cuda: BindingPlan, hip: BindingPlan, exceptions: Exceptions) -> None:
        self._types = exceptions.types
        self._bare = exceptions.bare
        self._fields = Fields(cuda, hip)
        self._handles = {one.name for one in cuda.handles}
        self._structs = {
            one.name for plan in (cuda, hip) for one in plan.names if one.kind == "struct_type"
        }
        self._aliases = {
            one.name: one.type.base
            for plan in (cuda, hip)
            for one in plan.aliases
            if not one.type.is_pointer
        }

    def same(self, mine: Wrapper | None, theirs: Wrapper | None) -> bool:
        """Whether both take and give the same in the same order; true if neither is a function."""
        if mine is None or theirs is None:
            return mine is theirs
        places = {one.name: place for place, one in enumerate(theirs.inputs)}
        if any(places.get(one.name, place) != place for place, one in enumerate(mine.inputs)):
            return False  # of the same types, but swapped
        return (
            mine.returns_status == theirs.returns_status
            and len(mine.inputs) == len(theirs.inputs)
            and len(mine.results) == len(theirs.results)
            and all(
                self.alike(one.shape, other.shape)
                for one, other in zip(mine.inputs, theirs.inputs, strict=True)
            )
            and all(
                self._gives(one.shape, other.shape)
                for one, other in zip(mine.results, theirs.results, strict=True)
            )
        )

    def _gives(self, mine: Shape, theirs: Shape) -> bool:
        """Whether a result of HIP's has the fields of CUDA's; numbers and addresses are ints."""
        structs = mine.value.base in self._structs and theirs.value.base in self._structs
        return not structs or self._is_one(mine.value, theirs.value)

    def give_alike(self, mine: Wrapper, theirs: Wrapper) -> bool:
        """Whether the results are of the same types, too."""
        pairs = zip(mine.results, theirs.results, strict=False)
        return self.same(mine, theirs) and all(self.alike(a.shape, b.shape) for a, b in pairs)

    def alike(self, mine: Shape, theirs: Shape) -> bool:
        """Whether HIP takes what CUDA takes.

        A CUDA handle may be a plain address for HIP, or a struct that HIP knows by its address.
        """
        if mine.kind == "value" and mine.value.base in self._handles:
            if theirs.kind == "address":
                return True
            if theirs.kind == "itself":
                return self._types.get(mine.value.base) == theirs.value.base
        if mine.type and theirs.type and not self._is_one(mine.type, theirs.type):
            return False
        if mine.of and theirs.of and not self.alike(mine.of, theirs.of):
            return False
        cleared = [replace(one, type=None, of=None, table=None, end=None) for one in (mine, theirs)]
        return cleared[0] == cleared[1]

    def _is_one(self, mine: CType, theirs: CType) -> bool:
        """Whether two types are the same under both vendors' names, or the same number."""
        names = [[self._named(one.base), self._number(one.base)] for one in (mine, theirs)]
        same = any(one == other for one, other in zip(*names, strict=True))
        known = mine.base in self._types or self._fields.alike(mine.base, theirs.base)
        return same and known and _behind(mine) == _behind(theirs)

    def _named(self, name: str) -> str:
        return self._bare(self._types.get(name, name))

    def _number(self, name: str) -> str:
        while name not in self._types and name in self._aliases:
            name = self._aliases[name]
        return self._named(NUMBERS.get(name, name))


def _behind(type: CType) -> CType:
    """A type without its name. A `const` of a value itself says nothing to the caller."""
    return replace(type, base="", const=type.const and type.is_pointer)


def _start(word: str) -> str:
    """A pattern for a word at the start of a name: the next one starts with a letter of a kind."""
    if word.endswith("_"):
        return word
    return rf"{word}(?=[a-z])" if word.isupper() else rf"{word}_?(?=[A-Z])"


def _key(name: str) -> str:
    """A key that is the same for all spellings of a name: MEM_ADVISE, MemAdvise."""
    return name.replace("_", "").lower()


def _sorts(plan: BindingPlan) -> dict[str, str]:
    """What each name is; constants and enumerators are both values."""
    values = {"constant": "value", "enumerator": "value"}
    # If a name has several kinds, the first one counts.
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
