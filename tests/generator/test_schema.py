"""Documents are read by their classes: nothing is converted, and a mistake is one line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pytest

from generator import schema, store
from generator.schema import Flag, Name, SchemaError, least, number
from tests.generator.headers import ROOT


@dataclass(frozen=True, slots=True)
class Inner:
    name: Name
    class_: Annotated[int, number(0, 9)] = 0

    def __post_init__(self) -> None:
        if self.name == "wrong":
            raise SchemaError("the name is wrong")


@dataclass(frozen=True, slots=True)
class Outer:
    text: str
    whole: bool = False
    flag: Flag = False
    ratio: float | None = None
    either: int | str | None = None
    listed: Annotated[tuple[Inner, ...], least(1)] | None = None
    named: Mapping[Name, tuple[int, ...]] = field(default_factory=dict)


def test_what_a_document_says() -> None:
    document = {
        "text": "a",
        "ratio": 0.5,
        "either": "b",
        "listed": [{"name": "n", "class": 3}, {"name": "m"}],
        "named": {"k": [1, 2]},
    }
    read = schema.read(Outer, document)
    assert read == Outer(
        "a", ratio=0.5, either="b", listed=(Inner("n", 3), Inner("m")), named={"k": (1, 2)}
    )
    assert schema.write(read) == document
    assert list(schema.write(read)) == list(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": 1}, "at.text: a text is needed, not 1"),
        ({"text": None}, "at.text: a text is needed, not None"),
        ({"whole": 1}, "at.whole: true or false is needed, not 1"),
        ({"flag": False}, "at.flag: true is needed, not False"),
        ({"ratio": None}, "at.ratio: a number with a point is needed, not None"),
        ({"ratio": 1}, "at.ratio: a number with a point is needed, not 1"),
        ({"either": True}, "at.either: a number or a text is needed, not True"),
        ({"either": 1.5}, "at.either: a number or a text is needed, not 1.5"),
        ({"listed": "n"}, "at.listed: a list of 1 or more is needed, not 'n'"),
        ({"listed": []}, "at.listed: a list of 1 or more is needed, not []"),
        ({"listed": {"name": "n"}}, "at.listed: a list of 1 or more is needed, not {'name': 'n'}"),
        ({"listed": [["n"]]}, "at.listed[0]: a table is needed, not ['n']"),
        ({"listed": [{"name": "n"}, {}]}, "at.listed[1]: name is missing"),
        ({"listed": [{"name": "wrong"}]}, "at.listed[0]: the name is wrong"),
        ({"listed": [{"name": "n\n"}]}, "at.listed[0].name: a name of C is needed, not 'n\\n'"),
        ({"listed": [{"name": "n", "class": 2**70}]}, "at.listed[0].class: a number from 0 to 9"),
        (
            {"listed": [{"name": "n", "class_": 1}]},
            "at.listed[0].class_: unknown key; known here: class, name",
        ),
        ({"named": [1]}, "at.named: a table is needed, not [1]"),
        ({"named": {"k": "12"}}, "at.named.k: a list is needed, not '12'"),
        ({"named": {"k": [1, "2"]}}, "at.named.k[1]: a number is needed, not '2'"),
        ({"named": {"a b": []}}, "at.named.a b: a name of C is needed, not 'a b'"),
        ({"named": {"a\nb": []}}, "at.named.'a\\nb': a name of C is needed"),
        ({"txt": "a", "whole": 3}, "at.txt: unknown key; known here: either, flag, listed, "),
    ],
)
def test_a_mistake_is_one_line_with_its_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SchemaError) as error:
        schema.read(Outer, {"text": "a", **change}, "at")
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_long_values_are_cut_short() -> None:
    with pytest.raises(SchemaError) as error:
        schema.read(Outer, {"text": ["x" * 1000]})
    assert len(str(error.value)) < 100


def test_what_the_caller_knows_cannot_stand_in_the_document() -> None:
    assert schema.read(Inner, {"class": 2}, "at", name="n") == Inner("n", 2)
    with pytest.raises(SchemaError, match=r"at\.name: unknown key; known here: class$"):
        schema.read(Inner, {"name": "m"}, "at", name="n")
    with pytest.raises(SchemaError, match="at: the name is wrong"):
        schema.read(Inner, {}, "at", name="wrong")
    with pytest.raises(SchemaError, match=r"^the document: a table is needed, not 3$"):
        schema.read(Inner, 3, name="n")


@pytest.mark.parametrize("kind", ["functions", "structs", "enums", "macros", "handles"])
def test_names_in_a_model_are_checked(kind: str, tmp_path: Path) -> None:
    document = json.loads((ROOT / "api_specs" / "cuda_runtime" / "api.json").read_text())
    document[kind]["a b"] = document[kind].pop(next(iter(document[kind])))
    (tmp_path / "api.json").write_text(json.dumps(document))
    with pytest.raises(store.StoreError, match=rf"api.json: .*: {kind}.a b: a .*name.* is needed"):
        store.load(tmp_path / "api.json")
