"""Checks api.json while it is loaded (store.py), so that all readers can trust a model."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from generator.document import (
    Check,
    DocumentError,
    each,
    items,
    matching,
    name,
    number,
    one_of,
    table,
    text,
    true,
)
from generator.model import Api, CType, Struct
from generator.scalars import BUILTIN

# A struct without a name is called after its owner and its place there ("cudaResourceDesc.res").
type_name = matching(r"[A-Za-z_]\w*(\.\w+)*", "a type's name")
c_type = matching(
    r"(const )?[A-Za-z_][\w.]*( [A-Za-z_]\w*)*( (\*|\*const ?)+)?(\[\d{1,9}\])*",
    "a C type",
)
version = matching(r"\d{1,6}\.\d{1,6}", "a release such as 13.0")
_source = matching(r"[^\x00-\x1f]+:\d{1,9}", "a header and its line")
_integer = matching(
    r"(signed |unsigned )?char|(unsigned )?(short|int|long|long long)|u?int(8|16|32|64)_t|bool"
    r"|size_t|uintptr_t",
    "a type of whole numbers",
)
_value = number(-(2**63), 2**64 - 1)
_size = number(0, 2**31)
_span: Mapping[str, Check] = {"since": version, "until": version}
_parameter = table(
    {"name": name, "type": c_type},
    {
        "default": text,
        "tag": one_of("in", "out", "inout"),
        "returned": true,
        "several": true,
        "counted": name,
        "optional": true,
        "placed": true,
    },
)
_field = table(
    {"name": matching(r"\w*", "a field's name"), "type": c_type, "offset": _size},
    {"bits": number(0, 64)},
)
_enumerator = table({"name": name, "value": _value}, {"deprecated": true})
_NODES: Mapping[str, tuple[Mapping[str, Check], Mapping[str, Check]]] = {
    "functions": (
        {"group": matching(r"\w+", "a group"), "result": c_type, "parameters": items(_parameter)},
        {"symbol": name, "per_thread": name, "deprecated": true, "errors": items(name)},
    ),
    "structs": (
        {
            "kind": one_of("struct", "union"),
            "size": _size,
            "align": one_of(*(2**power for power in range(13))),
            "fields": items(_field),
        },
        {},
    ),
    "macros": ({"value": _value}, {"type": c_type}),
    "aliases": ({"type": c_type}, {}),
    "handles": ({"struct": type_name}, {"const": true}),
    "callbacks": ({"result": c_type, "parameters": items(_parameter)}, {}),
}
_ENUM = table(
    {
        "variants": items(
            table(
                {"underlying": _integer, "source": _source},
                {**_span, "enumerators": items(_enumerator)},
            ),
            1,
        )
    },
    {
        "enumerators": items(
            table(
                {"name": name, "value": _value},
                {**_span, "deprecated": true, "in": items(items(version, 2), 1)},
            )
        )
    },
)
_TYPES = ("structs", "aliases", "handles", "callbacks")
check_document = table(
    {
        "format": one_of(1),
        "api": name,
        "releases": items(version, 1),
        "enums": each(_ENUM, type_name),
        **{
            kind: each(
                items(table({**required, "source": _source}, {**optional, **_span}), 1),
                type_name if kind in _TYPES else name,
            )
            for kind, (required, optional) in _NODES.items()
        },
    }
)


def check_ranges(document: Mapping[str, Any]) -> None:
    """Check that the releases are in order, and that the forms of a name don't overlap."""
    releases: list[str] = document["releases"]
    keys = [tuple(map(int, one.split("."))) for one in releases]
    if keys != sorted(set(keys)):
        raise DocumentError("releases: not in order, or not each once")
    place = {release: index for index, release in enumerate(releases)}
    for kind in (*_NODES, "enums"):
        for named, forms in document[kind].items():
            held = forms["variants"] if kind == "enums" else forms
            before = -1
            for at, form in enumerate(held):
                where = f"{kind}.{named}[{at}]"
                since, until = _ends(form, releases, place, where)
                if not before < since <= until:
                    raise DocumentError(f"{where}: the forms don't follow one another")
                before = until
            for at, one in enumerate(forms.get("enumerators", ()) if kind == "enums" else ()):
                where = f"enums.{named}.enumerators[{at}]"
                _ends(one, releases, place, where)
                for low, high in one.get("in", ()):
                    _ends({"since": low, "until": high}, releases, place, where)


