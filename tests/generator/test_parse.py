"""Parsing small headers: one for each known trap in vendors' headers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generator.model import CType, Field
from generator.parse import Conventions, HeaderSet, ParseError, ParseRequest, parse_release
from generator.parse import clang as clang_trees
from generator.releases import DependedHeader
from tests.generator.headers import PER_THREAD, in_cpp, parse_text

INT = CType("int")


def test_size_t_is_never_int(tmp_path: Path) -> None:
    release = parse_text(tmp_path, "#include <stddef.h>\nint gpuMalloc(void **p, size_t size);")
    assert [str(p.type) for p in release.functions["gpuMalloc"].parameters] == ["void **", "size_t"]


def test_a_missing_builtin_header_is_fatal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setattr(clang_trees, "COMPILER", empty)
    with pytest.raises(ParseError, match=r"^gpu\.h:1: .*stddef\.h.*: --include names its folder"):
        parse_text(tmp_path, "#include <stddef.h>\nint gpuMalloc(void **p, size_t size);")


def test_an_error_names_header_line_and_text(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"^gpu\.h:2: unknown type name 'gpuFoo_t'"):
        parse_text(tmp_path, "\nint gpuRun(gpuFoo_t foo);")


def test_what_is_no_cpp_has_no_defaults(tmp_path: Path) -> None:
    """Reading as C++ is a second opinion: an error there is noted, and ends nothing."""
    wrong = "#ifdef __cplusplus\nint gpuWrong(gpuFoo_t foo, int a = 1);\n#endif\nint gpuRun(int a);"
    release = parse_text(tmp_path, wrong)
    assert [one.default for one in release.functions["gpuRun"].parameters] == [None]
    (note,) = release.notes
    assert note.startswith("No defaults of parameters are known: read as C++, gpu.h:2: ")


def test_a_missing_header_is_said(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"no gpu\.h"):
        clang_trees.Tree(clang_trees.HeaderSet(tmp_path, "gpu.h"))


def test_standard_headers_under_their_cpp_names(tmp_path: Path) -> None:
    """HIP 7 includes them so."""
    names = ("cassert", "climits", "cstddef", "cstdint", "cstdlib", "cstring", "utility")
    included = "".join(f"#include <{name}>\n" for name in names)
    release = parse_text(
        tmp_path,
        f"#ifdef __cplusplus\n{included}"
        "inline std::size_t gpuMove(std::uint8_t &&byte) { return std::move(byte); }\n"
        "#else\n#include <stdint.h>\n#include <stdlib.h>\n#endif\n"
        + in_cpp("int gpuMalloc(void **p, size_t size, uint64_t flags);"),
    )
    found = [str(p.type) for p in release.functions["gpuMalloc"].parameters]
    assert found == ["void **", "size_t", "uint64_t"]


def test_defaults_stand_only_in_cpp(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "#ifdef __cplusplus\n#define DEFAULT(x) = x\n#else\n#define DEFAULT(x)\n#endif\n"
        "typedef struct stream *gpuStream_t;\nenum gpuKind { gpuKindHost = 3 };\n"
        "#define NONE 0x10\n"
        + in_cpp(
            "int gpuRun(int device, gpuStream_t stream DEFAULT(0), enum gpuKind kind"
            " DEFAULT(gpuKindHost), unsigned flags DEFAULT(NONE), int last DEFAULT(-1));"
        )
        + "#ifdef __cplusplus\ntemplate <class T> int gpuRun(T *t, int device = 9);\n"
        "inline int gpuRun(int a, char b = 8) { return b; }\n#endif\n",
    )
    defaults = {p.name: p.default for p in release.functions["gpuRun"].parameters}
    assert defaults == {
        "device": None,
        "stream": "0",
        "kind": "gpuKindHost",
        "flags": "16",
        "last": "-1",
    }


def test_defaults_of_other_kinds_are_none(tmp_path: Path) -> None:
    """Fractions and structs are no defaults, and no parameter before them has one.

    Flags are their number.
    """
    release = parse_text(
        tmp_path,
        "enum gpuFlags { gpuA = 1, gpuB = 2 };\nstruct gpuPlace { int x, y; };\n"
        "#ifdef __cplusplus\n#define DEFAULT(...) = __VA_ARGS__\n"
        "#else\n#define DEFAULT(...)\n#endif\n"
        + in_cpp(
            "int gpuRun(int n DEFAULT(1), float f DEFAULT(0.5f), struct gpuPlace p DEFAULT({3, 4}),"
            " unsigned a DEFAULT(gpuA | gpuB), unsigned b DEFAULT(gpuB), int c DEFAULT(-gpuB));"
        ),
    )
    defaults = [one.default for one in release.functions["gpuRun"].parameters]
    assert defaults == [None, None, None, "3", "gpuB", "-2"]


def test_per_thread_names_renamed_before_the_declarations(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "#ifdef GPU_PER_THREAD\n#define gpuCopy gpuCopy_ptsz\n#endif\n"
        "int gpuCopy(int n);\nint gpuOther(void);\n",
    )
    assert release.functions["gpuCopy"].symbol == "gpuCopy"
    assert release.functions["gpuCopy"].per_thread == "gpuCopy_ptsz"
    assert release.functions["gpuOther"].per_thread is None
    assert set(release.functions) == {"gpuCopy", "gpuOther"}


def test_per_thread_names_renamed_behind_the_declarations(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "/** \\defgroup GPU_COPY Copies\n @{ */\nint gpuCopy(int n);\n/** @} */\n"
        "int gpuCopy_spt(int n);\n"
        "#ifdef GPU_PER_THREAD\n#define gpuCopy gpuCopy_spt\n#endif\n",
    )
    assert release.functions["gpuCopy"].per_thread == "gpuCopy_spt"
    assert release.functions["gpuCopy_spt"].per_thread is None
    assert release.functions["gpuCopy_spt"].group == "copy"


def test_macro_renames_keep_the_public_name(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "#define gpuGetProp gpuGetProp_v2\n#define gpuProp_t gpuProp_tR6\n"
        "#define WRAP(name) name\n#define gpuWrapped WRAP(gpuWrapped_v3)\n"
        "#define VECTOR(tag) struct tag { int x; }\n"
        "typedef struct gpuProp_t { int n; } gpuProp_t;\nVECTOR(gpuInt1);\n"
        "int gpuGetProp(gpuProp_t *prop);\nint gpuWrapped(void);\n",
    )
    function = release.functions["gpuGetProp"]
    assert function.symbol == "gpuGetProp_v2"
    assert str(function.parameters[0].type) == "gpuProp_t *"
    assert release.functions["gpuWrapped"].symbol == "gpuWrapped_v3"
    assert set(release.structs) == {"gpuProp_t", "gpuInt1"}
    assert release.aliases == {}


def test_bit_fields(tmp_path: Path) -> None:
    release = parse_text(tmp_path, "struct gpuBits { int n; unsigned a : 1; unsigned b : 5; };")
    unsigned = CType("unsigned int")
    assert release.structs["gpuBits"].fields == (
        Field("n", INT, 0),
        Field("a", unsigned, 32, 1),
        Field("b", unsigned, 33, 5),
    )
    assert release.structs["gpuBits"].size == 8


def test_anonymous_members_are_named_after_their_place(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "struct gpuDesc { int kind; union { struct { void *p; int n; } array; double d; } res;"
        " union { int a; float b; }; struct { int c; }; };",
    )
    assert [(f.name, str(f.type), f.offset) for f in release.structs["gpuDesc"].fields] == [
        ("kind", "int", 0),
        ("res", "gpuDesc.res", 8),
        ("", "gpuDesc.0", 24),
        ("", "gpuDesc.1", 28),
    ]
    assert release.structs["gpuDesc.res"].kind == "union"
    assert release.structs["gpuDesc.res.array"].size == 16
    assert [f.name for f in release.structs["gpuDesc.0"].fields] == ["a", "b"]


def test_typedefs_are_told_apart(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "typedef struct opaque *gpuStream_t;\ntypedef const struct opaque *gpuConstStream_t;\n"
        "typedef unsigned long long gpuTexture_t;\ntypedef struct gpuDim_st { int x; } gpuDim;\n"
        "typedef gpuDim *gpuDimRef;\ntypedef void (*gpuFn_t)(gpuStream_t stream, void *data);\n"
        "int gpuHost(void (*fn)(int code), int fixed[4]);\n",
    )
    assert {h.name: (h.struct, h.const) for h in release.handles.values()} == {
        "gpuStream_t": ("opaque", False),
        "gpuConstStream_t": ("opaque", True),
    }
    assert {a.name: str(a.type) for a in release.aliases.values()} == {
        "gpuTexture_t": "unsigned long long",
        "gpuDim": "gpuDim_st",
        "gpuDimRef": "gpuDim *",
    }
    assert [p.name for p in release.callbacks["gpuFn_t"].parameters] == ["stream", "data"]
    # A function pointer without a typedef gets one. An array decays to a pointer, as in C.
    first, second = release.functions["gpuHost"].parameters
    assert (str(first.type), str(second.type)) == ("gpuHost.fn", "int *")
    assert str(release.callbacks["gpuHost.fn"].parameters[0].type) == "int"


def test_integer_macros(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "typedef struct stream *gpuStream_t;\nenum gpuE { gpuE1 = 5 };\n"
        "#define gpuFlag 0x80000000\n#define gpuAll 0xffffffffffffffffull\n"
        "#define gpuSum (gpuFlag | 1)\n#define gpuLater ((int)gpuE1)\n"
        "#define gpuPerThread ((gpuStream_t)0x2)\n#define gpuCpu ((int)-1)\n#define gpuEnum gpuE1\n"
        '#define gpuType gpuStream_t\n#define gpuText "x"\n#define gpuFloat 1.5\n#define gpuGuard\n'
        "#define gpuInit { 0 }\n#define gpuCall(x) 1\n#define _gpuOwn 1\n#define gpuBad 1 +\n",
    )
    assert {m.name: (m.value, m.type) for m in release.macros.values()} == {
        "gpuFlag": (0x80000000, None),
        "gpuAll": (2**64 - 1, None),
        "gpuSum": (0x80000001, None),
        "gpuLater": (5, "int"),
        "gpuPerThread": (2, "gpuStream_t"),
        "gpuCpu": (-1, "int"),
        "gpuEnum": (5, None),
    }
    assert str(release.aliases["gpuType"].type) == "gpuStream_t"


def test_enums_have_c_s_own_type_and_order(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "enum gpuSigned { gpuMinus = -1, gpuZero };\n"
        "typedef enum { gpuB = 2, gpuZ = 1, gpuA = 1 } gpuTypedef;\n"
        "enum { gpuLoose = 7 };\n"
        "enum gpuOld { gpuGone __attribute__((deprecated)) = 1 };\n",
    )
    assert release.enums["gpuSigned"].underlying == "int"
    assert release.enums["gpuTypedef"].underlying == "unsigned int"
    assert [e.name for e in release.enums["gpuTypedef"].enumerators] == ["gpuZ", "gpuA", "gpuB"]
    assert release.enums["gpuLoose.enum"].enumerators[0].value == 7
    assert release.enums["gpuOld"].enumerators[0].deprecated


def test_votes_of_the_documentation(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "/**\n * \\defgroup GPU_MEMORY Memory\n * @{ */\n"
        "/**\n * \\brief Get\n * \\param[out] value - The value\n * \\param count Returned number\n"
        " * @param [in,out] both  both\n * \\return\n * ::gpuSuccess,\n * ::gpuErrorInvalidValue\n"
        " * \\sa ::gpuErrorName */\n#if 1\n"
        "__attribute__((deprecated)) int gpuGet(int *value, int *count, int *both, int plain);\n"
        "#endif\n/** @} */\nint gpuLoose(void);\n",
    )
    function = release.functions["gpuGet"]
    assert [(p.tag, p.returned) for p in function.parameters] == [
        ("out", False),
        (None, True),
        ("inout", False),
        (None, False),
    ]
    assert function.errors == ("gpuSuccess", "gpuErrorInvalidValue")
    assert function.group == "memory"
    assert function.deprecated
    assert (function.source.header, function.source.line) == ("gpu.h", 14)
    assert release.functions["gpuLoose"].group == "other"
    assert release.functions["gpuLoose"].errors == ()


def test_inline_functions_that_only_call_another_have_its_symbol(tmp_path: Path) -> None:
    """As in nvJitLink: users write the inline name, the library exports one with a release."""
    release = parse_text(
        tmp_path,
        "#define gpuNow gpuNow_v2\n"
        "typedef struct gpuState *gpuState_t;\n"
        "extern int __gpuOpen_13_5(gpuState_t *state, unsigned count);\n"
        "/** Opens. @param [out] state The new one. */\n"
        "static inline int gpuOpen(gpuState_t *state, unsigned count)\n"
        "{\n  return __gpuOpen_13_5 (state, count); // the release\n}\n"
        "int _gpuName(const char *const *names);\n"
        "static inline int gpuName(const char **names) { return _gpuName(names); }\n"
        "void gpuEnd_v2(void);\nstatic inline void gpuEnd(void) { gpuEnd_v2(); }\n"
        "int gpuNow(int at);\nstatic inline int gpuLater(int at) { return gpuNow(at); }\n"
        "int gpuAdd(int a, int b);\n"
        "int gpuNextOf(int at);\nstatic inline int gpuNext(int at) { return gpuNextOf(at); }\n"
        "static inline int gpuSwapped(int a, int b) { return gpuAdd(b, a); }\n"
        "static inline int gpuHalf(int a) { return gpuAdd(a, 1); }\n"
        "static inline long gpuWider(int a, int b) { return gpuAdd(a, b); }\n"
        "static inline int gpuTwice(int a, int b) { gpuAdd(a, b); return gpuAdd(a, b); }\n",
    )
    assert {name: one.symbol for name, one in release.functions.items()} == {
        "gpuOpen": "__gpuOpen_13_5",
        "gpuEnd": "gpuEnd_v2",
        "gpuName": "_gpuName",
        "gpuNow": "gpuNow_v2",
        "gpuLater": "gpuNow_v2",
        "gpuAdd": "gpuAdd",
        "gpuNext": "gpuNextOf",
        "gpuNextOf": "gpuNextOf",
    }
    assert {name for name, one in release.functions.items() if one.forwards} == {
        *("gpuOpen", "gpuName", "gpuEnd", "gpuLater", "gpuNext"),
    }
    assert release.inline == ("gpuHalf", "gpuSwapped", "gpuTwice", "gpuWider")
    (state, _) = release.functions["gpuOpen"].parameters
    assert state.tag == "out"


def test_enumerators_of_a_typedef_s_width_have_their_sign(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "typedef unsigned long long gpuWide;\ntypedef long long gpuSigned;\n"
        "enum gpuMask : gpuWide { GPU_ALL = 0xFFFFFFFFFFFFFFFFULL };\n"
        "enum gpuSide : gpuSigned { GPU_LEFT = -1 };\n"
        "int gpuRun(enum gpuMask mask, enum gpuSide side);\n",
    )
    values = {one.name: one.value for enum in release.enums.values() for one in enum.enumerators}
    assert values == {"GPU_ALL": 2**64 - 1, "GPU_LEFT": -1}


def test_only_the_api_s_exported_functions_belong(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        '#include "more.h"\nint gpuRun(void);\nint other(void);\n'
        "static inline int gpuHelper(void) { return 1; }\n"
        "static inline int otherHelper(void) { return 1; }\n",
        more="int gpuMore(void);\nint gpuMore(void);\n",
    )
    assert set(release.functions) == {"gpuRun", "gpuMore"}
    assert release.inline == ("gpuHelper",)
    assert release.functions["gpuMore"].source.header == "more.h"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int gpuPrint(const char *format, ...);", "a variable number of arguments"),
        ("int gpuPrints(const char *format, va_list list);", "(gpuPrints.list): va_list"),
        ("int gpuWide(__int128 n);", "(gpuWide.n): the type '__int128'"),
        ("gpuVector_t gpuFloats(void);", "the type 'gpuVector_t'"),
        ("int gpuHalf(_Float16 a);", "a type such as _Float16 can't be expressed"),
        ("extern int gpuCount;", "a global variable can't be bound"),
        ("int gpuIn(struct gpuUndefined a);", "'struct gpuUndefined' … (it isn't defined)"),
        ("int gpuIn(gpuWide_t a);", "(gpuIn.a): the type 'gpuWide_t'"),
        ("int gpuIn(struct gpuBox a);", "'gpuBox' can't be passed by value … (gpu.h:4: gpuBox"),
        ("int gpuIn(struct gpuHolder a);", "'gpuHolder' can't be passed by value … gpuWide_t"),
        ("struct gpuEmpty gpuIn(void);", "the type 'gpuEmpty' … it is empty"),
    ],
)
def test_what_c_types_can_t_express_is_left_out(tmp_path: Path, text: str, said: str) -> None:
    """By name, with header, line and reason; other functions are bound."""
    types = (
        "#include <stdarg.h>\ntypedef __int128 gpuWide_t;\n"
        "typedef float gpuVector_t __attribute__((vector_size(16)));\n"
        "struct gpuBox { union { int a; }; gpuWide_t b; };\n"
        "struct gpuHolder { struct gpuBox box; };\nstruct gpuEmpty { };\n"
    )
    release = parse_text(
        tmp_path, f"{types}{text}\nint gpuRun(struct gpuBox *box, gpuWide_t *wide);\n"
    )
    name = re.split(r"[(;]", text)[0].split()[-1]
    ((left, why),) = release.left_out.items()
    assert left == name and why.startswith(f"gpu.h:7: {name}")
    for part in said.split(" … "):
        assert part.replace("'struct ", "'") in why
    assert list(release.functions) == ["gpuRun"]
    assert [str(p.type) for p in release.functions["gpuRun"].parameters] == ["gpuBox *", "void *"]
    assert [(f.name, str(f.type), f.offset) for f in release.structs["gpuBox"].fields] == [
        ("", "gpuBox.0", 0),
        ("b", "unsigned char[16]", 16),
    ]


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("void gpuA(int (*rows)[4], float m[2][3]);", ["int *", "float *"]),
        ("void gpuA(const gpuVector_t *v, volatile int *flag);", ["const void *", "int *"]),
        ("void gpuA(int (*done)(long double _Complex x));", ["void *"]),
        ("void gpuA(void (**slot)(int), gpuFn_t *f);", ["void **", "gpuFn_t"]),
        ("void gpuA(void (*log)(const char *, ...), gpuLog_t log2);", ["void *", "gpuLog_t"]),
        ("void gpuA(double _Complex z, long double x);", ["double _Complex", "long double"]),
        ("void gpuA(float *restrict x, _Bool ok, char c);", ["float *", "bool", "char"]),
        ("void gpuA(time_t t, const time_t *u, FILE *f);", ["long", "const long *", "FILE *"]),
        ("void gpuA(int, int arg0);", ["int", "int"]),
        ("gpuFn_t gpuA;", ["int", "void *"]),
    ],
)
def test_c_is_read_as_c(tmp_path: Path, text: str, types: list[str]) -> None:
    """A pointer to what C types can't express is an address. C's library is there."""
    before = (
        "#include <stdio.h>\n#include <time.h>\n"
        "typedef float gpuVector_t __attribute__((vector_size(16)));\n"
        "typedef void gpuFn_t(int code, void *data);\n"
        "typedef void (*gpuLog_t)(const char *, ...);\n"
    )
    release = parse_text(tmp_path, before + text)
    assert not release.left_out
    parameters = release.functions["gpuA"].parameters
    assert [str(one.type) for one in parameters] == types
    assert len({one.name for one in parameters}) == len(parameters)
    assert set(release.functions) == {"gpuA"}


def test_a_tag_may_have_the_name_of_something_else(tmp_path: Path) -> None:
    release = parse_text(
        tmp_path,
        "typedef struct gpuJob *gpuJob;\nenum gpuRun { gpuOne };\nstruct gpuStat { int a; };\n"
        "int gpuRun(gpuJob job, enum gpuRun how);\nint gpuStat(struct gpuStat *stat);\n",
    )
    assert release.handles["gpuJob"].struct == "struct_gpuJob"
    found = [str(one.type) for one in release.functions["gpuRun"].parameters]
    assert found == ["gpuJob", "enum_gpuRun"]
    assert str(release.functions["gpuStat"].parameters[0].type) == "struct_gpuStat *"
    assert set(release.structs) == {"struct_gpuStat"}


def test_only_what_is_used_of_other_headers_belongs(tmp_path: Path) -> None:
    """Of the C library: structs for everybody's use. What is private there is an address."""
    folder, near = tmp_path / "include" / "gpu", tmp_path / "include" / "other"
    folder.mkdir(parents=True)
    near.mkdir()
    (near / "types.h").write_text(
        "#define OTHER 1\nstruct used { int a; };\nstruct unused { int a; };\nint other(void);\n"
    )
    release = parse_text(
        folder,
        "#include <other/types.h>\n#include <sys/time.h>\n#include <pthread.h>\n"
        "struct gpuAll { struct timeval at; pthread_mutex_t lock; struct used one; };\n"
        "int gpuWait(const struct timespec *at, struct gpuAll *all, pthread_mutex_t *lock);\n",
    )
    assert set(release.structs) == {"gpuAll", "timespec", "timeval", "used"}
    assert [(f.name, str(f.type)) for f in release.structs["gpuAll"].fields] == [
        ("at", "timeval"),
        ("lock", "unsigned char[40]"),
        ("one", "used"),
    ]
    assert set(release.functions) == {"gpuWait"} and not release.macros
    assert str(release.functions["gpuWait"].parameters[2].type) == "pthread_mutex_t *"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("namespace gpu { int gpuRun(int a); }", "gpu.h:1: "),
        ("#include <vector>\nint gpuRun(std::vector<int> a);", "gpu.h:1: 'vector' file not found"),
        ('extern "C" int gpuRun(int a);', "gpu.h:1: "),
        ("class Gpu { int a; };\nundeclared gpuRun(Gpu a);", "gpu.h:1: "),
    ],
)
def test_cpp_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ParseError, match="this is C\\+\\+; only C can be bound") as error:
        parse_text(tmp_path, text)
    assert str(error.value).startswith(said) and "\n" not in str(error.value)


