"""The C form that serves a name in one release, and today's names of its parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.model import Api, CType, Function, Release
from tests import reviewed
from tests.standin.expected import Table


@dataclass(frozen=True, slots=True)
class Form:
    """One function of a release, described by Python's signature, which is the newest release's.

    `places` has today's parameters that C's form also takes as parameters. `parts` has the fields
    of today's parameters that C's form takes separately, as (parameter, field) -> place. `unasked`
    has the other places that C writes to.
    """

    function: Function
    types: Mapping[str, CType]  # today's parameters
    places: Mapping[str, int]
    parts: Mapping[tuple[str, str], int]
    unasked: tuple[int, ...]


class Forms:
    """Finds forms by C's prototypes and by the table's renamed parameters.

    For a function the table maps an older parameter to today's parameter, to "today's.field", or to
    "" for an output that today's form doesn't have.
    """

    def __init__(self, api: Api, release: Release, table: Table) -> None:
        self._api = api
        self._release = release
        self._older = table.older
        self._refused = table.refused

    def read(self) -> Iterator[str]:
        """The served functions whose form here, and in Python, somebody has read."""
        version, refused = self._release.version, {*self.refused()}
        for name in self._release.functions:
            if name not in refused and reviewed.function(self._api, name, version):
                yield name

    def refused(self) -> Iterator[str]:
        """The functions whose form here nothing serves."""
        for name, releases in self._refused.items():
            if self._release.version in releases:
                yield name

    def last(self) -> Iterator[str]:
        """Of the functions of read(), those that no newer release has in the same form."""
        release, newest = self._release.version, self._api.newest
        for name in self.read():
            if release == newest or any(one.until == release for one in self._api.functions[name]):
                yield name

    def find(self, name: str) -> Form:
        """The form with most of today's parameters: the name's own, or a versioned twin's."""
        today = self._api.functions[name][-1].node
        types = {one.name: one.type for one in today.parameters}
        own = self._release.functions[name]
        if today.parameters == own.parameters:
            return Form(own, types, {one: at for at, one in enumerate(types)}, {}, ())
        twins = re.compile(rf"{name}(_v\d|WithFlags)")
        family = [own, *(one for n, one in self._release.functions.items() if twins.fullmatch(n))]
        serving = max(family, key=lambda one: sum(p.name in types for p in one.parameters))
        return fit(serving, types, self._older.get(name, {}) if serving is own else {})


def fit(serving: Function, types: Mapping[str, CType], renamed: Mapping[str, str]) -> Form:
    """A C function, described by Python's parameters.

    LookupError for a parameter that is neither among those nor in the table of renamed parameters.
    """
    places: dict[str, int] = {}
    parts: dict[tuple[str, str], int] = {}
    unasked = []
    for place, parameter in enumerate(serving.parameters):
        called, _, part = renamed.get(parameter.name, parameter.name).partition(".")
        if called and called not in types:
            raise LookupError(f"{serving.name} has {parameter.name}, which the table must name")
        if part:
            parts[called, part] = place
        elif called:
            places[called] = place
        else:
            unasked.append(place)
    return Form(serving, types, places, parts, tuple(unasked))
