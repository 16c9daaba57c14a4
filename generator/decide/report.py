"""What `update` prints of a release's new functions: Python's signature, and who decided what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from generator.decide.decide import decide
from generator.decide.decision import Decision
from generator.diff import prototype
from generator.handles import as_handles
from generator.merge import brought, covers
from generator.model import Api, CType, Function
from generator.review import is_reviewed, settled
from generator.rules import Rules

# What decided a parameter, in words.
BY: Mapping[str, str] = {"type": "by its type", "rule": "by a rule", "evidence": "by evidence"}


def functions(api: Api, rules: Rules, release: str) -> Iterator[str]:
    """One text for each function that a release brought, or gave another form."""
    api = as_handles(api)
    decisions, new = decide(api, rules), brought(api, release)
    for name, forms in api.functions.items():
        index = next((at for at, one in enumerate(forms) if one.since == release), None)
        if index is None or rules.exclude(name) is not None:
            continue
        if index == 0 and name not in new:
            continue
        node, decided = forms[index].node, decisions[name, index]
        if index == 0:
            yield "\n".join([signature(node, decided), *_parameters(node, decided)])
        elif (at := settled(forms, rules.reviewed)) != index:
            yield f"{prototype(node)}\n    another form; Python keeps that of {forms[at].until}"
        elif not is_reviewed(forms[index], rules.reviewed):
            yield f"{prototype(node)}\n    another form, which nobody has read"


def signature(node: Function, decided: Sequence[Decision]) -> str:
    """The Python signature: inputs in C's order, counts that may be left out, and the results."""
    inputs, keywords, outputs = [], [], []
    for parameter, decision in zip(node.parameters, decided, strict=True):
        if decision.is_result:
            outputs.append(parameter.name)
        if decision.kind == "count" and parameter.type.is_pointer:
            if not decision.is_output:
                keywords.append(f"{parameter.name}=None")
        elif not decision.is_output:
            default = "" if parameter.default is None else f"={parameter.default}"
            inputs.append(parameter.name + default)
    if node.result != CType("void"):
        outputs.append(str(node.result))
    results = f"({', '.join(outputs)})" if len(outputs) > 1 else "".join(outputs) or "None"
    return (
        f"{node.name}({', '.join([*inputs, *(['*'] if keywords else []), *keywords])}) -> {results}"
    )


def _parameters(node: Function, decided: Sequence[Decision]) -> Iterator[str]:
    for parameter, decision in zip(node.parameters, decided, strict=True):
        by = f", {BY[decision.by]}" if decision.by in BY else ""
        why = "" if decision.by == "type" or not decision.reason else f": {decision.reason}"
        yield f"    {parameter.type.declare(parameter.name)}: {decision.kind}{by}{why}"


def defaults(api: Api, release: str) -> Iterator[str]:
    """The defaults that a release changes for a parameter of the same function."""
    for name, forms in api.functions.items():
        for before, after in pairwise(forms):
            if after.since != release or not covers(after, release):
                continue
            pairs = zip(before.node.parameters, after.node.parameters, strict=False)
            for old, new in pairs:
                if (old.name, old.type) == (new.name, new.type) and old.default != new.default:
                    yield (
                        f"{name}.{new.name}: the default is {new.default or 'none'} here; Python"
                        f" keeps {old.default or 'none'}"
                    )
