"""api.json: the merged model as sorted, diffable text, and back. A round trip is the identity.

A variant has "since" only if that isn't the first listed release, and "until" only if it isn't the
last one. So a new release changes only the lines of what it changes. For the same reason each
enumerator of an enum stands there once, with its own range.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from generator.document import DocumentError
from generator.errors import GeneratorError
from generator.files import read_file
from generator.merge import KINDS
from generator.model import (
    Alias,
    Api,
    Callback,
    CType,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Macro,
    Parameter,
    Source,
    Struct,
    Variant,
)
from generator.stored import check_document, check_model, check_ranges

FORMAT = 1
_WIDTH = 110
Json = dict[str, Any]


class StoreError(GeneratorError):
    """An api.json that can't be read."""


def load(path: Path) -> Api:
    """Read a model. StoreError when the file is missing or isn't a model of this format."""
    try:
        return loads(read_file(path).decode())
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    except (DocumentError, ValueError, RecursionError) as error:
        raise StoreError(f"{path}: not a model of format {FORMAT}: {error}") from error


def dumps(api: Api) -> str:
    """A model as text."""
    return _pretty(document(api), 0) + "\n"


def document(api: Api) -> Json:
    """A model as what JSON can hold."""
    first, last = api.releases[0], api.releases[-1]
    made: Json = {"format": FORMAT, "api": api.name, "releases": list(api.releases)}
    for kind in KINDS:
        nodes: Mapping[str, tuple[Variant[Any], ...]] = getattr(api, kind)
        if kind == "enums":
            made[kind] = {name: _write_enum(api, nodes[name]) for name in sorted(nodes)}
            continue
        write = _WRITERS[kind]
        made[kind] = {
            name: [_range(v.since, v.until, first, last) | write(v.node) for v in nodes[name]]
            for name in sorted(nodes)
        }
    return made


def loads(text: str) -> Api:
    """Read back what dumps() wrote. DocumentError or ValueError for anything else."""
    read = json.loads(text, object_pairs_hook=_once)
    check_document(read, "")
    check_ranges(read)
    releases = tuple(read["releases"])
    kinds: dict[str, dict[str, tuple[Variant[Any], ...]]] = {}
    for kind in KINDS:
        if kind == "enums":
            kinds[kind] = {n: _read_enum(releases, n, item) for n, item in read[kind].items()}
            continue
        make = _READERS[kind]
        kinds[kind] = {
            name: tuple(Variant(*_read_range(item, releases), make(name, item)) for item in items)
            for name, items in read[kind].items()
        }
    api = Api(read["api"], releases, **kinds)
    check_model(api)
    return api