def test_newer_c_is_read_too(tmp_path: Path) -> None:
    release = parse_text(tmp_path, 'bool gpuOk(bool a);\nint gpuRun(void) asm("gpuRun_v2");\n')
    assert str(release.functions["gpuOk"].result) == "bool"
    assert release.functions["gpuRun"].symbol == "gpuRun_v2"


def test_a_header_that_is_no_cpp(tmp_path: Path) -> None:
    """It is read as C++ for defaults only, which it can have only if it asks for __cplusplus."""
    release = parse_text(tmp_path, "struct gpuS { int class; };\nint gpuRun(struct gpuS *this);")
    assert [one.name for one in release.structs["gpuS"].fields] == ["class"]


def test_what_another_header_declares_is_no_hindrance(tmp_path: Path) -> None:
    include, other = tmp_path / "include", tmp_path / "other.h"
    include.mkdir()
    other.write_text("typedef _Float16 other;\nstruct pair { _Float16 a, b; };\n")
    release = parse_text(include, f'#include "{other}"\nint gpuRun(int a);')
    assert list(release.functions) == ["gpuRun"] and not release.left_out


def test_declarations_of_our_own_belong_too(tmp_path: Path) -> None:
    folder, own = tmp_path / "include", tmp_path / "also.h"
    folder.mkdir()
    (folder / "gpu.h").write_text(in_cpp("typedef int gpuError_t;\ngpuError_t gpuRun(void);"))
    own.write_text(in_cpp("gpuError_t gpuProfile(int device);"))
    request = ParseRequest(
        "gpu", "1.0", HeaderSet(folder, "gpu.h", also=own), Conventions("gpu", "GPU_"), PER_THREAD
    )
    release = parse_release(request)
    assert set(release.functions) == {"gpuProfile", "gpuRun"}
    assert release.functions["gpuProfile"].source.header == "also.h"
    own.write_text("gpuFoo_t gpuProfile(void);")
    with pytest.raises(ParseError, match=r"^also\.h:1: "):
        parse_release(request)


