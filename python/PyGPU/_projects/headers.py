"""Where the headers for users' C++ lie, and the files by which CMake finds them."""

from __future__ import annotations

import os

from PyGPU import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def get_include() -> str:
    """The folder for a compiler's -I: `#include <PyGPU/pybind11.h>`. FileNotFoundError."""
    return _find("include", "PyGPU/ptr_wrapper.h")


def get_cmake_dir() -> str:
    """The folder for CMake's -DPyGPU_DIR=: what find_package(PyGPU) reads. FileNotFoundError."""
    return _find("cmake", "PyGPUConfig.cmake")


def _find(folder: str, file: str) -> str:
    looked = [os.path.join(root, folder) for root in _roots()]
    for path in looked:
        if os.path.isfile(os.path.join(path, file)):
            return path
    raise FileNotFoundError(
        f"this installation of PyGPU lacks {file}: not in {' nor '.join(looked)}"
    )


def _roots() -> Iterator[str]:
    """Installed files lie beside the compiled module; in a source tree, at its top."""
    yield os.path.dirname(os.path.abspath(_core.__file__))
    yield os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
