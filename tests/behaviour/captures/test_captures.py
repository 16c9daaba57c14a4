"""What one thread may call while another one captures, on the host runtime and on a card."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.behaviour.captures import collect, rows
from tests.behaviour.table import FOLDER

STORED = sorted((FOLDER / "answers").glob("captures-*.json"))
ROWS = [(api, row) for api in collect.APIS for row in rows.load(api)]
ALL = pytest.mark.parametrize(("api", "row"), ROWS, ids=[row.key for _, row in ROWS])
MEASURED = [(api, row) for api, row in ROWS if row.refused is not None]
UNSUPPORTED = ["cudaErrorStreamCaptureUnsupported", "cudaErrorStreamCaptureInvalidated"]
IMPLICIT = ["cudaErrorStreamCaptureImplicit", "cudaErrorStreamCaptureInvalidated"]
GOOD = ["cudaSuccess"] * 2


def ask(backend: str, **variables: str) -> dict[str, dict[str, collect.Answer]]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYGPU_")}
    environment |= {"PYGPU_BACKEND": backend} | variables
    return {api: collect.collect(api, environment)[1] for api in collect.APIS}


def ask_the_host(folder: Path) -> None:
    answers = ask("host", PYGPU_HOST_DEVICES="2")
    (folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")


@pytest.fixture(scope="module")
def on_host(once) -> dict[str, dict[str, collect.Answer]]:
    folder = once("captures", ask_the_host)
    return json.loads((folder / "answers.json").read_text("utf-8"))


def expected(row: rows.Row) -> collect.Answer:
    """What an H200 answered before its answers to all rows were stored."""
    answer = {"beside": UNSUPPORTED if row.refused else GOOD, "relaxed": GOOD}
    if row.legacy == 906:
        answer |= {"legacy": IMPLICIT, "legacy relaxed": IMPLICIT}
    return answer


@ALL
def test_each_row_is_answered(on_host, api, row):
    """The calls before and after the one in question succeed, and nothing hangs."""
    answer = on_host[api][row.key]
    assert answer.keys() == rows.SITUATIONS.keys()
    assert [said for said in answer.values() if len(said) != 2] == []


@pytest.mark.parametrize(("api", "row"), MEASURED, ids=[row.key for _, row in MEASURED])
def test_the_host_runtime_refuses_what_a_card_refused(on_host, api, row):
    answer = on_host[api][row.key]
    assert {name: answer[name] for name in expected(row)} == expected(row)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_the_host_runtime_answers_as_a_stored_card(on_host, path):
    """Rows that say why the host runtime differs are left out; they must differ indeed."""
    who, stored = collect.load_stored(path)
    assert who["nvidia_driver"]
    texts = [
        text for api in collect.APIS for text in collect.differences(api, on_host[api], stored[api])
    ]
    assert not texts, "\n".join(texts)
    assert [
        row.key
        for api, row in ROWS
        if row.differs and on_host[api][row.key] == stored[api].get(row.key)
    ] == []


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_stored_card_answered_as_the_one_before(path):
    _, stored = collect.load_stored(path)
    for api, row in MEASURED:
        answer = stored[api][row.key]
        assert {name: answer[name] for name in expected(row)} == expected(row), row.key


@pytest.mark.device
def test_the_card_answers_as_expected(on_card):
    answers = ask("cuda")
    for api, row in MEASURED:
        if row.key in answers[api]:
            answer = answers[api][row.key]
            assert {name: answer[name] for name in expected(row)} == expected(row), row.key
