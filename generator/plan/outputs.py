"""Parameters through which C gives something back, by the shape of what it gives."""

from __future__ import annotations

from dataclasses import replace

from generator.decide.decision import Decision
from generator.errors import GeneratorError
from generator.handles import parse
from generator.model import CType, Parameter
from generator.plan.draft import Context, Draft
from generator.plan.inputs import (
    add_owner,
    ask_itself,
    asking,
    asking_value,
    code,
    default,
    take_count,
)
from generator.plan.shapes import Argument, Cut, How, Local, Result, Shape, ShapeKind, Valid, value
from generator.scalars import INTEGERS


def add_out(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """One value that C writes."""
    target = context.pointee(parameter.type)
    if override := decision.options.get("as"):
        target = parse(str(override), context.types.handles)
    # A call that asks for a count comes before the locals.
    if context.is_struct(target):
        shape = Shape("received", target)
        draft.declare(Local(parameter.name, shape), "memory")
        draft.holes[parameter.name] = Argument("new struct", type=target)
    else:
        shape = value(target)
        draft.declare(Local(parameter.name, shape, str(decision.options.get("initial", ""))))
        draft.holes[parameter.name] = Argument("new value", type=target)
    give(context, draft, decision, Result(parameter.name, shape))


def add_status(context: Context, draft: Draft, parameter: Parameter) -> None:
    """The status, in a function that returns something else."""
    if draft.status:
        raise GeneratorError(f"{context.where}: {draft.status} is its status already")
    draft.declare(Local(parameter.name, value(context.pointee(parameter.type))))
    draft.status = parameter.name


def add_inout(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> bool:
    """A value that C reads and replaces, in a copy of the caller's. False for arrays of values."""
    name, target = parameter.name, context.pointee(parameter.type)
    if count := decision.options.get("count"):
        if not context.is_struct(target):
            return False
        element = value(target)
        draft.take(parameter, Shape("changed array", of=element), default(context, parameter))
        draft.lengths[name] = str(count)
        changed = Result(name, Shape("list", of=element), "input", str(count))
        give(context, draft, decision, changed)
        return True
    if context.is_struct(target):
        shape = Shape("received", target)
        draft.take(parameter, shape, default(context, parameter))
        draft.arguments[name] = Argument("memory", name)
        add_owner(context, draft, parameter, decision)
    elif decision.options.get("optional"):
        shape = Shape("optional", target)
        draft.take(parameter, shape, default(context, parameter))
        draft.arguments[name] = Argument("optional", name)
    else:
        shape = value(target)
        draft.take(parameter, shape, default(context, parameter))
        draft.arguments[name] = Argument("address", name)
    give(context, draft, decision, Result(name, shape))
    return True


def add_record(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """The address of a struct in other memory, which C replaces by the next one's."""
    struct = CType(context.types.resolve(context.pointee(parameter.type)).base)
    shape = Shape("record", struct, table=str(decision.options["table"]))
    draft.take(parameter, shape, default(context, parameter))
    draft.arguments[parameter.name] = Argument("memory", parameter.name)
    draft.cross_checks.append((parameter.name, "in", str(decision.options["within"])))
    draft.results.append(Result(parameter.name, shape))


def add_out_array(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """An array that C fills: as long as its count says, cut to the count that C wrote."""
    shape = Shape("list", of=value(context.pointee(parameter.type)))
    capacity, written = _length(context, draft, decision)
    draft.declare(Local(parameter.name, shape, capacity=capacity), "data")
    draft.holes[parameter.name] = Argument("null")
    if _is_returned(context, decision):
        draft.cuts.append(Cut(parameter.name, None))
    elif written:
        draft.cuts.append(Cut(parameter.name, written))
    give(context, draft, decision, Result(parameter.name, shape))


def add_out_lent(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """An array or a text that the driver owns: it is copied before anything else can run."""
    target = context.pointee(parameter.type)
    if count := decision.options.get("count"):
        array = target if target.pointers else context.types.resolve(target)  # a typedef of one
        shape = Shape("list", of=value(CType(array.base, False, array.pointers[:-1])))
        result = Result(parameter.name, shape, "lent", str(count))
    elif context.types.resolve(target).is_text:
        result = Result(parameter.name, Shape("lent text"), "lent")
    else:
        raise GeneratorError(f"{context.where}: {parameter.name} isn't a text, so it needs a count")
    draft.declare(Local(parameter.name, value(target)))
    give(context, draft, decision, result)


def add_out_chars(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> None:
    """A char buffer that C fills: with text, or with code."""
    code: ShapeKind = "code text" if decision.options.get("ends") else "byte buffer"
    shape = Shape("text buffer" if decision.kind == "out_text" else code)
    if size := decision.options.get("capacity"):
        asks = bool(decision.options.get("asks"))
        capacity = Argument("count" if asks else _counted(context, str(size)).how, str(size))
    else:
        capacity = _ask_always(context, draft, str(decision.options["asked_by"]))
    draft.declare(Local(parameter.name, shape, capacity=capacity), "memory")
    target = context.pointee(parameter.type)
    if context.types.resolve(target).base not in ("char", "void"):
        draft.arguments[parameter.name] = Argument("bytes", parameter.name, type=target)
    draft.holes[parameter.name] = Argument("null")
    if _is_returned(context, decision):
        draft.cuts.append(Cut(parameter.name, None))
    elif written := decision.options.get("written"):
        draft.cuts.append(Cut(parameter.name, Argument("value", str(written))))
    elif capacity.how == "count" and decision.kind == "out_bytes":
        draft.cuts.append(Cut(parameter.name, capacity))
    give(context, draft, decision, Result(parameter.name, shape))


def _is_returned(context: Context, decision: Decision) -> bool:
    """Whether what C returns is how much it wrote. GeneratorError where that can't be."""
    if not decision.options.get("returned"):
        return False
    result = context.types.resolve(context.function.result)
    if result.is_pointer or result.base not in INTEGERS:
        raise GeneratorError(f"{context.where}: it doesn't return how much it wrote")
    return True


def _ask_always(context: Context, draft: Draft, asked: str) -> Argument:
    """The local that holds a number; another function is asked for it before each call."""
    if draft.ask:
        raise GeneratorError(f"{context.where}: it asks for one count already, not {asked} too")
    name = ""

    def address(parameter: Parameter) -> Argument:
        nonlocal name
        name = parameter.name
        if name in context.decisions:
            name += "_asked"
        draft.locals.append(Local(name, value(context.pointee(parameter.type))))
        return Argument("address", name)

    draft.ask = asking(context, asked, address, counted=None)
    return Argument("value", name)


def add_written_count(
    context: Context, draft: Draft, parameter: Parameter, decision: Decision
) -> None:
    """A count behind a pointer. C writes it; the caller may give it, unless it is only output."""
    name, type = parameter.name, context.pointee(parameter.type)
    counted = [context.decisions[one] for one in decision.names("of")]
    if decision.options["direction"] == "out":
        draft.locals.insert(0, Local(name, value(type)))
        draft.arguments[name] = Argument("address", name)
        return
    default = int(str(counted[0].options.get("default", -1)))
    if counted[0].options.get("always"):
        initial = "" if default < 0 else str(default)
        draft.locals.insert(0, Local(name, value(type), initial))
        draft.arguments[name] = Argument("address", name)
        if default < 0:
            ask_itself(context, draft, None, counted[0])
        return
    if decision.options["unit"] == "bytes":
        of = counted[0]
        take_count(draft, parameter, type, default)
        if asked := of.options.get("asked_by"):
            draft.ask = asking_value(context, str(asked), name)
        elif of.options.get("asks"):
            ask_itself(context, draft, name, of)
    else:
        take_count(draft, parameter, type, default)
        if default < 0:
            asks = (one for one in counted if "asking" in one.options)
            ask_itself(context, draft, name, next(asks, counted[0]))
    draft.arguments[name] = Argument("address of count", name)


def give(context: Context, draft: Draft, decision: Decision, result: Result) -> None:
    """Add a result; a rule may say that it is valid after some failures."""
    valid = None
    if decision.options.get("lacking") and context.adapted_before:
        valid = Valid(since=context.adapted_before)
    elif "valid_on" in decision.options:
        named = [one for one in decision.names("valid_on") if one != "any"]
        valid = Valid(tuple((code(context, name, "valid_on"), name) for name in named))
    draft.results.append(replace(result, valid=valid))


def _length(
    context: Context, draft: Draft, decision: Decision
) -> tuple[str | Argument, Argument | None]:
    """The length that an array gets, and where C says how many elements it wrote."""
    if length := decision.options.get("length"):
        return str(length), None
    if "count" not in decision.options:
        if "asked_by" not in decision.options:
            where = f"{decision.reason}: {context.where}"
            raise GeneratorError(f"{where}: it needs count, length or asked_by")
        return _ask_always(context, draft, str(decision.options["asked_by"])), None
    name = str(decision.options["count"])
    if _is_pointer(context, name):
        how: How = "value" if decision.options.get("always") else "count"
        return Argument(how, name), Argument(how, name)
    written = decision.options.get("written")
    asks = decision.options.keys() & {"asked_by", "asks"}
    capacity = Argument("count" if asks else "value", name)
    return capacity, Argument("value", str(written)) if written else None


def _counted(context: Context, name: str) -> Argument:
    """The argument that holds a capacity that the caller gives."""
    return Argument("count" if _is_pointer(context, name) else "value", name)


def _is_pointer(context: Context, name: str) -> bool:
    parameters = context.function.parameters
    return next(one.type.is_pointer for one in parameters if one.name == name)
