"""Stand-ins for driver and runtime of one release, for tests that pass handles between both."""

from __future__ import annotations

import pathlib

import pytest

from generator import store
from generator.merge import release_of
from generator.releases import find_api, release_name
from tests.own_interpreter import Interpreter
from tests.standin import apis
from tests.standin.library import build


def standin(api: str, release: str, folder: pathlib.Path) -> str:
    """The path of the stand-in of a release."""
    version = find_api(apis.SPECS, api).listed(release)
    whole = store.load(apis.SPECS / api / "api.json")
    return str(build(release_of(whole, release_name(version)), version, folder))


@pytest.fixture
def without_zstd(on_host: Interpreter, tmp_path: pathlib.Path) -> Interpreter:
    """The same, on a machine whose libzstd can't be opened."""
    (tmp_path / "libzstd.so.1").touch()
    return on_host.having(LD_LIBRARY_PATH=str(tmp_path))


@pytest.fixture(scope="session")
def with_both(python: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    """An interpreter that finds stand-ins of driver and runtime 13.2."""
    folder = tmp_path_factory.mktemp("both")
    driver = standin("cuda_driver", "13.2", folder / "driver")
    runtime = standin("cuda_runtime", "13.2", folder / "runtime")
    return python.having(PYGPU_BACKEND="cuda", PYGPU_CU_LIBRARY=driver, PYGPU_CUDA_LIBRARY=runtime)


@pytest.fixture(scope="session")
def with_11_8(python: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    """An interpreter that finds the stand-in of driver 11.8."""
    folder = tmp_path_factory.mktemp("driver-11.8")
    return python.having(PYGPU_CU_LIBRARY=standin("cuda_driver", "11.8", folder))
