"""What each parameter takes, by its type in the wrapper and by the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from generator import formula
from generator.decide.decision import Decision
from generator.handles import class_of
from generator.model import CType, Parameter
from generator.plan.callbacks import USER_DATA, callback_of, carrier
from generator.plan.defaults import shown_default
from generator.plan.docs.typed import typed
from generator.plan.draft import Context, Draft
from generator.plan.phrases import NOTHING, Description, phrase
from generator.plan.shapes import ARRAYS, Input, Kind, Shape
from generator.plan.spelling import python_name
from generator.scalars import COMPLEX, REAL

# How long a callable is kept.
KEPT = {
    "once": "until it was called",
    "call": "until the call returns",
    "graph": "until it was called; if it was captured into a graph, as long as the graph",
    "registered": "until {until}",
}


@dataclass(frozen=True, slots=True)
class _Given:
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
                return f", ({height} - 1) * {pitch} + {width} {unit}"
        return f", {text} {unit}"


def parameter(context: Context, draft: Draft, given: Input) -> Description:
    """What a parameter takes, and what C does with it."""
    found = next(one for one in context.function.parameters if one.name == given.name)
    decision = context.decisions[found.name]
    one = _Given(context, draft, given, given.shape, found, decision)
    if found.name in draft.raw:
        return phrase("raw bytes" if given.shape.kind == "readable" else "raw")
    return _SHAPES.get(given.shape.kind, _value)(one)


def _value(given: _Given) -> Description:
    context = given.context
    if context.types.resolve(CType(given.of)).base in context.types.structs:
        return _struct(given)
    if given.of in context.types.handles:
        description = phrase("handle", class_of(given.of))
    elif context.types.resolve(CType(given.of)).base in context.types.enums:
        description = phrase("enum", given.of)
    elif given.of in REAL:
        description = phrase("float")
    elif given.of in COMPLEX:
        description = phrase("complex")
    else:
        description = phrase("int") if given.of == "int" else phrase("number", given.of)
    return description + _counted(given) + _default(given)


def _counted(given: _Given) -> Description:
    """The other parameters and results whose size a number gives."""
    draft, name = given.draft, given.input.name
    taken = [one for one in draft.every if draft.lengths.get(one.name) == name]
    measured = [one.python_name for one in taken]
    items = all(one.shape.kind in ARRAYS for one in taken)
    back = [one for one in _of(given) if given.context.decisions[one].is_output]
    in_bytes = given.decision.options.get("unit") == "bytes"
    if back and not measured and (in_bytes or _cut(given, back)):
        unit = "bytes" if in_bytes else "items"
        return phrase("at most", unit, ", ".join(map(python_name, back)))
    measured += map(python_name, back)
    if not measured:
        return NOTHING
    return phrase("counts", "items" if items else "bytes", ", ".join(measured))


def _cut(given: _Given, names: list[str]) -> bool:
    """Whether C says how many items of the results it wrote."""
    return any("written" in given.context.decisions[one].options for one in names)


def _of(given: _Given) -> list[str]:
    """What a count counts, by C's names."""
    of = given.decision.options.get("of", ())
    return [of] if isinstance(of, str) else sorted(map(str, tuple(of)))  # type: ignore[arg-type]


def _default(given: _Given) -> Description:
    return phrase("default", str(shown_default(given.input))) if given.input.default else NOTHING


def _struct(given: _Given) -> Description:
    name = given.of.removeprefix("const ")
    return phrase("dim3") if name == "dim3" else phrase("struct", name)


def _array(given: _Given) -> Description:
    pointers: dict[Kind, str] = {
        "readable": "memory",
        "writable": "writable memory",
        "address": "addresses",
        "text item": "str, bytes or paths",
    }
    what = pointers.get(given.shape.inner.kind) or _shown(given.of)
    name = "array" if given.shape.end is None else "ended array"
    return phrase(name, what, given.length("items"))


def _scalar(given: _Given) -> Description:
    complex = given.context.types.resolve(CType(given.of)).base in given.context.types.structs
    return (phrase("complex") if complex else _value(given)) + phrase("or memory")


def _count(given: _Given) -> Description:
    unit = "bytes" if given.decision.options.get("unit") == "bytes" else "items"
    of = ", ".join(map(python_name, _of(given)))
    if given.input.default == -1:
        return phrase("count of all", unit, of)
    return phrase("count", unit, of, str(given.input.default))


def _changed(given: _Given) -> Description:
    if given.context.is_struct(given.shape.value):
        return _struct(given) + phrase("zeros") + phrase("result")
    return phrase("or none", _shown(given.of)) + phrase("result")


def _kept(given: _Given) -> Description:
    """What keeps the callables in a struct."""
    if not given.context.holds_callables(given.shape.value.base):
        return NOTHING
    context, owner = given.context, given.decision.options.get("kept_by")
    kept = "for ever"
    for one in context.function.parameters:
        if one.name == owner and context.types.is_node(one.type):
            kept = (
                "as long as its graph and the graphs made from that; for ever, if the library"
                " can't say which graph"
            )
        elif one.name == owner:
            kept = "as long as the graph and the graphs made from it"
    return phrase("kept", kept)


def _callback(given: _Given) -> Description:
    callback = callback_of(given.context.types, given.parameter, given.decision)
    assert callback is not None  # else it would be raw
    options: Mapping[str, object] = given.decision.options
    data = python_name(str(options["user_data"]))
    place = carrier(callback, given.decision)
    named = ", ".join(
        data if at == place else _said(one) for at, one in enumerate(callback.parameters)
    )
    kept = KEPT[str(options["lives"])].format(**options)
    where = "on a thread of the driver's, where it must not call the runtime"
    if options["lives"] == "call":
        where = "from C"
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


def _unregistered(given: _Given) -> Description:
    if given.shape.inner.kind == "value":
        return phrase("unregisters a", given.of)
    inner = replace(given, shape=given.shape.inner)
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


def _fixed(name: str) -> Callable[[_Given], Description]:
    return lambda given: phrase(name)


_SHAPES: Mapping[Kind, Callable[[_Given], Description]] = {
    "readable": lambda given: phrase("readable", given.length("bytes")),
    "writable": lambda given: phrase("writable", given.length("bytes")),
    "address": lambda given: phrase("location", given.length("bytes")),
    "freed": lambda given: phrase("location", given.length("bytes")) + phrase("freed"),
    "boolean": lambda given: phrase("bool or") + _value(given),
    "image": _fixed("image"),
    "function": _fixed("function"),
    "text": _fixed("text"),
    "array": _array,
    "items": lambda given: phrase("items", _shown(given.of), given.length("items")),
    "changed array": lambda given: phrase("changed items", _shown(given.of), given.length("items")),
    "struct": lambda given: _struct(given) + phrase("memory") + _kept(given),
    "scalar": _scalar,
    "itself": lambda given: phrase("itself", given.of),
    "received": lambda given: _changed(given) + _kept(given),
    "optional": _changed,
    "count": _count,
    "destroyed": lambda given: phrase("destroyed", given.of),
    "ended": lambda given: phrase("ended", given.of),
    "unregistered": _unregistered,
    "callback": _callback,
    "user data": _fixed("user data"),
    "arguments": _fixed("arguments"),
    "packed": _fixed("packed"),
    "typed in": lambda given: typed(given.context, given.parameter, given.decision),
    "typed ins": lambda given: typed(given.context, given.parameter, given.decision),
}
