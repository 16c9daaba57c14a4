"""Proposes rules for parameters that are bare addresses because no rule decides them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType

from generator.decide.decide import decide
from generator.decide.decision import Decision
from generator.decide.relations import BYTES, counters, fillable, size_behind
from generator.decide.shape import Shape, is_integer, resolve, shape
from generator.decide.votes import counting, may_count, several, size_function_of
from generator.handles import as_handles
from generator.model import Api, Function, Parameter
from generator.rules import Rules

# For each shape the rule that most such parameters have, and other kinds that fit. `{count}` stands
# for a parameter that counts elements, `{data}` for a void *; without such a parameter it is RAW.
LIKELY: Mapping[Shape, tuple[str, str]] = {
    Shape.MEMORY: ('kind = "address"', "writable, out_bytes, typed_by"),
    Shape.ROOM: ('kind = "struct"', "out, inout, array, out_array"),
    Shape.SLOT: ('kind = "out"', "inout, array, out_array, out_lent, writable"),
    Shape.VALUES: ('kind = "array", count = "{count}"', "readable"),
    Shape.STRUCT: ('kind = "array", count = "{count}"', "struct"),
    Shape.CHARS: ('kind = "out_text", capacity = "{count}"', "writable"),
    Shape.CALLBACK: ('kind = "callback", user_data = "{data}", lives = "once"', "raw"),
}
# The same if another function says how much is written.
SIZED: Mapping[Shape, tuple[str, str]] = {
    Shape.SLOT: ('kind = "out_array", asked_by = "{sizer}"', "out, inout"),
    Shape.ROOM: ('kind = "out_array", asked_by = "{sizer}"', "out, inout"),
    Shape.CHARS: ('kind = "out_text", asked_by = "{sizer}"', "out_bytes"),
    Shape.MEMORY: ('kind = "out_bytes", asked_by = "{sizer}"', "readable, writable, typed_by"),
}
# The same for a pointer to a handle, in a function that ends it, by its name.
ENDED = ('kind = "ended"', "inout, out")
_ENDS = re.compile("(Destroy|Free|Release|Close|Delete)(?![a-z])")
# Names of a parameter that is a status.
_STATUS = re.compile(r"p?(err|error|errcode|status)(_?(ret|out|code))?", re.I)
# Names of the size of a buffer that C writes to; anything more exact counts before them.
_ROOM_FOR = re.compile(r"(\w+_)?(cap|capacity|size|len|length|bytes)|(max|buf)_?(len|size)|n", re.I)
# Words of functions that fill a struct.
_FILLS = frozenset({"get", "query", "describe", "info", "stat", "status", "inspect", "fetch"})
_FILLED = ('kind = "out"', "inout, struct, array, out_array")
RAW = 'kind = "raw", reason = {reason}'


@dataclass(frozen=True, slots=True)
class Advice:
    """A raw parameter, why it is raw, and a rule for it in the form of rules.toml."""

    function: str
    parameter: str
    reason: str
    rule: str
    others: str

    def __str__(self) -> str:
        others = f"; or one of: {self.others}" if self.others else ""
        name = self.parameter
        return f"# {name}: {self.reason}{others}\nparameter.{name} = {{ {self.rule} }}"


def tables(advice: Iterable[Advice]) -> Iterator[str]:
    """The rules as they can be pasted into rules.toml: one table a function."""
    for function, own in groupby(advice, key=attrgetter("function")):
        yield "\n".join([f"[function.{function}]", *map(str, own)])


class Peer:
    """Another vendor's API with the same functions under another prefix."""

    def __init__(self, api: Api, rules: Rules, prefix: str, ours: str) -> None:
        """`prefix` begins the names of its functions, `ours` those of this API."""
        self._api = api
        self._decisions = decide(api, rules)
        self._prefix, self._ours = prefix, ours

    def advice(self, function: Function, parameter: Parameter) -> Advice | None:
        """The rule of the parameter's namesake; None if there is none that fits here."""
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


NOTHING: Mapping[tuple[str, str], str] = MappingProxyType({})


def advise(
    api: Api,
    rules: Rules,
    release: str,
    peers: Sequence[Peer] = (),
    known: Mapping[tuple[str, str], str] = NOTHING,
) -> Iterator[Advice]:
    """Rules for the raw parameters of a release's new functions, by function and place.

    A parameter with a rule of its own gets none. The rule is that of a peer's namesake, else the
    proposal for the parameter, else the likely rule for the shape of its type. `known` are kinds
    of parameters, by function and name.
    """
    api = as_handles(api)
    decisions = decide(api, rules)
    for name, variants in api.functions.items():
        for index, variant in enumerate(variants):
            new = index == 0 and variant.since == release
            if rules.exclude(name) is not None or not new:
                continue
            node = variant.node
            decided = zip(node.parameters, decisions[name, index], strict=True)
            raw = [one for one in decided if _is_open(rules, node, *one)]
            taken = {_user_data(api, node, one) for one, _ in raw if _is_callback(api, one)}
            taken |= {one.name for one, _ in raw if _filled(api, node, one)}
            for parameter, decision in raw:
                if parameter.name in taken:  # the rule of the callback or the array decides it, too
                    continue
                if kind := known.get((name, parameter.name)):
                    rule = f'kind = "{kind}"'
                    yield Advice(name, parameter.name, decision.reason, rule, "")
                    continue
                of_peers = (peer.advice(node, parameter) for peer in peers)
                own = _proposed(api, node, parameter, decision) or _likely(
                    api, node, parameter, decision.reason
                )
                yield next((one for one in of_peers if one), own)


