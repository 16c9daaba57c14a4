"""docs/threads.md names all state that threads share; tools/shared_state.py finds it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
shared_state = importlib.import_module("shared_state")

TABLE = "| state | where | what guards it |\n| --- | --- | --- |\n"


def test_all_of_it_is_named() -> None:
    assert len(shared_state.variables(ROOT)) > 100
    assert list(shared_state.problems(ROOT)) == []


def names(text: str, read: str = "cpp") -> list[str]:
    found = getattr(shared_state, f"variables_of_{read}")(text)
    return sorted({name for name, _ in found})


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("namespace { int count = 0; }", ["count"]),
        ("constinit std::atomic<void (*)()> hook{nullptr};", ["hook"]),
        ("int &(*ask)() = asked;", ["ask"]),
        ("inline void (*after)() = nullptr;", ["after"]),
        ("PyTypeObject *one = nullptr, *other = nullptr;", ["one", "other"]),
        ("const char *last = nullptr;", ["last"]),
        ("std::map<int, const char *> names;", ["names"]),
        ("struct Kept { std::mutex mutex; } kept;", ["kept"]),
        ("template <class T> struct A { static inline int made{0}; int own; };", ["made"]),
        ("struct A { thread_local static bool inside; void f(); };", ["inside"]),
        ("int f() { static std::vector<int> all; return all[0]; }", ["all"]),
        ("void f() { if (x) { thread_local char text[128]; } }", ["text"]),
        ("All &f() { static auto *const all = new All; return *all; }", ["all"]),
        ("All &f() { static const auto &all = *new All; return all; }", ["all"]),
        ("int f() { static int n = [] { return g(); }(); return n; }", ["n"]),
        ("Table table = {{1, 2}, {3, 4}};", ["table"]),
        ('[[gnu::tls_model("initial-exec")]] thread_local Block *block = nullptr;', ["block"]),
        # None of these can be written, or outlives a call.
        ('constexpr int limit = 3; const std::string root = "/";', []),
        ('void f() { static PyObject *const name = intern("a"); int here = 0; }', []),
        ("PyMethodDef methods[] = {{nullptr, nullptr, 0, nullptr}};", []),
        ("extern int elsewhere; class Later; enum class Kind : int { a, b };", []),
        ("void declared(int (*how)(void *), int count); bool operator==(A, B);", []),
        ("struct Derived : Base { int field = 0; static int f(); }; // int x = 0;", []),
        ("#define ONE int one = 1;\n/* int two = 2; */ using A = std::vector<int>;", []),
    ],
)
def test_what_is_state_in_cpp(code: str, found: list[str]) -> None:
    assert names(code) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("_known: dict[str, int] = {}", ["_known"]),
        ("_lock = _thread.RLock()\n_waiting = deque()\n_all = []", ["_all", "_lock", "_waiting"]),
        ("def use():\n    global _name, _why\n    _name = _why = 1", ["_name", "_why"]),
        ("@functools.lru_cache(1)\ndef ask(): ...\n@cache\ndef find(): ...", ["ask", "find"]),
        ("NAMES = {1: 2}\nKINDS = [3]\ndef f():\n    here = {}\n    return here", []),
    ],
)
def test_what_is_state_in_python(code: str, found: list[str]) -> None:
    assert names(code, "python") == found


@pytest.mark.parametrize(
    ("row", "code", "why"),
    [
        ("| `one` | `base/one.cpp` | the GIL |", "int one = 0;", None),
        ("", "\nint one = 0;", "base/one.cpp:2: one is shared by threads, and docs/threads.md"),
        ("| `two` | `base/one.cpp` | the GIL |", "", "there is no variable two in base/one.cpp"),
        (
            "| `one` | `base/two.cpp` | the GIL |",
            "int one = 0;",
            "base/two.cpp has no variable one",
        ),
        (
            "| `one` | `base/one.cpp`, `base/two.cpp` | the GIL |",
            "int one = 0;",
            "base/two.cpp has no variable one",
        ),
    ],
)
def test_document_and_sources_agree(tmp_path: Path, row: str, code: str, why: str | None) -> None:
    source = tmp_path / "src/handwritten/base/one.cpp"
    page = tmp_path / shared_state.DOCUMENT
    for file, text in ((source, code), (page, f"{TABLE}{row}\n")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    found = "\n".join(shared_state.problems(tmp_path))
    assert why in found if why else not found
