"""A wrapper in C++: its head, its locals, the calls, what it returns, and its record."""

from __future__ import annotations

from generator import formula
from generator.cpp.formula import formula as spell_formula
from generator.cpp.text import identifier, variable, wrapped
from generator.cpp.types import SHAPES, beside, declare_as, shape, spell
from generator.model import CType
from generator.plan.binding import Wrapper
from generator.plan.shapes import Argument, Cut, Local, Result

# The kinds of locals that are moved into the result.
_HELD = ("list", "text buffer", "byte buffer", "code text", "typed out", "typed outs")


def head(wrapper: Wrapper, status: str) -> str:
    """The first line of a wrapper; `status` is the type of the API's statuses."""
    result = _result_type(wrapper, identifier(status))
    listed = ", ".join(beside(shape(one.shape), variable(one.name)) for one in wrapper.inputs)
    name = identifier(wrapper.name)
    start = f"inline {beside(result, name)}("
    if len(start) > 70:
        start = f"{name}("
        listed = wrapped(listed, len(start), len(start) + 3, True)
        return f"inline {wrapped(result, 18, 7)}\n{start}{listed})"
    return start + wrapped(listed, min(len(start), 40), len(start) + 4, True) + ")"


def _result_type(wrapper: Wrapper, status: str) -> str:
    """A status comes after the outputs; any other value that C returns comes before them."""
    types = [_type(one) for one in wrapper.results]
    if wrapper.given_status or wrapper.counts:
        types.append(status)
    elif not wrapper.result.is_void:
        types.insert(len(types) if wrapper.returns_status else 0, spell(wrapper.result))
    if len(types) > 1:
        template = "Outputs" if wrapper.returns_status else "Values"
        return f"{template}<{', '.join(types)}>"
    return types[0] if types else "void"


def _type(result: Result) -> str:
    return f"ValidOnError<{shape(result.shape)}>" if result.valid else shape(result.shape)


def local(one: Local) -> str:
    """The declaration of a local."""
    type, name = shape(one.shape), variable(one.name)
    if one.depends_on:
        table = f"typed_{one.shape.table}"
        return f"{type} {name}({', '.join([table, *map(variable, one.depends_on)])});"
    if isinstance(one.capacity, Argument):
        capacity = argument(one.capacity)
    elif one.capacity is not None:
        capacity = spell_formula(one.capacity, variable)
    elif one.shape.kind == "value":
        begin = f"static_cast<{spell(one.shape.value)}>({one.initial})" if one.initial else ""
        return f"{declare_as(one.shape.value, name)}{{{begin}}};"
    else:
        return f"{type} {name};"
    if one.shape.kind == "list":
        return f"{type} {name} = zeroed<{shape(one.shape.inner)}>({capacity});"
    return f"{type} {name}({capacity});"


def argument(one: Argument) -> str:
    """What C gets for a parameter."""
    name = variable(one.name) + ".handle" * one.inside
    match one.how:
        case "value":
            return name
        case "address":
            return f"&{name}"
        case "memory" | "data" | "pointers" | "sizes":
            return f"{name}.{one.how}()"
        case "count":
            return f"{name}.value"
        case "address of count":
            return f"&{name}.value"
        case "optional":
            return f"{name} ? &*{name} : nullptr"
        case "null":
            return "nullptr"
        case "zero":
            return "0"
        case "number":
            return f"reinterpret_cast<std::uintptr_t>({name}.data)"
    type = spell(one.type or CType("void"))
    if one.how == "bytes":
        return f"reinterpret_cast<{type} *>({name}.memory())"
    if one.how == "new struct":
        return f"{SHAPES['received']}<{type}>{{}}.memory()"
    return f"std::array<{type}, 1>{{}}.data()"


def ask(wrapper: Wrapper, indent: int) -> str:
    """The call that finds a count."""
    assert wrapper.ask
    arguments = ", ".join(map(argument, wrapper.ask.arguments))
    return wrapped(f"{identifier(wrapper.ask.function)}({arguments})", indent)