def _is_open(rules: Rules, node: Function, parameter: Parameter, decision: Decision) -> bool:
    """Whether a person has yet to decide a parameter."""
    ruled = rules.parameter(node, parameter, reviewed=False) is not None
    return decision.by in ("raw", "unreviewed") and not ruled


def _proposed(
    api: Api, function: Function, parameter: Parameter, decision: Decision
) -> Advice | None:
    """The proposal for a parameter; None if the parameter may be the first of many values."""
    likely = decision.proposal
    if likely is None or several(api, function, parameter) or _is_status(api, function, parameter):
        return None
    settings = {"kind": likely.kind, **likely.options}
    rule = ", ".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())
    return Advice(function.name, parameter.name, decision.reason, rule, "")


def _likely(api: Api, function: Function, parameter: Parameter, reason: str) -> Advice:
    kind = shape(api, parameter.type)
    if filled := _fills(api, function, parameter):
        return Advice(function.name, parameter.name, reason, filled, "out_array, out_bytes, raw")
    if _is_status(api, function, parameter):
        return Advice(function.name, parameter.name, reason, 'kind = "status"', "out")
    written = kind in SIZED and not parameter.type.points_to_const
    sizer = size_function_of(api, function) if written else None
    rule, others = SIZED[kind] if sizer else LIKELY.get(kind, (RAW, ""))
    if kind is Shape.MEMORY and parameter.type.points_to_const:
        others = "readable, typed_by"
    if kind is Shape.SLOT and _is_ended(api, function, parameter):
        rule, others = ENDED
    if kind is Shape.ROOM and not sizer and _FILLS & set(_words(function.name)):
        rule, others = _FILLED
    count, data = _count(api, function, parameter), _user_data(api, function, parameter)
    many = several(api, function, parameter)
    sized = bool(fillable(api, function, parameter))
    lacking = sized or ("{count}" in rule and not count) or ("{data}" in rule and not data)
    if lacking or (not sizer and kind in (Shape.SLOT, Shape.ROOM) and (count or many)):
        likely = rule.partition(",")[0].partition('"')[2].rstrip('"')
        rule, others = RAW, ", ".join(dict.fromkeys((*others.split(", "), likely)))
    text = json.dumps(f"read: {many or reason}")
    filled = rule.format(count=count, data=data, sizer=sizer, reason=text)
    return Advice(function.name, parameter.name, reason, filled, others)


def _filled(api: Api, function: Function, count: Parameter) -> list[Parameter]:
    """The arrays of which a parameter is the size, behind a pointer, by its name."""
    return [
        one
        for one in fillable(api, function, count)
        if size_behind(api, function, one) is count or count in counters(api, function, one)
    ]


def _fills(api: Api, function: Function, parameter: Parameter) -> str | None:
    """The rule for an array that C fills, after a call that asks for the size."""
    counts = [one for one in function.parameters if parameter in _filled(api, function, one)]
    seen = resolve(api, parameter.type)
    if len(counts) != 1 or len(seen.pointers) > 1:
        return None
    written, kind = counts[0].name, shape(api, parameter.type)
    sizes = [
        one.name
        for one in function.parameters
        if not one.type.is_pointer
        and (counting(one.name) or _ROOM_FOR.fullmatch(one.name))
        and is_integer(api, one.type.base)
    ]
    size = f'"{sizes[0]}", written = "{written}", asks = true' if len(sizes) == 1 else ""
    if kind is Shape.CHARS or kind is Shape.MEMORY or seen.base in BYTES:
        fills = "out_text" if kind is Shape.CHARS else "out_bytes"
        return f'kind = "{fills}", capacity = ' + (size or f'"{written}", asks = true')
    return 'kind = "out_array", count = ' + (size or f'"{written}"')


def _is_status(api: Api, function: Function, parameter: Parameter) -> bool:
    """Whether a parameter is a status by its name, in a function that returns something else."""
    if shape(api, parameter.type) is not Shape.SLOT or not _STATUS.fullmatch(parameter.name):
        return False
    result = resolve(api, function.result)
    return result.is_pointer or result.is_void or function.result.base in api.handles


def _is_ended(api: Api, function: Function, parameter: Parameter) -> bool:
    """Whether the parameter is a pointer to a handle, in a function that ends it, by its name."""
    behind = parameter.type.pointee
    handle = not behind.is_pointer and behind.base in api.handles
    return handle and _ENDS.search(function.name) is not None


def _is_callback(api: Api, parameter: Parameter) -> bool:
    return shape(api, parameter.type) is Shape.CALLBACK


def _count(api: Api, function: Function, parameter: Parameter) -> str | None:
    """A parameter that may count another one's elements."""
    candidates = may_count(api, function, parameter)
    if not candidates and shape(api, parameter.type) is Shape.CHARS:
        behind = function.parameters[function.parameters.index(parameter) + 1 :][:1]
        candidates = [one for one in behind if _ROOM_FOR.fullmatch(one.name)]
    return candidates[0].name if candidates else None


def _words(name: str) -> list[str]:
    """The words of a name in lower case: of store_get_info and of storeGetInfo the same."""
    return [one.lower() for one in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def _user_data(api: Api, function: Function, callback: Parameter) -> str | None:
    """The void * behind a callback."""
    behind = function.parameters[function.parameters.index(callback) + 1 :]
    data = (one.name for one in behind if shape(api, one.type) is Shape.MEMORY)
    return next(data, None)
