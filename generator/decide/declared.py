"""Rules that a release's new types may want: owners of handles, fields of structs, aliases."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from generator.decide.shape import Shape, is_integer, resolve, shape
from generator.decide.votes import counting
from generator.handles import as_handles, class_of
from generator.merge import brought
from generator.model import Api, CType, Field, Function, Struct
from generator.rules import Rules

_DATA = CType("void", pointers=(False,))
# Words in the names of functions that make a handle, and of functions that end it.
_MAKES = re.compile(
    "(Create|Open|New|Init|Make|Alloc|Load|Start|Begin|create|open|new|init|make|alloc|load"
    "|start|begin)(?![a-z])"
)
_ENDS = re.compile(
    "(Destroy|Free|Release|Close|Delete|Term|Fini|Finish|End|Unload|Stop|destroy|free|release|close"
    "|delete|term|fini|finish|end|unload|stop)(?![a-z])"
)


def tables(api: Api, rules: Rules, release: str) -> Iterator[str]:
    """Tables to paste for the types that the release brought; a comment if no table is possible."""
    new = brought(api, release)
    yield from _handles(api, rules, new)
    yield from _aliases(api, rules, new)
    yield from _callbacks(api, new)
    for name, forms in api.structs.items():
        if name not in new or rules.of_struct(name, name):
            continue
        rows = list(_fields(api, forms[-1].node))
        if any(row.startswith("field.") for row in rows):
            yield "\n".join([f'[struct."{name}"]', *rows])
        elif rows:
            yield "\n".join(f"# {name}.{row.removeprefix('# ')}" for row in rows)


@dataclass(frozen=True, slots=True)
class Owner:
    """How Python can own a handle. `kinds` are those of the functions' parameters that it needs.

    `status` is the integer that the functions return, if it has to be a status for that.
    """

    handle: str
    create: str
    destroy: str
    kinds: Mapping[tuple[str, str], str]
    status: str | None

    def __str__(self) -> str:
        needed = f'; with [status] type = "{self.status}" in api.toml' if self.status else ""
        return (
            f"# {self.handle}: a handle; with this, Python can own one{needed}\n"
            f'[handle.{self.handle}]\ncreate = "{self.create}"\ndestroy = "{self.destroy}"'
        )


def owners(api: Api, rules: Rules) -> Iterator[Owner]:
    """The handles that two functions make and end, by their names and types."""
    api = as_handles(api)
    for name in sorted({class_of(one) for one in api.handles} - rules.handles.keys()):
        if owner := _owner(api, name):
            yield owner


def _owner(api: Api, name: str) -> Owner | None:
    types = {CType(one) for one in api.handles if class_of(one) == name}
    make = next((one for one in _functions(api) if _makes(api, one, types)), None)
    end = next((one for one in _functions(api) if _ends(one, types)), None)
    if make is None or end is None:
        return None
    kinds = {
        (make.name, one.name): "out"
        for one in make.parameters
        if one.type.is_pointer and one.type.pointee in types
    }
    (ended,) = end.parameters
    if ended.type.is_pointer:
        kinds[end.name, ended.name] = "ended"
    status = str(make.result) if kinds and is_integer(api, make.result.base) else None
    return Owner(name, make.name, end.name, kinds, status)


def _handles(api: Api, rules: Rules, new: Set[str]) -> Iterator[str]:
    api = as_handles(api)
    for name in api.handles:
        if name not in new or class_of(name) in rules.handles:
            continue
        if owner := _owner(api, class_of(name)):
            yield str(owner)
        else:
            yield f"# {name}: no function pair creates and destroys it, so Python only passes it on"


def _functions(api: Api) -> Iterator[Function]:
    yield from (forms[-1].node for forms in api.functions.values())


def _makes(api: Api, function: Function, types: Set[CType]) -> bool:
    """Whether a function's only output is the handle, or it gives the handle and has no output."""
    rooms = [
        one.type for one in function.parameters if shape(api, one.type) in (Shape.SLOT, Shape.ROOM)
    ]
    outputs = [one.pointee for one in rooms] if rooms else [function.result]
    return len(outputs) == 1 and outputs[0] in types and _MAKES.search(function.name) is not None


def _ends(function: Function, types: Set[CType]) -> bool:
    """Whether a function ends the handle, its only parameter."""
    taken = [one.type for one in function.parameters]
    ended = len(taken) == 1 and (taken[0] in types or taken[0].pointee in types)
    return ended and _ENDS.search(function.name) is not None


def _aliases(api: Api, rules: Rules, new: Set[str]) -> Iterator[str]:
    for name, forms in api.aliases.items():
        type = forms[-1].node.type
        if name not in new or name in rules.types:
            continue
        if type == _DATA:
            note = f"# {name}: a void *; with this it is a number, as a handle is, and no memory"
            yield "\n".join([note, f'[type."{name}"]', 'kind = "value"'])
        else:
            yield f"# {name}: {type}, as which it is bound"


def _callbacks(api: Api, new: Set[str]) -> Iterator[str]:
    for name, forms in api.callbacks.items():
        if name in new:
            node = forms[-1].node
            parameters = ", ".join(str(one.type) for one in node.parameters)
            carriers = [one for one in node.parameters if one.type == _DATA]
            fits = node.result == CType("void") and len(carriers) == 1
            how = "a Python callable can stand in" if fits else "only the address of a C function"
            yield f"# {name}: a callback, {node.result} (*)({parameters}): {how}"


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


def _callable(field: Field, parameters: object, behind: tuple[Field, ...]) -> Iterator[str]:
    data = next((one.name for one in behind if one.type == _DATA), None)
    alone = isinstance(parameters, tuple) and [one.type for one in parameters] == [_DATA]
    if data and alone:
        yield f'field.{field.name} = {{ kind = "callback", user_data = "{data}" }}'
    else:
        yield f"# {field.name}: a callback that gets more than its data: an address"


def _is_array(api: Api, type: CType) -> bool:
    """Whether a field leads to values or structs whose size is known."""
    seen = resolve(api, type)
    return len(seen.pointers) == 1 and seen.base not in ("void", "char")
