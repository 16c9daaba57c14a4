"""Annotations as data: unions of types, each with the module that its name comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

# How a type's name is spelled, by its name and its home.
Spelling = Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class Type:
    """A type by its name, with arguments in brackets; a tuple among these is a list of parameters.

    `home` is the module of the name, "" for the API's own.
    """

    name: str
    home: str = ""
    arguments: tuple[Annotation | tuple[Annotation, ...], ...] = ()

    def text(self, spelling: Spelling) -> str:
        """The type in Python."""
        parts = [
            f"[{', '.join(each.text(spelling) for each in one)}]"
            if isinstance(one, tuple)
            else one.text(spelling)
            for one in self.arguments
        ]
        name = spelling(self.name, self.home)
        return f"{name}[{', '.join(parts)}]" if parts else name

    def every(self) -> Iterator[Type]:
        """The type itself and all types in its arguments, from left to right."""
        yield self
        for one in self.arguments:
            for each in one if isinstance(one, tuple) else (one,):
                yield from each.types()


@dataclass(frozen=True, slots=True)
class Annotation:
    """A union of types, each of them once."""

    members: tuple[Type, ...]

    def __or__(self, other: Annotation) -> Annotation:
        """The members of both, None last."""
        members = dict.fromkeys(self.members + other.members)
        return Annotation(tuple(sorted(members, key=lambda one: one == NONE.members[0])))

    def text(self, spelling: Spelling) -> str:
        """The annotation in Python."""
        return " | ".join(one.text(spelling) for one in self.members)

    def types(self) -> Iterator[Type]:
        """All types in it, from left to right."""
        for one in self.members:
            yield from one.every()

    def __str__(self) -> str:
        """The annotation, with bare names."""
        return self.text(lambda name, _: name)


def named(name: str, *arguments: Annotation | tuple[Annotation, ...], home: str = "") -> Annotation:
    """One type."""
    return Annotation((Type(name, home, arguments),))


def union(*parts: Annotation) -> Annotation:
    """All members of some annotations."""
    return reduce(or_, parts)


def shared(name: str, *arguments: Annotation) -> Annotation:
    """A type of python/PyGPU/_core.pyi; its name there has an underscore before it."""
    return named(f"_{name}", *arguments, home="PyGPU._core")


def _builtin(name: str, *arguments: Annotation) -> Annotation:
    return named(name, *arguments, home="builtins")


NONE = named("None")
ANY = named("Any", home="typing")
BOOL, BYTES, COMPLEX_NUMBER, FLOAT, INT, OBJECT, STR = (
    _builtin(name) for name in ("bool", "bytes", "complex", "float", "int", "object", "str")
)
ADDRESS, MEMORY, NUMBER, REAL = (shared(name) for name in ("Address", "Memory", "Int", "Real"))


def listed(item: Annotation) -> Annotation:
    """A list."""
    return _builtin("list", item)


def several(*items: Annotation) -> Annotation:
    """A tuple."""
    return _builtin("tuple", *items)


def function(parameters: tuple[Annotation, ...], result: Annotation) -> Annotation:
    """A callable."""
    return named("Callable", parameters, result, home="collections.abc")
