"""From headers to syntax trees, by libclang, our own freestanding headers, and one fixed target."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from clang import cindex
from clang.cindex import Cursor, CursorKind, LinkageKind, TranslationUnit

from generator.errors import GeneratorError
from generator.parse.search import COMPILER, FREESTANDING, beside, is_standard, system_folders
from generator.releases import DependedHeader

# The target is the same on every machine, so that the model doesn't depend on the machine. Both
# Linux targets of PyGPU are LP64 with the same layouts.
TARGET = "x86_64-unknown-linux-gnu"
PROBE = "pygpu_probe.c"
_IDENTIFIER = re.compile(rb"[A-Za-z_]\w*")
_MISSING = re.compile(r"'(.+)' file not found")
# What clang says of C++ that it reads as C.
_CPP = re.compile(
    r"unknown type name '(class|namespace|template|using|constexpr|virtual)'"
    r"|must use '(struct|union|enum)' tag"
)
_NEWEST = "gnu2x"


class ParseError(GeneratorError):
    """The headers don't parse, or declare what the model can't express."""


@dataclass(frozen=True, slots=True)
class HeaderSet:
    """An include folder, the header to read in it, and the macros that it needs.

    `more` are further headers to read in it, each where it is there.
    `also` is our own header with declarations that the vendor's header lacks; it is read after
    that. `depends` are the headers of other APIs that it includes. `further` are more folders to
    search. `exclude` are globs of headers whose declarations aren't the API's, and of names.
    `system` are the folders of the C library's headers, if the generator's own don't suffice;
    `dialect` is the C that the header is written in.
    """

    include: Path
    header: str
    defines: tuple[str, ...] = ()
    also: Path | None = None
    depends: tuple[DependedHeader, ...] = ()
    further: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    system: tuple[Path, ...] = ()
    dialect: str = "c11"
    more: tuple[str, ...] = ()

    @property
    def folders(self) -> tuple[Path, ...]:
        """All folders that are searched before the C library's."""
        named = (self.include, *self.further, *(one.include for one in self.depends))
        return tuple(dict.fromkeys(one.resolve() for one in named))

    @property
    def read(self) -> tuple[str, ...]:
        """The header, and those of `more` that the folder has."""
        return (self.header, *(one for one in self.more if (self.include / one).is_file()))


class HeaderPlace(NamedTuple):
    """Where a declaration stands: a header's path, and the other API whose header it is.

    `own` says whether all that the header declares is the API's, and not only the types in use.
    """

    header: str
    owner: str | None
    own: bool

    def __str__(self) -> str:
        return f"{self.owner}:{self.header}" if self.owner else self.header


def first_tree(headers: HeaderSet) -> Tree:
    """The tree of a header, read with what it needs besides the given folders.

    The C library's headers are read only if the generator's own don't suffice, and newer C only if
    C11 doesn't. ParseError if the header still has errors.
    """
    tree = _best_tree(headers)
    if tree.errors:
        raise ParseError(_refusal(tree))
    return tree


def _best_tree(headers: HeaderSet) -> Tree:
    """The tree of a header, read with all that is found for it; it may have errors."""
    if (headers.include / "stdio.h").is_file():
        headers = replace(headers, system=system_folders(), dialect="gnu11")
    while True:
        tree = Tree(headers, strict=False)
        if not tree.errors:
            return tree
        lacking = _MISSING.search(tree.errors[0])
        system = () if headers.system else system_folders()
        of_system = lacking and any((one / lacking[1]).is_file() for one in system)
        near = beside(headers.folders, lacking[1]) if lacking and not of_system else None
        if near:
            headers = replace(headers, further=(*headers.further, near))
        elif system:
            headers = replace(headers, system=system, dialect="gnu11")
        elif headers.dialect != _NEWEST and not lacking:
            headers = replace(headers, dialect=_NEWEST)
        else:
            return tree


def _refusal(tree: Tree) -> str:
    """What is wrong with a header, as one line."""
    headers, lacking = tree.headers, _MISSING.search(tree.errors[0])
    if lacking and lacking[1].endswith((".h", ".hpp")):
        return f"{tree.message()}: --include names its folder"
    if lacking or not Tree(headers, language="c++", strict=False).errors or _is_cpp(tree):
        return (
            f'{tree.message()}: this is C++; only C can be bound, such as a header with extern "C"'
        )
    return tree.message()


