"""Documents with one mistake: cut, with missing keys, or with values of another type or size."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

# Replacement values. Most have another type than the value that they replace.
WRONG: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**70, 1.5, "", " ", "None", "lambda", "no_such_t", "../../x"),
    *("void", "int *", "const", "a\nb", "99.9", "x" * 300, "\u00fc", [], {}, [[]], [None], {"": 0}),
)


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside a document."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*path, key))


def mutated(document: Any, random: Random, paths: list[tuple[Any, ...]]) -> tuple[str, Any]:
    """A copy with one change, and a description of the change."""
    path = random.choice(paths)
    changed = copy.deepcopy(document)
    owner = changed
    for key in path[:-1]:
        owner = owner[key]
    last = path[-1]
    what = random.choice(("drop", "replace", "replace", "replace", "twice", "rename", "swap"))
    if what == "twice" and isinstance(owner, list):
        owner.append(copy.deepcopy(owner[last]))
    elif what == "rename" and isinstance(owner, dict):
        owner[random.choice(("odd", "", "None", "a b", "class", "int"))] = owner.pop(last)
    elif what == "swap":
        other = random.choice(paths)
        value: Any = document
        for key in other:
            value = value[key]
        owner[last] = copy.deepcopy(value)
    elif what == "drop":
        del owner[last]
    else:
        owner[last] = random.choice(WRONG)
        what = f"replace by {owner[last]!r}"
    return f"{what} at {'.'.join(map(str, path))}", changed


def cut(text: str, random: Random) -> str:
    """A text that ends too early or lacks a piece."""
    begin = random.randrange(len(text))
    end = random.choice((len(text), min(len(text), begin + random.randrange(1, 40))))
    return text[:begin] + text[end:]


def as_toml(node: Any) -> str:
    """A document as TOML: tables of tables at the top, deeper values inline."""
    lines = []
    for key, value in node.items():
        if isinstance(value, dict):
            lines.append(f"[{_key(key)}]")
            lines += [f"{_key(name)} = {_inline(inner)}" for name, inner in value.items()]
        else:
            lines.insert(0, f"{_key(key)} = {_inline(value)}")
    return "\n".join(lines) + "\n"


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def _key(name: Any) -> str:
    return json.dumps(str(name), ensure_ascii=False)
