"""`bind`: a user's header becomes a package in a folder of its own, and mistakes are reported."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generator import cli
from generator.toml import tomllib
from tests.conftest import ROOT, required
from tests.generator.test_adding import compile_generated

SHAPES = ROOT / "tests" / "packaging" / "shapes"
MYKERNELS = ROOT / "tests" / "apis" / "mykernels"


@pytest.fixture
def header(tmp_path: Path) -> Path:
    """A header in a folder; tests write projects beside it."""
    return Path(shutil.copy(SHAPES / "shapes.h", tmp_path))


def bind(header: Path, folder: Path, *options: str) -> int:
    return cli.main(["bind", str(header), "--folder", str(folder), *options])


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_second_run_keeps_what_the_user_wrote(header, tmp_path, capsys):
    """The user's rules apply, the user's files stay, and generated files are renewed."""
    project = tmp_path / "shapes"
    assert bind(header, project) == 0
    assert "until a rule decides: 3." in capsys.readouterr().out
    first = contents(project)
    assert bind(header, project) == 0
    assert contents(project) == first
    specs = project / "api_specs" / "shapes"
    shutil.copy(SHAPES / "rules.toml", specs)
    own = {"docs/rules.md": "mine", "python/shapes/more.py": "mine = 1", "CMakeLists.txt": "mine"}
    for name, text in own.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)
    left = project / "generated" / "shapes" / "left.cpp"
    left.write_text("")
    assert bind(header, project) == 0
    assert {name: (project / name).read_text() for name in own} == own
    assert not left.exists()
    stub = (project / "python" / "shapes" / "__init__.pyi").read_text()
    assert "-> tuple[float | None, shapes_status]" in stub
    assert (specs / "rules.toml").read_bytes() == (SHAPES / "rules.toml").read_bytes()


def test_a_later_release_is_added(header, tmp_path):
    project = tmp_path / "shapes"
    assert bind(header, project, "--release", "1.4") == 0
    header.write_text(header.read_text().replace("#endif", "void shapes_forget(void);\n#endif"))
    assert bind(header, project, "--release", "2.0") == 0
    assert bind(header, project) == 0  # reads the newest release again
    releases = (project / "api_specs" / "shapes" / "releases.toml").read_text()
    assert '"1.4",\n    "2.0",\n]' in releases
    assert "shapes_forget" in (project / "python" / "shapes" / "__init__.pyi").read_text()


def test_types_of_pygpus_own_apis_are_their_classes(tmp_path):
    required("nvidia.cu13")
    project = tmp_path / "mykernels"
    assert bind(MYKERNELS / "include" / "mykernels.h", project, "--uses", "cuda_runtime") == 0
    stub = (project / "python" / "mykernels" / "__init__.pyi").read_text()
    assert "from PyGPU.cuda import (" in stub
    assert "class cudaStream_t" not in stub
    assert "class myk_plan_t" in stub


def test_stubs_are_typed(header, tmp_path):
    """The stubs are as strict as PyGPU's own."""
    required("mypy")
    project = tmp_path / "shapes"
    assert bind(header, project) == 0
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    paths = f"{project / 'python'}:{ROOT / 'python'}"
    done = subprocess.run(
        [*command, "-c", "import shapes; x: int = shapes.shapes_area(1)"],
        cwd=tmp_path,
        env={"MYPYPATH": paths},
        check=False,
        capture_output=True,
        text=True,
    )
    assert "shapes_status" in done.stdout and "import-untyped" not in done.stdout, done.stdout
    assert done.stdout.count("error:") == 2, done.stdout  # one for the argument, one for the result


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--name", "my-shapes"], "'my-shapes' can't be a package's name; --name gives another"),
        (["--name", "class"], "'class' can't be a package's name; --name gives another"),
        (["--name", "nvrtc"], "'nvrtc' is the name of something else; --name gives another"),
        (["--name", "json"], "'json' is the name of something else; --name gives another"),
        (["--uses", "cuda"], "--uses cuda: PyGPU has no such API; it has cuda_driver, "),
        (["--release", "new"], "'new' is no release; a release looks like 13.0.96"),
        (
            ["--define", "a b"],
            "project/api_specs/shapes/releases.toml: defines[0]: a macro is needed, not 'a b'",
        ),
    ],
)
def test_bad_options_are_told_and_nothing_is_written(header, tmp_path, capsys, options, said):
    assert bind(header, tmp_path / "project", *options) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["shapes.h"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("int shapes(none);", "shapes.h:1: "),
        ("#include <none.h>\n", "'none.h' file not found"),
        ("struct shapes { int a; };\n", "declares no function, so nothing would be generated"),
        ("struct shapes { char a[1LL << 40]; };\nint f(struct shapes *a);\n", ".size: a number"),
        ("struct \u00fc { int a; };\nint f(struct \u00fc *a);\n", "a C type is needed, not"),
    ],
)
def test_a_header_that_cant_be_bound_leaves_nothing(header, tmp_path, capsys, text, said):
    header.write_text(text)
    assert bind(header, tmp_path / "project") == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["shapes.h"]


