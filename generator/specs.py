"""Where an API's folder is: in the tree that is generated, else among those that PyGPU has."""

from __future__ import annotations

from pathlib import Path

# Of the repository all, with their models. An installed generator has what others need of an API
# that they depend on: its api.toml and releases.toml.
OWN = Path(__file__).resolve().parent.parent / "api_specs"


def folder(specs: Path, api: str) -> Path:
    """The folder of an API; that in `specs` where there is none at all."""
    own = OWN / api
    return own if not (specs / api).is_dir() and own.is_dir() else specs / api
