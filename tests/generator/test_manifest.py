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
            if isinstance(taken, dict):
                here = taken.get(key)
            else:
                here = getattr(taken, key, getattr(taken, f"{key}_", None))
            if isinstance(value, dict):
                compare(value, here)
            elif isinstance(value, list) and isinstance(value[0], dict):
                for table_, one in zip(value, here, strict=True):
                    compare(table_, one)
            elif isinstance(value, list):
                as_lists = [list(one) if isinstance(one, tuple) else one for one in here or ()]
                assert as_lists == value, key
            else:
                assert here == value, key

    compare(read, known)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('namespace = "cuda"', "", "the document: namespace is missing"),
        ('label = "CUDA"\nvendor = "NVIDIA"\n', "", "label, vendor are missing"),
        ('namespace = "cuda"', "namespace = 1", "namespace: a text is needed, not 1"),
        ('label = "CUDA"', 'lable = "CUDA"', "lable: unknown key; known here: arrays, "),
        (
            '"portable", ',
            '"portabel", ',
            "capabilities[0]: 'portable' or 'arrays' or 'host' or 'host_library' is needed",
        ),
        ('= "current device"', '= "all"', "ends.cudaDeviceReset: 'current device' or"),
        ("not_ready = ", "notready = ", "status.codes.notready: 'invalid_value' or "),
        ('not_ready = "cudaErrorNotReady"', "", "status.codes: 'not_ready' is missing"),
        ("major = 1000", 'major = "1000"', "release.major: a number is needed, not '1000'"),
        ('["CUarray_st"]', '["a", "b", "c"]', "handles.take.cudaArray_t: a list of at most 2 tags"),
        ("homes = [", "homes = [1, ", "library.homes[0]: a text is needed, not 1"),
        ("[driver]", "[driver", "Expected"),
        ("closed = ", "shut = ", "doctor.remedies.shut: 'closed' or "),
        ('node = "load', 'library_ = "load', "doctor.remedies.library_: 'closed' or "),
        ('no_device = "cudaErrorNoDevice"', "", "status.codes: 'no_device' is missing"),
        (
            "[doctor.errors]",
            '[doctor.errors]\nx = "y"',
            "doctor.errors.x: a number as text is needed, not 'x'",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, right: str, wrong: str, said: str) -> None:
    assert right in CUDA
    assert made(tmp_path, CUDA).namespace == "cuda"
    with pytest.raises(manifest.ManifestError) as error:
        made(tmp_path, CUDA.replace(right, wrong, 1))
    assert "gpu/api.toml: " in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize("right", ['portable = "ptx"', 'kernels = "ptx"'])
def test_kinds_of_code_that_are_not_there_are_named(tmp_path: Path, right: str) -> None:
    text = (SPECS / "nvrtc" / "api.toml").read_text(encoding="utf-8")
    assert right in text
    with pytest.raises(manifest.ManifestError, match=r"compiler: kinds: 'pdf' is missing"):
        made(tmp_path, text.replace(right, right.replace("ptx", "pdf"), 1))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(manifest.ManifestError, match=r"gpu/api\.toml: No such file"):
        manifest.load("gpu", tmp_path)
