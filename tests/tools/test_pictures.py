"""The pictures of README and docs are what the scripts draw from today's code and measurements."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as xml

import pytest

from tests.conftest import ROOT
from tools.pictures.__main__ import FOLDER, PICTURES, STEADY
from tools.pictures.copies import RESULTS, copies
from tools.pictures.streams import streams


@pytest.mark.parametrize("name", STEADY)
def test_a_picture_is_as_its_script_draws_it(name):
    assert (FOLDER / f"{name}.svg").read_text() == STEADY[name](), "python -m tools.pictures"


def test_each_file_has_a_script_and_a_page_that_shows_it():
    files = {path.stem for path in FOLDER.iterdir()}
    assert files == set(PICTURES)
    pages = [ROOT / "README.md", ROOT / "docs" / "conf.py", *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(page.read_text() for page in pages)
    shown = set(re.findall(r"([\w-]+)\.svg", text))
    assert files <= shown


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_small_and_says_what_it_shows(name):
    text = (FOLDER / f"{name}.svg").read_text()
    picture = xml.fromstring(text)
    assert len(text) < 20_000
    assert picture.find("{http://www.w3.org/2000/svg}title").text
    assert name.startswith("logo") or "prefers-color-scheme:dark" in text


def test_the_plot_follows_the_numbers(tmp_path):
    for name in ("transfer", "machine"):
        (tmp_path / f"{name}.json").write_text((RESULTS / f"{name}.json").read_text())
    before = copies(tmp_path).as_text()
    assert before == copies().as_text()
    stored = json.loads((tmp_path / "transfer.json").read_text())
    stored["contiguous"]["pageable, up"]["1073741824"]["PyGPU"] = 1.0
    (tmp_path / "transfer.json").write_text(json.dumps(stored))
    assert copies(tmp_path).as_text() != before


def event(kind: str, name: str, start: int, duration: int, stream: int = 0) -> dict[str, object]:
    return {"event": kind, "name": name, "start": start, "duration": duration, "stream": stream}


def test_the_timeline_shows_the_shortest_round_of_each():
    slow, quick, both = (
        [event("call", "cudaDeviceSynchronize", at, 1)] for at in (0, 10_000_000, 20_000_000)
    )
    last = [event("call", "cudaDeviceSynchronize", 30_000_000, 1)]
    slow += [event("kernel", "work", 1_000_000, 8_000_000, 3)]
    quick += [event("kernel", "work", 11_000_000, 4_000_000, 3)]
    both += [event("kernel", "work", 21_000_000, 2_000_000, one) for one in (4, 5)]
    last += [event("kernel", "work", 31_000_000, 3_000_000, one) for one in (4, 5)]
    text = streams(slow + quick + both + last).as_text()
    assert "1 stream: 4.0 ms" in text
    assert "2 streams: 2.0 ms" in text
    assert text.count("stream 2<") == 1
