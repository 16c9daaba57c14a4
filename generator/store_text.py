"""The text of api.json: a value on one line where it fits, so that a change is a short diff."""

from __future__ import annotations

import json
from typing import Any

_WIDTH = 110


def pretty(value: Any, indent: int = 0) -> str:
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
        items = [pretty(item, indent + 1) for item in value]
        opening, closing = "[", "]"
    else:
        items = [f"{json.dumps(key)}: {pretty(item, indent + 1)}" for key, item in value.items()]
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
