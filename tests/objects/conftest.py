"""Where the tests of this folder run: on the host runtime, and on a card."""

from __future__ import annotations

import pytest

from tests.arrays.conftest import counting, on_gpus, on_host  # noqa: F401
from tests.nvrtc.conftest import nvrtc  # noqa: F401


@pytest.fixture(params=["host", "GPUs"])
def on_devices(request, tmp_path, nvrtc):  # noqa: F811
    """The host runtime and, where there are GPUs, the GPUs; both compile into a fresh cache."""
    one = request.getfixturevalue("on_host" if request.param == "host" else "on_gpus")
    return one.having(PYGPU_CACHE_DIR=str(tmp_path / "cache"))
