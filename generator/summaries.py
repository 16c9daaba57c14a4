"""What each function does, in one line: api_specs/<api>/summaries.toml.

`[lines]` maps names of functions to lines. `[as.<api>]` maps prefixes of names to prefixes in
another API: a function without a line takes the line of its namesake there. A name with a suffix
such as `_v2` or `_spt` takes the line of the name without it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from generator.errors import GeneratorError
from generator.model import Api
from generator.review import is_reviewed
from generator.rules import Rules, stripped
from generator.schema import Name, matching
from generator.toml import load_toml

LONGEST = 90
# The docstring's next line starts with "Returns".
_Line = Annotated[
    str,
    matching(
        rf"(?!Returns )[A-Z](?!.*[\u2013\u2014])[^\x00-\x1f]{{1,{LONGEST - 2}}}\.",
        f"a sentence of at most {LONGEST} characters with a full stop and without a dash",
    ),
]


@dataclass(frozen=True, slots=True)
class _File:
    lines: Mapping[Name, _Line]
    as_: Mapping[Name, Mapping[Name, Name]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Summaries:
    """The lines of one API. `known` is false where the API has no such file.

    `namesakes` are the lines of other APIs, each with a map from this API's prefixes to theirs.
    """

    lines: Mapping[str, str] = field(default_factory=dict)
    namesakes: tuple[tuple[Summaries, Mapping[str, str]], ...] = ()
    known: bool = True

    def of(self, function: str) -> str | None:
        """A function's line."""
        own = (self.lines[one] for one in stripped(function) if one in self.lines)
        return next(own, None) or next(self._taken(function), None)

    def _taken(self, function: str) -> Iterator[str]:
        for other, prefixes in self.namesakes:
            for mine, theirs in prefixes.items():
                line = other.of(theirs + function.removeprefix(mine))
                if line and function.startswith(mine):
                    yield line


NONE = Summaries(known=False)


def load(api: str, specs: Path, before: tuple[str, ...] = ()) -> Summaries:
    """The lines of an API; none when it has no such file.

    GeneratorError, naming file and place, for a document of another form.
    """
    path = specs / api / "summaries.toml"
    if not os.path.lexists(path):  # a link that leads nowhere is a mistake
        return NONE
    file = load_toml(_File, path)
    for other in file.as_:
        if other in (*before, api) or not os.path.lexists(specs / other / "summaries.toml"):
            raise GeneratorError(f"{path}: as.{other}: no other API with lines of its own")
    namesakes = tuple(
        (load(other, specs, (*before, api)), prefixes) for other, prefixes in file.as_.items()
    )
    return Summaries(file.lines, namesakes)


def missing(api: Api, rules: Rules, summaries: Summaries) -> Iterator[tuple[str, bool]]:
    """The functions without a line, and whether a reviewed release has each."""
    for function, forms in api.functions.items():
        if rules.exclude(function) is None and summaries.of(function) is None:
            yield function, any(is_reviewed(form, rules.reviewed) for form in forms)


def unknown(functions: Iterable[str], summaries: Summaries) -> list[str]:
    """The names with a line that no release has."""
    return sorted(summaries.lines.keys() - set(functions))


def faults(api: Api, rules: Rules, summaries: Summaries) -> Iterator[str]:
    """What `check` refuses, each with its place."""
    at = f"api_specs/{api.name}/summaries.toml"
    for function, reviewed in missing(api, rules, summaries):
        if reviewed:
            yield f"{at}: {function} has no line"
    for one in unknown(api.functions, summaries):
        yield f"{at}: {one} is no function of any listed release"
