"""The wheels of the libraries' modules: what they hold, and how PyGPU takes their modules in."""

from __future__ import annotations

import email
import pathlib
import re
import subprocess
import sys
import venv
import zipfile

import numpy
import pytest

import PyGPU
from PyGPU._apis import APIS
from tests.conftest import ROOT

EXTRAS = {api.extra: api.namespace for api in APIS.values() if api.extra}  # with one API of each
PROGRAM = pathlib.Path(__file__).with_name("ask_for_module.py")
LARGEST = 1_000_000  # bytes of a module
LARGE = {  # of 400 to 1,200 functions
    "hipblas": 2_900_000, "hipsparse": 1_400_000, "cublas": 1_400_000, "cusolver": 1_300_000,
    "ze": 1_300_000,
}  # fmt: skip


def test_each_extra_has_its_package():
    """An extra of pyproject.toml installs the package of the same version."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    wanted = dict(re.findall(r'^(\w+) = \["(pygpu-\w+==[^"]+)"\]', text, re.M))
    for extra in EXTRAS:
        assert wanted[extra] == f"pygpu-{extra}=={{project[version]}}"


@pytest.mark.parametrize("extra", EXTRAS)
def test_a_wheel_holds_its_own_modules_alone(library_wheels, extra):
    """Each is small, has its stubs, and needs PyGPU of the same version, whose C++ it uses."""
    own = {name: api.module for name, api in APIS.items() if api.extra == extra}
    with zipfile.ZipFile(library_wheels[extra]) as wheel:
        sizes = {one.filename: one.file_size for one in wheel.infolist()}
        (metadata,) = (name for name in sizes if name.endswith(".dist-info/METADATA"))
        said = email.message_from_bytes(wheel.read(metadata))
    assert said["Requires-Dist"] == f"PyGPU=={PyGPU.__version__}"
    files = [name for name in sizes if ".dist-info/" not in name]
    for name, module in own.items():
        of_it = [one for one in files if re.match(rf"PyGPU/({name}/|{module}(_as_\w+)?\.)", one)]
        assert {pathlib.PurePath(one).suffix for one in of_it} == {".so", ".py", ".pyi"}
        size = sum(sizes[one] for one in of_it if one.endswith(".so"))
        assert size < LARGE.get(name, LARGEST), (name, size)
        files = [one for one in files if one not in of_it]
    assert files == []


def test_an_extra_brings_its_modules(wheel_path, library_wheels, tmp_path):
    """Until then, each way to ask for a module says what installs it."""
    bare = tmp_path / "bare"
    venv.create(bare)
    (packages,) = bare.glob("lib/python*/site-packages")
    (packages / "numpy").symlink_to(pathlib.Path(numpy.__file__).parent)

    def install(wheel: pathlib.Path) -> None:
        pip = [sys.executable, "-m", "pip", "--python", str(bare / "bin" / "python"), "--quiet"]
        subprocess.run([*pip, "install", "--no-index", "--no-deps", str(wheel)], check=True)

    def asked(name: str) -> list[str]:
        command = [bare / "bin" / "python", "-W", "error", PROGRAM, name]
        environment = {"PATH": str(bare / "bin"), "PYGPU_BACKEND": "host"}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.splitlines()

    install(wheel_path)
    for extra, name in EXTRAS.items():
        text = f"PyGPU.{name} is not installed: pip install 'PyGPU[{extra}]'"
        kinds = ("AttributeError", "ModuleNotFoundError", "ModuleNotFoundError")
        assert asked(name) == [f"{kind} {text}" for kind in kinds]
    for extra, name in EXTRAS.items():
        install(library_wheels[extra])
        assert asked(name) == ["is here"] * 3
