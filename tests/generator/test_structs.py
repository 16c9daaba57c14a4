"""Tables of structs: roles, anonymous members, bit-fields, layouts by release, rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator import rules
from generator.cpp.rows import over_fields
from generator.errors import GeneratorError
from generator.merge import merge_all
from generator.model import (
    Alias,
    Api,
    CType,
    Enum,
    Enumerator,
    Field,
    Handle,
    Release,
    Source,
    Struct,
)
from generator.plan.binding import HandleType, StructType
from generator.plan.ctypes import Types
from generator.plan.helpers import helpers
from generator.plan.structs import StructPlanner, shown_name
from tests.generator.models import empty

SOURCE = Source("gpu.h", 1)


def struct(name: str, size: int, *fields: Field, kind: str = "struct") -> Struct:
    return Struct(name, kind, size, 8, fields, SOURCE)


def field(name: str, type: str, offset: int, bits: int | None = None) -> Field:
    return Field(name, CType.parse(type), offset, bits)


def release(version: str, *structs: Struct) -> Release:
    return replace(
        empty(version),
        structs={one.name: one for one in structs},
        enums={"gpuKind": Enum("gpuKind", "unsigned int", (Enumerator("gpuA", 0),), SOURCE)},
        handles={"gpuStream_t": Handle("gpuStream_t", "gpuStream_st", SOURCE)},
        aliases={
            "gpuPair": Alias("gpuPair", CType("gpuPair_st"), SOURCE),
            "gpuId": Alias("gpuId", CType("unsigned int"), SOURCE),
        },
    )


def plan(api: Api, document: dict[str, object] | None = None) -> dict[str, StructType]:
    planner = StructPlanner(
        api,
        Types.of(api),
        {"gpuKind": 0},
        (HandleType("gpuStream_st", "gpuStream_t", ("gpuStream_t",), ()),),
        rules.parse(api.name, document or {}),
        {},
        {},
    )
    return {one.tag: one for one in planner.plan(())}


PAIR = struct("gpuPair_st", 16, field("x", "size_t", 0), field("y", "size_t", 8))


def test_roles() -> None:
    made = plan(
        merge_all(
            [
                release(
                    "1.0",
                    PAIR,
                    struct(
                        "gpuAll",
                        80,
                        field("kind", "gpuKind", 0),
                        field("id", "gpuId", 4),
                        field("stream", "gpuStream_t", 8),
                        field("memory", "void *", 16),
                        field("pair", "gpuPair", 24),
                        field("raw", "unsigned char[8]", 40),
                        field("name", "char[16]", 48),
                        field("sizes", "int[4]", 64),
                    ),
                )
            ]
        ),
        {"struct": {"gpuAll": {"field": {"name": {"kind": "text"}, "id": {"default": 3}}}}},
    )["gpuAll"]
    found = [
        (one.role, one.scalar, one.size, one.count, one.default) for one in made.layouts[0].fields
    ]
    assert found == [
        ("enumeration", "u32", 4, 0, 0),
        ("plain", "u32", 4, 0, 3),
        ("handle", "u64", 8, 0, 0),
        ("pointer", "u64", 8, 0, 0),
        ("nested", "u64", 16, 0, 0),
        ("bytes", "u8", 1, 8, 0),
        ("text", "i8", 1, 16, 0),
        ("plain", "i32", 4, 4, 0),
    ]


def test_a_plain_char_has_the_sign_of_the_processor() -> None:
    letters = struct(
        "gpuLetters",
        24,
        field("letter", "char", 0),
        field("small", "signed char", 1),
        field("byte", "unsigned char", 2),
        field("name", "char[5]", 3),
        field("letters", "char *", 8),
        field("n", "char", 16),
    )
    rule = {"kind": "array", "count": "n"}
    document = {"struct": {"gpuLetters": {"field": {"letters": rule, "letter": {"default": 127}}}}}
    api = merge_all([release("1.0", letters)])
    found = {one.name: one.scalar for one in plan(api, document)["gpuLetters"].layouts[0].fields}
    assert found == {
        "letter": "character",
        "small": "i8",
        "byte": "u8",
        "name": "i8",  # bytes
        "letters": "character",
        "n": "character",
    }
    for default in (-1, 128):  # no char on aarch64, none on x86-64
        document["struct"]["gpuLetters"]["field"]["letter"] = {"default": default}
        with pytest.raises(GeneratorError, match=f"char can't be {default}"):
            plan(api, document)


def test_anonymous_members_dissolve() -> None:
    inner = struct("gpuU.0", 16, field("a", "int", 0), field("pair", "gpuPair", 0), kind="union")
    outer = struct(
        "gpuU", 32, field("id", "int", 0), field("", "gpuU.0", 8), field("end", "int", 24)
    )
    made = plan(merge_all([release("1.0", PAIR, inner, outer)]))
    assert set(made) == {"gpuPair_st", "gpuU"}
    fields = made["gpuU"].layouts[0].fields
    assert [(one.name, one.offset, one.positional) for one in fields] == [
        ("id", 0, True),
        ("a", 8, True),
        ("pair", 8, False),
        ("end", 24, True),
    ]


def test_bit_fields_lie_in_units() -> None:
    bits = struct(
        "gpuBits",
        8,
        field("a", "unsigned int", 0, 31),
        field("b", "unsigned int", 32, 1),
        field("c", "unsigned int", 33, 5),
    )
    fields = plan(merge_all([release("1.0", bits)]))["gpuBits"].layouts[0].fields
    assert [(one.offset, one.bit, one.bits) for one in fields] == [(0, 0, 31), (4, 0, 1), (4, 1, 5)]


def test_a_struct_changes_with_what_it_holds() -> None:
    wide = struct("gpuPair_st", 24, *PAIR.fields, field("z", "size_t", 16))
    holder = struct("gpuHolder", 24, field("id", "int", 0), field("pair", "gpuPair", 8))
    wider = replace(holder, size=32)
    same = struct("gpuSame", 4, field("id", "int", 0))
    api = merge_all(
        [
            release("1.0", PAIR, holder, same),
            release("1.2", PAIR, holder, same),
            release("1.10", wide, wider, same),
        ]
    )
    made = plan(api)
    spans = {
        name: [(one.since, one.until, one.size) for one in made[name].layouts] for name in made
    }
    assert spans == {
        "gpuPair_st": [("1.0", "1.2", 16), ("1.10", "1.10", 24)],
        "gpuHolder": [("1.0", "1.2", 24), ("1.10", "1.10", 32)],
        "gpuSame": [("1.0", "1.10", 4)],
    }
    assert [one.fields[1].layout for one in made["gpuHolder"].layouts] == [0, 1]
    assert made["gpuHolder"].capacity == 32


def test_counted_arrays() -> None:
    list_ = struct(
        "gpuList",
        24,
        field("pairs", "const gpuPair *", 0),
        field("streams", "gpuStream_t *", 8),
        field("n", "unsigned int", 16),
    )
    document = {
        "struct": {
            "gpuList": {
                "field": {
                    "pairs": {"kind": "array", "count": "n"},
                    "streams": {"kind": "array", "count": "n"},
                }
            }
        }
    }
    api = merge_all([release("1.0", PAIR, list_)])
    pairs, streams, _ = plan(api, document)["gpuList"].layouts[0].fields
    assert (pairs.counted_by, pairs.item_role) == ("n", "nested")
    assert (streams.counted_by, streams.item_role) == ("n", "handle")
    document["struct"]["gpuList"]["field"]["pairs"]["count"] = "m"
    with pytest.raises(GeneratorError, match="gpuList has no field m to count pairs"):
        plan(api, document)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"kind": "texts"}, "kind: 'text' or 'arguments' or 'function' or "),
        ({"kind": "array"}, "count is missing"),
        ({"kind": "callback"}, "user_data is missing"),
        ({"kind": "arguments", "packed": True}, "a number is needed"),
        ({}, "neither kind nor default"),
        ({"default": "1"}, "a number, or the name of an enumerator or a macro is needed"),
        ({"kind": "text", "count": "n"}, "unknown key"),
    ],
)
def test_wrong_rules(table: dict[str, object], message: str) -> None:
    with pytest.raises(rules.RulesError, match=message):
        rules.parse("gpu", {"struct": {"gpuList": {"field": {"n": table}}}})


def test_rules_that_match_nothing() -> None:
    api = merge_all([release("1.0", PAIR)])
    given = {"gpuPair": {"field": {"x": {"default": 1}, "z": {"default": 1}}}}
    assert rules.unmatched(rules.parse("gpu", {"struct": given}), api) == ["struct.gpuPair.field.z"]


def test_booleans_and_freed_pointers() -> None:
    one = struct(
        "gpuOne", 24, field("on", "int", 0), field("at", "void *", 8), field("x", "float", 16)
    )
    api = merge_all([release("1.0", one)])

    def planned(**kinds: str) -> StructType:
        given = {name: {"kind": kind} for name, kind in kinds.items()}
        return plan(api, {"struct": {"gpuOne": {"field": given}}})["gpuOne"]

    fields = planned(on="boolean", at="freed").layouts[0].fields
    assert [(one.boolean, one.item_role) for one in fields] == [
        (True, "plain"),
        (False, "freed"),
        (False, "plain"),
    ]
    for wrong in ({"at": "boolean"}, {"x": "boolean"}, {"on": "freed"}):
        with pytest.raises(GeneratorError, match="is nothing for kind"):
            planned(**wrong)


COPY = struct(
    "gpuCopy",
    48,
    field("from", "void *", 0),
    field("array", "gpuStream_t", 8),
    field("pair", "gpuPair", 16),
    field("kind", "gpuKind", 32),
    field("n", "unsigned int", 36),
)


def lengths(document: dict[str, object], *structs: Struct) -> list[tuple[object, ...]]:
    """The plan of the last struct, in its newest layout."""
    made = plan(merge_all([release("1.0", PAIR, *structs)]), document)
    found = made[structs[-1].name].layouts[-1].lengths
    return [
        (
            one.path,
            one.offset,
            over_fields(one, one.bytes),
            one.nested and one.nested[1],
            over_fields(one, one.when),
        )
        for one in found
    ]


def test_lengths_behind_pointers() -> None:
    """Fields are read at their place in the layout. Enumerators are numbers."""
    rule = {"bytes": "pair.y * n or 8", "when": "kind == gpuA and not array"}
    given = {"struct": {"gpuCopy": {"length": {"from_": rule}}}}
    product = "saturated_product(it.number<std::uint64_t>(24), it.number<std::uint32_t>(36))"
    when = "((it.number<std::uint32_t>(32) == 0) && !it.number<std::uint64_t>(8))"
    assert lengths(given, COPY) == [("from_", 0, f"({product} ? {product} : 8)", None, when)]


def test_lengths_of_members() -> None:
    """Lengths of a nested struct are its own. In a union a rule says when they count."""
    given: dict[str, object] = {"gpuCopy": {"length": {"from_": "n"}}}
    holder = struct("gpuHolder", 56, field("id", "int", 0), field("copy", "gpuCopy", 8))
    (found,) = lengths({"struct": given}, COPY, holder)
    assert found == ("copy", 8, "", 0, "")
    union = struct("gpuU.0", 48, field("raw", "int", 0), field("copy", "gpuCopy", 0), kind="union")
    owner = struct("gpuU", 56, field("id", "int", 0), field("", "gpuU.0", 8))
    assert lengths({"struct": given}, COPY, union, owner) == []
    given["gpuU"] = {"length": {"copy": {"when": "id == 1"}}}
    (found,) = lengths({"struct": given}, COPY, union, owner)
    assert found == ("copy", 8, "", 0, "(it.number<std::int32_t>(0) == 1)")


@pytest.mark.parametrize(
    ("path", "rule", "said"),
    [
        ("to", "n", "struct.gpuCopy.length.to: gpuCopy has no such field"),
        ("n", "n", "struct.gpuCopy.length.n: unsigned int is no pointer"),
        ("pair", {"when": "n"}, "struct.gpuCopy.length.pair: gpuPair has no lengths of its own"),
        ("from_", "m", "struct.gpuCopy.length.from_: m is no number in 1.0"),
        ("from_", "pair", "struct.gpuCopy.length.from_: pair is no number in 1.0"),
    ],
)
def test_a_length_that_cannot_be_is_said(path: str, rule: object, said: str) -> None:
    with pytest.raises(GeneratorError, match=said):
        lengths({"struct": {"gpuCopy": {"length": {path: rule}}}}, COPY)


def test_a_layout_ends_where_an_enumerator_in_its_lengths_changes() -> None:
    older = release("1.0", PAIR, COPY)
    other = Enum("gpuKind", "unsigned int", (Enumerator("gpuA", 5),), SOURCE)
    newer = replace(release("2.0", PAIR, COPY), enums={"gpuKind": other})
    rule = {"bytes": "n", "when": "kind == gpuA"}
    document: dict[str, object] = {"struct": {"gpuCopy": {"length": {"from_": rule}}}}
    first, second = plan(merge_all([older, newer]), document)["gpuCopy"].layouts
    assert (first.since, first.until, second.since) == ("1.0", "1.0", "2.0")
    assert [one.lengths[0].names["gpuA"] for one in (first, second)] == [0, 5]


def test_shown_names() -> None:
    api = merge_all([release("1.0", PAIR, struct("gpuOwn", 4, field("x", "int", 0)))])
    types = Types.of(api)
    assert shown_name(types, "gpuPair_st", "gpu_runtime") == "gpuPair"
    assert shown_name(types, "gpuPair_st.part", "gpu_runtime") == "gpuPair.part"
    assert shown_name(types, "gpuOwn", "gpu_runtime") == "gpuOwn"


def test_a_helper_gives_every_field_a_value() -> None:
    structs = tuple(plan(merge_all([release("1.0", PAIR)])).values())

    def planned(**table: object) -> tuple[str, tuple[str, ...], tuple[int, ...]]:
        known = rules.parse("gpu", {"helper": {"make_gpuPair": table}}).helpers
        (one,) = helpers(known, structs, {"gpuA": 7}.__getitem__)
        return one.name, one.parameters, one.values

    by_name = planned(struct="gpuPair_st", parameters=["a", "b"])
    assert by_name == ("make_gpuPair", ("a", "b"), ())
    assert planned(struct="gpuPair", values=[3, "gpuA"]) == ("make_gpuPair", (), (3, 7))
    with pytest.raises(
        GeneratorError, match="make_gpuPair: 1 values, but gpuPair has 2 fields: x, y"
    ):
        planned(struct="gpuPair", parameters=["a"])
    with pytest.raises(GeneratorError, match="make_gpuPair: there is no struct gpuNone"):
        planned(struct="gpuNone", parameters=["a"])
