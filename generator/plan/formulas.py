"""Formulas of portable.toml: what functions of one API give, by another API's of other shapes.

A formula is an expression of Python, or a table of such: steps, which later ones may name, and
`gives`. In it stand the function's parameters, a handle as its address; functions of the other API
in the raising form; values of both APIs, and structs of the first; Python's own functions in
BUILTINS, and those in HELPERS, which python/PyGPU/_names/formulas.py has. `parts` are functions
that several formulas call, `maps` are tables from one value to another. `lacking` says why a
function that many programs call has no formula.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from generator.errors import GeneratorError
from generator.plan.binding import BindingPlan, StructType, Wrapper
from generator.plan.shapes import ShapeKind
from generator.plan.spelling import public_name

BUILTINS = frozenset({"enumerate", "getattr", "hasattr", "len", "round", "str"})
HELPERS = frozenset({"first", "found", "known", "text"})
# Kinds of parameters that a formula can have, and what they become.
_TAKEN: Mapping[ShapeKind, str] = {"value": "int", "text": "str"}
_PART = re.compile(r"(\w+)\((\w*(?:, \w+)*)\)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the generated module.

    `takes` are the parameters, and what each becomes: a class of handles stands for the address.
    """

    name: str
    takes: Mapping[str, str]
    steps: Mapping[str, str]
    gives: str


@dataclass(frozen=True, slots=True)
class Formulas:
    """All formulas for one API's names, and the names of both APIs in them.

    `own_names` are values and structs of the first API, which are portable by that. `names` are
    what the generated module imports, by the API and whether in the raising form.
    """

    functions: tuple[Function, ...]
    parts: tuple[Function, ...]
    maps: Mapping[str, Mapping[str, str]]
    own_names: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(
        cls,
        cuda: BindingPlan,
        hip: BindingPlan,
        formulas: Mapping[str, str | Mapping[str, str]],
        parts: Mapping[str, str],
        maps: Mapping[str, Mapping[str, str]],
        lacking: Collection[str],
    ) -> Formulas:
        """The formulas for the plans of both. GeneratorError for a name that isn't there."""
        known = _Known.of(cuda, hip, {*maps})
        for name in {*formulas, *lacking} - known.functions.keys():
            raise GeneratorError(f"{name} is no function of {cuda.api}")
        for name in formulas.keys() & {*lacking}:
            raise GeneratorError(f"{name} has a formula, so it isn't lacking")
        of_parts = tuple(_part(head, gives) for head, gives in parts.items())
        known.callable |= {one.name for one in of_parts}
        handles = {type: public_name(one.name) for one in cuda.handles for type in one.types}
        functions = tuple(
            _function(known.functions[name], one, handles) for name, one in formulas.items()
        )
        for one in (*of_parts, *functions):
            known.check(one)
        for name, pairs in maps.items():
            for key, value in pairs.items():
                known.check(Function(f"maps.{name}", {}, {}, f"({key}, {value})"))
        used = known.used.union(*(one.takes.values() for one in functions))
        errors = {one.name for one in cuda.names if one.kind == "error"}
        names = {
            cuda.imported_as: known.of_cuda & used,
            hip.imported_as: known.of_hip & used,
            f"{hip.imported_as}.checked": known.calls & used,
            "PyGPU._names.formulas": (HELPERS & used) | ({"Choice"} if maps else set()),
        }
        return cls(
            functions,
            of_parts,
            maps,
            tuple(sorted(names[cuda.imported_as] - errors)),
            {module: tuple(sorted(of)) for module, of in names.items()},
        )


class _Known:
    """The names that expressions may have, and those that they have had."""

    def __init__(
        self, functions: Mapping[str, Wrapper], of_cuda: set[str], of_hip: set[str]
    ) -> None:
        self.functions = functions
        self.of_cuda = of_cuda
        self.of_hip = of_hip
        self.calls: set[str] = set()
        self.callable: set[str] = set()
        self.fields: set[str] = set()
        self.lasting: set[str] = set()
        self.used: set[str] = set()

    @classmethod
    def of(cls, cuda: BindingPlan, hip: BindingPlan, maps: set[str]) -> _Known:
        known = cls(
            {one.name: one for group in cuda.groups.values() for one in group},
            _lasting(cuda),
            _lasting(hip),
        )
        known.calls = {one.name for group in hip.groups.values() for one in group}
        known.callable = {*BUILTINS, *HELPERS, *maps}
        for one in hip.struct_types:
            known.fields |= {row.field.name for row in one.rows}
            known.lasting |= set.intersection(*(_fields(one, at) for at in hip.releases))
        return known

    def check(self, function: Function) -> None:
        """GeneratorError for a name in a function's expressions that nothing has."""
        bound = {*function.takes}
        for step, text in {**function.steps, "gives": function.gives}.items():
            place = f"{function.name}: {step}" if function.steps else function.name
            try:
                tree = ast.parse(text, mode="eval")
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                raise GeneratorError(f"{place}: {text!r} is no expression") from error
            self._check(tree, bound, place)
            bound.add(step)

    def _check(self, tree: ast.Expression, bound: set[str], place: str) -> None:
        nodes = list(ast.walk(tree))
        own = {
            one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
        }
        names = {one.id for one in nodes if isinstance(one, ast.Name)} - bound - own
        self.used |= names
        lacking = names - self.callable - self.calls - self.of_cuda - self.of_hip
        lacking |= {one for one in _of_known(nodes) if one not in self.fields}
        read = {one.attr for one in nodes if isinstance(one, ast.Attribute)}
        lacking |= {one for one in read - self.lasting if not hasattr(str, one)}
        for name in sorted(lacking):
            raise GeneratorError(f"{place}: there is no {name!r}, or not in all releases")


def _lasting(plan: BindingPlan) -> set[str]:
    """The names of an API that all releases have."""
    first, last = plan.releases[0], plan.releases[-1]
    names = {one.name for one in plan.names if one.since <= first and last <= one.until}
    return names | {public_name(one.name) for one in plan.handles}


def _fields(struct: StructType, release: int) -> set[str]:
    return {row.field.name for row in struct.rows if row.since <= release <= row.until}


def _of_known(nodes: list[ast.AST]) -> Iterator[str]:
    """The fields that an expression gives to known(), which may be of some releases."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id="known"), args=[_, *names]):
                yield from (str(one.value) for one in names if isinstance(one, ast.Constant))


def _part(head: str, gives: str) -> Function:
    if not (found := _PART.fullmatch(head)):
        raise GeneratorError(f"parts: {head!r} is no function with its parameters")
    return Function(found[1], dict.fromkeys(filter(None, found[2].split(", ")), ""), {}, gives)


def _function(
    wrapper: Wrapper, formula: str | Mapping[str, str], handles: Mapping[str, str]
) -> Function:
    steps = {"gives": formula} if isinstance(formula, str) else dict(formula)
    if "gives" not in steps:
        raise GeneratorError(f"{wrapper.name}: 'gives' is missing")
    gives = steps.pop("gives")
    takes = {}
    for one in wrapper.inputs:
        if one.keyword_only:  # the size of what C writes, which is Python's here
            continue
        if one.shape.kind not in _TAKEN:
            raise GeneratorError(f"{wrapper.name}: no formula can take {one.name!r}")
        takes[one.python_name] = handles.get(one.shape.value.base, _TAKEN[one.shape.kind])
    return Function(wrapper.name, takes, steps, gives)
