"""Every row of the behaviour table, on the host runtime for both vendors, and on a card."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import collect
import table


def ask(api: str, **variables: str) -> dict:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYGPU_")}
    return collect.collect(api, environment | variables)


def ask_the_host(folder: Path) -> None:
    for api in ("cuda", "hip", "cu"):
        answers = ask(api, PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="2")["answers"]
        (folder / f"{api}.json").write_text(json.dumps(answers), encoding="utf-8")


@pytest.fixture(scope="module")
def on_host(once) -> dict[str, dict]:
    folder = once("behaviour", ask_the_host)
    return {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}


def as_expected(row: table.Row, got: dict, code: object) -> bool:
    return got["code"] == code and got.get("holds") is not False and got.get("after") is not False


@pytest.mark.parametrize("row", table.load("cuda"), ids=lambda row: row.key)
def test_cuda_on_the_host_runtime(on_host, row):
    got = on_host["cuda"][row.key]
    assert as_expected(row, got, row.code), f"{row.before}; {row.call}: {got}"


@pytest.mark.parametrize("row", table.load("hip"), ids=lambda row: row.key)
def test_hip_on_the_host_runtime(on_host, row):
    got = on_host["hip"][row.key]
    assert as_expected(row, got, row.code), f"{row.before}; {row.call}: {got}"


@pytest.mark.parametrize("row", table.load("cu"), ids=lambda row: row.key)
def test_the_driver_on_the_host_runtime(on_host, row):
    got = on_host["cu"][row.key]
    assert as_expected(row, got, row.code), f"{row.before}; {row.call}: {got}"


@pytest.mark.device
@pytest.mark.parametrize("api", ["cuda", "cu"])
def test_the_card_gives_the_same_codes(device, api):
    """Rows in doubt are left out, and so are rows whose answer varies from run to run."""
    asked = ask(api, PYGPU_BACKEND="cuda")
    matches = []
    for row in table.load(api):
        if row.doubt or row.card == "varies" or row.key in asked["skipped"]:
            continue
        expected = row.code if row.card is None else row.card
        got = asked["answers"].get(row.key, {"code": "no answer"})
        if not as_expected(row, got, expected):
            matches.append(f"{row.key} {row.call}: expected {expected}, got {got}")
    assert not matches, "\n".join(matches)


def test_every_row_has_a_key_of_its_own():
    for api in ("cuda", "hip", "cu"):
        keys = [row.key for row in table.load(api)]
        assert len(keys) == len(set(keys))


def test_a_row_says_why_the_card_differs():
    rows = [*table.load("cuda"), *table.load("cu")]
    assert [row.key for row in rows if (row.card is not None) != bool(row.differs)] == []


@pytest.mark.parametrize("path", sorted((table.FOLDER / "answers").glob("cu*-*.json")), ids=str)
def test_a_stored_card_gave_the_same_codes(path):
    """The stored answers of a card, with its driver and runtime, agree with the table."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert stored["who"]["driver"]
    api = path.name.partition("-")[0]
    rows = {row.key: row for row in table.load(api)}
    compared = 0
    for key, answer in stored["answers"].items():
        row = rows.get(key)
        if row is None or row.card == "varies":
            continue  # the table has changed since, or no fixed answer is expected
        expected = row.code if row.card is None else row.card
        assert as_expected(row, answer, expected), f"{key} {row.call}: {answer}"
        compared += 1
    assert compared > (600 if api == "cuda" else 150)
    stale = stored["answers"].keys() - rows.keys()
    assert len(stale) <= 20, f"ask a card again (collect.py --store): {sorted(stale)}"


def test_cards_were_asked():
    for api in ("cuda", "cu"):
        assert list((table.FOLDER / "answers").glob(f"{api}-*.json"))
