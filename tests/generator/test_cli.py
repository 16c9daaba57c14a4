"""The commands on a tree of their own: exit codes, messages, JSON."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from generator import emit
from generator.__main__ import run
from generator.cli import main
from generator.releases import find_api, read_releases
from generator.store import load
from tests.generator.headers import ROOT
from tests.generator.test_files import little_room
from tests.own_specs import copy_own_specs

SETTINGS = """\
# A made-up API.
header = "gpu.h"
prefix = "gpu"
version = { macro = "GPU_VERSION", major = 100, minor = 10 }
releases = [
]
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "api_specs" / "gpu").mkdir(parents=True)
    (tmp_path / "api_specs" / "gpu" / "releases.toml").write_text(SETTINGS)
    (tmp_path / "api_specs" / "gpu" / "rules.toml").write_text("# No rules.\n")
    return tmp_path


def add(tree: Path, version: str, text: str, *options: str) -> int:
    """Run `update` on a header of that release."""
    include = tree / f"include-{version}"
    include.mkdir(exist_ok=True)
    major, minor = version.split(".")[:2]
    (include / "gpu.h").write_text(f"#define GPU_VERSION {major}{minor}0\n{text}")
    return main(
        [
            *("--root", str(tree), "update", "gpu", "--release", version),
            *("--headers", str(include), "--no-regenerate", *options),
        ]
    )


