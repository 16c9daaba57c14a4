"""api.toml: a mistake is refused with the file and the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator import manifest
from generator.emit import SPECS
from generator.toml import tomllib

CUDA = (SPECS / "cuda_runtime" / "api.toml").read_text(encoding="utf-8")


def made(folder: Path, text: str) -> manifest.Manifest:
    (folder / "gpu").mkdir(exist_ok=True)
    (folder / "gpu" / "api.toml").write_text(text, encoding="utf-8")
    return manifest.load("gpu", folder)


@pytest.mark.parametrize("name", manifest.names(SPECS))
def test_every_key_of_a_file_is_taken(name: str) -> None:
    """The manifest has what the file says, word for word."""
    read = tomllib.loads((SPECS / name / "api.toml").read_text(encoding="utf-8"))
    known = manifest.load(name, SPECS)

    def compare(table: dict[str, object], taken: object) -> None:
        for key, value in table.items():
            here = taken.get(key) if isinstance(taken, dict) else None
            here = getattr(taken, key, getattr(taken, f"{key}_", here))
            if isinstance(value, dict):
                compare(value, here)
            elif isinstance(value, list):
                as_lists = [list(one) if isinstance(one, tuple) else one for one in here or ()]
                assert as_lists == value, key
            else:
                assert here == value, key

    compare(read, known)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('namespace = "cuda"', "", "missing key: namespace"),
        ('label = "CUDA"\nvendor = "NVIDIA"\n', "", "missing keys: label, vendor"),
        ('namespace = "cuda"', "namespace = 1", "namespace: 1 is of another kind"),
        ('label = "CUDA"', 'lable = "CUDA"', "no key 'lable'; there are namespace, label"),
        ('"portable", ', '"portabel", ', "capabilities: 'portabel' is none of"),
        ('= "current device"', '= "all"', "cudaDeviceReset ends none of"),
        ("not_ready = ", "notready = ", "status.codes: 'notready' is none of"),
        ('not_ready = "cudaErrorNotReady"', "", "status.codes: 'not_ready' is missing"),
        ("major = 1000", 'major = "1000"', "release: major: '1000' is of another kind"),
        ('["CUarray_st"]', '["a", "b", "c"]', "handles.take: cudaArray_t has more than 2 tags"),
        ("homes = [", "homes = [1, ", "library: homes: 1 is of another kind"),
        ("[driver]", "[driver", "Expected"),
        ("closed = ", "shut = ", "doctor.remedies: 'shut' is none of"),
        ('node = "load', 'library_ = "load', "doctor.remedies: 'library_' is none of"),
        ("no_device = 100", "no_device = 102", "doctor.errors: 102, no_device, is missing"),
        ("[doctor.errors]", '[doctor.errors]\nx = "y"', "doctor.errors: 'x' is no number"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    assert right in CUDA
    assert made(tmp_path, CUDA).namespace == "cuda"
    with pytest.raises(manifest.ManifestError) as error:
        made(tmp_path, CUDA.replace(right, wrong, 1))
    assert "gpu/api.toml: " in str(error.value)
    assert said in str(error.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(manifest.ManifestError, match=r"gpu/api\.toml: No such file"):
        manifest.load("gpu", tmp_path)
