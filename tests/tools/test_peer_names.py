"""tools/peer_names.py finds a documented name that the peer package doesn't have."""

from __future__ import annotations

import sys
import types

import pytest

from tools import peer_names

PAGE = """
| | the peer | PyGPU |
| --- | --- | --- |
| import | `from peer import things` | `import PyGPU` |
| a value | `err, x = things.get(1).real` | `things.elsewhere` |

| peer | PyGPU |
| --- | --- |
| `things.Box(…).open()` | `PyGPU.nothing` |
"""


@pytest.fixture
def peer(monkeypatch):
    """A package `peer` with a module `things`."""
    package, things = types.ModuleType("peer"), types.ModuleType("peer.things")
    package.things = things
    monkeypatch.setitem(sys.modules, "peer", package)
    monkeypatch.setitem(sys.modules, "peer.things", things)
    things.Box = type("Box", (), {"open": None})
    things.get = lambda number: number
    monkeypatch.setattr(peer_names, "KNOWN", {"peer.md": {"things": "peer.things"}})
    return things


@pytest.fixture
def folder(monkeypatch, tmp_path):
    (tmp_path / "peer.md").write_text(PAGE)
    monkeypatch.setattr(peer_names, "FOLDER", tmp_path)


def test_the_other_package_s_column_is_read():
    assert list(peer_names.codes(PAGE)) == [
        "from peer import things",
        "err, x = things.get(1).real",
        "things.Box(…).open()",
    ]


def test_a_name_that_is_missing_is_told(peer, folder, capsys):
    peer.get.real = 1
    assert peer_names.main() == 0
    del peer.Box.open
    assert peer_names.main() == 1
    assert "peer.md: things.Box.open: " in capsys.readouterr().out


def test_a_package_that_is_missing_is_told(folder, monkeypatch):
    monkeypatch.setattr(peer_names, "KNOWN", {"peer.md": {"things": "no_such_package.things"}})
    assert peer_names.main() == 2


def test_every_page_has_names_to_look_up():
    for page, known in peer_names.KNOWN.items():
        text = (peer_names.FOLDER / page).read_text()
        named = {name for code in peer_names.codes(text) for name in peer_names.names(code)}
        assert sum(name.split(".")[0] in known for name in named) >= 4, page