def test_update_tells_what_a_release_changed(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert add(tree, "1.0.5", "int gpuRun(int n);\nint gpuOld(void);\n") == 0
    capsys.readouterr()
    text = "int gpuRun(long n);\nstruct gpuS { int x; };\nenum gpuE { gpuE1 };\n#define gpuM 1\n"
    assert add(tree, "1.1.0", text, "--json") == 0
    changes = {c["name"]: (c["kind"], c["change"]) for c in json.loads(capsys.readouterr().out)}
    assert changes == {
        "gpuRun": ("function", "changed"),
        "gpuOld": ("function", "removed"),
        "gpuS": ("struct", "added"),
        "gpuE1": ("enumerator", "added"),
        "gpuM": ("macro", "added"),
        "GPU_VERSION": ("macro", "changed"),
    }
    assert find_api(tree / "api_specs", "gpu").releases == ("1.0.5", "1.1.0")
    assert load(tree / "api_specs" / "gpu" / "api.json").releases == ("1.0", "1.1")

    assert main(["--root", str(tree), "diff", "gpu", "1.0", "1.1", "--json"]) == 0
    assert {c["name"] for c in json.loads(capsys.readouterr().out)} == set(changes)
    assert main(["--root", str(tree), "diff", "gpu", "1.1", "1.0"]) == 0
    assert "gpuOld(void)" in capsys.readouterr().out


def test_update_of_an_older_release_tells_what_it_lacks(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only what a release brings is new, and each update ends with the next command."""
    run, many = "int gpuRun(int *n);\n", "int gpuMany(int *n);\n"
    assert add(tree, "1.4.0", f"{run}{many}typedef struct gpu_s *gpuLater_t;\n") == 0
    told = capsys.readouterr().out
    assert "write api_specs/gpu/api.toml, with at least:\n    namespace = " in told
    assert told.splitlines()[-1] == f"  python -m generator --root {tree} regenerate"
    assert add(tree, "1.0.0", run) == 0
    told = capsys.readouterr().out
    assert "gpu 1.0, against 1.4" in told and "gpuMany(int *n)" in told
    assert "New " not in told and "[function." not in told and "comes between" not in told
    assert add(tree, "1.2.0", run + many) == 0
    told = capsys.readouterr().out
    assert told.count("1.2 comes between the listed releases 1.0 and 1.4.") == 1
    assert "gpuMany(n) -> int" in told and "[function.gpuMany]" in told
    assert "gpuRun" not in told and "gpuLater_t" not in told


UNDECIDED = """
typedef struct gpuStream_st *gpuStream_t;
struct gpuPlace { int id; };
typedef void (*gpuDone_t)(void *data);
int gpuWhere(void *memory, unsigned long size, struct gpuPlace *place);
int gpuSum(const int *values, unsigned long long numValues, int count);
int gpuName(char *text, int len);
int gpuAll(struct gpuPlace *places, int numPlaces);
int gpuCall(gpuDone_t done, void *data);
"""


def test_update_says_which_rules_are_wanting(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It proposes rules. With them, only memory of unknown direction stays a raw address."""
    assert add(tree, "1.0.0", UNDECIDED) == 0
    said = capsys.readouterr().out
    assert "parameters of 1.0 are bare addresses" in said
    _, _, proposed = said.partition("/rules.toml:\n")
    proposed, _, _ = proposed.partition("\nNext:\n")
    for name in ("gpuWhere", "gpuName", "gpuAll", "gpuCall"):
        assert f"[function.{name}]" in proposed
    assert "gpuSum" not in proposed  # the count has the array's name
    (tree / "api_specs" / "gpu" / "rules.toml").write_text(proposed)
    assert add(tree, "1.0.0", UNDECIDED) == 0
    assert "bare addresses" not in capsys.readouterr().out


def test_a_failed_update_writes_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert add(tree, "1.0.0", "int gpuRun(gpuFoo_t foo);\n") == 2
    message = capsys.readouterr().err.splitlines()[-1]
    assert message == "generator: gpu.h:2: unknown type name 'gpuFoo_t'"
    assert (tree / "api_specs" / "gpu" / "releases.toml").read_text() == SETTINGS
    assert not (tree / "api_specs" / "gpu" / "api.json").exists()


def test_a_rule_leaves_out_what_c_types_can_t_express(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "int gpuRun(int n);\nint gpuPrint(const char *format, ...);\n"
    assert add(tree, "1.0.0", text) == 0
    lines = capsys.readouterr().out.splitlines()
    (told,) = (line for line in lines if line.startswith("Not bound: gpu.h:3: gpuPrint: "))
    rule, _, _ = told.partition("rules.toml: ")[2].partition(" exclude")
    rules = tree / "api_specs" / "gpu" / "rules.toml"
    rules.write_text(f'{rule}\nexclude = "takes any number of arguments"\n')
    assert add(tree, "1.0.0", text) == 0
    assert "Not bound" not in capsys.readouterr().out
    model = json.loads((tree / "api_specs" / "gpu" / "api.json").read_text())
    assert list(model["functions"]) == ["gpuRun"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["update", "other", "--release", "1.0", "--from-package"], "no API 'other'"),
        (["update", "gpu", "--release", "1", "--headers", "."], "'1' isn't a release"),
        (["update", "gpu", "--release", "1", "--from-package"], "names no package for 1.x"),
        (["regenerate"], "gpu has no api.toml, so nothing would be"),
        (["check"], "gpu has no api.toml, so nothing would be"),
        (["update", "gpu", "--release", "1.0", "--from-package"], "names no package for 1.x"),
        (["update", "gpu", "--release", "1.0", "--headers", "/nowhere"], "no gpu.h"),
        (["diff", "gpu", "1.0", "1.1"], "No such file"),
        (["coverage"], "No such file"),
    ],
)
def test_mistakes_are_one_line(
    tree: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--root", str(tree), *arguments]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("generator: ")
    assert message in last


@pytest.mark.parametrize("name", ["api.json", "rules.toml", "summaries.toml"])
def test_a_link_that_leads_nowhere_is_no_missing_file(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A tree without rules is fine, and its generated files are others."""
    shutil.copytree(ROOT / "api_specs" / "nvrtc", tmp_path / "api_specs" / "nvrtc")
    (tmp_path / "api_specs" / "nvrtc" / name).unlink()
    (tmp_path / "api_specs" / "nvrtc" / name).symlink_to("gone")
    assert main(["--root", str(tmp_path), "regenerate"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.endswith(f"nvrtc/{name}: No such file or directory")
    assert [path.name for path in tmp_path.iterdir()] == ["api_specs"]


def _fifo(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        (_fifo, "Not a regular file"),
        (lambda path: path.symlink_to("/dev/zero"), "Not a regular file"),
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
        (lambda path: path.touch() or os.truncate(path, 1 << 40), "Larger than 64 MiB"),
    ],
    ids=["fifo", "endless", "folder", "loop", "huge"],
)
@pytest.mark.parametrize("command", ["regenerate", "check"])
@pytest.mark.parametrize(
    "name", ["api.json", "api.toml", "releases.toml", "rules.toml", "summaries.toml"]
)
def test_what_is_no_file_is_told_at_once(
    tmp_path: Path, command: str, name: str, what: Callable[[Path], None], said: str
) -> None:
    """Reading blocks on no pipe, and ends in an endless file."""
    specs = tmp_path / "api_specs" / "nvrtc"
    shutil.copytree(ROOT / "api_specs" / "nvrtc", specs)
    (specs / name).unlink()
    what(specs / name)
    codes: list[int] = []
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        run = threading.Thread(
            target=lambda: codes.append(main(["--root", str(tmp_path), command])), daemon=True
        )
        run.start()
        run.join(60)
    assert codes == [2]
    assert errors.getvalue().splitlines()[-1].endswith(f"nvrtc/{name}: {said}")


def test_a_reference_without_room_is_not_begun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with little_room():
        assert main(["reference", str(tmp_path / "pages")]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert str(tmp_path / "pages") in said
    assert said.endswith("File too large")
    assert not (tmp_path / "pages").exists()


def ended(name: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs a command that gets this signal in the middle of writing files."""
    command = (sys.executable, "-m", "tests.generator.ended", name, *command)
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)


def test_the_end_by_a_signal_leaves_a_whole_tree(tmp_path: Path) -> None:
    """SIGTERM comes while the first files are prepared; SIGINT as well is one exit code."""
    shutil.copytree(ROOT / "api_specs" / "nvrtc", tmp_path / "api_specs" / "nvrtc")
    done = ended("SIGTERM", "--root", str(tmp_path), "regenerate")
    assert (done.returncode, "Traceback" in done.stderr) == (143, False), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["api_specs"]


def test_what_a_killed_run_leaves_is_removed(tmp_path: Path) -> None:
    """Nothing can clean up after SIGKILL but the next run."""
    tree = tmp_path / "tree"
    shutil.copytree(ROOT / "api_specs" / "nvrtc", tree / "api_specs" / "nvrtc")
    assert main(["--root", str(tree), "regenerate"]) == 0
    whole = {path for path in tmp_path.rglob("*") if path.is_file()}
    summary = tree / "api_specs" / "nvrtc" / "api.toml"
    summary.write_text(summary.read_text().replace("own names", "names"))
    for folder in ("generated/nvrtc", "python/PyGPU/nvrtc"):
        (path := next((tree / folder).iterdir())).write_text(path.read_text() + "more\n")
    own = tree / "generated" / "nvrtc" / f".types.hpp.{os.getpid()}.new"
    own.write_text("of a run that goes on")
    left = tree / "python" / "PyGPU" / "nvrtc" / f".a.pyi.{1 << 22}.old"
    left.write_text("of a run that is over")
    assert ended("SIGKILL", "--root", str(tree), "regenerate").returncode == -9
    assert any(path.name.endswith(".new") for path in tree.rglob(".*") if path != own)
    own.rename(kept := tree / "python" / own.name)  # in generated/ nothing else may be
    assert main(["--root", str(tree), "regenerate"]) == 0
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == {*whole, kept}

    (header := tmp_path / "shapes.h").write_text("int shapesArea(int side);\n")
    bind = ["bind", str(header), "--folder", str(tmp_path / "shapes")]
    assert ended("SIGKILL", *bind).returncode == -9
    assert list(tmp_path.glob(".pygpu-bind-*"))
    assert main(bind) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"tree", "shapes", "shapes.h"}


def test_coverage_counts_what_is_bound(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the plan: an older form without an adaptor isn't bound, a kind without a shape is raw."""
    specs = tree / "api_specs"
    (specs / "gpu").rename(specs / "cuda_runtime")
    head = "typedef enum cudaError {{ cudaSuccess }} cudaError_t;\ncudaError_t gpuRun({} n);\n"
    more = "cudaError_t gpuMore(int n, void *p);\ncudaError_t gpuNo(int n);\n"
    for version, text in (("1.0.0", head.format("long")), ("1.1.0", head.format("int") + more)):
        include = tree / version
        include.mkdir()
        (include / "gpu.h").write_text(f"#define GPU_VERSION {version[0]}{version[2]}0\n{text}")
        command = ["update", "cuda_runtime", "--release", version, "--headers", str(include)]
        assert main(["--root", str(tree), *command, "--no-regenerate"]) == 0
    named = (ROOT / "api_specs" / "cuda_runtime" / "api.toml").read_text()
    named = re.sub(r'= "cudaError[A-Z]\w+"', "= 1", named)
    (specs / "cuda_runtime" / "api.toml").write_text(named)
    rules = specs / "cuda_runtime" / "rules.toml"
    rules.write_text('[function.gpuNo]\nexclude = "not for users"\n')
    capsys.readouterr()
    assert main(["--root", str(tree), "coverage", "--json"]) == 0
    old, new = json.loads(capsys.readouterr().out)
    assert (old["release"], old["functions"], old["bound"], old["parameters"]) == ("1.0", 1, 0, 0)
    assert list(old["unserved"]) == ["gpuRun"]
    assert (new["release"], new["functions"], new["bound"], new["parameters"]) == ("1.1", 3, 2, 3)
    assert new["excluded"] == {"gpuNo": "not for users"}
    assert new["decided"] == {"type": 2, "rule": 0, "evidence": 0, "raw": 1, "unreviewed": 0}
    assert list(new["raw"]) == ["gpuMore.p"]
    assert main(["--root", str(tree), "coverage"]) == 0
    assert "not for users" in capsys.readouterr().out
    assert main(["--root", str(tree), "coverage", "gpu"]) == 2


COMMANDS = (
    ["coverage", "nvrtc", "--json"],
    ["coverage", "nvrtc"],
    ["diff", "cuda_runtime", "12.0", "13.0"],
    ["diff", "cuda_runtime", "12.0", "13.0", "--json"],
    ["check"],
    ["abi", "hip_runtime", "--all", "--json"],
    ["--help"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command))
@pytest.mark.parametrize("full", [True, False], ids=["full", "closed"])
def test_output_that_nobody_takes(command: list[str], full: bool, tmp_path: Path) -> None:
    """One line and exit code 1 on a full disk; nothing and 141 where the reader has gone."""
    # These have something to report about a tree without headers.
    if command[0] in ("check", "abi"):
        copy_own_specs(tmp_path / "api_specs")
        command = ["--root", str(tmp_path), *command]
    if full:
        output = os.open("/dev/full", os.O_WRONLY)
    else:
        reading, output = os.pipe()
        os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "generator", *command],
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            check=False,
            env={key: one for key, one in os.environ.items() if key != "PYTHONUNBUFFERED"},
        )
    finally:
        os.close(output)
    assert done.returncode == (1 if full else 141)
    said = "generator: standard output: No space left on device"
    assert (done.stderr.splitlines()[-1:] == [said]) == full
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


