"""What each parameter takes, by its type in the wrapper and by the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from generator import formula
from generator.decide.decision import Decision
from generator.handles import class_of
from generator.model import CType, Parameter
from generator.plan.callbacks import USER_DATA, callback_of, carrier
from generator.plan.docs.typed import typed
from generator.plan.draft import Context, Draft
from generator.plan.shapes import ARRAYS, Input, Kind, Shape
from generator.plan.signature import shown_default
from generator.plan.spelling import python_name
from generator.scalars import COMPLEX, REAL

# How long a callable is kept.
KEPT = {
    "once": "until it was called",
    "call": "until the call returns",
    "graph": "until it was called; if it was captured into a graph, as long as the graph",
    "registered": "until {until}",
}
# What the arguments of a launch may be, one by one and packed.
ONE_BY_ONE = (
    "a sequence of ctypes or numpy scalars, structs, handles and objects in device memory; or"
    " (values, types) with ctypes or numpy types; or the address of a void **. C copies them."
)
PACKED = "a buffer with all arguments as they lie in memory, or the address of a list; or None."


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


def parameter(context: Context, draft: Draft, given: Input) -> str:
    """What a parameter takes, and what C does with it."""
    found = next(one for one in context.function.parameters if one.name == given.name)
    decision = context.decisions[found.name]
    one = _Given(context, draft, given, given.shape, found, decision)
    if found.name in draft.raw:
        held = "bytes, a buffer" if given.shape.kind == "readable" else "a buffer"
        return f"passed on as a bare address: an int, {held}, a device array or None"
    return _SHAPES.get(given.shape.kind, _value)(one)


def _value(given: _Given) -> str:
    context = given.context
    if context.types.resolve(CType(given.of)).base in context.types.structs:
        return _struct(given)
    if given.of in context.types.handles:
        text = f"a {class_of(given.of)}, an address or None"
    elif context.types.resolve(CType(given.of)).base in context.types.enums:
        text = f"a {given.of} or int"
    elif given.of in REAL:
        text = "float"
    elif given.of in COMPLEX:
        text = "complex"
    else:
        text = "int" if given.of == "int" else f"int ({given.of})"
    return text + _counted(given) + _default(given)


def _counted(given: _Given) -> str:
    """The other parameters and results whose size a number gives."""
    draft, name = given.draft, given.input.name
    taken = [one for one in draft.every if draft.lengths.get(one.name) == name]
    measured = [one.python_name for one in taken]
    items = all(one.shape.kind in ARRAYS for one in taken)
    back = [one for one in _of(given) if given.context.decisions[one].is_output]
    in_bytes = given.decision.options.get("unit") == "bytes"
    if back and not measured and (in_bytes or _cut(given, back)):
        unit = "bytes" if in_bytes else "items"
        return f": the most {unit} of {', '.join(map(python_name, back))} to take"
    measured += map(python_name, back)
    return f": {'items' if items else 'bytes'} of {', '.join(measured)}" if measured else ""


def _cut(given: _Given, names: list[str]) -> bool:
    """Whether C says how many items of the results it wrote."""
    return any("written" in given.context.decisions[one].options for one in names)


def _of(given: _Given) -> list[str]:
    """What a count counts, by C's names."""
    of = given.decision.options.get("of", ())
    return [of] if isinstance(of, str) else sorted(map(str, tuple(of)))  # type: ignore[arg-type]


def _default(given: _Given) -> str:
    return f"; {shown_default(given.input)} by default" if given.input.default else ""


def _struct(given: _Given) -> str:
    name = given.of.removeprefix("const ")
    if name == "dim3":
        return "a dim3, an int, or 1 to 3 of them"
    return f"a {name}, a dict or a tuple of its fields"


def _readable(given: _Given) -> str:
    return f"memory that C reads{given.length('bytes')}: a buffer, device array, address or None"


def _writable(given: _Given) -> str:
    return (
        f"memory that C writes{given.length('bytes')}: a writable buffer, device array, address"
        " or None"
    )


def _address(given: _Given) -> str:
    return f"a memory location{given.length('bytes')}: an address, device array, buffer or None"


def _freed(given: _Given) -> str:
    return f"{_address(given)}; not memory that PyGPU itself frees"


