"""APIs whose statuses are plain integers, and APIs without statuses: what Python sees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from generator import cli, manifest, rules, store
from generator.cpp.wrappers import head
from generator.errors import GeneratorError
from generator.merge import merge
from generator.plan.api import NO_DEPENDS, plan
from generator.plan.binding import BindingPlan, Detail, Wrapper
from generator.plan.stubs import stub_module
from tests.generator.headers import in_cpp, parse_text

MACROS = "#define GPU_OK 0\n#define GPU_DONE 1\n#define GPU_BAD -3\n#define GPU_SIZE 8\n"
NO_STATUS = """\
namespace = "gpu"
label = "GPU"
vendor = "Nobody"
summary = "Made up."
[library]
stem = "libgpu"
variable = "PYGPU_GPU_LIBRARY"
"""
INT = NO_STATUS + '[status]\ntype = "int"\nclass = "gpuStatus"\nnames = "GPU_(OK|DONE|BAD)"\n'


def planned(
    specs: Path,
    header: str,
    made: str,
    decided: str = "",
    depends: Mapping[str, manifest.Manifest] = NO_DEPENDS,
) -> BindingPlan:
    folder = specs / "gpu"
    folder.mkdir()
    (folder / "api.toml").write_text(made)
    (folder / "rules.toml").write_text(decided)
    model = merge(None, parse_text(folder, in_cpp(header)))
    (folder / "api.json").write_text(store.dumps(model))
    return plan(
        store.load(folder / "api.json"),
        rules.load("gpu", specs),
        manifest.load("gpu", specs),
        depends,
    )


def wrappers(found: BindingPlan) -> dict[str, Wrapper]:
    return {one.name: one for group in found.groups.values() for one in group}


def shown(found: BindingPlan, name: str) -> str:
    return next(
        one for one in map(str, stub_module(found).functions) if one.startswith(f"def {name}(")
    )


@pytest.mark.parametrize(
    "codes",
    [
        MACROS,
        "enum { GPU_OK, GPU_DONE, GPU_BAD = -3 };\n#define GPU_SIZE 8\n",
        "enum gpuCode { GPU_OK, GPU_DONE, GPU_BAD = -3 };\n#define GPU_SIZE 8\n",
    ],
)
def test_an_int_is_a_status(tmp_path: Path, codes: str) -> None:
    header = codes + "int gpuRun(int n);\nint gpuCount(void);\nlong gpuSize(void);\n"
    decided = '[function.gpuCount]\nresult = "value"\n'
    found = planned(tmp_path, header, INT + 'success = ["GPU_DONE"]\n', decided)
    assert found.errors[:3] == ((-3, "GPU_BAD"), (0, "GPU_OK"), (1, "GPU_DONE"))
    assert found.successes == (1,)
    assert (found.codes["no_symbol"], found.codes["no_library"]) == (4094, 4095)
    assert [one.name for one in found.names if one.kind == "constant"] == ["GPU_SIZE"]
    assert {one.name: one.kind for one in found.names}["GPU_BAD"] == "error"
    returns = {name: one.returns_status for name, one in wrappers(found).items()}
    assert returns == {"gpuRun": True, "gpuCount": False, "gpuSize": False}
    assert shown(found, "gpuRun") == "def gpuRun(n: _Int) -> gpuStatus: ..."
    assert shown(found, "gpuCount") == "def gpuCount() -> int: ..."


def test_a_code_of_all_ones_is_what_an_int_holds(tmp_path: Path) -> None:
    """As RSMI_STATUS_UNKNOWN_ERROR is."""
    header = (
        "typedef enum { GPU_OK, GPU_BAD, GPU_ODD = 0xffffffff } gpuCode;\ngpuCode gpuRun(void);\n"
    )
    made = NO_STATUS + '[status]\ntype = "gpuCode"\nclass = "gpuCode"\n'
    found = planned(tmp_path, header, made)
    assert found.errors[:3] == ((-1, "GPU_ODD"), (0, "GPU_OK"), (1, "GPU_BAD"))


def test_a_typedef_is_a_status_and_an_argument(tmp_path: Path) -> None:
    """As cl_int is: the enum stands for what C returns, the typedef for the number."""
    header = "typedef int gpuInt;\ngpuInt gpuRun(gpuInt n, float *at);\n"
    decided = '[function.gpuRun]\nparameter.at = { kind = "out" }\n'
    made = NO_STATUS + '[status]\ntype = "gpuInt"\nclass = "gpuStatus"\n'
    found = planned(tmp_path, header, made, decided)
    assert found.status_type == "gpuStatus"
    assert head(wrappers(found)["gpuRun"], found.status_type) == (
        "inline Outputs<float, gpuStatus> gpuRun(gpuInt n)"
    )


def test_no_status_at_all(tmp_path: Path) -> None:
    header = "void gpuFill(int n);\nfloat gpuMost(int *at);\nvoid gpuLimits(int *a, long *b);\n"
    decided = '[function.gpuMost]\nparameter.at = { kind = "out" }\n'
    decided += '[function.gpuLimits]\nparameter.a = { kind = "out" }\n'
    decided += 'parameter.b = { kind = "out" }\n'
    found = planned(tmp_path, header, NO_STATUS, decided)
    assert found.error_class == "gpuStatus"
    assert not any(one.returns_status for one in wrappers(found).values())
    assert shown(found, "gpuFill") == "def gpuFill(n: _Int) -> None: ..."
    assert shown(found, "gpuMost") == "def gpuMost() -> tuple[float, int]: ..."
    assert shown(found, "gpuLimits") == "def gpuLimits() -> tuple[int, int]: ..."


@pytest.mark.parametrize(
    ("made", "decided", "said"),
    [
        (INT.replace("OK|DONE|BAD", "NONE"), "", "status.names: no macro and no enumerator"),
        (INT.replace('"int"', '"gpuNone"'), "", "no status type gpuNone"),
        (INT.replace('"int"', '"float"'), "", "no status type float"),
        (INT + 'success = ["GPU_FINE"]\n', "", "status.success: int has no GPU_FINE"),
        (INT, '[function.gpuSize]\nresult = "value"\n', "function.gpuSize.result: no function"),
    ],
)
def test_what_cannot_be_is_said(tmp_path: Path, made: str, decided: str, said: str) -> None:
    with pytest.raises(GeneratorError, match=said):
        planned(tmp_path, MACROS + "int gpuRun(int n);\nlong gpuSize(void);\n", made, decided)


def test_a_function_without_a_status_cannot_ask(tmp_path: Path) -> None:
    header = MACROS + "int gpuLen(long *size);\nvoid gpuLog(char *log);\n"
    decided = '[function.gpuLog]\nparameter.log = { kind = "out_text", asked_by = "gpuLen" }\n'
    with pytest.raises(GeneratorError, match=r"gpuLog .*gives no status, so no count can be asked"):
        planned(tmp_path, header, INT, decided)


@pytest.mark.parametrize("result", ["int", "void", "float", "char *"])
def test_only_a_number_says_how_much_was_written(tmp_path: Path, result: str) -> None:
    """An int is a status here."""
    decided = "[function.gpuRead]\nparameter.to = "
    decided += '{ kind = "out_bytes", capacity = "most", returned = true }\n'
    header = MACROS + f"{result} gpuRead(void *to, long most);\n"
    with pytest.raises(GeneratorError, match=r"gpuRead .*doesn't return how much it wrote"):
        planned(tmp_path, header, INT, decided)


def test_what_users_call_by_a_macro(tmp_path: Path) -> None:
    """A versioned name gives way to the macro's name. An older name stays beside the new one."""
    release = parse_text(
        tmp_path,
        "#define gpuGemm gpuGemm_v2\n#define gpuOldName gpuNewName\n"
        + in_cpp("int gpuGemm_v2(int n);\nint gpuNewName(void);\n"),
    )
    symbols = {name: one.symbol for name, one in release.functions.items()}
    assert symbols == {
        "gpuGemm": "gpuGemm_v2",
        "gpuNewName": "gpuNewName",
        "gpuOldName": "gpuNewName",
    }


