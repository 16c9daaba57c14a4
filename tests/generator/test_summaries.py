"""Each function has one line that says what it does, and `check` enforces it."""

from __future__ import annotations

import re
import shutil
from collections import Counter

import pytest

from generator import cli, manifest, rules, store, summaries
from generator.emit import SPECS
from generator.errors import GeneratorError

APIS = manifest.names(SPECS)


def functions(api: str) -> list[str]:
    known = rules.load(api, SPECS)
    names = store.load(SPECS / api / "api.json").functions
    return [one for one in names if known.exclude(one) is None]


@pytest.mark.parametrize("api", APIS)
def test_every_function_has_a_line_and_every_line_a_function(api):
    lines = summaries.load(api, SPECS)
    assert lines.known
    model = store.load(SPECS / api / "api.json")
    assert list(summaries.missing(model, rules.load(api, SPECS), lines)) == []
    assert summaries.unknown(model.functions, lines) == []


@pytest.mark.parametrize("api", APIS)
def test_lines_have_one_form(api):
    for name, line in summaries.load(api, SPECS).lines.items():
        assert len(line) <= summaries.LONGEST, name
        assert re.fullmatch(r"[A-Z][a-z-]+s .*[^.]\.", line), (name, line)  # "Copies …."
        assert not re.search(r"[\u2013\u2014]|\s\s", line), (name, line)


@pytest.mark.parametrize("api", APIS)
def test_no_line_is_written_twice_in_an_api(api):
    """Functions share a line only if a suffix or [as] says so."""
    written = Counter(summaries.load(api, SPECS).lines.values())
    assert [line for line, count in written.items() if count > 1] == []


def test_a_variant_takes_the_line_of_its_plain_name():
    hip, cuda = (summaries.load(api, SPECS) for api in ("hip_runtime", "cuda_runtime"))
    assert cuda.of("cudaMemPrefetchAsync_v2") == cuda.lines["cudaMemPrefetchAsync"]
    assert hip.of("hipMemcpyAsync_spt") == hip.of("hipMemcpyAsync") == cuda.of("cudaMemcpyAsync")
    assert hip.of("hipGetDriverEntryPoint_spt") == hip.lines["hipGetDriverEntryPoint"]
    assert hip.of("hipStreamGetCaptureInfo_v2_spt") == hip.lines["hipStreamGetCaptureInfo_v2"]
    assert hip.of("hipNothing") is None


@pytest.mark.parametrize(
    "line",
    ["no capital.", "No stop", "A dash — here.", "Too " + "long" * 30 + ".", "Returns a value."],
)
def test_a_line_of_another_form_is_refused(tmp_path, line):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "summaries.toml").write_text(f'[lines]\nmineCall = "{line}"\n')
    with pytest.raises(GeneratorError, match=r"lines\.mineCall: a sentence of at most 90"):
        summaries.load("mine", tmp_path)


def test_namesakes_go_in_no_circle(tmp_path):
    for mine, other in (("one", "two"), ("two", "one")):
        (tmp_path / mine).mkdir()
        text = f'[lines]\n[as.{other}]\n{mine} = "{other}"\n'
        (tmp_path / mine / "summaries.toml").write_text(text)
    with pytest.raises(GeneratorError, match="no other API with lines"):
        summaries.load("one", tmp_path)


@pytest.fixture
def specs(tmp_path, monkeypatch):
    """A copy of api_specs/, checked without generated files."""
    shutil.copytree(SPECS, tmp_path / "api_specs")
    monkeypatch.setattr("generator.emit.render", lambda specs: {})
    return tmp_path / "api_specs"


def test_check_refuses_a_missing_line_and_a_strange_one(specs, tmp_path, capsys):
    assert cli.main(["--root", str(tmp_path), "check"]) == 0
    path = specs / "nvrtc" / "summaries.toml"
    path.write_text(path.read_text().replace("nvrtcVersion", "nvrtcVersoin"))
    assert cli.main(["--root", str(tmp_path), "check"]) == 1
    said = capsys.readouterr().err
    assert "api_specs/nvrtc/summaries.toml: nvrtcVersion has no line" in said
    assert "nvrtcVersoin is no function of any listed release" in said
    assert cli.main(["--root", str(tmp_path), "coverage", "nvrtc"]) == 0
    assert "no line for nvrtcVersion" in capsys.readouterr().out


def test_check_leaves_functions_of_unreviewed_releases(specs, tmp_path, capsys):
    """`update` may list a release with new functions that nobody has described yet."""
    path = specs / "nvrtc" / "summaries.toml"
    path.write_text(path.read_text().replace("nvrtcGetTileIRSize =", "# "))
    old = rules.load("nvrtc", SPECS).reviewed[0]
    text = (specs / "nvrtc" / "rules.toml").read_text()
    text = re.sub(r"reviewed = \[.*?\]", f'reviewed = ["{old}"]', text, count=1, flags=re.DOTALL)
    (specs / "nvrtc" / "rules.toml").write_text(text)
    assert cli.main(["--root", str(tmp_path), "check"]) == 0
    assert cli.main(["--root", str(tmp_path), "coverage", "nvrtc"]) == 0
    assert "no line for nvrtcGetTileIRSize" in capsys.readouterr().out


def test_an_api_without_lines_is_left_alone(specs, tmp_path):
    for path in specs.glob("*/summaries.toml"):
        path.unlink()
    assert cli.main(["--root", str(tmp_path), "check"]) == 0
