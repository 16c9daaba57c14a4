"""The rule that would decide a parameter which is a bare address for want of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.decide.decide import decide
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
        return (
            f"# {self.function}.{self.parameter}: {self.reason}; or one of: {self.others}\n"
            f"[function.{self.function}]\nparameter.{self.parameter} = {{ {self.rule} }}"
        )


def advise(api: Api, rules: Rules, release: str) -> Iterator[Advice]:
    """What a release's functions have raw without a rule that says so, by function and place."""
    decisions = decide(api, rules)
    for name, variants in api.functions.items():
        for index, variant in enumerate(variants):
            if rules.exclude(name) is not None or not covers(variant, release):
                continue
            node = variant.node
            for parameter, decision in zip(node.parameters, decisions[name, index], strict=True):
                if decision.by == "raw" and rules.parameter(node, parameter) is None:
                    rule, others = LIKELY[shape(api, parameter.type)]
                    filled = rule.format(
                        count=_count(node, parameter), data=_user_data(api, node, parameter)
                    )
                    yield Advice(name, parameter.name, decision.reason, filled, others)


def _count(function: Function, parameter: Parameter) -> str:
    """A parameter that may count another one's elements; where none may, a gap to fill in."""
    found = counts(function, besides=parameter.name)
    return found[0].name if found else "…"


def _user_data(api: Api, function: Function, callback: Parameter) -> str:
    """The void * behind a callback, or a gap."""
    behind = function.parameters[function.parameters.index(callback) + 1 :]
    data = (one.name for one in behind if shape(api, one.type) is Shape.MEMORY)
    return next(data, "…")
