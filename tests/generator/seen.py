"""What a user of one release sees of a plan: each name, and what it means there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from generator.cpp.types import entry_type
from generator.plan.binding import (
    BindingPlan,
    EntryPoint,
    PublicName,
    StructField,
    StructLayout,
    StructType,
)
from generator.plan.doc import Doc
from generator.plan.portable import Portable
from generator.plan.shapes import Result, Valid
from generator.plan.span import number

Seen = dict[tuple[str, str], Any]


def seen(plan: BindingPlan, release: str) -> Seen:
    """By sort and name: the functions, values, classes, layouts and tables that a release has."""
    at = number(release)
    return dict(_seen(plan, at))


def seen_by_portable(
    names: Iterable[Portable], cuda: BindingPlan, hip: BindingPlan, at: int
) -> Seen:
    """CUDA's names, and what they stand for on a release of HIP."""
    functions = {one.name for group in hip.groups.values() for one in group}
    values = {one.name: _name(hip, one) for one in hip.names if one.since <= at <= one.until}
    own = {one.name: _name(cuda, one) for one in cuda.names}
    found: Seen = {}
    for one in names:
        if one.since <= at <= one.until:
            there = one.hip in functions or values.get(one.hip) or own.get(one.hip)
            assert ("portable", one.cuda) not in found, one
            found["portable", one.cuda] = (one.hip, one.adapted, there)
    return found


def _seen(plan: BindingPlan, at: int) -> Iterator[tuple[tuple[str, str], Any]]:
    for entry in plan.entries:
        yield ("entry", entry.name), (_serving(entry, at), entry_type(entry))
    for group in plan.groups.values():
        for one in group:
            results = tuple(_kept(given, at) for given in one.results)
            told = asdict(replace(one, doc=_doc(one.doc), errors=(), group="", results=results))
            yield ("function", one.name), told
    for name in plan.names:
        if name.since <= at <= name.until:
            yield ("name", name.name), _name(plan, name)
    for enum, values in plan.enumerators.items():
        for one_name, span in values:
            if span.since <= at <= span.until:
                yield ("enumerator", f"{enum}.{one_name}"), span.value
    for struct in plan.struct_types:
        yield ("struct", struct.tag), (struct.name, struct.kind, _layout(plan, struct, at))
    for table in plan.typed:
        for case in table.cases:
            if not case.since <= at <= case.until:
                continue
            yield ("typed", f"{table.name}.{case.name}"), (table.union, _case(plan, case))
    for handle in plan.handles:
        yield ("handle", handle.name), handle
    for code, text in plan.errors:
        yield ("code", str(code)), text
    for helper in plan.helpers:
        yield ("helper", helper.name), (helper.parameters, helper.struct, helper.values)
    yield ("status", ""), (plan.status, plan.error_class, plan.error_aliases)


def _doc(doc: Doc) -> Doc:
    """What a docstring says but for the types, which other releases may change."""
    words = {"bare": "", "prototype": "", "releases": "", "errors": ""}
    return replace(doc, parameters=(), results=(), facts=(), **words)


def _kept(result: Result, at: int) -> Result:
    """A result that older forms lack: keeps whether it is there, but not since when."""
    if not result.valid or not result.valid.since:
        return result
    return replace(result, valid=Valid(since=int(result.valid.since <= at)))


def _serving(entry: EntryPoint, at: int) -> tuple[Any, ...]:
    """The symbols that a call reaches, or the adaptor, or nothing."""
    for one in entry.others:
        if one.since <= at <= one.until:
            return one.serves()
    return (entry.symbol, entry.per_thread, None)


def _name(plan: BindingPlan, name: PublicName) -> tuple[Any, ...]:
    of: Mapping[str, Any] = {
        "enum": plan.enums,
        "handle": plan.handles,
        "struct": plan.struct_types,
    }
    sort = "enum" if name.kind == "enumerator" else name.kind.removesuffix("_type")
    owner = of[sort][name.index].name if sort in of else ""
    return (name.kind, owner, name.value)


def _layout(plan: BindingPlan, struct: StructType, at: int) -> Any:
    """The layout that the loader would take, with nested layouts."""
    layouts = struct.layouts
    fitting = [one for one in layouts[1:] if number(one.since) <= at]
    layout: StructLayout = fitting[-1] if fitting else layouts[0]
    inner = [_nested(plan, one) for one in layout.fields]
    return (
        layout.size,
        inner,
        layout.lengths and [asdict(one) | {"nested": None} for one in layout.lengths],
    )


def _nested(plan: BindingPlan, field: StructField) -> Any:
    """A field. The tag and layout of a struct in it are given in place of indices."""
    told = asdict(field) | {"index": 0, "layout": 0, "item_index": 0}
    if field.role in ("nested", "enumeration", "handle"):
        of: Mapping[str, Any] = {
            "nested": plan.struct_types,
            "enumeration": plan.enums,
            "handle": plan.handles,
        }
        one = of[field.role][field.index]
        told["of"] = one.name
        if field.role == "nested":
            layout = one.layouts[field.layout]
            told["inner"] = [_nested(plan, each) for each in layout.fields]
    return told


def _case(plan: BindingPlan, case: Any) -> Any:
    told = asdict(replace(case, field=None, since=0, until=0))
    if case.field:
        # The loader takes the layout of the loaded release.
        told["field"] = _nested(plan, replace(case.field, role="plain")) | {"size": 0}
    return told


def differences(before: Seen, after: Seen) -> dict[tuple[str, str], object]:
    """Names that are gone or mean something else; new names don't count."""
    return {key: (old, after.get(key)) for key, old in before.items() if after.get(key) != old}
