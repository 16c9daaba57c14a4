"""The wheel's content and size, and what its module links to and exports."""

from __future__ import annotations

import compileall
import configparser
import email
import email.policy
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile

import numpy
import pytest

import PyGPU
from PyGPU._apis import APIS
from tests.conftest import required, unavailable

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMOKE = pathlib.Path(__file__).with_name("smoke.py")


@pytest.fixture(scope="module")
def wheel(wheel_path):
    with zipfile.ZipFile(wheel_path) as archive:
        yield archive


@pytest.fixture(scope="module")
def repaired(wheel, once):
    """The wheel as `make wheel` publishes it."""
    required("auditwheel")

    def repair(folder: pathlib.Path) -> None:
        beside = {**os.environ, "PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}"}
        command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(folder)]
        subprocess.run([*command, wheel.filename], check=True, timeout=100, env=beside)

    (path,) = once("manylinux", repair).glob("*.whl")
    return path


def test_wheel_holds_the_package_and_nothing_else(wheel):
    names = wheel.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"PyGPU", "pygpu.py", f"pygpu-{PyGPU.__version__}.dist-info"}
    binaries = [name for name in names if name.endswith(".so") and "/_core." in name]
    assert len(binaries) == 1, binaries
    assert "PyGPU/__init__.py" in names
    strange = [n for n in names if re.search(r"__pycache__|\.(cpp|hpp|o|a|j2|toml|json)$", n)]
    built = ["PyGPU/cmake/libpygpu_glue.a"]  # for the modules that `pygpu bind` makes
    of_kernels = "PyGPU/_kernels/include/"  # headers that users' kernels include
    others = [n for n in strange if ".dist-info/" not in n and not n.startswith(of_kernels)]
    assert others == built


def test_wheel_holds_every_file_of_the_package(wheel):
    package = ROOT / "python" / "PyGPU"
    files = [path for path in package.rglob("*.*") if path.suffix in (".py", ".pyi", ".typed")]
    sources = {f"PyGPU/{path.relative_to(package)}" for path in files}
    assert sources <= set(wheel.namelist())


def test_wheel_tells_dask_of_sizes(wheel):
    (file,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "[dask.sizeof]\nPyGPU=PyGPU._arrays.dask:register" in wheel.read(file).decode().replace(
        " = ", "="
    )


# Bytes for APIs as large as a runtime: the driver's has 500 functions and 200 structs.
LARGE_APIS = {"cu": 2_600_000}
# Of the rest: runtimes, host runtime, arrays, exchange, kernels, portable names of all APIs,
# PyCUDA's modules, headers for users, lines that say what functions do: 5.5 MB; 1.5 MB for what
# runs and checks PTX; 1 MB for arithmetic, random numbers and the PTX of casts; 1.3 MB for what
# runs programs of others on the host runtime, NVML among it, with a C++ library of its own in each
# file; 0.75 MB for traces with the times of the device, replays, objects and kernels that launch
# kernels.
REST = 10_300_000


def test_wheel_is_small_when_installed(wheel, tmp_path):
    """Its files and pip's compiled ones: the runtimes and arrays, and each additional API."""
    wheel.extractall(tmp_path)
    assert compileall.compile_dir(tmp_path, quiet=1)
    sizes = {file: file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()}
    assert any(file.suffix == ".pyc" for file in sizes)
    package = tmp_path / "PyGPU"
    for name, api in APIS.items():
        if api.module != "_core":
            own = [*package.glob(f"_{name}.*"), *(package / name).rglob("*")]
            size = sum(sizes.pop(file, 0) for file in own)
            assert size < LARGE_APIS.get(name, 1_000_000), (name, size)
    # For the modules of bound headers.
    assert sizes.pop(package / "cmake" / "libpygpu_glue.a") < 2_000_000
    assert sum(sizes.values()) < REST, sorted(sizes.items(), key=lambda one: -one[1])[:5]


def test_wheel_carries_the_licence(wheel):
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())
    assert any(name.endswith("dlpack/LICENSE") for name in wheel.namelist())