def failed(wrapper: Wrapper) -> str:
    """The condition that the call for a count gave none."""
    assert wrapper.ask
    codes = "".join(f" && code != {code} /* {name} */" for code, name in wrapper.ask.accepts)
    if not codes:
        return "static_cast<int>(query_status)"
    return f"const int code = static_cast<int>(query_status); code{codes}"


def give_up(wrapper: Wrapper) -> str:
    """The result of a wrapper that fails while it queries a count."""
    return ", ".join([*(f"{_type(one)}{{}}" for one in wrapper.results), "query_status"])


def call(wrapper: Wrapper, result: str) -> str:
    """The C call, assigned or returned."""
    start = f"{result}entries.{identifier(wrapper.name)}("
    return start + wrapped(", ".join(map(argument, wrapper.arguments)), 8, len(start) + 8) + ");"


def returned(wrapper: Wrapper) -> str:
    """What keeps C's own value, in a wrapper whose status comes out of a parameter."""
    return "" if wrapper.result.is_void else f"auto {variable(wrapper.results[0].name)} = "


def with_status(wrapper: Wrapper, status: str) -> str:
    """The results of such a wrapper, then its status."""
    if wrapper.counts:
        counted = f"count_status<{identifier(status)}>({variable(wrapper.results[0].name)})"
        return ", ".join([*map(_result, wrapper.results), counted])
    status_result = f"static_cast<{identifier(status)}>({variable(str(wrapper.given_status))})"
    return ", ".join([*map(_result, wrapper.results), status_result])


def cut(wrapper: Wrapper, one: Cut) -> str:
    """An array or a buffer is cut to what C wrote; None stands for what C returned."""
    if one.written is not None:
        written = argument(one.written)
    elif wrapper.given_status or wrapper.counts:
        written = variable(wrapper.results[0].name)
    else:
        written = "returned"
    return f"cut({variable(one.name)}, {written});"


def results(wrapper: Wrapper) -> str:
    """What a wrapper returns besides the status."""
    return ", ".join(map(_result, wrapper.results))


def _result(one: Result) -> str:
    name = held = variable(one.name)
    if one.lifetime == "own":
        held = f"std::move({name})" if one.shape.kind in _HELD else name
    elif one.count is None:
        held = f"{shape(one.shape)}({name})"
    else:
        data = f"{name}.data" if one.lifetime == "input" else name
        held = f"copied({data}, {variable(one.count)})"
    if one.valid is None:
        return held
    if one.valid.since:
        return f"valid_since(api, {one.valid.since}, status, {held})"
    if one.valid.codes:
        codes = ", ".join(f"{code} /* {name} */" for code, name in one.valid.codes)
        return f"valid_on(status, {{{codes}}}, {held})"
    return f"always_valid(api, status, {held})"


def fallbacks(wrapper: Wrapper) -> str:
    """The numbers of a record for parameters that are left out; the optional ones come last."""
    return ", ".join(str(one.default) for one in wrapper.inputs if one.default is not None)


def positional(wrapper: Wrapper) -> int:
    """How many parameters may be given by position."""
    return sum(not one.keyword_only for one in wrapper.inputs)


def cross_checks(wrapper: Wrapper) -> str:
    """The pairs of inputs that are checked together."""
    return ", ".join(f"CrossCheck<{one.index}, {one.other}>" for one in wrapper.cross_checks)


def deciding(wrapper: Wrapper) -> dict[int, str]:
    """The inputs that decide the sizes of buffers: the variable of each index."""
    used = {name for one in wrapper.size_requirements for name in formula.parameters(one.size)}
    inputs = enumerate(wrapper.inputs)
    return {index: variable(one.name) for index, one in inputs if one.name in used}


def requirement_parameters(wrapper: Wrapper) -> str:
    """The parameters of SizeRequirements::met."""
    values = (f"auto {name}" for name in deciding(wrapper).values())
    return ", ".join(("const HeldSizes &held", *values))


def size_requirements(wrapper: Wrapper) -> str:
    """What SizeRequirements asks for: the index of each parameter, and the size it needs."""
    return ", ".join(
        f"{{{one.index}, static_cast<size_t>({spell_formula(one.size, variable)})}}"
        for one in wrapper.size_requirements
    )
