"""From one function and its decisions to the wrapper that is printed for it."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from generator.decide.decision import Decision
from generator.model import CType, Function, Parameter
from generator.plan.binding import Input, Need, Wrapper
from generator.plan.ctypes import Types, declare, spell

CPP_KEYWORDS = frozenset({"operator", "class", "template", "new", "delete", "this", "default"})

# Pointers that C takes as a place in memory, and what it does there.
MEMORY = {
    "readable": "Readable",
    "image": "Readable",
    "writable": "Writable",
    "address": "Address",
    "function": "Address",
}


@dataclass
class _Draft:
    """What is collected while the parameters are walked in C's order."""

    types: Mapping[str, CType]
    inputs: list[Input] = field(default_factory=list)
    locals: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    results: list[tuple[str, str]] = field(default_factory=list)
    lengths: dict[str, str] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FunctionPlanner:
    """Plans the functions of one API. `value_of` gives the number behind a default's text."""

    types: Types
    status: str
    value_of: Callable[[str], int]
    handle_names: Mapping[str, str]

    def plan(
        self,
        function: Function,
        decisions: Sequence[Decision],
        *,
        gil: str,
        checked: str,
        substitute: str | None,
        destroys: str | None,
    ) -> Wrapper:
        """The wrapper of a function. `destroys` names the handle that a successful call ends."""
        draft = _Draft({one.name: one.type for one in function.parameters})
        for parameter, decision in zip(function.parameters, decisions, strict=True):
            self._add(draft, parameter, decision, destroys)
        returns_status = self.types.resolve(function.result).base == self.status
        names = {one.name for one in function.parameters}
        result_type = self._result_type(function, draft, returns_status)
        return Wrapper(
            name=function.name,
            entry=function.name,
            prototype=prototype(function),
            group=function.group,
            inputs=tuple(draft.inputs),
            locals=tuple(draft.locals),
            arguments=tuple(draft.arguments),
            results=tuple(name for name, _ in draft.results),
            result_type=result_type,
            returns_status=returns_status,
            status_name="status" if "status" not in names else "result",
            substitute=substitute,
            needs=self._needs(draft),
            gil=gil,
            checked=checked,
            signature=signature(function.name, draft.inputs),
            doc=self._doc(function, draft, returns_status),
            raw=draft.raw,
        )

    def _add(
        self, draft: _Draft, parameter: Parameter, decision: Decision, destroys: str | None
    ) -> None:
        name = cpp_name(parameter.name)
        match decision.kind:
            case "value" if self._is_value(parameter.type):
                type = spell(parameter.type)
                if parameter.name == destroys:
                    type = f"Destroyed<{type}>"
                self._input(draft, parameter, type)
            case "readable" | "image" | "writable" | "address" | "function" as kind:
                self._input(draft, parameter, MEMORY[kind])
                if length := decision.options.get("length"):
                    draft.lengths[name] = str(length)
            case "text":
                self._input(draft, parameter, "Text")
            case "struct":
                self._input(draft, parameter, f"In<{spell(self._pointee(parameter.type))}>")
            case "array" if self._has_elements(parameter.type, decision):
                self._array(draft, parameter, decision)
            case "out":
                self._out(draft, parameter, decision)
            case "inout":
                self._inout(draft, parameter)
            case "out_text" if not draft.types[str(decision.options["capacity"])].is_pointer:
                self._out_text(draft, parameter, decision)
            case "count" if not parameter.type.is_pointer:
                self._input(draft, parameter, spell(parameter.type))
            case kind:
                draft.raw[parameter.name] = decision.reason or f"{kind} is bound as an address"
                self._input(draft, parameter, "Address")

    def _input(self, draft: _Draft, parameter: Parameter, type: str) -> None:
        default = None if parameter.default is None else self.value_of(parameter.default)
        name = cpp_name(parameter.name)
        draft.inputs.append(Input(name, python_name(parameter.name), type, default))
        draft.arguments.append(name)

    def _array(self, draft: _Draft, parameter: Parameter, decision: Decision) -> None:
        element = self._pointee(parameter.type)
        self._input(draft, parameter, f"Array<{spell(_mutable(element))}>")
        if count := decision.options.get("count"):
            draft.lengths[cpp_name(parameter.name)] = cpp_name(str(count))

    def _out(self, draft: _Draft, parameter: Parameter, decision: Decision) -> None:
        name = cpp_name(parameter.name)
        target = self._pointee(parameter.type)
        if override := decision.options.get("as"):
            target = CType.parse(str(override))
        if self.types.is_struct(target) and not target.is_pointer:
            type = f"Received<{spell(target)}>"
            draft.locals.append(f"{type} {name};")
            draft.arguments.append(f"{name}.memory()")
        else:
            type = spell(target)
            draft.locals.append(f"{declare(target, name)}{{}};")
            draft.arguments.append(f"&{name}")
        self._result(draft, name, type, decision)

    def _inout(self, draft: _Draft, parameter: Parameter) -> None:
        target = self._pointee(parameter.type)
        name = cpp_name(parameter.name)
        if self.types.is_struct(target) and not target.is_pointer:
            type = f"Received<{spell(target)}>"
            self._input(draft, parameter, type)
            draft.arguments[-1] = f"{name}.memory()"
        else:
            type = spell(target)
            self._input(draft, parameter, type)
            draft.arguments[-1] = f"&{name}"
        draft.results.append((name, type))

    def _out_text(self, draft: _Draft, parameter: Parameter, decision: Decision) -> None:
        name = cpp_name(parameter.name)
        capacity = cpp_name(str(decision.options["capacity"]))
        draft.locals.append(f"TextBuffer {name}({capacity});")
        draft.arguments.append(f"{name}.memory()")
        self._result(draft, name, "TextBuffer", decision)

    def _result(self, draft: _Draft, name: str, type: str, decision: Decision) -> None:
        draft.results.append((name, type))

    def _needs(self, draft: _Draft) -> tuple[Need, ...]:
        places = {one.name: index for index, one in enumerate(draft.inputs)}
        return tuple(
            Need(places[name], size)
            for name, size in draft.lengths.items()
            if not size.isdigit() or int(size)
        )

    def _result_type(self, function: Function, draft: _Draft, returns_status: bool) -> str:
        own = spell(function.result)
        types = [type for _, type in draft.results]
        if function.result.base != "void" or function.result.is_pointer:
            types.append(own)
        if not types:
            return "void"
        return types[0] if len(types) == 1 else f"std::tuple<{', '.join(types)}>"

    def _doc(self, function: Function, draft: _Draft, returns_status: bool) -> tuple[str, ...]:
        results = [name for name, _ in draft.results]
        if returns_status:
            results.append("error")
        elif function.result != CType("void"):
            results.append("value")
        given = ", ".join(results) if results else "None"
        return (
            f"Returns {f'({given})' if len(results) > 1 else given}.",
            f"C: {prototype(function)};",
        )

    def _pointee(self, type: CType) -> CType:
        return (type if type.is_pointer else self.types.resolve(type)).pointee

    def _is_value(self, type: CType) -> bool:
        resolved = self.types.resolve(type)
        return not resolved.is_pointer and resolved.base not in self.types.callbacks

    def _has_elements(self, type: CType, decision: Decision) -> bool:
        """Whether an array's elements are values that a sequence can hold."""
        return (
            not self.types.resolve(self._pointee(type)).is_pointer
            and "sizes" not in decision.options
        )


def prototype(function: Function) -> str:
    """The C declaration on one line."""
    parameters = ", ".join(declare(one.type, one.name) for one in function.parameters)
    return f"{declare(function.result, function.name)}({parameters or 'void'})"


def signature(name: str, inputs: Sequence[Input]) -> str:
    """The Python signature, as in help()."""
    shown = (
        one.python_name if one.default is None else f"{one.python_name}={one.default}"
        for one in inputs
    )
    return f"{name}({', '.join(shown)})"


def cpp_name(name: str) -> str:
    """A parameter's name in C++."""
    return f"{name}_" if name in CPP_KEYWORDS else name


def python_name(name: str) -> str:
    """A parameter's name in Python: C's, with an underscore where it is a keyword (`from_`)."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _mutable(type: CType) -> CType:
    return CType(type.base, False, type.pointers)
