"""From headers to syntax trees, by libclang, our own freestanding headers, and one fixed target."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from clang import cindex
from clang.cindex import Cursor, CursorKind, LinkageKind, TranslationUnit

from generator.errors import GeneratorError
from generator.releases import Depended

FREESTANDING = Path(__file__).resolve().parent.parent / "headers" / "freestanding"
# The target is the same on every machine, so that the model doesn't depend on the machine. Both
# Linux targets of PyGPU are LP64 with the same layouts.
TARGET = "x86_64-unknown-linux-gnu"
PROBE = "pygpu_probe.c"
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")


class ParseError(GeneratorError):
    """The headers don't parse, or declare what the model can't express."""


@dataclass(frozen=True, slots=True)
class HeaderSet:
    """An include folder, the header to read in it, and the macros that it needs.

    `also` is our own header with declarations that the vendor's header lacks; it is read after
    that. `depends` are the headers of other APIs that it includes.
    """

    include: Path
    header: str
    defines: tuple[str, ...] = ()
    also: Path | None = None
    depends: tuple[Depended, ...] = ()


class Tree:
    """One parsed translation unit: the header, and the lines of C that `tail` adds behind it."""

    def __init__(
        self,
        headers: HeaderSet,
        *,
        language: str = "c",
        defines: Iterable[str] = (),
        tail: str = "",
        tolerate_tail: bool = False,
    ) -> None:
        """Parse. ParseError for any diagnostic of error severity, with file, line and text.

        `tolerate_tail` lets the lines of `tail` be wrong; `bad_lines` then holds their numbers.
        """
        self.include = headers.include.resolve()
        self.also = headers.also.resolve() if headers.also else None
        self._depends = [(one.name, one.include.resolve()) for one in headers.depends]
        if not (self.include / headers.header).is_file():
            raise ParseError(f"{headers.include}: no {headers.header} in this folder")
        standard = "c11" if language == "c" else "c++17"
        arguments = [
            *("-x", language, f"-std={standard}", "-target", TARGET),
            *("-nostdinc", "-nostdinc++", "-nobuiltininc", "-ferror-limit=0", "-w"),
            *(f"-D{define}" for define in (*headers.defines, *defines)),
            *(f"-D{define}" for one in headers.depends for define in one.defines),
            *("-I", str(self.include)),
            *(text for _, include in self._depends for text in ("-I", str(include))),
            *("-isystem", str(FREESTANDING)),
        ]
        begin = f"#include <{headers.header}>\n"
        if self.also:
            begin += f'#include "{self.also}"\n'
        source = f"{begin}{tail}\n"
        options = (
            TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
            | TranslationUnit.PARSE_INCOMPLETE
            | TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
        )
        try:
            unit = cindex.Index.create().parse(
                PROBE, arguments, unsaved_files=[(PROBE, source)], options=options
            )
        except cindex.TranslationUnitLoadError as error:
            raise ParseError(f"{headers.header}: libclang could not read it") from error
        self.unit = unit
        self.root: Cursor = unit.cursor
        self.bad_lines: set[int] = set()
        self._texts: dict[str, bytes] = {}
        errors = []
        for diagnostic in unit.diagnostics:
            if diagnostic.severity < cindex.Diagnostic.Error:
                continue
            place = diagnostic.location
            name = place.file.name if place.file else headers.header
            if tolerate_tail and name == PROBE and place.line > begin.count("\n"):
                self.bad_lines.add(place.line)
            else:
                errors.append(f"{self.relative(name) or name}:{place.line}: {diagnostic.spelling}")
        if errors:
            more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
            raise ParseError(errors[0] + more)

    def relative(self, name: str) -> str | None:
        """A file's path inside the include folder, or our own header's name; None for others."""
        path = Path(name)
        if not path.is_absolute():
            path = path.resolve()
        if path == self.also:
            return path.name
        return str(path.relative_to(self.include)) if path.is_relative_to(self.include) else None

    def header_of(self, cursor: Cursor) -> str | None:
        """The vendor header that a declaration stands in; None when it isn't a vendor's."""
        place = cursor.location
        return self.relative(place.file.name) if place.file else None

    def place_of(self, cursor: Cursor) -> str | None:
        """The same; for a declaration in another API's header, "<api>:<header>"."""
        place = cursor.location
        if place.file is None:
            return None
        path = Path(place.file.name).resolve()
        for name, include in self._depends:
            if include != self.include and path.is_relative_to(include):
                return f"{name}:{path.relative_to(include)}"
        return self.header_of(cursor)

    def text(self, name: str) -> bytes:
        """A file's bytes, read once."""
        if name not in self._texts:
            self._texts[name] = Path(name).read_bytes()
        return self._texts[name]

    def mentions(self, word: bytes) -> bool:
        """Whether one of the vendor's headers, or ours, has this word."""
        names = {one.include.name for one in self.unit.get_includes()}
        return any(self.relative(name) and word in self.text(name) for name in names)

    def word_at(self, cursor: Cursor) -> str:
        """The identifier that the header's text has at the place of a declaration's name.

        It differs from the cursor's spelling if a macro renames the declaration.
        """
        place = cursor.location
        found = _IDENTIFIER.match(self.text(place.file.name), place.offset)
        return found.group().decode() if found else ""

    def declarations(self) -> Iterator[tuple[Cursor, bool]]:
        """All declarations at file scope, and whether each has C linkage by an extern "C"."""
        yield from self._walk(self.root, False)

    def _walk(self, parent: Cursor, extern: bool) -> Iterator[tuple[Cursor, bool]]:
        for cursor in parent.get_children():
            if cursor.kind in (CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL):
                yield from self._walk(cursor, True)
            else:
                yield cursor, extern


def is_exported(cursor: Cursor) -> bool:
    """Whether a declaration is that of a function that a library can export."""
    return bool(cursor.linkage == LinkageKind.EXTERNAL and not cursor.is_definition())


def without_parentheses(cursor: Cursor) -> Cursor:
    """The expression inside parentheses and implicit conversions."""
    while cursor.kind in (CursorKind.PAREN_EXPR, CursorKind.UNEXPOSED_EXPR):
        children = list(cursor.get_children())
        if len(children) != 1:
            break
        cursor = children[0]
    return cursor


def evaluate(cursor: Cursor) -> int | None:
    """The integer value of a constant expression or variable; None when it has none."""
    library = cindex.conf.lib
    # The Python package doesn't declare these functions of libclang.
    library.clang_Cursor_Evaluate.argtypes = [Cursor]
    library.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    for name, result in (
        ("clang_EvalResult_getKind", ctypes.c_int),
        ("clang_EvalResult_getAsLongLong", ctypes.c_longlong),
        ("clang_EvalResult_dispose", None),
    ):
        function = getattr(library, name)
        function.argtypes, function.restype = [ctypes.c_void_p], result
    found = library.clang_Cursor_Evaluate(cursor)
    if not found:
        return None
    try:
        if library.clang_EvalResult_getKind(found) != 1:  # CXEval_Int
            return None
        return int(library.clang_EvalResult_getAsLongLong(found))
    finally:
        library.clang_EvalResult_dispose(found)
