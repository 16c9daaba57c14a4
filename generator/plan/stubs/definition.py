"""A function of a stub as data, and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from generator.plan.stubs.types import NONE, Annotation, Spelling, Type

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter with its annotation, and its default as Python shows it.

    Parameters after the first that is `keyword_only` are so, too.
    """

    name: str
    taken: Annotation
    default: str | None = None
    keyword_only: bool = False

    def text(self, spelling: Spelling) -> str:
        """The parameter in Python."""
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.name}: {self.taken.text(spelling)}{default}"


@dataclass(frozen=True, slots=True)
class Form:
    """One overload: what it takes and gives."""

    parameters: tuple[Parameter, ...]
    result: Annotation = NONE

    def types(self) -> Iterator[Type]:
        """All types that it names."""
        every = (*(one.taken for one in self.parameters), self.result)
        return chain.from_iterable(one.types() for one in every)

    def parts(self, spelling: Spelling) -> list[str]:
        """The parameters in Python, with the star before keyword-only ones."""
        parts = [one.text(spelling) for one in self.parameters]
        star = next((at for at, one in enumerate(self.parameters) if one.keyword_only), None)
        return parts if star is None else [*parts[:star], "*", *parts[star:]]


@dataclass(frozen=True, slots=True)
class Definition:
    """A function: its overloads, of which the general one comes last."""

    name: str
    forms: tuple[Form, ...]

    def types(self) -> Iterator[Type]:
        """All types that it names."""
        return chain.from_iterable(one.types() for one in self.forms)

    def text(self, spelling: Spelling) -> str:
        """The definition in Python."""
        texts = [self._form(one, spelling) for one in self.forms]
        overload = f"@{spelling('overload', 'typing')}\n" if len(texts) > 1 else ""
        return "\n".join(f"{overload}{one}" for one in texts)

    def __str__(self) -> str:
        """The definition, with bare names."""
        return self.text(lambda name, _: name)

    def _form(self, form: Form, spelling: Spelling) -> str:
        parts, result = form.parts(spelling), form.result.text(spelling)
        line = f"def {self.name}({', '.join(parts)}) -> {result}: ..."
        if len(line) <= WIDTH:
            return line
        return "\n".join([f"def {self.name}(", *filled(parts, WIDTH), f") -> {result}: ..."])


def filled(parts: list[str], width: int) -> list[str]:
    """Parameters on as few indented lines as they fit on."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + 2 <= width:
            lines[-1] += f" {part},"
        else:
            lines.append(f"    {part},")
    return lines
