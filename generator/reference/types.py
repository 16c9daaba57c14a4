"""What the reference says of structs and enumerations, from the plan of each API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from generator.plan.binding import BindingPlan, EntryPoint, StructField, StructType
from generator.plan.docs.history import between
from generator.plan.reachable import is_anonymous
from generator.plan.span import number
from generator.plan.stubs.names import Names, enum_name


@dataclass(frozen=True, slots=True)
class Row:
    """A field with its type in C and what it is in Python, or an enumerator with its value.

    `releases` is empty if all releases of the struct or enumeration have it in this form.
    """

    name: str
    columns: tuple[str, ...]
    releases: str


@dataclass(frozen=True, slots=True)
class Type:
    """A struct or an enumeration: how C spells it, its other names, releases and rows.

    `users` are the names of functions that take or give it, `holders` those of structs with such a
    field.
    """

    name: str
    spelled: str
    others: tuple[str, ...]
    releases: str
    rows: tuple[Row, ...]
    users: tuple[str, ...]
    holders: tuple[str, ...]

    @property
    def limited(self) -> bool:
        """Whether a row has releases of its own."""
        return any(one.releases for one in self.rows)


class Types:
    """The structs and enumerations of one API, and which of them each function uses.

    Types of another API are on that API's pages, with links to them.
    """

    def __init__(self, plan: BindingPlan) -> None:
        self._plan = plan
        self._names = Names.of(plan)
        self._labels = {
            enum_name(plan, at): self._label(enum_name(plan, at), plan.homes.get(one.name))
            for at, one in enumerate(plan.enums)
        }
        self._labels |= {one.name: self._label(one.name, one.home) for one in plan.struct_types}
        bound = {one.name for group in plan.groups.values() for one in group}
        self._used = {
            one.function: self._used_by(one) for one in plan.entries if one.function in bound
        }
        self._users = _turned(self._used.items())
        self._holders = _turned(
            (one.name, {held for row in one.rows if (held := self._held(row.field))})
            for one in plan.struct_types
            if one.home is None
        )

    def structs(self) -> tuple[Type, ...]:
        """This API's own structs, sorted by name; a part without a name follows its owner."""
        result = []
        for one in self._plan.struct_types:
            if one.home is None:
                there = self._there(
                    (number(layout.since), number(layout.until)) for layout in one.layouts
                )
                spelled = f"`{one.kind} {one.tag}` of C"
                if is_anonymous(one.tag):
                    spelled = f"A {one.kind} without a name in C"
                rows = tuple(self._fields(one, there))
                result.append(self._type(one.name, spelled, there, rows))
        return tuple(sorted(result, key=lambda one: one.name.lower()))

    def enums(self) -> tuple[Type, ...]:
        """This API's own enumerations, sorted by name."""
        result = []
        for at, one in enumerate(self._plan.enums):
            if one.name not in self._plan.homes:
                held = self._plan.enumerators[one.name]
                there = self._there((span.since, span.until) for _, span in held)
                rows = tuple(
                    Row(name, (str(span.value),), self._limit([(span.since, span.until)], there))
                    for name, span in held
                )
                name = enum_name(self._plan, at)
                result.append(self._type(name, f"`enum {one.name}` of C", there, rows))
        return tuple(sorted(result, key=lambda one: one.name.lower()))

    def of(self, function: str) -> Mapping[str, str]:
        """The labels of the types that a function uses, by their names; without the statuses'."""
        used = self._used.get(function, set()) - {self._plan.error_class}
        return {name: self._labels[name] for name in sorted(used)}

    def _type(self, name: str, spelled: str, there: list[str], rows: tuple[Row, ...]) -> Type:
        label, everywhere = self._plan.manifest.label, len(there) == len(self._listed)
        users = self._users.get(name, []) if name != self._plan.error_class else []
        return Type(
            name=name,
            spelled=spelled,
            others=tuple(self._others(name)),
            releases=f"all of {label}" if everywhere else f"{label} {between(self._listed, there)}",
            rows=rows,
            users=tuple(sorted(users)),
            holders=tuple(sorted(self._holders.get(name, []))),
        )

    def _fields(self, struct: StructType, there: Sequence[str]) -> Iterator[Row]:
        """A row for each form of a field, in the newest layout's order, removed fields last."""
        spans: dict[tuple[str, tuple[str, ...]], list[tuple[int, int]]] = {}
        rows = [(row.field, (row.since, row.until)) for row in struct.rows]
        newest = [one.name for one in struct.layouts[-1].fields]
        rows.sort(key=lambda row: newest.index(row[0].name) if row[0].name in newest else 10**6)
        for field, span in rows:
            spans.setdefault((field.name, (self._declared(field), self._seen(field))), []).append(
                span
            )
        for (name, columns), releases in spans.items():
            yield Row(name, columns, self._limit(releases, there))

    def _declared(self, field: StructField) -> str:
        """The type of a field as C spells it."""
        type = field.type
        if is_anonymous(type.base):
            type = replace(type, base=self._plan.struct_types[field.index].kind + " {…}")
        return f"`{type} : {field.bits}`" if field.bits else f"`{type}`"

    def _seen(self, field: StructField) -> str:
        """What the attribute gives, in markdown."""
        if field.role in ("bytes", "text"):
            return {"bytes": "`bytes`", "text": "`str`"}[field.role]
        if field.counted_by:
            item = replace(field, role=field.item_role, index=field.item_index, counted_by=None)
            return f"a sequence of {self._seen(item)}, as many as `{field.counted_by}` says"
        one = self._alone(field)
        if field.count:
            return f"a sequence of {field.count}: {one}"
        return f"{one}, {field.default} by default" if field.default else one

    def _alone(self, field: StructField) -> str:
        match field.role:
            case "enumeration":
                return self._linked(enum_name(self._plan, field.index))
            case "nested":
                return self._linked(self._plan.struct_types[field.index].name)
            case "handle":
                return f"`{self._plan.handles[field.index].name}`"
            case "pointer":
                return "`int`, an address"
            case "callable":
                return "a callable"
            case "user_data":
                return "any object"
        return {"f32": "`float`", "f64": "`float`", "boolean": "`bool`"}.get(field.scalar, "`int`")

    def _held(self, field: StructField) -> str | None:
        """The struct or enumeration that a field holds or leads to."""
        role, index = field.role, field.index
        if field.counted_by:
            role, index = field.item_role, field.item_index
        if role == "enumeration":
            return enum_name(self._plan, index)
        return self._plan.struct_types[index].name if role == "nested" else None

    def _linked(self, name: str) -> str:
        return f"[`{name}`](#{self._labels[name]})"

    def _label(self, name: str, home: str | None) -> str:
        return f"{home.rpartition('.')[2] if home else self._plan.namespace}.{name}"

    def _used_by(self, entry: EntryPoint) -> set[str]:
        types = [entry.result, *(one.type for one in entry.parameters)]
        bases = {self._names.resolve(one).base for one in types} | {one.base for one in types}
        known = {name: one.name for name, one in self._names.structs.items()}
        known |= self._names.enums
        return {known[one] for one in bases & known.keys()}

    def _others(self, name: str) -> Iterator[str]:
        """The names in Python besides the class's own."""
        plan = self._plan
        if name == plan.error_class:
            yield from plan.error_aliases
        for one in plan.names:
            if one.kind in ("enum_type", "struct_type") and one.name != name:
                structs = one.kind == "struct_type"
                of = plan.struct_types[one.index].name if structs else enum_name(plan, one.index)
                if of == name:
                    yield one.name

    @property
    def _listed(self) -> list[str]:
        return [f"{one // 100}.{one % 100}" for one in self._plan.releases]

    def _there(self, spans: Iterable[tuple[int, int]]) -> list[str]:
        """The listed releases within any of some spans."""
        kept = list(spans)
        return [
            name
            for name, one in zip(self._listed, self._plan.releases, strict=True)
            if any(since <= one <= until for since, until in kept)
        ]

    def _limit(self, spans: Iterable[tuple[int, int]], whole: Sequence[str]) -> str:
        there = [one for one in self._there(spans) if one in whole]
        return "" if there == list(whole) else between(self._listed, there)


def _turned(pairs: Iterable[tuple[str | None, set[str]]]) -> dict[str, list[str]]:
    """For each name that something uses, what uses it."""
    result: dict[str, list[str]] = {}
    for user, used in pairs:
        for one in used:
            if user:
                result.setdefault(one, []).append(user)
    return result
