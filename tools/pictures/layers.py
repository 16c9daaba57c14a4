"""The layers of PyGPU, from a user's script down to the hardware."""

from __future__ import annotations

from pathlib import Path

from generator.releases import find_api, release_name
from tools.pictures.svg import Picture

SPECS = Path(__file__).resolve().parents[2] / "api_specs"


def layers() -> Picture:
    """The picture for README and the site's home page."""
    picture = Picture(420, 300, "The layers of PyGPU")
    picture.labelled((14, 14), (258, 40), ["your Python"])
    picture.labelled((282, 14), (124, 40), ["your C++"])
    own, edge = "own_soft", "own"
    picture.labelled((14, 70), (124, 60), ["arrays, graphs", "streams, launches"], own, edge)
    picture.labelled((148, 70), (124, 60), ["C's functions", "(value, err)"], own, edge)
    picture.labelled((282, 70), (124, 60), ["libraries", "cuBLAS, NCCL, …"], own, edge)
    picture.labelled(
        (14, 140), (392, 44), ["bindings", "generated from the vendors' headers"], own, edge
    )
    picture.labelled((14, 200), (124, 44), ["CUDA", _span("cuda_runtime")], "other_soft", "other")
    picture.labelled((148, 200), (124, 44), ["HIP", _span("hip_runtime")], "other_soft", "other")
    picture.labelled((282, 200), (124, 44), ["host runtime", "runs PTX"], own, edge)
    for column, name in enumerate(("NVIDIA's GPU", "AMD's GPU", "any CPU")):
        middle = 76 + 134 * column
        picture.arrow((middle, 246), (middle, 262))
        picture.text((middle, 280), name, anchor="middle")
    for middle in (76, 210, 344):
        picture.arrow((middle, 55), (middle, 69))
        picture.arrow((middle, 185), (middle, 199))
    return picture


def _span(api: str) -> str:
    """The first and the last release that the bindings serve."""
    first, *_, last = map(release_name, find_api(SPECS, api).releases)
    return f"{first} to {last}"
