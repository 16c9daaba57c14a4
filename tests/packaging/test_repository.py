"""The files for the hosting site and for other tools load, and what they name exists."""

from __future__ import annotations

import fnmatch
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

import PyGPU
from tests.conftest import ROOT, required

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
ACTIONS = r"actions/[a-z-]+@v\d+|pypa/gh-action-pypi-publish@release/v1"
PROSE = ["CHANGELOG.md", "SECURITY.md", ".github/pull_request_template.md"]


def load(path: pathlib.Path) -> dict:
    return required("yaml").safe_load(path.read_text())


def texts(node: object) -> Iterator[str]:
    """Each text in a loaded document, at any depth."""
    if isinstance(node, dict):
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            yield from texts(part)
    elif isinstance(node, str):
        yield node


def assert_commands_exist(text: str) -> None:
    """The make targets and the repository's paths that a text names must exist."""
    for target in re.findall(r"\bmake ([a-z-]+)\b", text):
        assert target in TARGETS, target
    for path in re.findall(r"(?:\bbash |\{project\}/)([\w./-]+)", text):
        assert (ROOT / path).is_file(), path
    for path in re.findall(r"`([\w.]+(?:/[\w.]*)+|[A-Z]+\.md)`", text):
        assert (ROOT / path).exists(), path


def test_a_name_that_is_nowhere_is_found():
    for text in ("bash .ci/walk", "make tea", "{project}/tests/none.py", "`NONE.md`", "`none/`"):
        with pytest.raises(AssertionError):
            assert_commands_exist(text)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflow_runs_what_is_there(path):
    workflow = load(path)
    assert workflow["name"] == path.stem
    assert workflow["jobs"]
    for job in workflow["jobs"].values():
        if called := job.get("uses"):  # another workflow
            assert "workflow_call" in load(ROOT / called)[True]
            continue
        assert job["timeout-minutes"]
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), step
            assert re.fullmatch(ACTIONS, step.get("uses", "actions/checkout@v4"))
            script = step.get("run", "")
            assert_commands_exist(script)
            assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0


def test_each_change_runs_all_of_ci():
    (ci,) = (load(path) for path in WORKFLOWS if path.stem == "ci")
    assert {"push", "pull_request"} <= set(ci[True])  # YAML 1.1 reads the key `on` as True
    runs = [step.get("run") for job in ci["jobs"].values() for step in job["steps"]]
    assert "bash .ci/run" in runs


def test_each_python_that_is_promised_is_built_and_tried():
    tomllib = required("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    settings = project["tool"]["cibuildwheel"]
    promised = re.findall(r":: (3\.\d+)$", "\n".join(project["project"]["classifiers"]), re.M)
    assert settings["build"] == [f"cp{p.replace('.', '')}-manylinux_*" for p in promised]
    (ci,) = (load(path) for path in WORKFLOWS if path.stem == "ci")
    assert ci["jobs"]["pythons"]["strategy"]["matrix"]["python"] == promised
    assert_commands_exist(settings["test-command"])
    (wheels,) = (load(path) for path in WORKFLOWS if path.stem == "wheels")
    runners = wheels["jobs"]["wheels"]["strategy"]["matrix"]["runner"]
    assert {"arm" in runner for runner in runners} == {True, False}


def test_a_tag_publishes_every_package_once():
    """Each package is a project of the index, with an environment that the index trusts."""
    (release,) = (load(path) for path in WORKFLOWS if path.stem == "release")
    assert release[True] == {"push": {"tags": ["v*"]}}
    publish = release["jobs"]["publish"]
    packages = {path.parent.name for path in (ROOT / "packages").glob("*/pyproject.toml")}
    projects = publish["strategy"]["matrix"]["project"]
    assert sorted(projects) == sorted({"pygpu", *packages})
    assert publish["permissions"] == {"id-token": "write"}
    assert [release["jobs"][name]["needs"] for name in ("build", "publish")] == ["check", "build"]
    stems = [f"{project.replace('-', '_')}-0.1.0.whl" for project in projects]
    for project in projects:  # the pattern of the step takes the files of one project alone
        taken = fnmatch.filter(stems, f"{project.replace('-', '_')}-[0-9]*")
        assert len(taken) == 1


def test_presets_are_what_cmake_reads():
    """Each build preset names a configuration, and CMake takes the file."""
    presets = json.loads((ROOT / "CMakePresets.json").read_text())
    shown = {one["name"] for one in presets["configurePresets"] if not one.get("hidden")}
    assert {one["configurePreset"] for one in presets["buildPresets"]} == shown
    command = [pathlib.Path(sys.executable).parent / "cmake", "--list-presets=all"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert all(f'"{name}"' in listed for name in shown)


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_form_asks(path):
    form = load(path)
    assert form["name"]
    assert form["description"]
    names = [field["id"] for field in form["body"]]
    assert len(set(names)) == len(names)
    for field in form["body"]:
        assert field["attributes"]["label"]
        assert_commands_exist("\n".join(texts(field)))


def test_hooks_run_what_is_there():
    (local,) = load(ROOT / ".pre-commit-config.yaml")["repos"]
    hooks = local["hooks"]
    assert {"ruff", "ruff-format", "clang-format"} <= {hook["id"] for hook in hooks}
    for hook in hooks:
        assert hook["language"] == "system"
        assert hook["entry"].startswith("make lint-")
        assert_commands_exist(hook["entry"])


@pytest.mark.parametrize("name", PROSE)
def test_prose_names_what_is_there(name):
    assert_commands_exist((ROOT / name).read_text())


def test_the_version_stands_in_one_place():
    """The other packages take it from pyproject.toml; the changelog has a heading with it."""
    text = (ROOT / "pyproject.toml").read_text()
    assert text.count(f'"{PyGPU.__version__}"') == text.count("\nversion = ") == 1
    others = [ROOT / "CITATION.cff", *sorted((ROOT / "packages").glob("*/pyproject.toml"))]
    assert len(others) == 5
    for other in others:
        assert not re.search(r"^version *[=:]", other.read_text(), re.MULTILINE), other
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest
    assert newest[1] == PyGPU.__version__


def test_no_file_names_the_host_of_a_package_registry():
    """Mirrors differ from machine to machine: apt and pip know their own."""
    hosts = r"(debian|pypi|pythonhosted)\.org"
    listed = subprocess.run(
        ["git", "grep", "-lE", hosts, "--", ".", ":!generated"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode > 1:
        pytest.skip("no git checkout")
    assert listed.stdout == ""
