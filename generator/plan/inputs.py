"""Parameters that stay in the Python signature, by the shape of what they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

from generator.decide.decision import Decision
from generator.errors import GeneratorError
from generator.handles import parse
from generator.model import CType, Parameter
from generator.plan.draft import Context, Draft
from generator.plan.shapes import MEMORY, Argument, Ask, Shape, ShapeKind, value
from generator.scalars import ELEMENTS, INTEGERS


def add_value(
    context: Context,
    draft: Draft,
    parameter: Parameter,
    decision: Decision,
    endings: tuple[ShapeKind, ...],
) -> bool:
    """A scalar, enumerator, handle or struct by value; False if C++ has no type for the value.

    `endings` say how the call ends a handle; the innermost shape comes first.
    """
    type = parameter.type
    if not type.is_pointer:
        type = replace(type, const=False)  # of the callee's own copy: `const int quality`
    if override := decision.options.get("as"):
        type = parse(str(override), context.types.handles)
    resolved = context.types.resolve(type)
    if resolved.base in context.types.callbacks or (
        resolved.is_pointer and not _is_plain(resolved)
    ):
        return False
    # A handle with the C type void * is a number in Python.
    shape = Shape("address") if resolved.is_pointer else value(type)
    for ending in endings:
        shape = Shape(ending, of=shape)
    if decision.options.get("boolean"):
        if resolved.is_pointer or resolved.base not in {"bool", *INTEGERS}:
            raise GeneratorError(f"{context.where}: {type} {parameter.name} is no boolean")
        shape = Shape("boolean", of=shape)
    draft.take(parameter, shape, default(context, parameter))
    if len(endings) > 1:  # C++ converts only once by itself
        draft.arguments[parameter.name] = Argument("value", parameter.name, inside=1)
    if length := decision.options.get("length"):
        draft.lengths[parameter.name] = str(length)
    return True


def add_ended(
    context: Context, draft: Draft, parameter: Parameter, endings: tuple[ShapeKind, ...]
) -> None:
    """A handle that C ends, and clears through a pointer to it."""
    target = context.pointee(parameter.type)
    if target.base not in context.types.handles or target.is_pointer:
        where = f"{context.where}: {parameter.type} {parameter.name}"
        raise GeneratorError(f"{where} leads to no handle")
    shape, inside = Shape("ended", of=value(target)), 1
    for ending in endings:
        if ending != "destroyed":
            shape, inside = Shape(ending, of=shape), inside + 1
    draft.take(parameter, shape)
    draft.arguments[parameter.name] = Argument("address", parameter.name, inside)


def add_memory(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """An address or a buffer, with the number of bytes that C touches, if a rule gives it."""
    freed = bool(decision.options.get("frees"))
    kind = "freed" if freed else cast(ShapeKind, decision.kind)
    untyped = bool(decision.options.get("untyped"))
    shape = Shape(kind) if untyped else memory(context, kind, parameter.type)
    draft.take(parameter, shape, default(context, parameter))
    if not context.types.resolve(parameter.type).is_pointer:  # CUdeviceptr
        draft.arguments[parameter.name] = Argument("number", parameter.name)
    if length := decision.options.get("length"):
        draft.lengths[parameter.name] = str(length)


def memory(context: Context, kind: ShapeKind, type: CType) -> Shape:
    """Memory behind a pointer of that type, with what lies there, if that is a number."""
    resolved = context.types.resolve(type)
    element = context.types.resolve(resolved.pointee) if resolved.is_pointer else CType("void")
    if element.base in ELEMENTS and not element.is_pointer and kind in MEMORY:
        return Shape(kind, CType(element.base))
    return Shape(kind)


def add_arguments(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """A launch's arguments; their sizes are checked if a parameter says for which function."""
    packed = decision.options.get("packed")
    shape = Shape("arguments") if packed is None else Shape("packed", end=int(str(packed)))
    draft.take(parameter, shape, default(context, parameter))
    kernel = next(
        (
            one.name
            for one in context.function.parameters
            if context.decisions[one.name].kind == "function" or context.types.is_kernel(one.type)
        ),
        None,
    )
    if kernel and packed is None:
        draft.cross_checks.append((parameter.name, "sized by", kernel))


def add_text(context: Context, draft: Draft, parameter: Parameter) -> None:
    """A `const char *`."""
    draft.take(parameter, Shape("text"), default(context, parameter))


