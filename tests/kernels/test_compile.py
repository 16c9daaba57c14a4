"""compile(): what it makes from a source, how it is told what to make, and how it fails."""

from __future__ import annotations

import copy
import pathlib
import pickle
import warnings

import pytest

import PyGPU
from PyGPU import compiler
from PyGPU.compiler import CompileError, CompileWarning
from tests.own_interpreter import own_interpreter

SCALE = """
__global__ void scale(float *values, float by, int count) {
    if (threadIdx.x < count) values[threadIdx.x] *= by;
}
"""
TEMPLATES = """
template <typename T, int n> __global__ void fill(T *values) { values[threadIdx.x] = n; }
namespace deep {
__constant__ double table[4];
__global__ void read(double *out) { *out = table[0]; }
}
__global__ void twice(int) {}
__global__ void twice(float) {}
extern "C" __global__ void plain() {}
"""


def test_a_cubin_with_what_is_known_of_it(build):
    made = build(SCALE)
    assert made.startswith(b"\x7fELF")
    assert (made.kind, made.arch, made.log) == ("cubin", "sm_90", "")
    major, minor = PyGPU.nvrtc.checked.nvrtcVersion()
    assert made.compiler == f"NVRTC {major}.{minor}"
    assert made.names == {"scale": "_Z5scalePffi"}
    assert [one.type for one in made.parameters["_Z5scalePffi"]] == ["pointer", "float", "int"]
    assert "cubin for sm_90" in repr(made) == str(made)


@pytest.mark.parametrize("clone", [copy.copy, lambda one: pickle.loads(pickle.dumps(one))])
def test_it_is_bytes_that_keep_what_is_known(build, clone):
    made = build(SCALE)
    other = clone(made)
    assert other == made == bytes(made) and hash(other) == hash(bytes(made))
    assert {**vars(other), "names": 0, "parameters": 0} == {
        **vars(made), "names": 0, "parameters": 0,
    }  # fmt: skip
    assert other.names == made.names and other.parameters == made.parameters


@pytest.mark.parametrize(
    ("given", "kind", "arch", "begins"),
    [
        ({"arch": "sm_90"}, "cubin", "sm_90", b"\x7fELF"),
        ({"arch": "sm_90a"}, "cubin", "sm_90a", b"\x7fELF"),
        ({"arch": "compute_90"}, "ptx", "compute_90", b"//"),
        ({"arch": "sm_90", "target": "ptx"}, "ptx", "compute_90", b"//"),
        ({"arch": "compute_90", "target": "cubin"}, "cubin", "sm_90", b"\x7fELF"),
        ({"arch": "sm_90", "target": "ltoir"}, "ltoir", "sm_90", b"\xed\x43\x4e\x7f"),
        ({"arch": "lto_90"}, "ltoir", "sm_90", b"\xed\x43\x4e\x7f"),
        ({"arch": "sm_90", "options": ["-dlto"]}, "ltoir", "sm_90", b"\xed\x43\x4e\x7f"),
        ({"options": "-arch=sm_90"}, "cubin", "sm_90", b"\x7fELF"),
        ({"options": ["--gpu-architecture", "compute_90"]}, "ptx", "compute_90", b"//"),
        ({"options": "-arch sm_90", "arch": "sm_90"}, "cubin", "sm_90", b"\x7fELF"),
        ({"arch": "compute_90", "code": "sm_90"}, "cubin", "sm_90", b"\x7fELF"),
        ({"code": "compute_90"}, "ptx", "compute_90", b"//"),
    ],
)
def test_what_is_made(nvrtc, given, kind, arch, begins):
    made = compiler.compile(SCALE, **given)
    assert (made.kind, made.arch) == (kind, arch)
    assert made.startswith(begins)
    assert bool(made.parameters) == (kind != "ltoir")


@pytest.mark.parametrize("arch", [None, "native"])
@own_interpreter(PYGPU_BACKEND="host", PYGPU_HOST_DEVICES="0")
def test_where_there_is_no_card_it_is_ptx_for_all_later_ones(nvrtc, arch):
    made = compiler.compile(SCALE, arch=arch, cache=False)
    oldest = max(75, min(nvrtc.checked.nvrtcGetSupportedArchs()))
    assert (made.kind, made.arch) == ("ptx", f"compute_{oldest}")
    assert "there is no CUDA device" in made.log


def test_names_of_templates_variables_and_plain_kernels(build):
    """CuPy's RawModule takes such names as name_expressions."""
    made = build(TEMPLATES, name_expressions=["fill<float, 3>", "&deep::table"])
    filled = made.names["fill<float, 3>"]
    assert made.names == {
        "fill<float, 3>": filled,
        "&deep::table": "_ZN4deep5tableE",
        "deep::read": "_ZN4deep4readEPd",
        "plain": "plain",
    }  # neither of the two overloads is here
    assert set(made.parameters) == {
        filled, "_ZN4deep4readEPd", "plain", "_Z5twicei", "_Z5twicef",
    }  # fmt: skip