def test_what_c_types_cant_express_is_left_out_by_name(header, tmp_path, capsys):
    """The rest is bound, and compiles; a struct with such a field is only an address."""
    header.write_text(
        "struct box { long double d; };\nint print(const char *format, ...);\n"
        "int wide(__int128 a);\nint boxed(struct box *b);\nptrdiff_t far(intptr_t p);\n"
    )
    header.write_text(f"#include <stddef.h>\n#include <stdint.h>\n{header.read_text()}")
    assert bind(header, tmp_path / "project") == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Not bound")]
    assert [line.split(":")[1:4] for line in told] == [
        [" shapes.h", "4", " print"],
        [" shapes.h", "5", " wide(wide.a)"],
    ]
    stub = (tmp_path / "project/python/shapes/__init__.pyi").read_text()
    assert "def boxed(b: _Memory) -> int: ..." in stub and "def far(p: _Int) -> int: ..." in stub
    compile_generated(tmp_path / "project" / "generated", "shapes/other.cpp")


NAMES = """
typedef struct { int a; } Text; typedef struct Image Image; typedef int Boolean;
typedef struct entry_st *Entry; enum Symbol { address_of, Kind_a, None };
struct object_s { int list, Any, class; };
struct tuple { int a; };
#define object 3
int checked(int a); int address(int a); int lambda(int a);
int names(int a); int entries(int a); int errors(int a); int api(void); int cut(int a);
int list(int a); int final(int a); int Any(int a); int _Memory(const void *p); const char *str(int);
int Callable(void (*call)(int a, void *data), void *data); int IntEnum(int a); int std(int a);
int delete(int a); int int_(int a); int record(int class, int operator);
int all(const Text *a, const char *b, Image *c, Boolean d, Entry e, enum Symbol f);
int values(struct tuple a, struct object_s *b);
"""


def test_names_that_the_module_has_itself(header, tmp_path, capsys):
    """Python's names get an underscore; those of C++ and of the stub are no hindrance."""
    required("mypy")
    header.write_text(NAMES)
    project = tmp_path / "project"
    assert bind(header, project) == 0
    assert ": None_, address_, checked_, lambda_.\n" in capsys.readouterr().out
    for file in ("other.cpp", "names.cpp", "structs.cpp", "vendor.cpp"):
        compile_generated(project / "generated", f"shapes/{file}")
    (tmp_path / "use.py").write_text(
        "import shapes\nfrom shapes import checked\n"
        "one: int = shapes.checked_(1) + checked.checked_(1) + shapes.address('list')\n"
        "two: str | None = shapes.str(1)\n"
        "shapes.values(shapes.tuple(a=1), shapes.object_s(list=1))\n"
        "three: int = shapes.list([])\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "use.py"],
        cwd=tmp_path,
        env={"MYPYPATH": f"{project / 'python'}:{ROOT / 'python'}"},
        check=False,
        capture_output=True,
        text=True,
    )
    errors = done.stdout.splitlines()[:-1]
    assert [line.partition(" error: ")[0] for line in errors] == ["use.py:6:"], done.stdout


@pytest.mark.parametrize("text", ["int f(void);\n", "int f(int a);\n", "void f(int *a);\n"])
def test_a_header_without_types_of_its_own_is_bound(header, tmp_path, text):
    """Its stubs import nothing if there is nothing to import; its table of names is empty."""
    header.write_text(text)
    assert bind(header, tmp_path / "project") == 0
    assert "def f(" in (tmp_path / "project/python/shapes/checked.pyi").read_text()
    compile_generated(tmp_path / "project" / "generated", "shapes/names.cpp")


def test_what_is_there_is_left_alone(header, tmp_path, capsys):
    place = tmp_path / "mine"
    place.mkdir()
    (place / "notes").write_text("keep")
    assert bind(header, place) == 2
    assert "holds something else; --folder names another place" in capsys.readouterr().err
    assert contents(place) == {"notes": b"keep"}
    assert bind(tmp_path / "none.h", tmp_path / "none") == 2
    assert "none.h: no such header" in capsys.readouterr().err


def test_options_that_a_first_run_wrote_down_are_no_options_later(header, tmp_path, capsys):
    project = tmp_path / "shapes"
    assert bind(header, project, "--library", "libmine") == 0
    assert 'stem = "libmine"' in (project / "api_specs" / "shapes" / "api.toml").read_text()
    assert bind(header, project, "--library", "libother") == 2
    assert (
        "--library, --uses, --include, --define and --exclude stand in the files"
        in capsys.readouterr().err
    )
    other = Path(shutil.copy(header, tmp_path / "other.h"))
    assert bind(other, project, "--name", "shapes") == 2
    assert "is of shapes.h, not of other.h" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("declared", "status"),
    [
        ("typedef enum odd_e { ODD_OK } odd_t; odd_t oddRun(void);", ("odd_t", "odd_t")),
        ("typedef enum odd_e { ODD_OK } odd_t; typedef odd_t o; o oddRun(void);", ("o", "o")),
        ("typedef int odd_t;\n#define ODD_SUCCESS 0\nodd_t oddRun(void);", ("odd_t", "oddStatus")),
        ("typedef int odd_t;\n#define ODD_RED 0\nodd_t oddRun(void);", None),
        ("#define ODD_SUCCESS 0\nint oddRun(void);", None),
        ("enum odd_e { ODD_OK = 1 }; enum odd_e oddRun(void);", None),
    ],
)
def test_a_status_is_known_by_any_name(
    declared: str, status: tuple[str, str] | None, tmp_path: Path
) -> None:
    """A typedef of an enum or of that, or of a number if a code is called as success is."""
    (tmp_path / "odd.h").write_text(f"{declared}\nvoid oddStop(void);\n")
    assert bind(tmp_path / "odd.h", tmp_path / "odd") == 0
    made = tomllib.loads((tmp_path / "odd" / "api_specs" / "odd" / "api.toml").read_text())
    known = made.get("status")
    assert (known and (known["type"], known["class"])) == status
