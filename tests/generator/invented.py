"""An API of an invented header, in a folder beside the real ones: what adding an API changes."""

from __future__ import annotations

from pathlib import Path

from generator import manifest, rules, store
from generator.merge import merge
from generator.plan.api import plan
from generator.plan.binding import BindingPlan
from generator.releases import release_name
from tests.generator.headers import in_cpp, parse_text

MANIFEST = """\
namespace = "gpu"
label = "GPU"
vendor = "Nobody"
summary = "Made up."

[status]
type = "gpuStatus"
class = "gpuStatus"
text = "gpuText"
codes = { no_symbol = 4000, no_library = 4001 }

[library]
stem = "libgpu"
variable = "PYGPU_GPU_LIBRARY"
"""
RELEASES = """\
header = "gpu.h"
prefix = "gpu"
releases = [
    "1.0.0",
]
"""
STATUS = """
typedef enum { GPU_SUCCESS = 0, GPU_ERROR_BAD_THING = 1 } gpuStatus;
const char *gpuText(gpuStatus status);
"""


def add(specs: Path, header: str, decided: str = "", made: str = MANIFEST) -> None:
    """Write the API's folder: header and status, rules, manifest, releases."""
    folder = specs / "gpu"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "api.toml").write_text(made)
    (folder / "releases.toml").write_text(RELEASES)
    (folder / "rules.toml").write_text(decided)
    release = parse_text(folder, in_cpp(STATUS + header))
    assert release.version == release_name("1.0.0")
    (folder / "api.json").write_text(store.dumps(merge(None, release)))


def planned(specs: Path, header: str, decided: str = "", made: str = MANIFEST) -> BindingPlan:
    """The plan of such an API."""
    add(specs, header, decided, made)
    model = store.load(specs / "gpu" / "api.json")
    return plan(model, rules.load("gpu", specs), manifest.load("gpu", specs))
