"""Compares the model and the decisions of an API with what its witnesses say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from generator import rules
from generator.decide import Decision, decide
from generator.decide.shape import resolve
from generator.merge import covers
from generator.model import Api, CType, Function, Parameter, Variant
from generator.releases import version_key
from generator.witness.read import Explained
from generator.witness.spelling import canonical, read_type
from generator.witness.statement import Account, Said, Statement

# A form of a function: its name, and its place among the name's forms.
Form = tuple[str, int]
# A form's parameter: its place in C's list.
ParameterPlace = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between PyGPU and a witness. `name` is "function" or "function.parameter"."""

    witness: str
    tells: str
    name: str
    here: str
    there: str
    release: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Stale:
    """A reason whose difference doesn't exist any more."""

    witness: str
    tells: str
    name: str

    def __str__(self) -> str:
        return f"{self.witness}: {self.tells} of {self.name}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result for one API.

    `places` are the parameters of all forms, each with the witnesses that agree. `functions` counts
    the compared functions by witness, `releases` lists each witness's releases.
    """

    api: str
    places: Mapping[ParameterPlace, frozenset[str]]
    differences: Sequence[Difference]
    stale: Sequence[Stale]
    functions: Mapping[str, int]
    releases: Mapping[str, Sequence[str]]

    @property
    def conflicts(self) -> list[Difference]:
        """Differences that nobody has explained."""
        return [one for one in self.differences if one.reason is None]


def directions(decision: Decision) -> frozenset[str]:
    """How C may use a parameter, by a decision."""
    match decision.kind:
        case "writable":  # C writes the caller's memory: witnesses call that in, out, or both
            return frozenset({"in", "out", "in+out"})
        case "count":
            way = {"inout": "in+out"}.get(str(decision.options["direction"]))
            return frozenset({way or str(decision.options["direction"])})
        case "inout":
            return frozenset({"in+out"})
    return frozenset({"out" if decision.is_output else "in"})


def form(decision: Decision) -> str | None:
    """Whether a pointer is one value, an array or a text, by a decision; None if it may be any."""
    if decision.kind in ("array", "out_array", "arguments"):
        return "array"
    if decision.kind in ("text", "out_text"):
        return "text"
    if decision.kind in ("out_lent", "inout", "typed_by"):
        return "array" if "count" in decision.options else None
    if decision.kind in ("out", "struct", "value", "count", "ended"):
        return "one"
    return None


def is_text(api: Api, written: CType) -> bool:
    """Whether what a pointer of this type leads to is a text."""
    seen = resolve(api, written)
    return seen.base == "char" and len(seen.pointers) == 2


def compare(
    api: Api,
    known: rules.Rules,
    statements: Iterable[Statement],
    explained: Sequence[Explained],
) -> Outcome:
    """Compare an API with all statements; no file is read or written."""
    decisions = decide(api, known)
    places: dict[ParameterPlace, set[str]] = {
        (name, at, index): set()
        for name, forms in api.functions.items()
        if not known.exclude(name)
        for at, one in enumerate(forms)
        for index in range(len(one.node.parameters))
    }
    disputed: set[tuple[str, ParameterPlace]] = set()
    differences: dict[tuple[str, str, str, str, str], Difference] = {}
    functions: dict[str, set[str]] = {}
    releases: dict[str, list[str]] = {}
    for statement in statements:
        witness = statement.witness
        releases.setdefault(witness, []).append(statement.stated_release or statement.release)
        seen = functions.setdefault(witness, set())
        comparison = _Comparison(api, known, decisions, statement)
        for one, place in comparison.differences():
            key = (witness, one.tells, one.name, one.here, one.there)
            differences.setdefault(key, one)
            if place:
                disputed.add((witness, place))
        seen |= comparison.functions
        for place in comparison.agreed:
            places[place].add(witness)
    judged, stale = _explain(differences.values(), explained)
    return Outcome(
        api.name,
        {
            place: frozenset(one for one in by if (one, place) not in disputed)
            for place, by in places.items()
        },
        judged,
        stale,
        {name: len(names) for name, names in functions.items()},
        releases,
    )


class _Comparison:
    """Compares the API with one statement.

    `agreed` and `functions` are complete once differences() has given all.
    """

    def __init__(
        self,
        api: Api,
        known: rules.Rules,
        decisions: Mapping[Form, tuple[Decision, ...]],
        statement: Statement,
    ) -> None:
        self.api, self.known, self.decisions, self.said = api, known, decisions, statement
        self.stems: dict[str, list[Variant[Function]]] = {}
        for name, forms in api.functions.items():
            self.stems.setdefault(_stem(name), []).extend(forms)
        self.agreed: set[ParameterPlace] = set()
        self.functions: set[str] = set()

    def differences(self) -> Iterator[tuple[Difference, ParameterPlace | None]]:
        """Each difference, with the parameter's place if it is about one."""
        mine: dict[str, tuple[Form, Function]] = {}
        for name, forms in self.api.functions.items():
            if self.known.exclude(name):
                continue
            for at, one in enumerate(forms):
                if covers(one, self.said.release):
                    mine.update(dict.fromkeys(self._names(one.node), ((name, at), one.node)))
        for name, (place, function) in mine.items():
            account = self.said.accounts.get(name)
            if account is None:
                if self.said.every and name in (function.name, function.symbol):
                    yield self._differs("absent", function.name, "there", "not there"), None
                continue
            self.functions.add(function.name)
            yield from self._since(function, account)
            if account.parameters is not None:
                yield from self._parameters(place, function, account.parameters)
        if self.said.every:
            for name, account in self.said.accounts.items():
                if account.parameters is not None and name not in mine and not self._older(name):
                    yield self._differs("unknown", name, "not there", "there"), None

    def _older(self, name: str) -> bool:
        """Whether a symbol is an old form of a function, which newer headers don't use any more.

        Libraries keep such symbols for older programs; headers keep no such names.
        """
        return self.said.symbols and _stem(name) in self.stems

    def _names(self, function: Function) -> Iterator[str]:
        if not self.said.symbols:
            yield function.name
            return
        yield function.symbol
        if function.per_thread:
            yield function.per_thread

    def _differs(self, tells: str, name: str, here: str, there: str) -> Difference:
        return Difference(self.said.witness, tells, name, here, there, self.said.release)

    def _since(
        self, function: Function, account: Account
    ) -> Iterator[tuple[Difference, ParameterPlace | None]]:
        if account.since is None:
            return
        came = next(
            (one for one in self.api.releases if version_key(one) >= version_key(account.since)),
            self.api.newest,
        )
        # A new form is called `…_v2` at first. From the next major on it has the plain name.
        types = [one.type for one in function.parameters]
        same = {
            one.since
            for one in self.stems[_stem(function.name)]
            if [each.type for each in one.node.parameters] == types
        }
        if came not in same:
            yield self._differs("since", function.name, min(same, key=version_key), came), None

    def _parameters(
        self, place: Form, function: Function, said: Sequence[Said]
    ) -> Iterator[tuple[Difference, ParameterPlace | None]]:
        by_name = {one.name: one for one in said}
        ordered = all(one.type is not None for one in said)
        if ordered and len(said) != len(function.parameters):
            names = ", ".join(one.name for one in said)
            mine = ", ".join(one.name for one in function.parameters)
            yield self._differs("parameters", function.name, mine, names), None
            return
        decided = self.decisions[place]
        for index, (parameter, decision) in enumerate(
            zip(function.parameters, decided, strict=True)
        ):
            at = (*place, index)
            label = f"{function.name}.{parameter.name}"
            if ordered:
                one = said[index]
            else:  # the peer's function returns the parameters that it doesn't take
                called = self.said.renamed.get(parameter.name, "")
                described = by_name.get(parameter.name) or by_name.get(called)
                one = described or Said(parameter.name, None, "out")
            wrong = list(self._parameter(parameter, decision, one))
            others = {one.name for one in function.parameters} - {parameter.name}
            if ordered and one.name in others:
                wrong.append(("order", parameter.name, one.name))
            for tells, here, there in wrong:
                yield self._differs(tells, label, here, there), at
            if not wrong and (one.type or one.direction):
                self.agreed.add(at)

    def _parameter(
        self, parameter: Parameter, decision: Decision, said: Said
    ) -> Iterator[tuple[str, str, str]]:
        """The respects in which a parameter differs, with what each side says."""
        if said.type is not None:
            here, there = (
                canonical(self.api, one, const=self.said.const)
                for one in (parameter.type, read_type(said.type))
            )
            if here != there:
                yield "type", str(parameter.type), str(read_type(said.type))
        allowed = directions(decision)
        if said.direction is not None and said.direction not in allowed:
            yield "direction", min(allowed), said.direction
        mine = form(decision)
        if decision.kind == "out" and is_text(self.api, parameter.type):
            mine = "text"
        if said.form and mine and said.form != mine:
            yield "form", mine, said.form


def _stem(name: str) -> str:
    """A function's name without the suffixes of its form."""
    return re.sub(r"(_v\d+|R\d{4}|_ptsz|_ptds|_spt)+$", "", name)


def _explain(
    differences: Iterable[Difference], explained: Sequence[Explained]
) -> tuple[list[Difference], list[Stale]]:
    """The differences with their reasons, and the reasons without a difference."""
    judged = []
    used: set[tuple[int, str]] = set()
    for one in differences:
        reason = None
        for index, entry in enumerate(explained):
            if _explains(entry, one):
                used.add((index, one.name))
                reason = entry.reason
        judged.append(replace(one, reason=reason))
    stale = [
        Stale(entry.witness, entry.tells, name)
        for index, entry in enumerate(explained)
        for name in entry.names
        if (index, name) not in used
    ]
    return judged, stale


def _explains(entry: Explained, one: Difference) -> bool:
    return (
        (entry.witness, entry.tells) == (one.witness, one.tells)
        and one.name in entry.names
        and entry.here in (None, one.here)
        and entry.there in (None, one.there)
    )
