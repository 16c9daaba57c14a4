"""What a docstring says, as data: binding/docstring.cpp composes the text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from generator.plan.phrases import Description


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter or a result by its name in Python, and what it is."""

    name: str
    description: Description


@dataclass(frozen=True, slots=True)
class Doc:
    """The facts of a docstring.

    `defaults` are those of the last parameters. `bare` is what comes back where C gives no status;
    else the results and the error do. `releases` and `errors` are lists in words. `facts` are
    members of C++'s enum Fact.
    """

    parameters: tuple[Value, ...]
    results: tuple[Value, ...]
    defaults: tuple[str, ...]
    summary: str
    bare: str
    prototype: str
    releases: str
    errors: str
    facts: tuple[str, ...]

    def values(self) -> Iterator[tuple[str, str]]:
        """The parameters, then the results with an arrow, each with its text.

        Neighbouring parameters with the same text stand together.
        """
        for description, group in groupby(self.parameters, key=lambda one: one.description):
            yield ", ".join(one.name for one in group), str(description)
        for one in self.results:
            yield f"-> {one.name}", str(one.description)
