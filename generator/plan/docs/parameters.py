"""What each parameter takes, by its type in the wrapper and by the rules."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from generator import formula
from generator.decide.decision import Decision
from generator.handles import class_of
from generator.model import Callback, CType, Parameter
from generator.plan.callbacks import USER_DATA, callback_of, carrier
from generator.plan.defaults import shown_default
from generator.plan.docs.typed import typed
from generator.plan.draft import Context, Draft
from generator.plan.phrases import NOTHING, Description, phrase
from generator.plan.shapes import ARRAYS, Input, Shape, ShapeKind
from generator.plan.spelling import python_name
from generator.scalars import COMPLEX, REAL

# How long a callable is kept.
KEPT = {
    "once": "until it was called",
    "call": "until the call returns",
    "graph": "until it was called; if it was captured into a graph, as long as the graph",
    "registered": "until {until}",
    "replaced": "until the function gets another one",
}


@dataclass(frozen=True, slots=True)
class _InputFacts:
    """A parameter of the wrapper with all that is known of it; `shape` may be an inner shape."""

    context: Context
    draft: Draft
    input: Input
    shape: Shape
    parameter: Parameter
    decision: Decision

    @property
    def of(self) -> str:
        """C's type of the value, or of an array's element."""
        return str(self.shape.value)

    def length(self, unit: str) -> str:
        """How much of it C touches."""
        text = self.draft.lengths.get(self.input.name)
        if not text:
            return ""
        match formula.called(text):
            case "box", _:
                return f", the {unit} that the extent spans"
            case "pitched", (pitch, width, height):
                whole = ast.parse(f"(({height}) - 1) * ({pitch}) + ({width})")
                return f", {ast.unparse(whole)} {unit}"
        return f", {text} {unit}"


def parameter(context: Context, draft: Draft, argument: Input) -> Description:
    """What a parameter takes, and what C does with it."""
    declared = next(one for one in context.function.parameters if one.name == argument.name)
    decision = context.decisions[declared.name]
    one = _InputFacts(context, draft, argument, argument.shape, declared, decision)
    if declared.name in draft.raw:
        return phrase("raw bytes" if argument.shape.kind == "readable" else "raw")
    return _SHAPES.get(argument.shape.kind, _value)(one)


def _value(facts: _InputFacts) -> Description:
    context = facts.context
    if context.types.resolve(CType(facts.of)).base in context.types.structs:
        return _struct(facts)
    if facts.of in context.types.handles:
        description = phrase("handle", class_of(facts.of))
    elif context.types.resolve(CType(facts.of)).base in context.types.enums:
        description = phrase("enum", facts.of)
    elif facts.of in REAL:
        description = phrase("float")
    elif facts.of in COMPLEX:
        description = phrase("complex")
    else:
        description = phrase("int") if facts.of == "int" else phrase("number", facts.of)
    return description + _counted(facts) + _default(facts)


def _counted(facts: _InputFacts) -> Description:
    """The other parameters and results whose size a number gives."""
    draft, name = facts.draft, facts.input.name
    taken = [one for one in draft.every if draft.lengths.get(one.name) == name]
    measured = [one.python_name for one in taken]
    items = all(one.shape.kind in ARRAYS for one in taken)
    back = [one for one in _of(facts) if facts.context.decisions[one].is_output]
    in_bytes = facts.decision.options.get("unit") == "bytes"
    if back and not measured and (in_bytes or _cut(facts, back)):
        unit = "bytes" if in_bytes else "items"
        return phrase("at most", unit, ", ".join(map(python_name, back)))
    measured += map(python_name, back)
    if not measured:
        return NOTHING
    return phrase("counts", "items" if items else "bytes", ", ".join(measured))


def _cut(facts: _InputFacts, names: list[str]) -> bool:
    """Whether C says how many items of the results it wrote."""
    return any("written" in facts.context.decisions[one].options for one in names)


def _of(facts: _InputFacts) -> list[str]:
    """What a count counts, by C's names."""
    of = facts.decision.options.get("of", ())
    return [of] if isinstance(of, str) else sorted(map(str, tuple(of)))  # type: ignore[arg-type]


def _default(facts: _InputFacts) -> Description:
    return phrase("default", str(shown_default(facts.input))) if facts.input.default else NOTHING


def _struct(facts: _InputFacts) -> Description:
    name = facts.of.removeprefix("const ")
    return phrase("dim3") if name == "dim3" else phrase("struct", name)


def _array(facts: _InputFacts) -> Description:
    pointers: dict[ShapeKind, str] = {
        "readable": "memory",
        "writable": "writable memory",
        "address": "addresses",
        "text item": "str, bytes or paths",
    }
    what = pointers.get(facts.shape.inner.kind) or _shown(facts.of)
    name = "array" if facts.shape.end is None else "ended array"
    return phrase(name, what, facts.length("items"))


def _scalar(facts: _InputFacts) -> Description:
    complex = facts.context.types.resolve(CType(facts.of)).base in facts.context.types.structs
    return (phrase("complex") if complex else _value(facts)) + phrase("or memory")


def _count(facts: _InputFacts) -> Description:
    unit = "bytes" if facts.decision.options.get("unit") == "bytes" else "items"
    of = ", ".join(map(python_name, _of(facts)))
    if facts.input.default == -1:
        return phrase("count of all", unit, of)
    return phrase("count", unit, of, str(facts.input.default))