def test_a_typedef_of_void_is_a_handle_where_releases_toml_says_so(tmp_path: Path) -> None:
    text = "typedef void *gpuBlas_t;\ntypedef void const *gpuConst_t;\ntypedef void *gpuOther_t;\n"
    text += "int gpuRun(gpuBlas_t, gpuConst_t, gpuOther_t);"
    (tmp_path / "gpu.h").write_text(text)
    conventions = Conventions("gpu", "GPU_", handles={"gpuBlas_t": "blas", "gpuConst_t": "blas"})
    release = parse_release(ParseRequest("gpu", "1.0", HeaderSet(tmp_path, "gpu.h"), conventions))
    read = [(one.name, one.struct, one.const, one.untyped) for one in release.handles.values()]
    assert read == [("gpuBlas_t", "blas", False, True), ("gpuConst_t", "blas", True, True)]
    assert list(release.aliases) == ["gpuOther_t"]


def test_a_handle_that_a_header_repeats_belongs_to_the_first_one(tmp_path: Path) -> None:
    """hipSOLVER's header has hipSPARSE's descriptor, for those who don't include hipSPARSE's."""
    blas, own = tmp_path / "blas", tmp_path / "own"
    for folder in (blas, own):
        folder.mkdir()
    (blas / "blas.h").write_text("typedef void *blas_t;\nint blasRun(blas_t);")
    text = '#include "blas.h"\ntypedef void *blas_t;\nint gpuRun(blas_t);'
    (own / "gpu.h").write_text(text)
    depends = (DependedHeader("blas", blas, "blas.h"),)
    conventions = Conventions("gpu", "GPU_", handles={"blas_t": "blas"})
    request = ParseRequest("gpu", "1.0", HeaderSet(own, "gpu.h", depends=depends), conventions)
    assert parse_release(request).handles["blas_t"].source.owner == "blas"
