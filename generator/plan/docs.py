"""What a function's docstring says beyond its signature."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from generator.decide.decision import Decision
from generator.model import CType, Parameter
from generator.plan.callbacks import USER_DATA, callback_of
from generator.plan.draft import Context, Draft
from generator.plan.spelling import python_name
from generator.plan.typed import table_name

# How long a callable is kept.
KEPT = {
    "once": "until it was called",
    "graph": "until it was called; captured into a graph, as long as that",
    "registered": "until {until}",
}
# What the arguments of a launch may be, one by one and packed.
ONE_BY_ONE = (
    "a sequence of ctypes or numpy scalars, structs, handles and objects in device memory; or"
    " (values, types) with ctypes or numpy types; or the address of a void **. C copies them."
)
PACKED = "a buffer with all arguments as they lie in memory, or the address of a list; or None."


def doc(context: Context, draft: Draft, prototype: str, returns_status: bool) -> tuple[str, ...]:
    """The lines of the docstring."""
    return (
        f"Returns {_results(context, draft, returns_status)}.",
        *_parameters(context),
        *_memory(context),
        f"C: {prototype};",
    )


def _results(context: Context, draft: Draft, returns_status: bool) -> str:
    results = [name for name, _, _ in draft.results]
    if returns_status:
        results.append("error")
    elif context.function.result != CType("void"):
        results.append("value")
    given = ", ".join(results) if results else "None"
    return f"({given})" if len(results) > 1 else given


def _parameters(context: Context) -> Iterator[str]:
    for one in context.function.parameters:
        decision = context.decisions[one.name]
        if decision.kind == "callback":
            yield from _callback(context, one, decision)
        elif decision.kind == "typed_by":
            yield from _wrapped(_typed(context, decision), one)
        elif decision.kind == "arguments":
            yield from _wrapped(PACKED if decision.options.get("packed") else ONE_BY_ONE, one)


def _callback(context: Context, parameter: Parameter, decision: Decision) -> Iterator[str]:
    callback = callback_of(context.types, parameter)
    if callback is None:
        return
    data = python_name(str(decision.options["user_data"]))
    given = ", ".join(data if one.type == USER_DATA else _said(one) for one in callback.parameters)
    kept = KEPT[str(decision.options["lives"])].format(**decision.options)
    yield from _wrapped(
        f"a callable, called as f({given}) on a thread of the driver's, where it must not call the"
        f" runtime. It and {data} are kept {kept}. What it raises goes to sys.unraisablehook. Else"
        " the address of a C function, and a pointer.",
        parameter,
    )


def _typed(context: Context, decision: Decision) -> str:
    """Which type each enumerator decides."""
    table = context.typed[table_name(context.types, context.function, decision)]
    names: dict[str, list[str]] = {}
    for one in table.cases:
        if one.type:
            names.setdefault(one.type.rpartition(".")[2] + "[]" * one.array, []).append(one.name)
    listed = "; ".join(f"{type} for {', '.join(names[type])}" for type in names)
    rest = "bytes" if decision.is_output else "a buffer or an address"
    return f"as {python_name(str(decision.options['by']))} decides: {listed}; else {rest}."


def _wrapped(text: str, parameter: Parameter) -> list[str]:
    return textwrap.wrap(f"{python_name(parameter.name)}: {text}", 96)


def _said(parameter: Parameter) -> str:
    """A callback's parameter by its name, or by its type where the headers name none."""
    anonymous = parameter.name.removeprefix("arg").isdigit()
    return parameter.type.base if anonymous else python_name(parameter.name)


def _memory(context: Context) -> Iterator[str]:
    """Whose affair it is that memory outlives a call that only queues the work."""
    kinds = {decision.kind for decision in context.decisions.values()}
    queued = any(
        one.type.base in context.types.handles and one.type.base.endswith("Stream_t")
        for one in context.function.parameters
    )
    if queued and kinds & {"readable", "writable"}:
        yield "Only queues the work: keep the memory alive until the stream has done it."
