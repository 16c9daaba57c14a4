"""Which exported symbol serves a function in each release, and where an adaptor has to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from generator.decide.decision import Decision
from generator.merge import form_of
from generator.model import Api, CType, Function, Struct, Variant
from generator.plan.binding import EntryPoint, SymbolRange
from generator.plan.ctypes import TYPES, Types
from generator.plan.reachable import is_anonymous
from generator.plan.span import NEWEST, number
from generator.review import is_reviewed, settled
from generator.rules import Rules
from generator.scalars import REAL, SCALARS


def entries(
    api: Api, types: Types, rules: Rules, decided: Mapping[str, Mapping[str, Decision]]
) -> tuple[EntryPoint, ...]:
    """The entry points of the functions: each settled form, and older ones that adaptors call."""
    result = []
    of_release = {release: types.at(api, release) for release in api.releases}
    for name, decisions in decided.items():
        at = settled(api.functions[name], rules.reviewed)
        bound = api.functions[name][at]
        result.append(_bound(api, types, of_release, rules, decisions, bound))
        for variant in api.functions[name][:at]:
            if variant.until in rules.adapted(name):
                result.append(_older(name, variant))
    return tuple(result)


def with_older_structs(
    api: Api, types: Types, rules: Rules, decided: Mapping[str, Mapping[str, Decision]]
) -> Api:
    """The Api in which a struct is also in releases whose functions take a shorter struct instead.

    The shorter struct has another name, and lacks some of today's fields. As an older layout of
    today's struct it makes PyGPU refuse these fields there: C wouldn't read them.
    """
    late = {name for name, forms in api.structs.items() if forms[0].since != api.releases[0]}
    structs = dict(api.structs)
    of_release = {release: types.at(api, release) for release in reversed(api.releases) if late}
    for name in decided:
        bound = api.functions[name][-1].node
        if not any(types.resolve(one.type).base in late for one in bound.parameters):
            continue
        wanted = shape(types, bound)
        for release, there in of_release.items():
            form = form_of(api.functions[name], release)
            if form and not takes(shape(there, form), wanted):
                form = _twin(api, there, rules, name, release, wanted)
            for here, passed in zip(shape(there, form), wanted, strict=True) if form else ():
                forms = structs.get(passed.struct, ())
                if not forms or form_of(forms, release) or len(here.members) >= len(passed.members):
                    continue
                node = form_of(api.structs[here.struct], release)
                if node:
                    shorter = Variant(release, release, replace(node, name=passed.struct))
                    structs[passed.struct] = (shorter, *forms)
    return replace(api, structs=structs)


def first(api: Api) -> Mapping[str, int]:
    """The releases that brought functions and types, for those that the first release lacks."""
    result: dict[str, int] = {}
    for kind in ("functions", *TYPES):
        for name, forms in getattr(api, kind).items():
            since = number(forms[0].since)
            result[name] = min(result.get(name, since), since)
    return {name: since for name, since in result.items() if since != number(api.releases[0])}


def adapted_before(entries: Sequence[EntryPoint]) -> Mapping[str, int]:
    """For each function that adaptors serve, the first release that needs none, as a number."""
    return {
        one.function: max(adapted) + 1
        for one in entries
        if one.function and (adapted := [it.until for it in one.others if it.adaptor])
    }


def older_name(name: str, until: str) -> str:
    """The name of the entry for a form that ended with a release."""
    return f"{name}_until_{until.replace('.', '_')}"


@dataclass(frozen=True, slots=True)
class Passed:
    """What a call passes for a parameter by the ABI; for a pointer, also the struct behind it."""

    kind: str
    struct: str = ""
    members: tuple[tuple[int, str], ...] = ()

    def takes(self, other: Passed) -> bool:
        """Whether C, which takes this, can be given the other.

        The given struct may be longer than C's own, but not shorter: C would read and write beyond
        its end. If it is unknown what a pointer leads to, as for a struct that is opaque by now, it
        takes any.
        """
        if self.kind != other.kind or not (self.struct and other.struct):
            return self.kind == other.kind
        begins = other.members[: len(self.members)]
        return self.struct == other.struct or self.members == begins


def shape(types: Types, function: Function) -> tuple[Passed, ...]:
    """What a call passes, the result first."""
    passed = (function.result, *(one.type for one in function.parameters))
    return tuple(_passed(types, types.resolve(type)) for type in passed)


def takes(form: Sequence[Passed], others: Sequence[Passed]) -> bool:
    """Whether a form can be called with what is made for today's form."""
    return len(form) == len(others) and all(map(Passed.takes, form, others))


def _passed(types: Types, type: CType) -> Passed:
    struct = types.structs.get(type.base) if len(type.pointers) == 1 else None
    if struct is None or type.base in types.handles:
        return Passed(_kind(types, type))
    return Passed("pointer", struct.name, tuple(_members(types, struct, 0)))


def _members(types: Types, struct: Struct, start: int) -> Iterator[tuple[int, str]]:
    """The place in bits, and the kind, of each member of a struct and of its anonymous parts.

    The members of a part with a name are left out: the loader knows its layout.
    """
    for field in struct.fields:
        type = types.resolve(field.type)
        at = start + (field.offset if field.bits else field.offset * 8)
        inner = None if type.is_pointer else types.structs.get(type.base)
        if inner and is_anonymous(inner.name):
            yield from _members(types, inner, at)
        else:
            yield at, inner.name if inner else _kind(types, type)