def _once(pairs: list[tuple[str, Any]]) -> Json:
    """A table whose keys all differ."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise DocumentError(f"{', '.join(twice)} is there twice")
    return found


# Ranges


def _range(since: str, until: str, first: str, last: str) -> Json:
    return _given(since=since if since != first else None, until=until if until != last else None)


def _read_range(item: Json, releases: Sequence[str]) -> tuple[str, str]:
    return item.get("since", releases[0]), item.get("until", releases[-1])


# Nodes


def _write_function(node: Function) -> Json:
    return _given(
        symbol=node.symbol if node.symbol != node.name else None,
        per_thread=node.per_thread,
        group=node.group,
        deprecated=node.deprecated or None,
        source=str(node.source),
        result=str(node.result),
        parameters=[_write_parameter(parameter) for parameter in node.parameters],
        errors=list(node.errors) or None,
    )


def _read_function(name: str, item: Json) -> Function:
    return Function(
        name,
        item.get("symbol", name),
        _type(item["result"]),
        tuple(_read_parameter(parameter) for parameter in item["parameters"]),
        item["group"],
        _source(item["source"]),
        item.get("per_thread"),
        tuple(item.get("errors", ())),
        item.get("deprecated", False),
    )


def _write_parameter(node: Parameter) -> Json:
    return _given(
        name=node.name,
        type=str(node.type),
        default=node.default,
        tag=node.tag,
        returned=node.returned or None,
        several=node.several or None,
        counted=node.counted,
        optional=node.optional or None,
        placed=node.placed or None,
    )


def _read_parameter(item: Json) -> Parameter:
    return Parameter(
        item["name"],
        _type(item["type"]),
        item.get("default"),
        item.get("tag"),
        item.get("returned", False),
        item.get("several", False),
        item.get("counted"),
        item.get("optional", False),
        item.get("placed", False),
    )


def _write_struct(node: Struct) -> Json:
    return _given(
        kind=node.kind,
        size=node.size,
        align=node.align,
        source=str(node.source),
        fields=[
            _given(name=field.name, type=str(field.type), offset=field.offset, bits=field.bits)
            for field in node.fields
        ],
    )


def _read_struct(name: str, item: Json) -> Struct:
    return Struct(
        name,
        item["kind"],
        item["size"],
        item["align"],
        tuple(
            Field(field["name"], _type(field["type"]), field["offset"], field.get("bits"))
            for field in item["fields"]
        ),
        _source(item["source"]),
    )


def _write_macro(node: Macro) -> Json:
    return _given(value=node.value, type=node.type, source=str(node.source))


def _read_macro(name: str, item: Json) -> Macro:
    return Macro(name, item["value"], _source(item["source"]), item.get("type"))


def _write_alias(node: Alias) -> Json:
    return _given(type=str(node.type), source=str(node.source))


def _read_alias(name: str, item: Json) -> Alias:
    return Alias(name, _type(item["type"]), _source(item["source"]))


def _write_handle(node: Handle) -> Json:
    return _given(struct=node.struct, const=node.const or None, source=str(node.source))


def _read_handle(name: str, item: Json) -> Handle:
    return Handle(name, item["struct"], item.get("const", False), _source(item["source"]))


def _write_callback(node: Callback) -> Json:
    return _given(
        source=str(node.source),
        result=str(node.result),
        parameters=[_write_parameter(parameter) for parameter in node.parameters],
    )


def _read_callback(name: str, item: Json) -> Callback:
    return Callback(
        name,
        _type(item["result"]),
        tuple(_read_parameter(parameter) for parameter in item["parameters"]),
        _source(item["source"]),
    )


_WRITERS: dict[str, Callable[[Any], Json]] = {
    "functions": _write_function,
    "structs": _write_struct,
    "macros": _write_macro,
    "aliases": _write_alias,
    "handles": _write_handle,
    "callbacks": _write_callback,
}
_READERS: dict[str, Callable[[str, Json], Any]] = {
    "functions": _read_function,
    "structs": _read_struct,
    "macros": _read_macro,
    "aliases": _read_alias,
    "handles": _read_handle,
    "callbacks": _read_callback,
}


def _given(**values: object) -> Json:
    return {name: value for name, value in values.items() if value is not None}


def _source(text: str) -> Source:
    header, _, line = text.rpartition(":")
    return Source(header, int(line))


@cache
def _type(text: str) -> CType:
    return CType.parse(text)


# Enums


def _write_enum(api: Api, variants: Sequence[Variant[Enum]]) -> Json:
    """One line for each enumerator, with its ranges; full variants if that would lose the order."""
    first, last = api.releases[0], api.releases[-1]
    place = {version: index for index, version in enumerate(api.releases)}
    entries: dict[Enumerator, list[list[int]]] = {}
    for variant in reversed(variants):  # the newest form's order leads
        for enumerator in variant.node.enumerators:
            entries.setdefault(enumerator, []).insert(
                0, [place[variant.since], place[variant.until]]
            )
    lines = []
    for enumerator in sorted(entries, key=lambda entry: entry.value):
        line: Json = {"name": enumerator.name, "value": enumerator.value}
        if enumerator.deprecated:
            line["deprecated"] = True
        ranges = _joined(entries[enumerator])
        for since, until in ranges if len(ranges) == 1 else ():
            line |= _range(api.releases[since], api.releases[until], first, last)
        if len(ranges) > 1:
            line["in"] = [[api.releases[since], api.releases[until]] for since, until in ranges]
        lines.append(line)
    forms: list[Json] = []
    for variant in variants:
        span = _range(variant.since, variant.until, first, last)
        form = span | {"underlying": variant.node.underlying, "source": str(variant.node.source)}
        forms.append(form)
    item: Json = {"variants": forms, "enumerators": lines}
    name = variants[0].node.name
    if [v.node.enumerators for v in _read_enum(api.releases, name, item)] != [
        v.node.enumerators for v in variants
    ]:
        for form, variant in zip(forms, variants, strict=True):
            form["enumerators"] = [
                _given(name=e.name, value=e.value, deprecated=e.deprecated or None)
                for e in variant.node.enumerators
            ]
        return {"variants": forms}
    return item


def _read_enum(releases: Sequence[str], name: str, item: Json) -> tuple[Variant[Enum], ...]:
    place = {version: index for index, version in enumerate(releases)}
    shared = [
        (
            Enumerator(line["name"], line["value"], line.get("deprecated", False)),
            line.get("in") or [_read_range(line, releases)],
        )
        for line in item.get("enumerators", ())
    ]
    variants = []
    for form in item["variants"]:
        since, until = _read_range(form, releases)
        if "enumerators" in form:
            enumerators = tuple(
                Enumerator(e["name"], e["value"], e.get("deprecated", False))
                for e in form["enumerators"]
            )
        else:
            enumerators = tuple(
                enumerator
                for enumerator, ranges in shared
                if any(place[low] <= place[since] <= place[high] for low, high in ranges)
            )
        enum = Enum(name, form["underlying"], enumerators, _source(form["source"]))
        variants.append(Variant(since, until, enum))
    return tuple(variants)


def _joined(ranges: Iterable[list[int]]) -> list[list[int]]:
    """Neighbouring ranges as one."""
    joined: list[list[int]] = []
    for since, until in ranges:
        if joined and joined[-1][1] + 1 == since:
            joined[-1][1] = until
        else:
            joined.append([since, until])
    return joined


# Text


def _pretty(value: Any, indent: int) -> str:
    """JSON with a value on one line where it fits, else one item a line."""
    if not isinstance(value, dict | list) or not value:
        return json.dumps(value)
    if indent > 1:
        line = json.dumps(value)
        if len(line) + 2 * indent <= _WIDTH:
            return line
    space = "  " * (indent + 1)
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return _wrapped(value, indent)
    if isinstance(value, list):
        items = [_pretty(item, indent + 1) for item in value]
        opening, closing = "[", "]"
    else:
        items = [f"{json.dumps(key)}: {_pretty(item, indent + 1)}" for key, item in value.items()]
        opening, closing = "{", "}"
    body = f",\n{space}".join(items)
    return f"{opening}\n{space}{body}\n{'  ' * indent}{closing}"


def _wrapped(values: list[Any], indent: int) -> str:
    """A list of scalars on as few lines as they fit on."""
    space = "  " * (indent + 1)
    lines = [""]
    for index, value in enumerate(values):
        text = json.dumps(value) + ("," if index + 1 < len(values) else "")
        if lines[-1] and len(space) + len(lines[-1]) + 1 + len(text) > _WIDTH:
            lines.append(text)
        else:
            lines[-1] += (" " if lines[-1] else "") + text
    body = f"\n{space}".join(lines)
    return f"[\n{space}{body}\n{'  ' * indent}]"