def test_check_names_each_file_that_differs(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rendered = {"generated/a.hpp": "a\n", "generated/gpu/b.hpp": "b\n"}
    monkeypatch.setattr(emit, "render", lambda specs, models=None: dict(rendered))
    assert main(["--root", str(tree), "check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "missing: generated/a.hpp",
        "missing: generated/gpu/b.hpp",
    ]
    assert main(["--root", str(tree), "regenerate"]) == 0
    assert main(["--root", str(tree), "check"]) == 0
    capsys.readouterr()

    (tree / "generated" / "a.hpp").write_text("a \n")
    (tree / "generated" / "gpu" / "b.hpp").unlink()
    (tree / "generated" / "old.hpp").write_text("")
    assert main(["--root", str(tree), "check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "changed: generated/a.hpp",
        "missing: generated/gpu/b.hpp",
        "extra: generated/old.hpp",
    ]
    assert main(["--root", str(tree), "regenerate"]) == 0
    assert main(["--root", str(tree), "check"]) == 0


def test_a_change_is_seen_wherever_it_stands(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the end of a long struct, or only in the alignment or the per-thread symbol."""
    releases = tree / "api_specs" / "gpu" / "releases.toml"
    told = releases.read_text()
    releases.write_text(told.replace("version =", 'per_thread = "GPU_PER_THREAD"\nversion ='))
    fields = " ".join(f"int member_{n};" for n in range(60))
    text = "struct gpuLong {{ {} {} }};\nstruct {} gpuWide {{ int x[4]; }};\n{}int gpuRun(int n);\n"
    twin = "#ifdef GPU_PER_THREAD\n#define gpuRun gpuRun_spt\n#endif\n"
    assert add(tree, "1.0.0", text.format(fields, "int last;", "", "")) == 0
    wide = "__attribute__((aligned(16)))"
    assert add(tree, "1.1.0", text.format(fields, "int added;", wide, twin)) == 0
    capsys.readouterr()
    assert main(["--root", str(tree), "diff", "gpu", "1.0", "1.1"]) == 0
    said = capsys.readouterr().out
    assert "{..., int last@240}" in said
    assert "{..., int added@240}" in said
    assert "aligned to 16" in said
    assert "[per thread: gpuRun_spt]" in said


def test_a_missing_package_is_one_line(monkeypatch, capsys) -> None:
    """A checkout has what pip installed there, which may not be all that the generator needs."""
    for name in ("cli", "terminal"):
        monkeypatch.delitem(sys.modules, f"generator.{name}")
    monkeypatch.setitem(sys.modules, "rich.console", None)
    for prog in ("python -m generator", "pygpu bind"):
        assert run(["bind", "shapes.h"], prog) == 1
        said = f"{prog}: the package rich is missing: pip install rich\n"
        assert capsys.readouterr().err == said


@pytest.mark.parametrize("command", [["coverage"], ["coverage", "cuda_driver"]], ids=" ".join)
def test_coverage_fits_a_screen(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables fit 80 x 24: no line is longer, no word is cut, no name is on two lines."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", shown := io.StringIO())
    assert main(command) == 0
    lines = re.sub(r"\x1b\[[\d;]*m", "", shown.getvalue()).splitlines()
    table = list(itertools.takewhile(lambda line: not line.startswith("  "), lines[4:]))
    assert len(table) + 4 <= 22 and max(map(len, lines)) <= 80
    assert "…" not in shown.getvalue()
    assert not re.search(r"\x1b\[[\d;]*3\d", shown.getvalue())  # NO_COLOR
    known = {"all", *read_releases(ROOT / "api_specs")}
    assert all(line.split()[0] in known or line.startswith("PyGPU[") for line in table[:9])
