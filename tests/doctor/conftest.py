"""Invented machines for the doctor: folders for /dev and /sys, and libraries with set answers."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

from PyGPU import _backend, _libraries
from PyGPU.doctor import collect


@pytest.fixture
def diagnose(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """(files=, backend=, environ=, cuda=, hip=, failure=) -> the report of such a machine.

    `files` maps paths to their text; `cuda` and `hip` are the facts that a library gives.
    """

    def make(
        files: dict[str, str] | None = None,
        backend: str = "cuda",
        environ: dict[str, str] | None = None,
        failure: str = "",
        **facts: dict[str, Any],
    ) -> dict[str, Any]:
        for path, text in (files or {}).items():
            file = tmp_path / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        for name in list(os.environ):
            if name.startswith(("PYGPU_", "CUDA_", "NVIDIA_", "HIP_", "ROC", "KUBE", "container")):
                monkeypatch.delenv(name)
        monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
        for name, value in (environ or {}).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(_backend, "_name", backend)
        monkeypatch.setattr(_backend, "_why", "the test says so")
        monkeypatch.setattr(_libraries, "survey", lambda api, ask_driver: [])

        def prober(api: str, timeout: float):
            return [facts[api]] if api in facts else [], failure if api == backend else ""

        return collect(prober=prober, root=str(tmp_path))

    return make
