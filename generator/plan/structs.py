"""From an API's structs to the tables that Python reads and writes their fields by."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from generator import formula
from generator.errors import GeneratorError
from generator.merge import covers, form_of
from generator.model import Api, CType, Field, Source, Struct
from generator.plan.binding import HandleType, StructField, StructLayout, StructType
from generator.plan.callbacks import USER_DATA
from generator.plan.ctypes import Types
from generator.plan.field_rows import field_rows
from generator.plan.lengths import Lengths
from generator.plan.reachable import is_anonymous
from generator.plan.span import NEWEST, OLDEST, Span, number
from generator.plan.spelling import python_name
from generator.review import is_reviewed, settled
from generator.rules import FieldRule, LengthRule, Rules
from generator.scalars import CHARACTER, ELEMENTS, SCALARS

# Endings of tags in C's headers that only serve a typedef.
TAG_ENDINGS = ("_st", "_union", "_struct")


@dataclass(frozen=True, slots=True)
class _Form:
    """One layout of a struct: its declaration, its releases, and the layouts of structs inside.

    `meanings` are the targets of its fields' types, and the numbers of the enumerators that its
    lengths depend on.
    """

    node: Struct
    since: str
    until: str
    nested: tuple[tuple[str, int], ...]
    meanings: tuple[tuple[str, object], ...] = ()

    def is_like(self, other: _Form) -> bool:
        """Whether two releases have the same layout."""
        mine, theirs = ((one.node, one.nested, one.meanings) for one in (self, other))
        return mine == theirs


# The largest numbers of float and double.
_LARGEST = {"f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308}


class StructPlanner:
    """Plans the structs of one API: those with a name, and their members that are structs."""

    def __init__(
        self,
        api: Api,
        types: Types,
        enums: Mapping[str, int],
        handles: Sequence[HandleType],
        rules: Rules,
        homes: Mapping[str, str],
        numbers: Mapping[str, int],
    ) -> None:
        """`numbers` are those of the names that a default may have."""
        self._api = api
        self._types = types
        self._enums = enums
        self._enum_nodes = types.enums
        self._handles = {name: index for index, one in enumerate(handles) for name in one.types}
        self._rules = rules
        self._homes = homes
        self._forms: dict[str, tuple[_Form, ...]] = {}
        self._planned: dict[tuple[str, str], StructLayout] = {}
        self._enumerated: dict[str, Mapping[str, int]] = {}
        self._of_release: dict[str, Types] = {}
        dissolved = set(self._dissolved())
        self._numbers = numbers
        self._order = sorted(name for name in api.structs if name not in dissolved)
        self._index = {name: at for at, name in enumerate(self._order)}

    def plan(self, complete: Sequence[str]) -> tuple[StructType, ...]:
        """All struct types, sorted by their tags; `complete` are those that C++ defines."""
        return tuple(self._struct(name, name in complete) for name in self._order)

    def place(self, name: str) -> int:
        """The index of a struct or union among the planned ones."""
        return self._index[name]

    def is_boolean(self, tag: str, name: str) -> bool:
        """Whether a rule says that C takes a field as true or false."""
        rule = self._rules.of_field(tag, shown_name(self._types, tag, self._api.name), name)
        return rule is not None and rule.kind == "boolean"

    def value(self, where: str, name: str, type: CType, boolean: bool) -> StructField:
        """A value of a type that stands alone, as a field at offset 0; `where` is for messages.

        An array of char is a text.
        """
        resolved = self._types.resolve(type)
        layouts = self._layouts(resolved.base) if resolved.base in self._index else ()
        nested = ((resolved.base, len(layouts) - 1),) if layouts else ()
        source = Source("", 0)
        owner = Struct(where, "struct", 0, 0, (), source)
        form = _Form(owner, "", "", nested)
        field = self._field(Field(name, type, 0), form, where, 0, True)
        if field.role == "bytes" and resolved.base == "char":
            field = replace(field, role="text")
        return replace(field, boolean=boolean)

    def _dissolved(self) -> Iterator[str]:
        """The types of anonymous members: their fields count as their owner's."""
        for variants in self._api.structs.values():
            for variant in variants:
                yield from (one.type.base for one in variant.node.fields if not one.name)

    def _struct(self, name: str, complete: bool) -> StructType:
        newest = self._types.structs[name]
        layouts = tuple(self._layout(name, form) for form in self._layouts(name))
        shown = shown_name(self._types, name, self._api.name)
        for field, rule in self._rules.of_struct(name, shown).items():
            _fits(rule, [o for it in layouts for o in it.fields if o.name == python_name(field)])
        paths = {length.path for layout in layouts for length in layout.lengths}
        for length in self._lengths(name):
            if length.path not in paths:
                raise GeneratorError(f"{length.where}: {shown} has no such field")
        spans = tuple(self._span(one) for one in layouts)
        return StructType(
            name=shown,
            tag=name,
            kind=newest.kind,
            layouts=layouts,
            spans=spans,
            rows=field_rows(layouts, spans),
            complete=complete and not is_anonymous(name),
            capacity=max(one.size for one in layouts),
            holds_callables=self.holds_callables(name),
            align=newest.align,
            home=self._homes.get(name),
            settled=settled(self._layouts(name), self._rules.reviewed),
        )

    def _span(self, layout: StructLayout) -> Span:
        """The releases that have a layout; open at both ends of the list of releases."""
        releases = self._api.releases
        return Span(
            layout.size,
            OLDEST if layout.since == releases[0] else number(layout.since),
            NEWEST if layout.until == releases[-1] else number(layout.until),
        )

    def holds_callables(self, name: str) -> bool:
        """Whether, in some release, a struct or a member of it has a field for a callable.

        `name` is its tag or a typedef.
        """
        name = self._types.resolve(CType(name)).base
        return name in self._index and any(
            one.role == "callable"
            or (one.role == "nested" and self.holds_callables(self._order[one.index]))
            for form in self._layouts(name)
            for one in self._layout(name, form).fields
        )

    def _layouts(self, name: str) -> tuple[_Form, ...]:
        """The layouts over the releases; a struct also changes with the structs inside it."""
        if name not in self._forms:
            self._forms[name] = ()  # a struct can't hold itself
            forms: list[_Form] = []
            for release in self._api.releases:
                form = self._form(name, release)
                if form and forms and form.is_like(forms[-1]):
                    forms[-1] = replace(forms[-1], until=release)
                elif form:
                    forms.append(form)
            self._forms[name] = tuple(forms)
        return self._forms[name]

    def _form(self, name: str, release: str) -> _Form | None:
        node = form_of(self._api.structs.get(name, ()), release)
        if node is None:
            return None
        held = dict.fromkeys(self._held(node, release))
        nested = tuple((one, self._layout_at(one, release)) for one in held)
        return _Form(node, release, release, nested, tuple(self._meanings(node, name, release)))

    def _meanings(self, node: Struct, name: str, release: str) -> Iterator[tuple[str, object]]:
        for field in node.fields:
            yield field.name, self._meaning(field.type, release)
        texts = (text for rule in self._lengths(name) for text in (rule.bytes, rule.when) if text)
        for one in sorted({one for text in texts for one in formula.fields(text)}):
            if (value := self._enumerators(release).get(one)) is not None:
                yield one, value

    def _meaning(self, type: CType, release: str | None = None) -> tuple[object, ...]:
        """The target of a type in a release, or in Python's signatures."""
        types = self._at(release) if release else self._types
        resolved = types.resolve(type)
        callback = types.callbacks.get(resolved.base)
        parts = (callback.result, *(one.type for one in callback.parameters)) if callback else ()
        return (resolved, *parts)

    def _enumerators(self, release: str) -> Mapping[str, int]:
        if release not in self._enumerated:
            nodes = (form_of(forms, release) for forms in self._api.enums.values())
            self._enumerated[release] = {
                one.name: one.value for node in nodes if node for one in node.enumerators
            }
        return self._enumerated[release]

    def _at(self, release: str) -> Types:
        """The types in the forms of a release."""
        if release not in self._of_release:
            self._of_release[release] = self._types.at(self._api, release)
        return self._of_release[release]

    def _is_unread(self, name: str, form: _Form) -> bool:
        """Whether this layout is unreviewed, but another layout of the struct is reviewed."""
        reviewed = self._rules.reviewed
        others = self._api.structs.get(name, ())
        return not is_reviewed(form, reviewed) and any(is_reviewed(one, reviewed) for one in others)

    def _held(self, struct: Struct, release: str) -> Iterator[str]:
        for field in struct.fields:
            type = self._at(release).resolve(field.type)
            if type.is_pointer or type.base not in self._api.structs:
                continue
            yield type.base
            if not field.name:
                index = self._layout_at(type.base, release)
                yield from self._held(self._layouts(type.base)[index].node, release)

    def _layout_at(self, name: str, release: str) -> int:
        for index, form in enumerate(self._layouts(name)):
            if covers(form, release):
                return index
        raise GeneratorError(
            f"struct {name} is held by another in release {release}, but not there"
        )

    def _layout(self, name: str, form: _Form) -> StructLayout:
        key = name, form.since
        if key not in self._planned:
            self._planned[key] = self._plan_layout(name, form)
        return self._planned[key]

    def _plan_layout(self, name: str, form: _Form) -> StructLayout:
        fields = tuple(self._fields(form.node, form, name, 0, True))
        names = {one.name: index for index, one in enumerate(fields)}
        unread = self._is_unread(name, form)
        for one in fields:
            if one.counted_by and one.counted_by not in names and not unread:
                raise GeneratorError(
                    f"{form.node.source}: {name} has no field {one.counted_by} to count {one.name}"
                )
            if one.counted_by and not unread and not _counts(fields[names[one.counted_by]]):
                raise GeneratorError(
                    f"{form.node.source}: {fields[names[one.counted_by]].type} {one.counted_by} of"
                    f" {name} is no count: it is no integer"
                )
        if unread:
            fields = tuple(_alone(one, names) for one in fields)
        layout = StructLayout(form.since, form.until, form.node.size, _paired(name, fields))
        rules = self._lengths(name)
        lengths = Lengths(self._api, layout, self._held_layout, lenient=unread)
        planned = lengths.plan(rules, is_union=form.node.kind == "union")
        return replace(layout, lengths=tuple(planned))

    def _lengths(self, name: str) -> tuple[LengthRule, ...]:
        """The rules for a struct's lengths, by the name that users know, its tag or a typedef."""
        shown = shown_name(self._types, name, self._api.name)
        return self._rules.of_lengths(shown, *aliases(self._types, name))

    def _held_layout(self, field: StructField) -> StructLayout:
        """The layout of the struct in a field."""
        name = self._order[field.index]
        return self._layout(name, self._layouts(name)[field.layout])

    def _fields(
        self, struct: Struct, form: _Form, owner: str, start: int, positional: bool
    ) -> Iterator[StructField]:
        """The fields; those of an anonymous member stand in its place. Positions are C's."""
        for index, field in enumerate(struct.fields):
            placed = positional and (struct.kind == "struct" or index == 0)
            if not field.name and field.bits is not None:
                continue  # a bit-field without a name is padding
            if 0 in field.type.extents:
                continue  # a flexible array: its elements lie behind the struct
            if field.name:
                yield self._field(field, form, owner, start, placed)
            else:
                inner = self._inner(field.type.base, form)
                yield from self._fields(inner, form, owner, start + field.offset, placed)

    def _inner(self, name: str, form: _Form) -> Struct:
        return self._layouts(name)[dict(form.nested)[name]].node

    def _default(self, rule: FieldRule) -> int | float:
        if not isinstance(rule.default, str):
            return rule.default
        if rule.default not in self._numbers:
            raise GeneratorError(f"{rule.where}.default: there is no number {rule.default}")
        return self._numbers[rule.default]

    def _field(
        self, field: Field, form: _Form, owner: str, start: int, positional: bool
    ) -> StructField:
        types = self._at(form.since) if form.since else self._types
        type = types.resolve(field.type)
        rule = self._rule(owner, field, form)
        base = StructField(
            name=python_name(field.name),
            type=field.type,
            scalar="u64",
            role="plain",
            offset=start + field.offset,
            size=8,
            count=prod(type.extents) if type.extents else 0,
            positional=positional,
            default=self._default(rule) if rule else 0,
        )
        if type.base in self._handles and not type.is_pointer:
            return replace(base, role="handle", index=self._handles[type.base])
        if type.is_pointer or type.base in types.callbacks or type.base in types.handles:
            return self._pointer(replace(base, role="pointer"), type, rule)
        if self._rules.is_address(field.type):
            return self._pointer(replace(base, role="pointer"), type, rule)
        if type.base in self._index:
            return replace(
                base,
                role="nested",
                size=self._layouts(type.base)[dict(form.nested)[type.base]].node.size,
                index=self._index[type.base],
                layout=dict(form.nested)[type.base],
            )
        source = f"{form.node.source}: " if form.node.source.header else ""
        return self._scalar(base, field, type, start, rule, f"{source}{owner}.{field.name}")

    def _rule(self, owner: str, field: Field, form: _Form) -> FieldRule | None:
        """The rule for a field; None if the field has another type in an unreviewed release."""
        rule = self._rules.of_field(
            owner, shown_name(self._types, owner, self._api.name), field.name
        )
        if rule is None or not self._is_unread(owner, form):
            return rule
        if self._meaning(field.type, form.since) != self._meaning(field.type):
            return None
        read = [
            (one.type, one.bits)
            for known in self._api.structs.get(owner, ())
            if is_reviewed(known, self._rules.reviewed)
            for one in known.node.fields
            if one.name == field.name
        ]
        return rule if not read or (field.type, field.bits) in read else None

    def _pointer(self, base: StructField, type: CType, rule: FieldRule | None) -> StructField:
        """A pointer; if a rule counts its elements, a sequence is written as an array."""
        if rule is None:
            return base
        match rule.kind:
            case "arguments":
                end = rule.options.get("packed")
                if end is None:
                    return replace(base, item_role="arguments")
                return replace(base, item_role="packed", item_index=int(str(end)))
            case "function":
                return replace(base, item_role="code")
            case "callback":
                return self._callable(base, type, rule)
            case "array":
                return self._counted(base, type, rule)
            case "freed":
                return replace(base, item_role="freed")
            case "text" if type == CType("char", True, (False,)):
                return replace(base, item_role="text")
        return base

    def _callable(self, base: StructField, type: CType, rule: FieldRule) -> StructField:
        """A C function that a callable can stand in for: its only argument is the user data."""
        callback = self._types.callbacks.get(type.base)
        parameters = [one.type for one in callback.parameters] if callback else []
        if not callback or callback.result != CType("void") or parameters != [USER_DATA]:
            raise GeneratorError(f"{rule.where}: a callback in a struct is a void (*)(void *)")
        user_data = python_name(str(rule.options["user_data"]))
        return replace(base, role="callable", user_data=user_data)

    def _counted(self, base: StructField, type: CType, rule: FieldRule) -> StructField:
        element = self._types.resolve(type.pointee)
        counted = replace(
            base,
            counted_by=python_name(str(rule.options["count"])),
            lent=bool(rule.options.get("lent")),
        )
        if element.base in self._handles and not element.is_pointer:
            return replace(counted, item_role="handle", item_index=self._handles[element.base])
        if element.is_pointer or self._rules.is_address(base.type.pointee):
            return replace(counted, item_role="pointer")
        if element.base in self._index:
            return replace(counted, item_role="nested", item_index=self._index[element.base])
        if element.base not in ELEMENTS:
            raise GeneratorError(f"{rule.where}: an array of {element}, which no field can have")
        scalar, size = SCALARS[element.base]
        if element.base == "char":
            scalar = CHARACTER
        return replace(counted, item_role="plain", scalar=scalar, item_size=size)

    def _scalar(
        self,
        base: StructField,
        field: Field,
        type: CType,
        start: int,
        rule: FieldRule | None,
        where: str,
    ) -> StructField:
        if enum := self._enum_nodes.get(type.base):
            scalar, size = SCALARS[enum.underlying]
            one = replace(base, scalar=scalar, size=size)
            if type.base in self._enums:
                one = replace(one, role="enumeration", index=self._enums[type.base])
        elif type.base in SCALARS and type.base not in ELEMENTS:  # no number of Python's
            size = SCALARS[type.base][1] * (base.count or 1)
            return replace(base, scalar="u8", size=1, count=size, role="bytes")
        elif type.base in SCALARS:
            scalar, size = SCALARS[type.base]
            one = replace(base, scalar=scalar, size=size)
            if size == 1 and base.count and type.base != "bool":
                one = replace(one, role="text" if rule and rule.kind == "text" else "bytes")
            elif type.base == "char":
                one = replace(one, scalar=CHARACTER)
            if rule and rule.kind == "boolean" and scalar[0] in "iu":
                one = replace(one, boolean=True)
        else:
            raise GeneratorError(f"{where}: {type} can't be the type of a field")
        if field.bits is None:
            return one
        # A bit-field lies within one unit of its type.
        at, unit = start * 8 + field.offset, size * 8
        return replace(one, offset=at // unit * size, bit=at % unit, bits=field.bits)


def _counts(field: StructField) -> bool:
    """Whether a field holds a number of elements."""
    is_integer = field.scalar[0] in "iu" or field.scalar == CHARACTER
    return field.role == "plain" and not field.count and is_integer


def _fits(rule: FieldRule, fields: Sequence[StructField]) -> None:
    """Raise GeneratorError if the field fits the rule's kind in no release."""
    if rule.kind and fields and not any(_FOLLOWED[rule.kind](one) for one in fields):
        raise GeneratorError(f"{rule.where}: {fields[-1].type} is nothing for kind = {rule.kind!r}")
    for one in fields if rule.default else ():
        if one.role not in ("plain", "enumeration") or one.count or not _holds(one):
            raise GeneratorError(f"{rule.where}.default: {one.type} can't be {rule.default}")


def _holds(field: StructField) -> bool:
    """Whether a field can hold its default."""
    if field.scalar in ("f32", "f64"):
        return abs(field.default) <= _LARGEST[field.scalar]
    low, high = (0, 1) if field.scalar == "boolean" else _range(field)
    return isinstance(field.default, int) and low <= field.default <= high


def _range(field: StructField) -> tuple[int, int]:
    """The numbers that a field can hold, on every processor."""
    bits = field.bits or field.size * 8
    if field.scalar == CHARACTER:
        return (0, 2 ** (bits - 1) - 1)
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if field.scalar[0] == "i" else (0, 2**bits - 1)


# For each kind of rule, whether the planner followed it for a field.
_FOLLOWED: Mapping[str, Callable[[StructField], bool]] = {
    "text": lambda one: "text" in (one.role, one.item_role),
    "arguments": lambda one: one.item_role in ("arguments", "packed"),
    "function": lambda one: one.item_role == "code",
    "callback": lambda one: one.role == "callable",
    "array": lambda one: one.counted_by is not None,
    "boolean": lambda one: one.boolean,
    "freed": lambda one: one.item_role == "freed",
}


def _alone(field: StructField, names: Collection[str]) -> StructField:
    """The field; without its rule if that names a field that isn't there."""
    if field.counted_by and field.counted_by not in names:
        return replace(field, counted_by=None, item_role="plain", item_index=0, item_size=0)
    if field.user_data and field.user_data not in names:
        return replace(field, role="pointer", user_data=None)
    return field


def _paired(name: str, fields: tuple[StructField, ...]) -> tuple[StructField, ...]:
    """The fields, with the distance between each callable and its user data."""
    by_name = {one.name: one for one in fields}
    for one in fields:
        if not one.user_data:
            continue
        if one.user_data not in by_name:
            raise GeneratorError(f"{name} has no field {one.user_data} for the data of {one.name}")
        data = by_name[one.user_data]
        distance = data.offset - one.offset
        by_name[one.name] = replace(one, other=distance)
        by_name[data.name] = replace(data, role="user_data", other=-distance)
    return tuple(by_name.values())


def shown_name(types: Types, name: str, api: str) -> str:
    """The name that users know a struct by: that of the typedef, if the tag only serves it."""
    if not name.endswith(TAG_ENDINGS) or is_anonymous(name):
        owner, dot, member = name.partition(".")
        return f"{shown_name(types, owner, api)}.{member}" if dot else name
    prefix = api.partition("_")[0]
    others = [alias for alias in aliases(types, name) if alias != name]
    plain = name[: name.rindex("_")]

    def rank(one: str) -> tuple[bool, bool, int, str]:
        return not one.lower().startswith(prefix), one != plain, len(one), one

    return min(others, key=rank, default=name)


def aliases(types: Types, name: str) -> tuple[str, ...]:
    """The tag and all typedefs of a struct."""
    return (name, *types.typedefs.get(name, ()))
