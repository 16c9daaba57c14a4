"""Parameters that stay in the Python signature, by the shape of what they take."""

from __future__ import annotations

from collections.abc import Callable

from generator.decide.decision import Decision
from generator.errors import GeneratorError
from generator.model import CType, Parameter
from generator.plan.ctypes import BUILTIN, spell
from generator.plan.draft import Context, Draft
from generator.plan.spelling import cpp_formula, cpp_name

# Pointers that C takes as a place in memory, and what it does there.
MEMORY = {
    "readable": "Readable",
    "image": "Image",
    "writable": "Writable",
    "address": "Address",
    "function": "Code",
}


def add_value(
    context: Context,
    draft: Draft,
    parameter: Parameter,
    decision: Decision,
    endings: tuple[str, ...],
) -> bool:
    """A scalar, enumerator, handle or struct by value; False for what C++ has no value type of.

    `endings` are the C++ templates around a handle that the call ends, from within.
    """
    type = CType.parse(str(decision.options.get("as", parameter.type)))
    resolved = context.types.resolve(type)
    if resolved.base in context.types.callbacks or (
        resolved.is_pointer and not _is_plain(resolved)
    ):
        return False
    # A handle that C types as void * is a number in Python.
    spelled = "Address" if resolved.is_pointer else spell(type)
    for ending in endings:
        spelled = f"{ending}<{spelled}>"
    if decision.options.get("boolean"):
        if resolved.is_pointer or resolved.base not in BUILTIN - {"void", "float", "double"}:
            raise GeneratorError(f"{context.told}: {type} {parameter.name} is no boolean")
        spelled = f"Boolean<{spelled}>"
    name = draft.take(parameter, spelled, default(context, parameter))
    if len(endings) > 1:  # C++ converts once by itself
        draft.arguments[parameter.name] = f"{name}.handle"
    if length := decision.options.get("length"):
        draft.lengths[name] = cpp_formula(str(length))
    return True


def add_ended(
    context: Context, draft: Draft, parameter: Parameter, endings: tuple[str, ...]
) -> None:
    """A handle that C ends and clears through a pointer to it."""
    target = context.pointee(parameter.type)
    if target.base not in context.types.handles or target.is_pointer:
        told = f"{context.told}: {parameter.type} {parameter.name}"
        raise GeneratorError(f"{told} leads to no handle")
    spelled, place = spell(target), ""
    for ending in ("Ended", *(one for one in endings if one != "Destroyed")):
        spelled, place = f"{ending}<{spelled}>", f"{place}.handle"
    name = draft.take(parameter, spelled)
    draft.arguments[parameter.name] = f"&{name}{place}"


