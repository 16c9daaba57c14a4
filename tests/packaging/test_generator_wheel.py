"""The generator's wheel: its content, and that it binds, builds and calls a user's header."""

from __future__ import annotations

import email
import importlib.metadata
import importlib.util
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable

import pytest

import PyGPU
from generator import cli
from tests.conftest import ROOT, required, unavailable

SHAPES = pathlib.Path(__file__).with_name("shapes")
BIND, INSTALL = "pygpu bind shapes.h", "python -m pip install --no-build-isolation ./shapes"
KINDS = ("toml", "c")
COMMAND = "import sys; from PyGPU.__main__ import pygpu; sys.exit(pygpu())"


@pytest.fixture(scope="module")
def archive(generator_wheel):
    with zipfile.ZipFile(generator_wheel) as opened:
        yield opened


def tracked(*folders: str) -> set[str]:
    """This repository's files in some folders."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if listed.returncode != 0:
        unavailable("this is no clone of the repository")
    return {name for name in listed.stdout.split("\0") if (ROOT / name).is_file()}


def test_it_holds_what_binding_a_header_needs_and_nothing_else(archive):
    """The generator, the manifests that a header may need, and the C++ files of all modules."""
    layers = ("base", "python", "runtime", "binding", "convert", "types", "trace", "call")
    cpp = tracked(*(f"src/handwritten/{layer}" for layer in layers))
    cpp |= {name for name in tracked("src/common") if name.count("/") == 2}  # not the PTX reader
    cpp |= {name for name in tracked("src/handwritten/module") if name.count("/") == 3}
    cpp -= {f"src/handwritten/module/{name}" for name in ("core.cpp", "portable_module.cpp")}
    cpp.discard("src/handwritten/module/portable_module.hpp")
    cmake = tracked("cmake") - {"cmake/PyGPUConfig.cmake"}
    files = ("/api.toml", "/releases.toml")
    specs = {name for name in tracked("api_specs") if name.endswith(files)}
    expected = tracked("generator", "templates") | cpp | cmake | specs
    expected |= {"__init__.py", "__main__.py", "include/PyGPU/detail/array_interface.h"}
    names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert {name.partition("/")[2] for name in names} == expected
    assert {name.partition("/")[0] for name in names} == {"pygpu_generator"}


def test_it_is_small(archive):
    """Its size as installed, and as downloaded."""
    assert sum(one.file_size for one in archive.infolist()) < 2_000_000
    assert sum(one.compress_size for one in archive.infolist()) < 650_000


def test_its_version_is_pygpus_and_the_extra_asks_for_it(archive):
    (file,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(archive.read(file))
    assert metadata["Version"] == PyGPU.__version__
    assert metadata["License-Expression"] == "BSD-3-Clause"
    tomllib = required("tomllib" if sys.version_info >= (3, 11) else "tomli")
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
    extras = settings["metadata"]["optional-dependencies"]["result"]
    assert extras["generator"] == ["pygpu-generator=={project[version]}"]


def test_without_it_the_command_says_what_to_install(python):
    assert importlib.util.find_spec("pygpu_generator") is None
    done = python(COMMAND, "bind", "shapes.h", check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("pygpu bind: the package pygpu-generator is missing: pip install")
    assert "pip install ./packages/pygpu-generator in a clone" in done.stderr
    assert (ROOT / "packages" / "pygpu-generator" / "pyproject.toml").is_file()


def link(names: Iterable[str], site: pathlib.Path) -> None:
    """Put some of this Python's distributions, and what they require, into another Python's."""
    requirements = required("packaging.requirements")
    for name in names:
        given = requirements.Requirement(name)
        if given.marker and not given.marker.evaluate({"extra": ""}):
            continue
        found = importlib.metadata.distribution(given.name)
        tops = {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}
        if all((site / top).exists() for top in tops):
            continue
        for top in tops:
            (site / top).symlink_to(str(found.locate_file(top)))
        link(found.requires or (), site)


def test_the_page_shows_what_is_run_here():
    """It shows the same commands, prototypes of shapes.h and rules."""
    page = (ROOT / "docs" / "how-to" / "bind-your-own-header.md").read_text()
    commands = [line[2:] for line in page.splitlines() if line.startswith("$ ")]
    own = [line for line in commands if not line.startswith(("python -m generator ", "cmake "))]
    assert own == ["pip install . ./packages/pygpu-generator", BIND, INSTALL, BIND, INSTALL]
    for line in (*commands, *re.findall(r"`(pygpu bind [^`]+ [^`]+)`", page)):
        if found := re.match(
            r"(?:python -m generator|pygpu)( (?:bind|update|regenerate)\b.*)", line
        ):
            cli._parser().parse_args(shlex.split(found[1]))
    rules, prototypes = (re.search(rf"^```{of}\n(.*?)^```", page, re.M | re.S) for of in KINDS)
    assert rules and rules[1] in (SHAPES / "rules.toml").read_text()
    assert prototypes and prototypes[1] in (SHAPES / "shapes.h").read_text()


@pytest.fixture(scope="module")
def bare(once, wheel_path, generator_wheel, archive) -> pathlib.Path:
    """An environment with both wheels, installed through their extra, and their requirements."""
    (file,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    needed = email.message_from_bytes(archive.read(file)).get_all("Requires-Dist") or []

    def make(folder: pathlib.Path) -> None:
        venv.create(folder / "env")
        (site,) = (folder / "env").glob("lib/python*/site-packages")
        link([*needed, "numpy", "scikit-build-core"], site)
        run(
            *(sys.executable, "-m", "pip", "--python", str(folder / "env" / "bin" / "python")),
            *("--quiet", "install", "--no-index", f"--find-links={generator_wheel.parent}"),
            f"PyGPU[generator] @ {wheel_path.as_uri()}",
            folder=folder,
        )

    return once("bare-generator", make) / "env"


def run(*command: str, folder: pathlib.Path, bare: pathlib.Path | None = None, **more: str) -> str:
    """Run a command and return its output; an AssertionError with the output where it fails."""
    tools = [str(pathlib.Path(sys.executable).parent), "/usr/bin", "/bin"]
    paths = [str(bare / "bin"), *tools] if bare else tools
    environment = {"PATH": ":".join(paths), "HOME": str(folder), **more}
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_a_header_is_bound_built_and_called(bare, tmp_path):
    """In an empty folder, with the commands that are printed, without the repository's files."""
    compiler = shutil.which("g++") or unavailable("no C++ compiler")
    for name in ("shapes.h", "shapes.c", "use.py"):
        shutil.copy(SHAPES / name, tmp_path)
    first = run(*BIND.split(), folder=tmp_path, bare=bare)
    assert "C doesn't say enough: 3" in first
    rules = tmp_path / "shapes" / "api_specs" / "shapes" / "rules.toml"
    assert '#parameter.area = { kind = "out" }' in rules.read_text()
    shutil.copy(SHAPES / "rules.toml", rules)
    again = run(*BIND.split(), folder=tmp_path, bare=bare)
    assert "bare addresses" not in again
    assert again.splitlines()[-1].strip() == INSTALL
    run(
        *(sys.executable, "-m", "pip", "--python", str(bare / "bin" / "python"), "--quiet"),
        *("install", "--no-index", "--no-build-isolation", "./shapes"),
        folder=tmp_path,
        bare=bare,
    )
    glue = run("python", "-m", "pygpu_generator", "--glue", folder=tmp_path, bare=bare).strip()
    assert pathlib.Path(glue).is_relative_to(bare)  # so that its C++ isn't compiled here
    library = tmp_path / "libshapes.so"
    run(compiler, "-shared", "-fPIC", "-xc", "shapes.c", "-o", str(library), folder=tmp_path)
    printed = run(
        *("python", "-W", "error", "use.py"),
        folder=tmp_path,
        bare=bare,
        PYGPU_SHAPES_LIBRARY=str(library),
        PYGPU_BACKEND="host",
    )
    assert printed.split() == ["shapes", "shapes._shapes"]
