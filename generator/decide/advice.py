"""The rule that would decide a parameter which is a bare address for want of one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from generator.decide.decide import decide
from generator.decide.decision import Decision
from generator.decide.shape import Shape, shape
from generator.decide.votes import counts
from generator.merge import covers
from generator.model import Api, Function, Parameter
from generator.rules import Rules

# The rule that most parameters of a shape have, and the other kinds that they may be of. `{count}`
# is a parameter that counts elements, `{data}` a void *.
LIKELY: Mapping[Shape, tuple[str, str]] = {
    Shape.MEMORY: ('kind = "address"', "readable, writable, user_data, typed_by"),
    Shape.ROOM: ('kind = "struct"', "out, inout, array, out_array"),
    Shape.SLOT: ('kind = "out"', "inout, array, out_array, out_lent"),
    Shape.VALUES: ('kind = "array", count = "{count}"', "readable"),
    Shape.STRUCT: ('kind = "array", count = "{count}"', "struct"),
    Shape.CHARS: ('kind = "out_text", capacity = "{count}"', "writable"),
    Shape.CALLBACK: ('kind = "callback", user_data = "{data}", lives = "once"', "raw"),
}


@dataclass(frozen=True, slots=True)
class Advice:
    """A raw parameter, why it is raw, and a rule for it as rules.toml has them."""

    function: str
    parameter: str
    reason: str
    rule: str
    others: str

    def __str__(self) -> str:
        others = f"; or one of: {self.others}" if self.others else ""
        return (
            f"# {self.function}.{self.parameter}: {self.reason}{others}\n"
            f"[function.{self.function}]\nparameter.{self.parameter} = {{ {self.rule} }}"
        )


class Peer:
    """Another vendor's API, whose functions are this one's under another prefix."""

    def __init__(self, api: Api, rules: Rules, prefix: str, ours: str) -> None:
        """`prefix` is what its functions' names begin with, `ours` what these do."""
        self._api = api
        self._decisions = decide(api, rules)
        self._prefix, self._ours = prefix, ours

    def advice(self, function: Function, parameter: Parameter) -> Advice | None:
        """The rule of the parameter's namesake; None where there is none that would do here."""
        name = self._prefix + function.name.removeprefix(self._ours)
        ours = {one.name for one in function.parameters}
        for index, form in reversed([*enumerate(self._api.functions.get(name, ()))]):
            theirs = [one.name for one in form.node.parameters]
            decided = dict(zip(theirs, self._decisions[name, index], strict=True))
            decision = decided.get(parameter.name)
            if decision is None or decision.by == "raw":
                continue
            named = {one for one in decision.options.values() if isinstance(one, str)}
            if named & decided.keys() <= ours:
                rule = self._rule(decision)
                return Advice(function.name, parameter.name, f"{name} has this rule", rule, "")
        return None

    def _rule(self, decision: Decision) -> str:
        settings = {"kind": decision.kind, **decision.options}
        return ", ".join(f"{key} = {self._value(value)}" for key, value in settings.items())

    def _value(self, value: object) -> str:
        if isinstance(value, str) and value.startswith(self._prefix):  # a function
            value = self._ours + value.removeprefix(self._prefix)
        return json.dumps(value)


def advise(api: Api, rules: Rules, release: str, peers: Sequence[Peer] = ()) -> Iterator[Advice]:
    """What a release's functions have raw without a rule that says so, by function and place.

    The rule is that of a peer's function of this name, else the likeliest for the type's shape.
    """
    decisions = decide(api, rules)
    for name, variants in api.functions.items():
        for index, variant in enumerate(variants):
            if rules.exclude(name) is not None or not covers(variant, release):
                continue
            node = variant.node
            for parameter, decision in zip(node.parameters, decisions[name, index], strict=True):
                if decision.by == "raw" and rules.parameter(node, parameter) is None:
                    known = (peer.advice(node, parameter) for peer in peers)
                    likely = _likely(api, node, parameter, decision.reason)
                    yield next((one for one in known if one), likely)


def _likely(api: Api, function: Function, parameter: Parameter, reason: str) -> Advice:
    rule, others = LIKELY[shape(api, parameter.type)]
    filled = rule.format(
        count=_count(function, parameter), data=_user_data(api, function, parameter)
    )
    return Advice(function.name, parameter.name, reason, filled, others)


def _count(function: Function, parameter: Parameter) -> str:
    """A parameter that may count another one's elements; where none may, a gap to fill in."""
    found = counts(function, besides=parameter.name)
    return found[0].name if found else "…"


def _user_data(api: Api, function: Function, callback: Parameter) -> str:
    """The void * behind a callback, or a gap."""
    behind = function.parameters[function.parameters.index(callback) + 1 :]
    data = (one.name for one in behind if shape(api, one.type) is Shape.MEMORY)
    return next(data, "…")