def _ends(
    form: Mapping[str, Any], releases: list[str], place: Mapping[str, int], where: str
) -> tuple[int, int]:
    ends = form.get("since", releases[0]), form.get("until", releases[-1])
    for end in ends:
        if end not in place:
            raise DocumentError(f"{where}: {end} is no release of this API")
    since, until = (place[end] for end in ends)
    if since > until:
        raise DocumentError(f"{where}: ends before it begins")
    return since, until


def check_model(api: Api) -> None:
    """Check that names are unique, and that all types are known and finite."""
    known = {*BUILTIN, *api.structs, *api.enums, *api.aliases, *api.handles, *api.callbacks}
    for where, names in _named(api):
        if twice := {one for one in names if names.count(one) > 1}:
            raise DocumentError(f"{where}: {', '.join(sorted(twice))} is there twice")
    held: dict[str, set[str]] = {}
    for alias, forms in api.aliases.items():
        held.setdefault(alias, set()).update(one.node.type.base for one in forms)
    for struct, variants in api.structs.items():
        for one in variants:
            _check_layout(one.node, f"structs.{struct}", api.structs)
            inner = {field.type.base for field in one.node.fields if not field.type.is_pointer}
            held.setdefault(struct, set()).update(inner)
    _refuse_circles(held)
    for where, type in _types(api):
        while not type.is_pointer and type.base in api.aliases:
            type = api.aliases[type.base][-1].node.type
        if not type.is_pointer and type.base not in known:
            raise DocumentError(f"{where}: unknown type {type}")
        if not type.is_pointer and type.base == "void" and not where.endswith(".result"):
            raise DocumentError(f"{where}: nothing is of type void")


def _named(api: Api) -> Iterator[tuple[str, list[str]]]:
    for kind, declared in (("functions", api.functions), ("callbacks", api.callbacks)):
        for named, forms in declared.items():
            for form in forms:
                yield f"{kind}.{named}", [one.name for one in form.node.parameters if one.name]
    for named, structs in api.structs.items():
        for struct in structs:
            yield f"structs.{named}", [one.name for one in struct.node.fields if one.name]
    for named, enums in api.enums.items():
        for enum in enums:
            yield f"enums.{named}", [one.name for one in enum.node.enumerators]


def _types(api: Api) -> Iterator[tuple[str, CType]]:
    for kind, declared in (("functions", api.functions), ("callbacks", api.callbacks)):
        for named, forms in declared.items():
            for form in forms:
                yield f"{kind}.{named}.result", form.node.result
                for one in form.node.parameters:
                    yield f"{kind}.{named}.{one.name}", one.type
    for named, structs in api.structs.items():
        for struct in structs:
            for field in struct.node.fields:
                yield f"structs.{named}.{field.name}", field.type


def _check_layout(struct: Struct, where: str, structs: Container[str]) -> None:
    for index, field in enumerate(struct.fields):
        holds_more = not field.type.is_pointer and field.type.base in structs
        if not field.name and field.bits is None and not holds_more:
            raise DocumentError(f"{where}.fields[{index}]: a field without a name is a struct")
        begin = field.offset if field.bits is None else field.offset // 8
        if begin > struct.size:
            raise DocumentError(
                f"{where}.{field.name}: lies behind the struct's {struct.size} bytes"
            )


def _refuse_circles(held: Mapping[str, set[str]]) -> None:
    """Refuse types that are made of themselves."""
    done: set[str] = set()
    for start in held:
        path: list[str] = []
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            one, left = stack.pop()
            if left:
                path.pop()
                done.add(one)
            elif one in path:
                raise DocumentError(f"{one}: a type that is made of itself")
            elif one in held and one not in done:
                path.append(one)
                stack.append((one, True))
                stack += [(inner, False) for inner in held[one]]
