"""What the docstring of a function says."""

from __future__ import annotations

from collections.abc import Iterator

from generator.decide.decision import Decision
from generator.plan.defaults import shown_default
from generator.plan.doc import Doc, Value
from generator.plan.docs.parameters import parameter
from generator.plan.docs.results import result, value
from generator.plan.draft import Context, Draft
from generator.plan.shapes import Input, ShapeKind

# Inputs that may raise ValueError: for memory that is short or not contiguous, short arrays,
# structs with too many values, text with a NUL.
CHECKED: frozenset[ShapeKind] = frozenset(
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
    substitute: str | None,
    history: str,
    summary: str | None,
) -> Doc:
    """What the docstring says."""
    return Doc(
        tuple(Value(one.python_name, parameter(context, draft, one)) for one in draft.every),
        tuple(Value(one.python_name, result(context, one)) for one in draft.results),
        tuple(filter(None, map(shown_default, draft.every))),
        summary or "",
        "" if returns_status else _bare(context, draft, substitute),
        f"{prototype};",
        history,
        ", ".join(filter(None, map(_short, context.function.errors))) if returns_status else "",
        tuple(_facts(context, draft)),
    )


def _bare(context: Context, draft: Draft, substitute: str | None) -> str:
    """What comes back where C gives no status."""
    names = [one.python_name for one in draft.results]
    alone = f"({', '.join(names)})" if len(names) > 1 else "".join(names)
    bare = context.function.result
    own = "" if bare.is_void else str(value(context, bare))
    results = f"({', '.join([own, *names])})" if own and names else own or alone or "None"
    if substitute:
        return f"{results.removesuffix(' or None')}, from a table of PyGPU's without a library"
    return results


def _facts(context: Context, draft: Draft) -> Iterator[str]:
    if _only_queues(context):
        yield "queues"
    if context.function.deprecated:
        yield "deprecated"
    if any(one.shape.kind != "text" for one in draft.every):  # no number is too large for a text
        yield "overflow_error"
    if any(_is_checked(context, one) for one in draft.every):
        yield "value_error"
    if any(one.capacity is not None for one in draft.locals):
        yield "memory_error"


def _only_queues(context: Context) -> bool:
    """Whether memory must be kept alive after the call, which only queues the work."""
    queued = any(context.types.is_stream(one.type) for one in context.function.parameters)
    structs = "Async" in context.function.name and any(map(_is_struct, context.decisions.values()))
    return queued and (structs or any(map(_leads_to_memory, context.decisions.values())))


def _leads_to_memory(decision: Decision) -> bool:
    if decision.kind == "array":
        return decision.options.get("of") in ("readable", "writable")
    return decision.kind in ("readable", "writable")


def _is_struct(decision: Decision) -> bool:
    return decision.kind == "struct"


def _short(code: str) -> str:
    """A code without the common prefix: "InvalidValue", "INVALID_INPUT"."""
    return code.partition("Error")[2] or code.partition("ERROR_")[2]


def _is_checked(context: Context, one: Input) -> bool:
    return one.shape.kind in CHECKED or context.types.is_struct(one.shape.value)
