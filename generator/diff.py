"""What one release has that another hasn't: added, removed and changed declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from generator.merge import release_of
from generator.model import (
    Alias,
    Api,
    Callback,
    Enum,
    Function,
    Handle,
    Macro,
    Parameter,
    Release,
    Struct,
)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `kind` is one of KINDS."""

    kind: str
    name: str
    change: str  # "added", "removed" or "changed"
    before: str
    after: str

    def as_json(self) -> dict[str, str]:
        """The fields by name."""
        return asdict(self)


def diff(api: Api, old: str, new: str) -> list[Change]:
    """The changes from one listed release to another. KeyError for a release that isn't listed."""
    return diff_releases(release_of(api, old), release_of(api, new))


def diff_releases(old: Release | None, new: Release) -> list[Change]:
    """The changes from one release, or from nothing, to another."""
    changes: list[Change] = []
    for kind, describe in _DESCRIPTIONS.items():
        before = {} if old is None else _described(old, kind, describe)
        after = _described(new, kind, describe)
        for name in sorted({*before, *after}):
            if name not in before:
                changes.append(Change(kind, name, "added", "", after[name]))
            elif name not in after:
                changes.append(Change(kind, name, "removed", before[name], ""))
            elif before[name] != after[name]:
                changes.append(Change(kind, name, "changed", before[name], after[name]))
    return changes


def prototype(node: Function) -> str:
    """A function as C++ declares it, with its symbols where they differ from the name."""
    parameters = ", ".join(map(_parameter, node.parameters))
    symbol = f" [{node.symbol}]" if node.symbol != node.name else ""
    per_thread = f" [per thread: {node.per_thread}]" if node.per_thread else ""
    return f"{node.result} {node.name}({parameters or 'void'}){symbol}{per_thread}"


def _parameter(node: Parameter) -> str:
    default = "" if node.default is None else f" = {node.default}"
    return f"{node.type} {node.name}".replace("* ", "*") + default


def layout(node: Struct) -> str:
    """A struct's size, alignment and fields on one line."""
    fields = ", ".join(
        f"{f.type} {f.name}@{f.offset}" + (f":{f.bits}" if f.bits else "") for f in node.fields
    )
    return f"{node.kind} of {node.size} bytes, aligned to {node.align} {{{fields}}}"


def described(change: Change) -> str:
    """A change as text; for a changed struct, without the fields that both forms have."""
    if change.change != "changed":
        return change.after or change.before
    if change.kind != "struct":
        return f"{change.before}\n{change.after}"
    before, after = _fields(change.before), _fields(change.after)
    return "\n".join(
        f"{text.partition('{')[0]}{{{', '.join(_only(own, other))}}}"
        for text, own, other in (
            (change.before, before, after),
            (change.after, after, before),
        )
    )


def _fields(layout: str) -> list[str]:
    return layout.partition("{")[2].removesuffix("}").split(", ")


def _only(own: list[str], other: list[str]) -> list[str]:
    """The fields of one form; "..." stands for fields that the other form has, too."""
    shown: list[str] = []
    for field in own:
        text = "..." if field in other else field
        if text != "..." or shown[-1:] != ["..."]:
            shown.append(text)
    return shown


def _described(release: Release, kind: str, describe: Callable[[Any], str]) -> dict[str, str]:
    if kind == "enumerator":
        enums: Mapping[str, Enum] = release.enums
        return {
            enumerator.name: f"{enum.name} {enumerator.value}"
            for enum in enums.values()
            for enumerator in enum.enumerators
        }
    nodes: Mapping[str, Any] = getattr(release, f"{kind}es" if kind == "alias" else f"{kind}s")
    return {name: describe(node) for name, node in nodes.items()}


def _macro(node: Macro) -> str:
    return f"({node.type}){node.value}" if node.type else str(node.value)


def _alias(node: Alias) -> str:
    return str(node.type)


def _handle(node: Handle) -> str:
    return f"{'const ' if node.const else ''}struct {node.struct} *"


def _callback(node: Callback) -> str:
    return f"{node.result} (*)({', '.join(map(_parameter, node.parameters)) or 'void'})"


_DESCRIPTIONS: dict[str, Callable[[Any], str]] = {
    "function": prototype,
    "struct": layout,
    "enumerator": str,
    "macro": _macro,
    "alias": _alias,
    "handle": _handle,
    "callback": _callback,
}
KINDS = tuple(_DESCRIPTIONS)
