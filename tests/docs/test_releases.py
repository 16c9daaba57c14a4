"""What README.md says about releases agrees with api_specs/."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.releases import find_api, release_name

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("label", "api"), [("CUDA", "cuda_runtime"), ("CUDA", "nvrtc"), ("HIP", "hip_runtime")]
)
def test_readme_names_the_listed_releases(label: str, api: str) -> None:
    *others, newest = map(release_name, find_api(ROOT / "api_specs", api).releases)
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"{label} {', '.join(others)} and {newest}" in text


def test_readme_names_nvrtcs_span() -> None:
    first, *_, newest = map(release_name, find_api(ROOT / "api_specs", "nvrtc").releases)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"NVIDIA's run-time compiler, from CUDA {first} to {newest}." in text
