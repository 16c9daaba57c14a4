"""Where an API's folder is: in the tree that is generated, else in PyGPU's own api_specs."""

from __future__ import annotations

from pathlib import Path

# The repository has all files of each API. An installed generator has only api.toml and
# releases.toml, which an API needs of the APIs that it depends on.
OWN = Path(__file__).resolve().parent.parent / "api_specs"


def folder(specs: Path, api: str) -> Path:
    """The folder of an API; the one in `specs` if it exists nowhere."""
    own = OWN / api
    return own if not (specs / api).is_dir() and own.is_dir() else specs / api
