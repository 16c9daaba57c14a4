"""What is collected about one wrapper while its parameters are walked in C's order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from generator.decide.decision import Decision
from generator.model import CType, Function, Parameter
from generator.plan.binding import Input, TypedTable
from generator.plan.ctypes import Types
from generator.plan.spelling import cpp_name, python_name


@dataclass(frozen=True, slots=True)
class Context:
    """What the parts of a wrapper are planned with.

    `adapted_before` is the first release that has the function's newest form where an adaptor
    serves older ones, as a number. `absent` are the statuses for a function that the library lacks,
    and for no library.
    """

    types: Types
    value_of: Callable[[str], int]
    functions: Mapping[str, Function]
    function: Function
    decisions: Mapping[str, Decision]
    typed: Mapping[str, TypedTable]
    holds_callables: Callable[[str], bool]
    adapted_before: int | None
    absent: tuple[int, int]

    @property
    def told(self) -> str:
        """The function and its place in the headers, for messages."""
        return f"{self.function.name} ({self.function.source})"

    def pointee(self, type: CType) -> CType:
        """The type behind a pointer, also where an alias hides the star."""
        return (type if type.is_pointer else self.types.resolve(type)).pointee

    def is_struct(self, type: CType) -> bool:
        """Whether a value of the type is a struct."""
        return self.types.is_struct(type) and not self.types.resolve(type).is_pointer


@dataclass(slots=True)
class Draft:
    """The pieces of a wrapper. `before` and `after` surround the call; `asks` finds a count, on
    which the declarations in `rooms` depend: where the caller left it out, or `asks_always`.

    `holes` are the arguments of the asking call where they differ from the real one; `tables` names
    those of the results whose type an enumerator decides.
    """

    inputs: list[Input] = field(default_factory=list)
    keywords: list[Input] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    rooms: list[str] = field(default_factory=list)
    arguments: dict[str, str] = field(default_factory=dict)
    asks: str | None = None
    asks_always: bool = False
    holes: dict[str, str] = field(default_factory=dict)
    after: list[str] = field(default_factory=list)
    results: list[tuple[str, str, str]] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)
    lengths: dict[str, str] = field(default_factory=dict)
    cross_checks: list[tuple[str, str, str]] = field(default_factory=list)
    raw: dict[str, str] = field(default_factory=dict)

    def take(self, parameter: Parameter, type: str, default: int | None = None) -> str:
        """A parameter of the Python signature; returns its name in C++."""
        name = cpp_name(parameter.name)
        self.inputs.append(Input(name, python_name(parameter.name), type, default))
        self.arguments[parameter.name] = name
        return name

    def take_keyword(self, parameter: Parameter, type: str, default: int | None = None) -> str:
        """A keyword-only parameter of the Python signature; returns its name in C++."""
        name = cpp_name(parameter.name)
        self.keywords.append(Input(name, python_name(parameter.name), type, default, True))
        self.arguments[parameter.name] = name
        return name

    def give(self, parameter: Parameter, type: str, expression: str | None = None) -> None:
        """A result: its Python name, its C++ type and expression."""
        name = cpp_name(parameter.name)
        self.results.append((python_name(parameter.name), type, expression or name))