def test_wheel_is_manylinux_and_repair_changes_its_tag_alone(wheel, repaired):
    command = [sys.executable, "-m", "auditwheel", "show", str(repaired)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    policy = re.search(r'platform\s+tag:\s+"(\w+)"', shown)
    assert policy
    assert re.fullmatch(rf"manylinux_2_\d+_{platform.machine()}", policy[1])
    assert policy[1] in repaired.stem.rpartition("-")[2].split(".")
    with zipfile.ZipFile(repaired) as archive:
        files = {name for name in archive.namelist() if not name.endswith("/")}
        assert files == {name for name in wheel.namelist() if not name.endswith("/")}


def test_wheel_works_with_numpy_alone_and_no_compiler(repaired, tmp_path):
    bare, elsewhere = tmp_path / "bare", tmp_path / "elsewhere"
    elsewhere.mkdir()
    venv.create(bare)
    pip = [sys.executable, "-m", "pip", "--python", str(bare / "bin" / "python"), "--quiet"]
    subprocess.run([*pip, "install", "--no-index", "--no-deps", str(repaired)], check=True)
    (packages,) = bare.glob("lib/python*/site-packages")
    (packages / "numpy").symlink_to(pathlib.Path(numpy.__file__).parent)

    def run(*command: object) -> str:
        environment = {"PATH": str(bare / "bin"), "PYGPU_BACKEND": "host"}
        done = subprocess.run(
            [bare / "bin" / command[0], *command[1:]],
            cwd=elsewhere,
            env=environment,
            check=True,
            timeout=100,
            capture_output=True,
            text=True,
        )
        return done.stdout

    report = json.loads(run("python", "-m", "PyGPU", "--json"))
    assert report["works"]
    assert report["pygpu"]["location"] == str(packages / "PyGPU")
    assert run("pygpu", "--json")
    assert run("python", "-W", "error", SMOKE).split()[:2] == [PyGPU.__version__, "host"]


@pytest.fixture(scope="module")
def metadata(wheel):
    (file,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return email.message_from_bytes(wheel.read(file), policy=email.policy.default)


def test_wheel_names_its_licence_by_spdx(metadata):
    assert metadata["License-Expression"] == "BSD-3-Clause AND Apache-2.0"
    licences = {"LICENSE", "third_party/dlpack/LICENSE", "third_party/pybind11/LICENSE"}
    assert set(metadata.get_all("License-File")) == licences
    classifiers = metadata.get_all("Classifier")
    assert not [line for line in classifiers if line.startswith("License ::")]


def test_what_pypi_shows_has_no_link_to_a_file(metadata):
    """PyPI has no files to link to. There the README's relative links become plain paths.

    Pictures are left out.
    """
    markdown = required("markdown_it").MarkdownIt()

    def targets(text, kinds):
        return re.findall(rf'(?:{kinds})="([^"]*)"', markdown.render(text))

    readme = (ROOT / "README.md").read_text()
    relative = [target for target in targets(readme, "href") if ":" not in target]
    assert relative and targets(readme, "src|srcset")
    shown = metadata.get_content()
    assert not [target for target in targets(shown, "href|src|srcset") if ":" not in target]
    assert all(f"`{target}`" in shown for target in relative)
    code = re.compile(r"```.*?```", re.DOTALL)
    assert code.findall(shown) == code.findall(readme)


def test_wheel_brings_the_command_pygpu(wheel, python):
    (file,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    entries = configparser.ConfigParser()
    entries.read_string(wheel.read(file).decode())
    module, function = entries["console_scripts"]["pygpu"].split(":")
    start = f"import sys; from {module} import {function}; sys.exit({function}())"
    shown = python(start, "--help").stdout
    assert shown.startswith("usage: pygpu ")
    assert re.search(r"\bdoctor\b.*\bhost\b.*\bnew\b.*\bbind\b", shown, re.DOTALL)
    assert python(start, "--include-dir").stdout.strip() == PyGPU.get_include()


def test_only_numpy_is_needed_to_run():
    needed = importlib.metadata.requires("PyGPU") or []
    assert [line for line in needed if "extra ==" not in line] == ["numpy"]


def test_version_is_that_of_the_project():
    text = (ROOT / "pyproject.toml").read_text()
    assert f'version = "{PyGPU.__version__}"' in text
    assert importlib.metadata.version("PyGPU") == PyGPU.__version__


LIBRARIES = sorted(pathlib.Path(PyGPU._core.__file__).parent.glob("*.so"))


def output_of(tool: str, *arguments: object) -> str:
    if not shutil.which(tool):
        unavailable(f"no {tool} here: it comes with binutils")
    command = [tool, *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda path: path.name.partition(".")[0])
def test_library_needs_no_vendor_library(library):
    """It links only to the C and C++ runtimes, and to the package's own glue."""
    listed = output_of("readelf", "-d", library)
    needed = set(re.findall(r"NEEDED.*\[(.*?)\.so", listed))
    loader = f"ld-linux-{platform.machine().replace('_', '-')}"
    assert "libc" in needed
    runtimes = {"libstdc++", "libm", "libgcc_s", "libc", "libdl", "libpthread", loader}
    assert needed <= runtimes | {"libpygpu_glue"}


@pytest.mark.parametrize("module", sorted({api.module for api in APIS.values()}))
def test_module_exports_its_init_function_alone(module):
    (library,) = (path for path in LIBRARIES if path.name.startswith(f"{module}."))
    listed = output_of("nm", "-D", "--defined-only", library)
    assert [line.split()[-1] for line in listed.splitlines()] == [f"PyInit_{module}"]


def test_the_installed_package_is_not_the_source_tree():
    """`make test` tests what users get. An editable installation would use the sources."""
    if ROOT / "python" in pathlib.Path(PyGPU.__file__).parents:
        unavailable("PyGPU is imported from the source tree")
