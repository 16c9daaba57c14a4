"""The tables of structs: roles, anonymous members, bit-fields, layouts by release, rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator import rules
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
        handles={"gpuStream_t": Handle("gpuStream_t", "gpuStream_st", False, SOURCE)},
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
        (HandleType("gpuStream_st", "gpuStream_t", None),),
        rules.parse(api.name, document or {}),
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
    assert made["gpuHolder"].room == 32


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
        ({"kind": "texts"}, "none of text, arguments, function, callback, array"),
        ({"kind": "array"}, "a array needs count"),
        ({"kind": "callback"}, "a callback needs user_data"),
        ({"kind": "arguments", "packed": True}, "a number is due"),
        ({}, "neither kind nor default"),
        ({"default": "1"}, "a number is due"),
        ({"kind": "text", "count": "n"}, "unknown key"),
    ],
)
def test_wrong_rules(table: dict[str, object], message: str) -> None:
    with pytest.raises(rules.RulesError, match=message):
        rules.parse("gpu", {"struct": {"gpuList": {"field": {"n": table}}}})


def test_rules_that_match_nothing() -> None:
    api = merge_all([release("1.0", PAIR)])
    given = {"gpuPair": {"field": {"x": {"default": 1}, "z": {"default": 1}}}}
    assert rules.parse("gpu", {"struct": given}).unmatched(api) == ["struct.gpuPair.field.z"]


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
        return one.signature, one.parameters, one.values

    by_name = planned(struct="gpuPair_st", parameters=["a", "b"])
    assert by_name == ("make_gpuPair(a, b)", ("a", "b"), ())
    assert planned(struct="gpuPair", values=[3, "gpuA"]) == ("make_gpuPair()", (), (3, 7))
    with pytest.raises(
        GeneratorError, match="make_gpuPair: 1 values, but gpuPair has 2 fields: x, y"
    ):
        planned(struct="gpuPair", parameters=["a"])
    with pytest.raises(GeneratorError, match="make_gpuPair: there is no struct gpuNone"):
        planned(struct="gpuNone", parameters=["a"])