def _is_cpp(tree: Tree) -> bool:
    """Whether a word that only C++ has is among the errors."""
    return any(_CPP.search(one) for one in tree.errors)


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
        strict: bool = True,
    ) -> None:
        """Parse. ParseError for any diagnostic of error severity, with file, line and text.

        Without `strict`, such texts are only listed in `errors`. `tolerate_tail` lets the lines of
        `tail` be wrong; `bad_lines` then holds their numbers.
        """
        self.headers = headers
        self.include = headers.include.resolve()
        self.also = headers.also.resolve() if headers.also else None
        if not (self.include / headers.header).is_file():
            raise ParseError(f"{headers.include}: no {headers.header} in this folder")
        standard = headers.dialect if language == "c" else "c++17"
        arguments = [
            *("-x", language, f"-std={standard}", "-target", TARGET),
            *("-nostdinc", "-nostdinc++", "-nobuiltininc", "-ferror-limit=0", "-w"),
            *(f"-D{define}" for define in (*headers.defines, *defines)),
            *(f"-D{define}" for one in headers.depends for define in one.defines),
            *(text for one in headers.folders for text in ("-I", str(one))),
            *("-isystem", str(COMPILER)),
            *(text for one in headers.system for text in ("-isystem", str(one))),
            *("-isystem", str(FREESTANDING)),
        ]
        begin = "".join(f"#include <{one}>\n" for one in headers.read)
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
        self.errors: list[str] = []
        self._texts: dict[str, bytes] = {}
        self._places: dict[str, HeaderPlace | None] = {}
        for diagnostic in unit.diagnostics:
            if diagnostic.severity < cindex.Diagnostic.Error:
                continue
            place = diagnostic.location
            name = place.file.name if place.file else headers.header
            if tolerate_tail and name == PROBE and place.line > begin.count("\n"):
                self.bad_lines.add(place.line)
            else:
                where = f"{self.relative(name) or name}:{place.line}"
                where = headers.header if name == PROBE else where  # behind its end
                self.errors.append(f"{where}: {diagnostic.spelling}")
        if strict and self.errors:
            raise ParseError(self.message())

    def message(self) -> str:
        """The errors as one line: the first, and how many there are."""
        more = f" (and {len(self.errors) - 1} more)" if len(self.errors) > 1 else ""
        return self.errors[0] + more

    def relative(self, name: str) -> str | None:
        """A file's path inside the include folder, or our own header's name; None for others."""
        path = Path(name)
        if not path.is_absolute():
            path = path.resolve()
        if path == self.also:
            return path.name
        return str(path.relative_to(self.include)) if path.is_relative_to(self.include) else None

    @cached_property
    def reached(self) -> frozenset[Path]:
        """The header and what it includes, without the C library's headers and their own."""
        included: dict[str, list[str]] = {}
        for one in self.unit.get_includes():
            included.setdefault(one.source.name, []).append(one.include.name)
        waiting, seen = list(included.get(PROBE, ())), set[str]()
        while waiting:
            if (name := waiting.pop()) in seen:
                continue
            seen.add(name)
            waiting += (
                one
                for one in included.get(name, ())
                if not is_standard(Path(one).resolve(), self.headers.system)
            )
        return frozenset(Path(one).resolve() for one in seen)

    @cached_property
    def _foreign(self) -> dict[Path, str]:
        """The headers of other APIs that this one depends on, with these APIs' names."""
        result: dict[Path, str] = {}
        for one in self.headers.depends:
            other = HeaderSet(
                one.include, one.header, one.defines, further=self.headers.folders, more=one.more
            )
            for path in first_tree(other).reached:
                result.setdefault(path, one.name)
        return result

    def place_of(self, cursor: Cursor) -> HeaderPlace | None:
        """Where a declaration stands; None for the C library's and the generator's own."""
        file = cursor.location.file
        if file is None:
            return None
        name = str(file.name)  # asks libclang each time
        if name not in self._places:
            self._places[name] = self._place(Path(name).resolve())
        return self._places[name]

    def _place(self, path: Path) -> HeaderPlace | None:
        if path not in self.reached:
            return None
        inside = [one for one in self.headers.folders if path.is_relative_to(one)]
        name = str(path.relative_to(inside[0])) if inside else path.name
        if owner := self._foreign.get(path):
            return HeaderPlace(name, owner, False)
        own = path == self.also or path.is_relative_to(self.include)
        excluded = any(fnmatchcase(name, glob) for glob in self.headers.exclude)
        return HeaderPlace(name, None, own and not excluded)

    def header_of(self, cursor: Cursor) -> str | None:
        """The API's own header that a declaration stands in; None when it isn't in one."""
        place = self.place_of(cursor)
        return place.header if place and place.own else None

    def text(self, name: str) -> bytes:
        """A file's bytes, read once."""
        if name not in self._texts:
            self._texts[name] = Path(name).read_bytes()
        return self._texts[name]

    def mentions(self, word: bytes) -> bool:
        """Whether one of the vendor's headers, or ours, has this word."""
        return any(
            place is not None and place.own and word in self.text(str(path))
            for path in self.reached
            if (place := self._place(path))
        )

    def word_at(self, cursor: Cursor) -> str:
        """The identifier that the header's text has at the place of a declaration's name.

        It differs from the cursor's spelling if a macro renames the declaration.
        """
        place = cursor.location
        match = _IDENTIFIER.match(self.text(place.file.name), place.offset)
        return match.group().decode() if match else ""

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
    evaluation = library.clang_Cursor_Evaluate(cursor)
    if not evaluation:
        return None
    try:
        if library.clang_EvalResult_getKind(evaluation) != 1:  # CXEval_Int
            return None
        return int(library.clang_EvalResult_getAsLongLong(evaluation))
    finally:
        library.clang_EvalResult_dispose(evaluation)


@dataclass(frozen=True, slots=True)
class Includes:
    """The files that a header leads to, without the C library's, and the folders they are in."""

    files: frozenset[Path]
    folders: tuple[Path, ...]


def includes(headers: HeaderSet) -> Includes:
    """What a header includes, though it may have errors."""
    tree = _best_tree(headers)
    return Includes(tree.reached, tree.headers.folders)