def add_memory(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """An address or a buffer, with the bytes that C touches where a rule gives them."""
    kind = "Freed" if decision.options.get("frees") else MEMORY[decision.kind]
    name = draft.take(parameter, kind, default(context, parameter))
    if length := decision.options.get("length"):
        draft.lengths[name] = cpp_formula(str(length))


def add_arguments(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """A launch's arguments; their sizes are checked where a parameter says for which function."""
    packed = decision.options.get("packed")
    type = "Arguments" if packed is None else f"Packed<{packed}>"
    draft.take(parameter, type, default(context, parameter))
    kernel = next((name for name, one in context.decisions.items() if one.kind == "function"), None)
    if kernel and type == "Arguments":
        draft.cross_checks.append((parameter.name, "sized by", kernel))


def add_text(context: Context, draft: Draft, parameter: Parameter) -> None:
    """A `const char *`."""
    draft.take(parameter, "Text", default(context, parameter))


def add_struct(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """A pointer to one struct that C reads."""
    target = spell(_mutable(context.pointee(parameter.type)))
    shape = "Itself" if decision.options.get("identity") else "In"
    draft.take(parameter, f"{shape}<{target}>", default(context, parameter))
    add_keeper(context, draft, parameter, decision)


def add_keeper(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """What keeps the callables of a struct, where it has any."""
    keeper = decision.options.get("kept_by")
    if keeper and context.holds_callables(context.pointee(parameter.type).base):
        draft.cross_checks.append((parameter.name, "kept by", str(keeper)))


def add_array(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> bool:
    """An array that C reads, of values or of pointers; False for elements of another kind."""
    element = context.pointee(parameter.type)
    of = decision.options.get("of")
    if of:
        spelled = MEMORY[str(of)]
    elif _is_plain(context.types.resolve(element)):
        spelled = "Address"
    elif is_text(context.types.resolve(element)):
        spelled = "TextItem"
    elif context.types.resolve(element).is_pointer:
        return False
    else:
        spelled = spell(_mutable(element))
    kind = "Items" if _read_by_us(context, parameter) else "Array"
    name = draft.take(parameter, f"{kind}<{spelled}>", default(context, parameter))
    if count := decision.options.get("count", decision.options.get("length")):
        draft.lengths[name] = cpp_name(str(count))
    if of and (sizes := decision.options.get("sizes")):
        draft.cross_checks.append((parameter.name, "needs", str(sizes)))
    return True


def _read_by_us(context: Context, parameter: Parameter) -> bool:
    """Whether an array says what its outputs are, so that an address won't do."""
    return any(
        one.kind == "typed_by"
        and one.options["direction"] != "in"
        and one.options.get("by") == parameter.name
        for one in context.decisions.values()
    )


def add_count(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> bool:
    """A count by value; keyword-only where only outputs depend on it and it can be left out."""
    if parameter.type.is_pointer:
        return False
    counted = [context.decisions[str(one)] for one in _names(decision)]
    type = spell(parameter.type)
    asked = next((one.options["asked_by"] for one in counted if "asked_by" in one.options), None)
    if asked:
        name = draft.take_keyword(parameter, f"Count<{type}>", -1)
        draft.arguments[parameter.name] = f"{name}.value"
        draft.asks = asking_call(context, str(asked), lambda _: f"&{name}.value")
        return True
    capacity = next((one.options["default"] for one in counted if "default" in one.options), None)
    if capacity is not None:
        draft.take_keyword(parameter, type, int(str(capacity)))
    else:
        draft.take(parameter, type, default(context, parameter))
    return True


def asking_call(context: Context, asked: str, place: Callable[[Parameter], str]) -> str:
    """The call of another function that gives a count, to where `place` says of its parameter.

    Its other parameters are named alike. GeneratorError where it gives no one number.
    """
    if asked not in context.functions:
        raise GeneratorError(f"{context.told}: there is no function {asked} to ask for a count")
    parameters = context.functions[asked].parameters
    given = [one for one in parameters if one.type.is_pointer or one.name not in context.decisions]
    if len(given) != 1 or not _is_number(context, given[0]):
        raise GeneratorError(
            f"{context.told}: {asked} can't be asked: it has to write one number, and take nothing"
            f" but what {context.function.name} takes"
        )
    places = [place(one) if one is given[0] else cpp_name(one.name) for one in parameters]
    return f"{asked}({', '.join(places)})"


def _is_number(context: Context, parameter: Parameter) -> bool:
    """Whether a parameter is a pointer to a number."""
    target = context.types.resolve(context.pointee(parameter.type))
    return parameter.type.is_pointer and not target.is_pointer and target.base in BUILTIN - {"void"}


def default(context: Context, parameter: Parameter) -> int | None:
    """The number behind a default of the header's C++ form."""
    return None if parameter.default is None else context.value_of(parameter.default)


def _names(decision: Decision) -> list[str]:
    of = decision.options.get("of", ())
    return [str(one) for one in of] if isinstance(of, (list, tuple, frozenset)) else [str(of)]


def _is_plain(type: CType) -> bool:
    """Whether a type is void *."""
    return type.base == "void" and len(type.pointers) == 1


def is_text(type: CType) -> bool:
    """Whether a type is const char *."""
    return type.base == "char" and type.const and len(type.pointers) == 1


def _mutable(type: CType) -> CType:
    return CType(type.base, False, type.pointers)
