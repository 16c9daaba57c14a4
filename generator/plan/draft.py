"""One wrapper under construction: filled while its parameters are walked in C's order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from generator.decide.decision import Decision
from generator.model import CType, Function, Parameter
from generator.plan.binding import TypedTable
from generator.plan.ctypes import Types
from generator.plan.shapes import Argument, Ask, Cut, How, Input, Local, Result, Shape


@dataclass(frozen=True, slots=True)
class Context:
    """What the parts of a wrapper are planned with.

    If an adaptor serves older forms, `adapted_before` is the first release with the newest form, as
    a number.
    """

    types: Types
    value_of: Callable[[str], int]
    functions: Mapping[str, Function]
    function: Function
    decisions: Mapping[str, Decision]
    typed: Mapping[str, TypedTable]
    holds_callables: Callable[[str], bool]
    adapted_before: int | None

    @property
    def where(self) -> str:
        """The function and its line in the headers, for messages."""
        return f"{self.function.name} ({self.function.source})"

    def pointee(self, type: CType) -> CType:
        """The type behind a pointer, also if an alias hides the pointer."""
        return (type if type.is_pointer else self.types.resolve(type)).pointee

    def is_struct(self, type: CType) -> bool:
        """Whether a value of the type is a struct."""
        return self.types.is_struct(type) and not self.types.resolve(type).is_pointer


@dataclass(slots=True)
class Draft:
    """The pieces of a wrapper.

    `locals` are declared before the call; a local with a `capacity` depends on the count that `ask`
    finds. `holes` are arguments of the asking call that differ from those of the real call.
    `lengths` maps an input to the formula of its length. `status` is the local with C's status.
    """

    inputs: list[Input] = field(default_factory=list)
    keywords: list[Input] = field(default_factory=list)
    locals: list[Local] = field(default_factory=list)
    arguments: dict[str, Argument] = field(default_factory=dict)
    ask: Ask | None = None
    holes: dict[str, Argument] = field(default_factory=dict)
    cuts: list[Cut] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    lengths: dict[str, str] = field(default_factory=dict)
    cross_checks: list[tuple[str, str, str]] = field(default_factory=list)
    raw: dict[str, str] = field(default_factory=dict)
    status: str | None = None

    @property
    def every(self) -> tuple[Input, ...]:
        """The parameters in the order of Python's signature."""
        return (*self.inputs, *self.keywords)

    def take(self, parameter: Parameter, shape: Shape, default: int | None = None) -> None:
        """A parameter of the Python signature, passed on as it is."""
        self.inputs.append(Input(parameter.name, shape, default))
        self.arguments[parameter.name] = Argument("value", parameter.name)

    def take_keyword(self, parameter: Parameter, shape: Shape, default: int | None = None) -> None:
        """A keyword-only parameter of the Python signature."""
        self.keywords.append(Input(parameter.name, shape, default, True))
        self.arguments[parameter.name] = Argument("value", parameter.name)

    def declare(self, local: Local, how: How = "address") -> None:
        """A local, and how C gets it."""
        self.locals.append(local)
        self.arguments[local.name] = Argument(how, local.name)