@pytest.mark.parametrize("expression", ["fill<float", "nothing"])
def test_a_name_that_the_source_has_not(build, expression):
    with pytest.raises(CompileError, match="name expression"):
        build(TEMPLATES, name_expressions=[expression])


def test_extern_c_as_pycuda_writes_it(build):
    """Line numbers are those of the given source."""
    assert set(build(SCALE, no_extern_c=False).parameters) == {"scale"}
    with pytest.raises(CompileError, match=r"source\.cu\(2\): error"):
        build("\nint = 3;", no_extern_c=False)


@pytest.mark.parametrize(
    "options",
    [
        ["-DN=4", "-DTEXT=float"],
        ["-D", "N=4", "--define-macro=TEXT=float"],
        ("-DN=4", "-D", "TEXT=float", "--use_fast_math", "-std=c++17"),
        "-DN=4 -D TEXT=float",
        "'-DTEXT=float' \"-DN=2 + 2\"",
    ],
)
def test_options_as_users_of_nvrtc_write_them(build, options):
    source = "static_assert(N == 4); __global__ void kernel(TEXT) {}"
    assert set(build(source, options).parameters) == {"_Z6kernelf"}


WRONG = """__global__ void kernel(float *values) {
    int unused;
    values[0] = missing;
}
"""


def test_a_failure_has_the_log_with_lines_and_carets(build):
    with pytest.raises(CompileError) as raised:
        build(WRONG, "-DX", name="wrong.cu")
    error = raised.value
    assert isinstance(error, PyGPU.GPUError)
    assert error.error is PyGPU.nvrtc.NVRTC_ERROR_COMPILATION
    said = str(error)
    assert " refused wrong.cu for sm_90 (NVRTC_ERROR_COMPILATION)\n" in said
    assert 'wrong.cu(3): error: identifier "missing" is undefined\n' in said
    lines = said.splitlines()
    at = next(i for i, line in enumerate(lines) if "values[0] = missing;" in line)
    assert lines[at + 1].index("^") == lines[at].index("missing")
    assert error.stderr == error.log and error.stdout == "" and error.log.strip() in said
    assert error.msg in said
    assert error.command_line == ("nvrtc", "--gpu-architecture=sm_90", "-DX", "wrong.cu")
    found = {one.severity: one for one in error.diagnostics}
    assert (found["error"].file, found["error"].line, found["error"].column) == ("wrong.cu", 3, 17)
    assert (found["warning"].line, found["warning"].code) == (2, "177-D")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is CompileError and str(again) == said and again.error is error.error


def test_the_dialect_is_c_plus_plus_17_whatever_the_release(build):
    """Release 11.8's own default is an older one."""
    source = "static_assert(__cplusplus >= VALUE); __global__ void kernel() {}"
    build(source, "-DVALUE=201703")
    with pytest.raises(CompileError, match=r"static assertion failed|static_assert"):
        build(source, ["-DVALUE=201703", "-std=c++14"])


def test_an_option_that_the_compiler_has_not(build):
    with pytest.raises(CompileError, match="unrecognized option --no-such-thing") as raised:
        build(SCALE, ["--no-such-thing"])
    assert raised.value.error is PyGPU.nvrtc.NVRTC_ERROR_INVALID_OPTION


def test_ptxas_has_its_say(build):
    large = "__global__ void kernel(int *a) { __shared__ int x[100000]; a[0] = x[a[1]]; }"
    with pytest.raises(CompileError, match="too much shared data") as raised:
        build(large)
    assert [one.file for one in raised.value.diagnostics] == [""]
    assert "Compiling entry function" in build(SCALE, "--ptxas-options=-v").log


def test_a_long_log_is_cut_in_the_text_alone():
    """A template in extern "C" makes hundreds of lines; the advice below them stays in sight."""
    log = "\n".join(f"source.cu({line}): error: no" for line in range(1000))
    error = CompileError("NVRTC refused source.cu", log, hint="what to do")
    text = str(error).splitlines()
    assert len(text) < 70 and text[0] == error.msg and text[-1] == "what to do"
    assert text[-2] == "... 940 more lines are in the `log` of this error"
    assert error.log == log


