"""Rules that a release's new types may want: owners of handles, fields of structs, aliases."""

from __future__ import annotations

from collections.abc import Iterator

from generator.decide.shape import Shape, resolve, shape
from generator.decide.votes import counting
from generator.model import Api, CType, Field, Function, Struct
from generator.rules import Rules

_DATA = CType("void", pointers=(False,))


def tables(api: Api, rules: Rules, release: str) -> Iterator[str]:
    """Tables to paste for the types that the release brought; a comment if no table is possible."""
    yield from _handles(api, rules, release)
    yield from _aliases(api, rules, release)
    yield from _callbacks(api, release)
    for name, forms in api.structs.items():
        if forms[0].since != release or rules.of_struct(name, name):
            continue
        rows = list(_fields(api, forms[-1].node))
        if any(row.startswith("field.") for row in rows):
            yield "\n".join([f'[struct."{name}"]', *rows])
        elif rows:
            yield "\n".join(f"# {name}.{row.removeprefix('# ')}" for row in rows)


def _handles(api: Api, rules: Rules, release: str) -> Iterator[str]:
    for name, forms in api.handles.items():
        if forms[0].since != release or name in rules.handles:
            continue
        handle = CType(name)
        makes = [one for one in _functions(api) if _makes(api, one, handle)]
        ends = [one for one in _functions(api) if [p.type for p in one.parameters] == [handle]]
        ends = [one for one in ends if any(w in one.name for w in ("Destroy", "Free", "Release"))]
        if makes and ends:
            rows = [f'create = "{makes[0].name}"', f'destroy = "{ends[0].name}"']
            note = f"# {name}: a handle; with this, Python can own one"
            yield "\n".join([note, f"[handle.{name}]", *rows])
        else:
            yield f"# {name}: a handle that Python can't own, as no two functions make and end it"


def _functions(api: Api) -> Iterator[Function]:
    yield from (forms[-1].node for forms in api.functions.values())


def _makes(api: Api, function: Function, handle: CType) -> bool:
    """Whether a function's only output is the handle."""
    rooms = [
        one.type for one in function.parameters if shape(api, one.type) in (Shape.SLOT, Shape.ROOM)
    ]
    return "Create" in function.name and rooms == [CType(handle.base, pointers=(False,))]


def _aliases(api: Api, rules: Rules, release: str) -> Iterator[str]:
    for name, forms in api.aliases.items():
        type = forms[-1].node.type
        if forms[0].since != release or name in rules.types:
            continue
        if type == _DATA:
            note = f"# {name}: a void *; with this it is a number, as a handle is, and no memory"
            yield "\n".join([note, f'[type."{name}"]', 'kind = "value"'])
        else:
            yield f"# {name}: {type}, as which it is bound"


def _callbacks(api: Api, release: str) -> Iterator[str]:
    for name, forms in api.callbacks.items():
        if forms[0].since == release:
            node = forms[-1].node
            given = ", ".join(str(one.type) for one in node.parameters)
            carriers = [one for one in node.parameters if one.type == _DATA]
            fits = node.result == CType("void") and len(carriers) == 1
            how = "a Python callable can stand in" if fits else "only the address of a C function"
            yield f"# {name}: a callback, {node.result} (*)({given}): {how}"


def _fields(api: Api, struct: Struct) -> Iterator[str]:
    """Rules for pointers that a field counts, and for callbacks with their data."""
    behind = {one.name: struct.fields[at + 1 :] for at, one in enumerate(struct.fields)}
    counts = [
        one for one in struct.fields if not one.type.is_pointer and counting(one.name) and one.name
    ]
    for field in struct.fields:
        callback = api.callbacks.get(field.type.base)
        if callback and not field.type.is_pointer:
            yield from _callable(field, callback[-1].node.parameters, behind[field.name])
        elif counts and _is_array(api, field.type):
            if len(counts) == 1:
                yield f'field.{field.name} = {{ kind = "array", count = "{counts[0].name}" }}'
            else:
                names = " or ".join(one.name for one in counts)
                yield f"# {field.name}: an array of {names}: an address"


def _callable(field: Field, given: object, behind: tuple[Field, ...]) -> Iterator[str]:
    data = next((one.name for one in behind if one.type == _DATA), None)
    alone = isinstance(given, tuple) and [one.type for one in given] == [_DATA]
    if data and alone:
        yield f'field.{field.name} = {{ kind = "callback", user_data = "{data}" }}'
    else:
        yield f"# {field.name}: a callback that gets more than its data: an address"


def _is_array(api: Api, type: CType) -> bool:
    """Whether a field leads to values or structs whose size is known."""
    seen = resolve(api, type)
    return len(seen.pointers) == 1 and seen.base not in ("void", "char")