def _array(given: _Given) -> str:
    pointers: dict[Kind, str] = {
        "readable": "memory",
        "writable": "writable memory",
        "address": "addresses",
        "text item": "str, bytes or paths",
    }
    what = pointers.get(given.shape.inner.kind) or _shown(given.of)
    end = ", to which a 0 is added" if given.shape.end is not None else ""
    return f"a sequence of {what}{given.length('items')}{end}; or its address, or None"


def _scalar(given: _Given) -> str:
    complex = given.context.types.resolve(CType(given.of)).base in given.context.types.structs
    return f"{'complex' if complex else _value(given)}, or memory or the address of one"


def _items(given: _Given) -> str:
    return f"a sequence of {_shown(given.of)}{given.length('items')}, or None"


def _changed_array(given: _Given) -> str:
    return f"a sequence of {_shown(given.of)}{given.length('items')}, left as it is; or None"


def _count(given: _Given) -> str:
    asked = given.input.default == -1
    of = f" of {', '.join(map(python_name, _of(given)))}"
    unit = "bytes" if given.decision.options.get("unit") == "bytes" else "items"
    rest = "left out, as many as there are" if asked else f"{given.input.default} by default"
    return f"the most {unit}{of} to take; {rest}"


def _changed(given: _Given) -> str:
    kind = given.context.is_struct(given.shape.value)
    taken = f"{_struct(given)}, or None for zeros" if kind else f"{_shown(given.of)} or None"
    return f"{taken}; stays as it is, its new value is a result"


def _kept(given: _Given) -> str:
    """What keeps the callables in a struct."""
    if not given.context.holds_callables(given.shape.value.base):
        return ""
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
    return f". A callable in it is kept {kept}"


def _callback(given: _Given) -> str:
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
    return (
        f"a callable, called as f({named}) {where}. It and {data} are kept {kept}.{gives} What it"
        " raises goes to sys.unraisablehook. Else the address of a C function, and a pointer"
    )


def _unregistered(given: _Given) -> str:
    what = "unregisters its callable"
    if given.shape.inner.kind == "value":
        return f"a {given.of}: {what}"
    inner = replace(given, shape=given.shape.inner)
    return f"{_SHAPES[inner.shape.kind](inner)}; {what}"


def _said(parameter: Parameter) -> str:
    """A callback's parameter by its name, or by its type if the headers give no name."""
    anonymous = parameter.name.removeprefix("arg").isdigit()
    if anonymous and parameter.type == USER_DATA:
        return "address"
    return parameter.type.base if anonymous else python_name(parameter.name)


def _shown(type: str) -> str:
    """A C type as Python shows it."""
    return type.removeprefix("const ")


def _fixed(text: str) -> Callable[[_Given], str]:
    return lambda given: text


_SHAPES: Mapping[Kind, Callable[[_Given], str]] = {
    "readable": _readable,
    "writable": _writable,
    "address": _address,
    "boolean": lambda given: f"bool or {_value(given)}",
    "freed": _freed,
    "image": _fixed("code: bytes or another buffer, an address"),
    "function": _fixed("a function, kernel or symbol: a handle, an address or a ctypes function"),
    "text": _fixed("str, bytes, a path or None"),
    "array": _array,
    "items": _items,
    "changed array": _changed_array,
    "struct": lambda given: f"{_struct(given)}, a buffer, an address or None{_kept(given)}",
    "scalar": _scalar,
    "itself": lambda given: f"a {given.of}, a buffer, an address or None; C gets no copy",
    "received": lambda given: _changed(given) + _kept(given),
    "optional": _changed,
    "count": _count,
    "destroyed": lambda given: f"a {given.of} or an address: it ends, and its owner gives it up",
    "ended": lambda given: f"a {given.of} or an address: it ends, and the object is null",
    "unregistered": _unregistered,
    "callback": _callback,
    "user data": _fixed("any object, for the callable"),
    "arguments": _fixed(ONE_BY_ONE),
    "packed": _fixed(PACKED),
    "typed in": lambda given: typed(given.context, given.parameter, given.decision),
    "typed ins": lambda given: typed(given.context, given.parameter, given.decision),
}
