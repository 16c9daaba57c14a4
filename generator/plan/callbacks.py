"""Callbacks and their user data: how long C may call, and what ends that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.decide.decision import Decision
from generator.errors import GeneratorError
from generator.model import Callback, CType, Function, Parameter
from generator.plan.ctypes import Types
from generator.plan.draft import Context, Draft
from generator.plan.inputs import default
from generator.plan.shapes import Kept, Shape
from generator.scalars import INTEGERS

USER_DATA = CType("void", pointers=(False,))


def callback_of(types: Types, parameter: Parameter, decision: Decision) -> Callback | None:
    """The signature behind a callback parameter, if a callable can stand in for it.

    It can if C takes no result or a number, and if it is known which `void *` carries the user
    data.
    """
    callback = types.callbacks.get(types.resolve(parameter.type).base)
    if callback is None or not _is_result(types, types.resolve(callback.result)):
        return None
    replaced = decision.options["lives"] == "replaced"
    return callback if replaced or carrier(callback, decision) is not None else None


def carrier(callback: Callback, decision: Decision) -> int | None:
    """The index of the `void *` with the user data: the one that the rule names, or the only."""
    carriers = [
        at
        for at, one in enumerate(callback.parameters)
        if one.type == USER_DATA and decision.options.get("data") in (None, one.name)
    ]
    return carriers[0] if len(carriers) == 1 else None


def _is_result(types: Types, type: CType) -> bool:
    """Whether the type is void, an integer or an enum."""
    known = type.base in {"void", "bool", *INTEGERS} or type.base in types.enums
    return known and not type.is_pointer


def add_callback(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> bool:
    """A callable or a C function. False if no callable can stand in for the signature."""
    callback = callback_of(context.types, parameter, decision)
    if callback is None:
        return False
    lives = str(decision.options["lives"])
    if lives == "replaced":
        slot = f"{context.function.name}_{parameter.name}"
        kept = Kept(lives, slot=slot, memory=str(decision.options.get("memory", "none")))
        draft.take(parameter, Shape("callback", parameter.type, kept=kept))
        return True
    kept, table = Kept(lives), decision.options.get("table")
    if table:
        names = [one.name for one in callback.parameters]
        lent = tuple(names.index(str(decision.options[key])) for key in ("lent", "by"))
        kept = Kept(lives, carrier(callback, decision), lent=(lent[0], lent[1]))
    elif "data" in decision.options or callback.result != CType("void"):
        kept = Kept(lives, carrier(callback, decision), int(str(decision.options.get("failed", 0))))
    shape = Shape("callback", parameter.type, kept=kept, table=str(table) if table else None)
    draft.take(parameter, shape)
    if holder := decision.options.get("holder"):
        draft.cross_checks.append((parameter.name, "registered with", str(holder)))
    if lives == "graph":
        draft.cross_checks.insert(0, (parameter.name, "captured by", _stream(context, parameter)))
    draft.cross_checks.append((str(decision.options["user_data"]), "of", parameter.name))
    return True


def add_user_data(context: Context, draft: Draft, parameter: Parameter, decision: Decision) -> bool:
    """The object that the callable gets. Its default is None, if no required parameter follows."""
    callback = _parameter(context, str(decision.options["callback"]))
    if callback_of(context.types, callback, context.decisions[callback.name]) is None:
        return False
    names = [one.name for one in context.function.parameters]
    rest = context.function.parameters[names.index(parameter.name) + 1 :]
    required = (
        default(context, one) is None and not context.decisions[one.name].is_output for one in rest
    )
    draft.take(parameter, Shape("user data"), None if any(required) else 0)
    return True


def registrations(
    types: Types,
    functions: Mapping[str, Function],
    decisions: Mapping[str, Sequence[Decision]],
) -> Mapping[str, str]:
    """The functions that end a registration, each with the type of the handle that it takes."""
    result: dict[str, str] = {}
    for name, decided in decisions.items():
        for decision in decided:
            if not (until := decision.options.get("until")):
                continue
            if until not in functions:
                raise GeneratorError(f"{decision.reason}: there is no function {until}")
            function = functions[name]
            holder = decision.options.get("holder")
            every = zip(function.parameters, decided, strict=True)
            handles = [
                one.type if holder else one.type.pointee
                for one, parameter in every
                if (one.name == holder if holder else parameter.is_result)
            ]
            if not handles:
                raise GeneratorError(
                    f"{decision.reason}: {name} ({function.source}) needs a rule for what it gives,"
                    f" which {until} takes"
                )
            result[str(until)] = str(handles[0])
    return result


def _stream(context: Context, callback: Parameter) -> str:
    for one in context.function.parameters:
        if context.types.is_stream(one.type):
            return one.name
    raise GeneratorError(
        f"{context.function.name} ({context.function.source}): {callback.name} lives as long as the"
        ' graph of a stream, but there is no stream; use lives = "once"'
    )


def _parameter(context: Context, name: str) -> Parameter:
    return next(one for one in context.function.parameters if one.name == name)
