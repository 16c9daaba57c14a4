"""api.json: the merged model as sorted, diffable text, and back. A round trip is the identity.

The classes of model.py are the schema. store_spans.py says how a form's releases stand there,
store_enums.py how enums do, store_text.py how the text is laid out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from generator import schema, store_enums
from generator.errors import GeneratorError
from generator.files import read_file
from generator.merge import KINDS
from generator.model import (
    Alias,
    Api,
    Callback,
    Function,
    Handle,
    Macro,
    Struct,
    Variant,
)
from generator.schema import Name, Release, SchemaError, TypeName, least, one_of
from generator.store_spans import Span, check_order, following, span
from generator.store_text import pretty
from generator.stored import check_model

FORMAT = 1
# The keys of a declaration that come first; the others follow in the order of its fields.
_FIRST = (
    *("since", "until", "symbol", "per_thread", "group", "deprecated", "kind", "size", "align"),
    *("struct", "const", "value", "type", "underlying", "source"),
)
Json = dict[str, Any]
_Forms = Annotated[tuple[Mapping[str, Any], ...], least(1)]
_NODES: Mapping[str, type] = {
    "functions": Function,
    "structs": Struct,
    "macros": Macro,
    "aliases": Alias,
    "handles": Handle,
    "callbacks": Callback,
}


class StoreError(GeneratorError):
    """An api.json that can't be read."""


@dataclass(frozen=True, slots=True)
class _Document:
    format: Annotated[int, one_of(FORMAT)]
    api: Name
    releases: Annotated[tuple[Release, ...], least(1)]
    functions: Mapping[Name, _Forms]
    structs: Mapping[TypeName, _Forms]
    enums: Mapping[TypeName, store_enums.StoredEnum]
    macros: Mapping[Name, _Forms]
    aliases: Mapping[TypeName, _Forms]
    handles: Mapping[TypeName, _Forms]
    callbacks: Mapping[TypeName, _Forms]


def load(path: Path) -> Api:
    """Read a model. StoreError when the file is missing or isn't a model of this format."""
    try:
        return loads(read_file(path).decode())
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    except (SchemaError, ValueError, RecursionError) as error:
        raise StoreError(f"{path}: not a model of format {FORMAT}: {error}") from error


def dumps(api: Api) -> str:
    """A model as text."""
    return pretty(document(api)) + "\n"


def document(api: Api) -> Json:
    """A model as what JSON can hold."""
    written: Json = {"format": FORMAT, "api": api.name, "releases": list(api.releases)}
    for kind in KINDS:
        nodes: Mapping[str, tuple[Variant[Any], ...]] = getattr(api, kind)
        written[kind] = {
            name: _enum(api, nodes[name])
            if kind == "enums"
            else [_form(api, form) for form in nodes[name]]
            for name in sorted(nodes)
        }
    return written


def _enum(api: Api, forms: Sequence[Variant[Any]]) -> Json:
    enum = schema.write(store_enums.store(api, forms))
    return enum | {"variants": [_ordered(one) for one in enum["variants"]]}


def _form(api: Api, form: Variant[Any]) -> Json:
    node = schema.write(span(api.releases, form.since, form.until)) | schema.write(form.node)
    if node.get("symbol") == node["name"]:
        del node["symbol"]
    del node["name"]
    return _ordered(node)


def _ordered(node: Json) -> Json:
    return {key: node[key] for key in _FIRST if key in node} | node


def loads(text: str) -> Api:
    """Read back what dumps() wrote. SchemaError or ValueError for anything else."""
    read = schema.read(_Document, json.loads(text, object_pairs_hook=_once))
    check_order(read.releases)
    kinds: dict[str, dict[str, tuple[Variant[Any], ...]]] = {
        kind: {
            name: tuple(
                store_enums.read(read.releases, name, forms)
                if kind == "enums"
                else _variants(kind, name, forms, read.releases)
            )
            for name, forms in getattr(read, kind).items()
        }
        for kind in KINDS
    }
    api = Api(read.api, read.releases, **kinds)
    check_model(api)
    return api


def _once(pairs: list[tuple[str, Any]]) -> Json:
    """A table whose keys all differ."""
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        twice = sorted({name for name in names if names.count(name) > 1})
        raise SchemaError(f"{', '.join(twice)} is there twice")
    return table


def _variants(
    kind: str, name: str, forms: Sequence[Mapping[str, Any]], releases: Sequence[str]
) -> Iterator[Variant[Any]]:
    where = f"{kind}.{name}"
    said = [{key: form[key] for key in ("since", "until") if key in form} for form in forms]
    spans = [schema.read(Span, one, f"{where}[{at}]") for at, one in enumerate(said)]
    for at, (since, until) in enumerate(following(releases, spans, where)):
        own = {key: value for key, value in forms[at].items() if key not in ("since", "until")}
        if kind == "functions":
            own = {"symbol": name} | own
        node: Any = schema.read(_NODES[kind], own, f"{where}[{at}]", name=name)
        yield Variant(since, until, node)