def _changed(facts: _InputFacts) -> Description:
    if facts.context.is_struct(facts.shape.value):
        return _struct(facts) + phrase("zeros") + phrase("result")
    return phrase("or none", _shown(facts.of)) + phrase("result")


def _kept(facts: _InputFacts) -> Description:
    """What keeps the callables in a struct."""
    if not facts.context.holds_callables(facts.shape.value.base):
        return NOTHING
    context, owner = facts.context, facts.decision.options.get("kept_by")
    kept = "until the process ends"
    for one in context.function.parameters:
        if one.name == owner and context.types.is_node(one.type):
            kept = (
                "as long as its graph and the graphs made from that; until the process ends,"
                " if the library can't say which graph"
            )
        elif one.name == owner:
            kept = "as long as the graph and the graphs made from it"
    return phrase("kept", kept)


def _callback(facts: _InputFacts) -> Description:
    callback = callback_of(facts.context.types, facts.parameter, facts.decision)
    assert callback is not None  # else it would be raw
    options: Mapping[str, object] = facts.decision.options
    if options["lives"] == "replaced":
        return _replaced(callback, options)
    data = python_name(str(options["user_data"]))
    place = carrier(callback, facts.decision)
    named = ", ".join(
        data if at == place else _said(one) for at, one in enumerate(callback.parameters)
    )
    kept = KEPT[str(options["lives"])].format(**options)
    where = "on a thread of the driver's, where it must not call the runtime"
    if options["lives"] == "call":
        where = "from C"
    if "lent" in options:
        where = "from C, in the thread that caused it"
    if holder := options.get("holder"):
        where = "from C, on any thread, where it must not call this API"
        kept += f", or until {holder} gets another one"
    gives = ""
    if callback.result != CType("void"):
        failed = options.get("failed", 0)
        gives = f" It returns an int, None for 0; where it raises, C gets {failed}."
    return phrase(
        "words",
        f"a callable, called as f({named}) {where}. It and {data} are kept {kept}.{gives} What it"
        " raises goes to sys.unraisablehook. Else the address of a C function, and a pointer",
    )


def _replaced(callback: Callback, options: Mapping[str, object]) -> Description:
    """A callback that gets no user data."""
    named = ", ".join(map(_said, callback.parameters))
    what = f"f({named})"
    if options.get("memory") == "asked":
        rest = "".join(f", {_said(one)}" for one in callback.parameters[2:])
        what = f"f(), which returns the size of a new buffer, (size{rest}) or None"
    if options.get("memory") == "given":
        what += " with the buffer as bytes"
    return phrase(
        "words",
        f"a callable, called on any thread as {what}. It is kept {KEPT['replaced']}. What it"
        " raises goes to sys.unraisablehook. Else the address of a C function",
    )


def _unregistered(facts: _InputFacts) -> Description:
    if facts.shape.inner.kind == "value":
        return phrase("unregisters a", facts.of)
    inner = replace(facts, shape=facts.shape.inner)
    return _SHAPES[inner.shape.kind](inner) + phrase("unregisters")


def _said(parameter: Parameter) -> str:
    """A callback's parameter by its name, or by its type if the headers give no name."""
    anonymous = parameter.name.removeprefix("arg").isdigit()
    if anonymous and parameter.type == USER_DATA:
        return "address"
    return parameter.type.base if anonymous else python_name(parameter.name)


def _shown(type: str) -> str:
    """A C type as Python shows it."""
    return type.removeprefix("const ")


def _fixed(name: str) -> Callable[[_InputFacts], Description]:
    return lambda facts: phrase(name)


_SHAPES: Mapping[ShapeKind, Callable[[_InputFacts], Description]] = {
    "readable": lambda facts: phrase("readable", facts.length("bytes")),
    "writable": lambda facts: phrase("writable", facts.length("bytes")),
    "address": lambda facts: phrase("location", facts.length("bytes")),
    "freed": lambda facts: phrase("location", facts.length("bytes")) + phrase("freed"),
    "boolean": lambda facts: phrase("bool or") + _value(facts),
    "image": _fixed("image"),
    "function": _fixed("function"),
    "text": _fixed("text"),
    "array": _array,
    "items": lambda facts: phrase("items", _shown(facts.of), facts.length("items")),
    "changed array": lambda facts: phrase("changed items", _shown(facts.of), facts.length("items")),
    "struct": lambda facts: _struct(facts) + phrase("memory") + _kept(facts),
    "scalar": _scalar,
    "itself": lambda facts: phrase("itself", facts.of),
    "received": lambda facts: _changed(facts) + _kept(facts),
    "optional": _changed,
    "count": _count,
    "destroyed": lambda facts: phrase("destroyed", facts.of),
    "ended": lambda facts: phrase("ended", facts.of),
    "unregistered": _unregistered,
    "callback": _callback,
    "record": lambda facts: phrase("record", _shown(facts.of)),
    "user data": _fixed("user data"),
    "arguments": _fixed("arguments"),
    "packed": _fixed("packed"),
    "typed in": lambda facts: typed(facts.context, facts.parameter, facts.decision),
    "typed ins": lambda facts: typed(facts.context, facts.parameter, facts.decision),
}