@pytest.mark.parametrize("cache", [False, True])
def test_warnings_are_pythons_from_the_callers_line(nvrtc, cache):
    source = "__global__ void kernel() {\n  int unused;\n}"
    for _ in range(2):  # the second time the warnings come from the cache
        with pytest.warns(CompileWarning) as caught:
            made = compiler.compile(source, arch="sm_90", cache=cache)  # this line
        (one,) = caught
        assert one.filename == __file__
        assert "# this line" in pathlib.Path(__file__).read_text().splitlines()[one.lineno - 1]
        assert str(one.message).startswith("source.cu(2): warning #177-D: variable")
        assert "int unused;\n" in str(one.message)
        assert "177-D" in made.log
    assert issubclass(CompileWarning, UserWarning)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiler.compile(source, "-diag-suppress=177", arch="sm_90", cache=cache)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": 3}, "source must be a str or bytes, not int"),
        ({"source": None}, "source must be a str or bytes, not NoneType"),
        ({"options": 3}, "options must be a sequence of str, not int"),
        ({"options": ["-DX", 3]}, "an item of options must be a str, not int"),
        ({"options": b"-DX"}, "options must be a sequence of str, not bytes"),
        ({"arch": 90}, "arch must be a str, not int"),
        ({"headers": ["a.h"]}, "headers must be a mapping of names to texts, not list"),
        ({"headers": {"a.h": 3}}, r"headers\['a.h'\] must be a str or bytes, not int"),
        ({"headers": {3: ""}}, "a name in headers must be a str, not int"),
        (
            {"name_expressions": "f<int>"},
            r"name_expressions must be a sequence of str: \['f<int>'\]",
        ),
        ({"name_expressions": [3]}, "an item of name_expressions must be a str, not int"),
        ({"include_dirs": "folder"}, "include_dirs must be a sequence of paths, not str"),
        ({"include_dirs": [3]}, "an item of include_dirs must be a path, not int"),
        ({"name": 3}, "name must be a str, not int"),
        ({"target": 3}, "target must be a str, not int"),
        ({"code": 3}, "code must be a str, not int"),
        ({"cache_dir": 3}, "cache_dir must be a path, None or False, not 3"),
        ({"cache_dir": True}, "cache_dir must be a path, None or False, not True"),
    ],
)
def test_wrong_types_are_named(nvrtc, given, said):
    with pytest.raises(TypeError, match=rf"^PyGPU\.compiler\.compile: {said}$"):
        compiler.compile(**{"source": SCALE, "arch": "sm_90", **given})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": "a\0b"}, "source contains a NUL"),
        ({"source": "\udcff"}, "source can't be written as UTF-8"),
        ({"cache_dir": "a\0b"}, "cache_dir contains a NUL"),
        ({"options": ["-gencode"]}, "names the architecture lacks its value"),
        ({"arch": "fermi"}, "arch must be like 'sm_90'"),
        ({"arch": "gfx90a"}, "arch must be like 'sm_90'"),
        ({"arch": "sm_20"}, "makes no code for sm_20: it knows .*sm_90.*; an older NVRTC"),
        ({"arch": "sm_999a"}, "makes no code for sm_999a"),
        ({"arch": "sm_80", "options": "-arch=sm_90"}, "several architectures: sm_80, sm_90"),
        ({"arch": "compute_80", "code": "sm_90"}, "code='sm_90' is not of arch='compute_80'"),
        ({"target": "fatbin"}, "target must be one of cubin, ptx, ltoir, hsaco, not 'fatbin'"),
        ({"target": "hsaco", "arch": "sm_90"}, "NVRTC makes cubin, ptx, ltoir, not hsaco"),
        ({"nvcc": "/usr/bin/nvcc"}, "nvcc='/usr/bin/nvcc': nvcc isn't run"),
        ({"keep": True}, "keep=True: there are no temporary files"),
    ],
)
def test_what_has_no_meaning_is_refused(nvrtc, given, said):
    with pytest.raises(ValueError, match=rf"^PyGPU\.compiler\.compile: .*{said}"):
        compiler.compile(**{"source": SCALE, **given})


def test_a_card_that_is_newer_than_the_compiler(nvrtc):
    newest = nvrtc.checked.nvrtcGetSupportedArchs()[-1]
    made = compiler.compile(SCALE, arch=f"sm_{newest + 500}")
    assert (made.kind, made.arch) == ("ptx", f"compute_{newest}")
    assert made.log.startswith(f"PyGPU: this NVRTC doesn't know sm_{newest + 500}; made PTX")


@own_interpreter(PYGPU_NVRTC_LIBRARY="/nowhere/libnvrtc.so.13", PYGPU_BACKEND="host")
def test_without_a_compiler_it_says_what_to_install():
    said = "no libnvrtc was found; pip install nvidia-cuda-nvrtc"
    with (
        pytest.warns(RuntimeWarning, match="PYGPU_NVRTC_LIBRARY"),
        pytest.raises(PyGPU.GPUError, match=said) as raised,
    ):
        compiler.compile(SCALE)
    assert not isinstance(raised.value, CompileError)


def test_the_package_imports_it_when_it_is_asked_for(python):
    loaded = python(
        "import sys, PyGPU; PyGPU.cudaMalloc; print(*sys.modules)", PYGPU_BACKEND="host"
    )
    assert not {"PyGPU._kernels", "PyGPU.compiler"} & set(loaded.stdout.split())
    assert PyGPU.CompileError is PyGPU.compiler.CompileError
    assert PyGPU.CompileWarning is PyGPU.compiler.CompileWarning
    assert {"compiler", "CompileError", "CompileWarning"} <= set(dir(PyGPU))
    assert not {"compiler", "CompileError", "CompileWarning", "compile"} & set(PyGPU.__all__)