def add_struct(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """A pointer to one struct that C reads."""
    kind: ShapeKind = "itself" if decision.options.get("identity") else "struct"
    shape = Shape(kind, _mutable(context.pointee(parameter.type)))
    draft.take(parameter, shape, default(context, parameter))
    add_owner(context, draft, parameter, decision)


def add_scalar(context: Context, draft: Draft, parameter: Parameter) -> None:
    """A pointer to a number, which lies in Python or elsewhere."""
    target = _mutable(context.pointee(parameter.type))
    draft.take(parameter, Shape("scalar", target), default(context, parameter))


def add_owner(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """The owner that keeps the callables of a struct alive, if it has any."""
    owner = decision.options.get("kept_by")
    if owner and context.holds_callables(context.pointee(parameter.type).base):
        draft.cross_checks.append((parameter.name, "kept by", str(owner)))


def add_array(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> bool:
    """An array that C reads, of values or of pointers; False for elements of another kind."""
    element = context.pointee(parameter.type)
    resolved = context.types.resolve(element)
    if of := decision.options.get("of"):
        item = memory(context, cast(ShapeKind, of), element)
    elif _is_plain(resolved):
        item = Shape("address")
    elif resolved.is_text:
        item = Shape("text item")
    elif resolved.is_pointer:
        return False
    else:
        item = value(_mutable(element))
    kind: ShapeKind = "items" if _read_by_us(context, parameter) else "array"
    end = 0 if decision.options.get("ends") else None
    draft.take(parameter, Shape(kind, of=item, end=end), default(context, parameter))
    if count := decision.options.get("count", decision.options.get("length")):
        draft.lengths[parameter.name] = str(count)
    if of and (sizes := decision.options.get("sizes")):
        draft.cross_checks.append((parameter.name, "needs", str(sizes)))
    return True


def _read_by_us(context: Context, parameter: Parameter) -> bool:
    """Whether PyGPU itself reads an array, for the types of outputs: an address won't do then."""
    return any(
        one.kind == "typed_by"
        and one.options["direction"] != "in"
        and one.options.get("by") == parameter.name
        for one in context.decisions.values()
    )


def add_count(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """A count by value; keyword-only if it may be left out, because only outputs depend on it."""
    counted = [context.decisions[one] for one in decision.names("of")]
    asked = next((one.options["asked_by"] for one in counted if "asked_by" in one.options), None)
    if asked:
        take_count(draft, parameter, parameter.type, -1)
        address = Argument("address of count", parameter.name)
        draft.ask = asking(context, str(asked), lambda _: address, counted=parameter.name)
        return
    if asks := next((one for one in counted if one.options.get("asks")), None):
        take_count(draft, parameter, parameter.type, -1)
        ask_itself(context, draft, parameter.name, asks)
        _ask_through(context, draft, parameter, str(asks.options["written"]))
        return
    capacity = next((one.options["default"] for one in counted if "default" in one.options), None)
    if capacity is not None:
        draft.take_keyword(parameter, value(parameter.type), int(str(capacity)))
    else:
        draft.take(parameter, value(parameter.type), default(context, parameter))


def take_count(draft: Draft, parameter: Parameter, type: CType, default: int) -> None:
    """A keyword-only count that may be left out."""
    draft.take_keyword(parameter, Shape("count", type), default)
    draft.arguments[parameter.name] = Argument("count", parameter.name)


def ask_itself(context: Context, draft: Draft, count: str | None, of: Decision) -> None:
    """The function itself is called first, with NULL for what it fills; always without `count`."""
    accepts = tuple((code(context, name, "asking"), name) for name in of.names("asking"))
    draft.ask = Ask(context.function.name, (), count, accepts=accepts)


def _ask_through(context: Context, draft: Draft, count: Parameter, written: str) -> None:
    """The first call gets 0 for a count by value, and writes the count elsewhere."""
    slot = next(one for one in context.function.parameters if one.name == written)
    if context.types.resolve(context.pointee(slot.type)) != context.types.resolve(count.type):
        raise GeneratorError(
            f"{context.where}: {written} can't give the size: it leads to another type than"
            f" {count.type} {count.name}"
        )
    draft.holes[count.name] = Argument("zero")
    draft.holes[written] = Argument("address of count", count.name)


def code(context: Context, name: str, key: str) -> int:
    """The number of an error that a rule's key names."""
    try:
        return context.value_of(name)
    except GeneratorError as error:
        raise GeneratorError(f"{context.where}: {key}: {error}") from None


def asking(
    context: Context, asked: str, address: Callable[[Parameter], Argument], counted: str | None
) -> Ask:
    """The call of another function that writes a count to `address` of its parameter.

    Its other parameters have the same names. GeneratorError if it doesn't write just one number.
    """
    if asked not in context.functions:
        raise GeneratorError(f"{context.where}: there is no function {asked} to ask for a count")
    parameters = context.functions[asked].parameters
    slots = [one for one in parameters if one.type.is_pointer or one.name not in context.decisions]
    if len(slots) != 1 or not _is_number(context, slots[0]):
        raise GeneratorError(
            f"{context.where}: {asked} can't be asked: it has to write one number, and take nothing"
            f" but what {context.function.name} takes"
        )
    arguments = (
        address(one) if one is slots[0] else Argument("value", one.name) for one in parameters
    )
    return Ask(asked, tuple(arguments), counted)


def asking_value(context: Context, asked: str, counted: str) -> Ask:
    """The call of another function that returns a size; its parameters have the same names.

    GeneratorError if it returns no number, or takes a parameter that this function lacks.
    """
    function = context.functions.get(asked)
    if function is None:
        raise GeneratorError(f"{context.where}: there is no function {asked} to ask for a size")
    result = context.types.resolve(function.result)
    others = [one.name for one in function.parameters if one.name not in context.decisions]
    if others or result.is_pointer or result.base not in INTEGERS:
        raise GeneratorError(
            f"{context.where}: {asked} can't be asked: it has to return a number, and take nothing"
            f" but what {context.function.name} takes"
        )
    arguments = tuple(Argument("value", one.name) for one in function.parameters)
    return Ask(asked, arguments, counted, returned=True)


def _is_number(context: Context, parameter: Parameter) -> bool:
    """Whether a parameter is a pointer to a number."""
    target = context.types.resolve(context.pointee(parameter.type))
    return parameter.type.is_pointer and not target.is_pointer and target.base in INTEGERS


def default(context: Context, parameter: Parameter) -> int | None:
    """The number of a parameter's default in the header's C++ form; None without a default."""
    return None if parameter.default is None else context.value_of(parameter.default)


def _is_plain(type: CType) -> bool:
    """Whether a type is void *."""
    return type.base == "void" and len(type.pointers) == 1


def _mutable(type: CType) -> CType:
    return CType(type.base, False, type.pointers)
