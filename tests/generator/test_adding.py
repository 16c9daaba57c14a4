"""Adding an API: which generated files it changes, and the message where it can't be added."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from generator import cli, emit
from generator.errors import GeneratorError
from tests.generator import invented
from tests.generator.headers import ROOT, missing
from tests.own_specs import copy_own_specs

HEADER = """
typedef struct gpuJob_st *gpuJob;
struct gpuSize { int width, height; };
enum gpuKind { GPU_KIND_A, GPU_KIND_B };
gpuStatus gpuStart(gpuJob *job, const struct gpuSize *size, enum gpuKind kind);
gpuStatus gpuGetSize(gpuJob job, struct gpuSize *size);
void gpuForget(void);
"""


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A copy of api_specs, where an API can be added."""
    return copy_own_specs(tmp_path / "api_specs")


def test_nothing_else_changes(specs: Path) -> None:
    """Only the API's own folders and the lists of APIs of the package and the checkers change."""
    before = emit.render(specs)
    invented.add(specs, HEADER)
    after = emit.render(specs)
    own = ("generated/gpu/", "python/PyGPU/gpu/", "python/PyGPU/_gpu.pyi")
    changed = {path for path, text in after.items() if before.get(path) != text}
    assert before.keys() <= after.keys()
    assert {one for one in changed if not one.startswith(own)} == {
        "python/PyGPU/__init__.pyi",
        "python/PyGPU/_apis/__init__.py",
    }
    assert {one for one in changed if one.startswith("python/PyGPU/gpu/")} == {
        f"python/PyGPU/gpu/{name}" for name in ("__init__.py", "__init__.pyi", "checked.pyi")
    }
    assert "generated/gpu/extension.cpp" in changed
    assert "PyMODINIT_FUNC PyInit__gpu()" in after["generated/gpu/extension.cpp"]


def test_a_namespace_belongs_to_one_api(specs: Path) -> None:
    """A copied folder whose api.toml still has the old name would overwrite the other's files."""
    shutil.copytree(specs / "nvrtc", specs / "nvrtc2")
    said = r"nvrtc2/api\.toml: namespace: nvrtc has 'nvrtc', too"
    with pytest.raises(GeneratorError, match=said):
        emit.render(specs)


@pytest.mark.parametrize("lacking", ["api.toml", "api.json"])
def test_half_an_api_is_no_api(specs: Path, lacking: str) -> None:
    """It isn't left out silently."""
    invented.add(specs, HEADER)
    (specs / "gpu" / lacking).unlink()
    with pytest.raises((GeneratorError, OSError), match=lacking.replace(".", r"\.")):
        emit.render(specs)
    assert cli.main(["--root", str(specs.parent), "check"]) == 2


def test_an_unknown_api_is_refused(specs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--root", str(specs.parent), "update", "gpu", "--release", "1.0.0"]) == 2
    assert "no API 'gpu': api_specs/gpu/releases.toml isn't there" in capsys.readouterr().err


def test_no_generator_names_an_api() -> None:
    """The exception is the module of the portable names, which are CUDA's names on HIP."""
    named = [
        f"{path.name}: {word}"
        for path in (ROOT / "generator").rglob("*.py")
        if path.name != "portable.py"
        for word in ('"cuda_runtime"', '"hip_runtime"', '"cuda"', '"hip"', '"nvrtc"')
        if word in path.read_text(encoding="utf-8")
    ]
    assert named == []


def write_every_shape(tree: Path) -> None:
    """What is generated for functions of every shape."""
    here, specs = Path(__file__).parent, copy_own_specs(tree / "specs")
    decided = (here / "every_shape.toml").read_text()
    invented.add(specs, (here / "every_shape.h").read_text(), decided)
    for path, text in emit.render(specs).items():
        if path.startswith("generated/gpu/"):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)


def compile_generated(generated: Path, file: str) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        missing("a C++ compiler")
    folders = (generated, ROOT / "src", ROOT / "src" / "handwritten", sysconfig.get_path("include"))
    done = subprocess.run(
        [
            *(str(compiler), "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"),
            *(f"-I{folder}" for folder in folders),
            str(generated / file),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("file", ["other.cpp", "handles.cpp"])
def test_its_cpp_compiles(once, file: str) -> None:
    compile_generated(once("every-shape", write_every_shape) / "generated", f"gpu/{file}")