def test_structs_lie_as_the_header_has_them(tmp_path: Path) -> None:
    from generator.cpp.types import declarations

    header = (
        "typedef struct { int n; _Alignas(32) float values[8]; } gpuTable;\n"
        "struct __attribute__((packed)) gpuTight { char c; int n; };\n"
        "typedef struct { _Alignas(64) double x; } gpuWide;\n"
        "void gpuUse(const gpuTable *a, const struct gpuTight *b, gpuWide c);\n"
    ).replace("_Alignas", "GPU_ALIGNED")
    header = (
        "#ifdef __cplusplus\n#define GPU_ALIGNED(n) alignas(n)\n#else\n"
        "#define GPU_ALIGNED(n) _Alignas(n)\n#endif\n" + header
    )
    text = "\n".join(declarations(planned(tmp_path, header, NO_STATUS)))
    assert "struct alignas(32) gpuTable {\n    int n;\n    alignas(32) float values[8];" in text
    assert "struct [[gnu::packed]] gpuTight {\n    char c;\n    int n;" in text
    assert "struct alignas(64) gpuWide {\n    double x;" in text


def test_a_header_without_functions_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An update that would generate nothing reports an error, and writes nothing."""
    folder = tmp_path / "api_specs" / "gpu"
    folder.mkdir(parents=True)
    (folder / "releases.toml").write_text('header = "gpu.h"\nprefix = "gpu"\nreleases = [\n]\n')
    (folder / "rules.toml").write_text("")
    (tmp_path / "gpu.h").write_text("int cpuRun(void);\n")
    command = ["--root", str(tmp_path), "update", "gpu", "--release", "1.0.0"]
    assert cli.main([*command, "--headers", str(tmp_path), "--no-regenerate"]) == 2
    said = "gpu.h declares no function whose name begins with 'gpu', so nothing would be generated"
    assert said in capsys.readouterr().err
    assert not (folder / "api.json").exists()


def test_inline_functions_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Unbound inline functions of the header are reported, unless a rule excludes them."""
    folder = tmp_path / "api_specs" / "gpu"
    folder.mkdir(parents=True)
    (folder / "releases.toml").write_text('header = "gpu.h"\nprefix = "gpu"\nreleases = []\n')
    (folder / "rules.toml").write_text('[function.gpuOurs]\nexclude = "for the header alone"\n')
    inline = "static inline int {}(void) {{ return 0; }}\n"
    (tmp_path / "gpu.h").write_text(
        "int gpuRun(void);\n" + "".join(map(inline.format, ("gpuMake", "gpuOurs", "cpuMake")))
    )
    command = ["--root", str(tmp_path), "update", "gpu", "--release", "1.0.0"]
    assert cli.main([*command, "--headers", str(tmp_path), "--no-regenerate"]) == 0
    told = capsys.readouterr().out.splitlines()
    (line,) = (line for line in told if "defines them inline" in line)
    assert line.startswith("Not bound, ") and ": gpuMake. If" in line


