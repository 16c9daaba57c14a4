"""A function's docstring: what it does and gives, parameters, memory, C, releases, errors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from generator.decide.decision import Decision
from generator.plan.docs.lines import lines
from generator.plan.docs.parameters import parameter
from generator.plan.docs.results import result, value
from generator.plan.draft import Context, Draft
from generator.plan.shapes import Input, Kind

# Inputs that may raise ValueError: for memory that is short or not contiguous, short arrays,
# structs with too many values, text with a NUL.
CHECKED: frozenset[Kind] = frozenset(
    {
        *("readable", "writable", "address", "freed", "image", "function", "packed"),
        *("array", "items", "changed array", "struct", "itself", "received"),
        *("typed in", "typed ins", "text", "arguments"),
    }
)  # fmt: skip


def doc(
    context: Context,
    draft: Draft,
    prototype: str,
    *,
    returns_status: bool,
    gil: str,
    substitute: str | None,
    history: str,
    summary: str | None,
) -> tuple[str, ...]:
    """The lines of the docstring."""
    return (
        *((summary,) if summary else ()),
        *_returns(context, draft, returns_status, substitute),
        *(line for one in values(context, draft) for line in lines(": ".join(one), "    ")),
        *_memory(context),
        *lines(f"C: {prototype};", "    "),
        *lines(f"Releases: {history}{_facts(context, gil)}"),
        *lines(_errors(context, draft, returns_status), "    "),
    )


def _returns(
    context: Context, draft: Draft, returns_status: bool, substitute: str | None
) -> Iterator[str]:
    names = [one.python_name for one in draft.results]
    alone = f"({', '.join(names)})" if len(names) > 1 else "".join(names)
    if not returns_status:
        bare = context.function.result
        own = "" if bare.is_void else value(context, bare)
        given = f"({', '.join([own, *names])})" if own and names else own or alone or "None"
        told = f"Returns {given}"
        if substitute:
            told = f"{told.removesuffix(' or None')}, from a table of PyGPU's without a library"
        yield from lines(f"{told}; C gives no status.")
        return
    # binding/checked_doc.cpp makes the line of the raising form from this one.
    given = f"({', '.join([*names, 'error'])})" if names else "error"
    yield from lines(f"Returns {given}.")


def values(context: Context, draft: Draft) -> Iterator[tuple[str, str]]:
    """The parameters in C's order, then the results, each with what it is.

    Neighbours with the same text stand together.
    """
    told = ((parameter(context, draft, one), one.python_name) for one in draft.every)
    for text, group in groupby(told, key=itemgetter(0)):
        yield ", ".join(name for _, name in group), text
    for given in draft.results:
        yield f"-> {given.python_name}", result(context, given)


def _memory(context: Context) -> Iterator[str]:
    """Who must keep memory alive after a call that only queues the work."""
    queued = any(context.types.is_stream(one.type) for one in context.function.parameters)
    structs = "Async" in context.function.name and any(map(_is_struct, context.decisions.values()))
    if queued and (structs or any(map(_leads_to_memory, context.decisions.values()))):
        yield "Only queues the work: keep the memory alive until the stream has done it."


def _leads_to_memory(decision: Decision) -> bool:
    if decision.kind == "array":
        return decision.options.get("of") in ("readable", "writable")
    return decision.kind in ("readable", "writable")


def _is_struct(decision: Decision) -> bool:
    return decision.kind == "struct"


def _facts(context: Context, gil: str) -> str:
    deprecated = " Deprecated." if context.function.deprecated else ""
    return deprecated + (" Keeps the GIL." if gil == "keep" else "")


def _errors(context: Context, draft: Draft, returns_status: bool) -> str:
    text = ""
    if returns_status:
        known = ", ".join(filter(None, map(_short, context.function.errors)))
        text = f"Errors: {known} as the header lists. " if known else ""
    raised = ["TypeError"]
    if any(one.shape.kind != "text" for one in draft.every):  # no number is too large for a text
        raised.append("OverflowError")
    if any(_is_checked(context, one) for one in draft.every):
        raised.append("ValueError")
    if any(one.capacity is not None for one in draft.locals):
        raised.append("MemoryError")
    return f"{text}Raises {', '.join(raised)} for arguments."


def _short(code: str) -> str:
    """A code without the common prefix: "InvalidValue", "INVALID_INPUT"."""
    return code.partition("Error")[2] or code.partition("ERROR_")[2]


def _is_checked(context: Context, one: Input) -> bool:
    return one.shape.kind in CHECKED or context.types.is_struct(one.shape.value)
