"""A name that is a union or enum in one release, and an alias in another, means one type."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from generator import rules
from generator.errors import GeneratorError
from generator.merge import merge_all
from generator.model import Api
from generator.plan.binding import StructType
from generator.plan.ctypes import Types
from generator.plan.names import public_names
from generator.plan.renamed import follow_renames
from generator.plan.structs import StructPlanner
from tests.generator.headers import in_cpp, parse_text

WINDOW = "struct gpuWindow { void *base; unsigned long size; };\n"
OLDER = (
    WINDOW
    + """
enum gpuStreamID { gpuStreamWindow = 1, gpuStreamSync = 3 };
enum gpuNodeID { gpuNodeWindow = 1, gpuNodeGone = 5 };
union gpuStreamValue { struct gpuWindow window; int sync; };
union gpuNodeValue { struct gpuWindow window; int priority; };
struct gpuNode { enum gpuNodeID id; union gpuNodeValue value; };
int gpuSetStream(enum gpuStreamID id, const union gpuStreamValue *value);
"""
)
NEWER = (
    WINDOW
    + """
enum gpuLaunchID { gpuLaunchWindow = 1, gpuLaunchSync = 3 };
union gpuLaunchValue { char pad[64]; struct gpuWindow window; int sync; int priority; };
#define gpuStreamID gpuLaunchID
#define gpuStreamWindow gpuLaunchWindow
#define gpuStreamSync gpuLaunchSync
#define gpuStreamValue gpuLaunchValue
typedef enum gpuLaunchID gpuNodeID;
#define gpuNodeWindow gpuLaunchWindow
typedef union gpuLaunchValue gpuNodeValue;
struct gpuNode { gpuNodeID id; gpuNodeValue value; };
int gpuSetStream(enum gpuLaunchID id, const union gpuLaunchValue *value);
"""
)


def merged(folder: Path, older: str, newer: str = NEWER) -> Api:
    releases = (("1.0", older), ("2.0", newer))
    return merge_all(
        replace(parse_text(folder, in_cpp(text)), version=version) for version, text in releases
    )


def named(api: Api) -> set[tuple[str, str, int, int, int]]:
    """The public names, with kind, value and releases."""
    types = Types.of(api)
    found = public_names(api, types, tuple(types.enums.values()), (), (), "gpuError", {})
    return {(one.name, one.kind, one.value, one.since, one.until) for one in found}


def planned(api: Api) -> dict[str, StructType]:
    planner = StructPlanner(api, Types.of(api), {}, (), rules.parse("gpu", {}), {}, {})
    return {one.tag: one for one in planner.plan(())}


def layouts(struct: StructType) -> list[tuple[str, str, int, set[str]]]:
    return [
        (one.since, one.until, one.size, {field.name for field in one.fields})
        for one in struct.layouts
    ]


@pytest.fixture
def api(tmp_path: Path) -> Api:
    return follow_renames(merged(tmp_path, OLDER))


def test_the_older_unions_are_the_older_form_of_the_newer(api: Api) -> None:
    assert sorted(api.structs) == ["gpuLaunchValue", "gpuNode", "gpuWindow"]
    made = planned(api)
    assert layouts(made["gpuLaunchValue"]) == [
        ("1.0", "1.0", 16, {"window", "sync", "priority"}),
        ("2.0", "2.0", 64, {"pad", "window", "sync", "priority"}),
    ]
    held = [(one.size, one.fields[1].size, one.fields[1].layout) for one in made["gpuNode"].layouts]
    # A struct that holds it by value has that release's bytes.
    assert held == [(24, 16, 0), (72, 64, 1)]


def test_every_name_has_its_value_in_every_release(api: Api) -> None:
    assert named(api) == {
        ("gpuLaunchID", "enum_type", 0, 0, 9999),
        ("gpuStreamID", "enum_type", 0, 0, 9999),
        ("gpuNodeID", "enum_type", 0, 0, 9999),
        ("gpuLaunchWindow", "enumerator", 1, 200, 9999),
        ("gpuLaunchSync", "enumerator", 3, 200, 9999),
        ("gpuStreamWindow", "constant", 1, 0, 9999),
        ("gpuStreamSync", "constant", 3, 0, 9999),
        ("gpuNodeWindow", "constant", 1, 0, 9999),
        ("gpuNodeGone", "enumerator", 5, 0, 199),
    }


@pytest.mark.parametrize(
    ("older", "told"),
    [
        # A field with another type; a release that has the newer name as a separate type.
        (OLDER.replace("int priority", "float priority").replace("sync; }", "priority; }"), ""),
        (OLDER + "union gpuLaunchValue { int sync; };", "gpuNodeValue"),
    ],
)
def test_types_that_cannot_be_one_are_refused(tmp_path: Path, older: str, told: str) -> None:
    with pytest.raises(GeneratorError, match=rf"gpu 1\.0: .*{told}.* another layout than gpuLaun"):
        follow_renames(merged(tmp_path, older))


@pytest.fixture
def split(tmp_path: Path) -> Api:
    """In the newer release, what was one type under several names is several types."""
    return follow_renames(merged(tmp_path, NEWER, OLDER))


def test_an_older_alias_is_the_older_form_of_the_newer_type(split: Api) -> None:
    assert not split.aliases
    made = planned(split)
    shared = {"pad", "window", "sync", "priority"}
    for tag, own in (("gpuStreamValue", "sync"), ("gpuNodeValue", "priority")):
        assert layouts(made[tag]) == [
            ("1.0", "1.0", 64, shared),
            ("2.0", "2.0", 16, {"window", own}),
        ]
    held = [(one.size, one.fields[1].size, one.fields[1].layout) for one in made["gpuNode"].layouts]
    assert held == [(72, 64, 0), (24, 16, 1)]


def test_values_of_what_was_an_alias(split: Api) -> None:
    assert named(split) == {
        ("gpuLaunchID", "enum_type", 0, 0, 9999),
        ("gpuNodeID", "enum_type", 0, 0, 9999),
        ("gpuStreamID", "enum_type", 0, 0, 9999),
        ("gpuLaunchWindow", "enumerator", 1, 0, 199),
        ("gpuLaunchSync", "enumerator", 3, 0, 199),
        ("gpuStreamWindow", "constant", 1, 0, 199),
        ("gpuStreamWindow", "enumerator", 1, 200, 9999),
        ("gpuStreamSync", "constant", 3, 0, 199),
        ("gpuStreamSync", "enumerator", 3, 200, 9999),
        ("gpuNodeWindow", "constant", 1, 0, 199),
        ("gpuNodeWindow", "enumerator", 1, 200, 9999),
        ("gpuNodeGone", "enumerator", 5, 200, 9999),
    }


def test_enumerators_go_with_the_enum_that_has_them_now(tmp_path: Path) -> None:
    older = "enum gpuID { gpuA = 1, gpuB = 2 };\ntypedef enum gpuID gpuKind;\n"
    newer = "enum gpuID { gpuA = 1 };\nenum gpuKind { gpuB = 2, gpuC = 3 };\n"
    api = follow_renames(merged(tmp_path, older, newer))
    held = {
        name: [[one.name for one in form.node.enumerators] for form in forms]
        for name, forms in api.enums.items()
    }
    assert held == {"gpuID": [["gpuA"]], "gpuKind": [["gpuB"], ["gpuB", "gpuC"]]}


def test_a_number_that_became_an_enum_has_no_enumerators(tmp_path: Path) -> None:
    older = "typedef unsigned int gpuKind;\nint gpuUse(gpuKind kind);\n"
    newer = "enum gpuKind { gpuA = 1 };\nint gpuUse(enum gpuKind kind);\n"
    api = follow_renames(merged(tmp_path, older, newer))
    assert [len(form.node.enumerators) for form in api.enums["gpuKind"]] == [0, 1]
    assert not api.aliases


@pytest.mark.parametrize(
    ("older", "newer", "told"),
    [
        ("typedef int gpuRange;", "struct gpuRange { int from, to; };", "int, and a struct"),
        ("typedef float gpuKind;", "enum gpuKind { gpuA };", "float, and an enum"),
    ],
)
def test_an_alias_of_no_such_type_is_refused(
    tmp_path: Path, older: str, newer: str, told: str
) -> None:
    used = "int gpuUse({} *value);\n"
    name = older.split()[-1].rstrip(";")
    texts = (
        older + "\n" + used.format(name),
        newer + "\n" + used.format(f"{newer.split()[0]} {name}"),
    )
    with pytest.raises(GeneratorError, match=rf"gpu 1\.0: .*{name} is {told} in newer releases"):
        follow_renames(merged(tmp_path, *texts))


def test_nothing_renamed_is_nothing_changed(tmp_path: Path) -> None:
    api = merged(tmp_path, NEWER)
    assert follow_renames(api) is api