PAIR = (
    "typedef enum { GPU_OK, GPU_BAD = 7 } gpuCode;\ntypedef enum { DRV_OK, DRV_BAD } drvCode;\n"
    "typedef struct gpuError { gpuCode err; drvCode more; } gpuError_t;\n"
)
STRUCT = NO_STATUS + '[status]\ntype = "gpuError_t"\nclass = "gpuCode"\n'


def test_a_struct_of_two_codes_is_as_wide_as_both(tmp_path: Path) -> None:
    (tmp_path / "drv").mkdir()
    text = NO_STATUS + '[status]\ntype = "drvCode"\nclass = "Drv"\n'
    (tmp_path / "drv" / "api.toml").write_text(text)
    found = planned(
        tmp_path,
        PAIR + "gpuError_t gpuRun(int n);\nint gpuCount(void);\n",
        STRUCT + 'detailed = "GPU_BAD"\n',
        depends={"drv": manifest.load("drv", tmp_path)},
    )
    assert (found.status, found.detail) == ("gpuCode", Detail("gpuError", 7, "PyGPU.gpu", "Drv"))
    assert [one.underlying for one in found.enums if one.name == "gpuCode"] == [
        "unsigned long long"
    ]
    assert shown(found, "gpuRun") == "def gpuRun(n: _Int) -> gpuCode: ..."
    assert shown(found, "gpuCount") == "def gpuCount() -> int: ..."


@pytest.mark.parametrize(
    ("header", "made", "message"),
    [
        (PAIR, STRUCT, "status.detailed: gpuError_t is a struct of two codes"),
        (PAIR, STRUCT + 'detailed = "GPU_BAD"\n', "drvCode is no status of an API that it"),
        (PAIR, STRUCT + 'detailed = "GPU_ODD"\n', "status.detailed: gpuError_t has no GPU_ODD"),
        (PAIR + "void gpuTake(gpuCode code);\n", STRUCT + 'detailed = "GPU_BAD"\n', "more than a"),
        (
            "typedef struct { int err, more; } gpuError_t;\n",
            STRUCT + 'detailed = "GPU_BAD"\n',
            "is no struct of two enums",
        ),
        (MACROS, INT + 'detailed = "GPU_BAD"\n', "status.detailed: int is no struct"),
    ],
)
def test_a_struct_that_is_no_status_is_refused(
    tmp_path: Path, header: str, made: str, message: str
) -> None:
    result = "int" if made.startswith(INT) else "gpuError_t"
    with pytest.raises(GeneratorError, match=message):
        planned(tmp_path, f"{header}{result} gpuRun(int n);\n", made)


def test_a_count_below_0_is_a_status(tmp_path: Path) -> None:
    header = MACROS + "int gpuRun(int n);\nlong gpuRead(int n);\n"
    found = planned(tmp_path, header, INT, '[function.gpuRead]\nresult = "count"\n')
    read = wrappers(found)["gpuRead"]
    assert head(read, found.status_type) == ("inline Outputs<long, gpuStatus> gpuRead(int n)")
    assert shown(found, "gpuRead") == "def gpuRead(n: _Int) -> tuple[int | None, gpuStatus]: ..."
    (tmp_path / "other").mkdir()
    header = header.replace("long gpuRead", "unsigned gpuRead")
    with pytest.raises(GeneratorError, match="is unsigned int, no number that may be below 0"):
        planned(tmp_path / "other", header, INT, '[function.gpuRead]\nresult = "count"\n')