def _kind(types: Types, type: CType) -> str:
    type = types.resolve(type)
    if type.is_pointer or type.base in types.handles:
        return "pointer"
    if callback := types.callbacks.get(type.base):
        parts = (callback.result, *(one.type for one in callback.parameters))
        return f"callback of {', '.join(_kind(types, one) for one in parts)}"
    if type.base in types.enums:
        return "enum"
    if struct := types.structs.get(type.base):
        leaves = list(_leaves(types, struct, 0))
        whole = {at for at, is_float in leaves if not is_float}
        floats = sorted({at for at, is_float in leaves if is_float} - whole)
        return f"{type.base}: {struct.size} bytes, aligned to {struct.align}, floats at {floats}"
    return type.base


def _leaves(types: Types, struct: Struct, start: int) -> Iterator[tuple[int, bool]]:
    """For each number in a struct, which 8 bytes it lies in, and whether it is a float."""
    for field in struct.fields:
        type = types.resolve(field.type)
        at = start + (field.offset // 8 if field.bits else field.offset)
        inner = None if type.is_pointer else types.structs.get(type.base)
        if inner:
            yield from _leaves(types, inner, at)
        else:
            yield at // 8, not type.is_pointer and type.base in REAL


def _rooms(
    types: Types, function: Function, decisions: Mapping[str, Decision]
) -> tuple[int | None, ...]:
    """The size that C assumes for what each pointer leads to.

    It is None for structs that C reads, or writes one at a time: the loader knows their layouts.
    """
    return tuple(_room(types, one.type, decisions[one.name]) for one in function.parameters)


def _room(types: Types, type: CType, decision: Decision) -> int | None:
    type = types.resolve(type)
    if len(type.pointers) != 1 or type.base in types.handles:
        return None
    if struct := types.structs.get(type.base):
        several = decision.kind in ("out_array", "out_lent") or "count" in decision.options
        return struct.size if several and not type.points_to_const else None
    enum = types.enums.get(type.base)
    return SCALARS.get(enum.underlying if enum else type.base, ("", None))[1]


def _means_the_same(bound: Function, form: Function) -> bool:
    """Whether an unreviewed form has the same types, and the same names in the same places."""
    if [_plain(one.type) for one in bound.parameters] != [
        _plain(one.type) for one in form.parameters
    ]:
        return False
    places = {one.name: at for at, one in enumerate(bound.parameters)}
    return all(places.get(one.name, at) == at for at, one in enumerate(form.parameters))


def _plain(type: CType) -> CType:
    return CType(type.base, False, (False,) * len(type.pointers), type.extents)


def _bound(
    api: Api,
    types: Types,
    of_release: Mapping[str, Types],
    rules: Rules,
    decisions: Mapping[str, Decision],
    bound: Variant[Function],
) -> EntryPoint:
    """The entry of the form in Python's signature, with what serves it in other releases."""
    node, name = bound.node, bound.node.name
    ranges = _merged(_ranges(api, types, of_release, rules, decisions, node))
    own = SymbolRange(0, 0, node.symbol, node.per_thread)
    others = tuple(one for one in ranges if one.serves() != own.serves())
    return EntryPoint(
        name, name, node.symbol, node.per_thread, node.result, node.parameters, others
    )


def _older(name: str, variant: Variant[Function]) -> EntryPoint:
    node = variant.node
    entry = older_name(name, variant.until)
    return EntryPoint(entry, None, node.symbol, node.per_thread, node.result, node.parameters, ())


def _ranges(
    api: Api,
    types: Types,
    of_release: Mapping[str, Types],
    rules: Rules,
    decisions: Mapping[str, Decision],
    bound: Function,
) -> Iterator[SymbolRange]:
    """For each listed release, what serves the bound form there, by that release's types."""
    name = bound.name
    wanted, rooms = shape(types, bound), _rooms(types, bound, decisions)
    for release in api.releases:
        form = form_of(api.functions[name], release)
        if form is None:
            continue
        at = number(release)
        there = of_release[release]
        unread = not any(
            is_reviewed(one, rules.reviewed) for one in api.functions[name] if one.node == form
        )
        other = unread and rules.reviewed and not _means_the_same(bound, form)
        if other or _rooms(there, bound, decisions) != rooms:
            yield SymbolRange(at, at, None, None)
        elif takes(shape(there, form), wanted):
            yield SymbolRange(at, at, form.symbol, form.per_thread)
        elif twin := _twin(api, there, rules, name, release, wanted):
            yield SymbolRange(at, at, twin.symbol, twin.per_thread)
        else:
            until = next((one for one in rules.adapted(name) if number(one) >= at), None)
            yield SymbolRange(at, at, None, None, older_name(name, until) if until else None)


def _twin(
    api: Api, types: Types, rules: Rules, name: str, release: str, wanted: Sequence[Passed]
) -> Function | None:
    """The function with the bound form in a release: one that a rule names, or one named `…_v2`."""
    for twin in (rules.twin(name), *(f"{name}_v{version}" for version in range(2, 10))):
        form = form_of(api.functions.get(twin or "", ()), release)
        if form and takes(shape(types, form), wanted):
            return form
    return None


def _merged(ranges: Iterator[SymbolRange]) -> Iterator[SymbolRange]:
    """Neighbouring releases that are served alike as one range, with unlisted ones in between."""
    current: SymbolRange | None = None
    for one in ranges:
        if current and current.serves() == one.serves():
            current = current.until_release(one.until)
        else:
            if current:
                yield current.until_release(one.since - 1)
            current = one
    if current:
        yield current.until_release(NEWEST)
